# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of a folder of results that the README shows: both models in every study.

The picture says of which ratios it is, so that checking needs no matplotlib.
"""

from __future__ import annotations

import hashlib
import re

from make_report import HERE, missing, write_whole
from results import ResultsError
from tables import Results, drawn

NAME = "overview.svg"


def digest(results: Results) -> str:
    """Of all that is drawn."""
    ratios = [
        (case.study, case.name, case.scope, c.kind, c.own, c.other, c.ratio, c.flag)
        for case in results.head_to_head
        for c in drawn(case)
    ]
    title = (results.device, results.whose_openacc)
    return hashlib.sha256(repr((title, ratios)).encode()).hexdigest()


def is_current(results: Results) -> bool:
    file = results.folder / NAME
    return file.exists() and f"sha256 {digest(results)}<" in file.read_text(encoding="utf-8")


def colours() -> str:
    """The page's, light and dark."""
    page = (HERE / "page.css").read_text(encoding="utf-8")
    both = r":root \{.*?\n\}\n@media \(prefers-color-scheme: dark\) \{.*?\n\}\n"
    found = re.search(both, page, re.DOTALL).group()
    return f"{found}svg {{ color: var(--ink); background: var(--paper); }}\n"


def draw(results: Results) -> None:
    """Errors: ResultsError, also where there is no matplotlib."""
    if reason := missing():
        raise ResultsError(f"{results.folder / NAME} is to be drawn again: {reason}")
    import plots

    plot = plots.overview(results.head_to_head, results.device, results.whose_openacc)
    svg = plot.svg("overview")
    mark = f"<metadata>results sha256 {digest(results)}</metadata>"
    head = f"\n<style>\n{colours()}</style>\n{mark}"
    write_whole(results.folder / NAME, svg.replace(">", ">" + head, 1) + "\n")
