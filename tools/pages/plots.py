# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's plots. Each function returns a Plot, or None where the results have nothing for it;
the page then says so in a sentence."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from statistics import median
from typing import Sequence

import numpy
from matplotlib.colors import to_hex
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from drawing import (
    COLOURS,
    INK,
    KOKKOS,
    LIBRARY_HATCHES,
    LIBRARY_LINES,
    LIBRARY_MARKERS,
    MARKERS,
    MUTED,
    OPENACC,
    PAPER,
    RATIO_MARKERS,
    RULE,
    Drawing,
    log_axis,
    padded,
)
from results import (
    Case,
    Comparison,
    Estimate,
    Measurement,
    Run,
    amount_text,
    digits,
    ratio_text,
    seconds_text,
    share_text,
    side_text,
    verdict_text,
)


@dataclass
class Plot:
    drawing: Drawing
    title: str
    description: str  # for those who cannot see it
    caption: str = ""

    def svg(self, identifier: str) -> str:
        return self.drawing.svg(identifier, self.title, self.description)


def _style(model: str, beyond: bool = False, **more) -> dict:
    """Hollow for variants that go beyond the documents."""
    colour = COLOURS[model]
    return {
        "marker": MARKERS[model],
        "color": colour,
        "markerfacecolor": PAPER if beyond and model != "yardstick" else colour,
        "markeredgecolor": colour,
        "markeredgewidth": 1.5,
        "linestyle": "none",
        **more,
    }


def _pick(of: tuple[str, ...], number: int) -> str:
    return of[number % len(of)]


def _labels_of(cases: list[Case]) -> list[str]:
    """Of the OpenACC libraries, in their order: each has its own shape in all of a plot."""
    return list(dict.fromkeys(label for case in cases for label in case.libraries if label))


def _style_of(m: Measurement, labels: list[str], **more) -> dict:
    made = _style(m.model, m.beyond, **more)
    if m.label:
        made["marker"] = _pick(LIBRARY_MARKERS, labels.index(m.label))
    return made


def _side_handles(measurements: list[Measurement], labels: list[str]) -> list[Line2D]:
    """Who is who, once each, and what hollow means if there is such a mark."""
    sides = {m.side: m for m in reversed(measurements)}
    order = dict.fromkeys(m.side for m in measurements)
    handles = [
        Line2D([], [], label=side, **_style_of(sides[side], labels) | _full(sides[side].model))
        for side in order
    ]
    if any(m.beyond and m.model != "yardstick" for m in measurements):
        hollow = {"marker": "o", "color": MUTED, "markerfacecolor": PAPER, "linestyle": "none"}
        handles.append(Line2D([], [], label="hollow: beyond", **hollow))
    return handles


def _full(model: str) -> dict:
    return {"markerfacecolor": COLOURS[model]}


def _legend(axes_or_figure, handles, columns: int) -> None:
    axes_or_figure.legend(
        handles=handles, loc="outside upper left", ncols=columns, handlelength=1.2
    )


# --- ratios -----------------------------------------------------------------------------------


@dataclass
class _Row:
    """One line: a ratio for each OpenACC library, the best first. What is flagged is not drawn."""

    label: str
    marks: list[tuple[Comparison, dict]]

    @property
    def first(self) -> Comparison:
        return self.marks[0][0]


def _rows(lines: list[tuple[str, list[tuple[Comparison, dict]]]]) -> tuple[list[_Row], str]:
    """The lines that can be drawn, and a sentence on what of them is left out."""
    rows, left_out = [], []
    for label, marks in lines:
        kept = [(c, marker) for c, marker in marks if not c.flag]
        if kept:
            rows.append(_Row(label, kept))
        for c, _ in marks:
            if c.flag:
                who = f"{label} ({c.library})" if c.library else label
                left_out.append(f"{who} {digits(c.ratio.median)} ({c.flag})")
    if not left_out:
        return rows, ""
    return rows, f"Not drawn, as flagged: {'; '.join(left_out)}."


def _ratio_style(library: str, labels: list[str], beyond: bool = False, **more) -> dict:
    made = _style("kokkos", beyond, **more)
    if library:
        made["marker"] = _pick(RATIO_MARKERS, labels.index(library))
    return made


def _library_handles(labels: list[str]) -> list[Line2D]:
    """None where there is one library."""
    return [Line2D([], [], label=each, **_ratio_style(each, labels)) for each in labels]


def _short(name: str, most: int = 24) -> str:
    """A name that leaves room for the plot; its whole is in the table."""
    return name if len(name) <= most else name[: most - 1] + "…"


