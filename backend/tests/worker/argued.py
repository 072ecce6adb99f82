"""People's work of every kind in an incident with the short hot-row."""

from __future__ import annotations

from typing import Any

from tests.worker.conftest import BOTH, Bench


def bare(pin: dict[str, Any]) -> str:
    return str(pin["id"]).replace("-", "")


def argue(bench: Bench, incident: str) -> None:
    """Do people's work of every kind in an incident."""
    client = bench.site.admin
    base = f"/api/v1/incidents/{incident}"

    def post(path: str, body: dict[str, Any], **headers: str) -> Any:
        answer = client.post(path, json=body, headers=headers)
        assert answer.is_success, (path, answer.text)
        return answer.json()

    dump = next(
        item
        for item in client.get(f"{base}/artifacts").json()["items"]
        if item["path"].endswith("innodb-status.txt")
    )
    pin = post(
        f"{base}/pins",
        {
            "kind": "lines",
            "title": "the dump's first lines",
            "locator": {"artifact": dump["sha256"], "line_first": 1, "line_last": 9},
            "view": f"/incidents/{incident}/artifacts?artifact={dump['id']}&line=1",
        },
    )
    claim = post(f"{base}/hypotheses", {"statement": "An idle trx holds it", "confidence": 40})
    post(f"/api/v1/hypotheses/{claim['id']}/evidence", {"pin_id": pin["id"], "side": "for"})
    post(
        f"/api/v1/hypotheses/{claim['id']}/confidence",
        {"confidence": 80, "reason": "the dump shows it", "pin_id": pin["id"]},
    )
    planned = post(
        f"{base}/experiments",
        {
            "title": "End it",
            "change": "KILL 390",
            "hypothesis_id": claim["id"],
            "prediction": {
                "text": "waits fall", "falsifier": "they do not",
                "metric": "mysql.Threads_running", "op": "<", "value": 20,
            },
            "sweep": "limits",
            "parameters": {"limit": "8", "binary": "patched"},
        },
    )  # fmt: skip
    post(
        f"{base}/symptoms",
        {"predicate": {"kind": "series", "series": "mysql.Threads_running", "op": ">", "value": 9}},
    )
    done = f"/api/v1/experiments/{planned['id']}"
    assert client.put(f"{done}/artifacts", json={"artifact_ids": [dump["id"]]}).is_success
    post(f"{done}/start", {})
    finished = post(f"{done}/finish", {"observation": {"text": "seen", "value": 3.5}})
    assert finished["computed"]["symptoms"]["unknown"]
    post(f"/api/v1/experiments/{planned['id']}/pins", {"pin_id": pin["id"]})
    post(
        f"/api/v1/hypotheses/{claim['id']}/confidence",
        {"confidence": 20, "reason": "a guess", "happened_at": "2026-11-01T00:00:00Z"},
    )
    revision = client.get(done).json()["revision"]
    values = {"values": [{"name": "inserts", "value": 9.5, "unit": "1/s"}]}
    post(f"{done}/measurements", values, **{"If-Match": f'"{revision}"'})
    prose = {"predicate": {"kind": "prose", "text": "a restart helps for an hour"}}
    noticed = post(f"{base}/symptoms", prose)
    answer = client.put(f"{done}/symptoms/{noticed['id']}", json={"holds": False, "note": "no"})
    assert answer.is_success, answer.text
    post(f"{base}/actions", {"text": "Upgrade", "ticket_number": "100512", "check_what": "fine"})
    post(f"{base}/annotations", {"start": "2026-11-20T22:19:50Z", "text": "pager rang"})
    post(f"{base}/views", {"view": "waits?at=worst", "name": "the worst"})
    saved = client.put(
        f"{base}/report/sections/summary",
        json={
            "body_md": f"We know why: [pin](pin:{pin['id']}).[^pin-{bare(pin)}]\n\n"
            f'::pin{{id="{pin["id"][:13]}"}}\n'
        },
        headers={"If-Match": '"0"'},
    )
    assert saved.is_success, saved.text
    changed = client.patch(f"/api/v1/artifacts/{dump['id']}", json={"zone": "America/Vancouver"})
    assert changed.is_success, changed.text
    bench.work(BOTH)
