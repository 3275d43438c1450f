"""Schemas and the Python types of their values."""

from __future__ import annotations

from typing import (
    Any,
    Callable,
    Dict,
    Generic,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type as Class,
    TypeVar,
    Union,
    get_args,
    overload,
)

from ._bindclasses import Classes, bind_classes
from ._budget import LEVELS, STEPS
from ._emit import RAISED, Unusual, small_enough
from ._exact import Exact
from ._genjson import json_source
from ._genread import reader_source
from ._genwrite import writer_source
from ._json import MOST_JSON, json_text
from ._rules import wrong_rule
from ._state import Buffer, State, bytes_at
from ._write import write
from .errors import AshlarError, DecodeError, EncodeError
from .evolution import Rule
from .schema import Schema

__all__ = ["Type", "bind", "expect_type"]

T = TypeVar("T")

Evolution = Optional[Mapping[str, Sequence[Rule]]]

_Read = Callable[[bytes, int, int], Tuple[Any, int]]
_Many = Callable[[bytes, int, int, int, List[Any]], int]


class Type(Generic[T]):
    """How to read and write the values of a schema. :func:`bind` makes one.

    The schema is compiled to Python functions when the first value is read or written. Keep the
    type for many values.
    """

    def __init__(
        self, schema: Schema, classes: Classes, evolution: Mapping[str, Sequence[Rule]]
    ) -> None:
        self.schema = schema
        self.evolution = evolution
        #: What values of definitions consist of.
        self.take = classes.take
        self._classes = classes
        self._exact: Optional[Exact] = None
        self._read: Optional[_Read] = None
        self._many: Optional[_Many] = None
        self._write: Optional[Callable[[Any, bytearray], None]] = None
        self._line: Optional[Callable[[Any], str]] = None

    def decode(self, data: Buffer) -> T:
        """The value that has these bytes, all of them.

        Raises :class:`ashlar.DecodeError` for any other bytes.

        >>> from ashlar import Schema, bind, shapes
        >>> pairs = bind(Schema(shapes.Tuple((shapes.Leaf("word8"), shapes.Leaf("bool")))))
        >>> pairs.decode(b"\\7\\1")
        (7, True)
        >>> pairs.decode(b"\\7\\2")
        Traceback (most recent call last):
          ...
        ashlar.errors.DecodeError: at byte 1: a Bool is 0 or 1, not 2
        """
        held = bytes_at(data, 0)
        value, end = self.decode_from(held, 0)
        if end != len(held):
            raise DecodeError(end, "", "expected the end of the input")
        return value

    def decode_from(self, data: Buffer, at: int) -> Tuple[T, int]:
        """The value that begins at an offset, and the offset where it ends.

        Offsets in errors count from the beginning of the value. Raises :class:`ValueError` for an
        offset that is not in the data. (What is no ``bytes`` object is copied, all of it, each time.)

        >>> from ashlar import Schema, bind, shapes
        >>> bind(Schema(shapes.Leaf("utf8", compact=True))).decode_from(b"..\\2ab..", 2)
        ('ab', 5)
        """
        if data.__class__ is not bytes or not 0 <= at <= len(data):
            data = bytes_at(data, at)
        if self._read is None:
            self._compile_reader()
        try:
            return self._read(data, at, len(data))  # type: ignore[misc]
        except RAISED:
            # The exact decoder says what is wrong, or reads what is out of the ordinary.
            state = State(data, at, len(data))
            return self._read_exactly(state), state.at

    def read_at(self, state: State) -> T:
        """Read a value as a part of what a decoder reads."""
        if self._read is None:
            self._compile_reader()
        # (Compiled code does not count levels.)
        if not state.levels:
            try:
                value, state.at = self._read(state.data, state.at, state.end)  # type: ignore[misc]
                return value  # type: ignore[no-any-return]
            except RAISED:
                pass
        return self._read_exactly(state)

    def _read_exactly(self, state: State) -> T:
        if self._exact is None:
            self._exact = self._make_exact()
        return self._exact.read(state)  # type: ignore[no-any-return]

    def decode_many(self, data: Buffer, at: int, count: int) -> Tuple[List[T], int]:
        """So many values, one after another, and the offset where the last one ends.

        Raises :class:`ashlar.DecodeError` if one of them cannot be read: its attribute ``index`` is
        the number of that value, and its offset counts from the beginning of that value.
        """
        data = bytes_at(data, at)
        if self._many is None:
            self._compile_reader()
        values: List[T] = []
        try:
            return values, self._many(data, at, len(data), count, values)  # type: ignore[misc]
        except RAISED:
            values = []
        for i in range(count):
            try:
                value, at = self.decode_from(data, at)
            except DecodeError as e:
                e.index = i
                e.values = values
                raise
            values.append(value)
        return values, at

    def encode(self, value: T) -> bytes:
        """The bytes of a value.

        Raises :class:`ashlar.EncodeError` if it is no value of the schema.

        >>> from ashlar import Schema, bind, shapes
        >>> bind(Schema(shapes.Leaf("int16"))).encode(-2)
        b'\\xfe\\xff'
        >>> bind(Schema(shapes.Leaf("word8"))).encode(256)
        Traceback (most recent call last):
          ...
        ashlar.errors.EncodeError: more than 255
        """
        out = bytearray()
        self.encode_into(value, out)
        return bytes(out)

    def encode_into(self, value: T, out: bytearray, limited: bool = True) -> None:
        """Append the bytes of a value, or nothing if it is refused.

        If it is not ``limited``, it may have more elements of no bytes than readers take.
        """
        if self._write is None:
            self._compile_writer()
        size = len(out)
        try:
            self._write(value, out)  # type: ignore[misc]
        except RAISED:
            del out[size:]
            try:
                parts = write(self.schema.facts, self._classes.take, self.schema.root, value, out)
                if limited and (parts > LEVELS or len(out) - size > STEPS):
                    self._expect_readable(bytes(out[size:]))
            except BaseException:
                del out[size:]
                raise
        except BaseException:
            del out[size:]
            raise

    def as_plain(self) -> Type[Any]:
        """The same type with plain values. What its evolution says has values of the classes."""
        plain: Type[Any] = Type(self.schema, bind_classes(self.schema, None), self.evolution)
        plain.take = self.take
        return plain

    def _expect_readable(self, data: bytes) -> None:
        # Does what a large value has that takes no bytes stay within a reader's budget?
        try:
            bind(self.schema).decode_from(data, 0)
        except DecodeError as e:
            raise EncodeError(e.path, e.reason) from None

    def to_json_line(self, value: T) -> str:
        """A value as a line of JSON, without the newline: the text that ``ashlar show --json`` prints.

        Raises :class:`ashlar.EncodeError` for a value whose fields are not those of the schema. It
        does not check numbers and texts as :meth:`encode` does.

        >>> from ashlar import Schema, bind, shapes
        >>> bind(Schema(shapes.List(shapes.Maybe(shapes.Leaf("float64"))))).to_json_line([1e7, None])
        '[1.0e7,null]'
        """
        if self._line is None:
            self._compile_json()
        try:
            text = self._line(value)  # type: ignore[misc]
        except RAISED:
            try:
                text = json_text(self.schema.facts, self._classes.take, self.schema.root, value)
            except RAISED:
                # (Writing says where it is wrong.)
                self.encode(value)
                raise
        if len(text) >= MOST_JSON or (not text.isascii() and len(text.encode()) >= MOST_JSON):
            raise AshlarError(f"JSON of more than {MOST_JSON} bytes")
        return text

    def _make_exact(self) -> Exact:
        s = self.schema
        return Exact(s.root, s.definitions, s.facts, self._classes.makers, self._classes.take)

    def _compile_reader(self) -> None:
        s = self.schema
        names: Dict[str, Any] = {"read": _give_up, "many": _give_up}
        if small_enough(s.root, s.definitions):
            try:
                names = reader_source(
                    s.root, s.facts, self._classes.read_types, self._classes.take
                ).compile()
            except (Unusual, RecursionError, MemoryError, SyntaxError):
                pass
        self._read, self._many = names["read"], names["many"]

    def _compile_writer(self) -> None:
        s = self.schema
        names: Dict[str, Any] = {"write": _give_up}
        if small_enough(s.root, s.definitions):
            try:
                names = writer_source(s.root, s.facts, self._classes.write_types).compile()
            except (Unusual, RecursionError, MemoryError, SyntaxError):
                pass
        self._write = names["write"]

    def _compile_json(self) -> None:
        s = self.schema
        names: Dict[str, Any] = {"line": _give_up}
        if small_enough(s.root, s.definitions):
            try:
                names = json_source(s.root, s.facts, self._classes.write_types).compile()
            except (Unusual, RecursionError, MemoryError, SyntaxError):
                pass
        self._line = names["line"]


