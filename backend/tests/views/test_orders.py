"""Lists of the views: three candidates in the wrong order, and a tie that what they say breaks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from unittest import mock

import polars as pl
import pytest

from pileup.views.artifacts import artifact_records, pasted
from pileup.views.evidence.nearest_sessions import sessions_near
from pileup.views.evidence.queries import QueryFilter, query_examples, top_queries
from pileup.views.reports.bundle_files import BundleFiles
from pileup.views.source import EvidenceSource
from pileup.views.window import Window
from tests.analysis.frames import T0, S, evidence
from tests.api.test_table_tabs import session, slow


def source(**files: list[Any]) -> EvidenceSource:
    return EvidenceSource(evidence(files))


def test_the_narrowest_record_of_some_lines_comes_first() -> None:
    """Of equally wide ones the first in the file, and at the same lines by kind."""
    frames = {
        "snapshot": pl.DataFrame({"line_first": [1, 4], "line_last": [9, 4]}),
        "event": pl.DataFrame({"line_first": [5, 4, 3], "line_last": [5, 4, 4]}),
    }
    artifact: Any = SimpleNamespace(records=dict.fromkeys(frames, 3))
    with mock.patch.object(artifact_records, "_scan", lambda _, __, kind: frames[kind].lazy()):
        found = artifact_records.records_at(mock.Mock(), artifact, 1, 9).items
    assert [(row.kind, row.line_first, row.line_last) for row in found] == [
        ("event", 4, 4), ("snapshot", 4, 4), ("event", 5, 5), ("event", 3, 4), ("snapshot", 1, 9)
    ]  # fmt: skip


def test_of_the_records_of_a_kind_the_narrowest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact_records, "MOST_AT", 2)
    frame = pl.DataFrame({"line_first": [1, 2, 3, 4], "line_last": [9, 3, 3, 5]}).lazy()
    kept = artifact_records._at(frame, "event", 1, 9)
    assert [(row.line_first, row.line_last) for row in kept] == [(2, 3), (3, 3)]


def test_the_nearest_processlist_is_the_earlier_of_two_as_near() -> None:
    def listed(number: int, at: int) -> Any:
        return session(number, "SELECT 1", wall_us=T0 + at * S, snapshot=0)

    far, after, before = [listed(1, 9)], [listed(2, 4)], [listed(3, 2)]
    found = sessions_near(source(far=far, after=after, before=before), T0 + 3 * S)
    assert [row.session_id for row in found.sessions] == [3]
    twin = [listed(4, 2)]
    for files in ({"b": before, "a": twin}, {"a": before, "b": twin}):
        first = sessions_near(source(**files), T0 + 3 * S)
        assert [row.session_id for row in first.sessions] == [files["a"][0].session_id]


def test_sessions_are_listed_by_their_time_and_states_by_their_number() -> None:
    times = {1: 5.0, 2: None, 3: 90.0, 4: 5.0}
    states = {1: "few", 2: "many", 3: "many", 4: "tie"}
    rows = [
        session(n, "SELECT 1", wall_us=T0, snapshot=0, time_s=times[n], state=states[n])
        for n in times
    ]
    found = sessions_near(source(list=rows), T0)
    assert [row.session_id for row in found.sessions] == [3, 1, 4, 2]
    assert [(group.state, group.count) for group in found.groups] == [
        ("many", 2), ("few", 1), ("tie", 1)
    ]  # fmt: skip


def test_the_slowest_examples_come_first_and_equals_as_they_are_logged() -> None:
    log = [slow(n, f"SELECT a FROM t WHERE id={n}", took, n) for n, took in
           enumerate((1.0, 5.0, 3.0, 5.0), start=1)]  # fmt: skip
    seen = source(log=log)
    (shape,) = top_queries(seen, QueryFilter(), ()).items
    found = query_examples(seen, Window(), shape.id, "slow_log")
    assert [example.query[-1] for example in found.items] == ["2", "4", "3", "1"]


def test_what_a_paste_holds_is_counted_most_first_and_equals_by_kind() -> None:
    whole: Any = pasted.parse_with_fallback

    def counted(parse_as: Any) -> Any:
        parsed = whole(parse_as)
        parsed.receipt.records.clear()
        parsed.receipt.records.update(
            {"session": 2, "event": 5, "setting": 9, "query": 5, "stack": 0}
        )
        return parsed

    with mock.patch.object(pasted, "parse_with_fallback", counted):
        kinds = [each.kind for each in pasted.understand("a = 1\n").records]
    assert kinds == ["setting", "event", "query", "session"]


def test_what_is_packed_inside_is_packed_first() -> None:
    """An archive is written again from its members, so the deepest comes before those around it."""
    packed: list[str] = []
    rows = [{"id": name, "sha256": name, "depth": depth, "parent_id": None}
            for name, depth in (("outer", 0), ("inner", 2), ("middle", 1))]  # fmt: skip
    made = mock.MagicMock()
    made._is_packed.return_value = True
    made._pack.side_effect = lambda row, _: packed.append(row["id"])
    BundleFiles.copies(made, rows)
    assert packed == ["inner", "middle", "outer"]
