-- A client's session as its hooks report it: what was put in and taken out. Counts, never a text.
CREATE TABLE session (
    ns                INTEGER NOT NULL REFERENCES namespace (ns),
    client            TEXT NOT NULL,
    session           TEXT NOT NULL,
    first_at          INTEGER NOT NULL,
    last_at           INTEGER NOT NULL,
    ended_at          INTEGER,
    blocks            INTEGER NOT NULL,
    injected_memories INTEGER NOT NULL,
    injected_tokens   INTEGER NOT NULL,
    stored            INTEGER NOT NULL,
    known             INTEGER NOT NULL,
    skipped           INTEGER NOT NULL,
    redacted          INTEGER NOT NULL,
    PRIMARY KEY (ns, client, session)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_time ON session (ns, last_at);

-- How far a client's transcript was read. It is pending work while read_bytes < handed_bytes;
-- `head` is a digest of how the file begins, by which a file that took its place is recognised.
CREATE TABLE transcript (
    ns           INTEGER NOT NULL REFERENCES namespace (ns),
    client       TEXT NOT NULL,
    path         TEXT NOT NULL,
    session      TEXT NOT NULL,
    head         BLOB NOT NULL,
    read_bytes   INTEGER NOT NULL,
    handed_bytes INTEGER NOT NULL,
    touched_at   INTEGER NOT NULL,
    PRIMARY KEY (ns, client, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX transcript_pending ON transcript (touched_at) WHERE read_bytes < handed_bytes;
