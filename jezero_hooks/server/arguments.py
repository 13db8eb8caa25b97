"""The arguments of a tool call: each is of its kind, or the refusal says what it must be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import UsageError
from ..rules.limits import MAX_ID, limit_of
from ..times import utc_iso

# How much of a wrong value is shown again.
SHOWN_CHARS = 40


class Arguments:
    """The arguments of one call. An argument that is null counts as missing."""

    def __init__(self, given: Mapping[str, Any] | None, known: Iterable[str]) -> None:
        self._given = {name: value for name, value in (given or {}).items() if value is not None}
        strange = sorted(set(self._given) - set(known))
        if strange:
            there = ", ".join(known) or "none"
            raise UsageError(f"unknown argument {_shown(strange[0])}; there are: {there}")

    def text(self, name: str) -> str | None:
        """Return a text, None where it is missing or blank."""
        value = self._given.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise UsageError(f"{name} must be text, not {_shown(value)}")
        # JSON can spell half a surrogate pair, which no library holds.
        return value.encode("utf-8", "replace").decode() if value.strip() else None

    def needed_text(self, name: str) -> str:
        """Return a text that must be there; it may be blank."""
        value = self._given.get(name)
        if value is None:
            raise UsageError(f"{name} is missing; it must be text")
        return self.text(name) or ""

    def time(self, name: str) -> str | None:
        """Return a time as ISO 8601 in UTC. Source: RULES 2.4."""
        text = self.text(name)
        try:
            return None if text is None else utc_iso(text)
        except ValueError:
            raise UsageError(
                f"{name} {_shown(text)} is no time; write it like 2026-09-10 or "
                "2026-09-10T08:30:00+02:00"
            ) from None

    def id(self, name: str = "id") -> int:
        """Return an item's id: a whole number, also as text and as it is cited (``[7]``)."""
        value = self._given.get(name)
        if value is None:
            raise UsageError(f"{name} is missing; it must be the number of an item")
        number = _whole(value)
        if number is None or not 0 < number <= MAX_ID:
            raise UsageError(
                f"{name} must be the number of an item, as search and timeline give it, "
                f"not {_shown(value)}"
            )
        return number

    def count(self, name: str) -> int:
        """Return a whole number from 0; missing is 0."""
        number = _whole(self._given.get(name, 0))
        if number is None or number < 0:
            raise UsageError(
                f"{name} must be a whole number from 0, not {_shown(self._given[name])}"
            )
        return number

    def truth(self, name: str) -> bool:
        """Return a truth; missing is false."""
        value = self._given.get(name, False)
        if not isinstance(value, bool):
            raise UsageError(f"{name} must be true or false, not {_shown(value)}")
        return value

    def limit(self, default: int, max_limit: int) -> int:
        """Return how many answers to give. Source: RULES 2.4."""
        return limit_of(self._given.get("limit"), default, max_limit)


def _whole(value: object) -> int | None:
    """Return a whole number, however a client wrote it; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    if isinstance(value, str):
        digits = value.strip().removeprefix("[").removesuffix("]")
        # More digits than any id has are refused before they are read.
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
    return value if isinstance(value, int) else None


def _shown(value: object) -> str:
    text = repr(value) if isinstance(value, (str, int, float, bool)) else type(value).__name__
    return text if len(text) <= SHOWN_CHARS else text[: SHOWN_CHARS - 1] + "…"
