"""perf report --stdio, perf top, opreport: shares by symbol, as a table and as stacks of one frame.

Source: perf-report(1), hist_entry__fprintf() in tools/perf/ui/stdio: a header of '# Overhead ...',
        a line per symbol, and with -g its call graph, which is left out (perf script has it whole).
        opreport --symbols of OProfile, which pt-stalk runs with --collect-oprofile, prints
        'samples  %  image name  symbol name' and a line per symbol.
Yields: per event the Table 'perf report: EVENT' or 'opreport: EVENT', and a Stack for each symbol,
        which counts hundredths of a per cent of the event's samples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.stacks.parts.function_names import bare_function
from pileup.records import Frame, Item, Skipped, Snapshot, Stack, Table

NAME = "perf-report"
TITLE = "perf report, opreport"
GIVES = (
    "A table of shares by command, shared object and symbol; each symbol as a stack of one frame."
)
PRINTED_BY = "Linux perf 3 to 6: `perf report --stdio`, with `-t,`; OProfile: `opreport --symbols`"
VERSION = 6
HINTS = ("perf-report.txt", "perf.report", "-opreport")

_HEADER = re.compile(
    r"^(?:(?:# )? {0,8}(?:Overhead|Children)[ ,;].{0,200}\bSymbol\b.{0,80}$"
    r"|samples +% +(?:\w+ name +)*symbol name *$)",
    re.MULTILINE,
)
_EVENT = re.compile(
    r"# Samples: +\S+ +of events? '(?P<event>[^']{1,200})'|Counted (?P<counted>\w{1,80}) events "
)
_SHARE = re.compile(r" *\d{1,3}\.\d\d% *|\d{1,15} +\d{1,3}\.\d{4} +\S")
# 41.22%  mysqld  [.] ut_delay         of perf top, or of a report without its head
# -   41.22%  mysqld  [.] ut_delay
_OPEN = re.compile(r"^[-+] (?= {0,8}\d{1,3}\.\d\d%)")
"""The mark of a call graph that is open or closed, in perf's own browser."""
_BARE_ROW = re.compile(r"(?:[-+](?= ))? *\d{1,3}\.\d\d%(?: +\S{1,100}){1,2} +\[[.kuHg]\] \S")
_BARE_ROWS = re.compile(rf"^{_BARE_ROW.pattern}", re.MULTILINE)
_BARE_COLUMNS = ("overhead", "command", "shared object", "symbol")
# [.] row_search_mvcc    [k] 0xffffffff81061e30
_SYMBOL = re.compile(r"(?:\[(?P<where>[.kuHg])\] +)?(?P<name>\S.{0,2000})")
_PER_CENT = re.compile(r"(\d{1,3}(?:\.\d{1,4})?)%?")
_OWN = ("self", "overhead", "%")
"""Columns with the share of a symbol itself, without what it calls."""
# a comment, a call graph, a symbol's rule
_OF_TABLE = re.compile(r"\s{2}|\s*[#|.-]|\s*\d{1,3}\.\d\d%")
_ALL = 10_000
_MOST = 5_000
_LONGEST = 4_096


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of a table of symbols."""
    if ("Symbol" in head or "symbol name" in head) and _HEADER.search(head):
        return True
    return "%" in head and len(_BARE_ROWS.findall(head[:8_192])) > 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table and Stacks of symbols for each event.

    Raises FormatError for a file without a table.
    """
    report = _Report()
    snapshot = 0
    separator: str | None = None
    found = False
    for number, raw in enumerate(lines, start=1):
        text = _OPEN.sub("  ", raw[:_LONGEST])
        event, header = _EVENT.match(text), _HEADER.match(text)
        if (event or header) and report.rows:
            yield from report.items(snapshot)
            report, snapshot = _Report(), snapshot + 1
        if event:
            report = _Report(event["event"] or event["counted"])
        elif header:
            heads = text.removeprefix("# ").strip()
            separator = next((s for s in (",", ";", "\t") if s in heads), None)
            names = heads.split(separator) if separator else re.split(r" {2,}", heads)
            report.columns = tuple(name.strip().lower() for name in names if name.strip())
            report.first = number
        elif not report.columns and _BARE_ROW.match(text):
            bare = tuple(re.split(r" {2,}", text.strip()))
            full = len(bare) > 3
            report.columns = _BARE_COLUMNS if full else (_BARE_COLUMNS[0], *_BARE_COLUMNS[2:])
            report.first = number
            if len(bare) == len(report.columns):
                report.add(number, bare)
        elif report.columns and _SHARE.match(text) and len(report.rows) < _MOST:
            cells = _cells(text, report.columns, separator)
            if cells is not None:
                report.add(number, cells)
        elif text.strip() and not _OF_TABLE.match(text):
            yield Skipped(number, number, "no line of the table of symbols")
        found = found or bool(report.columns)
    if report.rows:
        yield from report.items(snapshot)
    elif not found:
        raise FormatError("No table of perf report was found: it begins with '# Overhead'.")


class _Report:
    """The table of one event while its rows are read."""

    def __init__(self, event: str = "") -> None:
        self.event = event
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[str | None, ...]] = []
        self.numbers: list[int] = []
        self.first = 0

    def add(self, number: int, cells: tuple[str | None, ...]) -> None:
        """Add the cells of a row and its line number."""
        self.rows.append(cells)
        self.numbers.append(number)

    def items(self, snapshot: int) -> Iterator[Item]:
        """Yield the table, and a sample with a stack for each symbol."""
        tool = "opreport" if self.columns[0] == "samples" else "perf report"
        last = self.numbers[-1]
        yield Table(
            line_first=self.first,
            line_last=last,
            name=f"{tool}: {self.event}" if self.event else tool,
            columns=self.columns,
            rows=tuple(self.rows),
        )
        own = next((name for name in _OWN if name in self.columns), None)
        symbols = self.columns[-1]
        if own is None or "symbol" not in symbols:
            return
        yield Snapshot(line_first=self.first, line_last=last, snapshot=snapshot, kind="stacks")
        for number, cells in zip(self.numbers, self.rows, strict=True):
            row = dict(zip(self.columns, cells, strict=True))
            per_cent = _PER_CENT.fullmatch((row[own] or "").strip())
            symbol = _SYMBOL.fullmatch((row[symbols] or "").strip())
            share = round(float(per_cent[1]) * 100) if per_cent else 0
            if share < 1 or symbol is None:
                continue
            library = row.get("shared object") or row.get("image name")
            if symbol["where"] in ("k", "g"):
                library = "kernel"
            name = "??" if symbol["name"].startswith("0x") else symbol["name"]
            yield Stack(
                line_first=number,
                line_last=number,
                snapshot=snapshot,
                count=min(share, _ALL),
                samples=_ALL,
                event=self.event or "samples",
                by_period=True,
                frames=(Frame(function=bare_function(name, library), library=library),),
            )


def _cells(
    text: str, columns: tuple[str, ...], separator: str | None
) -> tuple[str | None, ...] | None:
    """Split a row into cells; a command may hold single spaces, a symbol any number of them."""
    if separator:
        cells = [cell.strip() for cell in text.split(separator, len(columns) - 1)]
    else:
        cells = [
            cell.strip() for cell in re.split(r" {2,}", text.strip(), maxsplit=len(columns) - 1)
        ]
    return tuple(cells) if len(cells) == len(columns) else None
