"""Files of records: golden bytes, damage, numbers, appending."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import gc
import io
import os
import re
import tempfile
import threading
import unittest
from pathlib import Path
from random import Random
from typing import Any, Callable, Iterator, List, Optional, Tuple
from unittest import mock

import ashlar
from ashlar import Damage, Lost, Schema
from ashlar import shapes as s
from ashlar import _after, _writer
from ashlar._after import pass_over
from ashlar._append import Tail, append_block, block_header
from ashlar._blocks import events_of
from ashlar._crc import _bytewise, crc32c
from ashlar._fold import Fold
from ashlar._input import FileInput
from ashlar._layout import INDEX, RECORDS, put_block_header
from ashlar._open import Reading as HowToRead, open_first
from ashlar._scan import Block
from ashlar._verify import verify
from ashlar.files import by_own_schema

ROOT = Path(__file__).resolve().parents[2]
MARKER = bytes(range(17, 25))

TEXTS = ashlar.bind(Schema(s.Leaf("utf8")))
NUMBERS = ashlar.bind(Schema(s.Leaf("int64")))
UNITS = ashlar.bind(Schema(s.Leaf("unit")))


class FileCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "records")

    def stored(self) -> bytes:
        return Path(self.path).read_bytes()

    def store(self, data: bytes) -> None:
        Path(self.path).write_bytes(data)

    def resync(self, data: bytes, kind: Any = None) -> Tuple[List[Any], List[Lost]]:
        self.store(data)
        lost: List[Lost] = []
        return list(ashlar.read(self.path, kind, resync=lost.append)), lost

    def outcome(self, data: bytes, kind: Any = None) -> Tuple[List[Any], Optional[Damage]]:
        self.store(data)
        records: List[Any] = []
        try:
            for x in ashlar.read(self.path, kind):
                records.append(x)
        except Damage as e:
            return records, e
        return records, None


@contextlib.contextmanager
def failing(name: str, error: OSError) -> Iterator[None]:
    """In it, a function of the module os fails."""

    def fail(*_: Any) -> Any:
        raise error

    with mock.patch.object(os, name, fail):
        yield


class Growing(FileInput):
    """A file that has some more of these bytes each time that some are fetched."""

    def __init__(self, path: str, fd: int, data: bytes, seed: int) -> None:
        super().__init__(path, fd)
        self.data, self.random = data, Random(seed)

    def fetch(self, offset: int, n: int) -> bytes:
        found = super().fetch(offset, n)
        size = self.size()
        with open(self.name, "ab") as file:
            file.write(self.data[size : size + self.random.choice([1, 30, 90, 400])])
        return found


class Checksums(unittest.TestCase):
    def test_agrees_with_the_table(self) -> None:
        r = Random(1)
        for n in [0, 1, 9, 1023, 1024, 1025, 6777 // 8, 32768, 32769, 70001]:
            data = r.randbytes(n)
            self.assertEqual(crc32c(data), _bytewise(0xFFFFFFFF, data) ^ 0xFFFFFFFF)


class Golden(FileCase):
    def test_example_of_the_format(self) -> None:
        text = (ROOT / "ashlar-file" / "format.md").read_text()
        digits = re.findall(r"```text\n([0-9a-f \n]+)```", text)[-1]
        data = bytes.fromhex(digits)
        # A file of a type without a schema is refused without one, and its blocks are whole.
        records, damage = self.outcome(data)
        self.assertEqual(records, [])
        assert damage is not None
        self.assertEqual(damage.cause.kind, "WrongType")
        from ashlar._layout import BLOCK_BYTES, any_block_start, get_file_header, put_block_header, put_file_header

        header = get_file_header(data[:0x3A])
        assert header is not None
        self.assertEqual(put_file_header(header), data[:0x3A])
        block = any_block_start(data[0x3A : 0x3A + BLOCK_BYTES])
        assert block is not None
        self.assertEqual(put_block_header(block), data[0x3A : 0x3A + BLOCK_BYTES])
        self.assertEqual(crc32c(data[0x3A + BLOCK_BYTES :]), block.checksum)


class Reading(FileCase):
    def test_round_trips(self) -> None:
        texts = [f"text {i}" * (i % 7) for i in range(3000)]
        for level in (None, 6):
            for size in (1, 100, 32768):
                ashlar.write(self.path, TEXTS, texts, zlib=level, block_size=size)
                self.assertEqual(list(ashlar.read(self.path)), texts)
                self.assertEqual(list(ashlar.read(self.path, TEXTS)), texts)
                self.assertEqual(list(ashlar.read(io.BytesIO(self.stored()))), texts)
                self.assertEqual(list(ashlar.read(self.path, start=2990)), texts[2990:])
                with ashlar.reader(self.path) as records:
                    self.assertEqual(len(records), 3000)
                    for i in (0, 1, 1777, 2999, -1):
                        self.assertEqual(records[i], texts[i])
                    for i in (3000, -3001):
                        with self.assertRaisesRegex(IndexError, f"^there is no record {i}$"):
                            records[i]
                    with self.assertRaises(TypeError):
                        records["1"]  # type: ignore[call-overload]
                    self.assertEqual(records[1777:1780], texts[1777:1780])
                    self.assertEqual(records[::-997], texts[::-997])
                    self.assertEqual(list(records), texts)

    def test_readers_and_writers_that_are_closed(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "b"], block_size=1)
        records = ashlar.reader(self.path)
        self.assertEqual(records[0], "a")
        records.close()
        # Another file has the number of its descriptor.
        with open(os.devnull, "rb"):
            uses: List[Callable[[], Any]] = [
                lambda: records[0],
                lambda: records[1],
                lambda: len(records),
                lambda: list(records),
            ]
            for use in uses:
                with self.assertRaisesRegex(ashlar.AshlarError, "the reader is closed"):
                    use()

    def test_readers_and_writers_that_are_dropped(self) -> None:
        ashlar.write(self.path, TEXTS, ["a"])
        before = len(os.listdir("/dev/fd"))
        for _ in range(50):
            self.assertEqual(ashlar.reader(self.path)[0], "a")
        for append in (False, True):
            dropped = ashlar.writer(self.path, TEXTS, append=append)
            dropped.write("lost")
            del dropped
            gc.collect()
        self.assertEqual(len(os.listdir("/dev/fd")), before)
        # Neither is it locked.
        ashlar.append(self.path, TEXTS, ["b"])
        self.assertEqual(list(ashlar.read(self.path)), ["a", "b"])
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["records"])

    def test_records_without_bytes(self) -> None:
        ashlar.write(self.path, UNITS, [()] * 5)
        self.assertEqual(list(ashlar.read(self.path)), [()] * 5)
        self.assertEqual(self.stored()[-5:], bytes(5))

    def test_every_length_of_a_file(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "bc", "d"], block_size=1, marker=MARKER)
        data = self.stored()
        header = len(data)
        for n in range(len(data)):
            records, damage = self.outcome(data[:n])
            self.assertEqual(records, ["a", "bc", "d"][: len(records)])
            if damage is None:
                header = min(header, n)
                with ashlar.reader(self.path) as by_number:
                    self.assertEqual(len(by_number), len(records))
            else:
                self.assertIn(damage.cause.kind, ("Truncated", "TruncatedHeader", "NotAFile", "NotABlock"))
                self.assertEqual(list(ashlar.read(self.path, whole_tail=False)) if n >= header else records, records)

    def test_every_flipped_bit(self) -> None:
        texts = ["a", "bc", "def", "gh"]
        ashlar.write(self.path, TEXTS, texts, block_size=10, marker=MARKER)
        data = self.stored()
        for at in range(len(data)):
            for bit in (1, 16, 128):
                changed = bytearray(data)
                changed[at] ^= bit
                records, damage = self.outcome(bytes(changed))
                self.assertEqual(records, texts[: len(records)])
                self.assertIsNotNone(damage, at)
                found, lost = [], []  # type: Tuple[List[Any], List[Lost]]
                try:
                    found, lost = self.resync(bytes(changed))
                except Damage:
                    continue
                self.assertTrue(lost)
                # One block of two records at most is lost. (In the header is the schema.)
                self.assertGreaterEqual(len(found), 2 if at >= 67 else 0, at)
                self.assertTrue(all(x in texts for x in found))

    def test_lost_and_inserted_bytes(self) -> None:
        texts = [f"text {i}" for i in range(40)]
        ashlar.write(self.path, TEXTS, texts, block_size=30, marker=MARKER)
        data = self.stored()
        r = Random(3)
        for _ in range(150):
            at = r.randrange(80, len(data))
            n = r.choice([1, 7, 100, 300])
            changed = data[:at] + (r.randbytes(n) + data[at:] if r.random() < 0.5 else data[at + n :])
            found, lost = self.resync(changed)
            self.assertEqual(found, [x for x in texts if x in set(found)])
            self.assertGreaterEqual(len(found), 40 - 2 * (2 + n // 90) - 2)

    def test_words_of_damage(self) -> None:
        ashlar.write(self.path, NUMBERS, [1, 2, 3], block_size=8, marker=MARKER)
        data = self.stored()
        changed = bytearray(data)
        changed[-1] ^= 1
        _, damage = self.outcome(bytes(changed))
        first = len(data) - 80
        self.assertEqual(str(damage), f"{self.path}: at byte {first} (block 2), from record 2 on: wrong checksum")
        _, damage = self.outcome(data[:-1])
        self.assertEqual(
            str(damage),
            f"{self.path}: at byte {first} (block 2), from record 2 on: the file ends in this block: "
            "80 bytes needed, 79 left",
        )
        _, damage = self.outcome(b"hello, world")
        self.assertEqual(str(damage), f"{self.path}: at byte 0, from record 0 on: not a file of records")

    def test_bad_records(self) -> None:
        kind = ashlar.bind(Schema(s.Leaf("bool")))
        ashlar.write(self.path, kind, [], marker=MARKER)
        data = self.stored()
        tail = Tail(MARKER, len(data), data[24:40])
        body = b"\1\0\2\1"
        h = block_header(tail, RECORDS, 4, body)
        records, damage = self.outcome(data + put_block_header(h) + body)
        self.assertEqual(records, [True, False])
        self.assertEqual(
            str(damage),
            f"{self.path}: at byte {len(data)} (block 0), from record 2 on: at byte 2: a Bool is 0 or 1, not 2",
        )
        with ashlar.reader(self.path) as by_number:
            for i in 3, 2, 3:
                with self.assertRaises(Damage) as caught:
                    by_number[i]
                self.assertEqual(caught.exception.record, i)
                self.assertEqual(by_number[1], False)

    def test_blocks_of_many_records(self) -> None:
        """The values of a block are never all in memory, and damage has the number of its record."""
        kind = ashlar.bind(Schema(s.Leaf("bool")))
        for n in (999, 1000, 1001, 2000, 4321):
            for bad in (None, 0, 999, 1000, n - 1):
                body = bytearray(n)
                if bad is not None and bad < n:
                    body[bad] = 2
                self.store_block(kind, bytes(body), n)
                self.check_block(body)
        self.store_block(kind, bytes(2001), 2000)
        found, lost = self.resync(self.stored())
        self.assertEqual(found, [False] * 2000)
        self.assertEqual([x.damage.cause.kind for x in lost], ["WrongCount"])

    def store_block(self, kind: Any, body: bytes, count: int) -> None:
        ashlar.write(self.path, kind, [], marker=MARKER)
        data = self.stored()
        h = block_header(Tail(MARKER, len(data), data[24:40]), RECORDS, count, body)
        self.store(data + put_block_header(h) + body)

    def check_block(self, body: bytearray) -> None:
        data, bad = self.stored(), body.find(2)
        own = body if bad < 0 else body[:bad]
        found, lost = self.resync(data)
        self.assertEqual(found, list(map(bool, own)))
        self.assertEqual([x.damage.record for x in lost], [bad] if bad >= 0 else [])
        if bad < 0:
            self.assertEqual(len(list(ashlar.read(self.path, start=1500))), max(0, len(body) - 1500))
        said: List[str] = []
        verify(self.path, by_own_schema, lambda text, damage: said.append(text), str)
        self.assertEqual(any(f"from record {bad} on" in text for text in said), bad >= 0)

    def test_a_stream_that_has_no_data_yet(self) -> None:
        ashlar.write(self.path, TEXTS, ["x" * 100] * 500, block_size=1000)
        data = self.stored()

        class Raw:
            def __init__(self, at: int) -> None:
                self.waits, self.stream = at, io.BytesIO(data)

            def read(self, n: int) -> Optional[bytes]:
                left = self.waits - self.stream.tell()
                if left == 0:
                    self.waits = len(data) + 1
                    return None
                return self.stream.read(min(n, left))

        # At some of these, the file would be whole if it ended there.
        for at in range(2500):
            with self.assertRaisesRegex(BlockingIOError, "no data yet"):
                list(ashlar.read(Raw(at)))
        source, target = os.pipe()
        self.addCleanup(os.close, target)
        os.set_blocking(source, False)
        os.write(target, data[:3000])
        with os.fdopen(source, "rb", buffering=0) as stream, self.assertRaises(BlockingIOError):
            list(ashlar.read(stream))

    def test_what_is_no_type_and_no_path(self) -> None:
        ashlar.write(self.path, TEXTS, ["a"])
        kinds: List[Any] = [TEXTS.schema, str, TEXTS.schema.encode()]
        for wrong in kinds:
            for use in (
                lambda: ashlar.read(self.path, wrong),
                lambda: ashlar.reader(self.path, wrong),
                lambda: ashlar.write(self.path, wrong, ["b"]),
                lambda: ashlar.append(self.path, wrong, ["b"]),
                lambda: ashlar.evolve(wrong, TEXTS.schema),
            ):
                with self.assertRaisesRegex(TypeError, r"ashlar\.bind"):
                    use()  # type: ignore[no-untyped-call]
        data = self.stored()
        for held in (data, bytearray(data), memoryview(data)):
            for read in (ashlar.read, ashlar.read_lines, ashlar.reader):
                with self.assertRaisesRegex(TypeError, r"ashlar\.read\(io\.BytesIO\(data\)\)"):
                    read(held)  # type: ignore[operator]
        self.assertEqual(list(ashlar.read(io.BytesIO(data), TEXTS)), ["a"])

    def test_some_records_at_a_time(self) -> None:
        ashlar.write(self.path, NUMBERS, range(5000), block_size=1 << 20)
        counts: List[int] = []
        real = ashlar.Type.decode_many

        def decode_many(kind: Any, data: bytes, at: int, count: int) -> Any:
            counts.append(count)
            return real(kind, data, at, count)

        with mock.patch.object(ashlar.Type, "decode_many", decode_many):
            self.assertEqual(list(ashlar.read(self.path)), list(range(5000)))
            verify(self.path, by_own_schema, lambda text, damage: None, str)
        self.assertEqual(counts, [1000] * 10)

    def test_hostile_sizes(self) -> None:
        """Lengths in headers that check out, and announce more than there is."""
        ashlar.write(self.path, NUMBERS, [1], marker=MARKER)
        data = self.stored()
        for at in (12, 40):
            changed = data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :]
            records, damage = self.outcome(changed)
            self.assertIsNotNone(damage)

    def test_reading_ends_where_the_file_does_also_in_a_block_that_is_too_large(self) -> None:
        texts = ["a", "bc", "d" * 300]
        ashlar.write(self.path, TEXTS, texts, block_size=1, marker=MARKER, index=False)
        data = self.stored()
        at = len(data) - 380
        for size in range(at + 72, len(data) + 1):
            self.store(data[:size])
            with self.subTest(size=size), open(self.path, "rb") as stream:
                for source in self.path, stream:
                    lost: List[Lost] = []
                    found = list(ashlar.read(source, resync=lost.append, block_limit=307))
                    self.assertEqual(found, texts[:2])
                    said = [(x.damage.offset, x.damage.cause.kind, x.to, x.next) for x in lost]
                    self.assertEqual(said, [(at, "TooLarge", size, None)])
                last = list(events_of(FileInput(self.path, stream.fileno()), 307))[-1]
                assert isinstance(last, Lost)
                self.assertEqual(last.to, size)

    def test_random_damage(self) -> None:
        ashlar.write(self.path, TEXTS, [f"text {i}" for i in range(30)], block_size=40)
        data = self.stored() * 2
        r = Random(5)
        for _ in range(150):
            changed = bytearray(data)
            for _ in range(r.randint(1, 5)):
                changed[r.randrange(len(changed))] = r.randrange(256)
            try:
                self.resync(bytes(changed[: r.randrange(len(changed))]))
            except Damage:
                pass


class Joined(FileCase):
    def test_two_files(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "b"])
        first = self.stored()
        ashlar.write(self.path, TEXTS, ["c", "d", "e"], zlib=9)
        second = self.stored()
        self.store(first + second)
        self.assertEqual(list(ashlar.read(self.path)), ["a", "b", "c", "d", "e"])
        self.assertEqual(list(ashlar.read(self.path, TEXTS, start=3)), ["d", "e"])
        with ashlar.reader(self.path) as records:
            self.assertEqual([records[i] for i in range(len(records))], ["a", "b", "c", "d", "e"])
        with self.assertRaises(Damage) as caught:
            ashlar.append(self.path, TEXTS, ["f"])
        self.assertIn("appending would cut it off", str(caught.exception))
        self.assertEqual(self.stored(), first + second)

    def test_a_damaged_end_between(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "b"], index=False)
        first = self.stored()
        ashlar.write(self.path, TEXTS, ["c"])
        second = self.stored()
        found, lost = self.resync(first[:-3] + second, TEXTS)
        self.assertEqual(found, ["c"])
        self.assertTrue(lost[0].other)

    def test_files_of_other_types(self) -> None:
        ashlar.write(self.path, TEXTS, ["a"])
        first = self.stored()
        ashlar.write(self.path, NUMBERS, [1])
        second = self.stored()
        self.store(first + second)
        self.assertEqual(list(ashlar.read(self.path)), ["a", 1])
        found, lost = self.resync(first + second + first, TEXTS)
        self.assertEqual(found, ["a", "a"])
        self.assertIn("another file begins here, which has 1 record: another type: ", str(lost[0].damage))


class Writing(FileCase):
    def test_append(self) -> None:
        texts: List[str] = []
        r = Random(4)
        for _ in range(20):
            more = [f"text {r.random()}" for _ in range(r.randrange(30))]
            ashlar.append(self.path, TEXTS, more, block_size=200)
            texts += more
            if r.random() < 0.5 and texts:
                # A writer that was killed in the middle of a block.
                before = len(self.stored())
                ashlar.append(self.path, TEXTS, ["lost" * 9], index=False)
                self.store(self.stored()[:-7])
                self.assertNotEqual(before, len(self.stored()))
            self.assertEqual(list(ashlar.read(self.path, whole_tail=False))[: len(texts)], texts)
        ashlar.append(self.path, TEXTS, [])
        self.assertEqual(list(ashlar.read(self.path)), texts)
        with ashlar.reader(self.path) as records:
            self.assertEqual(records[len(texts) - 1], texts[-1])

    def test_append_with_another_compression(self) -> None:
        ashlar.write(self.path, TEXTS, ["a"], zlib=6)
        with self.assertRaisesRegex(Damage, 'compressed by "zlib": append with zlib=6, or another level') as caught:
            ashlar.append(self.path, TEXTS, ["b"])
        self.assertEqual(caught.exception.cause.kind, "UnknownCompression")
        ashlar.append(self.path, TEXTS, ["b"], zlib=1)
        self.assertEqual(list(ashlar.read(self.path)), ["a", "b"])
        ashlar.write(self.path, TEXTS, ["a"])
        with self.assertRaisesRegex(Damage, "not compressed: append without zlib"):
            ashlar.append(self.path, TEXTS, ["b"], zlib=6)

    def test_a_writer_takes_the_place_of_an_index_that_was_read(self) -> None:
        for n in range(4):
            for m in [0, 1, 2, 40]:
                with self.subTest(n=n, m=m):
                    ashlar.write(self.path, TEXTS, ["a"] * n)
                    fd = os.open(self.path, os.O_RDONLY)
                    self.addCleanup(os.close, fd)
                    records, added = 0, False
                    for event in events_of(FileInput(self.path, fd)):
                        if isinstance(event, Block):
                            records += event.header.records
                            if event.header.kind == INDEX and not added:
                                added = True
                                ashlar.append(self.path, TEXTS, ["b"] * m)
                    self.assertTrue(added)
                    self.assertEqual(records, n + m)

    def test_equal_records_make_equal_files(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "b"], marker=MARKER)
        data = self.stored()
        ashlar.write(self.path, TEXTS, iter(["a", "b"]), marker=MARKER)
        self.assertEqual(self.stored(), data)

    def test_a_failure_keeps_the_old_file(self) -> None:
        ashlar.write(self.path, TEXTS, ["old"])
        data = self.stored()
        with self.assertRaises(ashlar.EncodeError):
            ashlar.write(self.path, TEXTS, ["new", 3])
        self.assertEqual(self.stored(), data)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["records"])

    @unittest.skipUnless(os.path.isdir("/dev/shm"), "no folder below /dev")
    def test_a_file_below_dev_is_replaced_as_any_other(self) -> None:
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            link, path = self.path, os.path.join(folder, "records")
            os.symlink(path, link)
            for name in (path, link):
                ashlar.write(name, TEXTS, ["old"])
                with self.assertRaises(ashlar.EncodeError):
                    ashlar.write(name, TEXTS, ["new", 3])
                self.assertEqual(list(ashlar.read(path)), ["old"])
                self.assertEqual(os.listdir(folder), ["records"])

    def test_an_open_file_is_written_in_place(self) -> None:
        ashlar.write(self.path, TEXTS, ["old"])
        folder = self.path + ".fd"
        os.symlink("/dev/fd", folder)
        with open(self.path, "rb") as f:
            for name in (f"/dev/fd/{f.fileno()}", f"{folder}/{f.fileno()}"):
                inode = os.stat(self.path).st_ino
                ashlar.write(name, TEXTS, ["new"])
                self.assertEqual(os.stat(self.path).st_ino, inode)
                self.assertEqual(list(ashlar.read(self.path)), ["new"])

    def test_one_writer_at_a_time(self) -> None:
        with ashlar.writer(self.path, TEXTS, append=True) as w:
            w.write("a")
            with self.assertRaises(ashlar.FileLocked):
                ashlar.append(self.path, TEXTS, ["b"])
            self.assertEqual(w.written, 1)
            w.sync()
            self.assertEqual(list(ashlar.read(self.path)), ["a"])
            w.flush()
        with self.assertRaises(ashlar.AshlarError):
            w.write("b")
        self.assertEqual(list(ashlar.read(self.path)), ["a"])

    def test_large_records(self) -> None:
        kind = ashlar.bind(Schema(s.Leaf("bytes")))
        with ashlar.writer(self.path, kind, block_size=100, record_limit=200) as w:
            w.write(b"a")
            with self.assertRaises(ashlar.RecordTooLarge):
                w.write(bytes(300))
            w.write(bytes(190))
            w.write(b"b")
        self.assertEqual([len(x) for x in ashlar.read(self.path)], [1, 190, 1])

    def test_an_append_that_leaves_the_size_as_it_is(self) -> None:
        ashlar.write(self.path, TEXTS, ["a", "b"])
        size = os.path.getsize(self.path)
        with ashlar.reader(self.path) as records:
            self.assertEqual((len(records), records[-1]), (2, "b"))
            ashlar.append(self.path, TEXTS, ["x" * 40], index=False)
            self.assertEqual(os.path.getsize(self.path), size)
            self.assertEqual((len(records), records[-1]), (3, "x" * 40))

    def test_a_tail_that_is_cut_off_meanwhile(self) -> None:
        ashlar.write(self.path, TEXTS, ["a"], index=False)
        size = os.path.getsize(self.path)
        ashlar.append(self.path, TEXTS, ["lost" * 99], index=False)
        self.store(self.stored()[:-5])

        def passed(*args: Any) -> Any:
            found = pass_over(*args)
            os.truncate(self.path, size)
            return found

        lost: List[Lost] = []
        with mock.patch.object(_after, "pass_over", passed):
            found = list(ashlar.read(self.path, whole_tail=False, resync=lost.append))
        self.assertEqual((found, lost), (["a"], []))

    def test_a_reader_that_goes_on_after_damage_loses_nothing_of_a_file_that_grows(self) -> None:
        texts = [f"text {i}" * (i % 9) for i in range(60)]
        ashlar.write(self.path, TEXTS, [], marker=MARKER, index=False)
        header = os.path.getsize(self.path)
        ashlar.append(self.path, TEXTS, texts, block_size=50, index=False)
        data = self.stored()
        for seed in range(60):
            self.store(data[: header + 1])
            with self.subTest(seed=seed), open(self.path, "rb") as own:
                lost: List[Lost] = []
                how = HowToRead(None, None, by_own_schema, lost.append, whole_tail=False)
                fold = Fold(how, open_first(how, Growing(self.path, own.fileno(), data, seed)))
                found = [x for _, records in fold.chunks() for x in records]
                self.assertEqual((found, lost), (texts[: len(found)], []))
            self.store(data[: header + 1])
            with self.subTest(seed=seed), open(self.path, "rb") as own:
                events = list(events_of(Growing(self.path, own.fileno(), data, seed)))
                self.assertFalse([x for x in events if isinstance(x, Lost) and x.next is not None])

    def test_an_interrupt_while_a_file_is_opened(self) -> None:
        for target, name in ((fcntl, "flock"), (os.path, "samestat"), (os, "chmod"), (os, "stat")):
            ashlar.write(self.path, TEXTS, ["old"])
            before = len(os.listdir("/dev/fd"))
            real, calls = getattr(target, name), []  # type: Any, List[Any]

            def stop(*args: Any) -> Any:
                calls.append(args)
                # The second one is that of the new file.
                if len(calls) > 1 or name == "chmod":
                    raise KeyboardInterrupt
                return real(*args)

            with mock.patch.object(target, name, stop), self.assertRaises(KeyboardInterrupt) as caught:
                ashlar.write(self.path, TEXTS, ["new"])
            # (Its traceback is kept, so only what is closed at once is.)
            self.assertEqual(len(os.listdir("/dev/fd")), before, (name, caught.exception))
            self.assertEqual(os.listdir(os.path.dirname(self.path)), ["records"])
            ashlar.append(self.path, TEXTS, ["more"])
            self.assertEqual(list(ashlar.read(self.path)), ["old", "more"])

    def test_locks_that_fail_otherwise(self) -> None:
        with mock.patch.object(fcntl, "flock", side_effect=OSError(errno.ENOLCK, "no locks")):
            with self.assertRaises(OSError) as caught:
                ashlar.append(self.path, TEXTS, ["a"])
        self.assertEqual((caught.exception.errno, caught.exception.filename), (errno.ENOLCK, self.path))

    def test_a_new_file_where_a_link_leads(self) -> None:
        os.symlink(self.path, self.path + ".link")
        ashlar.append(self.path + ".link", TEXTS, ["a"])
        self.assertEqual(list(ashlar.read(self.path)), ["a"])
        for path in ("", self.path + "/", self.path + "-none/x"):
            with self.assertRaises(OSError):
                ashlar.append(path, TEXTS, ["a"])

    def test_a_file_that_cannot_be_closed(self) -> None:
        ashlar.write(self.path, TEXTS, ["old"])
        w = ashlar.writer(self.path, TEXTS)
        os.close(w._fd)
        with self.assertRaises(OSError):
            w.close()
        # That of the old file is closed, and it is no longer locked.
        ashlar.append(self.path, TEXTS, ["more"])
        self.assertEqual(list(ashlar.read(self.path)), ["old", "more"])
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["records"])

    def test_threads_write_whole_records(self) -> None:
        pairs = ashlar.bind(Schema(s.Tuple((s.Leaf("utf8"), s.Leaf("utf8")))))

        def write(letter: str) -> None:
            for _ in range(20000):
                w.write((letter, letter))

        with ashlar.writer(self.path, pairs) as w:
            threads = [threading.Thread(target=write, args=(x,)) for x in "abc"]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        found = list(ashlar.read(self.path, pairs))
        self.assertEqual(sorted(found), [(x, x) for x in "abc" for _ in range(20000)])

    def test_what_interrupts_a_record(self) -> None:
        pairs = ashlar.bind(Schema(s.Tuple((s.Leaf("utf8"), s.Leaf("int32")))))

        class Stop:
            def __index__(self) -> int:
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            with ashlar.writer(self.path, pairs) as w:
                w.write(("a", 1))
                w.write(("b", Stop()))
        self.assertEqual(list(ashlar.read(self.path)), [("a", 1)])
        out = bytearray(b"before")
        with self.assertRaises(KeyboardInterrupt):
            pairs.encode_into(("b", Stop()), out)
        self.assertEqual(out, b"before")

    def test_a_record_that_uses_the_writer(self) -> None:
        class Using:
            def __init__(self, use: Callable[[], None]) -> None:
                self.use = use

            def __index__(self) -> int:
                self.use()
                return 2

        with ashlar.writer(self.path, NUMBERS) as w:
            with self.assertRaises(ashlar.AshlarError):
                w.write(Using(lambda: w.write(0)))
            w.write(1)
            with self.assertRaises(ashlar.AshlarError):
                w.write(Using(w.flush))
            w.write(3)
        with ashlar.writer(self.path, NUMBERS, append=True) as w, self.assertRaises(ashlar.AshlarError):
            w.write(Using(w.close))
        self.assertEqual(list(ashlar.read(self.path)), [1, 3])

    def test_what_interrupts_a_block(self) -> None:
        real = os.pwrite

        def use(*args: Any) -> int:
            n = real(*args)
            w.write("c")
            return n

        def stop(*args: Any) -> int:
            real(*args)
            raise KeyboardInterrupt

        def stop_later(*args: Any) -> None:
            append_block(*args)
            raise KeyboardInterrupt

        for target, name, act, error in (
            (os, "pwrite", use, ashlar.AshlarError),
            (os, "pwrite", stop, KeyboardInterrupt),
            (_writer, "append_block", stop_later, KeyboardInterrupt),
        ):
            w = ashlar.writer(self.path, TEXTS, block_size=64)
            w.write("a")
            with mock.patch.object(target, name, act), self.assertRaises(error):
                w.write("b" * 100)
            w.write("d")
            w.close()
            self.assertEqual(list(ashlar.read(self.path)), ["a", "d"])
            os.unlink(self.path)

    def test_a_block_that_cannot_be_written(self) -> None:
        with ashlar.writer(self.path, TEXTS, block_size=64, record_limit=100) as w:
            w.write("a" * 20)
            with failing("pwrite", OSError(errno.ENOSPC, "full")), self.assertRaises(OSError):
                w.write("b" * 60)
            self.assertEqual(w.written, 1)
            with failing("pwrite", OSError(errno.ENOSPC, "full")), self.assertRaises(OSError):
                w.write("c" * 85)
            self.assertEqual(w.written, 1)
            w.write("d" * 85)
        self.assertEqual([x[0] for x in ashlar.read(self.path)], ["a", "d"])

    def test_a_disk_that_has_failed(self) -> None:
        w = ashlar.writer(self.path, TEXTS)
        w.write("a")
        with failing("fsync", OSError(errno.EIO, "broken")), self.assertRaises(OSError):
            w.sync()
        with self.assertRaises(OSError):
            w.sync()
        with self.assertRaises(OSError):
            w.close()
        self.assertEqual(list(ashlar.read(self.path)), ["a"])

    def test_the_header_did_not_arrive(self) -> None:
        ashlar.write(self.path, TEXTS, [], index=False)
        whole = self.stored()
        damaged = whole[:50] + bytes([whole[50] ^ 1]) + whole[51:]
        for data in b"", whole[:30], bytes(4096), damaged:
            self.store(data)
            ashlar.append(self.path, TEXTS, ["x"])
            self.assertEqual(list(ashlar.read(self.path)), ["x"])
        for data in b"\0" * 4096 + b"x", b"some text":
            self.store(data)
            with self.assertRaises(Damage):
                ashlar.append(self.path, TEXTS, ["x"])
            self.assertEqual(self.stored(), data)

    def test_a_lost_schema_is_written_again(self) -> None:
        ashlar.write(self.path, ashlar.bind(Schema(s.Leaf("int32"))), [1], index=False)
        at = os.path.getsize(self.path)
        ashlar.append(self.path, NUMBERS, [2], index=False)
        data = bytearray(self.stored())
        data[at : at + 80] = bytes(80)
        self.store(bytes(data))
        ashlar.append(self.path, NUMBERS, [3])
        # (Only who knows the type reads those whose schema is lost.)
        found, lost = self.resync(self.stored())
        self.assertEqual((found, len(lost)), ([1, 3], 2))

    def test_the_mode_stays(self) -> None:
        ashlar.write(self.path, TEXTS, ["old"])
        os.chmod(self.path, 0o640)
        ashlar.write(self.path, TEXTS, ["new"])
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o640)


if __name__ == "__main__":
    unittest.main()
