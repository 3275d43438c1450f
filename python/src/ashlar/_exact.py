"""The decoder that defines what is refused, and with which words.

It is slow. The compiled decoder (:mod:`ashlar._compile`) gives up where anything is out of the
ordinary, and this one reads the value again. It keeps its own stack, so values may be nested as deep
as the budget allows.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Callable, Dict, Generator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _path
from . import shapes as s
from ._compare import Take, compare, indices_between, is_plain
from ._facts import Facts, fair, is_ordered, tag_size
from ._leafread import bound_text, leaf_reader
from ._state import State
from ._trampoline import run
from ._write import plain_take
from .values import Array

__all__ = ["Exact", "Maker", "plain_alternative", "plain_record"]

#: Makes the value of a constructor from its fields.
Maker = Callable[[List[Any]], Any]

_Reads = Generator[Any, Any, Any]


class _Node(NamedTuple):
    # A reader: does it return a generator, or the value?
    nests: bool
    read: Callable[[State], Any]


class Exact:
    """A decoder of values of a schema.

    ``makers`` has a function for each constructor of the definitions that are not read as plain
    values, and ``take`` takes such values apart. ``derived`` gives the words of Haskell's derived instances.
    """

    def __init__(
        self,
        root: s.Shape,
        definitions: Sequence[s.Definition],
        facts: Facts,
        makers: Optional[Dict[int, List[Maker]]] = None,
        take: Optional[Take] = None,
        derived: bool = False,
    ) -> None:
        self._definitions = definitions
        self._facts = facts
        self._derived = derived
        self._makers = makers or {}
        self._take = take or plain_take(facts)
        self._known: Dict[Tuple[int, bool], _Node] = {}
        self._root = self._uncovered(root)

    def read(self, state: State) -> Any:
        """Read a value at the cursor."""
        found = self._root.read(state)
        return run(found) if self._root.nests else found

    def decode(self, data: bytes) -> Any:
        """Read a value from its bytes, all of them."""
        return self.decode_refined(data, lambda value: (None, value))

    def decode_refined(self, data: bytes, check: Callable[[Any], Tuple[Optional[str], Any]]) -> Any:
        """The same, with a function that converts the value, or says why it is refused."""
        state = State(data, 0, len(data))
        problem, value = check(self.read(state))
        if problem is not None:
            state.invalid(0, problem)
        state.expect_end()
        return value

    # Shapes. A covered one is part of a value whose work is linear in its bytes.

    def _covered(self, shape: s.Shape) -> _Node:
        return self._shape(shape, True)

    def _uncovered(self, shape: s.Shape) -> _Node:
        cost = self._facts.cost_of(shape)
        if self._derived or fair(cost):
            return self._covered(shape)
        if fair(cost, 1):
            return _charged(1, cost[0], self._covered(shape))
        parts = _own_parts(shape)
        return _charged(parts, parts, self._shape(shape, False))

    def _beside(self, shape: s.Shape, more: int = 1) -> _Node:
        covered = self._derived or fair(self._facts.cost_of(shape), more)
        return self._covered(shape) if covered else self._uncovered(shape)

    def _part(self, shape: s.Shape, covered: bool) -> _Node:
        return self._covered(shape) if covered else self._uncovered(shape)

    def _shape(self, shape: s.Shape, covered: bool) -> _Node:
        if isinstance(shape, s.Leaf):
            return _Node(False, leaf_reader(shape))
        if isinstance(shape, s.Between):
            return _between(shape)
        if isinstance(shape, s.Ratio):
            return _ratio(self._part(shape.of, covered))
        if isinstance(shape, s.Maybe):
            return self._maybe(shape)
        if isinstance(shape, s.Tuple):
            read = _fields([self._part(x, covered) for x in shape.of])
            return _Node(True, lambda st: _as_tuple(read(st)))
        if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            return self._list(shape)
        if isinstance(shape, s.Map):
            return self._map(shape)
        if isinstance(shape, s.Array):
            return self._array(shape, covered)
        if isinstance(shape, s.Constant):
            expected = shape.bytes
            return _Node(False, lambda st: _constant(st, expected))
        if isinstance(shape, s.Reference):
            to = shape.to
            return _Node(True, lambda st: self._reference(to, covered).read(st))
        if isinstance(shape, s.Opaque):
            if shape.size is not None:
                size = shape.size
                return _Node(False, lambda st: st.take(size))
            refusal = f"the format {shape.name[:100]} is not described"
        else:
            refusal = f"the irregular type {shape.name[:100]} is not described"
        return _Node(False, lambda st: st.invalid(st.at, refusal))

    def _maybe(self, shape: s.Maybe) -> _Node:
        inner = self._beside(shape.of)
        wraps = self._facts.may_be_none(shape.of)
        frame = _path.words_frame("Maybe", "Just", [], 1)

        def read(st: State) -> _Reads:
            st.need(1)
            tag = st.data[st.at]
            if tag > 1:
                refusal = f"Maybe: there is no constructor {tag}"
                st.invalid(st.at, _tag_text("Maybe", 2, tag) if self._derived else refusal)
            st.at += 1
            if tag == 0:
                return None
            st.enter(frame)
            st.part(0)
            value = inner.read(st)
            if inner.nests:
                value = yield value
            st.leave()
            return (value,) if wraps else value

        return _Node(True, read)

    # Elements.

    def _elements(
        self, node: _Node, least: int, ordered: Optional[s.Shape], st: State, n: int
    ) -> _Reads:
        if least <= 0:
            st.spend(" elements of no bytes", n)
        st.enter(_path.elements_frame(n))
        values: List[Any] = []
        for i in range(n):
            st.part(i)
            start = st.at
            value = node.read(st)
            if node.nests:
                value = yield value
            if ordered is not None and values:
                if compare(self._facts, ordered, values[-1], value, self._take) >= 0:
                    st.invalid(start, "keys that do not ascend")
            values.append(value)
        st.leave()
        return values

    def _list(self, shape: Union[s.List, s.NonEmpty, s.Set]) -> _Node:
        node = self._beside(shape.of)
        least = self._facts.cost_of(shape.of)[1]
        ordered = None
        if isinstance(shape, s.Set) and is_ordered(self._facts.unordered, shape.of):
            ordered = shape.of
        full = isinstance(shape, s.NonEmpty)

        def read(st: State) -> _Reads:
            start = st.at
            n = st.read_length(shape.compact)
            values = yield self._elements(node, least, ordered, st, n)
            if full and not values:
                st.invalid(start, "NonEmpty: no elements")
            return values

        return _Node(True, read)

    def _map(self, shape: s.Map) -> _Node:
        facts = self._facts
        key, value = self._beside(shape.key), self._beside(shape.value)
        least = facts.cost_of_all((shape.key, shape.value))[1]
        ordered = is_ordered(facts.unordered, shape.key)
        as_dict = facts.hashable(shape.key)

        def entries(st: State, n: int) -> _Reads:
            if least <= 0:
                st.spend(" elements of no bytes", n)
            st.enter(_path.elements_frame(n))
            pairs: List[Tuple[Any, Any]] = []
            for i in range(n):
                st.part(i)
                start = st.at
                k = key.read(st)
                if key.nests:
                    k = yield k
                if ordered and pairs and compare(facts, shape.key, pairs[-1][0], k, self._take) >= 0:
                    st.invalid(start, "keys that do not ascend")
                x = value.read(st)
                if value.nests:
                    x = yield x
                pairs.append((k, x))
            st.leave()
            return dict(pairs) if as_dict else pairs

        return _Node(True, lambda st: entries(st, st.read_length(shape.compact)))

    def _array(self, shape: s.Array, covered: bool) -> _Node:
        index, node = self._part(shape.index, covered), self._beside(shape.of)
        least = self._facts.cost_of(shape.of)[1]
        counted = is_plain(shape.index)

        def read(st: State) -> _Reads:
            bounds = []
            for _ in range(2):
                bound = index.read(st)
                if index.nests:
                    bound = yield bound
                bounds.append(bound)
            start = st.at
            n = st.read_length(False)
            values = yield self._elements(node, least, None, st, n)
            if counted and indices_between(bounds[0], bounds[1]) != n:
                st.invalid(start, "an array with another number of elements than its bounds")
            return Array(bounds[0], bounds[1], values)

        return _Node(True, read)

    # Definitions.

    def _reference(self, i: int, covered: bool) -> _Node:
        key = (i, covered)
        if key not in self._known:
            self._known[key] = self._definition(i, covered)
        return self._known[key]

    def _definition(self, i: int, covered: bool) -> _Node:
        d = self._definitions[i]
        name = d.name[:100]
        if d.form == "newtype":
            inner = self._part(d.constructors[0].fields[0].shape, covered)
            frame = _path.type_frame(name)
            endless = i in self._facts.endless

            def newtype(st: State) -> _Reads:
                if endless:
                    st.enter(frame)
                value = inner.read(st)
                if inner.nests:
                    value = yield value
                if endless:
                    st.leave()
                return value

            return _Node(True, newtype)
        if d.form == "sum":
            return self._sum(i, name, d)
        (c,) = d.constructors
        frame = _path.fields_frame(name, [f.name[:100] for f in c.fields])
        read = _fields([self._part(f.shape, covered) for f in c.fields])
        make = self._makers[i][0] if i in self._makers else plain_record(c)

        def record(st: State) -> _Reads:
            st.enter(frame)
            values = yield read(st)
            st.leave()
            return make(values)

        return _Node(True, record)

    def _sum(self, i: int, name: str, d: s.Definition) -> _Node:
        count = len(d.constructors)
        width = tag_size(count)
        alternatives: Dict[int, Callable[[State], _Reads]] = {}

        def read(st: State) -> _Reads:
            if count == 0:
                st.invalid(st.at, f"{name} has no values")
            start = st.at
            tag = int.from_bytes(st.take(width), "little")
            if tag >= count:
                refusal = f"{name}: there is no constructor {tag}"
                st.invalid(start, _tag_text(name, count, tag) if self._derived else refusal)
            if tag not in alternatives:
                alternatives[tag] = self._alternative(i, name, d, tag)
            value = yield alternatives[tag](st)
            return value

        return _Node(True, read)

    def _alternative(
        self, i: int, name: str, d: s.Definition, tag: int
    ) -> Callable[[State], _Reads]:
        c = d.constructors[tag]
        con = c.name[:100]
        shapes = [f.shape for f in c.fields]
        names = [f.name[:100] for f in c.fields] if shapes and c.fields[0].name != "1" else []
        frame = _path.words_frame(name, con, names, len(shapes))
        is_fair = self._derived or fair(
            self._facts.cost_of_all(shapes), tag_size(len(d.constructors))
        )
        read = _fields([self._part(shape, is_fair) for shape in shapes])
        make = self._makers[i][tag] if i in self._makers else plain_alternative(c)

        def alternative(st: State) -> _Reads:
            if c.retired:
                st.invalid(st.at, f"constructor {con}, which is no longer in use")
            if not shapes:
                return make([])
            st.enter(frame)
            if not is_fair:
                st.spend(" elements of no bytes", len(shapes))
            values = yield read(st)
            st.leave()
            return make(values)

        return alternative


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


def _tag_text(name: str, count: int, tag: int) -> str:
    tags = {1: "1 constructor (tag 0)", 2: "2 constructors (tags 0 and 1)"}
    text = tags.get(count, f"{count} constructors (tags 0 to {count - 1})")
    return f"constructor tag {tag}, but {name} has {text}"


def _charged(steps: int, parts: int, node: _Node) -> _Node:
    def read(st: State) -> Any:
        st.work(parts)
        st.spend(" elements of no bytes", steps)
        return node.read(st)

    return _Node(node.nests, read)


def _own_parts(shape: s.Shape) -> int:
    # The parts of a shape that are not in its definitions.
    if isinstance(shape, s.Tuple):
        return 1 + sum(map(_own_parts, shape.of))
    if isinstance(shape, s.Array):
        return 1 + 2 * _own_parts(shape.index)
    return 1


def _fields(nodes: List[_Node]) -> Callable[[State], _Reads]:
    count = len(nodes)

    def read(st: State) -> _Reads:
        values = []
        for i, node in enumerate(nodes, 1):
            st.part(count - i)
            value = node.read(st)
            if node.nests:
                value = yield value
            values.append(value)
        return values

    return read


def _as_tuple(fields: _Reads) -> _Reads:
    values = yield fields
    return tuple(values)


def _between(shape: s.Between) -> _Node:
    read_leaf = leaf_reader(shape.leaf)
    low, high = shape.low, shape.high

    def read(st: State) -> Any:
        start = st.at
        n = read_leaf(st)
        if n < low:
            st.invalid(start, f"less than {bound_text(low)}")
        if n > high:
            st.invalid(start, f"more than {bound_text(high)}")
        return n

    return _Node(False, read)


def _ratio(node: _Node) -> _Node:
    # Whole numbers are no generators.
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

    return _Node(False, read)


def _constant(st: State, expected: bytes) -> bytes:
    start = st.at
    if st.take(len(expected)) != expected:
        st.invalid(start, "other bytes than it always has")
    return expected
