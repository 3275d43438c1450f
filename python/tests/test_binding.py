"""Values of dataclasses, and the source that is printed for them."""

from __future__ import annotations

import sys
import types
import unittest
from dataclasses import dataclass, make_dataclass
from pathlib import Path
from random import Random
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import model
from ashlar import EncodeError, Schema, bind, binding, evolve, member_names, python_source
from ashlar import shapes as s


@dataclass
class Point:
    pass


@dataclass
class Circle:
    field1: float


@dataclass
class Named:
    name: str
    inner: "Optional[Shape]"


Shape = Union[Point, Circle, Named]


@dataclass
class Pair:
    field1: int
    field2: int


@dataclass
class Other:
    field1: int
    field2: int


@dataclass
class Picture:
    # In another order than in the schema.
    tags: Dict[str, int]
    shapes: List[Shape]
    best: Tuple[int, Shape]


def pictures() -> Schema:
    field, shape = s.Field, s.Reference(1)
    constructors = (
        s.Constructor("Point", ()),
        s.Constructor("Gone", (), True),
        s.Constructor("Circle", (field("1", s.Leaf("float64")),)),
        s.Constructor("Named", (field("name", s.Leaf("utf8")), field("inner", s.Maybe(shape)))),
    )
    fields = (
        field("shapes", s.List(shape)),
        field("best", s.Tuple((s.Leaf("int8"), shape))),
        field("tags", s.Map(s.Leaf("utf8"), s.Leaf("int8"))),
    )
    picture = s.Definition("Picture", "record", "byParts", (s.Constructor("Picture", fields),))
    return Schema(s.Reference(0), (picture, s.Definition("Shape", "sum", "byParts", constructors)))


VALUE = Picture({"a": 1}, [Point(), Named("x", Circle(1.5)), Named("y", None)], (3, Circle(-1.0)))


class Classes(unittest.TestCase):
    def test_round_trip(self) -> None:
        kind = bind(pictures(), Picture)
        data = kind.encode(VALUE)
        self.assertEqual(kind.decode(data), VALUE)
        plain = bind(pictures())
        self.assertEqual(plain.encode(plain.decode(data)), data)
        self.assertEqual(plain.to_json_line(plain.decode(data)), kind.to_json_line(VALUE))
        self.assertEqual(kind._make_exact().decode(data), VALUE)
        self.assertEqual(plain.decode(data)["shapes"][1], {"Named": {"name": "x", "inner": {"Circle": (1.5,)}}})

    def test_deep_values(self) -> None:
        kind = bind(pictures(), Picture)
        inner: Shape = Point()
        for _ in range(20_000):
            inner = Named("", inner)
        data = kind.encode(Picture({}, [inner], (1, Point())))
        found = kind.decode(data)
        self.assertEqual(kind.encode(found), data)
        self.assertEqual(kind.to_json_line(found).count("Named"), 20_000)
        # (Python compares and prints by recursion.)
        depth = 0
        at = found.shapes[0]
        while isinstance(at, Named):
            depth, at = depth + 1, at.inner or Point()
        self.assertEqual(depth, 20_000)

    def test_wrong_values(self) -> None:
        kind = bind(pictures(), Picture)
        with self.assertRaises(EncodeError) as caught:
            kind.encode(Picture({}, [Named("x", 3)], (1, Point())))  # type: ignore[arg-type]
        self.assertEqual(
            str(caught.exception), "in Picture.shapes[0].Named.inner: a value of Shape is needed, not int"
        )

    def test_wrong_classes(self) -> None:
        @dataclass
        class Other:
            x: int

        for kind in (Other, Union[Point, Circle], int, List[Picture]):
            with self.assertRaises(TypeError):
                bind(pictures(), kind)

    def test_a_type_of_two_classes_is_refused_among_many_hints(self) -> None:
        many = [f"f{i}" for i in range(100)]
        first, second = s.Field("1", s.List(s.Reference(1))), s.Leaf("int8")
        records = (
            ("First", (first,)),
            ("Item", (s.Field("1", second), s.Field("2", second))),
            ("Last", tuple(s.Field(name, first.shape) for name in many)),
        )
        definitions = tuple(s.Definition(n, "record", "unknown", (s.Constructor(n, fields),)) for n, fields in records)
        schema = Schema(s.Tuple((s.Reference(0), s.Reference(2))), definitions)
        lists: Any = ("list[Other]", "list[Pair]")
        kinds: Any = (
            make_dataclass("First", [("field1", lists[0])]),
            make_dataclass("Last", [(name, lists[1]) for name in many]),
        )
        for kind in kinds:
            kind.__module__ = __name__
        with self.assertRaisesRegex(TypeError, "Item has two types"):
            bind(schema, Tuple[kinds])

    def test_keys_of_classes(self) -> None:
        kind: Any = bind(Schema(s.Set(s.Reference(0)), _only_shape()), List[Shape])
        values = [Point(), Circle(1.0), Circle(2.0), Named("a", None), Named("a", Point())]
        data = kind.encode(values)
        self.assertEqual(kind.decode(data), values)
        with self.assertRaises(EncodeError):
            kind.encode(values[::-1])


