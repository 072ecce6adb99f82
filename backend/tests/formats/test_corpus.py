"""Other people's files and our whole captures: read without a crash, and recognised.

Skipped with a reason where the folders are absent; nothing of the corpus is committed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pileup.formats import archive
from pileup.formats.driver import Parsed, parse_path, parse_stream

# Folder of the corpus -> the formats that its files may be; None is "unknown, kept".
# Folders that are not named here belong to later formats: no format may claim their files.
EXPECTED: dict[str, set[str | None]] = {
    "gdb": {"gdb"},
    "pmp": {"pmp"},
    "processlist": {"processlist"},
    "my_cnf": {"my-cnf"},
}
# Fragments (test inputs of other tools) in which too little is left to know them by.
UNKNOWABLE = {
    "captured-my5624__gdb_bt_1.err",
    "percona-percona-monitoring-plugins__t_nagios_pmp-check-mysql-processlist_samples_copy-processlist-1.txt",
}


def test_the_corpus_is_read_and_recognised(corpus: Path) -> None:
    wrong = []
    for path in _files(corpus):
        parsed = parse_path(path, name="upload")
        assert not parsed.crashed, f"{path.name}: {parsed.failed}"
        expected = EXPECTED.get(path.relative_to(corpus).parts[0])
        if expected is not None and parsed.format not in expected and path.name not in UNKNOWABLE:
            wrong.append(f"{path.name}: {parsed.format} ({parsed.detection.why})")
    assert not wrong, "\n".join(wrong)


def test_the_captures_are_read(captures: Path) -> None:
    for name, parsed in _capture_members(captures):
        assert not parsed.crashed, f"{name}: {parsed.failed}"
        if name.endswith(("-gdb.txt", "-stacktrace")):
            assert parsed.format == "gdb", name
        if name.endswith("-pt-pmp.txt"):
            assert parsed.format == "pmp", name
        if name.endswith(("-processlist", "processlist.txt")):
            assert parsed.format == "processlist", name


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "INDEX.tsv":
            yield path


def _capture_members(captures: Path) -> Iterator[tuple[str, Parsed]]:
    for path in _files(captures):
        if archive.kind_of(path) is None:
            yield path.name, parse_path(path)
            continue
        refused: list[archive.Refusal] = []
        for member in archive.members(path, refusals=refused):
            with member.open() as stream:
                yield member.path, parse_stream(stream, name=member.path)
        assert not refused, f"{path.name}: {refused}"
