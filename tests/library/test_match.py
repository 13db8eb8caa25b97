"""MATCH expressions: nothing that is typed is an operator."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from jezero_hooks.library.match import Bounds, match_query, match_terms, min_term_chars
from jezero_hooks.library.writer import library_in_memory

LIBRARY = library_in_memory().reader()


def test_min_term_chars() -> None:
    assert min_term_chars("trigram remove_diacritics 1") == 3
    assert min_term_chars("porter unicode61") == 1
    assert min_term_chars("") == 1


def test_bounds() -> None:
    bounds = Bounds(query_chars=20, terms=2, term_chars=4)
    assert match_query("abcdef ghi jkl", min_chars=3, bounds=bounds) == '"abcd" OR "ghi"'
    assert match_query("abc " * 5 + "xyz", min_chars=3, bounds=bounds) == '"abc"'
    # The word that the bound cuts in two is none.
    assert match_query("abcdefghij klm nopqrs", min_chars=3, bounds=bounds) == '"abcd" OR "klm"'


def test_terms_are_quoted_once() -> None:
    assert match_terms(["a b", 'say "x"', "a b", " "], min_chars=1) == '"a b" OR "say ""x"""'
    assert match_terms([], min_chars=1) is None


@given(st.text(max_size=200))
def test_any_text_is_a_valid_expression_or_none(query: str) -> None:
    match = match_query(query, min_chars=3)
    assert LIBRARY.search(match, now_s=0, limit=5) == []
    if match is not None:
        assert re.fullmatch(r'"(?:[^"]|"")+"(?: OR "(?:[^"]|"")+")*', match, re.DOTALL)


@given(st.text(alphabet='ab" OR*()NEAR:^-+', max_size=60))
def test_operators_are_text(query: str) -> None:
    LIBRARY.search(match_query(query, min_chars=1), now_s=0, limit=5)
