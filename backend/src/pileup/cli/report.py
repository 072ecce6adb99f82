"""`pileup report`: the report of an incident as a file, fetched from a server."""

from __future__ import annotations

from pathlib import Path

import click

from pileup.cli.download import download, parse_incident_id


@click.command()
@click.argument("incident")
@click.option("--to", "server", required=True, envvar="PILEUP_URL", help="Address of the server.")
@click.option(
    "--token", required=True, envvar="PILEUP_TOKEN", help="API token (permission read is enough)."
)
@click.option(
    "--format",
    "as_",
    type=click.Choice(["pdf", "html", "docx", "md"]),
    default="pdf",
    show_default=True,
)
@click.option(
    "--redact",
    default="",
    metavar="PROFILE",
    help="Replace by tokens the kinds of this redaction profile, or: sql,hosts,users,addresses.",
)
@click.option("--zone", default="UTC", show_default=True, help="Times in this zone.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--release", help="Id of a release; the current draft otherwise.")
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
    incident_id = parse_incident_id(incident)
    target = output or Path(f"{incident_id}.{as_}")
    names = {"format": as_, "redact": redact, "zone": zone, "paper": paper}
    if release:
        names["release"] = release
    path = f"/incidents/{incident_id}/report/export"
    download(server, token, path, target, params=names, timeout_s=180)
