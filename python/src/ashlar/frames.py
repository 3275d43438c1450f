"""Records as a table of pandas. Install it with ``pip install ./python[pandas]``."""

from __future__ import annotations

import os
from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple

from . import shapes as s
from ._blocks import schemas_of
from .binding import Type, bind
from .files import read
from .schema import Schema

if TYPE_CHECKING:
    import pandas

__all__ = ["to_pandas"]

#: The columns of these leaves have a type of their own. (A nullable one holds what is ``None``.)
_NUMBERS = {
    "word8": "UInt8",
    "word16": "UInt16",
    "word32": "UInt32",
    "word64": "UInt64",
    "int8": "Int8",
    "int16": "Int16",
    "int32": "Int32",
    "int64": "Int64",
    "float32": "float32",
    "float64": "float64",
    "bool": "boolean",
    "utf8": "string",
    "utf16": "string",
    "char": "string",
    "scalarValue": "string",
}

#: The Modified Julian Day of 1970-01-01.
_EPOCH = 40_587

# As many days before and after it have a datetime64 in nanoseconds.
_DAYS = 106_751

#: Records that are nested deeper are one column.
_DEEP = 8

#: Records in records are one column where their fields would make more than so many.
_MOST_COLUMNS = 10_000


def to_pandas(
    source: Any,
    type: Optional[Type[Any]] = None,
    *,
    start: int = 0,
    count: Optional[int] = None,
    **options: Any,
) -> pandas.DataFrame:
    """The records of a file as a ``pandas.DataFrame``: a row for each, and a column for each field.

    Records without named fields are a column ``value``. Fields that are records are columns of their
    own, with a point between the names. A record more than 8 levels deep stays as it is, and so does
    a record in a record whose fields would make more than 10,000 columns. Whole numbers, texts and Booleans get a
    nullable type of pandas, and so does a ``Maybe`` of them. Floating-point numbers are ``float32`` and
    ``float64``; a ``Maybe`` of them is ``Float32`` or ``Float64``, in which ``None`` is missing and NaN
    is a number.
    Dates are ``datetime64``. Other values stay as they are, and so does a column of dates if one is
    before 1677 or after 2262, where ``datetime64`` has none.
    The table is made in memory: read a part of a large file with ``start`` and ``count``. The other
    arguments are those of :func:`ashlar.read`.

    Raises :class:`ImportError` without pandas, :class:`ValueError` for a file of several types if
    none of them is asked for, and what :func:`ashlar.read` raises.
    """
    import pandas

    plain = bind(_one_schema(os.fspath(source))) if type is None else type.as_plain()
    schema = plain.schema
    columns = _columns(schema)
    data: List[List[Any]] = [[] for _ in columns]
    for record in islice(read(source, plain, start=start, **options), count):
        for (path, _), values in zip(columns, data):
            value = record
            for name in path:
                value = value[name]
            values.append(value)
    names = [".".join(path) or "value" for path, _ in columns]
    made = [_column(pandas, schema, shape, x) for (_, shape), x in zip(columns, data)]
    frame = pandas.concat(made, axis=1, ignore_index=True)
    # (Two of them may be the same.)
    frame.columns = names
    return frame


def _one_schema(path: str) -> Schema:
    found = {data for _, data in schemas_of(path)}
    if len(found) > 1:
        raise ValueError(f"{path}: records of several types; say which one to read them as")
    return Schema.decode(found.pop())


def _columns(schema: Schema) -> List[Tuple[Tuple[str, ...], s.Shape]]:
    # The way to each column, and its shape. Each turn makes columns of the records of one level.
    columns: List[Tuple[Tuple[str, ...], s.Shape]] = [((), schema.facts.value_shape(schema.root))]
    named: Dict[int, Sequence[s.Field]] = {}
    for level in range(_DEEP):
        count = len(columns)
        found: List[Tuple[Tuple[str, ...], s.Shape]] = []
        for path, shape in columns:
            fields: Sequence[s.Field] = ()
            if len(path) == level and isinstance(shape, s.Reference):
                if shape.to not in named:
                    named[shape.to] = _named_fields(schema.definitions[shape.to])
                fields = named[shape.to]
            more = count + len(fields) - 1
            # (The fields of a whole record are no more than its schema has.)
            if fields and (level == 0 or more <= _MOST_COLUMNS):
                found += [((*path, f.name), schema.facts.value_shape(f.shape)) for f in fields]
                count = more
            else:
                found.append((path, shape))
        columns = found
    return columns


def _named_fields(d: s.Definition) -> Sequence[s.Field]:
    # The named fields of a record.
    if d.form != "record" or s.is_positional(d.constructors[0]):
        return ()
    return d.constructors[0].fields


def _column(pandas: Any, schema: Schema, shape: s.Shape, values: List[Any]) -> Any:
    optional = isinstance(shape, s.Maybe)
    if isinstance(shape, s.Maybe):
        shape = schema.facts.value_shape(shape.of)
    leaf = shape.leaf if isinstance(shape, s.Between) else shape
    kind = leaf.type if isinstance(leaf, s.Leaf) else ""
    if kind == "date":
        days = [None if v is None else v - _EPOCH for v in values]
        if all(day is None or abs(day) <= _DAYS for day in days):
            return pandas.to_datetime(pandas.Series(days, dtype="float64"), unit="D")
        # pandas has no such dates, so they stay Modified Julian Days.
        return pandas.Series(values, dtype="object")
    dtype = _NUMBERS.get(kind, "object")
    if dtype.startswith("float") and optional:
        return _optional_floats(pandas, dtype, values)
    if "Int" in dtype:
        # (pandas makes whole numbers of a list floating-point ones, if not all of them fit an Int64.)
        values = pandas.Series(values, dtype="object")
    return pandas.Series(values, dtype=dtype)


def _optional_floats(pandas: Any, dtype: str, values: List[Any]) -> Any:
    # (From a list, NaN would be missing, too.)
    numbers = pandas.Series([0.0 if v is None else v for v in values], dtype=dtype).to_numpy()
    missing = pandas.Series([v is None for v in values], dtype="bool").to_numpy()
    return pandas.Series(pandas.arrays.FloatingArray(numbers, missing))
