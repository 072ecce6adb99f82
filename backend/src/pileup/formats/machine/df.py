"""df -k under pt-stalk's TS lines or the dates of a loop: space per mount.

Source: df(1) of coreutils. A long device name wraps to a second line.
        -h prints sizes with a letter, -T a column with the type, -i inodes instead of sizes.
Yields: df.used, df.available in KiB and df.use in percent, with label mount; of -i
        df.inodes_used, df.inodes_free and df.inodes_use. Rows without a heading are of sizes where
        they have letters; otherwise only df.use is certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.reading.series_columns import Columns, number
from pileup.records import Clock, Item, Problem

NAME = "df"
TITLE = "df -k"
GIVES = "Space used, available and in percent per mount, and inodes (`df.*`)."
PRINTED_BY = "coreutils; `-k`, `-h`, `-T`, `-i`; `-k` in any language"
VERSION = 7
HINTS = ("-df", "-disk-space")

# Filesystem 1K-blocks Used Available Use% Mounted on | Dateisystem 1K-Blöcke Benutzt ... Verw% ...
_HEADER = re.compile(
    r"^(?:Filesystem\s+(1K-blocks|1024-blocks|Size|kbytes|Type|Inodes)"
    r"|(?!TS )[^\W\d][^\d\n]{3,40}\b1K\b[^\d%\n]{3,60}%)",
    re.MULTILINE,
)
_ROW = re.compile(
    r"^(?P<device>\S+)?(?:\s+[a-z][\w.]*)?\s+(?P<size>\d[\d.,]*[KMGTPE]?)\s+(?P<used>\d[\d.,]*[KMGTPE]?)"
    r"\s+(?P<free>-?\d[\d.,]*[KMGTPE]?)\s+(?P<use>\d+%|-)\s+(?P<mount>\S.*)$"
)

# /dev/nvme1n1    1.8T  1.8T     0 100% /var/lib/mysql, without the heading above it
_BARE = re.compile(
    r"(?:/\S{1,200}|[a-z][\w.-]{1,40}(?::/\S{0,200})?)(?:\s+[a-z][\w.]{1,20})?(?:\s+\d[\d.,]{0,20}[KMGTPE]?){2}"
    r"\s+-?\d[\d.,]{0,20}[KMGTPE]?\s+\d{1,3}%\s+/\S{0,400}\s*$"
)

# ... 13% /boot on /boot type ext3 (rw)
_MOUNTED = re.compile(r" \d{1,3}% /\S{0,400}(?P<mount> on /\S{0,400} type \w{1,30} \()")

_FULL_BY_NATURE = re.compile(
    r"/dev/sr\d|.{1,300}%\s+/(?:snap|var/lib/snapd/snap|media|run/media|cdrom|mnt/cdrom)(?:/|\s*$)"
)
"""Images and discs that are read only: always at 100 %, and no use of theirs is yielded."""
_OF_INODES = re.compile(r"\S+(?:\s+Type)?\s+I(?:nodes|nœuds|-Nodes)\b", re.IGNORECASE)
_SIZES = ("used", "available", "use")
_INODES = ("inodes_used", "inodes_free", "inodes_use")
_UNSURE = ("", "", "use")
"""Names of the series of a row; empty where the heading that tells what it is was cut."""
_LONGEST = 8_192


def sniff(head: str) -> bool | None:
    """Return whether the text holds the header of df, or (pt-summary) rows joined with mount's."""
    if ("Filesystem" in head or "1K" in head) and _HEADER.search(head):
        return True
    lines = [line[:_LONGEST] for line in head.split("\n")[:20] if line.strip()]
    if not lines:
        return False
    if all(map(_BARE.match, lines)):
        return True
    mounted = sum(bool(_MOUNTED.search(line)) for line in lines)
    return len(lines) >= 2 and mounted >= 0.8 * len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every mount of every listing."""
    columns = Columns()
    wall: int | None = 0
    clock: Clock = "relative"
    tables = -1
    clock_reported = False
    names: tuple[str, str, str] | None = None
    for line_number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            wall, clock = stamp[0], "utc"
            if stamp[1] and not clock_reported:
                clock_reported = True
                yield clock_event(line_number, *stamp)  # type: ignore[arg-type]  # local is there
            continue
        if text.startswith("Filesystem") or _HEADER.match(text[:200]):
            tables += 1
            names = _INODES if _OF_INODES.match(text[:200]) else _SIZES
            if clock == "relative":
                wall = tables * 1_000_000
            continue
        match = _ROW.match(text) if len(text) <= _LONGEST else None
        if match is None:
            if date := read_date_line(text):
                wall, clock = date.wall_us, date.clock
            elif text.strip() and len(text.split()) > 1:
                yield Problem(line_number, "Not a row of df.", found=text[:200])
            continue  # a device name alone: its numbers follow on the next line
        joined = _MOUNTED.search(text)
        mount = text[match.start("mount") : joined.start("mount")] if joined else match["mount"]
        labels = (("mount", mount.strip()),)
        cells = (match["used"], match["free"], match["use"])
        is_image = _FULL_BY_NATURE.match(text) is not None
        of_row = names or (_SIZES if _has_letters(cells) or joined else _UNSURE)
        for name, cell in zip(of_row, cells, strict=True):
            if not name or (name.endswith("use") and is_image):
                continue
            unit = "%" if cell is cells[-1] else "KiB" if of_row is not _INODES else "inodes"
            columns.add(
                f"df.{name}",
                number(cell) if unit == "%" else _kib(cell, 1000.0 if unit == "inodes" else 1024.0),
                wall=wall,
                clock=clock,
                line=line_number,
                unit=unit,
                labels=labels,
            )
        if columns.full:
            yield from columns.flush()
    yield from columns.flush()


def _has_letters(cells: tuple[str, ...]) -> bool:
    return any(cell[-1:].isalpha() for cell in cells)


def _kib(cell: str, base: float) -> float | None:
    """Return KiB, or of thousands (-i prints 6.3M inodes) the count."""
    power = "KMGTPE".find(cell[-1:]) if cell[-1:].isalpha() else None
    if power is None:
        return number(cell)
    value = number(cell[:-1])
    return None if value is None or power < 0 else value * base ** (power + (base == 1000.0))
