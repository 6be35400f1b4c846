# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables and single values that `make_pages.py` puts into pages, of the results of a folder.

What a table's columns are stands here alone: HEADLINE is the head to head in every page. Errors of
all functions: ResultsError.
"""

from __future__ import annotations

import csv
import fnmatch
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Callable

from results import (
    NAMES,
    Case,
    Comparison,
    Measurement,
    ResultsError,
    Run,
    device_of,
    digits,
    ratio_text,
    read,
    seconds_text,
    share_text,
    verdict_text,
)

NOTHING = "–"
LONG = 12  # A table of more rows is folded away.


def environment(run: Run) -> str:
    """What the numbers of a run hold for: device, day, and the compilers of both models."""
    facts = run.provenance
    day = facts.get("date", "no date").split("T")[0]
    where = facts.get("openacc device", "")
    alone = " on one host thread" if "one thread" in where else ""
    openacc = (
        "no OpenACC"
        if facts.get("openacc") == "none"
        else f"OpenACC by **{facts.get('openacc compiler', 'an unknown compiler')}**{alone}"
    )
    return (
        f"**{device_of(facts)}**, {day}, Gangway {facts.get('gangway', '?')}. Kokkos "
        f"{facts.get('kokkos', '?').replace(', ', ' with ')}, by "
        f"{facts.get('kokkos compiler', '?')}; {openacc}."
    )


class Results:
    """The files of one folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.runs = [read(file) for file in sorted(folder.glob("*.json"))]
        # By what they hold for, ordered by study; of two files with the same case the fuller counts.
        groups: dict[str, dict[tuple, tuple]] = {}
        for run in self.runs:
            if run.sweeps:
                continue
            cases = groups.setdefault(environment(run), {})
            for case in run.cases:
                weight = (case.comparison("best") is not None, len(case.measurements))
                if case.key not in cases or weight > cases[case.key][0]:
                    cases[case.key] = (weight, case, run)
        self.environments: dict[str, list[tuple[Case, Run]]] = {
            heading: sorted(((c, r) for _, c, r in cases.values()), key=lambda e: e[0].study)
            for heading, cases in groups.items()
            if cases
        }
        if not any(case.comparison("best") for case, _ in self.entries):
            raise ResultsError(f"{folder} has no results of both models")

    @cached_property
    def entries(self) -> list[tuple[Case, Run]]:
        """All cases, in the order of their studies."""
        everything = [entry for entries in self.environments.values() for entry in entries]
        return sorted(everything, key=lambda e: e[0].study)

    @cached_property
    def cases(self) -> list[Case]:
        return [case for case, _ in self.entries]

    @cached_property
    def head_to_head(self) -> list[Case]:
        """The cases in which both models have a time."""
        return [case for case in self.cases if case.comparison("best")]

    @property
    def device(self) -> str:
        return self.runs[0].device

    def main_case(self, study: str) -> Case | None:
        """The one to show if only one can be: kernels before transfers, then the largest."""
        cases = [c for c in self.head_to_head if c.study == study]
        return max(cases, key=lambda c: (c.scope == "kernel", c.working_set, c.flops), default=None)

    def find(self, reference: str) -> Case | None:
        """STUDY/CASE, STUDY/CASE@SCOPE, or STUDY for its main case. CASE may have * in it."""
        study, _, name = reference.partition("/")
        if not name:
            return self.main_case(study)
        name, _, scope = name.partition("@")
        found = [
            c
            for c in self.cases
            if c.study == study and fnmatch.fnmatchcase(c.name, name) and scope in ("", c.scope)
        ]
        return max(found, key=lambda c: c.comparison("best") is not None, default=None)

    def needed(self, reference: str) -> Case:
        if case := self.find(reference):
            return case
        study = reference.partition("/")[0]
        there = [f"{c.study}/{c.name}@{c.scope}" for c in self.cases if c.study == study]
        raise ResultsError(
            f"{self.folder} has no case {reference}; of {study} it has {', '.join(there) or 'none'}"
        )

    @cached_property
    def counters(self) -> list[dict[str, str]]:
        """The rows of counters.csv; none if there is no such file."""
        file = self.folder / "counters.csv"
        if not file.exists():
            return []
        with file.open(encoding="utf-8", newline="") as lines:
            return list(csv.DictReader(lines))


# --- small texts ------------------------------------------------------------------------------


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`{cell(text)}`"


def time_of(m: Measurement | None) -> str:
    if m is None or m.skipped:
        return NOTHING
    return seconds_text(m.time.median) if m.time else "failed its check"


