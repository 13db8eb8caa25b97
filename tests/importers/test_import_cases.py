"""The faults that people reported of transcript importers (IM cases)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from itertools import permutations
from pathlib import Path

import pytest

from jezero_hooks.importers.transcript import items, prompt_uuids
from jezero_hooks.importers.walk import session_files
from jezero_hooks.model import NewItem
from tests.importers.transcripts_read import HERE, Made, items_of, session_at, session_of, texts_of

CASES = HERE / "cases"


def files_of(case: str) -> list[Path]:
    return [Path(path) for path in session_files(str(CASES / case))]


def items_of_case(case: str) -> list[NewItem]:
    return [item for path in files_of(case) for item in items_of(session_at(path))]


def test_im_01_bad_lines_are_counted_and_cost_nothing_else() -> None:
    sessions = [session_at(path) for path in files_of("IM-01")]
    (item,) = [item for session in sessions for item in items_of(session)]
    assert item.questions == ("primer fallo del consentimiento", "segunda pregunta real")
    skipped = {Path(f.path).name[:1]: [] for session in sessions for f in session.skipped}
    for failure in (failure for session in sessions for failure in session.skipped):
        assert failure.reason
        skipped[Path(failure.path).name[:1]].append(failure.line)
    assert skipped == {"1": [2, 3, 5, 6, 7, 8, 10, 11], "2": [1]}


def test_im_03_a_summary_of_another_session_is_no_title() -> None:
    (item,) = items_of_case("IM-03")
    assert item.title == "arregla el indice de busqueda"
    assert not re.search("Holiday|Payroll|foreign", "\n".join(texts_of(item)))


@pytest.mark.parametrize("leaf", ["u1", "a2"])
def test_im_03_a_summary_of_this_session_is_its_title(leaf: str) -> None:
    made = Made()
    summary = {"type": "summary", "summary": "Search index repaired", "leafUuid": leaf}
    (item,) = items_of(session_of(summary, made.user("arregla el indice"), made.answer("hecho")))
    assert item.title == "Search index repaired"


def test_im_05_subagents_are_no_sessions() -> None:
    (item,) = items_of_case("IM-05")
    assert item.questions == ("pregunta humana sobre consentimiento",)
    assert not re.search("research agent|quality-check|found 3", "\n".join(texts_of(item)))
    for path in (CASES / "IM-05").rglob("agent-*.jsonl"):
        assert items_of(session_at(path)) == []


@pytest.mark.parametrize("order", [*permutations("123")])
def test_im_06_a_repeated_record_counts_once_in_any_order(order: tuple[str, ...]) -> None:
    sessions = {path.name[:1]: session_at(path) for path in files_of("IM-06")}
    owner: dict[str, str] = {}
    library: dict[str, NewItem] = {}
    for number in order * 2:  # the second time nothing may change
        session = sessions[number]
        before = dict(library)
        for uuid in prompt_uuids(session):
            owner.setdefault(uuid, number)
        foreign = {uuid for uuid in prompt_uuids(session) if owner[uuid] != number}
        library |= {item.external_id: item for item in items_of(session, foreign)}
        if len(before) == 3:
            assert library == before
    asked = [question for item in library.values() for question in item.questions]
    assert sorted(asked) == ["por que falla el banner"] * 2 + ["y en el movil?"]


def test_im_07_the_longest_version_of_a_streamed_answer_is_kept_once() -> None:
    (item,) = items_of_case("IM-07")
    for step in ("Paso uno: copia.", "Paso dos: verifica.", "Paso tres: borra."):
        assert (item.original or "").count(step) == 1
        assert item.summary.count(step) == 1
    assert "hmm" not in "\n".join(texts_of(item))


def test_im_08_bom_crlf_and_no_last_newline_lose_nothing() -> None:
    (item,) = items_of_case("IM-08")
    assert item.questions == ("pregunta con BOM", "ultima sin salto")
    assert not re.search("[\r\ufeff]", "\n".join(texts_of(item)))


def test_im_09_a_pasted_image_leaves_no_trace() -> None:
    made = Made()
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAA"}
    text = {"type": "text", "text": "mira esta captura del banner"}
    session = session_of(
        made.user("antes de la imagen"),
        _big(made.user([text, {"type": "image", "source": image}])),
        made.user("despues de la imagen"),
    )
    (item,) = items_of(session)
    assert item.questions == (
        "antes de la imagen",
        "mira esta captura del banner",
        "despues de la imagen",
    )
    assert not re.search("[A-Za-z0-9+/]{200}", "\n".join(texts_of(item)))


def test_im_09_memory_stays_below_400_mb(tmp_path: Path) -> None:
    made = Made()
    path = tmp_path / "11111111-0000-4000-8000-000000000001.jsonl"
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgoAAAANSUhEUgAA"}
    path.write_bytes(_big(made.user([{"type": "image", "source": image}])))
    code = (
        "import sys, resource\n"
        "from jezero_hooks.importers.records import lines\n"
        "from jezero_hooks.importers.transcript import read_session\n"
        "read_session(sys.argv[1], lines(open(sys.argv[1], 'rb')), 0.0)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    started = time.monotonic()
    call = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(call, capture_output=True, text=True, cwd=HERE.parents[1], check=True)
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(done.stdout) * unit < 400e6
    assert time.monotonic() - started < 20


def _big(record: dict[str, object]) -> bytes:
    small = json.dumps(record).encode() + b"\n"
    return small.replace(b"iVBORw0KGgoAAAANSUhEUgAA", b"iVBORw0KGgoAAAANSUhEUgAA" * 1_300_000)


def test_im_10_odd_records_are_passed_over_and_never_date_an_item_1970() -> None:
    (item,) = items_of_case("IM-10")
    assert item.questions == ("pregunta sin fecha", "pregunta con fecha")
    assert item.occurred_at == "2026-09-01T10:00:00+00:00"
    assert item.title == "pregunta sin fecha"


@pytest.mark.parametrize("nonsense", [None, 0, "not-a-date", "1970-01-01T00:00:00Z", [], 1e300])
def test_im_10_without_a_valid_time_the_file_dates_the_item(nonsense: object) -> None:
    made = Made()
    session = session_of(
        made.user("pregunta", timestamp=nonsense), made.answer("ok", timestamp=nonsense)
    )
    (item,) = items_of(session)
    assert item.occurred_at == "2026-09-05T00:00:00+00:00"


def test_im_13_only_what_a_person_typed_is_a_question() -> None:
    (item,) = items_of_case("IM-13")
    assert item.questions == ("la unica pregunta humana",)
    assert item.title == "la unica pregunta humana"


def test_im_13_a_file_of_markers_alone_gives_no_item() -> None:
    (path,) = files_of("IM-13")
    others = path.read_bytes().splitlines(keepends=True)[1:]
    assert len(others) == 8
    assert items_of(session_of(*others)) == []


def test_rd_04_the_title_keeps_its_words_around_a_redacted_token() -> None:
    token = "gh" + "p_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    made = Made()
    answer = made.answer("x")
    answer["message"]["content"] = f"`export GH_TOKEN={token}` listo"
    session = session_of(
        made.user(f"usa {token} para el despliegue del banner"),
        answer,
        *made.tool("Bash", {"command": f"deploy --key {token}"}),
        *made.tool("Bash", {"command": "deploy"}, f"bad key {token}", failed=True),
        *made.tool("Write", {"file_path": f"/home/dev/code/orion/{token}.txt"}),
    )
    found, secrets = items(
        session,
        foreign=set(),
        project_of=lambda folder: None,
        redact=lambda text: (text.replace(token, "[secret]"), text.count(token)),
    )
    (item,) = found
    assert item.title == "usa [secret] para el despliegue del banner"
    assert token[4:] not in "\n".join(texts_of(item))
    assert len(item.atoms) == 3
    assert secrets == 5
