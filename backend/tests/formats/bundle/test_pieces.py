"""A text with several code blocks gives what each of them gives by itself."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from pileup.formats.parsed import Parsed
from tests.formats.checks import SAMPLES, assert_sound, parse_bytes, samples
from tests.support.rounds import Rounds

_MOST = 12 * 1024
_EVIDENCE = ("innodb-status", "processlist", "gdb", "pmp", "error-log", "vmstat", "status")
_SMALL = [
    path
    for name in _EVIDENCE
    for path in samples(name)
    if path.stat().st_size < _MOST and path.read_bytes().isascii()
]
_BLOCKS = {
    "Markdown": ("```", "```"),
    "Markdown with a language": ("```sql", "```"),
    "tildes": ("~~~", "~~~"),
    "Jira": ("{noformat}", "{noformat}"),
    "Jira with a language": ("{code:sql}", "{code}"),
    "a forum": ("[code]", "[/code]"),
    "a page": ("<pre><code>", "</code></pre>"),
}
_PROSE = "This is what we saw when it was slow, and then it went away."


def heights(parsed: Parsed) -> Counter[str]:
    """Records by kind, without the server's version, which a text gives once."""
    counted = Counter(parsed.receipt.records)
    if "setting" in parsed.frames:
        names = parsed.frames["setting"]["name"].to_list()
        counted["setting"] -= names.count("version") + names.count("version_comment")
    return +counted


@pytest.mark.parametrize("style", _BLOCKS)
@pytest.mark.dealt(2)
def test_each_block_is_read_by_itself(style: str, rounds: Rounds) -> None:
    opening, closing = _BLOCKS[style]
    for seed in range(rounds.times(4, 40)):
        dice = random.Random(f"{style} {seed} {rounds.turn}")
        chosen = _of_two_formats(dice)
        texts = [path.read_text().replace("\r\n", "\n").strip("\n") for path in chosen]
        blocks = [f"{_PROSE}\n\n{opening}\n{text}\n{closing}\n" for text in texts]
        whole = "\n".join([*blocks, _PROSE, ""])
        parsed = parse_bytes(whole.encode(), "pasted.txt")
        assert_sound(parsed, len(whole.encode()))
        names = [path.name for path in chosen]
        alone = [parse_bytes(text.encode()) for text in texts]
        assert heights(parsed) == sum(map(heights, alone), Counter()), names
        assert parsed.format == "pieces", names
        _same_lines(parsed, whole, alone, texts)


def _of_two_formats(dice: random.Random) -> list[Path]:
    while True:
        chosen = dice.sample(_SMALL, dice.choice((2, 2, 3)))
        if len({path.parent.name for path in chosen}) > 1:
            return chosen


def _same_lines(parsed: Parsed, whole: str, alone: list[Parsed], texts: list[str]) -> None:
    """A record names the line of the text that it was read from."""
    lines = whole.split("\n")
    for kind in ("session", "stack", "semaphore_wait", "event"):
        expected = [
            text.split("\n")[line - 1]
            for item, text in zip(alone, texts, strict=True)
            if kind in item.frames
            for line in item.frames[kind]["line_first"]
        ]
        found = parsed.frames[kind]["line_first"] if kind in parsed.frames else []
        assert [lines[line - 1] for line in found] == expected


def test_blocks_of_one_format_are_read_in_one_go() -> None:
    path = next(path for path in _SMALL if path.parent.name == "processlist")
    text = path.read_text().strip("\n")
    parsed = parse_bytes(f"one\n```\n{text}\n```\nanother\n```\n{text}\n```\n".encode())
    assert parsed.format == "processlist"
    assert (
        parsed.receipt.records["session"]
        == 2 * parse_bytes(text.encode()).receipt.records["session"]
    )


def test_a_statement_may_hold_the_marks_of_blocks() -> None:
    entry = (
        "# Time: 2024-01-01T10:00:0{n}.000000Z\n# User@Host: a[a] @  [10.0.0.1]  Id:     7\n"
        "# Query_time: 2.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 10\n"
        "SET timestamp=170410320{n};\nINSERT INTO posts VALUES ('how to\n```\n"
        " 1 2 3\n| 7 | a | h:1 | d | Query | 1 | init | SELECT 1 |\n```\n');\n"
    )
    text = "".join(entry.format(n=n) for n in range(5))
    parsed = parse_bytes(text.encode(), "slow.log")
    assert (parsed.format, parsed.receipt.records["query"]) == ("slow-log", 5)


