# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fuzz targets: each reads its corpus, and some thousands of inputs that are made of it. The same every time.

    FUZZ_matrix_market=build/openmp/tests/fuzz/fuzz_matrix_market … ACC_TIME=… python3 tests/fuzz/fuzz_test.py

RUNS=N and SEED=N: more of the two readers in Python, which have no program.
"""

from __future__ import annotations

import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "tools" / "pages"), str(HERE.parent / "report")]


class Target(unittest.TestCase):
    """A program, the folder of its corpus, and how many inputs take about a second."""

    name = ""
    runs = 0

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-fuzz-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def drive(self, *arguments: object) -> subprocess.CompletedProcess:
        program = os.environ.get(f"FUZZ_{self.name}")
        if not program:
            self.skipTest(f"this build has no fuzz_{self.name}")
        return subprocess.run(
            [program, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=600, check=False
        )

    def fuzz(self) -> None:
        corpus = HERE / "corpus" / self.name
        files = len(list(corpus.iterdir()))
        done = self.drive("--runs", self.runs, corpus)
        failed = {file.name: file.read_bytes() for file in self.folder.iterdir()}
        self.assertEqual((done.returncode, failed), (0, {}), done.stderr.decode("utf-8", "replace"))
        self.assertIn(f"{files} files, {self.runs} runs", done.stdout.decode())


class MatrixMarket(Target):
    name, runs = "matrix_market", 3000

    def test_reads_anything(self) -> None:
        self.fuzz()


class CommandValues(Target):
    name, runs = "command_values", 1500

    def test_reads_anything(self) -> None:
        self.fuzz()


class Checkpoint(Target):
    name, runs = "checkpoint", 8000

    def test_reads_anything(self) -> None:
        self.fuzz()


class TimingReport(Target):
    name, runs = "timing_report", 600

    def test_reads_anything(self) -> None:
        self.fuzz()


class PortDirectives(Target):
    name, runs = "port_directives", 150

    def test_reads_anything(self) -> None:
        self.fuzz()


class Driver(Target):
    """It says what failed and leaves the input; without that, no other test here could fail."""

    name = "driver_self"

    def file(self, text: str) -> Path:
        path = self.folder / "input"
        path.write_text(text)
        return path

    def left(self) -> list[bytes]:
        return [file.read_bytes() for file in self.folder.glob("fuzz-failure-*")]

    def test_what_is_well(self) -> None:
        done = self.drive(self.file("go on"))
        self.assertEqual((done.returncode, self.left()), (0, []))
        self.assertIn(b"1 files, 0 runs from seed 1, 0 kept", done.stdout)

    def test_what_fails(self) -> None:
        for text, said in (("stop here", b"not so: it goes on"), ("throw", b"as told"), ("fail", b"a target returns 0")):
            with self.subTest(text):
                done = self.drive(self.file(text))
                self.assertNotEqual(done.returncode, 0)
                self.assertIn(said, done.stderr)
                self.assertEqual(self.left(), [text.encode()])
                next(self.folder.glob("fuzz-failure-*")).unlink()

    def test_what_a_sanitizer_finds(self) -> None:
        done = self.drive(self.file("overflow"))
        if done.returncode == 0:
            self.skipTest("this build has no sanitizer of undefined behaviour")
        self.assertIn(b"signed integer overflow", done.stderr)
        self.assertEqual(self.left(), [b"overflow"])

    def test_what_hangs(self) -> None:
        done = self.drive("--seconds", 1, self.file("stay here for ever"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(b"it takes too long", done.stderr)
        self.assertEqual(self.left(), [b"stay here for ever"])

    def test_what_changes_lead_to(self) -> None:
        done = self.drive("--runs", 100000, self.file("ctop it"))
        self.assertIn(b"not so: it goes on", done.stderr)
        (found,) = self.left()
        self.assertTrue(found.startswith(b"stop"))
        again = self.drive("--runs", 100000, self.file("ctop it"))
        self.assertEqual(again.stderr.partition(b"the input")[0], done.stderr.partition(b"the input")[0])

    def test_usage(self) -> None:
        for arguments in ((), ("--runs",), ("--runs", "many", "."), ("--fast", "."), ("none",)):
            self.assertEqual(self.drive(*arguments).returncode, 2, arguments)


# --- readers in Python ------------------------------------------------------------------------

VALUES = (
    None, True, False, 0, -1, 1, 2**63, 2**64, 10**30, 0.5, -1e308, float("nan"), float("inf"), "", "auto", "kokkos",
    "\x1b[2J", "\ud800", "\u2028", "<script>alert(1)</script>", "9" * 5000, [], [None], {}, {"": None}, [[[[]]]],
)  # fmt: skip


def places_of(document: object) -> list[tuple[object, object]]:
    """Each container in it with each key or index."""
    found = []
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        found.append((document, key))
        if isinstance(value, (dict, list)):
            found += places_of(value)
    return found


def changed(document: object, chance: random.Random) -> bytes:
    """JSON of a document of which some values are others, missing or there twice; at times not even JSON."""
    document = copy.deepcopy(document)
    for _ in range(chance.randint(1, 3)):
        container, key = chance.choice(places_of(document))
        way = chance.randrange(4)
        if way == 0:
            del container[key]
        elif way == 1 and isinstance(container, list):
            container.append(copy.deepcopy(container[key]))
        elif way == 2:
            other, from_key = chance.choice(places_of(document))
            container[key] = copy.deepcopy(other[from_key])
        else:
            container[key] = chance.choice(VALUES)
        if not document:
            break
    text = json.dumps(document).encode("utf-8", "surrogatepass")
    if chance.randrange(10) == 0:
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice((b"", b"\xff", b"[" * 3000, b'"', b"1e999", b"NaN")) + text[at + 1 :]
    return text


def repeatable() -> tuple[random.Random, int]:
    return random.Random(int(os.environ.get("SEED", "1"))), int(os.environ.get("RUNS", "300"))


class Diff(Target):
    """gangway-acc-time diff, of a real report and what was made of it."""

    def test_reads_anything(self) -> None:
        name = os.environ.get("ACC_TIME")
        if not name:
            self.skipTest("this build has no timing report")
        loader = importlib.machinery.SourceFileLoader("gangway_acc_time", name)
        sys.dont_write_bytecode = True
        spec = importlib.util.spec_from_loader(loader.name, loader)
        tool = importlib.util.module_from_spec(spec)
        sys.modules[loader.name] = tool
        loader.exec_module(tool)
        chance, runs = repeatable()
        files = sorted((HERE / "corpus" / "diff").iterdir())
        reports = [json.loads(file.read_bytes()) for file in files]
        bad = self.folder / "bad.json"
        before, sys.argv = sys.argv, [name, "diff", "--all", str(files[0]), str(bad)]
        self.addCleanup(setattr, sys, "argv", before)
        statuses = set()
        for run in range(runs):
            text = changed(chance.choice(reports), chance)
            bad.write_bytes(text)
            out, err = io.StringIO(), io.StringIO()
            with self.subTest(run), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                status = tool.main()
                statuses.add(status)
                self.assertIn(status, (0, 1, 2), text)
                self.assertEqual(bool(err.getvalue()), status == 2, text)
                self.assertLessEqual(err.getvalue().count("\n"), 1, text)
                for line in (out.getvalue() + err.getvalue()).splitlines():
                    self.assertTrue(line.isprintable(), (text, line))
                self.assertRegex(err.getvalue(), r"^$|^gangway-acc-time: .*bad\.json .*")
        self.assertGreaterEqual(statuses, {1, 2}, "some are refused, some are read and differ")


class Results(Target):
    """What the HTML report and the pages are made of: read, or refused in one line."""

    def test_reads_anything(self) -> None:
        import results
        import samples

        chance, runs = repeatable()
        document = samples.everything()
        bad = self.folder / "bad.json"
        refused = 0
        for run in range(runs // 2):
            text = changed(document, chance)
            bad.write_bytes(text)
            with self.subTest(run):
                try:
                    results.read(bad)
                except results.ResultsError as error:
                    refused += 1
                    self.assertTrue(str(error).isprintable(), (text, error))
                    self.assertTrue(re.search(r"bad\.json ", str(error)), error)
        self.assertGreater(refused, runs // 20)
        self.assertLess(refused, runs // 2)

    def test_a_file_without_end(self) -> None:
        import results

        with self.assertRaisesRegex(results.ResultsError, "/dev/zero has more than 256 MiB"):
            results.read("/dev/zero")


if __name__ == "__main__":
    unittest.main()