def expect_type(kind: Any) -> None:
    """Raise a :class:`TypeError` if something else was given where one of :func:`bind` is needed."""
    if not isinstance(kind, Type):
        raise TypeError(f"what ashlar.bind(schema) returns is needed, not {kind!r:.100}")


def _give_up(*arguments: Any) -> Any:
    raise Unusual()


@overload
def bind(
    schema: Union[Schema, bytes], *, evolution: Evolution = ...
) -> Type[Any]: ...


@overload
def bind(
    schema: Union[Schema, bytes], kind: Class[T], *, evolution: Evolution = ...
) -> Type[T]: ...


@overload
def bind(
    schema: Union[Schema, bytes], kind: Any, *, evolution: Evolution = ...
) -> Type[Any]: ...


def bind(
    schema: Union[Schema, bytes], kind: Any = None, *, evolution: Evolution = None
) -> Type[Any]:
    """Read and write the values of a schema as plain values, or as those of dataclasses.

    ``kind`` is a dataclass, or any annotation that contains some: ``List[Order]``, ``Union[A, B]``.
    The attributes have the names that :func:`ashlar.member_names` gives, in any order. The members
    of a ``Union`` are the constructors that are not retired, in their order. :func:`python_source`
    prints such classes. Where the annotation is ``Any``, or no class, values are plain.

    ``evolution`` says what has changed since older data were written: for the names of types, rules
    of :mod:`ashlar.evolution`.

    Raises :class:`TypeError` if the classes are not those of the schema, or a rule names what is not
    in it.

    >>> from dataclasses import dataclass
    >>> from ashlar import Schema, bind, shapes
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int
    >>> fields = tuple(shapes.Field(n, shapes.Leaf("int8")) for n in "xy")
    >>> point = shapes.Definition("Point", "record", "unknown", (shapes.Constructor("Point", fields),))
    >>> points = bind(Schema(shapes.Reference(0), (point,)), Point)
    >>> points.decode(b"\\1\\2")
    Point(x=1, y=2)
    >>> bind(points.schema).decode(b"\\1\\2")
    {'x': 1, 'y': 2}
    """
    if not isinstance(schema, Schema):
        schema = Schema.decode(schema)
    for name, rules in (evolution or {}).items():
        if not isinstance(rules, Sequence) or not all(isinstance(r, get_args(Rule)) for r in rules):
            raise TypeError(f"evolution of {name}: a list of rules is needed, not {rules!r:.100}")
    problem = wrong_rule(schema.definitions, evolution or {})
    if problem is not None:
        raise TypeError(f"evolution: {problem}")
    return Type(schema, bind_classes(schema, kind), evolution or {})
