"""Places of the source: the function and the latch, by the server's version."""

from __future__ import annotations

import polars as pl
import pytest

from pileup.knowledge.source_sites import _table, site


@pytest.mark.parametrize(
    ("file", "line", "numbers", "mode", "function", "latch", "certainty"),
    [
        # rw_lock_x_lock in btr_search_x_lock, read in 5.7.32; 5.7.29 was not read
        ("btr0sea.ic", 98, (5, 7, 32), "X", "btr_search_x_lock", "btr_search_latch", "exact"),
        ("btr0sea.ic", 98, (5, 7, 29), "X", "btr_search_x_lock", "btr_search_latch",
         "nearest version"),
        # the full-text cache of case 3, 5.6.21
        ("fts0fts.cc", 4453, (5, 6, 21), "X", "fts_sync", "fts_cache_lock", "exact"),
        ("btr0sea.ic", 98, (), "X", "btr_search_x_lock", "btr_search_latch", "unknown version"),
    ],
)  # fmt: skip
def test_a_place_is_a_function_and_a_latch(
    file: str, line: int, numbers: tuple[int, ...], mode: str, function: str, latch: str,
    certainty: str,
) -> None:  # fmt: skip
    found = site(file, line, family="mysql", numbers=numbers, mode=mode)
    assert found is not None
    assert (found.function, found.latch, found.certainty) == (function, latch, certainty)


def test_what_was_not_read_is_said() -> None:
    found = site("btr0sea.ic", 98, family="percona", numbers=(5, 7, 29), mode="X")
    assert found is not None
    assert "nearest version that was read" in found.says
    assert found.read_in.startswith("mysql-5.7.")


def test_an_unread_series_is_answered_from_the_next_one() -> None:
    """9.1 was not read, 8.4 was: its line, with that said; never a line of MariaDB."""
    known = _table().filter(
        (pl.col("version") == "mysql-8.4.4")
        & (pl.col("kind") == "acquired")
        & (pl.col("mode") == "X")
    )
    first = known.row(0, named=True)
    found = site(first["file"], first["line"], family="mysql", numbers=(9, 1, 0), mode="X")
    assert found is not None
    assert (found.certainty, found.function) == ("nearest series", first["function"])
    assert "lines may have moved" in found.says


def test_another_series_is_not_asked() -> None:
    """A line of 5.7 says nothing of 10.4."""
    assert site("btr0sea.ic", 98, family="mariadb", numbers=(10, 4, 12), mode="X") is None
    assert site("nowhere.cc", 1, family="mysql", numbers=(5, 7, 32)) is None
