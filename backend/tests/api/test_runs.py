"""What the artifacts of an experiment show is computed from them, over HTTP."""

from __future__ import annotations

from typing import Any

from pileup.storage import models
from pileup.storage.frames import FrameKey
from pileup.storage.incidents import Incidents
from tests.analysis.frames import evidence, frames, gauge, setting
from tests.support.site import Site

PREDICTION = {
    "text": "few wait", "metric": "m.waiters@db-1", "op": "<", "value": 20.0,
    "window_s": None, "falsifier": "",
}  # fmt: skip


def run(site: Site, incident: str, values: list[float | None], **prediction: Any) -> dict[str, Any]:
    """An experiment with one artifact that a worker has read."""
    made = site.upload(incident, "after.csv", b"time,waiters\n")
    with site.database.unit() as unit:
        row = unit.session.get(models.Artifact, made["id"])
        assert row is not None
        row.format, row.parser_version, row.state, row.excluded = "metric-csv", 1, "done", True
    found = frames(
        gauge("m.waiters", values),
        gauge("mysql.Threads_running", values),
        gauge("metric.qps", [4000.0] * len(values), kind="rate"),
        setting("innodb_adaptive_hash_index", "OFF"),
    )
    key = FrameKey(made["sha256"], "metric-csv", 1)
    site.app.state.services.frames.replace(key, found)
    body = {"title": "AHI off", "prediction": PREDICTION | prediction}
    experiment = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    site.admin.put(
        f"/api/v1/experiments/{experiment['id']}/artifacts", json={"artifact_ids": [made["id"]]}
    )
    return dict(experiment)


def observed(site: Site, experiment: dict[str, Any]) -> dict[str, Any]:
    answer = site.admin.get(f"/api/v1/experiments/{experiment['id']}/observed")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_the_predicted_number_is_measured(site: Site) -> None:
    """And the run shows none of the incident's symptoms."""
    incident = site.incident()
    with site.database.unit() as unit:
        Incidents(unit).digest(incident, {"signature": {"finding:hot-row": "Hot row"}})
    found = observed(site, run(site, incident, [3.0] * 60))
    assert found["measured"]["verdict"] == "match"
    assert found["measured"]["value"] == 3.0
    assert found["symptoms"]["same_way"] == "no"
    assert "no stall" in found["symptoms"]["text"]


def test_the_run_is_held_against_the_incident(site: Site) -> None:
    """Fewer sessions do more: better. And the setting that was changed is seen to have changed."""
    incident = site.incident()
    stalled = [
        gauge("mysql.Threads_running", [2.0] * 60 + [401.0] * 60),
        gauge("metric.qps", [900.0] * 60 + [800.0] * 60, kind="rate"),
        setting("innodb_adaptive_hash_index", "ON"),
    ]
    site.app.state.services.placed.replace(incident, evidence({"m": stalled}))
    found = observed(site, run(site, incident, [9.0] * 60))
    trial = found["trial"]
    assert (trial["verdict"], trial["before_s"], trial["after_s"]) == ("better", 0.5, 0.002)
    assert trial["text"].startswith("The run is better than the incident: 2 ms inside the server")
    assert found["settings"] == [{"name": "innodb_adaptive_hash_index", "a": "ON", "b": "OFF"}]


def test_an_incident_not_analysed_yet_compares_with_nothing(site: Site) -> None:
    found = observed(site, run(site, site.incident(), [9.0] * 60))
    assert found["trial"]["verdict"] == "unknown"
    assert found["trial"]["text"].startswith("The incident has no series of sessions running")
    assert found["settings"] == []


def test_a_miss(site: Site) -> None:
    assert observed(site, run(site, site.incident(), [90.0] * 60))["measured"]["verdict"] == "miss"


def test_a_prediction_without_a_number_is_not_measured(site: Site) -> None:
    experiment = run(site, site.incident(), [3.0] * 60, metric=None, op=None, value=None)
    assert observed(site, experiment)["measured"] is None


def test_nothing_attached(site: Site) -> None:
    incident = site.incident()
    made = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json={"title": "x"}).json()
    answer = site.admin.get(f"/api/v1/experiments/{made['id']}/observed")
    assert answer.status_code == 409
    assert "attach its files" in answer.json()["detail"]
