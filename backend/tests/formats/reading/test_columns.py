"""Cells of a line read together are what they are one by one."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup import records
from pileup.formats.reading.series_columns import Columns, Header, number

CELLS = (
    "0", "12", "-6", "3.25", "1e5", "45%", "0,5", "1,000,000", "1_0", "nan", "inf", "-inf", "",
    "x", "--", "+7", ".5", "5.", "1e999", "99999999999999999999", "\N{ARABIC-INDIC DIGIT THREE}",
    " 8", "0x10", "12.5%",
)  # fmt: skip


def test_cells_of_every_kind() -> None:
    header = Header((f"x.c{at}", "gauge", "%" if at % 2 else None) for at in range(len(CELLS)))
    together, single = Columns(), Columns()
    for line in range(1, 5):
        labels = (("device", f"sd{'ab'[line % 2]}"),)
        wall = None if line == 3 else line * 1_000_000
        together.row(header, CELLS, wall=wall, clock="local", line=line, labels=labels)
        for (name, kind, unit), cell in zip(header.series, CELLS, strict=True):
            single.add(
                name,
                number(cell),
                wall=wall,
                clock="local",
                line=line,
                kind=kind,
                unit=unit,
                labels=labels,
            )
    assert_frame_equal(_frame(together), _frame(single))


def test_a_line_of_another_width_is_an_error_of_ours() -> None:
    with pytest.raises(ValueError, match="2 cells for 1 series"):
        Columns().row(Header([("x", "gauge", None)]), ["1", "2"], wall=0, clock="utc", line=1)


def _frame(found: Columns) -> pl.DataFrame:
    frames = [
        pl.concat(frame.frames(100))
        if isinstance(frame, records.Grid)
        else records.samples_frame([frame])
        for frame in found.flush()
    ]
    return pl.concat(frames).sort("line_first", "series")
