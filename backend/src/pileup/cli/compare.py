"""`pileup compare`: compare captures, with no server and no database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pileup import process_limits
from pileup.cli import guard
from pileup.cli.plan import Plan
from pileup.cli.redaction import redactor_of

if TYPE_CHECKING:
    from pileup.analysis.compare.sides import Group, Member
    from pileup.analysis.contract import SidesDoc
    from pileup.analysis.evidence.evidence import Evidence
    from pileup.analysis.stalls.detection import Stall
    from pileup.report.redaction.redactor import Redactor

_PARTS = ("whole", "stall", "baseline")
_SHOWN = 25
_PATH = click.Path(exists=True, path_type=Path)


@click.command(name="compare")
@click.argument("paths", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--part",
    type=click.Choice(_PARTS),
    default="stall",
    show_default=True,
    help="Part of each capture to compare; everything where it has no such part.",
)
@click.option(
    "--align",
    type=click.Choice(["onset", "start", "clock"]),
    default="start",
    show_default=True,
    help="Zero of the seconds of --window.",
)
@click.option(
    "--window",
    type=float,
    nargs=2,
    metavar="FROM TO",
    help="Only these seconds of each, around its onset or after its start: --window -60 120.",
)
@click.option(
    "--reference",
    type=click.IntRange(1, 6),
    default=1,
    show_default=True,
    help="Number of the capture that the others are compared with.",
)
@click.option("--all", "everything", is_flag=True, help="Include what does not differ.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "md", "json"]),
    default="text",
    show_default=True,
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option(
    "--redact",
    default="",
    metavar="KINDS",
    help="Replace by tokens: sql,hosts,users,addresses. Passwords always go.",
)
@click.option(guard.OPTION, "without", type=click.Path(dir_okay=False, path_type=Path), hidden=True)
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    part: str,
    align: Any,
    window: tuple[float, float] | None,
    reference: int,
    everything: bool,
    form: str,
    as_json: bool,
    redact: str,
    without: Path | None,
) -> None:
    """Compare two to six captures: bundles, runs of an experiment, hosts.

    Each PATH is a side; the first is the reference, unless --reference names another.
    Separate several runs of one side with commas: before-1,before-2 after-1,after-2.
    """
    from pileup.analysis.compare.sides import MOST_SIDES

    if not 2 <= len(paths) <= MOST_SIDES:
        raise click.UsageError(f"name 2 to {MOST_SIDES} captures; these are {len(paths)}")
    if reference > len(paths):
        raise click.UsageError(f"--reference {reference}: there are {len(paths)} captures")
    redactor = redactor_of(redact)
    sides = [_paths(text) for text in paths]
    if not guard.is_child(context, without):
        context.exit(guard.run("compare", [path for side in sides for path in side]))
    try:
        plan = guard.plan_of(without)
        part = "whole" if window else part
        groups = [_group(*side, part, plan) for side in zip(paths, sides, strict=True)]
        if not plan.reads_only:
            form = "json" if as_json else form
            _learn(groups, redactor)
            document = _compared(groups, align, window, reference)
            _publish(document, redactor, everything=everything, form=form)
    except MemoryError:
        context.exit(process_limits.MEMORY_CODE)


def _learn(groups: list[Group], redactor: Redactor) -> None:
    from pileup.report.redaction.known_records import learn_evidence

    for group in groups:
        for member in group.members:
            learn_evidence(redactor, member.side.evidence)


def _compared(
    groups: list[Group], align: Any, window: tuple[float, float] | None, reference: int
) -> SidesDoc:
    from pileup.analysis.compare.sides import NotAlignedError
    from pileup.analysis.compare.sides_comparison import compare_sides

    try:
        return compare_sides(groups, align, window, reference - 1)
    except NotAlignedError as error:
        raise click.UsageError(str(error)) from None


def _publish(document: SidesDoc, redactor: Redactor, *, everything: bool, form: str) -> None:
    from pileup.analysis.contract import encode
    from pileup.report import comparison
    from pileup.report.redaction.document_redaction import Leak
    from pileup.report.redaction.plain_redaction import redact_plain

    try:
        document = redact_plain(document, redactor)
    except Leak as error:
        raise click.ClickException(str(error)) from error
    if form == "json":
        click.echo(encode(document))
    elif form == "csv":
        click.echo(comparison.as_csv(document, everything=everything), nl=False)
    elif form == "md":
        click.echo(comparison.as_markdown(document, everything=everything), nl=False)
    else:
        click.echo(comparison.text(document, _SHOWN), nl=False)


def _paths(text: str) -> list[Path]:
    """Return the paths of one side; an existing path is one path, whatever commas it has."""
    names = [text] if Path(text).exists() else [name for name in text.split(",") if name]
    if not names:
        raise click.UsageError(f"{text!r} names no capture")
    return [Path(_PATH.convert(name, None, None)) for name in names]


def _group(text: str, paths: list[Path], part: str, plan: Plan) -> Group:
    from pileup.analysis.compare.sides import Group

    members = tuple(_member(path, part, plan) for path in paths)
    label = members[0].side.label if len(members) == 1 else f"{len(members)} runs: {text}"
    return Group(label, members)


def _member(path: Path, part: str, plan: Plan) -> Member:
    from pileup.analysis import isolation, main_stall
    from pileup.analysis.compare.differences import Side
    from pileup.analysis.compare.sides import Member
    from pileup.cli.captures import Captures

    captures = Captures(plan=plan)
    captures.read([path])
    for line in captures.left_out:
        click.echo(f"left out: {line}", err=True)
    names = {artifact.sha256: artifact.path for artifact, _ in captures.artifacts}
    evidence, left_out = isolation.gathered(captures.artifacts, _stalls)
    here = {sha: why for sha, why in plan.without.items() if sha in names}
    for sha, why in (here | left_out).items():
        click.echo(f"{names[sha]}: {why}", err=True)
    stall = main_stall(_stalls(evidence))
    onset = stall.span.start if stall else None
    if part == "whole" or stall is None:
        return Member(Side(str(path), evidence), onset)
    span = stall.span if part == "stall" else stall.baseline
    label = str(path) if span is None else f"{path}, {part}"
    return Member(Side(label, evidence, span), onset)


def _stalls(evidence: Evidence) -> list[Stall]:
    from pileup.analysis.evidence.series import values
    from pileup.analysis.stalls import detection

    return detection.find(evidence, values(evidence.frame("sample")))
