"""Quiet unless the overlap is plain: the first prompt in a library of many mixed sessions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from jezero_hooks.config import Config
from jezero_hooks.hook import FirstPrompt, first_prompt_block
from jezero_hooks.library.reader import Reader, open_library
from jezero_hooks.library.writer import Writer
from jezero_hooks.model import Atom, NewItem
from jezero_hooks.rules.related import TELLING_ITEMS
from jezero_hooks.why import why

from .commands import Place
from .invented import sessions

NOW_S = 1.8e9
AT = "2026-12-01T00:00:00+00:00"
ASKED = "The consent banner of the analytics page fails: kalomi refuses the cookiebot callback"
RELATED = NewItem(
    source="claude-code",
    external_id="related",
    occurred_at="2026-03-01T10:00:00+00:00",
    title="Consent banner: cookiebot callback",
    summary="why does kalomi refuse the callback? → the domain was missing",
    questions=("kalomi refuses the cookiebot callback",),
    atoms=(Atom("fix", "added the domain to cookiebot"),),
    project="orion",
)
TRACEBACK = """
Traceback (most recent call last):
  File "/usr/lib/python3.12/site-packages/pyrosetta_lite/engine/minimizer.py", line 211, in relax
    return self._scorefxn.evaluate(pose, cutoff=self.cutoff)
  File "/usr/lib/python3.12/site-packages/pyrosetta_lite/scoring.py", line 88, in evaluate
    raise ResidueMismatchError(f"pose has {n} residues, expected {m}")
