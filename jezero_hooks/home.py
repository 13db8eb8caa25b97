"""Where things are: the home, the program, the plugin's own folder."""

from __future__ import annotations

import os

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAUNCHER = os.path.join(ROOT, "hooks", "jezero-hook")

LIBRARY_FILE = "library.db"
LOG_FILE = "hooks.log"
IMPORT_STAMP_FILE = "import.stamp"
LOCK_FILE = "library.lock"


def user_home() -> str:
    """Return the user's home folder, always an absolute one."""
    home = os.environ.get("HOME")
    if not home:
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return "/"
    return home if home.startswith("/") else "/"


def jezero_home() -> str:
    """Return the one folder in which everything of ours is kept; it may not exist yet."""
    named = os.environ.get("JEZERO_HOOKS_HOME") or ".jezero-hooks"
    # A relative one would be another folder in each repository that the agent works in.
    return os.path.join(user_home(), named.removeprefix("~/"))


def client_folder() -> str:
    """Return the client's own folder, in which its transcripts are."""
    return os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(user_home(), ".claude")


def program() -> list[str]:
    """Return the words that start this program: the plugin's launcher, else the command."""
    return [LAUNCHER] if os.path.exists(LAUNCHER) else ["jezero-hook"]


def shell_command() -> str:
    """Return the text that starts this program in an agent's shell."""
    from .render import shell_word

    return " ".join(shell_word(word) for word in program())
