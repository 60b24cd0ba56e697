/**
 * The client: every verb of the `memstone` command as an async method.
 *
 * Nothing is known here about memories. A method makes words, hands a text over on standard input,
 * and gives back what the command answers, in the command's own JSON. An answer that is in part a
 * refusal (some ids were not there, some lines of a file are bad) is still an answer and resolves;
 * the refused part stands in it. Everything else that is not exit code 0 rejects.
 */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

import {
  instant, question, several, text, unicode, wordsOf, wrongType,
} from "./arguments.js";
import { MemstoneError } from "./errors.js";
import { MAX_OUTPUT_BYTES, run, RunFailed } from "./process.js";

const OPTIONS = new Set([
  "bin", "home", "user", "project", "agent", "shared", "env", "cwd", "timeout", "signal", "onNote",
]);
const TEXT_ON_STDIN = new Set(["remember", "supersede"]);
const SHORTENED = "query_shortened"; // as the command says it of a question that it cuts itself
const MOST_SHOWN = 500; // characters of a complaint that is not the command's JSON

/** A client of one store and scope; it holds no process and no file, and needs no closing. */
export class Memstone {
  #options;

  constructor(options = {}) {
    const unknown = Object.keys(options).find((name) => !OPTIONS.has(name));
    if (unknown !== undefined) {
      throw new MemstoneError("invalid_input", `Memstone: there is no option ${unknown}`, {
        hint: `one of ${[...OPTIONS].join(", ")}`,
        fields: { name: unknown },
      });
    }
    this.#options = { ...options };
  }

  // storing

  remember(text, options = {}) {
    return this.#document("remember", [], options, { text });
  }

  supersede(id, text, options = {}) {
    return this.#document("supersede", [id], options, { text });
  }

  async forget(ids, options = {}) {
    return this.#document("forget", needed("ids", ids), options, { inPart: "not_found" });
  }

  /** Removes all that a selection takes; `dryRun` only says what that is. */
  forgetWhere(selection, options = {}) {
    return this.#document("forget", [], { yes: true, ...options, ...selection });
  }

  async import(source, options = {}) {
    const [file, input] = await sourceOf(source);
    return this.#document("import", [file], options, { input, inPart: "source_malformed" });
  }

  // asking

  async recall(query, options = {}) {
    const asked = question(query);
    const answer = await this.#document("recall", [asked.query], options);
    if (asked.shortened && !answer.degraded.includes(SHORTENED)) answer.degraded.push(SHORTENED);
    return answer;
  }

  async why(id, query, options = {}) {
    return this.#document("why", [id, question(query).query], options);
  }

  async wrong(id, query, options = {}) {
    return this.#document("wrong", [id], { ...options, query: question(query).query });
  }

  async right(id, query, options = {}) {
    return this.#document("right", [id], { ...options, query: question(query).query });
  }

  feedback(options = {}) {
    return options.output
      ? this.#document("feedback", [], options)
      : this.#records("feedback", [], options);
  }

  block(options = {}) {
    return this.#document("block", [], options);
  }

  // looking

  history(id, options = {}) {
    return this.#records("history", [id], options);
  }

  list(options = {}) {
    return this.#records("list", [], options);
  }

  show(id, options = {}) {
    return this.#document("show", [id], options);
  }

  get(id, options = {}) {
    return this.show(id, options);
  }

  stats(options = {}) {
    return this.#document("stats", [], options);
  }

  log(options = {}) {
    return this.#records("log", [], options);
  }

  async recover(handle, options = {}) {
    return (await this.#document("recover", [handle], options)).text;
  }

  async recoverBytes(handle, options = {}) {
    return new TextEncoder().encode(await this.recover(handle, options));
  }

  async export(options = {}) {
    return options.output
      ? this.#document("export", [], options)
      : decode((await this.#run("export", [], options)).stdout);
  }

  // marking

  async tag(id, tags, options = {}) {
    return this.#document("tag", [id, ...needed("tags", tags)], options);
  }

  async untag(id, tags, options = {}) {
    return this.#document("untag", [id, ...needed("tags", tags)], options);
  }

  pin(id, options = {}) {
    return this.#document("pin", [id], options);
  }

  unpin(id, options = {}) {
    return this.#document("unpin", [id], options);
  }

  async expire(id, when, options = {}) {
    const at = when === null ? "never" : instant("when", when);
    return this.#document("expire", [id, at], options);
  }

  // taking back, letting through

  async undo(change, options = {}) {
    const places = change === undefined || change === null ? [] : [whole("change", change)];
    return this.#document("undo", places, options);
  }

  restore(id, options = {}) {
    return this.#document("restore", [id], options);
  }

  review(options = {}) {
    return this.#records("review", [], options);
  }

  conflicts(options = {}) {
    return this.#records("conflicts", [], options);
  }

  resolve(conflict, options = {}) {
    return this.#document("resolve", [conflict], options);
  }

  async approve(ids, options = {}) {
    return this.#document("approve", needed("ids", ids), options);
  }

  // running

  status(options = {}) {
    return this.#document("status", [], options);
  }

  work(options = {}) {
    return this.#document("work", [], options);
  }

  pause(options = {}) {
    return this.#document("pause", [], options);
  }

  resume(options = {}) {
    return this.#document("resume", [], options);
  }

  async incognito(on, options = {}) {
    if (typeof on !== "boolean") throw wrongType("on", "true or false", on);
    return this.#document("incognito", [on ? "on" : "off"], options);
  }

  init(options = {}) {
    return this.#document("init", [], options);
  }

  config(options = {}) {
    return this.#document("config", [], options);
  }

  async #document(verb, places, options, more = {}) {
    const { stdout } = await this.#run(verb, places, options, more);
    return parse(decode(stdout));
  }

  async #records(verb, places, options) {
    const { stdout } = await this.#run(verb, places, options);
    // only a line feed ends a line: U+2028 and the like may stand inside a text
    return decode(stdout).split("\n").filter(Boolean).map(parse);
  }

  /** Runs a verb; `inPart` is the code of an error that leaves an answer. */
  async #run(verb, places, options, { text: body, input, inPart } = {}) {
    const { user, project, agent, shared } = this.#options;
    // a folder of its own takes the place of the store's
    const home = options.dir ? undefined : this.#options.home;
    const scope = { user, project, agent, shared };
    const words = wordsOf(verb, places, options, { home, scope });
    if (TEXT_ON_STDIN.has(verb)) {
      input = unicode("text", body);
      words.splice(2, 0, "--stdin");
    }
    const done = await this.#start(words, options, input);
    const { error, notes } = complaintsIn(done.stderr);
    for (const note of notes) this.#options.onNote?.(note);
    if (done.exitCode === 0) return done;
    const answered = inPart !== undefined && error?.code === inPart && done.stdout.length > 0;
    if (answered) return done;
    throw refusal(done, error);
  }

