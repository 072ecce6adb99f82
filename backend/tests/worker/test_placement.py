"""What a worker hands to the analysis and stores of it: corrections, hosts of copies, a case."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.analysis.evidence.context import Span
from pileup.analysis.stalls.corrections import StallCorrection
from pileup.storage.errors import Refused
from pileup.worker import analysis
from tests.worker.test_small_decisions import Units

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NOON_US = int(NOON.timestamp() * 1_000_000)


def runtime() -> Any:
    return SimpleNamespace(database=Units())


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, {}),
        ({"onset": 1}, {"onset": NOON_US + 1_000_000}),
        ({"end": 2}, {"end": NOON_US + 2_000_000}),
        (
            {"baseline_start": 3, "baseline_end": 4},
            {"baseline": Span(NOON_US + 3_000_000, NOON_US + 4_000_000)},
        ),
        ({"baseline_start": 3}, {}),
        ({"baseline_end": 4}, {}),
    ],
)
def test_corrections_of_people(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, int], found: dict[str, Any]
) -> None:
    """A baseline needs both its ends."""
    fields: dict[str, Any] = dict.fromkeys(("onset", "end", "baseline_start", "baseline_end"))
    fields |= {name: NOON + timedelta(seconds=after) for name, after in given.items()}
    row = SimpleNamespace(host="db", computed_onset=NOON, by="ann", **fields)
    corrections = SimpleNamespace(of_incident=lambda _: [row])
    monkeypatch.setattr(analysis, "StallCorrections", lambda _: corrections)
    expected = {"onset": None, "end": None, "baseline": None} | found
    assert analysis._corrections(runtime(), "i") == [
        StallCorrection(host="db", computed_onset=NOON_US, by="ann", **expected)
    ]


def test_the_members_of_an_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were read and count, in the order of their arrival."""
    states = ("done", "done_with_problems", "failed", "parsing", "done")
    rows = [
        SimpleNamespace(id=f"{9 - n}", state=state, is_analysed=n != 4)
        for n, state in enumerate(states)
    ]
    artifacts = SimpleNamespace(of_incident=lambda _: rows, problems=lambda _: "problems")
    monkeypatch.setattr(analysis, "Artifacts", lambda _: artifacts)
    monkeypatch.setattr(analysis, "describe_each", lambda found, problems: (found[:], problems))
    found, members = analysis._members(runtime(), "i")
    assert [each.id for each in found] == ["8", "9"]
    assert members == (found, "problems")  # type: ignore[comparison-overlap]


def file(key: str, path: str, sha: str, **more: Any) -> Any:
    values = {"host": None, "first": None, "last": None, "clock": None, "bundle": None}
    return SimpleNamespace(id=key, path=path, sha256=sha, incident_id="i", **(values | more))


def placed(sha: str, host: str | None = None, bundle: str | None = None, **more: Any) -> Any:
    values = {"first": None, "last": None, "clock": None}
    return SimpleNamespace(sha256=sha, host=host, bundle=bundle, **(values | more))


def stored(monkeypatch: pytest.MonkeyPatch, files: list[Any], *found: Any) -> tuple[Any, Any]:
    calls: dict[str, Any] = {}
    repository = SimpleNamespace(place=lambda key, **values: calls.update({key: values}))
    monkeypatch.setattr(analysis, "Artifacts", lambda _: repository)
    unit: Any = SimpleNamespace(notices=[], notify=lambda *notice: unit.notices.append(notice))
    document: Any = SimpleNamespace(artifacts=found)
    analysis._place(unit, files, document)
    return calls, unit.notices


