# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway-bench: what it lists, what a run says, and what it returns.

    GANGWAY_BENCH=build/openmp/bin/gangway-bench python3 tests/bench/bench_test.py
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BENCH = Path(os.environ.get("GANGWAY_BENCH", "build/openmp/bin/gangway-bench")).resolve()
FAKES = BENCH.parent / "fake"  # OpenACC libraries that only pretend
REAL = BENCH.parent / "libgangway_openacc.so"
ENVIRONMENT = {**os.environ, "OMP_PROC_BIND": "false"}
ENVIRONMENT.pop("GANGWAY_OPENACC_LIBRARY", None)
ALONE = ("--openacc-library", "none")


def bench(*arguments: object, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(BENCH), *map(str, arguments)],
        capture_output=True,
        env={**ENVIRONMENT, **variables},
        text=True,
        timeout=600,
        check=False,
    )


class Listing(unittest.TestCase):
    def names(self, *arguments: object) -> list[str]:
        done = bench("--benchmark_list_tests", *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.removesuffix("/manual_time") for line in done.stdout.splitlines()]

    def test_names_are_study_case_model_variant_scope(self) -> None:
        names = self.names()
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            _, _, model, _, scope = name.split("/")
            self.assertIn(model, ("kokkos", "openacc", "yardstick"))
            self.assertIn(scope, ("kernel", "whole"))
        for name in ("spmv/guide/kokkos/default/kernel", "spmv/guide/openacc/default/whole",
                     "spmv/power-law/kokkos/auto/kernel"):  # fmt: skip
            self.assertIn(name, names)

    def test_each_of_several_openacc_libraries_is_a_model(self) -> None:
        names = self.names("--quick", "--benchmark_filter=^spmv/grid7/openacc.*/workers-4/kernel",
                           "--openacc-library", "a=x.so", "--openacc-library", "b=y.so")  # fmt: skip
        self.assertEqual(
            names, ["spmv/grid7/openacc[a]/workers-4/kernel", "spmv/grid7/openacc[b]/workers-4/kernel"]
        )

    def test_a_filter_chooses(self) -> None:
        names = self.names("--quick", "--benchmark_filter=^spmv/grid7/.*/workers-4/kernel")
        self.assertEqual(
            names, ["spmv/grid7/kokkos/workers-4/kernel", "spmv/grid7/openacc/workers-4/kernel"]
        )

    def test_needs_no_device(self) -> None:
        # Kokkos would end the program over this one, if it were asked.
        self.assertTrue(self.names("--kokkos-device-id=99", "--benchmark_filter=spmv/guide"))


