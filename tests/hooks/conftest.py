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

from tests.hooks.machine import (
    BANNER,
    EVENTS,
    MENU,
    PATIENCE_S,
    PROMPT,
    Machine,
    copy_plugin,
    write_library,
)

NewMachine = Callable[..., contextlib.AbstractContextManager[Machine]]


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
    """The plugin as it is, less its real launcher."""
    folder = tmp_path_factory.mktemp("plugin")
    copy_plugin(folder)
    return warmed(folder)


@pytest.fixture(scope="session")
def patient_plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The plugin with clocks that a busy machine does not outrun, for what is no matter of time."""
    folder = tmp_path_factory.mktemp("patient plugin")
    copy_plugin(folder)
    clock = folder / "jezero_hooks/clock.py"
    text = clock.read_text()
    assert text.count("self.limit_s = limit_s") == 1
    clock.write_text(text.replace("self.limit_s = limit_s", f"self.limit_s = {PATIENCE_S}"))
    return warmed(folder)


def warmed(plugin: Path) -> Path:
    """Run each hook once: as in the launcher's environment, the modules are compiled then."""
    machine = Machine(plugin / "warm", plugin)
    write_library(machine.library, BANNER)
    machine.compiled.unlink()
    for hook in EVENTS:
        machine.run(hook, prompt=f"{PROMPT} ñandú")
    return plugin


@pytest.fixture(scope="session")
def sound_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("library") / "library.db"
    write_library(path, BANNER, MENU)
    return path


@pytest.fixture
def new_machine(
    tmp_path: Path, plugin: Path, patient_plugin: Path, sound_library: Path
) -> NewMachine:
    """Return a function that gives one machine after another, each with a sound library."""
    made = iter(range(1_000))

    @contextlib.contextmanager
    def make(patient: bool = False) -> Iterator[Machine]:
        used = patient_plugin if patient else plugin
        machine = Machine(tmp_path / f"machine {next(made)}", used)
        shutil.copyfile(sound_library, machine.library)
        with machine.at_end:
            yield machine

    return make


@pytest.fixture
def patient(new_machine: NewMachine) -> Iterator[Machine]:
    with new_machine(patient=True) as one:
        yield one


@pytest.fixture
def own_plugin(patient: Machine) -> Machine:
    """A machine whose plugin the test may bend."""
    plugin = patient.folder / "plugin"
    shutil.copytree(patient.plugin, plugin, ignore=shutil.ignore_patterns("warm", "pycache"))
    patient.plugin = plugin
    return patient
