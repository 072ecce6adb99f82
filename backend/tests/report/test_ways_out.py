"""The ways out of the report's functions that no other test takes: what is missing, bare or odd."""

from __future__ import annotations

import struct
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pytest

from pileup.report import checks, comparison
from pileup.report import document as d
from pileup.report.case import Case, ReportAction, ReportTableChanges
from pileup.report.redaction.passwords import password_spans
from pileup.report.redaction.redactor import Redactor
from pileup.report.redaction.spans import PASSWORD_TOKEN
from pileup.report.render import figures, keep_together, scripts, sessions_figure
from pileup.report.text import (
    active_time,
    event_table,
    executive,
    live_blocks,
    stall_choice,
    wording,
)
from tests.analysis.turning.tools import always, given, instead
from tests.report.case import ANALYSIS, CASE
from tests.report.test_evidence_blocks import WITH_TABLES, trouble

# ---- redaction: where a value is known by its place --------------------------------------------


@pytest.mark.parametrize(
    ("kind", "text", "hidden", "kept"),
    [
        ("sql", "where `price` = 4711 and 1", ["4711"], ["price"]),
        ("sql", "&apos;Jane Doe&apos; &#39;Nobody&#39;", ["Jane Doe", "Nobody"], ["apos"]),
        ("sql", "lock_data: 'Jane', 4711, 17, supremum", ["Jane", "4711"], ["lock_data"]),
        ("sql", "  -> Filter: (t.name = 'Jane')  (cost=1.5)", ["Jane"], ["Filter", "t.name"]),
        ("sql", 'write(4, "Jane paid", 9) = 9\nread(5, "....", 2)', ["Jane"], ["write(4", "...."]),
        ("sql", "### @1=4711\n###   @2='Jane'", ["4711", "Jane"], ["@1", "@2"]),
        ("hosts", "pt-heartbeat h=shop-db7,u=jane,D=test", ["shop-db7"], ["u=jane", "D=test"]),
        ("users", "pt-heartbeat h=shop-db7,u=jane,D=test", ["jane"], ["h=shop-db7", "D=test"]),
    ],
)
def test_a_value_is_known_by_its_place(
    kind: str, text: str, hidden: list[str], kept: list[str]
) -> None:
    redactor = Redactor([kind], b"k")
    redactor.learn(text, raw=True)
    said = redactor.text(text, raw=True)
    assert [value for value in hidden if value in said] == []
    assert [value for value in kept if value not in said] == []


def test_a_password_behind_letters_that_grow_when_they_are_small() -> None:
    """The small form of I with a dot has two letters: places would differ."""
    text = "İİİ\nset password for a = 'Zq81xx'\nİ"
    assert [text[span.start : span.end] for span in password_spans(text)] == ["Zq81xx"]


@pytest.mark.parametrize(
    "text",
    [
        "update user set password = ('Zq81xx') where id = 4",
        "SET PASSWORD = ( ( 'Zq81xx') )",
        "change master to master_password=(_utf8'Zq81xx')",
        "update user set password = (_utf8'Zq81xx') where id = 4",
        "update user set password = (_utf8 'Zq81xx') where id = 4",
        "create user a identified by ('Zq81xx')",
    ],
)
def test_a_password_in_parentheses(text: str) -> None:
    assert "Zq81xx" not in Redactor([], b"k").text(text)


def test_tokens_that_a_reader_sends_back_become_values_again() -> None:
    redactor = Redactor(["hosts", "sql"], b"k")
    redactor.known.add("hosts", ["shop-db7", "shop-db8"])
    redactor.known.add("sql", ["Jane Doe 4711"])
    hidden = redactor.text("shop-db7 and shop-db8, twice shop-db7")
    assert "shop" not in hidden
    assert redactor.values_of(hidden) == "shop-db7 and shop-db8, twice shop-db7"
    assert redactor.values_of("host-000000 stays") == "host-000000 stays"
    assert redactor.values_of(PASSWORD_TOKEN) == PASSWORD_TOKEN
    assert sorted(redactor.known.items()) == [
        ("hosts", "shop-db7"),
        ("hosts", "shop-db8"),
        ("sql", "Jane Doe 4711"),
    ]


# ---- text ----------------------------------------------------------------------------------------


