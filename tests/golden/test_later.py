"""Later as the model gives it: ids, matched_by and the pool; where it breaks its own rule, ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jezero_hooks.config import Config
from jezero_hooks.library.later import Later
from jezero_hooks.library.reader import Filters, Reader
from jezero_hooks.model import Hit
from jezero_hooks.newer import newer_than

CASES = json.loads((Path(__file__).parent / "later.json").read_text(encoding="utf-8"))

# The model lists an item's own copy as newer than the item; RULES 8.3: it is not. Item 15 is
# the copy of item 3. By item and query: what stands here instead.
HERE: dict[tuple[int, str | None], tuple[str, list[int]]] = {
    (3, None): ("project_timeline", [4]),
    (15, None): ("project_timeline", [4]),
}


def later_of(reader: Reader, id_: int, query: str | None = None, **args: Any) -> Later:
    allowed = args.get("allowed_sources")
    filters = Filters(allowed=None if allowed is None else tuple(allowed))
    item = reader.item(id_, filters)
    assert item is not None
    limit = args.get("limit")
    return newer_than(reader, item, query, limit=limit, config=Config(), filters=filters)


def name(case: dict[str, Any]) -> str:
    return ascii(f"{case['item']} {case['query']} {case['args'] or ''}")


@pytest.mark.parametrize("case", CASES, ids=name)
def test_later(
    case: dict[str, Any], model_library: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools: list[list[Hit]] = []
    search = Reader.search

    def seen(self: Reader, *args: Any, **named: Any) -> list[Hit]:
        pools.append(search(self, *args, **named))
        return pools[-1]

    monkeypatch.setattr(Reader, "search", seen)
    found = later_of(model_library, case["item"], case["query"], **case["args"])
    wanted = HERE.get((case["item"], case["query"]), (case["matched_by"], case["later"]))
    assert (found.matched_by, [other.id for other in found.items]) == wanted
    (pool,) = pools
    assert [(hit.id, round(hit.relevance, 6)) for hit in pool] == list(map(tuple, case["pool"]))


def test_the_exceptions_are_the_models_own_copies() -> None:
    model = {(case["item"], case["query"]): case["later"] for case in CASES}
    assert {key: set(model[key]) & {3, 15} for key in HERE} == {(3, None): {15}, (15, None): {3}}


def test_of_a_limit_below_the_closest_the_newest_stay(model_library: Reader) -> None:
    """The model would give item 2, the closest; RULES 8.2: newest first, then the limit."""
    both = later_of(model_library, 1, "analytics consent")
    assert [other.id for other in both.items] == [3, 2]
    one = later_of(model_library, 1, "analytics consent", limit=1)
    assert [other.id for other in one.items] == [3]
