"""Answer reads that were answered before, many in one transaction, in front of the routes.

Most requests ask for what an earlier one got: the tag is current, or the finished body lies in
memory. For those the framework's routing, a thread and a transaction each cost five times as much
as the answer. Requests that arrive while a round is computed form the next round; a round reads the
versions of its incidents, who each caller is and what they see, once each, from PostgreSQL, so an
answer is as current, and a revoked session as useless, as on the long way (``versioned.answer``).
Whatever is refused or not known goes the long way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import structlog
from fastapi import FastAPI, Request, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pileup.api.auth import Principal, credentials_of, identify
from pileup.api.body_store import Bodies, Known
from pileup.api.deps import Services, services
from pileup.api.errors import ApiError
from pileup.api.guards import guard
from pileup.api.versioned import find, versions_of
from pileup.storage.database import Busy, Unit, Unreachable
from pileup.storage.incidents.incidents import Incidents

_MOST_OF_ROUND = 64
_LINE = 400
"""More than these go the long way, where the gate refuses what is too much."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Question:
    """A request for an address that was answered before."""

    request: Request
    known: Known
    credentials: tuple[str, str]
    """What proves who asks; equal ones in a round are looked up once."""


def install(app: FastAPI) -> None:
    """Answer known reads before the routes of this application."""
    app.add_middleware(KnownReads)


class KnownReads:
    """Answer reads by version whose address was answered before."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass the request on."""
        if scope["type"] == "http" and scope["method"] == "GET":
            request = Request(scope)
            bodies: Bodies = request.app.state.bodies
            known = bodies.known(request)
            credentials = credentials_of(request, services(request)) if known else None
            if known is not None and credentials is not None:
                response = await _rounds().answer(Question(request, known, credentials))
                if response is not None:
                    scope["route"] = known.endpoint  # for the metrics
                    await response(scope, receive, send)
                    return
        await self._app(scope, receive, send)


class Rounds:
    """Rounds of one event loop: one at a time."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rounds")
        self._waiting: list[tuple[Question, asyncio.Future[Response | None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def answer(self, question: Question) -> Response | None:
        """Return the answer of the round that this question joins; None: go the long way."""
        if len(self._waiting) >= _LINE:
            return None
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Response | None] = loop.create_future()
        self._waiting.append((question, mine))
        if self._task is None:
            self._task = loop.create_task(self._run(loop))
        return await mine

    async def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            taken = self._waiting[:_MOST_OF_ROUND]
            del self._waiting[:_MOST_OF_ROUND]
            questions = [question for question, _ in taken]
            answers: Sequence[Response | None] = [None] * len(taken)
            try:
                answers = await loop.run_in_executor(self._threads, _answers, questions)
            except (Busy, Unreachable):
                pass  # the long way says so
            except Exception:
                log.exception("known_reads.failed")
            for (_, future), response in zip(taken, answers, strict=True):
                if not future.done():  # its client may have gone
                    future.set_result(response)
        self._task = None


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Rounds] = WeakKeyDictionary()


def _rounds() -> Rounds:
    loop = asyncio.get_running_loop()
    if loop not in _of_loop:
        _of_loop[loop] = Rounds()
    return _of_loop[loop]


def _answers(questions: list[Question]) -> list[Response | None]:
    """Answer the questions of one round, all of the same application."""
    request = questions[0].request
    its_services, bodies = services(request), request.app.state.bodies
    incidents = {each.known.incident_id for each in questions if each.known.incident_id}
    with its_services.unit() as unit:
        versions = versions_of(unit, its_services, incidents)  # before anything else is read
        callers = _callers(unit, its_services, questions)
        seen = _seen(unit, questions, callers)
        answers: list[Response | None] = []
        for question in questions:
            caller, incident_id = callers[question.credentials], question.known.incident_id
            if caller is None or not _allowed(question, caller):
                answers.append(None)
            elif incident_id is None or (question.credentials, incident_id) in seen:
                its = versions[incident_id] if incident_id else {}
                known = question.known
                answers.append(find(bodies, known, question.request, caller, its, is_shared=True))
            else:
                answers.append(None)
    return answers


def _callers(
    unit: Unit, its_services: Services, questions: list[Question]
) -> dict[tuple[str, str], Principal | None]:
    callers: dict[tuple[str, str], Principal | None] = {}
    for question in questions:
        if question.credentials not in callers:
            try:
                callers[question.credentials] = identify(question.request, its_services, unit)
            except ApiError:
                callers[question.credentials] = None
    return callers


def _seen(
    unit: Unit, questions: list[Question], callers: dict[tuple[str, str], Principal | None]
) -> set[tuple[tuple[str, str], str]]:
    """Return which incidents, of those they ask for, the callers may see."""
    wanted: dict[tuple[str, str], set[str]] = {}
    for question in questions:
        if question.known.incident_id is not None:
            wanted.setdefault(question.credentials, set()).add(question.known.incident_id)
    seen: set[tuple[tuple[str, str], str]] = set()
    for credentials, incident_ids in wanted.items():
        caller = callers[credentials]
        if caller is None:
            continue
        if unit.access != caller.access:
            unit.restrict(caller.access)
        seen |= {(credentials, each) for each in Incidents(unit).visible(incident_ids)}
    return seen


def _allowed(question: Question, caller: Principal) -> bool:
    """Return whether the guard of the route lets the caller pass."""
    question.request.scope["route"] = question.known.endpoint
    try:
        guard(question.request, caller)
    except ApiError:
        return False
    finally:
        del question.request.scope["route"]
    return True
