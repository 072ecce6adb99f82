"""Two sides beside each other over HTTP: windows, hosts, bundles, runs; the fleet."""

from __future__ import annotations

import msgspec
import pytest

from pileup.analysis import analyse
from pileup.storage.analyses import Analyses
from tests.analysis.frames import evidence, gauge
from tests.support.site import Site

HOSTS = ("db-1", "db-2", "db-3")


def iso(second: int) -> str:
    return f"2026-11-20T22:{second // 60:02}:{second % 60:02}Z"


@pytest.fixture
def incident(site: Site) -> str:
    """Two quiet minutes, one stalled, on three hosts; db-3 alone swaps."""
    running = [2.0] * 120 + [400.0] * 60 + [2.0] * 60
    found = evidence(
        {
            f"{host}.csv": [
                gauge("mysql.Threads_running", running, host=host),
                gauge("vmstat.si", [900.0 if host == "db-3" else 0.0] * 240, host=host),
            ]
            for host in HOSTS
        }
    )
    made = site.incident()
    site.app.state.services.placed.replace(made, found)
    with site.database.unit() as unit:
        Analyses(unit).replace(made, msgspec.to_builtins(analyse(found)), 0.1)
    return made


def compared(site: Site, incident: str, **sides: str) -> dict:  # type: ignore[type-arg]
    answer = site.admin.get(f"/api/v1/incidents/{incident}/compare", params=sides)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_baseline_against_stall(site: Site, incident: str) -> None:
    document = compared(site, incident, a_part="baseline", b_part="stall")
    first = document["series"][0]
    assert (first["series"], first["a"], first["b"]) == ("mysql.Threads_running", 2.0, 400.0)


def test_windows_and_hosts(site: Site, incident: str) -> None:
    window = {"a_part": "window", "a_start": iso(0), "a_end": iso(60)}
    other = {"b_part": "window", "b_start": iso(125), "b_end": iso(170), "b_host": "db-3"}
    document = compared(site, incident, **window, **other)
    rows = {row["series"]: row for row in document["series"]}
    assert rows["vmstat.si"]["b"] == 900.0
    assert document["b"]["hosts"] == ["db-3"]
    assert any("Different hosts" in one for one in document["warnings"])


def test_the_host_that_differs(site: Site, incident: str) -> None:
    document = site.admin.get(f"/api/v1/incidents/{incident}/fleet").json()
    assert document["hosts"] == list(HOSTS)
    assert [one["host"] for one in document["differing"]] == ["db-3"]


def test_choices(site: Site, incident: str) -> None:
    choices = site.admin.get(f"/api/v1/incidents/{incident}/compare/choices").json()
    assert choices["has_stall"] is True
    assert choices["has_baseline"] is True


@pytest.mark.parametrize(
    ("sides", "status"),
    [
        ({"a_part": "window"}, 422),
        ({"a_part": "window", "a_start": iso(9), "a_end": iso(3)}, 422),
        ({"a_part": "window", "a_start": "2026-11-20T22:00:00", "a_end": iso(3)}, 422),
        ({"a_part": "somewhere"}, 422),
        ({"a_bundle": "none"}, 404),
        ({"a_experiment": "none"}, 404),
    ],
)
def test_what_is_no_side(site: Site, incident: str, sides: dict[str, str], status: int) -> None:
    """Each answer is a problem document that says what to send instead."""
    answer = site.admin.get(f"/api/v1/incidents/{incident}/compare", params=sides)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_before_the_first_analysis(site: Site) -> None:
    empty = site.incident()
    assert site.admin.get(f"/api/v1/incidents/{empty}/compare").status_code == 409
    assert site.admin.get(f"/api/v1/incidents/{empty}/fleet").status_code == 409


def test_a_run_of_an_experiment(site: Site, incident: str) -> None:
    """An experiment without artifacts has nothing to compare; one of another incident is none."""
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments", json={"title": "AHI off"}
    ).json()
    url = f"/api/v1/incidents/{incident}/compare"
    answer = site.admin.get(url, params={"b_experiment": made["id"]})
    assert answer.status_code == 409
    assert "attach its files" in answer.json()["detail"]
    other = site.incident("another")
    answer = site.admin.get(
        f"/api/v1/incidents/{other}/compare", params={"b_experiment": made["id"]}
    )
    assert answer.status_code in (404, 409)
