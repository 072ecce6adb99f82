"""Routes for uploads: multipart in one request, or resumable by tus 1.0.

Source: https://tus.io/protocols/resumable-upload, version 1.0.0. Every byte is stored before
the request that carried it is answered; what is stored is the truth about how far an upload is.
"""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from typing import Annotated

from fastapi import APIRouter, Header, Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from pileup.api.artifacts.artifacts import ArtifactItems
from pileup.api.artifacts.tus import MULTIPART, OFFSET_TYPE, TUS, given_in, metadata_of
from pileup.api.artifacts.upload_state import (
    UploadOut,
    check_room,
    find_upload,
    in_turn,
    may_touch,
    opened,
    received_bytes,
    shape_upload,
)
from pileup.api.auth import Caller, Principal
from pileup.api.bodies import STREAMED
from pileup.api.deps import Services, ServicesDep, UnitDep
from pileup.api.errors import ApiError
from pileup.api.multipart import read_parts
from pileup.storage.artifacts.artifacts import Artifacts, Given
from pileup.storage.artifacts.blob_holds import hold_blobs
from pileup.storage.artifacts.uploads import Upload, Uploads
from pileup.storage.errors import Conflict, Forbidden, TooLarge
from pileup.storage.files.blobs import Blob, Draft
from pileup.storage.files.upload_bytes import Appender
from pileup.storage.incidents.incidents import Incidents
from pileup.storage.incidents.members import Members
from pileup.views.artifacts.artifacts import Artifact, shape

router = APIRouter(tags=["uploads"], max_body_size=STREAMED)


@router.post("/incidents/{incident_id}/artifacts", status_code=201, openapi_extra=MULTIPART)
async def upload_files(
    incident_id: str, request: Request, caller: Caller, services: ServicesDep
) -> ArtifactItems:
    """Upload one or many files; a ``path`` field names the file that follows it."""
    length = int(request.headers.get("content-length") or 0)
    await in_turn(_may_begin, services, caller, incident_id, length)
    artifacts: list[Artifact] = []
    paths: deque[str] = deque()
    with ExitStack() as drafts:

        def open_file() -> Draft:
            return drafts.enter_context(services.blobs.draft(services.settings.max_upload_bytes))

        content_type = request.headers.get("content-type", "")
        try:
            async for part in read_parts(request.stream(), content_type, open_file):
                if part.name == "path" and part.sink is None:
                    paths.append(part.text.decode("utf-8", "replace"))
                elif part.name == "file" and isinstance(part.sink, Draft):
                    path = paths.popleft() if paths else part.filename or "unnamed"
                    artifacts.append(
                        await in_turn(_keep, services, caller, incident_id, path, part.sink)
                    )
                    part.sink.close()
                else:
                    raise ApiError(
                        422,
                        "Not accepted",
                        f"a part has the name {part.name[:80]!r}; name files file, their paths "
                        "path: curl -F path=dir/status.txt -F file=@status.txt",
                    )
        except ClientDisconnect:
            raise ApiError(400, "The body was cut off", "the client disconnected") from None
    if not artifacts:
        raise ApiError(
            422, "Not accepted", "there is no file in this request: curl -F file=@status.txt"
        )
    return ArtifactItems(items=artifacts)


@router.get("/incidents/{incident_id}/uploads")
def unfinished_uploads(
    incident_id: str, services: ServicesDep, unit: UnitDep, caller: Caller
) -> list[UploadOut]:
    """List the uploads that are not complete; they survive a reload of the page.

    A push token sees only those that it began.
    """
    Incidents(unit).get(incident_id)
    uploads = Uploads(unit).unfinished(incident_id)
    return [shape_upload(services, upload) for upload in uploads if may_touch(caller, upload)]


@router.post("/incidents/{incident_id}/uploads", status_code=201)
def create_upload(
    incident_id: str,
    caller: Caller,
    services: ServicesDep,
    response: Response,
    upload_length: Annotated[str | None, Header()] = None,
    upload_metadata: Annotated[str, Header()] = "",
) -> None:
    """Start a resumable upload (tus creation).

    Metadata: filename, path, excluded; and as a person says: at (ISO 8601), within_s, host.
    """
    response.headers.update(TUS)
    if upload_length is None or not upload_length.isdecimal() or len(upload_length) > 18:
        raise ApiError(400, "No length", "send Upload-Length with the size in bytes")
    size = int(upload_length)
    if size > services.settings.max_upload_bytes:
        raise TooLarge(
            f"the file has {size // 1024**2} MiB; the limit is "
            f"{services.settings.max_upload_bytes // 1024**2} MiB (PILEUP_MAX_UPLOAD_BYTES)"
        )
    _may_begin(services, caller, incident_id, size)
    metadata = metadata_of(upload_metadata)
    path = metadata.get("path") or metadata.get("relativePath") or metadata.get("filename")
    with services.unit(caller.access) as unit:
        upload = Uploads(unit).create(
            incident_id,
            path or "unnamed",
            size,
            caller.actor,
            excluded=metadata.get("excluded") == "true",
            given=given_in(metadata),
            token_id=caller.token_id,
        )
        services.uploads.create(upload.id)
    response.headers["Location"] = f"/api/v1/uploads/{upload.id}"
    if size == 0:
        response.headers["X-Artifact-Id"] = _finish(services, caller, upload)


