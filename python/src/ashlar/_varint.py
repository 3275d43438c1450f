"""Numbers of any size, as bytes."""

from __future__ import annotations

__all__ = ["put_integer", "put_natural", "put_varint"]


def put_varint(n: int) -> bytes:
    """A number that is not negative, in LEB128.

    >>> put_varint(300).hex()
    'ac02'
    """
    if n < 128:
        return bytes((n,))
    if n < 16384:
        return bytes((n & 127 | 128, n >> 7))
    if n < 2097152:
        return bytes((n & 127 | 128, n >> 7 & 127 | 128, n >> 14))
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def put_integer(n: int) -> bytes:
    """An ``Integer``: a header, and the magnitude.

    >>> put_integer(-256).hex(), put_integer(0).hex()
    ('050001', '00')
    """
    m = abs(n)
    size = (m.bit_length() + 7) >> 3
    return put_varint(2 * size + (n < 0)) + m.to_bytes(size, "little")


def put_natural(n: int) -> bytes:
    """A ``Natural``: the number of bytes, and these.

    >>> put_natural(256).hex()
    '020001'
    """
    size = (n.bit_length() + 7) >> 3
    return put_varint(size) + n.to_bytes(size, "little")
