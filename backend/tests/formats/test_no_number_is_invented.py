"""A number with a character that cannot be read is None: never zero, never what is left of it.

In each committed sample a digit inside some numbers becomes ``?``, ``_`` or a letter. Every number
that is then read must also stand in the whole sample, but for those that are counted, not read.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import polars as pl
import pytest

from pileup import records
from pileup.formats.parsed import Parsed
from tests.formats.checks import all_samples, parse_bytes
from tests.support.rounds import Rounds

_MOST = 96 * 1024
_INSIDE = re.compile(rb"(?<=\d)\d(?=\d)")
_UNREADABLE = (b"?", b"_", b"x", "\N{REPLACEMENT CHARACTER}".encode())
_PLACES = {"line_first", "line_last", "snapshot", "wall_us", "number"}
"""Where and when, not what. Times may be inferred from neighbours."""
_COUNTED = re.compile(
    r"stacks\.threads|processlist\.\w+|stack\.(count|samples)"
    r"|innodb\.(semaphore_waits|active_transactions"
    r"|lock_wait_transactions)|lsof\.\w+|ps\.processes"
    r"|pidstat\.threads_\w+|strace\.\w+|memory_map\.\w+|open_tables\.\w+"
)
"""Counts and sums of what was read: less where something is damaged, and then that is reported."""
_GROUPED = re.compile(
    r"netstat\.(sockets|connections|unread|unsent|backlog)|slow_log\.\w+|binlog\.\w+|innodb_mutex\.\w+"
)
"""The same by an address, a state or a second: what is damaged there counts as another one."""
_WHOLE_SECONDS = {"session.time_s"}
"""Its decimals come from another column, TIME_MS."""


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(9)
def test_no_number_is_invented(path: Path, rounds: Rounds) -> None:
    data = path.read_bytes()[:_MOST]
    undamaged = parse_bytes(data, path.name, path.parent.name)
    whole = _numbers(undamaged)
    for round_ in range(2 * rounds.count):
        broken = _garbled(data, random.Random(f"{path.name} {round_}"))
        parsed = parse_bytes(broken, path.name, path.parent.name)
        named = parsed.receipt.problems > undamaged.receipt.problems
        named = named or parsed.receipt.bytes_skipped > undamaged.receipt.bytes_skipped
        for name, values in _numbers(parsed).items():
            if name not in whole and "." in name and name.split(".")[0] not in records.KINDS:
                continue  # the name of a series was damaged, not its values
            invented = sorted(values - whole.get(name, set()))
            if invented and not ((_COUNTED.fullmatch(name) and named) or _GROUPED.fullmatch(name)):
                raise AssertionError(f"{name}: {invented[:5]} do not stand in the sample")


def _garbled(data: bytes, dice: random.Random) -> bytes:
    return _INSIDE.sub(
        lambda match: dice.choice(_UNREADABLE) if dice.random() < 0.15 else match[0], data
    )


def _numbers(parsed: Parsed) -> dict[str, set[float]]:
    """The values of each series and of each numeric field of each kind of record."""
    found: dict[str, set[float]] = {}
    for kind, frame in parsed.frames.items():
        if kind == records.SAMPLE:
            groups = frame.group_by("series").agg(pl.col("value").drop_nulls().unique())
            found.update((name, set(values)) for name, values in groups.iter_rows())
            continue
        for column, dtype in frame.schema.items():
            if dtype.is_numeric() and column not in _PLACES:
                name = f"{kind}.{column}"
                values = frame[column].drop_nulls()
                found[name] = set(values.floor() if name in _WHOLE_SECONDS else values)
    return found
