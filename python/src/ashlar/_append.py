"""The end of a file, where blocks are appended."""

from __future__ import annotations

import os
from typing import Callable, List, NamedTuple, NoReturn, Optional, Tuple

from . import damage as d
from ._after import search_block, whole_in, without_header
from ._crc import crc32c
from ._input import FileInput
from ._joined import rest_of
from ._layout import (
    BLOCK_BYTES,
    BlockHeader,
    FileHeader,
    HEADER_LIMIT,
    INDEX,
    RECORDS,
    SCHEMA,
    any_block_start,
    entry_at,
    entry_count,
    put_block_header,
    put_file_header,
)
from ._locate import last_block, read_index
from ._scan import Scan, file_after, header_at, next_block, read_file_header, start_at

__all__ = ["Entries", "NewType", "Tail", "append_block", "block_header", "new_file", "old_file", "write_at"]

_MOST_ENTRIES = 65_536


class Entries:
    """Where blocks begin: all of them, or of many blocks every second, fourth, and so on."""

    def __init__(self) -> None:
        self.kept: List[Tuple[int, int]] = []
        self._stride = 1
        self._wait = 0

    def add(self, offset: int, first: int) -> None:
        """One more block."""
        if self._wait > 0:
            self._wait -= 1
            return
        if len(self.kept) >= _MOST_ENTRIES:
            # The first block of the file stays.
            self.kept = self.kept[::2]
            self._stride *= 2
        self.kept.append((offset, first))
        self._wait = self._stride - 1


class Tail:
    """The end of a file, after the last whole block."""

    def __init__(self, marker: bytes, offset: int, fingerprint: bytes) -> None:
        self.marker = marker
        self.offset = offset
        self.records = 0
        self.fingerprint = fingerprint
        self.schema_at = 0
        self.entries = Entries()


class NewType(NamedTuple):
    """What a file says of the records that are written, and why records of another schema are refused."""

    schema: bytes
    fingerprint: bytes
    compression: bytes
    refused: Callable[[bytes, bytes], Optional[str]]


def block_header(tail: Tail, kind: int, count: int, body: bytes) -> BlockHeader:
    """The header of a block with this body, at the end."""
    return BlockHeader(
        tail.marker,
        kind,
        0,
        0,
        len(body),
        len(body),
        count,
        tail.records,
        tail.fingerprint,
        tail.schema_at,
        tail.offset,
        crc32c(body),
    )


def write_at(fd: int, offset: int, data: bytes, seekable: bool = True) -> None:
    """Write bytes at an offset."""
    view = memoryview(data)
    while view:
        n = os.pwrite(fd, view, offset) if seekable else os.write(fd, view)
        view = view[n:]
        offset += n


def append_block(fd: int, tail: Tail, header: BlockHeader, body: bytes, seekable: bool = True) -> None:
    """Write a block at the end, all of it or nothing."""
    try:
        write_at(fd, tail.offset, put_block_header(header) + body, seekable)
    except BaseException:
        if seekable:
            os.ftruncate(fd, tail.offset)
        raise


def new_file(kind: NewType, path: str, fd: int, marker: Optional[bytes], seekable: bool = True) -> Tail:
    """Begin a file."""
    chosen = os.urandom(8) if marker is None else marker
    header = FileHeader(chosen, kind.fingerprint, kind.compression, kind.schema)
    if header.size() > HEADER_LIMIT:
        raise d.Damage(path, 0, None, 0, d.too_large(header.size(), HEADER_LIMIT))
    if seekable:
        os.ftruncate(fd, 0)
    try:
        write_at(fd, 0, put_file_header(header), seekable)
    except BaseException:
        if seekable:
            os.ftruncate(fd, 0)
        raise
    return Tail(chosen, header.size(), kind.fingerprint)


def old_file(
    kind: NewType, path: str, fd: int, marker: Optional[bytes], index: bool, limit: int
) -> Tail:
    """Find the end of a file, and cut off what follows it. One that ends in its header is begun anew."""
    input = FileInput(path, fd)
    header = read_file_header(input, 0)
    if isinstance(header, d.Cause):
        if _unfinished(input, header) and without_header(input, limit) is None:
            return new_file(kind, path, fd, marker)
        raise d.Damage(path, 0, None, 0, header)
    return _Old(kind, path, fd, input, header, index, limit).tail()


def _unfinished(input: FileInput, cause: d.Cause) -> bool:
    # Did whoever began the file get no further? A writer writes the header first, and at once, but after
    # a power failure its bytes may be zeros. If a block follows, it is damage.
    small = input.size() <= HEADER_LIMIT
    if cause.kind == "NotAFile":
        return small and not any(input.fetch(0, input.size()))
    return cause.kind == "TruncatedHeader" or (cause.kind == "WrongHeader" and small)


