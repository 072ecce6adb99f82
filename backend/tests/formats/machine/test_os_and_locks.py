"""Operating system tools, the error log, lock tables: exact values from known text."""

from __future__ import annotations

import itertools

import pytest

from pileup.formats.logs import error_log
from pileup.formats.machine import df, diskstats, iostat, mpstat, procfs, top, vmstat
from pileup.formats.machine.parts.sysstat import read_date
from pileup.formats.tables import lock_tables
from pileup.records import Deadlock, Event, LockWait, Problem, Samples, SemaphoreWait, Transaction
from tests.formats.checks import SAMPLES, one_by_one, samples

FORMATS = ("iostat", "mpstat", "diskstats", "df", "top", "procfs", "error-log", "lock-tables")
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    dump_inside = name == "error-log" and "MONITOR OUTPUT" in path.read_text()
    shared = ("innodb-status",) if dump_inside else ()
    check_sample(path, shared=shared)


def read(module, folder: str, name: str) -> list[object]:
    return list(one_by_one(module.parse((SAMPLES / folder / name).read_text().split("\n"))))


def series(module, folder: str, name: str) -> dict[tuple[str, str], Samples]:
    found = [i for i in read(module, folder, name) if isinstance(i, Samples)]
    return {(i.series, i.labels[0][1] if i.labels else ""): i for i in found}


def test_iostat_maps_by_header_and_leaves_out_the_block_since_boot() -> None:
    first = series(iostat, "iostat", "sysstat-12.txt")[("iostat.r/s", "vda")]
    assert list(first.values)[:2] == [138.0, 625.0]
    assert list(first.wall_us)[:2] == [0, 1_000_000]


@pytest.mark.parametrize(("rows", "shown"), [(1, [99.9]), (3, [99.9, 99.9])])
def test_rows_of_iostat_under_a_single_heading_are_a_report_each(
    rows: int, shown: list[float]
) -> None:
    """As ``grep`` and people copy it: no banner says that the first is the average since boot."""
    heading = "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await svctm %util\n"
    row = "sdb  0.0 2.0 1.0 118.0 16.0 2210.0 37.4 61.2 512.1 8.4 99.9\n"
    found = one_by_one(iostat.parse((heading + row * rows).splitlines(keepends=True)))
    (util,) = [i for i in found if isinstance(i, Samples) and i.series == "iostat.util"]
    assert list(util.values) == shown


def test_mpstat_takes_its_date_from_the_banner() -> None:
    first = series(mpstat, "mpstat", "sysstat-12.txt")[("mpstat.usr", "all")]
    assert first.values[0] == 67.15
    assert (first.clock, first.wall_us[0]) == ("local", 1795213199000000)


def test_diskstats_are_counters_per_busy_device() -> None:
    found = series(diskstats, "diskstats", "pt-stalk-linux-6.txt")
    assert {device for _, device in found} == {"vda"}
    assert found[("diskstats.reads", "vda")].values[0] == 494830
    assert found[("diskstats.reads", "vda")].kind == "counter"
    assert found[("diskstats.in_progress", "vda")].kind == "gauge"


def test_df_and_top() -> None:
    space = series(df, "df", "pt-stalk.txt")
    assert space[("df.available", "/")].values[0] == 64490644
    load = series(top, "top", "procps-4.txt")
    assert load[("top.load1", "")].values[0] == 34.74
    # of two blocks, only the second's CPU figures cover the interval
    assert list(load[("top.cpu_sy", "")].values) == [27.0]


def test_old_iostat_with_decimal_commas_and_times_over_midnight() -> None:
    found = series(iostat, "iostat", "sysstat-10-t-decimal-comma.txt")
    await_ms = found[("iostat.await", "sda")]
    assert list(await_ms.values) == [85.2, 86.0]
    assert (await_ms.clock, list(await_ms.wall_us)) == (
        "local",
        [1795305599_000000, 1795305600_000000],
    )
    assert list(found[("iostat.cpu_iowait", "")].values) == [60.0, 60.0]
    assert found[("iostat.avgqu-sz", "sda")].values[0] == 128.5