def contestant(m: Measurement | None) -> str:
    return f"{code(m.variant)} {time_of(m)}" if m else NOTHING


def ratio_cell(comparison: Comparison | None) -> str:
    """Bold where the interval excludes 1."""
    if comparison is None:
        return NOTHING
    text = ratio_text(comparison.ratio)
    return f"**{text}**" if comparison.decided else text


def share_cell(m: Measurement | None) -> str:
    return cell(share_text(m)) if m and m.time else NOTHING


def case_name(case: Case) -> str:
    return cell(case.name) + ("" if case.scope == "kernel" else f" ({case.scope})")


def said(case: Case) -> str:
    if best := case.comparison("best"):
        return verdict_text(best)
    failed = [m for m in case.measurements if m.failed]
    return "failed its check" if failed else "not run in both"


def sentence(case: Case, best: Comparison) -> str:
    kokkos = contestant(case.find("kokkos", best.own.split(":", 1)[1]))
    openacc = contestant(case.find("openacc", best.other.split(":", 1)[1]))
    return f"Kokkos {kokkos}, OpenACC {openacc}: {ratio_cell(best)}, {verdict_text(best)}"


def table(columns: list[tuple[str, str]], rows: list[list[str]]) -> list[str]:
    """Columns are a title and how they are aligned, as Markdown writes it."""
    return [
        "| " + " | ".join(title for title, _ in columns) + " |",
        "|" + "|".join(how for _, how in columns) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


def folded(title: str, lines: list[str]) -> list[str]:
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]


# --- the head to head -------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    title: str
    aligned: str
    text: Callable[[Case], str]


HEADLINE = [
    Column("study", "---", lambda c: cell(c.study)),
    Column("case", "---", case_name),
    Column("best Kokkos", "---", lambda c: contestant(c.best("kokkos"))),
    Column("best OpenACC", "---", lambda c: contestant(c.best("openacc"))),
    Column("OpenACC / Kokkos [95 %]", "---:", lambda c: ratio_cell(c.comparison("best"))),
    Column("", "---", said),
    Column("of the ceiling, Kokkos", "---", lambda c: share_cell(c.best("kokkos"))),
    Column("OpenACC", "---", lambda c: share_cell(c.best("openacc"))),
]


def headline(cases: list[Case]) -> list[str]:
    columns = [(column.title, column.aligned) for column in HEADLINE]
    return table(columns, [[column.text(case) for column in HEADLINE] for case in cases])


def all_headlines(results: Results) -> list[str]:
    """A table for each environment."""
    lines = []
    for heading, entries in results.environments.items():
        cases = [case for case, run in entries if run.provenance.get("openacc") != "none"]
        if cases:
            lines += [heading, "", *headline(cases), ""]
    return lines[:-1]


def story(results: Results, references: list[str]) -> list[str]:
    """The headline of a few cases; where a case is not among the results, its study's main case."""
    cases = []
    for reference in references:
        case = results.find(reference) or results.main_case(reference.partition("/")[0])
        if case and case not in cases:
            cases.append(case)
    if not cases:
        raise ResultsError(f"{results.folder} has none of {', '.join(references)}")
    return headline(cases)


# --- a study's note ---------------------------------------------------------------------------


def stage_table(case: Case) -> list[str]:
    """A row for each variant that has a time in either model."""
    kinds = {m.ceiling for m in case.measurements if m.time and m.share}
    share = f"of the {'/'.join(sorted(kinds))}" if kinds else ""
    both = any(m.time for m in case.of("openacc"))

    def number(m: Measurement | None) -> str:
        return share_text(m).split(" %")[0] + " %" if m and m.time and m.share else NOTHING

    columns = [("variant", "---"), ("Kokkos", "---:")]
    columns += [("OpenACC", "---:"), ("OpenACC / Kokkos [95 %]", "---:")] if both else []
    columns += [(f"{share}, Kokkos", "---:")] if share else []
    columns += [("OpenACC", "---:")] if share and both else []
    rows = []
    for variant in dict.fromkeys(m.variant for m in case.of("kokkos") + case.of("openacc")):
        kokkos, openacc = case.find("kokkos", variant), case.find("openacc", variant)
        present = [m for m in (kokkos, openacc) if m and not m.skipped]
        if not present:
            continue
        row = [code(variant) + (" (beyond)" if all(m.beyond for m in present) else "")]
        row += [time_of(kokkos)]
        if both:
            row += [time_of(openacc), ratio_cell(case.comparison("twins", f"kokkos:{variant}"))]
        row += [number(m) for m in ((kokkos, openacc) if both else (kokkos,)) if share]
        rows.append(row)
    return table(columns, rows)


