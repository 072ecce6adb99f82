"""A redacted file gives the records of the original, with tokens in place of values."""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.cli import redacted_files
from pileup.cli.redacted_files import learn_file, write_redacted
from pileup.formats.driver import parse_path
from pileup.report.redaction.redactor import KINDS, Redactor
from tests.conftest import REPOSITORY

SAMPLES = REPOSITORY / "backend/tests/samples"
FILES = (
    "innodb-status/5.6.24-index-latches-409-waiters.txt",
    "innodb-status/8.0.15-row-lock-waiters-and-old-deadlock.txt",
    "processlist/mariadb-box-with-tid.txt",
    "lock-tables/8.0-locks-waits-and-threads-box.txt",
    "error-log/5.7-waits-and-deadlocks-outside-of-dumps.log",
    "diskstats/pt-stalk-linux-6.txt",
    "vmstat/procps-t-pst.txt",
)
_PLACES = ("line", "byte", "artifact")


def redacted(path: Path, to: Path) -> Path:
    redactor = Redactor(KINDS, b"k" * 32)
    learn_file(redactor, path)
    write_redacted(redactor, path, to)
    return to


@pytest.mark.parametrize("name", FILES)
def test_a_redacted_file_has_the_same_records(name: str, tmp_path: Path) -> None:
    """Of every kind as many; all numbers and times of them are the same."""
    before = parse_path(SAMPLES / name)
    after = parse_path(redacted(SAMPLES / name, tmp_path / Path(name).name))
    assert after.format == before.format
    assert {k: after.frames[k].height for k in after.frames} == {
        k: before.frames[k].height for k in before.frames
    }
    for kind in before.frames:
        old, new = before.frames[kind], after.frames[kind]
        for column in old.columns:
            measured = old[column].dtype.is_numeric() or old[column].dtype.is_temporal()
            if measured and not column.startswith(_PLACES):
                assert new[column].equals(old[column]), (kind, column)


def test_blocks_of_any_size_redact_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a block ends changes nothing: it ends between entries."""
    path = SAMPLES / FILES[1]
    whole = redacted(path, tmp_path / "whole").read_bytes()
    for size in (700, 5000):
        monkeypatch.setattr(redacted_files, "_READ", size)
        assert redacted(path, tmp_path / "small").read_bytes() == whole


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    """Lines keep their ends, and letters of other encodings their bytes."""
    path = tmp_path / "any.txt"
    path.write_bytes(b"caf\xe9 \xff\r\nplain\rline\n")
    assert redacted(path, tmp_path / "copy").read_bytes() == path.read_bytes()
    path.write_bytes("UPDATE t SET a='S3cret'\r\n".encode("utf-16"))
    copy = redacted(path, tmp_path / "copy").read_bytes().decode("utf-16")
    assert copy.startswith("UPDATE t SET a='literal-")
    assert copy.endswith("'\r\n")
