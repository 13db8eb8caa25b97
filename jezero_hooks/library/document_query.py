"""A query of documents: every word must stand in a page, the last one may go on.

Nothing that anyone types is an operator.
"""

from __future__ import annotations

from ..model import NamedTuple
from ..rules.literals import Literal, literal_of
from .match import DocumentBounds

# What people put around words; inside a word it is a word's end (it's).
QUOTES = "'\"`"


class DocumentQuery(NamedTuple):
    """A MATCH expression (None: no term is left), and the terms that must stand as written."""

    match: str | None
    literals: tuple[Literal, ...]
    words: tuple[str, ...]

    def any_word(self) -> str:
        """Return the MATCH expression of which any word is enough, the last one as it was."""
        quoted = " OR ".join(f'"{word}"' for word in self.words)
        return quoted + "*" * (self.match or "").endswith("*")


def document_query(query: str, bounds: DocumentBounds) -> DocumentQuery:
    """Return what a query asks of FTS5, and what it asks beyond that.

    Split at whitespace and quotes, each term quoted, joined by AND, the last one a prefix,
    unless it ends in a sign as ``C++`` does. Source: RULES 12.3.
    """
    text = "".join(" " if c < " " or c in QUOTES or c == "\x7f" else c for c in query)
    terms = text[: bounds.query_chars].split()[: bounds.terms]
    if not terms:
        return DocumentQuery(None, (), ())
    last = literal_of(terms[-1], is_prefix=True)
    goes_on = last is None or last.is_prefix
    literals = [literal_of(term, is_prefix=False) for term in terms[:-1]]
    return DocumentQuery(
        " ".join(f'"{term}"' for term in terms) + "*" * goes_on,
        tuple(literal for literal in (*literals, last) if literal),
        tuple(terms),
    )
