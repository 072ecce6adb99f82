"""Guard of event streams: rounds say who opens one and whether they may go on reading.

Hundreds of streams open at once when people come to work or a process starts again, and each is
checked again while it is open; a thread and a transaction for each would keep readers waiting.
"""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import Depends, Request

from pileup.api.auth import Principal, credentials_of, refuse
from pileup.api.deps import services
from pileup.api.guards import guard
from pileup.api.rounds import Question, rounds
from pileup.storage.errors import NotFound

_LEAST_S = 0.05
"""A stream whose time is over at this moment is checked once more."""


async def stream_caller(request: Request) -> Principal:
    """Return who opens a stream of the incident in the path; raises ApiError, NotFound."""
    credentials = credentials_of(request, services(request))
    if credentials is None:
        refuse(credentials)
    question = Question(credentials, request.path_params["incident_id"])
    verdict = await rounds(services(request)).ask(question)
    if verdict.caller is None:
        refuse(credentials)
    request.state.principal = verdict.caller  # a refusal is recorded with it
    guard(request, verdict.caller)
    if not verdict.sees:
        raise NotFound("there is no such incident")
    return verdict.caller


StreamCaller = Annotated[Principal, Depends(stream_caller)]


async def stream_guard(_: StreamCaller) -> None:
    """Let those who may read the incident open its stream."""


async def still_reads_s(request: Request, incident_id: str) -> float:
    """Return for how long this request, answered for long, may go on to read the incident.

    That is until its session or token ends by itself; 0: it may not read any more.
    """
    credentials = credentials_of(request, services(request))
    assert credentials is not None
    question = Question(credentials, incident_id, is_use=False)
    verdict = await rounds(services(request)).ask(question)
    caller = verdict.caller
    if caller is None or not verdict.sees or "read" not in caller.verbs:
        return 0.0
    return math.inf if caller.ends_in_s is None else max(caller.ends_in_s, _LEAST_S)
