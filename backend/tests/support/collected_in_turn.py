"""Let the processes of a run import each test module one after the other.

All of them collect the same modules in the same order at the same time. On a fresh checkout each
would rewrite the assertions of every module, and compile what it imports; so one does, and the
others wait for it and load what it stored. Meanwhile it goes on to the next module.
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.groups import shared_folder


class CollectedInTurn:
    """Plugin with the locks; the tests' conftest registers it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        folder = shared_folder(collector.config)
        if folder is None or not isinstance(collector, pytest.Module):
            return (yield)
        with _locked(folder / f"{hashlib.sha256(collector.nodeid.encode()).hexdigest()}.lock"):
            return (yield)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
