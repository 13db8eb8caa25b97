"""The config: every key's default, its bounds and its faults; the compiled copy; CF-01, CF-02."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from jezero_hooks.config import COMPILED_FILE, CONFIG_FILE, Config, config_of, load_config
from jezero_hooks.configfile import RANGES, WEIGHT_RANGE, parse, read_config
from jezero_hooks.errors import ConfigError
from jezero_hooks.project import find_project
from jezero_hooks.yamlfile import Fault
from tests.commands import ROOT, SITE, Place, item, without_root

# The numbers of RULES.md, by their keys.
DEFAULTS = {
    "storage.tokenizer": "trigram remove_diacritics 1",
    "search.limit": 10,
    "search.max_limit": 50,
    "search.candidate_pool": 200,
    "search.half_life_days": 90.0,
    "search.recency_weight": 0.3,
    "search.weights.title": 2.0,
    "search.weights.summary": 1.0,
    "search.weights.questions": 1.5,
    "search.weights.atoms": 1.5,
    "search.weights.project": 0.5,
    "search.query_chars": 4096,
    "search.query_terms": 64,
    "search.term_chars": 100,
    "timeline.limit": 20,
    "session_start.items": 5,
    "session_start.protocol": True,
    "first_prompt.words": 20,
    "first_prompt.word_chars": 3,
    "first_prompt.hits": 8,
    "first_prompt.evidence_words": 2,
    "first_prompt.small_words": 8,
    "first_prompt.chance": 0.01,
    "first_prompt.related_hits": 20,
    "first_prompt.lines": 3,
    "first_prompt.stop_lists": ("en", "es"),
    "first_prompt.stop_words": (),
    "first_prompt.documents": False,
    "documents.tokenizer": "porter unicode61",
    "documents.weights.title": 10.0,
    "documents.weights.description": 5.0,
    "documents.weights.content": 1.0,
    "documents.weights.tags": 3.0,
    "documents.recency_boost": 0.35,
    "documents.window_days": 1095.0,
    "documents.snippet_tokens": 24,
    "documents.limit": 20,
    "documents.max_limit": 50,
    "documents.max_offset": 200,
    "documents.query_chars": 100,
    "documents.query_terms": 8,
    "documents.min_query_chars": 2,
    "documents.file_times": False,
    "projects.paths": (),
    "projects.aliases": (),
    "sources.allowed": ("*",),
    "mcp.keys": (),
    "hooks.block_chars": 9000,
    "import.automatic": True,
    "import.every_minutes": 10.0,
    "import.idle_hours": 8.0,
    "import.prompts": 40,
    "import.original_bytes": 1_000_000,
}


class Key(NamedTuple):
    """A key of the config with its default."""

    name: str
    default: Any

    def yaml(self, value: str) -> str:
        """Return a config that sets this key alone, in its last line."""
        *outer, last = self.name.split(".")
        lines = [f"{'  ' * depth}{name}:" for depth, name in enumerate(outer)]
        return "\n".join([*lines, f"{'  ' * len(outer)}{last}: {value}", ""])

    @property
    def line(self) -> int:
        return self.name.count(".") + 1

    def of(self, config: Config) -> Any:
        """Return this key's value in a config."""
        value: Any = config
        for name in self.name.split("."):
            value = getattr(value, "import_" if name == "import" else name)
        return value

    @property
    def bounds(self) -> tuple[float, float]:
        return WEIGHT_RANGE if ".weights." in self.name else RANGES[self.name]


def _keys(fields: Any, prefix: str = "") -> Iterator[Key]:
    for field, value in fields._asdict().items():
        name = f"{prefix}{field.rstrip('_')}"
        if hasattr(value, "_asdict"):
            yield from _keys(value, f"{name}.")
        else:
            yield Key(name, value)


