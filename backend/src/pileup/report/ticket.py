"""Summarize an analysis on one page for a ticket, as text, Markdown or HTML.

Every claim ends in its source: file and line. The page is built once as blocks and written in three
formats, so that all formats have the same content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from pileup.analysis.contract import (
    Analysis,
    BlockerDoc,
    CaptureDoc,
    DeadlockPatternDoc,
    EpisodeDoc,
    HotWaitDoc,
    Locator,
    ShiftDoc,
    SlowQueryDoc,
    StallDoc,
    StoryDoc,
    StoryLink,
    TriageDoc,
)
from pileup.analysis.evidence.gaps import check_title
from pileup.analysis.evidence.servers import server_title
from pileup.knowledge import named_latch
from pileup.knowledge.series_titles import typed_title
from pileup.numerals import grouped, number
from pileup.report.redaction.document_redaction import raise_leaks
from pileup.report.redaction.redactor import Redactor
from pileup.report.text import active_time
from pileup.report.text.wording import also_known_as, bug_name, fix_words

_ROWS = 10
_VERDICTS = {"ok": "ok", "suspect": "SUSPECT", "seen": "seen", "no_data": "no data"}


_ESCAPED = re.compile(r"\\([\\`*_|<\[])")
"""What Markdown has before its own marks."""


@dataclass(frozen=True, slots=True)
class Block:
    """Heading with sentences and at most one table."""

    title: str
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = field(default_factory=list)


def blocks(analysis: Analysis, tables: Sequence[Block] = ()) -> list[Block]:
    """Build the page, most important first. Empty parts are left out, except expected ones.

    tables: further blocks about the records of the capture, after what was concluded from them.
    """
    parts = [
        _headline(analysis),
        _captures(analysis.captures),
        _episodes(analysis.episodes),
        _stalls(analysis.stalls),
        _unanswered(analysis),
        _finding(analysis),
        _active_time(analysis),
        _time_by_scope(analysis),
        _roots(analysis),
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
    return [block for block in parts if block is not None]


def redacted(page: Sequence[Block], redactor: Redactor) -> list[Block]:
    """Return the page without passwords, and without the values of the chosen kinds.

    The page is read twice: what is found in one place is replaced in every other.
    """
    for block in page:
        for words in _words(block):
            redactor.learn(words)
    return [
        Block(
            redactor.text(block.title),
            [redactor.text(line) for line in block.lines],
            [redactor.text(column) for column in block.columns],
            [[redactor.text(cell) for cell in row] for row in block.rows],
        )
        for block in page
    ]


def check_rendered(page: str, redactor: Redactor) -> None:
    """Raise Leak when the text that a reader of the written page sees holds a known value."""
    if page.startswith("<!doctype html"):
        reader = _VisibleText()
        reader.feed(page)
        reader.close()
        lines = reader.texts
    else:
        lines = [_ESCAPED.sub(r"\1", line) for line in page.splitlines()]
    raise_leaks((("the page", line) for line in lines), redactor)


class _VisibleText(HTMLParser):
    """Collects the texts of a page; its style is ours."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def handle_data(self, data: str) -> None:
        """Keep a text, but no style."""
        if data != _STYLE:
            self.texts.append(data)


def _words(block: Block) -> Iterator[str]:
    """Yield every text of a block; the heads of columns are ours."""
    yield block.title
    yield from block.lines
    for row in block.rows:
        yield from row


