"""Readers and uploaders on a running installation: response times by kind of request.

    python -m benchmarks.load --users 200 --uploaders 20 [--url http://127.0.0.1:8400]

Each reader is a user of their own with a session, and behaves as a browser with the UI: one event
stream, one screen after another with a pause in between, all requests of a screen at once, the
polls of the status bar, and If-None-Match wherever an answer is known. Readers come one after
another (``--arrival``; 0: all in the same second). Uploaders send small files to an incident of
their own, which is deleted at the end, as the users are: it needs the database's address, that of
the ``pileup run`` in PILEUP_HOME or PILEUP_DATABASE_URL.

The exit code is 1 when a request failed or was refused, when the 95th percentile of reads is above
``--most-ms``, or when that of ``/health`` is above ``--most-health-ms``. The last lines say how
much CPU each process of the installation took, where it runs on this machine, and how late this
process was itself: with few cores it takes some of theirs.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import psutil

from benchmarks.browser import Answer, Browser
from benchmarks.people import Person, people
from pileup.runtime.home import read_instance
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings

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
        self,
        browser: Browser,
        kind: str,
        method: str,
        path: str,
        headers: dict[str, str] | None = None,
        body: bytes = b"",
    ) -> Answer | None:
        """Send a request and record how long it took; None when the connection failed."""
        began = time.monotonic()
        try:
            answer = await browser.request(method, path, headers, body)
        except OSError:
            self.statuses[kind, 0] += 1
            return None
        self.times[kind].append(time.monotonic() - began)
        self.statuses[kind, answer.status] += 1
        return answer


class Reader:
    """One reader: what they know by its tag, and what they request."""

    def __init__(self, browser: Browser, incident: str, measured: Measured, until: float) -> None:
        self._browser = browser
        self._incident = incident
        self._measured = measured
        self._until = until
        self._tags: dict[str, str] = {}

    async def look(self, pause_s: float) -> None:
        """Open one screen after another."""
        kind = "first"
        while time.monotonic() < self._until:
            parts = dict.fromkeys((*_ALWAYS, *random.choice(_SCREENS)))
            root = f"/api/v1/incidents/{self._incident}"
            await asyncio.gather(
                *(self._get(f"{kind} {part or '/'}", root + part) for part in parts)
            )
            await asyncio.sleep(random.expovariate(1 / pause_s))
            kind = "read"

    async def work(self, after_s: float, pause_s: float) -> None:
        """Come, open screens, poll what the status bar shows, and keep the event stream open."""
        await asyncio.sleep(after_s)
        await asyncio.gather(
            self.follow(),
            self.look(pause_s),
            self.poll(f"/api/v1/incidents/{self._incident}/queue", _QUEUE_S),
            *(self.poll(path, every_s) for path, every_s in _POLLS),
        )

    async def follow(self) -> None:
        """Keep an event stream open."""
        while time.monotonic() < self._until:
            with suppress(OSError):
                path = f"/api/v1/incidents/{self._incident}/events"
                await self._browser.follow(path, self._until)
            await asyncio.sleep(1)

    async def poll(self, path: str, every_s: float) -> None:
        """Request the same document again and again."""
        while time.monotonic() < self._until:
            await self._get(f"poll {path.rpartition('/')[2]}", path)
            await asyncio.sleep(every_s)

    async def _get(self, kind: str, path: str) -> None:
        headers = {"If-None-Match": self._tags[path]} if path in self._tags else None
        answer = await self._measured.send(self._browser, kind, "GET", path, headers)
        if answer is not None and "etag" in answer.headers:
            self._tags[path] = answer.headers["etag"]


async def upload(browser: Browser, incident: str, measured: Measured, until: float) -> None:
    """Send one small file after another."""
    path = f"/api/v1/incidents/{incident}/artifacts"
    edge = "benchmark-edge"
    headers = {"Content-Type": f"multipart/form-data; boundary={edge}"}
    while time.monotonic() < until:
        part = f'Content-Disposition: form-data; name="file"; filename="{time.time_ns()}.txt"'
        content = os.urandom(_UPLOAD_BYTES // 2).hex()
        body = f"--{edge}\r\n{part}\r\n\r\n{content}\r\n--{edge}--\r\n".encode()
        await measured.send(browser, "upload", "POST", path, headers, body)
        await asyncio.sleep(random.expovariate(1))


async def check_health(browser: Browser, measured: Measured, until: float) -> None:
    """Ask for the health twice a second."""
    while time.monotonic() < until:
        await measured.send(browser, "health", "GET", "/health")
        await asyncio.sleep(0.5)


async def run(url: str, everybody: list[Person], options: argparse.Namespace) -> Measured:
    """Run the load."""
    measured = Measured()
    browsers = [Browser(url, person.headers) for person in everybody]
    try:
        await _work(browsers, measured, options)
    finally:
        for browser in browsers:
            browser.close()
    return measured


async def _work(browsers: list[Browser], measured: Measured, options: argparse.Namespace) -> None:
    first, readers = browsers[0], browsers[1 : options.users + 1]
    listed = json.loads(_plain(await first.request("GET", "/api/v1/incidents?limit=20")))
    incidents = [item["id"] for item in listed["items"]]
    if not incidents:
        sys.exit("the installation has no incident to read: load a sample first")
    is_json = {"Content-Type": "application/json"}
    made = await first.request("POST", "/api/v1/incidents", is_json, b'{"title":"benchmarks.load"}')
    target = json.loads(_plain(made))["id"]
    until = time.monotonic() + options.seconds
    work = [check_health(first, measured, until), measured.watch_own_lag(until)]
    for number, browser in enumerate(readers):
        reader = Reader(browser, incidents[number % len(incidents)], measured, until)
        work.append(reader.work(number * options.arrival / options.users, options.pause))
    uploaders = browsers[options.users + 1 :]
    work += [upload(browser, target, measured, until) for browser in uploaders]
    running = [asyncio.ensure_future(each) for each in work]
    done, late = await asyncio.wait(running, timeout=options.seconds + 60)
    for task in late:
        task.cancel()
    for task in done:
        task.result()
    _plain(await first.request("DELETE", f"/api/v1/incidents/{target}"))


def _plain(answer: Answer) -> bytes:
    if answer.status >= 400:
        sys.exit(f"the installation answers {answer.status}: {answer.body[:300]!r}")
    return answer.text


def report(measured: Measured, options: argparse.Namespace) -> bool:
    """Print the table; return whether a limit was missed."""
    print(f"{'request':<22} {'count':>7} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8}  statuses")
    groups = {"all reads": ("first", "read", "poll"), "all of a first screen": ("first",)}
    rows = dict(measured.times)
    for name, kinds in groups.items():
        of_kinds = [times for kind, times in measured.times.items() if kind.split()[0] in kinds]
        rows[name] = [each for times in of_kinds for each in times]
    for kind in sorted(rows):
        statuses = {
            status: count for (of, status), count in measured.statuses.items() if of == kind
        }
        cells = " ".join(
            f"{1000 * share_of(rows[kind], share):8.0f}" for share in (0.5, 0.95, 0.99)
        )
        print(f"{kind:<22} {len(rows[kind]):>7} {cells}  {statuses or ''}")
    failed = sum(count for (_, status), count in measured.statuses.items() if _has_failed(status))
    reads = rows["all reads"]
    print(f"{failed} failed; {len(reads) / options.seconds:.0f} reads/s")
    limits = {"all reads": options.most_ms, "health": options.most_health_ms}
    slow = [name for name, ms in limits.items() if 1000 * share_of(rows.get(name, []), 0.95) > ms]
    for name in slow:
        print(f"{name}: the 95th percentile is above {limits[name]:.0f} ms")
    return bool(failed or slow)


def process_ids(url: str, settings: Settings) -> dict[str, int]:
    """Return the ids of the processes of this installation, by service, where it is here.

    A `pileup run` names its processes; of a `pileup serve` those that listen are found.
    """
    facts = read_instance(settings.home)
    children = facts.get("children")
    roots = {}
    if isinstance(children, list):
        roots = {str(child["name"]): int(child["pid"]) for child in children}
    else:
        port = urlsplit(url).port
        for connection in psutil.net_connections("tcp"):
            is_ours = connection.laddr and connection.laddr.port == port
            if is_ours and connection.pid and connection.status == psutil.CONN_LISTEN:
                roots.setdefault("api", connection.pid)
    return roots


def cpu_times(url: str, settings: Settings) -> dict[str, float]:
    """Return the CPU seconds of the processes of this installation and all below, by service."""
    return {name: _cpu_of(pid) for name, pid in process_ids(url, settings).items()}


def _cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process and all below, with those that ended."""
    return sum_below(pid, lambda process: sum(process.cpu_times()[:4]))


