"""top -b: load, tasks, CPU and memory per block, and the busiest processes.

Source: top(1) of procps. Only the time of day is printed. The first block's CPU figures cover
        another interval than the rest: since boot and since each process' start, or (procps 4) the
        few milliseconds of top's own start. They are left out when there is another block.
Yields: top.load1, top.tasks_running, top.cpu_<state>, top.mem_*, and top.process_cpu with labels
        command and pid for processes above one percent; with -H top.thread_cpu with label tid.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.reading.series_columns import Columns, number
from pileup.records import Item

NAME = "top"
TITLE = "top"
GIVES = "Load, tasks, CPU, memory (`top.*`) and the busiest processes."
PRINTED_BY = "procps 3 and 4, `top -b`, `-H`"
VERSION = 4
HINTS = ("-top", "top.txt")

_HEAD = re.compile(r"^top - (?P<time>\d\d:\d\d:\d\d) up .*load average: (?P<loads>[\d., ]+)")
_TASKS = re.compile(r"^(?:Tasks|Threads): *(?P<total>\d+) total, *(?P<running>\d+) running")
_CPU = re.compile(r"(?<![^\s:,])(?P<value>\d+[.,]\d+)[ %]*(?P<state>us|sy|ni|id|wa|hi|si|st)\b")
_MEM = re.compile(r"^(?:(?P<unit>[KMGT]iB) )?(?P<what>Mem|Swap) *: *(?P<rest>.*)")
_PART = re.compile(
    r"(?:^|(?<=[\s:])|(?<=total,)|(?<=free,)|(?<=used,))(?P<value>\d+(?:[.,]\d+)?)[kK]? *\+?"
    r"(?P<name>total|free|used|buff/cache|buffers|avail)"
)
_ABOVE = re.compile(r"^top - \d\d:\d\d:\d\d up ", re.MULTILINE)
_LIST = re.compile(
    r" *PID USER +PR +NI +VIRT +RES +SHR +S +%CPU +%MEM +TIME\+ +COMMAND *$", re.MULTILINE
)
_LEAST_CPU = 1.0
_LONGEST = 2_000


def sniff(head: str) -> bool | None:
    """Return whether the text holds top's first line, or begins with its tasks or processes."""
    return bool(
        ("top - " in head and _ABOVE.search(head))
        or _LIST.match(head.lstrip("\n"))
        or (_TASKS.match(head.lstrip()) and _LIST.search(head))
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every block; times count from the first, as top prints no date."""
    samples, first_cpu = Columns(), Columns()
    columns: list[str] = []
    first: int | None = None
    blocks = 0
    wall = 0
    threads = False
    for line_number, raw in enumerate(lines, start=1):
        text = raw[:_LONGEST]
        if match := _HEAD.match(text):
            hour, minute, second = match["time"].split(":")
            at = int(hour) * 3600 + int(minute) * 60 + int(second)
            first = at if first is None else first
            wall = ((at - first) % 86_400) * 1_000_000
            columns = []
            blocks += 1
            loads = match["loads"].replace(", ", " ").split()
            _add(samples, "load1", loads[0] if loads else "", wall, line_number, None)
        elif match := _TASKS.match(text):
            threads = text.startswith("Threads")
            _add(samples, "tasks", match["total"], wall, line_number, "tasks")
            _add(samples, "tasks_running", match["running"], wall, line_number, "tasks")
        elif text.startswith(("%Cpu", "Cpu(s)")):
            for part in _CPU.finditer(text):
                into = samples if blocks > 1 else first_cpu
                _add(into, f"cpu_{part['state']}", part["value"], wall, line_number, "%")
        elif match := _MEM.match(text):
            for part in _PART.finditer(match["rest"]):
                name = part["name"].replace("/", "_")
                unit = match["unit"] or "KiB"
                _add(
                    samples,
                    f"{match['what'].lower()}_{name}",
                    part["value"],
                    wall,
                    line_number,
                    unit,
                )
        elif text.split()[:2] == ["PID", "USER"]:
            columns = text.split()
        elif columns and (cells := text.split(None, len(columns) - 1)):
            into = samples if blocks > 1 else first_cpu
            _process(into, columns, cells, wall, line_number, threads)
        if samples.full:
            yield from samples.flush()
    yield from samples.flush()
    if blocks <= 1:
        yield from first_cpu.flush()


def _process(
    samples: Columns, columns: list[str], cells: list[str], wall: int, line: int, threads: bool
) -> None:
    row = dict(zip(columns, cells, strict=False))
    cpu = number(row.get("%CPU", ""))
    if cpu is None or cpu < _LEAST_CPU or "COMMAND" not in row:
        return
    # with -H a line is a thread, with its own name, and its LWP in the column of the process
    name = "top.thread_cpu" if threads else "top.process_cpu"
    command = row["COMMAND"].strip()[:80].replace(",", "_").replace("=", "_")
    labels = (("command", command), ("tid" if threads else "pid", row["PID"]))
    samples.add(name, cpu, wall=wall, clock="relative", line=line, unit="%", labels=labels)


def _add(columns: Columns, name: str, text: str, wall: int, line: int, unit: str | None) -> None:
    columns.add(f"top.{name}", number(text), wall=wall, clock="relative", line=line, unit=unit)
