"""One thread and one connection for a request; a crowd is refused politely; health stays quick."""

from __future__ import annotations

import asyncio
from typing import Any

import anyio.to_thread
import pytest
from sqlalchemy import event

from pileup.api import gate as gates
from pileup.api.body_store import Bodies
from pileup.api.errors import ApiError
from pileup.api.gate import Gate
from pileup.storage.database import Busy
from tests.support.site import Site


def test_a_request_takes_one_thread_and_one_connection(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.app.state.bodies = Bodies("as in production: it checks nothing")
    incident = site.incident()
    moves: list[Any] = []
    connections: list[Any] = []
    real = anyio.to_thread.run_sync

    async def counted(function: Any, *args: Any, **named: Any) -> Any:
        moves.append(function)
        return await real(function, *args, **named)

    monkeypatch.setattr(anyio.to_thread, "run_sync", counted)
    event.listen(site.database.engine, "checkout", lambda *_: connections.append(1))
    for path in (f"/api/v1/incidents/{incident}/overview", f"/api/v1/incidents/{incident}/queue"):
        moves.clear()
        connections.clear()
        assert site.admin.get(path).status_code == 200
        assert (len(moves), len(connections)) == (1, 1)


def test_a_read_takes_no_lock(site: Site) -> None:
    """While somebody writes a text, others open it."""
    incident = site.incident()
    path = f"/api/v1/incidents/{incident}/texts/summary"
    first = site.admin.get(path)
    assert first.status_code == 200
    with site.database.unit() as unit:
        unit.session.connection().exec_driver_sql("select * from live_texts for update")
        assert site.admin.get(path).json() == first.json()


def test_too_many_requests_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those in line wait for a while; more than the line holds are refused at once."""
    monkeypatch.setattr(gates, "LINE", 1)

    async def crowd() -> list[Any]:
        gate = Gate(1, patience_s=0.05)

        async def request() -> None:
            async with gate.place():
                await asyncio.sleep(0.2)

        return await asyncio.gather(*(request() for _ in range(3)), return_exceptions=True)

    done, *refused = asyncio.run(crowd())
    assert done is None
    assert [error.status for error in refused if isinstance(error, ApiError)] == [503, 503]


def test_who_takes_long_lets_the_next_one_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as may be long at once; the place is free again in every case."""
    monkeypatch.setattr(gates, "LONG", 2)
    monkeypatch.setattr(gates, "LONG_S", 0.01)

    async def crowd() -> None:
        gate = Gate(1, patience_s=0.1)
        over = asyncio.Event()

        async def request() -> None:
            async with gate.place():
                await over.wait()

        inside = [asyncio.ensure_future(request()) for _ in range(3)]
        await asyncio.sleep(0.08)  # two are long, and the third keeps its place
        with pytest.raises(gates.TooBusyError):
            await request()
        over.set()
        await asyncio.gather(*inside)
        for _ in range(4):
            await request()

    asyncio.run(crowd())


def test_an_exhausted_pool_is_no_defect(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is 503 as a problem document, with the time after which to try again."""

    def exhausted(*_: Any, **__: Any) -> None:
        raise Busy("QueuePool limit reached")

    monkeypatch.setattr("pileup.storage.queue.jobs.Jobs.length", exhausted)
    answer = site.admin.get("/api/v1/status")
    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "3"
    assert answer.json()["title"] == "Too busy"


def test_health_does_not_wait_in_line(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says so when the database did not answer lately."""
    monkeypatch.setattr(gates, "_gates", {})
    monkeypatch.setattr(gates, "LINE", 0)
    assert site.stranger.get("/health").status_code == 200
    assert site.admin.get("/api/v1/status").status_code == 503
    monkeypatch.setattr("pileup.api.pulse._FRESH_S", -1.0)
    assert site.stranger.get("/health").status_code == 503
