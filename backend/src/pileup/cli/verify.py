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
import zipfile
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
from pileup.storage.errors import Refused
from pileup.storage.lifecycle.bundle_signature import MEMBER, check_signature, read_signature

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
@click.option(
    "--key", default="", help="The public key, or its fingerprint, that must have signed BUNDLE."
)
@click.option("--signature", is_flag=True, help="Check the signature of BUNDLE only.")
@click.option("--head", help="With --audit or --all: the head that an earlier check printed.")
@sentences
def command(
    bundle: Path | None,
    keep_log: bool,
    everything: bool,
    audit: bool,
    key: str,
    signature: bool,
    head: str | None,
) -> None:
    """Recompute every number of BUNDLE from its artifacts; exit code 1 if one differs.

    The first line is the signature: ok, changed, signed by another key (than --key), or unsigned,
    which counts as wrong only with --key.

    With --all, read every upload of this installation and compare its SHA-256, and verify the
    audit trail: the first entry that was changed, removed, inserted or moved is named.
    """
    _check_use(bundle, everything or audit, head, signature or bool(key))
    if bundle is None:
        if not verify_installation(head, uploads=everything):
            raise SystemExit(1)
        return
    signed = _print_signature(bundle, key)
    if signature:
        raise SystemExit(0 if signed else 1)
    whole = _recompute(Bundle.read(bundle), key, keep_log=keep_log)
    if not signed or not whole:
        raise SystemExit(1)


def _print_signature(bundle: Path, key: str) -> bool:
    """Print the state of a bundle's signature; return whether it is as it should be."""
    try:
        with zipfile.ZipFile(bundle) as archive:
            state, problem = check_signature(archive, key)
            made = read_signature(archive)
    except (
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        EOFError,
        OSError,
        RuntimeError,
        Refused,
    ) as error:
        raise click.ClickException(f"{bundle} is no bundle of Pileup: {error}.") from error
    by = made.fingerprint if made is not None else ""
    match state:
        case "ok":
            click.echo(f"signature: ok, {'the given key' if key else 'by the key'} {by}")
        case "changed":
            click.echo(f"signature: changed since it was signed: {problem}")
        case "another key":
            click.echo(f"signature: signed by another key, {by}")
        case "unsigned":
            click.echo("signature: unsigned")
    return state == "ok" or (state == "unsigned" and not key)


def _recompute(before: Bundle, key: str, *, keep_log: bool) -> bool:
    """Compute everything again and print the result; return whether all is the same."""
    with tempfile.TemporaryDirectory(prefix="pileup-verify-", ignore_cleanup_errors=True) as home:
        folder = Path(home)
        with installation(folder, keep_log) as client:
            click.echo(f"verify: reading {len(before.artifacts)} artifacts again", err=True)
            hashes = releases.hashes(before)
            signatures = releases.signatures(before, key)
            approvals = releases.approvals(before, key)
            forged = any(item.differing for item in (hashes, signatures, approvals))
            members = {MEMBER, *(releases.MEMBERS if forged else ())}
            incident = put(client, releases.without(before.path, members, folder))
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
                signatures,
                approvals,
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
    return not any(item.differing for item in compared)


def _check_use(bundle: Path | None, own: bool, head: str | None, signed: bool) -> None:
    if own == (bundle is not None):
        raise click.UsageError("name a bundle, or use --all or --audit for this installation")
    if signed and own:
        raise click.UsageError("--key and --signature are for a bundle")
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
