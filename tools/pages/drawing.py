# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matplotlib figures as SVG that lives inside the page and takes its colours from it.

Matplotlib draws with stand-in colours; on the way into the page each becomes a CSS variable, so
that one drawing serves the light and the dark scheme and print. The drawings are made as narrow as
a phone, for they can grow and text that shrinks cannot be read.
"""

from __future__ import annotations

import io
import math
import re
from html import escape

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

WIDTH = 360  # of every drawing, in its own units; the page scales it

# Stand-ins; what matplotlib writes as "#01020a" the page reads as the variable. Not black, which
# matplotlib leaves out of the file.
INK, MUTED, RULE, PAPER = "#01020a", "#01020b", "#01020c", "#01020d"
KOKKOS, OPENACC, YARDSTICK = "#01021a", "#01021b", "#01021c"
VARIABLES = {
    INK: "currentColor",
    MUTED: "var(--muted)",
    RULE: "var(--rule)",
    PAPER: "var(--paper)",
    KOKKOS: "var(--kokkos)",
    OPENACC: "var(--openacc)",
    YARDSTICK: "var(--yardstick)",
}

# A model is told by its marker as well as by its colour.
COLOURS = {"kokkos": KOKKOS, "openacc": OPENACC, "yardstick": YARDSTICK}
MARKERS = {"kokkos": "o", "openacc": "s", "yardstick": "^"}
# Of several OpenACC libraries each has a shape, a line and a hatching; the first those of before.
LIBRARY_MARKERS = ("s", "D", "v", "P")
RATIO_MARKERS = ("o", "D", "v", "P")  # where a point is a ratio to Kokkos
LIBRARY_LINES = ("-", "--", ":", "-.")
LIBRARY_HATCHES = ("////", "\\\\\\\\", "xxxx", "....")

matplotlib.rcParams.update(
    {
        "svg.fonttype": "none",  # text stays text
        "svg.hashsalt": "gangway",  # the same results make the same page
        "text.parse_math": False,  # a name may have a dollar in it
        "font.family": "DejaVu Sans",  # matplotlib's own; wider than what browsers have
        "font.size": 10.5,
        "axes.labelsize": 10.5,
        "xtick.labelsize": 10,
        "ytick.labelsize": 10,
        "legend.fontsize": 10,
        "legend.frameon": False,
        "legend.handletextpad": 0.4,
        "legend.columnspacing": 1.2,
        "legend.borderaxespad": 0,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": MUTED,
        "axes.facecolor": "none",
        "axes.linewidth": 0.8,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "grid.color": RULE,
        "grid.linewidth": 0.8,
        "figure.facecolor": "none",
        "lines.linewidth": 1.6,
        "lines.markersize": 6,
        "hatch.linewidth": 1.2,
    }
)


class Drawing:
    """One figure; `figure` is matplotlib's."""

    def __init__(self, height: float):
        self.figure = Figure(figsize=(WIDTH / 72, height / 72), dpi=72, layout="constrained")
        FigureCanvasSVG(self.figure)
        self.figure.get_layout_engine().set(w_pad=2 / 72, h_pad=3 / 72)
        self._tips: list[str] = []

    def tip(self, artist, text: str) -> None:
        """What the artist says when a mouse rests on it."""
        artist.set_gid(f"tip-{len(self._tips)}")
        self._tips.append(text)

    def svg(self, identifier: str, title: str, description: str) -> str:
        """An <svg> element; `identifier` must be its own on the page."""
        file = io.StringIO()
        self.figure.canvas.print_svg(file, metadata={"Date": None})
        text = file.getvalue()
        text = text[text.index("<svg") :].rstrip()
        opening, body = text.split(">", 1)
        view_box = re.search(r'viewBox="([^"]*)"', opening).group(1)
        body = re.sub(r"\s*<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
        body = re.sub(r"\s*<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.DOTALL)
        for stand_in, variable in VARIABLES.items():
            body = body.replace(stand_in, variable)
        body = re.sub(r"(font: [^;'\"]*?px) [^;\"]*", r"\1 var(--plot-font)", body)
        for number, tip in enumerate(self._tips):
            group = f'<g id="tip-{number}">'
            body = body.replace(group, f"<g><title>{escape(tip)}</title>", 1)
        # Names of clips and markers are their own only within one drawing.
        body = re.sub(r'\bid="', f'id="{identifier}-', body)
        body = re.sub(r'(href="#|url\(#)', rf"\g<1>{identifier}-", body)
        return (
            f'<svg class="plot" viewBox="{view_box}" role="img" '
            f'aria-labelledby="{identifier}-title {identifier}-description" '
            'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">\n'
            f'<title id="{identifier}-title">{escape(title)}</title>\n'
            f'<desc id="{identifier}-description">{escape(description)}</desc>{body}'
        )


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers between low and high for a logarithmic axis: at least two, at most `most`."""
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    slack = 1e-9
    chosen: list[float] = []
    for mantissas in ((1, 1.2, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        chosen = [
            m * 10.0**e
            for e in range(first, last + 1)
            for m in mantissas
            if low * (1 - slack) <= m * 10.0**e <= high * (1 + slack)
        ]
        if len(chosen) <= most:
            break
    if len(chosen) > most:  # many decades: every n-th
        step = math.ceil(len(chosen) / most)
        anchor = next((i for i, t in enumerate(chosen) if math.isclose(t, 1)), 0)
        chosen = chosen[anchor % step :: step]
    if len(chosen) < 3:  # a narrow range has no round decades in it
        chosen = [t for t in MaxNLocator(5).tick_values(low, high) if low <= t <= high]
    return chosen


def log_axis(axis, low: float, high: float, text=None, most: int = 7) -> None:
    """Makes an axis (axes.xaxis or axes.yaxis) logarithmic, from low to high, with plain labels."""
    axis._set_axes_scale("log")
    (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(low, high)
    axis.set_major_locator(FixedLocator(log_ticks(low, high, most)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: (text or "{:g}".format)(value)))


def padded(values: list[float], margin: float = 1.15) -> tuple[float, float]:
    """A logarithmic range around the values with room at both ends."""
    low, high = min(values), max(values)
    room = max(margin, (high / low) ** 0.06)
    return low / room, high * room
