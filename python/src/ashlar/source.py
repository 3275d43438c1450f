"""Python source of the types of a schema."""

from __future__ import annotations

import re
from typing import Dict, List, Set

from . import shapes as s
from .schema import Schema

__all__ = ["identifier", "member_names", "python_source"]

_KEYWORDS = set(
    "False None True and as assert async await break class continue def del elif else except finally"
    " for from global if import in is lambda nonlocal not or pass raise return try while with yield".split()
)

# What the printed source itself uses, and the attribute that all classes have.
_RESERVED = set(
    "Any Dict Fraction List NoReturn Optional Root SCHEMA Tuple Union annotations ashlar bool bytes"
    " dataclass float int mro str".split()
)

_HEADER = '''\
"""The types of an Ashlar schema."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Dict, List, NoReturn, Optional, Tuple, Union

import ashlar
'''


def python_source(schema: Schema) -> str:
    """Dataclasses for the types of a schema, a name for its root, and the bytes of the schema.

    :func:`ashlar.bind` reads and writes values of the classes. ``README.md`` says what the source
    looks like.

    >>> import ashlar
    >>> schema = ashlar.Schema.from_json('{"root":{"type":"maybe","of":{"type":"utf8"}},"definitions":[]}')
    >>> print(python_source(schema).partition("import ashlar\\n")[2].strip())
    Root = Optional[str]
    <BLANKLINE>
    SCHEMA = bytes.fromhex(
        "030013000000000000000000"
    )
    """
    names = _Names(schema)
    parts = [_HEADER]
    aliases: List[str] = []
    for i, d in enumerate(schema.definitions):
        if d.form == "record":
            parts.append(_dataclass(names, names.types[i], d.constructors[0]))
        elif d.form == "sum":
            used = [
                (names.constructors[i][j], c) for j, c in enumerate(d.constructors) if not c.retired
            ]
            parts.extend(_dataclass(names, name, c) for name, c in used)
            union = f"Union[{', '.join(name for name, _ in used)}]" if used else "NoReturn"
            aliases.append(f"{names.types[i]} = {union}")
    aliases.append(f"Root = {names.annotation(schema.root)}")
    digits = schema.encode().hex()
    lines = "\n".join(f'    "{digits[at : at + 80]}"' for at in range(0, len(digits), 80))
    tail = "\n".join(aliases) + f"\n\nSCHEMA = bytes.fromhex(\n{lines}\n)\n"
    return "\n\n".join(parts + [tail]) if len(parts) > 1 else parts[0] + "\n" + tail


def identifier(name: str) -> str:
    """The name of a type or field as Python has it.

    Every character other than ASCII letters, digits and ``_`` is a ``_``. A name that begins with a
    digit or ``__`` gets an ``f`` before it. A keyword, and a name that the source uses, gets a ``_`` after it.

    >>> [identifier(x) for x in ("last'", "from", "3d", "__x", "größe")]
    ['last_', 'from_', 'f3d', 'f__x', 'gr__e']
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not text or text[0] in "0123456789" or text.startswith("__"):
        text = "f" + text
    return text + "_" if text in _KEYWORDS or text in _RESERVED else text


def member_names(constructor: s.Constructor) -> List[str]:
    """The names of the attributes for the fields of a constructor, all different.

    Fields without names are ``field1``, ``field2`` and so on.

    >>> leaf = s.Leaf("bool")
    >>> member_names(s.Constructor("P", (s.Field("1", leaf), s.Field("2", leaf))))
    ['field1', 'field2']
    >>> member_names(s.Constructor("P", (s.Field("x'", leaf), s.Field("x_", leaf), s.Field("int", leaf))))
    ['x_', 'x__2', 'int_']
    """
    if s.is_positional(constructor):
        return [f"field{i}" for i in range(1, len(constructor.fields) + 1)]
    taken = _Taken()
    return [taken.fresh(identifier(f.name)) for f in constructor.fields]


class _Taken:
    # The names that have been given, each with the number to try next if it is asked for again.
    def __init__(self) -> None:
        self.next: Dict[str, int] = {}

    def fresh(self, name: str) -> str:
        new = name
        while new in self.next:
            new = f"{name}_{self.next[name]}"
            self.next[name] += 1
        self.next[new] = 2
        return new


class _Names:
    # The names of the definitions and constructors of a schema.
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.types: Dict[int, str] = {}
        self.constructors: Dict[int, List[str]] = {}
        counts: Dict[str, int] = {}
        for d in schema.definitions:
            counts[d.name] = counts.get(d.name, 0) + 1
        taken = _Taken()
        for i, d in enumerate(schema.definitions):
            if d.form == "newtype":
                continue
            name = f"{d.name}_{i}" if counts[d.name] > 1 else d.name
            self.types[i] = taken.fresh(identifier(name))
            if d.form == "sum":
                self.constructors[i] = [
                    "" if c.retired else taken.fresh(f"{self.types[i]}_{identifier(c.name)}")
                    for c in d.constructors
                ]

    def annotation(self, shape: s.Shape) -> str:
        facts = self.schema.facts
        shape = facts.value_shape(shape)
        if isinstance(shape, s.Leaf):
            return _leaf(shape)
        if isinstance(shape, s.Between):
            return "int"
        if isinstance(shape, s.Ratio):
            return "Fraction"
        if isinstance(shape, s.Maybe):
            inner = self.annotation(shape.of)
            return f"Optional[Tuple[{inner}]]" if facts.may_be_none(shape.of) else f"Optional[{inner}]"
        if isinstance(shape, s.Tuple):
            return f"Tuple[{', '.join(map(self.annotation, shape.of))}]"
        if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            return f"List[{self.annotation(shape.of)}]"
        if isinstance(shape, s.Map):
            pair = f"{self.annotation(shape.key)}, {self.annotation(shape.value)}"
            return f"Dict[{pair}]" if facts.hashable(shape.key) else f"List[Tuple[{pair}]]"
        if isinstance(shape, s.Array):
            return f"ashlar.Array[{self.annotation(shape.index)}, {self.annotation(shape.of)}]"
        if isinstance(shape, s.Constant) or (isinstance(shape, s.Opaque) and shape.size is not None):
            return "bytes"
        if isinstance(shape, s.Reference):
            return self.types.get(shape.to, "Any")
        return "Any"


def _leaf(leaf: s.Leaf) -> str:
    if leaf.type == "unit":
        return "Tuple[()]"
    if leaf.type in ("float32", "float64"):
        return "float"
    if leaf.type == "bool":
        return "bool"
    if leaf.type in ("char", "scalarValue", "utf8", "utf16"):
        return "str"
    if leaf.type in ("bytes", "byteArray"):
        return "bytes"
    return "int"


def _dataclass(names: _Names, name: str, constructor: s.Constructor) -> str:
    fields = [
        f"    {member}: {names.annotation(f.shape)}\n"
        for member, f in zip(member_names(constructor), constructor.fields)
    ]
    return f"@dataclass\nclass {name}:\n" + ("".join(fields) or "    pass\n")
