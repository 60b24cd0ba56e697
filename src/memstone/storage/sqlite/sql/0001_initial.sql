-- memstone store, schema 1. Instants are integer microseconds since 1970 UTC.
-- `memory` rows never change but for closing; what may change lives in side tables.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE migration (
    name       TEXT PRIMARY KEY,
    applied_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A namespace is one (user, project, agent); scope is equality on these columns, never a pattern.
CREATE TABLE namespace (
    ns      INTEGER PRIMARY KEY,
    user    TEXT NOT NULL,
    project TEXT NOT NULL,
    agent   TEXT NOT NULL,
    UNIQUE (user, project, agent)
) STRICT;

-- AUTOINCREMENT: a row number names a memory in the log and is never used again.
CREATE TABLE memory (
    row             INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,
    ns              INTEGER NOT NULL REFERENCES namespace (ns),
    kind            TEXT NOT NULL,
    text            TEXT NOT NULL,
    text_sha256     BLOB NOT NULL CHECK (length(text_sha256) = 32),
    created_at      INTEGER NOT NULL,
    valid_from      INTEGER NOT NULL,
    valid_until     INTEGER,
    supersedes      INTEGER,
    superseded_by   INTEGER,
    superseded_at   INTEGER,
    superseded_from INTEGER,
    role            TEXT,
    session         TEXT,
    speaker         TEXT,
    subject         TEXT,
    attribute       TEXT,
    external_id     TEXT,
    turn_key        TEXT,
    source          TEXT NOT NULL,
    method          TEXT NOT NULL,
    producer        TEXT,
    trust           TEXT NOT NULL,
    redacted_at     INTEGER
) STRICT;

CREATE INDEX memory_by_digest ON memory (text_sha256);
CREATE INDEX memory_by_kind ON memory (ns, kind, valid_from);
CREATE INDEX memory_by_creation ON memory (ns, created_at);
CREATE INDEX memory_by_session ON memory (session) WHERE session IS NOT NULL;
CREATE INDEX memory_by_subject ON memory (ns, subject, attribute) WHERE subject IS NOT NULL;
CREATE INDEX memory_by_external_id ON memory (external_id) WHERE external_id IS NOT NULL;
CREATE INDEX memory_by_successor ON memory (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX memory_by_end ON memory (valid_until) WHERE valid_until IS NOT NULL;
CREATE INDEX memory_planned ON memory (valid_from) WHERE valid_from > created_at;
CREATE UNIQUE INDEX memory_turn_identity
    ON memory (ns, source, ifnull(session, ''), turn_key, text_sha256)
    WHERE turn_key IS NOT NULL;

CREATE TABLE memory_tag (
    row INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (row, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_tag_by_tag ON memory_tag (tag, row);

CREATE TABLE memory_pin (
    row       INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    pinned_at INTEGER NOT NULL
) STRICT;

CREATE TABLE memory_expiry (
    row     INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX memory_expiry_by_time ON memory_expiry (expires);

-- Held text is stored and shown, never recalled, until it is approved.
CREATE TABLE memory_hold (
    row         INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    held_at     INTEGER NOT NULL,
    approved_at INTEGER
) STRICT;

CREATE TABLE memory_archive (
    row         INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    archived_at INTEGER NOT NULL
) STRICT;

CREATE TABLE memory_seen (
    row          INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    seen_count   INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE memory_usage (
    row              INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE,
    recall_count     INTEGER NOT NULL,
    last_recalled_at INTEGER NOT NULL
) STRICT;

-- One source of a derived row: bytes start..end of another memory's text.
CREATE TABLE derivation (
    row        INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    source_row INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    start      INTEGER NOT NULL,
    "end"      INTEGER NOT NULL,
    PRIMARY KEY (row, source_row, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX derivation_by_source ON derivation (source_row);

-- What somebody said of a memory as the answer to a question; a later verdict replaces an earlier.
CREATE TABLE feedback (
    row     INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    query   TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('right', 'wrong')),
    at      INTEGER NOT NULL,
    PRIMARY KEY (row, query)
) STRICT, WITHOUT ROWID;

-- A forgotten memory: that it existed, never what it said.
CREATE TABLE tombstone (
    row          INTEGER PRIMARY KEY,
    ns           INTEGER NOT NULL,
    forgotten_at INTEGER NOT NULL
) STRICT;

-- The one log: every write is a change with the fields it moved; no text of a memory.
CREATE TABLE change (
    change    INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    surface   TEXT NOT NULL,
    actor     TEXT NOT NULL,
    operation TEXT NOT NULL,
    reason    TEXT NOT NULL
) STRICT;

CREATE TABLE change_row (
    change INTEGER NOT NULL REFERENCES change (change),
    row    INTEGER NOT NULL,
    field  TEXT NOT NULL,
    before TEXT,
    after  TEXT,
    PRIMARY KEY (change, row, field)
) STRICT, WITHOUT ROWID;
CREATE INDEX change_row_by_row ON change_row (row);

-- Lexical indexes, one an analyser version; a new one is built beside the live one.
CREATE TABLE lex_index (
    idx        INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    state      TEXT NOT NULL CHECK (state IN ('building', 'live')),
    created_at INTEGER NOT NULL
) STRICT;

-- A partition of one namespace: 0 current, 1 past, 2 held, 3 archived.
CREATE TABLE lex_part (
    part         INTEGER PRIMARY KEY,
    idx          INTEGER NOT NULL REFERENCES lex_index (idx),
    ns           INTEGER NOT NULL REFERENCES namespace (ns),
    state        INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    units        INTEGER NOT NULL,
    total_length INTEGER NOT NULL,
    UNIQUE (idx, ns, state)
) STRICT;

-- df is exact; max_tf and min_len are bounds that deletions leave as they are (still safe).
CREATE TABLE lex_term (
    term_id INTEGER PRIMARY KEY,
    part    INTEGER NOT NULL REFERENCES lex_part (part),
    term    TEXT NOT NULL,
    df      INTEGER NOT NULL,
    max_tf  INTEGER NOT NULL,
    min_len INTEGER NOT NULL,
    UNIQUE (part, term)
) STRICT;

-- Postings of a term, ascending by unit, in blocks of at most 120 so that a row stays on its page:
-- pairs of 32-bit little-endian integers (unit, tf << 20 | unit length); `first` is the first unit.
CREATE TABLE lex_block (
    term_id  INTEGER NOT NULL,
    first    INTEGER NOT NULL,
    postings BLOB NOT NULL,
    PRIMARY KEY (term_id, first)
) STRICT, WITHOUT ROWID;

-- start/end: code points in the original text. Units are below 2^32, as in a block.
CREATE TABLE lex_unit (
    unit    INTEGER PRIMARY KEY,
    part    INTEGER NOT NULL REFERENCES lex_part (part),
    row     INTEGER NOT NULL REFERENCES memory (row),
    ordinal INTEGER NOT NULL,
    start   INTEGER NOT NULL,
    "end"   INTEGER NOT NULL,
    length  INTEGER NOT NULL
) STRICT;
CREATE INDEX lex_unit_by_row ON lex_unit (row, part, ordinal);

-- The term_ids of a unit's postings (uint32, LE), so that they can be removed without analysing
-- the text again, by whatever analyser wrote them.
CREATE TABLE lex_unit_terms (
    unit  INTEGER PRIMARY KEY,
    terms BLOB NOT NULL
) STRICT;

-- A memory whose postings are being written in slices; recall does not see it yet.
CREATE TABLE lex_pending (
    idx          INTEGER NOT NULL REFERENCES lex_index (idx),
    row          INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    next_ordinal INTEGER NOT NULL,
    touched_at   INTEGER NOT NULL,
    PRIMARY KEY (idx, row)
) STRICT, WITHOUT ROWID;
