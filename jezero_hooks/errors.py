"""What can go wrong and is told to a person: the thing, the fault, the next step."""


class JezeroError(Exception):
    """A refusal with its reason (exit code 1); its text is one line for a person."""


class ConfigError(JezeroError):
    """The config file cannot be used as it stands; the text names file, line and key."""


class LibraryError(JezeroError):
    """The library cannot be opened, read or written; the text names the file."""


class LateError(LibraryError):
    """A statement was interrupted: it took longer than whoever asked can wait."""


class DamagedLibraryError(LibraryError):
    """The library's file is damaged; a rebuild may save its items."""


class UsageError(JezeroError):
    """The call itself is wrong (exit code 2)."""
