"""Leaves that become others without loss."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

from . import shapes as s
from ._costs import least_of_leaf
from ._emit import CODES
from ._facts import Facts
from ._leafread import leaf_reader
from ._ops import Block, Copy, Groups, Magnitude, Op, Skip, Through, count_bytes
from ._state import State
from ._varint import put_integer, put_natural
from ._write import number_bytes, plain_take, write

__all__ = ["leaf_ops", "letters_ops", "string_ops", "text_ops", "whole_ops"]

_FLOATS = ("float32", "float64")


def leaf_ops(keep: bool, leaf: s.Leaf) -> List[Op]:
    """Copy or leave out a leaf."""
    kind = leaf.type
    if kind == "unit":
        return []
    if leaf.encoding in ("varint", "zigzag"):
        return [Groups(keep)]
    if kind in ("integer", "natural", "fixedPoint", "date", "duration"):
        return [Magnitude(keep, 0 if kind == "natural" else 1)]
    if kind in ("bytes", "byteArray", "utf8", "utf16"):
        width = 2 if kind == "utf16" else 1
        return [Block(leaf.compact, leaf.compact if keep else None, 0, width)]
    size = least_of_leaf(leaf)
    return [Copy(size) if keep else Skip(size)]


def string_ops(reordered: bool, a: s.Leaf, b: s.Leaf) -> Optional[List[Op]]:
    """Strings whose length is written in another way. May their order change, too?"""
    kinds = {a.type, b.type}
    blobs = kinds <= {"bytes", "byteArray"} and (reordered or len(kinds) == 1)
    if blobs or kinds == {"utf8"}:
        return [Block(a.compact, b.compact, 0, 1)]
    return None


#: The kind of a whole number (of a date, say), and its least and its greatest value if there are any.
_Range = Tuple[Optional[s.Leaf], Optional[int], Optional[int]]


def _range_of(shape: s.Shape) -> Optional[_Range]:
    leaf = shape.leaf if isinstance(shape, s.Between) else shape
    if not isinstance(leaf, s.Leaf) or not (s.is_whole(leaf) or isinstance(shape, s.Between)):
        return None
    kind = leaf if leaf.type in ("fixedPoint", "date", "duration") else None
    if isinstance(shape, s.Between):
        return kind, shape.low, shape.high
    if leaf.type in s.NUMBERS:
        return kind, s.NUMBERS[leaf.type][1], s.NUMBERS[leaf.type][2]
    return kind, 0 if leaf.type == "natural" else None, None


def _fits(old: Optional[_Range], new: Optional[_Range]) -> bool:
    if old is None or new is None or old[0] != new[0]:
        return False
    below = new[1] is None or (old[1] is not None and new[1] <= old[1])
    above = new[2] is None or (old[2] is not None and new[2] >= old[2])
    return below and above


def whole_ops(x: s.Shape, y: s.Shape) -> Optional[List[Op]]:
    """The steps for a number to become a number of another shape, if that has all of its values.

    One whose shape stays is copied: its bounds are checked when the new value is read.
    """
    old, new = _range_of(x), _range_of(y)
    if old is not None and x == y:
        leaf = x.leaf if isinstance(x, s.Between) else x
        assert isinstance(leaf, s.Leaf)
        return leaf_ops(True, leaf)
    if isinstance(y, s.Leaf) and y.type in _FLOATS:
        wider = isinstance(x, s.Leaf) and x.type == "float32" and y.type == "float64"
        bits = 53 if y.type == "float64" else 24
        exact = (
            old is not None
            and old[0] is None
            and old[1] is not None
            and old[2] is not None
            and old[1] >= -(1 << bits)
            and old[2] <= 1 << bits
        )
        return [_rewritten(x, y, float)] if wider or exact else None
    if not _fits(old, new):
        return None
    leaf = y.leaf if isinstance(y, s.Between) else y
    return [_rewritten(x, leaf, lambda n: n)]


def _rewritten(x: s.Shape, y: s.Shape, change: Callable[[Any], Any]) -> Op:
    # Read a value of the old shape, which decides what is refused, and write it as another one.
    from ._exact import Exact

    facts = Facts(())
    take = plain_take(facts)
    exact = Exact(x, (), facts)

    def read(st: State) -> bytes:
        value = change(exact.read(st))
        if isinstance(y, s.Leaf) and s.is_whole(y):
            return _whole_bytes(y, value)
        out = bytearray()
        write(facts, take, y, value, out)
        return bytes(out)

    layouts = _layout(x), _layout(y)
    found = None if layouts[0] is None or layouts[1] is None else (layouts[0], layouts[1])
    return Through(read, _table_size(x, y), found)


def _layout(x: s.Shape) -> Optional[str]:
    # That of a number of constant size.
    numbers = (*s.NUMBERS, *_FLOATS)
    if isinstance(x, s.Leaf) and x.type in numbers and x.encoding in ("", "bigEndian"):
        return (">" if x.encoding else "<") + CODES[x.type]
    return None


def _whole_bytes(leaf: s.Leaf, n: int) -> bytes:
    # Bounds may be wider than what the type holds. Such numbers wrap around, as in Haskell.
    if leaf.type not in s.NUMBERS:
        return put_natural(max(0, n)) if leaf.type == "natural" else put_integer(n)
    size, low, _ = s.NUMBERS[leaf.type]
    bits = 64 if leaf.encoding in ("varint", "zigzag") else 8 * size
    n &= (1 << bits) - 1
    signed = low < 0 or leaf.encoding == "zigzag"
    return number_bytes(leaf, n - (1 << bits) if signed and n >> bits - 1 else n)


def _table_size(x: s.Shape, y: s.Shape) -> Optional[int]:
    # The bytes of a number whose conversion is a step of constant size in Haskell, too.
    if isinstance(x, s.Leaf) and isinstance(y, s.Leaf) and not x.encoding and not y.encoding:
        both = x.type in s.NUMBERS and y.type in s.NUMBERS
        if both or (x.type, y.type) == ("float32", "float64"):
            return least_of_leaf(x)
    return None


def _is_text(leaf: s.Leaf) -> bool:
    return leaf.type in ("utf8", "utf16")


def text_ops(a: s.Leaf, b: s.Leaf) -> Optional[List[Op]]:
    """The steps for text to become text in another encoding."""
    return [_rewritten(a, b, lambda t: t)] if _is_text(a) and _is_text(b) else None


def letters_ops(a: s.Leaf, compact: bool, b: s.Leaf) -> Optional[List[Op]]:
    """The steps for text to become a list of characters."""
    if not _is_text(a) or b.type not in ("char", "scalarValue"):
        return None
    read_text = leaf_reader(a)

    def read(st: State) -> bytes:
        text: str = read_text(st)
        return count_bytes(compact, len(text)) + text.encode("utf-32-le")

    return [Through(read)]
