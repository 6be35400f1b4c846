#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway::verify on public programs, none of which is kept here: no false alarm, and planted faults found where they are.

    ./run shell --no-build tests/port/verified_programs.py RESULTS --from FOLDER [--only PATTERN]

FOLDER/mrnorman+miniWeather and FOLDER/UoB-HPC+CloverLeaf are checkouts of github.com/mrnorman/miniWeather (7bfd5b4) and
github.com/UoB-HPC/CloverLeaf (ba256dc). RESULTS is a folder outside of this project. A built tree is needed (gangway-port,
libgangway.a, port_program), and Open MPI for the faults of two ranks.

Each program is translated with --verify, built, and run with GANGWAY_VERIFY=1: no construct may be blamed. Then each of
FAULTS is planted in the translation alone, and the program runs with trust-original: the fault's construct has to be
blamed, and no other. Files that are built are used again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from planted_studies_test import planted
from random_programs import ROOT, Bench

# Parallel netCDF, of which miniWeather needs the names.
PNETCDF = """\
#pragma once
#include <mpi.h>
constexpr int NC_CLOBBER = 0, NC_WRITE = 0, NC_NOERR = 0, NC_DOUBLE = 0, NC_UNLIMITED = 0;
inline const char* ncmpi_strerror(int) { return ""; }
""" + "".join(
    f"template <class... T> int ncmpi_{name}(T...) {{ return 0; }}\n"
    for name in ("begin_indep_data", "close", "create", "def_dim", "def_var", "end_indep_data", "enddef", "inq_varid", "open",
                 "put_vara_double", "put_vara_double_all"))  # fmt: skip
CLOVER_IN = """\
*clover
 state 1 density=0.2 energy=1.0
 state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0
 x_cells=60
 y_cells=60
 xmin=0.0
 ymin=0.0
 xmax=10.0
 ymax=10.0
 initial_timestep=0.04
 timestep_rise=1.5
 max_timestep=0.04
 end_time=3.0
 end_step=10
 summary_frequency=5
*endclover
"""


@dataclass
class Program:
    """One of others."""

    repository: str
    translated: list[str]  # patterns
    plain: list[str]  # patterns of what has no directives
    flags: list[str]
    files: dict[str, str]  # beside the program, and for the compiler
    edits: dict[str, list[tuple[str, str]]] = field(default_factory=dict)  # what a port needs by hand: pattern and text


PROGRAMS = {
    "miniWeather": Program("mrnorman+miniWeather", ["c/miniWeather_mpi_openacc.cpp"], [],
                           ["-D_NX=40", "-D_NZ=20", "-D_SIM_TIME=12", "-D_OUT_FREQ=5", "-D_DATA_SPEC=DATA_SPEC_INJECTION"],
                           {"pnetcdf.h": PNETCDF}),
    "CloverLeaf": Program("UoB-HPC+CloverLeaf", ["src/acc/*.cpp"], ["driver/*.cpp"],
                          ["-DNO_MPI", "-I@/driver", "-I@/src/acc"], {"clover.in": CLOVER_IN},
                          {"clover_leaf.cpp": [(r"(int main\(.*\) \{)", r"\1 const Kokkos::ScopeGuard kokkos;")]}),
}  # fmt: skip

