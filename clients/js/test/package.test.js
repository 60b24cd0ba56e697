// The package as its users meet it: what it exports, what its types say, what its README shows.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

import * as memstone from "memstone";
import * as cavemem from "memstone/cavemem";

import { VERBS } from "../src/verbs.js";
import { scratch } from "../helpers/kit.js";

const FOLDER = fileURLToPath(new URL("..", import.meta.url));
const TYPES = readFileSync(join(FOLDER, "src/index.d.ts"), "utf8");
const methods = Object.getOwnPropertyNames(memstone.Memstone.prototype)
  .filter((name) => name !== "constructor")
  .sort();

test("every verb is a method, and beside them are only three other ways", () => {
  assert.deepEqual(methods, [...Object.keys(VERBS), "forgetWhere", "get", "recoverBytes"].sort());
});

test("every method is a function of the module, and of nothing else but classes and limits", () => {
  assert.deepEqual(Object.keys(memstone).sort(), [
    ...methods, "CLIENT_CODES", "COMMAND_CODES", "MAX_OUTPUT_BYTES", "MEMORY_TOO_LARGE_EXIT_CODE",
    "Memstone", "MemstoneError",
  ].sort());
  assert.equal(memstone.MEMORY_TOO_LARGE_EXIT_CODE, 65);
});

test("the types name every method, function and code, and no other", () => {
  const body = TYPES.slice(TYPES.indexOf("export declare class Memstone {"));
  const declared = [...body.matchAll(/^ {2}([a-z]\w*)\(/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(declared)].filter((name) => name !== "constructor").sort(), methods);
  const functions = [...TYPES.matchAll(/^declare const (\w+): Memstone\["(\w+)"\];/gm)];
  const exported = [...TYPES.matchAll(/^export declare const (\w+): Memstone\["(\w+)"\];/gm)];
  assert.ok(exported.every(([, name, method]) => name === method));
  assert.deepEqual([...functions, ...exported].map(([, , method]) => method).sort(), methods);
  for (const [type, codes] of [
    ["CommandCode", memstone.COMMAND_CODES], ["ClientCode", memstone.CLIENT_CODES],
  ]) {
    const union = TYPES.match(new RegExp(`export type ${type} =([^;]+);`))[1];
    assert.deepEqual(union.match(/\w+/g), [...codes], type);
  }
});

test("the types name every option of every verb", () => {
  const known = new Set([...TYPES.matchAll(/^ {2}(\w+)\?:/gm)].map(([, name]) => name));
  const options = Object.entries(VERBS).flatMap(([verb, { options: own }]) =>
    Object.keys(own).filter((option) => !(option === "query" && /^(wrong|right)$/.test(verb))),
  );
  assert.deepEqual([...new Set(options)].filter((option) => !known.has(option)), []);
});

test("the seed's interface is whole", () => {
  assert.deepEqual(Object.keys(cavemem).sort(), [
    "CavememError", "MEMORY_TOO_LARGE_EXIT_CODE", "forget", "history", "recall", "remember",
    "supersede",
  ]);
});

test("the package has no dependencies, and every file that it names is there", () => {
  const about = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  assert.equal(about.dependencies, undefined);
  assert.equal(about.engines.node, ">=18");
  const named = [about.types, ...about.files, ...Object.values(about.exports).flatMap(
    (target) => (typeof target === "string" ? [target] : Object.values(target)),
  )];
  assert.deepEqual(named.filter((file) => !existsSync(join(FOLDER, file))), []);
});

test("the examples of the README run", (t) => {
  const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
  assert.ok(blocks.length >= 2);
  for (const code of blocks) {
    execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
      cwd: FOLDER, // where the package finds itself by its name
      env: { ...process.env, MEMSTONE_HOME: join(scratch(t), "store") },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }
});
