"""Lock waits without a table get that of the same tablespace in another lock table."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pileup.analysis import gather
from pileup.records import LockWait, Record, Transaction, TrxLock
from tests.analysis.frames import T0, artifact, frames


def _wait(lock_id: str | None, table: str | None = None, index: str | None = None) -> LockWait:
    return LockWait(
        line_first=1, line_last=1, wall_us=T0, clock="utc", host="db1", lock_kind="record",
        lock_id=lock_id, table=table, index=index, waiting_trx="5", blocking_trx="4",
    )  # fmt: skip


def _named(own: LockWait, *others: Record, folder: str = "a") -> tuple[str | None, str | None]:
    files = [(artifact("a/waits.tsv"), frames(own))]
    files += [
        (artifact(f"{folder}/locks-{at}.txt"), frames(each)) for at, each in enumerate(others)
    ]
    waits = gather(files).frames["lock_wait"].filter(artifact="a/waits.tsv".ljust(64, "0"))
    return waits.select("table", "index").row(0)


_NEW = "140281354623880:586:6:4:2:140280286398896"
_OF_ANOTHER = "140281354607720:610:6:4:9:140281282409392"


@pytest.mark.parametrize(("mine", "other"), [(_NEW, _OF_ANOTHER), ("7F2A:6:4:2", "7F99:6:4:7")])
def test_the_same_page_names_table_and_index(mine: str, other: str) -> None:
    assert _named(_wait(mine), _wait(other, "shop.t", "k")) == ("shop.t", "k")


def test_another_page_of_the_tablespace_names_the_table_alone() -> None:
    other = _wait(_OF_ANOTHER.replace(":6:4:", ":6:5:"), "shop.t", "k")
    assert _named(_wait(_NEW), other) == ("shop.t", None)


@pytest.mark.parametrize(
    ("lock_id", "others", "folder"),
    [
        (_NEW, [_wait(_OF_ANOTHER.replace(":6:", ":7:"), "shop.t", "k")], "a"),
        (_NEW, [_wait(_OF_ANOTHER, "shop.t"), _wait(_OF_ANOTHER, "shop.u")], "a"),
        (_NEW, [_wait(_OF_ANOTHER, "shop.t", "k")], "b"),
        (None, [_wait(_OF_ANOTHER, "shop.t", "k")], "a"),
    ],
    ids=["another tablespace", "two tables", "another recording", "no id"],
)
def test_nothing_is_invented(lock_id: str | None, others: list[Record], folder: str) -> None:
    assert _named(_wait(lock_id), *others, folder=folder) == (None, None)


def _waiting(space: int, page: int) -> Transaction:
    return Transaction(
        line_first=1, line_last=1, wall_us=T0, clock="utc", host="db1", trx_id="9",
        state="ACTIVE", waits_space=space, waits_page=page, waits_table="shop.t", waits_index="k",
    )  # fmt: skip


def _lock(space: int, page: int) -> TrxLock:
    return TrxLock(
        line_first=1, line_last=1, wall_us=T0, clock="utc", host="db1", trx_id="9",
        lock_kind="record", table="shop.t", index="k", mode="X", space=space, page=page,
    )  # fmt: skip


@pytest.mark.parametrize("dumped", [_waiting, _lock])
@pytest.mark.parametrize(
    ("place", "named"),
    [((6, 4), ("shop.t", "k")), ((6, 5), ("shop.t", None)), ((7, 4), (None, None))],
    ids=["the same page", "another page", "another tablespace"],
)
def test_a_status_dump_names_what_a_lock_table_does_not(
    dumped: Callable[[int, int], Record],
    place: tuple[int, int],
    named: tuple[str | None, str | None],
) -> None:
    assert _named(_wait("7F2A:6:4:2"), dumped(*place)) == named


def test_the_system_tablespace_holds_many_tables() -> None:
    assert _named(_wait("7F2A:0:4:2"), _lock(0, 9)) == (None, None)
