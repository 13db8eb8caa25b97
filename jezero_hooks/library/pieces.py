"""The snippet of a long page: FTS5's own takes time by the square of the matches in a page."""

from __future__ import annotations

from ..rules.snippet import ELLIPSIS
from . import sql
from .connection import MEMORY
from .engine import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# So few words that all of them may match.
PIECE_CHARS = 4_000


def piece_snippet(content: str, match: str, *, tokenizer: str, tokens: int) -> str | None:
    """Return the marked snippet of the piece of a long text that fits a MATCH expression best.

    None where no piece holds a word of it. Marks and length are those of FTS5's own snippets.
    """
    pieces = list(_pieces(content))
    connection = apsw.Connection(MEMORY)
    try:
        quoted = tokenizer.replace("'", "''")
        connection.execute(sql.CREATE_PIECES.format(tokenizer=quoted))
        with connection:
            connection.executemany(sql.PUT_PIECE, ({"piece": piece} for piece in pieces))
        row = connection.execute(sql.BEST_PIECE, {"match": match, "tokens": tokens}).fetchone()
    finally:
        connection.close()
    if row is None:
        return None
    # FTS5 tells what it cut of the piece; most pages went on before it and after.
    number, marked = int(str(row[0])), str(row[1]).strip()
    start = ELLIPSIS * (number > 1 and not marked.startswith(ELLIPSIS))
    end = ELLIPSIS * (number < len(pieces) and not marked.endswith(ELLIPSIS))
    return f"{start}{marked}{end}"


def _pieces(content: str) -> Iterator[str]:
    """Yield the text in pieces, broken at blanks where there are any."""
    start = 0
    while start < len(content):
        end = start + PIECE_CHARS
        if end < len(content) and (blank := content.rfind(" ", start + 1, end)) > 0:
            end = blank
        yield content[start:end]
        start = end
