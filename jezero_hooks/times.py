"""Times as text: ISO 8601 in UTC, the form in which the library compares them."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_iso(text: str) -> str:
    """Return a time as ISO 8601 in UTC (``…+00:00``).

    A bare date or a time without offset is read as UTC. Raises ValueError for other text.
    Source: RULES 2.4.
    """
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC).isoformat()
    except OverflowError:
        raise ValueError(f"{text!r} lies outside the calendar") from None


def now_iso() -> str:
    """Return the present time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).replace(microsecond=0).isoformat()


def unix_s(iso: str) -> float:
    """Return an ISO time with offset as Unix time in seconds."""
    return datetime.fromisoformat(iso).timestamp()
