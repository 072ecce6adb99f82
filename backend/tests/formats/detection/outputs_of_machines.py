"""Short outputs of the operating system's tools, one per flag and version that changes the layout.

Each is written by hand after the tool's own layout: format, name of the case, text. Two cases of
the same tool and moment have the same numbers, so that a test can compare their series.
"""

# ruff: noqa: E501, W291

from __future__ import annotations

_VMSTAT_ROWS = """\
 2  0      0 241620  12345 987654    0    0     5    10  100  200  3  1 95  1  0
 5  1      0 241000  12345 987700    0    0    50   100  900 1200 30 10 50 10  0
 6  2      0 240000  12345 987800    0    0    51   101  901 1201 31 11 48 10  0
"""

VMSTAT = {
    "procps 3": """\
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
"""
    + _VMSTAT_ROWS,
    "procps 4, -w": """\
--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- --------cpu--------
   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st
   2    0            0       241620        12345       987654    0    0     5    10  100  200   3   1  95   1   0
   5    1            0       241000        12345       987700    0    0    50   100  900 1200  30  10  50  10   0
   6    2            0       240000        12345       987800    0    0    51   101  901 1201  31  11  48  10   0
""",
    "procps 3, -w": """\
procs -----------------------memory---------------------- ---swap-- -----io---- -system-- --------cpu--------
 r  b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st
 2  0            0       241620        12345       987654    0    0     5    10  100  200   3   1  95   1   0
 5  1            0       241000        12345       987700    0    0    50   100  900 1200  30  10  50  10   0
 6  2            0       240000        12345       987800    0    0    51   101  901 1201  31  11  48  10   0
""",
    "procps 4, gu": """\
procs -----------memory---------- ---swap-- -----io---- -system-- -------cpu-------
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st gu
 2  0      0 241620  12345 987654    0    0     5    10  100  200  3  1 95  1  0  0
 5  1      0 241000  12345 987700    0    0    50   100  900 1200 30 10 50 10  0  0
 6  2      0 240000  12345 987800    0    0    51   101  901 1201 31 11 48 10  0  0
""",
    "-w -t": """\
--procs-- -----------------------memory---------------------- ---swap-- -----io---- -system-- --------cpu-------- -----timestamp-----
   r    b         swpd         free         buff        cache   si   so    bi    bo   in   cs  us  sy  id  wa  st                 UTC
   2    0            0       241620        12345       987654    0    0     5    10  100  200   3   1  95   1   0 2026-11-20 22:19:58
   5    1            0       241000        12345       987700    0    0    50   100  900 1200  30  10  50  10   0 2026-11-20 22:19:59
   6    2            0       240000        12345       987800    0    0    51   101  901 1201  31  11  48  10   0 2026-11-20 22:20:00
""",
}

_IOSTAT_PLAIN = """\
Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(4 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.00    0.00    1.00    1.00    0.00   95.00

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda              10.00      1024.00      2048.00       1024       2048

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          30.00    0.00   10.00   10.00    0.00   50.00

Device             tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn
sda             100.00      5120.00     10240.00       5120      10240

"""

IOSTAT = {
    "plain": _IOSTAT_PLAIN,
    "-m": _IOSTAT_PLAIN.replace("kB_", "MB_")
    .replace("1024.00      2048.00       1024       2048", "1.00  2.00  1  2")
    .replace("5120.00     10240.00       5120      10240", "5.00  10.00  5  10"),
    "-m, before sysstat 12": _IOSTAT_PLAIN.replace("kB_", "MB_")
    .replace("Device ", "Device:")
    .replace("1024.00      2048.00       1024       2048", "1.00  2.00  1  2")
    .replace("5120.00     10240.00       5120      10240", "5.00  10.00  5  10"),
    "-m, with discards": _IOSTAT_PLAIN.replace("kB_", "MB_")
    .replace("MB_wrtn/s ", "MB_wrtn/s    MB_dscd/s ")
    .replace("MB_wrtn\n", "MB_wrtn    MB_dscd\n")
    .replace("1024.00      2048.00       1024       2048", "1.00  2.00  0.00  1  2  0")
    .replace("5120.00     10240.00       5120      10240", "5.00  10.00  0.00  5  10  0"),
}