def stages(case: Case, fold: bool) -> list[str]:
    """What was measured of one case."""
    made = stage_table(case)
    count = len(made) - 2
    shares = {m.ceiling for m in case.measurements if m.time and not m.share and m.ceiling}
    why = f" No share of a ceiling: {', '.join(sorted(shares))}." if shares else ""
    lines = [f"{code(case.name)}, scope `{case.scope}`: {cell(case.description)}.{why}", ""]
    lines += folded(f"All {count} variants", made) if fold and count > LONG else made
    best = case.comparison("best")
    ends = [f"Best of both: {sentence(case, best)}."] if best else []
    yardsticks = [c for c in case.comparisons if c.kind == "yardstick"]
    own = case.best("kokkos")
    against = [
        f"{code(c.other.split(':', 1)[1])} "
        f"{time_of(case.find('yardstick', c.other.split(':', 1)[1]))}, "
        f"{ratio_cell(c)} times as long"
        for c in yardsticks
        if own and c.own == own.name
    ]
    if against:
        ends.append(f"Yardsticks against {code(own.variant)}: {'; '.join(against)}.")
    return lines + (["", " ".join(ends)] if ends else [])


def counters(rows: list[dict[str, str]]) -> list[str]:
    """What Nsight Compute counted: one launch of a kernel, clocks left alone, caches emptied."""
    columns = [
        ("kernel", "---"),
        ("problem", "---"),
        ("time", "---:"),
        ("memory busy", "---:"),
        ("warps active", "---:"),
        ("multiply-add pipe", "---:"),
        ("registers a thread", "---:"),
    ]
    made = [
        [
            f"{code(row['study'])} {code(row['kernel'])}",
            cell(row["problem"]),
            seconds_text(float(row["time_us"]) * 1e-6),
            f"{float(row['dram_percent']):.0f} %",
            f"{float(row['occupancy_percent']):.0f} %",
            f"{float(row['fma_pipe_percent']):.0f} %",
            row["registers_a_thread"],
        ]
        for row in rows
    ]
    return table(columns, made)


def all_counters(results: Results) -> list[str]:
    return counters(results.counters) if results.counters else ["Nothing was counted."]


def sweeps(results: Results, study: str) -> list[str]:
    """The best shape of each sweep, against the best variant in the same file."""
    rows = []
    for run in results.runs:
        for sweep in run.sweeps:
            timed = [p for p in sweep.points if p.measurement.time]
            own = sweep.best("kokkos")
            if sweep.study != study or not timed:
                continue
            best = min(timed, key=lambda p: p.measurement.time.median)
            shape = f"{best.workers} × {best.vector}, {best.items} each"
            rows.append(
                [
                    cell(sweep.name),
                    str(len(timed)),
                    shape,
                    seconds_text(best.measurement.time.median),
                    contestant(own),
                ]
            )
    columns = [
        ("swept", "---"),
        ("shapes", "---:"),
        ("the best of them", "---"),
        ("time", "---:"),
        ("best variant in the same run", "---"),
    ]
    return table(columns, rows) if rows else []


def study_results(results: Results, study: str, link: str, fold: bool) -> list[str]:
    """All of one study in one folder. `link` is the folder, seen from the page. With `fold` long
    tables are folded away."""
    lines: list[str] = []
    for heading, entries in results.environments.items():
        mine = [(case, run) for case, run in entries if case.study == study]
        if not mine:
            continue
        files = list(dict.fromkeys(run.file for _, run in mine))
        lines += [heading, "Files: " + ", ".join(f"[`{f}`]({link}/{f})" for f in files) + ".", ""]
        for case, _ in mine:
            lines += [*stages(case, fold), ""]
    if swept := sweeps(results, study):
        lines += ["Shapes of teams, swept:", "", *swept, ""]
    if mine := [row for row in results.counters if row["study"] == study]:
        lines += [
            f"Counters of one launch ([`counters.csv`]({link}/counters.csv)); the time is the kernel's "
            "alone:",
            "",
            *counters(mine),
            "",
        ]
    return lines[:-1]


# --- for the findings -------------------------------------------------------------------------


def slower_twins(results: Results) -> list[str]:
    """Where Kokkos is the slower one at the same stage, and by how much."""
    rows = []
    for case in results.cases:
        twins = [c for c in case.comparisons if c.kind == "twins" and c.verdict == "slower"]
        if twins:
            listed = [f"{code(c.own.split(':', 1)[1])} {digits(c.ratio.median)}" for c in twins]
            rows.append([code(case.study), case_name(case), "; ".join(listed)])
    columns = [("study", "---"), ("case", "---"), ("OpenACC / Kokkos, the interval below 1", "---")]
    return table(columns, rows) if rows else ["None."]


