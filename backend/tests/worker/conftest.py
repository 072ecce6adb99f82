"""Run jobs in the test process without a broker: they wait until the test runs them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import select

from pileup.storage import models
from pileup.storage.queue.broker import Sender
from pileup.worker.runtime import Runtime, make_runtime
from pileup.worker.work import run
from tests.conftest import REPOSITORY
from tests.support.postgres import PostgresForTests
from tests.support.site import Site, open_site, settings_for

SAMPLES = REPOSITORY / "samples"
BOTH = ("artifact", "analyse")

read_here = pytest.mark.xdist_group("read-sample")
"""Marks tests that use copies of ``read_sample``, so that one process runs all of them."""


class Bench:
    """An installation with a worker that runs jobs on demand."""

    def __init__(self, site: Site, runtime: Runtime, sent: list[str]) -> None:
        self.site = site
        self.runtime = runtime
        self.sent = sent

    def work(self, kinds: tuple[str, ...] = ("artifact",)) -> None:
        """Run every due job of these kinds until none is left."""
        while jobs := self.queued(kinds):
            for job_id in jobs:
                run(self.runtime, job_id)

    def queued(self, kinds: tuple[str, ...]) -> list[str]:
        """List the waiting jobs of these kinds, oldest first."""
        with self.runtime.database.unit() as unit:
            rows = unit.session.scalars(
                select(models.Job.id)
                .where(models.Job.state == "queued", models.Job.kind.in_(kinds))
                .order_by(models.Job.id)
            )
            return list(rows)


@dataclass
class ListSender(Sender):
    """Sender that records the job ids it gets."""

    sent: list[str] = field(default_factory=list)

    def send(self, job_id: str) -> bool:
        self.sent.append(job_id)
        return True


@contextmanager
def open_bench(home: Path, postgres_url: str, **settings: object) -> Iterator[Bench]:
    """Create an installation and a worker over this folder and this database."""
    settings_of_bench = settings_for(home, postgres_url, **settings)
    with open_site(settings_of_bench) as site:
        sender = ListSender()
        runtime = make_runtime(settings_of_bench, sender)
        with closing(runtime.database):
            yield Bench(site, runtime, sender.sent)


@pytest.fixture
def make_bench(postgres_url: str, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """Create a bench with its own settings."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(
            open_bench(tmp_path / "home", postgres_url, **settings)
        )


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()


@dataclass(frozen=True)
class Read:
    """An idle installation in which a sample was loaded, parsed and analysed."""

    home: Path
    database: str
    incident: str


@pytest.fixture(scope="session")
def read_sample(
    postgres_server: PostgresForTests, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Read]:
    """Parse and analyse hot-row once in this process; tests work on copies of it."""
    home = tmp_path_factory.mktemp("read") / "home"
    database = postgres_server.migrated_database()
    with open_bench(home, postgres_server.url(database), samples_dir=SAMPLES) as bench:
        incident = str(bench.site.admin.post("/api/v1/samples/hot-row/load").json()["id"])
        bench.work(BOTH)
    yield Read(home, database, incident)
    postgres_server.drop(database)


@contextmanager
def copied(read: Read, server: PostgresForTests, home: Path) -> Iterator[Bench]:
    """Open a copy of an idle installation, with its files in ``home``."""
    shutil.copytree(read.home, home, dirs_exist_ok=True)
    database = server.copy_of(read.database)
    with open_bench(home, server.url(database), samples_dir=SAMPLES) as bench:
        yield bench
    server.drop(database)


@pytest.fixture
def loaded(
    read_sample: Read, postgres_server: PostgresForTests, tmp_path: Path
) -> Iterator[tuple[Bench, str]]:
    """Create a bench with hot-row parsed and analysed, and return it with the incident's id."""
    with copied(read_sample, postgres_server, tmp_path / "home") as bench:
        yield bench, read_sample.incident
