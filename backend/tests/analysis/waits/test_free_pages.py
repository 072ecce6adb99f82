"""Holders of page latches need a free page where none is free, and nowhere else."""

from __future__ import annotations

import pytest

from pileup.analysis.waits import moment_graph
from tests.analysis.waits.test_waits import dump, evidence, row_waiter

_PAGE, _HASH = ("buf0buf.cc", 1460), ("btr0sea.cc", 202)


def shown(
    created: tuple[str, int], free: int, single: int, waiters: int = 3, seconds: float = 0.1
) -> str:
    """A dump in which thread 9 keeps others waiting at a latch."""
    waits = "".join(
        f"--Thread {n} has waited at row0sel.cc line 5124 "
        f"for {seconds:.2f} seconds the semaphore:\n"
        f"S-lock on RW-latch at 0x7fd83a5b2880 created in file {created[0]} line {created[1]}\n"
        "a writer (thread id 9) has reserved it in mode  exclusive\n"
        "number of readers 0, waiters flag 1, lock_word: 0\n"
        for n in range(1, waiters + 1)
    )
    pool = (
        "----------------------\nBUFFER POOL AND MEMORY\n----------------------\n"
        f"Buffer pool size   383\nFree buffers       {free}\nDatabase pages     383\n"
        f"Pending writes: LRU 0, flush list 0, single page {single}\n"
    )
    return dump(waits).replace(
        "----------------------------\nEND OF INNODB", pool + "-" * 28 + "\nEND OF INNODB"
    )


@pytest.mark.parametrize(
    ("created", "free", "single", "waiters", "seconds", "needs"),
    [
        (_PAGE, 0, 4, 3, 0.1, True),
        (_PAGE, 64, 4, 3, 0.1, False),  # pages are free
        (_PAGE, 0, 0, 3, 0.1, False),  # nothing is written: the pool is full, nobody waits for it
        (_HASH, 0, 4, 3, 0.1, False),  # held by more than a mini-transaction
        (_PAGE, 0, 4, 2, 0.1, False),  # two waiters for a tenth of a second prove nothing
        (_PAGE, 0, 4, 1, 0.99, False),
        (_PAGE, 0, 4, 1, 1.0, True),  # one that waits for long does
    ],
)
def test_the_holder_of_a_page_needs_a_free_one(
    created: tuple[str, int], free: int, single: int, waiters: int, seconds: float, needs: bool
) -> None:
    graph = moment_graph.wait_graph(evidence(shown(created, free, single, waiters, seconds)), None)
    edges = [e for e in graph.edges if e.target == "queue:free-page"]
    assert [(e.source, e.confidence) for e in edges] == ([("thread:9", 0.55)] if needs else [])
    assert {root.node for root in graph.roots} == {"queue:free-page" if needs else "thread:9"}


@pytest.mark.parametrize(("created", "holds"), [(_PAGE, False), (_HASH, True)])
def test_who_waits_for_a_row_has_given_up_its_pages(created: tuple[str, int], holds: bool) -> None:
    text = shown(created, 64, 0).replace("thread id 9)", "thread id 140464743184101)")
    text = text.replace("EACH SESSION:\n", f"EACH SESSION:\n{row_waiter(1)}")
    graph = moment_graph.wait_graph(evidence(text), None)
    held = [edge.target for edge in graph.edges if edge.kind == "held_by"]
    assert ("thread:140464743184101" in held) is holds
