"""Secrets: generation, hashing and verification.

Tokens are 256 random bits, so a plain SHA-256 is enough; passwords are not random, so they
get Argon2id.
"""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import NewType

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from argon2.low_level import ARGON2_VERSION

from pileup.storage.errors import Crowded

PasswordHash = NewType("PasswordHash", str)
"""What is stored of a password; a type of its own, so that no password is stored in its place."""
_HASHER = PasswordHasher()  # the library's defaults: RFC 9106, low-memory profile
_AT_ONCE = 3
"""Passwords that this process hashes at once: each takes 64 MiB and a core."""
_PATIENCE_S = 3.0
_turns = BoundedSemaphore(_AT_ONCE)
_NICE = 5
"""How far the hashes of colleagues step back, as workers do: readers go first, at three to one."""
_NICE_TO_STRANGERS = 10
"""At nine to one; by 19, at seventy to one, no stranger who is a colleague gets in when the machine
is busy, and a hash lasts so long that it holds its 64 MiB and its turn all the while."""


def _threads_of(nice: int) -> ThreadPoolExecutor:
    """Return threads that compute hashes, and nothing that others wait for, as Linux can."""

    def step_back() -> None:
        if sys.platform == "linux":
            own = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), own + nice)

    return ThreadPoolExecutor(_AT_ONCE, "hashing", initializer=step_back)


_threads = _threads_of(_NICE)
_threads_of_strangers = _threads_of(_NICE_TO_STRANGERS)


@contextmanager
def _turn(*, stranger: bool) -> Iterator[ThreadPoolExecutor]:
    if not _turns.acquire(timeout=_PATIENCE_S):
        raise Crowded("many passwords are checked at this moment; try again in some seconds")
    try:
        yield _threads_of_strangers if stranger else _threads
    finally:
        _turns.release()


def new_secret(prefix: str = "") -> str:
    """Generate a random token that is safe in a URL."""
    return prefix + secrets.token_urlsafe(32)


def hash_secret(secret: str) -> str:
    """Return the hash under which a token is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hash_password(password: str, *, stranger: bool = False) -> PasswordHash:
    """Return the hash under which a password is stored; raises Crowded.

    stranger: whether it is computed for somebody who did not sign in here before.
    """
    with _turn(stranger=stranger) as threads:
        return PasswordHash(threads.submit(_HASHER.hash, password).result())


def password_fits(stored: str | None, password: str, *, stranger: bool = False) -> bool:
    """Return whether the password matches; takes as long when no hash is stored.

    stranger: as in ``hash_password``. Raises Crowded.
    """
    try:
        with _turn(stranger=stranger) as threads:
            known = stored or hash_of_nobody()
            return threads.submit(_HASHER.verify, known, password).result() and stored is not None
    except (Argon2Error, InvalidHashError):
        return False


def hash_of_nobody() -> str:
    """Return a hash of no known password; to verify it takes as long as to verify a user's."""
    salt, digest = (
        base64.b64encode(secrets.token_bytes(length)).rstrip(b"=").decode()
        for length in (_HASHER.salt_len, _HASHER.hash_len)
    )
    costs = f"m={_HASHER.memory_cost},t={_HASHER.time_cost},p={_HASHER.parallelism}"
    return f"$argon2id$v={ARGON2_VERSION}${costs}${salt}${digest}"
