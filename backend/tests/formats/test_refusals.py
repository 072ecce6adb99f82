"""Files that a parser refuses as a whole: what is missing, in a sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.logs import query_digest
from pileup.formats.logs.parts import query_digest_json
from pileup.formats.metrics import metric_csv
from pileup.formats.reading import archive
from pileup.formats.tables import processlist_json
from pileup.records import Item

NO_SESSION = (
    '[{"Id":null,"User":null,"Host":null,"db":null,"Command":null,"Time":null,"State":null,'
    '"Info":null}]'
)


@pytest.mark.parametrize(
    ("parse", "lines", "words"),
    [
        (metric_csv.parse, ["a,b", "1,2", "3,4"], "There is no column of times"),
        (metric_csv.parse, ["one", "two"], "There is no column of times"),
        (
            metric_csv.parse,
            ["time,a", *["2026-11-20 22:19:00,1"] * 7, *["note,1"] * 4],
            "There is no column of times",
        ),
        (processlist_json.parse, [NO_SESSION], "No session was found: expected the rows"),
    ],
)
def test_tables(
    parse: Callable[[Iterable[str]], Iterable[Item]], lines: list[str], words: str
) -> None:
    with pytest.raises(FormatError, match=words):
        list(parse(lines))


def test_a_digest_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_digest_json, "_MOST", 20)
    with pytest.raises(FormatError, match="The digest is larger than 0 MiB; limit it"):
        list(query_digest.parse(['{"classes": [', " " * 10, "]}"]))


def test_a_member_whose_header_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("dump.txt", "content")
        made.writestr("list.txt", "content")
    content = path.read_bytes()
    second = content.index(b"PK\x03\x04", 4)
    path.write_bytes(content[:second] + b"PK\x00\x00" + content[second + 4 :])
    members = archive.members(path)
    assert next(members).open().read() == b"content"
    damaged = next(members)
    with pytest.raises(archive.ArchiveError, match=r"list\.txt cannot be read"):
        damaged.open()
