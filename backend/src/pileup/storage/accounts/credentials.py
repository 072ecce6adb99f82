"""Secrets: generation, hashing and verification.

Tokens are 256 random bits, so a plain SHA-256 is enough; passwords are not random, so they
get Argon2id.
"""

from __future__ import annotations

import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_HASHER = PasswordHasher()  # the library's defaults: RFC 9106, low-memory profile
_NOBODY = _HASHER.hash(secrets.token_urlsafe(16))  # verified when the user does not exist


def new_secret(prefix: str = "") -> str:
    """Generate a random token that is safe in a URL."""
    return prefix + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_password(password: str) -> str:
    """Return the hash under which a password is stored."""
    return _HASHER.hash(password)


def password_fits(stored: str | None, password: str) -> bool:
    """Return whether the password matches; takes as long when no hash is stored."""
    try:
        return _HASHER.verify(stored or _NOBODY, password) and stored is not None
    except (Argon2Error, InvalidHashError):
        return False
