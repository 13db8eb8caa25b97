"""Make realistic session transcripts: `python benchmarks/sessions.py OUT_DIR`.

They lie in OUT_DIR/projects/<slug>/<session>.jsonl, as the client keeps them, so OUT_DIR can
stand for $CLAUDE_CONFIG_DIR. The same seed gives the same bytes and the same file times. As
in real ones, most bytes are tool results (written twice), attachments and API requests.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

Record = dict[str, Any]

SESSIONS = 5_000  # about 118 MB
# One session ends every three hours, the last one here: about two years of work.
LAST_DAY = datetime(2026, 11, 30, 18, tzinfo=UTC)
BETWEEN_HOURS = 3.5

PROJECTS = (
    *("orion", "facturación", "webshop", "billing-api", "docs-site", "infra", "mobile-app"),
    *("data-pipeline", "auth-service", "design-system", "cli-tools", "search"),
)
PARTS = (
    *("consent banner", "invoice export", "login form", "search index", "retry queue", "cache"),
    *("webhook handler", "date picker", "migration script", "rate limiter", "PDF renderer"),
    *("session store", "feature flag", "upload endpoint", "audit log", "currency rounding"),
    *("tokenizer", "websocket client", "cron job", "Docker image", "CSV importer", "sitemap"),
)
PARTES = (
    *("el banner de consentimiento", "la exportación de facturas", "el índice de búsqueda"),
    *("la caché", "el formulario de acceso", "la migración a PostgreSQL", "el informe mensual"),
    *("la cola de reintentos", "el cálculo del IVA", "la sesión de usuario", "el panel de control"),
)
FAULTS = (
    *("fails on Safari", "loses the time zone", "times out after 30 seconds", "leaks memory"),
    *("returns duplicate rows", "breaks with non-ASCII names", "ignores the locale", "deadlocks"),
    *("shows a stale value", "crashes on empty input", "is slow with 10,000 rows"),
)
FALLOS = (
    *("falla en el móvil", "pierde los acentos", "tarda demasiado", "devuelve filas duplicadas"),
    *("no respeta la zona horaria", "se bloquea al guardar", "muestra números negativos"),
)
ASKS = (
    "The {part} {fault}. Find out why and fix it.",
    "Add a test for the {part}, it {fault}.",
    "Why does the {part} {fault_short}?\n\nIt began with the last release. Look at @{path} first.",
    "Refactor the {part} so that it no longer {fault}; keep the public functions as they are.",
    "# Task\n\nThe {part} {fault}.\n\n- reproduce it\n- fix it\n- add a regression test",
)
PIDE = (
    "{parte} {fallo}, ¿puedes mirar por qué?",
    "Arregla {parte}: {fallo} desde ayer. Añade también una prueba.",
    "¿Por qué {parte} {fallo}? Mira primero {path}.",
)
FOLLOW_UPS = (
    *("ok", "continue", "yes", "sigue", "gracias", "Now run the whole test suite.", "Commit it."),
    *("And on mobile?", "Explain the change in two sentences.", "¿Y si la lista está vacía?"),
    "Write the changelog line too.",
)
PROSE = (
    "the value is read before the lock is taken so a second request sees the old row and the "
    "handler retries with a stale key until the queue drains which explains the order of events "
    "in the log that you pasted and why it only shows under load on slower machines"
)
WORDS = PROSE.split()
COMMANDS = (
    *("pytest -q tests/test_{n}.py", "npm run build", "ls -la", "git status -sb", "make lint"),
    *("grep -rn 'handler' src | head -20", "cd web && npm test -- --runInBand", "cat setup.cfg"),
    *("docker compose up -d db", "python manage.py migrate", "git diff --stat", "cargo check"),
)
ERRORS = (
    'Exit code 1\nTraceback (most recent call last):\n  File "src/app_{n}.py", line {n}, in run\n'
    "    return table[key]\nKeyError: 'row_{n}'",
    "Exit code 2\nsrc/app_{n}.ts({n},7): error TS2345: Argument of type 'string' is not assignable",
    "File does not exist. Note: your current working directory is /home/dev/code.",
    "<tool_use_error>String to replace not found in file.</tool_use_error>",
)


class Transcript:
    """One session in the making: the lines so far, and what every record repeats."""

    def __init__(self, rng: random.Random, starts_at: datetime) -> None:
        self.rng = rng
        self.now = starts_at
        self.session_id = self.new_id()
        self.project = rng.choice(PROJECTS)
        self.folder = f"/home/dev/code/{self.project}"
        self.newest_client = rng.random() < 0.5
        self.parent: str | None = None
        self.lines: list[str] = []

    def new_id(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def add(self, record: Record) -> None:
        self.lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")))

    def add_message(self, kind: str, head: Record, tail: Record | None = None) -> None:
        """Add a record of the dialogue, its keys in the client's order."""
        self.now += timedelta(milliseconds=self.rng.randrange(50, 20_000))
        record = {"parentUuid": self.parent, "isSidechain": False, **head, "type": kind}
        self.parent = self.new_id()
        record |= {"uuid": self.parent, "timestamp": _iso(self.now), **(tail or {})}
        record |= {"userType": "external", "entrypoint": "cli", "cwd": self.folder}
        record |= {"sessionId": self.session_id, "gitBranch": "main"}
        record["version"] = "2.1.332" if self.newest_client else "2.1.197"
        self.add(record)

    def add_attachments(self, how_many: int) -> None:
        for _ in range(how_many):
            text = " ".join(self.rng.choices(WORDS, k=self.rng.randrange(20, 150)))
            self.add_message(
                "attachment", {"attachment": {"type": "skill_listing", "content": text}}
            )

    def add_request(self) -> None:
        if not self.newest_client:
            return
        own = {"sessionId": self.session_id, "id": self.new_id(), "timestamp": _iso(self.now)}
        sizes = {"blocks": [self.rng.getrandbits(60) for _ in range(18)]}
        self.add({"type": "api-request", **own, **sizes})
        text = " ".join(self.rng.choices(WORDS, k=40))
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        self.add({"type": "api-request-blob", **own, "message": message})

    def add_prompt(self, text: str) -> None:
        self.add_message(
            "user",
            {"promptId": self.new_id(), "message": {"role": "user", "content": text}},
            {"permissionMode": "default", "origin": {"kind": "human"}, "promptSource": "typed"},
        )

    def add_answer(self, *blocks: Record) -> None:
        self.add_request()
        message_id = f"msg_{self.rng.getrandbits(96):024x}"
        for block in blocks:
            message: Record = {"id": message_id, "type": "message", "role": "assistant"}
            message |= {"content": [block], "usage": {"input_tokens": 9, "output_tokens": 321}}
            self.add_message("assistant", {"message": message, "requestId": self.new_id()})

    def add_tool(self) -> None:
        """Add a tool's call and its result, which the client writes twice."""
        rng, call_id, n = (
            self.rng,
            f"toolu_{self.rng.getrandbits(96):024x}",
            self.rng.randrange(400),
        )
        path = f"{self.folder}/src/app_{n}.py"
        name, values = rng.choice(
            (
                ("Bash", {"command": rng.choice(COMMANDS).format(n=n), "description": "Run"}),
                ("Read", {"file_path": path}),
                ("Edit", {"file_path": path, "old_string": "a - b", "new_string": "a + b"}),
                ("Grep", {"pattern": "handler", "path": self.folder}),
            )
        )
        self.add_answer({"type": "tool_use", "id": call_id, "name": name, "input": values})
        failed = rng.random() < 0.12
        lines = int(rng.paretovariate(1.1) * 6)
        output = "\n".join(
            f"{row + 1}\tdef handler_{row}(value): " + " ".join(rng.choices(WORDS, k=4))
            for row in range(min(lines, 500))
        )
        text = rng.choice(ERRORS).format(n=n) if failed else output
        result = {"tool_use_id": call_id, "type": "tool_result", "content": text}
        again = (
            f"Error: {text}" if failed else {"stdout": output, "stderr": "", "interrupted": False}
        )
        self.add_message(
            "user",
            {"message": {"role": "user", "content": [result | {"is_error": failed}]}},
            {"toolUseResult": again},
        )


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _first_prompt(rng: random.Random) -> str:
    path = f"src/app_{rng.randrange(400)}.py"
    if rng.random() < 0.3:
        text = rng.choice(PIDE).format(
            parte=rng.choice(PARTES), fallo=rng.choice(FALLOS), path=path
        )
        return text[0].upper() + text[1:]
    fault = rng.choice(FAULTS)
    first, _, rest = fault.partition(" ")
    short = f"{first.removesuffix('s')} {rest}".strip()
    return rng.choice(ASKS).format(
        part=rng.choice(PARTS), fault=fault, fault_short=short, path=path
    )


