"""Build the matrix as one person may see it, now or at an earlier time.

Blind first rating: a person sees no rating of others, and no score counts them, before that
person has rated the cell, the facilitator opened it, or the incident is published.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, cast

from pileup.analysis.reasoning.discriminate import Named, Try, next_steps
from pileup.analysis.reasoning.matrix import (
    DISCRIMINATES,
    Cells,
    Column,
    Level,
    Rating,
    Row,
    Turn,
    disagreement,
    evaluate,
    nearest,
)
from pileup.analysis.reasoning.matrix import Matrix as Evaluated
from pileup.analysis.reasoning.proposals import Held, Proposal, Tried, propose
from pileup.storage.database import Unit
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.incidents.incidents import Incident
from pileup.storage.reasoning.comments import Comments
from pileup.storage.reasoning.experiments import ExperimentRecord, Experiments
from pileup.storage.reasoning.hypotheses import Hypotheses, HypothesisRecord
from pileup.storage.reasoning.pins import PinRecord, Pins
from pileup.storage.reasoning.ratings import UNSET, Ratings, Vote, is_open

Mode = Literal["consensus", "mine"]


@dataclass(frozen=True, slots=True)
class MatrixVote:
    by: str
    rating: Rating
    at: datetime
    mine: bool


@dataclass(frozen=True, slots=True)
class MatrixCell:
    hypothesis_id: str
    mine: Rating | None
    shown: Rating | None
    """The letter of this mode: mine, or the consensus of what I may see."""
    points: float | None
    """The consensus as a number, -2 to 2; None when not applicable or not rated."""
    votes: list[MatrixVote]
    """Everybody's, mine first; empty while the cell is blind for me."""
    blind: bool
    """Others rated and I may not see it yet."""
    disagreement: float | None
    """Of two or more visible votes: 0 when they agree, 2 at most."""
    proposed: Proposal | None
    """What a rule proposes; it counts nothing until somebody gives that rating."""
    comments: int


@dataclass(frozen=True, slots=True)
class MatrixRow:
    pin_id: str
    label: str
    """'E7': its number among all pins of the incident, also when others are withdrawn."""
    title: str
    kind: str
    """observation, experiment, absence or testimony."""
    view: str
    stale: bool
    credibility: Level
    relevance: Level
    weight: float
    weight_revision: int
    """For If-Match when it is weighed."""
    diagnosticity: float | None
    discriminates: bool
    """False: rated, and the same for all; it tells nothing apart."""
    cells: list[MatrixCell]
    """In the order of ``hypotheses``."""


@dataclass(frozen=True, slots=True)
class MatrixHypothesis:
    id: str
    label: str
    statement: str
    status: str
    closed: bool
    confidence: int | None
    inconsistency: float
    consistency: float
    coverage: float | None
    rank: int | None
    leads: bool


@dataclass(frozen=True, slots=True)
class MatrixTurn:
    """Change of the leader when this row is left out."""

    pin_id: str
    label: str
    leaders: list[str]
    """Labels."""
    text: str


@dataclass(frozen=True, slots=True)
class MatrixStep:
    text: str
    why: str
    kind: Literal["rate", "experiment", "falsifier", "collect"]
    pin_id: str | None
    hypothesis_id: str | None
    """What an experiment or a falsifier is for."""
    experiment_id: str | None
    """The experiment, where it is planned or runs already."""


@dataclass(frozen=True, slots=True)
class MatrixNext:
    """Steps that discriminate between the two leaders."""

    pair: list[str]
    """Labels of the two."""
    standing: str
    steps: list[MatrixStep]


