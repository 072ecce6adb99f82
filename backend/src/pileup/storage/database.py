"""Database engine and unit of work: one request or one task is one transaction.

    database = Database(url)
    with database.unit() as unit:          # commits at the end, rolls back on an exception
        Incidents(unit).create(...)        # repositories flush, never commit
        unit.notify(incident_id, "incident")

Notices of a unit (``notify``) reach listeners when, and only when, it commits, because
PostgreSQL delivers NOTIFY at commit. ``after_commit`` runs actions that must not happen before.
Every notice, and every entry of the audit trail, gives its topic of the incident a new version
(``touch``): who knows the versions knows whether anything changed.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar

import msgspec
import psycopg
from psycopg import sql
from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Engine,
    SQLColumnExpression,
    cast,
    create_engine,
    event,
    exc,
    func,
    text,
)
from sqlalchemy.engine import ExceptionContext, make_url
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from pileup.storage.encryption import Encryption, Keys, open_encryption
from pileup.storage.errors import Contended, Forbidden, Overtaken, StorageError, WrongKey
from pileup.storage.row_security import NOBODY, Access, restrict, visible

CHANNEL = "pileup"
ACCESS = "access"
"""Topic of notices about what a user may do."""

Unreachable = exc.OperationalError
"""PostgreSQL does not answer, or broke the connection; ``orig`` is the driver's own error."""

Busy = exc.TimeoutError
"""Every connection of the pool was in use for too long."""

ALL_INCIDENTS = ""
"""Instead of an incident's id: what the answers about any incident may hold, such as names."""

_NEW_VERSIONS = text(
    "insert into incident_versions (incident_id, topic, version) "
    "select incident_id, topic, :version "
    "from unnest(cast(:incidents as text[]), cast(:topics as text[])) as new (incident_id, topic) "
    "where incident_id = '' or exists (select from incidents where id = incident_id) "
    "on conflict (incident_id, topic) do update set version = excluded.version"
)
_SEND = text(
    "select pg_notify(channel, payload) "
    "from unnest(cast(:channels as text[]), cast(:payloads as text[])) as notice (channel, payload)"
)
_VERSIONS = text(
    "select incident_id, topic, version from incident_versions where incident_id = any(:incidents)"
)
_ACCESS = "access"

_BEGIN_S = 10.0
_SILENCE_S = 25.0
"""Time after which a server that says nothing is lost; the API's statements end before."""

T = TypeVar("T")


class Unit:
    """One transaction: the session, and the notices and actions of its commit."""

    def __init__(self, session: Session, database: Database) -> None:
        self.session = session
        self._database = database
        self._after: list[Callable[[], None]] = []
        self._touched: set[tuple[str, str]] = set()
        self._notices: dict[tuple[str, str], None] = {}

    @property
    def access(self) -> Access | None:
        """What this unit may see and change; None: everything."""
        access: Access | None = self.session.info.get(_ACCESS)
        return access

    def restrict(self, access: Access) -> None:
        """See and change from now on only what ``access`` allows."""
        self.session.info[_ACCESS] = access
        if self.session.in_transaction():
            restrict(self.session, access)

    def visible(self, wanted: Sequence[tuple[Access, Collection[str]]]) -> list[frozenset[str]]:
        """Return, for each access, those of its incidents that are there and that it may see.

        One statement for many callers. Afterwards this unit sees nothing.
        """
        self.session.info[_ACCESS] = NOBODY
        return visible(self.session, wanted)

    @property
    def encryption(self) -> Encryption:
        """What encrypts and decrypts the secrets of this database; raises WrongKey."""
        return self._database.encryption

    def notify(self, incident_id: str, topic: str, subject: str | None = None, **more: Any) -> None:
        """Notify every API process, at commit, that something of an incident changed.

        Ids and numbers only: PostgreSQL carries less than 8000 bytes.
        """
        self.touch(incident_id, topic)
        self.send(incident_id, topic, subject, **more)

    def send(self, incident_id: str, topic: str, subject: str | None = None, **more: Any) -> None:
        """Send a notice, at commit, about something that is not stored; less than 8000 bytes."""
        notice = {"incident": incident_id, "topic": topic, "id": subject, **more}
        self.send_to(CHANNEL, json.dumps(notice, separators=(",", ":"), ensure_ascii=False))

    def send_to(self, channel: str, payload: str = "") -> None:
        """Send a notice to whoever listens on a channel, at commit."""
        self._notices[channel, payload] = None

    def notify_access(self, user_id: str) -> None:
        """Notify every API process, at commit, that what this user may do changed.

        Their live streams are checked again, and end when they may not be read any more.
        """
        self.send("", ACCESS, user_id)

    def touch(self, incident_id: str, topic: str) -> None:
        """Give the topic of an incident a new version at commit."""
        self._touched.add((incident_id, topic))

    def before_commit(self) -> None:
        """Send the notices and write the new versions; the committer calls this last.

        The rows of versions stay locked until the commit, so no other statement may follow, and
        every unit locks them in the same order. A version is random, not a count: a restored backup
        that changes in another way never reaches a version that it had before.
        """
        if self._notices:
            channels, payloads = zip(*self._notices, strict=True)
            self.session.execute(_SEND, {"channels": list(channels), "payloads": list(payloads)})
        if not self._touched:
            return
        self.session.flush()
        touched = sorted(self._touched)
        self.session.execute(
            _NEW_VERSIONS,
            {
                "incidents": [incident for incident, _ in touched],
                "topics": [topic for _, topic in touched],
                "version": secrets.token_hex(8),
            },
        )

    def versions(self, incident_id: str) -> dict[str, str]:
        """Map each topic of an incident that ever changed to its version; "" is for all."""
        return self.versions_of([incident_id])[incident_id]

    def versions_of(self, incident_ids: Collection[str]) -> dict[str, dict[str, str]]:
        """Map each of the incidents to its versions."""
        if not incident_ids:
            return {}
        rows = self.session.execute(_VERSIONS, {"incidents": [*incident_ids, ALL_INCIDENTS]})
        found = list(rows)
        of_all = {topic: version for incident, topic, version in found if not incident}
        versions = {incident_id: dict(of_all) for incident_id in incident_ids}
        for incident, topic, version in found:
            if incident:
                versions[incident][topic] = of_all.get(topic, "") + version
        return versions

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run ``action`` once the transaction is on disk."""
        self._after.append(action)

    def ping(self) -> None:
        """Check that the database answers; raises Unreachable when it does not."""
        self.session.execute(text("select 1"))

    def committed(self) -> None:
        """Run the actions that waited for the commit; the committer calls this."""
        actions, self._after = self._after, []
        for action in actions:
            action()


def _decode(data: str | bytes) -> Any:
    """Decode a JSON column, several times as fast as the standard library."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:  # a number beyond those of a float
        return json.loads(data)


