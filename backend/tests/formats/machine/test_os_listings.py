"""What a machine and its load generators print: exact values from known text."""

from __future__ import annotations

import pytest

from pileup.formats.bench import disk_tests, load_results
from pileup.formats.config import process_limits, sysctl
from pileup.formats.errors import FormatError
from pileup.formats.machine import (
    atop,
    container_stats,
    df,
    disk_health,
    iotop,
    lsof,
    memory_map,
    netstat,
    network_counters,
    network_losses,
    numactl,
    pidstat,
    procfs,
    ps,
    raid_controller,
    sar,
    sysstat_json,
    uptime,
)
from pileup.records import Event, Item, Problem, Samples, Setting, Table
from tests.formats.checks import SAMPLES, samples

FORMATS = (
    "pidstat",
    "sar",
    "ps",
    "lsof",
    "netstat",
    "sysctl",
    "uptime",
    "memory-map",
    "histograms",
    "atop",
    "grastate",
    "disk-tests",
    "load-results",
    "network-counters",
    "network-losses",
    "process-limits",
    "numactl",
    "raid-controller",
    "iotop",
    "container-stats",
    "disk-health",
    "pt-heartbeat",
    "sysstat-json",
)
SHARED = {"atop": ("ps",), "network-losses": ("network-counters",)}
EVERY = [(name, path) for name in FORMATS for path in samples(name)]


@pytest.mark.parametrize(("name", "path"), EVERY, ids=lambda item: getattr(item, "stem", item))
def test_sample(name, path, check_sample):
    shared = ("metric-csv",) if path.suffix == ".csv" else ()
    check_sample(path, shared=SHARED.get(name, shared))


def read(module, folder: str, name: str) -> list[Item]:
    return list(module.parse((SAMPLES / folder / name).read_text().split("\n")))


def series(items: list[Item]) -> dict[tuple[str, str], Samples]:
    found = [i for i in items if isinstance(i, Samples)]
    return {(i.series, ",".join(value for _, value in i.labels)): i for i in found}


def test_pidstat_counts_threads_that_work_and_that_wait_for_a_cpu() -> None:
    items = read(pidstat, "pidstat", "sysstat-10-12-hours-damage.txt")
    found = series(items)
    cpu = found["pidstat.cpu", "mysqld,2159"]
    # once active a process is followed, also through an interval in which it did nothing
    assert list(cpu.values) == [353.0, 0.0]
    assert list(cpu.wall_us) == [1646870400_000000, 1646870402_000000]
    assert found["pidstat.threads_busy", "mysqld,2159"].values == [2.0]
    assert found["pidstat.threads_wait", "mysqld,2159"].values == [pytest.approx(1.955)]
    assert found["pidstat.thread_wait", "mysqld,2159,2171"].values == [90.0]
    assert not [key for key in found if "ksoftirqd/0" in key[1]]


def test_pidstat_of_what_the_kernel_would_not_tell_is_null() -> None:
    found = series(read(pidstat, "pidstat", "sysstat-10-12-hours-damage.txt"))
    assert found["pidstat.kB_wr/s", "mysqld,2159"].values == [None]


def test_pidstat_h_has_every_column_on_one_line() -> None:
    found = series(read(pidstat, "pidstat", "sysstat-12-h.txt"))
    assert found["pidstat.kB_wr/s", "bash,28620"].values[0] == 348168.0
    assert found["pidstat.RSS", "gzip,28619"].unit == "KiB"
    epoch = series(read(pidstat, "pidstat", "sysstat-10-h-l-epoch.txt"))[
        "pidstat.usr", "mysqld,2159"
    ]
    assert (epoch.clock, list(epoch.wall_us)) == ("utc", [1646857494_000000])


def test_sar_reads_every_table_by_its_header() -> None:
    items = read(sar, "sar", "sysstat-12-A-two-intervals.txt")
    found = series(items)
    assert found["sar.steal", "all"].values[0] == 0.99
    assert found["sar.await", "vda"].values[0] == 5.71
    assert found["sar.runq-sz", ""].values[0] == 7
    assert found["sar.intr/s", ""].values[0] == 808
    assert found["sar.fsused", "/dev/vda"].values[0] == 5.54
    # two columns that differ in a percent sign, two tables that share a column
    assert found["sar.Iused", "/dev/vda"].values[0] == 497492
    assert found["sar.Iused_pct", "/dev/vda"].values[0] == 2.97
    assert found["sar.nfs_retrans/s", ""].values[0] == 0
    assert not [i for i in items if isinstance(i, Problem)]


