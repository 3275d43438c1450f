"""Random schemas and values, and how their bytes are read and written: slow, simple, without errors."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union

from ashlar import Array, Schema
from ashlar import shapes as s
from ashlar._facts import is_ordered, map_references

WHOLE = list(s.NUMBERS) + ["integer", "natural", "fixedPoint", "date", "duration"]
STRINGS = ["bytes", "byteArray", "utf8"]
OTHERS = ["float32", "float64", "bool", "char", "scalarValue", "utf16", "unit"]


class Refused(Exception):
    """The bytes are not those of a value."""


# Schemas.


def random_leaf(r: Random) -> s.Leaf:
    kind = r.choice(WHOLE + STRINGS * 2 + OTHERS)
    encoding = ""
    if kind in s.NUMBERS:
        encoding = r.choice(["", "", "bigEndian", "varint", "zigzag"])
    elif kind in ("float32", "float64"):
        encoding = r.choice(["", "bigEndian"])
    units = r.choice([1, 100, 7]) if kind == "fixedPoint" else 0
    return s.Leaf(kind, encoding, kind in STRINGS and r.random() < 0.3, units)


def random_whole(r: Random) -> s.Shape:
    while True:
        leaf = random_leaf(r)
        if s.is_whole(leaf):
            low = r.randint(-3, 3)
            return leaf if r.random() < 0.6 else s.Between(low, low + r.randint(0, 9), leaf)


def random_shape(r: Random, depth: int, count: int) -> s.Shape:
    """A shape that refers to definitions below the count."""
    kind = r.randrange(17) if depth > 0 else r.randrange(4)
    if kind < 3:
        return random_leaf(r)
    if kind == 3:
        return s.Reference(r.randrange(count)) if count else random_whole(r)

    def inner() -> s.Shape:
        return random_shape(r, depth - 1, count)

    compact = r.random() < 0.3
    if kind == 4:
        return random_whole(r)
    if kind == 5:
        return s.Ratio(random_whole(r))
    if kind == 6:
        return s.Maybe(inner())
    if kind == 7:
        return s.Tuple(tuple(inner() for _ in range(r.randint(2, 4))))
    if kind in (8, 9):
        return s.List(inner(), compact)
    if kind == 10:
        return s.NonEmpty(inner(), compact)
    if kind == 11:
        return s.Set(inner(), compact)
    if kind == 12:
        return s.Map(inner(), inner(), compact)
    if kind > 13:
        return s.Unpacked(inner()) if kind == 14 else s.Packed(inner())
    if r.random() < 0.5:
        return s.Array(random_whole(r), inner())
    return s.Constant(b"ab") if r.random() < 0.5 else s.Opaque("o", 1, 3)


def random_schema(r: Random) -> Schema:
    """A schema of a few definitions, of which each may refer to any."""
    count = r.choice([0, 1, 2, 4])
    names = ["a", "b'", "from", "D ä", "1"]
    definitions: List[s.Definition] = []
    for i in range(count):
        form = r.choice(["newtype", "record", "record", "sum", "sum"])
        constructors = []
        for j in range(r.choice([1, 2, 3, 14]) if form == "sum" else 1):
            width = 1 if form == "newtype" else r.choice([0, 1, 2, 5])
            named = r.random() < 0.5 and not form == "newtype"
            fields = tuple(
                s.Field(names[k] if named else str(k + 1), random_shape(r, 2, count)) for k in range(width)
            )
            retired = form == "sum" and not fields and r.random() < 0.2
            constructors.append(s.Constructor(f"C{j}", fields, retired))
        order = r.choice(["byParts", "byParts", "unknown"])
        definitions.append(s.Definition(f"T{i % 3}", form, order, tuple(constructors)))
    root = random_shape(r, 3, count)
    return numbered(s.Packed(root) if r.random() < 0.3 else root, definitions)


def numbered(root: s.Shape, definitions: List[s.Definition]) -> Schema:
    """The schema with its definitions in the order of the first visit."""
    numbers: Dict[int, int] = {}

    def visit(shape: s.Shape) -> None:
        if isinstance(shape, s.Reference):
            if shape.to not in numbers:
                numbers[shape.to] = len(numbers)
                for c in definitions[shape.to].constructors:
                    for f in c.fields:
                        visit(f.shape)
        for child in s.children(shape):
            visit(child)

    visit(root)
    def renumber(shape: s.Shape) -> s.Shape:
        return map_references(lambda x: s.Reference(numbers[x.to]), shape)

    out = []
    for i in numbers:
        d = definitions[i]
        constructors = tuple(
            s.Constructor(c.name, tuple(s.Field(f.name, renumber(f.shape)) for f in c.fields), c.retired)
            for c in d.constructors
        )
        out.append(s.Definition(d.name, d.form, d.order, constructors))
    return Schema(renumber(root), tuple(out))


# Values.


class Endless(Exception):
    """No value was found."""


def random_int(r: Random, low: int, high: int) -> int:
    if r.random() < 0.5:
        return max(low, min(high, r.randint(-3, 3)))
    if r.random() < 0.3:
        return r.choice([low, high])
    n = r.getrandbits(r.randint(1, 70)) * r.choice([1, -1])
    return max(low, min(high, n))


def random_text(r: Random, surrogates: bool = False) -> str:
    pool = "ab\"\\\n\x00\x7fäß€😀\u2028" + ("\ud800\udfff" if surrogates else "")
    return "".join(r.choice(pool) for _ in range(r.choice([0, 1, 3, 20])))


def random_value(r: Random, schema: Schema, shape: s.Shape, fuel: int = 12) -> Any:
    """A plain value of a shape. Sets and maps are in order."""
    if fuel < 0:
        raise Endless()

    def inner(x: s.Shape) -> Any:
        return random_value(r, schema, x, fuel - 1)

    if isinstance(shape, s.Leaf):
        return random_leaf_value(r, shape)
    if isinstance(shape, s.Between):
        low, high = bounds(shape.leaf)
        low, high = max(shape.low, low), min(shape.high, high)
        if low > high:
            raise Endless()
        return r.randint(low, high)
    if isinstance(shape, s.Ratio):
        for _ in range(30):
            n, d = inner(shape.of), inner(shape.of)
            if d > 0 and math.gcd(n, d) == 1:
                return Fraction(n, d)
        raise Endless()
    if isinstance(shape, s.Maybe):
        if fuel < 3 or r.random() < 0.4:
            return None
        x = inner(shape.of)
        return (x,) if schema.facts.may_be_none(shape.of) else x
    if isinstance(shape, s.Tuple):
        return tuple(inner(x) for x in shape.of)
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        least = 1 if isinstance(shape, s.NonEmpty) else 0
        n = least if fuel < 3 else r.choice([0, 1, 2, 5]) or least
        values = [inner(shape.of) for _ in range(n)]
        return ascending(schema, shape.of, values, lambda x: x) if isinstance(shape, s.Set) else values
    if isinstance(shape, s.Map):
        n = 0 if fuel < 3 else r.choice([0, 1, 2, 5])
        pairs = ascending(schema, shape.key, [(inner(shape.key), inner(shape.value)) for _ in range(n)], lambda p: p[0])
        return dict(pairs) if schema.facts.hashable(shape.key) else pairs
    if isinstance(shape, s.Array):
        low = inner(shape.index)
        n = 0 if fuel < 3 else r.randint(0, 3)
        high = low + n - 1
        if not in_bounds(shape.index, high):
            raise Endless()
        return Array(low, high, [inner(shape.of) for _ in range(n)])
    if isinstance(shape, s.Constant):
        return shape.bytes
    if isinstance(shape, s.Opaque):
        return bytes(r.getrandbits(8) for _ in range(shape.size or 0))
    if isinstance(shape, (s.Packed, s.Unpacked)):
        return inner(shape.of)
    assert isinstance(shape, s.Reference)
    d = schema.definitions[shape.to]
    if d.form == "newtype":
        return inner(d.constructors[0].fields[0].shape)
    usable = [c for c in d.constructors if not c.retired]
    if not usable:
        raise Endless()
    c = r.choice(usable) if fuel > 4 else min(usable, key=lambda x: len(x.fields))
    parts = [inner(f.shape) for f in c.fields]
    fields: Any = tuple(parts) if s.is_positional(c) else {f.name: x for f, x in zip(c.fields, parts)}
    if d.form == "record":
        return fields
    return {c.name: fields} if c.fields else c.name


def bounds(leaf: s.Leaf) -> Tuple[int, int]:
    if leaf.type in s.NUMBERS:
        return s.NUMBERS[leaf.type][1:]
    return (0 if leaf.type == "natural" else -(1 << 80), 1 << 80)


def in_bounds(shape: s.Shape, n: int) -> bool:
    if isinstance(shape, s.Between):
        return shape.low <= n <= shape.high and in_bounds(shape.leaf, n)
    assert isinstance(shape, s.Leaf)
    low, high = bounds(shape)
    return low <= n <= high


def ascending(schema: Schema, shape: s.Shape, items: List[Any], key: Any) -> List[Any]:
    if not is_ordered(schema.facts.unordered, shape):
        return items
    def by(x: Any) -> Any:
        return order_key(schema, shape, key(x))

    items = sorted(items, key=by)
    out: List[Any] = []
    for x in items:
        if not out or by(out[-1]) < by(x):
            out.append(x)
    return out


def order_key(schema: Schema, shape: s.Shape, x: Any) -> Any:
    """Something that Python orders as the schema orders the value."""

    def inner(of: s.Shape, y: Any) -> Any:
        return order_key(schema, of, y)

    if isinstance(shape, (s.Packed, s.Unpacked)):
        return inner(shape.of, x)
    if isinstance(shape, s.Leaf):
        return (len(x), x) if shape.type == "byteArray" else (0, x)
    if isinstance(shape, s.Maybe):
        if x is None:
            return (0,)
        return (1, inner(shape.of, x[0] if schema.facts.may_be_none(shape.of) else x))
    if isinstance(shape, s.Tuple):
        return [inner(of, y) for of, y in zip(shape.of, x)]
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        return [inner(shape.of, y) for y in x]
    if isinstance(shape, s.Map):
        pairs = x.items() if isinstance(x, dict) else x
        return [(inner(shape.key, k), inner(shape.value, v)) for k, v in pairs]
    if isinstance(shape, s.Reference):
        d = schema.definitions[shape.to]
        if d.form == "newtype":
            return inner(d.constructors[0].fields[0].shape, x)
        tag, c, parts = taken(d, x)
        return (tag, [inner(f.shape, y) for f, y in zip(c.fields, parts)])
    return (0, x)


def taken(d: s.Definition, x: Any) -> Tuple[int, s.Constructor, List[Any]]:
    """The tag, the constructor and the fields of a plain value of a record or a sum."""
    if d.form == "record":
        name, fields = d.constructors[0].name, x
    elif isinstance(x, str):
        name, fields = x, ()
    else:
        ((name, fields),) = x.items()
    tag = [c.name for c in d.constructors].index(name)
    return tag, d.constructors[tag], list(fields.values() if isinstance(fields, dict) else fields)


def random_leaf_value(r: Random, leaf: s.Leaf) -> Any:
    kind = leaf.type
    if s.is_whole(leaf):
        return random_int(r, *bounds(leaf))
    if kind in ("float32", "float64"):
        x = r.choice([0.0, 1.5, -2.25, 1e7, 0.1, float("inf"), r.uniform(-1e9, 1e9)])
        return struct.unpack("<f", struct.pack("<f", x))[0] if kind == "float32" else x
    if kind == "bool":
        return r.random() < 0.5
    if kind in ("char", "scalarValue"):
        return r.choice(random_text(r, kind == "char") or "x")
    if kind in ("utf8", "utf16"):
        return random_text(r)
    if kind == "unit":
        return ()
    return bytes(r.getrandbits(8) for _ in range(r.choice([0, 1, 9])))


# Bytes. The writer follows the format's description, rule by rule.


def length(n: int, compact: bool) -> bytes:
    return leb(n) if compact else struct.pack("<q", n)


def leb(n: int) -> bytes:
    low, rest = n & 127, n >> 7
    return bytes([low | 128]) + leb(rest) if rest else bytes([low])


def encode(schema: Schema, shape: s.Shape, x: Any) -> bytes:

    def inner(of: s.Shape, y: Any) -> bytes:
        return encode(schema, of, y)

    if isinstance(shape, s.Leaf):
        return encode_leaf(shape, x)
    if isinstance(shape, s.Between):
        return encode_leaf(shape.leaf, x)
    if isinstance(shape, s.Ratio):
        return inner(shape.of, x.numerator) + inner(shape.of, x.denominator)
    if isinstance(shape, s.Maybe):
        if x is None:
            return b"\0"
        return b"\1" + inner(shape.of, x[0] if schema.facts.may_be_none(shape.of) else x)
    if isinstance(shape, s.Tuple):
        return b"".join(inner(of, y) for of, y in zip(shape.of, x))
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        return length(len(x), shape.compact) + b"".join(inner(shape.of, y) for y in x)
    if isinstance(shape, s.Map):
        pairs = list(x.items() if isinstance(x, dict) else x)
        body = b"".join(inner(shape.key, k) + inner(shape.value, v) for k, v in pairs)
        return length(len(pairs), shape.compact) + body
    if isinstance(shape, s.Array):
        bounds_ = inner(shape.index, x.lower) + inner(shape.index, x.upper)
        return bounds_ + length(len(x.elements), False) + b"".join(inner(shape.of, y) for y in x.elements)
    if isinstance(shape, s.Reference):
        d = schema.definitions[shape.to]
        if d.form == "newtype":
            return inner(d.constructors[0].fields[0].shape, x)
        tag, c, parts = taken(d, x)
        before = bytes([tag]) if d.form == "sum" else b""
        return before + b"".join(inner(f.shape, y) for f, y in zip(c.fields, parts))
    if isinstance(shape, s.Packed):
        return joined(packed(schema, shape.of, x))
    if isinstance(shape, s.Unpacked):
        return inner(shape.of, x)
    assert isinstance(x, bytes)
    return x


#: A part of a packed value: bytes, or one of so many symbols.
Item = Union[bytes, Tuple[int, int]]


def packed(schema: Schema, shape: s.Shape, x: Any) -> List[Item]:
    def inner(of: s.Shape, y: Any) -> List[Item]:
        return packed(schema, of, y)

    def each(n: int, parts: Iterable[Tuple[s.Shape, Any]]) -> List[Item]:
        return [leb(n), *(item for of, y in parts for item in inner(of, y))]

    if isinstance(shape, s.Leaf):
        return [(2, int(x)) if shape.type == "bool" else encode_packed_leaf(shape, x)]
    if isinstance(shape, s.Between):
        return inner(shape.leaf, x)
    if isinstance(shape, s.Ratio):
        return inner(shape.of, x.numerator) + inner(shape.of, x.denominator)
    if isinstance(shape, s.Maybe):
        if x is None:
            return [(2, 0)]
        return [(2, 1), *inner(shape.of, x[0] if schema.facts.may_be_none(shape.of) else x)]
    if isinstance(shape, s.Tuple):
        return [item for of, y in zip(shape.of, x) for item in inner(of, y)]
    if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
        return each(len(x), [(shape.of, y) for y in x])
    if isinstance(shape, s.Map):
        pairs = list(x.items() if isinstance(x, dict) else x)
        return each(len(pairs), [part for k, v in pairs for part in ((shape.key, k), (shape.value, v))])
    if isinstance(shape, s.Array):
        bounds_ = inner(shape.index, x.lower) + inner(shape.index, x.upper)
        return bounds_ + each(len(x.elements), [(shape.of, y) for y in x.elements])
    if isinstance(shape, s.Reference):
        d = schema.definitions[shape.to]
        if d.form == "newtype":
            return inner(d.constructors[0].fields[0].shape, x)
        tag, c, parts = taken(d, x)
        items = [item for f, y in zip(c.fields, parts) for item in inner(f.shape, y)]
        return [(len(d.constructors), tag), *items] if d.form == "sum" else items
    if isinstance(shape, s.Packed):
        return inner(shape.of, x)
    return [encode(schema, shape, x)]


def encode_packed_leaf(leaf: s.Leaf, x: Any) -> bytes:
    if leaf.type in ("word16", "word32", "word64") and not leaf.encoding:
        return leb(x)
    if leaf.type in ("int16", "int32", "int64") and not leaf.encoding:
        return leb(2 * x if x >= 0 else -2 * x - 1)
    if leaf.type in ("char", "scalarValue"):
        return leb(ord(x))
    return encode_leaf(replace(leaf, compact=leaf.type in STRINGS), x)


def joined(items: Iterable[Item]) -> bytes:
    """Bytes and symbols: the digits of each byte, of which the open one gets those of the symbols."""
    digits: List[str] = []
    opened = -1
    for item in items:
        if isinstance(item, bytes):
            digits += [f"{b:08b}" for b in item]
            continue
        for digit in code(*item):
            if opened < 0 or len(digits[opened]) == 8:
                opened = len(digits)
                digits.append("")
            digits[opened] += digit
    return bytes(int(x.ljust(8, "0"), 2) for x in digits)


def code(n: int, i: int) -> str:
    """The digits of one of n symbols, in truncated binary."""
    k = max(j for j in range(17) if 2**j <= n)
    u = 2 ** (k + 1) - n
    width, number = (k, i) if i < u else (k + 1, i + u)
    return "".join(str(number >> place & 1) for place in reversed(range(width)))


def encode_leaf(leaf: s.Leaf, x: Any) -> bytes:
    kind = leaf.type
    if kind in s.NUMBERS:
        size, low, _ = s.NUMBERS[kind]
        if leaf.encoding == "varint":
            return leb(x % (1 << 64))
        if leaf.encoding == "zigzag":
            x = x - (1 << 64) if x >= 1 << 63 else x
            return leb(2 * x if x >= 0 else -2 * x - 1)
        return int(x).to_bytes(size, "big" if leaf.encoding else "little", signed=low < 0)
    if kind in ("float32", "float64"):
        return struct.pack((">" if leaf.encoding else "<") + ("f" if kind == "float32" else "d"), x)
    if kind == "bool":
        return b"\1" if x else b"\0"
    if kind in ("char", "scalarValue"):
        return struct.pack("<I", ord(x))
    if kind == "unit":
        return b""
    if kind == "utf8":
        data = x.encode()
        return length(len(data), leaf.compact) + bytes(data)
    if kind == "utf16":
        data = x.encode("utf-16-le")
        return length(len(data) // 2, False) + bytes(data)
    if kind in ("bytes", "byteArray"):
        return length(len(x), leaf.compact) + bytes(x)
    n: int = x
    size = (abs(n).bit_length() + 7) // 8
    header = size if kind == "natural" else 2 * size + (n < 0)
    return leb(header) + abs(n).to_bytes(size, "little")


def sample(r: Random) -> Optional[Tuple[Schema, Any]]:
    """A schema and one of its values, if one is found."""
    schema = random_schema(r)
    try:
        return schema, random_value(r, schema, schema.root)
    except (Endless, RecursionError):
        return None