class Database:
    """Connection pool of one PostgreSQL database; make one per process, as forks need their own."""

    def __init__(
        self,
        url: str,
        *,
        pool_size: int = 10,
        max_overflow: int = 10,
        statement_timeout_s: int | None = None,
        echo: bool = False,
        keys: Keys | Database | None = None,
    ) -> None:
        """Create the pool.

        keys: needed by who reads or stores secrets; or the database whose encryption to use.
        """
        self.url = with_driver(url)
        self.engine: Engine = create_engine(
            self.url,
            pool_size=pool_size,
            max_overflow=max_overflow,
            pool_pre_ping=True,
            pool_use_lifo=True,  # few connections in use know their statements; others stay idle
            pool_timeout=5,
            echo=echo,
            hide_parameters=True,  # values may be secret: they stay out of logs
            json_deserializer=_decode,
            connect_args=connect_args(),
        )
        self._keys = keys
        self._encryption: Encryption | None = None
        self._timeouts = _timeouts(statement_timeout_s)
        self._sessions = sessionmaker(self.engine, expire_on_commit=False, autoflush=True)
        event.listen(self.engine, "handle_error", _explain)
        event.listen(self.engine, "do_connect", _connect)
        event.listen(self.engine, "connect", self._connected)
        event.listen(self.engine, "begin", self._limit)
        event.listen(self._sessions, "after_begin", _restrict)

    def _connected(self, connection: Any, _: object) -> None:
        """Set up a session; one that PgBouncer lends has no state that outlives a transaction.

        PgBouncer keeps the time zone of each client itself. Its process id is none of PostgreSQL's.
        """
        connection.autocommit = True
        found = connection.execute("select pg_backend_pid(), set_config('timezone', 'UTC', false)")
        connection.is_lent = found.fetchone()[0] != connection.info.backend_pid
        if connection.is_lent:
            connection.prepare_threshold = None
        else:
            for name, value in self._timeouts.items():
                connection.execute("select set_config(%s, %s, false)", (name, value))
        connection.autocommit = False

    def _limit(self, connection: Connection) -> None:
        """Limit the statements of a transaction, where the session cannot."""
        lent = getattr(connection.connection.dbapi_connection, "is_lent", False)
        for name, value in self._timeouts.items() if lent else ():
            connection.exec_driver_sql("select set_config(%s, %s, true)", (name, value))

    @contextmanager
    def unit(self, access: Access | None = None) -> Iterator[Unit]:
        """Open a transaction: commit when the block ends normally, roll back when it raises.

        access: what it may see and change; None: everything.
        """
        with self._sessions(info={} if access is None else {_ACCESS: access}) as session:
            unit = Unit(session, self)
            try:
                yield unit
                unit.before_commit()
                session.commit()
            except BaseException:
                session.rollback()
                raise
        unit.committed()

    @property
    def encryption(self) -> Encryption:
        """What encrypts and decrypts the secrets of this database; raises WrongKey."""
        if isinstance(self._keys, Database):
            return self._keys.encryption
        if self._encryption is None:
            if self._keys is None:
                raise WrongKey("this program reads no secrets: it opened the database without keys")
            with self.unit() as unit:
                self._encryption = open_encryption(unit.session, self._keys)
        return self._encryption

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def _restrict(session: Session, transaction: SessionTransaction, connection: Connection) -> None:
    access: Access | None = session.info.get(_ACCESS)
    if access is not None and not transaction.nested:
        restrict(connection, access)


