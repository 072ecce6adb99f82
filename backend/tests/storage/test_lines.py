"""Raw lines by number, in whatever encoding, without reading what lies before."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.formats.driver import parse_stream
from pileup.storage.lines import CUT, LineReader, index_lines

TEXT = "\n".join(f"line {number} é" for number in range(1, 1001))


def reader(path: Path, content: bytes) -> LineReader:
    path.write_bytes(content)
    return LineReader(path, *index_lines(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_pages(tmp_path: Path, encoding: str, ending: str) -> None:
    """Any page, in the file's own encoding."""
    lines = reader(tmp_path / "x", TEXT.replace("\n", ending).encode(encoding))
    assert lines.total_lines == 1000
    assert lines.page(1, 2).lines == ["line 1 é", "line 2 é"]
    assert lines.page(256, 2).lines == ["line 256 é", "line 257 é"]
    assert lines.page(999, 100).lines == ["line 999 é", "line 1000 é"]
    assert lines.page(1001, 10).lines == []
    assert lines.excerpt(513, 513) == ["line 513 é"]


def test_search(tmp_path: Path) -> None:
    """Case does not matter; what is beyond the limit is announced."""
    lines = reader(tmp_path / "x", TEXT.encode())
    hits, more = lines.search("LINE 99", 1, 5)
    assert [number for number, _ in hits] == [99, 990, 991, 992, 993]
    assert more
    assert lines.search("line 99", 995, 10)[0][0][0] == 995


def test_giant_lines_are_cut(tmp_path: Path) -> None:
    """Three megabytes in one line stay one line; the page says that it is cut."""
    lines = reader(tmp_path / "x", b"a\n" + b"x" * 3_000_000 + b"\nb\n")
    page = lines.page(1, 10)
    assert lines.total_lines == 3
    assert [len(line) for line in page.lines] == [1, CUT, 1]
    assert page.cut == [2]


@given(st.binary(max_size=3000))
def test_numbers_agree_with_the_parsers(content: bytes) -> None:
    """Whatever the bytes: a parser's line number is the viewer's."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x"
        path.write_bytes(content)
        parsed = parse_stream(io.BytesIO(content))
        index, total = index_lines(path)
        assert total == parsed.receipt.lines
        assert (index if total else []) == parsed.line_index
        assert len(LineReader(path, parsed.line_index, total).page(1, 5000).lines) == total
