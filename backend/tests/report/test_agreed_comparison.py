"""A comparison of three sides, in every form, as agreed: two incidents, and runs put together."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from benchmarks.incidents.cases import WHOLE, Plan, make
from benchmarks.incidents.mechanisms import MECHANISMS
from benchmarks.incidents.scoring import write

from pileup.analysis import Evidence, analyse, gather
from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.overlay import overlay
from pileup.analysis.compare.sides import Align, Group, Member
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import SidesDoc
from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls.documents import main_stall
from pileup.cli.captures import Captures
from pileup.report import comparison
from tests.support.agreed import Listing, check_agreed

_GOLDEN = Path(__file__).parent / "golden"


@cache
def _evidence(name: str) -> Evidence:
    with TemporaryDirectory() as folder:
        captures = Captures()
        captures.read(write(make(Plan(name, MECHANISMS[name].servers[0], WHOLE, 7)), Path(folder)))
    return gather(captures.artifacts)


@cache
def _groups() -> list[Group]:
    members = {}
    for name in ("slow-flush", "hot-row", "healthy-growing"):
        evidence = _evidence(name)
        stall = main_stall(analyse(evidence).stalls)
        side = Side(name, evidence, keeps_untimed=True)
        members[name] = Member(side, parse(stall.onset) if stall else None)
    flush, row, healthy = members.values()
    return [Group("A", (flush,)), Group("B", (row, flush)), Group("C", (healthy,))]


@cache
def _document(align: Align) -> SidesDoc:
    return compare_sides(_groups(), align, (0.0, 50.0) if align == "start" else None, 2)


@pytest.mark.parametrize("align", ["start", "clock"])
@pytest.mark.dealt(2)
def test_a_comparison(align: Align, request: pytest.FixtureRequest) -> None:
    document = _document(align)
    lines = overlay(_groups(), "metric.threads_running", align)
    text = Listing().of(msgspec.to_builtins({"document": document, "overlay": lines}))
    text += f"==== text\n{comparison.text(document, 7)}"
    for everything in (False, True):
        text += f"==== Markdown, {everything}\n"
        text += comparison.as_markdown(document, everything=everything)
    text += f"==== CSV\n{comparison.as_csv(document, everything=align == 'start')}"
    bless = bool(request.config.getoption("--bless"))
    check_agreed(text, _GOLDEN / f"comparison-{align}.txt", bless=bless)


def test_stacks_of_one_meaning_are_counted_together() -> None:
    """A stack without a known meaning is named by its first functions; what idles is left out."""

    def stack(signature: str | None, counts: list[float | None], *names: str, idle: bool = False):  # type: ignore[no-untyped-def]
        return SimpleNamespace(signature=signature, stack=names, counts=counts, set_aside=idle)

    document: Any = SimpleNamespace(
        stacks=[
            stack("latch", [1.0, None], "a"),
            stack(None, [9.0, 2.0], "a", "b", "c", "d", "e"),
            stack("latch", [2.0, 30.0], "z"),
            stack("poll", [99.0, 0.0], "p", idle=True),
            stack(None, [2.0, 9.0], "m"),
            stack(None, [None, 7.0], "b"),
        ]
    )
    assert list(comparison._by_name(document).items()) == [
        ("latch", [3.0, 30.0]), ("a, b, c, d", [9.0, 2.0]), ("b", [None, 7.0]), ("m", [2.0, 9.0])
    ]  # fmt: skip
