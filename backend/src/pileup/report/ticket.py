"""One page of an analysis that a DBA pastes into a ticket: as text, Markdown or HTML.

Every claim ends in where to look: file and line. The page is built once as blocks and written in
three ways, so that the three never say different things.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape

from pileup.analysis.contract import (
    Analysis,
    BlockerDoc,
    FindingDoc,
    HotWaitDoc,
    Locator,
    ShiftDoc,
    SlowQueryDoc,
    StallDoc,
    TriageDoc,
)
from pileup.numerals import grouped, number

_ROWS = 10
_VERDICTS = {"ok": "ok", "suspect": "SUSPECT", "no_data": "no data"}


@dataclass(frozen=True, slots=True)
class Block:
    """A heading with sentences and at most one table."""

    title: str
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = field(default_factory=list)


def blocks(analysis: Analysis, tables: Sequence[Block] = ()) -> list[Block]:
    """The page, most important first. Empty parts are left out, except what a reader expects.

    tables: further blocks about the records of the capture, after what was concluded from them.
    """
    parts = [
        _headline(analysis),
        _stalls(analysis.stalls),
        _finding(analysis.findings),
        _blockers(analysis.blockers),
        _waits(analysis.hot_waits),
        _slow_queries(analysis.slow_queries),
        _shifts(analysis.shifts),
        _stacks(analysis),
        _deadlocks(analysis),
        _triage(analysis.triage),
        *tables,
        _sources(analysis),
        _problems(analysis),
    ]
    return [one for one in parts if one is not None]


def text(analysis: Analysis, tables: Sequence[Block] = ()) -> str:
    """Plain text with aligned columns."""
    out: list[str] = []
    for block in blocks(analysis, tables):
        out += [block.title, "-" * len(block.title), *block.lines]
        if block.rows:
            out += _aligned([block.columns, *block.rows])
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def markdown(analysis: Analysis, tables: Sequence[Block] = ()) -> str:
    """GitHub-flavoured Markdown."""
    out: list[str] = []
    for at, block in enumerate(blocks(analysis, tables)):
        out += [f"{'#' if at == 0 else '##'} {block.title}", ""]
        out += [_md(line) + "  " for line in block.lines]
        if block.rows:
            out += [""] if block.lines else []
            out.append("| " + " | ".join(_md(one) for one in block.columns) + " |")
            out.append("|" + " --- |" * len(block.columns))
            out += ["| " + " | ".join(_md(one) for one in row) + " |" for row in block.rows]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def html(analysis: Analysis, tables: Sequence[Block] = ()) -> str:
    """One self-contained page: no script, nothing fetched."""
    out = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f"<title>{escape(blocks(analysis)[0].title)}</title>",
        f"<style>{_STYLE}</style><main>",
    ]
    for at, block in enumerate(blocks(analysis, tables)):
        tag = "h1" if at == 0 else "h2"
        out.append(f"<{tag}>{escape(block.title)}</{tag}>")
        out += [f"<p>{escape(line)}</p>" for line in block.lines]
        if block.rows:
            head = "".join(f'<th scope="col">{escape(one)}</th>' for one in block.columns)
            out.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
            for row in block.rows:
                cells = "".join(f"<td>{escape(one)}</td>" for one in row)
                out.append(f"<tr>{cells}</tr>")
            out.append("</tbody></table>")
    out.append("</main></html>")
    return "\n".join(out) + "\n"


# ---- parts -------------------------------------------------------------------------------------


def _headline(analysis: Analysis) -> Block:
    server = " ".join(
        one for one in (analysis.server.get("family"), analysis.server.get("version")) if one
    )
    lines = [analysis.headline.text]
    if analysis.headline.arrival:
        lines.append(analysis.headline.arrival)
    if server:
        lines.append(f"Server: {server}.")
    return Block("Pileup analysis", lines)


def _stalls(stalls: Sequence[StallDoc]) -> Block | None:
    if not stalls:
        return None
    rows = []
    for one in stalls:
        moved = "; ".join(each.text for each in one.evidence[:3])
        what = one.kind.replace("_", " ")
        duration = "" if one.duration_s is None else f"{one.duration_s:g} s"
        end = one.end or "not in the capture"
        rows.append((what, one.host or "", one.onset, end, duration, moved))
    notes = [f"{one.onset}: {one.note}" for one in stalls if one.note]
    return Block("Stall", notes, ("what", "host", "onset", "end", "length", "seen in"), rows)


def _finding(findings: Sequence[FindingDoc]) -> Block | None:
    if not findings:
        return Block("Finding", ["No known problem matches."])
    lines: list[str] = []
    for rank, one in enumerate(findings[:3], start=1):
        lines.append(f"{rank}. {one.title} ({one.id}, score {one.score:.2f}): {one.why}")
        lines += [f"   look at {place}" for place in _places(one.evidence, 4)]
        lines += [f"   against: {each}" for each in one.against[:3]]
        if one.fixed_in:
            applies = {"yes": "", "no": "; does not apply to this version"}
            suffix = applies.get(one.applies_to_version, "; this version is not known")
            lines.append(f"   fixed in {', '.join(one.fixed_in)}{suffix}")
        lines += [f"   try: {each.action}" for each in one.mitigations[:3]]
        if one.experiment:
            lines.append(f"   experiment: {one.experiment.change} Expect: {one.experiment.expect}")
    return Block("Finding", lines)


def _blockers(blockers: Sequence[BlockerDoc]) -> Block | None:
    if not blockers:
        return None
    rows = [
        (
            one.holder + (" (inferred)" if one.inferred else ""),
            one.kind,
            str(one.blocks_total),
            str(one.blocks_direct),
            one.persistence,
            one.why,
            "; ".join(_places(one.evidence, 1)),
        )
        for one in blockers[:5]
    ]
    columns = ("who", "kind", "blocks", "directly", "how long", "why", "look at")
    return Block("Root blockers", (), columns, rows)


def _waits(waits: Sequence[HotWaitDoc]) -> Block | None:
    if not waits:
        return None
    rows = [
        (
            f"{one.file}:{one.line}",
            one.mode,
            grouped(one.waits),
            grouped(one.max_at_once),
            f"{one.share:.0%}",
            one.latch_label,
            one.meaning,
            "; ".join(_places([one.example] if one.example else [], 1)),
        )
        for one in waits[:_ROWS]
    ]
    columns = ("place", "mode", "waits", "most", "share", "latch", "meaning", "look at")
    return Block("Top latch waits", (), columns, rows)


def _slow_queries(queries: Sequence[SlowQueryDoc]) -> Block | None:
    if not queries:
        return None
    rows = [
        (
            f"{grouped(one.total_s, 1)} s",
            f"{one.share:.0%}",
            grouped(one.calls),
            "" if one.max_s is None else f"{number(one.max_s)} s",
            f"{grouped(one.lock_s, 1)} s",
            _times_more(one),
            one.shape[:160],
            "; ".join(_places([one.example], 1)),
        )
        for one in queries[:_ROWS]
    ]
    columns = ("time", "share", "calls", "longest", "locks", "before", "statement", "look at")
    return Block("Slow queries of the stall", (), columns, rows)


def _times_more(query: SlowQueryDoc) -> str:
    """How often it ran before, per second, beside now."""
    if query.per_second is None or query.baseline_per_second is None:
        return ""
    return f"{query.baseline_per_second:.3g}/s, now {query.per_second:.3g}/s"


def _shifts(shifts: Sequence[ShiftDoc]) -> Block | None:
    if not shifts:
        return None
    moved = [one for one in shifts if one.first_moved_s is not None]
    ordered = moved[:_ROWS] or list(shifts[:_ROWS])
    ordered.sort(key=lambda one: one.first_moved_s if one.first_moved_s is not None else 1e9)
    rows = [
        (
            "" if one.first_moved_s is None else f"{one.first_moved_s:+.0f} s",
            one.series,
            f"{one.score:.0f}",
            one.text,
        )
        for one in ordered
    ]
    note = ["The strongest shifts, in the order in which they first moved."]
    return Block("What moved first", note, ("when", "series", "score", "how"), rows)


def _stacks(analysis: Analysis) -> Block | None:
    shown = [one for one in analysis.hot_stacks if not one.set_aside][:5]
    if not shown:
        return None
    rows = [
        (
            grouped(one.max_at_once),
            f"{one.share:.0%}",
            " < ".join(one.stack[:8]),
            one.meaning,
            "; ".join(_places([one.example] if one.example else [], 1)),
        )
        for one in shown
    ]
    return Block("Hot stacks", (), ("most", "share", "stack", "meaning", "look at"), rows)


def _deadlocks(analysis: Analysis) -> Block | None:
    if not analysis.deadlocks:
        return None
    paths = {one.sha256: one.path for one in analysis.artifacts}
    lines = [
        f"{one.time or 'time unknown'}: {one.relation} "
        f"[{paths.get(one.artifact, one.artifact)}:{one.line_first}]"
        for one in analysis.deadlocks[:5]
    ]
    return Block("Deadlocks", lines)


def _triage(triage: Sequence[TriageDoc]) -> Block:
    rows = [
        (
            one.check.replace("_", " "),
            _VERDICTS[one.verdict],
            one.why,
            "; ".join(_places(one.evidence, 2)),
        )
        for one in triage
    ]
    return Block("Seven quick checks", (), ("check", "verdict", "why", "look at"), rows)


def _sources(analysis: Analysis) -> Block:
    known = [one for one in analysis.artifacts if one.format is not None]
    unknown = len(analysis.artifacts) - len(known)
    lines = [f"{len(known)} of {len(analysis.artifacts)} artifacts were read."]
    if unknown:
        lines[0] += f" {unknown} are of no known format."
    sentences: dict[str, list[str]] = {}
    for one in known:
        if one.clock is not None:
            sentences.setdefault(one.clock.how, []).append(one.path)
    rows = [
        (str(len(paths)), paths[0] + (" ..." if len(paths) > 1 else ""), how)
        for how, paths in sorted(sentences.items(), key=lambda each: -len(each[1]))
    ]
    return Block("Sources and their clocks", lines, ("files", "such as", "how placed"), rows)


def _problems(analysis: Analysis) -> Block | None:
    if not analysis.problems:
        return None
    lines = [
        f"{one.path}{f':{one.line}' if one.line is not None else ''}: {one.message}"
        for one in analysis.problems[:_ROWS]
    ]
    more = len(analysis.problems) - _ROWS
    if more > 0:
        lines.append(f"and {grouped(more)} more")
    return Block("Problems while reading", lines)


# ---- writing -----------------------------------------------------------------------------------


def _places(locators: Iterable[Locator], most: int) -> list[str]:
    """'file:12-30' or 'series from .. to ..', for the first few."""
    places = []
    for one in list(locators)[:most]:
        if one.kind == "series" and one.series:
            window = f" {one.start} to {one.end}" if one.start and one.end else ""
            places.append(f"{one.series}{window}")
        elif one.path and one.line_first is not None:
            last = one.line_last
            span = f"-{last}" if last is not None and last > one.line_first else ""
            places.append(f"{one.path}:{one.line_first}{span}")
        elif one.path or one.text:
            places.append(one.path or one.text)
    return places


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    clean = [[" ".join(cell.split()) for cell in row] for row in rows]
    widths = [min(max(len(row[i]) for row in clean), 60) for i in range(len(clean[0]))]
    out = []
    for row in clean:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        out.append("  ".join(cells).rstrip())
    return out


def _md(line: str) -> str:
    """Text that Markdown shows as it is: a query's asterisks are not emphasis."""
    for mark in ("\\", "`", "*", "_", "|", "<", "["):
        line = line.replace(mark, "\\" + mark)
    return line.replace("\r", " ").replace("\n", " ")


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;color:#1c2024;margin:2rem}main{max-width:72rem;"
    "margin:auto}h1{font-size:1.6rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.25rem 0}"
    "table{border-collapse:collapse;width:100%;font-size:.85rem}th,td{text-align:left;"
    "vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #d9d9e0;"
    "overflow-wrap:anywhere}th{color:#60646c;font-weight:600}"
)

__all__ = ["Block", "blocks", "html", "markdown", "text"]
