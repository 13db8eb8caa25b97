"""The first prompt, once: a file per session, whose being there is all that it says."""

from __future__ import annotations

import os

FOLDER = "sessions"
# FNV-1a, 128 bits: hides the id and fits a file name; no adversary is met here, and the
# interpreter's own hashes cost more to import than a silent hook does.
FNV_OFFSET, FNV_PRIME, FNV_BITS = 0x6C62272E07BB014262B821756295C58D, 0x1000000000000000000013B, 128
# The client's ids have 36 characters.
ID_CHARS = 200


def mark_name(session_id: str) -> str:
    """Return the file name of a session's mark: 32 hex digits."""
    value = FNV_OFFSET
    for byte in session_id[:ID_CHARS].encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * FNV_PRIME % (1 << FNV_BITS)
    return f"{value:032x}"


def is_first_prompt(home: str, session_id: str) -> bool:
    """Mark the session's first prompt; return whether this call was the one that did.

    The file is created exclusively, so that of two hooks at once only one answers. Where it
    cannot be written the answer is True: better twice than never.
    """
    folder = os.path.join(home, FOLDER)
    mark = os.path.join(folder, mark_name(session_id))
    try:
        return _create(mark)
    except FileNotFoundError:
        pass
    except OSError:
        return True
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)  # makedirs gives the mode to the last only
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return _create(mark)
    except OSError:
        return True


def _create(mark: str) -> bool:
    try:
        os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def clear_old_marks(home: str, *, now_s: float, max_age_days: float = 60.0) -> int:
    """Remove the marks of sessions that began long ago; return how many.

    A session that is resumed after that gets its lines once more.
    """
    folder = os.path.join(home, FOLDER)
    removed = 0
    try:
        marks = list(os.scandir(folder))
    except OSError:
        return 0
    for mark in marks:
        try:
            if mark.is_file() and now_s - mark.stat().st_mtime > max_age_days * 86_400:
                os.unlink(mark.path)
                removed += 1
        except OSError:
            continue
    return removed
