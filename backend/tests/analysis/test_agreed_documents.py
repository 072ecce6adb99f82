"""Whole analysis documents as agreed, of samples and of generated incidents.

With each goes what the screens ask the engine for besides the document: moments, wait graphs
folded, opened and compared, every node of one, waits over time, and stacks.
``agreed/`` holds the text of each; a change that alters one runs ``pytest --bless`` on this file,
and its review reads the difference.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from benchmarks.incidents.cases import PASTES, WHOLE, Plan, make
from benchmarks.incidents.mechanisms import MECHANISMS
from benchmarks.incidents.scoring import write

from pileup.analysis import Evidence, analyse, gather
from pileup.analysis.blocked_time.moment_roots import whole_diff, whole_graph
from pileup.analysis.contract import Analysis
from pileup.analysis.stacks import flame
from pileup.analysis.waits import over_time
from pileup.analysis.waits.inspect_node import describe_node
from pileup.analysis.waits.moments import moments
from pileup.analysis.waits.view import shown
from pileup.cli.captures import Captures
from tests.support.agreed import Listing, check_agreed
from tests.support.captures import SAMPLES, analysis_of, evidence_of, of_samples, sample

AGREED = Path(__file__).parent / "agreed"


FINISHED = ("ahi-build", "commit-mutex", "concurrency-cliff", "fulltext-commit", "games-ahi")
"""Samples with few files each, of other kinds: counters, traces, digests, stacks in words."""


def as_agreed(
    analysis: Analysis, evidence: Evidence, name: str, request: pytest.FixtureRequest
) -> None:
    text = Listing().of(msgspec.to_builtins(analysis))
    text += f"==== what screens ask for\n{Listing().of(parts_of(evidence, analysis))}"
    check_agreed(text, AGREED / f"{name}.txt", bless=bool(request.config.getoption("--bless")))


def parts_of(evidence: Evidence, analysis: Analysis) -> dict[str, Any]:
    """Return what the engine answers about evidence besides its analysis."""
    every = moments(evidence)
    whole = whole_graph(evidence, None, analysis.roots)
    stacks = flame.threads(evidence.frame("stack"))
    parts = {
        "moments": every,
        "graph": shown(whole, folded=False),
        "folded": shown(whole, folded=True, find="1"),
        "opened": shown(
            whole, folded=True, opened=frozenset(sorted(set(whole.groups.values()))[:1])
        ),
        "nodes": [describe_node(whole, node.id) for node in whole.nodes[:40]],
        "heat": over_time.heat(evidence),
        "transactions": over_time.transaction_spans(evidence),
        "flame": flame.flame(stacks, stacks[:3], idle=True),
        "stack_heat": flame.heat(stacks),
    }
    if times := [each.time for each in every if each.time is not None]:
        changes = whole_diff(evidence, None, times[0], analysis.roots)
        parts["changes"] = shown(changes, folded=False)
    found: dict[str, Any] = msgspec.to_builtins(parts, str_keys=True)
    return found


def form_of(name: str) -> str:
    """Return the paste that shows it; a capture where none does, a dump where it is healthy."""
    mechanism = MECHANISMS[name]
    pastes = [form for form in mechanism.shown if form in PASTES]
    return pastes[0] if pastes else "dump" if mechanism.healthy else WHOLE


@of_samples(SAMPLES + FINISHED)
def test_a_sample(name: str, request: pytest.FixtureRequest) -> None:
    as_agreed(analysis_of(sample(name)), evidence_of(sample(name)), name, request)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((name, form_of(name)) for name in sorted(MECHANISMS)),
        *((name, WHOLE) for name in ("hot-row", "slow-flush", "healthy-growing")),
    ],
)
@pytest.mark.dealt(3)
def test_a_generated_incident(
    name: str, form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    case = make(Plan(name, MECHANISMS[name].servers[0], form, 7))
    captures = Captures()
    captures.read(write(case, tmp_path))
    evidence = gather(captures.artifacts)
    as_agreed(analyse(evidence), evidence, f"{name}.{form}", request)
