"""What has changed in a type since older data were written.

``bind(schema, kind, evolution={"Order": [Added("channel", "web"), Renamed("qty", "count")]})`` reads
older data by these rules, which stand under the name of the type that has changed. A field's name
may begin with its constructor and a point. Where several types have one name, ``"Box#1"`` stands for
that with the number in ``ashlar schema``, before ``"Box"`` for all of them. What needs no rule: other orders of fields and
constructors, new constructors, wider numbers, and what else Haskell's ``Ashlar.Schema.Evolution``
lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

__all__ = [
    "Added",
    "Dropped",
    "DroppedConstructor",
    "Renamed",
    "RenamedConstructor",
    "Rule",
    "UnknownConstructors",
]


@dataclass(frozen=True)
class Added:
    """A field that old values lack, and its default."""

    field: str
    default: Any


@dataclass(frozen=True)
class Renamed:
    """The old and the new name of a field."""

    old: str
    new: str


@dataclass(frozen=True)
class Dropped:
    """A field that the type no longer has."""

    field: str


@dataclass(frozen=True)
class RenamedConstructor:
    """The old and the new name of a constructor."""

    old: str
    new: str


@dataclass(frozen=True)
class DroppedConstructor:
    """A constructor that the type no longer has. Values with it are refused."""

    constructor: str


@dataclass(frozen=True)
class UnknownConstructors:
    """The constructor for values whose own constructor the type does not have."""

    constructor: str


Rule = Union[Added, Renamed, Dropped, RenamedConstructor, DroppedConstructor, UnknownConstructors]
