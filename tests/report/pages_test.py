# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages' numbers and the README's picture are of the committed results; to see that takes Python
alone."""

from __future__ import annotations

import csv
import json
import re
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

import samples
import support
from support import WithFolder

import add_results
import make_pages
import results
import sets
import studies
from results import ResultsError

TOOL = support.GENERATOR / "make_pages.py"
DRAWS = support.run(sys.executable, support.GENERATOR / "make_report.py", "--check").returncode == 0
ROOT = support.GENERATOR.parents[1]
HEADLINE = "<!-- results: summary gpu -->\nold\n<!-- results end -->"
PORTS = "<!-- results: ports gpu -->\n<!-- results end -->\n"


class WithProject(WithFolder):
    """A project of one set of results and a page; `other` is a second set, which no page shows."""

    def setUp(self) -> None:
        super().setUp()
        self.file("bench/results/current.json", {"gpu": "some/usual", "host": "other/usual"})
        self.results_of(
            "some",
            samples.document(
                [
                    samples.spmv(),
                    samples.transfers(),
                    samples.case("vadd", [samples.failed("kokkos", "a|b")]),
                ]
            ),
        )
        alone = samples.case("alone", samples.twins("a", 1, 2))
        self.results_of("other", samples.document([alone], gpu=False))
        self.readme = self.page(f"# Title\n\nbefore \\1\n{HEADLINE}\nafter\n")

    def results_of(self, device: str, document: dict | str, file: str = "compare") -> None:
        """The device's set, of this file and of those that came before it."""
        self.file(f"runs/{device}/{file}.json", document)
        runs = sorted((self.folder / "runs" / device).glob("*.json"))
        add_results.put(self.folder / "bench" / "results" / device, "usual", runs)

    def page(self, text: str, name: str = "README.md"):
        return self.file(name, text)

    def tool(self, *more: object):
        return support.run(sys.executable, TOOL, "--root", self.folder, *more)

    def made(self, text: str, name: str = "README.md") -> str:
        """The page of that text."""
        page = self.page(text, name)
        done = self.tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return page.read_text()

    def studies(self) -> dict[str, str]:
        """The pages for the site, by name."""
        folder = self.folder / "studies"
        done = self.tool("--studies", folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {file.stem: file.read_text() for file in folder.glob("*.md")}

    def refused(self, text: str, *said: str) -> None:
        """What cannot be made changes no page."""
        page = self.page(text)
        done = self.tool()
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(page.read_text(), text)
        for part in said:
            self.assertIn(part, done.stderr)


class Marks(WithProject):
    def test_writes_between_the_marks(self):
        done = self.tool()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        text = self.readme.read_text()
        self.assertTrue(text.startswith("# Title\n\nbefore \\1\n<!-- results: summary gpu -->\n"))
        self.assertTrue(text.endswith("\n<!-- results end -->\nafter\n"))
        self.assertNotIn("\nold\n", text)
        for said in ("| spmv | guide |", "| transfer | usual (whole) |"):
            self.assertIn(said, text)
        rows = [line for line in text.splitlines() if line.startswith("|")]
        self.assertEqual(len({line.replace("\\|", "").count("|") for line in rows}), 1)

    def test_check(self):
        self.assertEqual(self.tool("--check").returncode, 1)
        before = self.readme.read_text()
        self.assertIn("old", before)
        self.tool()
        self.assertEqual(self.tool("--check").returncode, 0)
        written = self.readme.read_text()
        digit = written.index("[") - 2
        self.readme.write_text(written[:digit] + "9" + written[digit + 1 :])
        drifted = self.tool("--check")
        self.assertEqual(drifted.returncode, 1)
        self.assertIn("README.md is out of date", drifted.stderr)

    def test_a_sweep_is_no_head_to_head(self):
        def swept(**more) -> str:
            case = samples.case("swept", samples.twins("a", 1, 2))
            self.results_of("some", samples.document([case], **more), "sweep")
            return self.made(HEADLINE)

        self.assertIn("swept", swept(sweeps=[]))  # without a sweep in it
        self.assertNotIn("swept", swept(sweeps=[samples.sweep()]))

    def test_two_compilers_have_a_table_each(self):
        other = samples.document([samples.spmv()])
        other["provenance"]["openacc compiler"] = "NVHPC 26.3"
        self.results_of("some", other, "nvhpc")
        pages = self.studies()
        self.assertEqual(pages["spmv"].count("| guide | kernel |"), 2)
        self.assertIn("OpenACC by **NVHPC 26.3**", pages["device-some"])

    def test_a_case_that_was_measured_again_counts_once(self):
        for date, name in (("2026-03-01", "after"), ("2025-03-01", "before")):
            again = samples.document([samples.case("again", samples.twins("a", 1, 2))])
            again["provenance"] |= {"date": f"{date}T10:00:00Z", "gangway": f"0.2.0 {name}"}
            self.results_of("some", again, name)
        self.assertEqual(self.made(HEADLINE).count("| again |"), 1)
        text = self.studies()["device-some"]
        self.assertIn("**, 2026-03-01, Gangway 0.2.0 after.", text)
        self.assertNotIn("0.2.0 before", text)

    def test_the_headline_of_what_a_file_can_know(self):
        self.results_of("some", samples.fair())
        lead = self.made(PORTS)
        self.assertIn("time of GCC's OpenACC over time of Kokkos: below 1 in 1 of 3", lead)
        self.assertIn("not the model's, of these: 2 above; median 32", lead)
        self.assertRegex(self.made(HEADLINE), r"\| `kernels` \*\*\d+ \[.*?\]\*\*, flagged `kernels` \|")
        pages = self.studies()
        row, _ = pages["reductions"].split("Flagged:")
        self.assertIn("| tier | flag |", row)
        self.assertRegex(row, r"\| usual .* \| `sum` below \| `team` .* \| both \| port: `sum` \|")
        self.assertRegex(row, r"\| 50 %, 50 % bandwidth \| `cub` ")
        row, flagged = pages["jacobi"].split("Flagged:")
        self.assertNotIn("| usual |", row)
        self.assertIn("jacobi usual, best, `kernels` against `graph` **6", flagged)
        self.assertIn("- jacobi `graph`: nothing records \\| kernels", flagged)

    def test_a_ratio_of_too_few_rounds_has_no_verdict(self):
        made = samples.document([samples.case("vadd", samples.twins("a", 1, 1.001, rounds=1), cannot={})])
        made["cases"][0]["comparisons"][0]["verdict"] = "no difference"
        self.results_of("some", made)
        said = "no difference shown in 0, above 1 in 0 (Kokkos faster), too few rounds to tell in 1"
        self.assertIn(said, self.made(PORTS))

    def test_files_of_before(self):
        self.assertIn("before it was noted where the compiler", self.made(PORTS))
        text = self.studies()["spmv"]
        self.assertNotIn("| tier |", text)
        self.assertNotIn("Flagged:", text)

    def test_two_libraries_have_a_column_or_a_row_each(self):
        self.results_of("some", samples.two_libraries())
        text = self.made(PORTS)
        self.assertIn("- `gcc`: below 1 in 0 of 7", text)
        self.assertIn("- `decompose`: below 1 in 0 of 6", text)
        pages = self.studies()
        said = "(`gcc`), and by **GCC 16.1.0** with `--param=openacc-kernels=dec"
        self.assertIn(said, pages["device-some"])
        self.assertRegex(pages["vadd"], r"\| usual .* \| `fused` \d+ µs \(decompose\) \|")
        self.assertIn("| OpenACC (gcc) | OpenACC / Kokkos [95 %] | OpenACC (decompose) |", pages["vadd"])
        self.assertIn("| `kernels` (gcc) |", pages["vadd"])
        text = self.made(
            "<!-- results: lessons gpu\nno `kernels` | vadd | kernels | parallel\n-->\n"
            "<!-- results end -->\n"
        )
        self.assertRegex(text, r": `kernels` → `parallel` \| \S+ \| [45]\d\d \|")
        text = self.made(
            "<!--= gpu vadd openacc:kernels --><!--/--> <!--= gpu vadd openacc[decompose]:kernels "
            "--><!--/--> <!--= gpu vadd openacc:* --><!--/--> <!--= gpu vadd openacc[gcc]:* --><!--/-->"
            "<!--: gpu vadd openacc[decompose]:kernels < 0.1 openacc[gcc]:kernels -->\n"
        )
        said = make_pages.VALUE.sub(lambda found: found[2], text)
        self.assertRegex(said, r"^7\d\.\d ms 19\d µs 13\d µs 14\d µs")
        self.refused(
            "<!--= gpu vadd openacc[nvc++]:kernels --><!--/-->", "no time of openacc[nvc++]:kernels"
        )

    def test_counts(self):
        self.results_of("some", samples.two_libraries())

        def counted(*what: str) -> list[str]:
            marks = " ".join(f"<!--= gpu count {each} --><!--/-->" for each in what)
            return [found[1] for found in make_pages.VALUE.findall(self.made(marks + "\n"))]

        self.assertEqual(
            counted("twins all", "twins all gcc", "twins all decompose", "twins flagged",
                    "twins flagged decompose"),
            ["13", "7", "6", "1", "0"],
        )
        self.assertEqual(counted("beyond all", "beyond faster gcc"), ["2", "1"])
        self.assertEqual(counted("best all", "best all gcc", "best all decompose"), ["4", "4", "3"])
        self.refused("<!--= gpu count twins all nvc++ --><!--/-->", "no library nvc++", "gcc")
        self.results_of("some", samples.fair())
        self.assertEqual(counted("twins slower", "best all", "beyond all gcc"), ["1", "2", "1"])

    def test_a_flag_follows_from_the_launched_shape(self):
        """GCC leaves `kernels` to one thread in its mode decompose, too, and the file says none."""

        def flagged(gangs: int, label: str) -> str:
            made = samples.two_libraries()
            for m in made["cases"][0]["measurements"]:
                if m.get("library") == "decompose" and m["variant"] == "kernels":
                    numbers = (gangs, 1, 32)
                    m["shapes"] = [dict(zip(("gangs", "team_size", "vector_length"), numbers))]
            self.results_of("some", made)
            text = self.made(f"<!--= gpu count twins flagged {label} --><!--/-->\n")
            return make_pages.VALUE.search(text)[2]

        self.assertEqual(flagged(1, "decompose"), "1")
        self.assertEqual(flagged(264, "decompose"), "0")
        self.assertEqual(flagged(264, "gcc"), "1")

    def test_the_control_stands_beside_gccs_ratio(self):
        """It has a column of its own, and is no OpenACC whose best counts."""
        self.assertNotIn("control", self.made(HEADLINE))
        made = json.loads(json.dumps(samples.two_libraries()).replace("decompose", "port"))
        made["provenance"]["openacc[port] compiler"] = "port to Kokkos"
        self.results_of("some", made)
        text = self.made(PORTS)
        self.assertIn("time of GCC's OpenACC over", text)
        self.assertRegex(text, r"- `port`: below 1 in 0 of 6 .*; median ")
        text = self.made(
            "<!-- results: stages gpu\na stage | vadd | kernels | so\n-->\n<!-- results end -->\n"
        )
        self.assertRegex(text, r"\| a stage \| `vadd` usual: `kernels` \| .* \| \*\*7.*\| \*\*1.*\| so \|")
        text = self.made(HEADLINE)
        self.assertIn("| control: `gangway port` / Kokkos", text)
        self.assertRegex(text, r"\| vadd .* \| `parallel` \(gcc\) .* \| \*\*1\.[56]\S* \[")
        self.assertRegex(text, r"\| spmv .* \| `vector-32` \(gcc\) \*\*1\.2\S* \[.*?\| \*\*1\.[45]")
        self.assertNotIn("(port)", text)
        said = make_pages.VALUE.sub(lambda found: found[2], self.made("<!--= gpu count best all --><!--/-->"))
        self.assertEqual(said, "4")

    def test_a_yardstick_is_set_against_the_same_work(self):
        other = samples.spmv()
        best = min(
            (m for m in other["measurements"] if m["model"] == "kokkos" and m.get("time")),
            key=lambda m: m["time"]["median"],
        )
        best["share"] = {"of": "it reads less"}
        divides = samples.case(
            "primes",
            samples.twins("a", 1e-3, 2e-3)
            + [samples.measurement("yardstick", "cuda", 3e-3, beyond=True)],
        )
        self.results_of("some", samples.document([other, divides]))
        text = self.studies()["device-some-ratios"]
        self.assertRegex(text, r"\| `auto` \S+ .s is no match: it reads less \|")
        self.assertRegex(text, r"\| `primes` .* \| it divides, `balanced` multiplies \|")
        row = next(line for line in self.made(HEADLINE).splitlines() if line.startswith("| primes"))
        self.assertIn("| `cuda`: another algorithm |", row)

    def test_medians(self):
        self.results_of("some", samples.two_libraries())
        asked = ("median twins gcc", "median twins unflagged gcc", "tuning all", "tuning wider")
        marks = " ".join(f"<!--= gpu {each} --><!--/-->" for each in asked)
        ratios = [750, 1.5, 1.25, 1.25, 1.25, 2, 4]  # of `gcc`, as the sample has them
        found = [float(v[1]) for v in make_pages.VALUE.findall(self.made(marks + "\n"))]
        self.assertAlmostEqual(found[0], sorted(ratios)[3], delta=0.1)
        self.assertAlmostEqual(found[1], (1.25 + 1.5) / 2, delta=0.1)
        self.assertEqual(found[2:], [4, found[3]])
        self.refused("<!--= gpu median twins nvc++ --><!--/-->", "no library nvc++")
        self.refused("<!--= gpu median nothing --><!--/-->", "median nothing")
        self.refused("<!--= gpu tuning more --><!--/-->", "tuning more")

    def test_each_mark_has_its_results(self):
        text = self.made(f"{HEADLINE}\n{HEADLINE.replace('gpu', 'host')}\n")
        first, second = text.split("<!-- results: summary host -->")
        self.assertIn("| spmv |", first)
        self.assertNotIn("| alone |", first)
        self.assertIn("| alone |", second)

    def test_another_set_is_named_in_one_place(self):
        self.assertNotIn("alone", self.made(HEADLINE))
        self.file("bench/results/current.json", {"gpu": "other/usual"})
        self.assertEqual(self.tool("--check").returncode, 1)
        self.assertIn("alone", self.made(HEADLINE))

    def test_a_value_stands_in_a_sentence(self):
        text = self.made(
            "It takes <!--= gpu spmv/guide kokkos:auto -->9<!--/-->, over <!--= gpu spmv/guide "
            "openacc:vector-32 / kokkos:vector-32 --><!--/-->, <!--= gpu spmv kokkos:vector-128 / "
            "kokkos:vector-32 --><!--/--> and <!--= gpu spmv share yardstick:* --><!--/-->; "
            "<!--= gpu count twins all --><!--/--> on <!--= gpu device --><!--/-->.\n"
        )
        said = make_pages.VALUE.sub(lambda found: found[2], text)
        self.assertRegex(
            said,
            r"^It takes (1\.0\d|9\d\d) [mµ]s, over 1\.\d+ \[\d\.\d+, \d\.\d+\], 2\.\d+ and "
            r"50 % bandwidth; 14 on Some GPU\.$",
        )
        self.assertEqual(self.tool("--check").returncode, 0)

    def test_a_studys_note_has_its_main_case(self):
        self.results_of("other", samples.document([samples.spmv("on-the-host")], gpu=False))
        text = self.made("<!-- results: study -->\n<!-- results end -->\n", "src/studies/spmv/README.md")
        self.assertRegex(text, r"\| Some GPU \| guide \| `workers-2` ")
        self.assertRegex(text, r"\| Some Processor \| on-the-host \| `workers-2` ")
        self.assertNotIn("transfer", text)

    def test_a_studys_page_has_all_of_it(self):
        self.results_of("other", samples.document([samples.spmv("on-the-host")], gpu=False))
        self.file("src/studies/spmv/README.md", "# spmv: a product\n")
        pages = self.studies()
        self.assertLessEqual({"index", "spmv", "transfer", "device-some", "device-other-ratios"}, set(pages))
        for said in ("# spmv: a product", "`vector-32` |", "`auto` (beyond) |", "`library` 1.", "`on-the-host`"):
            self.assertIn(said, pages["spmv"])
        self.assertLess(pages["spmv"].index("| guide |"), pages["spmv"].index("| on-the-host |"))
        self.assertIn("| [spmv](spmv.md) | a product |", pages["index"])

    def test_a_long_page_leaves_variants_out(self):
        many = [samples.spmv(f"matrix {number}") for number in range(30)]
        self.results_of("some", samples.document(many))
        text = self.studies()["spmv"]
        self.assertLess(len(text.encode()), 16_000)
        self.assertRegex(text, r"The variants of \d+ more cases are in `measurements.csv`")
        self.assertEqual(text.count("| matrix "), 30)

    def test_a_study_that_was_not_run(self):
        name = "src/studies/new/README.md"
        text = self.made("<!-- results: study -->\n<!-- results end -->\n", name)
        self.assertIn("Not among the committed results", text)

    def test_lessons(self):
        text = self.made(
            "<!-- results: lessons gpu\n"
            "short vectors | spmv/guide | vector-1024 | vector-32\n"
            "one block | transfer/usual@whole | rows | contiguous | always\n"
            "-->\n<!-- results end -->\n"
        )
        self.assertRegex(text, r"\| short vectors \| `spmv` guide: .* \| 2\d\.\d \| 2\d\.\d \|  \|")
        self.assertRegex(text, r"\| one block \| `transfer` usual \(whole\): .* \| always \|")
        for line, said in (("never tried | spmv/elsewhere | a | b", "no case"), ("a | b", "should be LESSON")):
            self.refused(f"<!-- results: lessons gpu\n{line}\n-->\n<!-- results end -->\n", said)

    def test_a_devices_pages(self):
        pages = self.studies()
        for page, said in (
            ("device-some-ratios", "| `spmv` | guide | `default` 0.8"),
            ("device-some-ratios", "| `auto` 1.0"),
            ("device-some", "| copy | 2800 GB/s |"),
            ("device-some", "- **Some GPU**, 2026-01-02"),
        ):
            self.assertIn(said, pages[page])

    def test_what_a_sentence_says_is_held_to_the_results(self):
        def claims(*said: str):
            page = "\n".join(f"So it is. <!--: {text} -->" for text in said)
            return self.page(f"{page}\n<!--= gpu device -->Some GPU<!--/-->\n")

        claims(
            "gpu spmv/guide openacc:default < kokkos:default",
            "gpu spmv/guide kokkos:vector-32 < openacc:vector-32",
            "gpu spmv/guide kokkos:vector-32 < 0.5 kokkos:vector-128",
            "gpu spmv kokkos:workers-2 ~ kokkos:workers-4",
            "gpu spmv/guide kokkos:workers-2 ~ openacc:workers-2",
        )
        done = self.tool("--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for wrong in (
            "gpu spmv/guide kokkos:default < openacc:default",
            "gpu spmv/guide openacc:vector-32 < kokkos:vector-32",
            "gpu spmv/guide kokkos:vector-32 < 0.2 kokkos:vector-128",
            "gpu spmv/guide kokkos:default ~ openacc:default",
        ):
            claims("gpu spmv openacc:default < kokkos:default", wrong)
            done = self.tool("--check")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"README.md:2: the results do not say {wrong}", done.stderr)
        self.refused("<!--: gpu spmv/guide faster -->", "is no claim")
        self.refused("<!--: gpu spmv kokkos:atuo < kokkos:auto -->", "has no time of kokkos:atuo")
        self.refused("<!--: gpu spmv/huge kokkos:a < kokkos:b -->", "no case spmv/huge")

    def test_bad_input(self):
        self.refused(HEADLINE + "\n<!-- results end -->\n", "not in pairs")
        self.refused("<!--= gpu device -->\n", "not in pairs")
        self.refused(HEADLINE.replace("summary", "nothing"), "README.md:1: 'nothing gpu' is no table")
        self.refused(HEADLINE.replace("gpu", "tpu"), "names no 'tpu'")
        self.refused("\n\n<!--= gpu a b c --><!--/-->\n", "README.md:3: 'a b c' is no value")
        self.refused(
            "<!--= gpu spmv/huge kokkos:auto --><!--/-->", "no case spmv/huge", "spmv/guide@kernel"
        )
        self.refused(
            "<!--= gpu spmv/guide kokkos:atuo --><!--/-->", "no time of kokkos:atuo", "kokkos:auto"
        )
        self.refused("<!--= gpu spmv/guide auto --><!--/-->", "MODEL:VARIANT")
        self.refused("<!--= gpu count twins worse --><!--/-->", "count twins worse")
        alone = samples.case("alone", [samples.measurement("kokkos", "a", 1)])
        self.results_of("some", samples.document([alone], openacc=False))
        self.refused(HEADLINE, "no results of both models")
        self.file("bench/results/some/environment.json", "{")
        self.refused(HEADLINE, "is damaged or incomplete")
        for text, said in (
            ("{", "current.json is not JSON"),
            ("[]", "current.json should be"),
            ('{"gpu": "gone/usual"}', "there is no folder"),
            ('{"gpu": "other/full"}', "has no set 'full'; it has usual"),
        ):
            self.file("bench/results/current.json", text)
            self.refused(HEADLINE, said)

    def test_all_that_is_wrong_is_said(self):
        lacks = "<!--= gpu spmv/{} kokkos:auto --><!--/-->"
        self.refused(f"{lacks.format('one')}\n{lacks.format('two')}\n", ":1: ", ":2: ")


