"""Notes and corrections of stalls: who wrote them, what they change, and back again."""

from __future__ import annotations

from typing import Any

import pytest

from pileup.storage.audit import entries
from pileup.storage.incidents.stall_corrections import StallCorrections
from tests.analysis.frames import T0, S, evidence, gauge
from tests.support.site import Site

ONSET = "2026-11-20T22:01:00Z"


@pytest.fixture
def incident(site: Site) -> str:
    running = [2.0 + n % 2 for n in range(60)] + [90.0] * 60 + [2.0] * 60
    found = evidence({"m.csv": [gauge("metric.threads_running", running)]})
    return site.analysed(found)


def correct(site: Site, incident: str, revision: int = 0, **body: Any) -> Any:
    return site.admin.put(
        f"/api/v1/incidents/{incident}/stalls/correction",
        json={"computed_onset": ONSET, **body},
        headers={"If-Match": f'"{revision}"'},
    )


def test_a_correction_is_kept_told_and_taken_back(site: Site, incident: str) -> None:
    made = correct(site, incident, onset="2026-11-20T22:00:50Z")
    assert made.status_code == 200, made.text
    correction = made.json()
    assert (correction["by"], correction["revision"]) == ("admin", 1)
    (shown,) = site.admin.get(f"/api/v1/incidents/{incident}/marks").json()["corrections"]
    assert shown["onset"] == "2026-11-20T22:00:50Z"
    overview = site.admin.get(f"/api/v1/incidents/{incident}/overview").json()
    assert overview["analysis"]["state"] in ("queued", "running")
    gone = site.admin.delete(f"/api/v1/stall-corrections/{correction['id']}")
    assert gone.status_code == 204
    assert site.admin.get(f"/api/v1/incidents/{incident}/marks").json()["corrections"] == []
    with site.database.unit() as unit:
        said = {entry.action: entry for entry in entries(unit, incident)}
    assert said["stall.corrected"].detail["onset"] == "2026-11-20T22:00:50+00:00"
    assert said["stall.reset"].user_name == "admin"


def test_two_people_do_not_overwrite_each_other(site: Site, incident: str) -> None:
    assert correct(site, incident, end="2026-11-20T22:03:00Z").status_code == 200
    late = correct(site, incident, end="2026-11-20T22:04:00Z")
    assert late.status_code == 409
    assert late.json()["current"]["end"].startswith("2026-11-20T22:03:00")
    assert correct(site, incident, 1, end="2026-11-20T22:04:00Z").json()["revision"] == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"onset": ONSET, "end": "2026-11-20T22:00:00Z"}, "end"),
        ({"baseline_start": ONSET}, "baseline_end"),
        (
            {
                "onset": ONSET,
                "baseline_start": "2026-11-20T22:00:00Z",
                "baseline_end": "2026-11-20T22:02:00Z",
            },
            "baseline_end",
        ),
    ],
)
def test_times_that_cannot_be_are_refused(
    site: Site, incident: str, body: dict[str, str], field: str
) -> None:
    answer = correct(site, incident, **body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field


def test_a_time_without_a_zone_is_refused(site: Site, incident: str) -> None:
    assert correct(site, incident, onset="2026-11-20T22:00:50").status_code == 422


def test_a_note_has_its_author_and_can_be_changed_and_deleted(site: Site, incident: str) -> None:
    writer = site.client("contributor")
    made = writer.post(
        f"/api/v1/incidents/{incident}/annotations", json={"start": ONSET, "text": "paged"}
    ).json()
    assert made["author"] == "contributor"
    changed = writer.patch(
        f"/api/v1/annotations/{made['id']}",
        json={"text": "paged twice", "end": "2026-11-20T22:02:00Z"},
        headers={"If-Match": '"1"'},
    )
    assert (changed.json()["text"], changed.json()["revision"]) == ("paged twice", 2)
    assert writer.delete(f"/api/v1/annotations/{made['id']}").status_code == 204
    assert site.admin.get(f"/api/v1/incidents/{incident}/marks").json()["annotations"] == []


def test_strips_of_an_incident_without_dumps_are_empty(site: Site, incident: str) -> None:
    strips = site.admin.get(f"/api/v1/incidents/{incident}/strips").json()
    assert strips == {
        "heat": [], "transactions": [], "blocking": [], "experiments": [], "threads": [],
    }  # fmt: skip


def test_the_worker_hands_the_correction_to_the_analysis(site: Site, incident: str) -> None:
    """What the worker reads is what the person said."""
    correct(site, incident, onset="2026-11-20T22:00:50Z")
    with site.database.unit() as unit:
        (correction,) = StallCorrections(unit).of_incident(incident)
    assert correction.onset is not None
    assert int(correction.onset.timestamp() * S) == T0 + 50 * S
