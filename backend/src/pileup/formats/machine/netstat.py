"""netstat and ss: sockets by state, their queues and backlogs; interfaces; routes.

Source: netstat(8) of net-tools (tcp_do_one(), unix_do_one()), ss(8) of iproute2. pt-stalk's
        -netstat is ``netstat -antp`` under TS lines.
Yields: netstat.sockets with labels proto and state; netstat.unread, sockets in which bytes wait
        for a program that does not read them, and netstat.unsent, by program or local port;
        netstat.backlog of a listening socket with label port: connections not yet accepted, and
        netstat.backlog_most, how many ss says that fit;
        netstat.connections with labels peer and port: established connections from each host to a
        port of this one; the Table of all connections by peer, port, program and state;
        netstat.<column> counters with label iface (-i); the Table of routes (-r).
Note:   Recv-Q of a listener is its backlog, of a connection the bytes that wait.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from pileup.formats.reading.pt_stalk_samples import TsClock
from pileup.formats.reading.series_columns import Columns, Labels
from pileup.records import Item, Problem, Table

NAME = "netstat"
TITLE = "netstat / ss"
GIVES = (
    "Sockets by state, unread and unsent, backlogs, connections per host (`netstat.*`); "
    "interfaces; connections and routes as tables."
)
PRINTED_BY = "net-tools `-antp`, `-l`, `-i`, `-r`, ss, `ss -s`; pt-stalk `-netstat`"
VERSION = 6
HINTS = ("-netstat", "netstat.txt", "ss.txt")

_SOCKETS = re.compile(
    r"^(?:Proto Recv-Q Send-Q Local Address +Foreign Address|Proto RefCnt Flags +Type +State"
    r"|Netid +State +Recv-Q +Send-Q|State +Recv-Q +Send-Q +Local Address:Port)",
    re.MULTILINE,
)
_ROUTES = re.compile(r"^Destination +Gateway +Genmask +Flags", re.MULTILINE)
_INTERFACES = re.compile(r"^Iface +MTU +(?:Met +)?RX-OK", re.MULTILINE)
_WORDS = ("Proto ", "Recv-Q", "Destination ", "Iface ")
_BLUETOOTH = re.compile(r"Proto +Destination +Source +State")
_TITLES = (
    "Active ",
    "Aktive ",
    "Kernel IP routing",
    "Kernel Interface",
    "(Not all processes",
    " will not be",
)
_INET = ("tcp", "udp", "raw", "dccp", "sctp", "icmp")
_STATES = frozenset(
    ("ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE",
     "CLOSED", "CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING", "UNKNOWN", "NEW_SYN_RECV")
)  # fmt: skip
# German, Spanish, Portuguese; others print the English ones.
_TRANSLATED = {
    "VERBUNDEN": "ESTABLISHED", "ESTABLECIDO": "ESTABLISHED", "ESTABELECIDA": "ESTABLISHED",
    "ESCUCHAR": "LISTEN", "OUÇA": "LISTEN", "ESPERANDO": "TIME_WAIT",
}  # fmt: skip
_SS_STATES = {
    "ESTAB": "ESTABLISHED", "UNCONN": "UNCONN", "LISTEN": "LISTEN", "TIME-WAIT": "TIME_WAIT",
    "SYN-SENT": "SYN_SENT", "SYN-RECV": "SYN_RECV", "FIN-WAIT-1": "FIN_WAIT1", "CLOSED": "CLOSED",
    "FIN-WAIT-2": "FIN_WAIT2", "CLOSE-WAIT": "CLOSE_WAIT", "LAST-ACK": "LAST_ACK",
    "CLOSING": "CLOSING",
}  # fmt: skip
_SS_NETS = frozenset(
    ("nl", "p_raw", "p_dgr", "u_str", "u_dgr", "u_seq", "icmp6", "udp", "tcp", "raw", "v_str",
     "xdp", "ti", "dccp", "sctp")
)  # fmt: skip
_SS_USER = re.compile(r'users:\(\("([^"]{1,64})"')
_UNIX = re.compile(r"unix +\d+ +\[[^\]]{0,40}\] +(?:[A-Z]\w*)? *(?P<state>[A-Z]{4,})? +\d+")
# ESTAB 0 0 10.0.0.5:3306 10.0.0.21:51022        tcp 0 0 10.0.0.5:3306 10.0.0.21:51022 ESTABLISHED
_ROW = re.compile(
    rf"(?:tcp6?|udp6?)?(?:\s*+(?:{'|'.join(_SS_STATES)}))?\s+\d+\s+\d+(?:\s+[\w.*\[\]:%-]+:[\w*]+){{2}}"
)
# TCP:   75924 (estab 123, closed 75524, orphaned 0, synrecv 0, timewait 173/0), ports 104     ss -s
_SUMMARY = re.compile(r"TCP: +\d{1,9} \((?P<states>(?:[a-z]{1,12} \d{1,9}(?:/\d{1,9})?(?:, )?)+)\)")
_OF_SUMMARY = re.compile(
    r"Total: \d|Transport +Total +IP|(?:\*|[A-Z]{3,8})\s+\d+\s+[\d-]+\s+[\d-]+\s*$"
)
_SUMMED = {
    "estab": "ESTABLISHED", "closed": "CLOSED", "synrecv": "SYN_RECV", "timewait": "TIME_WAIT",
}  # fmt: skip
_MOST_ROUTES = 10_000
_MOST_PEERS = 5_000
_MOST_PEER_SERIES = 200
_ANY = ("*", "0.0.0.0", "::", "[::]")  # noqa: S104
_LONGEST = 4_096
_SNIFFED = 40
_LEAST_ROWS = 2


def sniff(head: str) -> bool | None:
    """Return whether the text holds a header of sockets, routes or interfaces."""
    if any(word in head for word in _WORDS) and (
        _SOCKETS.search(head) or _ROUTES.search(head) or _INTERFACES.search(head)
    ):
        return True
    lines = [line[:_LONGEST] for line in head.split("\n")[:_SNIFFED] if line.strip()]
    if "TCP: " in head and any(map(_SUMMARY.match, lines)):
        return all(_SUMMARY.match(line) or _OF_SUMMARY.match(line) for line in lines)
    rows = sum(bool(_what_of_row(line)) for line in lines)
    return rows >= _LEAST_ROWS and rows >= 0.9 * len(lines)


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Count the sockets of each listing; yield series, and the routes as a Table."""
    reader = _Reader()
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if text.startswith("TS "):
            yield from reader.finish()  # at its own time
        if stamp := reader.time.stamp(line_number, text):
            if not isinstance(stamp, bool):
                yield stamp
            continue
        if not text.strip() or text.startswith(_TITLES):
            if text.startswith("Active Internet"):
                yield from reader.finish()
            continue
        if reader.header(text):
            continue
        if not reader.row(line_number, text):
            yield Problem(line_number, "Not a line of netstat; it is left out.", found=raw[:200])
        if reader.samples.full:
            yield from reader.samples.flush()
    yield from reader.finish()
    yield from reader.samples.flush()


