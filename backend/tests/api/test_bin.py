"""The bin: every deletion of people's work can be undone, until it is purged."""

from __future__ import annotations

import base64
import os
import re
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from pileup.api.app import openapi
from pileup.storage import models
from pileup.storage.lifecycle.bin import Bin
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
    predicate = {"kind": "state", "text": "query end", "at_least": 5}
    symptom = client.post(f"{base}/symptoms", json={"predicate": predicate}).json()
    return {
        "symptom": (symptom["id"], "/api/v1/symptoms/"),
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
        for name in ("pins", "hypotheses", "experiments", "artifacts", "symptoms")
    }
    answers["marks"] = site.admin.get(f"{base}/marks").json().get("annotations")
    return answers


@pytest.mark.parametrize(
    "kind",
    ["artifact", "pin", "hypothesis", "experiment", "symptom", "annotation", "comment"],
)
@pytest.mark.dealt(3)
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
    found = site.admin.get(f"/api/v1/incidents/{incident}/search", params={"q": "latch"})
    assert "A latch is held" not in found.text
    site.admin.post(f"/api/v1/incidents/{incident}/deleted/hypothesis/{item}/restore")
    back = site.admin.get(f"{address}{item}").json()
    assert (back["confidence"], len(back["evidence"])) == (80, 1)


def test_the_bin_of_one_incident_is_not_anothers(site: Site) -> None:
    incident, other = site.incident(), site.incident("other")
    item, address = made(site, incident)["experiment"]
    site.admin.delete(f"{address}{item}")
    assert site.admin.get(f"/api/v1/incidents/{other}/deleted").json()["items"] == []
    long = {"statement": "A latch is held " + 300 * "x"}
    second = site.admin.post(f"/api/v1/incidents/{other}/hypotheses", json=long).json()["id"]
    site.admin.delete(f"/api/v1/hypotheses/{second}")
    (entry,) = site.admin.get(f"/api/v1/incidents/{other}/deleted").json()["items"]
    assert entry["title"] == long["statement"][:200]
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


# Not those that name an incident or belong to the installation.
OWN_ID = re.compile(
    r"^/api/v1/(?!incidents/|deleted-incidents/|users|teams|session/|tokens|webhooks|samples"
    r"|redaction-profiles)"
)


OCTETS = "application/offset+octet-stream"
BODIES: dict[str, dict[str, Any]] = {
    "/api/v1/pins/{pin_id}/stale": {"accept": True},
    "/api/v1/releases/{release_id}/approve": {"sha256": "0" * 64},
    "/api/v1/hypotheses/{hypothesis_id}/confidence": {"confidence": 1, "reason": "x"},
    "/api/v1/hypotheses/{hypothesis_id}/evidence": {"pin_id": "x", "side": "for"},
    "/api/v1/experiments/{experiment_id}/finish": {"observation": {"text": "x"}},
    "/api/v1/experiments/{experiment_id}/artifacts": {"artifact_ids": []},
    "/api/v1/experiments/{experiment_id}/pins": {"pin_id": "x"},
    "/api/v1/comments/{comment_id}": {"body": "x"},
    "/api/v1/annotations/{annotation_id}": {"text": "x"},
    "/api/v1/symptoms/{symptom_id}": {"predicate": {"kind": "state", "text": "x"}},
    "/api/v1/experiments/{experiment_id}/measurements": {"values": [{"name": "x", "value": 1}]},
    "/api/v1/experiments/{experiment_id}/measurements/computed": {"series": "x"},
    "/api/v1/experiments/{experiment_id}/symptoms/{symptom_id}": {"holds": True},
}
"""What else a route needs to get as far as looking."""


