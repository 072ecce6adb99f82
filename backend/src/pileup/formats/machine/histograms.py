"""Maps and histograms of tracers: bpftrace, and bcc (biolatency, runqlat, funclatency).

Source: print_hist() of bpftrace; _print_log2_hist() of bcc. Bounds of bpftrace have the units K, M,
        G of 1024.
            @fsync_us:
            [512, 1K)            210 |@@@@@@@@@@@@@                          |
                 usecs               : count     distribution
                     4 -> 7          : 12       |**                          |
        A map of bpftrace has a line per key: ``@[futex]: 8812334``.
Yields: a Table per histogram: from, to, count; per map: key, value. It has no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pileup.records import Item, Skipped, Table

NAME = "histograms"
TITLE = "histograms of bpftrace and bcc"
GIVES = "A table per histogram: from, to, count; and per map of bpftrace: key, value."
PRINTED_BY = "bpftrace; biolatency, runqlat, ext4dist, funclatency and others of bcc"
VERSION = 2
HINTS = (".bt.txt",)

_BOUND = r"-?\d{1,19}[KMGT]?"
_BPFTRACE = re.compile(
    rf"\s*[\[(](?P<low>{_BOUND}|\.{{3}})(?:, (?P<high>{_BOUND}|\.{{3}}))?[)\]]"
    r"\s+(?P<count>\d{1,18})\s+\|"
)
_BCC = re.compile(r"\s*(?P<low>\d{1,19}) -> (?P<high>\d{1,19}) +: (?P<count>\d{1,18}) +\|")
_KEY = re.compile(r"\s*@\w{0,64}(?:\[[^\n]{0,200}\])?:\s*$")
_MAP = re.compile(
    r"\s*(?P<name>@\w{0,64})(?:\[(?P<key>[^\n]{1,400})\])?: (?P<value>-?\d{1,19}|[^\n]{1,100})\s*$"
)
_NOISE = re.compile(r"\s*(?:Attaching \d+ probes?\.\.\.|\^C)?\s*$")
_UNIT = re.compile(r"\s*(?P<unit>[a-z]{1,10}) +: count +distribution\s*$")
_FACTORS = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_COLUMNS: tuple[str, ...] = ("from", "to", "count")
_OF_MAP = ("key", "value")
_MOST_ROWS = 1000


def sniff(head: str) -> bool | None:
    """Return whether two lines are buckets of a histogram, or all of them keys of maps."""
    if "@" not in head and "|" not in head:
        return False
    lines = [line for line in head.split("\n") if not _NOISE.match(line)]
    maps = sum(bool((match := _MAP.match(line)) and match["key"]) for line in lines)
    if maps and maps >= len(lines) - 1 - maps // 10:
        return True
    return any(
        _bucket(line) is not None and _bucket(below) is not None for line, below in pairwise(lines)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every histogram."""
    title, first = "", 0
    rows: list[tuple[str, ...]] = []
    number = 0

    columns = _COLUMNS

    def finish() -> Iterator[Item]:
        if rows:
            yield Table(
                line_first=first,
                line_last=number - 1,
                name=title or "histogram",
                columns=columns,
                rows=tuple(rows),
            )
            rows.clear()

    for number, text in enumerate(lines, start=1):
        bucket = _bucket(text)
        if bucket is None and (entry := _MAP.match(text)):
            if columns != _OF_MAP or title != entry["name"]:
                yield from finish()
                title, columns = entry["name"], _OF_MAP
            bucket = (entry["key"] or "", entry["value"])
        elif bucket is not None and columns != _COLUMNS:
            yield from finish()
            title, columns = "", _COLUMNS
        if bucket is not None:
            first = first if rows else number
            if len(rows) < _MOST_ROWS:
                rows.append(bucket)
            continue
        yield from finish()
        columns = _COLUMNS
        if _KEY.match(text):
            title = text.strip().removesuffix(":")
        elif unit := _UNIT.match(text):
            title = f"{title}, {unit['unit']}" if title else unit["unit"]
        elif text.strip():
            title = text.strip()[:100]
            yield Skipped(number, number, "not a line of a histogram")
    number += 1
    yield from finish()


def _bucket(text: str) -> tuple[str, ...] | None:
    """Return the bounds and the count of a line; None for any other."""
    match = _BPFTRACE.match(text) or _BCC.match(text)
    if match is None:
        return None
    low = _number(match["low"])
    high = _number(match["high"]) if match["high"] else low
    return low, high, match["count"]


def _number(bound: str) -> str:
    if bound[-1] in _FACTORS:
        return str(int(bound[:-1]) * _FACTORS[bound[-1]])
    return "" if bound.startswith(".") else bound
