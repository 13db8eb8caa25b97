"""The page on a made library, in a browser that must not complain."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jezero_hooks.model import Atom, NewItem
from tests.page.invented import invented_items
from tests.page.served import ARGUMENTS, CHROMIUM, Home

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# It would run, colour, turn round and load something, if it were more than text.
HOSTILE = (
    "Hostile <script>document.title='run'</script> \x1b[31mred \u202egnp.exe\u202c "
    "<img src=x onerror=\"document.title='run'\"> & <mark>no mark</mark>"
)
# The same as the page shows it.
HOSTILE_SHOWN = (
    "Hostile <script>document.title='run'</script> ESC[31mred U+202Egnp.exeU+202C "
    "<img src=x onerror=\"document.title='run'\"> & <mark>no mark</mark>"
)
WIDE = {"width": 1280, "height": 900}
PHONE = {"width": 360, "height": 740}


def made_items(now: datetime) -> list[NewItem]:
    """Return the invented items, and on top one that means harm and one that stands alone."""

    def one(name: str, days_ago: int, title: str, summary: str, project: str | None) -> NewItem:
        at = (now - timedelta(days=days_ago)).isoformat()
        return NewItem(
            source="hostile",
            external_id=name,
            occurred_at=at,
            title=title,
            summary=summary,
            questions=(title,),
            atoms=(Atom("risk", title),),
            project=project,
            original=f"User: {title}\n\nAssistant: {summary}\n",
        )

    return [
        *invented_items(now),
        one("h1", 2, HOSTILE, f"Nothing of {HOSTILE} may act.", "lighthouse"),
        one("h2", 50, "Zymurgy", "Quite another thing.", None),
    ]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="no playwright is installed")
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}; name one in CHROMIUM_BIN")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def site(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """A home with items and documents, served; the tests only look."""
    home = Home(tmp_path_factory.mktemp("site"))
    home.put(made_items(datetime.now(UTC).replace(microsecond=0)))
    home.index()
    with home.served():
        yield home


Open = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Return a function that opens an address; at the end nothing may have gone wrong.

    ``faulty=True``: refused and failed requests, which the browser reports, are meant.
    """
    contexts: list[Any] = []
    complaints: list[str] = []

    def open_(url: str, size: Any = WIDE, dark: bool = False, faulty: bool = False) -> Page:
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        origin = "/".join(url.split("/")[:3]) + "/"

        def heard(message: Any) -> None:
            if not (faulty and message.text.startswith("Failed to load resource")):
                complaints.append(f"console: {message.text}")

        def failed(request: Any) -> None:
            # The page itself drops a question that a newer one replaces.
            if not faulty and request.failure != "net::ERR_ABORTED":
                complaints.append(f"failed: {request.url}: {request.failure}")

        def asked(request: Any) -> None:
            if not request.url.startswith((origin, "data:")):
                complaints.append(f"another host: {request.url}")
            if request.method != "GET":
                complaints.append(f"{request.method} {request.url}")

        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("requestfailed", failed)
        page.on("request", asked)
        page.goto(url)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def look(site: Home, open_page: Open) -> Open:
    """Return a function that opens the page of the made library at a place of it."""

    def look_(place: str = "#/", **more: Any) -> Page:
        page = open_page(site.url + place, **more)
        page.wait_for_selector("#view h1")
        return page

    return look_


@pytest.fixture(scope="module")
def axe() -> str:
    """The script of axe-core."""
    package = pytest.importorskip("axe_playwright_python", reason="no axe-core is installed")
    return (importlib.resources.files(package) / "axe.min.js").read_text("utf-8")
