"""A small invented library, shown when there is no past of one's own yet."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from .model import Atom, NewItem

PROJECT = "lighthouse"
PROMPT = "The login page times out again after the session cookie change, can you take a look?"


def sample_items(now_s: float) -> list[NewItem]:
    """Return seven invented items, dated so that they end yesterday."""
    now = datetime.fromtimestamp(now_s, UTC).replace(microsecond=0)
    return [
        NewItem(
            source="sample",
            external_id=f"sample-{number}",
            occurred_at=(now - timedelta(days=days_ago)).isoformat(),
            title=title,
            summary=summary,
            questions=(question,),
            atoms=(atom,),
            project=PROJECT,
        )
        for number, (days_ago, title, summary, question, atom) in enumerate(_PAST, 1)
    ]


_PAST = (
    (
        41,
        "Session cookie: SameSite=Lax broke the login redirect",
        "The identity provider posts back from another site, so the session cookie was not sent "
        "and the login page looped until it timed out. SameSite=None with Secure ended it.",
        "Why does the login loop after the cookie change?",
        Atom("fix", "Set-Cookie: session=…; SameSite=None; Secure"),
    ),
    (
        23,
        "Nightly backup moved to the object store",
        "The backup job writes to the object store and keeps 14 days; the old disk is gone.",
        "Where do the nightly backups go?",
        Atom("decision", "Backups are kept for 14 days."),
    ),
    (
        16,
        "Flaky end-to-end test: wait for the toast, not for 500 ms",
        "The checkout test slept half a second; on a busy runner the toast came later.",
        "Why is the checkout test flaky?",
        Atom("fix", "await page.getByRole('status').waitFor()"),
    ),
    (
        9,
        "Postgres 16 upgrade and the collation warning",
        "After the upgrade every connection warned of a collation mismatch; REINDEX, then "
        "ALTER DATABASE … REFRESH COLLATION VERSION, removed it.",
        "How do I get rid of the collation version mismatch?",
        Atom("command", "ALTER DATABASE lighthouse REFRESH COLLATION VERSION"),
    ),
    (
        6,
        "Login page: timeouts traced to the rate limiter",
        "The rate limiter counted health checks as logins, so the login page timed out at noon.",
        "Why do logins time out at noon?",
        Atom("decision", "Health checks bypass the rate limiter."),
    ),
    (
        3,
        "CSV export streams instead of building a string",
        "Exports of more than 100,000 rows ran out of memory; they are streamed row by row.",
        "Can large exports be streamed?",
        Atom("error", "MemoryError in export_rows"),
    ),
    (
        1,
        "Dark mode for the settings page",
        "The settings page follows the system's colour scheme; contrast is checked in CI.",
        "Does the settings page have a dark mode?",
        Atom("fact", "src/settings/theme.css"),
    ),
)
