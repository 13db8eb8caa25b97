"""The config: every default once, beside its reason; the user's YAML over it.

The YAML is read once and kept compiled beside it, so that a hook reads plain JSON.
"""

from __future__ import annotations

import os

from . import __version__
from .jsontext import dump, load
from .library.match import DOCUMENTS_TOKENIZER, ITEMS_TOKENIZER, Bounds, DocumentBounds
from .model import NamedTuple
from .rules.ranking import DocumentRanking, DocumentWeights, Ranking, Weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rules.later import Numbers

CONFIG_FILE = "config.yaml"
COMPILED_FILE = "config.compiled.json"

# Folders in which people keep their projects side by side. `src` stands inside projects too,
# but those are nearly always repositories; www, web, apps and source would cost more.
ROOTS = (
    "code, coding, dev, devel, develop, developer, development, src, git, github, gitlab, repo, "
    "repos, repositories, checkouts, clones, project, projects, proj, w, work, workspace, "
    "workspaces, ws, ideaprojects, pycharmprojects, webstormprojects, clionprojects, "
    "golandprojects, riderprojects, androidstudioprojects, eclipse-workspace, proyecto, "
    "proyectos, mis proyectos, repositorio, repositorios, trabajo, trabajos, desarrollo, "
    "desarrollos, codigo, código, programacion, programación"
)
# Folders that stand in every home: what lies in them can be a project, they are none.
GENERIC = (
    "documents, my documents, desktop, downloads, pictures, music, movies, videos, photos, "
    "public, templates, library, applications, bin, tmp, temp, local, share, go, snap, dropbox, "
    "onedrive, google drive, nextcloud, documentos, mis documentos, escritorio, descargas, "
    "imagenes, imágenes, fotos, musica, música, vídeos, peliculas, películas, publico, público, "
    "plantillas, temporal"
)


class Storage(NamedTuple):
    tokenizer: str = ITEMS_TOKENIZER


class Search(NamedTuple):
    limit: int = 10  # what one looks through before asking again
    max_limit: int = 50  # above it an agent's context is filled, not informed
    candidate_pool: int = Ranking().candidate_pool
    half_life_days: float = Ranking().half_life_days
    recency_weight: float = Ranking().recency_weight
    weights: Weights = Weights()
    query_chars: int = Bounds().query_chars
    query_terms: int = Bounds().terms
    term_chars: int = Bounds().term_chars

    def ranking(self) -> Ranking:
        return Ranking(self.weights, self.candidate_pool, self.half_life_days, self.recency_weight)

    def bounds(self) -> Bounds:
        return Bounds(self.query_chars, self.query_terms, self.term_chars)


class Timeline(NamedTuple):
    limit: int = 20  # a screen full


class Later(NamedTuple):
    limit: int = 5  # what changed since, not all that came after
    min_relevance: float = 0.3  # a hit below it shares common words with the best, no subject
    closest: int = 2  # the newest alone would push out what answers the very question
    hits: int = 50  # deeper ones are below min_relevance as good as always

    def numbers(self) -> Numbers:
        from .rules.later import Numbers  # no hook asks for it

        return Numbers(self.min_relevance, self.closest, self.hits)


class SessionStart(NamedTuple):
    items: int = 5  # where one stands, not what one ever did
    protocol: bool = True  # how to ask: without it an agent sees lines it cannot follow up


class FirstPrompt(NamedTuple):
    words: int = 20  # what a prompt is about stands in its beginning
    small_words: int = 8  # at most, where all would take too long: four tenths of their time
    word_chars: int = 3  # shorter words say nothing, and a trigram index cannot find them
    hits: int = 8  # judged by the plain rule; deeper ones share words by chance
    evidence_words: int = 2  # one word in common is no overlap
    # How many items may share as much by chance, 0 (in the file: off) for the plain rule.
    # Measured (README): it finds no fewer right items than the plain rule does, and answers one in
    # eleven of the prompts that have no answer, where that rule answers nine in ten.
    chance: float = 0.01
    related_hits: int = 20  # judged by the chance; it lets deeper ones be told from noise
    lines: int = 3  # more would not be read
    stop_lists: tuple[str, ...] = ("en", "es")
    stop_words: tuple[str, ...] = ()  # the user's own, in any spelling
    documents: bool = False  # a page changes after it was read, and a project's own docs are near


class Documents(NamedTuple):
    tokenizer: str = DOCUMENTS_TOKENIZER
    weights: DocumentWeights = DocumentWeights()
    recency_boost: float = DocumentRanking().recency_boost
    window_days: float = DocumentRanking().window_days
    snippet_tokens: int = DocumentRanking().snippet_tokens
    limit: int = 20  # a page of results
    max_limit: int = 50  # as everywhere
    max_offset: int = 200  # who has seen so many asks otherwise
    query_chars: int = DocumentBounds().query_chars
    query_terms: int = DocumentBounds().terms
    min_query_chars: int = DocumentBounds().min_query_chars
    file_times: bool = False  # a clone has the time of the clone, which dates nothing
    page_bytes: int = 1_000_000  # a book; what is longer was written by a program

    def ranking(self) -> DocumentRanking:
        return DocumentRanking(
            self.weights, self.recency_boost, self.window_days, self.snippet_tokens
        )

    def bounds(self) -> DocumentBounds:
        return DocumentBounds(self.query_chars, self.query_terms, self.min_query_chars)