def yardsticks(results: Results) -> list[str]:
    """The best Kokkos variant against the best yardstick of each case."""
    rows = []
    for case in results.cases:
        kokkos, other = case.best("kokkos"), case.best("yardstick")
        if not kokkos or not other:
            continue
        found = next(
            (
                c
                for c in case.comparisons
                if (c.kind, c.own, c.other) == ("yardstick", kokkos.name, other.name)
            ),
            None,
        )
        said_of = verdict_text(found) if found else ""
        names = [contestant(kokkos), contestant(other)]
        rows.append(
            [code(case.study), case_name(case), *names, ratio_cell(found), said_of]
            + [share_cell(kokkos)]
        )
    columns = [
        ("study", "---"),
        ("case", "---"),
        ("best Kokkos", "---"),
        ("best yardstick", "---"),
        ("yardstick / Kokkos [95 %]", "---:"),
        ("", "---"),
        ("of the ceiling, Kokkos", "---"),
    ]
    return table(columns, rows)


def parts(line: str, least: int, form: str) -> list[str]:
    """The fields of a line of a mark; the last one may be left out."""
    fields = [field.strip() for field in line.split("|")]
    if not least <= len(fields) <= least + 1:
        raise ResultsError(f"'{line}' should be {form}")
    return fields + [""] * (least + 1 - len(fields))


def lessons(results: Results, text: list[str]) -> list[str]:
    """A table of what a change is worth within each model. A lesson whose case was not run says so."""
    rows = []
    for line in text:
        lesson, reference, before, after, remark = parts(
            line, 4, "LESSON | STUDY/CASE | BEFORE | AFTER, or ... | REMARK"
        )
        case = results.find(reference)
        if case is None:
            rows.append([lesson, code(reference), "not in these results", "", remark])
            continue
        row = [lesson, f"{code(case.study)} {case_name(case)}, {code(before)} → {code(after)}"]
        for model in ("kokkos", "openacc"):
            old, new = case.find(model, before), case.find(model, after)
            if old and new and old.time and new.time:
                factor = digits(old.time.median / new.time.median)
                row.append(f"{time_of(old)} → {time_of(new)}: **{factor}**")
            else:
                row.append(NOTHING)
        rows.append([*row, remark])
    columns = [
        ("change", "---"),
        ("where", "---"),
        ("Kokkos: time, factor", "---"),
        ("OpenACC: time, factor", "---"),
        ("", "---"),
    ]
    remarks = any(row[-1] for row in rows)
    return table(columns if remarks else columns[:-1], [r if remarks else r[:-1] for r in rows])


def goals(results: Results, text: list[str]) -> list[str]:
    """A table of goals and what was reached, as `value` says it."""
    rows = []
    for line in text:
        goal, reference, what, remark = parts(line, 3, "GOAL | STUDY/CASE | VALUE, or ... | REMARK")
        case = results.find(reference)
        if case is None:
            rows.append([goal, code(reference), "not in these results", remark])
        else:
            reached = value(results, [reference, *what.split()])
            rows.append([goal, f"{code(case.study)} {case_name(case)}", reached, remark])
    columns = [("goal", "---"), ("where", "---"), ("reached", "---"), ("", "---")]
    return table(columns, rows)


def environments(results: Results) -> list[str]:
    return [f"- {heading}" for heading in results.environments]


def ceilings(results: Results) -> list[str]:
    """What the referee measured of the machine, over all files of the folder."""
    named = [
        ("copy", "copy_bytes_per_second"),
        ("triad", "triad_bytes_per_second"),
        ("read", "read_bytes_per_second"),
        ("update in place", "update_bytes_per_second"),
        ("fill", "fill_bytes_per_second"),
        ("link, in, pageable", "link_in_bytes_per_second"),
        ("link, out, pageable", "link_out_bytes_per_second"),
        ("link, in, pinned", "link_in_pinned_bytes_per_second"),
        ("link, out, pinned", "link_out_pinned_bytes_per_second"),
        ("operations, double", "flops_double_per_second"),
        ("operations, single", "flops_single_per_second"),
        ("an empty kernel and its fence", "launch_seconds"),
    ]
    rows = []
    for title, key in named:
        values = sorted(v for run in results.runs if (v := run.ceilings.get(key, 0)) > 0)
        if not values:
            continue
        if key == "launch_seconds":
            texts = [seconds_text(v) for v in (values[0], values[-1])]
        else:
            unit = "GFLOP/s" if "flops" in key else "GB/s"
            texts = [f"{v / 1e9:.{0 if v >= 99.95e9 else 1}f} {unit}" for v in (values[0], values[-1])]
        spread = texts[0] if texts[0] == texts[1] else f"{texts[0]} to {texts[1]}"
        rows.append([title, spread])
    return table([("ceiling", "---"), ("measured", "---:")], rows)


