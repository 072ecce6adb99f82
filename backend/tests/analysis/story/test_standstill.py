"""A time within a stall in which next to nothing was answered, where its median hides it."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from tests.analysis.frames import evidence, gauge

_RUNNING = [2.0] * 60 + [90.0] * 60 + [2.0] * 30


@pytest.mark.parametrize("seconds", [0, 1, 4, 6, 7, 9, 20])
@pytest.mark.parametrize("rest", [600.0, 700.0])
def test_only_a_standstill_that_no_debugger_explains_is_told(seconds: int, rest: float) -> None:
    """It begins ten seconds after the onset; a debugger holds a server still for six at most."""
    work = [600.0] * 60 + [rest] * 10 + [1.0] * seconds + [rest] * (80 - seconds)
    document = analyse(
        evidence({"m": [gauge("metric.threads_running", _RUNNING), gauge("metric.qps", work)]})
    )
    assert document.story is not None
    cost = document.story.impact
    standstills = [text for text in cost.sentences if "almost no" in text]
    if seconds <= 6:
        assert (cost.standstill_s, standstills) == (None, [])
    else:
        assert cost.standstill_s == seconds
        assert len(standstills) == 1
        assert standstills[0].startswith(f"For {seconds} s from ")


def test_no_sentence_sets_a_number_against_itself() -> None:
    work = [600.0] * 70 + [1.0] * 20 + [600.0] * 60
    document = analyse(
        evidence({"m": [gauge("metric.threads_running", _RUNNING), gauge("metric.qps", work)]})
    )
    assert document.story is not None
    lost, stood, *_ = document.story.impact.sentences
    assert lost == "The server answered about 12\u202f000 statements fewer than usual."
    assert stood.startswith("For 20 s from ")


def test_a_stall_in_which_all_work_fell_has_no_standstill_beside() -> None:
    work = [600.0] * 60 + [5.0] * 60 + [600.0] * 30
    document = analyse(
        evidence({"m": [gauge("metric.threads_running", _RUNNING), gauge("metric.qps", work)]})
    )
    assert document.story is not None
    assert document.story.impact.missing is not None
    assert document.story.impact.standstill_s is None
