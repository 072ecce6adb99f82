"""All routes by callers who are out, from the OpenAPI document; and ids of another incident.

`make test` calls a share of the cells, another one every day; `make test-security` all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import text

from tests.api.test_access import MARK, Private, user_of
from tests.api.test_guard import PUBLIC, call, operations
from tests.api.test_reasoning import hypothesis
from tests.support.rounds import Rounds
from tests.support.site import Site

_SHARE = 40
"""In a usual run, every so many-th cell."""


def _sql(site: Site, statement: str, **values: str) -> None:
    with site.database.unit() as unit:
        assert unit.session.execute(text(statement), values).rowcount == 1  # type: ignore[attr-defined]


def _revoked_token(site: Site) -> TestClient:
    client = site.with_token("full", site.client("contributor", "revoked"))
    _sql(site, "update tokens set revoked_at = now() where revoked_at is null and user_id = "
         "(select id from users where name = 'revoked')")  # fmt: skip
    return client


def _expired_token(site: Site) -> TestClient:
    client = site.with_token("full", site.client("contributor", "expired"))
    _sql(site, "update tokens set expires_at = now() - interval '1 second' where user_id = "
         "(select id from users where name = 'expired')")  # fmt: skip
    return client


def _disabled(site: Site, name: str) -> TestClient:
    client = site.client("contributor", name)
    answer = site.admin.patch(f"/api/v1/users/{user_of(client)}", json={"disabled": True})
    assert answer.status_code == 200, answer.text
    return client


def _disabled_token(site: Site) -> TestClient:
    owner = site.client("contributor", "owner")
    token = site.with_token("full", owner)
    assert site.admin.patch(f"/api/v1/users/{user_of(owner)}", json={"disabled": True}).is_success
    return token


def _signed_out(site: Site) -> TestClient:
    client = site.client("contributor", "gone")
    cookies = dict(client.cookies)
    assert client.delete("/api/v1/session").status_code == 204
    client.cookies.update(cookies)  # a thief kept them
    return client


def _outlived(site: Site) -> TestClient:
    client = site.client("contributor", "old")
    _sql(site, "update sessions set expires_at = now() where user_id = :id", id=user_of(client))
    return client


def _idle(site: Site) -> TestClient:
    client = site.client("contributor", "idle")
    _sql(site, "update sessions set last_seen_at = now() - interval '1 year' where user_id = :id",
         id=user_of(client))  # fmt: skip
    return client


def _revoked_guest(site: Site) -> TestClient:
    incident = site.incident()
    client = site.guest(incident)
    (link,) = site.admin.get(f"/api/v1/incidents/{incident}/guest-links").json()
    url = f"/api/v1/incidents/{incident}/guest-links/{link['id']}"
    assert site.admin.delete(url).status_code == 204
    return client


OUT: dict[str, Callable[[Site], TestClient]] = {
    "a stranger": lambda site: site._another_client(),
    "a revoked token": _revoked_token,
    "an expired token": _expired_token,
    "a token of a disabled user": _disabled_token,
    "the session of a disabled user": lambda site: _disabled(site, "off"),
    "a session that signed out": _signed_out,
    "a session that outlived its time": _outlived,
    "an unused session": _idle,
    "a guest of a revoked link": _revoked_guest,
}
"""Callers who could, and cannot any more."""


def test_whoever_is_out_gets_nothing(site: Site, rounds: Rounds) -> None:
    """401 for each, on every route but the public ones, reads and writes alike."""
    clients = {who: make(site) for who, make in OUT.items()}
    cells = [(who, each) for each in operations() if each not in PUBLIC for who in OUT]
    called = 0
    for who, (method, path) in rounds.in_turn(cells, _SHARE):
        answer = call(clients[who], method, path)
        assert answer.status_code == 401, (who, method, path, answer.text)
        called += 1
    assert called >= len(cells) // _SHARE


def test_ids_of_another_incident_are_refused(site: Site) -> None:
    """Also from an admin, who sees both: nothing of one incident is moved into another."""
    private = Private(site)
    other = f"/api/v1/incidents/{site.incident('of others')}"
    mine = hypothesis(site, other.rpartition("/")[2])["id"]
    ids = private.ids
    end = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    link = {"name": "vendor", "expires_at": end}
    site.admin.post(f"{private.url}/guest-links", json=link)
    (guest,) = site.admin.get(f"{private.url}/guest-links").json()
    members = site.admin.get(f"{private.url}/access").json()["members"]
    subject = f"hypothesis:{ids['hypothesis_id']}"
    attempts: list[tuple[str, str, dict[str, Any] | None]] = [
        ("PUT", f"{other}/matrix/weights/{ids['pin_id']}", {"weight": 2}),
        ("POST", f"/api/v1/hypotheses/{mine}/evidence", {"pin_id": ids["pin_id"]}),
        ("POST", f"{other}/comments", {"subject": subject, "body": "x"}),
        ("POST", f"{other}/deleted/hypothesis/{ids['hypothesis_id']}/restore", None),
        ("DELETE", f"{other}/guest-links/{guest['id']}", None),
        ("DELETE", f"{other}/members/{members[0]['id']}", None),
    ]
    for method, url, body in attempts:
        answer = site.admin.request(method, url, json=body, headers={"If-Match": '"1"'})
        assert answer.status_code in (404, 409, 422), (method, url, answer.text)
        assert MARK not in answer.text
    assert len(site.admin.get(f"{private.url}/guest-links").json()) == 1
    assert site.admin.get(f"{private.url}/access").json()["members"] == members
