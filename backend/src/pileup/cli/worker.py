"""`pileup worker`: one Celery worker, for a served installation or next to `pileup run`."""

from __future__ import annotations

import os

import click

from pileup.cli.sentences import sentences
from pileup.runtime import commands
from pileup.runtime.errors import StartError
from pileup.runtime.home import prepare
from pileup.runtime.instance import need_database, resolve
from pileup.runtime.schema import need_schema
from pileup.runtime.secret_keys import need_key
from pileup.settings import Settings


@click.command()
@click.option("--concurrency", type=click.IntRange(min=1), help="Tasks at once (2).")
@sentences
def command(concurrency: int | None) -> None:
    """Run one worker against PILEUP_DATABASE_URL and PILEUP_BROKER_URL."""
    settings = resolve(Settings())
    database_url = need_database(settings)
    if settings.broker_url is None:
        raise StartError(
            "no broker is configured: start `pileup run` on this data folder, or name a served "
            "one in PILEUP_BROKER_URL."
        )
    need_schema(database_url)
    if concurrency is not None:
        settings = settings.model_copy(update={"worker_concurrency": concurrency})
    prepare(settings.home, min_free_bytes=0)
    need_key(settings)
    words = commands.worker_command(settings)
    os.execve(words[0], words, commands.child_environment(settings))
