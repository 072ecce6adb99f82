"""The installation's own key: made once, encrypted at rest; a signature fits one text only."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pileup.cli import main
from pileup.storage import models
from pileup.storage.database import Database
from pileup.storage.encryption import Keys, encrypted_columns
from pileup.storage.signing import Signature, Signer, fingerprint, new_signer, open_signer, verify


@pytest.fixture
def database(postgres_url: str, tmp_path: Path) -> Iterator[Database]:
    database = Database(postgres_url, keys=Keys(None, tmp_path / "secret.key"))
    yield database
    database.close()


def test_the_key_is_made_once_and_encrypted(database: Database) -> None:
    """Of several processes that start at once, all get the same key."""

    def signer(_: int) -> str:
        with database.unit() as unit:
            return open_signer(unit).key

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(signer, range(6)))) == 1
    assert models.SigningKey.__table__.c.private in encrypted_columns()
    with database.unit() as unit:
        stored = unit.session.get_one(models.SigningKey, 1).private
        assert "PRIVATE" not in stored
        assert "PRIVATE" in unit.encryption.decrypt(stored)


def test_the_command_prints_and_replaces_the_key(
    database: Database, postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PILEUP_DATABASE_URL", postgres_url)
    monkeypatch.setenv("PILEUP_HOME", str(tmp_path))
    with database.unit() as unit:
        first = open_signer(unit)
    printed = CliRunner().invoke(main, ["key"])
    assert printed.exit_code == 0, printed.output
    assert printed.output == (f"fingerprint  {first.fingerprint}\npublic key   {first.key}\n")
    replaced = CliRunner().invoke(main, ["key", "--replace"])
    with database.unit() as unit:
        second = open_signer(unit)
    assert second.key in replaced.output
    assert second.key != first.key


@pytest.fixture(scope="module")
def signer() -> Signer:
    return new_signer()


@given(text=st.binary(max_size=40), other=st.binary(max_size=40))
def test_a_signature_fits_one_text_and_one_purpose(
    signer: Signer, text: bytes, other: bytes
) -> None:
    signed = signer.sign("release", text)
    assert verify(signed, "release", text) == "ok"
    assert verify(signed, "bundle", text) == "changed"
    assert (verify(signed, "release", other) == "ok") == (text == other)


def test_the_key_that_signed_is_known_by_its_fingerprint(signer: Signer) -> None:
    other = new_signer()
    signed = other.sign("bundle", b"text")
    for known in (other.key, other.fingerprint, ""):
        assert verify(signed, "bundle", b"text", known) == "ok"
    for unknown in (signer.key, signer.fingerprint, "SHA256:"):
        assert verify(signed, "bundle", b"text", unknown) == "another key"
    assert verify(Signature(signer.key, signed.value), "bundle", b"text", signer.key) == "changed"
    assert verify(Signature("é", "é"), "bundle", b"text") == "changed"
    assert verify(None, "bundle", b"text", signer.key) == "unsigned"
    assert fingerprint(signer.key) == signer.fingerprint