class Projects(NamedTuple):
    """How the project of a folder is found (RULES 5).

    ``paths`` are (name, folders). A folder that begins with `~` is meant below any home, so
    that one config serves all machines of a person: `~/w/x` is /home/ana/w/x and
    /Users/ana/w/x, whoever runs this. Any home is the user's own, /root, and each folder
    directly in one of project.HOME_PARENTS. ``aliases`` are (name as found, name wanted).
    """

    paths: tuple[tuple[str, tuple[str, ...]], ...] = ()
    roots: tuple[str, ...] = tuple(ROOTS.split(", "))
    generic: tuple[str, ...] = tuple(GENERIC.split(", "))
    aliases: tuple[tuple[str, str], ...] = ()


class Sources(NamedTuple):
    allowed: tuple[str, ...] = ("*",)  # globs; whoever imports a source means to read it


class Mcp(NamedTuple):
    # Further keys of the HTTP server: name, file, globs of the sources it may read.
    keys: tuple[tuple[str, str, tuple[str, ...]], ...] = ()


class Serve(NamedTuple):
    cache_s: int = 0  # whoever looks on wants what is there now
    cors_origin: str = ""  # pages of other origins that may search the documents; "*" for any


class Hooks(NamedTuple):
    budget_ms: int = 400  # a wait that nobody notices; an answer later than this is none
    block_chars: int = 9_000  # the client swaps a block above 10,000 for a preview
    title_chars: int = 160  # a title is one line


class Import(NamedTuple):
    automatic: bool = True  # at session start and end, in the background
    every_minutes: float = 10.0  # a session is rarely shorter, and a look costs a second
    idle_hours: float = 8.0  # after a night it is other work
    prompts: int = 40  # beyond it one summary cannot tell what was done
    exclude: tuple[str, ...] = ()  # folders and globs; what is private is for the user to say
    original_bytes: int = 1_000_000  # a book; what is longer is output, not dialogue


class Config(NamedTuple):
    """All settings; a section is a NamedTuple whose fields are the keys."""

    storage: Storage = Storage()
    search: Search = Search()
    timeline: Timeline = Timeline()
    later: Later = Later()
    session_start: SessionStart = SessionStart()
    first_prompt: FirstPrompt = FirstPrompt()
    documents: Documents = Documents()
    projects: Projects = Projects()
    sources: Sources = Sources()
    mcp: Mcp = Mcp()
    serve: Serve = Serve()
    hooks: Hooks = Hooks()
    import_: Import = Import()


def load_config(home: str, path: str | None = None) -> Config:
    """Return the settings of a home's config file; where it cannot be used, the defaults.

    Never raises for what stands in the file: a hook has nobody to tell. ``check`` and the
    commands use configfile.read_config, which does.
    """
    path = path or os.path.join(home, CONFIG_FILE)
    try:
        found = os.stat(path)
    except OSError:
        return Config()
    stamp = [__version__, path, found.st_mtime_ns, found.st_size]
    config = _compiled(home, stamp)
    if config is None:
        from .configfile import usable_values

        values = usable_values(path)
        _compile(home, stamp, values)
        config = config_of(values)
    return config


def config_of(values: dict[str, dict[str, Any]]) -> Config:
    """Return the settings that checked values give, defaults where they say nothing."""
    config = Config()
    changed = {}
    for name, section in values.items():
        default = getattr(config, name)
        given = {key: _tuples(value) for key, value in section.items()}
        if "weights" in given:
            given["weights"] = type(default.weights)(**section["weights"])
        changed[name] = default._replace(**given)
    return config._replace(**changed)


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _compiled(home: str, stamp: list[object]) -> Config | None:
    """Return the settings compiled from the very same file, None when there are none."""
    try:
        with open(os.path.join(home, COMPILED_FILE), encoding="utf-8") as file:
            compiled = load(file.read())
        return config_of(compiled["values"]) if compiled["stamp"] == stamp else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _compile(home: str, stamp: list[object], values: dict[str, Any]) -> None:
    """Keep the values beside the config; where that cannot be written, nothing is lost."""
    path = os.path.join(home, COMPILED_FILE)
    mine = f"{path}.{os.getpid()}"
    try:
        handle = os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "w", encoding="utf-8") as file:
            file.write(dump({"stamp": stamp, "values": values}))
        os.replace(mine, path)
    except (OSError, UnicodeError):
        try:
            os.unlink(mine)
        except OSError:
            return
