"""Care: is the library sound?"""

from __future__ import annotations

import os

from ..errors import LibraryError
from . import sql
from .connection import Faults, open_reading, open_writing
from .documents import Documents
from .documents_writer import OTHER_TOKENIZER
from .engine import apsw
from .words import miscounted

DAMAGED_DOCUMENTS = "the documents' index does not fit them; run `jezero-hook rebuild`"
DAMAGED_INDEX = "the index does not fit the items; run `jezero-hook rebuild`"


def sqlite_version() -> str:
    """Return the version of the SQLite that does the work: apsw's own."""
    return apsw.sqlite_lib_version()


def library_faults(path: str) -> list[str]:
    """Return what is wrong with a library file, empty when all is well.

    Looks at SQLite's own checks, at the index's, at whether each item is indexed, and at
    whether the counts of the words are true.
    Raises LibraryError where the file cannot be opened.
    """
    connection = open_reading(path)
    faults: list[str] = []
    try:
        with Faults(path):
            (said,) = connection.execute(sql.QUICK_CHECK).fetchall()[0]
            if said != "ok":
                faults.append(f"is damaged ({said}); `jezero-hook rebuild` saves what can be read")
            items = connection.execute(sql.COUNT, {"before": None, "sources": None}).fetchall()[0][
                0
            ]
            indexed = connection.execute(sql.INDEXED).fetchall()[0][0]
            if not faults:
                faults += _word_faults(connection)
    finally:
        connection.close()
    if items != indexed:
        faults.append(f"{indexed} of {items} items are indexed; run `jezero-hook rebuild`")
    if not faults and os.access(path, os.W_OK) and not _index_is_sound(path):
        faults.append(DAMAGED_INDEX)
    return faults


def documents_faults(path: str, tokenizer: str) -> tuple[int | None, list[str]]:
    """Return the number of documents (None: none were ever indexed), and what is wrong.

    ``tokenizer`` is the one that the config asks for. Raises LibraryError where the file cannot
    be opened.
    """
    connection = open_reading(path)
    try:
        documents = Documents(connection, path)
        count = documents.count()
    finally:
        connection.close()
    if documents.tokenizer is None:
        return None, []
    faults = []
    if documents.tokenizer != tokenizer:
        faults.append(OTHER_TOKENIZER.format(documents.tokenizer, tokenizer))
    if os.access(path, os.W_OK) and not _index_is_sound(path, sql.CHECK_DOCUMENTS_INDEX):
        faults.append(DAMAGED_DOCUMENTS)
    return count, faults


def _word_faults(connection: apsw.Connection) -> list[str]:
    connection.execute(sql.ONE_MOMENT)
    wrong = miscounted(connection)
    connection.execute(sql.ROLLBACK)
    if not wrong:
        return []
    noun = "word is" if wrong == 1 else "words are"
    return [f"{wrong:,} {noun} counted wrongly; run `jezero-hook rebuild`"]


def _index_is_sound(path: str, asked: str = sql.CHECK_INDEX) -> bool:
    """Return FTS5's own verdict; asking is an INSERT, so it needs a connection that may write."""
    connection = open_writing(path)
    connection.set_busy_timeout(0)
    try:
        with Faults(path):
            connection.execute(sql.BEGIN)
            try:
                connection.execute(asked)
            except apsw.CorruptError:
                return False
            finally:
                connection.execute(sql.ROLLBACK)
            return True
    except LibraryError:
        return True  # it cannot be asked while an import writes, or where nobody may write
    finally:
        connection.close()
