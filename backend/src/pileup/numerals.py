"""Format numbers for sentences, like the screens (frontend/src/format.ts).

A narrow space, at which no line breaks, separates thousands from five digits on; never a comma,
which is a decimal point to many.
"""

from decimal import ROUND_HALF_UP, Decimal, localcontext

_NARROW = "\u202f"


def grouped(value: float, digits: int = 0) -> str:
    """Format with so many decimals: '1234', '12 345', '12 345.6'; 626.5 is 627, as on screens."""
    with localcontext(rounding=ROUND_HALF_UP):
        text = f"{Decimal(value):,.{digits}f}"
    whole = text.lstrip("-").partition(".")[0]
    return text.replace(",", _NARROW if len(whole) > len("1,234") else "")


def number(value: float) -> str:
    """Format a measured value: whole from a hundred on, below it with three significant digits."""
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    return grouped(value) if abs(value) >= 100 else f"{value:.3g}"
