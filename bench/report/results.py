# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the results that `gangway compare --json` and `gangway sweep --json` write.

Needs nothing but Python, so that the README's table can be made where no plot can.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

SCHEMA = "gangway-results/1"
NAMES = {"kokkos": "Kokkos", "openacc": "OpenACC", "yardstick": "yardstick"}  # of the models


class ResultsError(Exception):
    """A file that cannot be used; the message names it and says why."""


@dataclass(frozen=True)
class Estimate:
    """A median with a 95 % interval."""

    median: float
    low: float
    high: float
    rounds: int


@dataclass(frozen=True)
class Transfers:
    to_device: int
    to_host: int
    bytes_to_device: int
    bytes_to_host: int

    def __bool__(self) -> bool:
        return bool(self.to_device or self.to_host)


@dataclass
class Measurement:
    """One variant of one model on one case."""

    model: str  # kokkos, openacc, yardstick
    variant: str
    beyond: bool
    skipped: str
    passed: bool
    error: float | None  # None: not a number
    tolerance: float
    detail: str
    runs: int  # checked
    shapes: list[dict]
    transfers: Transfers | None  # None: the runtime does not report them
    seconds: list[float]  # of each round, in order; empty without a time
    time: Estimate | None
    share: float | None  # None: cannot be said; ceiling says why
    ceiling: str

    @property
    def failed(self) -> bool:
        return not self.skipped and not self.passed

    @property
    def name(self) -> str:
        return f"{self.model}:{self.variant}"


@dataclass(frozen=True)
class Comparison:
    """A paired ratio other/own: above 1, own is faster."""

    kind: str  # twins, best, beyond, yardstick
    own: str
    other: str
    ratio: Estimate
    verdict: str

    @property
    def decided(self) -> bool:
        return self.verdict in ("faster", "slower")


@dataclass(frozen=True)
class Point:
    """One point of a sweep."""

    workers: int
    vector: int
    items: int
    measurement: Measurement


@dataclass
class Case:
    study: str
    name: str
    scope: str
    settings: dict[str, str]
    description: str
    bytes: float
    flops: float
    single_precision: bool
    reasoning: str
    in_place: bool  # all that is written was read before
    working_set: float
    measurements: list[Measurement]
    comparisons: list[Comparison]
    busy: bool = False  # other programs disturbed it
    points: list[Point] = field(default_factory=list)  # of a sweep

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.study, self.name, self.scope)

    def of(self, model: str) -> list[Measurement]:
        return [m for m in self.measurements if m.model == model]

    def find(self, model: str, variant: str) -> Measurement | None:
        return next((m for m in self.of(model) if m.variant == variant), None)

    def best(self, model: str) -> Measurement | None:
        timed = [m for m in self.of(model) if m.time]
        return min(timed, key=lambda m: m.time.median, default=None)

    def comparison(self, kind: str, own: str | None = None) -> Comparison | None:
        return next(
            (c for c in self.comparisons if c.kind == kind and own in (None, c.own)), None
        )

    @property
    def everything(self) -> list[Measurement]:
        return self.measurements + [p.measurement for p in self.points]


@dataclass
class Run:
    """One results file: one process on one machine."""

    file: str
    provenance: dict[str, str]
    ceilings: dict[str, float]
    cases: list[Case]
    sweeps: list[Case]
    peak_memory: float
    busy: list[str] = field(default_factory=list)  # when other programs disturbed: before, ceilings

    @property
    def device(self) -> str:
        return device_of(self.provenance)

    @property
    def bandwidth(self) -> float:
        """What no kernel can pass that writes what it has not read."""
        return max(self.ceilings.get(f"{k}_bytes_per_second", 0) for k in ("copy", "triad", "read"))

    @property
    def bandwidth_in_place(self) -> float:
        return max(self.bandwidth, self.ceilings.get("update_bytes_per_second", 0))

    def peak_flops(self, single: bool) -> float:
        return self.ceilings.get(f"flops_{'single' if single else 'double'}_per_second", 0)


def device_of(provenance: dict[str, str]) -> str:
    """Short: the GPU's name, or else the processor's."""
    if "device" in provenance:
        return provenance["device"].split(",")[0]
    return provenance.get("processor", "unknown device")


def _estimate(raw: dict) -> Estimate:
    return Estimate(raw["median"], raw["low"], raw["high"], raw["rounds"])


