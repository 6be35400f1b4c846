# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page that make_report.py makes of results, without a browser."""

from __future__ import annotations

import functools
import json
import re
import statistics
import tempfile
import unittest
import xml.etree.ElementTree as xml
from html.parser import HTMLParser
from pathlib import Path

import support

support.need_generator()

import drawing
import make_report
import plots
import results
import samples
from support import WithFolder

SVG = "{http://www.w3.org/2000/svg}"


def page_of(*documents: dict) -> str:
    return _page_of(*(json.dumps(d) for d in documents))


@functools.cache
def _page_of(*documents: str) -> str:
    runs = [run_of(json.loads(d), f"results-{i}.json") for i, d in enumerate(documents)]
    return make_report.render(runs)


def run_of(document: dict, name: str = "results.json") -> results.Run:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(json.dumps(document), encoding="utf-8")
        return results.read(path)


class Outline(HTMLParser):
    """What a page consists of."""

    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.ids: list[str] = []
        self.text = ""
        self.titles: list[str] = []  # of figures
        self._quiet = 0
        self._caption = False
        self.feed(page)
        self.text = re.sub(r"\s+", " ", self.text)

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.tags.append((tag, named))
        if "id" in named:
            self.ids.append(named["id"])
        self._quiet += tag in ("style", "svg")
        self.text += " " if tag in ("td", "th", "p", "li", "h2", "h3") else ""
        if tag == "strong" and self._caption:
            self.titles.append("")
        self._caption = tag == "figcaption" or (self._caption and tag == "strong")

    def handle_endtag(self, tag):
        self._quiet -= tag in ("style", "svg")
        if tag == "strong":
            self._caption = False

    def handle_data(self, data):
        if self._quiet == 0:
            self.text += data
        if self._caption and self.titles:
            self.titles[-1] += data


def drawings(page: str) -> list[str]:
    return re.findall(r'<svg class="plot".*?</svg>', page, flags=re.DOTALL)


class Page(WithFolder):
    """What must hold for every page."""

    DOCUMENTS = {
        "everything": samples.everything(),
        "hostile": samples.hostile(),
        "host": samples.document([samples.spmv()], gpu=False),
        "no OpenACC": samples.document(
            [samples.case("vadd", [samples.measurement("kokkos", "kernels", 1e-3)])], openacc=False
        ),
        "OpenACC alone": samples.document(
            [samples.case("vadd", [samples.measurement("openacc", "kernels", 1e-3)])]
        ),
        "failed": samples.document(
            [samples.case("vadd", [samples.failed("kokkos", "a"), samples.failed("openacc", "a")])]
        ),
        "skipped": samples.document(
            [
                samples.case(
                    "vadd", [samples.skipped("kokkos", "a"), samples.skipped("openacc", "a")]
                )
            ]
        ),
        "no variants": samples.document([samples.case("vadd", [])]),
        "empty": samples.document([]),
        "sweep only": samples.document([], sweeps=[samples.sweep()]),
        "no ceilings": {
            **samples.document([samples.case("vadd", samples.twins("kernels", 1e-3, 1e-3))]),
            "ceilings": dict.fromkeys(samples.ceilings(), 0.0),
        },
        "all that a file can know": samples.fair(),
        "two libraries": samples.two_libraries(),
        "all flagged": samples.document([samples.flagged()]),
        "one round": samples.document(
            [samples.case("vadd", samples.twins("kernels", 1e-9, 3e4, rounds=1))]
        ),
    }

    def test_is_whole_and_loads_nothing(self):
        for name, document in self.DOCUMENTS.items():
            with self.subTest(name):
                page = page_of(document)
                self.assertTrue(page.startswith("<!DOCTYPE html>\n"))
                self.assertTrue(page.endswith("</html>\n"))
                outline = Outline(page)
                for tag, attributes in outline.tags:
                    self.assertNotIn(tag, ("script", "img", "iframe", "object", "embed"))
                    self.assertNotIn("src", attributes)
                    self.assertFalse([a for a in attributes if a.startswith("on")], attributes)
                    for link in ("href", "xlink:href"):
                        self.assertRegex(attributes.get(link, "#"), r"^(#|data:,$)")
                self.assertNotRegex(page, r"url\((?!#)")
                self.assertNotIn("@import", page)

    def test_names_are_unique_and_links_lead_somewhere(self):
        for name, document in self.DOCUMENTS.items():
            with self.subTest(name):
                page = page_of(document)
                outline = Outline(page)
                self.assertEqual(len(outline.ids), len(set(outline.ids)))
                for tag, attributes in outline.tags:
                    for link in ("href", "xlink:href"):
                        target = attributes.get(link, "")
                        if target.startswith("#"):
                            self.assertIn(target[1:], outline.ids)
                    for label in attributes.get("aria-labelledby", "").split():
                        self.assertIn(label, outline.ids, tag)
                for target in re.findall(r"url\(#([^)]*)\)", page):
                    self.assertIn(target, outline.ids)

    def test_drawings_are_sound(self):
        for name, document in self.DOCUMENTS.items():
            with self.subTest(name):
                for svg in drawings(page_of(document)):
                    root = xml.fromstring(svg)
                    self.assertEqual(root.get("role"), "img")
                    self.assertTrue(root.find(f"{SVG}title").text)
                    self.assertTrue(root.find(f"{SVG}desc").text)
                    self.assertNotIn("width", root.attrib)
                    self.assertEqual(root.get("viewBox").split()[2], str(drawing.WIDTH))
                    self.assertNotIn("metadata", svg)
                    for stand_in in drawing.VARIABLES:
                        self.assertNotIn(stand_in, svg)
                    self.assertNotRegex(svg, r"\b(nan|inf)\b")
                    for text in root.iter(f"{SVG}text"):  # without a fill it is black on black
                        self.assertIn("fill", text.get("style"), text.text)

    def test_has_a_language_a_viewport_and_headers(self):
        outline = Outline(page_of(samples.everything()))
        self.assertIn(("html", {"lang": "en"}), outline.tags)
        self.assertIn("viewport", [a.get("name") for t, a in outline.tags if t == "meta"])
        for tag, attributes in outline.tags:
            if tag == "th":
                self.assertIn(attributes.get("scope"), ("row", "col"))
        tables = sum(tag == "table" for tag, _ in outline.tags)
        regions = [a for t, a in outline.tags if a.get("class") == "scroll"]
        self.assertEqual(tables, len(regions))
        for region in regions:  # reachable by keyboard, or nobody without a mouse can scroll it
            self.assertEqual((region["tabindex"], region["role"]), ("0", "region"))

    def test_is_the_same_for_the_same_results(self):
        first = page_of(samples.everything())
        _page_of.cache_clear()
        self.assertEqual(first, page_of(samples.everything()))


