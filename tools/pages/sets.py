# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and writes the committed results of a device: a folder of CSV files.

    environment.json    what was run: commits, compilers, flags and devices, each once, by number
    runs.csv            a row per process: the set it belongs to, its environment, its ceilings
    cases.csv           a row per problem: its run, its settings, its least bytes and operations
    measurements.csv    a row per variant, model and library in a case: median time, share, shape
    ratios.csv          a row per comparison: the median of the paired ratios, with its interval

A set is what was measured for one purpose, such as `usual`, `full` or `port`; the column `set` of
runs.csv says which. COLUMNS has every column in its order. A measured number has five significant digits, a
median an interval of 95 % (`low`, `high`); seconds are seconds, bytes are bytes. An unknown
value is empty.
"""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from make_report import write_whole
from results import (
    Case,
    Comparison,
    Estimate,
    Measurement,
    ResultsError,
    Run,
    Transfers,
    libraries_of,
    plain,
)

SCHEMA = "gangway-set/1"
DOCUMENT = "environment.json"
CEILINGS = (
    "copy_bytes_per_second",
    "triad_bytes_per_second",
    "read_bytes_per_second",
    "update_bytes_per_second",
    "fill_bytes_per_second",
    "flops_double_per_second",
    "flops_single_per_second",
    "launch_seconds",
    "link_in_bytes_per_second",
    "link_out_bytes_per_second",
    "link_in_pinned_bytes_per_second",
    "link_out_pinned_bytes_per_second",
)
ESTIMATE = ("median", "low", "high", "rounds")
MOVED = ("to_device", "to_host", "bytes_to_device", "bytes_to_host")
COLUMNS = {
    "runs": ("run", "set", "environment", "date", "busy", *CEILINGS),
    "cases": (
        *("case", "run", "study", "name", "scope", "settings", "description"),
        *("bytes", "flops", "single_precision", "in_place", "working_set_bytes", "busy", "flags_known"),
    ),
    "measurements": (
        *("case", "model", "library", "variant", "beyond", "result", "flag", "outcome"),
        *ESTIMATE,
        *("share", "ceiling", "shapes"),
        *MOVED,
        "openacc_cannot",
    ),
    "ratios": ("case", "kind", "kokkos", "model", "library", "other", *ESTIMATE, "verdict"),
}
FAILED, SKIPPED = "failed: ", "skipped: "  # how an outcome begins; a right one is empty
MOST_SHAPES = 4  # of one measurement, each once; the rest are left out


@dataclass
class Set:
    """What one set of a device's folder holds, in the order of its runs."""

    name: str
    runs: list[Run] = field(default_factory=list)


# --- writing ----------------------------------------------------------------------------------


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.5g}"


def truth(value: bool) -> str:
    return "true" if value else ""


def without_places(text: str) -> str:
    """The text without the folders of the machine: `-include /home/me/a.hpp` is `-include a.hpp`."""
    return re.sub(r"(?:(?<=-[IL])|(?<![\w.]))/(?:[^\s/=]+/)+", "", text)


def shape_text(shape: dict) -> str:
    """Gangs x workers x lanes, the tile, or the iterations of a range."""
    if "range" in shape:
        return f"{shape['range']}"
    if "tile" in shape:
        return f"tile:{'x'.join(map(str, shape['tile']))}"
    return f"{shape['gangs']}x{shape['team_size']}x{shape['vector_length']}"


def estimate_fields(estimate: Estimate | None) -> list[str]:
    if estimate is None:
        return [""] * len(ESTIMATE)
    return [*map(number, (estimate.median, estimate.low, estimate.high)), str(estimate.rounds)]


