# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several ranks: what they do together, how a run across them ends, and the programs under mpirun.

    ACROSS=build/openmp/bin/across python3 tests/ranks/ranks_test.py [CLASS]

GANGWAY, HEAT and CG name the programs likewise, and NCCL the library that plays it on hosts.

Without an mpirun the tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path("build/openmp/bin")
ACROSS = Path(os.environ.get("ACROSS", BIN / "across")).resolve()
GANGWAY = Path(os.environ.get("GANGWAY", BIN / "gangway")).resolve()
HEAT = Path(os.environ.get("HEAT", BIN / "heat")).resolve()
CG = Path(os.environ.get("CG", BIN / "cg")).resolve()
NCCL = Path(os.environ.get("NCCL", BIN / "fake" / "libnccl.so.2")).resolve()
MPIRUN = shutil.which("mpirun")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE

ENVIRONMENT = {
    **os.environ,
    "OMP_PROC_BIND": "false",  # ranks and other tests share the processors
    "OMP_NUM_THREADS": "1",
    "KOKKOS_DISABLE_WARNINGS": "true",  # of more ranks than cores
    # MPI leaves what it holds to the end of the process; the programs' own leaks are seen without it.
    "ASAN_OPTIONS": f"{os.environ.get('ASAN_OPTIONS', '')}:detect_leaks=0".lstrip(":"),
    "OMPI_ALLOW_RUN_AS_ROOT": "1",  # in containers
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
for name in ("GANGWAY_OPENACC_LIBRARY", "GANGWAY_REPORT", "GANGWAY_HALO"):
    ENVIRONMENT.pop(name, None)


# As users make a library known that lies elsewhere.
WITH_NCCL = {"GANGWAY_HALO": "nccl", "LD_LIBRARY_PATH": f"{NCCL.parent}:{os.environ.get('LD_LIBRARY_PATH', '')}".rstrip(":")}


def mpirun(ranks: int, *command: object) -> list[str]:
    """More ranks than processors, which share them."""
    options = ["-n", ranks, "--oversubscribe", "--bind-to", "none"]
    return [str(part) for part in (MPIRUN, *options, *command)]


def ranges(processors: tuple) -> str:
    """As the kernel lists them: 0,2-3."""
    parts: list[list[int]] = []
    for one in sorted(processors):
        if parts and parts[-1][-1] == one - 1:
            parts[-1].append(one)
        else:
            parts.append([one])
    return ",".join(str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts)


class RanksTest(unittest.TestCase):
    """Each test has an empty folder, in which the ranks run."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-ranks-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_on(self, ranks: int, *command: object, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            mpirun(ranks, *command),
            capture_output=True,
            cwd=self.folder,
            env={**ENVIRONMENT, **environment},
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )

    def start_on(self, ranks: int, *command: object) -> subprocess.Popen:
        began = subprocess.Popen(
            mpirun(ranks, *command),
            cwd=self.folder,
            env=ENVIRONMENT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(began.kill)
        return began

    def kill_rank(self, began: subprocess.Popen, rank: int, of: int, by: int = signal.SIGKILL) -> str:
        """Ends a rank of a run in its middle; all others must end with it. What was said on standard error."""
        ranks = subprocess.run(["pgrep", "-P", str(began.pid)], capture_output=True, text=True, check=False).stdout
        ranks = ranks.split()
        self.assertEqual(len(ranks), of, "mpirun's processes")
        os.kill(int(ranks[rank]), by)
        _, said = began.communicate(timeout=60)
        self.assertNotEqual(began.returncode, 0)
        end = time.monotonic() + 20  # on a busy machine a process takes a while to go
        while left := [rank for rank in ranks if Path(f"/proc/{rank}").exists()]:
            self.assertLess(time.monotonic(), end, f"ranks that are left: {left}")
            time.sleep(0.05)
        return said

    def appears(self, name: str, but: bytes = b"") -> bytes:
        """Waits for a file of the folder, or for another content than `but`."""
        end = time.monotonic() + 60
        path = self.folder / name
        while not path.exists() or path.read_bytes() == but:
            self.assertLess(time.monotonic(), end, f"{name} has not come")
            time.sleep(0.01)
        return path.read_bytes()

    def alone(self, *command: object, status: int = 0, **environment: str) -> str:
        """Runs one process without mpirun; what was printed."""
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            cwd=self.folder,
            env={**ENVIRONMENT, **environment},
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return done.stdout

    def take(self) -> dict[str, bytes]:
        """All files of the folder, which is empty then."""
        taken = {}
        for path in sorted(self.folder.iterdir()):
            taken[path.name] = path.read_bytes()
            path.unlink()
        return taken

    def refuses(self, ranks: int, *command: object, **environment: str) -> str:
        """Must end with 2; the one line that says why."""
        done = self.run_on(ranks, *command, **environment)
        self.assertEqual(done.returncode, 2, done.stderr)
        name = Path(str(command[0])).name
        told = [line for line in done.stderr.splitlines() if line.startswith(f"{name}:")]
        self.assertEqual(len(told), 1, done.stderr)
        return told[0]

    def right(self, ranks: int, *command: object, **environment: str) -> str:
        """Runs on so many ranks, must succeed without a word on standard error; what was printed."""
        done = self.run_on(ranks, *command, **environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout


class Together(RanksTest):
    """Sums, texts and halos of 1 to 4 ranks, also of plates with fewer rows than ranks."""

    def test_on_the_arrays_themselves(self) -> None:
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                said = self.right(ranks, ACROSS, "check")
                self.assertEqual(said.count("right\n"), 1, "only rank 0 speaks")
                if ranks > 1:
                    self.assertIn(f"ranks: {ranks} on 1 host\n", said)
                    self.assertIn("halos: MPI on the arrays themselves (kernels use the host's memory)\n", said)
                    self.assertRegex(said, r"mpi: \S+")
                    self.assertRegex(said, r"rank processors: (\d+) of \1 for each rank\n")
                    devices = re.search(r"^rank devices: (.*)$", said, re.M).group(1).split("; ")
                    self.assertEqual([one.split(" on ")[0] for one in devices], [str(rank) for rank in range(ranks)])

    def test_through_buffers_where_the_memory_is_separate(self) -> None:
        for ranks in (2, 3):
            said = self.right(ranks, ACROSS, "check", "--separate")
            self.assertIn("right\n", said)
            self.assertRegex(said, r"halos: through host buffers \(MPI is asked .* CUDA devices only\)")

    def test_by_nccl(self) -> None:
        for ranks in (2, 3, 4):
            for memory in ((), ("--separate",)):
                said = self.right(ranks, ACROSS, "check", *memory, **WITH_NCCL)
                self.assertIn("right\n", said)
                self.assertIn("halos: NCCL on device pointers (NCCL 2.28.9, GANGWAY_HALO says so)\n", said)
        self.assertIn("right\n", self.right(1, ACROSS, "check", **WITH_NCCL))

    def test_the_way_that_was_asked_for(self) -> None:
        said = self.right(2, ACROSS, "check", GANGWAY_HALO="staged")
        self.assertIn("halos: through host buffers (GANGWAY_HALO says so)\n", said)


class Ends(RanksTest):
    """One message, the right status, and nobody left who waits."""

    def ends(self, ranks: int, status: int, *command: object) -> str:
        began = time.monotonic()
        done = self.run_on(ranks, ACROSS, *command)
        self.assertLess(time.monotonic() - began, 60)
        self.assertEqual(done.returncode, status, done.stderr)
        told = [line for line in done.stderr.splitlines() if line.startswith("across:")]
        self.assertEqual(len(told), 1, done.stderr)
        return told[0]

    def test_an_error_of_all_is_told_by_the_first(self) -> None:
        self.assertEqual(self.ends(3, 2, "fail"), "across: all met this")

    def test_an_error_of_nccl_ends_all(self) -> None:
        """Where and what it is, and what to do; also one that shows only when a message is waited for."""
        for function, rank in (("ncclGetUniqueId", 0), ("ncclCommInitRank", 1), ("ncclRecv", 2), ("a message", 1)):
            failing = {"FAKE_NCCL_FAILS": f"{function}:{rank}"}
            done = self.run_on(3, GANGWAY, "run", "halo", "--quick", "--set", "n=20", **WITH_NCCL, **failing)
            self.assertEqual(done.returncode, 2, done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("gangway:")]
            self.assertEqual(len(told), 1, done.stderr)
            self.assertRegex(told[0], rf"{function}( of NCCL's)? on rank {rank} of 3: invalid argument\. .*GANGWAY_HALO=staged")

    def test_nccl_is_refused_where_it_cannot_be(self) -> None:
        def refused(**environment: str) -> str:
            done = self.run_on(2, GANGWAY, "run", "halo", "--quick", "--set", "n=20", **environment)
            self.assertEqual(done.returncode, 2, done.stderr)
            told = [line for line in done.stderr.splitlines() if line.startswith("gangway:")]
            self.assertEqual(len(told), 1, done.stderr)
            return told[0]

        self.assertIn("rank 0: NCCL is for devices, and kernels run on the host; leave", refused(GANGWAY_HALO="nccl"))
        self.assertIn("libnccl.so.2 is version 2.6.4, and messages came with 2.7", refused(**WITH_NCCL, FAKE_NCCL_VERSION="2604"))

    def test_an_error_of_one_ends_all(self) -> None:
        self.assertRegex(self.ends(3, 5, "throw", 1), r"^across: rank 1 of 3 on \S+: only one met this$")
        self.assertEqual(self.ends(3, 5, "throw", 0), "across: only one met this")

    def test_a_rank_that_hangs_is_named(self) -> None:
        for rank in (0, 2):
            said = self.ends(3, 2, "hang", rank)
            self.assertRegex(said, rf"^across: rank {rank} of 3 on \S+: the work of this test has not come to an end in 0.5 s;")

    def test_a_rank_that_waits_for_it_is_not(self) -> None:
        self.assertIn("rank 1 of 3", self.ends(3, 2, "wait", 1))


class Command(RanksTest):
    """gangway run and compare on several ranks."""

    def gangway(self, ranks: int, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
        return self.run_on(ranks, GANGWAY, *arguments, **environment)

    def test_rank_0_speaks_and_writes(self) -> None:
        small = ("--quick", "--rounds", 2, "--set", "n=1e5", "--json", "a.json")
        said = self.right(2, GANGWAY, "run", "vadd", *small)
        self.assertEqual(said.count("peak memory"), 1)
        self.assertIn("2 on 1 host", said)
        results = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        self.assertEqual(results["provenance"]["ranks"], "2 on 1 host")
        for name in ("rank devices", "mpi", "halos"):
            self.assertIn(name, results["provenance"])
        for measurement in results["cases"][0]["measurements"]:
            self.assertEqual(len(measurement["seconds"]), 2, measurement["variant"])
            self.assertTrue(measurement["check"]["passed"], measurement["variant"])

    def test_without_ceilings_there_are_no_columns_of_them(self) -> None:
        said = self.right(2, GANGWAY, "run", "halo", "--quick", "--rounds", 1, "--set", "n=20")
        self.assertNotIn("ceiling", said)
        self.assertNotIn("share (", said)

    def test_one_rank_is_as_none(self) -> None:
        said = self.right(1, GANGWAY, "run", "vadd", "--quick", "--rounds", 2, "--set", "n=1e5")
        self.assertNotIn("ranks", said)

    def test_mpi_is_loaded_only_by_who_was_launched(self) -> None:
        needed = subprocess.run(["ldd", GANGWAY], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libmpi", needed)
        alone = self.folder / "gangway"  # without the library beside it
        shutil.copy(GANGWAY, alone)
        environment = {**ENVIRONMENT, "OMPI_COMM_WORLD_SIZE": "2"}
        done = subprocess.run([alone, "list"], capture_output=True, env=environment, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("libgangway_mpi.so", done.stderr)
        self.assertIn("run the program without mpirun", done.stderr)

    def test_bad_usage_is_said_once(self) -> None:
        self.assertIn("no study", self.refuses(3, GANGWAY, "run", "nosuch"))
        self.assertIn("for one process", self.refuses(2, GANGWAY, "sweep", "spmv"))
        self.assertIn("GANGWAY_HALO=pigeons", self.refuses(2, GANGWAY, "run", "vadd", "--set", "n=10", GANGWAY_HALO="pigeons"))
        done = self.gangway(2, "run", "vadd", "--time-limit", "soon")
        self.assertEqual((done.returncode, done.stderr.count("--time-limit:")), (2, 1), done.stderr)

    def test_ranks_with_other_variants_are_refused(self) -> None:
        script = self.folder / "differs"
        script.write_text(
            "#!/bin/sh\n"
            '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && set -- "$@" --openacc-library none\n'
            f'exec {GANGWAY} "$@"\n',
            encoding="utf-8",
        )
        script.chmod(0o755)
        done = self.run_on(2, script, "run", "vadd", "--set", "n=10")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("rank 1 would run other variants than rank 0", done.stderr)

    def test_a_killed_rank_ends_all(self) -> None:
        began = self.start_on(3, GANGWAY, "run", "vadd", "--rounds", 100000, "--set", "n=1e5")
        self.assertTrue(began.stdout.readline())  # by then all work
        time.sleep(1)
        self.kill_rank(began, 1, 3)


class Halo(RanksTest):
    """The study that cuts its plate: every bit is that of a reference which exchanges nothing."""

    PLATES = (
        ("n=61", "columns=200", "sweeps=14", "type=float"),  # an uneven cut
        ("n=2", "columns=300", "sweeps=7", "type=double"),  # fewer rows than ranks
        ("n=5", "columns=33", "sweeps=12", "type=float"),  # what one rank does reaches all others
        ("n=0", "columns=9", "sweeps=3", "type=double"),  # nothing to do for any of them
        ("n=61", "columns=40", "sweeps=23", "type=float", "wide=4"),  # the last round is cut short
        ("n=31", "columns=40", "sweeps=9", "type=double", "wide=50"),  # wider than the strips have rows
        ("n=131", "columns=700", "sweeps=29", "type=float"),  # passes of four sweeps, and one that is left
    )

    def run_right(self, ranks: int, plate: tuple, *more: object, **environment: str) -> dict:
        settings = [part for key in plate for part in ("--set", key)]
        common = ("--quick", "--rounds", 1, "--json", "a.json")
        self.right(ranks, GANGWAY, "run", "halo", *settings, *common, *more, **environment)
        results = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        (case,) = results["cases"]
        self.assertGreaterEqual(len(case["measurements"]), 3)
        for variant in case["measurements"]:
            self.assertEqual((variant["check"]["passed"], len(variant["seconds"])), (True, 1), variant)
        return results

    def test_any_number_of_ranks(self) -> None:
        uneven, few, far, none, short, wider, passes = self.PLATES
        for ranks, plates in {
            1: [passes],
            2: [uneven, short, passes],
            3: [uneven, none, wider, passes],
            4: [few, far, short, passes],
        }.items():
            for plate in plates:
                with self.subTest(ranks=ranks, plate=plate):
                    (case,) = self.run_right(ranks, plate)["cases"]
                    if ranks > 1:
                        self.assertIn(f"{ranks} strips, the first of", case["description"])
                    variants = {(one["model"], one["variant"]) for one in case["measurements"]}
                    self.assertIn(("kokkos", "temporal"), variants)

    def test_through_buffers(self) -> None:
        kokkos = ("--model", "kokkos", "--separate-memory")
        results = self.run_right(3, self.PLATES[0], *kokkos)
        self.assertIn("through host buffers", results["provenance"]["halos"])
        results = self.run_right(3, self.PLATES[2], GANGWAY_HALO="staged")
        self.assertIn("GANGWAY_HALO says so", results["provenance"]["halos"])

    def test_by_nccl(self) -> None:
        kokkos = ("--model", "kokkos", "--separate-memory")
        results = self.run_right(3, self.PLATES[0], *kokkos, **WITH_NCCL)
        self.assertIn("NCCL 2.28.9", results["provenance"]["halos"])
        self.run_right(4, self.PLATES[1], **WITH_NCCL)
        self.run_right(3, self.PLATES[4], **WITH_NCCL)


class Blocks(RanksTest):
    """The plate cut both ways: up to eight neighbours, and columns that are packed."""

    def run_right(self, ranks: int, *settings: str, more: tuple = (), **environment: str) -> dict:
        given = [part for key in settings for part in ("--set", key)]
        common = ("--quick", "--rounds", 1, "--json", "a.json")
        self.right(ranks, GANGWAY, "run", "halo_blocks", *given, *common, *more, **environment)
        results = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        (case,) = results["cases"]
        variants = {one["variant"] for one in case["measurements"]}
        self.assertEqual(variants, {"staged", "device-pointers", "overlapped", "wide", "temporal"})
        for variant in case["measurements"]:
            self.assertTrue(variant["check"]["passed"], variant)
        return results

    def test_any_number_of_ranks(self) -> None:
        for ranks, settings in (
            (1, ("n=21", "columns=33", "sweeps=14", "type=float")),
            (2, ("n=31", "columns=20", "sweeps=9", "type=float")),
            (3, ("n=40", "columns=17", "sweeps=23", "wide=5")),  # a prime number has strips; the last round is cut short
            (4, ("n=21", "columns=33", "sweeps=14", "type=float", "wide=3")),  # uneven both ways
            (4, ("n=21", "columns=33", "sweeps=14", "wide=4")),
            (4, ("n=1", "columns=40", "sweeps=5", "type=float")),  # two blocks without rows
            (6, ("n=7", "columns=1", "sweeps=8")),  # three without columns
            (4, ("n=2", "columns=2", "sweeps=12", "type=float")),  # blocks of one cell, the halo is wider than the plate
        ):
            with self.subTest(ranks=ranks, settings=settings):
                (case,) = self.run_right(ranks, *settings)["cases"]
                self.assertIn("float" if "type=float" in settings else "double", case["description"])
                if ranks > 1:
                    self.assertIn(" blocks, the first of ", case["description"])

    def test_a_halo_beyond_the_next_block(self) -> None:
        """Of 3 x 3 blocks, whose middle one has eight neighbours, and of 4 x 2 with a halo of three blocks' rows."""
        self.run_right(9, "n=14", "columns=16", "sweeps=11", "wide=2", "type=float")
        self.run_right(8, "n=9", "columns=12", "sweeps=17", "wide=6")

    def test_every_way(self) -> None:
        # So many sweeps that what the edges give has come to the corners of all blocks.
        settings = ("n=9", "columns=12", "sweeps=13", "type=float", "wide=2")
        for way, words in (({"GANGWAY_HALO": "staged"}, "host buffers"), (WITH_NCCL, "NCCL")):
            self.assertIn(words, self.run_right(4, *settings, **way)["provenance"]["halos"])
            self.run_right(4, *settings, more=("--model", "kokkos", "--separate-memory"), **way)


class ConjugateGradients(RanksTest):
    """The solver that cuts its matrix: residuals and solution are those of one rank, but for rounding."""

    def run_right(self, ranks: int, *settings: str, model: str = "kokkos", **environment: str) -> dict:
        given = [part for key in settings for part in ("--set", key)]
        common = ("--quick", "--rounds", 1, "--model", model, "--json", "a.json")
        self.right(ranks, GANGWAY, "run", "cg_ranks", *given, *common, **environment)
        results = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        (case,) = results["cases"]
        self.assertEqual(len({one["variant"] for one in case["measurements"]}), 5)
        for variant in case["measurements"]:
            self.assertTrue(variant["check"]["passed"], variant)
        return results

    def test_any_number_of_ranks(self) -> None:
        for ranks, settings in {
            2: ("n=11", "iterations=20"),
            3: ("matrix=grid7", "n=12", "iterations=60", "tolerance=1e-3"),  # the tolerance ends it, on all at once
            4: ("n=1", "iterations=3"),  # parts of two rows
        }.items():
            with self.subTest(ranks=ranks):
                (case,) = self.run_right(ranks, *settings)["cases"]
                self.assertIn(f"; {ranks} parts, the first of", case["description"])
        self.run_right(3, "matrix=grid7", "n=1", "iterations=5")  # one row, and two ranks without any

    def test_in_openacc(self) -> None:
        libraries = list(GANGWAY.parent.glob("libgangway_openacc.so"))
        if not libraries:
            self.skipTest("built without the OpenACC side")
        self.run_right(3, "matrix=grid27", "n=9", "iterations=30", model="openacc")

    def test_a_file_in_which_everybody_needs_everybody(self) -> None:
        size = 57
        entries = [f"{i} {i} {4 + i % 3}" for i in range(1, size + 1)]
        entries += [f"{i} 1 0.01" for i in range(2, size + 1)]  # an arrow: a full row and a full column
        entries += [f"{i} {i - 20} -1" for i in range(22, size + 1)]
        (self.folder / "arrow.mtx").write_text(
            f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(entries)}\n" + "\n".join(entries) + "\n",
            encoding="utf-8",
        )
        for ranks in (2, 4):
            self.run_right(ranks, "matrix=arrow.mtx", "iterations=40", "tolerance=1e-5")

    def test_through_buffers(self) -> None:
        results = self.run_right(3, "n=9", "iterations=12", GANGWAY_HALO="staged")
        self.assertIn("GANGWAY_HALO says so", results["provenance"]["halos"])

    def test_by_nccl(self) -> None:
        results = self.run_right(3, "n=9", "iterations=12", **WITH_NCCL)
        self.assertIn("NCCL 2.28.9", results["provenance"]["halos"])

    def test_a_matrix_that_is_none_for_it(self) -> None:
        (self.folder / "lopsided.mtx").write_text(
            "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 2 5\n", encoding="utf-8"
        )
        done = self.run_on(2, GANGWAY, "run", "cg_ranks", "--set", "matrix=lopsided.mtx")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the matrix is not symmetric", done.stderr)


