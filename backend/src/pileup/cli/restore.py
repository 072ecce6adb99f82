"""`pileup restore`: a backup into an empty installation."""

from __future__ import annotations

from pathlib import Path

import click

from pileup.cli.sentences import sentences
from pileup.numerals import grouped
from pileup.settings import Settings


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--forget-secrets",
    "forget",
    is_flag=True,
    help="The secret key of the backup is lost: switch off its second factors and webhooks.",
)
@sentences
def command(file: Path, forget: bool) -> None:
    """Restore FILE into the empty installation of PILEUP_HOME or PILEUP_DATABASE_URL.

    Stop it first. Users, tokens and links of the backup are valid again. Put the secret key of the
    backup's installation here before: it is not in the backup.
    """
    from pileup.runtime.backup import restore

    number = restore(Settings(), file, forget=forget)
    noun = "incident" if number == 1 else "incidents"
    click.echo(f"Restored {grouped(number)} {noun}; workers analyse them again once they run.")
