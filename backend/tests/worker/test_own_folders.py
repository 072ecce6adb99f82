"""Folders of somebody's own, loaded by `pileup import`."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from pileup.cli.import_ import command
from tests.worker.conftest import BOTH, Bench


def test_folders_of_one_name_are_incidents_of_their_own(bench: Bench, tmp_path: Path) -> None:
    """Only the same files are not loaded twice; a worker looks for no case of them."""
    settings = bench.site.settings
    variables = {"PILEUP_HOME": str(settings.home), "PILEUP_DATABASE_URL": settings.database_url}

    def load(night: str, text: str) -> str:
        folder = tmp_path / night / "stall" / "artifacts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "notes.txt").write_text(text)
        ended = CliRunner(env=variables).invoke(command, [str(folder.parent)])
        assert ended.exit_code == 0, ended.output
        return ended.output.rstrip().rpartition("/")[2]

    monday = load("monday", "Threads_running 7\n")
    assert load("monday", "Threads_running 7\n") == monday
    assert load("tuesday", "Threads_running 7\n") == monday  # the same files elsewhere
    later = load("monday", "Threads_running 9\n")
    assert load("tuesday", "Threads_running 8\n") not in (monday, later)
    assert later != monday
    bench.work(BOTH)
    events = bench.site.admin.get(f"/api/v1/incidents/{monday}/activity?kind=sample").json()
    assert events == []
