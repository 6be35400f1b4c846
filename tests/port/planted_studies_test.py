#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults in the studies' translations and the worked examples: each is found in its construct, and no other is blamed.

    tests/port/planted_studies_test.py --build build/openmp

FAULTS says what is replaced in the kernels of a construct, EXAMPLES what in the examples. planted_studies.cpp calls the
translations.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from verified_test import compile_to, link_to

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# So that threads meet.
SLOW = """\
volatile int* const bin = &h_view(a_view(i)); const int value = *bin;
for (volatile int wait = 0; wait < 300;) wait = wait + 1;
*bin = value + 1"""
# Study, construct without its prefix, kind, and pairs of what is written and what is right: all in the kernels.
FAULTS = (
    ("adjacent", "kernels", "swapped index", "a_view(i - 1) + a_view(i + 1)", "a_view(i) + a_view(i + 1)"),
    ("adjacent", "parallel_pair", "wrong operator", "mob_view(i) * charge_view(i)", "mob_view(i) + charge_view(i)"),
    ("adjacent", "parallel_pair 2", "writes elsewhere", "c[i] = 0.5", "a_view(0) = c[i] = 0.5"),
    ("adjacent", "fused", "swapped index", "= mob_view(i) * charge_view(i)", "= mob_view(i) * charge_view(n - 1 - i)"),
    ("adjacent", "range", "wrong bound", "i > 0 && i < n - 1", "i > 1 && i < n - 1"),
    ("collapse", "gang_only", "wrong bound", "level < levels", "level < levels - 1"),
    ("collapse", "hoisted", "swapped index", "= along_second * q", "= along_first * q"),
    ("histogram", "atomic 2", "race", "Kokkos::atomic_add(&h_view(a_view(i)), 1)", SLOW),
    ("histogram", "atomic_update 2", "wrong operator", "atomic_add", "atomic_sub"),
    ("hoist", "multiply", "transposed tile", "b_view(static_cast<long>(k) * n + j)", "b_view(static_cast<long>(j) * n + k)"),
    ("nested", "kernels", "transposed tile", "c_view(j * n + i)", "c_view(i * m + j)"),
    ("nested", "j_outer", "stale scalar", "* alpha", "* (alpha - 1)"),
    ("nested", "i_outer", "wrong operator", "+ c_view", "- c_view"),
    ("nested", "tile", "transposed tile", "c_view(j * n + i)", "c_view(j * n + first_i)"),
    ("nested", "blocked", "stale scalar", "* beta", "* alpha"),
    ("normalize", "kernels", "missing reduction", "s += v_view(i)", "s = v_view(i)"),
    ("normalize", "resident", "wrong operator", "s += v_view(i)", "s -= v_view(i)"),
    ("normalize", "resident 2", "stale scalar", "/= s_view(0)", "/= s"),
    ("order", "stride_1", "wrong bound", "{rows, columns}, {4", "{rows, columns - 1}, {4"),
    ("order", "strided", "transposed tile", "a_view(i * columns + j) = 2", "a_view(j * rows + i) = 2"),
    ("order", "unrolled", "wrong operator", "2 * x[k] + 1", "2 * x[k] - 1"),
    ("order", "packs", "swapped index", "both.at[k] = 2", "both.at[0] = 2"),
    ("order", "range", "race", "2 * a_view(i) + 1", "2 * a_view((i + n / 2) % n) + 1"),
    ("private", "sequential_inner", "shared private", "int tmp[10];", "static int tmp[10];", "tmp[k] = k;", "tmp[k] += k;"),
    ("private", "private", "missing reduction", "sum += tmp[k]", "sum = tmp[k]"),
    ("private", "scratch", "wrong bound", "gang, 0, lanes,", "gang, 0, lanes / 2,"),
    ("random", "sequential_inner", "swapped index", "box_view(d)", "box_view(0)"),
    ("random", "counter", "stale scalar", "seed + ", "seed - 1 + "),
    ("random", "flat", "swapped index", "box_view(k % dimensions)", "box_view((k + 1) % dimensions)"),
    ("reductions", "sum", "missing reduction", "total += values_view(i)", "total = values_view(i)"),
    ("reductions", "product", "wrong operator", "gangway::reduction::product(total)", "total"),
    ("reductions", "logical_and", "wrong operator", "all && ", "all || "),
    ("reductions", "logical_or", "wrong operator", "0 || any", "0 && any"),
    ("reductions", "bit_and", "wrong operator", "bits &=", "bits |="),
    ("reductions", "bit_or", "wrong operator", "bits |=", "bits ^="),
    ("reductions", "bit_xor", "wrong bound", "range(0, n)", "range(1, n)"),
    ("reductions", "max", "missing reduction", "values_view(i) > found ? values_view(i) : found", "values_view(i)"),
    ("reductions", "min", "wrong bound", "range(0, n)", "range(0, n / 2)"),
    ("reductions", "team", "swapped index", "values_view(i)", "values_view(i / 2)"),
    ("routine", "seq", "swapped index", "reciprocal(i, j)", "reciprocal(i, i)"),
    ("routine", "vector", "wrong bound", "i, columns)", "i, columns - 1)"),
    ("routine", "worker", "wrong bound", "first, last, columns", "first, first + 1, columns"),
    ("saxpy", "device_type", "swapped index", "2.0f * x_view(i)", "2.0f * y_view(i)"),
    ("saxpy", "range", "writes elsewhere", "y_view(i) = 2.0f", "y_view(0) = y_view(i) = 2.0f"),
    ("saxpy", "unrolled", "shared private", "float xs[depth];", "static float xs[depth];", "xs[k] = x", "xs[k] += x"),
    ("search", "flags", "wrong bound", "range(0, n)", "range(0, n - 1)"),
    ("search", "reduction", "wrong operator", "reduction::min(", "reduction::max("),
    ("transpose", "in_tiles", "transposed tile", "static_cast<long>(j) * columns + i", "static_cast<long>(i) * rows + j"),
    ("transpose", "naive", "transposed tile", "static_cast<long>(j) * columns + i", "static_cast<long>(i) * rows + j"),
    ("vadd", "kernels", "wrong operator", "+ b_view(i)", "- b_view(i)"),
    ("vadd", "redundant", "writes elsewhere", "c_view(i) = a_view(i) + b_view(i)", "c_view(n - 1 - i) = a_view(i) + b_view(i)"),
    ("vadd", "device_type", "wrong bound", "range(0, n)", "range(0, n - 1)"),
)  # fmt: skip