class Folder(WithFolder):
    """A device's folder, made of the files of runs."""

    def tool(self, *arguments: object):
        return support.run(sys.executable, support.GENERATOR / "add_results.py", *arguments)

    def test_what_is_read_is_what_was_written(self):
        for made in (samples.fair, samples.two_libraries, samples.hostile, samples.everything):
            with self.subTest(made.__name__):
                document = made()
                document.pop("sweeps", None)
                file, folder = self.file("run.json", document), self.folder / made.__name__
                add_results.put(folder, "usual", [file])
                (run,) = sets.read(folder)[0].runs
                wanted = results.read(file)
                self.assertEqual(run.provenance, wanted.provenance)
                self.assertEqual([c.key for c in run.cases], [c.key for c in wanted.cases])
                for ours, theirs in zip(run.cases, wanted.cases):
                    said = lambda case: [
                        (m.name, m.result, m.flag, m.failed, m.skipped, m.beyond, m.ceiling, m.share)
                        for m in case.measurements
                    ]
                    self.assertEqual(said(ours), said(theirs))
                    said = lambda case: [
                        (c.kind, c.own, c.other, c.verdict, c.ratio.rounds, c.library)
                        for c in case.comparisons
                    ]
                    self.assertEqual(said(ours), said(theirs))
                    for one, other in zip(ours.comparisons, theirs.comparisons):
                        for name in ("median", "low", "high"):
                            exact = getattr(other.ratio, name)
                            self.assertAlmostEqual(getattr(one.ratio, name) / exact, 1, 4)
                    self.assertEqual(ours.settings, theirs.settings)
                    self.assertEqual(ours.tier, theirs.tier)
                    moved = lambda case: [m.transfers for m in case.measurements]
                    self.assertEqual(moved(ours), moved(theirs))

    def test_a_set_is_replaced_and_others_stay(self):
        runs = self.folder / "runs"
        for name, study in (("one", "spmv"), ("two", "vadd"), ("three", "pi")):
            case = samples.case(study, samples.twins("a", 1, 2))
            self.file(f"runs/{name}.json", samples.document([case]))
        device = self.folder / "device"
        for given in (["--set", "full", runs], [runs / "one.json"], [runs / "two.json"]):
            self.assertEqual(self.tool(device, *given).stderr, "")
        found = {s.name: [c.study for r in s.runs for c in r.cases] for s in sets.read(device)}
        self.assertEqual(found, {"full": ["spmv", "pi", "vadd"], "usual": ["vadd"]})
        text = (device / sets.DOCUMENT).read_text()
        self.assertEqual(text.count('"kokkos compiler"'), 1, "one environment")

    def test_no_folder_of_the_machine_is_in_it(self):
        document = samples.fair()
        document["provenance"]["kokkos flags"] = "-include /home/me/a.hpp -O3 -I/opt/x/include -DA=b/c"
        add_results.put(self.folder / "device", "usual", [self.file("run.json", document)])
        said = json.loads((self.folder / "device" / sets.DOCUMENT).read_text())
        self.assertEqual(said["environments"]["1"]["kokkos flags"], "-include a.hpp -O3 -Iinclude -DA=b/c")

    def test_bad_input(self):
        empty = self.folder / "empty"
        empty.mkdir()
        other = self.file("other.json", {"schema": "another"})
        none = self.file("none.json", samples.document([]))
        for given, said in (
            (empty, "no JSON file"),
            (other, "is not in the form"),
            (none, "have no case"),
            (self.folder / "gone.json", "cannot read"),
        ):
            done = self.tool(self.folder / "device", given)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
        self.assertFalse((self.folder / "device").exists())
        good = self.file("good.json", samples.fair())
        self.assertEqual(self.tool(self.folder / "device", good).returncode, 0)
        file = self.folder / "device" / "ratios.csv"
        whole = file.read_text()
        for text, said in (
            (whole.replace("kind", "sort", 1), "has no column kind"),
            (whole + "1,twins\n", "a row of another length"),
            (whole.replace("kernels", "gone"), "damaged or incomplete"),
        ):
            file.write_text(text)
            done = self.tool(self.folder / "device", "--set", "other", good)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


