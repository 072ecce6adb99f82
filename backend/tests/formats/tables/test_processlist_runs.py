"""Sessions read many rows at a time are what they are line by line, damaged or not."""

from __future__ import annotations

import io
import random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup import records
from pileup.formats.reading.text import Chunk, LineReader
from pileup.formats.tables.layouts.blocks import TabRows
from pileup.formats.tables.layouts.reader import read
from pileup.formats.tables.meanings import reader
from pileup.formats.tables.meanings.registry import is_known
from pileup.records import Item, Rows, Session
from tests.formats.checks import samples

STATES = ("", "Updating", "Waiting for table metadata lock", "User sleep")
QUERIES = ("NULL", "UPDATE t SET a=1 WHERE id=7", "SELECT 'é ü', \N{SNOWMAN}", "select 1 /* | */")


def _sessions(listing: int, count: int) -> list[tuple[str, ...]]:
    return [
        (
            str(4711 + n),
            "app",
            f"10.0.0.{n % 9}:5{n:04d}",
            "NULL" if n % 5 == 0 else "shop",
            ("Sleep", "Query", "Execute", "Daemon")[(n + listing) % 4],
            str((n * 7 + listing) % 61),
            STATES[(n + listing) % len(STATES)],
            QUERIES[n % len(QUERIES)],
        )
        for n in range(count)
    ]


def _vertical(*, ts: bool = False, progress: bool = False) -> list[str]:
    keys = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
    width = 8 if progress else 7
    lines = []
    for listing in range(4):
        lines += [f"TS {1795213432 + listing}.004 2026-11-20 22:23:5{listing}"] if ts else []
        for n, cells in enumerate(_sessions(listing, 12), start=1):
            lines.append(f"{'*' * 27} {n}. row {'*' * 27}")
            lines += [f"{key:>{width}}: {cell}" for key, cell in zip(keys, cells, strict=True)]
            lines += ["Progress: 0.000"] if progress else []
    return lines


def _over_lines() -> list[str]:
    """A statement over several lines in every third row, one with a row line in it."""
    lines = _vertical()
    for at in reversed([n for n, line in enumerate(lines) if "UPDATE t" in line]):
        lines[at + 1 : at + 1] = ["  AND b=2", f"{'*' * 27} 3. row {'*' * 27}", "", "  -- end"]
    return lines


def _box() -> list[str]:
    head = ("Id", "User", "Host", "db", "Command", "Time", "State", "Info")
    lines = []
    for listing in range(4):
        table = [head, *_sessions(listing, 12)]
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        rule = "+" + "+".join("-" * (width + 2) for width in widths) + "+"
        rows = [
            "| " + " | ".join(f"{c:<{w}}" for c, w in zip(cells, widths, strict=True)) + " |"
            for cells in table
        ]
        lines += [rule, rows[0], rule, *rows[1:], rule, "12 rows in set (0.00 sec)", ""]
    return lines


def _tab(*, ts: bool = False) -> list[str]:
    lines = []
    for listing in range(4):
        if ts:
            lines.append(f"TS 14780400{listing:02d}.004 2016-11-01 22:40:{listing:02d}")
        lines.append("Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\tProgress")
        lines += ["\t".join((*cells, "0.000")) for cells in _sessions(listing, 12)]
    lines[5] = lines[5].replace("NULL", r"a\nb\tc", 1)
    return lines


def _tab_of_percona() -> list[str]:
    """Milliseconds that agree with the seconds, that do not, and none; and thread ids."""
    lines = []
    for listing in range(4):
        lines.append("Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\tTime_ms\tTID")
        for n, cells in enumerate(_sessions(listing, 12)):
            ms = (f"{cells[5]}250", "7.5", "NULL", f"{cells[5]}999.25")[n % 4]
            lines.append("\t".join((*cells, ms, ("0", "NULL", "3571")[n % 3])))
    return lines


def _mixed() -> list[str]:
    """Layouts and columns change; times are below zero, padded or missing."""
    box = [line.replace("| Query   | 7 ", "| Query   | -7") for line in _box()]
    tabs = [line.replace("\tQuery\t", "\tQuery\t ") for line in _tab()]
    without = [line.replace(": 14", ": NULL") for line in _vertical()]
    return [*_box(), *_tab(), *box, *_vertical(), *_tab_of_percona(), *tabs, *without, *_box()]


