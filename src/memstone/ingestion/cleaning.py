"""Input to a clean request, or a refusal: limits, Unicode, secrets, spellings.

Nothing reaches a store without passing here: text, tags, speaker, every field. The order is
fixed: shape first (a lone surrogate cannot even be hashed), then private spans are cut, then
secrets are refused or blanked, then size and blankness are judged on what is left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from memstone import redaction
from memstone.errors import BlankText, InvalidInput, MemoryTooLarge
from memstone.types import (
    MAX_NAME_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
    Method,
    Redaction,
    Scope,
)
from memstone.wire import unicode_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memstone.types import Derivation, Kind, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A memory to be written, as the caller gave it. None is "not given"; instants in µs."""

    text: str
    scope: Scope
    kind: Kind | None = None
    tags: tuple[str, ...] | None = None
    role: str | None = None
    session: str | None = None
    speaker: str | None = None
    subject: str | None = None
    attribute: str | None = None
    external_id: str | None = None
    turn_key: str | None = None
    unique_id: bool = False  # a turn's external id is unique beyond its session
    at: int | None = None
    valid_until: int | None = None
    expires: int | None = None
    trust: Trust | None = None
    pinned: bool | None = None
    source: str = "python"
    file: bool = False  # known by its path, which is its `external_id`; may be blank
    redactions: tuple[Redaction, ...] = ()
    method: Method = Method.VERBATIM
    producer: str | None = None
    derived_from: tuple[Derivation, ...] = ()
    settled: bool = False  # nothing more is to be found out about it


NAMES_KEPT = 4_096  # names remembered by one cleaner


class Cleaner:
    """What to do with findings, by class (`redaction.DEFAULT_POLICIES`), and the size limit.

    With `importing`, what would be refused is blanked: an import never stops for one line. Names
    (a session, a speaker) come again with every turn, so a clean one is remembered.
    """

    def __init__(
        self,
        policies: Mapping[str, str],
        *,
        importing: bool = False,
        max_bytes: int = MAX_TEXT_BYTES,
    ) -> None:
        self._policies = policies
        self._importing = importing
        self._max_bytes = max_bytes
        self._names: dict[tuple[str, str], str] = {}
        self._blanked: list[Redaction] = []  # in the names of the request at hand

    def clean(self, request: Request) -> Request:
        """The request with every field checked and scrubbed.

        Raises `BlankText`, `MemoryTooLarge`, `TextNotUnicode`, `SecretFound`, `InvalidInput`.
        """
        self._blanked.clear()
        unicode_text(request.text, name="text")
        # Size first as well: scanning a gigabyte for secrets before refusing it helps nobody.
        self._check_size(request.text, slack=True)
        text, cut = redaction.strip_private(request.text)
        scrubbed = redaction.scrub(text, self._policies, importing=self._importing, field="text")
        if not scrubbed.text.strip() and not request.file:
            raise BlankText(
                "the text is blank" + (" once its <private> spans are cut" if cut else ""),
                hint="give at least one visible character",
            )
        if scrubbed.redactions and not redaction.says_anything(scrubbed.text):
            raise BlankText(
                "nothing is left of the text once its secrets are blanked",
                hint="say what the secret is for, without the secret",
            )
        self._check_size(scrubbed.text)
        private = (Redaction("private", cut),) if cut else ()
        cleaned = replace(
            request,
            text=scrubbed.text,
            scope=self._scope(request.scope),
            tags=None if request.tags is None else self.tags(request.tags),
            role=self.name("role", request.role),
            session=self.name("session", request.session),
            speaker=self.name("speaker", request.speaker),
            subject=self.name("subject", request.subject),
            attribute=self.name("attribute", request.attribute),
            external_id=self.name("external_id", request.external_id),
            source=self.name("source", request.source) or "unknown",
        )
        found = (*private, *scrubbed.redactions, *self._blanked)
        return replace(cleaned, redactions=found)

    def tags(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Stripped, distinct, sorted tags; raises `InvalidInput` on a blank or over-long one."""
        found = sorted({self._tag(tag) for tag in tags})
        if len(found) > MAX_TAGS:
            raise InvalidInput(
                f"tags: {len(found)} tags, at most {MAX_TAGS} are allowed on one memory"
            )
        return tuple(found)

    def _tag(self, tag: str) -> str:
        name = self.name("tag", tag.strip(), MAX_TAG_BYTES)
        if name is None:
            raise InvalidInput("tag: a tag cannot be blank")
        if any(ord(char) < 32 or ord(char) == 127 for char in name):
            raise InvalidInput(f"tag: {tag!r} holds a control character", hint="use plain text")
        return name

    def _scope(self, scope: Scope) -> Scope:
        """The scope without secrets in its names."""
        return Scope(
            self.name("user", scope.user) or scope.user,
            self.name("project", scope.project) or "",
            self.name("agent", scope.agent) or "",
        )

    def name(self, field: str, value: str | None, most: int = MAX_NAME_BYTES) -> str | None:
        """A name, checked and scrubbed; None for None or an empty one."""
        if not value:
            return None
        key = (field, value)
        clean = self._names.get(key)
        if clean is None:
            clean = self._clean_name(field, value, most)
            if clean == value and len(self._names) < NAMES_KEPT:
                self._names[key] = clean
        return clean

    def _clean_name(self, field: str, value: str, most: int) -> str:
        unicode_text(value, name=field)
        scrubbed = redaction.scrub(value, self._policies, importing=self._importing, field=field)
        self._blanked += scrubbed.redactions
        clean = scrubbed.text
        size = len(clean.encode("utf-8"))
        if size > most:
            raise InvalidInput(
                f"{field}: {size} bytes, at most {most} are allowed",
                hint="a name is not a text; put the text into the memory itself",
                field=field,
            )
        return clean

    def _check_size(self, text: str, *, slack: bool = False) -> None:
        size = len(text.encode("utf-8"))
        if size > self._max_bytes * (4 if slack else 1):
            raise MemoryTooLarge(
                f"the text has {size} bytes, a memory has at most {self._max_bytes}",
                hint="split it, or import it as a conversation",
                bytes=size,
                limit=self._max_bytes,
            )
