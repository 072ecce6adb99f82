"""Numbers of a graph that people write down: before and during, or node by node."""

from __future__ import annotations

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.tables import changed_values, result_set
from pileup.records import Samples
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples(changed_values.NAME), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Threads_running: 4 -> 90\nThreads_connected went from 80 to 700", True),
        ("Threads_running: 4 -> 90\nand it was slow", False),
        ("Com_select: 4 -> 90\nCom_insert: 7 -> 9", False),
        ("max_connections: 100 -> 500\ninnodb_buffer_pool_size: 1 -> 2", False),
        ("Chapter 3 to 4\nPages 10 to 20", False),
    ],
    ids=["gauges", "a single one", "counters", "settings", "words"],
)
def test_only_gauges_and_rates_of_the_status_change(text: str, is_one: bool) -> None:
    assert changed_values.sniff(text) is is_one


def test_a_text_without_a_change_is_refused() -> None:
    with pytest.raises(FormatError, match="No change was found"):
        list(changed_values.parse(["It was slow."]))


def test_nodes_side_by_side_have_their_labels() -> None:
    """A table of before and after names no nodes, and stays a table."""
    for names, labelled in ((("db-a", "db-b"), True), (("before", "after"), False)):
        text = ["\t".join(("metric", *names)), "Threads_running\t7\t9", "Threads_connected\t70\t90"]
        found = [item for item in result_set.parse(text) if isinstance(item, Samples)]
        nodes = {node for item in found if (node := dict(item.labels).get("node"))}
        assert nodes == (set(names) if labelled else set())
