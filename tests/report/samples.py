# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as `gangway compare --json` writes them, made up: small, and awkward where it matters."""

from __future__ import annotations

import random
import statistics

DATE = "2026-01-02T03:04:05Z"


def provenance(gpu: bool = True, openacc: bool = True, labels: tuple[str, ...] = ()) -> dict:
    facts = {
        "date": DATE,
        "gangway": "0.1.0 0123456789ab",
        "kokkos": "5.1.0, Cuda" if gpu else "5.1.0, OpenMP",
        "kokkos compiler": "nvcc 13.0 with GNU 12.2.0" if gpu else "GNU 16.1.0",
        "memory": "separate" if gpu else "shared with the host",
        "processor": "Some Processor",
        "host threads": "2, OMP_PROC_BIND=spread, OMP_PLACES=threads",
    }
    if gpu:
        facts["device"] = "Some GPU, compute capability 9.0, 132 multiprocessors"
    if openacc:
        facts["openacc compiler"] = "GCC 16.1.0"
        facts["openacc device"] = (
            "nvidia Some GPU" if gpu else "host; GCC runs OpenACC on one thread there"
        )
        if labels:
            facts["openacc libraries"] = ", ".join(labels)
        for label in labels[1:]:
            facts[f"openacc[{label}] compiler"] = "GCC 16.1.0"
            facts[f"openacc[{label}] flags"] = "-O3 --param=openacc-kernels=decompose"
            facts[f"openacc[{label}] device"] = facts["openacc device"]
    else:
        facts["openacc"] = "none"
    return facts


def ceilings(gpu: bool = True) -> dict:
    return {
        "copy_bytes_per_second": 2.8e12 if gpu else 20e9,
        "triad_bytes_per_second": 3.0e12 if gpu else 22e9,
        "read_bytes_per_second": 2.6e12 if gpu else 18e9,
        "flops_double_per_second": 30e12 if gpu else 100e9,
        "flops_single_per_second": 51e12 if gpu else 200e9,
        "launch_seconds": 8e-6 if gpu else 2e-6,
        "link_in_bytes_per_second": 9e9 if gpu else 0.0,
        "link_out_bytes_per_second": 14e9 if gpu else 0.0,
        "link_in_pinned_bytes_per_second": 55e9 if gpu else 0.0,
        "link_out_pinned_bytes_per_second": 55e9 if gpu else 0.0,
        "array_bytes": 1e9,
        "cache_bytes": 50e6,
    }


def estimate(values: list[float]) -> dict:
    return {
        "median": statistics.median(values),
        "low": min(values),
        "high": max(values),
        "rounds": len(values),
    }


def measurement(
    model: str,
    variant: str,
    seconds: float,
    beyond: bool = False,
    transfers: tuple[int, int, int, int] = (0, 0, 0, 0),
    shape: tuple[int, int, int] | None = None,
    share: float | None = 0.5,
    ceiling: str = "bandwidth",
    rounds: int = 7,
    **more: str,  # library, result, flag: in files of now, where there is one
) -> dict:
    spread = random.Random(f"{model} {variant}")
    values = [seconds * spread.uniform(0.97, 1.03) for _ in range(rounds)]
    shapes = []
    if shape:
        names = ("gangs", "team_size", "vector_length")
        shapes = [{"requested": {"workers": 4, "vector": 32}, **dict(zip(names, shape))}]
    names = ("to_device", "to_host", "bytes_to_device", "bytes_to_host")
    return {
        "model": model,
        "variant": variant,
        "beyond": beyond,
        **more,
        "check": {
            "passed": True,
            "error": 0.25,
            "tolerance": 1.0,
            "detail": "against the reference",
            "runs": rounds + 1,
        },
        "shapes": shapes,
        "transfers": dict(zip(names, transfers)),
        "seconds": values,
        "time": estimate(values),
        "share": {"of": ceiling, "value": share},
    }


def failed(model: str, variant: str, detail: str = "element 3 is 4, not 5") -> dict:
    result = measurement(model, variant, 1.0)
    for key in ("seconds", "time", "share"):
        del result[key]
    result["check"].update(passed=False, error=None, detail=detail, runs=1)
    return result


def skipped(model: str, variant: str, why: str = "this build lacks it") -> dict:
    return {"model": model, "variant": variant, "beyond": False, "skipped": why}


