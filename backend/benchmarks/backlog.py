"""A long line of work: archives of thousands of files, and a small file that came later.

    python -m benchmarks.backlog --members 20000 --minutes 5

Somebody uploads as many archives of vmstat snippets as a worker has processes, each to an incident
of its own, and while they are expanded and their members wait, a text
of 160 bytes to another incident, again and again. Printed: how long each
small file took until it was parsed, how many messages lay at the broker, and for how long each
process of a worker ran no job while jobs waited: between the end of one job and the start of its
next. The incidents are deleted at the end. It uses the `pileup run` in
PILEUP_HOME, or what PILEUP_DATABASE_URL, PILEUP_BROKER_URL and --url name.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import sys
import tarfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from sqlalchemy import text

from benchmarks.browser import Browser
from benchmarks.people import people
from pileup.runtime.home import read_instance
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings
from pileup.storage.database import Database
from pileup.storage.queue.broker import CeleryBell, make_celery

_EVERY_S = 5.0
_SMALL_BYTES = 160
_LATE_S = 5.0
_EDGE = "benchmark-edge"
_SNIPPET = (
    "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    " 1  0      0 %6d %6d 514220    0    0     3    12   90  180  2  1 97  0  0\n"
)
_JOBS = text(
    "select owner, extract(epoch from started_at), extract(epoch from finished_at) from jobs"
    " where finished_at > to_timestamp(:since) and owner is not null order by started_at"
)
_STATES = text("select state, count(*) from jobs where state in ('queued', 'running') group by 1")


@dataclass
class Looks:
    """What was seen, look after look."""

    small_s: list[float] = field(default_factory=list)
    lost: int = 0
    """Small files that were not parsed within a minute."""
    messages: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    busy: list[tuple[float, float]] = field(default_factory=list)
    """Spans of time in which jobs waited at both ends, as the database's clock says."""


