"""What a network loses: ping, TCP's counters that somebody picked out, sockets that send again.

Source: ping of iputils and others (the summary); lines of ``netstat -s`` and ``nstat`` without the
        rest (a whole ``netstat -s`` is ``procfs``); ``ss -ti`` (tcp_stats_print() of iproute2).
Yields: network.packet_loss_pct with label host; network.resent_pct, segments sent again of all;
        network.resent_in_flight, network.backoff and network.rto_ms of the worst socket.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.reading.series_columns import Columns, Labels
from pileup.records import Item, Skipped

NAME = "network-losses"
TITLE = "ping, ss -ti, TCP counters"
GIVES = "Lost packets and segments that were sent again (`network.*`)."
PRINTED_BY = "iputils `ping`, iproute2 `ss -ti` and `nstat`, lines of `netstat -s`"
VERSION = 1
HINTS = ("ping.txt",)

_PING = re.compile(
    r"\s*\d{1,9} packets transmitted, \d{1,9} (?:packets )?received,(?: \+\d{1,9} errors,)? "
    r"(?P<loss>\d{1,3}(?:\.\d{1,6})?)% packet loss"
    r"|\s*Packets: Sent = \d{1,9}, Received = \d{1,9}, Lost = \d{1,9} "
    r"\((?P<lost>\d{1,3})% loss\)"
)
_HOST = re.compile(
    r"\s*(?:-{3} (?P<host>[\w.:-]{1,100}) ping statistics"
    r"|Ping statistics for (?P<of>[\w.:-]{1,100}):)"
)
_SENT = re.compile(
    r"\s+(?P<sent>\d{1,18}) segments (?:sent out|send out)\s*$|TcpOutSegs\s+(?P<out>\d{1,18})(?!\S)"
)
_AGAIN = re.compile(
    r"\s+(?P<again>\d{1,18}) segments retransmit(?:t?ed)\s*$"
    r"|TcpRetransSegs\s+(?P<segments>\d{1,18})(?!\S)"
)
_SOCKET = re.compile(r"\s+[a-z].{0,400}?\brto:(?P<rto>\d{1,9}(?:\.\d{1,6})?)(?!\S)")
_BACKOFF = re.compile(r"\bbackoff:(?P<backoff>\d{1,3})(?!\S)")
_RESENT = re.compile(r"\bretrans:(?P<now>\d{1,9})/\d{1,12}(?!\S)")
_OF_OTHERS = re.compile(r"^(?:Ip|Tcp|TcpExt): *$|\bRecv-Q +Send-Q\b", re.MULTILINE)
"""A whole ``netstat -s``, or a list of sockets."""
_LONGEST = 2_000


def sniff(head: str) -> bool | None:
    """Return whether a line says how much was lost or sent again."""
    if _OF_OTHERS.search(head):
        return False
    if "% " in head and any(map(_PING.match, head.split("\n"))):
        return True
    if "rto:" in head and any(_SOCKET.match(line[:_LONGEST]) for line in head.split("\n")):
        return True
    if " segments retransmit" not in head and "TcpRetransSegs" not in head:
        return False
    lines = head.split("\n")
    return any(_SENT.match(line[:200]) for line in lines) and any(
        _AGAIN.match(line[:200]) for line in lines
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield a gauge of each loss.

    Raises FormatError for a text that names none.
    """
    reader = _Reader()
    for number, line in enumerate(lines, start=1):
        if not reader.line(number, line[:_LONGEST]) and line.strip():
            yield Skipped(number, number, "no loss of a network")
    reader.end()
    if not reader.found:
        raise FormatError(
            "No loss was found: expected the summary of ping, ss -ti or TCP counters."
        )
    yield from reader.columns.flush()


class _Reader:
    def __init__(self) -> None:
        self.columns = Columns()
        self.found = 0
        self._host = ""
        self._sent: float | None = None
        self._again: tuple[float, int] | None = None
        self._worst: dict[str, tuple[float, int]] = {}

    def line(self, number: int, text: str) -> bool:
        """Read a line; return False for one that says nothing of a loss."""
        if match := _PING.match(text):
            labels = (("host", self._host),) if self._host else ()
            self._add("packet_loss_pct", float(match["loss"] or match["lost"]), number, "%", labels)
        elif match := _SENT.match(text):
            self._sent = float(match["sent"] or match["out"])
        elif match := _AGAIN.match(text):
            self._again = float(match["again"] or match["segments"]), number
        elif match := _SOCKET.match(text):
            self._keep("rto_ms", match["rto"], number)
            for name, pattern in (("backoff", _BACKOFF), ("resent_in_flight", _RESENT)):
                if found := pattern.search(text):
                    self._keep(name, found[1], number)
        else:
            if match := _HOST.match(text):
                self._host = match["host"] or match["of"].rstrip(":")
            return False
        return True

    def end(self) -> None:
        """Add what the whole text shows."""
        if self._again and self._sent:
            again, number = self._again
            self._add("resent_pct", 100 * again / self._sent, number, "%")
        for name, (value, number) in self._worst.items():
            self._add(name, value, number, "ms" if name == "rto_ms" else None)

    def _keep(self, name: str, value: str, number: int) -> None:
        worst = self._worst.get(name)
        if worst is None or float(value) > worst[0]:
            self._worst[name] = float(value), number

    def _add(
        self, name: str, value: float, number: int, unit: str | None, labels: Labels = ()
    ) -> None:
        self.found += 1
        self.columns.add(
            f"network.{name}", value, wall=0, clock="relative", line=number, unit=unit,
            labels=labels,
        )  # fmt: skip
