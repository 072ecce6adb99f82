"""What the API decides without a database: limits exactly reached, times, headers, orders.

Clocks are made up, so that a pause or an age is known to the millisecond.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from pileup.api import bodies, body_store, event_hub, events, gate, rounds, traffic, ui, windows
from pileup.api.accounts import limits, oidc_provider, pauses
from pileup.api.accounts.limits import Lane, SignInLimits
from pileup.api.accounts.oidc_provider import ProviderError
from pileup.api.artifacts import tus
from pileup.api.body_store import Bodies, Body
from pileup.api.deps import expected_revision
from pileup.api.errors import ApiError
from pileup.api.event_hub import EventHub, Inbox
from pileup.storage.artifacts.artifacts import Given
from pileup.storage.database import ACCESS
from pileup.views.window import Window


class Clock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def monotonic(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        return self.now


def refusal(function: Callable[..., Any], *arguments: Any, **named: Any) -> tuple[int, str, str]:
    with pytest.raises(ApiError) as caught:
        function(*arguments, **named)
    error = caught.value
    return error.status, error.title, error.detail


# ---- headers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "revision"),
    [('"3"', 3), ("3", 3), (' W/"7" ', 7), ('"123456789"', 123456789), ('"0"', 0)],
)
def test_a_revision(header: str, revision: int) -> None:
    assert expected_revision(header) == revision


@pytest.mark.parametrize("header", ["", '""', '"x"', '"-1"', '"1234567890"', "1.5", "x" * 60])
def test_what_is_no_revision(header: str) -> None:
    words = f'If-Match is {header[:40]!r}, not like "3"'
    assert refusal(expected_revision, header) == (400, "Not a revision", words)


def test_a_write_needs_a_revision() -> None:
    status, title, detail = refusal(expected_revision)
    assert (status, title) == (428, "No revision")
    assert 'send the revision that you edited as If-Match: "3"' in detail


def test_what_an_upload_says_of_itself() -> None:
    assert tus.metadata_of("path YS9i, empty ,filename w6k=") == {
        "path": "a/b",
        "empty": "",
        "filename": "é",
    }
    for header in ("path !", "path YQ", "path Y Q=="):
        words = "the value of 'path' in Upload-Metadata is not base64"
        assert refusal(tus.metadata_of, header) == (400, "Bad metadata", words)
    assert refusal(tus.metadata_of, "x" * 50 + " !")[2].startswith(f"the value of {'x' * 40!r} in")


def test_a_time_that_goes_with_an_upload() -> None:
    month = 31 * 86400.0
    at = datetime(2026, 11, 20, 18, 42, tzinfo=UTC)
    assert tus.given_in({}) == Given(None, None, None)
    whole = {"at": "2026-11-20T18:42Z", "within_s": str(month), "host": f" {'h' * 256} "}
    assert tus.given_in(whole) == Given(at, month, "h" * 255)
    assert tus.given_in({"within_s": "0", "host": "  "}) == Given(None, 0.0, None)
    for metadata, words in (
        ({"at": "x"}, "at is not ISO 8601, or within_s is not a number of seconds"),
        ({"within_s": "x"}, "at is not ISO 8601, or within_s is not a number of seconds"),
        ({"at": "2026-11-20T18:42"}, "at has no zone: write 2026-11-20T18:42Z for UTC"),
        ({"within_s": "-0.1"}, "within_s must lie between 0 and 31 days"),
        ({"within_s": str(month + 0.1)}, "within_s must lie between 0 and 31 days"),
        ({"within_s": "nan"}, "within_s must lie between 0 and 31 days"),
    ):
        assert refusal(tus.given_in, metadata) == (400, "Bad metadata", words)


def test_a_window() -> None:
    early, late = datetime(1970, 1, 1, tzinfo=UTC), datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC)
    assert windows.window(early, late) == Window(0, 1_000_005)
    assert windows.window(None, late) == Window(None, 1_000_005)
    assert windows.window() == Window(None, None)
    zone = "write times with their zone: 2026-11-20T22:19Z"
    naive = datetime(1970, 1, 1)  # noqa: DTZ001
    assert refusal(windows.window, naive) == (422, "Not a window", zone)
    assert refusal(windows.window, None, naive) == (422, "Not a window", zone)
    ends = (422, "Not a window", "the window ends before it begins")
    assert refusal(windows.window, late, late) == ends
    assert refusal(windows.window, late, early) == ends
    assert windows.times_in_utc({"a": late, "b": 1}) == {"a": late, "b": 1}
    assert refusal(windows.utc, naive) == (
        *(422, "Not accepted"),
        "1970-01-01T00:00:00 has no zone: write it with Z or an offset",
    )


def request_of(headers: dict[str, str], path: str = "/x", method: str = "GET") -> Request:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "headers": raw, "query_string": b""}
    return Request(scope)


@pytest.mark.parametrize(
    ("headers", "large"),
    [
        ({}, False),
        ({"content-length": "0"}, False),
        ({"content-length": str(bodies.MOST_PUBLIC_BYTES)}, False),
        ({"content-length": str(bodies.MOST_PUBLIC_BYTES + 1)}, True),
        ({"content-length": "-1"}, True),
        ({"content-length": ""}, True),
        ({"transfer-encoding": "chunked"}, True),
        ({"transfer-encoding": "chunked", "content-length": "1"}, True),
    ],
)
def test_a_body_that_may_be_large(headers: dict[str, str], large: bool) -> None:
    assert bodies._may_be_large(request_of(headers)) is large


# ---- the UI's files --------------------------------------------------------------------------


@pytest.fixture
def built(tmp_path: Path) -> Path:
    root = tmp_path / "ui"
    (root / "assets").mkdir(parents=True)
    for name in ("index.html", "icon.svg", "assets/a.js", "assets/a.js.gz", "assets/a.js.br"):
        (root / name).write_text(name)
    (tmp_path / "secret").write_text("secret")
    return root


@pytest.mark.parametrize(
    ("path", "found", "cache"),
    [
        ("/assets/a.js", "assets/a.js", "public, max-age=31536000, immutable"),
        ("/icon.svg", "icon.svg", "no-cache"),
        ("/index.html", "index.html", "no-cache"),
        ("/incidents", "index.html", "no-cache"),
        ("/../secret", "index.html", "no-cache"),
        ("/\x00", "index.html", "no-cache"),
        ("/assets/b.js", None, None),
    ],
)
def test_files_of_the_ui(built: Path, path: str, found: str | None, cache: str | None) -> None:
    answer: Any = ui._file(built, path, "")
    if found is None:
        assert (answer.status_code, answer.body) == (404, b"no such file")
        return
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == cache
    if found == "index.html":
        assert answer.body == b"index.html"
        first, again = (ui._page(built, 200).headers["content-security-policy"] for _ in range(2))
        assert first != again
    else:
        assert Path(answer.path) == built / found
        assert answer.headers["vary"] == "Accept-Encoding"
        assert "content-encoding" not in answer.headers


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip", "gzip"),
        ("br", "br"),
        ("gzip, br", "br"),
        ("gzip;q=1.0, br;q=0.0", "gzip"),
        ("br;q=0", None),
        ("br; q=0.5", "br"),
        ("identity", None),
        ("", None),
    ],
)
def test_a_compressed_file_goes_to_who_reads_it(
    built: Path, accepted: str, encoding: str | None
) -> None:
    answer: Any = ui._file(built, "/assets/a.js", accepted)
    assert answer.headers.get("content-encoding") == encoding
    end = {"gzip": ".gz", "br": ".br", None: ""}[encoding]
    assert Path(answer.path).name == f"a.js{end}"
    assert answer.headers["content-type"].startswith("text/javascript")


# ---- notices ---------------------------------------------------------------------------------


def notice(topic: str, key: str | None, number: int = 1, **more: Any) -> dict[str, Any]:
    return {"incident": "i", "topic": topic, "id": key, "number": number} | more


def test_an_inbox_keeps_the_last_of_each_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        inbox = Inbox()
        assert await inbox.first(0.001) is None
        first, other, again = notice("a", "1"), notice("a", "2"), notice("a", "1", 9)
        for each in (first, other, again):
            inbox.put(each)
        assert await inbox.first(1) is again
        assert inbox.take() == [again, other]
        assert inbox.take() == []
        assert await inbox.first(0.001) is None
        monkeypatch.setattr(event_hub, "_MOST_SUBJECTS", 2)
        for each in (first, other, again):
            inbox.put(each)
        assert inbox.take() == [again, other]
        for each in (first, other, notice("b", None)):
            inbox.put(each)
        assert [each["topic"] for each in inbox.take()] == [ACCESS, "resync"]

    asyncio.run(run())


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    for module in (event_hub, body_store, limits, pauses, traffic):
        monkeypatch.setattr(module, "time", clock)
    return clock


def dispatched(hub: EventHub, *notices: dict[str, Any]) -> None:
    for each in notices:
        given = {name: value for name, value in each.items() if name != "number"}
        hub._dispatch(json.dumps(given))


def test_a_stream_that_opens_gets_what_was_lately(clock: Clock) -> None:
    """Of its incident, of the last 15 seconds, in the order of the last notice of each subject."""

    async def run() -> None:
        hub = EventHub("postgresql://x/y")
        dispatched(hub, notice("a", "1"), notice("b", "2"), notice("a", "1"))
        dispatched(hub, notice("a", "1") | {"incident": "other"})
        inbox = hub.open("i")
        assert [(n["topic"], n["number"]) for n in inbox.take()] == [("b", 2), ("a", 3)]
        clock.now += 15
        dispatched(hub, notice("c", "3"))
        assert [n["topic"] for n in inbox.take()] == ["c"]
        assert [n["topic"] for n in hub.open("i").take()] == ["b", "a", "c"]
        clock.now += 0.001
        assert [n["topic"] for n in hub.open("i").take()] == ["c"]
        hub._listening_since = clock.now
        clock.now += 15
        assert [n["topic"] for n in hub.open("i").take()] == ["resync"]
        clock.now += 0.001
        assert hub.open("i").take() == []
        dispatched(hub, notice(ACCESS, "user") | {"incident": None})
        assert [n["topic"] for n in inbox.take()] == [ACCESS]
        hub.close("i", inbox)
        dispatched(hub, notice("d", "4"))
        assert inbox.take() == []
        lonely = hub.open("z")
        assert "z" in hub._streams
        hub.close("z", lonely)
        hub.close("never", lonely)
        assert "z" not in hub._streams

    asyncio.run(run())


def here(tab: str, user: str = "u", *, left: bool = False) -> dict[str, Any]:
    fields = dict.fromkeys(("name", "address", "text", "cursor", "follow"), tab)
    return notice("presence", tab, user_id=user, left=left, **fields)


def test_people_are_here_for_a_while(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        hub = EventHub("postgresql://x/y")
        monkeypatch.setattr(event_hub, "_MOST_TABS", 2)
        inbox = hub.open("i")
        dispatched(hub, here("t1"), here("t2"), here("t3"), here("t4", "other"), here("t1"))
        assert [each["id"] for each in hub.here("i")] == ["t1", "t2", "t4"]
        assert [each["id"] for each in inbox.take()] == ["t1", "t2", "t4"]
        dispatched(hub, here("t2", left=True), here("t9", left=True), here("t3"))
        assert [each["id"] for each in hub.here("i")] == ["t1", "t4", "t3"]
        assert [each["left"] for each in inbox.take()] == [True, True, False]
        assert hub.open("i").take() == []  # presence is not sent again
        clock.now += event_hub._HERE_S
        assert len(hub.here("i")) == 3
        dispatched(hub, here("t4", "other"))
        clock.now += 0.001
        assert [each["id"] for each in hub.here("i")] == ["t4"]
        clock.now += event_hub._HERE_S
        assert (hub.here("i"), hub._here) == ([], {})
        assert hub.here("unknown") == []

    asyncio.run(run())


def test_a_person_has_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = EventHub("postgresql://x/y")
    monkeypatch.setattr(event_hub, "_MOST_STREAMS", 2)
    with hub.place("a"), hub.place("a"), hub.place("b"):
        status, title, detail = refusal(hub.place("a").__enter__)
        assert (status, title) == (429, "Too many streams")
        assert detail.startswith("2 windows of yours or of your link follow incidents now")
    assert hub._places == {}


def test_streams_share_what_one_of_them_computes(clock: Clock) -> None:
    async def run() -> None:
        hub = EventHub("postgresql://x/y")
        calls: list[int] = []

        def compute(value: int) -> int:
            calls.append(value)
            return value

        assert await hub.share("k", compute, 1) == 1
        clock.now += 5.0
        assert await hub.share("k", compute, 2) == 1
        clock.now += 0.001
        assert await hub.share("k", compute, 3) == 3
        assert await hub.share("other", compute, 4) == 4
        assert calls == [1, 3, 4]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("topic", "pause"), [("text", 0.05), ("presence", 0.05), (ACCESS, 0.05), ("artifact", 0.2)]
)
def test_what_follows_shortly_is_sent_with_it(
    monkeypatch: pytest.MonkeyPatch, topic: str, pause: float
) -> None:
    slept: list[float] = []

    async def run() -> None:
        inbox = Inbox()

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            inbox.put(notice("artifact", "later"))

        monkeypatch.setattr(events.asyncio, "sleep", sleep)
        assert await events._gather(inbox, 0.001) == []
        inbox.put(notice(topic, "1"))
        found = await events._gather(inbox, 1)
        assert [(each["topic"], each["id"]) for each in found] == [
            (topic, "1"),
            ("artifact", "later"),
        ]

    asyncio.run(run())
    assert slept == [pause]


async def _given(*found: Any) -> Any:
    for each in found:
        yield each


@pytest.mark.parametrize(
    ("incident", "redact", "expected"),
    [
        (None, "", ["presence", "artifact", "analysis", "text", "upload", "worker", "changed"]),
        ("i", "", ["artifact", "analysis", "text", "upload", "worker", "changed"]),
        ("i", "sql", ["changed", "analysis", "text", "worker", "changed"]),
        (None, "sql", ["changed", "analysis", "text", "worker", "changed"]),
    ],
)
def test_who_sees_which_events(incident: str | None, redact: str, expected: list[str]) -> None:
    """Guests of a redacted link learn that files changed, and no error of an analysis."""
    made = [
        events._event(name, {"state": "failed", "error": "a.txt"})
        for name in ("presence", "artifact", "analysis", "text", "upload", "worker", "changed")
    ]
    caller: Any = SimpleNamespace(incident_id=incident, redact=redact)

    async def run() -> list[Any]:
        return [event async for event in events._shown(_given(*made), caller)]

    found = asyncio.run(run())
    assert [event.event for event in found] == expected
    shown = {event.event: json.loads(event.data) for event in found[::-1]}
    if redact:
        assert shown["changed"] == {"what": "artifacts"}
        assert shown["analysis"] == {"state": "failed", "error": None}
    else:
        assert shown["analysis"] == {"state": "failed", "error": "a.txt"}


def test_events_of_texts_and_people_need_no_row() -> None:
    nothing: Any = None
    assert events._read(nothing, "i", []) == []
    found = events._read(
        nothing, "i", [notice("text", "k", seq=7), here("t1"), notice("text", "l", seq=8)]
    )
    assert [(event.event, json.loads(event.data)) for event in found] == [
        (
            "presence",
            {
                "here": [
                    {"tab": "t1", "user_id": "u", "left": False}
                    | dict.fromkeys(("name", "address", "text", "cursor", "follow"), "t1")
                ]
            },
        ),
        ("text", {"key": "k", "seq": 7}),
        ("text", {"key": "l", "seq": 8}),
    ]


# ---- crowds ----------------------------------------------------------------------------------


def test_a_lane_refuses_when_too_many_wait() -> None:
    """Two of a client, eight in all."""
    lane = Lane("test")
    lane._waiting["a"] = 1
    lane.need_place("a")
    lane._waiting["a"] = 2
    assert refusal(lane.need_place, "a") == (
        *(429, "Too many sign-ins at once"),
        "others are signing in at this moment; try again in some seconds",
    )
    lane._waiting.update({"b": 2, "c": 2, "d": 1})
    lane.need_place("e")
    lane._waiting["d"] = 2
    assert refusal(lane.need_place, "e")[0] == 429


@pytest.mark.parametrize(
    ("counts", "known", "refused"),
    [
        ((9, 49, 99), False, False),
        ((10, 0, 0), False, True),
        ((0, 50, 0), False, True),
        ((0, 0, 100), False, True),
        ((9, 50, 100), True, False),
        ((10, 10, 10), True, True),
    ],
)
def test_too_many_guesses(
    monkeypatch: pytest.MonkeyPatch,
    clock: Clock,
    counts: tuple[int, ...],
    known: bool,
    refused: bool,
) -> None:
    """A stranger who was refused is refused for ten more seconds without a look."""
    both, of_client, of_account = counts
    found = SimpleNamespace(both=both, of_client=of_client, of_account=of_account)
    monkeypatch.setattr(limits, "Guesses", lambda _: SimpleNamespace(counts=lambda *_: found))

    class Unit:
        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            pass

    services: Any = SimpleNamespace(door_unit=Unit)
    whole = SignInLimits(services)
    whole.pauses.pause_s = 0.0
    if not refused:
        whole.check_guesses("c", "a", known_device=known)
        assert whole._paused == {}
        return
    words = "too many wrong passwords; wait five minutes, or ask an admin for a sign-in link"
    named = {"known_device": known}
    assert refusal(whole.check_guesses, "c", "a", **named) == (429, "Too many attempts", words)
    assert whole._paused == ({} if known else {"c": 1010.0})

    async def early() -> None:
        await whole.refuse_early("c")

    if not known:
        clock.now += 9.999
        assert refusal(lambda: asyncio.run(early()))[1] == "Too many attempts"
        clock.now += 0.001
        asyncio.run(early())
        assert whole._paused == {}


@pytest.mark.parametrize(("both", "records"), [(1, 1), (2, 0), (9, 0), (10, 1), (11, 0)])
def test_the_first_and_the_tenth_guess_are_recorded(
    monkeypatch: pytest.MonkeyPatch, both: int, records: int
) -> None:
    added: list[Any] = []
    recorded: list[Any] = []
    guesses = SimpleNamespace(
        add=lambda *call: added.append(call), counts=lambda *_: SimpleNamespace(both=both)
    )
    monkeypatch.setattr(limits, "Guesses", lambda _: guesses)
    monkeypatch.setattr(
        limits.audit, "record", lambda _, __, what, **more: recorded.append((what, more))
    )

    class Unit:
        def __enter__(self) -> None:
            pass

        def __exit__(self, *_: object) -> None:
            pass

    services: Any = SimpleNamespace(door_unit=Unit)
    limits.GuessLimits(services).failed("c", "a", "code")
    assert added == [("c", "a")]
    assert recorded == [("code.refused", {"client": "c", "account": "a"})] * records


def test_a_flood_of_refusals_is_slowed_down(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty at once, and ten a second, are what people cause."""
    slowed: list[float] = []
    whole = pauses.Pauses()

    async def pause() -> None:
        slowed.append(clock.now)

    monkeypatch.setattr(whole, "pause", pause)

    async def refuse(times: int) -> int:
        before = len(slowed)
        for _ in range(times):
            await whole.pause_in_a_flood()
        return len(slowed) - before

    async def run() -> None:
        assert await refuse(50) == 0
        assert await refuse(1) == 1
        clock.now += 1.0
        assert await refuse(9) == 0
        assert await refuse(60) == 60
        clock.now += 4.9  # it counts at most a hundred
        assert await refuse(1) == 1
        clock.now += 60
        assert await refuse(50) == 0

    asyncio.run(run())


