"""Values as JSON, with the text of Haskell's ``valueToJson``."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

from . import shapes as s
from ._compare import Take, in_order
from ._facts import Facts, is_ordered
from ._jsontext import date, decimal, floating, fraction, quoted, whole

__all__ = ["MOST_JSON", "json_text"]

#: The most bytes of a line: names stand in the schema once, and in a line with each value.
MOST_JSON = 268_435_456

_Work = List[Union[str, Tuple[s.Shape, Any]]]


def json_text(facts: Facts, take: Take, root: s.Shape, value: Any) -> str:
    """A value of a shape as JSON. Values may be nested deep: this keeps its own stack."""
    out: List[str] = []
    size = 0
    work: _Work = [(root, value)]
    while work:
        item = work.pop()
        if isinstance(item, str):
            out.append(item)
            size += len(item)
            if size > MOST_JSON:
                break
        else:
            shape = facts.value_shape(item[0])
            if isinstance(shape, (s.Leaf, s.Between)):
                text = _leaf(shape.leaf if isinstance(shape, s.Between) else shape, item[1])
                out.append(text)
                size += len(text)
            else:
                _shape(facts, take, shape, item[1], work)
    return "".join(out)


def _shape(facts: Facts, take: Take, shape: s.Shape, x: Any, work: _Work) -> None:
    if isinstance(shape, s.Ratio):
        work.append(fraction(x.numerator, x.denominator))
    elif isinstance(shape, s.Maybe):
        _maybe(facts, shape, x, work)
    elif isinstance(shape, s.Tuple):
        _array(work, [(inner, part) for inner, part in zip(shape.of, x)])
    elif isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        if isinstance(shape, s.Set) and isinstance(x, (set, frozenset)):
            x = _in_order(facts, shape.of, list(x), take)
        _array(work, [(shape.of, part) for part in x])
    elif isinstance(shape, s.Map):
        _map(facts, take, shape, x, work)
    elif isinstance(shape, s.Array):
        work.append("}")
        _array(work, [(shape.of, part) for part in x.elements])
        work += [',"elements":', (shape.index, x.upper), ',"to":', (shape.index, x.lower), '{"from":']
    elif isinstance(shape, s.Reference):
        _definition(facts, take, shape.to, x, work)
    else:
        work.append(f'"{bytes(x).hex()}"')


def _maybe(facts: Facts, shape: s.Maybe, x: Any, work: _Work) -> None:
    if x is None:
        work.append("null")
        return
    if facts.may_be_none(shape.of):
        work += ["]", (shape.of, x[0]), "["]
    else:
        work.append((shape.of, x))


def _array(work: _Work, parts: Sequence[Tuple[s.Shape, Any]]) -> None:
    _listed(work, "[", "]", [[part] for part in parts])


def _listed(work: _Work, opening: str, closing: str, parts: Sequence[_Work]) -> None:
    work.append(closing)
    for i in range(len(parts) - 1, -1, -1):
        work.extend(reversed(parts[i]))
        if i:
            work.append(",")
    work.append(opening)


def _in_order(facts: Facts, shape: s.Shape, values: List[Any], take: Take) -> List[Any]:
    # Keys in the order in which they are written.
    return in_order(facts, shape, values, take) if is_ordered(facts.unordered, shape) else values


def _map(facts: Facts, take: Take, shape: s.Map, x: Any, work: _Work) -> None:
    pairs = [(k, x[k]) for k in _in_order(facts, shape.key, list(x), take)] if isinstance(x, dict) else x
    key = facts.value_shape(shape.key)
    if isinstance(key, s.Leaf) and key.type in ("utf8", "utf16", "char", "scalarValue"):
        _listed(work, "{", "}", [[(shape.key, k), ":", (shape.value, v)] for k, v in pairs])
    else:
        parts: List[_Work] = [["[", (shape.key, k), ",", (shape.value, v), "]"] for k, v in pairs]
        _listed(work, "[", "]", parts)


def _definition(facts: Facts, take: Take, i: int, x: Any, work: _Work) -> None:
    d = facts.definitions[i]
    if d.form == "newtype":
        work.append((d.constructors[0].fields[0].shape, x))
        return
    taken = take(i, x)
    if taken is None:
        raise ValueError(f"not a value of {d.name[:100]}")
    tag, values = taken
    c = d.constructors[tag]
    if d.form == "sum":
        if not c.fields:
            work.append(quoted(c.name))
            return
        work.append("}")
    if s.is_positional(c):
        _array(work, [(f.shape, v) for f, v in zip(c.fields, values)])
    else:
        parts: List[_Work] = [[quoted(f.name) + ":", (f.shape, v)] for f, v in zip(c.fields, values)]
        _listed(work, "{", "}", parts)
    if d.form == "sum":
        work.append("{" + quoted(c.name) + ":")


def _leaf(leaf: s.Leaf, x: Any) -> str:
    kind = leaf.type
    if kind in s.NUMBERS or kind in ("integer", "natural"):
        return whole(x)
    if kind in ("float32", "float64"):
        return floating(x, kind == "float32")
    if kind in ("utf8", "utf16", "char", "scalarValue"):
        return quoted(x)
    if kind == "bool":
        return "true" if x else "false"
    if kind == "fixedPoint":
        return decimal(x, leaf.units) or fraction(x, leaf.units)
    if kind == "date":
        text = date(x)
        return whole(x) if text is None else f'"{text}"'
    if kind == "duration":
        return decimal(x, 10**12) or whole(x)
    return "[]" if kind == "unit" else f'"{bytes(x).hex()}"'
