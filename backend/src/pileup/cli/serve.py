"""`pileup serve`: the API and the UI alone, for a served installation."""

from __future__ import annotations

import os

import click

from pileup.cli.sentences import sentences
from pileup.runtime import commands
from pileup.runtime.home import prepare
from pileup.runtime.instance import need_database, resolve
from pileup.runtime.schema import need_schema
from pileup.runtime.secret_keys import need_key
from pileup.settings import Settings


@click.command()
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=64),
    default=1,
    show_default=True,
    help="Processes that answer requests; about one for each core.",
)
@sentences
def command(workers: int) -> None:
    """Serve on PILEUP_HOST and PILEUP_PORT with PILEUP_DATABASE_URL."""
    settings = resolve(Settings())
    need_schema(need_database(settings))
    prepare(settings.home, min_free_bytes=0)
    need_key(settings)
    words = commands.serve_command(settings, workers)
    environment = commands.child_environment(settings)
    if workers > 1:
        environment |= commands.shared_metrics(settings)
    os.execve(words[0], words, environment)
