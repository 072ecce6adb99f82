"""Semaphore waits counted by place: what ``sort | uniq -c`` makes of the ``--Thread`` lines.

Source: shell one-liners over SHOW ENGINE INNODB STATUS, quoted in bug reports and articles:
            count  lock                                      948 row0ins.cc line 3023 S-lock
            12     btr0sea.ic line 98 X-lock                   5 has waited at buf0buf.cc line 2644
            221    btr0cur.cc:1019 SX-lock                     412,btr0sea.ic,98,X-lock
Yields: a Table of the rows, and per counted thread a SemaphoreWait without thread and seconds, so
        that the waits count where waits are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.innodb.parts.semaphores import short_file, whole
from pileup.records import Item, Problem, Samples, SemaphoreWait, Skipped, Snapshot, Table

NAME = "semaphore-counts"
TITLE = "semaphore waits counted by place"
GIVES = "A table of counts, and the semaphore waits that they count; `innodb.semaphore_waits`."
PRINTED_BY = "`grep 'has waited at' | sort | uniq -c` over status dumps"
VERSION = 3
HINTS = ()

_PLACE = (
    r"(?:--Thread \d{1,20} )?(?:has waited at )?(?P<file>[\w./-]{0,300}?\w\.(?:cc|ic|cpp|c|h))"
    r"(?: line |:|[ \t]{0,3}[,\t|][ \t]{0,3})(?P<line>\d{1,7})"
)
_MODE = r"(?P<mode>S-lock|X-lock(?: \(wait_ex\))?|SX-lock|S|X|SX|[Mm]utex)"
_REST = r"(?: for \d+(?:\.\d+)? +seconds?)?(?: the semaphore:?)?"
_ROW = re.compile(
    rf"\s*(?P<count>\d{{1,9}})[\s,|:x]+{_PLACE}{_REST}(?:[\s,|]+(?:on )?{_MODE})?[\s|,]*$"
)
_TAIL = re.compile(rf"\s*{_PLACE}{_REST}(?:[\s,|]+{_MODE})?[\s,|:]+(?P<count>\d{{1,9}})[\s|]*$")
_WORD = r"[A-Za-z_()*]{1,40}"
_HEAD = re.compile(rf"[\s|#]*{_WORD}(?:[\s|,]+{_WORD}){{0,7}}[\s|,]*$|[-=+|\s]+$")
_MODES = {"s": "S", "x": "X", "sx": "SX", "mutex": "mutex", "x (wait_ex)": "X wait_ex"}
_MOST_WAITS = 200_000
"""More threads than any server runs: such a count is damage."""
_MOST_ROWS = 100_000
_SURE, _FEW_WORDS = 2, 4
"""Rows that are certainly counts, and lines of words around them."""


def sniff(head: str) -> bool | None:
    """Return whether nearly every line is a count and a place of the source.

    A few lines of other words may stand around two and more: no other text has such rows.
    """
    lines = head.split("\n")[:400]
    rows = other = 0
    for line in lines:
        if not line.strip():
            continue
        if _row(line):
            rows += 1
        elif not _HEAD.match(line[:200]):
            other += 1
            if 9 * other > len(lines) and other > _FEW_WORDS:
                return False
    few = 0 < other <= _FEW_WORDS and rows >= _SURE
    return rows > 0 and (rows >= 9 * other or few)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the waits in print order, then the table.

    Raises FormatError for a text without a row.
    """
    rows: list[tuple[str, str, str, str | None]] = []
    waits = first = last = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        match = _row(line)
        if match is None or len(rows) >= _MOST_ROWS:
            if not _HEAD.match(line[:200]):
                yield Problem(number, "Not a count and a place; it was left out.", found=line[:200])
                yield Skipped(number, number, "not a count of waits")
            continue
        if not rows:
            first = number
            yield Snapshot(line_first=number, line_last=number, snapshot=0, kind="innodb_status")
        last = number
        count, file = int(match["count"]), short_file(match["file"])
        mode = _MODES.get((match["mode"] or "").lower().replace("-lock", ""))
        rows.append((match["count"], file, match["line"], mode))
        waits += count
        if waits > _MOST_WAITS:
            waits -= count
            message = "A count of more threads than a server runs; only the table has it."
            yield Problem(number, message, found=line[:200])
            continue
        for _ in range(count):
            yield SemaphoreWait(
                line_first=number,
                line_last=number,
                snapshot=0,
                thread_id=None,
                file=file,
                line=whole(match["line"]) or 0,
                waited_s=None,
                mode=mode or "unknown",
            )
    if not rows:
        raise FormatError(
            "No row was found: a row is a count and a place: '12 btr0sea.ic line 98 X-lock'."
        )
    yield Samples(
        series="innodb.semaphore_waits",
        kind="gauge",
        unit="threads",
        clock="local",
        wall_us=[None],
        values=[waits],
        lines=[first],
    )
    yield Table(
        line_first=first,
        line_last=last,
        name="semaphore waits by place",
        columns=("count", "file", "line", "mode"),
        rows=tuple(rows),
    )


def _row(line: str) -> re.Match[str] | None:
    return _ROW.match(line) or _TAIL.match(line) if len(line) < 500 else None
