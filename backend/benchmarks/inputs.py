"""The large inputs: their names and sizes, and how they grow from the committed samples.

Thread ids, addresses, counters, times and statements vary as in a real capture, so that no reader
gains by having seen the same text before. Nothing is random: a run can be repeated.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

from benchmarks import monitoring
from benchmarks.sources import incident, sample, stalk

MB = 1_000_000
_START = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Input:
    """A kind of artifact, grown to a size.

    size:   bytes wanted at scale 1; ``pieces`` yields text until that is reached, or ends itself.
    """

    name: str
    what: str
    file: str
    size: int
    pieces: Callable[[float], Iterator[str]]

    def write(self, path: Path, scale: float, least: int = 0) -> int:
        """Write the file and return its size in bytes."""
        wanted = max(least, int(self.size * scale))
        written = 0
        with path.open("wb") as out:
            for piece in self.pieces(scale):
                data = piece.encode()
                out.write(data)
                written += len(data)
                if written >= wanted:
                    break
        return written


# ---- stacks

_THREADS = 1000
_HEX_ARGUMENT = re.compile(r"(=0x[0-9a-f]{5,9})[0-9a-f]{3}\b")
_DETACHED = re.compile(r"^\[Inferior .*\n", re.MULTILINE)


def _gdb_dumps(_: float) -> Iterator[str]:
    """Yield consecutive backtraces of 1,000 threads; arguments differ by thread."""
    head, *bodies = re.split(
        r"^Thread .*\n", incident("commit-pileup/artifacts/gdb/*-gdb.txt"), flags=re.MULTILINE
    )
    (detached,) = _DETACHED.findall(bodies[-1])
    bodies = [_DETACHED.sub("", body).rstrip("\n") for body in bodies]
    for dump in range(1_000_000):
        yield head
        for thread in range(_THREADS, 0, -1):
            body = bodies[(thread + dump * 7) % len(bodies)]
            body = _HEX_ARGUMENT.sub(rf"\g<1>{thread:03x}", body)
            pthread = 0x7F4A00000000 + thread * 0x1000
            lwp = 20_000 + thread
            yield f'Thread {thread} (Thread {pthread:#x} (LWP {lwp}) "mysqld"):\n{body}\n\n'
        yield detached


_FRAME = re.compile(r"^#(\d+)\s+(?:0x[0-9a-f]+ in )?(.+?) \(", re.MULTILINE)


def _functions() -> list[list[str]]:
    """Return the functions of each thread of the gdb sample, innermost first."""
    _, *bodies = re.split(
        r"^Thread .*\n", incident("commit-pileup/artifacts/gdb/*-gdb.txt"), flags=re.MULTILINE
    )
    return [[match[2] for match in _FRAME.finditer(body)] for body in bodies]


def _eu_stack_dumps(_: float) -> Iterator[str]:
    stacks = _functions()
    for dump in range(1_000_000):
        yield "PID 20000 - process\n"
        for thread in range(_THREADS):
            frames = "".join(
                f"#{at:<2} 0x{0x562F00000000 + _hash(name):016x} {name}\n"
                for at, name in enumerate(stacks[(thread + dump * 7) % len(stacks)])
            )
            yield f"TID {20_000 + thread}:\n{frames}"


def _hash(name: str) -> int:
    """Hash a name to a small number, the same in every run."""
    return zlib.crc32(name.encode()) % 0xFFFFFFF


def _collapsed(_: float) -> Iterator[str]:
    """Yield pt-pmp's lines: consecutive samples of 300 distinct stacks, each with its date."""
    stacks = [",".join(names) for names in _functions() if names]
    for at in range(1_000_000):
        stamp = (_START + timedelta(seconds=at)).strftime("%a %b %e %H:%M:%S UTC %Y")
        yield f"{stamp}\n"
        yield "".join(
            f"{max(1, 400 - n):7d} {stacks[(n + at) % len(stacks)]},worker_{(n * 7 + at) % 997}\n"
            for n in range(300)
        )


