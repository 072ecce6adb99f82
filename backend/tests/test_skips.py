"""A test that is left out for a reason nobody foresaw fails the run."""

from __future__ import annotations

import pytest

from tests.support.skips import Skips

pytest_plugins = ["pytester"]


@pytest.mark.parametrize(
    ("reason", "exit_code"),
    [
        ("no folder of corpus: set PILEUP_CORPUS to one", pytest.ExitCode.OK),
        ("fails on Tuesdays", pytest.ExitCode.TESTS_FAILED),
    ],
)
@pytest.mark.parametrize("how", ["test", "module"])
def test_a_skip_without_a_known_reason_fails_the_run(
    pytester: pytest.Pytester, reason: str, how: str, exit_code: pytest.ExitCode
) -> None:
    if how == "test":
        source = f"import pytest\ndef test_it():\n    pytest.skip({reason!r})\n"
    else:
        source = f"import pytest\npytest.skip({reason!r}, allow_module_level=True)\n"
    pytester.makepyfile(source + "\n\ndef test_other():\n    pass\n" * (how == "test"))
    skips = Skips()
    done = pytester.inline_run("-q", plugins=[skips])
    expected = pytest.ExitCode.NO_TESTS_COLLECTED if how == "module" else exit_code
    assert done.ret == expected
    assert bool(skips.unforeseen) == (exit_code != pytest.ExitCode.OK)


@pytest.mark.parametrize("fails", [True, False])
def test_a_test_that_is_expected_to_fail_fails_the_run(
    pytester: pytest.Pytester, fails: bool
) -> None:
    pytester.makepyfile(
        f"import pytest\n\n@pytest.mark.xfail\ndef test_it():\n    assert not {fails}\n"
    )
    skips = Skips()
    assert pytester.inline_run("-q", plugins=[skips]).ret == pytest.ExitCode.TESTS_FAILED
    assert [line.rpartition(": ")[2] for line in skips.unforeseen] == ["expected to fail"]
