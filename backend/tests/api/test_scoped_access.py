"""Tokens with verbs and for one incident, and guest links: over all routes, and by hand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from pileup.api.app import openapi
from pileup.api.auth import Principal
from pileup.storage.accounts.records import Verb
from pileup.storage.row_security import LEAD, READ, WRITE, Access
from tests.api.test_access import MARK, Private
from tests.api.test_guard import LOOKS, OWN, PUBLIC, call, operations
from tests.support.site import Site

INCIDENT = "/api/v1/incidents/{incident_id}"
COLLEAGUES = ("/access", "/visibility", "/members", "/guest-links")
"""Who sees an incident: not for callers of one incident."""


@pytest.fixture
def private(site: Site) -> Private:
    return Private(site)


def test_a_caller_of_one_incident_sees_no_other(private: Private) -> None:
    """Every route with the ids of a private incident: its words are in no answer to a guest of
    another one, and the admin's token for another one changes nothing."""
    other = private.site.incident("of others")
    guest = private.site.guest(other)
    token = private.site.with_token("read upload comment edit", incident=other)
    for method, path in operations():
        if (method, path) in PUBLIC or path == "/api/v1/session":
            continue
        client = guest if method in ("get", "head") else token
        answer = private.call(client, method, path)
        assert MARK not in answer.text, (method, path)
        if not path.endswith(("/formats", "/analysis.schema.json")):
            assert answer.status_code >= 400, (method, path, answer.text)
    assert private.site.admin.get(private.url).json()["title"].startswith(MARK)


def test_a_guest_reads_the_incident_and_nothing_else(private: Private) -> None:
    """Every read of the incident goes through, every write and every other route is refused."""
    guest = private.site.guest(private.id, private.members["lead"])
    for method, path in operations():
        if (method, path) in PUBLIC or path == "/api/v1/session" or path.endswith("/events"):
            continue
        answer = private.call(guest, method, path)
        closed = path.removeprefix(INCIDENT).startswith(
            (*COLLEAGUES, "/activity", "/deleted", "/presence")
        )
        reads = method in ("get", "head") or (method, path) in LOOKS
        if path.startswith(INCIDENT) and reads and not closed:
            assert answer.status_code not in (401, 403), (method, path, answer.text)
        elif not reads or closed:
            assert answer.status_code == 403, (method, path, answer.text)
        if "@example.org" in answer.text:
            raise AssertionError(f"{path} shows an address: {answer.text}")
    assert MARK in guest.get(f"{private.url}/search", params={"q": MARK}).text
    me = guest.get("/api/v1/session").json()
    assert (me["guest"], me["incident_id"], me["user"]["role"]) == (True, private.id, "viewer")


def test_each_route_wants_its_verb(site: Site) -> None:
    """Even an admin's token with every other verb is refused; reading wants *read*."""
    without = {
        verb: site.with_token(" ".join(each for each in get_args(Verb) if each != verb))
        for verb in get_args(Verb)
    }
    for method, path in operations():
        if (method, path) in PUBLIC | OWN or path == "/api/v1/session":
            continue
        reads = method in ("get", "head") or (method, path) in LOOKS
        if reads and "/uploads" in path:
            continue  # who uploads sees how far it is
        verb = "read" if reads else wanted(path)
        assert call(without[verb], method, path).status_code == 403, (method, path, verb)


def wanted(path: str) -> Verb:
    if "upload" in path or path == "/api/v1/incidents" or path == f"{INCIDENT}/artifacts":
        return "upload"
    if "comments" in path:
        return "comment"
    if any(part in path for part in ("/users", "/teams", "/webhooks", "/hold", *COLLEAGUES)):
        return "manage"
    return "edit"


