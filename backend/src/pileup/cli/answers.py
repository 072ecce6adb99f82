"""What a server's answer means to a command: go on, or end with its own words."""

from __future__ import annotations

import click
import httpx


def checked(answer: httpx.Response, ok: tuple[int, ...] = ()) -> httpx.Response:
    """The answer, if it is a success or one of ``ok``; else the command ends with what it says."""
    if answer.is_success or answer.status_code in ok:
        return answer
    answer.read()
    raise click.ClickException(f"the server refused ({answer.status_code}): {_said(answer)}")


def _said(answer: httpx.Response) -> str:
    """Title and detail of a problem, else how the text begins."""
    try:
        told = answer.json()
        return f"{told['title']}: {told['detail']}"
    except (ValueError, KeyError, TypeError):
        return answer.text[:200] or answer.reason_phrase
