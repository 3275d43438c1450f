"""What may be wrong with a file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Optional, Tuple

from . import _zlib
from .errors import AshlarError, DecodeError

__all__ = ["Cause", "Damage", "Lost", "OtherFile"]


@dataclass(frozen=True)
class OtherFile:
    """A whole file that follows another one: is its header right, and how many records does it have?"""

    has_header: bool
    records: int


@dataclass(frozen=True)
class Cause:
    """What is wrong with a header or a block.

    ``kind`` is one of ``NotAFile``, ``LaterVersion``, ``TruncatedHeader``, ``WrongHeader``,
    ``WrongType``, ``UnknownCompression``, ``NotABlock``, ``AnotherFile``, ``Replaced``,
    ``WrongBlockHeader``, ``Truncated``, ``WrongChecksum``, ``TooLarge``, ``WrongExpansion``,
    ``WrongNumber``, ``WrongCount``, ``UnknownSchema`` and ``BadRecord``.
    """

    kind: str
    text: str
    error: Optional[DecodeError] = None
    other: Optional[OtherFile] = None
    #: How many bytes there are: for ``TruncatedHeader``, and of the name for ``UnknownCompression``.
    left: int = 0


class Damage(AshlarError):
    """What is wrong with a file, and where.

    ``offset`` is that of the header or block. ``block`` is its number, or ``None`` for the header of
    a file, and where a block was looked up by the number of a record. ``record`` is the number of
    the first record that is missing. Offsets and numbers count from the beginning of the first file
    if files were joined. The text is the first line of what Haskell's ``displayException`` shows.
    """

    def __init__(self, file: str, offset: int, block: Optional[int], record: int, cause: Cause) -> None:
        place = "" if block is None else f" (block {block})"
        super().__init__(f"{file}: at byte {offset}{place}, from record {record} on: {cause.text}")
        self.file = file
        self.offset = offset
        self.block = block
        self.record = record
        self.cause = cause

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Damage, (self.file, self.offset, self.block, self.record, self.cause))


@dataclass(frozen=True)
class Lost:
    """What was passed over because of damage.

    Reading goes on at the offset ``to``, with the record ``next`` (``None`` if no record follows).
    ``other`` says whether that is in another file, which was joined to this one.
    """

    damage: Damage
    to: int
    next: Optional[int]
    other: bool


# The causes. Each text is that of Haskell.


def simple(kind: str) -> Cause:
    """A cause without details."""
    return Cause(kind, _TEXTS[kind])


_TEXTS = {
    "NotAFile": "not a file of records",
    "WrongHeader": "the header of the file is damaged",
    "NotABlock": "no block begins here",
    "Replaced": "the file was cut off or written over while it was read",
    "WrongBlockHeader": "the header of the block is damaged",
    "WrongChecksum": "wrong checksum",
    "WrongCount": "wrong number of records in the block",
    "UnknownSchema": "the schema of the records is lost",
}


def later_version(version: int) -> Cause:
    """A later version wrote the file."""
    return Cause("LaterVersion", f"version {version} of the format, which is not known")


def truncated_header(needed: int, left: int) -> Cause:
    """The file ends in its header."""
    text = f"the file ends in its header: {needed} bytes needed, {left} left"
    return Cause("TruncatedHeader", text, left=left)


def truncated(needed: int, left: int) -> Cause:
    """The file ends in a block."""
    return Cause("Truncated", f"the file ends in this block: {needed} bytes needed, {left} left")


def wrong_type(why: str) -> Cause:
    """The records cannot be read as values of the type."""
    return Cause("WrongType", f"another type: {why}")


def unknown_compression(name: bytes) -> Cause:
    """The compression is not known."""
    text = f"compressed by {shown(name[:100])}, for which no function was given"
    return Cause("UnknownCompression", text, left=len(name))


def other_compression(name: bytes) -> Cause:
    """What is appended has another compression."""
    found = unknown_compression(name)
    if name == _zlib.NAME:
        return replace(found, text=f"compressed by {shown(name)}: append with zlib=6, or another level")
    return found if name else replace(found, text="not compressed: append without zlib")


def too_large(size: int, limit: int) -> Cause:
    """A block is larger than the reader allows."""
    return Cause("TooLarge", f"a block of {size} bytes, where {limit} are allowed")


def wrong_expansion(why: str) -> Cause:
    """A block cannot be expanded."""
    return Cause("WrongExpansion", f"the block cannot be expanded: {why}")


def wrong_number(first: int) -> Cause:
    """A block begins with another record."""
    return Cause("WrongNumber", f"the block begins with record {first}")


def bad_record(error: DecodeError) -> Cause:
    """A record cannot be decoded."""
    return Cause("BadRecord", str(error), error)


def another_file(has_header: bool, records: int, reason: str) -> Cause:
    """Another file begins, which cannot be read."""
    count = "1 record" if records == 1 else f"{records} records"
    text = f"another file begins here, which has {count}: {reason}"
    return Cause("AnotherFile", text, other=OtherFile(has_header, records))


_NAMED = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\", 127: "\\DEL"}
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split()


def shown(data: bytes) -> str:
    """Bytes as Haskell's ``show`` writes them.

    >>> shown(b"a\\n\\x0e1\\xff2")
    '"a\\\\n\\\\SO1\\\\255\\\\&2"'
    """
    out = []
    for i, b in enumerate(data):
        after = data[i + 1 : i + 2]
        if b in _NAMED:
            out.append(_NAMED[b])
        elif b < 32:
            out.append("\\" + _CONTROLS[b] + ("\\&" if b == 14 and after == b"H" else ""))
        elif b < 127:
            out.append(chr(b))
        else:
            out.append(f"\\{b}" + ("\\&" if after.isdigit() else ""))
    return '"' + "".join(out) + '"'
