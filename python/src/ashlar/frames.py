"""Records as a table of pandas. Install it with ``pip install ./python[pandas]``."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional

from . import shapes as s
from .binding import Type
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


def to_pandas(
    source: Any,
    type: Optional[Type[Any]] = None,
    *,
    start: int = 0,
    count: Optional[int] = None,
    **options: Any,
) -> pandas.DataFrame:
    """The records of a file as a ``pandas.DataFrame``: a row for each, and a column for each field.

    Records that are no records with named fields are a column ``value``. Fields that are records are
    columns of their own, with a point between the names. Numbers, texts and Booleans get a type of
    pandas (a nullable one, so a ``Maybe`` of them does, too), dates are ``datetime64``. Other values
    stay as they are. The table is made in memory: read a part of a large file with ``start`` and
    ``count``. The other arguments are those of :func:`ashlar.read`.

    Raises :class:`ImportError` without pandas, and what :func:`ashlar.read` raises.
    """
    import pandas

    plain = type if type is None else _plain(type)
    records = islice(read(source, plain, start=start, **options), count)
    schema = None if type is None else type.schema
    rows, schema = _rows(source, records, schema)
    if schema is None:
        return pandas.DataFrame(rows)
    columns = _columns(schema, schema.root, "")
    data = {name: _column(pandas, shape, [row.get(name) for row in rows]) for name, shape in columns.items()}
    return pandas.DataFrame(data, columns=list(columns))


def _plain(type: Type[Any]) -> Type[Any]:
    from .binding import bind

    return bind(type.schema, evolution=type.evolution)


def _rows(source: Any, records: Iterable[Any], schema: Optional[Schema]) -> Any:
    from ._blocks import schemas_of

    if schema is None and not hasattr(source, "read"):
        found = {data for _, data in schemas_of(source)}
        # Records of several types have the columns of all of them.
        schema = Schema.decode(found.pop()) if len(found) == 1 else None
    rows: List[Dict[str, Any]] = []
    for record in records:
        row: Dict[str, Any] = {}
        _flatten(record, "", row)
        rows.append(row)
    return rows, schema


def _flatten(value: Any, name: str, row: Dict[str, Any]) -> None:
    if isinstance(value, dict) and value and all(isinstance(k, str) for k in value):
        for key, inner in value.items():
            _flatten(inner, f"{name}.{key}" if name else key, row)
    else:
        row[name or "value"] = value


def _columns(schema: Schema, shape: s.Shape, name: str, depth: int = 0) -> Dict[str, s.Shape]:
    shape = schema.facts.bare_shape(shape)
    if isinstance(shape, s.Reference) and depth < 8:
        d = schema.definitions[shape.to]
        if d.form == "record" and d.constructors[0].fields and not s.is_positional(d.constructors[0]):
            found: Dict[str, s.Shape] = {}
            for f in d.constructors[0].fields:
                inner = f"{name}.{f.name}" if name else f.name
                found.update(_columns(schema, f.shape, inner, depth + 1))
            return found
    return {name or "value": shape}


def _column(pandas: Any, shape: s.Shape, values: List[Any]) -> Any:
    if isinstance(shape, s.Maybe):
        shape = shape.of
    leaf = shape.leaf if isinstance(shape, s.Between) else shape
    if isinstance(leaf, s.Leaf) and leaf.type == "date":
        days = [None if v is None or abs(v - _EPOCH) > 100_000 else v - _EPOCH for v in values]
        return pandas.to_datetime(pandas.Series(days, dtype="float64"), unit="D")
    dtype = _NUMBERS.get(leaf.type, "object") if isinstance(leaf, s.Leaf) else "object"
    return pandas.Series(values, dtype=dtype)
