"""Messages: both directions, damage, and peers that do not understand each other."""

from __future__ import annotations

import io
import socket
import threading
import time
import unittest
from typing import Any, Callable, List, Tuple

import ashlar
from ashlar import Schema, bind
from ashlar import shapes as s
from ashlar.evolution import Added
from ashlar.messages import Connection, Incoming, MessageError, frame_bytes, hello_bytes, verdict_bytes

TEXTS = bind(Schema(s.Leaf("utf8")))
NUMBERS = bind(Schema(s.Leaf("int64")))


def direction(kind: Any, messages: List[Any], checksums: bool = False, end: bytes = b"\xff" * 4) -> bytes:
    frames = [frame_bytes(kind.encode(m), checksums) for m in messages]
    return hello_bytes(kind.schema, checksums) + verdict_bytes(None) + b"".join(frames) + end


def incoming(data: bytes, kind: Any = None, chunk: int = 7) -> Incoming[Any]:
    stream = io.BytesIO(data)
    return Incoming(lambda n: stream.read(min(n, chunk)), kind)


def all_of(found: Incoming[Any]) -> Tuple[List[Any], str]:
    """The messages, and the text of the error."""
    messages: List[Any] = []
    try:
        why = found.hello()
        if why is not None:
            return messages, why
        found.verdict()
        for m in found:
            messages.append(m)
    except MessageError as e:
        return messages, str(e)
    return messages, ""


class Directions(unittest.TestCase):
    def test_round_trips(self) -> None:
        for checksums in (False, True):
            for chunk in (1, 7, 10_000):
                data = direction(TEXTS, ["a", "", "b" * 2000], checksums)
                self.assertEqual(all_of(incoming(data, None, chunk)), (["a", "", "b" * 2000], ""))
                self.assertEqual(all_of(incoming(data, TEXTS, chunk)), (["a", "", "b" * 2000], ""))

    def test_the_bytes_of_a_hello(self) -> None:
        data = hello_bytes(NUMBERS.schema, True)
        self.assertEqual(data[:12].hex(), "894153484d53470a01000100")
        fingerprint = NUMBERS.schema.fingerprint()
        self.assertEqual(data[12:28], fingerprint[7::-1] + fingerprint[:7:-1])

    def test_every_truncation(self) -> None:
        data = direction(TEXTS, ["a", "bc"], True)
        for n in range(len(data)):
            messages, error = all_of(incoming(data[:n]))
            self.assertEqual(messages, ["a", "bc"][: len(messages)])
            self.assertIn("the peer closed the connection", error)

    def test_every_flipped_bit_with_checksums(self) -> None:
        data = direction(TEXTS, ["a", "bc"], True)
        verdict = len(hello_bytes(TEXTS.schema, True))
        for at in range(len(data)):
            if verdict <= at < verdict + 4:
                continue
            changed = bytearray(data)
            changed[at] ^= 4
            messages, error = all_of(incoming(bytes(changed)))
            self.assertEqual(messages, ["a", "bc"][: len(messages)])
            self.assertNotEqual(error, "", at)

    def test_words(self) -> None:
        start = hello_bytes(NUMBERS.schema, False) + verdict_bytes(None)
        cases = [
            (b"HTTP/1.1 200 OK\r\n", 'the peer speaks another protocol: "H"'),
            (start[:8] + b"\2\0", "the peer's handshake has the unknown version 2"),
            (start[:10] + b"\2" + start[11:], "the peer's handshake is invalid: it has the unknown flags 2"),
            (start[:-5] + b"?" + start[-4:], "the peer's handshake is invalid: its checksum is wrong"),
            (start + b"\xfe" * 4, "a message of 4278124286 bytes, and the limit is 67108864"),
            (start + b"\2\0\0\0ab", "a message is invalid: at byte 0: 8 bytes needed, 2 left"),
            (start + b"\2", "the peer closed the connection in the middle of a message, after 1 bytes"),
            (start, "the peer closed the connection without an end of its messages"),
        ]
        for data, message in cases:
            self.assertEqual(all_of(incoming(data, None, 1)), ([], f"Ashlar.Network: {message}"))

    def test_lengths_are_not_trusted(self) -> None:
        asked: List[int] = []
        data = io.BytesIO(hello_bytes(NUMBERS.schema, False) + verdict_bytes(None) + b"\0\0\0\4")

        def read(n: int) -> bytes:
            asked.append(n)
            return data.read(n)

        self.assertIn("in the middle", all_of(Incoming(read))[1])
        self.assertLessEqual(max(asked), 65_536)

    def test_a_stream_that_has_no_data_yet(self) -> None:
        data = io.BytesIO(hello_bytes(NUMBERS.schema, False) + verdict_bytes(None))
        with self.assertRaisesRegex(BlockingIOError, "no data yet"):
            all_of(Incoming(lambda n: data.read(n) or None))

    def test_what_is_no_type(self) -> None:
        with self.assertRaisesRegex(TypeError, r"ashlar\.bind"):
            Incoming(io.BytesIO().read, NUMBERS.schema)  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, r"ashlar\.bind"):
            Connection((io.BytesIO().read, io.BytesIO().write), NUMBERS.schema)  # type: ignore[arg-type]


