"""Which files are pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from jezero_hooks.documents.walk import page_files


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
    return [path.removeprefix(f"{root}/") for path in page_files(str(root))]


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


def test_links_do_not_go_in_circles(root: Path) -> None:
    write(root, "a.md", "in/b.md")
    (root / "in" / "up").symlink_to(root)
    (root / "loop").symlink_to(root / "loop")
    (root / "dead.md").symlink_to(root / "none.md")
    (root / "again.md").symlink_to(root / "in" / "b.md")
    found = [str(Path(path).relative_to(root)) for path in page_files(str(root))]
    assert found == ["a.md", "in/b.md"]


def test_a_link_to_a_file_elsewhere_is_a_page_once(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere.md"
    other.write_text("# Elsewhere")
    write(root, "z.md")
    (root / "b.md").symlink_to(other)
    (root / "c.md").symlink_to(other)
    (root / "a.md").symlink_to(root / "z.md")
    assert [Path(path).name for path in page_files(str(root))] == ["b.md", "z.md"]


def test_a_folder_that_cannot_be_read_is_passed_over(root: Path) -> None:
    write(root, "a.md")
    assert page_files(str(root / "none")) == []
