"""Past incidents with the same symptoms, and what was refuted there."""

from __future__ import annotations

from pileup.storage.incidents.incidents import Incidents
from tests.support.site import Site

FEATURES = {"finding:hot-row": "Hot row", "blocker:transaction": "transaction"}


def analysed(site: Site, title: str, features: dict[str, str]) -> str:
    made = site.incident(title)
    with site.database.unit() as unit:
        Incidents(unit).digest(made, {"onset": "2026-11-20T22:00:00Z", "signature": features})
    return made


def similar(site: Site, incident: str) -> list[dict]:  # type: ignore[type-arg]
    answer = site.admin.get(f"/api/v1/incidents/{incident}/similar")
    assert answer.status_code == 200, answer.text
    return list(answer.json())


def test_a_twin_with_its_dead_ends(site: Site) -> None:
    past = analysed(site, "last spring", FEATURES)
    made = site.admin.post(
        f"/api/v1/incidents/{past}/hypotheses", json={"statement": "It was the network"}
    ).json()
    pin = site.admin.post(
        f"/api/v1/incidents/{past}/pins",
        json={
            "kind": "series",
            "title": "no retransmits",
            "locator": {"series": ["netstat.tcp_retransmits"]},
            "view": f"/incidents/{past}/timeline",
        },
    ).json()
    site.admin.post(
        f"/api/v1/hypotheses/{made['id']}/evidence", json={"pin_id": pin["id"], "side": "against"}
    )
    current = site.admin.get(f"/api/v1/incidents/{past}/hypotheses").json()[0]
    refuted = site.admin.patch(
        f"/api/v1/hypotheses/{made['id']}",
        json={"status": "refuted"},
        headers={"If-Match": f'"{current["revision"]}"'},
    )
    assert refuted.status_code == 200, refuted.text
    now = analysed(site, "tonight", FEATURES | {"check:locking": "locking"})
    analysed(site, "something else", {"finding:fsync": "Slow fsync"})
    (twin,) = similar(site, now)
    assert twin["title"] == "last spring"
    assert twin["shared"] == ["known problem: Hot row", "root blocker: transaction"]
    assert twin["only_here"] == ["suspected: locking"]
    assert [one["statement"] for one in twin["refuted"]] == ["It was the network"]


def test_an_incident_in_the_bin_is_no_twin_until_it_is_restored(site: Site) -> None:
    past = analysed(site, "past", FEATURES)
    now = analysed(site, "now", FEATURES)
    site.admin.delete(f"/api/v1/incidents/{past}")
    assert similar(site, now) == []
    site.admin.post(f"/api/v1/deleted-incidents/{past}/restore")
    assert [one["title"] for one in similar(site, now)] == ["past"]


def test_before_any_analysis(site: Site) -> None:
    assert similar(site, site.incident()) == []
