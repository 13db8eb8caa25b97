"""export and import --items: a library moves, and nothing but its ids changes."""

from __future__ import annotations

import contextlib
import json
import stat
import subprocess
import sys
import tempfile
from datetime import UTC
from pathlib import Path
from typing import Any

import apsw
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jezero_hooks.exporting import item_line
from jezero_hooks.importers.items import KINDS, read_items
from jezero_hooks.importers.run import import_items, redact_item
from jezero_hooks.library.connection import MEMORY
from jezero_hooks.library.export import Exporter
from jezero_hooks.library.reader import EVERYTHING
from jezero_hooks.library.writer import library_in_memory
from jezero_hooks.model import Atom, NewItem
from tests.commands import AT, GOLDEN, Place, item, without_root

FIELDS = "source, external_id, occurred_at, title, summary, questions, atoms, project, account"
MORE = "original, original_ref, trust, content_hash"


def rows(path: str | Path) -> list[tuple[Any, ...]]:
    """Return the items, in the order of their ids, without ids and the time of import."""
    with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as db:
        return stored(db)


def stored(db: apsw.Connection) -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT {FIELDS}, {MORE} FROM items ORDER BY id").fetchall()


def whole(number: int, **fields: Any) -> NewItem:
    return item(
        number,
        summary="What was asked → how it ended",
        questions=("why?", "how – exactly?"),
        atoms=(Atom("error", 'File "a.py", line 1'), Atom("fix", "b\\c")),
        **{
            "project": "orion",
            "account": "ana",
            "original": "ana: hello\n\nagent: \u2028 done",
            "original_ref": f"/p/{number}.jsonl",
            "trust": "external",
            **fields,
        },
    )


# --- there and back --------------------------------------------------------------------------

# Everything that SQLite keeps as text: no surrogates, and no NUL, at which SQL's own functions
# would end a text.
TEXTS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=0, max_size=40
)
SECRETS = st.sampled_from(
    [
        "API_KEY=sk-live-0123456789abcdef0123",
        "Authorization: Bearer abcdefghijklmnop1234567890",
        "postgres://ana:pa55word@db.example.org/x",
        "AKIA" + "IOSFODNN7ABCDEFG",
        'password: "hunter2-hunter2"',
    ]
)
ODD = st.sampled_from(
    [
        '"',
        "\\",
        "\u2028\u2029\x85",
        "\r\n",
        "\ufeff",
        "\x1b[31m",
        "{}",
        "🙂",
        "e\u0301",
        "</x>",
        "'",
    ]
)
ODDER = st.lists(st.one_of(TEXTS, ODD, SECRETS), max_size=4).map("".join)
NAMES = ODDER.filter(str.strip)
TIMES = st.datetimes(timezones=st.just(UTC)).map(lambda at: at.isoformat())


def optional(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str | None]:
    return st.one_of(st.none(), texts.filter(bool))


ITEMS = st.builds(
    NewItem,
    source=st.sampled_from(["claude-code", "notes", "käse #1"]),
    external_id=NAMES,
    occurred_at=TIMES,
    title=NAMES,
    summary=ODDER,
    questions=st.lists(ODDER, max_size=3).map(tuple),
    atoms=st.lists(st.builds(Atom, kind=st.sampled_from(KINDS), text=NAMES), max_size=3).map(tuple),
    project=optional(ODDER),
    account=optional(ODDER),
    original=optional(ODDER),
    original_ref=optional(ODDER),
    trust=st.sampled_from(["own", "external"]),
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(ITEMS, min_size=1, max_size=5, unique_by=lambda item: item[:2]))
def test_there_and_back(items: list[NewItem]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        library_in_memory() as here,
        library_in_memory() as there,
    ):
        lines = Path(folder, "library.jsonl")
        lines.write_bytes(b"".join(map(item_line, items)))
        # What an import would redact is not in a library.
        import_items(str(lines), None, here)
        exported = list(Exporter(here._db, MEMORY).items(EVERYTHING, original=True))
        lines.write_bytes(b"".join(map(item_line, exported)))
        report = import_items(str(lines), None, there)
        assert (report.inserted, report.redacted, report.failed) == (len(items), 0, ())
        assert stored(there._db) == stored(here._db)
        for made, was in zip(exported, items, strict=True):
            assert made == redact_item(was)[0]


@given(ITEMS)
def test_a_line_is_the_item(made: NewItem) -> None:
    line = item_line(made)
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1
    assert list(read_items("x", [line], None)) == [made]


