"""What is known of a schema's values before there are any.

An untrusted schema may ask for any work for few bytes. So the least parts and bytes of a value are
computed for each definition. If there are at most 64 parts for each byte, the work is linear in the
bytes and is not counted. Otherwise each part counts as a step of the budget.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Sequence, Set, Tuple

from . import shapes as s
from ._graph import components

__all__ = [
    "Cost",
    "Facts",
    "constant_size",
    "fair",
    "is_ordered",
    "least_of_leaf",
    "map_references",
    "references",
    "tag_size",
    "unwrapped",
]

#: Sums of parts and bytes are cut off here.
_MOST = 0x1000000

#: The least parts and the least bytes of a value.
Cost = Tuple[int, int]


class Facts:
    """What decoding, JSON and evolution ask of the definitions of a schema."""

    def __init__(self, definitions: Sequence[s.Definition]) -> None:
        self.definitions = definitions
        #: What to write for a reference to each definition: newtypes are what they wrap.
        self.bare: List[s.Shape] = _unwrapping(definitions)
        always: Dict[int, Sequence[int]] = {
            i: [r for f in _field_shapes(d) for r in _certain(f)]
            for i, d in enumerate(definitions)
            if d.form != "sum"
        }
        order, self.endless = components(always)
        self.costs: List[Cost] = [
            (1, tag_size(len(d.constructors))) if d.form == "sum" else (_MOST, 0) for d in definitions
        ]
        for i in order:
            if i not in self.endless:
                self.costs[i] = self.cost_of_all(_field_shapes(definitions[i]))
        self.unordered = _unordered(definitions)

    def bare_shape(self, shape: s.Shape) -> s.Shape:
        """A shape that is no newtype, unless that is recursive."""
        return self.bare[shape.to] if isinstance(shape, s.Reference) else shape

    def may_be_none(self, shape: s.Shape) -> bool:
        """Is a value of the shape an optional one, whatever newtypes are around it?"""
        seen: Set[int] = set()
        while isinstance(shape, s.Reference):
            d = self.definitions[shape.to]
            if d.form != "newtype" or shape.to in seen:
                return False
            seen.add(shape.to)
            shape = d.constructors[0].fields[0].shape
        return isinstance(shape, s.Maybe)

    def hashable(self, shape: s.Shape) -> bool:
        """Are the keys of this shape the keys of a ``dict``? They are of known order, without records and sums."""
        return is_ordered(self.unordered, shape) and self._plain(unwrapped(self.bare, shape))

    def _plain(self, shape: s.Shape) -> bool:
        if isinstance(shape, (s.Ratio, s.Maybe)):
            return self._plain(shape.of)
        if isinstance(shape, s.Tuple):
            return all(map(self._plain, shape.of))
        return isinstance(shape, (s.Leaf, s.Between, s.Constant))

    def cost_of(self, shape: s.Shape) -> Cost:
        """The cost of a shape."""
        if isinstance(shape, s.Leaf):
            return (1, least_of_leaf(shape))
        if isinstance(shape, s.Between):
            return (1, least_of_leaf(shape.leaf))
        if isinstance(shape, s.Ratio):
            return _twice(self.cost_of(shape.of))
        if isinstance(shape, s.Maybe):
            return (1, 1)
        if isinstance(shape, s.Tuple):
            return self.cost_of_all(shape.of)
        if isinstance(shape, (s.List, s.NonEmpty, s.Set, s.Map)):
            return (1, 1 if shape.compact else 8)
        if isinstance(shape, s.Array):
            return _plus(_twice(self.cost_of(shape.index)), (1, 8))
        if isinstance(shape, s.Constant):
            return (1, len(shape.bytes))
        if isinstance(shape, s.Reference):
            return self.costs[shape.to]
        if isinstance(shape, s.Opaque):
            return (1, min(_MOST, shape.size or 0))
        return (1, 0)

    def cost_of_all(self, shapes: Iterable[s.Shape]) -> Cost:
        """The cost of a value with parts of these shapes."""
        cost: Cost = (1, 0)
        for shape in shapes:
            cost = _plus(cost, self.cost_of(shape))
        return cost


def fair(cost: Cost, more: int = 0) -> bool:
    """Are there few parts for the bytes, and this many bytes besides?

    >>> fair((65, 1)), fair((65, 1), 1)
    (False, True)
    """
    return cost[0] <= 64 * (more + cost[1])


def tag_size(count: int) -> int:
    """The bytes of a tag, given the number of constructors.

    >>> [tag_size(n) for n in (0, 1, 256, 257)]
    [0, 1, 1, 2]
    """
    return 0 if count == 0 else 1 if count <= 256 else 2


def least_of_leaf(leaf: s.Leaf) -> int:
    """The least number of bytes of a leaf.

    >>> least_of_leaf(s.Leaf("int64")), least_of_leaf(s.Leaf("int64", "varint"))
    (8, 1)
    """
    if leaf.type == "unit":
        return 0
    if leaf.type in s.NUMBERS:
        return s.NUMBERS[leaf.type][0] if leaf.encoding in ("", "bigEndian") else 1
    if leaf.type in ("float32", "char", "scalarValue"):
        return 4
    if leaf.type in ("float64", "utf16"):
        return 8
    if leaf.type in ("bytes", "byteArray", "utf8"):
        return 1 if leaf.compact else 8
    return 1


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
    if isinstance(shape, (s.Ratio, s.Maybe)):
        return type(shape)(map_references(f, shape.of))
    if isinstance(shape, s.Tuple):
        return s.Tuple(tuple(map_references(f, x) for x in shape.of))
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        return type(shape)(map_references(f, shape.of), shape.compact)
    if isinstance(shape, s.Map):
        return s.Map(map_references(f, shape.key), map_references(f, shape.value), shape.compact)
    if isinstance(shape, s.Array):
        return s.Array(map_references(f, shape.index), map_references(f, shape.of))
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


def _plus(a: Cost, b: Cost) -> Cost:
    return (min(_MOST, a[0] + b[0]), min(_MOST, a[1] + b[1]))


def _twice(cost: Cost) -> Cost:
    return _plus(cost, cost)


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
    return []


def _unwrapping(definitions: Sequence[s.Definition]) -> List[s.Shape]:
    # A newtype stays a reference if it wraps itself by way of newtypes only, or if what it wraps has
    # more than 100 shapes.
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
    return known


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
        elif isinstance(shape, (s.Tuple, s.Ratio)):
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
