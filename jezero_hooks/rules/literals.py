"""Literals: terms with a sign, which must stand in a text as they were written.

What is compared is folded.
"""

from __future__ import annotations

from ..model import NamedTuple
from .fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int]

# Signs that a tokenizer drops, and that make another word of one: C++, C#, snake_case.
SIGNS = "+#_"


class Literal(NamedTuple):
    """A term that must stand in a text as it was written, but for case and accents."""

    folded: str
    sign: str  # its longest run of signs: quickly found
    is_prefix: bool


def literal_of(term: str, *, is_prefix: bool) -> Literal | None:
    """Return the literal of a term with a sign beside a letter or digit, None of another one.

    One that ends in a sign is no prefix. Source: RULES 12.3.
    """
    pairs = [(term[at], term[at + 1]) for at in range(len(term) - 1)]
    if not any((a in SIGNS and b.isalnum()) or (b in SIGNS and a.isalnum()) for a, b in pairs):
        return None
    runs = "".join(c if c in SIGNS else " " for c in term).split()
    return Literal(fold(term), max(runs, key=len), is_prefix and term[-1] not in SIGNS)


def stands_as_written(literal: Literal, text: str) -> bool:
    """Return whether the text holds the literal, whole or, of a prefix, at a word's beginning."""
    if text.isascii():
        return bool(places_of(literal, text.lower(), first=True))
    # Folding a long text costs more than looking for the sign in it.
    reach = 2 * len(literal.folded) + 8
    at = text.find(literal.sign)
    while at >= 0:
        start = max(at - reach, 0)
        piece = fold(text[start : at + len(literal.sign) + reach])
        # At the piece's own edge nothing tells what stood before.
        if places_of(literal, piece if start == 0 else "x" + piece, first=True):
            return True
        at = text.find(literal.sign, at + 1)
    return False


def places_of(literal: Literal, folded: str, *, first: bool = False) -> list[Span]:
    """Return where the literal stands in a folded text, from and to."""
    word, places = literal.folded, list[tuple[int, int]]()
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        if not _joins(folded[at - 1 : at], word[0]) and _ends(literal, folded[end : end + 1]):
            places.append((at, end))
            if first:
                return places
        at = folded.find(word, at + 1)
    return places


def _joins(before: str, begins: str) -> bool:
    return before.isalnum() or before == "_" or (before != "" and before == begins in SIGNS)


def _ends(literal: Literal, after: str) -> bool:
    if literal.folded[-1] in SIGNS:  # snake_ is the beginning of snake_case, C+ not of C++
        return after != literal.folded[-1]
    return literal.is_prefix or not after.isalnum()
