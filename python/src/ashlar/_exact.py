"""The decoder that defines what is refused, and with which words.

It is slow. The compiled decoder (:mod:`ashlar._compile`) gives up where anything is out of the
ordinary, and this one reads the value again. It keeps its own stack, so values may be nested as deep
as the budget allows.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import _path
from . import shapes as s
from ._bits import packed_leaf
from ._budget import ONE_HASH
from ._compare import Take, compare, indices_between, is_plain
from ._costs import tag_size
from ._facts import Facts, is_ordered
from ._hashes import counted
from ._leafread import leaf_reader
from ._nodes import (
    Maker,
    Node,
    Reads,
    between_node,
    charged,
    fields_reader,
    own_parts,
    packed_node,
    plain_alternative,
    plain_record,
    ratio_node,
    read_constant,
    read_tuple,
    tag_text,
)
from ._state import State
from ._trampoline import run
from ._write import plain_take
from .values import Array

__all__ = ["Exact"]


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
        shapes = _Shapes(definitions, facts, makers or {}, take or plain_take(facts), derived, None)
        self._root = shapes.uncovered(root)

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


class _Shapes:
    # The readers of all shapes, in the plain format or in the packed one.

    def __init__(
        self,
        definitions: Sequence[s.Definition],
        facts: Facts,
        makers: Dict[int, List[Maker]],
        take: Take,
        derived: bool,
        plain: Optional[_Shapes],
    ) -> None:
        self._definitions = definitions
        self._facts = facts
        self._derived = derived
        self._makers = makers
        self._take = take
        self._is_packed = plain is not None
        self._costs = facts.packed_costs if self._is_packed else facts.costs
        self._plain = plain or self
        self._packed = self if plain else _Shapes(definitions, facts, makers, take, derived, self)
        self._known: Dict[Tuple[int, bool], Node] = {}

    # A covered shape is part of a value whose work is linear in its bytes.

    def _covered(self, shape: s.Shape) -> Node:
        return self._shape(shape, True)

    def uncovered(self, shape: s.Shape) -> Node:
        """The reader of a shape."""
        if self._derived or self._costs.fair(self._costs.of(shape)):
            return self._covered(shape)
        return charged(own_parts(shape), self._shape(shape, False))

    def _beside(self, shape: s.Shape) -> Node:
        # A shape that comes with a byte or a bit besides its own.
        return self._part(shape, self._derived or self._costs.fair(self._costs.of(shape), 1))

    def _in_element(self, *shapes: s.Shape) -> List[Node]:
        # The shapes of an element. If they have no bytes, their container counts the parts of those that have few.
        cost = self._costs.together(shapes)
        fair = self._derived or self._costs.fair(cost)
        return [self._part(x, fair or (cost[1] == 0 and self._costs.few_parts(x))) for x in shapes]

    def _part(self, shape: s.Shape, covered: bool) -> Node:
        return self._covered(shape) if covered else self.uncovered(shape)

    def _shape(self, shape: s.Shape, covered: bool) -> Node:
        if isinstance(shape, s.Leaf):
            return Node(False, self._leaf(shape))
        if isinstance(shape, s.Between):
            return between_node(shape, self._leaf(shape.leaf))
        if isinstance(shape, s.Ratio):
            return ratio_node(self._part(shape.of, covered))
        if isinstance(shape, s.Maybe):
            return self._maybe(shape)
        if isinstance(shape, s.Tuple):
            nodes = [self._part(x, covered) for x in shape.of]
            return Node(True, lambda st: read_tuple(nodes, st))
        if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            return self._list(shape)
        if isinstance(shape, s.Map):
            return self._map(shape)
        if isinstance(shape, s.Array):
            return self._array(shape, covered)
        if isinstance(shape, s.Constant):
            expected = shape.bytes
            return Node(False, lambda st: read_constant(st, expected))
        if isinstance(shape, s.Reference):
            to = shape.to
            return Node(True, lambda st: self._reference(to, covered).read(st))
        if isinstance(shape, s.Opaque):
            if shape.size is not None:
                size = shape.size
                return Node(False, lambda st: st.take(size))
            refusal = f"the format {shape.name[:100]} is not described"
        elif isinstance(shape, s.Packed):
            inner = self._packed.uncovered(shape.of)
            return inner if self._is_packed else packed_node(inner)
        elif isinstance(shape, s.Unpacked):
            return self._plain.uncovered(shape.of)
        else:
            refusal = f"the irregular type {shape.name[:100]} is not described"
        return Node(False, lambda st: st.invalid(st.at, refusal))

    def _leaf(self, leaf: s.Leaf) -> Callable[[State], Any]:
        if not self._is_packed:
            return leaf_reader(leaf)
        if leaf.type == "bool":
            return lambda st: st.read_symbol(2) == 1
        return leaf_reader(packed_leaf(leaf))

    def _tag(self, name: str, count: int) -> Callable[[State], int]:
        # The number of a constructor, which there is.
        if self._is_packed:
            return lambda st: st.read_symbol(count)
        width = tag_size(count)

        def read(st: State) -> int:
            start = st.at
            tag = int.from_bytes(st.take(width), "little")
            if tag >= count:
                refusal = f"{name}: there is no constructor {tag}"
                st.invalid(start, tag_text(name, count, tag) if self._derived else refusal)
            return tag

        return read

    def _maybe(self, shape: s.Maybe) -> Node:
        inner = self._beside(shape.of)
        wraps = self._facts.may_be_none(shape.of)
        frame = _path.words_frame("Maybe", "Just", [], 1)
        read_tag = self._tag("Maybe", 2)

        def read(st: State) -> Reads:
            if read_tag(st) == 0:
                return None
            st.enter(frame)
            st.part(0)
            value = (yield inner.read(st)) if inner.nests else inner.read(st)
            st.leave()
            return (value,) if wraps else value

        return Node(True, read)

    # Elements.

    def _charge(self, *shapes: s.Shape) -> int:
        # The steps that an element of these shapes takes: none if it has bytes, else its parts. (Where
        # these are many, it counts its own.)
        if self._costs.together(shapes)[1] > 0:
            return 0
        return 1 if self._derived else sum(self._costs.of(x)[0] for x in shapes if self._costs.few_parts(x))

    def _elements(
        self, node: Node, charge: int, ordered: Optional[s.Shape], st: State, n: int
    ) -> Reads:
        st.spend(" elements of no bytes", n * charge)
        st.enter(_path.elements_frame(n))
        values: List[Any] = []
        for i in range(n):
            st.part(i)
            start = st.at
            value = (yield node.read(st)) if node.nests else node.read(st)
            if ordered is not None and values:
                if compare(self._facts, ordered, values[-1], value, self._take) >= 0:
                    st.invalid(start, "keys that do not ascend")
            values.append(value)
        st.leave()
        return values

    def _list(self, shape: Union[s.List, s.NonEmpty, s.Set]) -> Node:
        (node,) = self._in_element(shape.of)
        charge = self._charge(shape.of)
        ordered = None
        if isinstance(shape, s.Set) and is_ordered(self._facts.unordered, shape.of):
            ordered = shape.of
        full = isinstance(shape, s.NonEmpty)

        def read(st: State) -> Reads:
            start = st.at
            n = st.read_length(shape.compact or self._is_packed)
            values = yield self._elements(node, charge, ordered, st, n)
            if full and not values:
                st.invalid(start, "NonEmpty: no elements")
            return values

        return Node(True, read)

    def _map(self, shape: s.Map) -> Node:
        facts = self._facts
        key, value = self._in_element(shape.key, shape.value)
        charge = self._charge(shape.key, shape.value)
        ordered = is_ordered(facts.unordered, shape.key)
        as_dict = facts.hashable(shape.key)
        may_collide = as_dict and facts.may_collide(shape.key)

        def entries(st: State, n: int) -> Reads:
            st.spend(" elements of no bytes", n * charge)
            st.enter(_path.elements_frame(n))
            pairs: List[Tuple[Any, Any]] = []
            hashes: Dict[int, int] = {}
            for i in range(n):
                st.part(i)
                start = st.at
                k = (yield key.read(st)) if key.nests else key.read(st)
                if ordered and pairs and compare(facts, shape.key, pairs[-1][0], k, self._take) >= 0:
                    st.invalid(start, "keys that do not ascend")
                if may_collide and not counted(hashes, k):
                    st.invalid(start, f"more than {ONE_HASH} keys with the same hash")
                x = (yield value.read(st)) if value.nests else value.read(st)
                pairs.append((k, x))
            st.leave()
            return dict(pairs) if as_dict else pairs

        return Node(True, lambda st: entries(st, st.read_length(shape.compact or self._is_packed)))

    def _array(self, shape: s.Array, covered: bool) -> Node:
        index, (node,) = self._part(shape.index, covered), self._in_element(shape.of)
        charge = self._charge(shape.of)
        counted = is_plain(shape.index)

        def read(st: State) -> Reads:
            bounds = []
            for _ in range(2):
                bound = (yield index.read(st)) if index.nests else index.read(st)
                bounds.append(bound)
            start = st.at
            n = st.read_length(self._is_packed)
            values = yield self._elements(node, charge, None, st, n)
            if counted and indices_between(bounds[0], bounds[1]) != n:
                st.invalid(start, "an array with another number of elements than its bounds")
            return Array(bounds[0], bounds[1], values)

        return Node(True, read)

    # Definitions.

    def _reference(self, i: int, covered: bool) -> Node:
        key = (i, covered)
        if key not in self._known:
            self._known[key] = self._definition(i, covered)
        return self._known[key]

    def _definition(self, i: int, covered: bool) -> Node:
        d = self._definitions[i]
        name = d.name[:100]
        if d.form == "newtype":
            inner = self._part(d.constructors[0].fields[0].shape, covered)
            frame = _path.type_frame(name)
            endless = i in self._facts.endless

            def newtype(st: State) -> Reads:
                if endless:
                    st.enter(frame)
                value = (yield inner.read(st)) if inner.nests else inner.read(st)
                if endless:
                    st.leave()
                return value

            return Node(True, newtype)
        if d.form == "sum":
            return self._sum(i, name, d)
        (c,) = d.constructors
        frame = _path.fields_frame(name, [f.name[:100] for f in c.fields])
        ahead = self._ahead(c) if self._derived else ()
        read = fields_reader([self._part(f.shape, covered) for f in c.fields], ahead)
        make = self._makers[i][0] if i in self._makers else plain_record(c)

        def record(st: State) -> Reads:
            st.enter(frame)
            values = yield read(st)
            st.leave()
            return make(values)

        return Node(True, record)

    def _ahead(self, c: s.Constructor) -> Sequence[int]:
        # The bytes of each field, and of those after it, as far as they are constructors without fields.
        sizes = [0]
        for f in reversed(c.fields):
            d = self._definitions[f.shape.to] if isinstance(f.shape, s.Reference) else None
            fixed = d is not None and d.form == "sum" and not any(x.fields for x in d.constructors)
            sizes.insert(0, tag_size(len(d.constructors)) + sizes[0] if d is not None and fixed else 0)
        return sizes[:-1]

    def _sum(self, i: int, name: str, d: s.Definition) -> Node:
        count = len(d.constructors)
        read_tag = self._tag(name, count)
        alternatives: Dict[int, Callable[[State], Reads]] = {}

        def read(st: State) -> Reads:
            if count == 0:
                st.invalid(st.at, f"{name} has no values")
            tag = read_tag(st)
            if tag not in alternatives:
                alternatives[tag] = self._alternative(i, name, d, tag)
            value = yield alternatives[tag](st)
            return value

        return Node(True, read)

    def _alternative(
        self, i: int, name: str, d: s.Definition, tag: int
    ) -> Callable[[State], Reads]:
        c = d.constructors[tag]
        con = c.name[:100]
        shapes = [f.shape for f in c.fields]
        names = [f.name[:100] for f in c.fields] if shapes and c.fields[0].name != "1" else []
        frame = _path.words_frame(name, con, names, len(shapes))
        is_fair = self._derived or self._costs.fair(
            self._costs.of_all(shapes), self._costs.of_tag(len(d.constructors))
        )
        read = fields_reader([self._part(shape, is_fair) for shape in shapes])
        make = self._makers[i][tag] if i in self._makers else plain_alternative(c)

        def alternative(st: State) -> Reads:
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
