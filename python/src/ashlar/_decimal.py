"""Whole numbers and their digits, however many these are."""

from __future__ import annotations

import re

__all__ = ["digits_of", "int_of_digits"]

# Python refuses to convert more digits at once, because that takes more than linear time.
_AT_ONCE = 4000


def digits_of(n: int) -> str:
    """A whole number in decimal.

    >>> digits_of(-10**5000) == "-1" + "0" * 5000
    True
    """
    if n < 0:
        return "-" + digits_of(-n)
    if n.bit_length() < 3 * _AT_ONCE:
        return str(n)
    # Halves of half the digits: each is converted alone.
    half = n.bit_length() * 3 // 20
    high, low = divmod(n, 10**half)
    return digits_of(high) + digits_of(low).rjust(half, "0")


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
