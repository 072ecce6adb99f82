"""The corpus of other people's files: what each of its kinds must be read as, and the table of it.

python -m tests.formats.corpus FOLDER [PAGE] writes docs/reference/corpus-coverage.md: files,
records, problems and skipped bytes per kind (`make corpus-coverage`). The folder itself is not
ours to give away; the page says what it holds.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pileup.formats.driver import parse_path
from pileup.formats.parsed import Parsed

# Folder of the corpus -> the formats that its files must be.
KINDS: dict[str, set[str]] = {
    "bench_metrics": {"bench-tables"},
    "bench_output": {"bench-tables", "sysbench"},
    "df": {"df"},
    "diskstats": {"diskstats"},
    "dmesg": {"kernel-log"},
    "error_log": {"error-log"},
    "eu_stack": {"eu-stack"},
    "free": {"procfs"},
    "gdb": {"gdb"},
    "innodb_metrics": {"innodb-metrics"},
    "innodb_mutex": {"innodb-mutex"},
    "innodb_status": {"innodb-status"},
    "iostat": {"iostat"},
    "lock_waits": {"lock-tables"},
    "lsof": {"lsof", "strace"},  # strace with lsof in front
    "metrics_csv": {"bench-tables", "prometheus-json"},
    "mpstat": {"mpstat"},
    "my_cnf": {"my-cnf"},
    "mysqladmin": {"pt-mext", "status"},
    "netstat": {"netstat"},
    "opentables": {"open-tables"},
    "pidstat": {"pidstat"},
    "pmp": {"pmp"},
    "proc": {"diskstats", "memory-map", "procfs", "uptime"},
    "processlist": {"processlist"},
    "ps": {"ps"},
    "ps_threads": {"lock-tables"},
    "query_digest": {"query-digest", "slow-log"},  # one is the log that a report was made of
    "replication": {"replication"},
    "slow_log": {"slow-log"},
    "status": {
        "pt-mext",
        "status",
        "variables",
    },  # nine are SHOW VARIABLES
    "strace": {"strace"},
    "sysctl": {"sysctl"},
    "top": {"top"},
    "transactions": {"lock-tables"},
    "uptime": {"uptime"},
    "variables": {"variables"},
    "vmstat": {"diskstats", "procfs", "vmstat"},  # vmstat -d and -s
}
# Ending of a file in the bundles of pt_stalk -> its format.
PT_STALK: dict[str, str] = {
    "df": "df",
    "disk-space": "df",
    "diskstats": "diskstats",
    "hostname": "pt-stalk-hostname",
    "innodbstatus1": "innodb-status",
    "innodbstatus2": "innodb-status",
    "interrupts": "procfs",
    "iostat": "iostat",
    "iostat-overall": "iostat",
    "lock-waits": "lock-tables",
    "log_error": "error-log",
    "lsof": "lsof",
    "meminfo": "procfs",
    "mpstat": "mpstat",
    "mpstat-overall": "mpstat",
    "mysqladmin": "status",
    "netstat": "netstat",
    "netstat_s": "procfs",
    "numastat": "procfs",
    "opentables1": "open-tables",
    "opentables2": "open-tables",
    "output": "pt-stalk-log",
    "pmap": "memory-map",
    "processlist": "processlist",
    "procstat": "procfs",
    "procvmstat": "procfs",
    "ps": "ps",
    "slabinfo": "procfs",
    "slave-status": "replication",
    "stacktrace": "gdb",
    "sysctl": "sysctl",
    "top": "top",
    "transactions": "lock-tables",
    "trigger": "pt-stalk-log",
    "variables": "variables",
    "vmstat": "vmstat",
    "vmstat-overall": "vmstat",
}
_STDERR = "what the tool said on stderr: there is no stack in it"
_NAGIOS = "percona-percona-monitoring-plugins__t_nagios_pmp-check-mysql-"
# Files that no format claims, and why that is right or what is missing.
NOT_READ: dict[str, str] = {
    "captured-my5624__gdb_bt_1.err": _STDERR,
    "captured-ma1011__eu_stack.err": _STDERR,
    "captured-ma1011b__eu_stack.err": _STDERR,
    "captured-my5624__eu_stack.err": _STDERR,
    "captured-my97b__eu_stack.err": _STDERR,
    _NAGIOS + "processlist_samples_copy-processlist-1.txt": (
        "two columns of a processlist, made for another tool's test: too little to know it by"
    ),
    "kellyjonbrazil-jc__tests_fixtures_ubuntu-22.04_wg_show--two_devices.out": (
        "of a tunnel (WireGuard), not of a load"
    ),
}


def files(folder: Path) -> Iterator[Path]:
    """The files of the corpus, without its lists."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != "INDEX.tsv":
            yield path


def expected(folder: Path, path: Path) -> set[str] | None:
    """The formats that a file may be; None for a kind that nobody has decided on."""
    kind = path.relative_to(folder).parts[0]
    if kind == "pt_stalk":
        ending = path.name.partition("-")[2]
        return {PT_STALK[ending]} if ending in PT_STALK else None
    return KINDS.get(kind)


def read(path: Path) -> Parsed:
    """The file under no name that tells its kind, but for the one word that needs its name."""
    return parse_path(path, name=path.name if path.name.endswith("-hostname") else "upload")


@dataclass
class _Row:
    files: int = 0
    read_as: Counter[str] = field(default_factory=Counter)
    records: Counter[str] = field(default_factory=Counter)
    problems: int = 0
    bytes: int = 0
    skipped: int = 0


def page(folder: Path) -> str:
    """docs/reference/corpus-coverage.md."""
    rows: dict[str, _Row] = {}
    for path in files(folder):
        parsed = read(path)
        row = rows.setdefault(path.relative_to(folder).parts[0], _Row())
        row.files += 1
        row.read_as[parsed.format or "not read"] += 1
        row.records.update(parsed.receipt.records)
        row.problems += parsed.receipt.problems
        if parsed.format:
            row.bytes += parsed.receipt.bytes_read
            row.skipped += parsed.receipt.bytes_skipped
    lines = [_HEAD]
    for kind, row in rows.items():
        share = row.skipped / row.bytes if row.bytes else 0
        cells = (
            f"`{kind}`",
            str(row.files),
            _list(row.read_as),
            _list(row.records),
            str(row.problems),
            f"{share:.1%}",
        )
        lines.append("| " + " | ".join(cells) + " |\n")
    lines.append(_NOT_READ_HEAD)
    lines += [f"- `{name}`: {why}.\n" for name, why in sorted(NOT_READ.items())]
    return "".join(lines)


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())


_HEAD = """# What of the corpus is read

Pileup is held against a corpus of some 800 files that other people published: test inputs of other
tools, bug reports, benchmark results, captures of real servers from 4.1 to 12. It is not part of
this repository. `make corpus-coverage CORPUS=folder` makes this page; two tests hold what it says
where there is such a folder: each file is recognised as its kind under a name that tells nothing,
and waits, transactions, threads and samples are as many as a plain count of lines finds.

Skipped is the share of bytes that no record, section or known noise covers, in the files that were
read. A problem is a line, with its number, that should have been readable; many of these files are
cut off or damaged.

| kind | files | read as | records | problems | skipped |
| --- | --- | --- | --- | --- | --- |
"""
_NOT_READ_HEAD = """
## Not read, and why

"""


if __name__ == "__main__":
    if not any(Path(sys.argv[1]).glob("*/*")):
        sys.exit(f"no files in kinds of folders below {sys.argv[1]}: name yours by CORPUS=folder")
    Path(sys.argv[2]).write_text(page(Path(sys.argv[1])), encoding="utf-8")
