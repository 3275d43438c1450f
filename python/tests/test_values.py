"""Values by schemas: against the model, the tables of the format, and hostile bytes."""

from __future__ import annotations

import hashlib
import re
import sys
import time
import tracemalloc
import unittest
from collections import Counter, OrderedDict, defaultdict
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Dict, List, Tuple

import model
from ashlar import Array, AshlarError, DecodeError, EncodeError, ExactNaN, Schema, Type, bind
from ashlar import shapes as s
from ashlar._essence import essence_pieces, essence_size
from ashlar._schemawrite import encode_schema
from ashlar._state import State

ROOT = Path(__file__).resolve().parents[2]


def samples(seed: int, count: int) -> List[Tuple[Schema, Any]]:
    r = Random(seed)
    found: List[Tuple[Schema, Any]] = []
    while len(found) < count:
        made = model.sample(r)
        if made is not None:
            found.append(made)
    return found


def outcome(read: Any) -> Any:
    """What a reader returns, or the text of its error."""
    try:
        return repr(read())
    except DecodeError as e:
        return str(e)


def exactly(kind: Type[Any], data: bytes) -> Any:
    state = State(data, 0, len(data))
    value = kind._make_exact().read(state)
    state.expect_end()
    return value


class Values(unittest.TestCase):
    def test_bytes_are_those_of_the_model(self) -> None:
        for schema, value in samples(1, 800):
            expected = model.encode(schema, schema.root, value)
            kind = bind(schema)
            self.assertEqual(kind.encode(value), expected, schema)
            self.assertEqual(repr(kind.decode(expected)), repr(value), schema)
            self.assertEqual(kind.decode_many(expected * 3, 0, 3)[1], 3 * len(expected))

    def test_the_compiled_reader_agrees_with_the_exact_one(self) -> None:
        r = Random(2)
        for schema, value in samples(3, 250):
            kind = bind(schema)
            data = kind.encode(value)
            for _ in range(20):
                changed = bytearray(data)
                for _ in range(r.choice([1, 1, 2])):
                    if changed:
                        changed[r.randrange(len(changed))] = r.choice([0, 1, 2, 127, 128, 255, r.randrange(256)])
                hostile = bytes(changed[: r.randrange(len(changed) + 1)] if r.random() < 0.3 else changed)
                found = outcome(lambda: kind.decode(hostile))
                self.assertEqual(found, outcome(lambda: exactly(kind, hostile)), (schema, hostile))
                try:
                    accepted = kind.decode(hostile)
                except DecodeError:
                    continue
                self.assertEqual(kind.encode(accepted), hostile, schema)

    def test_every_truncation_is_refused(self) -> None:
        for schema, value in samples(4, 40):
            kind = bind(schema)
            data = kind.encode(value)
            for n in range(len(data)):
                with self.assertRaises(DecodeError):
                    kind.decode(data[:n])

    def test_random_bytes(self) -> None:
        r = Random(5)
        for schema, _ in samples(6, 300):
            kind = bind(schema)
            for _ in range(10):
                data = bytes(r.choice([0, 0, 1, 2, r.randrange(256)]) for _ in range(r.randrange(40)))
                outcome(lambda: kind.decode(data))

    def test_both_ways_to_json_agree(self) -> None:
        from ashlar._json import json_text
        from ashlar._write import plain_take

        for schema, value in samples(8, 800):
            expected = json_text(schema.facts, plain_take(schema.facts), schema.root, value)
            self.assertEqual(bind(schema).to_json_line(value), expected, schema)

    def test_json_has_dicts_and_sets_in_their_order(self) -> None:
        byte, text = s.Leaf("int8"), s.Leaf("utf8")
        order = s.Constructor("Order", (s.Field("1", byte), s.Field("2", byte)))
        orders = (s.Definition("Order", "record", "byParts", (order,)),)
        cases: List[Tuple[s.Shape, Any, str]] = [
            (s.Map(text, byte), {"b": 1, "a": 2}, '{"a":2,"b":1}'),
            (s.Map(text, byte), OrderedDict([("b", 1), ("a", 2)]), '{"a":2,"b":1}'),
            (s.Map(byte, byte), {2: 1, -1: 2}, "[[-1,2],[2,1]]"),
            (s.Map(s.Leaf("byteArray"), byte), {b"aa": 1, b"b": 2}, '[["62",2],["6161",1]]'),
            (s.Map(s.Tuple((byte, byte)), byte), {(2, 1): 1, (1, 2): 2}, "[[[1,2],2],[[2,1],1]]"),
            (s.Map(s.Maybe(byte), byte), {1: 1, None: 2}, "[[null,2],[1,1]]"),
            (s.Map(s.Reference(0), byte), {(2, 1): 1, (1, 2): 2}, "[[[1,2],2],[[2,1],1]]"),
            (s.Map(s.List(text), text), {("b", "c"): "x", ("a", "d"): "y"}, '[[["a","d"],"y"],[["b","c"],"x"]]'),
            (s.Set(byte), {64, 1, 32}, "[1,32,64]"),
            (s.Set(byte), frozenset([64, 1, 32]), "[1,32,64]"),
            (s.List(s.Set(s.Map(text, byte))), [[{"b": 1, "a": 2}, {"c": 1}]], '[[{"a":2,"b":1},{"c":1}]]'),
        ]
        for shape, value, text_of in cases:
            kind = bind(Schema(shape, orders if isinstance(shape, s.Map) and shape.key == s.Reference(0) else ()))
            self.assertEqual(kind.to_json_line(value), text_of, shape)
            self.assertEqual(kind.to_json_line(kind.decode(kind.encode(value))), text_of, shape)

    def test_both_writers_agree(self) -> None:
        from ashlar._write import plain_take, write

        for schema, value in samples(7, 500):
            out = bytearray()
            write(schema.facts, plain_take(schema.facts), schema.root, value, out)
            self.assertEqual(bytes(out), bind(schema).encode(value))


