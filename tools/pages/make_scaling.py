#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one self-contained HTML page of the results of `gangway scale`.

    make_scaling.py results.json -o DIRECTORY     writes DIRECTORY/index.html, whole or not at all
    make_scaling.py --check                       says whether what it needs is there

What the model says is marked as a model in every plot and table. Exit status: 0 done, 2 bad usage or
input.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from pathlib import Path

import results
from make_report import HERE, main
from results import Estimate, ResultsError, digits, plain, read_json, side_text

SCHEMA = "gangway-scaling/1"


@dataclass
class Point:
    ranks: int
    time: Estimate
    efficiency: Estimate
    suspicious: bool


@dataclass
class Series:
    """One variant of one model on one problem."""

    problem: int
    scaling: str  # strong, weak
    model: str  # kokkos, openacc
    library: str  # of OpenACC
    variant: str
    points: list[Point]

    @property
    def side(self) -> str:
        return side_text(self.model, self.library)


@dataclass
class Prediction:
    problem: int
    scaling: str
    ranks: int
    seconds: float
    efficiency: float
    parts: dict[str, float]
    bound_by: str

    @property
    def share(self) -> float:
        return self.parts[self.bound_by] / sum(self.parts.values())


@dataclass
class Model:
    """What was fitted to the runs of one variant."""

    model: str
    library: str
    variant: str
    runs: int
    why_not: str
    prices: dict | None
    test: dict | None
    why_untested: str
    predictions: list[Prediction]

    @property
    def title(self) -> str:
        return f"{side_text(self.model, self.library)} {self.variant}"


@dataclass
class Scaling:
    study: str
    title: str
    kept: str
    notices: list[str]
    names: list[str]  # of the problems
    settings: list[str]
    facts: list[tuple[str, str]]
    series: list[Series]
    models: list[Model]
    what: str  # the words for what is no measurement


def read(path: Path | str) -> Scaling:
    """Errors: ResultsError."""
    path = Path(path)
    raw = read_json(path, SCHEMA, "gangway scale --json")
    try:
        return _scaling(raw)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ResultsError(f"{path} is damaged or incomplete: {plain(repr(error))}") from error


def _estimate(raw: dict) -> Estimate:
    return Estimate(raw["median"], raw["low"], raw["high"], raw["rounds"])


def _scaling(raw: dict) -> Scaling:
    libraries = {m["library"] for m in raw["models"] if "library" in m}

    def library(m: dict) -> str:
        return m["library"] if len(libraries) > 1 and "library" in m else ""

    series = [
        Series(
            s["problem"],
            s["scaling"],
            s["model"],
            library(s),
            s["variant"],
            [
                Point(p["ranks"], _estimate(p["time"]), _estimate(p["efficiency"]), p["suspicious"])
                for p in s["points"]
            ],
        )
        for s in raw["series"]
    ]
    models = [
        Model(
            m["model"],
            library(m),
            m["variant"],
            m["runs"],
            m.get("why_not", ""),
            m.get("prices"),
            m.get("test"),
            m.get("why_untested", ""),
            [
                Prediction(
                    p["problem"],
                    p["scaling"],
                    p["ranks"],
                    p["seconds"],
                    p["efficiency"],
                    p["parts"],
                    p["bound_by"],
                )
                for p in m.get("predictions", [])
            ],
        )
        for m in raw["models"]
    ]
    largest = max(raw["runs"], key=lambda run: run["ranks"])
    return Scaling(
        study=raw["study"],
        title=raw["title"],
        kept=raw["kept_by_each_rank"],
        notices=raw["notices"],
        names=[p["name"] for p in raw["problems"]],
        settings=[
            " ".join(f"{key}={value}" for key, value in p["settings"].items() if value)
            for p in raw["problems"]
        ],
        facts=list(largest["provenance"].items()),
        series=series,
        models=models,
        what=next((m["what"] for m in raw["models"]), "a model"),
    )


# --- the page -----------------------------------------------------------------------------------


