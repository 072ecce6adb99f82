"""`pileup serve`: the API and the UI alone, for a served installation."""

from __future__ import annotations

import os

import click

from pileup.cli.sentences import sentences
from pileup.runtime import commands
from pileup.runtime.home import prepare
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings


@click.command()
@sentences
def command() -> None:
    """Serve on PILEUP_HOST and PILEUP_PORT with PILEUP_DATABASE_URL and PILEUP_BROKER_URL."""
    settings = resolve(Settings())
    need_database(settings)
    prepare(settings.home, min_free_bytes=0)
    words = commands.serve_command(settings)
    os.execve(words[0], words, commands.child_environment(settings))
