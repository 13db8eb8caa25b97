"""Limits: what a number may be, by one rule for every door."""

from __future__ import annotations

# SQLite's own bound of an id; it takes no greater number, not even to look for it.
MAX_ID = 2**63 - 1


def limit_of(asked: object, default: int, max_limit: int) -> int:
    """Return the limit to use: missing, zero, negative or no number means the default.

    Nothing above max_limit. Source: RULES 2.4.
    """
    limit = int(asked) if isinstance(asked, int) and asked > 0 else default
    return min(limit, max_limit)


def number_of(
    text: str, kind: type, bounds: tuple[float, float], *, may_be_off: bool = False
) -> float:
    """Return the number that a text says: an int where ``kind`` is int, within the bounds.

    Of what may be off, "off" is 0. Raises ValueError, whose text tells what it must be.
    """
    least, most = bounds
    if may_be_off and text.lower() == "off":
        return 0.0
    noun = "a whole number" if kind is int else "a number"
    try:
        number: float | None = kind(text)
    except ValueError:
        number = None
    if number is None or not least <= number <= most:
        or_off = ", or off" if may_be_off else ""
        raise ValueError(f"must be {noun} from {least:,} to {most:,}{or_off}")
    return number
