"""vmstat: columns by the second header line; with -t the time of each line.

Source: vmstat(8) of procps. The first line of numbers is the average since boot and is left out.
        Without -t there is no time: nominal seconds from the first line.
Time:   the head of the time column names its zone, mostly by letters that say no offset; UTC does.
Units:  memory in KiB, si/so KiB/s, bi/bo blocks/s, in/cs per second, CPU columns in percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pileup.formats.columns import Columns, Header, decimal
from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.formats.stamps import read_stamp
from pileup.records import Item, Problem

NAME = "vmstat"
TITLE = "vmstat"
GIVES = "Each column (`vmstat.*`), without the average since boot."
PRINTED_BY = "procps; `-t`, `-a`, `-w`"
VERSION = 2
HINTS = ("-vmstat", "-vmstat-overall", "vmstat.txt")

_UNITS = {
    **dict.fromkeys(("swpd", "free", "buff", "cache", "inact", "active"), "KiB"),
    **dict.fromkeys(("si", "so"), "KiB/s"),
    **dict.fromkeys(("bi", "bo"), "blocks/s"),
    **dict.fromkeys(("in", "cs"), "1/s"),
    **dict.fromkeys(("us", "sy", "id", "wa", "st", "gu"), "%"),
    **dict.fromkeys(("r", "b"), "processes"),
}


def sniff(head: str) -> bool | None:
    return "procs -" in head and " cs us sy id" in " ".join(head.split())


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every line of numbers after the first."""
    columns: list[str] = []
    header = Header(())
    found = Columns()
    seen = 0
    utc = False
    said = False
    for number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            if stamp[1] and not said:
                said = True
                yield clock_event(number, stamp[0], stamp[1])
            continue
        cells = text.split()
        if not cells or cells[0].startswith("procs"):
            continue
        if cells[:2] == ["r", "b"]:
            names = [c for c in cells if c in _UNITS]
            if names != columns:
                columns = names
                header = Header((f"vmstat.{name}", "gauge", _UNITS[name]) for name in names)
            utc = cells[-1] in ("UTC", "GMT")
            continue
        if not columns or not cells[0].lstrip("-").isdigit():
            yield Problem(number, "Not a line of vmstat; it is left out.", found=text[:200])
            continue
        seen += 1
        if seen == 1:
            continue  # since boot
        rest = cells[len(columns) : len(columns) + 2]
        when = read_stamp(" ".join(rest)) if rest else None
        wall, clock = when if when else ((seen - 2) * 1_000_000, "relative")
        if utc and clock == "local":
            clock = "utc"
        values = cells[: len(columns)]
        if len(values) < len(columns):  # cut off: what is missing was not read as nothing
            for name, cell in zip(columns, values, strict=False):
                found.add(
                    f"vmstat.{name}",
                    decimal(cell),
                    wall=wall,
                    clock=clock,
                    line=number,
                    unit=_UNITS[name],
                )
        else:
            found.row(header, values, wall=wall, clock=clock, line=number)
        if found.full:
            yield from found.flush()
    yield from found.flush()
    if seen == 1:
        yield Problem(
            None,
            "There is only vmstat's first line, the average since boot: nothing of the moment is "
            "in it. Capture with an interval and a count: vmstat 1 30.",
        )
