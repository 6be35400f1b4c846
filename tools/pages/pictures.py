# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The picture of a folder of results that the README shows: the same stages, by GCC and by the control.

It is a file of its own, for viewers without CSS variables too (librsvg, LaTeX, previews): colours are
presentation attributes, which a style sheet changes where the scheme is dark. The picture says of which ratios it is, so that checking needs no matplotlib.
"""

from __future__ import annotations

import hashlib
import re

from make_report import HERE, missing, write_whole
from results import CONTROL, Case, Comparison, ResultsError
from tables import Results

NAME = "overview.svg"
FORM = 3  # of the drawing: another one makes pictures of before out of date


def control_marks(results: Results) -> list[tuple[Case, Comparison]]:
    """The same stages, OpenACC's by `gangway port`."""
    return [(k, c) for k in results.cases for c in k.comparisons if c.is_port and c.library == CONTROL]


def digest(results: Results) -> str:
    """Of all that is drawn."""
    ratios = [(case, c) for case in results.head_to_head for c in case.comparisons if c.is_port]
    said = [
        (case.study, case.name, case.scope, c.kind, c.own, c.other, c.ratio, c.flag)
        for case, c in ratios + control_marks(results)
    ]
    title = (results.device, results.whose_openacc)
    return hashlib.sha256(repr((FORM, title, said)).encode()).hexdigest()


def is_current(results: Results) -> bool:
    file = results.folder / NAME
    mark = f"sha256 {digest(results)}<"
    return file.exists() and mark in file.read_text(encoding="utf-8")


def colours() -> tuple[dict[str, str], dict[str, str]]:
    """The page's, light and dark, by the variable's name."""
    page = (HERE / "page.css").read_text(encoding="utf-8")
    both = r":root \{(.*?)\}\n@media \(prefers-color-scheme: dark\) \{(.*?\})\n\}"
    found = re.search(both, page, re.DOTALL).groups()
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", each)) for each in found)
    return light, dark


def standalone(svg: str) -> str:
    """The drawing with its colours in it. An inline style would win over the style sheet, and so each
    becomes attributes."""
    light, dark = colours()

    def attributes(found: re.Match) -> str:
        text = re.sub(r"\bfont: ([^;]*?px) ([^;]*)", r"font-size: \1; font-family: \2", found[1])
        pairs = [part.partition(":") for part in text.split(";") if part.strip()]
        return " ".join(f'{name.strip()}="{value.strip()}"' for name, _, value in pairs)

    svg = re.sub(r'style="([^"]*)"', attributes, svg)
    svg = svg.replace("currentColor", light["ink"]).replace("var(--plot-font)", "sans-serif")
    svg = re.sub(r"var\(--([\w-]+)\)", lambda found: light[found[1]], svg)
    changed = [
        f'    [{what}="{light[name]}"] {{ {what}: {dark[name]}; }}'
        for name in sorted(light.keys() & dark.keys())
        for what in ("fill", "stroke")
        if f'{what}="{light[name]}"' in svg or name == "paper" and what == "fill"
    ]
    rules = "\n".join(["  @media (prefers-color-scheme: dark) {", *changed, "  }"])
    paper = f'<rect width="100%" height="100%" fill="{light["paper"]}"/>'
    return svg.replace(">", f">\n<style>\n{rules}\n</style>\n{paper}", 1)


def draw(results: Results) -> None:
    """Errors: ResultsError, also where there is no matplotlib."""
    if reason := missing():
        raise ResultsError(f"{results.folder / NAME} is to be drawn again: {reason}")
    import plots

    marks = control_marks(results)
    plot = plots.overview(results.head_to_head, results.device, results.whose_openacc, marks)
    svg = standalone(plot.svg("overview"))
    mark = f"<metadata>results sha256 {digest(results)}</metadata>"
    write_whole(results.folder / NAME, svg.replace(">", f">\n{mark}", 1) + "\n")
