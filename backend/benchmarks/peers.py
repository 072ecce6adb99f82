"""Other tools that read the same files, and the lower bounds for any reader.

A peer that is not on PATH is listed with the package that has it; nothing is installed here.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass

# pt-deadlock-logger reads from a server only; its parser of a dump is a function of the script.
_DEADLOCKS = (
    'require shift @ARGV; local $/ = "END OF INNODB MONITOR OUTPUT\\n"; '
    "while (<STDIN>) { pt_deadlock_logger::parse_deadlocks($_) }"
)

# innotop draws screens; a class in the script reads a dump.
_INNOTOP = (
    'require shift @ARGV; local $/ = "END OF INNODB MONITOR OUTPUT\\n"; my $p = InnoDBParser->new; '
    "while (<STDIN>) { my %all = $p->get_status_hash($_, undef, undef, undef, '5.6.24') }"
)


@dataclass(frozen=True, slots=True)
class Peer:
    """A command that reads an input.

    command:   its arguments; FILE is replaced by the input's path, else the input is its stdin.
    needs:     the required program, and ``package`` where to get it.
    keeps:     the part of the input that is in its output.
    most_mb:   the most of the input that a slow peer gets, cut at a line.
    """

    name: str
    inputs: tuple[str, ...]
    command: tuple[str, ...]
    needs: str
    package: str
    keeps: str
    most_mb: int | None = None

    def missing(self) -> str | None:
        """Return why the peer cannot run here, or None if it can."""
        return None if shutil.which(self.needs) else f"not installed ({self.package})"

    def words(self, path: str) -> list[str]:
        """Return the command for a file."""
        values = {"FILE": path, "PROGRAM": shutil.which(self.needs) or self.needs}
        return [values.get(word, word) for word in self.command]


_TOOLKIT = "Debian: percona-toolkit"
_FLAMEGRAPH = "FlameGraph's scripts, on PATH"
_COUNTERS = ("mysqladmin", "mysqladmin-8.0", "mysqladmin-r")
_SESSIONS = ("processlist", "processlist-box", "processlist-tab")

PEERS: tuple[Peer, ...] = (
    Peer(
        "stackcollapse-gdb.pl",
        ("gdb",),
        ("PROGRAM",),
        "stackcollapse-gdb.pl",
        _FLAMEGRAPH,
        "functions, counts",
    ),
    Peer("pt-pmp", ("gdb",), ("pt-pmp", "FILE"), "pt-pmp", _TOOLKIT, "functions, counts"),
    Peer(
        "stackcollapse-elfutils.pl",
        ("eu-stack",),
        ("PROGRAM",),
        "stackcollapse-elfutils.pl",
        _FLAMEGRAPH,
        "functions, counts",
    ),
    Peer(
        "inferno-flamegraph",
        ("folded", "folded-apart"),
        ("inferno-flamegraph", "--minwidth", "1"),
        "inferno-flamegraph",
        "crates: inferno",
        "functions, counts",
    ),
    Peer(
        "innotop's parser",
        ("status",),
        ("perl", "-e", _INNOTOP, "PROGRAM"),
        "innotop",
        "its own repository; no longer in Debian",
        "what its screens show",
        most_mb=100,
    ),
    Peer(
        "pt-deadlock-logger's parser",
        ("status",),
        ("perl", "-e", _DEADLOCKS, "PROGRAM"),
        "pt-deadlock-logger",
        _TOOLKIT,
        "the deadlock alone",
    ),
    Peer(
        "pt-mext",
        _COUNTERS,
        ("pt-mext", "-r", "--", "cat", "FILE"),
        "pt-mext",
        _TOOLKIT,
        "values, no lines",
        most_mb=4,
    ),
    Peer(
        "pt-kill --test-matching",
        _SESSIONS,
        ("pt-kill", "--test-matching", "FILE", "--busy-time", "30", "--print"),
        "pt-kill",
        _TOOLKIT,
        "rows that match",
        most_mb=20,
    ),
    Peer(
        "pt-query-digest",
        ("slow-log",),
        ("pt-query-digest", "FILE"),
        "pt-query-digest",
        _TOOLKIT,
        "queries by digest",
        most_mb=40,
    ),
    Peer(
        "pt-diskstats",
        ("diskstats",),
        ("pt-diskstats", "--iterations", "1", "--group-by", "all", "FILE"),
        "pt-diskstats",
        _TOOLKIT,
        "rates by device",
        most_mb=20,
    ),
    Peer(
        "mlr",
        ("csv-wide", "csv-long"),
        ("mlr", "--icsv", "--ojson", "tail", "-n", "1", "FILE"),
        "mlr",
        "Debian: miller",
        "the last row",
        most_mb=10,
    ),
)


def _floor(name: str, command: tuple[str, ...], keeps: str) -> Peer:
    return Peer(name, (), command, command[0], "every system", keeps)


FLOORS = (
    _floor("awk (fields)", ("awk", "{n += NF} END {print n}"), "a count of fields"),
    _floor("wc -l (floor)", ("wc", "-l"), "a count of lines"),
)
BUNDLE_FLOORS = (
    Peer("tar -xO", (), ("tar", "-xOf", "FILE"), "tar", "every system", "all bytes"),
    Peer("zstd -dc (floor)", (), ("zstd", "-dc", "FILE"), "zstd", "Debian: zstd", "all bytes"),
)
