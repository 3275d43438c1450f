"""Writing records."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import io
import os
import stat
import threading
from functools import partial
from types import TracebackType
from typing import Callable, Generic, Iterable, Iterator, NamedTuple, Optional, Type as Class, TypeVar

from . import _zlib
from ._append import NewType, Tail, append_block, block_header, new_file, old_file
from ._layout import INDEX, RECORDS, put_index
from .errors import AshlarError

__all__ = ["FileLocked", "RecordTooLarge", "Writer"]

T = TypeVar("T")


class FileLocked(AshlarError):
    """Another writer has the file open."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path}: another writer has this file open")


class RecordTooLarge(AshlarError):
    """A record has more bytes than the writer allows."""

    def __init__(self, size: int, limit: int) -> None:
        super().__init__(
            f"Ashlar.File: a record of at least {size} bytes, where {limit} are allowed"
        )


# Files are objects of the module io here, not descriptors: an exception of a signal's handler may come
# before a name refers to what has been opened. An object is closed then. A number would be lost.


def _open_locked(path: str) -> io.FileIO:
    # What is no regular file, such as a pipe, is opened only to write, and without a lock.
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
    except FileNotFoundError:
        regular = True
    if not regular:
        return io.FileIO(os.open(path, os.O_WRONLY), "w")
    while True:
        file = _opened(path)
        try:
            if _locked(file, path):
                return file
        except BaseException:
            file.close()
            raise
        # Somebody has replaced it before it was locked.
        file.close()


def _opened(path: str) -> io.FileIO:
    # An old file, or a new one.
    while True:
        try:
            return io.FileIO(path, "r+")
        except FileNotFoundError:
            pass
        try:
            # (A new file is not made by way of a link.)
            return io.FileIO(os.path.realpath(path) if os.path.islink(path) else path, "x+")
        except FileExistsError:
            # Somebody has made it meanwhile.
            pass


def _locked(file: io.FileIO, path: str) -> bool:
    # Lock it. Does it still have the name?
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileLocked(path) from None
    except OSError as error:
        # A file system without locks, for instance. (The error does not have the name.)
        raise OSError(error.errno, error.strerror, path) from None
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _is_regular(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode)


#: Names of files that somebody has open already.
_OPEN = ("/dev/stdin/", "/dev/stdout/", "/dev/stderr/", "/dev/fd/", "/proc/")


def _open_already(path: str) -> bool:
    # Does the name, or one that it is a link to, mean an open file? Links are followed name by name,
    # for the last one of /dev/stdout is the file that the output goes to.
    for _ in range(40):
        folder, name = os.path.split(path)
        there = os.path.join(os.path.realpath(folder), name)
        if any((p + "/").startswith(_OPEN) for p in (path, there)):
            return True
        try:
            path = os.path.join(os.path.dirname(there), os.readlink(there))
        except OSError:
            return False
    return False


def _replaceable(path: str) -> bool:
    # Is there a file that can be replaced, and has something to lose?
    try:
        found = os.stat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > 0 and not _open_already(path)


