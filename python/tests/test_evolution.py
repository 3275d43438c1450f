"""Older and newer data, against a model that changes plain values."""

from __future__ import annotations

import time
import unittest
from random import Random
from typing import Any, Dict, List, Sequence, Tuple

import model
from ashlar import DecodeError, EncodeError, EvolutionError, Schema, bind, evolve
from ashlar import shapes as s
from ashlar.evolution import (
    Added,
    Dropped,
    DroppedConstructor,
    Renamed,
    RenamedConstructor,
    Rule,
    UnknownConstructors,
)

Fields = Sequence[Tuple[str, s.Shape]]


def record(fields: Fields, *others: s.Definition, name: str = "Order") -> Schema:
    c = s.Constructor(name, tuple(s.Field(n, x) for n, x in fields))
    return Schema(s.Reference(0), (s.Definition(name, "record", "byParts", (c,)), *others))


def total(*constructors: Tuple[str, Fields], name: str = "Shape") -> Schema:
    cs = tuple(s.Constructor(n, tuple(s.Field(f, x) for f, x in fields)) for n, fields in constructors)
    return Schema(s.Reference(0), (s.Definition(name, "sum", "byParts", cs),))


I8, I32, I64, BIG = s.Leaf("int8"), s.Leaf("int32"), s.Leaf("int64"), s.Leaf("integer")
TEXT = s.Leaf("utf8")

WIDER: List[Tuple[s.Shape, s.Shape, Any]] = [
    (I32, I64, lambda x: x),
    (s.Leaf("word8"), s.Leaf("int16", "varint"), lambda x: x),
    (I64, BIG, lambda x: x),
    (s.Leaf("float32"), s.Leaf("float64"), lambda x: x),
    (I32, s.Leaf("float64"), float),
    (TEXT, s.Leaf("utf16"), lambda x: x),
    (TEXT, s.Leaf("utf8", compact=True), lambda x: x),
    (TEXT, s.Maybe(TEXT), lambda x: x),
    (I8, s.List(s.Leaf("int16"), True), lambda x: [x]),
    (s.Maybe(I8), s.List(I8), lambda x: [] if x is None else [x]),
    (s.Set(I8), s.List(I64), lambda x: x),
    (s.Map(I8, TEXT), s.List(s.Tuple((I8, TEXT))), lambda x: list(x.items())),
    (TEXT, s.List(s.Leaf("char")), list),
    (s.NonEmpty(I8), s.List(I8, True), lambda x: x),
    (s.Ratio(I8), s.Ratio(BIG), lambda x: x),
    (s.Map(I8, I8), s.Map(I32, s.Maybe(I8), True), lambda x: x),
    (s.Array(I8, I8), s.Array(I32, I8), lambda x: x),
    (s.Between(1, 9, I8), s.Between(0, 9, BIG), lambda x: x),
]


def formatted(r: Random, shape: s.Shape) -> s.Shape:
    """The shape, packed or not."""
    return r.choice([shape, shape, s.Packed(shape), s.Unpacked(shape)])


def rooted(r: Random, schema: Schema) -> Schema:
    return Schema(formatted(r, schema.root), schema.definitions)