pyrosetta_lite.errors.ResidueMismatchError: pose has 41 residues, expected 43
"""
UNRELATED = {
    "work without a subject": "please review the module and clean up the code",
    "one word": "tests",
    "a haiku": "An old silent pond,\na frog jumps into the stone.\nSplash! Silence again.",
    "FTS5 syntax": 'code AND (module OR "file name") NOT test* NEAR(function error, 3) title:fix',
    "a traceback": f"what is this?\n{TRACEBACK}",
}


def library(path: Path, items: list[NewItem]) -> Reader:
    with Writer(str(path)) as writer, writer.transaction():
        for item in items:
            writer.put(item, ingested_at=AT)
    return open_library(str(path))


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    path = tmp_path_factory.mktemp("large") / "library.db"
    reader = library(path, [*sessions(5_000), RELATED])
    yield reader
    reader.close()


def said(reader: Reader, prompt: str, **rule: float) -> FirstPrompt:
    config = Config()
    config = config._replace(first_prompt=config.first_prompt._replace(**rule))
    return first_prompt_block(reader, config, prompt, now_s=NOW_S)


@pytest.mark.parametrize("prompt", UNRELATED.values(), ids=UNRELATED)
def test_silent_on_what_is_not_related(large: Reader, prompt: str) -> None:
    first = said(large, prompt)
    assert first.text == ""
    assert first.reason


def test_the_plain_rule_would_speak(large: Reader) -> None:
    spoken = [name for name, prompt in UNRELATED.items() if said(large, prompt, chance=0.0).text]
    assert spoken == [name for name in UNRELATED if name != "one word"]


def test_what_is_related_is_found(large: Reader) -> None:
    first = said(large, ASKED)
    assert first.shown[0].external_id == "related"
    best = first.judged[0]
    assert best.chance is not None
    assert best.chance <= Config().first_prompt.chance
    assert best.matched == ("consent", "banner", "kalomi", "cookiebot", "callback")
    assert best.shared == (*best.matched[:2], "cookiebot", "callback", "kalomi", "refuses")


def test_why_can_be_checked_by_counting(large: Reader) -> None:
    first = said(large, ASKED)
    rule = Config().first_prompt
    line = why(first.judged[0], True, rule, first.gate)
    assert line.startswith("shown: consent (")
    assert " of 5,001 items), banner (" in line
    assert "cookiebot (" in line
    assert "items by chance" in line
    first = said(large, UNRELATED["work without a subject"])
    told = [why(one, False, rule, first.gate) for one in first.judged]
    refused = [line for line in told if line.startswith("not kept: ")]
    assert refused
    assert all(line.endswith("; 0.01 is the most (first_prompt.chance)") for line in refused)
    assert first.reason is not None
    assert "more than 0.01 items (first_prompt.chance)" in first.reason


def test_kept_ones_come_first_by_what_the_shared_words_weigh(large: Reader) -> None:
    first = said(large, ASKED, chance=1e6)
    kept = [one.kept for one in first.judged]
    assert kept == sorted(kept, reverse=True)
    assert first.judged[0].hit.external_id == "related"
    assert 0 < sum(kept) <= len(kept) <= Config().first_prompt.related_hits


def test_the_gate_rests_in_a_small_library(tmp_path: Path) -> None:
    """Up to its size the answers are those of the plain rule, whatever the chance."""
    items = [RELATED, *sessions(TELLING_ITEMS)]
    prompt = UNRELATED["work without a subject"]
    small = library(tmp_path / "small.db", items[: TELLING_ITEMS - 1])
    assert said(small, prompt).gate is None
    assert said(small, prompt) == said(small, prompt, chance=0.0)
    assert said(small, prompt).text
    grown = library(tmp_path / "grown.db", items[:TELLING_ITEMS])
    assert said(grown, prompt).gate is not None


def test_the_gate_rests_without_counts(tmp_path: Path) -> None:
    path = tmp_path / "library.db"
    library(path, sessions(TELLING_ITEMS)).close()
    with apsw.Connection(str(path)) as db:
        db.execute("DROP TABLE hooks_words")
    reader = open_library(str(path))
    first = said(reader, UNRELATED["work without a subject"])
    assert first.gate is None
    assert first.text
    reader.close()


def test_a_dry_run_tells_why_in_a_line(place: Place) -> None:
    place.put(*sessions(300), RELATED)
    asked = f"{ASKED}, says the xylophone"
    first = place.json("--dry-run", "--prompt", asked)["first_prompt"]
    best, *_, last = first["searched"]
    assert (best["kept"], last["kept"]) == (True, False)
    assert 0 < best["chance"] <= Config().first_prompt.chance
    assert best["why"].startswith("shown: consent (")
    assert (
        ", 3 words in no title or summary (fails, refuses, xylophone; ×1.2 each): " in best["why"]
    )
    assert last["chance"] is None or last["chance"] > Config().first_prompt.chance
    assert "\n" not in "".join(one["why"] for one in first["searched"])
    told = " ".join(place.run("--dry-run", "--prompt", asked).out.split())
    assert "why" in told
    place.write_config("first_prompt:\n  chance: off\n")
    off = place.json("--dry-run", "--prompt", asked)["first_prompt"]
    assert {one["chance"] for one in off["searched"]} == {None}
    assert len(off["searched"]) == Config().first_prompt.hits
    assert off["searched"][0]["why"].endswith("stand whole in title or summary")


def test_the_hook_says_what_the_dry_run_shows(place: Place) -> None:
    place.put(*sessions(300), RELATED)
    for number, prompt in enumerate((ASKED, *UNRELATED.values())):
        shown = place.json("--dry-run", "--prompt", prompt)["first_prompt"]["text"]
        payload = {"session_id": f"s-{number}", "prompt": prompt}
        assert place.hook("first_prompt", payload) == shown
        assert bool(shown) is (prompt == ASKED)


def test_check_names_counts_that_are_not_true(place: Place) -> None:
    place.put(RELATED)
    assert place.run("check").code == 0
    with apsw.Connection(str(place.library)) as db:
        db.execute("UPDATE hooks_words SET items = 9 WHERE word = 'consent'")
    done = place.run("check")
    assert done.code == 1
    assert "1 word is counted wrongly; run `jezero-hook rebuild`" in " ".join(done.out.split())
    assert place.run("rebuild").code == 0
    assert place.run("check").code == 0
