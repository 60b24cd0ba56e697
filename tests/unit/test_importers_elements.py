"""Elements of a JSON array: each one whole, in order, and damage stays where it is."""

from __future__ import annotations

import io
import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memstone.errors import SourceError
from memstone.importers import elements as module
from memstone.importers.elements import CUT, GLUED, STRAY, TOO_LONG, UNCLOSED, elements
from memstone.importers.source import CHUNK_BYTES, Source

if TYPE_CHECKING:
    from memstone.importers.elements import Element

LIMIT = 2_000


class Dripping(io.RawIOBase):
    """A stream that gives `step` bytes at a time, so that each border is somewhere else."""

    def __init__(self, data: bytes, step: int) -> None:
        self._stream = io.BytesIO(data)
        self._step = step

    def read(self, size: int = -1) -> bytes:
        return self._stream.read(self._step if size < 0 else min(size, self._step))


def found_in(data: bytes | str, *, step: int = 0, limit: int = LIMIT) -> list[Element]:
    raw = data.encode() if isinstance(data, str) else data
    stream = Dripping(raw, step) if step else io.BytesIO(raw)
    return list(elements(Source(stream), limit))  # type: ignore[arg-type]


def values(found: list[Element]) -> list[object]:
    return [one.value for one in found if one.fault is None]


def faults(found: list[Element]) -> list[tuple[int, str]]:
    return [(one.number, one.fault) for one in found if one.fault is not None]


def talk(number: int, text: str = '按钮\\"[{]}') -> dict[str, object]:
    return {"title": f"对话 {number}", "create_time": number, "mapping": {"a": [text, {"b": None}]}}


