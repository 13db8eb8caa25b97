"""check: config, library, environment and hooks, each line ok or what is wrong and what to do."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from rich.text import Text

from . import __version__
from .config import CONFIG_FILE, config_of
from .configfile import parse_file, usable_values
from .console import console, print_facts, print_json
from .errors import JezeroError
from .home import LAUNCHER, LOG_FILE, client_folder
from .library.care import documents_faults, library_faults, sqlite_version
from .library.reader import open_library
from .library.writer import OTHER_TOKENIZER
from .model import NamedTuple
from .rules.fold import fold
from .stoplist import stop_list_faults, stop_list_folder
from .yamlfile import fault_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .cli import Call
    from .config import Config

PRIVATE = 0o077
LOG_LINES = 3
# A fault of last week has been mended, or would have come again.
FRESH_S = 7 * 86_400


class Finding(NamedTuple):
    """One line of the check: what was looked at, whether it is well, what was found."""

    subject: str
    ok: bool
    text: str


def check(call: Call) -> int:
    """Print what is well and what is not; return 1 where anything is wrong."""
    findings = list(_findings(call))
    is_well = all(finding.ok for finding in findings)
    if call.json:
        print_json({"ok": is_well, "findings": [finding._asdict() for finding in findings]})
        return 0 if is_well else 1
    out = console()
    marks = {True: ("ok   ", "green"), False: ("wrong", "bold red")}
    print_facts(
        out, [(Text.assemble(marks[ok], f"  {name:<12}"), text) for name, ok, text in findings]
    )
    return 0 if is_well else 1


def _findings(call: Call) -> Iterator[Finding]:
    path = call.config or os.path.join(call.home, CONFIG_FILE)
    config = config_of(usable_values(path))
    yield from _config(path, bool(call.config))
    yield from _stop_lists(config)
    yield from _home(call.home)
    yield from _library(call.library, config)
    yield from _environment()
    yield from _hooks(call.home)
    if patterns := len(config.import_.exclude):
        noun = "pattern" if patterns == 1 else "patterns"
        yield Finding("import", True, f"{patterns} {noun} of import.exclude keep sessions out")


def _config(path: str, is_named: bool) -> Iterator[Finding]:
    if not os.path.lexists(path):
        text = f"{path} is not there" + ("" if is_named else "; the defaults hold")
        yield Finding("config", not is_named, text)
        return
    faults = parse_file(path).faults
    for fault in faults:
        yield Finding("config", False, fault_line(path, fault))
    if not faults:
        yield Finding("config", True, path)


def _stop_lists(config: Config) -> Iterator[Finding]:
    folder, names = stop_list_folder(), config.first_prompt.stop_lists
    faults = stop_list_faults(folder, names, fold)
    for fault in faults:
        place = fault.path if fault.line is None else f"{fault.path}:{fault.line}"
        yield Finding("stop lists", False, f"{place}: {fault.reason}")
    if not faults:
        yield Finding("stop lists", True, f"{', '.join(names) or 'none'} in {folder}")


def _home(home: str) -> Iterator[Finding]:
    if not os.path.exists(home):
        yield Finding("home", True, f"{home} is not there yet; the first import makes it")
    elif not os.path.isdir(home):
        yield Finding("home", False, f"{home} is no folder; move it away")
    elif not os.access(home, os.W_OK | os.X_OK):
        yield Finding("home", False, f"{home} may not be written; check its rights")
    elif os.stat(home).st_mode & PRIVATE:
        yield Finding("home", False, f"{home} can be read by others; run: chmod 700 {home}")
    else:
        yield Finding("home", True, home)


def _library(path: str, config: Config) -> Iterator[Finding]:
    if not os.path.exists(path):
        yield Finding("library", True, f"{path} is not there yet; `jezero-hook import` makes it")
        return
    try:
        reader = open_library(path)
        faults = library_faults(path)
        if reader.tokenizer != config.storage.tokenizer:
            faults.append(OTHER_TOKENIZER.format(reader.tokenizer, config.storage.tokenizer))
    except JezeroError as error:
        yield Finding("library", False, str(error))
        return
    for fault in faults:
        yield Finding("library", False, f"{path}: {fault}")
    if not faults:
        yield Finding("library", True, f"{path}, {reader.count():,} items, {reader.tokenizer}")
    yield from _documents(path, config.documents.tokenizer)


def _documents(path: str, tokenizer: str) -> Iterator[Finding]:
    try:
        count, faults = documents_faults(path, tokenizer)
    except JezeroError as error:
        yield Finding("documents", False, str(error))
        return
    for fault in faults:
        yield Finding("documents", False, f"{path}: {fault}")
    if not faults:
        text = "none indexed" if count is None else f"{count:,} pages, {tokenizer}"
        yield Finding("documents", True, text)


def _environment() -> Iterator[Finding]:
    python = ".".join(map(str, sys.version_info[:3]))
    text = f"jezero-hooks {__version__}, Python {python}, SQLite {sqlite_version()}"
    yield Finding("environment", True, f"{text}, {sys.executable}")


def _hooks(home: str) -> Iterator[Finding]:
    if os.path.exists(LAUNCHER):
        runs = os.access(LAUNCHER, os.X_OK)
        text = LAUNCHER if runs else f"{LAUNCHER} may not be run; run: chmod +x {LAUNCHER}"
        yield Finding("launcher", runs, text)
    projects = os.path.join(client_folder(), "projects")
    there = "" if os.path.isdir(projects) else " is not there (no session yet?)"
    yield Finding("transcripts", True, projects + there)
    yield _log(os.path.join(home, LOG_FILE))


def _log(path: str) -> Finding:
    """Return the newest lines of the log; wrong while they are fresh."""
    try:
        age_s = time.time() - os.stat(path).st_mtime
        with open(path, encoding="utf-8", errors="replace") as file:
            last = file.read().splitlines()[-LOG_LINES:]
    except OSError:
        return Finding("hooks", True, "no fault noted")
    return Finding("hooks", age_s > FRESH_S, f"{path} (remove it once mended): {' | '.join(last)}")