@pytest.mark.parametrize("verbs", ["read", "upload", "comment", "edit", "read comment edit"])
def test_a_token_of_one_incident_stays_in_it(site: Site, verbs: str) -> None:
    """It neither lists nor creates incidents, nor learns its owner's address."""
    here = site.incident()
    token = site.with_token(verbs, incident=here)
    assert token.get("/api/v1/incidents").status_code == 403
    assert token.post("/api/v1/incidents", json={"title": "x"}).status_code == 403
    assert token.get("/api/v1/people").status_code == 403
    assert token.get("/api/v1/session").json()["user"]["email"] is None
    code = token.get(f"/api/v1/incidents/{here}").status_code
    assert code == (200 if "read" in verbs else 403)


def test_no_token_begets_another(private: Private) -> None:
    """Not by the routes of tokens, sessions, guests, links and users, whatever its verbs."""
    bound = private.site.with_token("read upload comment edit", incident=private.id)
    full = private.site.with_token("full")
    walked = set()
    for method, path in operations():
        if (method, path) in PUBLIC or method in ("get", "head") or not lets_in(method, path):
            continue
        walked.add((method, path))
        for token, titles in ((full, {"Not with a token"}), (bound, BOUND)):
            answer = private.call(token, method, path)
            refused = (answer.status_code, answer.json().get("title") in titles)
            assert refused == (403, True), (method, path, answer.text)
    assert len(walked) > 15, walked
    for token in (bound, full):
        assert token.get("/api/v1/tokens").status_code == 403
        assert token.get("/api/v1/session/all").status_code == 403
    body = {"name": "x", "verbs": ["manage"], "incident_id": private.id}
    assert private.site.admin.post("/api/v1/tokens", json=body).status_code == 422


BOUND = {"Not with a token", "Not with this token", "Only one incident"}
SECRETS = {"password", "secret", "token", "link", "code", "recovery_codes"}
"""Fields of bodies and answers that let somebody in."""
WHO_IS_IN = (
    "/session/",
    "/tokens",
    "/users",
    "/factor",
    "/teams/{team_id}/members",
    "/guest-links",
)
KEYS_OF_OTHERS = {("post", "/api/v1/webhooks")}
"""Its secret verifies what Pileup sends: it lets nobody in."""


def lets_in(method: str, path: str) -> bool:
    """Whether the route changes who gets in, by its path or by the fields it takes and gives."""
    by_fields = SECRETS & set(fields(openapi()["paths"][path][method]))
    return (method, path) not in KEYS_OF_OTHERS | LOOKS and bool(
        by_fields or any(part in path for part in WHO_IS_IN)
    )


def fields(schema: Any) -> Iterator[str]:
    """Yield the names of all fields of a schema of the OpenAPI document, and of those within it."""
    if isinstance(schema, list):
        for each in schema:
            yield from fields(each)
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from fields(openapi()["components"]["schemas"][name])
    yield from schema.get("properties", {})
    for each in schema.values():
        yield from fields(each)


def test_a_token_for_an_incident_that_its_user_does_not_see_is_not_made(private: Private) -> None:
    body = {"name": "x", "verbs": ["read"], "incident_id": private.id}
    assert private.outsider.post("/api/v1/tokens", json=body).status_code == 404
    viewer = private.members["viewer"]
    assert viewer.post("/api/v1/tokens", json=body).status_code == 201


def test_a_guest_link_ends(private: Private) -> None:
    """When it is revoked, when it expires, when its incident goes to the bin: at once."""
    site, lead = private.site, private.members["lead"]
    by_time, by_hand, by_bin = (site.guest(private.id, lead) for _ in range(3))
    links = lead.get(f"{private.url}/guest-links").json()
    assert [link["opened"] for link in links] == [1, 1, 1]
    assert lead.delete(f"{private.url}/guest-links/{links[1]['id']}").status_code == 204
    assert by_hand.get(private.url).status_code == 401
    with site.database.unit() as unit:
        unit.session.execute(
            text("update guest_links set expires_at = now() where id = :id"), {"id": links[2]["id"]}
        )
    assert by_time.get(private.url).status_code == 401
    assert by_bin.get(private.url).status_code == 200
    assert site.admin.delete(private.url).status_code == 204
    assert by_bin.get(private.url).status_code == 404


