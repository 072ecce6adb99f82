"""`pileup key`: the public key that signs the releases and bundles of this installation."""

from __future__ import annotations

import click

from pileup.cli.sentences import sentences
from pileup.settings import Settings


@click.command()
@click.option("--replace", is_flag=True, help="The key was stolen: make another one.")
@sentences
def command(replace: bool) -> None:
    """Print the public key of this installation and its fingerprint; make the key if there is none.

    Give it to whoever verifies your bundles: `pileup verify BUNDLE --key FINGERPRINT`.
    """
    from pileup.runtime.backup import database_of
    from pileup.runtime.schema import need_schema
    from pileup.storage.audit import Actor
    from pileup.storage.database import Database
    from pileup.storage.encryption import Keys
    from pileup.storage.signing import open_signer, replace_key

    settings = Settings()
    with database_of(settings) as url:
        need_schema(url)
        database = Database(url, pool_size=2, keys=Keys.of(settings))
        try:
            with database.unit() as unit:
                by = Actor(None, "pileup key")
                signer = replace_key(unit, by) if replace else open_signer(unit)
        finally:
            database.close()
    click.echo(f"fingerprint  {signer.fingerprint}")
    click.echo(f"public key   {signer.key}")
