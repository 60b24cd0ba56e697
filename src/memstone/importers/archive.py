"""The files of an export: members of a zip, or of the folder that a browser unpacked it into.

Somebody else made the zip. Only members whose name is looked for are opened, one at a time, and
stream; nothing is ever written to disk, so that no name can lead out of a folder. Refused are names
that try, links, encrypted members, ways of packing without a bound on what they unpack to, and
sizes that no export has. Everything else in it (pictures, pages, another zip) is neither read nor
mentioned. Of two members of one name the last counts, as for whoever unpacks it.

What concerns the whole archive raises when it is opened; what concerns one member is in `refused`.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass

from memstone.errors import SourceError
from memstone.importers.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO, BinaryIO

    Wanted = Sequence[re.Pattern[str]]  # what paths end in; a group `number` orders split files
    Found = tuple[list["Member"], list[str]]  # what may be read, in order; why others may not

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  # the second begins an empty zip
MAX_ENTRIES = 50_000  # an export has one for each picture: thousands
MAX_DIRECTORY_BYTES = 8 * 1024 * 1024  # the list of them, which is held whole: 160 bytes each
MAX_TOTAL_BYTES = 64 * 1024**3  # unpacked, of what is read; the largest exports known are a tenth
MAX_RATIO = 200  # JSON packs 5 to 30 times, a bomb of deflate a thousand times
SMALL_BYTES = 1024 * 1024  # harmless at any ratio
PACKED_BY = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack any amount at once
DESCENDED = ("memories", "projects")  # folders of an unpacked export
ADDED = ("__MACOSX/", "._")  # what one system adds to every zip it makes
ENCRYPTED = 0x1
_FAULTS = (  # of reading what a hostile hand wrote; the last two come of its offsets and names
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    RuntimeError,
    OverflowError,
    struct.error,
    ValueError,
)
_KNOWN_NAME = re.compile(r"(?:conversations|memories)[-0-9]{0,10}\.jsonl?")


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an export. `open` raises `SourceError`; whoever opens it closes it."""

    path: str  # in the export, with slashes
    open: Callable[[], Source]


class Archive:
    """A zip, opened; closes `source`. Raises `SourceError` if it is none that can be read."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.line = 0
        self._source = source
        stream = source.stream
        try:
            if not stream.seekable():
                raise SourceError(
                    f"{self.name}: a zip cannot be read from a pipe",
                    hint="save it as a file and import that",
                    path=self.name,
                )
            self._size = stream.seek(0, os.SEEK_END)
            self._zip = zipfile.ZipFile(_Guarded(stream, self.name))
        except _FAULTS as error:
            raise SourceError(
                f"{self.name}: not a whole zip file", hint="download it again", path=self.name
            ) from error
        entries = self._zip.infolist()
        if len(entries) > MAX_ENTRIES:
            raise SourceError(
                f"{self.name}: {len(entries)} files in it, at most {MAX_ENTRIES} are allowed",
                path=self.name,
            )
        self._entries: dict[str, list[zipfile.ZipInfo]] = {}
        for entry in entries:
            self._entries.setdefault(entry.filename, []).append(entry)

    def find(self, wanted: Wanted) -> Found:
        """The members that are `wanted`, and why others of such a name are not read.

        In the order of what is wanted, then of folders, then of numbers. Raises `SourceError` if
        together they are larger than any export.
        """
        found: list[tuple[_Rank, Member]] = []
        refused: list[str] = []
        total = 0
        for name, entries in self._entries.items():
            rank = _rank(name, wanted)
            if rank is None or entries[-1].is_dir():
                continue
            fault = self._fault(entries[-1])
            if fault is not None:
                refused.append(fault)
                continue
            if len(entries) > 1:
                refused.append("a file is twice in the zip; the last one was read")
            total += entries[-1].file_size
            found.append((rank, Member(name, _Unpack(self._zip, entries[-1]))))
        if total > MAX_TOTAL_BYTES:
            raise SourceError(
                f"{self.name}: {total} bytes when unpacked, at most {MAX_TOTAL_BYTES} are allowed",
                path=self.name,
            )
        return _in_order(found), refused

    def close(self) -> None:
        self._zip.close()
        self._source.close()

    def _fault(self, entry: zipfile.ZipInfo) -> str | None:
        """Why a member is not read, None if it may be."""
        parts = entry.filename.replace("\\", "/").split("/")
        if ".." in parts or parts[0] == "" or ":" in parts[0]:
            return "a file in the zip has a path that leads out of it"
        if stat.S_ISLNK(entry.external_attr >> 16):
            return "a file in the zip is a link"
        if entry.flag_bits & ENCRYPTED:
            return "a file in the zip is encrypted"
        if entry.compress_type not in PACKED_BY:
            return "a file in the zip is packed in a way that exports are not"
        packed = min(entry.compress_size, self._size)  # nothing in it is longer than the zip
        if entry.file_size > max(SMALL_BYTES, packed * MAX_RATIO):
            return f"a file in the zip unpacks to more than {MAX_RATIO} times its size"
        return None


class Folder:
    """A folder, perhaps an export unpacked: its files and those one folder down, without links."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.line = 0

    def find(self, wanted: Wanted) -> Found:
        """As `Archive.find`; raises `SourceError` if the folder cannot be read."""
        found: list[tuple[_Rank, Member]] = []
        refused: list[str] = []
        try:
            for path, entry in _below(self.name):
                rank = _rank(path, wanted)
                if rank is None or entry.is_dir(follow_symlinks=False):
                    continue
                if entry.is_file(follow_symlinks=False):
                    found.append((rank, Member(path, _OpenFile(entry.path))))
                else:
                    refused.append("a file in the folder is a link or no plain file")
        except OSError as error:
            message = f"{self.name}: cannot be read: {error.strerror or error}"
            raise SourceError(message, path=self.name) from error
        return _in_order(found), refused

    def close(self) -> None:
        """Nothing to close."""


