"""The dry run of a zone and an offset, before they are taken."""

from __future__ import annotations

import dataclasses

import pytest

from pileup.analysis.clock.documents import preview
from pileup.analysis.contract import ClockDoc
from pileup.records.zones import time_zone
from tests.analysis.frames import S, evidence, gauge, sha
from tests.support.site import Site

URL = "/api/v1/artifacts/{}/clock/preview"


@pytest.fixture
def artifact(site: Site) -> str:
    """A minute of local samples, beside a minute of absolute ones at the same time."""
    incident = site.incident()
    made = site.upload(incident, "plain.txt", b"anything")
    found = evidence(
        {
            "plain.txt": [gauge("innodb.x", [1.0] * 60, clock="local")],
            "utc.csv": [gauge("metric.x", [1.0] * 60)],
        }
    )
    named = {sha("plain.txt"): made["sha256"]}
    frames = {k: f.with_columns(f["artifact"].replace(named)) for k, f in found.frames.items()}
    clocks = {named.get(key, key): clock for key, clock in found.clocks.items()}
    site.app.state.services.placed.replace(
        incident, dataclasses.replace(found, frames=frames, clocks=clocks)
    )
    return str(made["id"])


def test_nothing_moves_by_nothing(site: Site, artifact: str) -> None:
    run = site.admin.get(URL.format(artifact)).json()
    assert (run["records"], run["moves"], run["outside"]) == (60, 0, 0)


def test_an_offset_moves_all_and_some_fall_outside(site: Site, artifact: str) -> None:
    run = site.admin.get(URL.format(artifact), params={"offset_s": 10}).json()
    assert (run["moves"], run["outside"]) == (60, 10)
    assert run["first"] == "2026-11-20T22:00:10Z"


def test_a_zone_moves_local_times(site: Site, artifact: str) -> None:
    run = site.admin.get(URL.format(artifact), params={"zone": "America/Vancouver"}).json()
    assert run["first"] == "2026-11-21T06:00:00Z"
    assert run["outside"] == 60


def test_what_is_no_zone(site: Site, artifact: str) -> None:
    answer = site.admin.get(URL.format(artifact), params={"zone": "Nowhere/Land"})
    assert answer.status_code == 422
    assert "is not a time zone" in answer.json()["detail"]


def test_before_the_times_are_placed(site: Site) -> None:
    made = site.upload(site.incident(), "a.txt", b"nothing yet")
    assert site.admin.get(URL.format(made["id"])).status_code == 409


def test_the_hour_that_clocks_skip() -> None:
    """Local times that a zone does not have are counted, not invented."""
    start = 1_806_201_000 * S  # 2027-03-28 02:30 as printed; Berlin goes from 02:00 to 03:00
    found = evidence({"plain.txt": [gauge("innodb.x", [1.0] * 3, start=start, clock="local")]})
    clock = ClockDoc(source="x", zone=None, offset_s=0.0, how="", quality="assumed")
    run = preview(found.frames, sha("plain.txt"), clock, time_zone("Europe/Berlin"), 0.0)
    assert (run.records, run.unplaced) == (3, 3)
