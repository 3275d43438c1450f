"""Which files were joined to one."""

from __future__ import annotations

from typing import List, NamedTuple, Tuple

from ._after import Next, pass_over
from ._locate import last_block
from ._scan import Position, Scan, next_block, start_at

__all__ = ["Part", "last_record", "part_with", "parts_of", "rest_of"]


class Part(NamedTuple):
    """A file that was joined to others, or the part of it between two others.

    The offset and the record at which it begins, the offset at which it ends, and the number of the
    record after its last one, all within the file. Before ``settled``, all bytes stay as they are.
    """

    scan: Scan
    start: int
    first: int
    end: int
    next: int
    settled: int


def parts_of(scan: Scan, start: int, size: int) -> List[Part]:
    """The files that an input of this size consists of, given the first one and the offset of its first block.

    If there is one file, this takes constant time, unless its tail is damaged.
    """
    # Only files that were joined have more than this after their last block.
    found = last_block(scan, max(start, size - 2 * (scan.limit + 65_536)), size)
    pos = start_at(start, 0, True)
    # Nothing was lost or inserted before it.
    if found is not None and found[1].offset == found[0]:
        pos = start_at(found[0], found[1].first)
    parts: List[Part] = []
    first, first_record = pos.offset, pos.record
    while True:
        n, following, pos = _walk(scan, pos)
        parts.append(Part(scan, first, first_record, pos.offset, n, pos.settled()))
        if following.scan is None or following.in_file(scan):
            break
        scan, pos = following.scan, following.position
        first, first_record = pos.offset, pos.record
    parts[0] = parts[0]._replace(start=start, first=0)
    return parts


def _walk(scan: Scan, pos: Position) -> Tuple[int, Next, Position]:
    # The number of the record after the last one of the file, what follows it, and where it ends.
    while True:
        step = next_block(scan, pos, skim=True)
        if step.kind == "block" and step.position is not None:
            pos = step.position
        elif step.kind == "file" and step.position is not None:
            return pos.record, Next(step.scan, step.position), pos
        elif step.kind == "damaged" and step.resume is not None:
            following = pass_over(scan, pos, step.resume)
            if not following.in_file(scan):
                return pos.record, following, pos
            pos = following.position
        else:
            return pos.record, Next(None, pos), pos


def rest_of(scan: Scan, pos: Position) -> Tuple[int, Next]:
    """How many records a file has from a position on, and what follows it."""
    n, following, _ = _walk(scan, pos)
    return n, following


def part_with(parts: List[Part], record: int) -> Part:
    """The part that has the record with a number among those of all."""
    found = parts[0]
    for part in parts[1:]:
        if part.scan.before + part.first > record:
            break
        found = part
    return found


def last_record(parts: List[Part]) -> int:
    """How many records there are, with those that are lost."""
    return parts[-1].scan.before + parts[-1].next
