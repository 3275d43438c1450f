"""Which classes the values of definitions have."""

from __future__ import annotations

import collections.abc
import dataclasses
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union, get_args, get_origin, get_type_hints

from . import shapes as s
from ._facts import Facts
from ._genread import ReadTypes
from ._genwrite import WriteTypes
from ._nodes import Maker
from ._write import plain_take
from .source import member_names
from .schema import Schema

__all__ = ["Classes", "bind_classes"]


class Classes:
    """How values of definitions are made, and taken apart."""

    def __init__(self, facts: Facts) -> None:
        self.read_types: ReadTypes = {}
        self.write_types: WriteTypes = {}
        self.makers: Dict[int, List[Maker]] = {}
        self._tags: Dict[int, Dict[type, int]] = {}
        self._plain = plain_take(facts)

    def add(self, i: int, d: s.Definition, classes: Sequence[Optional[type]]) -> None:
        """Let the constructors of a definition have these classes."""
        reads: List[Tuple[Any, List[Optional[str]]]] = []
        writes: List[Tuple[type, List[str]]] = []
        for c, kind in zip(d.constructors, classes):
            names = member_names(c)
            writes.append((kind or type(None), names))
            ordered = kind is not None and [f.name for f in _init_fields(kind)] == names
            reads.append((kind, [None] * len(names) if ordered else list(names)))
        self.read_types[i] = reads
        self.write_types[i] = writes
        self.makers[i] = [_maker(kind, names) for kind, names in writes]
        self._tags[i] = {kind: tag for tag, kind in enumerate(classes) if kind is not None}

    def take(self, i: int, value: Any) -> Optional[Tuple[int, Sequence[Any]]]:
        """The number of the constructor of a value, and the fields."""
        tags = self._tags.get(i)
        if tags is None:
            return self._plain(i, value)
        for kind in type(value).__mro__:
            if kind in tags:
                tag = tags[kind]
                return tag, [getattr(value, name) for name in self.write_types[i][tag][1]]
        return None


def _maker(kind: Any, names: Sequence[str]) -> Maker:
    return lambda values: kind(**dict(zip(names, values)))


def bind_classes(schema: Schema, kind: Any) -> Classes:
    """The classes in an annotation. Raises :class:`TypeError` if they are not those of the schema."""
    facts = schema.facts
    classes = Classes(facts)
    if kind is None:
        return classes
    bound: Dict[int, Tuple[Optional[type], ...]] = {}
    work: List[Tuple[s.Shape, Any]] = [(schema.root, kind)]
    # (The hints are kept, so that no other one gets the number of one of them.)
    seen: Dict[Tuple[s.Shape, int], Any] = {}
    while work:
        shape, hint = work.pop()
        shape = facts.value_shape(shape)
        if isinstance(shape, s.Reference) and facts.definitions[shape.to].form != "newtype":
            work.extend(_definition(facts.definitions[shape.to], shape.to, hint, bound))
            continue
        if (shape, id(hint)) not in seen:
            seen[shape, id(hint)] = hint
            work.extend(_inner(facts, shape, hint))
    for i, found in bound.items():
        classes.add(i, facts.definitions[i], found)
    return classes


_Pairs = List[Tuple[s.Shape, Any]]


def _definition(
    d: s.Definition, i: int, hint: Any, bound: Dict[int, Tuple[Optional[type], ...]]
) -> _Pairs:
    if hint is Any:
        return []
    members = _members(hint)
    used = [c for c in d.constructors if not c.retired]
    if d.form == "sum" and not used:
        return []
    if len(members) != len(used) or not all(map(dataclasses.is_dataclass, members)):
        raise TypeError(f"{hint} does not have a dataclass for each constructor of {d.name}")
    left = iter(members)
    found = tuple(None if c.retired else next(left) for c in d.constructors)
    if i in bound:
        if bound[i] != found:
            raise TypeError(f"{d.name} has two types: {bound[i]} and {found}")
        return []
    bound[i] = found
    pairs: _Pairs = []
    for c, kind in zip(d.constructors, found):
        if kind is not None:
            pairs.extend(_fields(d, c, kind))
    return pairs


def _fields(d: s.Definition, c: s.Constructor, kind: Any) -> _Pairs:
    names = member_names(c)
    own = [f.name for f in _init_fields(kind)]
    missing, extra = [n for n in names if n not in own], [n for n in own if n not in names]
    if missing:
        raise TypeError(f"{kind.__name__} does not have all fields of {d.name}: {', '.join(missing)}")
    if extra:
        raise TypeError(f"{kind.__name__} has fields that {d.name} does not have: {', '.join(extra)}")
    hints = get_type_hints(kind)
    return [(f.shape, hints[name]) for f, name in zip(c.fields, names)]


def _init_fields(kind: Any) -> List[Any]:
    return [f for f in dataclasses.fields(kind) if f.init]


def _members(hint: Any) -> List[Any]:
    if get_origin(hint) is Union or _is_new_union(hint):
        return list(get_args(hint))
    return [hint]


def _is_new_union(hint: Any) -> bool:
    # A | B
    if sys.version_info >= (3, 10):
        import types

        return isinstance(hint, types.UnionType)
    return False


def _inner(facts: Facts, shape: s.Shape, hint: Any) -> _Pairs:
    arguments = get_args(hint)
    origin = get_origin(hint)
    if isinstance(shape, s.Maybe) and type(None) in _members(hint):
        rest = tuple(m for m in _members(hint) if m is not type(None))
        inner: Any = Union[rest]
        if facts.may_be_none(shape.of):
            inner = get_args(inner)[0] if get_args(inner) else Any
        return [(shape.of, inner)]
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)) and len(arguments) == 1:
        return [(shape.of, arguments[0])]
    if isinstance(shape, s.Tuple) and len(arguments) == len(shape.of):
        return list(zip(shape.of, arguments))
    if isinstance(shape, s.Map) and origin in (dict, collections.abc.Mapping) and len(arguments) == 2:
        return [(shape.key, arguments[0]), (shape.value, arguments[1])]
    if isinstance(shape, s.Map) and len(arguments) == 1 and len(get_args(arguments[0])) == 2:
        key, value = get_args(arguments[0])
        return [(shape.key, key), (shape.value, value)]
    if isinstance(shape, s.Array) and len(arguments) == 2:
        return [(shape.index, arguments[0]), (shape.of, arguments[1])]
    return []
