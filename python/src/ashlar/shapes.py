"""What a schema says: shapes, definitions, and the leaves of both.

The names are those of the JSON of a schema. A shape is immutable, and two shapes that say the same
are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Dict, Optional, Tuple as Parts, Union

__all__ = [
    "Array",
    "Between",
    "Constant",
    "Constructor",
    "Definition",
    "Field",
    "Irregular",
    "Leaf",
    "List",
    "Map",
    "Maybe",
    "NonEmpty",
    "Opaque",
    "Packed",
    "Ratio",
    "Reference",
    "Set",
    "Shape",
    "Tuple",
    "Unpacked",
    "children",
    "is_positional",
    "is_whole",
    "without_format",
    "NUMBERS",
]

#: The numbers of constant size, in the order of their tags: bytes, least and greatest.
NUMBERS: Dict[str, Parts[int, int, int]] = {
    **{f"word{8 * n}": (n, 0, (1 << 8 * n) - 1) for n in (1, 2, 4, 8)},
    **{f"int{8 * n}": (n, -(1 << 8 * n - 1), (1 << 8 * n - 1) - 1) for n in (1, 2, 4, 8)},
}


@dataclass(frozen=True)
class Leaf:
    """A format without parts.

    ``type`` is the name in the JSON of a schema. ``encoding`` is empty, ``bigEndian``, ``varint`` or
    ``zigzag``. ``compact`` says that the length of a string is in LEB128. ``units`` is for
    ``fixedPoint``: how many units make 1.
    """

    type: str
    encoding: str = ""
    compact: bool = False
    units: int = 0


@dataclass(frozen=True)
class Between:
    """A whole number from ``low`` to ``high``, both included."""

    low: int
    high: int
    leaf: Leaf


@dataclass(frozen=True)
class Ratio:
    """Numerator and denominator, in lowest terms."""

    of: Shape


@dataclass(frozen=True)
class Maybe:
    """A value, or none."""

    of: Shape


@dataclass(frozen=True)
class Tuple:
    """Two or more values, one after the other."""

    of: Parts[Shape, ...]


@dataclass(frozen=True)
class List:
    """A length, and as many elements."""

    of: Shape
    compact: bool = False


@dataclass(frozen=True)
class NonEmpty:
    """A list with at least one element."""

    of: Shape
    compact: bool = False


@dataclass(frozen=True)
class Set:
    """A list whose elements ascend strictly."""

    of: Shape
    compact: bool = False


@dataclass(frozen=True)
class Map:
    """Keys, which ascend strictly, and a value for each."""

    key: Shape
    value: Shape
    compact: bool = False


@dataclass(frozen=True)
class Array:
    """Two bounds, a length, and as many elements."""

    index: Shape
    of: Shape


@dataclass(frozen=True)
class Constant:
    """Always these bytes."""

    bytes: bytes


@dataclass(frozen=True)
class Reference:
    """The definition with this number."""

    to: int


@dataclass(frozen=True)
class Opaque:
    """A format that is not described."""

    name: str
    version: int
    size: Optional[int]


@dataclass(frozen=True)
class Irregular:
    """The rest of a type that contains itself at ever larger types."""

    name: str


@dataclass(frozen=True)
class Packed:
    """A value in the packed format, with all in it."""

    of: Shape


@dataclass(frozen=True)
class Unpacked:
    """Within a packed value: a value in the plain format."""

    of: Shape


Shape = Union[
    Leaf,
    Between,
    Ratio,
    Maybe,
    Tuple,
    List,
    NonEmpty,
    Set,
    Map,
    Array,
    Constant,
    Reference,
    Opaque,
    Irregular,
    Packed,
    Unpacked,
]


@dataclass(frozen=True)
class Field:
    """A field. Without a name, its position is its name, from ``1`` on."""

    name: str
    shape: Shape


@dataclass(frozen=True)
class Constructor:
    """A constructor. The tag of a retired one is refused."""

    name: str
    fields: Parts[Field, ...]
    retired: bool = False


@dataclass(frozen=True)
class Definition:
    """A type with constructors.

    ``form`` is ``newtype``, ``record`` or ``sum``; ``order`` is ``unknown`` or ``byParts``.
    """

    name: str
    form: str
    order: str
    constructors: Parts[Constructor, ...]


def children(shape: Shape) -> Parts[Shape, ...]:
    """The shapes directly inside of a shape, from left to right.

    >>> children(Map(Leaf("char"), Leaf("bool")))
    (Leaf(type='char', encoding='', compact=False, units=0), Leaf(type='bool', encoding='', compact=False, units=0))
    """
    if isinstance(shape, (Ratio, Maybe, List, NonEmpty, Set, Packed, Unpacked)):
        return (shape.of,)
    if isinstance(shape, Tuple):
        return shape.of
    if isinstance(shape, Map):
        return (shape.key, shape.value)
    if isinstance(shape, Array):
        return (shape.index, shape.of)
    return ()


def without_format(shape: Shape) -> Shape:
    """A shape, packed or not.

    >>> without_format(Packed(Unpacked(Constant(b""))))
    Constant(bytes=b'')
    """
    while isinstance(shape, (Packed, Unpacked)):
        shape = shape.of
    return shape


def is_positional(constructor: Constructor) -> bool:
    """Have the fields no names? Not if there are none.

    >>> is_positional(Constructor("P", (Field("1", Leaf("bool")), Field("2", Leaf("bool")))))
    True
    """
    fields = constructor.fields
    return bool(fields) and all(f.name == str(i) for i, f in enumerate(fields, 1))


def is_whole(leaf: Leaf) -> bool:
    """Does it stand for whole numbers?

    >>> is_whole(Leaf("date")), is_whole(Leaf("float64"))
    (True, False)
    """
    return leaf.type in NUMBERS or leaf.type in (
        "integer",
        "natural",
        "fixedPoint",
        "date",
        "duration",
    )
