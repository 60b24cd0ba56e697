// The seed's client against our `cavemem`: CAVEMEM_BIN, else on PATH. Without it these fail.

import assert from "node:assert/strict";
import { join } from "node:path";
import test from "node:test";

import * as cavemem from "memstone/cavemem";

import { MIXED, scratch, setEnvironment } from "../helpers/kit.js";

function freshHome(t) {
  setEnvironment(t, { CAVEMAN_HOME: join(scratch(t), "home") });
}

test("a fact is remembered, recalled, superseded and forgotten", async (t) => {
  freshHome(t);
  const text = "the deploy key lives in vault under ops/deploy";
  const first = await cavemem.remember(text);
  assert.equal(first.id, "mem_a66a8a47cc0663ca");
  assert.equal(first.basis, "inferred");
  assert.deepEqual(await cavemem.remember(text), first);
  const { hits } = await cavemem.recall("where is the deploy key");
  assert.equal(hits.length, 1);
  assert.equal(hits[0].text, text);
  assert.ok(Math.abs(hits[0].score - 0.698656) < 1e-6);
  assert.deepEqual((await cavemem.recall("咖啡")).hits, []);
  const second = await cavemem.supersede(first.id, "the deploy key lives in ops 密钥");
  assert.equal(second.supersedes, first.id);
  const { history } = await cavemem.history(second.id);
  assert.deepEqual(history.map(({ id }) => id), [first.id, second.id]);
  assert.equal(history[0].superseded_by, second.id);
  assert.deepEqual(await cavemem.forget(second.id), { forgotten: true });
  assert.deepEqual(await cavemem.forget(second.id), { forgotten: false });
  assert.equal((await cavemem.history(first.id)).history.length, 1);
});

test("a text goes in and comes out unchanged", async (t) => {
  freshHome(t);
  const text = `needle <b>&</b> ${MIXED}`;
  const { id } = await cavemem.remember(text);
  assert.equal((await cavemem.history(id)).history[0].text, text);
});

test("a budget without a limit means five hits within it, and zero means no budget", async (t) => {
  freshHome(t);
  for (let n = 0; n < 7; n += 1) {
    await cavemem.remember(`kubernetes ingress note ${n} covers nginx routing rule alpha${n} 规则`);
  }
  await cavemem.remember("quarterly finance report 财务");
  const count = async (...options) =>
    (await cavemem.recall("kubernetes ingress routing", ...options)).hits.length;
  assert.equal(await count(), 5);
  assert.equal(await count(7), 7);
  assert.equal(await count(undefined, 0), 5);
  const { hits } = await cavemem.recall("kubernetes ingress routing", 7, 50);
  assert.ok(hits.length >= 1 && hits.length < 7);
  assert.ok(hits.reduce((sum, hit) => sum + hit.tokens_added, 0) <= 50);
});

test("refusals carry the exit code of the command", async (t) => {
  freshHome(t);
  await assert.rejects(cavemem.remember("x".repeat(262_145)), {
    code: cavemem.MEMORY_TOO_LARGE_EXIT_CODE, stderr: /cave_memory_too_large/,
  });
  await assert.rejects(cavemem.remember("x".repeat(8 * 1024 * 1024)), { code: 65 });
  await assert.rejects(cavemem.remember(" \u3000 "), { code: 1 });
  await assert.rejects(cavemem.history("mem_absent"), { code: 1 });
  await assert.rejects(cavemem.recall("q", -1), { code: 1 });
});

test("fifty texts remembered at once into a fresh store are fifty memories", async (t) => {
  freshHome(t);
  const stored = await Promise.all(
    Array.from({ length: 50 }, (_, n) => cavemem.remember(`zebra number ${n} 第 ${n} 匹`)),
  );
  assert.equal(new Set(stored.map(({ id }) => id)).size, 50);
  const found = await Promise.all(stored.map(({ id }) => cavemem.history(id)));
  assert.ok(found.every(({ history }) => history.length === 1));
});
