"""FastAPI dependencies: services, unit of work, incident, evidence, expected revision."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Header, Request

from pileup.api.errors import ApiError
from pileup.api.shared import Shared
from pileup.settings import Settings
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.database import Database, Unit
from pileup.storage.incidents.incidents import Incident, Incidents
from pileup.storage.queue.places import Place
from pileup.storage.row_security import NOBODY, Access
from pileup.storage.signing import Signer, open_signer
from pileup.views.source import NotAnalysed, StoredSource
from pileup.views.stores import HasStores, Stores

_SIGNER_S = 30.0
"""A key that another process replaced is used so long."""


@dataclass(frozen=True, slots=True)
class Services(HasStores):
    """Settings, database and stores, created once per process."""

    settings: Settings
    database: Database
    door: Database
    """The same database, by few connections, for those who are not signed in yet."""
    stores: Stores
    places: Shared[dict[str, Place]] = field(default_factory=lambda: Shared(1.0))
    """Place in the queue of each incident with waiting jobs."""
    users: Shared[bool] = field(default_factory=lambda: Shared(1.0))
    """Whether there are any."""
    signers: Shared[Signer] = field(default_factory=lambda: Shared(_SIGNER_S))

    def unit(self, access: Access = NOBODY) -> AbstractContextManager[Unit]:
        """Open a unit of work that sees and changes what ``access`` allows: nothing at first."""
        return self.database.unit(access)

    def whole_unit(self) -> AbstractContextManager[Unit]:
        """Open a unit of work that sees every incident: for what is the same for everybody."""
        return self.database.unit()

    @property
    def signer(self) -> Signer:
        """The key of this installation, which signs releases and bundles."""
        return self.signers.get(self._signer)

    def _signer(self) -> Signer:
        with self.whole_unit() as unit:
            return open_signer(unit)

    @property
    def has_users(self) -> bool:
        """Whether anybody may sign in; strangers ask, so it is looked up at the door."""
        return self.users.get(self._has_users) or self._has_users()

    def _has_users(self) -> bool:
        with self.door_unit() as unit:
            return Accounts(unit).has_users()

    def door_unit(self) -> AbstractContextManager[Unit]:
        """Open a unit of work for signing in, which takes no connection from those who are in."""
        return self.door.unit(NOBODY)

    def whole_door_unit(self) -> AbstractContextManager[Unit]:
        """Open a unit of the door that sees everything: to record what a stranger failed at."""
        return self.door.unit()

    @property
    def worker_silence(self) -> timedelta:
        """Time without a heartbeat after which a worker counts as gone."""
        return timedelta(seconds=max(3 * self.settings.worker_heartbeat_s, 10))


def services(request: Request) -> Services:
    """Return the services of the application that serves this request."""
    application_services = request.app.state.services
    assert isinstance(application_services, Services)
    return application_services


ServicesDep = Annotated[Services, Depends(services)]


def unit_of_work(request: Request) -> Unit:
    """Return the request's transaction, which is committed before the response is sent."""
    unit = request.state.unit
    assert isinstance(unit, Unit)
    return unit


UnitDep = Annotated[Unit, Depends(unit_of_work)]


def incident(incident_id: str, unit: UnitDep) -> Incident:
    """Return the incident that the path names; 404 when there is none."""
    return Incidents(unit).get(incident_id)


IncidentDep = Annotated[Incident, Depends(incident)]


def source(incident: IncidentDep, services: ServicesDep) -> StoredSource:
    """Return the records of the incident's last analysis; 404 when there is no such incident."""
    return StoredSource(services.placed, incident.id)


SourceDep = Annotated[StoredSource, Depends(source)]


def analysed(source: SourceDep) -> StoredSource:
    """Return the records of the last analysis; 409 before the first analysis of the incident."""
    if source.placed.run(source.incident_id) is None:
        raise NotAnalysed
    return source


AnalysedDep = Annotated[StoredSource, Depends(analysed)]


def expected_revision(
    if_match: Annotated[
        str | None, Header(description='The revision that was edited, in quotes: "3"')
    ] = None,
) -> int:
    """Return the revision in If-Match; refuse a write without one, which could undo another's."""
    if if_match is None:
        raise ApiError(
            428,
            "No revision",
            'send the revision that you edited as If-Match: "3"; without it this could overwrite '
            "what somebody else saved",
        )
    text = if_match.strip().removeprefix("W/").strip('"')
    if not text.isdecimal() or len(text) > 9:
        raise ApiError(400, "Not a revision", f'If-Match is {if_match[:40]!r}, not like "3"')
    return int(text)


RevisionDep = Annotated[int, Depends(expected_revision)]
