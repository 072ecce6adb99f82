"""`pileup import`: load an incident folder, such as a sample, into this machine's installation.

A folder has ``artifacts/`` and perhaps a ``sample.yaml`` (see pileup.storage.samples).
"""

from __future__ import annotations

from pathlib import Path

import click

from pileup.cli.sentences import sentences
from pileup.runtime.errors import StartError
from pileup.runtime.home import read_instance
from pileup.runtime.instance import need_database, resolve
from pileup.settings import Settings


@click.command()
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@sentences
def command(folders: tuple[Path, ...]) -> None:
    """Load incident folders; one that was loaded already is not loaded twice."""
    from pileup.storage.audit import Actor
    from pileup.storage.blobs import BlobStore
    from pileup.storage.broker import CelerySender, make_celery, send_all
    from pileup.storage.database import Database
    from pileup.storage.errors import StorageError
    from pileup.storage.intake import load_sample
    from pileup.storage.samples import read_sample

    settings = resolve(Settings())
    database = Database(need_database(settings), pool_size=1)
    blobs = BlobStore(settings.blobs_dir, min_free_bytes=settings.min_free_bytes)
    if settings.broker_url is None:
        raise StartError("no broker is known: start `pileup run`, or set PILEUP_BROKER_URL.")
    sender = CelerySender(make_celery(settings.broker_url))
    url = settings.public_url or read_instance(settings.home).get("url") or settings.url
    try:
        for folder in folders:
            incident, jobs = load_sample(
                database,
                blobs,
                read_sample(folder.resolve()),
                Actor(None, "pileup import"),
                settings.max_upload_bytes,
            )
            send_all(database, sender, jobs)
            click.echo(f"{url}/incidents/{incident.id}")
    except StorageError as error:
        raise StartError(str(error)) from error
    finally:
        database.close()
