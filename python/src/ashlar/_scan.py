"""One block after another.

A file may be followed by others, as ``cat`` makes them of several. There is a :class:`Scan` for each.
Within it, offsets and numbers of records are those that the file has by itself. Users see offsets
from the beginning of the first file, and records numbered through.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, Optional, Tuple, Union

from . import damage as d
from ._crc import crc32c
from ._input import Input
from ._layout import (
    BLOCK_BYTES,
    BlockHeader,
    FileHeader,
    HEADER_LIMIT,
    INDEX,
    MOST,
    PREFIX_BYTES,
    RECORDS,
    any_block_start,
    file_prefix,
    get_file_header,
)

__all__ = [
    "Block",
    "Position",
    "Resume",
    "Scan",
    "Step",
    "file_after",
    "first_in",
    "header_at",
    "next_block",
    "read_file_header",
    "start_at",
    "written_next",
]


def read_file_header(input: Input, base: int) -> Union[FileHeader, d.Cause]:
    """The header of the file that begins at an offset, or what is wrong with it."""
    start = input.fetch(base, PREFIX_BYTES)
    kind, n = file_prefix(start)
    if kind == "none":
        return d.simple("NotAFile")
    if kind == "short":
        return d.truncated_header(PREFIX_BYTES, len(start))
    if kind == "version":
        return d.later_version(n)
    if n > HEADER_LIMIT:
        return d.too_large(n, HEADER_LIMIT)
    data = input.fetch(base, n)
    if len(data) < n:
        return d.truncated_header(n, len(data))
    return get_file_header(data) or d.simple("WrongHeader")


@dataclass(frozen=True)
class Scan:
    """A file whose blocks are read."""

    input: Input
    #: The offset at which it begins.
    base: int
    marker: bytes
    #: The most bytes that a body may have, stored and expanded.
    limit: int
    #: How many records come before the file.
    before: int = 0
    #: Its header, unless that is damaged.
    header: Optional[FileHeader] = None
    #: Files in whose damaged blocks this one was found, and the number of the next record of each.
    outer: Tuple[Tuple[Scan, int], ...] = ()

    def fetch(self, offset: int, n: int) -> bytes:
        """Bytes from an offset in the file on."""
        return b"" if offset < 0 else self.input.fetch(self.base + offset, n)

    def forget(self, offset: int) -> None:
        """Promise that no byte before an offset in the file will be asked for any more."""
        self.input.forget(self.base + offset)

    def pass_to(self, offset: int) -> int:
        """Forget all bytes before an offset in the file.

        The result is that offset, or where the input ends, if that comes first.
        """
        return self.input.pass_to(self.base + offset) - self.base

    def damage(self, pos: Position, record: int, cause: d.Cause) -> d.Damage:
        """Damage at a position, from this record of the file on."""
        at = self.base + pos.offset
        return d.Damage(self.input.name, at, pos.block, self.before + record, cause)


def file_after(scan: Scan, at: int, record: int, marker: bytes, header: Optional[FileHeader]) -> Scan:
    """The file that begins at an offset, given the record of this file that would come there."""
    return replace(scan, base=scan.base + at, marker=marker, before=scan.before + record, header=header)


class Block(NamedTuple):
    """A block whose checksums are right: its offset, its number, its first record, its file."""

    at: int
    number: int
    record: int
    file: int
    header: BlockHeader
    body: bytes


def written_next(h: BlockHeader, following: BlockHeader) -> bool:
    """Was the second block written directly after the first one?"""
    return following.offset == h.end(h.offset) and following.first == h.next_record()


class Position(NamedTuple):
    """Where reading goes on."""

    offset: int
    #: The number of the next block.
    block: int
    #: The number of the next record.
    record: int
    #: May the next block begin with a later record?
    gap: bool = False
    #: All bytes before this offset belong to a damaged block.
    inside: int = 0
    #: How many bytes of such blocks may be searched again.
    allowance: int = 67_108_864
    #: The offset of the block before, if that is an index. See :func:`next_block`.
    index_at: Optional[int] = None

    def settled(self) -> int:
        """The offset before which all bytes stay, unless the file is replaced."""
        return self.offset if self.index_at is None else self.index_at


def start_at(offset: int, record: int, gap: bool = False) -> Position:
    """The position of a block with this offset and this first record."""
    return Position(offset, 0, record, gap)


def first_in(pos: Position, offset: int, h: FileHeader) -> Position:
    """The position of the first block of a file, given one before it, and the file's offset and header."""
    return Position(h.size(), pos.block, 0, False, pos.inside - offset, pos.allowance)


class Resume(NamedTuple):
    """How to go on after damage: ``search``, ``search in``, ``body``, ``tail``, ``pass`` or ``gap``."""

    how: str
    header: Optional[BlockHeader] = None
    record: int = 0


