"""Forget: items removed for good, and marks that keep a later import from bringing them back.

A mark is the SHA-256 of what it stands for: the library can tell that a session is forgotten
when it meets it again, and nobody can read from it which ones are.
"""

from __future__ import annotations

import hashlib
import os

from ..errors import LibraryError
from ..jsontext import dump
from ..model import ListedItem, NamedTuple
from . import sql
from .connection import Faults, open_reading
from .engine import apsw
from .reader import Reader
from .writer import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


# The source whose items are made from transcripts, so that they come again and grow.
TRANSCRIPTS = "claude-code"


class Selection(NamedTuple):
    """Which items; each field narrows, None does not. before is ISO 8601 in UTC, exclusive."""

    ids: tuple[int, ...] | None = None
    project: str | None = None
    source: str | None = None
    before: str | None = None
    session: str | None = None

    def is_one_session(self) -> bool:
        """Return whether it means a session as such, with what it is yet to hold."""
        return self.session is not None and (self.ids, self.project, self.before) == (None,) * 3


# --- marks -----------------------------------------------------------------------------------


def item_mark(source: str, external_id: str) -> str:
    """Return the mark of one item: of a session, that segment alone."""
    return _mark("item", source, external_id)


def session_mark(source: str, session: str) -> str:
    """Return the mark of a session with all its segments, those to come too."""
    return _mark("session", source, session)


def part_mark(source: str, session: str) -> str:
    """Return the mark of a session of which some segment is forgotten."""
    return _mark("part", source, session)


def session_of_item(external_id: str) -> str:
    """Return the id of the session of which an item is a segment, the item's own if of none."""
    return external_id.partition("#")[0]


def item_marks(source: str, external_id: str) -> tuple[str, str]:
    """Return the marks that keep an item out: its own, and its session's."""
    session = session_of_item(external_id)
    return item_mark(source, external_id), session_mark(source, session)


def _mark(*what: str) -> str:
    return hashlib.sha256(dump(list(what)).encode("utf-8", "surrogatepass")).hexdigest()


# --- the library -----------------------------------------------------------------------------


def selected_items(path: str, selection: Selection) -> list[ListedItem]:
    """Return the items of a selection, by id; the library is only read.

    With them come their copies in other sources, unless the selection names one.
    Raises LibraryError where there is no library, or it cannot be read.
    """
    connection = _open(path)
    try:
        with Faults(path):
            return _selected(connection, selection)
    finally:
        connection.close()


def forget_items(
    path: str, selection: Selection, shown: Iterable[ListedItem] = ()
) -> list[ListedItem]:
    """Remove those of the shown items that the selection still has; return them.

    Nothing of them stays in the file or beside it. Also with nothing to remove the file is
    written anew, so that a call that was cut off is made good by the next. Raises LibraryError;
    the items are then all there, or all gone from every answer. Source: RULES 9.2, 9.3.
    """
    connection = _open(path)
    tokenizer = Reader(connection, path).tokenizer
    connection.close()
    known = {item[:3] for item in shown}
    with _Forgetter(path, tokenizer) as forgetter:
        gone = forgetter.forget(selection, known)
        forgetter.scrub()
    return gone


def _open(path: str) -> apsw.Connection:
    if not os.path.exists(path):
        raise LibraryError(f"{path}: is not there; there is nothing to forget")
    connection = open_reading(path)
    Reader(connection, path)  # refuses what is no library of this version
    return connection


def _selected(db: apsw.Connection, selection: Selection) -> list[ListedItem]:
    ids = None if selection.ids is None else dump(list(selection.ids))
    rows = db.execute(sql.SELECTED, {**selection._asdict(), "ids": ids})
    return [ListedItem(*row) for row in rows]


class Scrubber(Writer):
    """A writer that leaves no byte of what was deleted."""

    def scrub(self) -> None:
        """Leave no byte of what was deleted, in the index, in free pages, in the WAL."""
        self.merge_index()  # an index keeps the words of a deleted item until it is merged
        with self._faults():
            self._db.execute(sql.VACUUM)
        if not self.empty_wal():
            raise LibraryError(
                f"{self.path}: what was forgotten is gone from every answer, but another program "
                "is reading, so that its bytes could not be overwritten; run the same command again"
            )

    def empty_wal(self) -> bool:
        """Return whether nothing is left in the WAL; a reader may need what is there."""
        with self._faults():
            busy, *_ = self._db.execute(sql.EMPTY_WAL).fetchall()[0]
        return not busy


class _Forgetter(Scrubber):
    def forget(self, selection: Selection, shown: set[tuple[int, str, str]]) -> list[ListedItem]:
        self._db.execute(sql.OVERWRITE_DELETED).fetchall()
        with self.transaction():
            # An import may have come between: what nobody was shown is not removed.
            gone = [item for item in _selected(self._db, selection) if item[:3] in shown]
            for item in gone:
                self.remove(item.id)
            self._remember(gone, selection)
        return gone

    def _remember(self, gone: list[ListedItem], selection: Selection) -> None:
        sessions = {(item.source, session_of_item(item.external_id)) for item in gone}
        whole = {one for one in sessions if self._is_whole(*one, selection)}
        if selection.session is not None and selection.is_one_session():
            whole.add((selection.source or TRANSCRIPTS, selection.session))
        marks = [item_mark(item.source, item.external_id) for item in gone]
        marks += [part_mark(*session) for session in sessions]
        marks += [session_mark(*session) for session in whole]
        self.remember_forgotten(marks)
        for source, session in sessions | whole:
            if source == TRANSCRIPTS:
                self._db.execute(sql.FORGET_TRANSCRIPT, {"end": f"/{session}.jsonl"})
        for source, session in whole:
            if source == TRANSCRIPTS:
                self._db.execute(sql.DISOWN_SESSION, {"session": session})

    def _is_whole(self, source: str, session: str, selection: Selection) -> bool:
        """Return whether all of a session is meant to be gone.

        An age limit means what is old, not what an old session goes on with; and other sources
        may have their own use of "#" in an id.
        """
        if selection.is_one_session():
            return True
        values = {"source": source, "session": session}
        left = self._db.execute(sql.SEGMENTS, values).fetchone()
        return source == TRANSCRIPTS and selection.before is None and left is None
