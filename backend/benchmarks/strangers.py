"""Strangers next to a signed-in reader: what sign-ins, large bodies and invented sessions cost.

    python -m benchmarks.strangers --rounds 4 [--url http://127.0.0.1:8400]

One signed-in reader opens the list of incidents and screens of the newest one after another. Spans
of time alternate between a quiet one and one for each kind of strangers, and the rounds repeat, so
that other work on the machine falls on all of them alike. The strangers have a process of their own
with the lowest priority: in truth they are elsewhere and take no processor time of the server.
"Many addresses" means another X-Forwarded-For for each attempt, which a server believes from its
own host: a thousand clients instead of one.

Printed for each kind: the reader's times, the processor time of the API and the largest growth of
its memory since the first quiet span. The exit code is 1 when the reader's 95th percentile next to
strangers is more than twice the quiet one, a read failed, or the memory grew by 100 MB. The reader
is deleted at the end; the counts of wrong passwords pass within five minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from urllib.parse import urlsplit

from benchmarks.browser import Browser
from benchmarks.load import cpu_times, process_ids, share_of, sum_below
from benchmarks.people import Person, people
from pileup.runtime.home import read_instance
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings

_QUIET = "quiet"
_READ = ("", "/overview", "/artifacts", "/series", "/waits", "/report", "/hypotheses", "/activity")
_PAUSE_S = 0.03
_BODY_BYTES = 300_000_000
_MOST_TIMES = 2.0
_MOST_GROWTH_MB = 100

Attempt = Callable[["Stranger"], Awaitable[int]]


class Stranger:
    """One who tries again and again."""

    def __init__(self, url: str, number: int) -> None:
        self.url = url
        self.number = number
        self.attempts = 0
        self.browser = Browser(url, {})

    def name(self) -> str:
        """Return a name that nobody had before, for an account or a session."""
        return f"{os.getpid()}-{self.number}-{time.time_ns()}"

    def address(self) -> dict[str, str]:
        """Return the header that claims another client's address for each attempt."""
        here = self.number * 1_000_003 + self.attempts
        return {"X-Forwarded-For": f"10.{here >> 16 & 255}.{here >> 8 & 255}.{here & 255}"}


async def _sign_in(stranger: Stranger, headers: dict[str, str] | None = None) -> int:
    body = json.dumps({"email": f"{stranger.name()}@example.org", "password": "wrong password"})
    sent = {"Content-Type": "application/json", **(headers or {})}
    answer = await stranger.browser.request("POST", "/api/v1/session", sent, body.encode())
    return answer.status


async def _sign_in_from_anywhere(stranger: Stranger) -> int:
    return await _sign_in(stranger, stranger.address())


async def _invent(stranger: Stranger) -> int:
    kinds = ({"Cookie": f"pileup_session={stranger.name()}"},
             {"Authorization": f"Bearer plp_{stranger.name()}"})  # fmt: skip
    headers = {**kinds[stranger.attempts % 2], **stranger.address()}
    return (await stranger.browser.request("GET", "/api/v1/incidents", headers)).status


