"""Who serves a queue for a moment and waits behind it is no holder: there is no deadlock."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pileup.analysis.waits import by_queues
from pileup.analysis.waits.draft import Edge


@pytest.mark.parametrize(
    ("queue", "left"),
    [
        ("queue:free-page", [("queue:free-page", "server")]),
        # a lock is held until it is given back: that circle is a deadlock
        (
            "queue:global-read-lock",
            [("queue:global-read-lock", "stuck"), ("queue:global-read-lock", "server")],
        ),
    ],
)
@pytest.mark.parametrize("turn", [1, -1])
def test_a_queue_is_served_by_those_who_do_not_wait_behind_it(
    queue: str, left: list[tuple[str, str]], turn: int
) -> None:
    edges = [
        Edge("a", queue, "waits_for"),
        Edge(queue, "stuck", "held_by", inferred=True),
        Edge(queue, "server", "held_by", inferred=True),
        Edge("stuck", "latch", "waits_for"),
        Edge("latch", "owner", "held_by"),
        Edge("owner", queue, "waits_for"),
    ][::turn]
    draft: Any = SimpleNamespace(
        resources=dict.fromkeys((queue, "latch")),
        scene=SimpleNamespace(actors=dict.fromkeys(("a", "stuck", "server", "owner"))),
        edges=edges,
    )
    by_queues.drop_own_waiters(draft)
    holders = [(e.source, e.target) for e in draft.edges if e.source == queue]
    assert holders == left[::turn]
    assert len(draft.edges) == len(edges) - 2 + len(left)
