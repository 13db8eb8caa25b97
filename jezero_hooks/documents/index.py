"""Index: folders of Markdown into the library; only what has changed is read."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import __version__
from ..errors import JezeroError
from ..jsontext import dump
from ..library.documents_writer import PageState, Root
from ..model import ImportFailure, NamedTuple
from .page import Made, hash_of, make_page, stored_ns
from .walk import page_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..library.documents_writer import DocumentsWriter

# Kept as the size of a page with a bad date: it is read again each time, and told again.
REPORTED = -1
# A kill loses this many pages' work; more at once would only hold the writers' lock longer.
BATCH = 200
GONE = "is not there; its pages stay, and `jezero-hook documents forget` removes them"


class Report(NamedTuple):
    """What an indexing did: counts, and files that could not be read or dated."""

    indexed: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    left_out: int = 0
    redacted: int = 0
    failed: tuple[ImportFailure, ...] = ()
    undated: tuple[ImportFailure, ...] = ()


class Asked(NamedTuple):
    """How the folders are to be indexed; None is as they were before.

    Of a new folder type None is its own name, and file_times None is file_times_at_first.
    """

    type: str | None
    file_times: bool | None
    page_bytes: int
    file_times_at_first: bool


def folder_of(named: str) -> str:
    """Return the folder that someone named, absolute and without links.

    Raises JezeroError where it is none.
    """
    path = os.path.realpath(os.path.expanduser(named))
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        raise JezeroError(f"{path!a}: is no UTF-8; give the folder another name") from None
    if not os.path.isdir(path):
        fault = "is no folder" if os.path.exists(path) else "is not there"
        raise JezeroError(f"{path}: {fault}; name a folder of Markdown pages")
    return path


def index_folders(
    writer: DocumentsWriter,
    folders: Iterable[str],
    asked: Asked,
    progress: Callable[[int, int], None] = lambda done, files: None,
) -> Report:
    """Index these folders, and those known that lie below them; without any, all known ones.

    Each file belongs to the nearest of its folders that is known. What is no page any more
    leaves; of a folder that is gone the pages stay, and it is reported. Source: RULES 12.1.
    """
    work = _Indexing(writer, asked, progress)
    work.run([*folders])
    return work.report


class _Indexing:
    def __init__(
        self, writer: DocumentsWriter, asked: Asked, progress: Callable[[int, int], None]
    ) -> None:
        self.report = Report()
        self._writer = writer
        self._asked = asked
        self._progress = progress
        self._unread: set[str] = set()

    def run(self, named: list[str]) -> None:
        known = {root.root: root for root in self._writer.roots()}
        roots = self._roots(named, known)
        files = self._files(roots, {*known, *named})
        states = self._writer.states()
        tasks = [(root, path) for root, paths in files for path in paths]
        for at in range(0, len(tasks), BATCH):
            with self._writer.transaction():
                for done, (root, path) in enumerate(tasks[at : at + BATCH], at + 1):
                    made_with = known[root.root].made_with if root.root in known else ""
                    self._take(root, path, states.get(path), is_same=made_with == root.made_with)
                    self._progress(done, len(tasks))
        self._clear(files, states, {path for _, path in tasks}, known)

    def _roots(self, named: list[str], known: dict[str, Root]) -> list[Root]:
        asked = self._asked
        roots = {}
        for folder in named:
            before = known.get(folder) or Root(folder, None, asked.file_times_at_first)
            type_ = before.type if asked.type is None else asked.type
            times = before.file_times if asked.file_times is None else asked.file_times
            roots[folder] = Root(folder, type_, times)
        for folder, root in known.items():
            if not named or (folder not in roots and any(_is_below(folder, n) for n in named)):
                roots[folder] = root
        return [root._replace(made_with=self._made_with(root)) for root in roots.values()]

    def _made_with(self, root: Root) -> str:
        return dump([__version__, root.type, root.file_times])

    def _files(self, roots: list[Root], all_roots: set[str]) -> list[tuple[Root, list[str]]]:
        found: list[tuple[Root, list[str]]] = []
        there = [root for root in roots if os.path.isdir(root.root)]
        for root in there:
            others = {other for other in all_roots if _is_below(other, root.root)}
            walked = page_files(root.root)
            for folder, reason in walked.unread:
                self._unread.add(folder)
                self._fail(folder, f"{reason}; its pages stay")
            paths = [p for p in walked.paths if not any(_is_below(p, o) for o in others)]
            found.append((root, paths))
        for root in roots:
            if root in there:
                continue
            inside = any(_is_below(root.root, other.root) for other in there)
            if inside and not self._is_unread(root.root):
                found.append((root, []))
                self._writer.drop_root(root.root)
            else:
                self._fail(root.root, GONE)
        return found

    def _is_unread(self, path: str) -> bool:
        return any(_is_below(path, folder) for folder in self._unread)

    def _fail(self, path: str, reason: str) -> None:
        readable = path.encode("utf-8", "replace").decode()
        self._count(failed=ImportFailure(readable, None, reason))

    def _take(self, root: Root, path: str, state: PageState | None, *, is_same: bool) -> None:
        """Look at one file; read it only where its time or size, its folder or a rule changed."""
        try:
            path.encode("utf-8")
            status = os.stat(path)
            size, mtime_ns = status.st_size, stored_ns(status.st_mtime_ns)
            same = is_same and state is not None and state.root == root.root
            if same and state is not None and (state.size, state.mtime_ns) == (size, mtime_ns):
                self._count(unchanged=1)
                return
            moved = root.file_times and state is not None and state.mtime_ns != mtime_ns
            raw = self._read(path)
        except (OSError, UnicodeEncodeError) as error:
            reason = getattr(error, "strerror", None) or "its name is no UTF-8; give it another"
            self._fail(path, reason)
            return
        if raw is None:
            reason = f"is longer than {self._asked.page_bytes:,} bytes (documents.page_bytes)"
            self._fail(path, reason)
        elif same and state is not None and not moved and state.hash == hash_of(raw):
            self._count(unchanged=1)
            if state.size == REPORTED:
                made = self._made(root, path, raw, size, mtime_ns)
                self._count(undated=made.undated if isinstance(made, Made) else None)
            else:
                self._writer.touch_page(state.id, size, mtime_ns)
        else:
            self._put(root, path, raw, state, size, mtime_ns)

    def _read(self, path: str) -> bytes | None:
        with open(path, "rb") as file:
            raw = file.read(self._asked.page_bytes + 1)
        return raw if len(raw) <= self._asked.page_bytes else None

    def _made(
        self, root: Root, path: str, raw: bytes, size: int, mtime_ns: int
    ) -> Made | ImportFailure:
        type_ = root.type or os.path.basename(root.root) or "page"
        return make_page(
            path, raw, size=size, mtime_ns=mtime_ns, type_=type_, file_times=root.file_times
        )

    def _put(
        self, root: Root, path: str, raw: bytes, state: PageState | None, size: int, mtime_ns: int
    ) -> None:
        made = self._made(root, path, raw, size, mtime_ns)
        if isinstance(made, ImportFailure):
            self._count(failed=made)
        elif isinstance(made, Made) and made.page is None:
            self._count(left_out=1)
            if state is not None:
                self._writer.drop_page(state.id)
                self._count(removed=1)
        elif made.page is not None:
            page = made.page._replace(size=REPORTED) if made.undated else made.page
            outcome = self._writer.put_page(page, root.root, state.id if state else None)
            self._count(undated=made.undated, redacted=made.redacted)
            self._count(indexed=int(outcome == "indexed"), updated=int(outcome == "updated"))

    def _clear(
        self,
        files: list[tuple[Root, list[str]]],
        states: dict[str, PageState],
        seen: set[str],
        known: dict[str, Root],
    ) -> None:
        """Take out what is no page any more, note the folders, and merge the index."""
        walked = {root.root for root, _ in files}
        with self._writer.transaction():
            for path, state in states.items():
                if state.root in walked and path not in seen and not self._is_unread(path):
                    self._writer.drop_page(state.id)
                    self._count(removed=1)
            for root, _ in files:
                if os.path.isdir(root.root):
                    self._writer.set_root(self._noted(root, known))
        if self.report.indexed + self.report.updated + self.report.removed > BATCH:
            self._writer.merge_index()

    def _noted(self, root: Root, known: dict[str, Root]) -> Root:
        """Return a folder as it is kept: its pages are made by a rule once all could be read."""
        if not any(f == root.root or _is_below(f, root.root) for f in self._unread):
            return root
        return root._replace(made_with=known[root.root].made_with if root.root in known else "")

    def _count(
        self,
        failed: ImportFailure | None = None,
        undated: ImportFailure | None = None,
        **counts: int,
    ) -> None:
        now = self.report
        more = {name: getattr(now, name) + count for name, count in counts.items()}
        self.report = now._replace(
            failed=(*now.failed, failed) if failed else now.failed,
            undated=(*now.undated, undated) if undated else now.undated,
            **more,
        )


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")
