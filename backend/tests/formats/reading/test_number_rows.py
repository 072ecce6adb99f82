"""Rows of numbers read together are what they are one by one."""

from __future__ import annotations

import random
from unittest import mock

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pileup.formats.machine import diskstats, iostat, mpstat, vmstat
from pileup.formats.reading import number_rows
from tests.formats.checks import parse_bytes

_HEADS = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
)
VMSTAT = "".join(
    (_HEADS if n % 11 == 0 else "")
    + f"{n % 7:2} {0:2} {0:6} {n * 99_991:6} {n:6} {n:6} {0:4} {0:4} {n:5} {n:5} {n:4} {n * 7:4}"
    + f" {n % 9:2} {1:2} {n % 90:2} {0:2} {0:2}\n"
    for n in range(80)
)
DISKSTATS = "".join(
    f"TS 17951760{n:02}.0050{n % 10} 2026-11-20 12:00:{n:02}\n"
    f"   7       0 loop0 {'0 ' * 16}0\n"
    f" 254       0 vda {' '.join(str(n * (at + 3)) for at in range(17))}\n"
    f" 254      16 nvme0n1p{n % 3} {' '.join(str(n * 7 + at) for at in range(17))}\n"
    f"   8       0 sda {' '.join(str(max(0, n - 30)) for at in range(17))}\n"
    for n in range(60)
)
IOSTAT = "Linux 6.18.44 (db-1) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n" + "".join(
    "Device            r/s     rkB/s   r_await  aqu-sz  %util\n"
    + "".join(
        f"{device:<12}{n / 4:8.2f}{n * 7:10.2f}{n % 7:10.2f}{n:8.2f}{n % 100:7.2f}\n"
        for device in ("vda", "vdb", *(["nvme0n1"] if n % 9 else []))
    )
    + "\n\n"
    for n in range(60)
)
IOSTAT_T = "".join(
    f"11/20/26 12:{n // 60:02}:{n % 60:02}\n"
    "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
    f"          {n % 60:5.2f}    0.00   {n % 9}.00    1.00    0.00   {n % 30}.00\n\n"
    "Device            r/s     rkB/s   r_await  aqu-sz  %util\n"
    f"vda         {n / 4:8.2f}{n * 7:10.2f}{n % 7:10.2f}{n:8.2f}{n % 100:7.2f}\n"
    f"vdb         {n / 3:8.2f}{n * 9:10.2f}{n % 7:10.2f}{n:8.2f}{n % 100:7.2f}\n\n"
    for n in range(90)
)
MPSTAT = "Linux 6.18.44 (db-1) \t11/20/26 \t_x86_64_\t(2 CPU)\n\n" + "".join(
    f"{11 + n // 60}:{n % 60:02}:58 {'AP'[n // 60]}M     CPU    %usr   %nice  %iowait   %idle\n"
    + "".join(
        f"{11 + n // 60}:{n % 60:02}:59 {'AP'[n // 60]}M  {cpu:>6} {n % 60:7.2f}"
        f"    0.00     {n % 9}.50   {n % 30}.00\n"
        for cpu in ("all", "0", "1")
    )
    + "\n"
    for n in range(80)
)
FORMS = {
    "vmstat": (vmstat, VMSTAT),
    "diskstats": (diskstats, DISKSTATS),
    "iostat": (iostat, IOSTAT),
    "iostat -t": (iostat, IOSTAT_T),
    "mpstat": (mpstat, MPSTAT),
    "mpstat, 24 hours": (mpstat, MPSTAT.replace(" AM", "").replace(" PM", "")),
}
WORDS = (
    "", "0", "00", "-1", "+5", "1.5", "1e5", "nan", "inf", "1_0", "45%", "0,5", "x", "9" * 25,
    "\N{ARABIC-INDIC DIGIT THREE}", "3\t4", "a\xa0b", "TS", "\N{SNOWMAN}da", '"7"', "7\r",
)  # fmt: skip


def agree(name: str, text: str) -> None:
    """The same comes of both ways, whatever is damaged."""
    first, together = read(name, text, rows=False), read(name, text, rows=True)
    assert first.keys() == together.keys()
    for kind, frame in first.items():
        assert_frame_equal(frame, together[kind])


def read(name: str, text: str, *, rows: bool) -> dict[str, pl.DataFrame]:
    module = FORMS[name][0]
    with mock.patch.object(module, "table", number_rows.table if rows else lambda *_: None):
        parsed = parse_bytes(text.encode(), format_name=module.NAME)
    assert not parsed.crashed, parsed.failed
    said = [repr(item) for item in (*parsed.problems, parsed.receipt)]
    return {**parsed.frames, "said": pl.DataFrame(said)}


@pytest.mark.parametrize("name", FORMS)
def test_rows_are_what_lines_are(name: str) -> None:
    agree(name, FORMS[name][1])


@pytest.mark.parametrize("name", FORMS)
def test_plain_rows_are_read_together(name: str) -> None:
    module, text = FORMS[name]
    calls = []
    by_line = module._Reader.line

    def counted(self: object, number: int, line: str) -> object:
        calls.append(number)
        return by_line(self, number, line)

    with mock.patch.object(module._Reader, "line", counted):
        assert read(name, text, rows=True)["sample"].height > 600
    assert len(calls) < text.count("\n") * (0.6 if name == "iostat -t" else 0.1)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.seeds(4, 12)
@pytest.mark.dealt(2)
def test_damage_changes_nothing_between_the_two(name: str, seed: int) -> None:
    """Cells lost, doubled and strange; lines cut, blank, doubled and of another sample."""
    dice = random.Random(seed)
    lines = FORMS[name][1].split("\n")
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(lines))
        cells = lines[at].split(" ")
        match dice.randrange(6):
            case 0 | 1:
                cells[dice.randrange(len(cells))] = dice.choice(WORDS)
            case 2:
                cells.append(dice.choice(WORDS))
            case 3:
                cells.pop()
            case 4:
                cells = [dice.choice(WORDS)]
            case _:
                cells = lines[dice.randrange(len(lines))].split(" ")
        lines[at] = " ".join(cells)
    agree(name, "\n".join(lines))


def test_a_table_has_finite_numbers_and_plain_words() -> None:
    columns = [pl.String, pl.Float64, pl.Float64]

    def read_one(*lines: str) -> list[tuple[object, ...]] | None:
        cells = number_rows.table(pl.Series(lines), columns)
        return None if cells is None else cells.rows()

    assert read_one("  sda   1 2.5", "sdb" + " " * 20 + "-1 1e3  ") == [
        ("sda", 1.0, 2.5),
        ("sdb", -1.0, 1000.0),
    ]
    for odd in ("sda 1", "sda 1 2 3", "sda x 1", "sda 1 nan", "s\N{SNOWMAN} 1 2", "", "a\xa0b 1 2"):
        assert read_one("sda 1 2", odd) is None, odd
