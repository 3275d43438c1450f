"""Reading records of other schemas as values of a type."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

from . import shapes as s
from ._emit import RAISED
from ._facts import Facts
from ._match import program
from ._mismatch import Mismatch
from ._gentranslate import compiled
from ._ops import Program, is_identity, unreadable
from ._records import Values
from ._state import State, bytes_at
from ._translate import Translation, origin
from ._write import write
from .binding import Type, expect_type
from .errors import DecodeError, EvolutionError
from .schema import Schema

__all__ = ["Evolved", "evolve", "evolved", "evolved_reader", "refused_schema", "stored_fingerprint"]


def stored_fingerprint(schema: Schema) -> bytes:
    """The fingerprint of a schema as files have it: two words, least significant byte first."""
    digest = schema.fingerprint()
    return digest[7::-1] + digest[:7:-1]


class Evolved:
    """Reads old values: it translates their bytes, and reads the new ones."""

    def __init__(self, kind: Type[Any], found: Program) -> None:
        self._kind = kind
        self._translation = Translation(found)
        self._many = compiled(found)

    def decode_from(self, data: bytes, at: int) -> Tuple[Any, int]:
        """The value at an offset, and where it ends. Offsets in errors are those in the old bytes."""
        data = bytes_at(data, at)
        state = State(data, at, len(data))
        new, pieces = self._translation.run(state)
        inner = state.on(new)
        try:
            value = self._kind.read_at(inner)
            inner.expect_end()
            return value, state.at
        except DecodeError as e:
            offset = origin(pieces, e.offset, state.at) - at
            raise DecodeError(offset, e.path, e.reason) from None

    def decode_many(self, data: bytes, at: int, count: int) -> Tuple[List[Any], int]:
        """So many values, and where the last one ends."""
        if self._many is not None:
            new: List[bytes] = []
            try:
                end = self._many(data, at, len(data), count, new.append)
                joined = b"".join(new)
                found, size = self._kind.decode_many(joined, 0, count)
                if size == len(joined):
                    return found, end
            except RAISED:
                # What is wrong, or out of the ordinary, is read one by one.
                pass
        values = []
        for _ in range(count):
            value, at = self.decode_from(data, at)
            values.append(value)
        return values, at


def evolved(kind: Type[Any], old: Schema, skipping: bool) -> Values:
    """How to read values of an older schema as those of a type. Raises ``Mismatch``."""
    if old.same_fingerprint(kind.schema):
        return kind
    def default(facts: Facts, shape: s.Shape, value: Any) -> bytes:
        out = bytearray()
        write(facts, kind.take, shape, value, out)
        return bytes(out)

    found = program(old, kind.schema, kind.evolution, skipping, default)
    if is_identity(found):
        return kind
    problem = unreadable(found)
    if problem is not None:
        raise problem
    return Evolved(kind, found)


def evolved_reader(
    kind: Type[Any], schema: bytes, skipping: bool
) -> Union[str, Tuple[Values, Schema]]:
    """How to read values of a schema as those of a type, and the schema; or why not."""
    try:
        old = Schema.decode(schema)
    except DecodeError as e:
        return f"the schema of the records cannot be read: {e}"
    try:
        return evolved(kind, old, skipping), old
    except Mismatch as e:
        return e.describe()


def refused_schema(kind: Type[Any], schema: bytes) -> Optional[str]:
    """Why values of a schema cannot be read as those of a type."""
    found = evolved_reader(kind, schema, False)
    return found if isinstance(found, str) else None


def evolve(kind: Type[Any], old: Schema, *, skipping: bool = False) -> Values:
    """How to read values of an older schema as those of a type, which has ``decode_from`` and ``decode_many``.

    ``skipping`` passes over fields and constructors that the type does not have. Raises
    :class:`ashlar.EvolutionError` with what Haskell's ``describeMismatch`` says.

    >>> from ashlar import Schema, bind, shapes
    >>> from ashlar.evolution import Added
    >>> def order(*names):
    ...     fields = tuple(shapes.Field(n, shapes.Leaf("word8")) for n in names)
    ...     c = shapes.Constructor("Order", fields)
    ...     return Schema(shapes.Reference(0), (shapes.Definition("Order", "record", "unknown", (c,)),))
    >>> evolve(bind(order("a", "b")), order("b"))
    Traceback (most recent call last):
      ...
    ashlar.errors.EvolutionError: Order.a: the field is new; give it a default with added @"a" in the evolution of Order
    >>> today = bind(order("a", "b"), evolution={"Order": [Added("a", 7)]})
    >>> evolve(today, order("b")).decode_from(b"\\1", 0)
    ({'a': 7, 'b': 1}, 1)
    """
    expect_type(kind)
    try:
        return evolved(kind, old, skipping)
    except Mismatch as e:
        raise EvolutionError(e.describe()) from None
