"""The steps for the fields of a constructor."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from . import shapes as s
from ._dropping import drop_shape
from ._mismatch import Advice, Mismatch, in_evolution_of
from ._ops import Op, Permute, Put
from ._planning import Path, Place, Planner, bad, converting, path_text
from .errors import EncodeError
from .evolution import Added, Dropped, Renamed, Rule

__all__ = ["Said", "field_ops"]

#: Encodes the default of a field, given its shape.
Default = Callable[[s.Shape, Any], bytes]


class Said:
    """What the evolution of a type says of one of its constructors."""

    def __init__(self, d: s.Definition, rules: Sequence[Rule], c: s.Constructor) -> None:
        self.type = d.name
        self._of, self._constructor = d, c
        prefix = c.name + "."
        precise = [r for r in rules if any(n.startswith(prefix) for n in _field_names(r))]
        self.rules = [_own(prefix, r) for r in precise] + [r for r in rules if r not in precise]
        self._prefix = prefix
        self._several = len(d.constructors) > 1

    def now(self, name: str) -> str:
        """The name in the evolution of a field that the constructor has."""
        return self._prefix + name if self._several and name.isdigit() else name

    def before(self, name: str) -> str:
        """The name in the evolution of a field that the constructor has no more."""
        full = self._several and (name.isdigit() or self._elsewhere(name))
        return self._prefix + name if full else name

    def _elsewhere(self, name: str) -> bool:
        others = (x for x in self._of.constructors if x.name != self._constructor.name)
        return any(f.name == name for x in others for f in x.fields)


def _field_names(r: Rule) -> List[str]:
    if isinstance(r, (Added, Dropped)):
        return [r.field]
    return [r.old, r.new] if isinstance(r, Renamed) else []


def _own(prefix: str, r: Rule) -> Rule:
    def name(n: str) -> str:
        return n[len(prefix) :] if n.startswith(prefix) else n

    if isinstance(r, Added):
        return Added(name(r.field), r.default)
    if isinstance(r, Dropped):
        return Dropped(name(r.field))
    return Renamed(name(r.old), name(r.new)) if isinstance(r, Renamed) else r


class _Old(NamedTuple):
    # An old field: today's name, or none if it is left out, and its steps.
    today: Optional[str]
    ops: List[Op]


#: A field of today: the name of one that was there, or its default.
_New = Union[str, bytes]


def field_ops(
    planner: Planner,
    one: Callable[[Path, s.Shape, s.Shape], List[Op]],
    in_key: bool,
    path: Path,
    skip: bool,
    said: Said,
    default: Default,
    olds: Sequence[s.Field],
    news: Sequence[s.Field],
) -> List[Op]:
    """The steps for the fields of an old constructor, given those for one field.

    Are they in a key, and is what today's constructor does not have skipped?
    """
    return _Fields(in_key, path, said, olds, news).run(planner, one, skip, default, olds, news)


class _Fields:
    def __init__(
        self, in_key: bool, path: Path, said: Said, olds: Sequence[s.Field], news: Sequence[s.Field]
    ) -> None:
        self.in_key = in_key
        self.path = path
        self.said = said
        self.olds = [f.name for f in olds]
        self.shapes = {f.name: f.shape for f in news}
        self.renames: Dict[str, str] = {}
        for r in said.rules:
            if isinstance(r, Renamed) and r.old not in self.renames:
                if r.new not in self.olds and r.new in self.shapes:
                    self.renames[r.old] = r.new

    def run(
        self,
        planner: Planner,
        one: Callable[[Path, s.Shape, s.Shape], List[Op]],
        skip: bool,
        default: Default,
        olds: Sequence[s.Field],
        news: Sequence[s.Field],
    ) -> List[Op]:
        gone = {r.field for r in self.said.rules if isinstance(r, Dropped)}
        found = []
        for f in olds:
            today = self.today(f.name)
            if today is not None:
                found.append(_Old(today, one(self.at(today), f.shape, self.shapes[today])))
            elif self.in_key:
                bad(self.path, "KeyChanges")
            elif f.name in gone or skip:
                found.append(_Old(None, drop_shape(planner, self.inside(f.name), f.shape)))
            else:
                self.unknown(f.name)
        self.check_ambiguous([x.today for x in found if x.today is not None])
        there = {x.today for x in found}
        items = [self.item(f, there, default) for f in news]
        if self.in_key and [x.today for x in found] != [f.name for f in news]:
            bad(self.path, "KeyChanges")
        return _arranged(found, items)

    def today(self, name: str) -> Optional[str]:
        return name if name in self.shapes else self.renames.get(name)

    def inside(self, name: str) -> Path:
        return (name, (".", self.path))

    def at(self, name: str) -> Path:
        if self.in_key:
            return self.inside(name)
        return (Place(name, self.said.type, self.said.now(name)), (".", self.path))

    def saying(self, suggestions: Sequence[Tuple[str, str]]) -> Advice:
        return converting(self.path) if self.in_key else in_evolution_of(self.said.type, suggestions)

    def unknown(self, name: str) -> None:
        before = self.said.before(name)
        suggestions = [("say dropped NAME", before)]
        if not all(n in self.olds for n in self.shapes):
            suggestions.append(("renamed NAME and its name today", before))
        raise Mismatch(path_text(self.path), "FieldIsUnknown", [name], self.saying(suggestions))

    def check_ambiguous(self, names: Sequence[str]) -> None:
        seen: Set[str] = set()
        for name in names:
            if name in seen:
                said = [
                    ("say dropped NAME in place of renamed", self.said.before(a))
                    for a in self.olds
                    if self.today(a) == name
                ]
                text = path_text(self.inside(name))
                raise Mismatch(text, "FieldIsAmbiguous", [name], self.saying(said))
            seen.add(name)

    def item(self, f: s.Field, there: Set[Optional[str]], default: Default) -> _New:
        if f.name in there:
            return f.name
        if self.in_key:
            bad(self.path, "KeyChanges")
        for r in self.said.rules:
            if isinstance(r, Added) and r.field == f.name:
                try:
                    return default(f.shape, r.default)
                except EncodeError as e:
                    raise EncodeError(e.path, f"the default of {self.said.type:.100}.{f.name:.100}: {e.reason}") from None
        advice = self.saying([("give it a default with added NAME", self.said.now(f.name))])
        raise Mismatch(path_text(self.at(f.name)), "FieldIsNew", [f.name], advice)


def _arranged(olds: List[_Old], news: List[_New]) -> List[Op]:
    order = [x for x in news if isinstance(x, str)]
    remaining = [x.today for x in olds if x.today is not None]
    if order == remaining:
        return _merged(news, olds)
    # The fields are written in their old order and moved afterwards, with the defaults after them.
    first = next(i for i, x in enumerate(news) if isinstance(x, str))
    leading: List[Op] = [Put(x) for x in news[:first] if isinstance(x, bytes)]
    after: Dict[str, List[Op]] = {}
    last = ""
    for x in news[first:]:
        if isinstance(x, str):
            last = x
        else:
            after.setdefault(last, []).append(Put(x))
    groups: List[List[Op]] = []
    skipped: List[Op] = []
    for old in olds:
        skipped += old.ops
        if old.today is not None:
            groups.append(skipped + after.get(old.today, []))
            skipped = []
    numbers = {name: i for i, name in enumerate(remaining)}
    return leading + [Permute(groups, [numbers[name] for name in order])] + skipped


def _merged(news: List[_New], olds: List[_Old]) -> List[Op]:
    ops: List[Op] = []
    left = iter(olds)
    for item in news:
        if isinstance(item, bytes):
            ops.append(Put(item))
            continue
        for old in left:
            ops += old.ops
            if old.today is not None:
                break
    for old in left:
        ops += old.ops
    return ops
