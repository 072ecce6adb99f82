"""Letters of the world: width, direction, and whether the report's fonts have them."""

from __future__ import annotations

import pytest

from pileup.report.render.column_widths import column_letters
from pileup.report.render.scripts import is_rtl, short, unseen, width, wrapped
from pileup.report.text.tables import table

CHINESE = "结账服务停顿了五十五秒"
JAPANESE = "トランザクションの放置です"
ARABIC = "توقفت خدمة الدفع"


@pytest.mark.parametrize(
    ("text", "most", "said"),
    [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), (CHINESE, 9, "结账服务…"), ("", 4, "")],
)
def test_a_text_is_cut_by_its_width(text: str, most: int, said: str) -> None:
    assert short(text, most) == said
    assert width(said) <= most


def test_a_text_is_wrapped_at_blanks_else_anywhere() -> None:
    assert wrapped("a session holds the row", 12, 3) == ["a session", "holds the", "row"]
    assert wrapped("a session holds the row", 12, 2) == ["a session", "holds the r…"]
    assert wrapped("x" * 20, 8, 3) == ["x" * 8, "x" * 8, "xxxx"]
    assert wrapped(CHINESE, 10, 3) == ["结账服务停", "顿了五十五", "秒"]
    assert wrapped("", 8, 2) == [""]


def test_arabic_runs_from_right_to_left() -> None:
    assert is_rtl(f"1. {ARABIC} abc")
    assert not is_rtl(f"abc {ARABIC}")


def test_letters_without_a_font_are_counted_by_script() -> None:
    assert unseen([CHINESE, JAPANESE, ARABIC, "Größe ≥ 5 µs → 7 × Ж"]) == []
    assert unseen(["ไทย", "ab"]) == [("Thai", 3)]


def test_columns_share_the_line_by_what_they_hold() -> None:
    rows = [["2026-11-20 22:19:52 UTC", "word " * 60, "7"], ["", "short", "12 345"]]
    shares = column_letters(table(["time", "what", "n"], rows, None, ""), 96)
    assert [is_short for _, is_short in shares] == [True, False, True]
    assert sum(n for n, _ in shares) == pytest.approx(96)
    assert column_letters(table(["a", "b"], [["x", "yy"]], None, ""), 40) == [
        (1, True),
        (39, False),
    ]
    assert column_letters(table([], [], None, ""), 40) == []
