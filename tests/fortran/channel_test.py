#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Fortran example before, half-way and after its port: against the scheme written once more here, and each against
the others, in every bit."""

from __future__ import annotations

import array
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIZES = ((5, 4, 6, 12, 4), (1, 1, 1, 3, 1), (1, 7, 2, 5, 1), (8, 1, 3, 5, 5), (33, 17, 20, 30, 10))


def run(state: str, sizes: tuple[int, ...], memory: str = "") -> tuple[str, bytes]:
    """What a program prints, and the planes that it writes."""
    program = os.environ.get(f"CHANNEL_{state}")
    if program is None or not Path(program).exists():
        raise unittest.SkipTest(f"there is no program {state}")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "planes"
        done = subprocess.run(
            [program, *map(str, sizes), file],
            capture_output=True, text=True, check=False, timeout=300, env=os.environ | {"GANGWAY_MEMORY": memory},
        )  # fmt: skip
        if done.returncode != 0:
            raise AssertionError(f"{state} {sizes} {memory}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout, file.read_bytes()


def expected(nx: int, ny: int, nz: int, steps: int, every: int) -> tuple[list[tuple[int, int, float, float]], bytes]:
    """The same of the scheme, in the order of operations of before/."""
    cells = [(i, j, k) for k in range(1, nz + 1) for j in range(1, ny + 1) for i in range(1, nx + 1)]
    across = float(nx + 1) ** 2 * float(ny + 1) ** 2
    flow = {(i, j): 1.0 * (i * (nx + 1 - i)) * (j * (ny + 1 - j)) * 16 / across for i, j, _ in cells}
    c = {cell: 0.0 for cell in cells}
    for i, j, k in cells:
        if k <= nz // 2 and i <= (nx + 1) // 2:
            c[i, j, k] = 1 + 0.001 * ((7 * i + 5 * j + 3 * k) % 11)

    def at(i: int, j: int, k: int) -> float:
        return c[min(max(i, 1), nx), min(max(j, 1), ny), (k - 1) % nz + 1]

    lines, planes = [], array.array("d")
    for n in range(1, steps + 1):
        made, change = {}, 0.0
        for i, j, k in cells:
            mixed = (at(i - 1, j, k) + at(i + 1, j, k)) + (at(i, j - 1, k) + at(i, j + 1, k))
            mixed = mixed + (at(i, j, k - 1) + at(i, j, k + 1)) - 6 * at(i, j, k)
            carried = flow[i, j] * (at(i, j, k) - at(i, j, k - 1))
            made[i, j, k] = at(i, j, k) + 0.5 * (0.05 * mixed - carried)
            change = max(change, abs(made[i, j, k] - at(i, j, k)))
        c = made
        if n % every == 0:
            lines.append((n, sum(one >= 0.01 for one in c.values()), max(0.0, *c.values(), 0.0), change))
            planes.extend(c[i, j, (nz + 1) // 2] for j in range(1, ny + 1) for i in range(1, nx + 1))
    return lines, planes.tobytes()


class Channel(unittest.TestCase):
    def test_the_scheme(self) -> None:
        for sizes in SIZES[:-1]:
            with self.subTest(sizes=sizes):
                lines, planes = expected(*sizes)
                printed, written = run("AFTER", sizes)
                found = [tuple(kind(word) for kind, word in zip((int, int, float, float), line.split())) for line in printed.splitlines()]
                self.assertEqual(found, lines)
                self.assertEqual(written, planes)

    def test_a_cloud_moves(self) -> None:
        """The comparisons are of something: neither at rest, nor empty."""
        printed, planes = run("AFTER", SIZES[-1])
        changes = [float(line.split()[3]) for line in printed.splitlines()]
        self.assertTrue(all(change > 1e-3 for change in changes) and len(set(changes)) == 3, printed)
        self.assertGreater(len(set(array.array("d", planes))), 500)

    def test_in_each_memory(self) -> None:
        for sizes in SIZES:
            whole = run("AFTER", sizes, "shared")
            for memory in ("separate", "strict"):
                with self.subTest(sizes=sizes, memory=memory):
                    self.assertEqual(run("AFTER", sizes, memory), whole)

    def test_before_and_after(self) -> None:
        for sizes in SIZES:
            with self.subTest(sizes=sizes):
                self.assertEqual(run("BEFORE", sizes), run("AFTER", sizes))

    def test_half_way(self) -> None:
        for sizes in SIZES:
            for memory in ("shared", "separate"):
                with self.subTest(sizes=sizes, memory=memory):
                    self.assertEqual(run("HALF_WAY", sizes, memory), run("BEFORE", sizes))


class Page(unittest.TestCase):
    """docs/fortran.md shows the example's own lines."""

    def test_the_code_is_the_example_s(self) -> None:
        root = Path(__file__).resolve().parents[2]
        page = (root / "docs" / "fortran.md").read_text(encoding="utf-8")
        sources = [file.read_text(encoding="utf-8") for file in (root / "docs" / "fortran-example").rglob("*.*")]
        blocks = re.findall(r"^```(?:fortran|cpp)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 3)
        for block in blocks:
            self.assertTrue(any(block in source for source in sources), block)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
