"""Child processes and their logs, the data folder, and the command lines of our servers."""

from __future__ import annotations

import errno
import json
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from pileup.runtime import commands, home, identity, instance, postgres, process, valkey
from pileup.runtime.errors import StartError, disk_full
from pileup.runtime.identity import Identity
from pileup.runtime.postgres import EmbeddedPostgres
from pileup.runtime.process import Child, stop_leftovers, tail
from pileup.runtime.valkey import EmbeddedValkey
from pileup.settings import Settings
from tests.support.site import settings_for

STUBBORN = "import signal,time; signal.signal(15, signal.SIG_IGN); print('up', flush=True)"


def started(tmp_path: Path, code: str = "", **options: Any) -> Child:
    program = f"{STUBBORN}\n{code}\ntime.sleep(60)"
    child = Child("x", [sys.executable, "-c", program], log=tmp_path / "x.log", **options)
    until = time.monotonic() + 30
    while "up" not in tail(child.log) and time.monotonic() < until:
        time.sleep(0.01)
    return child


# ---- children --------------------------------------------------------------------------------


def test_a_child_is_told_to_stop_and_then_killed(tmp_path: Path) -> None:
    child = started(tmp_path, "print('err', file=__import__('sys').stderr, flush=True)")
    assert child.poll() is None
    assert child.created == psutil.Process(child.pid).create_time()
    assert os.getsid(child.pid) == child.pid
    began = time.monotonic()
    child.stop(0.2)
    assert 0.2 <= time.monotonic() - began < 20
    assert child.poll() == -signal.SIGKILL
    assert child.created is None
    child.stop(0.2)  # once more does no harm
    child.begin_stop()
    child.kill_group()
    assert child.log_tail() == "up\nerr\n"
    assert child.log_tail(4) == "err\n"


def test_a_child_gets_its_own_signal_and_environment(tmp_path: Path) -> None:
    code = "import os,sys; print(sorted(os.environ), os.environ.get('OWN'), flush=True)"
    child = started(tmp_path, code, env={"OWN": "1"}, stop_signal=signal.SIGUSR1)
    until = time.monotonic() + 30
    while "OWN" not in child.log_tail() and time.monotonic() < until:
        time.sleep(0.01)
    child.stop(30)
    assert child.poll() == -signal.SIGUSR1
    assert "'HOME'" not in child.log_tail()


def test_a_log_of_another_run_is_appended_to_or_moved_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "x.log"
    monkeypatch.setattr(process, "_LOG_LIMIT_BYTES", 4)
    log.write_text("1234")
    started(tmp_path).stop(0)
    assert log.read_text() == "1234up\n"
    started(tmp_path).stop(0)
    assert log.read_text() == "up\n"
    assert (tmp_path / "x.log.1").read_text() == "1234up\n"


