"""Fixtures for the tests of every package.

postgres_server      the throw-away server of this test process
postgres_url         the address of a migrated database without rows, for one test at a time
empty_postgres_url   the same without any table
corpus, captures     folders of other people's files; PILEUP_CORPUS and PILEUP_CAPTURES, or a
                     folder `shared` beside the checkout; the test is skipped where there is none
unit                 one open transaction of a database without rows
ann                  a contributor in it, as the actor of what the test does
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from argon2 import PasswordHasher
from argon2.profiles import CHEAPEST
from hypothesis import settings

from pileup.api import pulse
from pileup.garbage import collect_rarely
from pileup.storage import database, models
from pileup.storage.accounts import credentials
from pileup.storage.audit import Actor
from pileup.storage.database import Database, Unit
from tests.support import refusals
from tests.support.collected_in_turn import CollectedInTurn
from tests.support.groups import Groups
from tests.support.postgres import PostgresForTests
from tests.support.rounds import (
    Rounds,
    choose_turn,
    drop_other_turns,
    mark_users,
    parametrize_seeds,
    rounds_of,
)
from tests.support.security import NAMED, is_named
from tests.support.shared_engines import create_engine_of_tests
from tests.support.skips import Skips

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--bless",
        action="store_true",
        help="rewrite the summaries of tests/samples; the commit says why they changed",
    )
    parser.addoption(
        "--rounds",
        type=int,
        help="long property tests: every case for every sample, so many times with other dice",
    )
    parser.addoption(
        "--record-refusals",
        metavar="FOLDER",
        help="note which test reaches which refusal (make refusals)",
    )
    parser.addoption(
        "--turn",
        type=int,
        help="which share of the dealt tests and cases to run; the number of the day by default",
    )
    parser.addoption(
        "--every-turn",
        action="store_true",
        help="run the tests of every day, with the usual rounds of each",
    )


@pytest.hookimpl(tryfirst=True)  # before Hypothesis reads its seed
def pytest_configure(config: pytest.Config) -> None:
    collect_rarely()  # as the server does
    # A deadline is an absolute time: on a busy machine it fails tests at random.
    settings.register_profile("pileup", deadline=None)
    settings.load_profile("pileup")
    choose_turn(config)
    config.pluginmanager.register(Groups())
    config.pluginmanager.register(CollectedInTurn())
    config.pluginmanager.register(Skips())
    refusals.register(config)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    parametrize_seeds(metafunc)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    mark_users(items)
    for item in items:
        if is_named(item.nodeid.removeprefix("backend/")):
            item.add_marker(NAMED)
    drop_other_turns(config, items)


def pytest_collection_finish() -> None:
    gc.freeze()  # what was collected and imported lives as long as the process


@pytest.fixture(scope="session", autouse=True)
def shipped_hasher() -> Iterator[PasswordHasher]:
    """Return the password hasher of production; tests use the cheapest one."""
    with pytest.MonkeyPatch.context() as patch:
        shipped = credentials._HASHER
        patch.setattr(credentials, "_HASHER", PasswordHasher.from_parameters(CHEAPEST))
        yield shipped


@pytest.fixture(scope="session", autouse=True)
def one_compilation() -> Iterator[None]:
    """Compile each statement once: every test of an installation has engines of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "create_engine", create_engine_of_tests)
        yield


@pytest.fixture(scope="session", autouse=True)
def patient_pulse() -> Iterator[None]:
    """Wait for a database of a busy machine before it counts as silent."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_TIMEOUT_S", "_FIRST_S", "_FRESH_S"):
            patch.setattr(pulse, name, 120.0)
        yield


@pytest.fixture(scope="session")
def rounds(request: pytest.FixtureRequest) -> Rounds:
    return rounds_of(request.config)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresForTests]:
    server = PostgresForTests()
    yield server
    server.close()


@pytest.fixture
def postgres_url(postgres_server: PostgresForTests) -> Iterator[str]:
    name = postgres_server.borrow_database()
    yield postgres_server.url(name)
    postgres_server.give_back(name)


@pytest.fixture
def unit(postgres_url: str) -> Iterator[Unit]:
    opened = Database(postgres_url)
    with opened.unit() as unit:
        yield unit
    opened.close()


@pytest.fixture
def ann(unit: Unit) -> Actor:
    user = models.User(name="ann", email="ann@example.org", role="contributor")
    unit.session.add(user)
    unit.session.flush()
    return Actor(user.id, user.name)


@pytest.fixture
def empty_postgres_url(postgres_server: PostgresForTests) -> Iterator[str]:
    name = postgres_server.empty_database()
    yield postgres_server.url(name)
    postgres_server.drop(name)


@pytest.fixture(scope="session")
def corpus() -> Path:
    return _folder("PILEUP_CORPUS", "corpus")


@pytest.fixture(scope="session")
def captures() -> Path:
    return _folder("PILEUP_CAPTURES", "captures")


def _folder(variable: str, name: str) -> Path:
    configured = os.environ.get(variable)
    folder = Path(configured) if configured else REPOSITORY.parent / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"no folder of {name}: set {variable} to one")
    return folder
