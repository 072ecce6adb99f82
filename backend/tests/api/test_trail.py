"""The audit trail also has what changes nothing: downloads, refusals and failed sign-ins."""

from __future__ import annotations

import inspect
from typing import Any

from fastapi.responses import FileResponse, Response, StreamingResponse
from fastapi.routing import APIRoute

from pileup.api import app
from pileup.storage.audit_chain import verify_chain
from tests.support.site import Site


def trail(site: Site, action: str) -> list[dict[str, Any]]:
    """Return the entries of an action, the oldest first."""
    entries = site.admin.get("/api/v1/audit", params={"limit": 500}).json()
    return [entry for entry in reversed(entries) if entry["action"] == action]


def test_files_that_leave_are_on_record(site: Site) -> None:
    """Whose hands they are in, the choices without what was sought; the same file once a minute."""
    incident = site.incident()
    artifact = site.upload(incident, "vmstat.txt", b"procs memory\n1 2\n")["id"]
    guest, token = site.guest(incident), site.with_token("read")
    url = f"/api/v1/incidents/{incident}"
    for _ in range(3):
        assert guest.get(f"/api/v1/artifacts/{artifact}/download").status_code == 200
    assert token.get(f"/api/v1/artifacts/{artifact}/download").status_code == 200
    assert site.admin.get(f"{url}/bundle").status_code == 200
    for redact in ("", "users"):
        choices = {"format": "md", "redact": redact, "q": "a secret"}
        assert site.admin.get(f"{url}/report/export", params=choices).status_code == 200
    assert site.admin.get(f"{url}/report/export?format=nope").status_code == 422
    found = [
        (entry["user_name"], entry["incident_id"], entry["target"], entry["detail"])
        for entry in trail(site, "file.downloaded")
    ]
    by_guest, by_token, *by_admin = found
    assert by_guest[:3] == ("Guest (vendor)", incident, artifact)
    assert by_guest[3]["guest_link"]
    assert by_token[:3] == ("admin", incident, artifact)
    assert by_token[3]["token"]
    assert [entry[:3] for entry in by_admin] == [("admin", incident, None)] * 3
    assert [(entry[3]["file"], entry[3]["choices"]) for entry in by_admin] == [
        ("incidents/bundle", ""),
        ("incidents/report/export", "format=md&redact=&q=…"),
        ("incidents/report/export", "format=md&redact=users&q=…"),
    ]
    assert site.admin.get("/api/v1/audit/export").status_code == 200
    assert trail(site, "file.downloaded")[-1]["target"] is None
    assert verify_chain(site.database).problem is None


def test_no_download_is_forgotten() -> None:
    """`one_thread` records whatever plain routes send; no coroutine sends a file."""
    routes = [route for group, *_ in app._guarded() for router in group for route in router.routes]
    sending = [
        route
        for route in routes
        if isinstance(route, APIRoute)
        and (
            issubclass(_kind(route), FileResponse | StreamingResponse)
            or "attachment" in inspect.getsource(route.endpoint)
        )
    ]
    assert len(sending) > 10
    assert not [route.path for route in sending if inspect.iscoroutinefunction(route.endpoint)]


def _kind(route: APIRoute) -> type[Response]:
    kind = route.response_class
    return kind if isinstance(kind, type) else Response


def test_refusals_are_on_record_once_a_minute(site: Site) -> None:
    """Per person and route; a stranger leaves nothing."""
    incident = site.incident()
    viewer, token = site.client("viewer", "vera"), site.with_token("read")
    url = f"/api/v1/incidents/{incident}/hypotheses"
    for _ in range(4):
        assert viewer.post(url, json={"statement": "x"}).status_code == 403
        assert viewer.get("/api/v1/audit").status_code == 403
        assert token.post(url, json={"statement": "x"}).status_code == 403
        assert site.stranger.post(url, json={"statement": "x"}).status_code == 401
    refused = trail(site, "access.refused")
    route = "POST /incidents/{incident_id}/hypotheses"
    assert [(entry["user_name"], entry["target"]) for entry in refused] == [
        ("vera", route),
        ("vera", "GET /audit"),
        ("admin", route),
    ]
    assert [set(entry["detail"]) for entry in refused] == [set(), set(), {"token"}]
    assert {entry["incident_id"] for entry in refused} == {None}


def test_failed_sign_ins_and_sign_outs_are_on_record(site: Site) -> None:
    """A flood of them is one entry per client, way and minute."""
    for _ in range(3):
        answer = site.stranger.post("/api/v1/session/link", json={"link": "made-up"})
        assert answer.status_code == 401
        answer = site.stranger.post("/api/v1/session/guest", json={"link": "made-up"})
        assert answer.status_code == 401
    wrong = {"email": "a@example.org", "password": "wrong wrong"}
    assert site.stranger.post("/api/v1/session", json=wrong).status_code == 401
    ann = site.client("contributor", "ann")
    assert ann.delete("/api/v1/session").status_code == 204
    refused = [entry["detail"] for entry in trail(site, "session.refused")]
    assert [entry.get("how", "password") for entry in refused] == ["link", "guest_link", "password"]
    assert [entry["user_name"] for entry in trail(site, "session.closed")] == ["ann"]


def test_a_change_names_its_fields_in_order(site: Site) -> None:
    """Of an incident, a hypothesis, an experiment, an action item and a webhook."""
    incident = site.incident()
    url = f"/api/v1/incidents/{incident}"
    admin = site.admin

    def made(path: str, body: dict[str, Any]) -> str:
        answer = admin.post(path, json=body)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def change(path: str, body: dict[str, Any]) -> Any:
        revision = admin.get(path).json().get("revision", 1) if "actions" not in path else 1
        answer = admin.patch(path, json=body, headers={"If-Match": f'"{revision}"'})
        assert answer.is_success, answer.text
        return answer.json()

    hypothesis = made(f"{url}/hypotheses", {"statement": "A causes B"})
    experiment = made(f"{url}/experiments", {"title": "off", "change": "SET GLOBAL"})
    action = made(f"{url}/actions", {"text": "alarm", "owner": "ann", "due": "2026-12-24"})
    hook = {"url": "https://example.org", "events": ["report.approved"]}
    webhook = made("/api/v1/webhooks", hook)
    change(url, {"title": "stall", "service": "shop"})
    change(f"/api/v1/hypotheses/{hypothesis}", {"statement": "B", "falsifier": "C"})
    change(f"/api/v1/experiments/{experiment}", {"title": "on", "change": "SET"})
    changed = change(f"/api/v1/actions/{action}", {"text": "two", "owner": None, "due": None})
    assert (changed["text"], changed["owner"], changed["due"]) == ("two", "ann", None)
    put = admin.patch(f"/api/v1/webhooks/{webhook}", json={"url": hook["url"], "enabled": False})
    assert put.is_success, put.text
    for action_name, fields in (
        ("incident.changed", ["service", "title"]),
        ("hypothesis.edited", ["falsifier", "statement"]),
        ("experiment.edited", ["change", "title"]),
        ("action.edited", ["due", "text"]),
        ("webhook.changed", ["enabled", "url"]),
    ):
        (entry,) = trail(site, action_name)
        assert entry["detail"]["fields"] == fields, action_name
