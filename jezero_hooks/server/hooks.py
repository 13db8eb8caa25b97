"""What both hooks would inject: the dry run over HTTP."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ..dryrun import Stage, dry_run_json, example, sample_stage
from ..errors import UsageError
from ..home import user_home
from ..hook import first_prompt_block, session_start_block
from ..model import Project
from ..payload import asked as asked_in

if TYPE_CHECKING:
    from .desk import Desk
    from .query import Asked

# Which rule found the project: whoever asks said it.
NAMED = "named"


def hooks_shown(desk: Desk, asked: Asked) -> tuple[int, dict[str, Any]]:
    """Answer /api/dry-run. Raises UsageError. Source: RULES 3, 4."""
    folder, project = _folder(asked), _project(asked)
    # What the hooks may read is here what the key may.
    allowed = desk.config.sources.allowed if desk.filters.allowed is None else desk.filters.allowed
    config = desk.config._replace(sources=desk.config.sources._replace(allowed=allowed))
    stage = Stage(desk.reader, "library", folder, allowed)
    if desk.reader.is_empty():
        config = desk.config
        stage = sample_stage(config, folder, desk.now_s, project)
    before = desk.filters.before
    start = session_start_block(stage.reader, config, stage.folder, project=project, before=before)
    prompt = asked.raw.get("prompt")
    if prompt is None:
        filters = desk.filters._replace(allowed=config.sources.allowed)
        prompt = example(stage, start, filters)
    first = first_prompt_block(
        stage.reader, config, asked_in(prompt), now_s=desk.now_s, before=before
    )
    return 200, dry_run_json(stage, start, prompt, first, config, desk.reader.path, before)


def _folder(asked: Asked) -> str:
    folder = asked.text("folder")
    if folder == "~" or folder.startswith("~/"):
        folder = user_home() + folder[1:]
    if folder and (not folder.startswith("/") or "\0" in folder):
        raise UsageError("folder must be a whole path, like /home/ana/code/shop or ~/code/shop")
    if folder and asked.text("project"):
        raise UsageError("give a project or a folder, not both")
    return os.path.normpath(folder) if folder else ""


def _project(asked: Asked) -> Project | None:
    name = asked.arguments.text("project")
    return Project(name, NAMED) if name else None