def measurement_row(number_of_case: int, m: Measurement, case: Case) -> list[str]:
    outcome = f"{SKIPPED}{m.skipped}" if m.skipped else f"{FAILED}{m.detail}" if m.failed else ""
    moved = [""] * len(MOVED) if m.transfers is None else [f"{getattr(m.transfers, n)}" for n in MOVED]
    shapes = list(dict.fromkeys(map(shape_text, m.shapes)))[:MOST_SHAPES]
    reason = (case.openacc_cannot or {}).get(m.variant, "") if m.model == "kokkos" else ""
    return [
        *(str(number_of_case), m.model, m.library, m.variant, truth(m.beyond), m.result, m.flag, outcome),
        *estimate_fields(m.time),
        *(number(m.share), m.ceiling, " ".join(shapes)),
        *moved,
        reason,
    ]


def ratio_row(number_of_case: int, c: Comparison, case: Case) -> list[str]:
    other = case.named(c.other)
    return [
        *(str(number_of_case), c.kind, c.variant, other.model, other.library, other.variant),
        *estimate_fields(c.ratio),
        c.verdict,
    ]


def settings_text(settings: dict[str, str]) -> str:
    """KEY=VALUE, quoted as a shell wants it."""
    return " ".join(f"{key}={shlex.quote(value)}" for key, value in settings.items())


def texts_of(sets: list[Set]) -> dict[str, str]:
    """The files of a folder by name."""
    environments: list[dict[str, str]] = []
    rows: dict[str, list[list[str]]] = {name: [] for name in COLUMNS}
    for each in sets:
        for run in each.runs:
            facts = {n: without_places(value) for n, value in run.provenance.items() if n != "date"}
            if facts not in environments:
                environments.append(facts)
            run_number = len(rows["runs"]) + 1
            rows["runs"].append(
                [
                    *(str(run_number), each.name, str(environments.index(facts) + 1)),
                    *(run.provenance.get("date", ""), " ".join(run.busy)),
                    *(number(run.ceilings.get(name, 0) or None) for name in CEILINGS),
                ]
            )
            for case in run.cases:
                case_number = len(rows["cases"]) + 1
                rows["cases"].append(
                    [
                        *(str(case_number), str(run_number), case.study, case.name, case.scope),
                        *(settings_text(case.settings), case.description),
                        *(number(case.bytes), number(case.flops), truth(case.single_precision)),
                        *(truth(case.in_place), number(case.working_set), truth(case.busy)),
                        truth(case.openacc_cannot is not None),
                    ]
                )
                rows["measurements"] += [measurement_row(case_number, m, case) for m in case.measurements]
                rows["ratios"] += [ratio_row(case_number, c, case) for c in case.comparisons]
    texts = {}
    for name, made in rows.items():
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([COLUMNS[name], *made])
        texts[f"{name}.csv"] = out.getvalue()
    numbered = {str(place): facts for place, facts in enumerate(environments, 1)}
    document = {"schema": SCHEMA, "environments": numbered}
    texts[DOCUMENT] = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    return texts


def write(folder: Path, sets: list[Set]) -> None:
    """Errors: ResultsError."""
    for name, text in texts_of(sets).items():
        write_whole(folder / name, text)


# --- reading ----------------------------------------------------------------------------------


def _estimate(row: dict[str, str]) -> Estimate | None:
    if not row["median"]:
        return None
    return Estimate(float(row["median"]), float(row["low"]), float(row["high"]), int(row["rounds"]))


def _shape(text: str) -> dict:
    if text.startswith("tile:"):
        return {"tile": [int(part) for part in text[5:].split("x")]}
    parts = [int(part) for part in text.split("x")]
    names = ("gangs", "team_size", "vector_length")
    return dict(zip(names, parts)) if len(parts) == 3 else {"range": parts[0]}


