"""Results of YCSB and tpcc-mysql, as tables of measurements.

Source: TextMeasurementsExporter of YCSB: '[READ], AverageLatency(us), 632.5'; main.c of tpcc-mysql:
        a line per interval ('10, trx: 979, 95%: 1849.5, 99%: 2402.6, max_rt: 3401.9, 986|3248.7,
        ...'), then '[0] sc:134890 lt:32 rt:0 fl:0' per kind and 'TpmC'.
Yields: the table 'YCSB' (operation, then a column per measure) or 'tpcc-mysql' (second, trx,
        p95_ms, p99_ms, longest_ms), 'tpcc-mysql results' (kind, success,
        late, retry, failure; tpmc).
Time:   tpcc-mysql prints seconds since the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Item, Section, Skipped, Table

NAME = "load-results"
TITLE = "YCSB or tpcc-mysql results"
GIVES = "A table per tool: throughput and latencies, to import as measurements of a run."
PRINTED_BY = "YCSB, tpcc-mysql"
VERSION = 1
HINTS = ("ycsb.txt", "tpcc.txt", "tpcc.log")

_YCSB = re.compile(
    r"\s*\[(?P<what>[A-Z][A-Z_%a-z-]{1,60})\], (?P<measure>[A-Za-z\d][\w ()%./=,-]{0,60}), "
    r"(?P<value>-?\d[\d.]*(?:E-?\d{1,3})?|NaN)\s*$"
)
_INTERVAL = re.compile(
    r"\s*(?P<second>\d{1,9}), (?:trx: )?(?P<trx>\d{1,9})(?:\(\d{1,9}\))?"
    r"(?:, 95%: (?P<p95>[\d.]{1,20}), 99%: (?P<p99>[\d.]{1,20}), "
    r"max_rt: (?P<longest>[\d.]{1,20})|:)"
)
_KIND = re.compile(
    r"\s*\[(?P<kind>\d)\] sc: ?(?P<success>\d{1,15})\s+lt: ?(?P<late>\d{1,15})\s+"
    r"rt: ?(?P<retry>\d{1,15})\s+fl: ?(?P<failure>\d{1,15})"
)
_TPMC = re.compile(r"\s*(?P<tpmc>\d{1,12}\.\d{1,6}) TpmC\s*$")
_KINDS = ("New-Order", "Payment", "Order-Status", "Delivery", "Stock-Level")
_OF_TPCC = re.compile(
    r"^[^\S\n]*+(?:\d{1,9}, trx: \d{1,9}, 95%: |\[\d\] sc: ?\d+\s+lt:|\d{1,12}\.\d{1,6} TpmC\s*$)",
    re.MULTILINE,
)
_MOST_ROWS = 20_000
_MOST_MEASURES = 64
_LONGEST = 400
_LEAST_YCSB = 2


def sniff(head: str) -> bool | None:
    """Return whether the text has two measures of YCSB, or lines of tpcc-mysql's intervals."""
    if "trx: " in head or " sc:" in head or "TpmC" in head or "[0] sc" in head:
        return bool(_OF_TPCC.search(head))
    if "], " not in head:
        return False
    lines = (line[:_LONGEST] for line in head.split("\n")[:2000])
    return sum(_YCSB.match(line) is not None for line in lines) >= _LEAST_YCSB


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table for each kind of result."""
    ycsb: dict[str, dict[str, str]] = {}
    measures: dict[str, None] = {}
    intervals: list[tuple[str | None, ...]] = []
    kinds: list[tuple[str | None, ...]] = []
    places: dict[str, tuple[int, int]] = {}
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if match := _YCSB.match(text):
            table = "YCSB"
            if match["measure"] in measures or len(measures) < _MOST_MEASURES:
                measures[match["measure"]] = None
                if match["what"] in ycsb or len(ycsb) < _MOST_ROWS:
                    ycsb.setdefault(match["what"], {})[match["measure"]] = match["value"]
        elif match := _INTERVAL.match(text):
            table = "tpcc-mysql"
            if len(intervals) < _MOST_ROWS:
                intervals.append(match.group("second", "trx", "p95", "p99", "longest"))
        elif match := _KIND.match(text):
            table = "tpcc-mysql results"
            kind = int(match["kind"])
            name = _KINDS[kind] if kind < len(_KINDS) else match["kind"]
            if len(kinds) < _MOST_ROWS:
                kinds.append((name, *match.group("success", "late", "retry", "failure"), None))
        elif match := _TPMC.match(text):
            table = "tpcc-mysql results"
            if len(kinds) < _MOST_ROWS:
                kinds.append(("TpmC", None, None, None, None, match["tpmc"]))
        else:
            if text.strip():
                yield Skipped(number, number, "not a result")
            continue
        places[table] = (places.get(table, (number, number))[0], number)
    rows = {
        "YCSB": [(what, *map(found.get, measures)) for what, found in ycsb.items()],
        "tpcc-mysql": intervals,
        "tpcc-mysql results": kinds,
    }
    columns = {
        "YCSB": ("operation", *measures),
        "tpcc-mysql": ("second", "trx", "p95_ms", "p99_ms", "longest_ms"),
        "tpcc-mysql results": ("kind", "success", "late", "retry", "failure", "tpmc"),
    }
    for name, (first, last) in places.items():
        yield Section(name, first, last)
        yield Table(
            line_first=first,
            line_last=last,
            name=name,
            columns=columns[name],
            rows=tuple(rows[name]),
        )
