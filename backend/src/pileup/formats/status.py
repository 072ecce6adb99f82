"""SHOW GLOBAL STATUS and ``mysqladmin extended-status``: one table or one per sample.

Source: print_header()/print_table_data() in client/mysqladmin.cc (boxes), the mysql client (boxes,
        tabs). No table has a time: a stalled server delays its samples, so Uptime is the clock
        where it advances, else the nominal second of ``-i 1``.
Yields: mysql.<Variable> as printed; counters and gauges are told apart by GAUGES below (the manual,
        Server Status Variables). ``-r`` prints differences after the first sample: those are rates.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.records import Clock, Item, Problem, Samples, Setting, Skipped

NAME = "status"
TITLE = "SHOW GLOBAL STATUS, mysqladmin extended-status"
VERSION = 1
HINTS = ("-mysqladmin", "mysqladmin-ext")

GAUGES = re.compile(
    r"^(Threads_(?!created)|Open_|.*_current|.*_pending_|.*_free$|.*_dirty$|.*_data$|.*_misc$|.*_total$"
    r"|Innodb_buffer_pool_(pages_(?!flushed|made|lru|written0)|bytes|resize|load|dump|wait_free0)"
    r"|Innodb_row_lock_(time_avg|time_max|current)|Innodb_page_size|Innodb_num_open|Innodb_history"
    r"|Innodb_checkpoint_age|Innodb_lsn|Innodb_undo_tablespaces|Innodb_os_log_pending|Max_used|Uptime"
    r"|Slave_|Replica_|Rpl_semi_sync_(master_clients|master_status|master_net_avg|master_tx_avg)"
    r"|Last_query|Ssl_|Key_blocks_(un)?used|Key_blocks_not|Qcache_(free|queries|total)|Prepared_stmt_count"
    r"|Compression|Mysqlx_(worker_threads|ssl|port|socket|aborted0)|Delayed_writers|Memory_used"
    r"|wsrep_(local_(recv|send)_queue|cluster_(size|conf)|flow_control_paused$|cert_deps|ready|connected)"
    r"|Global_connection_memory|Innodb_ibuf_(size|free|segment)|Innodb_adaptive_hash_(heap|hash)_)",
    re.IGNORECASE,
)
_ROW = re.compile(r"^\| ?([A-Za-z][\w.:-]*)\s*\| ?(.*?)\s*\|?\s*$")
_RULE = re.compile(r"^\+-+\+-+\+\s*$")
_TAB = re.compile(r"^([A-Za-z][A-Za-z0-9_]+)\t(.*)$")
_FLUSH = 60
"""Samples held before their series are handed on."""

Kind = Literal["counter", "gauge", "rate"]


def sniff(head: str) -> bool | None:
    """The names that every server prints first or that only status has."""
    known = (
        "Aborted_clients",
        "Aborted_connects",
        "Bytes_received",
        "Com_select",
        "Threads_running",
    )
    seen = sum(
        f"| {name} " in head or f"\n{name}\t" in head or head.startswith(f"{name}\t")
        for name in known
    )
    if "pt-mext" in head or seen == 0:
        return False
    return seen >= 2 or "| Aborted_clients" in head or "Aborted_clients\t" in head


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Every sample; text values are kept once, as settings of the status."""
    reader = _Reader()
    for number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            yield from reader.stamp(number, *stamp)
            continue
        yield from reader.line(number, text)
    yield from reader.finish()


@dataclass(slots=True)
class _Sample:
    first: int
    wall: int | None = None
    clock: Clock = "relative"
    values: dict[str, tuple[str, int]] = field(default_factory=dict)


