"""`pileup compare` on two folders, with no server."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pileup.cli.compare import command
from tests.support import deadly


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """The same load, first with 200 sessions inside, then with 20."""
    found = []
    for name, running, qps in (("before", 201, 400), ("after", 21, 2000)):
        folder = tmp_path / name
        folder.mkdir()
        rows = [f"2026-11-20T22:00:{n:02}Z,{running},{qps}" for n in range(60)]
        (folder / "metrics.csv").write_text("\n".join(["time,threads_running,qps", *rows, ""]))
        found.append(str(folder))
    return found


def test_the_head_says_which_did_better(folders: list[str]) -> None:
    done = CliRunner().invoke(command, folders)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"A  {folders[0]}")
    assert (
        "=  B is better than A: 10.5 ms inside the server per statement "
        "(21 sessions running, 2000 statements/s), "
        "against 502 ms (201 sessions running, 400 statements/s). Sessions and rates are medians."
    ) in lines
    assert any("threads_running" in line and "201" in line for line in lines)


def test_as_json(folders: list[str]) -> None:
    done = CliRunner().invoke(command, ["--json", *folders[::-1]])
    assert done.exit_code == 0, done.output
    trial = json.loads(done.stdout)["trials"][0]["trial"]
    assert (trial["verdict"], trial["before_s"], trial["after_s"]) == ("worse", 0.0105, 0.5025)


def test_runs_of_a_side_and_a_third_one(folders: list[str]) -> None:
    """Commas put runs together; the ratio tells its spread; CSV and Markdown say the same."""
    before, after = folders
    sides = [before, f"{after},{before}", after]
    options = ["--part", "whole", "--all"]
    done = CliRunner().invoke(command, ["--format", "csv", *options, *sides])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    running = next(row for row in rows if row["name"].endswith("threads_running"))
    assert (running["A"], running["B"], running["C"]) == ("201.0", "111.0", "21.0")
    assert (running["B low"], running["B high"], running["B runs"]) == ("21.0", "201.0", "2")
    page = CliRunner().invoke(command, ["--format", "md", *options, *sides]).stdout
    assert "### Series" in page
    assert page.startswith("- **A** ")


def test_a_window_after_the_start(folders: list[str]) -> None:
    done = CliRunner().invoke(command, ["--json", "--window", "0", "9", *folders])
    assert done.exit_code == 0, done.output
    points = [each["levels"][0]["points"] for each in json.loads(done.stdout)["series"]]
    assert points == [10, 10]


def test_one_capture_is_no_comparison(folders: list[str]) -> None:
    assert CliRunner().invoke(command, folders[:1]).exit_code == 2
    assert CliRunner().invoke(command, [folders[0], "nowhere"]).exit_code == 2


@pytest.mark.slow
@pytest.mark.parametrize("kills", [deadly.install, deadly.install_reader])
@pytest.mark.dealt(2)
def test_a_file_that_kills_the_comparison_is_left_out_and_named(
    folders: list[str],
    kills: Callable[[Path, pytest.MonkeyPatch], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One that kills its reader is known at once: no other file is read three times."""
    alone = CliRunner().invoke(command, folders).stdout
    kills(tmp_path / "site", monkeypatch)
    (Path(folders[0]) / "deadly.csv").write_text("time,x\n2026-11-20T22:00:00Z,1\n")
    done = subprocess.run(
        [sys.executable, "-m", "pileup", "compare", *folders],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "deadly.csv: Left out of the analysis: its process ended (SIGABRT)" in done.stderr
    assert done.stdout == alone
    assert ("several analyses" in done.stderr) == (kills is deadly.install)