def argued(site: Site, incident: str) -> dict[str, str]:
    """Everything that has an address of its own; by the name that the address calls it."""
    client, base = site.admin, f"/api/v1/incidents/{incident}"
    things = {f"{kind}_id": item for kind, (item, _) in made(site, incident).items()}
    pin, hypothesis = things["pin_id"], things["hypothesis_id"]

    def post(path: str, **body: Any) -> dict[str, Any]:
        answer = client.post(f"{base}/{path}", json=body)
        assert answer.is_success, (path, answer.text)
        return dict(answer.json() if answer.content else {})

    step = {"confidence": 70, "reason": "so", "pin_id": pin}
    found = client.post(f"/api/v1/hypotheses/{hypothesis}/confidence", json=step).json()
    things["evidence_id"] = found["evidence"][0]["id"]
    client.post(f"/api/v1/experiments/{things['experiment_id']}/pins", json={"pin_id": pin})
    measured = client.post(
        f"/api/v1/experiments/{things['experiment_id']}/measurements",
        json={"values": [{"name": "inserts", "value": 10}]},
        headers={"If-Match": '"1"'},
    )
    things["measurement_id"] = measured.json()["measures"][0]["id"]
    cell = {"pin_id": pin, "hypothesis_id": hypothesis}
    assert client.put(f"{base}/matrix/ratings", json=cell | {"rating": "I"}).is_success
    weight = {"credibility": "high", "relevance": "low"}
    tag = {"If-Match": '"0"'}
    assert client.put(f"{base}/matrix/weights/{pin}", json=weight, headers=tag).is_success
    assert client.post(f"{base}/matrix/openings", json=cell).is_success
    post("comments", subject=f"cell:{pin}/{hypothesis}", body="@admin look")
    assert client.get(f"{base}/texts/hypothesis/{hypothesis}/notes").is_success
    things["action_id"] = post("actions", text="raise the limit")["id"]
    things["view_id"] = post("views", view="waits?at=worst", name="the worst")["id"]
    things["release_id"] = post("releases", note="first")["id"]
    begun = client.post(
        f"{base}/uploads",
        headers={
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "100",
            "Upload-Metadata": f"filename {base64.b64encode(b'a.txt').decode()}",
        },
    )
    things["upload_id"] = begun.headers["location"].rpartition("/")[2]
    with site.database.unit() as unit:
        row = models.StallCorrection(
            incident_id=incident, host=None, computed_onset=datetime.now(UTC)
        )
        unit.session.add(row)
        unit.session.flush()
        things["correction_id"] = row.id
    return things


def test_what_is_in_a_deleted_incident_has_no_address(site: Site) -> None:
    """Walked over the OpenAPI document: every route by an own id answers 404, also to an admin,
    and nothing of it changes; after the restore it is all there again."""
    incident = site.incident()
    things = argued(site, incident)
    before = shown(site, incident)
    assert site.admin.delete(f"/api/v1/incidents/{incident}").status_code == 204
    walked = 0
    for path, methods in openapi()["paths"].items():
        names = re.findall(r"{(\w+)}", path)
        if not names or not OWN_ID.match(path):
            continue
        unknown = [name for name in names if name not in things]
        assert not unknown, f"{path}: make one of {unknown} in argued()"
        url = re.sub(r"{(\w+)}", lambda found: things[found[1]], path)
        for method, operation in methods.items():
            asked = {
                p["name"]: "1"
                for p in operation.get("parameters", ())
                if p.get("required") and p["in"] == "query"
            }
            body = {"json": BODIES.get(path, {})} if method in ("post", "put", "patch") else {}
            headers = {"If-Match": '"1"', "Tus-Resumable": "1.0.0", "Upload-Offset": "0"}
            if path.startswith("/api/v1/uploads"):
                body, headers = {"content": b"x"}, headers | {"Content-Type": OCTETS}
            answer = site.admin.request(method.upper(), url, params=asked, headers=headers, **body)
            assert answer.status_code == 404, (method, path, answer.status_code, answer.text)
            walked += 1
    assert walked > 40
    two = {"a": things["artifact_id"], "b": things["artifact_id"]}
    assert site.admin.get("/api/v1/tables/comparison", params=two).status_code in (404, 422)
    assert site.admin.get("/api/v1/mentions").json() == []
    back = site.admin.post(f"/api/v1/deleted-incidents/{incident}/restore")
    assert back.status_code == 204
    assert shown(site, incident) == before


def test_a_purged_incident_leaves_no_row_but_its_audit(site: Site) -> None:
    """Ratings, ledger, openings and releases refuse to be rewritten; the purge takes them along."""
    incident, other = site.incident(), site.incident("other")
    argued(site, incident)
    made(site, other)
    site.admin.delete(f"/api/v1/incidents/{incident}")
    with site.database.unit() as unit:
        unit.session.execute(
            text(
                "update incidents set deleted_at = now() - interval '31 days' "
                "where deleted_at is not null"
            )
        )
    with site.database.unit() as unit:
        assert Bin(unit).purge(timedelta(days=30)).incidents == [incident]
    with site.database.unit() as unit:
        for table in models.Base.metadata.sorted_tables:
            if "incident_id" in table.c and table.name != "audit":
                where = table.c.incident_id == incident
                left = unit.session.execute(table.select().where(where)).all()
                assert left == [], table.name
        for name in ("ratings", "confidence_steps", "evidence", "release_approvals", "mentions"):
            table = models.Base.metadata.tables[name]
            rows = unit.session.execute(table.select()).mappings().all()
            assert not [row for row in rows if row.get("incident_id") == incident], name
    assert len(shown(site, other)["hypotheses"]) == 1


