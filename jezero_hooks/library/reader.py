"""The reader: what the library answers. It never writes."""

from __future__ import annotations

import os

from ..errors import LibraryError
from ..jsontext import dump, load
from ..model import Atom, Hit, Item, ListedItem, NamedTuple, Source
from ..rules.ranking import Candidate, Ranking, rank, without_copies
from . import sql
from .connection import READ_WAIT_MS, Faults, open_reading
from .engine import apsw
from .match import Bounds, match_query, match_terms, min_term_chars, tokenizer_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

    from ..rules.related import Counts
    from ..rules.terms import Term
    from .documents import Documents


class Filters(NamedTuple):
    """What may be answered; None does not filter. Times are ISO 8601 in UTC.

    ``allowed`` are globs of the sources that may be read at all, ``since`` is inclusive,
    ``before`` exclusive; ``dated`` leaves out what has no readable date.
    """

    allowed: tuple[str, ...] | None = None
    source: str | None = None
    project: str | None = None
    since: str | None = None
    before: str | None = None
    dated: bool = False


EVERYTHING = Filters()

# Steps of SQLite between two looks at the clock: some hundredths of a millisecond.
STEPS = 500

# Of the questions, and of the atoms, of an item: what an import makes is shorter.
ASIDE_CHARS = 4_000


class OneMoment(Faults):
    """A block in which a reader sees one moment of the library, whoever writes to it.

    A block within a block, or within a transaction, is of the moment of that one.
    """

    def __init__(self, path: str, db: apsw.Connection, is_over: Callable[[], bool] | None) -> None:
        super().__init__(path)
        self._db = db
        self._is_over = is_over
        self._begins = not db.in_transaction

    def __enter__(self) -> None:
        if self._begins:
            with Faults(self.path):
                self._db.execute(sql.ONE_MOMENT)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._begins:
            self._db.set_progress_handler(None)  # the end is not to be interrupted
            self._db.execute(sql.ROLLBACK)
            self._db.set_progress_handler(self._is_over, STEPS)
        super().__exit__(kind, error, traceback)


