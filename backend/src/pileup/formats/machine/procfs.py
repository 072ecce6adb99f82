"""Kernel counters: /proc/meminfo, vmstat, stat, interrupts, slabinfo; netstat -s; free; numastat.

Source: Documentation/filesystems/proc.rst of Linux; netstat of net-tools; free and vmstat (-s, -D)
        of procps; numastat of numactl, or the files of /sys that pt-stalk copies for it. pt-stalk
        prints each second's copy under a TS line; without one, copies are a nominal second apart.
        A file may hold several of them: pt-summary prints free and meminfo together.
Yields: meminfo.<Name> (KiB), procvmstat.<name>, procstat.cpu_<state> with label cpu (jiffies),
        procstat.<name>, interrupts.count with label irq (all CPUs), slabinfo.size (KiB) with label
        slab for those of a MiB and more, netstat.<protocol>_<words>, free.<row>_<column>,
        vmstat_s.<words>, numastat.<name> with label node; softirqs.count; see also proc_files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from pileup.formats.machine.parts import proc_files
from pileup.formats.machine.parts.proc_lines import file_of, section_of
from pileup.formats.reading.date_lines import read_date_line
from pileup.formats.reading.pt_stalk_samples import clock_event, read_ts
from pileup.formats.reading.series_columns import Columns, Kind, Labels
from pileup.records import Clock, Item, Problem, Skipped

NAME = "procfs"
TITLE = "/proc (meminfo, vmstat, stat, interrupts, slabinfo), netstat -s, free, vmstat -s, numastat"
GIVES = (
    "Counters and levels of the kernel: `meminfo.*`, `procvmstat.*`, `procstat.*`, "
    "`interrupts.count`, `softirqs.count`, `slabinfo.size`, `netstat.*`, `free.*`, `vmstat_s.*`, "
    "`numastat.*`; the network (`netdev.*`, `nstat.*`, `sockstat.*`), a process (`procpid.*`, "
    "`procio.*`, `smaps.*`), zones (`buddyinfo.*`, `pagetypeinfo.*`, `zoneinfo.*`), `swaps.*`; "
    "the CPU quota of a control group (`cgroup.*`)."
)
PRINTED_BY = (
    "Linux (also `/proc/net`, `/proc/PID`), net-tools, procps (`free`, `vmstat -s`, `-D`), numactl"
)
VERSION = 13
HINTS = (
    "-meminfo",
    "-procvmstat",
    "-procstat",
    "-interrupts",
    "-slabinfo",
    "-netstat_s",
    "-numastat",
)

# Kind of file, and the line that begins every copy of it.
_STARTS = (
    ("meminfo", re.compile(r"MemTotal:\s+\d+ kB\s*$")),
    ("procvmstat", re.compile(r"nr_free_pages \d+\s*$")),
    ("procstat", re.compile(r"cpu  ?\d+ \d+ \d+ \d+")),
    ("interrupts", re.compile(r"\s+CPU0(?:\s|$)")),
    ("slabinfo", re.compile(r"slabinfo - version: ")),
    ("netstat_s", re.compile(r"Ip:\s*$")),
    ("free", re.compile(r"\s+total\s+used\s+free\s+shared\b")),
    ("free", re.compile(r"Mem:(?:\s+\d[\d.,]{0,12}(?:[BKMGT]i?)?){6,7}\s*$")),
    ("vmstat_s", re.compile(r"\s*\d+ [KMkmB] total memory\s*$")),
    ("vmstat_s", re.compile(r"\s*\d+ disks\s*$")),
    ("numastat", re.compile(r"\s*node\d+(?:\s+node\d+)*\s*$")),
    *proc_files.STARTS,
)
_FIRSTS = frozenset("MncsI \t0123456789abcdefTNrFPu")
_SOFTIRQS = frozenset(
    {"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "BLOCK_IOPOLL", "IRQ_POLL", "TASKLET", "SCHED",
     "HRTIMER", "RCU"}
)  # fmt: skip
_MEMINFO = re.compile(r"([\w()]+):\s+(\d+)(?: kB)?\s*$")
_VMSTAT = re.compile(r"(\w+) (\d+)\s*$")
# Names of /proc/vmstat that begin with nr_ are levels, except these.
_NR_COUNTERS = ("nr_dirtied", "nr_written", "nr_vmscan", "nr_foll_pin", "nr_throttled")
_VMSTAT_GAUGES = ("workingset_nodes", "nr_")
_CPU_STATES = ("user", "nice", "sys", "idle", "iowait", "irq", "soft", "steal", "guest", "gnice")
_IRQ = re.compile(r"\s*(?P<irq>\w+):(?P<counts>(?:\s+\d+)+)(?:\s+(?P<what>\S.*))?$")
_SLAB = re.compile(r"(?P<slab>\S+)\s+\d+\s+(?P<objects>\d+)\s+(?P<size>\d+)\s")
_LEAST_SLAB_KIB = 1024
_SURE_OF_FREE = ["total", "used", "free", "shared"]
"""Columns that every version of free prints first."""
_NETSTAT_FIRST = re.compile(r"(?P<value>\d+)\s+(?P<words>\D.*)$")
_NETSTAT_LAST = re.compile(r"(?P<words>.*\D[:\s])(?P<value>\d++)(?P<rest>\s+\D.*)?$")
_NETSTAT_GAUGES = ("tcp_connections_established", "ip_forwarding")
_FREE_ROWS = ("Mem", "Swap", "Total", "Low", "High", "-/+ buffers/cache")
_SIZES = {"B": 1 / 1024, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3}
_LONGEST_LINE = 100_000
_MANY_STARTS = ("smaps", "zoneinfo", "buddyinfo", "pid_stat", "sockstat")
"""Files in which every mapping, zone, thread or protocol begins like the file."""
_LONGEST = 200
"""Characters of a line that are matched, except in stat and interrupts."""
_LEAST_INSIDE, _FEW_INSIDE, _ODD_INSIDE = 2, 3, 6
"""Lines of a part of a file; of how many the first may be cut; one in so many may be unknown."""


def sniff(head: str) -> bool | None:
    """Return whether the first line begins one of these files and the lines below belong to it.

    A copy may begin inside of a file: then its lines have names of one file alone.
    """
    heads = (_without_resource(line)[0] for line in head.split("\n")[:12])
    lines = [line for line in heads if line.strip() and not line.startswith("TS ")]
    if not lines:
        return False
    first = _starting_file(lines[0])
    if first is None:
        return _begins_inside(lines)
    if len(lines) < 2 and first not in ("pid_stat", "swaps"):
        return False
    reader = _Reader()
    fit = 0
    whole = lines[:-1] if len(lines) > 2 else lines
    for line in whole:
        if (what := _starting_file(line)) is not None:
            reader.start(what, line)
        fit += reader.line(0, line) or what is not None
    return fit - 1 >= 0.8 * (len(whole) - 1) and (len(lines) > 1 or fit > 0)


def _begins_inside(lines: list[str]) -> bool:
    """Return whether the lines are of one file, without its first; the first may be cut."""
    files = [file_of(line[:_LONGEST]) for line in lines]
    of_file = files[0] or (files[1] if len(files) > _FEW_INSIDE else None)
    if of_file is None or len(lines) < _LEAST_INSIDE:
        return False
    starts = [_starting_file(line) for line in lines]
    ends = next((at for at, what in enumerate(starts) if what), len(lines))
    return ends >= _LEAST_INSIDE and files[:ends].count(of_file) >= max(
        _LEAST_INSIDE, ends - 1 - ends // _ODD_INSIDE
    )


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield the samples of every copy of every file."""
    reader = _Reader()
    clock_reported = False
    swaps_at = 0
    for number, text in enumerate(lines, start=1):
        if text.startswith("TS ") and (stamp := read_ts(text)):
            reader.stamp(stamp[0], "utc")
            if stamp[1] and not clock_reported:
                clock_reported = True
                yield clock_event(number, stamp[0], stamp[1])
            continue
        text, resource = _without_resource(text)
        if resource:
            reader.pressure_of(resource)
        what = _starting_file(text)
        if what is None and not reader.has_begun:
            what = file_of(text[:_LONGEST])
        if what is not None:
            reader.start(what, text)
            swaps_at = number if what == "swaps" else swaps_at
        if not text.strip() or reader.line(number, text[:_LONGEST_LINE]):
            pass
        elif date := read_date_line(text):
            reader.stamp(date.wall_us, date.clock)
        else:
            yield Skipped(number, number, "not a line of a /proc file that is known")
        if reader.samples.full:
            yield from reader.samples.flush()
    reader.end()
    yield from reader.samples.flush()
    if swaps_at and not reader.lists_swap:
        message = (
            "The list of swap areas has its heading alone: none was in use, or the copy is cut "
            "below it. Compare with the Swap row of free."
        )
        yield Problem(swaps_at, message)


