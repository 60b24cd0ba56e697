/**
 * What the tests share: folders that go away, and small programs to be called instead of memstone.
 *
 * Kept out of the folder `test`, in which Node takes every file for a test.
 */

import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Memstone } from "memstone";

/** A text with what encodings trip over. */
export const MIXED = "café ≠ tea 記憶 猫 🙂 \u2028 \u0000 \ufeff end\r\n";

/** An empty folder that goes away with its test; only its owner may enter. */
export function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), "memstone-js-记忆-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** A client of the real command and a fresh store, outside any repository. */
export function fresh(t, options = {}) {
  const folder = scratch(t);
  return new Memstone({ home: join(folder, "store"), cwd: folder, user: "ana", ...options });
}

/**
 * A program whose body is `source`: `words`, `input` (its standard input, read on the first call)
 * and `say(value)` (a value as JSON to standard output) stand ready.
 *
 * A POSIX shell starts this very Node: there may be none on PATH.
 */
export function program(t, source, name = "fake") {
  const folder = scratch(t);
  const script = join(folder, "fake.mjs");
  writeFileSync(
    script,
    `import { readFileSync, writeFileSync, writeSync } from "node:fs";
const words = process.argv.slice(2);
const input = () => readFileSync(0);
const say = (value) => writeSync(1, JSON.stringify(value) + "\\n");
${source}
`,
  );
  const launcher = join(folder, name);
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`);
  chmodSync(launcher, 0o755);
  return launcher;
}

/** A program that answers with its words and its input; `calls()` lists what it was called with. */
export function parrot(t, name = "fake") {
  const folder = scratch(t);
  const file = join(folder, "calls.jsonl");
  writeFileSync(file, "");
  const path = program(
    t,
    `const given = { words, input: words.includes("--stdin") ? input().toString("utf8") : null };
writeFileSync(${JSON.stringify(file)}, JSON.stringify(given) + "\\n", { flag: "a" });
say(given);`,
    name,
  );
  const calls = () => readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return { path, calls };
}

/** Sets variables of the environment for the length of a test; undefined takes one away. */
export function setEnvironment(t, values) {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name];
    put(name, value);
    t.after(() => put(name, before));
  }
}

function put(name, value) {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
