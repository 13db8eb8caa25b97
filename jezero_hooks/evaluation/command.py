"""eval: named cases through the hooks and commands, and how good the answers are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..answers import settings
from ..console import print_json
from ..errors import UsageError
from ..library.reader import open_library
from ..model import NamedTuple
from ..rules.measures import EPSILON, LESS_IS_BETTER, NAMES, measures
from .cases import read_cases
from .run import run_cases
from .saved import as_json, compare, delta, load, save
from .table import print_run

if TYPE_CHECKING:
    from ..cli import Call
    from ..rules.measures import Measure
    from .saved import Saved


class Bar(NamedTuple):
    """A metric and the value that it must not be below."""

    metric: str
    value: float


def run_eval(call: Call) -> int:
    """Run the cases of a file and print what came; return 1 where a metric is too low.

    Raises JezeroError for a faulty file of cases or saved run, UsageError for a metric that
    there is not.
    """
    options = call.options
    bars = [_bar(text) for text in options.fail_under]
    config, cases = settings(call), read_cases(options.file)
    then = load(options.compare) if options.compare else None
    reader = open_library(call.library)
    results = run_cases(reader, config, cases, now_s=call.now_s, before=call.before)
    found = measures([result.answer() for result in results])
    library = {
        "path": os.path.abspath(call.library),
        "items": reader.count(call.before, config.sources.allowed),
        "tokenizer": reader.tokenizer,
    }
    run = {"file": options.file, "library": library, **as_json(results, found)}
    below = [bar for bar in bars if _is_below(found[bar.metric], bar)]
    if options.save:
        save(options.save, run)
    if call.json:
        print_json(run | _more_json(then, run, found, below))
    else:
        print_run(call, run, results, found, then, below)
    return 1 if below else 0


def _bar(text: str) -> Bar:
    metric, _, number = text.rpartition("=")
    if metric in LESS_IS_BETTER:
        raise UsageError(
            f"--fail-under {text}: of {metric} less is better; use {LESS_IS_BETTER[metric]}"
        )
    if metric not in NAMES:
        names = ", ".join(name for name in NAMES if name not in LESS_IS_BETTER)
        raise UsageError(f"--fail-under {text}: write METRIC=VALUE; metrics are {names}")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"--fail-under {text}: the value must be a number from 0 to 1")
    return Bar(metric, value)


def _is_below(measure: Measure, bar: Bar) -> bool:
    """Return whether a metric is too low; one that no case measures holds nothing up."""
    return measure.value is None or measure.value < bar.value - EPSILON


def _more_json(
    then: Saved | None, run: dict[str, Any], found: dict[str, Measure], below: list[Bar]
) -> dict[str, Any]:
    compared = None
    if then is not None:
        cases = {name: list(names) for name, names in compare(then, run)._asdict().items()}
        metrics = {
            name: {"was": was, "delta": delta(found[name].value, was)}
            for name, was in then.measures.items()
        }
        compared = {"path": then.path, "metrics": metrics, **cases}
    failed = [
        {"metric": metric, "wanted": wanted, "value": found[metric].value}
        for metric, wanted in below
    ]
    return {"compared": compared, "below": failed}
