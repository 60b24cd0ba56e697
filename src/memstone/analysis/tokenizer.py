"""Tokens with spans in the original text, and the terms each of them is indexed under.

The text is mapped to a string of character classes and one regular expression finds the tokens in
that: runs of CJK characters, words, and identifiers, whose parts are held together by signs that
stand between two letters or digits (`gen-itgc`, `ops/deploy/main.py`, `ana@example.com`, a URL).
A token's terms depend on its own characters only, so they are worked out once and remembered.

* A CJK run gives one token a character, with the character and the pair it opens as terms.
* A word gives its stem; `user's` is `user`, `don't` one word.
* An identifier gives the folded whole, its larger pieces (`main.py`) and the stems of its parts.
* A term over 128 characters becomes its first 100, `~` and a digest of the whole, so a key or a
  hash of any length still finds itself.

Invisible characters are taken out before the search, so they hide no word. No step looks back over
more than a bounded number of characters: time is linear in the text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b

from memstone.analysis.characters import CLASSES, bounded_marks, fold
from memstone.analysis.stemming import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Scanned = tuple[int, int, "Analysis"]

MAX_TERM = 128  # characters of a term
_KEPT_OF_LONG_TERM = 100
_MAX_SPLIT = 128  # characters; a longer run of letters and digits is data, not words
_MAX_HUMPS = 6  # pieces of a CamelCase word; more is base64
_MAX_MIXED = 4  # pieces of a word with digits; more is a hash
_REMEMBERED = 1 << 15  # tokens whose terms are kept in memory (some 10 MB)
_REMEMBERED_LENGTH = 48  # characters; longer tokens seldom come back
_BLOCK = 1 << 16  # characters looked at together; bounds the memory of a 16 MiB text

# At most 64 parts an identifier (256 a URL): a chain of a million parts must not be one token,
# because a token is never cut and a unit's length has 20 bits.
_WORD = r"[aA0][aA0m]*+"
_JOINT = r"(?:(?:_{1,3}[-./]?|[-.@]|::?|:?[/\\]{1,2}\.?)_{0,3}|(?<=[aAm])'(?=[aA]))"
_URL_JOINT = r"[-._~:/?#@!$&*+=%]{1,3}"
_TOKEN = re.compile(
    r"c[cm]*+"
    r"|0{1,3}(?:,000){1,6}(?:\.0++)?(?![,aA0m])"
    rf"|{_WORD}(?:://{_WORD}(?:{_URL_JOINT}{_WORD}){{0,255}}|(?:{_JOINT}{_WORD}){{0,63}})"
    r"(?:\+\+(?![aA0+])|(?<=[aA])#(?![aA0#]))?"
    r"|em*+|rr?"
)
_CLUSTER = re.compile(r"[^m]m*+")
_STANDS_FOR = re.compile(r"[ca0]m*+")
_PART = re.compile(_WORD)
_SEGMENT = re.compile(r"[^/\\@:?#&=%~+!$*]+")  # larger pieces of paths, e-mails, URLs
_HUMP = re.compile(r"(?:Am*)+(?=Am*a)|Am*(?:am*)+|(?:Am*)+|(?:am*)+|(?:0m*)+")
_INVISIBLE = re.compile(r"z+")
_GAP = re.compile(r"[ \n]")
_CONTRACTED = frozenset({"t", "m", "re", "ve", "ll", "d"})


class Form(Enum):
    """What a token is; decides how a query may be covered by it."""

    WORD = "word"
    NUMBER = "number"
    COMPOUND = "compound"  # the whole is its own term, unstemmed
    CAMEL = "camel"  # letters only: the whole is also a word (`NumPy` = `numpy`)
    CJK = "cjk"
    EMOJI = "emoji"


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """What one token's characters mean. `surfaces` are the unstemmed forms of the whole and its
    parts; for CJK, the characters that the token stands for. `terms[0]` is the whole.
    """

    form: Form
    surface: str
    terms: tuple[str, ...]
    surfaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of the original text (`start`/`end` in code points) and its terms, in order.

    `surface` is the whole, folded but not stemmed.
    """

    start: int
    end: int
    surface: str
    terms: tuple[str, ...]


def tokenize(text: str) -> list[Token]:
    """The tokens of `text` in order; spans never overlap.

    >>> [token.terms for token in tokenize("Deployed gen-itgc 轻松")]
    [('deploy',), ('gen-itgc', 'gen', 'itgc'), ('轻', '轻松'), ('松',)]
    """
    return [Token(start, end, a.surface, a.terms) for start, end, a in scan(text)]


