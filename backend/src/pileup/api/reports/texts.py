"""Routes for texts that several people edit at once: CRDT document, updates, versions.

A client gets the state once, then sends its own updates and fetches those of others; the event
``text`` of the incident's stream says when there are some. A new kind of text is one more
case in ``views.reports.screen.prefilled_text``.
"""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import ConfigDict, Field

from pileup.api.auth import Caller
from pileup.api.deps import IncidentDep, ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.api.versioned import by_version
from pileup.storage.errors import Refused
from pileup.storage.texts.live_texts import TextRecord, Texts, TextVersion
from pileup.views.reports.screen import prefilled_text

router = APIRouter(tags=["texts"])

MAX_UPDATE = 1_500_000
"""Characters of base64."""

Key = Annotated[str, Path(max_length=120)]


class LiveText(Out):
    key: str
    text: str
    seq: int
    edited: bool
    """False while it is what the case proposes and nobody has typed in it."""
    updated_at: datetime
    state: str
    """The whole Yjs document (one update, version 1) in base64; its text is the root `text`."""


class LiveTextUpdates(Out):
    seq: int
    """What a client that applied these has seen."""
    updates: list[str]
    """Yjs updates in base64; applying one twice does no harm."""


class NewUpdate(In):
    model_config = ConfigDict(extra="forbid", str_max_length=MAX_UPDATE)

    update: str = Field(min_length=1, max_length=MAX_UPDATE)
    """A Yjs update, version 1, in base64."""


class Stored(Out):
    seq: int


class TextVersionText(Out):
    text: str


class VersionName(In):
    name: str | None = Field(max_length=200)


@router.get("/incidents/{incident_id}/texts/{key:path}/updates")
def get_text_updates(
    incident: IncidentDep,
    key: Key,
    unit: UnitDep,
    after: Annotated[int, Query(ge=0)],
) -> LiveTextUpdates:
    """Return the updates after a sequence number."""
    seq, updates = Texts(unit).updates(incident.id, key, after)
    return LiveTextUpdates(seq=seq, updates=[_encoded(update) for update in updates])


@router.post("/incidents/{incident_id}/texts/{key:path}/updates")
def add_text_update(
    incident: IncidentDep, key: Key, body: NewUpdate, unit: UnitDep, caller: Caller
) -> Stored:
    """Apply an update; sending it again changes nothing."""
    try:
        update = base64.b64decode(body.update, validate=True)
    except binascii.Error as error:
        raise Refused(f"The update is not base64: {error}.", "update") from None
    return Stored(seq=Texts(unit).append(incident.id, key, update, caller.actor).seq)


@router.get("/incidents/{incident_id}/texts/{key:path}/versions")
def list_text_versions(incident: IncidentDep, key: Key, unit: UnitDep) -> list[TextVersion]:
    """List the versions, newest first: one per person and period of editing."""
    return Texts(unit).versions(incident.id, key)


@router.get("/incidents/{incident_id}/texts/{key:path}/versions/{version_id}")
def get_text_version(
    incident: IncidentDep, key: Key, version_id: str, unit: UnitDep
) -> TextVersionText:
    """Return the text of a version."""
    return TextVersionText(text=Texts(unit).version_text(incident.id, key, version_id))


@router.patch("/incidents/{incident_id}/texts/{key:path}/versions/{version_id}")
def name_text_version(
    incident: IncidentDep,
    key: Key,
    version_id: str,
    body: VersionName,
    unit: UnitDep,
    caller: Caller,
) -> list[TextVersion]:
    """Name a version, and return all versions."""
    Texts(unit).name_version(incident.id, key, version_id, body.name, caller.actor)
    return list_text_versions(incident, key, unit)


@router.post("/incidents/{incident_id}/texts/{key:path}/versions/{version_id}/restore")
def restore_text_version(
    incident: IncidentDep, key: Key, version_id: str, unit: UnitDep, caller: Caller
) -> Stored:
    """Restore the text of a version; the current text becomes a version too."""
    texts = Texts(unit)
    text = texts.version_text(incident.id, key, version_id)
    return Stored(seq=texts.replace(incident.id, key, text, caller.actor).seq)


@router.get("/incidents/{incident_id}/texts/{key:path}")
@by_version()
def get_text(incident: IncidentDep, key: Key, services: ServicesDep, unit: UnitDep) -> LiveText:
    """Return the text and its document, prefilled from the case when nobody edited it."""
    texts = Texts(unit)
    text = texts.find(incident.id, key)
    if text is None or not text.edited:
        texts.ensure(incident.id, key, prefilled_text(unit, incident, key, services.stores))
    whole = texts.state(incident.id, key)
    return _text_out(whole.record, whole.state)


def _text_out(record: TextRecord, state: bytes) -> LiveText:
    return LiveText(
        key=record.key,
        text=record.text,
        seq=record.seq,
        edited=record.edited,
        updated_at=record.updated_at,
        state=_encoded(state),
    )


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()
