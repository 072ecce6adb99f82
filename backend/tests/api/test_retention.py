"""Retention of teams, legal holds, and what each uses."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import text

from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.audit import MACHINE
from pileup.storage.files.blobs import Blob
from pileup.storage.lifecycle.bin import Bin
from pileup.storage.lifecycle.retention import Retention
from tests.support.site import Site


def _team(site: Site, name: str, *incidents: str) -> str:
    team = str(site.admin.post("/api/v1/teams", json={"name": name}).json()["id"])
    for incident in incidents:
        site.admin.put(
            f"/api/v1/incidents/{incident}/members", json={"team_id": team, "role": "contributor"}
        ).raise_for_status()
    return team


def _keep(site: Site, team: str, days: int | None) -> None:
    answer = site.admin.put(f"/api/v1/teams/{team}/retention", json={"days": days})
    assert answer.status_code == 200, answer.text


def _age(site: Site, days: int) -> None:
    """Let all work have happened so many days ago."""
    with site.database.unit() as unit:
        for statement in (
            "set local session_replication_role = replica",
            f"update audit set at = at - interval '{days} days'",
            f"update incidents set created_at = created_at - interval '{days} days'",
            f"update artifacts set deleted_at = deleted_at - interval '{days} days'",
        ):
            unit.session.execute(text(statement))


def _expire(site: Site) -> list[str]:
    with site.database.unit() as unit:
        return Retention(unit).expire()


def test_only_the_incidents_of_teams_with_a_retention_go(site: Site) -> None:
    old, held, both, alone = (site.incident(name) for name in ("old", "held", "both", "alone"))
    short = _team(site, "short", old, held, both)
    _team(site, "for ever", both)
    url = f"/api/v1/teams/{short}/retention"
    hold = f"/api/v1/incidents/{held}/hold"
    assert site.admin.put(hold, json={"reason": "case 12"}).status_code == 204
    _age(site, 40)
    assert _expire(site) == []

    preview = site.admin.get(url, params={"days": 30}).json()
    assert (preview["due"], preview["held"]) == (1, 1)
    shown = {item["id"]: item for item in preview["next"]}
    assert shown.keys() == {old, held, both}
    assert shown[both]["expires_at"] is None
    assert shown[held]["held_for"] == "case 12"
    assert site.admin.get(url).json()["due"] == 0

    _keep(site, short, 30)
    assert site.admin.get(url).json()["next"][0]["expires_at"] is not None
    assert _expire(site) == [old]
    assert _expire(site) == []
    bin_of = site.admin.get("/api/v1/deleted-incidents").json()["items"]
    assert [item["id"] for item in bin_of] == [old]
    actions = site.admin.get("/api/v1/audit").json()
    deletion = next(entry for entry in actions if entry["action"] == "incident.deleted")
    assert "30 days" in deletion["detail"]["why"]
    assert site.admin.get(f"/api/v1/incidents/{alone}").status_code == 200


def test_the_longest_retention_counts_and_work_begins_it_again(site: Site) -> None:
    incident = site.incident()
    _keep(site, _team(site, "short", incident), 10)
    _keep(site, _team(site, "long", incident), 90)
    _age(site, 40)
    assert _expire(site) == []
    _age(site, 60)
    changed = site.admin.patch(
        f"/api/v1/incidents/{incident}", json={"title": "again"}, headers={"If-Match": "1"}
    )
    assert changed.status_code == 200, changed.text
    assert _expire(site) == []
    _age(site, 91)
    assert _expire(site) == [incident]


def test_nothing_of_a_held_incident_is_deleted(site: Site) -> None:
    incident = site.incident()
    artifact = site.upload(incident, "a.txt", b"evidence")["id"]
    site.admin.delete(f"/api/v1/artifacts/{artifact}").raise_for_status()
    hold = f"/api/v1/incidents/{incident}/hold"
    site.admin.put(hold, json={"reason": "case 12"}).raise_for_status()
    refused = site.admin.delete(f"/api/v1/incidents/{incident}")
    assert refused.status_code == 409
    assert "case 12" in refused.json()["detail"]
    _age(site, 100)
    with site.database.unit() as unit:
        gone = Bin(unit).purge(timedelta(0))
    assert (gone.incidents, gone.shas) == ([], set())
    assert site.admin.delete(hold).status_code == 204
    assert site.admin.delete(hold).status_code == 409
    with site.database.unit() as unit:
        assert len(Bin(unit).purge(timedelta(0)).shas) == 1
    assert site.admin.delete(f"/api/v1/incidents/{incident}").status_code == 204


def test_usage_counts_for_users_and_teams(site: Site) -> None:
    first, two = site.incident("one"), site.incident("two")
    team = _team(site, "dba", first)
    site.upload(first, "a.txt", b"1234567890")
    site.upload(two, "b.txt", b"1234567890")
    found = site.admin.get("/api/v1/usage").json()
    assert (found["incidents"], found["files"], found["bytes"]) == (2, 2, 20)
    assert found["stored_bytes"] == 10
    assert found["waiting"] == 2
    assert found["database_bytes"] > 0
    (admin,) = found["users"]
    assert (admin["incidents"], admin["files"], admin["bytes"], admin["waiting"]) == (2, 2, 20, 2)
    (dba,) = found["teams"]
    assert dba == {
        "id": team,
        "name": "dba",
        "incidents": 1,
        "files": 1,
        "bytes": 10,
        "unpacked_files": 0,
        "unpacked_bytes": 0,
        "waiting": 1,
    }


def test_usage_tells_uploaded_from_unpacked_files(site: Site) -> None:
    """Members of archives belong to whoever uploaded the archive, and were not uploaded."""
    incident = site.incident()
    team = _team(site, "dba", incident)
    archive = site.upload(incident, "all.tar", b"12345")["id"]
    with site.database.unit() as unit:
        outer = Artifacts(unit).get(archive)
        inner, _ = Artifacts(unit).add(incident, "in.tar", Blob("b" * 64, 7), MACHINE, parent=outer)
        Artifacts(unit).add(incident, "a.txt", Blob("a" * 64, 100), MACHINE, parent=inner)
    found = site.admin.get("/api/v1/usage").json()
    wanted = {"files": 1, "bytes": 5, "unpacked_files": 2, "unpacked_bytes": 107}
    assert found["stored_bytes"] == 112
    for use in (found, found["users"][0], found["teams"][0]):
        assert {name: use[name] for name in wanted} == wanted
    assert found["teams"][0]["id"] == team
    other = site.incident("other")  # more was uploaded, less is there
    _team(site, "dev", other)
    site.upload(other, "b.txt", b"x" * 50)
    ranked = site.admin.get("/api/v1/usage").json()["teams"]
    assert [use["name"] for use in ranked] == ["dba", "dev"]


@pytest.mark.parametrize("path", ["usage", "teams/x/retention"])
def test_only_admins_see_them(site: Site, path: str) -> None:
    assert site.client("contributor").get(f"/api/v1/{path}").status_code == 403
