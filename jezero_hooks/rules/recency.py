"""Recency: how much an item's age lowers its relevance."""

from __future__ import annotations

SECONDS_A_DAY = 86_400.0


def age_days(occurred_s: float | None, now_s: float) -> float:
    """Return the age in days, never below 0: a date in the future counts as now.

    Without a date the age is infinite: such an item gains nothing from recency.
    """
    if occurred_s is None:
        return float("inf")
    return max(now_s - occurred_s, 0.0) / SECONDS_A_DAY


def recency_factor(age_days: float, *, half_life_days: float, recency_weight: float) -> float:
    """Return the factor between 1 − recency_weight and 1. Source: RULES 2.3."""
    decay: float = 0.5 ** (age_days / half_life_days)
    return (1 - recency_weight) + recency_weight * decay
