"""`pileup doctor`: check the installation's parts, and print the remedy for each problem."""

from __future__ import annotations

import json

import click

from pileup import __version__
from pileup.cli.sentences import sentences
from pileup.runtime.doctor import NAMES, examine, examined_at
from pileup.runtime.instance import resolve
from pileup.settings import Settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--only", type=click.Choice(NAMES), multiple=True, help="Check this part only.")
@sentences
def command(as_json: bool, only: tuple[str, ...]) -> None:
    """Check the database, schema, broker, worker, blob store and disk."""
    settings = resolve(Settings())
    checks = list(examine(settings, only or NAMES))
    well = all(check.ok for check in checks)
    if as_json:
        document = {
            "version": __version__,
            "home": str(settings.home),
            "at": examined_at(),
            "ok": well,
            "checks": [check.as_dict() for check in checks],
        }
        click.echo(json.dumps(document, indent=2))
    else:
        click.echo(f"Pileup {__version__}, data in {settings.home}")
        for check in checks:
            click.echo(f"  {'ok      ' if check.ok else 'NOT WELL'}  {check.name:<11} {check.seen}")
            if not check.ok and check.remedy:
                click.echo(f"            remedy: {check.remedy}")
    if not well:
        raise SystemExit(1)
