"""Two incidents are alike by what they share, and every shared feature is named."""

from __future__ import annotations

import itertools

from pileup.analysis import analyse
from pileup.analysis.reasoning.similar import (
    LEAST,
    likeness,
    likeness_of_incidents,
    signature,
)
from tests.analysis.frames import evidence, gauge
from tests.support.captures import SAMPLES, analysis_of, on_samples, sample

AHI = {"finding:ahi-latch": "AHI", "latch:ahi": "adaptive hash", "series:spins:up": "spins went up"}
ROW = {"finding:hot-row": "Hot row", "blocker:transaction": "transaction", "series:spins:up": "x"}


def test_the_same_is_wholly_alike() -> None:
    assert likeness(AHI, AHI).score == 1.0


def test_a_shared_symptom_weighs_by_what_it_tells() -> None:
    """A shared series is little; a shared latch is much."""
    assert likeness(AHI, ROW).score < LEAST
    twin = AHI | {"check:configuration": "configuration"}
    assert likeness(AHI, twin).score > 0.8


def test_it_says_what_is_shared_and_what_is_not() -> None:
    found = likeness(AHI, ROW)
    assert found.shared == ("series: spins went up",)
    assert found.only_here == ("likely cause: AHI", "contended latch: adaptive hash")
    assert found.only_there == ("likely cause: Hot row", "root blocker: transaction")


def test_one_cause_is_enough() -> None:
    """Evidence of other kinds, of another server and load, shares little else."""
    stacks = {"finding:ahi-latch": "AHI", **{f"stack:{at}": "f" for at in range(9)}}
    dumps = {"finding:ahi-latch": "AHI", **{f"place:{at}": "p" for at in range(9)}}
    assert (
        LEAST < likeness_of_incidents(stacks, dumps).score < likeness_of_incidents(AHI, AHI).score
    )
    assert (
        likeness_of_incidents(stacks, {**dumps, "stack:1": "f"}).score
        > likeness_of_incidents(stacks, dumps).score
    )


@on_samples
def test_the_samples_of_one_bug_are_alike() -> None:
    """A vendor's report, a game's shards and a benchmark of one latch (D20)."""
    names = ("ahi-build", "ahi-pileup", "games-ahi")
    found = {name: signature(analysis_of(sample(name))) for name in names}
    for first, second in itertools.combinations(names, 2):
        assert likeness_of_incidents(found[first], found[second]).score >= LEAST


def test_nothing_is_like_nothing() -> None:
    assert likeness({}, {}).score == 0.0
    quiet = analyse(evidence({"m": [gauge("mysql.Threads_running", [2.0] * 60)]}))
    assert signature(quiet) == {}


@on_samples
def test_samples_are_like_themselves_only() -> None:
    """Three incidents of three mechanisms: none passes for another."""
    found = {name: signature(analysis_of(sample(name))) for name in SAMPLES}
    for item in SAMPLES:
        for other in SAMPLES:
            score = likeness_of_incidents(found[item], found[other]).score
            assert (score == 1.0) if item == other else (score < LEAST), (item, other, score)


def test_a_cause_in_common_outweighs_all_that_differs() -> None:
    here = {"finding:a": "A", **{f"series:{at}:up": "s" for at in range(40)}}
    there = {"finding:a": "A", **{f"latch:{at}": "l" for at in range(9)}}
    assert likeness(here, there).score < LEAST < likeness_of_incidents(here, there).score
    assert likeness_of_incidents(here, here).score == 1.0
    other = {**there, "finding:b": "B"}
    del other["finding:a"]
    assert likeness_of_incidents(here, other) == likeness(here, other)
