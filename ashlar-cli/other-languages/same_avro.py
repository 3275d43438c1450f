"""Check that files of Avro have the values of files of JSON in lines: JSON AVRO..."""

import json
import re
import sys

import avro.io
from avro.datafile import DataFileReader
from avro.io import DatumReader

# The years of Python's dates end at 9999.
avro.io.BinaryDecoder.read_date_from_int = lambda self: self.read_int()


def days_of(text):
    """The days since 1970 of a date of any year."""
    year, month, day = text.rsplit("-", 2)
    y, m, d = int(year), int(month), int(day)
    y -= m <= 2
    era, of_era = divmod(y, 400)
    of_year = (153 * (m + (-3 if m > 2 else 9)) + 2) // 5 + d - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


def is_date(text):
    parts = text.rsplit("-", 2) if isinstance(text, str) else []
    return len(parts) == 3 and all(p.isdigit() for p in parts[1:])


def same(j, a):
    """Are a value of JSON, whose numbers are strings, and one of Avro the same?"""
    if isinstance(a, dict):
        values = list(a.values())
        if isinstance(j, dict):
            if set(j) == set(a) and all(same(j[k], a[k]) for k in j):
                return True
            if len(j) == len(values) and all(map(same, j.values(), values)):
                return True
            # A constructor with its fields.
            if len(j) == 1 and same(next(iter(j.values())), a):
                return True
        if isinstance(j, list) and len(j) == len(values) and all(map(same, j, values)):
            return True
        # A constructor without fields; an optional value, a union or a newtype in a record.
        return (isinstance(j, str) and not values) or (len(values) == 1 and same(j, values[0]))
    if isinstance(a, list):
        return isinstance(j, list) and len(j) == len(a) and all(map(same, j, a))
    if a is None:
        return j in (None, [], "")
    if isinstance(a, bool):
        return j is a
    if isinstance(a, int):
        return j == str(a) or (is_date(j) and days_of(j) == a)
    if isinstance(a, float):
        if not isinstance(j, str):
            return False
        return float(j) == a or str(a) == "nan" == j.lower() or abs(float(j) - a) <= abs(a) * 1e-7
    if isinstance(a, bytes):
        return j == a.hex()
    # A surrogate alone; the symbol of an enumeration may be a name that was changed.
    return j == a or json.dumps(j) == a or (isinstance(j, str) and re.sub("[^A-Za-z0-9_]", "_", j) == re.sub("^_(?=[0-9])|_[0-9]+$", "", a))


names = sys.argv[1:]
for lines, values in zip(names[::2], names[1::2]):
    with open(lines, encoding="utf-8") as f:
        expected = [json.loads(line, parse_int=str, parse_float=str) for line in f]
    with open(values, "rb") as f:
        found = list(DataFileReader(f, DatumReader()))
    if len(expected) != len(found):
        sys.exit(f"{values}: {len(found)} values, not {len(expected)}")
    for j, a in zip(expected, found):
        if not same(j, a):
            sys.exit(f"{values}: {a!r} is not {j!r}")
