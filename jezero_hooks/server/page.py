"""The page: one file, and the policy under which a browser shows it."""

from __future__ import annotations

import base64
import hashlib
import os
import re

PAGE_FILE = os.path.join(os.path.dirname(__file__), "page.html")

# What stands between these tags is hashed byte by byte.
PARTS = re.compile(rb"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL)


def page() -> bytes:
    """Return the page."""
    with open(PAGE_FILE, "rb") as file:
        return file.read()


def policy(html: bytes) -> str:
    """Return the Content-Security-Policy of a page: its own script and style, and this server."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hashes(html, b'script')}",
            f"style-src {_hashes(html, b'style')}",
            "connect-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def _hashes(html: bytes, tag: bytes) -> str:
    digests = [hashlib.sha256(text).digest() for name, text in PARTS.findall(html) if name == tag]
    return " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in digests) or "'none'"
