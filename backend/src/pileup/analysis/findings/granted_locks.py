"""What MariaDB's list of metadata locks shows, which has grants and no requests."""

from __future__ import annotations

import polars as pl

from pileup.analysis.findings.seen import NO_DATA, Seen
from pileup.analysis.findings.stall_records import StallRecords

_CHANGES = ("SHARED_UPGRADABLE", "SHARED_NO_WRITE", "SHARED_NO_READ_WRITE", "EXCLUSIVE")
_USES = ("SHARED_READ", "SHARED_WRITE", "SHARED_WRITE_LOW_PRIO", "SHARED_READ_ONLY")
_COLUMNS = ("artifact", "line_first", "line_last", "time", "object_name", "mode", "session_id")


def change_in_use(records: StallRecords) -> Seen:
    """Find a session that changes a table which another has in use.

    It waits for the other, or will when it comes to its end: grants alone do not say which.
    """
    frame = records.during("metadata_lock")
    if frame is None:
        return NO_DATA
    rows = frame.filter(pl.col("object_name").is_not_null()).select(_COLUMNS)
    users = (  # two sessions of each table: one of them is another than the one that changes it
        rows.filter(pl.col("mode").is_in(_USES))
        .select("object_name", "mode", "session_id")
        .unique(["object_name", "session_id"], keep="first", maintain_order=True)
        .group_by("object_name", maintain_order=True)
        .head(2)
    )
    both = rows.filter(pl.col("mode").is_in(_CHANGES)).join(
        users, on="object_name", suffix="_other", maintain_order="left_right"
    )
    both = both.filter(pl.col("session_id") != pl.col("session_id_other"))
    if both.is_empty():
        return NO_DATA
    row = both.row(0, named=True)
    text = (
        f"session {row['session_id']} changes {row['object_name']} ({row['mode']}), which session "
        f"{row['session_id_other']} has in use ({row['mode_other']})"
    )
    return Seen(True, 1, 1.0, text, (records.lines(row, text),), estimated=True)


__all__ = ["change_in_use"]