# --- single values ----------------------------------------------------------------------------


def measured(case: Case, name: str) -> Measurement:
    """MODEL:VARIANT; a variant * is the model's best."""
    model, _, variant = name.partition(":")
    if model not in NAMES or not variant:
        raise ResultsError(f"'{name}' should be MODEL:VARIANT; models are {', '.join(NAMES)}")
    m = case.best(model) if variant == "*" else case.find(model, variant)
    if m is None or not m.time:
        there = [other.name for other in case.measurements if other.time]
        raise ResultsError(
            f"{case.study}/{case.name} has no time of {name}; it has {', '.join(there)}"
        )
    return m


def count(results: Results, kind: str, verdict: str) -> str:
    kinds = ("twins", "best", "yardstick")
    verdicts = ("all", "faster", "slower", "even")
    if kind not in kinds or verdict not in verdicts:
        raise ResultsError(f"'count {kind} {verdict}': {', '.join(kinds)}; {', '.join(verdicts)}")
    wanted = "no difference" if verdict == "even" else verdict
    found = [c for case in results.cases for c in case.comparisons if c.kind == kind]
    return str(sum(verdict == "all" or c.verdict == wanted for c in found))


def value(results: Results, words: list[str]) -> str:
    """STUDY/CASE NAME            its time
    STUDY/CASE share NAME      its share of the ceiling
    STUDY/CASE copy NAME       how fast it moves its least bytes, of a copy in the same run
    STUDY/CASE NAME / NAME     how many times as long the first takes; with its interval if paired
    count KIND VERDICT         how many comparisons, of twins, best, yardstick; all, faster, slower, even
    device                     what was measured on
    """
    if words == ["device"]:
        return results.device
    if len(words) == 3 and words[0] == "count":
        return count(results, words[1], words[2])
    if len(words) == 2:
        return time_of(measured(results.needed(words[0]), words[1]))
    if len(words) == 3 and words[1] == "share":
        m = measured(results.needed(words[0]), words[2])
        return share_text(m)
    if len(words) == 3 and words[1] == "copy":
        case = results.needed(words[0])
        run = next(run for other, run in results.entries if other is case)
        rate = case.bytes / measured(case, words[2]).time.median
        return f"{100 * rate / run.ceilings['copy_bytes_per_second']:.0f} % of a copy"
    if len(words) == 4 and words[2] == "/":
        case = results.needed(words[0])
        other, own = measured(case, words[1]), measured(case, words[3])
        for c in case.comparisons:
            if (c.own, c.other) == (own.name, other.name):
                return ratio_text(c.ratio)
        return digits(other.time.median / own.time.median)
    raise ResultsError(f"'{' '.join(words)}' is no value; there are:\n{value.__doc__}")


def holds(results: Results, words: list[str]) -> bool | None:
    """STUDY/CASE NAME < NAME      the first is faster: if paired, the interval excludes 1
    STUDY/CASE NAME < N NAME    ... even than an N-th (or N times) of the second's time
    STUDY/CASE NAME ~ NAME      paired: no difference is shown; else within a tenth

    None: the case is not among the results, or one of the two has no time there.
    """
    if len(words) not in (4, 5) or words[2] not in "<~" or (len(words) == 5 and words[2] == "~"):
        raise ResultsError(f"'{' '.join(words)}' is no claim; there are:\n{holds.__doc__}")
    case = results.find(words[0])
    if case is None:
        return None
    for name in (words[1], words[-1]):
        if name not in {m.name for m in case.measurements} | {f"{model}:*" for model in NAMES}:
            raise ResultsError(f"{case.study}/{case.name} has no variant {name}")
    try:
        first, second = measured(case, words[1]), measured(case, words[-1])
    except ResultsError:
        return None
    if len(words) == 5:
        return first.time.median < float(words[3]) * second.time.median
    for c in case.comparisons:
        faster = {(first.name, second.name): "faster", (second.name, first.name): "slower"}
        if (c.own, c.other) in faster:
            wanted = "no difference" if words[2] == "~" else faster[c.own, c.other]
            return c.verdict == wanted
    ratio = first.time.median / second.time.median
    return 0.9 < ratio < 1.1 if words[2] == "~" else ratio < 1
