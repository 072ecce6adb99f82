"""The bin: every deletion of people's work can be undone, until it is purged."""

from __future__ import annotations

import base64
import os
import time
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import text

from pileup.storage import models
from pileup.storage.bin import Bin
from pileup.worker.purge import purge
from tests.support.site import Site


def made(site: Site, incident: str) -> dict[str, tuple[str, str]]:
    """One of each kind: (id, address that deletes it)."""
    base = f"/api/v1/incidents/{incident}"
    client = site.admin
    artifact = site.upload(incident, "dump.txt", b"content")
    pin = client.post(
        f"{base}/pins",
        json={
            "kind": "lines",
            "title": "a line",
            "locator": {"artifact": artifact["sha256"], "line_first": 1, "line_last": 1},
            "view": f"/incidents/{incident}/artifacts",
        },
    ).json()
    hypothesis = client.post(f"{base}/hypotheses", json={"statement": "A latch is held"}).json()
    client.post(
        f"/api/v1/hypotheses/{hypothesis['id']}/evidence",
        json={"pin_id": pin["id"], "side": "for"},
    )
    experiment = client.post(
        f"{base}/experiments", json={"title": "kill it", "change": "", "prediction": {"text": "x"}}
    ).json()
    annotation = client.post(
        f"{base}/annotations", json={"start": "2026-11-20T22:19:00Z", "text": "deploy"}
    ).json()
    comment = client.post(
        f"{base}/comments",
        json={"subject": f"experiment:{experiment['id']}", "body": "why so late?"},
    ).json()
    return {
        "artifact": (artifact["id"], "/api/v1/artifacts/"),
        "pin": (pin["id"], "/api/v1/pins/"),
        "hypothesis": (hypothesis["id"], "/api/v1/hypotheses/"),
        "experiment": (experiment["id"], "/api/v1/experiments/"),
        "annotation": (annotation["id"], "/api/v1/annotations/"),
        "comment": (comment["id"], "/api/v1/comments/"),
    }


def shown(site: Site, incident: str) -> dict[str, Any]:
    """What the lists say."""
    base = f"/api/v1/incidents/{incident}"
    answers = {
        name: site.admin.get(f"{base}/{name}").json()
        for name in ("pins", "hypotheses", "experiments", "artifacts")
    }
    answers["marks"] = site.admin.get(f"{base}/marks").json().get("annotations")
    return answers


@pytest.mark.parametrize(
    "kind", ["artifact", "pin", "hypothesis", "experiment", "annotation", "comment"]
)
def test_each_kind_is_deleted_listed_and_restored(site: Site, kind: str) -> None:
    """Gone from its list, in the bin with who did it, and back as it was."""
    incident = site.incident()
    item, address = made(site, incident)[kind]
    before = shown(site, incident)
    answer = site.admin.delete(f"{address}{item}")
    assert answer.status_code == 204, answer.text
    assert site.admin.delete(f"{address}{item}").status_code == 404
    bin_url = f"/api/v1/incidents/{incident}/deleted"
    (entry,) = site.admin.get(bin_url).json()["items"]
    assert (entry["kind"], entry["id"], entry["deleted_by"]) == (kind, item, "admin")
    if kind != "comment":
        assert shown(site, incident) != before
    restored = site.admin.post(f"{bin_url}/{kind}/{item}/restore")
    assert restored.status_code == 204, restored.text
    assert site.admin.get(bin_url).json()["items"] == []
    after = shown(site, incident)
    for name in before:
        assert len(after[name] or ()) == len(before[name] or ()), name
    assert site.admin.post(f"{bin_url}/{kind}/{item}/restore").status_code == 404


def test_a_deleted_hypothesis_is_nowhere(site: Site) -> None:
    """Not by its address, not in the matrix, not as the incident's leading one; a restore heals."""
    incident = site.incident()
    item, address = made(site, incident)["hypothesis"]
    site.admin.post(f"{address}{item}/confidence", json={"confidence": 80, "reason": "because"})
    site.admin.delete(f"{address}{item}")
    assert site.admin.get(f"{address}{item}").status_code == 404
    (row,) = site.admin.get("/api/v1/incidents").json()["items"]
    assert row["leading"] is None
    found = site.admin.get(f"/api/v1/incidents/{incident}/find", params={"q": "latch"})
    assert "A latch is held" not in found.text
    site.admin.post(f"/api/v1/incidents/{incident}/deleted/hypothesis/{item}/restore")
    back = site.admin.get(f"{address}{item}").json()
    assert (back["confidence"], len(back["evidence"])) == (80, 1)


