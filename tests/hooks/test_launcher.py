"""hooks/jezero-hook: finds the environment without a detour, makes it once, never troubles a hook.

Most tests build with a stand-in for uv, which links this interpreter and its packages; two build
for real. The plugin under test is a copy of hooks/ with a package that reports what reached it.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = os.path.realpath(sys.executable)
LOCK = hashlib.sha256((ROOT / "requirements.lock").read_bytes()).hexdigest()[:12]
HOOKS = {
    "session-start": "session_start",
    "first-prompt": "first_prompt",
    "session-end": "session_end",
}
SHELLS = [
    s
    for s in ("sh", "dash", "bash", "busybox sh", "zsh --emulate sh")
    if shutil.which(s.split()[0])
]
# What any one step of these tests may take on a slow machine.
PATIENCE_S = 60

STUB_HOOK = """
import json, os, resource, sys
def answer(name):
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    text = sys.stdin.buffer.read().decode()
    print(json.dumps({"hook": name, "stdin": text, "children": children, "path": sys.path[:2]}))
def session_start(): answer("session_start")
def first_prompt(): answer("first_prompt")
def session_end(): answer("session_end")
"""
STUB_CLI = """
import json, sys
def main():
    if "imports" in sys.argv:
        import apsw, detect_secrets, filelock, mcp.server.lowlevel, rich.table, unidecode, yaml
    print(json.dumps({"argv": sys.argv, "stdin": sys.stdin.read(), "path": sys.path[:2]}))
    return int(sys.argv[-1])
"""
STUB_UV = """#!/bin/sh
for last; do :; done
case $1 in
venv)
    mkdir -p "$last/bin" "$last/lib/python3"
    ln -s {python} "$last/bin/python"
    ln -s {site} "$last/lib/python3/site-packages"
    ;;
pip)
    echo "$PPID $$" >>"{folder}/calls"
    [ ! -p "{folder}/gate" ] || read -r _ <"{folder}/gate" || :
    ;;
esac
"""


class Bundle:
    """A copy of the plugin at ``root``, and a PATH of its own at ``bin``."""

    def __init__(self, root: Path, scratch: Path) -> None:
        self.root = root
        self.launcher = root / "hooks/jezero-hook"
        self.home = scratch / "home of (ñ) & co"
        self.bin = scratch / "bin"
        self.gate = scratch / "gate"
        self.calls = scratch / "calls"
        shutil.copytree(ROOT / "hooks", root / "hooks", ignore=shutil.ignore_patterns("__py*"))
        shutil.copy(ROOT / "requirements.lock", root)
        (root / "jezero_hooks").mkdir()
        for name, text in (("__init__", ""), ("hook", STUB_HOOK), ("cli", STUB_CLI)):
            (root / f"jezero_hooks/{name}.py").write_text(text)
        self.bin.mkdir()
        for tool in ("cat", "ln", "mkdir", "readlink", "sh"):
            (self.bin / tool).symlink_to(str(shutil.which(tool)))
        self.program("python3", f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        self.program("uv", self.stub_uv(sysconfig.get_path("purelib")))

    def program(self, name: str, text: str) -> None:
        (self.bin / name).write_text(text)
        (self.bin / name).chmod(0o755)

    def stub_uv(self, site: str | Path) -> str:
        return STUB_UV.format(python=PYTHON, site=site, folder=self.calls.parent)

    @property
    def env(self) -> Path:
        return self.home / f"env-{LOCK}"

    def make_ready(self, folder: Path | None = None) -> Path:
        """Puts a finished environment into ``folder`` (the home); returns it."""
        env = (folder or self.home) / f"env-{LOCK}"
        (env / "bin").mkdir(parents=True)
        (env / "bin/python").symlink_to(PYTHON)
        (env / "site").symlink_to(sysconfig.get_path("purelib"))
        return env

    def start(self, *args: str, shell: str = "", launcher: Path | None = None, **env: str):
        program, *options = shell.split() or ["env"]
        return subprocess.Popen(
            [str(shutil.which(program)), *options, launcher or self.launcher, *args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={
                "PATH": str(self.bin),
                "JEZERO_HOOKS_HOME": str(self.home),
                # Unless a test says otherwise, none that strays reaches an index.
                "PIP_NO_INDEX": "1",
                "PIP_CONFIG_FILE": os.devnull,
                **env,
            },
        )

    def run(self, *args: str, stdin: str = "", **options) -> subprocess.CompletedProcess[str]:
        with self.start(*args, **options) as process:
            out, err = process.communicate(stdin, timeout=PATIENCE_S)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def build_count(self) -> int:
        return len(self.calls.read_text().splitlines()) if self.calls.exists() else 0

    def hold_builds(self) -> None:
        os.mkfifo(self.gate)

    def let_builds_go(self) -> None:
        fd = os.open(self.gate, os.O_WRONLY)  # waits for the build to listen
        self.gate.unlink()
        os.close(fd)


def eventually(holds: Callable[[], bool]) -> None:
    """Returns once ``holds()`` is true; fails when that takes too long."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end_s, "it never came"
        time.sleep(0.02)


