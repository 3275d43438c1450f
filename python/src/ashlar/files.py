"""Files of records."""

from __future__ import annotations

import itertools
import os
from operator import index
from typing import Any, Callable, Generic, Iterable, Iterator, List, Optional, Tuple, TypeVar, Union, cast, overload

from . import _zlib
from . import shapes as s
from ._append import NewType
from ._facts import Facts, constant_size
from ._fold import Fold
from ._input import FileInput, StreamInput
from ._joined import part_with, parts_of
from ._locate import locate, read_index
from ._open import Reading, open_first
from ._reader import RecordReader
from ._records import Decode, decode_one
from ._scan import start_at
from ._shown import shown_text
from ._typed import evolved_reader, refused_schema, stored_fingerprint
from ._writer import Writer
from .binding import Type, bind, expect_type
from .damage import Lost
from .errors import AshlarError, DecodeError
from .schema import Schema

__all__ = ["Reader", "append", "by_own_schema", "lines_by_own_schema", "read", "read_lines", "read_shown", "reader", "write", "writer"]

T = TypeVar("T")

Path = Union[str, "os.PathLike[str]"]


@overload
def read(
    source: Any,
    type: None = ...,
    *,
    start: int = ...,
    resync: Optional[Callable[[Lost], Any]] = ...,
    whole_tail: bool = ...,
    skipping: bool = ...,
    block_limit: int = ...,
    name: str = ...,
) -> Iterator[Any]: ...


@overload
def read(
    source: Any,
    type: Type[T],
    *,
    start: int = ...,
    resync: Optional[Callable[[Lost], Any]] = ...,
    whole_tail: bool = ...,
    skipping: bool = ...,
    block_limit: int = ...,
    name: str = ...,
) -> Iterator[T]: ...


def read(
    source: Any,
    type: Optional[Type[T]] = None,
    *,
    start: int = 0,
    resync: Optional[Callable[[Lost], Any]] = None,
    whole_tail: bool = True,
    skipping: bool = False,
    block_limit: int = 67_108_864,
    name: str = "",
) -> Iterator[T]:
    """The records of a file, one by one, in constant memory.

    ``source`` is a path, or something with ``read``, such as a pipe or a socket's file. The bytes of
    a file are ``io.BytesIO(data)``. If ``read`` returns ``None``, as that of a raw stream does which
    does not wait, :class:`BlockingIOError` is raised: only ``b""`` is the end. Without a
    ``type``, records are plain values of their own schemas. With one, records of other schemas are
    read as values of the type, as Haskell's ``Ashlar.Schema.Evolution`` does; ``skipping`` passes
    over fields and constructors that the type does not have. ``start`` is the number of the first
    record.

    Raises :class:`ashlar.Damage` at damage. With ``resync``, reading goes on after it, and the
    function gets an :class:`ashlar.Lost` for what was passed over. ``whole_tail=False`` ends before a
    block that the file ends in. Nothing larger than ``block_limit`` is ever held.

    >>> import tempfile, ashlar
    >>> words = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("utf8")))
    >>> path = tempfile.mkdtemp() + "/words"
    >>> ashlar.write(path, words, ["brick", "mortar"])
    >>> list(ashlar.read(path))
    ['brick', 'mortar']
    """
    reading = _reading(type, skipping)._replace(
        resync=resync, whole_tail=whole_tail, start=start, block_limit=block_limit
    )
    return _all(reading, source, name)


def read_lines(
    source: Any,
    *,
    start: int = 0,
    resync: Optional[Callable[[Lost], Any]] = None,
    block_limit: int = 67_108_864,
    name: str = "",
) -> Iterator[str]:
    """The records of a file as lines of JSON, as ``ashlar show --json`` prints them, without newlines.

    The arguments are those of :func:`read`.

    >>> import tempfile, ashlar
    >>> words = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("utf8")))
    >>> path = tempfile.mkdtemp() + "/words"
    >>> ashlar.write(path, words, ["brick", "mortar"])
    >>> list(ashlar.read_lines(path))
    ['"brick"', '"mortar"']
    """
    reading = Reading(None, None, lines_by_own_schema, resync, True, start, block_limit)
    return _all(reading, source, name)


def _all(reading: Reading, source: Any, name: str) -> Iterator[Any]:
    if hasattr(source, "read"):
        return _records(reading, StreamInput(name or "stream", source))
    _expect_path(source)
    return _of_file(reading, os.fspath(source))


def _expect_path(source: Any) -> None:
    if isinstance(source, (bytes, bytearray, memoryview)):
        of_a_value = "the method decode of what ashlar.bind returns"
        raise TypeError(f"a path is needed; ashlar.read(io.BytesIO(data)) reads the bytes of a file, {of_a_value} those of a value")


def _records(reading: Reading, input: Union[FileInput, StreamInput]) -> Iterator[Any]:
    opened = open_first(reading, input)
    fold = Fold(reading, opened)
    if reading.start > 0 and isinstance(input, FileInput):
        _begin_later(reading, fold, input)
    for _, records in fold.chunks():
        yield from records