  async #start(words, options, input) {
    const { cwd } = this.#options;
    const env = { ...process.env, ...this.#options.env };
    const command = commandOf(this.#options.bin, env);
    try {
      return await run(command, words, {
        input,
        env,
        cwd,
        timeout: options.timeout ?? this.#options.timeout,
        signals: [this.#options.signal, options.signal],
      });
    } catch (error) {
      throw error instanceof RunFailed ? unanswered(error, command[0], cwd) : error;
    }
  }
}

/** The program to start, and the words that come before all others. */
function commandOf(bin, env) {
  const chosen = bin || env.MEMSTONE_BIN || "memstone";
  const command = typeof chosen === "string" ? [chosen] : [...chosen];
  return command.map((word) => text("bin", word));
}

/** The file of an import and what goes to standard input: a name is opened by the command. */
async function sourceOf(source) {
  if (source instanceof Uint8Array) return ["-", source];
  const file = source instanceof URL ? fileURLToPath(source) : text("source", source);
  return [file === "-" ? "./-" : file, undefined];
}

function needed(name, values) {
  const many = several(name, values);
  if (many.length > 0) return many;
  throw new MemstoneError("invalid_input", `${name}: at least one is needed`, { fields: { name } });
}

function whole(name, value) {
  if (!Number.isSafeInteger(value)) throw wrongType(name, "a whole number", value);
  return String(value);
}

function decode(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new MemstoneError("bad_answer", "the answer of the command is not UTF-8", { cause });
  }
}

function parse(answer) {
  try {
    return JSON.parse(answer);
  } catch (cause) {
    const shown = answer.slice(0, MOST_SHOWN);
    throw new MemstoneError("bad_answer", `the answer of the command is not JSON: ${shown}`, {
      hint: "is MEMSTONE_BIN, or `memstone` on PATH, another program?",
      cause,
    });
  }
}

/** The last error and the notes on standard error; other lines belong to no one. */
function complaintsIn(stderr) {
  const notes = [];
  let error;
  for (const line of stderr.toString("utf8").split("\n")) {
    if (!line.startsWith("{")) continue;
    let said;
    try {
      said = JSON.parse(line);
    } catch { // a line of something else that begins with a brace
      continue;
    }
    if (typeof said.note === "string") notes.push(said.note);
    if (typeof said.error?.code === "string") error = said.error;
  }
  return { error, notes };
}

/** The error of a command that ended with something else than 0. */
function refusal({ exitCode, signal, stderr }, error) {
  if (error !== undefined) {
    const { code, message, hint, fields } = error;
    return new MemstoneError(code, message, { exitCode, hint, fields });
  }
  const said = stderr.toString("utf8").trim().slice(-MOST_SHOWN);
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  return new MemstoneError("command_failed", `the command ${how}${said && `: ${said}`}`, {
    exitCode,
    fields: signal ? { signal } : {},
  });
}

/** The error of a command that gave no answer at all. */
function unanswered(failure, program, cwd) {
  const { reason, message, cause } = failure;
  switch (reason) {
    case "aborted":
    case "timeout":
      return new MemstoneError(reason, message, {
        hint: "what it was about to store may be stored or not; the same call again is harmless",
        cause,
      });
    case "output":
      return new MemstoneError("output_too_large", message, {
        hint: "ask for less with `limit`, or let the command write a file with `output`",
        fields: { limit: MAX_OUTPUT_BYTES },
      });
    default:
      return notStarted(program, cwd, cause);
  }
}

function notStarted(program, cwd, cause) {
  const code = cause.code ?? "command_failed";
  const folderGone = cwd !== undefined && !existsSync(cwd);
  const where = folderGone ? `the folder ${cwd} is not there` : `${program} cannot be started`;
  const hints = {
    ENOENT: folderGone ? null : "install memstone (pip install . in its clone), or set MEMSTONE_BIN",
    E2BIG: "an argument is longer than the system allows",
    EINVAL: "on Windows name an .exe, or give `bin` as [interpreter, script]",
  };
  return new MemstoneError(code, `${where} (${code})`, {
    hint: hints[code] ?? null,
    fields: { program },
    cause,
  });
}