def files(folder: Path) -> set[Path]:
    return set(folder.rglob("*"))


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return Bundle(tmp_path / "My Plugins (año) & co/jezero", tmp_path)


def test_the_lock_in_the_launcher_is_the_hash_of_the_lock_file():
    text = (ROOT / "hooks/jezero-hook").read_text()
    assert re.findall(r"^lock=(.*)$", text, re.M) == [LOCK], "set lock= to the first of these"


class TestFound:
    """The environment is there: the ordinary case."""

    @pytest.mark.parametrize("event", HOOKS)
    def test_a_hook_gets_its_script_its_stdin_and_both_paths(self, bundle: Bundle, event: str):
        env = bundle.make_ready()
        done = bundle.run(event, stdin='{"prompt": "¿año?"}')
        assert (done.returncode, done.stderr) == (0, "")
        said = json.loads(done.stdout)
        assert said["hook"] == HOOKS[event]
        assert said["stdin"] == '{"prompt": "¿año?"}'
        assert said["path"] == [str(bundle.root), f"{env}/site"]

    @pytest.mark.parametrize("shell", SHELLS)
    def test_no_process_is_started_on_the_way(self, bundle: Bundle, shell: str):
        bundle.make_ready()
        # The shell became Python: what it had waited for would be counted there.
        assert json.loads(bundle.run("first-prompt", shell=shell).stdout)["children"] == 0

    @pytest.mark.parametrize("shell", SHELLS)
    def test_a_command_keeps_its_arguments_its_stdin_and_its_exit_code(
        self, bundle: Bundle, shell: str
    ):
        bundle.make_ready()
        done = bundle.run("search", "two words", "", "$x `y`", "7", stdin="piped", shell=shell)
        assert (done.returncode, done.stderr) == (7, "")
        said = json.loads(done.stdout)
        assert said["argv"] == ["jezero-hook", "search", "two words", "", "$x `y`", "7"]
        assert said["stdin"] == "piped"

    def test_in_the_plugins_data_folder_too(self, bundle: Bundle, tmp_path: Path):
        env = bundle.make_ready(tmp_path / "plugin data")
        done = bundle.run("first-prompt", CLAUDE_PLUGIN_DATA=str(tmp_path / "plugin data"))
        assert json.loads(done.stdout)["path"][1] == f"{env}/site"
        assert not bundle.home.exists()

    def test_in_the_default_home(self, bundle: Bundle, tmp_path: Path):
        env = bundle.make_ready(tmp_path / "ana/.jezero-hooks")
        done = bundle.run("first-prompt", JEZERO_HOOKS_HOME="", HOME=str(tmp_path / "ana"))
        assert json.loads(done.stdout)["path"][1] == f"{env}/site"

    def test_through_links_from_anywhere(self, bundle: Bundle, tmp_path: Path):
        bundle.make_ready()
        (tmp_path / "elsewhere").mkdir()
        (tmp_path / "elsewhere/far").symlink_to("../near")
        (tmp_path / "near").symlink_to(bundle.launcher)
        done = bundle.run("0", launcher=tmp_path / "elsewhere/far")
        assert json.loads(done.stdout)["path"][0] == str(bundle.root)

    @pytest.mark.parametrize("way", ["./jezero-hook", "../hooks/jezero-hook", "jezero-hook"])
    @pytest.mark.parametrize("shell", SHELLS)
    def test_by_a_relative_path(self, bundle: Bundle, monkeypatch, shell: str, way: str):
        bundle.make_ready()
        monkeypatch.chdir(bundle.root / "hooks")
        done = bundle.run("0", shell=shell, launcher=Path(way) if "/" in way else way)
        assert json.loads(done.stdout)["path"][0] == str(bundle.root)

    def test_with_the_doubled_slash_of_an_old_client(self, bundle: Bundle):
        bundle.make_ready()
        done = bundle.run("first-prompt", launcher=f"{bundle.root}//hooks/jezero-hook")
        assert json.loads(done.stdout)["path"][0] == str(bundle.root)

    def test_the_users_python_variables_do_not_disturb(self, bundle: Bundle, tmp_path: Path):
        bundle.make_ready()
        (tmp_path / "json.py").write_text("raise SystemExit('the wrong json')")
        done = bundle.run(
            "first-prompt", PYTHONPATH=str(tmp_path), PYTHONHOME="/nowhere", VIRTUAL_ENV="/no"
        )
        assert json.loads(done.stdout)["hook"] == "first_prompt"

    def test_no_file_appears_but_in_the_environment(self, bundle: Bundle):
        env = bundle.make_ready()
        before = files(bundle.root), files(bundle.home) - files(env)
        for args in (["first-prompt"], ["session-start"], ["search", "0"]):
            assert bundle.run(*args).returncode == 0
        assert (files(bundle.root), files(bundle.home) - files(env)) == before
        assert list((env / "pycache").rglob("hook.*.pyc")), "compiled anew at each prompt"

    @pytest.mark.parametrize("event", HOOKS)
    @pytest.mark.parametrize("fault", ["import sqlite4", "def first_prompt(:", "1/0", "exit(3)"])
    def test_a_broken_package_is_silence(self, bundle: Bundle, event: str, fault: str):
        bundle.make_ready()
        (bundle.root / "jezero_hooks/hook.py").write_text(fault)
        done = bundle.run(event, stdin="{}")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    @pytest.mark.parametrize("shell", [s for s in SHELLS if not s.startswith("zsh")])
    def test_a_python_that_does_not_start_is_silence(self, bundle: Bundle, shell: str):
        env = bundle.make_ready()
        (env / "bin/python").unlink()
        (env / "bin/python").write_text("#!/nowhere/python\n")
        (env / "bin/python").chmod(0o755)
        done = bundle.run("first-prompt", stdin="{}", shell=shell)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    @pytest.mark.parametrize("event", HOOKS)
    def test_a_script_runs_by_hand_too(self, bundle: Bundle, event: str):
        done = subprocess.run(
            [sys.executable, "-B", f"{bundle.root}/hooks/{HOOKS[event]}.py"],
            input="{}",
            capture_output=True,
            text=True,
        )
        assert json.loads(done.stdout)["hook"] == HOOKS[event]


