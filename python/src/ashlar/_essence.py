"""The essence of a schema: what decides about the bytes and about evolution.

Newtypes are what they wrap, types have no names, and no order of values is known. A newtype is
unwrapped at each of its uses, and what it wraps may have any number of bytes: those of a constant or
of a name. So an essence may have far more bytes than its schema.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Sequence, Set, Tuple

from . import shapes as s
from ._facts import map_references, unwrapped, unwrapping
from ._schemawrite import schema_pieces, shape_head, text_size

__all__ = ["MOST_ESSENCE", "essence_pieces", "essence_size"]

#: How many bytes the essence of a schema may have: 1 GiB.
MOST_ESSENCE = 1_073_741_824


def essence_pieces(
    bare: Sequence[s.Shape], root: s.Shape, definitions: Sequence[s.Definition]
) -> Iterator[bytes]:
    """The bytes of the essence, of which few are in memory together, given the newtypes' shapes."""
    numbers: Dict[int, int] = {}
    work: List[s.Shape] = [unwrapped(bare, root)]
    while work:
        shape = work.pop()
        if isinstance(shape, s.Reference):
            if shape.to in numbers:
                continue
            numbers[shape.to] = len(numbers)
            inner = [unwrapped(bare, f.shape) for c in definitions[shape.to].constructors for f in c.fields]
        else:
            inner = list(s.children(shape))
        work.extend(reversed(inner))

    def essential(shape: s.Shape) -> s.Shape:
        return map_references(lambda r: s.Reference(numbers[r.to]), unwrapped(bare, shape))

    left = (s.Definition("", d.form, "unknown", d.constructors) for d in map(definitions.__getitem__, numbers))
    return schema_pieces(root, len(numbers), left, essential)


def essence_size(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> int:
    """The number of bytes of the essence. Takes time in proportion to the size of the schema.

    >>> essence_size(s.Maybe(s.Leaf("utf8")), ())
    12
    """
    bare, order = unwrapping(definitions)
    stays = [bare[i] == s.Reference(i) for i in range(len(definitions))]
    # What stands for a reference.
    sizes = [len(shape_head(s.Reference(0)))] * len(definitions)

    def size(shape: s.Shape) -> int:
        if isinstance(shape, s.Reference):
            return sizes[shape.to]
        return len(shape_head(shape)) + sum(map(size, s.children(shape)))

    for i in order:
        if not stays[i]:
            sizes[i] = size(definitions[i].constructors[0].fields[0].shape)
    total = size(root) + 8
    seen: Set[int] = set()
    work = [root]
    while work:
        shape = work.pop()
        if not isinstance(shape, s.Reference):
            work.extend(s.children(shape))
        elif shape.to not in seen:
            seen.add(shape.to)
            d = definitions[shape.to]
            work.extend(f.shape for c in d.constructors for f in c.fields)
            if stays[shape.to]:
                total += 18 + sum(9 + text_size(c.name) for c in d.constructors)
                total += sum(text_size(f.name) + size(f.shape) for c in d.constructors for f in c.fields)
    return total
