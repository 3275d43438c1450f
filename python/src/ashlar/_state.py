"""A run of the exact decoder: its input, its place in the value, and its budget."""

from __future__ import annotations

from typing import List, NoReturn, Optional, Tuple, Union

from . import _path
from ._bits import NO_BITS, refilled
from ._budget import LEVELS, RAISABLE, STEPS
from .errors import DecodeError

__all__ = ["Buffer", "State", "bytes_at"]

Buffer = Union[bytes, bytearray, memoryview]


class State:
    """What a run of a decoder knows. ``at`` is the cursor."""

    __slots__ = ("data", "at", "end", "base", "around", "levels", "frames", "parts", "steps", "bits")

    def __init__(self, data: bytes, at: int, end: int, around: Optional[State] = None) -> None:
        self.data = data
        self.at = at
        self.end = end
        self.base = at
        #: The decoder of the bytes that these come from, if there is one.
        self.around = around
        #: How deep the cursor is nested.
        self.levels: int = 0 if around is None else around.levels
        self.frames: List[_path.Frame] = []
        self.parts: List[int] = []
        self.steps: int = STEPS if around is None else around.steps
        self.bits = NO_BITS

    def invalid(self, at: int, reason: str) -> NoReturn:
        """Refuse what begins at this place."""
        if len(reason) > 1000:
            reason = reason[:1000] + ".."
        raise DecodeError(at - self.base, _path.labels(*self._place()), reason)

    def _place(self) -> Tuple[List[_path.Frame], List[int]]:
        # The values around the cursor, the outermost first, and the part in each.
        frames, parts = list(self.frames), list(self.parts)
        around = self.around
        while around is not None:
            frames[:0], parts[:0] = around.frames, around.parts
            around = around.around
        return frames, parts

    def need(self, n: int) -> None:
        """Refuse an input that has fewer than n bytes left."""
        left = self.end - self.at
        if left < n:
            announced = ""
            for frame in reversed(self._place()[0]):
                if frame[2] is None:
                    announced = f" ({_count(frame[3], 'element')} announced)"
                    break
            self.invalid(self.at, f"{_count(n, 'byte')} needed, {left} left{announced}")

    def on(self, data: bytes) -> State:
        """A decoder of other bytes, which uses the levels and steps of this one."""
        return State(data, 0, len(data), self)

    def spent(self, other: State) -> None:
        """Go on with the budget of another decoder."""
        self.steps = other.steps

    def take(self, n: int) -> bytes:
        """The next n bytes."""
        self.need(n)
        self.at += n
        return bytes(self.data[self.at - n : self.at])

    def spend(self, what: str, n: int) -> None:
        """Use steps of the budget."""
        if n > self.steps:
            self.invalid(self.at, f"more than {STEPS}{what}{RAISABLE}")
        self.steps -= n

    def enter(self, frame: _path.Frame) -> None:
        """Begin a value inside of another one."""
        if self.levels >= LEVELS:
            self.invalid(self.at, f"nested more than {LEVELS} levels deep{RAISABLE}")
        self.levels += 1
        self.frames.append(frame)
        self.parts.append(-1)

    def leave(self) -> None:
        """End the value that began last."""
        self.levels -= 1
        self.frames.pop()
        self.parts.pop()

    def part(self, number: int) -> None:
        """A part of the innermost value begins: its index, or how many fields follow it."""
        if self.parts:
            self.parts[-1] = number

    def read_varint(self) -> int:
        """An unsigned number of 64 bits in LEB128, in its shortest form."""
        start = self.at
        n = shift = 0
        for i in range(10):
            if start + i >= self.end:
                self.need(i + 1)
            b = self.data[start + i]
            n |= (b & 127) << shift
            shift += 7
            if b < 128:
                if n >> 64:
                    break
                if b == 0 and i > 0:
                    self.invalid(start, "a varint that is not in its shortest form")
                self.at = start + i + 1
                return n
        self.invalid(start, "a varint that does not fit its type")

    def read_length(self, compact: bool) -> int:
        """A length, which is not negative, but otherwise untrusted."""
        start = self.at
        if compact:
            n = self.read_varint()
            if n >= 1 << 63:
                self.invalid(start, "a length that does not fit")
            return n
        n = int.from_bytes(self.take(8), "little", signed=True)
        if n < 0:
            self.invalid(start, f"negative length {n}")
        return n

    def read_symbol(self, count: int) -> int:
        """One of some symbols."""
        width = count.bit_length() - 1
        n = self._bits(width)
        short = (2 << width) - count
        return n if n < short else 2 * n + self._bits(1) - short

    def _bits(self, width: int) -> int:
        n = 0
        for _ in range(width):
            if self.bits == NO_BITS:
                self.need(1)
                self.bits = refilled(self.data[self.at])
                self.at += 1
            n = 2 * n + (self.bits >> 8)
            self.bits = self.bits << 1 & 511
        return n

    def expect_end(self) -> None:
        """Refuse bytes that are left."""
        if self.at < self.end:
            raise DecodeError(self.at - self.base, "", "expected the end of the input")


def bytes_at(data: Buffer, at: int) -> bytes:
    """The data as bytes, given an offset that must be in them."""
    # (Of a number, bytes would make as many zeros.)
    held = data if isinstance(data, bytes) else bytes(memoryview(data))
    if not 0 <= at <= len(held):
        raise ValueError(f"an offset from 0 to {len(held)} is needed, not {at}")
    return held


def _count(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"