def test_sar_of_another_language_and_clock() -> None:
    items = read(sar, "sar", "sysstat-10-german-12-hours-restart.txt")
    found = series(items)
    user = found["sar.user", "all"]
    assert list(user.values) == [12.33, 91.02]
    assert list(user.wall_us) == [1646870101_000000, 1646870401_000000]
    assert found["sar.wkB/s", "dm-0"].values == [1536.0]
    restart, note = [i for i in items if isinstance(i, Event)]
    assert (restart.kind, note.message) == ("restart", "failover by hand")
    assert [i.line for i in items if isinstance(i, Problem)] == [12, 16]


def test_tables_of_a_day_that_stand_one_after_the_other_are_of_that_day() -> None:
    text = (
        "Linux 6.1.0 (db-07) 11/21/26 _x86_64_ (2 CPU)\n\n"
        "00:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
        "23:50:01        all     12.33      0.00      4.21      0.45      6.50     76.51\n"
        "Average:        all     12.33      0.00      4.21      0.45      6.50     76.51\n\n"
        "00:00:01       proc/s   cswch/s\n00:10:01         1.00   1090.00\n"
    )
    found = series(list(sar.parse(text.split("\n"))))
    midnight = 1795219200_000000
    assert list(found["sar.user", "all"].wall_us) == [midnight + 85_801_000_000]
    assert list(found["sar.cswch/s", ""].wall_us) == [midnight + 601_000_000]


def test_sadf_prints_absolute_times() -> None:
    found = series(read(sar, "sar", "sadf-d-U-epoch.csv"))
    user = found["sar.user", "all"]
    assert (user.clock, user.wall_us[0], user.values[0]) == ("utc", 1795288605_000000, 65.84)
    assert found["sar.await", "vda"].values[0] == 5.71


def test_ps_counts_states_and_keeps_first_and_last_listing() -> None:
    items = read(ps, "ps", "aux-loop-with-dates.txt")
    found = series(items)
    assert list(found["ps.state", "D"].values) == [1.0, 2.0]
    assert list(found["ps.cpu", "mysqld,2159"].values) == [93.5, 91.5]
    assert found["ps.cpu", "mysqld,2159"].wall_us[1] == 1741173715_000000
    assert found["ps.rss", "mysqld,2159"].unit == "KiB"
    first, last = [i for i in items if isinstance(i, Table)]
    assert (len(first.rows), len(last.rows), first.columns[0]) == (4, 4, "USER")
    assert first.rows[3][-1] == "gzip -9 -c /backup/a=b,c.sql"
    (problem,) = [i for i in items if isinstance(i, Problem)]
    assert problem.found == "this line was torn"


def test_ps_without_its_header() -> None:
    text = (SAMPLES / "ps" / "aux-loop-with-dates.txt").read_text()
    bare = "\n".join(line for line in text.split("\n") if not line.startswith("USER"))
    assert ps.sniff(bare)
    assert list(series(list(ps.parse(bare.split("\n"))))["ps.state", "D"].values) == [1.0, 2.0]


def test_ps_whose_start_has_blanks() -> None:
    (table,) = [i for i in read(ps, "ps", "threads-eLo-lstart.txt") if isinstance(i, Table)]
    started = table.columns.index("STARTED")
    assert table.rows[1][started] == "Fri Nov 20 22:19:58 2026"
    assert table.rows[1][-1] == "ib_io_wr-1"


def test_lsof_counts_by_type_and_deleted_space() -> None:
    items = read(lsof, "lsof", "threads-sockets-and-damage.txt")
    found = series(items)
    assert list(found["lsof.open", "mysqld,2159,REG"].values) == [3.0, 1.0]
    assert list(found["lsof.deleted_size", "mysqld,2159"].values) == [5402.0]
    assert found["lsof.open", "mysqld,2159,unix"].wall_us == [1795213692_006765]
    assert [i.line for i in items if isinstance(i, Problem)] == [14, 15]


def test_netstat_counts_what_nobody_reads() -> None:
    items = read(netstat, "netstat", "interfaces-routes-unix-ss.txt")
    found = series(items)
    assert list(found["netstat.backlog", "3306"].values) == [81.0 + 129.0]
    assert list(found["netstat.unread", "mysqld"].values) == [2.0]
    assert list(found["netstat.unsent", "mysqld"].values) == [1.0]
    assert found["netstat.sockets", "unix,none"].values == [1.0]
    assert found["netstat.rx_drp", "eth0"].kind == "counter"
    tables = {i.name: i for i in items if isinstance(i, Table)}
    connections, routes = tables["connections"], tables["routes"]
    busiest = ("in", "10.0.0.21", "3306", "mysqld", "ESTABLISHED", "2", "202", "0")
    assert connections.rows[0] == busiest
    assert found["netstat.connections", "10.0.0.21,3306"].values == [2.0]
    assert routes.rows[0][1] == "10.0.0.1"
    assert [i.line for i in items if isinstance(i, Problem)] == [27]


