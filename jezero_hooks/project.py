"""The project of a folder: four rules, the first that finds a name wins (RULES 5).

Nothing here runs git or reads the environment: a hook that git itself started has GIT_DIR
set to another repository, and git refuses to answer in a folder that another user owns.
"""

from __future__ import annotations

import os

from .model import Project
from .repository import PATH_CHARS, is_same_file, real_path, repository_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .config import Projects

    Paths = tuple[tuple[str, tuple[str, ...]], ...]

# Below these stand the homes of users, here and on machines whose transcripts came here.
HOME_PARENTS = ("/home", "/Users", "/var/home", "/mnt/c/Users")


def find_project(folder: str, projects: Projects, home: str) -> Project | None:
    """Return the project of a folder and the rule that found it, None when no rule does.

    The folder may be gone, or never have stood on this machine; one that is not absolute
    has no project. ``home`` is the user's own. Never raises. Source: RULES 5.
    """
    given, own = _normal(folder), _normal(home) or "/"
    if not given:
        return None
    found = _configured(given, projects.paths, own) or _repository(given, own)
    if found is None:
        # Paid only here: the real path costs a call for each folder above.
        real = real_path(given)
        if real != given:
            found = _repository(real, own) or _kept_folder(real, projects, own)
        if found is None and _home_of(real, own) != real:  # a link to a home is a home
            found = _kept_folder(given, projects, own)
    return found and _aliased(found, projects.aliases)


def _normal(path: str) -> str:
    """Return an absolute path without `.`, `..` and doubled slashes; "" for any other text."""
    if path[1:3] in (":\\", ":/"):  # in a transcript from Windows: its folder as WSL sees it
        path = f"/mnt/{path[0].lower()}/" + path[3:].replace("\\", "/")
    if not path.startswith("/") or len(path) > PATH_CHARS:
        return ""
    return "/" + os.path.normpath(path).lstrip("/")


def _configured(given: str, paths: Paths, own: str) -> Project | None:
    """Rule 1: the longest configured folder that is this one or, by whole components, above."""
    if not paths:
        return None
    for follow in (_composed, real_path):
        place = follow(given)
        home = _home_of(place, own) or own
        longest, found = "", None
        for name, folders in paths:
            for folder in folders:
                below_home = folder == "~" or folder.startswith("~/")
                at = follow(_normal(home + folder[1:] if below_home else folder))
                if len(at) > len(longest) and _within(_composed(place), _composed(at)):
                    longest, found = at, _project(name, f"projects.paths {folder}")
        if found:
            return found
    return None


def _repository(place: str, own: str) -> Project | None:
    """Rule 2: the nearest git repository; one at home or at `/` holds dotfiles, no project."""
    here = place
    while here not in ("/", own):
        top = repository_top(here)
        if top:
            if top == "/" or is_same_file(top, own):
                return None
            kind = "git repository" if _within(here, top) else "git worktree of"
            if os.path.islink(top):
                top = real_path(top)  # the client gives real paths, and one folder is one project
            name = os.path.basename(top).removesuffix(".git")
            return _project(name, f"{kind} {_shown(top, own)}")
        here = os.path.dirname(here)
    return None


def _kept_folder(place: str, projects: Projects, own: str) -> Project | None:
    """Rules 3 and 4: the folder below a root, else the first below home that is not generic.

    Roots are sought below home, or on the whole path where it does not lead through a home.
    A root itself, a generic folder and a hidden one are no project: what lies in them is.
    """
    home = _home_of(place, own)
    parts = place[len(home) :].split("/")[1:]
    names = [_name(part) for part in parts]
    ascii_only = place.isascii()  # Unicode's tables are loaded only for a path that needs them
    roots, generic = (
        {_name(name) for name in listed if name.isascii() or not ascii_only}
        for listed in (projects.roots, projects.generic)
    )
    for depth, name in enumerate(names[1:], start=1):
        if names[depth - 1] in roots:
            root = "/".join([home, *parts[:depth]])
            return _project(name, f"folder below {_shown(root, own)}")
    passed = roots | generic
    for name in names if home else ():
        if name not in passed and not name.startswith("."):
            return _project(name, "first folder below home")
    return None


def _home_of(place: str, own: str) -> str:
    """Return the home that a path leads through, "" if through none: the user's own or any."""
    for home in (own, "/root"):
        if home != "/" and _within(place, home):
            return home
    real_own = real_path(own)
    if real_own not in ("/", own) and _within(place, real_own):
        return real_own
    for parent in HOME_PARENTS:
        if place.startswith(parent + "/"):
            return parent + "/" + place[len(parent) + 1 :].split("/")[0]
    return ""


def _aliased(found: Project, aliases: tuple[tuple[str, str], ...]) -> Project:
    for name, wanted in aliases:
        if _name(name) == found.name and wanted:
            return Project(_name(wanted), f"{found.rule} → alias")
    return found


def _project(name: str, rule: str) -> Project | None:
    return Project(_name(name), _encodable(rule)) if name else None


def _name(text: str) -> str:
    """Return a name as the library holds it: NFC, lower case."""
    return _encodable(_composed(_composed(text).lower()))


def _composed(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def _encodable(text: str) -> str:
    """Return text that can be stored and printed: bytes that were no UTF-8 become `?`."""
    return text.encode("utf-8", "replace").decode()


def _within(place: str, top: str) -> bool:
    return bool(top) and (place == top or place.startswith(top.rstrip("/") + "/"))


def _shown(path: str, own: str) -> str:
    return "~" + path[len(own) :] if own != "/" and _within(path, own) else path
