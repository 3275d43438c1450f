"""Compile a schema to a writer.

The writer gives up at any value that it does not expect. :mod:`ashlar._write` then writes the value,
or says what is wrong with it.
"""

from __future__ import annotations

import functools
import struct
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import shapes as s
from ._bits import packed_leaf, put_symbol
from ._budget import ONE_HASH
from ._costs import tag_size
from ._emit import CODES, Source, Unusual, inlined
from ._facts import Facts, is_ordered
from ._varint import put_integer, put_natural, put_varint
from ._write import number_bytes

__all__ = ["WriteTypes", "writer_source"]

#: For each definition: the class of each constructor, and the names of its attributes.
WriteTypes = Dict[int, List[Tuple[type, List[str]]]]

_DEEP = 8


def writer_source(root: s.Shape, facts: Facts, types: WriteTypes) -> Source:
    """The function ``write(x, out)``, which appends the bytes of a value to a ``bytearray``."""
    if not facts.costs.fair(facts.costs.of(root)):
        raise Unusual()
    gen = _Writer(root, facts, types)
    gen.body("write", lambda: gen.item(root, "x"))
    while gen.waiting:
        i, packed = gen.waiting.pop()
        gen.bits = ("o", "m") if packed else None
        gen.body(gen.functions[i, packed], functools.partial(gen.definition, i, "x"))
    return gen.source


