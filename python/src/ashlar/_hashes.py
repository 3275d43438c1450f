"""How many keys of a ``dict`` have one hash."""

from __future__ import annotations

from typing import Any, Dict

from ._budget import ONE_HASH

__all__ = ["counted"]


def counted(hashes: Dict[int, int], key: Any) -> bool:
    """Count the hash of a key, unless too many keys have it.

    >>> hashes = {}
    >>> [counted(hashes, n * (2**61 - 1)) for n in range(256)] == [True] * 256
    True
    >>> counted(hashes, 256 * (2**61 - 1)), counted(hashes, 1)
    (False, True)
    """
    found = hash(key)
    n = hashes.get(found, 0)
    hashes[found] = n + 1
    return n < ONE_HASH
