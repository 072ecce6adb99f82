"""`pileup push` and `pileup import` against a real server."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import click
import httpx
import pytest
from click.testing import CliRunner

from pileup.api.app import create_app
from pileup.cli import push
from pileup.cli.import_ import command as import_command
from tests.conftest import REPOSITORY
from tests.support.server import serving
from tests.support.site import Site, open_site, settings_for


@pytest.fixture
def site(postgres_url: str, tmp_path: Path) -> Iterator[Site]:
    with open_site(settings_for(tmp_path / "home", postgres_url)) as opened:
        yield opened


@pytest.fixture
def token(site: Site) -> str:
    client = site.with_token("upload")
    return client.headers["Authorization"].removeprefix("Bearer ")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pt-stalk"
    (folder / "gdb").mkdir(parents=True)
    (folder / "a.txt").write_bytes(os.urandom(20_000))
    (folder / "gdb" / "b.txt").write_bytes(b"stack\n")
    (folder / "empty").touch()
    (folder / "link").symlink_to("/etc/hostname")
    return folder


def invoke(*arguments: str) -> tuple[int, str]:
    """Push; on standard output there is the address alone, for a script to take."""
    result = CliRunner().invoke(push.command, list(arguments), catch_exceptions=False)
    assert re.fullmatch(r"(\S+/incidents/\S+\n)?", result.stdout)
    return result.exit_code, result.output


def paths(site: Site, incident: str) -> dict[str, str]:
    items = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    return {item["path"]: item["sha256"] for item in items}


def test_a_folder_becomes_an_incident(site: Site, token: str, folder: Path) -> None:
    """Paths are kept, links are not followed, the address is printed."""
    with serving(create_app(site.settings)) as url:
        code, output = invoke(str(folder), "--to", url, "--token", token, "--new", "checkout stall")
    assert code == 0, output
    address = output.strip().splitlines()[-1]
    incident = address.rpartition("/")[2]
    assert address == f"{url}/incidents/{incident}"
    assert set(paths(site, incident)) == {
        "pt-stalk/a.txt",
        "pt-stalk/gdb/b.txt",
        "pt-stalk/empty",
    }
    assert site.admin.get(f"/api/v1/incidents/{incident}").json()["title"] == "checkout stall"


def test_a_second_run_adds_nothing(site: Site, token: str, folder: Path) -> None:
    """The same files are the same artifacts."""
    incident = site.incident()
    with serving(create_app(site.settings)) as url:
        for _ in range(2):
            code, output = invoke(
                str(folder), "--to", url, "--token", token, "--incident", incident
            )
            assert code == 0, output
    assert len(paths(site, incident)) == 3


def test_what_broke_off_is_continued(
    site: Site, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run dies after a chunk; the second sends only the rest."""
    monkeypatch.setattr(push, "_CHUNK", 10_000)
    file = tmp_path / "big.csv"
    file.write_bytes(os.urandom(45_000))
    incident = site.incident()
    sent: list[int] = []
    original = httpx.Client.patch

    def counted(self: httpx.Client, url: str, **more: object) -> httpx.Response:
        if len(sent) == 2:
            sent.append(0)
            raise KeyboardInterrupt
        sent.append(len(more["content"]))  # type: ignore[arg-type]
        return original(self, url, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(httpx.Client, "patch", counted)
    with serving(create_app(site.settings)) as url:
        arguments = (str(file), "--to", url, "--token", token, "--incident", incident)
        assert invoke(*arguments)[0] != 0
        (waiting,) = site.admin.get(f"/api/v1/incidents/{incident}/uploads").json()
        assert waiting["received"] == 20_000
        code, output = invoke(*arguments)
    assert code == 0, output
    assert sent == [10_000, 10_000, 0, 10_000, 10_000, 5_000]
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert paths(site, incident) == {"big.csv": digest}


def test_a_wrong_token_is_said(site: Site, folder: Path) -> None:
    """In the server's words, without a traceback."""
    with serving(create_app(site.settings)) as url:
        code, output = invoke(str(folder), "--to", url, "--token", "plp_wrong")
    assert code == 1
    assert "revoked or expired" in output


def test_import_loads_a_sample_folder(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice is once."""
    monkeypatch.setenv("PILEUP_HOME", str(site.settings.home))
    monkeypatch.setenv("PILEUP_DATABASE_URL", str(site.settings.database_url))
    monkeypatch.setenv("PILEUP_BROKER_URL", "memory://")
    folder = str(REPOSITORY / "samples" / "commit-pileup")
    for _ in range(2):
        result = CliRunner().invoke(import_command, [folder], catch_exceptions=False)
        assert result.exit_code == 0, result.output
    listed = site.admin.get("/api/v1/incidents").json()
    assert listed["total"] == 1
    assert result.output.strip().endswith(listed["items"][0]["id"])


PROCESSLIST = (
    "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
    "7\tapp\tweb-1:5000\tshop\tQuery\t31\tupdating\tUPDATE stock SET n = n - 1\n"
)


def push_text(text: str, *arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(push.command, ["-", *arguments], input=text)
    return result.exit_code, result.output


def test_standard_input_is_named_after_what_it_is(site: Site, token: str) -> None:
    """It says what was understood, and the time that a person gave goes with it."""
    given = ("--at", "2026-11-20T18:42Z", "--within", "60", "--host", "db-7")
    with serving(create_app(site.settings)) as url:
        code, output = push_text(PROCESSLIST, "--to", url, "--token", token, *given)
    assert code == 0, output
    assert "1 session" in output
    incident = output.strip().splitlines()[-1].rpartition("/")[2]
    items = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    assert [item["path"] for item in items] == ["pasted/processlist.txt"]
    assert items[0]["given_at"] == "2026-11-20T18:42:00Z"
    assert (items[0]["given_within_s"], items[0]["given_host"]) == (60, "db-7")


def test_standard_input_in_utf_16_is_understood_and_its_own_time_counts(
    site: Site, token: str
) -> None:
    text = f"# 2026-11-20 22:20:00 UTC\n{PROCESSLIST}".encode("utf-16")
    with serving(create_app(site.settings)) as url:
        arguments = ("--to", url, "--token", token, "--at", "2026-11-20T18:42Z")
        result = CliRunner().invoke(push.command, ["-", *arguments], input=text)
    assert result.exit_code == 0, result.output
    assert "1 session" in result.output
    assert "It prints its own times: --at is not used." in result.output


def _tar(text: bytes) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as out:
        info = tarfile.TarInfo("capture/processlist.txt")
        info.size = len(text)
        out.addfile(info, io.BytesIO(text))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "sentence", "path"),
    [
        (gzip.compress(PROCESSLIST.encode()), "1 session", "pasted/processlist.txt"),
        (_tar(PROCESSLIST.encode()), "its files are read one by one", "pasted/archive.tar"),
        (bytes(range(256)) * 40, "it is no text", "pasted/file.bin"),
        (b"PERFILE2" + bytes(80), "perf script", "pasted/file.bin"),
        (
            (PROCESSLIST + PROCESSLIST.split("\n")[1].join("\n\n") * 9_000).encode(),
            "in its beginning; the server reads the rest",
            "pasted/processlist.txt",
        ),
    ],
    ids=["gzip", "tar", "bytes", "perf", "large"],
)
@pytest.mark.dealt(2)
def test_standard_input_may_be_anything(
    site: Site, token: str, content: bytes, sentence: str, path: str
) -> None:
    with serving(create_app(site.settings)) as url:
        arguments = ("-", "--to", url, "--token", token)
        result = CliRunner().invoke(push.command, arguments, input=content)
    assert result.exit_code == 0, result.output
    assert sentence in result.output
    incident = result.output.strip().splitlines()[-1].rpartition("/")[2]
    items = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    assert path in [item["path"] for item in items]


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        ("", (), "standard input is empty"),
        (" \n\n\t\n", (), "standard input is empty"),
        ("x", ("--at", "yesterday"), "write a time such as"),
        ("x", ("--at", "2026-11-20T18:42"), "has no zone"),
    ],
)
def test_standard_input_is_refused_in_words(
    text: str, arguments: tuple[str, ...], sentence: str
) -> None:
    code, output = push_text(text, "--to", "http://127.0.0.1:1", "--token", "t", *arguments)
    assert code != 0
    assert sentence in output


def test_files_are_redacted_before_they_are_sent(site: Site, token: str, tmp_path: Path) -> None:
    """No value arrives, in bytes or in a path; one name has one token in all files."""
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "error.log").write_text(
        "2026-11-20T22:19:47.000000Z 12 [ERROR] [MY-010584] [Repl] Replica SQL for channel '': "
        "Error 'Duplicate entry 'S3cretDup14' for key 'orders.PRIMARY'' on query. Default "
        "database: 'shop'. Query: 'INSERT INTO orders VALUES ('S3cretValue77')', Error_code: 1062\n"
    )
    (folder / "S3cretValue77.cnf").write_text("[client]\npassword=S3cretPass44\nuser=x\n")
    with serving(create_app(site.settings)) as url:
        code, output = invoke(
            str(folder), "--to", url, "--token", token, "--redact", "sql,hosts,users,addresses"
        )
    assert code == 0, output
    assert "Redacted before sending: passwords 1, sql " in output
    incident = output.strip().splitlines()[-1].rpartition("/")[2]
    assert "S3cret" not in "".join(paths(site, incident))
    items = site.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    contents = [site.admin.get(f"/api/v1/artifacts/{item['id']}/download").text for item in items]
    assert len(contents) == 2
    assert "S3cret" not in "".join(contents)
    assert "INSERT INTO orders VALUES ('literal-" in "".join(contents)


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\x1f\x8b\x08", b"text\x00more"])
def test_what_cannot_be_redacted_is_refused(
    site: Site, token: str, tmp_path: Path, content: bytes
) -> None:
    """Before anything is sent: not even the files that could be."""
    (tmp_path / "a.log").write_bytes(b"2026-11-20 a line\n")
    (tmp_path / "b.bin").write_bytes(content)
    with serving(create_app(site.settings)) as url:
        code, output = invoke(
            str(tmp_path / "a.log"), str(tmp_path / "b.bin"),
            "--to", url, "--token", token, "--redact", "sql",
        )  # fmt: skip
    assert code == 1
    assert "cannot be redacted" in output
    assert site.admin.get("/api/v1/incidents").json()["total"] == 0


def test_an_installation_that_does_not_answer_is_tried_several_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The last attempt ends with what to do, and without another pause."""
    pauses: list[float] = []
    monkeypatch.setattr(push.time, "sleep", pauses.append)
    answers: list[int] = []

    def gateway(request: httpx.Request) -> httpx.Response:
        answers.append(502)
        return httpx.Response(502)

    with (
        httpx.Client(transport=httpx.MockTransport(gateway), base_url="http://pileup") as client,
        pytest.raises(click.ClickException, match=r"does not answer .* --incident to continue"),
    ):
        push._ask(client, "GET", "/api/v1/incidents")
    assert len(answers) == push._ATTEMPTS
    assert pauses == [min(2.0**n / 2, 10) for n in range(push._ATTEMPTS - 1)]