def test_pauses_are_spread_and_grow_in_a_crowd(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(round(seconds, 6))

    monkeypatch.setattr(pauses.asyncio, "sleep", sleep)
    chosen = iter([0, 999, *[0] * 200])
    monkeypatch.setattr(
        pauses.secrets, "randbelow", lambda most: next(chosen) if most == 1000 else 1
    )
    whole = pauses.Pauses()
    whole.pause_s = 1.0

    async def run() -> None:
        await whole.pause()
        await whole.pause()
        for _ in range(150):
            await whole.pause()
        whole._pausing = pauses._MOST_PAUSING
        await whole.pause()

    asyncio.run(run())
    each = pauses._OF_PAUSE
    assert slept[0] == max(0.5, round(each, 6))
    assert slept[1] == max(1.499, round(2 * each, 6))
    expected = [max(0.5, min(n * each, pauses._LONGEST)) for n in range(3, 153)]
    assert slept[2:] == [round(seconds, 6) for seconds in expected]


def test_a_line_before_the_gate_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        door = gate.Gate(1, 0.01)
        async with door.place():
            door._waiting = gate.LINE
            with pytest.raises(gate.TooBusyError):
                async with door.place():
                    pass
            door._waiting = gate.LINE - 1
            with pytest.raises(gate.TooBusyError) as caught:  # its patience ends
                async with door.place():
                    pass
            assert (caught.value.status, door._waiting) == (503, gate.LINE - 1)
            door._waiting = 0
        async with door.place():
            assert door.move_on() is True
            assert door._long == 1
            async with door.place():  # the place is free
                pass
            door.leave(is_long=True)
            door._long = gate.LONG - 1
            assert door.move_on() is True
            assert door.move_on() is False
            assert door._long == gate.LONG

    asyncio.run(run())
    assert (gate.gate, gate.PLACES_OF_UPLOADS) == (gate.gate, 2)


# ---- finished bodies -------------------------------------------------------------------------


def test_a_body_is_sent_for_its_time_and_then_computed_once(clock: Clock) -> None:
    store = Bodies("build", 100)
    key = ("a", "b")
    assert store.lately(key) is None
    body = Body("t", b"x", "text/plain", False, until=1010.0)
    store._bodies[key] = body
    clock.now = 1009.999
    assert store.lately(key) is body
    clock.now = 1010.0
    assert store.lately(key) is None
    assert store.lately(key, or_before=5.0) is None  # the first computes another
    again = store.lately(key, or_before=5.0)
    assert again is not None
    assert (again.tag, again.is_renewed) == ("t", True)
    clock.now = 1014.999
    assert store.lately(key, or_before=5.0) is not None
    clock.now = 1015.0
    assert store.lately(key, or_before=5.0) is None


# ---- identity providers ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "content", "words"),
    [
        (200, b'{"a": 1}', None),
        (200, b'{"a":"' + b"x" * (oidc_provider._MOST_BYTES - 8) + b'"}', None),
        (200, b" " * (oidc_provider._MOST_BYTES + 1), "answers with more than 1 MiB"),
        (200, b"[1]", "does not answer with an object"),
        (200, b"{", "does not answer with JSON: "),
        (500, b"{}", "does not answer with JSON: "),
        (302, b"{}", "does not answer with JSON: "),
    ],
)
def test_what_a_provider_answers(
    monkeypatch: pytest.MonkeyPatch, status: int, content: bytes, words: str | None
) -> None:
    asked: list[dict[str, Any]] = []

    def stream(method: str, url: str, **options: Any) -> Any:
        asked.append(options)
        client = httpx.Client(
            transport=httpx.MockTransport(lambda _: httpx.Response(status, content=content))
        )
        return client.stream(method, url)

    monkeypatch.setattr(oidc_provider.httpx, "stream", stream)
    if words is None:
        assert oidc_provider._get("https://a.b/c").keys() == {"a"}
    else:
        with pytest.raises(ProviderError) as caught:
            oidc_provider._get("https://a.b/c")
        assert str(caught.value).startswith(f"https://a.b/c {words}")
    assert asked == [{"timeout": oidc_provider._TIMEOUT_S, "follow_redirects": False}]


