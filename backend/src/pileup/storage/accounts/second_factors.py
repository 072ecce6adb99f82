"""The second factor of users: codes of an authenticator app (RFC 6238), and recovery codes."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

import pyotp
from sqlalchemy import delete, func, select, update

from pileup.storage import models
from pileup.storage.accounts.credentials import hash_secret
from pileup.storage.database import Unit
from pileup.storage.errors import Conflict, Refused

_STEP_S = 30
_STEPS = (0, -1, 1)
"""Codes of the half minutes before and after count too, because clocks differ."""
_CODES = 10
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_LENGTH = 28
"""Letters of a recovery code: 138 bits, so that its plain hash cannot be guessed."""
_GROUP = 4


@dataclass(frozen=True, slots=True)
class NewFactor:
    """What an authenticator app needs; it cannot be read again."""

    secret: str
    address: str
    """The secret as an ``otpauth:`` address."""


class SecondFactors:
    """Repository of second factors."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self._db = unit.session

    def is_on(self, user_id: str) -> bool:
        """Return whether the user's sign-in wants a code."""
        row = self._db.get(models.SecondFactor, user_id)
        return row is not None and row.confirmed_at is not None

    def recovery_codes_left(self, user_id: str) -> int:
        """Return how many recovery codes were not used."""
        count = select(func.count()).select_from(models.RecoveryCode).filter_by(user_id=user_id)
        return self._db.scalar(count) or 0

    def begin(self, user_id: str, name: str) -> NewFactor:
        """Create a factor that counts after ``confirm``; raises Conflict when one is on."""
        if self.is_on(user_id):
            raise Conflict("there is a second factor already: switch it off first")
        self.remove(user_id)
        secret = pyotp.random_base32()
        encrypted = self._unit.encryption.encrypt(secret)
        self._db.add(models.SecondFactor(user_id=user_id, secret=encrypted))
        self._db.flush()
        address = pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name="Pileup")
        return NewFactor(secret, address)

    def confirm(self, user_id: str, code: str) -> list[str]:
        """Switch the factor on by its first code; return the recovery codes."""
        row = self._db.get(models.SecondFactor, user_id, with_for_update=True)
        if row is None or row.confirmed_at is not None:
            raise Conflict("there is no second factor to confirm: begin again")
        if not self._is_of_app(row, code):
            raise Refused(
                "this is not the code of this half minute; check the clock of the device", "code"
            )
        row.confirmed_at = func.now()
        codes = ["".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH)) for _ in range(_CODES)]
        self._db.add_all(
            models.RecoveryCode(user_id=user_id, code_hash=hash_secret(code)) for code in codes
        )
        self._db.flush()
        return [
            "-".join(code[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP)) for code in codes
        ]

    def accepts(self, user_id: str, code: str) -> bool:
        """Use up a code of the app, or a recovery code; False when it is neither."""
        row = self._db.get(models.SecondFactor, user_id, with_for_update=True)
        if row is None:
            return False
        if self._is_of_app(row, code):
            return True
        gone = self._db.scalar(
            delete(models.RecoveryCode)
            .where(
                models.RecoveryCode.user_id == user_id,
                models.RecoveryCode.code_hash == hash_secret(_plain(code).lower()),
            )
            .returning(models.RecoveryCode.id)
        )
        return gone is not None

    def remove(self, user_id: str) -> None:
        """Switch the factor off."""
        self._db.execute(delete(models.SecondFactor).filter_by(user_id=user_id))
        self._db.flush()
        self._db.expire_all()

    def _is_of_app(self, row: models.SecondFactor, code: str) -> bool:
        """Return whether the code is that of about now, and newer than the last one used."""
        now = _now() // _STEP_S
        app = pyotp.TOTP(self._unit.encryption.decrypt(row.secret))
        for step in (now + each for each in _STEPS):
            expected = app.at(step * _STEP_S)
            if secrets.compare_digest(expected.encode(), _plain(code).encode()):
                used = self._db.scalar(
                    update(models.SecondFactor)
                    .where(
                        models.SecondFactor.user_id == row.user_id,
                        models.SecondFactor.last_step < step,
                    )
                    .values(last_step=step)
                    .returning(models.SecondFactor.user_id)
                )
                return used is not None
        return False


def _now() -> int:
    return int(time.time())


def _plain(code: str) -> str:
    return "".join(code.split()).replace("-", "")
