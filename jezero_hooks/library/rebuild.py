"""Rebuild: an index made anew, and a damaged library's items saved; nothing is thrown away."""

from __future__ import annotations

import os
import time

from ..errors import DamagedLibraryError, LibraryError
from ..model import NamedTuple
from . import sql
from .care import library_faults
from .connection import Faults, open_damaged, open_reading
from .documents_writer import DocumentsWriter, Root
from .engine import apsw
from .match import DOCUMENTS_TOKENIZER
from .reader import Reader
from .writer import Writer, library_in_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Progress = Callable[[int, int], None]

# The library's file and those that SQLite keeps beside it.
FILES = ("", "-wal", "-shm")
# Where the end cannot be read, nothing says how far the ids go.
PROBES = 20_000


class Rebuilt(NamedTuple):
    """How many items and documents the library holds now, and where a damaged one is kept."""

    items: int
    damaged: str | None = None
    documents: int = 0


def rebuild_library(
    path: str,
    tokenizer: str,
    progress: Progress = lambda done, items: None,
    *,
    documents_tokenizer: str = DOCUMENTS_TOKENIZER,
) -> Rebuilt:
    """Make the index of a library file anew, also with another tokenizer than it had.

    So too the index of the documents, where there are any.

    Of a damaged file the items that can still be read go into a new one, and the list of the
    documents' folders, which can be indexed again; the old one is kept under another name.
    Raises LibraryError where there is no library or no item can be read; the file is then as it
    was.
    """
    if not os.path.exists(path):
        raise LibraryError(f"{path}: is not there; `jezero-hook import` makes it")
    try:
        reader = Reader(open_reading(path), path)
        library_in_memory(tokenizer).close()  # one that FTS5 does not take changes nothing
        documents = 0
        if recorded := reader.documents().tokenizer:
            with DocumentsWriter(path, recorded, items_tokenizer=reader.tokenizer) as writer:
                documents = writer.rebuild_documents(documents_tokenizer)
        with Writer(path, reader.tokenizer) as writer:
            rebuilt = Rebuilt(writer.rebuild(tokenizer, progress), documents=documents)
        if not library_faults(path):
            return rebuilt
    except DamagedLibraryError:
        pass
    return _salvage(path, tokenizer, progress, documents_tokenizer)


def _salvage(path: str, tokenizer: str, progress: Progress, documents_tokenizer: str) -> Rebuilt:
    """Which transcripts were imported is not carried over: the next import fills the gaps."""
    new = f"{path}.new-{os.getpid()}"
    try:
        with Writer(new, tokenizer) as writer:
            with writer.transaction():
                for row in _rows(path):
                    writer.restore(row)
                # What is forgotten stays so: the next import would bring it back.
                writer.remember_forgotten(_texts(path, sql.FORGOTTEN_MARKS))
                writer.disown_prompts("", _texts(path, sql.DISOWNED_PROMPTS))
            items = writer.rebuild(tokenizer, progress)
        _restore_roots(path, new, tokenizer, documents_tokenizer)
        if items == 0:
            raise LibraryError(
                f"{path}: is damaged, and no item can be read; move it away and import again"
            )
        kept = _free_name(f"{path}.damaged-{time.strftime('%Y%m%d')}")
        with Faults(path):
            _rename(path, kept)
            os.replace(new, path)
    finally:
        for end in FILES:
            if os.path.exists(new + end):
                os.unlink(new + end)
    return Rebuilt(items, kept)


def _restore_roots(path: str, new: str, tokenizer: str, documents_tokenizer: str) -> None:
    """Keep which folders hold documents, as far as it can be read; the pages are in them."""
    connection = open_damaged(path)
    try:
        rows = list(_readable(connection, sql.DOCUMENT_ROOTS))
    finally:
        connection.close()
    if not rows:
        return
    with (
        DocumentsWriter(new, documents_tokenizer, items_tokenizer=tokenizer) as writer,
        writer.transaction(),
    ):
        for row in rows:
            type_ = None if row["type"] is None else str(row["type"])
            writer.set_root(Root(str(row["root"]), type_, bool(row["file_times"])))


def _rename(path: str, name: str) -> None:
    for end in FILES:
        if os.path.exists(path + end):
            os.replace(path + end, name + end)


def _rows(path: str) -> Iterator[dict[str, apsw.SQLiteValue]]:
    """Yield what can be read of the items' rows, some of them twice."""
    connection = open_damaged(path)
    try:
        first, last = 0, 0
        for row in _readable(connection, sql.SALVAGE):
            first = int(str(row["id"]))
            yield row
        for row in _readable(connection, sql.SALVAGE_BACKWARDS):
            last = int(str(row["id"]))
            yield row
            if last <= first + 1:
                return
        for id_ in range(first + 1, last or first + PROBES):
            yield from _readable(connection, sql.SALVAGE_ONE, {"id": id_})
    finally:
        connection.close()


def _readable(
    connection: apsw.Connection, statement: str, values: dict[str, apsw.SQLiteValue] | None = None
) -> Iterator[dict[str, apsw.SQLiteValue]]:
    try:
        rows = connection.execute(statement, values)
        names = [column[0] for column in rows.get_description()]
        for row in rows:
            yield dict(zip(names, row, strict=True))
    except (apsw.Error, UnicodeError):
        return  # this is how far it goes


def _texts(path: str, statement: str) -> list[str]:
    """Return the texts of a column as far as they can be read."""
    found: list[str] = []
    connection = open_damaged(path)
    try:
        for (text,) in connection.execute(statement):
            found.append(str(text))
    except (apsw.Error, UnicodeError):
        return found
    finally:
        connection.close()
    return found


def _free_name(name: str) -> str:
    number, free = 1, name
    while os.path.exists(free):
        number, free = number + 1, f"{name}-{number + 1}"
    return free
