"""One table of results, pasted in any layout, gives the same runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pileup.storage.errors import Refused
from pileup.views.reasoning.result_table import (
    cells_of,
    guessed_columns,
    guessed_failures,
    read_number,
    runs_of,
)

WORDS = st.text("abcdefgh", min_size=1, max_size=6)
ROWS = st.lists(
    st.tuples(WORDS, st.integers(1, 9999), st.floats(0, 1e6).map(lambda v: round(v, 2))),
    min_size=1,
    max_size=6,
)


def markdown(rows: list[list[str]]) -> str:
    head, *body = rows
    rule = ["---" for _ in head]
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, rule, *body))


def box(rows: list[list[str]]) -> str:
    rule = "+" + "+".join("-" * 12 for _ in rows[0]) + "+"
    lines = ["| " + " | ".join(cell.ljust(10) for cell in row) + " |" for row in rows]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


def aligned(rows: list[list[str]]) -> str:
    return "\n".join("  ".join(cell.rjust(14) for cell in row) for row in rows)


LAYOUTS: dict[str, Callable[[list[list[str]]], str]] = {
    "markdown": markdown,
    "box": box,
    "aligned": aligned,
    "csv": lambda rows: "\n".join(",".join(row) for row in rows),
    "tabs": lambda rows: "\n".join("\t".join(row) for row in rows),
    "semicolons": lambda rows: "\n".join(";".join(row) for row in rows),
}


@settings(max_examples=40, deadline=None)
@given(rows=ROWS)
def test_every_layout_gives_the_same_runs(rows: list[tuple[str, int, float]]) -> None:
    table = [["build", "tables", "inserts (1/s)"], *([a, str(b), str(c)] for a, b, c in rows)]
    seen = set()
    for write in LAYOUTS.values():
        cells = cells_of(write(table))
        columns = guessed_columns(cells)
        runs, problems = runs_of(cells, columns, guessed_failures(cells, columns))
        assert problems == []
        seen.add(repr([(run.parameters, run.values) for run in runs]))
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ("90K", (90000, "")),
        ("90K/s", (90000, "/s")),
        ("102,481", (102481, "")),
        ("1,234.5 ms", (1234.5, "ms")),
        ("3,5 s", (3.5, "s")),
        ("25×", (25, "×")),
        ("~12 GB", (12, "GB")),
        ("**7**", (7, "")),
        ("1e-3", (0.001, "")),
        ("n/a", None),
        ("<5 ms", None),
        ("90K/50K", None),
        ("4-8", None),
        ("", None),
    ],
)
def test_numbers_as_people_write_them(cell: str, read: tuple[float, str] | None) -> None:
    """What is no single number is none: '<5' is not 5."""
    assert read_number(cell) == read


@pytest.mark.parametrize("text", ["", "one line", "a sentence\nand another", "|x|\n|1|"])
def test_what_is_no_table_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        cells_of(text)


def test_a_row_of_another_width_is_reported() -> None:
    cells = cells_of("a,b\n1,2\n3\n4,5")
    assert (cells.rows, cells.lines) == ([["1", "2"], ["4", "5"]], [2, 4])
    assert cells.problems == ["Line 3 has 1 column and the heading 2: it is left out."]


AROUND: dict[str, Callable[[str], str]] = {
    "a sentence above": lambda text: f"Results of the night, with the old build:\n\n{text}\n",
    "sentences around": lambda text: f"Hi,\nthis is what I measured:\n\n{text}\n\nAny idea?\n",
    "a fence": lambda text: f"```\n{text}\n```\n",
    "a quote": lambda text: "\n".join(f"> {line}" for line in text.split("\n")),
    "a chat": lambda text: f"Priya Nair  3:42 PM\n{text}\nTom  3:44 PM\nok\n",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND.keys())
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_words_of_a_message_are_no_rows(
    layout: Callable[[list[list[str]]], str], around: Callable[[str], str]
) -> None:
    rows = [["build", "clients", "rate"], ["old", "4", "1850"], ["old", "8", "2400"]]
    cells = cells_of(around(layout(rows)))
    assert (cells.head, cells.rows) == (rows[0], rows[1:])


def test_a_heading_in_the_markup_of_a_wiki_is_a_heading() -> None:
    cells = cells_of("||threads||tps||result||\n|16|4100|ok|\n|32|310|stall|")
    assert cells.head == ["threads", "tps", "result"]
    assert cells.rows == [["16", "4100", "ok"], ["32", "310", "stall"]]


@pytest.mark.parametrize(
    ("builds", "roles"),
    [
        (["old", "old", "new"], ["parameter", "parameter", "value", "value"]),
        (["old", "new", "newer"], ["parameter", "value", "value", "value"]),
    ],
)
def test_the_load_of_a_build_that_ran_several_times_is_a_parameter(
    builds: list[str], roles: list[str]
) -> None:
    rows = [[build, "16", "900", "31"] for build in builds]
    cells = cells_of(markdown([["build", "clients", "rate", "p95"], *rows]))
    assert [column.role for column in guessed_columns(cells)] == roles


def test_a_unit_behind_a_name_is_its_unit() -> None:
    cells = cells_of("threads;p95 ms;rate (1/s);MB;Load [%]\n16;41.000,5;2;3;4\n32;1.234,25;2;3;5")
    columns = [(column.name, column.unit) for column in guessed_columns(cells)]
    assert columns == [("threads", ""), ("p95", "ms"), ("rate", "1/s"), ("MB", ""), ("Load", "%")]
    assert [read_number(row[1]) for row in cells.rows] == [(41000.5, ""), (1234.25, "")]
