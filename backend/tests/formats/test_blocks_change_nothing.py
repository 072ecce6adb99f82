"""A file is read in blocks of some MiB; where one ends must change nothing that is read.

Each committed sample is read in blocks of a few bytes to a few KiB as well, so that their borders
fall into dumps, stacks, rows and characters.
"""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest
from polars.testing import assert_frame_equal

from pileup.formats.reading import blocks
from tests.formats.checks import all_samples, parse_bytes

_SIZES = (700, 4099)
_MOST = 64 * 1024


@pytest.mark.parametrize("path", all_samples(), ids=lambda path: f"{path.parent.name}-{path.name}")
@pytest.mark.dealt(9)
def test_the_size_of_blocks_changes_nothing(path: Path) -> None:
    data = path.read_bytes()[:_MOST]
    whole = parse_bytes(data, path.name, path.parent.name)
    for size in _SIZES:
        with mock.patch.object(blocks, "BLOCK_BYTES", size):
            again = parse_bytes(data, path.name, path.parent.name)
        assert again.receipt == whole.receipt
        assert again.failed == whole.failed
        assert again.problems == whole.problems
        assert again.sections == whole.sections
        assert again.line_index == whole.line_index
        assert again.frames.keys() == whole.frames.keys()
        for kind, frame in whole.frames.items():
            assert_frame_equal(again.frames[kind], frame)
