"""Steps of an expansion and of an analysis with all around them made up: parts, batches, budgets,
sentences, what is placed."""

from __future__ import annotations

import io
from types import SimpleNamespace
from typing import Any

import pytest

from pileup.formats.errors import ArchiveError
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.formats.reading import archive
from pileup.storage.errors import StorageError, TooLarge
from pileup.worker import analysis, expansion, tables
from pileup.worker.expansion import _Progress
from tests.worker.test_parts_of_jobs import Calls, job


def given(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def artifact(**more: Any) -> Any:
    fields = {"id": "a", "sha256": "s", "path": "x.zip", "name": "x.zip", "depth": 0, "bytes": 9,
              "incident_id": "i", "excluded": False}  # fmt: skip
    return given(**(fields | more))


def runtime(calls: Any, **more: Any) -> Any:
    settings = {"max_archive_depth": 3, "analysis_debounce_s": 5, "max_upload_bytes": 100,
                "max_expanded_bytes": 1000, "max_members": 50, "samples": None}  # fmt: skip
    return given(database=calls, settings=given(**(settings | more)), blobs=calls)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    made = Calls(finish=True, path="place")
    for name in ("Jobs", "Artifacts"):
        monkeypatch.setattr(expansion, name, made)
    return made


# ---- one part --------------------------------------------------------------------------------


def expand(calls: Calls, monkeypatch: pytest.MonkeyPatch, store: Any, depth: int = 2) -> list[Any]:
    monkeypatch.setattr(expansion, "_store_members", store)
    calls.made.clear()
    expansion.expand(runtime(calls), job(resume_from=None), artifact(depth=depth), "tar", 1.0)
    return calls.made


def test_an_archive_too_deep_is_not_opened(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    why = (
        "it is an archive inside 3 others, and only 3 levels are opened "
        "(PILEUP_MAX_ARCHIVE_DEPTH). Unpack it yourself and upload what you need"
    )
    finish, fail, request = expand(calls, monkeypatch, None, depth=3)
    assert (finish[0], fail, request) == (
        "finish", ("fail", "run 1", why), ("request_analysis", "i", 5)
    )  # fmt: skip


def test_a_part_that_is_not_all_goes_on(calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    def store(_: Any, __: Any, ___: Any, progress: Any, began: float) -> bool:
        assert began == 1.0
        progress.stored += 2
        progress.refusals += [archive.Refusal(f"r{n}", "why") for n in range(3)]
        return False

    monkeypatch.setattr(expansion, "MAX_STORED_PROBLEMS", 2)
    ((name, _, state),) = expand(calls, monkeypatch, store)
    assert (name, state["stored"]) == ("go_on", 2)
    assert [each["path"] for each in state["refusals"]] == ["r0", "r1"]
    again = _Progress.of(job(resume_from=state))
    assert (again.stored, again.refusals) == (2, [archive.Refusal(f"r{n}", "why") for n in (0, 1)])
    assert _Progress.of(job(resume_from=None)) == _Progress()


@pytest.mark.parametrize(
    ("stored", "refusals", "why"),
    [
        (0, [], "nothing in this archive could be read: it holds no files"),
        (0, ["x", "y"], "nothing in this archive could be read: x: why"),
        (1, ["x"], None),
        (1, [], None),
    ],
)
def test_what_becomes_of_an_archive(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, stored: int, refusals: list[str], why: str | None
) -> None:
    def store(_: Any, __: Any, ___: Any, progress: Any, began: float) -> bool:
        progress.stored = stored
        progress.refusals += [archive.Refusal(path, "why") for path in refusals]
        return True

    made = expand(calls, monkeypatch, store)
    problems = [expansion._problem(archive.Refusal(path, "why")) for path in refusals]
    kept = ("store_expansion", "a", "archive", "its content is a tar archive", problems)
    refused = ("store_expansion", "run 1", "archive", "its content is an archive", problems)
    middle = [kept] if why is None else [*([refused] if problems else []), ("fail", "run 1", why)]
    assert made[0][0] == "finish"
    assert made[1:] == [*middle, ("request_analysis", "i", 5)]
    for newer in (True, False):  # a newer attempt has the job: nothing is written
        calls._answers["finish"] = newer
        names = [name for name, *_ in expand(calls, monkeypatch, store)]
        assert (names == ["finish"]) == (not newer)


def test_a_refusal_without_a_member_is_an_error() -> None:
    of_member = expansion._problem(archive.Refusal("a/b", "is a link"))
    of_all = expansion._problem(archive.Refusal("", "is cut off"))
    assert (of_member.message, of_member.severity) == ("a/b: is a link", "warning")
    assert (of_all.message, of_all.severity) == ("is cut off", "error")


# ---- its members -----------------------------------------------------------------------------


def store_members(
    monkeypatch: pytest.MonkeyPatch, moments: list[float], *, began: float = 0.0, batch: int = 2
) -> tuple[bool, _Progress, list[Any]]:
    """Store a member for each moment of the clock; each third is litter."""
    added: list[Any] = []
    clock = iter(moments)
    members = [given(path=f"m{n}", position=f"after {n - 1}") for n in range(len(moments))]

    def found(source: Any, limits: Any, refusals: Any, name: str, position: Any) -> Any:
        assert (source, limits, name, position) == ("place", "limits", "x.zip", progress.position)
        return iter(members)

    monkeypatch.setattr(expansion, "_BATCH", batch)
    monkeypatch.setattr(expansion, "_limits", lambda *_: "limits")
    monkeypatch.setattr(expansion, "archive", given(members=found))
    monkeypatch.setattr(expansion, "time", given(monotonic=lambda: next(clock)))
    monkeypatch.setattr(
        expansion, "_stored", lambda _, member, *__: None if member.path[1:] in "258" else "blob"
    )
    monkeypatch.setattr(expansion, "_add", lambda _, __, ___, some: added.append(list(some)))
    progress = _Progress()
    this = runtime(given(path=lambda sha: "place" if sha == "s" else None))
    done = expansion._store_members(this, job(), artifact(), progress, began)
    return done, progress, [[path for path, _ in some] for some in added]


def test_members_are_stored_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    done, progress, added = store_members(monkeypatch, [0.0] * 6)
    assert (done, progress.stored) == (True, 4)
    assert added == [["x.zip/m0", "x.zip/m1"], ["x.zip/m3", "x.zip/m4"], []]
    done, progress, added = store_members(monkeypatch, [0.0] * 2, batch=3)
    assert (done, progress.stored, added) == (True, 2, [["x.zip/m0", "x.zip/m1"]])


@pytest.mark.parametrize(
    ("moments", "began", "stored"),
    [
        # the time of a part begins with its first member, and ends after its last moment
        ([10.0, 12.0, 12.1], 10.0, 2),
        ([10.0, 12.0, 12.0], 10.0, None),
        # coming back took 5 s: it goes on for as long
        ([10.0, 15.0, 15.1], 5.0, 2),
        ([10.0, 12.1, 12.1], 5.0, None),
    ],
)
def test_a_part_ends_after_its_time(
    monkeypatch: pytest.MonkeyPatch, moments: list[float], began: float, stored: int | None
) -> None:
    assert expansion.PART_S == 2.0
    done, progress, added = store_members(monkeypatch, moments, began=began, batch=9)
    assert done == (stored is None)
    assert progress.stored == 2
    if stored is not None:
        assert progress.position == "after 1"
    assert added == [["x.zip/m0", "x.zip/m1"]]


def test_members_that_are_refused_join_the_refusals() -> None:
    stored: list[Any] = []

    def blob(stream: Any, most: int) -> str:
        if stream.read() == b"large":
            raise TooLarge("m/l is larger than 100 bytes")
        assert (stream.closed, most) == (False, 100)
        stored.append(stream)
        return "blob"

    def damaged() -> Any:
        raise ArchiveError("its data ends early")

    asked: list[int] = []
    this = given(blobs=given(check_space=asked.append, store=blob))
    refusals: list[archive.Refusal] = []
    found = [
        expansion._stored(
            this,
            given(path=path, size=size, open=opened),
            given(member_bytes=100),  # type: ignore[arg-type]
            refusals,
        )
        for path, size, opened in (
            ("m/a", 7, lambda: io.BytesIO(b"a")),
            ("m/l", None, lambda: io.BytesIO(b"large")),
            ("m/d", 3, damaged),
            ("__MACOSX/m/a", 5, None),
            ("m/.DS_Store", 5, None),
            ("m/._a", 5, None),
        )
    ]
    assert found == ["blob", *[None] * 5]
    assert asked == [7, 0, 3]
    assert refusals == [
        archive.Refusal("m/l", "is larger than 100 bytes"),
        archive.Refusal("m/d", "its data ends early"),
    ]
    assert all(stream.closed for stream in stored)


def test_each_member_is_an_artifact_of_its_archive(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[Any] = []
    added: list[Any] = []
    row = artifact(incident_id="i9", excluded=True)
    monkeypatch.setattr(expansion, "hold_blobs", lambda *some: held.append(some))

    def add(*some: Any, **named: Any) -> None:
        added.append((some, named))

    monkeypatch.setattr(expansion, "Artifacts", lambda _: given(get=lambda _: row, add=add))
    this = runtime(calls)
    blobs = [given(sha256="s1"), given(sha256="s2")]
    members = list(zip(("x/a", "x/b"), blobs, strict=True))
    expansion._add(this, job(requester="u"), artifact(), members)
    assert [each[1:] for each in held] == [(calls, ["s1", "s2"])]
    assert [(some[:3], some[3].name, some[3].id) for some, _ in added] == [
        (("i9", path, blob), "pileup", None) for path, blob in members
    ]
    assert [named for _, named in added] == [
        {"parent": row, "excluded": True, "requester": "u"}
    ] * 2


@pytest.mark.parametrize(
    ("left", "bytes_", "members"),
    [
        ([], 1000, 50),
        ([(400, 20), (900, 90)], 440, 25),
        ([(9999, 9999)], 1000, 50),
        ([(-90, -20)], 1, 1),
        ([(float("inf"), 3.5)], 1000, 8),
    ],
)
def test_the_levels_of_an_upload_share_one_budget(
    monkeypatch: pytest.MonkeyPatch, left: list[Any], bytes_: int, members: int
) -> None:
    size = given(bytes=30, own_bytes=10, members=4, own_members=1, uploaded_bytes=77)
    calls = Calls(expanded_size=size)
    asked: list[Any] = []

    def rooms(_: Any, quotas: Any, requester: str, incident: str) -> list[Any]:
        asked.append((quotas, requester, incident))
        return [given(bytes=room, files=files) for room, files in left]

    monkeypatch.setattr(expansion, "Artifacts", calls)
    monkeypatch.setattr(expansion, "rooms", rooms)
    monkeypatch.setattr(expansion, "Quotas", given(of=lambda _: "quotas"))
    found = expansion._limits(runtime(calls), job(requester="u"), artifact())
    assert asked == [("quotas", "u", "i")]
    assert (found.total_bytes, found.members) == (bytes_, members)
    assert (found.member_bytes, found.depth, found.uploaded_bytes) == (100, 3, 77)
    assert (found.given_bytes, found.given_members) == (30, 4)


# ---- columns of tables -----------------------------------------------------------------------


def _table(text: str) -> Any:
    return given(open=lambda sha: io.BytesIO(text.encode()))


def test_only_a_table_has_a_mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    mapping = {"header": ["t", "n"], "delimiter": ",", "columns": []}

    def find(keys: Any) -> Any:
        asked.append(keys)
        return given(mapping=mapping) if asked[1:] else None

    monkeypatch.setattr(tables, "Mappings", lambda _: given(find=find))
    monkeypatch.setattr(tables.csv_mapping, "keys_in", lambda head, sha: [head, sha])
    monkeypatch.setattr(tables.msgspec, "convert", lambda found, kind: (found, kind))
    this = given(database=Calls(), blobs=_table("t,n\n1,2\n"))
    assert tables.find_mapping(this, artifact(format_given="vmstat")) is None
    assert asked == []
    assert tables.find_mapping(this, artifact(format_given=None)) is None
    for format_ in (None, tables.csv_table.NAME):
        found: Any = tables.find_mapping(this, artifact(format_given=format_))
        assert found == (mapping, Mapping)
    assert asked == [["t,n\n1,2\n", "s"]] * 3


def test_a_table_has_a_key_whether_a_mapping_is_stored_or_not() -> None:
    this = given(blobs=_table("time,a,b\n2026-11-20T22:00:00Z,1,2\n2026-11-20T22:00:01Z,3,4\n"))

    def key(format_: str | None, *, size: int = 9, mapping: Any = None, text: Any = this) -> Any:
        return tables.mapping_key(text, artifact(bytes=size), given(format=format_), mapping)  # type: ignore[arg-type]

    known = tables.csv_mapping.mapping_key("time,a,b", "s")
    for name in (None, "metric-csv", tables.csv_table.NAME, tables.result_set.NAME):
        if name in tables._TABLES:
            assert key(name) == known
    assert len(set(tables._TABLES)) == 4
    assert key("vmstat") is None
    assert key(None, size=0) is None
    assert key(None, text=given(blobs=_table("alone\n1\n"))) is None
    other = tables.csv_mapping.mapping_key("x", "s")
    assert key("vmstat", mapping=given(header="x")) == other


# ---- an analysis -----------------------------------------------------------------------------


def test_a_case_that_cannot_be_recorded_is_in_the_activity(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorded: list[Any] = []
    calls = Calls()
    calls.session = given(begin_nested=calls.unit)  # type: ignore[attr-defined]

    def read(folder: str) -> Any:
        if folder == "broken":
            raise StorageError("y" * 3000)
        return None if folder == "bare" else f"case of {folder}"

    def attempt(sample: str | None, *, known: bool = False) -> list[Any]:
        recorded.clear()
        incidents = given(get=lambda _: given(sample_id=sample))
        monkeypatch.setattr(analysis, "Incidents", lambda _: incidents)
        monkeypatch.setattr(analysis, "is_recorded", lambda *_: known)
        this: Any = given(settings=given(samples="there"), stores="stores")
        analysis._record_case(this, calls, "i")  # type: ignore[arg-type]
        return list(recorded)

    folders = [given(id=name, folder=name) for name in ("whole", "broken", "bare")]
    monkeypatch.setattr(analysis, "samples_in", lambda where: folders if where == "there" else [])
    monkeypatch.setattr(analysis, "read_case", read)
    monkeypatch.setattr(analysis, "record_case", lambda *some: recorded.append(some[1:]))
    monkeypatch.setattr(
        analysis, "record", lambda *some, **named: recorded.append((some[1:], named))
    )
    assert attempt("whole") == [("stores", "i", "case of whole")]
    assert [attempt(None), attempt("whole", known=True), attempt("bare"), attempt("other")] == [
        [], [], [], []
    ]  # fmt: skip
    ((what, detail),) = attempt("broken")
    assert what == (analysis.MACHINE, "sample.case_failed")
    assert detail == {"incident_id": "i", "why": "y" * 2000}


def test_artifacts_come_in_the_order_of_their_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        given(id=id_, state=state, is_analysed=is_analysed)
        for id_, state, is_analysed in (
            ("3", "done", True), ("1", "done", True), ("4", "parsing", True), ("0", "done", False),
            ("2", "done_with_problems", True),
        )
    ]  # fmt: skip
    calls = Calls(of_incident=rows, problems="problems")
    monkeypatch.setattr(analysis, "Artifacts", calls)
    monkeypatch.setattr(analysis, "describe_each", lambda some, problems: [len(some), problems])
    found, described = analysis._members(given(database=calls), "i")
    assert [each.id for each in found] == ["1", "2", "3"]
    assert described == [3, "problems"]


def test_a_copy_is_placed_by_what_lies_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what changed is written; a copy in a folder of one host is of that host."""

    def row(id_: str, path: str, sha: str, **placed: Any) -> Any:
        fields = {"host": None, "first": None, "last": None, "clock": None, "bundle": "b"}
        return given(id=id_, path=path, sha256=sha, incident_id="i", **(fields | placed))

    def placement(sha: str, host: str | None, first: str | None = None) -> Any:
        return given(sha256=sha, host=host, bundle="b", clock=None, first=first, last=first)

    placed: list[Any] = []
    notices: list[Any] = []

    def place(id_: str, **named: Any) -> None:
        placed.append((id_, named["host"], named["bundle"]))

    monkeypatch.setattr(analysis, "Artifacts", lambda _: given(place=place))
    monkeypatch.setattr(analysis, "bundle_of", lambda path: f"of {path}")
    rows = [
        row("1", "x/one.txt", "h1"),
        row("2", "y/two.txt", "h2"),
        row("3", "y/three.txt", "h3"),
        row("4", "x/copy.txt", "c"),
        row("5", "y/copy.txt", "c"),
        row("6", "z/copy.txt", "c"),
        row("7", "x/same.txt", "s", host="db-1"),
        row("8", "x/gone.txt", "gone"),
        row("9", "x/timed.txt", "t", host="db-1"),
    ]
    document: Any = given(
        artifacts=[
            placement("h1", "db-1"),
            placement("h2", "db-2"),
            placement("h3", "db-3"),
            placement("c", None),
            placement("s", "db-1"),
            placement("t", "db-1", "2026-11-20T22:00:00Z"),
        ]
    )
    unit: Any = given(notify=lambda *some: notices.append(some))
    analysis._place(unit, rows, document)
    assert placed == [
        ("1", "db-1", "b"),
        ("2", "db-2", "b"),
        ("3", "db-3", "b"),
        ("4", "db-1", "of x/copy.txt"),
        ("5", None, "of y/copy.txt"),
        ("6", None, "of z/copy.txt"),
        ("9", "db-1", "b"),
    ]
    assert notices == [("i", "artifact", id_) for id_, _, _ in placed]
