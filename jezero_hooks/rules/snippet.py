"""Snippets: the piece of a text that shows why it was found, as HTML with ``<mark>`` alone.

What is compared is folded; what is shown is as it was written.
"""

from __future__ import annotations

from .fold import fold
from .literals import places_of, stands_as_written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .literals import Literal, Span

# No indexed text holds these control characters, so a mark is known from what was written.
MARK, MARK_END = "\x02", "\x03"
ELLIPSIS = "…"


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
    found = [span for literal in literals for span in places_of(literal, folded, first=True)]
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
        for start, end in places_of(literal, folded)
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
