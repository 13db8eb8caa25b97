"""The git repository of a folder, from its files alone: no git is run (RULES 5)."""

from __future__ import annotations

import os

# No path is longer on the systems we know (PATH_MAX); a longer text is no folder.
PATH_CHARS = 4096
# stat(2): what the upper bits of st_mode say.
DIRECTORY, REGULAR_FILE = 0o04, 0o10


def repository_top(here: str) -> str:
    """Return the folder that names the repository of which `here` is the top, "" if of none."""
    dot_git = here + "/.git"
    try:
        kind = os.stat(dot_git).st_mode >> 12
    except (OSError, ValueError):
        is_bare = os.path.basename(here).startswith(".") or here.endswith(".git")
        return _holder(here) if is_bare and _stands(here + "/HEAD") else ""
    if kind == DIRECTORY:
        return here if _stands(dot_git + "/HEAD") else ""
    if kind == REGULAR_FILE:
        label, _, git_folder = _first_line(dot_git).partition(":")
        return _main_top(here, git_folder.strip()) if label == "gitdir" else ""
    return ""


def _main_top(here: str, git_folder: str) -> str:
    """Return the main repository's folder for a linked worktree, `here` for anything else.

    A submodule and a repository with its git folder elsewhere have no `commondir`, and are
    their own. Source: gitrepository-layout(5), gitfile and commondir.
    """
    git_folder = os.path.join(here, git_folder)
    common = _first_line(git_folder + "/commondir")
    if not common and not _stands(git_folder):
        # The main repository is gone, or out of a container's sight: its path still tells.
        common = "../.." if os.path.basename(os.path.dirname(git_folder)) == "worktrees" else ""
    return _holder(real_path(os.path.join(git_folder, common))) if common else here


def _holder(git_folder: str) -> str:
    """Return the folder that bears a repository's name: `x` for x/.git and x/.bare."""
    hidden = os.path.basename(git_folder).startswith(".")
    return os.path.dirname(git_folder) if hidden else git_folder


def real_path(path: str) -> str:
    """Return the path without symbolic links, as it was where it cannot be followed."""
    try:
        return os.path.realpath(path) if path else ""
    except (OSError, ValueError):
        return path


def is_same_file(one: str, other: str) -> bool:
    """Return whether two paths lead to one file; of what is not there, whether they are equal."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return one == other


def _stands(path: str) -> bool:
    """Return whether something is there, also where we may not look (another user's)."""
    try:
        os.lstat(path)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _first_line(path: str) -> str:
    """Return the first line of a small file, "" where there is none; a pipe does not block."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        return os.fsdecode(os.read(handle, PATH_CHARS)).partition("\n")[0].rstrip("\r")
    except OSError:
        return ""
    finally:
        os.close(handle)
