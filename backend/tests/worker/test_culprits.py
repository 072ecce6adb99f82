"""One artifact ends every analysis: it is found, left out and named; the rest is published."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from pileup.analysis import isolation
from pileup.storage import models
from tests.support import deadly
from tests.worker.conftest import BOTH, Bench
from tests.worker.test_real_worker import Floor, floor, until

__all__ = ["floor"]

VMSTAT = (Path(__file__).parents[1] / "samples" / "vmstat").glob("*.txt")
TEXT = next(path for path in sorted(VMSTAT)).read_bytes()


def _upload(site: Any) -> str:
    incident: str = site.incident()
    for name in ("2026_11_20_22_19_52-vmstat", "2026_11_20_22_19_52-deadly", "2026_11_20_22_21-b"):
        site.upload(incident, name, TEXT + name.encode())
    return incident


def _states(site: Any, incident: str) -> dict[str, tuple[str, str | None]]:
    items = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    return {item["path"].rpartition("-")[2]: (item["state"], item["error"]) for item in items}


def _assert_named(site: Any, incident: str, why: str) -> None:
    states = _states(site, incident)
    state, error = states.pop("deadly")
    assert state == "failed"
    assert error is not None
    assert why in error
    assert all(state in ("done", "done_with_problems") for state, _ in states.values())
    document = site.admin.get(f"/api/v1/incidents/{incident}/analysis").json()
    problems = [doc for doc in document["problems"] if doc["path"].endswith("deadly")]
    assert any("Left out of the analysis" in doc["message"] for doc in problems)
    placed = {doc["path"].rpartition("-")[2]: doc["first"] for doc in document["artifacts"]}
    assert placed["vmstat"]
    assert not placed["deadly"]


def test_a_raising_artifact_is_left_out_at_once(
    make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make_bench()
    incident = _upload(bench.site)
    real = isolation.gather

    def gather(parsed: list[isolation.Parsed], **options: Any) -> Any:
        for artifact, frames in parsed:
            if frames and "deadly" in artifact.path:
                raise OverflowError("year 10000 is out of range")
        return real(parsed, **options)

    monkeypatch.setattr(isolation, "gather", gather)
    bench.work(BOTH)
    _assert_named(bench.site, incident, "year 10000 is out of range")


@pytest.mark.on_turn(2, 3)
def test_after_a_death_the_deadly_artifact_is_found_by_trials(
    make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bench = make_bench()
    deadly.install(tmp_path / "site", monkeypatch)
    incident = _upload(bench.site)
    bench.work()
    with bench.runtime.database.unit() as unit:
        attempted = (
            update(models.Job).where(models.Job.kind == "analyse").values(attempt=1, crashes=1)
        )
        unit.session.execute(attempted)
    bench.work(BOTH)
    _assert_named(bench.site, incident, "SIGABRT")


@pytest.mark.slow
@pytest.mark.on_turn(1, 3)
def test_a_killed_worker_process_does_not_keep_the_incident_from_its_analysis(
    floor: Floor,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    deadly.install(tmp_path / "site", monkeypatch)
    incident = _upload(floor.site)
    worker = floor.worker()
    until(
        "the culprit is named",
        lambda: _states(floor.site, incident).get("deadly", ("",))[0] == "failed",
    )
    until("it is idle", floor.idle)
    _assert_named(floor.site, incident, "SIGABRT")
    assert "worker" in worker.log()


def test_culprits_are_found_wherever_they_are() -> None:
    for size in range(9):
        for bad in ({0}, {size - 1}, {1, 3}, set(range(0, size, 2)), set()):
            calls = []

            def why(part: list[int], bad: set[int] = bad, calls: list[int] = calls) -> str | None:
                calls.append(len(part))
                return "bad" if bad & set(part) else None

            found = {item for item, _ in isolation.culprits(list(range(size)), why)}
            assert found == bad & set(range(size))
            assert len(calls) <= 1 + 2 * len(found) * max(1, size.bit_length())


def test_of_two_that_fail_only_together_the_later_is_left_out() -> None:
    found = isolation.culprits(
        list("abcdef"), lambda part: "both" if {"b", "e"} <= set(part) else None
    )
    assert [item for item, _ in found] == ["e"]


def test_a_defect_that_every_artifact_shows_is_no_fault_of_theirs() -> None:
    with pytest.raises(isolation.TooManyCulpritsError, match="always"):
        isolation.culprits(list(range(100)), lambda _: "always")