def nested(r: Random, levels: int) -> Tuple[Schema, Any]:
    """A schema of so many levels, each of which is a block of compiled code, and a value that reaches all of them."""
    shape: s.Shape = s.Tuple((s.Leaf("int8"), s.Leaf("int16", "bigEndian")))
    value: Any = (5, 258)
    definitions: List[s.Definition] = []
    may_be_none = False
    for _ in range(levels):
        kind = r.randrange(9)
        if kind < 3:
            value = (value,) if may_be_none else value
            shape, may_be_none = s.Maybe(shape), True
            continue
        may_be_none = False
        if kind < 5:
            shape, value = s.List(shape, kind == 4), [value] * r.randint(1, 2)
        elif kind == 5:
            shape, value = s.Map(s.Leaf("word16"), shape), {7: value}
        elif kind == 6:
            shape, value = s.Tuple((s.Leaf("word32"), shape, s.Leaf("bool"))), (9, value, True)
        elif kind == 7:
            shape, value = s.Tuple((s.Packed(s.Tuple((s.Leaf("bool"), shape))), s.Leaf("int8"))), ((True, value), 1)
        else:
            more = s.Constructor("More", (s.Field("1", s.Leaf("word16")), s.Field("2", shape)))
            name = f"T{len(definitions)}"
            definitions.append(s.Definition(name, "sum", "unknown", (s.Constructor("None", ()), more)))
            shape, value = s.Reference(len(definitions) - 1), {"More": (3, value)}
    return model.numbered(shape, definitions), value


class DeepCode(unittest.TestCase):
    def test_compiled_code_for_nested_blocks_agrees_with_the_model(self) -> None:
        from ashlar._json import json_text
        from ashlar._write import plain_take

        r = Random(9)
        for levels in range(6, 13):
            for _ in range(60):
                schema, value = nested(r, levels)
                expected = model.encode(schema, schema.root, value)
                kind = bind(schema)
                self.assertEqual(kind.encode(value), expected, schema)
                self.assertEqual(repr(kind.decode(expected)), repr(value), schema)
                self.assertEqual(repr(exactly(kind, expected)), repr(value), schema)
                text = json_text(schema.facts, plain_take(schema.facts), schema.root, value)
                self.assertEqual(kind.to_json_line(value), text, schema)


def made(name: str, parts: List[s.Shape], compact: bool) -> s.Shape:
    """The shape of a type with parameters."""
    if name == "Map":
        return s.Map(parts[0], parts[1], compact)
    if name == "Array":
        return s.Array(parts[0], parts[1])
    if name in ("Seq", "Vector"):
        return s.List(parts[0], compact)
    if name in ("Maybe", "Ratio"):
        return s.Maybe(parts[0]) if name == "Maybe" else s.Ratio(parts[0])
    return s.Set(parts[0], compact) if name == "Set" else s.NonEmpty(parts[0], compact)


class Tables(unittest.TestCase):
    def test_format(self) -> None:
        """The rows of docs/format.md whose types are leaves: their bytes are read and written again."""
        names = {
            "Word8": "word8", "Word16": "word16", "Word32": "word32", "Word64": "word64", "Word": "word64",
            "Int8": "int8", "Int16": "int16", "Int32": "int32", "Int64": "int64", "Int": "int64",
            "Float": "float32", "Double": "float64", "Integer": "integer", "Natural": "natural",
            "Char": "char", "Bool": "bool", "()": "unit", "ByteString": "bytes", "Text": "utf8",
            "UTF16": "utf16", "ScalarValue": "scalarValue", "ByteArray": "byteArray", "Day": "date",
            "DiffTime": "duration", "Centi": "fixedPoint",
        }  # fmt: skip

        def shape_of(name: str) -> s.Shape:
            if name in names:
                return s.Leaf(names[name], units=100 if name == "Centi" else 0)
            if name == "String":
                return s.List(s.Leaf("char"))
            if name == "Rational":
                return s.Ratio(s.Leaf("integer"))
            for word, encoding in (("Varint", "varint"), ("Zigzag", "zigzag"), ("BigEndian", "bigEndian")):
                if name.startswith(word + " "):
                    return s.Leaf(names[name.split()[1]], encoding)
            m = re.fullmatch(r"Packed \((.*)\)", name)
            if m:
                return s.Packed(shape_of(m[1]))
            m = re.fullmatch(r"\[(.*)\]", name)
            if m:
                return s.List(shape_of(m[1]))
            m = re.fullmatch(r"(Compact )?\(?(?:(Maybe|Set|Seq|Vector|NonEmpty|Map|Array|Ratio) )(.*?)\)?", name)
            if m:
                compact = m[1] is not None
                parts = [shape_of(x.strip("()")) if x != "()" else s.Leaf("unit") for x in m[3].split(" ")]
                return made(m[2], parts, compact)
            raise KeyError(name)

        rows = 0
        text = (ROOT / "docs" / "format.md").read_text()
        for name, value, data in re.findall(r"^\| `(.*?)` \| `(.*?)` \| `?([0-9a-f ]+|no bytes)`? \|$", text, re.M):
            try:
                shape = shape_of(name)
            except (KeyError, IndexError):
                continue
            raw = b"" if data == "no bytes" else bytes.fromhex(data)
            kind = bind(Schema(shape))
            found = kind.decode(raw)
            self.assertEqual(kind.encode(found), raw, name)
            if re.fullmatch(r"-?\d+", value):
                self.assertEqual(found, int(value))
            elif re.fullmatch(r"-?\d+\.\d+", value) and "Float" not in name:
                self.assertEqual(kind.to_json_line(found), value)
            rows += 1
        self.assertGreater(rows, 80)


