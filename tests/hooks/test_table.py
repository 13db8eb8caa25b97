"""Every hook × everything that can be wrong around it: exit 0, one JSON object or nothing, in time.

A row is a fault, and whether session-start and first-prompt still speak (None: either is right).
The case HK-02 (malformed stdin) is among the rows.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from typing import Any, NamedTuple

import apsw
import pytest

from tests.hooks.conftest import NewMachine
from tests.hooks.machine import (
    EVENTS,
    LIMIT_S,
    PROMPT,
    Machine,
    assert_manners,
    give_up_root,
)

# A hook on a busy machine can be late, and then says nothing; one that always is has a fault.
TRIALS = 5
# A locked library is not waited for (and an interpreter's start is not counted).
LOCKED_S = 0.3
# What a hook may leave in the home; `started` is the stub launcher's.
OURS = {
    "config.compiled.json",
    "hooks.log",
    "import.stamp",
    "library.db-shm",
    "library.db-wal",
    "sessions",
    "started",
}


class Fault(NamedTuple):
    """What is wrong on a machine, and which hooks speak all the same."""

    arrange: Callable[[Machine], object]
    start: bool | None = False
    prompt: bool | None = False
    within_s: float | None = None  # beside Python's own start; None: LIMIT_S in all


def both(*steps: Callable[[Machine], object]) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        for step in steps:
            step(machine)

    return arrange


# --- stdin -------------------------------------------------------------------------------


def stdin(raw: bytes, **speaks: bool | None) -> Fault:
    return Fault(lambda machine: setattr(machine, "stdin", raw), **speaks)


def payload(**fields: Any) -> Fault:
    def arrange(machine: Machine) -> None:
        machine.payload.update(fields)

    return Fault(arrange, start=True, prompt=True)


def written(fields: dict[str, Any], **speaks: bool | None) -> Fault:
    """A payload with nothing but these fields."""
    return stdin(json.dumps(fields).encode() + b"\n", **speaks)


def around(before: bytes, after: bytes) -> Fault:
    """The payload itself, with other bytes around it."""

    def arrange(machine: Machine) -> None:
        machine.stdin = before + json.dumps(machine.payload).encode() + after

    return Fault(arrange, start=True, prompt=True)


def never_closed(raw: bytes | None = None) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.stdin, machine.stdin_stays_open = raw, True

    return arrange


DEEP = 100_000
PROMPT_2_MB = "consent banner " + "ñandú 検査 " * 150_000
WORDS = "consent banner " + " ".join(f"w{n:06}" for n in range(1, 200_001))

STDIN = {
    "empty": stdin(b""),
    "blanks": stdin(b"   \n"),
    "cut": stdin(b'{"session_id":"s1","prompt":"hola'),
    "cut in a character": stdin('{"session_id":"s1","prompt":"ñ'.encode()[:-1]),
    "null": stdin(b"null"),
    "list": stdin(b"[]"),
    "string": stdin(b'"x"'),
    "number of 10,000 digits": stdin(b"1" * 10_000),
    "NaN": stdin(b'{"session_id":NaN}'),
    "two objects": stdin(b'{"session_id":"s1"}{"session_id":"s2"}\n'),
    "not UTF-8": stdin(bytes.fromhex("ff7b7d")),
    "UTF-16": stdin('{"session_id":"s1","prompt":"consent banner"}'.encode("utf-16")),
    "NULs": stdin(b"\0" * 413),
    "16 MB of nothing": stdin(b" " * 16_000_000),
    "nested deep": stdin(b"[" * DEEP),
    "nested deep inside": stdin(b'{"session_id":"s1","prompt":' + b"[" * DEEP + b"]" * DEEP + b"}"),
    "no fields": stdin(b"{}", start=True),
    "BOM": stdin(b"\xef\xbb\xbf{}", start=True),
    "null fields": written({"session_id": None, "prompt": None, "cwd": None}, start=True),
    "wrong types": written({"prompt": {"a": 1}, "session_id": 7, "cwd": []}, start=True),
    "wrong source": written({"source": ["startup"], "session_id": "s1"}, start=True),
    "no session": written({"prompt": PROMPT}, start=True),
    "BOM before the payload": around(b"\xef\xbb\xbf", b"\n"),
    "CR LF": around(b"\r\n", b"\r\n"),
    "no line end": around(b"", b""),
    "NULs in the folder": payload(cwd="/home/ana\0/code/x"),
    "half a character in the folder": payload(cwd="/home/ana/code/\ud83d"),
    "endless folder": payload(cwd="/a" * 500_000),
    "relative folder": payload(cwd="code/orion"),
    "folder that is gone": payload(cwd="/home/ana/code/gone/pkg"),
    "endless session": payload(session_id="s" * 1_000_000),
    "odd session": payload(session_id="../../x\0\n\ud800"),
    "NULs in the transcript": payload(transcript_path="/tmp/\0"),
    "unknown fields": payload(new_field={"x": [1, {"y": None}]}),
    "half a character in the prompt": payload(prompt=PROMPT + " \ud83d"),
    "NULs in the prompt": payload(prompt="consent\0banner\0\x1b[2J"),
    "operators in the prompt": payload(prompt='consent" OR banner* NOT (title:a AND NEAR('),
    "prompt of 2 MB": payload(prompt=PROMPT_2_MB),
    "200,000 different words": payload(prompt=WORDS),
    "one word of 2 MB": payload(prompt="consent banner " + "x" * 2_000_000),
    "never closed": Fault(never_closed(b"")),
    "never closed, blanks": Fault(never_closed(b"\n \n")),
    "never closed, cut": Fault(never_closed(b'{"session_id":"s1","prompt":"hola')),
    "never closed, whole line": Fault(never_closed(), start=True, prompt=True),
}


# --- the library -------------------------------------------------------------------------


def no_library(machine: Machine) -> None:
    machine.library.unlink()


def instead(raw: bytes) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.library.write_bytes(raw)

    return arrange


def cut(part: float) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        os.truncate(machine.library, int(machine.library.stat().st_size * part))

    return arrange


def changed(*statements: str) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        with contextlib.closing(apsw.Connection(str(machine.library))) as library:
            for statement in statements:
                library.execute(statement)

    return arrange


def held(*statements: str) -> Callable[[Machine], None]:
    """Another program has the library open, in the middle of these statements."""

    def arrange(machine: Machine) -> None:
        library = apsw.Connection(str(machine.library))
        machine.at_end.callback(library.close)
        for statement in statements:
            library.execute(statement)

    return arrange


def without_root(machine: Machine) -> None:
    machine.before_exec.append(give_up_root)


def read_only(machine: Machine) -> None:
    without_root(machine)
    machine.library.chmod(0o444)


def read_only_home(machine: Machine) -> None:
    read_only(machine)
    machine.home.chmod(0o555)
    machine.at_end.callback(machine.home.chmod, 0o755)


def unreadable(machine: Machine) -> None:
    without_root(machine)
    machine.library.chmod(0)


def library_is_a_folder(machine: Machine) -> None:
    no_library(machine)
    machine.library.mkdir()


def library_is_a_pipe(machine: Machine) -> None:
    no_library(machine)
    os.mkfifo(machine.library)


def library_leads_nowhere(machine: Machine) -> None:
    no_library(machine)
    machine.library.symlink_to("nowhere")


def library_leads_in_a_circle(machine: Machine) -> None:
    no_library(machine)
    machine.library.symlink_to(machine.library)


def log_of_writes_is_rubbish(machine: Machine) -> None:
    machine.home.joinpath("library.db-wal").write_bytes(os.urandom(50_000))


def log_of_writes_is_a_folder(machine: Machine) -> None:
    machine.home.joinpath("library.db-wal").mkdir()


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
LIBRARY = {
    "missing": Fault(no_library),
    "empty": Fault(changed("DELETE FROM items_fts", "DELETE FROM items")),
    "of 0 bytes": Fault(instead(b"")),
    "no database": Fault(instead(b"not a database")),
    "rubbish": Fault(instead(os.urandom(100_000))),
    "rubbish behind SQLite's name": Fault(instead(b"SQLite format 3\0" + b"\xff" * 100_000)),
    "cut to 60 %": Fault(cut(0.6), start=None, prompt=None),
    "cut to a page": Fault(cut(0.05)),
    "index damaged": Fault(changed("DELETE FROM items_fts_data WHERE id > 1"), start=True),
    "index gone": Fault(changed("DROP TABLE items_fts"), start=True),
    "of another program": Fault(
        both(no_library, changed("CREATE TABLE items (id)")),
    ),
    "of a later version": Fault(
        changed("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
    ),
    "without version": Fault(changed("DELETE FROM meta")),
    "with an unknown tokenizer": Fault(
        changed("UPDATE meta SET value = 'nonsense' WHERE key = 'tokenizer'"),
        start=True,
        prompt=True,
    ),
    "endless": Fault(
        changed(
            "DROP TABLE meta",
            f"CREATE VIEW meta AS {ENDLESS} SELECT x AS key, x AS value FROM n WHERE x < 0",
        ),
    ),
    "endless in the search": Fault(
        changed(
            "ALTER TABLE items RENAME TO real",
            f"CREATE VIEW items AS {ENDLESS} SELECT real.* FROM real, n WHERE x < 0",
        ),
    ),
    "title is no text": Fault(changed("UPDATE items SET title = x'ff00'"), start=None, prompt=None),
    "title is not UTF-8": Fault(
        changed("UPDATE items SET title = CAST(x'ff41' AS TEXT)"), start=None, prompt=None
    ),
    "dates are none": Fault(
        changed("UPDATE items SET occurred_at = 'soon'"), start=True, prompt=True
    ),
    "dates are numbers": Fault(
        changed("UPDATE items SET occurred_at = -1e300"), start=True, prompt=True
    ),
    "locked": Fault(held("PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE"), within_s=LOCKED_S),
    "locked, with a log": Fault(
        held("PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE", "DELETE FROM meta"),
        within_s=LOCKED_S,
    ),
    "being written": Fault(held("BEGIN IMMEDIATE", "DELETE FROM meta"), start=True, prompt=True),
    "read-only": Fault(read_only, start=True, prompt=True),
    "read-only in a read-only home": Fault(read_only_home, start=True, prompt=True),
    "unreadable": Fault(unreadable),
    "a folder": Fault(library_is_a_folder),
    "a pipe": Fault(library_is_a_pipe),
    "a link to nowhere": Fault(library_leads_nowhere),
    "a link to itself": Fault(library_leads_in_a_circle),
    "log of writes is rubbish": Fault(log_of_writes_is_rubbish, start=True, prompt=True),
    "log of writes is a folder": Fault(log_of_writes_is_a_folder, start=None, prompt=None),
}


# --- the home ----------------------------------------------------------------------------


def no_home(machine: Machine) -> None:
    shutil.rmtree(machine.home)


def home_is_a_file(machine: Machine) -> None:
    no_home(machine)
    machine.home.write_text("")


def home_is_a_pipe(machine: Machine) -> None:
    no_home(machine)
    os.mkfifo(machine.home)


def home_leads_nowhere(machine: Machine) -> None:
    no_home(machine)
    machine.home.symlink_to("nowhere/at all")


def home_named(name: str) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        home = machine.home.with_name(name)
        machine.home.rename(home)
        machine.home, machine.library = home, home / "library.db"
        machine.env["JEZERO_HOOKS_HOME"] = str(home)
        read_only_home(machine)

    return arrange


def sessions(make: Callable[[Any], object]) -> Callable[[Machine], object]:
    return lambda machine: make(machine.home / "sessions")


def log(make: Callable[[Any], object]) -> Callable[[Machine], None]:
    """Something stands in the log's place, and there is something to log."""

    def arrange(machine: Machine) -> None:
        instead(b"not a database")(machine)
        make(machine.log)

    return arrange


