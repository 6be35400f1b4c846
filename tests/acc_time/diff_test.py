# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway-acc-time: two reports compared, of programs that were run and of made-up ones.

    ACC_TIME=… ACC_TIME_LIBRARY=… PORTED=… [OPENACC=…] python3 tests/acc_time/diff_test.py
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ACC_TIME = os.environ.get("ACC_TIME", "")
ORIGINAL = os.environ.get("OPENACC", "")


class Tool(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-diff-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def tool(self, *arguments: object) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-B", ACC_TIME, *map(str, arguments)], capture_output=True, text=True, timeout=60
        )

    def rows(self, done: subprocess.CompletedProcess) -> dict[str, tuple[str, str]]:
        found = {}
        for line in done.stdout.splitlines():
            if row := re.fullmatch(r"  (\S.*?)  +(\S.*?)  +(\S.*?)(?:  differs)?", line):
                found[row[1]] = (row[2], row[3])
        return found


class Programs(Tool):
    """The test's OpenACC program and its port."""

    def report(self, variable: str, *arguments: str) -> Path:
        library = self.tool("library")
        self.assertEqual((library.returncode, library.stderr), (0, ""))
        self.assertEqual(library.stdout.strip(), str(Path(os.environ["ACC_TIME_LIBRARY"]).resolve()))
        program = os.environ.get(variable)
        if not program:
            self.skipTest("there is no OpenACC compiler")
        file = self.folder / f"{variable}{'-'.join(arguments)}.json"
        environment = {**os.environ, "GANGWAY_ACC_TIME": f"json:{file}"}
        environment["ACC_PROFLIB" if variable == "OPENACC" else "KOKKOS_TOOLS_LIBS"] = library.stdout.strip()
        subprocess.run([program, *arguments], env=environment, check=True, capture_output=True, timeout=120)
        return file

    def test_the_port_does_what_the_original_does(self) -> None:
        done = self.tool("diff", self.report("OPENACC"), self.report("PORTED"), "--all")
        rows = self.rows(done)
        self.assertEqual(rows["launches"], ("9", "9"))
        self.assertEqual((rows["axpy"], rows["dot"]), (("8", "8"), ("1", "1")))
        self.assertEqual(rows["updates"], ("2", "2"))
        # GCC's OpenACC on a host moves nothing; on a device it moves more than the clauses name (docs/acc-time.md).
        if rows["copyin bytes"][0] == "?":
            self.assertEqual(rows["copyin bytes"], ("?", f"{8000 * (6 + 2 + 1 + 1):,}"))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("no differences", done.stdout)
            self.assertIn("OPENACC.json: host and device share a memory", done.stdout)

    def test_a_careless_port(self) -> None:
        done = self.tool("diff", self.report("OPENACC"), self.report("PORTED", "careless"))
        self.assertEqual(done.returncode, 1)
        rows = self.rows(done)
        self.assertEqual(rows["launches"], ("9", "10"))
        self.assertEqual(rows["axpy"], ("8", "9"))
        self.assertEqual(rows["updates"], ("2", "1"))
        self.assertNotIn("dot", rows)  # which is the same

    def test_one_model(self) -> None:
        port = self.report("PORTED")
        done = self.tool("diff", port, port)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.tool("diff", port, self.report("PORTED", "careless"))
        self.assertEqual(done.returncode, 1)
        rows = self.rows(done)
        self.assertEqual(rows["copyout transfers"], ("6", "5"))
        self.assertEqual(rows["copyout update self, bytes"], ("16,000", "8,000"))
        self.assertIn("found all present, and cost nothing: 5 and 6", done.stdout)
        self.assertNotIn("data regions that move", done.stdout)

    def test_a_shared_memory_is_said_and_no_difference(self) -> None:
        port = self.report("PORTED")
        if not json.loads(port.read_text(encoding="utf-8"))["memory"][0]["space"] == "Host":
            self.skipTest("the device has a memory of its own")
        done = self.tool("diff", port, self.report("PORTED", "shared"), "--all")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.rows(done)["copyin bytes"][1], "?")
        self.assertIn("PORTEDshared.json: host and device share a memory", done.stdout)


def a_report(**changes: object) -> dict:
    """A report of a Kokkos program that launched `flux` ten times and copied two arrays."""
    common = {"region": [], "within": None, "model": "kokkos", "unfinished": 0, "elapsed_us": None}
    kernel = {"name": "flux", "launched": 10, "shape": {"gangs": 8, "workers": 1, "vector": 32}}
    report = {
        "format": "gangway-acc-time", "version": 1, "models": ["kokkos"], "transfers_reported": True, "events_lost": 0,
        "regions": [],
        "compute": [{**common, "name": "flux", "device": "Cuda 0", "internal": False, "reached": 10,
                     "kernels": [kernel]}],
        "data": [{**common, "name": "", "kind": "data region", "reached": 3, "found_present": 2, "in_place": 0}],
        "transfers": [{**common, "name": "u", "direction": "copyin", "reached": 2, "bytes": 160}],
    }  # fmt: skip
    return {**report, **changes}