def _begin_later(reading: Reading, fold: Fold, input: FileInput) -> None:
    size = input.size()
    part = part_with(parts_of(fold.opened.scan, fold.pos.offset, size), reading.start)
    scan = part.scan
    index = read_index(scan, part.end)
    own = reading.start - scan.before
    at, record = locate(scan, part.start, part.end, index, own)
    # (If the header is damaged, the first blocks may be lost, too.)
    position = start_at(at, max(part.first, record), scan.header is None)
    fold.begin_at(scan, start_at(part.start, part.first), position)


def _of_file(reading: Reading, path: str) -> Iterator[Any]:
    fd = os.open(path, os.O_RDONLY)
    try:
        yield from _records(reading, FileInput(path, fd))
    finally:
        os.close(fd)


def _reading(type: Optional[Type[Any]], skipping: bool) -> Reading:
    if type is None:
        return Reading(None, None, by_own_schema)
    expect_type(type)
    kind = type
    today = Decode(type, _may_be_empty(type.schema), _passing(bind(type.schema)))
    return Reading(stored_fingerprint(type.schema), today, lambda schema, _: _evolved(kind, schema, skipping))


def by_own_schema(schema: bytes, fingerprint: bytes) -> Union[Decode, str]:
    """How to read records by their own schema alone, or why not."""
    try:
        found = Schema.decode(schema)
    except DecodeError as e:
        return f"no schema that can be read: {e}"
    return Decode(bind(found), _may_be_empty(found), None)


def read_shown(
    source: Any,
    *,
    start: int = 0,
    resync: Optional[Callable[[Lost], Any]] = None,
    block_limit: int = 67_108_864,
    name: str = "",
) -> Iterator[str]:
    """The records of a file as lines for people, as ``ashlar show`` prints them, without newlines."""
    reading = Reading(None, None, _shown_by_own_schema, resync, True, start, block_limit)
    return _all(reading, source, name)


class _Lines:
    # Values as lines of JSON, or for people.
    def __init__(self, plain: Type[Any], line: Callable[[Any], str]) -> None:
        self._plain = plain
        self._text = line

    def decode_from(self, data: bytes, at: int) -> Tuple[str, int]:
        value, end = self._plain.decode_from(data, at)
        return self._line(value, end - at), end

    def decode_many(self, data: bytes, at: int, count: int) -> Tuple[List[str], int]:
        values, end = self._plain.decode_many(data, at, count)
        return [self._line(value, 0) for value in values], end

    def _line(self, value: Any, size: int) -> str:
        try:
            return self._text(value)
        except AshlarError as e:
            raise DecodeError(size, "", str(e)) from None


def lines_by_own_schema(schema: bytes, fingerprint: bytes) -> Union[Decode, str]:
    """How to read records as lines of JSON by their own schema alone, or why not."""
    found = by_own_schema(schema, fingerprint)
    if isinstance(found, str):
        return found
    plain: Any = found.values
    return found._replace(values=_Lines(plain, plain.to_json_line))


def _shown_by_own_schema(schema: bytes, fingerprint: bytes) -> Union[Decode, str]:
    found = by_own_schema(schema, fingerprint)
    if isinstance(found, str):
        return found
    plain: Any = found.values
    s = plain.schema
    return found._replace(
        values=_Lines(plain, lambda value: shown_text(s.facts, plain.take, s.root, value))
    )


def _evolved(type: Type[Any], schema: bytes, skipping: bool) -> Union[Decode, str]:
    found = evolved_reader(type, schema, skipping)
    if isinstance(found, str):
        return found
    values, old = found
    return Decode(values, _may_be_empty(old), _passing(bind(old)))


def _passing(plain: Type[Any]) -> Callable[[bytes, int], int]:
    # A record that the type refuses is passed over by its schema.
    decode = Decode(plain, _may_be_empty(plain.schema), None)
    return lambda body, at: decode_one(decode, body, at)[1]


def _may_be_empty(schema: Schema) -> bool:
    # Costs count a packed value as a byte, even if it has none.
    facts: Facts = schema.facts
    shapes = [schema.root] + [f.shape for d in schema.definitions for c in d.constructors for f in c.fields]
    least = [facts.costs.of(schema.root)]
    while shapes:
        shape = shapes.pop()
        if isinstance(shape, s.Packed):
            least.append(facts.packed_costs.of(s.without_format(shape)))
        shapes.extend(s.children(shape))
    return any(size == 0 for _, size in least)


