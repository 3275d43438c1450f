"""Typed messages over a stream of bytes.

A direction is a hello, a verdict, any number of messages, and an end. :class:`Connection` speaks both
directions, :class:`Incoming` reads one of them.
"""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Any, Callable, Generic, Iterator, Optional, Tuple, Type as Class, TypeVar

from ._crc import crc32c
from ._describe import clean
from ._records import Values
from ._typed import evolved_reader, stored_fingerprint
from .binding import Type, bind, expect_type
from .damage import shown
from .errors import AshlarError, DecodeError, no_data
from .schema import Schema

__all__ = ["Connection", "Incoming", "MessageError", "frame_bytes", "hello_bytes", "verdict_bytes"]

S = TypeVar("S")
R = TypeVar("R")

_MAGIC = b"\x89ASHMSG\n"
_SCHEMA_LIMIT = 1 << 20
_VERDICT_LIMIT = 4096
_END = 0xFFFFFFFF

#: The most bytes of a message, unless something else is said.
MESSAGE_LIMIT = 67_108_864


class MessageError(AshlarError):
    """Why a connection failed. Each later use of it raises the same again.

    ``kind`` is one of ``OtherProtocol``, ``UnknownVersion``, ``InvalidHandshake``, ``CannotRead``,
    ``Refused``, ``TooLong``, ``InvalidChecksum``, ``InvalidMessage``, ``PeerClosed`` and
    ``AfterEnd``.
    """

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(f"Ashlar.Network: {text}")
        self.kind = kind
        self._text = text

    def __reduce__(self) -> Tuple[Any, ...]:
        return (MessageError, (self.kind, self._text))