def _fsync(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        # Where there is no such operation. Any other error means that what was written may be lost.
        if error.errno not in (errno.EINVAL, errno.EROFS, errno.EOPNOTSUPP):
            raise


def _sync_folder(path: str) -> None:
    try:
        fd = os.open(path, os.O_RDONLY)
    except (PermissionError, FileNotFoundError):
        return
    try:
        _fsync(fd)
    finally:
        os.close(fd)


class _State(NamedTuple):
    # Where the next block begins, the number of its first record, and the whole records of the block:
    # how many bytes, and how many records. It is replaced at once, so an exception from a signal's
    # handler finds the old one or the new one. Bytes after the whole records are those of a record
    # that such an exception has cut off.
    offset: int
    first: int
    size: int
    records: int


class Writer(Generic[T]):
    """A file that is being written. Use it in a ``with`` block: :func:`ashlar.writer` makes one.

    Any number of threads may use it.
    """

    # (Before they have others, for __del__.)
    _fd = -1
    _file: Optional[io.FileIO] = None
    _replaced: Optional[io.FileIO] = None
    _final: Optional[str] = None

    def __init__(
        self,
        path: str,
        kind: NewType,
        encode: Callable[[T, bytearray], None],
        constant: bool,
        append: bool,
        level: Optional[int],
        block_size: int,
        index: bool,
        marker: Optional[bytes],
        record_limit: int,
    ) -> None:
        self._encode = encode
        self._level = level
        self._block_size = max(1, min(16_777_216, block_size))
        self._record_limit = max(self._block_size, min(0x7FFFFFFF, record_limit))
        # Blocks of equal size need no index.
        self._index = index and not (constant and level is None)
        self._body = bytearray()
        self._lock = threading.Lock()
        # The thread that uses it.
        self._user = 0
        # Whether bytes may follow the last whole block.
        self._cut_off = False
        self._unsynced: Optional[OSError] = None
        self._path = path
        self._folder = os.path.dirname(os.path.realpath(path))
        if not append and _replaceable(path):
            self._beside(os.path.realpath(path))
        try:
            self._file = _open_locked(self._path)
            self._fd = self._file.fileno()
            self._seekable = _is_regular(self._fd)
            if append and self._seekable:
                limit = max(67_108_864, record_limit)
                self._tail: Tail = old_file(kind, path, self._fd, marker, self._index, limit)
            else:
                self._tail = new_file(kind, path, self._fd, marker, self._seekable)
            self._state = _State(self._tail.offset, self._tail.records, 0, 0)
        except BaseException:
            self._abandon()
            raise

    def _beside(self, target: str) -> None:
        # The old file stays as it is until the new one is whole and on the disk.
        self._replaced = _open_locked(target)
        try:
            old = os.fstat(self._replaced.fileno())
            # (The name may already be as long as a name can be, so only its beginning is used.)
            folder, name = os.path.split(target)
            self._path = os.path.join(folder, f"{name[:50]}.part{os.urandom(8).hex()}")
            # From here on, who gives up removes it.
            self._final = target
            # Nobody else may read it before it has the mode of the old one.
            io.FileIO(self._path, "x", opener=partial(os.open, mode=0o600)).close()
            new = os.stat(self._path)
            if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
                os.chown(self._path, old.st_uid, old.st_gid)
            os.chmod(self._path, stat.S_IMODE(old.st_mode))
        except BaseException:
            self._abandon()
            raise

    def _abandon(self) -> None:
        # (What an exception keeps from happening happens when it is called again, by __del__ at last.)
        self._fd = -1
        with contextlib.ExitStack() as stack:
            stack.callback(self._remove)
            for file in (self._replaced, self._file):
                if file is not None:
                    stack.callback(file.close)

    def _remove(self) -> None:
        # The failure that led here says more than that of removing the unfinished file.
        if self._final is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            self._final = None

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        # No other thread uses it meanwhile. A record, or the handler of a signal, may try to in this one.
        self._not_in_use()
        with self._lock:
            self._user = threading.get_ident()
            try:
                yield
            finally:
                self._user = 0

    def _not_in_use(self) -> None:
        if self._user == threading.get_ident() and self._lock.locked():
            raise AshlarError("Ashlar.File: the writer is already in use by this thread")

    def write(self, record: T) -> None:
        """Write a record. It is in the file when its block is: when that is full, or after :meth:`flush`.

        Raises :class:`ashlar.EncodeError` if it is no value of the type, :class:`RecordTooLarge`, and
        :class:`OSError`. Then it is not written, and those before it are, or will be.
        """
        # (This is "with self._alone()", which would take half of the time.)
        self._not_in_use()
        with self._lock:
            self._user = threading.get_ident()
            try:
                self._write(record)
            finally:
                self._user = 0

    def _write(self, record: T) -> None:
        if self._fd < 0:
            raise AshlarError("Ashlar.File: the writer is closed")
        body, before = self._body, self._state
        size = before.size
        del body[size:]
        self._encode(record, body)
        # A record of no bytes has a byte that is 0.
        if len(body) == size:
            body.append(0)
        after = _State(before.offset, before.first, len(body), before.records + 1)
        if len(body) < self._block_size:
            self._state = after
        else:
            self._complete(before, after)

    def write_many(self, records: Iterable[T]) -> None:
        """Write records, one after another. They are consumed as they are written."""
        for record in records:
            self.write(record)

    def _complete(self, before: _State, after: _State) -> None:
        # The block has as many bytes as it may have, with the last record.
        body = self._body
        begun = after.size - before.size
        if begun > self._record_limit:
            raise RecordTooLarge(begun, self._record_limit)
        if after.size > self._record_limit and before.records > 0:
            last = bytes(body[before.size :])
            self._deliver()
            body[:] = last
            before = self._state
            after = before._replace(size=begun, records=1)
        self._state = after
        try:
            self._deliver()
        except BaseException:
            # Unless it is written, which only an exception from outside can follow.
            if self._state is after:
                self._state = before
            raise

    def _deliver(self) -> None:
        state = self._state
        if state.records == 0:
            return
        tail, body = self._tail, bytes(self._body[: state.size])
        tail.offset, tail.records = state.offset, state.first
        header = block_header(tail, RECORDS, state.records, body)
        if self._level is not None:
            smaller = _zlib.compress(body, self._level)
            if len(smaller) < len(body):
                header = block_header(tail, RECORDS, state.records, smaller)._replace(
                    compressed=1, expanded=len(body)
                )
                body = smaller
        after = _State(header.end(state.offset), state.first + state.records, 0, 0)
        self._cut()
        self._cut_off = True
        append_block(self._fd, tail, header, body, self._seekable)
        self._state = after
        self._cut_off = False
        tail.entries.add(state.offset, state.first)

    def _cut(self) -> None:
        # An exception from outside may have come when a block was written, before that was noted.
        if self._cut_off and self._seekable:
            os.ftruncate(self._fd, self._state.offset)
        self._cut_off = False

    def flush(self) -> None:
        """Write the records of the open block, so that readers see them."""
        with self._alone():
            self._deliver()

    def sync(self) -> None:
        """:meth:`flush`, and wait until the disk has everything.

        Raises :class:`OSError` if the disk cannot tell, and from then on, as the bytes before may be lost.
        """
        with self._alone():
            self._deliver()
            if self._seekable:
                self._to_disk()

    def _to_disk(self) -> None:
        # The file, and the folder that has its name.
        self._still_synced()
        try:
            _fsync(self._fd)
            _sync_folder(self._folder)
        except OSError as error:
            self._unsynced = error
            raise

    def _still_synced(self) -> None:
        if self._unsynced is not None:
            raise self._unsynced

    @property
    def written(self) -> int:
        """How many records the file has with those of the open block: the number of the next one."""
        state = self._state
        return state.first + state.records

    def close(self) -> None:
        """Write the last block and the index, and give the file its name. A second call does nothing."""
        with self._alone():
            if self._fd < 0:
                return
            try:
                self._deliver()
                self._cut()
                if self._index:
                    self._put_index()
                self._still_synced()
                if self._final is not None:
                    _fsync(self._fd)
                    os.replace(self._path, self._final)
                    self._final = None
                    self._to_disk()
            finally:
                self._abandon()

    def _put_index(self) -> None:
        # The file is complete without it, so a failure is ignored.
        tail = self._tail
        tail.offset, tail.records = self._state[:2]
        body = put_index(tail.entries.kept, tail.records, tail.offset)
        try:
            append_block(self._fd, tail, block_header(tail, INDEX, 0, body), body, self._seekable)
        except OSError:
            pass

    def __del__(self) -> None:
        # Who forgot to close it has lost the open block, and the new file if it was to replace one.
        self._abandon()

    def __enter__(self) -> Writer[T]:
        return self

    def __exit__(
        self,
        kind: Optional[Class[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if kind is not None and self._final is not None:
            # The old file stays.
            with self._alone():
                self._abandon()
        else:
            self.close()