class Contents(unittest.TestCase):
    def test_everything(self):
        page = page_of(samples.everything())
        outline = Outline(page)
        titles = outline.titles
        for title in (
            "Best time of GCC's OpenACC over best Kokkos time",
            "Roofline of Some GPU",
            "Bytes a second on Some GPU",
            "spmv, guide: time ratios",
            "spmv, guide: vector length",
            "spmv, guide: workers",
            "spmv, power-law: vector length",
            "spmv, guide: workers × vector length, Kokkos",
            "transfer, usual: transfers of one run",
        ):
            self.assertIn(title, titles)
        self.assertEqual(len(titles), len(drawings(page)))
        self.assertIn("3 variants failed the check", outline.text)
        self.assertIn("element 3 is 4, not 5 (error not a number, tolerance 1)", outline.text)
        self.assertIn("OpenACC tile was skipped: this build lacks it", outline.text)
        self.assertIn("One shape only", outline.text)
        self.assertIn("at the right edge: pi.", outline.text)
        self.assertIn("(scope whole): transfer.", outline.text)
        self.assertIn("floating-point operations: primes.", outline.text)
        self.assertIn("1000 × 4 × 32", outline.text)
        self.assertIn("8 + 8 runs, error 0.250 of 1", outline.text)

    def test_numbers_are_those_of_the_results(self):
        document = samples.document([samples.spmv()])
        text = Outline(page_of(document)).text
        case = document["cases"][0]
        for comparison in case["comparisons"]:
            median, low, high = (
                results.digits(comparison["ratio"][part]) for part in ("median", "low", "high")
            )
            self.assertIn(f"{median} [{low}, {high}]", text, comparison)
        for m in case["measurements"]:
            self.assertIn(results.seconds_text(m["time"]["median"]), text)

    def test_a_failed_variant_has_no_time(self):
        run = run_of(
            samples.document(
                [
                    samples.case(
                        "vadd",
                        [samples.failed("kokkos", "a"), samples.measurement("openacc", "a", 1e-3)],
                    )
                ]
            )
        )
        text = Outline(make_report.render([run])).text
        self.assertIn("1 variant failed the check and has no time", text)
        self.assertIn("No variant has a time in both models, so there are no ratios.", text)
        self.assertIn("no case has a time of both models", text)
        self.assertNotIn("all were right", text)

    def test_what_is_absent_is_said(self):
        alone = samples.case("vadd", [samples.measurement("kokkos", "kernels", 1e-3)])
        text = Outline(page_of(samples.document([alone], gpu=False, openacc=False))).text
        for sentence in (
            "OpenACC was not measured: no OpenACC library was loaded.",
            "OpenACC was not measured in this case, so there are no ratios.",
            "There is no sweep in these results",
            "Nothing was transferred: host and device share memory here.",
            "No link between host and device was measured",
        ):
            self.assertIn(sentence, text)
        text = Outline(page_of(samples.document([samples.spmv()]))).text
        self.assertIn("data resident on the device (scope kernel)", text)
        text = Outline(page_of(Page.DOCUMENTS["no ceilings"])).text
        self.assertIn("No ceilings were measured, so there is no roofline.", text)
        text = Outline(page_of(samples.document([]))).text
        self.assertIn("No case was measured.", text)
        self.assertIn("No run was made", text)
        text = Outline(page_of(samples.document([samples.case("vadd", [])]))).text
        self.assertIn("No variant was run.", text)

    def test_one_thread_is_said(self):
        text = Outline(page_of(samples.document([samples.spmv()], gpu=False))).text
        self.assertIn("OpenACC ran on one host thread", text)
        text = Outline(page_of(samples.document([samples.spmv()]))).text
        self.assertNotIn("one host thread", text)

    def test_a_busy_machine_is_said(self):
        case = samples.spmv()
        case["noise"] = {"busy": True}
        case["comparisons"][0]["verdict"] = "machine busy"
        document = samples.document([case])
        document["noise"] = {"before": {"busy": False}, "ceilings": {"busy": True}}
        text = Outline(page_of(document)).text
        for sentence in (
            "other programs ran while the ceilings were measured and during 1 of 1 cases.",
            "The ceilings are too low",
            "the machine too busy to tell in 1",
            "no verdict: machine busy",
        ):
            self.assertIn(sentence, text)
        quiet = samples.document([samples.spmv()])
        quiet["noise"] = {"before": {"busy": False}}
        for document in (quiet, samples.document([samples.spmv()])):  # and from before it was looked at
            self.assertNotIn("The machine was busy", Outline(page_of(document)).text)

    def test_several_files(self):
        sweep = samples.document([samples.spmv("grid7")], sweeps=[samples.sweep()])
        sweep["provenance"]["kokkos"] = "4.6.0, Cuda"
        outline = Outline(page_of(samples.document([samples.spmv()]), sweep))
        self.assertIn("Roofline of Some GPU (results-0)", outline.titles)
        self.assertIn("Roofline of Some GPU (results-1)", outline.titles)
        self.assertIn("spmv · guide · results-0", outline.text)
        self.assertIn("kokkos 5.1.0, Cuda 4.6.0, Cuda", outline.text)  # a column each
        self.assertEqual(outline.text.count("nvcc 13.0 with GNU 12.2.0"), 1)  # both agree

    def test_the_same_case_twice(self):
        document = samples.document([samples.spmv()])
        runs = [run_of(document, "results.json"), run_of(document, "results.json")]
        text = make_report.render(runs)
        self.assertIn("spmv · guide · results (1)", text)
        self.assertIn("spmv · guide · results (2)", text)
        self.assertIn('id="case-spmv-guide-2"', text)

    def test_unknown_fields_do_no_harm(self):
        document = samples.document([samples.spmv()])
        document["news"] = {"a": 1}
        document["cases"][0]["more"] = []
        document["cases"][0]["measurements"][0]["energy_joules"] = 3.0
        document["ceilings"]["flops_half_per_second"] = 1e15
        self.assertEqual(page_of(document), page_of(samples.document([samples.spmv()])))


