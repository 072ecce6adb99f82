"""The matrix over HTTP: blind first ratings, weights, history, proposals, and who may open."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from pileup.storage.incidents.analyses import Analyses
from tests.api.test_reasoning import hypothesis, pin
from tests.support.site import Site

EMPTY: dict[str, Any] = {"engine": "test", "snapshots": [], "series": [], "findings": []}


class Table:
    """An incident with one pin, two hypotheses, and two people beside the admin."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.incident = site.incident()
        self.h1, self.h2 = (hypothesis(site, self.incident)["id"] for _ in range(2))
        self.e1 = pin(site, self.incident)["id"]
        self.ann = site.client("contributor", "ann")
        self.bob = site.client("contributor", "bob")
        self.url = f"/api/v1/incidents/{self.incident}/matrix"

    def rate(self, who: TestClient, hypothesis: str, rating: str | None, **more: Any) -> int:
        body = {"pin_id": self.e1, "hypothesis_id": hypothesis, "rating": rating} | more
        return who.put(f"{self.url}/ratings", json=body).status_code

    def see(self, who: TestClient, **params: str) -> dict[str, Any]:
        answer = who.get(self.url, params=params)
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def cell(self, who: TestClient, hypothesis: str, **params: str) -> dict[str, Any]:
        (row,) = self.see(who, **params)["rows"]
        return next(c for c in row["cells"] if c["hypothesis_id"] == hypothesis)


@pytest.fixture
def table(site: Site) -> Table:
    return Table(site)


def test_the_first_rating_is_blind(table: Table) -> None:
    """Bob sees that others rated, and neither the letter nor a score of it, until he has rated."""
    assert table.rate(table.ann, table.h1, "II") == 204
    before = table.see(table.bob)
    cell = table.cell(table.bob, table.h1)
    assert (cell["blind"], cell["votes"], cell["shown"], cell["points"]) == (True, [], None, None)
    assert before["hidden"] == 1
    assert [h["inconsistency"] for h in before["hypotheses"]] == [0.0, 0.0]
    assert "II" not in table.bob.get(table.url).text
    assert table.rate(table.bob, table.h1, "C") == 204
    after = table.cell(table.bob, table.h1)
    assert [(v["by"], v["rating"], v["mine"]) for v in after["votes"]] == [
        ("bob", "C", True),
        ("ann", "II", False),
    ]
    assert after["disagreement"] == 1.5
    assert table.cell(table.ann, table.h1)["votes"][1]["rating"] == "C"


def test_the_audit_trail_does_not_tell_the_letter(table: Table) -> None:
    table.rate(table.ann, table.h1, "II")
    with table.site.database.unit() as unit:
        rows = unit.session.execute(
            text("select detail::text from audit where action = 'matrix.rated'")
        ).all()
    assert rows == [("{}",)]


def test_only_the_facilitator_opens(table: Table) -> None:
    """Ann may not; the incident's owner may, and then a viewer sees the cell too."""
    table.rate(table.ann, table.h1, "II")
    opening = {"pin_id": table.e1, "hypothesis_id": table.h1}
    refused = table.bob.post(f"{table.url}/openings", json=opening)
    assert refused.status_code == 403
    viewer = table.site.client("viewer")
    assert table.cell(viewer, table.h1)["blind"]
    assert table.site.admin.post(f"{table.url}/openings", json=opening).status_code == 204
    assert table.cell(viewer, table.h1)["shown"] == "II"
    assert not table.cell(table.bob, table.h1)["blind"]


def test_taking_a_rating_back_keeps_its_history(table: Table) -> None:
    """The latest word counts; the matrix at the time of the first shows the first."""
    table.rate(table.ann, table.h1, "CC")
    first = table.see(table.ann)["moments"][-1]
    table.rate(table.ann, table.h1, "I")
    table.rate(table.ann, table.h1, "I")
    assert len(table.see(table.ann)["moments"]) == 2
    table.rate(table.ann, table.h1, None)
    assert table.cell(table.ann, table.h1)["mine"] is None
    assert table.cell(table.ann, table.h1, at=first)["mine"] == "CC"
    assert table.ann.get(table.url, params={"at": "yesterday"}).status_code == 422


def test_ratings_and_the_ledger_cannot_be_rewritten(table: Table) -> None:
    """Not even by SQL."""
    table.rate(table.ann, table.h1, "CC")
    for statement in (
        "update ratings set rating = 'II'",
        "delete from ratings",
        "update confidence_steps set confidence = 1",
        "delete from confidence_steps",
    ):
        with (
            pytest.raises(IntegrityError, match="append-only"),
            table.site.database.unit() as unit,
        ):
            unit.session.execute(text(statement))


def test_mine_and_consensus_are_two_matrices(table: Table) -> None:
    table.rate(table.ann, table.h1, "II")
    table.rate(table.bob, table.h1, "CC")
    assert table.cell(table.ann, table.h1, mode="mine")["points"] == -2
    assert table.cell(table.ann, table.h1)["points"] == 0
    assert table.cell(table.ann, table.h1)["shown"] == "N"


