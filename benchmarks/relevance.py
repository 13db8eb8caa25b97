"""Measure when the first prompt speaks: on what is related, and on what is not.

    python benchmarks/relevance.py --items FILE --prompts FILE --foreign FILE [--half test]

Files are JSON lines, .gz or not: items in import form; prompts that have an answer, as
``{"as_of", "prompt", "right": [external_id…]}``; foreign prompts, ``{"prompt"}``, to which
silence is the right answer. The history is written in the order of its time, each prompt asked
at its own, so that nothing is known of what came later; the foreign ones are asked at the end.

Prints a table (unrelated: how many foreign prompts were answered; hit: how many of the others
were shown a right item; precision: right ones of the lines shown to these) for the plain rule,
for the words' chance alone and for the rule of the product, and draws the curve over
``first_prompt.chance`` as relevance.png and relevance.svg (needs matplotlib). Prompts belong to
the half "tune" or "test" by their hash: what was chosen on the one is told by the other.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from jezero_hooks.config import Config  # noqa: E402
from jezero_hooks.hook import FirstPrompt, first_prompt_block  # noqa: E402
from jezero_hooks.importers.items import read_items  # noqa: E402
from jezero_hooks.library.reader import Reader, open_library  # noqa: E402
from jezero_hooks.library.writer import Writer  # noqa: E402
from jezero_hooks.model import ImportFailure, NewItem  # noqa: E402
from jezero_hooks.rules.related import chance  # noqa: E402
from jezero_hooks.times import unix_s, utc_iso  # noqa: E402

CURVE = (1.0, 0.3, 0.1, 0.03, 0.01, 0.005, 0.003, 0.002, 0.001, 3e-4, 1e-4, 1e-5, 1e-6)
GATES = (1.0, 0.01, 0.0001)
# No chance is as large: every hit with two words in common is judged and none dropped.
NO_LIMIT = 1e300
CUT_CHARS = 200  # as short as what people type


class Asked(NamedTuple):
    """A prompt, when it was asked (None: after all) and the external ids that answer it."""

    prompt: str
    as_of: str | None
    right: frozenset[str]


class Line(NamedTuple):
    """A hit that has the necessary evidence: is it right, and its chance."""

    right: bool
    chance: float


class Answer(NamedTuple):
    """What one prompt gave: the plain rule's hits and the product's, in order, and its time."""

    foreign: bool
    plain: list[Line]
    related: list[Line]
    plain_ms: float
    related_ms: float


class Figures(NamedTuple):
    """A row of the table, shares in percent."""

    unrelated: float
    hit: float
    precision: float
    lines: float


def main() -> None:
    options = arguments()
    if options.draw and find_spec("matplotlib") is None:
        raise SystemExit("relevance: --draw needs matplotlib: `pip install matplotlib`")
    items = read_all(options.items)
    prompts = chosen(options.prompts, options) + chosen(options.foreign, options)
    if not items or not prompts:
        raise SystemExit("relevance: there are no items or no prompts to measure with")
    answers = measure(items, prompts)
    default = Config().first_prompt.chance
    report(answers, default)
    if options.draw:
        draw(answers, default, options.draw)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("items", "prompts", "foreign"):
        parser.add_argument(f"--{name}", required=True, metavar="FILE", type=Path)
    parser.add_argument("--half", choices=("tune", "test"), help="default: both")
    parser.add_argument("--cut", action="store_true", help=f"the first {CUT_CHARS} characters only")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each N-th prompt only")
    parser.add_argument("--draw", type=Path, metavar="DIR", help="where the curve is drawn")
    return parser.parse_args()


# --- files ---------------------------------------------------------------------------------


def read_all(path: Path) -> list[NewItem]:
    """Return the items of a file, oldest first; says how many lines were none."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        found = list(read_items(str(path), file, "history"))
    items = [item for item in found if not isinstance(item, ImportFailure)]
    if len(items) < len(found):
        print(f"{path}: {len(found) - len(items)} lines are no items", file=sys.stderr)
    return sorted(items, key=lambda item: item.occurred_at)


def chosen(path: Path, options: argparse.Namespace) -> list[Asked]:
    """Return the prompts of a file that are of the half that is measured."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        values = [json.loads(line) for line in file if line.strip()]
    mine = [one for one in values if options.half in (None, half(one["prompt"]))]
    return [asked(one, options.cut) for one in mine[:: options.every]]


def asked(value: dict[str, Any], cut: bool) -> Asked:
    prompt = str(value["prompt"])
    if cut and len(prompt) > CUT_CHARS:
        prompt = prompt[: prompt.rfind(" ", 0, CUT_CHARS) + 1] or prompt[:CUT_CHARS]
    as_of = utc_iso(value["as_of"]) if value.get("as_of") else None
    return Asked(prompt, as_of, frozenset(value.get("right", ())))


def half(prompt: str) -> str:
    return "test" if sha256(prompt.encode()).digest()[-1] % 2 else "tune"


# --- asking --------------------------------------------------------------------------------


def measure(items: list[NewItem], prompts: list[Asked]) -> list[Answer]:
    """Write the history, and ask each prompt when all that is older than it was written."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "library.db")
        left = iter(sorted(prompts, key=lambda one: one.as_of or "9999"))
        return [
            answer
            for one, reader in at_its_time(items, left, path)
            for answer in (ask(reader, one),)
        ]


