"""What the views choose and in which order, with rivals in the wrong order and a tie."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from pileup.analysis.deadlocks import prints
from pileup.storage.artifacts.analysis_input import clock_overrides
from pileup.views import overview
from pileup.views.artifacts import tables
from pileup.views.evidence import (
    capture_tables,
    episodes,
    log_groups,
    nearest_sessions,
    server_settings,
    timeline,
)
from pileup.views.reasoning import matrix, symptoms


def _event(time: str | None, severity: str | None, message: str = "x") -> dict[str, Any]:
    return {"time": time, "severity": severity, "message": message}


def test_of_very_many_events_the_gravest_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """And of equally grave ones the first; in the order of time, and none is cut at the limit."""
    monkeypatch.setattr(timeline, "_MOST_EVENTS", 3)
    events = [
        _event("22:05", None, "late note"),
        _event("22:04", "warning", "late warning"),
        _event("22:03", "warning", "warning"),
        _event("22:06", "error", "error"),
        _event(None, "error", "without a time"),
        _event("22:01", None, "note"),
    ]
    assert [event["message"] for event in timeline._shortened(events)] == [
        *("warning", "late warning", "error")
    ]
    three = events[:3]
    assert [event["message"] for event in timeline._shortened(three)] == [
        *("late note", "late warning", "warning")
    ]
    long = timeline._shortened([_event("22:01", None, "x" * 500)])
    assert len(long[0]["message"]) == timeline._MESSAGE


def test_the_stall_of_a_link() -> None:
    """By its id, or the longest of a capture, of equals the first; the leading one needs none."""

    def stall(
        name: str, capture: str, seconds: float | None, *, leading: bool = False
    ) -> dict[str, Any]:
        return {
            "id": name,
            "capture": capture,
            "leading": leading,
            "stall": {"duration_s": seconds},
        }

    parts = {
        "episodes": [
            stall("lead", "a", 900.0, leading=True),
            stall("open", "b", None),
            stall("short", "b", 5.0),
            stall("long", "b", 60.0),
            stall("too", "b", 60.0),
        ]
    }
    chosen = {name: overview._chosen(parts, name) for name in ("short", "too", "b", "lead", "a")}
    assert chosen == {"short": "short", "too": "too", "b": "long", "lead": None, "a": None}
    assert overview._chosen(parts, "none") is None
    assert overview._chosen({}, "b") is None
    assert overview._chosen(parts, None) is None


def test_settings_are_listed_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of both sources, once."""
    values = {"left": {"c": 1, "a": 1, "d": 1}, "right": {"b": 1, "a": 2}}
    given = [SimpleNamespace(id=name) for name in values]
    monkeypatch.setattr(server_settings, "setting_sources", lambda _: given)
    monkeypatch.setattr(server_settings, "_values", lambda _, found: values[found.id])
    monkeypatch.setattr(server_settings, "_mentions", lambda _: {})
    monkeypatch.setattr(
        server_settings,
        "_row",
        lambda name, *_: SimpleNamespace(name=name, state="changed", volatile=name == "c"),
    )
    monkeypatch.setattr(server_settings, "SettingTable", SimpleNamespace)
    source: Any = None
    table: Any = server_settings.setting_table(source, "left", "right", [])
    assert [row.name for row in table.rows] == ["a", "b", "c", "d"]
    assert (table.differing, table.total, table.cut) == (3, 4, False)
    for most, cut in ((4, False), (3, True)):
        monkeypatch.setattr(server_settings, "MOST_ROWS", most)
        limited: Any = server_settings.setting_table(source, "left", "right", [])
        assert (len(limited.rows), limited.cut) == (most, cut)


def test_a_row_of_a_table_has_the_columns_of_its_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[list[str | None]] = [["1"], ["1", "2", "3"], ["1", "2"]]
    ref = SimpleNamespace(
        artifact="a",
        path="x",
        name="t",
        columns=["a", "b"],
        rows=3,
        line_first=1,
        line_last=4,
    )
    monkeypatch.setattr(tables, "table_rows", lambda *_: rows)
    monkeypatch.setattr(tables.table_diff, "is_numeric", lambda *_: True)
    table: Any = SimpleNamespace(ref=ref, data=SimpleNamespace(columns=["a", "b"]))
    assert tables.table_page(table, 0, 9, None, down=False).page == [
        *(["1", None], ["1", "2"], ["1", "2"])
    ]
    assert tables.table_page(table, 1, 1, None, down=False).page == [["1", "2"]]


