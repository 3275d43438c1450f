"""How to read a file: its header, its schemas, its compression."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Tuple, Union

from . import _zlib
from . import damage as d
from ._after import without_header
from ._input import Input
from ._layout import BlockHeader, FileHeader, SCHEMA
from ._records import Decode
from ._scan import Position, Scan, header_at, next_block, read_file_header, start_at

__all__ = ["Opened", "Reading", "Schemas", "decode_of", "going_on", "open_file", "open_first", "with_schema"]

#: Given the schema of other records: how to read them, or why not.
Evolved = Callable[[bytes, bytes], Union[Decode, str]]


class Reading(NamedTuple):
    """How to read records. Without a type of its own, each schema says how its records are read."""

    fingerprint: Optional[bytes]
    today: Optional[Decode]
    evolved: Evolved
    resync: Optional[Callable[[d.Lost], Any]] = None
    whole_tail: bool = True
    start: int = 0
    block_limit: int = 67_108_864
    expansion_limit: int = 1100

    def lost(self, lost: d.Lost) -> None:
        """Report what was passed over."""
        if self.resync is not None:
            self.resync(lost)


class Schemas(NamedTuple):
    """The schema that records refer to.

    The offset that it was written at, the offset before which none is looked up, its fingerprint,
    and how to read the records, or what is wrong with it.
    """

    at: int
    passed: int
    fingerprint: bytes
    decode: Union[Decode, d.Cause]


def with_schema(reading: Reading, at: int, end: int, fingerprint: bytes, schema: bytes) -> Schemas:
    """A schema, given the offset that it was written at, and where it ends."""
    if reading.today is not None and fingerprint == reading.fingerprint:
        return Schemas(at, end, fingerprint, reading.today)
    found = reading.evolved(schema, fingerprint)
    return Schemas(at, end, fingerprint, d.wrong_type(found) if isinstance(found, str) else found)


def decode_of(
    reading: Reading, scan: Scan, known: Schemas, here: int, h: BlockHeader
) -> Tuple[Schemas, Union[Decode, d.Cause]]:
    """How to read the records of the block at an offset, and the schema for the blocks after it."""
    if reading.today is not None and h.fingerprint == reading.fingerprint:
        return known, reading.today
    if h.schema_at == known.at and h.fingerprint == known.fingerprint:
        return known, known.decode
    # A schema comes before the block, and in order.
    if h.schema_at >= here or h.schema_at < known.passed:
        return known, d.simple("UnknownSchema")
    end, schema = _header_schema(scan, h) if h.schema_at == 0 else _block_schema(scan, h)
    if schema is None:
        found = Schemas(h.schema_at, end, h.fingerprint, d.simple("UnknownSchema"))
    else:
        found = with_schema(reading, h.schema_at, end, h.fingerprint, schema)
    return found, found.decode


def _header_schema(scan: Scan, h: BlockHeader) -> Tuple[int, Optional[bytes]]:
    header = read_file_header(scan.input, scan.base)
    if isinstance(header, FileHeader) and header.fingerprint == h.fingerprint:
        return header.size(), header.schema
    return 1, None


def _block_schema(scan: Scan, h: BlockHeader) -> Tuple[int, Optional[bytes]]:
    at = h.schema_at
    b = header_at(scan, at)
    if b is None or b.kind != SCHEMA or b.fingerprint != h.fingerprint:
        return at + 1, None
    step = next_block(scan, start_at(at, 0, True))
    return b.end(at), None if step.block is None else step.block.body


class Opened(NamedTuple):
    """A file whose header has been read."""

    scan: Scan
    schemas: Schemas
    compressed: bool
    start: Position
    #: What was wrong with the header, if reading goes on.
    lost: Optional[d.Lost] = None


def open_first(reading: Reading, input: Input) -> Opened:
    """Read the header of the first file. Raises :class:`ashlar.Damage` if it cannot be read."""
    header = read_file_header(input, 0)
    limit = reading.block_limit
    if isinstance(header, FileHeader):
        scan = Scan(input, 0, header.marker, limit, header=header)
        opened = open_file(reading, scan, start_at(header.size(), 0))
        if isinstance(opened, d.Cause):
            raise d.Damage(input.name, 0, None, 0, opened)
        return opened
    damage = d.Damage(input.name, 0, None, 0, header)
    if reading.resync is None or header.kind == "LaterVersion":
        raise damage
    found = without_header(input, limit)
    if found is None:
        raise damage
    opened = open_file(reading, *found)
    if isinstance(opened, d.Cause):
        raise d.Damage(input.name, 0, None, 0, opened)
    return opened._replace(lost=going_on(damage, False, *found))


def open_file(reading: Reading, scan: Scan, start: Position) -> Union[Opened, d.Cause]:
    """Open a file, given the position of its first block; or say why it cannot be read."""
    h = scan.header
    if h is None:
        # (No block refers to this schema.)
        today: Union[Decode, d.Cause] = reading.today or d.simple("UnknownSchema")
        return Opened(scan, Schemas(-1, 0, reading.fingerprint or b"", today), True, start)
    schemas = with_schema(reading, 0, h.size(), h.fingerprint, h.schema)
    if h.compression and h.compression != _zlib.NAME:
        return d.unknown_compression(h.compression)
    if isinstance(schemas.decode, d.Cause):
        return schemas.decode
    return Opened(scan, schemas, bool(h.compression), start)


def going_on(damage: d.Damage, other: bool, scan: Scan, pos: Position) -> d.Lost:
    """What was lost, given where reading goes on, and whether that is another file."""
    h = scan.header
    # (The header is not lost.)
    begins = pos.record == 0 and h is not None and pos.offset == h.size()
    to = scan.base if begins else scan.base + pos.offset
    return d.Lost(damage, to, scan.before + pos.record, other)