def at_its_time(
    items: list[NewItem], prompts: Iterator[Asked], path: str
) -> Iterator[tuple[Asked, Reader]]:
    written = 0
    with Writer(path) as writer:
        for done, one in enumerate(prompts, 1):
            with writer.transaction():
                while written < len(items) and items[written].occurred_at < (one.as_of or "9999"):
                    writer.put(items[written], ingested_at=items[written].occurred_at)
                    written += 1
            if sys.stderr.isatty():
                print(f"\r{done} prompts, {written} items", end="", file=sys.stderr)
            reader = open_library(path)
            yield one, reader
            reader.close()


def ask(reader: Reader, one: Asked) -> Answer:
    now_s = unix_s(one.as_of) if one.as_of else time.time()
    plain, plain_ms = timed(reader, one.prompt, now_s, 0.0)
    related, related_ms = timed(reader, one.prompt, now_s, NO_LIMIT)
    words = [term.folded for term in plain.terms.kept]
    counts = reader.word_counts(words)
    found = [
        Line(j.hit.external_id in one.right, chance(j.matched, 0, counts) if counts else 0.0)
        for j in plain.judged
        if j.kept
    ]
    return Answer(one.as_of is None, found, lines(related, one), plain_ms, related_ms)


def timed(reader: Reader, prompt: str, now_s: float, limit: float) -> tuple[FirstPrompt, float]:
    config = Config()
    config = config._replace(first_prompt=config.first_prompt._replace(chance=limit))
    start = time.perf_counter()
    block = first_prompt_block(reader, config, prompt, now_s=now_s)
    return block, (time.perf_counter() - start) * 1000


def lines(block: FirstPrompt, one: Asked) -> list[Line]:
    return [Line(j.hit.external_id in one.right, j.chance or 0.0) for j in block.judged if j.kept]


# --- figures -------------------------------------------------------------------------------


def figures(answers: list[Answer], rule: str, limit: float) -> Figures:
    """Return the row of a rule ("plain" or "related") that keeps hits of at most this chance."""
    shown = [
        (one.foreign, [line for line in getattr(one, rule) if line.chance <= limit][:3])
        for one in answers
    ]
    spoken = [bool(kept) for foreign, kept in shown if foreign]
    related = [kept for foreign, kept in shown if not foreign]
    of_related = [line.right for kept in related for line in kept]
    return Figures(
        percent(spoken),
        percent([any(line.right for line in kept) for kept in related]),
        percent(of_related),
        sum(len(kept) for _, kept in shown) / len(shown),
    )


def percent(values: list[bool]) -> float:
    return 100 * sum(values) / len(values) if values else 0.0


def report(answers: list[Answer], default: float) -> None:
    foreign = sum(one.foreign for one in answers)
    print(f"{len(answers) - foreign} prompts that have an answer, {foreign} that have none\n")
    print(f"{'rule':32}{'unrelated':>10}{'hit':>8}{'precision':>11}{'lines':>8}{'ms':>8}")
    plain_ms = statistics.median(one.plain_ms for one in answers)
    related_ms = statistics.median(one.related_ms for one in answers)
    row("plain", figures(answers, "plain", NO_LIMIT), plain_ms)
    for limit in GATES:
        row(f"words' chance alone, {limit:g}", figures(answers, "plain", limit), plain_ms)
    for limit in sorted({*CURVE, default}, reverse=True):
        mark = "  (default)" if limit == default else ""
        row(f"related, chance {limit:g}{mark}", figures(answers, "related", limit), related_ms)


def row(name: str, found: Figures, ms: float) -> None:
    print(
        f"{name:32}{found.unrelated:9.1f}%{found.hit:7.1f}%{found.precision:10.1f}%"
        f"{found.lines:8.2f}{ms:8.1f}"
    )


def draw(answers: list[Answer], default: float, folder: Path) -> None:
    """Draw the curve over the chance, the plain rule as lines beside it."""
    import matplotlib

    matplotlib.use("svg")
    # White below it wherever it is shown; letters as text, and nothing that differs by the run.
    matplotlib.rcParams |= {"svg.hashsalt": "relevance", "svg.fonttype": "none"}
    from matplotlib import pyplot

    plain = figures(answers, "plain", NO_LIMIT)
    found = [figures(answers, "related", limit) for limit in CURVE]
    figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained", facecolor="white")
    for field, colour, name in (
        ("hit", "#1a7f37", "prompts that have an answer and are shown it"),
        ("precision", "#0969da", "right ones of the lines shown to these"),
        ("unrelated", "#cf222e", "prompts that have none and are answered"),
    ):
        axes.plot(CURVE, [getattr(one, field) for one in found], "o-", color=colour, label=name)
        axes.axhline(getattr(plain, field), color=colour, linestyle=":", linewidth=1)
    axes.axvline(default, color="#656d76", linewidth=1)
    axes.annotate(f"default: {default:g}", (default, 94), (5, 0), textcoords="offset points")
    axes.annotate("dotted: two words alone", (CURVE[-1], plain.unrelated - 5), ha="right")
    axes.set(xscale="log", xlim=(CURVE[0] * 2, CURVE[-1] / 2), ylim=(0, 100), ylabel="%")
    axes.set_xticks(
        [10.0**-power for power in range(7)],
        ["1", "0.1", "0.01", "0.001", "0.0001", "0.00001", "0.000001"],
    )
    axes.set_xticks([], minor=True)
    axes.set_xlabel("first_prompt.chance: items that may share as much by chance")
    axes.grid(axis="y", color="#d0d7de", linewidth=0.6)
    axes.legend(loc="upper right", bbox_to_anchor=(1, 0.78))
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / "relevance.png", dpi=120)
    figure.savefig(folder / "relevance.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
