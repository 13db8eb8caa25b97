"""Prove that the search answers as the plain statement of RULES 2 does: ids, order, scores.

    python benchmarks/exactness.py [--queries 2000] [--made-items 3000]
                                   [--items FILE] [--prompts FILE [--prompts-asked 500]]

Without files it makes its own items (seeded; invented words, accents, other scripts) and asks
generated queries: words, pieces of words, phrases, other spellings, short and overlong ones, in
all items, those of a project, or those before a time. Files are JSON lines, .gz or not: items in
import form, prompts as ``{"prompt"}``; their words are asked as the first-prompt hook does. The
best 200 are compared, scores within 1e-9; where relevance alone does not say which is the 200th,
the higher id stays. Exits 1 where one answer is another.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from search import NOW_S, POOL, open_plain, plain_search  # noqa: E402

import hooks  # noqa: E402
from jezero_hooks.importers.run import import_items  # noqa: E402
from jezero_hooks.library.match import Bounds  # noqa: E402
from jezero_hooks.library.reader import Filters, Reader, open_library  # noqa: E402
from jezero_hooks.library.writer import Writer  # noqa: E402
from jezero_hooks.model import Atom, NewItem  # noqa: E402
from jezero_hooks.rules.terms import distinctive  # noqa: E402

SAME = 1e-9
SHOWN = 5
OTHER_WORDS = (
    *("straße", "façade", "señal", "naïve", "Übergröße", "œuvre", "łódź", "smørrebrød", "ﬁlter"),
    *("новый", "ёлка", "ключ", "λόγος", "σφάλμα", "日本語", "検索", "설정", "हिन्दी", "node.js"),
    *("foo_bar", "re-entrant", "v2.1.0", "C++", "don't", "İstanbul", "e\u0301te\u0301", "👍🏽"),
)


class Question(NamedTuple):
    """A MATCH expression, and which items are asked."""

    match: str
    project: str | None = None
    before: str | None = None


def made_items(count: int) -> Iterator[NewItem]:
    """Yield items of invented words, every fifth one of another spelling or script."""
    rng = random.Random(hooks.SEED)
    text = hooks.texts(rng)
    at = datetime(2026, 11, 1, tzinfo=UTC)

    def mixed(words: int) -> str:
        parts = text(words).split()
        return " ".join(rng.choice(OTHER_WORDS) if rng.random() < 0.2 else part for part in parts)

    for n in range(count):
        yield NewItem(
            source="claude-code",
            external_id=f"session-{n}",
            # Some of one moment: then the higher id comes first.
            occurred_at=(at - timedelta(hours=n - n % 3)).isoformat(),
            title=mixed(7),
            summary=mixed(30),
            questions=(mixed(10), mixed(8)),
            atoms=(Atom("command", mixed(4)),),
            project=f"project-{n % 5}",
        )


def write_items(path: str, items: Iterable[NewItem]) -> None:
    """Write items into a library; the index stays in its parts, as it grows in use."""
    with Writer(path) as writer, writer.transaction():
        for item in items:
            writer.put(item, ingested_at=item.occurred_at)


def generated(reader: Reader, texts: list[str], count: int) -> Iterator[Question]:
    """Yield questions of all kinds about the texts of a library."""
    rng = random.Random(count)
    bounds = Bounds()
    befores = ("2026-10-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00")
    while count:
        words = rng.choice(texts).split()
        match = reader.match_query(_query(rng, words), bounds)
        if match is not None:
            count -= 1
            where = rng.randrange(3)
            yield Question(
                match,
                project=f"project-{rng.randrange(6)}" if where == 1 else None,
                before=rng.choice(befores) if where == 2 else None,
            )


def _query(rng: random.Random, words: list[str]) -> str:
    kind = rng.randrange(7)
    some = rng.sample(words, min(rng.randint(1, 20), len(words)))
    if kind == 0:
        at = rng.randrange(len(words))
        return f'"{" ".join(words[at : at + 3])}" {rng.choice(words)}'
    if kind == 1:
        return " ".join(word[1:-1] for word in some)
    if kind == 2:
        return " ".join(word.upper() for word in some)
    if kind == 3:
        return f"{rng.choice(OTHER_WORDS)} {rng.choice(OTHER_WORDS).lower()} {rng.choice(words)}"
    if kind == 4:
        return " ".join(word[:3] for word in some)
    if kind == 5:
        return f"{rng.choice(words)} OR NOT * ( {'x' * 150} {rng.choice(words)} ^ NEAR"
    return " ".join(some)


def of_prompts(reader: Reader, prompts: Iterable[str]) -> Iterator[Question]:
    """Yield what the first-prompt hook asks, but for its stop lists: all words count."""
    for prompt in prompts:
        match = reader.match_words(distinctive(prompt, ()).kept, Bounds())
        if match is not None:
            yield Question(match)


def difference(reader: Reader, path: str, asked: Question) -> str | None:
    """Return how the search's answer differs from the plain one, None where it does not."""
    filters = Filters(project=asked.project, before=asked.before)
    hits = reader.search(asked.match, now_s=NOW_S, limit=POOL, filters=filters)
    plain = plain_search(open_plain(path), asked.match, project=asked.project, before=asked.before)
    if [hit.id for hit in hits] != [hit.id for hit in plain]:
        places = zip(hits, plain, strict=False)
        at = next((n for n, (one, other) in enumerate(places) if one.id != other.id), "the end")
        return f"{asked}: {len(hits)} hits, not {len(plain)}; other ids from {at} on"
    for hit, other in zip(hits, plain, strict=True):
        if max(abs(hit.score - other.score), abs(hit.relevance - other.relevance)) > SAME:
            return f"{asked}: item {hit.id} has the score {hit.score!r}, not {other.score!r}"
    return None


def prove(path: str, asked: Iterable[Question], reader: Reader) -> int:
    """Ask all questions in both ways; print what was found; return how many answers differ."""
    count = differing = 0
    for count, one in enumerate(asked, 1):  # noqa: B007 (told below)
        found = difference(reader, path, one)
        if found is not None:
            differing += 1
            if differing <= SHOWN:
                print(f"  {found}")
    print(f"{count} questions, {differing} answers differ ({reader.count()} items)", flush=True)
    return differing if count else 1


def _lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        yield from (line for line in file if line.strip())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--queries", type=int, default=2_000)
    parser.add_argument("--made-items", type=int, default=3_000)
    parser.add_argument("--items", type=Path)
    parser.add_argument("--prompts", type=Path)
    parser.add_argument("--prompts-asked", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/library.db"
        if options.items:
            plain = Path(folder, "items.jsonl")
            plain.write_text("".join(_lines(options.items)), encoding="utf-8")
            with Writer(path) as writer:
                import_items(str(plain), "history", writer)
        else:
            write_items(path, made_items(options.made_items))
        reader = open_library(path)
        texts = [item.summary for item in reader.timeline(limit=2_000) if item.summary.split()]
        differing = prove(path, generated(reader, texts, options.queries), reader)
        if options.prompts:
            lines = islice(_lines(options.prompts), options.prompts_asked)
            prompts = (str(json.loads(line)["prompt"]) for line in lines)
            differing += prove(path, of_prompts(reader, prompts), reader)
    return min(differing, 1)


if __name__ == "__main__":
    sys.exit(main())
