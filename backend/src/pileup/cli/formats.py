"""`pileup formats`: the table of formats, for people, for programs and for the documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

import click

from pileup import formats as known

_PLACE = re.compile(r"(?s)(<!-- formats: [^\n]*-->\n).*?(<!-- /formats -->\n)")
_COLUMNS = ("id", "what", "printed by", "gives", "names that hint")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option(
    "--write",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Write the table between the marks of this page instead, as `make docs` does.",
)
def command(as_json: bool, write: Path | None) -> None:
    """Print the supported formats, and the records that each gives."""
    if write is not None:
        page = write.read_text(encoding="utf-8")
        if not _PLACE.search(page):
            raise click.BadParameter(f"{write.name} has no '<!-- formats: ... -->' marks.")
        write.write_text(in_page(page), encoding="utf-8")
    elif as_json:
        click.echo(json.dumps({"formats": rows()}, indent=2))
    else:
        _print()


def rows() -> list[dict[str, object]]:
    """Return one object per format, in sniffing order."""
    return [
        {
            "id": item.NAME,
            "title": item.TITLE,
            "printed_by": item.PRINTED_BY,
            "gives": item.GIVES,
            "hints": list(item.HINTS),
            "version": item.VERSION,
        }
        for item in known.FORMATS
    ]


def in_page(page: str) -> str:
    """Return the page with a new table between its marks."""
    lines = [_line(_COLUMNS), _line("---" for _ in _COLUMNS)]
    for item in known.FORMATS:
        hints = ", ".join(f"`{hint}`" for hint in item.HINTS)
        lines.append(_line((f"`{item.NAME}`", item.TITLE, item.PRINTED_BY, item.GIVES, hints)))
    table = "".join(lines)
    return _PLACE.sub(lambda match: match[1] + table + match[2], page)


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _print() -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("id", no_wrap=True)
    for title in _COLUMNS[1:4]:
        table.add_column(title, overflow="fold")
    for item in known.FORMATS:
        plain = (text.replace("`", "") for text in (item.TITLE, item.PRINTED_BY, item.GIVES))
        table.add_row(item.NAME, *plain)
    Console(markup=False, highlight=False).print(table)
