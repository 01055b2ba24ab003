"""Which of an oracle's findings our sites contain."""

from collections.abc import Iterable

from tests.oracles.finding import Finding
from tests.tracker.detect.conftest import shipped_detector
from tracker.detect import Dialect, scan
from tracker.ruleset import Language, Purpose


def not_contained(content: bytes, findings: Iterable[Finding], language: Language = Language.PYTHON) -> list[Finding]:
    """Return the findings that share no byte with a site of ours."""
    covered = [
        (occurrence.start, occurrence.end)
        for occurrence in scan(content, Dialect(language, Purpose.CODE), shipped_detector())
        if occurrence.site.vendor
    ]
    starts = [0]
    for line in content.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return [
        finding
        for finding in findings
        if not any(
            start < starts[finding.line - 1] + finding.end and end > starts[finding.line - 1] + finding.start
            for start, end in covered
        )
    ]
