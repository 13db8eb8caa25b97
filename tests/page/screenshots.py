"""The README's pictures of the page: an invented library, served and photographed.

    python -m tests.page.screenshots [FOLDER]

Writes PNG files to FOLDER (default: docs). Needs the development packages, a Chromium
(CHROMIUM_BIN, else the one on the PATH) and Pillow; reads and writes nothing of the user's.
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from PIL import Image
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from jezero_hooks.sample import PROMPT
from tests.commands import ROOT
from tests.page.invented import invented_items
from tests.page.served import ARGUMENTS, CHROMIUM, Home

# A page of text has no more, and a third of the bytes of full colour.
COLOURS = 64
WIDE: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 360, "height": 740}
VIEWS = {
    "timeline": "#/",
    "search": "#/?q=session+cookie+login",
    "item": "#/items/1",
    "documents": "#/documents?q=session+cookie",
    "agent-view": f"#/agent?project=lighthouse&prompt={quote(PROMPT)}"
    "&search.half_life_days=10&search.recency_weight=0.9",
}
LOOKS = (
    ("", WIDE, False, tuple(VIEWS)),
    ("-dark", WIDE, True, ("timeline", "agent-view")),
    ("-phone", PHONE, False, ("search", "agent-view")),
)


def take(browser: Browser, address: str, folder: Path) -> None:
    """Write a picture of each view, some also dark and at a phone's width."""
    for suffix, size, dark, names in LOOKS:
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
        for name in names:
            page = context.new_page()
            page.goto(address + VIEWS[name])
            page.wait_for_selector("#view h1")
            page.wait_for_load_state("networkidle")
            write(page.screenshot(), folder / f"{name}{suffix}.png")
            page.close()
        context.close()


def write(png: bytes, path: Path) -> None:
    """Write a picture with few colours, and tell its size."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    few = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1024} KB")


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs"
    folder.mkdir(parents=True, exist_ok=True)
    # Its name is in the pictures; where it is there already, another one is at work.
    scratch = Path(tempfile.gettempdir()) / "lighthouse-keeper"
    scratch.mkdir()
    try:
        photograph(scratch, folder)
    finally:
        shutil.rmtree(scratch)


def photograph(scratch: Path, folder: Path) -> None:
    """Make the library in one folder, its pictures in the other."""
    with sync_playwright() as playwright:
        # Without the plugin's launcher, whose path is of no interest to who looks at a picture.
        program = scratch / "program"
        for part in ("jezero_hooks", "stoplists"):
            shutil.copytree(ROOT / part, program / part)
        home = Home(scratch, program)
        home.put(invented_items(datetime.now(UTC).replace(microsecond=0)))
        home.index()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        with home.served() as address:
            take(browser, address, folder)
        browser.close()


if __name__ == "__main__":
    main()