KEYS = {key.name: key for key in _keys(Config())}
NUMBERS = [k for k in KEYS.values() if type(k.default) in (int, float)]
TRUTHS = [k for k in KEYS.values() if type(k.default) is bool]
TEXTS = [k for k in KEYS.values() if type(k.default) is str]
LISTS = [
    k
    for k in KEYS.values()
    if type(k.default) is tuple and k.name not in ("projects.paths", "projects.aliases", "mcp.keys")
]
MAPPINGS = ["projects.paths", "projects.aliases", "mcp.keys", "search.weights", "documents.weights"]


def named(key: Key) -> str:
    return key.name


def config_from(text: str) -> Config:
    values, faults = parse(text)
    assert faults == ()
    return config_of(values)


# --- every key -----------------------------------------------------------------------------


def test_every_key_is_of_a_kind_that_is_tested() -> None:
    others = {"projects.paths", "projects.aliases", "mcp.keys"}
    assert {k.name for k in (*NUMBERS, *TRUTHS, *TEXTS, *LISTS)} | others == KEYS.keys()


@pytest.mark.parametrize("name", DEFAULTS)
def test_default(name: str) -> None:
    assert KEYS[name].default == DEFAULTS[name]
    assert type(KEYS[name].default) is type(DEFAULTS[name])


def test_the_ranges_are_those_of_the_numbers_each() -> None:
    numbers = {key.name for key in NUMBERS if ".weights." not in key.name}
    assert RANGES.keys() == numbers


def test_the_pool_has_the_bounds_of_the_design() -> None:
    assert RANGES["search.candidate_pool"] == (10, 5_000)


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_a_default_lies_within_its_bounds(key: Key) -> None:
    least, most = key.bounds
    assert least <= key.default <= most


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_a_number_may_be_at_its_bounds(key: Key) -> None:
    for bound in key.bounds:
        value = key.of(config_from(key.yaml(str(bound))))
        assert (value, type(value)) == (bound, type(key.default))


NO_NUMBERS = (
    "{}",
    "[]",
    "[1]",
    "many",
    "true",
    ".nan",
    "nan",
    ".inf",
    "-.inf",
    "inf",
    "'1,5'",
    "1 2",
    "''",
    "0x10",
)
NO_TRUTHS = ("1", "maybe", "[]", "{}", "[true]", "''")
NO_TEXTS = ("[]", "{}", "[a]", "''")


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_a_number_must_be_one(key: Key) -> None:
    for wrong in NO_NUMBERS:
        faults = parse(key.yaml(wrong)).faults
        assert [(fault.line, fault.key) for fault in faults] == [(key.line, key.name)], wrong


@pytest.mark.parametrize("key", NUMBERS, ids=named)
def test_a_number_beyond_its_bounds_is_refused_with_them(key: Key) -> None:
    least, most = key.bounds
    for wrong in (least - 1, most + 1, "-1e400", "9" * 400, "1e999"):
        values, faults = parse(key.yaml(str(wrong)))
        (fault,) = faults
        assert (fault.line, fault.key) == (key.line, key.name)
        assert f"from {least:,} to {most:,}" in fault.reason
        assert "e+" not in fault.reason  # as a person writes a number
        assert not values[key.name.split(".")[0].replace("import", "import_")].get("weights")


@pytest.mark.parametrize("key", [k for k in NUMBERS if type(k.default) is int], ids=named)
def test_a_count_is_whole(key: Key) -> None:
    (fault,) = parse(key.yaml("2.5")).faults
    assert fault.reason.startswith("must be a whole number")


@pytest.mark.parametrize("key", TRUTHS, ids=named)
def test_a_truth(key: Key) -> None:
    for written, value in (
        ("true", True),
        ("Yes", True),
        ("on", True),
        ("'on'", True),
        ("false", False),
        ("NO", False),
        ("off", False),
    ):
        assert key.of(config_from(key.yaml(written))) is value


