"""One file of an incident from a server: what `pileup export` and `pileup report` share."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click
import httpx

from pileup.cli.answers import checked
from pileup.numerals import grouped


def incident_id_of(incident: str) -> str:
    """The id, where somebody gave the incident's address."""
    return incident.rstrip("/").partition("/incidents/")[2].partition("/")[0] or incident


def download(
    server: str,
    token: str,
    path: str,
    target: Path,
    *,
    params: Mapping[str, str] | None = None,
    timeout_s: float,
) -> None:
    """Write what GET ``path`` (below /api/v1) answers to ``target``, whole or not at all."""
    draft = target.with_name(target.name + ".part")
    try:
        with httpx.stream(
            "GET",
            f"{server.rstrip('/')}/api/v1{path}",
            params=params,
            headers={"Authorization": f"Bearer {token}"},
            timeout=timeout_s,
        ) as answer:
            checked(answer)
            with draft.open("wb") as file:
                for chunk in answer.iter_bytes(1 << 20):
                    file.write(chunk)
        os.replace(draft, target)
    except httpx.HTTPError as error:
        raise click.ClickException(f"{server} did not answer: {error}.") from error
    except OSError as error:
        raise click.ClickException(f"{target} could not be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"{target}: {grouped(target.stat().st_size)} bytes")
