"""One spelling for prompt and item: accents off, letters kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.fold import fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Consent BANNER", "consent banner"),
        ("Página", "pagina"),
        ("Pa\u0301gina", "pagina"),
        ("Straße", "strasse"),
        ("GROẞ", "gross"),
        ("Łódź", "lodz"),
        ("Ærøskøbing", "aeroskobing"),
        ("œuvre", "oeuvre"),
        ("Đorđe", "dorde"),
        ("İSTANBUL", "istanbul"),
        ("ızgara", "izgara"),
        ("ﬁle ﬀect", "file ffect"),
        ("ＡＢＣ", "abc"),
        ("Việt phở ắ", "viet pho a"),
        ("новый Йошкар", "новый йошкар"),
        ("ї ў", "ї ў"),
        ("Ёлка", "елка"),
        ("ΣΊΣΥΦΟΣ σίσυφος", "σισυφοσ σισυφοσ"),
        ("ὰλφα ᾳ", "αλφα α"),
        ("東京都 がぎ", "東京都 がぎ"),
        ("ﾊﾟﾝﾀﾞ", "パンダ"),
        ("한국어", "한국어"),
        ("हिन्दी", "हिन्दी"),
        ("🚀 x²", "🚀 x2"),
    ],
)
def test_table(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_homophones_of_chinese_are_not_one_word() -> None:
    assert fold("检查") != fold("建茶")


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(), st.text())
def test_a_word_folds_alike_in_any_text(one: str, other: str) -> None:
    assert fold(f"{one} {other}") == f"{fold(one)} {fold(other)}"