@dataclass(frozen=True, slots=True)
class Matrix:
    mode: Mode
    at: datetime | None
    """The time that it is shown at; None: now."""
    hypotheses: list[MatrixHypothesis]
    """The least contradicted first; refuted ones last."""
    rows: list[MatrixRow]
    """Grouped by kind, then the most telling first."""
    coverage: float | None
    hidden: int
    """Cells that others rated and that are blind for the asker."""
    turns: list[MatrixTurn]
    sensitivity: str
    """The turns in one sentence."""
    disputed: str | None
    """Where the ranking and people's confidence disagree."""
    next: MatrixNext | None
    moments: list[datetime]
    """Stops of the slider over time; at most 400 of them, spread."""
    may_open: bool
    """Whether the asker is the facilitator: the incident's owner, or an admin."""


KINDS = ("observation", "experiment", "absence", "testimony")
_MOMENTS = 400


@dataclass(frozen=True, slots=True)
class Asker:
    """Person who asks for the matrix; without an id, only opened cells are visible."""

    id: str | None
    may_open: bool = False


def matrix_for(
    unit: Unit,
    incident: Incident,
    asker: Asker,
    *,
    mode: Mode = "consensus",
    at: datetime | None = None,
) -> Matrix:
    """Build the whole matrix; reports and exports pass an asker too."""
    hypotheses = [h for h in Hypotheses(unit).of_incident(incident.id) if h.status != "superseded"]
    pins = Pins(unit).of_incident(incident.id)
    experiments = Experiments(unit).of_incident(incident.id)
    findings = (Analyses(unit).parts(incident.id, "findings") or {"findings": []})["findings"]
    ratings = Ratings(unit)
    seen = _Votes(unit, incident, asker, at)
    weights = ratings.weights(incident.id, at)
    columns = [Column(h.id, closed=h.status == "refuted") for h in hypotheses]
    rows = [
        Row(p.id, cast(Level, weight.credibility), cast(Level, weight.relevance))
        for p in pins
        for weight in [weights.get(p.id, UNSET)]
    ]
    evaluated = evaluate(rows, columns, seen.counted(mode))
    proposed = _proposals(pins, hypotheses, findings, experiments)
    comments = Comments(unit).counts(incident.id)
    columns_out = _columns(hypotheses, evaluated)
    names = {h.id: h.label for h in columns_out}
    labels = {p.id: p.label for p in pins}
    by_row = {row.id: row for row in rows}
    order = [h.id for h in columns_out]
    rows_out = [
        MatrixRow(
            pin_id=pin.id,
            label=pin.label,
            title=pin.title,
            kind=pin.evidence_kind,
            view=pin.view,
            stale=pin.stale,
            credibility=by_row[pin.id].credibility,
            relevance=by_row[pin.id].relevance,
            weight=by_row[pin.id].weight,
            weight_revision=weights.get(pin.id, UNSET).revision,
            diagnosticity=(diagnosticity := evaluated.diagnosticity[pin.id]),
            discriminates=diagnosticity is None or diagnosticity >= DISCRIMINATES,
            cells=[_cell(pin.id, h, seen, evaluated, proposed, comments, mode) for h in order],
        )
        for pin in pins
    ]
    rows_out.sort(key=lambda row: (KINDS.index(row.kind), -(row.diagnosticity or 0.0)))
    turns = [_turn(turn, names, labels) for turn in evaluated.turns]
    return Matrix(
        mode=mode,
        at=at,
        hypotheses=columns_out,
        rows=rows_out,
        coverage=evaluated.coverage,
        hidden=seen.hidden(),
        turns=turns,
        sensitivity=_sensitivity(turns, evaluated, names),
        disputed=_disputed(columns_out),
        next=_next(evaluated, rows, columns, hypotheses, findings, experiments, names, labels),
        moments=_spread(ratings.moments(incident.id)),
        may_open=asker.may_open,
    )


