"""Writing the bytes of schemas."""

from __future__ import annotations

from typing import Callable, Iterable, Iterator, Tuple

from . import shapes as s
from ._varint import put_integer, put_natural

__all__ = ["encode_schema", "schema_pieces", "shape_head", "text_size"]

_NUMBERS = list(s.NUMBERS)
_ENCODINGS = ["", "bigEndian", "varint", "zigzag"]
_FLOATS = [("float32", ""), ("float64", ""), ("float32", "bigEndian"), ("float64", "bigEndian")]
_PLAIN = ["bool", "char", "scalarValue", "integer", "natural"]
_STRINGS = ["bytes", "byteArray", "utf8"]
_FORMS = ["newtype", "record", "sum"]
_ORDERS = ["unknown", "byParts"]


def encode_schema(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> bytes:
    """The bytes of a schema."""
    return b"".join(schema_pieces(root, len(definitions), definitions, lambda shape: shape))


def schema_pieces(
    root: s.Shape, count: int, definitions: Iterable[s.Definition], changed: Callable[[s.Shape], s.Shape]
) -> Iterator[bytes]:
    """The bytes of a schema with other shapes, in pieces: a shape may have many bytes."""
    yield from _shape(changed(root))
    yield _length(count)
    for d in definitions:
        forms = bytes((_FORMS.index(d.form), _ORDERS.index(d.order)))
        yield _text(d.name) + forms + _length(len(d.constructors))
        for c in d.constructors:
            yield _text(c.name) + bytes((c.retired,)) + _length(len(c.fields))
            for f in c.fields:
                yield _text(f.name)
                yield from _shape(changed(f.shape))


def _length(n: int) -> bytes:
    return n.to_bytes(8, "little", signed=True)


def _text(text: str) -> bytes:
    data = text.encode()
    return _length(len(data)) + data


def text_size(text: str) -> int:
    """How many bytes a name has."""
    return 8 + len(text if text.isascii() else text.encode())


def _shape(shape: s.Shape) -> Iterator[bytes]:
    work = [shape]
    while work:
        x = work.pop()
        yield shape_head(x)
        work += reversed(s.children(x))


def shape_head(shape: s.Shape) -> bytes:
    """The bytes of a shape without those of the shapes in it, which come next."""
    if isinstance(shape, s.Leaf):
        return b"\0" + _leaf(shape)
    if isinstance(shape, s.Between):
        return b"\1" + put_integer(shape.low) + put_integer(shape.high) + _leaf(shape.leaf)
    if isinstance(shape, (s.Ratio, s.Maybe)):
        return b"\2" if isinstance(shape, s.Ratio) else b"\3"
    if isinstance(shape, s.Tuple):
        return b"\4" + _length(len(shape.of))
    if isinstance(shape, (s.List, s.NonEmpty, s.Set, s.Map)):
        return bytes(([s.List, s.NonEmpty, s.Set, s.Map].index(type(shape)) + 5, shape.compact))
    if isinstance(shape, s.Array):
        return b"\x09"
    if isinstance(shape, s.Constant):
        return b"\x0a" + _length(len(shape.bytes)) + shape.bytes
    if isinstance(shape, s.Reference):
        return b"\x0b" + _length(shape.to)
    if isinstance(shape, s.Opaque):
        size = b"\0" if shape.size is None else b"\1" + _length(shape.size)
        return b"\x0c" + _text(shape.name) + _length(shape.version) + size
    if isinstance(shape, s.Irregular):
        return b"\x0d" + _text(shape.name)
    return b"\x0e" if isinstance(shape, s.Packed) else b"\x0f"


def _leaf(leaf: s.Leaf) -> bytes:
    if leaf.type in s.NUMBERS:
        return bytes((1 + _ENCODINGS.index(leaf.encoding), _NUMBERS.index(leaf.type)))
    if (leaf.type, leaf.encoding) in _FLOATS:
        return bytes((5 + _FLOATS.index((leaf.type, leaf.encoding)),))
    if leaf.type in _PLAIN:
        return bytes((9 + _PLAIN.index(leaf.type),))
    if leaf.type in _STRINGS:
        return bytes((0x11 + _STRINGS.index(leaf.type), leaf.compact))
    if leaf.type == "fixedPoint":
        return b"\x0e" + put_natural(leaf.units)
    return {"unit": b"\0", "date": b"\x0f", "duration": b"\x10", "utf16": b"\x14"}[leaf.type]
