"""Who sees and changes which incident: teams, members, private incidents, and row security."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text

from pileup.storage import models
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.teams import Teams
from pileup.storage.database import Database
from pileup.storage.incidents.members import RANKS, Standing, explain
from pileup.storage.roles import Role
from pileup.storage.row_security import LEAD, NOBODY, OF_ALL, READ, Access
from tests.api.test_guard import LOOKS, OWN, PUBLIC, operations
from tests.api.test_reasoning import hypothesis, pin
from tests.conftest import REPOSITORY
from tests.support.site import Site

MARK = "quokkastall"
"""A word of the private incident that nobody else may read anywhere."""


class Private:
    """A private incident of the admin with content, and colleagues with and without a role."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.id = site.incident(f"{MARK} of payments")
        self.url = f"/api/v1/incidents/{self.id}"
        h, p = hypothesis(site, self.id), pin(site, self.id, title=f"{MARK} pinned")
        post = site.admin.post
        comment = post(
            f"{self.url}/comments", json={"subject": f"hypothesis:{h['id']}", "body": MARK}
        )
        link = post(f"{self.url}/views", json={"address": f"/incidents/{self.id}/waits"})
        self.ids = {
            "incident_id": self.id,
            "hypothesis_id": h["id"],
            "pin_id": p["id"],
            "artifact_id": site.upload(self.id, f"{MARK}.txt", b"content")["id"],
            "comment_id": comment.json().get("id", "none"),
            "code": link.json().get("code", "none"),
        }
        answer = site.admin.put(f"{self.url}/visibility", json={"visibility": "private"})
        assert answer.status_code == 200, answer.text
        self.outsider = site.client("contributor", "olga")
        self.members = {
            role: site.client("contributor", role) for role in ("viewer", "contributor", "lead")
        }
        for role in ("viewer", "contributor"):
            self.add(user_id=user_of(self.members[role]), role=role)
        team = post("/api/v1/teams", json={"name": "payments"}).json()["id"]
        site.admin.put(f"/api/v1/teams/{team}/members/{user_of(self.members['lead'])}", json={})
        self.add(team_id=team, role="lead")
        self.team = team
        other = post("/api/v1/teams", json={"name": "search"}).json()["id"]
        site.admin.put(f"/api/v1/teams/{other}/members/{user_of(self.outsider)}", json={})

    def add(self, **body: str) -> None:
        answer = self.site.admin.put(f"{self.url}/members", json=body)
        assert answer.status_code == 200, answer.text

    def call(self, client: TestClient, method: str, path: str) -> Any:
        """Call a route with the incident's own ids, and with words that would find it."""
        url = re.sub(r"\{(\w+)\}", lambda found: self.ids.get(found[1], "none"), path)
        body: dict[str, Any] = {} if method in ("get", "head", "delete") else {"json": {}}
        return client.request(method.upper(), url, params={"q": MARK}, **body)


def user_of(client: TestClient) -> str:
    return str(client.get("/api/v1/session").json()["user"]["id"])


@pytest.fixture
def private(site: Site) -> Private:
    return Private(site)


def test_no_route_shows_a_private_incident_to_others(private: Private) -> None:
    """Every route with the incident's own ids: no answer, stream, export or list has its words."""
    push = private.site.with_token("upload", private.outsider)
    callers = [("another team", private.outsider, operation) for operation in operations()]
    callers += [("push token", push, each) for each in operations() if "upload" in each[1]]
    for who, client, (method, path) in callers:
        if method == "delete" and path == "/api/v1/session":
            continue
        answer = private.call(client, method, path)
        assert MARK not in answer.text, (who, method, path)
        if "{incident_id}" in path:
            assert answer.status_code >= 400, (who, method, path)
    assert private.site.admin.get(private.url).status_code == 200


def test_a_viewer_of_the_incident_reads_and_changes_nothing(private: Private) -> None:
    """No read is refused, no write goes through, whatever the installation's role allows."""
    viewer = private.members["viewer"]
    for method, path in operations():
        if "{incident_id}" not in path or path.endswith("/events") or "deleted-inc" in path:
            continue
        answer = private.call(viewer, method, path)
        if path.endswith("/guest-links"):
            assert answer.status_code in (403, 422), (method, answer.text)
        elif method in ("get", "head") or (method, path) in LOOKS:
            assert answer.status_code not in (401, 403), (path, answer.text)
        elif (method, path) not in PUBLIC | OWN:
            assert answer.status_code >= 400, (method, path, answer.text)
    assert MARK in viewer.get("/api/v1/search", params={"q": MARK}).text


