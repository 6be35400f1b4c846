# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's tables and pictures are of the committed results; to see that takes Python alone."""

from __future__ import annotations

import re
import sys
import unittest
import xml.etree.ElementTree

import samples
import support
from support import WithFolder

TOOL = support.GENERATOR / "readme_table.py"
PLOT = support.GENERATOR / "readme_plot.py"
DRAWS = support.run(sys.executable, support.GENERATOR / "make_report.py", "--check").returncode == 0
ROOT = support.GENERATOR.parents[1]
MARKS = "<!-- results:begin results -->\nold\n<!-- results:end -->"


class Table(WithFolder):
    def setUp(self) -> None:
        super().setUp()
        self.readme = self.file("README.md", f"# Title\n\nbefore \\1\n{MARKS}\nafter\n")
        document = samples.document(
            [
                samples.spmv(),
                samples.transfers(),
                samples.case("vadd", [samples.failed("kokkos", "a|b")]),
            ]
        )
        self.file("results/compare.json", document)

    def tool(self, *more: object):
        return support.run(sys.executable, TOOL, "--readme", self.readme, *more)

    def test_writes_between_the_marks(self):
        done = self.tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = self.readme.read_text()
        self.assertTrue(text.startswith("# Title\n\nbefore \\1\n<!-- results:begin results -->\n"))
        self.assertTrue(text.endswith("\n<!-- results:end -->\nafter\n"))
        self.assertNotIn("\nold\n", text)
        for said in ("**Some GPU**, 2026-01-02", "OpenACC by **GCC 16.1.0**", "| spmv | guide |"):
            self.assertIn(said, text)
        self.assertIn("| transfer | usual (whole) |", text)
        self.assertIn("failed its check", text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len({line.replace("\\|", "").count("|") for line in rows}), 1)

    def test_check(self):
        self.assertEqual(self.tool("--check").returncode, 1)
        before = self.readme.read_text()
        self.assertIn("old", before)
        self.tool()
        self.assertEqual(self.tool("--check").returncode, 0)
        written = self.readme.read_text()
        digit = written.index("ms") - 2
        self.readme.write_text(written[:digit] + "9" + written[digit + 1 :])
        drifted = self.tool("--check")
        self.assertEqual(drifted.returncode, 1)
        self.assertIn("is not that of", drifted.stderr)

    def test_a_sweep_is_no_head_to_head(self):
        self.file(
            "results/sweep.json",
            samples.document([samples.case("swept", samples.twins("a", 1, 2))], sweeps=[]),
        )
        self.tool()
        self.assertIn("swept", self.readme.read_text())  # without a sweep in it
        self.file(
            "results/sweep.json",
            samples.document(
                [samples.case("swept", samples.twins("a", 1, 2))], sweeps=[samples.sweep()]
            ),
        )
        self.tool()
        self.assertNotIn("swept", self.readme.read_text())

    def test_two_compilers_have_a_table_each(self):
        other = samples.document([samples.spmv()])
        other["provenance"]["openacc compiler"] = "NVHPC 26.3"
        self.file("results/nvhpc.json", other)
        self.tool()
        text = self.readme.read_text()
        self.assertEqual(text.count("| study |"), 2)
        self.assertIn("OpenACC by **NVHPC 26.3**", text)

    def test_each_pair_of_marks_has_its_folder(self):
        alone = samples.case("alone", samples.twins("a", 1, 2))
        self.file("other/compare.json", samples.document([alone]))
        self.readme.write_text(f"{MARKS}\n{MARKS.replace('begin results', 'begin other')}\n")
        self.assertEqual(self.tool().returncode, 0)
        first, second = self.readme.read_text().split("<!-- results:begin other -->")
        self.assertIn("| spmv |", first)
        self.assertNotIn("| alone |", first)
        self.assertIn("| alone |", second)

    def test_bad_input(self):
        self.readme.write_text("no marks")
        done = self.tool()
        self.assertEqual(done.returncode, 2)
        self.assertIn("needs the lines", done.stderr)
        self.readme.write_text(MARKS + "\n<!-- results:end -->\n")
        self.assertEqual(self.tool().returncode, 2)
        self.readme.write_text(MARKS)
        self.file("results/compare.json", samples.document([], openacc=False))
        done = self.tool()
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results of both models", done.stderr)
        self.file("results/compare.json", "{")
        self.assertEqual(self.tool().returncode, 2)


class Picture(WithFolder):
    def setUp(self) -> None:
        super().setUp()
        self.results = self.file("results/compare.json", samples.document([samples.spmv()]))

    def tool(self, *more: object):
        return support.run(sys.executable, PLOT, *more, self.results.parent)

    @unittest.skipUnless(DRAWS, "no matplotlib or Jinja2")
    def test_is_of_its_results(self):
        missing = self.tool("--check")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("are not of its results", missing.stderr)
        done = self.tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.tool("--check").returncode, 0)
        pictures = sorted(self.results.parent.glob("*.svg"))
        self.assertEqual([p.name for p in pictures], ["best-1.svg"])
        root = xml.etree.ElementTree.parse(pictures[0]).getroot()
        self.assertIn("spmv guide", "".join(root.itertext()))
        colours = [line for line in pictures[0].read_text().splitlines() if "--kokkos:" in line]
        self.assertEqual(len(colours), 2, "light and dark")
        other = samples.case("vadd", samples.twins("a", 1, 2))
        self.file("results/compare.json", samples.document([other]))
        self.assertEqual(self.tool("--check").returncode, 1)

    def test_bad_input(self):
        self.file("results/compare.json", samples.document([], openacc=False))
        done = self.tool("--check")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no results of both models", done.stderr)
        self.file("results/compare.json", "{")
        self.assertEqual(self.tool("--check").returncode, 2)


class OurReadme(unittest.TestCase):
    def test_is_up_to_date(self):
        done = support.run(sys.executable, TOOL, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_its_pictures_are_of_the_results(self):
        text = (ROOT / "README.md").read_text()
        shown = {ROOT / file for file in re.findall(r'src="(\S+/best-\d+\.svg)"', text)}
        self.assertTrue(shown)
        for folder in {file.parent for file in shown}:
            done = support.run(sys.executable, PLOT, "--check", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            there = set(folder.glob("best-*.svg"))
            self.assertEqual(there, {file for file in shown if file.parent == folder})


if __name__ == "__main__":
    unittest.main()
