"""Remove dumps that were captured twice under two names.

Collectors keep one long file of all dumps and one file per dump; people upload both. Two dumps
are the same when host, printed second, kind and every number read from them agree.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from pileup.analysis.evidence.evidence import RepeatedDumps

_COUNTED = ("semaphore_wait", "transaction", "session", "trx_lock", "lock_wait")
_KINDS = ("innodb_status",)


def without(frames: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Return frames without repeated dumps; the copy in the file with most dumps remains."""
    snapshots = frames.get("snapshot")
    if snapshots is None:
        return dict(frames)
    dumps = snapshots.filter(pl.col("kind").is_in(_KINDS) & pl.col("original").is_not_null())
    if dumps.height < 2:
        return dict(frames)
    dumps = dumps.with_columns(
        pl.len().over("artifact").alias("_size"), _content(frames, dumps).alias("_content")
    ).sort(["_size", "artifact", "snapshot"], descending=[True, False, False])
    keep = dumps.unique(
        ["host", "kind", "original", "_content"], keep="first", maintain_order=True
    ).select("artifact", "snapshot")
    gone = dumps.join(keep, on=["artifact", "snapshot"], how="anti").select(
        "artifact", "snapshot", "line_first", "line_last"
    )
    if gone.is_empty():
        return dict(frames)
    return {kind: _drop(kind, frame, gone) for kind, frame in frames.items()}


def repeated(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame]
) -> dict[str, RepeatedDumps]:
    """Return when the dumps of each file were taken of which ``without`` left none, by SHA-256."""
    if "snapshot" not in before or after["snapshot"].height == before["snapshot"].height:
        return {}
    gone = before["snapshot"].join(after["snapshot"].select("artifact"), on="artifact", how="anti")
    table = gone.group_by("artifact").agg(
        pl.col("time").min().alias("first"),
        pl.col("time").max().alias("last"),
        pl.col("host").drop_nulls().first(),
    )
    return {
        sha: RepeatedDumps(first, last, host)
        for sha, first, last, host in table.iter_rows()
        if first is not None
    }


def _content(frames: Mapping[str, pl.DataFrame], dumps: pl.DataFrame) -> pl.Series:
    """Return a fingerprint per dump: number of records of each kind, and a sum over them."""
    table = dumps.select("artifact", "snapshot")
    for kind in _COUNTED:
        frame = frames.get(kind)
        if frame is None or "snapshot" not in frame.columns:
            continue
        number = {
            "semaphore_wait": pl.col("thread_id") if "thread_id" in frame.columns else pl.lit(1),
            "transaction": pl.col("query_id").fill_null(0)
            if "query_id" in frame.columns
            else pl.lit(1),
        }.get(kind, pl.lit(1))
        counts = frame.group_by("artifact", "snapshot").agg(
            pl.len().alias(f"{kind}_n"),
            (number.cast(pl.Float64)).sum().alias(f"{kind}_sum"),
        )
        table = table.join(counts, on=["artifact", "snapshot"], how="left", maintain_order="left")
    columns = [name for name in table.columns if name not in ("artifact", "snapshot")]
    if not columns:
        return pl.Series([""] * table.height, dtype=pl.String)
    return table.select(
        pl.concat_str(
            [pl.col(name).fill_null(0).cast(pl.String) for name in columns], separator="|"
        )
    ).to_series()


def _drop(kind: str, frame: pl.DataFrame, gone: pl.DataFrame) -> pl.DataFrame:
    keys = gone.select("artifact", "snapshot")
    if "snapshot" in frame.columns:
        return frame.join(keys, on=["artifact", "snapshot"], how="anti", maintain_order="left")
    if kind != "sample" or "line_first" not in frame.columns:
        return frame
    # a sample belongs to the dump whose lines contain its line
    touched = frame.filter(pl.col("artifact").is_in(gone["artifact"].unique().to_list()))
    rest = frame.filter(~pl.col("artifact").is_in(gone["artifact"].unique().to_list()))
    ranges = gone.select("artifact", pl.col("line_first").alias("_from"), "line_last").sort("_from")
    touched = touched.sort("line_first").join_asof(
        ranges.rename({"line_last": "_to"}).cast({"artifact": frame.schema["artifact"]}),
        left_on="line_first",
        right_on="_from",
        by="artifact",
        check_sortedness=False,
    )
    remaining = touched.filter(pl.col("_to").is_null() | (pl.col("line_first") > pl.col("_to")))
    return pl.concat([rest, remaining.select(frame.columns)])
