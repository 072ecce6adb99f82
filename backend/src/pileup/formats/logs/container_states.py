"""docker ps and docker inspect: how containers ended.

Source: docker ps -a, podman ps -a, docker compose ps: a row per container with its status, 'Exited
        (137) 2 minutes ago'; the State of docker inspect, whole or as some of its lines.
            "OOMKilled": true,        "ExitCode": 137,
Yields: an Event for each container that ended with an error or starts again and again (kind
        oom_kill where the State says OOMKilled).
Time:   of a State absolute; a row prints only its age, so it has no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.timestamps import read_stamp
from pileup.records import Event, Item, Skipped

NAME = "container-states"
TITLE = "docker ps, docker inspect"
GIVES = "Events: containers that ended with an error, or had no memory left."
PRINTED_BY = "`docker ps -a`, `docker inspect`, `docker compose ps`; podman"
VERSION = 1
HINTS = ("docker-ps.txt", "docker-inspect.txt")

_HEAD = re.compile(r"\s*(?:CONTAINER ID|NAME)\s+(?:IMAGE|COMMAND)\s+\S")
_ENDED = re.compile(
    r"\b(?:Exited|exited|Restarting|restarting) \((?P<code>\d{1,3})\)"
    r"(?: (?P<ago>(?:\d{1,4}|an?|About an?|Less than a) (?:second|minute|hour|day|week|month)s?"
    r"(?: ago)?))?"
)
_ROW = re.compile(r"\s{0,8}(?P<first>[\w./-]{2,120})\s{2,}(?P<rest>\S.*)$")
_FIELD = re.compile(
    r'\s{0,40}"(?P<name>Status|OOMKilled|ExitCode|Error|StartedAt|FinishedAt|Name)":'
    r'\s{0,4}(?P<value>"[^"]{0,400}"|true|false|\d{1,6})'
)
# 36b961f1d7f2  mysql:5.6  "entrypoint"  5 minutes ago  Exited (137) 3 minutes ago  a row by itself
_BARE = re.compile(r'\s{0,8}[0-9a-f]{12}\s{2,}\S{1,300}\s{2,}"[^"]{1,200}"\s{2,}\S')
_ONLY_OF_STATE = ('"OOMKilled"', '"FinishedAt"')
_LONGEST = 1_000


def sniff(head: str) -> bool | None:
    """Return whether the text has rows of containers that ended, or the State of one."""
    if '"ExitCode"' in head and any(name in head for name in _ONLY_OF_STATE):
        return True
    if "xited (" not in head and "estarting (" not in head:
        return False
    ended = [line for line in head.split("\n")[:400] if _ENDED.search(line[:_LONGEST])]
    heads = any(map(_HEAD.match, head.split("\n")[:400]))
    return (heads and bool(ended)) or any(map(_BARE.match, ended))


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield an Event per container that ended with an error; the rest is skipped."""
    state: dict[str, str] = {}
    first = last = 0
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if field := _FIELD.match(text):
            if field["name"] == "Status" and "ExitCode" in state:
                yield from _of_state(state, first, last)
                state = {}
            first = first if state else number
            last = number
            state.setdefault(field["name"], field["value"].strip('"'))
        elif (ended := _ENDED.search(text)) and (row := _ROW.match(text)):
            yield from _of_row(row, ended, number)
        elif text.strip() and not _HEAD.match(text):
            yield Skipped(number, number, "no container that ended")
    yield from _of_state(state, first, last)


def _of_row(row: re.Match[str], ended: re.Match[str], number: int) -> Iterator[Item]:
    """Yield the Event of a row; a container that ended without an error is skipped."""
    if ended["code"] == "0":
        yield Skipped(number, number, "a container that ended without an error")
        return
    last = row["rest"].split()[-1] if _is_id(row["first"]) else ""
    name = row["first"] if not last or last == "ago" else last
    yield Event(
        line_first=number,
        line_last=number,
        kind="log",
        severity="error",
        subsystem="docker",
        code=ended["code"],
        message=f"Container {name}: {ended[0]}",
    )


def _is_id(text: str) -> bool:
    return re.fullmatch(r"[0-9a-f]{10,64}", text) is not None


def _of_state(state: dict[str, str], first: int, last: int) -> Iterator[Item]:
    """Yield the Event of a State that was read."""
    if not state:
        return
    killed, code = state.get("OOMKilled") == "true", state.get("ExitCode", "0")
    if code == "0" and not killed:
        yield Skipped(first, last, "a container that ended without an error, or runs")
        return
    when = read_stamp(state.get("FinishedAt", ""))
    name = state.get("Name", "").strip("/")
    details = ["OOMKilled"] * killed + [f"exit code {code}"]
    if error := state.get("Error"):
        details.append(error)
    yield Event(
        line_first=first,
        line_last=last,
        wall_us=when[0] if when else None,
        clock=when[1] if when else None,
        kind="oom_kill" if killed else "log",
        severity="error",
        subsystem="docker",
        code=code,
        message=f"{f'Container {name}' if name else 'A container'} ended: {', '.join(details)}",
    )


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