IOSTAT_X = {
    "-dx": """\
Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(4 CPU)

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   w_await  aqu-sz  %util
sda              1.00     10.00     0.00   0.00    0.50    10.00    2.00     20.00     0.50     0.10   1.00

Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   w_await  aqu-sz  %util
sda            100.00   1024.00     0.00   0.00    5.50    10.00  200.00   2048.00     9.50     8.10  99.00

""",
    "-dxm": """\
Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(4 CPU)

Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   w_await  aqu-sz  %util
sda              1.00      0.01     0.00   0.00    0.50    10.00    2.00      0.02     0.50     0.10   1.00

Device            r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   w_await  aqu-sz  %util
sda            100.00      1.00     0.00   0.00    5.50    10.00  200.00      2.00     9.50     8.10  99.00

""",
    "-dxm -h": """\
Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(4 CPU)

     r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   w_await  aqu-sz  %util Device
    1.00     10.0k     0.00   0.0%    0.50    10.0k    2.00     20.0k     0.50     0.10   1.0% sda

     r/s     rMB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wMB/s   w_await  aqu-sz  %util Device
  100.00      1.0M     0.00   0.0%    5.50    10.0k  200.00      2.0M     9.50     8.10  99.0% sda

""",
}

IOSTAT_C = {
    "-c": """\
Linux 6.1.0 (db1) \t11/20/26 \t_x86_64_\t(4 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.00    0.00    1.00    1.00    0.00   95.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          30.00    0.00   10.00   10.00    0.00   50.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          31.00    0.00   11.00    8.00    0.00   50.00

""",
}

_LOADS = ",  load average: 10.50, 5.01, 2.05"
UPTIME = {
    up: f" 17:31:39 up {up}{_LOADS}\n"
    for up in (
        "16:03,  2 users",
        "50 min,  1 user",
        "1 min,  0 users",
        "1 day, 50 min,  1 user",
        "2 days, 5 min,  3 users",
        "1 day,  3 users",
        "38 days,  1:34,  2 users",
        "3 mins, 2 users",
        "2 days, 3 hrs, 1 user",
    )
}

TOP = {
    "procps 4": """\
top - 22:19:58 up 50 min,  1 user,  load average: 10.50, 5.01, 2.05
Tasks: 120 total,   2 running, 117 sleeping,   0 stopped,   1 zombie
%Cpu(s): 30.0 us, 10.0 sy,  0.0 ni, 50.0 id, 10.0 wa,  0.0 hi,  0.0 si,  0.0 st
MiB Mem :  16000.0 total,   1000.0 free,  12000.0 used,   3000.0 buff/cache
MiB Swap:   2048.0 total,   2000.0 free,     48.0 used.   3500.0 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   1234 mysql     20   0   12.3g   8.1g  12345 S 312.5  52.1 100:23.45 mysqld
     17 root      20   0       0      0      0 S   0.1   0.0   0:00.10 kworker/0:1
""",
    "-E g": """\
top - 22:19:58 up 50 min,  1 user,  load average: 10.50, 5.01, 2.05
Tasks: 120 total,   2 running, 117 sleeping,   0 stopped,   1 zombie
%Cpu(s): 30.0 us, 10.0 sy,  0.0 ni, 50.0 id, 10.0 wa,  0.0 hi,  0.0 si,  0.0 st
GiB Mem :   15.625 total,    0.977 free,   11.719 used,    2.930 buff/cache
GiB Swap:    2.000 total,    1.953 free,    0.047 used.    3.418 avail Mem

    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND
   1234 mysql     20   0   12.3g   8.1g  12345 S 312.5  52.1 100:23.45 mysqld
     17 root      20   0       0      0      0 S   0.1   0.0   0:00.10 kworker/0:1
""",
    "procps 3, each CPU": """\
top - 22:19:58 up 2 days,  5:01,  1 user,  load average: 10.50, 5.01, 2.05
Tasks: 120 total,   2 running, 117 sleeping,   0 stopped,   1 zombie
Cpu0  : 30.0%us, 10.0%sy,  0.0%ni, 50.0%id, 10.0%wa,  0.0%hi,  0.0%si,  0.0%st
Cpu1  : 20.0%us, 10.0%sy,  0.0%ni, 60.0%id, 10.0%wa,  0.0%hi,  0.0%si,  0.0%st
Mem:  16384000k total, 15360000k used,  1024000k free,   123456k buffers
Swap:  2097152k total,    49152k used,  2048000k free,  3000000k cached

  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND
 1234 mysql     20   0 12.3g 8.1g  12m S 312.5 52.1 100:23.45 mysqld
""",
}

DISKSTATS = {
    "Linux 2.6.18, partitions of 4 numbers": """\
   8    0 sda 17999682 100 26512 800 51850 5502 1648657 146540 0 44 146544
   8    1 sda1 1421 3292 10354 3681
   8    2 sda2 1422 3293 10355 3682
""",
    "Linux 5.5": """\
   8       0 sda 17999682 100 26512 800 51850 5502 1648657 146540 0 44 146544 0 0 0 0 7 9
   8       1 sda1 1421 0 3292 10 10354 0 3681 20 0 30 40 0 0 0 0 0 0
 259       0 nvme0n1 1421 0 3292 10 10354 0 3681 20 0 30 40 0 0 0 0 3 4
""",
}