def test_netstat_agrees_with_a_plain_count() -> None:
    name = "pt-stalk-hot-row-two-seconds.txt"
    text = (SAMPLES / "netstat" / name).read_text()
    found = series(read(netstat, "netstat", name))
    assert sum(found["netstat.sockets", "tcp,ESTABLISHED"].values) == text.count(" ESTABLISHED ")


def test_sysctl_joins_what_is_printed_in_lines() -> None:
    items = read(sysctl, "sysctl", "freebsd-and-repeated-keys.txt")
    found = {i.name: i.value for i in items if isinstance(i, Setting)}
    assert found["kern.version"].endswith(
        "GENERIC root@builder:/usr/obj/usr/src/amd64.amd64/sys/GENERIC"
    )
    assert found["kern.domainname"] == ""
    assert found["dev.cdrom.info"].endswith("drive name:\t\tsr1\tsr0")
    assert found["net.ipv4.conf.eth0/100.forwarding"] == "0"
    assert found["vm.overcommit"] == "0"


def test_the_sessions_of_w_are_tables() -> None:
    first, second = (
        item
        for item in read(uptime, "uptime", "w-two-listings-one-console.txt")
        if isinstance(item, Table)
    )
    console, client = (dict(zip(first.columns, row, strict=True)) for row in first.rows)
    assert (console["FROM"], console["IDLE"], console["WHAT"]) == (None, "32:16", "-bash")
    assert (client["FROM"], client["WHAT"]) == ("192.0.2.71", "mysql -e show processlist")
    assert (second.wall_us, second.clock) == (1795213160_000000, "utc")
    assert second.rows[0][-1] is None


def test_sar_reads_each_interrupt_and_chinese_times() -> None:
    items = read(sar, "sar", "sysstat-10-chinese-then-interrupts.txt")
    found = series(items)
    assert list(found["sar.user", "all"].wall_us) == [1595068201_000000, 1595068801_000000]
    assert list(found["sar.intr/s", "24"].values) == [469.15]
    assert ("sar.intr/s", "0") not in found
    assert list(found["sar.intr/s", ""].values) == [1301.92]


def test_uptime_and_loadavg() -> None:
    found = series(read(uptime, "uptime", "w-over-midnight.txt"))
    load = found["uptime.load1", ""]
    assert list(load.values) == [3.72, 41.02, 0.06]
    assert list(load.wall_us) == [0, 10_000_000, 20_000_000]
    assert list(found["uptime.up", ""].values) == [3288840.0, 3288900.0, 3000.0]
    bare = series(read(uptime, "uptime", "loadavg-under-TS.txt"))
    assert list(bare["uptime.running", ""].values) == [9.0, 41.0]
    assert bare["uptime.load1", ""].clock == "utc"


def test_memory_by_mapping_and_node() -> None:
    found = series(read(memory_map, "memory-map", "numa-maps-two-nodes.txt"))
    assert found["memory_map.node", "0"].values == [(52 + 40 + 6110) * 4 + 512 * 2048]
    assert found["memory_map.node", "1"].values == [(27 + 12) * 4 + 512 * 2048]
    items = read(memory_map, "memory-map", "pt-stalk-pmap-x.txt")
    assert ("memory_map.rss", "45") in series(items)


def test_numa_maps_of_an_old_kernel_or_a_single_line_are_read() -> None:
    """Without a page size a page has 4 KiB, and a huge one an unknown size."""
    lines = [
        "00400000 default file=/usr/sbin/mysqld mapped=3120 mapmax=2 N0=3100 N1=20",
        "7f0000000000 interleave:0-1 heap anon=12 dirty=12 N0=6 N1=6",
    ]
    assert memory_map.sniff("\n".join(lines))
    assert memory_map.sniff(f"{lines[0]} kernelpagesize_kB=4")
    found = series(list(memory_map.parse([*lines, "2aaaaac00000 default huge anon=9 N0=9"])))
    assert found["memory_map.node", "0"].values == [3106 * 4]


