"""Readers and uploaders on a running installation: response times by kind of request.

    python -m benchmarks.load --url http://127.0.0.1:8400 --token TOKEN --users 200 --uploaders 20

Each reader behaves as a browser with the UI: one event stream, one screen after another with a
pause in between, all requests of a screen at once, the polls of the status bar, and If-None-Match
wherever an answer is known. Readers come one after another (``--arrival``). Uploaders send small
files to an incident of their own, which is deleted at the end. The exit code is 1 when a request
failed or was refused, or when the 95th percentile of reads is above ``--most-ms``. Keep this
process on cores that the server does not use (taskset): its last line says how late it was itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import ssl
import sys
import time
from collections import Counter, defaultdict
from contextlib import AsyncExitStack

import httpx

_ALWAYS = ("", "/overview")
_SCREENS = (
    ("/actions", "/hypotheses", "/findings", "/episodes", "/similar", "/texts/summary"),
    ("/artifacts", "/uploads"),
    ("/series", "/marks", "/strips", "/episodes"),
    ("/waits", "/waits/moments", "/strips"),
    ("/hypotheses", "/pins", "/matrix", "/findings"),
    ("/report", "/actions", "/releases"),
    ("/activity", "/activity/filters"),
)
"""What each screen of an incident requests when it opens, besides ``_ALWAYS``."""
_POLLS = (("/api/v1/status", 10.0), ("/api/v1/mentions", 60.0))
_QUEUE_S = 5.0
_UPLOAD_BYTES = 2000
_LIMITS = httpx.Limits(max_connections=6, keepalive_expiry=60)
"""As a browser: at most six connections to a host, which stay open (the server closes them)."""


class Measured:
    """Times and statuses of one run."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.own_lags: list[float] = []
        """How late this process is itself; its times say little where that is much."""

    async def watch_own_lag(self, until: float) -> None:
        """Measure how late a pause of 50 ms ends."""
        while (began := time.monotonic()) < until:
            await asyncio.sleep(0.05)
            self.own_lags.append(time.monotonic() - began - 0.05)

    async def send(
        self, client: httpx.AsyncClient, kind: str, method: str, path: str, **options: object
    ) -> httpx.Response | None:
        """Send a request and record how long it took; None when the connection failed."""
        began = time.monotonic()
        try:
            response = await client.request(method, path, **options)  # type: ignore[arg-type]
        except httpx.HTTPError:
            self.statuses[kind, 0] += 1
            return None
        self.times[kind].append(time.monotonic() - began)
        self.statuses[kind, response.status_code] += 1
        return response


class Browser:
    """One reader: what it knows by its tag, and what it requests."""

    def __init__(
        self, client: httpx.AsyncClient, incident: str, measured: Measured, until: float
    ) -> None:
        self._client = client
        self._incident = incident
        self._measured = measured
        self._until = until
        self._tags: dict[str, str] = {}

    async def look(self, pause_s: float) -> None:
        """Open one screen after another."""
        while time.monotonic() < self._until:
            parts = dict.fromkeys((*_ALWAYS, *random.choice(_SCREENS)))
            root = f"/api/v1/incidents/{self._incident}"
            await asyncio.gather(*(self._get(f"read {part or '/'}", root + part) for part in parts))
            await asyncio.sleep(random.expovariate(1 / pause_s))

    async def work(self, pause_s: float) -> None:
        """Open screens, poll what the status bar shows, and keep the event stream open."""
        await asyncio.gather(
            follow(self._client, self._incident, self._until),
            self.look(pause_s),
            self.poll(f"/api/v1/incidents/{self._incident}/queue", _QUEUE_S),
            *(self.poll(path, every_s) for path, every_s in _POLLS),
        )

    async def poll(self, path: str, every_s: float) -> None:
        """Request the same document again and again."""
        while time.monotonic() < self._until:
            await self._get(f"poll {path.rpartition('/')[2]}", path)
            await asyncio.sleep(every_s)

    async def _get(self, kind: str, path: str) -> None:
        headers = {"If-None-Match": self._tags[path]} if path in self._tags else {}
        response = await self._measured.send(self._client, kind, "GET", path, headers=headers)
        if response is not None and "etag" in response.headers:
            self._tags[path] = response.headers["etag"]


async def arrive(browser: Browser, after_s: float, pause_s: float) -> None:
    """Let a reader come after so many seconds."""
    await asyncio.sleep(after_s)
    await browser.work(pause_s)


