"""Bytes by offsets."""

from __future__ import annotations

import os
from typing import Any, Protocol

from .errors import no_data

__all__ = ["FileInput", "Input", "StreamInput"]


class Input(Protocol):
    """Where the bytes of a file come from. Offsets count from the beginning of the first file."""

    name: str

    def fetch(self, offset: int, n: int) -> bytes:
        """Bytes from an offset on: fewer than asked for only where the file ends. None if they were forgotten."""

    def forget(self, offset: int) -> None:
        """Promise that no byte before an offset will be asked for any more."""

    def pass_to(self, offset: int) -> int:
        """Forget all bytes before an offset.

        The result is that offset, or where the input ends, if that comes first.
        """

    def same(self, end: int) -> bool:
        """Does the file still begin as it did, and does it have all bytes before an offset?"""


class FileInput:
    """An open file."""

    def __init__(self, name: str, fd: int) -> None:
        self.name = name
        self._fd = fd
        self._start = self._read(0, 24)

    def _read(self, offset: int, n: int) -> bytes:
        parts = []
        while n > 0:
            part = os.pread(self._fd, min(n, 1 << 24), offset)
            if not part:
                break
            parts.append(part)
            offset += len(part)
            n -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def fetch(self, offset: int, n: int) -> bytes:
        if offset < 0 or offset > (1 << 63) - 1 - (1 << 33):
            return b""
        return self._read(offset, n)

    def forget(self, offset: int) -> None:
        pass

    def pass_to(self, offset: int) -> int:
        return min(offset, self.size())

    def same(self, end: int) -> bool:
        return self.size() >= end and self._read(0, 24) == self._start

    def size(self) -> int:
        """How many bytes the file has now."""
        return os.fstat(self._fd).st_size


class StreamInput:
    """What a stream has from here on. It keeps what was fetched until that is forgotten."""

    def __init__(self, name: str, stream: Any) -> None:
        self.name = name
        self._stream = stream
        self._start = 0
        self._held = bytearray()

    def _read(self, n: int) -> bytes:
        part = self._stream.read(min(n, 1 << 16))
        if part is None:
            raise no_data(self.name)
        return part  # type: ignore[no-any-return]

    def fetch(self, offset: int, n: int) -> bytes:
        if offset < self._start:
            return b""
        missing = offset + n - self._start - len(self._held)
        while missing > 0:
            part = self._read(missing)
            if not part:
                break
            self._held += part
            missing -= len(part)
        at = offset - self._start
        return bytes(self._held[at : at + n])

    def forget(self, offset: int) -> None:
        passed = max(0, min(offset - self._start, len(self._held)))
        del self._held[:passed]
        self._start += passed
        while not self._held and self._start < offset:
            part = self._read(offset - self._start)
            if not part:
                break
            self._start += len(part)

    def pass_to(self, offset: int) -> int:
        self.forget(offset)
        return self._start

    def same(self, end: int) -> bool:
        return True
