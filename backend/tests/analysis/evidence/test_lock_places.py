"""Lock waits without a table get that of the same tablespace in another lock table."""

from __future__ import annotations

import pytest

from pileup.analysis import gather
from pileup.records import LockWait
from tests.analysis.frames import T0, artifact, frames


def _wait(lock_id: str | None, table: str | None = None, index: str | None = None) -> LockWait:
    return LockWait(
        line_first=1, line_last=1, wall_us=T0, clock="utc", host="db1", lock_kind="record",
        lock_id=lock_id, table=table, index=index, waiting_trx="5", blocking_trx="4",
    )  # fmt: skip


def _named(own: LockWait, *others: LockWait, folder: str = "a") -> tuple[str | None, str | None]:
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
def test_nothing_is_invented(lock_id: str | None, others: list[LockWait], folder: str) -> None:
    assert _named(_wait(lock_id), *others, folder=folder) == (None, None)
