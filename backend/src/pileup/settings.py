"""Settings: everything that the environment may say, in one place.

Every value is read from a variable PILEUP_<NAME>. The defaults are those of one machine
with embedded services; a served installation names its database and broker.
Units ride in the names. The engine (formats, knowledge, analysis) never imports this.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_GIB = 1024**3


def default_home() -> Path:
    """The data folder when nobody named one: the user's data folder of this platform."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pileup"
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base else Path.home() / ".local" / "share") / "pileup"


class Settings(BaseSettings):
    """What this process was told. Build one with `get_settings()`."""

    model_config = SettingsConfigDict(env_prefix="PILEUP_", env_ignore_empty=True, extra="ignore")

    # where
    home: Path = Field(default_factory=default_home)
    database_url: str | None = None  # None: the embedded PostgreSQL of `pileup run`
    broker_url: str | None = None  # None: the embedded Valkey of `pileup run`
    host: str = "127.0.0.1"
    port: int = Field(default=8400, ge=0, le=65535)
    public_url: str | None = None  # what people type; None: http://host:port
    ui_dir: Path | None = None  # the built UI; None: frontend/dist of the checkout, if there
    samples_dir: Path | None = None  # None: samples/ of the checkout, if there
    knowledge_dir: Path | None = None  # a team's own knowledge, laid over ours

    # sessions and tokens
    session_lifetime_h: int = Field(default=24 * 14, ge=1)
    sign_in_link_lifetime_h: int = Field(default=24, ge=1)

    # reports
    release_second_person: bool = True  # who sends a release to review does not approve it

    # strangers' files
    max_upload_bytes: int = Field(default=8 * _GIB, ge=1)
    max_expanded_bytes: int = Field(default=32 * _GIB, ge=1)  # of one archive, all levels
    max_members: int = Field(default=20_000, ge=1)  # of one archive, all levels
    max_archive_depth: int = Field(default=4, ge=0)
    min_free_bytes: int = Field(
        default=512 * 1024**2, ge=0
    )  # below this we neither start nor accept

    # what people deleted, and uploads that nobody finished
    bin_days: int = Field(default=30, ge=1)
    upload_days: int = Field(default=7, ge=1)

    # webhooks
    webhook_private: bool = False  # may also call loopback, private and link-local addresses
    webhook_ca: Path | None = None  # PEM file of authorities to trust beside the public ones

    # worker
    worker_concurrency: int = Field(default=2, ge=1)
    task_time_limit_s: int = Field(default=900, ge=1)
    job_lease_s: int = Field(default=60, ge=1)  # a job whose heartbeat is older is sent again
    worker_heartbeat_s: int = Field(default=5, ge=1)
    analysis_debounce_s: float = Field(default=1.0, ge=0)

    log_level: str = "INFO"

    @field_validator("home", "ui_dir", "samples_dir", "knowledge_dir")
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @field_validator("database_url")
    @classmethod
    def _with_driver(cls, value: str | None) -> str | None:
        """Accept the plain schemes that people paste, and name the driver that we ship."""
        if value is None:
            return None
        scheme, separator, rest = value.partition("://")
        if separator and scheme in {"postgres", "postgresql"}:
            return f"postgresql+psycopg://{rest}"
        return value

    @field_validator("public_url")
    @classmethod
    def _no_trailing_slash(cls, value: str | None) -> str | None:
        return None if value is None else value.rstrip("/")

    @property
    def url(self) -> str:
        """The address that people type, without a trailing slash."""
        if self.public_url:
            return self.public_url
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def secure_cookies(self) -> bool:
        """Cookies get the Secure flag when people come by https."""
        return urlsplit(self.url).scheme == "https"

    @property
    def blobs_dir(self) -> Path:
        """Uploads, stored once under their SHA-256."""
        return self.home / "blobs"

    @property
    def frames_dir(self) -> Path:
        """Parsed records as Parquet; can be thrown away and made again."""
        return self.home / "frames"

    @property
    def placed_dir(self) -> Path:
        """Frames of each incident on one clock, as the last analysis placed them."""
        return self.home / "placed"

    @property
    def uploads_dir(self) -> Path:
        """Uploads on their way in."""
        return self.home / "uploads"

    @property
    def built_ui(self) -> Path | None:
        """The folder of the built UI, or None when it was not built."""
        return self.ui_dir or _of_checkout("frontend/dist", "index.html")

    @property
    def samples(self) -> Path | None:
        """The folder of sample incidents, or None when there is none."""
        return self.samples_dir or _of_checkout("samples", "")


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once. Tests call `get_settings.cache_clear()`."""
    return Settings()


def _of_checkout(relative: str, marker: str) -> Path | None:
    """A path of the source checkout that this package was installed from (editable), if there."""
    path = Path(__file__).resolve().parents[3] / relative
    return path if (path / marker).exists() else None
