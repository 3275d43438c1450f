"""From the packed format to the plain one, and back.

Programs know the plain format only. A packed value becomes plain bytes before a program translates
it, and is packed again after that. Both go by way of a value.
"""

from __future__ import annotations

from typing import Tuple

from . import shapes as s
from ._ops import Program, Through, least_read, least_reads
from ._state import State
from ._translate import Translation, origin
from .binding import Type, bind
from .errors import DecodeError
from .schema import Schema

__all__ = ["copying", "expanded", "leaving_out", "packed_again"]


def _formats(schema: Schema, shape: s.Shape) -> Tuple[Type[object], Type[object]]:
    return bind(schema.with_root(shape)), bind(schema.with_root(s.Packed(shape)))


def expanded(schema: Schema, shape: s.Shape, program: Program) -> Through:
    """Run a program on the plain bytes of a packed value, given the shape that is packed."""
    plain, packed = _formats(schema, shape)
    translation = Translation(program)

    def read(st: State) -> bytes:
        inner = st.on(plain.encode(packed.read_at(st)))
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
    translation = Translation(program)

    def read(st: State) -> bytes:
        new, pieces = translation.run(st)
        inner = st.on(new)
        try:
            value = plain.read_at(inner)
            inner.expect_end()
        except DecodeError as e:
            raise DecodeError(origin(pieces, e.offset, st.at) - st.base, e.path, e.reason) from None
        st.spent(inner)
        return packed.encode(value)

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
