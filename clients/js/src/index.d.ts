/** What a memory is. */
export type Kind = "turn" | "card" | "fact" | "preference" | "decision" | "task" | "persona";
/** Where a text came from, most trusted first. */
export type Trust = "user" | "agent" | "tool" | "external";
/** A date or a time: `2026-08-13`, `2026-08-13T09:30+02:00` (UTC if no zone is given), or a Date. */
export type When = string | Date;
/** A time as answers spell it: UTC, ISO 8601, six decimals. */
export type Timestamp = string;

// ---------------------------------------------------------------- errors

/** Codes of the command. */
export type CommandCode =
  | "ambiguous_id" | "blank_text" | "cannot_create" | "client_file_refused" | "config_error"
  | "conflict" | "error" | "internal" | "invalid_budget" | "invalid_filter" | "invalid_handle"
  | "invalid_input" | "invalid_scope" | "invalid_text" | "invalid_time" | "lineage_broken"
  | "memory_file_refused" | "memory_too_large" | "not_archived" | "not_current" | "not_found"
  | "not_held" | "older_version" | "output_failed" | "paused" | "secret_found"
  | "source_malformed" | "source_missing" | "store_busy" | "store_closed" | "store_damaged"
  | "store_error" | "store_full" | "store_missing" | "store_newer" | "store_older"
  | "store_unsafe" | "summarizer_error" | "summarizer_unavailable" | "summary_invalid"
  | "token_cap_reached" | "text_held" | "text_is_current" | "text_is_history"
  | "text_not_unicode" | "text_unchanged" | "undo_blocked" | "usage" | "wrong_type";

/** Codes of what goes wrong between this client and the command. */
export type ClientCode =
  | "ENOENT" | "EACCES" | "E2BIG" | "aborted" | "timeout" | "output_too_large" | "bad_answer"
  | "command_failed";

/** Every code known today; a newer command, or the system, may have others. */
export type ErrorCode = CommandCode | ClientCode | (string & {});

export declare const COMMAND_CODES: readonly CommandCode[];
export declare const CLIENT_CODES: readonly ClientCode[];

/** Exit code of the command for a text over 262,144 bytes (and for other malformed input). */
export declare const MEMORY_TOO_LARGE_EXIT_CODE: 65;
/** Bytes that an answer may have: 32 MiB. */
export declare const MAX_OUTPUT_BYTES: 33554432;

/** What every call rejects with. */
export declare class MemstoneError extends Error {
  constructor(
    code: ErrorCode,
    message: string,
    more?: {
      exitCode?: number | null;
      hint?: string | null;
      fields?: Record<string, unknown>;
      cause?: unknown;
    },
  );
  /** "AbortError" if a signal ended the call. */
  readonly name: "MemstoneError" | "AbortError";
  /** Stable name of what went wrong; messages may change, codes do not. */
  readonly code: ErrorCode;
  /** Exit code of the command; null if it gave none. */
  readonly exitCode: number | null;
  /** The way out, for a person. */
  readonly hint: string | null;
  /** The values that the message speaks of. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

// ---------------------------------------------------------------- answers

export interface Scope {
  user: string;
  project: string;
  agent: string;
}

export interface Provenance {
  source: string;
  method: "verbatim" | "card" | "merge";
  producer?: string;
  trust: Trust;
  derived_from: { source: string; start: number; end: number }[];
}

export interface Memory {
  id: string;
  text: string;
  kind: Kind;
  scope: Scope;
  tags: string[];
  role?: string;
  session?: string;
  speaker?: string;
  subject?: string;
  attribute?: string;
  external_id?: string;
  created_at: Timestamp;
  valid_from: Timestamp;
  valid_until?: Timestamp;
  expires?: Timestamp;
  superseded_at?: Timestamp;
  superseded_from?: Timestamp;
  supersedes?: string;
  superseded_by?: string;
  pinned: boolean;
  held: boolean;
  archived: boolean;
  seen_count: number;
  last_seen_at?: Timestamp;
  recall_count: number;
  last_recalled_at?: Timestamp;
  provenance: Provenance;
  turn_key?: string;
  text_sha256: string;
}

export interface Remembered extends Memory {
  outcome: "created" | "known" | "returned" | "revived";
  /** Names of what differs in the call and was left as it was stored. */
  unchanged: string[];
  /** What was blanked out before it was stored; never the value itself. */
  redactions: { kind: string; count: number }[];
  /** Ids of memories that it made earlier versions. */
  replaced: string[];
  /** Ids of memories that it may contradict. */
  conflicts: string[];
  /** Where one replaced the other: the number of that change, which `undo` takes back. */
  change?: number;
}