class Values(unittest.TestCase):
    def test_changed_records(self) -> None:
        r = Random(1)
        for _ in range(400):
            olds: List[Tuple[str, s.Shape]] = []
            news: List[Tuple[str, s.Shape, Any]] = []
            rules: List[Rule] = []
            for i in range(r.randint(1, 6)):
                old, new, change = r.choice(WIDER)
                old, new = formatted(r, old), formatted(r, new)
                kind = r.randrange(5)
                if kind == 0:
                    news.append((f"a{i}", I32, None))
                    rules.append(Added(f"a{i}", i))
                    continue
                olds.append((f"o{i}", old))
                if kind == 1:
                    rules.append(Dropped(f"o{i}"))
                elif kind == 2:
                    rules.append(Renamed(f"o{i}", f"n{i}"))
                    news.append((f"n{i}", new, (f"o{i}", change)))
                else:
                    news.append((f"o{i}", new, (f"o{i}", change)))
            if r.random() < 0.5:
                r.shuffle(news)
            if not olds or not news:
                continue
            before = rooted(r, record(olds))
            kind_ = bind(rooted(r, record([(n, x) for n, x, _ in news])), evolution={"Order": rules})
            try:
                value = model.random_value(r, before, before.root)
            except model.Endless:
                continue
            data = bind(before).encode(value)
            reads = evolve(kind_, before)
            found, end = reads.decode_from(b"." + data + b".", 1)
            defaults = {x.field: x.default for x in rules if isinstance(x, Added)}
            expected = {n: defaults[n] if c is None else c[1](value[c[0]]) for n, _, c in news}
            self.assertEqual(found, expected)
            self.assertEqual(end, len(data) + 1)
            self.assertEqual(reads.decode_many(data * 3, 0, 3), ([expected] * 3, 3 * len(data)))
            for n in range(len(data)):
                with self.assertRaises(DecodeError):
                    reads.decode_from(data[:n], 0)

    def test_the_same_type(self) -> None:
        r = Random(2)
        for _ in range(200):
            made = model.sample(r)
            if made is None:
                continue
            schema, value = made
            data = bind(schema).encode(value)
            found, _ = evolve(bind(schema), Schema.decode(schema.encode())).decode_from(data, 0)
            self.assertEqual(repr(found), repr(value))

    def test_constructors(self) -> None:
        old = total(("A", [("1", I8)]), ("B", []), ("C", [("1", TEXT)]), ("E", []))
        new = total(("D", []), ("C", [("1", s.Maybe(TEXT))]), ("A2", [("1", I64)]))
        kind = bind(
            new,
            evolution={"Shape": [RenamedConstructor("A", "A2"), DroppedConstructor("B"), UnknownConstructors("D")]},
        )
        reads = evolve(kind, old)
        for value, expected in (({"A": (1,)}, {"A2": (1,)}), ({"C": ("x",)}, {"C": ("x",)}), ("E", "D")):
            self.assertEqual(reads.decode_from(bind(old).encode(value), 0)[0], expected)
        with self.assertRaises(DecodeError) as caught:
            reads.decode_from(b"\1", 0)
        self.assertEqual(str(caught.exception), "at byte 0: constructor B, which is no longer in use")
        with self.assertRaises(DecodeError) as caught:
            reads.decode_from(b"\7", 0)
        self.assertEqual(str(caught.exception), "at byte 0: Shape: there is no constructor 7")

    def test_recursive_types(self) -> None:
        old = total(("End", []), ("Link", [("x", I8), ("next", s.Reference(0))]), name="Chain")
        new = total(("Link", [("next", s.Reference(0)), ("x", I64)]), ("End", []), name="Chain")
        data = b"\1\5" * 20_000 + b"\0"
        value, end = evolve(bind(new), old).decode_from(data, 0)
        self.assertEqual(end, len(data))
        self.assertEqual(value["Link"]["x"], 5)
        while isinstance(value, dict):
            value = value["Link"]["next"]

    def test_recursive_newtypes(self) -> None:
        def trees(root: s.Shape, inner: s.Shape) -> Schema:
            field = s.Field("1", s.List(inner, True))
            return Schema(root, (s.Definition("T", "newtype", "unknown", (s.Constructor("T", (field,)),)),))

        to = s.Reference(0)
        value: List[Any] = [[], [[]]]
        shapes: List[s.Shape] = [to, s.Unpacked(to), s.Unpacked(s.Unpacked(to))]
        for inner in shapes:
            old = trees(to, inner)
            data = bind(old).encode(value)
            for today in shapes:
                self.assertEqual(evolve(bind(trees(s.Maybe(to), today)), old).decode_from(data, 0), (value, len(data)))
                self.assertEqual(evolve(bind(trees(to, today)), old).decode_from(data, 0), (value, len(data)))

    def test_an_element_of_no_bytes_is_two_steps(self) -> None:
        unit = s.List(s.Leaf("unit"))
        old, new = record([("us", unit)]), record([("us", unit), ("n", I8)])
        reading = evolve(bind(new, evolution={"Order": [Added("n", 7)]}), old)
        half = 524_288
        for n in (half, half + 1):
            data = bind(old).encode({"us": [()] * n})
            if n == half:
                expected = {"us": [()] * n, "n": 7}
                self.assertEqual(reading.decode_from(data, 0), (expected, len(data)))
                self.assertEqual(reading.decode_many(data, 0, 1), ([expected], len(data)))
                continue
            for many in (False, True):
                with self.assertRaises(DecodeError) as caught:
                    _ = reading.decode_many(data, 0, 1) if many else reading.decode_from(data, 0)
                self.assertEqual(
                    str(caught.exception),
                    "at byte 8, in Order.us: more than 1048576 elements of no bytes; withBudget raises the limit",
                )

    def test_skipping(self) -> None:
        old = record([("a", I8), ("b", TEXT)])
        self.assertEqual(evolve(bind(record([("a", I8)])), old, skipping=True).decode_from(b"\7" + bytes(8), 0), ({"a": 7}, 9))

    def test_many_old_fields_take_no_longer_in_another_order(self) -> None:
        n = 60_000
        old = record([(f"a{i}", I8) for i in range(n)])
        seconds = []
        for names in ([f"a{n - 2}", f"a{n - 1}"], [f"a{n - 1}", f"a{n - 2}"]):
            start = time.monotonic()
            reading = evolve(bind(record([(name, I8) for name in names])), old, skipping=True)
            seconds.append(time.monotonic() - start)
            self.assertEqual(reading.decode_from(bytes(n - 2) + b"\1\2", 0), ({f"a{n - 2}": 1, f"a{n - 1}": 2}, n))
        self.assertLess(seconds[1], 4 * seconds[0] + 1)

    def test_planning_is_linear_in_the_depth_of_a_chain(self) -> None:
        def chain(n: int, last: s.Shape, optional: bool) -> Schema:
            shapes: List[s.Shape] = [s.Reference(i) for i in range(1, n)]
            shapes = [*map(s.Maybe, shapes), last] if optional else [*shapes, last]
            records = [s.Constructor("T", (s.Field("x", shape),)) for shape in shapes]
            return Schema(s.Reference(0), tuple(s.Definition("T", "record", "byParts", (c,)) for c in records))

        for before in (True, False):
            seconds = []
            for n in (1_500, 6_000):
                old, new = chain(n, I8, before), bind(chain(n, I32, True))
                start = time.monotonic()
                evolve(new, old)
                seconds.append(time.monotonic() - start)
            self.assertLess(seconds[1], 8 * seconds[0] + 2, before)

    def test_planning_is_linear_in_the_number_of_constructors(self) -> None:
        seconds = []
        for n in (1_000, 8_000):
            old = total(*[(f"C{i}", [("x", I8)]) for i in range(n)])
            new = bind(total(*[(f"C{i}", [("x", I32)]) for i in range(n)]))
            start = time.monotonic()
            evolve(new, old)
            seconds.append(time.monotonic() - start)
        self.assertLess(seconds[1], 12 * seconds[0] + 2)

    def test_offsets_of_errors(self) -> None:
        old = record([("a", I8), ("b", s.Leaf("bool"))])
        new = bind(record([("b", s.Leaf("bool")), ("a", I64)]))
        with self.assertRaises(DecodeError) as caught:
            evolve(new, old).decode_from(b"\1\2", 0)
        self.assertEqual(str(caught.exception), "at byte 1, in Order.b: a Bool is 0 or 1, not 2")


