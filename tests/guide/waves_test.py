# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second example before and after the port: each against the scheme written once more here, and one against the other."""

from __future__ import annotations

import array
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EPSILON = sys.float_info.epsilon
GRAVITY = 9.81


class Output:
    """What one run printed, and the fields it wrote: frames[k] has depth, momentum along and across rows, by cell."""

    def __init__(self, cells: int, done: subprocess.CompletedProcess, file: Path):
        lines = [line.split() for line in done.stdout.splitlines()]
        self.steps = [int(line[0]) for line in lines]
        self.time, self.mass, self.highest = ([float(line[k]) for line in lines] for k in (1, 2, 3))
        values = array.array("d", file.read_bytes())
        if len(values) != 3 * cells * len(lines):
            raise AssertionError(f"{len(values)} values written in {len(lines)} frames of {cells} cells")
        fields = [list(values[at : at + cells]) for at in range(0, len(values), cells)]
        self.frames = [fields[at : at + 3] for at in range(0, len(fields), 3)]


def program_of(model: str) -> str:
    program = os.environ.get(f"WAVES_{model}")
    if program is None or not Path(program).exists():
        raise unittest.SkipTest(f"there is no {model} program")
    if os.environ.get("WAVES_DEVICE") == "cuda" and not list(Path("/dev").glob("nvidia[0-9]*")):
        raise unittest.SkipTest("there is no GPU")
    return program


def run(model, nx, ny, steps, every, courant=0.2, sponge=1, shift_x=0, shift_y=0) -> Output:
    """`model` may end in _MEMORY: what the environment says of the port's memory."""
    model, _, memory = model.partition("_")
    program = program_of(model)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fields"
        done = subprocess.run(
            [program, *map(str, (nx, ny, steps, every, courant, sponge, shift_x, shift_y, file))],
            capture_output=True, text=True, check=True, timeout=300,
            env={**os.environ, "GANGWAY_MEMORY": memory},
        )  # fmt: skip
        return Output(nx * ny, done, file)


def verified(model, nx, ny, steps, every) -> tuple[subprocess.CompletedProcess, list]:
    """Runs with GANGWAY_VERIFY, and returns what was found in each construct."""
    program = program_of(model)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [program, *map(str, (nx, ny, steps, every, 0.2, 0.9, 0, 0, Path(folder) / "fields"))],
            capture_output=True, text=True, check=False, timeout=300,
            env={**os.environ, "GANGWAY_VERIFY": f"1,report={report}"},
        )  # fmt: skip
        return done, json.loads(report.read_text())["constructs"] if report.exists() else []


def flux(left, right):
    def one(q):
        return (q[1], q[1] * q[1] / q[0] + 0.5 * GRAVITY * q[0] * q[0], q[1] * q[2] / q[0])

    a = max(abs(q[1] / q[0]) + math.sqrt(GRAVITY * q[0]) for q in (left, right))
    return [0.5 * (f + g) - 0.5 * a * (r - l) for f, g, l, r in zip(one(left), one(right), left, right)]


def advanced(nx, ny, cells, courant, sponge):
    """One step of `cells`, (h, hu, hv) of each, and how much time it took."""
    speeds = []
    for h, hu, hv in cells:
        c = math.sqrt(GRAVITY * h)
        speeds += [(abs(hu / h) + c) * nx, (abs(hv / h) + c) * ny]
    dt = courant / max(speeds)
    new = []
    for j in range(ny):
        for i in range(nx):
            def at(dj, di, j=j, i=i):
                return cells[(j + dj) % ny * nx + (i + di) % nx]

            def turned(dj, j=j, i=i):
                h, hu, hv = cells[(j + dj) % ny * nx + i]
                return h, hv, hu

            west, east = flux(at(0, -1), at(0, 0)), flux(at(0, 0), at(0, 1))
            south, north = flux(turned(-1), turned(0)), flux(turned(0), turned(1))
            left = sponge if j + 1 <= ny // 10 else 1
            across = (north[0] - south[0], north[2] - south[2], north[1] - south[1])
            along = [e - w for e, w in zip(east, west)]
            h, hu, hv = (q - dt * nx * x - dt * ny * y for q, x, y in zip(at(0, 0), along, across))
            new.append((h, left * hu, left * hv))
    return new, dt


