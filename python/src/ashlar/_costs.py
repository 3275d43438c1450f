"""How much work a value takes at least, and how many bytes or bits.

An untrusted schema may ask for any work for few bytes. So the least parts and the least size of a
value are computed for each definition. If there are at most 64 parts for each byte, or 8 for each
bit, the work is linear in the bytes and is not counted. Otherwise each part counts as a step of the
budget.
"""

from __future__ import annotations

from typing import Iterable, List, Sequence, Set, Tuple

from . import shapes as s

__all__ = ["Cost", "Costs", "least_of_leaf", "tag_size"]

#: Sums of parts are cut off here.
_MOST = 0x1000000

#: Sizes are cut off here. The bytes may come after the parts, and need not be there: they pay for 2^20 parts at most.
_MOST_SIZE = 0x4000

#: The least parts and the least size of a value.
Cost = Tuple[int, int]


class Costs:
    """The costs in the plain format, in bytes, or in the packed one, in bits.

    They are computed from the definitions, those whose values have no end, and the others that are no
    sums, each after those that are in it.
    """

    def __init__(
        self,
        packed: bool,
        definitions: Sequence[s.Definition],
        endless: Set[int],
        order: Sequence[int],
    ) -> None:
        self._packed = packed
        # How many units of size are a byte.
        self._units = 8 if packed else 1
        self._known: List[Cost] = [
            (1, self.of_tag(len(d.constructors))) if d.form == "sum" else (_MOST, 0) for d in definitions
        ]
        for i in order:
            if i not in endless:
                self._known[i] = self.of_all(f.shape for c in definitions[i].constructors for f in c.fields)

    def of(self, shape: s.Shape) -> Cost:
        """The cost of a shape."""
        if isinstance(shape, s.Leaf):
            return (1, self._of_leaf(shape))
        if isinstance(shape, s.Between):
            return (1, self._of_leaf(shape.leaf))
        if isinstance(shape, s.Ratio):
            return _twice(self.of(shape.of))
        if isinstance(shape, s.Maybe):
            return (1, self.of_tag(2))
        if isinstance(shape, s.Tuple):
            return self.of_all(shape.of)
        if isinstance(shape, (s.List, s.NonEmpty, s.Set, s.Map)):
            return (1, 1 if shape.compact and not self._packed else 8)
        if isinstance(shape, s.Array):
            return _plus(_twice(self.of(shape.index)), (1, 8))
        if isinstance(shape, s.Constant):
            return (1, self._size(len(shape.bytes)))
        if isinstance(shape, s.Reference):
            return self._known[shape.to]
        if isinstance(shape, s.Opaque):
            return (1, self._size(shape.size or 0))
        # A packed value of no bytes counts as a step. (Within another one it changes nothing.)
        if isinstance(shape, s.Packed):
            return self.of(shape.of) if self._packed else (1, 1)
        return self.of(shape.of) if isinstance(shape, s.Unpacked) else (1, 0)

    def of_all(self, shapes: Iterable[s.Shape]) -> Cost:
        """The cost of a value with parts of these shapes."""
        return _plus((1, 0), self.together(shapes))

    def together(self, shapes: Iterable[s.Shape]) -> Cost:
        """The cost of values of these shapes, one after another."""
        cost: Cost = (0, 0)
        for shape in shapes:
            cost = _plus(cost, self.of(shape))
        return cost

    def fair(self, cost: Cost, more: int = 0) -> bool:
        """Are there few parts for the size, and this much besides?

        >>> plain = Costs(False, [], set(), [])
        >>> plain.fair((65, 1)), plain.fair((65, 1), 1)
        (False, True)
        """
        return self._units * cost[0] <= 64 * (more + cost[1])

    def few_parts(self, shape: s.Shape) -> bool:
        """Has an element of this shape, if it has no bytes, so few parts that its container counts them?"""
        return self.of(shape)[0] <= 64

    def of_tag(self, count: int) -> int:
        """The least size of a tag, given the number of constructors."""
        return int(count > 1) if self._packed else tag_size(count)

    def _size(self, n: int) -> int:
        return min(_MOST_SIZE, self._units * n)

    def _of_leaf(self, leaf: s.Leaf) -> int:
        if not self._packed:
            return least_of_leaf(leaf)
        return 1 if leaf.type == "bool" else 8 * min(1, least_of_leaf(leaf))


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


def _plus(a: Cost, b: Cost) -> Cost:
    return (min(_MOST, a[0] + b[0]), min(_MOST_SIZE, a[1] + b[1]))


def _twice(cost: Cost) -> Cost:
    return _plus(cost, cost)
