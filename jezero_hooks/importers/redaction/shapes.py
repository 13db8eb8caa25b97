"""Tokens known by their shape, wherever they stand."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

# What detect-secrets finds: a literal that the shape holds, how far before the literal
# the secret starts, and the detector. Only its patterns are used: a detector can also ask
# the provider whether a secret is alive, and that must never happen here.
_LIBRARY: dict[str, tuple[tuple[int, ...], str]] = {
    "A3T": ((0,), "aws.AWSKeyDetector"),
    "ABIA": ((0,), "aws.AWSKeyDetector"),
    "ACCA": ((0,), "aws.AWSKeyDetector"),
    "AKIA": ((0,), "aws.AWSKeyDetector"),
    "ASIA": ((0,), "aws.AWSKeyDetector"),
    "gho_": ((0,), "github_token.GitHubTokenDetector"),
    "ghp_": ((0,), "github_token.GitHubTokenDetector"),
    "ghr_": ((0,), "github_token.GitHubTokenDetector"),
    "ghs_": ((0,), "github_token.GitHubTokenDetector"),
    "ghu_": ((0,), "github_token.GitHubTokenDetector"),
    "GR1348941": ((0,), "gitlab_token.GitLabTokenDetector"),
    "pypi-Ag": ((0,), "pypi_token.PypiTokenDetector"),
    "SG.": ((0,), "sendgrid.SendGridDetector"),
    "k_live_": ((1,), "stripe.StripeDetector"),
    "sq0csp-": ((0,), "square_oauth.SquareOAuthDetector"),
    "xox": ((0,), "slack.SlackDetector"),
    ":AA": ((8, 9, 10), "telegram_token.TelegramBotTokenDetector"),
    "-us": ((32,), "mailchimp.MailchimpDetector"),
}
# The same for shapes whose literal is too common alone: a pattern in its place.
_LIBRARY_PATTERNS: tuple[tuple[re.Pattern[str], tuple[int, ...], str], ...] = (
    (re.compile(r"AC[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    (re.compile(r"SK[0-9a-f]{32}(?![A-Za-z0-9])"), (0,), "twilio.TwilioKeyDetector"),
    (re.compile(r"gl[a-z]{2,5}-[\w-]{20}"), (0,), "gitlab_token.GitLabTokenDetector"),
    (
        re.compile(r"\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}"),
        (24, 25, 26),
        "discord.DiscordBotTokenDetector",
    ),
)
# Shapes that detect-secrets 1.5 does not know, or knows in an older form only: the
# literal, and what follows it.
_OWN = {
    "AGE-SECRET-KEY-1": r"[A-Z0-9]{30,}",
    "AIza": r"[A-Za-z0-9_-]{35}",
    "AKC": r"(?=[A-Za-z]{0,40}[0-9])[A-Za-z0-9]{60,}",
    "ATATT3x": r"[A-Za-z0-9_=-]{40,}",
    "EAAC": r"[A-Za-z0-9]{60,}",
    "GOCSPX-": r"[A-Za-z0-9_-]{20,}",
    "NRAK-": r"[A-Z0-9]{27}",
    "PMAK-": r"[0-9a-f]{24}-[0-9a-f]{34}",
    "dapi": r"[0-9a-f]{32}",
    "dckr_pat_": r"[A-Za-z0-9_-]{20,}",
    "dop_v1_": r"[0-9a-f]{64}",
    "dp.": r"(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}",
    "figd_": r"[A-Za-z0-9_-]{40,}",
    "github_pat_": r"[A-Za-z0-9_]{22,}",
    "glsa_": r"[A-Za-z0-9_]{32,}",
    "gsk_": r"[A-Za-z0-9]{40,}",
    "hf_": r"[A-Za-z0-9]{30,}",
    "hvs.": r"[A-Za-z0-9_-]{24,}",
    "key-": r"[0-9a-f]{32}(?![A-Za-z0-9])",
    "lin_api_": r"[A-Za-z0-9]{32,}",
    "npm_": r"[A-Za-z0-9]{36}",
    "nvapi-": r"[A-Za-z0-9_-]{40,}",
    "ops_eyJ": r"[A-Za-z0-9_=-]{40,}",
    "pplx-": r"[A-Za-z0-9]{40,}",
    "pul-": r"[0-9a-f]{40}(?![A-Za-z0-9])",
    "rk_test_": r"[A-Za-z0-9]{16,}",
    "rubygems_": r"[0-9a-f]{48}",
    "sbp_": r"[0-9a-f]{40}",
    "shp": r"(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    # OpenAI, Anthropic and those who follow them; not sk-learn-… or sk-fading-circle-12.
    "sk-": r"(?=[A-Za-z_-]{0,64}[0-9])"
    r"(?:[a-z0-9]{2,10}-){0,2}[A-Za-z0-9]{12}[A-Za-z0-9_-]{4,}",
    "sk-ant-": r"[a-z0-9]{3,8}-[A-Za-z0-9_-]{20,}",
    "sk-proj-": r"[A-Za-z0-9_-]{20,}",
    "sk_test_": r"[A-Za-z0-9]{16,}",
    "sntrys_": r"[A-Za-z0-9+/=_-]{40,}",
    "tskey-": r"[a-z]{3,9}-[A-Za-z0-9-]{16,}",
    "whsec_": r"[A-Za-z0-9+/=]{24,}",
    "xai-": r"[A-Za-z0-9]{60,}",
    "xapp-": r"[0-9]-[A-Za-z0-9-]{16,}",
    "xkeysib-": r"[0-9a-f]{48,}",
    "xoxe": r"(?:\.xox[bp])?-[A-Za-z0-9-]{16,}",
    "ya29.": r"[A-Za-z0-9_-]{20,}",
}


def _from_word_start(literal: str, rest: str) -> re.Pattern[str]:
    """A pattern that keeps its literal prefix (fast), yet starts no match inside a word."""
    literal = re.escape(literal)
    return re.compile(f"{literal}(?<![A-Za-z0-9]{literal}){rest}")


_OWN_PATTERNS = tuple((literal, _from_word_start(literal, rest)) for literal, rest in _OWN.items())
# Every shape holds such a run, few texts do: the literals are looked for among the runs.
_LONG_RUN = re.compile(r"[^A-Za-z0-9_-][A-Za-z0-9_-]{20,}")
_LONG_START = re.compile(r"[A-Za-z0-9_-]{20,}")
# A literal stands in the run, or ends this close before it ("SG.", "ya29.").
LITERAL_REACH = 8
# No shape is longer, but a token may be: it is followed to the end of its run.
SHAPE_LIMIT = 2_048
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TOKEN_RUN = re.compile(r"[A-Za-z0-9_-]*")
_JWT_RUN = re.compile(r"[A-Za-z0-9_=.-]*")
_AWS_SECRET = re.compile(r"[^A-Za-z0-9/+]([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


@cache
def _detector(name: str) -> tuple[re.Pattern[str], ...]:
    """One detector's patterns; loaded late, for detect-secrets takes 0.1 s to import."""
    module, _, detector = name.partition(".")
    return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), detector).denylist)


