-- How far the cards of a conversation are made: its turns after carded_row, up to last_row, still
-- wait. Kept with each turn in its own transaction, so that no waiting turn is ever lost.
CREATE TABLE conversation (
    ns         INTEGER NOT NULL REFERENCES namespace (ns),
    source     TEXT NOT NULL,
    session    TEXT NOT NULL,
    last_row   INTEGER NOT NULL,
    touched_at INTEGER NOT NULL,
    ended      INTEGER NOT NULL CHECK (ended IN (0, 1)),
    carded_row INTEGER NOT NULL,
    PRIMARY KEY (ns, source, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_pending ON conversation (touched_at) WHERE carded_row < last_row;

INSERT INTO conversation (ns, source, session, last_row, touched_at, ended, carded_row)
SELECT m.ns, m.source, ifnull(m.session, ''), max(m.row), max(m.created_at), 1, 0
FROM memory AS m
WHERE m.kind = 'turn'
GROUP BY m.ns, m.source, ifnull(m.session, '');

-- Rows whose duplicates and conflicts nobody has looked for yet.
CREATE TABLE unsettled (
    row INTEGER PRIMARY KEY REFERENCES memory (row) ON DELETE CASCADE
) STRICT;

-- What a row states: keys for comparison, never shown.
CREATE TABLE about (
    row       INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    ns        INTEGER NOT NULL,
    subject   TEXT NOT NULL,
    attribute TEXT NOT NULL,
    PRIMARY KEY (row, subject, attribute)
) STRICT, WITHOUT ROWID;
CREATE INDEX about_by_subject ON about (ns, subject, attribute, row);

INSERT INTO about (row, ns, subject, attribute)
SELECT m.row, m.ns, lower(trim(m.subject)), lower(trim(m.attribute))
FROM memory AS m
WHERE m.kind <> 'turn' AND m.subject IS NOT NULL AND m.attribute IS NOT NULL;

-- Two rows that may contradict one another, until a person settles it.
CREATE TABLE conflict (
    conflict    INTEGER PRIMARY KEY AUTOINCREMENT,
    older       INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    newer       INTEGER NOT NULL REFERENCES memory (row) ON DELETE CASCADE,
    reason      TEXT NOT NULL,
    found_at    INTEGER NOT NULL,
    resolution  TEXT,
    resolved_at INTEGER,
    UNIQUE (older, newer)
) STRICT;
CREATE INDEX conflict_by_newer ON conflict (newer);
