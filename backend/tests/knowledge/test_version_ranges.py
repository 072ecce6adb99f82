"""Ranges of releases: what an entry says, and that every entry of ours is consistent."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from pileup.knowledge import Issue, KnowledgeError, knowledge, schema, use
from pileup.knowledge.version_ranges import (
    RangeError,
    affected_text,
    applies,
    fix_for,
    fix_text,
    read_fix,
    read_range,
    within,
)


@pytest.mark.parametrize(
    ("entry", "numbers", "answer"),
    [
        ("mysql 5.5+", (8, 0, 1), "yes"),
        ("mysql 5.5+", (5, 1, 73), "no"),
        ("mysql 5.1.0-5.1.46", (5, 1, 46), "yes"),
        ("mysql 5.1.0-5.1.46", (5, 1, 47), "no"),
        ("mysql 5.1.0-5.1.46", (5, 1), "unknown"),  # the version is known in part
        ("mysql 5.6-5.7", (5, 7, 44), "yes"),
        ("mysql 5.6-5.7", (5, 10), "no"),
        ("mysql <8.0.30", (8, 0, 29), "yes"),
        ("mysql <8.0.30", (8, 0, 30), "no"),
        ("mysql 5.7.0-5.7.11?", (5, 7, 5), "yes"),
        ("mysql 5.7.0-5.7.11?", (5, 7, 12), "unknown"),
        ("mysql 5.7.0-5.7.11?", (8, 0, 12), "no"),
        ("mysql 8.0.32?-8.0", (8, 0, 31), "unknown"),
        ("mysql 8.0.32?-8.0", (5, 7, 31), "no"),
        ("mysql", (9, 1, 0), "yes"),
        ("mysql", (), "yes"),
        ("mysql 5.5+", (), "unknown"),
        ("mariadb 10.6+: with galera", (5, 7, 1), "no"),
        ("all: on Linux", (5, 7, 1), "yes"),
    ],
)
def test_a_range(entry: str, numbers: tuple[int, ...], answer: str) -> None:
    assert within([entry], "mysql", numbers) == answer
    assert within([entry], "percona", numbers) == answer


@pytest.mark.parametrize(
    "entry",
    [
        "mysql 5.7 before the fix",
        "something 5.7",
        "5.7",
        "all 5.5+",
        "mysql never",
        "mysql 5.x",
        "",
    ],
)
def test_prose_is_no_range(entry: str) -> None:
    with pytest.raises(RangeError):
        read_range(entry)


@pytest.mark.parametrize("entry", ["mysql", "mysql 5.7+", "all", "mysql 5.6-5.7", "not read"])
def test_a_fix_is_one_release(entry: str) -> None:
    with pytest.raises(RangeError):
        read_fix(entry)


@pytest.mark.parametrize(
    ("affected", "fixed", "family", "numbers", "answer"),
    [
        (["mariadb 10.6+"], ["mariadb 10.6.18?"], "mariadb", (10, 6, 12), "yes"),
        (["mariadb 10.6+"], ["mariadb 10.6.18?"], "mariadb", (10, 6, 20), "unknown"),
        (["mariadb 10.6+"], ["mariadb 10.6.18"], "mariadb", (10, 6, 20), "no"),
        (["mariadb 10.6+"], ["mariadb 10.6.18"], "mariadb", (11, 4, 2), "unknown"),
        (["mariadb 10.6+"], ["mariadb 10.6.18"], "mariadb", (10, 6), "unknown"),
        (
            ["mysql 5.1.0-5.1.35"],
            ["mysql 5.1.24: part", "mysql 5.1.36"],
            "mysql",
            (5, 1, 30),
            "yes",
        ),
        (["mysql 5.1"], ["mysql 5.1.24: part", "mysql 5.1.36"], "mysql", (5, 1, 36), "no"),
        (["mysql 5.5+"], ["mysql never: by design"], "mysql", (9, 0, 0), "yes"),
        (["all"], [], None, (), "yes"),
        (["all"], ["mysql 8.0.3"], None, (), "unknown"),
        (["mysql 5.5+"], [], None, (), "unknown"),
    ],
)
def test_a_fix_that_was_not_read_excludes_nothing(
    affected: list[str], fixed: list[str], family: str | None, numbers: tuple[int, ...], answer: str
) -> None:
    assert applies(affected, fixed, family, numbers) == answer


def test_the_fix_that_concerns_a_server() -> None:
    """That of its series, whether it has it or not; else the next later one."""
    fixes = ["mysql 5.6.30", "mysql 5.7.12?", "mariadb 10.1.13"]
    for numbers, version in [((5, 6, 10), "5.6.30"), ((5, 7, 22), "5.7.12"), ((5, 5), "5.6.30")]:
        fix = fix_for(fixes, "percona", numbers)
        assert fix is not None
        assert fix.version == version
    assert fix_for(fixes, "mysql", (8, 0, 1)) is None
    assert fix_for(fixes, None, ()) is None


_RELEASES = [(5, minor, patch) for minor in (5, 6, 7) for patch in (0, 10, 30)]
_RELEASES += [(8, 0, 11), (8, 0, 36), (8, 4, 2), (9, 1, 0), (10, 5, 8), (10, 6, 16), (11, 4, 2)]


@pytest.mark.parametrize("issue", knowledge().issues.values(), ids=lambda issue: issue.id)
def test_every_issue_of_ours_is_consistent(issue: Issue) -> None:
    """A release with an exact fix is free of it; a version known in part never contradicts."""
    fixes = [read_fix(entry) for entry in issue.fixed]
    for fix in fixes:
        if fix.release is None or not fix.is_exact:
            continue
        last = fix_for(issue.fixed, fix.flavour, fix.release)
        expected = {"no"} if last == fix else {"no", "yes", "unknown"}
        assert issue.applies_to(fix.flavour, fix.release) in expected, fix
    for family, release in itertools.product(("mysql", "percona", "mariadb"), _RELEASES):
        whole = issue.applies_to(family, release)
        part = issue.applies_to(family, release[:2])
        assert part in (whole, "unknown") or whole == "unknown", (family, release)


def test_a_range_in_prose_is_refused_by_name(tmp_path: Path) -> None:
    """The entry, the words and what to write instead."""
    (tmp_path / "issues.yaml").write_text(
        "issues: [{id: ours, category: x, title: y, explanation: z, affected: [5.7 and later]}]"
    )
    with pytest.raises(KnowledgeError, match=r"ours.*5\.7 and later.*mysql 8\.0\.0-8\.0\.29"):
        use(tmp_path)


def test_a_fix_reads_as_a_person_writes_it() -> None:
    assert [
        fix_text(entry)
        for entry in (
            "mysql 8.0.30",
            "mariadb 10.5.0: off by default",
            "mysql 5.7.12?: its notes were not read",
            "percona never: only threads of the LRU manager",
            "mysql never",
        )
    ] == [
        "MySQL 8.0.30",
        "MariaDB 10.5.0 (off by default)",
        "probably MySQL 5.7.12 (its notes were not read)",
        "none in Percona Server (only threads of the LRU manager)",
        "none in MySQL",
    ]
    assert [
        affected_text(entry)
        for entry in (
            "mysql 5.6.10-5.6.29",
            "mysql 5.7.0-5.7.11?: of the same age",
            "mysql 8.0.32?-8.0",
            "mysql 5.7.5-5.7",
            "mariadb <10.2",
            "mariadb 10.5+",
            "percona",
            "all: Galera clusters",
        )
    ] == [
        "MySQL 5.6.10 to 5.6.29",
        "MySQL 5.7.0 to at least 5.7.11 (of the same age)",
        "MySQL 8.0 from about 8.0.32 on",
        "MySQL 5.7 from 5.7.5 on",
        "MariaDB before 10.2",
        "MariaDB 10.5 and later",
        "Percona Server",
        "all servers (Galera clusters)",
    ]


def test_every_known_fix_names_a_vendor() -> None:
    for issue in knowledge().issues.values():
        for entry in issue.fixed:
            if entry.strip(" -"):
                text = fix_text(entry)
                assert any(name in text for name in ("MySQL", "Percona Server", "MariaDB")), entry
                assert "?" not in text.partition(" (")[0]


def test_blanks_around_a_range_count_for_nothing() -> None:
    assert read_range("  mysql 8.0.0-8.0.29 ") == read_range("mysql 8.0.0-8.0.29")


def test_an_issue_says_which_servers_it_affects() -> None:
    with pytest.raises(ValueError, match="'affected' is empty; write 'all' for every server"):
        schema.Issue("x", "locks", "x", [], "x")
    assert schema.Issue("x", "locks", "x", ["all"], "x").affected == ["all"]