class Refusals(unittest.TestCase):
    def refused(self, shape: s.Shape, data: str, message: str, *definitions: s.Definition) -> None:
        with self.assertRaises(DecodeError) as caught:
            bind(Schema(shape, definitions)).decode(bytes.fromhex(data))
        self.assertEqual(str(caught.exception), message)

    def test_words(self) -> None:
        leaf = s.Leaf
        eight = "00" * 7
        self.refused(leaf("bool"), "02", "at byte 0: a Bool is 0 or 1, not 2")
        self.refused(leaf("char"), "00001100", "at byte 0: a Char is at most 1114111, not 1114112")
        self.refused(leaf("scalarValue"), "00d80000", "at byte 0: a surrogate")
        self.refused(leaf("word16"), "01", "at byte 0: 2 bytes needed, 1 left")
        self.refused(leaf("word8"), "", "at byte 0: 1 byte needed, 0 left")
        self.refused(leaf("word8"), "0000", "at byte 1: expected the end of the input")
        self.refused(leaf("int8", "varint"), "8001", "at byte 0: a varint that does not fit its type")
        self.refused(leaf("int64", "varint"), "8000", "at byte 0: a varint that is not in its shortest form")
        self.refused(leaf("word64", "varint"), "80" * 3, "at byte 0: 4 bytes needed, 3 left")
        self.refused(leaf("word8", "zigzag"), "01", "at byte 0: less than 0")
        self.refused(leaf("word8", "zigzag"), "8004", "at byte 0: more than 255")
        self.refused(leaf("integer"), "01", "at byte 1: Integer: a negative zero")
        self.refused(leaf("integer"), "0200", "at byte 1: Integer: more bytes than needed")
        self.refused(leaf("natural"), "ff" * 9 + "01", "at byte 10: Integer: more bytes than there can be")
        self.refused(leaf("utf8"), "02" + eight + "61ff", "at byte 9: invalid UTF-8")
        self.refused(leaf("utf16"), "01" + eight + "00d8", "at byte 8: invalid UTF-16")
        self.refused(leaf("bytes"), "ff" * 8, "at byte 0: negative length -1")
        self.refused(leaf("bytes", compact=True), "ff" * 9 + "01", "at byte 0: a length that does not fit")
        self.refused(s.Maybe(leaf("bool")), "0102", "at byte 1, in Maybe.Just: a Bool is 0 or 1, not 2")
        self.refused(s.Maybe(leaf("bool")), "03", "at byte 0: Maybe: there is no constructor 3")
        self.refused(s.Between(2, 9, leaf("int8")), "01", "at byte 0: less than 2")
        self.refused(s.Ratio(leaf("int8")), "0204", "at byte 0: Ratio: not in lowest terms")
        self.refused(s.Ratio(leaf("int8")), "02ff", "at byte 0: Ratio: the denominator is not positive")
        self.refused(s.NonEmpty(leaf("bool"), True), "00", "at byte 0: NonEmpty: no elements")
        self.refused(s.Set(leaf("int8"), True), "020202", "at byte 2, in [1]: keys that do not ascend")
        self.refused(
            s.List(leaf("float64")),
            "02" + eight + "00" * 13,
            "at byte 16, in [1]: 8 bytes needed, 5 left (2 elements announced)",
        )
        self.refused(
            s.Array(leaf("int8"), leaf("bool")),
            "0102" + "01" + eight + "01",
            "at byte 2: an array with another number of elements than its bounds",
        )
        self.refused(s.Constant(b"ab"), "6163", "at byte 0: other bytes than it always has")

    def test_paths(self) -> None:
        inner = s.Constructor("Inner", (s.Field("price", s.Leaf("float64")),))
        item = s.Definition("Item", "record", "unknown", (inner,))
        outer = s.Constructor("Order", (s.Field("id", s.Leaf("word8")), s.Field("items", s.List(s.Reference(1)))))
        order = s.Definition("Order", "record", "unknown", (outer,))
        data = "07" + "02" + "00" * 7 + "00" * 8 + "00" * 3
        self.refused(
            s.Reference(0),
            data,
            "at byte 17, in Order.items[1].price: 8 bytes needed, 3 left (2 elements announced)",
            order,
            item,
        )


