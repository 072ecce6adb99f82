"""Tabulate evidence for live blocks: places of waits, stacks, settings, tables and symptoms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Literal

from pileup.analysis.compare.differences import same_value
from pileup.analysis.contract import Locator, SettingDoc
from pileup.analysis.evidence.table_diff import number as read_number
from pileup.numerals import counted
from pileup.report.case import Case, ReportTable
from pileup.report.document import Block, Run, Runs, Table, Trouble
from pileup.report.text import stall_choice
from pileup.report.text.active_time import share_words
from pileup.report.text.source_notes import label_of
from pileup.report.text.tables import table
from pileup.report.text.wording import number

_MOST_ROWS = 20
_MOST_COLUMNS = 8
_MOST_SIDES = 4
_MOST_FRAMES = 8

Note = Callable[[str], int]


def places(case: Case, names: dict[str, str], note: Note) -> list[Block]:
    """Tabulate semaphore waits by source position and mode: the classic `file line mode` table."""
    waits = case.analysis.hot_waits if case.analysis else []
    if not waits:
        return [Trouble("No status dump prints a semaphore wait, so there are no places.")]
    limit = _limit(names)
    if limit is None:
        return [_not_a_number("places", names)]
    rows = [
        [
            [Run(str(wait.waits))],
            [Run(wait.file, code=True)],
            [Run(str(wait.line))],
            [Run(wait.mode)],
            [Run(str(wait.max_at_once))],
            [Run(share_words(wait.share))],
            [Run(wait.latch or wait.latch_label), *_source(wait.example, note)],
        ]
        for wait in waits[:limit]
    ]
    caption = names.get("caption") or (
        f"{counted(sum(wait.waits for wait in waits), 'wait')} at "
        f"{counted(len(waits), 'place')}; "
        f"{waits[0].file} line {waits[0].line} ({waits[0].mode}) has {waits[0].share:.0%}."
        + _cut_words(len(waits), limit)
        + stall_choice.named(case, stall_choice.leading(case))
    )
    head = ["waits", "file", "line", "mode", "peak", "share", "latch"]
    align = ["right", "left", "right", "left", "right", "right", "left"]
    return [_styled(head, rows, align, caption)]


def stacks(case: Case, names: dict[str, str], note: Note) -> list[Block]:
    """Tabulate the stacks that most threads share, innermost function first."""
    known = case.analysis.hot_stacks if case.analysis else []
    shown = [stack for stack in known if not stack.set_aside]
    if not shown:
        return [Trouble("No artifact holds a stack of a thread that works or waits.")]
    limit = _limit(names)
    if limit is None:
        return [_not_a_number("stacks", names)]
    rows = [
        [
            [Run(str(stack.threads))],
            [Run(str(stack.max_at_once))],
            [Run(share_words(stack.share))],
            [Run(" < ".join(stack.stack[:_MOST_FRAMES]), code=True)],
            [Run(stack.meaning or "unknown"), *_source(stack.example, note)],
        ]
        for stack in shown[:limit]
    ]
    caption = names.get("caption") or (
        f"{shown[0].share:.0%} of the sampled threads: "
        f"{(shown[0].meaning or shown[0].stack[0]).rstrip('.')}."
        + _cut_words(len(shown), limit)
        + stall_choice.named(case, stall_choice.leading(case))
    )
    head = ["threads", "peak", "share", "stack", "meaning"]
    return [_styled(head, rows, ["right", "right", "right", "left", "left"], caption)]


def settings_differences(case: Case, names: dict[str, str], note: Note) -> list[Block]:
    """Tabulate the settings that differ between hosts, or between files of one host."""
    settings = case.analysis.settings if case.analysis else []
    sides = _setting_sides(settings, case)
    if len(sides) < 2:
        return [
            Trouble(
                "Settings of one source alone cannot differ: add SHOW VARIABLES or my.cnf of "
                "another host or another time."
            )
        ]
    limit = _limit(names)
    if limit is None:
        return [_not_a_number("settings-differences", names)]
    labels = list(sides)[:_MOST_SIDES]
    both = sorted(set.intersection(*(set(sides[label]) for label in labels)))
    differing = [
        name
        for name in both
        if any(
            not same_value(sides[labels[0]][name].value, sides[label][name].value)
            for label in labels[1:]
        )
    ]
    if not differing:
        return [Trouble(f"The {len(both)} settings that these sources share are the same.")]
    rows = [
        [
            [Run(name, code=True)],
            *(_setting_cell(sides[label][name], note) for label in labels),
        ]
        for name in differing[:limit]
    ]
    caption = names.get("caption") or (
        f"{len(differing)} of {len(both)} settings differ between {' and '.join(labels)}."
        + _cut_words(len(differing), limit)
    )
    return [_styled(["setting", *labels], rows, None, caption)]


def evidence_table(case: Case, names: dict[str, str], note: Note) -> list[Block]:
    """Print a table of an artifact."""
    if not names.get("artifact"):
        return [Trouble('“::table” needs artifact="…": the start of the SHA-256, or a path.')]
    found = case.find_table(names["artifact"], names.get("name"))
    if found is None:
        return [_no_table(names["artifact"], names.get("name"))]
    limit = _limit(names)
    if limit is None:
        return [_not_a_number("table", names)]
    wanted = [name.strip() for name in names.get("columns", "").split(";") if name.strip()]
    missing = [name for name in wanted if name not in found.columns]
    if missing:
        return [
            Trouble(
                f"{found.name} has no column “{missing[0]}”; it has: {', '.join(found.columns)}."
            )
        ]
    columns = wanted or list(found.columns[:_MOST_COLUMNS])
    at = [found.columns.index(name) for name in columns]
    rows = [[_cell(row[i] if i < len(row) else None) for i in at] for row in found.rows[:limit]]
    hidden = len(found.columns) - len(columns)
    caption = names.get("caption") or (
        f"{found.name} of {found.path}, {len(found.rows)} rows."
        + _cut_words(len(found.rows), limit)
        + (f" {hidden} columns are left out." if hidden and not wanted else "")
    )
    align = ["right" if found.numeric[i] else "left" for i in at]
    return [_noted(_styled(columns, rows, align, caption), [found], note)]


def table_changes(case: Case, names: dict[str, str], note: Note) -> list[Block]:
    """Compare two tables: the rows whose cells changed most."""
    limit = _limit(names)
    if limit is None:
        return [_not_a_number("table-changes", names)]
    before = case.find_table(names.get("before", ""), names.get("name"))
    after = case.find_table(names.get("after", ""), names.get("after_name") or names.get("name"))
    for side, found in (("before", before), ("after", after)):
        if not names.get(side):
            return [
                Trouble(f'“::table-changes” needs {side}="…": the start of a SHA-256, or a path.')
            ]
        if found is None:
            return [_no_table(names[side], names.get("name"))]
    assert before is not None
    assert after is not None
    try:
        changes = case.compare_tables(before, after)
    except ValueError as error:
        return [Trouble(f"These tables cannot be compared: {error}.")]
    rows = [
        [
            *([Run(cell or "NULL")] for cell in change.key),
            [Run(change.column)],
            [Run(change.before or "")],
            [Run(change.after or "")],
            [Run(change.difference or "")],
        ]
        for change in changes.cells[:limit]
    ]
    caption = names.get("caption") or (
        f"{before.path} against {after.path}: "
        f"rows added: {changes.added}, gone: {changes.gone}, changed: {changes.changed}."
        + _cut_words(len(changes.cells), limit)
    )
    if not rows:
        return [Trouble(caption)]
    head = [*changes.keys, "column", "before", "after", "difference"]
    shown = changes.cells[:limit]
    sides = [
        _side([change.before for change in shown]),
        _side([change.after for change in shown]),
    ]
    align = [*("left" for _ in changes.keys), "left", *sides, "right"]
    return [_noted(_styled(head, rows, align, caption), [before, after], note)]


def _side(cells: Sequence[str | None]) -> Literal["left", "right"]:
    """Right for numbers; left as soon as a cell is a text, which may be long and has to wrap."""
    texts = (cell for cell in cells if cell)
    return "right" if all(read_number(cell) is not None for cell in texts) else "left"


def symptoms(case: Case, names: dict[str, str], _: Note) -> list[Block]:
    """Tabulate symptoms against the incident and every run: does it fail the same way?"""
    answers = case.symptoms()
    if not answers:
        return [Trouble("No symptoms are written yet. Add them under Experiments.")]
    runs = [run for run, _holds in answers[0].runs]
    rows = [
        [answer.words, _holds_words(answer.incident), *(_holds_words(h) for _run, h in answer.runs)]
        for answer in answers
    ]
    caption = names.get("caption") or _symptoms_caption([a.runs for a in answers])
    head = ["symptom", "incident", *(f"run {run}" for run in runs)]
    return [table(head, rows, None, caption)]


def _symptoms_caption(answers: Sequence[Sequence[tuple[int, bool | None]]]) -> str:
    """Say which run shows most of the symptoms."""
    shown = {
        run: sum(holds is True for r in answers for n, holds in r if n == run)
        for run, _ in answers[0]
    }
    if not shown:
        return f"{counted(len(answers), 'symptom')}; no run has artifacts that could show them."
    best = max(shown, key=lambda run: shown[run])
    return f"Run {best} shows {shown[best]} of {counted(len(answers), 'symptom')}."


def _holds_words(holds: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[holds]


def _setting_sides(settings: Sequence[SettingDoc], case: Case) -> dict[str, dict[str, SettingDoc]]:
    """Group settings by host; by file when the case knows one host, or none, alone."""
    hosts = {setting.host for setting in settings if setting.host}
    artifacts = case.analysis.artifacts if case.analysis else []
    paths = {artifact.sha256: artifact.path for artifact in artifacts}

    def side(setting: SettingDoc) -> str:
        if len(hosts) > 1:
            return setting.host or "unknown host"
        return paths.get(setting.artifact, setting.artifact[:8]).rpartition("/")[2]

    ordered = sorted(settings, key=lambda setting: (side(setting), setting.name))
    return {
        label: {setting.name: setting for setting in group}
        for label, group in groupby(ordered, key=side)
    }


def _setting_cell(setting: SettingDoc, note: Note) -> Runs:
    where = Locator(
        kind="lines",
        artifact=setting.artifact,
        line_first=setting.line_first,
        line_last=setting.line_first,
    )
    return [Run(setting.value or "unset"), *_source(where, note)]


def _source(locator: Locator | None, note: Note) -> Runs:
    """Return the run of a source note; nothing without a target."""
    label = label_of(locator) if locator else None
    return [Run(note=note(label))] if label else []


def _noted(made: Table, tables: Sequence[ReportTable], note: Note) -> Table:
    """Append the notes of the printed tables' raw lines to the caption."""
    for source in tables:
        made.caption.append(
            Run(note=note(f"{source.artifact[:8]}-{source.line_first}-{source.line_last}"))
        )
    return made


