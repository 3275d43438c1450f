"""The records of a block."""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Protocol, Tuple, Union

from . import _zlib
from . import damage as d
from ._layout import BlockHeader
from .errors import DecodeError

__all__ = [
    "AT_ONCE",
    "Broken",
    "Decode",
    "Values",
    "decode_block",
    "decode_one",
    "expanded",
    "joined_error",
    "passed",
]

#: How many records are decoded at a time. A body of 64 MiB may have as many records as bytes, and
#: their values take far more memory.
AT_ONCE = 1000


class Values(Protocol):
    """What reads values one after another: a :class:`ashlar.Type`, for instance."""

    def decode_from(self, data: bytes, at: int) -> Tuple[Any, int]:
        """The value at an offset, and where it ends."""

    def decode_many(self, data: bytes, at: int, count: int) -> Tuple[List[Any], int]:
        """So many values, and where the last one ends."""


class Decode(NamedTuple):
    """How to read records: may one take no bytes, and how is one passed over that is refused?"""

    values: Values
    may_be_empty: bool
    passing: Optional[Callable[[bytes, int], int]]


class Broken(Exception):
    """A record cannot be decoded. Those before it, where it begins, and why not."""

    def __init__(self, values: List[Any], at: int, error: DecodeError) -> None:
        super().__init__(error)
        self.values = values
        self.at = at
        self.error = error


def joined_error(e: DecodeError, at: int) -> DecodeError:
    """The error of a decoder that began at an offset."""
    return DecodeError(e.offset + at, e.path, e.reason)


def decode_one(decode: Decode, body: bytes, at: int) -> Tuple[Any, int]:
    """A record, and where it ends. Offsets in errors count from the beginning of the body."""
    try:
        value, end = decode.values.decode_from(body, at)
    except DecodeError as e:
        raise joined_error(e, at) from None
    return value, _after(body, at, end)


def _after(body: bytes, at: int, end: int) -> int:
    # A record of no bytes has a byte that is 0. So no file can announce more records than bytes.
    if end > at:
        return end
    if at >= len(body):
        raise DecodeError(at, "", "1 byte needed, 0 left")
    if body[at]:
        raise DecodeError(at, "", "a byte that is not 0 for a record of no bytes")
    return at + 1


def decode_block(decode: Decode, body: bytes, at: int, count: int) -> Tuple[List[Any], int]:
    """The records from an offset on, and where the last one ends. Raises :class:`Broken`."""
    if not decode.may_be_empty:
        try:
            return decode.values.decode_many(body, at, count)
        except DecodeError:
            pass
    values: List[Any] = []
    for _ in range(count):
        try:
            value, end = decode_one(decode, body, at)
        except DecodeError as e:
            raise Broken(values, at, e) from None
        values.append(value)
        at = end
    return values, at


def passed(decode: Decode, body: bytes, at: int) -> Optional[int]:
    """Where a record ends that is refused, if it can be passed over."""
    if decode.passing is None:
        return None
    try:
        return decode.passing(body, at)
    except ValueError:
        return None


def expanded(compressed: bool, ratio: int, h: BlockHeader, body: bytes) -> Union[bytes, d.Cause]:
    """The body of a block, expanded; or what is wrong with it."""
    if not h.compressed:
        return body
    if h.expanded // max(1, ratio) > h.stored:
        return d.too_large(h.expanded, h.stored * ratio)
    if not compressed:
        return d.unknown_compression(b"")
    found = _zlib.expand(h.expanded, body)
    if isinstance(found, str):
        return d.wrong_expansion(found)
    if len(found) != h.expanded:
        return d.wrong_expansion("another number of bytes than the block says")
    return found