def test_a_purged_hypothesis_takes_its_ledger_and_leaves_the_pins(site: Site) -> None:
    """Its ratings, evidence, comments and notes go too; nobody else may delete them."""
    incident = site.incident()
    things = argued(site, incident)
    hypothesis = things["hypothesis_id"]
    with pytest.raises(IntegrityError), site.database.unit() as unit:
        unit.session.execute(text("delete from ratings"))
    site.admin.delete(f"/api/v1/hypotheses/{hypothesis}")
    site.admin.delete(f"/api/v1/pins/{things['pin_id']}")
    aged = "update {} set deleted_at = now() - interval '31 days' where deleted_at is not null"
    with site.database.unit() as unit:
        for table in ("hypotheses", "pins"):
            unit.session.execute(text(aged.format(table)))
    with site.database.unit() as unit:
        Bin(unit).purge(timedelta(days=30))
    with site.database.unit() as unit:
        count = unit.session.scalar
        for table in ("hypotheses", "ratings", "confidence_steps", "evidence", "live_texts"):
            assert count(text(f"select count(*) from {table}")) == 0, table
        assert (
            count(
                text("select count(*) from comments where subject like '%' || :h || '%'"),
                {"h": hypothesis},
            )
            == 0
        )
        # the experiment and the weight still speak of the pin
        assert count(text("select count(*) from pins")) == 1


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
    purge(services.settings, site.database, services.stores)
    assert len(site.admin.get(f"/api/v1/incidents/{incident}/deleted").json()["items"]) == 5
    assert "purged" not in site.admin.get(f"/api/v1/incidents/{incident}/activity").text
    with site.database.unit() as unit:
        for table in ("hypotheses", "experiments", "annotations", "artifacts"):
            unit.session.execute(
                text(f"update {table} set deleted_at = deleted_at - :d"), {"d": timedelta(days=31)}
            )
    purge(services.settings, site.database, services.stores)
    assert site.admin.get(f"/api/v1/incidents/{incident}/deleted").json()["items"] == []
    with site.database.unit() as unit:
        assert unit.session.get(models.Hypothesis, things["hypothesis"][0]) is None
    entries = site.admin.get(f"/api/v1/incidents/{incident}/activity").json()
    purged = {entry["action"]: entry for entry in entries if entry["action"].endswith(".purged")}
    kinds = ("annotation", "artifact", "experiment", "hypothesis")
    assert sorted(purged) == [f"{kind}.purged" for kind in kinds]
    line = purged["artifact.purged"]
    assert line["detail"] == {"gone": 2, "why": "bin emptied by the 30 day rule"}
    assert (line["user_name"], line["user_id"]) == ("pileup", None)
    assert services.blobs.path(shared["sha256"]).exists()
    assert not services.blobs.holds(alone["sha256"])


def test_a_purge_leaves_the_numbers_of_all_others(site: Site) -> None:
    """E2 stays E2 when E1 is purged, and what the last one was called nobody is called again."""
    incident = site.incident()
    client, base = site.admin, f"/api/v1/incidents/{incident}"
    sha = site.upload(incident, "dump.txt", b"content")["sha256"]

    def make() -> tuple[str, str, int]:
        place = {"artifact": sha, "line_first": 1, "line_last": 1}
        pin = {"kind": "lines", "title": "t", "locator": place, "view": f"/incidents/{incident}"}
        plan = {"title": "t", "change": "", "prediction": {"text": "x"}}
        return (
            client.post(f"{base}/pins", json=pin).json()["label"],
            client.post(f"{base}/hypotheses", json={"statement": "s"}).json()["label"],
            client.post(f"{base}/experiments", json=plan).json()["number"],
        )

    def there() -> dict[str, list[Any]]:
        return {
            name: sorted(item[label] for item in client.get(f"{base}/{name}").json())
            for name, label in (("pins", "label"), ("hypotheses", "label"))
        } | {"experiments": [item["number"] for item in client.get(f"{base}/experiments").json()]}

    assert [make(), make(), make()] == [("E1", "H1", 1), ("E2", "H2", 2), ("E3", "H3", 3)]
    for name, gone in (("pins", "E1 E3"), ("hypotheses", "H1 H3"), ("experiments", "1 3")):
        for item in client.get(f"{base}/{name}").json():
            if str(item.get("label", item.get("number"))) in gone.split():
                assert client.delete(f"/api/v1/{name}/{item['id']}").status_code == 204
    assert there() == {"pins": ["E2"], "hypotheses": ["H2"], "experiments": [2]}
    with site.database.unit() as unit:
        assert Bin(unit).purge(timedelta(0)).shas == set()
    with site.database.unit() as unit:
        assert unit.session.scalar(text("select count(*) from pins")) == 1
    assert there() == {"pins": ["E2"], "hypotheses": ["H2"], "experiments": [2]}
    assert make() == ("E4", "H4", 4)


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
        why = unit.session.execute(
            text("select user_name, detail->>'why' from audit where action = 'incident.purged'")
        ).all()
    assert left == 0
    assert kept > 5
    assert why == [("pileup", "bin emptied by the 30 day rule")]


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
    purge(services.settings, site.database, services.stores)
    with site.database.unit() as unit:
        assert unit.session.execute(text("select count(*) from uploads")).scalar_one() == 0
    assert list(services.settings.uploads_dir.iterdir()) == []
