"""The bundle's own facts: one name, one version, one manifest, and only what old clients know."""

import json
import os
import re
import tomllib
from pathlib import Path

import jezero_hooks

ROOT = Path(__file__).resolve().parents[1]
HOOKS = json.loads((ROOT / "hooks/hooks.json").read_text())["hooks"]
# A client drops the whole file for one event that it does not know; these are old.
EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("first-prompt", 5),
    "SessionEnd": ("session-end", 5),
}


def test_the_two_manifests_are_one_real_file_each_and_equal():
    copy = ROOT / ".claude-plugin/plugin.json"
    assert not copy.is_symlink()  # newer clients warn about a link
    assert copy.read_bytes() == (ROOT / "plugin.json").read_bytes()


def test_the_version_stands_the_same_in_all_places():
    manifest = json.loads((ROOT / "plugin.json").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert manifest["version"] == project["version"] == jezero_hooks.__version__
    assert manifest["name"] == project["name"] == "jezero-hooks"
    assert manifest["description"] == project["description"]
    assert manifest["license"] == project["license"]


def test_the_manifest_declares_no_hooks():
    # hooks/hooks.json is found by itself; named here too, it is refused as a duplicate.
    assert "hooks" not in json.loads((ROOT / "plugin.json").read_text())


def test_the_marketplace_offers_this_folder_under_the_plugins_name():
    market = json.loads((ROOT / ".claude-plugin/marketplace.json").read_text())
    [offered] = market["plugins"]
    assert (market["name"], offered["name"]) == ("jezero-hooks", "jezero-hooks")
    assert offered["source"] == "./"
    assert market["owner"]["name"]


def test_each_event_runs_the_launcher_in_exec_form_with_its_timeout_in_seconds():
    assert HOOKS.keys() == EVENTS.keys()
    for event, (argument, timeout_s) in EVENTS.items():
        [group] = HOOKS[event]
        assert group["hooks"] == [
            {
                "type": "command",
                "command": "${CLAUDE_PLUGIN_ROOT}/hooks/jezero-hook",
                "args": [argument],
                "timeout": timeout_s,
            }
        ]


def test_the_server_is_started_by_the_launcher():
    servers = json.loads((ROOT / ".mcp.json").read_text())["mcpServers"]
    assert servers == {
        "library": {"command": "${CLAUDE_PLUGIN_ROOT}/hooks/jezero-hook", "args": ["mcp"]}
    }
    # Found by itself, like the hooks.
    assert "mcpServers" not in json.loads((ROOT / "plugin.json").read_text())


def test_a_resumed_session_is_left_alone():
    assert HOOKS["SessionStart"][0]["matcher"] == "startup|clear|compact"
    assert "matcher" not in HOOKS["UserPromptSubmit"][0]


def test_what_is_run_can_be_run():
    for program in ("hooks/jezero-hook", "tests/run", ".ci/run"):
        assert os.access(ROOT / program, os.X_OK), program


def test_the_locks_pin_every_package_the_program_asks_for_with_hashes():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    dependencies = project["project"]["dependencies"]
    extras = [d for extra in project["project"]["optional-dependencies"].values() for d in extra]
    asked = {re.match(r"[\w-]+", d)[0] for d in (*dependencies, *extras)}
    for_tests = asked | set(project["dependency-groups"]["dev"])
    for name, wanted in (("requirements.lock", asked), ("requirements-dev.lock", for_tests)):
        pinned = pins(name)
        assert wanted <= pinned.keys()
        assert len(pinned) == len(re.findall(r"^[\w-]+==", (ROOT / name).read_text(), re.M)), (
            "a package without a hash"
        )


def test_the_tests_run_with_the_very_packages_that_users_get():
    program, tests = (pins(f"requirements{x}.lock") for x in ("", "-dev"))
    assert program.items() <= tests.items()


def pins(lock: str) -> dict[str, tuple[str, ...]]:
    """The lock's packages: name → its version and hashes."""
    text = (ROOT / lock).read_text()
    found = re.findall(r"^([\w-]+)==(\S+)((?:.*\\\n)(?: +--hash=sha256:\w+.*\n)+)", text, re.M)
    return {name: (version, *re.findall(r"sha256:\w+", rest)) for name, version, rest in found}
