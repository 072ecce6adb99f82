"""Every known problem has a case that must be named and a near miss that must not.

``agreed_cases.txt`` has a line for each: the findings with their scores, and a hash of the whole
analysis, so that no other word or number of it changes unseen. A change that alters lines runs
``pytest --bless --every-turn`` on this file; its review reads which cases are scored otherwise. A
new case needs no line.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pileup.analysis import analyse
from pileup.analysis.contract import Analysis
from pileup.analysis.findings.signatures import RULES
from pileup.knowledge import knowledge
from pileup.knowledge.signature import Example
from tests.analysis.cases import case
from tests.support.agreed_lines import AgreedLines
from tests.support.rounds import Rounds

AGREED = AgreedLines(Path(__file__).parent / "agreed_cases.txt")
NAMED, SILENT = 0.5, 0.4
FIRES = [(s.issue, fire) for s in knowledge().signatures.values() for fire in s.fires]
MISSES = [
    (s.issue, near_miss) for s in knowledge().signatures.values() for near_miss in s.near_misses
]


def score(issue: str, example: Example) -> tuple[float, str]:
    return score_in(analyse(case(example)), issue)


def score_in(analysis: Analysis, issue: str) -> tuple[float, str]:
    found = analysis.findings
    first = "; ".join(f"{each.id} {each.score} {each.why} {each.against}" for each in found[:4])
    known = (known for finding in found for known in finding.known_as)
    return next((each.score for each in known if each.id == issue), 0.0), first


CASES = {f"{issue}: {example.says}": example for issue, example in FIRES} | {
    f"{issue}, not: {example.says}": example for issue, example in MISSES
}


@pytest.mark.parametrize(("issue", "example"), FIRES, ids=lambda item: getattr(item, "says", item))
@pytest.mark.dealt(5)
def test_a_case_is_named(issue: str, example: Example, request: pytest.FixtureRequest) -> None:
    """And no check calls a setting harmless that a likely finding rests on."""
    analysis = analyse(case(example))
    found, said = score_in(analysis, issue)
    assert found >= NAMED, said
    (check,) = [each for each in analysis.triage if each.check == "configuration"]
    rests_on = {
        locator.text.partition("=")[0].strip()
        for finding in analysis.findings
        if finding.verdict == "found" and finding.score >= NAMED
        for locator in finding.evidence
    }
    for name in rests_on & set(example.settings):
        assert check.verdict == "suspect" or (check.verdict, name in check.why) == ("seen", True)
    assert_agreed(f"{issue}: {example.says}", analysis, request)


@pytest.mark.parametrize(("issue", "example"), MISSES, ids=lambda item: getattr(item, "says", item))
@pytest.mark.dealt(5)
def test_a_near_miss_is_not(issue: str, example: Example, request: pytest.FixtureRequest) -> None:
    analysis = analyse(case(example))
    found, said = score_in(analysis, issue)
    assert found < SILENT, said
    assert_agreed(f"{issue}, not: {example.says}", analysis, request)


def assert_agreed(name: str, analysis: Analysis, request: pytest.FixtureRequest) -> None:
    findings = "; ".join(f"{each.id} {each.score:.3g}" for each in analysis.findings[:4])
    bless = request.config.getoption("--bless")
    AGREED.check(name, findings, analysis, CASES, bless=bless)


_RELEASES = {
    "mysql": ("5.5.62", "5.6.51", "5.7.22", "8.0.15", "8.0.36", "8.4.0"),
    "mariadb": ("10.1.48-MariaDB", "10.4.12-MariaDB", "10.6.16-MariaDB", "11.4.2-MariaDB"),
}
# the line of a wait names a latch by release, and a rule may look where a release keeps something
_BY_RELEASE = ("waits", "settings")


def test_a_release_changes_no_confidence(rounds: Rounds) -> None:
    """Law 6: known versions annotate a mechanism; the same signs score the same in each."""
    plain = [each for each in FIRES if not any(getattr(each[1], name) for name in _BY_RELEASE)]
    for issue, example in rounds.in_turn(plain, 30):
        family = "mariadb" if "MariaDB" in example.server else "mysql"
        scores = {}
        for server in (*_RELEASES[family][::2], example.server):
            other = msgspec.structs.replace(example, server=server)
            scores[server] = round(score(issue, other)[0], 3)
        assert len(set(scores.values())) == 1, (issue, scores)


def test_every_issue_has_a_signature_a_case_and_a_near_miss() -> None:
    known = knowledge()
    assert known.signatures.keys() == known.issues.keys()
    for signature in known.signatures.values():
        assert signature.fires, signature.issue
        assert signature.near_misses, signature.issue
        assert known.issues[signature.issue].references, f"{signature.issue}: no source is named"


def test_every_agreed_line_is_of_a_case() -> None:
    assert len(CASES) == len(FIRES) + len(MISSES)
    assert AGREED.lines.keys() <= CASES.keys()
    assert len(AGREED.lines) > 350


def test_rules_in_code_are_those_that_the_data_says() -> None:
    in_code = {
        signature.issue for signature in knowledge().signatures.values() if signature.rule == "code"
    }
    assert in_code == RULES.keys()


def test_what_was_looked_for_and_not_found_is_recorded() -> None:
    """A server that waits for its commits: the latch problems were looked for, with the range."""
    example = next(e for issue, e in FIRES if issue == "fsync-stall")
    analysis = analyse(case(example))
    absent = {absence.id: absence for absence in analysis.absences}
    assert absent["mdl-pileup"].verdict == "not_found"
    assert "metadata lock" in absent["mdl-pileup"].looked_for
    assert absent["kernel-mutex"].verdict == "not_found"  # the stacks were looked at
    assert absent["dns-login"].verdict == "not_found"
    assert absent["semaphore-abort"].verdict == "no_data"  # no log was uploaded
    assert analysis.looked_at is not None
    assert analysis.looked_at.window is not None
    assert analysis.looked_at.records["stack samples"] == 2
    found = {known.id for finding in analysis.findings for known in finding.known_as}
    assert not found & absent.keys()
    assert found | absent.keys() == knowledge().issues.keys()
