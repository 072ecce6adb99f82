"""iibench (insert benchmark): a line of rates per interval, without a date.

Source: iibench.py of mytools. i_ columns are of the interval, t_ of the whole run so far; max_ are
        the slowest responses of the interval in microseconds.
            i_sec t_sec i_ips t_ips i_dps t_dps i_qps t_qps max_i max_d max_q t_ins t_del ...
Yields: iibench.<column> on a relative clock: t_sec, seconds since the run began.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns, Kind, number
from pileup.records import Item, Problem, Section

NAME = "iibench"
TITLE = "iibench (insert benchmark) intervals"
GIVES = "Each column of an interval (`iibench.*`)."
PRINTED_BY = "iibench.py of mytools"
VERSION = 1
HINTS = (".iibench",)

_HEADER = re.compile(r"^i_sec\s+t_sec\s+i_\w+\s", re.MULTILINE)
_MOST_REPORTED = 100


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of iibench."""
    return "i_sec" in head and bool(_HEADER.search(head))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every row below a header; a new header begins a new run.

    The times of a run follow the end of the previous run.
    """
    columns = Columns()
    header: list[str] = []
    base = last = run = count = 0
    for line_number, text in enumerate(lines, start=1):
        if _HEADER.match(text):
            run += 1
            base, header = base + last, text.split()
            last = 0
            yield Section(f"run {run}", line_number, line_number)
            continue
        cells = text.split()
        if not header or not cells:
            continue
        values = [number(cell) for cell in cells]
        seconds = values[1] if len(values) > 1 else None
        if seconds is None or not 0 <= seconds < 1e9 or len(values) < len(header):
            if count < _MOST_REPORTED and cells[0][:1].isdigit():
                count += 1
                yield Problem(
                    line_number,
                    f"A row with {len(cells)} of {len(header)} numbers; it is left out.",
                    found=text[:200],
                )
            continue
        last = max(last, round(seconds * 1e6))
        for name, value in zip(header[2:], values[2:], strict=False):
            kind, unit = _kind(name)
            columns.add(
                f"iibench.{name}",
                value,
                wall=base + round(seconds * 1e6),
                clock="relative",
                line=line_number,
                kind=kind,
                unit=unit,
                labels=(("run", str(run)),) if run > 1 else (),
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _kind(name: str) -> tuple[Kind, str | None]:
    if name.startswith("max_"):
        return "gauge", "us"
    if name.endswith("ps"):
        return ("rate" if name.startswith("i_") else "gauge"), "1/s"
    return ("counter" if name.startswith(("t_", "retry_")) else "gauge"), None
