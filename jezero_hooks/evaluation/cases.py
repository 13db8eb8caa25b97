"""The cases of an evaluation: YAML to values, each fault with file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from ..errors import JezeroError
from ..model import NamedTuple
from ..rules.limits import MAX_ID
from ..times import utc_iso
from ..yamlfile import Reading, fault_line, is_null, read_document

if TYPE_CHECKING:
    from collections.abc import Sequence

# Some thousand cases; more are better kept in several files.
FILE_BYTES = 1_000_000
LIMITS = (1, 5_000)

# What a case of each door may say beside its name and what it expects.
FILTERS = {
    "search": ("project", "source", "as_of", "limit"),
    "later": ("query", "as_of", "limit"),
    "first_prompt": ("as_of",),  # related work may lie in any project, and its lines are few
}
DEFAULTS = ("project", "source", "as_of", "limit")


class Case(NamedTuple):
    """One case: a search's query, a first prompt, or the item that ``later`` is asked about.

    An item is named by its id (a number) or its external id (a text). ``expect`` are those
    of which one at least should come; none: silence is right.
    """

    name: str
    door: str
    asked: int | str
    expect: tuple[int | str, ...]
    query: str | None = None
    project: str | None = None
    source: str | None = None
    as_of: str | None = None
    limit: int | None = None


def read_cases(path: str) -> list[Case]:
    """Return the cases of a file. Raises JezeroError, a line for each fault. Source: RULES 11.1."""
    document = read_document(path, FILE_BYTES)
    reading = _Reading()
    if document.fault:
        reading.faults.append(document.fault)
    cases = reading.file(document.root) if document.root else []
    if reading.faults:
        faults = sorted(reading.faults, key=lambda fault: fault.line or 0)
        raise JezeroError("\n".join(fault_line(path, fault) for fault in faults))
    if not cases:
        raise JezeroError(f"{path}: has no cases; name some below `cases:`")
    return cases


class _Reading(Reading):
    """One reading of a file of cases."""

    def file(self, root: yaml.Node) -> list[Case]:
        defaults: dict[str, Any] = {}
        nodes: Sequence[yaml.Node] = ()
        for name, name_node, node in self.pairs(root, ""):
            if name == "defaults":
                defaults = self.fields(node, "defaults", DEFAULTS)
            elif name == "cases" and not isinstance(node, yaml.SequenceNode):
                self.fault(node, "cases", "must be a list of cases")
            elif name == "cases":
                nodes = node.value
            else:
                self.fault(name_node, name, "unknown key; there are defaults, cases")
        return self.cases(nodes, defaults)

    def cases(self, nodes: Sequence[yaml.Node], defaults: dict[str, Any]) -> list[Case]:
        cases: list[Case] = []
        lines: dict[str, int] = {}
        for number, node in enumerate(nodes, 1):
            case = self.case(node, f"case {number}", defaults)
            if case is None:
                continue
            line = lines.setdefault(case.name, node.start_mark.line + 1)
            if line != node.start_mark.line + 1:
                reason = f"stands twice (first in line {line}); each needs a name of its own"
                self.fault(node, f"{case.name}.name", reason)
            cases.append(case)
        return cases

    def case(self, node: yaml.Node, key: str, defaults: dict[str, Any]) -> Case | None:
        if not isinstance(node, yaml.MappingNode):
            self.fault(node, key, "must be a mapping: a name, what is asked, what is expected")
            return None
        nodes = {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}
        named = self.text(nodes["name"], f"{key}.name") if "name" in nodes else None
        key = named or key
        doors = [name for name in nodes if name in FILTERS]
        if len(doors) != 1:
            reason = f"must have one of {', '.join(FILTERS)}"
            self.fault(node, key, reason + (f", not {len(doors)}" if doors else ""))
            return None
        (door,) = doors
        if "name" not in nodes:
            self.fault(node, key, "lacks a name")
        known = ("name", door, "expect", *FILTERS[door])
        fields = self.fields(node, key, known)
        expect = self.expected(node, nodes.get("expect"), key, door)
        if named is None or expect is None or door not in fields:
            return None
        usual = {name: value for name, value in defaults.items() if name in FILTERS[door]}
        own = {name: value for name, value in fields.items() if name in FILTERS[door]}
        return Case(named, door, fields[door], expect, **(usual | own))

    def fields(self, node: yaml.Node, key: str, known: Sequence[str]) -> dict[str, Any]:
        """Return the values of the known keys that are right."""
        values: dict[str, Any] = {}
        for name, name_node, value in self.pairs(node, key):
            full = f"{key}.{name}"
            if name not in known:
                self.fault(name_node, full, f"unknown key here; there are {', '.join(known)}")
            elif name not in ("name", "expect") and (not is_null(value) or name in FILTERS):
                read = self.field(value, full, name)
                if read is not None:
                    values[name] = read
        return values

    def field(self, node: yaml.Node, key: str, name: str) -> Any:
        if name == "limit":
            return self.number(node, key, int, LIMITS)
        if name == "later":
            return self.item(node, key)
        text = self.text(node, key)
        if name != "as_of" or text is None:
            return text
        try:
            return utc_iso(text)
        except ValueError:
            self.fault(node, key, "is no time; write it like 2026-09-10")
            return None

    def expected(
        self, case: yaml.Node, node: yaml.Node | None, key: str, door: str
    ) -> tuple[int | str, ...] | None:
        """Return the items that should come, None after a fault."""
        silence = " (of a first prompt `[]`: silence)" if door == "first_prompt" else ""
        if node is None:
            self.fault(case, key, f"lacks expect: the items that should come{silence}")
            return None
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not nodes and door != "first_prompt":
            self.fault(node, f"{key}.expect", "must name one item at least")
            return None
        items = [self.item(each, f"{key}.expect") for each in nodes]
        return None if None in items else tuple(item for item in items if item is not None)

    def item(self, node: yaml.Node, key: str) -> int | str | None:
        """Return an id (a plain number) or an external id (any other text)."""
        if isinstance(node, yaml.ScalarNode) and node.value and not is_null(node):
            text = str(node.value)
            if node.style is not None or not (text.isascii() and text.isdecimal()):
                return text
            if 0 < int(text[:20]) <= MAX_ID:
                return int(text)
        self.fault(node, key, "must be an item's id (a number) or external id (a text)")
        return None