class Read(unittest.TestCase):
    """What is compared with what."""

    def test_files_of_before(self):
        case = run_of(samples.document([samples.spmv()])).cases[0]
        m = case.measurements[0]
        self.assertEqual((m.result, m.flag, m.library, m.label), ("", "", "", ""))
        self.assertEqual((case.openacc_cannot, case.tier, case.flagged), (None, "", []))
        self.assertFalse(results.flags_known([case]))
        self.assertEqual(case.libraries, [""])
        self.assertEqual(case.port.variant, "workers-" + case.port.other.split("-")[1])
        self.assertEqual(case.tuned.own, "kokkos:auto")

    def test_only_what_has_one_result_is_compared(self):
        case = run_of(samples.fair()).cases[0]
        self.assertEqual(case.best("openacc").variant, "team")  # though max is faster
        self.assertEqual((case.tuned.own, case.tuned.other), ("kokkos:team", "openacc:team"))
        self.assertEqual(len([c for c in case.comparisons if c.kind == "best"]), 2)
        self.assertEqual((case.port.own, case.port.flag), ("kokkos:sum", "sum"))
        self.assertEqual([column for column, _ in case.flagged], ["port"])
        self.assertEqual(case.yardstick.other, "yardstick:cub")

    def test_what_is_beyond_is_no_port(self):
        run = run_of(samples.fair())
        twins = {c.variant: c.is_port for c in run.cases[0].comparisons if c.kind == "twins"}
        self.assertEqual(twins, {"sum": True, "max": True, "team": False})
        (tally,) = results.port_tallies(run.cases).values()
        self.assertEqual((tally.all, tally.all_flagged), (3, 2))
        self.assertIn("below 1 in 1 of 3", tally.text)
        self.assertTrue(tally.text.endswith("not the model's, of these: 2 above"))

    def test_tiers(self):
        twin, graph = (case.tier for case in run_of(samples.fair()).cases)
        self.assertEqual((twin, graph), ("both", "cannot"))

        def tier(*own: dict, cannot=None) -> str:
            case = samples.case("vadd", samples.twins("a", 2e-3, 3e-3) + list(own), cannot=cannot)
            return run_of(samples.document([case])).cases[0].tier

        beyond = samples.measurement("kokkos", "b", 1e-3, beyond=True)
        tuned = samples.measurement("kokkos", "tuned", 1e-3, beyond=True)
        self.assertEqual(tier(cannot={}), "both")  # a stage
        self.assertEqual(tier(), "")  # a file of before does not know
        self.assertEqual(tier(beyond, cannot={}), "")
        self.assertEqual(tier(beyond, cannot={"b": "why"}), "cannot")
        self.assertEqual(tier(beyond, samples.skipped("openacc", "b"), cannot={}), "both")
        self.assertEqual(tier(tuned, cannot={}), "both")

    def test_two_libraries(self):
        run = run_of(samples.two_libraries())
        case = run.cases[0]
        self.assertEqual(case.libraries, ["gcc", "decompose"])
        self.assertEqual(case.best("openacc").name, "openacc[decompose]:fused")
        self.assertEqual(case.best("openacc", "gcc").name, "openacc[gcc]:fused")
        self.assertEqual(case.tuned.library, "decompose")
        self.assertEqual(case.comparison("best", library="gcc").library, "gcc")
        self.assertEqual(case.find("openacc", "kernels").label, "gcc")
        self.assertEqual(case.find("openacc", "kernels", "decompose").label, "decompose")
        tallies = results.port_tallies(run.cases)
        self.assertEqual({k: (t.all, t.all_flagged) for k, t in tallies.items()},
                         {"gcc": (7, 1), "decompose": (6, 0)})

    def test_one_library_is_not_named(self):
        case = run_of(samples.fair()).cases[0]
        m = case.best("openacc")
        self.assertEqual((m.library, m.label, m.name), ("gcc", "", "openacc:team"))

    def test_whose_openacc(self):
        facts = samples.provenance()
        other = {**facts, "openacc compiler": "nvc++ 26.3"}
        self.assertEqual(results.whose_openacc(facts), "GCC's OpenACC")
        self.assertEqual(results.whose_openacc(facts, other), "GCC's and nvc++'s OpenACC")
        self.assertEqual(results.whose_openacc(samples.provenance(openacc=False)), "OpenACC")
        both = samples.provenance(labels=("gcc", "decompose"))
        self.assertEqual(results.whose_openacc(both), "GCC's OpenACC")
        self.assertEqual([label for label, _ in results.libraries_of(both)], ["gcc", "decompose"])
        self.assertIn("decompose", results.libraries_of(both)[1][1]["flags"])


