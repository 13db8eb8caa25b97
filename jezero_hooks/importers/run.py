"""The import: transcripts and ready-made items into the library, resumable at any moment."""

from __future__ import annotations

import os

from ..errors import JezeroError
from ..library.forget import item_mark, item_marks, part_mark, session_mark
from ..library.writer import FileState, Together
from ..model import ImportFailure, NamedTuple, NewItem
from ..times import now_iso
from .exclude import first_folder, is_excluded, nothing_excluded
from .history import read_history
from .items import read_items
from .records import lines
from .redaction import redact
from .transcript import SOURCE, items, prompt_uuids, read_session, segment_prompts
from .walk import session_files, sidecar_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from ..library.writer import Writer
    from .session import Session
    from .transcript import Limits

    ProjectOf = Callable[[str], str | None]
    Excluded = Callable[[str], bool]

# Ready-made items are small, and one commit each would cost more than they do.
ITEMS_A_COMMIT = 500
# SQLite's own bound; a clock that was never set can give a file a time beyond it.
MAX_INTEGER = 2**63 - 1
# From here on merging the index pays for itself at the next searches.
MERGE_FROM_ITEMS = 1_000
# As much of its work as a killed import may lose; others that write never wait for longer.
COMMIT_AFTER_S = 0.05


class Report(NamedTuple):
    """What an import did: items by outcome, secrets redacted, what could not be read.

    left_out counts sessions and ready-made items that are excluded or forgotten.
    """

    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    redacted: int = 0
    left_out: int = 0
    failed: tuple[ImportFailure, ...] = ()

    def plus(self, outcomes: Iterable[str], redacted: int = 0) -> Report:
        counts = self._asdict()
        counts["redacted"] += redacted
        for outcome in outcomes:
            counts[outcome] += 1
        return Report(**counts)

    def leaving_out(self, count: int = 1) -> Report:
        return self._replace(left_out=self.left_out + count)

    def failing(self, failures: Iterable[ImportFailure]) -> Report:
        return self._replace(failed=(*self.failed, *failures))


def transcripts(paths: Iterable[str], *, skip_session: str | None = None) -> list[str]:
    """Return the session transcripts that paths name or hold, newest first.

    ``skip_session`` is the running one: left out of folders, not where a path names its file.
    Raises JezeroError for a path that is not there.
    """
    found: list[str] = []
    for path in paths:
        # One file has one name here, wherever the import was started from.
        whole = os.path.abspath(path)
        if os.path.isdir(whole):
            found += [f for f in session_files(whole) if session_of(f) != skip_session]
        elif os.path.exists(whole):
            found.append(whole)
        else:
            raise JezeroError(f"{path}: is not there; name a transcript or a folder of them")
    return list(dict.fromkeys(found))


def session_of(path: str) -> str:
    """Return the id of the session whose transcript this is."""
    return os.path.basename(path).removesuffix(".jsonl")


