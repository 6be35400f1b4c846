# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`gangway compare --report` and `gangway sweep --report`: the real program, on small problems.

    command_test.py PROGRAM FOLDER     leaves its pages in FOLDER, for browser_test.py
"""

from __future__ import annotations

import html
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest
from pathlib import Path

import support

support.need_generator()

from support import WithFolder, run

PROGRAM = Path(sys.argv.pop(1)).resolve()
PAGES = Path(sys.argv.pop(1)).resolve()
AS_SET = "matrix=guide n=10 mean=16 exponent=2.1 unknowns=3 dense=8"  # the name that SMALL gives its case
SMALL = ("spmv", "--quick", "--set", "matrix=guide", "--set", "n=10")
# A build may be without the OpenACC side, on purpose.
OPENACC = (PROGRAM.parent / "libgangway_openacc.so").exists()
if not OPENACC:
    SMALL += ("--openacc-library", "none")


def gangway(*arguments: object, **environment: str):
    return run(PROGRAM, *arguments, **{"PYTHON": sys.executable, **environment})


class Pages(unittest.TestCase):
    """What is left for the browser to look at."""

    def made(self, name: str, *arguments: object) -> str:
        folder = PAGES / name
        shutil.rmtree(folder, ignore_errors=True)
        done = gangway(*arguments, "--report", folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"report {folder}/index.html\n", done.stdout)
        self.assertEqual(sorted(f.name for f in folder.iterdir()), ["index.html", "results.json"])
        json.loads((folder / "results.json").read_text(encoding="utf-8"))
        return (folder / "index.html").read_text(encoding="utf-8")

    def test_compare(self):
        page = self.made("compare", "compare", *SMALL)
        if OPENACC:
            self.assertIn("Best time of GCC's OpenACC over best Kokkos time", html.unescape(page))
        self.assertIn(f"spmv, {AS_SET}: time ratios", page)
        self.assertIn(f"spmv, {AS_SET}: vector length", page)
        self.assertIn(f"spmv, {AS_SET}: workers", page)
        self.assertIn("Roofline of", page)

    def test_compare_without_openacc(self):
        without = () if not OPENACC else ("--openacc-library", "none")
        page = self.made("alone", "compare", *SMALL, *without)
        self.assertIn("OpenACC was not measured: no OpenACC library was loaded.", page)

    def test_sweep(self):
        page = self.made("sweep", "sweep", *SMALL, "--workers", "1,4,16", "--vector", "1,8,32")
        self.assertIn(f"spmv, {AS_SET}: workers × vector length, Kokkos", page)
        self.assertIn("★", page)

    def test_whole(self):
        page = self.made("whole", "compare", *SMALL, "--scope", "whole")
        self.assertRegex(page, "Nothing was transferred|transfers of one run")

    def test_run_has_no_ceilings(self):
        page = self.made("run", "run", *SMALL)
        self.assertIn("No ceilings were measured, so there is no roofline.", page)


class Unasked(WithFolder):
    """A comparison of all studies leaves a report if it was not told what to write."""

    # Of all studies, but soon done.
    ALL = ("compare", "--quick", "--rounds", "1", "--variant", "balanced",
           "--openacc-library", "none")  # fmt: skip

    def compare(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
        kept = {k: v for k, v in os.environ.items() if k != "GANGWAY_REPORT"}
        done = subprocess.run(
            [str(PROGRAM), *map(str, self.ALL), *map(str, arguments)],
            cwd=self.folder,
            env={**kept, "OMP_PROC_BIND": "false", "PYTHON": sys.executable, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_beside_the_user(self):
        done = self.compare()
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"^2 cases with 2 variants in all: .* minute")
        self.assertIn("; report in gangway-report\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\nreport gangway-report/index.html\n"))
        self.assertEqual(
            sorted(f.name for f in (self.folder / "gangway-report").iterdir()),
            ["index.html", "results.json"],
        )
        # and again, in its place
        old = (self.folder / "gangway-report" / "results.json").read_text(encoding="utf-8")
        self.compare()
        new = (self.folder / "gangway-report" / "results.json").read_text(encoding="utf-8")
        self.assertNotEqual(old, new)

    def test_where_the_environment_says(self):
        place = self.folder / "a" / "b"
        done = self.compare(GANGWAY_REPORT=str(place))
        self.assertTrue(done.stdout.endswith(f"\nreport {place}/index.html\n"))
        self.assertEqual([f.name for f in self.folder.iterdir()], ["a"])

    def test_not_if_told_what_to_write(self):
        for arguments in (("--json", "a.json"), ("--csv", "a"), ("--report", "none")):
            done = self.compare(*arguments)
            self.assertNotIn("; report in", done.stdout)
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["a", "a.json"])
        self.compare(GANGWAY_REPORT="none")
        self.assertEqual(sorted(f.name for f in self.folder.iterdir()), ["a", "a.json"])

    def test_csv_is_what_add_results_makes_of_the_json(self):
        a, b, json_file = (self.folder / name for name in ("a", "b", "a.json"))
        done = gangway("compare", *SMALL, "--json", json_file, "--csv", a)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(sys.executable, support.GENERATOR / "add_results.py", b, json_file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        texts = [{f.name: f.read_text() for f in (self.folder / name).iterdir()} for name in ("a", "b")]
        self.assertEqual(*texts)
        self.assertGreater(texts[0]["measurements.csv"].count("\n"), 10)

    def test_goes_on_where_there_can_be_none(self):
        done = self.compare(PYTHON=str(self.folder / "no-python"))
        self.assertIn("gangway: the page of the report cannot be written: ", done.stderr)
        self.assertIn("no-python' cannot be run", done.stderr)
        self.assertIn("in short: ", done.stdout)
        self.assertTrue(done.stdout.endswith("report: --report DIR makes a page of this\n"))
        self.assertEqual(list(self.folder.iterdir()), [])


class BeforeTheRun(WithFolder):
    """What would spoil the page at the end is said at the beginning."""

    def refused(self, *says: str, place: object = None, **environment: str) -> None:
        began = time.monotonic()
        done = gangway("compare", *SMALL, "--report", place or self.folder / "out", **environment)
        self.assertEqual(done.returncode, 2)
        for text in says:
            self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")  # not even the environment was printed
        self.assertLess(time.monotonic() - began, 30)

    def script(self, text: str) -> str:
        path = self.file("python", f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_no_python(self):
        missing = self.folder / "no-python"
        self.refused("matplotlib and Jinja2", f"'{missing}' cannot be run", PYTHON=str(missing))

    def test_something_that_is_no_python(self):
        self.refused("is no Python", PYTHON="true")
        self.refused("is no Python", PYTHON="false")

    def test_no_matplotlib(self):
        self.file("lacking/matplotlib.py", 'raise ImportError("no matplotlib here")')
        python = self.script(f'PYTHONPATH="{self.folder}/lacking" exec "{sys.executable}" "$@"')
        self.refused("matplotlib (3.6 or newer) and Jinja2", "no matplotlib here", PYTHON=python)

    def test_no_jinja(self):
        self.file("lacking/jinja2.py", "raise ModuleNotFoundError(\"No module named 'jinja2'\")")
        python = self.script(f'PYTHONPATH="{self.folder}/lacking" exec "{sys.executable}" "$@"')
        self.refused("No module named 'jinja2'", PYTHON=python)

    def test_no_place(self):
        file = self.file("file", "")
        self.refused("cannot make this directory", place=file)
        self.refused("cannot make this directory", place=file / "below")
        self.assertEqual(file.read_text(), "")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_place_that_is_not_ours(self):
        self.folder.chmod(0o500)
        self.addCleanup(self.folder.chmod, 0o700)
        self.refused("Permission denied")

    def test_an_empty_name(self):
        done = gangway("compare", *SMALL, "--report", "")
        self.assertEqual(done.returncode, 2)


class AfterTheRun(WithFolder):
    def test_a_generator_that_fails_leaves_the_results(self):
        # Passes --check, and fails when there is work to do.
        path = self.file(
            "python",
            '#!/bin/sh\ncase "$*" in *--check*) echo ready;; *) echo broken >&2; exit 1;; esac\n',
        )
        path.chmod(0o700)
        old = self.file("out/index.html", "old")
        done = gangway("compare", *SMALL, "--report", self.folder / "out", PYTHON=str(path))
        self.assertEqual(done.returncode, 2)
        self.assertIn("no page was made, the results are in", done.stderr)
        self.assertIn("broken", done.stderr)
        self.assertEqual(old.read_text(), "old")
        json.loads((self.folder / "out" / "results.json").read_text(encoding="utf-8"))

    def test_interrupted_keeps_what_was_measured(self):
        command = [PROGRAM, "compare", *SMALL, "--variant", "default", "--rounds", "100000", "--report",
                   self.folder / "o"]  # fmt: skip
        with subprocess.Popen(
            [str(c) for c in command],
            env={**os.environ, "PYTHON": sys.executable},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            while (line := process.stdout.readline()) and line != "ceilings\n":
                self.assertIsNone(process.poll())
            time.sleep(5)  # into the measuring
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, said)
        self.assertIn("interrupted; of 1 cases 1 were measured", said)
        self.assertEqual({path.name for path in (self.folder / "o").iterdir()}, {"results.json", "index.html"})


if __name__ == "__main__":
    unittest.main()
