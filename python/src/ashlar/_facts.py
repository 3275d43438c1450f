"""What is known of a schema's values before there are any."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Callable, Dict, List, Sequence, Set, Tuple

from . import shapes as s
from ._costs import Costs
from ._graph import components

__all__ = [
    "Facts",
    "constant_size",
    "is_ordered",
    "map_references",
    "plain_shape",
    "references",
    "unwrapped",
    "unwrapping",
]

class Facts:
    """What decoding, JSON and evolution ask of the definitions of a schema."""

    def __init__(self, definitions: Sequence[s.Definition]) -> None:
        self.definitions = definitions
        #: What to write for a reference to each definition: newtypes are what they wrap.
        self.bare: List[s.Shape] = unwrapping(definitions)[0]
        always: Dict[int, Sequence[int]] = {
            i: [r for f in _field_shapes(d) for r in _certain(f)]
            for i, d in enumerate(definitions)
            if d.form != "sum"
        }
        self._order, self.endless = components(always)
        self.costs = self._costs(False)
        self.unordered = _unordered(definitions)
        # For newtypes that have been asked for: is the value optional?
        self._optional: Dict[int, bool] = {}

    def _costs(self, packed: bool) -> Costs:
        return Costs(packed, self.definitions, self.endless, self._order)

    @cached_property
    def packed_costs(self) -> Costs:
        """The costs within a packed value."""
        return self._costs(True)

    def bare_shape(self, shape: s.Shape) -> s.Shape:
        """A shape that is no newtype, unless that is recursive."""
        return self.bare[shape.to] if isinstance(shape, s.Reference) else shape

    def value_shape(self, shape: s.Shape) -> s.Shape:
        """What a value looks like: a shape without newtypes (unless they are recursive), packed or not."""
        while True:
            inner = s.without_format(self.bare_shape(shape))
            if inner == shape:
                return inner
            shape = inner

    def may_be_none(self, shape: s.Shape) -> bool:
        """Is a value of the shape an optional one, packed or not, whatever newtypes are around it?"""
        chain: List[int] = []
        shape = s.without_format(shape)
        while isinstance(shape, s.Reference) and shape.to not in self._optional:
            # (Until it is known: a newtype of itself is none.)
            self._optional[shape.to] = False
            d = self.definitions[shape.to]
            if d.form != "newtype":
                return False
            chain.append(shape.to)
            shape = s.without_format(d.constructors[0].fields[0].shape)
        found = self._optional[shape.to] if isinstance(shape, s.Reference) else isinstance(shape, s.Maybe)
        self._optional.update((i, found) for i in chain)
        return found

    def hashable(self, shape: s.Shape) -> bool:
        """Are the keys of this shape the keys of a ``dict``? They are of known order, without records and sums."""
        return is_ordered(self.unordered, shape) and self._plain(unwrapped(self.bare, shape))

    def may_collide(self, shape: s.Shape) -> bool:
        """May many keys of a ``dict`` have one hash, if they are of this shape?

        The hashes of strings have a secret. Of the numbers of 64 bits, at most 10 have one hash.
        """
        bare = self.value_shape(shape)
        if isinstance(bare, s.Between):
            bare = bare.leaf
        if not isinstance(bare, s.Leaf):
            return True
        return bare.type in ("integer", "natural", "fixedPoint", "date", "duration", "float32", "float64")

    def _plain(self, shape: s.Shape) -> bool:
        if isinstance(shape, (s.Ratio, s.Maybe, s.Packed, s.Unpacked)):
            return self._plain(shape.of)
        if isinstance(shape, s.Tuple):
            return all(map(self._plain, shape.of))
        return isinstance(shape, (s.Leaf, s.Between, s.Constant))


def references(shape: s.Shape) -> List[int]:
    """The definitions that a shape refers to.

    >>> references(s.Tuple((s.Reference(2), s.Maybe(s.Reference(0)))))
    [2, 0]
    """
    if isinstance(shape, s.Reference):
        return [shape.to]
    return [r for child in s.children(shape) for r in references(child)]


def unwrapped(bare: Sequence[s.Shape], shape: s.Shape) -> s.Shape:
    """A shape without its newtypes, given those of its schema.

    >>> unwrapped([s.Leaf("bool")], s.Maybe(s.Reference(0)))
    Maybe(of=Leaf(type='bool', encoding='', compact=False, units=0))
    """
    return map_references(lambda r: bare[r.to], shape)


def map_references(f: Callable[[s.Reference], s.Shape], shape: s.Shape) -> s.Shape:
    """Replace the references in a shape.

    >>> map_references(lambda r: s.Reference(r.to + 1), s.Ratio(s.Reference(0)))
    Ratio(of=Reference(to=1))
    """
    if isinstance(shape, s.Reference):
        return f(shape)
    return _map_children(partial(map_references, f), shape)


def plain_shape(shape: s.Shape) -> s.Shape:
    """The shape of the same values in the plain format, except for those of definitions.

    >>> plain_shape(s.Packed(s.Maybe(s.Unpacked(s.Reference(0)))))
    Maybe(of=Reference(to=0))
    """
    return _map_children(plain_shape, s.without_format(shape))


def _map_children(f: Callable[[s.Shape], s.Shape], shape: s.Shape) -> s.Shape:
    if isinstance(shape, (s.Ratio, s.Maybe, s.Packed, s.Unpacked)):
        return type(shape)(f(shape.of))
    if isinstance(shape, s.Tuple):
        return s.Tuple(tuple(map(f, shape.of)))
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        return type(shape)(f(shape.of), shape.compact)
    if isinstance(shape, s.Map):
        return s.Map(f(shape.key), f(shape.value), shape.compact)
    if isinstance(shape, s.Array):
        return s.Array(f(shape.index), f(shape.of))
    return shape


def is_ordered(unordered: Set[int], shape: s.Shape) -> bool:
    """Is the order of such values known, given the definitions whose order is not?

    >>> is_ordered({1}, s.List(s.Reference(0))), is_ordered({1}, s.Reference(1))
    (True, False)
    """
    if isinstance(shape, s.Reference):
        return shape.to not in unordered
    if isinstance(shape, (s.Array, s.Opaque, s.Irregular)):
        return False
    return all(is_ordered(unordered, child) for child in s.children(shape))


def _field_shapes(d: s.Definition) -> List[s.Shape]:
    return [f.shape for c in d.constructors for f in c.fields]


def _certain(shape: s.Shape) -> List[int]:
    # The definitions of which every value of a shape contains a value.
    if isinstance(shape, s.Reference):
        return [shape.to]
    if isinstance(shape, s.Tuple):
        return [r for x in shape.of for r in _certain(x)]
    if isinstance(shape, s.Array):
        return _certain(shape.index)
    if isinstance(shape, (s.Packed, s.Unpacked)):
        return _certain(shape.of)
    return []


def unwrapping(definitions: Sequence[s.Definition]) -> Tuple[List[s.Shape], List[int]]:
    """What to write for a reference to each definition; and the newtypes, each after those in it.

    A newtype stays a reference if it wraps itself by way of newtypes only, or if what it wraps has
    more than 100 shapes.
    """
    known: List[s.Shape] = [s.Reference(i) for i in range(len(definitions))]
    sizes = [1] * len(definitions)
    wrapped = {
        i: d.constructors[0].fields[0].shape for i, d in enumerate(definitions) if d.form == "newtype"
    }
    order, cyclic = components({i: references(shape) for i, shape in wrapped.items()})

    def size_of(shape: s.Shape) -> int:
        if isinstance(shape, s.Reference):
            return sizes[shape.to]
        n = 1
        for child in s.children(shape):
            n = min(101, n + size_of(child))
        return n

    for i in order:
        n = size_of(wrapped[i])
        if i not in cyclic and n <= 100:
            known[i], sizes[i] = unwrapped(known, wrapped[i]), n
    return known, order


def _unordered(definitions: Sequence[s.Definition]) -> Set[int]:
    users: Dict[int, List[int]] = {}
    work = []
    for i, d in enumerate(definitions):
        shapes = _field_shapes(d)
        if d.order == "unknown" or not all(is_ordered(set(), x) for x in shapes):
            work.append(i)
        for x in shapes:
            for r in references(x):
                users.setdefault(r, []).append(i)
    seen: Set[int] = set()
    while work:
        i = work.pop()
        if i not in seen:
            seen.add(i)
            work.extend(users.get(i, ()))
    return seen


def constant_size(facts: Facts, shape: s.Shape) -> bool:
    """Do all values of the shape have the same number of bytes, as Haskell's layouts know it?

    >>> constant_size(Facts(()), s.Leaf("int64")), constant_size(Facts(()), s.Leaf("utf8"))
    (True, False)
    """
    work = [shape]
    seen: Set[int] = set()
    while work:
        shape = work.pop()
        if isinstance(shape, s.Between):
            shape = shape.leaf
        if isinstance(shape, s.Leaf):
            sized = shape.encoding in ("", "bigEndian") and shape.type in (
                *s.NUMBERS,
                "float32",
                "float64",
                "bool",
                "char",
                "scalarValue",
                "unit",
            )
            if not sized:
                return False
        elif isinstance(shape, (s.Tuple, s.Ratio, s.Unpacked)):
            work.extend(s.children(shape))
        elif isinstance(shape, s.Reference):
            d = facts.definitions[shape.to]
            if d.form == "sum" and any(c.fields for c in d.constructors):
                return False
            if shape.to in facts.endless:
                return False
            if shape.to not in seen:
                seen.add(shape.to)
                work.extend(_field_shapes(d))
        elif not isinstance(shape, s.Constant) and not (
            isinstance(shape, s.Opaque) and shape.size is not None
        ):
            return False
    return True
