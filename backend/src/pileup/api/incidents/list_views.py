"""Routes for the views of the list of incidents that you keep."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, status
from pydantic import Field, StringConstraints

from pileup.api.auth import Caller, Principal
from pileup.api.deps import UnitDep
from pileup.api.errors import ApiError
from pileup.api.schema import In
from pileup.storage.accounts.list_views import ListView, ListViews
from pileup.storage.database import Unit

own = APIRouter(tags=["incidents"])
router = APIRouter(tags=["incidents"])


class NewListView(In):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
    query: str = Field(max_length=2000, pattern=r"^[!-~]*$")
    """Query of the list's address without '?': 'status=open&sort=peak&down=1'."""


@router.get("/list-views")
def list_views(caller: Caller, unit: UnitDep) -> list[ListView]:
    """List the views that you keep, by name."""
    return ListViews(unit, caller.user.id).all()


@own.put("/list-views")
def keep_list_view(body: NewListView, caller: Caller, unit: UnitDep) -> list[ListView]:
    """Keep a view under a name, in place of the one with this name."""
    return _of(caller, unit).keep(body.name, body.query)


@own.delete("/list-views/{view_id}", status_code=status.HTTP_204_NO_CONTENT)
def drop_list_view(view_id: str, caller: Caller, unit: UnitDep) -> None:
    """Delete a view that you keep."""
    _of(caller, unit).drop(view_id)


def _of(caller: Principal, unit: Unit) -> ListViews:
    """Return the views of a caller who reads the list of incidents."""
    if not caller.is_whole:
        raise ApiError(403, "Not with this token", "this token does not read the list")
    return ListViews(unit, caller.user.id)
