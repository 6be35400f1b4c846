# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tests/run_all: what it runs, says and returns; and that a build's tests need nothing of where it was made.

    BUILD=build/openmp python3 tests/moved/moved_test.py
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("BUILD", ROOT / "build" / "openmp")).resolve()

# A few of every kind of test, so that each way to a file of the build or of the sources is taken.
QUICK = (
    r"library_test/RuntimeTable\.",
    r"runtime_start_test/",
    r"present_table_test/PresentTable\.NothingStays",
    r"allocation_failures_test/AllocationFailuresSaid\.",
    r"studies_allocation_failures_test/.*vadd",
    r"start_test/KokkosSettings\.",
    r"inputs_test/MatrixMarket\.ReadsGzip",
    r"sparse_test/SparseRows\.",
    r"device_(hip|sycl)_test/.*PropertiesAreTheDevices",
    r"ranks_test/Parts\.",
    r"ranks/Together$",
    r"harness_test/OpenAccLibraryTest\.",
    r"png_test/Png\.ComesBackAsWritten",
    r"heat_test/Heat\.SaysWhatIsWrongWithTheCommandLine",
    r"mandelbrot_test/Mandelbrot\.HelpSaysHowItEnds",
    r"cg_test/Cg\.RefusesBadUsage",
    r"studies_test/Vadd\.AroundAGangsShare",
    r"studies_test/.*EveryStudy\.HasEveryStageInOpenAcc/vadd",
    r"acc_time_test/AccTimeKokkos\.DataRegionsOfTheLibrary",
    r"acc_time_test/AccTimeTools\.TwoToolsAtOnce",
    r"acc_time_test/AccTimeDevice\.DirectionsAndBytes",
    r"acc_time_test/AccTimeOpenacc\.ConstructsAndDataAreCountedExactly",
    r"acc_time_declared_test/",
    r"guide_test/Both/Guide\.seq/",
    r"command/(Help|Info|OpenAccSide)$",
    r"bench/Usage$",
    r"report/(claims|scaling|command)$",
    r"port_test/Both/Port\.Routines/",
    r"project/",
    r"verify/Options",
    r"verify_ranks/Ranks$",
    r"verify_memory_test/",
    r"fortran/(Cases|Page)$",
    r"check_cuda/ByRun$",
    r"acc-time/",
    r"fuzz/(CommandValues|Driver)$",
    r"guide/(Guide|Mistakes|Site|BeforeAndAfter|Data)$",
)

# Mounts an empty folder over each of two, then runs a command. The program mount is not everywhere.
HIDE = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for place in sys.argv[1:3]:
    if libc.mount(b"none", os.fsencode(place), b"tmpfs", 0, None) != 0:
        sys.exit(f"{place}: {os.strerror(ctypes.get_errno())}")
os.chdir("/")
os.execvp(sys.argv[3], sys.argv[3:])
"""


def run_all(place: Path, *arguments: object, before: tuple = ()) -> subprocess.CompletedProcess:
    """PLACE's tests/run_all; BEFORE is a command that runs it."""
    command = [*before, sys.executable, "-B", place / "tests" / "run_all", *arguments]
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=800, check=False
    )


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-moved-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()


class Moved(Folder):
    """The tests of this build, run where neither it nor its sources are to be seen."""

    def hiding(self) -> tuple:
        """A command that runs another in a mount namespace in which both are empty folders."""
        # No mount of it may be seen elsewhere. Where none is shared, as in the tool root, there is nothing to change,
        # nor can there be where the root folder is no mount.
        shared = "shared:" in Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        unshare = ["unshare", "--mount", "--propagation", "private" if shared else "unchanged"]
        if os.getuid() != 0:
            unshare += ["--user", "--map-root-user"]
        # The build first: it may lie among the sources.
        command = (*unshare, sys.executable, "-c", HIDE, str(BUILD), str(ROOT))
        tried = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
        if tried.returncode != 0:
            self.skipTest(f"this machine lets nobody hide a folder: {tried.stderr.strip()}")
        still_there = subprocess.run([*command, "test", "-e", ROOT / "README.md"], check=False)
        self.assertNotEqual(still_there.returncode, 0, "the sources are not hidden")
        return command

    def test_every_kind_of_test_runs_elsewhere(self) -> None:
        hiding = self.hiding()
        place = self.folder / "carried"
        copied = run_all(ROOT, BUILD, "--copy", place)
        self.assertEqual((copied.returncode, copied.stderr), (0, ""))
        # It says how to run them: where its tests/run_all is, and the build.
        script, build = copied.stdout.split(": ", 1)[1].split()
        sources = Path(script).parents[1]
        self.assertTrue(Path(build).is_relative_to(place))

        noted = json.loads((BUILD / "tests" / "tests.json").read_text(encoding="utf-8"))
        kinds = {test["name"].split("/")[0] for test in noted["tests"]}
        quick = [test for test in QUICK if any(re.fullmatch(test.split("/")[0], kind) for kind in kinds)]
        chosen = f"^({'|'.join(quick)})"
        listed = run_all(sources, build, "--list", "-R", chosen)
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        names = listed.stdout.split()
        for test in quick:
            self.assertTrue(any(re.match(test, name) for name in names), f"no test is called {test}")
        self.assertEqual(kinds, {name.split("/")[0] for name in names}, "a kind of test is left out")

        done = run_all(sources, build, "-R", chosen, "-j", 1, before=hiding)  # beside other tests
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        passed, skipped = re.search(r"^(\d+) passed, (\d+) skipped, 0 failed$", done.stdout, re.M).groups()
        self.assertEqual(int(passed) + int(skipped), len(names), done.stdout)
        self.assertGreater(int(passed), len(names) / 2, done.stdout)

    def test_what_is_hidden_is_missed(self) -> None:
        """The test above can fail: from where it was made, nothing runs."""
        done = run_all(ROOT, BUILD, before=self.hiding())
        self.assertNotEqual(done.returncode, 0)


