#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the README's tables from committed results, so that their numbers cannot drift.

    readme_table.py [--readme README.md]     rewrites what is between each pair of marks
    readme_table.py --check                  changes nothing; exit status 1 if out of date

A pair of marks is <!-- results:begin FOLDER --> and <!-- results:end -->; FOLDER, seen from the
README's, holds the JSON of `gangway compare`. Exit status: 0 done or up to date, 1 out of date,
2 bad usage or input.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from make_report import write_whole
from results import (
    Case,
    Measurement,
    ResultsError,
    Run,
    device_of,
    ratio_text,
    read,
    seconds_text,
    share_text,
    verdict_text,
)

ROOT = Path(__file__).resolve().parents[2]
MARKS = re.compile(r"<!-- results:begin (\S+) -->.*?<!-- results:end -->", flags=re.DOTALL)


def environment(run: Run) -> str:
    """What the numbers of a run hold for: device, day, and the compilers of both models."""
    facts = run.provenance
    day = facts.get("date", "no date").split("T")[0]
    where = facts.get("openacc device", "")
    alone = " on one host thread" if "one thread" in where else ""
    return (
        f"**{device_of(facts)}**, {day}, Gangway {facts.get('gangway', '?')}. Kokkos "
        f"{facts.get('kokkos', '?').replace(', ', ' with ')}, by "
        f"{facts.get('kokkos compiler', '?')}; OpenACC by "
        f"**{facts.get('openacc compiler', 'an unknown compiler')}**{alone}."
    )


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def contestant(m: Measurement | None) -> str:
    return f"`{cell(m.variant)}` {seconds_text(m.time.median)}" if m else "–"


def row(case: Case) -> str:
    kokkos, openacc = case.best("kokkos"), case.best("openacc")
    best = case.comparison("best")
    if best:
        ratio = ratio_text(best.ratio)
        said = verdict_text(best)
        if best.verdict != "no difference":
            ratio = f"**{ratio}**"
    else:
        ratio = "–"
        failed = [m for m in case.measurements if m.failed]
        said = "failed its check" if failed else "not run in both"
    shares = [cell(share_text(m)) if m else "–" for m in (kokkos, openacc)]
    scope = "" if case.scope == "kernel" else f" ({case.scope})"
    return (
        f"| {cell(case.study)} | {cell(case.name)}{scope} | {contestant(kokkos)} | "
        f"{contestant(openacc)} | {ratio} | {said} | {shares[0]} | {shares[1]} |"
    )


def head_to_head(folder: Path) -> dict[str, list[Case]]:
    """The cases of a folder's results by what they hold for, ordered by study.

    Errors: ResultsError."""
    runs = [read(file) for file in sorted(folder.glob("*.json"))]
    groups: dict[str, dict[tuple, tuple]] = {}
    for run in runs:
        if run.sweeps or run.provenance.get("openacc") == "none":
            continue  # no head to head
        cases = groups.setdefault(environment(run), {})
        for case in run.cases:
            # Of two files with the same case the fuller counts.
            weight = (case.comparison("best") is not None, len(case.measurements))
            if case.key not in cases or weight > cases[case.key][0]:
                cases[case.key] = (weight, case)
    if not any(groups.values()):
        raise ResultsError(f"{folder} has no results of both models")
    return {
        heading: sorted((case for _, case in cases.values()), key=lambda c: c.study)
        for heading, cases in groups.items()
        if cases
    }


def table(folder: Path) -> str:
    """The text between the marks. Errors: ResultsError."""
    groups = head_to_head(folder)
    try:
        place = folder.resolve().relative_to(ROOT)
    except ValueError:
        place = folder
    lines = []
    for heading, cases in groups.items():
        lines += [
            heading,
            "",
            "| study | case | best Kokkos | best OpenACC | OpenACC / Kokkos [95 %] | "
            "| of the ceiling, Kokkos | OpenACC |",
            "|---|---|---|---|---:|---|---|---|",
        ]
        lines += [row(case) for case in cases]
        lines.append("")
    lines.append(
        "Median of the paired ratios and its 95 % interval; above 1 Kokkos is faster. Made from "
        f"`{place.as_posix()}` by `bench/report/readme_table.py`."
    )
    return "\n".join(lines)


def replaced(text: str, readme: Path) -> str:
    marks = MARKS.findall(text)
    if not marks or not len(marks) == text.count("<!-- results:begin") == text.count(
        "<!-- results:end"
    ):
        raise ResultsError(
            f"{readme} needs the lines <!-- results:begin FOLDER --> and <!-- results:end -->, "
            "in pairs"
        )
    return MARKS.sub(
        lambda m: f"<!-- results:begin {m[1]} -->\n{table(readme.parent / m[1])}\n"
        "<!-- results:end -->",
        text,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md", metavar="FILE")
    parser.add_argument("--check", action="store_true", help="only see whether it is up to date")
    arguments = parser.parse_args()
    try:
        try:
            text = arguments.readme.read_text(encoding="utf-8")
        except OSError as error:
            raise ResultsError(f"cannot read {arguments.readme}: {error.strerror}") from error
        new = replaced(text, arguments.readme)
        if new == text:
            return 0
        if arguments.check:
            print(
                f"readme_table: a table in {arguments.readme} is not that of its results; "
                "bench/report/readme_table.py writes it",
                file=sys.stderr,
            )
            return 1
        write_whole(arguments.readme, new)
    except ResultsError as error:
        print(f"readme_table: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