export interface Signals {
  bm25: number;
  coverage: number;
  evidence: number;
  context: number;
  session: number;
  speaker: number;
  source: number;
  importance: number;
  freshness: number;
  asking: number;
}

export interface Hit {
  id: string;
  /** The text, or a part of it within the budget: then there is a `handle`. */
  text: string;
  score: number;
  signals: Signals;
  tokens: number;
  full_tokens: number;
  /** Gives the exact text back, through `recover`; only on a shortened hit. */
  handle?: string;
  /** Ids of current memories that it may contradict. */
  conflicts?: string[];
  memory: Omit<Memory, "text">;
}

export interface RecallResult {
  query: string;
  hits: Hit[];
  tokens: number;
  /** null: no limit. */
  budget: number | null;
  basis: "estimated" | "measured";
  /** Ids of what was relevant and did not fit the budget. */
  omitted: string[];
  /** What the answer had to do without, such as `query_shortened`. */
  degraded: string[];
  signals: (keyof Signals)[];
}

/** A memory as MCP answers it: what a model needs, without what would say "no" or "none". */
export interface BriefMemory extends BriefChange {
  text: string;
  role?: string;
  session?: string;
  speaker?: string;
  subject?: string;
  attribute?: string;
  source: string;
  trust: Trust;
}

/** What a memory is like after a change, without its text. */
export interface BriefChange {
  id: string;
  kind: Kind;
  valid_from: Timestamp;
  valid_until?: Timestamp;
  expires?: Timestamp;
  tags?: string[];
  pinned?: true;
  held?: true;
  archived?: true;
  supersedes?: string;
  superseded_by?: string;
  superseded_at?: Timestamp;
}

export interface BriefRemembered extends BriefChange {
  outcome: Remembered["outcome"];
  unchanged?: string[];
  redactions?: Remembered["redactions"];
}

export interface BriefHit
  extends Pick<
    BriefMemory,
    | "id" | "text" | "kind" | "valid_from" | "valid_until" | "expires" | "speaker" | "source"
    | "trust" | "tags"
  > {
  /** Gives the exact text back, through `recover`; only on a shortened hit. */
  handle?: string;
}

export interface BriefRecallResult extends Omit<RecallResult, "query" | "hits" | "signals"> {
  hits: BriefHit[];
}

export type Stage = "visible" | "filter" | "terms" | "floor" | "rank" | "budget";
export type Obstacle =
  | "held" | "archived" | "expired" | "superseded" | "not_yet_valid" | "no_longer_valid"
  | "not_yet_known" | "not_indexed";
export type Condition = "kinds" | "tags" | "any_tags" | "session" | "since" | "until";

/** Why a memory was or was not recalled; a stage that was not reached is null. */
export interface Explanation {
  verdict: string;
  recalled: boolean;
  decided_by: Stage;
  query: string;
  id: string;
  stages: {
    visible: { passed: boolean; scope: Scope; obstacles: Obstacle[] };
    filter: { passed: boolean; rejected_by: Condition[] } | null;
    terms: {
      passed: boolean;
      own: string[];
      lent: string[];
      elsewhere: string[];
      missing: string[];
      ignored: string[];
    } | null;
    floor: {
      passed: boolean;
      coverage: number;
      evidence: number;
      min_score: number;
    } | null;
    rank: {
      passed: boolean;
      place: number;
      of: number;
      limit: number;
      score: number;
      last_score: number | null;
      weighed: boolean;
    } | null;
    budget: {
      passed: boolean;
      fate: "included" | "shortened" | "omitted";
      tokens: number;
      full_tokens: number;
      used: number;
      budget: number | null;
    } | null;
  };
  signals: Signals | null;
  memory: Memory;
}

