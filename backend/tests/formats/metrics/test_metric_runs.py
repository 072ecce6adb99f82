"""Chunks of a metric CSV read as columns are what their rows are, one by one."""

from __future__ import annotations

import io
import random
from unittest import mock

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup.formats.metrics import metric_csv
from pileup.formats.metrics.parts import metric_csv_blocks
from pileup.formats.reading import blocks
from pileup.formats.reading.text import LineReader, make_chunks
from pileup.records import Grid
from tests.formats.checks import parse_bytes, samples

WIDE = "time,a,b,c\n" + "".join(
    f"2026-11-20T12:00:{n:02d}Z,{n}.5,{'' if n % 7 == 3 else n * 1000},-{n}\n" for n in range(60)
)
LONG = "time;host;metric;value;shard\n" + "".join(
    f"2026-11-20 12:00:{n:02d};db-{n % 3};m{n % 5};{n / 8};{'' if n % 4 else 's1'}\n"
    for n in range(60)
)
SCRAPES = "time,host,metric,value\n" + "".join(
    f"2026-11-20 12:00:{n:02d},db-{at % 3}, m{at % 5} ,{n * at / 8}\n"
    for n in range(30)
    for at in range(7)
)
FORMS = {
    "wide": WIDE,
    "wide, tabs": WIDE.replace(",", "\t"),
    "a column that is empty": WIDE.replace(",-", ",,").replace("c\n", "c,d\n"),
    "a column that begins late": "\n".join(
        line if n == 0 or n > 30 else line.rpartition(",")[0] + ","
        for n, line in enumerate(WIDE.split("\n")[:-1])
    )
    + "\n",
    "long": LONG,
    "long, commas": LONG.replace(";", ","),
    "long, the same series at each moment": SCRAPES,
    "long, a series goes and one comes": SCRAPES.replace(
        "12:00:09,db-1, m1 ,", "12:00:09,db-9, m9 ,"
    ),
    "long, one without a name": SCRAPES.replace(", m1 ,", ",  ,"),
    "long, a moment twice": SCRAPES.replace("12:00:09", "12:00:08"),
}


def row_by_row(text: str) -> dict[str, pl.DataFrame]:
    with (
        mock.patch.object(metric_csv_blocks, "wide", return_value=None),
        mock.patch.object(metric_csv_blocks, "long", return_value=None),
    ):
        return read(text)


def read(text: str) -> dict[str, pl.DataFrame]:
    parsed = parse_bytes(text.encode(), format_name="metric-csv")
    assert not parsed.crashed, parsed.failed
    return {
        **parsed.frames,
        "problems": pl.DataFrame([repr(problem) for problem in parsed.problems]),
    }


def agree(text: str) -> None:
    first, other = row_by_row(text), read(text)
    assert first.keys() == other.keys()
    for kind, frame in first.items():
        assert_frame_equal(frame, other[kind])


@pytest.mark.parametrize("name", FORMS)
def test_columns_are_what_rows_are(name: str) -> None:
    agree(FORMS[name])


def test_plain_chunks_are_read_as_columns() -> None:
    for form in ("wide", "wide, tabs", "long", "long, commas"):
        with mock.patch(
            "pileup.formats.metrics.metric_csv._Reader.row", side_effect=AssertionError
        ):
            assert read(FORMS[form])["sample"].height >= 60, form


@pytest.mark.seeds(30, 100)
def test_damage_changes_nothing_between_the_two(seed: int) -> None:
    """Cells lost, doubled, quoted, with units, words and strange numbers; lines cut and blank."""
    dice = random.Random(seed)
    lines = FORMS[dice.choice(sorted(FORMS))].split("\n")
    words = ("", "null", "NaN", "1_0", "45%", "1.2 K", "1e5", "inf", '"3"', " 4 ", "1-2", "9" * 80)
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(1, len(lines))
        delimiter = next((d for d in ",;\t" if d in lines[0]), ",")
        cells = lines[at].split(delimiter)
        match dice.randrange(5):
            case 0:
                cells[dice.randrange(len(cells))] = dice.choice(words)
            case 1:
                cells.append(dice.choice(words))
            case 2:
                cells.pop()
            case 3:
                cells = ["" if dice.random() < 0.5 else "2026-11-20 12:00:00"]
            case 4:
                cells[-1] = "\N{ARABIC-INDIC DIGIT THREE}"
        lines[at] = delimiter.join(cells)
    agree("\n".join(lines))


