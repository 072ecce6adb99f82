"""Parse orchestrator's topology: which server replicates from which, how far behind, and its state.

Source: `orchestrator-client -c topology` and `topology-tabulated` (ASCIITopology() in
        go/inst/instance_topology.go), and the list of instances as JSON (`/api/cluster/...`),
        orchestrator 3.x.
            db1:3306   [0s,ok,8.0.33,rw,ROW,>>,GTID]
            + db2:3306 [184s,lag,8.0.33,ro,ROW,>>,GTID]
Yields: the table of servers with their sources; `replication.seconds_behind` of each replica, on
        its own host; an Event for a server that is not ok.
Units:  seconds; None where the lag is unknown (not replicating is not 0).
Time:   none is printed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pileup.formats.errors import FormatError
from pileup.formats.reading.beginning import read_beginning
from pileup.formats.reading.series_columns import number_of
from pileup.records import Event, Item, Problem, Samples, Skipped, Table

NAME = "replication-topology"
TITLE = "orchestrator's topology"
GIVES = (
    "A table of servers with their sources; `replication.seconds_behind` by host; servers that are "
    "not ok as events."
)
PRINTED_BY = "`orchestrator-client -c topology`, `topology-tabulated`, and instances as JSON"
VERSION = 1
HINTS = ()
LONG_LINES = True

_MOST = 4 * 1024 * 1024
_MOST_SERVERS = 10_000
_LONGEST = 1_000
_STATES = "ok|lag|nonreplicating|invalid|unchecked|downtimed"
# + db2:3306 [184s,lag,8.0.33,ro,ROW,>>,GTID]      db1:3306  |0s  |ok |8.0.33|rw|ROW|>>,GTID
_LINE = re.compile(
    r"(?P<tree>[ .]{0,200}(?:[+-] ?)?)(?P<host>[\w.-]{1,255}:\d{1,5})\s{0,200}[\[|]"
    rf"\s*(?P<lag>-?\d{{1,10}}s|null|unknown|detached)\s*[,|]\s*(?P<state>{_STATES})\s*[,|]"
    r"\s*(?P<version>[^,|\]\s]{1,60})\s*[,|]\s*(?P<mode>r[ow])\s*(?P<more>[^\]]{0,200})\]?\s*$"
)
_MODE = re.compile(r"[,|]\s{0,9}r[ow]\s{0,9}[,|\]]")
_KEY = re.compile(r'"Key"\s*:\s*\{\s*"Hostname"')
_OBJECT = re.compile(r'\{\s*"Key"')
_COLUMNS = ("server", "source", "seconds_behind", "state", "version", "mode", "more")


def sniff(head: str) -> bool | None:
    """Return whether a line has a server's place in a tree, or an object is an instance."""
    if head.lstrip().startswith(("{", "[")):
        return '"MasterKey"' in head and bool(_KEY.search(head))
    if _MODE.search(head) is None:
        return False
    return any(_LINE.match(line[:_LONGEST]) for line in head.split("\n")[:200])


