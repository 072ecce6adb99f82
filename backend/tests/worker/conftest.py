"""Run jobs in the test process without a broker: they wait until the test runs them."""

from __future__ import annotations

import gzip
import io
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from pileup.storage import models
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

    def __init__(self, site: Site, runtime: Runtime) -> None:
        self.site = site
        self.runtime = runtime

    def work(self, kinds: tuple[str, ...] = ("artifact",)) -> None:
        """Run every due job of these kinds until none is left."""
        while self.queued(kinds):
            self.work_once(kinds)

    def work_once(self, kinds: tuple[str, ...] = ("artifact",)) -> None:
        """Run each due job of these kinds once."""
        for job_id in self.queued(kinds):
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


@contextmanager
def open_bench(home: Path, postgres_url: str, **settings: object) -> Iterator[Bench]:
    """Create an installation and a worker over this folder and this database."""
    settings_of_bench = settings_for(home, postgres_url, **settings)
    with open_site(settings_of_bench) as site:
        runtime = make_runtime(settings_of_bench)
        with closing(runtime.database):
            yield Bench(site, runtime)


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


_LONG = ("-ps-locks-transactions", "-variables", "-stacktrace", "-netstat", "-slabinfo")
"""Members of hot-row's pt-stalk archive that are most of its size."""
_EVERY = 4


@pytest.fixture(scope="session")
def short_samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of samples with hot-row alone, a quarter of its dumps, no long tables."""
    folder = tmp_path_factory.mktemp("samples")
    whole, short = SAMPLES / "hot-row", folder / "hot-row"
    shutil.copytree(whole, short, ignore=shutil.ignore_patterns("*.tar.gz", "gdb"))
    for path in (whole / "artifacts").glob("*.tar.gz"):
        with (
            tarfile.open(path) as source,
            gzip.GzipFile(short / "artifacts" / path.name, "w", mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w") as to,
        ):
            for member in source:
                stream = source.extractfile(member)
                if stream is None or member.name.endswith(_LONG):
                    continue
                content = stream.read()
                if path.name.startswith("innodb-status"):
                    content = _fewer_dumps(content)
                member.size = len(content)
                to.addfile(member, io.BytesIO(content))
    return folder


def _fewer_dumps(content: bytes) -> bytes:
    """Return every so many-th dump of a series, the first and the last among them."""
    starts = [at.start() for at in re.finditer(rb"^=+\n.* INNODB MONITOR OUTPUT\n", content, re.M)]
    ends = [*starts[1:], len(content)]
    dumps = [content[start:end] for start, end in zip(starts, ends, strict=True)]
    assert len(dumps) > 10 * _EVERY
    return b"".join((*dumps[:-1:_EVERY], dumps[-1]))


@pytest.fixture(scope="session")
def read_sample(
    postgres_server: PostgresForTests,
    tmp_path_factory: pytest.TempPathFactory,
    short_samples: Path,
) -> Iterator[Read]:
    """Parse and analyse the short hot-row once in this process; tests work on copies of it."""
    home = tmp_path_factory.mktemp("read") / "home"
    database = postgres_server.migrated_database()
    with open_bench(home, postgres_server.url(database), samples_dir=short_samples) as bench:
        incident = str(bench.site.admin.post("/api/v1/samples/hot-row/load").json()["id"])
        bench.work(BOTH)
    yield Read(home, database, incident)
    postgres_server.drop(database)


@contextmanager
def copied(read: Read, server: PostgresForTests, home: Path) -> Iterator[Bench]:
    """Open a copy of an idle installation, with its files in ``home``."""
    shutil.copytree(read.home, home, dirs_exist_ok=True)
    database = server.copy_of(read.database)
    with open_bench(home, server.url(database)) as bench:
        yield bench
    server.drop(database)


@pytest.fixture
def loaded(
    read_sample: Read, postgres_server: PostgresForTests, tmp_path: Path
) -> Iterator[tuple[Bench, str]]:
    """Return a bench with the short hot-row parsed and analysed, and the incident's id."""
    with copied(read_sample, postgres_server, tmp_path / "home") as bench:
        yield bench, read_sample.incident
