#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the README's pictures of committed results: the best of both models in every case.

    readme_plot.py FOLDER             writes FOLDER/best-1.svg and so on, from FOLDER's JSON
    readme_plot.py --check FOLDER     changes nothing; exit status 1 if they are not of its results

The pictures say of which ratios they are, so that checking needs no matplotlib. Exit status: 0 done
or up to date, 1 out of date, 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from pathlib import Path

from make_report import HERE, missing, write_whole
from readme_table import head_to_head
from results import Case, ResultsError

NAME = "best-{}.svg"


def contests(folder: Path) -> list[tuple[str, Case]]:
    """The cases in which both models ran, with their labels. Errors: ResultsError."""
    groups = head_to_head(folder)
    cases = sorted((case for group in groups.values() for case in group), key=lambda c: c.study)
    both = [(f"{c.study} {c.name}", c) for c in cases if c.comparison("best")]
    if not both:
        raise ResultsError(f"{folder} has no case in which both models ran")
    return both


def digest(cases: list[tuple[str, Case]]) -> str:
    """Of all that is drawn."""
    drawn = [(label, c.comparison("best")) for label, c in cases]
    text = repr([(label, b.own, b.other, b.ratio, b.verdict) for label, b in drawn])
    return hashlib.sha256(text.encode()).hexdigest()


def colours() -> str:
    """The page's, light and dark."""
    page = (HERE / "page.css").read_text(encoding="utf-8")
    both = r":root \{.*?\n\}\n@media \(prefers-color-scheme: dark\) \{.*?\n\}\n"
    found = re.search(both, page, re.DOTALL).group()
    return f"{found}svg {{ color: var(--ink); background: var(--paper); }}\n"


def pictures(cases: list[tuple[str, Case]]) -> list[str]:
    import plots

    mark = f"<metadata>results sha256 {digest(cases)}</metadata>"
    drawn = [plot.svg(f"best-{i}") for i, plot in enumerate(plots.summary(cases), 1)]
    head = f"\n<style>\n{colours()}</style>\n{mark}"
    return [svg.replace(">", ">" + head, 1) + "\n" for svg in drawn]


def is_current(folder: Path, cases: list[tuple[str, Case]]) -> bool:
    files = sorted(folder.glob(NAME.format("*")))
    mark = f"sha256 {digest(cases)}<"
    return bool(files) and all(mark in f.read_text(encoding="utf-8") for f in files)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="only see whether they are up to date")
    arguments = parser.parse_args()
    try:
        cases = contests(arguments.folder)
        if arguments.check:
            if is_current(arguments.folder, cases):
                return 0
            print(
                f"readme_plot: the pictures in {arguments.folder} are not of its results; "
                f"bench/report/readme_plot.py {arguments.folder} draws them",
                file=sys.stderr,
            )
            return 1
        if reason := missing():
            raise ResultsError(reason)
        drawn = pictures(cases)
        files = [arguments.folder / NAME.format(i) for i, _ in enumerate(drawn, 1)]
        for file, svg in zip(files, drawn):
            write_whole(file, svg)
        for old in set(arguments.folder.glob(NAME.format("*"))) - set(files):
            old.unlink()
    except ResultsError as error:
        print(f"readme_plot: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
