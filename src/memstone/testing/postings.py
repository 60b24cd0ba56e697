"""The inverted index: what is counted, what is read, what is let through, and when it goes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from memstone.testing.building import (
    DAY,
    INDEX,
    START,
    add,
    draft,
    found_by,
    home,
    note,
    supersede,
    units_of,
    wanted,
)
from memstone.testing.case import StoreCase
from memstone.types import POSTING_LENGTH_BITS, CorpusStatistics, Filter, Kind, Reach, Unit

if TYPE_CHECKING:
    from memstone.protocols import Postings, Store
    from memstone.types import TermStatistics

HOSTILE_TERMS = ("a", "A", "á", "a\u0301", "猫", "🙂", "%", "_", "a\0", "'", '"', "-1", "1", "01")


def counted(store: Store, selection: Filter) -> tuple[int, int]:
    """N and total length as the filter's postings give them."""
    with store.read() as snapshot:
        statistics = snapshot.postings(INDEX, selection).statistics()
    return statistics.units, statistics.total_length


def df(store: Store, term: str, selection: Filter) -> int | None:
    """The term's df; None when the index does not list it."""
    with store.read() as snapshot:
        found = snapshot.postings(INDEX, selection).terms([term])
    return found[0].df if found else None


def only(postings: Postings, term: str) -> TermStatistics:
    (statistics,) = postings.terms([term])
    return statistics


