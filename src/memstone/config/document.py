"""YAML in, flat settings with their lines out.

A file becomes `{"recall.budget": Entry(2000, line=7)}`: at most one level of sections, scalars
only. Whatever else YAML can say (tags, merged mappings, several documents, the same key twice) is
refused with its line, because in a settings file it is a slip or an attack. Values are read from
the parsed nodes and never built up, so that aliases cannot multiply them. Meaning is not judged
here; that is `keys`.

This is the only module that imports YAML; it is imported when the compiled form does not serve.
"""

from __future__ import annotations

import yaml

from memstone.config.files import Entry, Scalar, refuse

MAX_KEY_CHARACTERS = 80


def parse(source: bytes, path: str) -> dict[str, Entry]:
    r"""The flat settings in `source`; `path` is for messages. Raises `ConfigError` with the line.

    >>> parse("recall:\n  budget: 500   # 预算\n".encode(), "config.yaml")
    {'recall.budget': Entry(value=500, line=2)}
    """
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start) + 1
        raise refuse(path, line, "is not UTF-8 text") from error
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return {} if node is None else _flatten(loader, node, path)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line_of_mark = None if mark is None else mark.line + 1
        raise refuse(path, line_of_mark, f"is not valid YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise refuse(path, line, "holds a character that YAML does not allow") from error
    except RecursionError as error:
        raise refuse(path, None, "is nested too deeply") from error


def _flatten(loader: yaml.SafeLoader, root: yaml.Node, path: str) -> dict[str, Entry]:
    entries: dict[str, Entry] = {}
    for name, line, node in _pairs(root, path, what="the file"):
        if isinstance(node, yaml.MappingNode):
            for inner, inner_line, leaf in _pairs(node, path, what=name):
                key = f"{name}.{inner}"
                _add(entries, key, Entry(_scalar(loader, leaf, path, key), inner_line), path)
        else:
            _add(entries, name, Entry(_scalar(loader, node, path, name), line), path)
    return entries


def _pairs(node: yaml.Node, path: str, *, what: str) -> list[tuple[str, int, yaml.Node]]:
    """Key, line and value of each entry of a mapping node."""
    if not isinstance(node, yaml.MappingNode):
        raise refuse(path, node.start_mark.line + 1, f"{what}: expected `key: value` lines")
    pairs: list[tuple[str, int, yaml.Node]] = []
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
            raise refuse(path, line, f"{what}: a key must be plain text")
        name: str = key.value
        # names go into messages, and a stranger's file must not write to our terminal
        if not name.isprintable() or len(name) > MAX_KEY_CHARACTERS:
            raise refuse(path, line, f"{what}: a key must be a short, printable name")
        pairs.append((name, line, value))
    return pairs


def _scalar(loader: yaml.SafeLoader, node: yaml.Node, path: str, key: str) -> Scalar:
    line = node.start_mark.line + 1
    if not isinstance(node, yaml.ScalarNode):
        raise refuse(path, line, f"{key}: expected one value, found a list or a section")
    plain = node.style is None
    implied: str = loader.resolve(yaml.ScalarNode, node.value, (plain, not plain))  # type: ignore[no-untyped-call]
    if node.tag != implied:
        raise refuse(path, line, f"{key}: a tag (`!…`) is not allowed here")
    try:
        value: object = loader.construct_object(node)
    except (ValueError, OverflowError) as error:  # an impossible date, a number of 5 000 digits
        raise refuse(path, line, f"{key}: the value cannot be read: {error}") from error
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise refuse(path, line, f"{key}: expected text or a number, found a {type(value).__name__}")


def _add(entries: dict[str, Entry], key: str, entry: Entry, path: str) -> None:
    before = entries.get(key)
    if before is not None:
        raise refuse(path, entry.line, f"{key}: set twice, first on line {before.line}")
    entries[key] = entry
