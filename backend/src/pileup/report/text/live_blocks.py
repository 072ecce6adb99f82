"""Expand live blocks: replace ``::name{key="value"}`` in a text with content from the case.

Reference for people: docs/reference/report-blocks.md (a test compares it with BLOCKS). A block that
cannot be shown becomes a Trouble that says why and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pileup.numerals import counted
from pileup.report.case import Case, ReportConfidence, ReportExperiment
from pileup.report.document import (
    Block,
    Code,
    ConfidenceDrawing,
    ConfidenceLine,
    Figure,
    Lane,
    LanesDrawing,
    Paragraph,
    Quote,
    Run,
    Runs,
    Table,
    Trouble,
)
from pileup.report.text import evidence_blocks, executive, stall_choice, stall_table
from pileup.report.text.deadlock_block import deadlock
from pileup.report.text.event_table import timeline_events
from pileup.report.text.markdown_blocks import Directive
from pileup.report.text.plain_words import is_plain
from pileup.report.text.sessions_block import sessions
from pileup.report.text.sweeps import sweeps
from pileup.report.text.tables import table as _table
from pileup.report.text.templates import PLAIN
from pileup.report.text.wording import (
    AFTER_RUN,
    FAILED,
    lane_title,
    measure_words,
    moment,
    number,
    prediction_words,
    ratio_words,
    recorded_afterwards,
    sentence,
    stall_spans,
    when,
)
from pileup.report.text.wording import VERDICTS as _VERDICTS

_EXAMPLE_TIME = "write 2026-11-20T22:19:49Z."


def expand(case: Case, directive: Directive, note: Callable[[str], int]) -> list[Block]:
    """Expand one directive to blocks; ``note`` returns the number of a source's label."""
    known = BLOCKS.get(directive.name)
    if known is None:
        return [
            Trouble(
                f"There is no block “::{directive.name}”; there are: "
                + ", ".join(f"::{name}" for name in BLOCKS)
                + "."
            )
        ]
    unknown = sorted(directive.arguments.keys() - set(known.arguments))
    if unknown:
        takes = ", ".join(known.arguments) or "none"
        return [Trouble(f"“::{directive.name}” has no “{unknown[0]}”; it accepts: {takes}.")]
    return known.make(case, directive.arguments, note)


def _pin(case: Case, names: dict[str, str], note: Callable[[str], int]) -> list[Block]:
    wanted = names.get("id", "").removeprefix("pin-").replace("-", "")
    if len(wanted) < 8:
        return [Trouble('“::pin” needs id="…": at least eight characters of the id of a pin.')]
    for pin in case.pins:
        if pin.id.replace("-", "").startswith(wanted):
            number_of = note(f"pin-{pin.id.replace('-', '')}")
            title: Runs = [Run(pin.title, bold=True), Run(note=number_of)]
            if pin.stale:
                title.append(Run(" (stale: the value changed since it was pinned)", italic=True))
            excerpt = pin.excerpt
            if excerpt is None and pin.artifact and pin.line_first is not None:
                excerpt = case.excerpt(
                    pin.artifact, pin.line_first, pin.line_last or pin.line_first
                )
            inner: list[Block] = [Paragraph(title)]
            if excerpt:
                inner.append(Code(excerpt))
            return [Quote(inner)]
    return [Trouble(f"The pin {wanted[:13]}… is no longer part of the incident.")]