class Oracles:
    """What holds of either program alone."""

    model = ""

    def test_the_scheme(self):
        nx, ny, steps = 7, 20, 6
        output = run(self.model, nx, ny, steps, 1, sponge=0.5)
        cells = list(zip(*output.frames[0]))
        time = 0.0
        for frame, printed in zip(output.frames[1:], output.time[1:]):
            cells, dt = advanced(nx, ny, cells, 0.2, 0.5)
            time += dt
            self.assertAlmostEqual(printed, time, delta=1e-14)
            for ours, theirs in zip(zip(*frame), cells):
                for a, b in zip(ours, theirs):
                    self.assertAlmostEqual(a, b, delta=1e-12)

    def test_the_waves_do_not_know_where_they_are(self):
        # Shifted at the beginning, shifted at the end: in every bit, across the halo's rows too.
        nx, ny = 33, 20
        plain = run(self.model, nx, ny, 40, 40).frames
        for shift_x, shift_y in ((5, 0), (0, 7), (32, 19)):
            moved = run(self.model, nx, ny, 40, 40, shift_x=shift_x, shift_y=shift_y).frames
            for frame, other in zip(plain, moved):
                for field, shifted in zip(frame, other):
                    for j in range(ny):
                        for i in range(nx):
                            there = (j + shift_y) % ny * nx + (i + shift_x) % nx
                            self.assertEqual(field[j * nx + i], shifted[there])

    def test_mass_and_momentum_stay(self):
        nx, ny = 40, 30
        output = run(self.model, nx, ny, 100, 10)
        self.assertEqual(output.steps, list(range(0, 101, 10)))
        self.assertEqual(output.time[0], 0)
        for frame, mass, highest in zip(output.frames, output.mass, output.highest):
            self.assertAlmostEqual(mass, output.mass[0], delta=1e-12)
            self.assertAlmostEqual(math.fsum(frame[0]) / nx / ny, mass, delta=1e-12)
            self.assertEqual(max(frame[0]), highest)
            for field, first in zip(frame[1:], output.frames[0][1:]):
                self.assertAlmostEqual(math.fsum(field), math.fsum(first), delta=1e-9)

    def test_the_sponge_takes_momentum_of_its_rows(self):
        frames = run(self.model, 20, 40, 50, 50, sponge=0).frames
        self.assertGreater(max(map(abs, frames[0][1][: 4 * 20])), 0.1)
        self.assertEqual(max(map(abs, frames[1][1][: 4 * 20])), 0)
        self.assertGreater(max(map(abs, frames[1][1][4 * 20 :])), 0.1)

    def test_bad_usage(self):
        program = program_of(self.model.partition("_")[0])
        good = ["5", "5", "1", "1", "0.2", "1", "0", "0", os.devnull]
        for at, wrong in ((0, "0"), (1, "5000"), (3, "0"), (4, "0.3"), (4, "nan"), (7, "-1"), (8, "/no/such/file")):
            arguments = [*good[:at], wrong, *good[at + 1 :]]
            done = subprocess.run([program, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("waves", done.stderr)
        self.assertEqual(subprocess.run([program], capture_output=True).returncode, 2)


class WavesBefore(Oracles, unittest.TestCase):
    model = "OPENACC"


class WavesAfter(Oracles, unittest.TestCase):
    model = "KOKKOS"


class WavesOnADeviceThatIsPlayed(Oracles, unittest.TestCase):
    model = "KOKKOS_separate"

    def test_asked_for_by_the_last_argument(self):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ("33", "20", "5", "5", "0.2", "1", "0", "0", str(Path(folder) / "fields"))
            done = subprocess.run(
                [program_of("KOKKOS"), *arguments, "separate"], capture_output=True, check=True, timeout=300
            )
            usual = subprocess.run([program_of("KOKKOS"), *arguments], capture_output=True, check=True, timeout=300)
        self.assertEqual(done.stdout, usual.stdout)


class WavesInStrictMemory(Oracles, unittest.TestCase):
    model = "KOKKOS_strict"


class WavesBeforeAndAfter(unittest.TestCase):
    def test_agree(self):
        for nx, ny, steps, sponge in ((65, 40, 80, 0.9), (1, 1, 5, 1), (2, 50, 20, 1)):
            before = run("OPENACC", nx, ny, steps, 20, sponge=sponge)
            after = run("KOKKOS", nx, ny, steps, 20, sponge=sponge)
            self.assertEqual(before.steps, after.steps)
            # Some hundred operations a cell and step, which compilers contract each in their own way.
            slack = 100 * (steps + 1) * EPSILON * before.highest[0]
            for ours, theirs in zip(before.frames, after.frames):
                for field, other in zip(ours, theirs):
                    for value, another in zip(field, other):
                        self.assertAlmostEqual(value, another, delta=slack)


class WavesHalfWay(Oracles, unittest.TestCase):
    """`advance` by Kokkos, all else by OpenACC, on one present table."""

    model = "HALFWAY"


class WavesHalfWayBetweenBoth(unittest.TestCase):
    def test_every_bit(self):
        if os.environ.get("WAVES_EXACT") != "1":
            self.skipTest("compilers contract products and sums here")
        for nx, ny, steps, sponge in ((65, 40, 80, 0.9), (1, 1, 5, 1), (2, 50, 20, 1)):
            before, half_way, after = (
                run(model, nx, ny, steps, 20, sponge=sponge) for model in ("OPENACC", "HALFWAY", "KOKKOS")
            )
            for other in (before, after):
                self.assertEqual(half_way.frames, other.frames)
                self.assertEqual(half_way.time, other.time)
                self.assertEqual(half_way.highest, other.highest)
            self.assertEqual(half_way.mass, before.mass)  # summed by OpenACC in both

    def test_verified(self):
        done, constructs = verified("HALFWAY", 65, 40, 12, 5)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(c["construct"], c["compared"]) for c in constructs], [("advance", 12)])
        self.assertEqual(sum(c["wrong"] + c["unstable"] + c["stale"] for c in constructs), 0, done.stderr)


