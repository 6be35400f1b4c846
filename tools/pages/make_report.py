#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes one self-contained HTML page of the results of `gangway compare` and `gangway sweep`.

    make_report.py results.json... -o DIRECTORY     writes DIRECTORY/index.html, whole or not at all
    make_report.py --check                          says whether what it needs is there

The page loads nothing: plots are SVG inside it. Exit status: 0 done, 2 bad usage or input.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from results import Case, Measurement, ResultsError, Run, read
import results

HERE = Path(__file__).resolve().parent
NEEDED = "the report needs Python 3.9 or newer with matplotlib (3.6 or newer) and Jinja2"


def missing() -> str:
    """What keeps this machine from making a report; empty if nothing does."""
    if sys.version_info < (3, 9):
        return f"{NEEDED}; this is Python {sys.version.split()[0]}"
    try:
        import jinja2  # noqa: F401
        import matplotlib.backends.backend_svg  # noqa: F401
    except ImportError as error:
        return f"{NEEDED}; {sys.executable}: {error}"
    if tuple(int(n) for n in re.findall(r"\d+", matplotlib.__version__)[:2]) < (3, 6):
        return f"{NEEDED}; {sys.executable} has matplotlib {matplotlib.__version__}"
    return ""


# --- what the page says -------------------------------------------------------------------------


