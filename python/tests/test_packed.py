"""The packed format: bits among bytes."""

from __future__ import annotations

import os
import tempfile
import time
import unittest
from random import Random
from typing import Any, Callable, List, Tuple

import model
from ashlar import DecodeError, EvolutionError, Schema, bind, evolve, python_source, read, write
from ashlar import shapes as s
from ashlar._describe import describe_schema
from ashlar._path import elements_frame, type_frame
from ashlar._shown import shown_text
from ashlar._state import State
from ashlar.evolution import Added, DroppedConstructor
from test_values import exactly, outcome, samples

BOOL, I16, I64, TEXT, UNIT = (s.Leaf(x) for x in ("bool", "int16", "int64", "utf8", "unit"))


def named(name: str, *constructors: Tuple[str, Tuple[s.Shape, ...]], form: str = "sum") -> s.Definition:
    """A type whose fields have no names."""
    cs = tuple(
        s.Constructor(c, tuple(s.Field(str(i), x) for i, x in enumerate(fields, 1))) for c, fields in constructors
    )
    return s.Definition(name, form, "byParts", cs)


WIND = named("Wind", *((x, ()) for x in ("North", "East", "South", "West")))
SIDE = named("Side", *((x, ()) for x in ("A", "B", "C", "D", "E")))
SIZE = named("Size", ("Small", ()), ("Large", (s.Leaf("word16"),)))
REPORT = named("Report", ("Report", (BOOL, s.Reference(1), s.List(I64))), form="record")


