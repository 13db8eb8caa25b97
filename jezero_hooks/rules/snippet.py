"""Snippets: the piece of a text that shows why it was found, as HTML with ``<mark>`` alone.

What is compared is folded; what is shown is as it was written.
"""

from __future__ import annotations

from ..model import NamedTuple
from .fold import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Span = tuple[int, int]

# No indexed text holds these control characters, so a mark is known from what was written.
MARK, MARK_END = "\x02", "\x03"
ELLIPSIS = "…"

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
        return bool(_places(literal, text.lower(), first=True))
    # Folding a long text costs more than looking for the sign in it.
    reach = 2 * len(literal.folded) + 8
    at = text.find(literal.sign)
    while at >= 0:
        start = max(at - reach, 0)
        piece = fold(text[start : at + len(literal.sign) + reach])
        # At the piece's own edge nothing tells what stood before.
        if _places(literal, piece if start == 0 else "x" + piece, first=True):
            return True
        at = text.find(literal.sign, at + 1)
    return False


def _places(literal: Literal, folded: str, *, first: bool = False) -> list[Span]:
    """Return where the literal stands in a folded text."""
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


# --- marks ------------------------------------------------------------------------------------


def snippet_html(marked: str, literals: Sequence[Literal] = (), words: Iterable[str] = ()) -> str:
    """Return a text with control characters for marks as HTML: escaped, only marks are tags.

    A literal is marked as it was written (``C++``), its words alone (``C``) are not, unless
    they are among the other words that were asked for.
    """
    text, marks = _unmarked(marked)
    if literals:
        marks = _with_literals(text, marks, literals, words)
    return _html(text, marks)


def snippet_text(html: str) -> str:
    """Return a snippet of HTML as plain text, without its marks."""
    text = html.replace("<mark>", "").replace("</mark>", "")
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def has_literal(marked: str, literals: Iterable[Literal]) -> bool:
    """Return whether a marked text holds one of the literals."""
    text = marked.replace(MARK, "").replace(MARK_END, "")
    return any(stands_as_written(literal, text) for literal in literals)


def literal_snippet(text: str, literals: Sequence[Literal], max_chars: int) -> str:
    """Return the piece of a text around the first literal, as snippet_html would mark it."""
    folded, places = _folded(text)
    found = [span for literal in literals for span in _places(literal, folded, first=True)]
    at = places[min(found)[0]] if found else 0
    start, end = _piece(text, at, max_chars)
    piece = text[start:end]
    return _cut(text, start, end, _html(piece, _with_literals(piece, [], literals)))


def item_snippet(text: str, words: Iterable[str], *, max_chars: int = 200) -> str:
    """Return a piece of a text around the first of the words that stands in it, as HTML.

    Words are compared folded and also found within longer ones, as a trigram index finds
    them; without one the text's beginning. Line ends become blanks. At most max_chars of the
    text, broken at blanks where there are any, with an ellipsis where it was cut.
    """
    text = " ".join(text[: 100 * max_chars].split())
    wanted = [folded for word in words if (folded := fold(word).strip())]
    folded, places = _folded(text)
    starts = [at for word in wanted if (at := folded.find(word)) >= 0]
    start, end = _piece(text, places[min(starts)] if starts else 0, max_chars)
    marks = []
    for word in wanted:
        at = folded.find(word)
        while at >= 0:
            span = places[at], places[at + len(word)]
            if start <= span[0] < span[1] <= end:
                marks.append((span[0] - start, span[1] - start))
            at = folded.find(word, at + len(word))
    return _cut(text, start, end, _html(text[start:end], _joined(marks)))


def cut(text: str, max_chars: int) -> str:
    """Return the beginning of a text, broken at a blank where there is one."""
    start, end = _piece(text, 0, max_chars)
    return _cut(text, start, end, text[start:end])


def _unmarked(marked: str) -> tuple[str, list[Span]]:
    """Return the text without marks, and where they were; a mark without its end is none."""
    text, marks, opened = "", list[tuple[int, int]](), -1
    at = 0
    for index, ch in enumerate(marked):
        if ch not in (MARK, MARK_END):
            continue
        text += marked[at:index]
        at = index + 1
        if ch == MARK:
            opened = len(text)
        elif opened >= 0:
            marks.append((opened, len(text)))
            opened = -1
    return text + marked[at:], marks


def _with_literals(
    text: str, marks: list[Span], literals: Sequence[Literal], words: Iterable[str] = ()
) -> list[Span]:
    folded, places = _folded(text)
    found = [
        (places[start], places[end])
        for literal in literals
        for start, end in _places(literal, folded)
    ]
    parts = {part for literal in literals for part in _words(literal.folded)}
    parts |= {" ".join(_words(literal.folded)) for literal in literals}
    parts -= {fold(word) for word in words}
    kept = [(start, end) for start, end in marks if _plain(text[start:end]) not in parts]
    return _joined([*kept, *found])


def _plain(text: str) -> str:
    return " ".join(_words(fold(text)))


def _words(folded: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in folded).split()


def _folded(text: str) -> tuple[str, list[int]]:
    """Return the folded text, and for each of its letters (and its end) the place in the text."""
    if text.isascii():
        return text.lower(), list(range(len(text) + 1))
    from unicodedata import combining

    folded, places, at = list[str](), list[int](), 0
    while at < len(text):
        end = at + 1
        while end < len(text) and combining(text[end]):
            end += 1
        letters = fold(text[at:end])
        folded.append(letters)
        places += [at] * len(letters)
        at = end
    return "".join(folded), [*places, len(text)]


def _joined(spans: list[Span]) -> list[Span]:
    """Return the spans in order, those that overlap as one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif start < end:
            joined.append((start, end))
    return joined


def _piece(text: str, at: int, max_chars: int) -> Span:
    """Return the bounds of a piece of the text, a third of it before the place."""
    start = max(0, min(at - max_chars // 3, len(text) - max_chars))
    end = min(start + max_chars, len(text))
    if start and (blank := text.find(" ", start, at)) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", at + 1, end)) > at:
        end = blank
    return start, end


def _cut(text: str, start: int, end: int, html: str) -> str:
    return ELLIPSIS * (start > 0) + html + ELLIPSIS * (end < len(text))


def _html(text: str, marks: list[Span]) -> str:
    parts, at = list[str](), 0
    for start, end in marks:
        parts += (_escaped(text[at:start]), "<mark>", _escaped(text[start:end]), "</mark>")
        at = end
    return "".join((*parts, _escaped(text[at:])))


def _escaped(text: str) -> str:
    """Return a text as HTML shows it, between tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