def unwritable(path: Any) -> None:
    path.touch()
    path.chmod(0o444)


def no_writing(machine: Machine) -> None:
    """No file takes a byte, as on a full disk; empty ones can be made."""
    machine.before_exec.append(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))


def no_files(machine: Machine) -> None:
    machine.before_exec.append(lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (6, 6)))


HOME = {
    "missing": Fault(no_home),
    "a file": Fault(home_is_a_file),
    "a pipe": Fault(home_is_a_pipe),
    "a link to nowhere": Fault(home_leads_nowhere),
    "named like a URL, read-only": Fault(home_named("a?mode=rw&b%41#c"), start=True, prompt=True),
    "takes no byte": Fault(no_writing, start=None, prompt=None),
    "with no library takes no byte": Fault(both(no_library, no_writing)),
    "sessions is a file": Fault(sessions(lambda path: path.touch()), start=True, prompt=True),
    "sessions is a pipe": Fault(sessions(os.mkfifo), start=True, prompt=True),
    "log is a folder": Fault(log(lambda path: path.mkdir())),
    "log is a pipe": Fault(log(os.mkfifo)),
    "log is unwritable": Fault(both(log(unwritable), without_root)),
    "log leads nowhere": Fault(log(lambda path: path.symlink_to("no/where"))),
}