class Golden(unittest.TestCase):
    def has(self, shape: s.Shape, value: Any, data: str, *definitions: s.Definition) -> None:
        kind = bind(Schema(shape, definitions))
        self.assertEqual(kind.encode(value).hex(), data.replace(" ", ""))
        self.assertEqual(kind.decode(bytes.fromhex(data)), value)
        self.assertEqual(exactly(kind, bytes.fromhex(data)), value)

    def test_bytes(self) -> None:
        leaf = s.Leaf
        rows: List[Tuple[s.Shape, Any, str]] = [
            (BOOL, False, "00"),
            (BOOL, True, "80"),
            (UNIT, (), ""),
            (leaf("word8"), 200, "c8"),
            (leaf("word16"), 300, "ac 02"),
            (leaf("word64"), (1 << 64) - 1, "ff ff ff ff ff ff ff ff ff 01"),
            (leaf("word16", "bigEndian"), 258, "01 02"),
            (leaf("int8"), -1, "ff"),
            (I16, -32768, "ff ff 03"),
            (I64, -64, "7f"),
            (I64, 64, "80 01"),
            (I64, -(1 << 63), "ff ff ff ff ff ff ff ff ff 01"),
            (leaf("int32", "varint"), 300, "ac 02"),
            (leaf("char"), "ä", "e4 01"),
            (leaf("scalarValue"), "😀", "80 ec 07"),
            (leaf("float32"), 1.0, "00 00 80 3f"),
            (leaf("integer"), -300, "05 2c 01"),
            (TEXT, "ä", "02 c3 a4"),
            (leaf("bytes"), b"ab", "02 61 62"),
            (leaf("utf16"), "a", "01 00 00 00 00 00 00 00 61 00"),
            (s.Constant(b"ab"), b"ab", "61 62"),
            (s.Between(-3, 3, I64), -2, "03"),
            (s.Maybe(s.Maybe(BOOL)), (True,), "e0"),
            (s.Tuple((BOOL, leaf("word16"), BOOL)), (True, 300, True), "c0 ac 02"),
            (s.List(UNIT), [(), ()], "02"),
            (s.List(BOOL), [True, False, True, True, False, False, True, False, True], "09 b2 80"),
            (s.Map(leaf("word16"), BOOL), {1: True, 2: False}, "02 01 80 02"),
            (s.Set(BOOL), [False, True], "02 40"),
            (s.Tuple((BOOL, s.Packed(BOOL))), (True, False), "80"),
            (s.Tuple((BOOL, s.Unpacked(leaf("word16")))), (True, 1), "80 01 00"),
            (s.Tuple((BOOL, s.Unpacked(s.Tuple((BOOL, s.Packed(BOOL)))), BOOL)), (True, (True, True), True), "c0 01 80"),
            (s.Unpacked(s.Maybe(BOOL)), True, "01 01"),
        ]
        for shape, value, data in rows:
            with self.subTest(shape):
                self.has(s.Packed(shape), value, data)
        self.has(s.List(s.Packed(BOOL)), [True, False], "02 00 00 00 00 00 00 00 80 00")
        self.has(s.Unpacked(leaf("word16")), 1, "01 00")
        array = bind(Schema(s.Packed(s.Array(leaf("word8"), BOOL))))
        self.assertEqual(array.encode(array.decode(bytes.fromhex("01020280"))).hex(), "01020280")

    def test_types(self) -> None:
        self.has(s.Packed(s.Reference(0)), (True, "South", [7, -3]), "c0 02 0e 05", REPORT, WIND)
        self.has(s.Packed(s.List(s.Reference(0))), ["Small", {"Large": (300,)}, "Small"], "03 40 ac 02", SIZE)
        # 00 01 10 110 111, and then 0: twelve bits and one.
        sides = s.Tuple((s.List(s.Reference(0)), BOOL))
        self.has(s.Packed(sides), (["A", "B", "C", "D", "E"], True), "05 1b 78", SIDE)

    def test_symbols(self) -> None:
        for n in [*range(1, 40), 255, 256, 257, 300, 65535, 65536]:
            numbers = sorted({0, 1, n // 3, n // 2, n - 2, n - 1} & set(range(n)))
            kind = bind(Schema(s.Packed(s.List(s.Reference(0))), (named("N", *((f"N{i}", ()) for i in range(n))),)))
            value = [f"N{i}" for i in numbers * 3]
            data = model.joined([bytes([len(value)]), *((n, i) for i in numbers * 3)])
            self.assertEqual(kind.encode(value), data, n)
            self.assertEqual(kind.decode(data), value)
            self.assertEqual(exactly(kind, data), value)


class Damaged(unittest.TestCase):
    def test_every_bit(self) -> None:
        """What has another bit is refused, or has other bytes; so has every truncation."""
        for schema, value in samples(11, 60):
            kind = bind(Schema(s.Packed(schema.root), schema.definitions))
            data = kind.encode(value)
            self.assertEqual(data, model.joined(model.packed(schema, schema.root, value)))
            if len(data) > 300:
                continue
            for n in range(len(data)):
                self.assertEqual(outcome(lambda: kind.decode(data[:n])), outcome(lambda: exactly(kind, data[:n])))
                with self.assertRaises(DecodeError):
                    kind.decode(data[:n])
                for bit in range(8):
                    other = data[:n] + bytes([data[n] ^ 1 << bit]) + data[n + 1 :]
                    self.assertEqual(outcome(lambda: kind.decode(other)), outcome(lambda: exactly(kind, other)))
                    try:
                        found = kind.decode(other)
                    except DecodeError:
                        continue
                    self.assertEqual(kind.encode(found), other)

    def refused(self, shape: s.Shape, data: str, message: str, *definitions: s.Definition) -> None:
        with self.assertRaises(DecodeError) as caught:
            bind(Schema(shape, definitions)).decode(bytes.fromhex(data))
        self.assertEqual(str(caught.exception), message)

    def test_cut_off(self) -> None:
        for of in "float64", "word8", "utf8":
            kind = bind(Schema(s.Packed(s.Tuple((s.Leaf("bool"), s.List(s.Leaf(of)))))))
            elements: List[Any] = ["a", "bc", "d"] if of == "utf8" else [1, 2, 3]
            value = (True, elements)
            data = kind.encode(value)
            self.assertEqual(kind.decode(data), value)
            for n in range(len(data)):
                with self.assertRaises(DecodeError):
                    kind.decode(data[:n])

    def test_words(self) -> None:
        left = "bits after the last one that are not zero"
        for b in range(256):
            if b not in (0, 0x80):
                self.refused(s.Packed(BOOL), f"{b:02x}", f"at byte 1: {left}")
        self.refused(s.Packed(s.List(BOOL)), "0181", f"at byte 2: {left}")
        self.refused(s.List(s.Packed(BOOL), True), "028001", f"at byte 3, in [1]: {left}")
        self.refused(s.Packed(BOOL), "8000", "at byte 1: expected the end of the input")
        self.refused(s.Packed(BOOL), "", "at byte 0: 1 byte needed, 0 left")
        self.refused(s.Packed(s.List(BOOL)), "0aff", "at byte 2, in [8]: 1 byte needed, 0 left (10 elements announced)")
        self.refused(s.Packed(s.Leaf("char")), "808044", "at byte 0: a Char is at most 1114111, not 1114112")
        self.refused(s.Packed(s.Leaf("scalarValue")), "80b003", "at byte 0: a surrogate")
        self.refused(s.Packed(I16), "808004", "at byte 0: a varint that does not fit its type")
        self.refused(s.Packed(s.Leaf("word32")), "8000", "at byte 0: a varint that is not in its shortest form")
        self.refused(s.Packed(s.Set(BOOL)), "0280", "at byte 2, in [1]: keys that do not ascend")
        self.refused(s.Packed(s.NonEmpty(BOOL)), "00", "at byte 0: NonEmpty: no elements")
        self.refused(s.Packed(s.Ratio(I16)), "0408", "at byte 0: Ratio: not in lowest terms")
        self.refused(s.Packed(s.Between(0, 3, I16)), "08", "at byte 0: more than 3")
        self.refused(s.Packed(s.Unpacked(BOOL)), "02", "at byte 0: a Bool is 0 or 1, not 2")
        self.refused(s.Packed(s.Reference(0)), "80", "at byte 1, in Size.Large: 1 byte needed, 0 left", SIZE)
        old = s.Definition("R", "sum", "unknown", (s.Constructor("A", (), True), s.Constructor("B", ())))
        self.refused(s.Packed(s.Reference(0)), "00", "at byte 1: constructor A, which is no longer in use", old)

    def test_nothing_counts_as_a_step(self) -> None:
        steps = "more than 1048576 elements of no bytes; withBudget raises the limit"
        million = bind(Schema(s.Packed(s.List(UNIT))))
        self.assertEqual(len(million.decode(bytes.fromhex("c0843d"))), 1_000_000)
        self.refused(s.Packed(s.List(UNIT)), "8080808010", f"at byte 5: {steps}")
        self.refused(s.Packed(s.List(s.Packed(UNIT))), "8080808010", f"at byte 5: {steps}")
        # The unit is one, and so is the packed value of no bytes.
        self.refused(s.List(s.Packed(UNIT)), "0000000001000000", f"at byte 8, in [524288]: {steps}")
        # Eight Booleans are in a byte.
        many = bytes.fromhex("80808001") + bytes(262_144)
        self.assertEqual(len(bind(Schema(s.Packed(s.List(BOOL)))).decode(many)), 2_097_152)
        self.refused(
            s.Packed(s.List(BOOL)), "ffffffff0fff", "at byte 6, in [8]: 1 byte needed, 0 left (4294967295 elements announced)"
        )

    def test_work_is_measured_in_bits(self) -> None:
        """Two hundred units and a bit: too many parts for a bit, which a byte would be enough for."""
        shape = s.Packed(s.List(s.Tuple((*[UNIT] * 200, BOOL))))
        self.refused(
            shape,
            "f02e" + "00" * 750,
            "at byte 328, in [2608]: more than 1048576 elements of no bytes; withBudget raises the limit",
        )
        self.assertEqual(len(bind(Schema(shape)).decode(bytes.fromhex("d00f") + bytes(250))), 2000)

    def test_elements_take_no_steps_for_64_parts_of_each_byte(self) -> None:
        """The element, what has bytes, and units: at most 64, and 8 of a bit. One more, and all of them are steps."""
        word8, n = s.Leaf("word8"), 17_000
        fixed, varint = n.to_bytes(8, "little"), bytes.fromhex("e88401")
        cases: List[Tuple[int, Callable[[List[s.Shape]], s.Shape], bytes]] = [
            (62, lambda units: s.List(s.Tuple((word8, *units))), fixed + bytes(n)),
            (126, lambda units: s.List(s.Maybe(s.Tuple((word8, *units)))), fixed + b"\1\2" * n),
            (62, lambda units: s.Packed(s.List(s.Tuple((word8, *units)))), varint + bytes(n)),
            (6, lambda units: s.Packed(s.List(s.Tuple((BOOL, *units)))), bytes.fromhex("c0a907") + bytes(15_000)),
        ]
        for most, shape, data in cases:
            bind(Schema(shape([UNIT] * most))).decode(data)
            with self.assertRaisesRegex(DecodeError, "more than 1048576 elements of no bytes"):
                bind(Schema(shape([UNIT] * (most + 1)))).decode(data)

    def test_nesting(self) -> None:
        tree = named("Tree", ("Fork", (s.Reference(0), s.Reference(0))), ("Tip", ()))
        kind = bind(Schema(s.Packed(s.Reference(0)), (tree,)))
        self.assertEqual(kind.decode(b"\x60"), {"Fork": ("Tip", "Tip")})
        with self.assertRaises(DecodeError) as caught:
            kind.decode(bytes(100_000))
        self.assertIn("nested more than 100000 levels deep", str(caught.exception))
        for form in ("record", "newtype"):
            endless = named("T", ("T", (s.Packed(s.Reference(0)),)), form=form)
            with self.assertRaises(DecodeError) as caught:
                bind(Schema(s.Reference(0), (endless,))).decode(bytes(100))
            self.assertIn("nested more than 100000 levels deep", str(caught.exception))


class Schemas(unittest.TestCase):
    def test_bytes_json_and_text(self) -> None:
        shape = s.Packed(s.Tuple((s.Reference(0), s.Unpacked(s.List(s.Leaf("word16"))), s.Packed(s.Maybe(I64)))))
        schema = Schema(shape, (SIDE,))
        self.assertEqual(schema.encode()[:21].hex(), "0e04" + "03" + "00" * 7 + "0b" + "00" * 8 + "0f05")
        self.assertEqual(Schema.decode(schema.encode()), schema)
        self.assertEqual(Schema.from_json(schema.to_json()), schema)
        self.assertIn('{"type":"unpacked","of":{"type":"list","of":{"type":"word16"}}}', schema.to_json())
        self.assertEqual(
            describe_schema(*(schema.root, schema.definitions)).splitlines()[0],
            "Packed (Side, Unpacked [Word16], Packed (Maybe Int64))",
        )
        self.assertNotEqual(schema.fingerprint(), Schema(s.without_format(shape), (SIDE,)).fingerprint())
        wrapped = Schema(s.Reference(0), (named("W", ("W", (s.Packed(I64),)), form="newtype"),))
        self.assertEqual(wrapped.fingerprint(), Schema(s.Packed(I64)).fingerprint())
        with self.assertRaises(DecodeError) as caught:
            Schema.decode(b"\x10")
        self.assertIn("constructor tag 16, but Shape has 16 constructors (tags 0 to 15)", str(caught.exception))

    def test_files(self) -> None:
        """A packed value of no bytes is a record of no bytes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file")
            rows: List[Tuple[s.Shape, List[Any]]] = [
                (s.Packed(UNIT), [(), ()]),
                (s.Packed(s.Unpacked(s.Packed(s.Tuple((UNIT, UNIT))))), [((), ()), ((), ())]),
                (s.Packed(s.Maybe(BOOL)), [None, True, False]),
            ]
            for shape, records in rows:
                write(path, bind(Schema(shape)), records)
                self.assertEqual(list(read(path)), records)

    def test_values_are_those_of_the_plain_format(self) -> None:
        shape = s.Maybe(s.Packed(s.Maybe(s.Unpacked(s.Map(s.Packed(TEXT), I64)))))
        kind = bind(Schema(shape))
        value = ({"a": 1},)
        self.assertEqual(kind.decode(kind.encode(value)), value)
        self.assertEqual(kind.to_json_line(value), '[{"a":1}]')
        self.assertEqual(shown_text(kind.schema.facts, kind.take, shape, value), 'Just (Just {"a": 1})')
        self.assertIn("Root = Optional[Tuple[Optional[Dict[str, int]]]]", python_source(kind.schema))


class Evolution(unittest.TestCase):
    def test_bytes_are_those_of_the_new_format(self) -> None:
        r = Random(12)
        for schema, value in samples(13, 150):
            old, new = (Schema(r.choice([x, s.Packed(x)]), schema.definitions) for x in [schema.root] * 2)
            data = bind(old).encode(value)
            reads = evolve(bind(new), old)
            self.assertEqual(repr(reads.decode_from(data, 0)), repr((value, len(data))))
            for n in range(len(data)):
                with self.assertRaises(DecodeError):
                    reads.decode_from(data[:n], 0)

    def test_errors(self) -> None:
        new = named("Size", ("Large", (s.Leaf("word16"),)))
        kind = bind(Schema(s.Reference(0), (new,)), evolution={"Size": [DroppedConstructor("Small")]})
        reads = evolve(kind, Schema(s.Packed(s.Reference(0)), (SIZE,)))
        self.assertEqual(reads.decode_from(b".\x80\x01", 1), ({"Large": (1,)}, 3))
        with self.assertRaises(DecodeError) as caught:
            reads.decode_from(b".\x00", 1)
        self.assertEqual(
            str(caught.exception),
            "at byte 1: in bytes of their own, at byte 0: constructor Small, which is no longer in use",
        )

    def test_keys(self) -> None:
        def keyed(x: s.Shape) -> Schema:
            return Schema(s.Map(x, I16))

        narrow: List[s.Shape] = [I16, s.Packed(I16)]
        wide: List[s.Shape] = [I64, s.Packed(I64)]
        for old in map(keyed, narrow):
            data = bind(old).encode({-300: 1, 2: 3})
            for x in narrow + wide:
                self.read_as(keyed(x), old, data, {-300: 1, 2: 3})
        for old in map(keyed, narrow):
            with self.assertRaises(EvolutionError) as caught:
                evolve(bind(keyed(s.Packed(s.Maybe(I16)))), old)
            self.assertIn("value{key}: Int16 cannot become Maybe Int16", str(caught.exception))

    def read_as(self, new: Schema, old: Schema, data: bytes, expected: Any) -> None:
        kind = bind(new)
        found = evolve(kind, old).decode_from(data, 0)
        self.assertEqual((kind.encode(found[0]), found[1]), (kind.encode(expected), len(data)))

    def test_recursion(self) -> None:
        """A type that contains itself by way of a packed one has a program."""

        def chain(n: s.Shape, around: Callable[[s.Shape], s.Shape]) -> Schema:
            c = s.Constructor("T", (s.Field("n", n), s.Field("next", around(s.Maybe(s.Reference(0))))))
            return Schema(s.Reference(0), (s.Definition("T", "record", "unknown", (c,)),))

        value = None
        for i in range(500):
            value = {"n": i % 256, "next": value}
        plain: Callable[[s.Shape], s.Shape] = lambda x: x
        for before in (s.Packed, plain, s.Unpacked):
            for after in (s.Packed, plain, s.Unpacked):
                for n in ("word8", "word16"):
                    old, new = chain(s.Leaf("word8"), before), chain(s.Leaf(n), after)
                    self.read_as(new, old, bind(old).encode(value), value)

    def test_bytes_inside_of_deep_ones_are_read_without_copying_the_path(self) -> None:
        outer = State(b"", 0, 0)
        for i in range(50_000):
            outer.enter(type_frame(f"T{i}"))
        start = time.monotonic()
        for _ in range(5_000):
            inner = outer.on(b"a")
        self.assertLess(time.monotonic() - start, 1)
        for i in range(50_000):
            inner.enter(elements_frame(i))
            inner.part(i)
        with self.assertRaisesRegex(DecodeError, "nested more than 100000 levels deep"):
            inner.enter(type_frame("More"))
        with self.assertRaises(DecodeError) as caught:
            inner.on(b"").need(2)
        path = "T0..." + "".join(f"[{i}]" for i in range(49_976, 50_000))
        self.assertEqual(str(caught.exception), f"at byte 0, in {path}: 2 bytes needed, 0 left (49999 elements announced)")
        with self.assertRaisesRegex(DecodeError, "at byte 0, in T0...: 1 byte needed, 0 left$"):
            outer.on(b"").need(1)

    def test_a_part_is_packed_on_one_side(self) -> None:
        def between(x: s.Shape) -> s.Shape:
            return s.Packed(s.Tuple((BOOL, x, BOOL)))

        rows: List[Tuple[s.Shape, Any]] = [(BOOL, True), (I16, -300), (s.Maybe(I16), 7), (s.List(s.Packed(BOOL)), [True, False])]
        for x, value in rows:
            parts = [Schema(between(y)) for y in (x, s.Packed(x), s.Unpacked(x))]
            for old in parts:
                for new in parts:
                    self.read_as(new, old, bind(old).encode((True, value, True)), (True, value, True))

    def test_defaults(self) -> None:
        """In a packed value, the default of a packed field is in the plain format until all is packed."""
        flag = named("F", ("F", (s.Packed(s.Maybe(I16)),)), form="record")
        fields = (s.Field("a", I16), s.Field("b", s.Packed(s.Reference(1))))

        def record(n: int) -> s.Definition:
            return s.Definition("R", "record", "unknown", (s.Constructor("R", fields[:n]),))

        rules = {"R": [Added("b", (-300,))]}
        roots: List[s.Shape] = [s.Reference(0), s.Packed(s.Reference(0))]
        for before in roots:
            old = Schema(before, (record(1),))
            data = bind(old).encode({"a": 5})
            for after in roots:
                new = Schema(after, (record(2), flag))
                found = evolve(bind(new, evolution=rules), old).decode_from(data, 0)
                self.assertEqual(found, ({"a": 5, "b": (-300,)}, len(data)))
                with self.assertRaises(EvolutionError) as caught:
                    evolve(bind(new), old)
                self.assertIn("R.b: the field is new", str(caught.exception))

    def test_types_that_contain_themselves(self) -> None:
        def endless(x: s.Shape) -> Schema:
            return Schema(s.Reference(0), (named("N", ("N", (x,)), form="newtype"),))

        packed, plain, other = endless(s.Packed(s.Reference(0))), endless(s.Unpacked(s.Reference(0))), Schema(I16)
        for new in (packed, plain):
            with self.assertRaises(EvolutionError) as refused:
                evolve(bind(new), other)
            self.assertIn("a newtype of itself has no values", str(refused.exception))
        for old, message in ((packed, "nested more than 100000 levels"), (plain, "a newtype of itself has no values")):
            with self.assertRaises(DecodeError) as caught:
                evolve(bind(other), old).decode_from(b"", 0)
            self.assertIn(message, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
