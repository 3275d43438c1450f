"""The bytes of headers, blocks and indexes."""

from __future__ import annotations

import struct
from typing import List, NamedTuple, Optional, Tuple

from ._crc import crc32c

__all__ = [
    "BLOCK_BYTES",
    "BlockHeader",
    "FOOTER_BYTES",
    "FileHeader",
    "HEADER_LIMIT",
    "INDEX",
    "MAGIC",
    "MOST",
    "PREFIX_BYTES",
    "RECORDS",
    "SCHEMA",
    "any_block_start",
    "damaged_start",
    "entry_at",
    "entry_count",
    "file_prefix",
    "get_file_header",
    "get_footer",
    "put_block_header",
    "put_file_header",
    "put_index",
]

MAGIC = b"\x89ASHLAR\n"
PREFIX_BYTES = 16
BLOCK_BYTES = 72
FOOTER_BYTES = 32

#: The most bytes that a header may have.
HEADER_LIMIT = 16_777_216

#: The greatest offset or number.
MOST = (1 << 63) - 1

RECORDS, SCHEMA, INDEX = 1, 2, 3

_FIXED_HEADER = 52
_BLOCK = struct.Struct("<8sBBHIIIq16sqqI")
_FOOTER_MAGIC = b"ASHLARIX"


class FileHeader(NamedTuple):
    """The header of a file. The fingerprint is as it stands there: two words of 8 bytes."""

    marker: bytes
    fingerprint: bytes
    compression: bytes
    schema: bytes

    def size(self) -> int:
        """How many bytes it takes."""
        return _FIXED_HEADER + len(self.compression) + len(self.schema)


def put_file_header(h: FileHeader) -> bytes:
    """The bytes of a header."""
    start = b"".join(
        (
            MAGIC,
            struct.pack("<HHI", 1, 0, h.size()),
            h.marker,
            h.fingerprint,
            struct.pack("<I", len(h.compression)),
            h.compression,
            struct.pack("<I", len(h.schema)),
            h.schema,
        )
    )
    return start + struct.pack("<I", crc32c(start))


def file_prefix(data: bytes) -> Tuple[str, int]:
    """What the first bytes of a file say.

    ``prefix`` and the length of the header, ``version`` and a version that is not known, ``short``,
    or ``none`` if no file begins like this.

    >>> file_prefix(MAGIC), file_prefix(b"x"), file_prefix(MAGIC + bytes((1, 0, 0, 0, 58, 0, 0, 0)))
    (('short', 0), ('none', 0), ('prefix', 58))
    """
    if not MAGIC.startswith(data[:8]):
        return ("none", 0)
    if len(data) < PREFIX_BYTES:
        return ("short", 0)
    version, flags, size = struct.unpack_from("<HHI", data, 8)
    return ("version", version) if version != 1 or flags else ("prefix", size)


def get_file_header(data: bytes) -> Optional[FileHeader]:
    """A header from all of its bytes, if its checksum is right and lengths in it fit."""
    if len(data) < _FIXED_HEADER or struct.unpack("<I", data[-4:])[0] != crc32c(data[:-4]):
        return None
    end = len(data) - 4
    (n,) = struct.unpack_from("<I", data, 40)
    if 44 + n + 4 > end:
        return None
    (m,) = struct.unpack_from("<I", data, 44 + n)
    if 48 + n + m != end:
        return None
    return FileHeader(data[16:24], data[24:40], data[44 : 44 + n], data[48 + n : end])


class BlockHeader(NamedTuple):
    """The header before the body of a block."""

    marker: bytes
    kind: int
    compressed: int
    zero: int
    stored: int
    expanded: int
    records: int
    first: int
    fingerprint: bytes
    schema_at: int
    offset: int
    checksum: int

    def next_record(self) -> int:
        """The number of the record that comes after the block."""
        return self.first + self.records

    def end(self, at: int) -> int:
        """The offset after the block, given that of its header."""
        return at + BLOCK_BYTES + self.stored


def put_block_header(b: BlockHeader) -> bytes:
    """The bytes of a block's header."""
    start = _BLOCK.pack(*b)
    return start + struct.pack("<I", crc32c(start))


def any_block_start(data: bytes) -> Optional[BlockHeader]:
    """The header of a block in any file, if its checksum is right and its numbers are possible."""
    if len(data) != BLOCK_BYTES or data[9] > 1 or data[10] or data[11]:
        return None
    if int.from_bytes(data[68:], "little") != crc32c(data[:68]):
        return None
    b = BlockHeader(*_BLOCK.unpack_from(data))
    if b.first < 0 or b.schema_at < 0 or b.first > MOST - (1 << 32):
        return None
    return b


def damaged_start(marker: bytes, at: int, data: bytes) -> Optional[int]:
    """The size of the body, from a header that is damaged elsewhere. The marker or the offset must be right."""
    if len(data) < 64 or data[:8] != marker and int.from_bytes(data[56:64], "little") != at:
        return None
    return int.from_bytes(data[12:16], "little")


def put_index(entries: List[Tuple[int, int]], records: int, at: int) -> bytes:
    """The body of an index block at an offset: the offsets of blocks and their first records."""
    footer = struct.pack("<qq8sI", records, at, _FOOTER_MAGIC, 0)
    body = b"".join(struct.pack("<qq", *entry) for entry in entries)
    return body + footer + struct.pack("<I", crc32c(footer))


def get_footer(data: bytes) -> Optional[Tuple[int, int]]:
    """The number of records and the offset of the index, from the last 32 bytes of a file."""
    if len(data) != FOOTER_BYTES or data[16:24] != _FOOTER_MAGIC:
        return None
    if int.from_bytes(data[28:], "little") != crc32c(data[:28]):
        return None
    records, at = struct.unpack_from("<qq", data)
    return None if records < 0 or at < 0 else (records, at)


def entry_count(body: bytes) -> int:
    """How many entries the body of an index has."""
    return max(0, (len(body) - FOOTER_BYTES) // 16)


def entry_at(body: bytes, i: int) -> Tuple[int, int]:
    """An entry of the body of an index: the offset of a block, and the number of its first record."""
    offset, first = struct.unpack_from("<qq", body, 16 * i)
    return offset, first
