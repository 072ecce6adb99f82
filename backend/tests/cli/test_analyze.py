"""`pileup analyze` answers whatever it is given."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from pileup.analysis import isolation
from pileup.cli.analyze import command
from pileup.cli.captures import Captures
from pileup.formats.metrics.parts.csv_mapping import Column, Mapping
from tests.formats.checks import samples
from tests.support import deadly


def run(*arguments: str):  # type: ignore[no-untyped-def]
    return CliRunner().invoke(command, list(arguments), catch_exceptions=False)


def test_json_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing that is known\n")
    result = run(str(tmp_path), "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["headline"]["verdict"] == "not_enough_data"
    assert document["artifacts"][0]["path"] == "notes.txt"


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 5000, os.urandom(5000), b"\xff\xfe\x00", b"PK\x03\x04broken", b"\x1f\x8b"],
)
def test_any_bytes_end_well(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "odd").write_bytes(content)
    assert run(str(tmp_path)).exit_code == 0


def test_archives_within_archives_are_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        add(archive, "deep/notes.txt", b"hello\n")
    with tarfile.open(tmp_path / "outer.tar", mode="w") as archive:
        add(archive, "inner.tar.gz", inner.getvalue())
    document = json.loads(run(str(tmp_path), "--json").stdout)
    paths = [artifact["path"] for artifact in document["artifacts"]]
    assert paths == ["outer.tar/inner.tar.gz/deep/notes.txt"]


def test_an_experiment_s_folder_is_a_run_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "experiment-off").mkdir()
    (tmp_path / "experiment-off" / "a.txt").write_text("x\n")
    (tmp_path / "b.txt").write_text("y\n")
    result = run(str(tmp_path), "--json")
    assert [artifact["path"] for artifact in json.loads(result.stdout)["artifacts"]] == ["b.txt"]
    assert "a run of its own" in result.stderr


@pytest.mark.parametrize("ending", [".md", ".html"])
def test_the_page_is_written(tmp_path: Path, ending: str) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    page = tmp_path / f"page{ending}"
    assert run(str(tmp_path / "a.txt"), "--report", str(page)).exit_code == 0
    assert "Pileup analysis" in page.read_text()


def test_a_page_is_announced_with_the_conclusion(tmp_path: Path) -> None:
    """With the story of the incident, or with the headline where there is none."""
    (tmp_path / "a.txt").write_text("x\n")
    page = tmp_path / "page.md"
    headline = json.loads(run(str(tmp_path / "a.txt"), "--json").stdout)["headline"]
    assert not headline.get("story")
    printed = run(str(tmp_path / "a.txt"), "--report", str(page)).stdout
    assert printed == f"{headline['text']}\nThe page is in {page}.\n"


def test_tables_of_records_follow_the_conclusions(tmp_path: Path) -> None:
    """A terminal shows five log messages and where the rest is; a page shows them all."""
    words = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta")
    lines = [f"2026-11-20T22:19:5{n}.000000Z 0 [Note] {word}" for n, word in enumerate(words)]
    log = tmp_path / "mysqld-error.log"
    log.write_text("\n".join(lines) + "\n")
    printed = run(str(log)).stdout
    assert printed.index("Log messages") > printed.index("Seven quick checks")
    assert "5 of 7 messages; --report FILE.html lists more." in printed
    page = tmp_path / "page.md"
    run(str(log), "--report", str(page))
    assert all(word in page.read_text() for word in words)


def test_wrong_options_say_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    zone = run(str(tmp_path), "--timezone", "db=Nowhere/City")
    assert zone.exit_code == 2
    assert "HOST=Area/City" in zone.stderr
    report = run(str(tmp_path), "--report", "page.pdf")
    assert report.exit_code == 2


def add(archive: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    archive.addfile(info, io.BytesIO(content))


OWN_ISSUE = """
issues:
- id: team-ticker
  category: application
  title: The ticker writes its row again
  affected: [all]
  explanation: The old ticker has no jitter.
  mitigations: [{action: Stop the ticker, side_effects: no prices}]
"""
OWN_SIGNATURE = """
signatures:
- issue: team-ticker
  needs: [{log: 'ticker behind', weight: 0.7}]
