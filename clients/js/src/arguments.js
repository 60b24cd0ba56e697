/**
 * Options and places → the words of a command line.
 *
 * Every option travels as one word (`--tag=-draft`) and every place behind `--`, so that no value
 * can be taken for an option. What a command line cannot carry without changing it is refused here:
 * a NUL, half a character (a lone surrogate, which UTF-8 would turn into U+FFFD), a value of another
 * type, an option that the verb does not have. What a value may say is for the command to judge.
 */

import { MemstoneError } from "./errors.js";
import { SCOPES, VERBS } from "./verbs.js";

/** Options of a call that are for the client and not for the command. */
const OWN = new Set(["signal", "timeout"]);
const LONE_SURROGATE = /\p{Cs}/u;

/**
 * Bytes of a question that are sent. Linux takes 128 KiB a word; Windows 32,767 characters a line,
 * quotes and backslashes counted twice.
 */
export const MAX_QUERY_BYTES = process.platform === "win32" ? 12_000 : 120_000;

/**
 * The words of a call, the verb first.
 *
 * @param {string} name of the verb
 * @param {readonly string[]} places what stands without a name
 * @param {object} options of this call
 * @param {{home?: string, scope?: object}} defaults of the client
 * @returns {string[]}
 */
export function wordsOf(name, places, options, { home, scope = {} } = {}) {
  const words = [name, "--json"];
  if (given(home)) words.push(`--home=${text("home", home)}`);
  const known = { ...VERBS[name].options, ...SCOPES[VERBS[name].scope] };
  const asked = { ...scopeOf(name, scope, options), ...options };
  for (const [option, value] of Object.entries(asked)) {
    if (OWN.has(option)) continue;
    if (!Object.hasOwn(known, option)) throw unknownOption(name, option, Object.keys(known));
    words.push(...wordsOfOption(option, known[option], value));
  }
  const placed = places.map((place) => text("argument", place));
  return placed.length > 0 ? [...words, "--", ...placed] : words;
}

/** The client's own scope, as far as the verb takes it and the call does not say otherwise. */
function scopeOf(name, scope, options) {
  const taken = SCOPES[VERBS[name].scope];
  const own = Object.entries(scope).filter(([key]) => Object.hasOwn(taken, key));
  const kept = options.shared ? own.filter(([key]) => key === "user") : own;
  return Object.fromEntries(
    kept.map(([key, value]) => {
      const first = Array.isArray(value) && taken[key][1] !== "texts";
      return [key, first ? value[0] : value];
    }),
  );
}

function wordsOfOption(option, [flag, type], value) {
  if (!given(value)) return [];
  switch (type) {
    case "flag":
      if (typeof value !== "boolean") throw wrongType(option, "true or false", value);
      return value ? [flag] : [];
    case "number":
      if (typeof value !== "number") throw wrongType(option, "a number", value);
      return [`${flag}=${plain(value)}`];
    case "time":
      return [`${flag}=${instant(option, value)}`];
    case "texts":
      return several(option, value).map((each) => `${flag}=${each}`);
    default:
      return [`${flag}=${text(option, value)}`];
  }
}

/** A number without an exponent, which the command does not read. */
function plain(value) {
  const short = String(value);
  return short.includes("e-") ? value.toFixed(18) : short;
}

function given(value) {
  return value !== undefined && value !== null && value !== "";
}

/** `value` itself if it is text that a command line can carry. */
export function text(name, value) {
  const whole = unicode(name, value);
  if (whole.includes("\0")) {
    throw new MemstoneError("invalid_input", `${name}: a NUL cannot stand in an argument`, {
      fields: { name },
    });
  }
  return whole;
}

/** `value` itself if it is text that UTF-8 can hold. */
export function unicode(name, value) {
  if (typeof value !== "string") throw wrongType(name, "text", value);
  if (LONE_SURROGATE.test(value)) {
    throw new MemstoneError("text_not_unicode", `${name}: there is half a character in it`, {
      hint: "the text was cut or decoded in the middle of a character",
      fields: { name },
    });
  }
  return value;
}

/** One text or a list of them, as a list without empty ones. */
export function several(name, value) {
  const many = typeof value === "string" ? [value] : value;
  if (typeof many?.[Symbol.iterator] !== "function") throw wrongType(name, "a list of text", value);
  return [...many].map((each) => text(name, each)).filter(given);
}

/** A date or time as text. */
export function instant(name, value) {
  if (!(value instanceof Date)) return text(name, value);
  if (Number.isNaN(value.getTime())) {
    throw new MemstoneError("invalid_time", `${name}: not a date`, { fields: { name } });
  }
  return value.toISOString();
}

/**
 * The part of a question that is sent, and whether it is all of it.
 *
 * A program that pastes a whole document shall get an answer. As the command itself does, its
 * beginning and, seven times as much, its end are kept: what is asked stands behind the document.
 */
export function question(value) {
  const whole = unicode("query", value).replaceAll("\0", " "); // separates words like any blank
  const bytes = Buffer.from(whole, "utf8");
  if (bytes.length <= MAX_QUERY_BYTES) return { query: whole, shortened: false };
  let head = Math.floor(MAX_QUERY_BYTES / 8);
  let tail = bytes.length - (MAX_QUERY_BYTES - head - 1);
  while (inside(bytes[head])) head -= 1;
  while (inside(bytes[tail])) tail += 1;
  const query = `${bytes.toString("utf8", 0, head)}\n${bytes.toString("utf8", tail)}`;
  return { query, shortened: true };
}

/** Whether a byte continues a character of UTF-8. */
function inside(byte) {
  return (byte & 0xc0) === 0x80;
}

export function wrongType(name, wanted, value) {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return new MemstoneError("wrong_type", `${name}: ${wanted} is needed, not ${type}`, {
    fields: { name, wanted, type },
  });
}

function unknownOption(verb, option, known) {
  return new MemstoneError("invalid_input", `${verb}: there is no option ${option}`, {
    hint: known.length > 0 ? `one of ${known.join(", ")}` : null,
    fields: { name: option },
  });
}
