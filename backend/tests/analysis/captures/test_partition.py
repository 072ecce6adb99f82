"""Captures are split where nobody looked, and one capture never changes what another shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import analyse, gather
from pileup.analysis.captures.partition import UNDATED, Capture, partition
from pileup.analysis.captures.recurrence import _rhythm
from pileup.analysis.captures.shares import shares
from pileup.analysis.contract import Analysis
from pileup.analysis.isolation import Parsed
from pileup.records import Frame, Record, Setting, Stack
from tests.analysis.frames import T0, Samples, artifact, evidence, frames, gauge, moment

S = 1_000_000
HOUR = 3600 * S
CALM = [2.0, 3.0, 2.0, 4.0] * 15
STALL = [2.0] * 40 + [150.0] * 30 + [3.0] * 40
SHORT = [2.0] * 40 + [120.0] * 7 + [3.0] * 40
INSIDE = [180.0, 190.0] * 20

Files = Mapping[str, Sequence[Record | Samples]]


def running(
    numbers: Sequence[float | None], start: int = T0, step: int = S, host: str | None = "db-1"
) -> Samples:
    return gauge("mysql.Threads_running", list(numbers), start=start, step=step, host=host)


def captures(files: Files) -> list[Capture]:
    return partition(evidence(files))


def spans(files: Files) -> list[tuple[float, float]]:
    return [
        ((c.span.start - T0) / S, round((c.span.end - T0) / S))
        for c in captures(files)
        if c.span is not None
    ]


def test_files_that_overlap_are_one_capture() -> None:
    files = {"a": [running(CALM)], "b": [running(CALM, start=T0 + 30 * S)]}
    assert spans(files) == [(0, 90)]


def _setting(name: str, value: str) -> Setting:
    return Setting(name=name, value=value, source="variables", line_first=1, line_last=1)


@pytest.mark.parametrize(
    ("of_b", "count"),
    [
        ([_setting("version", "8.0.42")], 2),
        ([gauge("mysql.Uptime", [900.0 + at for at in range(60)], host=None)], 2),
        ([gauge("mysql.Uptime", [102.0 + at for at in range(60)], host=None)], 1),
        ([gauge("mysql.Uptime", [3700.0 + at for at in range(60)], host=None)], 1),
        ([], 1),
    ],
)
def test_folders_without_a_host_that_contradict_each_other_are_two(
    of_b: list[Record | Samples], count: int
) -> None:
    """Another version, another start of the server; not one that a wrong zone explains."""
    uptime = gauge("mysql.Uptime", [100.0 + at for at in range(60)], host=None)
    files = {
        "x/a/ext.txt": [running(CALM, host=None), uptime, _setting("version", "5.7.42")],
        "x/b/ext.txt": [running(CALM, host=None), *of_b],
    }
    found = captures(files)
    assert len({capture.id for capture in found}) == count


def test_silence_ends_a_capture() -> None:
    files = {"a": [running(CALM)], "b": [running(CALM, start=T0 + 19 * 60 * S)]}
    assert spans(files) == [(0, 60), (1140, 1200)]


def test_a_hole_in_one_file_is_a_gap_inside_the_capture() -> None:
    found = captures({"a": [running([*CALM, *[None] * 200, *CALM])]})
    (capture,) = found
    (gap,) = capture.gaps
    assert (gap.start - T0, gap.end - T0) == (59 * S, 260 * S)


def test_two_bundles_stay_apart() -> None:
    """A minute between two bundles is a minute in which nobody looked."""
    first = "stalk/2026_11_20_22_17_07-mysqladmin"
    second = "stalk/2026_11_20_22_19_07-mysqladmin"
    files = {first: [running(CALM)], second: [running(CALM, start=T0 + 90 * S)]}
    assert len(captures(files)) == 2


def test_a_month_of_minutes_joins_nothing() -> None:
    """It is a capture of its own scale, and lends its minutes to the short ones."""
    month = [2.0, 3.0, 4.0] * (14_400 // 3)
    files = {
        "month.csv": [running(month, start=T0 - 100 * HOUR, step=60 * S)],
        "a/2026_11_20_22_17_07-x": [running(CALM)],
        "a/2026_11_20_22_36_07-x": [running(CALM, start=T0 + 19 * 60 * S)],
    }
    found = captures(files)
    assert [len(c.members) for c in found] == [1, 1, 1]
    assert [len(c.lent) for c in found] == [0, 1, 1]


def test_a_stall_that_two_scales_show_counts_once() -> None:
    minutes = [2.0] * 200 + [150.0] * 12 + [2.0] * 200
    files = {
        "day.csv": [running(minutes, start=T0 - 205 * 60 * S, step=60 * S)],
        "a/2026_11_20_22_17_07-x": [running(INSIDE)],
    }
    document = analyse(evidence(files))
    assert document.recurrence is not None
    assert (len(document.episodes), document.recurrence.stalls) == (2, 1)


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        ((48, 72), "every 2 to 3 days"),
        ((20, 29), "every 20 to 29 h"),
        ((30, 80), "every 30 h to 3 days"),
        ((48, 480), "2 to 20 days apart"),
        ((26,), "26 h apart"),
    ],
)
def test_a_rhythm_has_one_unit_where_that_is_precise_enough(
    hours: tuple[int, ...], words: str
) -> None:
    assert _rhythm([hour * 3600.0 for hour in hours]) == f", {words}"


def test_recurrence_names_the_rhythm_and_the_short_ones() -> None:
    shapes = (STALL, SHORT, STALL, SHORT, STALL)
    files = {
        f"{at}.csv": [running(shape, start=T0 + at * 10 * HOUR)] for at, shape in enumerate(shapes)
    }
    document = analyse(evidence(files))
    assert [capture.verdict for capture in document.captures] == [
        "stall",
        "short",
        "stall",
        "short",
        "stall",
    ]
    assert "3 stalls in 5 captures, every 20 h. In 2 more" in document.headline.text
    assert "The largest, on 20" in document.headline.text


def test_what_shows_no_sessions_is_no_capture_without_a_stall() -> None:
    files: Files = {
        "m.csv": [running(STALL)],
        "slow.log": [gauge("slow_log.queries", [1.0], start=T0 + HOUR, host="db-1")],
    }
    document = analyse(evidence(files))
    assert [capture.verdict for capture in document.captures] == ["stall", "unknown"]
    assert document.recurrence is not None
    assert document.recurrence.text == ""


def test_evidence_without_a_time_belongs_to_the_captures_of_its_folder() -> None:
    setting = Setting(line_first=1, line_last=1, name="x", value="1", source="my.cnf")
    files: Files = {
        "a/m.csv": [running(CALM)],
        "a/my.cnf": [setting],
        "b/m.csv": [running(CALM, start=T0 + HOUR, host="db-2")],
        "b/my.cnf": [setting],
        "both.cnf": [setting],
        "broken.bin": [],
    }
    gathered = evidence(files)
    names = {artifact.sha256: artifact.path for artifact in gathered.artifacts}
    found = [sorted(names[sha] for sha in c.artifacts) for c in partition(gathered)]
    assert found == [["a/m.csv", "a/my.cnf", "both.cnf"], ["b/m.csv", "b/my.cnf", "both.cnf"]]


def test_a_fragment_that_may_be_of_several_captures_changes_none_of_them() -> None:
    """It is judged alone: stacks without a time say nothing about either of two hosts."""
    stack = Stack(line_first=1, line_last=1, count=4_000, frames=(Frame(function="f"),))
    healthy: Files = {
        "m.csv": [running(STALL)],
        "n.csv": [running(CALM, start=T0 + HOUR, host="db-2")],
    }
    gathered = evidence({**healthy, "pmp.txt": [stack]})
    pasted = next(a.sha256 for a in gathered.artifacts if a.path == "pmp.txt")
    *others, last = partition(gathered)
    assert (last.id, last.undated) == (UNDATED, {pasted})
    assert [c.artifacts for c in others] == [c.artifacts for c in captures(healthy)]
    now, alone = analyse(gathered), analyse(evidence(healthy))
    assert msgspec.json.encode(now.episodes) == msgspec.json.encode(alone.episodes)
    assert [c.id for c in now.captures] == [c.id for c in alone.captures]
    (only,) = partition(evidence({"m.csv": [running(STALL)], "pmp.txt": [stack]}))
    assert len(only.undated) == 1  # beside a single capture it is evidence


shape = st.sampled_from([CALM, STALL, SHORT, INSIDE])
placed = st.tuples(
    st.one_of(shape, st.just([])), st.integers(1, 400), st.sampled_from(["db-1", "db-2", None])
)


@settings(max_examples=12, deadline=None)
@given(mine=shape, others=st.lists(placed, max_size=3), step=st.sampled_from([1, 2]))
def test_another_capture_changes_nothing(
    mine: list[float], others: list[tuple[list[float], int, str | None]], step: int
) -> None:
    alone: Files = {"a/m.csv": [running(mine, step=step * S)]}
    added: Files = {
        f"b{at}/m.csv": [running(values, start=T0 + hours * HOUR, host=host)]
        for at, (values, hours, host) in enumerate(others)
    }
    first, both = analyse(evidence(alone)), analyse(evidence({**alone, **added}))
    assert_same(first, both)


def _beside(folder: str, *items: Samples) -> Files:
    return {f"{folder}/n.csv": list(items)}


@pytest.mark.parametrize("distance", [61, 100, 299, 840, 899])
@pytest.mark.parametrize("folder", ["a", "b"])
@pytest.mark.dealt(3)
def test_a_row_of_no_host_minutes_away_is_no_part_of_a_capture(folder: str, distance: int) -> None:
    alone: Files = {"a/m.csv": [running(STALL)]}
    for start in (T0 - distance * S, T0 + (len(STALL) + distance) * S):
        both = analyse(evidence({**alone, **_beside(folder, running([90.0], start, host=None))}))
        assert len(both.captures) == 2
        assert_same(analyse(evidence(alone)), both)


def test_what_a_slower_series_ended_with_is_not_lent() -> None:
    """It ended before anybody looked closely, so it says nothing about what came then."""
    files: Files = {"a/m.csv": [running(STALL)]}
    ended = running([90.0, 4.0] * 20, T0 - (40 * 60 + 90) * S, step=60 * S, host=None)
    assert [len(c.lent) for c in captures({**files, **_beside("b", ended)})] == [0, 0]


def test_a_dump_in_the_silence_of_a_series_belongs_to_it() -> None:
    silent = running([*STALL[:50], *[None] * 400, *STALL[50:]])
    dump = moment("innodb_status", T0 + 250 * S, "utc")
    assert len(captures({"a/m.csv": [silent], "a/status.txt": [dump]})) == 1


def test_a_series_of_files_is_as_dense_as_its_own_run() -> None:
    """Slow dumps that follow quick ones in a folder join nothing that the quick ones left apart."""
    quick = {f"a/{at}.txt": [running([2.0], T0 + at * 5 * S)] for at in range(20)}
    slow = {f"a/{at}.log": [running([2.0], T0 + (300 + at * 60) * S)] for at in range(90)}
    assert spans({**quick, **slow}) == [(0, 96), *spans(slow)]


_HOLE_S = 400
_WITH_HOLE = [*STALL[:50], *[None] * _HOLE_S, *STALL[50:]]


@st.composite
def _apart(draw: st.DrawFn) -> tuple[Files, Files]:
    """A capture, and rows before it, after it or in its silence that nothing joins to it."""
    shape = draw(st.sampled_from([STALL, SHORT, INSIDE, _WITH_HOLE]))
    step = 1 if shape is _WITH_HOLE else draw(st.sampled_from([1, 2, 5, 10]))
    host = draw(st.sampled_from(["db-1", None]))
    wide = draw(st.sampled_from([1, 3, 10, 15, 30, 60, 300]))
    count = draw(st.sampled_from([1, 2, 3, 8, 40]))
    near = max(61, 5 * step + 1)
    where = draw(st.sampled_from(["before", "after", "inside"]))
    distance = draw(st.integers(near, 4000))
    start = T0 + (len(shape) * step + distance) * S
    if where == "before":
        start = T0 - (distance + (count - 1) * wide) * S
    elif where == "inside" and shape is _WITH_HOLE:
        room = _HOLE_S - 2 * near - 1
        count = min(count, room // wide + 1)
        start = T0 + (49 + near + draw(st.integers(0, room - (count - 1) * wide))) * S
    values = [draw(st.floats(0, 500)) for _ in range(count)]
    folder = draw(st.sampled_from(["a", "b"]))
    added = running(values, start, step=wide * S, host=None)
    return {"a/m.csv": [running(shape, step=step * S, host=host)]}, _beside(folder, added)


@settings(max_examples=15, deadline=None)
@given(pair=_apart())
def test_rows_of_no_host_change_no_capture_that_they_do_not_touch(
    pair: tuple[Files, Files],
) -> None:
    mine, others = pair
    assert_same(analyse(evidence(mine)), analyse(evidence({**mine, **others})))


def assert_same(alone: Analysis, both: Analysis) -> None:
    """Every capture and episode of the first is in the second, as it was."""
    for name in ("captures", "episodes"):
        known = {doc.id: doc for doc in getattr(both, name)}
        for doc in getattr(alone, name):
            assert _without_lead(known[doc.id]) == _without_lead(doc)


def _without_lead(document: object) -> object:
    plain = msgspec.to_builtins(document)
    plain.pop("leading", None)
    plain.get("stall", {}).pop("leading", None)
    return plain


def _two_bundles_with_equal_settings() -> tuple[list[Parsed], list[Parsed]]:
    """Two captures of two servers, each with the same settings file, which names no host."""
    cnf = frames(Setting(line_first=1, line_last=1, name="sync_binlog", value="1", source="my.cnf"))

    def bundle(folder: str, host: str, start: int) -> list[Parsed]:
        stamp = f"{folder}/2026_11_20_22_17_07"
        listed = frames(running(STALL, start=start, host=host))
        same = artifact("settings").at(f"{stamp}-my.cnf")
        return [(artifact(f"{folder}/mysqladmin").at(f"{stamp}-mysqladmin"), listed), (same, cnf)]

    return bundle("one", "db-1", T0), bundle("two", "db-2", T0 + 24 * HOUR)


def test_equal_files_belong_to_the_capture_of_each() -> None:
    """They are one content, and each capture has it under its own path, as when it is alone."""
    first, second = _two_bundles_with_equal_settings()
    both = gather([*first, *second])
    assert [a.copies for a in both.artifacts if a.copies] == [("two/2026_11_20_22_17_07-my.cnf",)]
    shared = {capture.host: share for capture, share in shares(both, partition(both))}
    for host, alone in (("db-1", gather(first)), ("db-2", gather(second))):
        ((_, mine),) = shares(alone, partition(alone))
        assert {a.path for a in shared[host].artifacts} == {a.path for a in mine.artifacts}
        assert shared[host].frames["setting"]["host"].to_list() == [host]
        assert mine.frames["setting"]["host"].to_list() == [host]


def test_equal_settings_change_no_finding() -> None:
    first, second = _two_bundles_with_equal_settings()
    both = analyse(gather([*first, *second]))
    assert_same(analyse(gather(first)), both)
    assert_same(analyse(gather(second)), both)
