"""Compare sides of an incident: parts of its evidence, captures, hosts, and runs of experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from pileup.analysis import main_stall
from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.fleet import fleet
from pileup.analysis.compare.overlay import overlay
from pileup.analysis.compare.sides import Align, Group, Member, NotAlignedError
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import FleetDoc, OverlayDoc, SidesDoc, StallDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence
from pileup.analysis.evidence.series import values
from pileup.analysis.evidence.times import parse
from pileup.analysis.stalls import detection
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, NotFound
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import WAIT_KINDS, PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.reasoning.experiments import Experiments
from pileup.views.reasoning.run_evidence import run_evidence
from pileup.views.reasoning.stall import Stall, stall_of, stored_stall
from pileup.views.source import NotAnalysed
from pileup.views.window import moment_at

KINDS = (*WAIT_KINDS, "sample", "table")
"""What a comparison is made of: wait graphs, series, settings and tables."""
Part = Literal["whole", "baseline", "stall", "window"]


class NoStall(Conflict):
    """Raised when a side should be a stall, or the baseline before it, and has none."""


class NoBaseline(Conflict):
    """Raised when a side starts inside its stall."""


class NotAligned(Conflict):
    """Raised when the sides have nothing in common to align them by."""


class NoSuchCapture(NotFound):
    """Raised when the incident has no such capture or stall."""


class NoSuchRun(NotFound):
    """Raised when the experiment does not belong to this incident."""


@dataclass(frozen=True, slots=True)
class SideQuery:
    """One side of a comparison."""

    name: str
    part: Part
    window: Span | None
    """Of the part ``window``."""
    host: str | None
    capture: str | None
    """Id of a capture, or of a stall in one."""
    experiments: tuple[str, ...]
    """Ids: the runs of this side."""

    @property
    def label(self) -> str:
        words: list[str] = [self.part if self.part != "whole" else "everything"]
        if self.host:
            words.append(f"on {self.host}")
        if self.capture:
            words.append(f"of {self.capture}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class CompareRun:
    id: str
    number: int
    title: str
    artifacts: int


@dataclass(frozen=True, slots=True)
class CompareStall:
    id: str
    onset: datetime
    duration_s: float | None


@dataclass(frozen=True, slots=True)
class CompareCapture:
    id: str
    host: str | None
    first: datetime | None
    last: datetime | None
    stalls: list[CompareStall]


@dataclass(frozen=True, slots=True)
class CompareChoices:
    """Hosts, captures and runs that a side can use."""

    hosts: list[str]
    captures: list[CompareCapture]
    runs: list[CompareRun]
    """Experiments with artifacts of their own."""
    has_stall: bool
    has_baseline: bool


@dataclass(frozen=True, slots=True)
class StoredCaptures:
    """The captures of the last analysis and their stalls, as documents."""

    captures: Sequence[Mapping[str, Any]]
    episodes: Sequence[Mapping[str, Any]]

    def choices(self) -> list[CompareCapture]:
        return [
            CompareCapture(
                id=capture["id"],
                host=capture["host"],
                first=_time(capture["first"]),
                last=_time(capture["last"]),
                stalls=[
                    CompareStall(
                        id=episode["id"],
                        onset=datetime.fromisoformat(episode["stall"]["onset"]),
                        duration_s=episode["stall"]["duration_s"],
                    )
                    for episode in self._stalls(capture)
                ],
            )
            for capture in self.captures
        ]

    def side(self, side: SideQuery, evidence: Evidence) -> Group:
        """Return the side of a capture, or of one of its stalls. Raises NoSuchCapture."""
        capture, stall = self._find(side.capture or "")
        span = _span(side, stall)
        label = _capture_label(side, capture, stall)
        if span is None and capture["first"] is not None and capture["last"] is not None:
            span = Span(parse(capture["first"]), parse(capture["last"]) + 999_999)
        narrowed = Side(
            label,
            evidence,
            span,
            side.host or capture["host"],
            frozenset(capture["artifacts"]) or None,
            keeps_untimed=side.part == "whole",
        )
        return Group(label, (Member(narrowed, stall.span.start if stall else None),))

    def _find(self, name: str) -> tuple[Mapping[str, Any], Stall | None]:
        by_id = {capture["id"]: capture for capture in self.captures}
        for episode in self.episodes:
            if episode["id"] == name and episode["capture"] in by_id:
                return by_id[episode["capture"]], _stall(episode)
        for capture in self.captures:
            if name == capture["id"] or name in capture["bundles"]:
                longest = max(self._stalls(capture), key=_length, default=None)
                return capture, None if longest is None else _stall(longest)
        raise NoSuchCapture(f"the incident has no capture and no stall {name!r}")

    def _stalls(self, capture: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        return [episode for episode in self.episodes if episode["capture"] == capture["id"]]


def _stall(episode: Mapping[str, Any]) -> Stall:
    return stall_of(msgspec.convert(episode["stall"], StallDoc))


def _length(episode: Mapping[str, Any]) -> float:
    return float(episode["stall"]["duration_s"] or 0.0)


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _capture_label(side: SideQuery, capture: Mapping[str, Any], stall: Stall | None) -> str:
    """Name a side: 'stall of the capture from 2015-11-06 19:34:14 UTC'."""
    what = "capture" if side.part == "whole" else f"{side.part} of the capture"
    first = _time(capture["first"])
    if side.part in ("stall", "baseline") and stall is not None:
        first = moment_at(stall.span.start)
        what = "stall" if side.part == "stall" else "baseline of the stall"
    when = f" from {first:%Y-%m-%d %H:%M:%S} UTC" if first is not None else ""
    return f"{what}{when}"


@dataclass(frozen=True, slots=True)
class StoredSides:
    """The sides that an incident offers: its last analysis and the runs of its experiments.

    Its methods raise NotAnalysed before the first analysis, NoSuchCapture, NoSuchRun, NoStall and
    NoBaseline for what a side does not have, NothingToCompare for a run whose files were not read,
    NotAligned when the sides cannot be aligned.
    """

    unit: Unit
    placed: PlacedStore
    frames: FrameStore
    incident_id: str

    def choices(self) -> CompareChoices:
        """List the hosts, captures and runs of this incident."""
        listed = Artifacts(self.unit).of_incident(self.incident_id)
        stall = stored_stall(self.unit, self.incident_id)
        return CompareChoices(
            hosts=sorted({artifact.host for artifact in listed if artifact.host}),
            captures=self._captures().choices(),
            runs=[
                CompareRun(
                    id=experiment.id,
                    number=experiment.number,
                    title=experiment.title,
                    artifacts=len(experiment.artifacts),
                )
                for experiment in Experiments(self.unit).of_incident(self.incident_id)
                if experiment.artifacts
            ],
            has_stall=stall is not None,
            has_baseline=stall is not None and stall.baseline is not None,
        )

    def compared(
        self,
        sides: Sequence[SideQuery],
        align: Align,
        window: tuple[float, float] | None,
        reference: int,
    ) -> SidesDoc:
        """Compare two or more sides; the most important difference comes first.

        window: seconds around the onset or start of every side. reference: the side to compare
        the others with, from 0.
        """
        groups = self._groups(sides)
        try:
            return compare_sides(groups, align, window, reference)
        except NotAlignedError as error:
            raise NotAligned(str(error)) from None

    def overlaid(self, sides: Sequence[SideQuery], series: str, align: Align) -> OverlayDoc:
        """Return one series of every side on a shared axis of seconds."""
        groups = self._groups(sides)
        try:
            return overlay(groups, series, align)
        except NotAlignedError as error:
            raise NotAligned(str(error)) from None

    def fleet(self, span: Span | None) -> FleetDoc:
        """List the hosts that differ from the others, in a window or over all of the incident."""
        return fleet(self._evidence(), span)

    def _groups(self, sides: Sequence[SideQuery]) -> list[Group]:
        return [self._group(side) for side in sides]

    def _group(self, side: SideQuery) -> Group:
        if side.experiments:
            members = tuple(self._run(side, each) for each in side.experiments)
            label = members[0].side.label if len(members) == 1 else f"{len(members)} runs"
            return Group(label, members)
        evidence = self._evidence()
        if side.capture is not None:
            return self._captures().side(side, evidence)
        stall = stored_stall(self.unit, self.incident_id)
        whole = Side(side.label, evidence, _span(side, stall), side.host)
        return Group(side.label, (Member(whole, stall.span.start if stall else None),))

    def _captures(self) -> StoredCaptures:
        parts = Analyses(self.unit).parts(self.incident_id, "captures", "episodes") or {}
        return StoredCaptures(parts.get("captures") or [], parts.get("episodes") or [])

    def _run(self, side: SideQuery, experiment_id: str) -> Member:
        experiment = Experiments(self.unit).get(experiment_id)
        if experiment.incident_id != self.incident_id:
            raise NoSuchRun("that experiment belongs to another incident")
        evidence = run_evidence(self.unit, self.frames, experiment)
        label = f"experiment {experiment.number}: {experiment.title}"
        if side.part != "whole":
            label = f"{side.part} of {label}"
        stall = _detected(evidence)
        run = Side(label, evidence, _span(side, stall), side.host)
        return Member(run, stall.span.start if stall else None)

    def _evidence(self) -> Evidence:
        evidence = self.placed.load(self.incident_id, KINDS)
        if evidence is None:
            raise NotAnalysed
        return evidence


def _span(side: SideQuery, stall: Stall | None) -> Span | None:
    """Return the window that a side means; None: everything."""
    if side.part == "whole":
        return None
    if side.part == "window":
        return side.window
    if stall is None:
        raise NoStall(f"side {side.name} has no stall: choose a window instead")
    if side.part == "stall":
        return stall.span
    if stall.baseline is None:
        raise NoBaseline(f"side {side.name} starts inside its stall: choose a window")
    return stall.baseline


def _detected(evidence: Evidence) -> Stall | None:
    """Detect the main stall of evidence that is not part of the incident's analysis."""
    stall = main_stall(detection.find(evidence, values(evidence.frame("sample"))))
    return None if stall is None else Stall(stall.span, stall.baseline)
