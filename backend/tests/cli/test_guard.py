"""The guard of `pileup analyze` and `compare`: what it does when its child dies, step by step."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from pileup import process_limits
from pileup.cli import guard
from pileup.cli.plan import Plan

DIED, MEMORY = -6, process_limits.MEMORY_CODE


def sentence(code: int) -> str:
    from pileup.analysis.isolation import left_out_sentence

    return left_out_sentence(process_limits.death_words(code, *guard.limits()))


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Any]]:
    """Children that end as the test says; returns the plans that they get."""

    def install(answer: Callable[[Plan], tuple[int, list[str]]]) -> list[Any]:
        plans: list[Any] = []

        class Child:
            def __init__(self, command: str, folder: Path) -> None:
                assert (command, folder.is_dir()) == ("analyze", True)
                self.marks: list[str] = []

            def run(self, plan: Plan, *, quiet: bool = False) -> int:
                plans.append((plan, quiet))
                code, self.marks = answer(plan)
                return code

            def marked(self) -> list[str]:
                return self.marks

        monkeypatch.setattr(guard, "_Child", Child)
        return plans

    return install


@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_child_that_ends_by_itself_decides(child: Any, code: int) -> None:
    plans = child(lambda _: (code, ["marked"]))
    assert guard.run("analyze", []) == code
    assert plans == [(Plan(), False)]


@pytest.mark.parametrize("code", [DIED, MEMORY])
def test_a_file_that_kills_its_reader_is_left_out(
    child: Any, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of those that were being read, each is read alone; then all but the deadly ones."""

    def answer(plan: Plan) -> tuple[int, list[str]]:
        deadly = plan.only == ["b"] or (plan.only is None and "b" not in plan.without)
        return (code, ["a", "b"]) if deadly else (0, [])

    plans = child(answer)
    assert guard.run("analyze", []) == 0
    alone = {"reads_only": True, "processes": 1}
    assert plans == [
        (Plan(), False),
        (Plan(only=["a"], **alone), True),
        (Plan(only=["b"], **alone), True),
        (Plan({"b": sentence(code)}, processes=1), False),
    ]
    words = process_limits.death_words(code, *guard.limits())
    assert capsys.readouterr().err == (
        f"The reading stopped: {words}. Looking for the file that causes it.\n"
    )


def test_files_that_do_not_fit_side_by_side_are_read_one_after_another(child: Any) -> None:
    plans = child(lambda plan: (0, []) if plan.processes == 1 else (MEMORY, ["a"]))
    assert guard.run("analyze", []) == 0
    assert [plan.processes for plan, _ in plans] == [None, 1, 1]
    assert plans[-1] == (Plan({}, processes=1), False)


def test_an_analysis_that_dies_is_tried_with_fewer_files(
    child: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[Any] = []

    def deadly(_: Any, paths: Any, left_out: Any, code: int) -> dict[str, str]:
        found.append((paths, left_out, code))
        return {"c": "why"}

    monkeypatch.setattr(guard, "_deadly_to_analyse", deadly)
    plans = child(lambda plan: (0, []) if "c" in plan.without else (DIED, []))
    assert guard.run("analyze", [Path("x")]) == 0
    assert plans == [(Plan(), False), (Plan({"c": "why"}), False)]
    assert found == [([Path("x")], {}, DIED)]
    assert "The analysis stopped: " in capsys.readouterr().err
    monkeypatch.setattr(guard, "_deadly_to_analyse", lambda *_: {})
    assert guard.run("analyze", []) == 1


def test_the_reading_is_given_up_after_many_deaths(
    child: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(guard, "_deadly_to_analyse", lambda *call: asked.append(call) or {})

    def answer(plan: Plan) -> tuple[int, list[str]]:
        return DIED, [f"f{len(plan.without)}"]

    plans = child(answer)
    assert guard.run("analyze", []) == 1
    assert len([plan for plan, quiet in plans if not quiet]) == 1 + 8
    assert len(asked) == 1


def test_a_child_is_the_same_command_with_its_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its marks are cleared before each run, and say which files were being read."""
    calls: list[Any] = []

    def run(command: list[str], **options: Any) -> Any:
        plan = json.loads((tmp_path / "plan.json").read_text())
        marks = sorted(path.name for path in Path(plan["marks"]).iterdir())
        calls.append((command, options, plan["only"], marks))
        for name in ("b", "a"):
            (tmp_path / "marks" / name).touch()
        return SimpleNamespace(returncode=7)

    monkeypatch.setattr(guard.subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["pileup", "analyze", "--json", "x"])
    made = guard._Child("analyze", tmp_path)
    assert made.run(Plan(only=["s"])) == 7
    assert made.marked() == ["a", "b"]
    assert made.run(Plan(), quiet=True) == 7
    command = [sys.executable, "-m", "pileup", "analyze", "--without"]
    command += [str(tmp_path / "plan.json"), "--json", "x"]
    loud: dict[str, Any] = {"stdout": None, "stderr": None, "check": False}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
    assert calls == [(command, loud, ["s"], []), (command, quiet, None, [])]


def test_a_plan_bounds_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: list[Any] = []
    monkeypatch.setattr(process_limits, "bound_process", lambda *call: bounds.append(call))
    assert guard.plan_of(None) == Plan()
    assert bounds == []
    path = tmp_path / "plan.json"
    plan = Plan({"a": "why"}, ["b"], "marks", True, 3)
    path.write_bytes(msgspec.json.encode(plan))
    assert guard.plan_of(path) == plan
    assert bounds == [guard.limits()]


@pytest.mark.parametrize(
    ("argv", "parent", "without", "is_child"),
    [
        (["pileup", "analyze"], True, None, False),
        (["pileup", "analyze"], True, Path("x"), True),
        (["pileup", "analyze"], None, None, True),
        (["pileup", "compare"], True, None, True),
        (["pileup"], True, None, True),
    ],
)
def test_who_is_the_child(
    monkeypatch: pytest.MonkeyPatch, argv: list[str], parent: Any, without: Any, is_child: bool
) -> None:
    monkeypatch.setattr(sys, "argv", argv)
    context: Any = SimpleNamespace(info_name="analyze", parent=parent)
    assert guard.is_child(context, without) is is_child


def test_how_a_child_dies() -> None:
    codes = (-9, -1, 0, 1, process_limits.MEMORY_CODE)
    assert [guard._died(code) for code in codes] == [True, True, False, False, True]