@pytest.mark.parametrize("days", [-1, 0, 91])
def test_a_guest_link_lasts_ninety_days_at_most(site: Site, days: int) -> None:
    ends = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    body = {"name": "vendor", "expires_at": ends}
    url = f"/api/v1/incidents/{site.incident()}/guest-links"
    assert site.admin.post(url, json=body).status_code == 422


def test_leads_alone_invite_guests(private: Private) -> None:
    """Neither contributors nor guests; an unknown secret opens nothing, and what a guest does is
    on record."""
    body = {"name": "x", "expires_at": (datetime.now(UTC) + timedelta(days=1)).isoformat()}
    guest = private.site.guest(private.id)
    for client in (private.members["contributor"], private.members["viewer"], guest):
        assert client.post(f"{private.url}/guest-links", json=body).status_code == 403
    assert private.outsider.post(f"{private.url}/guest-links", json=body).status_code == 404
    stranger: TestClient = private.site.stranger
    for secret in ("plg_no", "", guest.cookies["pileup_session"]):
        answer: Any = stranger.post("/api/v1/session/guest", json={"link": secret})
        assert answer.status_code == 401
    entries = private.site.admin.get(f"{private.url}/activity").json()
    actions = [entry["action"] for entry in entries]
    assert {"guest_link.created", "guest_link.opened"} <= set(actions)
    assert guest.delete("/api/v1/session").status_code == 204
    assert guest.get(private.url).status_code == 401


def test_row_security_binds_a_guest_too(private: Private) -> None:
    """Whatever else its access claims: one incident, and no write."""
    other = private.site.incident()
    access = Access("", everything=True, most=LEAD, incident_id=private.id, guest=True)
    with private.site.database.unit(access) as unit:
        assert unit.session.scalars(text("select id from incidents")).all() == [private.id]
        ranks = [
            unit.session.scalar(text("select pileup_rank(:id)"), {"id": incident})
            for incident in (private.id, other)
        ]
    assert ranks == [1, 0]


def test_no_answer_is_for_search_engines(site: Site) -> None:
    for path in ("/", "/guest", "/api/v1/setup"):
        assert "noindex" in site.stranger.get(path).headers["x-robots-tag"]


@pytest.mark.parametrize(
    ("role", "verbs", "most"),
    [
        ("viewer", {"read", "edit", "manage"}, READ),
        ("contributor", {"read"}, READ),
        ("contributor", {"read", "edit"}, WRITE),
        ("contributor", {"read", "edit", "manage"}, LEAD),
        ("admin", {"read"}, READ),
    ],
)
def test_the_database_gives_no_more_than_the_role_and_the_verbs(
    role: Any, verbs: Any, most: int
) -> None:
    user: Any = SimpleNamespace(id="u", role=role)
    access = Principal(user, "token", frozenset(verbs), None, incident_id="i").access
    assert access == Access("u", role == "admin", most, "i", guest=False)
    assert Principal(user, "guest", frozenset(verbs), None).access.guest


def test_only_a_lead_handles_guest_links(private: Private) -> None:
    """Whoever else works on the incident neither sees, makes nor revokes them."""
    url = f"{private.url}/guest-links"
    body = {"name": "outsider", "expires_at": (datetime.now(UTC) + timedelta(days=9)).isoformat()}
    lead = private.members["lead"]
    made = lead.post(url, json=body)
    assert made.status_code == 201
    link = f"{url}/{made.json()['link']['id']}"
    others = [member for role, member in private.members.items() if role != "lead"]
    assert others
    for other in others:
        answers = (other.get(url), other.post(url, json=body), other.delete(link))
        assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert [each["id"] for each in lead.get(url).json()] == [made.json()["link"]["id"]]
