"""The argument over HTTP: pin, hypothesise, test; nobody overwrites what another saved."""

from __future__ import annotations

from typing import Any

from tests.support.site import Site


def pin(site: Site, incident: str, **more: Any) -> dict[str, Any]:
    body = {
        "kind": "wait_node",
        "title": "301 wait behind trx 42",
        "locator": {"at": "2026-11-20T22:19:52Z", "node": "trx:42", "value": "301"},
        "view": f"/incidents/{incident}/waits?at=2026-11-20T22:19:52Z&node=trx:42",
    }
    answer = site.admin.post(f"/api/v1/incidents/{incident}/pins", json=body | more)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def hypothesis(site: Site, incident: str) -> dict[str, Any]:
    answer = site.admin.post(
        f"/api/v1/incidents/{incident}/hypotheses",
        json={"statement": "An idle transaction holds the row", "confidence": 40},
    )
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_pin_becomes_evidence_and_confidence_moves(site: Site) -> None:
    """A pin for the hypothesis, then 80 % with a reason: both are in what everybody reads."""
    incident = site.incident()
    made = hypothesis(site, incident)
    held = pin(site, incident)
    site.admin.post(
        f"/api/v1/hypotheses/{made['id']}/evidence", json={"pin_id": held["id"], "side": "for"}
    )
    after = site.admin.post(
        f"/api/v1/hypotheses/{made['id']}/confidence",
        json={"confidence": 80, "reason": "the graph shows it", "pin_id": held["id"]},
    ).json()
    steps = [(step["confidence"], step["status"]) for step in after["history"]]
    assert steps == [(40, "proposed"), (40, "active"), (80, "active")]
    assert after["evidence"][0]["pin"]["locator"]["node"] == "trx:42"
    listed = site.client("viewer").get(f"/api/v1/incidents/{incident}/hypotheses").json()
    assert listed == [after]


def test_stale_write_is_409_and_carries_the_current(site: Site) -> None:
    """Nothing is overwritten: the answer holds what the other person saved."""
    incident = site.incident()
    made = hypothesis(site, incident)
    url = f"/api/v1/hypotheses/{made['id']}"
    first = site.admin.patch(url, json={"statement": "mine"}, headers={"If-Match": '"1"'})
    assert first.status_code == 200, first.text
    second = site.admin.patch(url, json={"statement": "yours"}, headers={"If-Match": '"1"'})
    assert second.status_code == 409
    assert second.headers["content-type"] == "application/problem+json"
    assert second.json()["current"]["statement"] == "mine"
    assert site.admin.patch(url, json={"statement": "x"}).status_code == 428


def test_refuting_without_a_pin_is_refused_with_the_field(site: Site) -> None:
    made = hypothesis(site, site.incident())
    answer = site.admin.patch(
        f"/api/v1/hypotheses/{made['id']}", json={"status": "refuted"}, headers={"If-Match": '"1"'}
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "status"


def test_another_incidents_pin_is_refused(site: Site) -> None:
    """Evidence never crosses incidents."""
    made = hypothesis(site, site.incident())
    foreign = pin(site, site.incident("other"))
    answer = site.admin.post(
        f"/api/v1/hypotheses/{made['id']}/evidence", json={"pin_id": foreign["id"], "side": "for"}
    )
    assert answer.status_code == 422


def test_pin_takes_its_raw_lines_along(site: Site) -> None:
    """A pin must open inside the application and name a real place."""
    incident = site.incident()
    bad = site.admin.post(
        f"/api/v1/incidents/{incident}/pins",
        json={"kind": "lines", "title": "x", "locator": {}, "view": "https://elsewhere.example/"},
    )
    assert bad.status_code == 422
    gone = pin(site, incident, kind="lines", locator={"artifact": "0" * 64, "line_first": 1})
    assert gone["stale"] is True
    assert gone["excerpt"] is None


def test_experiment_locks_its_prediction(site: Site) -> None:
    """Plan, start, finish: the prediction cannot be improved afterwards; confidence follows."""
    incident = site.incident()
    made = hypothesis(site, incident)
    plan = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments",
        json={
            "title": "End the idle transaction",
            "hypothesis_id": made["id"],
            "change": "KILL 390",
            "prediction": {"text": "lock waits fall below 20", "op": "<", "value": 20},
        },
    ).json()
    url = f"/api/v1/experiments/{plan['id']}"
    started = site.admin.post(f"{url}/start").json()
    assert started["locked_at"] is not None
    late = site.admin.patch(
        url,
        json={"prediction": {"text": "lock waits fall below 300"}},
        headers={"If-Match": f'"{started["revision"]}"'},
    )
    assert late.status_code == 409
    done = site.admin.post(
        f"{url}/finish",
        json={
            "observation": {"text": "12 waiters after 10 s", "value": 12},
            "verdict": "match",
            "failed_same_way": "no",
            "conclusion": "the idle transaction was the blocker",
            "confidence": 90,
        },
    ).json()
    assert (done["state"], done["verdict"]) == ("finished", "match")
    after = site.admin.get(f"/api/v1/hypotheses/{made['id']}").json()
    assert after["confidence"] == 90
    assert after["history"][-1]["reason"].startswith("experiment 1:")
    assert after["experiments"] == [
        {"id": plan["id"], "title": "End the idle transaction", "verdict": "match"}
    ]


def test_unknown_finding_is_404(site: Site) -> None:
    incident = site.incident()
    url = f"/api/v1/incidents/{incident}/findings"
    assert site.admin.get(url).json() == []
    answer = site.admin.put(f"{url}/mysql-0/verdict", json={"verdict": "accepted"})
    assert answer.status_code == 404