export interface Feedback {
  query: string;
  id: string;
  external_id: string | null;
  verdict: "right" | "wrong";
  at: Timestamp;
  user: string;
  project: string;
  agent: string;
}

export interface ForgetResult {
  forgotten: string[];
  count: number;
  /** Ids that were not there; the others went. */
  missing: string[];
  /** What went along because it was made of what was forgotten. */
  derived: string[];
  derived_count: number;
}

export interface ForgetPlan {
  dry_run: true;
  would_forget: string[];
  missing: string[];
  derived: string[];
  derived_count: number;
  count: number;
  /** Of a selection, how many are in which state. */
  states: Partial<Record<"current" | "superseded" | "held" | "archived", number>>;
  /** The first memories that a selection takes. */
  shown: BriefMemory[];
}

/** Which memories to forget: all conditions given must hold, and there must be one. */
export interface Selection {
  words?: string | null;
  tags?: string | Iterable<string> | null;
  anyTags?: string | Iterable<string> | null;
  kinds?: Kind | Iterable<Kind> | null;
  session?: string | null;
  source?: string | null;
  since?: When | null;
  until?: When | null;
}

export interface ForgetWhereOptions extends ScopeOptions {
  dryRun?: false | null;
  /** False refuses a selection that takes more than one memory; true unless said otherwise. */
  yes?: boolean | null;
}

/** Two memories that may contradict one another. */
export interface PossibleConflict {
  conflict: number;
  reason: string;
  older: Memory;
  newer: Memory;
  found_at: Timestamp;
  resolution: "kept-older" | "kept-newer" | "both" | null;
  resolved_at: Timestamp | null;
}

export interface Statistics {
  current: number;
  superseded: number;
  expired: number;
  held: number;
  archived: number;
  forgotten: number;
  by_kind: Partial<Record<Kind, number>>;
  units: number;
  terms: number;
  file_bytes: number;
  /** Texts of turns that are not archived. */
  turn_bytes: number;
  /** 0: no limit. */
  turn_quota_bytes: number;
  /** Read and written by models today (UTC). */
  summarizer_tokens: number;
  summarizer_calls: number;
}

export interface Change {
  number: number;
  at: Timestamp;
  surface: string;
  actor: string;
  operation: string;
  reason: string;
  rows: {
    row: number;
    id: string | null;
    field: string;
    before: string | null;
    after: string | null;
  }[];
}

export interface ImportReport {
  source: string;
  format: string;
  dry_run: boolean;
  read: number;
  created: number;
  known: number;
  redacted: number;
  sessions: number;
  cards: number;
  statements: number;
  replaced: number;
  merged: number;
  conflicts: number;
  /** What was left out: `bad` is malformed, the rest was left out on purpose. */
  skipped: { line: number; reason: string; bad: boolean }[];
}

/** A file that was written. */
export interface Exported {
  exported: number;
  path: string;
}

export interface UndoResult {
  /** Number of the new change; null if nothing was to be done. */
  change: number | null;
  /** Ids of what had been remembered, now out of recall; `restore` brings it back. */
  archived: string[];
  /** Ids of what is current again. */
  reopened: string[];
  /** Ids of what was taken out of the archive. */
  restored: string[];
  /** Ids of what has its tags, pin, expiry or hold as before. */
  edited: string[];
  /** What stands against it; not empty only in a dry run, for else the call rejects. */
  blocked: string[];
  dry_run: boolean;
}

export interface HeldMemory extends Memory {
  /** Names of what makes it read like an instruction. */
  reasons: string[];
}

export interface Approved {
  /** What is recalled from now on. */
  approved: Memory[];
}

/** The session block: a text for a prompt, and the ids in it in its order. */
export interface Block {
  text: string;
  shown: string[];
  omitted: string[];
}

