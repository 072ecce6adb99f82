"""`pileup migrate`: bring a served database to the schema of this code."""

from __future__ import annotations

import click

from pileup.cli.sentences import sentences
from pileup.runtime.instance import need_database, resolve
from pileup.runtime.schema import migrate
from pileup.settings import Settings


@click.command()
@sentences
def command() -> None:
    """Upgrade the schema of PILEUP_DATABASE_URL. `pileup run` does this by itself."""
    migrate(need_database(resolve(Settings())))
    click.echo("The schema is up to date.")
