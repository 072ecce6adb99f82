"""The Time of a processlist: the age of a statement, or how far an applier is behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.evidence import listed_times
from pileup.cli.captures import Captures

LAG = 662_248.0
ORDER = "Waiting for preceding transaction to commit"


def sessions(*rows: tuple[str, str, str, float | None], snapshot: int | None = 1) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["user", "command", "state", "time_s"], orient="row")
    return frame.with_columns(
        pl.lit("a").alias("artifact"),
        pl.lit(snapshot, pl.Int64).alias("snapshot"),
        pl.lit(None, pl.Int64).alias("time"),
        pl.col("time_s").cast(pl.Float64),
    )


def times(*rows: tuple[str, str, str, float | None], snapshot: int | None = 1) -> list[float]:
    return listed_times.of_waits(sessions(*rows, snapshot=snapshot))["time_s"].to_list()


@pytest.mark.parametrize("user, command, state", [
    ("system user", "Connect", ORDER),
    ("system user", "Query", "waiting for handler commit"),
    ("repl", "Slave_worker", "Waiting for prior transaction to commit"),
    ("system user", "Connect", "Waiting for table metadata lock"),
])  # fmt: skip
@pytest.mark.parametrize("snapshot", [1, None])
def test_an_applier_has_not_waited_for_its_lag(
    user: str, command: str, state: str, snapshot: int | None
) -> None:
    assert times((user, command, state, LAG), snapshot=snapshot) == [None]
    assert times((user, command, state, LAG), ("app", "Query", "updating", 3.0)) == [None, 3.0]


@pytest.mark.parametrize("other", [LAG * 0.95, LAG, LAG * 1.05])
def test_a_session_as_old_as_its_time_bears_it_out(other: float) -> None:
    rows = (("system user", "Connect", ORDER, LAG), ("ops", "Sleep", "", other))
    assert times(*rows) == [LAG, other]


def test_only_sessions_of_the_same_moment_bear_it_out() -> None:
    one = sessions(("system user", "Connect", ORDER, LAG))
    other = sessions(("ops", "Sleep", "", LAG), snapshot=2)
    found = listed_times.of_waits(pl.concat([one, other]))
    assert found["time_s"].to_list() == [None, LAG]


def test_appliers_do_not_bear_each_other_out() -> None:
    assert times(*[("system user", "Connect", ORDER, LAG)] * 3) == [None] * 3


@pytest.mark.parametrize("user, command, state", [
    ("app", "Query", "Waiting for table metadata lock"),
    ("app", "Connect", "login"),
    ("system user", "Sleep", "wsrep: committing write set (81)"),
    ("system user", "Query", "wsrep: committing write set (81)"),
    ("system user", "Connect", "Reading event from the relay log"),
    ("system user", "Connect", "Waiting for Slave Worker to release partition"),
])  # fmt: skip
def test_any_other_time_stays(user: str, command: str, state: str) -> None:
    frame = sessions((user, command, state, LAG))
    assert listed_times.of_waits(frame) is frame


def test_other_sessions_keep_their_order_times_and_columns() -> None:
    frame = sessions(
        ("app", "Query", "updating", 7.0),
        ("system user", "Connect", ORDER, LAG),
        ("app", "Query", "Sending data", None),
        ("app", "Query", "Sending data", 3.0),
    )
    found = listed_times.of_waits(frame)
    assert found["time_s"].to_list() == [7.0, None, None, 3.0]
    assert found.drop("time_s").equals(frame.drop("time_s"))


def test_no_text_calls_a_lag_a_wait(tmp_path: Path) -> None:
    rows = [
        f"| {20 + at} | system user | | NULL | Connect | {LAG:.0f} | {ORDER} | NULL |"
        for at in range(4)
    ]
    busy = "Applying batch of row changes"
    rows.append(f"| 31 | system user | | NULL | Connect | 3 | {busy} | NULL |")
    (tmp_path / "list.txt").write_text("\n".join(rows) + "\n")
    captures = Captures()
    captures.read((tmp_path,))
    analysis = analyse(gather(captures.artifacts))
    assert analysis.blockers[0].holder.startswith("session 31")
    texts = [analysis.headline.text, *(finding.why for finding in analysis.findings)]
    assert not [text for text in texts if "662" in text]


Listed = tuple[int, int, str, float | None]
"""Time of a list (s), session, State, Time."""


def stood(*rows: Listed, empty: Sequence[int] = ()) -> list[float | None]:
    """Return how long the threads of lists stood; empty: times of lists without any of them."""
    frame = pl.DataFrame(rows, schema=["time", "session_id", "state", "time_s"], orient="row")
    frame = frame.with_columns(pl.lit("a").alias("artifact"), pl.col("time_s").cast(pl.Float64))
    others = pl.DataFrame({"artifact": "a", "time": [*empty]}, schema_overrides={"time": pl.Int64})
    lists = pl.concat([frame.select("artifact", "time"), others])
    in_us = pl.col("time") * 1_000_000
    return listed_times.stood(frame.with_columns(in_us), lists.with_columns(in_us)).to_list()


@pytest.mark.parametrize("other", [5, None])
def test_lists_in_a_row_show_for_how_long_a_thread_did_the_same(other: int | None) -> None:
    rows = [(at, 9, "find_row", 0.0) for at in (0, 2, 4)]
    if other is None:
        assert stood(*rows) == [0.0, 2.0, 4.0]
    else:  # beside it, and in between
        mixed = [
            row for at in (0, 2, 4) for row in ((at, other, f"state {at}", 0.0), rows[at // 2])
        ]
        assert stood(*mixed) == [0.0, 0.0, 0.0, 2.0, 0.0, 4.0]


def test_its_time_counts_where_it_is_longer() -> None:
    assert stood((0, 9, "find_row", 7.0), (2, 9, "find_row", 1.0)) == [7.0, 2.0]


def test_another_state_or_a_list_without_it_begins_anew() -> None:
    assert stood((0, 9, "a", 0.0), (2, 9, "b", 0.0), (4, 9, "a", 0.0)) == [0.0, 0.0, 0.0]
    assert stood((0, 9, "a", 0.0), (4, 9, "a", 0.0), empty=[2]) == [0.0, 0.0]


def test_without_times_or_ids_only_its_time_counts() -> None:
    frame = sessions(("system user", "Connect", "a", 3.0), ("system user", "Connect", "a", None))
    frame = frame.with_columns(pl.lit(None, pl.Int64).alias("session_id"))
    assert listed_times.stood(frame, frame).to_list() == [3.0, None]
