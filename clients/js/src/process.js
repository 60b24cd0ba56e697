/**
 * One run of a command: words and bytes in, exit code and bytes out.
 *
 * No shell is ever involved, so nothing has to be quoted and nothing can be injected. At most
 * `MOST_AT_ONCE` commands of this process run at the same time and the others wait their turn:
 * `Promise.all` over thousands of calls then costs neither thousands of processes nor file
 * descriptors. A run that is stopped (signal, timeout, too much output) rejects at once; its command
 * is interrupted as ^C would, so that it can tidy up, and killed if it has not ended soon after.
 *
 * Failing here means that there is no answer at all; what an exit code means is for the caller.
 */

import { spawn } from "node:child_process";

/** Bytes of standard output that an answer may have. */
export const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

const MOST_AT_ONCE = 16;
const KEPT_COMPLAINT_BYTES = 4 * 1024 * 1024; // of standard error, where the last line counts
const GRACE_MS = 2_000;

// a command may end before it has read all of its input: its exit code says why, not the pipe
const READER_GONE = new Set(["EPIPE", "EOF", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

/** Why there is no answer: `reason` is "start", "aborted", "timeout" or "output". */
export class RunFailed extends Error {
  constructor(reason, message, cause) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Turns for at most `most` at once, first come, first served. */
class Turns {
  #free;
  #waiting = [];

  constructor(most) {
    this.#free = most;
  }

  /** Resolves when it is the caller's turn; rejects if `signal` stops it while it waits. */
  take(signal) {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      const go = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(go);
    });
  }

  /** Hands the turn to whoever waits longest. */
  give() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}

const turns = new Turns(MOST_AT_ONCE);

/**
 * Runs `command` (a program and words that come first) with `words` to its end.
 *
 * @param {readonly string[]} command
 * @param {readonly string[]} words
 * @param {{input?: string | Uint8Array, env?: object, cwd?: string, timeout?: number,
 *          signals?: readonly (AbortSignal | undefined)[]}} options
 * @returns {Promise<{exitCode: number | null, signal: string | null, stdout: Buffer,
 *                    stderr: Buffer}>}
 * @throws {RunFailed}
 */
export async function run(command, words, options = {}) {
  const stop = new AbortController();
  const release = follow(stop, options.signals ?? []);
  try {
    await turns.take(stop.signal);
    const timer = timerFor(stop, options.timeout);
    try {
      return await runNow(command, words, options, stop);
    } finally {
      clearTimeout(timer);
      turns.give();
    }
  } finally {
    release();
  }
}

/** Makes `stop` stop with any of `signals`; returns how to let go of them again. */
function follow(stop, signals) {
  const releases = signals
    .filter((signal) => signal != null)
    .map((signal) => {
      const end = () => stop.abort(new RunFailed("aborted", "the call was aborted", signal.reason));
      if (signal.aborted) end();
      return listen(signal, end);
    });
  return () => releases.forEach((release) => release());
}

/** What each signal shall end. One listener a signal: from eleven on Node warns of a leak. */
const ends = new WeakMap();

/** Calls `end` when `signal` aborts; returns how to call that off. */
function listen(signal, end) {
  let group = ends.get(signal);
  if (group === undefined) {
    const waiting = new Set();
    group = { waiting, tell: () => waiting.forEach((each) => each()) };
    ends.set(signal, group);
    signal.addEventListener("abort", group.tell, { once: true });
  }
  group.waiting.add(end);
  return () => {
    group.waiting.delete(end);
    if (group.waiting.size > 0 || ends.get(signal) !== group) return;
    ends.delete(signal);
    signal.removeEventListener("abort", group.tell);
  };
}

function timerFor(stop, timeout) {
  if (!(timeout > 0)) return undefined;
  const message = `no answer within ${timeout} ms`;
  // a longer delay would overflow the timer and fire at once
  const delay = Math.min(timeout, 2 ** 31 - 1);
  return setTimeout(() => stop.abort(new RunFailed("timeout", message)), delay);
}

function runNow(command, words, { input, env, cwd }, stop) {
  return new Promise((resolve, reject) => {
    if (stop.signal.aborted) { // between its turn and now
      reject(stop.signal.reason);
      return;
    }
    const [program, ...first] = command;
    let child;
    try {
      child = spawn(program, [...first, ...words], {
        env,
        cwd,
        stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
      });
    } catch (error) { // too many words, or a script that Windows starts only through a shell
      reject(new RunFailed("start", error.message, error));
      return;
    }
    const end = () => {
      interrupt(child);
      reject(stop.signal.reason);
    };
    stop.signal.addEventListener("abort", end, { once: true });
    child.once("error", (error) => reject(new RunFailed("start", error.message, error)));
    const stdout = collect(child.stdout, MAX_OUTPUT_BYTES, () =>
      stop.abort(new RunFailed("output", `an answer of more than ${MAX_OUTPUT_BYTES} bytes`)),
    );
    const stderr = collect(child.stderr, KEPT_COMPLAINT_BYTES);
    child.once("close", (exitCode, signal) => {
      stop.signal.removeEventListener("abort", end);
      resolve({ exitCode, signal, stdout: stdout(), stderr: stderr() });
    });
    feed(child.stdin, input, (error) => {
      stop.abort(new RunFailed("start", `its input could not be written: ${error.message}`, error));
    });
  });
}

/** Reads `stream`; returns how to get its bytes. Over `most` the first go, or `full` is called. */
function collect(stream, most, full = undefined) {
  const chunks = [];
  let size = 0;
  // without file descriptors there are no streams, and the error event says so
  stream?.on("data", (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most && full) {
      stream.destroy();
      full();
    }
    while (size > most && chunks.length > 1) size -= chunks.shift().length;
  });
  return () => Buffer.concat(chunks);
}

function feed(stdin, input, failed) {
  if (stdin == null) return;
  stdin.on("error", (error) => {
    if (!READER_GONE.has(error.code)) failed(error);
  });
  stdin.end(typeof input === "string" ? Buffer.from(input, "utf8") : input);
}

/** Ends a command: first as ^C would, then without asking. */
function interrupt(child) {
  for (const stream of child.stdio ?? []) stream?.destroy();
  child.kill("SIGINT");
  const timer = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  child.once("exit", () => clearTimeout(timer));
}
