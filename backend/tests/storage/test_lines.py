"""Raw lines by number, in whatever encoding, without reading what lies before."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pileup.formats.driver import parse_stream
from pileup.storage.files import raw_lines
from pileup.storage.files.raw_lines import BUDGET, CUT, PAGE, Cut, Hits, LineReader, index_lines

TEXT = "\n".join(f"line {number} é" for number in range(1, 1001))


def reader(path: Path, content: bytes) -> LineReader:
    path.write_bytes(content)
    return LineReader(path, *index_lines(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
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
    """Case does not matter; where to go on beyond the limit is named."""
    lines = reader(tmp_path / "x", TEXT.encode())
    found = lines.search("LINE 99", 1, 5)
    assert [hit.line for hit in found.hits] == [99, 990, 991, 992, 993]
    assert found.resume == 994
    assert lines.search("line 99", 995, 10).hits[0].line == 995
    assert lines.search("line 99", 1000, 10).resume is None
    assert lines.search("line 1", 5000, 10).hits == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\n", "\r"])
def test_search_beyond_ascii(tmp_path: Path, encoding: str, ending: str) -> None:
    """É finds é, in any encoding, with the line's number."""
    lines = reader(tmp_path / "x", TEXT.replace("\n", ending).encode(encoding))
    assert lines.search("LINE 99", 900, 1).hits[0].line == 990
    found = lines.search("7 É", 700, 3)
    assert [(hit.line, hit.text) for hit in found.hits][:2] == [
        (707, "line 707 é"),
        (717, "line 717 é"),
    ]


def test_search_back(tmp_path: Path) -> None:
    """The hit above, over any number of blocks."""
    lines = reader(tmp_path / "x", TEXT.encode())
    assert [hit.line for hit in lines.search_back("line 5", 1000).hits] == [599]
    assert [hit.line for hit in lines.search_back("line 5", 500).hits] == [59]
    assert [hit.line for hit in lines.search_back("line 5", 5).hits] == []
    assert [hit.line for hit in lines.search_back("LINE 1000", 9999).hits] == [1000]


def test_a_search_stops_and_goes_on(tmp_path: Path) -> None:
    """What one search reads is bounded; going on where it stopped finds what is left."""
    lines = reader(tmp_path / "x", b"nothing\n" * 300_000 + b"needle\n")
    found = lines.search("needle", 1, 10, 1_000_000)
    assert found.hits == []
    steps = 0
    while found.resume is not None:
        found = lines.search("needle", found.resume, 10, 1_000_000)
        steps += 1
    assert [hit.line for hit in found.hits] == [300_001]
    assert 1 <= steps <= 4
    assert lines.search_back("nothing at all", 300_001, 1_000_000) == Hits([], None)  # in one step


def test_a_search_backwards_stops_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each time further back, until the last line above that has the text."""
    monkeypatch.setattr(raw_lines, "_BACK", 100_000)
    content = b"".join(b"%s\n" % (b"needle" if at in (5, 9) else b"x" * 99) for at in range(9000))
    lines = reader(tmp_path / "x", content)
    places = [9001]
    found = Hits([], 9001)
    while found.resume is not None:
        found = lines.search_back("needle", found.resume, 200_000)
        places.append(found.resume or 0)
    assert [hit.line for hit in found.hits] == [10]
    assert places == sorted(set(places), reverse=True)
    assert len(places) == 8
    assert [hit.line for hit in lines.search_back("needle", 10).hits] == [6]
    assert [hit.line for hit in lines.search_back("needle", 11).hits] == [10]
    assert lines.search_back("needle", 6) == Hits([], None)
    assert lines.search_back("needle", 1) == Hits([], None)
    assert [hit.line for hit in lines.search_back("needle", 99_999).hits] == [10]


def test_giant_lines_are_cut(tmp_path: Path) -> None:
    """Three megabytes in one line stay one line; the page says that it is cut."""
    lines = reader(tmp_path / "x", b"a\n" + b"x" * 3_000_000 + b"\nb\n")
    page = lines.page(1, 10)
    assert lines.total_lines == 3
    assert [len(line) for line in page.lines] == [1, CUT, 1]
    assert page.cut == [Cut(2, CUT, 3_000_001)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_giant_line_in_pieces(tmp_path: Path, encoding: str) -> None:
    """The pieces put together are the line: no character is split or lost."""
    text = "aé€😀" * 40_000
    lines = reader(tmp_path / "x", ("one\n" * 2000 + f"{text}\r\nthree").encode(encoding))
    got = []
    at = 0
    while (piece := lines.piece(2001, at, 10_001)) is not None:
        assert piece.first == at
        got.append(piece.text)
        at = piece.end
        if at >= piece.bytes:
            break
    assert "".join(got) == text
    assert lines.piece(2002, 0).text == "three"  # type: ignore[union-attr]
    assert lines.piece(2003, 0) is None


def test_a_hit_inside_a_giant_line(tmp_path: Path) -> None:
    """Also where two pieces of it meet; the line is shown once, with the text around."""
    content = b"a\n" + b"x" * 2_097_150 + b"needle" + b"y" * 3_000_000 + b" needle\nlast needle\n"
    lines = reader(tmp_path / "x", content)
    found = lines.search("Needle", 1, 10)
    assert [hit.line for hit in found.hits] == [2, 3]
    assert "xneedley" in found.hits[0].text
    assert len(found.hits[0].text) < 500


def test_a_page_of_long_lines_is_bounded(tmp_path: Path) -> None:
    """Four hundred lines of four thousand characters would not fit a page: each is cut earlier."""
    lines = reader(tmp_path / "x", (b"z" * 3900 + b"\n") * 400)
    page = lines.page(1, 400)
    assert len(page.lines) == len(page.cut) == 400
    assert sum(map(len, page.lines)) <= PAGE


def test_a_large_file_is_read_where_it_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page anywhere in a file of 24 MB reads some blocks of it, whatever lies before."""
    path = tmp_path / "x"
    path.write_bytes(
        b"".join(b"line %9d of a large file %s\n" % (n, b"." * 70) for n in range(240_000))
    )
    index, total = index_lines(path)
    read = 0
    plain = Path.open

    class Counted(io.BufferedReader):
        def read(self, size: int | None = -1, /) -> bytes:
            nonlocal read
            data = super().read(size)
            read += len(data)
            return data

    def counted(self: Path, mode: str = "r", *rest: object) -> io.BufferedReader:
        return Counted(plain(self, "rb", buffering=0))  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", counted)
    lines = LineReader(path, index, total)
    for first in (1, 120_001, 239_900):
        read = 0
        page = lines.page(first, 400)
        assert page.lines[0].startswith(f"line {first - 1:9d} ")
        assert read < 300_000
    read = 0
    lines.search("no such text", 1, 10, BUDGET // 16)
    assert read < BUDGET // 16 + 3_000_000


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