def text(page: Sequence[Block]) -> str:
    """Write the page as plain text with aligned columns."""
    out: list[str] = []
    for block in page:
        out += [block.title, "-" * len(block.title), *block.lines]
        if block.rows:
            out += _aligned([block.columns, *block.rows])
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def markdown(page: Sequence[Block]) -> str:
    """Write the page as GitHub-flavoured Markdown."""
    out: list[str] = []
    for at, block in enumerate(page):
        out += [f"{'#' if at == 0 else '##'} {block.title}", ""]
        out += [_md(line) + "  " for line in block.lines]
        if block.rows:
            out += [""] if block.lines else []
            out.append("| " + " | ".join(_md(column) for column in block.columns) + " |")
            out.append("|" + " --- |" * len(block.columns))
            out += ["| " + " | ".join(_md(name) for name in row) + " |" for row in block.rows]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def html(page: Sequence[Block]) -> str:
    """Write the page as one self-contained HTML file: no script, nothing fetched."""
    out = [
        '<!doctype html><html lang="en"><meta charset="utf-8">',
        f"<title>{escape(page[0].title)}</title>",
        f"<style>{_STYLE}</style><main>",
    ]
    for at, block in enumerate(page):
        tag = "h1" if at == 0 else "h2"
        out.append(f"<{tag}>{escape(block.title)}</{tag}>")
        out += [f"<p>{escape(line)}</p>" for line in block.lines]
        if block.rows:
            head = "".join(f'<th scope="col">{escape(column)}</th>' for column in block.columns)
            out.append(f"<table><thead><tr>{head}</tr></thead><tbody>")
            for row in block.rows:
                cells = "".join(f"<td>{escape(name)}</td>" for name in row)
                out.append(f"<tr>{cells}</tr>")
            out.append("</tbody></table>")
    out.append("</main></html>")
    return "\n".join(out) + "\n"


# ---- parts -------------------------------------------------------------------------------------


def _headline(analysis: Analysis) -> Block:
    server = server_title(analysis.server.get("family"), analysis.server.get("version"))
    headline = analysis.headline
    words = (headline.story, headline.text, headline.next_step, headline.arrival)
    lines = [line for line in words if line]
    if analysis.story is not None:
        lines += _story(analysis.story)
    if server:
        lines.append(f"Server: {server}.")
    return Block("Pileup analysis", lines)


def _story(story: StoryDoc) -> list[str]:
    """Print the chain from the holder to the victims, the impact and what helps now."""
    lines = []
    if story.chain:
        links = [f"{link.title}{_doing(link)}" for link in story.chain]
        lines.append(f"Chain: {' <- '.join(links)}.")
    if story.impact.sentences:
        lines.append(f"Impact: {' '.join(story.impact.sentences)}")
    if story.fixes:
        first = story.fixes[0]
        commands = [fix.command for fix in story.fixes if fix.command] if first.command else []
        lines.append(f"Fix now: {'; '.join(commands) or first.action}")
    return lines


def _doing(link: StoryLink) -> str:
    return f" ({link.detail})" if link.detail else ""


def _captures(captures: Sequence[CaptureDoc]) -> Block | None:
    if len(captures) < 2:
        return None
    rows = [
        (
            capture.host or "",
            capture.first or "",
            capture.last or "",
            capture.verdict,
            f"{capture.text}{_silence(capture)}",
        )
        for capture in captures
    ]
    return Block("Captures", (), ("host", "first", "last", "verdict", ""), rows)


def _silence(capture: CaptureDoc) -> str:
    count = len(capture.gaps)
    return f" {count} gap{'' if count == 1 else 's'} without samples." if count else ""


def _episodes(episodes: Sequence[EpisodeDoc]) -> Block | None:
    if len(episodes) < 2:
        return None
    rows = []
    for episode in episodes:
        cause = "no known problem matches" if episode.analysed else "not analysed"
        if episode.findings:
            best = episode.findings[0]
            cause = f"{best.title} ({best.score:g})"
        if episode.same_as:
            cause = f"the stall of {episode.same_as} in another capture"
        length = "" if episode.stall.duration_s is None else f"{episode.stall.duration_s:g} s"
        rows.append((episode.stall.host or "", episode.stall.onset, length, cause))
    return Block("Stalls by capture", (), ("host", "onset", "length", "likely cause"), rows)