def without_times(said: str) -> str:
    return re.sub(r"[0-9.]+ s\b", "… s", said)


class Heat(RanksTest):
    """The program heat: what it prints and writes is the same, bit by bit, on any number of ranks."""

    PLATES = (
        ("--rows", 37, "--columns", 50, "--sweeps", 95, "--every", 40, "--shrink", 3),  # an uneven cut
        ("--rows", 2, "--columns", 300, "--sweeps", 31, "--setup", "guide"),  # fewer rows than ranks
        ("--rows", 1, "--columns", 1, "--sweeps", 3),
        ("--rows", 12, "--columns", 9, "--tolerance", 0.5, "--checkpoint-every", 7),  # ends by itself, on all at once
        ("--rows", 3, "--columns", 200000, "--sweeps", 5, "--shrink", 50),  # a row is more than MPI buffers
    )

    def test_any_number_of_ranks(self) -> None:
        for number, plate in enumerate(self.PLATES):
            said = self.alone(HEAT, *plate, "--checkpoint", "kept")
            files = self.take()
            self.assertIn("kept", files)
            self.assertTrue(any(name.endswith(".png") for name in files), files.keys())
            for ranks in (1, 2, 3, 4) if number == 0 else (4,):
                with self.subTest(plate=plate, ranks=ranks):
                    across = self.right(ranks, HEAT, *plate, "--checkpoint", "kept")
                    self.assertEqual(without_times(across), without_times(said))
                    self.assertEqual(self.take(), files)

    def test_any_way(self) -> None:
        self.alone(HEAT, *self.PLATES[0], "--checkpoint", "kept")
        files = self.take()
        for way in ({"GANGWAY_HALO": "staged"}, WITH_NCCL):
            self.right(3, HEAT, *self.PLATES[0], "--checkpoint", "kept", **way)
            self.assertEqual(self.take(), files)

    def test_a_restart_on_another_number(self) -> None:
        plate = ("--rows", 23, "--columns", 31)
        self.alone(HEAT, *plate, "--sweeps", 90, "--checkpoint", "kept")
        files = self.take()
        self.right(3, HEAT, *plate, "--sweeps", 41, "--checkpoint", "part")
        self.right(2, HEAT, "--restart", "part", "--sweeps", 60, "--checkpoint", "part")
        self.alone(HEAT, "--restart", "part", "--sweeps", 71, "--checkpoint", "part")
        self.right(4, HEAT, "--restart", "part", "--sweeps", 90, "--checkpoint", "kept")
        left = self.take()
        self.assertEqual({name: left[name] for name in files}, files)

    def test_a_killed_rank_loses_nothing_that_was_kept(self) -> None:
        plate = ("--rows", 300, "--columns", 200, "--tolerance", 0)
        self.alone(HEAT, *plate, "--sweeps", 3000, "--checkpoint", "whole")
        whole = self.take()["whole"]
        for rank in (0, 2):  # who writes, and another
            with self.subTest(rank=rank):
                began = self.start_on(3, HEAT, *plate, "--sweeps", 3000000, "--checkpoint", "kept", "--checkpoint-every", 10)
                self.appears("kept", but=self.appears("kept"))
                self.kill_rank(began, rank, 3)
                before = int((self.folder / "kept").read_bytes().split()[8])
                self.assertEqual(before % 10, 0)
                end = max(3000, before + 5)
                self.right(2, HEAT, "--restart", "kept", "--tolerance", 0, "--sweeps", end, "--checkpoint", "joined")
                if end > 3000:
                    self.alone(HEAT, *plate, "--sweeps", end, "--checkpoint", "whole")
                    whole = (self.folder / "whole").read_bytes()
                self.assertEqual((self.folder / "joined").read_bytes(), whole)
                self.take()

    def test_a_signal_to_one_rank_stops_all_with_a_checkpoint(self) -> None:
        endless = ("--rows", 90, "--columns", 50, "--tolerance", 0, "--sweeps", 900000000)
        began = self.start_on(3, HEAT, *endless, "--every", 10, "--checkpoint", "kept")
        self.appears("heat-00000010.png")
        said = self.kill_rank(began, 1, 3, by=signal.SIGTERM)
        self.assertEqual(began.returncode, 128 + signal.SIGTERM, said)
        self.assertEqual(said.count("heat: interrupted after "), 1, said)
        sweeps = int((self.folder / "kept").read_bytes().split()[8])
        self.assertIn(f"heat: interrupted after {sweeps} sweeps; --restart kept goes on from there\n", said)
        self.right(2, HEAT, "--restart", "kept", "--tolerance", 0, "--sweeps", sweeps + 1)

    def test_refusals_are_said_once(self) -> None:
        self.alone(HEAT, "--rows", 9, "--columns", 9, "--sweeps", 2, "--checkpoint", "kept")
        kept = self.take()["kept"]
        for bytes_of_file, words in {
            kept[:-8]: "a plate of 9 x 9 cells takes",
            kept[:-8] + b"12345678": "it is not what was written (checksum)",
            kept.replace(b"checkpoint 2", b"checkpoint 1"): "it is a checkpoint of another version, and this program reads version 2",
            b"": "it is no checkpoint of this program",
        }.items():
            (self.folder / "kept").write_bytes(bytes_of_file)
            self.assertIn(f"heat: cannot go on from kept: {words}", self.refuses(3, HEAT, "--restart", "kept"))
        self.assertIn("missing: No such file", self.refuses(2, HEAT, "--restart", "missing"))
        self.assertIn("there is no directory none", self.refuses(2, HEAT, "--checkpoint", "none/kept"))
        self.assertIn("GANGWAY_HALO=pigeons", self.refuses(2, HEAT, "--rows", 9, GANGWAY_HALO="pigeons"))
        done = self.run_on(2, HEAT, "--rows", "0")
        self.assertEqual((done.returncode, done.stderr.count("--rows: Value 0")), (2, 1), done.stderr)
        self.assertEqual(list(self.take()), ["kept"])