export interface Pending {
  transcripts: number;
  unindexed: number;
  /** That are over and have no cards yet. */
  conversations: number;
  /** Memories not yet compared with the others. */
  unsettled: number;
}

export interface SessionUse {
  client: string;
  session: string;
  project: string;
  first_at: Timestamp;
  last_at: Timestamp;
  ended_at: Timestamp | null;
  injected: {
    blocks: number;
    /** Repeats counted. */
    memories: number;
    tokens: number;
    basis: "estimated";
  };
  captured: { stored: number; known: number; skipped: number; redacted: number };
}

/** A session by the memories that name it, without archived ones. */
export interface StoredSession {
  session: string;
  memories: number;
  first_at: Timestamp;
  last_at: Timestamp;
}

export interface Status {
  path: string;
  /** Why hooks and MCP tools are off here. */
  off: "paused" | "incognito" | null;
  statistics: Statistics;
  pending: Pending;
  /** Sessions of clients, as their hooks report them. */
  sessions: SessionUse[];
  /** Those that memories name, imported ones too: what `undo` can take back. */
  stored: StoredSession[];
}

export interface WorkReport {
  /** false: another worker was at it. */
  ran: boolean;
  transcripts: number;
  turns: number;
  indexed: number;
  conversations: number;
  cards: number;
  statements: number;
  settled: number;
  replaced: string[];
  merged: string[];
  conflicts: string[];
  skipped: ImportReport["skipped"];
  left: Pending;
}

/** What is switched off now. */
export interface Switched {
  paused: boolean;
  /** The projects that are switched off by themselves. */
  incognito: string[];
}

export interface Initialized {
  config: string;
  written: boolean;
}

export type Setting = string | number | boolean | null | Setting[] | { [key: string]: Setting };
export type Settings = Record<string, Setting>;
export type SettingsWithOrigin = Record<string, { value: Setting; origin: string }>;

// ---------------------------------------------------------------- options

/** What every call takes besides its own options. */
export interface CallOptions {
  /** Ends the call (and its command) when it aborts. */
  signal?: AbortSignal | null;
  /** Milliseconds that the command may run; 0 is no limit. */
  timeout?: number | null;
}

export interface UserOptions extends CallOptions {
  /** Whose memories. */
  user?: string | null;
}

/** Where a memory belongs, for a verb that writes or names one. */
export interface ScopeOptions extends UserOptions {
  /** Default: the root of the repository that the process stands in. */
  project?: string | null;
  agent?: string | null;
  /** No project and no agent: shared by all of them, whatever the client says. */
  shared?: boolean | null;
}

/** What may be seen, for a verb that reads. */
export interface ReadingScopeOptions extends Omit<ScopeOptions, "agent"> {
  /** The caller, and further agents to read. */
  agent?: string | readonly string[] | null;
}

/** Answer with only what a model needs. */
export interface Brief {
  brief: true;
}

/** Answer with everything. */
export interface Whole {
  brief?: false | null;
}

/** What can be said about a text. */
export interface Details extends ScopeOptions {
  tags?: string | Iterable<string> | null;
  kind?: Kind | null;
  session?: string | null;
  speaker?: string | null;
  subject?: string | null;
  attribute?: string | null;
  /** When it became true. */
  at?: When | null;
  /** When it ceases to be true. */
  validUntil?: When | null;
  /** When recall shall stop showing it. */
  expires?: When | null;
  trust?: Trust | null;
  pinned?: boolean | null;
  role?: string | null;
  externalId?: string | null;
}

export interface Filters extends ReadingScopeOptions {
  /** Only with all of these. */
  tags?: string | Iterable<string> | null;
  /** Only with one of these. */
  anyTags?: string | Iterable<string> | null;
  kinds?: Kind | Iterable<Kind> | null;
  session?: string | null;
  since?: When | null;
  until?: When | null;
  /** What was true then. */
  asOf?: When | null;
  /** What was known then. */
  knownAt?: When | null;
}

