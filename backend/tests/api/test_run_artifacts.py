"""An artifact attached to an experiment belongs to that run, and moves back when detached."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from pileup.storage import models
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.audit import Actor
from pileup.storage.files.blobs import Blob
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


def test_a_file_that_incident_and_run_both_brought_stays_with_the_incident(site: Site) -> None:
    """Same bytes in the same folder, under the same name or another; repeating it is safe."""
    incident = site.incident()
    made = read_artifact(site, incident)
    run = experiment(site, incident)
    again = site.upload(incident, "run.csv", b"time,running\n")
    for _ in range(2):
        attach(site, run, again["id"])
        (copy,) = site.admin.get(f"/api/v1/experiments/{run}").json()["artifacts"]
        assert copy["id"] != made["id"]
        assert copy["path"] == "run.csv"
        assert analysed(site, incident) == [made["id"]]
    other = experiment(site, incident)
    site.upload(incident, "copy.csv", b"time,running\n")
    attach(site, other, made["id"])
    (named,) = site.admin.get(f"/api/v1/experiments/{other}").json()["artifacts"]
    assert named["path"] == "copy.csv"
    assert analysed(site, incident) == [made["id"]]
    attach(site, run)
    assert analysed(site, incident) == [made["id"], copy["id"]]


def test_a_file_sent_again_before_the_run_was_planned_moves(site: Site) -> None:
    """A push that was repeated is no second file."""
    incident = site.incident()
    made = read_artifact(site, incident)
    site.upload(incident, "run.csv", b"time,running\n")
    run = experiment(site, incident)
    attach(site, run, made["id"])
    assert analysed(site, incident) == []


def test_a_run_has_all_members_of_its_archives(site: Site) -> None:
    """Also those of an archive inside the archive."""
    incident = site.incident()
    root = site.upload(incident, "run.tar", b"tar")["id"]
    with site.database.unit() as unit:
        above, blob = Artifacts(unit).get(root), Blob("0" * 64, 1)
        for depth in range(3):
            above, _ = Artifacts(unit).add(
                incident, f"run.tar/{depth}", blob, Actor(None, "pileup"), parent=above
            )
    attach(site, experiment(site, incident), root)
    assert analysed(site, incident) == []


def test_a_deleted_experiment_gives_its_files_back(site: Site) -> None:
    incident = site.incident()
    made, run = read_artifact(site, incident), experiment(site, incident)
    attach(site, run, made["id"])
    assert site.admin.delete(f"/api/v1/experiments/{run}").status_code == 204
    assert analysed(site, incident) == [made["id"]]
    restored = site.admin.post(f"/api/v1/incidents/{incident}/deleted/experiment/{run}/restore")
    assert restored.status_code == 204
    assert analysed(site, incident) == []
