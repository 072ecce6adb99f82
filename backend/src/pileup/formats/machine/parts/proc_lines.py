"""Tell of which /proc file a line is, for a copy whose first lines are missing: grep, a cut paste.

Source: fs/proc/meminfo.c, mm/vmstat.c and fs/proc/stat.c of Linux; statistics.c of net-tools.
Note:   only lines whose names no other tool prints; a line of numbers alone is of no file.
"""

from __future__ import annotations

import re

_MEMINFO = re.compile(
    r"(?:Mem(?:Total|Free|Available)|Buffers|Cached|SwapCached|(?:Ina|A)ctive(?:\((?:anon|file)\))?"
    r"|Unevictable|Mlocked|(?:High|Low|Swap|Vmalloc|CmaT|Cma)(?:Total|Free|Used|Chunk|otal)|Zswap"
    r"|Zswapped|Dirty|Writeback|AnonPages|Mapped|Shmem|KReclaimable|Slab|SReclaimable|SUnreclaim"
    r"|KernelStack|(?:Sec)?PageTables|NFS_Unstable|Bounce|WritebackTmp|CommitLimit|Committed_AS"
    r"|Percpu|HardwareCorrupted|(?:Anon|Shmem|File)HugePages|(?:Shmem|File)PmdMapped|Balloon"
    r"|Unaccepted|Hugepagesize|Hugetlb|DirectMap\w{2,3}):\s+\d+ kB\s*$"
    r"|HugePages_(?:Total|Free|Rsvd|Surp):\s+\d+\s*$"
)
_VMSTAT = re.compile(
    r"(?:nr|pg|numa|workingset|allocstall|compact|kswapd|thp|unevictable|zone_reclaim|balloon"
    r"|drop|pswp|swap|slabs|pageoutrun|oom|zswp|ksm|cow|direct_map)"
    r"[a-z0-9_]{1,60} \d{1,20}\s*$"
)
_STAT = re.compile(
    r"cpu\d{0,4}  ?(?:\d+ ){6,9}\d+\s*$"
    r"|(?:ctxt|btime|processes|procs_running|procs_blocked) \d+\s*$"
    r"|(?:intr|softirq) \d+ \d+ \d+ "
)
_NETSTAT = re.compile(
    r" {2,8}(?:(?:TCP|Tcp|IP|Ip|In|Out|PAWS|DSACK)[A-Z]\w{2,40}: \d+"
    r"|\d+ .{0,60}\b(?:SYNs?|segments|packets?|acks?|acknowledgments|[Ll]isten queue|sockets?"
    r"|connections?|datagrams|retransmit\w*|ICMP|RTO|SACK|checksums?|timestamps?)\b.{0,60})\s*$"
)
_OF_TCP = re.compile(
    r"segments|(?:active|passive) connection|failed connection|connection resets|resets sent"
    r"|connections established",
    re.IGNORECASE,
)
_LINES = (
    ("meminfo", _MEMINFO),
    ("procvmstat", _VMSTAT),
    ("procstat", _STAT),
    ("netstat_s", _NETSTAT),
)
_FIRSTS = frozenset("MBCSIAUHLVZDWKPNFETcnpawkztubdsoib ")


def file_of(line: str) -> str | None:
    """Return the file that prints such a line: meminfo, procvmstat, procstat or netstat_s."""
    if line[:1] not in _FIRSTS:
        return None
    return next((what for what, pattern in _LINES if pattern.match(line)), None)


def section_of(words: str) -> str:
    """Return the section of netstat -s in which Linux prints such words."""
    return "tcp" if _OF_TCP.search(words) else "tcpext"