def test_two_commands_move_a_library(place: Place, tmp_path: Path) -> None:
    place.put_golden()
    place.session(1, "why does the café banner fail")
    place.json("import")
    place.put(whole(1), whole(2, source="codex", original_ref="/p/1.jsonl"))
    out, there = tmp_path / "library.jsonl", tmp_path / "there" / "library.db"
    done = place.run("export", "--original", "--out", out)
    items = len(rows(place.library))
    assert (done.code, done.out, done.err) == (0, f"{items} items in {out}\n", "")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    report = place.json("import", "--items", out, "--library", there)
    assert {name: n for name, n in report.items() if n} == {"inserted": items}
    assert rows(there) == rows(place.library)
    again = place.json("import", "--items", out, "--library", there)
    assert {name: n for name, n in again.items() if n} == {"unchanged": items}
    back = place.run("export", "--original", "--library", there)
    assert back.out.encode() == out.read_bytes()
    for query in ("banner", "migration", "fails"):
        ours, theirs = (
            [
                {name: hit[name] for name in ("external_id", "source", "score")}
                for hit in place.json("search", query, "--library", path, "--as-of", AT)["results"]
            ]
            for path in (place.library, there)
        )
        assert ours == theirs


def test_without_originals_the_history_does_not_thin_them(place: Place) -> None:
    session, path = place.session(1, "why does the banner fail on checkout")
    place.json("import")
    out = place.user / "x.jsonl"
    place.json("export", "--out", out)
    path.unlink()
    place.library.unlink()
    place.json("import", "--items", out)
    before = rows(place.library)
    assert before[0][9] is None
    assert " → " in before[0][4]
    asked = {"display": "why does the banner fail on checkout", "timestamp": 1_788_000_000_000,
             "project": "/w", "sessionId": session}  # fmt: skip
    (place.client / "history.jsonl").write_text(json.dumps(asked) + "\n")
    place.json("import")
    assert rows(place.library) == before


# --- the lines -------------------------------------------------------------------------------


def exported(place: Place, *argv: object) -> list[dict[str, Any]]:
    done = place.run("export", *argv)
    assert (done.code, done.err) == (0, ""), done
    return [json.loads(line) for line in done.out.splitlines()]


def test_what_a_line_holds(place: Place) -> None:
    place.put(whole(1), item(2))
    full, bare = exported(place, "--original")
    assert full == {
        "source": "test",
        "external_id": "t1",
        "occurred_at": "2026-09-01T10:00:00+00:00",
        "title": "Title 1",
        "summary": "What was asked → how it ended",
        "questions": ["why?", "how – exactly?"],
        "atoms": [
            {"kind": "error", "text": 'File "a.py", line 1'},
            {"kind": "fix", "text": "b\\c"},
        ],
        "project": "orion",
        "account": "ana",
        "original": "ana: hello\n\nagent: \u2028 done",
        "original_ref": "/p/1.jsonl",
        "trust": "external",
    }
    assert bare == {
        "source": "test",
        "external_id": "t2",
        "occurred_at": "2026-09-02T10:00:00+00:00",
        "title": "Title 2",
        "summary": "",
        "trust": "own",
    }
    del full["original"]
    assert exported(place)[0] == full


def test_filters(place: Place) -> None:
    place.put(*(item(n, project="orion" if n % 2 else None) for n in range(1, 7)))
    place.put(item(7, source="codex"))
    for argv, ids in (
        ((), "1234567"),
        (("--project", "orion"), "135"),
        (("--source", "codex"), "7"),
        (("--since", "2026-09-03T10:00:00Z"), "34567"),
        (("--until", "2026-09-03T10:00:00Z"), "12"),
        (("--until", "2026-09-06", "--since", "2026-09-04", "--project", "orion"), "5"),
        (("--as-of", "2026-09-02T12:00:00Z"), "12"),
        (("--project", "none"), ""),
    ):
        assert "".join(line["external_id"][1:] for line in exported(place, *argv)) == ids
    place.write_config("sources:\n  allowed: [code*]\n")
    assert [line["external_id"] for line in exported(place)] == ["t7"]


def test_in_any_locale(place: Place) -> None:
    place.put(item(1, "Straße – новый 🙂"))
    done = place.process("export", LC_ALL="C", PYTHONIOENCODING="ascii")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["title"] == "Straße – новый 🙂"