def curves(scaling: Scaling, problem: int, growth: str, variant: str):
    """Efficiency over ranks: measured with intervals, and the model, dashed and hollow."""
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FixedLocator, NullLocator

    from drawing import COLOURS, INK, LIBRARY_LINES, MARKERS, PAPER, RULE, Drawing

    def of(all_of) -> list:
        return [
            one
            for one in all_of
            if (one.problem, one.scaling) == (problem, growth) and one.variant == variant
        ]

    measured = of(scaling.series)
    predicted = [
        (model, [p for p in model.predictions if (p.problem, p.scaling) == (problem, growth)])
        for model in scaling.models
        if model.variant == variant
    ]
    drawing = Drawing(250)
    axes = drawing.figure.subplots()
    axes.axhline(1, color=INK, linewidth=0.8)
    ranks = sorted(
        {p.ranks for s in measured for p in s.points}
        | {p.ranks for _, all_of in predicted for p in all_of}
    )
    sides = list(dict.fromkeys((s.model, s.library) for s in measured))
    handles, described = [], []
    for series in measured:
        number = [library for model, library in sides if model == series.model].index(series.library)
        line = LIBRARY_LINES[number % len(LIBRARY_LINES)]
        colour = COLOURS[series.model]
        style = {"marker": MARKERS[series.model], "color": colour}
        axes.plot(
            [p.ranks for p in series.points],
            [p.efficiency.median for p in series.points],
            linestyle=line,
            markerfacecolor=colour,
            **style,
        )
        for p in series.points:
            axes.plot([p.ranks] * 2, [p.efficiency.low, p.efficiency.high], color=colour)
        handles.append(Line2D([], [], label=series.side, linestyle=line, **style))
        said = ", ".join(f"{digits(p.efficiency.median)} on {p.ranks}" for p in series.points)
        described.append(f"{series.side}, measured: {said}")
    for model, points in predicted:
        if not points:
            continue
        colour = COLOURS[model.model]
        axes.plot(
            [p.ranks for p in points],
            [p.efficiency for p in points],
            linestyle=(0, (2, 2)),
            marker=MARKERS[model.model],
            color=colour,
            markerfacecolor=PAPER,
            markeredgecolor=colour,
        )
        said = ", ".join(f"{digits(p.efficiency)} on {p.ranks}" for p in points)
        described.append(f"{model.title}, model: {said}")
    if any(points for _, points in predicted):
        handles.append(
            Line2D([], [], label="hollow: model", linestyle=(0, (2, 2)), marker="o", color=INK,
                   markerfacecolor=PAPER)
        )
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(ranks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticklabels([str(n) for n in ranks])
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color=RULE)
    axes.set_xlabel("ranks")
    axes.set_ylabel("efficiency")
    drawing.figure.legend(handles=handles, loc="outside upper left", ncols=3, handlelength=1.8)
    title = f"{scaling.names[problem]}, {growth} scaling: {variant}"
    caption = f" Dashed and hollow: {scaling.what}." if any(p for _, p in predicted) else ""
    return drawing, title, "; ".join(described) + ".", caption


class Page:
    """Everything the template shows."""

    def __init__(self, scaling: Scaling):
        self.scaling = scaling
        self.figures = []
        kinds = dict.fromkeys((s.problem, s.scaling, s.variant) for s in scaling.series)
        for number, (problem, growth, variant) in enumerate(kinds):
            drawing, title, description, caption = curves(scaling, problem, growth, variant)
            self.figures.append(
                {"title": title, "caption": caption,
                 "svg": drawing.svg(f"plot-{number}", title, description)}
            )
        self.groups = [
            (problem, growth, [s for s in scaling.series if (s.problem, s.scaling) == (problem, growth)])
            for problem, growth in dict.fromkeys((s.problem, s.scaling) for s in scaling.series)
        ]


def rate(value: float | None) -> str:
    return "not seen" if value is None else results.amount_text(value, "B/s")


def percent(value: float, signed: bool = False) -> str:
    if not math.isfinite(value):
        return "–"
    return f"{100 * value:+.1f} %" if signed else f"{100 * value:.0f} %"


def render(scaling: Scaling) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        seconds=results.seconds_text,
        digits=digits,
        ratio=results.ratio_text,
        rate=rate,
        percent=percent,
    )
    page = environment.get_template("scaling.html.j2").render(
        page=Page(scaling), scaling=scaling, css=(HERE / "page.css").read_text(encoding="utf-8")
    )
    return page.lstrip() + "\n"


def page_of(paths: list[str]) -> str:
    if len(paths) > 1:
        raise ResultsError("one results.json makes one page")
    return render(read(paths[0]))


if __name__ == "__main__":
    sys.exit(main(__doc__, "of gangway scale", page_of))