export interface QuestionOptions extends Filters {
  /** At most so many memories; 5 unless said otherwise. */
  limit?: number | null;
  /** Estimated tokens to fill at most, 2000 unless said otherwise; 0 is no limit. */
  budget?: number | null;
  /** Evidence asked for, 0 to 1; 0 is no floor. */
  minScore?: number | null;
  /** Nothing from this session. */
  notSession?: string | null;
}

export interface RecallOptions extends QuestionOptions {
  explain?: boolean | null;
  /** Do not count this as use. */
  noTouch?: boolean | null;
  /** Leave out turns that only ask. */
  skipQuestions?: boolean | null;
}

export interface ListOptions extends Filters {
  limit?: number | null;
  /** With versions that were superseded. */
  history?: boolean | null;
  /** Only what was archived; `restore` brings it back. */
  archived?: boolean | null;
  /** Only what is pinned. */
  pinned?: boolean | null;
  /** Only what is held back; see `review` and `approve`. */
  held?: boolean | null;
}

export interface HistoryOptions extends ScopeOptions {
  /** Only what was valid then. */
  asOf?: When | null;
  /** Only what was known then. */
  knownAt?: When | null;
}

export interface LogOptions extends ScopeOptions {
  limit?: number | null;
  /** Only changes of this memory. */
  id?: string | null;
}

export interface ImportOptions extends ScopeOptions {
  format?: "chat" | "messages" | "locomo" | "memstone" | (string & {}) | null;
  /** Only this dialogue, or user, of a file of several. */
  sample?: string | null;
  /** Leaves the cards of conversations to `work`. */
  noCards?: boolean | null;
  dryRun?: boolean | null;
}

export interface UndoOptions extends ReadingScopeOptions {
  /** Everything that this session stored, instead of one change. */
  session?: string | null;
  dryRun?: boolean | null;
}

export interface ReviewOptions extends ReadingScopeOptions {
  limit?: number | null;
}

export interface BlockOptions extends ReadingScopeOptions {
  /** Personas of this role too. */
  role?: string | null;
}

export interface StatusOptions extends ScopeOptions {
  /** How many sessions at most (default: 10). */
  sessions?: number | null;
}

export interface WorkOptions extends ScopeOptions {
  /** Stop after so many seconds; the rest stays pending. */
  maxSeconds?: number | null;
}

export interface IncognitoOptions extends CallOptions {
  project?: string | null;
}

export interface InitOptions extends CallOptions {
  /** Where; else the folder of the store. */
  dir?: string | null;
}

export interface ConfigOptions extends CallOptions {
  /** With where each value comes from. */
  origin?: boolean | null;
}

export interface OutputOptions extends UserOptions {
  /** A file to write, replaced in one step. */
  output?: string | null;
}

export interface ExportOptions extends OutputOptions {
  /** Only what was valid then, each memory as it stood. */
  asOf?: When | null;
  /** Only what was known then, each memory as it stood. */
  knownAt?: When | null;
}

export interface MemstoneOptions {
  /** The command: a path, or an interpreter and its words. Else MEMSTONE_BIN, else `memstone`. */
  bin?: string | readonly string[] | null;
  /** Folder of the store. Else MEMSTONE_HOME, else the platform's data folder. */
  home?: string | null;
  user?: string | null;
  project?: string | null;
  agent?: string | readonly string[] | null;
  shared?: boolean | null;
  /** Added to the environment of this process; undefined takes a variable away. */
  env?: Readonly<Record<string, string | undefined>> | null;
  /** Folder to stand in, which decides the default project. */
  cwd?: string | undefined;
  /** Milliseconds that each command may run. */
  timeout?: number | null;
  /** Ends every call of this client. */
  signal?: AbortSignal | null;
  /** Told what the command has to say besides its answer, such as that there is no store yet. */
  onNote?: ((note: string) => void) | null;
}

// ---------------------------------------------------------------- verbs

/** A client of one store and scope; it holds no process and no file, and needs no closing. */
/** Exactly one of the two: the memory that stands, or both of them. */
export interface ResolveOptions extends ScopeOptions {
  keep?: string;
  both?: boolean;
}

export declare class Memstone {
  constructor(options?: MemstoneOptions);