class Limits(unittest.TestCase):
    def test_nesting(self) -> None:
        chain = s.Definition(
            "Chain",
            "sum",
            "byParts",
            (s.Constructor("End", ()), s.Constructor("Link", (s.Field("1", s.Reference(0)),))),
        )
        kind = bind(Schema(s.Reference(0), (chain,)))
        data = b"\1" * 100_000 + b"\0"
        value = kind.decode(data)
        self.assertEqual(kind.encode(value), data)
        self.assertEqual(len(kind.to_json_line(value)), 100_000 * len('{"Link":[]}') + len('"End"'))
        with self.assertRaises(DecodeError) as caught:
            kind.decode(b"\1" + data)
        self.assertIn("nested more than 100000 levels deep; withBudget raises the limit", str(caught.exception))
        self.assertIn("in Chain.Link.Link", str(caught.exception))
        while isinstance(value, dict):
            value = value["Link"][0]

    def test_elements_of_no_bytes(self) -> None:
        kind = bind(Schema(s.List(s.Leaf("unit"))))
        self.assertEqual(len(kind.decode((1 << 20).to_bytes(8, "little"))), 1 << 20)
        with self.assertRaises(DecodeError) as caught:
            kind.decode(((1 << 20) + 1).to_bytes(8, "little"))
        self.assertEqual(
            str(caught.exception),
            "at byte 8: more than 1048576 elements of no bytes; withBudget raises the limit",
        )

    def refused(self, kind: Type[Any], value: Any, message: str) -> None:
        out = bytearray(b"before")
        with self.assertRaises(EncodeError) as caught:
            kind.encode_into(value, out)
        self.assertIn(message, str(caught.exception))
        self.assertEqual(out, b"before")

    def test_nothing_is_written_that_is_nested_too_deep(self) -> None:
        deep = "nested more than 100000 levels deep; withBudget raises the limit"
        node = s.Definition("Node", "record", "byParts", (s.Constructor("Node", (s.Field("next", s.Maybe(s.Reference(0))),)),))
        tree = s.Definition("Tree", "newtype", "byParts", (s.Constructor("Tree", (s.Field("1", s.List(s.Reference(0))),)),))
        roots: List[s.Shape] = [s.Reference(0), s.Packed(s.Reference(0))]
        for root in roots:
            kind = bind(Schema(root, (node,)))
            value: Any = {"next": None}
            for _ in range(49_999):
                value = {"next": value}
            self.assertIn("next", kind.decode(kind.encode(value)))
            self.refused(kind, {"next": value}, deep)
            self.refused(bind(Schema(s.List(root), (node,))), [{"next": value}], "in [0].next.next.next.next.next.next.next..")
        around: List[Any] = []
        around.append(around)
        self.refused(bind(Schema(s.Reference(0), (tree,))), around, deep)
        again: Any = {}
        again["next"] = again
        self.refused(bind(Schema(s.Reference(0), (node,))), again, deep)

    def test_no_more_elements_of_no_bytes_are_written_than_are_read(self) -> None:
        many = "more than 1048576 elements of no bytes; withBudget raises the limit"
        unit = s.Leaf("unit")
        empty = s.Definition("E", "record", "byParts", (s.Constructor("E", ()),))
        kind = bind(Schema(s.List(unit)))
        self.assertEqual(len(kind.encode([()] * (1 << 20))), 8)
        lists = bind(Schema(s.List(s.List(unit))))
        self.assertEqual(len(lists.decode(lists.encode([[()] * 1000] * 300))), 300)
        self.refused(lists, [[()] * 1000] * 1049, many)
        self.refused(bind(Schema(s.List(s.Packed(s.Reference(0))), (empty,))), [{}] * 600_000, many)
        self.refused(bind(Schema(s.Packed(s.List(s.Tuple((*[unit] * 200, s.Leaf("bool"))))))), [((),) * 200 + (True,)] * 5500, many)

    def test_fractions_are_written_as_large_as_they_are_read(self) -> None:
        kind = bind(Schema(s.List(s.Ratio(s.Leaf("integer")))))
        large = Fraction(1 << 200_000, 3**120_000)
        self.assertEqual(kind.decode(kind.encode([large])), [large])
        self.refused(kind, [large] * 25, "more than 1048576 steps to check fractions")

    def test_hostile_lengths_fail_at_once(self) -> None:
        start = time.process_time()
        shapes: List[s.Shape] = [s.List(s.Leaf("int64")), s.Leaf("bytes"), s.Leaf("utf8"), s.Set(s.Leaf("utf8"))]
        for shape in shapes:
            for n in (1 << 40, (1 << 63) - 1):
                with self.assertRaises(DecodeError):
                    bind(Schema(shape)).decode(n.to_bytes(8, "little") + bytes(100))
        self.assertLess(time.process_time() - start, 5)

    def test_no_more_than_256_keys_of_a_dict_have_one_hash(self) -> None:
        numbers = [i * (2**61 - 1) for i in range(257)]
        tuples = [tuple(-1 - (i >> j & 1) for j in range(8, -1, -1)) for i in range(256, -1, -1)]
        optional = [(n,) for n in numbers]
        small = s.Tuple((s.Leaf("int8"),) * 9)
        keyed: List[Tuple[s.Shape, List[Any]]] = [
            (s.Leaf("integer"), numbers),
            (s.Between(0, 2**80, s.Leaf("natural", compact=False)), numbers),
            (s.Maybe(s.Maybe(s.Leaf("integer"))), optional),
            (small, tuples),
        ]
        for key, keys in keyed:
            maps = s.Map(key, s.Leaf("word8"))
            for kind in (bind(Schema(maps)), bind(Schema(s.Packed(maps)))):
                few = {k: 1 for k in keys[:256]}
                self.assertEqual(kind.decode(kind.encode(few)), few)
                with self.assertRaisesRegex(EncodeError, "more than 256 keys with the same hash"):
                    kind.encode({k: 1 for k in keys})
            # The bytes of the map, as those of a list of pairs.
            pairs_of = s.List(s.Tuple((key, s.Leaf("word8"))))
            alike: List[Tuple[s.Shape, s.Shape]] = [(pairs_of, maps), (s.Packed(pairs_of), s.Packed(maps))]
            for listed, mapped in alike:
                data = bind(Schema(listed)).encode([(k, 1) for k in sorted(keys)])
                with self.assertRaisesRegex(DecodeError, "more than 256 keys with the same hash"):
                    bind(Schema(mapped)).decode(data)
        # Lists of pairs need no hashes.
        pairs = bind(Schema(s.List(s.Tuple((s.Leaf("integer"), s.Leaf("word8"))))))
        self.assertEqual(len(pairs.decode(pairs.encode([(n, 1) for n in numbers]))), 257)

    def test_unfair_schemas(self) -> None:
        """Thirty records, of which each has the next one twice, and the last has no bytes."""
        count = 30
        definitions = []
        for i in range(count):
            last = i == count - 1
            fields = () if last else (s.Field("a", s.Reference(i + 1)), s.Field("b", s.Reference(i + 1)))
            definitions.append(s.Definition(f"R{i}", "record", "unknown", (s.Constructor("R", fields),)))
        with self.assertRaises(DecodeError) as caught:
            bind(Schema(s.Reference(0), tuple(definitions))).decode(b"")
        self.assertIn("more than 1048576 elements of no bytes", str(caught.exception))
        # Bytes that come after them, and are not there, pay for no more than 2^20 of them.
        after = s.Tuple((s.Reference(0), s.Opaque("x", 0, 0x1000000)))
        with self.assertRaisesRegex(DecodeError, "more than 1048576 elements of no bytes"):
            bind(Schema(after, tuple(definitions))).decode(b"")

    def test_types_without_finite_values(self) -> None:
        for form in ("newtype", "record"):
            d = s.Definition("T", form, "unknown", (s.Constructor("T", (s.Field("1", s.Reference(0)),)),))
            with self.assertRaises(DecodeError) as caught:
                bind(Schema(s.Reference(0), (d,))).decode(b"")
            self.assertIn("nested more than 100000 levels deep", str(caught.exception))