def _below(folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry.name, entry
            if entry.name in DESCENDED and entry.is_dir(follow_symlinks=False):
                with os.scandir(entry.path) as inner:
                    for each in inner:
                        yield f"{entry.name}/{each.name}", each


_Rank = tuple[int, str, int, str]


def _rank(path: str, wanted: Wanted) -> _Rank | None:
    """Where a path stands among those wanted, None if it does not."""
    path = path.replace("\\", "/")
    folder, _, name = path.rpartition("/")
    if path.startswith(ADDED[0]) or name.startswith(ADDED[1]):
        return None
    for place, pattern in enumerate(wanted):
        found = pattern.search(path)
        if found is not None:
            return place, folder, int(found.groupdict().get("number") or -1), name
    return None


def _in_order(found: list[tuple[_Rank, Member]]) -> list[Member]:
    found.sort(key=lambda pair: pair[0])
    return [member for _, member in found]


@dataclass(frozen=True, slots=True)
class _OpenFile:
    path: str

    def __call__(self) -> Source:
        return Source(self.path)


@dataclass(frozen=True, slots=True)
class _Unpack:
    archive: zipfile.ZipFile
    entry: zipfile.ZipInfo

    def __call__(self) -> Source:
        with _damage():
            stream = self.archive.open(self.entry)
            member = _Unpacking(stream, self.entry.filename)
        return _MemberSource(member)  # type: ignore[arg-type]


class _MemberSource(Source):
    """A member as a source, which closes it."""

    def close(self) -> None:
        self.stream.close()


class _Unpacking:
    """The bytes of a member; damage in it raises `SourceError`."""

    def __init__(self, stream: IO[bytes], path: str) -> None:
        self._stream = stream
        name = path.replace("\\", "/").rpartition("/")[2]
        self.name = name if _KNOWN_NAME.fullmatch(name) else "a file in the zip"  # messages say it

    def read(self, size: int) -> bytes:
        with _damage():
            return self._stream.read(size)

    def close(self) -> None:
        self._stream.close()


@contextlib.contextmanager
def _damage() -> Iterator[None]:
    try:
        yield
    except _FAULTS as error:
        raise SourceError("a file in the zip is damaged") from error


class _Guarded:
    """A stream that gives no more than the longest list of members at once: `zipfile` asks for as
    much as the zip claims to have.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY_BYTES:
            raise SourceError(
                f"{self._name}: the list of its files is longer than {MAX_DIRECTORY_BYTES} bytes",
                path=self._name,
            )
        return self._stream.read(MAX_DIRECTORY_BYTES if size < 0 else size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True
