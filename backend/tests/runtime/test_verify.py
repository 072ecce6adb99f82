"""`pileup verify`: a bundle's numbers, computed again in a clean room of its own."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pileup.cli import main
from tests.conftest import REPOSITORY
from tests.worker.conftest import Bench, make_bench

__all__ = ["make_bench"]

RUN = REPOSITORY / "samples/ahi-pileup/experiment-ahi-off/metrics-wide.csv"
DUMP = REPOSITORY / "samples/hot-row/artifacts/metrics-wide.csv"


@pytest.fixture
def bundle(make_bench: Callable[..., Bench], tmp_path: Path) -> Path:
    bench = make_bench()
    incident = bench.site.incident()
    bench.site.upload(incident, "metrics.csv", DUMP.read_bytes())
    bench.work(("artifact", "analyse"))
    admin = bench.site.admin
    (artifact,) = admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    place = {"artifact": artifact["sha256"], "path": artifact["path"], "line_first": 2}
    pin = {"kind": "lines", "title": "a line", "locator": {**place, "line_last": 3}}
    pin["view"] = f"/incidents/{incident}/artifacts?artifact={artifact['id']}&line=2"
    for name, body in (("pins", pin), ("releases", {"note": "please"})):
        made = admin.post(f"/api/v1/incidents/{incident}/{name}", json=body)
        assert made.status_code == 201, made.text
    measured(bench, incident)
    path = tmp_path / "incident.pileup.zip"
    path.write_bytes(bench.site.admin.get(f"/api/v1/incidents/{incident}/bundle").content)
    return path


def measured(bench: Bench, incident: str) -> None:
    """A finished experiment with a run of its own: what it showed is computed from its file."""
    admin = bench.site.admin
    run = bench.site.upload(incident, "run.csv", RUN.read_bytes())
    bench.work(("artifact", "analyse"))
    prediction = {"text": "few run", "metric": "metric.threads_running", "op": "<", "value": 60}
    body = {"title": "AHI off", "change": "SET GLOBAL", "prediction": prediction}
    made = admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    url = f"/api/v1/experiments/{made['id']}"
    assert admin.put(f"{url}/artifacts", json={"artifact_ids": [run["id"]]}).is_success
    assert admin.post(f"{url}/start").is_success
    finished = admin.post(f"{url}/finish", json={"observation": {"text": "seen"}})
    assert finished.is_success, finished.text
    assert finished.json()["computed"]["measured"]["value"] is not None


def test_a_true_bundle_passes_and_whatever_was_touched_is_named(
    bundle: Path, tmp_path: Path
) -> None:
    """Exit code 0 when all is the same; 1 and the place of a number, a quoted line, a release."""
    passed = CliRunner().invoke(main, ["verify", str(bundle)])
    assert passed.exit_code == 0, passed.output
    assert "DIFFERENT" not in passed.output
    looked = re.search(r"same +(\d+) of (\d+) numbers of experiments", passed.output)
    assert looked is not None, passed.output
    assert looked[1] == looked[2] != "0"

    touched = tmp_path / "touched.zip"
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(touched, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "analysis.json":
                told = json.loads(content)
                told["stalls"][0]["duration_s"] += 7
                content = json.dumps(told).encode()
            if name == "report/report.html":
                content = content.replace(b"threads_running", b"threads_runninG", 1)
            if name == "work/pins.jsonl":
                told = json.loads(content)
                told["excerpt"] = "9" + told["excerpt"][1:]
                content = json.dumps(told).encode()
            if name == "work/experiments.jsonl":
                told = json.loads(content)
                told["computed"]["measured"]["value"] *= 1.001
                told["computed"]["levels"][0]["run"]["mad"] += 1
                told["computed"]["trial"]["text"] += " 7"
                seen = told["computed"]["symptoms"]
                seen["missing"].append(seen["reproduced"].pop())
                told["title"] = "what people typed is not computed"
                content = json.dumps(told).encode()
            if name == "work/releases.jsonl":
                told = json.loads(content)
                told["document"] = told["document"].replace("draft", "final").replace(" s", " h", 1)
                content = json.dumps(told).encode()
            new.writestr(name, content)
    failed = CliRunner().invoke(main, ["verify", str(touched)])
    assert failed.exit_code == 1, failed.output
    assert "/stalls/0/duration_s" in failed.output
    assert "a line: metrics.csv does not say" in failed.output
    assert "release 1 is not the document" in failed.output
    assert "experiment 1 measured/value: " in failed.output
    assert "experiment 1 levels/" in failed.output
    assert "experiment 1 trial/text" in failed.output
    assert re.search(r"experiment 1 symptoms/.+: 'missing' in the bundle", failed.output)
    assert re.search(r"DIFFERENT +\d+ of \d+ lines and figures of its HTML", failed.output)
    assert re.search(r"DIFFERENT +\d+ of \d+ numbers of experiments", failed.output)
