"""Word lists as they are written in the modules of this package."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a block of text.

    >>> sorted(words("red  green"))
    ['green', 'red']
    """
    return frozenset(text.split())


def table(text: str) -> dict[str, str]:
    """Lines of "key: words" as word → key; the words are parted by commas, or by blanks.

    >>> table("name: 名字 姓名"), table("email: e-mail, email address")
    ({'名字': 'name', '姓名': 'name'}, {'e-mail': 'email', 'email address': 'email'})
    """
    found = {}
    for line in text.strip().splitlines():
        key, _, names = line.partition(":")
        parted = names.split(",") if "," in names else names.split()
        found.update(dict.fromkeys((name.strip() for name in parted), key.strip()))
    return found