LSOF = {
    "mapped files written to": """\
COMMAND   PID USER   FD   TYPE DEVICE SIZE/OFF   NODE NAME
mysqld  30161 mysql  cwd    DIR  254,0     4096 326780 /var/lib/mysql
mysqld  30161 mysql mem-W   REG  254,0  2190440 326789 /var/lib/mysql/gcache
mysqld  30161 mysql    4u   REG  254,0 12345678 326790 /var/lib/mysql/ibdata1
""",
}

PROCFS = {
    "/proc/net/sockstat": """\
sockets: used 812
TCP: inuse 540 orphan 3 tw 1204 alloc 566 mem 88
UDP: inuse 4 mem 2
UDPLITE: inuse 0
RAW: inuse 0
FRAG: inuse 0 memory 0
""",
    "/proc/net/dev": """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 1000000    2000    0    0    0     0          0         0  1000000    2000    0    0    0     0       0          0
  eth0: 9000000   20000    1    2    0     0          0         7  8000000   10000    0    3    0     0       0          0
""",
    "/proc/net/netstat": """\
TcpExt: SyncookiesSent SyncookiesRecv ListenOverflows ListenDrops
TcpExt: 0 0 17 17
IpExt: InNoRoutes InTruncatedPkts
IpExt: 0 0
""",
    "/proc/net/snmp": """\
Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 123456
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn CurrEstab RetransSegs
Tcp: 1 200 120000 -1 55 1234
""",
    "/proc/softirqs": """\
                    CPU0       CPU1
          HI:          1          2
       TIMER:     100000     200000
      NET_TX:         10         20
      NET_RX:       3000       4000
         RCU:     500000     600000
""",
    "/proc/PID/status": """\
Name:\tmysqld
Umask:\t0026
State:\tS (sleeping)
Tgid:\t2161
Pid:\t2161
PPid:\t1
Uid:\t112\t112\t112\t112
Groups:\t112 
VmPeak:\t12000000 kB
VmRSS:\t 8100000 kB
VmSwap:\t  500000 kB
Threads:\t250
SigQ:\t0/63000
Cpus_allowed_list:\t0-7
voluntary_ctxt_switches:\t12345
nonvoluntary_ctxt_switches:\t678
""",
    "/proc/PID/stat": (
        "2161 (mysqld) S 1 2161 2161 0 -1 4194560 917211 0 12 0 185922 93211 0 0 20 0 45 0 4193 "
        "2718924800 225512 18446744073709551615 1 1 0 0 0 0 540679 0 1073747 0 0 0 17 3 0 0 5 0 0 "
        "0 0 0 0 0 0 0 0\n"
    ),
    "/proc/PID/io": """\
rchar: 1000
wchar: 2000
syscr: 30
syscw: 40
read_bytes: 4096
write_bytes: 8192
cancelled_write_bytes: 0
""",
    "/proc/PID/smaps": """\
55d0c0000000-55d0c0400000 r--p 00000000 fe:00 123456                     /usr/sbin/mysqld
Size:               4096 kB
KernelPageSize:        4 kB
Rss:                2048 kB
Swap:                  0 kB
THPeligible:           0
VmFlags: rd mr mw me sd
7f0000000000-7f0040000000 rw-p 00000000 00:00 0 
Size:            1048576 kB
KernelPageSize:        4 kB
Rss:              900000 kB
Swap:             100000 kB
THPeligible:           1
VmFlags: rd wr mr mw me ac hg
""",
    "/proc/swaps": """\
Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority
/dev/dm-1                               partition\t2097148\t\t512000\t\t-2
""",
    "/proc/buddyinfo": """\
Node 0, zone      DMA      1      1      1      0      2      1      1      0      1      1      3
Node 0, zone   Normal    216     55    189    101     84     38     37     27      5      3    587
""",
    "/proc/zoneinfo": """\
Node 0, zone      DMA
  per-node stats
      nr_inactive_anon 1000
  pages free     3968
        min      16
        low      20
        protection: (0, 2800, 15000, 15000, 15000)
  pagesets
    cpu: 0
              count: 0
              high:  0
              batch: 1
  vm stats threshold: 6
  node_unreclaimable:  0
  start_pfn:           1
Node 0, zone   Normal
  pages free     39680
        min      160
""",
    "/proc/pagetypeinfo": """\
Page block order: 9
Pages per block:  512

Free pages count per migrate type at order       0      1      2      3
Node    0, zone      DMA, type    Unmovable      1      1      1      0
Node    0, zone   Normal, type      Movable    200     50     10      5
""",
}

OUTPUTS: dict[str, dict[str, str]] = {
    "vmstat": VMSTAT,
    "iostat": IOSTAT | {f"x: {name}": text for name, text in IOSTAT_X.items()} | IOSTAT_C,
    "uptime": UPTIME,
    "top": TOP,
    "diskstats": DISKSTATS,
    "lsof": LSOF,
    "procfs": PROCFS,
}
