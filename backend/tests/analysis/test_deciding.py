"""Comparisons with a number that has no name: a value exactly on it, and which side it belongs to.

A direct call (``deciding.py``) has the agreed answer (``deciding.json``, ``pytest --bless``), and
another one as soon as any comparison of its function takes the bound to the other side. Those that
nothing can notice are in ``open_sides.txt``, with the reason.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.deciding import SCENES
from tests.support.answers import Answers
from tests.support.bounds import is_order, other_sides
from tests.support.replayed import Call, Calls

CALLS = Calls("analysis", [])
AGREED = Answers(Path(__file__).parent / "deciding.json")
OPEN = (Path(__file__).parent / "open_sides.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", SCENES)
def test_the_answer_is_the_agreed_one(name: str, request: pytest.FixtureRequest) -> None:
    answer = Call(name, 0, SCENES[name], (), {}).afresh()
    AGREED.check(name, answer, bless=request.config.getoption("--bless"))


@pytest.mark.parametrize("name", SCENES)
def test_each_comparison_is_noticed(name: str) -> None:
    function = CALLS.function_named(*name.split())
    call = Call(name, 0, SCENES[name], (), {})
    known, written = call.afresh(), function.__code__
    unnoticed = []
    for comparison, code in other_sides(function, is_order):
        function.__code__ = code
        try:
            unnoticed += [f"{name}\t{comparison}"] if call.afresh() == known else []
        except Exception:  # noqa: BLE001 - noticed as well
            continue
        finally:
            function.__code__ = written
    excused = {line.rpartition("\t")[0] for line in OPEN}
    assert [line for line in unnoticed if line not in excused] == []
