"""Single records by their numbers."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from . import damage as d
from ._after import search_block
from ._input import FileInput
from ._joined import Part, last_record, part_with, parts_of
from ._layout import BLOCK_BYTES, BlockHeader, MOST, RECORDS
from ._locate import locate, read_index
from ._open import Opened, Reading, Schemas, decode_of, open_file, open_first
from ._records import AT_ONCE, Broken, Decode, decode_block, expanded, passed
from ._scan import Scan, header_at, next_block, start_at, written_next
from .errors import DecodeError

__all__ = ["RecordReader"]


class _Loaded(NamedTuple):
    # A block that has been read and expanded: its offset, and the number of its first record.
    at: int
    first: int
    header: BlockHeader
    body: bytes
    decode: Decode
    #: The records that have been decoded, where the next one begins, and what is wrong with some of
    #: them. The one after the last may be among those: then nobody knows where it ends.
    known: List[Any]
    ends: List[int]
    refused: Dict[int, DecodeError]


class RecordReader:
    """Reads the records of an open file by their numbers."""

    def __init__(self, reading: Reading, name: str, fd: int) -> None:
        self._reading = reading
        self._input = FileInput(name, fd)
        self._opened = open_first(reading, self._input)
        if self._opened.lost is not None:
            reading.lost(self._opened.lost)
        self._parts: Optional[Tuple[int, List[Part]]] = None
        self._known_end = b""
        self._index: Optional[Tuple[int, Optional[bytes]]] = None
        self._schemas: Tuple[Opened, Schemas] = (self._opened, _in_any_order(self._opened.schemas))
        self._last: Optional[_Loaded] = None

    def count(self) -> int:
        """How many records the file has now."""
        size, parts = self._now()
        if not self._has_all(size, parts):
            raise self._damage(size, 0, d.simple("Replaced"))
        return last_record(parts)

    def get(self, i: int) -> Tuple[bool, Any]:
        """Is there a record with this number, and which? Raises :class:`ashlar.Damage`."""
        last = self._last
        if last is not None and last.first <= i < last.first + last.header.records:
            return True, self._record(last, i)
        size, parts = self._now()
        part = part_with(parts, i)
        end = None if part.scan.base == parts[-1].scan.base else part.end
        loaded = self._find(part, end, i)
        if loaded is None:
            if not self._has_all(size, parts):
                raise self._damage(size, i, d.simple("Replaced"))
            return False, None
        return True, self._record(loaded, i)

    def _damage(self, offset: int, i: int, cause: d.Cause) -> d.Damage:
        return d.Damage(self._input.name, offset, None, i, cause)

    def _now(self) -> Tuple[int, List[Part]]:
        size = self._input.size()
        if self._parts is None or self._parts[0] != size or self._end() != self._known_end:
            opened = self._opened
            self._parts = (size, parts_of(opened.scan, opened.start.offset, size))
            self._known_end = self._end()
        return self._parts

    def _end(self) -> bytes:
        # Where a writer appends. It may write as many bytes there as an index had.
        assert self._parts is not None
        last = self._parts[1][-1]
        return last.scan.fetch(last.settled, BLOCK_BYTES)

    def _has_all(self, size: int, parts: List[Part]) -> bool:
        # Is it the file that was opened, with all records? It may have lost its index to a writer.
        if self._input.same(size):
            return True
        return self._input.same(0) and last_record(parts) <= last_record(self._now()[1])

    def _find(self, part: Part, end: Optional[int], i: int) -> Optional[_Loaded]:
        # The block of a record of one of the files, given where that ends, if another one follows.
        scan, own = part.scan, i - part.scan.before
        at, _ = locate(scan, part.start, part.end, self._index_of(part), own)
        before: Optional[Tuple[int, BlockHeader]] = None
        while True:
            place = at
            h = header_at(scan, at) if end is None or at < end else None
            if h is not None and (before is None or written_next(before[1], h)):
                cause = d.wrong_number(scan.before + h.first)
            else:
                # Bytes were lost or inserted.
                found = search_block(
                    scan, (at if before is None else before[0]) + 1, MOST if end is None else end
                )
                if found is None:
                    self._ends(scan, end, i)
                    return None
                (at, h), cause = found, d.simple("NotABlock")
            if own < h.first:
                raise self._damage(scan.base + place, i, cause)
            if h.kind == RECORDS and h.first <= own < h.next_record():
                return self._load(part, at, h, end, i)
            before, at = (at, h), h.end(at)

    def _ends(self, scan: Scan, end: Optional[int], i: int) -> None:
        # No block follows: it is the end, or a tail that is cut off.
        if end is not None:
            raise self._damage(scan.base + end, i, d.simple("NotABlock"))

    def _load(
        self, part: Part, at: int, h: BlockHeader, end: Optional[int], i: int
    ) -> Optional[_Loaded]:
        scan = part.scan
        step = next_block(scan, start_at(at, h.first))
        if step.block is None:
            # The block is being written, or its writer was killed.
            if step.cause is None or step.cause.kind == "Truncated":
                self._ends(scan, end, i)
                return None
            raise self._damage(scan.base + at, i, step.cause)
        opened, schemas = self._schemas
        if opened.scan.base != scan.base:
            found = open_file(self._reading, scan, start_at(part.start, part.first))
            if isinstance(found, d.Cause):
                cause = d.another_file(scan.header is not None, part.next, found.text)
                raise self._damage(scan.base, i, cause)
            opened, schemas = found, _in_any_order(found.schemas)
        schemas, decode = decode_of(self._reading, scan, schemas, at, h)
        if isinstance(decode, d.Cause):
            raise self._damage(scan.base + at, i, decode)
        body = expanded(opened.compressed, self._reading.expansion_limit, h, step.block.body)
        if isinstance(body, d.Cause):
            raise self._damage(scan.base + at, i, body)
        self._schemas = (opened, _in_any_order(schemas))
        self._last = _Loaded(step.block.at, step.block.record, h, body, decode, [], [0], {})
        return self._last

    def _index_of(self, part: Part) -> Optional[bytes]:
        if self._index is None or self._index[0] != part.scan.base:
            self._index = (part.scan.base, read_index(part.scan, part.end))
        return self._index[1]

    def _record(self, loaded: _Loaded, i: int) -> Any:
        # The records before it in the block are decoded, too, and kept.
        wanted = i - loaded.first
        known, refused = loaded.known, loaded.refused
        count = min(loaded.header.records, max(wanted + 1, 2 * len(known)))
        while len(known) <= wanted and len(known) not in refused:
            self._more(loaded, min(AT_ONCE, count - len(known)))
        error = refused.get(min(wanted, len(known)))
        if error is not None:
            raise self._damage(loaded.at, i, d.bad_record(error))
        return known[wanted]

    def _more(self, loaded: _Loaded, count: int) -> None:
        # So many records, or those before one that is refused, with that one.
        try:
            values, end = decode_block(loaded.decode, loaded.body, loaded.ends[0], count)
        except Broken as e:
            values, end = e.values, e.at
            after = passed(loaded.decode, loaded.body, end)
            # Without the traceback, which would keep all frames.
            error = DecodeError(e.error.offset, e.error.path, e.error.reason)
            loaded.refused[len(loaded.known) + len(values)] = error
            if after is not None:
                values, end = [*values, None], after
        loaded.ends[0] = end
        loaded.known.extend(values)


def _in_any_order(schemas: Schemas) -> Schemas:
    return schemas._replace(passed=0)