class Headline(unittest.TestCase):
    """The page's first section."""

    def glance(self, document: dict) -> str:
        page = page_of(document)
        return Outline(page[page.index('<h2 id="glance"') : page.index('<h2 id="environment"')]).text

    def test_is_led_by_the_ports_and_says_whose_openacc_it_is(self):
        outline = Outline(page_of(samples.fair()))
        self.assertIn("Kokkos against GCC's OpenACC on Some GPU", outline.text)
        text = self.glance(samples.fair())
        self.assertIn("time of GCC's OpenACC over time of Kokkos: below 1 in 1 of 3", text)
        self.assertNotIn("before it was noted", text)
        self.assertLess(text.index("below 1 in"), text.index("study and case"))
        self.assertIn("before it was noted", self.glance(samples.document([samples.spmv()])))

    def test_flags_and_tiers(self):
        text = self.glance(samples.fair())
        table = text[text.index("study and case") : text.index("Flagged, and neither")]
        self.assertRegex(table, r"reductions usual kernel sum below team \S+ µs team \S+ µs 1\.")
        self.assertIn("both port: sum", table)
        self.assertNotIn("jacobi", table)  # all of it is flagged
        below = text[text.index("Flagged, and neither") :]
        self.assertRegex(below, r"jacobi usual, best, kernels against graph [\d.]+ \[")
        self.assertIn("jacobi, graph: nothing records | kernels", below)
        self.assertNotIn("tier", self.glance(samples.document([samples.spmv()])))

    def test_two_libraries(self):
        text = self.glance(samples.two_libraries())
        self.assertIn("gcc: below 1 in 0 of 7", text)
        self.assertIn("decompose: below 1 in 0 of 6", text)
        self.assertIn("fused (decompose)", text)
        page = Outline(page_of(samples.two_libraries())).text
        self.assertIn("by GCC 16.1.0 (gcc) and by GCC 16.1.0 (decompose)", page)
        self.assertIn("OpenACC (decompose) rows", page)  # transfers
        self.assertRegex(page, r"parallel 99\.\d µs gcc \d+ µs .* decompose 1\d\d µs")

    def test_launch_shapes_of_openacc(self):
        text = Outline(page_of(samples.fair())).text
        self.assertEqual(text.count("launch, OpenACC:gangs × workers × lanes"), 1)  # of two cases
        self.assertIn("264 × 16 × 32", text)
        self.assertNotIn("launch, OpenACC", Outline(page_of(samples.everything())).text)

    def test_all_is_flagged(self):
        text = self.glance(samples.document([samples.flagged()]))
        self.assertIn("in all cases the compiler rather than the model", text)


