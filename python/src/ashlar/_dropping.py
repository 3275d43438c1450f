"""The steps for values that are left out or refused."""

from __future__ import annotations

from typing import List, Union

from . import shapes as s
from ._costs import tag_size
from ._ops import Each, Op, Skip, Switch
from ._planning import Key, Path, Planner, bad
from ._whole import leaf_ops

__all__ = ["drop_definition", "drop_shape", "refused", "retired"]


def drop_shape(planner: Planner, path: Path, x: s.Shape) -> List[Op]:
    """The steps that leave out a value. They decode no more than its extent."""

    def inner(of: s.Shape) -> List[Op]:
        return drop_shape(planner, path, of)

    if isinstance(x, s.Leaf):
        return leaf_ops(False, x)
    if isinstance(x, s.Between):
        return leaf_ops(False, x.leaf)
    if isinstance(x, s.Ratio):
        return inner(x.of) * 2
    if isinstance(x, s.Maybe):
        return [Switch("Maybe", 1, False, [[], inner(x.of)])]
    if isinstance(x, s.Tuple):
        return [op for of in x.of for op in inner(of)]
    if isinstance(x, (s.List, s.NonEmpty, s.Set)):
        return [Each(x.compact, None, 0, inner(x.of))]
    if isinstance(x, s.Map):
        return [Each(x.compact, None, 0, inner(x.key) + inner(x.value))]
    if isinstance(x, s.Array):
        return inner(x.index) * 2 + [Each(False, None, 0, inner(x.of))]
    if isinstance(x, s.Constant):
        return [Skip(len(x.bytes))]
    if isinstance(x, s.Reference):
        return planner.call(path, Key("dropping", False, x.to, -1))
    if isinstance(x, s.Opaque):
        if x.size is None:
            bad(path, "NotDescribed", x.name)
        return [Skip(x.size)]
    if isinstance(x, s.Packed):
        return planner.call(path, Key("droppingPacked", False, -1, -1, x.of))
    if isinstance(x, s.Unpacked):
        return inner(x.of)
    bad(path, "IsIrregular", x.name)


def drop_definition(planner: Planner, path: Path, d: s.Definition) -> List[Op]:
    """The same for a value of a definition."""

    def inside(c: s.Constructor) -> List[Op]:
        return [op for f in c.fields for op in drop_shape(planner, path, f.shape)]

    if d.form == "sum":
        found: List[Union[str, List[Op]]] = [
            retired(c) if c.retired else inside(c) for c in d.constructors
        ]
        return [Switch(d.name[:100], tag_size(len(d.constructors)), False, found)]
    return [op for c in d.constructors for op in inside(c)]


def retired(c: s.Constructor) -> str:
    """The alternative that refuses a constructor that is no longer in use."""
    return refused(c, "which is no longer in use")


def refused(c: s.Constructor, why: str) -> str:
    """The alternative that refuses a constructor, given why."""
    return f"constructor {c.name[:100]}, {why}"
