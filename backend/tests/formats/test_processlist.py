import pytest

from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("processlist"), ids=lambda path: path.stem)
def test_processlist(path, check_sample):
    check_sample(path)