# --- the config --------------------------------------------------------------------------


def no_config(machine: Machine) -> None:
    machine.config.unlink()


def config(raw: bytes) -> Fault:
    return Fault(lambda machine: machine.config.write_bytes(raw), start=True, prompt=True)


def compiled(raw: bytes) -> Fault:
    return Fault(lambda machine: machine.compiled.write_bytes(raw), start=True, prompt=True)


def compiled_is_a_folder(machine: Machine) -> None:
    machine.compiled.unlink()
    machine.compiled.mkdir()


def compiled_takes_no_byte(machine: Machine) -> None:
    machine.compiled.unlink()
    no_writing(machine)


def config_is(make: Callable[[Any], object], speaks: bool) -> Fault:
    return Fault(both(no_config, lambda machine: make(machine.config)), speaks, speaks)


CONFIG = {
    "missing": Fault(no_config, start=True, prompt=True),
    "empty": config(b""),
    "no YAML": config(b"import: [automatic: {"),
    "a tab": config(b"import:\n\tautomatic: false\n"),
    "not UTF-8": config(b"projects:\n  roots: [a\xf1o]\n"),
    "NULs": config(b"\0" * 413),
    "a list": config(b"- 1\n- 2\n"),
    "wrong types": config(b"import: 7\nhooks: {budget_ms: [], block_chars: {}}\nsearch:\n"),
    "out of range": config(b"hooks: {budget_ms: -1, block_chars: 1e9}\nfirst_prompt: {lines: 1e9}"),
    "nested deep": config(b"a: " + b"[" * 1_000),
    "in a circle": config(b"projects: &a {roots: [*a], aliases: *a}\n"),
    "unknown stop list": config(b"first_prompt: {stop_lists: [../../etc/passwd, zz, '']}\n"),
    "a folder": config_is(lambda path: path.mkdir(), True),
    "a pipe": config_is(os.mkfifo, False),
    "compiled: empty": compiled(b""),
    "compiled: with a tail": compiled(b'{"stamp":[],"values":{}}\n"\n}\n'),
    "compiled: NULs": compiled(b"\0" * 413),
    "compiled: another form": compiled(b"[[[]]]"),
    "compiled: a folder": Fault(compiled_is_a_folder, start=True, prompt=True),
    "compiled: takes no byte": Fault(compiled_takes_no_byte, start=None, prompt=None),
}


