"""Results of fio, ioping and dd: what a disk did when it was tried.

Source: show_ddir_status(), show_lat() of fio's stat.c (3.x); ioping: a line per request, and
        'ioping statistics' at its end.
Yields: the table 'fio' (job, operation, iops, bandwidth_mib_s, and the average and longest time of
        a request, of its submission and of its sync in us) and 'fio percentiles' (job, operation,
        percentile, us); the table 'ioping' (request, us); the table 'dd' (bytes, seconds). The
        gauge metric.disk_test_request_ms: ioping's average, and dd's time per record where its
        command above asks that each is written (oflag=dsync, sync or direct) and is small.
Time:   none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Section, Skipped, Table

NAME = "disk-tests"
TITLE = "fio, ioping, dd"
GIVES = (
    "A table per tool: requests per second, bandwidth, times, to import as measurements of a run."
)
PRINTED_BY = "fio 3.x (its usual output), ioping, dd"
VERSION = 2
HINTS = ("fio.txt", "ioping.txt")

_JOB = re.compile(r"(?P<job>[^\s:][^:\n]{0,60}): \(groupid=\d{1,9}, jobs=\d{1,9}\): err=")
_RUN = re.compile(
    r"\s+(?P<operation>read|write|trim|mixed)\s*: IOPS=(?P<iops>[\d.]{1,20})(?P<k>[kKM]?),"
    r" BW=(?P<bandwidth>[\d.]{1,20})(?P<unit>[KMGT]?i?B)/s"
)
_TIMES = re.compile(
    r"\s+(?P<what>slat|clat|lat|sync) \((?P<unit>nsec|usec|msec|sec)\): min=\s*[\d.]{1,20}[kKM]?, "
    r"max=\s*(?P<longest>[\d.]{1,20})(?P<more>[kKM]?), avg=\s*(?P<average>[\d.]{1,20})"
)
_SYNC = re.compile(r"\s+fsync/fdatasync/sync_file_range:\s*$")
_PERCENTILES = re.compile(
    r"\s+(?P<what>c?lat|sync) percentiles \((?P<unit>nsec|usec|msec|sec)\):\s*$"
)
_PERCENTILE = re.compile(r"(?P<of>\d{1,3}\.\d{1,6})th=\[\s*(?P<value>\d{1,15})\]")
_REQUEST = re.compile(
    r"\s*[\d.]{1,12} \S{1,8} (?:<<<|>>>|from) .{1,300}: request=(?P<request>\d{1,12}) "
    r"time=(?P<time>[\d.]{1,12}) (?P<unit>ns|us|ms|s|min)\b"
)
_OF_IOPING = re.compile(
    r"\s*min/avg/max/mdev = (?P<min>[\d.]{1,12}) (?P<a>\w{1,3})"
    r" / (?P<avg>[\d.]{1,12}) (?P<b>\w{1,3}) / (?P<max>[\d.]{1,12}) (?P<c>\w{1,3}) / "
)
# 512000 bytes (512 kB, 500 KiB) copied, 84.2 s, 6.1 kB/s
_OF_DD = re.compile(
    r"\s*(?P<bytes>\d{1,18}) bytes (?:\([^)\n]{1,60}\) )?copied, (?P<seconds>[\d.]{1,20}) s\b"
)
_RECORDS = re.compile(r"\s*(?P<records>\d{1,12})\+\d{1,12} records out\b")
_EACH_WRITTEN = re.compile(r"\bdd\s.{0,300}\boflag=\S{0,40}(?:dsync|sync|direct)")
_SMALL_RECORD = 65_536
_US = {
    "nsec": 1e-3, "usec": 1.0, "msec": 1e3, "sec": 1e6, "ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6,
    "min": 6e7,
}  # fmt: skip
_MANY = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6}
_MIB = {
    "B": 2**-20, "KiB": 2**-10, "MiB": 1.0, "GiB": 2**10, "TiB": 2**20, "KB": 1e3 / 2**20,
    "MB": 1e6 / 2**20, "GB": 1e9 / 2**20, "TB": 1e12 / 2**20, "iB": 2**-20,
}  # fmt: skip
_COLUMNS = ("iops", "bandwidth_mib_s", *(
    f"{what}_{which}_us" for what in ("lat", "clat", "slat", "sync") for which in ("avg", "max")
))  # fmt: skip
_SIGNS = ("IOPS=", " avg=", " time=", "mdev", " copied, ")
_MOST_ROWS = 20_000
_LONGEST = 1_000


def sniff(head: str) -> bool | None:
    """Return whether a line gives the rate of fio, its times, or a request of ioping."""
    if not any(sign in head for sign in _SIGNS):
        return False
    lines = (line[:_LONGEST] for line in head.split("\n")[:2_000])
    return any(
        pattern.match(line)
        for line in lines
        for pattern in (_RUN, _TIMES, _REQUEST, _OF_IOPING, _OF_DD)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table for each kind of result."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if text and not reader.line(number, text):
            yield Skipped(number, number, "not a result")
    yield from reader.tables()


class _Reader:
    def __init__(self) -> None:
        self._job = ""
        self._operation = ""
        self._unit = ""
        self._runs: dict[tuple[str, str], dict[str, float]] = {}
        self._percentiles: list[tuple[str | None, ...]] = []
        self._requests: list[tuple[str | None, ...]] = []
        self._copies: list[tuple[str | None, ...]] = []
        self._is_each_written = False
        self._records = 0
        self._of_requests = Columns()
        self._places: dict[str, tuple[int, int]] = {}

    def line(self, number: int, text: str) -> bool:
        """Read a line; return False for one without a result."""
        if match := _JOB.match(text):
            self._job, self._operation = match["job"], ""
            return True
        if match := _RUN.match(text):
            self._operation = match["operation"]
            run = self._run(number)
            run["iops"] = float(match["iops"]) * _MANY[match["k"]]
            run["bandwidth_mib_s"] = float(match["bandwidth"]) * _MIB[match["unit"]]
        elif _SYNC.match(text):
            self._operation = "sync"
        elif match := _TIMES.match(text):
            run, scale = self._run(number), _US[match["unit"]]
            run[f"{match['what']}_avg_us"] = float(match["average"]) * scale
            run[f"{match['what']}_max_us"] = float(match["longest"]) * scale * _MANY[match["more"]]
        elif match := _PERCENTILES.match(text):
            self._unit = match["unit"]
        elif self._unit and (found := _PERCENTILE.findall(text)):
            for of, value in found:
                us = float(value) * _US[self._unit]
                self._percentiles.append((self._job, self._operation, of, _text(us)))
            self._seen("fio percentiles", number)
        else:
            return self._ioping(number, text) or self._dd(number, text)
        return True

    def tables(self) -> Iterator[Item]:
        """Yield what was read."""
        used = [name for name in _COLUMNS if any(name in run for run in self._runs.values())]
        rows = {
            "fio": [
                (*key, *(_text(run[name]) if name in run else None for name in used))
                for key, run in self._runs.items()
            ],
            "fio percentiles": self._percentiles,
            "ioping": self._requests,
            "dd": self._copies,
        }
        columns = {
            "fio": ("job", "operation", *used),
            "fio percentiles": ("job", "operation", "percentile", "us"),
            "ioping": ("request", "us"),
            "dd": ("bytes", "seconds"),
        }
        for name, (first, last) in self._places.items():
            yield Section(name, first, last)
            yield Table(
                line_first=first,
                line_last=last,
                name=name,
                columns=columns[name],
                rows=tuple(rows[name][:_MOST_ROWS]),
            )

        yield from self._of_requests.flush()

    def _dd(self, number: int, text: str) -> bool:
        if _EACH_WRITTEN.search(text):
            self._is_each_written = True
            return True
        if match := _RECORDS.match(text):
            self._records = int(match["records"])
            return True
        if (match := _OF_DD.match(text)) is None:
            return " records in" in text
        size, seconds = int(match["bytes"]), float(match["seconds"])
        self._copies.append((match["bytes"], match["seconds"]))
        self._seen("dd", number)
        if self._is_each_written and 0 < size <= self._records * _SMALL_RECORD:
            self._request(seconds * 1e3 / self._records, number)
        self._is_each_written, self._records = False, 0
        return True

    def _request(self, milliseconds: float, number: int) -> None:
        self._of_requests.add(
            "metric.disk_test_request_ms", milliseconds,
            wall=None, clock="relative", line=number, unit="ms",
        )  # fmt: skip

    def _run(self, number: int) -> dict[str, float]:
        self._seen("fio", number)
        return self._runs.setdefault((self._job, self._operation), {})

    def _seen(self, table: str, number: int) -> None:
        self._places[table] = (self._places.get(table, (number, number))[0], number)

    def _ioping(self, number: int, text: str) -> bool:
        if match := _REQUEST.match(text):
            us = float(match["time"]) * _US[match["unit"]]
            self._requests.append((match["request"], _text(us)))
        elif match := _OF_IOPING.match(text):
            for which, unit in (("min", "a"), ("avg", "b"), ("max", "c")):
                if match[unit] in _US:
                    us = float(match[which]) * _US[match[unit]]
                    self._requests.append((f"all: {which}", _text(us)))
                    if which == "avg":
                        self._request(us / 1e3, number)
        else:
            return False
        self._seen("ioping", number)
        return True


def _text(value: float) -> str:
    return f"{value:.10g}"
