"""A run is analysed by the worker, by itself, and stored; it changes nothing of its incident."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from pileup.storage import models
from tests.support import deadly
from tests.worker.conftest import Bench

ALL = ("artifact", "analyse", "run")
LEVELS = [2.0] * 40 + [150.0] * 30 + [3.0] * 40


def _csv(start: datetime) -> bytes:
    rows = (
        f"{start + timedelta(seconds=at):%Y-%m-%d %H:%M:%S},{level}"
        for at, level in enumerate(LEVELS)
    )
    return "\n".join(["time,Threads_running", *rows, ""]).encode()


BEFORE = _csv(datetime(2026, 11, 10, 9, 0, tzinfo=UTC))
STALL = _csv(datetime(2026, 11, 20, 22, 0, tzinfo=UTC))


def _experiment(bench: Bench, incident: str, artifacts: list[str]) -> str:
    body = {"title": "Reproduction", "prediction": {"text": "the same stall"}}
    made = bench.site.admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    _attach(bench, made["id"], artifacts)
    return str(made["id"])


def _attach(bench: Bench, run: str, artifacts: list[str]) -> None:
    path = f"/api/v1/experiments/{run}/artifacts"
    answer = bench.site.admin.put(path, json={"artifact_ids": artifacts})
    assert answer.status_code == 200, answer.text


def _analysis(bench: Bench, run: str) -> Any:
    return bench.site.admin.get(f"/api/v1/experiments/{run}/analysis")


def _shown(bench: Bench, incident: str) -> str:
    document = bench.site.admin.get(f"/api/v1/incidents/{incident}/analysis").json()
    artifacts = bench.site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    clocks = {item["path"]: item["clock"] for item in artifacts if item["run_id"] is None}
    return json.dumps([document["stalls"], document["captures"], document["headline"], clocks])


def test_a_run_is_analysed_by_the_worker_and_changes_nothing_of_the_incident(bench: Bench) -> None:
    """Not its stalls, its captures or the clocks of its files, ten days apart as they are."""
    incident = bench.site.incident()
    bench.site.upload(incident, "incident.csv", STALL)
    cnf = bench.site.upload(incident, "my.cnf", b"[mysqld]\nsync_binlog=1\n")
    bench.work(ALL)
    before = _shown(bench, incident)
    made = bench.site.upload(incident, "run/metrics.csv", BEFORE)
    same = bench.site.upload(incident, "run/my.cnf", b"[mysqld]\nsync_binlog=1\n")
    assert same["sha256"] == cnf["sha256"]
    assert same["id"] != cnf["id"]
    run = _experiment(bench, incident, [made["id"], same["id"]])
    assert _analysis(bench, run).status_code == 409
    bench.work(ALL)
    assert _shown(bench, incident) == before
    found = _analysis(bench, run).json()
    assert found["headline"]["verdict"] == "stall"
    (card,) = found["episodes"]["episodes"]
    thumbnail = card["thumbnail"]
    assert max(value for second, value in thumbnail["points"] if second < 0) < 10
    assert dict(map(tuple, thumbnail["points"]))[0.0] == 150.0
    (aligned,) = bench.site.admin.get(f"/api/v1/incidents/{incident}/runs").json()
    assert aligned["experiment_id"] == run
    assert aligned["episodes"]["episodes"][0]["thumbnail"] == thumbnail


def test_a_run_without_a_stall_is_aligned_at_its_first_sample(bench: Bench) -> None:
    incident = bench.site.incident()
    start = datetime(2026, 11, 10, 9, 0, tzinfo=UTC)
    rows = [f"{start + timedelta(seconds=at):%Y-%m-%d %H:%M:%S},3" for at in range(90)]
    calm = "\n".join(["time,Threads_running", *rows, ""]).encode()
    made = bench.site.upload(incident, "run/metrics.csv", calm)
    _experiment(bench, incident, [made["id"]])
    bench.work(ALL)
    (aligned,) = bench.site.admin.get(f"/api/v1/incidents/{incident}/runs").json()
    assert aligned["episodes"]["episodes"] == []
    (card,) = aligned["episodes"]["calm"]
    assert card["thumbnail"]["points"][0] == [0.0, 3.0]
    assert card["thumbnail"]["points"][-1] == [89.0, 3.0]


def test_a_run_is_analysed_again_when_its_files_change(bench: Bench) -> None:
    incident = bench.site.incident()
    first, second = (
        bench.site.upload(incident, f"{name}.csv", content)["id"]
        for name, content in (("a", BEFORE), ("b", STALL))
    )
    run = _experiment(bench, incident, [first])
    bench.work(ALL)
    assert len(_analysis(bench, run).json()["episodes"]["episodes"]) == 1
    bench.site.admin.post(f"/api/v1/incidents/{incident}/analyse")
    bench.work(("analyse",))
    assert bench.queued(("run",)) == []
    _attach(bench, run, [first, second])
    bench.work(ALL)
    assert len(_analysis(bench, run).json()["episodes"]["episodes"]) == 2
    _attach(bench, run, [])
    bench.work(ALL)
    assert _analysis(bench, run).status_code == 409


@pytest.mark.on_turn(0, 3)
def test_a_deadly_file_of_a_run_is_left_out_of_it_alone(
    make_bench: Callable[..., Bench], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bench = make_bench()
    deadly.install(tmp_path / "site", monkeypatch)
    incident = bench.site.incident()
    files = {"run/good.csv": STALL, "run/deadly.csv": BEFORE}
    made = [bench.site.upload(incident, *file)["id"] for file in files.items()]
    run = _experiment(bench, incident, made)
    bench.work(("artifact", "analyse"))
    with bench.runtime.database.unit() as unit:
        unit.session.execute(
            update(models.Job).where(models.Job.kind == "run").values(attempt=1, crashes=1)
        )
    bench.work(ALL)
    assert len(_analysis(bench, run).json()["episodes"]["episodes"]) == 1
    shown = bench.site.admin.get(f"/api/v1/artifacts/{made[1]}").json()
    assert "SIGABRT" in (shown["error"] or "")
