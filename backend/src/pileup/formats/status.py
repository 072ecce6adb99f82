"""SHOW GLOBAL STATUS and ``mysqladmin extended-status``: one table or one per sample.

Source: print_header()/print_table_data() in client/mysqladmin.cc (boxes), the mysql client (boxes,
        tabs). No table has a time: a stalled server delays its samples, so Uptime is the clock
        where it advances, else the nominal second of ``-i 1``.
Yields: mysql.<Variable> as printed; status_names tells counters from gauges. ``-r`` prints the
        first sample as it is and then differences, of gauges too: they are summed up again
        (print_relative_row() in mysqladmin.cc), so both forms give the same series.
Time:   Uptime has whole seconds. A sample is placed a second behind the one before it, as ``-i 1``
        means it, unless its Uptime says otherwise: no two fall on one instant, and delays show.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pileup.formats.pt_stalk import clock_event, read_ts
from pileup.formats.status_names import kind_of, unit_of
from pileup.records import Clock, Item, Problem, Samples, Setting, Skipped

NAME = "status"
TITLE = "SHOW GLOBAL STATUS, mysqladmin extended-status"
GIVES = "Counters and gauges `mysql.<Variable>`; relative samples are summed up again."
PRINTED_BY = "`SHOW GLOBAL STATUS`, `mysqladmin ext` with and without `-r`"
VERSION = 2
HINTS = ("-mysqladmin", "mysqladmin-ext")

# | Aborted_clients        | 0      |    but with -r:  | Aborted_clients   |         -6|
# option_tracker_usage:Binary Log\t0
_NAME = re.compile(r"[A-Za-z][\w.]{0,120}(?:[:\-][\w. :\-]{0,120})?")
_BARE_NAME = re.compile(r"[A-Z][A-Za-z0-9]*_\w{1,120}\s*$")
"""A tab row whose value, and with it the tab, was trimmed away."""
_RULE = re.compile(r"^\+-+\+-+\+\s*$")
_WHOLE = re.compile(r"-?\d{1,19}")
_UNSET = 2**64 - 1
"""(size_t)-1: no such thing (Ssl_verify_depth without SSL, wsrep_local_index outside a cluster)."""
_FIRST_VARIABLE = "auto_increment_increment"
_S = 1_000_000
_FLUSH = 60
"""Samples held before their series are handed on."""


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
    wall: int = 0
    clock: Clock = "relative"
    cells: dict[str, tuple[str, int]] = field(default_factory=dict)


class _Clock:
    """Where samples without a printed time stand, in microseconds from the first."""

    def __init__(self) -> None:
        self._start: int | None = None
        self._uptime: int | None = None
        self._wall: int | None = None

    def next(self, uptime: int | None) -> int:
        """A second after the last, but inside the second that Uptime tells."""
        if self._wall is None:
            self._start, self._uptime, self._wall = uptime, uptime, 0
            return 0
        last, nominal = self._wall, self._wall + _S
        if uptime is None or self._start is None or self._uptime is None:
            self._wall = nominal
            return nominal
        if uptime < self._uptime:  # a restart: how long the server was down is not known
            self._start = uptime - nominal // _S
        self._uptime = uptime
        told = (uptime - self._start) * _S
        self._wall = max(min(max(nominal, told), told + _S - 1), last + 1)
        return self._wall


class _Reader:
    def __init__(self) -> None:
        self._sample: _Sample | None = None
        self._stamp: int | None = None
        self._said_clock = False
        self._clock = _Clock()
        self._held: list[_Sample] = []
        self._first: dict[str, tuple[str, int]] | None = None
        self._relative: bool | None = None
        self._sums: dict[str, float] = {}
        self._text_said: set[str] = set()
        self._inside_value = False
        self._variables = False

    def stamp(self, number: int, epoch_us: int, local: str | None) -> Iterator[Item]:
        yield from self._close()
        self._stamp = epoch_us
        if local and not self._said_clock:
            self._said_clock = True
            yield clock_event(number, epoch_us, local)

    def line(self, number: int, text: str) -> Iterator[Item]:
        found = _cells(text)
        if found is None:
            if not text.strip():
                self._inside_value = False
            elif self._inside_value:
                self._inside_value = not text.rstrip().endswith("|")
            elif not _is_decoration(text):
                yield Skipped(number, number, f"not a row of a status table: {text[:80]!r}")
            return
        name, value = found
        if name == "Variable_name":
            yield from self._close()
            return
        self._inside_value = text.startswith("|") and not text.rstrip().endswith("|")
        if name == _FIRST_VARIABLE:  # SHOW VARIABLES behind SHOW STATUS, in one file
            self._variables = True
        if self._variables and name[0].islower() and not name.startswith("wsrep_"):
            yield _setting(name.lower(), value, number, "SHOW VARIABLES")
            return
        if self._sample is not None and name in self._sample.cells:
            yield from self._close()
        if self._sample is None:
            self._sample = _Sample()
            self._variables = name == _FIRST_VARIABLE
        self._sample.cells[name] = (value, number)

    def finish(self) -> Iterator[Item]:
        yield from self._close()
        yield from self._flush()

    def _close(self) -> Iterator[Item]:
        sample, self._sample = self._sample, None
        if sample is None:
            return
        if self._first is None:
            self._first = sample.cells
        elif self._relative is None:
            self._relative = _is_relative(self._first, sample.cells)
        if self._relative:
            self._sum_up(sample)
        if self._stamp is not None:
            sample.wall, sample.clock = self._stamp, "utc"
        else:
            sample.wall = self._clock.next(_integer(sample.cells.get("Uptime", ("", 0))[0]))
        self._held.append(sample)
        if len(self._held) >= _FLUSH:
            yield from self._flush()

    def _sum_up(self, sample: _Sample) -> None:
        """Differences made into values; a name missing from one sample is lost from there on."""
        if not self._sums and self._first is not None:
            found = {name: _number(text) for name, (text, _) in self._first.items()}
            self._sums = {name: value for name, value in found.items() if value is not None}
        sums: dict[str, float] = {}
        for name, (text, _) in sample.cells.items():
            step = _number(text)
            if step is not None and name in self._sums:
                sums[name] = self._sums[name] + step
        self._sums = sums
        sample.cells = {name: (f"{sums[name]:.15g}", sample.cells[name][1]) for name in sums}

    def _flush(self) -> Iterator[Item]:
        columns: defaultdict[tuple[str, Clock], tuple[list[int | None], list[float], list[int]]]
        columns = defaultdict(lambda: ([], [], []))
        for sample in self._held:
            for name, (text, number) in sample.cells.items():
                value = _number(text)
                if value is None:
                    yield from self._text(name, text, number)
                    continue
                walls, values, lines = columns[name, sample.clock]
                walls.append(sample.wall)
                values.append(value)
                lines.append(number)
        for (name, clock), (walls, values, lines) in columns.items():
            series = f"mysql.{name}"
            yield Samples(series, kind_of(name), unit_of(name), clock, walls, values, lines)
        self._held.clear()

    def _text(self, name: str, text: str, number: int) -> Iterator[Item]:
        if name in self._text_said or len(text) > 2000:
            return
        self._text_said.add(name)
        if text.isdecimal() and int(text[:40]) != _UNSET:
            yield Problem(number, f"{name} wrapped around and is not a count.", found=text[:200])
            return
        yield _setting(f"status.{name.lower()}", text, number, "SHOW STATUS")


def _cells(text: str) -> tuple[str, str] | None:
    """A row's name and value, of a box or of a tab table."""
    if text.startswith("|"):
        name, bar, value = text[1:].partition("|")
        value = value.strip()
        value = value[:-1].rstrip() if value.endswith("|") else value
    else:
        name, bar, value = text.partition("\t")
        if not bar:
            return (text.rstrip(), "") if _BARE_NAME.match(text) else None
        value = value.strip()
    name = name.strip()
    return (name, value) if bar and _NAME.fullmatch(name) else None