@pytest.mark.parametrize("key", TRUTHS, ids=named)
def test_what_is_no_truth_is_one_fault(key: Key) -> None:
    fault = Fault(key.line, key.name, "must be true or false")
    assert [parse(key.yaml(wrong)).faults for wrong in NO_TRUTHS] == [(fault,)] * len(NO_TRUTHS)


@pytest.mark.parametrize("key", TEXTS, ids=named)
def test_what_is_no_text_is_one_fault(key: Key) -> None:
    fault = Fault(key.line, key.name, "must be text")
    assert [parse(key.yaml(wrong)).faults for wrong in NO_TEXTS] == [(fault,)] * len(NO_TEXTS)


@pytest.mark.parametrize("key", LISTS, ids=named)
def test_a_list_of_texts_as_they_are_written(key: Key) -> None:
    value = key.of(config_from(key.yaml("[no, 0123, 1_000, 2024-01-02, ~x]")))
    assert value == ("no", "0123", "1_000", "2024-01-02", "~x")
    assert key.of(config_from(key.yaml("one"))) == ("one",)
    assert key.of(config_from(key.yaml("[]"))) == ()


@pytest.mark.parametrize("key", LISTS, ids=named)
@pytest.mark.parametrize("wrong", ["{a: b}", "[a, [b]]", "[{a: b}]"])
def test_what_is_no_list_of_texts_is_one_fault(key: Key, wrong: str) -> None:
    assert parse(key.yaml(wrong)).faults == (Fault(key.line, key.name, "must be text"),)


@pytest.mark.parametrize("name", MAPPINGS)
@pytest.mark.parametrize("wrong", ["5", "text", "[a]"])
def test_what_is_no_mapping_is_one_fault(name: str, wrong: str) -> None:
    key = Key(name, None)
    (fault,) = parse(key.yaml(wrong)).faults
    assert (fault.line, fault.key) == (key.line, name)
    assert "mapping" in fault.reason


@pytest.mark.parametrize("name", [*KEYS, *MAPPINGS, *(n.rstrip("_") for n in Config._fields)])
def test_null_means_the_default(name: str) -> None:
    key = Key(name, None)
    assert {config_from(key.yaml(null)) for null in ("null", "~", "")} == {Config()}


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n", "{}\n", "null\n", "---\n...\n"])
def test_an_empty_config_is_none(text: str) -> None:
    assert config_from(text) == Config()


@pytest.mark.parametrize("text", ["5\n", "[a]\n", "text\n"])
def test_a_config_is_a_mapping(text: str) -> None:
    (fault,) = parse(text).faults
    assert (fault.line, fault.key) == (1, "")
    assert "mapping" in fault.reason


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("serach: {}\n", 1, "serach"),
        ("# a\nsearch:\n  limit: 5\n  limits: 5\n", 4, "search.limits"),
        ("import_:\n  prompts: 5\n", 1, "import_"),
        ("search:\n  weights:\n    titel: 2\n", 3, "search.weights.titel"),
        ("projects:\n  no: /p1\n", 2, "projects.no"),
        ("search:\n  ? [a]\n  : 5\n", 2, "search"),
        ("base: &b\n  limit: 5\nsearch:\n  <<: *b\n", 4, "search.<<"),
    ],
)
def test_an_unknown_key_is_named_with_its_line(text: str, line: int, key: str) -> None:
    assert (line, key) in [(fault.line, fault.key) for fault in parse(text).faults]


@pytest.mark.parametrize(
    ("text", "line", "first", "key"),
    [
        ("projects: {}\nsearch: {}\nprojects: {}\n", 3, 1, "projects"),
        ("search:\n  limit: 5\n  limit: 6\n", 3, 2, "search.limit"),
        ("search:\n  weights:\n    title: 5\n    'title': 6\n", 4, 3, "search.weights.title"),
        ("projects:\n  paths:\n    a: /x\n    b: /y\n    a: /z\n", 5, 3, "projects.paths.a"),
    ],
)
def test_a_key_that_stands_twice(text: str, line: int, first: int, key: str) -> None:
    (fault,) = parse(text).faults
    assert (fault.line, fault.key) == (line, key)
    assert f"line {first}" in fault.reason


