"""import --items: ready-made items, one JSON object a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from jezero_hooks.importers.items import KINDS, read_items
from jezero_hooks.model import Atom, ImportFailure, NewItem
from tests.commands import GOLDEN, Done, Place

WHOLE: dict[str, Any] = {
    "external_id": "s1",
    "occurred_at": "2026-09-10T08:30:00+02:00",
    "title": "Consent banner",
    "summary": "It moved.",
    "questions": ["Where is it?", "Why?"],
    "atoms": [{"kind": "fix", "text": "wait for the event"}],
    "project": "orion",
    "account": "ana",
    "original": "> where\n\nthere",
    "original_ref": "file:///x.jsonl",
    "trust": "external",
}
LEAST = {"external_id": "s1", "occurred_at": "2026-09-10", "title": "Consent banner"}
# Made for this test, and no secret of anyone.
TOKEN = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


def read(*lines: bytes) -> list[NewItem | ImportFailure]:
    return list(read_items("f.jsonl", lines, "tests"))


def one(**changes: Any) -> NewItem | ImportFailure:
    (found,) = read(json.dumps({**LEAST, **changes}).encode())
    return found


def imported(place: Place, content: bytes | list[dict[str, Any]], *options: object) -> Done:
    path = place.user / "items.jsonl"
    if isinstance(content, list):
        content = b"".join(json.dumps(value).encode() + b"\n" for value in content)
    path.write_bytes(content)
    return place.run("import", "--items", path, "--source", "tests", "--json", *options)


def stored(place: Place) -> list[dict[str, Any]]:
    return [
        place.json("show", found["id"], "--original")["item"]
        for found in place.json("timeline", "--limit", 50)["items"]
    ]


# --- a line ----------------------------------------------------------------------------------


def test_an_item_whole() -> None:
    assert read(json.dumps(WHOLE).encode()) == [
        NewItem(
            source="tests",
            external_id="s1",
            occurred_at="2026-09-10T06:30:00+00:00",
            title="Consent banner",
            summary="It moved.",
            questions=("Where is it?", "Why?"),
            atoms=(Atom("fix", "wait for the event"),),
            project="orion",
            account="ana",
            original="> where\n\nthere",
            original_ref="file:///x.jsonl",
            trust="external",
        )
    ]


def test_the_least_that_an_item_is() -> None:
    least = NewItem("tests", "s1", "2026-09-10T00:00:00+00:00", "Consent banner", "")
    assert one() == least
    assert least.trust == "own"
    nulls = dict.fromkeys(set(WHOLE) - set(LEAST))
    assert one(**nulls) == least
    assert one(project="", account="", original="", original_ref="", questions=[]) == least
    assert one(more="fields", of=["another"], version=2) == least


@pytest.mark.parametrize("kind", KINDS)
def test_the_kinds_of_atoms(kind: str) -> None:
    found = one(atoms=[{"kind": kind, "text": "x", "more": 1}])
    assert isinstance(found, NewItem)
    assert found.atoms == (Atom(kind, "x"),)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        *(({name: wrong}, f"{name} must be text")
          for name in ("external_id", "title")
          for wrong in (None, "", "  ", 5, True, [], {})),
        *(({name: wrong}, f"{name} must be text")
          for name in ("summary", "project", "account", "original", "original_ref")
          for wrong in (5, True, ["x"], {})),
        *(({"occurred_at": wrong}, "occurred_at must be text")
          for wrong in (None, "", 1757491200, 1.5, [], {})),
        *(({"occurred_at": wrong}, "occurred_at must be an ISO 8601 time")
          for wrong in ("yesterday", "10.9.2026", "2026-13-01", "1757491200",
                        "9999-12-31T23:59:59-12:00")),
        *(({"questions": wrong}, "questions must be a list of texts")
          for wrong in ("one", 5, {}, [5], [None], ["a", ["b"]])),
        *(({"atoms": wrong}, "atoms must be a list of objects")
          for wrong in ("one", 5, {}, ["fix"], [None], [["fix", "x"]])),
        ({"atoms": [{"kind": "note", "text": "x"}]},
         "an atom's kind must be one of decision, rationale, fix, error, command, fact, risk"),
        ({"atoms": [{"text": "x"}]}, "kind must be text"),
        ({"atoms": [{"kind": "fix"}]}, "text must be text"),
        ({"atoms": [{"kind": "fix", "text": ""}]}, "text must be text"),
        ({"atoms": [{"kind": ["fix"], "text": "x"}]}, "kind must be text"),
        *(({"trust": wrong}, "trust must be one of own, external")
          for wrong in ("Own", "mine", 5, True, ["own"], {"own": 1})),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_item_says_why(changes: dict[str, Any], reason: str) -> None:
    assert one(**changes) == ImportFailure("f.jsonl", 1, reason)


@pytest.mark.parametrize("missing", LEAST)
def test_what_an_item_must_have(missing: str) -> None:
    value = {name: text for name, text in LEAST.items() if name != missing}
    (found,) = read(json.dumps(value).encode())
    assert found == ImportFailure("f.jsonl", 1, f"{missing} must be text")


@pytest.mark.parametrize(
    "line",
    [b"{", b"nul", b"text", b'{"a": }', b"{} {}", b"\xff\xfe", b'{"title": "\xf1"}', b"\x00",
     b"[" * 100_000, b"9" * 5_000, b'{"a":"' + b"x" * 100, b"{'a': 1}"],
    ids=lambda line: ascii(line[:12]),
)  # fmt: skip
def test_what_is_no_json_says_so(line: bytes) -> None:
    (found,) = read(line)
    assert isinstance(found, ImportFailure)
    assert (found.path, found.line) == ("f.jsonl", 1)
    assert found.reason.startswith("is no JSON: ")
    assert found.reason.isprintable()
    assert len(found.reason) < 200


@pytest.mark.parametrize("line", [b"5", b"null", b"[]", b'"x"', b"true"])
def test_what_is_no_object_says_so(line: bytes) -> None:
    assert read(line) == [ImportFailure("f.jsonl", 1, "is no JSON object")]


def test_a_half_of_a_surrogate_pair_is_replaced_everywhere() -> None:
    text = "a\ud800b"
    found = one(**dict.fromkeys(("external_id", "title", "summary", "project", "account",
                                 "original", "original_ref"), text),
                questions=[text], atoms=[{"kind": "fix", "text": text}])  # fmt: skip
    assert isinstance(found, NewItem)
    texts = [field for field in found[1:] if isinstance(field, str)]
    for stored_text in (*texts, *found.questions, found.atoms[0].text):
        stored_text.encode("utf-8")


def test_lines_are_counted_and_blank_ones_passed_over() -> None:
    good = json.dumps(LEAST).encode()
    bom = b"\xef\xbb\xbf"
    lines = [bom + good + b"\r\n", bom + b"\r\n", b"  \n", b"{\r\n", b"", good, b"[]\n", good]
    found = read(*lines)
    assert [type(f) for f in found] == [NewItem, ImportFailure, NewItem, ImportFailure, NewItem]
    assert [f.line for f in found if isinstance(f, ImportFailure)] == [4, 7]


# --- the command -----------------------------------------------------------------------------


def test_items_are_inserted_then_unchanged_then_updated(place: Place) -> None:
    empty = dict.fromkeys(("inserted", "updated", "unchanged", "redacted", "left_out"), 0)
    empty |= {"failed": []}
    done = imported(place, [WHOLE])
    assert (done.code, done.json, done.err) == (0, {**empty, "inserted": 1}, "")
    assert imported(place, [WHOLE]).json == {**empty, "unchanged": 1}
    done = imported(place, [{**WHOLE, "title": "Consent banner at the foot"}])
    assert done.json == {**empty, "updated": 1}
    (found,) = stored(place)
    assert found["title"] == "Consent banner at the foot"
    assert found["atoms"] == WHOLE["atoms"]
    assert found["questions"] == WHOLE["questions"]
    assert place.json("search", "foot")["count"] == 1
    assert imported(place, []).json == empty


def test_bad_lines_cost_themselves_alone(place: Place) -> None:
    good = [json.dumps({**LEAST, "external_id": f"s{n}"}).encode() for n in range(3)]
    content = b"\r\n".join([good[0], b"{", good[1], b"", b'{"title": 5}', good[2]])  # no last end
    done = imported(place, b"\xef\xbb\xbf" + content)
    path = str(place.user / "items.jsonl")
    assert (done.code, done.err, done.json["inserted"]) == (0, "", 3)
    assert [(f["path"], f["line"]) for f in done.json["failed"]] == [(path, 2), (path, 5)]
    assert done.json["failed"][1]["reason"] == "external_id must be text"
    done = place.run("import", "--items", path, "--source", "tests")
    assert "3 unchanged" in done.out
    assert f"{path}:5: external_id must be text" in done.out


def test_of_two_with_one_external_id_the_last_holds(place: Place) -> None:
    done = imported(place, [LEAST, {**LEAST, "title": "Later"}, {**LEAST, "title": "Later"}])
    assert (done.json["inserted"], done.json["updated"], done.json["unchanged"]) == (1, 1, 1)
    (found,) = stored(place)
    assert found["title"] == "Later"


def test_a_source_of_its_own_has_ids_of_its_own(place: Place) -> None:
    imported(place, [LEAST])
    path = place.user / "items.jsonl"
    done = place.run("import", "--items", path, "--source", "others", "--json")
    assert done.json["inserted"] == 1
    assert {found["source"] for found in stored(place)} == {"tests", "others"}


def test_secrets_are_redacted_in_every_field_and_counted(place: Place) -> None:
    value = {
        **WHOLE,
        "title": f"Token {TOKEN} leaked", "summary": f"with {TOKEN}",
        "questions": [f"is {TOKEN} valid?"], "atoms": [{"kind": "fact", "text": f"t={TOKEN}"}],
        "original": f"> {TOKEN}\n", "original_ref": f"https://ana:{TOKEN}@example.org/x",
        "project": f"p-{TOKEN}", "account": f"https://ana:{TOKEN}@example.org",
    }  # fmt: skip
    done = imported(place, [value])
    assert done.json["redacted"] >= 5
    (found,) = stored(place)
    assert found["title"].startswith("Token ")
    leaked = [name for name, text in found.items() if TOKEN in json.dumps(text)]
    assert leaked == []
    for path in place.home.iterdir():
        assert TOKEN.encode() not in path.read_bytes()
    assert imported(place, [value]).json["unchanged"] == 1


def test_many_are_committed_in_parts_and_searched(place: Place) -> None:
    values = [{**LEAST, "external_id": f"s{n}", "title": f"item no {n}"} for n in range(1_203)]
    done = imported(place, values)
    assert done.json["inserted"] == 1_203
    assert place.json("search", '"no 1202"')["count"] == 1
    assert imported(place, values).json["unchanged"] == 1_203


def test_thousands_of_bad_lines_are_soon_told(place: Place) -> None:
    done = imported(place, b"{\n" * 20_000)
    assert len(done.json["failed"]) == 20_000
    done = place.run("import", "--items", place.user / "items.jsonl", "--source", "tests")
    assert len(done.out.splitlines()) < 20
    assert "20000" in done.out.replace(",", "")


@pytest.mark.parametrize("what", ["gone", "folder"])
def test_a_file_that_cannot_be_read_is_a_refusal(what: str, place: Place) -> None:
    path = place.user / "items"
    if what == "folder":
        path.mkdir()
    done = place.run("import", "--items", path, "--source", "tests")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"jezero-hook: {path}: ")
    assert done.err.count("\n") == 1


def test_ones_own_transcripts_are_left_alone(place: Place) -> None:
    place.session(1, "why does the consent banner fail")
    assert imported(place, [LEAST]).json["inserted"] == 1
    assert len(stored(place)) == 1


# --- the format ------------------------------------------------------------------------------


def columns(library: str, table: str) -> list[tuple[Any, ...]]:
    connection = apsw.Connection(library, flags=apsw.SQLITE_OPEN_READONLY)
    return list(connection.execute(f"PRAGMA table_info({table})"))


def schema(library: str) -> dict[str, str]:
    connection = apsw.Connection(library, flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return {str(name): " ".join(str(text).lower().split()) for name, text in rows}


def test_the_library_has_the_format_of_the_models(place: Place, tmp_path: Path) -> None:
    """Either can open the other's file (RULES 1)."""
    model = str(GOLDEN / "jezero-0.1.0.db")
    copy = tmp_path / "model.db"
    copy.write_bytes(Path(model).read_bytes())
    imported(place, [WHOLE, {**LEAST, "external_id": "s2"}])
    ours, theirs = schema(str(place.library)), schema(str(copy))
    for name in ("meta", "items", "items_fts", "items_occurred", "items_project", "items_source"):
        assert ours[name].replace("if not exists ", "") == theirs[name], name
    for table in ("meta", "items", "items_fts"):
        assert columns(str(place.library), table) == columns(str(copy), table)


