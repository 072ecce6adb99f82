"""The finished samples: what their authors concluded ranks first, and what they refuted is refuted.

One process loads all of them once; the tests only read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from pileup.api.incidents.imported_rows import check_row
from pileup.storage.lifecycle.bundle_checks import check_rows
from pileup.storage.lifecycle.bundle_rows import export_rows
from pileup.storage.lifecycle.samples import samples_in
from tests.support.postgres import PostgresForTests
from tests.worker.conftest import BOTH, SAMPLES, Bench, open_bench

pytestmark = [
    pytest.mark.xdist_group("finished-samples"),
    pytest.mark.slow,
    pytest.mark.on_turn(1, 3),
]

FINISHED = sorted(sample.id for sample in samples_in(SAMPLES) if sample.finished)


@dataclass
class Cases:
    bench: Bench
    ids: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, path: str) -> Any:
        answer = self.bench.site.admin.get(f"/api/v1/incidents/{self.ids[name]}{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="session")
def cases(
    postgres_server: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cases]:
    database = postgres_server.migrated_database()
    home = tmp_path_factory.mktemp("finished") / "home"
    with open_bench(home, postgres_server.url(database), samples_dir=SAMPLES) as bench:
        loaded = Cases(bench)
        for name in FINISHED:
            made = bench.site.admin.post(f"/api/v1/samples/{name}/load").json()
            loaded.ids[name] = made["id"]
        bench.work((*BOTH, "run"))
        yield loaded
    postgres_server.drop(database)


def test_there_are_the_five_published_cases() -> None:
    assert len(FINISHED) == 5


@pytest.mark.parametrize("name", FINISHED)
def test_the_case_is_recorded_once(cases: Cases, name: str) -> None:
    """Loading it again opens it; the activity has its case and no failure."""
    again = cases.bench.site.admin.post(f"/api/v1/samples/{name}/load").json()
    assert again["id"] == cases.ids[name]
    assert cases.bench.queued(BOTH) == []
    activity = cases.get(name, "/activity?kind=sample")
    assert [entry["action"] for entry in activity] == ["sample.case_recorded"], activity


@pytest.mark.parametrize("name", FINISHED)
def test_an_import_would_take_every_row(cases: Cases, name: str) -> None:
    """What Pileup itself writes passes the checks of a bundle's rows."""
    with cases.bench.site.database.unit() as unit:
        check_rows(dict(export_rows(unit, cases.ids[name])), check_row)


def test_another_analysis_does_not_record_the_case_again(cases: Cases) -> None:
    before = cases.get("ahi-build", "/hypotheses")
    cases.bench.site.admin.post(f"/api/v1/incidents/{cases.ids['ahi-build']}/analyse")
    cases.bench.work(BOTH)
    assert cases.get("ahi-build", "/hypotheses") == before


@pytest.mark.parametrize("name", FINISHED)
def test_the_conclusion_of_the_author_ranks_first(cases: Cases, name: str) -> None:
    """One supported hypothesis, and the first finding says the same."""
    (concluded,) = [h for h in cases.get(name, "/hypotheses") if h["status"] == "supported"]
    findings = cases.get(name, "/analysis")["findings"]
    assert findings[0]["id"] == concluded["finding_id"], [f["id"] for f in findings]


@pytest.mark.parametrize("name", FINISHED)
def test_what_the_author_refuted_is_refuted(cases: Cases, name: str) -> None:
    """Each alternative has evidence against it, and ends less likely than it began."""
    refuted = [h for h in cases.get(name, "/hypotheses") if h["status"] != "supported"]
    assert refuted
    for hypothesis in refuted:
        assert hypothesis["status"] == "refuted"
        assert any(evidence["side"] == "against" for evidence in hypothesis["evidence"])
        assert hypothesis["confidence"] <= 15
        for experiment in hypothesis["experiments"]:
            assert experiment["verdict"] == "miss"


@pytest.mark.parametrize("name", FINISHED)
def test_runs_with_files_are_measured_from_them(cases: Cases, name: str) -> None:
    """Only the server computes values; predictions say that they were recorded afterwards."""
    runs = cases.get(name, "/experiments")
    assert runs
    for run in runs:
        assert run["state"] == "finished"
        assert run["began"] < run["started_at"]
        assert run["prediction_standing"] in ("recorded_after", "none")
        if run["prediction"]["metric"]:
            assert run["computed"]["measured"]["verdict"] == run["verdict"]
        if run["artifacts"]:
            path = f"/api/v1/experiments/{run['id']}/analysis"
            assert cases.bench.site.admin.get(path).json()["headline"]["text"]
        else:
            assert all(measure["source"] != "computed" for measure in run["measures"])


def test_the_sweeps_show_their_thresholds(cases: Cases) -> None:
    found = {
        (sweep["name"], series["label"], series["below"], series["above"])
        for name in ("commit-mutex", "concurrency-cliff")
        for sweep in cases.get(name, "/sweeps")
        for series in sweep["series"]
    }
    assert found == {
        ("tables, with and without the patch", "commit mutex=original", 4, 8),
        ("tables, with and without the patch", "commit mutex=patched", None, None),
        ("load machines", "", 21, 22),
        ("innodb_thread_concurrency", "", None, None),
    }


@pytest.mark.parametrize("name", FINISHED)
def test_every_claim_leads_to_its_source(cases: Cases, name: str) -> None:
    """Pins have raw lines or a value, none is stale; the incident shows what the team noticed."""
    for pin in cases.get(name, "/pins"):
        assert not pin["stale"], pin["title"]
        assert pin["excerpt"] or pin["value"], pin["title"]
        assert "no samples" not in (pin["value"] or ""), pin["title"]
    for symptom in cases.get(name, "/symptoms"):
        unknown = None if symptom["predicate"]["kind"] == "stack" else True
        assert symptom["incident"]["holds"] in (True, unknown), symptom["words"]


@pytest.mark.parametrize("name", FINISHED)
def test_the_report_is_one_that_can_be_sent(cases: Cases, name: str) -> None:
    """It leads with the conclusion, every block renders, and the checks find nothing."""
    assert cases.get(name, "/report")["checks"] == []
    path = f"/api/v1/incidents/{cases.ids[name]}/report/export?format=md"
    text = cases.bench.site.admin.get(path).text
    (concluded,) = [h for h in cases.get(name, "/hypotheses") if h["status"] == "supported"]
    assert concluded["statement"] in text
    if any(stall["kind"] == "stall" for stall in cases.get(name, "/analysis")["stalls"]):
        assert "The stall is shaded." in text, "the timeline is a figure, with a baseline or not"
    notes = set(re.findall(r"\[\^([^\]]+)\](?!:)", text))
    assert notes
    assert notes == set(re.findall(r"^\[\^([^\]]+)\]:", text, re.M))
