"""Whole words in title or summary, or no evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.evidence import evidence, stands_whole


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
