import pytest

from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("pmp"), ids=lambda path: path.stem)
def test_pmp(path, check_sample):
    check_sample(path)
