"""One writer at a time: a lock beside the library that dies with its holder."""

from __future__ import annotations

import contextlib
import os

from filelock import FileLock, Timeout

from .errors import JezeroError
from .home import LOCK_FILE
from .library.connection import make_private_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A person who calls a command waits for another import, but not for ever.
BY_HAND_WAIT_S = 30.0


class AlreadyLockedError(JezeroError):
    """Another process holds the lock."""


@contextlib.contextmanager
def writing(library: str, *, wait_s: float) -> Iterator[None]:
    """Hold the library's lock during the block, waiting for it at most ``wait_s`` seconds.

    Raises AlreadyLockedError where another process keeps it, JezeroError where the lock cannot
    be had at all. The system frees it with its holder, so a killed import blocks nobody.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(library)), LOCK_FILE)
    taken = f"{library}: another import is writing to it; try again when it is done"
    with holding(path, wait_s=wait_s, taken=taken):
        yield


@contextlib.contextmanager
def holding(path: str, *, wait_s: float, taken: str) -> Iterator[None]:
    """Hold the lock that is this file during the block; its folder is made where it is missing.

    Raises AlreadyLockedError with the text ``taken`` where another process keeps it, JezeroError
    where it cannot be had at all. The system frees it with its holder.
    """
    folder = os.path.dirname(path)
    try:
        make_private_folder(folder)
        lock = FileLock(path, timeout=wait_s, mode=0o600)
        lock.acquire()
    except Timeout:
        raise AlreadyLockedError(taken) from None
    except (OSError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or error
        raise JezeroError(f"{path}: cannot be locked: {reason}") from error
    try:
        yield
    finally:
        lock.release()
