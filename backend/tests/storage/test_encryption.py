"""Secrets at rest: the database alone opens nothing, and a wrong key changes nothing."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr
from sqlalchemy import text

from pileup.runtime.errors import StartError
from pileup.runtime.secret_keys import forget_secrets, need_key, protect_secrets
from pileup.storage.audit import MACHINE
from pileup.storage.database import Database
from pileup.storage.encryption import (
    Encryption,
    Keys,
    encrypted_columns,
    open_encryption,
    read_keys,
)
from pileup.storage.errors import WrongKey
from pileup.storage.incidents.webhooks import Webhooks
from pileup.storage.models import Base
from tests.support.site import settings_for

KEYS = [Fernet.generate_key().decode() for _ in range(4)]


def encryption(*keys: str) -> Encryption:
    return read_keys(Keys(" ".join(keys), Path()))


@contextmanager
def database(url: str, keys: Keys | None) -> Iterator[Database]:
    with closing(Database(url, pool_size=2, keys=keys)) as opened:
        yield opened


def stored(url: str) -> list[str]:
    with database(url, None) as opened, opened.unit() as unit:
        return list(unit.session.scalars(text("select secret from webhooks order by id")))


def add_webhook(url: str, keys: Keys) -> str:
    with database(url, keys) as opened, opened.unit() as unit:
        _, secret = Webhooks(unit).create("https://example.org", [], by=MACHINE)
        return secret


@settings(max_examples=20)
@given(st.text(), st.lists(st.sampled_from(KEYS), min_size=1), st.sampled_from(KEYS))
def test_every_key_decrypts_and_the_first_encrypts(
    secret: str, before: list[str], other: str
) -> None:
    value = encryption(*before).encrypt(secret)
    assert secret not in value or len(secret) < 8
    assert encryption(before[0]).decrypt(value) == secret
    assert encryption(other, *before).decrypt(value) == secret
    assert encryption(other, *before).is_current(value) == (other == before[0])
    if other != before[0]:
        with pytest.raises(WrongKey, match="another key"):
            encryption(other).decrypt(value)


def test_every_secret_is_a_hash_or_encrypted() -> None:
    """A new column whose name says that it is secret is of the type, or a hash."""
    encrypted = {str(column) for column in encrypted_columns()}
    assert {"second_factors.secret", "webhooks.secret"} <= encrypted
    columns = [column for table in Base.metadata.sorted_tables for column in table.columns]
    secret = {
        str(column)
        for column in columns
        if any(word in column.name for word in ("secret", "password", "token", "code"))
        and not column.name.endswith(("_hash", "_id"))
        and column.name != "status_code"
    }
    assert secret <= encrypted, "use the type Encrypted"


def test_the_key_file_is_for_its_owner(postgres_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home", postgres_url)
    secret = add_webhook(postgres_url, Keys.of(settings))
    file = settings.home / "secret.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in settings.home.iterdir()] == ["secret.key"]
    (value,) = stored(postgres_url)
    assert secret not in value
    assert file.read_text().strip() not in value
    need_key(settings)


def test_what_is_there_is_encrypted_and_keys_rotate(postgres_url: str, tmp_path: Path) -> None:
    """Secrets from before encryption too; afterwards the old key is not needed."""
    home = settings_for(tmp_path / "home", postgres_url)
    with database(postgres_url, None) as opened, opened.unit() as unit:
        unit.session.execute(
            text("insert into webhooks (id, url, events, secret, enabled) values"
                 " ('w', 'u', '[]', 'whs_plain', true)")
        )  # fmt: skip
    for keys in (KEYS[0], f"{KEYS[1]},{KEYS[0]}", f"{KEYS[2]}\n{KEYS[1]}", KEYS[2]):
        protect_secrets(home.model_copy(update={"secret_key": SecretStr(keys)}))
        (value,) = stored(postgres_url)
        assert encryption(keys.replace(",", " ").split()[0]).decrypt(value) == "whs_plain"
    with pytest.raises(StartError, match="PILEUP_SECRET_KEY is not the one"):
        need_key(home.model_copy(update={"secret_key": SecretStr(KEYS[0])}))
    assert stored(postgres_url) == [value]


def test_a_missing_key_is_named_and_never_replaced(postgres_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home", postgres_url)
    add_webhook(postgres_url, Keys.of(settings))
    file = settings.home / "secret.key"
    key = file.read_bytes()
    file.unlink()
    with pytest.raises(StartError, match=r"secret\.key is not there: copy"):
        protect_secrets(settings)
    assert not file.exists()
    file.write_bytes(b"\n" + key)
    need_key(settings)
    assert forget_secrets(settings) == (0, 0)


def test_a_lost_key_switches_off_what_needs_it(postgres_url: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home", postgres_url)
    add_webhook(postgres_url, Keys(KEYS[0], Path()))
    with database(postgres_url, None) as opened, opened.unit() as unit:
        unit.session.execute(
            text(
                "insert into users (id, name, role, disabled) values ('u', 'Ann', 'viewer', false)"
            )
        )
        unit.session.execute(
            text("insert into second_factors (user_id, secret) values ('u', :secret)"),
            {"secret": encryption(KEYS[0]).encrypt("BASE32")},
        )
    assert forget_secrets(settings) == (1, 1)
    need_key(settings)
    with database(postgres_url, None) as opened, opened.unit() as unit:
        counts = "select count(*) from second_factors union all select count(*) from webhooks"
        assert unit.session.scalars(text(f"{counts} where enabled")).all() == [0, 0]
        actions = set(unit.session.scalars(text("select action from audit")))
    assert "secrets.forgotten" in actions


def test_a_program_without_keys_reads_no_secret(postgres_url: str) -> None:
    with database(postgres_url, None) as opened, pytest.raises(WrongKey, match="without keys"):
        _ = opened.encryption


@pytest.mark.parametrize(
    ("written", "why"),
    [("", "is empty"), ("short", "no key"), ("é" * 44, "no key"), (f"{KEYS[0]} x", "no key")],
    ids=["empty", "short", "no key of ours", "a key and a word"],
)
def test_a_broken_key_is_named(written: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.key"
    file.write_text(written, encoding="utf-8")
    with pytest.raises(WrongKey, match=f"{file} .*{why}"):
        read_keys(Keys(None, file))


def test_a_folder_that_cannot_be_read_or_written_is_named(
    postgres_url: str, tmp_path: Path
) -> None:
    with pytest.raises(WrongKey, match="cannot be read"):
        read_keys(Keys(None, tmp_path))
    with database(postgres_url, None) as opened, opened.unit() as unit:
        with pytest.raises(WrongKey, match="cannot be written"):
            open_encryption(unit.session, Keys(None, tmp_path / "none" / "secret.key"))
