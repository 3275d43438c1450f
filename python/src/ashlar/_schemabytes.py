"""Reading the bytes of schemas."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

from . import shapes as s
from ._exact import Exact
from ._facts import Facts
from ._schemacheck import MOST_NESTED, check_schema

__all__ = ["decode_schema"]


def decode_schema(data: bytes) -> Tuple[s.Shape, Tuple[s.Definition, ...]]:
    """The terms of a schema from its bytes, all of them. Raises ``DecodeError`` for others."""

    def check(value: Any) -> Any:
        terms = _shape(value["schemaRoot"], 0), tuple(map(_definition, value["schemaDefinitions"]))
        problem = check_schema(*terms)
        return (problem, terms)

    return _reader().decode_refined(data, check)  # type: ignore[no-any-return]


def _definition(d: Any) -> s.Definition:
    return s.Definition(
        d["definitionName"],
        d["definitionForm"].lower(),
        "byParts" if d["definitionOrder"] == "ByParts" else "unknown",
        tuple(
            s.Constructor(
                c["constructorName"],
                tuple(s.Field(f["fieldName"], _shape(f["fieldShape"], 0)) for f in c["constructorFields"]),
                c["constructorRetired"],
            )
            for c in d["definitionConstructors"]
        ),
    )


def _shape(value: Any, depth: int) -> s.Shape:
    # What is nested too deep is refused, so it does not matter what it is.
    if depth > MOST_NESTED:
        return s.Leaf("unit")
    ((name, parts),) = value.items()
    inner = depth + 1
    if name == "Leaf":
        return _leaf_of(parts[0])
    if name == "Between":
        return s.Between(parts[0], parts[1], _leaf_of(parts[2]))
    if name in _AROUND:
        return _AROUND[name](_shape(parts[0], inner))
    if name == "Tuple":
        return s.Tuple(tuple(_shape(x, inner) for x in parts[0]))
    if name == "Map":
        return s.Map(_shape(parts[1], inner), _shape(parts[2], inner), parts[0] == "LengthVarint")
    if name == "Array":
        return s.Array(_shape(parts[0], inner), _shape(parts[1], inner))
    if name == "Constant":
        return s.Constant(parts[0])
    if name == "Reference":
        return s.Reference(parts[0])
    if name == "Opaque":
        return s.Opaque(parts[0], parts[1], parts[2])
    if name == "Irregular":
        return s.Irregular(parts[0])
    of, compact = _shape(parts[1], inner), parts[0] == "LengthVarint"
    if name == "List":
        return s.List(of, compact)
    return s.NonEmpty(of, compact) if name == "NonEmpty" else s.Set(of, compact)


_AROUND: Dict[str, Callable[[s.Shape], s.Shape]] = {
    "Ratio": s.Ratio,
    "Optional": s.Maybe,
    "Packed": s.Packed,
    "Unpacked": s.Unpacked,
}


def _leaf_of(value: Any) -> s.Leaf:
    if isinstance(value, str):
        return _SIMPLE[value]
    ((name, (part,)),) = value.items()
    if name == "FixedPoint":
        return s.Leaf("fixedPoint", units=part)
    if name in _COUNTED:
        return s.Leaf(_COUNTED[name], compact=part == "LengthVarint")
    return s.Leaf(_NUMBER_NAMES[part], _ENCODED[name])


_SIMPLE = {
    "Unit": s.Leaf("unit"),
    "Float32": s.Leaf("float32"),
    "Float64": s.Leaf("float64"),
    "Float32BE": s.Leaf("float32", "bigEndian"),
    "Float64BE": s.Leaf("float64", "bigEndian"),
    "Boolean": s.Leaf("bool"),
    "Character": s.Leaf("char"),
    "ScalarCharacter": s.Leaf("scalarValue"),
    "BigInteger": s.Leaf("integer"),
    "BigNatural": s.Leaf("natural"),
    "Date": s.Leaf("date"),
    "Duration": s.Leaf("duration"),
    "Utf16": s.Leaf("utf16"),
}
_COUNTED = {"Bytes": "bytes", "ByteArray": "byteArray", "Utf8": "utf8"}
_ENCODED = {"Number": "", "BigEndian": "bigEndian", "Varint": "varint", "Zigzag": "zigzag"}
_NUMBER_NAMES = dict(zip("W8 W16 W32 W64 I8 I16 I32 I64".split(), s.NUMBERS))

# The types of a schema, by the schema of which schemas are read. Each sum is a list of constructors
# with the names of their fields' types.
_TYPES: Dict[str, List[str]] = {
    "Shape": [
        "Leaf Leaf",
        "Between integer integer Leaf",
        "Ratio Shape",
        "Optional Shape",
        "Tuple [Shape]",
        "List Length Shape",
        "NonEmpty Length Shape",
        "Set Length Shape",
        "Map Length Shape Shape",
        "Array Shape Shape",
        "Constant bytes",
        "Reference int64",
        "Opaque utf8 int64 ?int64",
        "Irregular utf8",
        "Packed Shape",
        "Unpacked Shape",
    ],
    "Leaf": [
        "Unit",
        "Number Number",
        "BigEndian Number",
        "Varint Number",
        "Zigzag Number",
        "Float32",
        "Float64",
        "Float32BE",
        "Float64BE",
        "Boolean",
        "Character",
        "ScalarCharacter",
        "BigInteger",
        "BigNatural",
        "FixedPoint natural",
        "Date",
        "Duration",
        "Bytes Length",
        "ByteArray Length",
        "Utf8 Length",
        "Utf16",
    ],
    "Number": "W8 W16 W32 W64 I8 I16 I32 I64".split(),
    "Length": ["Length64", "LengthVarint"],
    "Form": ["Newtype", "Record", "Sum"],
    "ValueOrder": ["Unordered", "ByParts"],
    "Schema": ["schemaRoot Shape", "schemaDefinitions [Definition]"],
    "Definition": [
        "definitionName utf8",
        "definitionForm Form",
        "definitionOrder ValueOrder",
        "definitionConstructors [Constructor]",
    ],
    "Constructor": [
        "constructorName utf8",
        "constructorRetired bool",
        "constructorFields [Field]",
    ],
    "Field": ["fieldName utf8", "fieldShape Shape"],
}
_RECORDS = ("Schema", "Definition", "Constructor", "Field")


def _type(name: str) -> s.Shape:
    if name[0] == "[":
        return s.List(_type(name[1:-1]))
    if name[0] == "?":
        return s.Maybe(_type(name[1:]))
    return s.Reference(list(_TYPES).index(name)) if name in _TYPES else s.Leaf(name)


def _definition_of(name: str) -> s.Definition:
    if name in _RECORDS:
        fields = tuple(s.Field(x.split()[0], _type(x.split()[1])) for x in _TYPES[name])
        return s.Definition(name, "record", "unknown", (s.Constructor(name, fields),))
    constructors = []
    for words in (x.split() for x in _TYPES[name]):
        fields = tuple(s.Field(str(i), _type(t)) for i, t in enumerate(words[1:], 1))
        constructors.append(s.Constructor(words[0], fields))
    return s.Definition(name, "sum", "unknown", tuple(constructors))


_made: List[Exact] = []


def _reader() -> Exact:
    if not _made:
        definitions = tuple(map(_definition_of, _TYPES))
        _made.append(Exact(_type("Schema"), definitions, Facts(definitions), derived=True))
    return _made[0]
