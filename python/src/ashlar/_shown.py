"""Values for people, as ``ashlar show`` prints them."""

from __future__ import annotations

import math
import unicodedata
from typing import Any, List, Sequence, Tuple, Union

from . import shapes as s
from ._compare import Take
from ._facts import Facts
from ._jsontext import date, decimal, floating, quoted, whole

__all__ = ["shown_text"]

# A text, or a value of a shape, which may be an argument.
_Work = List[Union[str, Tuple[s.Shape, Any, bool]]]


def shown_text(facts: Facts, take: Take, root: s.Shape, value: Any) -> str:
    """A value as Haskell has it, in one line. Values may be nested deep: this keeps its own stack."""
    out: List[str] = []
    work: _Work = [(root, value, False)]
    while work:
        item = work.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        shape, x, argument = item
        shape = s.without_format(shape)
        while isinstance(shape, s.Reference) and facts.definitions[shape.to].form == "newtype":
            shape = s.without_format(facts.definitions[shape.to].constructors[0].fields[0].shape)
        if argument and _is_compound(facts, take, shape, x):
            work += [")", (shape, x, False)]
            out.append("(")
        elif isinstance(shape, (s.Leaf, s.Between)):
            out.append(_leaf(shape.leaf if isinstance(shape, s.Between) else shape, x))
        else:
            _shape(facts, take, shape, x, work)
    return "".join(out)


def _is_compound(facts: Facts, take: Take, shape: s.Shape, x: Any) -> bool:
    leaf = shape.leaf if isinstance(shape, s.Between) else shape
    if isinstance(leaf, s.Leaf):
        if leaf.type in ("float32", "float64"):
            return bool(x < 0 or (x == 0 and math.copysign(1, x) < 0))
        fixed = leaf.type == "fixedPoint" and decimal(0, leaf.units) is None
        return s.is_whole(leaf) and (x < 0 or fixed)
    if isinstance(shape, s.Maybe):
        return x is not None
    if isinstance(shape, s.Reference):
        taken = take(shape.to, x)
        return taken is not None and s.is_positional(facts.definitions[shape.to].constructors[taken[0]])
    return isinstance(shape, (s.Ratio, s.Array))


def _shape(facts: Facts, take: Take, shape: s.Shape, x: Any, work: _Work) -> None:
    if isinstance(shape, s.Ratio):
        work.append(_fraction(x.numerator, x.denominator))
    elif isinstance(shape, s.Maybe):
        if x is None:
            work.append("Nothing")
        else:
            work += [(shape.of, x[0] if facts.may_be_none(shape.of) else x, True), "Just "]
    elif isinstance(shape, s.Tuple):
        _listed(work, "(", ")", [[(of, y, False)] for of, y in zip(shape.of, x)])
    elif isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        _listed(work, "[", "]", [[(shape.of, y, False)] for y in x])
    elif isinstance(shape, s.Map):
        pairs = x.items() if isinstance(x, dict) else x
        _listed(work, "{", "}", [[(shape.key, k, False), ": ", (shape.value, v, False)] for k, v in pairs])
    elif isinstance(shape, s.Array):
        _listed(work, "[", "]", [[(shape.of, y, False)] for y in x.elements])
        work += [") ", (shape.index, x.upper, False), ", ", (shape.index, x.lower, False), "array ("]
    elif isinstance(shape, s.Reference):
        _definition(facts, take, shape.to, x, work)
    else:
        work.append(f"0x{bytes(x).hex()}")


def _listed(work: _Work, opening: str, closing: str, parts: Sequence[_Work]) -> None:
    work.append(closing)
    for i in range(len(parts) - 1, -1, -1):
        work.extend(reversed(parts[i]))
        if i:
            work.append(", ")
    work.append(opening)


def _definition(facts: Facts, take: Take, i: int, x: Any, work: _Work) -> None:
    taken = take(i, x)
    if taken is None:
        raise ValueError(f"not a value of {facts.definitions[i].name[:100]}")
    tag, values = taken
    c = facts.definitions[i].constructors[tag]
    if not c.fields:
        work.append(_name(c.name))
    elif s.is_positional(c):
        for f, v in reversed(list(zip(c.fields, values))):
            work += [(f.shape, v, True), " "]
        work.append(_name(c.name))
    else:
        fields: List[_Work] = [[_name(f.name) + " = ", (f.shape, v, False)] for f, v in zip(c.fields, values)]
        _listed(work, _name(c.name) + " {", "}", fields)


def _name(text: str) -> str:
    # The name of a constructor or field. An odd one is quoted.
    usual = all(
        c in "_':!#$%&*+/<=>?@\\^|-~" or unicodedata.category(c)[0] in "LN"
        for c in text
    )
    return text if text and usual else quoted(text)


def _fraction(n: int, d: int) -> str:
    return " % ".join(whole(x).strip('"') for x in (n, d))


def _leaf(leaf: s.Leaf, x: Any) -> str:
    kind = leaf.type
    if kind == "fixedPoint":
        return decimal(x, leaf.units) or _fraction(x, leaf.units)
    if kind == "date":
        return date(x) or whole(x).strip('"')
    if kind == "duration":
        text = decimal(x, 10**12)
        return whole(x).strip('"') if text is None else text + "s"
    if s.is_whole(leaf):
        return whole(x).strip('"')
    if kind in ("float32", "float64"):
        return floating(x, kind == "float32").strip('"')
    if kind == "bool":
        return "True" if x else "False"
    if kind in ("utf8", "utf16"):
        return quoted(x)
    if kind in ("char", "scalarValue"):
        inside = {"'": "\\'", '"': '"'}.get(x) or quoted(x)[1:-1]
        return f"'{inside}'"
    return "()" if kind == "unit" else f"0x{bytes(x).hex()}"

