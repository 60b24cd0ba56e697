// Storing, asking and looking against the real command: MEMSTONE_BIN, else `memstone` on PATH. Without it they fail.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test from "node:test";

import * as memstone from "memstone";

import { fresh, MIXED, scratch, setEnvironment } from "../helpers/kit.js";

const NOBODY = "mem_0000000000000000";

test("what is remembered is recalled, with its words in Chinese too", async (t) => {
  const client = fresh(t);
  const stored = await client.remember("The staging cluster runs in eu-west-1", {
    tags: ["infra", "部署"],
    kind: "decision",
    subject: "staging",
    attribute: "region",
    session: "s1",
    speaker: "ana",
    at: "2026-08-01",
    validUntil: new Date("2999-01-01T00:00:00Z"),
    trust: "user",
    pinned: true,
    externalId: "-42",
  });
  assert.equal(stored.outcome, "created");
  assert.deepEqual(stored.tags, ["infra", "部署"]);
  assert.equal(stored.external_id, "-42");
  assert.equal(stored.valid_from, "2026-08-01T00:00:00.000000Z");
  assert.equal(stored.valid_until, "2999-01-01T00:00:00.000000Z");
  assert.equal(stored.pinned, true);
  assert.deepEqual(stored.scope, { user: "ana", project: "", agent: "" });
  const cat = await client.remember("猫的名字叫小黑");
  const found = await client.recall("which region does the staging cluster run in?", {
    tags: ["infra"], kinds: ["decision", "fact"], limit: 3, budget: 500, minScore: 0.1,
  });
  assert.equal(found.hits[0].id, stored.id);
  assert.equal(found.budget, 500);
  assert.ok(found.tokens > 0 && found.tokens <= 500);
  assert.equal((await client.recall("猫叫什么名字？", { budget: 0 })).hits[0].id, cat.id);
  assert.equal((await client.recall("猫叫什么名字？", { budget: 0 })).budget, null);
  assert.equal((await client.remember("猫的名字叫小黑")).outcome, "known");
  assert.deepEqual((await client.recall("--")).hits, []);
  assert.deepEqual((await client.recall("")).hits, []);
});

test("a brief answer has what a model needs, and a change does not repeat its text", async (t) => {
  const client = fresh(t);
  const brief = true;
  const stored = await client.remember("The staging cluster runs in eu-west-1", { brief });
  assert.deepEqual(Object.keys(stored), ["id", "kind", "valid_from", "outcome"]);
  const newer = await client.supersede(stored.id, "集群在 eu-north-1", { tags: ["部署"], brief });
  assert.deepEqual(Object.keys(newer), ["id", "kind", "valid_from", "tags", "supersedes"]);
  const found = await client.recall("集群在哪里", { brief });
  assert.deepEqual(Object.keys(found), [
    "hits", "tokens", "budget", "basis", "omitted", "degraded",
  ]);
  const [hit] = found.hits;
  assert.deepEqual(Object.keys(hit), [
    "id", "text", "kind", "valid_from", "source", "trust", "tags",
  ]);
  assert.equal(hit.text, "集群在 eu-north-1");
  const long = await client.recall(`集群在哪里 ${"x".repeat(200_000)}`, { brief });
  assert.ok(long.degraded.includes("query_shortened"));
  const [listed] = await client.list({ brief });
  assert.deepEqual(listed, { ...hit, supersedes: stored.id });
  const versions = await client.history(newer.id, { brief });
  assert.deepEqual(versions.map((one) => one.superseded_by), [newer.id, undefined]);
  assert.equal((await client.pin(newer.id, { brief })).pinned, true);
  for (const marked of [
    await client.unpin(newer.id, { brief }),
    await client.tag(newer.id, "b", { brief }),
    await client.untag(newer.id, "b", { brief }),
    await client.expire(newer.id, "2999-01-01", { brief }),
  ]) {
    assert.ok(!("text" in marked) && !("pinned" in marked), JSON.stringify(marked));
  }
  assert.equal((await client.list({ brief: false }))[0].provenance.trust, "user");
});

test("a text comes back byte for byte, whatever is in it", async (t) => {
  const client = fresh(t);
  for (const text of [MIXED, "--stdin", "--", "-", "\ufeffx", " \n x \r\n", "\u0000猫"]) {
    const { id, text: stored } = await client.remember(text);
    assert.equal(stored, text);
    assert.equal((await client.show(id)).text, text);
  }
});

