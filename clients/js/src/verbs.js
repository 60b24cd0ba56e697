/**
 * The verbs of the command that a client can call, with their places and options.
 *
 * A mirror of the command's own table: a test reads both and fails if a verb, a place or an option
 * is missing on either side. Names of options are the command's in camel case, lists in the plural
 * as in the Python package (`tags` for `--tag`).
 *
 * An option is [flag, type]; `texts` may be given several times. `scope` says which of user,
 * project, agent and shared the verb takes: all with "one" agent or "many", only the "user", only the
 * "project", or "none".
 */

const TAGS = { tags: ["--tag", "texts"] };
const SESSION = { session: ["--session", "text"] };
const BRIEF = { brief: ["--brief", "flag"] };
const LIMIT = { limit: ["--limit", "number"] };
const DRY_RUN = { dryRun: ["--dry-run", "flag"] };
const OUTPUT = { output: ["--output", "text"] };
const QUERY = { query: ["--query", "text"] };
const POINT_IN_TIME = { asOf: ["--as-of", "time"], knownAt: ["--known-at", "time"] };

const DETAILS = {
  ...TAGS,
  kind: ["--kind", "text"],
  ...SESSION,
  speaker: ["--speaker", "text"],
  subject: ["--subject", "text"],
  attribute: ["--attribute", "text"],
  at: ["--at", "time"],
  validUntil: ["--valid-until", "time"],
  expires: ["--expires", "time"],
  trust: ["--trust", "text"],
  pinned: ["--pin", "flag"],
  role: ["--role", "text"],
  externalId: ["--external-id", "text"],
};
const SELECTION = {
  ...TAGS,
  anyTags: ["--any-tag", "texts"],
  kinds: ["--kind", "texts"],
  ...SESSION,
  since: ["--since", "time"],
  until: ["--until", "time"],
};
const FILTERS = { ...SELECTION, ...POINT_IN_TIME };
const ASKED = {
  ...LIMIT,
  budget: ["--budget", "number"],
  minScore: ["--min-score", "number"],
  notSession: ["--not-session", "text"],
  ...FILTERS,
};

function verb(places, options, scope) {
  return Object.freeze({ places: Object.freeze(places), options: Object.freeze(options), scope });
}

export const VERBS = Object.freeze({
  remember: verb(["text"], { ...DETAILS, ...BRIEF }, "one"),
  recall: verb(["query"], {
    ...ASKED,
    explain: ["--explain", "flag"],
    noTouch: ["--no-touch", "flag"],
    skipQuestions: ["--skip-questions", "flag"],
    ...BRIEF,
  }, "many"),
  why: verb(["id", "query"], ASKED, "many"),
  wrong: verb(["id"], QUERY, "one"),
  right: verb(["id"], QUERY, "one"),
  feedback: verb([], OUTPUT, "user"),
  supersede: verb(["id", "text"], { ...DETAILS, ...BRIEF }, "one"),
  history: verb(["id"], { ...POINT_IN_TIME, ...BRIEF }, "one"),
  forget: verb(["ids"], {
    words: ["--words", "text"],
    ...SELECTION,
    source: ["--source", "text"],
    ...DRY_RUN,
    yes: ["--yes", "flag"],
  }, "one"),
  recover: verb(["handle"], {}, "one"),
  list: verb([], {
    ...LIMIT,
    ...FILTERS,
    history: ["--history", "flag"],
    archived: ["--archived", "flag"],
    pinned: ["--pinned", "flag"],
    held: ["--held", "flag"],
    ...BRIEF,
  }, "many"),
  show: verb(["id"], {}, "one"),
  stats: verb([], {}, "user"),
  log: verb([], { ...LIMIT, id: ["--id", "text"] }, "one"),
  tag: verb(["id", "tags"], BRIEF, "one"),
  untag: verb(["id", "tags"], BRIEF, "one"),
  pin: verb(["id"], BRIEF, "one"),
  unpin: verb(["id"], BRIEF, "one"),
  expire: verb(["id", "when"], BRIEF, "one"),
  import: verb(["file"], {
    format: ["--format", "text"],
    sample: ["--sample", "text"],
    noCards: ["--no-cards", "flag"],
    ...DRY_RUN,
  }, "one"),
  export: verb([], { ...OUTPUT, ...POINT_IN_TIME }, "user"),
  undo: verb(["change"], { ...SESSION, ...DRY_RUN }, "many"),
  restore: verb(["id"], {}, "one"),
  review: verb([], LIMIT, "many"),
  approve: verb(["ids"], {}, "one"),
  conflicts: verb([], LIMIT, "many"),
  resolve: verb(["conflict"], { keep: ["--keep", "text"], both: ["--both", "flag"] }, "one"),
  block: verb([], { role: ["--role", "text"] }, "many"),
  status: verb([], { sessions: ["--sessions", "number"] }, "one"),
  work: verb([], { maxSeconds: ["--max-seconds", "number"] }, "one"),
  pause: verb([], {}, "none"),
  resume: verb([], {}, "none"),
  incognito: verb(["switch"], {}, "project"),
  init: verb([], { dir: ["--dir", "text"] }, "none"),
  config: verb(["action"], { origin: ["--origin", "flag"] }, "none"),
});

/** The options of user, project, agent and shared that a verb takes. */
export const SCOPES = Object.freeze({
  one: {
    user: ["--user", "text"],
    project: ["--project", "text"],
    agent: ["--agent", "text"],
    shared: ["--shared", "flag"],
  },
  many: {
    user: ["--user", "text"],
    project: ["--project", "text"],
    agent: ["--agent", "texts"],
    shared: ["--shared", "flag"],
  },
  user: { user: ["--user", "text"] },
  project: { project: ["--project", "text"] },
  none: {},
});
