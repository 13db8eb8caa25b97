"""Invented sessions of several projects, the same on each call: a library as people have one."""

from __future__ import annotations

import random

from jezero_hooks.model import Atom, NewItem

# What any session is about: common words, the first ones most.
COMMON_TEXT = """
    file function code test error module change fix add update check clean remove review config
    line value page build write read load call class method name type list data time user server
    request response query table index cache log run command script branch commit merge release
    version package import export path folder text button form menu search filter sort click
    table row column field input output option default old new slow fast silent light night
    morning work again first last next small large open close start stop move copy split join
    timeout retry connect message queue event handler hook client session cookie token login
    password key secret header body status number date string array object result report print
    library traceback most recent file line return raise exception pool near table where select
    match not and summer autumn rain wind river stone
"""
COMMON = COMMON_TEXT.split()
# What one project is about: each of its sessions takes some of them.
PROJECTS = {
    "lighthouse": "billing invoice stripe webhook refund ledger currency tax receipt dunning",
    "orion": "consent banner analytics cookiebot gdpr tracking pixel campaign checkout coupon",
    "greenhouse": "sensor humidity mqtt firmware relay thermostat esphome zigbee soil pump",
    "atlas": "tile raster geojson projection basemap contour terrain leaflet mapbox polygon",
    "parser": "lexer grammar token lookahead ast visitor bytecode opcode closure recursion",
}
# A word of a single session: what was found, a ticket, a host.
SYLLABLES_TEXT = "ka lo mi ter vas pol ren dis quo bra fen gul hox jar lum nep"
SYLLABLES = SYLLABLES_TEXT.split()


def sessions(number: int, seed: int = 5) -> list[NewItem]:
    """Return so many sessions of all the projects, of one year."""
    rng = random.Random(seed)
    return [_session(rng, n) for n in range(number)]


def _session(rng: random.Random, n: int) -> NewItem:
    project = rng.choice(list(PROJECTS))
    subject = rng.sample(PROJECTS[project].split(), 3)
    subject.append("".join(rng.choices(SYLLABLES, k=3)))
    day, hour = n % 28 + 1, n % 24
    return NewItem(
        source="claude-code",
        external_id=f"made-{n}",
        occurred_at=f"2026-{n % 12 + 1:02d}-{day:02d}T{hour:02d}:00:00+00:00",
        title=_text(rng, subject[:2], 6).capitalize(),
        summary=f"{_text(rng, subject, 25)} → {_text(rng, subject, 35)}.",
        questions=(_text(rng, subject, 20), _text(rng, subject, 12)),
        atoms=(Atom("command", _text(rng, subject[3:], 3)),),
        project=project,
    )


def _text(rng: random.Random, subject: list[str], number: int) -> str:
    """Return the subject among so many common words, of which the first are the most common."""
    common = (COMMON[int(len(COMMON) * rng.random() ** 1.7)] for _ in range(number))
    words = [*subject, *common]
    rng.shuffle(words)
    return " ".join(words)