class Solver(RanksTest):
    """The program cg: every residual and every bit of x are the same on any number of ranks."""

    def matrix(self, name: str, size: int, entries: list[str]) -> str:
        text = f"%%MatrixMarket matrix coordinate real symmetric\n{size} {size} {len(entries)}\n" + "\n".join(entries)
        (self.folder / name).write_text(text + "\n", encoding="utf-8")
        return name

    def band(self, size: int) -> str:
        """Rows of one to five non-zeros, none of whose products is exact."""
        entries = [f"{i} {i} {5 + 1 / (i % 7 + 1)}" for i in range(1, size + 1)]
        for apart in (1, 19):
            entries += [f"{i} {i - apart} {-1 / (i % 3 + 1)}" for i in range(apart + 1, size + 1) if i % 4]
        return self.matrix("band.mtx", size, entries)

    def arrow(self, size: int) -> str:
        """A row and a column that are full, and longer than one team takes."""
        entries = [f"1 1 {size}"] + [f"{i} 1 {1 / i}" for i in range(2, size + 1)]
        return self.matrix("arrow.mtx", size, entries + [f"{i} {i} 2.5" for i in range(2, size + 1)])

    def check(self, ranks: tuple, *arguments: object, status: int = 0) -> None:
        """`arguments` on one process and on so many ranks: the same words and files."""
        names = ("x.mtx", "kept")
        written = ("-o", "x.mtx", "--checkpoint", "kept")

        def taken() -> list[bytes]:
            contents = [(self.folder / name).read_bytes() for name in names]
            for name in names:
                (self.folder / name).unlink()
            return contents

        said = self.alone(CG, *arguments, *written, status=status)
        files = taken()
        for number in ranks:
            with self.subTest(arguments=arguments, ranks=number):
                done = self.run_on(number, CG, *arguments, *written)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(without_times(done.stdout), without_times(said))
                self.assertEqual(taken(), files)

    def test_any_number_of_ranks(self) -> None:
        self.check((1, 2, 3, 4), self.band(997), "-t", "1e-11")
        self.check((3,), "band.mtx", "-t", "1e-11", "-p", "jacobi", "--checkpoint-every", 3)
        self.check((2,), "band.mtx", "-i", 5, status=1)
        self.check((2, 4), self.arrow(3001), "-t", "1e-13")

    def test_fewer_rows_than_ranks(self) -> None:
        self.check((2, 4), self.band(21))  # blocks of eight rows: a rank has none
        self.check((3,), self.matrix("one.mtx", 1, ["1 1 4"]))

    def test_any_number_of_threads(self) -> None:
        self.alone(CG, self.arrow(20001), "-o", "x.mtx", OMP_NUM_THREADS="1")
        one = (self.folder / "x.mtx").read_bytes()
        self.alone(CG, "arrow.mtx", "-o", "x.mtx", OMP_NUM_THREADS="3")
        self.assertEqual((self.folder / "x.mtx").read_bytes(), one)

    def test_any_way(self) -> None:
        self.alone(CG, self.band(300), "-o", "one.mtx")
        for way in ({"GANGWAY_HALO": "staged"}, WITH_NCCL):
            self.right(3, CG, "band.mtx", "-o", "x.mtx", **way)
            self.assertEqual((self.folder / "x.mtx").read_bytes(), (self.folder / "one.mtx").read_bytes())
            (self.folder / "x.mtx").unlink()

    def test_a_killed_rank_loses_nothing_that_was_kept(self) -> None:
        matrix = self.matrix(
            "chain.mtx", 20000, [f"{i} {i} 2" for i in range(1, 20001)] + [f"{i} {i - 1} -1" for i in range(2, 20001)]
        )
        for rank in (0, 1):
            with self.subTest(rank=rank):
                began = self.start_on(
                    3, CG, matrix, "-t", 0, "--every", 1000000, "--checkpoint", "kept", "--checkpoint-every", 10
                )
                self.appears("kept", but=self.appears("kept"))
                self.kill_rank(began, rank, 3)
                before = int((self.folder / "kept").read_bytes().split()[10])
                self.assertEqual(before % 10, 0)
                end = ("-t", 0, "-i", before + 7)
                self.run_on(2, CG, matrix, *end, "--restart", "kept", "-o", "joined.mtx")
                self.alone(CG, matrix, *end, "-o", "whole.mtx", status=1)
                self.assertEqual((self.folder / "joined.mtx").read_bytes(), (self.folder / "whole.mtx").read_bytes())
                for name in ("kept", "joined.mtx", "whole.mtx"):
                    (self.folder / name).unlink()

    def test_refusals_are_said_once(self) -> None:
        self.alone(CG, self.band(50), "--checkpoint", "kept")
        kept = (self.folder / "kept").read_bytes()
        self.assertIn(
            "cg: cannot go on from kept: it is of a run with --preconditioner none, and this one has jacobi",
            self.refuses(3, CG, "band.mtx", "-p", "jacobi", "--restart", "kept"),
        )
        (self.folder / "kept").write_bytes(kept[:-8])
        self.assertIn("an iteration on 50 rows takes", self.refuses(3, CG, "band.mtx", "--restart", "kept"))
        (self.folder / "kept").write_bytes(kept[:-8] + b"12345678")
        self.assertIn("(checksum)", self.refuses(3, CG, "band.mtx", "--restart", "kept"))
        self.band(51)
        (self.folder / "kept").write_bytes(kept)
        self.assertIn("it is of a matrix with 50 rows", self.refuses(2, CG, "band.mtx", "--restart", "kept"))
        self.matrix("saddle.mtx", 2, ["1 1 1", "2 2 -1"])
        self.assertIn("not positive definite", self.refuses(2, CG, "saddle.mtx"))
        self.assertIn("no such", self.refuses(2, CG, "no such.mtx"))


