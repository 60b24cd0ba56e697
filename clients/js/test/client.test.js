// The client against programs of ours: words, errors, limits, stopping. No store is touched.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import test from "node:test";

import * as memstone from "memstone";

import { MIXED, parrot, program, scratch, setEnvironment } from "../helpers/kit.js";

const { Memstone, MemstoneError } = memstone;
const SAYS_NOT_FOUND = `process.stderr.write(JSON.stringify({ error: {
  code: "not_found", message: "没有 mem_1", hint: "memstone list", fields: { missing: ["mem_1"] },
} }) + "\\n"); process.exitCode = 1;`;

/** The words of the last call that a client made to a parrot. */
async function wordsOf(t, options, call) {
  const { path, calls } = parrot(t);
  await call(new Memstone({ bin: path, ...options }));
  return calls().at(-1).words;
}

test("a text travels on standard input, every byte of it", async (t) => {
  const { path, calls } = parrot(t);
  const client = new Memstone({ bin: path });
  await client.remember(MIXED);
  await client.supersede("mem_1", `--json ${MIXED}`);
  assert.deepEqual(calls(), [
    { words: ["remember", "--json", "--stdin"], input: MIXED },
    { words: ["supersede", "--json", "--stdin", "--", "mem_1"], input: `--json ${MIXED}` },
  ]);
});

test("no value can be taken for an option", async (t) => {
  const words = await wordsOf(t, { home: "--json" }, (client) =>
    client.recall("--help", { tags: ["-a", "--b=c"], session: "--shared", limit: 3 }),
  );
  assert.deepEqual(words, [
    "recall", "--json", "--home=--json", "--tag=-a", "--tag=--b=c", "--session=--shared",
    "--limit=3", "--", "--help",
  ]);
});

test("nothing is a shell's to expand", async (t) => {
  const query = "$(touch pwned) `id` \"x\" 'y' %PATH% ^& | > *";
  assert.equal((await wordsOf(t, {}, (client) => client.recall(query))).at(-1), query);
});

test("options become the command's, and what is empty is not given", async (t) => {
  const words = await wordsOf(t, {}, (client) =>
    client.remember("text", {
      tags: "预算",
      kind: "decision",
      at: new Date(Date.UTC(2026, 7, 13, 9, 30)),
      validUntil: "2026-12-31",
      pinned: true,
      session: "",
      speaker: null,
      role: undefined,
      externalId: "a=b",
    }),
  );
  assert.deepEqual(words.slice(3), [
    "--tag=预算", "--kind=decision", "--at=2026-08-13T09:30:00.000Z", "--valid-until=2026-12-31",
    "--pin", "--external-id=a=b",
  ]);
});

test("numbers are written as the command reads them", async (t) => {
  const words = await wordsOf(t, {}, (client) =>
    client.recall("q", { budget: 0, minScore: 1e-7, limit: 10_000 }),
  );
  assert.deepEqual(words.slice(2, 5), [
    "--budget=0", "--min-score=0.000000100000000000", "--limit=10000",
  ]);
});

test("the scope of the client holds unless a call says otherwise", async (t) => {
  const scope = { user: "ana", project: "atlas", agent: ["lead", "helper"] };
  const own = await wordsOf(t, scope, (client) => client.list());
  assert.deepEqual(own.slice(2), [
    "--user=ana", "--project=atlas", "--agent=lead", "--agent=helper",
  ]);
  const one = await wordsOf(t, scope, (client) => client.show("mem_1", { project: "other" }));
  assert.deepEqual(one.slice(2, 5), ["--user=ana", "--project=other", "--agent=lead"]);
  const shared = await wordsOf(t, scope, (client) => client.remember("x", { shared: true }));
  assert.deepEqual(shared.slice(3), ["--user=ana", "--shared"]);
  const user = await wordsOf(t, scope, (client) => client.stats());
  assert.deepEqual(user.slice(2), ["--user=ana"]);
  const none = await wordsOf(t, { shared: true }, (client) => client.config({ origin: true }));
  assert.deepEqual(none.slice(2), ["--origin"]);
  const apart = await wordsOf(t, scope, (client) => client.incognito(true));
  assert.deepEqual(apart.slice(2), ["--project=atlas", "--", "on"]);
});

test("a misspelt option is refused before anything runs", async (t) => {
  const { path, calls } = parrot(t);
  const client = new Memstone({ bin: path });
  await assert.rejects(client.recall("q", { limt: 3 }), { code: "invalid_input", exitCode: null });
  await assert.rejects(client.stats({ project: "a" }), /there is no option project/);
  assert.throws(() => new Memstone({ binary: path }), { code: "invalid_input" });
  assert.deepEqual(calls(), []);
});