class Typed(WithProject):
    """A number that nobody made is found, and only such a number."""

    VALUE = "<!--= gpu device -->Some GPU<!--/-->"

    def test_a_page_with_one_is_refused(self):
        page = self.page(f"# A page\n\nIt takes 5 ms.\n\n{self.VALUE}\n")
        for more in ((), ("--check",)):
            done = self.tool(*more)
            self.assertEqual(done.returncode, 1)
            self.assertIn("README.md: a measured number is typed: It takes 5 ms.", done.stderr)
        self.assertIn("5 ms", page.read_text())

    def test_what_is_one(self):
        for sentence in (
            "It takes 13.0 µs and more.",
            "A gang takes 0.61 ns.",
            "It took 2 s.",
            "It reaches 2871 GB/s.",
            "It reaches 87 % of a copy.",
            "That is 1.49 times as fast.",
            "Kokkos is ahead, 1.32 [1.19, 1.85].",
            "The quotient is 0.851, below one.",
            "| `naive` | 89.2 ms |",
            "It took 7 ms in another run, not kept. Now it takes 6 ms.",
            "- Where the goal was met\n- It takes 6 ms",
        ):
            self.assertEqual(len(make_pages.typed(f"# A page\n\n{sentence}\n")), 1, sentence)

    def test_what_is_none(self):
        for sentence in (
            "It took 5 ms in another run,\nnot kept.",
            "The guide reports 2.5 times (published for a V100).",
            "The goal was 85 % of a triad.",
            "`--timeout 5 s` and [a page](of-5 s.md).",
            "```\ntakes 5 ms\n```",
            "A median and its 95 % interval; ratios [95 %].",
            "Teams of 8 × 32 on 2 GPUs with 80 GB; Kokkos 4.6 of 3.3·10⁷ points, section 2.9.2.",
            "It takes <!--= gpu spmv/guide kokkos:auto -->5 ms<!--/-->.",
            "<!-- results: summary gpu -->\n\n| 5 ms |\n\n<!-- results end -->",
        ):
            self.assertEqual(make_pages.typed(f"# A page\n\n{sentence}\n"), [], sentence)


