"""The last block, and the block of a record."""

from __future__ import annotations

from typing import List, Optional, Tuple

from ._after import pass_over, search_block
from ._crc import crc32c
from ._layout import (
    BLOCK_BYTES,
    BlockHeader,
    FOOTER_BYTES,
    INDEX,
    RECORDS,
    entry_at,
    entry_count,
    get_footer,
)
from ._scan import Scan, header_at, next_block, start_at

__all__ = ["last_block", "locate", "read_index"]

Found = Optional[Tuple[int, BlockHeader]]

_STEP = 65_536

# How many bytes may be checked in vain.
_ALLOWANCE = 268_435_456


def last_block(scan: Scan, start: int, size: int) -> Found:
    """The last whole block of a file, and its offset, given that of the first one, and the file's size.

    It is searched for from the end. A record may contain blocks of this very file: a block at
    another offset than its own may be a copy, which is older than the block that contains it.
    """
    high, left = size, _ALLOWANCE
    copy: Found = None
    while high > start:
        low = max(start, high - _STEP)
        data = scan.fetch(low, high - low + len(scan.marker) - 1)
        i = data.rfind(scan.marker)
        while i >= 0:
            if left <= 0:
                return _forwards(scan, start)
            at = low + i
            h = header_at(scan, at)
            if h is not None and h.stored <= scan.limit and h.end(at) <= size:
                if crc32c(scan.fetch(at + BLOCK_BYTES, h.stored)) != h.checksum:
                    left -= h.stored
                elif h.offset == at:
                    # The one found before has later records, so it is no copy.
                    later = copy is not None and copy[1].next_record() > h.next_record()
                    return copy if later else (at, h)
                else:
                    left -= h.stored
                    if copy is None or copy[1].next_record() < h.next_record():
                        copy = (at, h)
            i = data.rfind(scan.marker, 0, i + len(scan.marker) - 1)
        high = low
    return copy


def _forwards(scan: Scan, start: int) -> Found:
    # From the first block on, in linear time.
    found: Found = None
    pos = start_at(start, 0, True)
    while True:
        step = next_block(scan, pos)
        if step.block is not None and step.position is not None:
            found, pos = (pos.offset, step.block.header), step.position
        elif step.resume is not None:
            after = pass_over(scan, pos, step.resume)
            if not after.in_file(scan) or after.scan is None:
                return found
            scan, pos = after.scan, after.position
        else:
            return found


def read_index(scan: Scan, size: int) -> Optional[bytes]:
    """The body of the index at the end of a file, if there is one."""
    footer = get_footer(scan.fetch(size - FOOTER_BYTES, FOOTER_BYTES))
    if footer is None or footer[1] > size:
        return None
    step = next_block(scan, start_at(footer[1], footer[0]))
    if step.block is None or step.position is None:
        return None
    whole = step.block.header.kind == INDEX and step.position.offset == size
    return step.block.body if whole else None


def _own(scan: Scan, at: int) -> Optional[BlockHeader]:
    h = header_at(scan, at)
    return h if h is not None and h.offset == at else None


def locate(
    scan: Scan, start: int, size: int, index: Optional[bytes], record: int
) -> Tuple[int, int]:
    """Where to begin to look for a record: the offset of a block, and the number of its first record.

    It takes logarithmic time.
    """
    first = header_at(scan, start)
    if first is not None and first.kind == RECORDS and first.records:
        # The block that has the record if all blocks are like the first one.
        at = start + record // first.records * (BLOCK_BYTES + first.stored)
        there = _own(scan, at) if start <= at < size else None
        if there is not None and there.first <= record < there.next_record():
            return at, there.first
    low, high = (start, 0), size
    # The index is not trusted: the headers of its blocks are read.
    entries = [] if index is None else _hints(index, record)
    right = [(at, h.first) for at, h in ((at, _own(scan, at)) for at, _ in entries) if h and at >= start]
    for entry in right:
        if entry[1] <= record:
            low = entry
    high = min([size] + [at for at, n in right if n > record and at > low[0]])
    while high - low[0] > 131_072:
        middle = low[0] + (high - low[0]) // 2
        found = _search_own(scan, middle, high)
        if found is not None and found[1].first <= record:
            low = found[0], found[1].first
        else:
            high = middle
    return low


def _hints(body: bytes, record: int) -> List[Tuple[int, int]]:
    # The entries around the record.
    low, high = 0, entry_count(body)
    while low < high:
        middle = (low + high) // 2
        if entry_at(body, middle)[1] <= record:
            low = middle + 1
        else:
            high = middle
    return [entry_at(body, i) for i in (low - 1, low) if 0 <= i < entry_count(body)]


def _search_own(scan: Scan, start: int, high: int) -> Found:
    found = search_block(scan, start, high)
    while found is not None and found[1].offset != found[0]:
        found = search_block(scan, found[0] + 1, high)
    return found
