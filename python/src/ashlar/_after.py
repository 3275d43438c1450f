"""After damage.

The next block is searched for by the marker of the file, which is at the beginning of each block. A
block is believed if the checksum of its header is right. The rules are those of ``format.md`` of the
package ashlar-file, and the answers are those of Haskell.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import damage as d
from ._crc import crc32c
from ._input import Input
from ._layout import (
    BLOCK_BYTES,
    BlockHeader,
    FileHeader,
    HEADER_LIMIT,
    MAGIC,
    MOST,
    PREFIX_BYTES,
    any_block_start,
    damaged_start,
    file_prefix,
)
from ._scan import (
    Block,
    Position,
    Resume,
    Scan,
    file_after,
    first_in,
    header_at,
    next_block,
    read_file_header,
    start_at,
    written_next,
)

__all__ = ["Next", "block_or_after", "pass_over", "search_block", "whole_in", "without_header"]

# How many bytes a search looks at in one step.
_WINDOW = 65_536


class Next(NamedTuple):
    """Where reading goes on after damage. Without a file, no block follows, and the offset is the end."""

    scan: Optional[Scan]
    position: Position

    def in_file(self, scan: Scan) -> bool:
        """Does it go on in this file?"""
        return self.scan is not None and self.scan.base == scan.base


def _end(offset: int) -> Next:
    return Next(None, start_at(offset, 0))


def _moved(pos: Position, offset: int, following: int) -> Position:
    # A later position in the same file, at a block with this first record.
    record = max(pos.record, following)
    return pos._replace(offset=offset, block=pos.block + 1, record=record, gap=True, index_at=None)


def pass_over(scan: Scan, pos: Position, resume: Resume) -> Next:
    """Find the position at which reading goes on after damage, with the number of its next record."""
    h = resume.header
    if resume.how == "gap":
        return Next(scan, pos._replace(record=resume.record, gap=True))
    if resume.how == "search":
        return _searching(scan, pos, [pos.offset])
    if h is None:
        return _searching(scan, pos, [])
    if resume.how == "pass":
        return _arrived(scan, pos, h)
    end = h.end(pos.offset)
    if resume.how == "tail":
        return _within(scan, pos, h, [], pos.offset)
    there = header_at(scan, end)
    if there is not None:
        if written_next(h, there):
            return _arrived(scan, pos, h)
        return _within(scan, pos, h, [], end)
    ends = _file_or_end_at(scan, pos, end)
    return _within(scan, pos, h, [end], end if ends else pos.offset)


def block_or_after(
    scan: Scan, pos: Position, cause: d.Cause, resume: Resume
) -> Union[Tuple[Block, Position], Next]:
    """Where reading goes on after damage with this cause, or the block at the position.

    If its end was missing, and a block follows, a writer has completed it meanwhile.
    """
    following = pass_over(scan, pos, resume)
    if cause.kind == "Truncated" and following.in_file(scan):
        step = next_block(scan, pos)
        if step.block is not None and step.position is not None:
            return step.block, step.position
    return following


def _within(
    scan: Scan, pos: Position, h: BlockHeader, headless: List[int], files_from: int
) -> Next:
    # Search inside of this block, where the next one may begin.
    again = h.end(0) if pos.offset < pos.inside else 0
    if again > pos.allowance:
        return _arrived(scan, pos, h)
    inside = max(h.end(pos.offset), pos.inside)
    there = pos._replace(allowance=pos.allowance - again, inside=inside)
    return _search(scan, headless, files_from, max(pos.record, h.next_record()), there)


def _arrived(scan: Scan, pos: Position, h: BlockHeader) -> Next:
    # After a block of a known size. The file may end there, or in it.
    end = h.end(pos.offset)
    to = max(pos.offset, scan.pass_to(end))
    if to < end or not scan.fetch(to, 1):
        return _end(to)
    return Next(scan, _moved(pos, to, h.next_record()))


def _searching(scan: Scan, pos: Position, headless: List[int]) -> Next:
    # There may be a block here whose header is damaged, but not the size in it. The size is believed
    # if the marker or the offset beside it is right. (After a block that was cut off within its
    # marker, bytes of the next file stand there.)
    size = damaged_start(scan.marker, pos.offset, scan.fetch(pos.offset, BLOCK_BYTES))
    if size is None or size > min(scan.limit, pos.allowance):
        return _search(scan, headless, pos.offset, pos.record, pos)
    to = pos.offset + BLOCK_BYTES + size
    block = header_at(scan, to)
    ends = block is not None or _file_or_end_at(scan, pos, to)
    there = pos._replace(allowance=pos.allowance - size)
    begins = headless + ([to] if block is None else [])
    return _search(scan, begins, to if ends else pos.offset, pos.record, there)


def _file_or_end_at(scan: Scan, pos: Position, offset: int) -> bool:
    if offset <= pos.offset:
        return False
    start = scan.fetch(offset, PREFIX_BYTES)
    if file_prefix(start)[0] == "prefix":
        return True
    return not start and bool(scan.fetch(offset - 1, 1))


_LOOKS = re.compile(rb"(?=[\1-\3][\0\1]\0\0)")


def _first_of(
    markers: Sequence[bytes], other: Optional[Callable[[int], bool]], data: bytes, start: int
) -> int:
    # The first index, from one on, where there is one of these markers or the beginning of a file,
    # or where 72 bytes look like a block and satisfy a condition. -1 if there is none.
    found = -1
    for word in (MAGIC, *markers):
        at = data.find(word, start, len(data) if found < 0 else found + 7)
        found = at if at >= 0 else found
    if other is not None:
        limit = len(data) - BLOCK_BYTES if found < 0 else min(found, len(data) - BLOCK_BYTES)
        for match in _LOOKS.finditer(data, start + 8):
            at = match.start() - 8
            if at > limit:
                break
            if other(at):
                return at
    return found


class _Search:
    # A search for the next block or file after a position.
    def __init__(
        self, scan: Scan, headless: List[int], files_from: int, record: int, pos: Position
    ) -> None:
        self.scan = scan
        self.headless = headless
        self.files_from = files_from
        self.record = record
        self.pos = pos
        self.left = pos.allowance
        self.words = [scan.marker] + [s.marker for s, _ in scan.outer]
        #: Files that are found in damaged blocks may be what a record contains.
        self.suspended = ((replace(scan, outer=()), pos.record),) + scan.outer

    def run(self) -> Next:
        start = self.pos.offset + 1
        while True:
            self.scan.forget(start)
            data = self.scan.fetch(start, _WINDOW)
            near = start - self.pos.offset <= self.scan.limit + HEADER_LIMIT
            other = self._headless_in(start, data) if near and self.headless else None
            i = 0
            while True:
                j = _first_of(self.words, other, data, i)
                if j < 0:
                    break
                found = self.candidate(start + j)
                if found is not None:
                    return found
                i = j + 1
            if len(data) < _WINDOW:
                return _end(start + len(data))
            start += len(data) - BLOCK_BYTES + 1

    def _headless_in(self, start: int, data: bytes) -> Callable[[int], bool]:
        def check(j: int) -> bool:
            b = any_block_start(data[j : j + BLOCK_BYTES])
            return b is not None and self.began_at(start + j, b) is not None

        return check

    def began_at(self, at: int, b: BlockHeader) -> Optional[int]:
        # Is it a block of a file that may have begun at one of the offsets?
        return next((begin for begin in self.headless if b.offset == at - begin), None)

    def candidate(self, at: int) -> Optional[Next]:
        scan = self.scan
        start = scan.fetch(at, BLOCK_BYTES)
        kind, n = file_prefix(start)
        if kind == "prefix":
            if at < self.files_from or n > self.left:
                return None
            self.left -= n
            h = read_file_header(scan.input, scan.base + at)
            if isinstance(h, FileHeader) and h.marker not in self.words:
                return self.to_file(at, h)
            return None
        b = any_block_start(start)
        if b is None:
            return None
        if b.marker == scan.marker:
            return Next(scan, _moved(self.here(), at, b.first))
        outer = next(((s, n) for s, n in scan.outer if s.marker == b.marker), None)
        if outer is not None:
            return None if b.first < outer[1] else self.to_outer(at, b, outer[0])
        begin = self.began_at(at, b)
        return None if begin is None else self.to_headless(begin, at, b)

    def here(self) -> Position:
        return self.pos._replace(allowance=self.left)

    def to_file(self, at: int, h: FileHeader) -> Next:
        following = file_after(self.scan, at, self.record, h.marker, h)
        position = first_in(_moved(self.here(), at, 0), at, h)
        return Next(replace(following, outer=self.suspended[:4]), position)

    def to_headless(self, begin: int, at: int, b: BlockHeader) -> Next:
        following = file_after(self.scan, begin, self.record, b.marker, None)
        position = _moved(self.here()._replace(record=0), at - begin, b.first)
        return Next(following, position._replace(inside=self.pos.inside - begin))

    def to_outer(self, at: int, b: BlockHeader, outer: Scan) -> Next:
        shift = self.scan.base - outer.base
        before = max(outer.before, self.scan.before + self.record - b.first)
        others = tuple(x for x in self.suspended[:4] if x[0].marker != outer.marker)
        position = _moved(self.here()._replace(record=0), at + shift, b.first)
        return Next(
            replace(outer, before=before, outer=others),
            position._replace(inside=self.pos.inside + shift),
        )


def _search(
    scan: Scan, headless: List[int], files_from: int, record: int, pos: Position
) -> Next:
    return _Search(scan, headless, files_from, record, pos).run()


def _is_block(data: bytes) -> Callable[[int], bool]:
    return lambda j: any_block_start(data[j : j + BLOCK_BYTES]) is not None


def without_header(input: Input, limit: int) -> Optional[Tuple[Scan, Position]]:
    """The first block in the first 16 MiB of an input whose header is damaged, or the first file after it."""
    start = 0
    while start <= HEADER_LIMIT:
        data = input.fetch(start, _WINDOW)
        i = 0
        while True:
            j = _first_of([], _is_block(data), data, i)
            if j < 0:
                break
            at = start + j
            b = any_block_start(input.fetch(at, BLOCK_BYTES))
            if b is not None:
                first = start_at(0, 0)._replace(block=-1)
                return Scan(input, 0, b.marker, limit), _moved(first, at, b.first)
            h = _small_header(input, at) if at else None
            if h is not None:
                following = Scan(input, at, h.marker, limit, header=h)
                return following, first_in(start_at(0, 0), at, h)
            i = j + 1
        if len(data) < _WINDOW:
            return None
        start += len(data) - BLOCK_BYTES + 1
    return None


def _small_header(input: Input, at: int) -> Optional[FileHeader]:
    # (Large headers are ignored: a search over 16 MiB could meet many of them.)
    kind, n = file_prefix(input.fetch(at, PREFIX_BYTES))
    if kind != "prefix" or n > 65_536:
        return None
    h = read_file_header(input, at)
    return h if isinstance(h, FileHeader) else None


def search_block(scan: Scan, first: int, limit: int = MOST) -> Optional[Tuple[int, BlockHeader]]:
    """The first block of the file at or after an offset, and before another, whose header is right."""
    start = first
    while start < limit:
        scan.forget(start)
        data = scan.fetch(start, _WINDOW)
        i = data.find(scan.marker)
        while i >= 0:
            if start + i >= limit:
                return None
            h = header_at(scan, start + i)
            if h is not None:
                return start + i, h
            i = data.find(scan.marker, i + 1)
        if len(data) < _WINDOW:
            return None
        start += len(data) - len(scan.marker) + 1
    return None


def whole_in(scan: Scan, first: int, end: int) -> Optional[Tuple[int, Optional[FileHeader]]]:
    """The offset of the first file, or of the first whole block of any file, between two offsets.

    With the header, if it is a file.
    """
    start = first
    left = 268_435_456
    while start < end:
        data = scan.fetch(start, _WINDOW)
        i = 0
        while True:
            j = _first_of([], _is_block(data), data, i)
            if j < 0:
                break
            i = j + 1
            at = start + j
            found = _whole_at(scan, at, end, left)
            if not isinstance(found, int):
                return found
            left -= found
        if len(data) < _WINDOW:
            return None
        start += len(data) - BLOCK_BYTES + 1
    return None


def _whole_at(
    scan: Scan, at: int, end: int, left: int
) -> Union[int, Tuple[int, Optional[FileHeader]]]:
    # What is there, or how many bytes were read in vain.
    data = scan.fetch(at, BLOCK_BYTES)
    kind, n = file_prefix(data)
    b = any_block_start(data)
    # So many headers inside one another are no accident. Then nothing is cut off.
    if (kind == "prefix" or b is not None) and left <= 0:
        return at, None
    if kind == "prefix" and n <= end - at:
        h = read_file_header(scan.input, scan.base + at)
        return (at, h) if isinstance(h, FileHeader) else n
    if b is not None and b.end(at) <= end:
        if b.stored > scan.limit or crc32c(scan.fetch(at + BLOCK_BYTES, b.stored)) == b.checksum:
            return at, None
        return b.end(0)
    return 0