def surfaces(text: str) -> frozenset[str]:
    """Every unstemmed form in `text`, wholes and parts, for checks of exact words.

    >>> sorted(surfaces("Ana's main.py"))
    ['ana', 'main', 'main.py', 'py']
    """
    return frozenset(form for _, _, analysis in scan(text) for form in analysis.surfaces)


def blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans that cover `text`, each ending at a gap between tokens, about 64 Ki characters long."""
    start = 0
    while len(text) - start > _BLOCK:
        middle = start + _BLOCK // 2
        end = max(text.rfind("\n", middle, start + _BLOCK), text.rfind(" ", middle, start + _BLOCK))
        if end < 0:
            gap = _GAP.search(text, start + _BLOCK)
            end = gap.start() if gap else len(text) - 1
        while end + 1 < len(text) and CLASSES[ord(text[end + 1])] in "mz":
            end += 1  # a mark belongs to the gap it stands on
        yield start, end + 1
        start = end + 1
    if start < len(text):
        yield start, len(text)


def scan(text: str) -> Iterator[Scanned]:
    """(start, end, analysis) of each token."""
    for start, end in blocks(text):
        yield from scan_block(text[start:end], start)


def scan_block(text: str, offset: int = 0) -> list[Scanned]:
    """The tokens of one block, which stands at `offset` of the text."""
    classes = text.translate(CLASSES)
    if "z" in classes:
        return _scan_around_invisible(text, classes, offset)
    return _scan_visible(text, classes, offset)


def _scan_around_invisible(text: str, classes: str, offset: int) -> list[Scanned]:
    """Tokens of the text without its invisible characters, with spans as if they were there."""
    places: list[int] = []  # from this position of the visible text on …
    shifts: list[int] = []  # … this many invisible characters came before
    shift = 0
    for gap in _INVISIBLE.finditer(classes):
        places.append(gap.start() - shift)
        shift += gap.end() - gap.start()
        shifts.append(shift)
    visible = "".join([c for c, sign in zip(text, classes, strict=True) if sign != "z"])
    places.append(len(visible) + 1)
    found: list[Scanned] = []
    index, before = 0, offset
    for start, end, analysis in _scan_visible(visible, classes.replace("z", ""), 0):
        while places[index] <= start:
            before = offset + shifts[index]
            index += 1
        first = start + before
        while places[index] < end:
            before = offset + shifts[index]
            index += 1
        found.append((first, end + before, analysis))
    return found


def _scan_visible(text: str, classes: str, offset: int) -> list[Scanned]:
    found: list[Scanned] = []
    remembered = _ANALYSES.get
    for match in _TOKEN.finditer(classes):
        start, end = match.span()
        token = text[start:end]
        if classes[start] == "c":
            _scan_cjk(token, classes[start:end], start + offset, found)
            continue
        analysis = remembered(token) or _remember(token, _analyze(token, classes[start:end]))
        found.append((start + offset, end + offset, analysis))
    return found


_ANALYSES: dict[str, Analysis] = {}


def _remember(token: str, analysis: Analysis) -> Analysis:
    if len(token) <= _REMEMBERED_LENGTH:
        if len(_ANALYSES) >= _REMEMBERED:
            _ANALYSES.clear()
        _ANALYSES[token] = analysis
    return analysis


def _scan_cjk(run: str, classes: str, offset: int, found: list[Scanned]) -> None:
    """One token a character: itself and the pair it opens. A run's last character opens none."""
    if "m" in classes or not unicodedata.is_normalized("NFKC", run):
        _scan_cjk_clusters(run, classes, offset, found)
        return
    pairs = [run[index : index + 2] for index in range(len(run) - 1)]
    for start, (character, pair) in enumerate(zip(run, pairs, strict=False), offset):
        itself = (character,)
        found.append((start, start + 1, Analysis(Form.CJK, character, (character, pair), itself)))
    last = offset + len(run)
    found.append((last - 1, last, Analysis(Form.CJK, run[-1], (run[-1],), (run[-1],))))


def _scan_cjk_clusters(run: str, classes: str, offset: int, found: list[Scanned]) -> None:
    """The same for characters with marks of their own, or that stand for others (㍿, ｶﾞ)."""
    spans = [match.span() for match in _CLUSTER.finditer(classes)]
    forms = [_cluster_forms(run[start:end], classes[start:end]) for start, end in spans]
    forms.append(("",))  # nothing follows the last
    for index, (start, end) in enumerate(spans):
        characters = forms[index]
        terms: list[str] = []
        for character, after in zip(
            characters, (*characters[1:], forms[index + 1][0]), strict=True
        ):
            terms += (character, character + after) if after else (character,)
        analysis = Analysis(Form.CJK, "".join(characters), tuple(terms), characters)
        found.append((offset + start, offset + end, analysis))