def test_netstat_of_other_languages_counts_the_same_states() -> None:
    text = [
        "Aktive Internetverbindungen (Server und stehende Verbindungen)",
        "Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID",
        "tcp        0      0 10.0.0.1:3306           10.0.0.2:55555          VERBUNDEN   1/mysqld",
        "tcp        0      0 10.0.0.1:3306           10.0.0.3:55555          ESTABLECIDO 1/mysqld",
    ]
    items = list(netstat.parse(text))
    (sockets,) = (i for i in items if isinstance(i, Samples) and i.series == "netstat.sockets")
    assert (dict(sockets.labels)["state"], list(sockets.values)) == ("ESTABLISHED", [2.0])
    assert not [i for i in items if isinstance(i, Problem)]


def test_atop_has_sizes_in_kib_and_the_device_of_a_disk() -> None:
    items = read(atop, "atop", "2.7-with-processes.txt")
    found = series(items)
    assert found["atop.dsk_busy", "vda"].values == [99.0]
    assert found["atop.mem_free", ""].values == [pytest.approx(223.4 * 1024)]
    assert found["atop.cpu_wait", ""].values == [40.0, 40.0]  # of two CPUs
    assert found["atop.cpu_wait", "000"].values == [40.0]
    (table,) = (item for item in items if isinstance(item, Table))
    assert [row[-1] for row in table.rows] == ["mysqld", "jbd2/vda1-8"]


def test_sysstat_json_has_the_series_of_the_text_without_the_average_since_boot() -> None:
    found = series(read(sysstat_json, "sysstat-json", "iostat-12-two-reports.json"))
    assert found["iostat.util", "vda"].values == [100.0]
    assert found["iostat.rkB/s", "vdb"].values == [512.0]
    assert found["iostat.await", "vdb"].values == [None]
    assert found["iostat.cpu_iowait", ""].wall_us == [1795213151_000000]
    found = series(read(sysstat_json, "sysstat-json", "mpstat-12-on-one-line.json"))
    assert found["mpstat.usr", "all"].values == [12.5, 13.5]


def test_the_pressure_of_files_under_their_names_is_that_of_resources() -> None:
    found = series(read(procfs, "procfs", "pressure-of-two-files.txt"))
    assert found["pressure.some_avg10", "cpu"].values == [2.0]
    assert found["pressure.some_avg10", "io"].values == [85.37]


def test_numactl_has_the_free_memory_of_each_node() -> None:
    found = series(read(numactl, "numactl", "two-nodes.txt"))
    assert found["numactl.free", "0"].values == [112 * 1024.0]


def test_a_load_generator_gives_a_row_per_operation_or_interval() -> None:
    (table,) = (
        i for i in read(load_results, "load-results", "ycsb-0.17.txt") if isinstance(i, Table)
    )
    rows = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert rows["OVERALL"]["RunTime(ms)"] == "49750"
    assert (rows["READ"]["AverageLatency(us)"], rows["UPDATE"]["Operations"]) == ("812.5", "50001")


def test_ping_ss_and_picked_counters_say_what_a_network_loses() -> None:
    text = "    9912 segments retransmitted\n    99120 segments sent out\n"
    assert network_losses.sniff(text)
    found = series(network_losses.parse(text.splitlines()))
    assert found["network.resent_pct", ""].values == [10.0]
    lost = series(read(network_losses, "network-losses", "ping-loss.txt"))
    assert lost["network.packet_loss_pct", "db2"].values == [35.0]
    text = (
        "Ping statistics for 10.8.0.3:\n  Packets: Sent = 100, Received = 83, Lost = 17 (17% loss),"
    )
    lost = series(network_losses.parse(text.splitlines()))
    assert lost["network.packet_loss_pct", "10.8.0.3"].values == [17.0]


def test_a_cache_that_was_set_to_write_through_is_no_event() -> None:
    lines = ["Default Cache Policy: WriteThrough, Direct", "Current Cache Policy: WriteThrough"]
    assert list(raid_controller.parse(lines)) == []
    events = list(raid_controller.parse(["Default Cache Policy: WriteBack, Direct", lines[1]]))
    assert [event.message for event in events] == [lines[1]]
    events = list(raid_controller.parse([lines[1], "Default Cache Policy: WriteBack, Direct"]))
    assert [event.message for event in events] == [lines[1]], "in either order"


def test_a_text_without_a_loss_or_a_row_is_refused() -> None:
    with pytest.raises(FormatError, match="No loss was found"):
        list(network_losses.parse(["64 bytes from db2: icmp_seq=1 ttl=63 time=0.412 ms"]))
    with pytest.raises(FormatError, match="No row of iotop"):
        list(iotop.parse(["Swapping is disabled"]))
    with pytest.raises(FormatError, match="No row of docker stats"):
        list(container_stats.parse(["CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %"]))