REGULAR = {
    "all in one file": _mixed(),
    "vertical": _vertical(),
    "vertical with TS": _vertical(ts=True),
    "vertical of MariaDB": _vertical(progress=True),
    "statements over lines": _over_lines(),
    "box": _box(),
    "tab": _tab(),
    "tab with TS": _tab(ts=True),
    "tab of Percona": _tab_of_percona(),
}


def by_line(lines: list[str]) -> list[Item]:
    tables = reader.TableReader(each_time_answers=True)
    items = [item for part in read(lines, is_known=is_known) for item in tables.part(part)]
    return [*items, *tables.end()]


def by_chunk(lines: list[str], size: int) -> list[Item]:
    chunks = [
        Chunk(at + 1, "".join(f"{line}\n" for line in part), len(part))
        for at in range(0, len(lines), size)
        if (part := lines[at : at + size])
    ]
    return list(reader.parse_chunks(chunks, each_time_answers=True))


def sessions(items: list[Item]) -> pl.DataFrame:
    frames = [records.records_frame("session", [i]) for i in items if isinstance(i, Session)]
    frames += [item.frame for item in items if isinstance(item, Rows)]
    return pl.concat([pl.DataFrame(schema=records.frame_schema("session")), *frames]).sort(
        "line_first"
    )


def agree(lines: list[str], size: int) -> None:
    first, other = by_line(lines), by_chunk(lines, size)
    assert_frame_equal(sessions(first), sessions(other))
    assert rest(first) == rest(other)


def rest(items: list[Item]) -> list[str]:
    return [repr(item) for item in items if not isinstance(item, Session | Rows)]


@pytest.mark.parametrize("size", [1, 7, 50, 100_000])
@pytest.mark.parametrize("name", REGULAR)
def test_runs_are_what_lines_are(name: str, size: int) -> None:
    agree(REGULAR[name], size)


def test_most_rows_are_read_in_runs() -> None:
    for name, lines in REGULAR.items():
        items = by_chunk(lines, 100_000)
        rows = sum(item.frame.height for item in items if isinstance(item, Rows))
        assert rows >= (0.4 if name == "statements over lines" else 0.9) * 48, name


def test_plain_rows_are_found_without_a_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the next header all lines are rows: that is checked when they are converted."""
    known = by_chunk(_tab(), 100_000)

    def never(*_: object) -> None:
        raise AssertionError("each row is matched")

    monkeypatch.setattr(TabRows, "_segment", never)
    found = by_chunk(_tab(), 100_000)
    assert [type(item) for item in found] == [type(item) for item in known]


@pytest.mark.seeds(20, 80)
def test_damage_changes_nothing_between_the_two(seed: int) -> None:
    """Lines lost, doubled, cut, exchanged, overwritten, at random places of every form."""
    dice = random.Random(seed)
    lines = list(REGULAR[dice.choice(sorted(REGULAR))])
    strays = ("", "x", "TS 1795213432.1", "TS 12", f"{'*' * 27} 1. row {'*' * 27}", "3 rows in set")
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(lines))
        match dice.randrange(7):
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
                lines[at] = lines[at].replace("4", "\N{REPLACEMENT CHARACTER}", 1)
            case 5:
                lines.insert(at, dice.choice(strays))
            case 6:
                lines[at] = lines[at].replace(" ", "\N{LATIN SMALL LETTER E WITH ACUTE}\u2028", 1)
    agree(lines, dice.choice([3, 64, 10_000]))


@pytest.mark.parametrize("path", samples("processlist"), ids=lambda path: path.stem)
def test_every_sample_and_two_of_it_interleaved(path) -> None:
    with io.BytesIO(path.read_bytes()) as stream:
        lines = list(LineReader(stream))
    mixed = [line for pair in zip(lines, lines[5:], strict=False) for line in pair]
    for text in (lines, lines * 5, mixed):
        agree(text, 100)


def test_tab_rows_of_all_listings_are_converted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past headers and TS lines, without the search row by row."""
    monkeypatch.setattr(TabRows, "_segment", lambda *_: pytest.fail("row by row"))
    listing = "Id\tUser\tTime\n" + "".join(f"{n}\tapp\t{n}\n" for n in range(40))
    text = "".join(f"TS 17000000{n:02}.5\n{listing}" for n in range(10, 14))
    rows, at = TabRows(("Id", "User", "Time"), lambda _: False), 0
    for _ in range(4):
        at = text.index("Time\n", at) + len("Time\n")
        cells = rows.read(text, at)
        assert cells is not None
        assert cells.frame.rows() == [(str(n), "app", str(n)) for n in range(40)]