test("a shortened hit is recovered exactly, as text and as bytes", async (t) => {
  const client = fresh(t);
  const text = Array.from(
    { length: 900 },
    (_, n) => `kubernetes ingress fact ${n} 端口 ${n} zeta${n} 🙂`,
  ).join("\r\n");
  await client.remember(text);
  const { hits } = await client.recall("kubernetes ingress zeta899", { budget: 60 });
  assert.equal(hits.length, 1);
  assert.ok(hits[0].text.length < text.length);
  assert.equal(await client.recover(hits[0].handle), text);
  const bytes = await client.recoverBytes(hits[0].handle);
  assert.equal(bytes.constructor, Uint8Array);
  const digest = createHash("sha256").update(bytes).digest("hex");
  assert.equal(hits[0].handle, `ccr_${digest.slice(0, 32)}`);
  await assert.rejects(client.recover(`ccr_${"0".repeat(32)}`), { code: "not_found", exitCode: 1 });
  await assert.rejects(client.recover("nonsense"), { code: "invalid_handle", exitCode: 2 });
});

test("a fact changes, and its history stays", async (t) => {
  const client = fresh(t);
  const first = await client.remember("The budget is 100", { tags: "money" });
  const second = await client.supersede(first.id, "预算是 200\n", { session: "s2" });
  assert.equal(second.supersedes, first.id);
  assert.equal(second.text, "预算是 200\n");
  assert.deepEqual(second.tags, ["money"]);
  const versions = await client.history(first.id);
  assert.deepEqual(versions.map(({ id }) => id), [first.id, second.id]);
  assert.deepEqual(await client.history(first.id, { knownAt: first.created_at }).then(
    (known) => known.map(({ id }) => id),
  ), [first.id]);
  assert.deepEqual((await client.list()).map(({ id }) => id), [second.id]);
  assert.equal((await client.list({ history: true })).length, 2);
  assert.deepEqual(await client.list({ held: true }), []);
  await assert.rejects(client.supersede(first.id, "x"), { code: "not_current" });
  await assert.rejects(client.supersede(second.id, second.text), { code: "text_unchanged" });
  await assert.rejects(client.supersede(NOBODY, "x"), { code: "not_found" });
});

test("what is forgotten is gone, and the answer names what was not there", async (t) => {
  const client = fresh(t);
  const [one, two] = await Promise.all([client.remember("alpha 一"), client.remember("beta 二")]);
  assert.deepEqual(await client.forget([one.id, two.id], { dryRun: true }), {
    dry_run: true, would_forget: [one.id, two.id], count: 2, missing: [],
    derived: [], derived_count: 0, states: {}, shown: [],
  });
  assert.deepEqual(await client.forget([one.id, NOBODY]), {
    forgotten: [one.id], count: 1, missing: [NOBODY], derived: [], derived_count: 0,
  });
  assert.deepEqual((await client.forget(two.id)).forgotten, [two.id]);
  assert.deepEqual(await client.list(), []);
  await assert.rejects(client.get(one.id), { code: "not_found" });
});

test("a selection is shown, removed whole, and refused if it is none", async (t) => {
  const client = fresh(t);
  for (const text of ["旧地址 old address 1", "旧地址 old address 2"]) {
    await client.remember(text, { tags: ["temp"], session: "s" });
  }
  const stays = await client.remember("stays 留下");
  const words = { words: "旧地址", tags: ["temp"], session: "s", source: "cli" };
  const would = await client.forgetWhere(words, { dryRun: true });
  assert.deepEqual([would.count, would.states], [2, { current: 2 }]);
  assert.equal(would.shown[0].text, "旧地址 old address 1");
  await assert.rejects(client.forgetWhere(words, { yes: false }), { code: "usage" });
  for (const nothing of [{}, { words: "" }, { tags: [], session: null }]) {
    await assert.rejects(client.forgetWhere(nothing), { code: "usage" });
  }
  assert.equal((await client.list()).length, 3);
  assert.equal((await client.forgetWhere(words)).count, 2);
  assert.deepEqual((await client.list()).map(({ id }) => id), [stays.id]);
  await assert.rejects(client.forgetWhere(words), { code: "not_found" });
});

