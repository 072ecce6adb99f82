"""Route that previews pasted text: what it is, before anything is stored."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from pileup.api.schema import In
from pileup.views.artifacts.pasted import PREVIEW_CHARACTERS, Understood, understand

router = APIRouter(tags=["artifacts"])


class PastedText(In):
    text: str = Field(min_length=1, max_length=PREVIEW_CHARACTERS)
    """The beginning of the text suffices."""


@router.post("/paste/preview")
def preview_paste(body: PastedText) -> Understood:
    """Read pasted text and say what was understood; nothing is stored."""
    return understand(body.text)