class _Old:
    def __init__(
        self, kind: NewType, path: str, fd: int, input: FileInput, header: FileHeader, index: bool, limit: int
    ) -> None:
        self.kind = kind
        self.path = path
        self.fd = fd
        self.header = header
        self.index = index
        self.limit = limit
        self.size = input.size()
        self.start = header.size()
        self.scan = Scan(input, 0, header.marker, limit, header=header)

    def refuse(self, at: int, record: int, cause: d.Cause) -> NoReturn:
        raise d.Damage(self.path, at, None, record, cause)

    def accepted(self, at: int, record: int, schema: bytes, fingerprint: bytes) -> None:
        if fingerprint != self.kind.fingerprint:
            why = self.kind.refused(schema, fingerprint)
            if why is not None:
                self.refuse(at, record, d.wrong_type(why))

    def tail(self) -> Tail:
        h, scan = self.header, self.scan
        if h.compression != self.kind.compression:
            self.refuse(0, 0, d.other_compression(h.compression))
        self.accepted(0, 0, h.schema, h.fingerprint)
        found = last_block(scan, self.start, self.size)
        self.keep_others(found)
        entries = self.entries()
        tail = Tail(h.marker, self.start, h.fingerprint)
        described = True
        if found is not None:
            at, b = found
            tail.schema_at = at if b.kind == SCHEMA else b.schema_at
            described = self.last_schema(tail.schema_at, b)
            tail.offset = at if b.kind == INDEX else b.end(at)
            tail.records = b.next_record()
            tail.fingerprint = b.fingerprint
        tail.entries = entries
        os.ftruncate(self.fd, tail.offset)
        if not described or tail.fingerprint != self.kind.fingerprint:
            self.new_schema(tail)
        return tail

    def keep_others(self, found: Optional[Tuple[int, BlockHeader]]) -> None:
        # Cut off no whole block, and write none after another file.
        scan = self.scan
        end, record = (self.start, 0) if found is None else (found[1].end(found[0]), found[1].next_record())
        large = header_at(scan, end)
        if large is not None and large.stored > self.limit and large.end(end) <= self.size:
            self.refuse(end, large.first, d.too_large(large.stored, self.limit))
        other: Optional[Tuple[int, Optional[FileHeader]]] = None
        if found is not None and found[1].offset != found[0]:
            # Bytes were lost or inserted, or files were joined.
            _, following = rest_of(scan, start_at(self.start, 0, True))
            if following.scan is not None:
                other = following.scan.base, following.scan.header
        other = other or whole_in(scan, end, self.size)
        if other is not None:
            self.refuse_other(record, *other)

    def refuse_other(self, record: int, at: int, header: Optional[FileHeader]) -> NoReturn:
        if header is None:
            b = any_block_start(self.scan.fetch(at, BLOCK_BYTES))
            marker, first = b.marker if b else bytes(8), start_at(0, 0, True)
        else:
            marker, first = header.marker, start_at(header.size(), 0, True)
        n, _ = rest_of(file_after(self.scan, at, record, marker, header), first)
        why = "appending would cut it off; ashlar repair makes one file of both"
        self.refuse(at, record, d.another_file(header is not None, n, why))

    def last_schema(self, at: int, b: BlockHeader) -> bool:
        # Is the schema of the last records there? Then it must be accepted. If it is lost, it must be
        # that of the new records, which is written again: later types cannot read these without it.
        if at == 0:
            return True
        step = next_block(self.scan, start_at(at, 0, True))
        if step.block is None or step.block.header.kind != SCHEMA:
            if b.fingerprint != self.kind.fingerprint:
                self.refuse(at, b.first, d.simple("UnknownSchema"))
            return False
        h = step.block.header
        self.accepted(at, h.first, step.block.body, h.fingerprint)
        return True

    def new_schema(self, tail: Tail) -> None:
        # Write the schema of the new records, which are of another type than the last ones.
        tail.fingerprint = self.kind.fingerprint
        tail.schema_at = tail.offset
        header = block_header(tail, SCHEMA, 0, self.kind.schema)
        append_block(self.fd, tail, header, self.kind.schema)
        tail.offset = header.end(tail.offset)

    def entries(self) -> Entries:
        entries = Entries()
        if not self.index:
            return entries
        body = read_index(self.scan, self.size)
        if body is not None:
            for i in range(entry_count(body)):
                entries.add(*entry_at(body, i))
            return entries
        # From the headers of the blocks.
        at = self.start
        while True:
            h = header_at(self.scan, at)
            if h is None:
                found = search_block(self.scan, at + 1)
                if found is None:
                    return entries
                at, h = found
            if h.kind == RECORDS:
                entries.add(at, h.first)
            at = h.end(at)
