"""Count the instructions of the hooks with valgrind: figures that do not wander.

Counted is what a process does in user space: not the kernel's part (to start a program, to read
its pages), so that a launcher weighs less here than on the clock.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import hooks  # noqa: E402

# A hook under valgrind takes seconds, more than any budget: in the copy a second is 1,000.
LIMIT, NO_LIMIT = "share * self.limit_s", "share * 1000 * self.limit_s"
ENV = {"PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


class Counted(NamedTuple):
    """Millions of instructions: of the launcher, and of Python."""

    name: str
    launcher: float
    python: float


def available() -> bool:
    """Return whether valgrind is there."""
    return shutil.which("valgrind") is not None


def count(path: str, prompt: str) -> list[Counted]:
    """Return what the hooks cost with a library, the bare interpreter first."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "config.yaml").write_text("import:\n  automatic: false\n", encoding="utf-8")
        (home / "library.db").symlink_to(path)
        env = {"HOME": folder, "JEZERO_HOOKS_HOME": folder, "PATH": os.environ["PATH"]}
        copy = _copy_without_budget(home / "copy")
        todo = [job for job in hooks.jobs(home, prompt) if job.name != "python -c pass"]
        hooks.warm_up(todo, env)
        counted = []
        for job in todo:
            if job.name == hooks.FLOOR:
                counted.append(Counted(job.name, 0.0, _count(job.command, "", env)))
                continue
            script = job.command[1].replace("-", "_") + ".py"
            python = _python(home, str(copy / "hooks" / script))
            for number in (-5, -4):  # the copy's bytecode
                subprocess.run(python, input=job.stdin(number).encode(), env=env, check=True,
                               capture_output=True)  # fmt: skip
            launcher = ["sh", str(copy / "hooks" / "jezero-hook"), job.command[1]]
            counted.append(
                Counted(
                    job.name,
                    _count(launcher, "", env),
                    _count(python, job.stdin(-7), env, answers=job.answers),
                )
            )
        return counted


def _copy_without_budget(copy: Path) -> Path:
    """Return a copy of the program in which hooks take any time and the launcher starts nothing."""
    for folder in ("jezero_hooks", "hooks", "stoplists"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    clock = copy / "jezero_hooks" / "clock.py"
    text = clock.read_text(encoding="utf-8")
    if LIMIT not in text:
        sys.exit(f"instructions: {LIMIT!r} is not in clock.py; what ends a hook now?")
    clock.write_text(text.replace(LIMIT, NO_LIMIT), encoding="utf-8")
    launcher = copy / "hooks" / "jezero-hook"
    text = launcher.read_text(encoding="utf-8")
    launcher.write_text(text.replace('exec "$env/bin/python"', ': "$env/bin/python"'))
    return copy


def _python(home: Path, script: str) -> list[str]:
    """Return the command that the launcher becomes."""
    env = hooks.environment(home)
    options = ["-I", "-S", "-X", "utf8", "-X", f"pycache_prefix={home}/copy/pycache"]
    return [os.path.realpath(sys.executable), *options, script, f"{env}/site"]


def _count(command: list[str], stdin: str, env: dict[str, str], *, answers: bool = False) -> float:
    """Return the millions of instructions of one process."""
    with tempfile.TemporaryDirectory() as folder:
        # valgrind runs programs, no scripts that lie on the path.
        program = shutil.which(command[0]) or command[0]
        done = subprocess.run(
            [
                *("valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"),
                *(f"--log-file={folder}/log", program, *command[1:]),
            ],
            input=stdin.encode(),
            env={**env, **ENV},
            capture_output=True,
        )
        out = Path(folder, "out").read_text(encoding="utf-8", errors="replace")
    if done.returncode or bool(done.stdout) != answers:
        sys.exit(f"instructions: {command}: exit {done.returncode}, {done.stdout!r}")
    return int(re.findall(r"^(?:totals|summary): (\d+)", out, re.M)[-1]) / 1e6


def show(counted: list[Counted], items: int) -> None:
    """Print a table."""
    floor = counted[0].python
    print(f"\ninstructions in user space, millions, {items:,} items")
    print(f"{'':<36}{'ratio':>8}{'whole':>11}{'launcher':>9}{'Python':>9}")
    for one in counted:
        whole = one.launcher + one.python
        print(
            f"{one.name:<36}{whole / floor:>7.2f}x{whole:>11.1f}{one.launcher:>9.1f}"
            f"{one.python:>9.1f}",
            flush=True,
        )
