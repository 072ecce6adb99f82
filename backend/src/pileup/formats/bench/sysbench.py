"""sysbench: reports per interval, the summary and the latency histogram.

Source: oltp_common.lua and sb_test.c report functions, sb_histogram_print(); sysbench 0.4 to 1.1.
        [ 5s ] thds: 40 tps: 128.15 qps: 2154.39 (r/w/o: 1890.33/0.00/264.06) lat (ms,95%): 802.05
        [  10s] threads: 64, tps: 1234.50, reads/s: 17283.0, response time: 12.34ms (95%)
        [ 1s ] reads: 348.05 MiB/s writes: 232.03 MiB/s fsyncs: 740.51/s latency (ms,95%): 0.004
        [ 5s ] queue length: 12, concurrency: 16         (with --rate: waiting, running events)
Yields: sysbench.tps, .qps, .reads, ... on a relative clock (seconds since the run began: the
        output has no date); the tables 'sysbench summary' and 'sysbench latency histogram'.
Note:   a report covers the interval that ends at its time. The latency of a report with tps 0.00 is
        unknown, not zero: no event ended. A second run in a file follows the first (label run=2).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pileup.formats.reading.series_columns import Columns, Kind, decimal, microseconds
from pileup.records import Event, Item, Problem, Record, Section, Skipped, Table

NAME = "sysbench"
TITLE = "sysbench output"
GIVES = (
    "Rates, threads and latency per report (`sysbench.*`); tables of the summary and of "
    "the latency histogram."
)
PRINTED_BY = "sysbench 0.4 to 1.1: OLTP, cpu, memory, fileio, threads"
VERSION = 3
HINTS = ("sysbench.txt", "sysbench.log")

_REPORT = re.compile(r"\[ *(?P<seconds>\d{1,9}(?:\.\d+)?)s *\] +(?P<rest>.*)")
_PAIR = re.compile(
    r"(?P<name>lat(?:ency)? \([^)]{1,20}\)|response time|queue length|[A-Za-z][\w/]{0,30}): +"
    r"(?P<values>-?\d[\d.]*+(?:/-?\d[\d.]*+)*+)(?: ?(?P<unit>MiB/s|ms|/s))?"
    r"(?: \((?P<percentile>\d+)%\))?(?![^\s,)])"
)
_MEMORY = re.compile(r"(?P<value>\d[\d.]*) (?P<unit>[KMG]i?B)/sec")
_PERCENTILE = re.compile(r"(\d{1,3})%")
_ENTRY = re.compile(
    r"\s+(?P<name>[^\s:][^:]{0,80}): +(?P<value>-?[\d.]+(?:/-?[\d.]+)?)(?P<unit>ms|s)?"
    r"(?: +\((?P<rate>[\d.]+) per sec\.?\))?\s*$"
)
_SECTION = re.compile(r"(?P<title>[A-Z][\w ()/-]{2,60}):\s*$")
_SUBSECTION = re.compile(r"\s+(?P<title>[a-z][\w -]{2,60}):\s*$")
_OPTION = re.compile(r"(?P<name>[A-Z][\w /()-]{2,60}): +(?P<value>\S.{0,100})$")
_BUCKET = re.compile(r"\s*(?P<value>\d+\.\d+) \|[* ]*\s(?P<count>\d+)\s*$")
_BANNER = re.compile(r"sysbench \d+\.\d")
_START = "Running the test with following options"
_ERROR = re.compile(r"(?:FATAL|ALERT|WARNING|Error|error): ")
_CHATTER = re.compile(
    r"sysbench |Running |Report |Initializ|Threads started|Creating |Inserting |Dropping |"
    r"Reducing |Doing |Extra |Using |Calling |Periodic |Number of |Block size|\d+ files|Done|"
    r"\d+[KMG]iB total|Operations performed|Total operations|[\d.]+ [KMG]i?B transferred|"
    r"\(last message repeated|Latency histogram|\s+value +-+|Target transaction rate|Prewarm|"
    r"Random number|Warm|\d+ CPUs|\s+(?:block size|total size|operation|scope): |"
    r"for \w+$|explain: for "
)
# table 1 : explain SELECT c FROM sbtest1 WHERE id=8643944, then the row by tabs (mytools' Lua)
_EXPLAIN = re.compile(r"table \d+ : explain (?P<statement>\S.*)$")
_EXPLAIN_COLUMNS = (
    "statement",
    *("id", "select_type", "table", "type", "possible_keys", "key", "key_len", "ref", "rows"),
    "Extra",
)
_BYTES = {"KiB": 1024.0, "MiB": 1024.0**2, "GiB": 1024.0**3, "KB": 1e3, "MB": 1e6, "GB": 1e9}
# As printed -> series, kind, unit.
_SERIES: dict[str, tuple[str, Kind, str | None]] = {
    "thds": ("threads", "gauge", "threads"),
    "threads": ("threads", "gauge", "threads"),
    "tps": ("tps", "rate", "1/s"),
    "qps": ("qps", "rate", "1/s"),
    "eps": ("eps", "rate", "1/s"),
    "reads": ("reads", "rate", "1/s"),
    "writes": ("writes", "rate", "1/s"),
    "other": ("others", "rate", "1/s"),
    "err": ("errors", "rate", "1/s"),
    "errors": ("errors", "rate", "1/s"),
    "reconn": ("reconnects", "rate", "1/s"),
    "reconnects": ("reconnects", "rate", "1/s"),
    "fsyncs": ("fsyncs", "rate", "1/s"),
    "queue length": ("queue_length", "gauge", "events"),
    "concurrency": ("concurrency", "gauge", "threads"),
}
_MOST_REPORTED = 100
_MOST_ROWS = 10_000
_LONGEST = 1000


def sniff(head: str) -> bool | None:
    """Return whether the text holds the banner, interval reports or the summary of sysbench."""
    if "sysbench " in head and re.search(r"^sysbench \d+\.\d[^\n]{0,80}$", head, re.MULTILINE):
        return True
    if "[" in head and re.search(
        r"^\[ *\d+s *\] (?:thds|threads|reads|\d[\d.]* MiB/sec)", head, re.MULTILINE
    ):
        return True
    if "SQL statistics:" in head and "queries performed:" in head:
        return True
    return "Threads fairness:" in head and "execution time (avg/stddev):" in head


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every report, and per run its tables: summary, plans and histogram."""
    columns = Columns()
    run = _Run(1, 0)
    count = 0
    for number, text in enumerate(lines, start=1):
        line = text[:_LONGEST].rstrip()
        if not line or run.read(number, line, columns):
            if columns.full:
                yield from columns.flush()
        elif line.startswith(_START) or _BANNER.match(line):
            if run.begun:
                yield from run.tables()
                run = _Run(run.number + 1, run.base_us + run.length_us)
            if not line.startswith(_START):
                yield Section(line, number, number)
        elif _REPORT.match(line):
            if "Checkpoint report" not in line and count < _MOST_REPORTED:
                count += 1
                yield Problem(
                    number,
                    "A report without a number that sysbench prints.",
                    "thds: … tps: …",
                    line[:200],
                )
        elif _ERROR.match(line):
            yield Event(
                line_first=number,
                line_last=number,
                kind="log",
                severity="warning" if line.startswith("WARNING") else "error",
                subsystem="sysbench",
                message=line[:1000],
            )
        elif not _CHATTER.match(line):
            yield Skipped(number, number, "not sysbench's own output")
    yield from columns.flush()
    yield from run.tables()