class Refusals(unittest.TestCase):
    def refused(self, old: Schema, new: Schema, message: str, **evolution: List[Rule]) -> None:
        with self.assertRaises(EvolutionError) as caught:
            evolve(bind(new, evolution=evolution), old)
        self.assertEqual(str(caught.exception), message)

    def test_words(self) -> None:
        self.refused(
            record([("a", I8)]),
            record([("a", I8), ("b", I8)]),
            'Order.b: the field is new; give it a default with added @"b" in the evolution of Order',
        )
        self.refused(
            record([("a", I8), ("b", I8)]),
            record([("a", I8)]),
            'Order: the data have a field b that the type does not have; say dropped @"b" in the evolution of Order',
        )
        self.refused(
            record([("a", I64)]),
            record([("a", I8)]),
            'Order.a: Int64 cannot become Int8; say how with converted @"a" in the evolution of Order',
        )
        self.refused(
            total(("A", []), ("B", [])),
            total(("A", []), ("C", [])),
            "Shape: the data may have a constructor B that the type does not have; "
            'say droppedConstructor @"B", or renamedConstructor @"B" and its name today in the evolution of Shape',
        )
        self.refused(
            Schema(s.Set(TEXT)),
            Schema(s.Set(s.Leaf("utf16"))),
            "value[]: Text cannot become UTF16; "
            "read it as a newtype, and say how with converted @\"1\" in the newtype's evolution",
        )
        self.refused(
            record([("a", I8), ("b", I8)]),
            record([("c", I8)]),
            "Order.c: two fields of the data would become c; "
            'say dropped @"a" in place of renamed, or say dropped @"b" in place of renamed in the evolution of Order',
            Order=[Renamed("a", "c"), Renamed("b", "c")],
        )

    def test_random_schemas(self) -> None:
        """Any two schemas give a reader or a refusal, and reading gives a value or an error."""
        r = Random(3)
        for _ in range(300):
            a, b = model.random_schema(r), model.random_schema(r)
            for old, new in ((a, b), (a, Schema(s.Maybe(s.Leaf("bool"))))):
                try:
                    reads = evolve(bind(new), old, skipping=True)
                except EvolutionError:
                    continue
                try:
                    reads.decode_from(r.randbytes(30), 0)
                except DecodeError:
                    pass

    def test_wrong_rules(self) -> None:
        new = record([("a", I8), ("b", I32)])
        kind = bind(new, evolution={"Order": [Added("b", "oops")]})
        with self.assertRaisesRegex(EncodeError, "the default of Order.b: a whole number is needed, not str"):
            evolve(kind, record([("a", I8)]))
        rules: Any
        for rules in ("x", Added("b", 1), [1], None):
            with self.assertRaisesRegex(TypeError, "evolution of Order: a list of rules is needed, not "):
                bind(new, evolution={"Order": rules})

    def test_rules_that_name_what_is_not_there(self) -> None:
        new = record([("a", I8), ("b", I32)])
        shape = total(("Dot", []), ("Line", [("length", I8)]))
        wrong: List[Tuple[Schema, Dict[str, List[Rule]], str]] = [
            (new, {"Ordr": [Dropped("x")]}, "there is no type Ordr; there is Order"),
            (new, {"Order": [Added("c", 1)]}, "Order has no field c; it has a, b"),
            (new, {"Order": [Renamed("x", "c")]}, "Order has no field c; it has a, b"),
            (shape, {"Shape": [Added("Dot.length", 1)]}, "Shape has no field Dot.length; it has length"),
            (shape, {"Shape": [RenamedConstructor("A", "B")]}, "Shape has no constructor B; it has Dot, Line"),
            (shape, {"Shape": [UnknownConstructors("B")]}, "Shape has no constructor B; it has Dot, Line"),
        ]
        for schema, rules, why in wrong:
            with self.assertRaises(TypeError) as caught:
                bind(schema, evolution=rules)
            self.assertEqual(str(caught.exception), f"evolution: {why}")
        bind(shape, evolution={"Shape": [Added("Line.length", 1), Dropped("x"), DroppedConstructor("y")]})

    def test_types_of_one_name(self) -> None:
        def boxes(*fields: str) -> Schema:
            def box(leaf: s.Shape) -> s.Definition:
                return record([(f, leaf) for f in fields], name="Box").definitions[0]

            return record([("n", s.Reference(1)), ("t", s.Reference(2))], box(I8), box(TEXT))

        old = bind(boxes("first")).encode({"n": {"first": 1}, "t": {"first": "a"}})
        rules: Dict[str, List[Rule]] = {"Box#1": [Added("last", 0)], "Box": [Added("last", "")]}
        found = evolve(bind(boxes("first", "last"), evolution=rules), boxes("first")).decode_from(old, 0)
        self.assertEqual(found, ({"n": {"first": 1, "last": 0}, "t": {"first": "a", "last": ""}}, len(old)))

    def test_wrong_fields(self) -> None:
        kind = bind(record([("a", I8), ("b", I32)]))
        for value, text in (({"a": 1}, ", without b"), ({"a": 1, "b": 2, "c": 3}, ", with c"), ({}, ", without a, b")):
            with self.assertRaisesRegex(EncodeError, f"is not a value of Order{text}$"):
                kind.encode(value)

    def test_hostile_defaults(self) -> None:
        """Elements of no bytes that gain a default are steps."""
        old = Schema(s.List(s.Reference(0)), record([]).definitions)
        new = Schema(s.List(s.Reference(0)), record([("a", TEXT)]).definitions)
        reads = evolve(bind(new, evolution={"Order": [Added("a", "x" * 1000)]}), old)
        with self.assertRaises(DecodeError) as caught:
            reads.decode_from((1 << 20).to_bytes(8, "little"), 0)
        self.assertIn("more than 1048576 steps to fill in what old data lack", str(caught.exception))

    def test_bytes_deep_inside(self) -> None:
        """Elements whose first bytes are in records in records are no elements of no bytes."""
        def lists(leaf: str) -> Schema:
            shapes = [s.Reference(i) for i in range(1, 9)] + [s.Leaf(leaf)]
            definitions = [
                s.Definition(f"D{i}", "record", "unknown", (s.Constructor(f"D{i}", (s.Field("a", shape),)),))
                for i, shape in enumerate(shapes)
            ]
            return Schema(s.List(s.Reference(0)), tuple(definitions))

        reads = evolve(bind(lists("int64")), lists("int32"))
        with self.assertRaises(DecodeError) as caught:
            reads.decode_from((1 << 21).to_bytes(8, "little"), 0)
        self.assertIn("4 bytes needed, 0 left", str(caught.exception))