class Connections(unittest.TestCase):
    def talk(self, peer: Callable[[socket.socket], Any], act: Callable[[socket.socket], Any]) -> Any:
        here, there = socket.socketpair()
        here.settimeout(10)
        there.settimeout(10)
        results: List[Any] = []

        def run() -> None:
            try:
                results.append(peer(there))
            except MessageError as e:
                results.append(str(e))
            finally:
                there.close()

        thread = threading.Thread(target=run)
        thread.start()
        try:
            found = act(here)
        except MessageError as e:
            found = str(e)
        finally:
            here.close()
            thread.join()
        return found, results[0]

    def test_questions_and_answers(self) -> None:
        def answer(stream: socket.socket) -> int:
            with Connection(stream, TEXTS, NUMBERS) as c:
                n = 0
                for x in c:
                    c.send(str(x))
                    n += 1
                return n

        def ask(stream: socket.socket) -> List[Any]:
            with Connection(stream, NUMBERS, TEXTS, checksums=True) as c:
                found = []
                for i in range(100):
                    c.send(i)
                    found.append(c.receive())
                c.end()
                found.append(c.receive())
                return found

        found, count = self.talk(answer, ask)
        self.assertEqual(found, [(str(i),) for i in range(100)] + [None])
        self.assertEqual(count, 100)

    def open_to(self, write: Callable[[bytes], None], rest: bytes = b"") -> Connection[str, Any]:
        """A connection to a peer that has already said all that it has to say."""
        stream = io.BytesIO(hello_bytes(TEXTS.schema, False) + verdict_bytes(None) + rest)
        return Connection((stream.read, write), TEXTS)

    def test_a_message_that_is_cut_off(self) -> None:
        sent: List[bytes] = []
        broken: List[BaseException] = []

        def write(data: bytes) -> None:
            if broken:
                sent.append(data[:5])
                raise broken[0]
            sent.append(data)

        for error, later in ((socket.timeout("late"), socket.timeout), (KeyboardInterrupt(), MessageError)):
            broken.clear()
            connection = self.open_to(write)
            broken.append(error)
            with self.assertRaises(type(error)):
                connection.send("brick")
            broken.clear()
            sent.clear()
            for use in (lambda: connection.send("again"), connection.end, connection.receive):
                with self.assertRaises(later):
                    use()
            self.assertEqual(sent, [])

    def test_nothing_is_sent_after_a_message_that_is_invalid(self) -> None:
        sent: List[bytes] = []
        connection = self.open_to(sent.append, b"\1\0\0\0\0")
        sent.clear()
        with self.assertRaises(MessageError):
            connection.receive()
        with self.assertRaises(MessageError):
            connection.send("brick")
        self.assertEqual(sent, [])

    def test_messages_of_several_threads(self) -> None:
        sent = bytearray()

        def write(data: bytes) -> None:
            for i in range(0, len(data), 3):
                sent.extend(data[i : i + 3])
                time.sleep(0)

        connection = self.open_to(write)
        sent.clear()
        texts = ["a" * 3000, "b" * 3000, "c" * 3000]
        threads = [threading.Thread(target=connection.send, args=(t,)) for t in texts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        size = len(frame_bytes(TEXTS.encode(texts[0]), False))
        frames = {bytes(sent[i : i + size]) for i in range(0, len(sent), size)}
        self.assertEqual(frames, {frame_bytes(TEXTS.encode(t), False) for t in texts})

    def test_other_types(self) -> None:
        found = self.talk(lambda x: Connection(x, TEXTS, TEXTS), lambda x: Connection(x, NUMBERS, TEXTS))
        why = "Int64 cannot become Text"
        self.assertIn(f"the peer cannot read our messages, and says: value: {why}", found[0])
        self.assertIn(f"the peer's messages cannot be read: value: {why}", found[1])

    def test_an_older_peer(self) -> None:
        def order(*names: str) -> Schema:
            c = s.Constructor("Order", tuple(s.Field(n, s.Leaf("word8")) for n in names))
            return Schema(s.Reference(0), (s.Definition("Order", "record", "unknown", (c,)),))

        old, new = bind(order("a")), bind(order("a", "b"), evolution={"Order": [Added("b", 7)]})

        def peer(stream: socket.socket) -> None:
            with Connection(stream, old, ashlar.bind(order("a"))) as c:
                c.send({"a": 1})

        def act(stream: socket.socket) -> Any:
            with Connection(stream, old, new) as c:
                return list(c)

        self.assertEqual(self.talk(peer, act)[0], [{"a": 1, "b": 7}])


if __name__ == "__main__":
    unittest.main()
