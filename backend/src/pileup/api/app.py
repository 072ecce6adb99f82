"""Assemble the application: services, routers behind their guards, error table, built UI.

The tuple that lists a router decides who may call it: PUBLIC needs nothing, OWN any signed-in
user, INTAKE, COMMENTS and MANAGE take tokens with another permission, PEOPLE takes none for a
write, ROUTERS is everything else.
A new domain adds one line to ROUTERS.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import structlog
from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute

from pileup import __version__, knowledge, logs, tracing
from pileup.api import (
    bodies,
    error_handlers,
    events,
    known_reads,
    one_thread,
    schema,
    traffic,
    transfer,
    ui,
    versioned,
)
from pileup.api.accounts import (
    accounts,
    oidc,
    open_sessions,
    presence,
    second_factor,
    sign_in,
    status,
    teams,
    tokens,
)
from pileup.api.accounts.limits import SignInLimits
from pileup.api.accounts.oidc_provider import Provider
from pileup.api.artifacts import artifacts, given, mappings, paste, records, tables, uploads
from pileup.api.body_store import Bodies
from pileup.api.deps import Services
from pileup.api.event_hub import EventHub
from pileup.api.evidence import (
    compare,
    deadlocks,
    findings,
    lanes,
    log_events,
    processlists,
    queries,
    settings_tables,
    stacks,
    timeline,
    waits,
)
from pileup.api.guards import (
    comment_guard,
    guard,
    intake_guard,
    manage_guard,
    people_guard,
    read_guard,
    self_guard,
)
from pileup.api.incidents import (
    access,
    activity,
    bundles,
    guest_links,
    incidents,
    list_views,
    samples,
    search,
    similar,
    view_links,
    webhooks,
)
from pileup.api.pulse import Pulse
from pileup.api.reasoning import (
    comments,
    experiments,
    hypotheses,
    matrix,
    measurements,
    pins,
    symptoms,
)
from pileup.api.reports import actions, exports, redaction, releases, reports, texts
from pileup.api.schema import openapi_document
from pileup.api.stream_guard import stream_guard
from pileup.garbage import collect_rarely
from pileup.settings import Settings, get_settings
from pileup.storage.database import Database
from pileup.storage.encryption import Keys
from pileup.storage.errors import StorageError
from pileup.views.stores import open_stores

API = "/api/v1"

_SWITCH_S = 0.001
"""A thread that computes lets another one run after so long: short requests overtake long ones."""
_DOOR_CONNECTIONS = 3
_STATEMENT_TIMEOUT_S = 20

PUBLIC: tuple[APIRouter, ...] = (sign_in.public, oidc.public)
OWN: tuple[APIRouter, ...] = (
    sign_in.own,
    open_sessions.own,
    accounts.own,
    tokens.own,
    oidc.own,
    second_factor.own,
    comments.own,
    presence.own,
    list_views.own,
)
INTAKE: tuple[APIRouter, ...] = (incidents.intake, uploads.router)
COMMENTS: tuple[APIRouter, ...] = (comments.router,)
MANAGE: tuple[APIRouter, ...] = (teams.router, access.router, webhooks.router)
PEOPLE = (accounts.router, second_factor.router, teams.members, guest_links.router)
ROUTERS: tuple[APIRouter, ...] = (
    incidents.router,
    list_views.router,
    artifacts.router,
    given.router,
    paste.router,
    records.router,
    mappings.router,
    tables.router,
    settings_tables.router,
    processlists.router,
    deadlocks.router,
    queries.router,
    log_events.router,
    samples.router,
    status.router,
    pins.router,
    findings.router,
    similar.router,
    lanes.router,
    timeline.router,
    compare.router,
    waits.router,
    stacks.router,
    hypotheses.router,
    matrix.router,
    experiments.router,
    measurements.router,
    symptoms.router,
    reports.router,
    exports.router,
    redaction.router,
    releases.router,
    actions.router,
    view_links.router,
    search.router,
    bundles.router,
    texts.router,
    activity.router,
)
LOOKS = (reports.previews,)
STREAMS = (events.router,)

log = structlog.get_logger()


def create_app(settings: Settings | None = None) -> FastAPI:
    """Build the application that serves the API and the UI of one installation."""
    settings = settings or get_settings()
    logs.configure(settings.log_level, settings.log_format)
    if settings.knowledge_dir is not None:
        for text in knowledge.use(settings.knowledge_dir, lenient=True):
            log.error("knowledge.left_out", why=text)
    services = make_services(settings)
    hub = EventHub(services.settings.listen_url or services.database.url)
    pulse = Pulse(services.database.url)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        knowledge.knowledge()  # load now, so that no request waits for it
        collect_rarely()
        sys.setswitchinterval(_SWITCH_S)
        hub.start()
        pulse.start()
        yield
        await pulse.stop()
        await hub.stop()
        services.database.close()
        services.door.close()
        tracing.stop()

    traced = tracing.configure(settings, "pileup-api")
    app = FastAPI(
        title="Pileup",
        version=__version__,
        description="An incident postmortem workbench for database pileups.",
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        telemetry={  # spans alone, and only where the settings say
            "tracing": traced is not None,
            "tracer_provider": traced,
            "metrics": False,
            "logs": False,
            "auto_configure": False,
        },
    )
    app.state.services = services
    app.state.hub = hub
    app.state.bodies = Bodies(versioned.build_of(settings.knowledge_dir))
    app.state.sign_in_limits = SignInLimits(services)
    app.state.oidc = Provider(settings) if settings.oidc_issuer else None
    app.state.pulse = pulse
    app.router.routes.extend(_routes())
    error_handlers.install(app)
    transfer.install(app)
    known_reads.install(app, API, (router for routers, *_ in _guarded() for router in routers))
    bodies.install(app, API, PUBLIC)
    schema.install(app)
    ui.install(app, settings)
    traffic.install(app, settings)
    app.openapi = lambda: openapi_document(app)  # type: ignore[method-assign]  # FastAPI's own way
    return app


def make_services(settings: Settings) -> Services:
    """Create the database and stores that the settings name."""
    if settings.database_url is None:
        raise StorageError(
            "no database is set: `pileup run` starts its own; for another server set "
            "PILEUP_DATABASE_URL=postgresql://user:password@host/name"
        )
    database = Database(
        settings.database_url, statement_timeout_s=_STATEMENT_TIMEOUT_S, keys=Keys.of(settings)
    )
    return Services(
        settings=settings,
        database=database,
        door=Database(
            settings.database_url,
            pool_size=_DOOR_CONNECTIONS,
            max_overflow=0,
            statement_timeout_s=_STATEMENT_TIMEOUT_S,
            keys=database,
        ),
        stores=open_stores(settings),
    )


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI document without connecting to any service."""
    settings = Settings(database_url="postgresql://nobody@localhost/none")
    return create_app(settings).openapi()


