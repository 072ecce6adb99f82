"""Uploads in progress as routes see them: who may touch one, how far it is, and its bytes."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from pileup.api.auth import Principal
from pileup.api.deps import Services
from pileup.api.gate import gate_of_uploads
from pileup.api.schema import Out
from pileup.storage.artifacts.quotas import Quotas, check_quotas
from pileup.storage.artifacts.uploads import Upload, Uploads
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound
from pileup.storage.files.upload_bytes import Appender

T = TypeVar("T")


class UploadOut(Out):
    id: str
    path: str
    bytes: int
    received: int
    created_at: datetime
    updated_at: datetime


def find_upload(unit: Unit, caller: Principal, upload_id: str) -> Upload:
    """Return an upload that the caller may touch; raises NotFound."""
    upload = Uploads(unit).get(upload_id)
    if not may_touch(caller, upload):
        raise NotFound("this token began no such upload")
    return upload


def may_touch(caller: Principal, upload: Upload) -> bool:
    """Return whether the caller may touch the upload; without ``edit`` only their token's."""
    return "edit" in caller.verbs or upload.token_id == caller.token_id


def received_bytes(services: Services, upload: Upload) -> int:
    """Return how many bytes of the upload are stored."""
    if upload.artifact_id is not None:
        return upload.bytes
    return services.uploads.received(upload.id)


def shape_upload(services: Services, upload: Upload) -> UploadOut:
    """Return the upload as the API shows it."""
    out = UploadOut.model_validate(upload)
    return out.model_copy(update={"received": received_bytes(services, upload)})


@asynccontextmanager
async def opened(services: Services, upload_id: str) -> AsyncIterator[Appender]:
    """Open an upload for more bytes, off the event loop: the store may be elsewhere."""
    context = services.uploads.append(upload_id)
    appender = await run_in_threadpool(context.__enter__)
    try:
        yield appender
    except BaseException:
        context.__exit__(*sys.exc_info())
        raise
    context.__exit__(None, None, None)


async def in_turn(function: Callable[..., T], *args: object) -> T:
    """Run the function in a thread when one of the places of uploads is free."""
    async with gate_of_uploads().place():
        return await run_in_threadpool(function, *args)


def check_room(services: Services, caller: Principal, incident_id: str, size: int) -> None:
    """Raise OverQuota; counted over every incident, also those that the caller does not see."""
    quotas = Quotas.of(services.settings)
    if quotas != Quotas():
        with services.whole_unit() as unit:
            check_quotas(unit, quotas, caller.user.id or None, incident_id, size)
