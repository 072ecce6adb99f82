"""Whole analysis documents as agreed, of samples and of generated incidents.

``agreed/`` holds the text of each; a change that alters one runs ``pytest --bless`` on this file,
and its review reads the difference.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from benchmarks.incidents.cases import PASTES, WHOLE, Plan, make
from benchmarks.incidents.mechanisms import MECHANISMS
from benchmarks.incidents.scoring import write

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.cli.captures import Captures
from tests.support.agreed import Listing, check_agreed
from tests.support.captures import SAMPLES, analysis_of, of_samples, sample

AGREED = Path(__file__).parent / "agreed"


FINISHED = ("ahi-build", "commit-mutex", "concurrency-cliff", "fulltext-commit", "games-ahi")
"""Samples with few files each, of other kinds: counters, traces, digests, stacks in words."""


def as_agreed(analysis: Analysis, name: str, request: pytest.FixtureRequest) -> None:
    document = msgspec.to_builtins(analysis)
    text = Listing().of(document)
    check_agreed(text, AGREED / f"{name}.txt", bless=bool(request.config.getoption("--bless")))


def form_of(name: str) -> str:
    """Return the paste that shows it; a capture where none does, a dump where it is healthy."""
    mechanism = MECHANISMS[name]
    pastes = [form for form in mechanism.shown if form in PASTES]
    return pastes[0] if pastes else "dump" if mechanism.healthy else WHOLE


@of_samples(SAMPLES + FINISHED)
def test_a_sample(name: str, request: pytest.FixtureRequest) -> None:
    as_agreed(analysis_of(sample(name)), name, request)


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((name, form_of(name)) for name in sorted(MECHANISMS)),
        *((name, WHOLE) for name in ("hot-row", "slow-flush", "healthy-growing")),
    ],
)
def test_a_generated_incident(
    name: str, form: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    case = make(Plan(name, MECHANISMS[name].servers[0], form, 7))
    captures = Captures()
    captures.read(write(case, tmp_path))
    as_agreed(analyse(gather(captures.artifacts)), f"{name}.{form}", request)