def test_the_end_of_a_log(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    assert tail(log) == ""
    log.write_bytes(b"a\xffb\n" + b"x" * 8192)
    assert tail(log) == "x" * 8192
    assert tail(log, 8194) == "b\n" + "x" * 8192
    assert tail(log, 99_999)[:4] == "a\ufffdb\n"


@pytest.mark.parametrize(("size", "rotated"), [(4, False), (5, True)])
def test_a_log_rotates_above_its_limit(tmp_path: Path, size: int, rotated: bool) -> None:
    log = tmp_path / "x.log"
    assert process.rotate_open_log(log, 4) is False
    log.write_bytes(b"x" * size)
    assert process.rotate_open_log(log, 4) is rotated
    assert log.stat().st_size == (0 if rotated else size)
    assert (tmp_path / "x.log.1").exists() is rotated


def test_only_the_children_of_an_earlier_run_are_stopped(tmp_path: Path) -> None:
    """A number that another program has by now is left alone, and so is what is damaged."""
    polite = Child("p", ["/bin/sleep", "60"], log=tmp_path / "p.log")
    child = started(tmp_path)
    other = Child("o", ["/bin/sleep", "60"], log=tmp_path / "o.log")
    created = other.created
    assert created is not None
    rows: list[dict[str, object]] = [
        {"name": "polite", "pid": polite.pid, "created": polite.created, "signal": 15},
        {"name": "stubborn", "pid": child.pid, "created": child.created, "signal": 15},
        {"name": "reused", "pid": other.pid, "created": created - 0.06, "signal": 15},
        {"name": "no signal", "pid": other.pid, "created": created},
        {"name": "no pid", "created": created, "signal": 15},
        {"name": "whole second", "pid": other.pid, "created": int(created), "signal": 15},
        {"name": "gone", "pid": 2**22 + 1, "created": 1.0, "signal": 15},
    ]
    assert stop_leftovers(rows, timeout_s=0.5) == ["polite", "stubborn"]
    assert other.poll() is None
    assert child._process.wait(30) == -signal.SIGKILL
    assert polite._process.wait(30) is not None
    other.stop(5)


# ---- the data folder -------------------------------------------------------------------------


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_data_folder_is_made(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    home.prepare(folder, min_free_bytes=0)
    home.prepare(folder, min_free_bytes=0)
    assert sorted(os.listdir(folder)) == ["blobs", "frames", "logs", "uploads"]
    assert {mode(path) for path in folder.iterdir()} == {0o700}
    assert mode(folder) == (0o711 if os.geteuid() == 0 else 0o700)


@pytest.mark.parametrize(("free", "ok"), [(5 << 20, True), ((5 << 20) - 1, False)])
def test_a_disk_needs_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, ok: bool
) -> None:
    monkeypatch.setattr(home.shutil, "disk_usage", lambda _: type("Usage", (), {"free": free}))
    if ok:
        home.prepare(tmp_path, min_free_bytes=5 << 20)
        return
    with pytest.raises(StartError) as caught:
        home.prepare(tmp_path, min_free_bytes=5 << 20)
    assert str(caught.value) == (
        f"the disk that holds {tmp_path} has 4 MiB free and Pileup wants 5 MiB to start: free some "
        "space, or choose another folder with PILEUP_HOME."
    )


def test_a_folder_for_sockets(tmp_path: Path) -> None:
    """Below the data folder, or a temporary one when the path would be too long for a socket."""
    assert home.LONGEST_SOCKET_FOLDER == 73
    wanted = 0o711 if os.geteuid() == 0 else 0o700
    name = f"{os.getpid()}"
    short = Path("/tmp") / (name + "x" * (73 - len(f"/tmp/{name}/run")))
    for folder, is_own in ((short, True), (Path(f"{short}x"), False)):
        folder.mkdir()
        try:
            sockets = home.socket_folder(folder)
            assert (sockets == folder / "run") is is_own
            assert sockets.name.startswith("run" if is_own else f"pileup-{os.getuid()}-")
            assert mode(sockets) == wanted
            assert home.socket_folder(folder) == sockets
            sockets.rmdir()
        finally:
            folder.rmdir()


def test_what_runs_is_recorded(tmp_path: Path) -> None:
    assert home.read_instance(tmp_path) == {}
    home.write_instance(tmp_path, {"url": "http://a", "pid": 7})
    path = tmp_path / "instance.json"
    assert path.read_text() == '{\n "url": "http://a",\n "pid": 7\n}\n'
    assert mode(path) == 0o600
    assert os.listdir(tmp_path) == ["instance.json"]
    assert home.read_instance(tmp_path) == {"url": "http://a", "pid": 7}
    for facts, words in (
        ({"url": "http://a", "pid": 7}, f"{tmp_path} at http://a (process 7)"),
        ({"url": "http://a"}, f"{tmp_path} at http://a"),
        ({"pid": 7}, f"{tmp_path} (process 7)"),
        ({}, f"{tmp_path}"),
    ):
        home.write_instance(tmp_path, facts)
        assert home._already_running(tmp_path) == (
            f"Pileup already runs on {words}: use that one, stop it first, or choose another "
            "folder with PILEUP_HOME."
        )
    path.write_text("[1]")
    assert home.read_instance(tmp_path) == {}
    path.write_text("{")
    assert home.read_instance(tmp_path) == {}
    home.clear_instance(tmp_path)
    home.clear_instance(tmp_path)
    assert os.listdir(tmp_path) == []


def test_addresses_come_from_the_settings_then_from_what_runs(tmp_path: Path) -> None:
    facts: dict[str, Any] = {"database_url": "postgresql://a", "broker_url": 7, "url": "http://a"}
    home.write_instance(tmp_path, facts)
    bare = Settings(home=tmp_path, database_url=None, broker_url=None)
    found = instance.resolve(bare)
    assert (found.database_url, found.broker_url) == ("postgresql://a", None)
    assert instance.need_database(found) == "postgresql://a"
    named = settings_for(tmp_path, "postgresql://b", broker_url="redis://b")
    assert instance.resolve(named) == named


# ---- command lines ---------------------------------------------------------------------------


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_for(
        tmp_path, "postgresql://x@/x", host="127.0.0.2", port=8401, worker_concurrency=3
    )


def words(command: list[str]) -> str:
    return " ".join(command).replace(sys.executable, "python").replace(str(commands.PACKAGE), "src")


def test_whole_command_lines(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands.secrets, "token_hex", lambda count: "ab" * count)
    worker = (
        "python -m celery -A pileup.worker.app:app worker --pool prefork --concurrency 3 "
        f"--loglevel {settings.log_level} --without-gossip --without-mingle "
        "--hostname pileup-ababab@%h"
    )
    assert words(commands.worker_command(settings)) == worker
    watched = commands.worker_command(settings, watch=True)
    assert words(watched) == (
        f"python -m watchfiles --filter python --sigint-timeout 5 {worker} src"
    )
    served = "python -m uvicorn pileup.api.app:create_app --factory --host 127.0.0.2 --port 8401"
    http = "--http pileup.runtime.http_protocol:BoundedHttp"
    assert words(commands.api_command(settings, 0)) == "python -m pileup.runtime.serve_api 0"
    assert words(commands.api_command(settings, None)) == (
        f"{served} {http} --reload --reload-dir src --timeout-graceful-shutdown 2"
    )
    for count, command in (
        (1, commands.serve_command(settings)),
        (4, commands.serve_command(settings, 4)),
    ):
        assert words(command) == (
            f"{served} {http} --no-access-log --timeout-graceful-shutdown 5 "
            f"--timeout-keep-alive 30 --workers {count} --timeout-worker-healthcheck 60"
        )


def test_the_environment_of_a_child(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PILEUP_HOME", "/other")
    monkeypatch.setenv("KEPT", "1")
    whole = commands.child_environment(settings)
    expected = {
        "PILEUP_HOME": str(settings.home),
        "PILEUP_DATABASE_URL": "postgresql+psycopg://x@/x",
        "PILEUP_BROKER_URL": "memory://",
        "PILEUP_HOST": "127.0.0.2",
        "PILEUP_PORT": "8401",
        "PILEUP_PUBLIC_URL": "http://127.0.0.2:8401",
        "PYTHONUNBUFFERED": "1",
        "KEPT": "1",
    }
    assert {name: whole[name] for name in expected} == expected
    bare = settings.model_copy(update={"database_url": None, "broker_url": None})
    found = commands.child_environment(bare)
    assert (found["PILEUP_DATABASE_URL"], found["PILEUP_BROKER_URL"]) == ("", "")


def test_counts_of_several_processes_begin_at_zero(settings: Settings) -> None:
    folder = settings.home / "run" / "metrics-8401"
    folder.mkdir(parents=True)
    (folder / "old.db").touch()
    assert commands.shared_metrics(settings) == {"PROMETHEUS_MULTIPROC_DIR": str(folder)}
    assert os.listdir(folder) == []
    assert mode(folder) == 0o700


class Started:
    """How a server was started."""

    made: Started

    def __init__(self, name: str, command: Any, **options: Any) -> None:
        Started.made = self
        self.name, self.command, self.options = name, [str(word) for word in command], options


@pytest.mark.parametrize("durable", [True, False])
def test_the_command_line_of_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool
) -> None:
    monkeypatch.setattr(postgres, "Child", Started)
    server = EmbeddedPostgres(tmp_path / "a b", tmp_path / "run", tmp_path / "log", durable=durable)
    with pytest.raises(RuntimeError, match="prepare"):
        server.launch()
    with pytest.raises(RuntimeError, match="launch"):
        server.wait_ready()
    server._binaries = Path("/bin/pg")
    server._identity = Identity("plain", take=(7, 8))
    server.launch()
    pairs = Started.made.command[4::2]
    assert Started.made.command[:3] == ["/bin/pg/postgres", "-D", str(server.data)]
    assert Started.made.command[3::2] == ["-c"] * len(pairs)
    fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"]
    assert pairs == [
        "listen_addresses=",
        f"unix_socket_directories={server.sockets}",
        "unix_socket_permissions=0700",
        "port=5432",
        "timezone=UTC",
        "log_timezone=UTC",
        "max_connections=100",
        "shared_buffers=64MB",
        "log_min_messages=warning",
        "logging_collector=off",
        *([] if durable else fast),
    ]
    assert Started.made.options == {
        "log": tmp_path / "log",
        "env": {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"},
        "user": 7,
        "group": 8,
        "stop_signal": signal.SIGINT,
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("  \n\n", ""),
        ("a\nb\n\n", "b"),
        ("a\n x FATAL: 1 \nb\n", "x FATAL: 1"),
        ("FATAL: 1\nPANIC: 2\nerror: 3\nLOG: 4", "error: 3"),
    ],
)
def test_the_line_of_a_log_that_says_why(text: str, line: str) -> None:
    assert postgres._last_line(text) == line


def test_the_command_line_of_the_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey, "Child", Started)
    monkeypatch.setattr(valkey, "_binary", lambda: Path("/bin/valkey"))
    sockets = tmp_path / "a b"
    sockets.mkdir()
    (sockets / "valkey.sock").touch()
    server = EmbeddedValkey(tmp_path / "queue", sockets, tmp_path / "log")
    with pytest.raises(RuntimeError, match="launch"):
        server.wait_ready()
    server.launch()
    assert server.url == f"redis+socket://{tmp_path}/a%20b/valkey.sock?virtual_host=0"
    assert not (sockets / "valkey.sock").exists()
    assert mode(tmp_path / "queue") == 0o700
    assert Started.made.command[0] == "/bin/valkey"
    options = dict(zip(Started.made.command[1::2], Started.made.command[2::2], strict=True))
    assert options == {
        "--port": "0",
        "--unixsocket": str(sockets / "valkey.sock"),
        "--unixsocketperm": "700",
        "--dir": str(tmp_path / "queue"),
        "--appendonly": "yes",
        "--appendfsync": "always",
        "--save": "",
        "--daemonize": "no",
        "--databases": "1",
        "--maxmemory-policy": "noeviction",
    }
    assert Started.made.options == {"log": tmp_path / "log", "stop_signal": signal.SIGTERM}


