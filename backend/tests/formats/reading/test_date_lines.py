"""A line that is a date, in the order and language of any locale."""

from __future__ import annotations

import pytest

from pileup.formats.reading.date_lines import read_date_line

SAME = (
    "Mon Nov 23 07:24:47 UTC 2026",
    "Mo 23. Nov 07:24:47 CET 2026",
    "Mo 23. Nov 2026 07:24:47 CET",
    "lun. 23 nov. 2026 07:24:47 CET",
    "lunedì 23 novembre 2026, 07:24:47",
    "lun 23 nov 2026, 07:24:47, UTC",
    "2026年 11月 23日 月曜日 07:24:47 JST",
    "2026年 11月 23日 星期一 07:24:47 CST",
    "2026. 11. 23. (월) 07:24:47 KST",
    "西元2026年11月23日 (週一) 07時24分47秒 CST",
    "Пн 23 ноя 2026 07:24:47 MSK",
    "pon, 23 lis 2026, 07:24:47 CET",
    "2026. nov. 23., hétfő, 07:24:47 CET",
    "# 2026-11-23T07:24:47Z",
    "===== 2026-11-23 07:24:47 =====",
    "--- db-1 Mon Nov 23 07:24:47 UTC 2026 ---",
    "Date: Mon, 23 Nov 2026 07:24:47 +0000",
    "[2026-11-23 07:24:47] sample 12",
    "23/11/2026 07:24:47",
    "1795418687",
)
ZONES = {"CET": 1, "MSK": 3, "JST": 9, "KST": 9}
NONE = (
    "select * from t where a > '2026-11-23 07:24:47'",
    "2026-11-23 07:24:47 140 [Note] InnoDB: Starting shutdown now and we will wait for it",
    "03/04/2026 07:24:47",
    "Threads: 3  Uptime: 1795418687",
    "11\tapp\t2026-11-23 07:24:47",
    "",
)


@pytest.mark.parametrize("text", SAME)
def test_one_moment_in_every_spelling(text: str) -> None:
    line = read_date_line(text)
    assert line is not None
    assert line.printed == "2026-11-23 07:24:47"
    hours = next((hours for zone, hours in ZONES.items() if zone in text), 0)
    assert line.wall_us == 1_795_418_687_000_000 - hours * 3_600_000_000


@pytest.mark.parametrize("text", NONE)
def test_a_text_that_holds_a_date_is_no_date(text: str) -> None:
    assert read_date_line(text) is None


def test_a_day_of_one_digit_is_padded_with_a_blank() -> None:
    line = read_date_line("2026年  5月  1日 金曜日 07:24:47 JST")
    assert line is not None
    assert line.printed == "2026-05-01 07:24:47"


def test_an_offset_makes_the_time_absolute() -> None:
    line = read_date_line("lundi 23 novembre 2026, 07:24:47 (UTC+0100)")
    assert line is not None
    assert (line.clock, line.wall_us) == ("utc", 1_795_415_087_000_000)
    half = read_date_line("Mon 23 Nov 2026 07:24:47 PM PST")
    assert half is not None
    assert (half.clock, half.printed) == ("utc", "2026-11-23 19:24:47")
    assert half.wall_us == 1_795_490_687_000_000


@pytest.mark.parametrize("zone", ["CST", "IST", "BST", "DB", "LXT"])
def test_a_zone_of_several_countries_leaves_the_time_local(zone: str) -> None:
    line = read_date_line(f"Mon Nov 23 07:24:47 {zone} 2026")
    assert line is not None
    assert (line.clock, line.wall_us) == ("local", 1_795_418_687_000_000)