@dataclass(slots=True)
class _Run:
    """A run of sysbench: its offset on the clock of the file, its summary and its histogram."""

    number: int
    base_us: int
    length_us: int = 0
    section: str = ""
    options: bool = True
    rows: list[tuple[str | None, ...]] = field(default_factory=list)
    row_lines: list[int] = field(default_factory=list)
    buckets: list[tuple[str | None, ...]] = field(default_factory=list)
    bucket_lines: list[int] = field(default_factory=list)
    statement: str = ""
    plans: list[tuple[str | None, ...]] = field(default_factory=list)
    plan_lines: list[int] = field(default_factory=list)

    @property
    def begun(self) -> bool:
        """Whether output of the run itself was read, not only its options."""
        return bool(self.length_us or self.section or self.buckets)

    def read(self, number: int, line: str, samples: Columns) -> bool:
        """Read a report, a line of the summary, an option or a bucket; return False for others.

        The values of a report are added to ``samples``.
        """
        if line.startswith("["):
            match = _REPORT.match(line)
            return bool(match) and self._report(number, match, samples) if match else False
        if bucket := _BUCKET.match(line):
            self.buckets.append((bucket["value"], bucket["count"]))
            self.bucket_lines.append(number)
            return True
        if line.startswith("Threads started"):
            self.options = False
            return True
        if self._explained(number, line):
            return True
        if line[0].isspace():
            return self._entry(number, line)
        if line.startswith(_START) or _BANNER.match(line) or _ERROR.match(line):
            return False
        if section := _SECTION.match(line):
            self.section = section["title"]
            self.options = False
            return True
        if self.options and not self.section and (option := _OPTION.match(line)):
            self._row(number, "options", option["name"], option["value"].strip(), None)
            return True
        return False

    def _report(self, number: int, match: re.Match[str], samples: Columns) -> bool:
        at = self.base_us + round(float(match["seconds"]) * 1e6)
        self.length_us = max(self.length_us, at - self.base_us)
        self.options = False
        labels = (("run", str(self.number)),) if self.number > 1 else ()

        def add(series: str, value: float | None, kind: Kind, unit: str | None) -> None:
            samples.add(
                f"sysbench.{series}",
                value,
                wall=at,
                clock="relative",
                line=number,
                kind=kind,
                unit=unit,
                labels=labels,
            )

        if memory := _MEMORY.match(match["rest"]):
            value = decimal(memory["value"])
            factor = _BYTES.get(memory["unit"], 1.0)
            add("bytes", None if value is None else value * factor, "rate", "B/s")
            return True
        idle = False
        known = False
        for pair in _PAIR.finditer(match["rest"]):
            name = pair["name"].removesuffix("/s")
            if name == "r/w/o":
                parts = [decimal(part) for part in pair["values"].split("/")]
                for series, part in zip(("reads", "writes", "others"), parts, strict=False):
                    add(series, part, "rate", "1/s")
                known = True
                continue
            value = decimal(pair["values"])
            if name.startswith(("lat", "response")):
                percentile = pair["percentile"] or (_PERCENTILE.findall(name) or ["95"])[0]
                add(f"latency_p{percentile}", None if idle and not value else value, "gauge", "ms")
                known = True
            elif pair["unit"] == "MiB/s":
                factor = _BYTES["MiB"]
                add(f"{name}_bytes", None if value is None else value * factor, "rate", "B/s")
                known = True
            elif name in _SERIES:
                series, kind, unit = _SERIES[name]
                idle = idle or (name in ("tps", "eps") and value == 0)
                add(series, value, kind, unit)
                known = True
        return known

    def _entry(self, number: int, line: str) -> bool:
        if not self.section:
            return False
        if sub := _SUBSECTION.match(line):
            self.section = f"{self.section.partition(', ')[0]}, {sub['title']}"
            return True
        entry = _ENTRY.match(line)
        if entry is None:
            return False
        name = entry["name"].strip()
        unit = f" ({entry['unit']})" if entry["unit"] else ""
        if line.startswith("    ") and not line.startswith("     ") and ", " in self.section:
            self.section = self.section.partition(", ")[0]  # back out of a subsection
        first, slash, second = entry["value"].partition("/")
        if slash:  # events (avg/stddev): 154.6000/16.02
            left, _, right = name.partition(" (")
            names = [*right.rstrip(")").split("/"), "", ""]
            self._row(number, self.section, f"{left} {names[0]}".strip(), first, None)
            self._row(number, self.section, f"{left} {names[1]}".strip(), second, None)
        else:
            self._row(number, self.section, name + unit, first, entry["rate"])
        if name == "total time" and (seconds := decimal(first)) is not None:
            self.length_us = max(self.length_us, microseconds(seconds) or 0)
        return True

    def _explained(self, number: int, line: str) -> bool:
        """Read a statement and its plan, as mytools' scripts print them before a run."""
        if match := _EXPLAIN.match(line):
            self.statement = match["statement"][:500]
            return True
        cells = line.split("\t")[1:]
        width = len(_EXPLAIN_COLUMNS) - 1
        if not self.statement or line[0] != "\t" or len(cells) not in (width - 1, width):
            return False  # an empty Extra at the line's end was stripped
        cells += [""] * (width - len(cells))
        self.plans.append((self.statement, *(None if cell == "NULL" else cell for cell in cells)))
        self.plan_lines.append(number)
        return True

    def _row(
        self, number: int, section: str, name: str, value: str | None, rate: str | None
    ) -> None:
        if len(self.rows) < _MOST_ROWS:
            self.rows.append((section, name, value, rate))
            self.row_lines.append(number)

    def tables(self) -> Iterator[Record]:
        """Yield the tables of the summary, the plans and the histogram, each if it was printed."""
        suffix = f" {self.number}" if self.number > 1 else ""
        if self.rows:
            yield Table(
                line_first=self.row_lines[0],
                line_last=self.row_lines[-1],
                name="sysbench summary" + suffix,
                columns=("section", "measure", "value", "per_second"),
                rows=tuple(self.rows),
            )
        if self.plans:
            yield Table(
                line_first=self.plan_lines[0],
                line_last=self.plan_lines[-1],
                name="sysbench plans" + suffix,
                columns=_EXPLAIN_COLUMNS,
                rows=tuple(self.plans[:_MOST_ROWS]),
            )
        if self.buckets:
            yield Table(
                line_first=self.bucket_lines[0],
                line_last=self.bucket_lines[-1],
                name="sysbench latency histogram" + suffix,
                columns=("value_ms", "count"),
                rows=tuple(self.buckets),
            )