def comparisons(measurements: list[dict]) -> list[dict]:
    """As the program draws them up."""
    labels = list(dict.fromkeys(m.get("library", "") for m in measurements if m["model"] == "openacc"))

    def name(m):
        label = f"[{m['library']}]" if m["model"] == "openacc" and len(labels) > 1 else ""
        return f"{m['model']}{label}:{m['variant']}"

    def compared(kind, own, other):
        ratio = estimate([o / s for o, s in zip(other["seconds"], own["seconds"])])
        verdict = (
            "faster" if ratio["low"] > 1 else "slower" if ratio["high"] < 1 else "no difference"
        )
        library = {"library": other["library"]} if "library" in other else {}
        ends = {"own": name(own), "other": name(other)}
        return {"kind": kind, **ends, "ratio": ratio, "verdict": verdict, **library}

    def best(of):
        return min(of, key=lambda m: m["time"]["median"], default=None)

    made = []
    for result in dict.fromkeys(m.get("result", "") for m in measurements):
        timed = [m for m in measurements if "time" in m and m.get("result", "") == result]
        kokkos = [m for m in timed if m["model"] == "kokkos"]
        if not kokkos:
            continue
        for label in labels:
            openacc = [
                m for m in timed if m["model"] == "openacc" and m.get("library", "") == label
            ]
            if not openacc:
                continue
            for own in kokkos:
                twin = next((m for m in openacc if m["variant"] == own["variant"]), None)
                if twin:
                    made.append(compared("twins", own, twin))
                elif own["beyond"]:
                    made.append(compared("beyond", own, best(openacc)))
            made.append(compared("best", best(kokkos), best(openacc)))
        made += [
            compared("yardstick", best(kokkos), m) for m in timed if m["model"] == "yardstick"
        ]
    return made


def case(
    study: str,
    measurements: list[dict],
    name: str = "usual",
    scope: str = "kernel",
    work: tuple[float, float] = (1e9, 2e8),
    settings: dict | None = None,
    single: bool = False,
    working_set: float = 1e9,
    cannot: dict | None = None,  # None: as in a file of before
) -> dict:
    known = {} if cannot is None else {"openacc_cannot": cannot}
    return {
        "study": study,
        "case": name,
        "scope": scope,
        "settings": settings or {"n": "1000"},
        "description": "1000 elements",
        "work": {
            "bytes": work[0],
            "flops": work[1],
            "single_precision": single,
            "reasoning": "each element once",
        },
        "working_set_bytes": working_set,
        "measurements": measurements,
        "comparisons": comparisons(measurements),
        **known,
    }


def document(
    cases: list[dict],
    gpu: bool = True,
    openacc: bool = True,
    labels: tuple[str, ...] = (),
    **more,
) -> dict:
    return {
        "schema": "gangway-results/1",
        "provenance": provenance(gpu, openacc, labels),
        "ceilings": ceilings(gpu),
        "cases": cases,
        "peak_memory_bytes": 3e9,
        **more,
    }


# --- whole documents --------------------------------------------------------------------------


def twins(variant: str, kokkos: float, openacc: float, **more) -> list[dict]:
    return [
        measurement("kokkos", variant, kokkos, shape=(1000, 4, 32), **more),
        measurement("openacc", variant, openacc, **more),
    ]


def spmv(name: str = "guide") -> dict:
    measurements = twins("default", 5e-3, 4e-3)
    for vector, factor in ((32, 0.4), (64, 0.6), (128, 1.0), (256, 2.0), (512, 4.0), (1024, 9.0)):
        measurements += twins(f"vector-{vector}", 4e-3 * factor, 5e-3 * factor)
    for workers in (2, 4, 8, 16, 32):
        measurements += twins(f"workers-{workers}", 1.3e-3, 1.31e-3)
    measurements.append(measurement("kokkos", "auto", 1.0e-3, beyond=True))
    measurements.append(measurement("yardstick", "library", 1.05e-3, beyond=True))
    return case("spmv", measurements, name, settings={"matrix": name, "n": "200"})


def transfers() -> dict:
    def one(model, variant, seconds, moved):
        return measurement(
            model, variant, seconds, transfers=moved, share=0.3, ceiling="link (pageable)"
        )

    return case(
        "transfer",
        [
            one("kokkos", "contiguous", 1e-3, (2, 1, 8_000_000, 4_000_000)),
            one("openacc", "contiguous", 1.1e-3, (2, 1, 8_000_000, 4_000_000)),
            one("kokkos", "rows", 9e-3, (2000, 1000, 8_000_000, 4_000_000)),
            one("openacc", "rows", 11e-3, (2000, 1000, 8_000_000, 4_000_000)),
        ],
        scope="whole",
        work=(8e6, 0),
    )