def test_what_is_right_holds_beside_what_is_wrong() -> None:
    values, faults = parse("search:\n  limit: 7\n  half_life_days: soon\ntimeline: 5\nfoo: 1\n")
    assert values["search"] == {"limit": 7}
    assert [fault.line for fault in faults] == [3, 4, 5]


def test_a_partial_set_of_weights_is_merged() -> None:
    weights = config_from("search:\n  weights:\n    title: 9\n").search.weights
    assert weights == (9, 1, 1.5, 1.5, 0.5)


def test_every_fault_of_a_file_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text("search:\n  limit: 0\nfoo: 1\n")
    with pytest.raises(ConfigError) as refused:
        read_config(str(path))
    lines = str(refused.value).splitlines()
    assert [line.rpartition(": ")[0] for line in lines] == [
        f"{path}:2: search.limit",
        f"{path}:3: foo",
    ]


def test_stop_words_of_ones_own_are_folded() -> None:
    config = config_from("first_prompt:\n  stop_words: [Ärger, STRASSE, ñu]\n")
    assert config.first_prompt.stop_words == ("arger", "strasse", "nu")


@pytest.mark.parametrize(("written", "chance"), [("off", 0.0), ("OFF", 0.0), ("0.5", 0.5)])
def test_the_chance_can_be_off(written: str, chance: float) -> None:
    config = config_from(f"first_prompt:\n  chance: {written}\n")
    assert config.first_prompt.chance == chance


@pytest.mark.parametrize("written", ["0", "-1", "on", "nan", "[off]", "1e9"])
def test_a_chance_is_a_number_above_0(written: str) -> None:
    values, (fault,) = parse(f"first_prompt:\n  chance: {written}\n")
    assert values == {"first_prompt": {}}
    assert fault.key == "first_prompt.chance"
    assert fault.reason == "must be a number from 1e-12 to 1,000,000, or off"


# --- CF-01: names stay as they are written --------------------------------------------------

NAMES = [
    "no",
    "on",
    "0123",
    "1_000",
    "2024-01-02",
    "12:30:45",
    "null",
    "~",
    "yes",
    "1e3",
    "0x1F",
    "true",
    ".inf",
    "=",
    "'it''s'",
]


@pytest.mark.parametrize("name", NAMES)
def test_cf_01_the_name_of_a_project_stays_as_written(name: str, tmp_path: Path) -> None:
    plain = str(yaml.compose(name).value)
    text = f"projects:\n  paths:\n    {name}: {tmp_path}/p1\n  aliases:\n    orion: {name}\n"
    projects = config_from(text).projects
    assert projects.paths == ((plain, (f"{tmp_path}/p1",)),)
    assert projects.aliases == (("orion", plain),)
    found = find_project(f"{tmp_path}/p1/src", projects, "/nobody")
    assert found is not None
    assert found.name == plain.lower()


def test_cf_01_a_project_may_have_several_folders() -> None:
    projects = config_from("projects:\n  paths:\n    a: [~/x, /y]\n").projects
    assert projects.paths == (("a", ("~/x", "/y")),)


@pytest.mark.parametrize("written", ["", "[]", "[[x]]", "{x: y}"])
def test_cf_01_a_project_without_a_folder_is_a_fault(written: str) -> None:
    faults = parse(f"projects:\n  paths:\n    a: {written}\n").faults
    if written == "[]":
        assert faults == ()
    else:
        assert faults == (Fault(3, "projects.paths.a", "must be text"),)


