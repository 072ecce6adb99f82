"""pt-query-digest: the same columns from its report and its JSON, times in seconds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pileup.formats.driver import parse_path
from pileup.formats.logs import query_digest
from pileup.formats.logs.parts.query_digest_rows import COLUMNS, quantity
from pileup.records import Table
from tests.formats.checks import SAMPLES, parse_bytes, samples

FOLDER = SAMPLES / "query-digest"


@pytest.mark.parametrize("path", samples("query-digest"), ids=lambda p: p.stem)
def test_sample(path, check_sample):
    check_sample(path)


def tables(name: str) -> list[Table]:
    lines = (FOLDER / name).read_text().split("\n")
    return [item for item in query_digest.parse(lines) if isinstance(item, Table)]


def rows(table: Table) -> list[dict[str, str | None]]:
    assert table.columns == COLUMNS
    return [dict(zip(COLUMNS, row, strict=True)) for row in table.rows]


def test_the_profile_and_the_blocks_of_a_report_are_one_table() -> None:
    digest, overall = tables("3.5-report.txt")
    insert, select, misc = rows(digest)
    assert insert["query_id"] == "0x6C545CFB55365122F1256A27240AEFC7"
    assert (insert["rank"], insert["calls"], insert["response_s"]) == ("1", "1362", "954.0142")
    assert (insert["min_s"], insert["max_s"], insert["lock_s"]) == ("0.502", "120", "0.000205")
    assert (insert["rows_examined"], insert["qps"]) == ("1850", "32.91")
    assert insert["query"] == "INSERT INTO orders (note)\nVALUES ('x')"
    assert insert["hosts"] == "10.0.0.7 (900/66%), 10.0.0.8 (462/33%)"
    assert select["last_seen"] == "2026-11-20 22:23:09"
    assert select["query"] == (
        "select o.id from orders o join customers c on c.id=o.customer where c.name='#1'"
    )
    assert (misc["rank"], misc["item"], misc["min_s"]) == ("MISC", "<1 ITEMS>", None)
    assert overall.rows[0] == ("Exec time", "959s", "502ms", "2m", "699ms", "1s", "207ms", "580ms")


def test_a_second_block_of_a_class_begins_another_report() -> None:
    first, second = tables("2.2-two-reports-old-ids.txt")
    (single,), (two,) = rows(first), rows(second)
    assert (single["calls"], single["users"], single["hosts"]) == ("1", "[SQL_SLAVE]", None)
    assert (two["calls"], two["response_s"], two["min_s"]) == ("2", "0.626", None)


def test_the_json_gives_the_same_columns() -> None:
    (digest,) = tables("3.5-output.json")
    trees, admin = rows(digest)
    assert (trees["item"], trees["response_s"], trees["share_pct"]) == (
        "SELECT trees",
        "1.500000",
        "75.0",
    )
    assert (trees["p95_s"], trees["databases"], trees["hosts"]) == ("0.990000", "food", None)
    assert (admin["rank"], admin["query"]) == ("2", "administrator command: Quit")


def test_a_class_that_somebody_picked_is_a_digest_of_one() -> None:
    whole = json.loads((FOLDER / "3.5-output.json").read_text())["classes"][0]
    parsed = parse_bytes(json.dumps(whole, indent=1).encode(), "pasted.txt")
    (row,) = parsed.frames["table"].to_dicts()[0]["rows"]
    assert parsed.format == "query-digest"
    assert dict(zip(COLUMNS, row, strict=True))["query_id"].endswith(whole["checksum"])


def test_a_cut_json_gives_what_is_whole_or_says_what_to_do() -> None:
    data = (FOLDER / "3.5-output.json").read_bytes()
    parsed = parse_bytes(data[:900], "digest.json")
    assert not parsed.failed
    assert "copy it whole" in parsed.problems[0].message
    whole = parse_bytes(data, "digest.json").frames["table"].to_dicts()[0]
    (table,) = parsed.frames["table"].to_dicts()
    assert len(table["rows"]) < len(whole["rows"])
    parsed = parse_bytes(data[:60], "digest.json", "query-digest")
    assert parsed.failed
    assert "Capture it whole" in parsed.failed


def test_quantities() -> None:
    known = {"0": "0", "12us": "1.2e-05", "3ms": "0.003", "2m": "120", "1.85k": "1850"}
    assert {text: quantity(text) for text in known} == known
    assert [quantity(text) for text in ("x", "1?2", "")] == [None, None, None]


def test_samples_agree_with_a_count_of_query_blocks() -> None:
    assert sum(map(agrees, samples("query-digest"))) >= 2


def test_the_corpus_agrees_with_a_count_of_query_blocks(corpus) -> None:
    """Each '# Query n:' of twenty reports of other people is a row of a table."""
    assert sum(map(agrees, sorted((corpus / "query_digest").glob("*.txt")))) >= 10


def agrees(path: Path) -> bool:
    """Compare a report with a plain count of its blocks; return whether it has any."""
    text = path.read_text(errors="replace")
    if text.startswith(("{", "\n{")) or "# Query 1:" not in text:
        return False
    frame = parse_path(path, name="upload").frames["table"]
    found = sum(len(r["rows"]) for r in frame.to_dicts() if r["name"] == "query digest")
    blocks = sum(line.startswith("# Query ") and "QPS" in line for line in text.split("\n"))
    ranked = sum(
        line.startswith("# ") and " 0x" in line and "%" in line and "QPS" not in line
        for line in text.split("\n")
    )
    assert found >= max(blocks, ranked), path.name
    assert found <= blocks + ranked, path.name
    return True
