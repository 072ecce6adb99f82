"""`pileup verify`: compute every number of a bundle again from its artifacts.

A fresh installation starts in a temporary folder, like `pileup run`. It imports the bundle, its
worker reads the artifacts, and the results are compared with the bundle: the analysis number by
number, the report line by line, each pin's value and quoted lines, the results of experiments, and
the figures inside releases (``verify_releases``) with their hashes. Values that nothing can compute
are counted and named, never skipped: what people typed (``verify_typed``), and what was finished
before Pileup stored the input for it.

`--all` and `--audit` check this installation itself (``checking.own``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
import httpx

from pileup.cli.checking import experiments, releases
from pileup.cli.checking.bundle import Bundle
from pileup.cli.checking.clean_room import get, installation, put, wait
from pileup.cli.checking.comparison import Compared, analyses, pages, pins, quotes, reports
from pileup.cli.checking.own import verify_installation
from pileup.cli.checking.typed_values import typed
from pileup.cli.sentences import sentences
from pileup.numerals import grouped

_SHOWN = 20


@click.command()
@click.argument(
    "bundle", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--keep-log", is_flag=True, help="Print the installation's output as well.")
@click.option(
    "--all", "everything", is_flag=True, help="Check this installation's uploads and audit trail."
)
@click.option("--audit", is_flag=True, help="Check this installation's audit trail.")
@click.option("--head", help="With --audit or --all: the head that an earlier check printed.")
@sentences
def command(
    bundle: Path | None, keep_log: bool, everything: bool, audit: bool, head: str | None
) -> None:
    """Recompute every number of BUNDLE from its artifacts; exit code 1 if one differs.

    With --all, read every upload of this installation and compare its SHA-256, and verify the
    audit trail: the first entry that was changed, removed, inserted or moved is named.
    """
    _check_use(bundle, everything or audit, head)
    if bundle is None:
        if not verify_installation(head, uploads=everything):
            raise SystemExit(1)
        return
    before = Bundle.read(bundle)
    with tempfile.TemporaryDirectory(prefix="pileup-verify-", ignore_cleanup_errors=True) as home:
        folder = Path(home)
        with installation(folder, keep_log) as client:
            click.echo(f"verify: reading {len(before.artifacts)} artifacts again", err=True)
            hashes = releases.hashes(before)
            changed = bool(hashes.differing)
            incident = put(client, releases.left_out(bundle, folder) if changed else bundle)
            frozen = releases.put_all(client, before, folder)
            wait(client, [incident, *(item.incident for item in frozen if item.incident)])
            after = _again(client, incident, folder)
            compared = [
                Compared(
                    "artifacts, by their SHA-256", _gone(before, after), len(before.artifacts)
                ),
                analyses(before, after),
                reports(before.report, after.report),
                pages(before.html, after.html),
                pins(before, after),
                quotes(before),
                experiments.compared(client, incident, before),
                hashes,
                releases.compared(client, frozen),
            ]
    for item in compared:
        word = "same" if not item.differing else "DIFFERENT"
        _print_result(
            word,
            f"{grouped(item.total - len(item.differing))} of {grouped(item.total)} {item.what}",
            item.differing,
        )
    unknown = [line for item in compared for line in item.unknown]
    if unknown:
        _print_result(
            "not kept", f"{grouped(len(unknown))} that cannot be computed again:", unknown
        )
    rows = typed(before)
    count = sum(many for _, many in rows)
    lines = [f"{grouped(many)} {what}" for what, many in rows]
    _print_result(
        "typed",
        f"{grouped(count)} numbers that people entered, with nothing to compute them from",
        lines,
    )
    if any(item.differing for item in compared):
        raise SystemExit(1)


def _check_use(bundle: Path | None, own: bool, head: str | None) -> None:
    if own == (bundle is not None):
        raise click.UsageError("name a bundle, or use --all or --audit for this installation")
    if head is not None and not own:
        raise click.UsageError("--head is for --audit and --all")


def _again(client: httpx.Client, incident: str, folder: Path) -> Bundle:
    """Return the bundle that the clean room makes of the same incident."""
    path = folder / "again.zip"
    path.write_bytes(get(client, f"/incidents/{incident}/bundle").content)
    return Bundle.read(path)


def _gone(before: Bundle, after: Bundle) -> list[str]:
    there = set(after.artifacts)
    return [f"{artifact} is gone" for artifact in before.artifacts if artifact not in there]


def _print_result(word: str, what: str, lines: Sequence[str]) -> None:
    click.echo(f"{word:9} {what}")
    for line in lines[:_SHOWN]:
        click.echo(f"    {line}")
    if len(lines) > _SHOWN:
        click.echo(f"    and {grouped(len(lines) - _SHOWN)} more")
