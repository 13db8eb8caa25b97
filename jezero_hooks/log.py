"""The log of what went wrong where nobody looks on: hooks, and the import in the background."""

from __future__ import annotations

import os
import time

from .errors import JezeroError
from .home import LOG_FILE

# Beyond this the log is set aside once; two such files tell enough.
LOG_BYTES = 200_000


def note_fault(home: str, event: str, fault: BaseException) -> None:
    """Note a fault in the log, without a word of any prompt; a log that cannot be is none."""
    note(home, event, _told(fault))


def note(home: str, event: str, text: str) -> None:
    """Note a text in the log as one line; a log that cannot be is none."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
    path = os.path.join(home, LOG_FILE)
    try:
        if os.path.exists(path) and os.path.getsize(path) > LOG_BYTES:
            os.replace(path, path + ".1")
        log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(log, f"{now} {event}: {text}\n".encode("utf-8", "replace"))
        os.close(log)
    except OSError:
        return


def _told(fault: BaseException) -> str:
    """Return a refusal's own words; of other faults their kind and place, since the words of
    an exception can quote what it stumbled over."""
    if isinstance(fault, JezeroError):
        return str(fault)
    where = fault.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = f"{where.tb_frame.f_code.co_filename}:{where.tb_lineno}" if where else "?"
    return f"{type(fault).__name__} at {place}"