class TestAsRegistered:
    """hooks.json, run as the client runs it: no shell, variables expanded."""

    def answers(self, bundle: Bundle, cwd: Path) -> list[tuple[int, str, str]]:
        cwd.mkdir(parents=True)
        registered = json.loads((bundle.root / "hooks/hooks.json").read_text())["hooks"]
        answers = []
        for groups in registered.values():
            for hook in (hook for group in groups for hook in group["hooks"]):
                words = [
                    word.replace("${CLAUDE_PLUGIN_ROOT}", str(bundle.root))
                    for word in (hook["command"], *hook["args"])
                ]
                done = subprocess.run(
                    words,
                    input="{}",
                    capture_output=True,
                    text=True,
                    cwd=cwd,
                    env={"PATH": str(bundle.bin), "JEZERO_HOOKS_HOME": str(bundle.home)},
                )
                answers.append((done.returncode, done.stdout, done.stderr))
        return answers

    def test_a_path_with_spaces_and_signs_changes_nothing(self, bundle: Bundle, tmp_path: Path):
        """HK-06."""
        env = bundle.make_ready()
        (tmp_path / "plain").mkdir()
        plain = Bundle(tmp_path / "plain/jezero", tmp_path / "plain")
        plain_env = plain.make_ready()
        answers = self.answers(bundle, tmp_path / "Tech Tap/orion")
        assert [code for code, _, _ in answers] == [0, 0, 0]
        paths = [(str(plain.root), str(bundle.root)), (str(plain_env), str(env))]
        expected = []
        for code, out, err in self.answers(plain, tmp_path / "orion"):
            for ours, theirs in paths:
                out = out.replace(json.dumps(ours)[1:-1], json.dumps(theirs)[1:-1])
            expected.append((code, out, err))
        assert answers == expected
        assert not files(tmp_path / "Tech Tap/orion")


