"""Schemas: their bytes, their JSON and their fingerprints."""

from __future__ import annotations

import copy
import hashlib
from typing import Tuple

from . import shapes as s
from ._essence import essence_pieces, essence_size
from ._facts import Facts
from ._schemabytes import decode_schema
from ._schemacheck import check_schema
from ._schemajson import schema_from_json, schema_to_json
from ._schemawrite import encode_schema
from .errors import AshlarError

__all__ = ["Schema"]


class Schema:
    """The format of a type: the shape of its values, and the definitions that the shape refers to.

    Making one raises :class:`ashlar.AshlarError` if no type has it, as decoding does.

    >>> Schema(s.Maybe(s.Leaf("utf8"))).encode().hex()
    '030013000000000000000000'
    >>> Schema(s.Reference(0))
    Traceback (most recent call last):
      ...
    ashlar.errors.AshlarError: a reference to definition 0
    """

    def __init__(self, root: s.Shape, definitions: Tuple[s.Definition, ...] = ()) -> None:
        problem = check_schema(root, definitions)
        if problem is not None:
            raise AshlarError(problem)
        self._set(root, definitions)

    def _set(self, root: s.Shape, definitions: Tuple[s.Definition, ...]) -> None:
        self.root = root
        self.definitions = definitions
        self.facts = Facts(definitions)

    @staticmethod
    def _unchecked(root: s.Shape, definitions: Tuple[s.Definition, ...]) -> Schema:
        # One that is made of another one. (Its essence may be larger, and is not asked for.)
        schema = Schema.__new__(Schema)
        schema._set(root, definitions)
        return schema

    @staticmethod
    def decode(data: bytes) -> Schema:
        """Read a schema from its bytes, all of them.

        Raises :class:`ashlar.DecodeError` for bytes that are not those of a schema.

        >>> Schema.decode(bytes.fromhex("0009 0000000000000000")).root.type
        'bool'
        """
        return Schema(*decode_schema(data))

    def encode(self) -> bytes:
        """The bytes of the schema."""
        return encode_schema(self.root, self.definitions)

    @staticmethod
    def from_json(text: str) -> Schema:
        """Read a schema from its JSON, as ``ashlar schema --json`` prints it.

        Raises :class:`ashlar.AshlarError` for any other text.

        >>> Schema.from_json('{"root": {"type": "bool"}, "definitions": []}').encode().hex()
        '00090000000000000000'
        """
        return Schema(*schema_from_json(text))

    def to_json(self) -> str:
        """The schema as JSON, in one line.

        >>> Schema(s.Leaf("word16", "varint")).to_json()
        '{"root":{"type":"word16","encoding":"varint"},"definitions":[]}'
        """
        return schema_to_json(self.root, self.definitions)

    def fingerprint(self) -> bytes:
        """The 16 bytes that name the format: the MD5 of the bytes of its essence.

        Names of types do not count, and newtypes are what they wrap.

        >>> Schema(s.Leaf("bool")).fingerprint().hex()
        'f989e83d95721fa9ad3279cf9af2d115'
        """
        digest = hashlib.md5(usedforsecurity=False)
        for piece in essence_pieces(self.facts.bare, self.root, self.definitions):
            digest.update(piece)
        return digest.digest()

    def same_fingerprint(self, other: Schema) -> bool:
        """Have both schemas the same fingerprint? If their essences have different sizes, none is hashed.

        >>> Schema(s.Leaf("bool")).same_fingerprint(Schema(s.Leaf("int8")))
        False
        """
        sizes = [essence_size(x.root, x.definitions) for x in (self, other)]
        return sizes[0] == sizes[1] and self.fingerprint() == other.fingerprint()

    def with_root(self, root: s.Shape) -> Schema:
        """The same definitions with another root, which may refer to some of them only."""
        other = copy.copy(self)
        other.root = root
        return other

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Schema):
            return NotImplemented
        return self.root == other.root and self.definitions == other.definitions

    def __hash__(self) -> int:
        return hash((self.root, self.definitions))

    def __repr__(self) -> str:
        return f"Schema({self.root!r}, {self.definitions!r})"
