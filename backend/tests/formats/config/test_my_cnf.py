import pytest

from tests.formats.checks import samples


@pytest.mark.parametrize(
    "path", [*samples("my-cnf"), *samples("pt-summary")], ids=lambda path: path.stem
)
def test_my_cnf(path, check_sample):
    check_sample(path)
