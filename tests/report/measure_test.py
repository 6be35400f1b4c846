#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/measure and tools/compare-builds with a command that plays gangway: it says what it was asked, and writes made-up
results."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import samples
import support

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PLAYED = """#!{python}
import json, os, pathlib, sys, time
here = pathlib.Path(__file__).parent
if sys.argv[1] == "list":
    print(json.dumps([{{"id": name}} for name in ("one", "two", "three")]))
    sys.exit()
study = sys.argv[2]
with open(here / "asked", "a") as asked:
    print(*sys.argv[2:-4], file=asked)
print("what gangway says of", study, flush=True)
time.sleep(float(os.environ.get("LASTS", 0)))
results = json.loads((here / "results.json").read_text())
for case in results["cases"]:
    case["study"] = study
pathlib.Path(sys.argv[-1]).write_text(json.dumps(results))
sys.exit(int(os.environ.get("STATUS_" + study, 0)))
"""


class Measure(support.WithFolder):
    def setUp(self) -> None:
        super().setUp()
        self.file("results.json", samples.fair())
        self.gangway = self.file("gangway", PLAYED.format(python=sys.executable))
        self.gangway.chmod(0o755)
        self.results = self.folder / "results"
        self.enterContext(mock.patch.dict(os.environ, TMPDIR=str(self.folder)))  # a visit of this machine may be on
        for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
            os.environ.pop(name, None)

    def command(self, *more: object) -> list[str]:
        return [sys.executable, "-B", str(TOOLS / "measure"), str(self.results), "--gangway", str(self.gangway), *map(str, more)]

    def measure(self, *more: object, **environment: str) -> subprocess.CompletedProcess:
        return support.run(*self.command(*more), **environment)

    def asked(self) -> list[str]:
        file = self.folder / "asked"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def studies(self) -> set[tuple[str, str]]:
        """Set and study of each case of the CSV files."""
        with (self.results / "runs.csv").open(encoding="utf-8") as runs:
            sets = {run["run"]: run["set"] for run in csv.DictReader(runs)}
        with (self.results / "cases.csv").open(encoding="utf-8") as cases:
            return {(sets[case["run"]], case["study"]) for case in csv.DictReader(cases)}

    def test_measures_all_studies_once(self):
        done = self.measure("--openacc-library", "gcc=some.so", "--rounds", 9)
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = "--quick --rounds 9 --patience 2 --openacc-library gcc=some.so"
        self.assertEqual(self.asked(), [f"{name} {wanted}" for name in ("one", "two", "three")])
        self.assertEqual(self.studies(), {("quick", name) for name in ("one", "two", "three")})
        self.assertEqual(self.measure().returncode, 0)
        self.assertEqual(len(self.asked()), 3, "what is there is not measured again")

    def test_takes_sizes_from_a_file(self):
        sizes = self.file("sizes.txt", "# a remark\n\none --set n=3 --scope kernel\ntwo --set n=5\n")
        done = self.measure("--set", f"mine={sizes}", "--set", "full")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.asked()[0], "one --set n=3 --scope kernel --rounds 7 --patience 2")
        self.assertEqual(len(self.asked()), 5)
        self.assertIn(("mine", "two"), self.studies())
        self.assertIn(("full", "three"), self.studies())

    def test_goes_on_after_a_run_that_failed(self):
        done = self.measure(STATUS_two="2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 runs are missing", done.stderr)
        self.assertIn("two --quick: 2, 0 s\nwhat gangway says of two", done.stdout)
        self.assertEqual(self.studies(), {("quick", "one"), ("quick", "three")})
        self.assertEqual(self.measure().returncode, 0)
        self.assertEqual(len(self.asked()), 4)
        self.assertIn(("quick", "two"), self.studies())

    def test_a_failed_check_is_a_result(self):
        self.assertEqual(self.measure(STATUS_two="1").returncode, 1)
        self.assertIn(("quick", "two"), self.studies())

    def test_ends_in_time(self):
        done = self.measure("--minutes", 0.02, LASTS="30")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ended by --minutes", done.stdout)
        self.assertEqual(len(self.asked()), 1)
        self.assertFalse((self.results / "runs.csv").exists())
        self.assertEqual(self.measure().returncode, 0)

    def started(self, **environment: str) -> subprocess.Popen:
        environment = {**os.environ, "LASTS": "0.5", **environment}
        return subprocess.Popen(self.command(), env=environment, stderr=subprocess.PIPE, text=True)

    def test_two_at_a_time_share_the_runs(self):
        both = [self.started(CUDA_VISIBLE_DEVICES=device) for device in ("0", "1")]
        for each in both:
            each.communicate()
        self.assertIn(0, [each.returncode for each in both])
        self.assertEqual(len(self.asked()), 3)
        self.assertEqual(len(self.studies()), 3)

    def test_two_on_one_device_do_not_measure_each_other(self):
        for first, second, place in (
            ({}, {}, "this machine"),
            ({"CUDA_VISIBLE_DEVICES": "0,1"}, {"CUDA_VISIBLE_DEVICES": "1"}, "device 1"),
            ({"CUDA_VISIBLE_DEVICES": "0"}, {}, "this machine"),
            ({}, {"HIP_VISIBLE_DEVICES": "3"}, "this machine"),
        ):
            with self.subTest(first=first, second=second):
                running = self.started(**first, LASTS="3")
                while not self.asked():
                    time.sleep(0.05)
                refused = self.measure(**second)
                self.assertEqual(refused.returncode, 2, refused.stderr)
                self.assertIn(f"another visit or comparison is at work on {place}", refused.stderr)
                running.kill()  # its run goes on, and keeps the device
                running.communicate()
                self.assertEqual(self.measure(**second).returncode, 2)
                while self.measure(**second).returncode == 2:
                    time.sleep(0.1)
                shutil.rmtree(self.results)
                (self.folder / "asked").unlink()

    def test_refuses_bad_input(self):
        for wrong, word in ((["--set", "quik"], "no such set"), (["--set", "a=none.txt"], "none.txt")):
            done = self.measure(*wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)


