"""Name the tables of lock waits that print only the place of the row.

performance_schema.data_lock_waits and INNODB_LOCK_WAITS pair the ids of two locks; an id holds the
numbers of tablespace and page. Other lock tables and status dumps of the server name the table of
the same tablespace, and the index of the same page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import polars as pl

_SPACE, _PAGE = 1, 2
_OF_MANY = "0"
"""The system tablespace holds the pages of many tables."""
_OF_WAITING = {
    "waits_space": "space",
    "waits_page": "page",
    "waits_table": "table",
    "waits_index": "index",
}
"""What a status dump prints of the lock that a transaction waits for."""
# 140281354623880:586:6:4:2:140280286398896 (8.0: space 6, page 4)        7F2A:6:4:2 (up to 5.7)
_IDS = (
    r"^\d{1,20}:\d{1,20}:(\d{1,20}):(\d{1,20}):\d{1,20}:\d{1,20}$",
    r"^\w{1,20}:(\d{1,20}):(\d{1,20}):\d{1,20}$",
)

# 9034:12:4:8 (5.6, 5.7, MariaDB)    140012:12:4:8:140066 (8.0): transaction, space, page, heap
_RECORD = re.compile(r"[0-9A-Fa-f]{1,20}:(\d{1,12}):(\d{1,12}):(\d{1,12})(?::\d{1,20})?")


def record_of(lock_id: str | None) -> tuple[int, int, int] | None:
    """Return tablespace, page and place in it of the row that a lock's id names; None: no row."""
    match = _RECORD.fullmatch(lock_id or "")
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def with_tables(
    frames: Mapping[str, pl.DataFrame], folder_of: Mapping[str, str]
) -> dict[str, pl.DataFrame]:
    """Return the frames, with table and index of lock waits that other lock tables name.

    folder_of: SHA-256 to the folder of its recording: another recording names nothing here.
    """
    waits = frames.get("lock_wait")
    if waits is None or not waits["table"].null_count():
        return dict(frames)
    known = _known(frames, folder_of)
    if known.is_empty():
        return dict(frames)
    tables = _only(known, ["folder", "host", "space"], "table")
    indexes = _only(known, ["folder", "host", "space", "page"], "index")
    rows = _placed(waits, folder_of)
    table, index = (
        rows.select(keys).join(found, on=keys, how="left", nulls_equal=True, maintain_order="left")
        for keys, found in (
            (["folder", "host", "space"], tables),
            (["folder", "host", "space", "page"], indexes),
        )
    )
    unnamed = pl.col("table").is_null()
    return dict(frames) | {
        "lock_wait": waits.with_columns(
            pl.when(unnamed).then(table["table"]).otherwise("table").alias("table"),
            pl.when(unnamed).then(index["index"]).otherwise("index").alias("index"),
        )
    }


def _known(frames: Mapping[str, pl.DataFrame], folder_of: Mapping[str, str]) -> pl.DataFrame:
    """Return the places of rows, each with the table and index that a lock or a wait names."""
    named = [
        _placed(frame, folder_of)
        for kind in ("lock_wait", "trx_lock")
        if (frame := frames.get(kind)) is not None
    ]
    if (waiting := frames.get("transaction")) is not None:
        dumped = waiting.select("artifact", "host", *_OF_WAITING).rename(_OF_WAITING)
        named.append(
            _placed(dumped.with_columns(pl.lit(None, pl.String).alias("lock_id")), folder_of)
        )
    columns = ("folder", "host", "space", "page", "table", "index")
    known = pl.concat([each.select(columns) for each in named])
    return known.filter(pl.col("table").is_not_null() & (pl.col("space") != _OF_MANY))


def _placed(frame: pl.DataFrame, folder_of: Mapping[str, str]) -> pl.DataFrame:
    """Add folder, and the numbers of tablespace and page: by the lock's id, else as printed."""
    folder = pl.col("artifact").cast(pl.String).replace_strict(folder_of, default="")
    place = [
        pl.coalesce(
            *(pl.col("lock_id").str.extract(pattern, group) for pattern in _IDS),
            pl.col(name).cast(pl.String) if name in frame.columns else pl.lit(None, pl.String),
        )
        for name, group in (("space", _SPACE), ("page", _PAGE))
    ]
    return frame.with_columns(
        folder.alias("folder"), place[0].alias("space"), place[1].alias("page")
    )


def _only(known: pl.DataFrame, keys: list[str], name: str) -> pl.DataFrame:
    """Return the value of each key that has no other."""
    return (
        known.drop_nulls(name)
        .group_by(keys, maintain_order=True)
        .agg(pl.col(name).first(), pl.col(name).n_unique().alias("many"))
        .filter(pl.col("many") == 1)
        .drop("many")
    )


__all__ = ["record_of", "with_tables"]
