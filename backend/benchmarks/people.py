"""People for a benchmark: users of an installation, each with a session, who leave no trace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete

from pileup.storage import models
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.database import Database
from pileup.storage.roles import Role

_LIFETIME = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class Person:
    """A signed-in user: what the browser sends."""

    headers: dict[str, str]


@contextmanager
def people(database_url: str, count: int, *, secure: bool = False) -> Iterator[list[Person]]:
    """Make so many users with a session each, and delete them at the end.

    The first is an admin, who may delete incidents; the others are contributors.
    secure: the cookies have the names that they have over HTTPS.
    """
    prefix = "__Host-" if secure else ""
    database = Database(database_url)
    made: list[Person] = []
    ids: list[str] = []
    with database.unit() as unit:
        for number in range(count):
            role: Role = "contributor" if made else "admin"
            user = Accounts(unit).create_user(f"Benchmark {number + 1}", None, role, None)
            session = Sessions(unit).open(user, _LIFETIME, "benchmark")
            cookies = {"session": session.secret, "csrf": session.csrf}
            words = "; ".join(f"{prefix}pileup_{name}={value}" for name, value in cookies.items())
            made.append(Person({"Cookie": words, "X-CSRF-Token": session.csrf}))
            ids.append(user.id)
    try:
        yield made
    finally:
        with database.unit() as unit:
            unit.session.execute(delete(models.User).where(models.User.id.in_(ids)))
        database.close()
