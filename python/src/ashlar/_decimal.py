"""Whole numbers and their digits, however many these are."""

from __future__ import annotations

import re
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact, localcontext

__all__ = ["digits_of", "int_of_digits"]

# Python refuses to convert more digits at once, because that takes more than linear time.
_AT_ONCE = 4000

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


def digits_of(n: int) -> str:
    """A whole number in decimal.

    >>> digits_of(-10**5000) == "-1" + "0" * 5000
    True
    """
    if n.bit_length() < 3 * _AT_ONCE:
        return str(n)
    with localcontext(_EXACT):
        return f"{_decimal_of(n):f}"


def _decimal_of(n: int) -> Decimal:
    # By halves, as the module decimal multiplies in less than quadratic time, and int does not divide so.
    if n.bit_length() <= 1024:
        return Decimal(n)
    half = n.bit_length() // 2
    high = n >> half
    return _decimal_of(high) * Decimal(2) ** half + _decimal_of(n - (high << half))


def int_of_digits(text: str) -> int:
    """A whole number from its digits.

    Raises :class:`ValueError` if the text is no number.

    >>> int_of_digits("-" + "1" * 5000) == -(10**5000 - 1) // 9
    True
    """
    if len(text) <= _AT_ONCE:
        return int(text)
    if not re.fullmatch(r"-?[0-9]+", text):
        raise ValueError("not a whole number")
    if text[0] == "-":
        return -int_of_digits(text[1:])
    half = len(text) // 2
    power: int = 10**half
    return int_of_digits(text[:-half]) * power + int_of_digits(text[-half:])