def test_the_bin_of_one_incident_is_not_anothers(site: Site) -> None:
    incident, other = site.incident(), site.incident("other")
    item, address = made(site, incident)["experiment"]
    site.admin.delete(f"{address}{item}")
    assert site.admin.get(f"/api/v1/incidents/{other}/deleted").json()["items"] == []
    wrong = site.admin.post(f"/api/v1/incidents/{other}/deleted/experiment/{item}/restore")
    assert wrong.status_code == 404
    assert (
        site.client("viewer")
        .post(f"/api/v1/incidents/{incident}/deleted/experiment/{item}/restore")
        .status_code
        == 403
    )


def test_an_incident_goes_into_the_bin_and_back(site: Site) -> None:
    """With all that is in it; only admins see and restore it."""
    incident = site.incident()
    made(site, incident)
    assert site.admin.delete(f"/api/v1/incidents/{incident}").status_code == 204
    assert site.admin.get(f"/api/v1/incidents/{incident}").status_code == 404
    assert site.admin.get(f"/api/v1/incidents/{incident}/hypotheses").status_code == 404
    assert site.admin.get("/api/v1/incidents").json()["total"] == 0
    contributor = site.client("contributor")
    assert contributor.get("/api/v1/deleted-incidents").status_code == 403
    (entry,) = site.admin.get("/api/v1/deleted-incidents").json()["items"]
    assert (entry["id"], entry["deleted_by"]) == (incident, "admin")
    back = f"/api/v1/deleted-incidents/{incident}/restore"
    assert contributor.post(back).status_code == 403
    assert site.admin.post(back).status_code == 204
    assert len(site.admin.get(f"/api/v1/incidents/{incident}/hypotheses").json()) == 1


def test_the_purge_takes_what_is_old_and_only_that(site: Site) -> None:
    """Rows and blobs; what history still speaks of, and bytes that somebody else has, stay."""
    services = site.app.state.services
    incident, young = site.incident(), site.incident("young")
    things = made(site, incident)
    shared = site.upload(young, "same.txt", b"content")
    alone = site.upload(incident, "alone.txt", b"only here")
    site.admin.delete(f"/api/v1/artifacts/{alone['id']}")
    for kind in ("hypothesis", "experiment", "annotation", "artifact"):
        item, address = things[kind]
        site.admin.delete(f"{address}{item}")
    for sha in (shared["sha256"], alone["sha256"]):
        os.utime(services.blobs.path(sha), (time.time() - 7200,) * 2)
    purge(services.settings, site.database, services.blobs, services.frames, services.placed)
    assert len(site.admin.get(f"/api/v1/incidents/{incident}/deleted").json()["items"]) == 5
    with site.database.unit() as unit:
        for table in ("hypotheses", "experiments", "annotations", "artifacts"):
            unit.session.execute(
                text(f"update {table} set deleted_at = deleted_at - :d"), {"d": timedelta(days=31)}
            )
    purge(services.settings, site.database, services.blobs, services.frames, services.placed)
    assert site.admin.get(f"/api/v1/incidents/{incident}/deleted").json()["items"] == []
    with site.database.unit() as unit:
        assert unit.session.get(models.Hypothesis, things["hypothesis"][0]) is None
    assert services.blobs.path(shared["sha256"]).exists()
    assert not services.blobs.path(alone["sha256"]).exists()


def test_an_old_deleted_incident_goes_whole(site: Site) -> None:
    """With its ledger, which nothing else may rewrite; the audit trail stays."""
    incident = site.incident()
    made(site, incident)
    site.admin.delete(f"/api/v1/incidents/{incident}")
    with site.database.unit() as unit:
        unit.session.execute(
            text("update incidents set deleted_at = deleted_at - interval '31 days'")
        )
    with site.database.unit() as unit:
        assert Bin(unit).purge(timedelta(days=30)).incidents == [incident]
    with site.database.unit() as unit:
        left = unit.session.execute(text("select count(*) from confidence_steps")).scalar_one()
        kept = unit.session.execute(
            text("select count(*) from audit where incident_id = :id"), {"id": incident}
        ).scalar_one()
    assert left == 0
    assert kept > 5


def test_abandoned_uploads_expire(site: Site) -> None:
    """Row and bytes, after a week without any."""
    services = site.app.state.services
    incident = site.incident()
    begun = site.admin.post(
        f"/api/v1/incidents/{incident}/uploads",
        headers={
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "100",
            "Upload-Metadata": f"filename {base64.b64encode(b'a.txt').decode()}",
        },
    )
    assert begun.status_code == 201, begun.text
    with site.database.unit() as unit:
        unit.session.execute(text("update uploads set updated_at = now() - interval '8 days'"))
    purge(services.settings, site.database, services.blobs, services.frames, services.placed)
    with site.database.unit() as unit:
        assert unit.session.execute(text("select count(*) from uploads")).scalar_one() == 0
    assert list(services.settings.uploads_dir.iterdir()) == []
