# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The worked example before and after the port: each against the exact solution, and one against the other."""

from __future__ import annotations

import array
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EPSILON = sys.float_info.epsilon


class Output:
    """What one run printed, and the cells it wrote: frames[k][j][i]."""

    def __init__(self, nx: int, ny: int, done: subprocess.CompletedProcess, file: Path):
        lines = [line.split() for line in done.stdout.splitlines()]
        self.steps = [int(line[0]) for line in lines]
        self.mass = [float(line[1]) for line in lines]
        self.highest = [float(line[2]) for line in lines]
        self.errors = done.stderr
        values = array.array("d", file.read_bytes())
        if len(values) != nx * ny * len(lines):
            raise AssertionError(f"{len(values)} cells written in {len(lines)} frames of {nx} x {ny}")
        rows = [values[at : at + nx] for at in range(0, len(values), nx)]
        self.frames = [rows[at : at + ny] for at in range(0, len(rows), ny)]


def program_of(model: str) -> str:
    program = os.environ.get(f"ADVECTION_{model}")
    if program is None:
        raise unittest.SkipTest(f"there is no {model} program")
    return program


def run(model, nx, ny, steps, every, cx, cy, *more, memory="", verify="") -> Output:
    program = program_of(model)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cells"
        done = subprocess.run(
            [program, *map(str, (nx, ny, steps, every, cx, cy, file)), *more],
            capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, "GANGWAY_MEMORY": memory, "GANGWAY_VERIFY": verify},
        )
        return Output(nx, ny, done, file)


def wave(x: float, y: float) -> float:
    return 2 + math.sin(2 * math.pi * x) + 0.5 * math.cos(4 * math.pi * y)


def mean_error(model: str, n: int) -> float:
    """After the wave went half around in x and a quarter in y, on n x n cells."""
    frame = run(model, n, n, n, n, 0.5, 0.25).frames[-1]
    total = 0.0
    for j, row in enumerate(frame):
        for i, value in enumerate(row):
            total += abs(value - wave((i + 0.5) / n - 0.5, (j + 0.5) / n - 0.25))
    return total / n / n


class Oracles:
    """What holds of either program alone."""

    model = ""

    def test_a_courant_number_of_one_is_exact(self):
        # Each step moves the wave by one cell both ways, without rounding; 24 and 36 divide 72.
        nx, ny, every = 24, 36, 7
        output = run(self.model, nx, ny, 72, every, 1, 1)
        self.assertEqual(output.steps, [*range(0, 72, every), 72])
        first = output.frames[0]
        self.assertNotEqual(first[0], first[1])
        for j in range(ny):
            for i in range(nx):
                expected = wave((i + 0.5) / nx, (j + 0.5) / ny)
                self.assertAlmostEqual(first[j][i], expected, delta=8 * EPSILON)
        for step, frame in zip(output.steps, output.frames):
            for j in range(ny):
                for i in range(nx):
                    self.assertEqual(frame[j][i], first[(j - step) % ny][(i - step) % nx])
        self.assertEqual(output.frames[-1], first)

    def test_each_direction_alone(self):
        for cx, cy in ((1, 0), (0, 1), (0, 0)):
            frames = run(self.model, 5, 3, 1, 1, cx, cy).frames
            for j in range(3):
                for i in range(5):
                    self.assertEqual(frames[1][j][i], frames[0][(j - cy) % 3][(i - cx) % 5])

    def test_mass_and_maximum(self):
        # Every new cell is a mean of old ones: the sum stays, the maximum never grows. Each step
        # rounds a few times.
        output = run(self.model, 130, 97, 150, 10, 0.3, 0.7)
        for step, mass, highest in zip(output.steps, output.mass, output.highest):
            slack = (4 * step + 130 * 97) * EPSILON
            self.assertAlmostEqual(mass, output.mass[0], delta=slack * output.mass[0])
            self.assertLessEqual(highest, output.highest[0] * (1 + 4 * step * EPSILON))
        for frame, mass, highest in zip(output.frames, output.mass, output.highest):
            cells = [value for row in frame for value in row]
            self.assertEqual(max(cells), highest)
            self.assertAlmostEqual(math.fsum(cells) / len(cells), mass, delta=1e-11)

    def test_first_order(self):
        errors = [mean_error(self.model, n) for n in (32, 64, 128)]
        for coarse, fine in zip(errors, errors[1:]):
            self.assertAlmostEqual(coarse / fine, 2, delta=0.25)

    def test_bad_usage(self):
        program = program_of(self.model)
        for arguments in ([], ["0", "5", "1", "1", "1", "1", os.devnull]):
            done = subprocess.run([program, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("advection", done.stderr)


class Before(Oracles, unittest.TestCase):
    model = "OPENACC"


class After(Oracles, unittest.TestCase):
    model = "KOKKOS"


class BeforeAndAfter(unittest.TestCase):
    def test_agree(self):
        for nx, ny, steps, cx, cy in ((130, 97, 41, 0.3, 0.7), (1, 1, 3, 0.5, 0.5), (257, 2, 9, 1, 0)):
            before = run("OPENACC", nx, ny, steps, 8, cx, cy)
            after = run("KOKKOS", nx, ny, steps, 8, cx, cy)
            self.assertEqual(before.steps, after.steps)
            # Compilers may contract products and sums each in their own way: 7 operations a step,
            # and no step makes an earlier difference larger.
            for step, ours, theirs in zip(before.steps, after.frames, before.frames):
                slack = 7 * step * EPSILON * before.highest[0]
                for row, other in zip(ours, theirs):
                    for value, another in zip(row, other):
                        self.assertLessEqual(abs(value - another), slack)
            for mass, another in zip(before.mass, after.mass):
                self.assertAlmostEqual(mass, another, delta=1e-11)

    def test_no_step_no_difference(self):
        before = run("OPENACC", 20, 10, 40, 4, 1, 1)
        after = run("KOKKOS", 20, 10, 40, 4, 1, 1)
        self.assertEqual(before.frames, after.frames)
        self.assertEqual(before.highest, after.highest)


class Verified(unittest.TestCase):
    """Section 6: each execution of `advance` and `totals` against the loops of before."""

    def test_as_the_page_says(self):
        usual = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7)
        self.assertNotIn("gangway verify", usual.errors)
        verified = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7, verify="1")
        self.assertEqual(usual.frames, verified.frames)
        page = Path(__file__).resolve().parents[2] / "docs" / "worked-example" / "README.md"
        memory, summary = verified.errors.splitlines()
        self.assertRegex(memory, r"arrays of 209 kB are on the device: a verification takes up to 1\.\d+ MB of the host's memory")
        self.assertIn(summary, page.read_text(encoding="utf-8"))


class Data(unittest.TestCase):
    def test_a_memory_of_its_own(self):
        """What crosses: the wave once, and the cells of each report. Nothing is forgotten."""
        usual = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7)
        separate = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7, "separate")
        self.assertEqual(usual.frames, separate.frames)
        self.assertEqual(len(separate.steps), 7)
        size = (130 + 2) * (97 + 2) * 8
        self.assertIn(
            f"to the device: 1 ({size} bytes), to the host: 7 ({7 * size} bytes), arrays: 2",
            separate.errors,
        )

    def test_strict_memory(self):
        usual = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7)
        strict = run("KOKKOS", 130, 97, 41, 8, 0.3, 0.7, memory="strict")
        self.assertEqual(usual.frames, strict.frames)


if __name__ == "__main__":
    unittest.main()
