"""Recency: what an age does to a relevance, in two profiles: items and documents."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

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


def half_life(half_life_days: float, recency_weight: float) -> Callable[[float], float]:
    """Return the profile of items: an age in days to its factor. Source: RULES 2.3."""
    return lambda age: recency_factor(
        age, half_life_days=half_life_days, recency_weight=recency_weight
    )


def window(boost: float, window_days: float) -> Callable[[float], float]:
    """Return the profile of documents: 1 + boost today, less day by day, 1 past the window.

    What has no date is infinitely old, so its factor is 1; with boost or window 0 every one is.
    Source: RULES 12.4.
    """
    if not window_days:
        return lambda age: 1.0
    return lambda age: 1 + boost * max(0.0, 1 - age / window_days)