class Ended:
    """A server that ended, with this log."""

    def __init__(self, text: str) -> None:
        self.text = text

    def poll(self) -> int:
        return 1

    def log_tail(self) -> str:
        return self.text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Valkey does not start: it wrote no log (the whole log: {log})"),
        ("a\nb\n", "Valkey does not start: b (the whole log: {log})"),
        (f"No space left on device{'x' * 2977}", "{full}"),
        (f"No space left on device{'x' * 2978}", None),
    ],
)
def test_a_queue_that_does_not_start(tmp_path: Path, text: str, sentence: str | None) -> None:
    server = EmbeddedValkey(tmp_path / "queue", tmp_path, tmp_path / "log")
    child: Any = Ended(text)
    server.child = child
    with pytest.raises(StartError) as caught:
        server.wait_ready()
    full = str(disk_full(server.folder))
    if sentence is None:
        assert str(caught.value) != full
    else:
        assert str(caught.value) == sentence.format(log=server.log, full=full)


@pytest.mark.parametrize(
    ("line", "again"),
    [
        ("Bad file format reading the append only file", True),
        ("Invalid AOF", True),
        ("Unrecoverable error reading", True),
        ("Out of memory", False),
    ],
)
def test_a_queue_with_an_unreadable_file_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, again: bool
) -> None:
    """What was there is kept aside, in the place of what was kept before."""
    server = EmbeddedValkey(tmp_path / "queue", tmp_path, tmp_path / "log")
    for name in ("queue", "queue.damaged"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    launches: list[bool] = []
    results = iter([StartError("first"), None])
    server.log.write_text(f"{line}\n")
    monkeypatch.setattr(server, "launch", lambda: launches.append(server.folder.exists()))

    def wait() -> None:
        if (error := next(results)) is not None:
            raise error

    monkeypatch.setattr(server, "wait_ready", wait)
    if not again:
        with pytest.raises(StartError, match="first"):
            server.start()
        assert launches == [True]
        return
    server.start()
    assert launches == [True, False]
    assert os.listdir(tmp_path / "queue.damaged") == ["queue"]


# ---- identities ------------------------------------------------------------------------------


def test_an_identity_starts_a_command_in_its_way() -> None:
    plain = Identity("plain", owner=(1, 2), take=(3, 4))
    assert (plain.user, plain.group) == (3, 4)
    assert plain.command(["a", Path("b")], orphan_signal="INT") == ["a", "b"]
    other = Identity("namespace", prefix=("unshare", "--"))
    assert (other.user, other.group) == (None, None)
    assert other.command(["a", Path("b")], orphan_signal="INT") == [
        *("unshare", "--", "setpriv", "--pdeathsig", "INT", "--", "a", "b")
    ]


def test_ways_are_tried_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Identity] = []
    monkeypatch.setattr(identity.os, "geteuid", lambda: 0)
    monkeypatch.setattr(identity, "_account", lambda: (7, 8))
    monkeypatch.setattr(identity, "_works", lambda way, *_: tried.append(way))
    with pytest.raises(StartError):
        identity.choose_identity(tmp_path, Path("postgres"))
    capability = (
        "setpriv --reuid=7 --regid=8 --clear-groups --inh-caps=+dac_override "
        "--ambient-caps=+dac_override --"
    )
    assert tried == [
        Identity("plain", owner=(7, 8), take=(7, 8)),
        Identity("capability", owner=(7, 8), prefix=tuple(capability.split())),
        Identity("namespace", prefix=("unshare", "--user", "--map-user=7", "--map-group=8", "--")),
    ]
    monkeypatch.setattr(identity, "_works", lambda way, *_: way.way == "capability")
    assert identity.choose_identity(tmp_path, Path("postgres")) == tried[1]
    monkeypatch.setattr(identity, "_account", lambda: None)
    with pytest.raises(StartError):
        identity.choose_identity(tmp_path, Path("postgres"))