class WavesReported(unittest.TestCase):
    """Section 10: what differs between the reports of before and after."""

    def test_as_the_page_says(self):
        tool = os.environ.get("ACC_TIME")
        if not tool or not Path(tool).exists():
            self.skipTest("there is no timing report")
        library = subprocess.run([sys.executable, "-B", tool, "library"], capture_output=True, text=True, check=True)
        programs = {"OPENACC": "ACC_PROFLIB", "KOKKOS": "KOKKOS_TOOLS_LIBS"}
        with tempfile.TemporaryDirectory() as folder:
            reports = [Path(folder) / f"{model}.json" for model in programs]
            for (model, variable), report in zip(programs.items(), reports):
                environment = {**os.environ, "GANGWAY_ACC_TIME": f"json:{report}", "GANGWAY_MEMORY": "separate"}
                environment[variable] = library.stdout.strip()
                arguments = "40 30 10 5 0.2 1 0 0".split()
                subprocess.run([program_of(model), *arguments, Path(folder) / "x"], env=environment,
                               capture_output=True, check=True, timeout=300)  # fmt: skip
            done = subprocess.run(
                [sys.executable, "-B", tool, "diff", *reports], capture_output=True, text=True, timeout=60, check=False
            )
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        # Four kernels a step and one in each of three reports; the `serial` that sets `fastest` to zero is gone.
        self.assertRegex(done.stdout, r"(?m)^  launches +43 +33\b")


if __name__ == "__main__":
    unittest.main()