WRITES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "title": ("PATCH", "", {"title": "other"}),
    "hypothesis": ("POST", "/hypotheses", {"statement": "the disk is slow"}),
    "annotation": ("POST", "/annotations", {"start": "2026-01-01T00:00:00Z", "text": "note"}),
    "action": ("POST", "/actions", {"text": "add an index"}),
    "analysis": ("POST", "/analyse", {}),
}


@pytest.mark.parametrize("write", WRITES)
def test_the_role_in_the_incident_decides_about_writes(private: Private, write: str) -> None:
    """403 with whom to ask for a viewer, done for contributors and leads, 404 for others."""
    method, path, body = WRITES[write]
    callers = private.members | {"outsider": private.outsider}
    codes = {}
    for who, client in callers.items():
        revision = private.site.admin.get(private.url).json()["revision"]
        headers = {"If-Match": f'"{revision}"'}
        answer = client.request(method, private.url + path, json=body, headers=headers)
        codes[who] = answer.status_code
        if who == "viewer":
            assert "a lead of the incident" in answer.json()["detail"]
    assert codes["viewer"] == 403
    assert codes["outsider"] == 404
    assert {codes["contributor"], codes["lead"]} <= {200, 201, 202}


def test_leads_decide_who_sees_it(private: Private) -> None:
    """Contributors cannot, not by taking the incident over either; the team's lead can."""
    contributor, lead = private.members["contributor"], private.members["lead"]
    body = {"user_id": user_of(private.outsider), "role": "viewer"}
    assert contributor.put(f"{private.url}/members", json=body).status_code == 403
    visibility = {"visibility": "open"}
    assert contributor.put(f"{private.url}/visibility", json=visibility).status_code == 403
    revision = contributor.get(private.url).json()["revision"]
    taken = contributor.patch(
        private.url,
        json={"owner_id": user_of(contributor)},
        headers={"If-Match": f'"{revision}"'},
    )
    assert taken.status_code == 403
    assert lead.put(f"{private.url}/members", json=body).status_code == 200
    assert private.outsider.get(private.url).status_code == 200
    member = next(
        row
        for row in lead.get(f"{private.url}/access").json()["members"]
        if row["user_id"] == body["user_id"]
    )
    assert lead.delete(f"{private.url}/members/{member['id']}").status_code == 200
    assert private.outsider.get(private.url).status_code == 404
    assert lead.put(f"{private.url}/visibility", json=visibility).status_code == 200
    assert private.outsider.get(private.url).status_code == 200


def test_an_owner_hands_a_private_incident_over_and_stays_a_lead(site: Site) -> None:
    ann, bob = site.client("contributor", "ann"), site.client("contributor", "bob")
    made = ann.post("/api/v1/incidents", json={"title": "secret", "visibility": "private"}).json()
    url = f"/api/v1/incidents/{made['id']}"
    assert bob.get(url).status_code == 404
    given = ann.patch(url, json={"owner_id": user_of(bob)}, headers={"If-Match": '"1"'})
    assert given.status_code == 200, given.text
    assert bob.get(f"{url}/access").json()["role"] == "lead"
    assert ann.get(f"{url}/access").json()["role"] == "lead"


def test_access_is_explained(private: Private) -> None:
    """Everybody's role with the reasons, also of those who see nothing."""
    answer = private.members["viewer"].get(f"{private.url}/access").json()
    assert (answer["visibility"], answer["role"]) == ("private", "viewer")
    people = {row["name"]: row for row in answer["people"]}
    assert people["lead"]["role"] == "lead"
    assert people["lead"]["reasons"] == ["is a lead of the incident through the team payments"]
    assert people["admin"]["reasons"][0] == "is an admin, who leads every incident"
    assert people["olga"]["role"] is None
    assert "private" in people["olga"]["reasons"][0]


def test_the_list_filters_by_team(private: Private) -> None:
    private.site.incident("of nobody")
    lead = private.members["lead"]
    listed = lead.get("/api/v1/incidents", params={"team": private.team}).json()
    assert [row["id"] for row in listed["items"]] == [private.id]
    assert listed["items"][0]["teams"] == ["payments"]
    assert [team["name"] for team in listed["teams"]] == ["payments"]
    assert private.outsider.get("/api/v1/incidents").json()["teams"] == []


