"""Makes the Python environment that hooks/jezero-hook did not find.

    make_environment.py hook|person ROOT LOCK

hook: starts the work in the background; prints at most one JSON object for the client.
person: does the work now, progress on stderr; prints the environment's folder, or ends with 1.

The environment is ``env-LOCK`` in the home, else in the plugin's data folder: ``bin/python``,
``site`` (its site-packages) and ``pycache``. It is made beside its place and renamed into it, so
that it is whole or not there. Any Python from 3.11 on runs this; standard library only.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from typing import NamedTuple

# A machine without network must not start pip at every prompt.
RETRY_AFTER_S = 600
# pip on a slow line takes minutes; past this it hangs.
BUILD_TIMEOUT_S = 900
# Two versions of the plugin in use at once must not remove each other's environment in turn.
KEEP_OTHERS_S = 86_400
# The user's own Python, environment and pip targets, which would lead the packages elsewhere.
DISTURBING = ("PYTHON", "VIRTUAL_ENV", "CONDA_PREFIX", "UV_PYTHON", "UV_SYSTEM_PYTHON")
DISTURBING_PIP = ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_USER")
# The compiled packages: a wheel for another machine shows itself here, not at the first prompt.
TRIAL = "import sys; sys.path.insert(0, sys.argv[1]); import apsw, yaml"


class BuildError(Exception):
    """The environment could not be made; the text says why, in one line."""


class Place(NamedTuple):
    """Where the environment of one lock goes: a writable folder, and what the names in it are."""

    folder: str
    lock: str

    @property
    def env(self) -> str:
        return os.path.join(self.folder, f"env-{self.lock}")

    @property
    def log(self) -> str:
        return f"{self.env}.log"

    @property
    def failure(self) -> str:
        return f"{self.env}.failed"

    def is_made(self) -> bool:
        return os.access(os.path.join(self.env, "bin", "python"), os.X_OK)


class Failure(NamedTuple):
    """Why the last build failed, when (seconds since 1970), and whether the user was told."""

    reason: str
    at_s: float
    told: bool


def find_place(lock: str) -> Place:
    """The first folder that can be written: the home, else the plugin's data folder.

    BuildError where neither can.
    """
    user_home = os.environ.get("HOME")
    home = os.environ.get("JEZERO_HOOKS_HOME") or (user_home and ".jezero-hooks")
    if home and not home.startswith("/"):
        home = os.path.join(user_home or "/", home.removeprefix("~/"))
    reason = "neither HOME nor JEZERO_HOOKS_HOME is set"
    for folder in filter(None, (home, os.environ.get("CLAUDE_PLUGIN_DATA"))):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            trial = os.path.join(folder, f"env-{lock}.trial-{os.getpid()}")
            os.mkdir(trial, 0o700)
            os.rmdir(trial)
        except OSError as fault:
            reason = f"{folder} cannot be written ({fault.strerror})"
        else:
            return Place(os.path.abspath(folder), lock)
    raise BuildError(f"{reason}; set JEZERO_HOOKS_HOME to a folder that can be written")


def take_turn(place: Place, *, wait: bool) -> bool:
    """True once this process alone may build; False if another does and ``wait`` is false.

    The kernel frees the lock with its holder, however that ends. Where a lock cannot be had at
    all (a file system without them), two builds are wasteful but safe: the rename decides.
    """
    try:
        fd = os.open(f"{place.env}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        pass
    return True


def children_environ() -> dict[str, str]:
    """The user's environment (indexes, proxies, certificates) less what would disturb."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(DISTURBING)}
    return {k: v for k, v in kept.items() if k not in DISTURBING_PIP} | {"PIP_USER": "0"}


def run(place: Place, *command: str) -> None:
    """Runs a command, its output to the log; BuildError with the output's last line."""
    with open(place.log, "ab") as log:
        start = log.tell()
        log.write(f"$ {' '.join(command)}\n".encode())
        log.flush()
        try:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=children_environ(),
                # Not the agent's folder: its uv.toml and setup.cfg are none of ours.
                cwd=place.folder,
                timeout=BUILD_TIMEOUT_S,
            ).returncode
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise BuildError(str(fault)) from fault
    if code != 0:
        with open(place.log, encoding="utf-8", errors="replace") as log_text:
            log_text.seek(start)
            lines = log_text.read().split("\n")[1:]
        said = [line.strip() for line in lines if line.strip()]
        reason = said[-1][:300] if said else f"{command[0]} ended with {code}"
        raise BuildError(f"{reason} (log: {place.log})")


def install(place: Place, root: str, new: str) -> None:
    """Fills the folder ``new`` with an environment: by uv where it is, else by venv and pip."""
    # The resolved program, not a link such as /usr/bin/python3 that an upgrade turns elsewhere:
    # a resolved one vanishes then, and the environment is made anew.
    python = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    inside = os.path.join(new, "bin", "python")
    what = ("--quiet", "--require-hashes", "-r", os.path.join(root, "requirements.lock"))
    uv = shutil.which("uv")
    if uv:
        try:
            run(place, uv, "venv", "--quiet", "--no-project", "--python", python, new)
            run(place, uv, "pip", "install", "--python", inside, *what)
        except BuildError:  # an old uv, or one that does not know the index that pip knows
            shutil.rmtree(new, ignore_errors=True)
        else:
            return
    run(place, python, "-I", "-m", "venv", new)
    run(place, inside, "-I", "-m", "pip", "install", "--no-compile", "--no-input", *what)
    # Half of the environment's bytes, of no more use.
    run(place, inside, "-I", "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools")


