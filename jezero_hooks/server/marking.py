"""What of a query stands in an item: its words, and the piece that shows them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..rules.evidence import stands_whole
from ..rules.fold import fold
from ..rules.snippet import item_snippet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..library.reader import Reader
    from ..model import Item

# A term of a MATCH expression: in quotes, those inside doubled.
TERM = re.compile('"((?:[^"]|"")*)"')
SNIPPET_CHARS = 240


def terms_of(match: str | None) -> list[str]:
    """Return the terms of a MATCH expression."""
    return [term.replace('""', '"') for term in TERM.findall(match or "")]


def found_words(item: Item, terms: Sequence[str], reader: Reader) -> list[str]:
    """Return the terms that stand in the item: anywhere to a trigram index, else whole."""
    return _standing(terms, "\n".join((item.title, *_texts(item), item.project or "")), reader)


def snippet(item: Item, terms: Sequence[str], reader: Reader) -> str:
    """Return, as HTML with ``<mark>``, a piece of the text that holds most of the terms.

    Of the summary, where that holds as many as a question or an atom does.
    """
    best = max(_texts(item), key=lambda text: len(_standing(terms, text, reader)))
    return item_snippet(best, terms, max_chars=SNIPPET_CHARS)


def _texts(item: Item) -> list[str]:
    return [item.summary, *item.questions, *(atom.text for atom in item.atoms)]


def _standing(terms: Sequence[str], text: str, reader: Reader) -> list[str]:
    folded = fold(text)
    if "trigram" in reader.tokenizer:
        return [term for term in terms if fold(term) in folded]
    return [term for term in terms if stands_whole(fold(term), folded)]
