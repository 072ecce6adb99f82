"""The latch of a semaphore wait: right or unknown, never wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from pileup.knowledge import Wait, knowledge, latch_identity, source_sites
from pileup.knowledge.latch_identity import Place, identify

_MYSQL = {
    "5.1": ("mysql", (5, 1, 45)),
    "5.6.24": ("mysql", (5, 6, 24)),
    "5.7.18": ("mysql", (5, 7, 18)),
    "5.7.22": ("mysql", (5, 7, 22)),
    "8.0.15": ("mysql", (8, 0, 15)),
    "8.1.0": ("mysql", (8, 1, 0)),
    "percona 5.7.29": ("percona", (5, 7, 29)),
    "mariadb 10.2.11": ("mariadb", (10, 2, 11)),
    "-": (None, ()),
}

# version, created, name, mode, place of the wait, latch. Lines of real dumps, checked by hand
# against the servers' sources, then constructed ones.
CHECKED = [
    ("5.7.22", "dict0dict.cc:2730", None, "SX", "btr0cur.cc:976", "index_tree_lock"),
    ("5.7.22", "dict0dict.cc:1183", None, "X wait_ex", "srv0srv.cc:1982", "dict_operation_lock"),
    ("5.7.22", "dict0dict.cc:1183", None, "S", "row0purge.cc:862", "dict_operation_lock"),
    ("5.7.22", "buf0buf.cc:1460", None, "SX", "buf0flu.cc:1209", "buf_block_lock"),
    ("5.7.22", "buf0buf.cc:1731", "BUF_POOL", "mutex", "buf0lru.cc:1320", "buf_pool_mutex"),
    ("5.7.22", "fil0fil.cc:1381", None, "X", "fsp0fsp.cc:3365", "fil_space_latch"),
    ("5.7.22", "fts0fts.cc:609", None, "X", "fts0fts.cc:4169", "fts_cache_lock"),
    ("5.7.22", "log0log.cc:796", "LOG_WRITE", "mutex", "log0log.cc:1243", "log_write_mutex"),
    ("5.7.22", "trx0rseg.cc:211", "REDO_RSEG", "mutex", "trx0trx.cc:1184", "rseg_mutex"),
    ("5.7.18", "btr0sea.cc:195", None, "X", "btr0sea.ic:128", "btr_search_latch"),
    ("5.6.24", "dict0dict.cc:2606", None, "S", "btr0cur.cc:545", "index_tree_lock"),
    ("5.6.24", "dict0dict.cc:1035", None, "S", "row0purge.cc:754", "dict_operation_lock"),
    ("5.6.24", "dict0dict.cc:1035", None, "X wait_ex", "srv0srv.cc:2000", "dict_operation_lock"),
    ("5.6.24", "buf0buf.cc:1021", None, "S", "row0sel.cc:4138", "buf_block_lock"),
    ("5.6.24", "buf0buf.cc:1270", None, "mutex", "buf0lru.cc:1251", "buf_pool_mutex"),
    ("5.6.24", "log0log.cc:844", None, "mutex", "log0log.ic:321", "log_sys_mutex"),
    ("5.6.24", "log0log.cc:907", None, "S", "log0log.cc:2159", "log_checkpoint_lock"),
    ("5.6.24", "trx0sys.cc:594", None, "mutex", "trx0trx.cc:864", "trx_sys_mutex"),
    ("5.6.24", "trx0purge.cc:128", None, "S", "trx0rec.cc:1457", "purge_latch"),
    ("5.6.24", "trx0i_s.cc:1439", None, "X", "trx0i_s.cc:1519", "trx_i_s_cache_lock"),
    ("8.0.15", "buf0buf.cc:781", None, "S", "row0sel.cc:3742", "buf_block_lock"),
    ("8.0.15", "btr0sea.cc:202", None, "S", "btr0sea.ic:122", "btr_search_latch"),
    ("8.0.15", "lock0lock.cc:451", "LOCK_SYS_WAIT", "mutex", "lock0wait.cc:75", "lock_wait_mutex"),
    ("8.1.0", "hash0hash.cc:116", None, "S", "buf0block_hint.cc:72", "page_hash_latch"),
    ("percona 5.7.29", "dict0dict.cc:2687", None, "SX", "btr0cur.cc:1019", "index_tree_lock"),
    ("percona 5.7.29", None, None, "X", "btr0sea.ic:98", "btr_search_latch"),
    ("mariadb 10.2.11", "btr0sea.cc:193", None, "S", "row0sel.cc:4313", "btr_search_latch"),
    ("mariadb 10.2.11", "buf0buf.cc:1471", None, "X", "row0upd.cc:3085", "buf_block_lock"),
    ("-", "dict/dict0dict.c:622", None, "X", "handler/ha_innodb.cc:7156", "dict_operation_lock"),
    ("-", "dict/dict0dict.c:1569", None, "S", "btr/btr0cur.c:457", "index_tree_lock"),
    ("-", None, "&kernel_mutex", "mutex", "lock/lock0lock.c:3770", "kernel_mutex"),
    # The statistics latches are created in the file of the index latches.
    ("5.7.22", "dict0dict.cc:301", None, "S", "dict0stats.cc:9999", "dict_table_stats_latch"),
    ("5.1", "dict/dict0dict.c:622", None, "S", "handler/ha_innodb.cc:1", "dict_operation_lock"),
    # The line decides between neighbours only where its release was read.
    ("-", "buf0buf.cc:1270", None, "mutex", "nowhere.cc:1", None),
    ("5.6.24", "buf0buf.cc:1271", None, "mutex", "nowhere.cc:1", None),
    ("5.7.22", "dict0dict.cc:1990", None, "S", "nowhere.cc:1", None),
    # A page's place of creation in a release that creates nothing there.
    ("5.6.24", "buf0buf.cc:1433", None, "X wait_ex", "mtr0mtr.ic:161", None),
    # What is printed disagrees: the name and the place, the place and the mode, both places.
    ("5.7.22", "buf0buf.cc:1460", "TRX_SYS", "X", "buf0flu.cc:1209", None),
    ("5.7.22", "fil0fil.cc:1381", None, "mutex", "fsp0fsp.cc:3365", None),
    ("5.7.18", "btr0sea.cc:195", None, "X", "srv0srv.cc:1972", None),
    ("5.7.22", "trx0sys.cc:544", "SOME_NEW_CLASS", "mutex", "trx0trx.cc:3223", None),
    ("-", None, None, "S", "row0sel.cc:5025", None),
    ("-", "nowhere.cc:1", None, "S", "nowhere.cc:1", None),
]


def _place(text: str | None) -> Place | None:
    file, _, line = (text or "").rpartition(":")
    return (file, int(line)) if text else None


@pytest.mark.parametrize(("version", "created", "name", "mode", "at", "latch"), CHECKED)
def test_checked_lines(
    version: str, created: str | None, name: str | None, mode: str, at: str, latch: str | None
) -> None:
    family, numbers = _MYSQL[version]
    wait = Wait(mode, _place(created), _place(at), family, numbers)
    named = knowledge().latch_for(name, wait)
    assert (named.id if named else None) == latch


def test_a_release_that_was_not_read_is_right_or_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a release, then ask for each of its places: another latch is never named."""
    rows = source_sites._table().filter(
        (pl.col("kind") == "created") & pl.col("file").str.contains("innobase|innodb")
    )
    answers: Counter[str] = Counter()
    known = frozenset(knowledge().latches)
    for row in rows.gather_every(23).iter_rows(named=True):
        version = row["version"]
        family = version.partition("-")[0]
        if family not in ("mysql", "percona", "mariadb"):
            continue
        monkeypatch.setattr(latch_identity, "places", _without(version))
        mode = "mutex" if "mutex" in row["via"] else "X"
        place = row["file"].rpartition("/")[2], row["line"]
        for numbers in (source_sites._numbers(version), ()):
            wait = Wait(mode, place, None, family if numbers else None, numbers)
            latch = identify.__wrapped__(None, wait, known).latch
            answers["unknown" if latch is None else str(latch == row["latch"])] += 1
            allowed = (None, row["latch"])
            assert latch in allowed or row["latch"] == "buf_block_debug_latch", (row, latch)
    assert answers["True"] > 50


def _without(version: str) -> Callable[[str, Any], list[dict[str, Any]]]:
    return lambda file, kind: [
        row for row in source_sites.places(file, kind) if row["version"] != version
    ]


@pytest.mark.parametrize("at", [("trx0trx.c", 1888), ("trx0trx.c", 1033)])
def test_a_place_alone_of_a_release_that_was_not_read_decides_nothing(at: tuple[str, int]) -> None:
    """In another release a thread may wait at this line for another latch of the file."""
    assert identify(None, Wait(mode="mutex", at=at), frozenset(knowledge().latches)).latch is None
