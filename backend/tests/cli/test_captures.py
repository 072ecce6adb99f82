"""How files are dealt to processes, and what is said of files that are left out."""

from __future__ import annotations

from collections import Counter
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import pileup.analysis
from pileup.cli import captures, compare, push
from pileup.cli.plan import Plan


class Pool:
    """Reads in this process, and notes what it is given."""

    made: list[Pool]
    fails: Exception | None = None

    def __init__(self, processes: int, context: Any, begin: Any) -> None:
        self.processes, self.begin = processes, begin
        self.way = context.get_start_method()
        self.parts: list[list[int]] = []
        self.made.append(self)

    def __enter__(self) -> Pool:
        if self.fails:
            raise self.fails
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def map(self, function: Any, parts: Any, marks: Any) -> Any:
        self.parts = [[file.bytes for file in part] for part in parts]
        return map(function, parts, marks)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> type[Pool]:
    class Own(Pool):
        made: list[Pool] = []  # noqa: RUF012 - of this test alone
        fails = None

    monkeypatch.setattr(captures.concurrent.futures, "ProcessPoolExecutor", Own)
    monkeypatch.setattr(captures, "_parse", lambda file: f"parsed {file.bytes}")
    monkeypatch.setattr(captures, "_WORTH_PROCESSES", 100)
    monkeypatch.setattr(captures.os, "cpu_count", lambda: 2)
    return Own


def _files(*sizes: int) -> list[Any]:
    return [SimpleNamespace(bytes=size, sha256=f"s{number}") for number, size in enumerate(sizes)]


def test_the_largest_files_are_tasks_of_their_own(pool: type[Pool]) -> None:
    """Four for each process; the others are dealt in turn, and no task is empty."""
    sizes = [5, 90, 7, 80, 1, 70, 2, 60, 50, 40, 30, 3]
    assert captures._parsed(_files(*sizes), Plan()) == [f"parsed {size}" for size in sizes]
    (used,) = pool.made
    assert (used.processes, used.way, used.begin) == (2, "spawn", captures.collect_rarely)
    assert used.parts == [[90], [80], [70], [60], [50], [40], [30], [7], [5, 2], [3, 1]]
    captures._parsed(_files(90, 80), Plan())
    assert pool.made[1].parts == [[90], [80]]


@pytest.mark.parametrize(
    ("sizes", "cpus", "processes", "used"),
    [
        ((60, 40), 2, None, 2),  # exactly what is worth it
        ((60, 39), 2, None, None),
        ((200,), 2, None, None),
        ((60, 40), 9, None, captures._PROCESSES),
        ((60, 40), 9, 3, 3),
        ((60, 40), 1, None, None),
        ((60, 40), None, None, None),
        ((60, 40), 2, 1, None),
    ],
)
def test_several_processes_read_where_it_is_worth_it(
    pool: type[Pool],
    monkeypatch: pytest.MonkeyPatch,
    sizes: tuple[int, ...],
    cpus: int | None,
    processes: int | None,
    used: int | None,
) -> None:
    monkeypatch.setattr(captures.os, "cpu_count", lambda: cpus)
    found = captures._parsed(_files(*sizes), Plan(processes=processes))
    assert found == [f"parsed {size}" for size in sizes]
    assert [each.processes for each in pool.made] == ([used] if used else [])


def test_a_process_that_ends_is_the_guard_s_only_while_a_file_is_marked(
    pool: type[Pool], tmp_path: Path
) -> None:
    whole = ["parsed 60", "parsed 40"]
    pool.fails = OSError("no memory")
    assert captures._parsed(_files(60, 40), Plan(marks=str(tmp_path))) == whole
    pool.fails = BrokenProcessPool()
    assert captures._parsed(_files(60, 40), Plan()) == whole
    assert captures._parsed(_files(60, 40), Plan(marks=str(tmp_path))) == whole
    (tmp_path / "s0").touch()
    with pytest.raises(MemoryError, match="a process that reads files ended"):
        captures._parsed(_files(60, 40), Plan(marks=str(tmp_path)))


def test_a_file_is_marked_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def seen(_: Any) -> list[str]:
        return [path.name for path in tmp_path.iterdir()]

    monkeypatch.setattr(captures, "_parse", seen)
    assert captures._parse_all(_files(1, 2), str(tmp_path)) == [["s0"], ["s1"]]
    assert captures._parse_all(_files(1, 2), None) == [[], []]
    assert seen(None) == []


def test_a_side_names_its_own_files_that_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the guard left out of another side is not named with this one."""
    artifacts = [(SimpleNamespace(sha256=sha, path=f"{sha}.txt"), None) for sha in "ab"]

    def made(plan: Plan) -> Any:
        assert plan is given
        return SimpleNamespace(read=lambda _: None, left_out=["x: too deep"], artifacts=artifacts)

    given = Plan(without={"a": "its process ended", "c": "of the other side"})
    monkeypatch.setattr("pileup.cli.captures.Captures", made)
    monkeypatch.setattr(
        pileup.analysis.isolation, "gathered", lambda *_: ("evidence", {"b": "it raised"})
    )
    monkeypatch.setattr(compare, "_stalls", lambda _: [])
    member = compare._member(tmp_path, "whole", given)
    assert (member.side.label, member.onset) == (str(tmp_path), None)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "left out: x: too deep",
        "a.txt: its process ended",
        "b.txt: it raised",
    ]


def test_what_was_redacted_is_counted_by_kind_in_order() -> None:
    assert push._counted(Counter({"sql": 2, "host": 30, "ip": 1})) == "host 30, ip 1, sql 2"
    assert push._counted(Counter()) == "nothing"
