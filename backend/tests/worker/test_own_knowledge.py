"""A team's own knowledge, through the worker: its rule fires, a broken file stops nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pileup import knowledge
from tests.worker.conftest import Bench, read_here
from tests.worker.test_analysis import BOTH, get

ISSUE = """
issues:
- id: our-hot-row
  category: locks
  title: The campaign counter of our shop
  affected: [all]
  explanation: Every checkout adds one to the same row.
"""
SIGNATURE = """
signatures:
- issue: our-hot-row
  needs: [{lock: campaign_counters, least: 20, weight: 0.9}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "own").mkdir()
    yield tmp_path / "own"
    knowledge.use(None)  # it holds for the process


@read_here
@pytest.mark.on_turn(2, 3)
def test_its_rule_fires_in_an_uploaded_incident(
    make_bench: Callable[..., Bench], folder: Path, short_samples: Path
) -> None:
    (folder / "issues.yaml").write_text(ISSUE)
    (folder / "signatures.yaml").write_text(SIGNATURE)
    (folder / "states.yaml").write_text("states: [{state: 7, category: []}]")
    bench = make_bench(samples_dir=short_samples, knowledge_dir=folder)
    incident = bench.site.admin.post("/api/v1/samples/hot-row/load").json()["id"]
    bench.work(BOTH)
    document = get(bench, f"/incidents/{incident}/analysis")
    found = {finding["id"]: finding for finding in document["findings"]}
    assert found["our-hot-row"]["score"] >= 0.9
    assert found["our-hot-row"]["title"] == "The campaign counter of our shop"
    assert "hot-row" in found, "ours go on beside it"
    (said,) = [problem for problem in document["problems"] if problem["path"] == "knowledge"]
    assert "states.yaml: states[0]" in said["message"]
    assert str(folder) not in said["message"]