def _key(path: str) -> str:
    """Return a path as text that the library can hold, also one that is no UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def import_transcripts(
    paths: Iterable[str],
    writer: Writer,
    *,
    project_of: ProjectOf,
    limits: Limits,
    excluded: Excluded = nothing_excluded,
    progress: Callable[[str, Report], None] = lambda path, report: None,
) -> Report:
    """Import transcripts, each of them whole or not at all; return what was done.

    A file whose size and time are those of its last import is not opened. ``progress`` is told
    of each file and of all that was done so far.
    """
    report = Report()
    together = Together(writer, COMMIT_AFTER_S)
    try:
        for path in paths:
            try:
                report = _import_transcript(
                    path, writer, together, report, project_of, limits, excluded
                )
            except OSError as error:
                report = report.failing([ImportFailure(path, None, error.strerror or str(error))])
            together.close_in_time()
            progress(path, report)
    finally:
        together.close()
    if report.inserted >= MERGE_FROM_ITEMS:
        writer.merge_index()
    return report


def _import_transcript(
    path: str,
    writer: Writer,
    together: Together,
    report: Report,
    project_of: ProjectOf,
    limits: Limits,
    excluded: Excluded,
) -> Report:
    # Nothing of either is noted, not even the path: that names the folder and the session.
    if excluded(path) or _is_forgotten(session_of(path), writer):
        return report.leaving_out()
    found = os.stat(path)
    state = FileState(found.st_size, min(found.st_mtime_ns, MAX_INTEGER))
    if writer.transcript(_key(path)) == state:
        return report.plus(["unchanged"])
    with open(path, "rb") as file:
        if excluded(first_folder(file)):
            return report.leaving_out()
        session = read_session(path, lines(file), found.st_mtime, sidecar_title(path))
    if is_excluded(session, excluded) or _is_forgotten(session.session_id, writer):
        return report.leaving_out()
    with together:
        forgotten = _disown_forgotten(session, writer, limits)
        foreign = writer.foreign_prompts(session.session_id, prompt_uuids(session))
        new, redacted = items(
            session, foreign=foreign, project_of=project_of, redact=redact, limits=limits
        )
        new = [item for item in new if item.external_id not in forgotten]
        if _is_older(new, writer.last_said(SOURCE, session.session_id)):
            outcomes = ["unchanged"]
        else:
            writer.drop_segments(SOURCE, session.session_id, {item.external_id for item in new})
            outcomes = _put(new, writer)
        writer.set_transcript(_key(path), state)
    return report.plus(outcomes, redacted).failing(session.skipped)


def _is_forgotten(session: str, writer: Writer) -> bool:
    return bool(writer.forgotten([session_mark(SOURCE, session)]))


def _disown_forgotten(session: Session, writer: Writer, limits: Limits) -> set[str]:
    """Return the external ids of the session's segments that are forgotten.

    Their prompts become nobody's, so that they stay out when other limits cut the session
    elsewhere, and out of its forks.
    """
    parts = segment_prompts(session, limits)
    marks = {external_id: item_mark(SOURCE, external_id) for external_id in parts}
    known = writer.forgotten(marks.values())
    gone = {external_id for external_id, mark in marks.items() if mark in known}
    if gone:
        uuids = [uuid for external_id in gone for uuid in parts[external_id]]
        writer.disown_prompts(session.session_id, uuids)
    return gone


def _wanted(items: list[NewItem], writer: Writer) -> list[NewItem]:
    """Return those of the items that are not forgotten."""
    marks = {item: item_marks(item.source, item.external_id) for item in items}
    known = writer.forgotten(mark for both in marks.values() for mark in both)
    return [item for item in items if known.isdisjoint(marks[item])]


def _is_older(new: list[NewItem], last_said: str | None) -> bool:
    """Return whether a file tells less than what is stored: a copy, an excerpt, a cut one."""
    return last_said is not None and max((i.occurred_at for i in new), default="") < last_said


def _put(new: Iterable[NewItem], writer: Writer) -> list[str]:
    ingested_at = now_iso()
    return [writer.put(item, ingested_at=ingested_at) for item in new]


def import_history(
    path: str,
    writer: Writer,
    report: Report,
    *,
    project_of: ProjectOf,
    limits: Limits,
    excluded: Excluded = nothing_excluded,
    leave_out: Container[str | None] = (),
) -> Report:
    """Import thin items from the client's prompt history, for sessions without a transcript.

    ``leave_out`` are the sessions that have one (a fork's parent may have no item of its own),
    and the running one.
    """
    try:
        found = os.stat(path)
    except OSError:
        return report
    state = FileState(found.st_size, min(found.st_mtime_ns, MAX_INTEGER))
    if writer.transcript(_key(path)) == state:
        return report

    def wanted(session_id: str) -> bool:
        return session_id not in leave_out and not writer.has_dialogue(SOURCE, session_id)

    try:
        with open(path, "rb") as file:
            thin, redacted, failures = read_history(
                path,
                lines(file),
                project_of=project_of,
                redact=redact,
                wanted=wanted,
                limits=limits,
                excluded=excluded,
            )
    except OSError as error:
        return report.failing([ImportFailure(path, None, error.strerror or str(error))])
    with writer.transaction():
        # A thin item holds the prompts of a whole session, also of its forgotten segments.
        parts = {item: part_mark(SOURCE, item.external_id) for item in thin}
        known = writer.forgotten(parts.values())
        missing = [item for item in _wanted(thin, writer) if parts[item] not in known]
        report = report.leaving_out(len(thin) - len(missing))
        report = report.plus(_put(missing, writer), redacted).failing(failures)
        writer.set_transcript(_key(path), state)
    return report


def import_items(
    path: str,
    source: str | None,
    writer: Writer,
    progress: Callable[[int, Report], None] = lambda done_bytes, report: None,
) -> Report:
    """Import ready-made items, secrets redacted; a line that is no item is a failure.

    Without a source each line names its own, as an export does. Raises JezeroError where the
    file cannot be read.
    """
    report = Report()
    failures: list[ImportFailure] = []
    batch: list[NewItem] = []
    try:
        with open(path, "rb") as file:
            for read in read_items(path, lines(file), source):
                if isinstance(read, ImportFailure):
                    failures.append(read)
                    continue
                clean, redacted = redact_item(read)
                report = report.plus((), redacted)
                batch.append(clean)
                if len(batch) == ITEMS_A_COMMIT:
                    report = _commit(batch, writer, report)
                    progress(file.tell(), report)
    except OSError as error:
        raise JezeroError(f"{path}: {error.strerror or error}") from error
    report = _commit(batch, writer, report).failing(failures)
    if report.inserted >= MERGE_FROM_ITEMS:
        writer.merge_index()
    return report


def _commit(batch: list[NewItem], writer: Writer, report: Report) -> Report:
    with writer.transaction():
        wanted = _wanted(batch, writer)
        report = report.plus(_put(wanted, writer)).leaving_out(len(batch) - len(wanted))
    batch.clear()
    return report


def redact_item(item: NewItem) -> tuple[NewItem, int]:
    """Return the item with the secrets in its texts redacted, and how many there were."""
    total = 0

    def clean_or_none(text: str | None) -> str | None:
        return None if text is None else clean(text)

    def clean(text: str) -> str:
        nonlocal total
        text, count = redact(text)
        total += count
        return text

    redacted = item._replace(
        title=clean(item.title),
        summary=clean(item.summary),
        questions=tuple(map(clean, item.questions)),
        atoms=tuple(atom._replace(text=clean(atom.text)) for atom in item.atoms),
        project=clean_or_none(item.project),
        account=clean_or_none(item.account),
        original=clean_or_none(item.original),
        original_ref=clean_or_none(item.original_ref),
    )
    return redacted, total
