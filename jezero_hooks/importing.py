"""import: past sessions and ready-made items into the library."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from . import __version__
from .answers import settings
from .config import load_config
from .console import console, print_json, progress
from .errors import JezeroError, UsageError
from .home import client_folder, user_home
from .importers.exclude import excluding
from .importers.run import (
    Report,
    import_history,
    import_items,
    import_transcripts,
    session_of,
    transcripts,
)
from .importers.transcript import Limits
from .jsontext import dump
from .library.writer import Writer
from .lock import BY_HAND_WAIT_S, AlreadyLockedError, writing
from .log import note_fault
from .project import find_project
from .session import clear_old_marks

if TYPE_CHECKING:
    from collections.abc import Callable

    from .cli import Call
    from .config import Config
    from .console import Told

# The import for an ended session waits for the one that a session start began.
ENDED_WAIT_S = 120.0
FAILURES_SHOWN = 10


def run_import(call: Call) -> int:
    """Import transcripts, or with --items ready-made items; print what was done."""
    options = call.options
    if options.source is not None and not (options.items and options.source):
        raise UsageError("--source NAME goes with --items FILE")
    if options.items and options.paths:
        raise UsageError("--items and paths of transcripts are two imports; call twice")
    if options.background:
        return _in_background(call)
    config = settings(call)
    with writing(call.library, wait_s=BY_HAND_WAIT_S):
        report = _import(call, config, quiet=call.json)
    clear_old_marks(call.home, now_s=call.now_s)
    _print_report(call, report)
    done = report.inserted + report.updated + report.unchanged
    return 1 if report.failed and not done else 0


def _in_background(call: Call) -> int:
    with contextlib.suppress(OSError):
        os.nice(19)
    paths = call.options.paths
    if paths and not any(map(os.path.exists, paths)):
        return 0  # a session in which nobody typed has no transcript
    wait_s = ENDED_WAIT_S if paths else 0.0
    # Nobody is there to be told: what goes wrong stands in the log, where `check` looks.
    sys.excepthook = lambda kind, fault, trace: note_fault(call.home, "import", fault)
    try:
        with writing(call.library, wait_s=wait_s):
            _import(call, load_config(call.home, call.config), quiet=True)
    except AlreadyLockedError:
        return 0
    except JezeroError as fault:
        note_fault(call.home, "import", fault)
        return 1
    clear_old_marks(call.home, now_s=call.now_s)
    return 0


def _import(call: Call, config: Config, *, quiet: bool) -> Report:
    options = call.options
    skip = options.skip_session or os.environ.get("CLAUDE_CODE_SESSION_ID")
    # Looked for first: a path that is not there must not leave an empty library.
    paths = options.paths or ([] if options.items else _client_projects())
    found = transcripts(paths, skip_session=skip)
    with Writer(call.library, config.storage.tokenizer) as writer:
        with progress("importing", "bytes", quiet=quiet) as told:
            if options.items:
                tell = _tell_of_items(options.items, told)
                return import_items(options.items, options.source, writer, tell)
            report = import_into(writer, found, config, _tell_of_files(found, told))
        if options.paths:
            return report
        return import_history(
            os.path.join(client_folder(), "history.jsonl"),
            writer,
            report,
            project_of=project_of(config),
            limits=limits_of(config),
            excluded=excluding(config.import_.exclude, user_home()),
            leave_out={skip, *map(session_of, found)},
        )


def _tell_of_files(paths: list[str], told: Told) -> Callable[[str, Report], None]:
    of = sum(map(_size, paths))
    done = files = 0

    def tell(path: str, report: Report) -> None:
        nonlocal done, files
        done, files = min(done + _size(path), of), files + 1
        told(done, of, f"{files:,} of {len(paths):,} files, {_items(report)}")

    return tell


def _tell_of_items(path: str, told: Told) -> Callable[[int, Report], None]:
    of = _size(path)
    return lambda done, report: told(min(done, of), of, _items(report))


def _items(report: Report) -> str:
    return f"{report.inserted + report.updated:,} items"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:  # whoever opens it says so
        return 0


def _client_projects() -> list[str]:
    folder = os.path.join(client_folder(), "projects")
    return [folder] if os.path.isdir(folder) else []


def import_into(
    writer: Writer,
    found: list[str],
    config: Config,
    progress: Callable[[str, Report], None] = lambda path, report: None,
) -> Report:
    """Import these transcripts by the config's numbers; return what was done.

    Where the config or the program has changed since, unchanged transcripts are read again.
    """
    limits = limits_of(config)
    writer.use_rules(dump([__version__, config.projects, limits]))
    return import_transcripts(
        found,
        writer,
        project_of=project_of(config),
        limits=limits,
        excluded=excluding(config.import_.exclude, user_home()),
        progress=progress,
    )


def project_of(config: Config) -> Callable[[str], str | None]:
    """Return the rule that names the project of a folder, each folder looked at once."""
    known: dict[str, str | None] = {}
    home = user_home()

    def name_of(folder: str) -> str | None:
        if folder not in known:
            # Half a surrogate pair in a record's folder is no character, and cannot be stored.
            sound = folder.encode("utf-8", "replace").decode("utf-8")
            project = find_project(sound, config.projects, home)
            known[folder] = project.name if project else None
        return known[folder]

    return name_of


def limits_of(config: Config) -> Limits:
    """Return the limits of an item that the config sets."""
    return Limits()._replace(
        idle_hours=config.import_.idle_hours,
        prompts=config.import_.prompts,
        original_bytes=config.import_.original_bytes,
    )


def _print_report(call: Call, report: Report) -> None:
    if call.json:
        failed = [failure._asdict() for failure in report.failed]
        print_json(report._asdict() | {"failed": failed})
        return
    out = console()
    if report == Report() and not call.options.paths and not call.options.items:
        out.print(f"no transcripts in {os.path.join(client_folder(), 'projects')}")
    out.print(
        f"{report.inserted} inserted, {report.updated} updated, {report.unchanged} unchanged; "
        f"{report.redacted} secrets redacted"
        + (f"; {report.left_out} left out (excluded or forgotten)" if report.left_out else "")
    )
    if report.failed:
        out.print(f"{len(report.failed)} lines or files could not be read:")
    for failure in report.failed[:FAILURES_SHOWN]:
        place = failure.path if failure.line is None else f"{failure.path}:{failure.line}"
        out.print(f"  {place}: {failure.reason}")
    if len(report.failed) > FAILURES_SHOWN:
        out.print("  … (all of them with --json)")
