"""The import that hooks start: rarely, detached, and in nobody's way."""

from __future__ import annotations

import os
import time

from .home import IMPORT_STAMP_FILE, program


def import_is_due(home: str, every_minutes: float) -> bool:
    """Return whether the last import began long enough ago, and note that one begins now."""
    stamp = os.path.join(home, IMPORT_STAMP_FILE)
    try:
        if 0 <= time.time() - os.stat(stamp).st_mtime < every_minutes * 60:
            return False
    except FileNotFoundError:
        os.makedirs(home, mode=0o700, exist_ok=True)
    os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT, 0o600))
    os.utime(stamp)
    return True


def start_import(*arguments: str) -> None:
    """Start an import that outlives the hook and holds none of the client's pipes."""
    argv = [*program(), "import", "--background", *arguments]
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in range(3)]
    try:
        os.posix_spawnp(argv[0], argv, os.environ, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a system that cannot give it a session of its own
        os.posix_spawnp(argv[0], argv, os.environ, file_actions=nowhere, setpgroup=0)