def _range(rows: list[_Row]) -> tuple[float, float]:
    values = [v for r in rows for c, _ in r.marks for v in (c.ratio.low, c.ratio.high)]
    return padded(values + [0.9, 1.1])


def _forest(
    rows: list[_Row], title: str, handles: list, span: tuple[float, float], caption: str = ""
) -> Plot:
    """Ratios with their intervals, on a logarithmic axis with a line at 1. The number at a line's
    end is the first ratio's."""
    columns = 3
    legend = 16 * math.ceil(len(handles) / columns)
    drawing = Drawing(18 * len(rows) + 62 + legend)
    axes = drawing.figure.subplots()
    axes.axvline(1, color=INK, linewidth=1)
    for y, row in enumerate(rows):
        axes.axhline(y, color=RULE, linewidth=0.5)
        for number, (comparison, marker) in enumerate(row.marks):
            ratio = comparison.ratio
            at = y + 0.3 * (number - (len(row.marks) - 1) / 2)
            axes.plot(
                [ratio.low, ratio.high],
                [at, at],
                color=marker["color"],
                linewidth=2.2,
                solid_capstyle="butt",
            )
            (point,) = axes.plot([ratio.median], [at], **marker)
            drawing.tip(
                point,
                f"{row.label}: {ratio_text(ratio)} over {ratio.rounds} rounds, "
                f"{comparison.own} against {comparison.other}",
            )
        axes.annotate(
            digits(row.first.ratio.median),
            (1, y),
            (3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            annotation_clip=False,
            weight="bold" if row.first.decided else "normal",
        )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.yaxis.set_major_locator(FixedLocator(range(len(rows))))
    axes.set_yticklabels([_short(r.label) for r in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    log_axis(axes.xaxis, *span, most=6)
    axes.set_xlabel("time ratio; right of 1 Kokkos is faster", loc="right")
    if handles:
        _legend(drawing.figure, handles, min(len(handles), columns))
    described = "; ".join(
        f"{r.label}{f' ({c.library})' if c.library else ''} {ratio_text(c.ratio)}, {verdict_text(c)}"
        for r in rows
        for c, _ in r.marks
    )
    explained = "Ratios with 95 % intervals; above 1 Kokkos is faster"
    text = " ".join(filter(None, [f"{explained}. {described}.", caption]))
    return Plot(drawing, title, text, caption)


def summary(cases: list[tuple[str, Case]], whose: str = "OpenACC") -> list[Plot]:
    """The best Kokkos variant against the best OpenACC variant of every case; many cases fill
    several plots with one axis, so that they stand side by side where there is room."""
    labels = _labels_of([case for _, case in cases])
    lines = []
    for label, case in cases:
        bests = [case.comparison("best", library=each) for each in case.libraries]
        found = sorted((c for c in bests if c), key=lambda c: c is not case.tuned)
        lines.append((label, [(c, _ratio_style(c.library, labels)) for c in found]))
    rows, left_out = _rows(lines)
    title = f"Best time of {whose} over best Kokkos time"
    count = math.ceil(len(rows) / 28)
    size = math.ceil(len(rows) / max(count, 1))
    return [
        _forest(
            rows[i * size : (i + 1) * size],
            title if count == 1 else f"{title}, {i + 1} of {count}",
            _library_handles(labels),
            _range(rows),
            left_out if i == count - 1 else "",
        )
        for i in range(count)
    ]


AXIS = (0.5, 5.0)  # of the overview; a ratio beyond it is an arrow with its number


@dataclass
class _Side:
    """One colour of a row in the overview: the ratios of the same stage by one compiler."""

    name: str
    colour: str
    at: float  # of the row's middle
    ratios: list[Comparison]

    @property
    def shown(self) -> list[float]:
        return sorted(c.ratio.median for c in self.ratios if not c.flag)

    def text(self, study: str) -> str:
        values = self.shown
        said = f"{study}, {self.name} / Kokkos: "
        if values:
            said += f"median {digits(median(values))} of {len(values)} stages"
            said += f", {digits(values[0])} to {digits(values[-1])}"
        if flagged := [c.ratio.median for c in self.ratios if c.flag]:
            said += "; " if values else ""
            said += f"{len(flagged)} that the compiler sets, up to {digits(max(flagged))}"
        return said

    @property
    def largest(self) -> float | None:
        """The largest ratio that is beyond the axis or the compiler's."""
        far = [c.ratio.median for c in self.ratios if c.flag or c.ratio.median > AXIS[1]]
        return max(far, default=None)


def overview(
    cases: list[Case],
    where: str,
    whose: str = "OpenACC",
    control: Sequence[tuple[Case, Comparison]] = (),
) -> Plot:
    """A row per study: the ratios of the same stage in all its cases, from the smallest to the
    largest, with their median. `control` are the same stages by `gangway port`. A ratio that is
    flagged or beyond the axis is in the number at the right."""
    ports = [(case, c) for case in cases for c in case.comparisons if c.is_port]
    first = next(iter(_labels_of(cases)), "")
    ports = [(case, c) for case, c in ports if c.library == first]
    rows = []
    for study in sorted({case.study for case, _ in ports}):
        sides = [_Side(whose, OPENACC, -0.17, [c for case, c in ports if case.study == study])]
        if control:
            mine = [c for case, c in control if case.study == study]
            sides.append(_Side("gangway port", KOKKOS, 0.17, mine))
        rows.append((study, sides))
    drawing = Drawing(15 * len(rows) + 84)
    axes = drawing.figure.subplots()
    axes.axvline(1, color=INK, linewidth=1)
    for y, (study, sides) in enumerate(rows):
        axes.axhline(y + 0.5, color=RULE, linewidth=0.5)
        for place, side in enumerate(sides):
            values = side.shown
            if values:
                ends = numpy.clip([values[0], values[-1]], *AXIS)
                line = {"color": side.colour, "linewidth": 1.8, "solid_capstyle": "butt"}
                axes.plot(ends, [y + side.at] * 2, **line)
                at = numpy.clip([median(values)], *AXIS)
                style = {"marker": "o", "markersize": 5, "color": side.colour, "linestyle": "none"}
                (point,) = axes.plot(at, [y + side.at], clip_on=False, **style)
                drawing.tip(point, side.text(study))
            if side.largest is not None:
                number = axes.annotate(
                    f"\u25b8\u2009{digits(side.largest)}",
                    (1.01 + 0.19 * place, y),
                    xycoords=("axes fraction", "data"),
                    va="center",
                    annotation_clip=False,
                    color=side.colour,
                    fontsize=9,
                )
                drawing.tip(number, side.text(study))
    axes.set_xlim(*AXIS)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.yaxis.set_major_locator(FixedLocator(range(len(rows))))
    axes.set_yticklabels([_short(study) for study, _ in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(FixedLocator([0.5, 1, 2, 3, 4, 5]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("time / Kokkos' time; right of 1 Kokkos is faster", loc="right")
    names = [(side.name, side.colour) for side in rows[0][1]] if rows else []
    handles = [
        Line2D([], [], label=name, color=colour, marker="o", markersize=5) for name, colour in names
    ]
    _legend(drawing.figure, handles, 2)
    described = ". ".join(side.text(study) for study, sides in rows for side in sides if side.ratios)
    return Plot(drawing, f"Time of {whose} over Kokkos time at the same stage, {where}", f"{described}.")


def ratios(case: Case) -> Plot | None:
    """All that Kokkos is compared with in one case."""
    labels = _labels_of([case])
    lines = []
    for m in case.of("kokkos"):
        found = [
            case.comparison("twins", m.name, label) or case.comparison("beyond", m.name, label)
            for label in case.libraries
        ]
        marks = [(c, _ratio_style(c.library, labels, m.beyond)) for c in found if c]
        lines.append((m.variant, marks))
    best = case.best("kokkos")
    for c in case.comparisons:
        if c.kind == "yardstick" and best and c.own == best.name:
            lines.append((c.other_variant, [(c, _style("yardstick"))]))
    rows, left_out = _rows(lines)
    if not rows:
        return None
    comparisons = [c for row in rows for c, _ in row.marks]
    # A variant beyond without a twin stands against the best of OpenACC.
    against = {c.kind for c in comparisons if c.kind != "yardstick" and not c.stage}
    beyond = {("beyond",): "beyond: best OpenACC", ("twins",): "twin, beyond"}
    kinds = {
        "stage": Line2D([], [], label="twin", **_style("kokkos")),
        "beyond": Line2D(
            [], [], label=beyond.get(tuple(against), "beyond"), **_style("kokkos", True)
        ),
        "yardstick": Line2D([], [], label="yardstick: best Kokkos", **_style("yardstick")),
    }
    present = {
        "yardstick" if c.kind == "yardstick" else "stage" if c.stage else "beyond"
        for c in comparisons
    }
    handles = [h for kind, h in kinds.items() if kind in present] if present != {"stage"} else []
    handles += _library_handles(labels)
    title = f"{case.study}, {case.name}: time ratios"
    return _forest(rows, title, handles, _range(rows), left_out)


# --- the guide's two figures ------------------------------------------------------------------

# Read by eye off the charts of the OpenACC Programming and Best Practices Guide, chapter 6 (V100,
# NVHPC 20.11), for its own matrix: speed relative to vector length 128, and to one worker of 32.
GUIDE = "guide's chart, V100"
GUIDE_VECTOR = {32: 2.46, 64: 1.8, 128: 1.0, 256: 0.53, 1024: 0.1}
GUIDE_WORKERS = {1: 1.0, 2: 1.24, 4: 1.26, 8: 1.25, 16: 1.16, 32: 1.21}


def paired_ratio(other: Measurement, own: Measurement) -> Estimate:
    """other/own, round by round: above 1, `own` is faster."""
    return bootstrap_median([o / s for o, s in zip(other.seconds, own.seconds)])


def bootstrap_median(values: list[float]) -> Estimate:
    """The median and its 95 % interval, as the program computes them (src/harness/statistics.hpp); of few values their
    whole range."""
    count = len(values)
    rank = _sure_rank(count) if count >= 6 else 1
    ordered = numpy.sort(numpy.asarray(values))
    low, high = ordered[rank - 1], ordered[count - rank]
    if 6 <= count <= 1000:
        picks = numpy.random.default_rng(20260711).integers(count, size=(4000, count))
        medians = numpy.sort(numpy.median(numpy.asarray(values)[picks], axis=1))
        low, high = min(low, medians[100]), max(high, medians[3899])
    return Estimate(float(numpy.median(values)), float(low), float(high), count)


def _sure_rank(count: int) -> int:
    """The largest k of an interval from the k-th smallest to the k-th largest that holds the median of any distribution
    in at least 95 of 100 cases."""
    below, rank = 0.0, 0
    while True:
        ways = math.lgamma(count + 1) - math.lgamma(rank + 1) - math.lgamma(count - rank + 1)
        below += math.exp(ways - count * math.log(2))
        if 2 * below > 0.05:
            return rank
        rank += 1


def _by_number(case: Case, model: str, label: str, prefix: str) -> dict[int, Measurement]:
    found = {}
    for m in case.of(model):
        if m.time and m.label == label and (match := re.fullmatch(prefix + r"-(\d+)", m.variant)):
            found[int(match.group(1))] = m
    return dict(sorted(found.items()))


@dataclass
class _Series:
    """One side's times by the number of a clause, and that of them which they are relative to."""

    model: str
    label: str
    number: int  # of the library
    measured: dict[int, Measurement]
    reference: Measurement | None

    @property
    def side(self) -> str:
        return side_text(self.model, self.label)

    @property
    def style(self) -> dict:
        made = _style(self.model)
        if self.label:
            made["marker"] = _pick(LIBRARY_MARKERS, self.number)
        return made

    @property
    def line(self) -> str:
        return _pick(LIBRARY_LINES, self.number)


def _all_series(case: Case, of) -> list[_Series]:
    """`of(model, label)` gives the measured ones and the reference."""
    sides = [("kokkos", "", 0), *(("openacc", each, i) for i, each in enumerate(case.libraries))]
    return [_Series(model, label, i, *of(model, label)) for model, label, i in sides]


def _relative(
    series: list[_Series], guide: dict[int, float] | None, title: str, axis: str, base: str
) -> Plot | None:
    """How fast each number of a clause is, relative to one of them, for both models."""
    lines: list[tuple[_Series, dict[int, Estimate]]] = []
    for one in series:
        if one.reference is not None and one.reference.time and len(one.measured) >= 2:
            found = {n: paired_ratio(one.reference, m) for n, m in one.measured.items()}
            lines.append((one, found))
    if not lines:
        return None
    drawing = Drawing(300)
    axes = drawing.figure.subplots()
    axes.axhline(1, color=INK, linewidth=1)
    handles = []
    for one, line in lines:
        colour = COLOURS[one.model]
        axes.plot(list(line), [e.median for e in line.values()], color=colour, linestyle=one.line)
        for number, estimate in line.items():
            interval = [estimate.low, estimate.high]
            axes.plot([number] * 2, interval, color=colour, linewidth=3)
            (point,) = axes.plot([number], [estimate.median], **one.style)
            drawing.tip(
                point,
                f"{one.side}, {axis} {number}: {ratio_text(estimate)} × {base}, "
                f"{seconds_text(one.measured[number].time.median)}",
            )
        handles.append(Line2D([], [], label=one.side, **{**one.style, "linestyle": one.line}))
    if guide:
        style = {"color": MUTED, "marker": "x", "linestyle": "--", "linewidth": 1.2}
        axes.plot(list(guide), list(guide.values()), zorder=1, **style)
        handles.append(Line2D([], [], label=GUIDE, **style))
    numbers = sorted({n for _, line in lines for n in line} | set(guide or {}))
    values = [v for _, line in lines for e in line.values() for v in (e.low, e.high)]
    values += list((guide or {}).values())
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(numbers))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel(axis)
    log_axis(axes.yaxis, *padded(values + [0.9, 1.1]))
    axes.grid(axis="y")
    axes.set_ylabel(f"speed relative to {base}")
    _legend(drawing.figure, handles, 3 if len(handles) <= 3 else 2)
    described = ". ".join(
        f"{one.side}: " + ", ".join(f"{n} {digits(e.median)}" for n, e in line.items())
        for one, line in lines
    )
    return Plot(drawing, title, f"Speed relative to {base}. {described}.")


def vector_lengths(case: Case) -> Plot | None:
    def side(model: str, label: str) -> tuple[dict[int, Measurement], Measurement | None]:
        measured = _by_number(case, model, label, "vector")
        return measured, measured.get(128)

    guide = GUIDE_VECTOR if case.settings.get("matrix") == "guide" else None
    title = f"{case.study}, {case.name}: vector length"
    return _relative(_all_series(case, side), guide, title, "vector length", "length 128")


def worker_counts(case: Case) -> Plot | None:
    def side(model: str, label: str) -> tuple[dict[int, Measurement], Measurement | None]:
        one = case.find(model, "vector-32", label)
        measured = _by_number(case, model, label, "workers")
        return ({1: one, **measured} if one and one.time else measured), one

    guide = GUIDE_WORKERS if case.settings.get("matrix") == "guide" else None
    title = f"{case.study}, {case.name}: workers"
    axis = "workers of vector length 32"
    return _relative(_all_series(case, side), guide, title, axis, "1 worker")


# --- sweeps -----------------------------------------------------------------------------------


def heat_map(sweep: Case, colours) -> Plot | None:
    """Workers × vector; a cell is the best over the items a worker takes."""
    cells: dict[tuple[int, int], list] = {}
    for point in sweep.points:
        cells.setdefault((point.workers, point.vector), []).append(point)
    timed = {
        at: min((p for p in points if p.measurement.time), key=_point_time, default=None)
        for at, points in cells.items()
    }
    best = min((p for p in timed.values() if p), key=_point_time, default=None)
    if best is None or len(cells) < 2:
        return None
    workers = sorted({w for w, _ in cells})
    vectors = sorted({v for _, v in cells})
    fastest = _point_time(best)
    slowest = max(_point_time(p) for p in timed.values() if p)
    several = len({p.items for p in sweep.points}) > 1

    row = 34 if several else 24
    drawing = Drawing(row * len(workers) + 50)
    axes = drawing.figure.subplots()
    for y, w in enumerate(workers):
        for x, v in enumerate(vectors):
            point = timed.get((w, v))
            if point is None:
                _empty_cell(drawing, axes, x, y, w, v, cells.get((w, v)))
                continue
            slower = _point_time(point) / fastest
            # From 1 to 4 times slower by logarithm: what is farther off is merely bad.
            shade = min(math.log(slower) / math.log(max(min(slowest / fastest, 4), 1.05)), 1)
            colour = colours(1 - shade)
            is_best = point is best
            box = Rectangle(
                (x - 0.48, y - 0.47),
                0.96,
                0.94,
                facecolor=to_hex(colour),
                edgecolor=INK if is_best else "none",
                linewidth=2.5 if is_best else 0,
            )
            axes.add_patch(box)
            drawing.tip(
                box,
                f"{w} workers × vector {v}, {point.items} each: "
                f"{seconds_text(_point_time(point))}, {digits(slower)} × the best; "
                f"{share_text(point.measurement)}",
            )
            text = ("★ " if is_best else "") + f"{slower:.2f}" if slower < 9.995 else digits(slower)
            if several:
                text += f"\n{point.items} each"
            axes.text(
                x,
                y,
                text,
                ha="center",
                va="center",
                color=_readable_on(colour),
                fontsize=9.5,
                weight="bold" if is_best else "normal",
                linespacing=1.15,
            )
    axes.set_xlim(-0.5, len(vectors) - 0.5)
    axes.set_ylim(len(workers) - 0.5, -0.5)
    axes.set_xticks(range(len(vectors)), vectors)
    axes.set_yticks(range(len(workers)), workers)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("vector length")
    axes.set_ylabel("workers")
    where = f"{best.workers} workers × vector {best.vector}" + (
        f", {best.items} item{'' if best.items == 1 else 's'} a worker" if several else ""
    )
    caption = f"Time over the best time, which is {seconds_text(fastest)} at {where} (★)."
    if several:
        caption += " Each cell is the best of the numbers of items a worker takes."
    return Plot(
        drawing,
        f"{sweep.study}, {sweep.name}: workers × vector length, Kokkos",
        f"{caption} Slowest cell {digits(slowest / fastest)}.",
        caption,
    )


def _point_time(point) -> float:
    return point.measurement.time.median


def _empty_cell(drawing: Drawing, axes, x, y, workers, vector, points) -> None:
    if points:
        why = points[0].measurement.skipped or points[0].measurement.detail
        text = "failed" if points[0].measurement.failed else "skipped"
    else:
        why, text = "not measured; a gang holds 1024 threads at most", "–"
    label = axes.text(x, y, text, ha="center", va="center", color=MUTED, fontsize=9.5)
    drawing.tip(label, f"{workers} workers × vector {vector}: {why}")


# Matplotlib writes no colour for black, which is SVG's own and would turn with the page's scheme.
NEAR_BLACK = "#010101"


def _readable_on(colour) -> str:
    """White or near-black, whichever has the greater contrast: at least 4.5 on any shade."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#ffffff" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.0503 else NEAR_BLACK


# --- roofline ---------------------------------------------------------------------------------

# Beyond this many operations a byte no machine is bound by memory; what lies farther out is drawn
# here, so that one kernel that reads nothing does not squeeze all others.
MOST_INTENSE = 1000.0


def on_roofline(case: Case) -> bool:
    return case.scope == "kernel" and case.flops > 0 and any(m.time for m in case.everything)


def has_own_slope(run: Run, case: Case) -> bool:
    """Updates in place, and so may pass what bounds the others by more than the plot's line."""
    return case.in_place and run.bandwidth_in_place > 1.02 * run.bandwidth


def _roofline_measurements(case: Case) -> list[Measurement]:
    chosen = [m for m in case.measurements if m.time]
    swept = [p.measurement for p in case.points if p.measurement.time]
    if swept:
        chosen.append(min(swept, key=lambda m: m.time.median))
    return chosen


def _best_rate(case: Case, work: float) -> float:
    return work / min(m.time.median for m in _roofline_measurements(case))


def roofline(run: Run, cases: list[Case], where: str) -> Plot | None:
    """Every kernel with floating-point work under the ceilings of its own run."""
    cases = [c for c in cases if on_roofline(c)]
    double, single = run.peak_flops(False), run.peak_flops(True)
    if not cases or run.bandwidth <= 0 or double <= 0:
        return None

    def intensity(case: Case) -> float:
        return min(case.flops / case.bytes, MOST_INTENSE) if case.bytes > 0 else MOST_INTENSE

    labels = _labels_of(cases)
    points = [(intensity(c), c, m) for c in cases for m in _roofline_measurements(c)]
    rates = [c.flops / m.time.median for _, c, m in points]
    ridge = double / run.bandwidth
    x_low, x_high = padded([x for x, _, _ in points] + [ridge / 8, 16 * ridge], 1.3)
    y_low, y_high = padded(rates + [double, single or double], 1.8)

    drawing = Drawing(400)
    axes = drawing.figure.subplots()
    log_axis(axes.xaxis, x_low, x_high)
    log_axis(axes.yaxis, y_low, y_high, _tick)
    axes.grid()
    peaks = {"single": single, "double": double}
    top = max(peaks.values())
    for name, peak in peaks.items():
        if peak <= 0 or (name == "single" and single <= double):
            continue
        axes.plot([peak / run.bandwidth, x_high], [peak, peak], color=INK, linewidth=1.4)
    # Above both lines: between them is little room, and below them stand the good kernels.
    axes.annotate(
        ", ".join(f"{amount_text(p, 'FLOP/s')} {n}" for n, p in peaks.items() if p > 0),
        (x_high, top),
        (0, 3),
        textcoords="offset points",
        ha="right",
        fontsize=9.5,
    )
    axes.plot(
        [x_low, top / run.bandwidth], [x_low * run.bandwidth, top], color=INK, linewidth=1.4
    )
    if any(has_own_slope(run, c) for c in cases):
        in_place = run.bandwidth_in_place
        slope = [x_low, top / in_place], [x_low * in_place, top]
        axes.plot(*slope, color=INK, linewidth=1, linestyle="--")
    start = max(x_low, y_low / run.bandwidth)
    middle = math.sqrt(start * top / run.bandwidth)
    on_slope = axes.annotate(
        amount_text(run.bandwidth, "B/s"),
        (middle, middle * run.bandwidth),
        (-2, 3),
        textcoords="offset points",
        rotation_mode="anchor",
        ha="center",
        va="bottom",
        fontsize=9.5,
    )
    for x, case, m in points:
        cached = case.working_set < 2 * run.ceilings.get("cache_bytes", 0)
        (point,) = axes.plot(
            [x],
            [case.flops / m.time.median],
            **_style_of(m, labels, markersize=5, alpha=0.85),
        )
        drawing.tip(
            point,
            f"{case.study} {case.name}, {m.side} {m.variant}: "
            f"{amount_text(case.flops / m.time.median, 'FLOP/s')}, "
            f"{digits(case.flops / case.bytes) if case.bytes else 'no'} FLOP/byte; "
            + ("fits in cache" if cached else share_text(m)),
        )
    _label_studies(axes, points, x_low, x_high)
    axes.set_xlabel("operations a byte (FLOP/B)")
    axes.set_ylabel("FLOP/s")
    handles = _side_handles([m for _, _, m in points], labels)
    _legend(drawing.figure, handles, 2 if labels else 4)  # labels take room
    # The words stand on the slope, at its angle on the page, which is known once all is in place.
    drawing.figure.draw_without_rendering()
    (x0, y0), (x1, y1) = axes.transData.transform(
        [(start, start * run.bandwidth), (middle, middle * run.bandwidth)]
    )
    on_slope.set_rotation(math.degrees(math.atan2(y1 - y0, x1 - x0)))
    described = "; ".join(
        f"{c.study} {c.name}: best {amount_text(_best_rate(c, c.flops), 'FLOP/s')}"
        for c in cases
    )
    return Plot(
        drawing,
        f"Roofline of {where}",
        f"Bandwidth {amount_text(run.bandwidth, 'B/s')}; {amount_text(double, 'FLOP/s')} in "
        f"double, {amount_text(single, 'FLOP/s')} in single precision. {described}.",
    )


def _tick(value: float) -> str:
    """Such as 300 G."""
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale * (1 - 1e-9):
            return f"{value / scale:g} {prefix}"
    return f"{value:g}"


def _label_studies(axes, points, x_low: float, x_high: float) -> None:
    """The studies' names above the plot, spread so that none covers another."""
    places: dict[str, list[float]] = {}
    for x, case, _ in points:
        places.setdefault(case.study, []).append(math.log(x))
    middles = sorted((sum(xs) / len(xs), study) for study, xs in places.items())
    low, high = math.log(x_low), math.log(x_high)
    wanted = [(x - low) / (high - low) for x, _ in middles]
    spread = spaced(wanted, 12 / 330)
    for at, x, (_, study) in zip(spread, wanted, middles):
        axes.plot(
            [at, x],
            [1.03, 1.0],
            transform=axes.transAxes,
            color=MUTED,
            linewidth=0.7,
            clip_on=False,
        )
        axes.annotate(
            study,
            (at, 1.03),
            (0, 2),
            xycoords="axes fraction",
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="bottom",
            fontsize=9.5,
        )


def spaced(places: list[float], least: float) -> list[float]:
    """The ascending places moved as little as may be until they lie `least` apart."""
    # Isotonic regression: neighbours that would overlap share one mean.
    blocks: list[list[float]] = []  # sum, count
    for i, place in enumerate(places):
        blocks.append([place - i * least, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    bases = [total / count for total, count in blocks for _ in range(int(count))]
    return [base + i * least for i, base in enumerate(bases)]


def bandwidths(run: Run, cases: list[Case], where: str) -> Plot | None:
    """Kernels that compute nothing in floating point, against the bandwidth."""
    cases = [
        c
        for c in cases
        if (c.scope, c.flops) == ("kernel", 0) and c.bytes > 0 and _roofline_measurements(c)
    ]
    if not cases or run.bandwidth <= 0:
        return None
    drawing = Drawing(24 * len(cases) + 76)
    axes = drawing.figure.subplots()
    axes.axvline(run.bandwidth, color=INK, linewidth=1.4)
    rates = []
    labels = _labels_of(cases)
    places = len(labels) or 1

    def offset_of(m: Measurement) -> float:
        if m.model != "openacc":
            return -0.18 if m.model == "kokkos" else 0
        return 0.18 * (1 + (labels.index(m.label) if m.label else 0)) / places

    for y, case in enumerate(cases):
        axes.axhline(y, color=RULE, linewidth=0.5)
        for m in _roofline_measurements(case):
            rate = case.bytes / m.time.median
            rates.append(rate)
            style = _style_of(m, labels, markersize=5)
            (point,) = axes.plot([rate], [y + offset_of(m)], **style)
            drawing.tip(
                point,
                f"{case.study} {case.name}, {m.side} {m.variant}: "
                f"{amount_text(rate, 'B/s')}; {share_text(m)}",
            )
    axes.set_ylim(len(cases) - 0.4, -0.6)
    axes.set_yticks(range(len(cases)), [_short(f"{c.study} {c.name}") for c in cases])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    log_axis(axes.xaxis, *padded(rates + [run.bandwidth]), _tick, most=5)
    axes.set_xlabel("least bytes over time (B/s); the line is the ceiling", loc="right")
    measured = [m for c in cases for m in _roofline_measurements(c)]
    _legend(drawing.figure, _side_handles(measured, labels), 2 if labels else 4)
    described = "; ".join(
        f"{c.study} {c.name}: best {amount_text(_best_rate(c, c.bytes), 'B/s')}"
        for c in cases
    )
    return Plot(
        drawing,
        f"Bytes a second on {where}",
        f"Ceiling {amount_text(run.bandwidth, 'B/s')}. {described}.",
    )


# --- transfers --------------------------------------------------------------------------------


def transfers(case: Case) -> Plot | None:
    """Counts and bytes per direction of one run, both models side by side."""
    measured = [
        m for m in case.measurements if not m.skipped and m.runs and m.transfers is not None
    ]
    if case.scope != "whole" or not any(m.transfers for m in measured):
        return None
    variants = list(dict.fromkeys(m.variant for m in measured))
    sides = list(dict.fromkeys((m.model, m.label) for m in measured))
    libraries = _labels_of([case])

    def bar(model: str, label: str) -> dict:
        full = model == "kokkos"
        number = libraries.index(label) if label else 0
        return {
            "facecolor": COLOURS[model] if full else PAPER,
            "edgecolor": COLOURS[model],
            "hatch": "" if full else _pick(LIBRARY_HATCHES, number),
            "linewidth": 1,
        }

    bars = [  # panel, value, text
        ("transfers", lambda t: (t.to_device, t.to_host), lambda v: f"{v:,}".replace(",", " ")),
        ("bytes", lambda t: (t.bytes_to_device, t.bytes_to_host), lambda v: amount_text(v, "B")),
    ]
    height = 13
    block = 2 * len(sides) * height + 12
    drawing = Drawing(2 * block * len(variants) + 130)
    panels = drawing.figure.subplots(2, 1)
    described = []
    for axes, (name, values_of, text_of) in zip(panels, bars):
        largest = max(max(values_of(m.transfers)) for m in measured)
        ticks, labels = [], []
        for v, variant in enumerate(variants):
            for d, direction in enumerate(("to device", "to host")):
                middle = v * block + (d + 0.5) * len(sides) * height
                ticks.append(middle)
                labels.append(direction if d else f"{_short(variant, 16)}, to device")
                for k, (model, label) in enumerate(sides):
                    m = case.find(model, variant, label)
                    if m is None or m.skipped or m.transfers is None:
                        continue
                    value = values_of(m.transfers)[d]
                    y = v * block + (d * len(sides) + k + 0.5) * height
                    box = axes.barh(
                        [y],
                        [value],
                        height=height - 3,
                        **bar(model, label),
                    )[0]
                    said = f"{m.side} {variant}, {direction}, {name}: {text_of(value)}"
                    drawing.tip(box, said)
                    described.append(said)
                    axes.annotate(
                        text_of(value),
                        (value, y),
                        (4, 0),
                        textcoords="offset points",
                        va="center",
                        fontsize=9.5,
                    )
        # Between 2 transfers and 2000 a linear axis shows the 2 as nothing.
        small = min((v for m in measured for v in values_of(m.transfers) if v), default=1)
        if largest / small > 20:
            axes.set_xscale("symlog", linthresh=small)
            axes.set_xlim(0, largest * (largest / small) ** 0.35)
            name += " (logarithmic)"
        else:
            axes.set_xlim(0, largest * 1.3)
        axes.set_ylim(len(variants) * block - 8, -4)
        axes.set_yticks(ticks, labels)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(FixedLocator([]))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.spines["bottom"].set_visible(False)
        axes.set_title(name, loc="left", fontsize=10.5, weight="bold", color=INK)
    handles = [Patch(label=side_text(*side), **bar(*side)) for side in sides]
    _legend(drawing.figure, handles, min(len(handles), 3))
    return Plot(
        drawing,
        f"{case.study}, {case.name}: transfers of one run",
        "; ".join(described) + ".",
    )
