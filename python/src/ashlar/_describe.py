"""Schemas for people, as ``ashlar schema`` prints them."""

from __future__ import annotations

import unicodedata
from typing import Dict, List, Sequence, Tuple

from . import shapes as s
from ._decimal import digits_of

__all__ = ["clean", "definition_names", "describe_schema", "describe_shape"]

_WIDTH = 96
_CONTROLS = (
    "NUL SOH STX ETX EOT ENQ ACK a b t n v f r SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split()


def clean(text: str) -> str:
    """Escape what is not printable: names may be those of an untrusted schema.

    >>> clean("a\\nb\\u2028")
    'a\\\\nb\\\\8232'
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_clean, text))


def _clean(c: str) -> str:
    if c < "\x7f":
        return c if c >= " " else "\\" + _CONTROLS[ord(c)]
    if c == "\x7f":
        return "\\DEL"
    unprintable = unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return f"\\{ord(c)}" if unprintable else c


def _shown(text: str) -> str:
    # A string as Haskell's ``show`` writes it.
    out: List[str] = []
    for i, c in enumerate(text):
        after = text[i + 1 : i + 2]
        if c in '"\\':
            out.append("\\" + c)
        elif " " <= c < "\x7f":
            out.append(c)
        elif c <= "\x7f":
            out.append(_clean(c) + ("\\&" if c == "\x0e" and after == "H" else ""))
        else:
            out.append(f"\\{ord(c)}" + ("\\&" if after in tuple("0123456789") else ""))
    return '"' + "".join(out) + '"'


def definition_names(definitions: Sequence[s.Definition]) -> List[str]:
    """The names of the definitions, with their numbers where a name occurs more than once."""
    counts: Dict[str, int] = {}
    for d in definitions:
        counts[d.name] = counts.get(d.name, 0) + 1
    return [
        f"{clean(d.name)}#{i}" if counts[d.name] > 1 else clean(d.name)
        for i, d in enumerate(definitions)
    ]


def describe_schema(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> str:
    """The root, and the definitions as Haskell has them.

    >>> print(describe_schema(s.List(s.Maybe(s.Leaf("int64"))), ()), end="")
    [Maybe Int64]
    """
    names = definition_names(definitions)
    lines = [describe_shape(names, root)]
    for name, d in zip(names, definitions):
        lines += ["", *_declaration(names, name, d)]
    return "".join(line + "\n" for line in lines)


def _declaration(names: Sequence[str], name: str, d: s.Definition) -> List[str]:
    header = f"{'newtype' if d.form == 'newtype' else 'data'} {name}"
    inline = [_in_line(names, c) for c in d.constructors]
    one_line = f"{header} = {' | '.join(inline)}"
    if not d.constructors:
        return [header]
    if len(one_line) <= _WIDTH:
        return [one_line]
    if len(d.constructors) == 1:
        c = d.constructors[0]
        if not c.fields:
            return [one_line]
        return [f"{header} = {clean(c.name)}"] + _field_lines(names, c)
    lines = [header]
    for start, c, text in zip(["= "] + ["| "] * len(inline), d.constructors, inline):
        if len(text) + 4 <= _WIDTH:
            lines.append(f"  {start}{text}")
        else:
            lines.append(f"  {start}{clean(c.name)}")
            lines += ["  " + line for line in _field_lines(names, c)]
    return lines


def _in_line(names: Sequence[str], c: s.Constructor) -> str:
    if c.retired:
        return f"{{- retired: {clean(c.name)} -}}"
    if not c.fields:
        return clean(c.name)
    if s.is_positional(c):
        return " ".join([clean(c.name)] + [_argument(names, f.shape) for f in c.fields])
    return f"{clean(c.name)} {{ {', '.join(_field(names, f) for f in c.fields)} }}"


def _field(names: Sequence[str], f: s.Field) -> str:
    return f"{clean(f.name)} :: {describe_shape(names, f.shape)}"


def _field_lines(names: Sequence[str], c: s.Constructor) -> List[str]:
    starts = ["  { "] + ["  , "] * len(c.fields)
    return [start + _field(names, f) for start, f in zip(starts, c.fields)] + ["  }"]


def _argument(names: Sequence[str], shape: s.Shape) -> str:
    text = describe_shape(names, shape)
    if isinstance(shape, s.Leaf):
        compound = " " in text
    elif isinstance(shape, s.List):
        compound = shape.compact
    else:
        compound = not isinstance(shape, (s.Tuple, s.Reference))
    return f"({text})" if compound else text


def describe_shape(names: Sequence[str], shape: s.Shape) -> str:
    """The type of a shape, given the names of the definitions.

    >>> describe_shape([], s.Map(s.Leaf("utf8", compact=True), s.Between(1, 5, s.Leaf("word8"))))
    'Map (Compact Text) (Word8 from 1 to 5)'
    """
    if isinstance(shape, s.Leaf):
        return _leaf(shape)
    if isinstance(shape, s.Between):
        return f"{_leaf(shape.leaf)} from {digits_of(shape.low)} to {digits_of(shape.high)}"
    if isinstance(shape, s.Tuple):
        return f"({', '.join(describe_shape(names, x) for x in shape.of)})"
    if isinstance(shape, s.List):
        return f"{'Compact ' if shape.compact else ''}[{describe_shape(names, shape.of)}]"
    if isinstance(shape, s.Constant):
        rest = f"... ({len(shape.bytes)} bytes)" if len(shape.bytes) > 32 else ""
        return f"always 0x{shape.bytes[:32].hex()}{rest}"
    if isinstance(shape, s.Reference):
        return names[shape.to] if 0 <= shape.to < len(names) else f"#{shape.to}"
    if isinstance(shape, s.Opaque):
        size = "" if shape.size is None else f" of {shape.size} bytes"
        return f"opaque {_shown(shape.name)} version {shape.version}{size}"
    if isinstance(shape, s.Irregular):
        return f"irregular {_shown(shape.name)}"
    word = type(shape).__name__
    text = " ".join([word] + [_argument(names, x) for x in s.children(shape)])
    compact = isinstance(shape, (s.NonEmpty, s.Set, s.Map)) and shape.compact
    return f"Compact ({text})" if compact else text


def _leaf(leaf: s.Leaf) -> str:
    kind = leaf.type
    if kind in s.NUMBERS:
        number = kind.capitalize()
        encoding = leaf.encoding[:1].upper() + leaf.encoding[1:]
        return f"{encoding} {number}" if encoding else number
    if kind in ("float32", "float64"):
        return ("BigEndian " if leaf.encoding else "") + ("Float" if kind == "float32" else "Double")
    if kind == "fixedPoint":
        return f"Fixed {digits_of(leaf.units)}"
    return ("Compact " if leaf.compact else "") + _NAMES[kind]


_NAMES = {
    "unit": "()",
    "bool": "Bool",
    "char": "Char",
    "scalarValue": "ScalarValue",
    "integer": "Integer",
    "natural": "Natural",
    "date": "Day",
    "duration": "DiffTime",
    "bytes": "ByteString",
    "byteArray": "ByteArray",
    "utf8": "Text",
    "utf16": "UTF16",
}