class Schemas(unittest.TestCase):
    def refused(self, root: str, message: str) -> None:
        with self.assertRaises(AshlarError) as caught:
            Schema.from_json('{"root":%s,"definitions":[]}' % root)
        self.assertEqual(str(caught.exception), message)

    def test_what_no_bytes_can_hold(self) -> None:
        for names in ("\ud800BC", "A\udfffC", "AB\ud800"):
            d = s.Definition(names[0], "record", "unknown", (s.Constructor(names[1], (s.Field(names[2], s.Leaf("bool")),)),))
            with self.assertRaises(AshlarError) as caught:
                Schema(s.Reference(0), (d,))
            self.assertEqual(str(caught.exception), "definition 0: a name with a surrogate")
        self.refused('{"type":"irregular","name":"\\ud800"}', "the root: a name with a surrogate")
        self.refused('{"type":"opaque","name":"\\ud800","version":1}', "the root: a name with a surrogate")
        large = "the root: a number that does not fit 64 bits"
        self.refused('{"type":"opaque","name":"X","version":9223372036854775808}', large)
        self.refused('{"type":"opaque","name":"X","version":1,"size":9223372036854775808}', large)
        self.refused('{"type":"reference","to":9007199254740993}', "a reference to definition 9007199254740993")
        with self.assertRaises(AshlarError):
            Schema(s.Between(0, 1, s.Leaf("fixedPoint", units=-1)))
        paired = '{"root":{"type":"irregular","name":"\\ud83d\\ude00"},"definitions":[]}'
        self.assertEqual(Schema.from_json(paired).root, s.Irregular("\U0001f600"))

    def test_the_size_of_an_essence_is_known_before_it_is_made(self) -> None:
        r = Random(21)
        for schema, _ in samples(21, 500):
            for root in (schema.root, model.random_shape(r, 2, len(schema.definitions))):
                pieces = list(essence_pieces(schema.facts.bare, root, schema.definitions))
                self.assertEqual(essence_size(root, schema.definitions), len(b"".join(pieces)), (root, schema))
                digest = hashlib.md5(b"".join(pieces), usedforsecurity=False).digest()
                self.assertEqual(schema.with_root(root).fingerprint(), digest)

    def often(self, n: int, size: int) -> Tuple[s.Shape, Tuple[s.Definition, ...]]:
        """A record with so many fields of a newtype of so many bytes."""
        newtype = s.Definition("N", "newtype", "unknown", (s.Constructor("N", (s.Field("1", s.Constant(bytes(size))),)),))
        uses = s.Constructor("R", tuple(s.Field(str(i), s.Reference(1)) for i in range(n)))
        return s.Reference(0), (s.Definition("R", "record", "unknown", (uses,)), newtype)

    def test_a_large_essence_is_hashed_in_pieces(self) -> None:
        schema = Schema(*self.often(100, 1 << 20))
        other = Schema(*self.often(101, 1 << 20))
        tracemalloc.start()
        try:
            schema.fingerprint()
            self.assertLess(tracemalloc.get_traced_memory()[1], 10 << 20)
        finally:
            tracemalloc.stop()
        self.assertFalse(schema.same_fingerprint(other))
        self.assertTrue(schema.same_fingerprint(Schema.decode(schema.encode())))

    def test_an_essence_of_more_than_a_gibibyte_is_refused(self) -> None:
        at_most = (1 << 30) - essence_size(*self.often(1024, 0))
        each, rest = divmod(at_most, 1024)
        root, (record, newtype) = self.often(1024, each)
        for more, refused in ((rest, False), (rest + 1, True)):
            c = record.constructors[0]
            longer = s.Field(c.fields[-1].name + "0" * more, s.Reference(1))
            c = s.Constructor(c.name, (*c.fields[:-1], longer))
            definitions = (s.Definition("R", "record", "unknown", (c,)), newtype)
            data = encode_schema(root, definitions)
            if not refused:
                self.assertEqual(essence_size(root, definitions), 1 << 30)
                self.assertEqual(Schema.decode(data).encode(), data)
                continue
            with self.assertRaisesRegex(AshlarError, "^a schema whose essence has more than 1 GiB$"):
                Schema(root, definitions)
            with self.assertRaisesRegex(DecodeError, "^at byte 0: a schema whose essence has more than 1 GiB$"):
                Schema.decode(data)

    def test_other_text(self) -> None:
        for text in ("", "[]", "{}", '{"root":{"type":"constant","bytes":"0"},"definitions":[]}'):
            with self.assertRaises(AshlarError):
                Schema.from_json(text)

    def test_the_order_of_checks(self) -> None:
        # All bytes of constructors without fields are there before one of them is read.
        place = "in Schema.schemaDefinitions[0].definition"
        for data, message in (
            (
                "000000000a01000000380000000000000000dc",
                f"at byte 19, {place}Order: 1 byte needed, 0 left (4035225266141396992 elements announced)",
            ),
            (
                "0000010000000000000000000000000000000505",
                f"at byte 18, {place}Form: constructor tag 5, but Form has 3 constructors (tags 0 to 2)",
            ),
        ):
            with self.assertRaises(DecodeError) as caught:
                Schema.decode(bytes.fromhex(data))
            self.assertEqual(str(caught.exception), message)


