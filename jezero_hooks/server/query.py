"""Query strings: the arguments of an endpoint, each once, and the settings tried with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from ..errors import UsageError
from ..model import NamedTuple
from ..rules.limits import MAX_ID
from .arguments import Arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# A prompt of 20,000 letters, spelled out in percent signs; the server itself ends at 64 KiB.
QUERY_BYTES = 60_000
FIELDS = 100
TRUTHS = {"1": True, "true": True, "0": False, "false": False}


class Asked(NamedTuple):
    """The arguments of a request; ``raw`` are their texts, ``settings`` those of the config."""

    arguments: Arguments
    raw: dict[str, str]
    settings: dict[str, str]

    def text(self, name: str) -> str:
        """Return a text without blanks around it, "" where it is missing."""
        return self.raw.get(name, "").strip()

    def limit(self) -> int | None:
        """Return the limit that is asked for, None where it is missing or blank."""
        text = self.text("limit")
        if not text:
            return None
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise UsageError(f"limit must be a whole number, not {text[:40]!r}")
        # More digits than any number of ours has are not read.
        number = MAX_ID if len(digits) > 18 else int(digits)
        return -number if text.startswith("-") else number


def asked_of(query: bytes, path: Mapping[str, str], known: Iterable[str], *, ranks: bool) -> Asked:
    """Return what a query string and a path ask; a blank value counts as missing.

    Settings, whose names hold a dot, are for endpoints that rank. Raises UsageError.
    """
    raw = _fields(query)
    settings = {name: raw.pop(name) for name in [*raw] if ranks and "." in name}
    Arguments(raw, known := list(known))  # refuses what is unknown, a path's own name too
    given = {name: _value(name, text) for name, text in raw.items()} | dict(path)
    return Asked(Arguments(given, [*known, *path]), raw, settings)


def _fields(query: bytes) -> dict[str, str]:
    if len(query) > QUERY_BYTES:
        raise UsageError(f"the query string is longer than {QUERY_BYTES:,} bytes")
    try:
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=FIELDS)
    except ValueError:
        raise UsageError(f"there are more than {FIELDS} arguments") from None
    fields: dict[str, str] = {}
    for name, text in pairs:
        if name in fields:
            raise UsageError(f"{name[:40]} stands twice; keep one")
        fields[name] = text
    return fields


def _value(name: str, text: str) -> Any:
    """Return an argument as its kind, None where it is blank."""
    blank = not text.strip()
    if name in ("original", "newer") and not blank:
        if text.lower() not in TRUTHS:
            raise UsageError(f"{name} must be 1 or 0, not {text[:40]!r}")
        return TRUTHS[text.lower()]
    return None if blank else text
