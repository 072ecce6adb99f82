"""Sides beside each other over HTTP: windows, hosts, bundles, runs; the fleet."""

from __future__ import annotations

import csv
import io
from typing import Any

import httpx
import pytest

from tests.analysis.frames import T0, S, evidence, gauge
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
    return site.analysed(found)


def asked(site: Site, incident: str, *sides: str, what: str = "", **more: object) -> httpx.Response:
    params = [("side", side) for side in sides] + [(k, str(v)) for k, v in more.items()]
    url = f"/api/v1/incidents/{incident}/compare{what}"
    return site.admin.get(url, params=httpx.QueryParams(params))


def compared(site: Site, incident: str, *sides: str, **more: object) -> dict[str, Any]:
    answer = asked(site, incident, *sides, **more)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def medians(document: dict[str, Any], series: str) -> list[float]:
    (row,) = (row for row in document["series"] if row["series"] == series)
    return [level["median"] for level in row["levels"]]


def test_baseline_against_stall(site: Site, incident: str) -> None:
    document = compared(site, incident, "baseline", "stall")
    first = document["series"][0]
    assert first["series"] == "mysql.Threads_running"
    assert medians(document, "mysql.Threads_running") == [2.0, 400.0]
    assert first["ratios"][1]["ratio"] == 200.0


def test_windows_and_hosts_on_three_sides(site: Site, incident: str) -> None:
    window = f"window|{iso(0)}|{iso(60)}"
    other = f"window|{iso(125)}|{iso(170)}|db-3"
    document = compared(site, incident, window, other, "stall|||db-1")
    assert medians(document, "vmstat.si") == [0.0, 900.0, 0.0]
    assert [side["hosts"] for side in document["sides"][1:]] == [["db-3"], ["db-1"]]
    assert any("Different hosts" in warning for warning in document["warnings"])


def test_seconds_around_the_onset(site: Site, incident: str) -> None:
    """All sides are narrowed alike, and drawn over one axis."""
    hosts = ("whole|||db-1", "whole|||db-2")
    document = compared(site, incident, *hosts, align="onset", from_s=-20, to_s=-5)
    assert medians(document, "mysql.Threads_running") == [2.0, 2.0]
    document = compared(site, incident, *hosts, align="onset", from_s=5, to_s=20)
    assert medians(document, "mysql.Threads_running") == [400.0, 400.0]
    series = "mysql.Threads_running"
    drawn = asked(site, incident, *hosts, what="/overlay", series=series, align="onset").json()
    assert [(line["side"], line["host"]) for line in drawn["lines"]] == [(0, "db-1"), (1, "db-2")]
    before = [point for point in drawn["lines"][0]["points"] if point[0] < -5]
    assert {point[1] for point in before} == {2.0}
    assert asked(site, incident, *hosts, align="clock", from_s=0, to_s=9).status_code == 409
    assert asked(site, incident, *hosts, from_s=9, to_s=0).status_code == 422


def test_export(site: Site, incident: str) -> None:
    """CSV for a spreadsheet, Markdown for a report; the numbers of the screen."""
    sides = ("baseline", "stall")
    table = asked(site, incident, *sides, what="/export")
    assert table.headers["content-type"].startswith("text/csv")
    head, first = list(csv.reader(io.StringIO(table.text)))[:2]
    cells = dict(zip(head, first, strict=True))
    assert (cells["name"], cells["A"], cells["B"]) == ("mysql.Threads_running", "2.0", "400.0")
    assert cells["B/A"] == "200.0"
    page = asked(site, incident, *sides, what="/export", format="md").text
    assert "### Series" in page
    assert "| mysql.Threads_running | 2 (n " in page
    turned = asked(site, incident, *sides, what="/export", reference=1).text
    head, first = list(csv.reader(io.StringIO(turned)))[:2]
    cells = dict(zip(head, first, strict=True))
    assert (cells["A"], cells["B"], cells["A/B"]) == ("2.0", "400.0", "0.005")
    assert asked(site, incident, *sides, reference=1).json()["reference"] == 1
    wrong = asked(site, incident, *sides, reference=2)
    assert (wrong.status_code, wrong.json()["detail"].split(",")[0]) == (422, "reference is 2")


def test_the_host_that_differs(site: Site, incident: str) -> None:
    document = site.admin.get(f"/api/v1/incidents/{incident}/fleet").json()
    assert document["hosts"] == list(HOSTS)
    assert [item["host"] for item in document["differing"]] == ["db-3"]


def test_choices(site: Site, incident: str) -> None:
    choices = site.admin.get(f"/api/v1/incidents/{incident}/compare/choices").json()
    assert choices["has_stall"] is True
    assert choices["has_baseline"] is True


