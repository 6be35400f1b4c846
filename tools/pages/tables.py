# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables and single values that `make_pages.py` puts into pages, of the results of a folder.

HEADLINE has the columns of a study's page, `summary` those of a note and of all studies. Where
several OpenACC libraries took part, each has a column or a row of its own, and the best of OpenACC is of
all of them but the control. Errors of all functions: ResultsError.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Callable, Iterable

from results import (
    CONTROL,
    FLAGS,
    NAMES,
    Case,
    Comparison,
    Measurement,
    ResultsError,
    Run,
    device_of,
    digits,
    flags_known,
    libraries_of,
    port_tallies,
    ratio_text,
    seconds_text,
    share_text,
    side_text,
    tally,
    verdict_text,
    whose_openacc,
)

NOTHING = "–"
CONTROLLED = "control: `gangway port` / Kokkos"
# Yardsticks whose algorithm is another one than the variants' they are set against. Their ratios have
# this beside them, and are in no headline.
OTHER_ALGORITHM = {
    ("primes", "cuda"): "it divides, `balanced` multiplies",
    ("primes", "openmp"): "it divides, `balanced` multiplies",
    ("search", "thrust::find_if"): "a general search, interval after interval",
    ("search", "std::find_if"): "on one thread",
}


def compilers(run: Run) -> str:
    """Those of both models."""
    facts = run.provenance
    libraries = libraries_of(facts)
    several = len(libraries) > 1

    def library(label: str, of: dict[str, str]) -> str:
        alone = " on one host thread" if "one thread" in of.get("device", "") else ""
        text = f"**{of.get('compiler', 'an unknown compiler')}**{alone}"
        if several and "openacc-kernels=decompose" in of.get("flags", ""):
            text += " with `--param=openacc-kernels=decompose`"
        return f"{text} (`{label}`)" if several else text

    openacc = (
        f"OpenACC by {', and by '.join(library(*each) for each in libraries)}"
        if libraries
        else "no OpenACC"
    )
    return (
        f"Kokkos {facts.get('kokkos', '?').replace(', ', ' with ')}, by "
        f"{facts.get('kokkos compiler', '?')}; {openacc}."
    )


def environment(run: Run) -> str:
    """What the numbers of a run hold for: device, day, commit, and the compilers of both models."""
    facts = run.provenance
    day = facts.get("date", "no date").split("T")[0]
    return f"**{device_of(facts)}**, {day}, Gangway {facts.get('gangway', '?')}. {compilers(run)}"


class Results:
    """One set of a device's folder, each case once."""

    def __init__(self, folder: Path, name: str, runs: list[Run], alone: bool = False):
        """`alone`: a set of one model will do. Errors: ResultsError."""
        self.folder = folder
        self.name = name
        self.runs = runs
        # By what they hold for, in the order of the runs, and by study.
        self.environments: dict[str, list[tuple[Case, Run]]] = {}
        for run in self.runs:
            entries = [(case, run) for case in run.cases]
            self.environments.setdefault(environment(run), []).extend(entries)
        for entries in self.environments.values():
            entries.sort(key=lambda e: e[0].study)
        if not alone and not any(case.comparison("best") for case, _ in self.entries):
            raise ResultsError(f"{folder}: {name} has no results of both models")

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

    @cached_property
    def libraries(self) -> list[str]:
        """The labels of the OpenACC libraries; [""] where no file has several."""
        labels = dict.fromkeys(label for case in self.cases for label in case.libraries if label)
        return list(labels) or [""]

    @cached_property
    def whose_openacc(self) -> str:
        return whose_openacc(*(run.provenance for _, run in self.entries))

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


# --- small texts ------------------------------------------------------------------------------


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def code(text: str) -> str:
    return f"`{cell(text)}`"


def time_of(m: Measurement | None) -> str:
    if m is None or m.skipped:
        return NOTHING
    return seconds_text(m.time.median) if m.time else "failed its check"


def with_label(text: str, label: str) -> str:
    return f"{text} ({label})" if label else text