@unittest.skipUnless(DRAWS, "no matplotlib or Jinja2")
class Picture(WithProject):
    MARK = "<!-- results: picture gpu -->\n<!-- results end -->\n"

    def scheme(self) -> tuple[dict[str, str], dict[str, str]]:
        import pictures

        light, dark = pictures.colours()
        names = ("ink", "muted", "kokkos", "openacc", "paper")
        return {n: light[n] for n in names}, {n: dark[n] for n in names}

    def test_has_the_control(self):
        self.results_of("some", json.dumps(samples.two_libraries()).replace("decompose", "port"))
        self.made(self.MARK)
        picture = self.folder / "bench/results/some/overview.svg"
        self.assertIn("gangway port / Kokkos: median", picture.read_text())
        self.assertEqual(self.tool("--check").returncode, 0)

    def test_is_of_its_results(self):
        self.page(self.MARK)
        missing = self.tool("--check")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("overview.svg is out of date", missing.stderr)
        text = self.made(self.MARK)
        self.assertEqual(self.tool("--check").returncode, 0)
        (shown,) = re.findall(r'src="(\S+)"', text)
        picture = self.folder / shown
        root = xml.etree.ElementTree.parse(picture).getroot()
        self.assertIn("spmv", "".join(root.itertext()))
        self.assertNotRegex(picture.read_text(), r"var\(--|currentColor|style=", "of every viewer")
        for light, dark in zip(*(each.values() for each in self.scheme())):
            if f'fill="{light}"' in picture.read_text():
                self.assertIn(f'[fill="{light}"] {{ fill: {dark}; }}', picture.read_text())
        other = samples.case("vadd", samples.twins("a", 1, 2))
        self.results_of("some", samples.document([other]))
        self.assertEqual(self.tool("--check").returncode, 1)