def _folded(_: float) -> Iterator[str]:
    stacks = [";".join(reversed(names)) for names in _functions() if names]
    for at in range(1_000_000):
        yield "".join(
            f"mysqld;worker_{(n * 7 + at) % 9973};{stacks[(n + at) % len(stacks)]} {n % 97 + 1}\n"
            for n in range(300)
        )


def _folded_apart(_: float) -> Iterator[str]:
    """Yield a different stack per line, as a profiler does: similar callers, different callees."""
    stacks = [list(reversed(names)) for names in _functions() if names]
    names = sorted({name for stack in stacks for name in stack})
    for at in range(1_000_000):
        upper = stacks[at % len(stacks)][: 4 + at % 9]
        yield "".join(
            f"mysqld;{';'.join([*upper, *_called(names, at * 300 + n)])} {n % 97 + 1}\n"
            for n in range(300)
        )


def _called(names: list[str], number: int) -> Iterator[str]:
    """Encode a number as functions: its digits in the base of their count, and some more."""
    rest = number
    while rest:
        rest, digit = divmod(rest, len(names))
        yield names[digit]
    for more in range(number % 7):
        yield names[(number * 31 + more * 17) % len(names)]


# ---- InnoDB


def _status_dumps(scale: float) -> Iterator[str]:
    """Yield 2,000 dumps (at scale 1) of 1,000 semaphore waits each, a second apart."""
    text = sample("innodb-status/5.6.24-index-latches-409-waiters.txt")
    first, *waits = re.split(r"^--Thread \d+ ", text, flags=re.MULTILINE)
    last_wait, rest = waits[-1].split("OS WAIT ARRAY INFO: signal", 1)
    waits[-1] = last_wait
    rest = "OS WAIT ARRAY INFO: signal" + rest
    header = re.compile(r"^\d{4}-\d\d-\d\d [ \d:]{8}", re.MULTILINE)
    for dump in range(max(1, int(2000 * scale))):
        stamp = (_START + timedelta(seconds=dump)).strftime("%Y-%m-%d %H:%M:%S")
        yield header.sub(stamp, first, count=1)
        yield "".join(
            f"--Thread {140_000_000_000_000 + at * 4096} {waits[(at + dump) % len(waits)]}"
            for at in range(1000)
        )
        yield rest if rest.endswith("\n") else rest + "\n"


# ---- counters

_TICK = 1_000_003


def _status_rows() -> list[tuple[str, str]]:
    rows = []
    for line in stalk("commit-pileup", "mysqladmin").split("\n"):
        name, _, value = line.strip("|").partition("|")
        if line.startswith("| ") and name.strip() != "Variable_name":
            rows.append((name.strip(), value.strip()))
            if len(rows) > 1 and rows[0][0] == rows[-1][0]:
                return rows[:-1]
    return rows


def _status_samples() -> Iterator[list[tuple[str, str]]]:
    """Yield a sample per second, in which a third of the counters change."""
    rows = _status_rows()
    steps = [
        (name, int(value) if value.isdecimal() else None, _hash(name) % 1499, value)
        for name, value in rows
    ]
    for at in range(10_000_000):
        yield [
            (
                name,
                text
                if number is None
                else str(at + 100)
                if name == "Uptime"
                else str(number + at * step)
                if step % 3 == 0
                else text,
            )
            for name, number, step, text in steps
        ]


def _mysqladmin(width: int) -> Callable[[float], Iterator[str]]:
    def pieces(_: float) -> Iterator[str]:
        name_width = max(len(name) for name, _ in _status_rows())
        rule = f"+{'-' * (name_width + 2)}+{'-' * (width + 2)}+\n"
        head = f"{rule}| {'Variable_name':<{name_width}} | {'Value':<{width}} |\n{rule}"
        row = f"| %-{name_width}s | %-{width}s |\n"
        for variables in _status_samples():
            yield head + "".join([row % cells for cells in variables]) + rule + "\n"

    return pieces


