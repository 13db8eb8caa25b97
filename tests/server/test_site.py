"""The HTTP API and the page: what they answer, to whom, and when something is wrong."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import apsw
import pytest

from jezero_hooks.config import Serve
from jezero_hooks.server import desk
from jezero_hooks.server.address import Address, hosts_of
from jezero_hooks.server.desk import Client
from jezero_hooks.server.endpoints import ENDPOINTS
from jezero_hooks.server.keys import Key
from jezero_hooks.server.site import Door, Site
from tests.commands import Place, item
from tests.server.asked import Reply, asked

AS_OF = "2026-10-01T00:00:00+00:00"
HOSTS = hosts_of(Address("localhost", 80), ())
KEYS = (Key("k" * 40, None), Key("m" * 40, ("mail",)), Key("d" * 40, ("mail", "documents")))


def site_of(place: Place, *, before: str | None = AS_OF, **serve: Any) -> Site:
    client = Client(str(place.library), str(place.config), before)
    return Site(client, Door(HOSTS, serve.pop("keys", ())), Serve(**serve))


@pytest.fixture
def get(documented: Place) -> Callable[..., Reply]:
    site = site_of(documented)
    return lambda target, **headers: asked(site, target, **headers)


# --- the same as on the command line -----------------------------------------------------------


def test_answers_are_those_of_the_commands(get: Callable[..., Reply], documented: Place) -> None:
    folder = str(documented.folder)
    for target, argv in (
        ("timeline?limit=3&project=orion", ("timeline", "--limit", 3, "--project", "orion")),
        ("timeline?source=mail&since=2026-09-03", "timeline --source mail --since 2026-09-03"),
        ("timeline?until=2026-09-03&limit=-1", "timeline --until 2026-09-03"),
        ("items/1", "show 1"),
        ("items/1?original=1&newer=1", "show 1 --original --newer"),
        ("items/2?newer=true&original=0", "show 2 --newer"),
        ("later?id=1", "later 1"),
        ("later?id=1&q=mobile&limit=1", "later 1 mobile --limit 1"),
        (f"dry-run?folder={folder}&prompt=consent+banner", None),
        (f"dry-run?folder={folder}", None),
    ):
        if argv is None:
            argv = ("--dry-run", "--cwd", folder)
            argv += ("--prompt", "consent banner") if "prompt" in target else ()
        words = argv.split() if isinstance(argv, str) else argv
        reply = get(f"/api/{target}")
        assert (reply.status, reply.json) == (200, documented.json("--as-of", AS_OF, *words))


def test_a_search_tells_the_words_that_stand_and_where(
    get: Callable[..., Reply], documented: Place
) -> None:
    reply = get("/api/items/search?q=consent+%22on+mobile%22+NOT+zebra&limit=2").json
    plain = documented.json(
        "--as-of", AS_OF, "search", "--limit", 2, 'consent "on mobile" NOT zebra'
    )
    more = {hit["id"]: (hit.pop("matched"), hit.pop("snippet")) for hit in reply["results"]}
    assert reply == plain
    assert more[3] == (["consent", "on mobile"], "<mark>On mobile</mark>, too")
    assert more[1][0] == ["consent"]


def test_what_is_not_there(get: Callable[..., Reply]) -> None:
    for target in ("items/99", "items/99?newer=1"):
        assert get(f"/api/{target}")[::2] == (404, b'{"found":false,"item":null}')
    later = get("/api/later?id=99")
    assert (later.status, later.json["found"], later.json["later"]) == (404, False, [])
    assert get("/api/documents/99")[::2] == (404, b'{"found":false,"document":null}')
    for path in ("/nothing", "/api", "/api/items/1/", "/api/items/a/b", "//", "/page.html"):
        assert get(path).status == 404, path
        assert get(path).json["error"].startswith("there is nothing here")


@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("items/x", "id must be the number of an item"),
        ("items/0", "id must be the number of an item"),
        (f"items/{10**30}", "id must be the number of an item"),
        ("items/1?id=2", "unknown argument 'id'"),
        ("items/1?original=maybe", "original must be 1 or 0, not 'maybe'"),
        ("later", "id is missing"),
        ("later?id=+", "id is missing"),
        ("timeline?limit=ten", "limit must be a whole number, not 'ten'"),
        ("timeline?since=soon", "since 'soon' is no time"),
        ("timeline?colour=red", "unknown argument 'colour'; there are: project,"),
        ("timeline?project=a&project=b", "project stands twice; keep one"),
        ("timeline?search.half_life_days=3", "unknown argument 'search.half_life_days'"),
        ("items/search?" + "&".join(f"a{n}" for n in range(200)), "more than 100 arguments"),
        ("items/search?q=" + "x" * 70_000, "longer than 60,000 bytes"),
        ("dry-run?folder=code/shop", "folder must be a whole path"),
        ("dry-run?folder=/a%00b", "folder must be a whole path"),
        ("dry-run?folder=/a&project=b", "a project or a folder, not both"),
        ("items/search?search.half_life_days=0", "search.half_life_days: must be a number from"),
        ("items/search?search.half_life_days=nan", "search.half_life_days: must be a number"),
        ("items/search?search.limit=2.5", "search.limit: must be a whole number from 1 to"),
        ("items/search?search.weights.title=-1", "search.weights.title: must be a number from 0"),
        ("items/search?search.half_life=1", "search.half_life: there is no such number"),
        ("items/search?search._replace=1", "search._replace: there is no such number"),
        ("items/search?hooks.budget_ms=100", "hooks.budget_ms: there is no such number"),
        ("search?documents.max_limit=51", "max_limit: must be a whole number from 1 to 50"),
        ("items/search?search.candidate_pool=5000", "candidate_pool: must be a whole number"),
    ],
)
def test_a_wrong_argument_is_told(get: Callable[..., Reply], target: str, error: str) -> None:
    reply = get(f"/api/{target}")
    assert (reply.status, list(reply.json)) == (400, ["error"])
    assert error in reply.json["error"]
    assert len(reply.json["error"]) < 250


# --- settings, tried ---------------------------------------------------------------------------


def test_settings_hold_for_one_answer(get: Callable[..., Reply], documented: Place) -> None:
    usual = get("/api/items/search?q=consent").json
    tried = get("/api/items/search?q=consent&search.recency_weight=0").json
    assert all(hit["score"] == hit["relevance"] for hit in tried["results"])
    assert all(hit["score"] < hit["relevance"] for hit in usual["results"])
    heavy = get("/api/items/search?q=consent&search.weights.title=50&search.limit=1").json
    assert heavy["count"] == 1
    assert heavy["results"][0]["relevance"] > 1.3 * usual["results"][0]["relevance"]
    assert get("/api/items/search?q=consent").json == usual
    prompt = "/api/dry-run?project=orion&prompt=the+weekly+quasar+banner"
    assert get(prompt).json["first_prompt"]["shown"] == []
    assert len(get(f"{prompt}&first_prompt.evidence_words=1").json["first_prompt"]["shown"]) == 3
    score = get("/api/search?q=grid").json["results"][0]["score"]
    boosted = get("/api/search?q=grid&documents.recency_boost=9.5").json["results"][0]["score"]
    assert boosted < 5 * score < 0
    assert not documented.config.exists()


def test_every_setting_says_what_it_may_be(get: Callable[..., Reply], documented: Place) -> None:
    documented.write_config("search: {half_life_days: 7, weights: {title: 5}}\n")
    found = {one.pop("key"): one for one in get("/api/overview").json["settings"]}
    assert found["search.half_life_days"] == {
        "section": "search",
        "value": 7.0,
        "default": 90.0,
        "low": 0.001,
        "high": 1_000_000,
        "integer": False,
    }
    assert found["search.weights.title"]["value"] == 5.0
    assert found["first_prompt.lines"]["integer"] is True
    assert {one["section"] for one in found.values()} == {"search", "first_prompt", "documents"}
    assert "documents.file_times" not in found
    for key, one in found.items():
        kind = int if one["integer"] else float
        for bound in (one["low"], one["high"]):
            reply = get(f"/api/items/search?q=consent&{key}={kind(bound)}")
            assert reply.status == 200, (key, reply)
        assert get(f"/api/items/search?q=consent&{key}={one['high'] + 1}").status == 400


# --- overview ----------------------------------------------------------------------------------


def test_overview(documented: Place) -> None:
    documented.put(item(6, "Of tomorrow", occurred_at="2026-10-02T00:00:00+00:00", project="new"))
    before = "2026-09-05T12:00:00+00:00"
    site = site_of(documented, before=before)
    found = asked(site, "/api/overview").json
    assert found["library"] == {
        "path": str(documented.library),
        "items": 5,
        "tokenizer": "trigram remove_diacritics 1",
        "as_of": before,
    }
    assert found["documents"] == {"count": 2, "types": ["note", "blog"]}
    assert [(p["name"], p["items"]) for p in found["projects"]] == [("orion", 4), ("home", 1)]
    assert found["projects"][0]["newest"] == "2026-09-05T10:00:00+00:00"
    assert [(s["name"], s["items"]) for s in found["sources"]] == [("mail", 2), ("test", 3)]
    days = {one["day"]: one["items"] for one in found["activity"]}
    assert list(days) == sorted(days)
    assert (len(days), min(days), max(days)) == (14, "2026-08-23", "2026-09-05")
    assert {day for day, items in days.items() if items} == {f"2026-09-0{n}" for n in range(1, 6)}
    for narrowed, items in (("project=home", 1), ("source=mail", 2), ("project=x", 0)):
        narrow = asked(site, f"/api/overview?{narrowed}").json
        assert sum(one["items"] for one in narrow["activity"]) == items
        assert narrow["projects"] == found["projects"]


# --- the dry run -------------------------------------------------------------------------------


def test_why_each_hit_is_kept_or_not(get: Callable[..., Reply]) -> None:
    found = get("/api/dry-run?project=orion&prompt=consent+banner+quasar&first_prompt.lines=1").json
    assert (found["project"], found["project_rule"]) == ("orion", "named")
    assert found["session_start"]["items"] == [5, 4, 3, 1]
    first = found["first_prompt"]
    assert first["shown"] == [first["searched"][0]["id"]]
    why = {hit["id"]: hit["why"] for hit in first["searched"]}
    assert sorted(why) == [1, 3, 4]
    shown = first["shown"][0]
    words = "consent and quasar" if shown == 4 else "consent and banner"
    assert why.pop(shown) == f"shown: {words} stand whole in title or summary"
    assert all(text.startswith("kept, but only 1 may be shown: ") for text in why.values())
    for block in (first, found["session_start"]):
        assert block["chars"] == len(block["text"])
        assert block["tokens"] == -(-block["chars"] // 4)


def test_without_a_library_an_invented_one_is_shown(documented: Place) -> None:
    documented.library.unlink()
    site = site_of(documented, before=None)
    found = asked(site, "/api/dry-run").json
    assert found["library"] == {"path": None, "items": 7, "origin": "sample"}
    assert found["project"] == "lighthouse"
    assert found["first_prompt"]["shown"]
    named = asked(site, "/api/dry-run?project=orion&prompt=").json
    assert (named["project"], len(named["session_start"]["items"])) == ("orion", 5)
    assert named["first_prompt"]["text"] == ""
    assert not documented.library.exists()


# --- data stays data ---------------------------------------------------------------------------

ODD = "<script>alert(1)</script> \x1b[31m & \u202etxt.exe"


def test_texts_stay_as_they_are_and_snippets_are_escaped(documented: Place) -> None:
    documented.put(item(9, f"Odd {ODD}", summary=ODD, questions=(ODD,), project=ODD))
    site = site_of(documented, before=None)
    for target in ("items/search?q=alert", f"timeline?project={quote(ODD)}", "items/6", "overview"):
        reply = asked(site, f"/api/{target}")
        assert reply.status == 200
        assert reply.headers["x-content-type-options"] == "nosniff"
    hit = asked(site, "/api/items/search?q=alert").json["results"][0]
    assert hit["title"] == f"Odd {ODD}"
    assert "&lt;script&gt;<mark>alert</mark>(1)&lt;/script&gt;" in hit["snippet"]
    assert set(re.findall("<[^>]*>", hit["snippet"])) == {"<mark>", "</mark>"}
    found = asked(site, "/api/search?q=odd").json["results"][0]
    assert found["title"] == "<script>alert(1)</script>"
    assert "&lt;b&gt;<mark>odd</mark>&lt;/b&gt;" in found["snippet"]
    assert asked(site, f"/api/documents/{found['id']}").json["document"]["type"] == "blog"


# --- who may ask -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (200, {}),
        (200, {"host": "127.0.0.1"}),
        (200, {"host": "[::1]:80"}),
        (200, {"origin": "http://localhost"}),
        (200, {"sec_fetch_site": "same-origin"}),
        (200, {"sec_fetch_site": "none"}),
        (421, {"host": "evil.example"}),
        (421, {"host": ""}),
        (421, {"host": "localhost:8737"}),
        (403, {"origin": "https://evil.example"}),
        (403, {"origin": "null"}),
        (403, {"origin": "http://localhost:8000"}),
        (403, {"sec_fetch_site": "cross-site"}),
        (403, {"sec_fetch_site": "same-site"}),
    ],
)
def test_who_is_let_in(get: Callable[..., Reply], status: int, headers: dict[str, str]) -> None:
    for path in ("/api/timeline", "/api/search?q=grid", "/openapi.json"):
        reply = get(path, **headers)
        assert reply.status == status, path
        assert "access-control-allow-origin" not in reply.headers
        assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"])
def test_it_only_reads(documented: Place, method: str) -> None:
    for path in ("/", "/api/search", "/api/items/1", "/nothing"):
        reply = asked(site_of(documented), path, method)
        assert (reply.status, reply.headers["allow"]) == (405, "GET, HEAD")


def test_a_link_from_elsewhere_may_open_the_page(get: Callable[..., Reply]) -> None:
    assert get("/", sec_fetch_site="cross-site").status == 200
    assert get("/", host="evil.example").status == 421


def test_another_origin_searches_documents_where_the_config_lets_it(documented: Place) -> None:
    site = site_of(documented, cors_origin="https://a.example", cache_s=60)
    reply = asked(
        site, "/api/search?q=grid", origin="https://a.example", sec_fetch_site="cross-site"
    )
    assert reply.status == 200
    assert reply.headers["access-control-allow-origin"] == "https://a.example"
    assert reply.headers["cache-control"] == "public, max-age=60"
    assert asked(site, "/api/search?q=grid", origin="https://b.example").status == 403
    assert asked(site, "/api/timeline", origin="https://a.example").status == 403
    assert asked(site, "/api/search?q=grid", host="a.example").status == 421
    # An image of any page has no Origin.
    for headers in ({}, {"origin": "https://b.example"}):
        reply = asked(site, "/api/search?q=grid", sec_fetch_site="cross-site", **headers)
        assert reply.status == 403


@pytest.mark.parametrize("welcome", ["https://a.example", "*"])
def test_another_origin_tries_no_settings(documented: Place, welcome: str) -> None:
    site = site_of(documented, cors_origin=welcome)
    target = "/api/search?q=grid&documents.recency_boost=0"
    reply = asked(site, target, origin="https://a.example")
    assert (reply.status, reply.headers["vary"]) == (400, "origin")
    assert "unknown argument 'documents.recency_boost'" in reply.json["error"]
    for headers in ({}, {"origin": "http://localhost"}):
        assert asked(site, target, **headers).status == 200


def test_no_page_of_others_holds_an_answer(get: Callable[..., Reply]) -> None:
    for target in ("/", "/api/search?q=grid", "/api/items/99", "/api/later"):
        assert get(target).headers["cross-origin-resource-policy"] == "same-origin"


def test_a_key_opens_what_it_may_read(documented: Place) -> None:
    site = site_of(documented, keys=KEYS, cache_s=60)
    assert asked(site, "/").status == 200  # it holds nothing of anybody's
    for path in ("/api/timeline", "/openapi.json", "/nothing"):
        reply = asked(site, path)
        assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer")
    whole, mail, both = (f"Bearer {key.secret}" for key in KEYS)
    assert asked(site, "/api/timeline", authorization=whole).json["count"] == 5
    assert asked(site, "/api/timeline", authorization=mail).json["count"] == 2
    overview = asked(site, "/api/overview", authorization=mail).json
    assert overview["library"]["items"] == 2
    assert [one["name"] for one in overview["sources"]] == ["mail"]
    assert sum(one["items"] for one in overview["projects"]) == 2
    assert overview["documents"] == {"count": 0, "types": []}
    assert asked(site, "/api/items/1", authorization=mail).status == 404
    assert asked(site, "/api/documents/1", authorization=mail).status == 404
    run = asked(site, "/api/dry-run?prompt=consent+banner&project=orion", authorization=mail).json
    assert run["session_start"]["items"] == [4]
    assert [hit["id"] for hit in run["first_prompt"]["searched"]] == [4]
    refused = asked(site, "/api/dry-run?folder=/home", authorization=whole)
    assert refused.status == 400
    assert "unknown argument 'folder'; there are: prompt, project" in refused.json["error"]
    for secret, count in ((whole, 2), (mail, 0), (both, 2)):
        reply = asked(site, "/api/search?q=grid", authorization=secret)
        assert reply.json["count"] == count
        assert reply.headers["cache-control"] == "private, max-age=60"
    documented.write_config("sources: {allowed: [test, mail]}\n")
    assert asked(site, "/api/search?q=grid", authorization=both).json["count"] == 0


# --- the page ----------------------------------------------------------------------------------


def test_the_page_runs_its_own_script_and_style_alone(get: Callable[..., Reply]) -> None:
    reply = get("/")
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(
        part.split(" ", 1) for part in reply.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["connect-src"] == "'self'"
    for tag in ("script", "style"):
        texts = re.findall(
            rb"<%b\b[^>]*>(.*?)</%b>" % (tag.encode(), tag.encode()), reply.body, re.S
        )
        hashes = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in texts]
        assert policy[f"{tag}-src"].split() == [f"'sha256-{one}'" for one in hashes]
    assert reply.headers["x-frame-options"] == "DENY"
    assert reply.headers["referrer-policy"] == "no-referrer"


# --- when something is wrong -------------------------------------------------------------------


def test_a_library_that_fails_is_told_and_the_next_answer_is_right(
    documented: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "WAIT_MS", 20)
    site, kept = site_of(documented), documented.library.read_bytes()

    def refused(word: str, targets: tuple[str, ...] = ("timeline", "search?q=grid")) -> None:
        for target in targets:
            reply = asked(site, f"/api/{target}")
            assert (reply.status, list(reply.json)) == (503, ["error"]), target
            assert word in reply.json["error"]
            assert "\n" not in reply.json["error"]
            assert reply.headers["cache-control"] == "no-store"

    every = tuple(
        one.path.removeprefix("/api/").replace("{id}", "1")
        + ("?id=1" if one.name == "later" else "")
        for one in ENDPOINTS
        if one.needs_library
    )
    documented.library.unlink()
    refused("is not there", every)
    assert asked(site, "/").status == asked(site, "/openapi.json").status == 200
    documented.library.write_bytes(b"no database " * 1_000)
    refused(str(documented.library), (*every, "dry-run"))
    documented.library.write_bytes(kept)
    assert asked(site, "/api/timeline").json["count"] == 5
    other = apsw.Connection(str(documented.library))
    other.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE").fetchall()
    refused("locked")
    other.close()
    documented.write_config("search: {limit: many}\nhooks: {budget_ms: 1}\n")
    refused("config.yaml:1: search.limit")
    documented.config.unlink()
    documented.library.unlink()
    documented.put(item(1, "Another library"))
    assert [one["title"] for one in asked(site, "/api/timeline").json["items"]] == [
        "Another library"
    ]


def test_a_library_without_documents_has_none(stocked: Place) -> None:
    site = site_of(stocked)
    assert asked(site, "/api/search?q=grid").json == {"query": "grid", "count": 0, "results": []}
    assert asked(site, "/api/overview").json["documents"] == {"count": 0, "types": []}
