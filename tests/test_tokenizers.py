"""Tokenizers: each one through every door of the golden library; rebuild there and back."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from rich.console import Console

from jezero_hooks import console as console_module
from jezero_hooks.config import Config
from jezero_hooks.errors import LibraryError
from jezero_hooks.hook import first_prompt_block
from jezero_hooks.library.care import library_faults
from jezero_hooks.library.match import ITEMS_TOKENIZER, Bounds, min_term_chars, tokenizer_words
from jezero_hooks.library.reader import Reader, open_library
from jezero_hooks.library.rebuild import rebuild_library
from jezero_hooks.library.writer import Writer, library_in_memory
from jezero_hooks.rules.terms import Term
from tests.commands import AT, Place, golden_items, item

TOKENIZERS = (
    ITEMS_TOKENIZER,
    "trigram",
    "trigram case_sensitive 1",
    "unicode61",
    "unicode61 remove_diacritics 2",
    "unicode61 remove_diacritics 0",
    "unicode61 tokenchars '-_'",
    "unicode61 categories 'L* N* Co'",
    "porter",
    "porter unicode61",
    "porter unicode61 remove_diacritics 2 tokenchars '_'",
    "ascii",
)
NOW_S = 1_790_856_000.0  # 2026-10-01


def config_text(tokenizer: str) -> str:
    return f"storage:\n  tokenizer: {json.dumps(tokenizer)}\n"


def library(tokenizer: str, *titles: str) -> Reader:
    """Return a library in memory with an item of each title, t1, t2, …"""
    writer = library_in_memory(tokenizer)
    with writer.transaction():
        for number, title in enumerate(titles, 1):
            writer.put(item(number, title), ingested_at=AT)
    return writer.reader()


def found(reader: Reader, query: str) -> list[str]:
    match = reader.match_query(query, Bounds())
    return sorted(hit.external_id for hit in reader.search(match, now_s=NOW_S, limit=50))


def search(place: Place, query: str) -> Any:
    """Return the answer to a search, ages counted from one moment."""
    return place.json("search", query, "--as-of", "2026-10-01")


# --- every tokenizer through every door --------------------------------------------------


PROMPT = "The analytics consent banner is broken"


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_every_door(tokenizer: str, place: Place) -> None:
    items = golden_items()
    place.write_config(config_text(tokenizer))
    with Writer(str(place.library), tokenizer) as writer, writer.transaction():
        for new in items:
            writer.put(new, ingested_at=AT)
    hits = {hit["external_id"] for hit in place.json("search", "analytics")["results"]}
    whole = {new.external_id for new in items if "analytics" in new.title.lower().split()}
    assert whole - hits == set() != whole
    dry = place.json("--dry-run", "--prompt", PROMPT)
    assert dry["library"]["items"] == len(items)
    said = place.hook("first_prompt", {"session_id": "s", "prompt": PROMPT})
    assert said == dry["first_prompt"]["text"] != ""
    assert place.json("later", 1)["found"] is True
    checked = {line["subject"]: line for line in place.json("check")["findings"]}
    assert checked["library"]["ok"] is True
    assert f"{len(items)} items, {tokenizer}" in checked["library"]["text"]
    place.session(1, "A walnut cake for Orla")
    assert place.json("import")["inserted"] == 1
    assert place.json("search", "walnut")["count"] == 1


@pytest.mark.parametrize("tokenizer", TOKENIZERS[1:])
def test_there_and_back(tokenizer: str, place: Place) -> None:
    place.put_golden()
    queries = ("analytics", "consent banner", '"session cookie"', "straße", "foo_bar", "página")
    before = [search(place, query) for query in queries]
    rebuilt = place.json("rebuild", "--tokenizer", tokenizer)
    assert (rebuilt["items"], rebuilt["tokenizer"]) == (len(golden_items()), tokenizer)
    assert open_library(str(place.library)).tokenizer == tokenizer
    assert library_faults(str(place.library)) == []
    fresh = library_in_memory(tokenizer)
    with fresh.transaction():
        for new in golden_items():
            fresh.put(new, ingested_at=AT)
    here = open_library(str(place.library))
    for query in queries:
        assert found(here, query) == found(fresh.reader(), query), query
    place.json("rebuild", "--tokenizer", ITEMS_TOKENIZER)
    assert [search(place, query) for query in queries] == before
    assert library_faults(str(place.library)) == []


# --- what each one finds -----------------------------------------------------------------

WORDS = ("C++", "CI on the runner", "snake_case_name", "kebab-case", "run it in Go", "node.js")


@pytest.mark.parametrize(
    ("tokenizer", "query", "wanted"),
    [
        (ITEMS_TOKENIZER, "CI", []),
        (ITEMS_TOKENIZER, "Go", []),
        (ITEMS_TOKENIZER, "C++", ["t1"]),
        (ITEMS_TOKENIZER, "case", ["t3", "t4"]),
        (ITEMS_TOKENIZER, '"CI on"', ["t2"]),
        ("unicode61", "CI", ["t2"]),
        ("unicode61", "Go", ["t5"]),
        ("unicode61", "C++", ["t1"]),
        ("unicode61", "++", []),  # FTS5 sees no word in it, and no fault either
        ("unicode61", "++ Go", ["t5"]),
        ("unicode61", "case", ["t3", "t4"]),
        ("unicode61", "snake_case", ["t3"]),
        ("unicode61", "case_snake", []),  # a phrase, in its order
        ("unicode61", '"on the"', ["t2"]),
        ("unicode61", "runners", []),
        ("unicode61", "node", ["t6"]),
        ("porter unicode61", "runners", ["t2"]),
        ("porter unicode61", "running", ["t5"]),
        ("porter unicode61", "names", ["t3"]),
        ("porter unicode61", '"snake cases"', ["t3"]),
        ("unicode61 tokenchars '_-'", "case", []),
        ("unicode61 tokenchars '_-'", "kebab-case", ["t4"]),
        ("unicode61 tokenchars '+'", "++", []),
        ("unicode61 tokenchars '+'", "c++", ["t1"]),
        ("trigram case_sensitive 1", "ci on", []),
    ],
)
def test_what_is_found(tokenizer: str, query: str, wanted: list[str]) -> None:
    assert found(library(tokenizer, *WORDS), query) == wanted


@pytest.mark.parametrize(
    "operator", ["NOT", "AND", "NEAR(a b)", "title:ci", "ci*", "^ci", "-ci", '"']
)
def test_nothing_is_an_operator_of_any_tokenizer(operator: str) -> None:
    for tokenizer in TOKENIZERS:
        found(library(tokenizer, *WORDS), f"{operator} runner {operator}")


@pytest.mark.parametrize("tokenizer", ["unicode61", "porter unicode61"])
def test_a_first_prompt_of_short_words(tokenizer: str) -> None:
    config = Config()
    config = config._replace(first_prompt=config.first_prompt._replace(word_chars=2))
    reader = library(tokenizer, *WORDS)
    block = first_prompt_block(reader, config, "Go: how do we run it?", now_s=NOW_S)
    assert [hit.external_id for hit in block.shown] == ["t5"]


def test_a_stem_is_found_and_is_no_evidence() -> None:
    """Evidence is whole words, whatever the index finds."""
    reader = library("porter unicode61", "Running migrations twice")
    block = first_prompt_block(reader, Config(), "Run the migration", now_s=NOW_S)
    assert [(j.hit.external_id, j.matched) for j in block.judged] == [("t1", ())]
    assert block.shown == ()


@pytest.mark.parametrize(
    ("tokenizer", "asked"),
    [
        (ITEMS_TOKENIZER, '"Straße" OR "strasse" OR "Página"'),
        ("unicode61", '"Straße" OR "strasse" OR "Página"'),
        ("porter unicode61", '"Straße" OR "strasse" OR "Página"'),
        ("unicode61 remove_diacritics 0", '"Straße" OR "strasse" OR "Página" OR "pagina"'),
        ("unicode61 tokenchars '-_'", '"Straße" OR "strasse" OR "Página"'),
        ("unicode61 categories 'L* N* Co'", '"Straße" OR "strasse" OR "Página"'),
        (
            "trigram case_sensitive 1",
            '"Straße" OR "strasse" OR "Página" OR "pagina" OR "Login" OR "login"',
        ),
    ],
)
def test_words_are_asked_folded_where_the_index_does_not_fold(tokenizer: str, asked: str) -> None:
    terms = [Term("Straße", "strasse"), Term("Página", "pagina"), Term("Login", "login")]
    match = library(tokenizer).match_words(terms, Bounds())
    assert match == asked + ("" if "case" in tokenizer else ' OR "Login"')


@pytest.mark.parametrize(
    ("tokenizer", "words", "min_chars"),
    [
        ("trigram", ["trigram"], 3),
        ("TRIGRAM remove_diacritics 1", ["TRIGRAM", "remove_diacritics", "1"], 3),
        ("porter trigram", ["porter", "trigram"], 3),
        ("porter", ["porter"], 1),
        ("'trigram'", ["trigram"], 3),
        ("unicode61  tokenchars   '-_'", ["unicode61", "tokenchars", "-_"], 1),
        ("unicode61 tokenchars ' ''x'", ["unicode61", "tokenchars", " 'x"], 1),
        ("unicode61 tokenchars ''", ["unicode61", "tokenchars", ""], 1),
        ("unicode61 tokenchars 'open", ["unicode61", "tokenchars", "open"], 1),
        ("", [], 1),
    ],
)
def test_a_tokenizer_is_read_as_fts5_reads_it(
    tokenizer: str, words: list[str], min_chars: int
) -> None:
    assert tokenizer_words(tokenizer) == words
    assert min_term_chars(tokenizer) == min_chars


# --- the command -------------------------------------------------------------------------


def test_a_mismatch_is_refused_with_the_repair_and_the_repair_works(place: Place) -> None:
    place.put(item(1, "migrations"))
    place.write_config(config_text("porter unicode61"))
    done = place.run("import")
    assert done.code == 1
    assert "set it back, or run `jezero-hook rebuild`" in done.err
    assert place.json("search", "migration")["count"] == 1  # reading goes on, by what is recorded
    assert place.json("rebuild") == {
        "items": 1,
        "damaged": None,
        "documents": 0,
        "tokenizer": "porter unicode61",
        "next_step": None,
    }
    assert place.run("import").code == 0
    assert place.json("search", "migrating")["count"] == 1


def test_another_tokenizer_than_the_configs_says_what_to_set(place: Place) -> None:
    place.put(item(1, "migrations"))
    tokenizer = "unicode61 tokenchars '_'"
    next_step = place.json("rebuild", "--tokenizer", tokenizer)["next_step"]
    assert str(place.config) in next_step
    setting = next_step.removeprefix("now set storage.tokenizer: ").split(" in ")[0]
    assert place.run("import").code == 1
    place.write_config(f"storage:\n  tokenizer: {setting}\n")
    assert place.run("import").code == 0
    done = place.run("rebuild", "--tokenizer", tokenizer)
    assert done.out == f"index of 1 items made anew ({tokenizer})\n"
    assert "now set storage.tokenizer: 'porter'" in place.run("rebuild", "--tokenizer=porter").out


NO_TOKENIZERS = (
    "",
    " ",
    "nonsense",
    "porter nonsense",
    "unicode61 colour 1",
    "trigram'); DROP TABLE items; --",
    "unicode61 tokenchars '",
    "porter, unicode61",
    "unicode61\0",
    "unicode61\n",
)


@pytest.mark.parametrize("tokenizer", NO_TOKENIZERS, ids=ascii)
def test_what_is_no_tokenizer_changes_nothing(tokenizer: str, place: Place) -> None:
    place.put(item(1, "migrations"))
    before = search(place, "migration")
    done = place.run("rebuild", "--tokenizer", tokenizer)
    assert (done.code, done.out) == (1, "")
    assert "is no tokenizer of FTS5" in done.err
    assert "storage.tokenizer takes trigram, unicode61 and ascii" in done.err
    assert search(place, "migration") == before
    assert library_faults(str(place.library)) == []
    assert open_library(str(place.library)).tokenizer == ITEMS_TOKENIZER


def test_an_import_with_no_tokenizer_leaves_no_library(place: Place) -> None:
    place.write_config(config_text("nonsense"))
    done = place.run("import")
    assert done.code == 1
    assert "is no tokenizer of FTS5 (no such tokenizer: nonsense)" in done.err
    place.write_config("")
    assert place.run("import").code == 0


# --- the swap ----------------------------------------------------------------------------


def test_others_read_the_old_index_until_the_new_one_is_whole(place: Place) -> None:
    place.put(*(item(n, f"migrations {n}", occurred_at=AT) for n in range(1, 41)))
    path = str(place.library)
    other = open_library(path)  # opened before, and asked all the while
    seen: list[tuple[int, int, str, int]] = []

    def look(done: int, items: int) -> None:
        match = other.match_query("migrat", Bounds())
        hits = other.search(match, now_s=NOW_S, limit=50)
        late = open_library(path)  # opened meanwhile
        seen.append((done, items, late.tokenizer, len(hits)))
        late.close()

    assert rebuild_library(path, "porter unicode61", look).items == 40
    assert seen == [(done, 40, ITEMS_TOKENIZER, 40) for done in range(1, 41)]
    assert other.search('"migrat"', now_s=NOW_S, limit=50) != []  # porter's own stem, now
    assert other.search('"igrat"', now_s=NOW_S, limit=50) == []
    assert open_library(path).tokenizer == "porter unicode61"


@pytest.mark.parametrize("fault", [KeyboardInterrupt, LibraryError], ids=lambda f: f.__name__)
def test_a_rebuild_that_is_stopped_leaves_the_old_index(
    fault: type[BaseException], place: Place
) -> None:
    place.put(*(item(n, "migrations", occurred_at=AT) for n in range(1, 11)))
    path = str(place.library)

    def stop(done: int, items: int) -> None:
        if done == 5:
            raise fault

    with pytest.raises(fault):
        rebuild_library(path, "porter unicode61", stop)
    reader = open_library(path)
    assert (reader.tokenizer, len(found(reader, "igrat"))) == (ITEMS_TOKENIZER, 10)
    assert library_faults(path) == []
    assert rebuild_library(path, "porter unicode61").items == 10


# --- the bar -----------------------------------------------------------------------------


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Return what a terminal of the commands shows on its error output."""
    shown = io.StringIO()
    plain = console_module.console

    def console(*, stderr: bool = False) -> Any:
        if not stderr:
            return plain()
        return Console(file=shown, force_terminal=True, width=100, color_system=None)

    monkeypatch.setattr(console_module, "console", console)
    return shown


def test_a_rebuild_shows_its_progress_on_a_terminal(place: Place, screen: io.StringIO) -> None:
    place.put(*(item(n) for n in range(1, 8)))
    assert place.run("rebuild").code == 0
    assert "indexing" in screen.getvalue()
    assert "7/7" in screen.getvalue()


def test_an_import_shows_its_progress_on_a_terminal(place: Place, screen: io.StringIO) -> None:
    for number in (1, 2, 3):
        place.session(number, f"prompt {number}")
    assert place.run("import").code == 0
    assert "importing" in screen.getvalue()
    assert "3 of 3 files" in screen.getvalue()


def test_a_script_sees_no_bar(place: Place, screen: io.StringIO) -> None:
    place.session(1, "prompt")
    place.put(item(1))
    for command in ("rebuild", "import"):
        assert place.run("--json", command).code == 0
    assert screen.getvalue() == ""