def _mysqladmin_relative(_: float) -> Iterator[str]:
    """Yield the first sample as it is, then differences, as ``-r`` prints them."""
    name_width = max(len(name) for name, _ in _status_rows())
    rule = f"+{'-' * (name_width + 2)}+{'-' * 22}+\n"
    head = f"{rule}| {'Variable_name':<{name_width}} | {'Value':<20} |\n{rule}"
    row = f"| %-{name_width}s | %-20s |\n"
    before: list[tuple[str, str]] = []
    for variables in _status_samples():
        cells = [
            (name, str(int(now) - int(then)) if now.isdecimal() and then.isdecimal() else "0")
            for (name, now), (_, then) in zip(variables, before, strict=False)
        ] or variables
        before = variables
        yield head + "".join([row % cell for cell in cells]) + rule + "\n"


def _status_tab(_: float) -> Iterator[str]:
    for variables in _status_samples():
        rows = [f"{name}\t{value}\n" for name, value in variables]
        yield "Variable_name\tValue\n" + "".join(rows)


def _wide_csv(scale: float) -> Iterator[str]:
    """Yield 10,000 columns and 3,600 rows (at scale 1), a second apart."""
    columns = 10_000
    yield "time," + ",".join(f"db-{n % 100:02d}.counter_{n}" for n in range(columns)) + "\n"
    pool = [f"{(n * 7919 % 1_000_003) / 8:.3f}"[: 4 + n % 6].rstrip(".") for n in range(99_991)]
    pool += pool[:columns]
    for row in range(max(60, int(3600 * scale))):
        at = row * 6007 % 99_991
        stamp = (_START + timedelta(seconds=row)).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield f"{stamp},{','.join(pool[at : at + columns])}\n"


def _long_csv(_: float) -> Iterator[str]:
    yield "time,host,metric,value\n"
    names = [f"mysql_global_status_counter_{n}" for n in range(400)]
    for second in range(10_000_000):
        stamp = (_START + timedelta(seconds=second)).strftime("%Y-%m-%dT%H:%M:%SZ")
        yield "".join(
            [f"{stamp},db-{n % 7},{name},{second * n % 99_991}\n" for n, name in enumerate(names)]
        )


# ---- sessions

_KEYS = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")


def _sessions() -> Iterator[list[tuple[str, ...]]]:
    """Yield listings of 1,000 sessions, a second apart."""
    rows: list[dict[str, str]] = []
    for row in re.split(r"^\*+ \d+\. row \*+\n", stalk("hot-row", "processlist"), flags=re.M)[1:]:
        fields = dict(re.findall(r"^ *(\w+): ?(.*)$", row, flags=re.MULTILINE))
        if all(key in fields for key in _KEYS):
            rows.append(fields)
    for at in range(10_000_000):
        listing = []
        for n in range(_THREADS):
            row = rows[(n + at * 13) % len(rows)]
            cells = {**row, "Id": str(4711 + n), "Host": f"10.1.{n % 7}.{n % 251}:{40_000 + n}"}
            cells["Time"] = str((n + at) % 61)
            listing.append(tuple(cells[key] for key in _KEYS))
        yield listing


def _processlist_vertical(_: float) -> Iterator[str]:
    keys = "".join(f"{key:>7}: %s\n" for key in _KEYS)
    for at, listing in enumerate(_sessions()):
        stamp = _START + timedelta(seconds=at)
        yield f"TS {stamp.timestamp():.0f}.004007 {stamp:%Y-%m-%d %H:%M:%S}\n"
        yield "".join(
            [
                f"*************************** {n}. row ***************************\n{keys % cells}"
                for n, cells in enumerate(listing, start=1)
            ]
        )


def _processlist_box(_: float) -> Iterator[str]:
    for listing in _sessions():
        table = [_KEYS, *listing]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+\n"
        row = "| " + " | ".join(f"%-{width}s" for width in widths) + " |\n"
        yield rule + row % _KEYS + rule + "".join([row % cells for cells in listing]) + rule


