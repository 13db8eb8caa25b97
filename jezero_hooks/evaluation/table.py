"""A run for eyes: a table of the cases, one of the measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ..console import console, safe
from ..rules.measures import DOORS, EPSILON, LESS_IS_BETTER, RANKED, SPOKEN
from .saved import compare, delta

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from ..cli import Call
    from ..rules.measures import Measure
    from .command import Bar
    from .run import Result
    from .saved import Comparison, Saved

DOOR_NAMES = {"search": "search", "later": "later", "first_prompt": "first prompt"}
NAME_CHARS = 60  # of a case in the table


def print_run(
    call: Call,
    run: dict[str, Any],
    results: list[Result],
    found: dict[str, Measure],
    then: Saved | None,
    below: list[Bar],
) -> None:
    """Print what came of each case, the measures, and what changed since a saved run."""
    out = console()
    library = run["library"]
    out.print(
        f"{len(results)} cases of {safe(call.options.file)}; library of {library['items']:,} "
        f"items ({library['tokenizer']})",
        style="dim",
    )
    compared = compare(then, run) if then else None
    out.print()
    out.print(_cases(results, compared))
    out.print()
    out.print(_measures(found, then))
    if compared:
        _print_comparison(out, compared)
    if call.options.save:
        out.print(f"\nsaved: {call.options.save}")
    if below:
        out.print()
    for bar in below:
        value = found[bar.metric].value
        said = "is measured by no case" if value is None else f"is {value:.3f}"
        out.print(f"{bar.metric} {said}; it must not be below {bar.value:g}", style="bold red")


def _table(headings: Iterable[str], right: Iterable[str] = ()) -> Table:
    table = Table(box=None, padding=(0, 1), header_style="dim", pad_edge=False)
    for heading in headings:
        justify = "right" if heading in right else "left"
        table.add_column(heading, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _cases(results: list[Result], compared: Comparison | None) -> Table:
    headings = ["", "case", "door", "place", "missing"]
    table = _table([*headings, "since"] if compared else headings, right=("place",))
    for result in results:
        is_right = result.answer().is_right()
        cells = [
            Text("right" if is_right else "wrong", "green" if is_right else "bold red"),
            Text(safe(result.case.name, NAME_CHARS)),
            Text(DOOR_NAMES[result.case.door], "dim"),
            Text(_place(result)),
            Text(_wanting(result)),
        ]
        if compared:
            cells.append(_became(result.case.name, compared))
        table.add_row(*cells)
    return table


def _place(result: Result) -> str:
    """Return where the first expected item came, of how many; or that there was silence."""
    place, given = result.answer().place(), len(result.given)
    if not given:
        return "silent" if result.case.door == "first_prompt" else "nothing"
    return f"{place or '-'} of {given}"


def _wanting(result: Result) -> str:
    """Return what was expected and did not come; where silence was, what came."""
    if not result.case.expect:
        came = " ".join(f"[{given.id}]" for given in result.given)
        return f"spoke: {came}" if came else ""
    unknown = set(result.unknown)
    if result.case.asked in unknown:
        return safe(f"{result.case.asked} (not in the library)")
    missing = result.missing()
    return safe(", ".join(f"{m} (not in the library)" if m in unknown else str(m) for m in missing))


def _became(name: str, compared: Comparison) -> Text:
    for became, style in (("better", "green"), ("worse", "bold red"), ("changed", ""), ("new", "")):
        if name in getattr(compared, became):
            return Text(became, style)
    return Text("same", "dim")


def _measures(found: dict[str, Measure], then: Saved | None) -> Table:
    doors = [door for door in DOORS if found[f"{door}.hit@1"].of]
    columns = ["", "all", *(DOOR_NAMES[door] for door in doors)]
    table = _table(columns, right=columns[1:])

    def cell(name: str) -> Text:
        value = found[name].value
        text = Text("-" if value is None else f"{value:.3f}")
        change = delta(value, then.measures[name] if then else None)
        if change is not None and abs(change) > EPSILON:
            is_good = (change > 0) != (name in LESS_IS_BETTER)
            text.append(f" {change:+.3f}", "green" if is_good else "bold red")
        return text

    for name in RANKED:
        table.add_row(Text(name), cell(name), *(cell(f"{door}.{name}") for door in doors))
    for name in SPOKEN:
        if found[name].of:
            table.add_row(Text(name), cell(name), *(Text() for _ in doors))
    return table


def _print_comparison(out: Console, compared: Comparison) -> None:
    counts = ", ".join(f"{len(names)} {name}" for name, names in compared._asdict().items())
    out.print(f"\nsince then: {counts}")
    for name in compared.gone:
        out.print(f"  gone: {safe(name, NAME_CHARS)}")
