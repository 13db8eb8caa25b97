"""Numbers of the config: listed with their bounds, and tried without saving."""

from __future__ import annotations

import pytest

from jezero_hooks.config import Config
from jezero_hooks.configfile import RANGES
from jezero_hooks.errors import UsageError
from jezero_hooks.tuning import SECTIONS, numbers, tuned


def test_every_number_of_the_sections_is_there() -> None:
    found = {number.key: number for number in numbers(Config())}
    ranged = {key for key in RANGES if key.split(".")[0] in SECTIONS}
    weights = {key for key in found if ".weights." in key}
    assert found.keys() == ranged | weights
    assert {key.split(".")[0] for key in weights} == {"search", "documents"}
    assert all(number.value == number.default for number in found.values())
    assert all(number.low <= number.default <= number.high for number in found.values())


def test_each_is_set_and_nothing_else() -> None:
    for number in numbers(Config()):
        config = tuned(Config(), {number.key: str(number.kind()(number.high))})
        changed = {n.key: n.value for n in numbers(config) if n.value != n.default}
        assert changed == ({number.key: number.high} if number.high != number.default else {})
        assert type(changed.get(number.key, number.kind()())) is number.kind()
    assert tuned(Config(), {}) == Config()


def test_no_question_is_more_work_than_the_config_gives() -> None:
    config = Config()
    config = config._replace(documents=config.documents._replace(max_limit=80, query_terms=3))
    tops = {number.key: number.high for number in numbers(config)}
    assert (tops["documents.max_limit"], tops["documents.query_terms"]) == (80, 3)
    assert tops["search.candidate_pool"] == config.search.candidate_pool
    assert tops["search.half_life_days"] == RANGES["search.half_life_days"][1]
    assert tuned(config, {"documents.max_limit": "80"}) == config
    for number in numbers(config):
        section, _, name = number.key.partition(".")
        if name.startswith(("max_", "query_")) or name in ("candidate_pool", "term_chars"):
            with pytest.raises(UsageError, match=f"^{number.key}: must be a whole number"):
                tuned(config, {number.key: str(getattr(getattr(config, section), name) + 1)})


@pytest.mark.parametrize("text", ["", " ", "many", "1,5", "nan", "inf", "-1e400", "9" * 400, "0x1"])
def test_what_is_no_such_number_is_refused(text: str) -> None:
    for key in ("search.half_life_days", "search.limit", "documents.weights.title"):
        with pytest.raises(UsageError, match=f"^{key}: must be a "):
            tuned(Config(), {key: text})


@pytest.mark.parametrize("key", ["search", "search.", "search.limit.x", ".", "search.weights",
                                 "search.__class__", "hooks.budget_ms", "a.b"])  # fmt: skip
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(UsageError, match="there is no such number"):
        tuned(Config(), {key: "1"})
