"""Threads directly behind a node, counted in one pass, are those that a walk finds."""

from __future__ import annotations

import random
import time
from collections import defaultdict

from pileup.analysis.waits.counts import count, threads_behind


def test_one_pass_counts_what_a_walk_finds() -> None:
    for seed in range(300):
        rng = random.Random(seed)
        names = [f"n{at}" for at in range(rng.randint(1, 14))]
        edges = [(rng.choice(names), rng.choice(names)) for _ in range(rng.randint(0, 30))]
        waiting = {name for name in names if rng.random() < 0.5}
        behind: defaultdict[str, list[str]] = defaultdict(list)
        for source, target in edges:
            behind[target].append(source)
        counts = count(names, edges, waiting)
        for name in names:
            walked = threads_behind([name], behind, waiting, through=False)
            assert counts.direct[name] == walked, (seed, name)


def test_many_holders_of_what_many_wait_for_cost_no_square() -> None:
    waiters, holders = [f"w{at}" for at in range(4000)], [f"h{at}" for at in range(4000)]
    edges = [(name, "lock") for name in waiters] + [("lock", name) for name in holders]
    start = time.process_time()
    counts = count([*waiters, "lock", *holders], edges, set(waiters))
    assert counts.direct["h7"] == 4000
    assert time.process_time() - start < 2
