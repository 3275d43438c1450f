"""Tables of pandas. They are apart, because only this needs pandas."""

from __future__ import annotations

import math
import os
import tempfile
import unittest
from dataclasses import dataclass
from typing import Any, List, Optional

import pandas

import ashlar
from ashlar import Schema, bind
from ashlar import shapes as s
from ashlar.evolution import Added
from ashlar.frames import to_pandas


@dataclass
class Point:
    x: int
    y: Optional[float]


@dataclass
class Row:
    name: str
    at: Point
    to: Point


def schema(*fields: s.Field) -> Schema:
    point = s.Constructor("Point", (s.Field("x", s.Leaf("int8")), s.Field("y", s.Maybe(s.Leaf("float64")))))
    definitions = (
        s.Definition("Row", "record", "unknown", (s.Constructor("Row", fields),)),
        s.Definition("Point", "record", "unknown", (point,)),
    )
    return Schema(s.Reference(0), definitions)


ROWS = schema(
    s.Field("name", s.Leaf("utf8")),
    s.Field("at", s.Reference(1)),
    s.Field("day", s.Leaf("date")),
    s.Field("tags", s.Map(s.Leaf("utf8"), s.Leaf("int8"))),
    s.Field("large", s.Maybe(s.Leaf("word64"))),
)
VALUES = [
    {"name": "a", "at": {"x": 1, "y": None}, "day": 60369, "tags": {"k": 1}, "large": None},
    {"name": "b", "at": {"x": 2, "y": 0.5}, "day": 0, "tags": {}, "large": 2**64 - 1},
]