def test_cf_01_the_hooks_live_with_a_key_that_stands_twice(place: Place) -> None:
    place.write_config("projects:\n  paths:\n    a: /p1\nprojects:\n  paths:\n    b: /p2\n")
    place.put(item(1, "Consent banner fails", project="orion"))
    assert "[1] 2026-09-01 Consent banner" in place.hook("session_start", start(place))
    done = place.run("check")
    assert done.code == 1
    assert f"{place.config}:4: projects: stands twice (first in line 1)" in done.out


# --- CF-02: a config that cannot be read ------------------------------------------------------


def start(place: Place) -> dict[str, Any]:
    return {"session_id": "s-0001", "cwd": str(place.folder), "source": "startup"}


def prompt(text: str = "why does the consent banner fail on checkout again") -> dict[str, Any]:
    return {"session_id": "s-0001", "prompt": text}


ORION = "projects:\n  paths:\n    a: {p1}\n"
BROKEN: dict[str, tuple[bytes, int | None, str]] = {
    "tab": (b"projects:\n\tpaths:\n", 2, "no YAML"),
    "open brace": (b"# c\n\nprojects: {paths: {a: /p1}\n", 4, "no YAML"),
    "two documents": (b"search: {}\n---\nsearch: {}\n", 2, "no YAML"),
    "control character": (b"search: {}\n# \x07\n", None, "no YAML"),
    "an alias of nothing": (b"search:\n  limit: *x\n", 2, "no YAML"),
    "no colon": (b"search:\n  limit 5\n  x: 1\n", 3, "no YAML"),
    "utf-16": ("projects: {}\n".encode("utf-16"), 1, "UTF-8"),
    "latin-1": ("search: {}\n# año\n".encode("latin-1"), 2, "UTF-8"),
    "deep": (b"a: 1\nb: " + b"[" * 1_000, 2, "nested more than 20 levels"),
    "long": (b"# " + b"x" * 64_000, None, "is longer than 64,000 bytes"),
    "zeros": (bytes(100), None, "no YAML"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_cf_02_check_names_the_file_and_the_line(name: str, place: Place) -> None:
    content, line, reason = BROKEN[name]
    place.write_config(content)
    done = place.run("check")
    assert (done.code, done.err) == (1, "")
    where = place.config if line is None else f"{place.config}:{line}"
    (told,) = [text for text in done.out.splitlines() if text.startswith("wrong")]
    assert f" {where}: is " in told
    assert reason in told
    assert load_config(str(place.home)) == Config()


@pytest.mark.parametrize("name", ["tab", "utf-16", "latin-1", "zeros"])
def test_cf_02_the_hooks_use_the_defaults(name: str, place: Place) -> None:
    place.write_config(BROKEN[name][0])
    place.put(item(1, "Consent banner fails on checkout", project="orion"))
    assert "[1] 2026-09-01 Consent banner" in place.hook("session_start", start(place))
    assert "[1] 2026-09-01 Consent banner" in place.hook("first_prompt", prompt())


@pytest.mark.parametrize("name", ["tab", "utf-16"])
def test_cf_02_a_command_refuses_with_the_reason(name: str, place: Place) -> None:
    place.write_config(BROKEN[name][0])
    place.put(item(1))
    for command in (
        ("timeline",),
        ("search", "title"),
        ("show", 1),
        ("import",),
        ("rebuild",),
        ("--dry-run",),
    ):
        done = place.run(*command)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"jezero-hook: {place.config}:")


def test_cf_02_a_bom_is_honoured(place: Place) -> None:
    text = ORION.format(p1=place.folder)
    place.write_config(b"\xef\xbb\xbf" + text.encode())
    place.put(item(1, project="a"))
    assert "project a:" in place.hook("session_start", start(place))
    assert place.json("check")["ok"]


def test_cf_02_a_folder_in_its_place(place: Place) -> None:
    place.put(item(1, "Consent banner fails on checkout", project="orion"))
    place.config.mkdir()
    assert "[1]" in place.hook("session_start", start(place))
    done = place.run("check")
    assert (done.code, f"{place.config}: cannot be read: Is a directory" in done.out) == (1, True)


def test_cf_02_a_link_to_nowhere_is_told(place: Place) -> None:
    place.put(item(1, project="orion"))
    place.config.symlink_to(place.home / "gone.yaml")
    assert "[1]" in place.hook("session_start", start(place))
    assert place.run("check").code == 1


def test_cf_02_one_that_may_not_be_read(place: Place) -> None:
    before = without_root()
    place.write_config("search:\n  limit: 0\n")
    place.put(item(1, "Consent banner fails on checkout", project="orion"))
    place.config.chmod(0)
    assert "[1]" in place.hook("session_start", start(place), before)
    assert "[1]" in place.hook("first_prompt", prompt(), before)
    checked = subprocess.run(
        [*before, sys.executable, "-c", "import jezero_hooks.cli as c; exit(c.main(['check']))"],
        env=place.variables(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 1
    assert f"{place.config}: cannot be read: Permission denied" in checked.stdout


# --- the compiled copy ------------------------------------------------------------------------


def compiled(place: Place) -> Path:
    return place.home / COMPILED_FILE


def limit(place: Place) -> int:
    return load_config(str(place.home)).search.limit


def no_yaml(*args: object) -> None:
    raise AssertionError("the YAML was read, and it need not be")


def test_the_yaml_is_read_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write_config("search:\n  limit: 7\nprojects:\n  paths:\n    ñ: [/a, ~/b]\n")
    first = load_config(str(place.home))
    assert first.projects.paths == (("ñ", ("/a", "~/b")),)
    assert compiled(place).stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr("jezero_hooks.configfile.usable_values", no_yaml)
    assert load_config(str(place.home)) == first
    assert first != Config()


def other_than(key: Key) -> str:
    """Return a value, as it is written, that is not the key's default."""
    if key in TRUTHS:
        return "no" if key.default else "yes"
    if key in NUMBERS:
        return str(next(bound for bound in key.bounds if bound != key.default))
    return "unicode61" if key in TEXTS else "[no, 0123]"


@pytest.mark.parametrize("key", KEYS.values(), ids=named)
def test_each_key_goes_through_the_copy_unchanged(key: Key, place: Place) -> None:
    written = {
        "projects.paths": "{no: [/a, ~/b], ñ: /c}",
        "projects.aliases": "{no: 0123}",
        "mcp.keys": "{no: {file: ~/0123, allowed: [yes, on]}}",
        "serve.cors_origin": "'*'",
    }.get(key.name) or other_than(key)
    place.write_config(key.yaml(written))
    fresh = read_config(str(place.config))
    assert [load_config(str(place.home)) for _ in range(2)] == [fresh, fresh]
    assert key.of(fresh) != key.default


def test_a_change_of_time_or_size_is_seen(place: Place) -> None:
    place.write_config("search:\n  limit: 7\n")
    os.utime(place.config, ns=(10**18, 10**18))
    assert limit(place) == 7
    place.write_config("search:\n  limit: 8\n")  # as long as before, another time
    os.utime(place.config, ns=(10**18 + 1, 10**18 + 1))
    assert limit(place) == 8
    place.write_config("search:\n  limit: 11\n")  # the same time, but longer
    os.utime(place.config, ns=(10**18 + 1, 10**18 + 1))
    assert limit(place) == 11
    place.config.unlink()
    assert limit(place) == 10


def test_a_copy_of_another_version_is_made_anew(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_config("search:\n  limit: 7\n")
    limit(place)
    copy = json.loads(compiled(place).read_text())
    copy["values"]["search"]["limit"] = 9
    compiled(place).write_text(json.dumps(copy))
    assert limit(place) == 9  # the copy is believed
    monkeypatch.setattr("jezero_hooks.config.__version__", "0.0.0")
    assert limit(place) == 7


DAMAGED = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"5",
    b"{}",
    b'"x"',
    bytes(50),
    b"\xff\xfe\xff",
    b'{"stamp": null, "values": null}',
]


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_copy_is_made_anew(content: bytes, place: Place) -> None:
    place.write_config("search:\n  limit: 7\n")
    limit(place)
    whole = compiled(place).read_bytes()
    compiled(place).write_bytes(content)
    assert limit(place) == 7
    assert compiled(place).read_bytes() == whole


@pytest.mark.parametrize(
    "values",
    [
        "null",
        "[]",
        "5",
        '{"search": 5}',
        '{"search": {"x": 1}}',
        '{"search": {"weights": 5}}',
        '{"search": null}',
    ],
)
def test_a_copy_of_another_form_never_raises(values: str, place: Place) -> None:
    place.write_config("search:\n  limit: 7\n")
    limit(place)
    stamp = json.dumps(json.loads(compiled(place).read_text())["stamp"])
    compiled(place).write_text(f'{{"stamp": {stamp}, "values": {values}}}')
    assert limit(place) in (7, 10)


def test_each_cut_of_a_copy_gives_the_same_config(place: Place) -> None:
    place.write_config("search:\n  limit: 7\nprojects:\n  paths:\n    ñandú: /a\n")
    right = load_config(str(place.home))
    whole = compiled(place).read_bytes()
    for end in range(0, len(whole), 7):
        compiled(place).write_bytes(whole[:end])
        assert load_config(str(place.home)) == right


def test_a_home_that_may_not_be_written_costs_the_copy_alone(place: Place) -> None:
    before = without_root()
    place.write_config(ORION.format(p1=place.folder))
    place.put(item(1, project="a"))
    (place.home / "import.stamp").touch()
    place.home.chmod(0o500)
    try:
        assert "project a:" in place.hook("session_start", start(place), before)
        assert sorted(os.listdir(place.home)) == [CONFIG_FILE, "import.stamp", "library.db"]
    finally:
        place.home.chmod(0o700)


def test_a_folder_in_the_copys_place_leaves_nothing_behind(place: Place) -> None:
    place.write_config("search:\n  limit: 7\n")
    compiled(place).mkdir()
    assert limit(place) == 7
    assert sorted(os.listdir(place.home)) == [COMPILED_FILE, CONFIG_FILE]


def test_the_copy_does_not_depend_on_the_locale(place: Place) -> None:
    place.write_config("projects:\n  paths:\n    ñandú-東京: /a\n")
    code = "import sys; from jezero_hooks.config import load_config; load_config(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", code, str(place.home)],
        env=place.variables(LC_ALL="C", PYTHONCOERCECLOCALE="0"),
        check=True,
        timeout=60,
    )
    assert "ñandú-東京" in compiled(place).read_text(encoding="utf-8")


def test_many_at_once_all_see_the_change(place: Place) -> None:
    place.write_config("search:\n  limit: 7\n")
    limit(place)
    place.write_config("search:\n  limit: 23\n")
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from jezero_hooks.config import load_config\n"
        "sys.stdin.read()\n"
        "print({load_config(sys.argv[1]).search.limit for _ in range(50)})"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", code, str(place.home), str(ROOT), SITE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for _ in range(4)
    ]
    for process in started:
        assert process.stdin is not None
        process.stdin.close()
    for process in started:
        with process:
            assert process.stdout is not None
            assert process.stdout.read() == b"{23}\n"
        assert process.returncode == 0
    assert sorted(os.listdir(place.home)) == [COMPILED_FILE, CONFIG_FILE]
    assert json.loads(compiled(place).read_text())["values"] == {"search": {"limit": 23}}


def test_a_copied_home_makes_a_copy_of_its_own(place: Place, tmp_path: Path) -> None:
    place.write_config("search:\n  limit: 7\n")
    limit(place)
    other = tmp_path / "other"
    shutil.copytree(place.home, other)
    assert load_config(str(other)).search.limit == 7
