"""The analysis of an incident: stored whole, done again when something changes, never doubled."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from pileup.storage.queue.jobs import Jobs
from pileup.worker import analysis
from pileup.worker.purge import purge
from tests.conftest import REPOSITORY
from tests.worker.conftest import BOTH, Bench, read_here

pytestmark = read_here


def get(bench: Bench, path: str) -> Any:
    answer = bench.site.admin.get(f"/api/v1{path}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def artifact(bench: Bench, incident: str, ending: str) -> dict[str, Any]:
    items = get(bench, f"/incidents/{incident}/artifacts")["items"]
    return dict(next(item for item in items if item["path"].endswith(ending)))


def test_a_sample_is_analysed(loaded: tuple[Bench, str]) -> None:
    """Overview, list and document agree with each other and with the ground truth."""
    bench, incident = loaded
    overview = get(bench, f"/incidents/{incident}/overview")
    assert overview["analysis"]["state"] == "done", overview["analysis"]["error"]
    assert overview["headline"]["verdict"] == "stall"
    onset = datetime.fromisoformat(overview["numbers"]["onset"])
    assert abs(onset - datetime.fromisoformat("2026-11-20T22:19:49Z")) < timedelta(seconds=5)
    (row,) = get(bench, "/incidents")["items"]
    assert row["onset"] == overview["numbers"]["onset"]
    assert row["peak_waiters"] == overview["numbers"]["peak_waiters"] > 200
    assert max(value for value in row["spark"] if value is not None) > 200
    document = get(bench, f"/incidents/{incident}/analysis")
    assert document["headline"] == overview["headline"]
    assert overview["artifacts"]["parsing"] == 0
    dump = artifact(bench, incident, "innodb-status.txt")
    assert (dump["state"], dump["format"]) == ("done", "innodb-status")
    assert dump["clock"] is not None


def test_a_purge_during_the_analysis_leaves_no_files(
    loaded: tuple[Bench, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the cancelled analysis stores after the purge goes with it."""
    bench, incident = loaded
    computes = analysis.isolated

    def purged_meanwhile(*arguments: Any) -> Any:
        result = computes(*arguments)
        bench.site.admin.delete(f"/api/v1/incidents/{incident}")
        settings = bench.runtime.settings.model_copy(update={"bin_days": 0})
        purge(settings, bench.runtime.database, bench.runtime.stores)
        assert list(bench.runtime.placed.incidents()) == []
        return result

    monkeypatch.setattr(analysis, "isolated", purged_meanwhile)
    with bench.runtime.database.unit() as unit:
        Jobs(unit).request_analysis(incident, 0)
    bench.work(BOTH)
    assert list(bench.runtime.placed.incidents()) == []


@pytest.mark.on_turn(2, 3)
def test_frames_can_be_thrown_away(loaded: tuple[Bench, str]) -> None:
    """They are made again, and the analysis says the same."""
    bench, incident = loaded
    before = get(bench, f"/incidents/{incident}/overview")["numbers"]
    shutil.rmtree(bench.site.settings.frames_dir)
    assert bench.site.admin.post(f"/api/v1/incidents/{incident}/analyse").status_code == 202
    bench.work(BOTH)
    after = get(bench, f"/incidents/{incident}/overview")
    assert after["analysis"]["state"] == "done"
    assert after["numbers"] == before


@pytest.mark.on_turn(0, 3)
def test_an_offset_moves_an_artifact(loaded: tuple[Bench, str]) -> None:
    """What a person says of a clock wins, and is undone as easily."""
    bench, incident = loaded
    dump = artifact(bench, incident, "innodb-status.txt")
    url = f"/api/v1/artifacts/{dump['id']}"
    changed = bench.site.admin.patch(url, json={"zone": "+01:00", "offset_s": 0.5})
    assert changed.status_code == 200, changed.text
    bench.work(BOTH)
    moved = artifact(bench, incident, "innodb-status.txt")
    assert moved["clock"]["quality"] == "given"
    assert moved["first"] != dump["first"]
    bench.site.admin.patch(url, json={"zone": None, "offset_s": None})
    bench.work(BOTH)
    assert artifact(bench, incident, "innodb-status.txt")["first"] == dump["first"]
    assert bench.site.admin.patch(url, json={"zone": "Mars/Olympus"}).status_code == 422


def test_nothing_left_is_no_analysis(make_bench: Callable[..., Bench]) -> None:
    """When the only artifact is set aside, the old analysis does not linger."""
    bench = make_bench()
    incident = bench.site.incident()
    sample = REPOSITORY / "samples" / "hot-row" / "artifacts" / "my.cnf"
    made = bench.site.upload(incident, "my.cnf", sample.read_bytes())
    bench.work(BOTH)
    assert get(bench, f"/incidents/{incident}/analysis")["settings"]
    url = f"/api/v1/artifacts/{made['id']}"
    assert bench.site.admin.patch(url, json={"excluded": True}).json()["state"] == "excluded"
    bench.work(BOTH)
    assert bench.site.admin.get(f"/api/v1/incidents/{incident}/analysis").status_code == 404
