"""The option --redact of the commands that need no server."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pileup.report.redaction.redactor import Redactor


def redactor_of(redact: str) -> Redactor:
    """Return a redactor with a key of its own: no other page has its tokens."""
    from pileup.report.redaction.redactor import Redactor  # `--help` responds at once

    kinds = [kind.strip() for kind in redact.split(",") if kind.strip()]
    try:
        return Redactor(kinds, secrets.token_bytes(32))
    except ValueError as error:
        raise click.BadParameter(f"{error}.", param_hint="--redact") from error
