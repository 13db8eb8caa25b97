"""The writer of documents: puts pages and their index into the library, and takes them out."""

from __future__ import annotations

import os

from ..errors import LibraryError
from ..model import NamedTuple
from . import sql
from .connection import open_reading
from .engine import apsw
from .forget import Scrubber
from .match import DOCUMENTS_TOKENIZER
from .reader import Reader
from .writer import no_tokenizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    Outcome = Literal["indexed", "updated"]

OTHER_TOKENIZER = (
    "the documents are indexed with tokenizer {!r}, the config (documents.tokenizer) asks for "
    "{!r}; set it back, or run `jezero-hook rebuild`"
)


class Page(NamedTuple):
    """A document on its way into the library; hash is that of the file's bytes."""

    path: str
    type: str
    url: str
    title: str
    description: str
    content: str
    tags: str
    date: str | None
    emoji: str
    size: int
    mtime_ns: int
    hash: str


class PageState(NamedTuple):
    """What tells a changed file from an unchanged one, and whose page it is."""

    id: int
    root: str
    size: int
    mtime_ns: int
    hash: str


class Root(NamedTuple):
    """A folder whose pages are indexed, and how: type None is the folder's own name."""

    root: str
    type: str | None
    file_times: bool
    made_with: str = ""


class DocumentsWriter(Scrubber):
    """A library open for writing documents, made where it is missing.

    Raises LibraryError where the file cannot be used, or the documents in it were indexed with
    another tokenizer.
    """

    def __init__(
        self, path: str, tokenizer: str = DOCUMENTS_TOKENIZER, *, items_tokenizer: str
    ) -> None:
        super().__init__(path, recorded_tokenizer(path) or items_tokenizer)
        try:
            with self.transaction():
                self._prepare_documents(tokenizer)
        except BaseException:
            self.close()
            raise

    def _prepare_documents(self, tokenizer: str) -> None:
        self._db.execute(sql.CREATE_DOCUMENTS)
        recorded = self.reader().documents().tokenizer
        if recorded is None:
            self._create_documents_index(tokenizer)
        elif recorded != tokenizer:
            said = OTHER_TOKENIZER.format(recorded, tokenizer)
            raise LibraryError(f"{self.path}: {said}")

    def _create_documents_index(self, tokenizer: str) -> None:
        if not tokenizer:
            raise LibraryError(no_tokenizer(tokenizer, "documents.tokenizer"))
        self._db.execute(sql.DROP_DOCUMENTS_INDEX)
        quoted = tokenizer.replace("'", "''")
        try:
            self._db.execute(sql.CREATE_DOCUMENTS_INDEX.format(tokenizer=quoted))
        except apsw.SQLError as error:
            raise LibraryError(no_tokenizer(tokenizer, "documents.tokenizer", error)) from None
        self._set_meta("documents_tokenizer", tokenizer)

    def roots(self) -> list[Root]:
        """Return the folders whose pages are indexed, by name."""
        rows = self._db.execute(sql.DOCUMENT_ROOTS)
        return [Root(root, type_, bool(times), made) for root, type_, times, made in rows]

    def set_root(self, root: Root) -> None:
        self._db.execute(sql.SET_DOCUMENT_ROOT, root._asdict())

    def drop_root(self, root: str) -> None:
        """Take a folder out of the list; its pages are not touched."""
        self._db.execute(sql.DELETE_DOCUMENT_ROOT, {"root": root})

    def states(self) -> dict[str, PageState]:
        """Return the state in which each page's file was indexed, by its path."""
        rows = self._db.execute(sql.DOCUMENT_STATES)
        return {row[0]: PageState(*row[1:]) for row in rows}

    def put_page(self, page: Page, root: str, id_: int | None) -> Outcome:
        """Store a page, new or in the place of an older one; index and page change together."""
        values: dict[str, apsw.SQLiteValue] = {**page._asdict(), "root": root, "id": id_}
        if id_ is None:
            values["id"] = self._db.execute(sql.PUT_DOCUMENT, values).fetchall()[0][0]
        else:
            self._db.execute(sql.UNINDEX_DOCUMENT, {"id": id_})
            self._db.execute(sql.UPDATE_DOCUMENT, values)
        self._db.execute(sql.INDEX_DOCUMENT, values)
        return "indexed" if id_ is None else "updated"

    def touch_page(self, id_: int, size: int, mtime_ns: int) -> None:
        """Note that a file was written again with what it held."""
        self._db.execute(sql.TOUCH_DOCUMENT, {"id": id_, "size": size, "mtime_ns": mtime_ns})

    def drop_page(self, id_: int) -> None:
        self._db.execute(sql.UNINDEX_DOCUMENT, {"id": id_})
        self._db.execute(sql.DELETE_DOCUMENT, {"id": id_})

    def forget_roots(self, roots: Sequence[str]) -> int:
        """Remove folders' pages, with every byte of them; return how many pages.

        The folders leave the list when that is done, so that a call that was cut off, or could
        not overwrite all bytes (LibraryError), is made good by the next.
        """
        removed = 0
        self._db.execute(sql.OVERWRITE_DELETED).fetchall()
        with self.transaction():
            for root in roots:
                pages = self._db.execute(sql.DOCUMENTS_OF_ROOT, {"root": root}).fetchall()
                for (id_,) in pages:
                    self.drop_page(int(str(id_)))
                removed += len(pages)
        self.scrub()
        with self.transaction():
            for root in roots:
                self.drop_root(root)
        self.empty_wal()  # of the folder's name; the next writer makes good what it cannot
        return removed

    def rebuild_documents(self, tokenizer: str) -> int:
        """Make the documents' index anew; return their number. All or nothing."""
        with self.transaction():
            self._create_documents_index(tokenizer)
            self._db.execute(sql.INDEX_ALL_DOCUMENTS)
            self._db.execute(sql.MERGE_DOCUMENTS_INDEX)
        return self.reader().documents().count()

    def merge_index(self) -> None:
        super().merge_index()
        with self.transaction():
            self._db.execute(sql.MERGE_DOCUMENTS_INDEX)


def recorded_tokenizer(path: str) -> str | None:
    """Return the tokenizer of the items of a library, None where there is none yet."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return None
    connection = open_reading(path)
    try:
        return Reader(connection, path).tokenizer
    finally:
        connection.close()