class Page:
    """Everything the template shows, in the order it shows it."""

    def __init__(self, runs: list[Run]):
        import plots

        self.runs = runs
        self._plots = plots
        self._drawn = 0
        self._tables = 0
        self._anchors: set[str] = set()
        self.several = len(runs) > 1
        self.labels = _labels(runs)
        self.entries = [
            Entry(run, label, case, self)
            for run, label in zip(runs, self.labels)
            for case in run.cases
        ]
        # Study by study, the same case of several runs together, else in the order they ran.
        first = {}
        for place, entry in enumerate(self.entries):
            first.setdefault(entry.case.key, place)
        self.entries.sort(key=lambda e: (e.case.study, first[e.case.key]))
        self.studies = [
            Study(name, self.anchor("study", name), list(entries))
            for name, entries in groupby(self.entries, key=lambda e: e.case.study)
        ]
        self.sweeps = [
            Sweep(label, sweep, self)
            for run, label in zip(runs, self.labels)
            for sweep in run.sweeps
        ]
        compared = [e for e in self.entries if e.case.tuned]
        names = [e.short_title for e in compared]
        self.summary = [
            self.draw(plot)
            for plot in plots.summary(
                [
                    (e.short_title if names.count(e.short_title) == 1 else e.full_title, e.case)
                    for e in compared
                ],
                self.whose_openacc,
            )
        ]
        self.compared = bool(compared)
        # What is flagged stands in lists below; a case of which all is, only there.
        self.headline = [
            e
            for e in self.entries
            if len(e.case.flagged) < len([c for c in (e.case.port, e.case.tuned) if c])
            or not e.case.flagged
        ]
        self.with_tier = any(e.case.tier for e in self.headline)
        self.with_flag = any(e.case.flagged for e in self.headline)
        self.rooflines = [Roofline(run, label, self) for run, label in zip(runs, self.labels)]
        self.transfers = Transfers(self)

    def draw(self, plot) -> "Figure | None":
        if plot is None:
            return None
        self._drawn += 1
        return Figure(f"plot-{self._drawn}", plot)

    def next_table(self) -> str:
        self._tables += 1
        return f"table-{self._tables}"

    def anchor(self, *words: str) -> str:
        """A name for a link, its own on the page."""
        stem = name = re.sub(r"[^a-z0-9]+", "-", "-".join(words).lower()).strip("-")
        number = 1
        while name in self._anchors:
            number += 1
            name = f"{stem}-{number}"
        self._anchors.add(name)
        return name

    @property
    def whose_openacc(self) -> str:
        return results.whose_openacc(*(run.provenance for run in self.runs))

    @property
    def title(self) -> str:
        devices = list(dict.fromkeys(run.device for run in self.runs))
        openacc = any(results.libraries_of(run.provenance) for run in self.runs)
        models = f"Kokkos against {self.whose_openacc}" if openacc or not self.runs else "Kokkos"
        return f"{models} on " + (" and ".join(devices) or "no device")

    @property
    def compilers(self) -> list[str]:
        """Of each run's OpenACC libraries, for a sentence."""
        return [
            " and by ".join(
                facts.get("compiler", "an unknown compiler")
                + (f" ({label})" if len(libraries) > 1 else "")
                for label, facts in libraries
            )
            for libraries in (results.libraries_of(run.provenance) for run in self.runs)
        ]

    @property
    def ports(self) -> list[tuple[str, str]]:
        """Whose, and how the same stages came out, of each run and OpenACC library."""
        return [
            (", ".join(filter(None, [label if self.several else "", library])), tally.text)
            for run, label in zip(self.runs, self.labels)
            for library, tally in results.port_tallies(run.cases).items()
        ]

    @property
    def flags_known(self) -> bool:
        return results.flags_known([e.case for e in self.entries])

    @property
    def flags(self) -> list[tuple[str, str, list[tuple["Entry", str, "results.Comparison"]]]]:
        """A flag, what it means, and the ports and tuned ratios that bear it."""
        found: dict[str, list] = {}
        for entry in self.entries:
            for column, comparison in entry.case.flagged:
                found.setdefault(comparison.flag, []).append((entry, column, comparison))
        explained = results.FLAGS
        return [
            (flag, explained.get(flag, "not explained here").replace("`", ""), rows)
            for flag, rows in found.items()
        ]

    @property
    def all_flags(self) -> list[tuple[str, str]]:
        return [(flag, meaning.replace("`", "")) for flag, meaning in results.FLAGS.items()]

    @property
    def several_libraries(self) -> bool:
        return any(entry.libraries for entry in self.entries)

    @property
    def cannot(self) -> list[tuple["Entry", str, str]]:
        """Best Kokkos variants that OpenACC cannot say, and why, each once."""
        found = {}
        for entry in self.entries:
            if entry.case.tier == "cannot":
                variant = entry.case.best("kokkos").variant
                reason = entry.case.openacc_cannot[variant]
                found.setdefault((entry.case.study, variant), (entry, variant, reason))
        return list(found.values())

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """Provenance: a name, and a value for each run, or one if all agree."""
        names = list(dict.fromkeys(name for run in self.runs for name in run.provenance))
        rows = []
        for name in names:
            values = [run.provenance.get(name, "–") for run in self.runs]
            rows.append((name, values[:1] if len(set(values)) == 1 else values))
        return rows

    @property
    def ceilings(self) -> list[tuple[str, list[str]]]:
        amount = results.amount_text
        kinds = [
            ("copy", "copy_bytes_per_second", "B/s"),
            ("triad", "triad_bytes_per_second", "B/s"),
            ("read", "read_bytes_per_second", "B/s"),
            ("update in place", "update_bytes_per_second", "B/s"),
            ("fill", "fill_bytes_per_second", "B/s"),
            ("double precision", "flops_double_per_second", "FLOP/s"),
            ("single precision", "flops_single_per_second", "FLOP/s"),
            ("empty kernel, fenced", "launch_seconds", ""),
            ("host to device, pageable", "link_in_bytes_per_second", "B/s"),
            ("device to host, pageable", "link_out_bytes_per_second", "B/s"),
            ("host to device, pinned", "link_in_pinned_bytes_per_second", "B/s"),
            ("device to host, pinned", "link_out_pinned_bytes_per_second", "B/s"),
            ("each array measured with", "array_bytes", "B"),
            ("last-level cache", "cache_bytes", "B"),
        ]
        rows = []
        for name, key, unit in kinds:
            values = [run.ceilings.get(key, 0) for run in self.runs]
            if any(values):
                text = [
                    "–" if not v else amount(v, unit) if unit else results.seconds_text(v)
                    for v in values
                ]
                rows.append((name, text))
        return rows

    @property
    def without_link(self) -> bool:
        return not any(run.ceilings.get("link_in_bytes_per_second") for run in self.runs)

    @property
    def notices(self) -> list[str]:
        """What a reader must know before believing a number."""
        said: dict[str, list[str]] = {}
        for run, label in zip(self.runs, self.labels):
            facts = run.provenance
            notices = []
            if any("one thread" in of.get("device", "") for _, of in results.libraries_of(facts)):
                notices.append(
                    "OpenACC ran on one host thread, as GCC's OpenACC does without a GPU, and "
                    f"Kokkos on {facts.get('host threads', 'several').split(',')[0]} threads. The "
                    "ratios tell nothing about OpenACC on a GPU."
                )
            if facts.get("openacc") == "none":
                notices.append("OpenACC was not measured: no OpenACC library was loaded.")
            if disturbed := busy_text(run):
                notices.append(disturbed)
            if "+changes" in facts.get("gangway", ""):
                notices.append("Built from a tree with changes that are in no commit.")
            for notice in notices:
                said.setdefault(notice, []).append(label)
        return [
            notice if len(labels) == len(self.runs) else f"{', '.join(labels)}: {notice}"
            for notice, labels in said.items()
        ]

    @property
    def failures(self) -> list[tuple[str, str, Measurement]]:
        failed = []
        for where in [*self.entries, *self.sweeps]:
            seen = where.case.points if isinstance(where, Sweep) else None
            measurements = (
                [p.measurement for p in seen] if seen is not None else where.case.measurements
            )
            failed += [(where.title, where.anchor, m) for m in measurements if m.failed]
        return failed

    @property
    def checked_runs(self) -> int:
        cases = [e.case for e in self.entries]
        return sum(m.runs for c in cases for m in c.measurements) + sum(
            p.measurement.runs for s in self.sweeps for p in s.case.points
        )


