# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guide's programs of several ranks, in both models: each against one plain loop, in every bit.

    MPI_KOKKOS=build/openmp/tests/guide/mpi_kokkos MPI_OPENACC=build/openmp/openacc/mpi_openacc \\
        python3 tests/guide/mpi_test.py [CLASS]

Without an mpirun the tests are skipped.
"""

from __future__ import annotations

import array
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MPIRUN = shutil.which("mpirun")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE
EXCHANGES = ("staged", "pointers", "packed")


def plain(rows: int, columns: int, sweeps: int) -> tuple[list[list[float]], list[float]]:
    """The whole plate, edges included, and the largest change of each sweep."""
    plate = [[float((i * 31 + j * 17) % 101) for j in range(columns + 2)] for i in range(rows + 2)]
    changes = []
    for _ in range(sweeps):
        swept = [row[:] for row in plate]
        for i in range(1, rows + 1):
            for j in range(1, columns + 1):
                swept[i][j] = 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1])
        changes.append(max(abs(a - b) for new, old in zip(swept, plate) for a, b in zip(new, old)))
        plate = swept
    return plate, changes


class Programs:
    """What both must do."""

    program = ""
    memories: tuple[str, ...] = ("",)

    def setUp(self) -> None:
        if self.program not in os.environ:
            self.skipTest("built without the OpenACC side")
        holder = tempfile.TemporaryDirectory(prefix="gangway-guide-mpi-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_on(self, ranks: int, memory: str, *arguments: object) -> str:
        environment = {
            **os.environ,
            "OMP_NUM_THREADS": "1",
            "KOKKOS_DISABLE_WARNINGS": "true",  # of more ranks than cores
            "OMPI_ALLOW_RUN_AS_ROOT": "1",  # in containers
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        environment.pop("GANGWAY_MEMORY", None)
        if memory:
            environment["GANGWAY_MEMORY"] = memory
        program = Path(os.environ[self.program]).resolve()
        done = subprocess.run(
            [MPIRUN, "-n", str(ranks), "--oversubscribe", "--bind-to", "none", program, *map(str, arguments)],
            capture_output=True, cwd=self.folder, env=environment, text=True, stdin=subprocess.DEVNULL, timeout=120,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def block(self, how: str, ranks: int, rank: int, rows: int, columns: int) -> list[list[float]]:
        """What the rank has written, row by row."""
        cut = columns if how == "packed" else rows
        own = (rank + 1) * cut // ranks - rank * cut // ranks
        width = (own if how == "packed" else columns) + 2
        values = array.array("d", (self.folder / f"out.{rank}").read_bytes())
        return [list(values[at : at + width]) for at in range(0, len(values), width)]

    def test_every_exchange(self) -> None:
        rows, columns, sweeps = 11, 14, 9
        plate, changes = plain(rows, columns, sweeps)
        self.assertGreater(changes[-1], 0)
        for memory in self.memories:
            for how in EXCHANGES:
                for ranks in (2,) if memory else (1, 2, 3):
                    with self.subTest(how=how, ranks=ranks, memory=memory):
                        said = self.run_on(ranks, memory, how, rows, columns, sweeps, "out")
                        self.assertEqual([float(line) for line in said.split()], changes)
                        for rank in range(ranks):
                            begin = rank * (columns if how == "packed" else rows) // ranks
                            for i, row in enumerate(self.block(how, ranks, rank, rows, columns)):
                                expected = (
                                    plate[i][begin : begin + len(row)] if how == "packed" else plate[begin + i]
                                )
                                # Corners of the halo are nobody's: no mean of four takes them.
                                inner = slice(1, -1) if i not in (0, rows + 1) or how != "packed" else slice(2, -2)
                                self.assertEqual(row[inner], expected[inner], (rank, i))

    def test_every_exchange_of_the_source_is_run(self) -> None:
        source = ROOT / "docs" / "guide" / "snippets" / f"{self.program.split('_')[1].lower()}_mpi.cpp"
        functions = re.findall(r"^void exchange_(\w+)\(", source.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertCountEqual(functions, EXCHANGES)


class MpiOfKokkos(Programs, unittest.TestCase):
    """In a memory of its own, too, and with the host's arrays out of reach of kernels."""

    program = "MPI_KOKKOS"
    memories = ("", "separate", "strict")


class MpiOfOpenAcc(Programs, unittest.TestCase):
    program = "MPI_OPENACC"


if __name__ == "__main__":
    if MPIRUN is None:
        print("no mpirun")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
