"""What Haskell writes and refuses: the files of ``conformance``."""

from __future__ import annotations

import io
import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from ashlar import Damage, DecodeError, EvolutionError, Lost, Schema, bind, evolve, python_source
from ashlar._exact import Exact
from ashlar._fold import Fold
from ashlar._input import FileInput
from ashlar._open import Reading, open_first
from ashlar._reader import RecordReader
from ashlar.evolution import (
    Added,
    Dropped,
    DroppedConstructor,
    Renamed,
    RenamedConstructor,
    Rule,
    UnknownConstructors,
)
from ashlar.files import lines_by_own_schema
from ashlar.messages import Incoming, MessageError

FOLDER = Path(os.environ.get("ASHLAR_CONFORMANCE") or Path(__file__).resolve().parents[2] / "conformance")


def cases(name: str) -> List[Dict[str, Any]]:
    """The cases of a file."""
    with open(FOLDER / f"{name}.json", encoding="utf-8") as f:
        found: List[Dict[str, Any]] = json.load(f)["cases"]
    assert found
    return found


class Conformance(unittest.TestCase):
    def refusal(self, case: Dict[str, Any], e: DecodeError) -> None:
        expected = case["refused"]
        self.assertEqual(str(e), expected["message"], case["name"])
        self.assertEqual((e.offset, e.path), (expected["offset"], expected["path"]), case["name"])

    def test_values(self) -> None:
        for case in cases("values"):
            schema = Schema.decode(bytes.fromhex(case["schema"]))
            self.assertEqual(schema.fingerprint().hex(), case["fingerprint"], case["name"])
            kind = bind(schema)
            data = bytes.fromhex(case["bytes"])
            with self.subTest(case["name"]):
                if "refused" in case:
                    with self.assertRaises(DecodeError) as caught:
                        kind.decode(data)
                    self.refusal(case, caught.exception)
                else:
                    value = kind.decode(data)
                    self.assertEqual(kind.to_json_line(value), case["json"].rstrip("\n"))
                    self.assertEqual(kind.encode(value), data)


    def test_schemas(self) -> None:
        for case in cases("schemas"):
            data = bytes.fromhex(case["bytes"])
            with self.subTest(case["name"]):
                if "refused" in case:
                    with self.assertRaises(DecodeError) as caught:
                        Schema.decode(data)
                    self.refusal(case, caught.exception)
                    continue
                schema = Schema.decode(data)
                self.assertEqual(schema.encode(), data)
                self.assertEqual(schema.fingerprint().hex(), case["fingerprint"])
                self.assertEqual(json.loads(schema.to_json()), case["json"])
                self.assertEqual(Schema.from_json(json.dumps(case["json"])), schema)

    def test_sources(self) -> None:
        for case in cases("sources"):
            schema = Schema.decode(bytes.fromhex(case["schema"]))
            self.assertEqual(python_source(schema), case["python"], case["name"])

    def test_messages(self) -> None:
        for case in cases("messages"):
            stream = io.BytesIO(bytes.fromhex(case["stream"]))
            found: Incoming[Any] = Incoming(stream.read, limit=case["limit"])
            lines: List[str] = []
            error = None
            try:
                why = found.hello()
                refused = found.verdict()
                if refused is not None:
                    text = f"the peer cannot read our messages, and says: {refused}"
                    raise MessageError("Refused", text)
                if why is not None:
                    raise MessageError("CannotRead", f"the peer's messages cannot be read: {why}")
                assert found.schema is not None
                kind = bind(found.schema)
                for message in found:
                    lines.append(kind.to_json_line(message))
            except MessageError as e:
                error = str(e)
            with self.subTest(case["name"]):
                self.assertEqual((lines, error), (case["lines"], case["error"]))
                if found.schema is not None:
                    self.assertEqual(found.schema.encode().hex(), case["schema"])
                    self.assertEqual(found.checksums, case["checksums"])


