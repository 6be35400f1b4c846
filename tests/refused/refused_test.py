# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that make no sense do not compile, and the compiler says why in one line: what loops.inc expects of each of its
functions, of GCC and of Clang; and of nvcc, whose output `.ci/check` gives:

    python3 tests/refused/refused_test.py                      with $CXX, and clang++-22 if it is there
    python3 tests/refused/refused_test.py --said OUTPUT        of a compiler that ran elsewhere
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "loops.inc"
EXPECTED = re.findall(r"// refused: (.*)$", SOURCE.read_text(encoding="utf-8"), re.M)


def missing(said: str) -> list[str]:
    """What of each message no line of an error holds."""
    lines = [line for line in said.splitlines() if "error" in line]
    return [words for words in EXPECTED if not any("gangway: " + words in line for line in lines)]


def unexpected(said: str) -> list[str]:
    """Errors in the source or the library beyond those."""
    return [line for line in said.splitlines()
            if re.search(r"\berror: ", line) and not any(words in line for words in EXPECTED)]  # fmt: skip


class RefusedTest(unittest.TestCase):
    def check(self, compiler: str) -> None:
        flags = os.environ["FLAGS"].split()
        done = subprocess.run([compiler, "-std=c++20", "-x", "c++", "-fsyntax-only", *flags, str(SOURCE)], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(missing(done.stderr), [])
        self.assertEqual(unexpected(done.stderr), [])

    def test_the_compiler_says_why(self) -> None:
        self.check(os.environ["CXX"])

    def test_clang_says_why(self) -> None:
        clang = shutil.which("clang++-22")
        if clang is None:
            self.skipTest("no clang++-22 here")
        self.check(clang)


if __name__ == "__main__":
    if "--said" in sys.argv:
        text = Path(sys.argv[-1]).read_text(encoding="utf-8")
        absent = missing(text)
        print("\n".join(f"not said: {words}" for words in absent) or f"all {len(EXPECTED)} are said")
        sys.exit(bool(absent))
    unittest.main()
