"""`pileup backup`: this installation as one file."""

from __future__ import annotations

from pathlib import Path

import click

from pileup.cli.sentences import sentences
from pileup.numerals import grouped
from pileup.settings import Settings


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, writable=True, path_type=Path))
@sentences
def command(file: Path) -> None:
    """Write database and uploads into FILE, a tar; the installation may go on running.

    Not in it: the key of its secrets, secret.key of the data folder. Keep a copy elsewhere.

    Exit code 1 when uploads are missing or damaged: the backup then holds all others.
    """
    from pileup.runtime.backup import back_up
    from pileup.storage.encryption import Keys

    settings = Settings()
    found = back_up(settings, file)
    click.echo(
        f"{file}: the database and {grouped(found.blobs)} uploads, {grouped(found.bytes)} bytes"
    )
    place = Keys.of(settings).place
    click.echo(
        f"Its secrets stay encrypted: keep the key of {place} elsewhere, a restore needs it."
    )
    for what, names in (("missing", found.missing), ("damaged", found.damaged)):
        for name in names:
            click.echo(f"{what}: {name}", err=True)
    if found.missing or found.damaged:
        raise SystemExit(1)
