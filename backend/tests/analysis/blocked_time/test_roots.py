"""Where blocked time ends: by construction, and laws that hold for any waits."""

from __future__ import annotations

import random
import re

import pytest

from pileup.analysis.blocked_time.measure import BlockedTime, blocked_time
from pileup.analysis.evidence import series
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.waits import moments
from tests.analysis.blocked_time.scenes import VIEWS, some_people, views
from tests.analysis.waits.test_waits import dump, evidence, semaphore, sessions

FTWRL = "FLUSH TABLES WITH READ LOCK"
GLOBAL, METADATA = "Waiting for global read lock", "Waiting for table metadata lock"
Row = tuple[int, str, int, str | None, str]


def measured(found: Evidence) -> BlockedTime:
    every = moments.moments(found)
    values = series.values(found.frame("sample"))
    choice = moments.choose_moments(every, None, None)
    return blocked_time(found, every, choice, values, None, None)


def by_list(*rows: Row) -> BlockedTime:
    return measured(evidence(sessions(*rows)))


def test_a_single_waiter_has_its_root() -> None:
    found = by_list(
        (5, "Query", 9, METADATA, "ALTER TABLE orders ADD x INT"),
        (7, "Query", 60, "Sending data", "SELECT SUM(a) FROM orders"),
        *((n, "Query", 0, "Sending data", "SELECT 1") for n in range(10, 30)),
    )
    (root,) = found.roots
    assert (root.session_id, root.known, root.doing) == (7, True, "working")
    assert root.statement == "SELECT SUM(a) FROM orders"
    assert root.table == "shop.orders"
    assert root.share == pytest.approx(1 / 22, abs=0.001)


def test_time_flows_through_the_request_to_the_holder() -> None:
    found = by_list(
        *((n, "Query", 8, METADATA, "SELECT * FROM orders") for n in range(20, 60)),
        (5, "Query", 9, METADATA, "ALTER TABLE orders ADD x INT"),
        (7, "Query", 60, "User sleep", "SELECT SLEEP(99) FROM orders"),
    )
    (root,) = found.roots
    assert root.session_id == 7
    assert [step.split(" (")[0] for step in root.path] == [
        "40 sessions", "metadata lock shop.orders", "session 5",
        "exclusive metadata lock shop.orders", "session 7",
    ]  # fmt: skip
    assert root.share == pytest.approx(41 / 42, abs=0.001)
    behind = found.share_of(lambda member: member.session_id == 5)
    assert behind is not None
    assert behind.value == pytest.approx(41 / 42)
    every = found.share_of(lambda member: member.time_class == "metadata_lock")
    assert every is not None
    assert every.value == pytest.approx(41 / 42)


@pytest.mark.parametrize("state", [GLOBAL, "Waiting for commit lock"])
@pytest.mark.parametrize("statement", [FTWRL, "SET GLOBAL read_only = 1"])
def test_a_flush_against_appliers_that_commit_in_order_is_a_circle(
    state: str, statement: str
) -> None:
    """The later applier has its lock and waits for the earlier one, which waits for the flush."""
    found = by_list(
        (5, "Query", 30, state, statement),
        (11, "Connect", 31, "Waiting for preceding transaction to commit", ""),
        (12, "Connect", 31, state, ""),
        *((n, "Query", 20, state, "UPDATE t SET a = 1") for n in range(20, 25)),
    )
    (root,) = found.roots
    assert (root.kind, root.known) == ("cycle", True)
    assert root.share == 1
    assert any("order of commits" in label for label in root.members)


def test_a_holder_that_others_replace_is_no_root() -> None:
    """In each of eight dumps another thread has the latch: the latch is the root."""
    texts = [
        dump("".join(semaphore(n, writer=500 + second) for n in range(1, 31))).replace(
            "22:20:15", f"22:20:{second}"
        )
        for second in range(10, 18)
    ]
    (root,) = measured(evidence("".join(texts))).roots
    assert (root.key, root.rotates, root.moments) == ("latch:btr_search_latch", True, 8)
    texts = [
        text.replace(f"thread id {500 + n}", "thread id 77") for n, text in enumerate(texts, 10)
    ]
    (root,) = measured(evidence("".join(texts))).roots
    assert (root.key, root.rotates) == ("thread:77", False)


def test_what_cannot_be_followed_ends_in_holder_unknown() -> None:
    found = by_list(*((n, "Query", 9, GLOBAL, "UPDATE t SET a = 1") for n in range(20, 40)))
    (root,) = found.roots
    assert (root.kind, root.known, root.share) == ("queue", False, 1)


@pytest.mark.seeds(12, 120)
def test_shares_of_roots_are_parts_of_the_time_and_order_is_nothing(seed: int) -> None:
    dice = random.Random(seed)
    everybody = some_people(dice)
    names = dice.sample(VIEWS, dice.randint(1, len(VIEWS)))
    found = measured(views(everybody, names))
    assert sum(root.share for root in found.roots) <= 1 + 1e-3
    assert all(root.low <= root.share <= root.high for root in found.roots)
    other = measured(views(everybody, names, order=seed + 1))
    assert {r.key: r.share for r in other.roots} == pytest.approx(
        {r.key: r.share for r in found.roots}
    )
    waits = found.share_of(lambda member: member.waits)
    every = found.share_of(lambda _: True)
    if every is not None and waits is not None:
        assert waits.value <= every.value + 1e-9
        assert every.value <= 1
        roots = found.share_of(lambda member: member.id in {root.node for root in found.roots})
        assert roots is not None
        assert roots.value <= every.value + 1e-9


@pytest.mark.seeds(4, 40)
def test_a_list_without_ids_has_the_roots_of_one_with_ids(seed: int) -> None:
    dice = random.Random(seed)
    state, holder = dice.choice(
        [
            (METADATA, (7, "Query", 90, "Sending data", "SELECT SUM(a) FROM orders")),
            (GLOBAL, (7, "Query", 90, "Waiting for table flush", FTWRL)),
        ]
    )
    rows: list[Row] = [
        (n, "Query", dice.randint(5, 60), state, f"INSERT INTO orders VALUES ({n})")
        for n in range(20, 20 + dice.randint(1, 30))
    ]
    rows += [
        (5, "Query", 70, METADATA, "ALTER TABLE orders ADD x INT"),
        holder,
        (9, "Sleep", 3, None, "NULL"),
    ]
    text = sessions(*rows)
    bare = re.sub(r" +Id: \d+\n", "", text)
    with_ids, without = measured(evidence(text)), measured(evidence(bare))
    shown = [(root.share, root.statement, root.known, root.behind) for root in without.roots]
    assert shown == [(r.share, r.statement, r.known, r.behind) for r in with_ids.roots]