def busy_text(run: results.Run) -> str:
    """What other programs had to do with a run; empty if nothing."""
    cases = sum(case.busy for case in run.cases)
    if not cases and not run.busy:
        return ""
    text = "The machine was busy: other programs ran "
    when = {"before": "before the first case", "ceilings": "while the ceilings were measured"}
    said = [when[name] for name in run.busy if name in when]
    if cases:
        said.append(f"during {cases} of {len(run.cases)} cases")
    text += " and ".join(said) + ". Such times are too long, and the verdict says so where that may "
    text += "be the reason for a difference."
    if "ceilings" in run.busy:
        text += " The ceilings are too low, and shares of them too high."
    return text


class Figure:
    """A plot with the name it has on the page."""

    def __init__(self, identifier: str, plot):
        from markupsafe import Markup

        self.title = plot.title
        self.caption = plot.caption
        self.svg = Markup(plot.svg(identifier))


@dataclass
class Study:
    name: str
    anchor: str
    entries: list["Entry"]


class Row:
    """A line of a case's table: a variant of Kokkos, of OpenACC, or of both. Of several OpenACC
    libraries each has a line; what is Kokkos' stands in the first."""

    def __init__(self, case: Case, variant: str, library: str, first: bool):
        self.variant, self.library, self.first = variant, library, first
        self.kokkos = case.find("kokkos", variant)
        self.openacc = case.find("openacc", variant, library)
        self.beyond = any(m.beyond for m in (self.kokkos, self.openacc) if m)
        own = f"kokkos:{variant}"
        self.comparison = case.comparison("twins", own, library) or case.comparison(
            "beyond", own, library
        )
        self.against_best = self.comparison is not None and self.comparison.kind == "beyond"
        self.is_best = {
            model: m is not None and m is case.best(model)
            for model, m in (("kokkos", self.kokkos), ("openacc", self.openacc))
        }
        self.flag = self.openacc.flag if self.openacc else ""

        own_measurements = [self.kokkos] if self.kokkos and first else []
        measurements = own_measurements + ([self.openacc] if self.openacc else [])
        self.failed = any(m.failed for m in measurements)
        self.check = check_text(*measurements) if measurements else ""

        self.shape, self.asked = shape_texts(self.kokkos) if self.kokkos and first else ("", "")
        self.openacc_shape = shape_texts(self.openacc)[0] if self.openacc else ""

    @property
    def says_anything(self) -> bool:
        return self.first or self.openacc is not None or self.comparison is not None


