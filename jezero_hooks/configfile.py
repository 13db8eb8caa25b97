"""The config file: YAML to checked values, each fault with its line and its key."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from .config import Config, config_of
from .errors import ConfigError
from .model import NamedTuple
from .rules.fold import fold
from .yamlfile import Document, Fault, Reading, compose, fault_line, is_null, read_document

if TYPE_CHECKING:
    import yaml

# No config that a person writes is longer, and reading this much takes half a second, which
# is all that a hook has.
CONFIG_BYTES = 64_000

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
    "later.limit": (1, 5_000),
    "later.min_relevance": (0, 1),
    "later.closest": (0, 5_000),
    "later.hits": (1, 5_000),
    "session_start.items": (0, 20),
    "first_prompt.words": (2, 64),
    "first_prompt.small_words": (2, 64),
    "first_prompt.word_chars": (1, 20),
    "first_prompt.hits": (1, 50),
    "first_prompt.evidence_words": (1, 20),
    "first_prompt.chance": (1e-12, 1_000_000),
    "first_prompt.related_hits": (1, 50),
    "first_prompt.lines": (0, 10),
    "documents.recency_boost": (0, 100),
    "documents.window_days": (0, 1_000_000),
    "documents.snippet_tokens": (0, 64),
    "documents.limit": (1, 5_000),
    "documents.max_limit": (1, 5_000),
    "documents.max_offset": (0, 100_000),
    "documents.query_chars": (1, 4_096),
    "documents.query_terms": (1, 64),
    "documents.min_query_chars": (1, 20),
    "documents.page_bytes": (1_000, 10_000_000),
    "serve.cache_s": (0, 31_536_000),
    "hooks.budget_ms": (50, 800),
    "hooks.block_chars": (1_000, 9_000),
    "hooks.title_chars": (20, 500),
    "import.every_minutes": (0, 100_000),
    "import.idle_hours": (0.1, 10_000),
    "import.prompts": (2, 10_000),
    "import.original_bytes": (0, 1_000_000),
}
# Numbers that can also be off, which is 0 to the rule.
MAY_BE_OFF = ("first_prompt.chance",)
WEIGHT_RANGE = (0, 1_000)
# As a browser writes it, which the header must equal.
ORIGIN = re.compile(r"\*|https?://[a-z0-9.:\[\]-]+")


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


def parse_file(path: str) -> ConfigFile:
    """Return what a config file says. A file that cannot be read at all is one fault."""
    return _values(read_document(path, CONFIG_BYTES))


def parse(text: str) -> ConfigFile:
    """Return what a config's text says. Text that is no YAML is one fault, at its line."""
    return _values(compose(text))


def _values(document: Document) -> ConfigFile:
    if document.fault:
        return ConfigFile({}, (document.fault,))
    reader = _Reading()
    values = {} if document.root is None else reader.sections(document.root)
    return ConfigFile(values, tuple(reader.faults))


class _Reading(Reading):
    """One reading of a config."""

    def sections(self, root: yaml.Node) -> dict[str, dict[str, Any]]:
        values: dict[str, dict[str, Any]] = {}
        defaults = {name.rstrip("_"): section for name, section in Config()._asdict().items()}
        for name, node, section in self.pairs(root, ""):
            if name not in defaults:
                self.fault(node, name, f"unknown key; there are {', '.join(defaults)}")
            elif not is_null(section):
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
            elif not is_null(value):
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
        if key == "mcp.keys":
            return self.mcp_keys(node, key)
        if key == "serve.cors_origin":
            return self.origin(node, key)
        if key.endswith(".weights"):
            return self.weights(node, key, default)
        if isinstance(default, tuple):
            texts = self.texts(node, key)
            return [fold(text) for text in texts] if key == "first_prompt.stop_words" else texts
        if isinstance(default, bool):
            return self.truth(node, key)
        if isinstance(default, (int, float)):
            bounds, may_be_off = RANGES[key], key in MAY_BE_OFF
            return self.number(node, key, type(default), bounds, may_be_off=may_be_off)
        return self.text(node, key)

    def origin(self, node: yaml.Node, key: str) -> str | None:
        text = self.text(node, key)
        if text is None or ORIGIN.fullmatch(text):
            return text
        self.fault(node, key, 'must be an origin like https://example.org, or "*" for any')
        return None

    def mcp_keys(self, node: yaml.Node, key: str) -> list[list[Any]]:
        """Return name, file and globs of each key; one that lacks either is none."""
        keys = []
        for name, name_node, value in self.pairs(node, key):
            full, parts = f"{key}.{name}", dict[str, Any]()
            for part, part_node, given in self.pairs(value, full):
                if part == "file":
                    parts[part] = self.text(given, f"{full}.file")
                elif part == "allowed":
                    parts[part] = self.texts(given, f"{full}.allowed")
                else:
                    self.fault(part_node, f"{full}.{part}", "unknown key; there are file, allowed")
            if parts.keys() < {"file", "allowed"}:
                self.fault(name_node, full, "needs file, and allowed: the sources it may read")
            elif parts.get("file"):
                keys.append([name, parts["file"], parts["allowed"]])
        return keys

    def weights(self, node: yaml.Node, key: str, default: Any) -> dict[str, float]:
        values = {}
        for name, name_node, value in self.pairs(node, key):
            if name not in default._fields:
                known = ", ".join(default._fields)
                self.fault(name_node, f"{key}.{name}", f"unknown field; there are {known}")
                continue
            if is_null(value):
                continue
            number = self.number(value, f"{key}.{name}", float, WEIGHT_RANGE)
            if number is not None:
                values[name] = number
        return values
