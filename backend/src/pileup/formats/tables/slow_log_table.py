"""Parse a slow log that is kept as a table: mysql.slow_log, and the exports of managed servers.

Source: see ``meanings.logged_statements``.
Yields: a Query per row; a Table for any other result set.
"""

from __future__ import annotations

from pileup.formats.tables.meanings.detection import format_of
from pileup.formats.tables.meanings.reader import parse

NAME = "slow-log-table"
TITLE = "slow log as a table"
GIVES = "Queries with their times, rows, session and client."
PRINTED_BY = "`mysql.slow_log`; log exports of Azure as CSV"
VERSION = 1
HINTS = ()


def sniff(head: str) -> bool | None:
    """Whether a table has the columns of a slow log."""
    return "query_time" in head and format_of(head) == NAME


__all__ = ["GIVES", "HINTS", "NAME", "PRINTED_BY", "TITLE", "VERSION", "parse", "sniff"]
