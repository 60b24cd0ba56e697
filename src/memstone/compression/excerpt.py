"""The part of a long text that answers the query, within a token budget.

The best unit of a memory is known from ranking. Its sentence with most of the query's words is the
anchor; other sentences near it that hold query words come next, then its neighbours on both sides
while there is room. What is shown is verbatim and in its original order; every gap says how many
characters were cut, and the last line names the handle that recovers the whole. A sentence that is
itself too long is cut around the words, at blanks where there are any, never inside a character.

    [… 58,120 characters cut …]
    The vault code is zanzibar-7731.
    [cut; whole text: ccr_0123456789abcdef0123456789abcdef]

Only a window around the unit is read, so 16 MiB cost no more than 16 KiB. If not even the word
that was asked for fits beside the marks, there is no excerpt. Marks inside the original are
ordinary text; `Excerpt.spans` is what tells ours from theirs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from memstone.analysis import tokenize
from memstone.analysis.sentences import safe_cut, sentences
from memstone.types import Excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memstone.protocols import TokenCounter

NEAR = 1_800  # characters either side of the unit that are searched for query words: three units
MAX_UNIT = 8_000  # characters of a unit that are searched; a longer one is a single token
CHARACTERS_PER_TOKEN = 6  # more than prose has; bounds the window that can be shown
BORDER_REACH = 40  # characters to look for a blank to cut at; a longer word is cut inside
WORD_SHOWN = 200  # a matched word longer than this counts as shown by its beginning
SMALLEST = 24  # characters without any query word below which an excerpt says nothing


@dataclass(frozen=True, slots=True)
class _Match:
    """A token of the text that holds query terms: its span and those terms."""

    start: int
    end: int
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Page:
    """Where an excerpt is drawn from and what it may cost."""

    text: str
    handle: str
    tokens: int
    counter: TokenCounter

    def excerpt(self, spans: Sequence[tuple[int, int]]) -> Excerpt | None:
        """The excerpt that shows those spans, or None if it costs too much."""
        shown = render(self.text, spans, self.handle)
        tokens = self.counter.count(shown)
        return Excerpt(shown, tokens, tuple(spans)) if tokens <= self.tokens else None


def excerpt(
    text: str,
    *,
    focus: tuple[int, int],
    terms: Sequence[str],
    tokens: int,
    counter: TokenCounter,
    handle: str,
) -> Excerpt | None:
    """At most `tokens` of `text` around `focus` (code points of its best unit), or None.

    `terms` are the query's terms as the analyser spells them. The text is assumed to be larger
    than the budget; one that is not is cut all the same.

    >>> from memstone.tokens import EstimatedTokens
    >>> text = "Nothing new here. " * 99 + "The code is zanzibar. " + "Nothing new here. " * 99
    >>> found = excerpt(text, focus=(1782, 1804), terms=["zanzibar"], tokens=74,
    ...                 counter=EstimatedTokens(), handle="ccr_0")
    >>> print(found.text)
    [… 1,728 characters cut …]
    Nothing new here. Nothing new here. Nothing new here. The code is zanzibar. Nothing new here. \
