#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the results of runs into the folder of a device, from which pages are made.

    add_results.py bench/results/DEVICE RESULTS ... [--set usual]

RESULTS are files that `gangway compare --json` wrote, of this commit or an older one, and folders of
such files. They become the set of that name in the folder; one that had the name is replaced, others
stay. Each case is kept once: of two by the same compilers the one with both models, then the fuller,
then the newer. sets.py says what the folder holds. Name a new folder in bench/results/current.json, and
run make_pages.py.

Exit status: 0 done; 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import sets
from results import ResultsError, Run, read
from tables import compilers


def files_of(places: list[Path]) -> list[Path]:
    found = []
    for place in places:
        found += sorted(place.glob("*.json")) if place.is_dir() else [place]
    if not found:
        raise ResultsError("no JSON file is in these folders")
    return found


def without_repetitions(runs: list[Run]) -> list[Run]:
    """The runs with each case once, and without those that have none left. Cases of sweeps are left out."""
    best: dict[tuple, tuple] = {}
    for run in runs:
        for case in [] if run.sweeps else run.cases:
            weight = (
                case.comparison("best") is not None,
                len(case.measurements),
                run.provenance.get("date", ""),
            )
            same = (run.device, compilers(run), *case.key)
            if same not in best or weight > best[same][0]:
                best[same] = (weight, case)
    kept = {id(case) for _, case in best.values()}
    for run in runs:
        run.cases = [case for case in run.cases if id(case) in kept]
    return [run for run in runs if run.cases]


def put(folder: Path, name: str, files: list[Path]) -> None:
    """Makes the files the set of that name in the folder. Errors: ResultsError."""
    runs = without_repetitions([read(file) for file in files])
    if not runs:
        raise ResultsError("these files have no case")
    there = sets.read(folder) if (folder / sets.DOCUMENT).exists() else []
    new = sets.Set(name, runs)
    if name in (names := [each.name for each in there]):
        there[names.index(name)] = new
    else:
        there.append(new)
    sets.write(folder, there)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the device, such as bench/results/h200")
    parser.add_argument("results", type=Path, nargs="+", help="JSON files, or folders of them")
    parser.add_argument("--set", default="usual", metavar="NAME", help="the set they become (%(default)s)")
    arguments = parser.parse_args()
    try:
        put(arguments.folder, arguments.set, files_of(arguments.results))
    except ResultsError as error:
        print(f"add_results: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