class MadeUp(Tool):
    def write(self, name: str, report: object) -> Path:
        file = self.folder / name
        file.write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
        return file

    def diff(self, before: dict, after: dict, *more: str) -> subprocess.CompletedProcess:
        return self.tool("diff", self.write("before.json", before), self.write("after.json", after), *more)

    def openacc(self, name: str = "flux(int, double*)+0xa4") -> dict:
        """The same from an OpenACC program on a device."""
        report = copy.deepcopy(a_report(models=["openacc"]))
        for entry in [*report["compute"], *report["data"], *report["transfers"]]:
            entry["model"] = "openacc"
        report["compute"][0].update(name=name, device="OpenACC NVIDIA 0")
        report["compute"][0]["kernels"][0]["name"] = "flux_26_gpu"
        return report

    def test_constructs_are_matched_by_their_function(self) -> None:
        for name in ("flux(int, double*)+0xa4", "flux+0x10", "euler::flux(double (*)(int))+0x8", "flux"):
            for label in ("flux", "flux/inner", "flux: x", "flux 2"):
                after = a_report()
                after["compute"][0]["name"] = label
                done = self.diff(self.openacc(name), after)
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{name} {label}\n{done.stdout}")

    def test_constructs_of_other_names(self) -> None:
        after = a_report()
        after["compute"][0]["name"] = "euler/fluxes"
        done = self.diff(self.openacc(), after)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rows(done), {"flux": ("10", "0"), "euler": ("0", "10")} | self.rows(done))
        self.assertEqual(self.diff(self.openacc(), after, "--match", "euler/fluxes=flux").returncode, 0)
        for wrong in ("euler/fluxes", "=flux", "flux=", "other=flux"):
            done = self.diff(self.openacc(), after, "--match", wrong)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("--match", done.stderr)

    def test_each_kind_of_difference(self) -> None:
        def changed(list_name: str, **members: object) -> dict:
            report = copy.deepcopy(a_report())
            report[list_name][0].update(members)
            return report

        for after, what, values in (
            (changed("transfers", bytes=80), "copyin bytes", ("160", "80")),
            (changed("transfers", bytes=80), "copyin u, bytes", ("160", "80")),
            (changed("transfers", reached=1), "copyin transfers", ("2", "1")),
            (changed("transfers", direction="copyout"), "copyout bytes", ("0", "160")),
            (changed("data", found_present=1), "data regions that move or allocate", ("1", "2")),
        ):
            done = self.diff(a_report(), after)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(self.rows(done)[what], values)
        after = changed("compute")
        after["compute"][0]["kernels"][0]["shape"] = {"tile": [8, 32]}
        self.assertEqual(self.rows(self.diff(a_report(), after))["flux"], ("8 x 1 x 32", "tile 8 x 32"))

    def test_what_is_not_reported_is_no_difference(self) -> None:
        before = self.openacc()
        before.update(transfers=[], transfers_reported=False)
        before["data"][0]["found_present"] = None
        done = self.diff(before, a_report(), "--all")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(self.rows(done)["copyin bytes"], ("?", "160"))
        self.assertIn("did not report its transfers", done.stdout)

    def test_what_only_the_device_told(self) -> None:
        before = self.openacc()
        before["transfers"] = []
        before["data"][0]["device_copyin"] = {"count": 2, "bytes": 160, "total_us": 1}
        self.assertEqual(self.diff(before, a_report()).returncode, 0)

    def test_regions_that_find_all_present_cost_nothing(self) -> None:
        after = a_report()
        after["data"][0].update(reached=5422, found_present=5421)
        done = self.diff(a_report(), after)
        self.assertEqual(done.returncode, 0)
        self.assertIn("cost nothing: 2 and 5,421", done.stdout)

    def test_more_arrays_than_directives_are_no_difference(self) -> None:
        update = {"region": [], "within": None, "name": "", "kind": "update"}
        before = self.openacc()
        before["data"].append({**update, "model": "openacc", "reached": 3})
        for arrays, status in ((9, 0), (3, 0), (2, 1)):  # an update directive names an array at least
            after = a_report()
            after["data"].append({**update, "model": "kokkos", "reached": arrays})
            self.assertEqual(self.diff(before, after).returncode, status)

    def test_names_do_not_steer_a_terminal(self) -> None:
        before, after = a_report(), a_report()
        after["compute"][0]["name"] = "flux\x1b[2J\n\ud800\x9b"
        done = self.diff(before, after)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("flux?[2J???", done.stdout)

    def test_a_file_without_end(self) -> None:
        done = self.tool("diff", "/dev/zero", self.write("good.json", a_report()))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/dev/zero has more than 512 MiB", done.stderr)

    def test_bad_reports(self) -> None:
        good = self.write("good.json", a_report())
        for name, text, said in (
            ("text.json", "Accelerator Timing data", "is no JSON"),
            ("other.json", "{}", "is no timing report"),
            ("list.json", "[]", "is no timing report"),
            ("old.json", {**a_report(), "version": 7}, "is of version 7"),
            ("half.json", {"format": "gangway-acc-time", "version": 1}, "half.json is damaged: the report lacks models"),
            ("deep.json", "[" * 100000, "is no JSON"),
            ("text-for-number.json", {**a_report(), "events_lost": "none"}, "the report.events_lost is no number"),
            ("negative.json", {**a_report(), "events_lost": -1}, "the report.events_lost is no count"),
            ("null.json", {**a_report(), "compute": [None]}, "the report.compute[0] is no object"),
        ):
            bad = self.write(name, text)
            for pair in ((bad, good), (good, bad)):
                done = self.tool("diff", *pair)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
                self.assertIn(name, done.stderr)
        done = self.tool("diff", good, self.folder / "missing.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot read", done.stderr)
        self.assertEqual(self.tool("diff", good).returncode, 2)
        self.assertEqual(self.tool().returncode, 2)


if __name__ == "__main__":
    unittest.main()
