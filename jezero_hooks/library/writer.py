"""The writer: puts items into the library, index and all, in one transaction."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time

from ..errors import LibraryError
from ..model import NamedTuple, NewItem
from . import sql
from .connection import MEMORY, Faults, open_writing
from .engine import apsw
from .match import ITEMS_TOKENIZER
from .reader import Reader, parsed
from .words import WordChanges, count_all, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Literal, Self

    Outcome = Literal["inserted", "updated", "unchanged"]

# In meta: the version, the projects' rules and the sizes that the items were made with.
MADE_WITH = "hooks_made_with"

OTHER_TOKENIZER = (
    "is indexed with tokenizer {!r}, the config (storage.tokenizer) asks for {!r}; set it back, "
    "or run `jezero-hook rebuild`"
)
NO_TOKENIZER = (
    "{!r} is no tokenizer of FTS5{}; {} takes trigram, unicode61 and ascii, each "
    "with its options, and porter before one of them"
)


# The text that jsontext.dump gives, all of it made in C.
dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class FileState(NamedTuple):
    """What tells a changed transcript from an unchanged one."""

    size: int
    mtime_ns: int


class Writer:
    """A library open for writing, made where it is missing.

    Raises LibraryError where the file cannot be used, is of another version, or was made
    with another tokenizer.
    """

    def __init__(self, path: str, tokenizer: str = ITEMS_TOKENIZER) -> None:
        self.path = path
        self._db = open_writing(path)
        self._words = WordChanges()
        try:
            with self._faults():
                self._prepare(tokenizer)
        except BaseException:
            self._db.close()
            raise

    def _faults(self) -> Faults:
        return Faults(self.path)

    def _prepare(self, tokenizer: str) -> None:
        self._db.execute(sql.USE_WAL).fetchall()
        self._db.execute(sql.SYNC_AT_CHECKPOINTS)
        with self.transaction():
            if self._has("meta"):
                self._refuse_others(tokenizer)
            else:
                self._db.execute(sql.CREATE)
                self._create_index(tokenizer)
                self._set_meta("schema_version", sql.SCHEMA_VERSION)
            self._db.execute(sql.CREATE_OURS)
            # Once, in a library that another program wrote to; else a look at two numbers.
            if self._db.execute(sql.WORDS_ARE_OF_ALL).fetchall() != [(1,)]:
                count_all(self._db)

    def _create_index(self, tokenizer: str) -> None:
        if not tokenizer:  # to FTS5 it would be the default one
            raise LibraryError(no_tokenizer(tokenizer, "storage.tokenizer"))
        quoted = tokenizer.replace("'", "''")
        try:
            self._db.execute(sql.CREATE_INDEX.format(tokenizer=quoted))
        except apsw.SQLError as error:
            raise LibraryError(no_tokenizer(tokenizer, "storage.tokenizer", error)) from None
        self._set_meta("tokenizer", tokenizer)

    def _has(self, table: str) -> bool:
        return self._db.execute(sql.HAS_TABLE, {"name": table}).fetchone() is not None

    def _set_meta(self, key: str, value: str) -> None:
        self._db.execute(sql.SET_META, {"key": key, "value": value})

    def _refuse_others(self, tokenizer: str) -> None:
        reader = self.reader()
        if reader.tokenizer != tokenizer:
            said = OTHER_TOKENIZER.format(reader.tokenizer, tokenizer)
            raise LibraryError(f"{self.path}: {said}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def reader(self) -> Reader:
        """Return a reader of the same connection (a library in memory has no other)."""
        return Reader(self._db, self.path)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is written in the block is kept, or nothing of it."""
        with self._faults():
            self._db.execute(sql.BEGIN)
            try:
                yield
                self._words.write(self._db)
                self._db.execute(sql.COMMIT)
            except BaseException:
                self._words.drop()
                # A full disk makes SQLite roll back by itself.
                if self._db.in_transaction:
                    self._db.execute(sql.ROLLBACK)
                raise

    def put(self, item: NewItem, *, ingested_at: str) -> Outcome:
        """Store an item under its (source, external_id), in a transaction; index and item change
        together, and with them, at its end, the counts of words."""
        values = _values(item, ingested_at)
        stored = self._db.execute(sql.STORED, values).fetchone()
        if stored is None:
            values["id"] = self._db.execute(sql.INSERT_ITEM, values).fetchall()[0][0]
            self._db.execute(sql.INDEX_ITEM, values)
            self._words.note(set(), words_of(item.title, item.summary))
            return "inserted"
        if stored[1] == values["content_hash"]:
            return "unchanged"
        values["id"] = stored[0]
        self._db.execute(sql.UPDATE_ITEM, values)
        self._db.execute(sql.UNINDEX_ITEM, values)
        self._db.execute(sql.INDEX_ITEM, values)
        before = words_of(str(stored[2]), str(stored[3]))
        self._words.note(before, words_of(item.title, item.summary))
        return "updated"

    def restore(self, row: dict[str, apsw.SQLiteValue]) -> None:
        """Store an item's row as it was, id and all; a known id is left alone.

        Not yet indexed, nor are its words counted: ``rebuild`` does both.
        """
        with self._faults():
            self._db.execute(sql.RESTORE_ITEM, row)

    def drop_segments(self, source: str, session: str, keep: set[str]) -> None:
        """Remove the session's items whose external_id is not among those to keep."""
        rows = self._db.execute(sql.SEGMENTS, {"source": source, "session": session}).fetchall()
        for id_, external_id in rows:
            if external_id not in keep:
                self.remove(int(str(id_)))

    def remove(self, id_: int) -> None:
        """Remove an item, its words in the index and of the counts; one that is not there stays."""
        self._db.execute(sql.UNINDEX_ITEM, {"id": id_})
        for title, summary in self._db.execute(sql.DELETE_ITEM, {"id": id_}).fetchall():
            self._words.note(words_of(str(title), str(summary)), set())

    def has_dialogue(self, source: str, session: str) -> bool:
        """Return whether the session is stored from its transcript, not only from history."""
        values = {"source": source, "session": session}
        return self._db.execute(sql.HAS_DIALOGUE, values).fetchone() is not None

    def last_said(self, source: str, session: str) -> str | None:
        """Return the newest occurred_at of the session's items with a dialogue, None without."""
        values = {"source": source, "session": session}
        ((newest,),) = self._db.execute(sql.LAST_SAID, values).fetchall()
        return None if newest is None else str(newest)

    def use_rules(self, rules: str) -> None:
        """Have every transcript read anew where other rules than these made the items."""
        with self.transaction():
            known = self._db.execute(sql.META, {"key": MADE_WITH}).fetchone()
            if known != (rules,):
                self._db.execute(sql.FORGET_TRANSCRIPTS)
                self._set_meta(MADE_WITH, rules)

    def transcript(self, path: str) -> FileState | None:
        """Return the state in which a transcript was last imported, None if never."""
        row = self._db.execute(sql.TRANSCRIPT, {"path": path}).fetchone()
        return FileState(*row) if row else None

    def set_transcript(self, path: str, state: FileState) -> None:
        self._db.execute(sql.SET_TRANSCRIPT, {"path": path, **state._asdict()})

    def foreign_prompts(self, session: str, uuids: Iterable[str]) -> set[str]:
        """Claim the prompts for a session; return those that another one has claimed before.

        A fork repeats its parent's prompts under the same uuids; whoever was imported first
        owns them.
        """
        uuids = list(uuids)
        self._db.executemany(
            sql.CLAIM_PROMPT, [{"uuid": uuid, "session": session} for uuid in uuids]
        )
        rows = self._db.execute(sql.FOREIGN_PROMPTS, {"session": session, "uuids": dump(uuids)})
        return {str(uuid) for (uuid,) in rows}

    def disown_prompts(self, session: str, uuids: Iterable[str]) -> None:
        """Make a session's prompts foreign to every session: they are forgotten."""
        self._db.execute(sql.DISOWN_PROMPTS, {"session": session, "uuids": dump(list(uuids))})

    def forgotten(self, marks: Iterable[str]) -> set[str]:
        """Return those of the marks (library/forget.py) that stand for something forgotten."""
        rows = self._db.execute(sql.FORGOTTEN, {"marks": dump(list(marks))})
        return {str(mark) for (mark,) in rows}

    def remember_forgotten(self, marks: Iterable[str]) -> None:
        """Keep what these marks stand for out of every later import."""
        self._db.execute(sql.FORGET, {"marks": dump(list(marks))})

    def merge_index(self) -> None:
        """Merge the index's parts into one, after many items: a search then reads less."""
        with self.transaction():
            self._db.execute(sql.MERGE_INDEX)

    def rebuild(
        self, tokenizer: str, progress: Callable[[int, int], None] = lambda done, items: None
    ) -> int:
        """Make the index and the counts of words anew from the items; return their number.

        All or nothing: the new one grows in the write-ahead log beside the old one, which is
        what readers see until the end. ``progress`` is told how many of how many items are
        done.
        """
        done = 0
        with self.transaction():
            items = self.reader().count()
            self._db.execute(sql.DROP_INDEX)
            self._create_index(tokenizer)
            for row in self._db.execute(sql.ALL_FIELDS):
                self._db.execute(sql.INDEX_ITEM, _index_values(*row))
                done += 1
                progress(done, items)
            self._db.execute(sql.MERGE_INDEX)
            count_all(self._db)
        return done


