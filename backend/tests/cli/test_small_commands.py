"""Commands that ask a server or an installation for something: what they print, word by word."""

from __future__ import annotations

import errno
import importlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import click
import httpx
import pytest
from click.testing import CliRunner, Result
from pydantic import BaseModel, Field

import pileup.runtime.backup
from pileup import __version__
from pileup.cli import COMMANDS, answers, doctor, download, main, migrate, sentences, serve, worker
from pileup.cli import run as run_module
from pileup.runtime.doctor import NAMES, Check
from pileup.runtime.errors import StartError
from pileup.settings import Settings
from pileup.storage.encryption import Keys
from pileup.storage.errors import StorageError


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test, and no other setting."""
    for name in [name for name in os.environ if name.startswith("PILEUP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PILEUP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


# ---- the group -------------------------------------------------------------------------------


def test_every_command_is_listed_with_its_line_and_none_is_imported() -> None:
    printed = run("--help").output
    assert run("-h").output == printed
    shown = re.findall(r"(?m)^  ([a-z]+)  +(\S.*)$", printed.partition("Commands:\n")[2])
    assert [name for name, _ in shown] == list(COMMANDS)
    words = " ".join(printed.split())
    for name, (_, line) in COMMANDS.items():
        assert f" {name} {line}" in words
    assert run("--version").output == f"pileup, version {__version__}\n"
    unknown = run("nothing")
    assert unknown.exit_code == 2
    assert "No such command 'nothing'" in unknown.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    printed = run(name, "--help")
    assert printed.exit_code == 0
    assert printed.output.startswith(f"Usage: main {name} [OPTIONS]")


# ---- sentences -------------------------------------------------------------------------------


class Shape(BaseModel):
    port: int = Field(le=9)


def _invalid() -> None:
    Shape(port=10)


def _raise(error: Exception) -> Callable[[], None]:
    def function() -> None:
        raise error

    return function


@pytest.mark.parametrize(
    ("function", "line"),
    [
        (_raise(StartError("no room.")), "pileup: no room.\n"),
        (_raise(StorageError("no such thing.")), "pileup: no such thing.\n"),
        (
            _invalid,
            (
                "pileup: the setting PILEUP_PORT is not usable: "
                "Input should be less than or equal to 9.\n"
            ),
        ),
    ],
)
def test_an_expected_error_is_one_sentence(
    function: Callable[[], None], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        sentences.sentences(function)()
    assert caught.value.code == 1
    assert capsys.readouterr() == ("", line)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("filename", [None, "/some/file"])
def test_a_full_disk_is_one_sentence(
    number: int, filename: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        sentences.sentences(_raise(OSError(number, "full", filename)))()
    printed = capsys.readouterr().err
    assert printed.startswith("pileup: ")
    assert (filename or "the data folder") in printed


def test_another_error_is_not_hidden() -> None:
    with pytest.raises(PermissionError):
        sentences.sentences(_raise(PermissionError(errno.EACCES, "no")))()


# ---- answers of a server ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "ok", "message"),
    [
        (httpx.Response(200), (), None),
        (httpx.Response(299), (), None),
        (httpx.Response(409), (409, 423), None),
        (httpx.Response(409, json={"title": "T", "detail": "d"}), (423,), "(409): T: d"),
        (httpx.Response(400, json={"title": "T"}), (), '(400): {"title":"T"}'),
        (httpx.Response(400, json=[1]), (), "(400): [1]"),
        (httpx.Response(500, text="x" * 201), (), f"(500): {'x' * 200}"),
        (httpx.Response(503), (), "(503): Service Unavailable"),
    ],
)
def test_an_answer_is_a_success_or_the_server_s_words(
    answer: httpx.Response, ok: tuple[int, ...], message: str | None
) -> None:
    if message is None:
        assert answers.checked(answer, ok) is answer
        return
    with pytest.raises(click.ClickException) as caught:
        answers.checked(answer, ok)
    assert caught.value.message == f"the server refused {message}"


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("0198-7", "0198-7"),
        ("https://a.b/incidents/0198-7", "0198-7"),
        ("https://a.b/incidents/0198-7/", "0198-7"),
        ("https://a.b/incidents/0198-7/report?x", "0198-7"),
        ("https://a.b/other", "https://a.b/other"),
    ],
)
def test_an_incident_is_an_id_or_an_address(given: str, found: str) -> None:
    assert download.parse_incident_id(given) == found


@dataclass
class Served:
    """A server that answers every request alike; the requests, with their time limits."""

    status: int = 200
    content: bytes = b"%PDF"
    fails: bool = False

    def __post_init__(self) -> None:
        self.requests: list[httpx.Request] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> Served:
        def answer(request: httpx.Request) -> httpx.Response:
            self.requests.append(request)
            if self.fails:
                raise httpx.ConnectError("no route", request=request)
            return httpx.Response(self.status, content=self.content)

        def stream(method: str, url: str, **options: Any) -> Any:
            client = httpx.Client(transport=httpx.MockTransport(answer))
            return client.stream(method, url, **options)

        monkeypatch.setattr(download.httpx, "stream", stream)
        return self


SERVER = ("--to", "https://a.b/", "--token", "plp_x")


def test_a_report_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(content=b"x" * 12345).install(monkeypatch)
    monkeypatch.chdir(tmp_path)
    plain = run("report", "https://a.b/incidents/7/", *SERVER)
    assert (plain.exit_code, plain.output) == (0, "7.pdf: 12\u202f345 bytes\n")
    assert Path("7.pdf").read_bytes() == b"x" * 12345
    assert os.listdir() == ["7.pdf"]
    (request,) = served.requests
    assert request.method == "GET"
    defaults = "format=pdf&redact=&zone=UTC&paper=a4"
    assert str(request.url) == f"https://a.b/api/v1/incidents/7/report/export?{defaults}"
    assert request.headers["Authorization"] == "Bearer plp_x"
    assert request.extensions["timeout"]["read"] == 180
    options = ("--format", "docx", "--redact", "vendor", "--zone", "Asia/Tokyo")
    more = ("--paper", "letter", "--release", "r1", "-o", tmp_path / "other")
    chosen = run("report", "7", *SERVER, *options, *more)
    assert chosen.output == f"{tmp_path}/other: 12\u202f345 bytes\n"
    assert dict(served.requests[1].url.params) == {
        "format": "docx",
        "redact": "vendor",
        "zone": "Asia/Tokyo",
        "paper": "letter",
        "release": "r1",
    }


def test_what_is_not_fetched_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("7.pdf").write_text("old")
    Served(404, b'{"title": "Gone", "detail": "since today"}').install(monkeypatch)
    gone = run("report", "7", *SERVER)
    assert (gone.exit_code, gone.output) == (
        1,
        "Error: the server refused (404): Gone: since today\n",
    )
    Served(fails=True).install(monkeypatch)
    away = run("report", "7", *SERVER)
    assert away.output == "Error: https://a.b/ did not answer: no route.\n"
    assert Path("7.pdf").read_text() == "old"
    assert os.listdir() == ["7.pdf"]
    Served().install(monkeypatch)
    nowhere = run("report", "7", *SERVER, "-o", "nowhere/7.pdf")
    assert nowhere.output == (
        "Error: nowhere/7.pdf could not be written: No such file or directory.\n"
    )


def _bundle(removed: Any) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("manifest.json", json.dumps({"removed": removed}))
    return made.getvalue()


def test_an_export_names_what_was_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = [
        {"path": "a", "what": "left out", "passwords": 0},
        {"path": "b", "what": "masked", "passwords": 1},
        {"path": "c", "what": "masked", "passwords": 2},
    ]
    content = _bundle({"files": files, "releases": [1, 3]})
    served = Served(content=content).install(monkeypatch)
    done = run("export", "7", *SERVER, "--redact", "sql")
    assert done.exit_code == 0
    assert done.output == (
        f"7.pileup.zip: {len(content)} bytes\n"
        "  a: left out\n"
        "  b: masked, 1 password\n"
        "  c: masked, 2 passwords\n"
        "  release 1: left out\n"
        "  release 3: left out\n"
    )
    (request,) = served.requests
    assert str(request.url) == "https://a.b/api/v1/incidents/7/bundle?redact=sql"
    assert request.extensions["timeout"]["read"] == 600
    again = run("export", "7", *SERVER)
    assert (again.exit_code, again.output) == (
        1,
        "Error: 7.pileup.zip exists already; name another file with -o.\n",
    )
    for removed in (None, {}):
        Served(content=_bundle(removed)).install(monkeypatch)
        target = tmp_path / f"{removed}.zip"
        plain = run("export", "7", *SERVER, "-o", target)
        assert plain.output == f"{target}: {target.stat().st_size} bytes\n"


# ---- an installation -------------------------------------------------------------------------


def test_a_backup_counts_and_names_what_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(blobs=12345, bytes=67890, missing=[], damaged=[])
    asked: list[tuple[Path, Path]] = []

    def back_up(settings: Settings, file: Path) -> Any:
        asked.append((settings.home, file))
        return found

    monkeypatch.setattr(pileup.runtime.backup, "back_up", back_up)
    file = tmp_path / "x.tar"
    words = (
        f"{file}: the database and 12\u202f345 uploads, 67\u202f890 bytes\n"
        f"Its secrets stay encrypted: keep the key of {Keys.of(Settings()).place} elsewhere, "
        "a restore needs it.\n"
    )
    whole = run("backup", file)
    assert (whole.exit_code, whole.output) == (0, words)
    assert asked == [(tmp_path / "home", file)]
    for missing, damaged in ((["a", "b"], []), ([], ["c"]), (["a"], ["c"])):
        found.missing, found.damaged = missing, damaged
        part = run("backup", file)
        assert (part.exit_code, part.stdout) == (1, words)
        names = [f"missing: {name}\n" for name in missing]
        assert part.stderr == "".join([*names, *(f"damaged: {name}\n" for name in damaged)])


@pytest.mark.parametrize(
    ("many", "words"),
    [(0, "0 incidents"), (1, "1 incident"), (2, "2 incidents"), (12345, "12\u202f345 incidents")],
)
@pytest.mark.parametrize("forget", [False, True])
def test_a_restore_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int, words: str, forget: bool
) -> None:
    asked: list[tuple[Path, bool]] = []

    def restore(settings: Settings, file: Path, *, forget: bool) -> int:
        del settings
        asked.append((file, forget))
        return many

    monkeypatch.setattr(pileup.runtime.backup, "restore", restore)
    file = tmp_path / "x.tar"
    file.touch()
    done = run("restore", file, *(["--forget-secrets"] if forget else []))
    assert (done.exit_code, done.output) == (
        0,
        f"Restored {words}; workers analyse them again once they run.\n",
    )
    assert asked == [(file, forget)]


def test_an_import_says_which_case_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker records the case of a finished sample in the folder of samples, of no other."""
    ours, theirs = tmp_path / "samples", tmp_path / "theirs"
    home = Settings(samples_dir=ours, home=tmp_path)
    finished = {"old": True, "new": False, "mine": True, "open": False}
    done: list[Any] = []
    database = mock.MagicMock(close=lambda: done.append("closed"))

    def load_sample(_: Any, blobs: Any, sample: Any, by: Any, most: int) -> Any:
        done.append((sample.folder.name, sample.identified, blobs, by.name, most))
        return SimpleNamespace(id=sample.folder.name)

    def read_bundle(
        _: Any, blobs: Any, bundle: Any, by: Any, limits: Any, key: str, check: Any
    ) -> Any:
        done.append((bundle.read(), blobs, by.name, limits.upload, limits.expanded, key, check))
        return SimpleNamespace(id="bundled")

    def sample_of(folder: Path) -> Any:
        return SimpleNamespace(folder=folder, finished=finished[folder.name], identified=False)

    for name, function in {
        "pileup.api.incidents.imported_rows.check_row": "check",
        "pileup.storage.database.Database": lambda *_, **__: database,
        "pileup.storage.lifecycle.bundle.Limits": lambda upload, expanded: SimpleNamespace(
            upload=upload, expanded=expanded
        ),
        "pileup.storage.lifecycle.bundle.read_bundle": read_bundle,
        "pileup.storage.lifecycle.intake.load_sample": load_sample,
        "pileup.storage.lifecycle.samples.read_sample": sample_of,
        "pileup.storage.lifecycle.samples.identified": lambda sample: SimpleNamespace(
            **vars(sample) | {"identified": True}
        ),
        "pileup.storage.signing.open_signer": lambda _: SimpleNamespace(key="own key"),
        "pileup.views.stores.open_stores": lambda _: SimpleNamespace(blobs="blobs"),
        "pileup.cli.import_.resolve": lambda _: home,
        "pileup.cli.import_.need_database": lambda _: "url",
        "pileup.cli.import_.read_instance": lambda folder: done.append(folder) or {},
    }.items():
        monkeypatch.setattr(name, function)
    paths = [ours / "old", ours / "new", theirs / "mine", theirs / "open"]
    for path in paths:
        path.mkdir(parents=True)
    (tmp_path / "x.zip").write_bytes(b"zip")
    ended = run("import", *paths, tmp_path / "x.zip")
    assert ended.exit_code == 0
    assert ended.stdout.splitlines() == [
        f"{home.url}/incidents/{name}" for name in ("old", "new", "mine", "open", "bundled")
    ]
    assert ended.stderr == (
        f"Only the evidence of {theirs / 'mine'} is loaded: the worker records the case of "
        f"samples in {ours} (PILEUP_SAMPLES_DIR).\n"
    )
    by, most = "pileup import", home.max_upload_bytes
    assert done == [
        tmp_path,
        *((name, not is_ours, "blobs", by, most)
          for name, is_ours in (("old", 1), ("new", 1), ("mine", 0), ("open", 0))),
        (b"zip", "blobs", by, most, home.max_expanded_bytes, "own key", "check"),
        "closed",
    ]  # fmt: skip