class PostingsConformance(StoreCase):
    def test_statistics_count_units_and_their_lengths(self, store: Store, ana: int) -> None:
        assert counted(store, wanted(ana)) == (0, 0)
        add(store, draft("one two two", ana), draft(" ".join("abcdefghij"), ana))
        assert counted(store, wanted(ana)) == (3, 13)
        assert df(store, "two", wanted(ana)) == 1
        assert df(store, "absent", wanted(ana)) is None

    def test_a_posting_says_how_often_and_of_how_many(self, store: Store, ana: int) -> None:
        add(store, draft("two one two 猫", ana), draft("two", ana))
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            term = only(postings, "two")
            read = sorted(weight for _, weight in postings.scan(term))
        assert read == [1 << POSTING_LENGTH_BITS | 1, 2 << POSTING_LENGTH_BITS | 4]
        assert (term.df, term.postings, term.max_frequency, term.min_length) == (2, 2, 2, 1)

    def test_a_posting_of_a_huge_unit_keeps_its_length_and_as_much_of_its_count_as_fits(
        self, store: Store, ana: int
    ) -> None:
        large = Unit(0, 0, 1, length=262_144, frequencies=(("a", 200_000), ("猫", 62_144)))
        with store.write(note()) as transaction:
            row = transaction.insert(draft("large", ana))
            transaction.index(row, INDEX, [large], complete=True)
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            assert postings.statistics() == CorpusStatistics(1, 262_144)
            ((_, weight),) = postings.scan(only(postings, "a"))
        assert weight == 4_095 << POSTING_LENGTH_BITS | 262_144

    def test_terms_come_in_the_order_asked_without_the_absent(self, store: Store, ana: int) -> None:
        add(store, draft("a b c", ana))
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            assert [term.term for term in postings.terms(["c", "absent", "a"])] == ["c", "a"]
            assert postings.terms([]) == []

    @pytest.mark.parametrize("term", HOSTILE_TERMS)
    def test_terms_that_look_alike_are_different_terms(
        self, store: Store, ana: int, term: str
    ) -> None:
        with store.write(note()) as transaction:
            for number, each in enumerate(HOSTILE_TERMS):
                row = transaction.insert(draft(f"t {number}", ana))
                unit = Unit(0, 0, 1, length=1, frequencies=((each, 1),))
                transaction.index(row, INDEX, [unit], complete=True)
        expected = {1 + HOSTILE_TERMS.index(term)}
        assert found_by(store, term, wanted(ana)) == expected

    def test_counts_and_bounds_add_up_over_many_writes(self, store: Store, ana: int) -> None:
        spread = " ".join(["a", "b", "c", "d", "e", "f", "g", "h"] * 2)  # two units with each term
        add(store, draft("a a a a x", ana))
        add(store, draft(spread, ana), draft(f"{spread} a", ana))
        add(store, draft("a", ana))
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            assert postings.statistics() == CorpusStatistics(7, 5 + 16 + 17 + 1)
            a, h = postings.terms(["a", "h"])
            assert (a.df, h.df) == (7, 4)
            assert (len(dict(postings.scan(a))), len(dict(postings.scan(h)))) == (7, 4)
            assert a.max_frequency >= 4
            assert a.min_length <= 1
            assert h.min_length <= 8

    def test_a_superseded_row_is_counted_and_read_no_more(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("budget is 100", ana))
        new = supersede(store, old, draft("budget is 200 now", ana, at=START + 5))
        assert counted(store, wanted(ana)) == (1, 4)
        assert df(store, "budget", wanted(ana)) == 1
        assert df(store, "100", wanted(ana)) is None
        assert found_by(store, "budget", wanted(ana)) == {new}

    def test_history_reads_the_past_but_counts_the_present(self, store: Store, ana: int) -> None:
        (old,) = add(store, draft("budget is 100", ana))
        supersede(store, old, draft("budget is 200 now", ana, at=START + 5))
        then = wanted(ana, as_of=START + 1)
        assert counted(store, then) == (1, 4)
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, then)
            shared, gone = postings.terms(["budget", "100"])
            assert (shared.df, len(list(postings.scan(shared)))) == (1, 2)
            assert (gone.df, len(list(postings.scan(gone)))) == (0, 1)
            assert gone.min_length <= 3
        assert found_by(store, "budget", then) == {old}
        assert found_by(store, "100", then) == {old}

    def test_forgetting_takes_the_row_out_of_every_count(self, store: Store, ana: int) -> None:
        keep, gone = add(store, draft("a b", ana), draft("a c c", ana))
        with store.write(note("forget")) as transaction:
            transaction.forget(gone)
        assert counted(store, wanted(ana)) == (1, 2)
        assert df(store, "a", wanted(ana)) == 1
        assert found_by(store, "a", wanted(ana)) == {keep}

    def test_a_term_disappears_with_its_last_posting(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("rare 罕见", ana))
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        for selection in (wanted(ana), wanted(ana, as_of=START)):
            assert counted(store, selection) == (0, 0)
            assert df(store, "rare", selection) is None
            assert df(store, "罕见", selection) is None

    def test_forgetting_a_past_version_leaves_the_present_counts(
        self, store: Store, ana: int
    ) -> None:
        (old,) = add(store, draft("budget is 100", ana))
        new = supersede(store, old, draft("budget is 200", ana, at=START + 5))
        with store.write(note("forget")) as transaction:
            transaction.forget(old)
        assert counted(store, wanted(ana)) == (1, 3)
        then = wanted(ana, as_of=START + 9)
        assert df(store, "100", then) is None
        assert found_by(store, "budget", then) == {new}

    def test_the_bounds_stay_safe_when_rows_come_and_go(self, store: Store, ana: int) -> None:
        rows = add(store, draft("a", ana), draft("a a a b", ana), draft("a a b b c", ana))
        supersede(store, rows[0], draft("a d", ana, at=START + 1))
        with store.write(note("forget")) as transaction:
            transaction.forget(rows[1])
        for selection in (wanted(ana), wanted(ana, as_of=START)):
            with store.read() as snapshot:
                postings = snapshot.postings(INDEX, selection)
                term = only(postings, "a")
                read = [weight for _, weight in postings.scan(term)]
            assert term.postings >= len(read)
            assert term.max_frequency >= max(weight >> POSTING_LENGTH_BITS for weight in read)
            lengths = [weight & ((1 << POSTING_LENGTH_BITS) - 1) for weight in read]
            assert term.min_length <= min(lengths)

    @pytest.mark.parametrize("flag", ["held", "archived"])
    def test_held_and_archived_rows_are_neither_counted_nor_read(
        self, store: Store, ana: int, flag: str
    ) -> None:
        (row,) = add(store, draft("plain word", ana))
        with store.write(note()) as transaction:
            (model,) = transaction.memories([row])
            hidden = replace(
                model, id="mem_hidden", held=flag == "held", archived=flag == "archived"
            )
            transaction.index(
                transaction.restore(hidden, ana), INDEX, units_of("hidden word"), complete=True
            )
            if flag == "held":
                held = replace(draft("held", ana), held=True)
                transaction.index(
                    transaction.insert(held), INDEX, units_of("hidden word"), complete=True
                )
        for selection in (wanted(ana), wanted(ana, as_of=START), wanted(ana, reach=Reach.ALL)):
            assert counted(store, selection) == (1, 2)
            assert df(store, "hidden", selection) is None
            assert df(store, "word", selection) == 1
            assert found_by(store, "word", selection) == {row}

    def test_a_held_version_stays_out_when_it_is_superseded(self, store: Store, ana: int) -> None:
        (held,) = add(store, replace(draft("secret word", ana), held=True))
        new = supersede(store, held, draft("open word", ana, at=START + 5))
        then = wanted(ana, as_of=START)
        assert found_by(store, "word", then) == set()
        assert df(store, "secret", then) is None
        assert found_by(store, "word", wanted(ana)) == {new}

    def test_a_restored_old_version_is_read_as_the_past(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("new word", ana, at=START + 5))
        with store.write(note("import")) as transaction:
            (model,) = transaction.memories([row])
            closed = replace(
                model,
                id="mem_old",
                created_at=model.created_at.replace(microsecond=0),
                valid_from=model.valid_from.replace(microsecond=0),
                superseded_at=model.created_at,
                superseded_from=model.created_at,
            )
            old = transaction.restore(closed, ana)
            transaction.index(old, INDEX, units_of("old word"), complete=True)
        assert counted(store, wanted(ana)) == (1, 2)
        assert found_by(store, "word", wanted(ana)) == {row}
        assert found_by(store, "word", wanted(ana, as_of=START)) == {old}

    def test_an_expired_or_future_row_is_counted_but_not_let_through(
        self, store: Store, ana: int
    ) -> None:
        now = START + DAY
        expired = replace(draft("word expired", ana), expires=now)
        over = replace(draft("word over", ana), valid_until=now)
        future = replace(draft("word future", ana), valid_from=now + 1)
        rows = add(store, draft("word plain", ana), expired, over, future)
        assert counted(store, wanted(ana, now=now)) == (4, 8)
        assert df(store, "word", wanted(ana, now=now)) == 4
        assert found_by(store, "word", wanted(ana, now=now)) == {rows[0]}
        assert found_by(store, "word", wanted(ana, now=now - 1)) == set(rows[:3])
        with store.write(note("expire")) as transaction:
            transaction.set_expires(rows[1], None)
            transaction.set_expires(rows[0], START)
        assert counted(store, wanted(ana, now=now)) == (4, 8)
        assert found_by(store, "word", wanted(ana, now=now)) == {rows[1]}

    def test_no_statistic_depends_on_the_filter(self, store: Store, ana: int) -> None:
        add(store, replace(draft("a b", ana), tags=("t",)), draft("a c", ana, at=START + 1))
        plain = wanted(ana)
        with store.read() as snapshot:
            expected = snapshot.postings(INDEX, plain)
            for selection in (
                replace(plain, tags_all=("t",)),
                replace(plain, tags_any=("absent",)),
                replace(plain, kinds=(Kind.CARD,)),
                replace(plain, session="s", since=START + 1, until=START),
                wanted(ana, now=START - DAY),
            ):
                postings = snapshot.postings(INDEX, selection)
                assert postings.statistics() == expected.statistics()
                assert postings.terms(["a", "b"]) == expected.terms(["a", "b"])
                assert sorted(postings.scan(only(postings, "a"))) == sorted(
                    expected.scan(only(expected, "a"))
                )

    def test_several_namespaces_are_counted_together(self, store: Store, ana: int) -> None:
        atlas, empty = home(store, "ana", project="atlas"), home(store, "ana", project="empty")
        one, two = add(store, draft("a a b", ana), draft("a c c c", atlas))
        both = wanted(ana, atlas, empty)
        assert counted(store, both) == (2, 7)
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, both)
            a, b, c = postings.terms(["a", "b", "c"])
        assert (a.df, b.df, c.df) == (2, 1, 1)
        assert a.max_frequency >= 2
        assert a.min_length <= 3
        assert found_by(store, "a", both) == {one, two}

    def test_a_row_is_let_through_only_when_all_its_units_are_in(
        self, store: Store, ana: int
    ) -> None:
        add(store, draft("word here", ana))
        units = units_of("word one word two word three", words=2)
        with store.write(note()) as transaction:
            row = transaction.insert(draft("word one word two word three", ana))
            transaction.index(row, INDEX, units[:1], complete=False, next_ordinal=1)
        with store.write(note()) as transaction:
            transaction.index(row, INDEX, units[1:2], complete=False, next_ordinal=2)
        for selection in (wanted(ana), wanted(ana, as_of=START)):
            # counted as they come: moving a 16 MiB text's units at the end would block writers
            assert counted(store, selection) == (3, 6)
            assert df(store, "word", selection) == 3
            assert found_by(store, "word", selection) == {1}
            assert found_by(store, "one", selection) == set()
        with store.write(note()) as transaction:
            transaction.index(row, INDEX, units[2:], complete=True)
        assert counted(store, wanted(ana)) == (4, 8)
        assert df(store, "word", wanted(ana)) == 4
        assert found_by(store, "one", wanted(ana)) == {row}
        assert found_by(store, "three", wanted(ana)) == {row}

    def test_a_row_superseded_before_its_units_were_in_ends_in_the_past(
        self, store: Store, ana: int
    ) -> None:
        units = units_of("old one old two", words=2)
        with store.write(note()) as transaction:
            old = transaction.insert(draft("old one old two", ana))
            transaction.index(old, INDEX, units[:1], complete=False, next_ordinal=1)
        supersede(store, old, draft("new", ana, at=START + 5))
        assert found_by(store, "old", wanted(ana, as_of=START)) == set()
        with store.write(note()) as transaction:
            transaction.index(old, INDEX, units[1:], complete=True)
        assert counted(store, wanted(ana)) == (1, 1)
        assert df(store, "old", wanted(ana)) is None
        assert found_by(store, "old", wanted(ana, as_of=START)) == {old}

    def test_a_row_forgotten_before_its_units_were_in_leaves_nothing(
        self, store: Store, ana: int
    ) -> None:
        with store.write(note()) as transaction:
            row = transaction.insert(draft("a b", ana))
            transaction.index(
                row, INDEX, units_of("a b", words=1)[:1], complete=False, next_ordinal=1
            )
        with store.write(note("forget")) as transaction:
            transaction.forget(row)
        with store.read() as snapshot:
            assert snapshot.pending_index(INDEX) == []
            assert snapshot.postings(INDEX, wanted(ana)).terms(["a"]) == []
        assert counted(store, wanted(ana)) == (0, 0)

    def test_a_row_without_a_term_is_complete_all_the_same(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("  ", ana))
        assert counted(store, wanted(ana)) == (1, 0)
        with store.read() as snapshot:
            assert snapshot.pending_index(INDEX) == []
            assert [memory.row for memory in snapshot.select(wanted(ana), limit=None)] == [row]

    def test_indexes_of_other_names_are_apart(self, store: Store, ana: int) -> None:
        (row,) = add(store, draft("word", ana))
        with store.write(note()) as transaction:
            transaction.index(row, "next", units_of("mot long"), complete=False, next_ordinal=1)
        # an index that is still being built hides nothing in the one that is used
        assert found_by(store, "word", wanted(ana)) == {row}
        assert found_by(store, "mot", wanted(ana), index="next") == set()
        with store.write(note()) as transaction:
            transaction.index(row, "next", [], complete=True)
        assert found_by(store, "mot", wanted(ana), index="next") == {row}
        assert found_by(store, "word", wanted(ana), index="next") == set()
        assert found_by(store, "mot", wanted(ana)) == set()
        assert counted(store, wanted(ana)) == (1, 1)
        with store.read() as snapshot:
            assert snapshot.postings("absent", wanted(ana)).statistics() == CorpusStatistics(0, 0)
            assert snapshot.postings("absent", wanted(ana)).terms(["word"]) == []

    def test_superseding_and_forgetting_reach_every_index(self, store: Store, ana: int) -> None:
        old, gone = add(store, draft("word", ana), draft("word too", ana))
        with store.write(note()) as transaction:
            for row in (old, gone):
                transaction.index(row, "next", units_of("mot"), complete=True)
            transaction.forget(gone)
        supersede(store, old, draft("new", ana, at=START + 5))
        for index, term in ((INDEX, "word"), ("next", "mot")):
            assert found_by(store, term, wanted(ana), index=index) == set()
            assert found_by(store, term, wanted(ana, as_of=START), index=index) == {old}

    def test_a_probe_is_the_scan_of_those_units(self, store: Store, ana: int) -> None:
        rows = add(store, *(draft(f"a b{n % 3} c", ana, at=START + n) for n in range(12)))
        supersede(store, rows[3], draft("a new", ana, at=START + 20))
        atlas = home(store, "ana", project="atlas")
        add(store, draft("a other", atlas))
        for selection in (wanted(ana), wanted(ana, as_of=START + 30), wanted(ana, atlas)):
            with store.read() as snapshot:
                postings = snapshot.postings(INDEX, selection)
                everything = sorted(postings.scan(only(postings, "a")))
                units = [unit for unit, _ in everything]
                for term in postings.terms(["a", "b0", "b1", "new", "other"]):
                    scanned = sorted(postings.scan(term))
                    for asked in (units, units[::2], units[5:1:-1], [], [10**12]):
                        assert sorted(postings.probe(term, asked)) == [
                            posting for posting in scanned if posting[0] in asked
                        ]

    def test_what_is_accepted_is_what_would_be_selected(self, store: Store, ana: int) -> None:
        at = START + 40
        rows = add(
            store,
            replace(draft("a one", ana), tags=("x",), session="s"),
            replace(draft("a two", ana, at=START + 1), tags=("x", "y"), kind=Kind.TASK),
            replace(draft("a three", ana, at=START + 2), expires=at),
            replace(draft("a four", ana, at=START + 3), valid_until=at),
            replace(draft("a five", ana, at=START + 4), held=True),
        )
        supersede(store, rows[0], replace(draft("a six", ana, at=START + 5), tags=("y",)))
        base = [wanted(ana, now=at), wanted(ana, now=at, as_of=START + 3)]
        base.append(wanted(ana, now=at, as_of=at, known_at=START + 4))
        for plain in base:
            for selection in (
                plain,
                replace(plain, tags_all=("x",)),
                replace(plain, tags_any=("x", "y"), kinds=(Kind.FACT,)),
                replace(plain, session="s"),
                replace(plain, since=START + 1, until=START + 5),
            ):
                with store.read() as snapshot:
                    selected = {m.row for m in snapshot.select(selection, limit=None)}
                assert found_by(store, "a", selection) == selected

    def test_no_unit_of_another_namespace_is_accepted(self, store: Store, ana: int) -> None:
        bo = home(store, "bo")
        add(store, draft("a", ana), draft("a", bo))
        with store.read() as snapshot:
            hers, his = (snapshot.postings(INDEX, wanted(number)) for number in (ana, bo))
            ((foreign, _),) = his.scan(only(his, "a"))
            assert hers.accept([foreign]) == {}
            assert list(hers.probe(only(hers, "a"), [foreign])) == []
            assert hers.accept([]) == {}
            assert hers.accept([10**12]) == {}

    def test_a_scan_is_ascending_over_all_partitions(self, store: Store, ana: int) -> None:
        rows = add(store, *(draft(f"a {n}", ana, at=START + n) for n in range(200)))
        for row in (rows[150], rows[3], rows[90]):
            supersede(store, row, draft(f"a after {row}", ana, at=START + 300 + row))
        with store.read() as snapshot:
            for selection, size in ((wanted(ana), 200), (wanted(ana, as_of=START + 999), 203)):
                postings = snapshot.postings(INDEX, selection)
                found = postings.scan(only(postings, "a"))
                assert len(found) == len(set(found.units)) == size
                assert list(found.units) == sorted(found.units)
                some = list(found.units)[::50]
                assert list(postings.probe(only(postings, "a"), some)) == list(found)[::50]

    def test_a_narrowing_filter_names_all_its_units_or_declines(
        self, store: Store, ana: int
    ) -> None:
        bo = home(store, "bo")
        narrow = [replace(draft(f"a {n}", ana, at=START + n), tags=("t",)) for n in range(5)]
        add(store, *narrow, *(draft(f"a {n}", ana, at=START + n) for n in range(10, 20)))
        add(store, replace(draft("a", bo), tags=("t",)))
        with store.read() as snapshot:
            assert snapshot.postings(INDEX, wanted(ana)).enumerate(1000) is None
            for selection in (
                replace(wanted(ana), tags_all=("t",)),
                replace(wanted(ana), tags_any=("t", "u")),
                replace(wanted(ana), until=START + 5),
                replace(wanted(ana, as_of=START + 30), tags_all=("t",)),
            ):
                postings = snapshot.postings(INDEX, selection)
                units = postings.enumerate(1000)
                assert units is not None
                assert len(set(units)) == len(units)
                scanned = [unit for unit, _ in postings.scan(only(postings, "a"))]
                assert postings.accept(units) == postings.accept(scanned)
                assert len(postings.accept(units)) == 5
                assert postings.enumerate(4) is None
            nothing = snapshot.postings(INDEX, replace(wanted(ana), tags_all=("absent",)))
            assert nothing.enumerate(0) == []

    def test_a_profile_says_whether_the_text_ends_with_a_question(
        self, store: Store, ana: int
    ) -> None:
        asking = ("a?", "a 什么？", "a? \n\u3000", "a\0b?", "a\0?\t", "?")
        saying = ("a", "a? b", "a?\0", "a\0", "a?!", "a ？。")
        rows = add(store, *(draft(text, ana, at=START + n) for n, text in
                            enumerate([*asking, *saying])))  # fmt: skip
        with store.read() as snapshot:
            profiles = snapshot.postings(INDEX, wanted(ana)).profiles(rows)
        said = [profiles[row].asks if row in profiles else None for row in rows]
        expected = [*[True] * len(asking), *[False] * len(saying)]
        assert [one for one in said if one is not None] == [
            flag for one, flag in zip(said, expected, strict=True) if one is not None
        ]
        assert said.count(None) < 3

    def test_a_unit_knows_its_memory_and_its_place(self, store: Store, ana: int) -> None:
        text = "一 二 三 " + " ".join("abcdefgh")
        written = draft(text, ana)
        (row,) = add(store, written)
        with store.read() as snapshot:
            postings = snapshot.postings(INDEX, wanted(ana))
            ((first, _),) = postings.scan(only(postings, "一"))
            ((second, _),) = postings.scan(only(postings, "h"))
            spans = postings.spans([first, second, 10**12])
            assert postings.spans([]) == {}
            assert postings.ids([row]) == {row: written.id}
            assert postings.ids([]) == {}
        assert set(spans) == {first, second}
        for unit, expected in ((first, "一 二 三 a b c d e"), (second, "f g h")):
            span = spans[unit]
            assert text[span.start : span.end] == expected