def test_a_done_action_without_its_experiment_is_remarked() -> None:
    def remarks(**fields: Any) -> list[tuple[str, str]]:
        known = {"text": "Buy it", "owner": "ann", "due": None, "status": "done"}
        known |= {"verified_by": None, "verdict": None} | fields
        found = checks._actions(replace(CASE, actions=(ReportAction(**known),)))
        return [(check.level, check.text) for check in found]

    assert remarks() == [("note", "Done, but no experiment shows that it works: “Buy it”")]
    assert remarks(verified_by=3) == []
    assert remarks(status="dropped", owner="") == []
    assert remarks(owner=" ") == [("warning", "Action without owner: “Buy it”")]
    open_one = {"status": "open", "owner": ""}
    assert remarks(**open_one) == [("warning", "Action without owner and date: “Buy it”")]
    assert remarks(**open_one, due=date(2026, 1, 1)) == [
        ("warning", "Action without owner: “Buy it”")
    ]


@pytest.mark.parametrize(
    ("host", "note", "title"),
    [
        (None, None, "digests"),
        ("db-1", None, "digests on db-1"),
        (None, "rows share keys", "digests (rows share keys)"),
        ("db-1", "rows share keys", "digests on db-1 (rows share keys)"),
    ],
)
def test_the_title_of_a_compared_table(host: str | None, note: str | None, title: str) -> None:
    cell = given(key=["a", None], column="n", state="changed", a="1", b="2", a_runs=None,
                 b_runs=None)  # fmt: skip
    gone = given(key=["b", None], column=None, state="gone")
    table = given(name="digests", host=host, note=note, rows=[cell, gone])
    document: Any = given(tables=[given(side=1, table=table)], reference=0)
    (sheet,) = comparison._tables(document, ["first", "second", "third"])
    assert sheet.title == title
    nothing = comparison._NOTHING
    rows = [[str(each) for each in row] for row in sheet.rows]
    assert rows[0][1:] == [str(comparison._printed("1", None)), "2", nothing]
    assert rows[1][2:] == ["gone", nothing]
    assert sheet.columns == ["row", "first", "second", "third"]


@pytest.mark.parametrize(
    ("seconds", "low", "high", "said"),
    [
        (None, 1.0, 2.0, ""),
        (14321.4, None, 2.0, "14 321"),
        (14321.6, 1.0, None, "14 322"),
        (4321.0, 4321.4, 4320.6, "4321"),
        (4321.0, 4100.0, 4540.0, "4321 (4100 to 4540)"),
    ],
)
def test_seconds_with_their_interval(
    seconds: float | None, low: float | None, high: float | None, said: str
) -> None:
    document: Any = given(seconds=seconds, low=low, high=high)
    plain = active_time.seconds_text(document)
    assert plain.replace("\u202f", " ").replace("\u00a0", " ").replace(",", " ") == said


def test_an_event_without_lines_has_no_source() -> None:
    def source(artifact: str | None, line: int | None) -> object:
        printed: Any = given(artifact=artifact, line_first=line, line_last=line, path="a.log")
        return event_table._printed(printed)

    assert source(None, 1) is None
    assert source("ab", None) is None
    assert source("ab", 1) is not None


def test_tables_that_cannot_be_compared_or_do_not_differ() -> None:
    text = '::table-changes{before="digests.tsv" after="digests.tsv"}'

    def fails(before: object, after: object) -> ReportTableChanges:
        raise ValueError("they have no column in common")

    known = replace(WITH_TABLES, compare_tables=fails)
    assert trouble(known, text) == (
        "These tables cannot be compared: they have no column in common."
    )
    equal = replace(WITH_TABLES, compare_tables=always(ReportTableChanges(("a",), 1, 2, 0, ())))
    said = trouble(equal, text)
    assert "digests.tsv against digests.tsv: rows added: 1, gone: 2, changed: 0." in said


def test_a_change_needs_both_sides() -> None:
    assert wording.ratio_words(None, 3.0) == ""
    assert wording.ratio_words(3.0, None) == ""
    assert wording.ratio_words(3.0, 96.0) == "from 3 to 96"


def test_the_line_of_the_cause_is_as_sure_as_the_finding() -> None:
    finding = given(title="A row is held", role="problem")
    analysis: Any = given(findings=[finding])
    assert wording.cause_line(msgspec.structs.replace(ANALYSIS, findings=[])) == ""
    for best, said in (
        (None, "Cause unknown; the best guess is: "),
        (finding, "Likely cause: "),
        (given(title="A row is held", role="symptom"), "Symptom: "),
    ):
        with instead(wording, found_cause=always(best)):
            assert wording.cause_line(analysis) == f"{said}{wording.sentence('A row is held')}"


def _root(**fields: Any) -> Case:
    """A case whose time ends at one root."""
    story = given(chain=[given(role=role) for role in fields.pop("roles", [])])
    root = given(**({"kind": "x", "node": "x", "doing": "x", "path": []} | fields))
    analysis: Any = given(stalls=ANALYSIS.stalls, roots=[root], story=story)
    return replace(CASE, analysis=analysis)


