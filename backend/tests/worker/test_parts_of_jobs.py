"""Steps of jobs with all around them made up: readings, runs, trials, culprits, sparklines."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any
from unittest import mock

import msgspec
import polars as pl
import pytest
from billiard.exceptions import SoftTimeLimitExceeded

from pileup import __version__, knowledge, process_limits
from pileup.formats.bundle import stored_only
from pileup.records import Problem
from pileup.storage.errors import StorageError
from pileup.worker import digest, intake, isolated, purge, runs, runtime, trial, work
from pileup.worker.trial import TrialRequest
from tests.analysis.frames import T0, S


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


class Calls:
    """Repositories that note each call, with the answers that a test gives them."""

    def __init__(self, **answers: Any) -> None:
        self.made: list[tuple[Any, ...]] = []
        self._answers = answers

    def __call__(self, *_: Any) -> Calls:
        return self

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.made.append((name, *arguments))
            answer = self._answers.get(name)
            return answer(*arguments) if callable(answer) else answer

        return call

    @contextmanager
    def unit(self) -> Any:
        yield self

    def names(self) -> list[str]:
        return [name for name, *_ in self.made]


def job(**more: Any) -> Any:
    return given(**({"id": "j", "kind": "run", "target": "run 1", "incident_id": "i", "attempt": 1,
                     "crashes": 0} | more))  # fmt: skip


# ---- what a reading says -----------------------------------------------------------------------


def parsed(**more: Any) -> Any:
    receipt = given(records={"event": 2}, bytes_read=200, bytes_understood=150, bytes_skipped=50,
                    lines=9, skipped=[])  # fmt: skip
    fields = {"crashed": False, "failed": None, "format": "vmstat", "version": 3, "problems": [],
              "sections": [], "line_index": [0], "receipt": receipt,
              "detection": given(why="its content", confidence=0.9, candidates=())}  # fmt: skip
    return given(**(fields | more))


def nothing_read() -> Any:
    return given(records={"event": 0}, bytes_read=0, bytes_understood=0, bytes_skipped=0, lines=0,
                 skipped=[])  # fmt: skip


@pytest.mark.parametrize(
    ("chosen", "size", "changes", "state", "error"),
    [
        (None, 9, {}, "done", None),
        (None, 9, {"problems": [Problem(1, "x")]}, "done_with_problems", None),
        (None, 9, {"failed": "it broke"}, "done_with_problems", None),
        (None, 9, {"failed": "it broke", "receipt": nothing_read()}, "failed", "it broke"),
        ("vmstat", 9, {"failed": "it broke"}, "failed", "it broke"),
        ("vmstat", 9, {"receipt": nothing_read()}, "failed", "nothing in this file"),
        ("vmstat", 0, {"receipt": nothing_read()}, "done", None),
        (stored_only.NAME, 9, {"receipt": nothing_read()}, "done", None),
        (None, 9, {"receipt": nothing_read()}, "done", None),
        (None, 0, {"format": None, "receipt": nothing_read()}, "done", None),
        (None, 9, {"format": None, "receipt": nothing_read()}, "unknown_format", None),
    ],
)
def test_the_state_of_an_artifact(
    chosen: str | None, size: int, changes: Any, state: str, error: str | None
) -> None:
    artifact: Any = given(format_given=chosen, bytes=size)
    found = intake._verdict(artifact, parsed(**changes))
    assert found[0] == state
    assert (found[1] or "").startswith(error or "")
    assert (found[1] is None) == (error is None)


def test_a_parser_that_ran_out_of_time_is_no_defect() -> None:
    artifact: Any = given(format_given=None, bytes=9)
    late = f"the parser failed: {SoftTimeLimitExceeded.__name__}()"
    with pytest.raises(SoftTimeLimitExceeded):
        intake._verdict(artifact, parsed(crashed=True, failed=late))
    assert intake._verdict(artifact, parsed(failed=late))[0] == "done_with_problems"
    assert intake._verdict(artifact, parsed(crashed=True, failed="x"))[0] == "done_with_problems"


def test_what_is_stored_of_a_reading() -> None:
    artifact: Any = given(format_given=None, bytes=9)
    found = intake._reading(artifact, parsed(failed="half of it", problems=[Problem(3, "late")]))
    assert [(each.message, each.severity) for each in found.problems] == [
        ("half of it", "error"), ("late", Problem(3, "late").severity)
    ]  # fmt: skip
    assert (found.coverage, found.lines, found.parser_version) == (0.75, 9, 3)
    assert (found.why, found.confidence, found.error) == ("its content", 0.9, None)
    assert found.receipt["bytes_skipped"] == 50
    failed = intake._reading(artifact, parsed(failed="it broke", receipt=nothing_read()))
    assert (failed.problems, failed.error, failed.coverage) == ([], "it broke", None)
    bare = intake._reading(artifact, parsed(format=None))
    assert bare.parser_version is None
    chosen: Any = given(format_given="vmstat", bytes=9)
    by_person = intake._reading(chosen, parsed())
    assert (by_person.why, by_person.confidence) == ("a person chose the type", 1.0)
    assert intake._reading(chosen, parsed(), mapped=True).why == "its content"


def test_a_blob_counts_what_is_read() -> None:
    counted = intake._Counted(io.BytesIO(b"12345678"), 8)
    assert counted.progress() == 0.0
    with io.BufferedReader(counted, 4) as stream:
        stream.read(4)
        assert counted.progress() == 0.5
    assert intake._Counted(io.BytesIO(b""), 0).progress() is None


# ---- runs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["done", "newer", "deleted", "empty", "unread", "gone"])
def test_the_analysis_of_a_run(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [
        given(id=name, sha256=f"sha {name}", state=state)
        for name, state in (("b", "done"), ("a", "done_with_problems"), ("c", "failed"))
    ]
    if case in ("empty", "unread"):
        files = [] if case == "empty" else files[2:]
    calls = Calls(
        files=lambda _: {} if case == "deleted" and calls.names().count("files") > 1 else (
            {"run 1": files}),
        finish=case != "newer",
        problems={"b": []},
    )  # fmt: skip
    for name in ("RunAnalyses", "Artifacts", "Jobs"):
        monkeypatch.setattr(runs, name, calls)
    again, described = mock.Mock(return_value=case == "gone"), mock.Mock(return_value=["d"])
    result = given(document="document", evidence="evidence", left_out={"sha b": "it hangs"})
    analysed = mock.Mock(return_value=result)
    named = mock.Mock()
    monkeypatch.setattr(runs, "read_again", again)
    monkeypatch.setattr(runs, "describe_each", described)
    monkeypatch.setattr(runs, "isolated", analysed)
    monkeypatch.setattr(runs, "clock_overrides", lambda read: [each.id for each in read])
    monkeypatch.setattr(runs, "run_document", lambda *both: both)
    monkeypatch.setattr(runs, "name_culprits", named)
    monkeypatch.setattr(runs, "input_hash", lambda used, _: [each.id for each in used])
    monkeypatch.setattr(runs, "Request", lambda **more: more["overrides"])
    monkeypatch.setattr(runs, "Jobs", calls)
    this: Any = given(database=calls)
    runs.analyse_run(this, job())
    assert ("problems", "i") in calls.made or case == "empty"
    assert [each.id for each in again.call_args.args[2]] == (
        [] if case in ("empty", "unread") else ["a", "b"]
    )
    stored = [call for call in calls.made if call[0] in ("replace", "forget")]
    if case in ("empty", "unread"):
        assert stored == [("forget", "i", "run 1")]
    elif case == "done":
        assert analysed.call_args.args[2:] == (["d"], ["a", "b"])
        assert stored == [("replace", "i", "run 1", ("document", "evidence"), ["a", "c"])]
    else:
        assert stored == []
    assert named.called == (case in ("done", "deleted"))
    assert ("finish" in calls.names()) == (case != "gone")


def test_an_empty_run_of_a_newer_attempt_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(files={}, finish=False)
    for name in ("RunAnalyses", "Artifacts", "Jobs"):
        monkeypatch.setattr(runs, name, calls)
    monkeypatch.setattr(runs, "read_again", lambda *_: False)
    this: Any = given(database=calls)
    runs.analyse_run(this, job())
    assert calls.names() == ["files", "finish"]


def test_each_run_that_changed_is_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(outdated=["b", "a"])
    monkeypatch.setattr(runs, "RunAnalyses", calls)
    monkeypatch.setattr(runs, "Jobs", calls)
    this: Any = given(database=calls)
    runs.queue_runs(this, "i")
    assert calls.made == [("outdated", "i", __version__), ("enqueue", "run", "b", "i"),
                          ("enqueue", "run", "a", "i")]  # fmt: skip


# ---- artifacts that make an analysis fail --------------------------------------------------------


def test_only_what_was_left_out_is_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls()
    monkeypatch.setattr(isolated, "Artifacts", calls)
    artifacts: Any = [given(id=name, sha256=f"sha {name}") for name in "abc"]
    unit: Any = calls
    isolated.name_culprits(unit, artifacts, {"sha b": "it hangs", "sha z": "x"})
    assert calls.made == [("fail", "b", "it hangs")]


def test_frames_that_are_gone_are_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = Calls(finish=True)
    for name in ("Artifacts", "Jobs"):
        monkeypatch.setattr(isolated, name, calls)
    monkeypatch.setattr(isolated, "frame_key", lambda artifact: artifact.key)
    this: Any = given(database=calls, frames=given(holds=lambda key: key == "held"))
    artifacts: Any = [given(id=name, key=key) for name, key in (("a", "held"), ("b", None))]
    assert not isolated.read_again(this, job(), artifacts)
    assert calls.made == []
    artifacts += [given(id="c", key="gone"), given(id="d", key="lost")]
    assert isolated.read_again(this, job(), artifacts)
    assert calls.names() == ["reparse", "reparse", "finish", "notify"]
    assert [call[1] for call in calls.made[:2]] == ["c", "d"]
    assert calls.made[-1] == ("notify", "i", "analysis")


@pytest.mark.parametrize("folder", [None, "/knowledge"])
def test_a_trial_has_the_share_of_a_job(
    folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[TrialRequest] = []

    def why(request: TrialRequest) -> str | None:
        requests.append(request)
        return "it hangs" if request.artifacts else None

    monkeypatch.setattr(isolated, "why_it_fails", why)
    monkeypatch.setattr(isolated, "memory_bound", lambda most: most + 1)
    monkeypatch.setattr(isolated, "frame_key", lambda artifact: artifact.key)
    monkeypatch.setattr(
        isolated.isolation, "culprits", lambda members, why: [(members[1], why(members[1:]))]
    )
    monkeypatch.setattr(isolated.isolation, "left_out_sentence", lambda why: f"left out: {why}")
    monkeypatch.setattr(isolated, "TrialRequest", lambda **more: given(**more))
    frames = {"key": {"event": ["a.parquet", "b.parquet"]}}
    this: Any = given(
        settings=given(job_memory_bytes=10, job_cpu_s=20, task_time_limit_s=600,
                       knowledge_dir=folder),
        frames=given(files=frames.get, load=lambda key: None),
    )  # fmt: skip
    members: Any = [(given(id="1", key=None), given(sha256="sha 1")),
                    (given(id="2", key="key"), given(sha256="sha 2"))]  # fmt: skip
    request: Any = given(overrides={"a": 1}, corrections=("c",))
    assert isolated._find_deadly(this, job(), members, request) == {"sha 2": "left out: it hangs"}
    (made,) = requests
    assert made.artifacts == [(members[1][1], {"event": ["a.parquet", "b.parquet"]})]
    assert (made.memory_bytes, made.cpu_s, made.time_s) == (11, 20, 100.0)
    assert (made.overrides, made.corrections) == ({"a": 1}, ["c"])
    assert made.knowledge == folder
    assert isolated._files(this, members[0][0]) == {}
    assert isolated._frames(this, members[0][0]) == isolated._frames(this, members[1][0]) == {}


@pytest.mark.parametrize("crashes", [0, 1])
def test_culprits_are_looked_for_after_a_crash(
    crashes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "_find_deadly", lambda *_: {"sha": "why"})
    monkeypatch.setattr(
        isolated.isolation, "analyse_incident", lambda load, request, left_out: left_out
    )
    this: Any = given()
    request: Any = given()
    found: Any = isolated.isolated(this, job(crashes=crashes), [], request)
    assert found == ({"sha": "why"} if crashes else {})


# ---- a trial, in its process ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unanswered", "code", "folder"),
    [([], 0, None), (["a part failed", "another"], trial._UNANSWERED, "/own"), (None, 0, None)],
)
def test_how_a_trial_answers(
    unanswered: list[str] | None,
    code: int,
    folder: str | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    request = TrialRequest(
        artifacts=[], overrides={}, corrections=[], memory_bytes=7, cpu_s=8, time_s=9.0,
        knowledge=folder,
    )  # fmt: skip
    monkeypatch.setattr(sys, "stdin", given(buffer=io.BytesIO(msgspec.json.encode(request))))
    bound, used = mock.Mock(), mock.Mock(return_value=[])
    monkeypatch.setattr(process_limits, "bound_process", bound)
    monkeypatch.setattr(knowledge, "use", used)

    def analyse(*_: Any) -> Any:
        if unanswered is None:
            raise MemoryError
        return given(document=given(unanswered=[given(why=why) for why in unanswered]))

    monkeypatch.setattr("pileup.analysis.isolation.analyse_once", analyse)
    assert trial.main() == (process_limits.MEMORY_CODE if unanswered is None else code)
    assert bound.call_args.args == (7, 8)
    assert capsys.readouterr().out == (unanswered[0] if unanswered else "")
    assert [str(call.args[0]) for call in used.call_args_list] == ([folder] if folder else [])
    assert all(call.kwargs == {"lenient": True} for call in used.call_args_list)


# ---- services of a process -----------------------------------------------------------------------


def test_a_process_has_services_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_runtimes", {})
    settings = given(knowledge_dir=None)
    used, made = mock.Mock(return_value=["left out"]), mock.Mock(side_effect=lambda _: object())
    monkeypatch.setattr(runtime, "get_settings", lambda: settings)
    monkeypatch.setattr(runtime, "make_runtime", made)
    monkeypatch.setattr(runtime.knowledge, "use", used)
    first = runtime.process_runtime()
    assert runtime.process_runtime() is first
    assert not used.called
    settings.knowledge_dir = "/own"
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert runtime.process_runtime() is not first
    assert (used.call_args.args, used.call_args.kwargs) == (("/own",), {"lenient": True})
    assert made.call_count == 2


def test_without_a_database_there_are_no_services() -> None:
    settings: Any = given(database_url=None)
    with pytest.raises(StorageError, match="set PILEUP_DATABASE_URL"):
        runtime.make_runtime(settings)


@pytest.mark.parametrize("is_broken", [False, True])
def test_a_purge_of_its_own_process_closes_its_database(
    is_broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = mock.Mock()
    settings = given(database_url="postgresql://x")
    made = mock.Mock(return_value=database)
    monkeypatch.setattr(purge, "get_settings", lambda: settings)
    monkeypatch.setattr(purge, "Database", made)
    monkeypatch.setattr(purge, "open_stores", lambda given_: ("stores", given_))
    ran = mock.Mock(side_effect=OSError if is_broken else None)
    monkeypatch.setattr(purge, "purge", ran)
    if is_broken:
        with pytest.raises(OSError):
            purge.main()
    else:
        assert purge.main() == 0
    assert ran.call_args.args == (settings, database, ("stores", settings))
    assert made.call_args.args == ("postgresql://x",)
    database.close.assert_called_once_with()


@pytest.mark.parametrize(
    ("kind", "is_retried", "fails"),
    [("analyse", True, False), ("run", True, False), ("analyse", False, True),
     ("artifact", True, True), ("webhook", True, True)],
)  # fmt: skip
def test_only_an_analysis_that_takes_too_long_is_tried_again(
    kind: str, is_retried: bool, fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = Calls(retry=is_retried)
    monkeypatch.setattr(work, "Jobs", calls)
    failed = mock.Mock()
    monkeypatch.setattr(work, "_fail", failed)
    monkeypatch.setattr(work, "bound_process", mock.Mock())

    @contextmanager
    def late(*_: Any) -> Any:
        raise SoftTimeLimitExceeded
        yield

    monkeypatch.setattr(work, "LeaseKeeper", late)
    this: Any = given(
        database=calls, settings=given(job_memory_bytes=1, job_cpu_s=1, job_lease_s=1)
    )
    work._do(this, job(kind=kind))
    assert failed.called is fails
    assert ("retry" in calls.names()) == (kind in ("analyse", "run"))


# ---- the sparkline of an incident ----------------------------------------------------------------


def at(second: int) -> str:
    return f"2026-11-20T22:{second // 60:02}:{second % 60:02}Z"


def test_a_sparkline_shows_the_maxima_of_its_buckets() -> None:
    def spark(points: Any, **more: Any) -> Any:
        snapshots = [given(time=time, waiters=waiters) for time, waiters in points]
        document: Any = given(captures=[], snapshots=snapshots)
        evidence: Any = given(frames=more.get("frames", {}))
        return digest._spark(document, more.get("stall"), evidence)

    assert spark([]) is None
    assert spark([(at(0), 3)]) is None
    assert spark([(at(0), 3), (at(9), 5)]) == [3.0, 5.0]
    assert spark([(at(9), 5), (at(0), 3), (None, 9), (at(4), None)]) == [3.0, 5.0]
    assert spark([(at(0), 3), (at(1), 4), (at(2), 2), (at(9), 5)]) == [4.0, 5.0]
    many = spark([(at(n), n % 10) for n in range(200)])
    assert len(many) == digest.SPARK_POINTS
    assert many[:4] == [4.0, 8.0, 9.0, 6.0]
    assert spark([(at(0), 0), (at(1), 1), (at(2), 2), (at(3), 3), (at(59), 4), (at(58), 9)]) == [
        3.0, None, 9.0
    ]  # fmt: skip


def test_a_sparkline_shows_what_the_sessions_of_its_maxima_did() -> None:
    times = [at(n) for n in (0, 1, 8, 9)]
    classes = [
        given(id="working", title="Working", values=[1.0, 2.0, 9.0, 0.04]),
        given(id="latch", title="Latch", values=[2.0, 0.0, 1.0, 10.0]),
        given(id="client", title="Client", values=[0.0] * 4),
    ]
    active = given(times=times, level=[3.0, 2.0, 10.0, 10.0], classes=classes)
    capture = given(id="c1", first=None, last=None, active_sessions=active)
    document: Any = given(captures=[capture], snapshots=[])
    stall: Any = given(capture="c1")
    assert digest._spark(document, stall, given(frames={})) == [3.0, 10.0]  # type: ignore[arg-type]
    assert digest._spark_classes(document, stall) == [
        {"id": "working", "title": "Working", "values": [1.0, 9.0]},
        {"id": "latch", "title": "Latch", "values": [2.0, 1.0]},
    ]
    assert digest._spark_classes(document, None) is None


def test_a_sparkline_is_of_what_shows_the_stall_in_its_capture() -> None:
    times = [T0 + n * S for n in range(8)]
    samples = pl.DataFrame(
        {"id": ["a"] * 8 + ["b"] * 8, "time": times * 2,
         "value": [float(n) for n in range(8)] + [99.0] * 8}
    )  # fmt: skip
    capture = given(id="c1", first=at(2), last=at(5), active_sessions=None)
    other = given(id="c0", first=at(0), last=at(1), active_sessions=given(times=[], level=[]))
    stall: Any = given(capture="c1", evidence=[given(series="a")])
    document: Any = given(captures=[other, capture], snapshots=[])
    evidence: Any = given(frames={"sample": samples})
    assert digest._spark(document, stall, evidence) == [3.0, 5.0]
    level = [10.0 * n for n in range(8)]
    capture.active_sessions = given(times=[at(n) for n in range(8)], level=level)
    assert digest._spark(document, stall, evidence) == [30.0, 50.0]
    capture.active_sessions = given(times=[at(3)], level=[1.0])
    assert digest._spark(document, stall, evidence) == [3.0, 5.0]
    capture.active_sessions, capture.first = None, None
    assert digest._spark(document, stall, evidence) == [1.0, 3.0, 5.0, 7.0]
    assert digest._spark(document, stall, given(frames={})) is None  # type: ignore[arg-type]
    assert digest._active(document, None) is None
    assert digest._window(document, None) is None
