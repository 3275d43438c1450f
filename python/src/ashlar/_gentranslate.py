"""Compile a program from old bytes to new ones.

The code gives up at what is out of the ordinary: what is refused, what counts as steps of the budget.
:mod:`ashlar._translate` then does it again.
"""

from __future__ import annotations

import struct
from typing import Callable, Dict, List, Optional

from ._budget import STEPS
from ._emit import Source, Unusual
from ._genleaves import read_varint
from ._ops import (
    Block,
    Call,
    Copy,
    Each,
    Groups,
    Magnitude,
    Op,
    Permute,
    Program,
    Put,
    Skip,
    Switch,
    Through,
    count_bytes,
    least_read,
    least_reads,
)
from ._state import State

__all__ = ["Many", "compiled", "translation_source"]

_DEEP = 8
_MANY = 12

#: More steps take too long to compile.
_MOST_STEPS = 4_000


#: Translate values: the bytes, where the first one begins, where they end, how many, and what to do
#: with the new bytes of each. Returns where the last one ends.
Many = Callable[[bytes, int, int, int, Callable[[bytes], None]], int]


def compiled(program: Program) -> Optional[Many]:
    """The function of :func:`translation_source`, if the program is not too large."""
    try:
        return translation_source(program).compile()["many"]  # type: ignore[no-any-return]
    except (Unusual, RecursionError, MemoryError, SyntaxError):
        return None


def translation_source(program: Program) -> Source:
    """The function ``many(B, p, e, n, add)``, which returns where n values end. None of them may be empty."""
    if sum(map(_size, [program.main, *program.procedures.values()])) > _MOST_STEPS:
        raise Unusual()
    gen = _Code(program)
    for i, ops in program.procedures.items():
        gen.function(f"t{i}" if i >= 0 else f"u{-i}", ops)
    gen.function("one", program.main)
    gen.source.function(
        "many(B, p, e, n, add)",
        [
            "    for _ in range(n):",
            "        start = p",
            "        parts = []",
            "        p = one(B, p, e, parts.append)",
            "        new = b''.join(parts)",
            # Bytes that nobody sent are steps. A value of no bytes has one after it.
            "        if p == start or len(new) > 8 * (p - start) + 256: raise Unusual()",
            "        add(new)",
            "    return p",
        ],
    )
    return gen.source


def _size(ops: List[Op]) -> int:
    n = 0
    for op in ops:
        n += 1
        if isinstance(op, Each):
            n += _size(op.ops)
        elif isinstance(op, Switch):
            n += sum(1 + _size(a) for a in op.alternatives if isinstance(a, list))
        elif isinstance(op, Permute):
            n += sum(map(_size, op.groups))
    return n


