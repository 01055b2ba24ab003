"""What every test shares: hypothesis settings, and the rule that CI may skip nothing."""

import os

import pytest
from hypothesis import settings

# Speed is measured in tests/benchmarks; no test fails because a machine is slow. Whoever develops draws new examples
# each time; what decides whether a change lands draws the same ones for the same code.
settings.register_profile("tracker", deadline=None, derandomize="TRACKER_TEST_SAME_EXAMPLES" in os.environ)
settings.load_profile("tracker")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests were skipped, as a failure, where TRACKER_TEST_FORBID_SKIPS is set (as in .ci/run)."""
    skipped = terminalreporter.stats.get("skipped", [])
    if skipped and os.environ.get("TRACKER_TEST_FORBID_SKIPS"):
        terminalreporter.section("skips are forbidden here", red=True)
        for report in skipped:
            terminalreporter.line(f"{report.nodeid}: {report.longrepr[2] if report.longrepr else ''}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):
        return
    if os.environ.get("TRACKER_TEST_FORBID_SKIPS") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
