"""Other people's files and our whole captures: read without a crash, and recognised.

Skipped with a reason where the folders are absent; nothing of the corpus is committed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pileup.formats import archive
from pileup.formats.driver import Parsed, parse_path, parse_stream

# Folder of the corpus -> the formats that its files must be.
EXPECTED: dict[str, set[str]] = {
    "eu_stack": {"eu-stack"},
    "gdb": {"gdb"},
    "pmp": {"pmp"},
    "processlist": {"processlist"},
    "my_cnf": {"my-cnf"},
    "bench_metrics": {"bench-tables"},
    "bench_output": {"bench-tables", "sysbench"},
    "metrics_csv": {"bench-tables", "prometheus-json"},
    "df": {"df"},
    "diskstats": {"diskstats"},
    "dmesg": {"kernel-log"},
    "free": {"procfs"},
    "iostat": {"iostat"},
    "mpstat": {"mpstat"},
    "proc": {"diskstats", "memory-map", "procfs", "uptime"},
    "top": {"top"},
    "lsof": {"lsof", "strace"},  # strace with lsof in front
    "strace": {"strace"},
    "netstat": {"netstat"},
    "pidstat": {"pidstat"},
    "ps": {"ps"},
    "sysctl": {"sysctl"},
    "uptime": {"uptime"},
}
# Format -> the folders whose files it may claim; anywhere else it would be a wrong answer.
CLAIMS: dict[str, set[str]] = {
    "eu-stack": {"eu_stack", "pt_stalk"},
    "gdb": {"gdb", "pt_stalk"},
    "pmp": {"pmp"},
    "processlist": {"processlist", "pt_stalk"},
    "my-cnf": {"my_cnf"},
    "bench-tables": {"bench_metrics", "bench_output", "metrics_csv"},
    "cloudwatch-json": set(),
    "iibench": set(),
    "json-samples": set(),
    "mstat": set(),
    "mysqlslap": set(),
    "openmetrics": set(),
    "prometheus-json": {"metrics_csv"},
    "sysbench": {"bench_output"},
    "kernel-log": {"dmesg", "pt_stalk"},
    "syslog": set(),
    "lsof": {"lsof", "pt_stalk"},
    "memory-map": {"proc", "pt_stalk"},
    "netstat": {"netstat", "pt_stalk"},
    "pidstat": {"pidstat"},
    "ps": {"ps", "pt_stalk"},
    "dstat": set(),
    "kept": set(),
    "perf-report": set(),
    "perf-script": set(),
    "sar": set(),
    "strace": {"strace", "lsof", "pt_stalk"},
    "sysctl": {"sysctl", "pt_stalk"},
    "uptime": {"uptime", "proc"},
    "pt-stalk-log": {"pt_stalk"},
    "pt-stalk-hostname": {"pt_stalk"},
}
_MOST = 512 * 1024
# Fragments (test inputs of other tools) in which too little is left to know them by.
UNKNOWABLE = {
    "captured-my5624__gdb_bt_1.err",
    # what eu-stack wrote to stderr: no stack in it
    "captured-ma1011__eu_stack.err",
    "captured-ma1011b__eu_stack.err",
    "captured-my5624__eu_stack.err",
    "captured-my97b__eu_stack.err",
    "percona-percona-monitoring-plugins__t_nagios_pmp-check-mysql-processlist_samples_copy-processlist-1.txt",
    # of a tunnel (WireGuard), not of a load
    "kellyjonbrazil-jc__tests_fixtures_ubuntu-22.04_wg_show--two_devices.out",
}


def test_the_corpus_is_read_and_recognised(corpus: Path) -> None:
    wrong = []
    for path in _files(corpus):
        parsed = parse_path(path, name="upload")
        assert not parsed.crashed, f"{path.name}: {parsed.failed}"
        folder = path.relative_to(corpus).parts[0]
        missed = parsed.format not in EXPECTED.get(folder, {parsed.format})
        mistaken = parsed.format is not None and folder not in CLAIMS.get(parsed.format, {folder})
        if mistaken or (missed and path.name not in UNKNOWABLE):
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


def test_gdb_and_pt_pmp_agree_on_the_same_backtraces(captures: Path) -> None:
    """pt-pmp collapsed these very files: as many threads, as many distinct stacks."""
    compared = 0
    for path in sorted(captures.glob("*/gdb/gdb-backtraces.tar.gz")):
        for member in archive.members(path):
            collapsed = path.parent / Path(member.path).name.replace("-gdb", "-pt-pmp")
            if not collapsed.exists():
                continue
            with member.open() as stream:
                ours = parse_stream(stream).frames["stack"]
            theirs = parse_path(collapsed).frames["stack"]
            assert ours["count"].sum() == theirs["count"].sum(), member.path
            assert _distinct(ours) == _distinct(theirs), member.path
            compared += 1
    assert compared


def _distinct(stacks: pl.DataFrame) -> int:
    """Stacks that differ in a function; pt-pmp prints few of the lines that we also keep apart."""
    return len({tuple(frame["function"] for frame in frames) for frames in stacks["frames"]})


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
        for at, member in enumerate(archive.members(path, refusals=refused)):
            if path.name == "innodb-status-samples.tar.gz" and at % 10:
                continue  # a dump per second, each like the one before
            with member.open() as stream:
                head = io.BytesIO(stream.read(_MOST))  # the rest of a series repeats itself
            yield member.path, parse_stream(head, name=member.path)
        assert not refused, f"{path.name}: {refused}"