class Drawn(unittest.TestCase):
    """The plots show what the results say."""

    def points(self, axes) -> list[tuple[float, float]]:
        return [
            (line.get_xdata()[0], line.get_ydata()[0])
            for line in axes.lines
            if line.get_linestyle() == "None" and len(line.get_xdata()) == 1
        ]

    def test_ratios(self):
        case = run_of(samples.document([samples.spmv()])).cases[0]
        axes = plots.ratios(case).drawing.figure.axes[0]
        shown = [c for c in case.comparisons if c.kind != "best"]
        self.assertEqual(
            sorted(x for x, _ in self.points(axes)), sorted(c.ratio.median for c in shown)
        )
        low, high = axes.get_xlim()
        self.assertLess(low, min(1, *(c.ratio.low for c in shown)))
        self.assertGreater(high, max(1, *(c.ratio.high for c in shown)))
        self.assertEqual(axes.get_xscale(), "log")

    def test_what_is_flagged_is_not_drawn(self):
        cases = run_of(samples.fair()).cases
        reductions, jacobi = cases
        drawn = [reductions.find("openacc", "team"), reductions.find("openacc", "max")]
        wanted = [c.ratio.median for c in reductions.comparisons if c.kind == "twins" and not c.flag]
        self.assertEqual(len(wanted), len(drawn))
        overview = plots.overview(cases, "here", "GCC's OpenACC")
        axes = overview.drawing.figure.axes[0]
        stages = [c.ratio.median for c in reductions.comparisons if c.is_port and not c.flag]
        self.assertEqual([x for x, _ in self.points(axes)], [statistics.median(stages)])
        rows = [label.get_text() for label in axes.get_yticklabels()]
        self.assertEqual(rows, ["jacobi", "reductions"])
        for said in (
            "jacobi, GCC's OpenACC / Kokkos: 1 that the compiler sets, up to 29",
            f"reductions, GCC's OpenACC / Kokkos: median {results.digits(stages[0])} of 1 stages",
        ):
            self.assertIn(said, overview.description)
        self.assertIn("GCC's OpenACC", overview.title)
        (summary,) = plots.summary([(c.study, c) for c in cases])
        self.assertEqual(len(self.points(summary.drawing.figure.axes[0])), 1)
        self.assertRegex(summary.caption, r"^Not drawn, as flagged: jacobi \d+ \(kernels\)\.$")
        ratios = plots.ratios(reductions)
        self.assertEqual(len(self.points(ratios.drawing.figure.axes[0])), 3)  # one the yardstick's
        self.assertIn("sum 32", ratios.caption)
        self.assertEqual(plots.summary([("jacobi", jacobi)]), [])

    def test_two_libraries_have_a_mark_each(self):
        cases = run_of(samples.two_libraries()).cases
        vadd, spmv, transfer, transpose = cases
        (summary,) = plots.summary([(c.study, c) for c in cases])
        self.assertEqual(len(self.points(summary.drawing.figure.axes[0])), 7)
        ratios = plots.ratios(vadd).drawing.figure.axes[0]
        markers = {line.get_marker() for line in ratios.lines if line.get_linestyle() == "None"}
        self.assertEqual(len(self.points(ratios)), 7)  # one of eight is flagged
        self.assertEqual(markers, {"o", "D"})
        overview = plots.overview(cases, "here").drawing.figure.axes[0]
        self.assertEqual(len(self.points(overview)), 4, "a median of the first library per study")
        both = [(k, c) for k in cases for c in k.comparisons if c.is_port and c.library == "decompose"]
        overview = plots.overview(cases, "here", "GCC's OpenACC", both).drawing.figure.axes[0]
        self.assertEqual(len(self.points(overview)), 4 + 3, "transpose has none of the second")
        lengths = plots.vector_lengths(spmv).drawing.figure.axes[0]
        self.assertEqual(len(self.points(lengths)), 9)
        bars = plots.transfers(transfer).drawing.figure.axes[0].patches
        self.assertEqual(len(bars), 6)
        self.assertEqual(len({bar.get_hatch() for bar in bars}), 3)
        self.assertEqual(len(self.points(plots.ratios(transpose).drawing.figure.axes[0])), 1)

    def test_many_cases_share_an_axis(self):
        cases = [
            samples.case("vadd", samples.twins("a", 1e-3 * (1 + i), 2e-2), f"n{i}")
            for i in range(60)
        ]
        run = run_of(samples.document(cases))
        made = plots.summary([(c.name, c) for c in run.cases])
        axes = [p.drawing.figure.axes[0] for p in made]
        self.assertEqual([len(self.points(a)) for a in axes], [20, 20, 20])
        self.assertEqual(len({a.get_xlim() for a in axes}), 1)

    def test_vector_lengths_are_relative_to_128(self):
        case = run_of(samples.document([samples.spmv()])).cases[0]
        axes = plots.vector_lengths(case).drawing.figure.axes[0]
        at = self.points(axes)
        self.assertEqual(sorted({x for x, _ in at}), [32, 64, 128, 256, 512, 1024])
        self.assertEqual([y for x, y in at if x == 128], [1, 1])
        for _, y in (p for p in at if p[0] == 32):
            self.assertAlmostEqual(y, 1 / 0.4, delta=0.15)
        self.assertEqual(len(at), 12)

    def test_workers_are_relative_to_one(self):
        case = run_of(samples.document([samples.spmv()])).cases[0]
        at = self.points(plots.worker_counts(case).drawing.figure.axes[0])
        self.assertEqual(sorted({x for x, _ in at}), [1, 2, 4, 8, 16, 32])
        self.assertEqual([y for x, y in at if x == 1], [1, 1])

    def test_no_figures_of_levels_where_there_are_none(self):
        case = run_of(samples.everything()).cases[2]
        self.assertIsNone(plots.vector_lengths(case))
        self.assertIsNone(plots.worker_counts(case))
        one = samples.case("spmv", samples.twins("vector-128", 1e-3, 1e-3))
        self.assertIsNone(plots.vector_lengths(run_of(samples.document([one])).cases[0]))

    def test_the_best_of_a_sweep_is_marked(self):
        from matplotlib import colormaps

        sweep = run_of(samples.document([], sweeps=[samples.sweep()])).sweeps[0]
        plot = plots.heat_map(sweep, colormaps["cividis"])
        axes = plot.drawing.figure.axes[0]
        marked = [t for t in axes.texts if "★" in t.get_text()]
        self.assertEqual(len(marked), 1)
        best = min((p for p in sweep.points if p.measurement.time), key=plots._point_time)
        workers, vectors = [1, 2, 4, 32], [1, 8, 32, 64]
        x, y = marked[0].get_position()
        self.assertEqual((workers[int(y)], vectors[int(x)]), (best.workers, best.vector))
        said = [t.get_text() for t in axes.texts]
        self.assertEqual(said.count("skipped"), 1)
        self.assertEqual(said.count("failed"), 1)
        self.assertEqual(said.count("–"), 1)  # 32 workers × 64 do not fit in a gang

    def test_cells_can_be_read_whatever_their_shade(self):
        from matplotlib import colormaps
        from matplotlib.colors import to_hex, to_rgb

        def luminance(colour):
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        for shade in range(1001):
            cell = to_rgb(to_hex(colormaps["cividis"](shade / 1000)))
            text = to_rgb(plots._readable_on(cell))
            dark, light = sorted((luminance(cell), luminance(text)))
            self.assertGreaterEqual((light + 0.05) / (dark + 0.05), 4.5, shade)

    def test_what_updates_in_place_has_a_slope_of_its_own(self):
        made = samples.document([samples.case("saxpy", samples.twins("unrolled", 1e-3, 1e-3))])
        self.assertFalse(plots.has_own_slope(run_of(made), run_of(made).cases[0]))
        made["cases"][0]["work"]["in_place"] = True
        self.assertFalse(plots.has_own_slope(run_of(made), run_of(made).cases[0]))
        made["ceilings"]["update_bytes_per_second"] = 4e12
        run = run_of(made)
        self.assertEqual((run.bandwidth, run.bandwidth_in_place), (3e12, 4e12))
        axes = plots.roofline(run, run.cases, "here").drawing.figure.axes[0]
        dashed = [line for line in axes.lines if line.get_linestyle() == "--"]
        self.assertEqual(len(dashed), 1)
        self.assertAlmostEqual(dashed[0].get_ydata()[0] / dashed[0].get_xdata()[0], 4e12, delta=1)

    def test_roofline(self):
        run = run_of(samples.everything())
        axes = plots.roofline(run, run.cases, "here").drawing.figure.axes[0]
        shown = [c for c in run.cases if c.scope == "kernel" and c.flops]
        want = [
            (min(c.flops / c.bytes, plots.MOST_INTENSE), c.flops / m.time.median)
            for c in shown
            for m in c.measurements
            if m.time
        ]
        self.assertEqual(sorted(self.points(axes)), sorted(want))
        roofs = [line for line in axes.lines if len(line.get_xdata()) == 2]
        self.assertIn([30e12, 30e12], [list(r.get_ydata()) for r in roofs])
        self.assertIn([51e12, 51e12], [list(r.get_ydata()) for r in roofs])
        low, high = axes.get_xlim()
        self.assertTrue(all(low < x < high for x, _ in want))

    def test_transfers(self):
        case = run_of(samples.document([samples.transfers()])).cases[0]
        counts, bytes_ = plots.transfers(case).drawing.figure.axes
        self.assertEqual(
            sorted(b.get_width() for b in counts.patches), [1, 1, 2, 2, 1000, 1000, 2000, 2000]
        )
        self.assertEqual(sorted({b.get_width() for b in bytes_.patches}), [4e6, 8e6])
        self.assertIsNone(plots.transfers(run_of(samples.document([samples.spmv()])).cases[0]))


    def test_transfers_that_nobody_reports(self):
        """What is not known is neither drawn nor written as 0."""
        raw = samples.transfers()
        for measurement in raw["measurements"]:
            if measurement["model"] == "openacc":
                measurement["transfers"] = None
        document = samples.document([raw])
        counts, _ = plots.transfers(run_of(document).cases[0]).drawing.figure.axes
        self.assertEqual(sorted(b.get_width() for b in counts.patches), [1, 2, 1000, 2000])
        self.assertEqual(page_of(document).count("not reported by its runtime"), 2)


