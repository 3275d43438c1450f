"""The parts of the exact decoder that need to know of no others."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Callable, Generator, List, NamedTuple, Sequence

from . import shapes as s
from ._bits import NO_BITS
from ._leafread import bound_text
from ._state import State

__all__ = [
    "Maker",
    "Node",
    "Reads",
    "between_node",
    "charged",
    "fields_reader",
    "own_parts",
    "packed_node",
    "plain_alternative",
    "plain_record",
    "ratio_node",
    "read_constant",
    "read_tuple",
    "tag_text",
]

#: Makes the value of a constructor from its fields.
Maker = Callable[[List[Any]], Any]

#: Yields the generators that it waits for, and returns a value.
Reads = Generator[Any, Any, Any]


class Node(NamedTuple):
    """A reader: does it return a generator, or the value?"""

    nests: bool
    read: Callable[[State], Any]


def plain_record(c: s.Constructor) -> Maker:
    """A record as a ``dict``, or as a tuple if its fields have no names."""
    if s.is_positional(c):
        return tuple
    names = [f.name for f in c.fields]
    return lambda values: dict(zip(names, values))


def plain_alternative(c: s.Constructor) -> Maker:
    """A value of a sum: the name of its constructor, which is the key of the fields if there are any."""
    name = c.name
    if not c.fields:
        return lambda values: name
    record = plain_record(c)
    return lambda values: {name: record(values)}


def tag_text(name: str, count: int, tag: int) -> str:
    """What a derived instance says of a tag that is too large."""
    tags = {1: "1 constructor (tag 0)", 2: "2 constructors (tags 0 and 1)"}
    text = tags.get(count, f"{count} constructors (tags 0 to {count - 1})")
    return f"constructor tag {tag}, but {name} has {text}"


def charged(steps: int, node: Node) -> Node:
    """A reader that uses steps of the budget first."""
    def read(st: State) -> Any:
        st.spend(" elements of no bytes", steps)
        return node.read(st)

    return Node(node.nests, read)


def own_parts(shape: s.Shape) -> int:
    """The parts of a shape that are not in its definitions."""

    if isinstance(shape, s.Tuple):
        return 1 + sum(map(own_parts, shape.of))
    if isinstance(shape, s.Array):
        return 1 + 2 * own_parts(shape.index)
    return 1


def fields_reader(nodes: List[Node], ahead: Sequence[int] = ()) -> Callable[[State], Reads]:
    """Read fields, one after the other, into a list.

    ``ahead`` has the bytes of each field, and of those of constant size after it: all of these are
    there before one is read.
    """
    count = len(nodes)
    if ahead:
        return _whole_fields(nodes, [*ahead, 0])

    def read(st: State) -> Reads:
        values = []
        for i, node in enumerate(nodes, 1):
            st.part(count - i)
            value = (yield node.read(st)) if node.nests else node.read(st)
            values.append(value)
        return values

    return read


def _whole_fields(nodes: List[Node], ahead: List[int]) -> Callable[[State], Reads]:
    def read(st: State) -> Reads:
        values = []
        for i, node in enumerate(nodes):
            st.part(len(nodes) - 1 - i)
            if ahead[i] > st.end - st.at:
                st.take(ahead[i] - ahead[i + 1])
                continue
            value = (yield node.read(st)) if node.nests else node.read(st)
            values.append(value)
        return values

    return read


def read_tuple(nodes: List[Node], st: State) -> Reads:
    """Read a tuple, which shows nothing in a path: it is a part of what is around it."""
    values = []
    for node in nodes:
        value = (yield node.read(st)) if node.nests else node.read(st)
        values.append(value)
    return tuple(values)


def between_node(shape: s.Between, read_leaf: Callable[[State], Any]) -> Node:
    """Read a whole number with bounds, given the reader of its leaf."""
    low, high = shape.low, shape.high

    def read(st: State) -> Any:
        start = st.at
        n = read_leaf(st)
        if n < low:
            st.invalid(start, f"less than {bound_text(low)}")
        if n > high:
            st.invalid(start, f"more than {bound_text(high)}")
        return n

    return Node(False, read)


def ratio_node(node: Node) -> Node:
    """Read a fraction, given the reader of its numbers, which are no generators."""
    def read(st: State) -> Any:
        start = st.at
        n, d = node.read(st), node.read(st)
        sizes = [(abs(x).bit_length() + 7) >> 3 for x in (n, d)]
        if min(sizes) > 4096:
            st.spend(" steps to check fractions", sum(sizes))
        if d <= 0:
            st.invalid(start, "Ratio: the denominator is not positive")
        if math.gcd(n, d) != 1:
            st.invalid(start, "Ratio: not in lowest terms")
        return Fraction(n, d)

    return Node(False, read)


def packed_node(node: Node) -> Node:
    """Read a packed value, given the reader of what is in it. It may be in a plain part of another one."""
    def read(st: State) -> Reads:
        start, outer = st.at, st.bits
        st.bits = NO_BITS
        value = (yield node.read(st)) if node.nests else node.read(st)
        if st.bits & st.bits - 1:
            st.invalid(st.at, "bits after the last one that are not zero")
        st.bits = outer
        if st.at == start:
            st.spend(" elements of no bytes", 1)
        return value

    return Node(True, read)


def read_constant(st: State, expected: bytes) -> bytes:
    """Read bytes that are always the same."""
    start = st.at
    if st.take(len(expected)) != expected:
        st.invalid(start, "other bytes than it always has")
    return expected