  /** Stores a text. The same text again is not stored twice: `outcome` says that it is known. */
  remember(text: string, options: Details & Brief): Promise<BriefRemembered>;
  remember(text: string, options?: Details & Whole): Promise<Remembered>;
  /** Replaces a memory by a newer version; the older one stays as history. */
  supersede(id: string, text: string, options: Details & Brief): Promise<BriefChange>;
  supersede(id: string, text: string, options?: Details & Whole): Promise<Memory>;
  /** Removes memories for good; what was not there is in `missing`. */
  forget(
    ids: string | Iterable<string>,
    options: ScopeOptions & { dryRun: true },
  ): Promise<ForgetPlan>;
  forget(
    ids: string | Iterable<string>,
    options?: ScopeOptions & { dryRun?: false | null },
  ): Promise<ForgetResult>;
  /** Removes all that a selection takes, for good. */
  forgetWhere(selection: Selection, options: ScopeOptions & { dryRun: true }): Promise<ForgetPlan>;
  forgetWhere(
    selection: Selection,
    options?: ForgetWhereOptions,
  ): Promise<ForgetResult>;
  /** Reads a conversation or an export: a file by its name, or the content itself as bytes. */
  import(source: string | URL | Uint8Array, options?: ImportOptions): Promise<ImportReport>;

  /** Finds what matters for a question, inside a token budget. */
  recall(query: string, options: RecallOptions & Brief): Promise<BriefRecallResult>;
  recall(query: string, options?: RecallOptions & Whole): Promise<RecallResult>;
  /** Tells why a memory was or was not recalled for a question. */
  why(id: string, query: string, options?: QuestionOptions): Promise<Explanation>;
  /** Records that a memory does not belong into the answer to a question. */
  wrong(id: string, query: string, options?: ScopeOptions): Promise<Feedback>;
  /** Records that it does. */
  right(id: string, query: string, options?: ScopeOptions): Promise<Feedback>;
  /** Every verdict of a user. */
  feedback(options: OutputOptions & { output: string }): Promise<Exported>;
  feedback(options?: OutputOptions & { output?: null }): Promise<Feedback[]>;

  /** All versions of a memory, oldest first. */
  history(id: string, options: HistoryOptions & Brief): Promise<BriefMemory[]>;
  history(id: string, options?: HistoryOptions & Whole): Promise<Memory[]>;
  /** Memories, newest first. */
  list(options: ListOptions & Brief): Promise<BriefMemory[]>;
  list(options?: ListOptions & Whole): Promise<Memory[]>;
  /** One memory with everything known about it. */
  show(id: string, options?: ScopeOptions): Promise<Memory>;
  /** The same as `show`. */
  get(id: string, options?: ScopeOptions): Promise<Memory>;
  stats(options?: UserOptions): Promise<Statistics>;
  /** What was changed, newest first. */
  log(options?: LogOptions): Promise<Change[]>;
  /** The exact text behind the handle of a shortened hit. */
  recover(handle: string, options?: ScopeOptions): Promise<string>;
  /** The same as its bytes in UTF-8, which hash to the handle. */
  recoverBytes(handle: string, options?: ScopeOptions): Promise<Uint8Array>;
  /** Every memory of a user as the text of an export file, or written to `output`. */
  export(options: ExportOptions & { output: string }): Promise<Exported>;
  export(options?: ExportOptions & { output?: null }): Promise<string>;

  tag(
    id: string,
    tags: string | Iterable<string>,
    options: ScopeOptions & Brief,
  ): Promise<BriefChange>;
  tag(id: string, tags: string | Iterable<string>, options?: ScopeOptions & Whole): Promise<Memory>;
  untag(
    id: string,
    tags: string | Iterable<string>,
    options: ScopeOptions & Brief,
  ): Promise<BriefChange>;
  untag(id: string, tags: string | Iterable<string>, options?: ScopeOptions & Whole): Promise<Memory>;
  pin(id: string, options: ScopeOptions & Brief): Promise<BriefChange>;
  pin(id: string, options?: ScopeOptions & Whole): Promise<Memory>;
  unpin(id: string, options: ScopeOptions & Brief): Promise<BriefChange>;
  unpin(id: string, options?: ScopeOptions & Whole): Promise<Memory>;
  /** When recall shall stop showing a memory; null: never. */
  expire(id: string, when: When | null, options: ScopeOptions & Brief): Promise<BriefChange>;
  expire(id: string, when: When | null, options?: ScopeOptions & Whole): Promise<Memory>;

