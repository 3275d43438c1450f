"""Reading what has no parts, with the errors of Haskell."""

from __future__ import annotations

import struct
from typing import Any, Callable

from . import shapes as s
from ._state import State
from .values import nan_of_bits

__all__ = ["bound_text", "leaf_reader"]

LeafReader = Callable[[State], Any]


def leaf_reader(leaf: s.Leaf) -> LeafReader:
    """The reader of a leaf."""
    kind = leaf.type
    if kind == "unit":
        return lambda st: ()
    if kind in s.NUMBERS:
        return _number(leaf)
    if kind in ("char", "scalarValue"):
        read = _code_point if leaf.encoding else _character
        return read if kind == "char" else lambda st: _scalar(st, read)
    if kind in ("float32", "float64"):
        return _float(kind, ">" if leaf.encoding else "<")
    if kind in ("bytes", "byteArray"):
        compact = leaf.compact
        return lambda st: st.take(st.read_length(compact))
    if kind == "utf8":
        compact = leaf.compact
        return lambda st: _utf8(st, compact)
    return {
        "bool": _boolean,
        "natural": _natural,
        "utf16": _utf16,
    }.get(kind, _integer)


def _number(leaf: s.Leaf) -> LeafReader:
    size, low, high = s.NUMBERS[leaf.type]
    signed = low < 0
    if leaf.encoding == "varint":
        return lambda st: _varint(st, low, high)
    if leaf.encoding == "zigzag":
        return lambda st: _zigzag(st, low, high)
    order = "big" if leaf.encoding else "little"
    return lambda st: int.from_bytes(st.take(size), order, signed=signed)  # type: ignore[arg-type]


def _varint(st: State, low: int, high: int) -> int:
    start = st.at
    n = st.read_varint()
    if low < 0 and n >= 1 << 63:
        n -= 1 << 64
    if not low <= n <= high:
        st.invalid(start, "a varint that does not fit its type")
    return n


def _zigzag(st: State, low: int, high: int) -> int:
    start = st.at
    n = st.read_varint()
    n = n >> 1 ^ -(n & 1)
    if low <= n <= high:
        return n
    if low < 0:
        st.invalid(start, "a varint that does not fit its type")
    # The largest numbers of 64 bits without a sign wrap around, as those of the type do.
    if high == (1 << 64) - 1:
        return n + (1 << 64)
    st.invalid(start, "less than 0" if n < 0 else f"more than {high}")


def _float(kind: str, order: str) -> LeafReader:
    size = 4 if kind == "float32" else 8
    unpack = struct.Struct(order + ("f" if size == 4 else "d")).unpack

    def read(st: State) -> float:
        data = st.take(size)
        (x,) = unpack(data)
        return float(x) if x == x else nan_of_bits(size, data if order == ">" else data[::-1])

    return read


def _boolean(st: State) -> bool:
    st.need(1)
    b = st.data[st.at]
    if b > 1:
        st.invalid(st.at, f"a Bool is 0 or 1, not {b}")
    st.at += 1
    return b == 1


def _character(st: State) -> str:
    start = st.at
    return _char_of(st, start, int.from_bytes(st.take(4), "little"))


def _code_point(st: State) -> str:
    # In LEB128, as packed values have it.
    start = st.at
    return _char_of(st, start, st.read_varint())


def _char_of(st: State, start: int, n: int) -> str:
    if n > 0x10FFFF:
        st.invalid(start, f"a Char is at most 1114111, not {n}")
    return chr(n)


def _scalar(st: State, read: Callable[[State], str]) -> str:
    start = st.at
    c = read(st)
    if "\ud800" <= c <= "\udfff":
        st.invalid(start, "a surrogate")
    return c


def _integer(st: State) -> int:
    header = st.read_varint()
    m = _magnitude(st, header >> 1)
    if header & 1:
        if m == 0:
            st.invalid(st.at, "Integer: a negative zero")
        return -m
    return m


def _natural(st: State) -> int:
    return _magnitude(st, st.read_varint())


def _magnitude(st: State, n: int) -> int:
    if n >= 1 << 63:
        st.invalid(st.at, "Integer: more bytes than there can be")
    start = st.at
    data = st.take(n)
    if data and data[-1] == 0:
        st.invalid(start, "Integer: more bytes than needed")
    return int.from_bytes(data, "little")


def _utf8(st: State, compact: bool) -> str:
    n = st.read_length(compact)
    start = st.at
    data = st.take(n)
    try:
        return data.decode()
    except UnicodeDecodeError as e:
        good = e.start
    st.invalid(start + good, "invalid UTF-8")


def _utf16(st: State) -> str:
    n = st.read_length(False)
    if n > (1 << 62) - 1:
        st.invalid(st.at, "a length that does not fit")
    start = st.at
    data = st.take(2 * n)
    try:
        return data.decode("utf-16-le")
    except UnicodeDecodeError:
        pass
    st.invalid(start, "invalid UTF-16")


def bound_text(k: int) -> str:
    """A bound in an error. That of an untrusted schema may have millions of digits.

    >>> bound_text(-7), bound_text(1 << 256)
    ('-7', 'the bound of the type')
    """
    return str(k) if abs(k) < 1 << 256 else "the bound of the type"