def _only_shape() -> Tuple[s.Definition, ...]:
    d = pictures().definitions[1]
    named = (s.Field("name", s.Leaf("utf8")), s.Field("inner", s.Maybe(s.Reference(0))))
    return (s.Definition(d.name, d.form, d.order, d.constructors[:3] + (s.Constructor("Named", named),)),)


class Sources(unittest.TestCase):
    def run_source(self, schema: Schema, name: str) -> Any:
        module = types.ModuleType(name)
        sys.modules[name] = module
        self.addCleanup(sys.modules.pop, name)
        exec(compile(python_source(schema), name, "exec"), module.__dict__)
        return module

    def test_printed_classes_read_and_write(self) -> None:
        r = Random(8)
        for i in range(300):
            made = model.sample(r)
            if made is None:
                continue
            schema, value = made
            module = self.run_source(schema, f"printed{i}")
            self.assertEqual(module.SCHEMA, schema.encode())
            kind: Any = bind(module.SCHEMA, module.Root)
            data = bind(schema).encode(value)
            found = kind.decode(data)
            self.assertEqual(kind.encode(found), data, schema)
            self.assertEqual(kind.to_json_line(found), bind(schema).to_json_line(value))

    def test_names(self) -> None:
        leaf = s.Leaf("bool")
        fields = tuple(s.Field(n, leaf) for n in ("class", "class_", "__x", "größe", "int", ""))
        c = s.Constructor("None", fields)
        source = python_source(Schema(s.Reference(0), (s.Definition("List", "record", "unknown", (c,)),)))
        for line in ("class List_:", "class_: bool", "class__2: bool", "f__x: bool", "gr__e: bool", "int_: bool", "f: bool"):
            self.assertIn(line, source)

    def test_an_attribute_that_classes_have(self) -> None:
        fields = tuple(s.Field(n, s.Leaf("bool")) for n in ("mro", "x"))
        c = s.Constructor("R", fields)
        schema = Schema(s.Reference(0), (s.Definition("R", "record", "unknown", (c,)),))
        kind: Any = bind(schema, self.run_source(schema, "mro").Root)
        self.assertEqual(kind.encode(kind.decode(b"\1\0")), b"\1\0")

    def test_many_names_that_become_one(self) -> None:
        c = s.Constructor("R", tuple(s.Field(chr(0x4E00 + i), s.Leaf("bool")) for i in range(20000)))
        names = member_names(c)
        self.assertEqual((names[0], names[1], names[-1], len(set(names))), ("_", "__2", "__20000", 20000))


@dataclass
class Late:
    n: int

    def __post_init__(self) -> None:
        if Late.limits > 0:
            Late.limits -= 1
            raise TimeoutError

    limits = 0


class FromOutside(unittest.TestCase):
    """An exception of a signal's handler, for instance, comes once, and gets out."""

    def test_reading(self) -> None:
        def late(leaf: str) -> Schema:
            constructors = (s.Constructor("Late", (s.Field("n", s.Leaf(leaf)),)),)
            return Schema(s.Reference(0), (s.Definition("Late", "record", "byParts", constructors),))

        kind = bind(late("int8"), Late)
        evolved = evolve(bind(late("int16"), Late), late("int8"))
        reads: List[Callable[[], Any]] = [
            lambda: kind.decode(b"\1"),
            lambda: kind.decode_many(b"\1", 0, 1),
            lambda: evolved.decode_many(b"\1", 0, 1),
        ]
        for read in reads:
            Late.limits = 1
            with self.assertRaises(TimeoutError):
                read()
            Late.limits = 0
            read()

    def test_writing(self) -> None:
        class Slow:
            limits = 1

            def __index__(self) -> int:
                Slow.limits -= 1
                if Slow.limits == 0:
                    raise TimeoutError
                return 2

        kind = bind(Schema(s.Leaf("int8")))
        with self.assertRaises(TimeoutError):
            kind.encode(Slow())
        self.assertEqual(kind.encode(Slow()), b"\2")

    def test_nothing_catches_everything(self) -> None:
        for path in Path(binding.__file__).parent.glob("*.py"):
            self.assertFalse("except Exception" in path.read_text(), path)


if __name__ == "__main__":
    unittest.main()
