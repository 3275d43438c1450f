"""Numbers and strings as Haskell's JSON has them."""

from __future__ import annotations

import re
import struct
import unicodedata
from typing import Optional, Tuple

from ._decimal import digits_of

__all__ = ["date", "decimal", "floating", "fraction", "printable", "quoted", "whole"]

_LARGEST = 1 << 4096

_USUAL = re.compile(r'[ !#-\[\]-~]*\Z')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_NOT_PRINTABLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def quoted(text: str) -> str:
    """A string. Whatever is not printable is escaped, so it is safe to show on a terminal.

    >>> quoted('a"\\u2028ä')
    '"a\\\\"\\\\u2028ä"'
    """
    if _USUAL.match(text):
        return f'"{text}"'
    return '"' + "".join(map(_escaped, text)) + '"'


def printable(text: str) -> str:
    """A text in which what is not printable is escaped as in a string.

    >>> print(printable(chr(0x2028)))
    \\u2028
    """
    return text if text.isascii() else "".join(c if c < "\x7f" else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    if c < "\x7f":
        return _ESCAPES.get(c) or (c if c >= " " else f"\\u{ord(c):04x}")
    if unicodedata.category(c) not in _NOT_PRINTABLE:
        return c
    n = ord(c) - 0x10000
    if n < 0:
        return f"\\u{ord(c):04x}"
    return f"\\u{0xD800 + (n >> 10):04x}\\u{0xDC00 + (n & 0x3FF):04x}"


def whole(n: int) -> str:
    """A whole number: a number in decimal, or in hexadecimal (a string) if that takes less than linear time.

    >>> whole(-12), whole(1 << 4096)[:8]
    ('-12', '"0x00000')
    """
    return digits_of(n) if abs(n) < _LARGEST else f'"{_digits(n)}"'


def fraction(n: int, d: int) -> str:
    """A fraction, as a string.

    >>> fraction(-3, 4)
    '"-3/4"'
    """
    return f'"{_digits(n)}/{_digits(d)}"'


def _digits(n: int) -> str:
    if abs(n) < _LARGEST:
        return digits_of(n)
    width = 64
    while abs(n) >> width:
        width *= 2
    return f"{'-' if n < 0 else ''}0x{abs(n):0{width // 4}x}"


def decimal(n: int, units: int) -> Optional[str]:
    """A number of units, given how many make 1, if that is a power of 10 and the number is not large.

    >>> decimal(-1234, 100), decimal(5, 1), decimal(5, 3)
    ('-12.34', '5', None)
    """
    if abs(n) >= _LARGEST:
        return None
    places = len(str(units)) - 1 if 0 < units < 10**40 else -1
    if places < 0 or places > 39 or units != 10**places:
        return None
    if places == 0:
        return digits_of(n)
    q, r = divmod(abs(n), units)
    return f"{'-' if n < 0 else ''}{digits_of(q)}.{r:0{places}d}"


def date(days: int) -> Optional[str]:
    """A Modified Julian Day, if its year has at most 6 digits.

    >>> date(60369), date(-678942), date(10**9)
    ('2024-02-29', '-0001-12-31', None)
    """
    if abs(days) >= 300_000_000:
        return None
    # Days since 0000-03-01, in eras of 400 years.
    n = days + 678_881
    era, day = divmod(n, 146_097)
    year = (day - day // 1460 + day // 36524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day = day - (153 * month + 2) // 5 + 1
    month = month + 3 if month < 10 else month - 9
    year = year + 400 * era + (month <= 2)
    return f"{'-' if year < 0 else ''}{abs(year):04d}-{month:02d}-{day:02d}"


def floating(x: float, single: bool) -> str:
    """A floating-point number as Haskell's ``show`` writes it: with an exponent below 0.1 and from 10^7 on.

    >>> floating(0.1, True), floating(1e7, False), floating(-0.025, False), floating(float("inf"), True)
    ('0.1', '1.0e7', '-2.5e-2', '"Infinity"')
    """
    if not single and 0.1 <= abs(x) < 1e7:
        # Where it has few digits, or 26 bits after the point and more, no other decimal is as short and
        # as close, and none is an end of the interval.
        text = repr(x)
        if len(text) <= 16 or x * 33554432.0 % 1.0:
            return text
    if x != x:
        return '"NaN"'
    if x in (float("inf"), float("-inf")):
        return '"Infinity"' if x > 0 else '"-Infinity"'
    sign = "-" if struct.pack(">d", x)[0] >= 128 else ""
    if x == 0:
        return sign + "0.0"
    digits, exponent = _shortest(abs(x), single)
    # The number is 0.DIGITS times ten to the exponent.
    exponent += len(digits)
    digits = digits.rstrip("0")
    if 0 < exponent <= 7:
        digits = digits.ljust(exponent, "0")
        return f"{sign}{digits[:exponent]}.{digits[exponent:] or '0'}"
    if exponent == 0:
        return f"{sign}0.{digits}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}e{exponent - 1}"


def _shortest(x: float, single: bool) -> Tuple[str, int]:
    """The decimal with the fewest digits that rounds to a positive number, and is no end of its interval.

    Of several, it is the closest one, and of two that are equally close, the greater one. (Python's
    ``repr`` decides otherwise about ends and about such pairs.)

    >>> _shortest(1e23, False)
    ('9999999999999999', 7)
    """
    if x < 9e15 and x == int(x):
        if not single or x < 1 << 24:
            return str(int(x)), 0
    if single:
        (bits,) = struct.unpack("<I", struct.pack("<f", x))
        c, q = bits & 0x7FFFFF, max(bits >> 23, 1) - 150
        hidden, least = 1 << 23, 1 - 150
    else:
        (bits,) = struct.unpack("<Q", struct.pack("<d", x))
        c, q = bits & (1 << 52) - 1, max(bits >> 52, 1) - 1075
        hidden, least = 1 << 52, 1 - 1075
    narrow = c == 0 and q > least
    if bits >= hidden:
        c += hidden
    # The ends of the interval and the number, in quarters of the last bit.
    low, value, high = 4 * c - (1 if narrow else 2), 4 * c, 4 * c + 2
    k = int((q + 1) * 0.30103) + 1
    while True:
        up, down = max(0, q - 2), max(0, 2 - q)
        scale, unit = (1, 10**k << down) if k >= 0 else (10**-k, 1 << down)
        scale <<= up
        n = value * scale // unit
        near = [m for m in (n + 1, n) if low * scale < m * unit < high * scale]
        if near:
            exact: int = value * scale
            return str(min(near, key=lambda m: int(abs(m * unit - exact)))), k
        k -= 1
