"""Which sessions the user does not want in the library: import.exclude."""

from __future__ import annotations

import os
import re
from fnmatch import translate
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from unicodedata import normalize

from .records import lines, record_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from .session import Session

# The client names the folder in the first records; a file without it is no transcript.
FIRST_LINES = 50


def nothing_excluded(path: str) -> bool:
    """Return False: without patterns every session is wanted."""
    return False


def excluding(patterns: Iterable[str], home: str) -> Callable[[str], bool]:
    """Return what tells whether a path is, or lies below, one that a pattern names.

    A pattern is a folder or a glob in which `*` also stands for `/`; `~` is the home. One that
    begins with neither `/` nor `~` is sought at any depth. Source: RULES 9.1.
    """
    places = [place for pattern in patterns for place in _places(pattern, home)]
    rules = [re.compile(translate(place)) for place in places]
    if not rules:
        return nothing_excluded

    @lru_cache(maxsize=4096)
    def excluded(path: str) -> bool:
        return any(rule.match(place) for place in _with_those_above(path) for rule in rules)

    return excluded


def first_folder(file: BinaryIO) -> str:
    """Return the folder in which a transcript begins, "" if unknown; the file is at its start."""
    for line in islice(lines(file), FIRST_LINES):
        try:
            record = record_of(line)
        except ValueError:
            continue
        folder = record.get("cwd") if record else None
        if isinstance(folder, str) and folder:
            break
    else:
        folder = ""
    file.seek(0)
    return str(folder)


def is_excluded(session: Session, excluded: Callable[[str], bool]) -> bool:
    """Return whether any prompt of a session was typed in a folder that is excluded."""
    folders = {session.folder, *(turn.folder for turn in session.turns)}
    return any(excluded(folder) for folder in folders if folder)


def _places(pattern: str, home: str) -> Iterator[str]:
    """Yield a pattern as globs of whole paths."""
    pattern = normalize("NFC", pattern)
    pattern = pattern.rstrip("/") or "/"
    if pattern == "~" or pattern.startswith("~/"):
        for own in {home, os.path.realpath(home)}:
            yield own.rstrip("/") + pattern[1:]
    else:
        yield pattern if pattern.startswith("/") else f"*/{pattern}"


def _with_those_above(path: str) -> Iterator[str]:
    place = normalize("NFC", os.path.normpath(path))
    while place:
        yield place
        above = os.path.dirname(place)
        if above == place:
            return
        place = above