def build(place: Place, root: str) -> None:
    """Makes the environment at ``place``; BuildError leaves nothing but the log."""
    new = f"{place.env}.new-{os.getpid()}"
    try:
        tidy(place)
        install(place, root, new)
        [site] = [name for name in os.listdir(f"{new}/lib") if name.startswith("python")]
        os.symlink(f"lib/{site}/site-packages", f"{new}/site")
        run(place, f"{new}/bin/python", "-I", "-S", "-B", "-c", TRIAL, f"{new}/site")
        os.chmod(new, 0o700)
        if os.path.lexists(place.env):  # its Python is gone
            os.rename(place.env, f"{new}-old")
        os.rename(new, place.env)
    except (OSError, ValueError) as fault:
        if not place.is_made():
            raise BuildError(str(fault)) from fault
    finally:
        for left in (new, f"{new}-old"):
            shutil.rmtree(left, ignore_errors=True)
    compile_ahead(place, root)
    for mark in (place.failure, place.log):
        forget(mark)


def compile_ahead(place: Place, root: str) -> None:
    """Compiles the plugin's modules into the environment; the first hook would have to wait."""
    package = os.path.join(root, "jezero_hooks")
    prefix = f"pycache_prefix={place.env}/pycache"
    python = f"{place.env}/bin/python"
    try:
        run(place, python, "-I", "-S", "-X", prefix, "-m", "compileall", "-q", package)
    except BuildError:
        return  # then each module is compiled at its first import


def tidy(place: Place) -> None:
    """Removes what killed builds left, and the environments of other locks, a day old or more."""
    for name in os.listdir(place.folder):
        path = os.path.join(place.folder, name)
        ours = name.startswith(f"env-{place.lock}.new-")
        if ours or (name.startswith("env-") and is_old(path) and place.lock not in name):
            shutil.rmtree(path, ignore_errors=True)
            if os.path.lexists(path):
                forget(path)
    forget(place.log)


def is_old(path: str) -> bool:
    try:
        return time.time() - os.lstat(path).st_mtime > KEEP_OTHERS_S
    except OSError:
        return False


def forget(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return


def read_failure(place: Place) -> Failure | None:
    """The last build's failure, or None; a damaged file is none."""
    try:
        with open(place.failure, encoding="utf-8") as file:
            return Failure(*json.load(file))
    except (OSError, ValueError, TypeError):
        return None


def write_failure(place: Place, failure: Failure) -> None:
    try:
        with open(place.failure, "w", encoding="utf-8") as file:
            json.dump(failure, file)
    except OSError:
        return


def say(message: str) -> None:
    """The one way a hook can speak to the user: shown in the terminal, unseen by the model."""
    print(json.dumps({"systemMessage": f"jezero-hooks: {message}"}, ensure_ascii=False), flush=True)


def serve_hook(place: Place, root: str) -> None:
    """Starts a build in the background unless one runs, or has just failed."""
    failure = read_failure(place)
    if not take_turn(place, wait=False) or place.is_made():
        return
    if failure and time.time() - failure.at_s < RETRY_AFTER_S:
        if not failure.told:
            write_failure(place, failure._replace(told=True))
            say(f"its Python environment could not be made: {failure.reason}")
        return
    if os.fork():
        if not failure:
            say("setting up its Python environment in the background (once, up to a minute)")
        return
    detach()
    try:
        build(place, root)
    except BuildError as fault:
        told = failure is not None and failure.reason == str(fault) and failure.told
        write_failure(place, Failure(str(fault), time.time(), told))
    os._exit(0)


def detach() -> None:
    """Leaves the client's session and pipes: it waits for them, and kills what it started."""
    os.setsid()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(nowhere, fd)


def serve_person(place: Place, root: str) -> None:
    """Makes the environment, or waits for the process that does; prints its folder."""
    start_s = time.monotonic()
    if not take_turn(place, wait=False):
        tell("another call is setting up the Python environment; waiting for it ...")
        take_turn(place, wait=True)
    if not place.is_made():
        tell(f"first call: setting up its Python environment in {place.env}")
        tell("installing the packages of requirements.lock (5 to 30 seconds, once) ...")
        build(place, root)
        tell(f"ready after {time.monotonic() - start_s:.0f} s")
    print(place.env)


def tell(message: str) -> None:
    print(f"jezero-hook: {message}", file=sys.stderr, flush=True)


def main(caller: str, root: str, lock: str) -> int:
    os.umask(0o077)
    try:
        place = find_place(lock)
        if caller == "hook":
            serve_hook(place, root)
        else:
            serve_person(place, root)
    except BuildError as fault:
        if caller != "hook":
            tell(f"its Python environment could not be made: {fault}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
