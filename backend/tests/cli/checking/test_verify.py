"""`pileup verify`: what it prints, word by word, and with which exit code."""

from __future__ import annotations

import contextlib
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pileup.cli import verify
from pileup.cli.checking.comparison import Compared
from pileup.storage.lifecycle.bundle_signature import digest, sign_manifest
from pileup.storage.signing import Signer, new_signer
from tests.cli.checking.bundles import Row, lines, written

REPORT = {"report/report.md": "# T\n", "report/report.html": "<body>x</body>"}


def bundle(
    path: Path, signer: Signer | None = None, releases: list[Row] | None = None, **more: str
) -> Path:
    members: dict[str, str | bytes] = {**REPORT, **more}
    members["work/releases.jsonl"] = lines(releases or [])
    manifest: dict[str, Any] = {"artifacts": {"a" * 64: {}}}
    manifest["members"] = {name: digest(content) for name, content in members.items()}
    members["manifest.json"] = json.dumps(manifest)
    if signer is not None:
        members["signature.json"] = sign_manifest(signer, json.dumps(manifest).encode())
    return written(path, members)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(verify.command, [str(argument) for argument in arguments])


# ---- the signature ---------------------------------------------------------------------------


def test_the_signature_alone(tmp_path: Path) -> None:
    """Unsigned is fine without a key, and wrong with one; another key is always wrong."""
    signer, other = new_signer(), new_signer()
    signed = bundle(tmp_path / "signed.zip", signer)
    plain = bundle(tmp_path / "plain.zip")
    by = signer.fingerprint
    for arguments, printed, code in (
        ((signed,), f"signature: ok, by the key {by}\n", 0),
        ((signed, "--key", signer.key), f"signature: ok, the given key {by}\n", 0),
        ((signed, "--key", by), f"signature: ok, the given key {by}\n", 0),
        ((signed, "--key", other.key), f"signature: signed by another key, {by}\n", 1),
        ((plain,), "signature: unsigned\n", 0),
        ((plain, "--key", by), "signature: unsigned\n", 1),
    ):
        found = run("--signature", *arguments)
        assert (found.output, found.exit_code) == (printed, code)


def test_a_signature_that_does_not_fit(tmp_path: Path) -> None:
    path = bundle(tmp_path / "case.zip", new_signer())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.txt", "x")
    found = run("--signature", path)
    assert found.output == "signature: changed since it was signed: more.txt was added\n"
    assert found.exit_code == 1


@pytest.mark.parametrize("content", [b"no archive", b"PK\x05\x06" + bytes(17)])
def test_a_file_that_is_no_bundle(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "case.zip"
    path.write_bytes(content)
    found = run("--signature", path)
    assert re.fullmatch(
        rf"Error: {re.escape(str(path))} is no bundle of Pileup: .+\.\n", found.output
    )
    assert found.exit_code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "name a bundle, or use --all or --audit for this installation"),
        (("case.zip", "--all"), "name a bundle, or use --all or --audit for this installation"),
        (("case.zip", "--audit"), "name a bundle, or use --all or --audit for this installation"),
        (("--all", "--key", "x"), "--key and --signature are for a bundle"),
        (("--audit", "--signature"), "--key and --signature are for a bundle"),
        (("case.zip", "--head", "x"), "--head is for --audit and --all"),
        (("--audit", "--head", "1:x"), "--head is a number, a colon and 64 hexadecimal digits"),
    ],
)
def test_options_that_do_not_go_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    bundle(tmp_path / "case.zip")
    found = run(*arguments)
    assert found.exit_code == 2
    assert found.output.splitlines()[-1] == f"Error: {words}"


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize(
    ("arguments", "asked"),
    [
        (("--all",), (None, True)),
        (("--audit",), (None, False)),
        (("--all", "--audit", "--head", "h"), ("h", True)),
    ],
)
def test_this_installation(
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    asked: tuple[str | None, bool],
    whole: bool,
) -> None:
    seen: list[tuple[str | None, bool]] = []

    def check(head: str | None, *, uploads: bool) -> bool:
        seen.append((head, uploads))
        return whole

    monkeypatch.setattr(verify, "verify_installation", check)
    assert run(*arguments).exit_code == (0 if whole else 1)
    assert seen == [asked]


