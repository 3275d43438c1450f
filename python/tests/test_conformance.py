"""What Haskell writes and refuses: the files of ``conformance``."""

from __future__ import annotations

import json
import os
import unittest
from pathlib import Path
from typing import Any, Dict, List

from ashlar import DecodeError, Schema, bind

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


if __name__ == "__main__":
    unittest.main()