CHECKS = (
    Check("database", True, "PostgreSQL 17 answers"),
    Check("blob store", False, "is not there", "start it"),
    Check("disk", False, "full"),
    Check("worker", True, "reported", "not shown"),
)


def test_a_doctor_prints_every_check_and_the_remedy_of_what_is_not_well(
    monkeypatch: pytest.MonkeyPatch, own_home: Path
) -> None:
    asked: list[tuple[str, ...]] = []

    def examine(_: Settings, names: tuple[str, ...]) -> list[Check]:
        asked.append(names)
        return [check for check in CHECKS if check.name in names]

    monkeypatch.setattr(doctor, "examine", examine)
    monkeypatch.setattr(doctor, "examined_at", lambda: "2026-11-20T22:00:00Z")
    printed = run("doctor")
    assert printed.exit_code == 1
    assert printed.output == (
        f"Pileup {__version__}, data in {own_home}\n"
        "  ok        database    PostgreSQL 17 answers\n"
        "  NOT WELL  blob store  is not there\n"
        "            remedy: start it\n"
        "  NOT WELL  disk        full\n"
        "  ok        worker      reported\n"
    )
    well = run("doctor", "--only", "worker", "--only", "database")
    assert (well.exit_code, len(well.output.splitlines())) == (0, 3)
    document = run("doctor", "--json", "--only", "disk", "--only", "database")
    assert document.exit_code == 1
    assert json.loads(document.stdout) == {
        "version": __version__,
        "home": str(own_home),
        "at": "2026-11-20T22:00:00Z",
        "ok": False,
        "checks": [
            {"name": "database", "ok": True, "seen": "PostgreSQL 17 answers", "remedy": None},
            {"name": "disk", "ok": False, "seen": "full", "remedy": None},
        ],
    }
    assert document.stdout.startswith('{\n  "version"')
    assert asked == [NAMES, ("worker", "database"), ("disk", "database")]
    assert NAMES == ("database", "schema", "broker", "worker", "blob store", "disk")


