"""The plain baselines that stand beside memstone in every table.

`SeedBm25` is the first ancestor's ranking written again from a description of its behaviour:
runs of letters and decimal digits in simple lower case, 29 stop words, exact BM25 with k1 1.5
and b 0.75, a threshold of 0.1, ties by id. It has no answer to Chinese, which is the point.

`Fts5` is SQLite's own full-text index with `bm25()`. It is fed the terms our analyser makes,
joined by spaces (stems, Chinese single characters and pairs), so that both sides index the same
terms and only the ranking and the engine differ. It is given its best state: a page cache of
20 MB, and an `optimize` after loading.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Protocol
from unicodedata import category

import apsw

from memstone import analysis

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SEED_STOP_WORDS = """
a an and are as at be by for from how in is it of on or that the this to was what when where which
who why with
"""
SEED_STOP_WORDS = frozenset(_SEED_STOP_WORDS.split())
SEED_K1 = 1.5
SEED_B = 0.75
SEED_THRESHOLD = 0.1
CACHE_KIB = 20_000  # page cache of the FTS5 connection
COMMIT_EVERY = 10_000  # documents a transaction while loading


class Baseline(Protocol):
    """Something that ranks the texts it was given."""

    name: str

    def add(self, documents: Iterable[tuple[str, str]]) -> None:
        """Index (id, text) pairs."""
        ...

    def search(self, query: str, limit: int) -> list[str]:
        """At most `limit` ids, best first."""
        ...


def seed_tokens(text: str) -> list[str]:
    """The terms of the ancestor's tokenizer, stop words dropped.

    >>> seed_tokens("Don't stop foo_bar x² 数据库端口是5432")
    ['don', 't', 'stop', 'foo', 'bar', 'x', '数据库端口是5432']
    """
    out: list[str] = []
    run: list[str] = []
    for char in text + " ":
        if char.isalpha() or category(char) == "Nd":
            run.append(_simple_lower(char))
        elif run:
            out.append("".join(run))
            run.clear()
    return [token for token in out if token not in SEED_STOP_WORDS]


def _simple_lower(char: str) -> str:
    """One code point to one: U+0130 is the only one whose full mapping is longer."""
    return "i" if char == "\u0130" else char.lower()


class SeedBm25:
    """The ancestor's BM25 over all documents, kept in memory."""

    name = "seed"

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._lengths: list[int] = []
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def add(self, documents: Iterable[tuple[str, str]]) -> None:
        for key, text in documents:
            tokens = seed_tokens(text)
            number = len(self._ids)
            self._ids.append(key)
            self._lengths.append(len(tokens))
            for term, frequency in Counter(tokens).items():
                self._postings[term].append((number, frequency))

    def scores(self, query: str) -> dict[str, float]:
        """Score by id of every document that shares a term with the query, above the threshold.

        >>> index = SeedBm25()
        >>> index.add([("m", "the deploy key lives in vault under ops/deploy")])
        >>> round(index.scores("where is the deploy key")["m"], 6)
        0.698656
        """
        count = len(self._ids)
        total = sum(self._lengths)
        if not total:
            return {}
        mean = total / count
        found: defaultdict[int, float] = defaultdict(float)
        for term in dict.fromkeys(seed_tokens(query)):
            postings = self._postings.get(term, ())
            idf = math.log(1 + (count - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, frequency in postings:
                norm = SEED_K1 * (1 - SEED_B + SEED_B * self._lengths[number] / mean)
                found[number] += idf * frequency * (SEED_K1 + 1) / (frequency + norm)
        return {self._ids[n]: score for n, score in found.items() if score >= SEED_THRESHOLD}

    def search(self, query: str, limit: int) -> list[str]:
        ranked = sorted(self.scores(query).items(), key=lambda pair: (-pair[1], pair[0]))
        return [key for key, _ in ranked[:limit]]


CREATE_FTS = """
CREATE VIRTUAL TABLE t USING fts5(terms, content = '', tokenize = 'unicode61')
"""
INSERT_FTS = "INSERT INTO t (rowid, terms) VALUES (:row, :terms)"
SEARCH_FTS = """
SELECT rowid
FROM t
WHERE t MATCH :match
ORDER BY bm25(t), rowid
LIMIT :limit
"""

SEARCH_FTS_BY_RANK = """
SELECT rowid
FROM t
WHERE t MATCH :match
ORDER BY rank
LIMIT :limit
"""


def term_text(text: str) -> str:
    """The terms our analyser indexes for `text`, in order, joined by spaces."""
    return " ".join(term for token in analysis.tokenize(text) for term in token.terms)


def match_expression(terms: Sequence[str]) -> str:
    """An FTS5 OR query of quoted terms.

    >>> match_expression(["budget", 'a"b'])
    '"budget" OR "a""b"'
    """
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


class Fts5:
    """FTS5 `bm25()` over the analyser's terms, in a file or (by default) in memory."""

    name = "fts5"

    def __init__(self, path: str = ":memory:", *, synchronous: str = "OFF") -> None:
        self._connection = apsw.Connection(path)
        self._connection.set_busy_timeout(5_000)
        for pragma in (
            "PRAGMA journal_mode = WAL",
            f"PRAGMA synchronous = {synchronous}",
            f"PRAGMA cache_size = -{CACHE_KIB}",
        ):
            self._connection.execute(pragma).fetchall()
        fresh = self._connection.execute("SELECT count(*) FROM sqlite_schema").get == 0
        if fresh:
            self._connection.execute(CREATE_FTS)
        self._ids: list[str] = []

    def add(self, documents: Iterable[tuple[str, str]]) -> None:
        """Index (id, text) pairs; ids are kept in memory, row numbers count from 1."""
        pending: list[tuple[int, str]] = []
        for key, text in documents:
            self._ids.append(key)
            pending.append((len(self._ids), text))
            if len(pending) == COMMIT_EVERY:
                self.insert(pending)
                pending = []
        self.insert(pending)
        self.optimize()

    def insert(self, rows: Sequence[tuple[int, str]]) -> None:
        """Index (row, text) pairs in one transaction."""
        with self._connection:
            self._connection.executemany(
                INSERT_FTS, ({"row": row, "terms": term_text(text)} for row, text in rows)
            )

    def optimize(self) -> None:
        """Merge the index into one segment: the fastest state it can have."""
        self._connection.execute("INSERT INTO t (t) VALUES ('optimize')")

    def top(self, terms: Sequence[str], limit: int) -> list[int]:
        """At most `limit` rows, best first, for terms that are already analysed."""
        return self._rows(SEARCH_FTS, terms, limit)

    def top_by_rank(self, terms: Sequence[str], limit: int) -> list[int]:
        """The same through the hidden `rank` column: twice as slow here, and ties are open."""
        return self._rows(SEARCH_FTS_BY_RANK, terms, limit)

    def _rows(self, sql: str, terms: Sequence[str], limit: int) -> list[int]:
        if not terms:
            return []
        bindings = {"match": match_expression(terms), "limit": limit}
        return [row for (row,) in self._connection.execute(sql, bindings)]

    def search(self, query: str, limit: int) -> list[str]:
        rows = self.top(analysis.analyze_query(query).terms, limit)
        return [self._ids[row - 1] for row in rows]

    def close(self) -> None:
        self._connection.close()
