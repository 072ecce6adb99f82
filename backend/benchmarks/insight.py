"""What the analysis says of incidents whose truth is known: `make bench-insight`.

Every folder with a GROUND_TRUTH.md below the given ones is read as one incident (its experiment
folders as runs of their own) and held against ground-truth.json and truths.yaml. Quiet captures
are made by construction: the same evidence cut off before the onset, and the baseline's files
alone; they must show no stall and no finding above 0.5. Ends with 1 when a target is missed.

Usage: python -m benchmarks.insight [FOLDER ...]   (default: samples/ and $PILEUP_CAPTURES or
../shared/captures)
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl
import yaml

from pileup.analysis import Evidence, analyse, gather
from pileup.analysis.compare.trial import Run, trial
from pileup.analysis.contract import Analysis, TrialDoc
from pileup.analysis.evidence.times import parse
from pileup.cli.captures import Captures

REPOSITORY = Path(__file__).resolve().parents[2]
ONSET_S = 5.0
FALSE = 0.5
_BEFORE_S = 2
"""Seconds before the onset at which a quiet capture ends."""
_NOT_EVIDENCE = ("GROUND_TRUTH.md", "ground-truth.json", "sample.yaml", "README.md")
_TIMELESS = ("setting", "table")


@dataclass
class Row:
    """One line of the table."""

    name: str
    onset_s: float | None = None
    first: str = ""
    """The first finding, with its score."""
    place: int | None = None
    """Where the true cause stands; None when it is not found."""
    blocker: bool | None = None
    false: list[str] = field(default_factory=list)
    trial: TrialDoc | None = None
    wanted_trial: str | None = None
    missed: list[str] = field(default_factory=list)
    seconds: float = 0.0


def main() -> int:
    """Measure every folder, print the table, say what was missed."""
    given = [Path(one) for one in sys.argv[1:]] or _default()
    empty = [str(folder) for folder in given if not any(_incidents(folder))]
    if empty:
        print(f"no GROUND_TRUTH.md below {', '.join(empty)}: name folders of captures")
        return 2
    truths = yaml.safe_load((Path(__file__).parent / "truths.yaml").read_text())
    rows: list[Row] = []
    for folder in given:
        for incident in _incidents(folder):
            for row in measured(incident, truths):
                rows.append(row)
                print(_line(row), flush=True)
    missed = [f"{row.name}: {one}" for row in rows for one in row.missed]
    print(f"\n{len(rows)} captures, {len(missed)} targets missed" + ":" * bool(missed))
    print("\n".join(missed))
    return 1 if missed else 0


def measured(folder: Path, truths: dict[str, Any]) -> Iterator[Row]:
    """The incident, its quiet beginning, then each of its experiments."""
    truth = truths.get(folder.name, {}) | _own_truth(folder)
    name = "/".join(folder.parts[-2:])
    evidence = read(folder)
    yield _incident(name, evidence, truth)
    if "onset" in truth:
        yield _quiet(f"{name} before", before(evidence, parse(truth["onset"])))
    quiet = [one for one in folder.rglob("*baseline*") if not _in_experiment(one)]
    if quiet:
        yield _quiet(f"{name} baseline's files", _taken(quiet))
    wanted = truth.get("experiments", {})
    for run in sorted(one for one in folder.iterdir() if one.name.startswith("experiment")):
        tried = read(run)
        yield _experiment(f"{name}/{run.name}", evidence, tried, wanted.get(run.name))
        own = _own_truth(run)
        if "onset" in own:
            yield _quiet(f"{name}/{run.name} before", before(tried, parse(own["onset"])))


def read(folder: Path) -> Evidence:
    """The evidence of one folder, without what tells the truth."""
    root = folder / "artifacts" if (folder / "artifacts").is_dir() else folder
    return _taken(
        [
            one
            for one in root.iterdir()
            if one.name not in _NOT_EVIDENCE and not one.name.startswith("experiment")
        ]
    )


def _taken(paths: Sequence[Path]) -> Evidence:
    captures = Captures()
    captures.read(sorted(paths))
    return gather(captures.artifacts)


def _in_experiment(path: Path) -> bool:
    return any(part.startswith("experiment") for part in path.parts)


def before(evidence: Evidence, onset: int) -> Evidence:
    """A quiet capture by construction: what was known before the onset, settings as they are."""
    end = onset - _BEFORE_S * 1_000_000
    frames = {
        kind: frame if kind in _TIMELESS else frame.filter(pl.col("time") < end)
        for kind, frame in evidence.frames.items()
    }
    return replace(evidence, frames=frames)


def _incident(name: str, evidence: Evidence, truth: dict[str, Any]) -> Row:
    row = Row(name)
    start = time.perf_counter()
    analysis = analyse(evidence)
    row.seconds = time.perf_counter() - start
    _place(row, analysis, truth)
    stalls = [one for one in analysis.stalls if one.kind == "stall"]
    if "onset" in truth:
        errors = [(parse(one.onset) - parse(truth["onset"])) / 1e6 for one in stalls]
        row.onset_s = min(errors, key=abs, default=None)
        if row.onset_s is None or abs(row.onset_s) > ONSET_S:
            row.missed.append(f"onset wrong by {row.onset_s} s (at most {ONSET_S})")
    if pattern := truth.get("blocker"):
        first = analysis.blockers[0] if analysis.blockers else None
        text = f"{first.holder} {first.why}" if first else ""
        row.blocker = bool(re.search(pattern, text, re.IGNORECASE))
        if not row.blocker:
            row.missed.append(f"root blocker is '{text}', not '{pattern}'")
    return row


def _place(row: Row, analysis: Analysis, truth: dict[str, Any]) -> None:
    ids = [one.id for one in analysis.findings]
    row.first = f"{ids[0]} {analysis.findings[0].score:.2f}" if ids else "nothing"
    causes = truth.get("cause")
    if causes is None:
        return
    row.place = next((i + 1 for i, one in enumerate(ids) if one in causes), None)
    if row.place != 1:
        row.missed.append(f"true cause {causes} at place {row.place}, first is {row.first}")
    allowed = {*causes, *truth.get("also", ())}
    row.false = [
        f"{one.id} {one.score:.2f}"
        for one in analysis.findings
        if one.score > FALSE and one.id not in allowed
    ]
    row.missed += [f"false finding {one}" for one in row.false]


def _quiet(name: str, evidence: Evidence) -> Row:
    row = Row(name, first="quiet")
    analysis = analyse(evidence)
    row.missed += [f"stall at {s.onset}" for s in analysis.stalls if s.kind == "stall"]
    row.false = [f"{f.id} {f.score:.2f}" for f in analysis.findings if f.score > FALSE]
    row.missed += [f"false finding {one}" for one in row.false]
    return row


def _experiment(name: str, incident: Evidence, run: Evidence, wanted: str | None) -> Row:
    """The run against the incident; turned round it must be the opposite, with itself the same."""
    row = Row(name, wanted_trial=wanted)
    one, other = Run.of("the incident", incident), Run.of("the run", run)
    row.trial = trial(one, other)
    back, self = trial(other, one), trial(one, one)
    analysis = analyse(run)
    best = analysis.findings[0] if analysis.findings else None
    row.first = f"{best.id} {best.score:.2f}" if best else "nothing"
    opposite = {"better": "worse", "worse": "better"}.get(row.trial.verdict, row.trial.verdict)
    if wanted is not None and row.trial.verdict != wanted:
        row.missed.append(f"experiment is {row.trial.verdict}, not {wanted}: {row.trial.text}")
    if back.verdict != opposite or self.verdict != "same":
        row.missed.append(f"turned round it is {back.verdict}, with itself {self.verdict}")
    return row


def _incidents(folder: Path) -> list[Path]:
    """Folders with a truth, not those below them (their experiments)."""
    found = sorted(one.parent for one in folder.rglob("GROUND_TRUTH.md"))
    return [one for one in found if not any(other in one.parents for other in found)]


def _own_truth(folder: Path) -> dict[str, Any]:
    path = folder / "ground-truth.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def _default() -> list[Path]:
    told = os.environ.get("PILEUP_CAPTURES")
    captures = Path(told) if told else REPOSITORY.parent / "shared" / "captures"
    return [REPOSITORY / "samples", *([captures] if captures.is_dir() else [])]


def _line(row: Row) -> str:
    parts = [f"{row.name:<66}"]
    parts.append(f"{row.onset_s:+5.1f} s" if row.onset_s is not None else " " * 7)
    parts.append(f"{row.first:<30}")
    parts.append(f"top-{row.place}" if row.place else "     ")
    parts.append({True: "root ok", False: "ROOT NO", None: "       "}[row.blocker])
    parts.append(f"{row.trial.verdict:<8}" if row.trial else " " * 8)
    parts.append(f"{len(row.false)} false")
    parts.append("ok" if not row.missed else "MISSED")
    return "  ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
