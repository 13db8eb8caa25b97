"""Time an import of 5,000 sessions beside Python's json alone reading the same files.

    python benchmarks/import_sessions.py [--sessions 5000] [--kill]

Makes the sessions (seeded, 118 MB) in a temporary folder, imports them in a process of its own,
then once more with nothing changed; prints seconds, MB/s and the peak of memory. With --kill a
third import is killed again and again on its way, and must be completed by the last one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import sessions  # noqa: E402

from jezero_hooks.library.care import library_faults  # noqa: E402
from jezero_hooks.library.reader import open_library  # noqa: E402

IMPORT = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from jezero_hooks.cli import main
sys.exit(main(["import", "--json", *sys.argv[1:]]))
"""
JSON_ALONE = """
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).rglob("*.jsonl"):
    with open(path, "rb") as lines:
        for line in lines:
            json.loads(line)
"""


class Ran(NamedTuple):
    """A finished process: what it printed, seconds, and its peak of memory in MB."""

    out: str
    seconds: float
    peak_mb: float


def run(code: str, *arguments: str, env: dict[str, str]) -> Ran:
    """Run Python code as a process of its own; exits where it fails."""
    start_s = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments], env=env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    out = process.stdout.read()
    process.stdout.close()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"exit code {process.returncode}")
    return Ran(out, time.perf_counter() - start_s, usage.ru_maxrss / 1024)


def kill_on_the_way(env: dict[str, str], seconds: float, times: int) -> None:
    """Start an import ``times`` times and kill each at a random moment."""
    rng = random.Random(7)
    for _ in range(times):
        process = subprocess.Popen(
            [sys.executable, "-c", IMPORT], env=env, stdout=subprocess.DEVNULL
        )
        time.sleep(rng.uniform(0.1, seconds / times))
        process.kill()
        process.wait()


class Import(NamedTuple):
    """A way to read so many MB of transcripts, and what it took."""

    name: str
    ran: Ran
    megabytes: float

    @property
    def speed(self) -> float:
        """MB a second."""
        return self.megabytes / self.ran.seconds


def show(imports: list[Import], of: str) -> None:
    """Print a table; the ratio is that of the speeds to the first one's."""
    print(f"\nimport, {of}")
    print(f"{'':<36}{'ratio':>8}{'MB/s':>11}{'seconds':>9}{'peak MB':>9}")
    for one in imports:
        ratio = one.ran.seconds / imports[0].ran.seconds
        print(
            f"{one.name:<36}{ratio:>7.2f}x{one.speed:>11.1f}{one.ran.seconds:>9.1f}"
            f"{one.ran.peak_mb:>9.0f}",
            flush=True,
        )


def time_imports(folder: str, count: int) -> tuple[list[Import], Ran, dict[str, str]]:
    """Import sessions into a home in the folder; return the rows, the first import's report
    and the environment it ran in."""
    size_mb = sessions.write(f"{folder}/client", count) / 1e6
    env = {"PATH": os.environ["PATH"], "HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/client"}
    env["JEZERO_HOOKS_HOME"] = f"{folder}/home"
    alone = run(JSON_ALONE, f"{folder}/client", env=env)
    first = run(IMPORT, env=env)
    again = run(IMPORT, env=env)
    rows = [
        Import("json alone", alone, size_mb),
        Import("import", first, size_mb),
        Import("import, nothing changed", again, size_mb),
    ]
    return rows, first, env


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--sessions", type=int, default=sessions.SESSIONS)
    parser.add_argument("--kill", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows, first, env = time_imports(folder, options.sessions)
        report = json.loads(first.out)
        if options.kill:
            rows.append(killed(folder, first, env, rows[0].megabytes))
        show(rows, f"{options.sessions:,} sessions, {rows[0].megabytes:.0f} MB")
        library = Path(folder, "home", "library.db")
        print(
            f"{report['inserted']} items, {report['redacted']} secrets redacted, "
            f"{len(report['failed'])} failed; library {library.stat().st_size / 1e6:.0f} MB"
        )


def killed(folder: str, first: Ran, env: dict[str, str], size_mb: float) -> Import:
    """Return what the last import took, after eight that were killed; exits if it lacks a thing."""
    whole = open_library(f"{folder}/home/library.db").count()
    env = {**env, "JEZERO_HOOKS_HOME": f"{folder}/killed"}
    kill_on_the_way(env, first.seconds, times=8)
    last = run(IMPORT, env=env)
    library = f"{folder}/killed/library.db"
    if open_library(library).count() != whole or library_faults(library):
        sys.exit("after 8 kills the import did not make the same library")
    return Import("import, completed after 8 kills", last, size_mb)


if __name__ == "__main__":
    main()
