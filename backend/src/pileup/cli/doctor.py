"""`pileup doctor`: check the installation's parts, and print the remedy for each problem."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from pileup import __version__
from pileup.cli.sentences import sentences
from pileup.numerals import grouped
from pileup.runtime.doctor import NAMES, examine, examined_at, find_orphans
from pileup.runtime.instance import resolve
from pileup.settings import Settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--only", type=click.Choice(NAMES), multiple=True, help="Check this part only.")
@click.option("--orphans", is_flag=True, help="List stored files that nothing refers to.")
@sentences
def command(as_json: bool, only: tuple[str, ...], orphans: bool) -> None:
    """Check the database, schema, broker, worker, blob store and disk.

    With --orphans, list stored files that nothing refers to and that did not change for an hour:
    a worker removes them within the next hour.
    """
    settings = resolve(Settings())
    if orphans:
        _list_orphans(settings, as_json)
        return
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


def _list_orphans(settings: Settings, as_json: bool) -> None:
    found = find_orphans(settings)
    if as_json:
        click.echo(json.dumps([asdict(orphan) for orphan in found], indent=2))
        return
    for orphan in found:
        click.echo(f"{orphan.kind:<7} {orphan.name}")
    click.echo(f"{grouped(len(found))} stored files that nothing refers to")
