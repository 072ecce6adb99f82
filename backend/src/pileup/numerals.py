"""Format numbers for sentences, like the screens (frontend/src/format.ts).

A narrow space, at which no line breaks, separates thousands from five digits on; never a comma,
which is a decimal point to many. Numbers that a sentence compares are grouped alike.
"""

from decimal import ROUND_HALF_UP, Decimal, localcontext

_NARROW = "\u202f"


def grouped(value: float, digits: int = 0, *, least: int = 5) -> str:
    """Format with so many decimals: '1234', '12 345', '12 345.6'; 626.5 is 627, as on screens.

    least: digits of the whole part from which on thousands are set apart.
    """
    with localcontext(rounding=ROUND_HALF_UP):
        text = f"{Decimal(value):,.{digits}f}"
    whole = text.lstrip("-").partition(".")[0].replace(",", "")
    return text.replace(",", _NARROW if len(whole) >= least else "")


def counted(count: int, noun: str, many: str = "") -> str:
    """Format a count with its noun: '1 stall', '12 stalls', '2 hypotheses'."""
    return f"{grouped(count)} {noun if count == 1 else many or f'{noun}s'}"


def number(value: float, *, least: int = 5) -> str:
    """Format a measured value: whole from a hundred on, below it with three significant digits."""
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    return grouped(value, least=least) if abs(value) >= 100 else f"{value:.3g}"


def numbers(*values: float) -> list[str]:
    """Format values that one sentence compares: '95 008' and '7 670', but '1873' and '5'."""
    largest = max((abs(value) for value in values), default=0.0)
    least = 4 if round(largest) >= 10_000 else 5
    return [number(value, least=least) for value in values]
