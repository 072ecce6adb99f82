"""The installation of `pileup verify`: how it starts, what it is given, when it is done."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import httpx
import pytest

from pileup.cli.checking import clean_room

LINK = "http://127.0.0.1:4711/sign-in?link=abc"


class Process:
    """A `pileup run` that prints these lines; it may not end by itself."""

    def __init__(self, text: str, *, hangs: bool = False) -> None:
        self.stdout = io.StringIO(text)
        self.hangs = hangs
        self.calls: list[str] = []

    def terminate(self) -> None:
        self.calls.append("terminate")

    def wait(self, timeout_s: float) -> None:
        self.calls.append(f"wait {timeout_s}")
        if self.hangs:
            raise subprocess.TimeoutExpired("pileup", timeout_s)

    def kill(self) -> None:
        self.calls.append("kill")


class Started:
    """What the clean room starts and sends, in place of a process and a network."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, process: Process, status: int = 200
    ) -> None:
        self.command: list[str] = []
        self.options: dict[str, Any] = {}
        self.requests: list[httpx.Request] = []
        real = httpx.Client

        def start(command: list[str], **options: Any) -> Process:
            self.command, self.options = command, options
            return process

        def answer(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            cookie = {"Set-Cookie": "pileup_csrf=token; Path=/"}
            return httpx.Response(status, json={}, headers=cookie)

        def client(**options: Any) -> httpx.Client:
            return real(transport=httpx.MockTransport(answer), **options)

        monkeypatch.setattr(clean_room.subprocess, "Popen", start)
        monkeypatch.setattr(clean_room.httpx, "Client", client)


@pytest.mark.parametrize("hangs", [False, True])
def test_an_installation_of_its_own_starts_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    """No setting of this machine's goes along, but for those that results depend on."""
    for name, value in {
        "PILEUP_DATABASE_URL": "postgresql://own",
        "PILEUP_HOME": "/own",
        "PILEUP_KNOWLEDGE_DIR": "/knowledge",
        "PILEUP_MAX_UPLOAD_BYTES": "7",
        "PILEUP_MAX_EXPANDED_BYTES": "8",
        "OTHER": "kept",
    }.items():
        monkeypatch.setenv(name, value)
    process = Process(f"starting\n  {LINK}\nmore\n", hangs=hangs)
    started = Started(monkeypatch, process)
    with clean_room.installation(tmp_path, keep_log=False) as client:
        assert process.calls == []
        assert client.headers["X-CSRF-Token"] == "token"
        assert str(client.base_url) == "http://127.0.0.1:4711/api/v1/"
    assert process.calls == ["terminate", "wait 60", *(["kill"] if hangs else [])]
    assert started.command == [sys.executable, "-m", "pileup", "run", "--port", "0"]
    environment = started.options.pop("env")
    assert started.options == {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }
    named = {name: value for name, value in environment.items() if name.startswith("PILEUP_")}
    assert named == {
        "PILEUP_KNOWLEDGE_DIR": "/knowledge",
        "PILEUP_MAX_UPLOAD_BYTES": "7",
        "PILEUP_MAX_EXPANDED_BYTES": "8",
        "PILEUP_HOME": str(tmp_path / "home"),
    }
    assert (environment["OTHER"], environment["PYTHONUNBUFFERED"]) == ("kept", "1")
    (request,) = started.requests
    assert (request.method, request.url.path) == ("POST", "/api/v1/session/link")
    body = {"link": "abc", "name": "pileup verify", "email": None, "password": None}
    assert json.loads(request.content) == body


def test_a_sign_in_that_is_refused_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Process(f"{LINK}\n")
    Started(monkeypatch, process, 403)
    with (
        pytest.raises(click.ClickException, match=r"the server refused \(403\)"),
        clean_room.installation(tmp_path, keep_log=False),
    ):
        pass
    assert process.calls == ["terminate", "wait 60"]


@pytest.mark.parametrize("keep_log", [False, True])
def test_the_output_is_printed_only_on_demand(
    keep_log: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    process: Any = Process(f"first\n{LINK} is the link\n")
    assert clean_room._link(process, keep_log) == LINK
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (f"first\n{LINK} is the link\n" if keep_log else "")
    clean_room._drain(io.StringIO("a\nb\n"), keep_log)
    assert capsys.readouterr().err == ("a\nb\n" if keep_log else "")


def test_one_that_does_not_start_shows_the_end_of_its_output() -> None:
    process: Any = Process("".join(f"line {n}\n" for n in range(12)))
    with pytest.raises(click.ClickException) as caught:
        clean_room._link(process, keep_log=False)
    lines = "".join(f"line {n}\n" for n in range(2, 12))
    assert caught.value.message == f"The clean room did not start:\n{lines}"


def test_one_that_starts_for_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line after the limit is the last."""
    times = iter([0.0, 120.0, 120.5, 999.0])
    monkeypatch.setattr(clean_room.time, "monotonic", lambda: next(times))
    process: Any = Process("a\nb\nc\n")
    with pytest.raises(click.ClickException) as caught:
        clean_room._link(process, keep_log=False)
    assert caught.value.message == "The clean room did not start:\na\nb\n"


# ---- what it is asked ------------------------------------------------------------------------


def client_of(answers: dict[str, list[tuple[int, Any]]], seen: list[httpx.Request]) -> httpx.Client:
    def answer(request: httpx.Request) -> httpx.Response:
        request.read()
        seen.append(request)
        status, body = answers[request.url.path].pop(0)
        return httpx.Response(status, json=body)

    return httpx.Client(transport=httpx.MockTransport(answer), base_url="http://room")


def test_a_bundle_is_imported(tmp_path: Path) -> None:
    path = tmp_path / "case.zip"
    path.write_bytes(b"PK rest")
    seen: list[httpx.Request] = []
    client = client_of({"/incidents/import": [(201, {"id": "7"}), (422, {})]}, seen)
    assert clean_room.put(client, path) == "7"
    assert (seen[0].method, seen[0].content) == ("POST", b"PK rest")
    assert seen[0].headers["Content-Type"] == "application/zip"
    with pytest.raises(click.ClickException, match="refused"):
        clean_room.put(client, path)


def overview(parsing: int, state: str) -> tuple[int, Any]:
    return 200, {"artifacts": {"parsing": parsing}, "analysis": {"state": state}}


def test_every_incident_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until all its files are read, and its analysis has ended, whatever came of it."""
    pauses: list[float] = []
    monkeypatch.setattr(clean_room.time, "sleep", pauses.append)
    seen: list[httpx.Request] = []
    answers = {
        "/incidents/a/overview": [
            overview(1, "done"),
            overview(0, "running"),
            overview(0, "waiting"),
            overview(0, "done"),
        ],
        "/incidents/b/overview": [overview(0, "failed")],
        "/incidents/c/overview": [overview(0, "none")],
    }
    clean_room.wait(client_of(answers, seen), ["a", "b", "c"])
    assert [request.url.path[11] for request in seen] == list("aaaabc")
    assert pauses == [0.5] * 3


def test_waiting_ends_after_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 3600.0, 3600.5])
    monkeypatch.setattr(clean_room.time, "monotonic", lambda: next(times))
    monkeypatch.setattr(clean_room.time, "sleep", lambda _: None)
    client = client_of({"/incidents/a/overview": [overview(1, "none")] * 3}, [])
    with pytest.raises(click.ClickException) as caught:
        clean_room.wait(client, ["a"])
    assert caught.value.message == "The artifacts were not read within an hour."


def test_an_answer_is_a_success_or_a_sentence() -> None:
    client = client_of({"/x": [(200, 1), (404, {"title": "Gone", "detail": "since today"})]}, [])
    assert clean_room.get(client, "/x").json() == 1
    with pytest.raises(click.ClickException) as caught:
        clean_room.get(client, "/x")
    assert caught.value.message == "the server refused (404): Gone: since today"
