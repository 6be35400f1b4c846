# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the results that `gangway compare --json` and `gangway sweep --json` write.

Needs nothing but Python, so that the README's table can be made where no plot can.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

SCHEMA = "gangway-results/1"
CONTROL = "port"  # the label of the library that `gangway port` makes of the same OpenACC sources
LARGEST = 1 << 28  # bytes; a comparison of all studies has a hundredth
NAMES = {"kokkos": "Kokkos", "openacc": "OpenACC", "yardstick": "yardstick"}  # of the models

# What a flag of an OpenACC measurement says: not the model but its compiler set the time.
FLAGS = {
    "kernels": "`kernels` left to one thread",
    "sum": "a reduction that GCC serialises across its default number of gangs",
    "tile": "`tile` emulated by a division and a remainder for each element",
    "frame": "a gang's private array that GCC copies whenever its workers start",
}
FEWEST_ROUNDS = 6  # that give a verdict
TOO_FEW = "too few rounds"  # for a verdict, as where a variant was timed once
# Reasons of the referee for a share that cannot be given. Any other reason is a study's remark that the
# variant does less work than its yardsticks.
NO_SHARE = ("no ceiling measured", "no work declared", "fits in cache")


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
    # Files of before have none of these.
    result: str = ""  # what it computes; only variants of one result are compared
    flag: str = ""  # of OpenACC: what its compiler, not the model, may have made of the time
    library: str = ""  # of OpenACC: the label of the library
    several: bool = False  # libraries took part, so that names have the label

    @property
    def failed(self) -> bool:
        return not self.skipped and not self.passed

    @property
    def label(self) -> str:
        """The library, where it must be said."""
        return self.library if self.several else ""

    @property
    def other_work(self) -> str:
        """How the variant does other work than its study declares; empty if it does that work."""
        said = bool(self.time) and not self.share and self.model == "kokkos"
        ours = self.ceiling in NO_SHARE or self.ceiling.endswith(" passed")
        return self.ceiling if said and not ours else ""

    @property
    def side(self) -> str:
        """The model, for people."""
        return side_text(self.model, self.label)

    @property
    def name(self) -> str:
        """As comparisons name it."""
        model = f"{self.model}[{self.label}]" if self.label else self.model
        return f"{model}:{self.variant}"


@dataclass(frozen=True)
class Comparison:
    """A paired ratio other/own: above 1, own is faster."""

    kind: str  # twins, best, beyond, yardstick
    own: str
    other: str
    ratio: Estimate
    verdict: str
    stage: bool = True  # own is one of the documents' stages, not beyond them
    result: str = ""  # of both
    flag: str = ""  # of the other
    library: str = ""  # of the other, where several took part

    @property
    def is_port(self) -> bool:
        """The same stage in both models."""
        return self.kind == "twins" and self.stage

    @property
    def variant(self) -> str:
        """Kokkos' one."""
        return variant_of(self.own)

    @property
    def other_variant(self) -> str:
        return variant_of(self.other)

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
    # Variants that OpenACC cannot say, and why. None: the file is from before this was written.
    openacc_cannot: dict[str, str] | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        return (self.study, self.name, self.scope)

    @property
    def main_result(self) -> str:
        """The first variant's: what the bests are of."""
        return self.measurements[0].result if self.measurements else ""

    @property
    def libraries(self) -> list[str]:
        """The labels of the OpenACC libraries, in their order; [""] where there is one or none."""
        labels = list(dict.fromkeys(m.label for m in self.of("openacc")))
        return labels or [""]

    def of(self, model: str) -> list[Measurement]:
        return [m for m in self.measurements if m.model == model]

    def find(self, model: str, variant: str, library: str | None = None) -> Measurement | None:
        """Of several OpenACC libraries the first, unless one is named."""
        return next(
            (
                m
                for m in self.of(model)
                if m.variant == variant and library in (None, m.label, m.library)
            ),
            None,
        )

    def named(self, name: str) -> Measurement | None:
        """MODEL:VARIANT or openacc[LABEL]:VARIANT."""
        return next((m for m in self.measurements if m.name == name), None)

    def best(
        self, model: str, library: str | None = None, same_work: bool = False
    ) -> Measurement | None:
        """The fastest that computes what the first variant computes; of OpenACC from any library but
        the control, unless one is named. `same_work` leaves out variants that do other work than is
        declared."""
        timed = [
            m
            for m in self.of(model)
            if m.time and m.result == self.main_result and library in (None, m.label, m.library)
            if library is not None or m.label != CONTROL
            if not (same_work and m.other_work)
        ]
        return min(timed, key=lambda m: m.time.median, default=None)

    def comparison(
        self, kind: str, own: str | None = None, library: str | None = None
    ) -> Comparison | None:
        """The first of the kind. Of kind `best` the one of the two that `best` gives."""
        if kind == "best" and own is None:
            kokkos, openacc = self.best("kokkos"), self.best("openacc", library)
            return kokkos and openacc and self._between("best", kokkos, openacc)
        return next(
            (
                c
                for c in self.comparisons
                if c.kind == kind and own in (None, c.own) and library in (None, c.library)
            ),
            None,
        )

    def _between(self, kind: str, own: Measurement, other: Measurement) -> Comparison | None:
        return next(
            (
                c
                for c in self.comparisons
                if (c.kind, c.own, c.other) == (kind, own.name, other.name)
            ),
            None,
        )

    # --- the headline of the case ---

    @property
    def port(self) -> Comparison | None:
        """The fastest stage of OpenACC against the same stage in Kokkos."""
        twins = [c for c in self.comparisons if c.is_port and c.result == self.main_result]
        twins = [c for c in twins if c.library != CONTROL]
        return min(twins, key=lambda c: self.named(c.other).time.median, default=None)

    @property
    def tuned(self) -> Comparison | None:
        """The fastest of both models."""
        return self.comparison("best")

    @property
    def yardstick(self) -> Comparison | None:
        """The fastest yardstick against the fastest Kokkos variant that does the same work."""
        own, other = self.best("kokkos", same_work=True), self.best("yardstick")
        return own and other and self._between("yardstick", own, other)

    @property
    def tier(self) -> str:
        """`both`: OpenACC has the algorithm of the best Kokkos variant. `cannot`: it cannot say it.
        Empty where the results do not know."""
        best = self.best("kokkos")
        if self.openacc_cannot is None or best is None or not self.of("openacc"):
            return ""
        if best.variant in self.openacc_cannot:
            return "cannot"
        # `tuned` is one of the other kernels in a shape that was measured.
        there = not best.beyond or best.variant == "tuned" or self.find("openacc", best.variant)
        return "both" if there else ""

    @property
    def flagged(self) -> list[tuple[str, Comparison]]:
        """Which of the port and the best of both are the compiler's."""
        both = (("port", self.port), ("best", self.tuned))
        return [(column, c) for column, c in both if c and c.flag]

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