def test_the_words_of_an_answer_are_the_person_s(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [
        SimpleNamespace(symptom_id=name, holds=holds, note=note, by="Ann", experiment_id="r")
        for name, holds, note in (("a", True, ""), ("b", False, ""), ("c", True, "on two hosts"))
    ]
    monkeypatch.setattr(symptoms, "Symptoms", lambda _: SimpleNamespace(answers=lambda _: given))
    run: Any = SimpleNamespace(incident_id="i", id="r")
    unit: Any = None
    words = {name: answer.text for name, answer in symptoms.answers_of_run(unit, run).items()}
    given.append(SimpleNamespace(symptom_id="d", holds=True, note="", by="Bob", experiment_id="s"))
    assert "d" not in symptoms.answers_of_run(unit, run)
    assert words == {"a": "seen by Ann", "b": "not seen by Ann", "c": "on two hosts"}


def test_a_clock_that_people_set() -> None:
    """The offset, and the host only where every copy of the file has the same."""

    def copy(sha256: str, host: str | None, offset_s: float | None = None) -> Any:
        return SimpleNamespace(
            sha256=sha256,
            given_host=host,
            offset_s=offset_s,
            zone="UTC",
            given_at=None,
            given_within_s=None,
        )

    found = clock_overrides(
        [copy("a", "db-1", -2.5), copy("b", "db-1"), copy("b", "db-2"), copy("c", "db-3")]
    )
    assert {name: (each.offset_s, each.host) for name, each in found.items()} == {
        "a": (-2.5, "db-1"),
        "b": (0.0, None),
        "c": (0.0, "db-3"),
    }


def test_settings_that_a_finding_mentions_come_first() -> None:
    def row(name: str, *by: str) -> Any:
        return SimpleNamespace(name=name, mentioned=[SimpleNamespace(by=each) for each in by])

    rows = [row("d"), row("b", "knowledge"), row("c", "knowledge", "finding"), row("a")]
    rows += [row("a_known", "knowledge"), row("z", "finding")]
    assert [each.name for each in capture_tables._mentioned_first(rows)] == [
        *("c", "z", "a_known", "b", "a", "d")
    ]


def test_a_thumbnail_breaks_where_the_samples_are_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """A gap of exactly so many usual steps is none."""
    exactly = round(episodes._GAP * 1_000_000)
    times = [0, 1_000_000, 2_000_000, 3_000_000, 3_000_000 + exactly]
    points = episodes._aligned(times, [1.0, 5.0, 2.0, 3.0, 4.0], 1_000_000)
    assert [value for _, value in points] == [1.0, 5.0, 2.0, 3.0, 4.0]
    assert points[0][0] == -1.0
    times[-1] += 1
    points = episodes._aligned(times, [1.0, 5.0, 2.0, 3.0, 4.0], 1_000_000)
    assert points[4] == (3.0, None)  # a usual step behind the last sample
    monkeypatch.setattr(episodes, "_MOST_POINTS", 3)
    wide = episodes._aligned([0, 1, 2, 3], [1.0, 5.0, 2.0, 3.0], 0)
    assert [value for _, value in wide] == [5.0, 3.0]


def test_log_lines_of_one_artifact_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    events = pl.LazyFrame(
        {
            "artifact": ["a", "b", "a"],
            "message": ["x 1", "x 2", "y 3"],
            "severity": ["error", None, None],
            "time": [3, 2, 1],
        }
    )
    monkeypatch.setattr(log_groups, "_events", lambda _: events)
    window = SimpleNamespace(holds=lambda: pl.lit(value=True))
    wanted: Any = SimpleNamespace(window=window, artifact="a")
    source: Any = None
    found = log_groups._within(source, wanted).collect()
    assert found["message"].to_list() == ["x 1", "y 3"]
    assert found["severity"].to_list() == ["error", log_groups.NO_SEVERITY]


def test_the_processlist_nearest_to_an_instant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its states by how many sessions have them, the longest sessions first."""

    def row(time: int, session: int, seconds: float | None, state: str) -> dict[str, Any]:
        names = [field.name for field in dataclasses.fields(nearest_sessions.SessionOut)]
        given = {"session_id": session, "time_s": seconds, "state": state, "command": "Query"}
        empty = dict.fromkeys(names)
        return {**empty, "artifact": "a", "line_first": 1, "line_last": 1, **given, "time": time}

    at = 1_000_000_000
    rows = [row(at - 5, 1, 9.0, "far"), row(at + 4, 2, None, "few"), row(at + 4, 3, 1.0, "many")]
    rows += [row(at + 4, 4, 7.0, "many"), row(at + 9, 5, 9.0, "later")]
    source: Any = SimpleNamespace(scan=lambda _: pl.LazyFrame(rows))
    found = nearest_sessions.sessions_near(source, at)
    assert [each.session_id for each in found.sessions] == [4, 3, 2]
    assert [(each.state, each.count, each.max_time_s) for each in found.groups] == [
        *(("many", 2, 7.0), ("few", 1, None))
    ]
    assert found.total == 3
    furthest = at + 9 + nearest_sessions.NEAREST_US
    assert [
        each.session_id for each in nearest_sessions.sessions_near(source, furthest).sessions
    ] == [5]
    assert nearest_sessions.sessions_near(source, furthest + 1) is nearest_sessions.NO_SESSIONS


def test_what_people_believe_is_held_against_what_the_evidence_says() -> None:
    def column(label: str, confidence: int | None, **more: Any) -> Any:
        given = {"leads": False, "closed": False} | more
        return SimpleNamespace(label=label, confidence=confidence, **given)

    def disputed(*columns: Any) -> str | None:
        return matrix._disputed(columns)

    believed, other = column("H1", 80), column("H2", 90, closed=True)
    leaders = [column("H3", 40, leads=True), column("H4", 20, leads=True)]
    text = disputed(believed, other, *leaders)
    assert text is not None
    assert "believe H1 most (80%)" in text
    assert "contradicts H3 and H4 least" in text
    as_sure = column("H5", 80, leads=True)
    assert disputed(believed, leaders[0], as_sure) is None
    assert disputed(believed) is None
    assert disputed(column("H6", None), *leaders[:0]) is None


def test_a_deadlock_is_the_same_by_host_time_and_statements() -> None:
    """And without a time by the numbers of its transactions alone."""

    def deadlock(line: int, **more: Any) -> dict[str, Any]:
        two = [{"trx_id": "1", "query": "q"}, {"trx_id": "2", "query": "r"}]
        row = {"host": "a", "original": None, "wall_us": 5, "time": 6, "truncated": False}
        return row | {"line_first": line, "transactions": two} | more

    other = [{"trx_id": "1", "query": "q"}, {"trx_id": "2", "query": "s"}]
    rows = [
        deadlock(1),
        deadlock(2, time=9),
        deadlock(3, wall_us=7),
        deadlock(4, host="b"),
        deadlock(5, original="22:00"),
        deadlock(6, original="22:00", wall_us=8),
        deadlock(7, transactions=other),
        deadlock(8, wall_us=None),
        deadlock(9, wall_us=None, host="c"),
    ]
    lines = [[row["line_first"] for row in group] for group in prints.by_deadlock(rows)]
    assert lines == [[1, 2, 8], [3], [4], [5, 6], [7], [9]]


def test_only_captures_without_a_stall_are_calm(monkeypatch: pytest.MonkeyPatch) -> None:
    def capture(name: str, **more: Any) -> dict[str, Any]:
        first, last = "2026-11-20T22:00:00Z", "2026-11-20T22:01:00Z"
        given = {"episodes": [], "first": first, "last": last, "host": None, "artifacts": [name]}
        return given | {"id": name} | more

    signal = SimpleNamespace(id="s", times=[0, 1], values=[1.0, 2.0])
    monkeypatch.setattr(episodes, "signals", lambda _: [signal])
    monkeypatch.setattr(episodes, "values", lambda rows: rows)
    samples = pl.DataFrame({"time": [0], "artifact": ["a"], "host": [None]})
    captures = [
        capture("stalled", episodes=["e"]),
        *(capture(f"calm{n}") for n in range(episodes._MOST_CALM)),
        capture("undated", first=None),
        capture("too many"),
    ]
    cards = episodes._calm(captures, samples)
    assert [card.capture["id"] for card in cards] == [
        f"calm{n}" for n in range(episodes._MOST_CALM)
    ]
    assert episodes._calm(captures, None) == []
    nothing: Any = {"stall": {"evidence": [{"series": "s"}]}}
    assert episodes._thumbnail(nothing, capture("x"), None) is None