def _processlist_tab(_: float) -> Iterator[str]:
    for listing in _sessions():
        yield "\t".join(_KEYS) + "\n" + "".join(["\t".join(cells) + "\n" for cells in listing])


def _slow_log(_: float) -> Iterator[str]:
    statements = [cells[-1] for cells in next(_sessions()) if cells[-1] != "NULL"]
    yield (
        "/usr/sbin/mysqld, Version: 8.0.15 (MySQL Community Server - GPL). started with:\n"
        "Tcp port: 3306  Unix socket: /tmp/mysql.sock\n"
        "Time                 Id Command    Argument\n"
    )
    for at in range(100_000_000):
        when = _START + timedelta(milliseconds=at * 37)
        yield (
            f"# Time: {when:%Y-%m-%dT%H:%M:%S.%f}Z\n"
            f"# User@Host: app[app] @ db-{at % 40} [10.1.0.{at % 251}]  Id: {4711 + at % 1000}\n"
            f"# Query_time: {at % 300 / 7:.6f}  Lock_time: {at % 17 / 10_000:.6f} "
            f"Rows_sent: {at % 100}  Rows_examined: {at % 10_007}\n"
            f"SET timestamp={when.timestamp():.0f};\n"
            f"{statements[at % len(statements)]} /* {at % 5003} */;\n"
        )


# ---- operating system


def _vmstat(_: float) -> Iterator[str]:
    lines = stalk("hot-row", "vmstat").splitlines(keepends=True)
    for at in range(100_000_000):
        yield "".join(lines[:2])
        for n, line in enumerate(lines[3:]):
            cells = line.split()
            cells[4] = str(3088 + at)
            cells[11] = str(1000 + (at * 31 + n * 7) % 90_000)
            yield (
                "{:>2} {:>2} {:>6} {:>8} {:>6} {:>7} {:>4} {:>4} {:>5} {:>5} {:>4} {:>4} "
                "{:>2} {:>2} {:>2} {:>2} {:>2}\n"
            ).format(*cells[:17])


def _blocks(text: str, start: str) -> list[str]:
    return [start + part for part in text.split(start)[1:]]


def _iostat(_: float) -> Iterator[str]:
    text = stalk("hot-row", "iostat")
    banner, blocks = text[: text.index("Device")], _blocks(text, "Device")
    yield banner
    devices = ("vda", "vdb", "nvme0n1", "nvme1n1", "dm-0", "dm-1")
    for at in range(100_000_000):
        head, row = blocks[1 + at % (len(blocks) - 1)].splitlines(keepends=True)[:2]
        cells = row.split()
        yield head
        for n, device in enumerate(devices):
            cells[1] = f"{(at * 7 + n * 13) % 9000 / 4:.2f}"
            yield f"{device:<10}" + "".join(f"{cell:>10}" for cell in cells[1:]) + "\n"
        yield "\n\n"


def _mpstat(_: float) -> Iterator[str]:
    text = stalk("hot-row", "mpstat")
    banner, body = text.split("\n\n", 1)
    yield banner + "\n\n"
    lines = [line[8:] for line in body.split("\n\n")[0].splitlines() if line]
    for at in range(100_000_000):
        time = f"{_START + timedelta(seconds=at):%H:%M:%S}"
        yield "".join([f"{time}{line}\n" for line in lines]) + "\n"


def _diskstats(_: float) -> Iterator[str]:
    text = stalk("hot-row", "diskstats")
    lines = [line.split() for line in text.split("TS ")[1].splitlines()[1:] if line.strip()]
    for at in range(100_000_000):
        when = _START + timedelta(seconds=at)
        yield f"TS {when.timestamp():.0f}.005006 {when:%Y-%m-%d %H:%M:%S}\n"
        for cells in lines:
            idle = not any(cell != "0" for cell in cells[3:])
            step = 0 if idle else at
            moved = [str(int(cell) + step * (n + 1)) for n, cell in enumerate(cells[3:])]
            yield f"{cells[0]:>4} {cells[1]:>7} {cells[2]} {' '.join(moved)}\n"


