"""Live blocks that tabulate evidence: places of waits, stacks, settings, tables, symptoms."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from pileup.analysis.contract import HotStackDoc, HotWaitDoc, Locator, SettingDoc
from pileup.report.case import (
    Case,
    ReportCellChange,
    ReportSymptom,
    ReportTable,
    ReportTableChanges,
)
from pileup.report.compose import blocks_of
from pileup.report.document import Table, Trouble, plain
from pileup.report.text.source_notes import resolve
from tests.report.case import ANALYSIS, CASE, SHA

LINES = Locator(kind="lines", artifact=SHA, path="dump.txt", line_first=3, line_last=5)


def wait(file: str, line: int, waits: int) -> HotWaitDoc:
    return HotWaitDoc(
        file=file,
        line=line,
        mode="S",
        waits=waits,
        max_at_once=waits,
        max_at=None,
        share=waits / 100,
        latch="btr_search_latch",
        latch_label="",
        subsystem=None,
        meaning="",
        example=LINES,
    )


def stack(name: str, threads: int, *, set_aside: bool = False) -> HotStackDoc:
    return HotStackDoc(
        stack=[name, "ordered_commit"],
        threads=threads,
        max_at_once=threads,
        share=threads / 100,
        signature=None,
        category=None,
        set_aside=set_aside,
        meaning=f"waits in {name}",
    )


def setting(name: str, value: str, host: str) -> SettingDoc:
    return SettingDoc(
        name=name, value=value, source="variables", host=host, artifact=SHA, line_first=7
    )


def case(**changes: object) -> Case:
    return replace(CASE, analysis=msgspec.structs.replace(ANALYSIS, **changes))


def shown(case: Case, text: str) -> tuple[list[list[str]], str]:
    """The cells of the only table, and its caption."""
    (block,) = blocks_of(case, text)
    assert isinstance(block, Table), block
    return [[plain(cell) for cell in row] for row in block.rows], plain(block.caption)


def trouble(case: Case, text: str) -> str:
    (block,) = blocks_of(case, text)
    assert isinstance(block, Trouble)
    return block.text


def test_places_list_every_position_with_its_source() -> None:
    waits = [wait("btr0sea.ic", 98, 60), wait("row0sel.cc", 3000, 40)]
    (block,) = blocks_of(case(hot_waits=waits), "::places")
    assert isinstance(block, Table)
    assert [[plain(cell) for cell in row][:6] for row in block.rows] == [
        ["60", "btr0sea.ic", "98", "S", "60", "60%"],
        ["40", "row0sel.cc", "3000", "S", "40", "40%"],
    ]
    assert all(row[-1][-1].note is not None for row in block.rows)
    assert "100 waits at 2 places" in plain(block.caption)


def test_places_say_how_many_rows_are_cut() -> None:
    waits = [wait("a.cc", line, 1) for line in range(30)]
    rows, caption = shown(case(hot_waits=waits), '::places{rows="5"}')
    assert len(rows) == 5
    assert "The first 5 of 30 are shown." in caption


@pytest.mark.parametrize("rows", ["0", "-1", "many", "1001"])
def test_an_unreadable_number_of_rows_is_explained(rows: str) -> None:
    one_place = case(hot_waits=[wait("a.cc", 1, 1)])
    assert "from 1 to 1000" in trouble(one_place, f'::places{{rows="{rows}"}}')


def test_stacks_leave_out_what_is_set_aside() -> None:
    stacks = [stack("fsync", 40), stack("poll", 90, set_aside=True)]
    rows, caption = shown(case(hot_stacks=stacks), "::stacks")
    assert [row[3] for row in rows] == ["fsync < ordered_commit"]
    assert caption == "40% of the sampled threads: waits in fsync."


def test_settings_that_differ_between_hosts() -> None:
    """What one side lacks is no difference, and neither are two equal values."""
    settings = [
        setting("innodb_io_capacity", "200", "db-1"),
        setting("innodb_io_capacity", "2000", "db-2"),
        setting("innodb_buffer_pool_size", "1073741824", "db-1"),
        setting("innodb_buffer_pool_size", "1073741824", "db-2"),
        setting("only_here", "1", "db-1"),
    ]
    rows, caption = shown(case(settings=settings), "::settings-differences")
    assert rows == [["innodb_io_capacity", "200", "2000"]]
    assert caption == "1 of 2 settings differ between db-1 and db-2."


def test_settings_of_one_source_cannot_differ() -> None:
    text = trouble(case(settings=[setting("a", "1", "db-1")]), "::settings-differences")
    assert "cannot differ" in text


DIGESTS = ReportTable(
    artifact=SHA,
    path="digests.tsv",
    name="digests",
    columns=("DIGEST", "COUNT_STAR", "SUM_TIMER_WAIT"),
    rows=[["aa", "5", "10"], ["bb", None, "20"]],
    numeric=(False, True, True),
    line_first=1,
    line_last=3,
)
WITH_TABLES = replace(
    CASE,
    find_table=lambda artifact, name: (
        DIGESTS if artifact == "digests.tsv" and name in (None, "digests") else None
    ),
    compare_tables=lambda before, after: ReportTableChanges(
        ("DIGEST",), 1, 0, 1, (ReportCellChange(("aa",), "COUNT_STAR", "5", "50", "45"),)
    ),
)


def test_a_table_is_printed_as_captured_and_leads_to_its_lines() -> None:
    (block,) = blocks_of(WITH_TABLES, '::table{artifact="digests.tsv"}')
    assert isinstance(block, Table)
    assert [[plain(cell) for cell in row] for row in block.rows] == [
        ["aa", "5", "10"],
        ["bb", "NULL", "20"],
    ]
    assert block.align == ["left", "right", "right"]
    assert block.caption[-1].note is not None


def test_chosen_columns_keep_their_order() -> None:
    rows, _ = shown(WITH_TABLES, '::table{artifact="digests.tsv" columns="COUNT_STAR;DIGEST"}')
    assert rows[0] == ["5", "aa"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("::table", "needs artifact"),
        ('::table{artifact="gone.txt"}', "There is no table"),
        ('::table{artifact="digests.tsv" name="x"}', "no table named “x”"),
        ('::table{artifact="digests.tsv" columns="nope"}', "has no column “nope”"),
        ("::table-changes", "needs before"),
        ('::table-changes{before="digests.tsv" after="gone"}', "There is no table"),
    ],
)
def test_what_cannot_be_shown_says_why(text: str, sentence: str) -> None:
    assert sentence in trouble(WITH_TABLES, text)


def test_two_tables_compared() -> None:
    rows, caption = shown(WITH_TABLES, '::table-changes{before="digests.tsv" after="digests.tsv"}')
    assert rows == [["aa", "COUNT_STAR", "5", "50", "45"]]
    assert "rows added: 1, gone: 0, changed: 1." in caption


def test_symptoms_against_every_run() -> None:
    """Unknown stays unknown, and the run that shows most is named."""
    answers = (
        ReportSymptom("running above 100", True, ((1, False), (2, True))),
        ReportSymptom("qps falls", None, ((1, None), (2, True))),
    )
    rows, caption = shown(replace(CASE, symptoms=lambda: answers), "::symptoms")
    assert rows == [
        ["running above 100", "yes", "no", "yes"],
        ["qps falls", "unknown", "unknown", "yes"],
    ]
    assert caption == "Run 2 shows 2 of 2 symptoms."


def test_a_source_in_a_file_of_a_run_is_named_and_quoted() -> None:
    """A file of an experiment is not among the artifacts of the analysis, and is not gone."""
    sha256 = "6253ad55" + "0" * 56
    case = replace(
        CASE,
        run_paths={sha256: "runs/load-test/digests.csv"},
        excerpt=lambda artifact, first, last: f"{artifact[:8]} {first} {last}",
    )
    note = resolve(case, "6253ad55-1-4", 26)
    assert (note.text, note.excerpt) == ("runs/load-test/digests.csv, lines 1–4", "6253ad55 1 4")
    assert "no longer part" in resolve(replace(case, run_paths={}), "6253ad55-1-4", 26).text
