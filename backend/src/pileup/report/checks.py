"""Check a report for what a reviewer would object to, each remark with its section and line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pileup.report.case import Case
from pileup.report.document import Trouble
from pileup.report.text.live_blocks import expand
from pileup.report.text.markdown_blocks import directives
from pileup.report.text.plain_words import technical_words
from pileup.report.text.prefill import body, prefill
from pileup.report.text.source_notes import labels, resolve, without_references
from pileup.report.text.templates import PLAIN, Part, template

Rule = Literal[
    "claim_without_pin",
    "dead_source",
    "stale_pin",
    "blame",
    "impact_unset",
    "action_incomplete",
    "no_action",
    "empty_section",
    "too_long",
    "missing_block",
    "broken_block",
    "internals",
]

_NUMBER = re.compile(
    r"(?<![\w.\[^-])\d{2,}(?:[.,]\d+)?\s?(?:%|s|ms|min|h|waiters|sessions|threads|queries|users|×)"
    r"(?!\w)"
)
_BLAME = re.compile(
    r"\b(human error|carelessness|careless(?:ly)?|should have known|should have checked|"
    r"negligen\w{1,9}|his fault|her fault|their fault|at fault|to blame|incompeten\w{1,9}|"
    r"stupid(?:ly)?|sloppy|forgot to|failed to follow)\b",
    re.IGNORECASE,
)
_CLAIMING = frozenset(
    [
        "summary",
        "impact",
        "what_happened",
        "contributing_factors",
        "trigger",
        "resolution",
        "detection",
        "exec_summary",
        "exec_impact",
        "exec_cause",
        "bug_summary",
        "bug_observed",
    ]
)
_PLAIN_BLOCKS = frozenset({"actions"})
"""Live blocks that have a form without internals."""
MOST_OF_A_RULE = 50
"""At most this many remarks of one rule per section; more would bury the others."""


@dataclass(frozen=True, slots=True)
class ReportCheck:
    rule: Rule
    level: Literal["warning", "note"]
    section: str | None
    """Key of the section; None: the actions of the incident."""
    line: int | None
    """1-based, within the section's text."""
    text: str


def check(case: Case) -> list[ReportCheck]:
    """List every remark, in the order of the report."""
    checks: list[ReportCheck] = []
    is_plain = case.template in PLAIN
    if is_plain:
        checks += _title(case)
    for part in template(case.template).parts:
        text = body(case, part.key)
        edited = part.key in case.sections
        checks += _lint(part, text, edited)
        checks += _blocks(case, part.key, text)
        checks += _sources(case, part.key, text)
        checks += _limited(_blame(part.key, text))
        if edited and (is_plain or part.key in _CLAIMING):
            drafted = frozenset(prefill(case, part.key).splitlines())
            if part.key in _CLAIMING:
                checks += _limited(_claims(part.key, text, drafted))
            if is_plain:
                checks += _limited(_internals(part.key, text, drafted))
    checks += _impact(case)
    checks += _actions(case)
    return checks


def _lint(part: Part, text: str, edited: bool) -> Iterator[ReportCheck]:
    """Check template rules: required sections exist, short ones are short, figures are present."""
    written = [line for line in text.splitlines() if line.strip()]
    if not written:
        if part.required:
            yield ReportCheck(
                "empty_section", "warning", part.key, None, f"Not written yet. {part.prompt}"
            )
        return
    if part.max_lines is not None and len(written) > part.max_lines:
        yield ReportCheck(
            "too_long",
            "warning",
            part.key,
            None,
            f"{len(written)} lines; this template allows at most {part.max_lines} here.",
        )
    if edited and part.wants and not any(wanted in text for wanted in part.wants):
        blocks = [want for want in part.wants if want.startswith("::")]
        yield ReportCheck(
            "missing_block",
            "note",
            part.key,
            None,
            f"This section usually has one of: {', '.join(blocks)} (type / to insert).",
        )


def _blocks(case: Case, key: str, text: str) -> Iterator[ReportCheck]:
    for directive in directives(text):
        for block in expand(case, directive, lambda _: 0):
            if isinstance(block, Trouble):
                yield ReportCheck("broken_block", "warning", key, directive.line, block.text)


