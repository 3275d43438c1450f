"""Compile a schema to a function that writes JSON.

It gives up at what it does not expect. :mod:`ashlar._json` defines what is written.
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any, Callable, Dict, List

from . import shapes as s
from ._compare import compare, is_simple
from ._emit import CODES, Source, Unusual
from ._facts import Facts
from ._genwrite import WriteTypes
from ._json import MOST_JSON
from ._jsontext import date, decimal, floating, fraction, quoted, whole

__all__ = ["json_source"]

_DEEP = 8


def json_source(root: s.Shape, facts: Facts, types: WriteTypes) -> Source:
    """The function ``line(x)``, which returns the JSON of a value."""
    if not facts.costs.fair(facts.costs.of(root)):
        raise Unusual()
    gen = _Json(facts, types)
    gen.body("line", root)
    while gen.waiting:
        i = gen.waiting.pop()
        gen.definition(gen.functions[i], i)
    return gen.source


class _Json:
    def __init__(self, facts: Facts, types: WriteTypes) -> None:
        self.facts = facts
        self.types = types
        self.source = Source()
        self.source.names.update(
            date=date, decimal=decimal, floating=floating, fraction=fraction, quoted=quoted, whole=whole
        )
        self.functions: Dict[int, str] = {}
        self.waiting: List[int] = []

    def body(self, function: str, shape: s.Shape) -> None:
        source = self.source
        saved, source.lines, depth, source.depth = source.lines, [], source.depth, 1
        text = self.item(shape, "x")
        source.line(f"return {text}")
        source.function(f"{function}(x)", source.lines)
        source.lines, source.depth = saved, depth

    def item(self, shape: s.Shape, x: str) -> str:
        """An expression for the text of a value."""
        shape = self.facts.value_shape(shape)
        if isinstance(shape, (s.Leaf, s.Between)):
            return self.leaf(shape.leaf if isinstance(shape, s.Between) else shape, x)
        if isinstance(shape, s.Reference):
            return self.reference(shape.to, x)
        if isinstance(shape, s.Ratio):
            x = self.source.named(x)
            return f"fraction({x}.numerator, {x}.denominator)"
        if isinstance(shape, s.Maybe):
            return self.maybe(shape, x)
        if isinstance(shape, s.Tuple):
            x = self.source.named(x)
            return _joined("[", [self.item(of, f"{x}[{i}]") for i, of in enumerate(shape.of)], "]")
        if isinstance(shape, (s.List, s.NonEmpty, s.Set)):
            of, item = shape.of, self.source.name()
            if isinstance(shape, s.Set):
                # (The elements of a set have no order.)
                x = self.source.named(x)
                self.source.line(f"if {x}.__class__ is not list: raise Unusual()")
            return self.each(f"for {item} in {x}:", "[", lambda: self.item(of, item), "]")
        if isinstance(shape, s.Map):
            return self.map(shape, x)
        if isinstance(shape, s.Array):
            # The other writer does this.
            self.source.line("raise Unusual()")
            return "''"
        return f"'\"' + {x}.hex() + '\"'"

    def maybe(self, shape: s.Maybe, x: str) -> str:
        source = self.source
        x, text = self.source.named(x), source.name()
        if source.depth >= _DEEP:
            function = source.name("f")
            self.body(function, shape)
            return f"{function}({x})"
        source.line(f"if {x} is None: {text} = 'null'")
        source.line("else:")
        source.depth += 1
        if self.facts.may_be_none(shape.of):
            inner = f"'[' + {self.item(shape.of, f'{x}[0]')} + ']'"
        else:
            inner = self.item(shape.of, x)
        source.line(f"{text} = {inner}")
        source.depth -= 1
        return text

    def each(self, loop: str, opening: str, element: Callable[[], str], closing: str) -> str:
        # Names stand in the schema once, and in the text with each element. So the text is measured.
        source = self.source
        if source.depth >= _DEEP:
            raise Unusual()
        parts, size, text = source.name("a"), source.name("n"), source.name()
        source.line(f"{parts} = []")
        source.line(f"{size} = 0")
        source.line(loop)
        source.depth += 1
        source.line(f"{text} = {element()}")
        source.line(f"{size} += len({text})")
        source.line(f"if {size} > {MOST_JSON}: raise Unusual()")
        source.line(f"{parts}.append({text})")
        source.depth -= 1
        return f"'{opening}' + ','.join({parts}) + '{closing}'"

    def map(self, shape: s.Map, x: str) -> str:
        k, v, x = self.source.name(), self.source.name(), self.source.named(x)
        as_dict = self.facts.hashable(shape.key)
        self.source.line(f"if {x}.__class__ is not {'dict' if as_dict else 'list'}: raise Unusual()")
        if as_dict:
            ascend = self.source.constant(partial(_ascend, self.facts, shape.key))
            self.source.line(f"if not {ascend}(list({x})): raise Unusual()")
        key = self.facts.value_shape(shape.key)
        loop = f"for {k}, {v} in {x + '.items()' if as_dict else x}:"
        if isinstance(key, s.Leaf) and key.type in ("utf8", "utf16", "char", "scalarValue"):
            return self.each(loop, "{", lambda: f"{self.item(key, k)} + ':' + {self.item(shape.value, v)}", "}")
        return self.each(
            loop,
            "[",
            lambda: f"'[' + {self.item(shape.key, k)} + ',' + {self.item(shape.value, v)} + ']'",
            "]",
        )

    def leaf(self, leaf: s.Leaf, x: str) -> str:
        kind = leaf.type
        if kind in CODES and kind in s.NUMBERS:
            return f"str({x})"
        if kind in ("integer", "natural"):
            return f"whole({x})"
        if kind in ("float32", "float64"):
            return f"floating({x}, {kind == 'float32'})"
        if kind in ("utf8", "utf16", "char", "scalarValue"):
            return f"quoted({x})"
        if kind == "bool":
            return f"('true' if {x} else 'false')"
        if kind == "unit":
            return "'[]'"
        if kind in ("bytes", "byteArray"):
            return f"'\"' + {x}.hex() + '\"'"
        x = self.source.named(x)
        if kind == "fixedPoint":
            units = self.source.constant(leaf.units)
            return f"(decimal({x}, {units}) or fraction({x}, {units}))"
        if kind == "duration":
            return f"(decimal({x}, {10**12}) or whole({x}))"
        self.source.names["day"] = _day
        return f"day({x})"

    def reference(self, i: int, x: str) -> str:
        if i not in self.functions:
            self.functions[i] = self.source.name("d")
            self.waiting.append(i)
        return f"{self.functions[i]}({x})"

    def definition(self, function: str, i: int) -> None:
        d = self.facts.definitions[i]
        if d.form == "newtype":
            self.body(function, d.constructors[0].fields[0].shape)
        elif d.form == "record":
            self.constructor(function, i, 0, "", "")
        else:
            self.sum(function, i, d)

    def sum(self, function: str, i: int, d: s.Definition) -> None:
        source = self.source
        cases: Dict[Any, str] = {}
        names: Dict[Any, str] = {}
        for j, c in enumerate(d.constructors):
            if c.retired:
                continue
            key = self.types[i][j][0] if i in self.types else c.name
            if not c.fields:
                names[key] = quoted(c.name)
                continue
            cases[key] = source.name("f")
            self.constructor(cases[key], i, j, "{" + quoted(c.name) + ":", "}")
        entries = [f"{source.constant(key)}: {name}" for key, name in cases.items()]
        table = source.name("T")
        source.done.append(f"{table} = {{{', '.join(entries)}}}")
        known = source.constant(names)
        if i in self.types:
            lines = [
                f"    if x.__class__ in {known}: return {known}[x.__class__]",
                f"    return {table}[x.__class__](x)",
            ]
        else:
            lines = [
                f"    if x.__class__ is str: return {known}[x]",
                "    if x.__class__ is not dict: raise Unusual()",
                "    ((name, fields),) = x.items()",
                f"    return {table}[name](fields)",
            ]
        source.function(f"{function}(x)", lines)

    def constructor(self, function: str, i: int, j: int, before: str, after: str) -> None:
        source, c = self.source, self.facts.definitions[i].constructors[j]
        saved, source.lines, depth, source.depth = source.lines, [], source.depth, 1
        if i in self.types:
            parts = [f"x.{a}" for a in self.types[i][j][1]]
        elif s.is_positional(c):
            parts = [f"x[{k}]" for k in range(len(c.fields))]
        else:
            # (Other mappings may have values for keys that are not there.)
            source.line(f"if x.__class__ is not dict or len(x) != {len(c.fields)}: raise Unusual()")
            parts = [f"x[{f.name!r}]" for f in c.fields]
        texts = [self.item(f.shape, part) for f, part in zip(c.fields, parts)]
        if s.is_positional(c):
            text = _joined(before + "[", texts, "]" + after)
        else:
            keys = [repr(quoted(f.name) + ":") for f in c.fields]
            keyed = [f"{key} + {t}" for key, t in zip(keys, texts)]
            text = _joined(before + "{", keyed, "}" + after)
        source.line(f"return {text}")
        source.function(f"{function}(x)", source.lines)
        source.lines, source.depth = saved, depth


def _joined(opening: str, texts: List[str], closing: str) -> str:
    parts = [repr(opening)]
    for i, text in enumerate(texts):
        parts += ["','", text] if i else [text]
    return "(" + " + ".join(parts + [repr(closing)]) + ")"


def _ascend(facts: Facts, shape: s.Shape, keys: List[Any]) -> bool:
    if is_simple(facts.value_shape(shape)):
        return all(map(operator.lt, keys, keys[1:]))
    return all(compare(facts, shape, a, b, _none) < 0 for a, b in zip(keys, keys[1:]))


def _none(i: int, x: Any) -> None:
    # (The keys of a dict have no records and sums.)
    return None


def _day(n: int) -> str:
    text = date(n)
    return whole(n) if text is None else f'"{text}"'
