"""Collect the values that redaction replaces everywhere: those that the artifacts name."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from pileup.report.redaction.known_records import KINDS, learn_evidence
from pileup.report.redaction.known_values import KnownValues
from pileup.report.redaction.redactor import Redactor
from pileup.storage.database import Unit
from pileup.storage.files.placed_evidence import PlacedStore
from pileup.storage.incidents.analyses import Analyses
from pileup.storage.reports.releases import Releases


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
        evidence = placed.load(incident_id, KINDS)
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
