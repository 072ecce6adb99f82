"""Give the records of a paste the host whose command printed them.

Source: a terminal: ``bob@bastion:~$ ssh db1 mysql -e ...``, ``mysql -h db2 -e ...``, and prompts of
        several hosts: ``[root@db1 ~]# iostat``; the names above what ansible and pssh ran. A remark
        in a paragraph of its own ends what a command printed.
Note:   a record that names its host keeps it. A single prompt says where somebody typed, which may
        be anywhere: it names a host only where another prompt names another.
"""

from __future__ import annotations

import bisect
import dataclasses
import re

import polars as pl

from pileup.formats.bundle import pieces
from pileup.formats.parsed import Parsed
from pileup.formats.reading.frame_buffer import Frames

_PROMPT = re.compile(
    r"\s{0,8}(?:[\w.-]{1,40}@(?P<host>[\w.-]{1,80})[: ][^$#>\n]{0,200}[$#]"
    r"|\[[\w.-]{1,40}@(?P<in_brackets>[\w.-]{1,80})[^\]\n]{0,200}\][$#]|\$) (?P<command>\S.*)"
)
_HOST = r"(?:[\w.-]{1,40}@)?(?P<host>[A-Za-z0-9][\w.-]{0,80})(?=[\s'\"]|$)"
_SSH = re.compile(
    rf"(?:sudo )?ssh(?: -[46AaCfGgKkMNnqsTtVvXxYy]+| -[bcDEeFIiJLlmOopQRSWw] ?\S{{1,200}})* {_HOST}"
)
_CLIENT = re.compile(
    rf"(?:\S{{0,200}}/)?(?:mysql|mariadb|pt-)\S{{0,40}} .{{0,400}}?(?:-h ?|--host[= ]){_HOST}"
)
_LOCAL = ("localhost", "127.0.0.1")


def name_hosts(text: str, parsed: Parsed) -> Parsed:
    """Return what a text gave, its records below a command with the host of the command."""
    places = _places(text)
    if not any(host for _, host in places):
        return parsed
    frames = Frames()
    for kind in parsed.frames:
        for frame in parsed.frames.parts(kind):
            frames.add(kind, _with_hosts(frame, places))
    return dataclasses.replace(parsed, frames=frames)


def _places(text: str) -> list[tuple[int, str | None]]:
    """Return the lines from which on records are of a host, or of none, in order."""
    lines = text.split("\n")
    if pieces.has_blocks(text) and pieces.names_hosts(text):
        named = ((number, pieces.host_of(line)) for number, line in enumerate(lines, 1))
        return [(0, None), *((number, host) for number, host in named if host)]
    if "@" not in text and "ssh " not in text and "$ " not in text:
        return []
    prompts = [
        (number, match) for number, line in enumerate(lines, 1) if (match := _PROMPT.match(line))
    ]
    if not prompts:
        return []
    typed_on = {_typed_on(match) for _, match in prompts} - {None}
    places: dict[int, str | None] = {0: None}
    for number, (above, line) in enumerate(zip(["", *lines], lines, strict=False), 1):
        if not above.strip() and pieces.is_prose(line):
            places[number] = None
    for number, match in prompts:
        places[number] = _host(match, tells_apart=len(typed_on) > 1)
    return sorted(places.items())


def _typed_on(prompt: re.Match[str]) -> str | None:
    return prompt["host"] or prompt["in_brackets"]


def _host(prompt: re.Match[str], *, tells_apart: bool) -> str | None:
    """Return the host on which a command ran, or that of the server that it names."""
    called = _SSH.match(prompt["command"]) or _CLIENT.match(prompt["command"])
    if called is not None and called["host"] not in _LOCAL:
        return called["host"]
    return _typed_on(prompt) if tells_apart else None


def _with_hosts(frame: pl.DataFrame, places: list[tuple[int, str | None]]) -> pl.DataFrame:
    line = next((name for name in ("line_first", "line") if name in frame.columns), None)
    if line is None or "host" not in frame.columns:
        return frame
    starts = [at for at, _ in places]
    hosts = [places[bisect.bisect_right(starts, at or 0) - 1][1] for at in frame[line].to_list()]
    return frame.with_columns(host=pl.coalesce("host", pl.Series(hosts, dtype=pl.String())))


__all__ = ["name_hosts"]
