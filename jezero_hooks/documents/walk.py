"""Which files below a folder are pages: Markdown that is neither hidden nor ignored."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pathspec import GitIgnoreSpec

from ..model import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pathspec.pattern import RegexPattern

ENDINGS = (".md", ".mdx")
IGNORE_FILE = ".gitignore"
# Other people's pages, by the thousand.
NOT_OURS = frozenset(("node_modules",))
# Nobody sorts notes deeper; a tree that goes on was made by a program.
DEPTH = 32
# A list of ignored files is written by hand; the longest known have a few thousand lines.
IGNORE_BYTES = 1_000_000


class Rule(NamedTuple):
    """One line of a list of ignored files, and how a path is held against it."""

    pattern: RegexPattern
    is_ignored: bool
    folders_only: bool
    by_name: bool


class Ignoring(NamedTuple):
    """A folder and the rules of its .gitignore, the last first; they hold in it and below."""

    folder: str
    rules: tuple[Rule, ...]


class Unread(NamedTuple):
    """A folder of which nobody knows what lies in it, and why."""

    folder: str
    reason: str


class Walked(NamedTuple):
    """The paths of pages, by name, and the folders that could not be read."""

    paths: list[str]
    unread: list[Unread]


def page_files(root: str) -> Walked:
    """Return the pages below a folder.

    Left out: hidden files and folders, node_modules, links, and what .gitignore files ignore,
    those above the folder too, up to the repository's top. The folder itself was named, so it
    may be hidden, ignored or a link.
    """
    above = _above(root)
    if _is_ignored(root, above, is_folder=True):
        above = []
    walked = Walked([], [])
    _walk(root, above, walked, 0)
    return walked


def _walk(folder: str, above: list[Ignoring], walked: Walked, depth: int) -> None:
    if depth > DEPTH:
        walked.unread.append(Unread(folder, f"lies more than {DEPTH} folders deep"))
        return
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError as error:
        walked.unread.append(Unread(folder, error.strerror or "cannot be read"))
        return
    ignoring = [*above, *_of_folder(folder)]
    for entry in entries:
        # What a link leads to is found without it, or hidden, or nobody named it.
        if entry.name.startswith(".") or entry.name in NOT_OURS or entry.is_symlink():
            continue
        is_folder = entry.is_dir()
        if not is_folder and not entry.name.lower().endswith(ENDINGS):
            continue
        if _is_ignored(entry.path, ignoring, is_folder=is_folder):
            continue
        if is_folder:
            _walk(entry.path, ignoring, walked, depth + 1)
        elif entry.is_file():
            walked.paths.append(entry.path)


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
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            lines = file.read(IGNORE_BYTES).splitlines()
    except OSError:
        return []
    return [Ignoring(folder, tuple(rule for line in reversed(lines) for rule in _rules(line)))]


def _rules(line: str) -> Iterator[Rule]:
    try:
        patterns = GitIgnoreSpec.from_lines([line]).patterns
    except ValueError:  # one pattern that is none must not undo the others
        return
    body = line.rstrip().lstrip("!")
    while body.startswith("**/"):
        body = body[3:]
    for pattern in patterns:
        if pattern.include is not None:
            folders_only = body.endswith("/")
            yield Rule(pattern, pattern.include, folders_only, "/" not in body.rstrip("/"))


def _is_ignored(path: str, ignoring: list[Ignoring], *, is_folder: bool) -> bool:
    """Return what the last rule of the nearest .gitignore that says anything of a path says.

    As in git of this very path: the folders above it were judged before.
    """
    for folder, rules in reversed(ignoring):
        below = os.path.relpath(path, folder)
        for rule in rules:
            if _is_meant(rule, below, is_folder=is_folder):
                return rule.is_ignored
    return False


def _is_meant(rule: Rule, below: str, *, is_folder: bool) -> bool:
    if rule.folders_only and not is_folder:
        return False
    asked = os.path.basename(below) if rule.by_name else below
    found = rule.pattern.match_file(asked + "/" * rule.folders_only)
    if not found:
        return False
    # A pattern also matches what lies below the folder that it means: this mark ends the folder.
    mark = found.match.groupdict().get("ps_d")
    return not mark or found.match.end("ps_d") == len(asked) + 1
