"""Server responses in commands: continue, or end with the server's error message."""

from __future__ import annotations

import click
import httpx


def checked(answer: httpx.Response, ok: tuple[int, ...] = ()) -> httpx.Response:
    """Return the response if it is a success or one of ``ok``; else raise its error message."""
    if answer.is_success or answer.status_code in ok:
        return answer
    answer.read()
    raise click.ClickException(
        f"the server refused ({answer.status_code}): {_error_message(answer)}"
    )


def _error_message(answer: httpx.Response) -> str:
    """Return title and detail of a problem, else the beginning of the text."""
    try:
        problem = answer.json()
        return f"{problem['title']}: {problem['detail']}"
    except (ValueError, KeyError, TypeError):
        return answer.text[:200] or answer.reason_phrase
