"""The keys of the HTTP server: private files, one key each."""

from __future__ import annotations

import hmac
import os
import secrets
import stat

from ..config import Config
from ..errors import JezeroError
from ..home import user_home
from ..library.connection import make_private_folder
from ..model import NamedTuple

KEY_FILE = "mcp.key"
# 256 bits, so that nobody can guess it; a key that a user brings must not be a mere word.
KEY_BYTES = 32
LEAST_CHARS = 20
MOST_CHARS = 1_000
OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO


class Key(NamedTuple):
    """What a client shows, and the globs of the sources that it may read (None: the config's)."""

    secret: str
    allowed: tuple[str, ...] | None


def keys_of(config: Config, home: str, key_file: str) -> list[Key]:
    """Return the key of ``key_file`` and those of the config, made where a file is missing.

    Raises JezeroError for a file that others may read, that holds no key, or whose key
    another one has.
    """
    found = [Key(read_key(key_file), None)]
    for name, file, allowed in config.mcp.keys:
        path = os.path.join(user_home(), file[2:]) if file.startswith("~/") else file
        key = Key(read_key(os.path.join(home, path)), allowed)
        if any(key.secret == other.secret for other in found):
            raise JezeroError(f"mcp.keys.{name}: {path} holds the same key as another file")
        found.append(key)
    return found


def key_shown(authorization: str, keys: list[Key]) -> Key | None:
    """Return the key of an Authorization header, in a time that does not tell how near it was."""
    scheme, _, secret = authorization.partition(" ")
    if scheme.lower() != "bearer":
        return None
    shown = secret.strip().encode("utf-8", "replace")
    fitting = [key for key in keys if hmac.compare_digest(shown, key.secret.encode())]
    return fitting[0] if fitting else None


def read_key(path: str) -> str:
    """Return the key that a file holds; the file is made, private, where it is missing."""
    try:
        make_private_folder(os.path.dirname(path))
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(KEY_BYTES) + "\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise JezeroError(f"{path}: cannot be made: {error.strerror}; see --key-file") from error
    try:
        with open(path, encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & OTHERS_MAY:
                raise JezeroError(f"{path}: others may read this key; chmod 600 it")
            secret = file.read(MOST_CHARS + 1).strip()
    except OSError as error:
        raise JezeroError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        secret = ""
    visible = secret.isascii() and secret.isprintable() and " " not in secret
    if not visible or not LEAST_CHARS <= len(secret) <= MOST_CHARS:
        raise JezeroError(
            f"{path}: holds no key, which is {LEAST_CHARS} or more characters without blanks; "
            "remove the file, and one is made"
        )
    return secret