ODD: List[Any] = [
    None, 0, 1, -1, 300, 0.5, 1e300, float("nan"), Fraction(1, 3), "", "ab", "\ud800", True, [], [1], (), (1,), {}, {1: 2},
    b"", b"a", memoryview(b"z"), {2, 1}, frozenset([8, 1]), object(), Array(0, 1, [1]), "C1",
]  # fmt: skip


def changed(r: Random, x: Any) -> Any:
    """A value with another one somewhere in it."""
    if r.random() < 0.25:
        return r.choice(ODD)
    if isinstance(x, (list, tuple)) and x:
        i, xs = r.randrange(len(x)), list(x)
        if r.random() < 0.6:
            return type(x)([changed(r, y) if i == j else y for j, y in enumerate(xs)])
        return type(x)(r.choice([xs[::-1], xs + xs[i:], xs[:i], xs + [r.choice(ODD)]]))
    if isinstance(x, dict) and x:
        if r.random() < 0.2:
            return {**x, "more": 1}
        at = r.choice(list(x))
        return {k: changed(r, y) if k is at else y for k, y in x.items()}
    if isinstance(x, Array):
        return Array(changed(r, x.lower), x.upper, x.elements)
    return r.choice(ODD)


class Number:
    """What is no number, but stands for one."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __index__(self) -> int:
        return self.n


class Writing(unittest.TestCase):
    def test_whatever_is_written_is_read(self) -> None:
        r = Random(12)
        written = 0
        for schema, value in samples(9, 1000):
            kind = bind(schema)
            for _ in range(10):
                other = changed(r, value)
                try:
                    data = kind.encode(other)
                except EncodeError:
                    continue
                written += 1
                self.assertEqual(kind.encode(kind.decode(data)), data, (schema, other))
        self.assertGreater(written, 1000)

    def test_keys_are_compared_as_they_are_written(self) -> None:
        byte, double, single = s.Leaf("word8"), s.Leaf("float64"), s.Leaf("float32")
        refused: List[Tuple[s.Shape, Any]] = [
            (s.Set(single), [0.1, 0.1 + 1e-12]),
            (s.Map(single, byte), {0.1: 1, 0.1 + 1e-12: 2}),
            (s.Set(double), [2**53, 2**53 + 1]),
            (s.Map(double, byte), {2**53: 1, 2**53 + 1: 2}),
            (s.Map(byte, byte), {Number(1): 1, 1: 2}),
            (s.Set(s.Leaf("bytes")), [memoryview(b"b"), memoryview(b"a")]),
            (s.Set(s.Between(0, 9, byte)), [Number(2), Number(1)]),
        ]
        for shape, value in refused:
            with self.assertRaises(EncodeError) as caught:
                bind(Schema(shape)).encode(value)
            self.assertEqual(str(caught.exception), "in [1]: keys that do not ascend")
        with self.assertRaises(EncodeError) as caught:
            bind(Schema(s.Set(s.List(byte)))).encode([iter([2]), iter([1])])
        self.assertEqual(str(caught.exception), "in [1]: keys that cannot be compared")
        accepted: List[Tuple[s.Shape, Any, Any]] = [
            (s.Set(s.Set(byte)), {frozenset([8, 1]), frozenset([2])}, [[1, 8], [2]]),
            (s.Set(s.Set(byte)), [{8, 1}, [2]], [[1, 8], [2]]),
            (s.Set(s.Map(byte, byte)), [{8: 0, 1: 0}, {2: 0}], [{1: 0, 8: 0}, {2: 0}]),
            (s.Set(byte), [Number(1), 2], [1, 2]),
        ]
        for shape, value, found in accepted:
            kind = bind(Schema(shape))
            self.assertEqual(kind.decode(kind.encode(value)), found)

    def test_refused_values(self) -> None:
        cases: List[Tuple[s.Shape, Any, str]] = [
            (s.Leaf("word8"), 256, "more than 255"),
            (s.Leaf("word8"), "1", "a whole number is needed, not str"),
            (s.Leaf("utf8"), "\ud800", "a str with a surrogate"),
            (s.Leaf("bool"), 1, "a bool is needed, not int"),
            (s.Leaf("float32"), 1e300, "a float that is too large"),
            (s.Leaf("float64"), 2**2000, "a float that is too large"),
            (s.List(s.Leaf("bool")), [True, 3], "in [1]: a bool is needed, not int"),
            (s.Set(s.Leaf("int8")), [1, 1], "in [1]: keys that do not ascend"),
            (s.NonEmpty(s.Leaf("int8")), [], "at least one element is needed"),
            (s.Tuple((s.Leaf("int8"), s.Leaf("int8"))), (1,), "a tuple of 2 values is needed, not tuple"),
            (s.Maybe(s.Maybe(s.Leaf("int8"))), 1, "None or a tuple of one value is needed, not int"),
            (s.Leaf("char"), b"a", "a str of one character is needed, not bytes"),
            (s.Array(s.Leaf("int8"), s.Leaf("int8")), Array(1, 3, [1]), "an array with another number of elements than its bounds"),
        ]
        for shape, value, message in cases:
            with self.assertRaises(EncodeError) as caught:
                bind(Schema(shape)).encode(value)
            self.assertEqual(str(caught.exception), message)

    def test_bounds_of_arrays_are_what_stands_for_a_number(self) -> None:
        byte = s.Leaf("int8")
        one = bind(Schema(s.Array(byte, byte)))
        two = bind(Schema(s.Array(s.Tuple((byte, s.Leaf("char"))), byte)))
        for low, high in ((-1, 1), (1, 3)):
            self.assertEqual(one.encode(Array(Number(low), Number(high), [7, 8, 9])), one.encode(Array(low, high, [7, 8, 9])))
        self.assertEqual(one.encode(Array(Number(5), Number(3), [])), one.encode(Array(5, 3, [])))
        pairs = two.encode(Array((0, "a"), (0, "b"), [7, 8]))
        self.assertEqual(two.encode(Array((Number(0), "a"), (Number(0), "b"), [7, 8])), pairs)
        self.assertEqual(two.encode(Array([0, "a"], [0, "b"], [7, 8])), pairs)
        for wrong in (0.0, float("inf"), float("nan"), "", "ab", None, (1, 2, 3), [None, "a"]):
            for kind in (one, two):
                for array in (Array(wrong, wrong, [1]), Array(wrong, 1, [1]), Array(0, wrong, [1])):
                    with self.assertRaises(EncodeError):
                        kind.encode(array)

    def test_what_only_has_the_methods_of_a_value_is_refused(self) -> None:
        class Other:
            def encode(self, *encoding: str) -> bytes:
                return b"ab"

            def items(self) -> Any:
                return [("A", (1, 2))]

        a = s.Constructor("A", (s.Field("1", s.Leaf("int8")), s.Field("2", s.Leaf("int8"))))
        either = s.Definition("T", "sum", "byParts", (a, s.Constructor("B", a.fields)))
        shapes: List[s.Shape] = [s.Leaf("utf8"), s.Leaf("utf16"), s.Leaf("utf8", compact=True), s.Reference(0)]
        for shape in shapes:
            definitions = (either,) if shape == s.Reference(0) else ()
            for kind in (bind(Schema(shape, definitions)), bind(Schema(s.Packed(shape), definitions))):
                with self.assertRaisesRegex(EncodeError, "is needed, not Other"):
                    kind.encode(Other())
        with self.assertRaises(EncodeError):
            bind(Schema(s.Reference(0), (either,))).to_json_line(Other())
        for bits in (b"", b"ab", b"\x7f\x80\0\0", b"\0\0\0\0", b"\x7f\xc0\0\0\0"):
            with self.assertRaises(ValueError):
                ExactNaN(bits)
        self.assertEqual(bind(Schema(s.Leaf("float32"))).encode(ExactNaN(b"\xff\x80\0\1")), b"\1\0\x80\xff")

    def test_refused_values_that_have_no_text(self) -> None:
        fields = (s.Field("n", s.Leaf("integer")), s.Field("m", s.Leaf("int8")))
        kind = bind(Schema(s.Reference(0), (s.Definition("P", "record", "byParts", (s.Constructor("P", fields),)),)))
        deep: Any = 0
        for _ in range(100_000):
            deep = [deep]
        cases: List[Tuple[Any, str]] = [
            ({"n": 1}, "{'n': 1} is not a value of P, without m"),
            ({"n": 10**5000}, "a value of type dict is not a value of P, without m"),
            ({"n": deep}, "a value of type dict is not a value of P, without m"),
            ({"n": 1, "m": 2, 10**5000: 3}, "a value of type dict is not a value of P, with a value of type int"),
        ]
        for value, message in cases if hasattr(sys, "get_int_max_str_digits") else cases[:1]:
            for write in (kind.encode, kind.to_json_line):
                with self.assertRaises(EncodeError) as caught:
                    write(value)
                self.assertEqual(str(caught.exception), message)

    def test_mappings_that_invent_values(self) -> None:
        fields = (s.Field("x", s.Leaf("int32")), s.Field("count", s.Leaf("int32")))
        record = s.Definition("P", "record", "byParts", (s.Constructor("P", fields),))
        two = s.Definition("S", "sum", "byParts", (s.Constructor("A", fields), s.Constructor("B", fields)))
        p, sum_ = bind(Schema(s.Reference(0), (record,))), bind(Schema(s.Reference(0), (two,)))
        wrong = {"xx": 1, "count": 2}
        values: List[Dict[str, int]] = [wrong, Counter(wrong), defaultdict(int, wrong)]
        for value in values:
            for write in (p.encode, p.to_json_line):
                with self.assertRaises(EncodeError) as caught:
                    write(value)
                self.assertIn("is not a value of P, without x and with xx", str(caught.exception))
            for write in (sum_.encode, sum_.to_json_line):
                with self.assertRaises(EncodeError):
                    write({"A": value})
            self.assertEqual(dict(value), wrong)
        right = {"x": 1, "count": 2}
        for same in (OrderedDict(right), Counter(right)):
            self.assertEqual(p.encode(same), p.encode(right))
            self.assertEqual(p.to_json_line(same), '{"x":1,"count":2}')
        with self.assertRaises(EncodeError):
            p.to_json_line({**right, "more": 3})

    def test_what_is_no_input(self) -> None:
        units, data = bind(Schema(s.List(s.Leaf("unit")))), bind(Schema(s.Leaf("bytes", compact=True)))
        wrong: List[Any] = [8, "8", [8], None]
        for x in wrong:
            with self.assertRaises(TypeError):
                units.decode(x)
            with self.assertRaises(TypeError):
                units.decode_from(x, 0)
            with self.assertRaises(TypeError):
                units.decode_many(x, 0, 1)
        for held in (b"..\2ab", bytearray(b"..\2ab"), memoryview(b"..\2ab")):
            for value in (data.decode_from(held, 2)[0], data.decode_many(held, 2, 1)[0][0], data.decode(held[2:])):
                self.assertIs(type(value), bytes)
                self.assertEqual(value, b"ab")
            for at in (-1, 6):
                with self.assertRaisesRegex(ValueError, f"an offset from 0 to 5 is needed, not {at}") as caught:
                    data.decode_from(held, at)
                self.assertNotIsInstance(caught.exception, DecodeError)
                with self.assertRaisesRegex(ValueError, f"an offset from 0 to 5 is needed, not {at}"):
                    data.decode_many(held, at, 1)
        with self.assertRaises(DecodeError):
            data.decode_from(b"", 0)

    def test_types_without_values(self) -> None:
        for form in ("newtype", "record"):
            d = s.Definition("T", form, "unknown", (s.Constructor("T", (s.Field("1", s.Reference(0)),)),))
            with self.assertRaises(EncodeError) as caught:
                bind(Schema(s.Reference(0), (d,))).encode(())
            self.assertEqual(str(caught.exception), "T has no values")

    def test_unordered_containers_are_ordered(self) -> None:
        self.assertEqual(bind(Schema(s.Set(s.Leaf("int8"), True))).encode({3, 1, 2}), b"\3\1\2\3")
        kind = bind(Schema(s.Map(s.Leaf("int8"), s.Leaf("bool"), True)))
        self.assertEqual(kind.encode({2: True, 1: False}), b"\2\1\0\2\1")

    def test_nans_keep_their_bits(self) -> None:
        for leaf, bits in (
            (s.Leaf("float32"), "0100a07f"),
            (s.Leaf("float32"), "0000c0ff"),
            (s.Leaf("float32", "bigEndian"), "7fa00001"),
            (s.Leaf("float64"), "010000000000f47f"),
        ):
            kind = bind(Schema(leaf))
            self.assertEqual(kind.encode(kind.decode(bytes.fromhex(bits))).hex(), bits)


if __name__ == "__main__":
    unittest.main()
