import pytest

from pileup.numerals import grouped, number


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (1234, "1234"),
        (9999.4, "9999"),
        (9999.6, "10 000"),
        (12345, "12 345"),
        (-1234567, "-1 234 567"),
    ],
)
def test_thousands_are_set_apart_from_five_digits_on(value: float, shown: str) -> None:
    assert grouped(value).replace("\u202f", " ") == shown


def test_digits_after_the_point() -> None:
    assert grouped(12345.67, 1) == "12\u202f345.7"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.01234, "0.0123"),
        (7, "7"),
        (99.94, "99.9"),
        (100.4, "100"),
        (2270, "2270"),
        (2e16, "2e+16"),
    ],
)
def test_a_measured_value_has_three_digits_or_is_whole(value: float, shown: str) -> None:
    assert number(value) == shown


def test_a_half_goes_away_from_zero_as_on_the_screens() -> None:
    assert [number(value) for value in (626.5, 627.5, -626.5)] == ["627", "628", "-627"]
