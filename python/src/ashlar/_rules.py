"""Which rules of an evolution belong to which definition."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, Tuple

from . import shapes as s
from ._describe import definition_names
from .evolution import Added, Renamed, RenamedConstructor, Rule, UnknownConstructors

__all__ = ["rules_of", "wrong_rule"]


def rules_of(evolution: Mapping[str, Sequence[Rule]], i: int, d: s.Definition) -> Sequence[Rule]:
    """The rules of the definition with this number: by its name and number if there are any, else by its name.

    >>> d = s.Definition("Box", "record", "unknown", ())
    >>> rules_of({"Box": [Added("a", 1)], "Box#2": []}, 2, d), rules_of({"Box": []}, 1, d)
    ([], [])
    """
    return evolution.get(f"{d.name}#{i}", evolution.get(d.name, ()))


def wrong_rule(definitions: Sequence[s.Definition], evolution: Mapping[str, Sequence[Rule]]) -> Optional[str]:
    """Why a rule can never apply, or ``None``: its type, field or constructor is not there.

    >>> d = s.Definition("Box", "record", "unknown", (s.Constructor("Box", (s.Field("a", s.Leaf("bool")),)),))
    >>> wrong_rule([d], {"Box": [Added("b", 1)]})
    'Box has no field b; it has a'
    """
    for name, rules in evolution.items():
        of = [d for i, d in enumerate(definitions) if name in (d.name, f"{d.name}#{i}")]
        if not of:
            return f"there is no type {name}; there is {_listed(definition_names(definitions))}"
        constructors = [c for d in of for c in d.constructors]
        fields = {f.name for c in constructors for f in c.fields}
        for rule in rules:
            part, field = _part(rule)
            if part is None:
                continue
            names = fields if field else {c.name for c in constructors}
            known = names | {f"{c.name}.{f.name}" for c in constructors for f in c.fields} if field else names
            if part not in known:
                return f"{name} has no {'field' if field else 'constructor'} {part}; it has {_listed(sorted(names))}"
    return None


def _part(rule: Rule) -> Tuple[Optional[str], bool]:
    # What of today's type a rule names, if anything, and whether that is a field.
    if isinstance(rule, Added):
        return rule.field, True
    if isinstance(rule, Renamed):
        return rule.new, True
    if isinstance(rule, RenamedConstructor):
        return rule.new, False
    if isinstance(rule, UnknownConstructors):
        return rule.constructor, False
    return None, False


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:20]) + (", and others" if len(names) > 20 else "") or "none"
