"""Whatever few waiters a file shows, their mechanism is found or seen, and never 'not found'."""

from __future__ import annotations

import re

import msgspec

from pileup.analysis import analyse
from pileup.knowledge import knowledge
from pileup.knowledge.signature import Example
from tests.analysis.cases import case
from tests.support.rounds import Rounds

FIRES = [(s.issue, example) for s in knowledge().signatures.values() for example in s.fires]
_COUNT = re.compile(r"^\d+")


def cut_down(example: Example, waiters: int) -> Example:
    """The example with so many of each, without version, settings and series."""

    def few(texts: list[str]) -> list[str]:
        return [_COUNT.sub(lambda found: str(min(int(found[0]), waiters)), text) for text in texts]

    return msgspec.structs.replace(
        example,
        server="",
        settings={},
        series={},
        waits=few(example.waits),
        stacks=few(example.stacks),
        states=few(example.states),
        transactions=few(example.transactions),
        queries=few(example.queries),
        users=few(example.users),
    )


def verdicts(example: Example) -> dict[str, str]:
    """By known problem: found, seen, not_found or no_data."""
    found = analyse(case(example, alone=True))
    verdicts = {absence.id: absence.verdict for absence in found.absences}
    return verdicts | {
        known.id: finding.verdict
        for finding in found.findings
        for known in finding.known_as
        if known.score
    }


def test_few_waiters_are_found_or_seen(rounds: Rounds) -> None:
    """One to five waiters, no version, no settings, no baseline: every mechanism still shows."""
    hidden = []
    for number, (issue, whole) in enumerate(rounds.in_turn(FIRES, 12)):
        example = cut_down(whole, 1 + number % 5)
        verdict = verdicts(example).get(issue, "no_data")
        # a cause that is a setting has no data without it
        shown = {"found", "seen", "no_data" if whole.settings else "seen"}
        if verdict not in shown and not whole.series:  # without its numbers
            hidden.append((issue, verdict, whole.says))
    assert not hidden