  /** Takes back a change (the number in `log`), or with null everything that a session stored. */
  undo(change: number, options?: UndoOptions & { session?: null }): Promise<UndoResult>;
  undo(change: null, options: UndoOptions & { session: string }): Promise<UndoResult>;
  /** Brings an archived memory back. */
  restore(id: string, options?: ScopeOptions): Promise<Memory>;
  /** What is held back because it reads like an instruction, and why. */
  review(options?: ReviewOptions): Promise<HeldMemory[]>;
  /** Lets memories that were held back be recalled. */
  approve(ids: string | Iterable<string>, options?: ScopeOptions): Promise<Approved>;
  /** Pairs of memories that may contradict one another. */
  conflicts(options?: ReviewOptions): Promise<PossibleConflict[]>;
  /** Settles such a pair: the id of the memory that stands, or both. */
  resolve(
    conflict: number,
    options: ResolveOptions,
  ): Promise<PossibleConflict>;
  /** The session block: personas, pinned preferences, open tasks. */
  block(options?: BlockOptions): Promise<Block>;

  /** What runs here: the store, sessions and their tokens, pending work. */
  status(options?: StatusOptions): Promise<Status>;
  /** Does what is pending. */
  work(options?: WorkOptions): Promise<WorkReport>;
  /** Switches hooks and MCP tools off until `resume`. */
  pause(options?: CallOptions): Promise<Switched>;
  resume(options?: CallOptions): Promise<Switched>;
  /** Switches hooks and MCP tools off, or on again, for one project only. */
  incognito(on: boolean, options?: IncognitoOptions): Promise<Switched>;

  /** Writes a commented config.yaml; one that is there stays as it is. */
  init(options?: InitOptions): Promise<Initialized>;
  /** The settings in force. */
  config(options: ConfigOptions & { origin: true }): Promise<SettingsWithOrigin>;
  config(options?: ConfigOptions & { origin?: false | null }): Promise<Settings>;
}

// ---------------------------------------------------------------- the same on a default client

export declare const approve: Memstone["approve"];
export declare const block: Memstone["block"];
export declare const config: Memstone["config"];
export declare const expire: Memstone["expire"];
export declare const feedback: Memstone["feedback"];
export declare const conflicts: Memstone["conflicts"];
export declare const forget: Memstone["forget"];
export declare const forgetWhere: Memstone["forgetWhere"];
export declare const resolve: Memstone["resolve"];
export declare const get: Memstone["get"];
export declare const history: Memstone["history"];
export declare const incognito: Memstone["incognito"];
export declare const init: Memstone["init"];
export declare const list: Memstone["list"];
export declare const log: Memstone["log"];
export declare const pause: Memstone["pause"];
export declare const pin: Memstone["pin"];
export declare const recall: Memstone["recall"];
export declare const recover: Memstone["recover"];
export declare const recoverBytes: Memstone["recoverBytes"];
export declare const remember: Memstone["remember"];
export declare const restore: Memstone["restore"];
export declare const resume: Memstone["resume"];
export declare const review: Memstone["review"];
export declare const right: Memstone["right"];
export declare const show: Memstone["show"];
export declare const stats: Memstone["stats"];
export declare const status: Memstone["status"];
export declare const supersede: Memstone["supersede"];
export declare const tag: Memstone["tag"];
export declare const undo: Memstone["undo"];
export declare const unpin: Memstone["unpin"];
export declare const untag: Memstone["untag"];
export declare const why: Memstone["why"];
export declare const work: Memstone["work"];
export declare const wrong: Memstone["wrong"];
declare const importSource: Memstone["import"];
declare const exportMemories: Memstone["export"];
export { exportMemories as export, importSource as import };
