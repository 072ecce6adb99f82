"""Samples as categories: pieces in the order of their ids, and the same values as in one piece."""

from __future__ import annotations

import random
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.analysis import EvidenceArtifact, gather
from pileup.analysis.clock.offsets import Source, offsets
from pileup.analysis.evidence import compact_samples, series
from pileup.analysis.evidence.compact_samples import distinct, ranks
from pileup.records import Samples, samples_frame

_S = 1_000_000


def _samples(host: str, *names: str, step: float = 1.0) -> pl.DataFrame:
    return samples_frame(
        [
            Samples(
                series=name, kind="counter", unit=None, clock="utc", host=host,
                wall_us=[i * _S for i in range(20)],
                values=[1000.0 + step * i for i in range(20)], lines=list(range(1, 21)),
            )
            for name in names
        ]
    )  # fmt: skip


def _evidence(*frames: pl.DataFrame) -> pl.DataFrame:
    parsed = [
        (EvidenceArtifact(str(number) * 64, f"{number}/ext", 1, None), {"sample": frame})
        for number, frame in enumerate(frames)
    ]
    placed = gather(parsed).frame("sample")
    assert placed is not None
    return placed


def test_the_text_of_placed_samples_is_categories() -> None:
    placed = _evidence(_samples("db-1", "mysql.Questions"), _samples("db-2", "mysql.Questions"))
    assert {placed.schema[name] for name in compact_samples.TEXT} == {pl.Categorical()}
    assert placed["id"].unique().sort().to_list() == [
        "mysql.Questions@db-1",
        "mysql.Questions@db-2",
    ]


def test_pieces_hold_whole_series_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_samples, "_ROWS", 50)
    names = [f"mysql.Com_{number}" for number in range(9)]
    random.Random(4).shuffle(names)
    placed = _evidence(_samples("db-1", *names))
    pieces = list(compact_samples.by_series(placed))
    assert len(pieces) > 2
    seen = [sorted(piece["id"].unique().to_list()) for piece in pieces]
    assert [item for ids in seen for item in ids] == sorted(placed["id"].unique().to_list())
    assert sum(piece.height for piece in pieces) == placed.height


def test_values_do_not_depend_on_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    # two files of one host: their counters are differenced apart, whatever the piece
    names = [f"mysql.Com_{number}" for number in range(9)]
    placed = _evidence(_samples("db-1", *names), _samples("db-1", *names, step=2.0))
    order = ["id", "time", "artifact"]
    whole = series.values(placed).sort(order)
    assert sorted(set(whole["value"].to_list())) == [1.0, 2.0]
    monkeypatch.setattr(compact_samples, "_ROWS", 50)
    assert series.values(placed).sort(order).equals(whole)


def test_without_samples_there_are_no_pieces() -> None:
    empty = _evidence(_samples("db-1", "mysql.Questions")).clear()
    assert list(compact_samples.by_series(empty)) == []
    assert series.values(empty).is_empty()


def test_a_counter_of_two_sources_anchors_whatever_else_one_of_them_has() -> None:
    # one clock is ten seconds ahead; counters that only one source has are left aside
    ahead = _samples("db-1", "mysql.Questions").with_columns(pl.col("wall_us") + 10 * _S)
    placed = _evidence(_samples("db-1", "mysql.Questions", "mysql.Com_select"), ahead)
    sources = [Source(str(n) * 64, f"file-{n}", "db-1", "exact", rank=n) for n in range(2)]
    found = offsets(sources, {"sample": placed})
    assert found["1" * 64].seconds == pytest.approx(-10.0)
    assert set(found) == {"1" * 64}


_names = st.lists(st.none() | st.sampled_from(["b", "a", "", "é", "a1"]), max_size=30)


@given(_names, st.data())
def test_distinct_rows_are_those_of_unique(names: list[str | None], data: st.DataObject) -> None:
    other = data.draw(
        st.lists(st.none() | st.integers(0, 2), min_size=len(names), max_size=len(names))
    )
    text = pl.Series("text", names, dtype=pl.String)
    for column in (text, text.cast(pl.Categorical)):
        frame = pl.DataFrame([column, pl.Series("number", other, dtype=pl.Int64)])
        for few, not_many in ((200, 10_000), (0, 10_000), (0, 0)):
            with mock.patch.multiple(compact_samples, _FEW=few, _NOT_MANY=not_many):
                found = distinct(frame, "text", "number")
            assert found.equals(frame.unique(maintain_order=True))


@given(_names)
def test_ranks_sort_as_text_does(names: list[str | None]) -> None:
    texts = pl.Series("text", [name for name in names if name is not None], dtype=pl.String)
    frame = pl.DataFrame([texts, ranks(texts.cast(pl.Categorical)).alias("rank")])
    assert frame.sort("rank")["text"].to_list() == sorted(texts.to_list())
