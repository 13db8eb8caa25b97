"""From records to items: segments, titles, what counts and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from jezero_hooks.importers.records import TYPE_CHECKING
from jezero_hooks.importers.transcript import Limits, items, prompt_uuids
from jezero_hooks.model import Atom
from tests.importers.transcripts_read import SESSION, Made, items_of, session_of, texts_of

if TYPE_CHECKING:
    from jezero_hooks.model import NewItem


def test_a_new_segment_at_each_compaction() -> None:
    made = Made()
    found = items_of(
        session_of(
            made.user("fix the banner"),
            made.answer("fixed"),
            made.compaction(),
            made.user("<local-command-stdout>Compacted</local-command-stdout>"),
            made.user("this session goes on", isCompactSummary=True),
            made.user("now the footer"),
            made.answer("done as well"),
            made.compaction(),
        )
    )
    assert [item.external_id for item in found] == [SESSION, f"{SESSION}#2"]
    assert [item.title for item in found] == ["fix the banner", "now the footer (part 2)"]
    assert [item.summary for item in found] == [
        "fix the banner → fixed",
        "now the footer → done as well",
    ]
    assert [item.occurred_at[11:16] for item in found] == ["00:02", "00:07"]


def test_work_that_goes_on_after_a_compaction_stays_with_its_prompt() -> None:
    made = Made()
    (item,) = items_of(
        session_of(
            made.user("migrate everything"),
            *made.tool("Bash", {"command": "make migrate"}),
            made.compaction(),
            *made.tool("Edit", {"file_path": "/home/dev/code/orion/a.py"}),
            made.answer("All is migrated."),
        )
    )
    assert item.summary == "migrate everything → All is migrated."
    assert item.atoms == (Atom("command", "make migrate"), Atom("fact", "a.py"))


def test_a_compaction_before_the_first_prompt_is_no_part() -> None:
    made = Made()
    (item,) = items_of(session_of(made.compaction(), made.user("fix the banner")))
    assert (item.external_id, item.title) == (SESSION, "fix the banner")


@pytest.mark.parametrize(("minutes", "segments"), [(8 * 60 - 1, 1), (8 * 60, 2)])
def test_a_new_segment_after_eight_idle_hours(minutes: int, segments: int) -> None:
    made = Made()
    records = [made.user("fix the banner"), made.answer("fixed")]
    made.minutes += minutes - 1
    found = items_of(session_of(*records, made.user("now the footer")))
    assert [item.external_id for item in found] == [SESSION, f"{SESSION}#2"][:segments]


def test_a_long_answer_is_no_idle_time() -> None:
    made = Made()
    records = [made.user("fix the banner")]
    made.minutes += 20 * 60
    records += [made.answer("fixed"), made.user("now the footer")]
    assert len(items_of(session_of(*records))) == 1


def test_a_new_segment_after_forty_prompts() -> None:
    made = Made()
    records = [made.user(f"question number {n}") for n in range(81)]
    found = items_of(session_of(*records))
    assert [item.external_id for item in found] == [SESSION, f"{SESSION}#40", f"{SESSION}#80"]
    assert [item.title for item in found][1:] == [
        "question number 40 (part 2)",
        "question number 80 (part 3)",
    ]


def test_a_part_that_only_goes_on_is_named_like_what_it_goes_on_with() -> None:
    made = Made()
    records = [made.user("fix the banner"), made.answer("fixed"), made.compaction()]
    _, second = items_of(session_of(*records, made.user("continue"), made.answer("All done")))
    assert second.title == "fix the banner (part 2)"
    assert second.questions == ()
    assert second.summary == "→ All done"


CUSTOM = ("custom-title", "customTitle", SESSION)


@pytest.mark.parametrize(
    ("titles", "title"),
    [
        ([("ai-title", "aiTitle", SESSION)], "ai-title 0"),
        ([("ai-title", "aiTitle", SESSION)] * 2, "ai-title 1"),
        (
            [("custom-title", "customTitle", SESSION), ("ai-title", "aiTitle", SESSION)],
            "custom-title 0",
        ),
        ([("ai-title", "aiTitle", "another")], "fix the banner"),
        ([("custom-title", "customTitle", "another")], "fix the banner"),
        ([("ai-title", "aiTitle", None)], "ai-title 0"),
    ],
)
def test_the_users_title_then_the_clients_then_the_prompts(
    titles: list[tuple[str, str, str | None]], title: str
) -> None:
    made = Made()
    records: list[dict[str, Any]] = [
        {"type": kind, field: f"{kind} {n}"} | ({"sessionId": owner} if owner else {})
        for n, (kind, field, owner) in enumerate(titles)
    ]
    (item,) = items_of(session_of(*records, made.user("fix the banner")))
    assert item.title == title


def test_a_title_from_beside_the_file_goes_first() -> None:
    made = Made()
    import json

    from jezero_hooks.importers.transcript import read_session

    rows = [
        json.dumps({"type": "custom-title", "customTitle": "old", "sessionId": SESSION}).encode(),
        json.dumps(made.user("fix the banner")).encode(),
    ]
    session = read_session(f"/p/{SESSION}.jsonl", rows, 0.0, named="new name")
    assert items_of(session)[0].title == "new name"


def test_a_file_of_another_name_takes_the_id_from_its_records() -> None:
    made = Made()
    session = session_of(made.user("fix the banner"), session_id="export")
    assert session.session_id == SESSION
    assert session_of(b"{}\n", session_id="export").session_id == "export"


def test_a_prompt_taken_back_before_any_output_is_dead() -> None:
    made = Made()
    (item,) = items_of(
        session_of(
            made.user("first", parentUuid="p1"),
            made.answer("yes"),
            made.user("slow please", parentUuid="p2"),
            made.user("slow please and more", parentUuid="p2"),
            made.answer("good"),
            made.user("rewound", parentUuid="p3"),
            made.answer("worked on"),
            made.user("rewound again", parentUuid="p3"),
        )
    )
    assert item.questions == ("first", "slow please and more", "rewound", "rewound again")
    assert "User: slow please\n" not in (item.original or "")


def test_prompts_of_one_null_parent_are_all_alive() -> None:
    made = Made()
    (item,) = items_of(session_of(made.user("first thing"), made.user("second thing")))
    assert item.questions == ("first thing", "second thing")


def test_a_foreign_turn_is_left_out_with_all_that_follows_it() -> None:
    made = Made()
    session = session_of(
        made.user("parent's prompt"),
        *made.tool("Write", {"file_path": "/home/dev/code/orion/parent.py"}),
        made.answer("parent's answer"),
        made.user("my prompt"),
        made.answer("my answer"),
    )
    assert prompt_uuids(session) == ("u1", "u5")
    (item,) = items_of(session, {"u1"})
    assert item.external_id == SESSION
    assert item.summary == "my prompt → my answer"
    assert "parent" not in "\n".join(texts_of(item))
    assert items_of(session, {"u1", "u5"}) == []


def test_foreign_turns_move_no_external_id() -> None:
    made = Made()
    records = [made.user(f"question number {n}") for n in range(41)]
    session = session_of(*records)
    uuids = prompt_uuids(session)
    whole = [item.external_id for item in items_of(session)]
    assert [item.external_id for item in items_of(session, set(uuids[:40]))] == whole[1:]
    assert [item.external_id for item in items_of(session, set(uuids[:7]))] == whole


def test_records_that_a_resume_repeats_within_the_file_count_once() -> None:
    made = Made()
    records = [made.user("fix the banner"), made.answer("fixed")]
    (item,) = items_of(session_of(*records, *records))
    assert item.original == "User: fix the banner\n\nAssistant: fixed"


def redacting(
    item_secret: str, records: list[dict[str, Any]], **limits: int
) -> tuple[NewItem, int]:
    found, secrets = items(
        session_of(*records),
        foreign=set(),
        project_of=lambda folder: None,
        redact=lambda text: (text.replace(item_secret, "[s]"), text.count(item_secret)),
        limits=Limits(**limits),
    )
    return found[0], secrets


@pytest.mark.parametrize("before", [88, 198, 298, 497, 262_140])
def test_a_secret_on_a_cut_is_redacted_before(before: int) -> None:
    secret = "S3CR3T" * 5
    made = Made()
    filler = ("word " * (before // 5 + 1))[:before]
    text = f"{filler}{secret} behind"
    records = [
        made.user(text),
        *made.tool("Bash", {"command": f"make {text}"}),
        *made.tool("Bash", {"command": "make"}, text, failed=True),
        made.answer(text),
    ]
    item, _ = redacting(secret, records)
    assert "S3CR" not in "\n".join(texts_of(item))


def test_each_secret_is_counted_once() -> None:
    made = Made()
    records = [made.user("use S3CR3T for it"), made.answer("S3CR3T is set")]
    assert redacting("S3CR3T", records)[1] == 2


def test_the_original_is_cut_in_its_middle_on_a_characters_border() -> None:
    made = Made()
    (item,) = items_of(
        session_of(made.user("ñ" * 4_000), made.answer("€" * 4_000)), original_bytes=1_001
    )
    original = item.original or ""
    assert len(original.encode()) <= 1_001
    assert original.startswith("User: ñ")
    assert original.endswith("€")
    assert "\n\n[…]\n\n" in original
    assert "\ufffd" not in original


def test_private_words_are_stored_nowhere() -> None:
    made = Made()
    prompt = "rotate the keys <private>in the blue safe</private> today"
    (item,) = items_of(session_of(made.user(prompt), made.answer("rotated")))
    assert item.questions == ("rotate the keys today",)
    assert "safe" not in "\n".join(texts_of(item))


def test_a_custom_command_with_words_is_a_prompt_and_one_without_starts_a_turn() -> None:
    made = Made()
    bare = "<command-message>review</command-message>\n<command-name>/review</command-name>"
    words = f"{bare}\n<command-args>the footer</command-args>"
    (item,) = items_of(
        session_of(made.user(bare), made.answer("Two faults found"), made.user(words))
    )
    assert item.questions == ("/review the footer",)
    (item,) = items_of(session_of(made.user(bare), made.answer("Two faults found")))
    assert (item.title, item.summary) == ("/review", "→ Two faults found")
    assert items_of(session_of(made.user(bare))) == []


def test_thinking_images_and_tool_results_are_not_stored() -> None:
    made = Made()
    thinking = made.answer("x")
    thinking["message"]["content"] = [{"type": "thinking", "thinking": "SECRETLY"}]
    (item,) = items_of(
        session_of(
            made.user("fix the banner"),
            thinking,
            *made.tool("Read", {"file_path": "/x"}, "RESULT"),
            *made.tool("Read", {"file_path": "/x"}, [{"type": "text", "text": "RESULT"}]),
        )
    )
    assert not {"SECRETLY", "RESULT"} & set("\n".join(texts_of(item)).split())


def test_what_the_client_sends_in_a_users_name_is_no_prompt() -> None:
    made = Made()
    result = {"type": "tool_result", "tool_use_id": "x", "content": "fine"}
    (item,) = items_of(
        session_of(
            made.user("fix the banner"),
            made.user("a background agent ended", origin={"kind": "task-notification"}),
            made.user("news from elsewhere", origin={"kind": "channel"}),
            made.user("a notice", promptSource="system"),
            made.user("a skill's text", isMeta=True),
            made.user("This session is being continued from a previous conversation that"),
            made.user([result, {"type": "text", "text": "beside a result"}]),
            made.user("and the footer", origin={"kind": "human"}),
        )
    )
    assert item.questions == ("fix the banner", "and the footer")


def test_an_outage_is_an_error_and_no_ending() -> None:
    made = Made()
    (item,) = items_of(
        session_of(
            made.user("fix the banner"),
            made.answer("Half of it is done."),
            made.answer("API Error: 529 overloaded", isApiErrorMessage=True),
        )
    )
    assert item.summary == "fix the banner → Half of it is done."
    assert item.atoms == (Atom("error", "API Error: 529 overloaded"),)


def test_only_what_worked_is_a_command_or_a_fact() -> None:
    made = Made()
    edit = {"file_path": "/home/dev/code/orion/src/a.py"}
    call, _ = made.tool("Bash", {"command": "make unfinished"})
    interrupted = made.tool("Bash", {"command": "make slow"})
    interrupted[1]["toolUseResult"] = {"interrupted": True}
    (item,) = items_of(
        session_of(
            made.user("fix the banner"),
            *made.tool("Bash", {"command": "make lint"}),
            *made.tool("Bash", {"command": "make bad"}, "Exit code 2\nno rule", failed=True),
            *made.tool("Edit", edit),
            *made.tool("Edit", edit | {"old_string": "x"}),
            *made.tool("Write", {"file_path": "/etc/hosts"}, "EACCES", failed=True),
            *interrupted,
            call,
        )
    )
    assert item.atoms == (
        Atom("error", "Exit code 2\nno rule"),
        Atom("error", "EACCES"),
        Atom("command", "make lint"),
        Atom("fact", "src/a.py"),
    )


def test_the_project_is_that_of_the_first_folder() -> None:
    made = Made()
    moved = made.user("and the tests", cwd="/home/dev/code/orion/tests")
    no_folder = made.user("without a folder")
    del no_folder["cwd"]
    (item,) = items_of(session_of(made.user("fix the banner"), moved))
    assert item.project == "orion"
    (item,) = items_of(session_of(no_folder))
    assert item.project is None


def test_lone_surrogates_become_replacement_characters() -> None:
    made = Made()
    record = made.user("fix \ud800 the banner")
    (item,) = items_of(session_of(record, made.answer("\udfff done")))
    assert item.title == "fix \ufffd the banner"
    "\n".join(texts_of(item)).encode()


def test_many_bad_lines_are_counted_in_one() -> None:
    session = session_of(*[b"}{\n"] * 250)
    assert len(session.skipped) == 101
    assert session.skipped[-1].line is None
    assert session.skipped[-1].reason.startswith("150 ")
