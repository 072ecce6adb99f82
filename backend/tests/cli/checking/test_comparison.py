"""What `pileup verify` reads of a bundle, compares, and says of each difference, word by word."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from pileup.cli.checking import comparison
from pileup.cli.checking.bundle import Bundle
from pileup.cli.checking.comparison import Compared
from pileup.cli.checking.typed_values import typed
from tests.cli.checking.bundles import bundle_of, lines, written

MANIFEST = {"artifacts": {"b" * 64: {"path": "b"}, "a" * 64: {"path": "a"}}}
REPORT = {"report/report.md": "# Résumé\n", "report/report.html": "<body>é</body>"}


# ---- reading ---------------------------------------------------------------------------------


def test_a_bundle_is_read_whole(tmp_path: Path) -> None:
    path = written(
        tmp_path / "case.zip",
        {
            "manifest.json": json.dumps(MANIFEST),
            "analysis.json": '{"stalls": [1]}',
            **REPORT,
            "work/pins.jsonl": lines([{"number": 1}, {"number": 2}]),
            "work/empty.jsonl": "",
            "work/notes.txt": "no table",
            "other/pins.jsonl": '{"number": 3}',
        },
    )
    found = Bundle.read(path)
    assert found == Bundle(
        path=path,
        artifacts=["b" * 64, "a" * 64],
        analysis={"stalls": [1]},
        report="# Résumé\n",
        html="<body>é</body>",
        work={"pins": [{"number": 1}, {"number": 2}], "empty": []},
    )
    assert found.rows("pins") == [{"number": 1}, {"number": 2}]
    assert found.rows("releases") == []


def test_a_bundle_may_have_no_analysis(tmp_path: Path) -> None:
    path = written(tmp_path / "case.zip", {"manifest.json": json.dumps(MANIFEST), **REPORT})
    assert Bundle.read(path).analysis is None


@pytest.mark.parametrize(
    "members",
    [
        None,
        {},
        {"manifest.json": "{", **REPORT},
        {"manifest.json": "{}", **REPORT},
        {"manifest.json": "[]", **REPORT},
        {"manifest.json": json.dumps(MANIFEST), "report/report.md": ""},
        {"manifest.json": json.dumps(MANIFEST), **REPORT, "report/report.md": b"\xff"},
        {"manifest.json": json.dumps(MANIFEST), **REPORT, "work/pins.jsonl": "{"},
    ],
)
def test_what_is_no_bundle_is_named(tmp_path: Path, members: dict[str, str] | None) -> None:
    path = tmp_path / "case.zip"
    if members is None:
        path.write_bytes(b"no archive")
    else:
        written(path, members)
    expected = rf"^{re.escape(str(path))} is no bundle of Pileup: .+\.$"
    with pytest.raises(click.ClickException, match=expected):
        Bundle.read(path)


def test_a_bundle_that_is_gone_is_named(tmp_path: Path) -> None:
    with pytest.raises(click.ClickException, match="is no bundle of Pileup"):
        Bundle.read(tmp_path / "nowhere.zip")


# ---- the analysis ----------------------------------------------------------------------------


def test_leaves_of_a_document() -> None:
    """No object, no list and no None; hashes in their order, other lists as they are."""
    document = {
        "engine": {"version": "1"},
        "elapsed_s": 3.0,
        "a": {"engine": "kept", "elapsed_s": 1},
        "list": [3, {"x": None, "y": False}, [], [1]],
        "hashes": ["f" * 64, "0" * 64],
        "words": ["b", "a"],
        "mixed": ["f" * 64, "0" * 63],
        "none": None,
        "empty": "",
    }
    assert list(comparison.leaves(document)) == [
        ("/a/engine", "kept"),
        ("/a/elapsed_s", 1),
        ("/list/0", 3),
        ("/list/1/y", False),
        ("/list/3/0", 1),
        ("/hashes/0", "0" * 64),
        ("/hashes/1", "f" * 64),
        ("/words/0", "b"),
        ("/words/1", "a"),
        ("/mixed/0", "f" * 64),
        ("/mixed/1", "0" * 63),
        ("/empty", ""),
    ]
    assert list(comparison.leaves({"engine": 1}, "levels")) == [("levels/engine", 1)]
    assert list(comparison.leaves(7)) == [("", 7)]
    assert list(comparison.leaves([])) == []


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (1.0, 1.0 + 0.9e-9, True),
        (1.0, 1.0 + 1.1e-9, False),
        (1e9, 1e9 + 1.0, True),
        (1e9, 1e9 + 1.1, False),
        (-1e9, -1e9 - 1.0, True),
        (0.0, 0.0, True),
        (0.0, 1e-12, False),
        (1, 1.0, True),
        (1, 2, False),
        (None, None, True),
        (None, 0, False),
        ("a", "a", True),
        ("a", "b", False),
        ("password=***", "password=*******", True),
        ("password=***", "password=", False),
        (r"pass\*\*x", "pass*x", True),
        ("1.0", 1.0, False),
    ],
)
def test_what_is_equal(old: Any, new: Any, same: bool) -> None:
    assert comparison.equal(old, new) is same
    assert comparison.equal(new, old) is same


def test_a_value_in_a_line() -> None:
    assert comparison.short(None) == "nothing"
    assert comparison.short("a") == "'a'"
    assert comparison.short(1.5) == "1.5"
    assert comparison.short("x" * 98) == "'" + "x" * 98 + "'"
    assert comparison.short("x" * 99) == "'" + "x" * 99


def test_analyses_that_differ() -> None:
    before = bundle_of(analysis={"b": 1, "a": [1, 2], "same": "x", "engine": "old"})
    after = bundle_of(analysis={"b": 2, "a": [1], "same": "x", "engine": "new", "c": "y"})
    assert comparison.analyses(before, before) == Compared(
        "numbers and words of the analysis", [], 4
    )
    assert comparison.analyses(before, after) == Compared(
        "numbers and words of the analysis",
        [
            "/a/1: 2 in the bundle, nothing computed again",
            "/b: 1 in the bundle, 2 computed again",
            "/c: nothing in the bundle, 'y' computed again",
        ],
        4,
    )
    none = bundle_of()
    assert comparison.analyses(none, none) == Compared("numbers and words of the analysis", [], 0)
    assert comparison.analyses(none, after).total == 4  # the larger of both
    disjoint = bundle_of(analysis={"z": 1})
    assert comparison.analyses(disjoint, bundle_of(analysis={"y": 1})).total == 2


# ---- the report ------------------------------------------------------------------------------


ID = "01234567-89ab-7cde-8f01-23456789abcd"
OTHER = "11234567-89ab-7cde-8f01-23456789abcd"


def test_reports_differ_in_lines_and_not_in_ids_servers_and_times() -> None:
    before = f"# T\nWritten: 2026-11-20 22:20 UTC\nhttps://a.b:1/incidents/{ID} {OTHER} {ID}\nold\n"
    before += "\n## Redaction\n\n3 values\n\n## End\nlast\n"
    after = f"# T\nWritten: today\nhttp://c/incidents/{OTHER} {ID} {OTHER}\nnew\nmore\n"
    after += "\n## End\nlast\n"
    assert comparison.reports(before, after) == Compared(
        "lines of the report", ["-old", "+new", "+more"], 7
    )
    assert comparison.reports(before, before) == Compared("lines of the report", [], 7)
    assert comparison.reports("a\n", "") == Compared("lines of the report", ["-a"], 1)
    assert comparison.reports("a", "b").total == 2
    swapped = comparison.reports(f"{ID} {OTHER} {ID}", f"{ID} {OTHER} {OTHER}")
    assert swapped.differing == ["-id-1 id-2 id-1", "+id-1 id-2 id-2"]


def test_ids_are_numbered_as_they_appear() -> None:
    seen: dict[str, str] = {}
    text = f"{OTHER} pin-{'a' * 32} {ID} {OTHER} {'b' * 32}"
    assert comparison.nameless(text, seen) == f"id-1 pin-id-2 id-3 id-1 {'b' * 32}"
    assert comparison.nameless(ID, seen) == "id-3"


def test_pages_differ_below_their_head_and_without_their_script() -> None:
    before = "<head>old</head><body>\n<p>a</p>\n<script>\n1</script>\n<p>**</p>\n</body>"
    after = "<head>new</head><body>\n<p>b</p>\n<script>2\n3</script>\n<p>*</p>\n</body>"
    assert comparison.pages(before, after) == Compared(
        "lines and figures of its HTML", ["-<p>a</p>", "+<p>b</p>"], 5
    )
    written_at = '<body><dt>Written</dt><dd>{}</dd>\n<section id="redaction">{}</section>\n'
    first, other = written_at.format("1", "x\ny"), written_at.format("2", "")
    assert comparison.pages(first, other) == Compared("lines and figures of its HTML", [], 1)


# ---- pins ------------------------------------------------------------------------------------


def pin(number: int | None, title: str, **more: Any) -> dict[str, Any]:
    row = {"title": title, "stale": False, "value": "1", "now_value": None} | more
    return row if number is None else row | {"number": number}


def test_pins_that_changed_their_state_or_value() -> None:
    before = bundle_of(
        pins=[
            pin(1, "true"),
            pin(2, "true, then stale"),
            pin(3, "stale, then true", stale=True, value="5"),
            pin(4, "other value", stale=True, value="6", now_value="7"),
            pin(None, "stale", stale=True, value="8"),
        ]
    )
    after = bundle_of(
        pins=[
            pin(1, "true"),
            pin(2, "true, then stale", stale=True, now_value="2"),
            pin(3, "stale, then true"),
            pin(4, "other value", stale=True, now_value="8"),
            pin(None, "stale", stale=True),
        ]
    )
    unknown = [
        "E3 stale, then true: stale, so what it was pinned with ('5') is from another parse",
        "E4 other value: stale, so what it was pinned with ('6') is from another parse",
        "E? stale: stale, so what it was pinned with ('8') is from another parse",
    ]
    values = "'1' pinned, '2' computed again"
    assert comparison.pins(before, after) == Compared(
        "pins",
        [
            f"E2 true, then stale: was true in the bundle, and is stale now: {values}",
            "E3 stale, then true: was stale in the bundle, and is true now",
            "E4 other value: its new value is '7' in the bundle, '8' computed again",
        ],
        5,
        unknown,
    )
    assert comparison.pins(before, before) == Compared("pins", [], 5, unknown)
    one = bundle_of(pins=[pin(1, "true")])
    assert comparison.pins(one, bundle_of()) == Compared("pins", ["1 pins became 0"], 1, [])
    assert comparison.pins(bundle_of(), one) == Compared("pins", ["0 pins became 1"], 1, [])


def test_quoted_lines_are_in_their_artifacts(tmp_path: Path) -> None:
    sha = "a" * 64
    path = written(
        tmp_path / "case.zip", {f"artifacts/{sha}": b"zero\nfirst\nsecond \xff\nthird\n"}
    )

    def quote(excerpt: str | None, **where: Any) -> dict[str, Any]:
        place = {"artifact": sha, "path": "a.log"} | where
        return {"title": "quote", "locator": place, "excerpt": excerpt}

    bundle = bundle_of(
        path,
        [sha],
        pins=[
            quote("first", line_first=2),
            quote("first\nsecond", line_first=2, line_last=3),
            quote("seco  …", line_first=3),
            quote("second", line_first=2),  # its line is the next
            quote("zero", line_first=2),  # its line is the one before
            quote("… 3 lines more", line_first=1),
            quote("x" * 81, line_first=1),
            quote("nothing", line_first=None),
            quote("nothing", line_first=1, artifact="b" * 64),
            quote(None, line_first=1),
            {"title": "no place", "locator": None, "excerpt": "nothing"},
        ],
    )
    assert comparison.quotes(bundle) == Compared(
        "lines that pins quote, against the raw bytes",
        [
            "quote: a.log does not say 'second'",
            "quote: a.log does not say 'zero'",
            f"quote: a.log does not say '{'x' * 80}'",
        ],
        8,
    )


# ---- what people typed -----------------------------------------------------------------------


def test_typed_numbers_are_counted_where_they_stand() -> None:
    bundle = bundle_of(
        live_texts=[
            {"text": "5 of 1,000.5 at 10\u2009000 [^pin-3] (pin:44)\n::pin{id=7}\n2 v12 x-9"},
            {"text": "3", "edited": True},
            {"text": "4 5 6", "edited": False},
        ],
        experiments=[
            {
                "title": "AHI 1",
                "change": "8 to 16",
                "parameters": {"a": 1, "b": True, "c": [2.5, None, "3 4"]},
                "prediction": {"text": "below 7"},
                "observation": {"value": 3, "text": "9 s"},
                "overruled_because": "12",
            },
            {
                "title": "",
                "change": "",
                "parameters": None,
                "prediction": None,
                "observation": None,
                "overruled_because": None,
            },
        ],
        hypotheses=[{"statement": "1 and 2", "falsifier": "3"}],
        confidence_steps=[{"confidence": 70, "reason": "2 of 3"}],
        ratings=[{"rating": "++"}, {"rating": ""}, {"rating": "-"}],
        annotations=[{"text": "rang 3 times"}],
        action_items=[{"text": "buy 4"}],
        pins=[
            {"title": "7 s", "excerpt": "8 9", "evidence_kind": "testimony"},
            {"title": "x", "excerpt": "8 9", "evidence_kind": "lines"},
        ],
        evidence=[{"note": "6"}, {"note": None}],
    )
    assert typed(bundle) == [
        ("in texts that people wrote or edited: sections of the report, summary, conclusions", 5),
        ("observed by a person at an experiment", 3),
        ("in what an experiment changed and predicted", 8),
        ("in hypotheses and what would refute them", 3),
        ("of confidence, with its reasons", 3),
        ("of rating", 2),
        ("in notes on the timeline", 1),
        ("in action items", 1),
        ("in testimony and titles of pins", 3),
        ("in notes on evidence", 1),
    ]
    assert typed(bundle_of()) == []
    assert typed(bundle_of(evidence=[{"note": "no number"}])) == []
