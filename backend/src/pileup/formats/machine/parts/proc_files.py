"""Readers of further /proc files: the network, one process, memory zones and swap.

Source: Documentation/filesystems/proc.rst of Linux; proc_pid_status(5), proc_pid_stat(5),
        proc_pid_io(5), proc_pid_smaps(5).
Yields: netdev.<rx|tx>_<field> with label device; nstat.<Protocol>_<Name> of /proc/net/netstat and
        snmp; sockstat.<protocol>_<name> of sockstat and sockstat6; procpid.<Name> of status and
        stat with labels command and pid; procio.<name>; smaps.<Name>, the sum over all mappings;
        swaps.used, .size with label file; buddyinfo.free, pagetypeinfo.free (pages) and
        zoneinfo.<name> with labels node and zone; pressure.<some|full>_<name>; numastat.<Kind> with
        label node of numastat -p and -m.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Protocol

from pileup.formats.reading.series_columns import Kind, Labels

# Kind of file, and the line that begins every copy of it.
STARTS = (
    ("net_dev", re.compile(r"Inter-\|\s+Receive\s")),
    ("net_netstat", re.compile(r"(?:TcpExt|Ip): [A-Z]\w+ [A-Z]\w+ ")),
    ("sockstat", re.compile(r"sockets: used \d+\s*$|(?:TCP|UDP)6?: inuse \d+\b")),
    ("pressure", re.compile(r"some avg10=")),
    ("cpu_stat", re.compile(r"(?:usage_usec|nr_periods) \d{1,18}\s*$")),
    ("node_usage", re.compile(r"Per-node (?:process|system) memory usage \(in MBs\)")),
    ("pid_status", re.compile(r"Name:\t\S")),
    (
        "pid_stat",
        re.compile(
            r"\d{1,9} \(.{1,64}\) [A-Za-z] \d{1,9} \d{1,9} \d{1,9} \d{1,9} -?\d{1,9} \d+ \d+ "
        ),
    ),
    ("pid_io", re.compile(r"rchar: \d+\s*$")),
    ("smaps", re.compile(r"[0-9a-f]{8,16}-[0-9a-f]{8,16} [r-][w-][x-][ps-] [0-9a-f]{8,16} ")),
    ("swaps", re.compile(r"Filename\s+Type\s+Size\s+Used\s+Priority\s*$")),
    ("pagetypeinfo", re.compile(r"Page block order: \d+\s*$")),
    ("zoneinfo", re.compile(r"Node 0, zone +\w+\s*$")),
    ("buddyinfo", re.compile(r"Node 0, zone +\w+(?: +\d+){4,}\s*$")),
)
_NET_FIELDS = tuple(
    f"{way}_{field}"
    for way, last in (
        ("rx", ("frame", "compressed", "multicast")),
        ("tx", ("colls", "carrier", "compressed")),
    )
    for field in ("bytes", "packets", "errs", "drop", "fifo", *last)
)  # fmt: skip
_DEVICE = re.compile(
    r"\s*(?P<device>[^\s:]{1,32}(?::\d{1,4})?):\s*(?P<numbers>\d+(?:\s+\d+){15})\s*$"
)
_SOCKETS = re.compile(r"(?P<protocol>[A-Za-z]{1,12}6?):(?P<pairs>(?: [a-z]{1,12} \d{1,18})+)\s*$")
_NODES = re.compile(r"\s+Node \d{1,4}(?:\s+Node \d{1,4})*(?:\s+Total)?\s*$")
_OF_NODES = re.compile(r"(?P<name>[A-Z][\w()]{1,30})(?P<cells>(?:\s+\d{1,12}\.\d\d)+)\s*$")
# ==> /proc/pressure/io <==        /proc/pressure/io:some avg10=0.00 ...
PRESSURE_OF = re.compile(
    r"(?:[=#> -]{0,10}|.{0,40} )\S{0,60}\bpressure/(?P<resource>cpu|io|memory|irq)\b"
    r"(?::(?=some |full )|[\s<=:#-]*$)"
)
"""Names whose pressure follows: the path that tail, grep or a script prints."""
_PRESSURE = re.compile(
    r"(?P<who>some|full) avg10=(?P<avg10>[\d.]{1,8}) avg60=(?P<avg60>[\d.]{1,8})"
    r" avg300=(?P<avg300>[\d.]{1,8})(?: total=(?P<total>\d{1,18}))?\s*$"
)
_STATUS = re.compile(r"(?P<name>\w+):\s+(?P<value>\d{1,18})(?P<unit> kB)?\s*$")
_TEXTS = re.compile(
    r"(?:Name|Umask|State|Uid|Gid|Groups|NS\w+|Sig\w+|Shd\w+|Cap\w+|Seccomp\w*|Speculation\w+|x86_\w+"
    r"|Cpus_allowed\w*|Mems_allowed\w*|CoreDumping|THP_enabled|untag_mask|Kthread|NoNewPrivs):"
)
_COUNTERS = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
_PID_STAT = re.compile(
    r"(?P<pid>\d{1,9}) \((?P<command>.{1,64})\) (?P<state>[A-Za-z]) (?P<rest>[-\d ]{20,1000})$"
)
_STAT_FIELDS: tuple[tuple[int, str, Kind, str | None], ...] = (
    (10, "minflt", "counter", "faults"),
    (12, "majflt", "counter", "faults"),
    (14, "utime", "counter", "ticks"),
    (15, "stime", "counter", "ticks"),
    (20, "num_threads", "gauge", "threads"),
    (23, "vsize", "gauge", "B"),
    (24, "rss", "gauge", "pages"),
    (42, "delayacct_blkio_ticks", "counter", "ticks"),
)
"""Fields of proc_pid_stat(5), numbered from 1 as there."""
_NO_SERIES = ("Tgid", "Ngid", "Pid", "PPid", "TracerPid")
_IO = re.compile(r"(?P<name>\w+): (?P<value>\d{1,18})\s*$")
_MAPPING = dict(STARTS)["smaps"]
_MAPPED = re.compile(r"(?P<name>\w+): +(?P<value>\d{1,18}) kB\s*$")
_SWAP = re.compile(
    r"(?P<file>\S{1,200})\s+\w+\s+(?P<size>\d{1,18})\s+(?P<used>\d{1,18})\s+-?\d+\s*$"
)
_ZONE = re.compile(r"Node +(?P<node>\d{1,4}), zone +(?P<zone>\w{1,16})(?P<rest>.*)$")
_TYPE = re.compile(r", type +(?P<type>\w{1,16})(?P<numbers>(?: +[>\d]+)+)\s*$")
_ZONE_VALUE = re.compile(r"\s+(?:pages )?(?P<name>[a-z]\w{1,40})\s+(?P<value>\d{1,18})\s*$")
_ZONE_OTHER = re.compile(
    r"\s+(?:per-node stats|pagesets|protection: |cpu: |count: |high: |batch: |high_min: |high_max: "
    r"|vm stats threshold: |node_unreclaimable: |all_unreclaimable: |start_pfn: |prev_priority: "
    r"|node_inactive_ratio: |inactive_ratio: |numa_\w+: )"
)


class Add(Protocol):
    """Take one value of a series at the time of the current copy."""

    def __call__(
        self,
        series: str,
        value: float,
        kind: Kind = "counter",
        unit: str | None = None,
        labels: Labels = (),
    ) -> None: ...


class ProcFiles:
    """Reads lines of the current copy; each method returns False for a line it does not know."""

    def __init__(self, add: Add) -> None:
        self._add = add
        self._names: list[str] = []
        self._periods = 0.0
        """Periods of a CPU quota since the group began."""
        self._process: dict[str, str] = {}
        self._mapped: defaultdict[str, int] = defaultdict(int)
        self._zone: Labels = ()
        self.resource = ""
        """Whose pressure the next lines are; empty where no line names it."""
        self.lists_swap = False

    def cpu_stat(self, text: str) -> bool:
        """Read cpu.stat of a control group: how often its quota stopped it."""
        name, _, value = text.strip().partition(" ")
        if not re.fullmatch(r"[a-z_.]{3,40}", name) or not value.isdecimal():
            return False
        self._add(f"cgroup.{name}", float(value[:18]), unit="us" if name.endswith("usec") else None)
        if name == "nr_periods":
            self._periods = float(value[:18])
        elif name == "nr_throttled" and self._periods:
            share = 100 * float(value[:18]) / self._periods
            self._add("cgroup.throttled_pct", share, "gauge", "%")
        return True

    def end_copy(self) -> None:
        """Add what is known at the end of a copy only: the sums over mappings."""
        for name, kib in self._mapped.items():
            self._add(f"smaps.{name}", float(kib), "gauge", "KiB")
        self._mapped.clear()

    def net_dev(self, text: str) -> bool:
        if "|" in text:
            return True
        match = _DEVICE.match(text)
        if match:
            labels = (("device", match["device"]),)
            for field, cell in zip(_NET_FIELDS, match["numbers"].split(), strict=True):
                unit = "B" if field.endswith("_bytes") else "packets"
                self._add(f"netdev.{field}", float(cell[:18]), unit=unit, labels=labels)
        return match is not None

    def net_netstat(self, text: str) -> bool:
        """Read a line of names or the line of values below it."""
        head, _, rest = text.partition(": ")
        cells = rest.split()
        if not cells or not head.isalnum():
            return False
        if not cells[0].lstrip("-").isdecimal():
            self._names = [f"{head}_{cell[:60]}" for cell in cells]
            return True
        if len(cells) != len(self._names) or not self._names[0].startswith(f"{head}_"):
            return False
        for name, cell in zip(self._names, cells, strict=True):
            if cell.isdecimal():  # -1: no limit
                self._add(f"nstat.{name}", float(cell[:18]), _nstat_kind(name))
        return True

    def sockstat(self, text: str) -> bool:
        """Read 'TCP: inuse 27 orphan 0 tw 3 alloc 30 mem 5': sockets, and pages of their memory."""
        match = _SOCKETS.match(text)
        if match is None:
            return False
        cells = match["pairs"].split()
        for name, cell in zip(cells[::2], cells[1::2], strict=True):
            unit = {"mem": "pages", "memory": "B"}.get(name, "sockets")
            self._add(f"sockstat.{match['protocol']}_{name}", float(cell), "gauge", unit)
        return True

    def pressure(self, text: str) -> bool:
        """Read 'some avg10=12.10 avg60=44.20 avg300=20.10 total=91233123' of /proc/pressure.

        Label resource where a line above names it.
        """
        match = _PRESSURE.match(text)
        if match is None:
            return False
        labels = (("resource", self.resource),) if self.resource else ()
        for name in ("avg10", "avg60", "avg300"):
            self._add(f"pressure.{match['who']}_{name}", float(match[name]), "gauge", "%", labels)
        if match["total"]:
            total = float(match["total"])
            self._add(f"pressure.{match['who']}_total", total, "counter", "us", labels)
        return True

    def node_usage(self, text: str) -> bool:
        """Read numastat -p and -m: a row per kind of memory, a column per node and their total."""
        if _NODES.match(text):
            self._names = re.findall(r"\d+", text)
            return True
        match = _OF_NODES.match(text)
        if match is None:
            return text.startswith("Per-node ") or not text.strip(" -")
        cells = match["cells"].split()
        for node, cell in zip(self._names, cells, strict=False):
            self._add(f"numastat.{match['name']}", float(cell), "gauge", "MiB", (("node", node),))
        return len(cells) >= len(self._names)

    def pid_status(self, text: str) -> bool:
        match = _STATUS.match(text)
        name, _, value = text.partition(":")
        if name in ("Name", "Pid"):
            self._process["command" if name == "Name" else "pid"] = value.strip()[:80]
        if match is None:
            return _TEXTS.match(text) is not None
        if name not in _NO_SERIES and _TEXTS.match(text) is None:
            kind: Kind = "counter" if name in _COUNTERS else "gauge"
            labels = tuple((key, _plain(self._process[key])) for key in sorted(self._process))
            unit = "KiB" if match["unit"] else None
            self._add(f"procpid.{name}", float(match["value"]), kind, unit, labels)
        return True

    def pid_stat(self, text: str) -> bool:
        match = _PID_STAT.match(text.rstrip())
        if match is None:
            return False
        cells = match["rest"].split()  # from the fourth field on
        labels = (("command", _plain(match["command"])), ("pid", match["pid"]))
        for field, name, kind, unit in _STAT_FIELDS:
            at = field - 4
            if at < len(cells) and cells[at].isdecimal() and len(cells[at]) <= 18:
                self._add(f"procpid.{name}", float(cells[at]), kind, unit, labels)
        return True

    def pid_io(self, text: str) -> bool:
        match = _IO.match(text)
        if match:
            unit = "B" if match["name"].endswith(("bytes", "char")) else "calls"
            self._add(f"procio.{match['name']}", float(match["value"]), unit=unit)
        return match is not None

    def smaps(self, text: str) -> bool:
        if match := _MAPPED.match(text):
            if match["name"] not in ("KernelPageSize", "MMUPageSize"):
                self._mapped[match["name"]] += int(match["value"])
            return True
        names = ("VmFlags:", "THPeligible:", "ProtectionKey:")
        return text.startswith(names) or _MAPPING.match(text) is not None

    def swaps(self, text: str) -> bool:
        match = _SWAP.match(text)
        if match is None:
            return text.startswith("Filename")
        self.lists_swap = True
        labels = (("file", _plain(match["file"])),)
        for name in ("size", "used"):
            self._add(f"swaps.{name}", float(match[name]), "gauge", "KiB", labels)
        return True

    def buddyinfo(self, text: str) -> bool:
        """Read the free blocks of each order (2^order pages) of a zone."""
        match = _ZONE.match(text)
        cells = match["rest"].split() if match else []
        if match is None or not cells or not all(cell.isdecimal() for cell in cells):
            return False
        for order, cell in enumerate(cells):
            labels = (("node", match["node"]), ("order", str(order)), ("zone", match["zone"]))
            self._add("buddyinfo.free", float(cell[:18]), "gauge", "blocks", labels)
        return True

    def pagetypeinfo(self, text: str) -> bool:
        zone = _ZONE.match(text)
        if zone is None:
            return text.startswith(("Page", "Pages", "Free pages", "Number of blocks"))
        if match := _TYPE.match(zone["rest"]):
            cells = [int(cell.lstrip(">")[:15] or 0) for cell in match["numbers"].split()]
            labels = (("node", zone["node"]), ("type", match["type"]), ("zone", zone["zone"]))
            pages = sum(count << order for order, count in enumerate(cells))
            self._add("pagetypeinfo.free", float(pages), "gauge", "pages", labels)
            return True
        return False  # blocks by type: no series

    def zoneinfo(self, text: str) -> bool:
        if zone := _ZONE.match(text):
            self._zone = (("node", zone["node"]), ("zone", zone["zone"]))
            return True
        if match := _ZONE_VALUE.match(text):
            kind: Kind = "counter" if match["name"].startswith("numa_") else "gauge"
            self._add(f"zoneinfo.{match['name']}", float(match["value"]), kind, "pages", self._zone)
            return True
        return _ZONE_OTHER.match(text) is not None


def _nstat_kind(name: str) -> Kind:
    gauges = ("Forwarding", "DefaultTTL", "CurrEstab", "RtoAlgorithm", "RtoMin", "RtoMax")
    return "gauge" if name.endswith(gauges) else "counter"


def _plain(text: str) -> str:
    return text.replace(",", "_").replace("=", "_")


__all__ = ["STARTS", "ProcFiles"]
