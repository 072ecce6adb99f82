"""Which value of a variable counts where several files print it."""

from __future__ import annotations

import itertools

import pytest

from pileup.analysis.captures.partition import partition
from pileup.analysis.captures.shares import shares
from pileup.analysis.evidence.servers import effective_settings
from pileup.records import Setting
from tests.analysis.frames import T0, Samples, evidence, gauge

S = 1_000_000
NAME = "innodb_thread_concurrency"


def variable(value: str, source: str = "variables") -> Setting:
    return Setting(name=NAME, value=value, source=source, line_first=1, line_last=1)


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_the_file_beside_what_was_observed_counts_more_than_that_of_a_folder_around_it(
    order: tuple[int, ...],
) -> None:
    files = [
        ("case/second/metrics.csv", [gauge("mysql.Threads_running", [2.0, 3.0])]),
        ("case/second/variables.txt", [variable("32")]),
        ("case/variables.txt", [variable("0")]),
        ("variables.txt", [variable("16")]),
    ]
    given = evidence(dict(files[at] for at in order))
    found = effective_settings(given)[NAME]
    assert (found.value, given.path(found.artifact)) == ("32", "case/second/variables.txt")


def test_of_one_value_the_place_beside_the_observed_files_is_named() -> None:
    given = evidence(
        {
            "variables.txt": [variable("32")],
            "second/variables.txt": [variable("32")],
            "second/metrics.csv": [gauge("mysql.Threads_running", [2.0, 3.0])],
        }
    )
    found = effective_settings(given)[NAME]
    assert given.path(found.artifact) == "second/variables.txt"


def test_variables_of_a_folder_around_count_more_than_an_option_file_nearby() -> None:
    given = evidence(
        {
            "second/metrics.csv": [gauge("mysql.Threads_running", [2.0, 3.0])],
            "second/my.cnf": [variable("32", "my.cnf")],
            "variables.txt": [variable("0")],
        }
    )
    assert effective_settings(given)[NAME].value == "0"


def test_each_of_two_recordings_of_a_host_has_the_settings_of_its_own_folder() -> None:
    """The second lies in a folder of the first."""

    def recording(start: int) -> list[Samples]:
        return [gauge("mysql.Threads_running", [2.0] * 60, start=start, host="db-1")]

    both = evidence(
        {
            "x/metrics.csv": recording(T0),
            "x/variables.txt": [variable("0")],
            "x/second/metrics.csv": recording(T0 + 3600 * S),
            "x/second/variables.txt": [variable("32")],
        }
    )
    values = [effective_settings(own)[NAME].value for _, own in shares(both, partition(both))]
    assert values == ["0", "32"]
