"""Compare the analysis with incidents whose true cause is known: `make bench-insight`.

Every folder with a GROUND_TRUTH.md below the given ones is read as one incident (its experiment
folders as runs of their own) and compared with ground-truth.json and truths.yaml. Quiet captures
are constructed: the same evidence cut before the onset, and the baseline's files alone; they must
show no stall and no finding above 0.5. Exits with 1 if a target is missed.

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
    """A line of the table."""

    name: str
    onset_s: float | None = None
    first: str = ""
    """The first finding, with its score."""
    place: int | None = None
    """Rank of the true cause among the findings; None if it is missing."""
    blocker: bool | None = None
    false: list[str] = field(default_factory=list)
    trial: TrialDoc | None = None
    wanted_trial: str | None = None
    benefit: tuple[float, float] | None = None
    """Predicted: the share of active-session time behind the first finding, as an interval."""
    missed: list[str] = field(default_factory=list)
    seconds: float = 0.0


def main() -> int:
    """Measure every folder, print the table and the missed targets."""
    given = [Path(name) for name in sys.argv[1:]] or _default()
    empty = [str(folder) for folder in given if not any(_incidents(folder))]
    if empty:
        print(f"no GROUND_TRUTH.md below {', '.join(empty)}: name folders of captures")
        return 2
    truths = yaml.safe_load((Path(__file__).parent / "truths.yaml").read_text())
    rows: list[Row] = []
    for folder in given:
        for incident in _incidents(folder):
            for row in measure(incident, truths):
                rows.append(row)
                print(_line(row), flush=True)
    missed = [f"{row.name}: {target}" for row in rows for target in row.missed]
    print(f"\n{len(rows)} captures, {len(missed)} targets missed" + ":" * bool(missed))
    print("\n".join(missed))
    return 1 if missed else 0


def measure(folder: Path, truths: dict[str, Any]) -> Iterator[Row]:
    """Yield a row for the incident, for its quiet parts, and for each of its experiments."""
    truth = truths.get(folder.name, {}) | _own_truth(folder)
    name = "/".join(folder.parts[-2:])
    evidence = read(folder)
    incident = _incident(name, evidence, truth)
    yield incident
    if "onset" in truth:
        yield _quiet(f"{name} before", before(evidence, parse(truth["onset"])))
    quiet = [path for path in folder.rglob("*baseline*") if not _in_experiment(path)]
    if quiet:
        yield _quiet(f"{name} baseline's files", _gather(quiet))
    wanted = truth.get("experiments", {})
    for run in sorted(path for path in folder.iterdir() if path.name.startswith("experiment")):
        tried = read(run)
        row = _experiment(f"{name}/{run.name}", evidence, tried, wanted.get(run.name))
        row.benefit = incident.benefit
        yield row
        own = _own_truth(run)
        if "onset" in own:
            yield _quiet(f"{name}/{run.name} before", before(tried, parse(own["onset"])))


def read(folder: Path) -> Evidence:
    """Read the evidence of a folder, without the files that reveal the truth."""
    root = folder / "artifacts" if (folder / "artifacts").is_dir() else folder
    return _gather(
        [
            path
            for path in root.iterdir()
            if path.name not in _NOT_EVIDENCE and not path.name.startswith("experiment")
        ]
    )


def _gather(paths: Sequence[Path]) -> Evidence:
    captures = Captures()
    captures.read(sorted(paths))
    return gather(captures.artifacts)


def _in_experiment(path: Path) -> bool:
    return any(part.startswith("experiment") for part in path.parts)


def before(evidence: Evidence, onset: int) -> Evidence:
    """Construct a quiet capture: the evidence before the onset, with all settings."""
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
    stalls = [stall for stall in analysis.stalls if stall.kind == "stall"]
    if "onset" in truth:
        errors = [(parse(stall.onset) - parse(truth["onset"])) / 1e6 for stall in stalls]
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
    ids = [finding.id for finding in analysis.findings]
    row.first = f"{ids[0]} {analysis.findings[0].score:.2f}" if ids else "nothing"
    first = next(iter(analysis.findings), None)
    if first is not None and len(first.impact_range) == 2:
        row.benefit = (first.impact_range[0], first.impact_range[1])
    causes = truth.get("cause")
    if causes is None:
        return
    row.place = next((at for at, name in enumerate(ids, start=1) if name in causes), None)
    if row.place != 1:
        row.missed.append(f"true cause {causes} at place {row.place}, first is {row.first}")
    allowed = {*causes, *truth.get("also", ())}
    row.false = [
        f"{finding.id} {finding.score:.2f}"
        for finding in analysis.findings
        if finding.score > FALSE and finding.id not in allowed
    ]
    row.missed += [f"false finding {finding}" for finding in row.false]


def _quiet(name: str, evidence: Evidence) -> Row:
    row = Row(name, first="quiet")
    analysis = analyse(evidence)
    row.missed += [f"stall at {s.onset}" for s in analysis.stalls if s.kind == "stall"]
    row.false = [f"{f.id} {f.score:.2f}" for f in analysis.findings if f.score > FALSE]
    row.missed += [f"false finding {finding}" for finding in row.false]
    return row


def _experiment(name: str, incident: Evidence, run: Evidence, wanted: str | None) -> Row:
    """Compare the run with the incident, the reverse, and the incident with itself.

    The reverse must have the opposite verdict; the incident compared with itself must be the same.
    """
    row = Row(name, wanted_trial=wanted)
    first, second = Run.of("the incident", incident), Run.of("the run", run)
    row.trial = trial(first, second)
    back, self = trial(second, first), trial(first, first)
    analysis = analyse(run)
    best = analysis.findings[0] if analysis.findings else None
    row.first = f"{best.id} {best.score:.2f}" if best else "nothing"
    opposite = {"better": "worse", "worse": "better"}.get(row.trial.verdict, row.trial.verdict)
    if wanted is not None and row.trial.verdict != wanted:
        row.missed.append(f"experiment is {row.trial.verdict}, not {wanted}: {row.trial.text}")
    if back.verdict != opposite or self.verdict != "same":
        row.missed.append(f"the reverse is {back.verdict}, with itself {self.verdict}")
    return row


def _incidents(folder: Path) -> list[Path]:
    """List the folders with a truth, without those below them (their experiments)."""
    folders = sorted(path.parent for path in folder.rglob("GROUND_TRUTH.md"))
    return [path for path in folders if not any(other in path.parents for other in folders)]


def _own_truth(folder: Path) -> dict[str, Any]:
    path = folder / "ground-truth.json"
    truth: dict[str, Any] = json.loads(path.read_text()) if path.is_file() else {}
    return truth


def _default() -> list[Path]:
    configured = os.environ.get("PILEUP_CAPTURES")
    captures = Path(configured) if configured else REPOSITORY.parent / "shared" / "captures"
    return [REPOSITORY / "samples", *([captures] if captures.is_dir() else [])]


def _line(row: Row) -> str:
    parts = [f"{row.name:<66}"]
    parts.append(f"{row.onset_s:+5.1f} s" if row.onset_s is not None else " " * 7)
    parts.append(f"{row.first:<30}")
    parts.append(f"top-{row.place}" if row.place else "     ")
    parts.append({True: "root ok", False: "ROOT NO", None: "       "}[row.blocker])
    parts.append(f"{row.trial.verdict:<8}" if row.trial else " " * 8)
    parts.append(f"{_benefit(row):<32}")
    parts.append(f"{len(row.false)} false")
    parts.append("ok" if not row.missed else "MISSED")
    return "  ".join(parts)


def _benefit(row: Row) -> str:
    """Compare what the first finding promises with what the experiment saved, per statement."""
    trial = row.trial
    if trial is None or row.benefit is None or not trial.before_s or trial.after_s is None:
        return ""
    low, high = row.benefit
    return f"promised {low:.0%} to {high:.0%}, saved {1 - trial.after_s / trial.before_s:.0%}"


if __name__ == "__main__":
    sys.exit(main())