class Frames(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "rows")
        ashlar.write(self.path, bind(ROWS), VALUES)

    def test_columns(self) -> None:
        frame = to_pandas(self.path)
        self.assertEqual(list(frame.columns), ["name", "at.x", "at.y", "day", "tags", "large"])
        self.assertEqual(list(map(str, frame.dtypes)), ["string", "Int8", "Float64", "datetime64[ns]", "object", "UInt64"])
        self.assertEqual(frame["day"][0], pandas.Timestamp("2024-02-29"))
        self.assertEqual(frame["tags"][0], {"k": 1})
        self.assertTrue(pandas.isna(frame["at.y"][0]) and pandas.isna(frame["large"][0]))
        self.assertEqual(frame["large"][1], 2**64 - 1)

    def column(self, shape: s.Shape, values: Any, *definitions: s.Definition) -> Any:
        ashlar.write(self.path, bind(Schema(shape, definitions)), values)
        return to_pandas(self.path)["value"]

    def test_whole_numbers_of_all_sizes(self) -> None:
        for leaf in "word64", "int64":
            ends = [0, 2**64 - 1] if leaf == "word64" else [-(2**63), 2**63 - 1]
            values = [*ends, 1, 2**53 + 1, 2**62 + 1]
            column = self.column(s.Leaf(leaf), values)
            self.assertEqual((str(column.dtype).lower(), list(column)), ("u" * (leaf == "word64") + "int64", values))
            column = self.column(s.Maybe(s.Leaf(leaf)), [None, *values])
            self.assertEqual((list(column[1:]), list(column.isna())), (values, [True] + [False] * 5))

    def test_missing_numbers_are_not_nan(self) -> None:
        for leaf in "float32", "float64":
            column = self.column(s.Maybe(s.Leaf(leaf)), [None, float("nan"), 1.5])
            self.assertEqual(str(column.dtype), leaf.capitalize())
            self.assertIs(column[0], pandas.NA)
            self.assertTrue(math.isnan(column[1]))
            self.assertEqual(column[2], 1.5)

    def test_newtypes_within_maybe(self) -> None:
        user = s.Definition("User", "newtype", "unknown", (s.Constructor("User", (s.Field("", s.Leaf("int64")),)),))
        column = self.column(s.Maybe(s.Reference(0)), [None, 7], user)
        self.assertEqual((str(column.dtype), column[1]), ("Int64", 7))

    def test_dates_that_pandas_does_not_have(self) -> None:
        ends = [40587 - 106751, 40587 + 106751]
        for days, kind in (ends, "datetime64[ns]"), ([*ends, 40587 + 106752], "object"):
            ashlar.write(self.path, bind(ROWS), [{**VALUES[0], "day": day} for day in days])
            column = to_pandas(self.path)["day"]
            self.assertEqual(str(column.dtype), kind)
            self.assertFalse(column.isna().any())
            if kind == "object":
                self.assertEqual(list(column), days)

    def test_two_columns_of_one_name(self) -> None:
        both = schema(s.Field("at.x", s.Leaf("int8")), s.Field("at", s.Reference(1)))
        ashlar.write(self.path, bind(both), [{"at.x": 7, "at": {"x": 8, "y": None}}])
        frame = to_pandas(self.path)
        self.assertEqual(list(frame.columns), ["at.x", "at.x", "at.y"])
        self.assertEqual(list(frame.iloc[0])[:2], [7, 8])

    def test_records_in_records_make_no_more_columns_than_10000(self) -> None:
        def table(fields: int, levels: int) -> Any:
            """The columns of a record of records, at so many levels, where a schema says each record once."""
            shapes: List[s.Shape] = [*(s.Reference(i + 1) for i in range(levels - 1)), s.Leaf("int8")]
            value: Any = 7
            definitions = []
            for i, shape in enumerate(shapes):
                c = s.Constructor("R", tuple(s.Field(f"f{j}", shape) for j in range(fields)))
                definitions.append(s.Definition(f"R{i}", "record", "unknown", (c,)))
                value = {f.name: value for f in c.fields}
            ashlar.write(self.path, bind(Schema(s.Reference(0), tuple(definitions))), [value])
            return to_pandas(self.path)

        self.assertEqual(len(table(10, 4).columns), 10_000)
        frame = table(20, 4)
        self.assertEqual(len(frame.columns), 8_000 + 19 * 105)
        self.assertEqual(list(frame.columns[[0, 1, -1]]), ["f0.f0.f0.f0", "f0.f0.f0.f1", "f19.f19.f19"])
        self.assertEqual((frame.iloc[0, 0], frame.iloc[0, -1]["f19"]), (7, 7))
        self.assertEqual(len(table(10_001, 1).columns), 10_001)
        # 20 fields of a record itself, whose values have no end.
        loop = s.Constructor("R", tuple(s.Field(f"f{i}", s.Reference(0)) for i in range(20)))
        endless = Schema(s.Reference(0), (s.Definition("R", "record", "unknown", (loop,)),))
        ashlar.write(self.path, bind(endless), [])
        self.assertEqual(len(to_pandas(self.path).columns), 8_000 + 19 * 105)

    def test_a_part_of_a_file(self) -> None:
        self.assertEqual(list(to_pandas(self.path, start=1)["name"]), ["b"])
        self.assertEqual(list(to_pandas(self.path, count=1)["name"]), ["a"])
        self.assertEqual(len(to_pandas(self.path, count=0).columns), 6)

    def test_other_records(self) -> None:
        ashlar.write(self.path, bind(Schema(s.List(s.Leaf("int8")))), [[1], []])
        self.assertEqual(list(to_pandas(self.path)["value"]), [[1], []])

    def test_defaults_of_classes(self) -> None:
        older = schema(s.Field("name", s.Leaf("utf8")), s.Field("at", s.Reference(1)))
        ashlar.write(self.path, bind(older), [{"name": "a", "at": {"x": 1, "y": None}}])
        newer = schema(s.Field("name", s.Leaf("utf8")), s.Field("at", s.Reference(1)), s.Field("to", s.Reference(1)))
        type = bind(newer, Row, evolution={"Row": [Added("to", Point(7, 0.5))]})
        self.assertEqual(list(ashlar.read(self.path, type)), [Row("a", Point(1, None), Point(7, 0.5))])
        frame = to_pandas(self.path, type)
        self.assertEqual(list(frame.columns), ["name", "at.x", "at.y", "to.x", "to.y"])
        self.assertEqual((frame["at.x"][0], frame["to.x"][0], frame["to.y"][0]), (1, 7, 0.5))

    def test_several_types(self) -> None:
        fields = ROWS.definitions[0].constructors[0].fields + (s.Field("note", s.Leaf("utf8")),)
        newer = bind(schema(*fields), evolution={"Row": [Added("note", "?")]})
        ashlar.append(self.path, newer, [{**VALUES[0], "note": "new"}])
        with self.assertRaises(ValueError):
            to_pandas(self.path)
        self.assertEqual(list(to_pandas(self.path, newer)["note"]), ["?", "?", "new"])


if __name__ == "__main__":
    unittest.main()
