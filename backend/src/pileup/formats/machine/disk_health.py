"""The health that disks report of themselves: smartctl, nvme smart-log, /proc/mdstat.

Source: smartctl(8) of smartmontools (-a, -x, -H, -A): the overall result, the table of attributes
        with VALUE, THRESH, WHEN_FAILED and RAW_VALUE; of NVMe, and ``nvme smart-log``: a name, a
        colon, a value; /proc/mdstat of the kernel: arrays with a failed or missing disk.
Yields: an Event for each line that is not the one of a healthy disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.records import Event, Item, Skipped

NAME = "disk-health"
TITLE = "health of disks (smartctl, nvme, /proc/mdstat)"
GIVES = "Events: a test that failed, worn or unreadable sectors, arrays without one of their disks."
PRINTED_BY = "`smartctl -a`, `-H`, `-A`; `nvme smart-log`; `/proc/mdstat`"
VERSION = 1
HINTS = ("smartctl.txt", "mdstat", "mdstat.txt")

_RESULT = re.compile(
    r"\s*SMART (?:overall-health self-assessment test result|Health Status): ?(?P<result>\w{2,20})"
)
_WARNS = re.compile(r"\s*Drive failure expected in less than")
#   5 Reallocated_Sector_Ct   0x0033   001   001   010    Pre-fail  Always   FAILING_NOW 3912
_ATTRIBUTE = re.compile(
    r"\s*\d{1,3} (?P<name>[A-Z][\w-]{3,40})\s+(?:0x[0-9a-f]{4}|[P-][O-][S-][R-][C-][K-])\s+"
    r"(?P<value>\d{1,3})\s+\d{1,3}\s+(?P<least>\d{1,3})\s+(?:(?:Pre-fail|Old_age)\s+\w{4,12}\s+)?"
    r"(?P<failed>-|FAILING_NOW|In_the_past|NOW|Past)\s+(?P<raw>\d{1,20})"
)
_UNREADABLE = re.compile(r"Current_Pending_Sector|Offline_Uncorrectable|Reported_Uncorrect$")
_NVME = re.compile(
    r"\s*(?P<name>critical[_ ]warning|media[_ ](?:errors|and data integrity errors)"
    r"|percentage[_ ]used|available[_ ]spare)\s*:\s*(?P<value>0x[0-9a-f]{1,4}|\d[\d,]{0,20})\s*%?",
    re.IGNORECASE,
)
_ARRAY = re.compile(r"(?P<name>md\d{1,4}) : (?:active|inactive)\b(?P<disks>.{1,400})$")
_BLOCKS = re.compile(r"\s+\d{1,18} blocks .{0,120}\[(?P<of>\d{1,3})/(?P<left>\d{1,3})\]")
_SMART = re.compile(
    r"^[ \t]{0,20}(?:=== START OF (?:READ )?SMART|SMART overall-health|SMART Health Status"
    r"|ID# {1,2}ATTRIBUTE_NAME|Smart Log for NVME|SMART/Health Information)"
    r"|^md\d{1,4} : (?:in)?active",
    re.MULTILINE,
)
_WORN, _LEAST_SPARE = 100, 10
_LONGEST = 500


def sniff(head: str) -> bool | None:
    """Return whether the text has a heading of these tools, or two attributes."""
    if _SMART.search(head):
        return True
    lines = (line[:_LONGEST] for line in head.split("\n")[:200])
    return sum(_ATTRIBUTE.match(line) is not None for line in lines) > 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per line that tells of a disk that fails."""
    array = ""
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].strip()
        if match := _ARRAY.match(text):
            array = match["name"]
            if "(F)" in match["disks"]:
                yield _event(number, f"RAID array {array} is degraded, a disk has failed: {text}")
                array = ""
        elif match := _BLOCKS.match(raw[:_LONGEST]):
            if array and int(match["left"]) < int(match["of"]):
                yield _event(
                    number,
                    f"RAID array {array} is degraded: {match['left']} of {match['of']} disks",
                )
        elif fault := _fault(text):
            yield _event(number, fault)
        elif text:
            yield Skipped(number, number, "nothing that a disk complains of")


def _fault(text: str) -> str:
    """Return what a line of smartctl or nvme complains of; empty: nothing."""
    if match := _RESULT.match(text):
        return "" if match["result"].upper() in ("PASSED", "OK") else text
    if _WARNS.match(text):
        return text
    if match := _ATTRIBUTE.match(text):
        least = int(match["least"])
        fails = match["failed"] in ("FAILING_NOW", "NOW") or 0 < int(match["value"]) <= least
        if fails:
            level = f"{match['value']} of at least {least}, raw {match['raw']}"
            return f"FAILING_NOW: {match['name']} {level}"
        if int(match["raw"]) and _UNREADABLE.match(match["name"]):
            return f"Uncorrectable sectors: {match['name']} {match['raw']}"
        return ""
    if match := _NVME.match(text):
        name = match["name"].lower()
        value = int(match["value"].replace(",", ""), 0) if match["value"] else 0
        worn = "used" in name and value >= _WORN
        spent = "spare" in name and value < _LEAST_SPARE
        counted = value and ("warning" in name or "media" in name)
        return f"The disk reports that it fails: {text}" if worn or spent or counted else ""
    return ""


def _event(number: int, message: str) -> Event:
    return Event(
        line_first=number,
        line_last=number,
        kind="log",
        severity="error",
        subsystem="disk",
        message=message,
    )
