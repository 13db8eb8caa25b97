"""One server a home: the first tells in a file where it is, a second one reads it."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from ..errors import JezeroError
from ..lock import AlreadyLockedError, holding
from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

LOCK_FILE = "serve.lock"
STATE_FILE = "serve.json"
# What we write is shorter; anything longer is not ours.
STATE_CHARS = 10_000


class Running(NamedTuple):
    """Where a server is: its address in a browser, and the library that it serves."""

    url: str
    library: str


class AlreadyServingError(JezeroError):
    """Another server runs for this home; ``first`` says where, None where that is not known."""

    def __init__(self, text: str, first: Running | None) -> None:
        super().__init__(text)
        self.first = first


@contextlib.contextmanager
def only_one(home: str) -> Iterator[None]:
    """Be the one server of a home during the block. Raises AlreadyServingError."""
    path = os.path.join(home, LOCK_FILE)
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(holding(path, wait_s=0, taken=path))
        except AlreadyLockedError:
            raise _already(_read(home)) from None
        _forget(home)  # what a killed one left
        stack.callback(_forget, home)
        yield


def tell(home: str, running: Running) -> None:
    """Write down where the server is, for the user alone. Raises JezeroError."""
    path = os.path.join(home, STATE_FILE)
    mine = f"{path}.{os.getpid()}"
    try:
        handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8", errors="replace") as file:
            json.dump(running._asdict(), file)
        os.replace(mine, path)
    except OSError as error:
        raise JezeroError(f"{path}: cannot be written: {error.strerror}") from error


def _already(first: Running | None) -> AlreadyServingError:
    if first is None:
        return AlreadyServingError("another server of this home is starting; try again", None)
    text = f"{first.library} is served already, at {first.url}/ ; stop that one first"
    return AlreadyServingError(text, first)


def _read(home: str) -> Running | None:
    try:
        with open(os.path.join(home, STATE_FILE), encoding="utf-8") as file:
            value = json.loads(file.read(STATE_CHARS))
        running = Running(**value)
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    fitting = all(isinstance(text, str) for text in running) and running.url.startswith("http://")
    return running if fitting else None


def _forget(home: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(home, STATE_FILE))