def sum_below(pid: int, amount: Callable[[psutil.Process], float]) -> float:
    """Return the sum over a process and all below; what ends meanwhile counts for nothing."""
    total = 0.0
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            with suppress(psutil.Error):
                total += amount(process)
    return total


def report_cpu(before: dict[str, float], after: dict[str, float], measured: Measured) -> None:
    """Print what the load cost the installation, and this process."""
    requests = sum(len(times) for times in measured.times.values())
    for name, seconds in after.items():
        used = seconds - before.get(name, 0.0)
        print(
            f"{name}: {used:.1f} s of CPU, {1000 * used / max(1, requests):.2f} ms for each request"
        )
    lag_ms = 1000 * share_of(measured.own_lags, 0.95)
    print(f"this process: {time.process_time():.1f} s of CPU, late by {lag_ms:.0f} ms (p95)")


def _has_failed(status: int) -> bool:
    """Return whether a request failed; an incident without an analysis answers 409."""
    return status == 0 or (status >= 400 and status != 409)


def share_of(times: list[float], share: float) -> float:
    """Return so-many-th part of the times; 0 without any."""
    return sorted(times)[min(len(times) - 1, int(share * len(times)))] if times else 0.0


def main() -> None:
    """Read the command line, run and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="of the installation in PILEUP_HOME by default")
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--uploaders", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--arrival", type=float, default=30.0, help="seconds until all users came")
    parser.add_argument("--pause", type=float, default=10.0, help="between two screens of a user")
    parser.add_argument("--most-ms", type=float, default=500)
    parser.add_argument("--most-health-ms", type=float, default=100)
    options = parser.parse_args()
    settings = resolve(Settings())
    url = options.url or str(read_instance(settings.home).get("url") or settings.url)
    count = 1 + options.users + options.uploaders
    with people(need_database(settings), count, secure=settings.secure_cookies) as everybody:
        before = cpu_times(url, settings)
        measured = asyncio.run(run(url, everybody, options))
        after = cpu_times(url, settings)
    missed = report(measured, options)
    report_cpu(before, after, measured)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