def _without_resource(text: str) -> tuple[str, str | None]:
    """Split the path of a file of pressure from the line that it begins, or is."""
    match = proc_files.PRESSURE_OF.match(text[:_LONGEST]) if "pressure/" in text else None
    return (text[match.end() :], match["resource"]) if match else (text, None)


def _starting_file(text: str) -> str | None:
    first = text[:1]
    if first not in _FIRSTS:
        return None
    return next((what for what, start in _STARTS if start.match(text[:_LONGEST])), None)


class _Reader:
    """Reads lines by the kind of file that began last."""

    def __init__(self) -> None:
        self.samples = Columns()
        self._wall = 0
        self._clock: Clock = "relative"
        self._copies: dict[str, int] = {}
        self._number = 0
        self._read: Callable[[str], bool] | None = None
        self._section = ""
        self._slabs: set[str] = set()
        self._free_columns: list[str] = []
        self._nodes: list[str] = []
        self._cpus = 0
        self._files = proc_files.ProcFiles(self._add)
        self._reading = ""
        self._first: tuple[str, ...] = ()
        self._names: set[str] = set()
        """Of the current copy of meminfo or vmstat: one that is printed again begins the next."""

    @property
    def lists_swap(self) -> bool:
        """Whether a swap area was read."""
        return self._files.lists_swap

    @property
    def has_begun(self) -> bool:
        """Whether it is known of which file the lines are."""
        return self._read is not None

    def stamp(self, wall_us: int, clock: Clock) -> None:
        self._files.end_copy()
        self._reading = ""
        self._wall, self._clock = wall_us, clock

    def start(self, what: str, text: str) -> None:
        place = tuple(text.split()[: 1 if what == "sockstat" else 4])
        if what == self._reading and what in _MANY_STARTS and place != self._first:
            return  # the next mapping or zone of the same copy
        if what == self._reading == "free" and text.startswith("Mem:") and self._free_columns:
            return  # a row below its heading
        self._files.end_copy()
        key = f"{what} {self._files.resource}" if what == "pressure" else what
        copies = self._copies[key] = self._copies.get(key, -1) + 1
        if self._clock == "relative":
            self._wall = copies * 1_000_000
        self._reading, self._first = what, place
        self._names.clear()
        self._read = getattr(self._files, what, None) or getattr(self, f"_{what}")

    def pressure_of(self, resource: str) -> None:
        """Note the resource whose pressure follows."""
        self._files.resource = resource

    def end(self) -> None:
        self._files.end_copy()

    def line(self, number: int, text: str) -> bool:
        """Read a line of the current file; return False if it was not understood."""
        self._number = number
        return self._read is not None and self._read(text)

    def _add(
        self,
        series: str,
        value: float,
        kind: Kind = "counter",
        unit: str | None = None,
        labels: Labels = (),
    ) -> None:
        self.samples.add(
            series,
            value,
            wall=self._wall,
            clock=self._clock,
            line=self._number,
            kind=kind,
            unit=unit,
            labels=labels,
        )

    def _name(self, what: str, name: str) -> None:
        """Note a name of the current copy; grep may have removed the line that begins a copy."""
        if name in self._names and self._clock == "relative":
            self.start(what, name)
        self._names.add(name)

    def _meminfo(self, text: str) -> bool:
        match = _MEMINFO.match(text[:_LONGEST])
        if match:
            self._name("meminfo", match[1])
            unit = "pages" if match[1].startswith("HugePages_") else "KiB"
            self._add(f"meminfo.{match[1]}", float(match[2]), "gauge", unit)
        return match is not None

    def _procvmstat(self, text: str) -> bool:
        match = _VMSTAT.match(text[:_LONGEST])
        if match:
            name = match[1]
            self._name("procvmstat", name)
            level = name.startswith(_VMSTAT_GAUGES) and not name.startswith(_NR_COUNTERS)
            unit = "pages" if level or name.startswith("pg") else None
            self._add(f"procvmstat.{name}", float(match[2]), "gauge" if level else "counter", unit)
        return match is not None

    def _procstat(self, text: str) -> bool:
        name, _, rest = text.partition(" ")
        cells = rest[:_LONGEST].split()
        if not cells or not cells[0].isdecimal():
            return False
        if name.startswith("cpu"):
            labels = (("cpu", name[3:] or "all"),)
            for state, cell in zip(_CPU_STATES, cells, strict=False):
                if cell.isdecimal():
                    self._add(f"procstat.cpu_{state}", float(cell), unit="jiffies", labels=labels)
        elif name != "btime":  # when the machine started: no series
            kind: Kind = "gauge" if name.startswith("procs_") else "counter"
            self._add(f"procstat.{name}", float(cells[0]), kind)
        return True

    def _interrupts(self, text: str) -> bool:
        if "CPU0" in text:
            self._cpus = len(text.split())
            return True
        match = _IRQ.match(text.rstrip())
        if match is None:
            return False
        counts = match["counts"].split()
        if match["what"] and len(counts) != self._cpus:
            return False  # an unreadable count: the sum would be too low
        total = sum(int(count[:18]) for count in counts)
        what = " ".join((match["what"] or "").split()[-1:])
        if match["irq"] in _SOFTIRQS and not what:
            self._add("softirqs.count", float(total), labels=(("softirq", match["irq"]),))
            return True
        label = f"{match['irq']} {what}" if match["irq"].isdecimal() else match["irq"]
        self._add("interrupts.count", float(total), labels=(("irq", label.strip()),))
        return True

    def _slabinfo(self, text: str) -> bool:
        if text.startswith(("slabinfo", "#")):
            return True
        match = _SLAB.match(text[:_LONGEST])
        if match is None:
            return False
        kib = int(match["objects"][:18]) * int(match["size"][:18]) / 1024
        if self._copies["slabinfo"] == 0 and kib >= _LEAST_SLAB_KIB:
            self._slabs.add(match["slab"])
        if match["slab"] in self._slabs:
            self._add("slabinfo.size", kib, "gauge", "KiB", (("slab", match["slab"]),))
        return True

    def _netstat_s(self, text: str) -> bool:
        if not text[:1].isspace():
            self._section = text.strip().rstrip(":").lower()
            return text.rstrip().endswith(":")
        line = text.strip()[:_LONGEST]
        if line.endswith(":"):
            return True  # the title of a histogram
        match = _NETSTAT_FIRST.match(line) or _NETSTAT_LAST.match(line)
        if match is None:
            return False
        words = (match["words"] + (match.groupdict().get("rest") or "")).partition(" (")[0]
        name = f"{self._section or section_of(words)}_{_snake(words)}"
        if not self._section:
            self._name("netstat_s", name)  # grep left nothing else of a copy
        kind: Kind = "gauge" if name in _NETSTAT_GAUGES else "counter"
        self._add(f"netstat.{name}", float(match["value"]), kind)
        return True

    def _vmstat_s(self, text: str) -> bool:
        """Read '74389 non-nice user cpu ticks' or '24682416 K total memory'."""
        match = _NETSTAT_FIRST.match(text.strip()[:_LONGEST])
        if match is None:
            return False
        words = match["words"]
        name = f"vmstat_s.{_snake(words.removeprefix('K '))}"
        if words.startswith("K ") and "paged" not in words:
            self._add(name, float(match["value"]), "gauge", "KiB")
        elif words.rstrip() not in ("boot time", "disks", "partitions"):
            unit = "jiffies" if "ticks" in words else None
            kind: Kind = "gauge" if "inprogress" in words else "counter"
            self._add(name, float(match["value"]), kind, unit)
        return True

    def _numastat(self, text: str) -> bool:
        """Read the nodes' names or a counter; numastat prints a column per node."""
        cells = text[:_LONGEST].split()
        if cells and all(re.fullmatch(r"node\d{1,4}", cell) for cell in cells):
            self._nodes = [cell[4:] for cell in cells]
            return True
        if len(cells) != len(self._nodes) + 1 or not all(c.isdecimal() for c in cells[1:]):
            return False
        for node, cell in zip(self._nodes, cells[1:], strict=True):
            value = float(cell[:18])
            self._add(f"numastat.{cells[0][:40]}", value, unit="pages", labels=(("node", node),))
        return True

    def _free(self, text: str) -> bool:
        row, colon, rest = text[:_LONGEST].partition(":")
        if colon and row not in _FREE_ROWS:
            return False
        if not colon:
            self._free_columns = text[:_LONGEST].split()
            return True
        columns = ["used", "free"] if row.startswith("-/+") else self._free_columns
        columns = columns or _SURE_OF_FREE
        for column, cell in zip(columns, rest.split(), strict=False):
            size = re.fullmatch(r"(\d+(?:[.,]\d+)?)([BKMGT])?i?", cell)
            if size is None:
                return False
            value = float(size[1].replace(",", "."))
            scaled = value * _SIZES[size[2]] if size[2] else value
            # -b, -k and -m print no unit
            self._add(f"free.{_snake(row)}_{column}", scaled, "gauge", "KiB" if size[2] else None)
        return True


def _snake(words: str) -> str:
    return "_".join(re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words).lower()))
