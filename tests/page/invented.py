"""An invented library and its documents: what the page is tested with and photographed of."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from pathlib import Path

from jezero_hooks.model import Atom, NewItem
from jezero_hooks.sample import sample_items

SEED = 4

# project, title, summary, question, kind and text of an atom
INVENTED = (
    (
        "lighthouse",
        "Session cookie: a shorter life for the login session",
        "The session cookie now lives 8 hours and is renewed while one works; the login page "
        "says why it asks again.",
        "How long does a login session live?",
        "decision",
        "The session cookie lives 8 hours.",
    ),
    (
        "lighthouse",
        "Feature flags move from the environment to a table",
        "Flags are read once a minute; a change needs no deploy any more.",
        "How do I turn a flag on?",
        "decision",
        "Flags live in the table feature_flags.",
    ),
    (
        "lighthouse",
        "Upload form: the error stays with its field",
        "Validation errors were shown at the top of the page, where nobody saw them.",
        "Where do upload errors go?",
        "fix",
        "aria-describedby on the file input",
    ),
    (
        "tidepool",
        "Retry the sensor gateway with a growing pause",
        "The gateway drops connections at the full hour; a retry after 1, 2 and 4 seconds gets "
        "every reading.",
        "Why are readings missing at the full hour?",
        "fix",
        "retry(pauses=(1, 2, 4))",
    ),
    (
        "tidepool",
        "Chart of the last 30 days draws in one pass",
        "Points closer than a pixel are merged before drawing; 40,000 readings take 12 ms.",
        "Why is the chart slow?",
        "fact",
        "src/chart/downsample.ts",
    ),
    (
        "tidepool",
        "Time zones: store UTC, show the station's own",
        "Two stations reported local time. Readings are UTC now; the old ones were moved once.",
        "In which time zone are readings stored?",
        "decision",
        "Readings are stored in UTC.",
    ),
    (
        "tidepool",
        "Alarm mails are sent once, not once a minute",
        "An alarm has a state now: raised, told, over. Only the change from one to the next "
        "sends a mail.",
        "Why do I get sixty mails?",
        "rationale",
        "A mail tells of a change, not of a state.",
    ),
    (
        "quarry",
        "Docker build: the cache survives a change of the lock file",
        "Dependencies are installed from the lock file alone, before the sources are copied.",
        "Why does every build take nine minutes?",
        "command",
        "docker build --target deps .",
    ),
    (
        "quarry",
        "CI runs only the tests of what changed",
        "The job asks git for changed folders; main still runs all of them each night.",
        "Can CI be quicker on a pull request?",
        "command",
        "git diff --name-only origin/main...",
    ),
    (
        "quarry",
        "Postgres connection pool: 20, not 200",
        "With 200 connections the database spent its time switching. 20 answer twice as much.",
        "How large should the connection pool be?",
        "decision",
        "pool_size = 20",
    ),
    (
        "quarry",
        "Search index: a page without a title broke the run",
        "The indexer took the first heading for granted. Pages without one use their file name.",
        "Why did the nightly index stop?",
        "error",
        "TypeError: cannot read properties of undefined (reading 'text')",
    ),
    (
        "almanac",
        "Recurring events across the change to winter time",
        "Weekly events kept their UTC time and moved by an hour. They are computed in local time "
        "now, and stored as a rule.",
        "Why is the meeting an hour early?",
        "rationale",
        "A weekly event is a rule in local time, not a list of instants.",
    ),
    (
        "almanac",
        "Import of ICS files with folded lines",
        "Long lines are folded at 75 bytes, also within a character. Unfold bytes before decoding.",
        "Why are umlauts broken in imported events?",
        "fix",
        "unfold(raw).decode('utf-8')",
    ),
    (
        "almanac",
        "Print style: one month on one page",
        "The grid breaks no row across pages; colours become patterns.",
        "Can a month be printed?",
        "fact",
        "styles/print.css",
    ),
)
PAGES = {
    "decisions/0007-session-cookies.md": (
        "Session cookies instead of tokens in the browser",
        "Why the login keeps its session on the server",
        ["login", "security"],
        300,
        "The session cookie holds a random id and nothing else. Tokens in the browser's storage "
        "can be read by any script; a cookie marked HttpOnly cannot.",
    ),
    "decisions/0011-object-store.md": (
        "Backups in the object store",
        "Where backups go and how long they stay",
        ["operations"],
        90,
        "Backups are written every night and kept for 14 days. A restore is tried every month.",
    ),
    "notes/login-page.md": (
        "The login page, step by step",
        "What happens between the form and the first page",
        ["login", "cookie"],
        12,
        "The form posts to the identity provider, which posts back. Only then is the session "
        "cookie set, so that a failed login leaves nothing behind.",
    ),
}


def invented_items(now: datetime) -> list[NewItem]:
    """Return the sample's items and more around them, dated within the last ten weeks."""
    chance = random.Random(SEED)
    items = sample_items(now.timestamp())
    for number, (project, title, summary, question, kind, text) in enumerate(INVENTED, 1):
        days = chance.choice((0, 1, 1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 20, 33))
        at = now - timedelta(days=days, minutes=chance.randrange(20, 500))
        items.append(
            NewItem(
                source=chance.choice(("claude-code", "claude-code", "laptop")),
                external_id=f"invented-{number}",
                occurred_at=at.isoformat(),
                title=title,
                summary=summary,
                questions=(question,),
                atoms=(Atom(kind, text),),
                project=project,
                original=f"User: {question}\n\nAssistant: {summary}\n",
            )
        )
    return items


def write_pages(folder: Path, now: datetime) -> None:
    """Write the invented documents, and a note of each invented item, as Markdown."""
    notes = {
        f"notes/{number:02d}.md": (title.replace(":", ","), question, [project], 20 + number, text)
        for number, (project, title, text, question, _, _) in enumerate(INVENTED, 1)
    }
    for name, (title, description, tags, days, text) in (PAGES | notes).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        day = (now - timedelta(days=days)).date()
        path.write_text(
            f"---\ntitle: {title}\ndescription: {description}\ntags: [{', '.join(tags)}]\n"
            f"date: {day}\n---\n\n{text}\n"
        )