class _Reader:
    def __init__(self) -> None:
        self.samples = Columns()
        self.time = TsClock()
        self._what = ""
        self._columns: list[str] = []
        self._counts: Counter[tuple[str, Labels]] = Counter()
        self._routes: list[tuple[str | None, ...]] = []
        self._peers: dict[tuple[str, str, str, str, str], list[int]] = {}
        """Sockets, unread and unsent bytes by direction, peer, port, program and state."""
        self._charted: set[tuple[str, str]] = set()
        self._lines = (0, 0)

    def header(self, text: str) -> bool:
        if _SOCKETS.match(text):
            self._what = "ss" if text.startswith(("Netid", "State")) else "sockets"
        elif _ROUTES.match(text):
            self._what = "routes"
        elif _INTERFACES.match(text):
            self._what = "interfaces"
        elif _BLUETOOTH.match(text):
            self._what = "bluetooth"
        else:
            return False
        self._columns = text.split()
        return True

    def row(self, line: int, text: str) -> bool:
        """Read a row below the current header; return False if it was not understood."""
        if not self._counts and not self._routes:
            self.time.copy()
            self._lines = (line, line)
        if self._summary(text):
            self._lines = (self._lines[0], line)
            return True
        cells = text.split()
        if not self._what and (what := _what_of_row(text)):  # rows without their header
            self._what, self._columns = what
        match self._what:
            case "sockets":
                known = self._unix(text) if cells[0] == "unix" else self._inet(cells)
            case "ss":
                known = self._ss(cells, text)
            case "routes":
                known = len(cells) >= 8
                if known and len(self._routes) < _MOST_ROUTES:
                    self._routes.append(_fit(cells, len(self._columns)))
            case "interfaces":
                known = self._interface(line, cells)
            case "bluetooth":
                known = True
            case _:
                known = False
        self._lines = (self._lines[0], line)
        return known

    def _summary(self, text: str) -> bool:
        """Read a line of ``ss -s``, whose counts are by state."""
        match = _SUMMARY.match(text)
        for part in match["states"].split(", ") if match else ():
            name, count = part.split(" ")
            state = _SUMMED.get(name, name)
            self._counts["sockets", (("proto", "tcp"), ("state", state))] += int(
                count.split("/")[0]
            )
        return match is not None or _OF_SUMMARY.match(text) is not None

    def finish(self) -> Iterator[Item]:
        """Add the counts of the listing that ends, and yield its routes."""
        for (name, labels), count in self._counts.items():
            unit = "connections" if name.startswith("backlog") else "sockets"
            self._add(f"netstat.{name}", count, self._lines[0], unit, labels)
        self._counts.clear()
        yield from self._connections()
        if self._routes:
            yield Table(
                line_first=self._lines[0],
                line_last=self._lines[1],
                name="routes",
                columns=tuple(self._columns),
                rows=tuple(self._routes),
            )
            self._routes = []

    def _inet(self, cells: list[str]) -> bool:
        """Read 'tcp 24 0 127.0.0.1:3357 127.0.0.1:45230 ESTABLISHED 29642/mariadbd'."""
        if len(cells) < 5 or not cells[0].startswith(_INET):
            return False
        if not (cells[1].isdecimal() and cells[2].isdecimal()):
            return False
        state = _TRANSLATED.get(cells[5], cells[5]) if len(cells) > 5 else ""
        state = state if state in _STATES else "none"
        program = cells[6] if len(cells) > 6 and "/" in cells[6] else ""
        name = program.rpartition("/")[2].rstrip(":")
        self._socket(cells[0], state, cells[1], cells[2], cells[3], name)
        if cells[0].startswith("tcp"):
            self._peer(state, cells[1:5], name)
        return True

    def _ss(self, cells: list[str], text: str) -> bool:
        """Read 'tcp ESTAB 0 0 10.0.0.1:3306 10.0.0.2:45230 users:(("mysqld",pid=29642,fd=33))'."""
        if self._columns[0] == "Netid":
            if len(cells) < 5 or cells[0] not in _SS_NETS:
                return _is_more_of_ss(text)
            proto, *cells = cells
        else:
            proto = "tcp"
        if len(cells) < 4 or not (cells[1].isdecimal() and cells[2].isdecimal()):
            return _is_more_of_ss(text)
        user = _SS_USER.search(text)
        state = _SS_STATES.get(cells[0], "other")
        name = user[1] if user else ""
        self._socket(proto, state, cells[1], cells[2], cells[3], name)
        if proto == "tcp" and len(cells) > 4:
            self._peer(state, cells[1:5], name)
        return True

    def _socket(
        self, proto: str, state: str, receive: str, send: str, local: str, program: str
    ) -> None:
        self._counts["sockets", (("proto", proto), ("state", state))] += 1
        port = local.rpartition(":")[2]
        if state == "LISTEN":
            if receive != "0":
                self._counts["backlog", (("port", port[:40]),)] += int(receive[:15])
                if send != "0":  # ss prints the limit there
                    most = ("backlog_most", (("port", port[:40]),))
                    self._counts[most] = max(self._counts[most], int(send[:15]))
            return
        if state == "TIME_WAIT" or not proto.startswith("tcp"):
            return
        who = ("program", program[:40]) if program else ("port", port[:40])
        if receive != "0" and (program or (port.isdecimal() and int(port[:6]) < 32_768)):
            self._counts["unread", (who,)] += 1
        if send != "0" and (program or (port.isdecimal() and int(port[:6]) < 32_768)):
            self._counts["unsent", (who,)] += 1

    def _peer(self, state: str, cells: list[str], program: str) -> None:
        """Count a connection by the host at its other end and the port that is the service."""
        receive, send, local, foreign = cells
        peer, _, far = foreign.rpartition(":")
        near = local.rpartition(":")[2]
        if state == "LISTEN" or not peer or peer in _ANY or not near or not far:
            return
        comes_in = _port(near) <= _port(far)
        port = near if comes_in else far
        key = ("in" if comes_in else "out", peer[:100], port[:40], program[:40], state)
        if key not in self._peers and len(self._peers) >= _MOST_PEERS:
            key = (key[0], "others", "", "", state)
        sums = self._peers.setdefault(key, [0, 0, 0])
        for at, value in enumerate((1, int(receive[:15]), int(send[:15]))):
            sums[at] += value

    def _connections(self) -> Iterator[Item]:
        """Yield the Table of connections and add the series of those that came in."""
        if not self._peers:
            return
        came: Counter[tuple[str, str]] = Counter()
        for (way, peer, port, _, state), (sockets, *_) in self._peers.items():
            if way == "in" and state == "ESTABLISHED":
                came[peer, port] += sockets
        for (peer, port), count in came.most_common():
            if (peer, port) in self._charted or len(self._charted) < _MOST_PEER_SERIES:
                self._charted.add((peer, port))
                labels = (("peer", peer), ("port", port))
                self._add("netstat.connections", count, self._lines[0], "connections", labels)
        timed = self.time.clock != "relative"
        rows = sorted(self._peers.items(), key=lambda each: (-each[1][0], each[0]))
        yield Table(
            line_first=self._lines[0],
            line_last=self._lines[1],
            wall_us=self.time.wall if timed else None,
            clock=self.time.clock if timed else None,
            name="connections",
            columns=("direction", "peer", "port", "program", "state", "sockets", "unread_bytes",
                     "unsent_bytes"),
            rows=tuple(
                (way, peer, port or None, program or None, state, *map(str, sums))
                for (way, peer, port, program, state), sums in rows
            ),
        )  # fmt: skip
        self._peers.clear()

    def _unix(self, text: str) -> bool:
        match = _UNIX.match(text)
        if match:
            state = match["state"] or "none"
            self._counts["sockets", (("proto", "unix"), ("state", state))] += 1
        return match is not None

    def _interface(self, line: int, cells: list[str]) -> bool:
        columns = self._columns
        if len(cells) + 1 < len(columns):
            return False
        for name, cell in zip(columns[2:], cells[2:], strict=False):
            if cell.isdecimal() and "-" in name and len(cell) < 19:
                series = f"netstat.{name.lower().replace('-', '_')}"
                self.samples.add(
                    series,
                    float(cell),
                    wall=self.time.wall,
                    clock=self.time.clock,
                    line=line,
                    kind="counter",
                    unit="packets",
                    labels=(("iface", cells[0][:40]),),
                )
        return True

    def _add(self, name: str, value: int, line: int, unit: str, labels: Labels) -> None:
        self.samples.add(
            name,
            float(value),
            wall=self.time.wall,
            clock=self.time.clock,
            line=line,
            unit=unit,
            labels=labels,
        )


def _what_of_row(text: str) -> tuple[str, list[str]] | None:
    """Return the kind of listing that a row of sockets is of, and its first column."""
    if not _ROW.match(text):
        return None
    first, second, *_ = text.split()
    if first in _SS_STATES:
        return "ss", ["State"]
    return ("ss", ["Netid"]) if second in _SS_STATES else ("sockets", ["Proto"])


def _port(text: str) -> int:
    """Return a port's number; a name is that of a service, below any number of a client."""
    return int(text[:6]) if text.isdecimal() else 0


def _is_more_of_ss(text: str) -> bool:
    """Return whether the line continues a socket, as -i, -m and -o print it."""
    return text[:1].isspace()


def _fit(cells: list[str], width: int) -> tuple[str | None, ...]:
    short = cells[:width]
    return (*short, *(None for _ in range(width - len(short))))
