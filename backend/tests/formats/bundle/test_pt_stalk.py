import polars as pl
import pytest

from pileup.formats.reading import pt_stalk_samples
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("pt-stalk-log"), ids=lambda path: path.name)
def test_pt_stalk_log(path, check_sample):
    check_sample(path)


@pytest.mark.parametrize("path", samples("pt-stalk-hostname"), ids=lambda path: path.name)
def test_pt_stalk_hostname(path, check_sample):
    check_sample(path, by_name=True)


@pytest.mark.parametrize(
    "more",
    [
        ["TS 1795213433.682627 2026-11-20T22:23:53", "TS 1795213433.000001"],
        ["TS 1327510177.5 2012-01-25T10:49:37", "TS 1327510177"],
        ["TS 999999999.25 2001-09-09 01:46:39 ", "TS 17952134320.000007890"],
    ],
)
def test_many_stamps_are_read_as_one_by_one(more: list[str]) -> None:
    lines = ["TS 1795213432.682627114 2026-11-20 22:23:52", *more]
    one_by_one = [found[0] for found in map(pt_stalk_samples.read_ts, lines) if found]
    many = pt_stalk_samples.read_ts_lines(pl.Series(lines))
    assert many is not None
    assert many.to_list() == one_by_one
    assert len(one_by_one) == len(lines)
    assert pt_stalk_samples.read_ts_lines(pl.Series([*lines, "TS nothing"])) is None
