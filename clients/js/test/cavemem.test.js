// The first seed's client, against a program of ours in place of `cavemem`.

import assert from "node:assert/strict";
import { chmodSync, renameSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import test from "node:test";

import * as cavemem from "memstone/cavemem";

import { MIXED, parrot, program, scratch, setEnvironment } from "../helpers/kit.js";

function use(t, source) {
  setEnvironment(t, { CAVEMEM_BIN: program(t, source, "cavemem") });
}

test("the exit code of a text that is too large is exported", () => {
  assert.equal(cavemem.MEMORY_TOO_LARGE_EXIT_CODE, 65);
});

test("every command is forwarded with the seed's words", async (t) => {
  const { path, calls } = parrot(t);
  setEnvironment(t, { CAVEMEM_BIN: path });
  await cavemem.remember("端口是 5432\n");
  await cavemem.recall("port");
  await cavemem.recall("port", 4);
  await cavemem.recall("port", 4, 900);
  await cavemem.recall("port", undefined, 0);
  await cavemem.recall("port", null, 900);
  await cavemem.recall("-- port", 0);
  await cavemem.supersede("mem_1", "new text");
  await cavemem.history("mem_1");
  await cavemem.forget("mem_1");
  assert.deepEqual(calls(), [
    { words: ["remember", "--stdin"], input: "端口是 5432\n" },
    { words: ["recall", "port"], input: null },
    { words: ["recall", "port", "4"], input: null },
    { words: ["recall", "port", "4", "900"], input: null },
    { words: ["recall", "port", "0", "0"], input: null },
    { words: ["recall", "port", "0", "900"], input: null },
    { words: ["recall", "-- port", "0"], input: null },
    { words: ["supersede", "mem_1", "new text"], input: null },
    { words: ["history", "mem_1"], input: null },
    { words: ["forget", "mem_1"], input: null },
  ]);
});

test("the JSON of the command comes back unchanged", async (t) => {
  use(t, `say({ basis: "inferred", hits: [{ id: "mem_1", text: input().toString(), score: 1e-9 }] })`);
  const answer = await cavemem.remember(MIXED);
  assert.deepEqual(answer, {
    basis: "inferred",
    hits: [{ id: "mem_1", text: MIXED, score: 1e-9 }],
  });
});

test("an exit code rejects as the code of the error, with what the command said", async (t) => {
  use(t, `process.stderr.write("history: 没有\\n"); process.exitCode = 17;`);
  await assert.rejects(cavemem.history("mem_1"), (error) => {
    assert.ok(error instanceof cavemem.CavememError);
    assert.equal(error.code, 17);
    assert.match(error.stderr, /没有/);
    assert.match(error.message, /没有/);
    return true;
  });
});

test("an answer that is not JSON rejects with a SyntaxError", async (t) => {
  use(t, `process.stdout.write("not json")`);
  await assert.rejects(cavemem.recall("port"), SyntaxError);
});

test("a text that is too large rejects with 65 although the pipe breaks", async (t) => {
  // it ends without having read a byte
  use(t, `process.stderr.write("cave_memory_too_large\\n"); process.exit(65);`);
  for (const size of [262_145, 8 * 1024 * 1024]) {
    await assert.rejects(cavemem.remember("x".repeat(size)), { code: 65 });
  }
});

test("a command that does not read its input may succeed", async (t) => {
  use(t, `say({ id: "mem_1" })`);
  assert.deepEqual(await cavemem.remember("x".repeat(4 * 1024 * 1024)), { id: "mem_1" });
});

test("32 MiB of output arrive, and more reject", async (t) => {
  use(t, `const size = Number(words[1]);
const text = JSON.stringify({ text: "x".repeat(size - 11) });
process.stdout.write(text);`);
  const most = 32 * 1024 * 1024;
  const answer = await cavemem.history(String(most));
  assert.equal(JSON.stringify(answer).length, most);
  await assert.rejects(cavemem.history(String(most + 1)), {
    code: "ERR_CHILD_PROCESS_STDIO_MAXBUFFER",
  });
});

test("a CAVEMEM_BIN that is missing fails although a good command is on PATH", async (t) => {
  const { path, calls } = parrot(t, "cavemem");
  setEnvironment(t, {
    CAVEMEM_BIN: join(scratch(t), "不在"),
    PATH: `${dirname(path)}${delimiter}${process.env.PATH}`,
  });
  await assert.rejects(cavemem.remember("text"), { code: "ENOENT" });
  await assert.rejects(cavemem.recall("text"), { code: "ENOENT" });
  assert.deepEqual(calls(), []);
});

test("without CAVEMEM_BIN the command is found on PATH", async (t) => {
  const { path, calls } = parrot(t, "cavemem");
  const folder = dirname(path);
  setEnvironment(t, { CAVEMEM_BIN: undefined, PATH: `${folder}${delimiter}${process.env.PATH}` });
  await cavemem.forget("mem_1");
  assert.equal(calls().length, 1);
  setEnvironment(t, { PATH: scratch(t) });
  await assert.rejects(cavemem.forget("mem_1"), { code: "ENOENT" });
});

test("a file that is no program rejects with the system's name of the failure", async (t) => {
  const { path } = parrot(t);
  chmodSync(path, 0o600);
  setEnvironment(t, { CAVEMEM_BIN: path });
  await assert.rejects(cavemem.history("mem_1"), { code: "EACCES" });
  renameSync(path, `${path} 2`);
  await assert.rejects(cavemem.history("mem_1"), { code: "ENOENT" });
});

test("a command that a signal ended rejects and names the signal", async (t) => {
  use(t, `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);`);
  await assert.rejects(cavemem.forget("mem_1"), { code: null, signal: "SIGKILL" });
});