def test_prose_between_blocks_stays_text() -> None:
    text = (SAMPLES / "pieces" / "issue-lock-and-stack.md").read_text()
    parsed = parse_bytes(text.encode(), "issue.md")
    lines = text.split("\n")
    prose = [lines.index(line) + 1 for line in lines if line.endswith(("list:", "stack:", "lock?"))]
    for line in prose:
        assert any(part.line_first <= line <= part.line_last for part in parsed.receipt.skipped), (
            line
        )
    assert parsed.frames["setting"].filter(name="version")["value"].to_list() == ["5.7.34"]


@pytest.mark.parametrize("text", ["```\n```\n```\n", "```\nhello\n```\n", "{code}" * 999, "~~~"])
def test_blocks_without_evidence_are_no_pieces(text: str) -> None:
    parsed = parse_bytes(text.encode(), "x.txt")
    assert_sound(parsed, len(text.encode()))
    assert parsed.format != "pieces"


_DUMP = min(
    (path.read_text().strip() for path in _SMALL if path.parent.name == "innodb-status"),
    key=lambda text: (text.count("\nEND OF INNODB MONITOR OUTPUT") != 1, len(text)),
)
_LISTING = (SAMPLES / "processlist" / "mariadb-box-with-tid.txt").read_text().strip("\n")


@pytest.mark.parametrize("prompt", ["mysql> ", "MariaDB [(none)]> ", ""])
def test_dumps_among_the_tables_of_a_client_are_read_with_them(prompt: str, rounds: Rounds) -> None:
    """In any order, as often as they come, each gives what it gives by itself."""
    statements = {
        "show engine innodb status\\G": f"{'*' * 27} 1. row {'*' * 27}\n{_DUMP}",
        "show full processlist;": _LISTING,
    }
    alone = [heights(parse_bytes(text.encode())) for text in (_DUMP, _LISTING)]
    counts = dict(zip(statements, alone, strict=True))
    for seed in range(rounds.times(2, 30)):
        dice = random.Random(f"{seed} {prompt} {rounds.turn}")
        order = [*statements, *dice.choices(list(statements), k=dice.randint(0, 2))]
        dice.shuffle(order)
        text = "\n".join(
            f"{prompt}{name if prompt else ''}\n{statements[name]}\n1 row in set (0.00 sec)\n"
            for name in order
        )
        parsed = parse_bytes(text.encode(), "pasted.txt")
        assert_sound(parsed, len(text.encode()))
        expected = sum((counts[name] for name in order), Counter())
        assert parsed.format == "pieces", order
        for kind in ("snapshot", "session", "semaphore_wait"):
            assert heights(parsed)[kind] == expected[kind], (kind, order)


_TOOLS = {
    "kernel": "[8812034.112] mysqld invoked oom-killer: gfp_mask=0x201da, order=0\n"
    "[8812034.120] Out of memory: Killed process 2911 (mysqld) total-vm:41231232kB\n",
    "error log": "2024-05-05T11:00:20.101Z 0 [System] [MY-010116] [Server] mysqld starting\n"
    "2024-05-05T11:00:29.001Z 0 [System] [MY-010229] [Server] Starting XA crash recovery...\n",
    "vmstat": "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
    + " 2 31 981234  99120   1200  88120 8120 9911  9100 10020 9900 1501  4 12  0 84  0\n"
    * 4,
    "list": "Id\tUser\tHost\tdb\tCommand\tTime\tState\tInfo\n"
    + "11\tapp\th1:99\tdb\tQuery\t31\tupdating\tUPDATE b SET x=1 WHERE id=1\n" * 3,
    "iostat": "Device  r/s  w/s  rkB/s  wkB/s  await  aqu-sz  %util\n"
    + "sda  2210.00  41.00  35360.00  1210.00  48.20  108.12  100.00\n" * 3,
}


@pytest.mark.parametrize(
    "pair",
    [
        ("kernel", "error log"),
        ("vmstat", "list"),
        ("iostat", "list"),
        ("error log", "iostat"),
        ("error log", "list"),
        ("error log", "kernel"),
    ],
    ids="-".join,
)
def test_two_tools_one_after_the_other_are_both_read(pair: tuple[str, str]) -> None:
    """Nothing marks where one ends: what the first format leaves is read as the second."""
    text = "".join(_TOOLS[tool] for tool in pair)
    parsed = parse_bytes(text.encode(), "pasted.txt")
    assert_sound(parsed, len(text.encode()))
    alone = [heights(parse_bytes(_TOOLS[tool].encode())) for tool in pair]
    assert parsed.format == "pieces"
    assert heights(parsed) == sum(alone, Counter())
