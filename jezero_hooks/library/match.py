"""Query → MATCH: nothing that anyone types is an operator."""

from __future__ import annotations

from ..model import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Fragments of words, of paths and of error codes are found, in any script, accents off.
ITEMS_TOKENIZER = "trigram remove_diacritics 1"
DOCUMENTS_TOKENIZER = "porter unicode61"  # prose: running finds runs, and accents are off


class Bounds(NamedTuple):
    """How much of a query is used."""

    query_chars: int = 4096  # beyond it is a pasted text, and its beginning says enough
    terms: int = 64  # each term is a walk over its postings
    term_chars: int = 100  # longer runs are blobs that no item holds twice


class DocumentBounds(NamedTuple):
    """How much of a query is used in a search of documents."""

    query_chars: int = 100  # a line; a site's search box holds no more
    terms: int = 8  # all must stand in a page: more find nothing
    min_query_chars: int = 2  # one letter begins half of all words


def min_term_chars(tokenizer: str) -> int:
    """Return the shortest term the tokenizer can match: a trigram needs three characters."""
    names = [word.lower() for word in tokenizer_words(tokenizer)]
    while names[:1] == ["porter"]:
        del names[0]  # it stems what another one finds
    return 3 if names[:1] == ["trigram"] else 1


def tokenizer_words(tokenizer: str) -> list[str]:
    """Return a tokenizer's name and options as FTS5 reads them.

    Words, or texts in single quotes with each quote inside doubled: ``tokenchars '-_'``.
    """
    words: list[str] = []
    rest = tokenizer.strip()
    while rest:
        if rest[0] == "'":
            word, _, rest = rest[1:].partition("'")
            while rest[:1] == "'":
                more, _, rest = rest[1:].partition("'")
                word += "'" + more
        else:
            word, _, rest = rest.partition(" ")
        words.append(word)
        rest = rest.lstrip()
    return words


def match_query(query: str, *, min_chars: int, bounds: Bounds | None = None) -> str | None:
    """Return the MATCH expression of a query, None when no term is left.

    "Quoted phrases" and words, each quoted, joined with OR. Source: RULES 2.1.
    """
    bounds = bounds or Bounds()
    text = "".join(c if c >= " " and c != "\x7f" else " " for c in query[: bounds.query_chars + 1])
    return match_terms(_split(_beginning(text, bounds)), min_chars=min_chars, bounds=bounds)


def match_terms(
    terms: Iterable[str], *, min_chars: int, bounds: Bounds | None = None
) -> str | None:
    """Return the MATCH expression of ready terms: too short ones dropped, each once."""
    bounds = bounds or Bounds()
    quoted: dict[str, None] = {}
    for term in terms:
        if len(quoted) == bounds.terms:
            break
        term = term[: bounds.term_chars].strip()
        if len(term) >= min_chars:
            quoted['"' + term.replace('"', '""') + '"'] = None
    return " OR ".join(quoted) or None


def _beginning(text: str, bounds: Bounds) -> str:
    """Return the first query_chars of a text, without the word that this cuts in two."""
    cut = text[: bounds.query_chars]
    if cut == text or text[bounds.query_chars].isspace():
        return cut
    return cut[: cut.rfind(" ") + 1] or cut


def _split(text: str) -> Iterator[str]:
    """Yield phrases (a quote at a term's beginning up to the next quote) and words."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        close = text.find('"', at + 1) if text[at] == '"' else -1
        if close > at + 1:
            yield text[at + 1 : close]
            at = close + 1
            continue
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        yield text[at:end].strip('"')
        at = end