def _sources(case: Case, key: str, text: str) -> Iterator[ReportCheck]:
    """Report references whose target is gone, and pins whose value changed."""
    for number, line in enumerate(text.splitlines(), start=1):
        for label in dict.fromkeys(labels(line)):
            note = resolve(case, label, 0)
            if note.view is None:
                yield ReportCheck(
                    "dead_source", "warning", key, number, f"Missing source: {note.text}"
                )
            elif note.stale:
                yield ReportCheck("stale_pin", "warning", key, number, f"Stale pin: {note.text}")


def _claims(key: str, text: str, drafted: frozenset[str]) -> Iterator[ReportCheck]:
    """Report numbers without a source; a sentence that the case still proposes has its own."""
    for number, line in enumerate(text.splitlines(), start=1):
        claim = line.strip()
        if line in drafted or claim.startswith(("|", "::", "Table:", "#")) or "[^" in line:
            continue
        if _NUMBER.search(line):
            yield ReportCheck(
                "claim_without_pin",
                "warning",
                key,
                number,
                f"Claim without a pin: “{_short(claim)}”",
            )


def _title(case: Case) -> Iterator[ReportCheck]:
    words = technical_words(case.title)
    if words:
        first = template(case.template).parts[0].key
        yield ReportCheck(
            "internals",
            "note",
            first,
            None,
            f"The title of the incident needs knowledge of databases: {_named(words)}.",
        )


def _internals(key: str, text: str, drafted: frozenset[str]) -> Iterator[ReportCheck]:
    """Report the words and blocks of the team that readers without a database do not know."""
    for number, line in enumerate(text.splitlines(), start=1):
        written = line.strip()
        if line in drafted or written.startswith("::"):
            continue
        words = technical_words(without_references(written))
        if words:
            yield ReportCheck(
                "internals",
                "note",
                key,
                number,
                f"This version is for readers who do not run databases: {_named(words)}.",
            )
    for directive in directives(text):
        if directive.name not in _PLAIN_BLOCKS:
            yield ReportCheck(
                "internals",
                "note",
                key,
                directive.line,
                f"“::{directive.name}” shows internals to readers who do not run databases.",
            )


def _named(words: list[str]) -> str:
    return _short(", ".join(f"“{word}”" for word in words))


def _blame(key: str, text: str) -> Iterator[ReportCheck]:
    for number, line in enumerate(text.splitlines(), start=1):
        for match in _BLAME.finditer(line):
            yield ReportCheck(
                "blame",
                "warning",
                key,
                number,
                f"Blame instead of a cause: “{match[0]}”. Describe what made the action sensible.",
            )


def _impact(case: Case) -> Iterator[ReportCheck]:
    keys = [p.key for p in template(case.template).parts if "impact" in p.key]
    for key in keys[:1]:
        text = case.sections.get(key)
        if text is None or "to be written by the team" in text:
            yield ReportCheck(
                "impact_unset",
                "note" if text is None else "warning",
                key,
                None,
                "Describe which users were affected and how.",
            )


def _actions(case: Case) -> Iterator[ReportCheck]:
    if not case.actions:
        yield ReportCheck("no_action", "note", None, None, "No actions yet.")
    for action in case.actions:
        if action.status == "dropped":
            continue
        missing = [
            word
            for word, known in (
                ("owner", action.owner.strip()),
                ("date", action.due or action.status == "done"),
            )
            if not known
        ]
        if missing:
            yield ReportCheck(
                "action_incomplete",
                "warning",
                None,
                None,
                f"Action without {' and '.join(missing)}: “{_short(action.text)}”",
            )
        elif action.status == "done" and action.verified_by is None:
            yield ReportCheck(
                "action_incomplete",
                "note",
                None,
                None,
                f"Done, but no experiment shows that it works: “{_short(action.text)}”",
            )


def _limited(checks: Iterator[ReportCheck]) -> list[ReportCheck]:
    return [item for _, item in zip(range(MOST_OF_A_RULE), checks, strict=False)]


def _short(line: str) -> str:
    return line if len(line) <= 90 else line[:89] + "…"
