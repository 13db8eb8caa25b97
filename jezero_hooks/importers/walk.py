"""Which files below a folder are transcripts of sessions, newest first."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from ..model import ImportFailure, NamedTuple
from .records import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the client keeps beside a transcript, in a folder named like it: the subagents' own
# transcripts and outputs too long for the context. projects/<slug>/<session>/subagents is the
# deepest place; more depth is somebody else's tree.
NOT_SESSIONS = frozenset(("subagents", "tool-results", "workflows", "memory"))
DEPTH = 4
SIDECAR_BYTES = 64 * 2**10


class TranscriptFile(NamedTuple):
    """A transcript on disk: what tells whether it changed. mtime_ns is the file's, in ns."""

    path: str
    size: int
    mtime_ns: int


def transcripts(root: str) -> tuple[list[TranscriptFile], list[ImportFailure]]:
    """Return the session transcripts at or below root, newest first, and what was unreadable.

    root may be the client's projects folder, a project's folder in it, or one transcript.
    Subagents' transcripts (agent-*.jsonl, subagents/) and empty files are left out.
    """
    found: list[TranscriptFile] = []
    failures: list[ImportFailure] = []
    for path in _files(root, failures):
        try:
            status = os.stat(path)
        except OSError as fault:
            failures.append(ImportFailure(path, None, fault.strerror or "unreadable"))
            continue
        if status.st_size:
            found.append(TranscriptFile(path, status.st_size, status.st_mtime_ns))
    found.sort(key=lambda file: (-file.mtime_ns, file.path))
    return found, failures


def session_id_of(path: str) -> str:
    """Return the session id in a transcript's name."""
    return os.path.basename(path).removesuffix(".jsonl")


def sidecar_title(path: str) -> str | None:
    """Return the title that the user gave a session, from the file beside its transcript.

    Clients from 2.1.33x on write `<session>/custom-title.json`; None without one.
    """
    sidecar = os.path.join(path.removesuffix(".jsonl"), "custom-title.json")
    try:
        with open(sidecar, "rb") as stream:
            title = json.loads(stream.read(SIDECAR_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return text_of(title.get("customTitle")).strip() or None if isinstance(title, dict) else None


def _files(root: str, failures: list[ImportFailure]) -> Iterator[str]:
    if not os.path.isdir(root):
        yield root
        return
    top = root.rstrip(os.sep).count(os.sep)
    seen: set[str] = set()

    def unreadable(fault: OSError) -> None:
        failures.append(ImportFailure(str(fault.filename), None, fault.strerror or "unreadable"))

    # Projects are linked from other disks at times; a link back up must not go in circles.
    for folder, folders, names in os.walk(root, followlinks=True, onerror=unreadable):
        real = os.path.realpath(folder)
        if real in seen or folder.count(os.sep) - top >= DEPTH:
            folders.clear()
        if real in seen:
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name not in NOT_SESSIONS)
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                yield os.path.join(folder, name)
