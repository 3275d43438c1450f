"""Schemas as JSON."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import shapes as s
from ._decimal import digits_of, int_of_digits
from .errors import AshlarError

__all__ = ["schema_from_json", "schema_to_json"]

_LEAVES = set(
    "unit float32 float64 bool char scalarValue integer natural fixedPoint date duration"
    " bytes byteArray utf8 utf16".split()
) | set(s.NUMBERS)

_STRINGS = ("bytes", "byteArray", "utf8")

_AROUND: Dict[str, Callable[[s.Shape], s.Shape]] = {
    "ratio": s.Ratio,
    "maybe": s.Maybe,
    "packed": s.Packed,
    "unpacked": s.Unpacked,
}


def schema_to_json(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> str:
    """A schema as JSON, in one line, with the names and the order that Haskell gives them."""
    inner = ",".join(map(_definition, definitions))
    return f'{{"root":{_shape(root)},"definitions":[{inner}]}}'


def _definition(d: s.Definition) -> str:
    order = "byParts" if d.order == "byParts" else "unknown"
    constructors = ",".join(map(_constructor, d.constructors))
    return (
        f'{{"name":{_string(d.name)},"form":"{d.form}","order":"{order}",'
        f'"constructors":[{constructors}]}}'
    )


def _constructor(c: s.Constructor) -> str:
    retired = '"retired":true,' if c.retired else ""
    fields = ",".join(f'{{"name":{_string(f.name)},"shape":{_shape(f.shape)}}}' for f in c.fields)
    return f'{{"name":{_string(c.name)},{retired}"fields":[{fields}]}}'


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _shape(shape: s.Shape) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in _members(shape)) + "}"


def _members(shape: s.Shape) -> List[Tuple[str, str]]:
    if isinstance(shape, s.Leaf):
        return _leaf(shape)
    if isinstance(shape, s.Between):
        return _leaf(shape.leaf) + [("from", digits_of(shape.low)), ("to", digits_of(shape.high))]
    if isinstance(shape, s.Constant):
        return [("type", '"constant"'), ("bytes", f'"{shape.bytes.hex()}"')]
    if isinstance(shape, s.Reference):
        return [("type", '"reference"'), ("to", str(shape.to))]
    if isinstance(shape, s.Opaque):
        size = [] if shape.size is None else [("size", str(shape.size))]
        named = [("type", '"opaque"'), ("name", _string(shape.name)), ("version", str(shape.version))]
        return named + size
    if isinstance(shape, s.Irregular):
        return [("type", '"irregular"'), ("name", _string(shape.name))]
    if isinstance(shape, s.Tuple):
        return [("type", '"tuple"'), ("of", "[" + ",".join(map(_shape, shape.of)) + "]")]
    if isinstance(shape, s.Array):
        return [("type", '"array"'), ("index", _shape(shape.index)), ("of", _shape(shape.of))]
    if isinstance(shape, (s.Ratio, s.Maybe, s.Packed, s.Unpacked)):
        return [("type", f'"{type(shape).__name__.lower()}"'), ("of", _shape(shape.of))]
    length = [("length", '"varint"')] if shape.compact else []
    if isinstance(shape, s.Map):
        inner = [("key", _shape(shape.key)), ("value", _shape(shape.value))]
        return [("type", '"map"')] + length + inner
    name = {s.List: "list", s.NonEmpty: "nonEmpty", s.Set: "set"}[type(shape)]
    return [("type", f'"{name}"')] + length + [("of", _shape(shape.of))]


def _leaf(leaf: s.Leaf) -> List[Tuple[str, str]]:
    members = [("type", f'"{leaf.type}"')]
    if leaf.encoding:
        members.append(("encoding", f'"{leaf.encoding}"'))
    if leaf.type == "fixedPoint":
        members.append(("unitsPerOne", digits_of(leaf.units)))
    if leaf.compact:
        members.append(("length", '"varint"'))
    return members


def schema_from_json(text: str) -> Tuple[s.Shape, Tuple[s.Definition, ...]]:
    """The terms of a schema from its JSON. Raises :class:`ashlar.AshlarError` for any other text."""
    try:
        terms = json.loads(text, parse_int=int_of_digits)
        root = _parse(_member(terms, "root", dict))
        definitions = [_parse_definition(d) for d in _member(terms, "definitions", list)]
    except RecursionError:
        raise AshlarError("not the JSON of a schema: too deep") from None
    except ValueError as e:
        raise AshlarError(str(e)) from None
    return root, tuple(definitions)


def _member(terms: Any, name: str, kind: type) -> Any:
    value = terms.get(name) if isinstance(terms, dict) else None
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise ValueError(f"not the JSON of a schema: no {name}")
    return value


def _choice(terms: Any, name: str, choices: Tuple[str, ...]) -> str:
    value: str = _member(terms, name, str)
    if value not in choices:
        raise ValueError(f"not the JSON of a schema: {name} is {value[:100]!r}")
    return value


def _parse_definition(d: Any) -> s.Definition:
    return s.Definition(
        _member(d, "name", str),
        _choice(d, "form", ("newtype", "record", "sum")),
        _choice(d, "order", ("unknown", "byParts")),
        tuple(
            s.Constructor(
                _member(c, "name", str),
                tuple(
                    s.Field(_member(f, "name", str), _parse(_member(f, "shape", dict)))
                    for f in _member(c, "fields", list)
                ),
                c.get("retired") is True,
            )
            for c in _member(d, "constructors", list)
        ),
    )


def _parse(terms: Dict[str, Any]) -> s.Shape:
    kind = _member(terms, "type", str)
    if kind in _LEAVES:
        leaf = _parse_leaf(terms, kind)
        if "from" in terms or "to" in terms:
            return s.Between(_member(terms, "from", int), _member(terms, "to", int), leaf)
        return leaf
    if kind in _AROUND:
        return _AROUND[kind](_inner(terms, "of"))
    if kind == "tuple":
        return s.Tuple(tuple(map(_parse, _member(terms, "of", list))))
    if kind == "list":
        return s.List(_inner(terms, "of"), _compact(terms))
    if kind == "nonEmpty":
        return s.NonEmpty(_inner(terms, "of"), _compact(terms))
    if kind == "set":
        return s.Set(_inner(terms, "of"), _compact(terms))
    if kind == "map":
        return s.Map(_inner(terms, "key"), _inner(terms, "value"), _compact(terms))
    if kind == "array":
        return s.Array(_inner(terms, "index"), _inner(terms, "of"))
    if kind == "constant":
        return s.Constant(bytes.fromhex(_member(terms, "bytes", str)))
    if kind == "reference":
        return s.Reference(_member(terms, "to", int))
    if kind == "opaque":
        size: Optional[int] = _member(terms, "size", int) if "size" in terms else None
        return s.Opaque(_member(terms, "name", str), _member(terms, "version", int), size)
    if kind == "irregular":
        return s.Irregular(_member(terms, "name", str))
    raise ValueError(f"not the JSON of a schema: type is {kind[:100]!r}")


def _inner(terms: Dict[str, Any], name: str) -> s.Shape:
    return _parse(_member(terms, name, dict))


def _compact(terms: Dict[str, Any]) -> bool:
    return "length" in terms and _choice(terms, "length", ("varint",)) == "varint"


def _parse_leaf(terms: Dict[str, Any], kind: str) -> s.Leaf:
    encoding = ""
    if "encoding" in terms:
        known: Tuple[str, ...] = ()
        if kind in s.NUMBERS:
            known = ("bigEndian", "varint", "zigzag")
        elif kind in ("float32", "float64"):
            known = ("bigEndian",)
        encoding = _choice(terms, "encoding", known)
    units = _member(terms, "unitsPerOne", int) if kind == "fixedPoint" else 0
    if units < 0:
        raise ValueError("not the JSON of a schema: unitsPerOne is negative")
    return s.Leaf(kind, encoding, kind in _STRINGS and _compact(terms), units)