test("a value that a command line would change is refused", async (t) => {
  const { path, calls } = parrot(t);
  const client = new Memstone({ bin: path });
  const half = "猫\ud83d";
  await assert.rejects(client.remember(half), { code: "text_not_unicode" });
  await assert.rejects(client.recall(half), { code: "text_not_unicode" });
  await assert.rejects(client.tag("mem_1", [half]), { code: "text_not_unicode" });
  await assert.rejects(client.tag("mem_1", "a\0b"), { code: "invalid_input" });
  await assert.rejects(client.remember(Buffer.from("x")), { code: "wrong_type" });
  await assert.rejects(client.remember(undefined), { code: "wrong_type" });
  await assert.rejects(client.recall("q", { limit: "3" }), { code: "wrong_type" });
  await assert.rejects(client.recall("q", { explain: "yes" }), { code: "wrong_type" });
  await assert.rejects(client.recall("q", { tags: 3 }), { code: "wrong_type" });
  await assert.rejects(client.recall("q", { since: new Date(NaN) }), { code: "invalid_time" });
  await assert.rejects(client.undo(1.5), { code: "wrong_type" });
  await assert.rejects(client.incognito("on"), { code: "wrong_type" });
  await assert.rejects(client.forget([]), { code: "invalid_input" });
  await assert.rejects(client.tag("mem_1", ""), { code: "invalid_input" });
  assert.deepEqual(calls(), []);
});

test("a question as long as a document is asked with its two ends, and the answer says so", async (t) => {
  const path = program(t, `say({ query: words.at(-1), degraded: [] })`);
  const client = new Memstone({ bin: path });
  const long = `开头${"猫🙂 x".repeat(200_000)}结尾？`;
  const answer = await client.recall(long);
  assert.deepEqual(answer.degraded, ["query_shortened"]);
  assert.ok(Buffer.byteLength(answer.query) <= 120_000);
  assert.ok(Buffer.byteLength(answer.query) > 119_990);
  assert.ok(answer.query.startsWith("开头") && answer.query.endsWith("结尾？"));
  assert.ok(!answer.query.includes("\ufffd"));
  assert.deepEqual((await client.recall("短 \0 问题")).query, "短   问题");
  assert.deepEqual((await client.recall("短")).degraded, []);
});

test("a list is a line of JSON an entry, whatever stands in the texts", async (t) => {
  const entries = [{ text: "a\u2028b\u2029c\u0085d" }, { text: MIXED }];
  const path = program(t, `for (const one of ${JSON.stringify(entries)}) say(one);`);
  assert.deepEqual(await new Memstone({ bin: path }).list(), entries);
  const silent = program(t, "");
  assert.deepEqual(await new Memstone({ bin: silent }).list(), []);
});

test("an error of the command has its code, hint, fields and exit code", async (t) => {
  const client = new Memstone({ bin: program(t, SAYS_NOT_FOUND) });
  await assert.rejects(client.show("mem_1"), (error) => {
    assert.ok(error instanceof MemstoneError);
    assert.ok(error instanceof Error);
    assert.equal(error.name, "MemstoneError");
    assert.deepEqual(
      { code: error.code, message: error.message, hint: error.hint, fields: error.fields },
      {
        code: "not_found",
        message: "没有 mem_1",
        hint: "memstone list",
        fields: { missing: ["mem_1"] },
      },
    );
    assert.equal(error.exitCode, 1);
    return true;
  });
});

test("an answer that came with a refusal of a part is an answer", async (t) => {
  const answer = { forgotten: ["mem_2"], missing: ["mem_1"] };
  const client = new Memstone({
    bin: program(t, `say(${JSON.stringify(answer)}); ${SAYS_NOT_FOUND}`),
  });
  assert.deepEqual(await client.forget(["mem_1", "mem_2"]), answer);
  await assert.rejects(client.import("chat.json"), { code: "not_found" });
});

test("notes on standard error are handed on and are no error", async (t) => {
  const notes = [];
  const bin = program(
    t,
    `process.stderr.write('{"note": "no store 还没有"}\\n{ not json\\nwarning\\n'); say({ hits: [] })`,
  );
  const client = new Memstone({ bin, onNote: (note) => notes.push(note) });
  await client.recall("q");
  assert.deepEqual(notes, ["no store 还没有"]);
  await new Memstone({ bin }).recall("q");
});