class _Code:
    def __init__(self, program: Program) -> None:
        self.source = Source()
        self.source.names.update(State=State, count=count_bytes, varint=read_varint)
        self.least: Dict[int, int] = least_reads(program.procedures)

    def function(self, name: str, ops: List[Op]) -> None:
        source = self.source
        saved, source.lines, depth, source.depth = source.lines, [], source.depth, 1
        self.steps(ops, "add")
        source.line("return p")
        source.function(f"{name}(B, p, e, add)", source.lines)
        source.lines, source.depth = saved, depth

    def steps(self, ops: List[Op], add: str) -> None:
        if self.source.depth >= _DEEP and any(isinstance(op, (Each, Switch)) for op in ops):
            name = self.source.name("f")
            self.function(name, ops)
            self.source.line(f"p = {name}(B, p, e, {add})")
            return
        at = len(self.source.lines)
        for op in ops:
            self.step(op, add)
        if len(self.source.lines) == at:
            self.source.line("pass")

    def step(self, op: Op, add: str) -> None:
        line = self.source.line
        if isinstance(op, Copy):
            self.extent(str(op.n), add, True)
        elif isinstance(op, Skip):
            self.extent(str(op.n), add, False)
        elif isinstance(op, Put):
            line(f"{add}({self.source.constant(op.data)})")
        elif isinstance(op, Block):
            self.block(op, add)
        elif isinstance(op, Through):
            self.through(op, add)
        elif isinstance(op, Groups):
            line("q = p + 1")
            line("while B[q - 1] > 127: q += 1")
            line("if q > p + 10: raise Unusual()")
            self.extent("q - p", add, op.keep)
        elif isinstance(op, Magnitude):
            n = self.leb()
            self.extent(f"q - p + ({n} >> {op.signed})", add, op.keep)
        elif isinstance(op, Each):
            self.each(op, add)
        elif isinstance(op, Switch):
            self.switch(op, add)
        elif isinstance(op, Call):
            name = f"t{op.number}" if op.number >= 0 else f"u{-op.number}"
            line(f"p = {name}(B, p, e, {add})")
        elif isinstance(op, Permute):
            self.permute(op, add)
        else:
            line("raise Unusual()")

    def extent(self, n: str, add: str, keep: bool) -> None:
        line = self.source.line
        line(f"q = p + {n}" if n != "q - p" else "pass")
        line("if q > e: raise Unusual()")
        if keep:
            line(f"{add}(B[p:q])")
        line("p = q")

    def leb(self) -> str:
        # A number at the cursor. Then q is the offset after it.
        n, line = self.source.name("n"), self.source.line
        line(f"{n} = B[p]")
        line("q = p + 1")
        line(f"if {n} > 127: {n}, q = varint(B, p)")
        return n

    def counted(self, compact: bool, least: int) -> str:
        if compact:
            n = self.leb()
        else:
            n = self.source.name("n")
            self.source.line(f"{n}, = {self.source.struct('<q', 'unpack_from')}(B, p)")
            self.source.line("q = p + 8")
        self.source.line(f"if {n} < {least}: raise Unusual()")
        return n

    def recount(self, old: bool, new: bool, n: str, add: str) -> None:
        self.source.line(f"{add}(B[p:q])" if old == new else f"{add}(count({new}, {n}))")

    def block(self, op: Block, add: str) -> None:
        n = self.counted(op.old, op.least)
        if op.new is None or op.new == op.old:
            self.extent(f"{n} * {op.width} + q - p", add, op.new is not None)
            return
        self.recount(op.old, op.new, n, add)
        self.source.line("p = q")
        self.extent(f"{n} * {op.width}", add, True)

    def each(self, op: Each, add: str) -> None:
        source = self.source
        n = self.counted(op.old, op.least)
        if op.new is not None:
            self.recount(op.old, op.new, n, add)
        source.line("p = q")
        least = least_read(self.least, op.ops)
        if least <= 0:
            source.line("raise Unusual()")
            return
        source.line(f"if {n} * {least} > e - p: raise Unusual()")
        source.line(f"for _ in range({n}):")
        source.depth += 1
        self.steps(op.ops, add)
        source.depth -= 1

    def switch(self, op: Switch, add: str) -> None:
        source, tag = self.source, self.source.name("g")
        if op.width == 0:
            source.line("raise Unusual()")
            return
        source.line(f"{tag} = B[p]" if op.width == 1 else f"{tag} = B[p] | B[p + 1] << 8")
        source.line(f"p += {op.width}")
        if len(op.alternatives) > _MANY:
            table = source.name("T")
            names = [source.name("f") for _ in op.alternatives]
            for name, a in zip(names, op.alternatives):
                self.function(name, a if isinstance(a, list) else [Skip(1 << 62)])
            source.done.append(f"{table} = ({', '.join(names)},)")
            source.line(f"p = {table}[{tag}](B, p, e, {add})")
            return
        for i, a in enumerate(op.alternatives):
            source.line(f"{'elif' if i else 'if'} {tag} == {i}:")
            source.depth += 1
            if isinstance(a, str):
                source.line("raise Unusual()")
            else:
                self.steps(a, add)
            source.depth -= 1
        source.line("else: raise Unusual()" if op.alternatives else "raise Unusual()")

    def permute(self, op: Permute, add: str) -> None:
        groups = []
        for ops in op.groups:
            parts, inner = self.source.name("a"), self.source.name("add")
            self.source.line(f"{parts} = []")
            self.source.line(f"{inner} = {parts}.append")
            self.steps(ops, inner)
            groups.append(parts)
        for i in op.order:
            self.source.line(f"{add}(b''.join({groups[i]}))")

    def through(self, op: Through, add: str) -> None:
        line = self.source.line
        if op.layouts is None:
            line("st = State(B, p, e)")
            line(f"{add}({self.source.constant(op.read)}(st))")
            line("p = st.at")
            line(f"if st.steps != {STEPS}: raise Unusual()")
            return
        old, new = op.layouts
        x = self.source.name()
        line(f"{x}, = {self.source.struct(old, 'unpack_from')}(B, p)")
        if old[1:] == "f":
            line(f"if {x} != {x}: raise Unusual()")
        line(f"p += {struct.calcsize(old)}")
        line(f"{add}({self.source.struct(new, 'pack')}({x}))")
