"""Time the hooks as the client starts them, beside `python3 -c pass`, in one run.

    python benchmarks/hooks.py [--items 5000] [--runs 20]

Makes its own library (seeded, invented words) in a temporary home with the environment that
runs this script. The bare interpreter is the environment's own with `-I -S`: what a machine
has in its site-packages (start-up files, a version manager's shims) is no part of a hook.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from timing import Timed, in_turns, show  # noqa: E402

from jezero_hooks.config import Config  # noqa: E402
from jezero_hooks.library.writer import Writer  # noqa: E402
from jezero_hooks.model import Atom, NewItem  # noqa: E402

SEED = 7
FLOOR, LATER = "python -I -S -c pass", "a later prompt"
# Two thirds of a hook's budget: past it, with the start of Python, silence is as it must be.
BUDGET_MS = Config().hooks.budget_ms * 2 / 3
# Sounds of English words: an index of trigrams feels how varied the letters are.
ONSETS = (
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p ph pl pr "
    "qu r s sc sh sl sp st str t th tr v w"
)
VOWELS = "a a e e e i i o o u ai ea ee ie io oa ou y"
CODAS = "  b ck ct d ft g l ll m mp n nd ng nt p r rd rk rm rs rt s sh ss st t th x"

NEWEST = datetime(2026, 11, 1, tzinfo=UTC)
# Items of a transaction: what is written waits in memory and in the log until it ends.
TOGETHER = 10_000


class Job(NamedTuple):
    """What is timed: a command, its stdin for the n-th round, what it must print."""

    name: str
    command: list[str]
    stdin: Callable[[int], str]
    answers: bool


def texts(rng: random.Random) -> Callable[[int], str]:
    """Return a function that makes texts of n invented words, common ones more often."""
    sounds = [part.split(" ") for part in (ONSETS, VOWELS, CODAS)]

    def word() -> str:
        return "".join(rng.choice(part) for _ in range(rng.randint(1, 3)) for part in sounds)

    words = [word() for _ in range(8_000)]
    # Zipf without its head: the commonest words of a language are in the stop lists.
    weights = list(accumulate(1 / (n + 40) for n in range(len(words))))
    return lambda count: " ".join(rng.choices(words, cum_weights=weights, k=count))


def fill(path: str, count: int) -> str:
    """Make a library of ``count`` items; return a prompt of a person about one of them."""
    text = texts(random.Random(SEED))
    asked = ""
    with Writer(path) as writer:
        for first in range(0, count, TOGETHER):
            with writer.transaction():
                for n in range(first, min(first + TOGETHER, count)):
                    item = made_item(n, text)
                    writer.put(item, ingested_at=NEWEST.isoformat())
                    asked = item.title if n == count // 2 else asked
        writer.merge_index()
    return f"please have a look why {asked} fails again in {text(2)}"


def made_item(n: int, text: Callable[[int], str]) -> NewItem:
    """Return the n-th item, an hour older than the one before."""
    return NewItem(
        source="claude-code",
        external_id=f"session-{n}",
        occurred_at=(NEWEST - timedelta(hours=n)).isoformat(),
        title=text(8),
        summary=text(60),
        questions=(text(12), text(12), text(9)),
        atoms=tuple(Atom("command", text(5)) for _ in range(5)),
        project=f"project-{n % 40}",
        original=text(400),
    )


def jobs(home: Path, prompt: str) -> list[Job]:
    """Return what is timed, the bare interpreter first."""
    launcher = str(ROOT / "hooks" / "jezero-hook")

    def payload(round_: int, **more: str) -> str:
        value = {"session_id": f"session-{round_}", "cwd": "/home/ana/code/project-3", **more}
        return json.dumps(value) + "\n"

    make_environment(home)
    hook = [launcher, "first-prompt"]
    python = os.path.realpath(sys.executable)
    return [
        Job(FLOOR, [python, "-I", "-S", "-c", "pass"], lambda n: "", False),
        Job("python -c pass", [sys.executable, "-c", "pass"], lambda n: "", False),
        Job(LATER, hook, lambda n: payload(-1, prompt=prompt), False),
        Job("nothing to ask", hook, lambda n: payload(2 * n, prompt="please fix this"), False),
        Job(
            "session start",
            [launcher, "session-start"],
            lambda n: payload(n, source="startup"),
            True,
        ),
        Job("an answer", hook, lambda n: payload(2 * n + 1, prompt=prompt), True),
    ]


def make_environment(home: Path) -> None:
    """Give the launcher an environment: this interpreter and its packages."""
    env = environment(home)
    (env / "bin").mkdir(parents=True)
    (env / "bin" / "python").symlink_to(os.path.realpath(sys.executable))
    (env / "site").symlink_to(sysconfig.get_path("purelib"))


def environment(home: Path) -> Path:
    """Return the folder in which the launcher looks for its environment."""
    text = (ROOT / "hooks" / "jezero-hook").read_text(encoding="utf-8")
    return home / ("env-" + text.split("\nlock=", 1)[1].split("\n", 1)[0])


def measure(job: Job, round_: int, env: dict[str, str]) -> float:
    """Return the milliseconds of one whole process; exits where it does not answer as it must.

    A hook that is past its budget may be silent.
    """
    stdin = job.stdin(round_).encode()
    start_s = time.perf_counter()
    done = subprocess.run(job.command, input=stdin, env=env, capture_output=True)
    elapsed_ms = (time.perf_counter() - start_s) * 1000
    as_it_must = bool(done.stdout) == job.answers or (not done.stdout and elapsed_ms >= BUDGET_MS)
    if done.returncode or done.stderr or not as_it_must:
        sys.exit(f"{job.name}: exit {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    return elapsed_ms


def time_hooks(path: str, prompt: str, rounds: int) -> list[Timed]:
    """Return what the hooks take with a library, as whole processes, the bare one first."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "config.yaml").write_text("import:\n  automatic: false\n", encoding="utf-8")
        (home / "library.db").symlink_to(path)
        env = {"HOME": folder, "JEZERO_HOOKS_HOME": folder, "PATH": os.environ["PATH"]}
        todo = jobs(home, prompt)
        warm_up(todo, env)
        return in_turns({j.name: lambda n, j=j: measure(j, n, env) for j in todo}, rounds)  # type: ignore[misc]


def warm_up(todo: list[Job], env: dict[str, str]) -> None:
    """Fill the caches (bytecode, config, disk) and use up the later prompt's session."""
    for round_ in (-3, -2):
        for job in todo:
            if job.name != LATER:
                measure(job, round_, env)
    for job in todo:
        if job.name == LATER:
            stdin = job.stdin(0).encode()
            subprocess.run(job.command, input=stdin, env=env, capture_output=True, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--items", type=int, default=5_000)
    parser.add_argument("--runs", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/library.db"
        prompt = fill(path, options.items)
        show(f"hooks, {options.items:,} items", time_hooks(path, prompt, options.runs))


if __name__ == "__main__":
    main()
