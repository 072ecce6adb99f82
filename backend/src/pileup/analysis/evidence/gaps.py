"""Gaps of a capture: missing records, what they hide, and the command that collects them.

The overview lists gaps by kind of record, triage by check, the report by check and by file; all of
them take their gaps and their commands from here. An absent kind is a named gap, never a silent
one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pileup.analysis.contract import Analysis, TriageDoc

_SAMPLES = "mysqladmin ext -i1 -c60 > mysqladmin.txt"
_STATUS = "mysql -e 'SHOW ENGINE INNODB STATUS\\G'"
_STACKS = "pt-pmp --binary mysqld, or gdb -p $(pidof mysqld) -batch -ex 'thread apply all bt'"
_PROCESSLIST = "mysql -e 'SHOW FULL PROCESSLIST\\G' > processlist.txt"
_LOCKS = "mysql -e 'SELECT * FROM sys.innodb_lock_waits\\G' > lock-waits.txt"
_VARIABLES = "mysql -e 'SHOW GLOBAL VARIABLES' > variables.txt"
_DEVICES = "iostat -xt 1 60 > iostat.txt"
_KERNEL_LOG = "dmesg -T > dmesg.txt"

_OF_CHECK = {
    "configuration": f"{_VARIABLES}; my_print_defaults mysqld",
    "saturated_resources": f"vmstat 1 60 > vmstat.txt; {_DEVICES}",
    "collateral_query": f"{_PROCESSLIST}, every second",
    "other_process": "top -b -d 1 -n 30 > top.txt (and vmstat 1, for steal time)",
    "hardware": f"{_KERNEL_LOG}; the error log; the RAID controller's event log",
    "shared_storage": f"{_DEVICES}; ioping -c 30 on the data directory",
    "locking": f"{_STATUS} > innodb-status.txt, every second; "
    "performance_schema.data_lock_waits and metadata_locks",
}
_TITLES = {"collateral_query": "dominant statement"}
"""Titles of the checks whose id does not say what they look for."""
NO_KERNEL_LOG = f"{_KERNEL_LOG} (no kernel log was uploaded)"
NO_DEVICES = f"{_DEVICES} (no disk was checked)"


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing kind of record."""

    what: str
    why: str
    how: str


@dataclass(frozen=True, slots=True)
class AnalysisGaps:
    """Checks and files that an analysis could not use."""

    checks: tuple[TriageDoc, ...]
    """Checks without any data."""
    unknown_formats: tuple[str, ...]
    """Paths of files that no format claims."""
    unplaced: tuple[str, ...]
    """Paths of files whose records have no place in time."""


def check_title(check: str) -> str:
    """Name a triage check in lower case, as the screens do."""
    return _TITLES.get(check, check.replace("_", " "))


def command_for(check: str) -> str:
    """Return the command that collects the data of a triage check."""
    return _OF_CHECK[check]


def of_records(records: Mapping[str, int]) -> list[Gap]:
    """Return the gaps of a capture with these record counts, most costly first."""
    return [gap for kinds, gap in _OF_KINDS if not any(records.get(kind) for kind in kinds)]


def of_analysis(analysis: Analysis) -> AnalysisGaps:
    """Return the checks without data, and the files that could not be read or placed in time."""
    files = analysis.artifacts
    return AnalysisGaps(
        tuple(check for check in analysis.triage if check.verdict == "no_data"),
        tuple(file.path for file in files if file.format is None),
        tuple(file.path for file in files if file.clock and file.clock.quality == "unknown"),
    )


_OF_KINDS: tuple[tuple[frozenset[str], Gap], ...] = (
    (
        frozenset({"sample"}),
        Gap(
            "No metrics",
            "Onset, duration and what moved first come from samples over time.",
            _SAMPLES,
        ),
    ),
    (
        frozenset({"semaphore_wait", "transaction"}),
        Gap(
            "No InnoDB status dump",
            "Latch waits, transactions and row locks are printed nowhere else together.",
            f"{_STATUS} >> innodb-status.txt, every few seconds",
        ),
    ),
    (
        frozenset({"stack"}),
        Gap(
            "No thread stacks",
            "Without stacks a latch's readers and a sleeping holder's work are guesses.",
            _STACKS,
        ),
    ),
    (
        frozenset({"session"}),
        Gap(
            "No processlist",
            "Which statements waited, and since when, cannot be counted.",
            _PROCESSLIST,
        ),
    ),
    (
        frozenset({"lock_wait", "trx_lock"}),
        Gap(
            "No lock tables",
            "Who blocks whom on a row is inferred from the status dump alone.",
            _LOCKS,
        ),
    ),
    (
        frozenset({"setting"}),
        Gap(
            "No configuration",
            "Rules that depend on a variable can only say 'unknown'.",
            _VARIABLES,
        ),
    ),
)
"""Any of the kinds closes the gap."""
