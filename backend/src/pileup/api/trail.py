"""Record in the audit trail what changes nothing: downloads, refused requests and sign-ins."""

from __future__ import annotations

from urllib.parse import unquote_plus

import structlog
from fastapi import Request, Response

from pileup.api.deps import Services
from pileup.storage import audit
from pileup.storage.artifacts.artifacts import Artifacts
from pileup.storage.audit import MACHINE, Actor
from pileup.storage.database import Busy, Unit, Unreachable

log = structlog.get_logger()

_MOST = 500
_SOUGHT = frozenset({"q", "group"})
"""Parameters that name what somebody looked for: it may be a value that redaction removes, and the
trail of an incident leaves with its bundle."""


def record_download(request: Request, unit: Unit, response: Response) -> None:
    """Record that the caller got a file: a report, a bundle, an artifact, rows of a table.

    The same file again within a minute is not recorded.
    """
    if not response.headers.get("content-disposition", "").startswith("attachment"):
        return
    caller = _caller(request)
    if caller is None:
        return
    artifact_id = request.path_params.get("artifact_id")
    incident_id = request.path_params.get("incident_id")
    if artifact_id is not None:
        incident_id = Artifacts(unit).get(artifact_id).incident_id
    audit.record_once(
        unit,
        caller[0],
        "file.downloaded",
        incident_id=incident_id,
        target=artifact_id,
        file="/".join(part for part in _path(request).split("/") if part and part[0] != "{"),
        choices=_choices(request)[:_MOST],
        **caller[1],
    )


def record_refusal(request: Request, services: Services) -> None:
    """Record that a caller who is known was refused: once per person, route and minute."""
    caller = _caller(request)
    if caller is None:
        return
    try:
        with services.whole_unit() as unit:
            audit.record_once(
                unit,
                caller[0],
                "access.refused",
                target=f"{request.method} {_path(request)}",
                **caller[1],
            )
    except (Busy, Unreachable) as error:
        log.error("audit.refusal_not_recorded", path=request.url.path, error=str(error))


def record_refused_sign_in(services: Services, client: str, how: str, why: str) -> None:
    """Record that a link or an identity did not sign in: once per client, way and minute."""
    with services.whole_door_unit() as unit:
        audit.record_once(unit, MACHINE, "session.refused", client=client, how=how, why=why)


def _caller(request: Request) -> tuple[Actor, dict[str, str]] | None:
    """Return who calls, and by which token or guest link; None before that is known."""
    caller = getattr(request.state, "principal", None)
    if caller is None:
        return None
    by = {"token": caller.token_id, "guest_link": caller.guest_id}
    return caller.actor, {name: value for name, value in by.items() if value}


def _choices(request: Request) -> str:
    """Return the query as it was sent, without what was looked for."""
    parts = (part.partition("=") for part in request.url.query.split("&"))
    return "&".join(
        f"{name}=…" if unquote_plus(name) in _SOUGHT else f"{name}{sign}{value}"
        for name, sign, value in parts
    )


def _path(request: Request) -> str:
    path = str(getattr(request.scope.get("route"), "path", request.url.path))
    return path.removeprefix("/api/v1")[:_MOST]