class Files(unittest.TestCase):
    def test_a_file_of_two_schemas(self) -> None:
        import os
        import tempfile

        import ashlar

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "orders")
            old = bind(record([("qty", I32)]))
            rules: Dict[str, List[Rule]] = {"Order": [Added("channel", "web"), Renamed("qty", "count")]}
            new = bind(record([("channel", TEXT), ("count", I64)]), evolution=rules)
            ashlar.write(path, old, [{"qty": 1}, {"qty": 2}])
            with self.assertRaises(ashlar.Damage):
                ashlar.append(path, bind(new.schema), [])
            ashlar.append(path, new, [{"channel": "shop", "count": 3}])
            expected = [
                {"channel": "web", "count": 1},
                {"channel": "web", "count": 2},
                {"channel": "shop", "count": 3},
            ]
            self.assertEqual(list(ashlar.read(path, new)), expected)
            self.assertEqual(list(ashlar.read(path)), [{"qty": 1}, {"qty": 2}, expected[2]])
            with ashlar.reader(path, new) as records:
                self.assertEqual([records[i] for i in (2, 0, 1)], [expected[i] for i in (2, 0, 1)])

    def test_a_reader_passes_over_a_refused_record(self) -> None:
        import os
        import tempfile

        import ashlar

        fields: Fields = [("qty", I8)]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shapes")
            old = bind(total(("A", fields), ("B", fields)))
            new = bind(total(("A", fields)), evolution={"Shape": [DroppedConstructor("B")]})
            values = [{"B" if i in (0, 4, 5, 2999) else "A": {"qty": i % 100}} for i in range(3000)]
            ashlar.write(path, old, values)
            for order in range(3000), reversed(range(3000)), (2000, 4, 5, 6, 2999, 2000):
                with ashlar.reader(path, new) as records:
                    for i in order:
                        if "A" in values[i]:
                            self.assertEqual(records[i], values[i])
                            continue
                        with self.assertRaises(ashlar.Damage) as caught:
                            records[i]
                        self.assertEqual(caught.exception.record, i)
                        self.assertIn("constructor B", str(caught.exception))

    def test_reading_from_a_record_on_passes_over_refused_ones_before_it(self) -> None:
        """They are neither reported nor the end."""
        import os
        import tempfile

        import ashlar

        fields: Fields = [("qty", I8)]
        refused = (0, 4, 5, 2999)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "shapes")
            old = bind(total(("A", fields), ("B", fields)))
            new = bind(total(("A", fields)), evolution={"Shape": [DroppedConstructor("B")]})
            values = [{"B" if i in refused else "A": {"qty": i % 100}} for i in range(3000)]
            ashlar.write(path, old, values)
            for start in (1, 5, 6, 2000, 3000):
                lost: List[ashlar.Lost] = []
                found = list(ashlar.read(path, new, start=start, resync=lost.append))
                self.assertEqual(found, [x for x in values[start:] if "A" in x])
                self.assertEqual([x.damage.record for x in lost], [i for i in refused if i >= start])
            strict = ashlar.read(path, new, start=6)
            self.assertEqual([next(strict) for _ in range(6, 2999)], values[6:2999])
            with self.assertRaises(ashlar.Damage) as caught:
                next(strict)
            self.assertEqual(caught.exception.record, 2999)


if __name__ == "__main__":
    unittest.main()