def _measurement(raw: dict) -> Measurement:
    check = raw.get("check", {})
    moved = raw.get("transfers")
    share = raw.get("share", {})
    return Measurement(
        model=raw["model"],
        variant=raw["variant"],
        beyond=raw["beyond"],
        skipped=raw.get("skipped", ""),
        passed=check.get("passed", False),
        error=check.get("error"),
        tolerance=check.get("tolerance", 0),
        detail=check.get("detail", ""),
        runs=check.get("runs", 0),
        shapes=raw.get("shapes", []),
        transfers=moved and Transfers(
            moved["to_device"],
            moved["to_host"],
            moved["bytes_to_device"],
            moved["bytes_to_host"],
        ),
        seconds=raw.get("seconds", []),
        time=_estimate(raw["time"]) if "time" in raw else None,
        share=share.get("value"),
        ceiling=share.get("of", ""),
    )


def _name(raw: dict) -> str:
    """A case of the study's, or what it was set to: two such cases are told apart."""
    if raw["case"] != "as set":
        return raw["case"]
    return " ".join(f"{key}={value}" for key, value in raw["settings"].items() if value) or "as set"


def _case(raw: dict) -> Case:
    work = raw["work"]
    return Case(
        study=raw["study"],
        name=_name(raw),
        scope=raw["scope"],
        settings=raw["settings"],
        description=raw["description"],
        bytes=work["bytes"],
        flops=work["flops"],
        single_precision=work["single_precision"],
        reasoning=work["reasoning"],
        in_place=work.get("in_place", False),
        working_set=raw["working_set_bytes"],
        measurements=[_measurement(m) for m in raw["measurements"]],
        comparisons=[
            Comparison(c["kind"], c["own"], c["other"], _estimate(c["ratio"]), c["verdict"])
            for c in raw["comparisons"]
        ],
        busy=raw.get("noise", {}).get("busy", False),
        points=[
            Point(p["workers"], p["vector"], p["items_per_worker"], _measurement(p["measurement"]))
            for p in raw.get("points", [])
        ],
    )


def read(path: Path | str) -> Run:
    """Errors: ResultsError."""
    path = Path(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise ResultsError(f"{path} is not JSON: {error}") from error
    schema = raw.get("schema") if isinstance(raw, dict) else None
    if schema != SCHEMA:
        raise ResultsError(
            f"{path} is not in the form {SCHEMA} that 'gangway compare --json' writes"
            + (f"; it says {schema}" if schema else "")
        )
    try:
        return Run(
            file=path.name,
            provenance=raw["provenance"],
            ceilings=raw["ceilings"],
            busy=[name for name, noise in raw.get("noise", {}).items() if noise["busy"]],
            cases=[_case(c) for c in raw["cases"]],
            sweeps=[_case(s) for s in raw.get("sweeps", [])],
            peak_memory=raw.get("peak_memory_bytes", 0),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ResultsError(f"{path} is damaged or incomplete: {error!r}") from error


# --- texts ------------------------------------------------------------------------------------


def digits(value: float) -> str:
    """Three significant digits, such as 1.90; no exponent where a person would write none."""
    if value == 0:
        return "0"
    if 99.95 <= abs(value) < 1e6:
        return f"{float(f'{value:.3g}'):.0f}"
    return f"{value:#.3g}"


def seconds_text(seconds: float) -> str:
    for unit, scale in (("µs", 1e-6), ("ms", 1e-3)):
        if seconds < 1000 * scale * (1 - 5e-4):  # not "1000 µs"
            return f"{digits(seconds / scale)} {unit}"
    return f"{digits(seconds)} s"


def amount_text(value: float, unit: str) -> str:
    """Such as 2.78 GB, 437 MFLOP."""
    for prefix, scale in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= scale * (1 - 5e-4):
            return f"{digits(value / scale)} {prefix}{unit}"
    return f"{value:.0f} {unit}" if value == int(value) else f"{digits(value)} {unit}"


def ratio_text(ratio: Estimate) -> str:
    return f"{digits(ratio.median)} [{digits(ratio.low)}, {digits(ratio.high)}]"


def share_text(m: Measurement) -> str:
    if not m.time:
        return ""
    if not m.share:
        return m.ceiling
    return f"{100 * m.share:.{0 if m.share >= 0.0995 else 1}f} % {m.ceiling}"


def verdict_text(comparison: Comparison) -> str:
    if comparison.verdict == "machine busy":
        return "no verdict: machine busy"
    if comparison.verdict == "no difference":
        return "no difference shown"
    return f"Kokkos {comparison.verdict}"
