"""`pileup report`: the report of an incident as a file, fetched from a server."""

from __future__ import annotations

import os
from pathlib import Path

import click
import httpx

from pileup.cli.export import why


@click.command()
@click.argument("incident")
@click.option("--to", "server", required=True, envvar="PILEUP_URL", help="Address of the server.")
@click.option(
    "--token", required=True, envvar="PILEUP_TOKEN", help="API token (scope read is enough)."
)
@click.option(
    "--format",
    "as_",
    type=click.Choice(["pdf", "html", "docx", "md"]),
    default="pdf",
    show_default=True,
)
@click.option("--redact", default="", help="Replace by tokens: sql,hosts,users,addresses.")
@click.option("--zone", default="UTC", show_default=True, help="Times in this zone.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--release", help="Id of a release; the draft as it stands otherwise.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report here; INCIDENT.FORMAT otherwise.",
)
def command(
    incident: str,
    server: str,
    token: str,
    as_: str,
    redact: str,
    zone: str,
    paper: str,
    release: str | None,
    output: Path | None,
) -> None:
    """Fetch the report of INCIDENT (its id, or its address) as a file."""
    incident_id = incident.rstrip("/").partition("/incidents/")[2].partition("/")[0] or incident
    target = output or Path(f"{incident_id}.{as_}")
    asked = {"format": as_, "redact": redact, "zone": zone, "paper": paper}
    if release:
        asked["release"] = release
    url = f"{server.rstrip('/')}/api/v1/incidents/{incident_id}/report/export"
    try:
        answer = httpx.get(
            url, params=asked, headers={"Authorization": f"Bearer {token}"}, timeout=180
        )
    except httpx.HTTPError as error:
        raise click.ClickException(f"{server} did not answer: {error}.") from error
    if answer.status_code != 200:
        raise click.ClickException(why(answer))
    draft = target.with_name(target.name + ".part")
    try:
        draft.write_bytes(answer.content)
        os.replace(draft, target)
    except OSError as error:
        raise click.ClickException(f"{target} could not be written: {error.strerror}.") from error
    finally:
        draft.unlink(missing_ok=True)
    click.echo(f"{target}: {len(answer.content):,} bytes")