def test_a_capture_against_a_capture(site: Site) -> None:
    """Two stalls of one host two hours apart: each is a side of its own, aligned at its onset."""
    calm = [2.0] * 120
    found = evidence(
        {
            "a.csv": [gauge("mysql.Threads_running", [*calm, *[400.0] * 60, *calm])],
            "b.csv": [
                gauge("mysql.Threads_running", [*calm, *[90.0] * 60, *calm], start=T0 + 7200 * S)
            ],
        }
    )
    incident = site.analysed(found)
    captures = asked(site, incident, what="/choices").json()["captures"]
    assert [len(capture["stalls"]) for capture in captures] == [1, 1]
    whole = [f"whole||||{capture['id']}" for capture in captures]
    document = compared(site, incident, *whole)
    assert [side["label"][:12] for side in document["sides"]] == ["capture from"] * 2
    sides = [f"stall||||{capture['stalls'][0]['id']}" for capture in captures]
    document = compared(site, incident, *sides)
    assert medians(document, "mysql.Threads_running") == [400.0, 90.0]
    series = "mysql.Threads_running"
    drawn = asked(site, incident, *whole, what="/overlay", series=series, align="onset").json()
    for line in drawn["lines"]:
        assert {point[1] for point in line["points"] if point[0] < -5} == {2.0}
        assert max(abs(point[0]) for point in line["points"]) < 600


@pytest.mark.parametrize(
    ("side", "status"),
    [
        ("window", 422),
        (f"window|{iso(9)}|{iso(3)}", 422),
        (f"window|2026-11-20T22:00:00|{iso(3)}", 422),
        ("window|soon|later", 422),
        ("somewhere", 422),
        ("whole" + "|" * 9, 422),
        ("whole||||none", 404),
        ("whole|||||none", 404),
    ],
)
def test_what_is_no_side(site: Site, incident: str, side: str, status: int) -> None:
    """Each answer is a problem document that says what to send instead."""
    answer = asked(site, incident, "whole", side)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("application/problem+json")


def test_before_the_first_analysis(site: Site) -> None:
    empty = site.incident()
    assert asked(site, empty, "whole", "stall").status_code == 409
    assert asked(site, empty, "whole").status_code == 422
    assert site.admin.get(f"/api/v1/incidents/{empty}/fleet").status_code == 409


def test_a_run_of_an_experiment(site: Site, incident: str) -> None:
    """An experiment without artifacts has nothing to compare; one of another incident is none."""
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments", json={"title": "AHI off"}
    ).json()
    side = f"whole|||||{made['id']}"
    answer = asked(site, incident, "whole", side)
    assert answer.status_code == 409
    assert "attach its files" in answer.json()["detail"]
    other = site.incident("another")
    answer = asked(site, other, side, side)
    assert answer.status_code in (404, 409)


def test_the_overview_describes_the_chosen_stall(site: Site) -> None:
    """Another stall than the leading one has numbers of its own, and none of the leading one's."""
    calm = [2.0] * 120
    found = evidence(
        {
            "a.csv": [gauge("mysql.Threads_running", [*calm, *[400.0] * 60, *calm])],
            "b.csv": [
                gauge("mysql.Threads_running", [*calm, *[90.0] * 30, *calm], start=T0 + 7200 * S)
            ],
        }
    )
    incident = site.analysed(found)
    url = f"/api/v1/incidents/{incident}/overview"
    leading = site.admin.get(url).json()
    assert leading["shown_stall"] is None
    captures = {capture["first"]: capture for capture in leading["captures"]}
    late = captures[max(captures)]
    for wanted in (late["id"], late["episodes"][0]):
        shown = site.admin.get(url, params={"stall": wanted}).json()
        assert shown["shown_stall"] == late["episodes"][0]
        assert shown["numbers"]["onset"] > leading["numbers"]["onset"]
        assert shown["numbers"]["duration_s"] < leading["numbers"]["duration_s"]
        assert (shown["hot_waits"], shown["triage"], shown["story"]) == ([], [], None)
    gone = site.admin.get(url, params={"stall": "no such stall"}).json()
    assert gone["numbers"] == leading["numbers"]


def test_a_comparison_is_redacted(site: Site, incident: str) -> None:
    """Hosts of the sides go from every form of the export; unknown kinds are refused."""
    sides = ("whole|||db-1", "whole|||db-2")
    plain = asked(site, incident, *sides, what="/export", format="md").text
    assert "db-1" in plain
    hidden = asked(site, incident, *sides, what="/export", format="md", redact="hosts").text
    assert "db-1" not in hidden
    assert "host-" in hidden
    assert asked(site, incident, *sides, what="/export", redact="colors").status_code == 422