# ---- everything again ------------------------------------------------------------------------


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A clean room that answers as the test wants; the calls that it gets."""
    state: dict[str, Any] = {"calls": [], "wrong": {}, "unknown": {}, "frozen": []}
    calls = state["calls"]

    @contextlib.contextmanager
    def installation(home: Path, keep_log: bool) -> Iterator[str]:
        assert home.is_dir()
        calls.append(f"start, log {keep_log}")
        yield "client"
        calls.append("end")

    def put(_: Any, path: Path) -> str:
        with zipfile.ZipFile(path) as archive:
            calls.append(f"put {sorted(archive.namelist())}")
        return "here"

    def again(_: Any, incident: str, folder: Path) -> Any:
        calls.append(f"again {incident}")
        return verify.Bundle.read(state.get("after") or bundle(folder / "again.zip"))

    def result(name: str) -> Any:
        def compared(*_: Any) -> Compared:
            wrong, unknown = (state[part].get(name, []) for part in ("wrong", "unknown"))
            return Compared(name, wrong, 12345, unknown)

        return compared

    monkeypatch.setattr(verify, "installation", installation)
    monkeypatch.setattr(verify, "put", put)
    monkeypatch.setattr(verify, "wait", lambda _, incidents: calls.append(f"wait {incidents}"))
    monkeypatch.setattr(verify, "_again", again)
    for name in ("analyses", "reports", "pages", "pins", "quotes"):
        monkeypatch.setattr(verify, name, result(name))
    monkeypatch.setattr(verify.experiments, "compared", result("experiments"))
    monkeypatch.setattr(verify.releases, "compared", result("releases"))
    monkeypatch.setattr(verify.releases, "put_all", lambda *_: state["frozen"])
    return state


SAME = """\
same      1 of 1 artifacts, by their SHA-256
same      12\u202f345 of 12\u202f345 analyses
same      12\u202f345 of 12\u202f345 reports
same      12\u202f345 of 12\u202f345 pages
same      12\u202f345 of 12\u202f345 pins
same      12\u202f345 of 12\u202f345 quotes
same      12\u202f345 of 12\u202f345 experiments
same      0 of 0 releases, by their SHA-256
same      0 of 0 releases, by their signature
same      0 of 0 approvals, by their signature
same      12\u202f345 of 12\u202f345 releases
"""


def test_a_bundle_that_is_the_same(tmp_path: Path, room: dict[str, Any]) -> None:
    room["frozen"] = [
        verify.releases.Frozen(1, "", "", None, "made"),
        verify.releases.Frozen(2, "", "", None, "", "not made"),
    ]
    notes = lines([{"text": "1,234 and 5"}])
    path = bundle(tmp_path / "case.zip", **{"work/annotations.jsonl": notes})
    found = run(path, "--keep-log")
    assert found.exit_code == 0
    assert found.stdout == (
        f"signature: unsigned\n{SAME}"
        "typed     2 numbers that people entered, with nothing to compute them from\n"
        "    2 in notes on the timeline\n"
    )
    assert found.stderr == "verify: reading 1 artifacts again\n"
    members = sorted(["manifest.json", *REPORT, "work/annotations.jsonl", "work/releases.jsonl"])
    assert room["calls"] == [
        "start, log True",
        f"put {members}",
        "wait ['here', 'made']",
        "again here",
        "end",
    ]


def test_whatever_differs_is_listed(tmp_path: Path, room: dict[str, Any]) -> None:
    """Twenty lines of it, and how many more; what cannot be computed comes after."""
    room["wrong"] = {"pins": [f"pin {n}" for n in range(21)], "pages": ["one page"]}
    room["unknown"] = {"pages": ["old page"], "releases": [f"old {n}" for n in range(19)]}
    room["after"] = bundle(tmp_path / "again.zip")
    found = run(bundle(tmp_path / "case.zip"))
    assert found.exit_code == 1
    expected = SAME.replace(
        "same      12\u202f345 of 12\u202f345 pages\n",
        "DIFFERENT 12\u202f344 of 12\u202f345 pages\n    one page\n",
    ).replace(
        "same      12\u202f345 of 12\u202f345 pins\n",
        "DIFFERENT 12\u202f324 of 12\u202f345 pins\n"
        + "".join(f"    pin {n}\n" for n in range(20))
        + "    and 1 more\n",
    )
    assert found.stdout == (
        f"signature: unsigned\n{expected}"
        "not kept  20 that cannot be computed again:\n    old page\n"
        + "".join(f"    old {n}\n" for n in range(19))
        + "typed     0 numbers that people entered, with nothing to compute them from\n"
    )


def test_files_that_are_gone_and_releases_that_are_forged(
    tmp_path: Path, room: dict[str, Any]
) -> None:
    """A forged release stays out of the import, which would refuse it."""
    after = tmp_path / "again.zip"
    written(after, {"manifest.json": '{"artifacts": {}}', **REPORT})
    room["after"] = after
    forged = {"id": "r", "number": 1, "document": "{}", "sha256": "0" * 64}
    signer = new_signer()
    path = bundle(tmp_path / "case.zip", signer, [forged])
    found = run(path)
    assert found.exit_code == 1
    assert f"DIFFERENT 0 of 1 artifacts, by their SHA-256\n    {'a' * 64} is gone\n" in found.stdout
    assert "DIFFERENT 0 of 1 releases, by their SHA-256\n" in found.stdout
    assert room["calls"][1] == f"put {sorted(['manifest.json', *REPORT])}"


def test_a_wrong_signature_fails_what_is_the_same(tmp_path: Path, room: dict[str, Any]) -> None:
    found = run(bundle(tmp_path / "case.zip"), "--key", "SHA256:x")
    assert room["calls"][0] == "start, log False"
    assert found.stdout.startswith(f"signature: unsigned\n{SAME}")
    assert found.exit_code == 1
