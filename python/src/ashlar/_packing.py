"""From the packed format to the plain one, and back.

Programs know the plain format only. A packed value becomes plain bytes, with all in it, before a
program translates it. After that it is packed. Both go by way of a value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import List, Optional, Set, Tuple

from . import shapes as s
from ._describe import definition_names
from ._emit import RAISED, Unusual
from ._facts import plain_shape
from ._gentranslate import Many, compiled
from ._ops import Program, Through, least_read, least_reads
from ._planning import peelings, unpacked_part
from ._state import State
from ._translate import Translation, origin
from .binding import Type, bind
from .errors import DecodeError
from .schema import Schema

__all__ = ["Side", "copying", "expanded", "leaving_out", "packed_again", "undescribed_in"]


def undescribed_in(schema: Schema, shape: s.Shape) -> Optional[Tuple[str, List[str]]]:
    """What keeps values of this shape from being read by the schema, if anything does.

    Constructors that are no longer in use do not.
    """
    seen: Set[int] = set()
    left = [shape]
    while left:
        x = left.pop()
        if isinstance(x, s.Opaque) and x.size is None:
            return "NotDescribed", [x.name]
        if isinstance(x, s.Irregular):
            return "IsIrregular", [x.name]
        parts = list(s.children(x))
        if isinstance(x, s.Reference) and x.to not in seen:
            seen.add(x.to)
            in_use = [c for c in schema.definitions[x.to].constructors if not c.retired]
            parts = [f.shape for c in in_use for f in c.fields]
        left.extend(reversed(parts))
    return None


class Side:
    """The old schema or the new one, and what a plan asks of it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.definitions = schema.definitions
        self.peeled = peelings(schema.definitions)
        self.names = definition_names(schema.definitions)

    @cached_property
    def plain(self) -> Side:
        """The same values in the plain format: none of the shapes is packed.

        So a type that contains itself by way of a packed one has a program, too.
        """
        return Side(Schema._unchecked(plain_shape(self.schema.root), tuple(map(_plain, self.definitions))))

    @cached_property
    def has_unpacked(self) -> bool:
        """Is a part of the values not packed, although they are?"""
        work = [f.shape for d in self.definitions for c in d.constructors for f in c.fields]
        work.append(self.schema.root)
        while work:
            shape = work.pop()
            if isinstance(shape, s.Unpacked):
                return True
            work.extend(s.children(shape))
        return False

    def peel(self, shape: s.Shape) -> Optional[s.Shape]:
        """A shape without newtypes around it, or ``None`` for a newtype of itself."""
        shape = unpacked_part(shape)
        return self.peeled[shape.to] if isinstance(shape, s.Reference) else shape


def _plain(d: s.Definition) -> s.Definition:
    def constructor(c: s.Constructor) -> s.Constructor:
        return replace(c, fields=tuple(replace(f, shape=plain_shape(f.shape)) for f in c.fields))

    return replace(d, constructors=tuple(map(constructor, d.constructors)))


class _Quick:
    # A compiled program, for what is not out of the ordinary.
    def __init__(self, program: Program) -> None:
        self._program = program
        self._many: Optional[Many] = None

    def run(self, st: State) -> Optional[bytes]:
        """The new bytes of the value at the cursor, or nothing, and the cursor stays."""
        # (Compiled code does not count levels.)
        if st.levels:
            return None
        new: List[bytes] = []
        try:
            self._many = self._many or compiled(self._program) or _none
            st.at = self._many(st.data, st.at, st.end, 1, new.append)
        except RAISED:
            return None
        return new[0]


def _none(*arguments: object) -> int:
    raise Unusual()


def _packed(side: Side, shape: s.Shape) -> Type[object]:
    return bind(side.schema.with_root(s.Packed(shape)))


def _formats(side: Side, shape: s.Shape) -> Tuple[Type[object], Type[object]]:
    return bind(side.plain.schema.with_root(plain_shape(shape))), _packed(side, shape)


def _written(kind: Type[object], value: object) -> bytes:
    out = bytearray()
    kind.encode_into(value, out, limited=False)
    return bytes(out)


def expanded(side: Side, shape: s.Shape, program: Program) -> Through:
    """Run a program on the plain bytes of a packed value, given the shape that is packed."""
    plain, packed = _formats(side, shape)
    quick, translation = _Quick(program), Translation(program)

    def read(st: State) -> bytes:
        inner = st.on(_written(plain, packed.read_at(st)))
        new = quick.run(inner)
        if new is None:
            try:
                new, _ = translation.run(inner)
            except DecodeError as e:
                st.invalid(st.at, f"in bytes of their own, {e}")
            st.spent(inner)
        return new

    return Through(read)


def packed_again(side: Side, shape: s.Shape, program: Program) -> Through:
    """Run a program, and pack the value that it makes, which is plain with all in it."""
    plain, packed = _formats(side, shape)
    quick, translation = _Quick(program), Translation(program)

    def packed_of(st: State, new: bytes) -> bytes:
        inner = st.on(new)
        value = plain.read_at(inner)
        inner.expect_end()
        st.spent(inner)
        return _written(packed, value)

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


def copying(side: Side, shape: s.Shape) -> Through:
    """Copy a packed value."""
    packed = _packed(side, shape)

    def read(st: State) -> bytes:
        start = st.at
        packed.read_at(st)
        return bytes(st.data[start : st.at])

    return Through(read, exact=True)


def leaving_out(side: Side, shape: s.Shape) -> Through:
    """Leave out a packed value."""
    packed = _packed(side, shape)

    def read(st: State) -> bytes:
        packed.read_at(st)
        return b""

    return Through(read)
