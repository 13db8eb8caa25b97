"""Documents: how long a folder of Markdown takes to index, and a search in it.

    python benchmarks/documents.py [--pages 5000] [--seed 4] [--queries 500]

Makes seeded pages in a folder of its own, indexes them through the command's own code, and
prints beside it what reading and parsing the same files alone takes; then the second run, and
search in this process, in milliseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from jezero_hooks.config import Documents as Settings  # noqa: E402
from jezero_hooks.documents.index import Asked, Report, index_folders  # noqa: E402
from jezero_hooks.documents.walk import page_files  # noqa: E402
from jezero_hooks.library.documents_writer import DocumentsWriter  # noqa: E402
from jezero_hooks.library.match import ITEMS_TOKENIZER  # noqa: E402
from jezero_hooks.library.reader import open_library  # noqa: E402

parse = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse
SYLLABLES = [a + b for a in "bcdfghjklmnprstvwxz" for b in "aeiou"][::4]


def vocabulary(chance: random.Random, size: int) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < size:
        words["".join(chance.choices(SYLLABLES, k=chance.randint(1, 4)))] = None
    return list(words)


def page(chance: random.Random, words: list[str], weights: list[float], number: int) -> str:
    def said(count: int) -> str:
        return " ".join(chance.choices(words, weights, k=count))

    day = f"20{chance.randint(18, 26)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
    front = f"---\ntitle: {said(4)}\ndescription: {said(10)}\ntags: [{', '.join(said(3).split())}]"
    parts = [f"{front}\ndate: {day}\n---\n\n# {said(4)} {number}\n"]
    for _ in range(chance.randint(2, 10)):
        parts.append(f"## {said(3)}\n\n{said(60)} **{said(2)}** and `{said(1)}_{said(1)}`.\n")
        kind = chance.randrange(4)
        if kind == 0:
            parts.append("".join(f"- {said(8)}\n" for _ in range(5)))
        elif kind == 1:
            parts.append(f"```py\n{said(1)} = {said(1)}({said(1)})\n{said(12)}\n```\n")
        elif kind == 2:
            parts.append(f"| {said(1)} | {said(1)} |\n|---|---|\n| {said(3)} | {said(3)} |\n")
        else:
            parts.append(f"> {said(20)} [{said(2)}](https://example.org/{said(1)})\n")
    return "\n".join(parts)


def write_pages(folder: str, pages: int, seed: int) -> tuple[int, list[str]]:
    """Write the pages; return their bytes and the words they are made of, common ones first."""
    chance = random.Random(seed)
    words = vocabulary(chance, 8_000)
    weights = [1 / (place + 10) for place in range(len(words))]  # as words of a language are
    size = 0
    for number in range(pages):
        path = os.path.join(folder, f"{number % 50:02d}", f"page-{number}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = page(chance, words, weights, number)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        size += len(text)
    return size, words


def timed(doing: Callable[[], object]) -> float:
    start = time.perf_counter()
    doing()
    return time.perf_counter() - start


def parse_alone(folder: str) -> None:
    for path in page_files(folder).paths:
        with open(path, encoding="utf-8") as file:
            parse(file.read())


def index(library: str, folder: str) -> Report:
    settings = Settings()
    asked = Asked(None, None, settings.page_bytes, file_times_at_first=False)
    with DocumentsWriter(library, items_tokenizer=ITEMS_TOKENIZER) as writer:
        return index_folders(writer, [folder], asked)


def searches(library: str, words: list[str], queries: int, seed: int) -> list[float]:
    """Return the milliseconds that searches took: one to three words, some of them common."""
    chance, settings = random.Random(seed), Settings()
    documents = open_library(library).documents()
    took = []
    for _ in range(queries):
        query = " ".join(chance.choices(words[:2_000], k=chance.randint(1, 3)))
        start = time.perf_counter()
        documents.search(
            query,
            ranking=settings.ranking(),
            bounds=settings.bounds(),
            now_s=1.79e9,
            limit=settings.limit,
        )
        took.append((time.perf_counter() - start) * 1e3)
    return sorted(took)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, library = os.path.join(place, "pages"), os.path.join(place, "library.db")
        os.mkdir(folder)
        size, words = write_pages(folder, options.pages, options.seed)
        parsed_s = timed(lambda: parse_alone(folder))
        indexed_s = timed(lambda: index(library, folder))
        again_s = timed(lambda: index(library, folder))
        took = searches(library, words, options.queries, options.seed)
        print(
            json.dumps(
                {
                    "pages": options.pages,
                    "mb": round(size / 1e6, 1),
                    "parsing_alone_s": round(parsed_s, 2),
                    "index_s": round(indexed_s, 2),
                    "index_mb_per_s": round(size / 1e6 / indexed_s, 2),
                    "second_run_s": round(again_s, 3),
                    "search_p50_ms": round(took[len(took) // 2], 2),
                    "search_p99_ms": round(took[int(len(took) * 0.99)], 2),
                    "library_mb": round(os.path.getsize(library) / 1e6, 1),
                },
                indent=2,
            )
        )


if __name__ == "__main__":
    main()
