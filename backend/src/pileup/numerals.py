"""How numbers read in sentences, as the screens set them (frontend/src/format.ts): thousands apart
by a thin space, from five digits on; never by a comma, which is a decimal point to many.
"""

from decimal import ROUND_HALF_UP, Decimal, localcontext

_THIN = "\u2009"


def grouped(value: float, digits: int = 0) -> str:
    """'1234', '12 345', '12 345.6': so many digits after the point; 626.5 is 627, as on screens."""
    with localcontext(rounding=ROUND_HALF_UP):
        text = f"{Decimal(value):,.{digits}f}"
    whole = text.lstrip("-").partition(".")[0]
    return text.replace(",", _THIN if len(whole) > len("1,234") else "")


def number(value: float) -> str:
    """A measured value: whole from a hundred on, below it with three significant digits."""
    if abs(value) >= 1e15:
        return f"{value:.3g}"
    return grouped(value) if abs(value) >= 100 else f"{value:.3g}"
