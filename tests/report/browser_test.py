# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens reports in a real browser, as a phone, a desktop and a printer show them, light and dark.

    browser_test.py [FOLDER]     also every page below FOLDER, such as command_test.py left there
"""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

import support

support.need_generator()

import make_report
import make_scaling
import samples
from browser import Browser, find_browser
from results import read
from support import WithFolder

PROGRAM = find_browser()
if PROGRAM is None:
    support.skip("there is no Chromium here (GANGWAY_BROWSER names one)")
PAGES = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None

WIDTHS = (320, 375, 768, 1280)
SCHEMES = ("light", "dark")

PROBE = Path(__file__).with_name("probe.js").read_text(encoding="utf-8")


class InABrowser(WithFolder):
    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = Browser(PROGRAM)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.browser.__exit__()

    def page(self, document: dict) -> Path:
        run = read(self.file("results.json", document))
        return self.file("out/index.html", make_report.render([run]))

    def look(self, page: Path, widths=WIDTHS, plots: int | None = None) -> None:
        """Everything that must hold of any page."""
        browser = self.browser
        browser.show(1280)
        browser.open(page)
        for width in widths:
            for scheme in SCHEMES:
                with self.subTest(page=page.parent.name, width=width, scheme=scheme):
                    browser.show(width, 800, scheme)
                    seen = browser.evaluate(PROBE)
                    self.assertEqual(seen["width"], width, "the page is wider than the screen")
                    self.assertEqual(seen["beyond"], [])
                    if plots is not None:
                        self.assertEqual(seen["plots"], plots)
                    for bad in ("cut", "faint", "faintInCells", "faintWords"):
                        self.assertEqual(seen[bad], [], bad)
                    for bad in ("flat", "faintMarks", "broken"):
                        self.assertEqual(seen[bad], 0, bad)
                    if seen["plots"]:
                        self.assertGreater(seen["texts"], 0)
                        self.assertGreater(seen["marks"] + (plots == 1), 0)
                        self.assertGreaterEqual(seen["smallest"], 7.5 if width < 375 else 8.5)
                    dark = sum(int(c) for c in seen["paper"][4:-1].split(",")[:3]) < 200
                    self.assertEqual(dark, scheme == "dark")
                    self.assertEqual(seen["levels"][0], 1)
                    for above, below in zip(seen["levels"], seen["levels"][1:]):
                        self.assertLessEqual(below, above + 1, "a heading's level is skipped")
        self.assertEqual(browser.problems, [])
        self.assertEqual(browser.requests, [page.resolve().as_uri()])

    def test_everything(self):
        page = self.page(samples.everything())
        self.look(page, plots=page.read_text().count('<svg class="plot"'))
        self.browser.show(375)
        self.assertGreater(self.browser.evaluate(PROBE)["scrolling"], 0)  # tables scroll on a phone

    def test_awkward(self):
        self.look(self.page(samples.hostile()))
        loaded = "document.scripts.length + document.images.length"
        self.assertEqual(self.browser.evaluate(loaded), 0)
        self.look(self.page(samples.document([])), plots=0)
        self.look(self.page(samples.document([], sweeps=[samples.sweep()])), plots=1)
        alone = samples.case("vadd", [samples.measurement("kokkos", "kernels", 1e-3)])
        self.look(self.page(samples.document([alone], gpu=False, openacc=False)), plots=1)

    def test_scaling(self):
        for name, document in (("scaling", samples.scaling()), ("hostile", samples.hostile_scaling())):
            text = make_scaling.render(make_scaling.read(self.file(f"{name}.json", document)))
            self.look(self.file(f"{name}/index.html", text), plots=1)

    def test_real(self):
        if PAGES is None:
            self.skipTest("no folder of pages was named")
        pages = sorted(PAGES.glob("*/index.html"))
        self.assertGreaterEqual(len(pages), 4)
        for page in pages:
            self.look(page, widths=(375, 1280))

    def test_print(self):
        browser = self.browser
        browser.open(self.page(samples.everything()))
        browser.show(1000, 800, "dark", "print")
        seen = browser.evaluate(PROBE)
        self.assertEqual(seen["paper"], "rgb(255, 255, 255)")  # whatever the screen's scheme
        self.assertEqual(seen["nav"], "none")
        self.assertEqual((seen["faint"], seen["faintWords"]), ([], []))
        file = self.folder / "page.pdf"
        browser.pdf(file)
        self.assertTrue(file.read_bytes().startswith(b"%PDF-"))
        self.assertEqual(browser.problems, [])

    def test_these_tests_can_fail(self):
        page = self.page(samples.document([samples.spmv()])).read_text()
        head = "</head>"
        allow = page.replace("default-src 'none'", "default-src * 'unsafe-inline'")

        def broken(text: str) -> dict:
            self.browser.show(375)
            self.browser.open(self.file("broken/index.html", text))
            return self.browser.evaluate(PROBE)

        broken(allow.replace(head, "<script>console.warn('hm')</script>" + head))
        self.assertIn("hm", str(self.browser.problems))
        broken(allow.replace(head, "<script>nonsense()</script>" + head))
        self.assertIn("exception", str(self.browser.problems))
        broken(page.replace(head, "<script>1</script>" + head))  # the page's own policy
        self.assertIn("Content Security Policy", str(self.browser.problems))
        broken(page.replace("<main>", '<main><img src="http://127.0.0.1:9/x.png" alt="">'))
        self.assertNotEqual(self.browser.problems, [])
        wide = broken(page.replace("<main>", '<main><div style="width: 2000px">wide</div>'))
        self.assertGreater(wide["width"], 375)
        self.assertNotEqual(wide["beyond"], [])
        pale = page.replace("--muted: #56616d", "--muted: #d0d0d0").replace("#17202a", "#eeeeee")
        pale = broken(pale)
        self.assertNotEqual(pale["faint"], [])
        self.assertNotEqual(pale["faintWords"], [])
        pale = broken(page.replace("--kokkos: #0068a8", "--kokkos: #e0e8f0"))
        self.assertGreater(pale["faintMarks"], 0)
        flat = broken(page.replace("block; width: 100%; height: auto;", "block; width: 9px;"))
        self.assertGreater(flat["flat"], 0)
        gone = broken(page.replace('href="#glance"', 'href="#nowhere"'))
        self.assertEqual(gone["broken"], 1)


if __name__ == "__main__":
    unittest.main()