def _lane(case: Case, arguments: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    for name in ("from", "to"):
        text = arguments.get(name)
        if text is not None and moment(text) is None:
            return [Trouble(f'“::lane” {name}="{text}" is not a time; {_EXAMPLE_TIME}')]
    wanted = tuple(name.strip() for name in arguments.get("series", "").split(";") if name.strip())
    chosen = stall_choice.choose(case, "lane", arguments)
    if isinstance(chosen, Trouble):
        return [chosen]
    start, end = arguments.get("from"), arguments.get("to")
    if chosen is not None:
        window = chosen.window()
        if window is None:
            return [
                Trouble("Nothing in this capture has samples over time, so there are no lanes.")
            ]
        start, end = start or _iso(window[0]), end or _iso(window[1])
        changed = chosen.episode.shifts if chosen.episode else []
        lanes = case.draw_lanes(wanted or tuple(shift.series for shift in changed), start, end)
    elif wanted or start or end:
        lanes = case.draw_lanes(wanted, start, end)
    else:
        lanes, chosen = case.lanes, stall_choice.leading(case)
    if not any(value is not None for lane in lanes for _, value in lane.points):
        what = f"the series {', '.join(wanted)}" if wanted else "any series that moved"
        return [Trouble(f"The artifacts hold no samples of {what} in this window.")]
    drawing = LanesDrawing(list(lanes), stall_spans(case))
    caption = arguments.get("caption") or (
        _lanes_caption(case, lanes, bool(wanted), chosen) + stall_choice.named(case, chosen)
    )
    names = ", ".join(lane.title for lane in lanes)
    return [Figure(drawing, [Run(caption)], f"Timeline of {names}. {caption}")]


def _lanes_caption(
    case: Case, lanes: tuple[Lane, ...], chosen: bool, where: stall_choice.Shown | None
) -> str:
    """Write the caption of a lanes figure from the measured changes of the stall that it shows."""
    shifts = case.analysis.shifts if case.analysis else []
    if where is not None:
        shifts = where.episode.shifts if where.episode else []
    series = {each.id: each for each in (case.analysis.series if case.analysis else ())}
    drawn = {lane.title for lane in lanes}
    titles = {s.series: lane_title(series[s.series]) for s in shifts if s.series in series}
    shown = [shift for shift in shifts if titles.get(shift.series) in drawn]
    leads = [s for s in shown if s.first_moved_s is not None]
    text = ""
    if leads:
        first = min(leads, key=lambda s: s.first_moved_s or 0.0)
        moved = round(first.first_moved_s or 0.0)
        place = f"{-moved} s before" if moved < 0 else f"{moved} s after" if moved else "at"
        which = "moved first," if len(leads) > 1 else "moved"
        text = f"{titles[first.series]} {which} {place} the onset"
        change = ratio_words(first.baseline, first.stall)
        text += f" ({change}). " if change else ". "
    elif chosen:
        text = f"{', '.join(lane.title for lane in lanes)}. "
    spans = stall_spans(case)
    return text + ("The stall is shaded." if spans else "No stall was detected.")


def _waits(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    at = names.get("at")
    if at is not None and moment(at) is None:
        return [Trouble(f'“::waits” at="{at}" is not a time; {_EXAMPLE_TIME}')]
    chosen = stall_choice.choose(case, "waits", names)
    if isinstance(chosen, Trouble):
        return [chosen]
    if chosen is not None and at is None:
        at = chosen.worst() or chosen.capture.first
    graph = case.draw_graph(at) if at else case.graph
    if graph is None or not graph.nodes:
        return [Trouble("No artifact shows who waited for whom, so there is no wait graph.")]
    dashed = "; dashed boxes are inferred" if any(n.inferred for n in graph.nodes) else ""
    where = stall_choice.containing(case, graph.at)
    if chosen is not None and (where is None or where.capture.id != chosen.capture.id):
        return [Trouble("No artifact of this capture shows who waited for whom.")]
    caption = names.get("caption") or (
        f"{graph.headline} Snapshot of {when(graph.at)}{dashed}." + stall_choice.named(case, where)
    )
    return [Figure(graph, [Run(caption)], f"Wait graph. {graph.headline}")]


def _confidence(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    drawn = [h for h in case.hypotheses if h.history]
    if not drawn:
        return [Trouble("No hypothesis has a confidence yet.")]
    standing = [h for h in drawn if h.status not in ("refuted", "superseded")]
    leading = max(standing or drawn, key=lambda h: h.history[-1].confidence)
    by = names.get("time", "happened")
    if by not in ("happened", "recorded"):
        return [Trouble(f'“::confidence” time="{by}" is unknown; write happened or recorded.')]
    lines = [
        ConfidenceLine(
            h.statement,
            sorted((_step_time(step, by).timestamp() * 1000, step.confidence) for step in h.history)
            if by == "recorded"
            else [(step.at.timestamp() * 1000, step.confidence) for step in h.history],
        )
        for h in drawn
    ]
    last = leading.history[-1].confidence
    later = any(recorded_afterwards(step) for h in drawn for step in h.history)
    note = " By the time of recording." if by == "recorded" else ""
    note = note or (" Some steps were recorded afterwards." if later else "")
    caption = names.get("caption") or f"“{leading.statement}” leads with {last}%.{note}"
    alt = "Confidence over time. " + "; ".join(
        f"{h.statement}: " + ", ".join(f"{step.confidence}%" for step in h.history) for h in drawn
    )
    return [Figure(ConfidenceDrawing(lines), [Run(caption)], alt)]


def _step_time(step: ReportConfidence, by: str) -> datetime:
    return (step.recorded_at or step.at) if by == "recorded" else step.at


def _matrix(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    matrix = case.matrix
    if matrix is None or not matrix.rows or not matrix.columns:
        return [Trouble("The matrix has no rated evidence yet.")]
    ranked = [c for c in matrix.columns if c.inconsistency is not None]
    caption = names.get("caption")
    if caption is None:
        least = min(ranked, key=lambda c: c.inconsistency or 0.0) if ranked else None
        caption = (
            f"“{least.hypothesis}” is contradicted least (inconsistency "
            f"{number(least.inconsistency)})."
            if least
            else "Evidence against hypotheses; nothing is rated yet."
        )
    evidence = counted(len(matrix.rows), "piece of evidence", "pieces of evidence")
    alt = f"Matrix of {evidence} and {counted(len(matrix.columns), 'hypothesis', 'hypotheses')}."
    return [Figure(matrix, [Run(caption)], alt)]


def _experiments(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    if not case.experiments:
        return [Trouble("No experiments logged.")]
    caption = names.get("caption") or _experiments_caption(case.experiments)
    first: dict[tuple[str, str], int] = {}
    rows = [
        _experiment_row(e, first.setdefault((e.sweep or str(e.number), e.change), e.number))
        for e in case.experiments
    ]
    head = ["", "experiment", "change", "predicted", "observed", "verdict"]
    log = _table(head, rows, ["right", "left", "left", "left", "left", "left"], caption)
    return [log, *sweeps(case.experiments)]


def _experiments_caption(experiments: Sequence[ReportExperiment]) -> str:
    done = [e for e in experiments if e.verdict]
    if not done:
        return "No experiment has a verdict yet."
    matched = sum(e.verdict == "match" for e in done)
    after = sum(e.standing == "recorded_after" for e in done)
    locked = " locked" if all(e.standing == "locked" for e in done) else ""
    text = f"{matched} of {len(done)} finished experiments matched their{locked} prediction."
    without = sum(e.state == "finished" for e in experiments) - len(done)
    if without:
        text += f" {without} finished without a verdict."
    if after:
        were = "prediction was" if after == 1 else "predictions were"
        text += f" {after} {were} {AFTER_RUN}."
    return text


def _experiment_row(e: ReportExperiment, first: int) -> list[str]:
    """Build the row of a run; ``first``: the first run of its sweep with the same change."""
    verdict = _VERDICTS.get(e.verdict or "", "no verdict" if e.state == "finished" else "open")
    failed = FAILED.get(e.failed_same_way or "", "")
    values = "; ".join(f"{item.name} {measure_words(item)}" for item in e.measures)
    return [
        str(e.number),
        e.title,
        e.change if first == e.number or not e.change else f"as in {first}",
        prediction_words(e),
        sentence(e.observation) or values or "none yet",
        f"{verdict}; {failed}" if failed else verdict,
    ]


def _actions(case: Case, names: dict[str, str], _: Callable[[str], int]) -> list[Block]:
    if not case.actions:
        return [Trouble("No actions yet. Add them under Actions.")]
    done = sum(a.status == "done" for a in case.actions)
    late = [a for a in case.actions if a.status != "done" and (not a.owner or a.due is None)]
    caption = names.get("caption") or (
        f"{done} of {len(case.actions)} "
        + ("action is done" if len(case.actions) == 1 else "actions are done")
        + (
            f"; {len(late)} {'has' if len(late) == 1 else 'have'} no owner or no date."
            if late
            else "."
        )
    )
    if case.template in PLAIN:
        return [_table(*_plain_actions(case), None, caption)]
    rows = [
        [
            a.text,
            a.owner or "unassigned",
            a.due.isoformat() if a.due else "no date",
            a.status,
            ""
            if a.verified_by is None
            else f"experiment {a.verified_by}"
            + (f" ({_VERDICTS[a.verdict]})" if a.verdict in _VERDICTS else ""),
        ]
        for a in case.actions
    ]
    head = ["action", "owner", "due", "status", "verified by"]
    for name, texts in (
        ("vendor ticket", [a.ticket for a in case.actions]),
        ("follow-up check", [a.check for a in case.actions]),
    ):
        if any(texts):
            head.append(name)
            rows = [[*row, text] for row, text in zip(rows, texts, strict=True)]
    return [_table(head, rows, None, caption)]


def _plain_actions(case: Case) -> tuple[list[str], list[list[str]]]:
    """Return head and rows of the actions for readers who do not run databases."""
    rows = [
        [
            a.text if is_plain(a.text) else executive.TECHNICAL_ACTION,
            a.owner or "unassigned",
            a.due.isoformat() if a.due else "no date",
            a.status,
        ]
        for a in case.actions
    ]
    return ["action", "owner", "due", "status"], rows


def _timeline(case: Case, names: dict[str, str], note: Callable[[str], int]) -> list[Block]:
    events = timeline_events(case)
    if not events:
        return [Trouble("No events with a time yet.")]
    bounds = [moment(names[name]) if name in names else None for name in ("from", "to")]
    for name, bound in zip(("from", "to"), bounds, strict=True):
        if name in names and bound is None:
            return [Trouble(f'“::timeline” {name}="{names[name]}" is not a time.')]
    start, end = bounds
    chosen = stall_choice.choose(case, "timeline", names)
    if isinstance(chosen, Trouble):
        return [chosen]
    if chosen is not None and (window := chosen.window()) is not None:
        start, end = start or window[0], end or window[1]
    rows: list[list[Runs]] = [
        [
            [Run(event.time_words())],
            [Run(event.text), *([Run(note=note(event.source))] if event.source else [])],
            [Run(event.by)],
        ]
        for event in events
        if (start is None or event.at >= start) and (end is None or event.at <= end)
    ]
    ordered = " in the order in which they happened." if len(rows) > 1 else "."
    caption = names.get("caption") or (
        counted(len(rows), "event") + ordered + stall_choice.named(case, chosen)
    )
    head = [[Run("time")], [Run("what")], [Run("seen by")]]
    return [Table(head=head, rows=rows, align=["left"] * 3, caption=[Run(caption)])]


def _iso(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


Maker = Callable[[Case, dict[str, str], Callable[[str], int]], list[Block]]


@dataclass(frozen=True, slots=True)
class LiveBlock:
    """A live block: the function that expands it, and how the report screen offers it."""

    make: Maker
    arguments: tuple[str, ...]
    kind: Literal["pin", "figure", "table"]
    title: str
    detail: str


BLOCKS: dict[str, LiveBlock] = {
    "pin": LiveBlock(_pin, ("id",), "pin", "Pin", "a pin of the incident with its excerpt"),
    "active-sessions": LiveBlock(
        sessions,
        ("stall", "capture", "caption"),
        "figure",
        "Active sessions",
        "what they waited for over time, with the turning points",
    ),
    "lane": LiveBlock(
        _lane,
        ("series", "stall", "capture", "from", "to", "caption"),
        "figure",
        "Timeline lanes",
        "what moved most, the stall shaded",
    ),
    "waits": LiveBlock(
        _waits,
        ("at", "stall", "capture", "caption"),
        "figure",
        "Wait graph",
        "who waited for whom at the worst moment",
    ),
    "stalls": LiveBlock(
        stall_table.stalls,
        ("caption",),
        "table",
        "Stalls",
        "every stall, and the captures without one",
    ),
    "deadlock": LiveBlock(
        deadlock,
        ("number", "caption"),
        "figure",
        "Deadlock",
        "locks held and requested, one lane per transaction",
    ),
    "places": LiveBlock(
        evidence_blocks.places,
        ("rows", "caption"),
        "table",
        "Places of waits",
        "semaphore waits by file, line and mode",
    ),
    "stacks": LiveBlock(
        evidence_blocks.stacks, ("rows", "caption"), "table", "Stacks", "what most threads do"
    ),
    "settings-differences": LiveBlock(
        evidence_blocks.settings_differences,
        ("rows", "caption"),
        "table",
        "Settings that differ",
        "between hosts, or between files",
    ),
    "table": LiveBlock(
        evidence_blocks.evidence_table,
        ("artifact", "name", "columns", "rows", "caption"),
        "table",
        "Table",
        "a query result as it was captured",
    ),
    "table-changes": LiveBlock(
        evidence_blocks.table_changes,
        ("before", "after", "name", "after_name", "rows", "caption"),
        "table",
        "Compared tables",
        "the cells that changed most",
    ),
    "symptoms": LiveBlock(
        evidence_blocks.symptoms,
        ("caption",),
        "table",
        "Symptoms and runs",
        "which run fails the same way",
    ),
    "confidence": LiveBlock(
        _confidence, ("time", "caption"), "figure", "Confidence", "the team's confidence over time"
    ),
    "matrix": LiveBlock(_matrix, ("caption",), "figure", "Matrix", "evidence against hypotheses"),
    "timeline": LiveBlock(
        _timeline,
        ("stall", "capture", "from", "to", "caption"),
        "table",
        "Timeline table",
        "what happened when",
    ),
    "experiments": LiveBlock(
        _experiments, ("caption",), "table", "Experiments", "predicted, observed, verdict"
    ),
    "actions": LiveBlock(_actions, ("caption",), "table", "Actions", "owner, date, verified by"),
}
"""Name -> block. The report screen offers the blocks in this order, and each pin separately."""