class Texts(unittest.TestCase):
    def test_digits(self):
        for value, text in (
            (0, "0"),
            (1.9, "1.90"),
            (0.15606, "0.156"),
            (43.04, "43.0"),
            (99.96, "100"),
            (1234.5, "1230"),
            (4.4e-7, "4.40e-07"),
        ):
            self.assertEqual(results.digits(value), text)

    def test_seconds(self):
        for value, text in (
            (24.3e-6, "24.3 µs"),
            (999.9e-6, "1.00 ms"),
            (0.0138, "13.8 ms"),
            (0.9999, "1.00 s"),
            (93.2, "93.2 s"),
        ):
            self.assertEqual(results.seconds_text(value), text)

    def test_amounts(self):
        for value, text in ((8, "8 B"), (2784832320, "2.78 GB"), (3e12, "3.00 TB"), (0, "0 B")):
            self.assertEqual(results.amount_text(value, "B"), text)

    def test_interval(self):
        estimate = plots.bootstrap_median([1.0] * 20 + [1.1] * 21)
        self.assertEqual(estimate.median, 1.1)
        self.assertLess(estimate.low, 1.1)
        few = plots.bootstrap_median([3.0, 1.0, 2.0])
        self.assertEqual((few.low, few.median, few.high), (1.0, 2.0, 3.0))
        # Ranks from tables of the sign test, and of many values by its normal approximation.
        for count, rank in ((6, 1), (9, 2), (21, 6), (100, 40)):
            estimate = plots.bootstrap_median(list(range(1, count + 1)))
            self.assertLessEqual(estimate.low, rank)
            self.assertGreaterEqual(estimate.high, count + 1 - rank)
        many = plots.bootstrap_median(list(range(1, 200_001)))
        self.assertTrue(abs(many.low - 99562) < 4 and abs(many.high - (200_001 - 99562)) < 4, many)

    def test_ticks(self):
        for low, high in ((0.9, 1.1), (0.5, 2), (0.1, 10), (1e-4, 1e4), (1e8, 1e14), (0.99, 1.02)):
            ticks = drawing.log_ticks(low, high)
            self.assertTrue(2 <= len(ticks) <= 7, (low, high, ticks))
            self.assertTrue(all(low * 0.999 <= t <= high * 1.001 for t in ticks))

    def test_labels_do_not_touch(self):
        for places in ([], [0.5], [0.5, 0.5, 0.5], [0, 0.01, 0.02, 0.9], [0.1, 0.5, 0.51, 0.52]):
            moved = plots.spaced(places, 0.1)
            self.assertEqual(len(moved), len(places))
            for a, b in zip(moved, moved[1:]):
                self.assertGreaterEqual(b - a, 0.1 - 1e-12)
        self.assertEqual(plots.spaced([0.0, 0.5], 0.1), [0.0, 0.5])


