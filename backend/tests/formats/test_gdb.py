import pytest

from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("gdb"), ids=lambda path: path.stem)
def test_gdb(path, check_sample):
    check_sample(path)
