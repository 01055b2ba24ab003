from dataclasses import replace
from datetime import UTC, date, datetime

import httpx
from sqlalchemy import Engine

from dashboards.charts import lines_spec
from dashboards.drawings import Drawings
from dashboards.release_marks import marks_layer
from dashboards.themes import LIGHT
from db.base import session_factory
from db.releases import upsert_releases
from db.repositories import read_repository
from tests.builders import a_sha
from tests.dashboards.conftest import Ask
from tests.dashboards.test_charts import LINES, WIDE
from tests.stored import SLUG
from tracker.releases import Release, ReleaseKind

MARKS = ((date(2020, 1, 8), "v1.4.0"), (date(2020, 1, 20), "v1.5.0"))
X = {"field": "start", "type": "temporal"}


def test_a_release_is_a_rule_with_its_name() -> None:
    (layer,) = marks_layer(MARKS, x=X, theme=LIGHT, width=1170)
    assert layer["data"]["values"] == [
        {"start": "2020-01-08", "name": "v1.4.0"},
        {"start": "2020-01-20", "name": "v1.5.0"},
    ]
    assert [part["mark"]["type"] for part in layer["layer"]] == ["rule", "text"]


def test_names_that_would_lie_over_each_other_are_left_out() -> None:
    (layer,) = marks_layer(MARKS * 10, x=X, theme=LIGHT, width=310)
    assert [part["mark"]["type"] for part in layer["layer"]] == ["rule"]


def test_where_no_release_is_known_nothing_is_marked() -> None:
    assert marks_layer((), x=X, theme=LIGHT, width=1170) == []


def test_a_chart_with_marks_is_drawn_with_their_names() -> None:
    svg = Drawings().svg(lines_spec(replace(LINES, marks=MARKS), theme=LIGHT, size=WIDE)).decode()
    assert "v1.4.0" in svg
    assert "v1.5.0" in svg
    assert "v1.4.0" not in Drawings().svg(lines_spec(LINES, theme=LIGHT, size=WIDE)).decode()


def test_a_chart_marks_the_releases_of_its_weeks_and_no_candidate(told: Engine, ask: Ask) -> None:
    releases = [
        Release(name="v1.4.0", sha=a_sha("x"), at=datetime(2020, 1, 15, tzinfo=UTC), kind=ReleaseKind.RELEASE),
        Release(name="v1.5.0-rc1", sha=a_sha("y"), at=datetime(2020, 4, 1, tzinfo=UTC), kind=ReleaseKind.CANDIDATE),
        Release(name="v9.9.0", sha=a_sha("z"), at=datetime(2029, 1, 1, tzinfo=UTC), kind=ReleaseKind.RELEASE),
    ]
    with session_factory(told).begin() as session:
        repository = read_repository(session, SLUG)
        assert repository is not None
        upsert_releases(session, repository.id, releases)
    client: httpx.Client = ask(told)
    for name in ("stock", "adoption", "neutrality"):
        spec = client.get(f"/charts/{name}.json").json()
        assert spec["layer"][0]["data"]["values"] == [{"start": "2020-01-15", "name": "v1.4.0"}]
    later = client.get("/charts/stock.json?since=2020-06-01").json()
    assert "v1.4.0" not in str(later)