@router.head("/uploads/{upload_id}", status_code=200)
def upload_offset(
    upload_id: str, services: ServicesDep, response: Response, unit: UnitDep, caller: Caller
) -> None:
    """Return how many bytes of the upload are stored (tus core)."""
    upload = find_upload(unit, caller, upload_id)
    response.headers.update(TUS)
    response.headers["Upload-Offset"] = str(received_bytes(services, upload))
    response.headers["Upload-Length"] = str(upload.bytes)
    if upload.artifact_id:
        response.headers["X-Artifact-Id"] = upload.artifact_id


@router.patch("/uploads/{upload_id}", status_code=204)
async def append_to_upload(
    upload_id: str,
    request: Request,
    caller: Caller,
    services: ServicesDep,
    response: Response,
    upload_offset: Annotated[str | None, Header()] = None,
    content_type: Annotated[str, Header()] = "",
) -> None:
    """Append bytes at an offset (tus core); the last byte completes the artifact."""
    response.headers.update(TUS)
    if content_type.partition(";")[0].strip() != OFFSET_TYPE:
        raise ApiError(415, "Wrong content type", f"send the bytes as {OFFSET_TYPE}")
    upload = await run_in_threadpool(_find, services, caller, upload_id)
    if upload.artifact_id is not None:
        response.headers["Upload-Offset"] = str(upload.bytes)
        response.headers["X-Artifact-Id"] = upload.artifact_id
        return
    async with opened(services, upload_id) as appender:
        if upload_offset != str(appender.offset):
            raise Conflict(
                f"the upload is at byte {appender.offset}, not {upload_offset}: send HEAD and "
                "continue from there"
            )
        try:
            await _append(services, caller, request, upload, appender)
        finally:
            await run_in_threadpool(_settle, services, caller, upload, appender)
        response.headers["Upload-Offset"] = str(appender.offset)
        if appender.offset == upload.bytes:
            response.headers["X-Artifact-Id"] = await in_turn(_finish, services, caller, upload)


@router.delete("/uploads/{upload_id}", status_code=204)
def cancel_upload(
    upload_id: str, services: ServicesDep, response: Response, unit: UnitDep, caller: Caller
) -> None:
    """Cancel an upload and delete its bytes (tus termination); a finished one is an artifact."""
    response.headers.update(TUS)
    upload = find_upload(unit, caller, upload_id)
    if upload.artifact_id is not None:
        raise Conflict("the upload is finished: delete its artifact instead")
    Uploads(unit).remove(upload_id)
    unit.after_commit(lambda: services.uploads.remove(upload_id))


def _may_begin(services: Services, caller: Principal, incident_id: str, size: int) -> None:
    with services.unit(caller.access) as unit:
        if Incidents(unit).get(incident_id).archived:
            raise Conflict("the incident is archived; nothing can be added to it")
        if Members(unit).role(incident_id) == "viewer":  # before a byte is stored
            raise Forbidden.to_viewers()
    check_room(services, caller, incident_id, size)
    services.blobs.check_space(size)


def _keep(
    services: Services, caller: Principal, incident_id: str, path: str, draft: Draft
) -> Artifact:
    check_room(services, caller, incident_id, draft.bytes)  # a refused file leaves nothing behind
    return _store(services, caller, incident_id, path, draft.keep(), excluded=False)


def _store(
    services: Services,
    caller: Principal,
    incident_id: str,
    path: str,
    blob: Blob,
    *,
    excluded: bool,
    given: Given | None = None,
    upload: Upload | None = None,
) -> Artifact:
    with services.unit(caller.access) as unit:
        hold_blobs(unit, services.blobs, [blob.sha256])
        artifact, _ = Artifacts(unit).add(
            incident_id, path, blob, caller.actor, excluded=excluded, given=given or Given()
        )
        if upload is not None:
            Uploads(unit).finish(upload.id, artifact.id)
            unit.notify(incident_id, "upload", upload.id)
    return shape(artifact)


def _finish(services: Services, caller: Principal, upload: Upload) -> str:
    blob = services.uploads.keep(upload.id, services.blobs)
    if blob.bytes != upload.bytes:
        raise Conflict("the bytes of this upload are being stored by another request")
    artifact = _store(
        services,
        caller,
        upload.incident_id,
        upload.path,
        blob,
        excluded=upload.excluded,
        given=upload.given,
        upload=upload,
    )
    services.uploads.remove(upload.id)
    return artifact.id


async def _append(
    services: Services,
    caller: Principal,
    request: Request,
    upload: Upload,
    appender: Appender,
) -> None:
    noted = appender.offset
    try:
        async for chunk in request.stream():
            if appender.offset + len(chunk) > upload.bytes:
                raise ApiError(
                    413, "Too many bytes", f"the upload was announced with {upload.bytes} bytes"
                )
            if appender.write(chunk):
                await run_in_threadpool(appender.sync)
            if appender.offset - noted > 8 * 1024**2:  # so that a second window sees it move
                noted = appender.offset
                await run_in_threadpool(_note, services, caller, upload.id, noted)
    except ClientDisconnect:
        raise ApiError(400, "The connection broke", f"{appender.offset} bytes are kept") from None


def _settle(services: Services, caller: Principal, upload: Upload, appender: Appender) -> None:
    appender.sync()
    _note(services, caller, upload.id, appender.offset)


def _note(services: Services, caller: Principal, upload_id: str, received: int) -> None:
    with services.unit(caller.access) as unit:
        Uploads(unit).received(upload_id, received)


def _find(services: Services, caller: Principal, upload_id: str) -> Upload:
    with services.unit(caller.access) as unit:
        return find_upload(unit, caller, upload_id)
