"""Random schemas, values and damage, for as long as one likes.

    PYTHONPATH=src:tests python3 tests/fuzz.py SECONDS [SEED]

Everything must be read or refused, by the compiled decoder as by the exact one, and what is read must
have the same bytes again.
"""

from __future__ import annotations

import sys
import time
from random import Random
from typing import Any

import model
from ashlar import DecodeError, EvolutionError, Schema, bind, evolve, python_source
from test_values import exactly, outcome


def damaged(r: Random, data: bytes) -> bytes:
    """The bytes with some of them changed, removed or inserted."""
    changed = bytearray(data)
    for _ in range(r.choice([1, 1, 2, 4])):
        if not changed:
            break
        at = r.randrange(len(changed))
        kind = r.random()
        if kind < 0.6:
            changed[at] = r.choice([0, 1, 2, 3, 127, 128, 255, r.randrange(256)])
        elif kind < 0.8:
            del changed[at : at + r.choice([1, 8])]
        else:
            changed[at:at] = r.randbytes(r.choice([1, 8]))
    return bytes(changed)


def values(r: Random, schema: Schema, value: Any, end: float) -> bytes:
    """Check a value and what becomes of it by damage, until it is time to end."""
    kind = bind(schema)
    data = kind.encode(value)
    assert data == model.encode(schema, schema.root, value), schema
    for _ in range(30):
        if time.monotonic() > end:
            break
        hostile = damaged(r, data)
        found = outcome(lambda: kind.decode(hostile))
        assert found == outcome(lambda: exactly(kind, hostile)), (schema, hostile)
        try:
            accepted = kind.decode(hostile)
        except DecodeError:
            continue
        assert kind.encode(accepted) == hostile, (schema, hostile)
        kind.to_json_line(accepted)
    return data


def schemas(r: Random, schema: Schema, data: bytes, end: float) -> None:
    """Check the schema after damage, and what it makes of the value."""
    for _ in range(20):
        if time.monotonic() > end:
            break
        hostile = damaged(r, schema.encode())
        try:
            other = Schema.decode(hostile)
        except DecodeError:
            continue
        assert other.encode() == hostile
        assert Schema.from_json(other.to_json()) == other
        assert len(other.fingerprint()) == 16
        compile(python_source(other), "source", "exec")
        outcome(lambda: bind(other).decode(data))
        try:
            reads = evolve(bind(other), schema, skipping=True)
        except EvolutionError:
            continue
        for old in (data, damaged(r, data)):
            one = outcome(lambda: reads.decode_from(old, 0))
            many = outcome(lambda: reads.decode_many(old, 0, 1))
            assert many == one or many == f"([{one[1:].rpartition(', ')[0]}], {one.rpartition(', ')[2]}", (schema, other, old)


def main(seconds: float, seed: int) -> None:
    """Go on for some time."""
    r = Random(seed)
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        made = model.sample(r)
        if made is not None:
            schemas(r, made[0], values(r, *made, min(end, time.monotonic() + 5)), end)
            count += 1
    print(f"{count} schemas")


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time()))