def test_accounts_are_those_that_are_not_root(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"postgres": (0, 0), "nobody": (65534, 65533)}

    def entry(name: str) -> Any:
        uid, gid = known[name]
        return type("Entry", (), {"pw_uid": uid, "pw_gid": gid})

    monkeypatch.setattr(identity.pwd, "getpwnam", entry)
    assert identity._account() == (65534, 65533)
    known["postgres"] = (5, 6)
    assert identity._account() == (5, 6)
    known.pop("postgres")
    assert identity._account() == (65534, 65533)
    known.pop("nobody")
    assert identity._account() is None


def test_facts_of_an_instance_are_json(tmp_path: Path) -> None:
    home.write_instance(tmp_path, {"children": []})
    assert json.loads((tmp_path / "instance.json").read_text()) == {"children": []}


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EACCES])
def test_a_data_folder_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Of a full disk the sentence says so, of anything else what it was."""

    def write(path: Path, _: bytes) -> int:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "write_bytes", write)
    with pytest.raises(StartError) as caught:
        home.prepare(tmp_path, min_free_bytes=0)
    if number == errno.EACCES:
        assert str(caught.value) == (
            f"the data folder {tmp_path} cannot be used (Permission denied): choose another one "
            "with PILEUP_HOME, or correct its permissions."
        )
    else:
        assert str(caught.value) == str(disk_full(tmp_path))