def test_iotop_and_disks_say_who_waits_and_what_fails() -> None:
    found = series(read(iotop, "iotop", "batch-two-listings.txt"))
    assert found["iotop.server_io_wait_pct", ""].values == [96.4, 99.01]
    assert found["iotop.io_wait_pct", "rsync"].values == [12.7]
    well = ["SMART overall-health self-assessment test result: PASSED", "media_errors : 0"]
    assert not [i for i in disk_health.parse(well) if isinstance(i, Event)]
    arrays = [
        i for i in read(disk_health, "disk-health", "mdstat-degraded.txt") if isinstance(i, Event)
    ]
    assert [event.line_first for event in arrays] == [2], "the whole array is no event"


def by_name(items: list[Item]) -> dict[str, Samples]:
    return {item.series: item for item in items if isinstance(item, Samples)}


def test_both_forms_of_ifconfig_and_ip_name_their_counters_as_the_kernel_does() -> None:
    """A drop of a device is one series, whichever tool printed it."""
    for name in ("ifconfig.txt", "ifconfig-old.txt", "ip-s-link.txt"):
        read_here = by_name(read(network_counters, "network-counters", name))
        assert read_here["netdev.rx_drop"].values == [4022.0], name
        assert read_here["netdev.rx_drop"].labels == (("device", "eth0"),), name
        assert read_here["netdev.rx_bytes"].unit == "B", name
    old = by_name(read(network_counters, "network-counters", "ifconfig-old.txt"))
    assert old["netdev.rx_errs"].values == [3.0]
    assert old["netdev.tx_colls"].values == [7.0]
    assert old["netdev.tx_bytes"].values == [9912203344.0]


def test_nstat_is_a_table_because_it_may_count_from_its_last_call() -> None:
    items = read(network_counters, "network-counters", "nstat-whole.txt")
    (table,) = (item for item in items if isinstance(item, Table))
    assert table.columns == ("counter", "value", "rate")
    assert ("TcpExtListenOverflows", "4402", "0.0") in table.rows
    assert not any(isinstance(item, Samples) for item in items)


def test_fio_s_times_are_in_microseconds_whatever_it_prints() -> None:
    items = read(disk_tests, "disk-tests", "fio-cut.txt")
    (table,) = (item for item in items if isinstance(item, Table))
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    assert (rows[0]["iops"], rows[0]["bandwidth_mib_s"]) == ("1204", "18.8")
    assert (rows[1]["operation"], rows[1]["sync_avg_us"]) == ("sync", "23201.44")
    text = "    clat (msec): min=1, max=4k, avg=12.50, stdev=1.00"
    (coarse,) = (item for item in disk_tests.parse([text]) if isinstance(item, Table))
    assert coarse.rows == (("", "", "12500", "4000000"),)


def test_ioping_s_requests_are_in_microseconds() -> None:
    items = read(disk_tests, "disk-tests", "ioping.txt")
    (table,) = (item for item in items if isinstance(item, Table))
    assert table.rows[1:3] == (("2", "88100"), ("3", "1210000"))


def test_limits_of_a_process_are_a_table() -> None:
    for name, files in (("proc-pid.txt", "Max open files"), ("prlimit.txt", "NOFILE")):
        items = read(process_limits, "process-limits", name)
        (table,) = (item for item in items if isinstance(item, Table))
        assert (files, "1024", "4096", "files") in table.rows, name


def test_df_without_its_heading_tells_only_what_is_certain() -> None:
    """Without letters nothing says whether they are sizes of a KiB, or inodes."""
    lettered = by_name(list(df.parse(["/dev/sdb1  1.8T  1.8T  0 100% /var/lib/mysql"])))
    assert set(lettered) == {"df.used", "df.available", "df.use"}
    bare = ["/dev/sdb1  122101760 122101760 0 100% /var/lib/mysql"]
    assert df.sniff(bare[0])
    assert set(by_name(list(df.parse(bare)))) == {"df.use"}
    inodes = by_name(read(df, "df", "inodes.txt"))
    assert inodes["df.inodes_free"].unit == "inodes"
    assert "df.used" not in inodes


def test_free_without_its_heading_tells_the_columns_of_every_version() -> None:
    found = by_name(read(procfs, "procfs", "free-rows-alone.txt"))
    assert found["free.mem_shared"].values == [120 * 1024.0]
    assert not any("cache" in name or "available" in name for name in found)