class Reader(Generic[T]):
    """An open file whose records are read by their numbers. :func:`reader` makes one.

    ``len`` is the number of records. ``reader[i]`` takes time that is logarithmic in the size of the
    file, and linear in that of a block. ``reader[i:j]`` is a list. A reader that nobody refers to any
    more is closed.
    """

    _fd = -1

    def __init__(self, path: str, reading: Reading) -> None:
        self._fd = os.open(path, os.O_RDONLY)
        try:
            self._open = RecordReader(reading, path, self._fd)
        except BaseException:
            self.close()
            raise

    def _records(self) -> RecordReader:
        # Another file may have the number of one that is closed.
        if self._fd < 0:
            raise AshlarError("Ashlar.File: the reader is closed")
        return self._open

    def __len__(self) -> int:
        return self._records().count()

    @overload
    def __getitem__(self, i: int) -> T: ...

    @overload
    def __getitem__(self, i: slice) -> List[T]: ...

    def __getitem__(self, i: Union[int, slice]) -> Union[T, List[T]]:
        """The record with a number; negative ones count from the end. Raises :class:`IndexError` after the last one."""
        if isinstance(i, slice):
            return [self._at(k) for k in range(*i.indices(len(self)))]
        k = index(i)
        try:
            return self._at(k + len(self) if k < 0 else k)
        except IndexError:
            raise IndexError(f"there is no record {k}") from None

    def _at(self, i: int) -> T:
        found, record = self._records().get(i) if i >= 0 else (False, None)
        if not found:
            raise IndexError(i)
        return cast(T, record)

    def __iter__(self) -> Iterator[T]:
        # (To ask for the number of records would take longer where no index has it.)
        for i in itertools.count():
            found, record = self._records().get(i)
            if not found:
                return
            yield cast(T, record)

    def close(self) -> None:
        """Close the file. After this, everything else raises :class:`ashlar.AshlarError`."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> Reader[T]:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


@overload
def reader(
    path: Path,
    type: None = ...,
    *,
    resync: Optional[Callable[[Lost], Any]] = ...,
    skipping: bool = ...,
) -> Reader[Any]: ...


@overload
def reader(
    path: Path,
    type: Type[T],
    *,
    resync: Optional[Callable[[Lost], Any]] = ...,
    skipping: bool = ...,
) -> Reader[T]: ...


def reader(
    path: Path,
    type: Optional[Type[Any]] = None,
    *,
    resync: Optional[Callable[[Lost], Any]] = None,
    skipping: bool = False,
) -> Reader[Any]:
    """Open a file to read records by their numbers. The arguments are those of :func:`read`.

    With ``resync``, a damaged header does not matter.

    >>> import tempfile, ashlar
    >>> words = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("utf8")))
    >>> path = tempfile.mkdtemp() + "/words"
    >>> ashlar.write(path, words, ["brick", "mortar"])
    >>> with ashlar.reader(path) as records:
    ...     len(records), records[1]
    (2, 'mortar')
    """
    _expect_path(path)
    return Reader(os.fspath(path), _reading(type, skipping)._replace(resync=resync))


def writer(
    path: Path,
    type: Type[T],
    *,
    append: bool = False,
    zlib: Optional[int] = None,
    block_size: int = 32_768,
    index: bool = True,
    marker: Optional[bytes] = None,
    record_limit: int = 67_108_864,
) -> Writer[T]:
    """Write a file, or append to one. Use it in a ``with`` block.

    An old file stays as it is until the new one is whole and on the disk. If the block ends with an
    exception, the old file stays. With ``append``, what a killed writer left after the last whole
    block is cut off; records of another type may be appended if the type can be read from that of
    the file. ``zlib`` is a level of compression. To a file that is compressed, records are appended
    with a level only, and to any other without. A ``marker`` of 8 bytes in place of random ones
    makes equal files of equal records.

    Raises :class:`ashlar.Damage` if something cannot be appended to, and :class:`ashlar.FileLocked`
    if another writer has the file open.
    """
    expect_type(type)
    if marker is not None and len(marker) != 8:
        raise ValueError("a marker has 8 bytes")
    name = b"" if zlib is None else _zlib.NAME
    kind = NewType(
        type.schema.encode(),
        stored_fingerprint(type.schema),
        name,
        lambda schema, _: refused_schema(type, schema),
    )
    return Writer(
        os.fspath(path),
        kind,
        type.encode_into,
        constant_size(type.schema.facts, type.schema.root),
        append,
        zlib,
        block_size,
        index,
        marker,
        record_limit,
    )


def write(path: Path, type: Type[T], records: Iterable[T], **options: Any) -> None:
    """Write a file of records, or replace one when the new one is whole. The options are those of :func:`writer`."""
    with writer(path, type, **options) as w:
        w.write_many(records)


def append(path: Path, type: Type[T], records: Iterable[T], **options: Any) -> None:
    """Append records to a file, or write a new one. The options are those of :func:`writer`.

    >>> import tempfile, ashlar
    >>> words = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("utf8")))
    >>> path = tempfile.mkdtemp() + "/words"
    >>> ashlar.append(path, words, ["brick"])
    >>> ashlar.append(path, words, ["mortar"])
    >>> list(ashlar.read(path))
    ['brick', 'mortar']
    """
    write(path, type, records, append=True, **options)