def test_weights_count_and_need_a_revision(table: Table) -> None:
    """High credibility and high relevance double; the second writer learns who was first."""
    table.rate(table.ann, table.h1, "I")
    url = f"{table.url}/weights/{table.e1}"
    body = {"credibility": "high", "relevance": "high"}
    assert table.ann.put(url, json=body).status_code == 428
    assert table.ann.put(url, json=body, headers={"If-Match": '"0"'}).json()["revision"] == 1
    late = table.bob.put(url, json=body | {"credibility": "low"}, headers={"If-Match": '"0"'})
    assert late.status_code == 409
    assert late.json()["current"]["credibility"] == "high"
    scores = {h["id"]: h["inconsistency"] for h in table.see(table.ann)["hypotheses"]}
    assert scores[table.h1] == pytest.approx(2.0)


def test_sensitivity_is_a_sentence(table: Table) -> None:
    """E1 is all that contradicts H1."""
    table.rate(table.ann, table.h1, "I")
    table.rate(table.ann, table.h2, "C")
    other = pin(table.site, table.incident, title="quiet disks")["id"]
    for item, rating in ((table.h1, "CC"), (table.h2, "C")):
        body = {"pin_id": other, "hypothesis_id": item, "rating": rating}
        table.ann.put(f"{table.url}/ratings", json=body)
    seen = table.see(table.ann)
    assert seen["sensitivity"] == "H2 leads; without E1, H1 leads."
    assert seen["hypotheses"][0]["label"] == "H2"
    assert seen["next"]["standing"].startswith("H2 leads H1 by inconsistency 0.0 against 1.0.")


def test_a_rule_proposes_and_only_a_person_rates(table: Table) -> None:
    """The finding's evidence is proposed as very consistent, counts nothing, and can be taken."""
    found = {
        "id": "mysql-1",
        "score": 0.9,
        "why": "many wait",
        "evidence": [{"series": "mysql.x", "text": "87 of 91 waiters share this mutex"}],
    }
    with table.site.database.unit() as unit:
        Analyses(unit).replace(table.incident, EMPTY | {"findings": [found]}, 0.1)
        unit.session.execute(
            text("update hypotheses set finding_id = 'mysql-1' where id = :id"), {"id": table.h1}
        )
    held = pin(table.site, table.incident, kind="series", locator={"series": ["mysql.x"]})["id"]
    seen = table.see(table.ann)
    row = next(row for row in seen["rows"] if row["pin_id"] == held)
    cell = next(c for c in row["cells"] if c["hypothesis_id"] == table.h1)
    assert cell["proposed"] == {
        "rating": "CC",
        "rule": "finding mysql-1",
        "why": "87 of 91 waiters share this mutex",
    }
    assert (cell["shown"], seen["coverage"]) == (None, 0.0)
    body = {"pin_id": held, "hypothesis_id": table.h1, "rating": "CC"}
    table.ann.put(f"{table.url}/ratings", json=body | {"proposed_by": "finding mysql-1"})
    row = next(row for row in table.see(table.ann)["rows"] if row["pin_id"] == held)
    cell = next(c for c in row["cells"] if c["hypothesis_id"] == table.h1)
    assert (cell["proposed"], cell["mine"]) == (None, "CC")


def test_a_foreign_pin_cannot_be_rated(table: Table) -> None:
    foreign = pin(table.site, table.site.incident("other"))["id"]
    assert table.rate(table.ann, table.h1, "C", pin_id=foreign) == 404
    assert table.rate(table.ann, table.h1, "X") == 422


def test_withdrawing_a_rated_pin_flags_and_hides(table: Table) -> None:
    """Its row leaves the matrix, the rated hypothesis needs a review; restored, it is back."""
    table.rate(table.ann, table.h1, "C")
    table.ann.delete(f"/api/v1/pins/{table.e1}")
    assert table.see(table.ann)["rows"] == []
    listed = table.ann.get(f"/api/v1/incidents/{table.incident}/hypotheses").json()
    assert {h["id"]: h["needs_review"] for h in listed} == {table.h1: True, table.h2: False}
    assert table.rate(table.ann, table.h1, "C") == 404
    table.ann.post(f"/api/v1/incidents/{table.incident}/deleted/pin/{table.e1}/restore")
    assert table.cell(table.ann, table.h1)["mine"] == "C"


def test_calibration_takes_the_last_word_before_the_decision(table: Table) -> None:
    """Ann said 80 % of what was supported: Brier 0.04. What is said afterwards counts nothing."""
    url = f"/api/v1/hypotheses/{table.h1}"
    for percent in (20, 80):
        body = {"confidence": percent, "reason": "so it looks"}
        table.ann.post(f"{url}/confidence", json=body)
    now = table.ann.get(url).json()
    done = table.bob.patch(
        url, json={"status": "supported"}, headers={"If-Match": f'"{now["revision"]}"'}
    )
    assert done.status_code == 200, done.text
    table.bob.post(f"{url}/confidence", json={"confidence": 100, "reason": "I knew it"})
    found = table.ann.get(f"/api/v1/incidents/{table.incident}/calibration").json()
    people = {person["by"]: person["brier"] for person in found["people"]}
    assert people == {"ann": pytest.approx(0.04), "admin": pytest.approx(0.36)}
