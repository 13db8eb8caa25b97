"""The page in a browser: what a person does there."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from jezero_hooks.sample import PROMPT
from tests.commands import item
from tests.page.conftest import HOSTILE_SHOWN, PHONE, Open
from tests.page.served import Home

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

AGENT = f"#/agent?project=lighthouse&prompt={quote(PROMPT)}"
VIEWS = {
    "timeline": "#/",
    "search": "#/?q=session+cookie",
    "nothing found": "#/?q=qwxqwx",
    "item": "#/items/1",
    "hostile item": "#/items/22?original=1",
    "no item": "#/items/9999",
    "documents": "#/documents?q=cookie",
    "document": "#/document/1",
    "agent": AGENT + "&search.half_life_days=3",
}
FAULTY = ("no item",)


def titles(page: Page) -> list[str]:
    return page.locator("#view .list .title").all_inner_texts()


def wait_for(page: Page, text: str) -> None:
    page.locator("[role=status]", has_text=text).first.wait_for()


# --- library -----------------------------------------------------------------------------


def test_the_timeline_shows_days_newest_first_and_older_ones_on_demand(look: Open) -> None:
    page = look()
    wait_for(page, "20 items so far")
    days = page.locator(".day time[datetime]:not(.number)").evaluate_all(
        "all => all.map(one => one.getAttribute('datetime'))"
    )
    assert days == sorted(days, reverse=True)
    page.get_by_role("button", name="Older items").click()
    wait_for(page, "23 items, newest first")
    assert len(set(titles(page))) == 23
    assert page.get_by_role("button", name="Older items").count() == 0
    # The first of those that came has the focus: a reader goes on there.
    assert page.evaluate("document.activeElement.matches('.title a')")


def test_activity_is_a_picture_with_words(look: Open) -> None:
    page = look()
    picture = page.get_by_role("img", name=re.compile("^Items a day, "))
    picture.wait_for()
    assert page.locator(".activity rect").count() == 14
    assert re.search(r"\d+ \w+: \d", picture.get_attribute("aria-label") or "")


def test_project_and_source_narrow_the_timeline(look: Open) -> None:
    page = look()
    page.get_by_label("Project").select_option("quarry")
    page.get_by_role("heading", name="Timeline of quarry").wait_for()
    wait_for(page, "4 items, newest first")
    assert "project=quarry" in page.url
    page.go_back()
    page.get_by_role("heading", name="Timeline", exact=True).wait_for()
    page.get_by_label("Source").select_option("hostile")
    wait_for(page, "2 items, newest first")


def test_search_as_one_types(look: Open) -> None:
    page = look()
    page.get_by_label("Search the library").press_sequentially("session cookie", delay=10)
    wait_for(page, "hits, best first")
    assert any("SameSite=Lax" in title for title in titles(page))
    hit = page.locator(".hit", has_text="SameSite=Lax")
    assert re.match(r"Score\s*\d+\.\d\d\s*relevance \d+\.\d\d", hit.locator(".score").inner_text())
    assert hit.locator(".chips").inner_text().split() == ["session", "cookie"]
    assert {"session", "cookie"} <= {word.lower() for word in hit.locator("mark").all_inner_texts()}
    scores = [float(text.split()[-1]) for text in page.locator(".score > span").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    # Back leads to the timeline, and forward to the search with its words.
    page.go_back()
    page.get_by_role("heading", name="Timeline").wait_for()
    assert page.get_by_label("Search the library").input_value() == ""
    page.go_forward()
    wait_for(page, "hits, best first")
    assert page.get_by_label("Search the library").input_value() == "session cookie"


def test_a_question_is_dropped_when_a_newer_one_is_asked(look: Open) -> None:
    page = look()
    wait_for(page, "items")
    page.route("**/api/items/search?q=backup*", lambda route: None)  # it never gets its answer
    field = page.get_by_label("Search the library")
    with page.expect_request("**/api/items/search?q=backup*"):
        field.fill("backup")
    with page.expect_event("requestfailed", lambda request: "q=backup" in request.url) as dropped:
        field.fill("collation")
    assert dropped.value.failure == "net::ERR_ABORTED"
    wait_for(page, "1 hit, best first")
    assert titles(page) == ["Postgres 16 upgrade and the collation warning"]


def test_what_is_hostile_is_shown_as_text(look: Open) -> None:
    for place in ("#/", "#/?q=hostile", "#/items/22?original=1", AGENT):
        page = look(place)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.title") != "run"
        assert page.locator("#view img, #view script").count() == 0
        if "agent" not in place:
            assert HOSTILE_SHOWN in page.locator("#view").inner_text()
        text = page.evaluate("document.body.textContent + document.title")
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


# --- an item -----------------------------------------------------------------------------


def test_an_item_its_original_and_what_is_newer(look: Open) -> None:
    page = look("#/items/8")
    page.get_by_role("heading", name="a shorter life for the login session", level=1).wait_for()
    assert page.get_by_text("How long does a login session live?").is_visible()
    assert page.locator(".atoms").inner_text().split("\n")[0] == "decision"
    assert page.get_by_role("region", name="Original dialogue").count() == 0
    page.get_by_role("button", name="Show the original").click()
    original = page.get_by_role("region", name="Original dialogue")
    original.wait_for()
    assert original.inner_text().startswith("User: How long does a login session live?")
    page.reload()
    original.wait_for()


@pytest.mark.parametrize(
    ("id_", "heading"),
    [
        (1, "Newer on the same subject"),
        (2, "Only newer in this project"),
        (23, "Only newer in this source"),
    ],
)
def test_newer_items_stand_under_the_right_heading(look: Open, id_: int, heading: str) -> None:
    page = look(f"#/items/{id_}")
    page.get_by_role("heading", name=heading, exact=True).wait_for()
    page.locator("aside .title a").first.click()
    page.get_by_role("heading", name=re.compile("^Newer|^Only newer|^Facts")).first.wait_for()
    assert f"#/items/{id_}" not in page.url


def test_an_item_without_an_original_says_so(look: Open) -> None:
    page = look("#/items/1")
    page.get_by_role("button", name="Show the original").click()
    page.get_by_text("No original is kept for this item.").wait_for()


# --- documents ---------------------------------------------------------------------------


def test_documents_are_found_and_opened(look: Open) -> None:
    page = look()
    page.get_by_role("link", name="Documents").click()
    wait_for(page, "pages to search")
    page.get_by_label("Search the documents").fill("session cookie")
    wait_for(page, "pages, best first")
    assert page.locator("mark").count() > 1
    assert page.locator(".score").first.inner_text().split()[1].startswith("-")
    page.get_by_role("link", name="The login page, step by step").click()
    page.get_by_role("heading", name="The login page, step by step").wait_for()
    assert "posts back. Only then" in page.locator("article").inner_text()
    page.keyboard.press("Escape")
    wait_for(page, "pages, best first")


def test_without_documents_there_is_no_way_to_them(open_page: Open, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.put([item(1)])
    with home.served() as url:
        page = open_page(url)
        page.get_by_role("heading", name="Title 1").wait_for()
        assert page.locator("#views").inner_text().split("\n") == ["Library", "Agent view"]


# --- Agent view --------------------------------------------------------------------------


def block(page: Page, name: str) -> str:
    region = page.get_by_role("region", name=f"{name}: the block")
    region.wait_for()
    return region.evaluate("one => one.textContent")


def test_agent_view_shows_both_blocks_to_the_byte(look: Open, site: Home) -> None:
    folder = site.user / "code" / "lighthouse"
    wanted = site.json("--dry-run", "--prompt", PROMPT, "--cwd", folder)
    assert wanted["project"] == "lighthouse"
    for place in (AGENT, f"#/agent?folder={quote(str(folder))}&prompt={quote(PROMPT)}"):
        page = look(place)
        assert block(page, "On the first prompt") == wanted["first_prompt"]["text"]
        assert block(page, "At session start") == wanted["session_start"]["text"]
        shown = page.locator("#view").inner_text()
        for part in ("first_prompt", "session_start"):
            chars = len(wanted[part]["text"])
            assert f"{chars:,} characters, about {-(-chars // 4):,} tokens" in shown
        assert page.locator(".chips").first.inner_text().split() == wanted["first_prompt"]["words"]
        assert (
            page.locator(".chips.dropped").inner_text().split()
            == (wanted["first_prompt"]["dropped"])
        )
        assert page.locator(".verdict").all_inner_texts() == [
            "shown" if hit["id"] in wanted["first_prompt"]["shown"] else "not kept"
            for hit in wanted["first_prompt"]["searched"]
        ]
        assert page.get_by_text("stand whole in title or summary").count() >= 3


def test_a_prompt_is_judged_as_one_types(look: Open) -> None:
    page = look("#/agent?project=lighthouse")
    page.get_by_label("First prompt", exact=True).fill("write a poem about autumn leaves")
    page.get_by_text("Nothing: ").wait_for()
    wait_for(page, "The first prompt adds nothing")
    page.get_by_label("First prompt", exact=True).fill(PROMPT)
    wait_for(page, "3 lines of past work shown")
    assert "prompt=The+login" in page.url


def test_outside_of_any_project_only_the_protocol_is_given(look: Open) -> None:
    page = look(AGENT, faulty=True)
    assert "Newest items of project lighthouse" in block(page, "At session start")
    page.get_by_label("Project", exact=True).select_option(label="No project")
    page.get_by_text("Project: none").wait_for()
    assert "Newest items" not in block(page, "At session start")
    page.get_by_label("or a folder").fill("code")
    page.get_by_role("alert").get_by_text("folder must be a whole path").wait_for()
    page.get_by_label("or a folder").fill("~/code/quarry")
    page.get_by_text("Project: quarry").wait_for()


def folder_state(home: Home) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(home.home.iterdir())
        if path.is_file() and not path.name.endswith("-shm")
    }


def test_settings_change_the_order_at_once_and_write_nothing(look: Open, site: Home) -> None:
    page = look(AGENT)
    wait_for(page, "3 lines of past work shown")
    before, files = titles(page), folder_state(site)
    age = page.get_by_label("search recency_weight", exact=True)
    age.fill("1")
    age.press("Tab")
    half_life = page.get_by_label("search half_life_days, slider")
    half_life.focus()
    half_life.press("Home")
    for _ in range(10):
        half_life.press("ArrowRight")
    page.locator(".hit", has_text="▲").first.wait_for()
    page.wait_for_load_state("networkidle")
    assert titles(page) != before
    lines = page.get_by_role("region", name="Lines for config.yaml").inner_text()
    assert re.fullmatch(r"search:\n  half_life_days: [\d.]+\n  recency_weight: 1", lines)
    assert "search.recency_weight=1" in page.url
    page.get_by_role("button", name="Reset search recency_weight").click()
    page.get_by_role("button", name="Reset all").click()
    page.locator(".hit", has_text="▲").first.wait_for(state="detached")
    page.wait_for_load_state("networkidle")
    assert titles(page) == before
    assert "search." not in page.url
    assert folder_state(site) == files


def test_there_is_a_slider_for_every_setting_that_the_server_knows(look: Open) -> None:
    page = look(AGENT)
    keys = page.evaluate(
        "fetch('api/overview').then(r => r.json()).then(o => o.settings.map(s => s.key))"
    )
    assert {"search.weights.title", "first_prompt.evidence_words"} <= set(keys)
    assert page.locator(".setting input[type=range]").count() == len(keys)


def test_a_number_out_of_bounds_is_told_and_not_taken(look: Open) -> None:
    page = look(AGENT)
    number = page.get_by_label("first_prompt evidence_words", exact=True)
    number.fill("400")
    number.press("Tab")
    page.get_by_role("alert").get_by_text("first_prompt.evidence_words: must be").wait_for()
    assert number.get_attribute("aria-invalid") == "true"
    assert "evidence_words" not in page.url


def test_fewer_words_of_evidence_keep_more_hits(look: Open) -> None:
    page = look(AGENT)
    wait_for(page, "3 lines of past work shown")
    number = page.get_by_label("first_prompt evidence_words", exact=True)
    number.fill("1")
    number.press("Tab")
    page.locator(".verdict", has_text=re.compile("^kept$")).first.wait_for()
    page.get_by_role("link", name="Library").click()
    page.get_by_text("1 setting changed for this look").wait_for()
    page.get_by_role("button", name="reset").click()
    page.get_by_text("1 setting changed for this look").wait_for(state="detached")


# --- by keyboard, on a phone, in the dark ------------------------------------------------


def focused(page: Page) -> str:
    return str(
        page.evaluate("document.activeElement.innerText || document.activeElement.ariaLabel")
    )


def test_a_way_through_by_keyboard_alone(look: Open) -> None:
    page = look()
    wait_for(page, "items")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    assert focused(page) == "Search the library"
    page.keyboard.type("login page")
    wait_for(page, "hits, best first")
    found = titles(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert focused(page) == found[1]
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=found[1], level=1).wait_for()
    page.locator("h1:focus").wait_for()
    page.keyboard.press("Escape")
    wait_for(page, "hits, best first")
    page.locator(".title a:focus").wait_for()
    assert focused(page) == found[1]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert focused(page) == "Search the library"
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Timeline").wait_for()


def test_focus_is_seen(look: Open) -> None:
    page = look()
    wait_for(page, "items")
    for _ in range(12):
        page.keyboard.press("Tab")
        style = page.evaluate(
            "(() => { const s = getComputedStyle(document.activeElement);"
            " return [s.outlineStyle, s.outlineWidth]; })()"
        )
        assert style == ["solid", "2px"], focused(page)


@pytest.mark.parametrize("name", VIEWS)
def test_on_a_phone_nothing_is_wider_than_the_screen(look: Open, name: str) -> None:
    page = look(VIEWS[name], size=PHONE, faulty=name in FAULTY)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing(look: Open, axe: str, name: str, dark: bool) -> None:
    page = look(VIEWS[name], dark=dark, faulty=name in FAULTY)
    page.wait_for_load_state("networkidle")
    page.evaluate(axe + "; 0")
    found = page.evaluate("axe.run().then(found => found.violations)")
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in found] == []
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    darkness = sum(map(int, re.findall(r"\d+", background))) < 3 * 128
    assert darkness == dark


# --- what goes wrong ---------------------------------------------------------------------


def test_a_library_that_is_not_there_yet(open_page: Open, tmp_path: Path) -> None:
    home = Home(tmp_path)
    with home.served() as url:
        page = open_page(url, faulty=True)
        page.get_by_text("jezero-hook import").first.wait_for()


def test_a_fault_of_the_server_is_told_in_a_line_and_goes_with_it(look: Open) -> None:
    page = look(faulty=True)
    wait_for(page, "items")
    field, alert = page.get_by_label("Search the library"), page.get_by_role("alert")
    locked = {"error": "library.db: is locked; try again"}
    page.route("**/api/items/search*", lambda route: route.fulfill(status=503, json=locked))
    field.fill("cookie")
    alert.get_by_text("library.db: is locked; try again").wait_for()
    page.unroute("**/api/items/search*")
    page.route("**/api/items/search*", lambda route: route.abort("connectionrefused"))
    field.fill("cookies")
    alert.get_by_text("is `jezero-hook serve` still running?").wait_for()
    page.unroute("**/api/items/search*")
    field.fill("cookie")
    wait_for(page, "hits, best first")
    assert page.locator("#fault").text_content() == ""


def test_a_server_with_a_key_is_asked_for_it(open_page: Open, tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.put([item(1)])
    with home.served("--allow-host", "localhost") as url:
        key = (home.home / "mcp.key").read_text().strip()
        page = open_page(url, faulty=True)
        for text in ("wrong", key):
            page.get_by_role("textbox", name="Key").fill(text)
            with page.expect_response("**/api/overview*") as answer:
                page.get_by_role("button", name="Continue").click()
            assert answer.value.status == (200 if text == key else 401)
        page.get_by_role("heading", name="Title 1").wait_for()
        other = open_page(f"{url}#key={key}")
        other.get_by_role("heading", name="Title 1").wait_for()
        assert key not in other.url
