"""Analyse a case and compare it with the truth."""

from __future__ import annotations

import math
import re
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from benchmarks.incidents.cases import Case, Plan, make
from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.analysis.evidence.times import parse
from pileup.cli.captures import Captures

SURE = 0.5
_ONE = {"metric-csv": "csv", "csv-table": "csv", "slow-csv": "csv"}
"""Formats that are one for us: which of them reads a CSV depends on its columns."""


@dataclass
class Outcome:
    """How the analysis of one case compares with its truth."""

    plan: Plan
    healthy: bool
    shown: bool
    waiting: int
    findings: list[tuple[str, float, bool]] = field(default_factory=list)
    """Id, score, and whether it is true."""
    place: int | None = None
    """Rank of the first true cause; None: missing."""
    root: bool | None = None
    """Whether the first root blocker is the real one; None: the files do not show it."""
    root_text: str = ""
    not_found: bool = False
    """Whether the true mechanism is missing and listed as checked and not found."""
    stalled: bool = False
    onset_s: float | None = None
    unread: list[str] = field(default_factory=list)
    """Files that were not read as what they are."""
    seconds: float = 0.0

    @property
    def wrong(self) -> list[tuple[str, float]]:
        """The false findings stated above 0.5."""
        return [(name, score) for name, score, right in self.findings if score > SURE and not right]


@cache
def truths() -> dict[str, Any]:
    """Return the table of mechanisms and the findings that name them."""
    table: dict[str, Any] = yaml.safe_load((Path(__file__).parent / "truths.yaml").read_text())
    return table


def measure(plan: Plan) -> Outcome:
    """Make a case, analyse it and compare."""
    case = make(plan)
    with tempfile.TemporaryDirectory(prefix="pileup-case-") as folder:
        paths = write(case, Path(folder))
        start = time.perf_counter()
        captures = Captures()
        captures.read(paths)
        analysis = analyse(gather(captures.artifacts))
        seconds = time.perf_counter() - start
    outcome = compare(case, analysis)
    outcome.seconds = seconds
    for artifact, _ in captures.artifacts:
        wanted = case.formats.get(Path(artifact.path).name)
        read_as = _ONE.get(artifact.format or "", artifact.format)
        if wanted and (read_as != wanted or not sum(artifact.records.values())):
            outcome.unread.append(f"{artifact.path}: {artifact.format}, not {wanted}")
    return outcome


def write(case: Case, folder: Path) -> list[Path]:
    """Write the files of a case into a folder."""
    paths = []
    for name, text in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        paths.append(path)
    return paths


def compare(case: Case, analysis: Analysis) -> Outcome:
    """Compare an analysis with the truth of its case."""
    known = truths().get(case.truth.mechanism, {})
    causes, also = set(known.get("cause", ())), set(known.get("also", ()))
    outcome = Outcome(case.plan, case.truth.healthy, case.shown, case.waiting)
    problems = [f for f in analysis.findings if getattr(f, "role", "problem") == "problem"]
    for place, finding in enumerate(problems, start=1):
        names = {finding.id, *(known.id for known in getattr(finding, "known_as", ()))}
        names = {name for name in names if _exists_on(name, case.plan.server)}
        outcome.findings.append((finding.id, finding.score, bool(names & (causes | also))))
        if outcome.place is None and names & causes:
            outcome.place = place
    absent = {a.id for a in analysis.absences if a.verdict == "not_found"}
    outcome.not_found = case.shown and outcome.place is None and bool(absent & causes)
    onsets = [parse(stall.onset) for stall in analysis.stalls if stall.kind == "stall"]
    if case.onset is not None:
        true = case.onset.timestamp()
        errors = [at / 1e6 - true for at in onsets]
        outcome.onset_s = min(errors, key=abs, default=math.inf)
    outcome.stalled = any(stall.kind == "stall" for stall in analysis.stalls)
    if case.rooted and not case.truth.healthy:
        first = analysis.roots[0] if analysis.roots else None
        outcome.root_text = f"{first.label} ({first.why})" if first else "nobody"
        outcome.root = first is not None and _is_root(case, f"{first.key} {first.label}")
    return outcome


def _exists_on(finding: str, server: str) -> bool:
    """Whether a finding can be true on a server: a bug of MariaDB is none of MySQL's."""
    if finding.startswith(("mdev-", "mariadb-")):
        return server.startswith("ma")
    if finding.startswith(("percona-", "ps-")):
        return server.startswith("ps")
    return True


def _is_root(case: Case, root: str) -> bool:
    if any(re.search(rf"\b{name}\b", root) for name in case.holders):
        return True  # one dump shows who holds a latch now, not that the holders rotate
    if case.truth.root_session is not None and not case.truth.root:
        return bool(re.search(rf"session[ :]{case.truth.root_session}\b", root))
    return bool(re.search(case.truth.root, root, re.IGNORECASE))
