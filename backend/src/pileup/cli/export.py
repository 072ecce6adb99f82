"""`pileup export`: one archive with an incident's artifacts, people's work and report."""

from __future__ import annotations

import os
from pathlib import Path

import click
import httpx


@click.command()
@click.argument("incident")
@click.option("--to", "server", required=True, envvar="PILEUP_URL", help="Address of the server.")
@click.option(
    "--token", required=True, envvar="PILEUP_TOKEN", help="API token (scope read is enough)."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the bundle here; INCIDENT.pileup.zip otherwise.",
)
def command(incident: str, server: str, token: str, output: Path | None) -> None:
    """Fetch INCIDENT (its id, or its address) as a bundle: `pileup import` gives it back."""
    incident_id = incident.rstrip("/").partition("/incidents/")[2].partition("/")[0] or incident
    target = output or Path(f"{incident_id}.pileup.zip")
    if target.exists():
        raise click.ClickException(f"{target} is there already; name another file with -o.")
    draft = target.with_name(target.name + ".part")
    url = f"{server.rstrip('/')}/api/v1/incidents/{incident_id}/bundle"
    try:
        with (
            httpx.stream(
                "GET", url, headers={"Authorization": f"Bearer {token}"}, timeout=600
            ) as answer,
        ):
            if answer.status_code != 200:
                answer.read()
                raise click.ClickException(why(answer))
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
    click.echo(f"{target}: {target.stat().st_size:,} bytes")


def why(answer: httpx.Response) -> str:
    """What the server said was wrong, as a sentence."""
    try:
        told = answer.json()
        return f"{told['title']}: {told['detail']}"
    except (ValueError, KeyError, TypeError):
        return f"the server answered {answer.status_code}"
