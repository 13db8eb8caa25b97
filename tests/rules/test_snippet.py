"""Snippets: only real marks are marks; what is compared is folded, what is shown is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.rules.literals import literal_of, stands_as_written
from jezero_hooks.rules.snippet import ELLIPSIS, item_snippet, snippet_html


@pytest.mark.parametrize(
    ("marked", "html"),
    [
        ("a \x02b\x03 c", "a <mark>b</mark> c"),
        ("\x02<b>\x03 & <mark>x</mark>", "<mark>&lt;b&gt;</mark> &amp; &lt;mark&gt;x&lt;/mark&gt;"),
        ('it\'s "so"', 'it\'s "so"'),
        ("no \x02 end", "no  end"),
        ("no \x03 beginning", "no  beginning"),
        ("\x02a\x02b\x03c\x03", "a<mark>b</mark>c"),
        ("", ""),
    ],
)
def test_marks_alone_are_tags(marked: str, html: str) -> None:
    assert snippet_html(marked) == html


def test_a_literal_is_marked_whole_and_its_words_alone_are_not() -> None:
    literal = literal_of("C++", is_prefix=True)
    assert literal is not None
    marked = "\x02C\x03 and \x02C\x03++"
    assert snippet_html(marked, [literal]) == "C and <mark>C++</mark>"
    both = "<mark>C</mark> and <mark>C++</mark>"
    assert snippet_html(marked, [literal], ["c"]) == both


@given(st.text(alphabet="ab<>&\"'\x02\x03 é"))
def test_whatever_is_marked_is_sound_html(marked: str) -> None:
    html = snippet_html(marked)
    assert html.count("<mark>") == html.count("</mark>")
    rest = html.replace("<mark>", "").replace("</mark>", "")
    assert "<" not in rest
    assert ">" not in rest


@pytest.mark.parametrize(
    ("term", "text", "stands"),
    [
        ("C++", "written in C++.", True),
        ("c++", "C++17", True),
        ("C++", "C and ++", False),
        ("C++", "abC++", False),
        ("C++", "C+++", False),
        ("C#", "F# and c#", True),
        ("#tag", "a #tag", True),
        ("#tag", "a ##tag", False),
        ("snake_case", "a snake_case_name", True),
        ("snake_case", "snake case", False),
        ("snake_case", "my_snake_case", False),
        ("snake_case", "snake_cases", True),
        ("café_au", "CAFE_AU lait", True),
        ("cafe_au", "ein Café_Au, " + "é" * 500, True),
        ("cafe_au", "é" * 500 + "café_au", False),
        ("cafe_au", "é" * 500 + " café_au", True),
        ("cafe_au", "e\u0301" * 500 + " cafe\u0301_au", True),
        ("__init__", "def __init__(self)", True),
    ],
)
def test_as_written(term: str, text: str, stands: bool) -> None:
    literal = literal_of(term, is_prefix=True)
    assert literal is not None
    assert stands_as_written(literal, text) is stands


def test_a_word_that_does_not_end_the_query_is_whole() -> None:
    literal = literal_of("snake_case", is_prefix=False)
    assert literal is not None
    assert not stands_as_written(literal, "snake_cases")
    assert stands_as_written(literal, "snake_case_name")


@pytest.mark.parametrize("term", ["grid*", "-css", "+", "a", "title:grid", "node.js", "##", "é"])
def test_other_terms_are_no_literals(term: str) -> None:
    assert literal_of(term, is_prefix=True) is None


@pytest.mark.parametrize(
    ("text", "words", "html"),
    [
        ("one two three", ["two"], "one <mark>two</mark> three"),
        ("Straße <b>", ["strasse"], "<mark>Straße</mark> &lt;b&gt;"),
        ("Straße", ["STRASSE", "straße"], "<mark>Straße</mark>"),
        ("Crème BRÛLÉE", ["brulee", "creme"], "<mark>Crème</mark> <mark>BRÛLÉE</mark>"),
        ("migrations", ["migration"], "<mark>migration</mark>s"),
        ("a\n b", ["zzz"], "a b"),
        ("abc", ["ab", "bc"], "<mark>abc</mark>"),
        ("abc", ["", " "], "abc"),
        ("", ["a"], ""),
    ],
)
def test_items(text: str, words: list[str], html: str) -> None:
    assert item_snippet(text, words) == html


def test_an_item_is_cut_around_its_first_word() -> None:
    text = "alpha " * 100 + "needle " + "omega " * 100
    html = item_snippet(text, ["needle"], max_chars=60)
    assert "<mark>needle</mark>" in html
    assert html.startswith(ELLIPSIS + "alpha")
    assert html.endswith("omega" + ELLIPSIS)
    assert len(html) <= 60 + len("<mark></mark>") + 2


@given(st.text(), st.lists(st.text(max_size=5), max_size=3), st.integers(10, 80))
def test_items_are_bounded_and_sound(text: str, words: list[str], most: int) -> None:
    html = item_snippet(text, words, max_chars=most)
    bare = html.replace("<mark>", "").replace("</mark>", "")
    assert "<" not in bare
    assert len(bare.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")) <= most + 2
