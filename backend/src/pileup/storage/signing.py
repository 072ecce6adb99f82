"""Sign with this installation's Ed25519 key, and verify what any installation signed.

A signature is of a purpose and a text, so that none of one kind can be shown as another kind. A key
is known by its fingerprint, in the form of SSH: ``SHA256:`` and the hash of its 32 bytes. The
private key is in the database, encrypted like every secret, so that all machines share it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from sqlalchemy.dialects.postgresql import insert

from pileup.storage.audit import Actor, record
from pileup.storage.database import Unit
from pileup.storage.models import SigningKey

ALGORITHM = "Ed25519"

Purpose = Literal["approval", "bundle", "release"]
State = Literal["ok", "changed", "another key", "unsigned"]

_RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
_PEM = (
    serialization.Encoding.PEM,
    serialization.PrivateFormat.PKCS8,
    serialization.NoEncryption(),
)


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature with the key that made it, both in base64."""

    key: str
    value: str

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the key."""
        return fingerprint(self.key)


class Signer:
    """The key of this installation."""

    def __init__(self, private: Ed25519PrivateKey) -> None:
        self._private = private
        self.key = _encoded(private.public_key().public_bytes(*_RAW))
        """The public key in base64."""

    @property
    def fingerprint(self) -> str:
        """Return the fingerprint of the public key."""
        return fingerprint(self.key)

    @property
    def pem(self) -> str:
        """Return the private key in PEM."""
        return self._private.private_bytes(*_PEM).decode()

    def sign(self, purpose: Purpose, text: bytes) -> Signature:
        """Sign a text."""
        return Signature(self.key, _encoded(self._private.sign(_statement(purpose, text))))


def open_signer(unit: Unit) -> Signer:
    """Return the signer of this installation, whose key is made at first use; raises WrongKey."""
    encryption = unit.encryption
    row = unit.session.get(SigningKey, 1)
    if row is None:  # of several programs that start at once, the fastest makes the key
        unit.session.execute(
            insert(SigningKey)
            .values(id=1, private=encryption.encrypt(_new_key()))
            .on_conflict_do_nothing()
        )
        row = unit.session.get_one(SigningKey, 1)
    return new_signer(encryption.decrypt(row.private))


def replace_key(unit: Unit, by: Actor) -> Signer:
    """Make another key: what the old one signed is then signed by another key."""
    old = open_signer(unit)
    signer = new_signer()
    row = unit.session.get_one(SigningKey, 1, with_for_update=True)
    row.private = unit.encryption.encrypt(signer.pem)
    row.made_at = datetime.now(UTC)
    record(unit, by, "signing_key.replaced", old=old.fingerprint, new=signer.fingerprint)
    return signer


def new_signer(pem: str | None = None) -> Signer:
    """Return the signer of a private key in PEM; None: of a new one."""
    private = serialization.load_pem_private_key((pem or _new_key()).encode(), None)
    assert isinstance(private, Ed25519PrivateKey)
    return Signer(private)


def verify(signature: Signature | None, purpose: Purpose, text: bytes, key: str = "") -> State:
    """Return the state of a signature.

    key: the public key, or its fingerprint, that must have made it; empty: any key.
    """
    if signature is None:
        return "unsigned"
    try:
        public = Ed25519PublicKey.from_public_bytes(base64.b64decode(signature.key, validate=True))
        value = base64.b64decode(signature.value, validate=True)
        public.verify(value, _statement(purpose, text))
    except (InvalidSignature, ValueError, binascii.Error):
        return "changed"
    return "another key" if key and key not in (signature.key, signature.fingerprint) else "ok"


def fingerprint(key: str) -> str:
    """Return the fingerprint of a public key in base64; of no key, of the text as it is."""
    try:
        raw = base64.b64decode(key, validate=True)
    except (ValueError, binascii.Error):
        raw = key.encode()
    return f"SHA256:{_encoded(hashlib.sha256(raw).digest()).rstrip('=')}"


def _new_key() -> str:
    return Ed25519PrivateKey.generate().private_bytes(*_PEM).decode()


def _statement(purpose: Purpose, text: bytes) -> bytes:
    return f"pileup-{purpose}-v1\n".encode() + text


def _encoded(raw: bytes) -> str:
    return base64.b64encode(raw).decode()
