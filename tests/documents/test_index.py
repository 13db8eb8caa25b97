"""documents index: only what changed is read; what is gone leaves; what is broken is said."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

import jezero_hooks.documents.index as index
import jezero_hooks.library.connection as library_connection
from tests.commands import Place, item

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def notes(place: Place) -> Path:
    folder = place.user / "notes"
    folder.mkdir()
    return folder


def write(folder: Path, name: str, text: str | bytes, at: int = 1_790_000_000) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (at, at))
    return path


def counts(report: dict[str, Any]) -> tuple[int, ...]:
    return tuple(report[name] for name in ("indexed", "updated", "unchanged", "removed"))


def found(place: Place, query: str, *options: object) -> list[str]:
    results = place.json("documents", "search", query, *options)["results"]
    return [Path(result["path"]).name for result in results]


def test_only_what_changed_is_read(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "a.md", "# Apples")
    b = write(notes, "b.md", "# Bananas")
    assert counts(place.json("documents", "index", notes)) == (2, 0, 0, 0)

    def no_page(*args: object, **named: object) -> None:
        raise AssertionError("an unchanged page was read")

    with monkeypatch.context() as patched:
        patched.setattr(index, "make_page", no_page)
        assert counts(place.json("documents", "index", notes)) == (0, 0, 2, 0)
        os.utime(b, (5, 5))  # another time, the same bytes
        assert counts(place.json("documents", "index")) == (0, 0, 2, 0)
        patched.setattr(index, "hash_of", no_page)
        assert counts(place.json("documents", "index")) == (0, 0, 2, 0)
    write(notes, "b.md", "# Cherries", 1_790_000_001)
    assert counts(place.json("documents", "index", notes)) == (0, 1, 1, 0)
    assert (found(place, "bananas"), found(place, "cherries")) == ([], ["b.md"])
    b.unlink()
    assert counts(place.json("documents", "index", notes)) == (0, 0, 1, 1)
    assert found(place, "cherries") == []


def test_another_rule_reads_all_again(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    assert place.json("documents", "search", "apples")["results"][0]["type"] == "notes"
    assert counts(place.json("documents", "index", notes, "--type", "adr")) == (0, 1, 0, 0)
    (hit,) = place.json("documents", "search", "apples")["results"]
    assert (hit["type"], hit["date"]) == ("adr", None)
    place.json("documents", "index", notes, "--file-times")
    (hit,) = place.json("documents", "search", "apples")["results"]
    assert (hit["type"], hit["date"]) == ("adr", "2026-09-21T14:13:20+00:00")
    # Without options a folder is indexed as it was last.
    assert counts(place.json("documents", "index")) == (0, 0, 1, 0)
    assert counts(place.json("documents", "index", notes)) == (0, 0, 1, 0)
    place.json("documents", "index", notes, "--no-file-times")
    (hit,) = place.json("documents", "search", "apples")["results"]
    assert (hit["type"], hit["date"]) == ("adr", None)


@pytest.mark.parametrize("options", [("--type", "adr"), ("--file-times",)])
def test_how_is_said_of_a_folder(place: Place, notes: Path, options: tuple[str, ...]) -> None:
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    done = place.run("documents", "index", *options)
    assert done.code == 2
    assert "documents index DIR" in done.err


def test_file_times_of_the_config(place: Place, notes: Path) -> None:
    place.write_config("documents:\n  file_times: true\n")
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    assert place.json("documents", "search", "apples")["results"][0]["date"] is not None


def test_a_draft_leaves(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    write(notes, "a.md", "---\ndraft: true\n---\n# Apples")
    report = place.json("documents", "index", notes)
    assert (report["left_out"], report["removed"]) == (1, 1)
    assert found(place, "apples") == []
    assert place.json("documents", "index", notes)["left_out"] == 1


def test_what_is_broken_is_said_and_the_rest_is_indexed(place: Place, notes: Path) -> None:
    place.write_config("documents:\n  page_bytes: 1000\n")
    write(notes, "good.md", "# Good")
    write(notes, "yaml.md", "---\ntitle: a\nb: c: d\n---\nx")
    write(notes, "list.md", "---\n- a\n---\nx")
    write(notes, "latin.md", b"caf\xe9")
    write(notes, "huge.md", "x " * 501)
    write(notes, "date.md", "---\ndate: soon\n---\nx")
    os.mkfifo(notes / "pipe.md")
    report = place.json("documents", "index", notes)
    assert counts(report) == (2, 0, 0, 0)
    failed = {Path(one["path"]).name: one for one in report["failed"]}
    assert failed.keys() == {"yaml.md", "list.md", "latin.md", "huge.md"}
    assert failed["yaml.md"]["line"] == 3
    assert "no mapping" in failed["list.md"]["reason"]
    assert "UTF-8" in failed["latin.md"]["reason"]
    assert "documents.page_bytes" in failed["huge.md"]["reason"]
    (undated,) = report["undated"]
    assert (Path(undated["path"]).name, undated["line"]) == ("date.md", 2)
    said = place.run("documents", "index", notes)
    assert said.code == 0
    assert "yaml.md:3: its front matter is no YAML" in said.out.replace("\n", " ")


def test_all_broken_is_a_refusal(place: Place, notes: Path) -> None:
    write(notes, "latin.md", b"caf\xe9")
    assert place.run("documents", "index", notes).code == 1


def test_a_page_that_breaks_stays_as_it_was(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    write(notes, "a.md", "---\n- x\n---\n")
    assert place.run("--json", "documents", "index", notes).json["removed"] == 0
    assert found(place, "apples") == ["a.md"]


def test_a_name_that_is_no_utf8(place: Place, notes: Path) -> None:
    (Path(os.fsdecode(os.fsencode(notes) + b"/\xff.md"))).write_text("x")
    write(notes, "a.md", "# Apples")
    report = place.json("documents", "index", notes)
    assert [one["reason"] for one in report["failed"]] == ["its name is no UTF-8; give it another"]
    assert report["indexed"] == 1


def test_nested_folders_share_nothing(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    adr = write(notes, "adr/b.md", "# Bananas").parent
    assert counts(place.json("documents", "index", notes, adr)) == (2, 0, 0, 0)
    types = {
        r["title"]: r["type"]
        for q in ("apples", "bananas")
        for r in place.json("documents", "search", q)["results"]
    }
    assert types == {"Apples": "notes", "Bananas": "adr"}
    write(notes, "adr/b.md", "# Blueberries", 5)
    assert counts(place.json("documents", "index", notes)) == (0, 1, 1, 0)  # what lies below too
    place.json("documents", "forget", adr)
    assert counts(place.json("documents", "index", notes)) == (1, 0, 1, 0)


def test_other_folders_pages_stay(place: Place, notes: Path) -> None:
    other = place.user / "other"
    write(notes, "a.md", "# Apples")
    write(other, "b.md", "# Bananas")
    place.json("documents", "index", notes, other)
    (other / "b.md").unlink()
    assert counts(place.json("documents", "index", notes)) == (0, 0, 1, 0)
    assert found(place, "bananas") == ["b.md"]
    assert counts(place.json("documents", "index")) == (0, 0, 1, 1)


def test_a_folder_that_is_gone_is_said_and_its_pages_stay(place: Place, notes: Path) -> None:
    page = write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    page.unlink()
    notes.rmdir()
    done = place.run("--json", "documents", "index")
    assert done.code == 1
    assert "its pages stay" in done.json["failed"][0]["reason"]
    assert found(place, "apples") == ["a.md"]
    assert place.json("documents", "forget", notes)["removed"] == 1


@pytest.mark.parametrize("name", ["none", "file"])
def test_what_is_no_folder_is_refused(name: str, place: Place) -> None:
    (place.user / "file").write_text("x")
    done = place.run("documents", "index", place.user / name)
    assert done.code == 1
    assert str(place.user / name) in done.err
    assert not place.library.exists()


def test_without_a_folder_and_none_known(place: Place) -> None:
    done = place.run("documents", "index")
    assert done.code == 1
    assert "documents index DIR" in done.err
    assert not place.library.exists()


def test_secrets_are_not_stored(place: Place, notes: Path) -> None:
    write(notes, "a.md", f"---\ntitle: {SECRET}\ntags: [{SECRET}]\n---\nuse {SECRET} grid")
    assert place.json("documents", "index", notes)["redacted"] == 3
    assert found(place, "grid") == ["a.md"]
    for path in place.home.iterdir():
        assert SECRET.encode() not in path.read_bytes()


def test_forget_leaves_no_byte(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Zanzibar\n\nquokkas everywhere")
    place.json("documents", "index", notes)
    assert any(b"quokka" in path.read_bytes() for path in place.home.iterdir())
    assert place.json("documents", "forget", notes) == {"removed": 1, "old_copies": []}
    for path in place.home.iterdir():
        for word in (b"quokka", b"anzibar", b"a.md"):
            assert word not in path.read_bytes(), path
    done = place.run("documents", "forget", notes)
    assert done.code == 1
    assert "is not indexed" in done.err


def test_the_tokenizer_of_the_config(place: Place, notes: Path) -> None:
    write(notes, "a.md", "running")
    place.json("documents", "index", notes)
    assert found(place, "runs") == ["a.md"]
    place.write_config("documents:\n  tokenizer: unicode61\n")
    refused = place.run("documents", "index")
    assert refused.code == 1
    assert "documents.tokenizer" in refused.err
    assert "jezero-hook rebuild" in refused.err
    assert found(place, "runs") == ["a.md"]  # reading goes on
    done = place.run("--json", "check")
    assert not next(f for f in done.json["findings"] if f["subject"] == "documents")["ok"]
    assert place.json("rebuild")["documents"] == 1
    assert found(place, "runs") == []
    assert found(place, "running") == ["a.md"]
    assert counts(place.json("documents", "index")) == (0, 0, 1, 0)


def test_no_tokenizer_of_fts5(place: Place, notes: Path) -> None:
    write(notes, "a.md", "running")
    place.write_config("documents:\n  tokenizer: nonsense\n")
    done = place.run("documents", "index", notes)
    assert done.code == 1
    assert "documents.tokenizer takes" in done.err


def test_items_and_documents_do_not_meet(place: Place, notes: Path) -> None:
    place.put(item(1, "grid of items"))
    write(notes, "a.md", "# Grid of pages")
    place.json("documents", "index", notes)
    assert place.json("search", "grid")["count"] == 1
    assert found(place, "grid") == ["a.md"]
    place.json("forget", 1, "--yes")
    assert found(place, "grid") == ["a.md"]


def test_check_tells_of_documents(place: Place, notes: Path) -> None:
    def finding() -> dict[str, Any]:
        done = place.run("--json", "check")
        found: dict[str, Any] = next(
            f for f in done.json["findings"] if f["subject"] == "documents"
        )
        return found

    place.put(item(1))
    assert (finding()["ok"], finding()["text"]) == (True, "none indexed")
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    assert finding()["text"] == "1 pages, porter unicode61"
    connection = apsw.Connection(str(place.library))
    connection.execute("UPDATE documents SET content = 'other words'")
    connection.close()
    assert not finding()["ok"]
    place.json("rebuild")
    assert finding()["ok"]


def test_a_damaged_library_keeps_the_list_of_folders(place: Place, notes: Path) -> None:
    place.put(*(item(n, f"Title {n} " + "word " * 400) for n in range(1, 25)))
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    connection = apsw.Connection(str(place.library))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (page,) = connection.execute(
        "SELECT rootpage FROM sqlite_schema WHERE name = 'items_occurred'"
    ).fetchone()
    connection.close()
    raw = bytearray(place.library.read_bytes())
    raw[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    place.library.write_bytes(raw)
    done = place.run("rebuild")
    assert done.code == 0
    assert "the damaged library is kept" in done.out
    assert "documents index" in done.out
    assert found(place, "apples") == []
    assert counts(place.json("documents", "index")) == (1, 0, 0, 0)
    assert found(place, "apples") == ["a.md"]


def test_a_bad_date_is_told_each_time(place: Place, notes: Path) -> None:
    path = write(notes, "a.md", "---\ndate: some day\n---\n# Apples")
    write(notes, "b.md", "---\ndate: 2026-01-01\n---\n# Bananas")
    first = place.json("documents", "index", notes)
    again = place.json("documents", "index")
    assert counts(first) == (2, 0, 0, 0)
    assert counts(again) == (0, 0, 2, 0)
    assert again["undated"] == first["undated"]
    assert [told["path"] for told in again["undated"]] == [str(path)]
    write(notes, "a.md", "---\ndate: 2026-01-02\n---\n# Apples", 1_790_000_001)
    assert place.json("documents", "index")["undated"] == []


def test_a_known_folder_that_is_gone_below_another_leaves(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    below = write(notes, "old/b.md", "# Bananas").parent
    place.json("documents", "index", notes, below)
    below.joinpath("b.md").unlink()
    below.rmdir()
    report = place.json("documents", "index")
    assert counts(report) == (0, 0, 1, 1)
    assert report["failed"] == []
    write(notes, "old/c.md", "# Cherries")
    assert counts(place.json("documents", "index", notes)) == (1, 0, 1, 0)
    [result] = place.json("documents", "search", "cherries")["results"]
    assert result["type"] == "notes"  # the folder below is known no more


LONG = "alpha " * 2_000 + "the configuration of caches matters " + "omega " * 2_000


@pytest.mark.parametrize(
    ("query", "snippet"),
    [
        ("configure cache", "<mark>configuration</mark> of <mark>caches</mark> matters"),
        ("alpha", "<mark>alpha</mark> <mark>alpha</mark>"),
        ("title", "alpha alpha alpha"),
    ],
)
def test_of_a_long_page_the_best_piece_is_shown(
    place: Place, notes: Path, query: str, snippet: str
) -> None:
    write(notes, "a.md", f"---\ntitle: Title\n---\n{LONG}")
    place.json("documents", "index", notes)
    [result] = place.json("documents", "search", query)["results"]
    assert snippet in result["snippet"]
    assert result["snippet"].endswith("…")
    assert result["snippet"].startswith("…") == (query == "configure cache")


def test_a_word_that_a_page_is_full_of_takes_no_time(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """FTS5's snippet of the whole page would take minutes: it must not be asked for."""
    write(notes, "a.md", "walrus " * 100_000)
    place.json("documents", "index", notes)
    monkeypatch.setattr("jezero_hooks.library.pieces.piece_snippet", lambda *a, **k: "the piece")
    [result] = place.json("documents", "search", "walrus")["results"]
    assert result["snippet"] == "the piece"


