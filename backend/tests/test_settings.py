"""Settings: what the environment says, and that the page about them is complete."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from pileup.settings import Settings, get_settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "settings.md"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_common_scheme_names_our_driver(scheme: str) -> None:
    settings = Settings(database_url=f"{scheme}://u:p@h/n")
    assert settings.database_url == "postgresql+psycopg://u:p@h/n"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql+psycopg"])
def test_several_hosts_are_written_as_postgresql_does(scheme: str) -> None:
    settings = Settings(database_url=f"{scheme}://u:p@a:5433,b/n?target_session_attrs=read-write")
    address = make_url(settings.database_url or "")
    assert (address.username, address.password, address.database) == ("u", "p", "n")
    assert address.query == {
        "host": "a,b",
        "port": "5433,5432",
        "target_session_attrs": "read-write",
    }


def test_the_environment_is_read_and_an_empty_variable_is_unset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PILEUP_PORT", "8500")
    monkeypatch.setenv("PILEUP_BROKER_URL", "")
    settings = Settings()
    assert (settings.port, settings.broker_url) == (8500, None)


def test_cookies_are_secure_exactly_over_https() -> None:
    assert Settings(public_url="https://pileup.example.org/").secure_cookies
    assert not Settings(public_url=None).secure_cookies


def test_an_ipv6_address_is_bracketed() -> None:
    assert Settings(host="::1", port=8400, public_url=None).url == "http://[::1]:8400"


@pytest.mark.parametrize("name", sorted(Settings.model_fields))
def test_every_setting_has_its_row(name: str) -> None:
    assert f"| `PILEUP_{name.upper()}` |" in PAGE.read_text(encoding="utf-8")


def test_secrets_are_read_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable goes before its file, and a file without its folder is nothing."""
    (tmp_path / "pileup_secret_key").write_text("of the vault\n")
    (tmp_path / "pileup_oidc_client_secret").write_text("of the vault")
    monkeypatch.setenv("PILEUP_SECRETS_DIR", str(tmp_path))
    monkeypatch.setenv("PILEUP_OIDC_CLIENT_SECRET", "of the environment")
    get_settings.cache_clear()
    try:
        found = get_settings()
    finally:
        get_settings.cache_clear()
    assert found.secret_key is not None
    assert found.oidc_client_secret is not None
    assert found.secret_key.get_secret_value() == "of the vault"
    assert found.oidc_client_secret.get_secret_value() == "of the environment"