def libraries_of(provenance: dict[str, str]) -> list[tuple[str, dict[str, str]]]:
    """Label and facts (compiler, flags, device, ...) of each OpenACC library; none without OpenACC.
    The label of a single one may be empty."""
    if provenance.get("openacc") == "none":
        return []
    labels = [label for label in provenance.get("openacc libraries", "").split(", ") if label]
    found = []
    for number, label in enumerate(labels or [""]):
        start = f"openacc[{label}] " if number else "openacc "
        found.append(
            (
                label,
                {
                    name[len(start) :]: value
                    for name, value in provenance.items()
                    if name.startswith(start)
                },
            )
        )
    return found


def whose_openacc(*provenances: dict[str, str]) -> str:
    """Such as "GCC's OpenACC": no ratio is true of another compiler's."""
    makers = dict.fromkeys(
        facts.get("compiler", "").split(" ")[0]
        for provenance in provenances
        for label, facts in libraries_of(provenance)
        if label != CONTROL
    )
    named = [f"{maker}'s" for maker in makers if maker]
    return f"{' and '.join(named)} OpenACC" if named else "OpenACC"


def side_text(model: str, label: str) -> str:
    return f"{NAMES[model]} ({label})" if label else NAMES[model]


def variant_of(name: str) -> str:
    """Of MODEL:VARIANT; a label has no colon in it, a variant may."""
    return name.split(":", 1)[1]


def _estimate(raw: dict) -> Estimate:
    return Estimate(raw["median"], raw["low"], raw["high"], raw["rounds"])


def _measurement(raw: dict, several: bool) -> Measurement:
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
        result=raw.get("result", ""),
        flag=raw.get("flag", ""),
        library=raw.get("library", ""),
        several=several and "library" in raw,
    )


def _flag_by_shape(measurements: list[Measurement]) -> None:
    """Flags `kernels` by the launched shape, as the referee does. Earlier files cleared it for all of
    GCC's mode `decompose`; which variants have `kernels` regions the other mode's flags say."""
    variants = {m.variant for m in measurements if m.flag == "kernels"}
    for m in measurements:
        if m.model == "openacc" and m.variant in variants and m.shapes:
            one_thread = any(s["gangs"] == 1 and s["team_size"] == 1 for s in m.shapes)
            m.flag = "kernels" if one_thread else ""


def _verdict(raw: dict) -> str:
    """The file's; too few rounds show no difference, and are told from rounds that are enough."""
    few = raw["verdict"] == "no difference" and raw["ratio"]["rounds"] < FEWEST_ROUNDS
    return TOO_FEW if few else raw["verdict"]


def _comparison(raw: dict, by_name: dict[str, Measurement]) -> Comparison:
    own, other = by_name[raw["own"]], by_name[raw["other"]]
    return Comparison(
        kind=raw["kind"],
        own=raw["own"],
        other=raw["other"],
        ratio=_estimate(raw["ratio"]),
        verdict=_verdict(raw),
        stage=not own.beyond,
        result=own.result,
        flag=other.flag,
        library=other.label,
    )