class Incoming(Generic[R]):
    """Reads one direction of a connection.

    ``read`` returns at most so many bytes, and none at the end of the stream: ``sock.recv`` does,
    and ``read1`` of a file. (``None`` is not the end, but a :class:`BlockingIOError`.) Without a
    ``type``, messages are plain values of the schema that the hello says.
    """

    def __init__(
        self, read: Callable[[int], Optional[bytes]], type: Optional[Type[R]] = None, limit: int = MESSAGE_LIMIT
    ) -> None:
        if type is not None:
            expect_type(type)
        self._read = read
        self._type = type
        self._limit = min(0x7FFFFF00, limit)
        self._held = bytearray()
        self._values: Optional[Values] = None
        #: What each later use raises.
        self.failed: Optional[Exception] = None
        #: Has the peer said that there are no more messages?
        self.ended = False
        #: Do messages have checksums?
        self.checksums = False
        #: The schema of the messages, once the hello has been read.
        self.schema: Optional[Schema] = None

    def _fail(self, kind: str, text: str) -> MessageError:
        error = MessageError(kind, text)
        self.failed = error
        return error

    def _need(self, n: int) -> None:
        # Memory grows with the bytes that arrive, and not with those that are announced.
        while len(self._held) < n:
            more = self._read(65_536)
            if more is None:
                raise no_data()
            if not more:
                had = len(self._held)
                between = "the peer closed the connection without an end of its messages"
                inside = f"the peer closed the connection in the middle of a message, after {had} bytes"
                raise self._fail("PeerClosed", inside if had else between)
            self._held += more

    def _take(self, n: int) -> bytes:
        if self.failed is not None:
            raise self.failed
        self._need(n)
        data = bytes(self._held[:n])
        del self._held[:n]
        return data

    def hello(self) -> Optional[str]:
        """Read the hello. Returns why its messages cannot be read, if that is so.

        Raises :class:`MessageError` if it is no hello.
        """
        for i in range(len(_MAGIC)):
            byte = self._take(1)
            if byte != _MAGIC[i : i + 1]:
                start = _MAGIC[:i] + byte
                start += bytes(self._held[: 16 - len(start)])
                raise self._fail("OtherProtocol", f"the peer speaks another protocol: {shown(start)}")
        version = self._take(2)
        if version != b"\1\0":
            n = int.from_bytes(version, "little")
            raise self._fail("UnknownVersion", f"the peer's handshake has the unknown version {n}")
        rest = self._take(22)
        flags, size = int.from_bytes(rest[:2], "little"), int.from_bytes(rest[18:], "little")
        if flags > 1:
            raise self._invalid(f"it has the unknown flags {flags}")
        if size > _SCHEMA_LIMIT:
            raise self._invalid(f"its schema has {size} bytes")
        schema = self._take(size)
        if self._take(4) != crc32c(_MAGIC + version + rest + schema).to_bytes(4, "little"):
            raise self._invalid("its checksum is wrong")
        self.checksums = flags == 1
        return self._prepare(schema, rest[2:18])

    def _invalid(self, why: str) -> MessageError:
        return self._fail("InvalidHandshake", f"the peer's handshake is invalid: {why}")

    def _prepare(self, schema: bytes, fingerprint: bytes) -> Optional[str]:
        if self._type is not None and fingerprint == stored_fingerprint(self._type.schema):
            self._values, self.schema = self._type, self._type.schema
            return None
        if self._type is not None:
            found = evolved_reader(self._type, schema, False)
            if isinstance(found, str):
                return found
            self._values, self.schema = found
            return None
        try:
            self.schema = Schema.decode(schema)
        except DecodeError as e:
            return f"no schema that can be read: {e}"
        self._values = bind(self.schema)
        return None

    def verdict(self) -> Optional[str]:
        """Read the verdict: why the peer cannot read what it gets, if that is so."""
        n = int.from_bytes(self._take(4), "little")
        if n > _VERDICT_LIMIT:
            raise self._invalid("its verdict is too long")
        text = self._take(n).decode("utf-8", "replace")
        return "".join(c if c == "\n" or clean(c) == c else "?" for c in text) if n else None

    def receive(self) -> Optional[Tuple[R]]:
        """The next message, in a tuple. ``None`` if the peer has said that there are no more."""
        if self.ended:
            return None
        if self.failed is not None:
            raise self.failed
        self._need(4)
        n = int.from_bytes(self._held[:4], "little")
        if n == _END:
            self.ended = True
            return None
        if n > self._limit:
            raise self._fail("TooLong", f"a message of {n} bytes, and the limit is {self._limit}")
        self._need(4 + n + (4 if self.checksums else 0))
        frame = self._take(4 + n)
        if self.checksums and self._take(4) != crc32c(frame).to_bytes(4, "little"):
            raise self._fail("InvalidChecksum", "the checksum of a message is wrong")
        return (self._decode(frame[4:]),)

    def _decode(self, data: bytes) -> R:
        assert self._values is not None
        try:
            value, end = self._values.decode_from(data, 0)
            if end < len(data):
                raise DecodeError(end, "", "expected the end of the input")
        except DecodeError as e:
            raise self._fail("InvalidMessage", f"a message is invalid: {e}") from None
        return value  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[R]:
        """The messages, up to the peer's end."""
        while True:
            found = self.receive()
            if found is None:
                return
            yield found[0]


