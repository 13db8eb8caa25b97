"""The project of a folder: real git layouts, tables for the other rules, and promises."""

from __future__ import annotations

import builtins
import os
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jezero_hooks.config import Projects
from jezero_hooks.model import Project
from jezero_hooks.project import PATH_CHARS, find_project

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


class Lab:
    """A folder of its own with a home in it, and git that sees no settings but these."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.home = str(top / "ana")
        (top / "ana").mkdir()

    def git(self, at: str, *arguments: str) -> None:
        person = {"NAME": "Ana", "EMAIL": "ana@example.org"}
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.top / "home-of-git"),
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{k}": v for who in ("AUTHOR", "COMMITTER") for k, v in person.items()},
        }
        settings_ = ("-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always")
        command = ("git", "-C", str(self.folder(at)), *settings_, *arguments)
        subprocess.run(command, env=environment, check=True, capture_output=True)

    def folder(self, at: str) -> Path:
        (self.top / at).mkdir(parents=True, exist_ok=True)
        return self.top / at

    def repository(self, at: str) -> None:
        self.git(at, "init", "-q")
        (self.top / at / "a.txt").write_text("a")
        self.git(at, "add", "a.txt")
        self.git(at, "commit", "-qm", "one")

    def orion(self) -> None:
        """The setup of several cases: a repository, a linked worktree, another repository."""
        self.repository("orion")
        self.folder("orion/src/deep")
        self.git("orion", "worktree", "add", "-q", "../wt-fix", "-b", "fix")
        self.folder("wt-fix/pkg")
        self.repository("other")

    def project(self, at: str, projects: Projects | None = None) -> Project | None:
        return find_project(str(self.top / at), projects or Projects(), self.home)

    def name(self, at: str, projects: Projects | None = None) -> str | None:
        found = self.project(at, projects)
        return found.name if found else None


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


# -- rule 2: git ------------------------------------------------------------------------


@pytest.mark.parametrize("at", ["orion", "orion/src/deep", "wt-fix", "wt-fix/pkg"])
def test_pr_01_a_worktree_is_its_repository(lab: Lab, at: str) -> None:
    lab.orion()
    assert lab.name(at) == "orion"


def test_pr_01_a_deleted_worktree_raises_nothing(lab: Lab) -> None:
    lab.orion()
    shutil.rmtree(lab.top / "wt-fix")
    lab.project("wt-fix/pkg")  # any name is right


def test_a_worktree_says_so(lab: Lab) -> None:
    lab.repository("ana/orion")
    lab.git("ana/orion", "worktree", "add", "-q", "../wt", "-b", "fix")
    assert lab.project("ana/orion") == Project("orion", "git repository ~/orion")
    assert lab.project("ana/wt") == Project("orion", "git worktree of ~/orion")


@pytest.fixture
def bare(lab: Lab) -> Lab:
    lab.repository("X")
    lab.git("hub", "clone", "-q", "--bare", "../X", ".bare")
    (lab.top / "hub/.git").write_text("gitdir: ./.bare\n")
    lab.git("hub", "--git-dir=.bare", "worktree", "add", "-q", "main", "main")
    lab.folder("hub/main/src")
    lab.git("store", "clone", "-q", "--bare", "../X", "atlas.git")
    lab.folder("work")
    lab.git("store", "--git-dir=atlas.git", "worktree", "add", "-q", "../work/atlas-hotfix", "main")
    lab.git("proj", "clone", "-q", "--bare", "../X", ".git")
    lab.git("proj", "worktree", "add", "-q", "main", "main")
    return lab


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ("hub", "hub"),
        ("hub/main", "hub"),
        ("hub/main/src", "hub"),
        ("work/atlas-hotfix", "atlas"),
        ("proj/main", "proj"),
        # beside the case: inside the git folders themselves
        ("proj", "proj"),
        ("proj/.git/hooks", "proj"),
        ("hub/.bare/refs", "hub"),
        ("store/atlas.git", "atlas"),
        ("store/atlas.git/refs/heads", "atlas"),
    ],
)
def test_pr_02_bare_repositories(bare: Lab, at: str, name: str) -> None:
    assert bare.name(at) == name


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "other/.git"},
        {
            "GIT_DIR": "other/.git",
            "GIT_WORK_TREE": "other",
            "GIT_INDEX_FILE": "other/.git/index",
            "GIT_COMMON_DIR": "other/.git",
            "GIT_CEILING_DIRECTORIES": "orion",
        },
        {"GIT_DIR": "/nonexistent"},
    ],
)
def test_pr_04_the_environment_of_git_is_not_obeyed(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    lab.orion()
    for variable, at in variables.items():
        monkeypatch.setenv(variable, str(lab.top / at))
    assert lab.name("orion/src/deep") == "orion"
    assert lab.name("wt-fix/pkg") == "orion"


@needs_root
def test_pr_05_a_repository_of_another_user(
    lab: Lab, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.orion()
    for folder, _, files in os.walk(lab.top / "orion"):
        for path in (folder, *(os.path.join(folder, file) for file in files)):
            os.chown(path, 12345, 12345)
    monkeypatch.setenv("HOME", lab.home)
    assert lab.name("orion/src/deep") == "orion"
    assert capfd.readouterr() == ("", "")
    assert os.listdir(lab.home) == []


def test_a_git_folder_that_may_not_be_read_is_one(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.repository("orion")
    lstat = os.lstat

    def refuse(path: str) -> os.stat_result:
        if str(path).endswith("/HEAD"):
            raise PermissionError(13, "not yours", path)
        return lstat(path)

    monkeypatch.setattr(os, "lstat", refuse)
    assert lab.name("orion") == "orion"


@pytest.mark.parametrize(
    ("at", "name"),
    [
        ("ana/projects/budget", "budget"),
        ("ana/projects/budget/notes", "budget"),
        ("ana/code/atlas", "atlas"),
        ("ana", None),
    ],
)
def test_pr_07_a_repository_at_home_is_no_project(lab: Lab, at: str, name: str | None) -> None:
    lab.git("ana", "init", "-q")
    lab.folder("ana/projects/budget/notes")
    lab.git("ana/code/atlas", "init", "-q")
    assert lab.name(at) == name


def test_a_repository_at_home_stays_none_through_links_and_worktrees(lab: Lab) -> None:
    lab.repository("ana")
    lab.git("ana", "worktree", "add", "-q", "code/dot-wt", "-b", "fix")
    (lab.folder("w") / "link").symlink_to(lab.home)  # below a root, which it must not obey
    lab.folder("ana/notes")
    assert lab.name("ana/code/dot-wt") == "dot-wt"
    assert lab.name("w/link/notes") == "notes"
    assert lab.name("w/link") is None
    as_home = str(lab.top / "w/link")  # HOME is the link, and the client gives the real path
    assert find_project(f"{lab.home}/notes", Projects(), as_home) == Project(
        "notes", "first folder below home"
    )


def test_a_submodule_is_its_own(lab: Lab) -> None:
    lab.repository("lib")
    lab.repository("orion")
    lab.git("orion", "submodule", "add", "-q", "../lib", "worktrees/lib")
    lab.git("orion/worktrees/lib", "worktree", "add", "-q", "../../../lib-wt", "-b", "fix")
    lab.folder("orion/worktrees/lib/src")
    assert (lab.top / "orion/worktrees/lib/.git").is_file()
    assert lab.name("orion/worktrees/lib/src") == "lib"
    assert lab.name("orion/worktrees") == "orion"
    assert lab.name("lib-wt") == "lib"


def test_a_git_folder_elsewhere(lab: Lab) -> None:
    lab.git("orion", "init", "-q", "--separate-git-dir", str(lab.top / "gitdirs"))
    assert (lab.top / "orion/.git").is_file()
    assert lab.name("orion") == "orion"


def test_a_worktree_with_a_relative_path(lab: Lab) -> None:
    lab.orion()
    (lab.top / "wt-fix/.git").write_text("gitdir: ../orion/.git/worktrees/wt-fix\r\n")
    assert lab.name("wt-fix/pkg") == "orion"


@pytest.mark.parametrize(
    ("git_folder", "name"),
    [
        ("/Users/ana/code/orion/.git/worktrees/wt", "orion"),
        ("/Users/ana/store/orion.git/worktrees/wt", "orion"),
        ("/Users/ana/orion/.bare/worktrees/wt", "orion"),
        ("/Users/ana/code/orion/.git/modules/lib", "here"),
    ],
)
def test_a_main_repository_out_of_sight(lab: Lab, git_folder: str, name: str) -> None:
    (lab.folder("here") / ".git").write_text(f"gitdir: {git_folder}\n")
    assert lab.name("here") == name


def test_the_nearest_repository_wins(lab: Lab) -> None:
    lab.repository("orion")
    lab.git("orion/vendor/lib", "init", "-q")
    lab.folder("orion/.claude/worktrees/gone")
    assert lab.name("orion/vendor/lib/src") == "lib"
    assert lab.name("orion/.claude/worktrees/gone") == "orion"


def test_a_linked_folder_has_the_name_of_the_real_one(lab: Lab) -> None:
    lab.repository("disk/Atlas")
    lab.folder("disk/Atlas/src")
    (lab.top / "to-top").symlink_to(lab.top / "disk/Atlas")
    (lab.top / "to-src").symlink_to(lab.top / "disk/Atlas/src")
    real = Project("atlas", f"git repository {lab.top}/disk/Atlas")
    assert lab.project("to-top/src") == lab.project("disk/Atlas/src") == real
    assert lab.name("to-src") == "atlas"


ABSURD = {
    "empty": b"",
    "no label": b"/orion/.git\n",
    "another label": b"git: x\n",
    "binary": bytes(range(256)) * 20,
    "huge": b"x" * 3_000_000,
    "utf-16": "gitdir: x".encode("utf-16"),
}
ODD = {
    "no path": b"gitdir:",
    "itself": b"gitdir: .git\n",
    "nul": b"gitdir: \0\n",
    "not utf-8": b"gitdir: /\xff\xfe/\xe9\n",
    "huge path": b"gitdir: " + b"../" * 1_000_000,
    "root": b"gitdir: /\n",
    "upward": b"gitdir: ../../../../../../../../..\n",
}


@pytest.mark.parametrize("content", ABSURD.values(), ids=ABSURD)
def test_a_git_file_that_is_none_is_passed_over(lab: Lab, content: bytes) -> None:
    lab.repository("orion")
    (lab.folder("orion/here") / ".git").write_bytes(content)
    assert lab.name("orion/here") == "orion"


@pytest.mark.parametrize("content", ODD.values(), ids=ODD)
def test_a_git_file_that_leads_nowhere_raises_nothing(lab: Lab, content: bytes) -> None:
    (lab.folder("here") / ".git").write_bytes(content)
    assert lab.name("here") == "here"


@pytest.mark.parametrize("common", [b"", b"\0", b"\xff", b"/", b"x" * 100_000, b".\n"])
def test_an_absurd_commondir_raises_nothing(lab: Lab, common: bytes) -> None:
    (lab.folder("here") / ".git").write_text("gitdir: ../store")
    (lab.folder("store") / "commondir").write_bytes(common)
    lab.project("here")  # any name is right


def test_what_is_no_file_at_all_is_passed_over(lab: Lab) -> None:
    lab.repository("orion")
    loop, pipe, empty = (lab.folder(f"orion/{name}") / ".git" for name in "abc")
    loop.symlink_to(loop)
    os.mkfifo(pipe)
    empty.mkdir()
    assert [lab.name(f"orion/{name}") for name in "abc"] == ["orion"] * 3


def test_a_pipe_in_a_git_folder_does_not_block(lab: Lab) -> None:
    (lab.folder("here") / ".git").write_text("gitdir: ../store")
    os.mkfifo(lab.folder("store") / "commondir")
    assert lab.name("here") == "here"


# -- rule 1: projects.paths -------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_pr_08_the_longest_whole_path_wins(lab: Lab, order: tuple[int, ...]) -> None:
    for at in ("w/datahub/src", "w/datahub-api-proxy/src", "w/datahub/api-proxy/src", "w/datahub2"):
        lab.folder(at)
    configured = [
        ("datahub", (str(lab.top / "w/datahub"),)),
        ("proxy", (str(lab.top / "w/datahub-api-proxy"),)),
        ("deep", (str(lab.top / "w/datahub/api-proxy") + "/",)),
    ]
    projects = Projects(paths=tuple(configured[index] for index in order))
    # datahub2 lies in no configured folder: `w` is one of the folders of projects
    assert find_project(str(lab.top / "w/datahub2"), projects, str(lab.top)) == Project(
        "datahub2", "folder below ~/w"
    )
    assert lab.name("w/datahub/src", projects) == "datahub"
    assert lab.name("w/datahub", projects) == "datahub"
    assert lab.name("w/datahub-api-proxy/src", projects) == "proxy"
    assert lab.name("w/datahub/api-proxy/src", projects) == "deep"


def test_cf_01_names_stay_as_written(lab: Lab) -> None:
    names = ("no", "on", "0123", "1_000", "2024-01-02", "null")
    projects = Projects(
        paths=tuple((name, (str(lab.top / f"p{n}"),)) for n, name in enumerate(names, start=1))
    )
    assert [lab.name(f"p{n}", projects) for n in range(1, 7)] == list(names)


def test_a_configured_folder_comes_before_the_repository(lab: Lab) -> None:
    lab.repository("mono")
    lab.folder("mono/apps/shop/src")
    folder = str(lab.top / "mono/apps/shop")
    projects = Projects(paths=(("Shop", ("/elsewhere", folder)),))
    assert lab.project("mono/apps/shop/src", projects) == Project(
        "shop", f"projects.paths {folder}"
    )
    assert lab.name("mono/apps", projects) == "mono"


def test_configured_folders_meet_through_links(lab: Lab) -> None:
    lab.folder("disk/x/src")
    (lab.top / "link").symlink_to(lab.top / "disk")
    for configured, given_ in (("link/x", "disk/x/src"), ("disk/x", "link/x/src")):
        projects = Projects(paths=(("shop", (str(lab.top / configured),)),))
        assert lab.name(given_, projects) == "shop"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/ana/lab/x/src", "shop"),
        ("/Users/ana/lab/x", "shop"),
        ("/Users/Ana García/lab/x", "shop"),
        ("/var/home/bo/lab/x", "shop"),
        ("/root/lab/x", "shop"),
        ("/data/people/ana/lab/x", "shop"),  # the user's own, wherever it is
        (r"C:\Users\ana\lab\x\src", "shop"),
        ("/home/ana/lab/xy", "lab"),
        ("/home/ana/a/lab/x", "a"),
        ("/data/people/eva/lab/x", None),
    ],
)
def test_a_tilde_is_any_home(folder: str, name: str | None) -> None:
    projects = Projects(paths=(("shop", ("~/lab/x",)),))
    found = find_project(folder, projects, "/data/people/ana")
    assert (found.name if found else None) == name


def test_accents_meet_however_they_are_composed() -> None:
    composed, decomposed = "/home/ana/año", unicodedata.normalize("NFD", "/home/ana/año")
    for configured, given_ in ((composed, decomposed), (decomposed, composed)):
        found = find_project(given_, Projects(paths=(("x", (configured,)),)), "/home/ana")
        assert found is not None
        assert found.name == "x"


def test_a_configured_folder_that_is_none_matches_nothing() -> None:
    projects = Projects(paths=(("x", ("", "lab", "~ana/lab", ".", "\0", "~bo")), ("", ("~/lab",))))
    assert find_project("/home/ana/lab", projects, "/home/ana") == Project(
        "lab", "first folder below home"
    )


# -- rules 3 and 4: where people keep projects ------------------------------------------

HOME = "/home/ana"
FOLDERS = [
    ("/home/ana/code/x", "x", "folder below ~/code"),
    ("/home/ana/Code/Atlas/src/deep", "atlas", "folder below ~/Code"),
    ("/home/ana/Documents/GitHub/x/y", "x", "folder below ~/Documents/GitHub"),
    ("/home/ana/source/repos/x", "x", "folder below ~/source/repos"),
    ("/home/ana/proyectos/Facturación/src", "facturación", "folder below ~/proyectos"),
    ("/home/ana/Mis Proyectos/año 2026 (ñ)", "año 2026 (ñ)", "folder below ~/Mis Proyectos"),
    ("/w/orion/src", "orion", "folder below /w"),
    ("/srv/src/y/z", "y", "folder below /srv/src"),
    ("/workspaces/x", "x", "folder below /workspaces"),
    ("/Users/eva/dev/x", "x", "folder below /Users/eva/dev"),
    (r"C:\Users\ana\code\x", "x", "folder below /mnt/c/Users/ana/code"),
    ("D:/dev/x", "x", "folder below /mnt/d/dev"),
    ("/home/ana/budget/2026", "budget", "first folder below home"),
    ("/home/ana/Documents/Budget/2026", "budget", "first folder below home"),
    ("/home/ana/Documentos/Mis Documentos/tesis", "tesis", "first folder below home"),
    ("/home/ana/.config/nvim/lua", "nvim", "first folder below home"),
    ("/home/eva/budget", "budget", "first folder below home"),
]
NONE = [
    "/home/ana",
    "/home/ana/",
    "/home",
    "/",
    "//",
    "/home/ana/Documents",
    "/home/ana/Documents/tmp",
    "/home/ana/.cache",
    "/home/ana/code",  # all projects, and so none
    "/home/ana/Documents/code",
    "/srv/www/x",
    "/tmp/x",
    "code/x",
    "",
    ".",
    "~/code/x",
    HOME + "/" + "a" * PATH_CHARS,
]


@pytest.mark.parametrize(("folder", "name", "rule"), FOLDERS)
def test_folders(folder: str, name: str, rule: str) -> None:
    assert find_project(folder, Projects(), HOME) == Project(name, rule)


@pytest.mark.parametrize("folder", NONE)
def test_folders_of_no_project(folder: str) -> None:
    assert find_project(folder, Projects(), HOME) is None


def test_roots_count_below_home_first() -> None:
    assert find_project("/work/ana/code/x", Projects(), "/work/ana") == Project(
        "x", "folder below ~/code"
    )
    assert find_project("/work/ana/notes", Projects(), "/work/ana/") == Project(
        "notes", "first folder below home"
    )


@pytest.mark.parametrize("home", ["", "/", "relative"])
def test_without_a_home_of_ones_own(home: str) -> None:
    assert find_project("/srv/src/y", Projects(), home) == Project("y", "folder below /srv/src")
    assert find_project("/etc/x", Projects(), home) is None


def test_configured_roots_and_generic_folders() -> None:
    projects = Projects(roots=("Lab",), generic=("Notes",))
    names = {
        folder: found.name if (found := find_project(HOME + folder, projects, HOME)) else None
        for folder in ("/lab/x", "/notes/y", "/notes", "/code/z", "/documents/z")
    }
    assert names == {
        "/lab/x": "x",
        "/notes/y": "y",
        "/notes": None,
        "/code/z": "code",
        "/documents/z": "documents",
    }


def test_the_defaults_are_names_as_they_are_compared() -> None:
    for names in (Projects().roots, Projects().generic):
        assert len(set(names)) == len(names)
        for name in names:
            assert name == unicodedata.normalize("NFC", name.lower())
            assert "/" not in name


# -- aliases and names ------------------------------------------------------------------


def test_aliases_come_last(lab: Lab) -> None:
    lab.repository("ana/atlas-v2")
    projects = Projects(
        paths=(("old", ("~/x",)),),
        aliases=(("ATLAS-v2", "Atlas"), ("old", "new"), ("new", "newer"), ("y", "")),
    )
    assert lab.project("ana/atlas-v2", projects) == Project(
        "atlas", "git repository ~/atlas-v2 → alias"
    )
    assert lab.project("ana/x", projects) == Project("new", "projects.paths ~/x → alias")
    assert lab.name("ana/y", projects) == "y"


def test_names_are_composed_lower_case(lab: Lab) -> None:
    lab.repository(unicodedata.normalize("NFD", "ana/Ñandú"))
    assert lab.name(unicodedata.normalize("NFD", "ana/Ñandú")) == "ñandú"


def test_a_name_that_is_no_utf_8_can_be_stored() -> None:
    found = find_project(os.fsdecode(b"/home/ana/caf\xe9"), Projects(), HOME)
    assert found == Project("caf?", "first folder below home")


# -- promises ---------------------------------------------------------------------------

characters = st.characters() | st.characters(categories=("Cs", "Cc", "Mn", "Lu"))
parts = st.text(characters, max_size=8) | st.sampled_from(
    ["code", "Documents", ".git", "x.git", "..", ".", "home", "Users", "ana", "~", "C:\\", "Å"]
)
folders = st.text(characters) | st.lists(parts, max_size=8).map(lambda p: "/" + "/".join(p))
configs = st.builds(
    Projects,
    paths=st.lists(st.tuples(parts, st.lists(folders | parts, max_size=2).map(tuple)), max_size=2),
    aliases=st.lists(st.tuples(parts, parts), max_size=2),
)


@settings(deadline=None)
@given(folders, configs, st.just(HOME) | folders)
def test_any_text_has_a_clean_name_or_none(folder: str, projects: Projects, home: str) -> None:
    found = find_project(folder, projects, home)
    if found is not None:
        assert found.name
        assert found.name == unicodedata.normalize("NFC", found.name)
        assert found.name == found.name.lower()
        assert f"{found.name} {found.rule}".encode()
    for again in (folder + "/", folder + "/./", folder + "//") if folder[:1] == "/" else ():
        assert find_project(again, projects, home) == found


class Calls(list[str]):
    """The file system calls made, by name and path."""

    def watch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for module, name in [
            *((os, name) for name in ("stat", "lstat", "open", "readlink", "listdir", "scandir")),
            (builtins, "open"),
        ]:
            monkeypatch.setattr(module, name, self._watched(name, getattr(module, name)))

    def _watched(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        def watched(path: object, *rest: object, **named: object) -> object:
            self.append(f"{name} {path}")
            return call(path, *rest, **named)

        return watched


DEEP = "a/b/c/d/e/f"


def test_a_deep_folder_costs_a_call_for_each_folder_above(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.orion()
    lab.folder(f"orion/{DEEP}")
    lab.folder(f"wt-fix/{DEEP}")
    calls = Calls()
    calls.watch(monkeypatch)

    assert lab.name(f"orion/{DEEP}") == "orion"
    # .git of 7 folders, HEAD, two to know home, one to know a link
    assert len(calls) == 7 + 4, calls

    calls.clear()
    assert lab.name(f"wt-fix/{DEEP}") == "orion"
    # besides: two files read, and the real path of the main repository
    assert len(calls) <= 7 + 5 + len((lab.top / "orion/.git/worktrees/x").parts), calls

    calls.clear()
    assert lab.project(f"ana/{DEEP}") == Project("a", "first folder below home")
    # .git and the real path of 6 folders and of those above home
    assert len(calls) <= 2 * 6 + len(Path(lab.home).parts), calls


def test_nothing_heavy_is_imported() -> None:
    script = (
        "import sys\n"
        "from jezero_hooks.config import Projects\n"
        "before = set(sys.modules)\n"
        "from jezero_hooks.project import find_project\n"
        "assert find_project('/home/ana/code/x', Projects(), '/home/ana').name == 'x'\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    root = str(Path(__file__).parent.parent)
    run = subprocess.run(
        [sys.executable, "-SE", "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["jezero_hooks.project", "jezero_hooks.repository"]
