"""A backup restores into another installation, with everything that was acknowledged."""

from __future__ import annotations

import tarfile
from pathlib import Path
from unittest import mock

import pytest
from cryptography.fernet import Fernet

from pileup.runtime import backup
from pileup.runtime.backup import back_up, check_blobs, restore
from pileup.runtime.errors import StartError
from pileup.runtime.process import rotate_open_log
from pileup.runtime.schema import need_schema
from pileup.storage.audit_chain import verify_chain
from tests.support.site import Site, open_site, settings_for


def filled(site: Site) -> str:
    incident = site.incident("a stall")
    site.upload(incident, "vmstat.txt", b"procs memory\n1 2\n")
    site.upload(incident, "copy/vmstat.txt", b"procs memory\n1 2\n")
    site.admin.post(f"/api/v1/incidents/{incident}/hypotheses", json={"statement": "A causes B"})
    return incident


def test_there_and_back(tmp_path: Path, postgres_url: str, empty_postgres_url: str) -> None:
    file = tmp_path / "all.tar"
    settings = settings_for(tmp_path / "home", postgres_url)
    with open_site(settings) as site:
        incident = filled(site)
        assert back_up(settings, file).blobs == 1  # while it runs
        with pytest.raises(StartError, match="stop"):
            restore(settings, file)
    with pytest.raises(StartError, match="has users or incidents"):
        restore(settings, file)
    other = settings_for(tmp_path / "other", empty_postgres_url)
    assert restore(other, file) == 1
    assert check_blobs(other).blobs == 1
    with open_site(other) as site:
        assert verify_chain(site.database).problem is None
        path = f"/api/v1/incidents/{incident}"
        assert site.admin.get(path).json()["title"] == "a stall"
        assert len(site.admin.get(f"{path}/hypotheses").json()) == 1
        artifacts = site.admin.get(f"{path}/artifacts").json()["items"]
        assert {each["path"] for each in artifacts} == {"vmstat.txt", "copy/vmstat.txt"}
        download = f"/api/v1/artifacts/{artifacts[0]['id']}/download"
        assert site.admin.get(download).content == b"procs memory\n1 2\n"


def test_a_backup_needs_its_key(tmp_path: Path, postgres_url: str, empty_postgres_url: str) -> None:
    """The key is not in the backup; without it nothing is restored, or what needs it is off."""
    file = tmp_path / "all.tar"
    settings = settings_for(tmp_path / "home", postgres_url)
    with open_site(settings) as site:
        hook = {"url": "https://example.org", "events": ["report.approved"]}
        assert site.admin.post("/api/v1/webhooks", json=hook).status_code == 201
        back_up(settings, file)
    key = settings.home / "secret.key"
    assert key.read_bytes().strip() not in file.read_bytes()
    other = settings_for(tmp_path / "other", empty_postgres_url)
    with pytest.raises(StartError, match=r"encrypted secrets: .*secret\.key is not there"):
        restore(other, file)
    (other.home / "secret.key").write_bytes(Fernet.generate_key())
    with pytest.raises(StartError, match="another key than that of"):
        restore(other, file)
    with pytest.raises(StartError, match="schema none"):
        need_schema(empty_postgres_url)  # nothing was changed
    restore(other, file, forget=True)
    with open_site(other) as site:
        assert [each["enabled"] for each in site.admin.get("/api/v1/webhooks").json()] == [False]


def test_damage_is_named(tmp_path: Path, postgres_url: str) -> None:
    """The other uploads are in the backup all the same."""
    settings = settings_for(tmp_path / "home", postgres_url)
    with open_site(settings) as site:
        incident = filled(site)
        site.upload(incident, "second.txt", b"other bytes")
        third = site.upload(incident, "third.txt", b"third")
        first, *_ = sorted(settings.blobs_dir.glob("??/*"))
        first.write_bytes(b"rotten")
        (settings.blobs_dir / third["sha256"][:2] / third["sha256"]).unlink(missing_ok=True)
        found = back_up(settings, tmp_path / "some.tar")
    assert len(found.damaged) + len(found.missing) + found.blobs == 3
    assert third["sha256"] in found.missing
    with tarfile.open(tmp_path / "some.tar") as tar:
        assert len([name for name in tar.getnames() if name.startswith("blobs/")]) == found.blobs


@pytest.mark.parametrize("content", [b"", b"no tar", b"\0" * 20_000])
def test_what_is_no_backup(tmp_path: Path, content: bytes, empty_postgres_url: str) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(StartError, match="is no backup"):
        restore(settings_for(tmp_path / "home", empty_postgres_url), file)


def test_another_schema_is_refused(empty_postgres_url: str, postgres_url: str) -> None:
    need_schema(postgres_url)
    with pytest.raises(StartError, match="schema none"):
        need_schema(empty_postgres_url)


def test_a_log_rotates_while_it_is_written(tmp_path: Path) -> None:
    log = tmp_path / "api.log"
    with log.open("ab", buffering=0) as child:
        child.write(b"first\n")
        assert not rotate_open_log(log, limit_bytes=10)
        child.write(b"second\n")
        assert rotate_open_log(log, limit_bytes=10)
        child.write(b"third\n")
    assert log.read_bytes() == b"third\n"
    assert (tmp_path / "api.log.1").read_bytes() == b"first\nsecond\n"


def test_connections_that_end_meanwhile_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """For so long as PostgreSQL may take to notice; what stays then is counted."""
    monkeypatch.setattr("pileup.runtime.backup._LINGER_S", 0.2)
    for counts, left in (((2, 1, 0), 0), ((3,) * 99, 3)):
        answers = iter(counts)
        connection = mock.Mock()
        connection.execute().fetchone.side_effect = lambda answers=answers: (next(answers),)
        assert backup._connected(connection) == left
        assert connection.autocommit is True


def test_connections_are_waited_for_until_the_very_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the last moment they are counted once more; past it no more."""
    clock = iter((100.0, 100.0 + backup._LINGER_S, 100.5 + backup._LINGER_S))
    pauses: list[float] = []
    monkeypatch.setattr(backup, "time", mock.Mock(monotonic=clock.__next__, sleep=pauses.append))
    connection = mock.Mock()
    connection.execute().fetchone.side_effect = [(5,), (4,)]
    assert backup._connected(connection) == 4
    assert pauses == [0.05]