# Of the examples: a folder, the source with the faults, the one that is compiled, arguments, a library, the constructs.
EXAMPLES = (
    ("worked-example", "after/advection.cpp", "after/advection.cpp", "40 30 4 2 0.3 0.7 cells", "",
     {"after: advance", "after: totals"},
     ("cx * (1 - cy) * from(j, i - 1)", "cx * (1 - cy) * from(j, i + 1)"), ("Kokkos::max(mine_top", "Kokkos::min(mine_top")),
    ("second-example", "after/sea.cpp", "half-way/half_way.cpp", "65 40 5 5 0.2 0.9 0 0 fields", "waves_openacc_part",
     {"half-way: advance"},
     ("made.hv(j, i) = sponge(j)", "made.hv(j, i) = sponge(row)")),
)  # fmt: skip


def planted(text: str, study: str, construct: str, pairs: tuple) -> tuple[str, str]:
    """The translation with the fault, and the construct's name."""
    for name in (f"gangway_{study}_{construct}", construct):
        match = re.search(rf'gangway::verify\(\s*"{name}",.*?\}},\s*\[&\] \{{\n(.*?)(?=gangway::verify\(|\n\}}\n)', text, re.S)
        if match:
            break
    else:
        raise SystemExit(f"{study} has no construct {construct}")
    kernel = match.group(1)
    for right, wrong in zip(pairs[::2], pairs[1::2]):
        pattern = r"\s+".join(map(re.escape, right.split(" ")))
        kernel, count = re.subn(pattern, lambda _, wrong=wrong: wrong, kernel)
        if count == 0:
            raise SystemExit(f"{study}, {construct}: no {right!r} in\n{kernel}")
    return text[: match.start(1)] + kernel + text[match.end(1) :], name