class Evolution(unittest.TestCase):
    def rule(self, new: Schema, r: Dict[str, Any]) -> Rule:
        def name(field: str) -> str:
            return field if r["constructor"] is None else f"{r['constructor']}.{field}"

        if r["rule"] == "added":
            shape = next(
                f.shape
                for d in new.definitions
                if d.name == r["type"]
                for c in d.constructors
                if r["constructor"] in (None, c.name)
                for f in c.fields
                if f.name == r["field"]
            )
            exact = Exact(shape, new.definitions, new.facts)
            return Added(name(r["field"]), exact.decode(bytes.fromhex(r["defaultBytes"])))
        if r["rule"] == "renamed":
            return Renamed(name(r["old"]), name(r["new"]))
        if r["rule"] == "dropped":
            return Dropped(name(r["field"]))
        if r["rule"] == "renamedConstructor":
            return RenamedConstructor(r["old"], r["new"])
        if r["rule"] == "droppedConstructor":
            return DroppedConstructor(r["name"])
        assert r["rule"] == "unknownConstructors"
        return UnknownConstructors(r["name"])

    def test_evolution(self) -> None:
        for case in cases("evolution"):
            old = Schema.decode(bytes.fromhex(case["from"]))
            new = Schema.decode(bytes.fromhex(case["to"]))
            rules: Dict[str, List[Rule]] = {}
            for r in case["rules"]:
                rules.setdefault(r["type"], []).append(self.rule(new, r))
            kind = bind(new, evolution=rules)
            with self.subTest(case["name"]):
                try:
                    reads = evolve(kind, old, skipping=case["skipping"])
                except EvolutionError as e:
                    self.assertEqual(str(e), case["plan"])
                    continue
                self.assertIsNone(case["plan"])
                for value in case["values"]:
                    self.value(kind, reads, value)

    def value(self, kind: Any, reads: Any, case: Dict[str, Any]) -> None:
        data = bytes.fromhex(case["bytes"])
        try:
            found, end = reads.decode_from(data, 0)
            if end < len(data):
                raise DecodeError(end, "", "expected the end of the input")
        except DecodeError as e:
            self.assertIn("refused", case)
            expected = case["refused"]
            self.assertEqual((str(e), e.path), (expected["message"], expected["path"]), data.hex())
            return
        self.assertEqual(kind.to_json_line(found), case.get("json"))


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")

    def text(self, e: Damage) -> str:
        return str(e).replace(self.path, "FILE")

    def read(self, fd: int, reading: Reading) -> Tuple[List[Tuple[int, str]], Optional[Damage]]:
        lines: List[Tuple[int, str]] = []
        try:
            for first, records in Fold(reading, open_first(reading, FileInput(self.path, fd))).chunks():
                lines.extend(enumerate(records, first))
        except Damage as e:
            return lines, e
        return lines, None

    def at(self, fd: int, case: Dict[str, Any], reading: Reading) -> None:
        try:
            reader = RecordReader(reading, self.path, fd)
            self.assertEqual(reader.count(), case["count"])
        except Damage as e:
            self.assertIsNone(case["count"])
            for _, _, *damage in case["at"]:
                self.assertEqual([self.text(e)], damage)
            return
        for i, line, *damage in case["at"]:
            try:
                found, value = reader.get(i)
                self.assertEqual((value if found else None, damage), (line, []), i)
            except Damage as e:
                self.assertIsNone(line, i)
                self.same_damage(self.text(e), damage[0])

    def test_files(self) -> None:
        plain = Reading(None, None, lines_by_own_schema)
        for case in cases("files"):
            Path(self.path).write_bytes(bytes.fromhex(case["file"]))
            fd = os.open(self.path, os.O_RDONLY)
            self.addCleanup(os.close, fd)
            with self.subTest(case["name"]):
                lines, end = self.read(fd, plain)
                expected = case["read"]["end"]
                self.same_lines(lines, list(enumerate(case["read"]["lines"])), numbered=False)
                self.same_damage(None if end is None else self.text(end), expected)
                lost: List[Lost] = []
                lines, end = self.read(fd, plain._replace(resync=lost.append))
                damages = [self.text(x.damage) for x in lost] + ([] if end is None else [self.text(end)])
                self.same_lines(lines, [(i, x) for i, x in case["resync"]["lines"]], numbered=True)
                self.assertEqual(len(damages), len(case["resync"]["damages"]), damages)
                for x, y in zip(damages, case["resync"]["damages"]):
                    self.same_damage(x, y)
                self.at(fd, case, plain)

    def same_lines(self, found: List[Any], expected: List[Any], numbered: bool) -> None:
        if not numbered:
            found, expected = [x for _, x in found], [x for _, x in expected]
        self.assertEqual(found, expected)

    def same_damage(self, found: Optional[str], expected: Optional[str]) -> None:
        # What follows is up to the library that expands.
        words = "the block cannot be expanded: "
        if found is not None and expected is not None and words in expected:
            found, expected = found.partition(words)[0], expected.partition(words)[0]
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main()
