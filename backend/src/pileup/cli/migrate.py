"""`pileup migrate`: bring a served database to the schema of this code."""

from __future__ import annotations

import click

from pileup.cli.sentences import sentences
from pileup.runtime.home import prepare
from pileup.runtime.instance import need_database, resolve
from pileup.runtime.schema import migrate
from pileup.runtime.secret_keys import forget_secrets, protect_secrets
from pileup.settings import Settings


@click.command()
@click.option(
    "--forget-secrets",
    "forget",
    is_flag=True,
    help="The secret key is lost: switch off the second factors and webhooks that need it.",
)
@sentences
def command(forget: bool) -> None:
    """Upgrade the schema of PILEUP_DATABASE_URL, and encrypt its secrets with the newest key.

    `pileup run` does this by itself.
    """
    settings = resolve(Settings())
    migrate(need_database(settings))
    prepare(settings.home, min_free_bytes=0)
    if forget:
        factors, webhooks = forget_secrets(settings)
        click.echo(f"Second factors switched off: {factors}. Webhooks switched off: {webhooks}.")
    protect_secrets(settings)
    click.echo("The schema is up to date.")