# --- the process -------------------------------------------------------------------------


def environment(**variables: str | None) -> Fault:
    def arrange(machine: Machine) -> None:
        for name, value in variables.items():
            if value is None:
                del machine.env[name]
            else:
                machine.env[name] = value

    return Fault(arrange, start=True, prompt=True)


def closed(*descriptors: int) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        for descriptor in descriptors:
            machine.before_exec.append(lambda fd=descriptor: os.close(fd))  # type: ignore[misc]

    return arrange


def opened(path: str, flags: int, fd: int) -> Callable[[Machine], None]:
    def arrange(machine: Machine) -> None:
        machine.before_exec.append(lambda: os.dup2(os.open(path, flags), fd))

    return arrange


def stdout_without_reader(machine: Machine) -> None:
    reads, machine.stdout = os.pipe()
    os.close(reads)
    machine.at_end.callback(os.close, machine.stdout)


def stdout_full(machine: Machine) -> None:
    reads, machine.stdout = os.pipe()
    machine.at_end.callback(os.close, reads)
    machine.at_end.callback(os.close, machine.stdout)
    os.set_blocking(machine.stdout, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(machine.stdout, b"x" * fcntl.fcntl(reads, fcntl.F_GETPIPE_SZ))
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(machine.stdout, b"x")
    os.set_blocking(machine.stdout, True)


def folder_gone(machine: Machine) -> None:
    """The folder in which the hook runs, and of which it is told, is removed meanwhile."""
    machine.before_exec.append(lambda: shutil.rmtree(machine.project))


def no_packages(machine: Machine) -> None:
    machine.site = "/nowhere/site-packages"


PROCESS = {
    "LC_ALL=C": environment(LC_ALL="C", PYTHONIOENCODING="ascii:strict"),
    "cp932": environment(LC_ALL="ja_JP.SJIS", PYTHONIOENCODING="cp932", PYTHONUTF8="0"),
    "latin-1": environment(LC_ALL="es_ES.ISO-8859-1", PYTHONIOENCODING="latin-1"),
    "Python's variables": environment(
        PYTHONPATH="/nowhere",
        PYTHONHOME="/nowhere",
        PYTHONDEVMODE="1",
        PYTHONWARNINGS="error",
        PYTHONVERBOSE="1",
        PYTHONPROFILEIMPORTTIME="1",
        PYTHONSTARTUP="/nowhere",
    ),
    "git's variables": environment(
        GIT_DIR="/nowhere/.git", GIT_WORK_TREE="/nowhere", GIT_INDEX_FILE="/nowhere/index"
    ),
    "no HOME": environment(HOME=None),
    "empty HOME": environment(HOME=""),
    "HOME is /": environment(HOME="/"),
    "HOME is relative": environment(HOME="user"),
    "HOME is not UTF-8": environment(HOME=os.fsdecode(b"/home/a\xf1o")),
    "no PATH": environment(PATH=None),
    "empty project folder": environment(CLAUDE_PROJECT_DIR=""),
    "odd project folder": environment(CLAUDE_PROJECT_DIR=os.fsdecode(b"\xff" * 5_000)),
    "stdin closed": Fault(closed(0)),
    "stdin never ends": Fault(opened("/dev/zero", os.O_RDONLY, 0)),
    "stdout closed": Fault(closed(1)),
    "stderr closed": Fault(closed(2), start=True, prompt=True),
    "all closed": Fault(closed(0, 1, 2)),
    "stdout without reader": Fault(stdout_without_reader),
    "stdout full": Fault(stdout_full),
    "no descriptors": Fault(no_files, start=None, prompt=None),
    "folder gone": Fault(folder_gone, start=True, prompt=True),
    "no packages": Fault(no_packages),
}
if os.path.exists("/dev/full"):
    PROCESS["stdout takes nothing"] = Fault(opened("/dev/full", os.O_WRONLY, 1))


# --- no room, where a file system may be mounted -----------------------------------------

FILLED = """
cp "$JEZERO_HOOKS_HOME"/* "$0" && mount -t tmpfs -o size=128k none "$JEZERO_HOOKS_HOME" || exit 1
cp "$0"/* "$JEZERO_HOOKS_HOME"
dd if=/dev/zero of="$JEZERO_HOOKS_HOME/rest" 2>/dev/null
exec "$@"
"""


def disk_full(machine: Machine) -> None:
    aside = machine.folder.with_name("aside")
    aside.mkdir()
    machine.wrapped = [*UNSHARE, "sh", "-c", FILLED, str(aside)]


UNSHARE = ["unshare", "--mount", "--map-root-user"]
if (
    shutil.which("unshare")
    and not subprocess.run([*UNSHARE, "true"], capture_output=True).returncode
):
    HOME["disk full"] = Fault(disk_full, start=None, prompt=None)


# --- the table ---------------------------------------------------------------------------

FAULTS = {
    f"{part}: {name}": fault
    for part, faults in {
        "stdin": STDIN,
        "library": LIBRARY,
        "home": HOME,
        "config": CONFIG,
        "process": PROCESS,
    }.items()
    for name, fault in faults.items()
}


@pytest.mark.parametrize("hook", EVENTS)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_nothing_breaks_a_hook(
    fault: Fault, hook: str, new_machine: NewMachine, bare_start_s: float
) -> None:
    limit_s = LIMIT_S if fault.within_s is None else fault.within_s + bare_start_s
    speaks = {"session-start": fault.start, "first-prompt": fault.prompt, "session-end": False}
    for _ in range(TRIALS):
        with new_machine() as machine:
            fault.arrange(machine)
            outside, inside = machine.outside(), machine.inside()
            said = machine.run(hook)
            assert_manners(said, hook)
            assert speaks[hook] is not False or not said.out, said
            assert machine.outside() <= outside
            assert machine.inside() <= inside | OURS
        if said.wall_s <= limit_s and (said.out or not speaks[hook]):
            return
    pytest.fail(f"may take {limit_s:.2f} s, should speak: {speaks[hook]}; does {said}")
