"""Readers and writers on one library at once: no fault, no lost item, whole answers."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.commands import ROOT

STRESS = ROOT / "benchmarks" / "stress.py"


def stress(script: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script), "--any-time", *options],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_eight_readers_and_two_writers(tmp_path: Path) -> None:
    """How fast a hook answers is for the benchmark to say: here others use the machine, too."""
    done = stress(STRESS, tmp_path, "--seconds", "3", "--items", "200")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n0 faults\n" in done.stdout
    written, lost = map(int, re.findall(r"(\d+) sessions written, (\d+) lost", done.stdout)[0])
    assert written > 0
    assert lost == 0
    for kind, processes in (("hook", 4), ("asker", 4), ("writer", 2)):
        assert re.search(rf"^{kind} +{processes} +[1-9]", done.stdout, re.M), done.stdout


PROMPTERS = ("--hooks", "0", "--askers", "0", "--writers", "1", "--prompters", "1")


def test_first_prompts_while_something_is_imported(tmp_path: Path) -> None:
    done = stress(
        STRESS, tmp_path, "--seconds", "8", "--items", "200", "--prompts", "4", *PROMPTERS
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^[1-4] first prompts, \d of them silent$", done.stdout, re.M), done.stdout


def test_it_sees_a_wrong_answer(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for folder in ("jezero_hooks", "hooks", "benchmarks", "stoplists"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    hook = copy / "jezero_hooks" / "hook.py"
    text = hook.read_text(encoding="utf-8")
    told = "block.text, home, _told(block))"
    assert told in text
    hook.write_text(text.replace(told, f"'wrong ' + {told}"), encoding="utf-8")
    clock = copy / "jezero_hooks" / "clock.py"
    text = clock.read_text(encoding="utf-8")
    assert "self.limit_s = limit_s" in text
    clock.write_text(text.replace("self.limit_s = limit_s", "self.limit_s = 30"), encoding="utf-8")
    script = copy / "benchmarks" / "stress.py"
    done = stress(
        script, tmp_path, "--seconds", "10", "--items", "100", "--prompts", "3", *PROMPTERS
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "wrong answer to" in done.stdout


def test_it_sees_an_item_that_is_lost(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for folder in ("jezero_hooks", "hooks", "benchmarks", "stoplists"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    source = copy / "jezero_hooks" / "importers" / "run.py"
    text = source.read_text(encoding="utf-8")
    put = "writer.put(item, ingested_at=ingested_at)"
    assert put in text
    forgets = f'"updated" if len(item.questions) > 1 else {put}'
    source.write_text(text.replace(put, forgets), encoding="utf-8")
    script = copy / "benchmarks" / "stress.py"
    done = stress(script, tmp_path, "--seconds", "5", "--items", "100", "--askers", "1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "lost: session" in done.stdout
