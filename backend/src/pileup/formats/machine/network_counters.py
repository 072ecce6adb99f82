"""Counters of network devices and protocols: ifconfig, ip -s link, ethtool -S, nstat.

Source: ifconfig of net-tools (old: 'RX packets:12 errors:0', new: 'RX packets 12  bytes 90');
        print_link_stats64() of iproute2 (a line of names, a line of numbers below it); ethtool -S,
        'NIC statistics:' and a name per line, as the driver calls it; nstat of iproute2.
Yields: netdev.<rx|tx>_<field> with label device, named as those of /proc/net/dev; ethtool.<name>;
        the table 'nstat' (counter, value, rate): without -a its values count from its last call,
        which the text does not tell, so they are no series.
Time:   none is printed; copies are a nominal second apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns
from pileup.records import Item, Section, Skipped, Table

NAME = "network-counters"
TITLE = "ifconfig, ip -s link, ethtool -S, nstat"
GIVES = (
    "Bytes, packets, errors and drops per device (`netdev.*`, `ethtool.*`), and a table of nstat."
)
PRINTED_BY = "net-tools `ifconfig`, iproute2 `ip -s link` and `nstat`, `ethtool -S`"
VERSION = 1
HINTS = ("ifconfig.txt", "ip-link.txt", "ethtool.txt", "nstat.txt")

_DEVICE = re.compile(
    r"(?:\d{1,5}: )?(?P<device>[A-Za-z][\w.@-]{0,31}):"
    r"(?: flags=\d{1,9}<[A-Z,_0-9]*>| <[A-Z,_0-9-]*>)"
    r"|(?P<old>[A-Za-z][\w.:-]{0,31})\s+Link encap:"
)
_WAY = re.compile(r"\s*(?P<way>[RT]X)(?P<of> errors(?=:))?:? +(?P<rest>\S.{0,400})$")
_PAIR = re.compile(r"(?P<name>[a-z]{2,12})[: ](?P<value>\d{1,20})(?!\S)")
_BYTES = re.compile(r"(?P<way>[RT]X) bytes:(?P<value>\d{1,20})(?!\S)")
_OTHER_WAY = re.compile(r" {1,8}(?=[RT]X )")
_COLLISIONS = re.compile(r"\s+collisions:(?P<value>\d{1,20})(?!\S)")
_NAMES = re.compile(r"[a-z]{2,12}(?: +[a-z]{2,12}){2,9}\s*$")
_NUMBERS = re.compile(r"\s+\d{1,20}(?: +\d{1,20}){2,9}\s*$")
_ETHTOOL = re.compile(
    r"\s+(?:\[\d{1,4}\]: ?)?(?P<name>[A-Za-z][\w.-]{2,60}): (?P<value>\d{1,20})\s*$"
)
_OF_NIC = re.compile(r"\s+(?:[rt]x|port|veb|dev)_[\w.-]{2,60}: \d{1,20}\s*$")
_NSTAT = re.compile(
    r"(?P<name>(?:TcpExt|IpExt|MPTcpExt|Icmp6?|IcmpMsg|Icmp6?Out|Tcp|Udp(?:Lite)?6?|Ip6?)[A-Z0-9]\w{1,50})"
    r"\s+(?P<value>\d{1,20})\s+(?P<rate>\d{1,12}\.\d{1,6})\s*$"
)
_FIELDS = {
    "errors": "errs", "dropped": "drop", "overruns": "fifo", "overrun": "fifo",
    "mcast": "multicast", "collisions": "colls", "collsns": "colls",
}  # fmt: skip
"""Names of /proc/net/dev by those of the tools."""
_LONGEST = 500
_LEAST = 2
_LEAST_OF_NIC = 3


def sniff(head: str) -> bool | None:
    """Return whether a device has counters, or several lines are of ethtool or nstat."""
    lines = [line[:_LONGEST] for line in head.split("\n")[:400]]
    if any(map(_DEVICE.match, lines)) and any(map(_WAY.match, lines)):
        return True
    if head.lstrip().startswith("NIC statistics:"):
        return any(map(_ETHTOOL.match, lines))
    if sum(_OF_NIC.match(line) is not None for line in lines) >= _LEAST_OF_NIC:
        return True
    filled = [line for line in lines if line.strip() and not line.startswith("#")]
    fit = sum(_NSTAT.match(line) is not None for line in filled)
    return fit >= _LEAST and fit >= len(filled) - 1


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the counters of every device, and a Table of nstat."""
    reader = _Reader()
    for number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST].rstrip()
        if text and not reader.line(number, text):
            yield Skipped(number, number, "no counter of a network device")
    yield from reader.nstat()
    yield from reader.columns.flush()