class Step(NamedTuple):
    """What is at a position: ``block``, ``file``, ``end`` or ``damaged``."""

    kind: str
    position: Optional[Position] = None
    block: Optional[Block] = None
    scan: Optional[Scan] = None
    cause: Optional[d.Cause] = None
    resume: Optional[Resume] = None


def _damaged(cause: d.Cause, how: str, header: Optional[BlockHeader] = None, record: int = 0) -> Step:
    return Step("damaged", cause=cause, resume=Resume(how, header, record))


def header_at(scan: Scan, offset: int) -> Optional[BlockHeader]:
    """The header of the block at an offset."""
    data = scan.fetch(offset, BLOCK_BYTES)
    return any_block_start(data) if data[:8] == scan.marker else None


def next_block(scan: Scan, pos: Position, skim: bool = False) -> Step:
    """Read the block at a position.

    If ``skim`` is set, the body is neither read nor checked if the header of the block after it
    shows that both were written.

    A writer that appends cuts off the index at the end, and writes blocks in its place. So what is
    wrong is read again. If no block follows an index, that is looked up again: if it is gone, reading
    goes on at its place.
    """
    step = _attempt(scan, pos, skim)
    if step.kind == "damaged":
        step = _attempt(scan, pos, skim)
    if step.kind != "block" and pos.index_at is not None:
        h = header_at(scan, pos.index_at)
        if h is None or h.kind != INDEX or h.end(pos.index_at) != pos.offset:
            return next_block(scan, pos._replace(offset=pos.index_at, block=pos.block - 1, index_at=None), skim)
    return step


def _attempt(scan: Scan, pos: Position, skim: bool) -> Step:
    scan.forget(pos.settled())
    start = scan.fetch(pos.offset, BLOCK_BYTES)
    if not start:
        return Step("end")
    if len(start) >= 8 and start[:8] == scan.marker:
        h = any_block_start(start)
        if h is None:
            return _damaged(_cut_or("WrongBlockHeader", start), "search in")
        return _refused(scan, pos, h) or _with_body(scan, pos, h, skim)
    if scan.marker.startswith(start[:8]):
        return _damaged(_cut_or("NotABlock", start), "search")
    if file_prefix(start)[0] != "none":
        return _another_file(scan, pos)
    return _damaged(d.simple("NotABlock"), "search")


def _cut_or(kind: str, start: bytes) -> d.Cause:
    return d.truncated(BLOCK_BYTES, len(start)) if len(start) < BLOCK_BYTES else d.simple(kind)


def _another_file(scan: Scan, pos: Position) -> Step:
    h = read_file_header(scan.input, scan.base + pos.offset)
    if isinstance(h, FileHeader):
        following = file_after(scan, pos.offset, pos.record, h.marker, h)
        return Step("file", first_in(pos, pos.offset, h), scan=following)
    if h.kind == "LaterVersion":
        return _damaged(h, "search in")
    return _damaged(d.simple("WrongHeader") if h.kind == "TooLarge" else h, "search")


def _refused(scan: Scan, pos: Position, h: BlockHeader) -> Optional[Step]:
    # What is wrong with a header whose checksum is right.
    large = max(h.stored, h.expanded)
    if h.first > MOST - (1 << 32) - scan.before:
        return _damaged(d.simple("WrongBlockHeader"), "search in")
    if large > scan.limit:
        return _damaged(d.too_large(large, scan.limit), "pass", h)
    if not _consistent(h):
        return _damaged(d.simple("WrongCount"), "pass", h)
    if h.first > pos.record and not pos.gap:
        return _damaged(d.wrong_number(scan.before + h.first), "gap", record=h.first)
    if h.first < pos.record:
        return _damaged(d.wrong_number(scan.before + h.first), "pass", h)
    return None


def _consistent(h: BlockHeader) -> bool:
    if not h.compressed and h.stored != h.expanded:
        return False
    return 1 <= h.records <= h.expanded if h.kind == RECORDS else h.records == 0


def _with_body(scan: Scan, pos: Position, h: BlockHeader, skim: bool) -> Step:
    end = h.end(pos.offset)
    index = pos.offset if h.kind == INDEX else None
    after = Position(end, pos.block + 1, h.next_record(), False, pos.inside, pos.allowance, index)
    at, first = scan.base + pos.offset, scan.before + h.first
    if skim:
        there = header_at(scan, end)
        if there is not None and written_next(h, there):
            return Step("block", after, Block(at, pos.block, first, scan.base, h, b""))
    body = scan.fetch(pos.offset + BLOCK_BYTES, h.stored)
    if len(body) < h.stored:
        return _damaged(d.truncated(BLOCK_BYTES + h.stored, BLOCK_BYTES + len(body)), "tail", h)
    if crc32c(body) != h.checksum:
        return _damaged(d.simple("WrongChecksum"), "body", h)
    return Step("block", after, Block(at, pos.block, first, scan.base, h, body))