def archive(members: int, seed: int) -> bytes:
    """Return a compressed archive of so many small files, no two alike, of any seed."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as tar:
        for number in range(members):
            content = (_SNIPPET % (number, 100_000 * seed + number)).encode()
            info = tarfile.TarInfo(f"host{number % 40}/vmstat-{number}.txt")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return out.getvalue()


async def _create(browser: Browser, title: str) -> str:
    headers = {"Content-Type": "application/json"}
    body = json.dumps({"title": title}).encode()
    made = await browser.request("POST", "/api/v1/incidents", headers, body)
    return str(json.loads(made.text)["id"])


async def _upload(browser: Browser, incident: str, name: str, content: bytes) -> str:
    part = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    body = f"--{_EDGE}\r\n{part}\r\n\r\n".encode() + content + f"\r\n--{_EDGE}--\r\n".encode()
    headers = {"Content-Type": f"multipart/form-data; boundary={_EDGE}"}
    path = f"/api/v1/incidents/{incident}/artifacts"
    made = await browser.request("POST", path, headers, body)
    if made.status != 201:
        sys.exit(f"an upload was refused with {made.status}: {made.body[:300]!r}")
    return str(json.loads(made.text)["items"][0]["id"])


async def _parsed_after(database: Database, artifact: str) -> float | None:
    """Return how long it took until the artifact was parsed; None after a minute."""
    began = time.monotonic()
    state = text("select state from artifacts where id = :id")
    while time.monotonic() - began < 60:
        with database.unit() as unit:
            if unit.session.scalar(state, {"id": artifact}) not in ("queued", "parsing"):
                return time.monotonic() - began
        await asyncio.sleep(0.1)
    return None


async def _send_small(
    browser: Browser, incident: str, database: Database, looks: Looks, until: float
) -> None:
    number = 0
    while time.monotonic() < until:
        number += 1
        content = f"note {number} {time.time_ns()} ".encode().ljust(_SMALL_BYTES, b".")
        artifact = await _upload(browser, incident, f"note-{number}.txt", content)
        seconds = await _parsed_after(database, artifact)
        looks.lost += seconds is None
        looks.small_s.append(60.0 if seconds is None else seconds)
        await asyncio.sleep(_EVERY_S)


async def _look(
    database: Database, waiting_messages: Callable[[], int], looks: Looks, until: float
) -> None:
    """Look at the queue, each second."""
    before: float | None = None
    while time.monotonic() < until:
        with database.unit() as unit:
            now = float(unit.session.scalar(text("select extract(epoch from clock_timestamp())")))
            states = {row[0]: row[1] for row in unit.session.execute(_STATES)}
        queued = states.get("queued", 0)
        looks.waiting.append(queued)
        looks.messages.append(waiting_messages())
        if queued > 50 and before is not None:
            looks.busy.append((before, now))
        before = now if queued > 50 else None
        await asyncio.sleep(1)


def idle_times(database: Database, looks: Looks) -> dict[str, list[float]]:
    """Return, for each process of a worker, how long it ran no job while jobs waited."""
    if not looks.busy:
        return {}
    begin, end = looks.busy[0][0], looks.busy[-1][1]
    spans: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with database.unit() as unit:
        for owner, started, finished in unit.session.execute(_JOBS, {"since": begin}):
            spans[owner].append((float(started), float(finished)))
    idle: dict[str, list[float]] = {}
    for owner, ran in spans.items():
        idle[owner] = [
            following[0] - earlier[1]
            for earlier, following in pairwise(ran)
            if begin <= earlier[1] and following[0] <= end
        ]
    return idle


async def run(url: str, settings: Settings, options: argparse.Namespace) -> int:
    """Run the measurement and print what was seen."""
    database = Database(need_database(settings))
    bell = CeleryBell(make_celery(settings.broker_url or "memory://"))
    looks = Looks()
    with people(database.url, 1, secure=settings.secure_cookies) as (person,):
        browser = Browser(url, person.headers)
        small, *large = [
            await _create(browser, "benchmarks.backlog") for _ in range(1 + options.archives)
        ]
        try:
            for number, incident in enumerate(large):
                content = archive(options.members // options.archives, number)
                await _upload(browser, incident, "all.tar.gz", content)
            until = time.monotonic() + 60 * options.minutes
            await asyncio.gather(
                _send_small(browser, small, database, looks, until),
                _look(database, bell.waiting, looks, until),
            )
            idle = idle_times(database, looks)
        finally:
            for incident in (small, *large):
                answer = await browser.request("DELETE", f"/api/v1/incidents/{incident}")
                if answer.status != 204:
                    print(f"the incident {incident} stays: {answer.status} {answer.text[:200]!r}")
            browser.close()
    database.close()
    return report(looks, idle)


def report(looks: Looks, idle: dict[str, list[float]]) -> int:
    """Print the figures; return 1 when a small file took more than 5 s."""
    small = sorted(looks.small_s)
    print(f"waiting jobs: up to {max(looks.waiting)}; messages: up to {max(looks.messages)}")
    print(
        f"small files: {len(small)}, parsed after {small[len(small) // 2]:.1f} s (median), "
        f"{small[-1]:.1f} s (longest); later than {_LATE_S:.0f} s: "
        f"{sum(each > _LATE_S for each in small)}"
    )
    seconds = sum(end - begin for begin, end in looks.busy)
    gaps = sorted(gap for each in idle.values() for gap in each)
    if gaps:
        print(
            f"while jobs waited ({seconds:.0f} s), processes went from one job to the next "
            f"{len(gaps)} times: after {1000 * gaps[len(gaps) // 2]:.0f} ms (median), "
            f"{1000 * gaps[int(0.99 * len(gaps))]:.0f} ms (99th percentile), "
            f"{gaps[-1]:.2f} s (longest)"
        )
        for owner, each in sorted(idle.items()):
            share = 100 * sum(each) / seconds if seconds else 0.0
            print(f"  process {owner.split('|')[1]}: {share:.1f} % of the time without a job")
    return 1 if small[-1] > _LATE_S else 0


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="of the installation in PILEUP_HOME by default")
    parser.add_argument("--members", type=int, default=20_000, help="of all archives together")
    parser.add_argument("--archives", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=5.0)
    options = parser.parse_args()
    settings = resolve(Settings())
    url = options.url or str(read_instance(settings.home).get("url") or settings.url)
    sys.exit(asyncio.run(run(url, settings, options)))


if __name__ == "__main__":
    main()
