"""The examples in documentation, and the README's."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import unittest
from pathlib import Path
from typing import Any

import ashlar

README = Path(__file__).resolve().parents[1] / "README.md"


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: Any) -> unittest.TestSuite:
    for found in pkgutil.iter_modules(ashlar.__path__):
        if found.name != "__main__":
            tests.addTests(doctest.DocTestSuite(importlib.import_module(f"ashlar.{found.name}")))
    tests.addTests(doctest.DocTestSuite(importlib.import_module("ashlar.__main__")))
    tests.addTest(doctest.DocFileSuite(str(README), module_relative=False))
    return tests


class Examples(unittest.TestCase):
    def test_public_functions_have_documentation(self) -> None:
        for found in pkgutil.iter_modules(ashlar.__path__):
            module = importlib.import_module(f"ashlar.{found.name}")
            for name in getattr(module, "__all__", ()):
                value = getattr(module, name)
                if callable(value) and getattr(value, "__module__", "").startswith("ashlar"):
                    self.assertTrue(value.__doc__, f"{found.name}.{name}")

    def test_all_names_exist(self) -> None:
        for name in ashlar.__all__:
            self.assertTrue(hasattr(ashlar, name), name)


if __name__ == "__main__":
    unittest.main()