def no_tokenizer(tokenizer: str, key: str, error: apsw.Error | None = None) -> str:
    """Return what is wrong with a tokenizer that FTS5 does not take, and the key to set."""
    return NO_TOKENIZER.format(tokenizer, f" ({error})" if error else "", key)


class Together:
    """Blocks that are one transaction for a moment: all that they write is kept, or nothing.

    A commit makes a part of the index, and each part has to be merged with the others some
    day: of small transcripts that costs as much as to read them. ``close`` keeps what is open.
    """

    def __init__(self, writer: Writer, for_s: float) -> None:
        self._writer = writer
        self._for_s = for_s
        self._until_s = 0.0
        self._open: contextlib.AbstractContextManager[None] | None = None

    def __enter__(self) -> None:
        if self._open is None:
            self._open = self._writer.transaction()
            self._open.__enter__()
            self._until_s = time.monotonic() + self._for_s

    def __exit__(self, *fault: Any) -> None:
        if self._open is not None and fault[0] is not None:
            ended, self._open = self._open, None
            ended.__exit__(*fault)

    def close_in_time(self) -> None:
        """Keep what was written, where the seconds are over."""
        if time.monotonic() >= self._until_s:
            self.close()

    def close(self) -> None:
        """Keep what was written."""
        if self._open is not None:
            ended, self._open = self._open, None
            ended.__exit__(None, None, None)


def library_in_memory(tokenizer: str = ITEMS_TOKENIZER) -> Writer:
    """Return an empty library that lives as long as the process."""
    return Writer(MEMORY, tokenizer)


def content_hash(item: NewItem) -> str:
    """Return what changes when an item's content does (not its source): SHA-256 in hex."""
    content = dump(list(item[2:]))
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _values(item: NewItem, ingested_at: str) -> dict[str, apsw.SQLiteValue]:
    questions = list(item.questions)
    atoms = [atom._asdict() for atom in item.atoms]
    return {
        **item._asdict(),
        "ingested_at": ingested_at,
        "questions": dump(questions),
        "atoms": dump(atoms),
        "content_hash": content_hash(item),
        "question_lines": "\n".join(questions),
        "atom_lines": "\n".join(atom.text for atom in item.atoms),
    }


def _index_values(
    id_: int, title: str, summary: str, questions: str, atoms: str, project: str | None
) -> dict[str, apsw.SQLiteValue]:
    asked, known = parsed(questions, atoms)
    return {
        "id": id_,
        "title": title,
        "summary": summary,
        "question_lines": "\n".join(asked),
        "atom_lines": "\n".join(atom.text for atom in known),
        "project": project,
    }