def token_shapes(text: str) -> Iterator[Span]:
    """Tokens of a known shape: the library's, and ours where it has none."""
    runs = [text[max(0, m.start() - LITERAL_REACH) : m.end()] for m in _LONG_RUN.finditer(text)]
    if at_start := _LONG_START.match(text):
        runs.append(at_start[0])
    if not runs:
        return
    among = "\n".join(runs)
    for pattern, leads, detector in _LIBRARY_PATTERNS:
        yield from _by_library(text, pattern, leads, detector)
    for literal, (leads, detector) in _LIBRARY.items():
        if literal in among:
            yield from _by_library(text, re.compile(re.escape(literal)), leads, detector)
    for literal, pattern in _OWN_PATTERNS:
        if literal in among:
            for found in pattern.finditer(text):
                yield found.start(), run_end(_TOKEN_RUN, text, found.end())
    if ".eyJ" in among:
        yield from _jwts(text)


def run_end(run: re.Pattern[str], text: str, at: int) -> int:
    """Where a run that begins at a place ends; the place itself where none does."""
    match = run.match(text, at)
    return match.end() if match else at


def _by_library(
    text: str, literal: re.Pattern[str], leads: tuple[int, ...], detector: str
) -> Iterator[Span]:
    done = 0
    for at in literal.finditer(text):
        for lead in leads:
            start = at.start() - lead
            if start < done or (start and text[start - 1] in _LETTERS):
                continue
            for pattern in _detector(detector):
                if found := pattern.match(text, start, start + SHAPE_LIMIT):
                    done = run_end(_TOKEN_RUN, text, found.end())
                    yield start, done
                    if detector == "aws.AWSKeyDetector":
                        yield from _aws_secrets(text, done)
                    break


def _aws_secrets(text: str, at: int) -> Iterator[Span]:
    """The secret pasted beside its key id: 40 characters that have no shape of their own."""
    for found in _AWS_SECRET.finditer(text, at, at + 200):
        if re.search("[a-z]", found[1]) and re.search("[G-Z/+]", found[1]):
            yield found.span(1)


def _jwts(text: str) -> Iterator[Span]:
    """JSON Web Tokens (RFC 7519): header and claims are both JSON objects, hence ``eyJ``."""
    done, at = 0, text.find(".eyJ")
    while at >= 0:
        before = text[max(done, at - SHAPE_LIMIT) : at]
        header = before[len(before.rstrip(_LETTERS + "_=-")) :]
        first = header.find("eyJ")
        if first >= 0 and len(header) - first >= 12:
            done = run_end(_JWT_RUN, text, at)
            yield at - len(header) + first, done
        at = text.find(".eyJ", max(done, at + 4))
