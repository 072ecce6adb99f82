"""Who asks, what they see, and which versions it has: for many requests in one transaction.

A transaction of its own for each request costs several times as much as its answer. Requests that
arrive while a round is looked up form the next round; a round reads the versions of its incidents,
who each caller is and what they see, from PostgreSQL. So an answer is as current, and a revoked
session as useless, as with a transaction for each.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from pileup.api.auth import Credentials, Principal, identify_all
from pileup.api.deps import Services
from pileup.storage.database import Unit

_MOST_OF_ROUND = 128
LINE = 4000
"""More than these wait for no round."""

_IS_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A question about anything else would fail the round of others."""


@dataclass(frozen=True, slots=True)
class Question:
    """Who asks, and about which incident."""

    credentials: Credentials
    incident_id: str | None
    is_use: bool = True
    """It counts as use of the session, whose idle time begins again."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What PostgreSQL says to a question."""

    caller: Principal | None
    """None: the credentials prove nobody."""
    sees: bool
    """Whether the incident is there for the caller; True where the question names none."""
    versions: dict[str, str]
    """Of the incident, as they were before anything else was read."""


class Rounds:
    """Rounds of one event loop: one at a time."""

    def __init__(
        self, services: Services, unit: Callable[[], AbstractContextManager[Unit]] | None = None
    ) -> None:
        """unit: opens the transaction of a round; by default one that sees nothing yet."""
        self._services = services
        self._unit = unit or services.unit
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="rounds")
        self._waiting: list[tuple[Question, asyncio.Future[Verdict]]] = []
        self._task: asyncio.Task[None] | None = None

    @property
    def is_full(self) -> bool:
        """Return whether the line is so long that nobody else should join it."""
        return len(self._waiting) >= LINE

    async def ask(self, question: Question) -> Verdict:
        """Return the verdict of the round that this question joins; raises Busy, Unreachable."""
        loop = asyncio.get_running_loop()
        mine: asyncio.Future[Verdict] = loop.create_future()
        self._waiting.append((question, mine))
        if self._task is None:
            self._task = loop.create_task(self._run(loop))
        return await mine

    async def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting:
            taken = self._waiting[:_MOST_OF_ROUND]
            del self._waiting[:_MOST_OF_ROUND]
            questions = [question for question, _ in taken]
            try:
                found = await loop.run_in_executor(self._threads, self._look_up, questions)
            except Exception as error:  # noqa: BLE001  (each who waits gets it)
                for _, future in taken:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), verdict in zip(taken, found, strict=True):
                if not future.done():  # its client may have gone
                    future.set_result(verdict)
        self._task = None

    def _look_up(self, questions: Sequence[Question]) -> list[Verdict]:
        with self._unit() as unit:
            return verdicts(unit, self._services, questions)


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Rounds] = WeakKeyDictionary()


def rounds(services: Services) -> Rounds:
    """Return the rounds of the running loop."""
    loop = asyncio.get_running_loop()
    if loop not in _of_loop or _of_loop[loop]._services is not services:
        _of_loop[loop] = Rounds(services)
    return _of_loop[loop]


def verdicts(unit: Unit, services: Services, questions: Sequence[Question]) -> list[Verdict]:
    """Return the verdicts of one round, looked up in one transaction that sees nothing yet."""
    ids = {each.incident_id for each in questions if each.incident_id is not None}
    incidents = {each for each in ids if _IS_ID.fullmatch(each)}
    versions = versions_of(unit, services, incidents)  # before anything else is read
    asking: dict[Credentials, bool] = {}
    for each in questions:
        asking[each.credentials] = asking.get(each.credentials, False) or each.is_use
    callers = identify_all(unit, services, asking)
    seen = _seen(unit, [each for each in questions if each.incident_id in incidents], callers)
    found = []
    for each in questions:
        sees = each.incident_id is None or (each.credentials, each.incident_id) in seen
        of_incident = versions.get(each.incident_id or "", {})
        found.append(Verdict(callers.get(each.credentials), sees, of_incident))
    return found


def versions_of(
    unit: Unit, services: Services, incident_ids: Collection[str]
) -> dict[str, dict[str, str]]:
    """Map each incident to the versions of all that answers about it are made of."""
    versions = unit.versions_of(incident_ids)
    for incident_id, of_incident in versions.items():
        # A worker places evidence before it commits the analysis.
        of_incident["placed evidence"] = services.placed.run(incident_id) or ""
    return versions


def _seen(
    unit: Unit, questions: Sequence[Question], callers: dict[Credentials, Principal]
) -> set[tuple[Credentials, str]]:
    """Return which incidents, of those they ask for, the callers see."""
    wanted: dict[Credentials, set[str]] = {}
    for each in questions:
        if each.incident_id is not None and each.credentials in callers:
            wanted.setdefault(each.credentials, set()).add(each.incident_id)
    found = unit.visible([(callers[each].access, ids) for each, ids in wanted.items()])
    return {
        (credentials, incident)
        for credentials, incidents in zip(wanted, found, strict=True)
        for incident in incidents
    }