def test_cpu_block_of_iostat_is_timed_with_its_devices() -> None:
    """Without -t, blocks are a nominal second apart: the CPU table with the devices below it."""
    found = series(iostat, "iostat", "sysstat-12.txt")
    devices = found[("iostat.util", "vda")]
    block = "avg-cpu: %user %idle\n {} 50.0\n\nDevice r/s %util\nvda 1 {}\n\n"
    text = "".join(block.format(n, n) for n in (1.0, 2.0, 3.0))
    items = one_by_one(iostat.parse(text.split("\n")))
    every = {i.series: i for i in items if isinstance(i, Samples)}
    assert list(every["iostat.cpu_user"].wall_us) == [0, 1_000_000]
    assert list(every["iostat.cpu_user"].values) == [2.0, 3.0]
    assert list(every["iostat.util"].wall_us) == [0, 1_000_000]
    assert devices.clock == "relative"


def test_mpstat_of_twelve_hours_and_more_tables() -> None:
    found = series(mpstat, "mpstat", "sysstat-11-A-12-hours-over-midnight.txt")
    usr = found[("mpstat.usr", "all")]
    assert list(usr.values) == [26.15, 80.0]
    assert list(usr.wall_us) == [1795305598_000000, 1795305601_000000]
    assert list(found[("mpstat.intr/s", "all")].values) == [1301.92]
    assert {name for name, _ in found if name.endswith("/s")} == {"mpstat.intr/s"}


def test_mpstat_of_any_language_tells_nodes_from_cpus_and_interrupts_apart() -> None:
    items = read(mpstat, "mpstat", "sysstat-12-chinese-interrupts-nodes-then-T.txt")
    found = {(i.series, i.labels): i for i in items if isinstance(i, Samples)}
    assert list(found["mpstat.usr", (("node", "all"),)].values) == [16.15]
    cpu = found["mpstat.usr", (("cpu", "all"),)]
    assert list(cpu.values) == [26.15, 26.15]
    assert list(cpu.wall_us) == [1795212764_000000, 1595110364_000000]
    softirq = found["mpstat.softirqs", (("cpu", "1"), ("irq", "NET_RX"))]
    assert list(softirq.values) == [470.58]
    assert ("mpstat.interrupts", (("cpu", "0"), ("irq", "NMI"))) not in found  # none ever came
    assert list(found["mpstat.interrupts", (("cpu", "0"), ("irq", "1"))].values) == [9.0, 0.0, None]
    assert [item.line for item in items if isinstance(item, Problem)] == [36]


def test_iostat_of_old_versions_other_languages_and_h() -> None:
    name = "sysstat-7-times-wrapped-names-french-and-h.txt"
    sda = [
        (i.wall_us[0], i.values[0])  # of each run but the report since boot
        for i in read(iostat, "iostat", name)
        if isinstance(i, Samples) and (i.series, i.labels) == ("iostat.util", (("device", "sda"),))
    ]
    # 11/20/2009 in English, 05/11/2026 in French
    assert sda == [(1258715068_000000, 0.04), (1793874002_000000, 0.04)]
    found = series(iostat, "iostat", name)
    assert found["iostat.util", "/dev/mapper/VolGroup00-LogVol00"].values[0] == 0.04
    assert list(found["iostat.rkB/s", "nvme0n1"].values) == [3072.0]  # 3.0M
    assert list(found["iostat.util", "nvme0n1"].values) == [77.0]


@pytest.mark.parametrize(
    ("date", "half_days", "read"),
    [
        ("11/20/26", False, (2026, 11, 20)),  # C
        ("05/11/26", False, (2026, 5, 11)),
        ("11/20/2026", True, (2026, 11, 20)),  # en_US
        ("05/11/2026", True, (2026, 5, 11)),
        ("05/11/2026", False, (2026, 11, 5)),  # fr_FR
        ("05.11.2026", False, (2026, 11, 5)),  # de_DE
        ("05-11-26", False, (2026, 11, 5)),  # nl_NL
        ("2026-11-05", False, (2026, 11, 5)),  # ISO
        ("2026年11月05日", False, (2026, 11, 5)),
        ("2026년 11월 05일", True, (2026, 11, 5)),
        ("Wednesday 20 June 2012", False, (2012, 6, 20)),  # en_IN
        ("20/June", False, None),
    ],
)
def test_the_date_of_a_banner(date: str, half_days: bool, read: object) -> None:
    assert read_date(date, half_days=half_days) == read


