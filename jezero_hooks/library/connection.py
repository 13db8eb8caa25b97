"""Connections to the library file, and what SQLite's faults mean to a person."""

from __future__ import annotations

import os

from ..errors import DamagedLibraryError, LateError, LibraryError
from . import sql
from .engine import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

MEMORY = ":memory:"

# A hook that finds the library locked says nothing rather than wait; 50 ms outlasts the
# short exclusive locks of a writer that opens or closes the file.
READ_WAIT_MS = 50
# A writer can wait: nobody looks on, and another import may hold the lock for a while.
WRITE_WAIT_MS = 15_000


def open_reading(
    path: str, *, quiescent: bool = False, wait_ms: int = READ_WAIT_MS
) -> apsw.Connection:
    """Return a read-only connection; the file is never created or changed.

    ``quiescent`` promises that nobody writes meanwhile: then not even the files that SQLite
    keeps beside a library are made. Raises LibraryError, which names the file.
    """
    with Faults(path):
        if quiescent:
            return _open_alone(path) if _has_pages(path + "-wal") else _open_immutable(path)
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        connection.set_busy_timeout(wait_ms)
        try:
            connection.execute(sql.KEEP_PAGES)
            connection.execute(sql.TOUCH).fetchall()
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # A folder that may not be written: SQLite cannot make the files that a library
            # in WAL mode has beside it, and nobody else can write there either.
            connection.close()
            return _open_immutable(path)
        return connection


def open_damaged(path: str) -> apsw.Connection:
    """Return a read-only connection to a file of which SQLite would read nothing at all."""
    with Faults(path):
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        connection.execute(sql.READ_WHAT_IS_LEFT)
        return connection


def open_writing(path: str) -> apsw.Connection:
    """Return a connection that may write; the file is made, private, where it is missing."""
    with Faults(path):
        if path != MEMORY:
            make_private_folder(os.path.dirname(path))
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = apsw.Connection(path)
        connection.set_busy_timeout(WRITE_WAIT_MS)
        return connection


def make_private_folder(folder: str) -> None:
    """Make the folder and what lies above it, for the user alone, unless it is there."""
    above = os.path.dirname(folder)
    if above and not os.path.isdir(above):
        make_private_folder(above)
    if folder:
        os.makedirs(folder, mode=0o700, exist_ok=True)


def _open_immutable(path: str) -> apsw.Connection:
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{escaped}?immutable=1", flags=flags)


def _has_pages(wal: str) -> bool:
    return os.path.exists(wal) and os.path.getsize(wal) > 0


def _open_alone(path: str) -> apsw.Connection:
    """Return a connection that takes no lock and keeps the WAL's index in its own memory."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, vfs="unix-none")
    connection.execute(sql.KEEP_ALONE).fetchall()
    return connection


class Faults:
    """A block in which the errors of SQLite and the system become one LibraryError."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, (apsw.Error, OSError, UnicodeError)):
            raise _refusal(error)(f"{self.path}: {_meaning(error)}") from error


def _refusal(error: Exception) -> type[LibraryError]:
    if isinstance(error, apsw.InterruptError):
        return LateError
    return DamagedLibraryError if isinstance(error, apsw.CorruptError) else LibraryError


def _meaning(error: Exception) -> str:
    for kind, meaning in _MEANINGS:
        if isinstance(error, kind):
            return meaning
    return str(error)


_MEANINGS: tuple[tuple[type[Exception], str], ...] = (
    (apsw.InterruptError, "the answer took too long"),
    (apsw.BusyError, "another program holds the library locked; try again in a moment"),
    (apsw.LockedError, "another program holds the library locked; try again in a moment"),
    (apsw.NotADBError, "is not a library (no SQLite file); move it away and import again"),
    (
        apsw.CorruptError,
        "is damaged; `jezero-hook rebuild` saves what can still be read and keeps the old file",
    ),
    (apsw.FullError, "the disk is full; free some space and run the same command again"),
    (apsw.IOError, "the disk did not take or give the bytes; check it and try again"),
    (apsw.ReadOnlyError, "may not be written; check the rights of the file and its folder"),
    (apsw.CantOpenError, "cannot be opened; check that it is a file you may read"),
    (IsADirectoryError, "is a folder, not a library; move it away"),
    (NotADirectoryError, "lies below something that is no folder"),
    (PermissionError, "may not be opened; check the rights of the file and its folder"),
    (UnicodeEncodeError, "is no UTF-8; give the file another name"),
    (UnicodeDecodeError, "holds a text that is no UTF-8; import it again where it came from"),
    (FileNotFoundError, "is not there; `jezero-hook import` makes it"),
)