class Connection(Generic[S, R]):
    """Typed messages both ways over a stream of bytes. Use it in a ``with`` block.

    ``stream`` is a socket, or a pair of functions: one that reads at most so many bytes, and one
    that writes all of some. The first type is that of what this end sends, the second that of what
    it receives: without it, messages are plain values of the peer's schema. If that is an older
    schema, messages are read as the type's evolution says. Making a connection shakes hands, and
    raises :class:`MessageError` if the two ends do not understand each other. Each end first sends
    its schema: if both have more bytes than the stream holds, both wait for ever, unless the socket
    has a timeout.

    >>> import ashlar, socket, threading
    >>> from ashlar.messages import Connection
    >>> numbers = ashlar.bind(ashlar.Schema(ashlar.shapes.Leaf("int64")))
    >>> here, there = socket.socketpair()
    >>> def peer():
    ...     with Connection(there, numbers, numbers) as c:
    ...         for n in c:
    ...             c.send(2 * n)
    >>> thread = threading.Thread(target=peer)
    >>> thread.start()
    >>> with Connection(here, numbers, numbers, checksums=True) as c:
    ...     c.send(21)
    ...     c.receive()
    (42,)
    >>> thread.join()
    >>> here.close(), there.close()
    (None, None)
    """

    def __init__(
        self,
        stream: Any,
        sends: Type[S],
        receives: Optional[Type[R]] = None,
        *,
        checksums: bool = False,
        limit: int = MESSAGE_LIMIT,
    ) -> None:
        expect_type(sends)
        if isinstance(stream, tuple):
            read, self._write = stream
        else:
            read, self._write = stream.recv, stream.sendall
        self._sends = sends
        self._checksums = checksums
        self._ended = False
        self._lock = threading.Lock()
        self._incoming: Incoming[R] = Incoming(read, receives, limit)
        self._write(hello_bytes(sends.schema, checksums))
        why = self._incoming.hello()
        self._write(verdict_bytes(why))
        # Both ends read what the other has to say.
        refused = self._incoming.verdict()
        if refused is not None:
            text = f"the peer cannot read our messages, and says: {refused}"
            raise MessageError("Refused", text)
        if why is not None:
            raise MessageError("CannotRead", f"the peer's messages cannot be read: {why}")

    def send(self, message: S) -> None:
        """Send a message. Raises :class:`ashlar.EncodeError` if it is no value of the type.

        Messages of several threads do not mix. Any other failure, such as a timeout, is raised again
        at each later use, because a part of the message may have been sent.
        """
        if self._ended:
            raise MessageError("AfterEnd", "the connection was used after its end")
        self._send(frame_bytes(self._sends.encode(message), self._checksums))

    def _send(self, data: bytes) -> None:
        with self._lock:
            if self._incoming.failed is not None:
                raise self._incoming.failed
            try:
                self._write(data)
            except BaseException as e:
                cut = MessageError("CutOff", "a message was cut off while it was sent")
                self._incoming.failed = e if isinstance(e, Exception) else cut
                raise

    def receive(self) -> Optional[Tuple[R]]:
        """The next message, in a tuple. ``None`` if the peer has said that there are no more."""
        return self._incoming.receive()

    def __iter__(self) -> Iterator[R]:
        """The messages, up to the peer's end."""
        return iter(self._incoming)

    def end(self) -> None:
        """Tell the peer that there will be no more messages. This end can still receive."""
        if not self._ended:
            self._ended = True
            self._send(b"\xff\xff\xff\xff")

    def __enter__(self) -> Connection[S, R]:
        return self

    def __exit__(
        self,
        kind: Optional[Class[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        # After an exception the peer gets no end.
        if kind is None:
            try:
                self.end()
            except OSError:
                # A peer that has ended may be gone.
                if not self._incoming.ended:
                    raise


def hello_bytes(schema: Schema, checksums: bool) -> bytes:
    """The bytes of a hello."""
    data = schema.encode()
    start = b"".join(
        (
            _MAGIC,
            b"\1\0",
            bytes((checksums, 0)),
            stored_fingerprint(schema),
            len(data).to_bytes(4, "little"),
            data,
        )
    )
    return start + crc32c(start).to_bytes(4, "little")


def verdict_bytes(why: Optional[str]) -> bytes:
    """The bytes of a verdict.

    >>> verdict_bytes(None), verdict_bytes("no")
    (b'\\x00\\x00\\x00\\x00', b'\\x02\\x00\\x00\\x00no')
    """
    text = b"" if why is None else (why or "?").encode()[:_VERDICT_LIMIT]
    return len(text).to_bytes(4, "little") + text


def frame_bytes(message: bytes, checksums: bool) -> bytes:
    """The bytes of a message with what stands around it. Raises :class:`MessageError` for 2 GiB or more."""
    if len(message) >= 1 << 31:
        text = f"a message of {len(message)} bytes, and the limit is {(1 << 31) - 1}"
        raise MessageError("TooLong", text)
    frame = len(message).to_bytes(4, "little") + message
    return frame + crc32c(frame).to_bytes(4, "little") if checksums else frame
