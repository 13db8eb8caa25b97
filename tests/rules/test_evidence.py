"""Whole words in title or summary, or no evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.evidence import evidence, stands_whole, whole_words
from jezero_hooks.rules.fold import fold
from jezero_hooks.rules.terms import words


@pytest.mark.parametrize(
    ("word", "text", "stands"),
    [
        ("migration", "the migration ran", True),
        ("migration", "migrations ran", False),
        ("migration", "migrations, then a migration", True),
        ("foo", "foo_bar", False),
        ("foo_bar", "set foo_bar=1", True),
        ("node", "node.js", True),
        ("js", "node.js", True),
        ("commit", "pre-commit hook", True),
        ("2.0", "v2.0", False),
        ("v2.0", "(v2.0)", True),
        ("東京都", "東京都渋谷区", False),
        ("a", "", False),
        ("aa", "aaa aa", True),
    ],
)
def test_stands_whole(word: str, text: str, stands: bool) -> None:
    assert stands_whole(word, text) == stands


def test_title_and_summary_count_together_in_the_order_asked() -> None:
    assert evidence(["rollback", "deploy", "xyz"], "Deploy", "about a Rollback") == (
        "rollback",
        "deploy",
    )


def test_no_word_stands_across_title_and_summary() -> None:
    assert evidence(["ab"], "a", "b") == ()


@given(st.text(alphabet="ab _.é", max_size=20), st.text(alphabet="ab _.é", max_size=20))
def test_a_word_stands_where_spaces_are_around_it(before: str, after: str) -> None:
    assert evidence(["consent"], f"{before} consent {after}", "") == ("consent",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Node.js", {"node", "js", "node.js"}),
        ("foo_bar -x-", {"foo_bar", "x"}),
        ("a.b-c", {"a", "b", "c", "a.b", "b-c", "a.b-c"}),
        ("Straße!", {"strasse"}),
        ("_.._", {"_", "_.._"}),
        ("x" * 101, set()),
        ("", set()),
    ],
)
def test_whole_words(text: str, words: set[str]) -> None:
    assert whole_words(text, "") == whole_words("", text) == words


LETTERS = st.text("abß_.-12 é,нйё́ािह½", max_size=14)


@given(LETTERS, LETTERS, LETTERS)
def test_whole_words_are_those_of_the_evidence(title: str, summary: str, prompt: str) -> None:
    """What a prompt's word may be stands whole where the counts have it, and nowhere else."""
    held = whole_words(title, summary)
    assert set(evidence(held, title, summary)) == held
    asked = {fold(word) for word in words(f"{prompt} {title} {summary}")}
    asked = {word for word in asked if words(word) == [word]}
    assert {word for word in asked if word in held} == set(evidence(asked, title, summary))


def test_whole_words_are_bounded() -> None:
    long = ".".join("abcdefghij")
    assert len(whole_words(long, "")) == 3 * 8 + sum(range(8)) + 1
    assert len(whole_words("a." * 5_000, "")) < 50
