"""An artifact attached to an experiment belongs to that run, and moves back when detached."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.files.frames import FrameKey
from tests.analysis.frames import frames, gauge
from tests.support.site import Site

STALL = [2.0] * 40 + [150.0] * 30 + [3.0] * 40


def read_artifact(site: Site, incident: str) -> dict[str, Any]:
    """Upload a file, as if a worker had read a stall in it."""
    made = site.upload(incident, "run.csv", b"time,running\n")
    with site.database.unit() as unit:
        row = unit.session.get(models.Artifact, made["id"])
        assert row is not None
        row.format, row.parser_version, row.state = "metric-csv", 1, "done"
        unit.session.execute(models.Job.__table__.delete())
    key = FrameKey(made["sha256"], "metric-csv", 1)
    found = frames(gauge("mysql.Threads_running", STALL))
    site.app.state.services.frames.replace(key, found)
    return dict(made)


def experiment(site: Site, incident: str) -> str:
    body = {"title": "Reproduction", "prediction": {"text": "the same stall"}}
    made = site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=body)
    return str(made.json()["id"])


def attach(site: Site, run: str, *artifacts: str) -> None:
    path = f"/api/v1/experiments/{run}/artifacts"
    answer = site.admin.put(path, json={"artifact_ids": list(artifacts)})
    assert answer.status_code == 200, answer.text


def analysed(site: Site, incident: str) -> list[str]:
    with site.database.unit() as unit:
        return [each.id for each in Artifacts(unit).of_incident(incident) if each.is_analysed]


def queued(site: Site) -> int:
    with site.database.unit() as unit:
        return len(
            unit.session.scalars(select(models.Job).where(models.Job.kind == "analyse")).all()
        )


def test_attaching_moves_a_file_to_the_run_and_detaching_moves_it_back(site: Site) -> None:
    incident = site.incident()
    made, run = read_artifact(site, incident), experiment(site, incident)
    assert analysed(site, incident) == [made["id"]]
    attach(site, run, made["id"])
    assert analysed(site, incident) == []
    assert queued(site) == 1
    shown = site.admin.get(f"/api/v1/artifacts/{made['id']}").json()
    assert (shown["run_id"], shown["state"], shown["excluded"]) == (run, "excluded", False)
    attach(site, run)
    assert analysed(site, incident) == [made["id"]]


def test_a_deleted_experiment_gives_its_files_back(site: Site) -> None:
    incident = site.incident()
    made, run = read_artifact(site, incident), experiment(site, incident)
    attach(site, run, made["id"])
    assert site.admin.delete(f"/api/v1/experiments/{run}").status_code == 204
    assert analysed(site, incident) == [made["id"]]
    restored = site.admin.post(f"/api/v1/incidents/{incident}/deleted/experiment/{run}/restore")
    assert restored.status_code == 204
    assert analysed(site, incident) == []