# ---- traffic ---------------------------------------------------------------------------------


@pytest.fixture
def logged(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    lines: list[Any] = []
    log = SimpleNamespace(
        warning=lambda name, **facts: lines.append((name, facts["elapsed_ms"], facts["status"])),
        info=lambda name, **facts: lines.append((name, facts["elapsed_ms"], facts["status"])),
    )
    monkeypatch.setattr(traffic, "log", log)
    monkeypatch.setattr(traffic.metrics, "count_request", lambda *call: lines.append(call))
    return lines


@pytest.mark.parametrize("access", [True, False])
@pytest.mark.parametrize(("took", "line"), [(0.4999, "request"), (0.5, "request.slow")])
def test_requests_are_counted_and_the_slow_ones_logged(
    clock: Clock, logged: list[Any], took: float, line: str, access: bool
) -> None:
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        clock.now += took
        await send({"type": "http.response.start", "status": 204, "headers": [(b"a", b"b")]})
        clock.now += 60  # a stream goes on
        await send({"type": "http.response.body"})

    async def send(message: Any) -> None:
        sent.append(message)

    nothing: Any = None
    watched = traffic.Traffic(app, access=access, slow_ms=500)
    scope = request_of({"x-request-id": "a" * 64}, "/p", "PUT").scope
    asyncio.run(watched(scope, nothing, send))
    assert logged[0] == ("PUT", "other", 204, pytest.approx(took))
    shown = access or line == "request.slow"
    assert logged[1:] == ([(line, round(took * 1000, 1), 204)] if shown else [])
    assert sent[0]["headers"] == [(b"a", b"b"), (b"x-request-id", b"a" * 64)]
    for odd in ("a" * 65, "a b", ""):
        sent.clear()
        asyncio.run(watched(request_of({"x-request-id": odd}).scope, nothing, send))
        made = dict(sent[0]["headers"])[b"x-request-id"]
        assert len(made) == 16


def test_a_request_that_fails_counts_as_500(clock: Clock, logged: list[Any]) -> None:
    async def app(*_: Any) -> None:
        clock.now += 0.25
        raise ValueError("x")

    nothing: Any = None
    watched = traffic.Traffic(app, access=False, slow_ms=500)
    with pytest.raises(ValueError, match="x"):
        asyncio.run(watched(request_of({}).scope, nothing, nothing))
    assert logged == [("GET", "other", 500, 0.25)]


# ---- answers of the framework ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind", "is_replaced"),
    [
        (413, b"text/plain; charset=utf-8", True),
        (413, b"application/problem+json", False),
        (200, b"text/plain", False),
        (413, b"", False),
    ],
)
def test_a_plain_413_becomes_a_problem(status: int, kind: bytes, is_replaced: bool) -> None:
    """Once: what the framework sends after it is dropped."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    request = request_of({}, "/api/v1/x", "POST")
    request = Request(request.scope, receive)
    headers = [(b"content-type", kind)] if kind else []
    given = [
        {"type": "http.response.start", "status": status, "headers": headers},
        {"type": "http.response.body", "body": b"too long"},
    ]

    async def run() -> None:
        sender = bodies._as_problem(request, send)
        for message in given:
            await sender(message)

    asyncio.run(run())
    if not is_replaced:
        assert sent == given
        return
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[0]["status"] == 413
    assert json.loads(sent[1]["body"])["status"] == 413


def test_each_application_has_its_own_rounds() -> None:
    """In each loop: a second application of one loop asks its own database."""

    async def ask(first: Any, second: Any) -> list[bool]:
        made = rounds.rounds(first)
        again, other = rounds.rounds(first), rounds.rounds(second)
        return [again is made, other is made, other._services is second]

    first: Any = SimpleNamespace(unit=None)
    second: Any = SimpleNamespace(unit=None)
    assert asyncio.run(ask(first, second)) == [True, False, True]
    assert asyncio.run(ask(first, second)) == [True, False, True]