@dataclass(frozen=True)
class Stored:
    kind: str
    name: str


def test_a_doctor_lists_orphans(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [Stored("blob", "abc"), Stored("upload", "def")]
    monkeypatch.setattr(doctor, "find_orphans", lambda _: found)
    plain = run("doctor", "--orphans")
    assert (plain.exit_code, plain.output) == (
        0,
        "blob    abc\nupload  def\n2 stored files that nothing refers to\n",
    )
    assert json.loads(run("doctor", "--orphans", "--json").stdout) == [
        {"kind": "blob", "name": "abc"},
        {"kind": "upload", "name": "def"},
    ]


@pytest.mark.parametrize("forget", [False, True])
def test_a_migration_does_its_steps_in_order(
    monkeypatch: pytest.MonkeyPatch, own_home: Path, forget: bool
) -> None:
    monkeypatch.setenv("PILEUP_DATABASE_URL", "postgresql://x@y/z")
    steps: list[Any] = []

    def forgotten(_: Settings) -> tuple[int, int]:
        steps.append("forget")
        return 2, 3

    monkeypatch.setattr(migrate, "migrate", steps.append)
    monkeypatch.setattr(
        migrate, "prepare", lambda home, min_free_bytes: steps.append((home, min_free_bytes))
    )
    monkeypatch.setattr(migrate, "forget_secrets", forgotten)
    monkeypatch.setattr(migrate, "protect_secrets", lambda _: steps.append("protect"))
    done = run("migrate", *(["--forget-secrets"] if forget else []))
    off = "Second factors switched off: 2. Webhooks switched off: 3.\n" if forget else ""
    assert (done.exit_code, done.output) == (0, f"{off}The schema is up to date.\n")
    first = ["postgresql+psycopg://x@y/z", (own_home, 0)]
    assert steps == [*first, *(["forget"] if forget else []), "protect"]


# ---- what starts processes -------------------------------------------------------------------


class Execution:
    """What a command makes sure of, and which program takes its place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
        self.steps: list[Any] = []
        self.program: tuple[Any, ...] = ()
        monkeypatch.setenv("PILEUP_DATABASE_URL", "postgresql://x@y/z")
        monkeypatch.setattr(module, "need_schema", self.steps.append)
        monkeypatch.setattr(
            module,
            "prepare",
            lambda home, min_free_bytes: self.steps.append((home.name, min_free_bytes)),
        )
        monkeypatch.setattr(module, "need_key", lambda settings: self.steps.append("key"))
        monkeypatch.setattr(module.os, "execve", self._execute)

    def _execute(self, *program: Any) -> None:
        self.program = program


STEPS = ["postgresql+psycopg://x@y/z", ("home", 0), "key"]


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_serve_becomes_the_api(monkeypatch: pytest.MonkeyPatch, workers: int | None) -> None:
    done = Execution(monkeypatch, serve)
    monkeypatch.setattr(serve.commands, "shared_metrics", lambda _: {"SHARED": "1"})
    asked: list[int] = []
    monkeypatch.setattr(
        serve.commands, "serve_command", lambda _, count: asked.append(count) or ["api", "x"]
    )
    result = run("serve", *([] if workers is None else ["--workers", workers]))
    assert result.exit_code == 0, result.output
    assert (done.steps, asked) == (STEPS, [workers or 1])
    path, words, environment = done.program
    assert (path, words) == ("api", ["api", "x"])
    assert environment["PILEUP_DATABASE_URL"] == "postgresql+psycopg://x@y/z"
    assert ("SHARED" in environment) == (workers == 2)
    for wrong in ("0", "65"):
        assert run("serve", "--workers", wrong).exit_code == 2


@pytest.mark.parametrize("concurrency", [None, 1, 5])
def test_worker_becomes_a_worker(monkeypatch: pytest.MonkeyPatch, concurrency: int | None) -> None:
    done = Execution(monkeypatch, worker)
    asked: list[int] = []
    monkeypatch.setattr(
        worker.commands,
        "worker_command",
        lambda settings: asked.append(settings.worker_concurrency) or ["worker", "x"],
    )
    without = run("worker")
    assert without.exit_code == 1
    assert without.output == (
        "pileup: no broker is configured: start `pileup run` on this data folder, or name a "
        "served one in PILEUP_BROKER_URL.\n"
    )
    assert (done.steps, done.program) == ([], ())
    monkeypatch.setenv("PILEUP_BROKER_URL", "redis://q")
    result = run("worker", *([] if concurrency is None else ["--concurrency", concurrency]))
    assert result.exit_code == 0, result.output
    assert (done.steps, asked) == (STEPS, [concurrency or 2])
    path, words, environment = done.program
    assert (path, words) == ("worker", ["worker", "x"])
    assert environment["PILEUP_BROKER_URL"] == "redis://q"
    assert run("worker", "--concurrency", "0").exit_code == 2


@pytest.mark.parametrize("browser", [False, True])
def test_run_starts_a_supervisor_with_what_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: bool
) -> None:
    made: list[tuple[Settings, bool]] = []
    opened: list[str] = []
    link = "  http://a/sign-in?link=b"

    class Supervisor:
        def __init__(self, settings: Settings, say: Callable[[str], None], reload: bool) -> None:
            made.append((settings, reload))
            self.say = say

        def run(self) -> None:
            self.say("starting")
            self.say(link)

    monkeypatch.setattr(run_module, "Supervisor", Supervisor)
    monkeypatch.setattr(run_module.webbrowser, "open", opened.append)
    monkeypatch.chdir(tmp_path)
    option = ["--browser"] if browser else []
    plain = run("run", *option)
    assert (plain.exit_code, plain.output) == (0, f"starting\n{link}\n")
    given = ("--home", "here", "--host", "0.0.0.0", "--port", "0", "--reload")
    assert run("run", *given, *option).exit_code == 0
    found = [(made.home, made.host, made.port, reload) for made, reload in made]
    assert found == [
        (tmp_path / "home", "127.0.0.1", 8400, False),
        (tmp_path / "here", "0.0.0.0", 0, True),
    ]
    assert opened == ([link.strip()] * 2 if browser else [])
    for wrong in ("-1", "65536"):
        assert run("run", "--port", wrong).exit_code == 2


@pytest.mark.parametrize(
    ("public", "running", "shown"),
    [
        ("https://p", {"url": "http://r"}, "https://p"),
        (None, {"url": "http://r"}, "http://r"),
        (None, {}, "http://own"),
    ],
)
def test_a_sign_in_link_has_the_address_that_people_use(
    monkeypatch: pytest.MonkeyPatch, public: str | None, running: dict[str, str], shown: str
) -> None:
    module = importlib.import_module("pileup.cli.link")
    settings = SimpleNamespace(public_url=public, url="http://own", home="home")
    asked: list[Any] = []

    def create(database: object, home: object, *, reset_second_factor: bool) -> str:
        asked.append((database, home, reset_second_factor))
        return "tok"

    monkeypatch.setattr(module, "resolve", lambda _: settings)
    monkeypatch.setattr(module, "need_database", lambda _: "database")
    monkeypatch.setattr(module, "read_instance", lambda _: running)
    monkeypatch.setattr("pileup.storage.accounts.sign_in_links.create_sign_in_link", create)
    for options, reset in (((), False), (("--reset-second-factor",), True)):
        done = CliRunner().invoke(module.command, options)
        assert (done.exit_code, done.output) == (0, f"{shown}/sign-in?link=tok\n")
        assert asked[-1] == ("database", "home", reset)


def test_zones_of_hosts() -> None:
    module = importlib.import_module("pileup.cli.analyze")
    assert module._zones(("db=Asia/Tokyo", "-08:00", "web=+02:00")) == {
        "db": "Asia/Tokyo", "*": "-08:00", "web": "+02:00"
    }  # fmt: skip
    assert module._zones(()) == {}
