"""Related or alike by chance: sums that one can do by hand."""

from __future__ import annotations

from math import isclose, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.related import (
    TELLING_ITEMS,
    Counts,
    Shared,
    chance,
    shared_words,
    telling_words,
    unheard,
    weight,
)

COUNTS = Counts(1_000, {"consent": 12, "banner": 9, "page": 500, "all": 1_000, "banners": 4})


@pytest.mark.parametrize(
    ("shared", "expected"),
    [
        ((), 1_000),
        (("consent",), 12),
        (("consent", "banner"), 0.108),
        (("consent", "page"), 6),
        (("consent", "all"), 12),
        (("consent", "nowhere"), 0.012),
        (("banner", "banners"), 4),
        (("banners", "banner", "consent"), 0.048),
    ],
)
def test_chance(shared: tuple[str, ...], expected: float) -> None:
    assert isclose(chance(shared, 0, COUNTS), expected, rel_tol=1e-9)


def test_each_unheard_word_speaks_against_it() -> None:
    once = (1_000 / TELLING_ITEMS) ** 0.5
    assert isclose(chance(("consent",), 1, COUNTS), 12 * once)
    assert isclose(chance(("consent",), 3, COUNTS), 12 * once**3)
    assert isclose(chance((), 5, Counts(TELLING_ITEMS, {})), TELLING_ITEMS)
    assert chance((), 20_000, COUNTS) < float("inf")


WORDS = st.lists(st.sampled_from(["consent", "banner", "page", "nowhere", "glass"]), unique=True)


@given(WORDS, WORDS, st.integers(1, 10**6))
def test_more_words_in_common_are_less_chance(some: list[str], more: list[str], items: int) -> None:
    counts = Counts(items, COUNTS.holding)
    both = dict.fromkeys(some + more)
    assert 0 < chance(both, 0, counts) <= chance(some, 0, counts) * (1 + 1e-9)
    assert chance(some, 0, counts) <= chance(some, 1, counts) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("consent", "nowhere"), ("nowhere",)),
        (("nowheres", "nowhere"), ("nowheres",)),
        (("banner", "banners"), ()),
        (("consents", "consent"), ()),
        ((), ()),
    ],
)
def test_unheard(words: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert unheard(words, COUNTS) == expected


@pytest.mark.parametrize(
    ("prompt", "telling"),
    [
        ("consent banner", ("consent", "banner")),
        ("see https://x.org/consent banner", ("banner",)),
        ("consent: https://x.org/consent", ("consent",)),
        ("Traceback (most recent call last):\nbanner", ("banner",)),
        ('File "consent.py", line 3', ("consent",)),
        ("the line consent", ("consent", "line")),
        ("www.banner.org Consent", ("consent",)),
    ],
)
def test_telling_words(prompt: str, telling: tuple[str, ...]) -> None:
    words = ("consent", "banner", "line", "recent", "https", "x.org", "www.banner.org")
    assert set(telling_words(prompt, words)) >= set(telling)
    if prompt != "consent banner" and prompt != "the line consent":
        assert set(telling_words(prompt, words)) == set(telling)


def test_shared_words() -> None:
    shared = shared_words(
        ("consent", "banner", "strasse"), "Consent", "consent, Straße", ("the banner?",)
    )
    assert shared == Shared(("consent",), ("consent", "strasse"), ("banner",))
    assert shared.words() == ("consent", "strasse", "banner")


def test_a_title_weighs_twice() -> None:
    title, summary = Shared(("consent",), (), ()), Shared((), ("consent",), ("consent",))
    assert isclose(weight(title, COUNTS), 2 * log(1_000 / 12))
    assert isclose(weight(title, COUNTS), weight(summary, COUNTS))
    assert weight(Shared(("all",), (), ()), COUNTS) == 0