@cache
def _routes() -> tuple[BaseRoute, ...]:
    """Return every route behind its guard, the same for each application of this process.

    FastAPI prepares a route's validation when it is first matched, which takes a second for all.
    """
    one_thread.install()
    every = APIRouter()
    for routers, guarded_by, most_bytes in _guarded():
        for router in routers:
            every.include_router(
                router, prefix=API, dependencies=guarded_by, max_body_size=most_bytes
            )
    every.include_router(status.public)
    return tuple(every.routes)


def _guarded() -> tuple[tuple[tuple[APIRouter, ...], list[Any], int], ...]:
    """Return the routers in their order, with their guard and the most bytes of a parsed body."""
    return (
        (PUBLIC, [], bodies.MOST_PUBLIC_BYTES),
        (OWN, [Depends(self_guard)], bodies.MOST_BYTES),
        (INTAKE, [Depends(intake_guard)], bodies.MOST_BYTES),
        (LOOKS, [Depends(read_guard)], bodies.MOST_BYTES),
        (STREAMS, [Depends(stream_guard)], bodies.MOST_BYTES),
        (COMMENTS, [Depends(comment_guard)], bodies.MOST_BYTES),
        (MANAGE, [Depends(manage_guard)], bodies.MOST_BYTES),
        (PEOPLE, [Depends(people_guard)], bodies.MOST_BYTES),
        (ROUTERS, [Depends(guard)], bodies.MOST_BYTES),
    )
