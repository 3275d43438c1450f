"""Python source that is made for a schema: its lines, its names, and what it refers to."""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Sequence, Set

from . import shapes as s
from ._facts import references

__all__ = ["CODES", "RAISED", "Source", "Unusual", "inlined", "small_enough"]

#: The codes of :mod:`struct` for what has constant size.
CODES = {
    "word8": "B",
    "word16": "H",
    "word32": "I",
    "word64": "Q",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float32": "f",
    "float64": "d",
    "bool": "B",
    "char": "I",
    "scalarValue": "I",
}

#: A schema with more shapes is not compiled, because that takes too long.
_MOST_SHAPES = 4_000


class Unusual(Exception):
    """Something that compiled code leaves to the exact one."""


#: What compiled code raises itself where the exact code is to do it again. Everything else comes from
#: outside, such as the TimeoutError of a signal's handler, and must not be lost.
RAISED = (
    Unusual,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    StopIteration,
    TypeError,
    ValueError,
    struct.error,
)


class Source:
    """Functions in the making."""

    def __init__(self) -> None:
        self.done: List[str] = []
        self.lines: List[str] = []
        self.depth = 1
        self.names: Dict[str, Any] = {"Unusual": Unusual}
        self._structs: Dict[str, str] = {}
        self._count = 0

    def name(self, prefix: str = "v") -> str:
        """A new name."""
        self._count += 1
        return f"{prefix}{self._count}"

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)

    def named(self, x: str) -> str:
        """A name for what an expression gives, which is computed once."""
        if x.isidentifier():
            return x
        name = self.name()
        self.line(f"{name} = {x}")
        return name

    def constant(self, value: Any) -> str:
        """A name for a value."""
        name = self.name("K")
        self.names[name] = value
        return name

    def struct(self, layout: str, method: str) -> str:
        """A name for a method of a :class:`struct.Struct`."""
        key = f"{method} {layout}"
        if key not in self._structs:
            self._structs[key] = self.constant(getattr(struct.Struct(layout), method))
        return self._structs[key]

    def function(self, header: str, body: Sequence[str]) -> None:
        """Add a function."""
        self.done.append("\n".join([f"def {header}:", *body]))

    def compile(self) -> Dict[str, Any]:
        """Run the source, and return what it defines."""
        code = compile("\n\n".join(self.done), "<ashlar schema>", "exec")
        exec(code, self.names)  # (Names of a schema occur in string literals only.)
        return self.names


def inlined(root: s.Shape, definitions: Sequence[s.Definition]) -> Set[int]:
    """The definitions that one shape refers to, and none of them is inside of itself.

    So all code together is linear in the size of the schema.
    """
    counts = [0] * len(definitions)
    for shape in [root] + [f.shape for d in definitions for c in d.constructors for f in c.fields]:
        for r in references(shape):
            counts[r] += 1
    # A definition that is in itself, and is referred to once, would not be reached from the root.
    return {i for i, n in enumerate(counts) if n == 1}


def small_enough(root: s.Shape, definitions: Sequence[s.Definition]) -> bool:
    """Are there few shapes?"""
    left = _MOST_SHAPES
    work = [root] + [f.shape for d in definitions for c in d.constructors for f in c.fields]
    left -= sum(len(d.constructors) for d in definitions) // 8
    while work and left >= 0:
        left -= 1
        work.extend(s.children(work.pop()))
    return left >= 0
