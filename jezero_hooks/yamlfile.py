"""YAML that a person wrote: its nodes, and each fault with its line and its key.

Scalars are taken as they are written: a project may be called ``no`` or ``0123``.
"""

from __future__ import annotations

from typing import Any

import yaml

from .model import NamedTuple
from .rules.limits import number_of

# What people write is four levels deep; thousands take a hook longer than it has.
DEPTH = 20

TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")


class Fault(NamedTuple):
    """What is wrong in a file: line from 1 (None: the whole file), key, reason."""

    line: int | None
    key: str
    reason: str


class Document(NamedTuple):
    """A file's root node (None: it says nothing), or the one fault that left none."""

    root: yaml.Node | None
    fault: Fault | None = None


def fault_line(path: str, fault: Fault) -> str:
    """Return a fault in the one form that editors jump to."""
    place = path if fault.line is None else f"{path}:{fault.line}"
    return f"{place}: {fault.key}: {fault.reason}" if fault.key else f"{place}: {fault.reason}"


def read_document(path: str, max_bytes: int) -> Document:
    """Return what a file says. One that cannot be read, or is longer, is one fault."""
    try:
        with open(path, "rb") as file:
            raw = file.read(max_bytes + 1)
        if len(raw) > max_bytes:
            return _broken(None, f"is longer than {max_bytes:,} bytes; shorten it")
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _broken(line, "is not UTF-8; save it as UTF-8")
    except OSError as error:
        return _broken(None, f"cannot be read: {error.strerror or error}")
    return compose(text)


def compose(text: str) -> Document:
    """Return what a text says. Text that is no YAML is one fault, at its line."""
    try:
        if line := _too_deep(text):
            return _broken(line, f"is nested more than {DEPTH} levels deep")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        return _broken(line, f"is no YAML: {error.problem or error.context}")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _broken(None, f"is no YAML: {str(error).splitlines()[0]}")
    return Document(None if root is None or is_null(root) else root)


def _too_deep(text: str) -> int | None:
    """Return the line where composing would go too deep; the parser alone does not recurse."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > DEPTH:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None


def _broken(line: int | None, reason: str) -> Document:
    return Document(None, Fault(line, "", reason))


def is_null(node: yaml.Node) -> bool:
    """Return whether a node says nothing: empty, ``~`` or ``null``."""
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


class Reading:
    """One reading of a document: collects the faults on its way."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, node: yaml.Node, key: str, reason: str) -> None:
        self.faults.append(Fault(node.start_mark.line + 1, key, reason))

    def pairs(self, node: yaml.Node, key: str) -> list[tuple[str, yaml.Node, yaml.Node]]:
        """Return a mapping's (name, name's node, value's node); a repeated name is a fault."""
        if not isinstance(node, yaml.MappingNode):
            self.fault(node, key, "must be a mapping of keys to values")
            return []
        seen: dict[str, tuple[str, yaml.Node, yaml.Node]] = {}
        for name, value in node.value:
            if not isinstance(name, yaml.ScalarNode):
                self.fault(name, key, "a key must be plain text")
                continue
            full = f"{key}.{name.value}" if key else name.value
            if name.value in seen:
                first = seen[name.value][1].start_mark.line + 1
                self.fault(name, full, f"stands twice (first in line {first}); keep one")
                continue
            seen[name.value] = (name.value, name, value)
        return list(seen.values())

    def text(self, node: yaml.Node, key: str) -> str | None:
        if isinstance(node, yaml.ScalarNode) and node.value:
            return str(node.value)
        self.fault(node, key, "must be text")
        return None

    def texts(self, node: yaml.Node, key: str) -> list[str]:
        """Return a list of texts; one text alone is a list of one."""
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return [text for n in nodes if (text := self.text(n, key)) is not None]

    def truth(self, node: yaml.Node, key: str) -> bool | None:
        written = node.value.lower() if isinstance(node, yaml.ScalarNode) else ""
        if written in TRUE or written in FALSE:
            return written in TRUE
        self.fault(node, key, "must be true or false")
        return None

    def number(
        self,
        node: yaml.Node,
        key: str,
        kind: type,
        bounds: tuple[float, float],
        *,
        may_be_off: bool = False,
    ) -> Any:
        """Return a number within its bounds, 0 where it is and may be off; None after a fault."""
        try:
            text = node.value if isinstance(node, yaml.ScalarNode) else ""
            return number_of(text, kind, bounds, may_be_off=may_be_off)
        except ValueError as reason:
            self.fault(node, key, str(reason))
            return None
