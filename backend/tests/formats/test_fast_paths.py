"""Plain files of some length are read many rows at a time, by the path that is made for them.

Both ways give the same records (the tests of each format hold that), so a fast path that silently
is never taken changes no record: files only take many times as long.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.formats.checks import parse_bytes

SAMPLES = Path(__file__).parents[1] / "samples"


def vmstat(rows: int) -> str:
    head = (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    )
    return head + f"{' 1  0  0 812 96 713  0  0  5 12  100 200 10 2 86 2 0':s}\n" * rows


def threads(rows: int) -> str:
    """Samples of gdb in which most threads stand as before."""
    return (SAMPLES / "gdb" / "5.6-commit-last-40-threads.txt").read_text() * (rows // 40)


def eu_stack(rows: int) -> str:
    frames = "#0  0x00007f7a poll\n#1  0x00005e1a vio_io_wait\n"
    return "PID 1 - process\n" + "".join(f"TID {7 + at}:\n{frames}" for at in range(rows))


def folded(rows: int) -> str:
    return "".join(f"mysqld;do_command;read_{at % 7};poll {at + 1}\n" for at in range(rows))


def listing(form: str) -> Callable[[int], str]:
    names = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")

    def text(rows: int) -> str:
        cells = [
            (str(at), "app", f"10.0.0.7:{at}", "shop", "Query", "3", "updating", "update t set a=1")
            for at in range(1, rows + 1)
        ]
        if form == "tab":
            return "".join("\t".join(row) + "\n" for row in (names, *cells))
        if form == "vertical":
            return "".join(
                f"{'*' * 27} {at}. row {'*' * 27}\n"
                + "".join(f"{name:>7}: {cell}\n" for name, cell in zip(names, row, strict=True))
                for at, row in enumerate(cells, start=1)
            )
        wide = [max(len(row[at]) for row in (names, *cells)) for at in range(8)]
        rule = "+" + "+".join("-" * (size + 2) for size in wide) + "+\n"
        lines = [
            "| " + " | ".join(cell.ljust(wide[at]) for at, cell in enumerate(row)) + " |\n"
            for row in (names, *cells)
        ]
        return rule + lines[0] + rule + "".join(lines[1:]) + rule

    return text


def status(rows: int) -> str:
    names = ("Aborted_clients", "Bytes_received", "Com_select", "Threads_running", "Uptime")
    return "".join(
        "Variable_name\tValue\n"
        + "".join(f"{name}\t{100 * at + 10 * of}\n" for of, name in enumerate(names))
        for at in range(1, rows + 1)
    )


def metrics(rows: int) -> str:
    lines = [f"2026-11-20T22:{at // 60:02}:{at % 60:02}Z,{at},{at}.5\n" for at in range(rows)]
    return "time,threads_running,qps\n" + "".join(lines)


def german(rows: int) -> str:
    times = (f"20.11.2026\t{22 + at // 3600}:{at // 60:02}:{at % 60:02}" for at in range(rows))
    lines = [f"{time}\t{at}\t1.234,5\n" for at, time in enumerate(times)]
    return "Datum\tUhrzeit\tLaufende Threads\tQPS\n" + "".join(lines)


def again(name: str) -> Callable[[int], str]:
    """Return what a tool prints with its last reports printed again and again."""
    head, _, reports = (SAMPLES / name).read_text().partition("\n\n")
    return lambda rows: f"{head}\n\n" + f"{reports.rstrip()}\n\n" * (rows // 4)


def _all_of(frame: Any, *_: Any) -> int:
    return 0 if frame is None else len(frame)


FAST: dict[str, tuple[Callable[[int], str], str, Callable[..., float]]] = {
    "vmstat": (vmstat, "machine.vmstat:table", _all_of),
    "iostat": (again("iostat/sysstat-12.txt"), "machine.iostat:table", _all_of),
    "mpstat": (again("mpstat/sysstat-12.txt"), "machine.mpstat:table", _all_of),
    "threads of gdb": (
        threads,
        "stacks.gdb:_Reader._known_threads",
        lambda end, _reader, _data, at, *_: (end - at) / 1000,  # most threads have more bytes
    ),
    "threads of eu-stack": (eu_stack, "stacks.eu_stack:_Reader.known_thread", lambda *_: 1),
    "folded stacks": (
        folded,
        "stacks.parts.folded_lines:read",
        lambda found, *_: 0 if found is None else len(found.counts),
    ),
    **{
        f"rows, {form}": (
            listing(form),
            "tables.layouts.reader:Reader.cells_at",
            lambda cells, *_: 0 if cells is None else len(cells.frame),
        )
        for form in ("tab", "vertical", "box")
    },
    **{
        f"sessions, {form}": (
            listing(form),
            "tables.meanings.sessions:_Sessions._read",
            lambda read, _self, cells, *_: 0 if read is None else len(cells.frame),
        )
        for form in ("tab", "vertical", "box")
    },
    "samples of status": (
        status,
        "tables.layouts.repeated:Shape.repeats",
        lambda samples, *_: samples,
    ),
    "metrics": (
        metrics,
        "metrics.metric_csv:_Reader.plain",
        lambda items, _reader, chunk: 0 if items is None else chunk.lines,
    ),
    "a table of metrics": (
        german,
        "metrics.parts.csv_rows:Reader._read_in_bulk",
        lambda is_read, _reader, waiting: len(waiting) if is_read else 0,
    ),
}
ROWS = 400


@pytest.mark.parametrize("name", FAST)
def test_most_rows_take_the_fast_path(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, place, rows_of = FAST[name]
    module, _, attribute = place.partition(":")
    owner: Any = importlib.import_module(f"pileup.formats.{module}")
    *inner, last = attribute.split(".")
    for part in inner:
        owner = getattr(owner, part)
    real, taken = getattr(owner, last), 0.0

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal taken
        found = real(*arguments, **named)
        taken += rows_of(found, *arguments)
        return found

    monkeypatch.setattr(owner, last, counted)
    parse_bytes(make(ROWS).encode())
    assert taken >= 0.9 * ROWS