def test_out(place: Place, tmp_path: Path) -> None:
    place.put(item(1))
    out = tmp_path / "x.jsonl"
    out.write_text("old")
    out.chmod(0o644)
    assert place.json("export", "--out", out) == {"exported": 1, "out": str(out)}
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert json.loads(out.read_text())["title"] == "Title 1"
    for path, code, fault in (
        (place.library, 2, "is the library itself"),
        (tmp_path, 1, "is a folder"),
        (tmp_path / "none" / "x.jsonl", 1, "cannot be written"),
    ):
        done = place.run("export", "--out", path)
        assert (done.code, fault in done.err) == (code, True), done
    done = place.run("export", "--json")
    assert (done.code, "--out FILE" in done.err) == (2, True)
    assert rows(place.library)
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("x.jsonl.")] == []


def test_a_fault_leaves_no_half_file(place: Place, tmp_path: Path) -> None:
    place.put(*(item(n, original="words " * 3_000) for n in range(1, 29)))
    with contextlib.closing(apsw.Connection(str(place.library))) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    # The first items can still be read, so that the file was begun.
    middle = place.library.stat().st_size // 2
    with open(place.library, "r+b") as file:
        file.seek(middle)
        file.write(b"\xff" * middle)
    out = tmp_path / "x.jsonl"
    done = place.run("export", "--original", "--out", out)
    assert (done.code, "library.db" in done.err) == (1, True), done
    assert [one.name for one in tmp_path.iterdir() if "jsonl" in one.name] == []


def test_there_is_no_library(place: Place, tmp_path: Path) -> None:
    done = place.run("export", "--out", tmp_path / "x.jsonl")
    assert (done.code, "is not there" in done.err) == (1, True)
    assert not (tmp_path / "x.jsonl").exists()


def test_a_folder_that_may_not_be_written(place: Place, tmp_path: Path) -> None:
    place.put(item(1))
    (tmp_path / "shut").mkdir(mode=0o500)
    words = (*without_root(), sys.executable, "-c", "import sys; from jezero_hooks.cli import main;"
             "sys.exit(main())", "export", "--out", str(tmp_path / "shut" / "x"))  # fmt: skip
    done = subprocess.run(
        words, env=place.variables(), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, "cannot be written" in done.stderr) == (1, True), done


# --- sources ---------------------------------------------------------------------------------


def test_a_line_names_its_source_or_the_option_does(place: Place) -> None:
    file = place.user / "items.jsonl"
    line = {"external_id": "a", "occurred_at": "2026-09-01", "title": "Title"}
    lines = [{**line, "source": "notes"}, line, {**line, "source": 7}, {**line, "source": " "}]
    file.write_text("".join(json.dumps(one) + "\n" for one in lines))
    report = place.json("import", "--items", file)
    assert report["inserted"] == 1
    assert [(one["line"], one["reason"]) for one in report["failed"]] == [
        (2, "names no source; give one to all with --source NAME"),
        (3, "source must be text"),
        (4, "source must be text"),
    ]
    report = place.json("import", "--items", file, "--source", "given")
    assert (report["inserted"], report["unchanged"], report["failed"]) == (1, 3, [])
    assert {row[0] for row in rows(place.library)} == {"notes", "given"}
    for argv in (("--source", "x"), ("--items", file, "--source", "")):
        done = place.run("import", *argv)
        assert (done.code, "--items" in done.err) == (2, True)


# --- Jezero ----------------------------------------------------------------------------------


def test_jezeros_library_moves_whole(place: Place, tmp_path: Path) -> None:
    """golden/jezero-0.1.0.db was written by Jezero itself."""
    theirs = GOLDEN / "jezero-0.1.0.db"
    place.home.mkdir()
    place.library.write_bytes(theirs.read_bytes())
    out, there = tmp_path / "x.jsonl", tmp_path / "there.db"
    place.json("export", "--original", "--out", out)
    place.json("import", "--items", out, "--library", there)
    assert list(map(meant, rows(there))) == list(map(meant, rows(theirs)))


def meant(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row without the hash of its content and JSON's blanks: each program has its own."""
    return (*row[:5], json.loads(row[5]), json.loads(row[6]), *row[7:-1])


def test_what_jezero_asks_of_a_line() -> None:
    """Jezero 0.1.0 takes these from a line without looking whether they are there."""
    value = json.loads(item_line(item(1)))
    assert {"external_id", "occurred_at", "title", "summary"} <= value.keys()
    atoms = json.loads(item_line(whole(1)))["atoms"]
    assert all(atom.keys() == {"kind", "text"} for atom in atoms)
