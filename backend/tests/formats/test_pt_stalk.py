import pytest

from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples("pt-stalk-log"), ids=lambda path: path.name)
def test_pt_stalk_log(path, check_sample):
    check_sample(path)


@pytest.mark.parametrize("path", samples("pt-stalk-hostname"), ids=lambda path: path.name)
def test_pt_stalk_hostname(path, check_sample):
    check_sample(path, by_name=True)