def sweep(study: str = "spmv", name: str = "guide", items=(1, 2)) -> dict:
    points = []
    for workers in (1, 2, 4, 32):
        for vector in (1, 8, 32, 64):
            if workers * vector > 1024:
                continue
            for each in items:
                if (workers, vector) == (2, 64):
                    made = skipped("kokkos", "2 x 64", "no such shape")
                elif (workers, vector) == (4, 1):
                    made = failed("kokkos", "4 x 1")
                else:
                    seconds = 1e-3 * (1 + abs(workers - 4) / 8 + abs(vector - 8) / 16 + each / 50)
                    made = measurement("kokkos", f"{workers} x {vector}, {each} each", seconds)
                points.append(
                    {
                        "workers": workers,
                        "vector": vector,
                        "items_per_worker": each,
                        "measurement": made,
                    }
                )
    stages = [measurement("kokkos", "auto", 1.0e-3, beyond=True)]
    return {**case(study, stages, name, settings={"matrix": name}), "points": points}


def everything() -> dict:
    """One of each kind of thing a document can hold."""
    cases = [spmv(), spmv("power-law"), transfers()]
    cases.append(
        case(
            "pi",  # no memory to speak of: at the right edge of the roofline
            twins("parallel", 2e-4, 3e-4, ceiling="flops (double)"),
            work=(8, 5e9),
        )
    )
    cases.append(case("transpose", twins("naive", 1e-3, 2e-3), work=(2e9, 0)))
    unknown = {"share": None, "ceiling": "no work declared"}
    cases.append(case("primes", twins("routine", 1e-3, 1.02e-3, **unknown), work=(0, 0)))
    cases.append(
        case(
            "matmul",
            twins("naive", 2e-3, 1e-3) + [skipped("kokkos", "tile"), skipped("openacc", "tile")],
            work=(3e8, 2.5e10),
            single=True,
        )
    )
    cases.append(
        case("vadd", [measurement("kokkos", "kernels", 1e-3), failed("openacc", "kernels")])
    )
    sweeps = [sweep(), sweep("spmv", "one-shape", items=(1,))]
    sweeps[1]["points"] = sweeps[1]["points"][:1]
    return document(cases, sweeps=sweeps)


# What HTML, SVG, a URL or matplotlib might take for something else.
MARKUP = '<script>alert("$x_1$ & more")</script>'


def hostile() -> dict:
    """Names of markup."""
    name = MARKUP
    measurements = twins(name, 1e-3, 2e-3) + [failed("kokkos", "a&b", "1 < 2 & <b>bold</b>")]
    made = document([case("a<b&c", measurements, name, settings={"k": "<i>"})])
    made["cases"][0]["description"] = "<img src=x onerror=alert(1)>"
    made["provenance"]["device"] = "GPU <&> \"quoted\" 'single' $\\frac{1}{2}$"
    made["sweeps"] = [sweep("a<b&c", name)]
    return made


# --- what files of before have not ------------------------------------------------------------


def of_results() -> dict:
    """Each stage computes something else, and OpenACC is fastest in what the others do not."""
    measurements = []
    for result, kokkos, openacc in (("sum", 4e-4, 13e-3), ("max", 5e-4, 3e-4)):
        measurements += twins(result, kokkos, openacc, result=result)
    measurements[1]["flag"] = "sum"
    measurements += [
        measurement("kokkos", "team", 3e-4, beyond=True, result="sum"),
        measurement("openacc", "team", 4e-4, beyond=True, result="sum"),
        measurement("openacc", "one-gang", 9e-4, beyond=True, result="sum"),
        measurement("yardstick", "cub", 3.1e-4, beyond=True, result="sum"),
    ]
    return case("reductions", measurements, cannot={})


def flagged() -> dict:
    """The one OpenACC variant is the compiler's; the best of Kokkos is what OpenACC cannot say."""
    measurements = [
        measurement("kokkos", "kernels", 1e-4),
        measurement("openacc", "kernels", 0.3, flag="kernels", library="gcc"),
        measurement("kokkos", "graph", 5e-5, beyond=True),
    ]
    return case("jacobi", measurements, cannot={"graph": "nothing records | kernels"})


def fair() -> dict:
    """One OpenACC library, its label noted as the program does, and all that a file can know."""
    made = document([of_results(), flagged()], labels=("gcc",))
    for m in made["cases"][0]["measurements"]:
        if m["model"] == "openacc":
            m["library"] = "gcc"
            m["shapes"] = [
                {
                    "requested": {"workers": 0, "vector": 0},
                    **dict(zip(("gangs", "team_size", "vector_length"), (264, 16, 32))),
                }
            ]
    return made


