"""The bearer token of the HTTP server: one line in the data folder, readable by its owner alone.

Made at the first use, from the system's random numbers, and kept: whoever configured a client with
it need not do so again. It is written beside its place and linked there, so that two servers that
start at once agree on one and no reader sees half of it. A file that others may read, a symlink or
somebody else's file is refused: it is no secret. The token is never printed; its path is.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
import stat

from memstone.errors import CannotCreate, StoreUnsafe

TOKEN_FILE = "mcp-token"  # noqa: S105  (its name)
RANDOM_BYTES = 32
LONGEST = 4_096  # bytes; somebody may have put a token of their own there
SHORTEST = 32
_TOKEN = re.compile(rb"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, b64token


def token_in(folder: str) -> tuple[bytes, str]:
    """The token of the data folder, made if there is none, and the path of its file.

    Raises `StoreUnsafe` for a file that is no secret, `CannotCreate` where none can be made.
    """
    path = os.path.join(folder, TOKEN_FILE)
    try:
        if not os.path.lexists(path):
            _make(folder, path)
        return _read(path), path
    except OSError as error:
        raise CannotCreate(
            f"{path}: cannot keep the server's token ({error.strerror})",
            hint="choose another data folder with --home or MEMSTONE_HOME",
            path=path,
        ) from error


def same(given: bytes, token: bytes) -> bool:
    """Whether the two are equal, in a time that does not tell how far they agree."""
    return hmac.compare_digest(given, token)


def _make(folder: str, path: str) -> None:
    os.makedirs(folder, mode=0o700, exist_ok=True)
    draft = f"{path}.{os.getpid()}.{secrets.token_hex(4)}"
    handle = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    try:
        os.write(handle, secrets.token_urlsafe(RANDOM_BYTES).encode() + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        with contextlib.suppress(FileExistsError):  # another server was faster: its token counts
            os.link(draft, path)
    finally:
        os.unlink(draft)


def _read(path: str) -> bytes:
    status = os.lstat(path)
    if not stat.S_ISREG(status.st_mode):
        raise _unsafe(path, "not a regular file")
    if os.name == "posix" and status.st_uid != os.geteuid():
        raise _unsafe(path, "belongs to another user")
    if os.name == "posix" and status.st_mode & 0o077:
        raise _unsafe(path, "others may read it")
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        token = os.read(handle, LONGEST).strip()
    finally:
        os.close(handle)
    if len(token) < SHORTEST or not _TOKEN.fullmatch(token):
        raise _unsafe(path, f"no token of at least {SHORTEST} letters, digits or ._~+/-")
    return token


def _unsafe(path: str, why: str) -> StoreUnsafe:
    return StoreUnsafe(
        f"{path}: {why}", hint="remove it; a new token is made at the next start", path=path
    )