def test_a_file_gets_what_the_analysis_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is as before is not stored again, and nobody is notified of it."""
    files = [
        file("1", "a/x", "s1"),
        file("2", "a/y", "s2", host="db", bundle="a"),
        file("3", "a/z", "gone"),
    ]
    first, last = "2026-11-20T12:00:00Z", "2026-11-20T12:00:01+00:00"
    calls, notices = stored(
        monkeypatch,
        files,
        placed("s1", "db", "a", first=first, last=last, clock={"zone": "UTC"}),
        placed("s2", "db", "a"),
    )
    assert calls == {
        "1": {
            "host": "db",
            "first": NOON,
            "last": NOON + timedelta(seconds=1),
            "clock": {"zone": "UTC"},
            "bundle": "a",
        }
    }
    assert notices == [("i", "artifact", "1")]


def test_each_copy_has_what_lies_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own host counts first; else that of its folder, where all files have the same."""
    monkeypatch.setattr(analysis, "bundle_of", str.upper)
    files = [
        file("1", "a/copy", "same"),
        file("2", "a/log", "of a"),
        file("3", "b/copy", "same"),
        file("4", "b/log", "of b"),
        file("5", "b/other", "of c"),
        file("6", "c/copy", "same"),
    ]
    calls, _ = stored(
        monkeypatch,
        files,
        placed("same", None, "not used"),
        placed("of a", "db-a"),
        placed("of b", "db-b"),
        placed("of c", "db-c"),
    )
    assert {key: (call["host"], call["bundle"]) for key, call in calls.items()} == {
        "1": ("db-a", "A/COPY"),
        "2": ("db-a", None),
        "3": (None, "B/COPY"),
        "4": ("db-b", None),
        "5": ("db-c", None),
        "6": (None, "C/COPY"),
    }
    own, _ = stored(monkeypatch, files[:3], placed("same", "own", None))
    assert {key: call["host"] for key, call in own.items()} == {"1": "own", "3": "own"}


@pytest.mark.parametrize(
    ("sample", "recorded", "known", "case", "expected"),
    [
        ("s", False, True, "case", ["case"]),
        ("s", True, True, "case", []),
        (None, False, True, "case", []),
        ("s", False, False, "case", []),
        ("s", False, True, None, []),
    ],
)
def test_the_case_of_a_finished_sample_is_recorded_once(
    monkeypatch: pytest.MonkeyPatch,
    sample: str | None,
    recorded: bool,
    known: bool,
    case: str | None,
    expected: list[str],
) -> None:
    steps = _with_case(monkeypatch, sample, recorded=recorded, known=known, case=case)
    assert steps == expected


def test_a_case_that_cannot_be_recorded_is_in_the_trail(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "x" * 2001
    steps = _with_case(monkeypatch, "s", error=Refused(why))
    assert steps == [("sample.case_failed", {"incident_id": "i", "why": "x" * 2000})]


def _with_case(
    monkeypatch: pytest.MonkeyPatch,
    sample: str | None,
    *,
    recorded: bool = False,
    known: bool = True,
    case: str | None = "case",
    error: Exception | None = None,
) -> list[Any]:
    steps: list[Any] = []

    def record_case(_unit: Any, _stores: Any, incident: str, found: str) -> None:
        assert incident == "i"
        if error is not None:
            raise error
        steps.append(found)

    folders = [SimpleNamespace(id="s" if known else "other", folder="folder")]
    incidents = SimpleNamespace(get=lambda _: SimpleNamespace(sample_id=sample))
    monkeypatch.setattr(analysis, "Incidents", lambda _: incidents)
    monkeypatch.setattr(analysis, "is_recorded", lambda *_: recorded)
    monkeypatch.setattr(analysis, "samples_in", lambda _: folders)
    monkeypatch.setattr(analysis, "read_case", lambda _: case)
    monkeypatch.setattr(analysis, "record_case", record_case)
    monkeypatch.setattr(
        analysis, "record", lambda _, __, what, **facts: steps.append((what, facts))
    )
    services: Any = SimpleNamespace(settings=SimpleNamespace(samples="samples"), stores=None)
    unit: Any = SimpleNamespace(session=SimpleNamespace(begin_nested=nullcontext))
    analysis._record_case(services, unit, "i")
    return steps
