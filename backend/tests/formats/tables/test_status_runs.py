"""Status samples read many at a time are what they are line by line, damaged or not."""

from __future__ import annotations

import io
import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup import records
from pileup.formats.reading.text import Chunk, LineReader
from pileup.formats.tables import status
from pileup.formats.tables.meanings.status import StatusReader
from pileup.records import Item, Samples
from tests.formats.checks import parse_bytes, samples

ROWS = (("Aborted_clients", 4), ("Bytes_sent", 9_000_000), ("Threads_running", 31))


def _box(sample: int, *, text: str = "ON", width: int = 12) -> list[str]:
    rows = [(name, str(start + sample * 7)) for name, start in ROWS]
    rows += [("Compression", text), ("Uptime", str(100 + sample))]
    rule = f"+{'-' * 17}+{'-' * (width + 2)}+"
    table = [f"| {name:<15} | {value:<{width}} |" for name, value in rows]
    return [rule, f"| {'Variable_name':<15} | {'Value':<{width}} |", rule, *table, rule, ""]


def _boxes(count: int) -> list[str]:
    return [line for sample in range(count) for line in _box(sample)]


def _tabs(count: int, *, header: bool = True) -> list[str]:
    lines = []
    for sample in range(count):
        lines += ["Variable_name\tValue"] if header else []
        lines += [f"{name}\t{start + sample * 7}" for name, start in ROWS]
        lines += ["Compression\tOFF", f"Uptime\t{100 + sample}"]
    return lines


def _relative(count: int) -> list[str]:
    lines = _box(0)
    for sample in range(1, count):
        rule = f"+{'-' * 17}+{'-' * 12}+"
        rows = [("Aborted_clients", 0), ("Bytes_sent", 1000 + sample), ("Threads_running", -1)]
        table = [f"| {name:<15} | {step:>10}|" for name, step in [*rows, ("Compression", 0)]]
        lines += [rule, "| Variable_name   | Value      |", rule, *table]
        lines += [f"| {'Uptime':<15} | {1:>10}|", rule, ""]
    return lines


def _restart(count: int) -> list[str]:
    return [*_boxes(count), *_boxes(count)]


def _multi_line(count: int) -> list[str]:
    """8.0 prints a key over several lines of its cell."""
    lines = _boxes(count)
    at = [n for n, line in enumerate(lines) if line.startswith("| Uptime")]
    for n in reversed(at):
        lines[n:n] = ["| Rsa_public_key  | -----BEGIN", "MIIB", "-----END---- |"]
    return lines


REGULAR = {
    "box": _boxes(40),
    "tab": _tabs(40),
    "tab without header": _tabs(40, header=False),
    "relative": _relative(40),
    "restart": _restart(20),
    "value over lines": _multi_line(40),
    "with TS": [line for n in range(30) for line in (f"TS {1795213432 + n}.5", *_box(n))],
}


def by_line(lines: list[str]) -> list[Item]:
    reader = StatusReader()
    items = [item for n, line in enumerate(lines, start=1) for item in reader.line(n, line)]
    return [*items, *reader.finish()]


def by_chunk(lines: list[str], size: int) -> list[Item]:
    chunks = [
        Chunk(at + 1, "".join(f"{line}\n" for line in lines[at : at + size]), size)
        for at in range(0, len(lines), size)
    ]
    return list(status.parse_chunks(chunks))


def agree(lines: list[str], size: int) -> None:
    first, other = by_line(lines), by_chunk(lines, size)
    assert_frame_equal(values(first), values(other))
    assert rest(first) == rest(other)


def values(items: list[Item]) -> pl.DataFrame:
    frames = [records.samples_frame([i]) for i in items if isinstance(i, Samples)]
    frames += [item.frame for item in items if isinstance(item, records.Rows)]
    frames += [frame for i in items if isinstance(i, records.Grid) for frame in i.frames(100)]
    return pl.concat([pl.DataFrame(schema=records.frame_schema(records.SAMPLE)), *frames]).sort(
        "line_first", "series"
    )


def rest(items: list[Item]) -> list[str]:
    return sorted(
        repr(i) for i in items if not isinstance(i, Samples | records.Rows | records.Grid)
    )


@pytest.mark.parametrize("size", [1, 7, 50, 100_000])
@pytest.mark.parametrize("name", REGULAR)
def test_runs_are_what_lines_are(name: str, size: int) -> None:
    agree(REGULAR[name], size)


def test_most_samples_are_read_in_runs() -> None:
    for name in ("box", "tab", "tab without header", "relative", "value over lines"):
        items = by_chunk(REGULAR[name], 100_000)
        rows = sum(len(item.values) for item in items if isinstance(item, records.Grid))
        assert rows >= 0.8 * values(items).height, name


@pytest.mark.seeds(20, 60)
def test_damage_changes_nothing_between_the_two(seed: int) -> None:
    """Lines lost, doubled, cut, exchanged, overwritten, at random places of every form."""
    dice = random.Random(seed)
    lines = list(REGULAR[dice.choice(sorted(REGULAR))])
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(lines))
        match dice.randrange(8):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[at])
            case 2:
                lines[at] = lines[at][: dice.randint(0, len(lines[at]))]
            case 3:
                other = dice.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 4:
                lines[at] = lines[at].replace("1", "x", 1)
            case 5:
                lines[at] = lines[at].replace("  ", "\N{LATIN SMALL LETTER E WITH ACUTE}\u3000", 1)
            case 6:
                lines.insert(at, dice.choice(["", "| 17 |", "17", "| Uptime", "TS 1795213432.1"]))
            case 7:
                lines[at] = lines[at].replace("0", "99999999999999999999", 1)
    agree(lines, dice.choice([3, 64, 10_000]))


@pytest.mark.parametrize("path", samples("status"), ids=lambda path: path.stem)
def test_every_sample_and_two_of_it_interleaved(path) -> None:
    with io.BytesIO(path.read_bytes()) as stream:
        lines = list(LineReader(stream))
    for text in (
        lines,
        lines * 5,
        [line for pair in zip(lines, lines[5:], strict=False) for line in pair],
    ):
        agree(text, 100)


@pytest.mark.parametrize("uptime", [str(2**64 - 1), "-5", "99999999999999999999"])
def test_an_uptime_that_no_server_has_moves_no_time(uptime: str) -> None:
    lines = _tabs(12, header=False)
    at = [line for line, text in enumerate(lines) if text.startswith("Uptime")][6]
    lines[at] = f"Uptime\t{uptime}"
    frame = parse_bytes("\n".join(lines).encode(), "x", status.NAME).frames[records.SAMPLE]
    seconds = frame["wall_us"].unique().sort().to_list()
    assert seconds == [second * 1_000_000 for second in range(12)]
