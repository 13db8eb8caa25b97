"""Which files are pages."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from jezero_hooks.documents.walk import DEPTH, page_files


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo" / "docs"
    folder.mkdir(parents=True)
    return folder


def write(root: Path, *names: str, text: str = "x") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found(root: Path) -> list[str]:
    return [path.removeprefix(f"{root}/") for path in page_files(str(root)).paths]


def test_markdown_that_is_not_hidden(root: Path) -> None:
    write(root, "a.md", "B.MDX", "c.txt", "d.markdown", ".hidden.md", ".git/x.md", "e/f.md")
    write(root, "node_modules/p/readme.md", "e/node_modules/q.md", "md/no")
    assert found(root) == ["B.MDX", "a.md", "e/f.md"]


def test_the_folder_itself_may_be_hidden(root: Path) -> None:
    hidden = root / ".claude" / "memory"
    write(hidden, "a.md")
    assert found(hidden) == ["a.md"]
    assert found(root) == []


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("drafts/\n", ["a.md", "b/a.md"]),
        ("a.md\n", ["drafts/c.md"]),
        ("/a.md\n", ["b/a.md", "drafts/c.md"]),
        ("*.md\n!c.md\n", ["drafts/c.md"]),
        ("# a.md\n\n", ["a.md", "b/a.md", "drafts/c.md"]),
        ("**/a.md\n", ["drafts/c.md"]),
        ("!\n[\ndrafts\n", ["a.md", "b/a.md"]),
    ],
)
def test_what_is_ignored(patterns: str, left: list[str], root: Path) -> None:
    write(root, "a.md", "b/a.md", "drafts/c.md")
    (root / ".gitignore").write_text(patterns)
    assert found(root) == left


def test_a_nearer_file_has_the_last_word(root: Path) -> None:
    write(root, "a.md", "in/a.md", "in/b.md")
    (root / ".gitignore").write_text("a.md\n")
    (root / "in" / ".gitignore").write_text("!a.md\nb.md\n")
    assert found(root) == ["in/a.md"]


def test_files_above_count_up_to_the_repositorys_top(root: Path) -> None:
    write(root, "a.md", "b.md")
    (root.parent / ".gitignore").write_text("docs/a.md\n")
    (root.parent.parent / ".gitignore").write_text("b.md\n")
    assert found(root) == ["a.md", "b.md"]  # in no repository
    (root.parent / ".git").mkdir()
    assert found(root) == ["b.md"]


def test_a_folder_that_is_ignored_itself_was_named(root: Path) -> None:
    write(root, "a.md")
    (root.parent / ".git").mkdir()
    (root.parent / ".gitignore").write_text("docs/\n")
    assert found(root) == ["a.md"]
    assert found(root.parent) == []


def test_links_are_not_followed(root: Path, tmp_path: Path) -> None:
    write(root, "a.md", "in/b.md")
    write(tmp_path / "elsewhere", "c.md", ".d.md")
    (root / "in" / "up").symlink_to(root)
    (root / "loop").symlink_to(root / "loop")
    (root / "out").symlink_to(tmp_path / "elsewhere")
    (root / "dead.md").symlink_to(root / "none.md")
    (root / "again.md").symlink_to(root / "in" / "b.md")
    (root / "hidden.md").symlink_to(tmp_path / "elsewhere" / ".d.md")
    assert found(root) == ["a.md", "in/b.md"]
    assert found(root / "out") == ["c.md"]  # it was named


def test_a_folder_that_cannot_be_read_is_told(root: Path) -> None:
    write(root, "a.md")
    walked = page_files(str(root / "none"))
    assert (walked.paths, [folder for folder, _ in walked.unread]) == ([], [str(root / "none")])


def test_a_folder_that_lies_too_deep_is_told(root: Path) -> None:
    write(root, "/".join(["d"] * DEPTH) + "/a.md", "/".join(["d"] * (DEPTH + 1)) + "/b.md")
    walked = page_files(str(root))
    assert [Path(path).name for path in walked.paths] == ["a.md"]
    [(folder, reason)] = walked.unread
    assert folder == str(root / "/".join(["d"] * (DEPTH + 1)))
    assert "deep" in reason


# Patterns, and the pages that git 2.47 leaves of FILES.
FILES = (
    "docs/a.md",
    "docs/drafts/b.md",
    "drafts/c.md",
    "private.md",
    "docs/private.md",
    "x/y/z.md",
)


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("drafts/\n!docs/\n", ["docs/a.md", "docs/private.md", "private.md", "x/y/z.md"]),
        ("private.md\n!docs/\n", ["docs/a.md", "docs/drafts/b.md", "drafts/c.md", "x/y/z.md"]),
        ("*\n!*/\n!*.md\n", sorted(FILES)),
        ("*\n!docs/\n!docs/**\n", ["docs/a.md", "docs/drafts/b.md", "docs/private.md"]),
        ("/*\n!/docs/\n", ["docs/a.md", "docs/drafts/b.md", "docs/private.md"]),
        ("*.md\n!docs/\n", []),
        ("docs/*\n!docs/drafts/\n", ["docs/drafts/b.md", "drafts/c.md", "private.md", "x/y/z.md"]),
        ("**/drafts/**\n!b.md\n", [name for name in sorted(FILES) if name != "drafts/c.md"]),
        ("\ufeffprivate.md\n", ["docs/a.md", "docs/drafts/b.md", "drafts/c.md", "x/y/z.md"]),
    ],
)
def test_what_git_leaves(patterns: str, left: list[str], root: Path) -> None:
    write(root, *FILES)
    (root / ".gitignore").write_text(patterns, encoding="utf-8")
    assert sorted(found(root)) == left
    assert of_git(root) == left


PATTERNS = r"""
a.md /a.md docs docs/ /docs/ *.md !a.md !*.md docs/* !docs/a.md **/x x/** docs/**/a.md !docs/ * !*/
/x/* !/x/a.md a* [ab].md \!a.md drafts/*.md docs/x !x b/ ?.md ** /**/b.md ./a.md A.md x/ !x/a.md
a.md/ #a.md \#a.md **/drafts/** !**/a.md !**/*/
"""


@pytest.mark.parametrize("seed", range(12))
def test_lists_by_chance_are_read_as_git_reads_them(seed: int, root: Path) -> None:
    chance = random.Random(seed)
    for _ in range(12):
        folders = chance.choices(("a", "b", "docs", "drafts", "x"), k=chance.randint(0, 3))
        write(root, "/".join([*folders, chance.choice(("a.md", "b.md", "x.md"))]))
    folders = sorted({path.parent for path in root.rglob("*.md")})
    for folder in chance.sample(folders, min(len(folders), 3)):
        lines = chance.choices(PATTERNS.split(), k=chance.randint(1, 4))
        (folder / ".gitignore").write_text("\n".join(lines))
    assert sorted(found(root)) == of_git(root)


def of_git(root: Path) -> list[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(root), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*arguments: str) -> str:
        command = ("git", "-C", str(root), *arguments)
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return done.stdout

    git("init", "-q")
    names = git("ls-files", "-o", "--exclude-standard", "-z").split("\0")
    return sorted(name for name in names if name.endswith(".md"))
