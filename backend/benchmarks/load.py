"""Readers and uploaders on a running installation: response times by kind of request.

    python -m benchmarks.load --url http://127.0.0.1:8400 --token TOKEN --users 200 --uploaders 20

Each reader keeps one event stream open and opens the screens of the incidents in turn, with a
pause in between; half of the reads repeat the last ETag. Uploaders send small files to an incident
of their own, which is deleted at the end. The exit code is 1 when a read was refused or failed,
or when the 95th percentile is above ``--most-ms``.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections import Counter, defaultdict

import httpx

_READS = ("", "/overview", "/artifacts", "/series", "/hypotheses", "/report", "/activity", "/queue")
_UPLOAD_BYTES = 2000


class Measured:
    """Times and statuses of one run."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = defaultdict(list)
        self.statuses: Counter[tuple[str, int]] = Counter()

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


async def read(
    client: httpx.AsyncClient,
    incidents: list[str],
    measured: Measured,
    until: float,
    pause_s: float,
) -> None:
    """Open one screen after another."""
    tags: dict[str, str] = {}
    while time.monotonic() < until:
        await asyncio.sleep(random.expovariate(1 / pause_s))
        part = random.choice(_READS)
        path = f"/api/v1/incidents/{random.choice(incidents)}{part}"
        headers = {"If-None-Match": tags[path]} if path in tags and random.random() < 0.5 else {}
        response = await measured.send(client, f"read {part or '/'}", "GET", path, headers=headers)
        if response is not None and "etag" in response.headers:
            tags[path] = response.headers["etag"]


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
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=options.url, headers=headers, timeout=60, limits=limits
    ) as client:
        listed = await client.get("/api/v1/incidents", params={"limit": 20})
        incidents = [item["id"] for item in listed.raise_for_status().json()["items"]]
        if not incidents:
            sys.exit("the installation has no incident to read: load a sample first")
        made = await client.post("/api/v1/incidents", json={"title": "benchmarks.load"})
        target = made.raise_for_status().json()["id"]
        until = time.monotonic() + options.seconds
        work = [check_health(client, measured, until)]
        for number in range(options.users):
            work.append(read(client, incidents, measured, until, options.pause))
            work.append(follow(client, incidents[number % len(incidents)], until))
        work += [upload(client, target, measured, until) for _ in range(options.uploaders)]
        running = [asyncio.ensure_future(each) for each in work]
        await asyncio.wait(running, timeout=options.seconds + 60)
        for task in running:
            task.cancel()
        await client.delete(f"/api/v1/incidents/{target}")
    return report(measured, options)


def report(measured: Measured, options: argparse.Namespace) -> int:
    """Print the table; return 1 when a limit was missed."""
    print(f"{'request':<20} {'count':>7} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}  statuses")
    reads = [each for kind, times in measured.times.items() if "read" in kind for each in times]
    rows = {**measured.times, "all reads": reads}
    for kind in sorted(rows):
        statuses = {
            status: count for (of, status), count in measured.statuses.items() if of == kind
        }
        cells = " ".join(f"{1000 * _share(rows[kind], share):8.0f}" for share in (0.5, 0.95, 0.99))
        print(f"{kind:<20} {len(rows[kind]):>7} {cells}  {statuses or ''}")
    failed = sum(
        count for (_, status), count in measured.statuses.items() if status == 0 or status >= 500
    )
    slow = 1000 * _share(reads, 0.95) > options.most_ms
    print(f"{failed} failed; {len(reads) / options.seconds:.0f} reads/s")
    return 1 if failed or slow else 0


def _share(times: list[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] if times else 0.0


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="http://127.0.0.1:8400")
    parser.add_argument("--token", required=True, help="of scope full")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--uploaders", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--pause", type=float, default=3.0, help="between two reads of a user")
    parser.add_argument("--most-ms", type=float, default=500)
    sys.exit(asyncio.run(run(parser.parse_args())))


if __name__ == "__main__":
    main()