def test_the_cause_in_plain_words_needs_a_known_root() -> None:
    change = {"roles": ["victim", "trigger"], "path": ["a", "metadata lock"]}
    kind = next(iter(executive._CAUSES))
    with instead(executive, stall_references=always(" [1]")):

        def said(**fields: Any) -> str:
            return executive._in_plain_words(_root(**fields).analysis)

        assert said(**change) == f"{executive._CHANGE} [1]"
        assert said(**(change | {"roles": ["victim"]})) == executive._UNKNOWN
        assert said(**(change | {"path": ["a row"]})) == executive._UNKNOWN
        assert said(kind=kind) == f"{executive._CAUSES[kind]} [1]"
        assert said(doing=kind) == f"{executive._CAUSES[kind]} [1]"


@pytest.mark.parametrize("stale", [True, False])
def test_a_pin_is_found_by_eight_letters_of_its_id(stale: bool) -> None:
    pin = replace(CASE.pins[0], id="0123abcd-4567", stale=stale)
    known = replace(CASE, pins=(replace(pin, id="ffffabcd-4567"), pin))
    block = live_blocks._pin
    shown = [str(each) for each in block(known, {"id": "0123abcd4"}, lambda _: 1)]
    assert ("stale: the value changed" in shown[0]) is stale
    (said,) = block(known, {"id": "99999999"}, lambda _: 1)
    assert isinstance(said, d.Trouble)


def test_a_time_of_the_timeline_must_be_a_time() -> None:
    for name in ("from", "to"):
        assert trouble(CASE, f'::timeline{{{name}="noon"}}') == (
            f'“::timeline” {name}="noon" is not a time.'
        )


def test_a_capture_without_times_has_no_window_and_no_worst_moment() -> None:
    def shown(first: str | None, last: str | None, episode: object = None) -> Any:
        return stall_choice.Shown(given(first=first, last=last), episode)  # type: ignore[arg-type]

    day = "2026-11-20T22:{}:00Z"
    assert shown(None, day.format(30)).window() is None
    assert shown(day.format(10), None).window() is None
    first, last = (datetime(2026, 11, 20, 22, minute, tzinfo=UTC) for minute in (10, 30))
    whole = shown(day.format(10), day.format(30))
    assert whole.window() == (first, last)
    assert whole.worst() is None
    for peak, worst in ((day.format(15), day.format(15)), (None, day.format(12))):
        stall = given(onset=day.format(12), duration_s=None, peak_at=peak)
        assert shown(None, None, given(stall=stall)).worst() == worst
    assert stall_choice.containing(replace(CASE, analysis=None), day.format(12)) is None
    assert stall_choice.containing(CASE, "noon") is None
    assert stall_choice.containing(CASE, None) is None


# ---- pictures and pages --------------------------------------------------------------------------


def test_a_lane_without_values_has_its_title_alone() -> None:
    def lane(*values: float | None) -> str:
        points = [(float(at), value) for at, value in enumerate(values)]
        return figures._lane(d.Lane("Threads", "threads", points), 0, 60, float, (90.0, 400.0))

    assert lane(None, None) == lane() == figures.text_at(8, 24, "Threads")
    assert lane(1.0, None, 3.0) != lane()


def test_sessions_of_a_single_moment_are_no_picture() -> None:
    def height(*times: float) -> float:
        band = d.ClassBand("working", "at work", 1.0, [1.0] * len(times))
        drawing = d.SessionsDrawing(list(times), [band], [], [], [], [], "")
        return sessions_figure.draw_sessions(drawing, 900, UTC)[0]

    assert height() == height(1.0) == 0
    assert height(1.0, 60_000.0) > 0


def test_only_short_lists_and_tables_stay_whole() -> None:
    def table(rows: int, letters: int = 1) -> d.Block:
        cells = [[[d.Run("x" * letters)]] for _ in range(rows)]
        return d.Table([[d.Run("a")]], cells, ["left"], [], None)

    assert not keep_together.is_whole(d.Paragraph([d.Run("a")]))
    assert not keep_together.is_whole(d.Code("a"))
    assert keep_together.is_whole(table(12))
    assert not keep_together.is_whole(table(13))
    assert keep_together.is_whole(table(12, 100))
    assert not keep_together.is_whole(table(12, 101))
    assert keep_together.is_whole(d.Bullets([[d.Paragraph([d.Run("a")])]] * 12))
    assert not keep_together.is_whole(d.Bullets([[d.Paragraph([d.Run("a")])]] * 13))


def test_a_font_without_a_table_of_letters_has_none() -> None:
    other = struct.pack(">4sIII", b"glyf", 0, 28, 4)
    assert scripts._cmap(struct.pack(">4sHHHH", b"OTTO", 1, 0, 0, 0) + other + bytes(8)) == set()