def _name(raw: dict) -> str:
    """A case of the study's, or what it was set to: two such cases are told apart."""
    if raw["case"] != "as set":
        return raw["case"]
    return " ".join(f"{key}={value}" for key, value in raw["settings"].items() if value) or "as set"


def _case(raw: dict) -> Case:
    work = raw["work"]
    # A library may have nothing of this case, and the names of the other still have its label.
    labels = {m["library"] for m in raw["measurements"] if "library" in m}
    several = len(labels) > 1 or any("[" in c["other"].split(":")[0] for c in raw["comparisons"])
    measurements = [_measurement(m, several) for m in raw["measurements"]]
    _flag_by_shape(measurements)
    by_name = {m.name: m for m in measurements}
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
        measurements=measurements,
        comparisons=[_comparison(c, by_name) for c in raw["comparisons"]],
        busy=raw.get("noise", {}).get("busy", False),
        points=[
            Point(
                p["workers"],
                p["vector"],
                p["items_per_worker"],
                _measurement(p["measurement"], several),
            )
            for p in raw.get("points", [])
        ],
        openacc_cannot=raw.get("openacc_cannot"),
    )


def plain(text: object) -> str:
    """What a file says, fit for a line on a terminal."""
    return "".join(c if c.isprintable() else "?" for c in str(text)[:200])


def read_json(path: Path, schema: str, command: str) -> dict:
    """What a file of this schema says, which `command` writes. Errors: ResultsError."""
    try:
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise ResultsError(f"{path} has more than {LARGEST >> 20} MiB, which no results have")
        raw = json.loads(text)
    except OSError as error:
        raise ResultsError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path} is not JSON: {error}") from error
    found = raw.get("schema") if isinstance(raw, dict) else None
    if found != schema:
        raise ResultsError(
            f"{path} is not in the form {schema} that '{command}' writes"
            + (f"; it says {plain(found)}" if found else "")
        )
    return raw


def read(path: Path | str) -> Run:
    """Errors: ResultsError."""
    path = Path(path)
    raw = read_json(path, SCHEMA, "gangway compare --json")
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
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ResultsError(f"{path} is damaged or incomplete: {plain(repr(error))}") from error


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
    if m.share < 5e-4:
        return f"< 0.1 % {m.ceiling}"
    return f"{100 * m.share:.{0 if m.share >= 0.0995 else 1}f} % {m.ceiling}"


def verdict_text(comparison: Comparison) -> str:
    if comparison.verdict == "machine busy":
        return "no verdict: machine busy"
    if comparison.verdict == TOO_FEW:
        return "no verdict: too few rounds"
    if comparison.verdict == "no difference":
        return "no difference shown"
    return f"Kokkos {comparison.verdict}"


# --- counts -----------------------------------------------------------------------------------

# OpenACC / Kokkos below 1, at it, above, and nobody knows
VERDICTS = ("slower", "no difference", "faster", "machine busy", TOO_FEW)


@dataclass
class Tally:
    """How many ratios, and how many of them are the compiler's, by verdict."""

    counted: dict[str, int]
    flagged: dict[str, int]

    @property
    def all(self) -> int:
        return sum(self.counted.values())

    @property
    def all_flagged(self) -> int:
        return sum(self.flagged.values())

    @property
    def text(self) -> str:
        below, at, above, busy, few = (self.counted[v] for v in VERDICTS)
        said = (
            f"below 1 in {below} of {self.all} (Kokkos slower), no difference shown in {at}, above "
            f"1 in {above} (Kokkos faster)"
        )
        if busy:
            said += f", the machine too busy to tell in {busy}"
        if few:
            said += f", too few rounds to tell in {few}"
        if self.all_flagged:
            named = zip(VERDICTS, ("below", "with no difference", "above", "without a verdict", "of few rounds"))
            where = [f"{self.flagged[v]} {name}" for v, name in named if self.flagged[v]]
            said += f"; flagged as the compiler's, not the model's, of these: {', '.join(where)}"
        return said


def tally(comparisons: list[Comparison]) -> Tally:
    return Tally(
        {v: sum(c.verdict == v for c in comparisons) for v in VERDICTS},
        {v: sum(c.verdict == v and bool(c.flag) for c in comparisons) for v in VERDICTS},
    )


def port_tallies(cases: list[Case]) -> dict[str, Tally]:
    """Of the same stage in both models, by the library's label; "" where there is one library."""
    ports = [c for case in cases for c in case.comparisons if c.is_port]
    return {
        label: tally([c for c in ports if c.library == label])
        for label in dict.fromkeys(c.library for c in ports)
    }


def flags_known(cases: list[Case]) -> bool:
    """Files of before do not say what is the compiler's."""
    return all(case.openacc_cannot is not None for case in cases if case.of("openacc"))
