"""Compile a schema to a reader.

The reader gives up where anything is out of the ordinary: bytes that are missing or refused, deep
nesting, what counts as steps of the budget. So it needs to know of no errors.
"""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

from . import shapes as s
from ._bits import NO_BITS, packed_leaf, read_symbol
from ._compare import Take, compare, indices_between, is_plain, is_simple
from ._costs import Costs, least_of_leaf, tag_size
from ._emit import CODES, Source, Unusual, inlined
from ._facts import Facts, is_ordered
from ._genleaves import Leaves, read_integer, read_numbers, read_varint
from ._hashes import counted
from .values import Array, nan_of_bits

__all__ = ["ReadTypes", "reader_source"]

#: For each definition: what to call for each constructor, and with which fields in which order.
ReadTypes = Dict[int, List[Tuple[Any, List[Optional[str]]]]]

_DEEP = 8
_MANY = 12


def reader_source(root: s.Shape, facts: Facts, types: ReadTypes, take: Take) -> Source:
    """The functions ``read(B, p, e)``, which returns a value and where it ends, and ``many(B, p, e, n, out)``."""
    gen = _Reader(root, facts, types, take)
    gen.whole(root)
    return gen.source


class _Reader(Leaves):
    def __init__(self, root: s.Shape, facts: Facts, types: ReadTypes, take: Take) -> None:
        self.facts = facts
        self.types = types
        super().__init__(Source())
        self.source.names.update(
            Array=Array,
            Fraction=Fraction,
            between=indices_between,
            compare=lambda shape, a, b: compare(facts, shape, a, b, take),
            counted=counted,
            integer=read_integer,
            nan32=lambda B, p, big: nan_of_bits(4, B[p : p + 4] if big else B[p : p + 4][::-1]),
            numbers=read_numbers,
            symbol=read_symbol,
            varint=read_varint,
        )
        self.inlined = inlined(root, facts.definitions)
        # The functions for definitions, in the plain and in the packed format.
        self.functions: Dict[Tuple[int, bool], str] = {}
        self.waiting: List[Tuple[int, bool]] = []

    @property
    def costs(self) -> Costs:
        return self.facts.costs if self.bits is None else self.facts.packed_costs

    # Functions. Within a packed value they get the bits of the open byte, and return what is left.

    def whole(self, root: s.Shape) -> None:
        if not self.costs.fair(self.costs.of(root)):
            raise Unusual()
        self.body("read", lambda: self.value(root))
        self.source.lines = []
        self.source.line("add = out.append")
        self.source.line("for _ in range(n):")
        self.source.depth += 1
        value = self.value(root)
        self.source.line(f"add({value})")
        self.source.depth -= 1
        self.source.line("return p")
        self.source.function("many(B, p, e, n, out)", self.source.lines)
        while self.waiting:
            i, packed = self.waiting.pop()
            self.bits = "b" if packed else None
            self.body(self.functions[i, packed], functools.partial(self.definition, i))

    def body(self, function: str, made: Callable[[], str]) -> None:
        source, bits = self.source, self.bits
        saved, source.lines, depth, source.depth = source.lines, [], source.depth, 1
        self.bits, more = ("b", ", b") if bits else (None, "")
        value = made()
        self.flush()
        source.line(f"return {value}, p{more}")
        source.function(f"{function}(B, p, e{more})", source.lines)
        source.lines, source.depth, self.bits = saved, depth, bits

    def call(self, function: str) -> str:
        name = self.source.name()
        more = f", {self.bits}" if self.bits else ""
        self.source.line(f"{name}, p{more} = {function}(B, p, e{more})")
        return name

    def value(self, shape: s.Shape) -> str:
        value = self.item(shape)
        self.flush()
        return value

    def nested(self, shape: s.Shape) -> str:
        # A value in a block of its own. Python limits how deep blocks are nested.
        if self.source.depth < _DEEP:
            return self.value(shape)
        function = self.source.name("f")
        self.body(function, lambda: self.value(shape))
        return self.call(function)

    def item(self, shape: s.Shape) -> str:
        if isinstance(shape, s.Leaf):
            return self.leaf(shape)
        if isinstance(shape, s.Between):
            return self.between(shape)
        if isinstance(shape, s.Tuple):
            parts = [self.item(x) for x in shape.of]
            self.flush()
            return f"({', '.join(parts)})"
        if isinstance(shape, s.Reference):
            return self.reference(shape.to)
        if isinstance(shape, (s.Packed, s.Unpacked)):
            return self.format(isinstance(shape, s.Packed), shape.of)
        self.flush()
        if isinstance(shape, s.Ratio):
            return self.ratio(shape)
        if isinstance(shape, s.Maybe):
            return self.maybe(shape)
        if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            return self.list(shape)
        if isinstance(shape, s.Map):
            return self.map(shape)
        if isinstance(shape, s.Array):
            return self.array(shape)
        if isinstance(shape, s.Constant):
            name = self.slice(str(len(shape.bytes)))
            self.source.line(f"if {name} != {shape.bytes!r}: raise Unusual()")
            return name
        if isinstance(shape, s.Opaque) and shape.size is not None:
            return self.slice(str(shape.size))
        return self.unusual()

    def format(self, packed: bool, shape: s.Shape) -> str:
        # A value in the packed format, or in the plain one.
        outer = self.bits
        if not packed:
            self.bits = None
        elif outer is None:
            self.flush()
            self.bits = self.source.name("b")
            self.source.line(f"{self.bits} = {NO_BITS}")
        # (What takes neither bytes nor bits is not fair.)
        value = self.value(shape) if self.costs.fair(self.costs.of(shape)) else self.unusual()
        if packed and outer is None:
            self.source.line(f"if {self.bits} & {self.bits} - 1: raise Unusual()")
        self.bits = outer
        return value

    def tag(self, count: int) -> str:
        # The number of a constructor, which need not be one.
        source = self.source
        if self.bits is not None:
            return self.symbol(count)
        name = source.name("t")
        if tag_size(count) == 1:
            source.line(f"{name} = B[p]")
            source.line("p += 1")
        else:
            source.line(f"{name}, = {source.struct('<H', 'unpack_from')}(B, p)")
            source.line("p += 2")
        return name

    # Shapes with parts.

    def ratio(self, shape: s.Ratio) -> str:
        n, d = self.value(shape.of), self.value(shape.of)
        name = self.source.name()
        line = self.source.line
        line(f"if {d} <= 0 or min({n}.bit_length(), {d}.bit_length()) > 4096: raise Unusual()")
        line(f"{name} = Fraction({n}, {d})")
        line(f"if {name}.denominator != {d}: raise Unusual()")
        return name

    def maybe(self, shape: s.Maybe) -> str:
        if not self.costs.fair(self.costs.of(shape.of), 1):
            return self.unusual()
        source, tag, name = self.source, self.tag(2), self.source.name()
        source.line(f"if {tag} == 1:")
        source.depth += 1
        value = self.nested(shape.of)
        source.line(f"{name} = ({value},)" if self.facts.may_be_none(shape.of) else f"{name} = {value}")
        source.depth -= 1
        if self.bits is None:
            source.line(f"elif {tag}: raise Unusual()")
        source.line(f"else: {name} = None")
        return name

    def elements(self, compact: bool, shapes: Sequence[s.Shape]) -> Optional[str]:
        # The number of elements, if code can read them.
        cost = self.costs.together(shapes)
        least = cost[1]
        if least == 0 or not self.costs.fair(cost):
            return None
        n = self.length(compact or self.bits is not None)
        left = "e - p" if self.bits is None else "8 * (e - p) + 7"
        self.source.line(f"if {n} * {least} > {left}: raise Unusual()")
        return n

    def list(self, shape: Union[s.List, s.NonEmpty, s.Set]) -> str:
        n = self.elements(shape.compact, [shape.of])
        if n is None:
            return self.unusual()
        source, name = self.source, self.source.name()
        if isinstance(shape, s.NonEmpty):
            source.line(f"if not {n}: raise Unusual()")
        ordered = isinstance(shape, s.Set) and is_ordered(self.facts.unordered, shape.of)
        of = self.facts.bare_shape(shape.of)
        if isinstance(of, s.Leaf) and self.bits is not None:
            of = packed_leaf(of)
        if isinstance(of, s.Leaf) and of.type in CODES and not of.encoding and not ordered:
            if of.type not in ("float32", "bool", "char", "scalarValue"):
                source.line(f"q = p + {n} * {least_of_leaf(of)}")
                if self.bits is not None:
                    # (There, elements are counted in bits, of which some of the last byte may be left.)
                    source.line("if q > e: raise Unusual()")
                source.line(f"{name} = numbers(B, p, q, {CODES[of.type]!r})")
                source.line("p = q")
                return name
        add, before = source.name("a"), source.name()
        source.line(f"{name} = []")
        source.line(f"{add} = {name}.append")
        source.line(f"for {before} in range({n}):")
        source.depth += 1
        value = self.nested(shape.of)
        if ordered:
            value = self.named(value)
            source.line(f"if {name} and not {self.above(shape.of, f'{name}[-1]', value)}: raise Unusual()")
        source.line(f"{add}({value})")
        source.depth -= 1
        return name

    def named(self, value: str) -> str:
        name = self.source.name()
        self.source.line(f"{name} = {value}")
        return name

    def above(self, shape: s.Shape, before: str, value: str) -> str:
        if is_simple(self.facts.value_shape(shape)):
            return f"{before} < {value}"
        return f"compare({self.source.constant(shape)}, {before}, {value}) < 0"

    def map(self, shape: s.Map) -> str:
        n = self.elements(shape.compact, [shape.key, shape.value])
        if n is None:
            return self.unusual()
        source, name = self.source, self.source.name()
        first, last = source.name(), source.name()
        as_dict = self.facts.hashable(shape.key)
        source.line(f"{name} = {'{}' if as_dict else '[]'}")
        hashes = source.name("h") if as_dict and self.facts.may_collide(shape.key) else None
        if hashes:
            source.line(f"{hashes} = {{}}")
        source.line(f"for {first} in range({n}):")
        source.depth += 1
        key = self.named(self.nested(shape.key))
        if is_ordered(self.facts.unordered, shape.key):
            source.line(f"if {first} and not {self.above(shape.key, last, key)}: raise Unusual()")
            source.line(f"{last} = {key}")
        if hashes:
            source.line(f"if not counted({hashes}, {key}): raise Unusual()")
        value = self.nested(shape.value)
        source.line(f"{name}[{key}] = {value}" if as_dict else f"{name}.append(({key}, {value}))")
        source.depth -= 1
        return name

    def array(self, shape: s.Array) -> str:
        low, high = self.named(self.value(shape.index)), self.named(self.value(shape.index))
        n = self.length(self.bits is not None)
        name = self.source.name()
        if self.costs.of(shape.of)[1] == 0 or not self.costs.fair(self.costs.of(shape.of)):
            return self.unusual()
        self.source.line(f"{name} = []")
        self.source.line(f"for _ in range({n}):")
        self.source.depth += 1
        value = self.nested(shape.of)
        self.source.line(f"{name}.append({value})")
        self.source.depth -= 1
        if is_plain(shape.index):
            self.source.line(f"if between({low}, {high}) != {n}: raise Unusual()")
        return f"Array({low}, {high}, {name})"

    # Definitions.

    def reference(self, i: int) -> str:
        d = self.facts.definitions[i]
        if i in self.inlined and (d.form != "sum" or self.source.depth < _DEEP):
            return self.definition(i)
        self.flush()
        key = (i, self.bits is not None)
        if key not in self.functions:
            self.functions[key] = self.source.name("d")
            self.waiting.append(key)
        return self.call(self.functions[key])

    def definition(self, i: int) -> str:
        d = self.facts.definitions[i]
        if d.form == "newtype":
            return self.item(d.constructors[0].fields[0].shape)
        if d.form == "record":
            return self.record(i, 0)
        self.flush()
        return self.sum(i, d)

    def record(self, i: int, tag: int) -> str:
        # The fields of a constructor, which come next.
        c = self.facts.definitions[i].constructors[tag]
        values = [self.item(f.shape) for f in c.fields]
        self.flush()
        if i in self.types:
            make, keywords = self.types[i][tag]
            order = [
                value if keyword is None else f"{keyword}={value}"
                for keyword, value in sorted(zip(keywords, values), key=lambda pair: pair[0] or "")
            ]
            return f"{self.source.constant(make)}({', '.join(order)})"
        if s.is_positional(c):
            return f"({', '.join(values)},)"
        return "{" + ", ".join(f"{f.name!r}: {v}" for f, v in zip(c.fields, values)) + "}"

    def sum(self, i: int, d: s.Definition) -> str:
        count = len(d.constructors)
        if count == 0:
            return self.unusual()
        source, tag, name = self.source, self.tag(count), self.source.name()
        if not any(c.fields or c.retired for c in d.constructors) and i not in self.types:
            names = source.constant(tuple(c.name for c in d.constructors))
            source.line(f"{name} = {names}[{tag}]")
            return name
        if count > _MANY:
            functions = []
            for j in range(count):
                functions.append(source.name("f"))
                self.body(functions[-1], functools.partial(self.alternative, i, j))
            table = source.name("T")
            source.done.append(f"{table} = ({', '.join(functions)},)")
            return self.call(f"{table}[{tag}]")
        for j in range(count):
            source.line(f"{'elif' if j else 'if'} {tag} == {j}:")
            source.depth += 1
            source.line(f"{name} = {self.alternative(i, j)}")
            source.depth -= 1
        source.line("else: raise Unusual()")
        return name

    def alternative(self, i: int, j: int) -> str:
        d = self.facts.definitions[i]
        c = d.constructors[j]
        cost = self.costs.of_all([f.shape for f in c.fields])
        if c.retired or (c.fields and not self.costs.fair(cost, self.costs.of_tag(len(d.constructors)))):
            return self.unusual()
        if i in self.types:
            return self.record(i, j)
        return f"{{{c.name!r}: {self.record(i, j)}}}" if c.fields else repr(c.name)