def _cluster_forms(cluster: str, classes: str) -> tuple[str, ...]:
    """The characters a cluster stands for, each with its marks; ㈱ stands for 株."""
    form = fold(bounded_marks(cluster, classes)[0])
    signs = form.translate(CLASSES)
    return tuple(form[m.start() : m.end()] for m in _STANDS_FOR.finditer(signs)) or (form,)


def _analyze(token: str, classes: str) -> Analysis:
    token, classes = bounded_marks(token, classes)
    first = classes[0]
    if first in "er":
        surface = token if first == "r" else token[0]
        return Analysis(Form.EMOJI, surface, (surface,), (surface,))
    if classes[-2:] in {"'a", "'A"} and token[-1] in "sS":
        token, classes = token[:-2], classes[:-2]
    if _PART.fullmatch(classes):
        return _analyze_part(token, classes)
    if "," in classes:
        return _analyze_grouped_number(token)
    return _analyze_chain(token, classes)


def _analyze_part(part: str, classes: str) -> Analysis:
    """A run of letters and digits: a word, a number, CamelCase, or letters with digits."""
    surface = bounded(fold(part))
    signs = classes.replace("m", "")
    if not signs.strip("0"):
        return Analysis(Form.NUMBER, surface, (surface,), (surface,))
    whole = stem(surface)
    plural_acronym = signs[-1] == "a" and part[-1] == "s" and not signs[:-1].strip("A")  # URLs, IDs
    if plural_acronym or not signs.strip("A") or (not signs[1:].strip("a") and signs[0] != "0"):
        return Analysis(Form.WORD, surface, (whole,), (surface,))
    letters_only = "0" not in signs
    pieces: list[tuple[str, str]] = []
    if len(part) <= _MAX_SPLIT:
        pieces = [(part[m.start() : m.end()], m.group()) for m in _HUMP.finditer(classes)]
    if len(pieces) > (_MAX_HUMPS if letters_only else _MAX_MIXED):
        pieces = []
    # A single letter (the i of iPhone, the v of v1) says nothing by itself.
    forms = [
        bounded(fold(piece))
        for piece, kind in pieces
        if kind[0] == "0" or len(kind.replace("m", "")) > 1
    ]
    form = Form.CAMEL if letters_only else Form.COMPOUND
    return Analysis(form, surface, (whole, *map(stem, forms)), (surface, *forms))


def _analyze_grouped_number(token: str) -> Analysis:
    """`1,234.50`: the number without its commas, and the groups in case they are a list."""
    surface = fold(token)
    whole = bounded(surface.replace(",", ""))
    groups = [bounded(group) for group in re.findall(r"[0-9]+", surface)]
    form = Form.COMPOUND if "." in whole else Form.NUMBER
    return Analysis(form, whole, (whole, *groups), (whole, *groups))


def _analyze_chain(token: str, classes: str) -> Analysis:
    """An identifier: the whole, its larger pieces, and the analysis of every part."""
    surface = bounded(fold(token))
    if _is_contraction(surface, classes):
        return Analysis(Form.WORD, surface, (surface,), (surface,))
    terms, forms = [surface], [surface]
    segments = [m.span() for m in _SEGMENT.finditer(classes)]
    for start, end in segments:
        signs = classes[start:end].strip("-._'")
        if len(segments) > 1 and signs and not _PART.fullmatch(signs):
            piece = token[start:end].strip("-._'‐‑－．＿’")
            segment = bounded(fold(piece))
            terms.append(segment)
            forms.append(segment)
    for match in _PART.finditer(classes):
        start, end = match.span()
        if start and classes[start - 1] == "'" and token[start:end] in {"s", "S"}:
            continue
        part = _analyze_part(token[start:end], match.group())
        terms += part.terms
        forms += part.surfaces
    return Analysis(Form.COMPOUND, surface, tuple(terms), tuple(forms))


def _is_contraction(surface: str, classes: str) -> bool:
    if classes.count("'") != 1 or classes.strip("aAm'"):
        return False
    stump = surface.partition("'")[0]
    return surface[len(stump) + 1 :] in _CONTRACTED and len(stump) > 0


def bounded(term: str) -> str:
    """`term` if it has at most 128 characters, else its first 100, `~` and a digest of it all.

    >>> len(bounded("a" * 128)), len(bounded("a" * 10_000)), bounded("a" * 129)[99:102]
    (128, 125, 'a~0')
    """
    if len(term) <= MAX_TERM:
        return term
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{term[:_KEPT_OF_LONG_TERM]}~{digest}"
