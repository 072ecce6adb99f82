"""People and their credentials. Secrets are hashes, or encrypted where a hash will not do."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, UniqueConstraint, func, text
from sqlalchemy.orm import Mapped, mapped_column

from pileup.storage.models.base import Base, Encrypted, Id, Made, Words


class User(Base):
    __tablename__ = "users"
    __table_args__ = (
        CheckConstraint("role in ('viewer', 'contributor', 'admin')", name="role"),
        CheckConstraint("email = lower(email)", name="email_lower"),
    )

    id: Mapped[Id]
    name: Mapped[str]
    email: Mapped[str | None] = mapped_column(unique=True)
    role: Mapped[str]
    password_hash: Mapped[str | None]
    """Argon2id; None for a user who only signed in by a one-time link."""
    disabled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[Made]


class SignInLink(Base):
    __tablename__ = "sign_in_links"

    id: Mapped[Id]
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    """None: made before there was any user; it makes the first admin."""
    created_at: Mapped[Made]
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]


class Session(Base):
    __tablename__ = "sessions"
    __table_args__ = (CheckConstraint("num_nonnulls(user_id, guest_link_id) = 1", name="one"),)

    id: Mapped[Id]
    token_hash: Mapped[str] = mapped_column(unique=True)
    csrf: Mapped[str]
    user_id: Mapped[str | None] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), index=True
    )
    guest_link_id: Mapped[str | None] = mapped_column(
        ForeignKey("guest_links.id", ondelete="CASCADE"), index=True
    )
    """Instead of a user: the guest link that opened it."""
    agent: Mapped[Words]
    """The browser, as it names itself."""
    two_factors: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    """Opened with a second factor, or by the provider, which has its own."""
    created_at: Mapped[Made]
    last_seen_at: Mapped[Made]
    expires_at: Mapped[datetime]


class Device(Base):
    """A browser that signed in before: guesses of others do not pause it."""

    __tablename__ = "devices"

    id: Mapped[Id]
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[Made]
    last_used_at: Mapped[Made]


class Token(Base):
    __tablename__ = "tokens"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    verbs: Mapped[list[str]]
    incident_id: Mapped[str | None] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    """The only incident that it opens; None: every one that its user sees."""
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[Made]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class GuestLink(Base):
    """A link that shows one incident to whoever has it."""

    __tablename__ = "guest_links"

    id: Mapped[Id]
    incident_id: Mapped[str] = mapped_column(
        ForeignKey("incidents.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str]
    token_hash: Mapped[str] = mapped_column(unique=True)
    by_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="SET NULL"))
    created_at: Mapped[Made]
    redact: Mapped[list[str]] = mapped_column(default=list, server_default=text("'[]'"))
    """Kinds of redaction of everything that it shows; none: as it is."""
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    opened: Mapped[int] = mapped_column(default=0, server_default=text("0"))
    last_opened_at: Mapped[datetime | None]


class Identity(Base):
    """A user at an OpenID Connect provider."""

    __tablename__ = "identities"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    issuer: Mapped[str]
    subject: Mapped[str]
    created_at: Mapped[Made]


class OidcAttempt(Base):
    """A sign-in at a provider that is under way."""

    __tablename__ = "oidc_attempts"

    id: Mapped[Id]
    state_hash: Mapped[str] = mapped_column(unique=True)
    browser_hash: Mapped[str]
    nonce: Mapped[str]
    verifier: Mapped[str]
    next: Mapped[str]
    client: Mapped[str]
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    expires_at: Mapped[datetime]


class SecondFactor(Base):
    """The authenticator app of a user."""

    __tablename__ = "second_factors"

    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), primary_key=True
    )
    secret: Mapped[Encrypted]
    """Base32; the code of each moment is computed from it, so no hash would do."""
    confirmed_at: Mapped[datetime | None]
    """None until the user entered a first code: sign-in does not want one yet."""
    last_step: Mapped[int] = mapped_column(BigInteger, default=0, server_default=text("0"))
    """The newest half minute whose code was used: no code counts twice."""


class RecoveryCode(Base):
    """One of the codes that replace the app once."""

    __tablename__ = "recovery_codes"

    id: Mapped[Id]
    user_id: Mapped[str] = mapped_column(
        ForeignKey("second_factors.user_id", ondelete="CASCADE"), index=True
    )
    code_hash: Mapped[str]


class Guess(Base):
    """A wrong password or code."""

    __tablename__ = "guesses"

    id: Mapped[Id]
    client: Mapped[str] = mapped_column(index=True)
    account_hash: Mapped[str] = mapped_column(index=True)
    """Of what was typed as the account, which may be a password by mistake."""
    at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)


class SigningKey(Base):
    """The only row: the Ed25519 key that signs releases and bundles (``storage.signing``)."""

    __tablename__ = "signing_key"
    __table_args__ = (CheckConstraint("id = 1", name="one"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    private: Mapped[Encrypted]
    """In PEM."""
    made_at: Mapped[Made]


class KeyCheck(Base):
    """The only row: a known word, encrypted. A key that does not decrypt it is another one."""

    __tablename__ = "key_check"
    __table_args__ = (CheckConstraint("id = 1", name="one"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    encrypted: Mapped[Encrypted]