class Command(WithFolder):
    def test_writes_one_file(self):
        data = self.file("r.json", samples.everything())
        done = support.make_report(data, "-o", self.folder / "new" / "out")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        made = list((self.folder / "new" / "out").iterdir())
        self.assertEqual([f.name for f in made], ["index.html"])
        self.assertGreater(made[0].stat().st_size, 10_000)

    def test_bad_input(self):
        damaged = samples.everything()
        del damaged["cases"][0]["measurements"][0]["model"]
        for name, content, says in (
            ("none.json", None, "No such file"),
            ("text.json", "hello", "is not JSON"),
            ("list.json", "[1]", "is not in the form gangway-results/1"),
            ("other.json", '{"schema": "gangway-results/9"}', "it says gangway-results/9"),
            ("damaged.json", damaged, "damaged or incomplete: KeyError('model')"),
        ):
            with self.subTest(name):
                path = self.file(name, content) if content else self.folder / name
                done = support.make_report(path, "-o", self.folder / "out")
                self.assertEqual(done.returncode, 2)
                self.assertIn(says, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertFalse((self.folder / "out").exists())

    def test_a_failure_leaves_the_old_page(self):
        old = self.file("out/index.html", "old")
        done = support.make_report(self.file("bad.json", "{"), "-o", self.folder / "out")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(old.read_text(), "old")
        self.assertEqual([f.name for f in old.parent.iterdir()], ["index.html"])

    def test_no_place_for_it(self):
        data = self.file("r.json", samples.document([]))
        for place in (data, data / "below", "/proc/nowhere"):
            done = support.make_report(data, "-o", place)
            self.assertEqual(done.returncode, 2)
            self.assertIn("cannot write", done.stderr)

    def test_usage(self):
        self.assertEqual(support.make_report().returncode, 2)
        self.assertEqual(support.make_report("r.json").returncode, 2)
        done = support.make_report("--check")
        self.assertEqual((done.returncode, done.stdout), (0, "ready\n"))


if __name__ == "__main__":
    unittest.main()