@unittest.skipUnless(DRAWS, "no matplotlib or Jinja2")
class LeftOut(WithProject):
    def test_a_picture_of_what_is_flagged(self):
        self.results_of("some", samples.fair())
        text = self.made(Picture.MARK)
        self.assertIn("Time of GCC's OpenACC over Kokkos time", text)
        self.assertEqual(self.tool("--check").returncode, 0)


class AcrossGpus(unittest.TestCase):
    """The tables of docs/across-gpus.md are those of the committed file."""

    def test_each_number_is_measured(self) -> None:
        with (ROOT / "bench/results/h100/across-gpus.csv").open(encoding="utf-8") as file:
            measured = list(csv.DictReader(file))
        page = (ROOT / "docs/across-gpus.md").read_text(encoding="utf-8")
        checked = 0
        for line in page.splitlines():
            row = re.match(r"\| `(\S+)`[^|]*\|(.*)", line)
            if not row:
                continue
            of_row = [point for point in measured if point["variant"] == row[1]]
            times = {f"{1000 * float(point['median_seconds']):#.3g}".rstrip(".") for point in of_row}
            times |= {f"{1000 * float(point['median_seconds']):.0f}" for point in of_row}
            shares = {f"{100 * float(point['efficiency']):.0f}" for point in of_row if point["efficiency"]}
            for number, percent in re.findall(r"([\d.]+)( %)?", row[2]):
                self.assertIn(number, shares if percent else times, line)
                checked += 1
        self.assertGreater(checked, 150)


