"""The kind of a deadlock: of every kind one, near misses, any order, cut anywhere."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from pileup.analysis.deadlocks import Explanation, explain, patterns
from pileup.analysis.deadlocks.wording import WORDS
from tests.analysis.deadlocks.texts import (
    AT_END,
    GAP,
    INSERT,
    NEXT_KEY,
    ROW,
    S_GAP,
    S_NEXT_KEY,
    S_ROW,
    L,
    T,
    printed,
    read,
)

_ADD = "INSERT INTO t (a, b) VALUES (5, 'x')"
_SET = "UPDATE t SET b = b + 1 WHERE id = 3"
_DROP = "DELETE FROM t WHERE id = 4"

CASES: dict[str, list[T]] = {
    "auto-inc": [
        T(_ADD, L("AUTO-INC", index=None), (L(ROW, 3),)),
        T("INSERT INTO t SELECT * FROM s", L(S_ROW, 3), (L("AUTO-INC", index=None),)),
    ],
    "table-lock": [
        T("LOCK TABLES t WRITE", L("X", index=None), (L(ROW, 3, table="app.s"),)),
        T("UPDATE s SET a = 1 WHERE id = 3", L(ROW, 3, table="app.s"), (L("IX", index=None),)),
    ],
    "upsert": [
        T(f"{_ADD} ON DUPLICATE KEY UPDATE b = 1", L(INSERT, 5, "u"), (L(NEXT_KEY, 5, "u"),)),
        T("REPLACE INTO t (a) VALUES (6)", L(INSERT, 5, "u"), (L(GAP, 5, "u"),)),
    ],
    "duplicate-insert": [
        T(_ADD, L(ROW, 5, "u"), (L(S_ROW, 5, "u"),)),
        T(_ADD.replace("5", "6"), L(ROW, 5, "u"), (L(S_NEXT_KEY, 5, "u"),)),
    ],
    "delete-insert": [
        T("DELETE FROM t WHERE a = 5", L(ROW, 5, "u"), (L(S_ROW, 5, "u"),)),
        T(_ADD, L(NEXT_KEY, 5, "u"), (L(S_ROW, 5, "u"),)),
    ],
    "missing-row-insert": [
        T(_ADD, L(INSERT, 5), (L(GAP, 5),)),
        T(_ADD, L(INSERT, 5), (L(GAP, 5),)),
    ],
    "supremum": [
        T(_ADD, L(AT_END, 1), (L(NEXT_KEY, 1),)),
        T("INSERT INTO t (a) SELECT 8", L(AT_END, 1), (L(NEXT_KEY, 1),)),
    ],
    "gap-insert": [
        T("UPDATE t SET b = 1 WHERE a > 3", L(ROW, 7), (L(NEXT_KEY, 5, "a"),)),
        T(_ADD, L(INSERT, 5, "a"), (L(ROW, 7),)),
    ],
    "waiting-lock": [
        T("DELETE FROM t WHERE a = 5", L(NEXT_KEY, 5, "u"), ()),
        T("DELETE FROM t WHERE a = 5 LIMIT 1", L(NEXT_KEY, 5, "u"), (L(ROW, 5, "u"),)),
    ],
    "foreign-key": [
        T("INSERT INTO child (pid) VALUES (3)", L(S_ROW, 3, table="app.parent"), (L(ROW, 4),)),
        T("UPDATE t SET b = 1 WHERE id = 4", L(ROW, 4), (L(ROW, 3, table="app.parent"),)),
    ],
    "s-to-x": [T(_SET, L(ROW, 3), (L(S_ROW, 3),)), T(_SET, L(ROW, 3), (L(S_ROW, 3),))],
    "index-order": [
        T("UPDATE t SET b = 1 WHERE a = 3", L(ROW, 3), (L(ROW, 6, "a"),)),
        T("UPDATE t SET a = 9 WHERE id = 3", L(ROW, 6, "a"), (L(ROW, 3),)),
    ],
    "index-merge": [
        T("UPDATE t SET c = 1 WHERE a = 3 AND b = 4", L(ROW, 6, "b"), (L(ROW, 6, "a"),)),
        T("UPDATE t SET c = 1 WHERE a = 5 AND b = 4", L(ROW, 6, "a"), (L(ROW, 6, "b"),)),
    ],
    "range-scan": [
        T("UPDATE t SET b = 1 WHERE id < 40", L(NEXT_KEY, 7), (L(NEXT_KEY, 2),)),
        T(_DROP, L(ROW, 2), (L(ROW, 7),)),
    ],
    "row-order": [T(_SET, L(ROW, 3), (L(ROW, 4),)), T(_DROP, L(ROW, 4), (L(ROW, 3),))],
    "cycle": [
        T(_SET, L(ROW, 3), (L(ROW, 4),)),
        T(_SET, L(ROW, 5), (L(ROW, 3),)),
        T(_DROP, L(ROW, 4), (L(ROW, 5),)),
    ],
}

# what -> transactions, the kind that it is not, the kind that it is
NEAR_MISSES: dict[str, tuple[list[T], str]] = {
    "the same row, X twice, is no order of rows": (
        [T(_SET, L(NEXT_KEY, 3), (L(ROW, 3),)), T(_DROP, L(ROW, 3), ())],
        "waiting-lock",
    ),
    "a shared lock on another row is not raised": (
        [T(_SET, L(ROW, 3), (L(S_ROW, 4),)), T(_DROP, L(ROW, 4), (L(ROW, 3),))],
        "row-order",
    ),
    "a parent that the statement names is no foreign key": (
        [T(_SET, L(S_ROW, 3), (L(ROW, 4),)), T(_DROP, L(ROW, 4), (L(ROW, 3),))],
        "row-order",
    ),
    "two tables are no index order": (
        [
            T(_SET, L(ROW, 3, "a"), (L(ROW, 3, table="app.s"),)),
            T("DELETE FROM s WHERE id = 1", L(ROW, 3, table="app.s"), (L(ROW, 3, "a"),)),
        ],
        "row-order",
    ),
    "one condition is no index merge": (
        [
            T("UPDATE t SET c = 1 WHERE a = 3", L(ROW, 6, "b"), (L(ROW, 6, "a"),)),
            T("DELETE FROM t WHERE b = 4", L(ROW, 6, "a"), (L(ROW, 6, "b"),)),
        ],
        "index-order",
    ),
    "a range below the highest key is no missing row": (
        [T(_ADD, L(INSERT, 5), (L(NEXT_KEY, 5),)), T(_ADD, L(INSERT, 5), (L(NEXT_KEY, 5),))],
        "gap-insert",
    ),
    "shared gap locks are of duplicates": (
        [T(_ADD, L(INSERT, 5), (L(S_GAP, 5),)), T(_ADD, L(INSERT, 5), (L(S_GAP, 5),))],
        "duplicate-insert",
    ),
    "an intention lock on a table alone decides nothing of AUTO-INC": (
        [
            T("LOCK TABLES t READ", L("S", index=None), (L("IS", index=None, table="app.s"),)),
            T("ALTER TABLE s FORCE", L("X", index=None, table="app.s"), (L("IX", index=None),)),
        ],
        "table-lock",
    ),
}


def _explained(text: str) -> Explanation | None:
    record = read(text)
    return explain(record["transactions"], record["victim"]) if record else None


def _whole(transactions: list[T], **how: Any) -> Explanation:
    explained = _explained(printed(transactions, **how))
    assert explained is not None
    return explained


def test_every_kind_has_a_case() -> None:
    assert CASES.keys() | {"unknown", _CUT_INSERT} == WORDS.keys()


@pytest.mark.parametrize("kind", CASES)
def test_a_kind(kind: str) -> None:
    """The reason names both statements and the table; changes and what would settle it follow."""
    explained = _whole(CASES[kind])
    assert explained.kind == kind
    assert 0.5 < explained.confidence < 1
    assert len(explained.change) > 1
    assert explained.settle
    for lane in explained.lanes:
        assert lane.shape
        assert lane.shape in explained.why
    for arrow in explained.waits:
        holder = next(lane for lane in explained.lanes if lane.number == arrow.holder)
        assert holder.steps[arrow.holder_step].state in ("holds", "requests")


@pytest.mark.parametrize("what", NEAR_MISSES)
def test_a_near_miss(what: str) -> None:
    transactions, kind = NEAR_MISSES[what]
    assert _whole(transactions).kind == kind


@pytest.mark.parametrize("kind", CASES)
@pytest.mark.parametrize("old", [False, True])
def test_the_printed_order_changes_nothing(kind: str, old: bool) -> None:
    """Neither the order nor the victim; an old server prints less, and never another kind."""
    transactions = CASES[kind]
    first = _whole(transactions, old=old)
    turned = [*transactions[1:], transactions[0]]
    second = _whole(turned, old=old, victim=len(transactions))
    if old:
        assert {first.kind, second.kind} <= {kind, "unknown"} | _WITH_LESS.get(kind, set())
    else:
        assert (first.kind, first.pattern) == (second.kind, second.pattern)
        assert first.confidence == second.confidence


# Where the locks of one transaction alone leave a more general kind.
_WITH_LESS = {
    "missing-row-insert": {"gap-insert"},
    "cycle": {"row-order"},
}


_CUT_INSERT = "insert-wait"
"""What is sure of a text that is cut behind a request to insert."""


@pytest.mark.parametrize("kind", CASES)
def test_cut_anywhere_it_is_this_kind_or_unknown(kind: str) -> None:
    text = printed(CASES[kind])
    known = {kind, "unknown"}
    if any(transaction.wants.mode in (INSERT, AT_END) for transaction in CASES[kind]):
        known.add(_CUT_INSERT)
    lines = [at for at, letter in enumerate(text) if letter == "\n"]
    cuts = sorted({*lines, *((a + b) // 2 for a, b in pairwise(lines)), *range(7, len(text), 61)})
    for cut in cuts:
        explained = _explained(text[:cut])
        assert explained is None or explained.kind in known, (cut, text[:cut][-200:])


PARTS = {
    "auto-inc": T(_ADD, L("AUTO-INC", index=None)),
    "table-lock": T("LOCK TABLES t WRITE", L("X", index=None)),
    "upsert": T(f"{_ADD} ON DUPLICATE KEY UPDATE b = 1", L(NEXT_KEY, 5, "u")),
    "insert-wait": T(_ADD, L(INSERT, 5)),
    "foreign-key": T("INSERT INTO child (t_id) VALUES (3)", L(S_ROW, 3)),
    "duplicate-insert": T(_ADD, L(S_ROW, 5, "u")),
    "unknown": T(_SET, L(ROW, 3)),
}


@pytest.mark.parametrize("kind", PARTS)
def test_a_transaction_alone(kind: str) -> None:
    """Its request decides the kind, or nothing does; what it wants is named in any case."""
    explained = _whole([PARTS[kind]])
    assert explained.kind == kind
    assert explained.confidence == (0.0 if kind == "unknown" else 0.5)
    assert explained.because == "only 1 transaction is printed"
    assert "who has it is not printed" in explained.why
    assert (explained.lanes[0].shape or "") in explained.why


def test_a_lock_in_conflict_names_a_transaction_that_is_not_printed() -> None:
    """MariaDB prints the lock of the other one below the request, and the text ends there."""
    text = printed(CASES["row-order"][:1]).partition("*** WE ROLL BACK")[0]
    lock = next(line for line in text.split("\n") if line.startswith("RECORD LOCKS"))
    conflict = lock.replace("trx id 1001", "trx id 1002").replace(" waiting", "")
    explained = _explained(f"{text}*** CONFLICTING WITH:\n{conflict}\n")
    assert explained is not None
    assert [lane.number for lane in explained.lanes] == [1, 2]
    assert explained.lanes[1].steps[0].state == "holds"
    assert "(2) a statement that is not printed has an exclusive row lock" in explained.why


def test_too_little_is_unknown_and_says_why() -> None:
    row = CASES["row-order"]
    explained = _whole(row[:1])
    assert explained.kind == "unknown"
    assert "only 1 transaction is printed" in explained.why
    assert explained.confidence == 0
    assert explain([], None).kind == "unknown"
    odd = [{"number": 1, "waits_for": "odd", "holds": ["?"]}, {"number": 2, "waits_for": None}]
    assert explain(odd, 1).kind == "unknown"


def test_thousands_fold_into_patterns() -> None:
    """By statements and locks, not rows or times; each with its rate."""
    rows = []
    for at in range(600):
        kind = "row-order" if at % 3 else "supremum"
        record = read(printed([*CASES[kind]][:: 1 if at % 2 else -1]))
        assert record is not None
        rows.append(record | {"time": at * 1_000_000})
    first, second = patterns(rows)
    assert (first.kind, first.count, second.kind, second.count) == (
        "row-order",
        400,
        "supremum",
        200,
    )
    assert first.per_minute == pytest.approx(40, rel=0.02)
    assert first.most_in_a_minute == 40
    assert (first.tables, len(first.shapes)) == (("app.t",), 2)
    assert patterns([]) == []