def _stalls(stalls: Sequence[StallDoc]) -> Block | None:
    if not stalls:
        return None
    rows = []
    for stall in stalls:
        moved = "; ".join(each.text for each in stall.evidence[:3])
        what = stall.kind.replace("_", " ")
        duration = "" if stall.duration_s is None else f"{stall.duration_s:g} s"
        end = stall.end or "not in the capture"
        rows.append((what, stall.host or "", stall.onset, end, duration, moved))
    notes = [f"{stall.onset}: {stall.note}" for stall in stalls if stall.note]
    return Block("Stall", notes, ("what", "host", "onset", "end", "length", "seen in"), rows)


def _unanswered(analysis: Analysis) -> Block | None:
    """List the questions that failed, so that their empty parts do not read as "nothing found"."""
    if not analysis.unanswered:
        return None
    reasons: dict[str, list[str]] = {}
    for doc in analysis.unanswered:
        reasons.setdefault(doc.why, []).append(doc.part.replace("_", " "))
    return Block("Not answered", [f"{', '.join(parts)}: {why}" for why, parts in reasons.items()])


def _finding(analysis: Analysis) -> Block | None:
    findings = analysis.findings
    if not findings:
        failed = any(doc.part.partition("/")[0] == "findings" for doc in analysis.unanswered)
        nothing = "No known problem matches."
        return Block("Finding", ["Not all known problems could be checked." if failed else nothing])
    lines: list[str] = []
    for rank, finding in enumerate(findings[:3], start=1):
        known = [name] if (name := bug_name(finding.id)) else []
        marks = ", ".join([*known, f"score {finding.score:.2f}"])
        lines.append(f"{rank}. {finding.title} ({marks}): {finding.why}")
        lines += [f"   see {place}" for place in _places(finding.evidence, 4)]
        lines += [
            f"   known as: {_before(bug_name(other.id))}{other.title}. {other.sentence}"
            for other in also_known_as(finding, analysis.server.get("family"))
        ]
        lines += [f"   against: {each}" for each in finding.against[:3]]
        if fix_words(finding.fixed_in):
            applies = {"yes": "", "no": "; does not apply to this version"}
            suffix = applies.get(finding.applies_to_version, "; this version is not known")
            lines.append(f"   fix: {fix_words(finding.fixed_in)}{suffix}")
        if finding.verdict == "found" and finding.next_step:
            lines.append(f"   run next: {finding.next_step}")
        lines += [f"   try: {each.action}" for each in finding.mitigations[:3]]
        if finding.experiment:
            change = finding.experiment.change.rstrip(".")
            lines.append(f"   experiment: {change}. Expect: {finding.experiment.expect}")
    return Block("Finding", lines)


def _before(name: str) -> str:
    return f"{name}, " if name else ""


def _active_time(analysis: Analysis) -> Block | None:
    doc = analysis.active_sessions
    if doc is None:
        return None
    lines = [active_time.time_sentence(doc), active_time.sources_text(doc), *doc.notes[:3]]
    rows = active_time.class_rows(doc)
    return Block("Where the time went", lines, ("class", "seconds", "share"), rows)


def _time_by_scope(analysis: Analysis) -> Block | None:
    """List captures and stalls; nothing where one stall is all there is."""
    rows = active_time.scope_rows(analysis.captures, analysis.episodes)
    if len(rows) < 2:
        return None
    columns = ("of", "active-session seconds", "classes", "most ends at")
    return Block("The time by capture and stall", (), columns, rows)


def _roots(analysis: Analysis) -> Block | None:
    if not analysis.roots:
        return None
    rows = active_time.root_rows(analysis.roots)
    columns = ("root", "seconds", "share", "path", "how we know")
    return Block("Where it ends", (), columns, rows)


