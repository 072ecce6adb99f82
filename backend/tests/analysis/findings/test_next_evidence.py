"""Commands and sentences for what is not known yet."""

from __future__ import annotations

import pytest

from pileup.analysis import analyse
from pileup.analysis.evidence.context import Server
from pileup.analysis.findings import next_evidence, words
from pileup.knowledge.signature import Example
from tests.analysis.cases import case


@pytest.mark.parametrize(
    ("version", "family", "command", "wanted"),
    [
        ("5.5.62", "mysql", "row_locks", "information_schema.INNODB_LOCK_WAITS"),
        ("8.0.36", "mysql", "row_locks", "sys.innodb_lock_waits"),
        ("11.4.2-MariaDB", "mariadb", "row_locks", "mariadb -e"),
        ("5.6.24", "mysql", "metadata_locks", "SHOW FULL PROCESSLIST"),
        ("5.7.22", "mysql", "metadata_locks", "instrument"),
        ("10.2.11-MariaDB", "mariadb", "metadata_locks", "METADATA_LOCK_INFO"),
        ("10.6.5-MariaDB", "mariadb", "stacks", "pidof mariadbd)"),
        (None, None, "stacks", "pidof mysqld mariadbd)"),
    ],
)
def test_commands_fit_the_server(
    version: str | None, family: str | None, command: str, wanted: str
) -> None:
    server = Server(version=version, family=family)
    assert wanted in getattr(next_evidence, command)(server)


@pytest.mark.parametrize(
    "states", [[], ["60 Sending data", "20 preparing"], ["60 executing", "12 query end @1"]]
)
def test_a_stall_without_a_likely_cause_says_so_and_what_to_collect(states: list[str]) -> None:
    """The headline names no cause that is not found, and gives a command of this flavour."""
    example = Example(says="nothing known", server="10.6.5-MariaDB", states=states)
    analysis = analyse(case(example))
    assert all(finding.verdict != "found" for finding in analysis.findings)
    assert "Cause unknown" in analysis.headline.text
    assert "mariadb -e" in analysis.headline.text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 threads at once wait for it"), (1, "1 thread waits for it"), (12, "12 threads")],
)
def test_a_count_agrees_with_its_verb(number: int, text: str) -> None:
    assert words.threads(number, "wait for it").startswith(text)


def test_a_cut_quote_shows_its_cut_and_a_small_share_is_not_zero() -> None:
    assert words.clip("SELECT\n  1", 80) == "SELECT 1"
    assert words.clip("x" * 100, 10) == "x" * 9 + "…"
    assert words.share(0.001) == "less than 1%"
    assert words.share(0.0) == "0%"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"(?i)dropping table|truncating table", "dropping table or truncating table"),
        (r"(?i)^\s*(drop|truncate)\s+(temporary\s+)?table\b", "drop or truncate temporary table"),
        (r"ACTIVE .*doing SYNC index", "ACTIVE … doing SYNC index"),
    ],
)
def test_people_read_no_expressions(expression: str, text: str) -> None:
    assert words.in_words(expression) == text


def test_no_absence_shows_an_expression() -> None:
    """Which patterns were checked is in words, for every known problem."""
    analysis = analyse(case(Example(says="a stall of nothing known")))
    shown = [absence.looked_for for absence in analysis.absences]
    assert shown
    assert not [text for text in shown if "(?" in text or "\\s" in text or "\\b" in text]
