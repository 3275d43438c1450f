"""From the packed format to the plain one, and back.

Programs know the plain format only. A packed value becomes plain bytes before a program translates
it, and is packed again after that. Both go by way of a value.
"""

from __future__ import annotations

from typing import List, Optional, Tuple

from . import shapes as s
from ._emit import Unusual
from ._gentranslate import Many, compiled
from ._ops import Program, Through, least_read, least_reads
from ._state import State
from ._translate import Translation, origin
from .binding import Type, bind
from .errors import DecodeError
from .schema import Schema

__all__ = ["copying", "expanded", "leaving_out", "packed_again"]


class _Quick:
    # A compiled program, for what is not out of the ordinary.
    def __init__(self, program: Program) -> None:
        self._program = program
        self._many: Optional[Many] = None

    def run(self, st: State) -> Optional[bytes]:
        """The new bytes of the value at the cursor, or nothing, and the cursor stays."""
        # (Compiled code does not count levels.)
        if st.frames:
            return None
        new: List[bytes] = []
        try:
            self._many = self._many or compiled(self._program) or _none
            st.at = self._many(st.data, st.at, st.end, 1, new.append)
        except Exception:
            return None
        return new[0]


def _none(*arguments: object) -> int:
    raise Unusual()


def _formats(schema: Schema, shape: s.Shape) -> Tuple[Type[object], Type[object]]:
    return bind(schema.with_root(shape)), bind(schema.with_root(s.Packed(shape)))


def expanded(schema: Schema, shape: s.Shape, program: Program) -> Through:
    """Run a program on the plain bytes of a packed value, given the shape that is packed."""
    plain, packed = _formats(schema, shape)
    quick, translation = _Quick(program), Translation(program)

    def read(st: State) -> bytes:
        inner = st.on(plain.encode(packed.read_at(st)))
        new = quick.run(inner)
        if new is None:
            try:
                new, _ = translation.run(inner)
            except DecodeError as e:
                st.invalid(st.at, f"in bytes of their own, {e}")
            st.spent(inner)
        return new

    return Through(read)


def packed_again(schema: Schema, shape: s.Shape, program: Program) -> Through:
    """Run a program, and pack the plain value that it makes."""
    plain, packed = _formats(schema, shape)
    quick, translation = _Quick(program), Translation(program)

    def packed_of(st: State, new: bytes) -> bytes:
        inner = st.on(new)
        value = plain.read_at(inner)
        inner.expect_end()
        st.spent(inner)
        return packed.encode(value)

    def read(st: State) -> bytes:
        start = st.at
        new = quick.run(st)
        if new is not None:
            try:
                return packed_of(st, new)
            except DecodeError:
                st.at = start
        new, pieces = translation.run(st)
        try:
            return packed_of(st, new)
        except DecodeError as e:
            raise DecodeError(origin(pieces, e.offset, st.at) - st.base, e.path, e.reason) from None

    return Through(read, least=least_read(least_reads(program.procedures), program.main))


def copying(schema: Schema, shape: s.Shape) -> Through:
    """Copy a packed value."""
    _, packed = _formats(schema, shape)

    def read(st: State) -> bytes:
        start = st.at
        packed.read_at(st)
        return bytes(st.data[start : st.at])

    return Through(read, exact=True)


def leaving_out(schema: Schema, shape: s.Shape) -> Through:
    """Leave out a packed value."""
    _, packed = _formats(schema, shape)

    def read(st: State) -> bytes:
        packed.read_at(st)
        return b""

    return Through(read)
