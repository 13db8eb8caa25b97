"""Documents: what the library answers of the user's own pages. It never writes."""

from __future__ import annotations

import itertools

from ..jsontext import dump
from ..model import Document, DocumentHit
from ..rules.limits import MAX_ID
from ..rules.literals import stands_as_written
from ..rules.ranking import Candidate, Scored, rank
from ..rules.snippet import cut, has_literal, literal_snippet, snippet_html
from . import sql
from .connection import Faults
from .document_query import DocumentQuery, document_query
from .engine import apsw
from .match import match_terms, min_term_chars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from ..rules.literals import Literal
    from ..rules.ranking import DocumentRanking
    from .match import DocumentBounds

# Documents are a source of this name where it is said who may read what (RULES 10.1).
SOURCE = "documents"
# A word of prose with its blank, about: how long the piece around a literal is.
TOKEN_CHARS = 7
# A page of this length is marked as a whole: a thousand words, of which any may match. FTS5's
# snippet takes time by the square of the matches; of a longer page the best piece is marked.
WHOLE_CHARS = 8_000


class Documents:
    """The documents of an open library; one without them answers with nothing.

    ``allowed`` are globs of the sources that may be read; ``may_be_read`` tells whether the
    documents, if there are any, are among them. Every method may raise LibraryError,
    which names the file.
    """

    def __init__(
        self, db: apsw.Connection, path: str, allowed: tuple[str, ...] | None = None
    ) -> None:
        self.path = path
        self._db = db
        with Faults(path):
            there = db.execute(sql.HAS_TABLE, {"name": "documents_fts"}).fetchone() is not None
            self.tokenizer = self._meta("documents_tokenizer") if there else None
            self.may_be_read = there and (allowed is None or self._is_allowed(allowed))

    def _meta(self, key: str) -> str | None:
        row = self._db.execute(sql.META, {"key": key}).fetchone()
        return str(row[0]) if row else None

    def _is_allowed(self, allowed: tuple[str, ...]) -> bool:
        values = {"globs": dump(list(allowed)), "source": SOURCE}
        return self._db.execute(sql.DOCUMENTS_ALLOWED, values).fetchone() is not None

    def search(
        self,
        query: str,
        *,
        ranking: DocumentRanking,
        bounds: DocumentBounds,
        now_s: float,
        limit: int,
        offset: int = 0,
        type_: str | None = None,
        before: str | None = None,
    ) -> tuple[str | None, list[DocumentHit]]:
        """Return the MATCH expression of a query, and its hits from ``offset`` on, best first.

        Undated pages are found at any ``before``. A query that is too short, or without a
        term, has no expression and no hit. Source: RULES 12.
        """
        asked = document_query(query, bounds)
        if asked.match is None or len(query.strip()) < bounds.min_query_chars:
            return None, []
        if not self.may_be_read:
            return asked.match, []
        filters = {"type": type_, "before": before}
        # A savepoint: an indexing must not take a page away between two of the statements.
        with Faults(self.path), self._db:
            best = self._best(asked, ranking, filters, now_s=now_s, wanted=offset + limit)[offset:]
            hits = self._hits(best, asked, ranking)
        return asked.match, hits

    def search_any(
        self,
        words: Iterable[str],
        *,
        ranking: DocumentRanking,
        now_s: float,
        limit: int,
        before: str | None = None,
    ) -> list[DocumentHit]:
        """Return the documents that hold any of the words, best first, without snippets."""
        match = match_terms(words, min_chars=min_term_chars(self.tokenizer or ""))
        if match is None or not self.may_be_read:
            return []
        filters = {"type": None, "before": before}
        with Faults(self.path), self._db:
            asked = DocumentQuery(match, (), ())
            best = self._best(asked, ranking, filters, now_s=now_s, wanted=limit)
            rows = self._rows(best)
        return [DocumentHit(*[*rows[id_], "", -score, relevance]) for id_, relevance, score in best]

    def _rows(self, best: list[Scored]) -> dict[int, list[Any]]:
        ids = dump([scored.id for scored in best])
        found = self._db.execute(sql.FOUND_DOCUMENTS, {"ids": ids})
        return {row[0]: list(row) for row in found}

    def _best(
        self,
        asked: DocumentQuery,
        ranking: DocumentRanking,
        filters: dict[str, str | None],
        *,
        now_s: float,
        wanted: int,
    ) -> list[Scored]:
        values: dict[str, apsw.SQLiteValue] = {
            **ranking.weights._asdict(),
            **filters,
            "match": asked.match,
        }
        rows = self._db.execute(sql.SEARCH_DOCUMENTS, values)
        found = (Candidate(id_, relevance, date_s, SOURCE, "") for id_, relevance, date_s in rows)
        written = (c for c in found if self._is_as_written(c.id, asked.literals))
        contenders = contending(written, 1 + ranking.recency_boost, wanted)
        return rank(contenders, now_s=now_s, recency=ranking.recency(), limit=wanted)

    def _is_as_written(self, id_: int, literals: Sequence[Literal]) -> bool:
        if not literals:
            return True
        fields = self._db.execute(sql.DOCUMENT_FIELDS, {"id": id_}).fetchall()[0]
        return all(
            any(stands_as_written(literal, str(field)) for field in fields) for literal in literals
        )

    def _hits(
        self, best: list[Scored], asked: DocumentQuery, ranking: DocumentRanking
    ) -> list[DocumentHit]:
        ids = dump([scored.id for scored in best])
        rows = self._rows(best)
        tokens = ranking.snippet_tokens
        values = {
            "match": asked.match,
            "ids": ids,
            "tokens": tokens,
            "whole_chars": WHOLE_CHARS,
        }
        marked = dict(self._db.execute(sql.SNIPPETS, values))
        hits = []
        for id_, relevance, score in best:
            own = marked.get(id_, "")
            text = self._of_long_page(id_, asked, tokens) if own is None else str(own)
            snippet = self._snippet(id_, text, asked, tokens)
            hits.append(DocumentHit(*[*rows[id_], snippet, -score, relevance]))
        return hits

    def _of_long_page(self, id_: int, asked: DocumentQuery, tokens: int) -> str:
        from .pieces import piece_snippet  # no hook asks for it

        content = str(self._db.execute(sql.DOCUMENT_FIELDS, {"id": id_}).fetchall()[0][2])
        marked = piece_snippet(
            content, asked.any_word(), tokenizer=self.tokenizer or "", tokens=tokens
        )
        return cut(content, TOKEN_CHARS * tokens) if marked is None else marked

    def _snippet(self, id_: int, marked: str, asked: DocumentQuery, tokens: int) -> str:
        """Return the snippet as HTML; where the index's own misses C++, the piece around it."""
        if asked.literals and tokens and not has_literal(marked, asked.literals):
            content = str(self._db.execute(sql.DOCUMENT_FIELDS, {"id": id_}).fetchall()[0][2])
            if has_literal(content, asked.literals):
                return literal_snippet(content, asked.literals, TOKEN_CHARS * tokens)
        literal_words = {literal.folded for literal in asked.literals}
        plain = [word for word in asked.words if word.lower() not in literal_words]
        return snippet_html(marked, asked.literals, plain)

    def types(self) -> list[str]:
        """Return the types of the documents, in the order in which they were indexed."""
        if not self.may_be_read:
            return []
        with Faults(self.path):
            return [str(type_) for (type_,) in self._db.execute(sql.DOCUMENT_TYPES)]

    def count(self, before: str | None = None) -> int:
        """Return the number of documents, of those not dated at or after a time if given."""
        if not self.may_be_read:
            return 0
        with Faults(self.path):
            ((count,),) = self._db.execute(sql.COUNT_DOCUMENTS, {"before": before}).fetchall()
            return int(str(count))

    def document(self, id_: int, before: str | None = None) -> Document | None:
        """Return a document whole; None: not there, or not to be read."""
        if not (self.may_be_read and 0 < id_ <= MAX_ID):
            return None
        with Faults(self.path):
            values = {"id": id_, "before": before}
            row = self._db.execute(sql.DOCUMENT, values).fetchone()
            return Document(*row) if row else None


def contending(found: Iterator[Candidate], greatest: float, wanted: int) -> Iterator[Candidate]:
    """Yield, of candidates by relevance, those that recency can lift among the first ``wanted``.

    No factor is below 1, so these many have scores of at least the last one's relevance; what
    does not reach that with the greatest factor is out, and so is all that follows.
    """
    first = list(itertools.islice(found, wanted))
    yield from first
    floor = first[-1].relevance if first else 0.0
    yield from itertools.takewhile(lambda c: c.relevance * greatest >= floor, found)
