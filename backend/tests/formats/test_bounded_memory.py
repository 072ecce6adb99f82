"""A line of 100 MB, which nothing here ever holds whole: memory does not grow with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pileup import formats
from tests.formats import memory
from tests.support.rounds import Rounds

_BACKEND = Path(__file__).resolve().parents[2]
_CASES = {
    # UTF-16 is decoded before any format sees it: a few of them say it for all.
    "long_line_utf16": ["gdb", "status", "innodb-status"],
    "long_line": [known.NAME for known in formats.FORMATS],
}
_TURNS = 4
"""The days over which the formats are dealt."""
_MOST_MIB = memory.LINE / memory.MIB * 0.9
"""Several times what is needed for the 1 MiB of a line that is read; less than the line itself."""


@pytest.mark.parametrize("case", _CASES)
@pytest.mark.slow
@pytest.mark.dealt(6)
def test_a_line_of_100_mb_is_never_held_whole(case: str, rounds: Rounds) -> None:
    """By a quarter of the formats, another quarter every day."""
    names = list(rounds.in_turn(_CASES[case], min(_TURNS, len(_CASES[case]))))
    done = subprocess.run(
        [sys.executable, "-m", "tests.formats.memory", case, *names],
        cwd=_BACKEND,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((*filter(None, sys.path), str(_BACKEND)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    grown = {item["format"]: item["mib"] for item in map(json.loads, done.stdout.splitlines())}
    assert grown.keys() == set(names)
    assert not {name: mib for name, mib in grown.items() if mib > _MOST_MIB}
