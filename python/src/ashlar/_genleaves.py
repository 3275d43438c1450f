"""Compile the leaves of a schema to a reader, and what the code calls."""

from __future__ import annotations

import struct
import sys
from typing import Any, List, Optional, Tuple

from . import shapes as s
from ._bits import NO_BITS, packed_leaf
from ._emit import CODES, Source, Unusual

__all__ = ["Leaves", "read_integer", "read_numbers", "read_varint"]


class Leaves:
    """Makes the code for leaves."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pending: List[Tuple[str, str, List[str]]] = []
        self.big = False
        #: The name of the bits that are left of the open byte, within a packed value.
        self.bits: Optional[str] = None

    def unusual(self) -> str:
        """Code that gives up."""
        self.source.line("raise Unusual()")
        return "None"

    def flush(self) -> None:
        """Read what is pending, all of it at once."""
        if not self.pending:
            return
        line = self.source.line
        layout = ("<>"[self.big]) + "".join(code for code, _, _ in self.pending)
        names = [name for _, name, _ in self.pending]
        if layout[1:] == "B":
            line(f"{names[0]} = B[p]")
        else:
            unpack = self.source.struct(layout, "unpack_from")
            line(f"{', '.join(names)}{',' if len(names) == 1 else ''} = {unpack}(B, p)")
        at = 0
        for code, _, checks in self.pending:
            for check in checks:
                line(check.replace("@", f"p + {at}"))
            at += struct.calcsize("<" + code)
        line(f"p += {at}")
        self.pending = []

    def bit(self, highest: str) -> str:
        """A bit, given how to get it from the bits that are left."""
        self.flush()
        line, b, n = self.source.line, self.bits, self.source.name("t")
        line(f"if {b} == {NO_BITS}:")
        line(f"    {b} = B[p] << 1 | 1")
        line("    p += 1")
        line(f"{n} = {b} {highest}")
        line(f"{b} = {b} << 1 & 511")
        return n

    def symbol(self, count: int) -> str:
        """One of some symbols, in bits."""
        if count <= 2:
            return self.bit(">> 8") if count == 2 else "0"
        self.flush()
        line, b, n = self.source.line, self.bits, self.source.name("t")
        width = count.bit_length() - 1
        short = (2 << width) - count
        most = width if short == count else width + 1
        by_call = f"{n}, p, {b} = symbol(B, p, {b}, {count})"
        if most > 8:
            line(by_call)
        else:
            # Are there as many bits as the longest code has?
            line(f"if {b} & {(1 << 9 - most) - 1}:")
            line(f"    {n} = {b} >> {9 - most}")
            if most == width:
                line(f"    {b} = {b} << {most} & 511")
            else:
                line(f"    if {n} < {2 * short}: {n} >>= 1; {b} = {b} << {width} & 511")
                line(f"    else: {n} -= {short}; {b} = {b} << {most} & 511")
            line(f"else: {by_call}")
        return n

    def fixed(self, code: str, big: bool, checks: List[str]) -> str:
        """A value of constant size. In the checks, ``$`` is the value and ``@`` its offset."""
        if big != self.big and code not in "bB":
            self.flush()
            self.big = big
        name = self.source.name()
        self.pending.append((code, name, [c.replace("$", name) for c in checks]))
        return name

    def leaf(self, leaf: s.Leaf) -> str:
        """An expression for a leaf."""
        kind = leaf.type
        if kind == "unit":
            return "()"
        if self.bits is not None:
            if kind == "bool":
                return self.bit("> 255")
            leaf = packed_leaf(leaf)
        if kind in ("char", "scalarValue") and leaf.encoding:
            name = self.length(True)
            if kind == "scalarValue":
                self.source.line(f"if 0xd800 <= {name} < 0xe000: raise Unusual()")
            return f"chr({name})"
        if leaf.encoding in ("varint", "zigzag"):
            return self.groups(leaf)
        if kind in CODES:
            big = leaf.encoding == "bigEndian"
            checks = {
                "float32": [f"if $ != $: $ = nan32(B, @, {big})"],
                "bool": ["if $ > 1: raise Unusual()"],
                "scalarValue": ["if 0xd800 <= $ < 0xe000: raise Unusual()"],
            }.get(kind, [])
            name = self.fixed(CODES[kind], big, checks)
            if kind == "bool":
                return f"{name} == 1"
            return f"chr({name})" if kind in ("char", "scalarValue") else name
        if kind in ("bytes", "byteArray", "utf8"):
            name = self.slice(self.length(leaf.compact))
            return f"{name}.decode()" if kind == "utf8" else name
        if kind == "utf16":
            return f"{self.slice('2 * ' + self.length(False))}.decode('utf-16-le')"
        self.flush()
        name = self.source.name()
        self.source.line(f"{name}, p = integer(B, p, e, {kind != 'natural'})")
        return name

    def groups(self, leaf: s.Leaf) -> str:
        """A number in LEB128."""
        size, low, high = s.NUMBERS[leaf.type]
        zigzag = leaf.encoding == "zigzag"
        line = self.source.line
        if size > 1 and zigzag == (low < 0):
            n = self.short(size)
            if zigzag:
                line(f"{n} = {n} >> 1 ^ -({n} & 1)")
            return n
        n = self.length(True)
        if leaf.encoding == "zigzag":
            line(f"{n} = {n} >> 1 ^ -({n} & 1)")
            if leaf.type == "word64":
                line(f"if {n} < 0: {n} += {1 << 64}")
        elif low < 0:
            line(f"if {n} > {high}: {n} -= {1 << 64}")
        line(f"if not {low} <= {n} <= {high}: raise Unusual()")
        return n

    def short(self, size: int) -> str:
        """A number of two, four or eight bytes in LEB128. There it mostly has one to three."""
        self.flush()
        n, line = self.source.name(), self.source.line
        line(f"{n} = B[p]")
        line(f"if {n} < 128: p += 1")
        line("else:")
        line("    q = B[p + 1]")
        line("    if 0 < q < 128:")
        line(f"        {n} += q - 1 << 7")
        line("        p += 2")
        if size > 2:
            line("    elif q and 0 < B[p + 2] < 128:")
            line(f"        {n} += (q - 1 << 7) + (B[p + 2] - 1 << 14)")
            line("        p += 3")
        line("    else:")
        line(f"        {n}, p = varint(B, p)")
        line(f"        if {n} >> {8 * size}: raise Unusual()")
        return n

    def length(self, compact: bool) -> str:
        """A length."""
        if not compact:
            name = self.fixed("q", False, ["if $ < 0: raise Unusual()"])
            self.flush()
            return name
        self.flush()
        n = self.source.name()
        self.source.line(f"{n} = B[p]")
        self.source.line("p += 1")
        self.source.line(f"if {n} > 127: {n}, p = varint(B, p - 1)")
        return n

    def slice(self, size: str) -> str:
        """As many bytes."""
        name = self.source.name()
        self.source.line(f"q = p + {size}")
        self.source.line("if q > e: raise Unusual()")
        self.source.line(f"{name} = B[p:q]")
        self.source.line("p = q")
        return name

    def between(self, shape: s.Between) -> str:
        """A whole number with bounds."""
        leaf = shape.leaf if self.bits is None else packed_leaf(shape.leaf)
        if max(abs(shape.low), abs(shape.high)) >= 1 << 4096:
            self.flush()
            return self.unusual()
        check = f"if not {shape.low} <= $ <= {shape.high}: raise Unusual()"
        if leaf.type in CODES and leaf.encoding in ("", "bigEndian"):
            return self.fixed(CODES[leaf.type], leaf.encoding == "bigEndian", [check])
        name = self.leaf(leaf)
        self.source.line(check.replace("$", name))
        return name


def read_varint(B: bytes, p: int) -> Tuple[int, int]:
    """A LEB128 number of two bytes or more."""
    n = B[p] & 127 | (B[p + 1] & 127) << 7
    if B[p + 1] < 128:
        p += 1
    else:
        p += 2
        n |= (B[p] & 127) << 14
        shift = 21
        while B[p] > 127:
            if shift > 63:
                raise Unusual()
            p += 1
            n |= (B[p] & 127) << shift
            shift += 7
    if not B[p] or n >> 64:
        raise Unusual()
    return n, p + 1


def read_integer(B: bytes, p: int, e: int, signed: bool) -> Tuple[int, int]:
    """An ``Integer``, or a ``Natural``."""
    size = B[p]
    p += 1
    if size > 127:
        size, p = read_varint(B, p - 1)
    negative = signed and size & 1
    if signed:
        size >>= 1
    if not size:
        if negative:
            raise Unusual()
        return 0, p
    q = p + size
    if q > e or not B[q - 1]:
        raise Unusual()
    n = int.from_bytes(B[p:q], "little")
    return -n if negative else n, q


def read_numbers(B: bytes, p: int, q: int, code: str) -> List[Any]:
    """Numbers of constant size."""
    if code == "B":
        return list(B[p:q])
    if sys.byteorder == "little" and struct.calcsize("=" + code) == struct.calcsize(code):
        return memoryview(B)[p:q].cast(code).tolist()
    count = (q - p) // struct.calcsize("<" + code)
    return list(struct.unpack_from(f"<{count}{code}", B, p))

