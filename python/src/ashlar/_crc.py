"""CRC-32C (RFC 3720), in Python alone, at some hundred megabytes in a second.

A byte at a time takes a second for 20 megabytes. So the message is taken as one large number: a
polynomial over the field of two elements, whose first bit has the highest degree. The polynomial of
the checksum divides ``x^6777 + x^484 + x^100 + 1``, and so the 2^k-th power of that, in which all degrees
are multiplied by 2^k. That replaces the highest bits by three shifted copies of them. A few such
steps leave some hundred bytes.
"""

from __future__ import annotations

from typing import List

__all__ = ["crc32c"]

_A, _B, _C = 6777, 484, 100

#: Shorter messages are read byte by byte.
_SHORT = 1 << 10

# Larger numbers leave the processor's caches.
_CHUNK = 1 << 15


def _table() -> List[int]:
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


_TABLE = _table()


def crc32c(data: bytes) -> int:
    """The checksum of some bytes.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    crc = 0xFFFFFFFF
    for at in range(0, len(data), _CHUNK):
        chunk = data[at : at + _CHUNK]
        crc = _bytewise(crc, chunk) if len(chunk) < _SHORT else _folded(crc, chunk)
    return crc ^ 0xFFFFFFFF


def _folded(crc: int, data: bytes) -> int:
    # Bit 0 has the highest degree.
    m = int.from_bytes(data, "little") ^ crc
    bits = 8 * len(data)
    k = (bits // _A).bit_length()
    while k >= 0:
        a, b, c = _A << k, _B << k, _C << k
        while bits > a + 64:
            # The bits whose degree is a or more, as far as they do not meet their own copies.
            top = min(bits - a, a - b) & ~7
            high = m & (1 << top) - 1
            m = (m ^ high << a - b ^ high << a - c ^ high << a) >> top
            bits -= top
        k -= 1
    return _bytewise(0, m.to_bytes(bits // 8, "little"))


def _bytewise(crc: int, data: bytes) -> int:
    table = _TABLE
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc
