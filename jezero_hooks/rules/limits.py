"""Limits: how many answers a call gives, by one rule for every door."""

from __future__ import annotations


def limit_of(asked: object, default: int, max_limit: int) -> int:
    """Return the limit to use: missing, zero, negative or no number means the default.

    Nothing above max_limit. Source: RULES 2.4.
    """
    limit = int(asked) if isinstance(asked, int) and asked > 0 else default
    return min(limit, max_limit)