async def _send_body(stranger: Stranger) -> int:
    """Send a body of 300 MB until the server closes the connection; return its answer, or 0."""
    lines = ("POST /api/v1/session", "PUT /api/v1/redaction-profiles/x")
    length = (f"Content-Length: {_BODY_BYTES}", "Transfer-Encoding: chunked")
    at = stranger.attempts
    address = urlsplit(stranger.url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        writer.write(
            f"{lines[at % 2]} HTTP/1.1\r\nHost: {address.netloc}\r\n{length[at // 2 % 2]}\r\n"
            "Content-Type: application/json\r\n\r\n".encode()
        )
        piece = b" " * (1 << 16)
        if at // 2 % 2:
            piece = b"%x\r\n%s\r\n" % (len(piece), piece)
        with suppress(ConnectionError):
            for _ in range(_BODY_BYTES >> 16):
                writer.write(piece)
                await writer.drain()
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            return int((await reader.readuntil(b"\r\n")).split()[1])
        return 0
    finally:
        writer.close()


_KINDS: dict[str, tuple[tuple[int, Attempt], ...]] = {
    "60 sign-ins": ((60, _sign_in),),
    "60 sign-ins, many addresses": ((60, _sign_in_from_anywhere),),
    "8 bodies of 300 MB": ((8, _send_body),),
    "both": ((60, _sign_in_from_anywhere), (8, _send_body)),
    "60 with invented sessions": ((60, _invent),),
}
"""How many do what at the same time."""


async def _try_again(
    stranger: Stranger, attempt: Attempt, until: float, seen: Counter[int]
) -> None:
    while time.monotonic() < until:
        status = 0
        with suppress(OSError, TimeoutError):
            status = await asyncio.wait_for(attempt(stranger), 30)
        stranger.attempts += 1
        seen[status] += 1


async def _crowd(url: str, kind: str, until: float) -> Counter[int]:
    """Let the strangers of a kind try until then; return the statuses of their answers."""
    seen: Counter[int] = Counter()
    attempts = [attempt for count, attempt in _KINDS[kind] for _ in range(count)]
    strangers = [Stranger(url, number) for number in range(len(attempts))]
    work = [
        asyncio.ensure_future(_try_again(stranger, attempt, until, seen))
        for stranger, attempt in zip(strangers, attempts, strict=True)
    ]
    _, late = await asyncio.wait(work, timeout=until - time.monotonic() + 0.2)
    for task in late:
        task.cancel()
    for stranger in strangers:
        stranger.browser.close()
    return seen


def _elsewhere(url: str, orders: Connection) -> None:
    """Be the strangers: do what is ordered until no more orders come."""
    os.nice(19)
    with suppress(EOFError):
        while True:
            kind, until = orders.recv()
            orders.send(asyncio.run(_crowd(url, kind, until)))


@dataclass
class Seen:
    """What was measured in all spans of one kind."""

    times: list[float] = field(default_factory=list)
    failed: int = 0
    seconds: float = 0.0
    cpu_s: float = 0.0
    most_bytes: int = 0
    answers: Counter[int] = field(default_factory=Counter)

    def share(self, share: float) -> float:
        """Return so-many-th part of the times, in ms."""
        return 1000 * share_of(self.times, share)


def _memory(pid: int) -> int:
    """Return the resident bytes of a process and all below."""
    return int(sum_below(pid, lambda process: process.memory_info().rss))


async def _watch_memory(pid: int, seen: Seen, until: float) -> None:
    while time.monotonic() < until:
        seen.most_bytes = max(seen.most_bytes, _memory(pid))
        await asyncio.sleep(0.1)


async def _read(browser: Browser, paths: list[str], seen: Seen, until: float) -> None:
    at = 0
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            answer = await browser.request("GET", paths[at % len(paths)])
            seen.failed += answer.status >= 400 and answer.status != 409
        except OSError:
            seen.failed += 1
        seen.times.append(time.monotonic() - began)
        at += 1
        await asyncio.sleep(_PAUSE_S)


async def _measure(
    url: str, reader: Person, settings: Settings, orders: Connection, options: argparse.Namespace
) -> dict[str, Seen]:
    """Run all spans; each begins half a second after its strangers."""
    browser = Browser(url, reader.headers)
    listed = json.loads((await browser.request("GET", "/api/v1/incidents?limit=1")).text)
    if not listed["items"]:
        sys.exit("the installation has no incident to read: load a sample first")
    root = f"/api/v1/incidents/{listed['items'][0]['id']}"
    paths = ["/api/v1/incidents", *(root + each for each in _READ)]
    api = process_ids(url, settings)["api"]
    await _read(browser, paths, Seen(), time.monotonic() + 2)
    found = {kind: Seen() for kind in (_QUIET, *_KINDS)}
    for _ in range(options.rounds):
        for kind, seen in found.items():
            until = time.monotonic() + 0.5 + options.seconds
            if kind != _QUIET:
                orders.send((kind, until))
            await asyncio.sleep(0.5)
            began, cpu = time.monotonic(), cpu_times(url, settings)["api"]
            await asyncio.gather(
                _read(browser, paths, seen, until), _watch_memory(api, seen, until)
            )
            seen.seconds += time.monotonic() - began
            seen.cpu_s += cpu_times(url, settings)["api"] - cpu
            if kind != _QUIET:
                seen.answers += await asyncio.to_thread(orders.recv)
            await asyncio.sleep(options.pause)
    browser.close()
    return found


def report(found: dict[str, Seen]) -> bool:
    """Print the table; return whether a limit was missed."""
    quiet = found[_QUIET]
    print(f"{'beside':<28} {'reads':>6} {'p50 ms':>7} {'p95 ms':>7} {'x quiet':>7} "
          f"{'API CPU':>8} {'MB more':>8}  answers to strangers")  # fmt: skip
    missed = False
    for kind, seen in found.items():
        times = seen.share(0.95) / (quiet.share(0.95) or 1.0)
        growth = (seen.most_bytes - quiet.most_bytes) / 1e6
        missed |= times > _MOST_TIMES or growth >= _MOST_GROWTH_MB or seen.failed > 0
        failed = f"; {seen.failed} reads failed" if seen.failed else ""
        print(f"{kind:<28} {len(seen.times):>6} {seen.share(0.5):>7.0f} {seen.share(0.95):>7.0f} "
              f"{times:>7.2f} {100 * seen.cpu_s / seen.seconds:>6.0f} % {growth:>8.1f}  "
              f"{dict(seen.answers) or ''}{failed}")  # fmt: skip
    return missed


def main() -> None:
    """Read the command line, run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="of the installation in PILEUP_HOME by default")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each span")
    parser.add_argument("--pause", type=float, default=2.0, help="between two spans")
    options = parser.parse_args()
    settings = resolve(Settings())
    url = options.url or str(read_instance(settings.home).get("url") or settings.url)
    mine, theirs = multiprocessing.Pipe()
    crowd = multiprocessing.get_context("fork").Process(target=_elsewhere, args=(url, theirs))
    crowd.start()
    try:
        with people(need_database(settings), 1, secure=settings.secure_cookies) as (reader,):
            found = asyncio.run(_measure(url, reader, settings, mine, options))
    finally:
        crowd.terminate()
        crowd.join()
    sys.exit(1 if report(found) else 0)


if __name__ == "__main__":
    main()
