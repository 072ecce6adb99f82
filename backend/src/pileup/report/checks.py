"""What a reviewer would remark before a report goes out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pileup.report.case import SECTION_TITLES, Case
from pileup.report.notes import number_notes
from pileup.report.prefill import body

_NUMBER = re.compile(
    r"(?<![\w.\[^-])\d{2,}(?:[.,]\d+)?\s?(?:%|s|ms|waiters|sessions|threads|×)(?!\w)"
)
_BLAME = re.compile(
    r"\b(human error|carelessness|careless|should have known|negligen\w+|his fault|her fault|"
    r"their fault|stupid)\b",
    re.IGNORECASE,
)
_CLAIMING = ("summary", "what_happened", "contributing_factors")


@dataclass(frozen=True, slots=True)
class Check:
    level: Literal["warning", "note"]
    section: str
    text: str


def check(case: Case) -> list[Check]:
    """Claims without a source, dead sources, stale pins, actions without owner, blame."""
    found: list[Check] = []
    for key in SECTION_TITLES:
        text = body(case, key)
        if key in _CLAIMING and key in case.sections:
            found += [
                Check("warning", key, f"A figure without a source: “{_short(line)}”")
                for line in text.splitlines()
                if _NUMBER.search(line) and "[^" not in line and not line.startswith("|")
            ]
        found += [
            Check("warning", key, f"Blame instead of a cause: “{match.group()}”")
            for match in _BLAME.finditer(text)
        ]
        found += [
            Check("warning", key, f"A source that is gone: {note.text}")
            for note in number_notes(case, text)[1]
            if note.view is None
        ]
    if "impact" not in case.sections:
        found.append(Check("note", "impact", "Nobody has written yet which users were affected."))
    actions = [line for line in body(case, "actions").splitlines()[2:] if line.strip(" |")]
    if not actions:
        found.append(Check("note", "actions", "There is no action yet."))
    found += [
        Check("warning", "actions", f"An action without an owner or a date: “{_short(line)}”")
        for line in actions
        if line.startswith("|") and "" in [cell.strip() for cell in line.strip("|").split("|")][1:3]
    ]
    found += [
        Check("warning", "hypotheses", f"A stale pin: {pin.title}")
        for pin in case.pins
        if pin.stale
    ]
    return found


def _short(line: str) -> str:
    return line if len(line) <= 90 else line[:89] + "…"