async def follow(client: httpx.AsyncClient, incident: str, until: float) -> None:
    """Keep an event stream open."""
    while time.monotonic() < until:
        try:
            path = f"/api/v1/incidents/{incident}/events"
            async with client.stream("GET", path, timeout=None) as stream:
                async for _ in stream.aiter_lines():
                    if time.monotonic() > until:
                        return
        except httpx.HTTPError:
            await asyncio.sleep(1)


async def upload(
    client: httpx.AsyncClient, incident: str, measured: Measured, until: float
) -> None:
    """Send one small file after another."""
    while time.monotonic() < until:
        files = {"file": (f"{time.time_ns()}.txt", os.urandom(_UPLOAD_BYTES // 2).hex().encode())}
        path = f"/api/v1/incidents/{incident}/artifacts"
        await measured.send(client, "upload", "POST", path, files=files)
        await asyncio.sleep(random.expovariate(1))


async def check_health(client: httpx.AsyncClient, measured: Measured, until: float) -> None:
    """Ask for the health twice a second."""
    while time.monotonic() < until:
        await measured.send(client, "health", "GET", "/health")
        await asyncio.sleep(0.5)


async def run(options: argparse.Namespace) -> int:
    """Run the load and print the table; return the exit code."""
    measured = Measured()
    headers = {"Authorization": f"Bearer {options.token}"}
    context = ssl.create_default_context()  # one for all: each takes 10 ms to make

    async def new_client() -> httpx.AsyncClient:
        """Return a client with connections of its own, as each browser has."""
        return await clients.enter_async_context(
            httpx.AsyncClient(
                base_url=options.url, headers=headers, timeout=60, verify=context, limits=_LIMITS
            )
        )

    async with AsyncExitStack() as clients:
        client = await new_client()
        listed = await client.get("/api/v1/incidents", params={"limit": 20})
        incidents = [item["id"] for item in listed.raise_for_status().json()["items"]]
        if not incidents:
            sys.exit("the installation has no incident to read: load a sample first")
        made = await client.post("/api/v1/incidents", json={"title": "benchmarks.load"})
        target = made.raise_for_status().json()["id"]
        until = time.monotonic() + options.seconds
        work = [check_health(client, measured, until), measured.watch_own_lag(until)]
        for number in range(options.users):
            incident = incidents[number % len(incidents)]
            reader = await new_client()
            browser = Browser(reader, incident, measured, until)
            work.append(arrive(browser, number * options.arrival / options.users, options.pause))
        senders = [await new_client() for _ in range(options.uploaders)]
        work += [upload(sender, target, measured, until) for sender in senders]
        running = [asyncio.ensure_future(each) for each in work]
        await asyncio.wait(running, timeout=options.seconds + 60)
        for task in running:
            task.cancel()
        await client.delete(f"/api/v1/incidents/{target}")
    return report(measured, options)


def report(measured: Measured, options: argparse.Namespace) -> int:
    """Print the table; return 1 when a limit was missed."""
    print(f"{'request':<20} {'count':>7} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}  statuses")
    of_reads = [times for kind, times in measured.times.items() if kind[:4] in ("read", "poll")]
    reads = [each for times in of_reads for each in times]
    rows = {**measured.times, "all reads": reads}
    for kind in sorted(rows):
        statuses = {
            status: count for (of, status), count in measured.statuses.items() if of == kind
        }
        cells = " ".join(f"{1000 * _share(rows[kind], share):8.0f}" for share in (0.5, 0.95, 0.99))
        print(f"{kind:<20} {len(rows[kind]):>7} {cells}  {statuses or ''}")
    failed = sum(count for (_, status), count in measured.statuses.items() if _has_failed(status))
    lag_ms = 1000 * _share(measured.own_lags, 0.95)
    print(f"this process: late by {lag_ms:.0f} ms (p95), {time.process_time():.1f} s of CPU")
    slow = 1000 * _share(reads, 0.95) > options.most_ms
    print(f"{failed} failed; {len(reads) / options.seconds:.0f} reads/s")
    return 1 if failed or slow else 0


def _has_failed(status: int) -> bool:
    """Return whether a request failed; an incident without an analysis answers 409."""
    return status == 0 or (status >= 400 and status != 409)


def _share(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] if times else 0.0


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8400")
    parser.add_argument("--token", required=True, help="with every verb")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--uploaders", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--arrival", type=float, default=30.0, help="seconds until all users came")
    parser.add_argument("--pause", type=float, default=10.0, help="between two screens of a user")
    parser.add_argument("--most-ms", type=float, default=500)
    sys.exit(asyncio.run(run(parser.parse_args())))


if __name__ == "__main__":
    main()
