/**
 * A drop-in client of the command `cavemem`: the five verbs of the first seed, as it had them.
 *
 * The command is `CAVEMEM_BIN`, else `cavemem` on PATH; a path that is set and missing fails, and
 * nothing else is tried. Each function resolves to the command's JSON, whatever it is, and rejects
 * with `error.code` the exit code or the system's name of the failure ("ENOENT"), or with a
 * SyntaxError if the answer is not JSON. For anything more, use the client of `memstone`.
 */

import { MAX_OUTPUT_BYTES, run, RunFailed } from "./process.js";

export { MEMORY_TOO_LARGE_EXIT_CODE } from "./errors.js";

/** What a call rejects with, unless the answer was not JSON. */
export class CavememError extends Error {
  constructor(message, { code, signal = null, stdout = "", stderr = "", cause }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CavememError";
    this.code = code;
    this.signal = signal;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** Stores `text`, which travels on standard input. */
export function remember(text) {
  return call(["remember", "--stdin"], text);
}

/** Finds memories; a budget without a limit sends limit 0, which is the command's default. */
export function recall(query, limit, tokenBudget) {
  const words = ["recall", query];
  if (tokenBudget != null) words.push(String(limit ?? 0), String(tokenBudget));
  else if (limit != null) words.push(String(limit));
  return call(words);
}

/** Replaces the memory `id` by `text`. */
export function supersede(id, text) {
  return call(["supersede", id, text]);
}

/** Every version of a memory, oldest first. */
export function history(id) {
  return call(["history", id]);
}

/** Removes a memory; `forgotten` is false if there was none. */
export function forget(id) {
  return call(["forget", id]);
}

async function call(words, input) {
  const program = process.env.CAVEMEM_BIN || "cavemem";
  const shown = `${program} ${words[0]}`;
  const done = await run([program], words, { input }).catch((error) => {
    throw error instanceof RunFailed ? unanswered(shown, error) : error;
  });
  const { exitCode, signal } = done;
  const stdout = done.stdout.toString("utf8");
  if (exitCode === 0) return JSON.parse(stdout);
  const stderr = done.stderr.toString("utf8");
  const how = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`;
  throw new CavememError(`${shown} ${how}: ${stderr.trim()}`, {
    code: exitCode, signal, stdout, stderr,
  });
}

function unanswered(shown, failure) {
  if (failure.reason === "output") {
    const code = "ERR_CHILD_PROCESS_STDIO_MAXBUFFER"; // Node's own name for it
    return new CavememError(`${shown}: more than ${MAX_OUTPUT_BYTES} bytes of output`, { code });
  }
  const { cause } = failure;
  return new CavememError(`${shown}: ${failure.message}`, { code: cause.code, cause });
}
