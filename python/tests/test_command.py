"""The command line."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Tuple

import ashlar
from ashlar import Schema, bind
from ashlar import shapes as s
from ashlar.__main__ import main
from ashlar._layout import MAGIC

SOURCE = str(Path(__file__).resolve().parents[1] / "src")

ORDER = s.Definition(
    "Order",
    "record",
    "byParts",
    (s.Constructor("Order", (s.Field("name", s.Leaf("utf8")), s.Field("count", s.Maybe(s.Leaf("int8"))))),),
)
ORDERS = bind(Schema(s.Reference(0), (ORDER,)))


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "orders")
        values = [{"name": f"n{i}", "count": -i if i % 2 else None} for i in range(6)]
        ashlar.write(self.path, ORDERS, values, block_size=20)

    def run_main(self, *arguments: str) -> Tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = main([*arguments, self.path])
        return status, out.getvalue().replace(self.path, "FILE"), err.getvalue().replace(self.path, "FILE")

    def damage(self) -> None:
        data = bytearray(Path(self.path).read_bytes())
        header = int.from_bytes(data[12:16], "little")
        data[header + 73] ^= 1
        Path(self.path).write_bytes(data)

    def test_show(self) -> None:
        self.assertEqual(
            self.run_main("show", "--count", "2"),
            (0, 'Order {name = "n0", count = Nothing}\nOrder {name = "n1", count = Just (-1)}\n', ""),
        )
        self.assertEqual(self.run_main("show", "--json", "--from", "5"), (0, '{"name":"n5","count":-5}\n', ""))

    def test_schema(self) -> None:
        expected = "Order\n\ndata Order = Order { name :: Text, count :: Maybe Int8 }\n"
        self.assertEqual(self.run_main("schema"), (0, expected, ""))
        self.assertEqual(self.run_main("schema", "--json")[1], ORDERS.schema.to_json() + "\n")
        self.assertEqual(self.run_main("schema", "--python")[1], ashlar.python_source(ORDERS.schema))
        other = bind(Schema(s.Leaf("bool")))
        data = Path(self.path).read_bytes()
        ashlar.write(self.path, other, [True])
        Path(self.path).write_bytes(data + Path(self.path).read_bytes())
        expected = f"-- from record 0 on\n{expected}-- from record 6 on\nBool\n"
        self.assertEqual(self.run_main("schema"), (0, expected, ""))

    def test_verify(self) -> None:
        self.assertEqual(self.run_main("verify"), (0, "FILE: ok, 6 records in 4 blocks\n", ""))
        self.damage()
        status, out, err = self.run_main("verify")
        self.assertEqual((status, err), (1, ""))
        self.assertRegex(
            out,
            r"^FILE: at byte \d+ \(block 0\), from record 0 on: wrong checksum; 2 records lost, going on at byte \d+\n"
            r"FILE: damaged, 4 records in 3 blocks readable\n$",
        )

    def test_damage(self) -> None:
        self.damage()
        status, out, err = self.run_main("show")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"^ashlar: FILE: at byte \d+ \(block 0\), from record 0 on: wrong checksum\n$")
        status, out, err = self.run_main("show", "-k")
        self.assertEqual((status, len(out.splitlines())), (1, 4))
        self.assertIn("; 2 records lost, going on at byte", err)

    def test_what_cannot_be_read(self) -> None:
        for data in (b"not a file of records", b"", MAGIC[:7]):
            Path(self.path).write_bytes(data)
            for command in ("show", "schema", "verify"):
                self.assertEqual(self.run_main(command), (2, "", "ashlar: FILE: not a file of records\n"))
            with open(self.path, "rb") as f:
                program = [sys.executable, "-m", "ashlar", "show", "-"]
                environment = {**os.environ, "PYTHONPATH": SOURCE}
                found = subprocess.run(program, stdin=f, capture_output=True, env=environment)
            self.assertEqual((found.returncode, found.stderr), (2, b"ashlar: -: not a file of records\n"))
        os.unlink(self.path)
        self.assertEqual(self.run_main("show")[0], 2)

    def test_numbers_and_options_are_those_of_the_tool(self) -> None:
        for bad in (["--from", "-1"], ["--count", "-1"], ["--from", str(1 << 63)], ["--fro", "1"], ["--count", "1_0"]):
            with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(io.StringIO()):
                main(["show", *bad, self.path])
            self.assertEqual(caught.exception.code, 2)
        self.assertEqual(self.run_main("show", "--count", "0"), (0, "", ""))
        os.unlink(self.path)
        status, _, err = self.run_main("show", "--count", "0")
        self.assertEqual((status, "No such file" in err), (2, True))

    def test_paths_are_escaped(self) -> None:
        path = self.path + "\x1b[31m"
        os.rename(self.path, path)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            main(["verify", path])
        self.assertEqual(out.getvalue(), f"{self.path}\\ESC[31m: ok, 6 records in 4 blocks\n")

    def test_a_closed_output(self) -> None:
        program = f'PYTHONPATH="{SOURCE}" {sys.executable} -m ashlar show "{self.path}" >&-'
        found = subprocess.run(["bash", "-c", program], capture_output=True)
        self.assertEqual((found.returncode, found.stderr), (2, b""))

    def test_the_status_does_not_depend_on_a_reader(self) -> None:
        def status(script: str) -> int:
            program = f'export PYTHONPATH="{SOURCE}"; F="{self.path}"; A="{sys.executable} -m ashlar"; {script}'
            return subprocess.run(["bash", "-c", program], capture_output=True).returncode

        self.assertEqual(status("$A show <(cat $F)"), 0)
        self.damage()
        self.assertEqual(status("{ sleep 0.2; $A verify $F; } > >(exec <&-)"), 1)
        for closed in ("2>/dev/full", "2>&-"):
            self.assertEqual(status(f"$A show $F-none {closed}"), 2)
            self.assertEqual(status(f"$A show $F {closed}"), 1)

    def test_as_a_program(self) -> None:
        program = [sys.executable, "-m", "ashlar", "show", "--json", "-"]
        environment = {**os.environ, "PYTHONPATH": SOURCE}
        with open(self.path, "rb") as f:
            found = subprocess.run(program, stdin=f, capture_output=True, env=environment, check=True)
        self.assertEqual(len(found.stdout.splitlines()), 6)
        ashlar.write(self.path, ORDERS, ({"name": "x" * 100, "count": None} for _ in range(5000)))
        # A reader that goes away.
        with open(self.path, "rb") as f:
            child = subprocess.Popen(program, stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
            assert child.stdout is not None and child.stderr is not None
            child.stdout.read(10)
            child.stdout.close()
            self.assertEqual(child.stderr.read(), b"")
            child.stderr.close()
            self.assertEqual(child.wait(), 0)


if __name__ == "__main__":
    unittest.main()
