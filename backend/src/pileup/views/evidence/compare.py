"""Compare sides of an incident: parts of its evidence, bundles, hosts, and runs of experiments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pileup.analysis import main_stall
from pileup.analysis.compare.differences import Side
from pileup.analysis.compare.fleet import fleet
from pileup.analysis.compare.overlay import overlay
from pileup.analysis.compare.sides import Align, Group, Member, NotAlignedError
from pileup.analysis.compare.sides_comparison import compare_sides
from pileup.analysis.contract import FleetDoc, OverlayDoc, SidesDoc
from pileup.analysis.evidence.context import Span
from pileup.analysis.evidence.evidence import Evidence, bundle_of
from pileup.analysis.evidence.series import values
from pileup.analysis.stalls import detection
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, NotFound
from pileup.storage.files.frames import FrameStore
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.reasoning.experiments import Experiments
from pileup.views.reasoning.run_evidence import run_evidence
from pileup.views.reasoning.stall import Stall, stored_stall
from pileup.views.source import NotAnalysed

KINDS = ("snapshot", "semaphore_wait", "stack", "sample", "setting", "table")
"""What a comparison is made of."""
Part = Literal["whole", "baseline", "stall", "window"]


class NoStall(Conflict):
    """Raised when a side should be a stall, or the baseline before it, and has none."""


class NoBaseline(Conflict):
    """Raised when a side starts inside its stall."""


class NotAligned(Conflict):
    """Raised when the sides have nothing in common to align them by."""


class NoSuchBundle(NotFound):
    """Raised when no artifact of the incident belongs to this bundle."""


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
    bundle: str | None
    experiments: tuple[str, ...]
    """Ids: the runs of this side."""

    @property
    def label(self) -> str:
        words: list[str] = [self.part if self.part != "whole" else "everything"]
        if self.host:
            words.append(f"on {self.host}")
        if self.bundle:
            words.append(f"of {self.bundle}")
        return " ".join(words)


@dataclass(frozen=True, slots=True)
class CompareRun:
    id: str
    number: int
    title: str
    artifacts: int


@dataclass(frozen=True, slots=True)
class CompareChoices:
    """Hosts, bundles and runs that a side can use."""

    hosts: list[str]
    bundles: list[str]
    runs: list[CompareRun]
    """Experiments with artifacts of their own."""
    has_stall: bool
    has_baseline: bool


@dataclass(frozen=True, slots=True)
class StoredSides:
    """The sides that an incident offers: its last analysis and the runs of its experiments.

    Its methods raise NotAnalysed before the first analysis, NoSuchBundle, NoSuchRun, NoStall and
    NoBaseline for what a side does not have, NothingToCompare for a run whose files were not read,
    NotAligned when the sides cannot be aligned.
    """

    unit: Unit
    placed: PlacedStore
    frames: FrameStore
    incident_id: str

    def choices(self) -> CompareChoices:
        """List the hosts, bundles and runs of this incident."""
        index = self.placed.index(self.incident_id)
        artifacts = index.artifacts if index else ()
        listed = Artifacts(self.unit).of_incident(self.incident_id)
        stall = stored_stall(self.unit, self.incident_id)
        return CompareChoices(
            hosts=sorted({artifact.host for artifact in listed if artifact.host}),
            bundles=sorted({artifact.bundle for artifact in artifacts if artifact.bundle}),
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
        """Compare two or more sides; the clearest difference comes first.

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
        chosen = None
        if side.bundle is not None:
            chosen = frozenset(
                artifact.sha256
                for artifact in evidence.artifacts
                if side.bundle in {artifact.bundle, *map(bundle_of, artifact.copies)}
            )
            if not chosen:
                raise NoSuchBundle(f"no artifact is of the bundle {side.bundle!r}")
        stall = stored_stall(self.unit, self.incident_id)
        narrowed = Side(side.label, evidence, _span(side, stall), side.host, chosen)
        # another bundle than the one of the longest stall has its own, or none
        own = _detected(narrowed.narrowed()) if chosen is not None else stall
        return Group(side.label, (Member(narrowed, own.span.start if own else None),))

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
