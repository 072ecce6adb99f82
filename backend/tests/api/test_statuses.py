"""Each error of the domain has its status, its title and its words in the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.exceptions import HTTPException
from fastapi.testclient import TestClient
from psycopg.errors import QueryCanceled
from starlette.requests import ClientDisconnect

from pileup.api import error_handlers
from pileup.api.error_handlers import TABLE
from pileup.storage import errors as storage
from pileup.storage.database import Unreachable
from tests.analysis.turning.tools import instead

STATUSES = {
    **dict.fromkeys(("NoSuchCapture", "NoSuchRun", "NotFound"), 404),
    "Crowded": 429,
    "Forbidden": 403,
    "InUse": 423,
    "Refused": 422,
    "NoSpace": 507,
    **dict.fromkeys(("StaleRevision", "NothingToCompare", "NotAnalysed", "NoStall"), 409),
    **dict.fromkeys(("NoBaseline", "NotAligned", "NotRead", "NothingToDraw", "Conflict"), 409),
    **dict.fromkeys(("TooLarge", "OverQuota"), 413),
    "Damaged": 500,
    **dict.fromkeys(("StoreUnreachable", "ScannerUnreachable", "WrongKey", "WrongSchema"), 503),
    **dict.fromkeys(("OperationalError", "TimeoutError"), 503),
}
DATABASE = {
    "TimeoutError": "Every connection to the database is in use; try again in a moment.",
    "OperationalError": "The database does not answer; try again in a moment (`pileup doctor` says "
    "more).",
}


def _error(kind: type[Exception], orig: Exception | None = None) -> Exception:
    if kind is storage.StaleRevision:
        return storage.StaleRevision("what happened", {"revision": 3})
    if kind is Unreachable:
        return Unreachable("select", {}, orig or OSError())
    return kind("what happened")


@pytest.fixture
def refusals() -> Iterator[list[str]]:
    """The paths of refusals that were recorded."""
    found: list[str] = []
    with instead(error_handlers, record_refusal=lambda request, _: found.append(request.url.path)):
        yield found


def _answer(error: Exception) -> Any:
    app = FastAPI()
    app.state.services = None
    error_handlers.install(app)

    @app.get("/here")
    def fails() -> None:
        raise error

    return TestClient(app, raise_server_exceptions=False).get("/here")


@pytest.mark.parametrize(("kind", "title"), [(kind, title) for kind, _, title in TABLE])
def test_each_error_has_its_status(kind: type[Exception], title: str, refusals: list[str]) -> None:
    answer = _answer(_error(kind))
    status = STATUSES[kind.__name__]
    assert answer.status_code == status
    body = answer.json()
    assert (body["status"], body["title"], body["instance"]) == (status, title, "/here")
    assert body["detail"] == DATABASE.get(kind.__name__, body["detail"])
    assert kind.__name__ in DATABASE or "what happened" in body["detail"]
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert answer.headers.get("Retry-After") == ("3" if status in (429, 503) else None)
    assert body.get("current") == ({"revision": 3} if kind is storage.StaleRevision else None)
    assert "errors" not in body
    assert refusals == (["/here"] if status == 403 else [])


def test_every_error_of_storage_has_a_status() -> None:
    """A new one without a line of the table would be a defect in the eyes of who asks."""
    waiting = [storage.StorageError]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            assert any(issubclass(kind, known) for known, _, _ in TABLE), kind


def test_the_first_line_that_fits_counts() -> None:
    kinds = [kind for kind, _, _ in TABLE]
    for at, kind in enumerate(kinds):
        assert not any(issubclass(kind, before) for before in kinds[:at]), kind


def test_a_refused_value_names_its_field() -> None:
    body = _answer(storage.Refused("too long", "title")).json()
    assert body["errors"] == [{"field": "title", "message": "too long"}]


def test_a_statement_that_took_too_long_is_said() -> None:
    body = _answer(_error(Unreachable, QueryCanceled())).json()
    assert body["detail"] == (
        "The database took too long for this and stopped; ask for less, or try later."
    )


@pytest.mark.parametrize(
    ("error", "status", "title"),
    [
        (HTTPException(404, "x"), 404, "Not found"),
        (HTTPException(405, "x", {"Allow": "GET"}), 405, "Method not allowed"),
        (HTTPException(418, "x"), 418, "Refused"),
        (HTTPException(413, "x"), 413, None),
        (ClientDisconnect(), 400, "The body was cut off"),
        (ZeroDivisionError(), 500, "A defect in Pileup"),
    ],
)
def test_other_errors(error: Exception, status: int, title: str | None) -> None:
    answer = _answer(error)
    assert answer.status_code == status
    assert answer.json()["title"] == title or (title is None and answer.json()["detail"] != "x")
    assert answer.headers.get("Allow") == ("GET" if status == 405 else None)