def _explain(context: ExceptionContext) -> Forbidden | Overtaken | Contended | None:
    """Turn a refusal of PostgreSQL into an error that says what is missing, or that came first.

    Whoever writes has looked before that the row is not there yet, and that its parent is.
    """
    error = context.original_exception
    if isinstance(error, psycopg.errors.UniqueViolation):
        return Overtaken(
            "somebody else saved the same at this moment; look at theirs before you try again"
        )
    if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected):
        return Contended("others change the same at this moment; try again in some seconds")
    if isinstance(error, psycopg.errors.ForeignKeyViolation):
        return Overtaken("what this belongs to was deleted at this moment; nothing was changed")
    if not isinstance(error, psycopg.errors.InsufficientPrivilege):
        return None
    if error.diag.message_hint == "lead":
        return Forbidden("only a lead of this incident decides who may see and change it")
    if error.diag.message_hint == "contributor":
        return Forbidden.to_viewers()
    return Forbidden("you may not change this")


def with_driver(url: str) -> str:
    """Return the URL with the driver that we ship, where it has a plain scheme."""
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            return "postgresql+psycopg://" + url.removeprefix(scheme)
    if not url.startswith("postgresql+psycopg://"):
        scheme = url.partition("://")[0]
        raise StorageError(
            f"the database address begins with {scheme!r}; PostgreSQL is the only database: "
            "use postgresql://user:password@host/name"
        )
    return url


def _timeouts(statement_timeout_s: int | None) -> dict[str, str]:
    if statement_timeout_s is None:
        return {}
    return {
        "statement_timeout": f"{statement_timeout_s}s",
        "lock_timeout": f"{statement_timeout_s / 3:.0f}s",
    }


class Impatient(psycopg.Connection[Any]):
    """A connection that gives up on a server that says nothing.

    TCP notices when packets vanish (``connect_args``), and not when a proxy takes them for a server
    that is gone. A session that begins a transaction gets its answer at once.
    """

    is_lent = False
    """PgBouncer lends the server's session for each transaction."""

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Wait for the server, at most for a while."""
        idle = self.pgconn.transaction_status == psycopg.pq.TransactionStatus.IDLE
        limit_s = timeout or (_BEGIN_S if idle else _SILENCE_S)
        began = time.monotonic()
        try:
            return super().wait(gen, interval, limit_s)
        except psycopg.OperationalError as error:
            if timeout is None and not self.closed and time.monotonic() - began >= limit_s:
                self.pgconn.finish()  # its answer may still come: nobody may use it again
                raise psycopg.OperationalError(
                    f"the database was silent for {limit_s:.0f} s"
                ) from error
            raise


def _connect(_dialect: Any, _record: Any, arguments: list[Any], named: dict[str, Any]) -> Impatient:
    return Impatient.connect(*arguments, **named)


def connect_args() -> dict[str, Any]:
    """Return libpq parameters: a server that falls silent is noticed within half a minute."""
    return {
        "connect_timeout": 5,
        "application_name": "pileup",
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 2,
        "tcp_user_timeout": 15_000,
    }


def listen_address(url: str) -> str:
    """Return the URL for psycopg's LISTEN: without our driver, with its password."""
    plain = make_url(url).set(drivername="postgresql")
    return plain.render_as_string(hide_password=False)


def listen(url: str, channel: str) -> psycopg.Connection[tuple[Any, ...]]:
    """Open a connection that hears the notices of a channel."""
    connection = psycopg.connect(listen_address(url), autocommit=True, **connect_args())
    connection.execute(sql.SQL("listen {}").format(sql.Identifier(channel)))
    return connection


def seconds_until(moment: SQLColumnExpression[Any]) -> ColumnElement[float]:
    """Return the expression of the seconds until a moment, by the clock of the database."""
    return cast(func.extract("epoch", moment - func.clock_timestamp()), Double)


def to_record(kind: type[T], row: Any, **more: Any) -> T:
    """Build a frozen record of type ``kind`` from the row's attributes of the same names."""
    values = {
        field.name: more[field.name] if field.name in more else getattr(row, field.name)
        for field in fields(kind)  # type: ignore[arg-type]  # always a dataclass
    }
    return kind(**values)


def clean(value: str) -> str:
    """Make text storable in PostgreSQL: replace NUL and lone surrogates with U+FFFD."""
    return value.replace("\x00", "�").encode("utf-8", "replace").decode("utf-8")


def clean_json(value: Any) -> Any:
    """Make a JSON value storable: clean its text, and turn NaN and infinity into null."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, dict):
        return {clean(str(key)): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value