def _styled(
    head: Sequence[str], rows: Sequence[list[Runs]], align: Sequence[str] | None, caption: str
) -> Table:
    """Build a table of styled cells; see ``tables.table`` for plain ones."""
    return Table(
        head=[[Run(cell)] for cell in head],
        rows=list(rows),
        align=["right" if name == "right" else "left" for name in align or ["left"] * len(head)],
        caption=[Run(caption)],
    )


def _cell(text: str | None) -> Runs:
    return [Run("NULL", italic=True)] if text is None else [Run(text)] if text else []


def _limit(names: dict[str, str]) -> int | None:
    """Return the number of rows to print; None when it is not a positive number."""
    text = names.get("rows", str(_MOST_ROWS))
    return int(text) if text.isdecimal() and 0 < int(text) <= 1000 else None


def _not_a_number(block: str, names: dict[str, str]) -> Trouble:
    return Trouble(f'“::{block}” rows="{names["rows"]}" is not a number from 1 to 1000.')


def _no_table(artifact: str, name: str | None) -> Trouble:
    what = f"table named “{name}”" if name else "table"
    return Trouble(f"There is no {what} in an artifact “{artifact}”; see Tables for their names.")


def _cut_words(total: int, limit: int) -> str:
    return f" The first {number(limit)} of {number(total)} are shown." if total > limit else ""
