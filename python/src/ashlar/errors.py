"""What reading and writing raise."""

from __future__ import annotations

import errno
import unicodedata
from typing import Any, List, Optional, Tuple

from ._describe import clean

__all__ = ["AshlarError", "DecodeError", "EncodeError", "EvolutionError", "escaped", "no_data"]


class AshlarError(ValueError):
    """The base of all errors of this package."""


class DecodeError(AshlarError):
    """Bytes that are refused: where, and why.

    ``offset`` counts bytes from the beginning of the value, ``path`` is the way to the part that is
    wrong (it may be empty), ``reason`` says what is wrong. The text is the first line that Haskell's
    ``displayException`` shows.

    >>> str(DecodeError(51, "Order.items[1].price", "8 bytes needed, 5 left"))
    'at byte 51, in Order.items[1].price: 8 bytes needed, 5 left'
    """

    def __init__(self, offset: int, path: str, reason: str) -> None:
        place = f", in {path}" if path else ""
        super().__init__(escaped(f"at byte {offset}{place}: {reason}"))
        self.offset = offset
        self.path = path
        self.reason = reason
        #: For one of many values: its number, and the values before it.
        self.index = 0
        self.values: List[Any] = []

    def __reduce__(self) -> Tuple[Any, ...]:
        return (DecodeError, (self.offset, self.path, self.reason))


def escaped(text: str) -> str:
    """A text in one line: control characters are escaped as Haskell's ``show`` does it.

    >>> print(escaped("a" + chr(10) + chr(0x2028)))
    a\\n\\8232
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(clean(c) if unicodedata.category(c) in ("Cc", "Zl", "Zp") else c for c in text)


class EncodeError(AshlarError, TypeError):
    """A value that is not one of the schema. ``path`` is the way to the part that is wrong.

    >>> str(EncodeError("Order.items[1]", "a whole number is needed, not str"))
    'in Order.items[1]: a whole number is needed, not str'
    """

    def __init__(self, path: Optional[str], reason: str) -> None:
        super().__init__(f"in {path}: {reason}" if path else reason)
        self.path = path or ""
        self.reason = reason

    def __reduce__(self) -> Tuple[Any, ...]:
        return (EncodeError, (self.path, self.reason))


class EvolutionError(AshlarError):
    """Values of another schema cannot be read as those of a type. The text says why, and what to write."""


def no_data(*names: str) -> BlockingIOError:
    """The error for a stream without data yet. (Only ``b""`` is the end.)"""
    return BlockingIOError(errno.EAGAIN, "no data yet, where a stream is needed that waits for them", *names)
