"""Download one file of an incident, for `pileup export` and `pileup report`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click
import httpx

from pileup.cli.answers import checked
from pileup.numerals import grouped


def parse_incident_id(incident: str) -> str:
    """Return the incident's id, given its id or its address."""
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
    """Write the answer of GET ``path`` (below /api/v1) to ``target``, whole or not at all."""
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
