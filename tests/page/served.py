"""The program's own server on a library of a folder, and the browser that looks at its page."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jezero_hooks.library.writer import Writer
from jezero_hooks.model import NewItem
from tests.commands import KEPT, PROGRAM, ROOT, SITE
from tests.page.invented import write_pages

CHROMIUM = os.environ.get("CHROMIUM_BIN") or shutil.which("chromium") or "/usr/bin/chromium"
# It runs as root too, asks nobody on the network, and needs no graphics card.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


class Home:
    """A home of ours below a folder, the user's home beside it, and the program run there."""

    def __init__(self, folder: Path, program: Path = ROOT) -> None:
        self._program = program
        self.home = folder / "hooks"
        self.user = folder / "user"
        self.home.mkdir(mode=0o700)
        self.user.mkdir()
        self.url = ""

    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        return kept | {
            "HOME": str(self.user),
            "JEZERO_HOOKS_HOME": str(self.home),
            "CLAUDE_CONFIG_DIR": str(self.user / "client"),
            "PYTHONPATH": f"{self._program}{os.pathsep}{SITE}",
        }

    def put(self, items: Iterable[NewItem]) -> None:
        with Writer(str(self.home / "library.db")) as writer, writer.transaction():
            for item in items:
                writer.put(item, ingested_at=datetime.now(UTC).isoformat())

    def index(self) -> None:
        """Index the invented documents."""
        pages = self.user / "pages"
        write_pages(pages, datetime.now(UTC))
        self.json("documents", "index", pages)

    def json(self, *argv: object) -> Any:
        """Run a command that must succeed; return its one JSON value."""
        ended = subprocess.run(
            [*PROGRAM, "--json", *map(str, argv)],
            env=self.environment(),
            cwd=self.user,
            capture_output=True,
            check=True,
            timeout=60,
        )
        return json.loads(ended.stdout)

    @contextmanager
    def served(self, *argv: object) -> Iterator[str]:
        """Serve until the end; yield the page's address. It must end as on ^C."""
        with subprocess.Popen(
            [*PROGRAM, "serve", "--listen", "127.0.0.1:0", *map(str, argv)],
            env=self.environment(),
            cwd=self.user,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as started:
            assert started.stderr is not None
            try:
                said = started.stderr.readline()
                words = [word for word in said.split() if word.startswith("http://")]
                assert words, said + started.stderr.read()
                self.url = words[0].rstrip("/") + "/"
                yield self.url
            finally:
                started.send_signal(signal.SIGINT)
                started.communicate(timeout=30)