class Reader:
    """An open library. Every method may raise LibraryError, which names the file."""

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self.path = path
        self._db = connection
        self._is_over: Callable[[], bool] | None = None
        with self._faults():
            version = self._meta("schema_version")
            self.tokenizer = self._meta("tokenizer") or ""
        if version != sql.SCHEMA_VERSION:
            raise LibraryError(f"{path}: is no library of this version (schema {version})")
        self.min_chars = min_term_chars(self.tokenizer)
        self._minds_case = "case_sensitive" in self.tokenizer

    def _faults(self) -> Faults:
        return Faults(self.path)

    def one_moment(self) -> OneMoment:
        """Within the block all answers are of one moment of the library, whoever writes to it."""
        return OneMoment(self.path, self._db, self._is_over)

    def _meta(self, key: str) -> str | None:
        row = self._db.execute(sql.META, {"key": key}).fetchone()
        return str(row[0]) if row else None

    def close(self) -> None:
        self._db.close()

    def stop_when(self, is_over: Callable[[], bool] | None) -> None:
        """From now on interrupt a statement once ``is_over`` returns True; None: never.

        Whoever asked gets a LateError. Source: RULES 7.
        """
        self._is_over = is_over
        self._db.set_progress_handler(is_over, STEPS)

    def is_empty(self) -> bool:
        with self._faults():
            return self._db.execute(sql.ANY).fetchone() is None

    def count(self, before: str | None = None, allowed: tuple[str, ...] | None = None) -> int:
        """Return the number of items that may be read, of those before a time if given."""
        with self._faults():
            sources = self._sources(allowed)
            values = {"before": before, "sources": None if sources is None else dump(sources)}
            ((items,),) = self._db.execute(sql.COUNT, values).fetchall()
            return int(str(items))

    def search(
        self,
        match: str | None,
        *,
        now_s: float,
        limit: int,
        ranking: Ranking | None = None,
        filters: Filters = EVERYTHING,
    ) -> list[Hit]:
        """Return the best ``limit`` hits of a MATCH expression, best first.

        No expression, or no source that may be read, gives no hit. Source: RULES 2.
        """
        if match is None:
            return []
        ranking = ranking or Ranking()
        with self.one_moment():
            sources = self._sources(filters.allowed)
            found = self._candidates(match, ranking, filters, sources)
            found = without_copies(found, self._original_refs, sources or ())
            best = rank(found, now_s=now_s, recency=ranking.recency(), limit=limit)
            listed = self._listed([scored.id for scored in best])
        return [
            Hit(*listed[scored.id], relevance=scored.relevance, score=scored.score)
            for scored in best
        ]

    def word_counts(self, words: Sequence[str]) -> Counts | None:
        """Return how many items hold each folded word; None: the library has no such counts.

        They are those of the whole library, whatever may be read. The words are looked up by
        key, so that it costs the same in a library of any size.
        """
        from ..rules.related import Counts  # a session start does not ask

        with self._faults():
            if self._db.execute(sql.HAS_TABLE, {"name": "hooks_words"}).fetchone() is None:
                return None
            rows = self._db.execute(sql.WORD_COUNTS, {"words": dump(["", *words])})
            holding = {str(word): int(items) for word, items in rows}
        items = holding.pop("", 0)
        return Counts(items, holding) if items else None

    def aside(self, ids: Iterable[int]) -> dict[int, tuple[str, str]]:
        """Return the questions and the atom texts of items as lines, the beginning of long ones."""
        with self._faults():
            values = {"ids": dump(list(ids)), "chars": ASIDE_CHARS}
            rows = self._db.execute(sql.ASIDE, values)
            return {int(id_): (str(asked), str(atoms)) for id_, asked, atoms in rows}

    def _sources(self, allowed: tuple[str, ...] | None) -> list[str] | None:
        """Return the sources in the library that the globs allow, None when all are."""
        if allowed is None or "*" in allowed:
            return None
        globs = {"globs": dump(list(allowed))}
        return [source for (source,) in self._db.execute(sql.ALLOWED_SOURCES, globs)]

    def _candidates(
        self, match: str, ranking: Ranking, filters: Filters, sources: list[str] | None
    ) -> list[Candidate]:
        weights = ranking.weights
        values: dict[str, apsw.SQLiteValue] = {
            "match": match,
            "pool": ranking.candidate_pool,
            "title": weights.title,
            "summary": weights.summary,
            "questions": weights.questions,
            "atoms": weights.atoms,
            "project_name": weights.project,
        }
        statement = sql.SEARCH
        if sources is not None or filters._replace(allowed=None) != EVERYTHING:
            statement = sql.SEARCH_FILTERED
            values |= filter_values(filters, sources)
        return [Candidate._make(row) for row in self._db.execute(statement, values)]

    def _original_refs(self, ids: list[int]) -> dict[int, str | None]:
        rows = self._db.execute(sql.ORIGINAL_REFS, {"ids": dump(ids)})
        return {int(id_): ref for id_, ref in rows}

    def _listed(self, ids: list[int]) -> dict[int, ListedItem]:
        rows = self._db.execute(sql.LISTED, {"ids": dump(ids)})
        return {row[0]: ListedItem._make(row) for row in rows}

    def timeline(self, *, limit: int, filters: Filters = EVERYTHING) -> list[ListedItem]:
        """Return the newest ``limit`` items, newest first, copies of a session once."""
        with self.one_moment():
            sources = self._sources(filters.allowed)
            statement = sql.TIMELINE if filters.project is None else sql.TIMELINE_OF_PROJECT
            rows = self._db.execute(statement, filter_values(filters, sources))
            return list(self._first_of_copies(map(ListedItem._make, rows), limit))

    def _first_of_copies(self, items: Iterable[ListedItem], limit: int) -> Iterator[ListedItem]:
        seen: dict[str, list[ListedItem]] = {}
        given = 0
        for item in items:
            if given == limit:
                return
            alike = seen.setdefault(item.external_id, [])
            if alike and self._is_copy(item, alike):
                continue
            alike.append(item)
            given += 1
            yield item

    def _is_copy(self, item: ListedItem, alike: list[ListedItem]) -> bool:
        refs = self._original_refs([item.id, *(other.id for other in alike)])
        ref = refs.pop(item.id)
        return ref is not None and ref in refs.values()

    def own_ids(self, item: Item, listed: Iterable[Hit | ListedItem]) -> set[int]:
        """Return which of the listed ids are the item itself or copies of its session."""
        alike = [other.id for other in listed if other.external_id == item.external_id]
        if item.original_ref is None or alike in ([], [item.id]):
            return {item.id}
        with self._faults():
            refs = self._original_refs(alike)
        return {id_ for id_, ref in refs.items() if ref == item.original_ref}

    def sources(self, filters: Filters = EVERYTHING) -> list[Source]:
        """Return the sources that may be read and have items, by name."""
        with self._faults():
            values = filter_values(filters, self._sources(filters.allowed))
            return [Source(*row) for row in self._db.execute(sql.SOURCES, values)]

    def item(self, id_: int, filters: Filters = EVERYTHING) -> Item | None:
        """Return an item whole but for its original; None: not there, or not to be read."""
        with self._faults():
            values = {"id": id_, "before": filters.before}
            row = self._db.execute(sql.ITEM, values).fetchone()
            if row is None:
                return None
            fields: list[Any] = [*row[:7], *parsed(row[7], row[8]), *row[9:]]
            item = Item(*fields)
            sources = self._sources(filters.allowed)
            return item if sources is None or item.source in sources else None

    def ids_of(self, external_ids: Iterable[str]) -> dict[str, list[int]]:
        """Return the ids that external ids have, whatever their source, stored first first."""
        ids: dict[str, list[int]] = {}
        with self._faults():
            wanted = {"external_ids": dump(list(external_ids))}
            for external_id, id_ in self._db.execute(sql.IDS_OF, wanted):
                ids.setdefault(external_id, []).append(id_)
        return ids

    def original(self, id_: int) -> str | None:
        """Return the stored original of an item, None when it has none."""
        with self._faults():
            row = self._db.execute(sql.ORIGINAL, {"id": id_}).fetchone()
            return None if row is None or row[0] is None else str(row[0])

    def documents(self, allowed: tuple[str, ...] | None = None) -> Documents:
        """Return the documents; none where the globs do not allow the source ``documents``."""
        from .documents import Documents  # no hook asks for it unless the config does

        return Documents(self._db, self.path, allowed)

    def match_query(self, query: str, bounds: Bounds) -> str | None:
        """Return the MATCH expression of a query that a person or an agent wrote."""
        return match_query(query, min_chars=self.min_chars, bounds=bounds)

    def match_words(self, terms: Iterable[Term], bounds: Bounds) -> str | None:
        """Return the MATCH expression of a prompt's words.

        Each is asked as it was spelled; the folded spelling too where the index's own
        folding would not bring both together, so that ``straße`` finds ``strasse`` and
        no word counts twice. Source: RULES 4.6.
        """
        asked: list[str] = []
        for spelled, folded in terms:
            asked.append(spelled)
            folds_itself = spelled.isascii() and not self._minds_case
            if not folds_itself and not self._same_to_index(spelled, folded):
                asked.append(folded)
        return match_terms(asked, min_chars=self.min_chars, bounds=bounds)

    def _same_to_index(self, one: str, other: str) -> bool:
        return self._tokens(one) == self._tokens(other)

    def _tokens(self, text: str) -> object:
        name, *options = tokenizer_words(self.tokenizer)
        tokenizer = self._db.fts5_tokenizer(name, options)
        return tokenizer(
            text.encode("utf-8", "replace"),
            apsw.FTS5_TOKENIZE_QUERY,
            None,
            include_offsets=False,
        )