test("tags, pin and expiry change without a new version", async (t) => {
  const client = fresh(t);
  const { id } = await client.remember("the deploy key lives in vault");
  assert.deepEqual((await client.tag(id, ["-x", "运维"])).tags, ["-x", "运维"]);
  assert.deepEqual((await client.untag(id, "-x")).tags, ["运维"]);
  assert.equal((await client.pin(id)).pinned, true);
  assert.equal((await client.unpin(id)).pinned, false);
  assert.equal(
    (await client.expire(id, new Date("2999-12-31T00:00:00Z"))).expires,
    "2999-12-31T00:00:00.000000Z",
  );
  assert.equal((await client.expire(id, null)).expires, undefined);
  await client.expire(id, "2000-01-01");
  assert.deepEqual((await client.recall("deploy key")).hits, []);
  assert.equal((await client.show(id)).expires, "2000-01-01T00:00:00.000000Z");
});

test("a recall is explained and judged", async (t) => {
  const client = fresh(t);
  const { id } = await client.remember("The backup runs nightly at 02:00", { externalId: "b-1" });
  const question = "when does the backup run? 备份";
  const told = await client.why(id, question, { limit: 2 });
  assert.equal(told.recalled, true);
  assert.equal(told.stages.rank.place, 1);
  const other = await client.why(id, "pizza", { tags: ["none"] });
  assert.equal(other.recalled, false);
  assert.equal(other.decided_by, "filter");
  assert.equal((await client.wrong(id, question)).verdict, "wrong");
  assert.equal((await client.right(id, question)).verdict, "right");
  const said = await client.feedback();
  assert.deepEqual(said.map((one) => [one.id, one.query, one.verdict, one.external_id]), [
    [id, question, "right", "b-1"],
  ]);
  const file = join(scratch(t), "verdicts.jsonl");
  assert.equal((await client.feedback({ output: file })).exported, 1);
  assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), said[0]);
});

test("the store is counted and its changes are logged", async (t) => {
  const client = fresh(t);
  const { id } = await client.remember("x 一", { kind: "task" });
  await client.remember("y 二");
  await client.tag(id, "later");
  const counts = await client.stats();
  assert.equal(counts.current, 2);
  assert.deepEqual(counts.by_kind, { fact: 1, task: 1 });
  const changes = await client.log({ id, limit: 5 });
  assert.deepEqual(changes.map(({ operation }) => operation), ["tag", "remember"]);
  assert.equal((await client.log({ limit: 1 })).length, 1);
  assert.equal((await client.log({ user: "ben" })).length, 0);
});

test("a store is exported and imported again", async (t) => {
  const client = fresh(t);
  const { id } = await client.remember(`first 一 ${MIXED}`);
  await client.supersede(id, "second 二");
  const text = await client.export();
  assert.equal(text.split("\n").length, 4);
  assert.equal((await client.export({ knownAt: "2000-01-01" })).includes("first"), false);
  const file = join(scratch(t), "导出.jsonl");
  assert.equal((await client.export({ output: file })).exported, 2);
  assert.equal(readFileSync(file, "utf8"), text);
  for (const source of [file, pathToFileURL(file), Buffer.from(text)]) {
    const other = fresh(t);
    const planned = await other.import(source, { dryRun: true });
    assert.deepEqual([planned.dry_run, planned.created], [true, 2]);
    const report = await other.import(source, { format: "memstone" });
    assert.deepEqual([report.read, report.created, report.skipped], [2, 2, []]);
    assert.equal(await other.export(), text);
  }
});

test("an import with bad lines stores the good ones and lists the bad", async (t) => {
  const client = fresh(t);
  const lines = [
    { role: "user", content: "猫的名字叫小黑" },
    { role: "user", content: 3 },
    { role: "assistant", content: "知道了" },
  ];
  const source = Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
  const report = await client.import(source);
  assert.equal(report.created, 2);
  assert.deepEqual(report.skipped.map(({ line, bad }) => [line, bad]), [[2, true]]);
  await assert.rejects(client.import(join(scratch(t), "none")), {
    code: "source_missing", exitCode: 66,
  });
  await assert.rejects(client.import(Buffer.from("{}}")), { exitCode: 65 });
});

