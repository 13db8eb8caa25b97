"""Errors, commands and files of a session: tables."""

from __future__ import annotations

import pytest

from jezero_hooks.importers.atoms import chosen, command_of, error_of, fact_of

TRACEBACK = "\n".join(
    ["Exit code 1", "Traceback (most recent call last):"]
    + [f'  File "app.py", line {n}, in f{n}' for n in range(40)]
    + ["KeyError: 'consent'"]
)

LOOKED = (
    *("ls -la && git log --oneline", "git status -sb && git worktree list", "cd /x && pwd"),
    *("grep -rn 'a|b; c' src | head -20", "cat a.txt b.txt", "echo 'año: 2026'", "sleep 30"),
    *("for i in $(seq 1 20); do echo line $i; done", "git -C /x diff --stat", "git stash list"),
    *("rg foo 2>/dev/null || true", "sed -n 1,20p app.py", "python3 --version", "FOO=1 env"),
    *("find . -name '*.py' | xargs wc -l | sort", "ls 2>&1 && cat x", "", "  ", "exit 3"),
)
MATTERED = (
    ("pytest -q", "pytest -q"),
    ("cd /home/dev/code && pytest -q 2>&1 | tail -5", "pytest -q"),
    ('cd "my folder"; npm run build', "npm run build"),
    ("pytest -q 2>&1", "pytest -q"),
    ("git commit -m 'fix;  the | banner'", "git commit -m 'fix; the | banner'"),
    ("git stash", "git stash"),
    ("sed -i s/a/b/ app.py", "sed -i s/a/b/ app.py"),
    ("echo x > out.txt", "echo x > out.txt"),
    ("cat > a.py <<'EOF'\nx = 1\nEOF", "cat > a.py <<'EOF' x = 1 EOF"),
    ("sudo systemctl restart web", "sudo systemctl restart web"),
    ("FOO=1 make lint", "FOO=1 make lint"),
    ("ls && make", "ls && make"),
    ("'/opt/my tool/run' now", "'/opt/my tool/run' now"),
    ("if true; then make; fi", "if true; then make; fi"),
)


@pytest.mark.parametrize("command", LOOKED)
def test_looking_around_is_no_atom(command: str) -> None:
    assert command_of(command, 300) is None


@pytest.mark.parametrize(("command", "atom"), MATTERED)
def test_commands_that_matter(command: str, atom: str) -> None:
    assert command_of(command, 300) == atom


def test_a_long_command_is_cut_on_a_word() -> None:
    command = command_of("make " + "target " * 100, 300) or ""
    assert len(command) <= 300
    assert command.endswith("target …")


@pytest.mark.parametrize(
    ("message", "command", "atom"),
    [
        ("Exit code 1\nboom", "make", "Exit code 1\nboom"),
        ("Exit code 3", "make lint", "Exit code 3\n$ make lint"),
        ("Exit code 3", "", "Exit code 3"),
        ("<tool_use_error>Error: No such tool</tool_use_error>", "", "Error: No such tool"),
        ("a  \n\n\n  b", "", "a\n  b"),
        ("The user doesn't want to proceed with this tool use.", "", None),
        ("<tool_use_error>File has not been read yet. Read it</tool_use_error>", "", None),
        ("[Request interrupted by user for tool use]", "", None),
        ("  ", "", None),
    ],
)
def test_error_of(message: str, command: str, atom: str | None) -> None:
    assert error_of(message, command, 300) == atom


def test_a_long_error_keeps_its_first_lines_and_the_last() -> None:
    error = error_of(TRACEBACK, "make", 300) or ""
    assert error.startswith("Exit code 1\nTraceback (most recent call last):\n")
    assert error.endswith("\n…\nKeyError: 'consent'")
    assert len(error) <= 300


@pytest.mark.parametrize("message", ["x" * 5_000, "ab " * 500, "y" * 500 + "\n" + "z " * 500])
def test_an_error_is_never_longer_than_its_room(message: str) -> None:
    error = error_of(message, "", 300) or ""
    assert 100 < len(error) <= 300


@pytest.mark.parametrize(
    ("path", "fact"),
    [
        ("/p/src/app.py", "src/app.py"),
        ("/p/sub/b.py", "sub/b.py"),
        ("/other/sub/c.py", "c.py"),
        ("/prefix/d.py", "/prefix/d.py"),
        ("e.py", "e.py"),
        ("C:\\w\\f.py", "f.py"),
    ],
)
def test_fact_of(path: str, fact: str) -> None:
    assert fact_of(path, ("/p", None, "/other/sub/", "C:\\w")) == fact


def test_no_kind_starves_another() -> None:
    errors, facts = [f"e{n}" for n in range(30)], [f"f{n}" for n in range(5)]
    atoms = chosen((("error", errors), ("command", []), ("fact", facts)), 12)
    assert [atom.text for atom in atoms if atom.kind == "error"] == [f"e{n}" for n in range(23, 30)]
    assert [atom.text for atom in atoms if atom.kind == "fact"] == facts


def test_each_atom_once_where_it_came_last() -> None:
    atoms = chosen((("fact", ["a", "b", "a"]),), 12)
    assert [atom.text for atom in atoms] == ["b", "a"]
    assert chosen((("fact", ["a", "b", "c"]),), 2) == atoms[:0] + chosen((("fact", ["b", "c"]),), 2)
    assert chosen((("fact", ["a"]),), 0) == ()