class _Server(NamedTuple):
    line_first: int
    line_last: int
    host: str
    source: str | None
    lag_s: float | None
    state: str
    version: str | None
    mode: str | None
    more: str


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the servers as a table, their delays, and what is wrong with them.

    Raises FormatError when there is no server.
    """
    held, count = read_beginning(lines, _MOST)
    text = "\n".join(held)
    servers: list[_Server] = []
    if text.lstrip().startswith(("{", "[")):
        servers = list(_of_objects(text))
        if servers and servers[-1].line_last < count - 1:
            yield Skipped(servers[-1].line_last + 1, count, "behind the last whole server")
    else:
        for item in _of_lines(held):
            if isinstance(item, _Server):
                servers.append(item)
            else:
                yield item
    if not servers:
        raise FormatError("No server was found: expected db1:3306 [0s,ok,8.0.33,rw,ROW].")
    if len(held) < count:
        yield Skipped(len(held) + 1, count, "behind the part of the topology that is read")
    yield Table(
        line_first=servers[0].line_first,
        line_last=servers[-1].line_last,
        name="topology",
        columns=_COLUMNS,
        rows=tuple(map(_row, servers)),
    )
    for server in servers:
        yield from _items(server)


def _row(server: _Server) -> tuple[str | None, ...]:
    lag = None if server.lag_s is None else f"{server.lag_s:g}"
    return (
        server.host,
        server.source,
        lag,
        server.state,
        server.version,
        server.mode,
        server.more or None,
    )


def _items(server: _Server) -> Iterator[Item]:
    host = server.host.rpartition(":")[0]
    if server.source is not None:
        yield Samples(
            "replication.seconds_behind",
            "gauge",
            "s",
            "relative",
            [0],
            [server.lag_s],
            [server.line_first],
            host=host,
        )
    if server.state not in ("ok", "lag"):
        source = f", a replica of {server.source}," if server.source else ""
        yield Event(
            line_first=server.line_first,
            line_last=server.line_last,
            host=host,
            kind="replication_error",
            severity="error",
            subsystem="replication",
            message=f"{server.host}{source} is {server.state}",
        )


def _of_lines(lines: list[str]) -> Iterator[_Server | Problem | Skipped]:
    """Yield the servers of a printed tree; a server's source is the one above, a level higher."""
    above: list[tuple[int, str]] = []
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        match = _LINE.match(text[:_LONGEST])
        if match is None:
            yield Skipped(number, number, "no server of a topology")
            continue
        depth = len(match["tree"])
        while above and above[-1][0] >= depth:
            above.pop()
        source = above[-1][1] if above else None
        above.append((depth, match["host"]))
        lag = match["lag"].removesuffix("s")
        yield _Server(
            number,
            number,
            match["host"],
            source,
            float(lag) if lag.lstrip("-").isdigit() else None,
            match["state"],
            match["version"],
            match["mode"],
            " ".join(match["more"].strip(" ,|").split()),
        )
        if len(above) > _MOST_SERVERS:
            return


def _of_objects(text: str) -> Iterator[_Server]:
    """Yield the instances of a document; one that is cut is left out."""
    decoder = json.JSONDecoder()
    line = at = 0
    for begin in _OBJECT.finditer(text):
        if begin.start() < at:
            continue
        try:
            found, end = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            return
        first = line + text.count("\n", at, begin.start()) + 1
        line = first - 1 + text.count("\n", begin.start(), end)
        at = end
        if (server := _of_object(found, first, line + 1)) is not None:
            yield server


_LAGS = ("ReplicationLagSeconds", "SlaveLagSeconds", "SecondsBehindMaster")
_LONGEST_LAG = 1e12


def _of_object(found: dict[str, Any], first: int, last: int) -> _Server | None:
    host = _address(found.get("Key"))
    if host is None:
        return None
    problems = found.get("Problems")
    listed = problems if isinstance(problems, list) else []
    names = [name for name in listed if isinstance(name, str)]
    read_only = found.get("ReadOnly")
    return _Server(
        first,
        last,
        host,
        _address(found.get("MasterKey")),
        _lag(found),
        _state(found, names),
        str(found.get("Version") or "")[:60] or None,
        ("ro" if read_only else "rw") if isinstance(read_only, bool) else None,
        ", ".join(names)[:200],
    )


def _lag(found: dict[str, Any]) -> float | None:
    """Return the delay of an instance: a number that may be absent, as Go's SQL package prints."""
    printed = [found[name] for name in _LAGS if isinstance(found.get(name), dict)]
    if not printed or printed[0].get("Valid") is not True:
        return None
    seconds = number_of(printed[0].get("Int64"))
    return seconds if seconds is not None and abs(seconds) < _LONGEST_LAG else None


def _state(found: dict[str, Any], problems: list[str]) -> str:
    """Name the state of an instance as the tree prints it."""
    if found.get("IsLastCheckValid") is False:
        return "invalid"
    if "not_replicating" in problems:
        return "nonreplicating"
    return "lag" if any("lag" in name for name in problems) else "ok"


def _address(key: object) -> str | None:
    if not isinstance(key, dict):
        return None
    name = key.get("Hostname")
    if not isinstance(name, str) or not name:
        return None
    return f"{name[:255]}:{key.get('Port', 3306)}"[:_LONGEST_ADDRESS]


_LONGEST_ADDRESS = 262


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
