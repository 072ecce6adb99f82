"""Levels of gauges in files that have no time."""

from __future__ import annotations

from pathlib import Path

from pileup.analysis import gather
from pileup.analysis.evidence.context import Context
from pileup.analysis.evidence.levels import Levels
from pileup.cli.captures import Captures

DUMP = """\
=====================================
2024-03-05 10:00:00 0x7f3a5c0f6700 INNODB MONITOR OUTPUT
=====================================
Per second averages calculated from the last 8 seconds
------------
TRANSACTIONS
------------
Trx id counter 57785897
Purge done for trx's n:o < 57785874 undo n:o < 0 state: running
History list length 16758248
LIST OF TRANSACTIONS FOR EACH SESSION:
---TRANSACTION 421649795484128, not started
0 lock struct(s), heap size 1136, 0 row lock(s)
----------------------------
END OF INNODB MONITOR OUTPUT
============================
"""


def test_a_gauge_without_a_time_is_a_level(tmp_path: Path) -> None:
    path = tmp_path / "status.txt"
    path.write_text(DUMP[DUMP.index("------------\nTRANS") :])
    captures = Captures()
    captures.read([path])
    levels = Levels.of(Context(gather(captures.artifacts)))
    assert [level.inside for level in levels.rows if "history" in level.series] == [16758248]
