"""Read and write the values, files and messages of Ashlar, a Haskell library for serialization."""

from __future__ import annotations

from . import evolution, shapes
from ._typed import evolve
from .binding import Type, bind
from .damage import Cause, Damage, Lost
from .errors import AshlarError, DecodeError, EncodeError, EvolutionError
from .files import Reader, append, read, read_lines, reader, write, writer
from .schema import Schema
from .source import identifier, member_names, python_source
from ._writer import FileLocked, RecordTooLarge, Writer
from .values import Array, ExactNaN

__all__ = [
    "Array",
    "AshlarError",
    "Cause",
    "Damage",
    "DecodeError",
    "EncodeError",
    "EvolutionError",
    "ExactNaN",
    "FileLocked",
    "Lost",
    "Reader",
    "RecordTooLarge",
    "Schema",
    "Type",
    "Writer",
    "append",
    "bind",
    "evolution",
    "evolve",
    "identifier",
    "member_names",
    "python_source",
    "read",
    "read_lines",
    "reader",
    "shapes",
    "write",
    "writer",
]
