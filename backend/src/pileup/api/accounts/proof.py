"""Ask users again who they are, before what a stolen session must not do."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from pileup.api.accounts.limits import SignInLimits
from pileup.api.deps import Services
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.credentials import password_fits
from pileup.storage.accounts.second_factors import SecondFactors
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.errors import Refused

WRONG_CODE = "this is neither the current code of your app, nor an unused recovery code"
_RECENT = timedelta(minutes=10)


class Proof(In):
    current_password: str | None = Field(default=None, max_length=1000)
    code: str | None = Field(default=None, max_length=40)
    """Of the authenticator app, where there is no password."""


def need_password(
    services: Services, limits: SignInLimits, user_id: str, password: str | None
) -> bool:
    """Raise Refused unless this is the user's password; return whether there is one.

    It takes long, so it holds no transaction.
    """
    limits.guesses.check(user_id, "factor", known_device=True)
    with services.unit() as unit:
        stored = Accounts(unit).stored(user_id)
    if stored.password_hash is None:
        return False
    if not password_fits(stored.password_hash, password or ""):
        if password:
            limits.guesses.failed(user_id, "factor", "factor")
        raise Refused("enter your current password", "current_password")
    return True


def need_proof(
    services: Services, limits: SignInLimits, user_id: str, secret: str | None, proof: Proof
) -> None:
    """Raise Refused or ApiError 403 unless the user proves again who they are, by one factor.

    Whoever signed in within the last ten minutes has done so. secret: of the session that asks.
    """
    with services.unit() as unit:
        if secret and Sessions(unit).is_younger(secret, _RECENT):
            return
    if need_password(services, limits, user_id, proof.current_password):
        return
    with services.unit() as unit:
        factors = SecondFactors(unit)
        if not factors.is_on(user_id):
            raise ApiError(403, "Sign in again", "this needs a sign-in of the last ten minutes")
        if proof.code and factors.accepts(user_id, proof.code):
            return
    if proof.code:
        limits.guesses.failed(user_id, "factor", "factor")
    raise Refused(WRONG_CODE if proof.code else "enter the code of your authenticator app", "code")
