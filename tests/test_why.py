"""Why a hit of the first prompt is shown or not, in one line."""

from __future__ import annotations

import pytest

from jezero_hooks.config import FirstPrompt
from jezero_hooks.hook import Judged
from jezero_hooks.model import Hit
from jezero_hooks.why import why

HIT = Hit(1, "t1", "test", None, "2026-09-01T00:00:00+00:00", "A title", "", 2.0, 1.5)


@pytest.mark.parametrize(
    ("matched", "shown", "text"),
    [
        ((), False, "none of the words stands whole in title or summary; it takes 2"),
        (("login",), False, "only login stands whole in title or summary; it takes 2"),
        (("login", "page"), True, "shown: login and page stand whole in title or summary"),
        (("a", "b", "c"), True, "shown: a, b and c stand whole in title or summary"),
        (
            ("login", "page"),
            False,
            "kept, but only 3 may be shown: login and page stand whole in title or summary",
        ),
    ],
)
def test_why(matched: tuple[str, ...], shown: bool, text: str) -> None:
    rule = FirstPrompt()
    assert why(Judged(HIT, matched, len(matched) >= rule.evidence_words), shown, rule) == text


def test_one_word_can_be_enough() -> None:
    rule = FirstPrompt(evidence_words=1)
    assert why(Judged(HIT, ("login",), True), True, rule) == (
        "shown: login stands whole in title or summary"
    )