def test_df_with_letters_types_and_a_wrapped_name() -> None:
    found = series(df, "df", "coreutils-hT-wrapped.txt")
    assert found[("df.used", "/")].values[0] == 1.5 * 1024**2
    assert found[("df.available", "/var/lib/mysql data")].values[0] == 80 * 1024**2
    assert found[("df.use", "/var/lib/mysql data")].values[0] == 97.0
    assert found[("df.use", "/proc")].values[0] is None


def test_diskstats_of_devices_with_a_slash() -> None:
    found = series(diskstats, "diskstats", "pt-diskstats-cciss.txt")
    writes = found[("diskstats.writes", "cciss/c0d0")]
    assert list(writes.values) == [17999682, 17999728]
    assert list(writes.wall_us) == [1281367519_000000, 1281367521_000000]
    assert {device for _, device in found} == {"cciss/c0d0", "cciss/c0d0p1"}


def test_vmstat_whose_times_are_utc() -> None:
    found = series(vmstat, "vmstat", "procps-a-t-utc.txt")
    assert list(found[("vmstat.b", "")].values) == [2, 0]
    assert list(found[("vmstat.active", "")].values) == [2939680, 2939680]
    first = found[("vmstat.cs", "")]
    assert (first.clock, first.wall_us[0]) == ("utc", 1795213150_000000)


@pytest.mark.parametrize(
    ("cell", "value"), [("1.200", 1200), ("1,200", 1200), ("1.2", None), ("1e3", None), ("12", 12)]
)
def test_columns_of_vmstat_are_whole(cell: str, value: float | None) -> None:
    heading = " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st"
    row = f" 1  0      0 {cell} 4 90    0    0     1     2    3    4  1  1 98  0  0"
    items = vmstat.parse([heading, row, row, row])
    found = {item.series: item for item in one_by_one(items) if isinstance(item, Samples)}
    assert list(found["vmstat.free"].values) == [value, value]


@pytest.mark.parametrize(
    ("module", "text", "name"),
    [
        (procfs, "nr_periods {n}\nnr_throttled 2{n}\nthrottled_time 9{n}\n", "cgroup."),
        (df, "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda1 90 1{n} 40 5% /x\n",
         "df."),
    ],
)  # fmt: skip
def test_a_date_of_a_loop_is_the_time_of_what_follows(module, text: str, name: str) -> None:
    rounds = [f"Sun Nov 29 22:38:0{n} UTC 2026\n{text.format(n=n)}" for n in (2, 4, 6)]
    walls = [
        item.wall_us
        for item in one_by_one(module.parse("".join(rounds).split("\n")))
        if isinstance(item, Samples) and item.series.startswith(name) and item.clock == "utc"
    ]
    assert walls
    assert {b - a for each in walls for a, b in itertools.pairwise(each)} == {2_000_000}


def test_kernel_files_of_pt_stalk() -> None:
    """Levels are gauges, counts are counters; each copy stands at its TS."""
    times = [1795213199_006597, 1795213200_052626, 1795213201_004979]
    memory = series(procfs, "procfs", "pt-stalk-meminfo.txt")[("meminfo.MemFree", "")]
    assert (memory.kind, memory.unit, memory.clock) == ("gauge", "KiB", "utc")
    assert memory.values[0] == 21511372
    assert list(memory.wall_us) == times
    paging = series(procfs, "procfs", "pt-stalk-procvmstat.txt")
    assert paging[("procvmstat.nr_free_pages", "")].kind == "gauge"
    assert paging[("procvmstat.nr_free_pages", "")].values[0] == 1359846
    assert paging[("procvmstat.nr_dirtied", "")].kind == "counter"
    assert paging[("procvmstat.pgmajfault", "")].kind == "counter"
    stat = series(procfs, "procfs", "pt-stalk-procstat.txt")
    assert stat[("procstat.cpu_user", "all")].values[0] == 61102
    assert stat[("procstat.cpu_iowait", "1")].values[0] == 2160
    assert stat[("procstat.ctxt", "")].values[0] == 11420533
    assert stat[("procstat.procs_running", "")].kind == "gauge"
    irqs = series(procfs, "procfs", "pt-stalk-interrupts.txt")
    assert irqs[("interrupts.count", "32 virtio0-reporting_vq")].values[0] == 3415
    net = series(procfs, "procfs", "pt-stalk-netstat_s.txt")
    assert net[("netstat.ip_total_packets_received", "")].values[0] == 2533014
    slabs = series(procfs, "procfs", "pt-stalk-slabinfo.txt")
    assert slabs[("slabinfo.size", "proc_inode_cache")].values[0] == 5987.3671875


