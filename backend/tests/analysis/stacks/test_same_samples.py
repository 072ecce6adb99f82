"""A sample that gdb and pt-pmp both wrote counts once; two samples count twice."""

from __future__ import annotations

import random

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import analyse
from pileup.analysis.blocked_time.first_view import first_waits
from pileup.analysis.stacks.same_samples import once, repeated, without_repeated
from pileup.records import Frame, Record, Snapshot, Stack, StackThread
from tests.analysis.blocked_time.scenes import some_people, views
from tests.analysis.frames import T0, S, evidence

PLACES = ("row_search_mvcc", "buf_page_get_gen", "log_write_up_to")


def sample(at: int, counts: tuple[int, ...], *, named: bool, samples: int = 1) -> list[Record]:
    snapshot = Snapshot(
        line_first=1, line_last=9, kind="stacks", snapshot=0, wall_us=at, clock="utc"
    )
    return [
        snapshot,
        *(
            Stack(
                line_first=1, line_last=9, count=count, samples=samples, snapshot=0, wall_us=at,
                clock="utc", frames=(Frame(function="futex_wait"), Frame(function=name)),
                threads=tuple(StackThread(lwp=n) for n in range(count)) if named else (),
            )
            for name, count in zip(PLACES, counts, strict=True)
            if count
        ),
    ]  # fmt: skip


def stacks(**files: list[Record]) -> pl.DataFrame:
    return evidence(files).frames["stack"]


def threads(frame: pl.DataFrame) -> int:
    return int(frame["count"].sum())


def test_the_text_of_gdb_and_its_sums_are_one_sample() -> None:
    frame = stacks(
        gdb=sample(T0, (3, 7, 1), named=True), pmp=sample(T0 + S, (3, 7, 1), named=False)
    )
    assert [(a[0][:3], b[0][:3]) for a, b in repeated(frame).items()] == [("pmp", "gdb")]
    assert threads(once(frame)) == 11
    assert once(frame)["threads"].list.len().min() > 0


def test_a_few_names_may_be_cut_differently() -> None:
    frame = stacks(gdb=sample(T0, (8, 2, 0), named=True), pmp=sample(T0, (8, 1, 1), named=False))
    assert threads(once(frame)) == 10


@pytest.mark.parametrize(
    "other",
    [
        sample(T0 + 30 * S, (3, 7, 1), named=False),
        sample(T0, (3, 7, 2), named=False),
        sample(T0, (1, 1, 9), named=False),
        sample(T0, (3, 7, 1), named=True),
        sample(T0, (3, 7, 1), named=False, samples=2),
    ],
    ids=["later", "more threads", "other functions", "another gdb", "sum of two samples"],
)
def test_near_misses_are_two_samples(other: list[Record]) -> None:
    frame = stacks(gdb=sample(T0, (3, 7, 1), named=True), other=other)
    assert repeated(frame) == {}
    assert once(frame).equals(frame)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans()), max_size=6))
def test_a_sample_is_dropped_only_for_one_that_stays(
    files: list[tuple[int, int, bool]],
) -> None:
    """Any files in any order: what is dropped has a partner of its own, which stays."""
    records = {
        f"{n}": sample(T0 + at * S, (1, count, 1), named=named)
        for n, (at, count, named) in enumerate(files)
    }
    if not records:
        return
    frame = stacks(**records)
    pairs = repeated(frame)
    stays = {(sha, n or 0) for sha, n in once(frame).select("artifact", "snapshot").iter_rows()}
    assert len(set(pairs.values())) == len(pairs)
    assert set(pairs.values()) <= stays
    assert not stays & pairs.keys()


def test_the_analysis_counts_a_sample_once_and_its_moment_too() -> None:
    files = {
        "gdb": sample(T0, (3, 7, 1), named=True),
        "pmp": sample(T0 + S, (3, 7, 1), named=False),
        "later": sample(T0 + 60 * S, (3, 7, 1), named=True),
    }
    gathered = without_repeated(evidence(files))
    assert threads(gathered.frames["stack"]) == 22
    assert gathered.frames["snapshot"].height == 2


def test_functions_further_out_may_be_named_differently() -> None:
    """pt-pmp loses the names of templates; the innermost functions it keeps."""
    deep = [f"outer_{n}" for n in range(6)]
    gdb, pmp = (
        [
            *sample(T0, (0, 0, 0), named=named),
            Stack(
                line_first=1, line_last=9, count=9, samples=1, snapshot=0, wall_us=T0, clock="utc",
                frames=tuple(Frame(function=name) for name in (*"abcdef", *outer)),
                threads=tuple(StackThread(lwp=n) for n in range(9)) if named else (),
            ),
        ]
        for named, outer in ((True, deep), (False, ["int", "??"] * 3))
    )  # fmt: skip
    assert threads(once(stacks(gdb=gdb, pmp=pmp))) == 9


@pytest.mark.seeds(4, 60)
def test_the_sums_of_a_sample_change_no_root_no_count_and_no_finding(seed: int) -> None:
    """pt-pmp's sums of gdb's text say nothing new: who waits, for what, and in how many moments."""
    dice = random.Random(seed)
    everybody = some_people(dice)
    names = ["gdb", *dice.sample(["processlist", "dump", "transactions"], dice.randint(0, 3))]
    alone = analyse(views(everybody, names))
    both = analyse(views(everybody, dice.sample([*names, "pmp"], len(names) + 1)))
    assert both.active_sessions == alone.active_sessions
    assert [(r.key, r.share, r.moments, r.among) for r in both.roots] == [
        (r.key, r.share, r.moments, r.among) for r in alone.roots
    ]
    assert [(f.id, f.score, f.impact) for f in both.findings] == [
        (f.id, f.score, f.impact) for f in alone.findings
    ]
    waits = first_waits(views(everybody, [*names, "pmp"]), both)
    assert len(waits.moments) == len(names)
