"""`pileup compare`: two captures beside each other, with no server and no database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pileup.analysis.compare import Side

_PARTS = ("whole", "stall", "baseline")
_SHOWN = 25
_PATH = click.Path(exists=True, path_type=Path)


@click.command(name="compare")
@click.argument("first", type=_PATH)
@click.argument("second", type=_PATH)
@click.option(
    "--part",
    type=click.Choice(_PARTS),
    default="stall",
    show_default=True,
    help="Which part of each capture; everything where it has no such part.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def command(first: Path, second: Path, part: str, as_json: bool) -> None:
    """What differs between two captures: bundles, runs of an experiment, hosts."""
    from pileup.analysis.compare import compare
    from pileup.analysis.contract import encode
    from pileup.report.comparison import text

    document = compare(_side(first, part), _side(second, part))
    if as_json:
        click.echo(encode(document))
    else:
        click.echo(text(document, _SHOWN), nl=False)


def _side(path: Path, part: str) -> Side:
    from pileup.analysis import gather, main_stall, stalls
    from pileup.analysis.compare import Side
    from pileup.analysis.series import values
    from pileup.cli.captures import Captures

    captures = Captures()
    captures.read([path])
    for line in captures.left_out:
        click.echo(f"left out: {line}", err=True)
    evidence = gather(captures.artifacts)
    stall = main_stall(stalls.find(evidence, values(evidence.frame("sample"))))
    if part == "whole" or stall is None:
        return Side(str(path), evidence)
    span = stall.span if part == "stall" else stall.baseline
    return Side(str(path) if span is None else f"{path}, {part}", evidence, span)