test("a command that fails without a word of JSON rejects with what it said", async (t) => {
  const client = new Memstone({
    bin: program(t, `process.stderr.write("Traceback 出错\\n"); process.exitCode = 3;`),
  });
  await assert.rejects(client.stats(), (error) => {
    assert.equal(error.code, "command_failed");
    assert.equal(error.exitCode, 3);
    assert.match(error.message, /exit code 3: Traceback 出错/);
    return true;
  });
  const killed = new Memstone({
    bin: program(t, `process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000);`),
  });
  await assert.rejects(killed.stats(), { code: "command_failed", fields: { signal: "SIGKILL" } });
});

test("an answer that is none rejects as bad_answer", async (t) => {
  const plain = new Memstone({ bin: program(t, `process.stdout.write("hello")`) });
  await assert.rejects(plain.stats(), (error) => {
    assert.equal(error.code, "bad_answer");
    assert.ok(error.cause instanceof SyntaxError);
    return true;
  });
  await assert.rejects(plain.list(), { code: "bad_answer" });
  const binary = new Memstone({ bin: program(t, `writeSync(1, Buffer.from([0x7b, 0xff, 0x7d]))`) });
  await assert.rejects(binary.stats(), { code: "bad_answer" });
  await assert.rejects(binary.export(), { code: "bad_answer" });
});

test("a broken pipe is no error of its own", async (t) => {
  const refusing = program(
    t,
    `process.stderr.write('{"error": {"code": "memory_too_large", "message": "m", "hint": null}}\\n');
process.exit(65);`,
  );
  const client = new Memstone({ bin: refusing });
  for (const size of [262_145, 16 * 1024 * 1024]) {
    await assert.rejects(client.remember("x".repeat(size)), {
      code: "memory_too_large",
      exitCode: memstone.MEMORY_TOO_LARGE_EXIT_CODE,
    });
  }
});

test("32 MiB of answer arrive, and more reject", async (t) => {
  const bin = program(
    t,
    `const size = Number(words.at(-1));
process.stdout.write(JSON.stringify({ text: "x".repeat(size - 11) }));`,
  );
  const client = new Memstone({ bin });
  const most = memstone.MAX_OUTPUT_BYTES;
  assert.equal(most, 32 * 1024 * 1024);
  assert.equal((await client.show(String(most))).text.length, most - 11);
  await assert.rejects(client.show(String(most + 1)), { code: "output_too_large" });
});

test("a command that complains without end does not fill the memory", async (t) => {
  const bin = program(
    t,
    `for (let i = 0; i < 64; i += 1) writeSync(2, "x".repeat(1024 * 1024) + "\\n");
${SAYS_NOT_FOUND}`,
  );
  await assert.rejects(new Memstone({ bin }).stats(), { code: "not_found" });
});

test("a MEMSTONE_BIN that is missing fails although a good command is on PATH", async (t) => {
  const { path, calls } = parrot(t, "memstone");
  setEnvironment(t, {
    MEMSTONE_BIN: join(scratch(t), "不在"),
    PATH: `${dirname(path)}${delimiter}${process.env.PATH}`,
  });
  await assert.rejects(memstone.remember("text"), (error) => {
    assert.equal(error.code, "ENOENT");
    assert.equal(error.exitCode, null);
    assert.match(error.hint, /MEMSTONE_BIN/);
    return true;
  });
  assert.deepEqual(calls(), []);
  await new Memstone({ bin: path }).remember("text"); // the client's own option comes first
  await new Memstone({ env: { MEMSTONE_BIN: path } }).remember("text");
  assert.equal(calls().length, 2);
});

test("without MEMSTONE_BIN the command is found on PATH", async (t) => {
  const { path, calls } = parrot(t, "memstone");
  const folder = dirname(path);
  setEnvironment(t, { MEMSTONE_BIN: undefined, PATH: `${folder}${delimiter}${process.env.PATH}` });
  await memstone.remember("text");
  assert.equal(calls().length, 1);
});

test("the command may be an interpreter and its words", async (t) => {
  const { path, calls } = parrot(t);
  await new Memstone({ bin: ["/bin/sh", path, "-I"] }).stats();
  assert.deepEqual(calls()[0].words, ["-I", "stats", "--json"]);
});