class _Votes:
    """Votes by cell, limited to those that the asker may see."""

    def __init__(self, unit: Unit, incident: Incident, asker: Asker, at: datetime | None) -> None:
        ratings = Ratings(unit)
        self._me = asker.id
        self._all = _by_cell(ratings.votes(incident.id, at))
        now = self._all if at is None else _by_cell(ratings.votes(incident.id))
        openings = ratings.openings(incident.id)
        published = incident.status == "published"
        self._free = {
            cell
            for cell, votes in (self._all | now).items()
            if published
            or is_open(openings, *cell)
            or any(vote.by_id == asker.id for vote in now.get(cell, votes))
        }

    def of(self, cell: tuple[str, str]) -> list[Vote]:
        """List the votes that the asker may see, their own first."""
        votes = self._all.get(cell, [])
        if cell not in self._free:
            votes = [vote for vote in votes if vote.by_id == self._me]
        return sorted(votes, key=lambda vote: (vote.by_id != self._me, vote.by, vote.by_id))

    def mine(self, cell: tuple[str, str]) -> Rating | None:
        text = next((v.rating for v in self._all.get(cell, []) if v.by_id == self._me), None)
        return cast(Rating | None, text)

    def blind(self, cell: tuple[str, str]) -> bool:
        return cell not in self._free and bool(self._all.get(cell))

    def hidden(self) -> int:
        return sum(self.blind(cell) for cell in self._all)

    def counted(self, mode: Mode) -> Cells:
        """Return the ratings by cell that count towards the scores of this mode."""
        ratings: dict[tuple[str, str], Sequence[Rating]] = {}
        for cell in self._all:
            votes = [v for v in self.of(cell) if mode == "consensus" or v.by_id == self._me]
            if votes:
                ratings[cell] = [cast(Rating, vote.rating) for vote in votes]
        return ratings


def _by_cell(votes: Sequence[Vote]) -> dict[tuple[str, str], list[Vote]]:
    cells: defaultdict[tuple[str, str], list[Vote]] = defaultdict(list)
    for vote in votes:
        cells[vote.pin_id, vote.hypothesis_id].append(vote)
    return dict(cells)


def _cell(
    pin: str,
    hypothesis: str,
    seen: _Votes,
    evaluated: Evaluated,
    proposed: Mapping[tuple[str, str], Proposal],
    comments: Mapping[str, int],
    mode: Mode,
) -> MatrixCell:
    cell = (pin, hypothesis)
    votes = seen.of(cell)
    mine = seen.mine(cell)
    points = evaluated.points[cell]
    proposal = proposed.get(cell)
    shown: Rating | None = mine
    if mode == "consensus" and votes:
        shown = "NA" if points is None else nearest(points)
    given = [cast(Rating, vote.rating) for vote in votes]
    return MatrixCell(
        hypothesis_id=hypothesis,
        mine=mine,
        shown=shown,
        points=points,
        votes=[
            MatrixVote(by=v.by, rating=cast(Rating, v.rating), at=v.at, mine=n == 0 and bool(mine))
            for n, v in enumerate(votes)
        ],
        blind=seen.blind(cell),
        disagreement=disagreement(given) if len(given) > 1 else None,
        proposed=proposal if not votes else None,
        comments=comments.get(f"cell:{pin}/{hypothesis}", 0),
    )


def _columns(hypotheses: Sequence[HypothesisRecord], matrix: Evaluated) -> list[MatrixHypothesis]:
    listed = [
        MatrixHypothesis(
            id=h.id,
            label=h.label,
            statement=h.statement,
            status=h.status,
            closed=h.status == "refuted",
            confidence=h.confidence,
            inconsistency=matrix.scores[h.id].inconsistency,
            consistency=matrix.scores[h.id].consistency,
            coverage=matrix.scores[h.id].coverage,
            rank=matrix.scores[h.id].rank,
            leads=h.id in matrix.leaders,
        )
        for h in hypotheses
    ]
    return sorted(listed, key=lambda h: (h.closed, h.rank is None, h.rank or 0, int(h.label[1:])))


def _proposals(
    pins: Sequence[PinRecord],
    hypotheses: Sequence[HypothesisRecord],
    findings: Sequence[Mapping[str, Any]],
    experiments: Sequence[ExperimentRecord],
) -> dict[tuple[str, str], Proposal]:
    return propose(
        [Held(pin.id, pin.locator) for pin in pins],
        {h.id: h.finding_id for h in hypotheses if h.finding_id},
        findings,
        [
            Tried(f"experiment {e.number}", e.hypothesis_id, e.verdict, tuple(p.id for p in e.pins))
            for e in experiments
            if e.hypothesis_id and e.verdict
        ],
    )