def contestant(m: Measurement | None) -> str:
    return with_label(f"{code(m.variant)} {time_of(m)}", m.label) if m else NOTHING


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


def why_not(case: Case) -> str:
    """Why there is no ratio."""
    failed = [m for m in case.measurements if m.failed]
    return "failed its check" if failed else "not run in both"


def sentence(case: Case, best: Comparison) -> str:
    kokkos, openacc = (contestant(case.named(name)) for name in (best.own, best.other))
    flag = f", flagged {code(best.flag)}" if best.flag else ""
    return f"Kokkos {kokkos}, OpenACC {openacc}: {ratio_cell(best)}, {verdict_text(best)}{flag}"


def table(columns: list[tuple[str, str]], rows: list[list[str]]) -> list[str]:
    """Columns are a title and how they are aligned, as Markdown writes it."""
    return [
        "| " + " | ".join(title for title, _ in columns) + " |",
        "|" + "|".join(how for _, how in columns) + "|",
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


# --- the head to head -------------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    title: str
    aligned: str
    text: Callable[[Case], str]
    may_be_absent: bool = False  # where no row says anything


BELOW = "below"  # where a flagged ratio is


def port_cell(case: Case) -> str:
    port = case.port
    if port is None:
        return NOTHING
    name = with_label(code(port.other_variant), port.library)
    return f"{name} {BELOW if port.flag else ratio_cell(port)}"


def tuned_cell(case: Case) -> str:
    tuned = case.tuned
    if tuned is None:
        return why_not(case)
    return BELOW if tuned.flag else ratio_cell(tuned)


def shares_cell(case: Case) -> str:
    """Of both, the ceiling said once where it is one."""
    kokkos, openacc = (share_cell(case.best(model)) for model in ("kokkos", "openacc"))
    number, _, ceiling = kokkos.partition(" % ")
    if ceiling and openacc.endswith(f" % {ceiling}"):
        return f"{number} %, {openacc}"
    return kokkos if kokkos == openacc else f"{kokkos}, {openacc}"


def differs(case: Case, yardstick: str) -> str:
    return OTHER_ALGORITHM.get((case.study, yardstick), "")


def yardstick_cell(case: Case) -> str:
    """Bold as `ratio_cell`; the interval is in the table of yardsticks. Names the Kokkos variant where
    the best one does other work, and gives no ratio where the yardstick does."""
    found = case.yardstick
    if found is None:
        return NOTHING
    if differs(case, found.other_variant):
        return f"{code(found.other_variant)}: another algorithm"
    best = case.best("kokkos")
    own = f" ({code(found.variant)})" if best and found.own != best.name else ""
    ratio = digits(found.ratio.median)
    bold = f"**{ratio}**" if found.decided else ratio
    return f"{code(found.other_variant)} {bold}{own}"


HEADLINE = [
    Column("case", "---", lambda c: cell(c.name)),
    Column("scope", "---", lambda c: c.scope),
    Column("same stage: OpenACC / Kokkos [95 %]", "---", port_cell),
    Column("best of both: Kokkos", "---", lambda c: contestant(c.best("kokkos"))),
    Column("OpenACC", "---", lambda c: contestant(c.best("openacc"))),
    Column("OpenACC / Kokkos [95 %]", "---:", tuned_cell),
    Column("tier", "---", lambda c: c.tier, True),
    Column(
        "flag", "---", lambda c: ", ".join(f"{n}: {code(r.flag)}" for n, r in c.flagged), True
    ),
    Column("of the ceiling: Kokkos, OpenACC", "---", shares_cell),
    Column("yardstick / Kokkos", "---", yardstick_cell),
]


def control_ratio(case: Case, own: str) -> str:
    """The same stage, its OpenACC source by `gangway port`, over Kokkos."""
    found = case.comparison("twins", own, CONTROL)
    return ratio_cell(found) if found else NOTHING


def has_control(cases: Iterable[Case]) -> bool:
    return any(m.label == CONTROL for case in cases for m in case.measurements)


def control_columns(cases: list[Case]) -> list[Column]:
    made = Column(CONTROLLED, "---", lambda c: control_ratio(c, c.port.own) if c.port else "")
    return [made] if has_control(cases) else []


def headline(cases: list[Case], last: Column | None = None) -> list[str]:
    """A row per case. What is flagged is below the table, and so is a case whose ratios all are, and
    why OpenACC cannot say the best Kokkos variant."""

    def only_flagged(case: Case) -> bool:
        ratios = [c for c in (case.port, case.tuned) if c]
        return bool(ratios) and all(c.flag for c in ratios)

    shown = [case for case in cases if not only_flagged(case)]
    columns = [*HEADLINE[:3], *control_columns(shown), *HEADLINE[3:], *([last] if last else [])]
    columns = [c for c in columns if not c.may_be_absent or any(c.text(case) for case in shown)]
    lines = []
    if shown:
        titles = [(column.title, column.aligned) for column in columns]
        lines += table(titles, [[column.text(case) for column in columns] for case in shown])
    flagged = [
        (c.flag, f"{cell(case.study)} {case_name(case)}, {column}, {versus(c)} {ratio_cell(c)}")
        for case in cases
        for column, c in case.flagged
    ]
    if flagged:
        lines += ["", "Flagged: the compiler rather than the model sets OpenACC's time.", ""]
        lines += by_flag(flagged)
    if reasons := cannot(cases):
        lines += ["", "What OpenACC cannot say:", "", *reasons]
    return lines[1:] if not shown else lines


def stage_cell(case: Case) -> str:
    """The fastest stage of OpenACC against the same stage in Kokkos, with its flag."""
    port = case.port
    if port is None:
        return why_not(case)
    flag = f", flagged {code(port.flag)}" if port.flag else ""
    return f"{with_label(code(port.other_variant), port.library)} {ratio_cell(port)}{flag}"


def best_cell(case: Case) -> str:
    """The best variants of both models; bold as `ratio_cell`, with the flag."""
    best = case.tuned
    if best is None:
        return NOTHING
    ratio = digits(best.ratio.median)
    return (f"**{ratio}**" if best.decided else ratio) + (f", flagged {code(best.flag)}" if best.flag else "")


def summary(cases: list[Case], first: Column) -> list[str]:
    """A row per case: the same stage beside its control, and the best variants of both models."""
    columns = [
        first,
        Column("case", "---", case_name),
        Column("same stage: OpenACC / Kokkos [95 %]", "---", stage_cell),
        *control_columns(cases),
        Column("best of both: OpenACC / Kokkos", "---:", best_cell),
        Column("yardstick / Kokkos", "---", yardstick_cell, True),
        Column("Kokkos, of the ceiling", "---", lambda c: share_cell(c.best("kokkos"))),
    ]
    columns = [c for c in columns if not c.may_be_absent or any(c.text(case) for case in cases)]
    titles = [(column.title, column.aligned) for column in columns]
    return table(titles, [[column.text(case) for column in columns] for case in cases])


def all_studies(results: Results) -> list[str]:
    """The main case of each study."""
    studies = sorted({case.study for case in results.head_to_head})
    cases = [results.main_case(study) for study in studies]
    return summary(cases, Column("study", "---", lambda c: cell(c.study)))


def study_results(results: Results, study: str) -> list[str]:
    """The main case of one study on one device."""
    case = results.main_case(study)
    return summary([case], Column("device", "---", lambda _: cell(results.device))) if case else []


def versus(c: Comparison) -> str:
    other = with_label(code(c.other_variant), c.library)
    return other if c.variant == c.other_variant else f"{other} against {code(c.variant)}"


def by_flag(flagged: list[tuple[str, str]]) -> list[str]:
    """A line for each flag, of what bears it."""
    flags = dict.fromkeys(flag for flag, _ in flagged)
    return [
        f"- {code(flag)} ({FLAGS.get(flag, 'not explained here')}): "
        + "; ".join(text for other, text in flagged if other == flag)
        for flag in flags
    ]


def cannot(cases: list[Case]) -> list[str]:
    """Why the best Kokkos variant has no twin, each reason once."""
    reasons: dict[str, list[str]] = {}
    for case in cases:
        if case.tier == "cannot":
            variant = case.best("kokkos").variant
            places = reasons.setdefault(cell(case.openacc_cannot[variant]), [])
            if (place := f"{cell(case.study)} {code(variant)}") not in places:
                places.append(place)
    return [f"- {', '.join(places)}: {why}" for why, places in reasons.items()]


def medians(ports: list[Comparison]) -> str:
    """Of all ratios, and of those that no flag explains."""
    unflagged = [c.ratio.median for c in ports if not c.flag]
    text = f"median {digits(median(c.ratio.median for c in ports))}"
    if 0 < len(unflagged) < len(ports):
        text += f", of the {len(unflagged)} not flagged {digits(median(unflagged))}"
    return text


def ports_of(results: Results, label: str) -> list[Comparison]:
    return [c for case in results.cases for c in case.comparisons if c.is_port and c.library == label]


def lead(results: Results) -> list[str]:
    """How the ports came out, over all cases: what a mechanical port gives."""
    tallies = port_tallies(results.cases)
    if not tallies:
        return []
    what = f"the same stage in both models, time of {results.whose_openacc} over time of Kokkos"
    unknown = (
        []
        if flags_known(results.cases)
        else [
            "These results are from before it was noted where the compiler rather than the model "
            "sets the time.",
        ]
    )
    if list(tallies) == [""]:
        said = f"{tallies[''].text}; {medians(ports_of(results, ''))}"
        lines = [" ".join([f"**Port**, {what}: {said}.", *unknown])]
        return [*lines, ""]
    lines = [f"**Port**, {what}:", ""]
    lines += [
        f"- {code(label) if label else 'others'}: {t.text}; {medians(ports_of(results, label))}"
        for label, t in tallies.items()
    ]
    return [*lines, *(["", *unknown] if unknown else []), ""]


# --- a study's note ---------------------------------------------------------------------------


def stage_table(case: Case) -> list[str]:
    """A row for each variant that has a time in either model, and a column for each library."""
    kinds = {m.ceiling for m in case.measurements if m.time and m.share}
    share = f"of the {'/'.join(sorted(kinds))}" if kinds else ""
    both = any(m.time for m in case.of("openacc"))
    labels = case.libraries if both else []
    flags = any(m.flag for m in case.of("openacc") if m.time)

    def number(m: Measurement | None) -> str:
        return share_text(m).split(" %")[0] + " %" if m and m.time and m.share else NOTHING

    columns = [("variant", "---"), ("Kokkos", "---:")]
    for label in labels:
        columns += [(side_text("openacc", label), "---:")]
        columns += [("OpenACC / Kokkos [95 %]", "---:")]
    columns += [("flag", "---")] if flags else []
    columns += [(f"{share}, Kokkos", "---:")] if share else []
    columns += [(side_text("openacc", label), "---:") for label in labels if share]
    rows = []
    for variant in dict.fromkeys(m.variant for m in case.of("kokkos") + case.of("openacc")):
        kokkos = case.find("kokkos", variant)
        openacc = [case.find("openacc", variant, label) for label in labels]
        present = [m for m in (kokkos, *openacc) if m and not m.skipped]
        if not present:
            continue
        row = [code(variant) + (" (beyond)" if all(m.beyond for m in present) else "")]
        row += [time_of(kokkos)]
        for label, m in zip(labels, openacc):
            twins = case.comparison("twins", f"kokkos:{variant}", label)
            row += [time_of(m), ratio_cell(twins)]
        if flags:
            said = [with_label(code(m.flag), m.label) for m in openacc if m and m.flag]
            row += [", ".join(said)]
        row += [number(m) for m in (kokkos, *openacc) if share]
        rows.append(row)
    return table(columns, rows)


def stages(case: Case) -> list[str]:
    """What was measured of one case."""
    made = stage_table(case)
    reasons: dict[str, list[str]] = {}
    for m in case.measurements:
        if m.time and not m.share and m.ceiling:
            reasons.setdefault(m.ceiling, []).append(code(m.variant))
    some = any(m.share for m in case.measurements)
    said = [
        f"{reason} ({', '.join(dict.fromkeys(names))})" if some else reason
        for reason, names in sorted(reasons.items())
    ]
    why = f" No share of a ceiling: {', '.join(said)}." if said else ""
    lines = [f"{code(case.name)}, scope `{case.scope}`: {cell(case.description)}.{why}", ""]
    lines += made
    best = case.tuned
    ends = []
    if best:
        of = f" for {code(best.result)}" if best.result else ""
        ends.append(f"Best of both{of}: {sentence(case, best)}.")
    own = case.best("kokkos", same_work=True)
    against = [
        f"{contestant(case.named(c.other))}, {ratio_cell(c)} times as long"
        + (f" ({said})" if (said := differs(case, c.other_variant)) else "")
        for c in case.comparisons
        if c.kind == "yardstick" and own and c.own == own.name
    ]
    if against:
        ends.append(f"Yardsticks against {code(own.variant)}: {'; '.join(against)}.")
    measured = {m.variant for m in case.of("kokkos") if not m.skipped}
    for variant, reason in (case.openacc_cannot or {}).items():
        if variant in measured:
            ends.append(f"OpenACC cannot say {code(variant)}: {cell(reason).rstrip('.')}.")
    return lines + (["", " ".join(ends)] if ends else [])


def slower_twins(results: Results) -> list[str]:
    """Where Kokkos is the slower one in the same variant, and by how much."""

    def text(c: Comparison) -> str:
        beyond = "" if c.stage else " (beyond)"
        return with_label(f"{code(c.variant)}{beyond} {digits(c.ratio.median)}", c.library)

    rows = []
    for case in results.cases:
        twins = [c for c in case.comparisons if c.kind == "twins" and c.verdict == "slower"]
        if twins:
            rows.append([code(case.study), case_name(case), "; ".join(map(text, twins))])
    columns = [("study", "---"), ("case", "---"), ("OpenACC / Kokkos, the interval below 1", "---")]
    return table(columns, rows) if rows else ["None."]


def yardsticks(results: Results) -> list[str]:
    """The best Kokkos variant that does the declared work against the best yardstick of each case."""
    rows = []
    for case in results.cases:
        kokkos, other = case.best("kokkos", same_work=True), case.best("yardstick")
        if not kokkos or not other:
            continue
        found = case.yardstick
        said_of = verdict_text(found) if found else ""
        remarks = [differs(case, other.variant)]
        fastest = case.best("kokkos")
        if fastest.other_work:
            remarks.append(f"{contestant(fastest)} is no match: {fastest.other_work}")
        names = [contestant(kokkos), contestant(other)]
        rows.append(
            [code(case.study), case_name(case), *names, ratio_cell(found), said_of]
            + [share_cell(kokkos), "; ".join(filter(None, remarks))]
        )
    columns = [
        ("study", "---"),
        ("case", "---"),
        ("best Kokkos", "---"),
        ("best yardstick", "---"),
        ("yardstick / Kokkos [95 %]", "---:"),
        ("", "---"),
        ("of the ceiling, Kokkos", "---"),
        ("other work", "---"),
    ]
    return table(columns, rows)


def parts(line: str, least: int, form: str) -> list[str]:
    """The fields of a line of a mark; the last one may be left out."""
    fields = [field.strip() for field in line.split("|")]
    if not least <= len(fields) <= least + 1:
        raise ResultsError(f"'{line}' should be {form}")
    return fields + [""] * (least + 1 - len(fields))


def lessons(results: Results, text: list[str]) -> list[str]:
    """A table of the factors that a change is worth: in Kokkos, in OpenACC, and by the control."""
    sides = [("Kokkos", "kokkos", None)]
    sides += [(side_text("openacc", label), "openacc", label or None) for label in results.libraries[:1]]
    sides += [("`gangway port`", "openacc", CONTROL)] if has_control(results.cases) else []
    rows = []
    for line in text:
        lesson, reference, before, after, remark = parts(
            line, 4, "LESSON | STUDY/CASE | BEFORE | AFTER, or ... | REMARK"
        )
        case = results.needed(reference)
        row = [lesson, f"{code(case.study)} {case_name(case)}: {code(before)} → {code(after)}"]
        for _, model, label in sides:
            old, new = (case.find(model, name, label) for name in (before, after))
            timed = old and new and old.time and new.time
            row.append(digits(old.time.median / new.time.median) if timed else NOTHING)
        rows.append([*row, remark])
    columns = [("change", "---"), ("where", "---"), *((title, "---:") for title, *_ in sides), ("", "---")]
    remarks = any(row[-1] for row in rows)
    return table(columns if remarks else columns[:-1], [r if remarks else r[:-1] for r in rows])


def stage_against(results: Results, text: list[str]) -> list[str]:
    """A table of single stages: OpenACC over Kokkos by the first library, and by the control."""
    rows = []
    for line in text:
        said, reference, variant, remark = parts(line, 3, "WHAT | STUDY/CASE | VARIANT, or ... | REMARK")
        case = results.needed(reference)
        own = f"kokkos:{variant}"
        label = results.libraries[0] or None
        ratio = ratio_cell(case.comparison("twins", own, label))
        where = f"{code(case.study)} {case_name(case)}: {code(variant)}"
        rows.append([said, where, time_of(case.named(own)), ratio, control_ratio(case, own), remark])
    columns = [
        *(("stage", "---"), ("where", "---"), ("Kokkos", "---:")),
        *((f"{results.whose_openacc} / Kokkos", "---:"), (CONTROLLED, "---:"), ("", "---")),
    ]
    remarks = any(row[-1] for row in rows)
    return table(columns if remarks else columns[:-1], [r if remarks else r[:-1] for r in rows])


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


def looked_up(case: Case, name: str) -> Measurement | None:
    """MODEL:VARIANT or openacc[LABEL]:VARIANT; a variant * is the best. Without a label a variant is
    the first library's, and the best is of all."""
    found = re.fullmatch(r"(\w+)(?:\[([^\]]+)\])?:(.+)", name)
    if not found or found[1] not in NAMES or (found[2] and found[1] != "openacc"):
        raise ResultsError(
            f"'{name}' should be MODEL:VARIANT or openacc[LABEL]:VARIANT; models are "
            f"{', '.join(NAMES)}"
        )
    model, label, variant = found.groups()
    return case.best(model, label) if variant == "*" else case.find(model, variant, label)


def measured(case: Case, name: str) -> Measurement:
    m = looked_up(case, name)
    if m is None or not m.time:
        there = [other.name for other in case.measurements if other.time]
        raise ResultsError(
            f"{case.study}/{case.name} has no time of {name}; it has {', '.join(there)}"
        )
    return m


COUNTED: dict[str, Callable[[Case, Comparison], bool]] = {
    "twins": lambda _, c: c.is_port,
    "beyond": lambda _, c: c.kind == "twins" and not c.stage,
    "best": lambda case, c: c is case.tuned,
    "yardstick": lambda _, c: c.kind == "yardstick",
}


def chosen(results: Results, kind: str, label: str | None) -> list[Comparison]:
    """The comparisons of a kind. Of the best there is one in a case, unless a library is named: then
    that library's."""
    known = {m.library for case in results.cases for m in case.of("openacc") if m.library}
    if label is not None and label not in known:
        raise ResultsError(f"'{kind}': no library {label}; there are: {', '.join(sorted(known))}")
    found = []
    for case in results.cases:
        for c in case.comparisons:
            if label is None:
                wanted = COUNTED[kind](case, c)
            elif kind == "best":
                wanted = c is case.comparison("best", library=label)
            else:
                wanted = COUNTED[kind](case, c) and case.named(c.other).library == label
            found += [c] if wanted else []
    return found


def count(results: Results, kind: str, verdict: str, label: str | None = None) -> str:
    verdicts = {"all": "", "faster": "faster", "slower": "slower", "even": "no difference"}
    if kind not in COUNTED or verdict not in (*verdicts, "flagged"):
        kinds, asked = ", ".join(COUNTED), ", ".join((*verdicts, "flagged"))
        raise ResultsError(f"'count {kind} {verdict}': {kinds}; {asked}")
    made = tally(chosen(results, kind, label))
    if verdict == "flagged":
        return str(made.all_flagged)
    return str(made.all if verdict == "all" else made.counted[verdicts[verdict]])


def median_of(results: Results, kind: str, *more: str) -> str:
    """`more` may begin with `unflagged`, and may end with a library's label."""
    if kind not in COUNTED or len(more) > 2 or (len(more) == 2 and more[0] != "unflagged"):
        raise ResultsError(f"'median {' '.join([kind, *more])}': {', '.join(COUNTED)} [unflagged] [LABEL]")
    unflagged = more[:1] == ("unflagged",)
    label = more[unflagged] if len(more) > unflagged else None
    found = [c.ratio.median for c in chosen(results, kind, label) if not (unflagged and c.flag)]
    if not found:
        raise ResultsError(f"'median {kind}': there are none")
    return digits(median(found))


def tuning(results: Results, what: str) -> str:
    """Of the cases with a port and a tuned ratio, none of them flagged."""
    both = [(case.port, case.tuned) for case in results.cases if case.port and case.tuned]
    both = [(port, best) for port, best in both if not port.flag and not best.flag]
    made = {
        "all": lambda: str(len(both)),
        "wider": lambda: str(sum(best.ratio.median > port.ratio.median for port, best in both)),
        "port": lambda: digits(median(port.ratio.median for port, _ in both)),
        "best": lambda: digits(median(best.ratio.median for _, best in both)),
    }
    if what not in made or not both:
        raise ResultsError(f"'tuning {what}': {', '.join(made)}, of cases with both ratios")
    return made[what]()


def value(results: Results, words: list[str]) -> str:
    """STUDY/CASE NAME            its time
    STUDY/CASE share NAME      its share of the ceiling
    STUDY/CASE copy NAME       how fast it moves its least bytes, of a copy in the same run
    STUDY/CASE NAME / NAME     how many times as long the first takes; with its interval if paired
    count KIND VERDICT [LABEL] how many comparisons, of twins (stages in both models), beyond (what is
                               beyond the documents in both), best, yardstick; all, faster, slower,
                               even, flagged; with one OpenACC library, or with all
    median KIND [unflagged] [LABEL]   of those ratios
    tuning WHAT                of the cases whose port and best of both are not flagged: all, how many;
                               wider, in how many the second ratio is larger; port, best: medians
    device                     what was measured on
    """
    if words == ["device"]:
        return results.device
    if len(words) in (3, 4) and words[0] == "count":
        return count(results, *words[1:])
    if len(words) in (2, 3, 4) and words[0] == "median":
        return median_of(results, *words[1:])
    if len(words) == 2 and words[0] == "tuning":
        return tuning(results, words[1])
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


def holds(results: Results, words: list[str]) -> bool:
    """STUDY/CASE NAME < NAME      the first is faster: if paired, the interval excludes 1
    STUDY/CASE NAME < N NAME    ... even than an N-th (or N times) of the second's time
    STUDY/CASE NAME ~ NAME      paired: no difference is shown; else within a tenth

    Errors: ResultsError, also where the case is not among the results, or one of the two has no time.
    """
    if len(words) not in (4, 5) or words[2] not in "<~" or (len(words) == 5 and words[2] == "~"):
        raise ResultsError(f"'{' '.join(words)}' is no claim; there are:\n{holds.__doc__}")
    case = results.needed(words[0])
    first, second = measured(case, words[1]), measured(case, words[-1])
    if len(words) == 5:
        return first.time.median < float(words[3]) * second.time.median
    for c in case.comparisons:
        faster = {(first.name, second.name): "faster", (second.name, first.name): "slower"}
        if (c.own, c.other) in faster:
            wanted = "no difference" if words[2] == "~" else faster[c.own, c.other]
            return c.verdict == wanted
    ratio = first.time.median / second.time.median
    return 0.9 < ratio < 1.1 if words[2] == "~" else ratio < 1
