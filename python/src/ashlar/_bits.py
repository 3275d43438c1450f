"""The bits of packed values, which stand among bytes.

A reader keeps what is left of the open byte in nine bits: the bits that are left, a 1, and zeros. So
there are none if only the highest one is set. A writer knows where the open byte is, and which bit
of it comes next, as a mask, which is 0 if there is none.
"""

from __future__ import annotations

from typing import Tuple

from . import shapes as s

__all__ = ["NO_BITS", "packed_leaf", "put_symbol", "read_symbol", "refilled"]

#: No byte is open.
NO_BITS = 256


def refilled(byte: int) -> int:
    """The bits of a byte that has been opened."""
    return byte << 1 | 1


def read_symbol(B: bytes, p: int, b: int, count: int) -> Tuple[int, int, int]:
    """One of some symbols, where the bytes go on, and the bits that are left.

    >>> read_symbol(bytes([0b11010000]), 0, NO_BITS, 5)
    (3, 1, 264)
    """
    width = count.bit_length() - 1
    short = (2 << width) - count
    n, p, b = _read_bits(B, p, b, width)
    if n >= short:
        last, p, b = _read_bits(B, p, b, 1)
        n = 2 * n + last - short
    return n, p, b


def _read_bits(B: bytes, p: int, b: int, width: int) -> Tuple[int, int, int]:
    n = 0
    for _ in range(width):
        if b == NO_BITS:
            b = refilled(B[p])
            p += 1
        n = 2 * n + (b >> 8)
        b = b << 1 & 511
    return n, p, b


def put_symbol(out: bytearray, o: int, m: int, count: int, i: int) -> Tuple[int, int]:
    """Write one of some symbols, given the offset of the open byte and the mask. Returns the new ones.

    >>> out = bytearray()
    >>> put_symbol(out, 0, 0, 5, 3), out.hex()
    ((0, 16), 'c0')
    """
    width = count.bit_length() - 1
    short = (2 << width) - count
    if i >= short:
        i += short
        width += 1
    for k in range(width - 1, -1, -1):
        if not m:
            o, m = len(out), 128
            out.append(0)
        if i >> k & 1:
            out[o] |= m
        m >>= 1
    return o, m


def packed_leaf(leaf: s.Leaf) -> s.Leaf:
    """How a leaf is written in a packed value. (A Boolean is a symbol.)

    >>> packed_leaf(s.Leaf("int16")).encoding, packed_leaf(s.Leaf("word8")).encoding
    ('zigzag', '')
    """
    if leaf.type in s.NUMBERS and not leaf.encoding:
        size, low, _ = s.NUMBERS[leaf.type]
        return s.Leaf(leaf.type, "zigzag" if low else "varint") if size > 1 else leaf
    if leaf.type in ("char", "scalarValue"):
        return s.Leaf(leaf.type, "varint")
    if leaf.type in ("bytes", "byteArray", "utf8"):
        return s.Leaf(leaf.type, compact=True)
    return leaf
