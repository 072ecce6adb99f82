"""`pileup import`: load incident folders and bundles into this machine's installation.

A folder has ``artifacts/`` and perhaps a ``sample.yaml`` (see pileup.storage.samples); a bundle is
what ``pileup export`` wrote (see pileup.storage.bundle).
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
    "paths",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
)
@sentences
def command(paths: tuple[Path, ...]) -> None:
    """Load incident folders and bundles (.zip), and print where to look.

    A folder whose files were loaded already is not loaded twice; a bundle is a new incident each
    time.
    """
    from pileup.api.incidents.imported_rows import check_row
    from pileup.storage.audit import Actor
    from pileup.storage.database import Database
    from pileup.storage.encryption import Keys
    from pileup.storage.errors import StorageError
    from pileup.storage.lifecycle.bundle import Limits, read_bundle
    from pileup.storage.lifecycle.intake import load_sample
    from pileup.storage.lifecycle.samples import identified, read_sample
    from pileup.storage.signing import open_signer
    from pileup.views.stores import open_stores

    settings = resolve(Settings())
    database = Database(need_database(settings), pool_size=2, keys=Keys.of(settings))
    blobs = open_stores(settings).blobs
    url = settings.public_url or read_instance(settings.home).get("url") or settings.url
    try:
        with database.unit() as unit:
            own_key = open_signer(unit).key
        by = Actor(None, "pileup import")
        for path in paths:
            if path.is_dir():
                sample = read_sample(path.resolve())
                is_ours = sample.folder.parent == settings.samples
                if not is_ours:
                    sample = identified(sample)
                incident = load_sample(database, blobs, sample, by, settings.max_upload_bytes)
                if sample.finished and not is_ours:
                    click.echo(
                        f"Only the evidence of {path} is loaded: the worker records the case of "
                        f"samples in {settings.samples} (PILEUP_SAMPLES_DIR).",
                        err=True,
                    )
            else:
                limits = Limits(settings.max_upload_bytes, settings.max_expanded_bytes)
                with path.open("rb") as bundle:
                    incident = read_bundle(database, blobs, bundle, by, limits, own_key, check_row)
            click.echo(f"{url}/incidents/{incident.id}")
    except StorageError as error:
        raise StartError(str(error)) from error
    finally:
        database.close()
