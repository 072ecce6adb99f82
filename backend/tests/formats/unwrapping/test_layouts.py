"""Whatever is put around a text, its records do not disappear without a word.

``pytest --rounds 20 tests/formats/unwrapping/test_layouts.py`` throws the dice more often.
"""

from __future__ import annotations

import html
import itertools
import random
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pileup.formats.driver import _has_evidence
from pileup.formats.parsed import Parsed
from pileup.formats.unwrapping import layouts
from pileup.formats.unwrapping.one_line import choose_splitter
from pileup.formats.unwrapping.pasted_text import choose_cleaner
from tests.formats.checks import all_samples, assert_sound, parse_bytes
from tests.formats.decorations import DECORATIONS, PARTS
from tests.support.cpu import cpu_seconds, growth
from tests.support.rounds import Rounds

_MOST = 8 * 1024
_SAMPLES = [path for path in all_samples() if path.parent.name != "kept"]


def at_words(text: str, width: int) -> str:
    """Wrap as a mail client or a chat does."""
    return "\n".join(
        "\n".join(
            textwrap.wrap(
                line,
                width,
                expand_tabs=False,
                replace_whitespace=False,
                break_on_hyphens=False,
            )
        )
        for line in text.split("\n")
    )


def at_columns(text: str, width: int) -> str:
    """Wrap as a terminal or a PDF does."""
    return "\n".join(
        "\n".join(line[at : at + width] for at in range(0, max(1, len(line)), width))
        for line in text.split("\n")
    )


def behind(prefix: Callable[[int], str]) -> Callable[[str, int], str]:
    def change(text: str, _: int) -> str:
        lines = text.removesuffix("\n").split("\n")
        return "".join(f"{prefix(at)}{line}\n" for at, line in enumerate(lines))

    return change


PREFIXES = {
    "a quote": behind(lambda _: "> "),
    "a quote of a quote": behind(lambda _: "> > "),
    "one blank": behind(lambda _: " "),
    "eight blanks": behind(lambda _: " " * 8),
    "a tab": behind(lambda _: "\t"),
    "a container": behind(lambda _: "shop-db-1  | "),
    "a pod": behind(lambda _: "[pod/db-0/server] "),
    "a diff": behind(lambda _: "+"),
    "a bullet": behind(lambda _: "\u2022 "),
    "a viewer with line numbers": behind(lambda at: f"L{at + 1}: "),
}


def as_page(text: str, _: int) -> str:
    """Escape as a web page does, with blanks that do not break."""
    return html.escape(text).replace("  ", "&nbsp; ")


def cut(text: str, dice: random.Random) -> str:
    low, high = sorted(dice.randrange(len(text) + 1) for _ in range(2))
    return text[low:high]


def speaks(parsed: Parsed, text: str) -> bool:
    """Whether the file is read, or says that it is not: no format, a failure, a problem."""
    if all(not line.strip() or line.startswith("TS ") for line in text.split("\n")):
        return True  # the times of a collector that found nothing
    return (
        _has_evidence(parsed.frames)
        or parsed.format is None
        or bool(parsed.failed)
        or (bool(parsed.problems) and parsed.receipt.bytes_understood == 0)
    )


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(9)
def test_no_layout_turns_records_into_silence(path: Path, rounds: Rounds) -> None:
    text = path.read_bytes()[:_MOST].decode("utf-8", "replace")
    if not _has_evidence(parse_bytes(text.encode(), "x").frames):
        return  # the statements of a collector that found nothing: no record can be lost
    siblings = [other for other in _SAMPLES if other.parent == path.parent]
    for round_ in range(rounds.count):
        dice = random.Random(f"{path.name} {round_}")
        ways = {
            "words": at_words(text, dice.randrange(60, 101)),
            "columns": at_columns(text, dice.randrange(60, 101)),
            "prefix": dice.choice([*PREFIXES.values()])(text, 0),
            "page": as_page(text, 0),
            "cut": cut(text, dice),
            **{what: change(text, dice) for what, change in PARTS.items()},
        }
        for what, changed in rounds.deal(ways.items(), siblings.index(path), len(siblings)):
            data = changed.encode()
            parsed = parse_bytes(data, "x")
            assert_sound(parsed, len(data), what)
            assert speaks(parsed, changed), f"{what}: {parsed.format} gave nothing and said nothing"


