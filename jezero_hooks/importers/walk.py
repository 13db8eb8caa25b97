"""Which files below a folder are transcripts of sessions, newest first."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from .records import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# What the client keeps in a folder beside a transcript, named like it: the transcripts of
# subagents, and outputs that were too long for the context.
NOT_SESSIONS = frozenset(("subagents", "tool-results"))
# A transcript lies at <projects>/<slug>/<session>.jsonl; two more levels serve who keeps the
# projects of several machines side by side. Anything deeper is somebody else's tree.
DEPTH = 4
SIDECAR_BYTES = 64 * 2**10


def session_files(root: str) -> list[str]:
    """Return the paths of the session transcripts below a folder, newest first.

    Left out: transcripts of subagents (agent-*.jsonl, subagents/), empty files, and what
    cannot be looked at. Files of one time come in the order of their paths.
    """
    found: list[tuple[int, str]] = []
    for path in _transcripts(root):
        try:
            status = os.stat(path)
        except OSError:
            continue
        if status.st_size:
            found.append((-status.st_mtime_ns, path))
    return [path for _, path in sorted(found)]


def sidecar_title(path: str) -> str | None:
    """Return the title that the user gave a session, from the file beside its transcript.

    Client 2.1.332 writes `<session>/custom-title.json` as well as a record; None without it.
    """
    sidecar = os.path.join(path.removesuffix(".jsonl"), "custom-title.json")
    try:
        with open(sidecar, "rb") as stream:
            title = json.loads(stream.read(SIDECAR_BYTES))
    except (OSError, ValueError, RecursionError):
        return None
    return text_of(title.get("customTitle")).strip() or None if isinstance(title, dict) else None


def _transcripts(root: str) -> Iterator[str]:
    top = root.rstrip(os.sep)
    seen: set[str] = set()
    # Projects are linked in from other disks at times; a link back up must not go in circles.
    for folder, folders, names in os.walk(top or root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        deep = folder[len(top) :].count(os.sep) >= DEPTH - 1
        folders[:] = [] if deep else sorted(set(folders) - NOT_SESSIONS)
        for name in names:
            if name.endswith(".jsonl") and not name.startswith("agent-"):
                yield os.path.join(folder, name)
