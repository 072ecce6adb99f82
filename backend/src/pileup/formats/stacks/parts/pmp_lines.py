"""Parsers of single lines of collapsed stacks, of pt-pmp and folded, and of dates and chatter."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterable

from pileup.formats.reading.wall_clock import local_us
from pileup.records import Clock

#      80 __futex_abstimed_wait_common64,os_cond_wait,os_event_wait_low,start_thread,clone3
#     187 __lll_mutex_lock_wait(libpthread.so.0),pthread_mutex_lock(libpthread.so.0),open_table
# mysqld;start_thread;handle_one_connection;do_command;poll 12
COUNT_ONLY = re.compile(r"\s*(?P<count>\d{1,12})\s*$")
# Fri Nov 20 22:19:41 UTC 2026      Fri Nov 20 10:19:41 PM CET 2026
DATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?P<month>[A-Z][a-z]{2}) +(?P<day>\d{1,2}) "
    r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?: (?P<half>AM|PM))? "
    r"(?P<zone>[A-Z]{2,5}|[+-]\d{2,4}) (?P<year>\d{4})\s*$"
)
# Messages that tools print around the stacks.
CHATTER = re.compile(r"awk: |gdb: |warning: |\[|Attaching|\$ |# |cmd\. line|pt-pmp|sort: ")
# A comma in brackets, or brackets in brackets; takes linear time for any line.
NESTED = re.compile(r"<|\([^()]*[,(]")
# ...,open_table(sql_base.cc:2790) 33 poll(libc.so.6),vio_io_wait: a name has no number in blanks
_JOINED = re.compile(r"(?<=[^\s,]) (?P<count>\d{1,12}) (?=[^\s\d,])")
# os_event_reset (os/os0event.cc:576), pthread_mutex_lock (from /lib64/libpthread.so.0), enter, ...
_NAME = r"(?:\?\?|[A-Za-z_~][\w:~]{0,300})(?: ?\((?:from )?[^\s()]{1,300}\))?"
_UNCOUNTED = re.compile(rf"\s*{_NAME}(?:, ?{_NAME}){{2,2000}}\s*$")
_PLACE = re.compile(r"\((?:from )?[\w./+-]+(?:\.(?:cc|c|ic|h|cpp|hpp):\d{1,9}|\.so[.\d]*)\)")
# What only names of functions have: a class, the underscores of libc, a place in a source file.
_CODE = re.compile(r"\w::\w|(?:^|, ?)(?:__?[A-Za-z]\w*[a-z0-9](?=[,(\s]|$)|pthread_\w|\?\?)")
_OF_DD = 80
_LONGEST_UNCOUNTED = 20_000
_MONTHS = {name: number for number, name in enumerate(calendar.month_abbr) if name}


def parts(line: str) -> tuple[int, str, bool] | None:
    """Return count, frames and whether they are folded (outermost first); None for other lines."""
    if ";" in line:
        frames, _, count = line.rpartition(" ")
        first = frames[:1]
        if (
            ";" in frames[1:]
            and count.isdigit()
            and count.isascii()
            and len(count) <= 12
            and not (first.isdigit() or first.isspace() or first == ";")
        ):
            return (int(count), frames, True) if _plausible(frames) else None
    if " copied, " in line[:_OF_DD]:  # 512000 bytes (512 kB) copied, 84.2 s, 6.1 kB/s
        return None
    count, frames = (*line.split(None, 1), "", "")[:2]
    if count.isdigit() and count.isascii() and len(count) <= 12 and frames:
        first = frames[0]
        if (not first.isdigit() or frames.startswith("0x")) and _plausible(frames):
            return int(count), frames, False
    return None


def uncounted(line: str) -> str | None:
    """Return the frames of a stack that a bug report shows without its count, else None.

    Something must show that these are functions: else the line may be any list of words.
    """
    if "," not in line or len(line) > _LONGEST_UNCOUNTED:
        return None
    text = line.rstrip()
    text = text.rstrip(".") if text.endswith("..") else text.removesuffix("…")
    text = text.rstrip(", \t")
    if not _UNCOUNTED.match(text) or not (_CODE.search(text) or len(_PLACE.findall(text)) > 1):
        return None
    return text.strip().replace(", ", ",").replace(" (", "(").replace("(from ", "(")


def unjoined(count: int, text: str, folded: bool) -> Iterable[tuple[int, str, bool]]:
    """Split a line into its stacks: several if a form (a bug report) lost the line ends."""
    if folded or " " not in text or not (joins := list(_JOINED.finditer(text))):
        return ((count, text, folded),)
    counts = [count, *(int(join["count"]) for join in joins)]
    starts = [0, *(join.end() for join in joins)]
    ends = [*(join.start() for join in joins), len(text)]
    return [
        (number, text[start:end], False)
        for number, start, end in zip(counts, starts, ends, strict=True)
    ]


def split_frames(text: str) -> list[str]:
    """Split at commas that are not inside <> or (); damaged brackets fall back to every comma."""
    text = text.rstrip().removesuffix(",")
    if "<" not in text and ("(" not in text or not NESTED.search(text)):
        return text.split(",")
    names: list[str] = []
    depth = start = 0
    for at, character in enumerate(text):
        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1
            if depth < 0:  # operator->, or a frame that awk cut
                depth = 0
        elif character == "," and depth == 0:
            names.append(text[start:at])
            start = at + 1
    if depth:
        return text.split(",")
    names.append(text[start:])
    return names


def is_count(text: str) -> bool:
    return text.isdigit() and text.isascii() and len(text) <= 12


def unsure(text: str) -> bool:
    """Return whether the text may be prose or a table, so that ``_plausible`` must decide."""
    return " " in text or "|" in text or "\t" in text


def _plausible(frames: str) -> bool:
    """Return whether the text is function names, not prose or a table (double spaces, pipes)."""
    head = frames[:2000]
    if " " not in head:
        return "|" not in head and "\t" not in head
    return (
        "  " not in head
        and "|" not in head
        and "\t" not in head
        and "'" not in head  # a statement or prose: no function's name has quotes
        and ("," in head or ";" in head)
        and not head.startswith(("rows in set", "row in set"))
        and head.count(" ") <= 4 + 2 * (head.count(",") + head.count(";") + head.count("<"))
    )


def read_date(line: str) -> tuple[int, Clock, str] | None:
    match = DATE.match(line)
    if not match or match["month"] not in _MONTHS:
        return None
    hour = int(match["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "PM" else 0)
    wall_us = local_us(
        match["year"],
        _MONTHS[match["month"]],
        match["day"],
        hour,
        match["minute"],
        match["second"],
    )
    if wall_us is None:
        return None
    clock: Clock = "utc" if match["zone"] in ("UTC", "GMT") else "local"
    return wall_us, clock, line.strip()
