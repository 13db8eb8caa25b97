"""The site: how long /api/search takes over HTTP, beside an answer that searches nothing.

    python benchmarks/serve.py [--pages 5000] [--seed 4] [--queries 500]

Makes and indexes the pages of benchmarks/documents.py, starts `jezero-hook serve` on them, and
asks one question after another on one connection, in milliseconds.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from documents import index, write_pages  # noqa: E402

PROGRAM = (sys.executable, "-c", "import sys; from jezero_hooks.cli import main; sys.exit(main())")


def asked(connection: http.client.HTTPConnection, query: str) -> float:
    """Return the milliseconds that an answer took, to its last byte."""
    start = time.perf_counter()
    connection.request("GET", f"/api/search?{urlencode({'q': query})}")
    reply = connection.getresponse()
    body = reply.read()
    took = (time.perf_counter() - start) * 1e3
    if reply.status != 200:
        raise SystemExit(f"{query}: {reply.status} {body!r}")
    return took


def percentiles(name: str, took: list[float]) -> dict[str, float]:
    took = sorted(took)
    return {
        f"{name}_p50_ms": round(took[len(took) // 2], 2),
        f"{name}_p99_ms": round(took[int(len(took) * 0.99)], 2),
    }


def measure(port: int, words: list[str], queries: int, seed: int) -> dict[str, float]:
    chance = random.Random(seed)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    texts = [
        " ".join(chance.choices(words[:2_000], k=chance.randint(1, 3))) for _ in range(queries)
    ]
    asked(connection, "warm")
    nothing = [asked(connection, "") for _ in texts]
    return {
        **percentiles("nothing_asked", nothing),
        **percentiles("search", [asked(connection, text) for text in texts]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        folder = os.path.join(home, "pages")
        os.mkdir(folder)
        size, words = write_pages(folder, options.pages, options.seed)
        index(os.path.join(home, "library.db"), folder)
        server = subprocess.Popen(
            [*PROGRAM, "serve", "--listen", "127.0.0.1:0"],
            env={**os.environ, "JEZERO_HOOKS_HOME": home},
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stderr is not None
            port = int(server.stderr.readline().strip().rstrip("/").rpartition(":")[2])
            found = measure(port, words, options.queries, options.seed)
        finally:
            server.terminate()
            server.communicate()
    print(json.dumps({"pages": options.pages, "mb": round(size / 1e6, 1), **found}, indent=2))


if __name__ == "__main__":
    main()