def test_what_is_stored_is_of_the_format(place: Place) -> None:
    imported(place, [WHOLE, {**LEAST, "external_id": "s2"}])
    connection = apsw.Connection(str(place.library), flags=apsw.SQLITE_OPEN_READONLY)
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    assert meta == {"schema_version": "1", "tokenizer": "trigram remove_diacritics 1"}
    names = [str(row[1]) for row in columns(str(place.library), "items")]
    rows = [
        dict(zip(names, row, strict=True))
        for row in connection.execute("SELECT * FROM items ORDER BY id")
    ]
    assert json.loads(rows[0]["questions"]) == WHOLE["questions"]
    assert json.loads(rows[0]["atoms"]) == WHOLE["atoms"]
    assert (rows[1]["questions"], rows[1]["atoms"], rows[1]["project"]) == ("[]", "[]", None)
    for row in rows:
        assert row["occurred_at"].endswith("+00:00")
        assert row["ingested_at"].endswith("+00:00")
        assert row["trust"] in ("own", "external")
        assert row["content_hash"]
    texts = list(connection.execute("SELECT rowid, questions, atoms FROM items_fts ORDER BY rowid"))
    assert texts == [(1, "Where is it?\nWhy?", "wait for the event"), (2, "", "")]


def test_items_go_into_a_library_of_the_models(place: Place) -> None:
    library = place.user / "model.db"
    library.write_bytes((GOLDEN / "jezero-0.1.0.db").read_bytes())
    done = imported(place, [WHOLE], "--library", library)
    assert done.json["inserted"] == 1
    assert place.json("timeline", "--library", library, "--limit", 50)["count"] == 17
    assert place.json("search", "moved", "--library", library, "--source", "tests")["count"] == 1
    assert place.run("check", "--library", library).code == 0
