"""Which files below a folder are pages: Markdown that is neither hidden nor ignored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDINGS = (".md", ".mdx")
IGNORE_FILE = ".gitignore"
# Other people's pages, by the thousand.
NOT_OURS = frozenset(("node_modules",))
# Nobody sorts notes deeper; a tree that goes on was made by a program.
DEPTH = 32
# A list of ignored files is written by hand; the longest known have a few thousand lines.
IGNORE_BYTES = 1_000_000


class Ignoring(NamedTuple):
    """A folder and the patterns of its .gitignore, which hold in it and below."""

    folder: str
    spec: GitIgnoreSpec


def page_files(root: str) -> list[str]:
    """Return the paths of the pages below a folder, by name.

    Left out: hidden files and folders, node_modules, and what .gitignore files ignore, those
    above the folder too, up to the repository's top. The folder itself was named, so it may be
    hidden or ignored. Links to folders are followed, each folder is walked once.
    """
    above = _above(root)
    if _is_ignored(root, above, is_folder=True):
        above = []
    found = list(_walk(root, above, set(), 0))
    links = [entry for entry in found if entry.is_symlink()]
    doubles = _doubles(found, links) if links else set()
    return [entry.path for entry in found if entry.path not in doubles]


def _doubles(found: list[os.DirEntry[str]], links: list[os.DirEntry[str]]) -> set[str]:
    """Return the links to files that are found without them, or by another link before."""
    seen = {os.path.realpath(entry.path) for entry in found if not entry.is_symlink()}
    doubles = set()
    for link in links:
        real = os.path.realpath(link.path)
        if real in seen:
            doubles.add(link.path)
        seen.add(real)
    return doubles


def _walk(
    folder: str, above: list[Ignoring], seen: set[str], depth: int
) -> Iterator[os.DirEntry[str]]:
    real = os.path.realpath(folder)
    if real in seen or depth > DEPTH:
        return
    seen.add(real)
    ignoring = [*above, *_of_folder(folder)]
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") or entry.name in NOT_OURS:
            continue
        is_folder = _is(entry.is_dir)
        if not is_folder and not entry.name.lower().endswith(ENDINGS):
            continue
        if _is_ignored(entry.path, ignoring, is_folder=is_folder):
            continue
        if is_folder:
            yield from _walk(entry.path, ignoring, seen, depth + 1)
        elif _is(entry.is_file):
            yield entry


def _is(asked: Callable[[], bool]) -> bool:
    """Return what the system says of an entry; a link that leads to itself is nothing."""
    try:
        return asked()
    except OSError:
        return False


def _above(root: str) -> list[Ignoring]:
    """Return the .gitignore files above a folder, up to its repository's top, highest first."""
    found: list[Ignoring] = []
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []  # in no repository
        folder = parent
        found[:0] = _of_folder(folder)
    return found


def _of_folder(folder: str) -> list[Ignoring]:
    path = os.path.join(folder, IGNORE_FILE)
    try:
        if not os.path.isfile(path):
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read(IGNORE_BYTES).splitlines()
    except OSError:
        return []
    return [Ignoring(folder, _spec(lines))]


def _spec(lines: list[str]) -> GitIgnoreSpec:
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # one pattern that is none must not undo the others
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_ignored(path: str, ignoring: list[Ignoring], *, is_folder: bool) -> bool:
    """Return whether the nearest .gitignore that says anything of a path ignores it."""
    for folder, spec in reversed(ignoring):
        below = os.path.relpath(path, folder) + "/" * is_folder
        said = spec.check_file(below).include
        if said is not None:
            return bool(said)
    return False
