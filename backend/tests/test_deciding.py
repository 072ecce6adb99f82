"""Comparisons with a number that has no name: a value exactly on it, and which side it belongs to.

A direct call (``deciding``) has the agreed answer (``deciding/agreed.json``, ``pytest --bless``),
and another one as soon as any comparison of its function takes the bound to the other side. Those
that nothing can notice are in ``deciding/open_sides.txt``, with the reason.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.deciding import SCENES
from tests.support.answers import Answers
from tests.support.bounds import is_order, other_sides
from tests.support.replayed import Call, Calls

HERE = Path(__file__).parent / "deciding"
AGREED = Answers(HERE / "agreed.json")
OPEN = (HERE / "open_sides.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", SCENES)
def test_the_answer_is_the_agreed_one(name: str, request: pytest.FixtureRequest) -> None:
    answer = Call(name, 0, SCENES[name], (), {}).afresh()
    AGREED.check(name, answer, bless=request.config.getoption("--bless"))


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.dealt(3)
def test_each_comparison_is_noticed(name: str) -> None:
    package, _, rest = name.partition(".")
    function = Calls(package, []).function_named(*rest.split())
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
