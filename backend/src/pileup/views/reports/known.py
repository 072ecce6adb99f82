"""Collect the values that redaction replaces everywhere: those that the artifacts name."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

import polars as pl

from pileup.analysis.evidence.evidence import Evidence
from pileup.formats.reading.frame_buffer import Frames
from pileup.report.redaction.known_values import KnownValues
from pileup.report.redaction.plain_redaction import HOSTS, STATEMENTS, USERS
from pileup.report.redaction.redactor import Redactor
from pileup.report.redaction.statements import literals
from pileup.storage.database import Unit
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.reports.releases import Releases

MOST = 20_000
"""Distinct values of one column."""

_KINDS = ("session", "transaction", "query", "lock_wait", "deadlock", "foreign_key_error", "event")
_TEXTS = ("text", "message")


def redactor_for(
    unit: Unit, placed: PlacedStore, incident_id: str, kinds: Iterable[str]
) -> Redactor:
    """Return the redactor of an incident, which knows the values of its artifacts.

    Without kinds it removes passwords only, whose token needs no key.
    """
    chosen = tuple(kinds)
    if not chosen:
        return Redactor((), b"")
    key = Releases(unit).redaction_key(incident_id)
    run = placed.run(incident_id)
    known = _recent.get((incident_id, chosen, run))
    if known is None:
        redactor = Redactor(chosen, key, KnownValues())
        document = Analyses(unit).document(incident_id)
        if document is not None:
            hosts = (file["host"] for file in document["artifacts"] if file.get("host"))
            redactor.known.add("hosts", hosts)
        evidence = placed.load(incident_id, _KINDS)
        if evidence is not None:
            learn_evidence(redactor, evidence)
        known = redactor.known
        if run is not None:
            _recent.put((incident_id, chosen, run), known)
    return Redactor(chosen, key, known.copy())


class _Recent:
    """The tables of known values that were made last, as reading the evidence takes long."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._tables: dict[tuple[str, tuple[str, ...], str], KnownValues] = {}
        self._lock = Lock()

    def get(self, key: tuple[str, tuple[str, ...], str | None]) -> KnownValues | None:
        """Return the table of an incident, some kinds and a placed analysis."""
        incident_id, kinds, run = key
        return None if run is None else self._tables.get((incident_id, kinds, run))

    def put(self, key: tuple[str, tuple[str, ...], str], known: KnownValues) -> None:
        """Store a table; the oldest ones leave."""
        with self._lock:
            self._tables[key] = known
            while len(self._tables) > self._most:
                self._tables.pop(next(iter(self._tables)))


_recent = _Recent(4)


def learn_evidence(redactor: Redactor, evidence: Evidence) -> None:
    """Add the values that records name to the redactor's table; nothing where no kind is chosen."""
    if not redactor.only_passwords:
        for kind in _KINDS:
            if (frame := evidence.frame(kind)) is not None:
                _learn(redactor, frame)


def learn_frames(redactor: Redactor, frames: Frames) -> None:
    """Add the values that the records of one file name; a part in memory at a time."""
    if not redactor.only_passwords:
        for kind in _KINDS:
            for frame in frames.parts(kind) if kind in frames else ():
                _learn(redactor, frame)


def _learn(redactor: Redactor, frame: pl.DataFrame) -> None:
    for kind, columns in (("users", USERS), ("hosts", HOSTS)):
        for column in columns:
            names = (name.partition(":")[0] for name in _values(frame, column))
            redactor.known.add(kind, names)
    for column in STATEMENTS:
        for statement in _values(frame, column):
            redactor.known.add("sql", literals(statement))
            redactor.learn(statement, raw=True, inside=True)
    for column in _TEXTS:
        for text in _values(frame, column):
            redactor.learn(text, raw=True)


def _values(frame: pl.DataFrame, column: str) -> list[str]:
    if column not in frame.columns or frame[column].dtype not in (pl.String, pl.Categorical):
        return []
    return frame[column].cast(pl.String).drop_nulls().unique().head(MOST).to_list()
