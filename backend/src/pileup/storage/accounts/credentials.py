"""Secrets: how they are made, and what of them is stored.

Tokens are 256 random bits, so a plain SHA-256 of them is enough; passwords are not random, so they
get Argon2id.
"""

from __future__ import annotations

import hashlib
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

_HASHER = PasswordHasher()  # the library's defaults: RFC 9106, low-memory profile
_NOBODY = _HASHER.hash(secrets.token_urlsafe(16))  # verified when there is no such user


def new_secret(prefix: str = "") -> str:
    """A fresh token that fits in a URL."""
    return prefix + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_password(password: str) -> str:
    """What is stored of a password."""
    return _HASHER.hash(password)


def password_fits(stored: str | None, password: str) -> bool:
    """Whether the password is the right one; takes as long when there is nothing stored."""
    try:
        return _HASHER.verify(stored or _NOBODY, password) and stored is not None
    except (Argon2Error, InvalidHashError):
        return False
