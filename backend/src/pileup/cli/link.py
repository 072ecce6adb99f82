"""`pileup link`: a new one-time sign-in link, for the first user or a locked-out admin."""

from __future__ import annotations

import click

from pileup.cli.sentences import sentences
from pileup.runtime.home import read_instance
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings


@click.command()
@click.option(
    "--reset-second-factor", is_flag=True, help="Switch off the second factor of the first admin."
)
@sentences
def command(reset_second_factor: bool) -> None:
    """Print a one-time sign-in link of this installation."""
    from pileup.storage.accounts.sign_in_links import create_sign_in_link

    settings = resolve(Settings())
    token = create_sign_in_link(
        need_database(settings), settings.home, reset_second_factor=reset_second_factor
    )
    url = settings.public_url or read_instance(settings.home).get("url") or settings.url
    click.echo(f"{url}/sign-in?link={token}")
