# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of README and findings, recomputed from the committed JSON.

Nothing of tools/pages is used: a mistake there would make the pages' numbers and their check alike. A
mark with counts, medians or extremes that this file cannot recompute fails.
"""

from __future__ import annotations

import json
import re
import unittest
from collections import Counter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"
CURRENT = json.loads((RESULTS / "current.json").read_text(encoding="utf-8"))
PAGES = ("README.md", "docs/findings.md")
MARK = re.compile(r"<!--= (\S+) (count|median|lowest|tuning) (.*?) ?-->(.*?)<!--/-->", re.DOTALL)
VERDICTS = {"faster": "faster", "slower": "slower", "even": "no difference"}


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def three(value: float) -> str:
    """Three significant digits, as the pages have them below 100."""
    return f"{value:#.3g}"


def model_of(name: str) -> str:
    return re.split(r"[:\[]", name)[0]


def label_of(name: str) -> str:
    found = re.match(r"openacc\[(.*?)\]:", name)
    return found[1] if found else ""


class Case:
    """A case of a results file, and its ratios with their flags."""

    def __init__(self, raw: dict):
        self.raw = raw
        labels = {m["library"] for m in raw["measurements"] if "library" in m}
        several = len(labels) > 1 or any("[" in c["other"] for c in raw["comparisons"])
        self.named = {}
        for m in raw["measurements"]:
            label = f"[{m['library']}]" if several and "library" in m else ""
            self.named[f"{m['model']}{label}:{m['variant']}"] = m
        self.result = raw["measurements"][0].get("result", "")

    def flag(self, name: str) -> str:
        m = self.named[name]
        written = {
            o.get("flag", "") for o in self.raw["measurements"] if o["variant"] == m["variant"]
        }
        if "kernels" in written and m["model"] == "openacc" and m.get("shapes"):
            one = any(s["gangs"] == 1 and s["team_size"] == 1 for s in m["shapes"])
            return "kernels" if one else ""
        return m.get("flag", "")

    def twins(self) -> list[dict]:
        """The same stage in both models."""
        return [
            c
            for c in self.raw["comparisons"]
            if c["kind"] == "twins" and not self.named[c["own"]]["beyond"]
        ]

    def fastest(self, model: str) -> str | None:
        timed = {
            name: m["time"]["median"]
            for name, m in self.named.items()
            if m["model"] == model and "time" in m and m.get("result", "") == self.result
        }
        return min(timed, key=timed.get, default=None)

    def best(self) -> dict | None:
        own, other = self.fastest("kokkos"), self.fastest("openacc")
        pairs = (c for c in self.raw["comparisons"] if c["kind"] == "best")
        return next((c for c in pairs if (c["own"], c["other"]) == (own, other)), None)

    def port(self) -> dict | None:
        """The fastest OpenACC stage."""
        mine = [c for c in self.twins() if self.named[c["own"]].get("result", "") == self.result]
        return min(mine, key=lambda c: self.named[c["other"]]["time"]["median"], default=None)


def cases_of(folder: str) -> list[Case]:
    """Each once: of two measurements by the same compilers the one of both models, then the fuller, then
    the newer."""
    chosen: dict[tuple, tuple] = {}
    for file in sorted((RESULTS / folder).glob("*.json")):
        raw = json.loads(file.read_text(encoding="utf-8"))
        facts = raw["provenance"]
        if raw.get("sweeps"):
            continue
        compilers = [
            (k, v) for k, v in sorted(facts.items()) if re.search(r"^kokkos( compiler)?$|compiler$", k)
        ]
        flags = [(k, v) for k, v in sorted(facts.items()) if re.search(r"^openacc.* flags$", k)]
        for case in map(Case, raw["cases"]):
            setting = case.raw["case"]
            if setting == "as set":
                setting = str([(k, v) for k, v in case.raw["settings"].items() if v])
            key = (facts.get("device"), str(compilers), len(flags), facts.get("openacc libraries"))
            key += (case.raw["study"], setting, case.raw["scope"])
            weight = (case.best() is not None, len(case.named), facts.get("date", ""))
            if key not in chosen or weight > chosen[key][0]:
                chosen[key] = (weight, case)
    return [case for _, case in chosen.values()]


class Statements(unittest.TestCase):
    read: dict[str, list[Case]] = {}

    def cases(self, name: str) -> list[Case]:
        if name not in self.read:
            self.read[name] = cases_of(CURRENT[name])
        return self.read[name]

    def ratios(self, name: str, kind: str, label: str | None) -> list[tuple[Case, dict]]:
        found = []
        for case in self.cases(name):
            if kind == "twins":
                mine = case.twins()
            elif kind == "best":
                mine = [case.best()] if case.best() else []
            else:
                self.fail(f"no rule for {kind}")
            for c in mine:
                library = case.named[c["other"]].get("library", "")
                if label in (None, library):
                    found.append((case, c))
        return found

    def recomputed(self, name: str, verb: str, words: list[str]) -> str:
        if verb == "tuning":
            both = [(k, k.port(), k.best()) for k in self.cases(name)]
            pairs = [
                (p["ratio"]["median"], b["ratio"]["median"])
                for k, p, b in both
                if p and b and not k.flag(p["other"]) and not k.flag(b["other"])
            ]
            return {
                "all": lambda: str(len(pairs)),
                "wider": lambda: str(sum(b > p for p, b in pairs)),
                "port": lambda: three(median(p for p, _ in pairs)),
                "best": lambda: three(median(b for _, b in pairs)),
            }[words[0]]()
        kind, *rest = words
        if verb == "count":
            wanted, *label = rest
            found = self.ratios(name, kind, *(label or [None]))
            if wanted == "flagged":
                return str(sum(bool(k.flag(c["other"])) for k, c in found))
            if wanted != "all":
                found = [c for c in found if c[1]["verdict"] == VERDICTS[wanted]]
            return str(len(found))
        unflagged = "unflagged" in rest
        label = [word for word in rest if word != "unflagged"] or [None]
        found = self.ratios(name, kind, *label)
        if verb == "lowest":
            found = [f for f in found if f[1]["verdict"] in ("faster", "slower")]
        values = [c["ratio"]["median"] for k, c in found if not (unflagged and k.flag(c["other"]))]
        return three(median(values) if verb == "median" else min(values))

    def test_marks(self):
        for page in PAGES:
            marks = MARK.findall(text_of(page))
            self.assertGreater(len(marks), 3, page)
            for name, verb, words, said in marks:
                with self.subTest(page=page, mark=f"{name} {verb} {words}"):
                    self.assertEqual(said, self.recomputed(name, verb, words.split()))

    def test_the_lines_of_the_ports(self):
        """Counts and medians that a table's lead has, of GCC's two modes and of the control."""
        line = re.compile(
            r"^- `(\w+)`: below 1 in (\d+) of (\d+) .*?shown in (\d+), above 1 in (\d+) .*?"
            r"median ([\d.]+)(?:, of the (\d+) not flagged ([\d.]+))?$",
            re.MULTILINE,
        )
        lines = line.findall(text_of("docs/results.md"))[:4]
        self.assertEqual([each[0] for each in lines], ["gcc", "decompose", "port", "gcc"])
        for name, (label, *said) in zip(("gpu", "gpu", "port", "port"), lines):
            ask = lambda verb, *words: self.recomputed(name, verb, ["twins", *words])
            found = self.ratios(name, "twins", label)
            unflagged = sum(not k.flag(c["other"]) for k, c in found)
            wanted = [ask("count", each, label) for each in ("slower", "all", "even", "faster")]
            wanted.append(ask("median", label))
            if unflagged < len(found):
                wanted += [str(unflagged), ask("median", "unflagged", label)]
            self.assertEqual([each for each in said if each], wanted, (name, label))

    def test_gccs_counts_have_the_control_beside_them(self):
        for page in PAGES:
            for part in re.split(r"\n\n|\n(?=\d\. )", text_of(page)):
                if "<!--= gpu count twins faster gcc" in part:
                    self.assertIn("<!--= port count twins faster port", part, page)

    def test_no_one_thread_ratio_is_drawn(self):
        """The picture's caption says so; its tips name what is drawn."""
        picture = (RESULTS / CURRENT["gpu"] / "overview.svg").read_text(encoding="utf-8")
        drawn = set(re.findall(r"<title>(\S+) (.*?): (\S+) over (\S+) ", picture))
        alone = {
            (k.raw["study"], k.raw["case"], c["other"], c["own"])
            for k, c in self.ratios("gpu", "twins", None)
            if k.flag(c["other"]) == "kernels"
        }
        self.assertIn(("pi", "1e7", "openacc[decompose]:kernels", "kokkos:kernels"), alone)
        self.assertGreater(len(drawn), 200)
        self.assertEqual(drawn & alone, set())

    def test_what_the_results_are_of(self):
        """The sentence about builds and days in the findings."""
        facts = [
            json.loads(file.read_text(encoding="utf-8"))["provenance"]
            for file in (RESULTS / CURRENT["gpu"]).glob("*.json")
        ]
        builds = Counter(fact["gangway"].split()[-1] for fact in facts)
        self.assertEqual(len(builds), 7)
        days = sorted({fact["date"][:10] for fact in facts})
        self.assertEqual(days, ["2026-11-23", "2026-11-24"])
        self.assertLess(CURRENT["gpu"][:10], days[0])
        text = text_of("docs/findings.md")
        self.assertIn(f"{builds['037fcc7f863e']} of the {len(facts)} files are of 037fcc7", text)
        self.assertIn("of seven builds", text)


if __name__ == "__main__":
    unittest.main()
