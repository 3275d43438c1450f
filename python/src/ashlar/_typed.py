"""Reading records of other schemas as values of a type."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

from ._records import Values
from .binding import Type
from .errors import DecodeError
from .schema import Schema

__all__ = ["evolved_reader", "refused_schema", "stored_fingerprint"]


def stored_fingerprint(schema: Schema) -> bytes:
    """The fingerprint of a schema as files have it: two words, least significant byte first."""
    digest = schema.fingerprint()
    return digest[7::-1] + digest[:7:-1]


def evolved_reader(
    type: Type[Any], schema: bytes, skipping: bool
) -> Union[str, Tuple[Values, Schema]]:
    """How to read values of a schema as those of a type, and the schema; or why not."""
    try:
        old = Schema.decode(schema)
    except DecodeError as e:
        return f"the schema of the records cannot be read: {e}"
    return "evolution is not supported" if old != type.schema else (type, old)


def refused_schema(type: Type[Any], schema: bytes) -> Optional[str]:
    """Why values of a schema cannot be read as those of a type."""
    found = evolved_reader(type, schema, False)
    return found if isinstance(found, str) else None