DUMP = Path(__file__).parents[2] / "samples/innodb-status/8.0.15-ahi-latch-257-waiters.txt"
STACKS = Path(__file__).parents[2] / "samples/gdb/plain-bt.txt"


def records(parsed: Parsed) -> dict[str, list[str]]:
    """The records without their lines, and without blanks: a wrap may cost some."""
    return {
        kind: [
            re.sub(r"\s|\\n", "", repr(row))
            for row in frame.drop("line_first", "line_last", strict=False).rows()
        ]
        for kind, frame in parsed.frames.items()
    }


DRESSES = (
    *("quote three deep", "quote of a client", "journalctl, ISO", "syslog of RFC 5424", "pod"),
    *("syslog with its priority", "border of a pane", "pane", "frame", "journal", "json-file"),
    *("array of lines", "divisions of a page", "Jira, with a title", "details", "Ansible", "CR"),
)


@pytest.mark.parametrize("what", DRESSES)
@pytest.mark.parametrize("path", [DUMP, STACKS], ids=["status dump", "stacks"])
@pytest.mark.dealt(3)
def test_a_dress_changes_no_record(path: Path, what: str) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")[:8_000].rpartition("\n")[0] + "\n"
    plain = records(parse_bytes(text.encode(), "x"))
    changed = DECORATIONS[what](text, random.Random(1))
    found = records(parse_bytes(changed.encode(), "x"))
    # the lines between the dumps of a log are its entries
    assert {kind: rows for kind, rows in found.items() if kind in plain} == plain
    assert set(found) <= {*plain, "event"}


@pytest.mark.parametrize("change", PREFIXES.values(), ids=PREFIXES.keys())
@pytest.mark.parametrize("path", [DUMP, STACKS], ids=["status dump", "stacks"])
def test_a_prefix_changes_no_record(path: Path, change: Callable[[str, int], str]) -> None:
    text = path.read_text()[:40_000]
    plain, parsed = parse_bytes(text.encode()), parse_bytes(change(text, 0).encode())
    assert parsed.format == plain.format
    assert records(parsed) == records(plain)
    assert [section.line_first for section in parsed.sections] == [
        section.line_first for section in plain.sections
    ]


