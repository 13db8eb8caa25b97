"""Machines for the hooks' tests, and what a start of Python takes on this one."""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.hooks.machine import BANNER, MENU, Machine, copy_plugin, write_library

NewMachine = Callable[[], contextlib.AbstractContextManager[Machine]]


@pytest.fixture(scope="session")
def bare_start_s() -> float:
    """What Python alone takes from start to end, in seconds; the median of five."""
    took_s = []
    for _ in range(5):
        began_s = time.perf_counter()
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        took_s.append(time.perf_counter() - began_s)
    return statistics.median(took_s)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plugin")
    copy_plugin(folder)
    return folder


@pytest.fixture(scope="session")
def sound_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "library.db"
    write_library(path, BANNER, MENU)
    return path


@pytest.fixture
def new_machine(tmp_path: Path, plugin: Path, sound_library: Path) -> NewMachine:
    """Return a function that gives one machine after another, each with a sound library."""
    made = iter(range(1_000))

    @contextlib.contextmanager
    def make() -> Iterator[Machine]:
        machine = Machine(tmp_path / f"machine {next(made)}", plugin)
        shutil.copyfile(sound_library, machine.library)
        with machine.at_end:
            yield machine

    return make


@pytest.fixture
def machine(new_machine: NewMachine) -> Iterator[Machine]:
    with new_machine() as one:
        yield one