"""


def test_a_team_s_own_knowledge(tmp_path: Path) -> None:
    """A folder with an issue and its signature: the finding is named, ours stay."""
    own, captured = tmp_path / "own", tmp_path / "captured"
    own.mkdir()
    captured.mkdir()
    (own / "issues.yaml").write_text(OWN_ISSUE)
    (own / "signatures.yaml").write_text(OWN_SIGNATURE)
    line = "2026-11-20T22:17:06.000000Z 0 [Warning] [MY-000001] [Server] ticker behind by 4 s\n"
    (captured / "mysqld-error.log").write_text(line * 3)
    result = run(str(captured), "--json", "--knowledge", str(own))
    found = {finding["id"]: finding for finding in json.loads(result.stdout)["findings"]}
    assert found["team-ticker"]["score"] == 0.7
    (remedy,) = found["team-ticker"]["mitigations"]
    assert remedy["action"] == "Stop the ticker"
    assert remedy["side_effects"] == "no prices"
    assert remedy["precondition"] is None
    without = json.loads(run(str(captured), "--json").stdout)
    assert "team-ticker" not in {finding["id"] for finding in without["findings"]}


def test_knowledge_that_does_not_fit_says_where(tmp_path: Path) -> None:
    (tmp_path / "issues.yaml").write_text(OWN_ISSUE)
    (tmp_path / "signatures.yaml").write_text(OWN_SIGNATURE.replace("log:", "logs:"))
    result = run(str(tmp_path), "--knowledge", str(tmp_path))
    assert result.exit_code == 2
    assert "signatures[0] (team-ticker)" in result.output
    assert "logs" in result.output


def test_a_table_is_read_by_a_mapping_that_was_saved(tmp_path: Path) -> None:
    """Of a file with that header, and of no other; what cannot be used is named."""
    (tmp_path / "export.csv").write_text(
        "Exported by Ada\nWhen;Load\n03/04/2026 10:00:00;1,5\n03/04/2026 10:00:01;2,5\n"
    )
    columns = (Column(name="When", role="time"), Column(name="Load", series="app.load"))
    mapping = Mapping(
        delimiter=";", decimal=",", header="when;load", time_format="mdy", columns=columns
    )
    saved = tmp_path / "mapping.json"
    saved.write_bytes(msgspec.json.encode(mapping))
    for by_hand, series in (((), 0), (("--mapping", str(saved)), 2)):
        document = json.loads(run(str(tmp_path / "export.csv"), *by_hand, "--json").stdout)
        assert document["artifacts"][0]["records"].get("sample", 0) == series
    other = run(str(saved), "--mapping", str(saved))
    assert "no file has the header" in other.stderr
    saved.write_bytes(msgspec.json.encode(replace(mapping, header=None)))
    assert "without a header" in run(str(tmp_path), "--mapping", str(saved)).stderr


@pytest.mark.slow
@pytest.mark.on_turn(2, 3)
def test_a_file_that_kills_the_analysis_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly.install(tmp_path / "site", monkeypatch)
    text = min(samples("vmstat"), key=lambda path: path.stat().st_size).read_bytes()
    files = tmp_path / "files"
    files.mkdir()
    for name in ("2026_11_20_22_19_52-vmstat", "deadly.txt"):
        (files / name).write_bytes(text + name.encode())
    done = subprocess.run(
        [sys.executable, "-m", "pileup", "analyze", "--json", str(files)],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"deadly.txt: Left out of the analysis: its process ended (SIGABRT)" in done.stderr
    document = json.loads(done.stdout)
    assert [doc["path"] for doc in document["problems"] if "Left out" in doc["message"]] == [
        "deadly.txt"
    ]
    (files / "deadly.txt").unlink()
    alone = json.loads(run("--json", str(files)).stdout)
    assert [row["id"] for row in document["series"]] == [row["id"] for row in alone["series"]]


def test_a_file_that_raises_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("good.cnf", "raising.cnf"):
        (tmp_path / name).write_text(f"[mysqld]\nport=33{len(name)}\n")
    real = isolation.gather

    def gather(parsed: list[isolation.Parsed], **options: Any) -> Any:
        if any(frames and artifact.path == "raising.cnf" for artifact, frames in parsed):
            raise ArithmeticError("too large")
        return real(parsed, **options)

    monkeypatch.setattr(isolation, "gather", gather)
    result = run(str(tmp_path), "--json")
    assert result.exit_code == 0
    assert "raising.cnf: Left out of the analysis" in result.stderr
    assert "ArithmeticError: too large" in result.stderr
    values = [doc["value"] for doc in json.loads(result.stdout)["settings"]]
    assert values == ["338"]


@pytest.mark.parametrize("form", ["--json", "text", ".md", ".html"])
def test_every_form_is_redacted(tmp_path: Path, form: str) -> None:
    """Passwords go whatever is chosen; a literal of a statement goes with its kind."""
    log = tmp_path / "mysqld-error.log"
    line = "2026-11-20T22:19:5{}.000000Z 0 [Note] {}\n"
    statement = "update t set a='Zxyvsecretq', password = Pwqqsecretz"
    log.write_text(line.format(1, statement) + line.format(2, "held Zxyvsecretq"))
    page = tmp_path / f"page{form}"
    for kinds in ("", "sql"):
        options = [form] if form == "--json" else ["--report", str(page)] if "." in form else []
        done = run(str(log), *options, *(["--redact", kinds] if kinds else []))
        assert done.exit_code == 0, done.output
        written = done.stdout + (page.read_text() if page.exists() else "")
        assert "Pwqqsecretz" not in written
        assert ("Zxyvsecretq" in written) == (not kinds)


def test_files_of_a_folder_come_in_order_whatever_the_disk_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["b.txt", "a.txt", "c.txt"]
    for name in names:
        (tmp_path / name).write_text(name)
    listed = [tmp_path / name for name in names]
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(listed))
    assert list(Captures().names([tmp_path]).values()) == sorted(names)
