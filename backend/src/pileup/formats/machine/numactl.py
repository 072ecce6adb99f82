"""numactl --hardware: the NUMA nodes of a machine, their CPUs, memory and distances.

Source: hardware() and print_distances() in numactl.c.
Yields: numactl.size, numactl.free (KiB) with label node; the table 'NUMA nodes'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Problem, Table

NAME = "numactl"
TITLE = "numactl --hardware"
GIVES = "Size and free memory per NUMA node (`numactl.*`); a table of the nodes."
PRINTED_BY = "`numactl --hardware`, `numactl -H`"
VERSION = 1
HINTS = ("numactl.txt", "-numactl")

_FIELD = re.compile(r"\s*node (?P<node>\d{1,4}) (?P<what>cpus|size|free):(?P<value>.*)$")
_SIZE = re.compile(r"\s*(\d{1,12}) MB\s*$")
_DISTANCES = re.compile(r"\s*(?P<node>\d{1,4}):(?P<distances>(?:\s+\d{1,4}){1,256})\s*$")
_REST = re.compile(
    r"\s*(?:available: \d|node distances:|node(?:\s+\d{1,4}){1,1024}\s*$)"
    r"|.{0,200}\bnumactl (?:-H|--h)"
)
_SNIFF = re.compile(r"^[^\S\n]*+node \d{1,4} (?:size|free): \d{1,12} MB", re.MULTILINE)
_MOST_NODES = 1_024
_LONGEST = 8_000


def sniff(head: str) -> bool | None:
    """Return whether a line has the size of a node."""
    return "node " in head and bool(_SNIFF.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the series and a Table."""
    nodes: dict[str, dict[str, str]] = {}
    columns = Columns()
    first = last = 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if match := _FIELD.match(text):
            value = match["value"].strip()
            if size := _SIZE.match(match["value"]):
                value = size[1]
                columns.add(
                    f"numactl.{match['what']}", float(size[1]) * 1024, wall=0, clock="relative",
                    line=number, unit="KiB", labels=(("node", match["node"]),),
                )  # fmt: skip
        elif match := _DISTANCES.match(text):
            value = " ".join(match["distances"].split())
        elif not text.strip() or _REST.match(text):
            continue
        else:
            yield Problem(number, "Not a line of numactl; it is left out.", found=raw[:200])
            continue
        first, last = first or number, number
        if match["node"] in nodes or len(nodes) < _MOST_NODES:
            what = match.groupdict().get("what") or "distances"
            nodes.setdefault(match["node"], {})[what] = value
    if not nodes:
        return
    yield Table(
        line_first=first,
        line_last=last,
        name="NUMA nodes",
        columns=("node", "cpus", "size_mb", "free_mb", "distances"),
        rows=tuple(
            (node, *(found.get(what) or None for what in ("cpus", "size", "free", "distances")))
            for node, found in nodes.items()
        ),
    )
    yield from columns.flush()
