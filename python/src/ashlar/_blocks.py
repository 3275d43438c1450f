"""The blocks of a file, with what is damaged between them."""

from __future__ import annotations

import os
from typing import Iterator, List, NamedTuple, Optional, Tuple, Union

from . import damage as d
from ._after import Next, block_or_after, pass_over
from ._input import FileInput
from ._layout import FileHeader, SCHEMA
from ._open import going_on
from ._scan import Block, Position, Scan, first_in, next_block, read_file_header, start_at
from .errors import AshlarError

__all__ = ["FileBegins", "events_of", "schemas_of"]

#: Schemas of more bytes than this are not shown.
_MOST_SCHEMAS = 67_108_864


class FileBegins(NamedTuple):
    """A file begins at this offset. ``None`` if its header is damaged."""

    at: int
    header: Optional[FileHeader]


Event = Union[FileBegins, Block, d.Lost]


def _first(input: FileInput, limit: int) -> Tuple[Scan, Position]:
    header = read_file_header(input, 0)
    if isinstance(header, d.Cause):
        raise d.Damage(input.name, 0, None, 0, header)
    return Scan(input, 0, header.marker, limit, header=header), first_in(start_at(0, 0), 0, header)


def events_of(input: FileInput, limit: int = 67_108_864) -> Iterator[Event]:
    """The blocks of a file, and what is between them. Bodies are not expanded or decoded.

    Raises :class:`ashlar.Damage` if it is no such file, if its header is damaged, or if it was
    replaced meanwhile.
    """
    scan, pos = _first(input, limit)
    yield FileBegins(0, scan.header)
    while True:
        step = next_block(scan, pos)
        if step.block is not None and step.position is not None:
            yield step.block
            pos = step.position
        elif step.scan is not None and step.position is not None:
            scan, pos = step.scan, step.position
            yield FileBegins(scan.base, scan.header)
        elif step.cause is not None and step.resume is not None:
            damage = scan.damage(pos, pos.record, step.cause)
            following = block_or_after(scan, pos, step.cause, step.resume)
            if not isinstance(following, Next):
                block, pos = following
                yield block
                continue
            if following.scan is None:
                yield d.Lost(damage, scan.base + following.position.offset, None, False)
                pos = pos._replace(offset=following.position.offset)
                break
            other = not following.in_file(scan)
            yield going_on(damage, other, following.scan, following.position)
            scan, pos = following.scan, following.position
            if other:
                yield FileBegins(scan.base, scan.header)
        else:
            break
    if not input.same(scan.base + pos.settled()):
        raise scan.damage(pos, pos.record, d.simple("Replaced"))


def schemas_of(path: str) -> List[Tuple[int, bytes]]:
    """The schemas of a file, in order, each with the number of the first record that may have it.

    Only the headers of blocks are read. What is damaged is passed over.
    """
    fd = os.open(path, os.O_RDONLY)
    try:
        return _schemas(FileInput(path, fd))
    finally:
        os.close(fd)


def _schemas(input: FileInput) -> List[Tuple[int, bytes]]:
    scan, pos = _first(input, 67_108_864)
    found: List[Tuple[int, bytes]] = []
    fingerprint = b""
    left = _MOST_SCHEMAS
    entered = True
    while True:
        h = scan.header
        one: Optional[Tuple[int, bytes]] = None
        # (Files of one type have been joined.)
        if entered and h is not None and (not found or h.fingerprint != fingerprint):
            one, fingerprint = (scan.before, h.schema), h.fingerprint
        entered = False
        step = next_block(scan, pos, skim=True)
        if step.block is not None and step.block.header.kind == SCHEMA and one is None:
            whole = next_block(scan, pos)
            if whole.block is not None:
                one, fingerprint = (whole.block.record, whole.block.body), whole.block.header.fingerprint
                step = whole
        elif one is not None:
            step = step._replace(kind="again", block=None, position=pos, scan=None, resume=None)
        if one is not None:
            # One of no bytes takes some memory, too.
            left -= len(one[1]) + 1024
            if left < 0:
                raise AshlarError(f"{input.name}: schemas of more than 64 MiB")
            found.append(one)
        if step.scan is not None and step.position is not None:
            scan, pos, entered = step.scan, step.position, True
        elif step.position is not None:
            pos = step.position
        elif step.resume is not None:
            following = pass_over(scan, pos, step.resume)
            if following.scan is None:
                return found
            entered = not following.in_file(scan)
            scan, pos = following.scan, following.position
        else:
            return found
