"""Captures are split where nobody looked, and one capture never changes what another shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.analysis import analyse, gather
from pileup.analysis.captures.partition import Capture, partition
from pileup.analysis.captures.recurrence import _rhythm
from pileup.analysis.captures.shares import shares
from pileup.analysis.contract import Analysis
from pileup.analysis.isolation import Parsed
from pileup.records import Record, Setting
from tests.analysis.frames import T0, Samples, artifact, evidence, frames, gauge

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
