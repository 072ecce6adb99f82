"""Activity of an incident and the audit of all: filtered, paged, exported, each for its people."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from pileup.storage import audit
from pileup.storage.audit import Actor
from tests.support.site import Site


def test_activity_is_filtered_and_paged(site: Site) -> None:
    """By person, kind and time; a page ends where the next begins."""
    incident = site.incident()
    url = f"/api/v1/incidents/{incident}"
    ann = site.client("contributor", "ann")
    for number in range(5):
        ann.post(f"{url}/hypotheses", json={"statement": f"hypothesis {number}"})
    site.admin.patch(url, json={"title": "renamed"}, headers={"If-Match": '"1"'})
    by_ann = site.admin.get(f"{url}/activity", params={"person": "ann"}).json()
    assert {entry["user_name"] for entry in by_ann} == {"ann"}
    kinds = site.admin.get(f"{url}/activity", params={"kind": "incident"}).json()
    assert [entry["action"] for entry in kinds] == ["incident.changed", "incident.created"]
    everything = site.admin.get(f"{url}/activity").json()
    seen, before = [], None
    while True:
        params = {"limit": 2} | ({"before": before} if before else {})
        page = site.admin.get(f"{url}/activity", params=params).json()
        if not page:
            break
        seen += page
        before = page[-1]["id"]
    assert seen == everything
    later = site.admin.get(f"{url}/activity", params={"from": everything[0]["at"]}).json()
    assert [entry["id"] for entry in later] == [everything[0]["id"]]
    filters = site.admin.get(f"{url}/activity/filters").json()
    assert filters["people"] == ["admin", "ann"]
    assert {"hypothesis", "incident"} <= set(filters["kinds"])


def test_every_line_names_what_it_speaks_of(site: Site) -> None:
    """By its name of now, also from the bin; with what was decided, and where."""
    incident = site.incident()
    base = f"/api/v1/incidents/{incident}"

    def post(path: str, **body: Any) -> dict[str, Any]:
        answer = site.admin.post(path, json=body)
        assert answer.is_success, answer.text
        return dict(answer.json())

    latch = post(f"{base}/hypotheses", statement="A latch is held")["id"]
    said = {"kind": "statement", "title": "no deadlock", "locator": {}, "view": "/incidents/x"}
    pin = post(f"{base}/pins", **said, evidence_kind="absence")["id"]
    post(f"/api/v1/hypotheses/{latch}/evidence", pin_id=pin, side="against")
    cell = {"pin_id": pin, "hypothesis_id": latch}
    site.admin.put(f"{base}/matrix/ratings", json=cell | {"rating": "I"})
    post(f"{base}/comments", subject=f"cell:{pin}/{latch}", body="why?")
    post(f"{base}/comments", subject="report:summary", body="too long")
    step = {"confidence": 5, "reason": "looked twice"}
    revision = post(f"/api/v1/hypotheses/{latch}/confidence", **step)["revision"]
    refuted = site.admin.patch(
        f"/api/v1/hypotheses/{latch}",
        json={"status": "refuted", "reason": "nothing waits for it"},
        headers={"If-Match": f'"{revision}"'},
    )
    assert refuted.is_success, refuted.text
    run = post(f"{base}/experiments", title="switch it off", prediction={"text": "gone"})["id"]
    post(f"/api/v1/experiments/{run}/start")
    post(f"/api/v1/experiments/{run}/finish", observation={"text": "still there"}, verdict="miss")
    assert site.admin.delete(f"/api/v1/experiments/{run}").is_success
    lines = site.admin.get(f"{base}/activity").json()
    detail_of = {(line["action"], line["name"]): line["detail"] for line in lines}
    h, e = "H1 A latch is held", "1. switch it off"
    assert detail_of["hypothesis.evidence_added", h] == {"evidence": "E1", "side": "against"}
    assert detail_of["hypothesis.confidence_set", h] == step
    assert detail_of["hypothesis.status_changed", h]["after"] == "refuted"
    assert detail_of["experiment.finished", e] == {"verdict": "miss"}
    assert {("experiment.started", e), ("experiment.deleted", e)} <= detail_of.keys()
    assert ("pin.created", "E1 no deadlock") in detail_of
    assert {("matrix.rated", "E1 under H1"), ("comment.created", "E1 under H1")} <= detail_of.keys()
    assert ("comment.created", "the report, summary") in detail_of


def test_the_audit_of_all_is_for_admins(site: Site) -> None:
    """Its export is CSV in which no cell is a formula."""
    incident = site.incident("=HYPERLINK(1)")
    site.incident("CREATE USER x IDENTIFIED BY 'S3cr3tPassword' for jane@corp.example")
    contributor = site.client("contributor", "@cmd")
    contributor.post(f"/api/v1/incidents/{incident}/hypotheses", json={"statement": "x"})
    for path in ("/api/v1/audit", "/api/v1/audit/filters", "/api/v1/audit/export"):
        assert contributor.get(path).status_code == 403
    actions = {entry["action"] for entry in site.admin.get("/api/v1/audit").json()}
    assert {"session.opened", "incident.created", "hypothesis.created"} <= actions
    answer = site.admin.get("/api/v1/audit/export")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(answer.text)))
    assert rows[0][:3] == ["time", "person", "incident"]
    assert "'@cmd" in {row[1] for row in rows}
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "@", "+", "-")]
    assert "S3cr3tPassword" not in answer.text
    assert "jane@corp.example" in answer.text
    redacted = site.admin.get("/api/v1/audit/export", params={"redact": "addresses"})
    assert "jane@corp.example" not in redacted.text
    assert "address-" in redacted.text


def test_an_export_of_the_audit_says_of_each_entry_what_the_list_says(site: Site) -> None:
    """Entries with and without a detail, in the order of the list; each line ends as CSV does."""
    incident = site.incident('checkout, "stalled"')
    site.client("contributor", "Zoë").get(f"/api/v1/incidents/{incident}")
    site.admin.patch(
        f"/api/v1/incidents/{incident}", json={"severity": "sev1"}, headers={"If-Match": '"1"'}
    )
    site.admin.delete(f"/api/v1/incidents/{incident}")
    with site.database.unit() as unit:
        audit.record(unit, Actor(None, "a program"), "session.closed")
    text = site.admin.get("/api/v1/audit/export").content.decode()
    listed = site.admin.get("/api/v1/audit").json()
    assert listed[0]["action"] == "file.downloaded"
    first, *rows = csv.reader(io.StringIO(text, newline=""))
    assert first == ["time", "person", "incident", "action", "target", "detail"]
    assert text.count("\r\n") == len(rows) + 1 == len(listed) + 1
    assert {bool(entry["detail"]) for entry in listed} == {True, False}
    for row, entry in zip(rows, listed, strict=True):
        time, person, of, action, target, detail = row
        assert (time, action, of) == (entry["at"], entry["action"], entry["incident_id"] or "")
        assert (person, target) == (entry["user_name"], entry["target"] or "")
        assert detail == (
            json.dumps(entry["detail"], ensure_ascii=False) if entry["detail"] else ""
        )