def _blockers(blockers: Sequence[BlockerDoc]) -> Block | None:
    if not blockers:
        return None
    rows = [
        (
            blocker.holder + (" (inferred)" if blocker.inferred else ""),
            blocker.kind,
            str(blocker.blocks_total),
            str(blocker.blocks_direct),
            blocker.persistence,
            blocker.why,
            "; ".join(_places(blocker.evidence, 1)),
        )
        for blocker in blockers[:5]
    ]
    columns = ("who", "kind", "blocks", "directly", "how long", "why", "source")
    return Block("Root blockers", (), columns, rows)


def _waits(waits: Sequence[HotWaitDoc]) -> Block | None:
    if not waits:
        return None
    rows = [
        (
            named_latch(wait.latch, wait.latch_label),
            f"{wait.file}:{wait.line}",
            wait.mode,
            grouped(wait.waits),
            grouped(wait.max_at_once),
            active_time.share_words(wait.share),
            wait.meaning,
            "; ".join(_places([wait.example] if wait.example else [], 1)),
        )
        for wait in waits[:_ROWS]
    ]
    columns = ("latch", "place", "mode", "waits", "peak", "share", "meaning", "source")
    return Block("Top latch waits", (), columns, rows)


def _slow_queries(queries: Sequence[SlowQueryDoc]) -> Block | None:
    if not queries:
        return None
    rows = [
        (
            f"{grouped(query.total_s, 1)} s",
            f"{query.share:.0%}",
            grouped(query.calls),
            "" if query.max_s is None else f"{number(query.max_s)} s",
            f"{grouped(query.lock_s, 1)} s",
            _times_more(query),
            query.shape[:160],
            "; ".join(_places([query.example], 1)),
        )
        for query in queries[:_ROWS]
    ]
    columns = ("time", "share", "calls", "longest", "locks", "before", "statement", "source")
    return Block("Slow queries of the stall", (), columns, rows)


def _times_more(query: SlowQueryDoc) -> str:
    """Format the calls per second before and during the stall."""
    if query.per_second is None or query.baseline_per_second is None:
        return ""
    return f"{query.baseline_per_second:.3g}/s, now {query.per_second:.3g}/s"


def _shifts(shifts: Sequence[ShiftDoc]) -> Block | None:
    if not shifts:
        return None
    shown = [shift for shift in shifts if shift.same_as is None]
    moved = [shift for shift in shown if shift.first_moved_s is not None]
    ordered = moved[:_ROWS] or shown[:_ROWS]
    ordered.sort(key=lambda shift: shift.first_moved_s if shift.first_moved_s is not None else 1e9)
    rows = [
        (
            "" if shift.first_moved_s is None else f"{shift.first_moved_s:+.0f} s",
            f"{shift.score:.0f}",
            shift.text,
        )
        for shift in ordered
    ]
    note = ["The strongest shifts, in the order in which they first moved."]
    return Block("What moved first", note, ("when", "score", "how"), rows)


def _stacks(analysis: Analysis) -> Block | None:
    shown = [hot_stack for hot_stack in analysis.hot_stacks if not hot_stack.set_aside][:5]
    if not shown:
        return None
    rows = [
        (
            grouped(stack.max_at_once),
            f"{stack.share:.0%}",
            " < ".join(stack.stack[:8]),
            stack.meaning,
            "; ".join(_places([stack.example] if stack.example else [], 1)),
        )
        for stack in shown
    ]
    return Block("Hot stacks", (), ("peak", "share", "stack", "meaning", "source"), rows)


def _deadlocks(analysis: Analysis) -> Block | None:
    if not analysis.deadlocks:
        return None
    paths = {artifact.sha256: artifact.path for artifact in analysis.artifacts}
    lines = [
        f"{deadlock.time or 'time unknown'}: {deadlock.kind_label}. {deadlock.relation} "
        f"[{paths.get(deadlock.artifact, deadlock.artifact)}:{deadlock.line_first}]"
        for deadlock in analysis.deadlocks[:5]
    ]
    examples = {deadlock.pattern: deadlock for deadlock in reversed(analysis.deadlocks)}
    for pattern in analysis.deadlock_patterns[:3]:
        lines.append(f"Pattern, {_times(pattern.count)}: {_pattern(pattern)}")
        if example := examples.get(pattern.id):
            lines.append(f"  Why: {example.why}")
            lines += [f"  Change: {change}" for change in example.change]
            lines.append(f"  Settled by: {example.settle}")
    return Block("Deadlocks", lines)


