"""Parse information_schema.INNODB_METRICS in any layout: every enabled counter of InnoDB.

Source: srv_mon.cc and i_s_metrics_fill_table(), storage/innobase (MySQL 5.6 to 9.x, MariaDB 10.0+).
Yields: innodb_metrics.<name> from COUNT, since the counter was enabled. TYPE is its kind: a
        'value' is a gauge, all others only grow. A disabled counter is left out: its zero was
        never counted.
Time:   TS lines or a date above a listing, else samples are a nominal second apart.
"""

from __future__ import annotations

from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.reader import parse

NAME = "innodb-metrics"
TITLE = "INNODB_METRICS"
GIVES = "Counters and gauges `innodb_metrics.<name>`; disabled ones are left out."
PRINTED_BY = "`SELECT * FROM information_schema.INNODB_METRICS`: `\\G`, box, tabs"
VERSION = 4
HINTS = ("innodb-metrics", "innodb_metrics", "innodb-metrics.txt", "innodb_metrics.txt")


def sniff(head: str) -> bool | None:
    """Whether a table of the head is of this kind, in any layout."""
    return format_of(head) == NAME


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