def _stamped(form: str) -> Callable[[str, int], str]:
    return behind(lambda at: form.format(15 + at // 60 % 40, at % 60, at * 7919 % 10**7))


DECORATED: dict[str, Callable[[str, Any], str]] = {
    **PREFIXES,
    **DECORATIONS,
    "the time of a cluster": _stamped("2026-11-20T22:{:02}:{:02}.{:07}Z "),
    "the time of a build": _stamped("[22:{:02}:{:02}] "),
    "a pod's name": behind(lambda _: "mysql-0 mysql "),
    "Jira with a title": lambda text, _: f"{{noformat:title=db-7}}\n{text}{{noformat}}\n",
    "the name of a file": lambda text, _: f"==> /tmp/evidence <==\n{text}",
    "a tool on a host": lambda text, _: f"db-7 | CHANGED | rc=0 >>\n{text}",
}
"""What chats, consoles and collectors put around a text."""
_SAYS = 0.02
"""Share of a text that the receipt must leave out for a loss to be said."""


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(12)
def test_a_part_of_a_file_in_any_dress_is_never_silent(path: Path, rounds: Rounds) -> None:
    """Of what some lines give, most is read whatever is around them, or the receipt says so."""
    lines = path.read_bytes()[: 2 * _MOST].decode("utf-8", "replace").split("\n")[:-1]
    siblings = [other for other in _SAMPLES if other.parent == path.parent]
    for round_ in range(rounds.count):
        dice = random.Random(f"{path.name} {round_} part")
        size = dice.randint(min(6, len(lines)), min(120, len(lines)))
        first = dice.choice([0, len(lines) - size, dice.randrange(len(lines) - size + 1)])
        part = "".join(f"{line}\n" for line in lines[first : first + size])
        plain = parse_bytes(part.encode(), "x")
        if not _has_evidence(plain.frames) or plain.receipt.bytes_skipped:
            continue  # what is damaged is not alike in each of its parts
        turn = siblings.index(path) + rounds.turn
        for what in rounds.deal(DECORATED, turn % len(DECORATED), len(DECORATED)):
            data = DECORATED[what](part, dice).encode()
            parsed = parse_bytes(data, "x")
            assert_sound(parsed, len(data), what)
            assert not _is_silent(parsed, plain, len(data)), (what, first, size, parsed.format)


def _is_silent(parsed: Parsed, plain: Parsed, size: int) -> bool:
    """Whether most records are gone, and neither a problem nor a skipped line says so."""
    wanted, found = (
        sum(count for kind, count in each.receipt.records.items() if kind != "snapshot")
        for each in (plain, parsed)
    )
    says = (
        bool(parsed.failed)
        or parsed.format is None
        or bool({_.message for _ in parsed.problems} - {_.message for _ in plain.problems})
        or parsed.receipt.bytes_skipped > _SAYS * size
    )
    return 2 * found < wanted and not says


WAIT = """\
--Thread 139717726123776 has waited at btr0sea.ic line 98 for 0 seconds the semaphore:
X-lock on RW-latch at 0x2db49f8 created in file btr0sea.cc line 238
a writer (thread id 139718536591104) has reserved it in mode  exclusive
number of readers 0, waiters flag 1, lock_word: 0
Last time read locked in file btr0sea.ic line 122
Last time write locked in file /build/percona-server-5.7.29/storage/innobase/btr0sea.ic line 98
"""


_NOT_ALIKE = {("pieces", "a diff")}
"""The marks of code blocks are behind it; what is in them is read as one text."""


@pytest.mark.parametrize("path", _SAMPLES, ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(9)
def test_a_prefix_loses_no_record(path: Path, rounds: Rounds) -> None:
    text = path.read_bytes()[:_MOST].decode("utf-8", "replace")
    plain = parse_bytes(text.encode(), "x")
    siblings = [other for other in _SAMPLES if other.parent == path.parent]
    if not _has_evidence(plain.frames) or len(text.split("\n")) < 4:
        return
    turn = siblings.index(path) + rounds.turn
    for what in rounds.deal(PREFIXES, turn % len(PREFIXES), len(PREFIXES)):
        if (path.parent.name, what) in _NOT_ALIKE:
            continue
        parsed = parse_bytes(PREFIXES[what](text, 0).encode(), "x")
        lost = {
            kind: (count, parsed.receipt.records.get(kind, 0))
            for kind, count in plain.receipt.records.items()
            if parsed.receipt.records.get(kind, 0) < 0.8 * count
        }
        assert not lost, f"{what}: {parsed.format}"


@pytest.mark.parametrize("width", range(60, 101))
@pytest.mark.dealt(9)
def test_a_wait_reads_the_same_at_any_width(width: int) -> None:
    (plain,) = parse_bytes(WAIT.encode()).frames["semaphore_wait"].drop("line_last").rows()
    for wrap in (at_words, at_columns):
        parsed = parse_bytes(wrap(WAIT, width).encode())
        (wait,) = parsed.frames["semaphore_wait"].rows(named=True)
        last = wait.pop("line_last")
        assert tuple(wait.values()) == plain
        assert last == wrap(WAIT, width).count("\n")  # every raw line of the paragraph
        assert parsed.receipt.bytes_skipped == 0


_BOX = """\
+------+------+---------+------+---------------------------------+------------------------------+
| Id   | User | Command | Time | State                           | Info                         |
+------+------+---------+------+---------------------------------+------------------------------+
| 8801 | app  | Sleep   |  193 |                                 | NULL                         |
| 8813 | app  | Query   |   12 | updating                        | UPDATE t SET a=a-1 WHERE i=7 |
| 8814 | app  | Query   |   11 | Waiting for table metadata lock | ALTER TABLE t ADD c INT      |
+------+------+---------+------+---------------------------------+------------------------------+
"""


@pytest.mark.parametrize("width", [41, 60, 72, 80])
@pytest.mark.parametrize("how", ["at words", "at the column", "at the column, blanks at ends gone"])
def test_a_box_whose_rows_and_rules_are_wrapped_is_a_box(width: int, how: str) -> None:
    if how == "at words":
        text = at_words(_BOX, width)
    else:
        lines = [
            line[at : at + width] for line in _BOX.split("\n") for at in range(0, len(line), width)
        ]
        text = "\n".join(line.rstrip() if "gone" in how else line for line in lines)
    sessions = parse_bytes(text.encode()).frames["session"]
    assert sessions["session_id"].to_list() == [8801, 8813, 8814]
    assert sessions["state"].to_list() == ["", "updating", "Waiting for table metadata lock"]
    assert sessions["query"][2] == "ALTER TABLE t ADD c INT"
    first = text[: text.index("| 8813")].count("\n") + 1
    assert sessions["line_first"][1] == first


def test_a_file_that_reads_well_is_left_as_it_is() -> None:
    for path in (DUMP, STACKS):
        assert "joined" not in parse_bytes(path.read_bytes()).detection.why


def test_guessing_takes_time_in_proportion() -> None:
    def guess(many: int) -> None:
        text = "> " * 40 + "x y" * many
        layouts.guess_layouts("\n".join([text] * 300), re.compile("(?!)"))

    assert growth(lambda: guess(200), lambda: guess(1_600)) < 24


@pytest.mark.parametrize("run", [" ", "| --- ", "+--", "* 1. row * ", " <-", "Id: 1 ", "a\\n"])
def test_no_head_costs_more_than_a_blink_before_it_is_sniffed(run: str) -> None:
    """A square of this size would be ten seconds; a line costs milliseconds."""
    text = run * (64 * 1024 // len(run))

    def choose() -> None:
        choose_cleaner(text)
        if split := choose_splitter(text):
            split(text)

    assert cpu_seconds(choose) < 1


@pytest.mark.parametrize("speaker", ["Anna, [10:32]:", "bob  10:32 AM", "Ana Lima 3:42 PM"])
def test_who_speaks_between_the_rows_is_no_part_of_a_row(speaker: str) -> None:
    """A chat puts it between the rows that somebody pasted in several parts."""
    rows = [f"2026-11-29 22:40:{at:02},{at},42,{4643.7 + at}" for at in range(10, 14)]
    lines = ["time,threads_running,threads_connected,qps", *rows[:2], speaker, *rows[2:]]
    (samples,) = parse_bytes("\n".join(lines).encode(), "a.csv").frames.values()
    assert samples["unit"].null_count() == samples.height == 12
    assert samples["value"].null_count() == 0


_BETWEEN = {
    "a name and a time": ("joe  10:15 PM\n", 1),
    "a day between brackets": ("[20/11/2026 22:15] Joe Smith:\n", 1),
    "a name above a time": ("Joe Smith\n10:15 PM\n", 1),
    "a name alone": ("joe:\n", 1),
    "a time before a name": ("22:15 joe\n", 1),
    "three lines in each turn": ("joe  10:15 PM\n", 3),
}


@pytest.mark.parametrize(("who", "turn"), _BETWEEN.values(), ids=_BETWEEN)
def test_who_wrote_a_line_on_a_line_of_its_own_changes_no_record(who: str, turn: int) -> None:
    for text in (_VERTICAL, _BOX, _TABS):
        plain = records(parse_bytes(text.encode(), "x"))
        for behind_each in ("", "\n") if turn == 1 else ("",):
            said = "".join(
                f"{who if at % turn == 0 else ''}{line}\n{behind_each}"
                for at, line in enumerate(text.splitlines())
            )
            assert records(parse_bytes(said.encode(), "x")) == plain


def test_times_of_a_script_are_no_speakers() -> None:
    text = "22:15:03\nThreads_running 5\n22:15:04\nThreads_running 7\n22:15:05\nx 1\n"
    assert not layouts.have_turns(text)
    assert not layouts.have_turns("mysqld   00:10:15\nsshd   00:00:01\nbash   00:00:00\n")
    assert not layouts.have_turns("We saw this at 22:15:\n| 7 | app |\n")


_TO_LETTERS = {"0": "O", "1": "l"}


@pytest.mark.parametrize("text", [WAIT, _BOX], ids=["a wait", "a box"])
def test_letters_that_a_scan_put_for_digits_are_digits_and_the_receipt_says_so(text: str) -> None:
    noisy = re.sub(r"(?<=\d)[01]|[01](?=\d)", lambda found: _TO_LETTERS[found[0]], text)
    parsed = parse_bytes(noisy.encode(), "x")
    kinds = {"semaphore_wait", "session"}
    assert {kind: rows for kind, rows in records(parsed).items() if kind in kinds} == {
        kind: rows
        for kind, rows in records(parse_bytes(text.encode(), "x")).items()
        if kind in kinds
    }
    assert any("picture" in problem.message for problem in parsed.problems)


@pytest.mark.parametrize("bar", ["I", "l", "!"])
def test_letters_that_a_scan_put_for_bars_are_bars(bar: str) -> None:
    broken = _BOX.replace("|", bar).replace("-------", "--- ---")
    sessions = parse_bytes(broken.encode(), "x").frames["session"]
    assert sessions["session_id"].to_list() == [8801, 8813, 8814]


@pytest.mark.parametrize(
    ("sample", "before"),
    [
        ("error-log/8.0.36-deadlocks-without-notes.log", "    "),
        ("syslog/journalctl-o-json.json", "h: "),
    ],
    ids=["an indented error log", "JSON behind a host's name"],
)
def test_what_is_before_every_line_of_a_log_hides_no_record(sample: str, before: str) -> None:
    (path,) = (Path(__file__).parents[2] / "samples").glob(sample)
    lines = path.read_text().split("\n")[:40]
    parsed = parse_bytes("".join(f"{before}{line}\n" for line in lines).encode(), "x")
    assert records(parsed) == records(parse_bytes("\n".join(lines).encode(), "x"))


def _rules(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: re.sub(r"(?m)^\+.*", lambda rule: change(rule[0]), text)


_OPENED: dict[str, Callable[[str], str]] = {
    "no left bars": lambda text: re.sub(r"(?m)^\| ", "", text),
    "no left column of characters": lambda text: re.sub(r"(?m)^.", "", text),
    "no left bar of the first line": lambda text: text[text.index("| Id") + 2 :],
    "no right bars": lambda text: re.sub(r"(?m) *\|$", "", text),
    "no right column of characters": lambda text: re.sub(r"(?m).$", "", text),
    "no edges": lambda text: re.sub(r"(?m)^\| | *\|$", "", text),
    "rows alone, without left bars": lambda text: re.sub(r"(?m)^\+.*\n|^\| ", "", text),
    "a quote without left bars": lambda text: re.sub(r"(?m)^(?:\| )?", "> ", text),
    "rules without corners": _rules(lambda rule: rule.replace("+", "-")),
    "rules with blanks for corners": _rules(lambda rule: rule.replace("+", " ")),
    "rules of equals signs": _rules(lambda rule: rule.replace("-", "=")),
    "rules with stars for corners": _rules(lambda rule: rule.replace("+", "*")),
    "bars behind backslashes": lambda text: text.replace("|", "\\|"),
    "runs of blanks as one": lambda text: re.sub(" {2,}", " ", re.sub(r"(?m)^\| ", "", text)),
}


@pytest.mark.parametrize("change", _OPENED.values(), ids=_OPENED)
def test_a_box_that_lost_edges_keeps_every_cell(change: Callable[[str], str]) -> None:
    wide = _BOX.replace("  12 | updating ", f"  12 | {'a || b':9}")  # bars in a cell
    for text in (_BOX, wide):
        sessions = parse_bytes(change(text).encode(), "x").frames["session"]
        whole = parse_bytes(text.encode(), "x").frames["session"]
        columns = ["session_id", "user", "time_s", "state", "query"]
        assert sessions.select(columns).rows() == whole.select(columns).rows()


def test_a_name_that_is_cut_on_its_left_says_that_its_values_are_left_out() -> None:
    (problem,) = parse_bytes(re.sub(r"(?m)^.{3}", "", _BOX).encode(), "x").problems
    assert "'d'" in problem.message


_TABS = re.sub(r" *\| *", "\t", re.sub(r"(?m)^\+.*\n|^\| *| *\|$", "", _BOX))
_STATUS = "Variable_name\tValue\nThreads_running\t101\nThreads_connected\t110\nUptime\t10010\n"


@pytest.mark.parametrize(
    "before", ["[22:15] joe: ", "- ", "a.txt:17:", "&gt; ", "   7  ", "db-7 | "]
)
def test_between_tabs_a_prefix_hides_no_first_column(before: str) -> None:
    for text in (_TABS, _STATUS):
        prefixed = "".join(f"{before}{line}\n" for line in text.splitlines())
        found, whole = (records(parse_bytes(each.encode(), "x")) for each in (prefixed, text))
        assert {kind: found[kind] for kind in ("session", "sample") if kind in found} == {
            kind: whole[kind] for kind in ("session", "sample") if kind in whole
        }


_VERTICAL = "".join(
    f"{'*' * 27} {at}. row {'*' * 27}\n     Id: {id_}\n   User: app\n"
    f"     db: shop\nCommand: Query\n"
    f"   Time: {id_ - 8000}\n  State: {state}\n   Info: UPDATE t SET a = {at}\n"
    for at, (id_, state) in enumerate(((8801, "init"), (8813, "updating"), (8814, "end")), 1)
)


@pytest.mark.parametrize(
    "text",
    [_VERTICAL, re.sub(r"(?m)^ +", "", _VERTICAL), _TABS],
    ids=["vertical", "vertical without blanks", "tabs"],
)
def test_a_row_has_no_cell_of_another_wherever_a_copy_begins_and_ends(text: str) -> None:
    columns = ["session_id", "time_s", "state"]
    whole = {
        row[0]: row
        for row in parse_bytes(text.encode(), "x").frames["session"].select(columns).rows()
    }
    for at in range(7, len(text), len(text) // 6):
        for part in (text[at:], text[:at]):
            frames = parse_bytes(part.encode(), "x").frames
            rows = frames["session"].select(columns).rows() if "session" in frames.heights else []
            assert part == text[at:] or {row[0] for row in rows} <= {*whole, None}, part
            for id_, time, state in rows:
                _, all_of_time, all_of_state = whole.get(id_, (None, None, None))
                if all_of_time is not None:
                    assert time is None or f"{all_of_time:g}".startswith(f"{time:g}"), part
                    assert not state or all_of_state.startswith(state), part


_ENTRIES = "".join(
    f"2026-11-20T22:15:0{at}.123456Z {at} [Warning] [MY-010055] [x] address '10.0.0.{at}', odd\n"
    for at in range(1, 5)
)


def _as_export(text: str) -> str:
    rows = (f'2026-11-20 22:15:{at:02}.1,"{line}"\n' for at, line in enumerate(text.splitlines()))
    return "@timestamp,@message\n" + "".join(rows)


def _as_export_of_hosts(text: str) -> str:
    rows = (
        f'{text.count(line)},WARN,db-{at % 2},2026-11-20T22:15:{at:02}Z,mysqld,"{line}"\n'
        for at, line in enumerate(text.splitlines())
    )
    return "id,level,host,timestamp,service,message\n" + "".join(rows)


def test_columns_of_an_export_are_the_time_host_program_and_severity_of_each_line() -> None:
    lines = ("Aborted connection 1833 to db, odd", "Got error 28 from storage engine: no space")
    parsed = parse_bytes(_as_export_of_hosts("\n".join(lines)).encode(), "x")
    events = parsed.frames["event"]
    assert events["message"].to_list() == [*lines]
    assert events["host"].to_list() == ["db-0", "db-1"]
    assert events["severity"].to_list() == ["warning", "warning"]
    assert events["subsystem"].to_list() == ["mysqld", "mysqld"]
    assert events["line_first"].to_list() == [2, 3]
    assert events["wall_us"].diff().to_list() == [None, 1_000_000]


@pytest.mark.parametrize(
    ("header", "cells", "found"),
    [
        ("time,level", "2026-11-20T22:15:01Z,error", (None, None, "error")),
        ("time,severity", "2026-11-20 22:15:01.5,note", (None, None, "note")),
        ("ts,pod", "2026-11-20T22:15:01+02:00,db-7", ("db-7", None, "note")),
        ("ts,logger,level", "2026-11-20T22:15:01Z,,CRITICAL", (None, None, "error")),
        ("ts,app,level", "2026-11-20T22:15:01Z,proxy,", (None, "proxy", "note")),
    ],
)
def test_what_an_export_does_not_name_is_not_made_up(
    header: str, cells: str, found: tuple[str | None, ...]
) -> None:
    text = f"{header},message\n" + f'{cells},"Too many connections, odd"\n' * 3
    events = parse_bytes(text.encode(), "x").frames["event"]
    assert events.select("host", "subsystem", "severity").rows() == [found] * 3


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (_VERTICAL, lambda text: text.replace("  ", "\xa0 ")),
        (_VERTICAL, lambda text: re.sub("(?m)^", "2026-11-20T22:15:07.123Z ", text)),
        (_VERTICAL, _as_export),
        (_BOX, lambda text: re.sub("(?m)^(.{75}).*$", "\\1\u2026", text)),
        (_BOX, lambda text: re.sub("(?m)^(.*)$", "|\\1|", text.rstrip())),
        (_ENTRIES, _as_export),
        (_ENTRIES, lambda text: re.sub("(?m)^(?=.)", "2026-11-20 22:15:07.123\t", text)),
        (WAIT, lambda text: re.sub("(?m)^(?=.)", "      7 ", text)),
        (WAIT, _as_export),
    ],
    ids=[
        "blanks that do not break",
        "a log's time",
        "exported rows",
        "dots at a width",
        "bars around",
        "exported entries",
        "a viewer's time and a tab",
        "numbers of less",
        "an exported wait",
    ],
)
def test_what_viewers_and_editors_put_around_lines_changes_no_record(
    text: str, change: Callable[[str], str]
) -> None:
    numbers = itertools.count(1)
    dressed = re.sub("(?m)^      7 ", lambda _: f"{next(numbers):7} ", change(text))
    found, whole = (records(parse_bytes(each.encode(), "x")) for each in (dressed, text))
    if "\u2026" in dressed:
        assert len(found["session"]) == len(whole["session"])
    else:
        assert found == whole


def test_of_two_panes_side_by_side_one_is_read_and_the_receipt_says_so() -> None:
    beside = "".join(f"{line:<100}\u2502root@db-7:~#\n" for line in _BOX.splitlines())
    parsed = parse_bytes(beside.encode(), "x")
    assert parsed.frames["session"]["session_id"].to_list() == [8801, 8813, 8814]
    assert any("two panes" in problem.message for problem in parsed.problems)