def _is_decoration(text: str) -> bool:
    return bool(
        text.startswith(("mysql", "Variable_name", "ERROR", "mysqladmin"))
        or _RULE.match(text)
        or re.search(r"\brows? in set\b", text[-60:])
    )


def _is_relative(first: dict[str, tuple[str, int]], second: dict[str, tuple[str, int]]) -> bool:
    """Is the second sample a difference to the first?

    Differences are whole numbers, of texts and decimals too; that of the page size is 0. A few
    cells may be unreadable: they must not turn differences into values.
    """
    whole = sum(_WHOLE.fullmatch(text) is not None for text, _ in second.values())
    if whole < 0.9 * len(second):
        return False
    if "Innodb_page_size" in first and "Innodb_page_size" in second:
        before, after = first["Innodb_page_size"][0], second["Innodb_page_size"][0]
        if before.isdecimal() and after.isdecimal():
            return before != after and after == "0"
    if whole < len(second) and any(text in ("ON", "OFF") for text, _ in second.values()):
        return False
    earlier, later = (_integer(one.get("Uptime", ("", 0))[0]) for one in (first, second))
    return earlier is not None and later is not None and later < min(earlier, 60)


def _setting(name: str, value: str, number: int, source: str) -> Setting:
    return Setting(line_first=number, line_last=number, name=name, value=value, source=source)


def _number(text: str) -> float | None:
    if not text or text[0] not in "-0123456789.":
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < 2**63 else None


def _integer(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 20 else None
