"""The walls of the house: what may import what, and what a hook may cost."""

from __future__ import annotations

import ast
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "jezero_hooks"
MODULES = sorted(PACKAGE.rglob("*.py"))
SITE = sysconfig.get_path("purelib")

# No module of a hook may bring these along: each costs more than the hook itself.
TOO_DEAR = {
    "argparse",
    "asyncio",
    "collections",
    "contextlib",
    "dataclasses",
    "datetime",
    "enum",
    "filelock",
    "functools",
    "hashlib",
    "inspect",
    "json",
    "logging",
    "operator",
    "pathlib",
    "re",
    "rich",
    "shutil",
    "sqlite3",
    "subprocess",
    "threading",
    "typing",
    "unidecode",
    "yaml",
}
SILENT = {
    "jezero_hooks",
    "jezero_hooks.clock",
    "jezero_hooks.home",
    "jezero_hooks.hook",
    "jezero_hooks.jsontext",
    "jezero_hooks.model",
    "jezero_hooks.payload",
    "jezero_hooks.session",
}
CONFIGURED = SILENT | {
    "jezero_hooks.config",
    "jezero_hooks.library",
    "jezero_hooks.library.match",
    "jezero_hooks.rules",
    "jezero_hooks.rules.ranking",
    "jezero_hooks.rules.recency",
}
ASKED = {"jezero_hooks.rules.fold", "jezero_hooks.rules.terms", "jezero_hooks.stoplist"}
ANSWERING = CONFIGURED | {
    "apsw",
    "jezero_hooks.errors",
    "jezero_hooks.library.connection",
    "jezero_hooks.library.engine",
    "jezero_hooks.library.reader",
    "jezero_hooks.library.sql",
    "jezero_hooks.render",
}


def imports(path: Path) -> set[str]:
    """Return the modules a file imports, relative names made absolute."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = ("jezero_hooks", *path.relative_to(PACKAGE).parent.parts)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            found.add(".".join((*base, *filter(None, [node.module]))))
    return found


@pytest.mark.parametrize("path", sorted((PACKAGE / "rules").glob("*.py")), ids=lambda p: p.stem)
def test_rules_are_pure(path: Path) -> None:
    known = ("__future__", "collections.abc", "math", "unicodedata", "unidecode")
    pure = (*known, "jezero_hooks.model")
    strange = {m for m in imports(path) if m not in pure and ".rules" not in m}
    assert not strange
    calls = [n.func.id for n in ast.walk(ast.parse(path.read_text())) if is_named_call(n)]
    assert not {"open", "print", "input", "exec", "eval", "__import__"} & set(calls)


def is_named_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def test_apsw_stays_in_the_library() -> None:
    """And within it one module imports it, the one that knows how."""
    users = {path for path in MODULES if "apsw" in imports(path)}
    assert users == {PACKAGE / "library" / "engine.py"}
    engine = "jezero_hooks.library.engine"
    asking = {path for path in MODULES if engine in imports(path)}
    assert asking
    assert all(PACKAGE / "library" in path.parents for path in asking)


def test_what_apsw_was_lent_is_taken_back() -> None:
    code = f"""
