"""Is this the schema of a type?"""

from __future__ import annotations

from typing import Iterable, List, Optional, Tuple

from . import shapes as s
from ._essence import MOST_ESSENCE, essence_size

__all__ = ["MOST_NESTED", "check_schema"]

#: How deep shapes may be nested in one another, not counting references.
MOST_NESTED = 100

_MOST_CONSTRUCTORS = 65536


def check_schema(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> Optional[str]:
    """Why no type has this schema, or ``None`` if one may have it.

    >>> check_schema(s.Leaf("bool"), ())
    >>> check_schema(s.Tuple((s.Leaf("bool"),)), ())
    'the root: a tuple of fewer than two values'
    """
    problem = _check_names(definitions) or _check_shape("the root", root)
    for d in definitions:
        problem = problem or _check_definition(d)
    problem = problem or _check_order(root, definitions) or _check_indices(root, definitions)
    if problem is None and essence_size(root, definitions) > MOST_ESSENCE:
        return "a schema whose essence has more than 1 GiB"
    return problem


def _check_names(definitions: Tuple[s.Definition, ...]) -> Optional[str]:
    # Names are written in UTF-8.
    for i, d in enumerate(definitions):
        names = [d.name, *(c.name for c in d.constructors)]
        names += [f.name for c in d.constructors for f in c.fields]
        if any(map(_has_surrogate, names)):
            return f"definition {i}: a name with a surrogate"
    return None


def _has_surrogate(name: str) -> bool:
    return not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name)


def _check_order(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> Optional[str]:
    # A new number is always the least that has not been seen.
    seen = 0
    work = [root]
    while work:
        shape = work.pop()
        inner: Tuple[s.Shape, ...] = ()
        if isinstance(shape, s.Reference):
            if not 0 <= shape.to < len(definitions):
                return f"a reference to definition {shape.to}"
            if shape.to > seen:
                return "definitions that are not in the order of the first visit"
            if shape.to == seen:
                seen += 1
                d = definitions[shape.to]
                inner = tuple(f.shape for c in d.constructors for f in c.fields)
        else:
            inner = s.children(shape)
        work.extend(reversed(inner))
    return None if seen == len(definitions) else "a definition that nothing refers to"


def _check_indices(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> Optional[str]:
    # An array has two indices, so the work for arrays within the indices of others would double with each.
    work = [root, *(f.shape for d in definitions for c in d.constructors for f in c.fields)]
    inside: List[s.Shape] = []
    while work:
        shape = work.pop()
        if isinstance(shape, s.Array):
            inside.append(shape.index)
            work.append(shape.of)
        else:
            work.extend(s.children(shape))
    seen = set()
    while inside:
        shape = inside.pop()
        if isinstance(shape, s.Array):
            return "an array within the index of an array"
        if not isinstance(shape, s.Reference):
            inside.extend(s.children(shape))
        elif shape.to not in seen:
            seen.add(shape.to)
            inside.extend(f.shape for c in definitions[shape.to].constructors for f in c.fields)
    return None


def _check_definition(d: s.Definition) -> Optional[str]:
    name = d.name[:100]
    one = d.constructors[0] if len(d.constructors) == 1 else None
    whole = one is not None and not one.retired
    problem = None
    if d.form == "newtype" and not (whole and one is not None and len(one.fields) == 1):
        problem = "a newtype without its one field"
    elif d.form == "record" and not whole:
        problem = "a record without its one constructor"
    elif d.form == "sum" and len(d.constructors) > _MOST_CONSTRUCTORS:
        problem = "too many constructors"
    elif not _distinct(c.name for c in d.constructors):
        problem = "two constructors with one name"
    if problem is not None:
        return f"{name}: {problem}"
    for c in d.constructors:
        if c.retired and c.fields:
            return f"{name}: a retired constructor with fields"
        if not _distinct(f.name for f in c.fields):
            return f"{name}: {c.name[:100]}: two fields with one name"
        for f in c.fields:
            inner = _check_shape(f"{name}.{f.name[:100]}", f.shape)
            if inner is not None:
                return inner
    return None


def _distinct(names: Iterable[str]) -> bool:
    listed = list(names)
    return len(set(listed)) == len(listed)


def _check_shape(place: str, shape: s.Shape) -> Optional[str]:
    work: List[Tuple[int, s.Shape]] = [(MOST_NESTED, shape)]
    while work:
        left, shape = work.pop()
        problem = f"shapes nested more than {MOST_NESTED} deep" if left <= 0 else _check_one(shape)
        if problem is not None:
            return f"{place}: {problem}"
        work.extend((left - 1, child) for child in reversed(s.children(shape)))
    return None


def _check_one(shape: s.Shape) -> Optional[str]:
    leaf = shape.leaf if isinstance(shape, s.Between) else shape
    if isinstance(leaf, s.Leaf) and leaf.units < 0:
        return "a negative number of units"
    if isinstance(shape, (s.Opaque, s.Irregular)) and _has_surrogate(shape.name):
        return "a name with a surrogate"
    if isinstance(shape, s.Opaque):
        for n in (shape.version, shape.size or 0):
            if not -1 << 63 <= n < 1 << 63:
                return "a number that does not fit 64 bits"
    if isinstance(shape, s.Tuple) and len(shape.of) < 2:
        return "a tuple of fewer than two values"
    if isinstance(shape, s.Between):
        if not s.is_whole(shape.leaf):
            return "bounds of what is no whole number"
        if shape.low > shape.high:
            return "bounds that enclose no number"
    if isinstance(shape, s.Ratio):
        inner = shape.of
        if not (isinstance(inner, s.Between) or (isinstance(inner, s.Leaf) and s.is_whole(inner))):
            return "a fraction of what are no whole numbers"
    if isinstance(shape, s.Opaque) and shape.size is not None and shape.size < 0:
        return "a negative size"
    return None
