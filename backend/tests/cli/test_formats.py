"""`pileup formats` and docs/reference/formats.md say the same, one row per format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pileup import formats
from pileup.cli.formats import command, in_page
from tests.conftest import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "formats.md"


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_has_every_format_in_sniffing_order() -> None:
    found = json.loads(run("--json"))["formats"]
    assert [item["id"] for item in found] == [known.NAME for known in formats.FORMATS]
    assert found[0].keys() == {"id", "title", "printed_by", "gives", "hints", "version"}


def test_the_table_shows_every_format() -> None:
    shown = run()
    for known in formats.FORMATS:
        assert f"\n{known.NAME} " in shown


def test_the_page_is_what_the_list_says() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for known in formats.FORMATS:
        assert page.count(f"| `{known.NAME}` |") == 1, f"no row for {known.NAME}: run make docs"
    assert in_page(page) == page, "docs/reference/formats.md is not fresh: run make docs"


def test_write_changes_the_table_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "formats.md"
    page.write_text("before\n<!-- formats: x -->\nold\n<!-- /formats -->\nafter\n")
    run("--write", str(page))
    written = page.read_text()
    assert written.startswith("before\n<!-- formats: x -->\n| id |")
    assert written.endswith(" |\n<!-- /formats -->\nafter\n")
    page.write_text("no marks\n")
    refused = CliRunner().invoke(command, ["--write", str(page)])
    assert refused.exit_code == 2
    assert "marks" in refused.output


@pytest.mark.parametrize("item", formats.FORMATS, ids=lambda item: item.NAME)
def test_a_format_says_what_it_is(item: formats.Format) -> None:
    for constant in ("NAME", "TITLE", "GIVES", "PRINTED_BY"):
        text = getattr(item, constant, None)
        assert text, f"{item.__name__} lacks {constant} (see detect.Format)"
        assert "\n" not in text
    assert item.VERSION >= 1
    assert all(hint.strip() for hint in item.HINTS)
    assert item.sniff.__doc__
    assert item.parse.__doc__