class Place:
    """A folder with sources that have faults, and the programs made of them."""

    def __init__(self, build: Path, folder: Path) -> None:
        self.build, self.folder = build, folder

    def translations(self) -> tuple[Path, set[str]]:
        """The studies, in one source, and the constructs with a fault."""
        wanted = set()
        studies = sorted({fault[0] for fault in FAULTS})
        for study in studies:
            source = ROOT / "src" / "studies" / study / "openacc.cpp"
            # Exit status 2 says that branches for other compilers were left alone.
            subprocess.run(
                [self.build / "bin" / "gangway-port", source, "--verify", "--output", self.folder / study, "--", f"-I{ROOT / 'src'}"],
                capture_output=True, check=False)  # fmt: skip
            file = self.folder / study / "openacc.cpp"
            text = file.read_text()
            for _, construct, _, *pairs in (fault for fault in FAULTS if fault[0] == study):
                text, named = planted(text, study, construct, tuple(pairs))
                wanted.add(f"{study}: {named}")
            file.write_text(text)
        # Two studies have a structure of this name.
        all_sources = "".join(
            f'#define Doubles Doubles_{study}\n#include "{self.folder / study / "openacc.cpp"}"\n#undef Doubles\n'
            for study in studies
        )
        every = self.folder / "all.cpp"
        every.write_text(f'{all_sources}#include "{HERE / "planted_studies.cpp"}"\n')
        return every, wanted

    def example(self, folder: str, faulty: str, faults: tuple) -> Path:
        """A copy of an example; in its source `faulty` something is replaced."""
        copy = self.folder / folder
        shutil.copytree(ROOT / "docs" / folder, copy)
        text = (copy / faulty).read_text()
        for right, wrong in faults:
            if text.count(right) != 1:
                raise SystemExit(f"{faulty} has {right!r} {text.count(right)} times")
            text = text.replace(right, wrong)
        (copy / faulty).write_text(text)
        return copy

    def found(self, source: Path, wanted: set[str], arguments: str = "", *libraries: str) -> tuple[set[str], str]:
        """The constructs of the source in which a fault is found, and what was said."""
        made, program = self.folder / "made.o", self.folder / "program"
        compile_to(self.build, made, source, "-ffunction-sections", f"-I{ROOT / 'src'}")
        link_to(self.build, program, made, "-Wl,--gc-sections", *libraries)  # not all of the studies is called
        found, messages = set(), ""
        for _ in range(100):  # threads may meet, or not
            report = self.folder / "report.json"
            report.unlink(missing_ok=True)
            # What is not written is not by chance what another variant wrote there.
            environment = {**os.environ, "GANGWAY_VERIFY": f"trust-original,report={report}", "MALLOC_PERTURB_": "85"}
            done = subprocess.run(
                [program, *arguments.split()], cwd=self.folder, capture_output=True, text=True, env=environment, check=False
            )
            messages += done.stderr
            for construct in json.loads(report.read_text())["constructs"] if report.exists() else []:
                if construct["wrong"] + construct["unstable"] > 0:
                    found.add(f"{Path(construct['file']).parent.name}: {construct['construct']}")
            if found >= wanted or done.returncode != 1:
                break
        return found, messages


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="a build of this project by Ninja")
    build = parser.parse_args().build.resolve()
    is_right, count = True, 0

    def check(found: set[str], messages: str, wanted: set[str]) -> None:
        nonlocal is_right, count
        count += len(found & wanted)
        if found != wanted:
            is_right = False
            print(f"FAILED: not planted {sorted(found - wanted)}; not found {sorted(wanted - found)}: {messages}")

    with tempfile.TemporaryDirectory(prefix="gangway-planted-") as name:
        place = Place(build, Path(name))
        every, wanted = place.translations()
        check(*place.found(every, wanted), wanted)
        for folder, faulty, source, arguments, library, constructs, *faults in EXAMPLES:
            if library and not (build / "openacc" / f"lib{library}.so").exists():
                continue
            copy = place.example(folder, faulty, tuple(faults))
            libraries = (f"-L{build}/openacc", f"-l{library}", "-lgomp", "-rdynamic", f"-Wl,-rpath,{build}/openacc") if library else ()
            check(*place.found(copy / source, constructs, arguments, *libraries), constructs)
    kinds = {fault[2] for fault in FAULTS}
    print(f"{count} faults were found, those of the studies of {len(kinds)} kinds")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