BUILD = """#!{python}
import json, pathlib, sys
if sys.argv[1] == "list":
    print(json.dumps([{{"id": name}} for name in {studies}]))
    sys.exit()
with open({log!r}, "a") as asked:
    print({name!r}, *sys.argv[2:-1], file=asked)
results = {results}
for one in results["cases"][0]["measurements"]:
    if one["variant"] == "disturbed":  # in the second and the third run of the new build
        turn = int(sys.argv[-1].split(".")[-3])
        one["seconds"] = [second * {{2: 1.1, 5: 1.2}}.get(turn, 1) for second in one["seconds"]]
pathlib.Path(sys.argv[-1]).write_text(json.dumps(results))
sys.exit({status})
"""


class CompareBuilds(support.WithFolder):
    def build(self, name: str, studies: tuple[str, ...] = ("one",), status: int = 0, **seconds: float) -> Path:
        """Plays a build whose Kokkos variants take so long."""
        measured = [samples.measurement("kokkos", variant, time, rounds=21) for variant, time in seconds.items()]
        results = samples.document([samples.case("one", measured)])
        log = str(self.folder / "asked")
        text = BUILD.format(python=sys.executable, name=name, studies=studies, log=log, results=results, status=status)
        played = self.file(name, text)
        played.chmod(0o755)
        return played

    def compare(self, old: Path, new: Path, *more: object) -> subprocess.CompletedProcess:
        folder = self.folder / "runs"
        command = [sys.executable, "-B", TOOLS / "compare-builds", old, new, "--folder", folder, *more]
        return support.run(*command, TMPDIR=str(self.folder))  # a visit of this machine may be on

    def asked(self) -> list[str]:
        return (self.folder / "asked").read_text(encoding="utf-8").splitlines()

    def test_names_what_became_slower_and_faster(self):
        old = self.build("old", slow=1.0, same=1.0, fast=1.0, gone=1.0)
        new = self.build("new", slow=1.2, same=1.0, fast=0.8, more=1.0)
        done = self.compare(old, new)
        self.assertEqual(done.returncode, 1, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[0], r"^slower  one usual kernel slow: 1\.2\d* \[1\.")
        self.assertRegex(lines[1], r"^faster  one usual kernel fast: 0\.8\d* \[0\.")
        self.assertEqual(lines[2:4], ["only in old: one usual kernel gone", "only in new: one usual kernel more"])
        self.assertEqual(lines[4:], ["3 variants: 1 slower by more than 3%, 1 faster"])

    def test_runs_that_differ_are_no_difference_of_the_builds(self):
        done = self.compare(self.build("old", disturbed=1.0), self.build("new", disturbed=1.0))
        self.assertEqual(done.stdout, "1 variants: 0 slower by more than 3%, 0 faster\n")

    def test_runs_in_turns_and_goes_on(self):
        old, new = self.build("old", ("one", "gone"), same=1.0), self.build("new", ("more", "one"), same=1.0)
        self.assertEqual(self.compare(old, new, "--", "--full", "--rounds", 9).returncode, 0)
        wanted = "one --full --rounds 9 --model kokkos --openacc-library none --report none --json"
        self.assertEqual(self.asked(), [f"{build} {wanted}" for build in ("old", "new", "new", "old", "old", "new")])
        self.assertEqual(self.compare(old, new, "--", "--full", "--rounds", 9).returncode, 0)
        self.assertEqual(len(self.asked()), 6, "what is there is not run again")

    def test_refuses_a_folder_of_other_runs(self):
        old, new = self.build("old", same=1.0), self.build("new", same=1.0)
        self.assertEqual(self.compare(old, new).returncode, 0)
        rebuilt = self.build("new", same=1.2)
        for other in ((old, rebuilt), (new, old), (old, rebuilt, "--", "--full")):
            done = self.compare(*other)
            self.assertEqual(done.returncode, 2)
            self.assertIn("other builds or options", done.stderr)
        self.assertEqual(len(self.asked()), 6)

    def test_is_refused_beside_another_on_the_device(self):
        old, new = self.build("old", same=1.0), self.build("new", same=1.0)
        hold = "import devices; held = devices.take_devices(); print(flush=True); input()"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        environment = {**os.environ, "TMPDIR": str(self.folder)}
        with subprocess.Popen([sys.executable, "-Bc", hold], cwd=TOOLS / "pages", env=environment, **pipes) as holder:
            holder.stdout.readline()
            done = self.compare(old, new)
            self.assertEqual(done.returncode, 2)
            self.assertIn("at work on this machine", done.stderr)
            holder.communicate("\n")
        self.assertEqual(self.compare(old, new).returncode, 0)

    def test_a_small_difference_is_within_the_limit(self):
        old, new = self.build("old", same=1.0), self.build("new", same=1.1)
        self.assertEqual(self.compare(old, new, "--limit", 1.2).returncode, 0)
        self.assertEqual(self.compare(old, new).returncode, 1)

    def test_a_run_that_fails_ends_it(self):
        done = self.compare(self.build("old", same=1.0), self.build("new", status=2, same=1.0))
        self.assertEqual(done.returncode, 2)
        self.assertIn("compare one: status 2", done.stderr)
        done = self.compare(self.build("old", same=1.0), self.folder / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none", done.stderr)


if __name__ == "__main__":
    unittest.main()