class _Reader:
    def __init__(self) -> None:
        self.columns = Columns()
        self._device = ""
        self._copies: dict[str, int] = {}
        self._names: tuple[str, list[str]] | None = None
        self._rows: list[tuple[str | None, ...]] = []
        self._places: list[int] = []

    def line(self, number: int, text: str) -> bool:
        """Read a line; return False for one without a counter."""
        if match := _DEVICE.match(text):
            self._device = (match["device"] or match["old"]).partition("@")[0].rstrip(":")
            self._begin(self._device)
            return True
        if text.strip() == "NIC statistics:":
            self._device = ""
            self._begin("")
            return True
        if self._names and _NUMBERS.match(text):
            return self._below(number, text)
        if match := _WAY.match(text):
            return self._way(number, match["way"].lower(), match["of"], match["rest"])
        if match := _COLLISIONS.match(text):
            self._add("tx_colls", match["value"], number)
            return True
        if match := _NSTAT.match(text):
            self._rows.append(match.group("name", "value", "rate"))
            self._places.append(number)
            return True
        if match := _ETHTOOL.match(text):
            unit = "B" if match["name"].endswith(("bytes", "octets")) else None
            self._value(f"ethtool.{match['name']}", match["value"], number, unit)
            return True
        return text.startswith("#")

    def nstat(self) -> Iterator[Item]:
        """Yield what nstat printed."""
        if self._rows:
            first, last = self._places[0], self._places[-1]
            yield Section("nstat", first, last)
            yield Table(
                line_first=first,
                line_last=last,
                name="nstat",
                columns=("counter", "value", "rate"),
                rows=tuple(self._rows),
            )

    def _begin(self, device: str) -> None:
        self._names = None
        self._copies[device] = self._copies.get(device, -1) + 1

    def _way(self, number: int, way: str, errors: str | None, rest: str) -> bool:
        """Read 'packets 12  bytes 90', or the names of the numbers on the next line."""
        if _NAMES.match(rest):
            prefix = f"{way}_error_" if errors else f"{way}_"
            self._names = prefix, rest.split()
            return True
        own, *others = _OTHER_WAY.split(rest)
        pairs = _PAIR.findall(own)
        for name, value in pairs:
            field = "errs" if name == "errors" else _FIELDS.get(name, name)
            self._add(f"{way}_{field}", value, number)
        for other in filter(None, map(_BYTES.match, others)):
            self._add(f"{other['way'].lower()}_bytes", other["value"], number)
        return bool(pairs)

    def _below(self, number: int, text: str) -> bool:
        assert self._names is not None
        prefix, names = self._names
        self._names = None
        cells = text.split()
        if len(cells) != len(names):
            return False
        for name, cell in zip(names, cells, strict=True):
            field = name if prefix.endswith("error_") else _FIELDS.get(name, name)
            self._add(f"{prefix}{field}", cell, number)
        return True

    def _add(self, field: str, value: str, number: int) -> None:
        unit = "B" if field.endswith("bytes") else "packets"
        self._value(f"netdev.{field}", value, number, unit)

    def _value(self, series: str, value: str, number: int, unit: str | None) -> None:
        copy = max(0, self._copies.get(self._device, 0))
        self.columns.add(
            series,
            float(value[:18]) if len(value) <= 18 else None,
            wall=copy * 1_000_000,
            clock="relative",
            line=number,
            kind="counter",
            unit=unit,
            labels=(("device", self._device),) if self._device else (),
        )
