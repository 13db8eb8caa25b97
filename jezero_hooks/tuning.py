"""The numbers of the ranking and of the hooks, one by one: to show them, and to try others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .config import Config
from .configfile import MAY_BE_OFF, RANGES, WEIGHT_RANGE
from .errors import UsageError
from .model import NamedTuple
from .rules.limits import number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# What decides which answers come, and in which order.
SECTIONS = ("search", "first_prompt", "documents")
# How much work a question may be: whoever asks may take less than the config gives, not more.
BOUNDS = ("candidate_pool", "max_limit", "max_offset", "query_chars", "query_terms", "term_chars")


class Number(NamedTuple):
    """A key of the config that is a number: what it is, was made with, and may be."""

    key: str
    section: str
    value: float
    default: float
    low: float
    high: float
    integer: bool

    def kind(self) -> type:
        return int if self.integer else float


def numbers(config: Config) -> list[Number]:
    """Return every number of those sections, in the order of the config."""
    found = []
    for section in SECTIONS:
        values = dict(_numbers(section, getattr(config, section)))
        for key, default in _numbers(section, getattr(Config(), section)):
            low, high = RANGES.get(key, WEIGHT_RANGE)
            if key.rpartition(".")[2] in BOUNDS:
                high = values[key]
            integer = isinstance(default, int)
            found.append(Number(key, section, values[key], default, low, high, integer))
    return found


def _numbers(prefix: str, values: Any) -> Iterator[tuple[str, float]]:
    for name, value in values._asdict().items():
        key = f"{prefix}.{name}"
        if hasattr(value, "_asdict"):
            yield from _numbers(key, value)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield key, value


def tuned(config: Config, given: Mapping[str, str]) -> Config:
    """Return the config with other numbers in it, written as text by their keys.

    Raises UsageError, which names the key, for one that is no such number or out of bounds.
    """
    known = {number.key: number for number in numbers(config)} if given else {}
    for key, text in given.items():
        number = known.get(key)
        if number is None:
            raise UsageError(f"{key}: there is no such number in {', '.join(SECTIONS)}")
        try:
            bounds, may_be_off = (number.low, number.high), key in MAY_BE_OFF
            value = number_of(text, number.kind(), bounds, may_be_off=may_be_off)
        except ValueError as reason:
            raise UsageError(f"{key}: {reason}") from None
        config = _with(config, key.split("."), value)
    return config


def _with(values: Any, names: list[str], value: float) -> Any:
    name, *rest = names
    return values._replace(**{name: _with(getattr(values, name), rest, value) if rest else value})