INPUTS: tuple[Input, ...] = (
    Input("gdb", "gdb, 1,000 threads", "gdb.txt", 100 * MB, _gdb_dumps),
    Input("eu-stack", "eu-stack, 1,000 threads", "eu-stack.txt", 100 * MB, _eu_stack_dumps),
    Input("pt-pmp", "pt-pmp lines", "pmp.txt", 100 * MB, _collapsed),
    Input("folded", "folded stacks", "folded.txt", 100 * MB, _folded),
    Input("folded-apart", "folded, no two alike", "folded.txt", 30 * MB, _folded_apart),
    Input("status", "2,000 dumps of 1,000 waits", "innodb-status.txt", 10**12, _status_dumps),
    Input("mysqladmin", "mysqladmin ext -i1", "mysqladmin", 100 * MB, _mysqladmin(20)),
    Input("mysqladmin-8.0", "the same, values 512 wide", "mysqladmin", 100 * MB, _mysqladmin(512)),
    Input("mysqladmin-r", "mysqladmin ext -i1 -r", "mysqladmin", 100 * MB, _mysqladmin_relative),
    Input("status-tab", "SHOW STATUS, tabs", "status.txt", 100 * MB, _status_tab),
    Input("csv-wide", "CSV, 10,000 columns x 3,600", "metrics.csv", 10**12, _wide_csv),
    Input("csv-long", "CSV, time,host,metric,value", "metrics.csv", 100 * MB, _long_csv),
    Input("processlist", "processlist \\G, 1,000 rows", "pl.txt", 100 * MB, _processlist_vertical),
    Input("processlist-box", "processlist in boxes", "pl.txt", 100 * MB, _processlist_box),
    Input("processlist-tab", "processlist, tabs", "pl.txt", 100 * MB, _processlist_tab),
    Input("slow-log", "slow log 8.0", "slow.log", 100 * MB, _slow_log),
    Input("vmstat", "vmstat 1", "vmstat.txt", 50 * MB, _vmstat),
    Input("iostat", "iostat -dx 1", "iostat.txt", 50 * MB, _iostat),
    Input("mpstat", "mpstat -P ALL 1", "mpstat.txt", 50 * MB, _mpstat),
    Input("diskstats", "/proc/diskstats with TS", "x-diskstats", 50 * MB, _diskstats),
    Input("csv-table", "CSV, legends and units", "panel.csv", 30 * MB, monitoring.csv_legends),
    Input(
        "openmetrics", "OpenMetrics, a scrape a second", "m.prom", 30 * MB, monitoring.openmetrics
    ),
    Input(
        "prometheus", "Prometheus range query", "range.json", 30 * MB, monitoring.prometheus_json
    ),
    Input("strace", "strace -f -T -tt", "x-strace", 30 * MB, monitoring.strace),
)

CAPTURE = (
    ("stacktrace", "gdb", 2_000_000),
    ("innodbstatus1", "status", 500_000),
    ("innodbstatus2", "status", 500_000),
    ("mysqladmin", "mysqladmin", 1_000_000),
    ("processlist", "processlist", 8_000_000),
    ("vmstat", "vmstat", 4_000),
    ("iostat", "iostat", 20_000),
    ("mpstat", "mpstat", 20_000),
    ("diskstats", "diskstats", 30_000),
)
"""The files of one pt-stalk capture of a server with 1,000 sessions: suffix, input, bytes."""


def capture_file(name: str, size: int) -> bytes:
    """Return the first ``size`` bytes of an input, cut at a line."""
    (wanted,) = (item for item in INPUTS if item.name == name)
    parts: list[str] = []
    have = 0
    for piece in islice(wanted.pieces(1), 1_000_000):
        parts.append(piece)
        have += len(piece)
        if have >= size:
            break
    return "".join(parts).encode()
