"""Compressed bodies."""

from __future__ import annotations

import zlib
from typing import Union

__all__ = ["NAME", "compress", "expand"]

#: The name of the compression in a file's header.
NAME = b"zlib"


def compress(body: bytes, level: int) -> bytes:
    """Compress a body."""
    return zlib.compress(body, level)


def expand(size: int, body: bytes) -> Union[bytes, str]:
    """Expand a body to this number of bytes, or say why not. It makes no more bytes than one more.

    >>> expand(5, compress(b"brick", 6)), expand(4, compress(b"brick", 6))
    (b'brick', 'it expands to more than 4 bytes')
    """
    machine = zlib.decompressobj()
    try:
        out = machine.decompress(body, size + 1)
        while len(out) <= size and not machine.eof:
            more = machine.decompress(machine.unconsumed_tail, size + 1 - len(out))
            if not more:
                break
            out += more
    except zlib.error as e:
        why = str(e).rpartition(": ")[2]
        return f"Ashlar.Zlib: the compressed input is damaged: {why}"
    if len(out) > size:
        return f"it expands to more than {size} bytes"
    if not machine.eof:
        return "Ashlar.Zlib: the compressed input ends too early"
    if machine.unused_data:
        return "Ashlar.Zlib: bytes follow the compressed input"
    return out
