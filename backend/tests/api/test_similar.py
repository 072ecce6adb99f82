"""Past incidents with the same symptoms, and what was refuted there."""

from __future__ import annotations

import random

from pileup.analysis.reasoning.similar import LEAST, likeness
from pileup.storage.audit import MACHINE
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
    assert twin["shared"] == ["likely cause: Hot row", "root blocker: transaction"]
    assert twin["only_here"] == ["suspected: locking"]
    assert [item["statement"] for item in twin["refuted"]] == ["It was the network"]


def test_the_same_cause_is_enough_and_comes_first(site: Site) -> None:
    """Nothing else in common; a single dump, which has no stall, is found and finds as well."""
    cause = {"id": "mysql-100512", "title": "A latch", "score": 0.9}
    features = {f"check:{name}": name for name in "abcdefgh"}

    def made(title: str, symptoms: dict[str, str], finding: object, onset: str | None) -> str:
        incident = site.incident(title)
        digest = {"onset": onset, "signature": symptoms, "finding": finding}
        with site.database.unit() as unit:
            Incidents(unit).digest(incident, digest)
        return incident

    named = {"finding:mysql-100512": "A latch"}
    now = made("now", features | named, cause, "2026-11-20T22:00:00Z")
    made("twin", features | {"finding:other": "other"}, {**cause, "id": "other"}, None)
    other = {f"latch:{name}": name for name in "abcdefgh"}
    made("year ago", other | named, cause, "2025-11-20T22:00:00Z")
    made("second there", other | named, {**cause, "id": "other"}, None)
    dump = made("a dump", {}, cause, None)
    assert [item["title"] for item in similar(site, now)] == ["a dump", "year ago", "twin"]
    assert similar(site, now)[1]["shared"] == ["likely cause: A latch"]
    assert [item["title"] for item in similar(site, dump)] == ["now", "year ago"]


def test_an_incident_in_the_bin_is_no_twin_until_it_is_restored(site: Site) -> None:
    past = analysed(site, "past", FEATURES)
    now = analysed(site, "now", FEATURES)
    site.admin.delete(f"/api/v1/incidents/{past}")
    assert similar(site, now) == []
    site.admin.post(f"/api/v1/deleted-incidents/{past}/restore")
    assert [item["title"] for item in similar(site, now)] == ["past"]


def test_before_any_analysis(site: Site) -> None:
    assert similar(site, site.incident()) == []


def test_the_index_finds_what_a_comparison_with_all_finds(site: Site) -> None:
    """Any signatures: the same incidents in the same order."""
    dice = random.Random(7)
    kinds = {
        "finding": 6,
        "latch": 4,
        "blocker": 3,
        "stack": 5,
        "series": 40,
        "check": 4,
        "engine": 3,
    }
    names = [f"{kind}:{at}" for kind, many in kinds.items() for at in range(many)]
    signatures: dict[str, dict[str, str]] = {}
    with site.database.unit() as unit:
        incidents = Incidents(unit)
        for number in range(80):
            features = {name: name for name in dice.sample(names, dice.choice((0, 1, 4, 15, 40)))}
            made = incidents.create(MACHINE, f"incident {number}").id
            incidents.digest(made, {"onset": None, "signature": features})
            signatures[made] = features
        found = 0
        for mine, features in signatures.items():
            scores = {
                other: likeness(features, theirs).score for other, theirs in signatures.items()
            }
            near = sorted((-score, name) for name, score in scores.items() if score >= LEAST)
            ids = incidents.similar(features, 100)
            assert ids == [name for _, name in near]
            found += len(ids) - (mine in ids)
        assert found > 20
