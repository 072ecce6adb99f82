"""As many waits, transactions, threads, sessions and samples as plain counting of lines finds.

The counting here knows nothing of the parsers: it is what grep and awk would do.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from pileup.formats.driver import parse_path
from pileup.formats.parsed import Parsed
from tests.formats.checks import samples

_Count = Callable[[str], float]
_Read = Callable[[Parsed], float]


def _lines(pattern: str) -> _Count:
    """grep -cE"""
    found = re.compile(pattern, re.MULTILINE)
    return lambda text: len(found.findall(text))


def _height(kind: str) -> _Read:
    return lambda parsed: parsed.receipt.records.get(kind, 0)


def _sum(kind: str, column: str) -> _Read:
    def read(parsed: Parsed) -> float:
        return float(parsed.frames[kind][column].sum()) if kind in parsed.frames else 0

    return read


def _values(series: str) -> _Read:
    def read(parsed: Parsed) -> float:
        if "sample" not in parsed.frames:
            return 0
        samples = parsed.frames["sample"].filter(pl.col("series").str.contains(series))
        return samples["value"].count()

    return read


def _vmstat(text: str) -> float:
    """awk '/^ *[0-9]/ {n += NF}' of the lines behind the first, which is the average since boot."""
    rows = [line.split() for line in text.split("\n") if re.match(r" *\d[\d ]+", line)]
    return len(rows) - 1


# what is counted -> folder, files (glob), how lines are counted, how records are
_CASES: dict[str, tuple[str, str, _Count, _Read]] = {
    "semaphore waits": (
        "innodb_status",
        "*",
        _lines(r"(?:^|\\n)--Thread \d+ has waited at "),
        _height("semaphore_wait"),
    ),
    "transactions": (
        "innodb_status",
        "*",
        _lines(r"(?:^|\\n)---TRANSACTION [\dA-Fa-f(]"),
        _height("transaction"),
    ),
    "rows of INNODB_TRX": (
        "transactions",
        "*",
        _lines(r"^ +trx_id: \S"),
        _height("transaction"),
    ),
    "status dumps": (
        "innodb_status",
        "*",
        _lines(r"(?<!END OF )INNODB MONITOR OUTPUT"),
        _height("snapshot"),
    ),
    "threads in gdb": (
        "gdb",
        "*",
        _lines(r"^(?:\(gdb\) )?Thread \d+ \("),
        _sum("stack", "count"),
    ),
    "threads in eu-stack": ("eu_stack", "*.txt", _lines(r"^TID \d+:\n#0 "), _sum("stack", "count")),
    "threads in collapsed stacks": (
        "pmp",
        "*",
        lambda text: sum(
            map(int, re.findall(r"^ *(\d+)(?:[ \t]+[^\s\d].*|[ \t]*)$", text, re.MULTILINE))
        ),
        _sum("stack", "count"),
    ),
    "sessions": (
        "processlist",
        "*",
        # \G, a box, tabs, Jira's markup
        _lines(r"^ +Id: -?\d+ *$|^\| +\d+ +\| |^\d+\t|^\|\d+\|"),
        _height("session"),
    ),
    "moments of vmstat": ("vmstat", "*__vmstat.txt", _vmstat, _values(r"^vmstat\.us$")),
    "devices in diskstats": (
        "diskstats",
        "*",
        _lines(r"^ *\d+ +\d+ +[a-z]\S* +\d.*[1-9]"),
        _values(r"^diskstats\.reads$"),
    ),
    "values of mysqladmin ext": (
        "mysqladmin",
        "captured-*_ext_i1.txt",
        _lines(r"^\| [A-Za-z]\w+ +\| +-?\d{1,19}(?:\.\d+)? +\|$"),
        _values(r"^mysql\."),
    ),
    "variables": (
        "variables",
        "*",
        _lines(r"^(?:\| )?[a-z]\w+ *[|\t]|^(?:pt-summary-internal-|internal::)"),
        _height("setting"),
    ),
    "queries in slow logs": (
        "slow_log",
        "*",
        _lines(r"^# Query_time: "),
        _height("query"),
    ),
}


@pytest.mark.parametrize("folder", dict.fromkeys(folder for folder, *_ in _CASES.values()))
@pytest.mark.dealt(9)
def test_as_many_as_plain_counting_finds(corpus: Path, folder: str) -> None:
    """Each file is read once for all that is counted in it."""
    cases = {what: case for what, case in _CASES.items() if case[0] == folder}
    differ = []
    seen = set()
    for path in sorted((corpus / folder).iterdir()):
        counters = {
            what: (count, read)
            for what, (_, files, count, read) in cases.items()
            if path.match(files)
        }
        if path.name == "INDEX.tsv" or not counters:
            continue
        text = path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
        parsed = parse_path(path)
        for what, (count, read) in counters.items():
            if counted := count(text):
                seen.add(what)
            if counted != read(parsed):
                differ.append(f"{path.name}: {counted:g} {what} counted, {read(parsed):g} read")
    assert seen == cases.keys()
    assert not differ, "\n".join(differ)


_SAMPLES = {
    "semaphore waits": "innodb-status/*",
    "transactions": "innodb-status/*",
    "rows of INNODB_TRX": "lock-tables/*",
    "status dumps": "innodb-status/[0-9]*",
    "threads in gdb": "gdb/*-last-40-threads",
    "threads in eu-stack": "eu-stack/*",
    "threads in collapsed stacks": "pmp/[0-9]*",
    "sessions": "processlist/[589m]*",
    "moments of vmstat": "vmstat/procps-*",
    "devices in diskstats": "diskstats/pt-*",
    "values of mysqladmin ext": "status/*-absolute",
    "variables": "variables/*-tab",
    "queries in slow logs": "slow-log/[0-9]*",
}
"""Committed files that a tool wrote as it is; the others have what plain counting does not know."""


@pytest.mark.parametrize("what", _CASES)
def test_as_many_in_the_samples_as_plain_counting_finds(what: str) -> None:
    _, _, count, read = _CASES[what]
    folder, _, name = _SAMPLES[what].partition("/")
    total = 0.0
    for path in samples(folder):
        if path.match(f"{name}.*"):
            counted = count(path.read_text(errors="replace").replace("\r\n", "\n"))
            assert counted == read(_parsed(path)), path.name
            total += counted
    assert total


_parsed = functools.cache(parse_path)
