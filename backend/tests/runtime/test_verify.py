"""`pileup verify`: a bundle's numbers, computed again in a clean room of its own."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pileup.cli import main
from tests.conftest import REPOSITORY
from tests.worker.conftest import Bench, make_bench

__all__ = ["make_bench"]

DUMP = REPOSITORY / "samples/hot-row/artifacts/metrics-wide.csv"


@pytest.fixture
def bundle(make_bench: Callable[..., Bench], tmp_path: Path) -> Path:
    bench = make_bench()
    incident = bench.site.incident()
    bench.site.upload(incident, "metrics.csv", DUMP.read_bytes())
    bench.work(("artifact", "analyse"))
    path = tmp_path / "incident.pileup.zip"
    path.write_bytes(bench.site.admin.get(f"/api/v1/incidents/{incident}/bundle").content)
    return path


def test_a_true_bundle_passes_and_a_changed_number_is_named(bundle: Path, tmp_path: Path) -> None:
    """Exit code 0 when all is the same; 1 and the number's place when one was touched."""
    passed = CliRunner().invoke(main, ["verify", str(bundle)])
    assert passed.exit_code == 0, passed.output
    assert "DIFFERENT" not in passed.output

    touched = tmp_path / "touched.zip"
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(touched, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "analysis.json":
                told = json.loads(content)
                told["stalls"][0]["duration_s"] += 7
                content = json.dumps(told).encode()
            new.writestr(name, content)
    failed = CliRunner().invoke(main, ["verify", str(touched)])
    assert failed.exit_code == 1, failed.output
    assert "/stalls/0/duration_s" in failed.output
