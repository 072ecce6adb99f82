"""pmap and /proc/PID/numa_maps: the mappings of a process' memory and their NUMA nodes.

Source: pmap(1) of procps (-x: RSS and Dirty; pt-stalk's -pmap); show_numa_map() of Linux.
Yields: memory_map.size, .rss, .dirty (KiB, the sum over the mappings) with label pid; of numa_maps
        memory_map.node with label node (KiB); the Table of mappings by name, with the KiB of each
        on each node, largest first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Problem, Skipped, Table

NAME = "memory-map"
TITLE = "pmap, numa_maps"
GIVES = "Memory of a process in total and per node (`memory_map.*`); a table of its mappings."
PRINTED_BY = "procps `pmap`, `pmap -x`; `/proc/PID/numa_maps`"
VERSION = 3
HINTS = ("-pmap", "numa_maps")

_PROCESS = re.compile(r"(?P<pid>\d{1,8}):   ?\S")
# 0000000000400000   47104   20804       0 r-x-- mysqld    | 0000000000400000     48K r-x-- mysqld
_PMAP = re.compile(
    r"(?P<address>[0-9a-f]{8,16}) +(?P<size>\d{1,15})K? +"
    r"(?:(?P<rss>\d{1,15}) +(?P<dirty>\d{1,15}) +)?"
    r"(?P<mode>[r-][w-][x-][sp-]\S?) +(?P<name>\S.*)$"
)
_HEAD = re.compile(r"Address +Kbytes +(?:RSS +Dirty +)?Mode +Mapping")
_TOTAL = re.compile(r"(?:-[- ]+$| *total(?: kB)? )")
# 55a9e753c000 default file=/usr/bin/x mapped=52 N0=52 kernelpagesize_kB=4
_NUMA = re.compile(
    r"(?P<address>[0-9a-f]{8,16}) (?P<policy>[a-z][\w:,=+-]{2,60})(?: (?P<rest>\S.*))?$"
)
_ON_A_NODE = re.compile(r" N\d{1,4}=\d{1,15}\b")
_NODE = re.compile(r"N\d{1,4}")
_PAGES = re.compile(r"\d{1,15}")
_USUAL_PAGE_KIB = "4"
"""Kernels before 3.13 print no kernelpagesize_kB; a huge page is then of unknown size."""
_MOST_NAMES = 5_000
_SHOWN = 200
_MOST_NODES = 64
_LONGEST = 4_096


def sniff(head: str) -> bool | None:
    """Return whether the text begins like pmap's, or nearly all lines are of numa_maps."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:42] if line.strip()]
    if len(lines) >= 2 and _PROCESS.match(lines[0]):
        return bool(_HEAD.match(lines[1].lstrip()) or _PMAP.match(lines[1]))
    if len(lines) >= 2 and _HEAD.match(lines[0].lstrip()):
        return bool(_PMAP.match(lines[1]))
    fit = sum(_NUMA.match(line) is not None for line in lines)
    return bool(lines) and fit >= 0.9 * len(lines) and _ON_A_NODE.search(head) is not None


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Sum the mappings of each process by name; yield series and a Table per process."""
    reader = _Reader()
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if match := _PROCESS.match(text):
            yield from reader.finish()
            reader.pid = match["pid"]
        elif not text.strip() or _HEAD.match(text.lstrip()) or _TOTAL.match(text):
            continue
        elif match := _PMAP.match(text):
            numbers = [None if n is None else int(n) for n in match.group("size", "rss", "dirty")]
            reader.add(line_number, match["name"], numbers)
        elif match := _NUMA.match(text):
            if not reader.numa(line_number, match["rest"] or ""):
                yield Problem(line_number, "Not the pages of a mapping.", found=raw[:200])
        elif text.startswith("pmap: "):
            yield Skipped(line_number, line_number, "a message of pmap")
        else:
            yield Problem(line_number, "Not a mapping of memory.", found=raw[:200])
    yield from reader.finish()


class _Reader:
    def __init__(self) -> None:
        self.pid: str | None = None
        self._names: dict[str, list[int | None]] = {}
        self._nodes: defaultdict[str, int] = defaultdict(int)
        self._of_names: defaultdict[tuple[str, str], int] = defaultdict(int)
        """KiB by name of the mapping and node."""
        self._lines = (0, 0)

    def add(self, line: int, name: str, kib: list[int | None]) -> str:
        """Add a mapping with its size, resident and dirty KiB; return the name of its row."""
        if not self._names:
            self._lines = (line, line)
        self._lines = (self._lines[0], line)
        name = name.strip()[:300]
        if name not in self._names and len(self._names) >= _MOST_NAMES:
            name = "others"
        sums = self._names.setdefault(name, [0, None, None, None])
        sums[0] = (sums[0] or 0) + 1
        for at, value in enumerate(kib, start=1):
            if value is not None:
                sums[at] = (sums[at] or 0) + value
        return name

    def numa(self, line: int, rest: str) -> bool:
        """Add a line of numa_maps; return False if its pages cannot be read."""
        words = dict(word.partition("=")[::2] for word in rest.split())
        nodes = {word[1:]: pages for word, pages in words.items() if _NODE.fullmatch(word)}
        usual = _USUAL_PAGE_KIB if nodes and "huge" not in words else ""
        page = words.get("kernelpagesize_kB", usual)
        if not all(_PAGES.fullmatch(pages) for pages in (page, *nodes.values())):
            return not nodes and not page  # a mapping that was never touched has none
        name = words.get("file") or next((n for n in ("heap", "stack") if n in words), "anonymous")
        row = self.add(line, name, [None, sum(map(int, nodes.values())) * int(page), None])
        for node, pages in nodes.items():
            self._nodes[node] += int(pages) * int(page)
            self._of_names[row, node] += int(pages) * int(page)
        return True

    def finish(self) -> Iterator[Item]:
        """Yield the Table and series of the process that ends."""
        if not self._names:
            return
        columns = Columns()
        label = (("pid", self.pid),) if self.pid else ()
        for at, what in enumerate(("size", "rss", "dirty"), start=1):
            known = [v for sums in self._names.values() if (v := sums[at]) is not None]
            if known:
                self._add(columns, what, sum(known), label)
        for node, kib in sorted(self._nodes.items()):
            self._add(columns, "node", kib, (("node", node), *label))
        nodes = sorted(self._nodes, key=int)[:_MOST_NODES]
        rows = sorted(self._names.items(), key=lambda each: -(each[1][2] or each[1][1] or 0))
        yield Table(
            line_first=self._lines[0],
            line_last=self._lines[1],
            name="memory map",
            columns=(
                *("mapping", "count", "size_kib", "rss_kib", "dirty_kib"),
                *(f"node{node}_kib" for node in nodes),
            ),
            rows=tuple(
                (
                    name,
                    *(None if v is None else str(v) for v in sums),
                    *(str(self._of_names.get((name, node), 0)) for node in nodes),
                )
                for name, sums in rows[:_SHOWN]
            ),
        )
        yield from columns.flush()
        self._names, self._nodes = {}, defaultdict(int)
        self._of_names = defaultdict(int)

    def _add(
        self, columns: Columns, what: str, kib: int, labels: tuple[tuple[str, str], ...]
    ) -> None:
        columns.add(
            f"memory_map.{what}",
            float(kib),
            wall=0,
            clock="relative",
            line=self._lines[0],
            unit="KiB",
            labels=labels,
        )