class _Reader:
    def __init__(self) -> None:
        self._sample: _Sample | None = None
        self._stamp: int | None = None
        self._said_clock = False
        self._samples: list[_Sample] = []
        self._count = 0
        self._uptime0: int | None = None
        self._last_uptime: int | None = None
        self._relative: bool | None = None
        self._text_said: set[str] = set()
        self._multi: str | None = None

    def stamp(self, number: int, epoch_us: int, local: str | None) -> Iterator[Item]:
        yield from self._close()
        self._stamp = epoch_us
        if local and not self._said_clock:
            self._said_clock = True
            yield clock_event(number, epoch_us, local)

    def line(self, number: int, text: str) -> Iterator[Item]:
        found = self._cells(text)
        if found is None:
            if (
                not text.strip()
                or _RULE.match(text)
                or "row in set" in text
                or "rows in set" in text
            ):
                if not text.strip():
                    self._multi = None
                return
            if text.startswith(("mysql", "Variable_name", "ERROR", "mysqladmin")):
                return
            if self._multi is None:  # the rest of a value with newlines in it is part of its cell
                yield Skipped(number, number, f"not a row of a status table: {text[:80]!r}")
            return
        name, value = found
        if name == "Variable_name":
            yield from self._close()
            return
        if self._sample is not None and name in self._sample.values:
            yield from self._close()
        if self._sample is None:
            self._sample = _Sample(number)
        self._sample.values[name] = (value, number)
        self._multi = name if text.startswith("|") and not text.rstrip().endswith("|") else None

    def finish(self) -> Iterator[Item]:
        yield from self._close()
        yield from self._flush()

    def _cells(self, text: str) -> tuple[str, str] | None:
        if text.startswith("|"):
            match = _ROW.match(text)
        else:
            match = _TAB.match(text)
        return (match[1], match[2]) if match else None

    def _close(self) -> Iterator[Item]:
        sample, self._sample = self._sample, None
        if sample is None or not sample.values:
            return
        uptime = _integer(sample.values.get("Uptime", ("", 0))[0])
        if self._stamp is not None:
            sample.wall, sample.clock = self._stamp, "utc"
        else:
            sample.wall = self._wall(uptime)
        self._count += 1
        self._samples.append(sample)
        if len(self._samples) >= _FLUSH:
            yield from self._flush()

    def _wall(self, uptime: int | None) -> int:
        """Uptime where it advances; the nominal second where it does not say (or is relative)."""
        nominal = self._count * 1_000_000
        if self._count == 0:
            self._uptime0 = self._last_uptime = uptime
            return 0
        if self._relative is None:
            self._relative = (
                uptime is not None and self._uptime0 is not None and uptime < min(self._uptime0, 60)
            )
        if self._relative or uptime is None or self._uptime0 is None:
            return nominal
        if self._last_uptime is not None and uptime < self._last_uptime:
            self._uptime0 = uptime - (self._last_uptime - self._uptime0) - 1  # a restart
        self._last_uptime = uptime
        return (uptime - self._uptime0) * 1_000_000

    def _flush(self) -> Iterator[Item]:
        columns: defaultdict[tuple[str, Kind, Clock], list[tuple[int | None, float | None, int]]]
        columns = defaultdict(list)
        first = self._count - len(self._samples)
        for offset, sample in enumerate(self._samples):
            for name, (text, number) in sample.values.items():
                value = _number(text)
                if value is None:
                    yield from self._text(name, text, number)
                    continue
                kind: Kind = "gauge" if GAUGES.match(name) else "counter"
                if self._relative:
                    if first + offset == 0:
                        continue  # the first sample is absolute, the others are differences
                    if kind == "gauge":
                        continue  # a difference of a gauge says nothing of its level
                    kind = "rate"
                columns[name, kind, sample.clock].append((sample.wall, value, number))
        for (name, kind, clock), points in columns.items():
            yield Samples(
                series=f"mysql.{name}",
                kind=kind,
                unit=None,
                clock=clock,
                wall_us=[p[0] for p in points],
                values=[p[1] for p in points],
                lines=[p[2] for p in points],
            )
        self._samples.clear()

    def _text(self, name: str, text: str, number: int) -> Iterator[Item]:
        if name in self._text_said or len(text) > 2000:
            return
        self._text_said.add(name)
        if re.fullmatch(r"\d{20,}", text):
            yield Problem(number, f"{name} wrapped around and is not a count.", found=text[:200])
            return
        yield Setting(
            line_first=number,
            line_last=number,
            name=f"status.{name.lower()}",
            value=text,
            source="SHOW STATUS",
        )


def _number(text: str) -> float | None:
    if not text or text[0] not in "-0123456789.":
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 2**63 else None


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() else None
