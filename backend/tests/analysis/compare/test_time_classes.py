"""Compare by class of time: averages of active sessions, whatever the length of a side."""

from __future__ import annotations

import random

import pytest

from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.sides import Group, Member
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import SidesDoc
from pileup.report.comparison import as_csv, as_markdown
from tests.analysis.blocked_time.scenes import some_people, views
from tests.analysis.compare.listings import listed
from tests.analysis.frames import evidence, gauge


def compared(*runs: list[Side]) -> SidesDoc:
    groups = [Group(run[0].label, tuple(Member(side, None) for side in run)) for run in runs]
    return compare_sides(groups, align="clock")


def adds_up(document: SidesDoc) -> None:
    for at, active in enumerate(document.active):
        shown = [row.sessions[at] for row in document.classes]
        if active is None:
            assert shown == [None] * len(shown)
            continue
        sums = sum(mean or 0.0 for mean in shown)
        assert sums == pytest.approx(active.average, rel=0.001, abs=0.05)
        if active.average:
            assert sum(row.shares[at] or 0.0 for row in document.classes) == pytest.approx(
                1, abs=0.01
            )


def test_the_length_of_a_side_changes_nothing() -> None:
    """20 sessions of which 15 wait, for 10 s and for 60 s; the other side waits for nothing."""
    waits = {"Waiting for table metadata lock": 15, "executing": 5}
    short, long = (listed(waits, seconds) for seconds in (10, 60))
    calm = listed({"executing": 4}, 30)
    document = compared([Side("a", calm)], [Side("b", short)], [Side("c", long)])
    rows = {row.id: row.sessions for row in document.classes}
    assert rows == {"metadata_lock": [0, 15, 15], "working": [4, 5, 5]}
    assert [row.id for row in document.classes] == ["metadata_lock", "working"]
    adds_up(document)
    assert "| Metadata lock | 0 | 15 | 15 |" in as_markdown(document)
    assert "average active sessions,all classes,,4.0,20.0,20.0" in as_csv(document)


def test_what_shows_no_session_is_unknown_and_not_zero() -> None:
    """A side of CPU alone has no class; a counter alone gives the level and no class."""
    cpu = evidence({"a": [gauge("vmstat.us", [50.0] * 9)]})
    level = evidence({"b": [gauge("mysql.Threads_running", [7.0] * 9)]})
    document = compared([Side("a", cpu)], [Side("b", level)])
    assert document.active[0] is None
    assert [(row.id, row.sessions) for row in document.classes] == [("unknown", [None, 7])]
    adds_up(document)


def test_runs_of_a_side_are_averaged_and_hosts_added() -> None:
    """Runs of 4 and 8 sessions are 6 on average; two hosts of 4 and 8 have 12 together."""
    four, eight = ({"executing": n} for n in (4, 8))
    runs = [Side("run", listed(state, 20)) for state in (four, eight)]
    both = Side("hosts", listed(four, 20, host="a", more=[(eight, "b")]))
    document = compared([both], runs)
    assert [row.sessions for row in document.classes] == [[12, 6]]
    second = document.active[1]
    assert second is not None
    assert (second.low, second.high) == (4, 8)


@pytest.mark.seeds(4, 60)
def test_classes_of_each_side_add_up_to_its_average(seed: int) -> None:
    dice = random.Random(seed)
    names = ["processlist", "dump", "gdb", "pmp"]
    sides = [
        [Side(str(at), views(some_people(dice), dice.sample(names, dice.randint(1, 4))))]
        for at in range(dice.randint(2, 4))
    ]
    adds_up(compared(*sides))