def test_free_and_meminfo_in_one_file() -> None:
    found = series(procfs, "procfs", "pt-summary-free-and-meminfo.txt")
    assert found[("free.mem_used", "")].values[0] == 237105152
    assert found[("free.buffers_cache_used", "")].values[0] == 57712640
    assert found[("meminfo.MemTotal", "")].values[0] == 1034752
    text = (
        "              total        used        free      shared\nMem:           3.7G        217M"
    )
    human = {i.series: i for i in procfs.parse(text.split("\n")) if isinstance(i, Samples)}
    assert list(human["free.mem_used"].values) == [217 * 1024]
    assert human["free.mem_used"].unit == "KiB"


def test_every_line_start_of_an_error_log() -> None:
    """Old, undated, 5.6, 5.7, 8.0; the dump inside is a dump; the crash is a crash."""
    every = read(error_log, "error-log", "every-line-start.log")
    events = [i for i in every if isinstance(i, Event)]
    assert [(e.kind, e.severity, e.clock) for e in events] == [
        ("restart", None, "local"),
        ("log", "note", "local"),
        ("semaphore_warning", None, "local"),
        ("log", "note", "local"),
        ("log", "warning", "local"),
        ("log", "error", "utc"),
        ("semaphore_warning", "warning", "utc"),
        ("restart", "system", "utc"),
        ("crash", "error", "utc"),
    ]
    assert events[6].code == "MY-012985"
    assert events[7].wall_us == 1678649705838493  # the offset is applied
    (wait,) = [i for i in every if isinstance(i, SemaphoreWait)]
    assert (wait.file, wait.waited_s, wait.line_first) == ("row0sel.cc", 241.0, 16)


def test_waits_and_deadlocks_of_a_log_outside_of_dumps() -> None:
    """Their time is that of the dated line before; a line that fell into a dump is an event."""
    every = read(error_log, "error-log", "5.7-waits-and-deadlocks-outside-of-dumps.log")
    (deadlock,) = [i for i in every if isinstance(i, Deadlock)]
    assert (deadlock.victim, deadlock.clock, deadlock.wall_us) == (2, "utc", 1494752885120000)
    assert [
        (t.session_id, len(t.holds), t.waits_for is not None) for t in deadlock.transactions
    ] == [
        (5, 0, True),
        (6, 1, True),
    ]
    waits = [i for i in every if isinstance(i, SemaphoreWait)]
    assert [(w.line_first, w.file, w.waited_s, w.snapshot, w.clock) for w in waits] == [
        (33, "btr0sea.ic", 241.0, None, "utc"),
        (40, "srv0srv.cc", 241.0, None, "utc"),
        (55, "btr0sea.ic", 242.0, 0, "local"),
    ]
    assert {w.holder_thread for w in waits} == {140533333333336}
    aborted, crash = [i for i in every if isinstance(i, Event)][-2:]
    assert (aborted.line_first, aborted.message[:18]) == (57, "Aborted connection")
    assert crash.kind == "semaphore_warning"


