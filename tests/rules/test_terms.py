"""The distinctive words of a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.fold import fold
from jezero_hooks.rules.terms import PROMPT_CHARS, distinctive, words

STOP = frozenset({"the", "please", "fix"})


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("node.js, C++ and foo_bar!", ["node.js", "C", "and", "foo_bar"]),
        ("...footer --consent-- banner.", ["footer", "consent", "banner"]),
        ("test:consent (v2.0)", ["test", "consent", "v2.0"]),
        ("it's", ["it", "s"]),
        ("El año «2026»", ["El", "año", "2026"]),
        ("e\u0301clair", ["éclair"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("🚀🚀🚀", []),
        ("a\u200bbcd", ["a", "bcd"]),
        ("nul\0byte\ttab", ["nul", "byte", "tab"]),
        ("- . -- _", ["_"]),
        ("", []),
    ],
)
def test_words(text: str, wanted: list[str]) -> None:
    assert words(text) == wanted


def test_kept_and_dropped() -> None:
    terms = distinctive("Please fix THE Straße banner in a banner", STOP)
    assert [tuple(term) for term in terms.kept] == [("Straße", "strasse"), ("banner", "banner")]
    assert terms.dropped == ("please", "fix", "the", "in", "a")


def test_only_the_first_words_count() -> None:
    terms = distinctive(" ".join(f"word{n:02}" for n in range(30)), STOP)
    assert [term.folded for term in terms.kept] == [f"word{n:02}" for n in range(20)]


def test_one_word_in_two_spellings_counts_once() -> None:
    assert len(distinctive("página PAGINA pagina", STOP).kept) == 1


def test_a_pasted_log_is_not_read_to_its_end() -> None:
    terms = distinctive("the " * PROMPT_CHARS + "banner", STOP)
    assert terms.kept == ()


@given(st.text(max_size=300))
def test_terms_are_folded_long_enough_and_different(prompt: str) -> None:
    kept = distinctive(prompt, STOP, limit=5, min_chars=3).kept
    folded = [term.folded for term in kept]
    assert len(folded) == len(set(folded)) <= 5
    for term in kept:
        assert len(term.folded) >= 3
        assert term.folded not in STOP
        assert term.folded == fold(term.spelled)
