"""Procedures that are to be planned.

An old schema may come with the data, so it is untrusted. Each pair of definitions becomes a procedure
once, from a queue, so planning takes time in proportion to the pairs and no stack.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, NoReturn, Optional, Sequence, Tuple, Union

from . import shapes as s
from ._graph import components
from ._mismatch import AROUND_ALL, Advice, Mismatch, in_evolution_of
from ._ops import Call, Op, Switch

__all__ = [
    "FREE",
    "Key",
    "Path",
    "Place",
    "Planner",
    "Wrapping",
    "bad",
    "converting",
    "no_values",
    "path_text",
    "peelings",
    "unpacked_part",
]

#: How many fields and constructors may be compared.
_MOST_WORK = 10_000_000


class Place(NamedTuple):
    """A field that may be converted: its name, its type, and its name in the evolution of that."""

    text: str
    type: str
    field: str


#: The path in the new schema, the last segment first.
Path = Optional[Tuple[Union[str, Place], "Path"]]


class Wrapping(NamedTuple):
    """What may be wrapped around the old value where the shapes do not match."""

    maybe: bool
    list: bool


FREE = Wrapping(True, True)


class Key(NamedTuple):
    """A procedure: ``pair`` of an old definition and a new one, ``wrapped`` for an old shape and a new
    newtype that is recursive by way of newtypes only, ``dropping`` an old definition, or
    ``droppingPacked`` for an old shape that is packed."""

    kind: str
    in_key: bool
    old: int
    new: int
    shape: Optional[s.Shape] = None
    wrapping: Wrapping = FREE


def _segments(path: Path) -> List[Union[str, Place]]:
    out = []
    while path is not None:
        out.append(path[0])
        path = path[1]
    return out


def path_text(path: Path) -> str:
    """A path as it is shown."""
    return "".join(x if isinstance(x, str) else x.text for x in reversed(_segments(path)))


def converting(path: Path) -> Advice:
    """Convert the value around this path."""
    for x in _segments(path):
        if isinstance(x, Place):
            return in_evolution_of(x.type, [("say how with converted NAME", x.field)])
    return AROUND_ALL


def bad(path: Path, kind: str, *names: str) -> NoReturn:
    """Fail at a path. What has changed into something else can be converted, where a field allows it."""
    final = kind in ("NotDescribed", "IsIrregular", "HasNoValues", "TooLarge")
    raise Mismatch(path_text(path), kind, names, None if final else converting(path))


class Planner:
    """The state of planning."""

    def __init__(self, left: int = _MOST_WORK) -> None:
        #: How many fields and constructors may still be compared.
        self.left = left
        self.keys: Dict[Key, int] = {}
        self.queue: List[Tuple[int, Key, Path]] = []
        self.done: Dict[int, List[Op]] = {}

    def call(self, path: Path, key: Key) -> List[Op]:
        """A call of a procedure. It is put into the queue, unless it has been before."""
        if key not in self.keys:
            count = len(self.keys)
            self.keys[key] = -1 - count if key.kind.startswith("dropping") else count
            self.queue.append((self.keys[key], key, path))
        return [Call(self.keys[key])]

    def spend(self, path: Path, n: int) -> None:
        """Count fields and constructors."""
        self.left -= n
        if self.left < 0:
            bad(path, "TooLarge")


def peelings(definitions: Sequence[s.Definition]) -> List[Optional[s.Shape]]:
    """Each definition without newtypes around it. ``None`` for a newtype that wraps nothing but itself."""
    known: List[Optional[s.Shape]] = [s.Reference(i) for i in range(len(definitions))]
    inner = {
        i: unpacked_part(d.constructors[0].fields[0].shape)
        for i, d in enumerate(definitions)
        if d.form == "newtype"
    }
    order, cyclic = components({i: [x.to] if isinstance(x, s.Reference) else [] for i, x in inner.items()})
    for i in order:
        x = inner[i]
        known[i] = None if i in cyclic else known[x.to] if isinstance(x, s.Reference) else x
    return known


def unpacked_part(shape: s.Shape) -> s.Shape:
    """What unpacked shapes wrap. Programs see them only outside of packed ones, where they change nothing."""
    while isinstance(shape, s.Unpacked):
        shape = shape.of
    return shape


def no_values(exact: bool) -> List[Op]:
    """The steps for a newtype of itself, which has no values. Has the new type none either?"""
    return [Switch("a newtype of itself", 0, exact, [])]
