"""Lanes over the API: tiles on one grid, bounded answers, what moved."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pileup.views.evidence.lanes import MOST_STEPS, TILE
from tests.analysis.frames import T0, S, evidence, gauge
from tests.support.site import Site

MS = 1000


@pytest.fixture
def incident(site: Site) -> str:
    """Half an hour of a quiet and a busy gauge; the busy one rises in the last five minutes."""
    found = evidence(
        {
            "m.csv": [
                gauge("metric.quiet", [5.0 + n % 3 for n in range(1800)]),
                gauge("metric.busy", [2.0 + n % 2 for n in range(1500)] + [300.0] * 300),
            ]
        }
    )
    return site.analysed(found)


def ids(site: Site, incident: str) -> dict[str, str]:
    listed = site.admin.get(f"/api/v1/incidents/{incident}/series").json()
    return {item["name"]: item["id"] for item in listed}


def at(second: int) -> str:
    return datetime.fromtimestamp((T0 + second * S) / 1e6, UTC).isoformat()


def tiles(site: Site, incident: str, **params: Any) -> Any:
    return site.admin.get(f"/api/v1/incidents/{incident}/tiles", params=params)


def test_tiles_of_a_finer_step_hold_each_sample(site: Site, incident: str) -> None:
    """512 steps of a second: 512 samples, and a neighbour on each side for the line's ends."""
    first = T0 // MS // (TILE * MS) + 1
    answer = tiles(
        site, incident, series=ids(site, incident)["metric.quiet"], step=1000, first=first, count=1
    ).json()
    (strip,) = answer["strips"]
    assert answer["start"] == first * TILE * MS
    inside = [t for t in strip["at"] if 0 <= t < TILE * MS]
    assert len(inside) == TILE
    assert len(strip["at"]) == TILE + 2
    assert strip["low"] is None


def test_coarse_tiles_keep_the_extremes(site: Site, incident: str) -> None:
    """One tile over everything: the jump to 300 is in it, with low and high."""
    step = 8192
    first = T0 // MS // (TILE * step)
    answer = tiles(
        site, incident, series=ids(site, incident)["metric.busy"], step=step, first=first, count=2
    ).json()
    (strip,) = answer["strips"]
    assert max(strip["high"]) == 300
    assert min(strip["low"]) == 2
    assert strip["samples"] == 1800


def test_too_much_for_one_answer_is_refused(site: Site, incident: str) -> None:
    """So that no answer is larger than a screen may take."""
    some = [f"s{number}" for number in range(40)]
    answer = tiles(site, incident, series=some, step=1000, first=1, count=3)
    assert answer.status_code == 422
    assert str(MOST_STEPS // TILE) in answer.json()["detail"]


def test_a_window_is_held_against_the_one_before(site: Site, incident: str) -> None:
    named = ids(site, incident)
    answer = site.admin.get(
        f"/api/v1/incidents/{incident}/window",
        params={"start": at(1500), "end": at(1800), "series": list(named.values())},
    ).json()
    lanes = {lane["id"]: lane for lane in answer["lanes"]}
    assert lanes[named["metric.busy"]]["before"] == pytest.approx(2.5)
    assert lanes[named["metric.busy"]]["now"] == 300
    assert lanes[named["metric.quiet"]]["now"] == pytest.approx(6, abs=0.1)


def test_what_moved_comes_first_and_what_did_not_is_left_out(site: Site, incident: str) -> None:
    answer = site.admin.get(
        f"/api/v1/incidents/{incident}/moved", params={"start": at(1500), "end": at(1800)}
    ).json()
    assert [item["name"] for item in answer["moved"]] == ["metric.busy"]
    assert answer["looked_at"] == 2


def test_lanes_at_a_width(site: Site, incident: str) -> None:
    named = ids(site, incident)
    drawn = site.admin.get(
        f"/api/v1/incidents/{incident}/lanes", params={"series": named["metric.busy"], "px": 100}
    ).json()["lanes"][0]
    assert drawn["decimated"]
    assert drawn["max"] == 300
    assert len(drawn["points"]) <= 202


def test_nothing_placed_is_said(site: Site) -> None:
    made = site.incident()
    assert site.admin.get(f"/api/v1/incidents/{made}/lanes?series=x").status_code == 409
    empty = tiles(site, made, series="x", step=1000, first=1, count=1)
    assert empty.json()["strips"] == []
    moved = site.admin.get(f"/api/v1/incidents/{made}/moved", params={"start": at(0), "end": at(9)})
    assert moved.json()["moved"] == []
