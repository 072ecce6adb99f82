"""Uploads in progress as routes see them: who may touch one, and how far it is."""

from __future__ import annotations

from datetime import datetime

from pileup.api.auth import Principal
from pileup.api.deps import Services
from pileup.api.schema import Out
from pileup.storage.artifacts.uploads import Upload, Uploads
from pileup.storage.database import Unit
from pileup.storage.errors import NotFound


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
    try:
        return upload.file(services.settings.uploads_dir).stat().st_size
    except FileNotFoundError:
        return 0


def shape_upload(services: Services, upload: Upload) -> UploadOut:
    """Return the upload as the API shows it."""
    out = UploadOut.model_validate(upload)
    return out.model_copy(update={"received": received_bytes(services, upload)})
