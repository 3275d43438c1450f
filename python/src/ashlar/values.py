"""The values that Python has no type of its own for."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Any, Generic, List, TypeVar

__all__ = ["Array", "ExactNaN", "nan_of_bits"]

I = TypeVar("I")
E = TypeVar("E")


@dataclass
class Array(Generic[I, E]):
    """An array with bounds: the lower and the upper index, and the elements in the order of their indices.

    >>> Array(1, 2, ["a", "b"])
    Array(lower=1, upper=2, elements=['a', 'b'])
    """

    lower: I
    upper: I
    elements: List[E]


class ExactNaN(float):
    """A NaN of 4 bytes that keeps its bits: ``float`` has 8 bytes, and changes some on the way.

    ``bits`` are the bytes, most significant first. Raises :class:`ValueError` if they are not those of a NaN.

    >>> ExactNaN(bytes.fromhex("7f800000"))
    Traceback (most recent call last):
      ...
    ValueError: the 4 bytes of a NaN are needed, not b'\\x7f\\x80\\x00\\x00'
    """

    bits: bytes

    def __new__(cls, bits: bytes) -> ExactNaN:
        if not isinstance(bits, bytes) or len(bits) != 4 or not math.isnan(struct.unpack(">f", bits)[0]):
            raise ValueError(f"the 4 bytes of a NaN are needed, not {bits!r:.100}")
        self = super().__new__(cls, "nan")
        self.bits = bits
        return self

    def __reduce__(self) -> Any:
        return (ExactNaN, (self.bits,))


def nan_of_bits(size: int, bits: bytes) -> float:
    """The NaN with these bytes, most significant first: a ``float`` if that keeps them.

    >>> type(nan_of_bits(4, bytes.fromhex("7fc00000"))), type(nan_of_bits(4, bytes.fromhex("7fa00000"))).__name__
    (<class 'float'>, 'ExactNaN')
    """
    if size == 8:
        return float(struct.unpack(">d", bits)[0])
    # Only the usual NaN is a float. All others might lose bits on some machine.
    return float("nan") if bits == b"\x7f\xc0\0\0" else ExactNaN(bits)
