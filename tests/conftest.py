"""A place for the commands; and where all that a test can need is there, no test is skipped."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.commands import Place

COMPLETE = os.environ.get("JEZERO_HOOKS_TESTS_COMPLETE") == "1"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs_registry: installs packages from the package index")


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    if COMPLETE and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped under JEZERO_HOOKS_TESTS_COMPLETE=1: {report.longrepr}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    refuse_skip(report)
    return report


@pytest.fixture
def place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Place:
    """A machine's folders of one test's own, and the commands run there."""
    return Place(tmp_path, monkeypatch, capsys)