class _Writer:
    def __init__(self, root: s.Shape, facts: Facts, types: WriteTypes) -> None:
        self.facts = facts
        self.types = types
        self.source = Source()
        self.source.names.update(
            Fraction=Fraction, integer=put_integer, natural=put_natural, symbol=put_symbol, varint=put_varint
        )
        self.inlined = inlined(root, facts.definitions)
        # The functions for definitions, in the plain and in the packed format.
        self.functions: Dict[Tuple[int, bool], str] = {}
        self.waiting: List[Tuple[int, bool]] = []
        self.pending: List[Tuple[str, str]] = []
        self.big = False
        # Within a packed value: the names of the offset of the open byte, and of the mask.
        self.bits: Optional[Tuple[str, str]] = None

    # Within a packed value, functions get the open byte and the mask, and return the new ones.
    def body(self, function: str, write: Callable[[], None]) -> None:
        source, bits = self.source, self.bits
        saved, source.lines, depth, source.depth = source.lines, [], source.depth, 1
        pending, self.pending = self.pending, []
        self.bits, more = (("o", "m"), ", o, m") if bits else (None, "")
        write()
        self.flush()
        if bits:
            source.line("return o, m")
        source.function(f"{function}(x, out{more})", source.lines or ["    pass"])
        source.lines, source.depth, self.bits, self.pending = saved, depth, bits, pending

    def call(self, function: str, x: str) -> str:
        if self.bits is None:
            return f"{function}({x}, out)"
        o, m = self.bits
        return f"{o}, {m} = {function}({x}, out, {o}, {m})"

    def bit(self, x: str) -> None:
        assert self.bits is not None
        self.flush()
        line, (o, m) = self.source.line, self.bits
        line(f"if not {m}:")
        line(f"    {o}, {m} = len(out), 128")
        line("    out.append(0)")
        line(f"if {x}: out[{o}] |= {m}")
        line(f"{m} >>= 1")

    def symbol(self, count: int, i: str) -> None:
        assert self.bits is not None
        self.flush()
        o, m = self.bits
        self.source.line(f"{o}, {m} = symbol(out, {o}, {m}, {count}, {i})")

    def flush(self) -> None:
        if self.pending:
            layout = "<>"[self.big] + "".join(code for code, _ in self.pending)
            pack = self.source.struct(layout, "pack")
            self.source.line(f"out += {pack}({', '.join(x for _, x in self.pending)})")
            self.pending = []

    def fixed(self, code: str, big: bool, x: str) -> None:
        if big != self.big and code not in "bB":
            self.flush()
            self.big = big
        self.pending.append((code, x))

    def check(self, condition: str) -> None:
        self.source.line(f"if not ({condition}): raise Unusual()")

    def counted(self, more: int, *shapes: s.Shape) -> bool:
        # Do readers count the parts of such values? Then the exact writer writes them.
        costs = self.facts.costs if self.bits is None else self.facts.packed_costs
        found = not all(costs.fair(costs.of(shape), more) for shape in shapes)
        if found:
            self.check("False")
        return found

    def nested(self, shape: s.Shape, x: str) -> None:
        if self.source.depth < _DEEP:
            self.item(shape, x)
            self.flush()
        else:
            self.flush()
            function = self.source.name("f")
            self.body(function, lambda: self.item(shape, "x"))
            self.source.line(self.call(function, x))

    def item(self, shape: s.Shape, x: str) -> None:
        if isinstance(shape, s.Leaf):
            self.leaf(shape, x)
        elif isinstance(shape, s.Reference):
            self.reference(shape.to, x)
        elif isinstance(shape, s.Between):
            self.between(shape, x)
        elif isinstance(shape, s.Tuple):
            x = self.source.named(x)
            self.check(f"{x}.__class__ is tuple and len({x}) == {len(shape.of)}")
            for i, inner in enumerate(shape.of):
                self.item(inner, f"{x}[{i}]")
        elif isinstance(shape, s.Ratio):
            x = self.source.named(x)
            self.check(f"{x}.__class__ is Fraction")
            d = self.source.named(f"{x}.denominator")
            # (Readers count the bytes of large ones.)
            self.check(f"{d}.bit_length() <= 4096")
            self.item(shape.of, f"{x}.numerator")
            self.item(shape.of, d)
        elif isinstance(shape, s.Maybe):
            self.maybe(shape, x)
        elif isinstance(shape, (s.Packed, s.Unpacked)):
            self.format(isinstance(shape, s.Packed), shape.of, x)
        elif isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            self.list(shape, x)
        elif isinstance(shape, s.Map):
            self.map(shape, x)
        else:
            # The exact writer does the rest.
            self.check("False")

    def format(self, packed: bool, shape: s.Shape, x: str) -> None:
        # A value in the packed format, or in the plain one.
        outer = self.bits
        if not packed:
            self.bits = None
        elif outer is None:
            self.bits = self.source.name("o"), self.source.name("m")
            self.source.line(f"{self.bits[0]} = {self.bits[1]} = 0")
        if not self.counted(0, shape):
            self.item(shape, x)
        self.bits = outer

    def between(self, shape: s.Between, x: str) -> None:
        if max(abs(shape.low), abs(shape.high)) >= 1 << 4096:
            self.check("False")
        else:
            x = self.source.named(x)
            self.check(f"{shape.low} <= {x} <= {shape.high}")
            self.leaf(shape.leaf, x)

    def leaf(self, leaf: s.Leaf, x: str) -> None:
        if self.bits is not None:
            leaf = packed_leaf(leaf)
        kind = leaf.type
        big = leaf.encoding == "bigEndian"
        if kind in s.NUMBERS and leaf.encoding in ("", "bigEndian"):
            self.fixed(CODES[kind], big, x)
        elif kind in s.NUMBERS:
            x = self.source.named(x)
            _, low, high = s.NUMBERS[kind]
            self.check(f"{x}.__class__ is int and {low} <= {x} <= {high}")
            if leaf.encoding == "zigzag" and low < 0:
                self.varint(f"{x} << 1 if {x} >= 0 else ~({x} << 1)")
            elif leaf.encoding == "varint" and low == 0:
                self.varint(x)
            else:
                self.flush()
                put = self.source.constant(lambda n: number_bytes(leaf, n))
                self.source.line(f"out += {put}({x})")
        elif kind in ("float32", "float64"):
            if kind == "float32":
                x = self.source.named(x)
                self.check(f"{x} == {x}")
            self.fixed(CODES[kind], big, x)
        elif kind == "unit":
            self.check(f"{x} == ()")
        elif kind == "bool":
            x = self.source.named(x)
            self.check(f"{x} is True or {x} is False")
            if self.bits is None:
                self.fixed("B", False, x)
            else:
                self.bit(x)
        elif kind in ("bytes", "byteArray", "utf8", "utf16"):
            self.string(leaf, x)
        elif kind in ("char", "scalarValue"):
            x = self.source.named(x)
            self.check(f"{x}.__class__ is str")
            x = self.source.named(f"ord({x})")
            if kind == "scalarValue":
                self.check(f"not 0xd800 <= {x} < 0xe000")
            if leaf.encoding:
                self.varint(x)
            else:
                self.fixed("I", False, x)
        else:
            x = self.source.named(x)
            natural = kind == "natural"
            self.check(f"{x}.__class__ is int" + (f" and {x} >= 0" if natural else ""))
            self.flush()
            self.source.line(f"out += {'natural' if natural else 'integer'}({x})")

    def string(self, leaf: s.Leaf, x: str) -> None:
        if leaf.type in ("bytes", "byteArray"):
            x = self.source.named(x)
            self.check(f"{x}.__class__ is bytes")
        else:
            x = self.source.named(x)
            self.check(f"{x}.__class__ is str")
            x = self.source.named(f"{x}.encode({'' if leaf.type == 'utf8' else repr('utf-16-le')})")
        self.count(f"len({x})" + (" // 2" if leaf.type == "utf16" else ""), leaf.compact)
        self.source.line(f"out += {x}")

    def count(self, n: str, compact: bool) -> None:
        if compact:
            self.varint(n)
        else:
            self.fixed("q", False, n)
            self.flush()

    def varint(self, x: str) -> None:
        self.flush()
        x = self.source.named(x)
        self.source.line(f"if {x} < 128: out.append({x})")
        self.source.line(f"else: out += varint({x})")

    def maybe(self, shape: s.Maybe, x: str) -> None:
        x = self.source.named(x)
        self.flush()
        source = self.source
        if self.bits is None:
            source.line(f"if {x} is None: out.append(0)")
            source.line("else:")
        else:
            self.bit(f"{x} is not None")
            source.line(f"if {x} is not None:")
        source.depth += 1
        if self.facts.may_be_none(shape.of):
            self.check(f"{x}.__class__ is tuple and len({x}) == 1")
            x = f"{x}[0]"
        if self.bits is None:
            self.fixed("B", False, "1")
        if not self.counted(1, shape.of):
            self.nested(shape.of, x)
        self.flush()
        source.depth -= 1

    def list(self, shape: Union[s.List, s.NonEmpty, s.Set], x: str) -> None:
        x = self.source.named(x)
        source = self.source
        if self.counted(0, shape.of):
            return
        if isinstance(shape, s.Set) and is_ordered(self.facts.unordered, shape.of):
            self.check("False")
            return
        self.check(f"{x}.__class__ is list")
        if isinstance(shape, s.NonEmpty):
            self.check(x)
        self.count(f"len({x})", shape.compact or self.bits is not None)
        of = self.facts.bare_shape(shape.of)
        if isinstance(of, s.Leaf) and self.bits is not None:
            of = packed_leaf(of)
        if isinstance(of, s.Leaf) and of.encoding == "" and (of.type in s.NUMBERS or of.type == "float64"):
            pack = source.constant(_packer(CODES[of.type]))
            source.line(f"out += {pack}({x})")
            return
        item = source.name()
        source.line(f"for {item} in {x}:")
        source.depth += 1
        at = len(source.lines)
        self.nested(shape.of, item)
        if len(source.lines) == at:
            source.line("pass")
        source.depth -= 1

    def map(self, shape: s.Map, x: str) -> None:
        x = self.source.named(x)
        key = self.facts.value_shape(shape.key)
        # (Two keys may be one number of 4 bytes.)
        others = ("byteArray", "unit", "float32")
        if not (self.facts.hashable(shape.key) and isinstance(key, s.Leaf) and key.type not in others):
            self.check("False")
            return
        if self.counted(1, shape.key, shape.value) or self.counted(0, s.Tuple((shape.key, shape.value))):
            return
        source = self.source
        k, value = source.name(), source.name()
        self.check(f"{x}.__class__ is dict")
        if self.facts.may_collide(shape.key):
            self.check(f"len({x}) <= {ONE_HASH}")
        self.count(f"len({x})", shape.compact or self.bits is not None)
        source.line(f"for {k}, {value} in sorted({x}.items(), key={source.constant(_first)}):")
        source.depth += 1
        if key.type == "float64":
            # (A NaN among the keys has no order.)
            self.check(f"{k}.__class__ is float and {k} == {k}")
        elif key.type in s.NUMBERS:
            self.check(f"{k}.__class__ is int")
        self.item(shape.key, k)
        self.flush()
        self.nested(shape.value, value)
        source.depth -= 1

    def reference(self, i: int, x: str) -> None:
        d = self.facts.definitions[i]
        if i in self.inlined and (d.form != "sum" or self.source.depth < _DEEP):
            self.definition(i, x)
            return
        self.flush()
        key = (i, self.bits is not None)
        if key not in self.functions:
            self.functions[key] = self.source.name("d")
            self.waiting.append(key)
        self.source.line(self.call(self.functions[key], x))

    def definition(self, i: int, x: str) -> None:
        d = self.facts.definitions[i]
        if d.form == "newtype":
            self.item(d.constructors[0].fields[0].shape, x)
        elif d.form == "record":
            self.fields(i, 0, self.source.named(x))
        else:
            self.flush()
            self.sum(i, d, self.source.named(x))

    def fields(self, i: int, tag: int, x: str) -> None:
        c = self.facts.definitions[i].constructors[tag]
        if i in self.types:
            kind, attributes = self.types[i][tag]
            self.check(f"{x}.__class__ is {self.source.constant(kind)}")
            parts = [f"{x}.{a}" for a in attributes]
        elif s.is_positional(c):
            self.check(f"{x}.__class__ is tuple and len({x}) == {len(c.fields)}")
            parts = [f"{x}[{j}]" for j in range(len(c.fields))]
        else:
            # (Other mappings may have values for keys that are not there.)
            self.check(f"{x}.__class__ is dict and len({x}) == {len(c.fields)}")
            parts = [f"{x}[{f.name!r}]" for f in c.fields]
        for f, part in zip(c.fields, parts):
            self.item(f.shape, part)

    def sum(self, i: int, d: s.Definition, x: str) -> None:
        # A table from the name or the class of a constructor to a function for its fields.
        source = self.source
        count = len(d.constructors)
        tags: Dict[Any, Union[int, bytes]] = {}
        cases: Dict[Any, str] = {}
        for j, c in enumerate(d.constructors):
            if c.retired:
                continue
            key = self.types[i][j][0] if i in self.types else c.name
            tag: Union[int, bytes] = j if self.bits else j.to_bytes(tag_size(count), "little")
            if not c.fields:
                tags[key] = tag
                continue
            cases[key] = source.name("f")
            self.body(cases[key], functools.partial(self.case, i, j))
        table = source.name("T")
        entries = [f"{source.constant(key)}: {function}" for key, function in cases.items()]
        source.done.append(f"{table} = {{{', '.join(entries)}}}")
        known = source.constant(tags)
        bound = i in self.types
        name = f"{x}.__class__" if bound else x
        source.line(f"if {name} in {known}:" if bound else f"if {x}.__class__ is str:")
        source.depth += 1
        if self.bits is None:
            source.line(f"out += {known}[{name}]")
        else:
            self.symbol(count, f"{known}[{name}]")
        source.depth -= 1
        source.line("else:")
        source.depth += 1
        if not bound:
            outer, name, x = x, source.name(), source.name()
            self.check(f"{outer}.__class__ is dict")
            source.line(f"(({name}, {x}),) = {outer}.items()")
        source.line(self.call(f"{table}[{name}]", x))
        source.depth -= 1

    def case(self, i: int, j: int) -> None:
        constructors = self.facts.definitions[i].constructors
        count = len(constructors)
        if self.counted(int(count > 1 or self.bits is None), s.Tuple(tuple(f.shape for f in constructors[j].fields))):
            return
        if self.bits is None:
            self.fixed("B" if tag_size(count) == 1 else "H", False, str(j))
        elif count == 2:
            self.bit(str(bool(j)))
        else:
            self.symbol(count, str(j))
        self.fields(i, j, "x")


def _packer(code: str) -> Any:


    def pack(values: Sequence[Any]) -> bytes:
        return struct.pack(f"<{len(values)}{code}", *values)

    return pack


def _first(pair: Tuple[Any, Any]) -> Any:
    return pair[0]