class Entry:
    """One case of one run."""

    def __init__(self, run: Run, label: str, case: Case, page: Page):
        self.run, self.case = run, case
        self.label = label if page.several else ""
        self.title = _title(case, self.label)
        self.anchor = page.anchor("case", case.study, case.name)
        variants = list(
            dict.fromkeys(m.variant for m in case.measurements if m.model != "yardstick")
        )
        self.libraries = [label for label in case.libraries if label]
        rows = [
            Row(case, variant, label, first=number == 0)
            for variant in variants
            for number, label in enumerate(case.libraries)
        ]
        self.rows = [row for row in rows if row.says_anything]
        self.with_flag = any(row.flag for row in self.rows)
        self.with_openacc_shape = any(row.openacc_shape for row in self.rows)
        measured = {m.variant for m in case.of("kokkos")}
        self.cannot = [
            (variant, why)
            for variant, why in (case.openacc_cannot or {}).items()
            if variant in measured
        ]
        self.with_kokkos = bool(case.of("kokkos"))
        self.with_openacc = bool(case.of("openacc"))
        best = case.best("kokkos")
        against = {
            c.other: c
            for c in case.comparisons
            if c.kind == "yardstick" and best and c.own == best.name
        }
        self.yardsticks = [(m, against.get(m.name)) for m in case.of("yardstick")]
        self.skipped = [m for m in case.measurements if m.skipped]
        self.settings = " ".join(f"{k}={v}" for k, v in case.settings.items() if v != "")
        plots = page._plots
        drawn = [plots.ratios(case), plots.vector_lengths(case), plots.worker_counts(case)]
        self.figures = [page.draw(plot) for plot in drawn if plot]

        self.short_title = f"{case.study} {case.name}"
        self.full_title = self.short_title + (f" ({self.label})" if self.label else "")


class Sweep:
    """One case's grid of workers × vector × items."""

    def __init__(self, label: str, sweep: Case, page: Page):
        from matplotlib import colormaps

        self.case = sweep
        self.label = label if page.several else ""
        self.title = _title(sweep, self.label)
        self.anchor = page.anchor("sweep", sweep.study, sweep.name)
        self.figure = page.draw(page._plots.heat_map(sweep, colormaps["cividis"]))
        self.points = sorted(
            sweep.points,
            key=lambda p: p.measurement.time.median if p.measurement.time else float("inf"),
        )
        timed = [p for p in self.points if p.measurement.time]
        self.fastest = timed[0].measurement.time.median if timed else None
        self.several_items = len({p.items for p in sweep.points}) > 1


class Roofline:
    def __init__(self, run: Run, label: str, page: Page):
        plots = page._plots
        self.run = run
        self.label = label if page.several else ""
        # A sweep's points belong to the case of the same name.
        swept = {s.key: s for s in run.sweeps}
        cases = sorted((swept.get(c.key, c) for c in run.cases), key=lambda c: c.study)
        self.measured = bool(run.bandwidth and run.peak_flops(False))
        where = run.device + (f" ({label})" if page.several else "")
        self.figure = page.draw(plots.roofline(run, cases, where))
        self.bandwidths = page.draw(plots.bandwidths(run, cases, where))
        self.whole = [c for c in cases if c.scope == "whole"]
        self.workless = [
            c for c in cases if c.scope == "kernel" and c.flops == 0 and c.bytes == 0
        ]
        self.intense = [
            c
            for c in cases
            if plots.on_roofline(c) and (not c.bytes or c.flops / c.bytes > plots.MOST_INTENSE)
        ]
        self.in_place = [
            c for c in cases if plots.on_roofline(c) and plots.has_own_slope(run, c)
        ]
        self.cached = [
            c
            for c in cases
            if plots.on_roofline(c) and c.working_set < 2 * run.ceilings.get("cache_bytes", 0)
        ]
        self.swept = any(c.points for c in cases)


class Transfers:
    def __init__(self, page: Page):
        whole = [e for e in page.entries if e.case.scope == "whole"]
        self.any_whole = bool(whole)
        self.figures = []
        self.rows = []
        self.without = []
        for entry in whole:
            ran = [m for m in entry.case.measurements if not m.skipped and m.runs]
            figure = page.draw(page._plots.transfers(entry.case))
            if figure is not None:
                self.figures.append(figure)
            elif all(m.transfers is not None for m in ran):
                self.without.append(entry)
                continue
            self.rows += [(entry, m) for m in ran]
        self.shared = all(
            "shared" in run.provenance.get("memory", "") for run in page.runs
        )