class Usage(unittest.TestCase):
    def test_help(self) -> None:
        done = bench("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("STUDY/CASE/MODEL/VARIANT/SCOPE", "--benchmark_filter", "--openacc-library"):
            self.assertIn(word, done.stdout)

    def test_unknown_options(self) -> None:
        for option in ("--fast", "--benchmark_fliter=x", "spmv"):
            done = bench(option)
            self.assertEqual(done.returncode, 2, option)

    def test_several_libraries_need_labels(self) -> None:
        done = bench("--openacc-library", "a=x.so", "--openacc-library", "y.so")
        self.assertEqual(done.returncode, 2)
        self.assertIn("each needs a label here", done.stderr)

    def test_settings_of_kokkos(self) -> None:
        for setting, reason in (
            ({"KOKKOS_NUM_THREADS": "few"}, "KOKKOS_NUM_THREADS=few: give a whole number"),
            ({"KOKKOS_DEVICE_ID": "-1"}, "KOKKOS_DEVICE_ID=-1: give a whole number"),
        ):
            done = bench(*ALONE, **setting)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr.count("\n"), 1)
            self.assertIn(f"gangway-bench: {reason}", done.stderr)

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_a_device_of_openacc_that_is_not_there(self) -> None:
        done = bench("--quick", "--benchmark_filter=^vadd/.*/kokkos/kernels/kernel$", ACC_DEVICE_NUM="9")
        self.assertEqual(done.returncode, 2)
        self.assertIn("gangway-bench: ACC_DEVICE_NUM=9: OpenACC has ", done.stderr)

    def test_an_empty_name(self) -> None:
        done = bench("--openacc-library", "")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the name is empty", done.stderr)

    def test_a_full_standard_output(self) -> None:
        done = subprocess.run(
            ["sh", "-c", '"$0" --benchmark_list_tests > /dev/full', str(BENCH)],
            capture_output=True, env=ENVIRONMENT, text=True, timeout=600, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("gangway-bench: cannot write to the standard output", done.stderr)

    def test_quick_and_full(self) -> None:
        self.assertEqual(bench("--quick", "--full").returncode, 2)


class Run(unittest.TestCase):
    def results(self, *arguments: object, status: int = 0) -> dict:
        with tempfile.TemporaryDirectory(prefix="gangway-bench-") as folder:
            out = Path(folder) / "out.json"
            done = bench("--quick", "--benchmark_min_time=1x", f"--benchmark_out={out}", *arguments)
            self.assertEqual(done.returncode, status, done.stderr)
            return json.loads(out.read_text(encoding="utf-8"))

    def test_times_rates_and_provenance(self) -> None:
        # In both scopes, so that the problem is bound and let go again.
        results = self.results(*ALONE, "--benchmark_filter=^spmv/guide/kokkos/(auto|workers-4)/")
        context = results["context"]
        for name in ("gangway", "kokkos", "kokkos flags", "processor", "ceilings"):
            self.assertTrue(context[name], name)
        self.assertEqual(context["openacc"], "none")
        self.assertIn("triad", context["ceilings"])
        found = {run["name"].removesuffix("/iterations:1/manual_time").removesuffix("/manual_time"): run
                 for run in results["benchmarks"]}  # fmt: skip
        self.assertEqual(
            set(found),
            {f"spmv/guide/kokkos/{v}/{s}" for v in ("auto", "workers-4") for s in ("kernel", "whole")},
        )
        for run in found.values():
            self.assertGreater(run["real_time"], 0)
            for name in ("bytes_per_second", "items_per_second", "GB/s"):
                self.assertGreater(run[name], 0, name)
            self.assertAlmostEqual(run["GB/s"] * 1e9 / run["bytes_per_second"], 1, delta=0.05)
            if "share" in run:
                self.assertLess(run["share"], 2)
        self.assertIn(" x ", found["spmv/guide/kokkos/workers-4/kernel"]["label"])

    def test_a_failed_check_is_an_error_without_a_time(self) -> None:
        results = self.results("--openacc-library", FAKES / "host.so",
                               "--benchmark_filter=^spmv/grid7/openacc/default/kernel", status=1)  # fmt: skip
        (run,) = results["benchmarks"]
        self.assertTrue(run["error_occurred"])
        self.assertIn("failed its check: element ", run["error_message"])
        self.assertNotIn("bytes_per_second", run)

    def test_what_cannot_run_is_skipped_with_the_reason(self) -> None:
        results = self.results(*ALONE, "--benchmark_filter=^spmv/grid7/openacc/default/kernel")
        (run,) = results["benchmarks"]
        self.assertTrue(run["skipped"])
        self.assertIn("--openacc-library none", run["skip_message"])

    def test_a_missing_library_costs_the_exit_status(self) -> None:
        done = bench("--quick", "--openacc-library", "gone.so", "--benchmark_min_time=1x",
                     "--benchmark_filter=^spmv/grid7/openacc/default/kernel")  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("gone.so", done.stderr)
        self.assertIn("going on without OpenACC", done.stderr)

    def test_a_filter_that_chooses_nothing(self) -> None:
        self.assertEqual(bench(*ALONE, "--benchmark_filter=^nothing$").returncode, 2)


if __name__ == "__main__":
    unittest.main()
