"""Where settings and memories lie on this machine, and whose they are by default.

Answered from the environment that is handed in and from the account database; nothing is created
and nothing is remembered between calls, so that a test or a second store can ask for another
place.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

CONFIG_FILE = "config.yaml"  # in the data folder
PROJECT_FILE = ".memstone.yaml"  # at a project's root


def data_home(environ: Mapping[str, str] | None = None) -> str:
    """The data folder, absolute: `MEMSTONE_HOME`, else the platform's place for user data.

    >>> data_home({"MEMSTONE_HOME": "/srv/记忆"})
    '/srv/记忆'
    """
    environ = os.environ if environ is None else environ
    named = environ.get("MEMSTONE_HOME", "")
    if named:
        return os.path.abspath(os.path.expanduser(named))
    if sys.platform == "linux" and "ANDROID_DATA" not in environ:
        # what platformdirs answers here, without its 25 ms; a test compares the two
        base = environ.get("XDG_DATA_HOME", "")
        if not os.path.isabs(base):  # the XDG specification: a relative path is to be ignored
            base = os.path.join(environ.get("HOME") or os.path.expanduser("~"), ".local", "share")
        return os.path.abspath(os.path.join(base, "memstone"))
    from platformdirs import user_data_dir  # noqa: PLC0415

    return user_data_dir("memstone", appauthor=False)


def local_user(environ: Mapping[str, str] | None = None) -> str:
    """The name of the account that runs this process; never empty.

    The account database comes first, because a variable is easily inherited from somebody else
    (`sudo`, a container's image); variables serve where there is none.
    """
    environ = os.environ if environ is None else environ
    names = [_account(), environ.get("USERNAME", ""), environ.get("USER", "")]
    for name in names:
        if name and name.isprintable():  # a lone surrogate, from bytes that are no text, is not
            return name
    return "local"


def _account() -> str:
    try:
        import pwd  # noqa: PLC0415  (absent on Windows)
    except ImportError:
        return ""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:  # a container run under a number without an entry
        return ""