def _prompts(rng: random.Random) -> int:
    """Most sessions are short, a few fill more than one segment."""
    low, high = rng.choices(((1, 1), (2, 3), (4, 8), (10, 25), (45, 60)), (780, 165, 47, 6, 2))[0]
    return rng.randint(low, high)


def transcript(rng: random.Random, ends_at: datetime) -> Transcript:
    """Return one session's transcript, begun some minutes before ends_at."""
    made = Transcript(rng, ends_at - timedelta(minutes=30))
    made.add({"type": "mode", "mode": "normal", "sessionId": made.session_id})
    made.add_attachments(2)
    subject = _first_prompt(rng)
    for number in range(_prompts(rng)):
        prompt = subject if number == 0 else rng.choice((*FOLLOW_UPS, _first_prompt(rng)))
        if number and rng.random() < 0.04:
            made.now += timedelta(hours=rng.randrange(9, 60))
        if number and rng.random() < 0.03:
            made.add_message("system", {"subtype": "compact_boundary", "content": "Compacted"})
        made.add_prompt(prompt)
        if number == 0:
            made.add_attachments(7 if made.newest_client else 2)
        made.add_answer({"type": "text", "text": "I'll look at it."})
        for _ in range(int(rng.paretovariate(1.25)) % 9):
            made.add_tool()
        ending = " ".join(rng.choices(WORDS, k=rng.randrange(8, 60)))
        made.add_answer({"type": "text", "text": f"Fixed: {ending}.\n\nThe tests pass."})
        last = {"type": "last-prompt", "lastPrompt": prompt, "sessionId": made.session_id}
        made.add(last | {"leafUuid": made.parent})
    if rng.random() < 0.2:
        title = " ".join(subject.split()[:7]).strip("#., ")
        made.add({"type": "ai-title", "aiTitle": title, "sessionId": made.session_id})
    return made


def write(out_dir: str, sessions: int = SESSIONS, seed: int = 1) -> int:
    """Write so many transcripts below OUT_DIR/projects; return their bytes."""
    rng = random.Random(seed)
    written = 0
    for number in range(sessions):
        ends_at = LAST_DAY - timedelta(hours=BETWEEN_HOURS * (sessions - 1 - number))
        made = transcript(rng, ends_at)
        slug = "".join(ch if ch.isalnum() and ch.isascii() else "-" for ch in made.folder)
        folder = os.path.join(out_dir, "projects", slug)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{made.session_id}.jsonl")
        content = ("\n".join(made.lines) + "\n").encode()
        with open(path, "wb") as stream:
            stream.write(content)
        os.utime(path, (made.now.timestamp(), made.now.timestamp()))
        written += len(content)
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out_dir", metavar="OUT_DIR")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    written = write(given.out_dir, given.sessions, given.seed)
    print(f"{given.sessions:,} sessions, {written / 1e6:.1f} MB in {given.out_dir}")


if __name__ == "__main__":
    main()