class OurPages(unittest.TestCase):
    def test_are_up_to_date(self):
        done = support.run(sys.executable, TOOL, "--check")
        stale = [line for line in done.stderr.splitlines() if "is typed" not in line]
        self.assertEqual(stale, [])

    def test_have_no_typed_numbers(self):
        for page, text in make_pages.pages(ROOT).items():
            self.assertEqual(make_pages.typed(text), [], page)

    def test_show_results(self):
        pages = make_pages.pages(ROOT)
        self.assertIn(ROOT / "README.md", pages)
        for study in (file.parent for file in ROOT.glob("src/studies/*/openacc.cpp")):
            self.assertIn("<!-- results: study -->", pages.get(study / "README.md", ""), study)

    def test_are_short(self):
        for page, most in (("docs/results.md", 8192), ("docs/findings.md", 12288)):
            self.assertLessEqual((ROOT / page).stat().st_size, most, page)
        for name, text in studies.pages(ROOT).items():
            self.assertLessEqual(len(text.encode()), 16_000, name)

    def test_links_lead_somewhere(self):
        def anchors(page: Path) -> set[str]:
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            return {re.sub(r"[^\w\- ]", "", h.strip().lower()).replace(" ", "-") for h in headings}

        texts = make_pages.pages(ROOT)
        for page in {*texts, *ROOT.glob("*.md"), *ROOT.glob("docs/*.md")}:
            text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
            for target in re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r'src="(\S+?)"', text):
                if re.match(r"[a-z]+:", target):
                    continue
                place, _, heading = target.partition("#")
                file = (page.parent / place) if place else page
                self.assertTrue(file.exists(), f"{page}: {target}")
                if heading:
                    self.assertIn(heading, anchors(file), f"{page}: {target}")

    def test_the_results_are_there(self):
        current = make_pages.Current(ROOT)
        for name in current.folders:
            self.assertTrue(current[name].head_to_head)

    def test_a_case_is_found_as_it_is_named(self):
        results = make_pages.Current(ROOT)["host"]
        for case in results.cases:
            self.assertIs(results.needed(f"{case.study}/{case.name}@{case.scope}"), case)
        with self.assertRaises(ResultsError):
            results.needed("spmv/no such case")


if __name__ == "__main__":
    unittest.main()
