"""The benchmarks run through, and the search answers as the plain statement does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT

# How fast anything is depends on who else uses the machine: only --quick's data are measured.
LIMIT_S = 300


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "BENCHMARKS_PYTHON": sys.executable,
        },
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def test_the_one_command_runs_through(tmp_path: Path) -> None:
    done = run(tmp_path, str(ROOT / "benchmarks" / "run"), "--quick", "--jezero", "/no/python")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "benchmarks: Jezero is left out: /no/python: No such file or directory\n"
    titles = (
        "hooks, 300 items (whole processes)",
        "search, 300 items (library opened each time)",
        "import, 20 sessions, 0 MB",
    )
    for title in titles:
        assert f"\n{title}\n" in done.stdout
    ratio = r" +\d+\.\d\dx"
    for row in (
        *("python -I -S -c pass", "a later prompt", "nothing to ask", "session start", "an answer"),
        *("20 common words: search", "8 words: search", "import", "import, nothing changed"),
    ):
        assert re.search(f"^{row}{ratio}", done.stdout, re.M), row
    assert re.search(r"^300 items +\d,\d{3} +\d+,\d{3}$", done.stdout, re.M)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wrong", [["--sizes", "ten"], ["--quick", "--full"], ["--sizes", "0"]])
def test_what_cannot_be_measured_is_a_matter_of_usage(wrong: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, str(ROOT / "benchmarks" / "run"), *wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: benchmarks/run")


def exactness(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, str(script), "--queries", "300", "--made-items", "1000")


def test_the_same_200_as_the_plain_statement(tmp_path: Path) -> None:
    done = exactness(ROOT / "benchmarks" / "exactness.py", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "300 questions, 0 answers differ (1000 items)\n"


@pytest.mark.parametrize(
    ("module", "text", "other"),
    [
        ("rules/recency.py", "recency_weight *", "1.0000001 * recency_weight *"),
        ("library/sql.py", "ORDER BY rank, rowid DESC", "ORDER BY rank, rowid"),
    ],
)
def test_it_sees_an_answer_that_is_another(
    module: str, text: str, other: str, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    for folder in ("jezero_hooks", "benchmarks", "stoplists", "hooks"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    changed = copy / "jezero_hooks" / module
    source = changed.read_text(encoding="utf-8")
    assert source.count(text) == 1
    changed.write_text(source.replace(text, other), encoding="utf-8")
    done = exactness(copy / "benchmarks" / "exactness.py", tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"300 questions, [1-9]\d* answers differ", done.stdout)
