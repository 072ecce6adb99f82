"""Process settings, read from `PILEUP_*`.

Every value is read from a variable PILEUP_<NAME>. The defaults are those of one machine
with embedded services; a served installation names its database and broker.
Names include the unit. The engine (formats, knowledge, analysis) never imports this.
"""

from __future__ import annotations

import os
import sys
from functools import lru_cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode, urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from pileup import paths

_GIB = 1024**3


def default_home() -> Path:
    """Return the default data folder: the user's data folder of this platform."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "pileup"
    base = os.environ.get("XDG_DATA_HOME", "")
    return (Path(base) if base else Path.home() / ".local" / "share") / "pileup"


def _one_host(url: str) -> str:
    """Move several hosts of an address, as PostgreSQL writes them, to where SQLAlchemy has them."""
    scheme, _, rest = url.partition("://")
    place, _, more = rest.partition("/")
    who, at, where = place.rpartition("@")
    if "," not in where:
        return url
    name, _, query = more.partition("?")
    hosts, ports = [], []
    for each in where.split(","):
        host, colon, port = each.rpartition(":")
        hosts.append(host if colon else each)
        ports.append(port if colon else "5432")
    named = urlencode({"host": ",".join(hosts), "port": ",".join(ports)})
    return f"{scheme}://{who}{at}/{name}?{named}" + (f"&{query}" if query else "")


class Settings(BaseSettings):
    """Settings of this process, read from `PILEUP_*`. Use `get_settings()`."""

    model_config = SettingsConfigDict(env_prefix="PILEUP_", env_ignore_empty=True, extra="ignore")

    # locations and addresses
    home: Path = Field(default_factory=default_home)
    database_url: str | None = None  # None: the embedded PostgreSQL of `pileup run`
    database_listen_url: str | None = None  # None: database_url; past PgBouncer, for notices
    old_postgres: Path | None = None  # programs of the version that made the embedded database
    broker_url: str | None = None  # None: the embedded Valkey of `pileup run`
    host: str = "127.0.0.1"
    port: int = Field(default=8400, ge=0, le=65535)
    public_url: str | None = None  # what people type; None: http://host:port
    ui_dir: Path | None = None  # the built UI; None: the one that Pileup brings
    samples_dir: Path | None = None  # None: those that Pileup brings
    knowledge_dir: Path | None = None  # a team's own knowledge, which overrides ours

    # secrets, sessions and tokens
    secret_key: SecretStr | None = None  # encrypts secrets at rest; None: home/secret.key
    second_factor_required: bool = False  # of everybody who signs in by password or link
    breached_passwords: Path | None = None  # a file that no new password may be in
    session_lifetime_h: int = Field(default=24 * 14, ge=1)  # then sign in again, used or not
    session_idle_h: int = Field(default=24 * 3, ge=1)  # then too, when it was not used
    sign_in_link_lifetime_h: int = Field(default=24, ge=1)

    # sign-in through an OpenID Connect provider
    oidc_issuer: str | None = None  # as the provider calls itself; None: no such sign-in
    oidc_client_id: str | None = None
    oidc_client_secret: SecretStr | None = None
    oidc_name: str = "single sign-on"  # what the button says: Sign in with ...
    oidc_scopes: str = "openid profile email"
    oidc_acr: str = ""  # of these strengths of sign-in, with blanks between, one is needed
    oidc_role: Literal["viewer", "contributor"] | None = None  # of new users; None: no new users

    # reports
    release_second_person: bool = True  # the sender of a release to review cannot approve it

    # untrusted files
    max_upload_bytes: int = Field(default=8 * _GIB, ge=1)
    max_expanded_bytes: int = Field(default=32 * _GIB, ge=1)  # of one archive, all levels
    max_members: int = Field(default=20_000, ge=1)  # of one archive, all levels
    max_archive_depth: int = Field(default=4, ge=0)
    user_bytes: int = Field(default=0, ge=0)  # that one user keeps; 0: any number
    user_files: int = Field(default=0, ge=0)
    team_bytes: int = Field(default=0, ge=0)  # in the incidents of one team; 0: any number
    team_files: int = Field(default=0, ge=0)
    min_free_bytes: int = Field(
        default=512 * 1024**2, ge=0
    )  # below this we neither start nor accept

    clamd: str | None = None  # scans files before they leave: tcp://host:3310 or unix:///path

    # where files are: folders of the data folder, or an S3 bucket
    s3_bucket: str | None = None  # None: folders
    s3_prefix: str = ""  # below this name in the bucket
    s3_endpoint: str | None = None  # None: Amazon's of the region
    s3_region: str = "us-east-1"
    s3_access_key: str | None = None  # None: the credentials of the environment or the machine
    s3_secret_key: SecretStr | None = None
    s3_path_style: bool = True  # the bucket in the path, not in the host name
    s3_timeout_s: float = Field(default=30.0, gt=0)  # of one request
    s3_retry_s: float = Field(default=20.0, ge=0)  # a failed request is tried again for so long
    cache_bytes: int = Field(default=10 * _GIB, ge=0)  # local copies of stored files
    compress_uploads: bool = True  # at rest, where it pays

    # the bin, and unfinished uploads
    bin_days: int = Field(default=30, ge=1)
    upload_days: int = Field(default=7, ge=1)

    # webhooks
    webhook_private: bool = False  # may also call loopback, private and link-local addresses
    webhook_ca: Path | None = (
        None  # PEM file of authorities to trust in addition to the public ones
    )

    # worker
    worker_concurrency: int = Field(default=2, ge=1)
    task_time_limit_s: int = Field(default=900, ge=1)
    job_memory_bytes: int = Field(default=0, ge=0)  # 0: three quarters of the machine's
    job_cpu_s: int = Field(default=3600, ge=1)
    job_lease_s: int = Field(default=20, ge=1)  # a job whose heartbeat is older is tried again
    incident_jobs: int = Field(default=0, ge=0)  # of one incident at once; 0: any number
    user_jobs: int = Field(default=0, ge=0)  # of one user's files at once; 0: any number
    worker_heartbeat_s: int = Field(default=5, ge=1)
    analysis_debounce_s: float = Field(default=1.0, ge=0)

    # traces
    traces_endpoint: str | None = None  # an OpenTelemetry collector (OTLP over HTTP); None: off
    traces_share: float = Field(default=1.0, ge=0, le=1)  # of requests that begin a trace here

    # logs
    log_level: str = "INFO"
    log_format: Literal["console", "json"] = "console"
    access_log: bool = False  # a line for each request, not only for slow ones
    slow_request_ms: int = Field(default=1000, ge=1)

    @field_validator(
        "home", "old_postgres", "ui_dir", "samples_dir", "knowledge_dir", "breached_passwords"
    )
    @classmethod
    def _absolute(cls, value: Path | None) -> Path | None:
        return None if value is None else value.expanduser().absolute()

    @field_validator("database_url", "database_listen_url")
    @classmethod
    def _with_driver(cls, value: str | None) -> str | None:
        """Accept the plain schemes that people paste, and add the driver that we ship."""
        if value is None:
            return None
        scheme, separator, rest = value.partition("://")
        if separator and scheme in {"postgres", "postgresql"}:
            value = f"postgresql+psycopg://{rest}"
        return _one_host(value)

    @model_validator(mode="after")
    def _whole_provider(self) -> Settings:
        if not self.oidc_issuer:
            return self
        parts = urlsplit(self.oidc_issuer)
        loopback = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if parts.scheme != "https" and not (parts.scheme == "http" and loopback):
            raise ValueError("PILEUP_OIDC_ISSUER begins with https://")
        if not self.oidc_client_id:
            raise ValueError("PILEUP_OIDC_ISSUER needs PILEUP_OIDC_CLIENT_ID as well")
        return self

    @field_validator("clamd")
    @classmethod
    def _is_clamd(cls, value: str | None) -> str | None:
        if value is not None and urlsplit(value).scheme not in ("tcp", "unix"):
            raise ValueError("PILEUP_CLAMD is tcp://host:3310 or unix:///path")
        return value

    @field_validator("public_url")
    @classmethod
    def _no_trailing_slash(cls, value: str | None) -> str | None:
        return None if value is None else value.rstrip("/")

    @property
    def listen_url(self) -> str | None:
        """Return the address of the database for connections that listen for notices."""
        return self.database_listen_url or self.database_url

    @property
    def url(self) -> str:
        """Return the public address, without a trailing slash."""
        if self.public_url:
            return self.public_url
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def secure_cookies(self) -> bool:
        """Return whether cookies get the Secure flag: the public address is https."""
        return urlsplit(self.url).scheme == "https"

    @property
    def blobs_dir(self) -> Path:
        """Return the folder of uploads, stored once under their SHA-256."""
        return self.home / "blobs"

    @property
    def frames_dir(self) -> Path:
        """Return the folder of parsed records as Parquet; it can be derived again."""
        return self.home / "frames"

    @property
    def placed_dir(self) -> Path:
        """Return the folder of placed evidence: frames of each incident on one clock."""
        return self.home / "placed"

    @property
    def uploads_dir(self) -> Path:
        """Return the folder of uploads in progress."""
        return self.home / "uploads"

    @property
    def cache_dir(self) -> Path:
        """Return the folder of local copies of stored files; it may be deleted at any time."""
        return self.home / "cache"

    @property
    def built_ui(self) -> Path | None:
        """Return the folder of the built UI, or None when it was not built."""
        return self.ui_dir or paths.built_ui()

    @property
    def samples(self) -> Path | None:
        """Return the folder of sample incidents, or None when there is none."""
        return self.samples_dir or paths.samples()


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """Return the settings of this process, read once. Tests call `get_settings.cache_clear()`.

    A setting may also be in a file of PILEUP_SECRETS_DIR, named like its variable in small letters.
    """
    folder = os.environ.get("PILEUP_SECRETS_DIR")
    if folder:
        return Settings(_secrets_dir=folder)  # type: ignore[call-arg]  # pydantic-settings' own
    return Settings()
