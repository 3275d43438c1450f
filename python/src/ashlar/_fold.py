"""The records of a file, in order."""

from __future__ import annotations

from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

from . import damage as d
from ._after import Next, block_or_after, pass_over
from ._joined import rest_of
from ._layout import BlockHeader, RECORDS, SCHEMA
from ._open import Opened, Reading, Schemas, decode_of, going_on, open_file, with_schema
from ._records import AT_ONCE, Broken, Decode, decode_block, expanded, passed
from ._scan import Block, Position, Scan, next_block

__all__ = ["Fold"]


class _Place(NamedTuple):
    # A file, the schema of its last block, and the same for files that reading may return to.
    opened: Opened
    schemas: Schemas


#: The number of the first record, and the records.
Chunk = Tuple[int, List[Any]]


class Fold:
    """Reads the records of a file. Damage is raised, or reported and passed over."""

    def __init__(self, reading: Reading, opened: Opened) -> None:
        self.reading = reading
        self.opened = opened
        self.schemas = opened.schemas
        self.outer: List[_Place] = []
        self.pos = opened.start
        self.going = True
        if opened.lost is not None:
            reading.lost(opened.lost)

    def begin_at(self, scan: Scan, first: Position, pos: Position) -> None:
        """Begin in this file, at a position, given that of its first block."""
        if scan.base != self.opened.scan.base:
            self.in_other(None, scan, first)
            if self.opened.scan.base != scan.base:
                return
        self.pos = pos

    def chunks(self) -> Iterator[Chunk]:
        """The records that follow, some at a time."""
        while self.going:
            yield from self.block()

    def block(self) -> Iterator[Chunk]:
        """The records of the next block."""
        scan, pos = self.opened.scan, self.pos
        step = next_block(scan, pos)
        if step.kind == "end":
            self.ended(scan, pos)
        elif step.kind == "file":
            assert step.scan is not None and step.position is not None
            self.in_other(None, step.scan, step.position)
        elif step.kind == "damaged":
            assert step.cause is not None and step.resume is not None
            if self.reading.resync is not None:
                found = block_or_after(scan, pos, step.cause, step.resume)
                if isinstance(found, Next):
                    self.damaged(scan, pos, step.cause, pos.record, found)
                else:
                    yield from self.whole(*found)
            elif self.only_tail(step.cause):
                following = pass_over(scan, pos, step.resume)
                if following.scan is not None and not following.in_file(scan):
                    raise scan.damage(pos, pos.record, step.cause)
                self.ended(scan, pos)
            else:
                raise scan.damage(pos, pos.record, step.cause)
        else:
            assert step.block is not None and step.position is not None
            yield from self.whole(step.block, step.position)

    def whole(self, block: Block, following: Position) -> Iterator[Chunk]:
        # A block whose checksums are right.
        scan, pos, h = self.opened.scan, self.pos, block.header
        self.pos = following
        if h.kind == SCHEMA:
            # (Not its position: bytes before it may have been lost.)
            self.schemas = with_schema(
                self.reading, h.offset, following.offset, h.fingerprint, block.body
            )
        elif h.kind == RECORDS and scan.before + following.record > self.reading.start:
            self.schemas, decode = decode_of(self.reading, scan, self.schemas, pos.offset, h)
            if isinstance(decode, d.Cause):
                if decode.kind == "WrongType":
                    raise scan.damage(pos, h.first, decode)
                self.damaged(scan, pos, decode, h.first, self.onwards(scan, following))
                return
            body = expanded(self.opened.compressed, self.reading.expansion_limit, h, block.body)
            if isinstance(body, d.Cause):
                self.damaged(scan, pos, body, h.first, self.onwards(scan, following))
                return
            yield from self.records(scan, pos, following, h, decode, body)

    def onwards(self, scan: Scan, following: Position) -> Next:
        return Next(scan, following._replace(gap=True))

    def records(
        self, scan: Scan, pos: Position, following: Position, h: BlockHeader, decode: Decode, body: bytes
    ) -> Iterator[Chunk]:
        at = done = 0
        while True:
            broken: Optional[Broken] = None
            try:
                values, at = decode_block(decode, body, at, min(AT_ONCE, h.records - done))
            except Broken as e:
                broken, values, at = e, e.values, e.at
            first = scan.before + h.first + done
            done += len(values)
            skipped = max(0, self.reading.start - first)
            if len(values) > skipped:
                yield first + skipped, values[skipped:] if skipped else values
            record = h.first + done
            if broken is None:
                if done < h.records:
                    continue
                if at < len(body):
                    cause = d.simple("WrongCount")
                    self.damaged(scan, pos, cause, record, self.onwards(scan, following))
                return
            cause = d.bad_record(broken.error)
            wanted = scan.before + record >= self.reading.start
            strict = wanted and self.reading.resync is None
            end = None if strict else passed(decode, body, at)
            if end is None:
                self.damaged(scan, pos, cause, record, self.onwards(scan, following))
                return
            if wanted:
                damage, n = scan.damage(pos, record, cause), scan.before + record
                self.reading.lost(d.Lost(damage, scan.base + pos.offset, n + 1, False))
            done += 1
            at = end

    def only_tail(self, cause: d.Cause) -> bool:
        # Is it a tail that may be cut off? Nothing must follow it.
        return cause.kind in ("Truncated", "TruncatedHeader") and not self.reading.whole_tail

    def ended(self, scan: Scan, pos: Position) -> None:
        """The end, unless the file is no longer the one that was opened."""
        if not scan.input.same(scan.base + pos.settled()):
            raise scan.damage(pos, pos.record, d.simple("Replaced"))
        self.going = False

    def damaged(self, scan: Scan, pos: Position, cause: d.Cause, record: int, to: Next) -> None:
        """Report damage and go on, or raise it. The number is that of a record of this file."""
        damage = scan.damage(pos, record, cause)
        if self.reading.resync is None:
            raise damage
        if to.scan is None:
            end = to.position.offset
            if self.only_tail(cause):
                # (A tail that is cut off is no part of the file. Its writer may have removed it.)
                self.ended(scan, pos._replace(record=record))
                return
            self.reading.lost(d.Lost(damage, scan.base + end, None, False))
            self.ended(scan, pos._replace(offset=end, record=record))
        elif to.in_file(scan):
            self.reading.lost(going_on(damage, False, to.scan, to.position))
            self.pos = to.position
        else:
            self.in_other(damage, to.scan, to.position)

    def in_other(self, why: Optional[d.Damage], scan: Scan, pos: Position) -> None:
        """Go on in another file, perhaps because of damage. If it cannot be read, that is damage, too."""
        places = [_Place(self.opened, self.schemas)] + self.outer
        while True:
            outer = [p for p in places if _may_return(p, scan)]
            back = next((p for p in outer if p.opened.scan.base == scan.base), None)
            if back is not None:
                # Reading returns from a file that a record of this one may contain.
                self.report(why, scan, pos)
                self.opened, self.schemas = back.opened._replace(scan=scan), back.schemas
                self.outer, self.pos = outer, pos
                return
            opened = open_file(self.reading, scan, pos)
            if isinstance(opened, Opened):
                self.report(why, scan, pos)
                self.opened, self.schemas = opened, opened.schemas
                self.outer, self.pos = outer, pos
                return
            n, following = rest_of(scan, pos)
            cause = d.another_file(scan.header is not None, n, opened.text)
            damage = scan.damage(pos._replace(offset=0), 0, cause)
            if self.reading.resync is None:
                raise damage
            self.report(why, scan, pos)
            if following.scan is None:
                end = following.position.offset
                self.reading.lost(d.Lost(damage, scan.base + end, None, False))
                self.ended(scan, pos._replace(offset=end, record=n))
                return
            why, scan, pos = damage, following.scan, following.position

    def report(self, why: Optional[d.Damage], scan: Scan, pos: Position) -> None:
        if why is not None:
            self.reading.lost(going_on(why, True, scan, pos))


def _may_return(place: _Place, scan: Scan) -> bool:
    base = place.opened.scan.base
    return base == scan.base or any(base == s.base for s, _ in scan.outer)
