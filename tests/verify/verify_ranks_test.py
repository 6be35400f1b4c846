# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway::verify across ranks: each says its own findings, and one report has those of all.

RANKS is the program; its arguments are the ranks whose port is wrong.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

MPIRUN = shutil.which("mpirun")
SKIPPED = 77  # CTest's SKIP_RETURN_CODE


class Ranks(unittest.TestCase):
    def run_on_two(self, *wrong):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            done = subprocess.run(
                [MPIRUN, "-n", "2", "--oversubscribe", "--bind-to", "none", os.environ["RANKS"], *wrong],
                env={
                    **os.environ,
                    "GANGWAY_VERIFY": f"1,report={report}",
                    "OMP_NUM_THREADS": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                },
                capture_output=True, cwd=folder, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
            )  # fmt: skip
            lines = report.read_text().splitlines() if report.exists() else []
            found = {line["rank"]: line["constructs"] for line in map(json.loads, lines)}
            self.assertEqual(sorted(found), [0, 1], done.stderr)
            self.assertEqual(len(lines), 2)
            return done, found

    def test_the_findings_are_of_their_rank(self):
        for wrong in ("", "0", "1", "0 1"):
            with self.subTest(wrong=wrong):
                done, found = self.run_on_two(*wrong.split())
                for rank in (0, 1):
                    (construct,) = found[rank]
                    is_wrong = str(rank) in wrong
                    self.assertEqual((construct["compared"], construct["wrong"]), (1, int(is_wrong)))
                    self.assertEqual(
                        f"rank {rank}: " in "".join(line for line in done.stderr.splitlines() if "(scale): u" in line),
                        is_wrong, done.stderr,
                    )  # fmt: skip
                    if is_wrong:
                        self.assertIn(f"u differs from the original in 1 of {100 + rank} elements", construct["first"])
                self.assertEqual(done.returncode != 0, bool(wrong), done.stderr)


if __name__ == "__main__":
    if MPIRUN is None:
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
