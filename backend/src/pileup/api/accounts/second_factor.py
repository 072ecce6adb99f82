"""Routes for the second factor of your sign-in: codes of an authenticator app."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from pileup.api.accounts.limits import LimitsDep, SignInLimits
from pileup.api.accounts.proof import WRONG_CODE, need_password
from pileup.api.auth import AdminDep, InBrowser
from pileup.api.cookies import SessionSecret
from pileup.api.deps import ServicesDep, UnitDep
from pileup.api.schema import In, Out
from pileup.storage import audit
from pileup.storage.accounts.accounts import Accounts
from pileup.storage.accounts.second_factors import NewFactor, SecondFactors
from pileup.storage.accounts.sessions import Sessions
from pileup.storage.errors import Conflict, Refused

own = APIRouter(tags=["accounts"])
router = APIRouter(tags=["accounts"])


class FactorState(Out):
    on: bool
    recovery_codes_left: int


class CurrentPassword(In):
    current_password: str | None = Field(default=None, max_length=1000)
    """Needed where there is one."""


class Code(In):
    code: str = Field(max_length=40)
    """Of the app; to switch the factor off, a recovery code will do."""


class RecoveryCodes(Out):
    recovery_codes: list[str]
    """Each signs you in once without the app; shown now and never again."""


@own.get("/session/factor")
def second_factor(caller: InBrowser, unit: UnitDep) -> FactorState:
    """Return whether your sign-in wants a code, and how many recovery codes are left."""
    factors = SecondFactors(unit)
    return FactorState(
        on=factors.is_on(caller.user.id),
        recovery_codes_left=factors.recovery_codes_left(caller.user.id),
    )


@own.post("/session/factor")
async def begin_second_factor(
    body: CurrentPassword, caller: InBrowser, services: ServicesDep, limits: LimitsDep
) -> NewFactor:
    """Create the secret for your authenticator app; sign-in wants codes after `confirm`."""

    def begin() -> NewFactor:
        need_password(services, limits, caller.user.id, body.current_password)
        with services.unit(caller.access) as unit:
            return SecondFactors(unit).begin(caller.user.id, caller.user.email or caller.user.name)

    return await limits.known_devices.run(caller.user.id, begin)


@own.post("/session/factor/confirm")
def confirm_second_factor(
    body: Code, caller: InBrowser, unit: UnitDep, limits: LimitsDep, secret: SessionSecret
) -> RecoveryCodes:
    """Switch the second factor on by a first code of the app."""
    _limited(limits, caller.user.id)
    codes = SecondFactors(unit).confirm(caller.user.id, body.code)
    if secret:
        Sessions(unit).mark_two_factors(secret)
    audit.record(unit, caller.actor, "factor.on", target=caller.user.id)
    return RecoveryCodes(recovery_codes=codes)


@own.post("/session/factor/remove", status_code=204)
def remove_second_factor(body: Code, caller: InBrowser, unit: UnitDep, limits: LimitsDep) -> None:
    """Switch the second factor off, by a code."""
    _limited(limits, caller.user.id)
    factors = SecondFactors(unit)
    if not factors.accepts(caller.user.id, body.code):
        limits.guesses.failed(caller.user.id, "factor", "factor")
        raise Refused(WRONG_CODE, "code")
    factors.remove(caller.user.id)
    audit.record(unit, caller.actor, "factor.off", target=caller.user.id)


@router.delete("/users/{user_id}/factor", status_code=204)
def reset_second_factor(user_id: str, by: AdminDep, unit: UnitDep) -> None:
    """Switch off the second factor of a user who lost the app and the recovery codes."""
    user = Accounts(unit).user(user_id)
    if user.id == by.user.id:
        raise Conflict("switch your own second factor off by a code, under Settings")
    SecondFactors(unit).remove(user.id)
    audit.record(unit, by.actor, "factor.reset", target=user.id, name=user.name)


def _limited(limits: SignInLimits, user_id: str) -> None:
    limits.guesses.check(user_id, "factor", known_device=True)
