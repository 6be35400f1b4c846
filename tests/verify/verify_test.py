# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway::verify: planted faults are found in their construct, and right ports are not blamed.

FAULTS is the program whose faults are planted.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FAULTS = os.environ["FAULTS"]


class Case(unittest.TestCase):
    def run_program(self, fault, verify="1", **environment):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            options = f"{verify},report={report}" if verify else ""
            done = subprocess.run(
                [FAULTS, fault],
                env={**os.environ, "GANGWAY_VERIFY": options, **environment},
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            constructs = {}
            if report.exists():
                for construct in json.loads(report.read_text())["constructs"]:
                    constructs[construct["construct"]] = construct
            return done, constructs

    @staticmethod
    def findings(constructs, *kinds):
        return {name for name, found in constructs.items() if sum(found[kind] for kind in kinds)}


class Planted(Case):
    def test_each_fault_is_found_where_it_is(self):
        listed = subprocess.run([FAULTS, "--list"], capture_output=True, text=True, check=True)
        faults = [line.split("\t") for line in listed.stdout.splitlines()]
        self.assertGreaterEqual(len(faults), 40)
        self.assertGreaterEqual(len({kind for _, kind, _, _ in faults}), 10)
        for name, kind, construct, finding in faults:
            with self.subTest(fault=name, kind=kind):
                kinds = ("wrong", "unstable") if finding == "any" else (finding,)
                for _ in range(100 if finding == "any" else 1):
                    done, constructs = self.run_program(name, "trust-original")
                    if self.findings(constructs, *kinds):
                        break  # threads may have met, or not
                self.assertEqual(self.findings(constructs, "wrong", "unstable", "stale"), {construct}, done.stderr)
                self.assertEqual(self.findings(constructs, *kinds), {construct}, done.stderr)
                self.assertIn(f"({construct}): ", done.stderr)
                self.assertIn("faults.cpp:", done.stderr)
                self.assertEqual(done.returncode, 0 if finding == "stale" else 1, done.stderr)

    def test_values_that_nothing_has_set_are_blamed_once(self):
        """Even if the program goes on with what the port makes of them."""
        for name, array in (("weights", "weigh"), ("picks", "pick"), ("levels", "rise"), ("points", "move")):
            with self.subTest(array=name):
                done, constructs = self.run_program(f"{name}_not_updated")
                self.assertEqual(self.findings(constructs, "wrong", "unstable", "stale"), {array}, done.stderr)
                self.assertRegex(
                    done.stderr, rf"{name}\[0\] has had no value on the device since create\({name}\) at \S*faults.cpp:\d+ \(44 such\)"
                )
                self.assertEqual(constructs[array]["stale"], 1)

    def test_a_trusted_original_has_what_an_update_would_have_brought(self):
        right, _ = self.run_program("none")
        self.assertIn("the sums of what was created: ", right.stdout)
        for name in ("weights", "picks", "levels", "points", "counts", "map"):
            done, _ = self.run_program(f"{name}_not_updated", "trust-original")
            self.assertEqual(done.stdout, right.stdout, name)

    def test_the_first_fault_is_named_first(self):
        done, constructs = self.run_program("last_row_left_out")
        self.assertIn("stencil", self.findings(constructs, "wrong"))
        first = next(line for line in done.stderr.splitlines() if "first wrong result" in line)
        self.assertIn(
            "(stencil): v differs from the original in 42 of 2640 elements, first at [58][1]", first
        )


class Right(Case):
    def test_no_false_alarm(self):
        for memory in ("", "separate", "strict"):
            for threads in ("1", "2", "4"):
                with self.subTest(memory=memory, threads=threads):
                    done, constructs = self.run_program(
                        "none", GANGWAY_MEMORY=memory, OMP_NUM_THREADS=threads
                    )
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(self.findings(constructs, "wrong", "unstable", "stale"), set())
                    self.assertEqual({found["compared"] for found in constructs.values()}, {2})

    def test_a_serial_sum_may_round_in_one_direction(self):
        done, constructs = self.run_program("long_sum")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(constructs["tenths"]["compared"], 1)

    def test_an_exception_leaves_the_host_alone(self):
        done, _ = self.run_program("throws")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_original_that_reaches_the_device_is_left_out(self):
        done, constructs = self.run_program("device_addresses")
        if "usage" in done.stderr:
            self.skipTest("a GPU's memory is out of the original's reach")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        self.assertIn(": the original writes u of the device, not of the host: not compared", done.stderr)
        self.assertEqual([(c["compared"], c["left_out"]) for c in constructs.values()], [(0, 1)])

    def test_without_the_variable_nothing_is_said(self):
        for asked in ("", "0"):
            done, constructs = self.run_program("last_row_left_out", "", GANGWAY_VERIFY=asked)
            self.assertEqual((done.returncode, done.stderr, constructs), (0, "", {}))


class Options(Case):
    def test_every(self):
        _, constructs = self.run_program("none", "every=2")
        self.assertEqual({(c["executions"], c["compared"]) for c in constructs.values()}, {(2, 1)})

    def test_limit(self):
        done, constructs = self.run_program("last_row_left_out", "limit=20K")
        self.assertEqual({(c["compared"], c["left_out"]) for c in constructs.values()}, {(0, 2)})
        self.assertIn("bytes are on the device", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_memory_is_told_before_it_is_taken(self):
        done, _ = self.run_program("none")
        lines = [line for line in done.stderr.splitlines() if "of the host's memory" in line]
        self.assertRegex(
            lines[0],
            r"arrays of [\d.]+ kB are on the device: a verification takes up to [\d.]+ (kB|MB) of the host's memory, of which [\d.]+ GB are free",
        )
        self.assertEqual(len(lines), 1, "it is told again when it has doubled")
        self.assertEqual(done.stderr.splitlines()[0], lines[0])
        limited, _ = self.run_program("none", "limit=1K")
        self.assertNotIn("takes up to", limited.stderr)

    def test_too_little_memory_is_a_message(self):
        done, constructs = self.run_program("little_memory")
        self.assertEqual((done.returncode, done.stdout), (0, "right\n"), done.stderr)
        self.assertIn("16777216 bytes are on the device", done.stderr)
        self.assertNotIn("takes up to", done.stderr)
        self.assertEqual([(c["compared"], c["left_out"]) for c in constructs.values()], [(0, 1)])

    def test_tolerance_of_one_array(self):
        _, constructs = self.run_program("last_row_left_out", "trust-original,tolerance(v)=10")
        self.assertEqual(self.findings(constructs, "wrong"), set())
        _, constructs = self.run_program("last_row_left_out", "trust-original,tolerance(u)=10")
        self.assertEqual(self.findings(constructs, "wrong"), {"stencil"})

    def test_rank(self):
        done, _ = self.run_program("last_row_left_out", OMPI_COMM_WORLD_RANK="3")
        self.assertIn("gangway verify: rank 3: ", done.stderr)

    def test_mistakes(self):
        for wrong, named in (
            ("yes", '"yes" is none of 1, trust-original'),
            ("every=x", '"every=x" needs a number'),
            ("limit=-1", '"limit=-1" needs a number'),
        ):
            done, _ = self.run_program("none", wrong)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(named, done.stderr)
        done, _ = self.run_program("none", GANGWAY_MEMORY="shared")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "memory is shared|cannot reach host memory")  # a GPU's backend refuses it itself


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
