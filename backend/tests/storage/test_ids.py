"""Ids sort by the time they were made, also within a millisecond and among threads."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

from pileup.storage.ids import new_id


def test_ids_of_a_process_keep_their_order() -> None:
    made = [new_id() for _ in range(10_000)]
    assert made == sorted(made)
    assert {uuid.UUID(each).version for each in made} == {7}


def test_threads_get_different_ids() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: new_id(), range(2000)))
    assert len(set(made)) == len(made)