class TestMade:
    """There is no environment yet."""

    def test_a_person_waits_for_it_and_is_told(self, bundle: Bundle):
        done = bundle.run("search", "5", stdin="piped")
        assert done.returncode == 5
        assert json.loads(done.stdout)["stdin"] == "piped"
        told = done.stderr.splitlines()
        assert len(told) == 3
        assert str(bundle.env) in told[0]
        assert "ready" in told[-1]

    def test_an_import_in_the_background_makes_none(self, bundle: Bundle):
        done = bundle.run("import", "--background")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert bundle.build_count() == 0

    def test_it_is_private_whole_and_compiled(self, bundle: Bundle):
        bundle.run("0")
        assert bundle.home.stat().st_mode & 0o777 == 0o700
        assert bundle.env.stat().st_mode & 0o777 == 0o700
        assert list((bundle.env / "pycache").rglob("hook.*.pyc"))
        assert {path.name for path in bundle.home.iterdir()} == {
            f"env-{LOCK}",
            f"env-{LOCK}.lock",
        }

    def test_the_first_hook_says_so_once_and_is_silent_while_it_is_made(self, bundle: Bundle):
        bundle.hold_builds()
        first, second = bundle.run("session-start"), bundle.run("first-prompt")
        bundle.let_builds_go()
        assert first.returncode == second.returncode == 0
        assert json.loads(first.stdout).keys() == {"systemMessage"}
        assert (first.stderr, second.stdout, second.stderr) == ("", "", "")
        eventually(bundle.env.exists)
        assert json.loads(bundle.run("first-prompt").stdout)["hook"] == "first_prompt"
        assert bundle.build_count() == 1

    def test_the_background_build_has_a_session_of_its_own(self, bundle: Bundle):
        bundle.hold_builds()
        bundle.run("session-start")
        eventually(lambda: bundle.build_count() == 1)
        builder = int(bundle.calls.read_text().split()[0])
        assert os.getsid(builder) == builder
        bundle.let_builds_go()
        eventually(bundle.env.exists)

    def test_two_at_once_make_one(self, bundle: Bundle):
        bundle.hold_builds()
        with bundle.start("search", "1") as one:
            eventually(lambda: bundle.build_count() == 1)
            with bundle.start("search", "2") as two:
                assert "waiting" in two.stderr.readline()
                bundle.let_builds_go()
                for process in (one, two):
                    process.communicate("", timeout=PATIENCE_S)
        assert (one.returncode, two.returncode, bundle.build_count()) == (1, 2, 1)

    def test_a_killed_build_blocks_nobody_and_leaves_nothing(self, bundle: Bundle):
        bundle.hold_builds()
        bundle.run("session-start")
        eventually(lambda: bundle.build_count() == 1)
        for pid in bundle.calls.read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        bundle.gate.unlink()
        assert not bundle.env.exists()
        assert bundle.run("search", "0").returncode == 0
        assert {path.name for path in bundle.home.iterdir()} == {
            f"env-{LOCK}",
            f"env-{LOCK}.lock",
        }

    def test_a_home_that_cannot_be_written_falls_back_to_the_plugins_data(
        self, bundle: Bundle, tmp_path: Path
    ):
        (tmp_path / "file").touch()
        env = {"JEZERO_HOOKS_HOME": f"{tmp_path}/file/home", "CLAUDE_PLUGIN_DATA": f"{tmp_path}/d"}
        assert bundle.run("search", "0", **env).returncode == 0
        assert (tmp_path / f"d/env-{LOCK}/bin/python").exists()
        assert json.loads(bundle.run("first-prompt", **env).stdout)["hook"] == "first_prompt"

    def test_nowhere_to_write_is_one_sentence_or_silence(self, bundle: Bundle, tmp_path: Path):
        (tmp_path / "file").touch()
        nowhere = f"{tmp_path}/file/home"
        done = bundle.run("search", "0", JEZERO_HOOKS_HOME=nowhere)
        assert (done.returncode, done.stdout) == (1, "")
        assert nowhere in done.stderr
        assert done.stderr.count("\n") == 1
        done = bundle.run("first-prompt", JEZERO_HOOKS_HOME=nowhere)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    @pytest.mark.parametrize("shell", SHELLS)
    def test_no_python_is_one_sentence_or_silence(self, bundle: Bundle, shell: str):
        (bundle.bin / "uv").unlink()
        bundle.program("python3", "#!/bin/sh\nexit 1\n")  # as an old one answers
        done = bundle.run("search", "0", shell=shell)
        assert (done.returncode, done.stdout) == (1, "")
        assert "needs Python 3.11 or newer" in done.stderr
        assert done.stderr.count("\n") == 1
        done = bundle.run("first-prompt", shell=shell)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert not bundle.home.exists()

    def test_uv_brings_a_python_where_there_is_none(self, bundle: Bundle):
        (bundle.bin / "python3").rename(bundle.bin / "brought")
        stub = (bundle.bin / "uv").read_text()
        python = f"""python)
    case $2 in
    install)
        echo asked >>"{bundle.calls}.python"
        read -r _ <"{bundle.gate}"
        : >"{bundle.bin}/installed"
        ;;
    find) [ -e "{bundle.bin}/installed" ] && echo "{bundle.bin}/brought" ;;
    esac
    ;;
"""
        bundle.program("uv", stub.replace("venv)", python + "venv)"))
        bundle.hold_builds()
        for event in HOOKS:
            done = bundle.run(event)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        bundle.let_builds_go()
        eventually((bundle.bin / "installed").exists)
        assert bundle.run("search", "0").returncode == 0
        assert (bundle.calls.parent / "calls.python").read_text() == "asked\n"

    def test_a_vanished_python_is_replaced(self, bundle: Bundle):
        env = bundle.make_ready()
        (env / "bin/python").unlink()
        (env / "bin/python").symlink_to("/nowhere/python3.11")
        assert bundle.run("search", "0").returncode == 0
        assert bundle.build_count() == 1

    def test_old_environments_go_young_ones_stay(self, bundle: Bundle):
        old, young = (bundle.home / f"env-{digit * 12}" for digit in "ab")
        for env in (old, young):
            (env / "bin").mkdir(parents=True)
        os.utime(old, (0, 0))
        bundle.run("search", "0")
        assert (old.exists(), young.exists()) == (False, True)