def test_lock_tables_name_the_holder() -> None:
    """pt-stalk's two queries and the information schema: session 390 blocks."""
    every = read(lock_tables, "lock-tables", "5.6-innodb-lock-waits.txt")
    aggregate, pair, bare = [i for i in every if isinstance(i, LockWait)]
    assert (aggregate.blocking_session, aggregate.waiters, aggregate.blocking_idle_s) == (
        390,
        300,
        26,
    )
    assert (pair.waiting_session, pair.blocking_session, pair.blocking_trx) == (12, 390, "26478")
    assert pair.waiting_query == "UPDATE c SET n=n+1\n WHERE id=42"
    assert pair.table == "app.c"
    assert (bare.waiting_trx, bare.blocking_trx) == ("30001", "26478")
    (trx,) = [i for i in every if isinstance(i, Transaction)]
    assert (trx.session_id, trx.lock_wait, trx.row_locks) == (12, True, 1)


def test_vmstat_d_is_diskstats_with_the_seconds_busy() -> None:
    found = series(diskstats, "diskstats", "vmstat-dt-utc.txt")
    first = found[("diskstats.s_io", "vda")]
    assert (first.clock, first.kind, first.unit) == ("utc", "counter", "s")
    assert first.wall_us[0] == 1795288604_000000
    assert {device for _, device in found} == {"vda"}  # a loop device that did nothing is left out


def test_vmstat_s_and_numastat() -> None:
    sums = series(procfs, "procfs", "vmstat-s.txt")
    assert sums[("vmstat_s.total_memory", "")].values[0] == 24682416
    assert sums[("vmstat_s.stolen_cpu_ticks", "")].kind == "counter"
    nodes = series(procfs, "procfs", "numastat-two-forms.txt")
    assert list(nodes[("numastat.numa_miss", "1")].values) == [990, 1990]


def test_df_joined_with_mount() -> None:
    space = series(df, "df", "pt-summary-mounted.txt")
    assert space[("df.use", "/data")].values[0] == 99


def test_top_with_a_decimal_comma() -> None:
    found = series(top, "top", "procps-4-german.txt")
    assert list(found["top.mem_total", ""].values) == [15921.1 * 1024] * 2  # KiB under any -E
    assert list(found["top.cpu_us", ""].values) == [15.3]
    assert list(found["top.swap_avail", ""].values) == [5300.1 * 1024] * 2
    assert found["top.load15", ""].clock == "dayless"


def test_top_of_threads_names_the_thread_and_its_lwp() -> None:
    found = [i for i in read(top, "top", "procps-H-threads.txt") if isinstance(i, Samples)]
    threads = {i.labels: list(i.values) for i in found if i.series == "top.thread_cpu"}
    assert threads[(("command", "connection"), ("tid", "2161"))] == [97.8]
    alone = read(top, "top", "pt-summary-processes.txt")
    processes = [i for i in alone if isinstance(i, Samples) and i.series == "top.process_cpu"]
    assert {i.labels[0][1] for i in processes} == {"mysqld", "rsync"}


def test_df_in_german() -> None:
    found = series(df, "df", "coreutils-german.txt")
    assert found["df.available", "/"].values[0] == 85461234
    assert found["df.use", "/dev/shm"].values[0] == 0  # a mount


def test_what_a_node_reports_about_its_cluster() -> None:
    """Of Galera, as MySQL 8 and MariaDB print it; other lines of the same subsystem are log."""
    lines = (
        "2026-11-20T22:17:05.123456Z 0 [Note] [MY-000000] [WSREP] Shifting SYNCED -> DONOR/X",
        "2026-11-20T22:17:06Z 0 [Note] [MY-000000] [Galera] Member 1.0 (n2) synced with group.",
        "2026-11-20 22:17:07 0 [Note] WSREP: New cluster view: global state: 5c:42, view# 3",
        "2026-11-20 22:17:08 0 [Note] WSREP: wsrep_load(): loading provider library",
        "2026-11-20 22:17:09 0 [Note] InnoDB: donor",
    )
    events = [item for item in error_log.parse(lines) if isinstance(item, Event)]
    assert [event.kind for event in events] == ["cluster"] * 3 + ["log"] * 2
    assert [event.subsystem for event in events] == ["WSREP", "Galera", "WSREP", "WSREP", "InnoDB"]