def open_library(path: str, *, quiescent: bool = False, wait_ms: int = READ_WAIT_MS) -> Reader:
    """Return a reader of the library file, which waits for locks this long.

    Raises LibraryError where there is none.
    """
    if not os.path.exists(path):
        raise LibraryError(f"{path}: is not there; `jezero-hook import` makes it")
    return Reader(open_reading(path, quiescent=quiescent, wait_ms=wait_ms), path)


def filter_values(filters: Filters, sources: Sequence[str] | None) -> dict[str, apsw.SQLiteValue]:
    """Return the values of a statement's filters; sources None are all."""
    return {
        "sources": None if sources is None else dump(list(sources)),
        "source": filters.source,
        "project": filters.project,
        "since": filters.since,
        "before": filters.before,
        "dated": filters.dated,
    }


def parsed(questions: object, atoms: object) -> tuple[tuple[str, ...], tuple[Atom, ...]]:
    """Return questions and atoms from their JSON; what is not of the format is left out."""
    return (
        tuple(q for q in _list(questions) if isinstance(q, str)),
        tuple(Atom(str(a["kind"]), str(a["text"])) for a in _list(atoms) if _is_atom(a)),
    )


def _list(text: object) -> list[Any]:
    try:
        value = load(str(text))
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def _is_atom(value: object) -> bool:
    return isinstance(value, dict) and {"kind", "text"} <= value.keys()