test("the environment and the folder are the caller's to choose", async (t) => {
  const folder = scratch(t);
  const bin = program(
    t,
    `say({ cwd: process.cwd(), added: process.env.ADDED, taken: process.env.HOME ?? null })`,
  );
  const client = new Memstone({ bin, cwd: folder, env: { ADDED: "猫", HOME: undefined } });
  const { cwd, ...rest } = await client.stats();
  assert.ok(cwd.endsWith(folder));
  assert.deepEqual(rest, { added: "猫", taken: null });
  const gone = new Memstone({ bin, cwd: join(folder, "gone") });
  await assert.rejects(gone.stats(), { code: "ENOENT", message: /the folder .* is not there/ });
});

test("a signal that aborts ends the call at once, and the command with it", async (t) => {
  const folder = scratch(t);
  const started = join(folder, "started");
  const tidied = join(folder, "tidied");
  const bin = program(
    t,
    `process.on("SIGINT", () => { writeFileSync(${JSON.stringify(tidied)}, ""); process.exit(130); });
writeFileSync(${JSON.stringify(started)}, "");
setInterval(() => {}, 1000);`,
  );
  const stop = new AbortController();
  const call = new Memstone({ bin }).stats({ signal: stop.signal });
  await until(() => existsSync(started));
  const reason = new Error("够了");
  stop.abort(reason);
  await assert.rejects(call, { name: "AbortError", code: "aborted", cause: reason });
  await until(() => existsSync(tidied));
});

test("a signal of the client ends its calls, and one aborted before starts none", async (t) => {
  const { path, calls } = parrot(t);
  const stop = new AbortController();
  stop.abort();
  await assert.rejects(new Memstone({ bin: path, signal: stop.signal }).stats(), {
    code: "aborted",
  });
  assert.deepEqual(calls(), []);
});

test("one signal for many calls is listened to once, ends them all, and is let go of", async (t) => {
  const listening = new Set();
  const stop = new AbortController();
  const { signal } = stop;
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (name, listener, options) => {
    listening.add(listener);
    addEventListener.call(signal, name, listener, options);
  };
  signal.removeEventListener = (name, listener) => {
    listening.delete(listener);
    removeEventListener.call(signal, name, listener);
  };
  const { path } = parrot(t);
  const client = new Memstone({ bin: path, signal });
  const quick = Array.from({ length: 20 }, () => client.stats({ signal }));
  assert.equal(listening.size, 1);
  await Promise.all(quick);
  assert.equal(listening.size, 0);
  const slow = new Memstone({ bin: program(t, "setInterval(() => {}, 1000);"), signal });
  const calls = Array.from({ length: 20 }, () => slow.stats());
  stop.abort();
  const ended = await Promise.allSettled(calls);
  assert.ok(ended.every(({ reason }) => reason?.code === "aborted"));
});

test("a call that takes too long rejects as timeout, even if its command does not listen", async (t) => {
  const pid = join(scratch(t), "pid");
  const bin = program(
    t,
    `process.on("SIGINT", () => {});
writeFileSync(${JSON.stringify(pid)}, String(process.pid));
setInterval(() => {}, 1000);`,
  );
  const client = new Memstone({ bin, timeout: 60_000 });
  const call = client.stats({ timeout: 1_500 });
  await assert.rejects(call, { code: "timeout", name: "MemstoneError" });
  await until(() => existsSync(pid) && !alive(Number(readFileSync(pid, "utf8"))));
});

test("of many calls only some run at once, and all are answered", async (t) => {
  const folder = scratch(t);
  const bin = program(
    t,
    `import { mkdirSync, readdirSync, rmdirSync } from "node:fs";
const own = ${JSON.stringify(folder)} + "/" + process.pid;
mkdirSync(own);
await new Promise((done) => setTimeout(done, 50));
say({ atOnce: readdirSync(${JSON.stringify(folder)}).length });
rmdirSync(own);`,
  );
  const client = new Memstone({ bin });
  const stop = new AbortController();
  const calls = Array.from({ length: 40 }, () => client.stats());
  const waiting = client.stats({ signal: stop.signal });
  stop.abort(); // leaves the queue without having run
  await assert.rejects(waiting, { code: "aborted" });
  const answers = await Promise.all(calls);
  assert.equal(answers.length, 40);
  assert.ok(answers.every(({ atOnce }) => atOnce <= 16));
  assert.deepEqual(await client.stats().then(({ atOnce }) => atOnce), 1);
});

async function until(happened) {
  for (let tries = 0; tries < 500; tries += 1) {
    if (happened()) return;
    await sleep(20);
  }
  assert.fail("it did not happen within ten seconds");
}

function alive(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
