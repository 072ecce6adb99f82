"""Incidents: made, listed, changed without losing anybody's words, archived."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pileup.analysis import analyse
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incidents
from tests.analysis.frames import evidence
from tests.support.site import Site


def patch(site: Site, incident: str, revision: int | None, body: dict[str, Any]) -> Any:
    headers = {} if revision is None else {"If-Match": f'"{revision}"'}
    return site.admin.patch(f"/api/v1/incidents/{incident}", json=body, headers=headers)


def test_an_incident_appears_in_the_list(site: Site) -> None:
    """Newest first, with its owner; times are UTC with Z."""
    first, second = site.incident("one"), site.incident("two")
    listed = site.admin.get("/api/v1/incidents").json()
    assert listed["total"] == 2
    assert [row["id"] for row in listed["items"]] == [second, first]
    row = listed["items"][0]
    assert row["owner"]["name"] == "admin"
    assert row["created_at"].endswith("Z")
    assert row["spark"] is None


def test_a_stale_edit_gets_the_current_one(site: Site) -> None:
    """409 with what the other person saved; nothing was overwritten."""
    incident = site.incident()
    assert patch(site, incident, 1, {"title": "first"}).json()["revision"] == 2
    stale = patch(site, incident, 1, {"title": "second"})
    assert stale.status_code == 409
    assert stale.json()["current"]["title"] == "first"
    assert patch(site, incident, 2, {"severity": "sev1"}).json()["title"] == "first"


@pytest.mark.parametrize(
    ("revision", "body", "status"),
    [
        (None, {"title": "x"}, 428),
        (1, {"title": ""}, 422),
        (1, {"title": None}, 422),
        (1, {"status": "closed"}, 422),
        (1, {"owner_id": "nobody"}, 422),
        (1, {"colour": "red"}, 422),
    ],
)
def test_bad_edits(site: Site, revision: int | None, body: dict[str, Any], status: int) -> None:
    """A problem document, and no change."""
    incident = site.incident()
    answer = patch(site, incident, revision, body)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert site.admin.get(f"/api/v1/incidents/{incident}").json()["revision"] == 1


def test_nul_and_lone_surrogates_are_text_like_any(site: Site) -> None:
    """PostgreSQL cannot hold them; they become replacement characters, not a 500."""
    made = site.admin.post(
        "/api/v1/incidents",
        content=b'{"title": "a\\u0000b \\ud800 c"}',
        headers={"Content-Type": "application/json"},
    )
    assert made.status_code in (201, 422), made.text


def test_a_deleted_incident_takes_no_more_files(site: Site) -> None:
    """It is off the list and cannot be opened."""
    incident = site.incident()
    assert site.admin.delete(f"/api/v1/incidents/{incident}").status_code == 204
    assert site.admin.get("/api/v1/incidents").json()["total"] == 0
    url = f"/api/v1/incidents/{incident}/artifacts"
    assert site.admin.post(url, files={"file": ("a", b"b")}).status_code in (404, 409)


def test_an_overview_shows_each_quantity_once(site: Site) -> None:
    """What another source shows too is left out, and twelve that changed most are shown."""
    incident = site.incident()
    shifts = [
        {
            "series": f"s{number}", "name": f"s{number}", "baseline": 1.0, "stall": 9.0,
            "ratio": 9.0, "score": 9.0, "first_moved_s": 0.0, "uncertainty_s": 1.0,
            "direction": "up", "same_as": "s0" if number % 2 else None,
        }
        for number in range(40)
    ]  # fmt: skip
    empty = msgspec.to_builtins(analyse(evidence({})))
    with site.database.unit() as unit:
        Analyses(unit).replace(incident, empty | {"shifts": shifts}, 0.1)
    shown = site.admin.get(f"/api/v1/incidents/{incident}/overview").json()["shifts"]
    assert [shift["series"] for shift in shown] == [f"s{number}" for number in range(0, 24, 2)]


def test_the_overview_of_an_empty_incident(site: Site) -> None:
    """Nothing is invented: no headline, no numbers, no gaps yet."""
    found = site.admin.get(f"/api/v1/incidents/{site.incident()}/overview").json()
    assert found["headline"] is None
    assert found["analysis"]["state"] == "none"
    assert found["numbers"]["onset"] is None
    assert found["gaps"] == []
    assert found["artifacts"]["total"] == 0


def test_there_is_no_analysis_before_the_first(site: Site) -> None:
    """404 with a sentence; the schema is there."""
    incident = site.incident()
    assert site.admin.get(f"/api/v1/incidents/{incident}/analysis").status_code == 404
    schema = site.admin.get("/api/v1/analysis.schema.json").json()
    assert schema["title"].startswith("Pileup analysis document")


def test_activity_tells_who_did_what(site: Site) -> None:
    """Newest first."""
    incident = site.incident()
    site.upload(incident, "a.txt", b"b")
    actions = [e["action"] for e in site.admin.get(f"/api/v1/incidents/{incident}/activity").json()]
    assert actions == ["artifact.uploaded", "incident.created"]


def test_unknown_addresses_of_the_api_are_problems(site: Site) -> None:
    """Not the UI's index page."""
    answer = site.admin.get("/api/v1/nothing/here")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def listed(site: Site, **wanted: Any) -> list[str]:
    answer = site.admin.get("/api/v1/incidents", params=wanted)
    assert answer.status_code == 200, answer.text
    return [item["title"] for item in answer.json()["items"]]


def test_the_list_is_filtered_sorted_and_paged_by_the_server(site: Site) -> None:
    """Three in the wrong order and a tie; unknown values come last in either direction."""
    for title, service, peak in (
        ("beta", "shop", 20),
        ("Alpha", "shop", None),
        ("gamma", "pay", 100),
        ("delta", None, 20),
    ):
        made = site.incident(title)
        if service:
            site.admin.patch(
                f"/api/v1/incidents/{made}", json={"service": service}, headers={"If-Match": '"1"'}
            )
        with site.database.unit() as unit:
            Incidents(unit).digest(
                made,
                {
                    "peak_waiters": peak,
                    "finding": {"id": "x", "title": f"of {title}", "score": 0.5},
                },
            )
    assert listed(site) == ["delta", "gamma", "Alpha", "beta"]
    assert listed(site, sort="title", down=False) == ["Alpha", "beta", "delta", "gamma"]
    assert listed(site, sort="peak", down=True) == ["gamma", "delta", "beta", "Alpha"]
    assert listed(site, sort="peak", down=False) == ["delta", "beta", "gamma", "Alpha"]
    assert listed(site, service="shop", sort="title", down=False) == ["Alpha", "beta"]
    assert listed(site, q="GAM of") == ["gamma"]
    assert listed(site, q="100%") == []
    assert listed(site, status=["review", "published"]) == []
    page = site.admin.get("/api/v1/incidents", params={"q": "a", "limit": 1, "offset": 1}).json()
    assert [item["title"] for item in page["items"]] == ["gamma"]
    assert (page["total"], page["everything"], page["services"]) == (4, 4, ["pay", "shop"])
    assert site.admin.get("/api/v1/incidents", params={"sort": "wisdom"}).status_code == 422