# The program, the file, the construct, the kind, ranks, and pairs of what is right and what is wrong: of BY_DATA anywhere in the file,
# and otherwise in the construct's kernels.
FAULTS = (
    ("miniWeather", "miniWeather_mpi_openacc", "compute_tendencies_x", "wrong bound", 1, "{nz, nx + 1}", "{nz, nx}"),
    ("miniWeather", "miniWeather_mpi_openacc", "compute_tendencies_x 2", "swapped index", 1,
     "(flux_device[indf2] - flux_device[indf1])", "(flux_device[indf1] - flux_device[indf2])"),
    ("miniWeather", "miniWeather_mpi_openacc", "compute_tendencies_z", "shared private", 1,
     "double stencil[4];", "static double stencil[4];", "stencil[s] = state_device[inds]", "stencil[s] += state_device[inds]"),
    ("miniWeather", "miniWeather_mpi_openacc", "compute_tendencies_z 2", "wrong operator", 1,
     "tend_device[indt] - state_device[inds]", "tend_device[indt] + state_device[inds]"),
    ("miniWeather", "miniWeather_mpi_openacc", "semi_discrete_step", "stale scalar", 1, "dt * tend_device", "dx * tend_device"),
    ("miniWeather", "miniWeather_mpi_openacc", "set_halo_values_z", "writes elsewhere", 1,
     "if (ll == ID_WMOM) {", "const_cast<double*>(hy_dens_cell_device)[1] = 1; if (ll == ID_WMOM) {"),
    ("miniWeather", "miniWeather_mpi_openacc", "reductions", "missing reduction", 1, "te_loc +=", "te_loc ="),
    ("miniWeather", "miniWeather_mpi_openacc", "set_halo_values_x 3", "dropped update", 2,
     'gangway::update_device(gangway::named("recvbuf_l", recvbuf_l), nz * hs * NUM_VARS);', ""),
    ("miniWeather", "miniWeather_mpi_openacc", "reductions", "dropped copy", 1,
     'data.copy(gangway::named("state", state),', 'data.create(gangway::named("state", state),'),
    ("CloverLeaf", "field_summary", "field_summary", "missing reduction", 1, "ie +=", "ie ="),
    ("CloverLeaf", "calc_dt", "calc_dt_kernel", "wrong operator", 1, "Kokkos::fmin(dsx, dsy)", "Kokkos::fmax(2 * dsx, dsy)"),
    ("CloverLeaf", "PdV", "PdV_kernel", "wrong bound", 1, "(x_max + 2) - (x_min + 1)", "(x_max + 1) - (x_min + 1)"),
    ("CloverLeaf", "accelerate", "accelerate_kernel", "swapped index", 1,
     "halfdt / ((density0_view((i - 1) + (j - 1)", "halfdt / ((density0_view((j - 1) + (i - 1)"),
    ("CloverLeaf", "advec_cell", "advec_cell_kernel 3", "shared private", 1,
     "int upwind, donor, downwind, dif;", "static int upwind, donor, downwind, dif;",
     "upwind = i - 2; donor = i - 1;", "upwind = i - 2; donor = dif < i - 1 ? dif : i - 1;"),
    ("CloverLeaf", "ideal_gas", "ideal_gas_kernel", "writes elsewhere", 1,
     "double v = 1.0 / density_view", "const_cast<double&>(energy_view(0)) = i; double v = 1.0 / density_view"),
    ("CloverLeaf", "update_halo", "update_halo_kernel", "wrong bound", 1, "k < depth;", "k < depth - 1;"),
    ("CloverLeaf", "flux_calc", "flux_calc_kernel", "stale scalar", 1, "0.25 * dt * xarea_view", "0.25 * xarea_view"),
    ("CloverLeaf", "generate_chunk", "generate_chunk 2", "dropped copy", 1,
     'copyin(gangway::named("state_energy", state_energy),', 'create(gangway::named("state_energy", state_energy),'),
)  # fmt: skip
BY_DATA = ("dropped update", "dropped copy")


def replaced(text: str, pairs: tuple[str, ...]) -> str:
    for right, wrong in zip(pairs[::2], pairs[1::2]):
        pattern = r"\s*".join(map(re.escape, right.split(" ")))
        text, count = re.subn(pattern, lambda _, wrong=wrong: wrong, text)
        if count != 1:
            raise SystemExit(f"{count} times {right!r}")
    return text