def written(*entries: object, indent: int | None = None) -> bytes:
    return json.dumps(list(entries), ensure_ascii=False, indent=indent).encode()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text('a\\"[]{},: 猫\n', max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('k\\"[]{},:键', max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    entries=st.lists(json_values, max_size=8),
    indent=st.sampled_from([None, 0, 2]),
    ascii_only=st.booleans(),
    look=st.integers(1, 30),
    step=st.integers(1, 40),
)
def test_any_array_gives_the_elements_that_a_parser_gives(
    entries: list[object], indent: int | None, ascii_only: bool, look: int, step: int
) -> None:
    data = json.dumps(entries, indent=indent, ensure_ascii=ascii_only).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LOOK_BYTES", look)  # else the head holds it all, in one piece
        found = found_in(data, step=step, limit=100_000)
    assert faults(found) == []
    assert values(found) == entries
    assert [one.number for one in found] == list(range(1, len(entries) + 1))


@given(
    count=st.integers(1, 6),
    indent=st.sampled_from([None, 1]),
    cut=st.integers(0, 2_000),
    step=st.integers(1, 500),
)
def test_a_file_cut_anywhere_keeps_every_whole_element_and_says_that_it_is_cut(
    count: int, indent: int | None, cut: int, step: int
) -> None:
    entries = [talk(number) for number in range(count)]
    data = written(*entries, indent=indent)
    ends = [
        len(written(*entries[:n], indent=indent)) - (2 if indent else 1)
        for n in range(1, count + 1)
    ]
    cut = min(cut, len(data) - 1)
    if not data[:cut].strip():
        with pytest.raises(SourceError):
            found_in(data[:cut])
        return
    found = found_in(data[:cut], step=step)
    assert values(found) == [one for one, end in zip(entries, ends, strict=True) if end <= cut]
    (fault,) = faults(found)
    assert fault[1] in (CUT, UNCLOSED)


@given(
    where=st.integers(0, 10_000),
    change=st.sampled_from(["drop", "double", "}", "]", '"', "{", "\\", "\xff", ","]),
    step=st.integers(50, 5_000),
)
def test_one_damaged_byte_costs_at_most_its_own_element(where: int, change: str, step: int) -> None:
    entries = [talk(number) for number in range(6)]
    data = written(*entries)
    start = len(written(*entries[:2])) - 1  # behind the second
    end = len(written(*entries[:3])) - 1  # behind the third
    at = start + 2 + where % (end - start - 2)
    new = {"drop": b"", "double": data[at : at + 1] * 2}.get(change, change.encode("latin-1"))
    found = found_in(data[:at] + new + data[at + 1 :], step=step)
    kept = values(found)
    assert kept[:2] == entries[:2]
    assert kept[-3:] == entries[3:]
    assert all(fault for _, fault in faults(found))


def test_a_damaged_element_is_reported_by_its_number_and_the_rest_goes_on() -> None:
    found = found_in('[{"a": 1, "b": 2}, {"a": NaN, "b": 1}, {"a": 1 "b": 2}, {"a": "猫", "b": 3}]')
    assert values(found) == [{"a": 1, "b": 2}, {"a": "猫", "b": 3}]
    assert [number for number, _ in faults(found)] == [2, 3]


def test_case_08_a_missing_bracket_or_quotation_mark_loses_one_element() -> None:
    whole = written(*(talk(number) for number in range(5)))
    for damage in ((b'"mapping": {"a": [', b'"mapping": {"a": [[[['), (b'"mapping"', b'"mapping')):
        broken = whole.replace(*damage, 2).replace(damage[1], damage[0], 1)  # only the second
        found = found_in(broken)
        assert values(found) == [talk(number) for number in (0, 2, 3, 4)]
        assert [number for number, _ in faults(found)] == [2]


def test_case_08_glued_objects_are_both_read_and_reported() -> None:
    one, two, three = (json.dumps(talk(number)) for number in range(3))
    found = found_in(f"[{one}{two}, {three}]")
    assert values(found) == [talk(number) for number in range(3)]
    assert faults(found) == [(2, GLUED)]
    found = found_in(f"{one}\n{two}{three}\n{one[:100]}")
    assert values(found) == [talk(number) for number in range(3)]
    assert faults(found) == [(2, GLUED), (3, CUT)]


def test_two_arrays_one_after_the_other_are_both_read() -> None:
    found = found_in(written(talk(1)) + b"\n" + written(talk(2), talk(3)))
    assert values(found) == [talk(1), talk(2), talk(3)]
    assert faults(found) == []


def test_lines_are_numbered_by_line_and_a_bad_one_stays_alone() -> None:
    lines = [json.dumps(talk(n), ensure_ascii=False) for n in range(5)]
    data = "\n".join([lines[0], "", "nonsense", lines[1], lines[2][:-3], lines[3] + "\r", lines[4]])
    found = found_in(data)
    assert [one.number for one in found] == [1, 3, 4, 5, 6, 7]
    assert faults(found) == [(3, STRAY), (5, CUT)]


def test_an_indented_object_is_one_element() -> None:
    assert values(found_in(json.dumps(talk(1), indent=1))) == [talk(1)]
    both = json.dumps(talk(1), indent=1) + "\n" + json.dumps(talk(2), indent=1)
    assert (values(found_in(both)), faults(found_in(both))) == ([talk(1), talk(2)], [])


@pytest.mark.parametrize("data", ["hello", "7", '"text"', "", "  \n"])
def test_what_is_neither_array_nor_object_is_refused_at_once(data: str) -> None:
    with pytest.raises(SourceError, match="neither"):
        elements(Source(io.BytesIO(data.encode())))


@pytest.mark.parametrize("data", [b"[]", b" [ ] \n", b"\xef\xbb\xbf[]"])
def test_an_empty_array_has_no_elements(data: bytes) -> None:
    assert found_in(data) == []


@pytest.mark.parametrize("step", [0, 7, 333])
def test_an_element_over_the_limit_is_reported_and_the_next_ones_are_read(step: int) -> None:
    data = written(talk(1), talk(2, "长" * LIMIT), talk(3), talk(4, '}]"' * LIMIT), talk(5))
    found = found_in(data, step=step)
    assert values(found) == [talk(1), talk(3), talk(5)]
    assert faults(found) == [(2, TOO_LONG), (4, TOO_LONG)]


def test_an_element_at_the_limit_is_read_and_one_over_is_not() -> None:
    data = written("x" * (LIMIT - 2), "x" * (LIMIT - 1))
    assert values(found_in(data)) == ["x" * (LIMIT - 2)]


@pytest.mark.parametrize("step", [0, 100, 1_000])
def test_an_element_without_an_end_does_not_swallow_the_long_rest(step: int) -> None:
    damaged = written(talk(1))[1:-4] + b","
    rest = written(*(talk(number, "很长" * 100) for number in range(2, 30)))
    found = found_in(b"[" + damaged + rest[1:], step=step)
    assert values(found) == [talk(number, "很长" * 100) for number in range(2, 30)]
    assert [number for number, _ in faults(found)] == [1]


def test_a_file_of_beginnings_ends_in_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_RESCANNED_BYTES", 100_000)
    found = found_in(b'[{"a":1,"b":2},' + b'{"a":1,"b":' * 20_000)
    assert values(found) == [{"a": 1, "b": 2}]
    assert len(faults(found)) < 2_000


def test_no_fault_repeats_what_the_file_holds() -> None:
    secret = "sk-ant-" + "not-a-key-" * 4
    for data in (f'[{{"{secret}": tru}}]', f"[{secret}]", f'[{{"a": "{secret}', f'[1, {secret}: "'):
        for _, fault in faults(found_in(data)):
            assert "not-a-key" not in fault


class Talks(io.RawIOBase):
    """An array of `count` conversations that exists only while it is read."""

    def __init__(self, count: int, one: bytes) -> None:
        self._left = count
        self._one = one
        self._rest = b"["

    def read(self, size: int = -1) -> bytes:
        while self._left and len(self._rest) < size:
            self._left -= 1
            self._rest += self._one + (b"," if self._left else b"]")
        data, self._rest = self._rest[:size], self._rest[size:]
        return data


def test_the_memory_held_does_not_grow_with_the_file() -> None:
    one = json.dumps(talk(1, "说" * 20_000), ensure_ascii=False).encode()
    count = 60_000_000 // len(one)
    source = Source(Talks(count, one))  # type: ignore[arg-type]
    tracemalloc.start()
    try:
        read = sum(one.fault is None for one in elements(source))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert read == count
    assert peak < 8 * CHUNK_BYTES + 20 * len(one)