test("a file named - is a file", async (t) => {
  const folder = scratch(t);
  writeFileSync(join(folder, "-"), `${JSON.stringify({ role: "user", content: "茶" })}\n`);
  const client = fresh(t, { cwd: folder });
  assert.equal((await client.import("-")).read, 1);
});

test("users, projects and agents are walls, and what is shared is shared", async (t) => {
  const client = fresh(t, { project: "atlas", agent: "lead" });
  await client.remember("secret plan of the lead 计划");
  await client.remember("shared plan 计划", { shared: true });
  const texts = async (options) => (await client.list(options)).map(({ text }) => text).sort();
  assert.deepEqual(await texts({}), ["secret plan of the lead 计划", "shared plan 计划"]);
  assert.deepEqual(await texts({ shared: true }), ["shared plan 计划"]);
  assert.deepEqual(await texts({ user: "ben" }), []);
  assert.deepEqual(await texts({ agent: "helper" }), ["shared plan 计划"]);
  assert.equal((await texts({ agent: ["helper", "lead"] })).length, 2);
  await assert.rejects(client.list({ shared: true, project: "atlas" }), { code: "usage" });
});

test("a refusal has the command's code and exit code", async (t) => {
  const client = fresh(t);
  const large = "猫".repeat(87_382); // 262,146 bytes
  await assert.rejects(client.remember(large), { code: "memory_too_large", exitCode: 65 });
  await assert.rejects(client.remember("x".repeat(20 * 1024 * 1024)), { exitCode: 65 });
  assert.equal((await client.remember("x".repeat(262_144))).text.length, 262_144);
  await assert.rejects(client.remember(" \u3000\n"), { code: "blank_text", exitCode: 65 });
  await assert.rejects(client.remember("x", { kind: "idea" }), {
    code: "invalid_input", exitCode: 2,
  });
  await assert.rejects(client.remember("x", { at: "tomorrow" }), { code: "invalid_time" });
  await assert.rejects(client.recall("q", { budget: -1 }), { code: "invalid_budget" });
  await assert.rejects(client.recall("q", { limit: 1.5 }), { code: "invalid_input" });
  await assert.rejects(client.show(NOBODY), { code: "not_found", exitCode: 1 });
  await assert.rejects(client.show(""), { code: "usage", exitCode: 2 });
});

test("where there is no store nothing is found, nothing is made, and a note says so", async (t) => {
  const notes = [];
  const client = fresh(t, { onNote: (note) => notes.push(note) });
  assert.deepEqual((await client.recall("anything 什么")).hits, []);
  assert.deepEqual(await client.list(), []);
  assert.equal(notes.length, 2);
  assert.match(notes[0], /no store at .*yet/);
});

test("a question as long as a document finds what stands at its end", async (t) => {
  const client = fresh(t);
  const { id } = await client.remember("The zanzibar gateway listens on port 7443");
  const answer = await client.recall(`${"道可道 x ".repeat(50_000)} zanzibar gateway port?`);
  assert.ok(answer.degraded.includes("query_shortened"));
  assert.equal(answer.hits[0].id, id);
});

test("fifty texts remembered at once into a fresh store are fifty memories", async (t) => {
  const client = fresh(t);
  const stored = await Promise.all(
    Array.from({ length: 50 }, (_, n) => client.remember(`memory number ${n} 第 ${n} 条`)),
  );
  assert.equal(new Set(stored.map(({ id }) => id)).size, 50);
  assert.ok(stored.every(({ outcome }) => outcome === "created"));
  assert.equal((await client.stats()).current, 50);
  assert.equal((await client.list({ limit: 100 })).length, 50);
});

test("the functions of the module use the store that the environment names", async (t) => {
  setEnvironment(t, { MEMSTONE_HOME: join(scratch(t), "store") });
  const { id } = await memstone.remember("茶 ≠ coffee", { shared: true });
  assert.equal((await memstone.recall("coffee", { shared: true })).hits[0].id, id);
  const text = await memstone.export();
  const report = await memstone.import(Buffer.from(text));
  assert.equal(report.known, 1);
  const gone = await memstone.forget(id, { shared: true });
  assert.deepEqual([gone.forgotten, gone.missing], [[id], []]);
});