def _measurement(row: dict[str, str], several: bool) -> Measurement:
    outcome = row["outcome"]
    moved = [int(row[name]) for name in MOVED if row[name]]
    return Measurement(
        model=row["model"],
        variant=row["variant"],
        beyond=bool(row["beyond"]),
        skipped=outcome[len(SKIPPED) :] if outcome.startswith(SKIPPED) else "",
        passed=not outcome,
        error=None,
        tolerance=0,
        detail=outcome[len(FAILED) :] if outcome.startswith(FAILED) else "",
        runs=0,
        shapes=[_shape(text) for text in row["shapes"].split()],
        transfers=Transfers(*moved) if moved else None,
        seconds=[],
        time=_estimate(row),
        share=float(row["share"]) if row["share"] else None,
        ceiling=row["ceiling"],
        result=row["result"],
        flag=row["flag"],
        library=row["library"],
        several=several and bool(row["library"]),
    )


def _comparison(row: dict[str, str], case: Case, several: bool) -> Comparison:
    label = f"[{row['library']}]" if several and row["library"] else ""
    name = f"{row['model']}{label}:{row['other']}"
    own, other = case.named(f"kokkos:{row['kokkos']}"), case.named(name)
    return Comparison(
        kind=row["kind"],
        own=own.name,
        other=other.name,
        ratio=_estimate(row),
        verdict=row["verdict"],
        stage=not own.beyond,
        result=own.result,
        flag=other.flag,
        library=other.label,
    )


def _rows(folder: Path, name: str) -> list[dict[str, str]]:
    file = folder / f"{name}.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        missing = set(COLUMNS[name]) - set(reader.fieldnames or ())
        if missing:
            raise ResultsError(f"{file} has no column {', '.join(sorted(missing))}")
        rows = list(reader)
    for place, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise ResultsError(f"{file}:{place}: a row of another length than the first")
    return rows


def _by(rows: list[dict[str, str]], column: str) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        found.setdefault(row[column], []).append(row)
    return found


def read(folder: Path) -> list[Set]:
    """All sets of a device's folder. Errors: ResultsError."""
    try:
        document = json.loads((folder / DOCUMENT).read_text(encoding="utf-8"))
        if document["schema"] != SCHEMA:
            raise ResultsError(f"{folder} is of schema {plain(document['schema'])}, not {SCHEMA}")
        environments = document["environments"]
        rows = {name: _rows(folder, name) for name in COLUMNS}
        measured, compared = (_by(rows[name], "case") for name in ("measurements", "ratios"))
        sets: dict[str, Set] = {}
        runs: dict[str, Run] = {}
        for row in rows["runs"]:
            run = Run(
                file=row["run"],
                provenance={"date": row["date"], **environments[row["environment"]]},
                ceilings={name: float(row[name] or 0) for name in CEILINGS},
                cases=[],
                sweeps=[],
                peak_memory=0,
                busy=row["busy"].split(),
            )
            runs[row["run"]] = run
            sets.setdefault(row["set"], Set(row["set"])).runs.append(run)
        for row in rows["cases"]:
            run = runs[row["run"]]
            several = len(libraries_of(run.provenance)) > 1
            mine = measured.get(row["case"], [])
            cannot = {m["variant"]: m["openacc_cannot"] for m in mine if m["openacc_cannot"]}
            case = Case(
                study=row["study"],
                name=row["name"],
                scope=row["scope"],
                settings=dict(part.split("=", 1) for part in shlex.split(row["settings"])),
                description=row["description"],
                bytes=float(row["bytes"] or 0),
                flops=float(row["flops"] or 0),
                single_precision=bool(row["single_precision"]),
                reasoning="",
                in_place=bool(row["in_place"]),
                working_set=float(row["working_set_bytes"] or 0),
                measurements=[_measurement(m, several) for m in mine],
                comparisons=[],
                busy=bool(row["busy"]),
                openacc_cannot=cannot if row["flags_known"] else None,
            )
            case.comparisons += [_comparison(c, case, several) for c in compared.get(row["case"], [])]
            run.cases.append(case)
    except OSError as error:
        raise ResultsError(f"cannot read {error.filename}: {error.strerror}") from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise ResultsError(f"{folder} is damaged or incomplete: {plain(repr(error))}") from error
    return list(sets.values())
