"""Eight readers and two writers on one library: no fault, no lost item, every hook in time.

    python benchmarks/stress.py [--seconds 60] [--items 2000] [--hooks 4] [--askers 4]
                                [--writers 2] [--prompters 0] [--prompts 1000]
                                [--pause-ms 250] [--any-time]

Half of the readers start the hooks as the client does, launcher and all; the others search in
processes of their own, the odd ones on a connection that stays open. The writers write
transcripts, new and growing ones, and run the import on them. At the end each session must
stand in the library with its last prompt, and the library must be sound. Exits 1 where
anything is wrong, a hook that answered late or not at all included.

A prompter asks first prompts at random moments, until it has asked as many as it should or the
time is over. Each answer must be that of the library as it was before or after, to all words or
to the smaller question, or silence, and in time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import hooks  # noqa: E402
from jezero_hooks.cli import main as jezero_hook  # noqa: E402
from jezero_hooks.config import Config  # noqa: E402
from jezero_hooks.hook import (  # noqa: E402
    first_prompt_block,
    first_prompt_terms,
    small_question,
)
from jezero_hooks.library.care import library_faults  # noqa: E402
from jezero_hooks.library.match import Bounds  # noqa: E402
from jezero_hooks.library.reader import Reader, open_library  # noqa: E402

BUDGET_MS = Config().hooks.budget_ms
# New sessions and grown ones of a writer's turn.
NEW, GROWN = 4, 2
FAULTS_SHOWN = 5


class Report(NamedTuple):
    """What a worker did: milliseconds of each call, what went wrong, and what must be there:
    the last prompt of each session."""

    kind: str
    taken_ms: list[float]
    faults: list[str]
    written: dict[str, str] = {}  # noqa: RUF012 (never changed)
    silent: int = 0


class Place(NamedTuple):
    """Where a worker works, and what it asks for."""

    home: Path
    seconds: float
    pause_s: float
    any_time: bool
    prompt: str
    prompts: int = 1_000

    @property
    def library(self) -> str:
        return str(self.home / "library.db")

    def rounds(self) -> Iterator[int]:
        """Yield numbers until the time is up."""
        end_s = time.monotonic() + self.seconds
        round_ = 0
        while time.monotonic() < end_s:
            yield round_
            round_ += 1
            time.sleep(self.pause_s)


# --- the workers -----------------------------------------------------------------------------


def start_hooks(place: Place, number: int) -> Report:
    """Start hooks one after the other; each must answer, in time and whole."""
    del number
    taken_ms, faults = [], []
    launcher = str(ROOT / "hooks" / "jezero-hook")
    for round_ in place.rounds():
        event = ("first-prompt", "session-start")[round_ % 2]
        payload = {
            "session_id": str(uuid.uuid4()),
            "cwd": "/home/ana/code/project-3",
            **({"source": "startup"} if round_ % 2 else {"prompt": place.prompt}),
        }
        start_s = time.perf_counter()
        done = subprocess.run(
            [launcher, event],
            input=json.dumps(payload).encode() + b"\n",
            capture_output=True,
            check=False,
        )
        taken_ms.append((time.perf_counter() - start_s) * 1000)
        if done.returncode or done.stderr:
            faults.append(f"{event}: exit {done.returncode}, {done.stderr!r}")
        elif done.stdout:
            json.loads(done.stdout)
        elif not place.any_time or taken_ms[-1] < BUDGET_MS:
            faults.append(f"{event}: silent after {taken_ms[-1]:.0f} ms")
        if taken_ms[-1] > BUDGET_MS and not place.any_time:
            faults.append(f"{event}: late, {taken_ms[-1]:.0f} ms")
    return Report("hook", taken_ms, faults)


def ask(place: Place, number: int) -> Report:
    """Search and list, on a connection for each turn or on one for all of them."""
    kept = open_library(place.library) if number % 2 else None
    taken_ms = []
    least = 0
    faults = []
    for _ in place.rounds():
        start_s = time.perf_counter()
        reader = kept or open_library(place.library)
        found = _answers(reader, place.prompt)
        if kept is None:
            reader.close()
        taken_ms.append((time.perf_counter() - start_s) * 1000)
        if found < least:
            faults.append(f"{found} items after {least}")
        least = found
    return Report("asker", taken_ms, faults)


def _answers(reader: Reader, prompt: str) -> int:
    hits = reader.search(reader.match_query(prompt, Bounds()), now_s=1.8e9, limit=10)
    items = reader.timeline(limit=20)
    if len(hits) < 10 or len(items) < 20:
        raise SystemExit(f"{len(hits)} hits, {len(items)} items")
    if reader.item(hits[0].id) is None:
        raise SystemExit(f"item {hits[0].id} was found and is not there")
    return reader.count()


def prompt(place: Place, number: int) -> Report:
    """Ask first prompts at random moments; each answer must be right, or none, and in time."""
    rng = random.Random(number)
    text = hooks.texts(rng)
    reader = open_library(place.library)
    titles = [item.title for item in reader.timeline(limit=500)]
    taken_ms: list[float] = []
    faults = []
    silent = 0
    for _ in place.rounds():
        if len(taken_ms) == place.prompts:
            break
        time.sleep(rng.uniform(0, place.pause_s))
        asked = f"why {rng.choice(titles)} again {text(rng.randint(0, 14))}"
        right = answers_now(reader, asked)
        start_s = time.perf_counter()
        said = first_prompt(asked)
        taken_ms.append((time.perf_counter() - start_s) * 1000)
        silent += not said
        if said and said not in right | answers_now(reader, asked):
            faults.append(f"wrong answer to {asked!r}: {said!r}")
        if taken_ms[-1] > BUDGET_MS and not place.any_time:
            faults.append(f"late, {taken_ms[-1]:.0f} ms, {'answered' if said else 'silent'}")
    return Report("prompter", taken_ms, faults, {}, silent)


def first_prompt(asked: str) -> str:
    """Return what the hook gives to a first prompt, started as the client starts it."""
    payload = {"session_id": str(uuid.uuid4()), "cwd": "/", "prompt": asked}
    done = subprocess.run(
        [str(ROOT / "hooks" / "jezero-hook"), "first-prompt"],
        input=json.dumps(payload).encode() + b"\n",
        capture_output=True,
        check=False,
    )
    if done.returncode or done.stderr:
        return f"exit {done.returncode}, {done.stderr!r}"
    if not done.stdout:
        return ""
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


def answers_now(reader: Reader, asked: str) -> set[str]:
    """Return what may be answered with the library as it is: to all words, to fewer."""
    config = Config()
    rule = config.first_prompt
    words = small_question(len(first_prompt_terms(asked, rule).kept), rule)
    small = config._replace(first_prompt=rule._replace(words=words))
    blocks = [first_prompt_block(reader, c, asked, now_s=time.time()) for c in (config, small)]
    return {block.text for block in blocks}


def write(place: Place, number: int) -> Report:
    """Write transcripts and import them, as `jezero-hook import FOLDER` does."""
    os.nice(19)  # as the import that the hooks start
    rng = random.Random(number)
    text = hooks.texts(rng)
    folder = place.home / "client" / "projects" / f"-w-{number}"
    folder.mkdir(parents=True)
    written: dict[str, str] = {}
    taken_ms, faults = [], []
    for _ in place.rounds():
        grown = rng.sample(sorted(written), min(GROWN, len(written)))
        for session in [*(str(uuid.UUID(int=rng.getrandbits(128))) for _ in range(NEW)), *grown]:
            written[session] = f"{text(9)} {uuid.uuid4().hex}"
            with open(folder / f"{session}.jsonl", "a", encoding="utf-8") as file:
                file.writelines(exchange(session, written[session], text(60)))
        start_s = time.perf_counter()
        said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = jezero_hook(["--json", "import", str(folder)])
        taken_ms.append((time.perf_counter() - start_s) * 1000)
        said.seek(0)
        text_said = said.read()
        if code or json.loads(text_said)["failed"]:
            faults.append(f"import: exit {code}, {text_said}")
    return Report("writer", taken_ms, faults, written)


def exchange(session: str, prompt: str, answer: str) -> list[str]:
    """Return a prompt and its answer as lines of a transcript."""
    shared = {"sessionId": session, "isSidechain": False, "cwd": "/home/ana/code/project-3"}
    asked = {"role": "user", "content": prompt}
    said = {"id": uuid.uuid4().hex, "role": "assistant"}
    records: list[dict[str, Any]] = [
        {"type": "user", "timestamp": "2026-11-02T10:00:00Z", "message": asked},
        {
            "type": "assistant",
            "timestamp": "2026-11-02T10:00:05Z",
            "message": {**said, "content": [{"type": "text", "text": answer}]},
        },
    ]
    return [json.dumps({**shared, "uuid": str(uuid.uuid4()), **r}) + "\n" for r in records]


WORKERS: dict[str, Callable[[Place, int], Report]] = {
    "hooks": start_hooks,
    "askers": ask,
    "writers": write,
    "prompters": prompt,
}


# --- all of them -----------------------------------------------------------------------------


def lost(library: str, written: dict[str, str]) -> list[str]:
    """Return the sessions that are not in the library as they were written last."""
    reader = open_library(library)
    there = {}
    for listed in reader.timeline(limit=10**9):
        item = reader.item(listed.id)
        there[listed.external_id] = item.questions if item else ()
    return [session for session, prompt in written.items() if prompt not in there.get(session, ())]


def start(kind: str, number: int, place: Place) -> subprocess.Popen[str]:
    """Start a worker as a process of its own."""
    home = str(place.home)
    client = str(place.home / "client")
    return subprocess.Popen(
        [sys.executable, __file__, "--worker", kind, "--number", str(number)],
        env={
            "PATH": os.environ["PATH"],
            "HOME": home,
            "JEZERO_HOOKS_HOME": home,
            "CLAUDE_CONFIG_DIR": client,
            "STRESS": json.dumps([home, *place[1:]]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def work(kind: str, number: int) -> None:
    """Be a worker; print the report."""
    home, *rest = json.loads(os.environ["STRESS"])
    print(json.dumps(WORKERS[kind](Place(Path(home), *rest), number)))


def run(place: Place, numbers: dict[str, int]) -> list[Report]:
    """Run all workers at once; return their reports."""
    started = [start(kind, n, place) for kind, count in numbers.items() for n in range(count)]
    reports = []
    for process in started:
        out, err = process.communicate(timeout=place.seconds + 120)
        if process.returncode:
            reports.append(Report("worker", [], [err.strip()[-500:]]))
        else:
            reports.append(Report(*json.loads(out)))
    return reports


def stress(place: Place, items: int, numbers: dict[str, int]) -> int:
    """Stress a library in a home; print what was measured; return the number of faults."""
    config = "import:\n  automatic: false\n"
    (place.home / "config.yaml").write_text(config, encoding="utf-8")
    place = place._replace(prompt=hooks.fill(place.library, items))
    hooks.make_environment(place.home)
    warm = place._replace(seconds=0.1, pause_s=0.0)
    run(warm, {"hooks": 1})  # bytecode, the compiled config, the disk's cache
    reports = run(place, numbers)
    faults = [fault for report in reports for fault in report.faults]
    faults = faults[::-1] + library_faults(place.library)
    written = {s: prompt for report in reports for s, prompt in report.written.items()}
    missing = lost(place.library, written)
    faults += [f"lost: session {session}" for session in missing]
    print(f"{'':<9}{'processes':>10}{'calls':>8}{'median ms':>11}{'p99 ms':>8}{'max ms':>8}")
    for kind in ("hook", "asker", "writer", "prompter"):
        taken = sorted(t for report in reports if report.kind == kind for t in report.taken_ms)
        if taken:
            processes = sum(report.kind == kind for report in reports)
            p99 = taken[int(len(taken) * 0.99)]
            print(
                f"{kind:<9}{processes:>10}{len(taken):>8}{statistics.median(taken):>11.1f}"
                f"{p99:>8.1f}{taken[-1]:>8.1f}"
            )
    count = open_library(place.library).count()
    print(
        f"{len(written)} sessions written, {len(missing)} lost; {count} items; budget {BUDGET_MS}"
    )
    print(f"{len(faults)} faults")
    if asked := [report for report in reports if report.kind == "prompter"]:
        prompts = sum(len(report.taken_ms) for report in asked)
        print(f"{prompts} first prompts, {sum(report.silent for report in asked)} of them silent")
    for fault in faults[:FAULTS_SHOWN]:
        print(f"  {fault}")
    return len(faults)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--items", type=int, default=2_000)
    parser.add_argument("--pause-ms", type=float, default=250, help="between a worker's calls")
    parser.add_argument("--prompts", type=int, default=1_000, help="of a prompter")
    for kind, count in (("hooks", 4), ("askers", 4), ("writers", 2), ("prompters", 0)):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument(
        "--any-time", action="store_true", help="let a hook be late, or silent for that"
    )
    parser.add_argument("--worker", choices=WORKERS, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        work(options.worker, options.number)
        return 0
    numbers = {kind: getattr(options, kind) for kind in WORKERS}
    with tempfile.TemporaryDirectory() as folder:
        place = Place(
            Path(folder),
            options.seconds,
            options.pause_ms / 1000,
            options.any_time,
            prompt="",
            prompts=options.prompts,
        )
        return min(stress(place, options.items, numbers), 1)


if __name__ == "__main__":
    sys.exit(main())
