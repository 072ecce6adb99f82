"""Histograms of tracers: bpftrace and the tools of bcc (biolatency, runqlat, funclatency).

Source: print_hist() of bpftrace; _print_log2_hist() of bcc. Bounds of bpftrace have the units K, M,
        G of 1024.
            @fsync_us:
            [512, 1K)            210 |@@@@@@@@@@@@@                          |
                 usecs               : count     distribution
                     4 -> 7          : 12       |**                          |
Yields: a Table per histogram: from, to, count. It has no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from pileup.records import Item, Skipped, Table

NAME = "histograms"
TITLE = "histograms of bpftrace and bcc"
GIVES = "A table per histogram: from, to, count."
PRINTED_BY = "bpftrace; biolatency, runqlat, ext4dist, funclatency and others of bcc"
VERSION = 1
HINTS = (".bt.txt",)

_BOUND = r"-?\d{1,19}[KMGT]?"
_BPFTRACE = re.compile(
    rf"\s*[\[(](?P<low>{_BOUND}|\.{{3}})(?:, (?P<high>{_BOUND}|\.{{3}}))?[)\]]"
    r"\s+(?P<count>\d{1,18})\s+\|"
)
_BCC = re.compile(r"\s*(?P<low>\d{1,19}) -> (?P<high>\d{1,19}) +: (?P<count>\d{1,18}) +\|")
_KEY = re.compile(r"\s*@\w{0,64}(?:\[[^\n]{0,200}\])?:\s*$")
_UNIT = re.compile(r"\s*(?P<unit>[a-z]{1,10}) +: count +distribution\s*$")
_FACTORS = {"K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
_COLUMNS = ("from", "to", "count")
_MOST_ROWS = 1000


def sniff(head: str) -> bool | None:
    """Return whether two lines below each other are buckets of a histogram."""
    lines = [line for line in head.split("\n") if line.strip()]
    return any(
        _bucket(line) is not None and _bucket(below) is not None for line, below in pairwise(lines)
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every histogram."""
    title, first = "", 0
    rows: list[tuple[str, ...]] = []
    number = 0

    def finish() -> Iterator[Item]:
        if rows:
            yield Table(
                line_first=first,
                line_last=number - 1,
                name=title or "histogram",
                columns=_COLUMNS,
                rows=tuple(rows),
            )
            rows.clear()

    for number, text in enumerate(lines, start=1):
        bucket = _bucket(text)
        if bucket is not None:
            first = first if rows else number
            if len(rows) < _MOST_ROWS:
                rows.append(bucket)
            continue
        yield from finish()
        if _KEY.match(text):
            title = text.strip().removesuffix(":")
        elif unit := _UNIT.match(text):
            title = f"{title}, {unit['unit']}" if title else unit["unit"]
        elif text.strip():
            title = text.strip()[:100]
            yield Skipped(number, number, "not a line of a histogram")
    number += 1
    yield from finish()


def _bucket(text: str) -> tuple[str, str, str] | None:
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