class Place:
    def __init__(self, program: Program, name: str, options: argparse.Namespace, bench: Bench) -> None:
        self.program, self.bench = program, bench
        self.source = options.source / program.repository
        self.folder = options.results / name
        self.objects = self.folder / "objects"
        self.objects.mkdir(parents=True, exist_ok=True)
        for file, text in program.files.items():
            (self.folder / file).write_text(text, encoding="utf-8")
        self.flags = [flag.replace("@", str(self.source)) for flag in program.flags] + [f"-I{self.folder}"]
        self.libraries = [*bench.libraries, "-lm"]
        if "-DNO_MPI" not in program.flags:
            self.flags += self.words("mpicxx", "-showme:compile")
            self.libraries += self.words("mpicxx", "-showme:link")

    @staticmethod
    def words(*command: str) -> list[str]:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    def translate(self) -> dict[str, str]:
        """Texts by the sources' names."""
        sources = [path for pattern in self.program.translated for path in sorted(self.source.glob(pattern))]
        if not sources:
            raise SystemExit(f"{self.source} has no {self.program.translated}")
        ported = self.folder / "ported"
        shutil.rmtree(ported, ignore_errors=True)
        done = subprocess.run([self.bench.port, *sources, "--verify", "--output", ported, "--", "-std=c++17", *self.flags],
                              capture_output=True, text=True, check=False)  # fmt: skip
        print(done.stdout.splitlines()[-1], flush=True)
        texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(ported.glob("*.cpp"))}
        for pattern in self.program.plain:
            for path in sorted(self.source.glob(pattern)):
                text = path.read_text(encoding="utf-8")
                for right, wrong in self.program.edits.get(path.name, ()):
                    text, count = re.subn(right, wrong, text)
                    if count != 1:
                        raise SystemExit(f"{path}: {count} times {right!r}")
                texts[path.stem] = text
        return texts

    def build(self, texts: dict[str, str]) -> Path:
        objects = []
        for stem, text in texts.items():
            key = hashlib.sha256(" ".join([text, *map(str, (*self.bench.flags, *self.flags))]).encode()).hexdigest()[:12]
            source = self.objects / f"{stem}-{key}.cpp"
            objects.append(source.with_suffix(".o"))
            if not objects[-1].is_file():
                source.write_text(text, encoding="utf-8")
                command = [self.bench.compiler, *self.bench.flags, "-O1", *self.flags, "-include", self.bench.folder / "all.hpp"]
                subprocess.run([*command, "-c", source, "-o", objects[-1]], check=True)
        program = self.folder / "program"
        subprocess.run([self.bench.compiler, *objects, "-fopenmp", "-o", program, *self.libraries], check=True)
        return program

    def run(self, program: Path, ranks: int, asked: str) -> tuple[int, dict[str, str], int, str]:
        """The status, what is blamed and how, how many executions were compared, and what it said."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive",
                       "GANGWAY_VERIFY": f"{asked},report={report}", "MALLOC_PERTURB_": "85"}  # fmt: skip
        start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
        done = subprocess.run([*start, program], cwd=self.folder, capture_output=True, text=True, env=environment, check=False, timeout=600)
        blamed, compared = {}, 0
        for line in report.read_text().splitlines() if report.exists() else []:
            for one in json.loads(line)["constructs"]:
                compared += one["compared"]
                for kind in ("wrong", "unstable", "stale"):
                    if one[kind] > 0:
                        blamed[one["construct"]] = kind
        return done.returncode, blamed, compared, "\n".join(line for line in done.stderr.splitlines() if "gangway" in line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="a folder outside of this project")
    parser.add_argument("--from", dest="source", type=Path, required=True, help="a folder with checkouts, OWNER+NAME")
    parser.add_argument("--only", default="", help="programs whose name matches")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "openmp", help="the built tree (%(default)s)")
    options = parser.parse_args()
    options.results, options.source = options.results.resolve(), options.source.resolve()
    if ROOT in (options.results, *options.results.parents):
        sys.exit(f"{options.results}: give a folder outside of {ROOT}, because what is made of others' programs stays out of it")
    options.results.mkdir(parents=True, exist_ok=True)
    bench = Bench(options.build.resolve(), options.results, 600)
    wrong, rows = [], []
    for name, program in PROGRAMS.items():
        if not re.search(options.only, name):
            continue
        place = Place(program, name, options, bench)
        texts = place.translate()
        right = place.build(texts)
        for ranks in (1,) if "-DNO_MPI" in program.flags else (1, 2):
            status, blamed, compared, said = place.run(right, ranks, "1")
            print(f"{name}, {ranks} ranks: {compared} executions compared, blamed: {blamed or 'none'}", flush=True)
            if status != 0 or blamed or compared == 0:
                wrong.append(f"{name}: a false alarm: {said}")
        for of, file, construct, kind, ranks, *pairs in FAULTS:
            if of != name:
                continue
            edited = replaced(texts[file], tuple(pairs)) if kind in BY_DATA else planted(texts[file], "", construct, tuple(pairs))[0]
            status, blamed, _, said = place.run(place.build({**texts, file: edited}), ranks, "trust-original")
            is_found = set(blamed) == {construct} and status == (0 if set(blamed.values()) == {"stale"} else 1)
            rows.append(f"| {name} | `{construct}` | {kind} | {', '.join(f'{how} in `{where}`' for where, how in blamed.items()) or 'not found'} |")
            print(rows[-1], flush=True)
            if not is_found:
                wrong.append(f"{name}: {kind} in {construct}: {said}")
    print("\n| program | construct | fault | found |\n|---|---|---|---|", *rows, sep="\n")
    for one in wrong:
        print(f"FAILED: {one}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
