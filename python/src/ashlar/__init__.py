"""Read and write the values, files and messages of Ashlar, a Haskell library for serialization."""

from __future__ import annotations

from . import shapes
from .binding import Type, bind
from .errors import AshlarError, DecodeError, EncodeError
from .schema import Schema
from .source import identifier, member_names, python_source
from .values import Array, ExactNaN

__all__ = [
    "Array",
    "AshlarError",
    "DecodeError",
    "EncodeError",
    "ExactNaN",
    "Schema",
    "Type",
    "bind",
    "identifier",
    "member_names",
    "python_source",
    "shapes",
]
