#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module gangway for Fortran: each case of clauses.F90 in each memory of a host, and what ends a program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = (HERE / "clauses.F90").read_text(encoding="utf-8")
MEMORIES = ("shared", "separate", "strict")


def run(case: str, memory: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [os.environ["CLAUSES"], case],
        capture_output=True, text=True, check=False, timeout=300, env=os.environ | {"GANGWAY_MEMORY": memory})  # fmt: skip


def line_with(text: str) -> int:
    return SOURCE[: SOURCE.index(text)].count("\n") + 1


class Cases(unittest.TestCase):
    """The cases that pass."""

    def test_all(self) -> None:
        names = re.findall(r'^    case \("(\w+)"\); call \w+\(\)$', SOURCE, re.MULTILINE) + ["not_running"]
        names = [name for name in names if name not in Ends.NAMES and name != "cost"]
        self.assertGreater(len(names), 15)
        for name in names:
            for memory in MEMORIES:
                with self.subTest(case=name, memory=memory):
                    done = run(name, memory)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertEqual(done.stdout, f"{name}: passed\n")

    def test_a_case_that_is_none(self) -> None:
        self.assertEqual(run("nonsense", "shared").returncode, 1)


class Ends(unittest.TestCase):
    """The cases that end the program."""

    NAMES = ("ends", "copied_region", "host_in_kernel", "out_of_bounds")

    def test_an_error_without_stat(self) -> None:
        done = run("ends", "shared")
        self.assertEqual(done.returncode, 1)
        place = rf"clauses\.F90:{line_with('! line marked ENDS')}: update self\(u\): the array is not contiguous"
        self.assertRegex(done.stderr, "gangway: .*" + place)
        self.assertNotIn("passed", done.stdout)

    def test_a_region_that_is_copied(self) -> None:
        done = run("copied_region", "shared")
        self.assertEqual(done.returncode, 1)
        self.assertIn("a data region cannot be copied", done.stderr)

    def test_an_array_of_the_host_in_a_kernel(self) -> None:
        self.assertEqual(run("host_in_kernel", "shared").returncode, 0)
        self.assertEqual(run("host_in_kernel", "separate").returncode, 0)
        done = run("host_in_kernel", "strict")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, rf"copyin\(u\) at .*clauses\.F90:{line_with('! line marked HELD')}")
        self.assertIn("kernel total", done.stderr)

    def test_an_index_outside_the_bounds(self) -> None:
        for memory in MEMORIES:
            done = run("out_of_bounds", memory)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("gangway: a: index 2 of dimension 2 is outside -3:1", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
