"""`--skips`: a run of all tests fails if more tests skip than skips.toml allows, for each reason."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

ALLOWED = Path(__file__).with_name("skips.toml")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--skips", action="store_true", help="fail if more tests skip than tests/skips.toml allows")


def by_pattern(reasons: Counter[str], allowed: dict[str, int]) -> Counter[str]:
    """Number of tests for each pattern of a reason; a reason without a pattern stands for itself."""
    found: Counter[str] = Counter()
    for reason, count in reasons.items():
        found[next((pattern for pattern in allowed if re.search(pattern, reason)), reason)] += count
    return found


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Compare, in the process that has the reports of all workers."""
    if not session.config.getoption("skips") or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [report.longrepr[2].removeprefix("Skipped: ") for report in reporter.stats.get("skipped", [])]
    allowed = tomllib.loads(ALLOWED.read_text(encoding="utf-8"))
    reporter.section("skips")
    for pattern, count in by_pattern(Counter(skipped), allowed).most_common():
        over = count > allowed.get(pattern, 0)
        reporter.write_line(f"{count:6,} of at most {allowed.get(pattern, 0):,}: {pattern}", red=over)
        if over and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
