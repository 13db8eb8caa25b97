"""The config file: YAML to checked values, each fault with its line and its key.

Scalars are taken as they are written: a project may be called ``no`` or ``0123``.
"""

from __future__ import annotations

import os
from typing import Any

import yaml

from .config import Config, config_of
from .errors import ConfigError
from .model import NamedTuple
from .rules.fold import fold

# No config that a person writes is longer, and reading this much takes half a second, which
# is all that a hook has.
CONFIG_BYTES = 64_000

# Ours is four levels deep; thousands take a hook longer than it has.
CONFIG_DEPTH = 20

TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")

# What a number may be, where 0 or a giant would turn the rule into nonsense.
RANGES: dict[str, tuple[float, float]] = {
    "search.limit": (1, 5_000),
    "search.max_limit": (1, 5_000),
    "search.candidate_pool": (10, 5_000),
    "search.half_life_days": (0.001, 1_000_000),
    "search.recency_weight": (0, 1),
    "search.query_chars": (16, 65_536),
    "search.query_terms": (1, 1_000),
    "search.term_chars": (3, 1_000),
    "timeline.limit": (1, 5_000),
    "session_start.items": (0, 20),
    "first_prompt.words": (2, 64),
    "first_prompt.word_chars": (1, 20),
    "first_prompt.hits": (1, 50),
    "first_prompt.evidence_words": (1, 20),
    "first_prompt.lines": (0, 10),
    "hooks.budget_ms": (50, 800),
    "hooks.block_chars": (1_000, 9_000),
    "hooks.title_chars": (20, 500),
    "import.every_minutes": (0, 100_000),
    "import.idle_hours": (0.1, 10_000),
    "import.prompts": (2, 10_000),
    "import.original_bytes": (0, 1_000_000),
}
WEIGHT_RANGE = (0, 1_000)


class Fault(NamedTuple):
    """What is wrong in a config file: line from 1 (None: the whole file), key, reason."""

    line: int | None
    key: str
    reason: str


class ConfigFile(NamedTuple):
    """The values of a config file that can be used, and the faults of the others."""

    values: dict[str, dict[str, Any]]
    faults: tuple[Fault, ...]


def read_config(path: str) -> Config:
    """Return the settings of a config file, defaults where there is none.

    Raises ConfigError, which names file, line and key, where anything in it is wrong.
    """
    if not os.path.lexists(path):
        return Config()
    values, faults = parse_file(path)
    if faults:
        raise ConfigError("\n".join(fault_line(path, fault) for fault in faults))
    return config_of(values)


def usable_values(path: str) -> dict[str, dict[str, Any]]:
    """Return the values of a config file for a hook: none at all where it is no YAML,
    else all that are right."""
    return parse_file(path).values


def fault_line(path: str, fault: Fault) -> str:
    """Return a fault in the one form that editors jump to."""
    place = path if fault.line is None else f"{path}:{fault.line}"
    return f"{place}: {fault.key}: {fault.reason}" if fault.key else f"{place}: {fault.reason}"


def parse_file(path: str) -> ConfigFile:
    """Return what a config file says. A file that cannot be read at all is one fault."""
    try:
        with open(path, "rb") as file:
            raw = file.read(CONFIG_BYTES + 1)
        if len(raw) > CONFIG_BYTES:
            return _broken(None, f"is longer than {CONFIG_BYTES:,} bytes; shorten it")
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _broken(line, "is not UTF-8; save it as UTF-8")
    except OSError as error:
        return _broken(None, f"cannot be read: {error.strerror or error}")
    return parse(text)


def parse(text: str) -> ConfigFile:
    """Return what a config's text says. Text that is no YAML is one fault, at its line."""
    try:
        if line := _too_deep(text):
            return _broken(line, f"is nested more than {CONFIG_DEPTH} levels deep")
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        return _broken(line, f"is no YAML: {error.problem or error.context}")
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _broken(None, f"is no YAML: {str(error).splitlines()[0]}")
    reader = _Reading()
    values = {} if root is None or _is_null(root) else reader.sections(root)
    return ConfigFile(values, tuple(reader.faults))


def _too_deep(text: str) -> int | None:
    """Return the line where composing would go too deep; the parser alone does not recurse."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > CONFIG_DEPTH:
            return event.start_mark.line + 1 if event.start_mark else 1
    return None


def _broken(line: int | None, reason: str) -> ConfigFile:
    return ConfigFile({}, (Fault(line, "", reason),))


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


class _Reading:
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

    def sections(self, root: yaml.Node) -> dict[str, dict[str, Any]]:
        values: dict[str, dict[str, Any]] = {}
        defaults = {name.rstrip("_"): section for name, section in Config()._asdict().items()}
        for name, node, section in self.pairs(root, ""):
            if name not in defaults:
                self.fault(node, name, f"unknown key; there are {', '.join(defaults)}")
            elif not _is_null(section):
                field = "import_" if name == "import" else name
                values[field] = self.section(section, name, defaults[name])
        return values

    def section(self, node: yaml.Node, key: str, default: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        known = default._asdict()
        for name, name_node, value in self.pairs(node, key):
            full = f"{key}.{name}"
            if name not in known:
                self.fault(name_node, full, f"unknown key; there are {', '.join(known)}")
            elif not _is_null(value):
                read = self.value(value, full, known[name])
                if read is not None:
                    values[name] = read
        return values

    def value(self, node: yaml.Node, key: str, default: Any) -> Any:
        """Return a value of the default's kind, None after a fault."""
        if key == "projects.paths":
            return [[name, self.texts(v, f"{key}.{name}")] for name, _, v in self.pairs(node, key)]
        if key == "projects.aliases":
            return [[n, self.text(v, f"{key}.{n}") or n] for n, _, v in self.pairs(node, key)]
        if key == "search.weights":
            return self.weights(node, key, default)
        if isinstance(default, tuple):
            texts = self.texts(node, key)
            return [fold(text) for text in texts] if key == "first_prompt.stop_words" else texts
        if isinstance(default, bool):
            return self.truth(node, key)
        if isinstance(default, (int, float)):
            return self.number(node, key, type(default), RANGES[key])
        return self.text(node, key)

    def weights(self, node: yaml.Node, key: str, default: Any) -> dict[str, float]:
        values = {}
        for name, name_node, value in self.pairs(node, key):
            if name not in default._fields:
                self.fault(name_node, f"{key}.{name}", "unknown field of an item")
                continue
            if _is_null(value):
                continue
            number = self.number(value, f"{key}.{name}", float, WEIGHT_RANGE)
            if number is not None:
                values[name] = number
        return values

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

    def number(self, node: yaml.Node, key: str, kind: type, bounds: tuple[float, float]) -> Any:
        least, most = bounds
        noun = "a whole number" if kind is int else "a number"
        try:
            number = kind(node.value if isinstance(node, yaml.ScalarNode) else "")
        except (ValueError, TypeError):
            number = None
        if number is None or not least <= number <= most:
            self.fault(node, key, f"must be {noun} from {least:,} to {most:,}")
            return None
        return number