class TestFailed:
    """The environment could not be made."""

    def test_a_person_sees_why_and_may_try_again_at_once(self, bundle: Bundle):
        good_uv = (bundle.bin / "uv").read_text()
        bundle.program("uv", "#!/bin/sh\nexit 2\n")  # then pip is asked, which may use no index
        done = bundle.run("search", "0")
        log = bundle.home / f"env-{LOCK}.log"
        assert (done.returncode, done.stdout) == (1, "")
        assert "No matching distribution found for" in done.stderr
        assert f"(log: {log})" in done.stderr
        assert log.stat().st_mode & 0o777 == 0o600
        assert f"$ {bundle.bin}/uv venv" in log.read_text()
        assert not bundle.env.exists()
        bundle.program("uv", good_uv)
        assert bundle.run("search", "0").returncode == 0
        assert not log.exists()

    def test_hooks_say_why_once_and_let_ten_minutes_pass(self, bundle: Bundle):
        empty = bundle.home.parent / "empty"  # an environment without packages fails its trial
        empty.mkdir()
        bundle.program("uv", bundle.stub_uv(site=empty))
        mark = bundle.home / f"env-{LOCK}.failed"
        assert "systemMessage" in bundle.run("session-start").stdout
        eventually(mark.exists)
        second, third = bundle.run("first-prompt"), bundle.run("first-prompt")
        assert "No module named 'apsw'" in json.loads(second.stdout)["systemMessage"]
        assert (third.returncode, third.stdout, third.stderr) == (0, "", "")
        assert bundle.build_count() == 1
        reason, at_s, told = json.loads(mark.read_text())
        mark.write_text(json.dumps([reason, at_s - 601, told]))
        fourth = bundle.run("first-prompt")
        assert (fourth.returncode, fourth.stdout, fourth.stderr) == (0, "", "")
        eventually(lambda: bundle.build_count() == 2)


@pytest.mark.needs_registry
class TestForReal:
    """The lock, installed from the package index as a newcomer would."""

    @pytest.mark.parametrize("tool", ["pip", "uv"])
    def test_the_packages_install_and_work(self, bundle: Bundle, tool: str):
        (bundle.bin / "uv").unlink()
        if tool == "uv":
            uv = shutil.which("uv")
            if uv is None:
                pytest.skip("there is no uv on the PATH")
            (bundle.bin / "uv").symlink_to(uv)
        # The user's own configuration of pip and uv, or the index may not be reached.
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        env |= {"PATH": str(bundle.bin), "JEZERO_HOOKS_HOME": str(bundle.home)}
        for name in ("PIP_NO_INDEX", "PIP_CONFIG_FILE"):
            env[name] = os.environ.get(name, "")
        done = bundle.run("imports", "0", **env)
        if done.returncode == 1 and "could not be made" in done.stderr:
            pytest.skip(f"no package index, or a wrong lock: {done.stderr}")
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["path"] == [str(bundle.root), f"{bundle.env}/site"]
        assert not list(bundle.root.rglob("__pycache__"))
        assert not (bundle.env / "site/pip").exists()
