// What a user's type checker must accept and refuse. Checked by hand (see the README), never run.

import * as memstone from "memstone";
import { Memstone, MemstoneError, type Memory, type RecallResult } from "memstone";
import { export as exportMemories, import as importFile } from "memstone";
import * as cavemem from "memstone/cavemem";

const memory = new Memstone({
  bin: ["python", "-m", "memstone"],
  agent: ["lead", "helper"],
  env: { ...process.env, LANG: undefined },
  signal: AbortSignal.timeout(1000),
  onNote: (note: string) => console.log(note),
});

export async function stored(): Promise<Memory> {
  const one = await memory.remember("猫", { kind: "task", tags: ["a"], at: new Date(), pinned: true });
  const outcome: "created" | "known" | "returned" | "revived" = one.outcome;
  const until: string | undefined = one.valid_until;
  console.log(outcome, until);
  return memory.supersede(one.id, "狗", { tags: new Set(["b"]), trust: "tool" });
}

export async function asked(): Promise<RecallResult> {
  const answer = await memory.recall("q", { budget: 0, minScore: 0.1, asOf: "2026-08-13" });
  const handle: string | undefined = answer.hits[0]?.handle;
  if (handle !== undefined) {
    const bytes: Uint8Array = await memory.recoverBytes(handle);
    const text: string = await memory.recover(handle);
    console.log(bytes.length, text.length);
  }
  const place: number | undefined = (await memory.why("mem_1", "q")).stages.rank?.place;
  const budget: number | null = answer.budget;
  console.log(place, budget);
  // @ts-expect-error the memory of a hit has no text of its own
  console.log(answer.hits[0]?.memory.text);
  return answer;
}

export async function brief(): Promise<void> {
  const { outcome, held }: memstone.BriefRemembered = await memory.remember("猫", { brief: true });
  const answer = await memory.recall("q", { limit: 3, brief: true });
  const trust: memstone.Trust | undefined = answer.hits[0]?.trust;
  const one: memstone.BriefMemory | undefined = (await memory.list({ brief: true }))[0];
  const next: string | undefined = (await memory.history("mem_1", { brief: true }))[0]?.superseded_by;
  const tags: string[] | undefined = (await memory.tag("mem_1", "a", { brief: true })).tags;
  const whole: Memory = await memory.pin("mem_1", { brief: false });
  console.log(outcome, held, trust, one?.text, next, tags, whole.text);
  // @ts-expect-error no scores in a brief answer
  console.log(answer.hits[0]?.score);
  // @ts-expect-error no text in a brief answer to a change
  console.log((await memory.supersede("mem_1", "狗", { brief: true })).text);
  // @ts-expect-error a verb that is never brief
  await memory.show("mem_1", { brief: true });
}

export async function overloads(): Promise<void> {
  const gone: string[] = (await memory.forget("mem_1")).forgotten;
  const planned: string[] = (await memory.forget(["mem_1"], { dryRun: true })).would_forget;
  const text: string = await memory.export({ asOf: new Date() });
  const written: number = (await exportMemories({ output: "a.jsonl", user: "ana" })).exported;
  const verdicts: memstone.Feedback[] = await memstone.feedback();
  const file: string = (await memory.feedback({ output: "v.jsonl" })).path;
  const origin: string | undefined = (await memory.config({ origin: true }))["user"]?.origin;
  const report = await importFile(new TextEncoder().encode(text), { dryRun: true });
  const bad: boolean | undefined = report.skipped[0]?.bad;
  await importFile(new URL("file:///chat.json"), { format: "chat" });
  await memory.undo(42, { dryRun: true });
  await memory.undo(null, { session: "s1" });
  await memory.expire("mem_1", null);
  const off: "paused" | "incognito" | null = (await memory.status()).off;
  const reasons: string[] | undefined = (await memory.review())[0]?.reasons;
  const approved: Memory[] = (await memory.approve("mem_1")).approved;
  const tokens: number | undefined = (await memory.status()).sessions[0]?.injected.tokens;
  const paused: boolean = (await memory.pause()).paused;
  console.log(reasons, approved, tokens, paused);
  console.log(gone, planned, written, verdicts, file, origin, bad, off);
}

export function failed(error: unknown): string {
  if (error instanceof MemstoneError) {
    const code: string = error.code;
    const exitCode: number | null = error.exitCode;
    return error.code === "not_found" ? "gone" : `${code} ${exitCode}`;
  }
  return "";
}

export async function refused(): Promise<void> {
  // @ts-expect-error a misspelt option
  await memory.recall("q", { limt: 3 });
  // @ts-expect-error a number is no text
  await memory.recall("q", { limit: "3" });
  // @ts-expect-error an unknown kind
  await memory.remember("x", { kind: "idea" });
  // @ts-expect-error bytes are no text
  await memory.remember(new Uint8Array());
  // @ts-expect-error one agent writes
  await memory.remember("x", { agent: ["a", "b"] });
  // @ts-expect-error counted for a user, not for a project
  await memory.stats({ project: "a" });
  // @ts-expect-error what shall be undone?
  await memory.undo();
  // @ts-expect-error an unknown option of the client
  new Memstone({ binary: "memstone" });
}

export async function seed(): Promise<void> {
  const { id } = await cavemem.remember("x");
  const { hits } = await cavemem.recall("x", undefined, 0);
  const { history } = await cavemem.history(id);
  const handle: string | undefined = hits[0]?.recovery_handle;
  const limit: 65 = cavemem.MEMORY_TOO_LARGE_EXIT_CODE;
  const { forgotten }: { forgotten: boolean } = await cavemem.forget(id);
  console.log(history[0]?.superseded_by, handle, limit, forgotten, (await cavemem.supersede(id, "y")).id);
}
