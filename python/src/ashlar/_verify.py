"""Check the structure, the checksums and the values of a file."""

from __future__ import annotations

import os
from typing import Callable, Dict, Optional, Tuple, Union

from . import _zlib
from . import damage as d
from ._blocks import FileBegins, events_of
from ._input import FileInput
from ._layout import FileHeader, RECORDS, SCHEMA
from ._open import Reading
from ._records import AT_ONCE, Broken, Decode, decode_block, expanded
from ._scan import Block

__all__ = ["verify"]

#: Prints a line; the damage that it is about, if that is so.
Report = Callable[[str, Optional[d.Damage]], None]


def verify(path: str, by_schema: Callable[[bytes, bytes], Union[Decode, str]], report: Report, lost_text: Callable[[d.Lost], str]) -> str:
    """Report all damage. Returns how much is readable, in words."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return _Check(path, by_schema, report, lost_text).run(FileInput(path, fd))
    finally:
        os.close(fd)


class _Check:
    def __init__(
        self,
        path: str,
        by_schema: Callable[[bytes, bytes], Union[Decode, str]],
        report: Report,
        lost_text: Callable[[d.Lost], str],
    ) -> None:
        self.path = path
        self.by_schema = by_schema
        self.report = report
        self.lost_text = lost_text
        self.files = self.blocks = self.records = 0
        self.first = b""
        self.header: Optional[FileHeader] = None
        #: How to read records, by the file, the offset of their schema, and its fingerprint.
        self.known: Dict[Tuple[int, int, bytes], Union[Decode, str]] = {}
        self.unread: Optional[str] = None

    def run(self, input: FileInput) -> str:
        for event in events_of(input):
            if isinstance(event, d.Lost):
                self.report(self.lost_text(event), event.damage)
            elif isinstance(event, FileBegins):
                self.file(event)
            else:
                self.block(event)
        if self.unread is not None:
            self.report(f"{self.path}: values were not checked: {self.unread}", None)
        text = f"{_count(self.records, 'record')} in {_count(self.blocks, 'block')}"
        return text + (f" of {_count(self.files, 'file')}" if self.files > 1 else "")

    def file(self, event: FileBegins) -> None:
        self.files += 1
        h = self.header = event.header
        if h is not None:
            self.first = self.first or h.fingerprint
            self.known = {(event.at, 0, h.fingerprint): self.by_schema(h.schema, h.fingerprint)}
        if event.at > 0:
            other = ", of another type" if h is not None and h.fingerprint != self.first else ""
            self.report(f"{self.path}: another file begins at byte {event.at}{other}", None)

    def block(self, b: Block) -> None:
        self.blocks += 1
        h = b.header
        if h.kind == SCHEMA:
            # Records refer to the last schema before them.
            self.known = {(b.file, h.offset, h.fingerprint): self.by_schema(b.body, h.fingerprint)}
        if h.kind != RECORDS:
            return
        decode = self.known.get((b.file, h.schema_at, h.fingerprint))
        if decode is None:
            self.wrong(b, 0, d.simple("UnknownSchema"))
        elif isinstance(decode, str):
            self.unread = decode
            self.records += h.records
        else:
            self.body(b, decode)

    def body(self, b: Block, decode: Decode) -> None:
        name = b"" if self.header is None else self.header.compression
        if b.header.compressed and name != _zlib.NAME:
            self.unread = f"compressed by {d.shown(name)}"
            self.records += b.header.records
            return
        body = expanded(True, Reading(None, None, self.by_schema).expansion_limit, b.header, b.body)
        if isinstance(body, d.Cause):
            self.wrong(b, 0, body)
            return
        n = end = 0
        try:
            while n < b.header.records:
                values, end = decode_block(decode, body, end, min(AT_ONCE, b.header.records - n))
                n += len(values)
        except Broken as e:
            self.wrong(b, n + len(e.values), d.bad_record(e.error))
            return
        if end < len(body):
            self.wrong(b, n, d.simple("WrongCount"))
        else:
            self.records += n

    def wrong(self, b: Block, n: int, cause: d.Cause) -> None:
        damage = d.Damage(self.path, b.at, b.number, b.record + n, cause)
        self.records += n
        self.report(str(damage), damage)


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
