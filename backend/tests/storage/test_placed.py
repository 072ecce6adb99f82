"""Placed samples lie in files by series; long series are summed up beside them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pileup.analysis.evidence.downsample import LONG
from pileup.analysis.evidence.evidence import Evidence
from pileup.storage.files import placed_evidence
from pileup.storage.files.placed_evidence import PlacedStore

SECOND = 1_000_000


def samples(series: str, values: list[float], kind: str = "gauge") -> pl.DataFrame:
    count = len(values)
    return pl.DataFrame(
        {
            "id": [series] * count,
            "series": [series] * count,
            "labels": [""] * count,
            "kind": [kind] * count,
            "unit": pl.Series([None] * count, dtype=pl.String),
            "host": ["db-1"] * count,
            "artifact": ["a" * 64] * count,
            "time": [at * SECOND for at in range(count)],
            "value": values,
            "line_first": list(range(count)),
        }
    )


def stored(root: Path, *frames: pl.DataFrame) -> PlacedStore:
    store = PlacedStore(root)
    store.replace("one", Evidence((), {"sample": pl.concat(frames)}, {}))
    return store


def test_each_series_is_found_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five files of two series each: any choice of series reads as from one file."""
    monkeypatch.setattr(placed_evidence, "_PART_ROWS", 20)
    monkeypatch.setattr("pileup.analysis.evidence.compact_samples._ROWS", 10)
    names = [f"s{number:02d}" for number in range(10)]
    store = stored(tmp_path, *(samples(name, [float(n)] * 10) for n, name in enumerate(names)))
    assert len(list(tmp_path.glob("one/*/sample*.parquet"))) == 5
    for wanted in (names, ["s00"], ["s09"], ["s03", "s08"], ["nothing", "s04"]):
        found = store.samples("one", wanted)
        assert set(found["id"]) == set(wanted) & set(names)
        assert found.height == 10 * len(set(wanted) & set(names))
    everything = store.load("one", ["sample"])
    assert everything is not None
    assert everything.frames["sample"].height == 100


def test_a_window_reads_what_is_inside(tmp_path: Path) -> None:
    """Both ends belong to it."""
    store = stored(tmp_path, samples("s", [float(n) for n in range(100)]))
    found = store.samples("one", ["s"], 10 * SECOND, 12 * SECOND)
    assert found["value"].to_list() == [10, 11, 12]


def test_a_long_series_is_summed_up_with_its_extremes(tmp_path: Path) -> None:
    """One spike in many samples stays; a short series is not summed up."""
    values = [1.0] * (LONG + 100)
    values[5000] = 300.0
    store = stored(tmp_path, samples("long", values), samples("short", [1.0] * 100))
    sums = store.long_series("one", ["long", "short"])
    assert set(sums["id"]) == {"long"}
    assert sums["max"].max() == 300
    assert sums["n"].sum() == len(values)
    assert sums.height == -(-len(values) // 64)


def test_a_long_counter_is_summed_up_as_rates(tmp_path: Path) -> None:
    """Seven a second, however far it counted."""
    store = stored(tmp_path, samples("c", [7.0 * n for n in range(LONG + 1)], kind="counter"))
    sums = store.long_series("one", ["c"])
    assert sums["min"].min() == sums["max"].max() == 7
