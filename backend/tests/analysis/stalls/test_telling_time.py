"""Which moment's wait graph shows a stall: one at which its leading root blocks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls.documents import telling_time

PEAK, ITS_OWN = "2026-11-20T22:50:05Z", "2026-11-20T22:49:51Z"
STALL: Any = SimpleNamespace(peak_counts="waiting", peak_at=PEAK, peak_waiters=161)


def root(moments: int, of: int, time: str | None = ITS_OWN, behind: int = 156) -> Any:
    return SimpleNamespace(moments=moments, of=of, time=time, behind=behind)


@pytest.mark.parametrize(
    ("roots", "expected"),
    [
        ([root(24, 24), root(3, 24)], PEAK),
        ([root(24, 24, behind=157), root(3, 24)], ITS_OWN),
        ([root(24, 24, behind=161), root(3, 24)], ITS_OWN),
        ([root(19, 24), root(24, 24)], ITS_OWN),
        ([root(19, 24, None)], PEAK),
        ([], PEAK),
    ],
)
def test_it_is_the_peak_unless_another_root_may_lead_there(roots: Any, expected: str) -> None:
    assert telling_time(STALL, roots) == parse(expected)


def test_without_a_stall_or_a_peak_no_moment_is_known() -> None:
    assert telling_time(None, [root(1, 2)]) is None
    assert telling_time(SimpleNamespace(peak_counts="running", peak_at=PEAK), []) is None  # type: ignore[arg-type]