import sys
sys.path[:0] = [{str(ROOT)!r}, {SITE!r}]
from jezero_hooks.library.engine import apsw
assert "collections" not in sys.modules
import collections.abc
assert collections.abc is sys.modules["collections.abc"] is not collections
class Values(collections.UserDict): pass
assert apsw.Connection(":memory:").execute("SELECT :a", Values(a=1)).fetchall() == [(1,)]
"""
    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


def test_sql_stands_in_one_file() -> None:
    words = (
        "SELECT ",
        "INSERT ",
        "UPDATE ",
        "DELETE ",
        "CREATE ",
        "DROP ",
        "PRAGMA ",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
    )
    strangers = [
        (path.name, node.value)
        for path in MODULES
        if path.name != "sql.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value.lstrip().startswith(words)
    ]
    assert strangers == []


def test_only_the_commands_use_importers() -> None:
    allowed = {"importing.py", "dryrun.py", "documents/page.py"}
    users = {
        path.relative_to(PACKAGE).as_posix()
        for path in MODULES
        if "importers" not in path.parts and any(".importers" in m for m in imports(path))
    }
    assert users <= allowed


def test_the_server_stands_alone() -> None:
    """Only server/ knows the protocol's package, and only the command, within, the server."""
    its_own = ("mcp", "mcp_types", "anyio", "uvicorn", "starlette", "pydantic")
    inside = {path for path in MODULES if PACKAGE / "server" in path.parents}
    assert any("mcp.server.lowlevel" in imports(path) for path in inside)
    for path in set(MODULES) - inside:
        found = imports(path)
        assert not {m for m in found if m.split(".")[0] in its_own}, path
        assert path.name == "cli.py" or not {m for m in found if ".server" in m}, path
    at_top = ast.parse((PACKAGE / "cli.py").read_text(encoding="utf-8")).body
    assert not [n for n in at_top if isinstance(n, ast.ImportFrom) and "server" in str(n.module)]


def test_broad_except_stands_once() -> None:
    broad = [
        path.name
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in ("Exception", "BaseException"))
        and not any(isinstance(inner, ast.Raise) and inner.exc is None for inner in node.body)
    ]
    assert broad == ["hook.py"]


def modules_of(hook: str, payload: str, home: Path) -> set[str]:
    """Return what a hook has imported when it ends, beyond what the interpreter starts with."""
    code = f"""
import sys
before = set(sys.modules)
sys.path[:0] = [{str(ROOT)!r}, {SITE!r}]
from jezero_hooks.hook import {hook}
{hook}()
sys.stderr.write(" ".join(set(sys.modules) - before))
"""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", code],
        input=payload,
        capture_output=True,
        text=True,
        env={"HOME": str(home), "JEZERO_HOOKS_HOME": str(home), "PATH": "/usr/bin:/bin"},
        check=True,
    )
    return set(done.stderr.split())


@pytest.fixture
def stocked_home(tmp_path: Path) -> Path:
    from jezero_hooks.library.writer import Writer
    from jezero_hooks.sample import sample_items

    with Writer(str(tmp_path / "library.db")) as writer, writer.transaction():
        for item in sample_items(1.8e9):
            writer.put(item, ingested_at="2026-01-01T00:00:00+00:00")
    (tmp_path / "import.stamp").touch()
    return tmp_path


def ours(modules: set[str]) -> set[str]:
    return {module for module in modules if module.startswith(("jezero_hooks", "apsw"))}


def test_a_silent_hook_imports_next_to_nothing(stocked_home: Path) -> None:
    payload = '{"session_id":"s","prompt":"login page timeout"}\n'
    modules_of("first_prompt", payload, stocked_home)
    modules = modules_of("first_prompt", payload, stocked_home)
    assert ours(modules) == SILENT
    assert not modules & TOO_DEAR


def test_a_prompt_with_nothing_to_ask_does_not_load_sqlite(stocked_home: Path) -> None:
    payload = '{"session_id":"s","prompt":"please help me with this"}\n'
    modules = modules_of("first_prompt", payload, stocked_home)
    assert ours(modules) == CONFIGURED | ASKED
    assert not modules & TOO_DEAR


def test_session_start_imports_what_it_needs(stocked_home: Path) -> None:
    payload = '{"session_id":"s","source":"startup","cwd":"/home/ana/code/lighthouse"}\n'
    modules = modules_of("session_start", payload, stocked_home)
    its_own = {"jezero_hooks.background", "jezero_hooks.project", "jezero_hooks.repository"}
    assert ours(modules) == ANSWERING | its_own
    assert not modules & TOO_DEAR


def test_an_answer_imports_what_it_needs(stocked_home: Path) -> None:
    payload = '{"session_id":"s","prompt":"login page timeout"}\n'
    modules = modules_of("first_prompt", payload, stocked_home)
    rules = {"jezero_hooks.rules.evidence", "jezero_hooks.rules.related"}
    assert ours(modules) == ANSWERING | ASKED | rules
    assert not modules & TOO_DEAR
