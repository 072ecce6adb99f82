"""Other people's files and our whole captures: read without a crash, and recognised.

Skipped with a reason where the folders are absent; nothing of the corpus is committed.
"""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from pileup.formats import archive
from pileup.formats.driver import Parsed, parse_path, parse_stream
from tests.formats.checks import assert_sound, parse_bytes
from tests.formats.corpus import NOT_READ, expected, files, read
from tests.formats.damage import ways

# Folder of the corpus -> the formats that its files must be.
EXPECTED: dict[str, set[str]] = {
    "eu_stack": {"eu-stack"},
    "gdb": {"gdb"},
    "pmp": {"pmp"},
    "processlist": {"processlist"},
    "my_cnf": {"my-cnf"},
    "lock_waits": {"lock-tables"},
    "opentables": {"open-tables"},
    "ps_threads": {"lock-tables"},
    "query_digest": {"query-digest", "slow-log"},  # one is pt-query-digest --output slowlog
    "replication": {"replication"},
    "slow_log": {"slow-log"},
    "transactions": {"lock-tables"},
    "variables": {"variables"},
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
    "lock-tables": {"lock_waits", "ps_threads", "pt_stalk", "transactions"},
    "open-tables": {"opentables", "pt_stalk"},
    "query-digest": {"query_digest"},
    "replication": {"replication", "pt_stalk"},
    "result-set": set(),
    "slow-log": {"slow_log", "query_digest"},
    "variables": {"variables", "pt_stalk", "status"},  # some of status are variables
    "bench-tables": {"bench_metrics", "bench_output", "metrics_csv"},
    "cloudwatch-json": set(),
    "iibench": set(),
    "json-samples": set(),
    "mstat": set(),
    "mysqladmin-status": set(),
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
_MOST_BROKEN = 32 * 1024
"""Of each file: some 800 of them, broken, take less than a minute."""


def test_the_corpus_is_read_and_recognised(corpus: Path) -> None:
    """Each file is its kind and no other, under a name that says nothing."""
    wrong = []
    seen = set()
    for path in files(corpus):
        parsed = read(path)
        assert not parsed.crashed, f"{path.name}: {parsed.failed}"
        assert parsed.receipt.bytes_read == path.stat().st_size, path.name
        allowed = expected(corpus, path)
        assert allowed is not None, f"{path}: say in corpus.py what it must be read as"
        if path.name in NOT_READ:
            seen.add(path.name)
            allowed = {None}
        if parsed.format not in allowed:
            wrong.append(f"{path.name}: {parsed.format} ({parsed.detection.why})")
    assert not wrong, "\n".join(wrong)
    assert seen == NOT_READ.keys()


def test_every_file_of_the_corpus_broken_is_read(corpus: Path, rounds: int) -> None:
    """Each file in one of the ways in which files break; its name throws the dice.

    ``--rounds`` takes that many ways of each. The same files break in the same ways every time.
    """
    for path in files(corpus):
        with path.open("rb") as stream:
            data = stream.read(_MOST_BROKEN)
        dice = random.Random(path.name)
        for what, broken in dice.sample(list(ways(data, dice)), rounds):
            assert_sound(parse_bytes(broken, "upload"), len(broken), f"{path.name}: {what}")


def test_the_captures_are_read(captures: Path) -> None:
    for name, parsed in _capture_members(captures):
        assert not parsed.crashed, f"{name}: {parsed.failed}"
        if "pt-stalk" in name and parsed.receipt.bytes_read:
            assert parsed.format is not None, f"{name}: {parsed.detection.why}"
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


def _capture_members(captures: Path) -> Iterator[tuple[str, Parsed]]:
    for path in files(captures):
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