def _times(count: int) -> str:
    return "1 deadlock" if count == 1 else f"{grouped(count)} deadlocks"


def _pattern(pattern: DeadlockPatternDoc) -> str:
    """Describe a pattern: 'Rows locked in opposite order, first … to …; UPDATE … / DELETE …'."""
    when = f", {pattern.first} to {pattern.last}" if pattern.per_minute is not None else ""
    often = f", {pattern.most_in_a_minute} in the worst minute" if pattern.count > 1 else ""
    return f"{pattern.kind_label}{when}{often}; {' / '.join(pattern.shapes) or 'no statements'}"


def _triage(triage: Sequence[TriageDoc]) -> Block:
    rows = [
        (
            check_title(item.check),
            _VERDICTS[item.verdict],
            item.why,
            "; ".join(_places(item.evidence, 2)),
        )
        for item in triage
    ]
    return Block("Seven quick checks", (), ("check", "verdict", "why", "source"), rows)


_MOST_UNKNOWN = 10


def _sources(analysis: Analysis) -> Block:
    known = [artifact for artifact in analysis.artifacts if artifact.format is not None]
    unknown = sorted(artifact.path for artifact in analysis.artifacts if artifact.format is None)
    lines = [f"{len(known)} of {len(analysis.artifacts)} artifacts were read."]
    if unknown:
        more = f" and {len(unknown) - _MOST_UNKNOWN} more" if len(unknown) > _MOST_UNKNOWN else ""
        named = ", ".join(unknown[:_MOST_UNKNOWN])
        lines[0] += f" No known format ({len(unknown)}): {named}{more}."
    sentences: dict[str, list[str]] = {}
    for artifact in known:
        if artifact.clock is not None:
            sentences.setdefault(artifact.clock.how, []).append(artifact.path)
    rows = [
        (str(len(paths)), paths[0] + (" ..." if len(paths) > 1 else ""), how)
        for how, paths in sorted(sentences.items(), key=lambda each: -len(each[1]))
    ]
    return Block("Sources and their clocks", lines, ("files", "such as", "how placed"), rows)


def _problems(analysis: Analysis) -> Block | None:
    if not analysis.problems:
        return None
    lines = [
        f"{problem.path}{f':{problem.line}' if problem.line is not None else ''}: {problem.message}"
        for problem in analysis.problems[:_ROWS]
    ]
    more = len(analysis.problems) - _ROWS
    if more > 0:
        lines.append(f"and {grouped(more)} more")
    return Block("Problems", lines)


# ---- writing -----------------------------------------------------------------------------------


def _places(locators: Iterable[Locator], most: int) -> list[str]:
    """Format the first few locators: 'file:12-30' or 'Threads running on db-7 .. to ..'."""
    places = []
    for locator in list(locators)[:most]:
        if locator.kind == "series" and locator.series:
            window = f" {locator.start} to {locator.end}" if locator.start and locator.end else ""
            places.append(f"{typed_title(locator.series)}{window}")
        elif locator.path and locator.line_first is not None:
            whole = (locator.line_first, locator.line_last or 0)
            ranges = [(part.first, part.last) for part in locator.ranges] or [whole]
            lines = (f"{a}-{b}" if b > a else str(a) for a, b in ranges)
            places.append(f"{locator.path}:{','.join(lines)}")
        elif locator.path or locator.text:
            places.append(locator.path or locator.text)
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
    """Escape a text for Markdown: a query's asterisks are not emphasis."""
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
