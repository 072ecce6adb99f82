"""perf report --stdio, opreport: shares by symbol, as a table.

Source: perf-report(1), hist_entry__fprintf() in tools/perf/ui/stdio: a header of '# Overhead ...',
        a line per symbol, and with -g its call graph, which is left out (perf script has it whole).
        opreport --symbols of OProfile, which pt-stalk runs with --collect-oprofile, prints
        'samples  %  image name  symbol name' and a line per symbol.
Yields: per event the Table 'perf report: EVENT' or 'opreport: EVENT'.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.records import Item, Table

NAME = "perf-report"
TITLE = "perf report, opreport"
GIVES = "A table of shares by command, shared object and symbol."
PRINTED_BY = "Linux perf 3 to 6: `perf report --stdio`, with `-t,`; OProfile: `opreport --symbols`"
VERSION = 3
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
_BARE_ROW = re.compile(r" *\d{1,3}\.\d\d%(?: +\S{1,100}){1,2} +\[[.kuHg]\] \S")
_BARE_ROWS = re.compile(rf"^{_BARE_ROW.pattern}", re.MULTILINE)
_BARE_COLUMNS = ("overhead", "command", "shared object", "symbol")
_MOST = 5_000
_LONGEST = 4_096


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of a table of symbols."""
    if ("Symbol" in head or "symbol name" in head) and _HEADER.search(head):
        return True
    return "%" in head and len(_BARE_ROWS.findall(head[:8_192])) > 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a Table of symbols for each event.

    Raises FormatError for a file without a table.
    """
    columns: tuple[str, ...] = ()
    separator: str | None = None
    event = ""
    rows: list[tuple[str | None, ...]] = []
    first = last = 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if match := _EVENT.match(text):
            if rows:
                yield _table(event, columns, rows, first, last)
            event, rows, columns = match["event"] or match["counted"], [], ()
        elif _HEADER.match(text):
            if rows:  # no line named the event of this table
                yield _table(event, columns, rows, first, last)
                event, rows = "", []
            heads = text.removeprefix("# ").strip()
            separator = next((s for s in (",", ";", "\t") if s in heads), None)
            names = heads.split(separator) if separator else re.split(r" {2,}", heads)
            columns = tuple(name.strip().lower() for name in names if name.strip())
            first = number
        elif not columns and _BARE_ROW.match(text):
            bare = tuple(re.split(r" {2,}", text.strip()))
            columns = _BARE_COLUMNS if len(bare) > 3 else (_BARE_COLUMNS[0], *_BARE_COLUMNS[2:])
            rows, first, last = [bare] if len(bare) == len(columns) else [], number, number
        elif columns and _SHARE.match(text) and len(rows) < _MOST:
            cells = _cells(text, columns, separator)
            if cells is not None:
                last = number
                rows.append(cells)
    if rows:
        yield _table(event, columns, rows, first, last)
    elif not columns:
        raise FormatError("No table of perf report was found: it begins with '# Overhead'.")


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


def _table(
    event: str,
    columns: tuple[str, ...],
    rows: list[tuple[str | None, ...]],
    first: int,
    last: int,
) -> Table:
    name = "opreport" if columns[0] == "samples" else "perf report"
    name = f"{name}: {event}" if event else name
    return Table(line_first=first, line_last=last, name=name, columns=columns, rows=tuple(rows))