def _turn(turn: Turn, names: Mapping[str, str], labels: Mapping[str, str]) -> MatrixTurn:
    leaders = sorted(names[leader] for leader in turn.leaders)
    verb = "leads" if len(leaders) == 1 else "tie"
    label = labels[turn.row]
    return MatrixTurn(
        pin_id=turn.row,
        label=label,
        leaders=leaders,
        text=f"without {label}, {' and '.join(leaders)} {verb}",
    )


def _sensitivity(turns: Sequence[MatrixTurn], matrix: Evaluated, names: Mapping[str, str]) -> str:
    if not matrix.leaders:
        return "Nothing is rated yet, so nothing leads."
    now = " and ".join(sorted(names[leader] for leader in matrix.leaders))
    verb = "leads" if len(matrix.leaders) == 1 else "tie"
    if not turns:
        return f"{now} {verb}, and no single piece of evidence decides that."
    changes = "; ".join(turn.text for turn in turns[:6])
    more = f"; and {len(turns) - 6} more" if len(turns) > 6 else ""
    return f"{now} {verb}; {changes}{more}."


def _disputed(columns: Sequence[MatrixHypothesis]) -> str | None:
    leaders = [h for h in columns if h.leads]
    believed = [h for h in columns if h.confidence is not None and not h.closed]
    if not leaders or not believed:
        return None
    top = max(believed, key=lambda h: h.confidence or 0)
    if top.leads or any(h.confidence == top.confidence for h in leaders):
        return None
    named = " and ".join(h.label for h in leaders)
    return (
        f"You believe {top.label} most ({top.confidence}%), and the evidence contradicts {named} "
        "least."
    )


def _next(
    evaluated: Evaluated,
    rows: Sequence[Row],
    columns: Sequence[Column],
    hypotheses: Sequence[HypothesisRecord],
    findings: Sequence[Mapping[str, Any]],
    experiments: Sequence[ExperimentRecord],
    names: Mapping[str, str],
    labels: Mapping[str, str],
) -> MatrixNext | None:
    suggested = {f["id"]: f["experiment"] for f in findings if f.get("experiment")}
    tried = {e.hypothesis_id for e in experiments if e.verdict not in (None, "not_measurable")}
    named = {
        h.id: Named(
            label=names[h.id],
            falsifier=h.falsifier,
            experiments=(
                *(
                    Try(f"experiment {e.number}, {e.title}", e.id)
                    for e in experiments
                    if e.hypothesis_id == h.id and e.state != "finished"
                ),
                *(
                    [Try(_words(suggested[h.finding_id]))]
                    if h.finding_id in suggested and h.id not in tried
                    else []
                ),
            ),
        )
        for h in hypotheses
    }
    steps = next_steps(evaluated, rows, columns, named, labels)
    if steps is None:
        return None
    return MatrixNext(
        pair=[names[rival] for rival in steps.pair],
        standing=steps.standing,
        steps=[
            MatrixStep(
                text=s.text,
                why=s.why,
                kind=cast(Any, s.kind),
                pin_id=s.row,
                hypothesis_id=s.about,
                experiment_id=s.experiment,
            )
            for s in steps.steps
        ],
    )


def _words(experiment: Mapping[str, Any]) -> str:
    text = f"{str(experiment['change']).rstrip('.')}. Expect: {experiment['expect']}"
    refuted = experiment.get("refuted_if")
    return f"{text.rstrip('.')}. Disproved if: {refuted}" if refuted else text


def _spread(moments: list[datetime]) -> list[datetime]:
    if len(moments) <= _MOMENTS:
        return moments
    step = (len(moments) - 1) / (_MOMENTS - 1)
    return [moments[round(n * step)] for n in range(_MOMENTS)]
