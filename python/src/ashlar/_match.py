"""From two schemas to a program."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import shapes as s
from ._describe import describe_shape
from ._dropping import drop_definition, refused, retired
from ._costs import tag_size
from ._facts import Facts, plain_shape, references
from ._fields import Said, field_ops
from ._graph import components
from ._mismatch import Mismatch, in_evolution_of
from ._ops import (
    Copy,
    Each,
    Op,
    Program,
    Put,
    Switch,
    Unreadable,
    count_bytes,
    is_identity,
    tag_bytes,
    tidy,
    unreadable,
    without_empty,
)
from ._packing import Side, copying, expanded, leaving_out, packed_again, undescribed_in
from ._planning import (
    FREE,
    Key,
    Path,
    Place,
    Planner,
    Wrapping,
    bad,
    converting,
    no_values,
    path_text,
    unpacked_part,
)
from ._rules import rules_of
from ._whole import leaf_ops, letters_ops, string_ops, text_ops, whole_ops
from .evolution import DroppedConstructor, RenamedConstructor, Rule, UnknownConstructors
from .schema import Schema

__all__ = ["program"]

#: Encodes the default of a field, given what is known of the definitions, and its shape.
_Default = Callable[[Facts, s.Shape, Any], bytes]


def program(
    old: Schema, new: Schema, evolution: Mapping[str, Sequence[Rule]], skipping: bool, default: _Default
) -> Program:
    """The program that turns values of the old schema into values of the new one.

    Raises ``Mismatch`` if there is none. ``skipping`` passes over what the type does not have.
    """
    match = _Match(Side(old), Side(new), evolution, skipping, default)
    return match.program(False, (match.name(), None), old.root, new.root)


class _Target(NamedTuple):
    # What becomes of fields that today's constructor does not have, its number, and the constructor.
    skip: bool
    number: int
    constructor: s.Constructor


#: An old shape and a new one.
_Pair = Tuple[s.Shape, s.Shape]


class _Match:
    def __init__(
        self,
        old: Side,
        new: Side,
        evolution: Mapping[str, Sequence[Rule]],
        skipping: bool,
        default: _Default,
    ) -> None:
        self.old, self.new = old, new
        self.evolution = evolution
        self.skipping = skipping
        self.default = default
        self.planner = Planner()
        wrapped = {
            i: references(d.constructors[0].fields[0].shape)
            for i, d in enumerate(new.definitions)
            if d.form == "newtype"
        }
        _, self.recursive = components({i: x for i, x in wrapped.items()})
        # Equal plain bytes are equal packed bytes, unless a part is packed on one side only.
        self.all_packed = not (old.has_unpacked or new.has_unpacked)

    def name(self) -> str:
        """The name of a new value, packed or not."""
        root = self.new.peel(self.new.schema.root)
        if isinstance(root, s.Packed):
            root = self.new.peel(root.of)
        return self.new.definitions[root.to].name if isinstance(root, s.Reference) else "value"

    def program(self, in_key: bool, start: Path, x: s.Shape, y: s.Shape) -> Program:
        """The program for values of the one shape to become values of the other."""
        planner = self.planner
        main = tidy(self.shapes(in_key, FREE, start, x, y))
        while planner.queue:
            number, key, path = planner.queue.pop()
            planner.done[number] = tidy(self.procedure(path, key))
        return without_empty(main, planner.done)

    def procedure(self, path: Path, key: Key) -> List[Op]:
        if key.kind == "dropping":
            d = self.old.definitions[key.old]
            self.planner.spend(path, _size(d))
            return drop_definition(self.planner, path, d)
        if key.kind == "droppingPacked":
            assert key.shape is not None
            self.planner.spend(path, self.packed_work())
            unknown = undescribed_in(self.old.schema, key.shape)
            if unknown is not None:
                raise Mismatch(path_text(path), *unknown)
            return [leaving_out(self.old, key.shape)]
        if key.kind == "wrapped":
            assert key.shape is not None
            self.planner.spend(path, 1)
            return self.unfolded(key.in_key, key.wrapping, path, key.shape, s.Reference(key.new))
        d, e = self.old.definitions[key.old], self.new.definitions[key.new]
        self.planner.spend(path, _size(d) + _size(e))
        return _Definitions(self, key.in_key, path, d, e, rules_of(self.evolution, key.new, e)).ops()

    def packed_work(self) -> int:
        # Each packed value has a plan of its own, for which all definitions are looked through again.
        return 1 + 8 * sum(_size(d) for side in (self.old, self.new) for d in side.definitions)

    def shown(self, x: s.Shape, y: s.Shape) -> List[str]:
        """An old and a new shape, as a mismatch names them."""
        return [describe_shape(self.old.names, x), describe_shape(self.new.names, y)]

    def cannot(self, path: Path, x: s.Shape, y: s.Shape) -> Mismatch:
        return Mismatch(path_text(path), "CannotBecome", self.shown(x, y), converting(path))

    def shapes(
        self, in_key: bool, wrapping: Wrapping, path: Path, x: s.Shape, y: s.Shape
    ) -> List[Op]:
        """The steps for a value of the one shape to become one of the other."""
        y = unpacked_part(y)
        if isinstance(y, s.Reference) and y.to in self.recursive:
            return self.planner.call(path, Key("wrapped", in_key, -1, y.to, x, wrapping))
        return self.unfolded(in_key, wrapping, path, x, y)

    def unfolded(
        self, in_key: bool, wrapping: Wrapping, path: Path, x0: s.Shape, y0: s.Shape
    ) -> List[Op]:
        x, y = self.old.peel(x0), self.new.peel(y0)
        # A newtype outside of all fields may convert its own field.
        if isinstance(y0, s.Reference) and not in_key and not _has_place(path):
            d = self.new.definitions[y0.to]
            if d.form == "newtype":
                path = (Place("", d.name, d.constructors[0].fields[0].name), path)
        if x is None:
            return no_values(y is None)
        if y is None:
            bad(path, "HasNoValues")
        return self.bare(in_key, wrapping, path, x, y)

    def inside(
        self, in_key: bool, wrapping: Wrapping, path: Path, around: _Pair, x: s.Shape, y: s.Shape
    ) -> List[Op]:
        # What is inside of a wrapping is compared. The mismatch names the shapes around it.
        try:
            return self.shapes(in_key, wrapping, path, x, y)
        except Mismatch as e:
            if e.kind == "CannotBecome" and e.path == path_text(path):
                e.names = self.shown(*around)
            raise

    def each(
        self, in_key: bool, path: Path, old: bool, new: bool, least: int, x: s.Shape, y: s.Shape
    ) -> List[Op]:
        ops = self.shapes(in_key, Wrapping(True, False), ("[]", path), x, y)
        return [Each(old, new, least, ops)]

    def bare(self, in_key: bool, wrapping: Wrapping, path: Path, x: s.Shape, y: s.Shape) -> List[Op]:
        for shape in (x, y):
            if isinstance(shape, s.Irregular):
                bad(path, "IsIrregular", shape.name)
        if isinstance(x, s.Packed) or isinstance(y, s.Packed):
            return self.packed(in_key, path, x, y)
        if isinstance(x, s.Reference) and isinstance(y, s.Reference):
            return self.planner.call(path, Key("pair", in_key, x.to, y.to))
        found = self.leaves(in_key, path, x, y) or self.containers(in_key, path, x, y)
        if found is None and not in_key:
            found = self.wrapped(wrapping, path, x, y)
        if found is None:
            raise self.cannot(path, x, y)
        return found.ops

    def packed(self, in_key: bool, path: Path, x: s.Shape, y: s.Shape) -> List[Op]:
        # A value that is packed in the old schema, in the new one, or in both.
        # All in it is plain when a program translates it.
        old, new, a, b = self.old, self.new, x, y
        if isinstance(x, s.Packed):
            old, a = old.plain, plain_shape(x)
        if isinstance(y, s.Packed):
            new, b = new.plain, plain_shape(y)
        found = self.between(in_key, path, old, a, new, b)
        problem = unreadable(found)
        here = None if problem is None else Mismatch(path_text(path), problem.kind, problem.names)
        if isinstance(x, s.Packed) and isinstance(y, s.Packed):
            if is_identity(found) and (self.all_packed or self.same_format(x, y)):
                return [copying(self.old, x.of) if here is None else Unreadable(here)]
        if here is not None:
            raise here
        if isinstance(x, s.Packed):
            found = Program([expanded(self.old, x.of, found)], {})
        return [packed_again(self.new, y.of, found)] if isinstance(y, s.Packed) else found.main

    def same_format(self, x: s.Shape, y: s.Shape) -> bool:
        old, new = self.old.schema.with_root(x), self.new.schema.with_root(y)
        return old.same_fingerprint(new)

    def between(
        self, in_key: bool, path: Path, old: Side, x: s.Shape, new: Side, y: s.Shape
    ) -> Program:
        # A program of its own may take half of the work that is left, so that some is left for the rest.
        self.planner.spend(path, self.packed_work())
        half = self.planner.left // 2
        inner = copy.copy(self)
        inner.planner = Planner(half)
        inner.old, inner.new = old, new
        try:
            return inner.program(in_key, path, x, y)
        finally:
            self.planner.left -= half - inner.planner.left

    def leaves(self, in_key: bool, path: Path, x: s.Shape, y: s.Shape) -> Optional[_Found]:
        ops: Optional[List[Op]] = None
        if isinstance(x, s.Leaf) and isinstance(y, s.Leaf):
            if x == y:
                return _Found(leaf_ops(True, x))
            ops = whole_ops(x, y) or string_ops(not in_key, x, y)
            if ops is None and not in_key:
                ops = text_ops(x, y)
            if ops is None:
                raise self.cannot(path, x, y)
        elif isinstance(x, s.Between) or isinstance(y, s.Between):
            ops = whole_ops(x, y)
        elif isinstance(x, s.Ratio) and isinstance(y, s.Ratio):
            ops = whole_ops(x.of, y.of)
            ops = None if ops is None else ops * 2
        elif isinstance(x, s.Constant) and x == y:
            ops = [Copy(len(x.bytes))]
        elif isinstance(x, s.Opaque) and x == y:
            if x.size is None:
                ops = [Unreadable(Mismatch(path_text(path), "NotDescribed", [x.name]))]
            else:
                ops = [Copy(x.size)]
        return None if ops is None else _Found(ops)

    def containers(self, in_key: bool, path: Path, x: s.Shape, y: s.Shape) -> Optional[_Found]:
        if isinstance(x, s.Maybe) and isinstance(y, s.Maybe):
            ops = self.inside(in_key, Wrapping(False, True), path, (x, y), x.of, y.of)
            return _Found([Switch("Maybe", 1, True, [[Put(b"\0")], [Put(b"\1"), *ops]])])
        if isinstance(x, s.Tuple) and isinstance(y, s.Tuple) and len(x.of) == len(y.of):
            return _Found(
                [
                    op
                    for i, (a, b) in enumerate(zip(x.of, y.of), 1)
                    for op in self.shapes(in_key, FREE, (f".{i}", path), a, b)
                ]
            )
        if isinstance(x, (s.List, s.NonEmpty)) and isinstance(y, s.List):
            least = 1 if isinstance(x, s.NonEmpty) else 0
            return _Found(self.each(in_key, path, x.compact, y.compact, least, x.of, y.of))
        if isinstance(x, s.NonEmpty) and isinstance(y, s.NonEmpty):
            return _Found(self.each(in_key, path, x.compact, y.compact, 0, x.of, y.of))
        if isinstance(x, s.Set) and isinstance(y, s.Set):
            ops = self.shapes(True, FREE, ("[]", path), x.of, y.of)
            return _Found([Each(x.compact, y.compact, 0, ops)])
        if isinstance(x, s.Map) and isinstance(y, s.Map):
            ops = self.shapes(True, FREE, ("{key}", path), x.key, y.key)
            ops = ops + self.shapes(in_key, FREE, ("{}", path), x.value, y.value)
            return _Found([Each(x.compact, y.compact, 0, ops)])
        if isinstance(x, s.Array) and isinstance(y, s.Array):
            bounds = self.shapes(True, FREE, ("[index]", path), x.index, y.index)
            ops = self.shapes(in_key, FREE, ("[]", path), x.of, y.of)
            return _Found(bounds * 2 + [Each(False, False, 0, ops)])
        return None

    def wrapped(self, wrapping: Wrapping, path: Path, x: s.Shape, y: s.Shape) -> Optional[_Found]:
        # Changes of what is around a value. None of them is allowed in keys.
        if isinstance(y, s.Maybe) and wrapping.maybe:
            ops = self.inside(False, Wrapping(False, True), path, (x, y), x, y.of)
            return _Found([Put(b"\1"), *ops])
        if not isinstance(y, (s.List, s.NonEmpty)):
            return None
        of = self.new.peel(y.of)
        if isinstance(y, s.List):
            if isinstance(x, s.Leaf) and isinstance(of, s.Leaf):
                letters = letters_ops(x, y.compact, of)
                if letters is not None:
                    return _Found(letters)
            if isinstance(x, s.Set):
                return _Found(self.each(False, path, x.compact, y.compact, 0, x.of, y.of))
            if isinstance(x, s.Map) and isinstance(of, s.Tuple) and len(of.of) == 2:
                pair = s.Tuple((x.key, x.value))
                return _Found(self.each(False, path, x.compact, y.compact, 0, pair, y.of))
            # (Otherwise the elements may be what there is now.)
            several = of is not None and not isinstance(self.new.peel(s.without_format(of)), s.Maybe)
            if isinstance(x, s.Maybe) and wrapping.list and several:
                ops = self.inside(False, Wrapping(True, False), path, (x, y), x.of, y.of)
                none: List[Op] = [Put(count_bytes(y.compact, 0))]
                some: List[Op] = [Put(count_bytes(y.compact, 1)), *ops]
                return _Found([Switch("Maybe", 1, False, [none, some])])
        if wrapping.list and not isinstance(x, (s.List, s.NonEmpty, s.Set)):
            ops = self.inside(False, Wrapping(True, False), path, (x, y), x, y.of)
            return _Found([Put(count_bytes(y.compact, 1)), *ops])
        return None


class _Found(NamedTuple):
    # Some steps, of which there may be none.
    ops: List[Op]

    def __bool__(self) -> bool:
        return True


def _has_place(path: Path) -> bool:
    while path is not None:
        if isinstance(path[0], Place):
            return True
        path = path[1]
    return False


def _size(d: s.Definition) -> int:
    return sum(1 + len(c.fields) for c in d.constructors)


class _Definitions:
    # The steps for a value of an old definition to become one of a new one.
    def __init__(
        self,
        match: _Match,
        in_key: bool,
        path: Path,
        d: s.Definition,
        e: s.Definition,
        rules: Sequence[Rule],
    ) -> None:
        self.match = match
        self.in_key = in_key
        self.path = path
        self.d, self.e = d, e
        self.rules = rules
        self.numbers = {c.name: i for i, c in enumerate(e.constructors)}
        self.old_names = {c.name for c in d.constructors}
        self.renames: Dict[str, str] = {
            r.old: r.new
            for r in self.rules
            if isinstance(r, RenamedConstructor)
            and r.new not in self.old_names
            and r.new in self.numbers
        }
        self.gone = {r.constructor for r in self.rules if isinstance(r, DroppedConstructor)}
        self.width = tag_size(len(e.constructors)) if e.form == "sum" else 0

    def ops(self) -> List[Op]:
        d, e = self.d, self.e
        if d.form == "sum":
            found = [self.alternative(i, c) for i, c in enumerate(d.constructors)]
            width = tag_size(len(d.constructors))
            return [Switch(e.name[:100], width, self.exact(), found)]
        (c,) = d.constructors
        if e.form == "sum":
            if self.in_key:
                bad(self.path, "CannotBecome", d.name, e.name)
            target = self.target(c)
            if isinstance(target, str):
                raise self.unknown(c)
            return self.inside(c, target)
        (x,) = e.constructors
        return self.fields(self.path, self.match.skipping, c, x)

    def fields(self, path: Path, skip: bool, c: s.Constructor, x: s.Constructor) -> List[Op]:
        match, in_key = self.match, self.in_key
        return field_ops(
            match.planner,
            lambda at, old, new: match.shapes(in_key, FREE, at, old, new),
            in_key,
            path,
            skip,
            Said(self.e, self.rules, x),
            partial(match.default, match.new.schema.facts),
            c.fields,
            x.fields,
        )

    def alternative(self, i: int, c: s.Constructor) -> Union[str, List[Op]]:
        if c.retired:
            return retired(c)
        target = self.target(c)
        if isinstance(target, str):
            return target
        if self.in_key and target.number != i:
            bad(self.path, "KeyChanges")
        return self.inside(c, target)

    def inside(self, c: s.Constructor, target: _Target) -> List[Op]:
        path = (target.constructor.name, (".", self.path))
        put = Put(tag_bytes(self.width, target.number))
        return [put, *self.fields(path, target.skip, c, target.constructor)]

    def target(self, c: s.Constructor) -> Union[str, _Target]:
        skipping = self.match.skipping
        number = self.numbers.get(c.name, self.numbers.get(self.renames.get(c.name, "")))
        if c.name not in self.numbers and c.name not in self.renames:
            number = None
        if number is not None:
            return self.in_use(c, skipping, number)
        if c.name in self.gone:
            return retired(c)
        if not self.in_key:
            for r in self.rules:
                if isinstance(r, UnknownConstructors) and r.constructor in self.numbers:
                    return self.in_use(c, True, self.numbers[r.constructor])
        if skipping:
            return refused(c, "which the type does not have")
        raise self.unknown(c)

    def in_use(self, c: s.Constructor, skip: bool, number: int) -> Union[str, _Target]:
        x = self.e.constructors[number]
        return retired(c) if x.retired else _Target(skip, number, x)

    def unknown(self, c: s.Constructor) -> Mismatch:
        advice = converting(self.path)
        # (A constructor that is retired is one that the type has.)
        if c.name not in self.numbers:
            suggestions = [("say droppedConstructor NAME", c.name)]
            if not self.in_key and not all(x.name in self.old_names for x in self.e.constructors):
                suggestions.append(("renamedConstructor NAME and its name today", c.name))
            advice = in_evolution_of(self.e.name, suggestions)
        return Mismatch(path_text(self.path), "ConstructorIsUnknown", [c.name], advice)

    def exact(self) -> bool:
        # Does today's decoder refuse all tags that the program does?
        olds, news = self.d.constructors, self.e.constructors
        return (
            self.e.form == "sum"
            and len(olds) == len(news)
            and all(
                x.retired or (not c.retired and (c.name == x.name or c.name in self.renames))
                for c, x in zip(olds, news)
            )
        )