def test_the_same_series_at_each_moment_are_a_matrix() -> None:
    reader = LineReader(io.BytesIO(SCRAPES.encode()))
    with mock.patch.object(blocks, "BLOCK_BYTES", 1000):
        items = list(metric_csv.parse_chunks(reader.chunks()))
    grids = [item for item in items if isinstance(item, Grid)]
    assert sum(len(grid.values) for grid in grids) > 150
    assert len({id(grid.series) for grid in grids}) == 1
    agree(SCRAPES)


def test_series_that_every_moment_has_are_known_by_their_text() -> None:
    with mock.patch.object(blocks, "BLOCK_BYTES", 1000):
        with mock.patch.object(
            metric_csv_blocks, "long", side_effect=metric_csv_blocks.long
        ) as read_anew:
            read(SCRAPES)
        assert read_anew.call_count <= 2
        assert_frame_equal(read(SCRAPES)["sample"], row_by_row(SCRAPES)["sample"])


@pytest.mark.seeds(15, 40)
def test_damage_among_known_series(seed: int) -> None:
    dice = random.Random(seed)
    lines = SCRAPES.split("\n")
    at = dice.randrange(20, len(lines) - 1)
    cells = lines[at].split(",")
    place = dice.randrange(len(cells))
    odd = ("", "1_0", "45%", " 4 ", '"3"', "inf", "9" * 80, "x,y", "2026-11-20 12:00:40")
    cells[place] = dice.choice((*odd, cells[place] + "0", lines[at - 1].split(",")[place]))
    lines[at] = ",".join(cells)
    if dice.random() < 0.3:
        del lines[dice.randrange(20, len(lines))]
    text = "\n".join(lines)
    with mock.patch.object(blocks, "BLOCK_BYTES", 1000):
        agree(text)


@pytest.mark.parametrize("time", [0, 1])
@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_chunks_end_where_the_moment_changes(size: int, time: int) -> None:
    cells = ("1,a", "1,b", "2,a", "2,b", "2,c", "", "x", "2,a", "3,a", "3,b")
    lines = [line if time == 0 else f"n,{line}" for line in cells]
    chunks = list(metric_csv_blocks.at_moments(make_chunks(lines, size), ",", time))
    assert "".join(chunk.text for chunk in chunks) == "".join(f"{line}\n" for line in lines)
    first = 1
    for chunk in chunks:
        assert (chunk.first, chunk.lines) == (first, chunk.text.count("\n"))
        first += chunk.lines


@pytest.mark.parametrize("path", samples("metric-csv"), ids=lambda path: path.stem)
def test_every_sample(path) -> None:
    agree(path.read_text(errors="replace"))


def test_ten_thousand_columns_are_recognised_by_their_header() -> None:
    """The header alone is longer than the head that formats look at."""
    names = ",".join(f"db-{n % 100:02d}.some_counter_{n}" for n in range(10_000))
    row = ",".join(str(n % 977) for n in range(10_000))
    text = f"time,{names}\n" + "".join(f"2026-11-20T12:00:{n:02d}Z,{row}\n" for n in range(3))
    parsed = parse_bytes(text.encode())
    assert parsed.format == "metric-csv"
    assert parsed.receipt.records == {"sample": 30_000}
    last = parsed.frames["sample"].row(-1, named=True)
    assert (last["series"], last["value"], last["line_first"]) == (
        "metric.db-99.some_counter_9999",
        229.0,
        4,
    )
