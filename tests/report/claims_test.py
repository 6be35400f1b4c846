# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recomputes the statements of README and findings from the committed CSV files.

Nothing of tools/pages is used: a mistake there would make the pages' numbers and their check alike. A
mark or a claim that this file cannot recompute fails.
"""

from __future__ import annotations

import csv
import fnmatch
import html
import json
import re
import shlex
import unittest
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
CURRENT = json.loads((RESULTS / "current.json").read_text(encoding="utf-8"))
PAGES = ("README.md", "docs/findings.md")
MARK = re.compile(r"<!--= (\S+) (.*?) ?-->(.*?)<!--/-->", re.DOTALL)
CLAIM = re.compile(r"<!--: (\S+) (.*?) -->", re.DOTALL)
VERDICTS = {"faster": "faster", "slower": "slower", "even": "no difference"}
MOST = 1_500_000  # bytes of all committed results


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def rows(device: str, name: str) -> list[dict[str, str]]:
    with open(RESULTS / device / f"{name}.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_case(found: list[dict[str, str]]) -> dict[str, list[dict[str, str]]]:
    made: dict[str, list[dict[str, str]]] = {}
    for row in found:
        made.setdefault(row["case"], []).append(row)
    return made


def three(value: float) -> str:
    """Three significant digits."""
    return f"{float(f'{value:.3g}'):.0f}" if abs(value) >= 99.95 else f"{value:#.3g}"


def time_text(seconds: float) -> str:
    unit, scale = next(
        ((u, s) for u, s in (("µs", 1e-6), ("ms", 1e-3)) if seconds < 1000 * s * (1 - 5e-4)), ("s", 1)
    )
    return f"{three(seconds / scale)} {unit}"


def ratio_text(ratio: dict[str, str]) -> str:
    middle, low, high = (three(float(ratio[name])) for name in ("median", "low", "high"))
    return f"{middle} [{low}, {high}]"


class Case:
    """A row of cases.csv with its measurements and ratios."""

    def __init__(self, row: dict, run: dict, measured: list[dict], ratios: list[dict]):
        self.row, self.run, self.measured, self.ratios = row, run, measured, ratios
        self.result = measured[0]["result"] if measured else ""

    def find(self, name: str) -> dict | None:
        """MODEL:VARIANT or openacc[LABEL]:VARIANT; a variant * is the fastest."""
        model, library, variant = re.fullmatch(r"(\w+)(?:\[(.+?)\])?:(.+)", name).groups()
        mine = [m for m in self.measured if m["model"] == model and library in (None, m["library"])]
        if variant != "*":
            return next((m for m in mine if m["variant"] == variant), None)
        timed = [m for m in mine if m["median"] and m["result"] == self.result]
        timed = [m for m in timed if library or m["library"] != "port"]  # the control
        return min(timed, key=lambda m: float(m["median"]), default=None)

    def seconds(self, name: str) -> float:
        return float(self.find(name)["median"])

    def other(self, ratio: dict) -> dict:
        wanted = tuple(ratio[key] for key in ("model", "library", "other"))
        return next(m for m in self.measured if (m["model"], m["library"], m["variant"]) == wanted)

    def own(self, ratio: dict) -> dict:
        return self.find(f"kokkos:{ratio['kokkos']}")

    def paired(self, own: dict, other: dict) -> dict | None:
        return next(
            (r for r in self.ratios if self.own(r) is own and self.other(r) is other), None
        )

    def twins(self) -> list[dict]:
        """The same stage in both models."""
        return [r for r in self.ratios if r["kind"] == "twins" and not self.own(r)["beyond"]]

    def best(self) -> dict | None:
        own, other = self.find("kokkos:*"), self.find("openacc:*")
        pairs = (r for r in self.ratios if r["kind"] == "best")
        return next((r for r in pairs if self.own(r) is own and self.other(r) is other), None)

    def port(self) -> dict | None:
        """The fastest OpenACC stage."""
        mine = [r for r in self.twins() if self.own(r)["result"] == self.result]
        mine = [r for r in mine if r["library"] != "port"]
        return min(mine, key=lambda r: float(self.other(r)["median"]), default=None)


def cases_of(name: str) -> list[Case]:
    device, _, wanted = CURRENT[name].partition("/")
    runs = {run["run"]: run for run in rows(device, "runs")}
    measured, ratios = (by_case(rows(device, file)) for file in ("measurements", "ratios"))
    return [
        Case(row, runs[row["run"]], measured.get(row["case"], []), ratios.get(row["case"], []))
        for row in rows(device, "cases")
        if runs[row["run"]]["set"] == wanted
    ]


class Statements(unittest.TestCase):
    read: dict[str, list[Case]] = {}

    def cases(self, name: str) -> list[Case]:
        if name not in self.read:
            self.read[name] = cases_of(name)
        return self.read[name]

    def case(self, name: str, reference: str) -> Case | None:
        study, _, rest = reference.partition("/")
        wanted, _, scope = rest.partition("@")
        mine = [k for k in self.cases(name) if k.row["study"] == study]
        if not wanted:  # kernels before transfers, then the largest
            size = lambda k: (
                k.row["scope"] == "kernel",
                float(k.row["working_set_bytes"] or 0),
                float(k.row["flops"] or 0),
            )
            return max((k for k in mine if k.best()), key=size, default=None)
        found = [
            k
            for k in mine
            if fnmatch.fnmatchcase(k.row["name"], wanted) and scope in ("", k.row["scope"])
        ]
        self.assertEqual(len(found), 1, f"{name} {reference}: one case has to be meant")
        return found[0]

    def ratios(self, name: str, kind: str, label: str | None) -> list[tuple[Case, dict]]:
        found = []
        for case in self.cases(name):
            if kind == "twins":
                mine = case.twins()
            elif kind == "best" and label is None:
                mine = [case.best()] if case.best() else []
            else:
                self.fail(f"no rule for {kind} {label}")
            found += [(case, r) for r in mine if label in (None, r["library"])]
        return found

    def tuning(self, name: str, what: str) -> str:
        both = [(k, k.port(), k.best()) for k in self.cases(name)]
        pairs = [
            (float(p["median"]), float(b["median"]))
            for k, p, b in both
            if p and b and not k.other(p)["flag"] and not k.other(b)["flag"]
        ]
        return {
            "all": lambda: str(len(pairs)),
            "wider": lambda: str(sum(b > p for p, b in pairs)),
            "port": lambda: three(median(p for p, _ in pairs)),
            "best": lambda: three(median(b for _, b in pairs)),
        }[what]()

    def counted(self, name: str, verb: str, kind: str, *rest: str) -> str:
        if verb == "count":
            wanted, *label = rest
            found = self.ratios(name, kind, *(label or [None]))
            if wanted == "flagged":
                return str(sum(bool(k.other(r)["flag"]) for k, r in found))
            return str(sum(wanted == "all" or r["verdict"] == VERDICTS[wanted] for _, r in found))
        unflagged = "unflagged" in rest
        label = [word for word in rest if word != "unflagged"] or [None]
        found = self.ratios(name, kind, *label)
        values = [float(r["median"]) for k, r in found if not (unflagged and k.other(r)["flag"])]
        return three(median(values))

    def recomputed(self, name: str, words: list[str]) -> str:
        if words[0] in ("count", "median"):
            return self.counted(name, *words)
        if words[0] == "tuning":
            return self.tuning(name, words[1])
        if words == ["device"]:
            file = RESULTS / CURRENT[name].partition("/")[0] / "environment.json"
            document = json.loads(file.read_text(encoding="utf-8"))
            return document["environments"]["1"]["device"].split(",")[0]
        case = self.case(name, words[0])
        self.assertIsNotNone(case, words[0])
        if words[1] == "share":
            m = case.find(words[2])
            share = 100 * float(m["share"])
            return f"{share:.{0 if share >= 9.95 else 1}f} % {m['ceiling']}"
        if words[1] == "copy":
            rate = float(case.row["bytes"]) / case.seconds(words[2])
            return f"{100 * rate / float(case.run['copy_bytes_per_second']):.0f} % of a copy"
        if len(words) == 2:
            return time_text(case.seconds(words[1]))
        other, slash, own = words[1:]
        self.assertEqual(slash, "/")
        paired = case.paired(case.find(own), case.find(other))
        return ratio_text(paired) if paired else three(case.seconds(other) / case.seconds(own))

    def holds(self, name: str, words: list[str]) -> bool:
        reference, first, sign, *factor, second = words
        case = self.case(name, reference)
        self.assertIsNotNone(case, reference)
        one, two = case.find(first), case.find(second)
        quotient = float(one["median"]) / float(two["median"])
        if factor:
            return quotient < float(factor[0])
        for own, other, faster in ((one, two, "faster"), (two, one, "slower")):
            if own["model"] == "kokkos" and (paired := case.paired(own, other)):
                return paired["verdict"] == ("no difference" if sign == "~" else faster)
        return 0.9 < quotient < 1.1 if sign == "~" else quotient < 1

    def test_marks(self):
        for page in PAGES:
            marks = MARK.findall(text_of(page))
            self.assertGreater(len(marks), 3, page)
            for name, words, said in marks:
                with self.subTest(page=page, mark=f"{name} {words}"):
                    self.assertEqual(said, self.recomputed(name, shlex.split(words)))

    def test_claims(self):
        for page in PAGES:
            for name, words in CLAIM.findall(text_of(page)):
                with self.subTest(page=page, claim=f"{name} {words}"):
                    self.assertTrue(self.holds(name, shlex.split(words)))

    def factor(self, case: Case | None, model: str, before: str, after: str) -> str:
        old, new = (case and case.find(f"{model}:{name}") for name in (before, after))
        timed = old and new and old["median"] and new["median"]
        return three(float(old["median"]) / float(new["median"])) if timed else "–"

    def test_the_tables_of_the_findings(self):
        """Factors and ratios, and their controls."""
        form = r"<!-- results: (lessons|stages) (\w+)\n(.*?)-->\n(.*?)<!-- results end -->"
        seen = 0
        for kind, name, lines, block in re.findall(form, text_of("docs/findings.md"), re.DOTALL):
            rows = [line.strip("|").split("|") for line in block.strip().splitlines()[2:]]
            asked = lines.strip().splitlines()
            self.assertEqual(len(asked), len(rows))
            for line, row in zip(asked, rows):
                cells = [cell.strip() for cell in row[2:5]]
                _, reference, *variants = (part.strip() for part in line.split("|"))
                case = self.case(name, reference)
                with self.subTest(line):
                    if kind == "lessons":
                        models = ("kokkos", "openacc[gcc]", "openacc[port]")
                        wanted = [self.factor(case, model, *variants[:2]) for model in models]
                    else:
                        pairs = []
                        for library in ("gcc", "port"):
                            key = ("twins", variants[0], library)
                            twins = (r for r in case.ratios if (r["kind"], r["kokkos"], r["library"]) == key)
                            pairs.append(next(twins, None))
                        said = [ratio_text(r) if r else "–" for r in pairs]
                        for place, r in enumerate(pairs):
                            if r and r["verdict"] in ("faster", "slower"):
                                said[place] = f"**{said[place]}**"
                        time = time_text(case.seconds(f"kokkos:{variants[0]}"))
                        wanted = [time, *said]
                    self.assertEqual(cells, wanted)
                    seen += 1
        self.assertGreater(seen, 10)

    def test_the_lines_of_the_ports(self):
        """Counts and medians that a table's lead has, of GCC's two modes and of the control."""
        line = re.compile(
            r"^- `(\w+)`: below 1 in (\d+) of (\d+) .*?shown in (\d+), above 1 in (\d+) .*?"
            r"median ([\d.]+)(?:, of the (\d+) not flagged ([\d.]+))?$",
            re.MULTILINE,
        )
        text = text_of("docs/results.md").partition("## On a host")[0]
        seen = []
        for label, *said in line.findall(text):
            ask = lambda verb, *words: self.counted("gpu", verb, "twins", *words)
            found = self.ratios("gpu", "twins", label)
            unflagged = sum(not k.other(r)["flag"] for k, r in found)
            wanted = [ask("count", each, label) for each in ("slower", "all", "even", "faster")]
            wanted.append(ask("median", label))
            if unflagged < len(found):
                wanted += [str(unflagged), ask("median", "unflagged", label)]
            self.assertEqual([each for each in said if each], wanted, label)
            seen.append(label)
        self.assertEqual({"gcc", "decompose", "port"}, set(seen))

    def test_gccs_counts_have_the_control_beside_them(self):
        for page in PAGES:
            for part in re.split(r"\n\n|\n(?=\d\. )", text_of(page)):
                if "<!--= gpu count twins faster gcc" in part:
                    self.assertIn("<!--= gpu count twins faster port", part, page)

    def test_the_control_is_faster_only_where_a_directive_names_a_shape(self):
        shapes = {
            "collapse": r"collapse-2",
            "halo": r"staged",  # the library chose this one
            "matmul": r"three-level",
            "nested": r"[ij]-outer",
            "order": r"strided|stride-1",
            "spmv": r"vector-\d+|workers-\d+|rows-per-worker",
            "vadd": r"redundant",
        }
        for k, r in self.ratios("gpu", "twins", "port"):
            if r["verdict"] == "slower":
                self.assertRegex(r["kokkos"], f"^({shapes.get(k.row['study'], '')})$", k.row["study"])

    def test_the_picture(self):
        """Its rows say what they are of: medians and extremes of what no flag explains, and the rest."""
        picture = (RESULTS / CURRENT["gpu"]).parent / "overview.svg"
        (described,) = re.findall("<desc [^>]*>(.*?)</desc>", picture.read_text("utf-8"))
        wanted = []
        by_study: dict[tuple[str, str], list[tuple[Case, dict]]] = {}
        for label in ("gcc", "port"):
            for k, r in self.ratios("gpu", "twins", label):
                by_study.setdefault((k.row["study"], label), []).append((k, r))
        for (study, label), found in sorted(by_study.items()):
            free = sorted(float(r["median"]) for k, r in found if not k.other(r)["flag"])
            flagged = [float(r["median"]) for k, r in found if k.other(r)["flag"]]
            parts = []
            if free:
                said = f"median {three(median(free))} of {len(free)} stages"
                parts.append(f"{said}, {three(free[0])} to {three(free[-1])}")
            if flagged:
                parts.append(f"{len(flagged)} that the compiler sets, up to {three(max(flagged))}")
            who = {"gcc": "GCC's OpenACC", "port": "gangway port"}[label]
            wanted.append(f"{study}, {who} / Kokkos: {'; '.join(parts)}")
        self.assertEqual(html.unescape(described), ". ".join(wanted) + ".")

    def test_a_flag_follows_from_the_launch(self):
        """Where one library left `kernels` to one thread, the others are flagged by what they launched."""
        seen = 0
        for name in CURRENT:
            for case in self.cases(name):
                left = {m["variant"] for m in case.measured if m["flag"] == "kernels"}
                for m in case.measured:
                    if m["model"] == "openacc" and m["variant"] in left and m["shapes"]:
                        alone = re.search(r"\b1x1x\d", m["shapes"]) is not None
                        self.assertEqual(m["flag"] == "kernels", alone, (case.row, m["variant"]))
                        seen += 1
        self.assertGreater(seen, 20)

    def test_the_results_are_compact(self):
        files = [file for file in RESULTS.rglob("*") if file.is_file()]
        documents = {file.name for file in files if file.suffix == ".json"}
        self.assertEqual(documents, {"current.json", "environment.json"})
        self.assertLess(sum(file.stat().st_size for file in files), MOST)


if __name__ == "__main__":
    unittest.main()
