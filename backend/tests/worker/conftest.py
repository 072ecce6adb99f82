"""Work done in this process, without a broker: jobs wait until the test runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sqlalchemy import select

from pileup.storage import models
from pileup.storage.broker import Sender
from pileup.worker.runtime import Runtime, make_runtime
from pileup.worker.work import run
from tests.support.site import Site, open_site, settings_for


class Bench:
    """An installation and a worker that works when told."""

    def __init__(self, site: Site, runtime: Runtime, sent: list[str]) -> None:
        self.site = site
        self.runtime = runtime
        self.sent = sent

    def work(self, kinds: tuple[str, ...] = ("artifact",)) -> None:
        """Run every job of these kinds that is due, until none is left."""
        while jobs := self.queued(kinds):
            for job_id in jobs:
                run(self.runtime, job_id)

    def queued(self, kinds: tuple[str, ...]) -> list[str]:
        """The jobs of these kinds that wait, oldest first."""
        with self.runtime.database.unit() as unit:
            rows = unit.session.scalars(
                select(models.Job.id)
                .where(models.Job.state == "queued", models.Job.kind.in_(kinds))
                .order_by(models.Job.id)
            )
            return list(rows)


@dataclass
class ListSender(Sender):
    """Keeps what it was given."""

    sent: list[str] = field(default_factory=list)

    def send(self, job_id: str) -> bool:
        self.sent.append(job_id)
        return True


@pytest.fixture
def make_bench(postgres_url: str, tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    """A bench with settings of one's own."""
    with ExitStack() as stack:

        def make(**settings: object) -> Bench:
            told = settings_for(tmp_path / "home", postgres_url, **settings)
            site = stack.enter_context(open_site(told))
            sender = ListSender()
            runtime = make_runtime(told, sender)
            stack.callback(runtime.database.close)
            return Bench(site, runtime, sender.sent)

        yield make


@pytest.fixture
def bench(make_bench: Callable[..., Bench]) -> Bench:
    return make_bench()