Nothing new here. Nothing new here.
    [… 1,729 characters cut; whole text: ccr_0]
    """
    if not text:
        return None
    page = _Page(text, handle, tokens, counter)
    first, last = _clamp(text, focus)
    reach = max(NEAR, CHARACTERS_PER_TOKEN * tokens)
    start, end = _safe_window(text, first - reach, last + reach)
    pieces = sentences(text, start, end)
    matches = _matches(text, (max(start, first - NEAR), min(end, last + NEAR)), terms)
    found = _weigh(pieces, matches)
    anchor = _anchor(pieces, found, (first, last))
    for candidate in _chosen(page, pieces, found, anchor):
        result = page.excerpt(_spans(text, pieces, candidate))
        if result is not None:
            return result
    inside = [match for match in matches if pieces[anchor][0] <= match.start < pieces[anchor][1]]
    return _cut_sentence(page, pieces[anchor], inside, first)


def render(text: str, spans: Sequence[tuple[int, int]], handle: str) -> str:
    """The spans of `text` with their marks; the last line names `handle`.

    >>> render("one two three", [(4, 7)], "ccr_0").splitlines()
    ['[… 4 characters cut …]', 'two', '[… 6 characters cut; whole text: ccr_0]']
    """
    lines: list[str] = []
    at = 0
    for start, end in spans:
        if start > at:
            lines.append(f"[… {_characters(start - at)} cut …]")
        lines.append(text[start:end])
        at = end
    cut = f"… {_characters(len(text) - at)} cut" if at < len(text) else "cut"
    lines.append(f"[{cut}; whole text: {handle}]")
    return "\n".join(lines)


def _characters(count: int) -> str:
    return f"{count:,} character{'' if count == 1 else 's'}"


def _clamp(text: str, focus: tuple[int, int]) -> tuple[int, int]:
    """The focus inside the text, not empty, and no longer than can be searched."""
    start = min(max(focus[0], 0), len(text) - 1)
    while not safe_cut(text, start):
        start -= 1
    return start, min(max(focus[1], start + 1), start + MAX_UNIT, len(text))


def _safe_window(text: str, start: int, end: int) -> tuple[int, int]:
    start, end = max(start, 0), min(end, len(text))
    while not safe_cut(text, start):
        start -= 1
    while not safe_cut(text, end):
        end += 1
    return start, end


def _matches(text: str, window: tuple[int, int], terms: Sequence[str]) -> list[_Match]:
    """The tokens in the window that hold query terms, in order."""
    wanted = frozenset(terms)
    start, end = window
    found: list[_Match] = []
    for token in tokenize(text[start:end]) if wanted else ():
        held = wanted.intersection(token.terms)
        if held:
            # A two-character term of a CJK run sits on its first character.
            pair = token.end - token.start == 1 and any(len(term) == 2 for term in held)
            stop = min(start + token.end + (1 if pair else 0), end)
            found.append(_Match(start + token.start, stop, held))
    return found


def _weight(matches: Sequence[_Match]) -> int:
    """How much of the query the matches hold: the letters of its distinct terms."""
    return sum(map(len, frozenset[str]().union(*(match.terms for match in matches))))


def _weigh(pieces: Sequence[tuple[int, int]], matches: Sequence[_Match]) -> dict[int, int]:
    """The weight of every sentence that holds query terms, by its place in `pieces`."""
    starts = [start for start, _ in pieces]
    inside: dict[int, list[_Match]] = {}
    for match in matches:
        inside.setdefault(bisect_right(starts, match.start) - 1, []).append(match)
    return {index: _weight(held) for index, held in inside.items()}


def _anchor(
    pieces: Sequence[tuple[int, int]], found: dict[int, int], focus: tuple[int, int]
) -> int:
    """The sentence to start from: the first with most of the query inside the focus.

    If none there holds a word of the query, the one near it that does; else where it begins.
    """
    starts = [start for start, _ in pieces]
    at_focus = bisect_right(starts, focus[0]) - 1
    in_focus = [i for i in found if pieces[i][0] < focus[1] and pieces[i][1] > focus[0]]
    candidates = in_focus or list(found)
    if not candidates:
        return at_focus
    return min(candidates, key=lambda i: (-found[i], abs(i - at_focus), i))


def _chosen(
    page: _Page, pieces: Sequence[tuple[int, int]], found: dict[int, int], anchor: int
) -> list[list[int]]:
    """Sets of sentences to try, fullest first, down to the anchor alone.

    The sum of the sentences' own counts guides the choice; the caller counts the finished text,
    since a counter may see a few tokens more in the whole than in its parts.
    """
    counter, text = page.counter, page.text
    gap = counter.count(f"\n[… {_characters(len(text))} cut …]\n")
    room = page.tokens - counter.count(
        render(text, [(len(text) // 2, len(text) // 2)], page.handle)
    )
    chosen: list[int] = []
    used = 0

    def take(index: int) -> bool:
        """Take the sentence if it fits with the gap that it may open."""
        nonlocal used
        start, end = pieces[index]
        if end - start > 2 * CHARACTERS_PER_TOKEN * room:
            return False
        alone = not chosen or (index - 1 in chosen or index + 1 in chosen)
        cost = counter.count(text[start:end].rstrip(" ")) + (0 if alone else gap)
        if used + cost > room:
            return False
        used += cost
        chosen.append(index)
        return True

    if not take(anchor):
        return []
    for index in sorted(found, key=lambda i: (-found[i], abs(i - anchor), i)):
        if index not in chosen:
            take(index)
    before, after = anchor - 1, anchor + 1
    first, last = 0, len(pieces) - 1
    # The window's outermost sentences may begin or end outside it: they are not whole.
    first += pieces[0][0] > 0
    last -= pieces[-1][1] < len(text)
    while before >= first or after <= last:
        if before >= first:
            before = before - 1 if before in chosen or take(before) else first - 1
        if after <= last:
            after = after + 1 if after in chosen or take(after) else last + 1
    return [sorted(chosen[:count]) for count in range(len(chosen), 0, -1)]


def _spans(
    text: str, pieces: Sequence[tuple[int, int]], chosen: Sequence[int]
) -> list[tuple[int, int]]:
    """The chosen sentences as spans: adjacent ones joined, blanks beside a cut left out."""
    joined: list[tuple[int, int]] = []
    for index in chosen:
        start, end = pieces[index]
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return [span for span in (_trimmed(text, span) for span in joined) if span[0] < span[1]]


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    while 0 < start < end and text[start].isspace():
        start += 1
    while start < end < len(text) and text[end - 1].isspace():
        end -= 1
    return start, end


def _cut_sentence(
    page: _Page, sentence: tuple[int, int], matches: Sequence[_Match], focus: int
) -> Excerpt | None:
    """The largest stretch of one too long sentence, around its query words, that fits."""
    empty = page.counter.count(render(page.text, [(focus, focus)], page.handle))
    room = page.tokens - empty
    width = min(sentence[1] - sentence[0], CHARACTERS_PER_TOKEN * max(room, 0))
    while True:
        core = _densest(matches, width) if matches else (max(focus, sentence[0]),) * 2
        span = _trimmed(page.text, _around(page.text, sentence, core, width))
        if width < (core[1] - core[0] if matches else SMALLEST) or span[0] == span[1]:
            return None
        result = page.excerpt([span])
        if result is not None:
            return result
        over = page.counter.count(page.text[span[0] : span[1]])
        width = min(width - 1 - width // 32, width * room // max(over, 1))


def _densest(matches: Sequence[_Match], width: int) -> tuple[int, int]:
    """The first stretch of at most `width` characters that holds most of the query.

    If not even one match is that narrow, the first match, of which its beginning counts.
    """
    first = matches[0]
    best = (0, first.start, min(first.end, first.start + WORD_SHOWN))
    held: Counter[str] = Counter()
    weight = left = 0
    for match in matches:  # `held` counts the terms of matches[left] up to this one
        weight += sum(len(term) for term in match.terms if not held[term])
        held.update(match.terms)
        end = min(match.end, match.start + WORD_SHOWN)
        while end - matches[left].start > width and matches[left] is not match:
            held.subtract(matches[left].terms)
            weight -= sum(len(term) for term in matches[left].terms if not held[term])
            left += 1
        if weight > best[0] and end - matches[left].start <= width:
            best = (weight, matches[left].start, end)
    return best[1:]


def _around(
    text: str, sentence: tuple[int, int], core: tuple[int, int], width: int
) -> tuple[int, int]:
    """`width` characters of the sentence with `core` in the middle, cut at borders of words."""
    start = core[0] - (width - (core[1] - core[0])) // 2
    start = max(sentence[0], min(start, sentence[1] - width))
    end = min(sentence[1], start + width)
    if start > sentence[0]:
        start = _border(text, start, core[0], 1)
    if end < sentence[1]:
        end = _border(text, end, max(core[1], start + 1), -1)
    return start, end


def _border(text: str, at: int, limit: int, step: int) -> int:
    """The first place to cut from `at` towards `limit`.

    Between two words if such a place is near, else anywhere that leaves characters whole.
    """
    stop = limit + step
    near = at + step * BORDER_REACH
    for place in range(at, min(stop, near) if step > 0 else max(stop, near), step):
        if _between_words(text, place) and safe_cut(text, place):
            return place
    return next((place for place in range(at, stop, step) if safe_cut(text, place)), limit)


def _between_words(text: str, at: int) -> bool:
    return not (_of_word(text[at - 1]) and _of_word(text[at]))


def _of_word(character: str) -> bool:
    """Whether the character continues a word; Chinese, Japanese and Korean words may be cut."""
    cjk = "\u2e80" <= character <= "\ud7ff" or character >= "\U00020000"
    return not cjk and (character.isalnum() or character == "_")