def shape_texts(m: Measurement) -> tuple[str, str]:
    """The first launch of a run: gangs × team × lanes or a tile, and workers × vector asked for."""
    if not m.shapes:
        return "", ""
    shape = m.shapes[0]
    if "tile" in shape:
        text = "tile " + " × ".join(str(n) for n in shape["tile"])
    elif "range" in shape:
        text = f"range of {shape['range']}"
    else:
        text = " × ".join(str(shape.get(n, "–")) for n in ("gangs", "team_size", "vector_length"))
    if len(m.shapes) > 1:
        text += f" and {len(m.shapes) - 1} more"
    asked = shape.get("requested", {})
    workers, vector = asked.get("workers"), asked.get("vector")
    return text, f"{workers or 'any'} × {vector or 'any'}" if workers or vector else ""


def check_text(*measurements: Measurement) -> str:
    """The verdict on one variant, or on the twins together when nothing is to be said of one."""
    if any(m.failed for m in measurements) and len(measurements) > 1:
        return "; ".join(f"{m.side} {check_text(m)}" for m in measurements)
    if m := next((m for m in measurements if m.failed), None):
        error = "not a number" if m.error is None else results.digits(m.error)
        return f"FAILED: {m.detail} (error {error}, tolerance {m.tolerance:g})"
    ran = [m for m in measurements if not m.skipped]
    if not ran:
        return "skipped"
    runs = " + ".join(str(m.runs) for m in ran) + " runs"
    error = max(m.error or 0 for m in ran)
    if error == 0 and ran[0].tolerance == 0:
        return f"{runs}, exact"
    return f"{runs}, error {results.digits(error)} of {ran[0].tolerance:g}"


def date_text(date: str) -> str:
    """2026-11-21T01:24:25Z for people."""
    return re.sub(r"^(\S+)T(\d+:\d+):\d+Z$", r"\1 \2 UTC", date)


def time_text(m: Measurement | None) -> str:
    if m is None:
        return "–"
    if m.skipped:
        return "skipped"
    if m.time is None:
        return "not timed" if m.passed else "FAILED"
    return results.seconds_text(m.time.median)


def _title(case: Case, label: str) -> str:
    return f"{case.study} · {case.name}" + (f" · {label}" if label else "")


def _labels(runs: list[Run]) -> list[str]:
    """A name for each run: its file's, made unique."""
    names = [Path(run.file).stem for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: i + 1].count(name)})"
        for i, name in enumerate(names)
    ]


def render(runs: list[Run]) -> str:
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
        digits=results.digits,
        amount=results.amount_text,
        ratio=results.ratio_text,
        verdict=results.verdict_text,
        share=results.share_text,
        check=check_text,
        time=time_text,
        date=date_text,
    )
    page = environment.get_template("page.html.j2").render(
        page=Page(runs), css=(HERE / "page.css").read_text(encoding="utf-8")
    )
    return page.lstrip() + "\n"


def write_whole(path: Path, text: str) -> None:
    """The file is there whole or not at all: written beside its place, then renamed into it."""
    partial = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(partial, 0o666 & ~umask)
        os.replace(partial, path)
    except BaseException as error:
        if partial is not None and os.path.exists(partial):
            os.unlink(partial)
        if isinstance(error, OSError):
            raise ResultsError(f"cannot write {path}: {error.strerror}") from error
        raise


def main(description: str, results_of: str, page_of) -> int:
    """The command line of a program that makes a page of results: page_of(paths) is its text."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("results", nargs="*", metavar="results.json", help=results_of)
    parser.add_argument("-o", "--output", metavar="DIRECTORY", help="where index.html goes")
    parser.add_argument("--check", action="store_true", help="only see that all it needs is there")
    arguments = parser.parse_args()
    if lack := missing():
        print(lack, file=sys.stderr)
        return 2
    if arguments.check:
        print("ready")
        return 0
    if not arguments.results or arguments.output is None:
        parser.error("name results.json, and a directory with -o")
    try:
        write_whole(Path(arguments.output) / "index.html", page_of(arguments.results))
    except ResultsError as error:
        print(f"{parser.prog.removesuffix('.py')}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog.removesuffix('.py')}: interrupted; nothing was written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(
        main(
            __doc__,
            "of compare or sweep",
            lambda paths: render([read(path) for path in paths]),
        )
    )