class RunAll(Folder):
    """tests/run_all on builds that are made up."""

    def setUp(self) -> None:
        super().setUp()
        self.build = self.folder / "build" / "made-up"
        (self.folder / "tests").mkdir()
        shutil.copy2(ROOT / "tests" / "run_all", self.folder / "tests")
        (self.build / "tests").mkdir(parents=True)
        (self.build / "bin").mkdir()

    def script(self, name: str, text: str, **more: object) -> dict:
        file = Path("tests") / f"{name.replace('/', '_')}.py"
        (self.folder / file).write_text(text, encoding="utf-8")
        return {"name": name, "script": str(file), "after": "", "arguments": [], "programs": {}, **more}

    def program(self, name: str, body: str) -> dict:
        """Has the tests One.a and One.b/0."""
        file = self.build / "bin" / name
        lists = "One.\n  a\n  b/0  # GetParam() = 3\n"
        file.write_text(
            f"#!{sys.executable}\nimport json, sys\nif '--gtest_list_tests' in sys.argv:\n"
            f"    print({lists!r})\n    sys.exit()\n"
            "out = next(a for a in sys.argv if 'output' in a).split(':', 1)[1]\n" + body,
            encoding="utf-8",
        )
        file.chmod(0o755)
        return {"name": name, "program": f"{{build}}/bin/{name}"}

    def results(self, **tests: str) -> str:
        """A program's body that writes what came of its tests: passed, skipped or failed."""
        suite = [
            {"name": name, "status": "RUN", "result": "SKIPPED" if how == "skipped" else "COMPLETED",
             **({"failures": [{}]} if how == "failed" else {})}
            for name, how in tests.items()
        ]  # fmt: skip
        text = json.dumps({"testsuites": [{"name": "One", "testsuite": suite}]})
        status = int("failed" in tests.values())
        return f"open(out, 'w').write({text!r})\nprint('what was said')\nsys.exit({status})\n"

    def run_all(self, tests: list[dict], *arguments: object) -> subprocess.CompletedProcess:
        noted = {"sources": "../..", "environment": {"OF_THE_TESTS": "yes"}, "tests": tests}
        (self.build / "tests" / "tests.json").write_text(json.dumps(noted), encoding="utf-8")
        return run_all(self.folder, self.build, *arguments)

    def test_what_came_of_each_is_counted(self) -> None:
        tests = [
            self.program("good", self.results(a="passed", b="skipped")),
            self.program("bad", self.results(a="passed", b="failed")),
            self.program("dead", "import os\nos.abort()\n"),
            self.script("kind/Fine", "import os\nassert os.environ['OF_THE_TESTS'] == 'yes'\n"),
            self.script("kind/Absent", "import sys\nsys.exit(77)\n"),
            self.script("kind/Wrong", "import sys\nsys.exit('this is wrong')\n"),
        ]
        done = self.run_all(tests, "-j", 1)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("\n3 passed, 2 skipped, 3 failed\n", done.stdout)
        for failed in ("bad/One.b", "dead (ended with -6)", "kind/Wrong"):
            self.assertIn(f"FAILED  {failed}\n", done.stdout)
        self.assertIn("this is wrong", done.stdout)
        self.assertEqual(done.stdout.count("what was said"), 1, "only what failed is shown")
        done = self.run_all(tests, "-E", "bad|dead|Wrong", "-j", 1)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("\n2 passed, 2 skipped, 0 failed\n", done.stdout)

    def test_names_are_listed_and_chosen(self) -> None:
        tests = [self.program("good", self.results(a="passed")), self.script("kind/Fine", "")]
        self.assertEqual(self.run_all(tests, "--list").stdout, "good/One.a\ngood/One.b/0\nkind/Fine\n")
        self.assertEqual(self.run_all(tests, "--list", "-R", "One.b").stdout, "good/One.b/0\n")
        self.assertIn("\n1 passed, 0 skipped", self.run_all(tests, "-R", "^kind/").stdout)

    def test_one_that_reads_what_another_wrote_comes_later(self) -> None:
        file = self.build / "written"
        told = {"programs": {"FILE": "{build}/written"}}
        tests = [
            self.script("kind/Reads", "import os\nopen(os.environ['FILE'])\n", after="kind/Writes", **told),
            self.script("kind/Writes", "import os, time\ntime.sleep(0.3)\nopen(os.environ['FILE'], 'w')\n", **told),
        ]  # fmt: skip
        done = self.run_all(tests, "-j", 2)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(file.exists())

    def test_rounds_are_in_other_orders(self) -> None:
        """The program fails in the second, and every script notes that it ran."""
        noted = self.folder / "noted"
        tests = [self.script(f"kind/{name}", f"open({str(noted)!r}, 'a').write('{name}')\n") for name in "abcdefgh"]
        fails = self.results(a="failed").replace("sys.exit(1)", "sys.exit('--gtest_random_seed=6' in sys.argv)")
        fails = fails.replace("open(out", "if '--gtest_random_seed=6' in sys.argv and '--gtest_shuffle' in sys.argv: open(out")
        passes = self.results(a="passed").removesuffix("sys.exit(0)\n")
        tests.append(self.program("sometimes", passes + fails))
        done = self.run_all(tests, "-j", 1, "--rounds", 3, "--seed", 4)
        self.assertEqual(done.returncode, 1, done.stdout)
        for told in ("seed 4: 0 failed", "seed 5: 1 failed", "seed 6: 0 failed", "26 passed, 0 skipped, 1 failed"):
            self.assertIn(told, done.stdout)
        order = noted.read_text()
        rounds = [order[:8], order[8:16], order[16:]]
        self.assertEqual([sorted(one) for one in rounds], [list("abcdefgh")] * 3)
        self.assertEqual(len(set(rounds)), 3)
        noted.unlink()
        self.run_all(tests, "-j", 1, "--seed", 5)
        self.assertEqual(noted.read_text(), rounds[1], "the seed is the order")

    def test_bad_usage(self) -> None:
        tests = [self.script("kind/Fine", ""), {"name": "gone", "program": "{build}/bin/gone"}]
        for arguments, said in (
            (("-R", "("), "no regular expression"),
            (("-j", "0"), "no whole number"),
            (("--rounds", "0"), "no whole number"),
            (("-R", "nothing has this name", "-E", "."), "bin/gone was not built"),
            (("--copy", self.folder), "give a folder that is empty"),
        ):
            done = self.run_all(tests, *arguments)
            self.assertEqual(done.returncode, 2, said)
            self.assertIn(said, done.stderr)
        done = self.run_all(tests[:1], "-R", "nothing has this name")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no test has such a name", done.stderr)
        done = run_all(self.folder, self.folder / "elsewhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("name the folder of a build with tests", done.stderr)

    def test_a_copy_has_what_runs_and_no_more(self) -> None:
        tests = [self.program("good", self.results(a="passed", b="passed")), self.script("kind/Fine", "")]
        (self.build / "bin" / "CMakeFiles").mkdir()
        for name in ("CMakeFiles/compiler", "helper.so", "notes.txt"):
            (self.build / "bin" / name).touch(0o755 if name != "notes.txt" else 0o644)
        (self.folder / "README.md").touch()
        place = self.folder / "place" / "below"
        self.assertEqual(self.run_all(tests, "--copy", place).returncode, 0)
        files = {str(file.relative_to(place)) for file in place.rglob("*") if file.is_file()}
        build = "build/made-up"
        self.assertEqual(
            files,
            {"README.md", "tests/run_all", "tests/kind_Fine.py", f"{build}/tests/tests.json",
             f"{build}/bin/good", f"{build}/bin/helper.so"},
        )  # fmt: skip
        done = run_all(place, place / build, "-j", 1)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("\n3 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
