# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `gangway scale`, of made-up results: what it says, how the model is marked, and what it
refuses."""

from __future__ import annotations

import html
import json
import re
import sys
import unittest

import support

support.need_generator()

import make_scaling
import samples
from results import ResultsError
from support import GENERATOR, WithFolder, run


class Pages(WithFolder):
    def render(self, document: dict) -> str:
        return make_scaling.render(make_scaling.read(self.file("results.json", document)))

    def test_says_what_was_measured(self):
        page = html.unescape(self.render(samples.scaling()))
        for words in ("8.00 ms", "0.800 [0.720, 0.880]", "suspicious: above 1 by more than noise", "n=64", "4 on 1 host",
                      "on 2 ranks several share a device"):  # fmt: skip
            self.assertIn(words, page)
        self.assertEqual(page.count('<svg class="plot"'), 1)
        self.assertIn("Kokkos, measured: 1.00 on 1, 0.800 on 2, 0.800 on 4", page)

    def test_the_model_is_marked_wherever_it_appears(self):
        page = html.unescape(self.render(samples.scaling()))
        self.assertIn(f"Dashed and hollow: {samples.SCALING_MODEL}.", page)
        self.assertIn("hollow: model", page)
        self.assertIn("Kokkos staged, model: 0.500 on 8, 0.500 on 64, 0.500 on 1024", page)
        section = page[page.index('<h2 id="model"') :]
        self.assertIn(f"All of this section is {samples.SCALING_MODEL}", section)
        for table in re.findall(r'<p class="caption" id="table-(?:prices|model)">(.*?)</p>', section):
            self.assertTrue(table.startswith("Model:"), table)
        self.assertIn("3.00 TB/s", section)
        self.assertIn("not seen", section)
        self.assertIn("model 2.00 ms, measured 2.50 ms, -20.0 %", section)
        self.assertIn("latency (80 %)", section)
        self.assertIn("no model: 2 runs are too few", section)
        before = page[: page.index('<h2 id="model"')]
        self.assertNotIn("1024", re.sub(r"<svg.*?</svg>", "", before, flags=re.DOTALL))

    def test_without_any_model_there_is_no_line_of_one(self):
        document = samples.scaling()
        document["models"] = [{**document["models"][1], **{"model": m["model"]}} for m in document["models"]]
        page = self.render(document)
        self.assertNotIn("hollow", page)
        self.assertNotIn("table-model", page)

    def test_labels_are_escaped(self):
        page = self.render(samples.hostile_scaling())
        self.assertNotIn("<script", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertIn(samples.MARKUP, html.unescape(page))

    def test_loads_nothing(self):
        page = self.render(samples.scaling())
        self.assertIn("default-src 'none'", page)
        for reference in re.findall(r'(?:src|href)="([^"]*)"', page):
            self.assertTrue(reference.startswith(("#", "data:")), reference)

    def test_is_the_same_each_time(self):
        self.assertEqual(self.render(samples.scaling()), self.render(samples.scaling()))


class Mistakes(WithFolder):
    def refused(self, document: object, said: str) -> None:
        with self.assertRaisesRegex(ResultsError, said):
            make_scaling.read(self.file("results.json", document))

    def test_what_is_no_such_file(self):
        self.refused("{", "is not JSON")
        self.refused([], "is not in the form gangway-scaling/1")
        self.refused({"schema": "gangway-results/1"}, "it says gangway-results/1")
        for name in ("series", "models", "runs", "problems"):
            document = samples.scaling()
            del document[name]
            self.refused(document, "is damaged or incomplete")
        document = samples.scaling()
        document["runs"] = []
        self.refused(document, "is damaged or incomplete")

    def test_the_program(self):
        script = GENERATOR / "make_scaling.py"
        self.assertEqual(run(sys.executable, "-B", script, "--check").stdout, "ready\n")
        good = self.file("results.json", samples.scaling())
        done = run(sys.executable, "-B", script, good, "-o", self.folder / "page")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.folder / "page" / "index.html").exists())
        bad = self.file("bad.json", json.dumps({}))
        done = run(sys.executable, "-B", script, bad, "-o", self.folder / "none")
        self.assertEqual(done.returncode, 2)
        self.assertIn("make_scaling: ", done.stderr)
        self.assertFalse((self.folder / "none").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