def two_libraries() -> dict:
    """GCC twice: `kernels` is one thread's in the first, and `tile` fails in the second."""

    def three(variant: str, kokkos: float, gcc: float, decompose: float, **more) -> list[dict]:
        return [
            measurement("kokkos", variant, kokkos, **more),
            measurement("openacc", variant, gcc, library="gcc", **more),
            measurement("openacc", variant, decompose, library="decompose", **more),
        ]

    measurements = three("kernels", 1e-4, 75e-3, 2e-4) + three("parallel", 1e-4, 1.5e-4, 1.6e-4)
    measurements[1]["flag"] = "kernels"
    measurements += three("fused", 0.8e-4, 1.4e-4, 1.3e-4, beyond=True)
    measurements.append(measurement("kokkos", "auto", 0.7e-4, beyond=True))
    vadd = case("vadd", measurements, cannot={})
    lengths = []
    for vector, factor in ((32, 0.4), (64, 0.6), (128, 1.0)):
        lengths += three(f"vector-{vector}", 4e-3 * factor, 5e-3 * factor, 6e-3 * factor)
    moved = [
        {**m, "transfers": dict(zip(m["transfers"], (2, 1, 8_000_000, 4_000_000)))}
        for m in three("rows", 1e-3, 2e-3, 3e-3)
    ]
    alone = [
        measurement("kokkos", "tile", 1e-3),
        measurement("openacc", "tile", 4e-3, library="gcc"),
        failed("openacc", "tile") | {"library": "decompose"},
    ]
    cases = [
        vadd,
        case("spmv", lengths, cannot={}),
        case("transfer", moved, scope="whole", cannot={}),
        case("transpose", alone, work=(2e9, 0), cannot={}),
    ]
    return document(cases, labels=("gcc", "decompose"))


# --- of `gangway scale` ------------------------------------------------------------------------

SCALING_MODEL = "a model fitted to the runs, not measured"


def _scaling_estimate(median: float) -> dict:
    return {"median": median, "low": 0.9 * median, "high": 1.1 * median, "rounds": 7}


def scaling() -> dict:
    """Two variants, the second of OpenACC, on 1 to 4 ranks; the second has no model."""
    sides = [{"model": "kokkos", "variant": "staged"}, {"model": "openacc", "variant": "staged", "library": "gcc"}]
    times = {1: 8e-3, 2: 5e-3, 4: 2.5e-3}
    prices = {"work_bytes_per_second": 3e12, "seconds_per_wait": 1.5e-5, "exchanged_bytes_per_second": None}
    test = {"problem": 0, "ranks": 4, "predicted_seconds": 2e-3, "measured_seconds": 2.5e-3, "relative_error": -0.2}
    prediction = {
        "what": SCALING_MODEL, "problem": 0, "scaling": "strong", "seconds": 1e-3, "efficiency": 0.5,
        "parts": {"compute": 2e-4, "latency": 8e-4, "bandwidth": 0}, "bound_by": "latency",
    }  # fmt: skip
    points = [
        {"ranks": n, "time": _scaling_estimate(t), "efficiency": _scaling_estimate(8e-3 / n / t), "suspicious": n == 2}
        for n, t in times.items()
    ]
    return {
        "schema": "gangway-scaling/1",
        "study": "halo",
        "title": "A plate",
        "kept_by_each_rank": "rows",
        "scaling": ["strong"],
        "notices": ["on 2 ranks several share a device"],
        "problems": [{"name": "n=64", "settings": {"n": "64", "columns": ""}}],
        "runs": [
            {"problem": 0, "scaling": ["strong"], "ranks": n, "settings": {"n": "64"}, "description": "", "busy": False,
             "provenance": {"ranks": f"{n} on 1 host"}, "measurements": [{**side, "time": _scaling_estimate(t)} for side in sides]}
            for n, t in times.items()
        ],
        "series": [{**side, "problem": 0, "scaling": "strong", "points": points} for side in sides],
        "models": [
            {**sides[0], "what": SCALING_MODEL, "runs": 4, "prices": prices, "test": test,
             "predictions": [{**prediction, "ranks": n} for n in (8, 64, 1024)]},
            {**sides[1], "what": SCALING_MODEL, "runs": 2, "why_not": "2 runs are too few"},
        ],
    }  # fmt: skip


def hostile_scaling() -> dict:
    """The same with names of markup."""
    document = scaling()
    document["study"] = document["title"] = document["kept_by_each_rank"] = MARKUP
    document["notices"] = [MARKUP]
    document["problems"] = [{"name": MARKUP, "settings": {MARKUP: MARKUP}}]
    document["runs"][2]["provenance"] = {MARKUP: MARKUP}
    for one in document["series"] + document["models"]:
        one["variant"] = MARKUP
        if "library" in one:
            one["library"] = MARKUP
    document["models"][1]["why_not"] = MARKUP
    document["models"][0]["why_untested"] = document["models"][0]["what"] = MARKUP
    del document["models"][0]["test"]
    return document
