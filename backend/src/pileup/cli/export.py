"""`pileup export`: one archive with an incident's artifacts, people's work and report."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
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
    "--redact",
    default="",
    metavar="PROFILE",
    help="Replace by tokens the kinds of this redaction profile, or: sql,hosts,users,addresses. "
    "Such a bundle has no artifacts and cannot be imported.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the bundle here; INCIDENT.pileup.zip otherwise.",
)
def command(incident: str, server: str, token: str, redact: str, output: Path | None) -> None:
    """Fetch INCIDENT (its id, or its address) as a bundle: `pileup import` gives it back."""
    incident_id = parse_incident_id(incident)
    target = output or Path(f"{incident_id}.pileup.zip")
    if target.exists():
        raise click.ClickException(f"{target} exists already; name another file with -o.")
    download(
        server,
        token,
        f"/incidents/{incident_id}/bundle",
        target,
        params={"redact": redact},
        timeout_s=600,
    )
    for line in _removed(target):
        click.echo(line)


def _removed(bundle: Path) -> Iterator[str]:
    """Yield what the bundle says was removed from it."""
    with zipfile.ZipFile(bundle) as archive:
        removed = json.loads(archive.read("manifest.json")).get("removed") or {}
    for file in removed.get("files", ()):
        many = file["passwords"]
        counted = f", {many} {'password' if many == 1 else 'passwords'}" if many else ""
        yield f"  {file['path']}: {file['what']}{counted}"
    for number in removed.get("releases", ()):
        yield f"  release {number}: left out"
