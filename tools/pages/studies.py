# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages of results that are made for the site and not committed: one per study, one per device.

Every folder of bench/results with CSV files is shown, whether `current.json` names it or not. No page
is longer than MOST: tables of single cases are left out of a long one, which says so.
"""

from __future__ import annotations

import re
from pathlib import Path

import sets
import tables
from results import Case
from tables import Column, Results, cell, code

MOST = 16_000  # bytes of a page
INDEX = "index.md"
USUAL = "usual"  # the set that is shown first
READING = (
    "Times are medians. A ratio is the median of the paired ratios of the rounds, with its 95 % interval: above 1 "
    "Kokkos is faster, and bold where the interval excludes 1. The OpenACC side is GCC's; `decompose` is GCC with "
    "`--param=openacc-kernels=decompose`. The control, `port`, is the same OpenACC source by `gangway port`."
)


class Device:
    """The sets of one device's folder, `usual` first."""

    def __init__(self, folder: Path):
        self.folder = folder
        made = [Results(folder, each.name, each.runs, alone=True) for each in sets.read(folder)]
        self.sets = sorted(made, key=lambda results: results.name != USUAL)

    @property
    def name(self) -> str:
        return f"{self.sets[0].device} ({self.folder.name})"

    @property
    def page(self) -> str:
        return f"device-{self.folder.name}.md"


def devices(place: Path) -> list[Device]:
    """GPUs first, then the newer results. Errors: ResultsError."""

    def order(device: Device) -> tuple[bool, int]:
        hosts = "device" not in device.sets[0].runs[0].provenance
        newest = max(run.provenance["date"] for results in device.sets for run in results.runs)
        return hosts, -int(re.sub(r"\D", "", newest))

    return sorted((Device(file.parent) for file in sorted(place.glob(f"*/{sets.DOCUMENT}"))), key=order)


def size(lines: list[str]) -> int:
    return len("\n".join(lines).encode())


def commit_of(results: Results) -> Column:
    """The commit that a case was measured at."""
    commits = {id(case): run.provenance.get("gangway", "?").split()[-1][:7] for case, run in results.entries}
    return Column("commit", "---", lambda case: code(commits[id(case)]))


def study_page(study: str, title: str, there: list[Device]) -> list[str]:
    """All cases as rows, and the variants of as many cases as fit, the main ones first."""
    lines = [f"# {title}", "", READING, ""]
    later: list[tuple[str, Results, Case]] = []
    for device in there:
        shown = [(r, [c for c in r.cases if c.study == study]) for r in device.sets]
        shown = [(r, cases) for r, cases in shown if cases]
        if not shown:
            continue
        lines += [f"## {cell(device.name)}", "", f"Builds and compilers: [{cell(device.name)}]({device.page}).", ""]
        for results, cases in shown:
            both = [c for c in cases if c.comparison("best")]
            if both:
                made = tables.headline(both, commit_of(results))
                lines += [f"### Set `{results.name}`", "", *made, ""]
            main = results.main_case(study)
            first = [c for c in cases if c is main and results.name == USUAL]
            later += [(device.name, results, c) for c in first]
        later += [
            (device.name, results, c)
            for results, cases in shown
            for c in cases
            if (results.name != USUAL or c is not results.main_case(study))
        ]
    if not later:
        return [*lines, "Not among the committed results."]
    # Main cases of each device, then the rest.
    later.sort(key=lambda each: not (each[1].name == USUAL and each[2] is each[1].main_case(study)))
    lines += ["## Every variant", ""]
    left = 0
    for where, results, case in later:
        made = tables.stages(case)
        made = [f"### {cell(where)}, set `{results.name}`, {tables.case_name(case)}", "", *made, ""]
        if size(lines) + size(made) < MOST - 200:
            lines += made
        else:
            left += 1
    if left:
        lines += [f"The variants of {left} more cases are in `measurements.csv` and `ratios.csv` of the device."]
    return lines


def device_page(device: Device) -> list[str]:
    """What was run on a device, and how the ports came out by set."""
    lines = [f"# {cell(device.name)}", "", READING, ""]
    for results in device.sets:
        lines += [f"## Set `{results.name}`", "", *tables.environments(results), ""]
        lines += tables.lead(results)
    lines += ["## Ceilings", "", "The range is over the runs.", "", *tables.ceilings(device.sets[0]), ""]
    return lines


def ratios_page(device: Device) -> list[str]:
    """Where Kokkos is slower, and the yardsticks."""
    lines = [f"# {cell(device.name)}: slower stages and yardsticks", "", READING, ""]
    for results in device.sets:
        found = tables.slower_twins(results)
        if len(found) > 1:
            lines += [f"## Kokkos slower at the same stage, set `{results.name}`", "", *found, ""]
    lines += ["## Yardsticks", "", "A library or native code; the last column names other work.", ""]
    return [*lines, *tables.yardsticks(device.sets[0]), ""]


def pages(root: Path) -> dict[str, str]:
    """The pages' texts by file name. Errors: ResultsError."""
    there = devices(root / "bench" / "results")
    made: dict[str, list[str]] = {}
    studies = sorted({c.study for d in there for r in d.sets for c in r.cases})
    rows = []
    for study in studies:
        note = root / "src" / "studies" / study / "README.md"
        title = note.read_text(encoding="utf-8").splitlines()[0].lstrip("# ") if note.exists() else study
        made[f"{study}.md"] = study_page(study, title, there)
        rows.append([f"[{study}]({study}.md)", cell(title.partition(": ")[2])])
    for device in there:
        made[device.page] = device_page(device)
        made[device.page.replace(".md", "-ratios.md")] = ratios_page(device)
    index = ["# Results by study", "", READING, ""]
    index += tables.table([("study", "---"), ("what", "---")], rows)
    index += ["", "## Devices", ""]
    for device in there:
        more = device.page.replace(".md", "-ratios.md")
        index += [f"- [{cell(device.name)}]({device.page}); [slower stages and yardsticks]({more})"]
    made[INDEX] = index
    return {name: "\n".join(lines).rstrip() + "\n" for name, lines in made.items()}