def test_teams_are_led(site: Site) -> None:
    """Admins make them; a lead adds and removes members, a member may leave."""
    ann, bob = site.client("contributor", "ann"), site.client("contributor", "bob")
    assert ann.post("/api/v1/teams", json={"name": "db"}).status_code == 403
    team = site.admin.post("/api/v1/teams", json={"name": "db"}).json()["id"]
    assert site.admin.post("/api/v1/teams", json={"name": " db "}).status_code == 409
    url = f"/api/v1/teams/{team}/members"
    assert ann.put(f"{url}/{user_of(bob)}", json={}).status_code == 403
    site.admin.put(f"{url}/{user_of(ann)}", json={"lead": True})
    assert ann.put(f"{url}/{user_of(bob)}", json={}).status_code == 200
    assert bob.delete(f"{url}/{user_of(ann)}").status_code == 403
    assert bob.delete(f"{url}/{user_of(bob)}").status_code == 204
    assert site.admin.delete(f"/api/v1/teams/{team}").status_code == 204
    assert site.admin.get("/api/v1/teams").json() == []


def test_a_sample_stays_open(site: Site) -> None:
    incident = site.incident()
    with site.database.unit() as unit:
        unit.session.execute(text("update incidents set sample_id = 'x'"))
    url = f"/api/v1/incidents/{incident}/visibility"
    assert site.admin.put(url, json={"visibility": "private"}).status_code == 422


# ---- beneath the routes


def test_every_table_is_protected_or_of_all(postgres_url: str) -> None:
    """A new table of an incident cannot be forgotten."""
    database = Database(postgres_url, pool_size=1)
    with database.unit() as unit:
        protected = set(
            unit.session.scalars(text("select relname from pg_class where relrowsecurity"))
        )
    database.close()
    tables = set(models.Base.metadata.tables)
    assert protected == tables - OF_ALL
    for name in OF_ALL - {"incident_versions", "tokens"}:  # numbers that say nothing; credentials
        assert "incident_id" not in models.Base.metadata.tables[name].c


def test_requests_open_no_unit_without_access() -> None:
    """Only `Services` does, so that a route cannot forget whose request it answers."""
    folder = REPOSITORY / "backend" / "src" / "pileup" / "api"
    using = [
        path.name
        for path in folder.rglob("*.py")
        if re.search(r"database\.unit\(", path.read_text())
    ]
    assert using == ["deps.py"]


def test_the_explanation_is_what_postgresql_decides(postgres_url: str) -> None:
    """For each role, visibility, owner and membership, alone and by a team."""
    database = Database(postgres_url, pool_size=2)
    roles: tuple[Role, ...] = ("viewer", "contributor", "admin")
    cases = list(product(("open", "private"), (False, True), RANKS, RANKS))
    with database.unit() as unit:
        accounts, teams = Accounts(unit), Teams(unit)
        users = {role: accounts.create_user(role, None, role, None) for role in roles}
        team = teams.create("team")
        for user in users.values():
            teams.set_member(team.id, user.id, lead=False)
        for (role, user), (number, case) in product(users.items(), enumerate(cases)):
            visibility, owner, own, by_team = case
            incident = models.Incident(
                id=f"{role} {number}",
                title="x",
                visibility=visibility,
                owner_id=user.id if owner else None,
            )
            unit.session.add(incident)
            unit.session.flush()
            for kind, member_role in (("user_id", own), ("team_id", by_team)):
                if member_role:
                    unit.session.add(
                        models.IncidentMember(
                            incident_id=incident.id,
                            role=member_role,
                            **{kind: user.id if kind == "user_id" else team.id},
                        )
                    )
    for role, user in users.items():
        access = Access(user.id, role == "admin", READ if role == "viewer" else LEAD)
        with database.unit(access) as unit:
            seen = set(unit.session.scalars(text("select id from incidents")))
            for number, (visibility, owner, own, by_team) in enumerate(cases):
                name = f"{role} {number}"
                memberships = [(own, "")] if own else []
                memberships += [(by_team, "team")] if by_team else []
                expected, _ = explain(visibility, Standing(role, owner, tuple(memberships)))
                rank = unit.session.scalar(text("select pileup_rank(:id)"), {"id": name})
                assert RANKS[rank] == expected, (name, cases[number])
                assert (name in seen) == (expected is not None)
    with database.unit(NOBODY) as unit:
        assert unit.session.scalars(text("select id from incidents")).all() == []
    database.close()


def test_a_request_cannot_rewrite_the_audit_trail_or_the_schema(site: Site) -> None:
    """Not even by SQL: its role has no right to."""
    everything = Access("someone", everything=True, most=LEAD)
    for statement in (
        "delete from audit",
        "alter table audit disable row level security",
        "create table x (y integer)",
        "drop table incidents",
    ):
        with pytest.raises(Exception, match=r"may not change|permission denied"):
            with site.database.unit(everything) as unit:
                unit.session.execute(text(statement))