def unreadable(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let a folder be one that may not be read, also for root."""
    scandir = os.scandir

    def refusing(path: str) -> Any:
        if Path(path) == folder:
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)


def test_what_cannot_be_read_is_said_and_its_pages_stay(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "a.md", "# Apples")
    below = write(notes, "sub/deep/b.md", "# Bananas").parent
    place.json("documents", "index", notes)
    with monkeypatch.context() as patched:
        unreadable(patched, below.parent)
        report = place.json("documents", "index")
        assert counts(report) == (0, 0, 1, 0)
        [failed] = report["failed"]
        assert failed["path"] == str(below.parent)
        assert failed["reason"] == "Permission denied; its pages stay"
        place.json("documents", "index", notes, "--type", "adr")
    assert found(place, "bananas") == ["b.md"]
    with monkeypatch.context() as patched:
        unreadable(patched, notes)
        assert place.run("documents", "index").code == 1
    assert found(place, "apples") == ["a.md"]
    place.json("documents", "index", notes, "--type", "adr")
    [hit] = place.json("documents", "search", "bananas")["results"]
    assert hit["type"] == "adr"  # though it was asked for when the page could not be read


def test_a_known_folder_below_one_that_cannot_be_read_stays(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(notes, "a.md", "# Apples")
    below = write(notes, "sub/deep/b.md", "# Bananas").parent
    place.json("documents", "index", notes, below)
    isdir = os.path.isdir
    with monkeypatch.context() as patched:
        unreadable(patched, below.parent)
        patched.setattr(os.path, "isdir", lambda path: path != str(below) and isdir(path))
        report = place.json("documents", "index")
    assert [failed["path"] for failed in report["failed"]] == [str(below.parent), str(below)]
    assert counts(report) == (0, 0, 1, 0)
    assert counts(place.json("documents", "index")) == (0, 0, 2, 0)


def test_a_folder_named_by_a_link_is_the_folder(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    link = place.user / "link"
    link.symlink_to(notes)
    assert counts(place.json("documents", "index", notes, link)) == (1, 0, 0, 0)
    assert place.json("documents", "forget", link)["removed"] == 1


@pytest.mark.parametrize("at_ns", [-(2**70), 0, 2**63 - 1, 2**70])
def test_a_file_time_that_is_none_stops_nothing(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch, at_ns: int
) -> None:
    """No file system here keeps such times, others do."""
    path = write(notes, "a.md", "# Apples")
    write(notes, "b.md", "# Bananas")
    stat = os.stat

    def absurd(of: Any, **named: Any) -> Any:
        real = stat(of, **named)
        if of != str(path):
            return real
        return SimpleNamespace(st_size=real.st_size, st_mtime_ns=at_ns)

    monkeypatch.setattr(os, "stat", absurd)
    assert counts(place.json("documents", "index", notes)) == (2, 0, 0, 0)
    assert counts(place.json("documents", "index")) == (0, 0, 2, 0)
    report = place.json("documents", "index", notes, "--file-times")
    assert [told["path"] for told in report["undated"]] == [str(path)]
    dates = [place.json("documents", "search", q)["results"][0]["date"] for q in ("apple", "ban")]
    assert dates == [None, "2026-09-21T14:13:20+00:00"]


def test_a_file_that_was_touched_has_another_date(place: Place, notes: Path) -> None:
    path = write(notes, "a.md", "# Apples", 1_000_000_000)
    place.json("documents", "index", notes, "--file-times")
    os.utime(path, (1_790_000_000, 1_790_000_000))
    assert counts(place.json("documents", "index")) == (0, 1, 0, 0)
    [hit] = place.json("documents", "search", "apples")["results"]
    assert hit["date"] == "2026-09-21T14:13:20+00:00"


def test_forgetting_that_was_held_up_goes_on(
    place: Place, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library_connection, "WRITE_WAIT_MS", 20)
    write(notes, "a.md", "# Zanzibar\n\nquokkas everywhere")
    place.json("documents", "index", notes)
    reading, open_ = apsw.Connection(str(place.library)), apsw.Connection(str(place.library))
    for connection in (reading, open_):  # the last one to close would empty the log
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM documents").fetchall()
    open_.execute("COMMIT")
    done = place.run("documents", "forget", notes)
    assert done.code == 1
    assert "run the same command again" in " ".join(done.err.split())
    assert found(place, "quokkas") == []
    reading.close()
    assert any(b"quokka" in path.read_bytes() for path in place.home.iterdir())
    assert place.json("documents", "forget", notes)["removed"] == 0
    open_.close()
    for path in place.home.iterdir():
        for word in (b"quokka", bytes(notes)):
            assert word not in path.read_bytes(), path
    assert "is not indexed" in place.run("documents", "forget", notes).err


def test_forget_names_old_copies(place: Place, notes: Path) -> None:
    write(notes, "a.md", "# Apples")
    place.json("documents", "index", notes)
    copy = place.library.with_name("library.db.damaged-20260901")
    copy.write_bytes(b"")
    assert place.json("documents", "forget", notes)["old_copies"] == [str(copy)]
    place.json("documents", "index", notes)
    said = place.run("documents", "forget", notes).out
    assert "an older copy of the library" in said


def test_a_rebuild_that_is_refused_changes_nothing(place: Place, notes: Path) -> None:
    write(notes, "a.md", "running")
    place.json("documents", "index", notes)
    place.write_config("documents:\n  tokenizer: unicode61\n")
    done = place.run("rebuild", "--tokenizer", "nonsense")
    assert done.code == 1
    assert found(place, "runs") == ["a.md"]  # still stemmed
