"""The order of values, and how many indices there are between two."""

from __future__ import annotations

import operator
import struct
from functools import cmp_to_key
from typing import Any, Callable, List, Optional, Sequence, Tuple

from . import shapes as s
from ._facts import Facts

__all__ = ["INCOMPARABLE", "Take", "compare", "in_order", "indices_between", "is_plain", "is_simple"]


#: The number of the constructor of a value of a definition, and the fields.
Take = Callable[[int, Any], Optional[Tuple[int, Sequence[Any]]]]


#: What comparing raises for a value that is none of the shape.
INCOMPARABLE = (TypeError, ValueError, AttributeError, StopIteration, OverflowError, struct.error)


def compare(facts: Facts, shape: s.Shape, a: Any, b: Any, take: Take) -> int:
    """Less than, equal to or greater than 0: the order of two values of a shape.

    ``take`` says what a value of a definition consists of.

    >>> compare(Facts(()), s.List(s.Leaf("int8")), [1, 2], [1, 2, 0], lambda i, x: None)
    -1
    """
    # A stack of what is still to be compared: keys may be nested deep.
    work: List[Tuple[Optional[s.Shape], Any, Any]] = [(shape, a, b)]
    while work:
        at, x, y = work.pop()
        found = x - y if at is None else _step(facts, take, at, x, y, work)
        if found:
            return int(found)
    return 0


_Work = List[Tuple[Optional[s.Shape], Any, Any]]


def _step(facts: Facts, take: Take, shape: s.Shape, x: Any, y: Any, work: _Work) -> int:
    # The order, as far as it is decided by these values alone. Their parts go to the work.
    shape = s.without_format(shape)
    if isinstance(shape, s.Between):
        shape = shape.leaf
    if isinstance(shape, s.Leaf):
        x, y = _written(shape, x), _written(shape, y)
        if shape.type == "byteArray" and len(x) != len(y):
            return len(x) - len(y)
        return _order(x, y)
    if isinstance(shape, s.Maybe):
        if x is None or y is None:
            return (x is not None) - (y is not None)
        wraps = facts.may_be_none(shape.of)
        work.append((shape.of, x[0], y[0]) if wraps else (shape.of, x, y))
    elif isinstance(shape, s.Tuple):
        _lexical(list(shape.of), x, y, work)
    elif isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        if isinstance(shape, s.Set):
            x, y = (_elements(facts, take, shape.of, z) for z in (x, y))
        _lexical([shape.of] * min(len(x), len(y)), x, y, work)
    elif isinstance(shape, s.Map):
        xs, ys = (_entries(facts, take, shape.key, z) for z in (x, y))
        shapes = [shape.key, shape.value] * (min(len(xs), len(ys)) // 2)
        _lexical(shapes, xs, ys, work)
    elif isinstance(shape, s.Reference):
        d = facts.definitions[shape.to]
        if d.form == "newtype":
            work.append((d.constructors[0].fields[0].shape, x, y))
            return 0
        left, right = take(shape.to, x), take(shape.to, y)
        if left is None or right is None:
            raise ValueError(f"not values of {d.name[:100]}")
        if left[0] != right[0]:
            return left[0] - right[0]
        _lexical([f.shape for f in d.constructors[left[0]].fields], left[1], right[1], work)
    else:
        return _order(x, y)
    return 0


def _written(leaf: s.Leaf, x: Any) -> Any:
    # What reading gives back.
    if leaf.type == "float32":
        return struct.unpack("<f", struct.pack("<f", x))[0]
    if leaf.type == "float64":
        return float(x)
    if isinstance(x, memoryview):
        return bytes(x)
    return operator.index(x) if s.is_whole(leaf) else x


def in_order(facts: Facts, shape: s.Shape, values: List[Any], take: Take) -> List[Any]:
    """Keys in their order. What is no key stays where it is, more or less."""

    def by(a: Any, b: Any) -> int:
        try:
            return compare(facts, shape, a, b, take)
        except INCOMPARABLE:
            return 0

    return sorted(values, key=cmp_to_key(by))


def _order(x: Any, y: Any) -> int:
    # A NaN is greater than all, and than itself.
    return -1 if x < y else 0 if x == y else 1


def _elements(facts: Facts, take: Take, of: s.Shape, x: Any) -> Any:
    return in_order(facts, of, list(x), take) if isinstance(x, (set, frozenset)) else x


def _entries(facts: Facts, take: Take, key: s.Shape, x: Any) -> List[Any]:
    pairs = [(k, x[k]) for k in in_order(facts, key, list(x), take)] if isinstance(x, dict) else x
    return [part for pair in pairs for part in pair]


def _lexical(shapes: Sequence[s.Shape], xs: Sequence[Any], ys: Sequence[Any], work: _Work) -> None:
    work.append((None, len(xs), len(ys)))
    work.extend(reversed([(shape, x, y) for shape, x, y in zip(shapes, xs, ys)]))


def is_simple(shape: s.Shape) -> bool:
    """Is the order of values of this shape, which is no newtype, that of Python?

    >>> is_simple(s.Leaf("utf8")), is_simple(s.Leaf("byteArray"))
    (True, False)
    """
    return isinstance(shape, s.Between) or (isinstance(shape, s.Leaf) and shape.type != "byteArray")


def is_plain(shape: s.Shape) -> bool:
    """Do bounds of this shape say how many indices there are?

    >>> is_plain(s.Tuple((s.Leaf("int8"), s.Leaf("char")))), is_plain(s.Leaf("utf8"))
    (True, False)
    """
    if isinstance(shape, s.Leaf):
        return s.is_whole(shape) or shape.type in ("unit", "bool", "char", "scalarValue")
    if isinstance(shape, s.Tuple):
        return all(map(is_plain, shape.of))
    return isinstance(shape, s.Between)


def indices_between(low: Any, high: Any) -> int:
    """How many indices there are between two bounds of a plain shape. Beyond 2^64 it may be less.

    >>> indices_between((0, "a"), (1, "c")), indices_between(1, 0)
    (6, 0)
    """
    if isinstance(low, (tuple, list)):
        sizes = [indices_between(a, b) for a, b in zip(low, high)]
        product = 0 if 0 in sizes else 1
        for n in sizes:
            product = min(1 << 64, product * n)
        return product
    return max(0, _index(high) - _index(low) + 1)


def _index(x: Any) -> int:
    return ord(x) if isinstance(x, str) else operator.index(x)