class Scale(RanksTest):
    """gangway scale: the runs that it launches, what it makes of them, and what it refuses."""

    LAUNCHER = f"{MPIRUN} --oversubscribe --bind-to none"
    SMALL = ("--set", "columns=40", "--set", "sweeps=4", "--rounds", 2, "--model", "kokkos")

    def scale(self, *arguments: object, launcher: str = LAUNCHER) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(part) for part in (GANGWAY, "scale", *arguments, "--launcher", launcher)],
            capture_output=True,
            cwd=self.folder,
            env=ENVIRONMENT,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )

    def scaled(self, *arguments: object) -> tuple[str, dict]:
        done = self.scale(*arguments, "--json", "a.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        results = json.loads((self.folder / "a.json").read_text(encoding="utf-8"))
        self.assert_described(results)
        return done.stdout, results

    def assert_described(self, results: dict) -> None:
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((ROOT / "docs" / "scaling.schema.json").read_text(encoding="utf-8"))
        validator = jsonschema.Draft202012Validator
        validator.check_schema(schema)
        self.assertEqual([error.message for error in validator(schema).iter_errors(results)], [])

    def refused(self, said: str, *arguments: object, launcher: str = LAUNCHER) -> None:
        done = self.scale(*arguments, "--json", "a.json", launcher=launcher)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertIn(said, done.stderr)
        self.assertFalse((self.folder / "a.json").exists())

    def test_both_growths_of_two_problems(self) -> None:
        text, results = self.scaled("halo", "--ranks", "1,2", "--strong", "--weak", "--vary", "n=48,96", *self.SMALL)
        runs = {(r["problem"], tuple(r["scaling"]), r["ranks"]): r for r in results["runs"]}
        self.assertEqual(len(runs), 6)
        self.assertEqual(runs[0, ("strong", "weak"), 1]["settings"]["n"], "48")
        self.assertEqual(runs[1, ("strong",), 2]["settings"]["n"], "96")
        self.assertEqual(runs[1, ("weak",), 2]["settings"], {"n": "192", "columns": "40", "sweeps": "4", "wide": "8", "type": "double"})
        self.assertEqual(runs[0, ("weak",), 2]["provenance"]["ranks"], "2 on 1 host")
        for series in results["series"]:
            one, two = series["points"]
            self.assertEqual((one["ranks"], one["efficiency"]["median"], two["ranks"]), (1, 1, 2))
            ideal = 0.5 if series["scaling"] == "strong" else 1
            self.assertAlmostEqual(two["efficiency"]["median"], ideal * one["time"]["median"] / two["time"]["median"])
            self.assertAlmostEqual(two["efficiency"]["low"], ideal * one["time"]["low"] / two["time"]["high"])
        variants = {"staged", "device-pointers", "overlapped", "wide", "temporal"}
        self.assertEqual({m["variant"] for m in results["models"]}, variants)
        for model in results["models"]:
            self.assertEqual((model["runs"], len(model["predictions"])), (6, 12))
            self.assertIn("test", model)
        self.assertIn("model: what follows is a model fitted to the runs, not measured", text)
        self.assertIn("several share a device or a host's memory", text)

    def test_planes_grow_and_two_runs_are_too_few(self) -> None:
        text, results = self.scaled(
            "cg_ranks", "--ranks", "1,2", "--weak", "--set", "n=6", "--set", "iterations=3", "--rounds", 2,
            "--variant", "staged", "--variant", "one-sum",
        )  # fmt: skip
        self.assertEqual([run["settings"].get("planes", "") for run in results["runs"]], ["", "14"])
        self.assertIn("no model: 2 runs are too few", text)
        self.assertTrue(all("too few" in model["why_not"] for model in results["models"]))
        variants = {(m["model"], m["variant"]) for m in results["models"]}
        self.assertLessEqual({("kokkos", "staged"), ("kokkos", "one-sum")}, variants)

    def test_a_page(self) -> None:
        checked = subprocess.run(
            [sys.executable, "-B", ROOT / "tools" / "pages" / "make_scaling.py", "--check"], capture_output=True, check=False
        )
        if checked.returncode != 0:
            self.skipTest("what makes the page is not installed")
        text, _ = self.scaled("halo", "--ranks", "1,2,3", "--set", "n=48", *self.SMALL, "--report", "page")
        self.assertIn("report page/index.html\n", text)
        # Three ranks on two cores: the runs may scatter so much that no model fits.
        self.assertRegex(text, "fitted without the run on 3 ranks|no model: these runs do not tell")
        page = (self.folder / "page" / "index.html").read_text(encoding="utf-8")
        self.assertIn("a model fitted to the runs, not measured", page)

    def test_what_cannot_be(self) -> None:
        self.refused("vadd does not run across ranks; these do: cg_ranks, halo, halo_blocks", "vadd", "--ranks", "1,2")
        self.refused("'two' is not a finite number", "halo", "--ranks", "1,two")
        self.refused("two numbers or more", "halo", "--ranks", "4")
        self.refused("each larger than the one before", "halo", "--ranks", "2,1")
        self.refused("each larger than the one before", "halo", "--ranks", "0,1")
        self.refused("--vary n: one key and its values", "halo", "--ranks", "1,2", "--vary", "n")
        self.refused("halo has no key 'm'", "halo", "--ranks", "1,2", "--vary", "m=1,2")
        self.refused("is out of range", "halo", "--ranks", "1,2", "--vary", "n=10,-1")
        self.refused("no study", "nosuch", "--ranks", "1,2")
        (self.folder / "a.mtx").write_text(
            "%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 2\n", encoding="utf-8"
        )
        self.refused("does not grow with the ranks", "cg_ranks", "--ranks", "1,2", "--weak", "--set", "matrix=a.mtx")
        done = self.run_on(2, GANGWAY, "scale", "halo", "--ranks", "1,2")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("scale is for one process", done.stderr)

    def test_launchers_and_runs_that_fail(self) -> None:
        one = ("halo", "--ranks", "1,2", "--set", "n=8", *self.SMALL)
        self.refused("'no-such-mpirun' cannot be run: No such file", *one, launcher="no-such-mpirun")
        self.refused("--launcher is empty", *one, launcher=" ")
        self.refused("the run on 1 rank failed with status 1", *one, launcher="false")
        self.refused("no variant 'nosuch'", *one, "--variant", "nosuch")
        # Each alone, as with a launcher of another MPI: the run on two ranks says that it had one.
        alone = self.program("alone", 'shift 2\nexec "$@"\n')
        self.refused("a run on 2 ranks says of itself that it had one", *one, launcher=alone)
        dead = self.program("dead", "echo something is wrong with it >&2\nkill -KILL $$\n")
        self.refused("failed with status 137", *one, launcher=dead)
        self.refused("something is wrong with it", *one, launcher=dead)

    def test_a_launcher_inherits_nothing_of_the_command(self) -> None:
        """The processors that the command was given, no signal that it ignores, no descriptor that it has open."""
        allowed = sorted(os.sched_getaffinity(0))
        told = self.folder / "told"
        look = (
            f"grep -E 'Cpus_allowed_list|SigBlk|SigIgn' /proc/self/status > {told}\n"
            f"ls /proc/$$/fd >> {told}\nenv >> {told}\nexit 3\n"
        )
        unbound = {k: v for k, v in ENVIRONMENT.items() if not k.startswith("OMP_")}
        held = os.open(os.devnull, os.O_RDONLY)
        self.addCleanup(os.close, held)
        for own in ({}, {"OMP_PROC_BIND": "spread", "OMP_PLACES": "cores"}):
            for processors in {(allowed[0],), tuple(allowed)}:
                done = subprocess.run(
                    [GANGWAY, "scale", "halo", "--ranks", "1,2", "--launcher", self.program("look", look)],
                    capture_output=True, cwd=self.folder, env={**unbound, **own}, text=True, check=False, timeout=60,
                    pass_fds=(held,), preexec_fn=lambda p=processors: os.sched_setaffinity(0, p),
                )  # fmt: skip
                self.assertIn("failed with status 3", done.stderr)
                said = told.read_text(encoding="utf-8").splitlines()
                facts = dict(line.split(":\t") for line in said[:3])
                self.assertEqual(facts["Cpus_allowed_list"], ranges(processors), own)
                self.assertEqual({int(facts[name], 16) for name in ("SigBlk", "SigIgn")}, {0})
                numbers = [int(line) for line in said[3:] if line.isdigit()]
                self.assertEqual([number for number in numbers if number < 10], [0, 1, 2], "a shell keeps its script at 10")
                variables = {line.split("=")[0] for line in said if "=" in line}
                self.assertEqual(variables & {"GANGWAY_BINDING", "OMP_PROC_BIND", "OMP_PLACES"}, set(own))

    def test_a_check_that_fails(self) -> None:
        real = self.program("real", 'shift 2\n"$@"\nsed -i \'s/"passed": true/"passed": false/\' "$JSON"\nexit 1\n')
        script = Path(real)
        text = script.read_text(encoding="utf-8")
        find = 'for word; do [ "$before" = --json ] && JSON=$word; before=$word; done\n'
        script.write_text(text.replace("shift 2\n", find + "shift 2\n"), encoding="utf-8")
        done = self.scale("halo", "--ranks", "1,2", "--set", "n=8", *self.SMALL, "--json", "a.json", launcher=real)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("gangway: a check failed: kokkos:staged on 1 rank: ", done.stderr)
        self.assertFalse((self.folder / "a.json").exists())

    def test_an_interrupt_ends_the_run_too(self) -> None:
        launched = self.folder / "launched"
        slow = self.program("slow", f"echo $$ > {launched}.part\nmv {launched}.part {launched}\nexec sleep 300\n")
        began = subprocess.Popen(
            [GANGWAY, "scale", "halo", "--ranks", "1,2", "--launcher", slow],
            cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.addCleanup(began.kill)
        end = time.monotonic() + 60
        while not launched.exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        began.send_signal(signal.SIGINT)
        _, said = began.communicate(timeout=60)
        self.assertEqual(began.returncode, 130, said)
        self.assertFalse(Path(f"/proc/{launched.read_text(encoding='utf-8').strip()}").exists())

    def program(self, name: str, text: str) -> str:
        file = self.folder / name
        file.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        file.chmod(0o755)
        return str(file)


if __name__ == "__main__":
    if MPIRUN is None:
        print("no mpirun")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
