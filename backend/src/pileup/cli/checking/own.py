"""Verify this installation itself: its uploads, and its audit trail."""

from __future__ import annotations

import re

import click

from pileup.numerals import grouped
from pileup.runtime.backup import check_blobs, database_of
from pileup.runtime.schema import need_schema
from pileup.settings import Settings
from pileup.storage.audit_chain import Head, verify_chain
from pileup.storage.database import Database

_HEAD = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")


def verify_installation(head: str | None, *, uploads: bool) -> bool:
    """Print what was found; return whether all is whole.

    head: of the audit trail, as an earlier verification printed it. uploads: read them too.
    """
    known = None if head is None else _read_head(head)
    settings = Settings()
    whole = not uploads or _verify_uploads(settings)
    with database_of(settings) as url:
        need_schema(url)
        database = Database(url, pool_size=1)
        try:
            chain = verify_chain(database, known)
        finally:
            database.close()
    if chain.problem is not None:
        click.echo(f"audit trail: broken after {grouped(chain.head.seq)} entries")
        click.echo(f"    {chain.problem}")
        return False
    click.echo(f"audit trail: {grouped(chain.head.seq)} entries are whole; head {chain.head}")
    return whole


def _verify_uploads(settings: Settings) -> bool:
    found = check_blobs(settings)
    click.echo(f"{grouped(found.blobs)} uploads are whole, {grouped(found.bytes)} bytes")
    for name in found.missing:
        click.echo(f"missing: {name}")
    for name in found.damaged:
        click.echo(f"damaged: {name}")
    return not found.missing and not found.damaged


def _read_head(text: str) -> Head:
    match = _HEAD.fullmatch(text.strip())
    if match is None:
        raise click.UsageError("--head is a number, a colon and 64 hexadecimal digits")
    return Head(int(match[1]), match[2])
