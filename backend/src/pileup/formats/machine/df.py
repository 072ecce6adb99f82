"""df -k under pt-stalk's TS lines: space per mount.

Source: df(1) of coreutils. A long device name wraps to a second line.
        -h prints sizes with a letter, -T a column with the type.
Yields: df.used, df.available in KiB and df.use in percent, with label mount.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.reading.series_columns import Columns, number
from pileup.records import Clock, Item, Problem

NAME = "df"
TITLE = "df -k"
GIVES = "Space used, available and in percent per mount (`df.*`)."
PRINTED_BY = "coreutils; `-k`, `-h`, `-T`; `-k` in any language"
VERSION = 4
HINTS = ("-df", "-disk-space")

# Filesystem 1K-blocks Used Available Use% Mounted on | Dateisystem 1K-Blöcke Benutzt ... Verw% ...
_HEADER = re.compile(
    r"^(?:Filesystem\s+(1K-blocks|1024-blocks|Size|kbytes|Type)"
    r"|(?!TS )[^\W\d][^\d\n]{3,40}\b1K\b[^\d%\n]{3,60}%)",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^(?P<device>\S+)?(?:\s+[a-z][\w.]*)?\s+(?P<size>\d[\d.,]*[KMGTPE]?)\s+(?P<used>\d[\d.,]*[KMGTPE]?)"
    r"\s+(?P<free>-?\d[\d.,]*[KMGTPE]?)\s+(?P<use>\d+%|-)\s+(?P<mount>\S.*)$"
)

# ... 13% /boot on /boot type ext3 (rw)
_MOUNTED = re.compile(r" \d{1,3}% /\S{0,400}(?P<mount> on /\S{0,400} type \w{1,30} \()")

_KIB = {"K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4, "E": 1024.0**5}
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of df, or (pt-summary) rows joined with mount's."""
    if ("Filesystem" in head or "1K" in head) and _HEADER.search(head):
        return True
    lines = [line[:_LONGEST] for line in head.split("\n")[:20] if line.strip()]
    return len(lines) >= 2 and sum(bool(_MOUNTED.search(line)) for line in lines) >= 0.8 * len(
        lines
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every mount of every listing."""
    columns = Columns()
    wall: int | None = 0
    clock: Clock = "relative"
    tables = -1
    clock_reported = False
    for line_number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            wall, clock = stamp[0], "utc"
            if stamp[1] and not clock_reported:
                clock_reported = True
                yield clock_event(line_number, *stamp)  # type: ignore[arg-type]  # local is there
            continue
        if text.startswith("Filesystem") or _HEADER.match(text[:200]):
            tables += 1
            if clock == "relative":
                wall = tables * 1_000_000
            continue
        match = _ROW.match(text) if len(text) <= _LONGEST else None
        if match is None:
            if text.strip() and len(text.split()) > 1:
                yield Problem(line_number, "Not a row of df.", found=text[:200])
            continue  # a device name alone: its numbers follow on the next line
        joined = _MOUNTED.search(text)
        mount = text[match.start("mount") : joined.start("mount")] if joined else match["mount"]
        labels = (("mount", mount.strip()),)
        for name, cell, unit in (
            ("used", match["used"], "KiB"),
            ("available", match["free"], "KiB"),
            ("use", match["use"], "%"),
        ):
            columns.add(
                f"df.{name}",
                number(cell) if unit == "%" else _kib(cell),
                wall=wall,
                clock=clock,
                line=line_number,
                unit=unit,
                labels=labels,
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _kib(cell: str) -> float | None:
    factor = _KIB.get(cell[-1:])
    if factor is None:
        return number(cell)
    value = number(cell[:-1])
    return None if value is None else value * factor
