#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port on somebody else's tests: the OpenACC Validation and Verification suite.

    ./run shell --no-build tests/port/validation.py SUITE RESULTS [--jobs 2] [--only PATTERN] [--translate-only] [--verify]
    ./run shell --no-build tests/port/validation.py SUITE RESULTS --peer PROGRAM

SUITE is a copy of https://github.com/OpenACCUserGroup/OpenACCV-V, RESULTS a folder outside of this project: the suite, what
is made of it and the results of single files do not belong into it. A built tree is needed (gangway-port, libgangway.a).

Each C or C++ file of the suite is a program that checks itself and ends with 0 if it finds nothing wrong. It is translated,
and where nothing was refused it is built, without optimization, and run in strict memory. For each that passes three mutants
of the translation are run, each of which a test should find out that looks at what the device did: nothing is copied back,
kernels do nothing, what a reduction found is dropped. They are in the same program, chosen by VALIDATION_MUTANT. Beside it
stands whether the file passes as plain C or C++ whose directives nobody reads.

With --verify each construct's original is compared, too, in a run of its own (docs/verify.md): what it blames in a file that
passes is a false alarm, or a fault that the file does not find. Stale values are printed apart: some tests set the host's array to
see that the device has its own.

With --fortran the suite's Fortran files are meant, each a program of its own, likewise with mutants where the translation
passes. Beside it stands whether the file passes without its directives. gangway-port-fortran and module gangway are needed.

With --peer PROGRAM another translator takes the translator's place, Intel's Application Migration Tool for OpenACC to OpenMP
(src/intel-application-migration-tool-for-openacc-to-openmp of its repository). GCC builds what it writes with -fopenmp, and the program
runs on the host. The tool leaves calls of OpenACC's runtime library as they are: GCC's library has them. `-async=ignore` is the tool's
own example's.

Without it, what is in RESULTS is used again: only what the translator writes differently is built again, and only what is built
again runs again. So a run that was ended goes on where it was.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SEED = "-DSEED=20261123"  # else the suite takes the time of day
MUTANTS = ("copy-out", "kernel", "reduction")
ENVIRONMENT = {"OMP_PROC_BIND": "false", "OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}

HEADER = """\
#pragma once
#include <Kokkos_Core.hpp>
#include <gangway/gangway.hpp>
#include <cstdlib>
#include <cstring>
#include <tuple>
namespace validation {
inline bool is(const char* mutant) {
  static const char* const chosen = std::getenv("VALIDATION_MUTANT");
  return chosen != nullptr && std::strcmp(chosen, mutant) == 0;
}
inline const bool no_copy_out = is("copy-out");
inline const bool no_kernel = is("kernel");
inline const bool no_reduction = is("reduction");
template <class Host, class... N>
auto copyout(gangway::Data& data, Host host, gangway::Extent first, N... others) {
  return no_copy_out ? data.create(host, first, others...) : data.copyout(host, first, others...);
}
template <class Host, class... N>
auto copy(gangway::Data& data, Host host, gangway::Extent first, N... others) {
  if (!no_copy_out)
    return data.copy(host, first, others...);
  static_cast<void>(data.copyin(host, first, others...));
  return data.present(host, first, others...);
}
template <class... Arguments>
void exit_data_copyout(Arguments... arguments) {
  if (no_copy_out)
    gangway::exit_data_delete(arguments...);
  else
    gangway::exit_data_copyout(arguments...);
}
template <class... Arguments>
void exit_data_copyout_finalize(Arguments... arguments) {
  if (no_copy_out)
    gangway::exit_data_delete_finalize(arguments...);
  else
    gangway::exit_data_copyout_finalize(arguments...);
}
template <class Way>
auto by_copy(const Way& way) {
  return no_copy_out ? gangway::by::copyin : way;
}
template <class Label, class Policy, class Body, class... Results>
void parallel_reduce(const Label& label, const Policy& policy, const Body& body, Results&&... results) {
  const auto put_back = [](auto& place, const auto& value) { if (no_reduction) place = value; };
  const auto before = std::make_tuple(gangway::detail::as_reducer(results).reference()...);
  gangway::parallel_reduce(label, policy, body, results...);
  std::apply([&](const auto&... values) { (put_back(gangway::detail::as_reducer(results).reference(), values), ...); }, before);
}
template <class... Arguments>
void update_self(Arguments... arguments) {
  if (!no_copy_out)
    gangway::update_self(arguments...);
}
} // namespace validation
"""

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(validation LANGUAGES CXX)
find_package(Kokkos REQUIRED)
add_library(gangway STATIC IMPORTED)
set_target_properties(gangway PROPERTIES IMPORTED_LOCATION "@build@/src/gangway/libgangway.a"
  INTERFACE_INCLUDE_DIRECTORIES "@root@/src" INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
link_libraries(gangway)
include_directories("${CMAKE_CURRENT_SOURCE_DIR}" "@tests@")
add_compile_options(-O0 -w @seed@)
add_library(headers OBJECT headers.cpp)
target_precompile_headers(headers PRIVATE validation.hpp)
foreach(name @names@)
  add_executable(${name} sources/${name}.cpp)
  target_precompile_headers(${name} REUSE_FROM headers)
endforeach()
"""

# Tests share programs, a namespace each, for linking takes longer than most of them do.
PROGRAM = """\
#include "validation.hpp"
@headers@
#define main validation_main
@tests@
#undef main
static int call(int (*test)(), int, char**) { return test(); }
static int call(int (*test)(int, char**), int count, char** arguments) { return test(count, arguments); }
int main(int count, char** arguments) {
@calls@
  return 99;
}
"""
TEST = """\
namespace @name@ {
#undef ACC_TESTSUITE_H
#undef ACC_TESTSUITE_DECLARE_H
#include "@name@.inc"
}
"""
CALL = '  if (!std::strcmp(arguments[1], "@name@")) return call(@name@::validation_main, count, arguments);\n'


@dataclass
class File:
    """One of the suite's, and what became of it."""

    path: Path
    tags: list[str]
    state: str = ""  # not parsed, crash, hang, refused, translated
    causes: list[str] = field(default_factory=list)  # why something was refused
    assumptions: list[str] = field(default_factory=list)
    tried: bool = False  # it is in the sample that is built
    program: str = ""  # that it is part of
    built: bool = False
    strict: str = ""  # passed, wrong, error, hang
    message: str = ""
    ignored: str = ""  # as plain C or C++: passed, wrong, not built, …
    killed: dict[str, bool] = field(default_factory=dict)  # by mutant, of those that there are
    verified: list[int] = field(default_factory=list)  # constructs and executions that were compared
    blamed: str = ""  # what a verification says of a construct of a file that passes
    stale: str = ""  # the same, where the program still ends well
    ended: str = ""  # how a file that passes ends while it is verified, if otherwise

    @property
    def name(self) -> str:
        return self.path.name.replace(".", "_")


def call(command: list[object], limit: int, **more: object) -> subprocess.CompletedProcess | None:
    """Nothing if it had not ended in time."""
    try:
        return subprocess.run([str(part) for part in command], capture_output=True, timeout=limit, check=False, **more)
    except subprocess.TimeoutExpired:
        return None


def tags_of(path: Path) -> list[str]:
    """As the comments `//T1:parallel,reduction,V:1.0-2.7` name them, without the versions."""
    tags = set()
    for line in re.findall(r"^//T\d+:(.*)$", path.read_text(encoding="utf-8", errors="replace"), re.M):
        tags |= {tag.strip() for tag in re.sub(r"V:.*", "", line).split(",")}
    return sorted(tags - {""}) or ["no tag"]


class Validation:
    def __init__(self, options: argparse.Namespace) -> None:
        self.tests = options.suite.resolve() / "Tests"
        self.results = options.results.resolve()
        self.build = options.build.resolve()
        self.port = self.build / "bin" / "gangway-port"
        self.limit = options.limit
        self.together = options.together
        self.jobs = options.jobs
        self.verify = options.verify
        if not self.port.is_file():
            sys.exit(f"{self.port} is missing: build gangway-port, or give --build")
        paths = sorted(path for path in self.tests.glob("*") if path.suffix in (".c", ".cpp"))
        self.files = [File(path, tags_of(path)) for path in paths if re.search(options.only, path.name)]
        self.programs = len(paths) // self.together + 1
        if not self.files:
            sys.exit(f"{self.tests}: no C or C++ file there that matches {options.only!r}")
        # Most tests are there in both languages, and say the same.
        of_stem = collections.defaultdict(list)
        for path in paths:
            of_stem[path.stem].append(path)
        self.sample = {both[number % len(both)] if options.one_language else one
                       for number, both in enumerate(of_stem.values()) for one in both}  # fmt: skip
        for folder in ("translated", "project/sources", "build", "plain", "outcomes"):
            (self.results / folder).mkdir(parents=True, exist_ok=True)

    def each(self, work: object, files: list[File]) -> None:
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done, _ in enumerate(pool.map(work, files), 1):
                if done % 50 == 0 or done == len(files):
                    print(f"{work.__name__}: {done} of {len(files)}", file=sys.stderr, flush=True)

    # --- the translation ---

    def translate(self, file: File) -> None:
        folder = self.results / "translated" / file.name
        folder.mkdir(exist_ok=True)
        report = folder / "report.json"
        if not report.is_file() or report.stat().st_mtime < self.port.stat().st_mtime:
            self.call_port(file, folder, report)
        if report.is_file():
            self.read_report(file, json.loads(report.read_text(encoding="utf-8")))

    def call_port(self, file: File, folder: Path, report: Path) -> None:
        for old in folder.iterdir():
            old.unlink()
        done = call([self.port, file.path, *(["--verify"] if self.verify else []), "--output", folder, "--json", report, "--",
                     f"-I{self.tests}", SEED], self.limit)  # fmt: skip
        if done is None:
            file.state = "hang"
        elif not report.is_file():
            file.state = "not parsed" if b"Clang does not take it" in done.stderr else "crash"
            file.message = done.stderr.decode(errors="replace").strip()[:300]

    @staticmethod
    def read_report(file: File, report: dict) -> None:
        (told,) = report["files"]
        for one in told["directives"]:
            if one["outcome"] == "refused" and not one["refusal"].startswith("it is part of"):
                file.causes.append(f"{one['construct']}: {one['refusal']}")
            file.assumptions += [part["text"] for part in one.get("assumptions", [])]
        for remark in told["remarks"]:
            if remark["outcome"] == "refused":
                file.causes.append(remark["what"])
            elif remark["outcome"] == "assumed" and remark["line"] > 1:
                file.assumptions.append(remark["what"])
        file.state = "refused" if file.causes else "translated"

    # --- the programs ---

    @staticmethod
    def with_mutants(text: str) -> str:
        text = re.sub(r"\b(data\w*|gangway_data)\.(copy|copyout)\(", r"validation::\2(\1, ", text)
        text = re.sub(r"\bgangway::(exit_data_copyout|exit_data_copyout_finalize|update_self)\(", r"validation::\1(", text)
        text = re.sub(r"\bgangway::by::(copy|copyout)\(", r"validation::by_copy(gangway::by::\1)(", text)
        text = re.sub(r"(KOKKOS_LAMBDA\([^()]*\)\s*\{)", r"\1 if (validation::no_kernel) return;", text)
        return re.sub(r"\bgangway::parallel_reduce\(", "validation::parallel_reduce(", text)

    def build_programs(self, files: list[File]) -> None:
        programs = collections.defaultdict(list)
        for file in files:
            file.tried = True
            # By the name alone, so that it stays where it was when others come or go.
            file.program = f"program_{zlib.crc32(file.path.stem.encode()) % self.programs}"
            programs[file.program].append(file)
            (written,) = (self.results / "translated" / file.name).glob("*.cpp")
            text = self.with_mutants(written.read_text(encoding="utf-8", errors="surrogateescape"))
            self.write(self.results / "project" / "sources" / f"{file.name}.inc", text, file.program)
        self.build_all(programs)
        # Where some do not compile, those that the compiler names do so by themselves, the others without them. Which
        # ones it names may be others the next time.
        for _ in range(3):
            log = (self.results / "build.log").read_text(encoding="utf-8", errors="replace")
            faulty = set(re.findall(r"/(\w+)\.inc:\d+:\d+: (?:fatal )?error:", log))
            apart = {}
            for program, together in programs.items():
                if not self.is_built(program) and len(together) > 1:
                    for file in together:
                        if file.name in faulty or not any(other.name in faulty for other in together):
                            file.program = f"alone_{file.name}"
                            apart[file.program] = [file]
                    programs[program] = [file for file in together if file.program == program]
            if not apart:
                break
            programs = {program: together for program, together in {**programs, **apart}.items() if together}
            self.build_all(programs)

    def is_built(self, program: str) -> bool:
        return (self.results / "build" / program).is_file()

    def write(self, path: Path, text: str, program: str = "") -> None:
        """Where it is another; then the program that is made of it is to be built again."""
        if path.is_file() and path.read_text(encoding="utf-8", errors="surrogateescape") == text:
            return
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        if program:
            (self.results / "build" / program).unlink(missing_ok=True)

    @staticmethod
    def filled(text: str, **values: object) -> str:
        for key, value in values.items():
            text = text.replace(f"@{key}@", str(value))
        return text

    def build_all(self, programs: dict[str, list[File]]) -> None:
        project = self.results / "project"
        for program, files in programs.items():
            headers = set()
            for file in files:
                text = (project / "sources" / f"{file.name}.inc").read_text(encoding="utf-8", errors="replace")
                headers |= set(re.findall(r"^ *# *include *<[^>]*>", text, re.M))
            headers |= {"#include <complex.h>", "#include <limits.h>", "#include <math.h>", "#include <stdio.h>", "#include <stdlib.h>",
                        "#include <string.h>", "#include <time.h>"}  # fmt: skip
            text = self.filled(PROGRAM, headers="\n".join(sorted(headers)),
                               tests="".join(self.filled(TEST, name=file.name) for file in files),
                               calls="".join(self.filled(CALL, name=file.name) for file in files))  # fmt: skip
            self.write(project / "sources" / f"{program}.cpp", text, program)
        self.write(project / "validation.hpp", HEADER)
        self.write(project / "headers.cpp", "")
        self.write(project / "CMakeLists.txt", self.filled(PROJECT, build=self.build, root=ROOT, tests=self.tests, seed=SEED,
                                                           names="\n  ".join(sorted(programs))))  # fmt: skip
        launcher = f"timeout;{10 * self.limit}"
        subprocess.run(["cmake", "-G", "Ninja", "-S", project, "-B", self.results / "build", f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"],
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        with (self.results / "build.log").open("w") as log:
            subprocess.run(["ninja", "-C", self.results / "build", "-k", "0", "-j", str(self.jobs)], check=False, stdout=log, stderr=log)

    def run(self, program: list[object], **environment: str) -> tuple[str, str]:
        done = call(program, self.limit, env={**os.environ, **ENVIRONMENT, **environment}, cwd=self.results)
        if done is None:
            return "hang", ""
        message = done.stderr.decode(errors="replace").strip()[:300]
        if done.returncode == 0:
            return "passed", ""
        return ("error" if done.returncode < 0 or message else "wrong"), message or f"status {done.returncode}"

    def run_port(self, file: File) -> None:
        program = [self.results / "build" / file.program, file.name]
        file.built = program[0].is_file()
        if not file.built:
            return
        outcome = self.results / "outcomes" / f"{file.name}{'.verified' if self.verify else ''}.json"
        if outcome.is_file() and outcome.stat().st_mtime > program[0].stat().st_mtime:
            for key, value in json.loads(outcome.read_text(encoding="utf-8")).items():
                setattr(file, key, value)
            return
        self.run_program(file, program)
        keys = ("strict", "message", "killed", "verified", "blamed", "stale", "ended")
        outcome.write_text(json.dumps({key: getattr(file, key) for key in keys}), encoding="utf-8")

    def run_program(self, file: File, program: list[object]) -> None:
        file.strict, file.message = self.run(program, GANGWAY_MEMORY="strict")
        if file.strict != "passed":
            return
        if self.verify:
            self.run_verified(file, program)
        text = (self.results / "project" / "sources" / f"{file.name}.inc").read_text(encoding="utf-8", errors="replace")
        marks = {"copy-out": "validation::copy|validation::exit|validation::update|validation::by_copy", "kernel": "no_kernel",
                 "reduction": "validation::parallel_reduce"}
        for mutant in MUTANTS:
            if re.search(marks[mutant], text):
                file.killed[mutant] = self.run(program, GANGWAY_MEMORY="strict", VALIDATION_MUTANT=mutant)[0] != "passed"

    def run_verified(self, file: File, program: list[object]) -> None:
        report = self.results / "outcomes" / f"{file.name}.report"
        report.unlink(missing_ok=True)
        done = call(program, self.limit, cwd=self.results,
                    env={**os.environ, **ENVIRONMENT, "GANGWAY_MEMORY": "strict", "GANGWAY_VERIFY": f"1,report={report}"})  # fmt: skip
        constructs = json.loads(report.read_text(encoding="utf-8"))["constructs"] if report.is_file() else []
        if constructs:
            file.verified = [sum(one["compared"] > 0 for one in constructs), sum(one["compared"] for one in constructs)]
        told = {True: [], False: []}
        for one in constructs:
            if one["first"]:
                told[one["wrong"] + one["unstable"] > 0].append(f"{one['construct']}, line {one['line']}: {one['first']}")
        file.blamed, file.stale = "; ".join(told[True]), "; ".join(told[False])
        if done is None or (done.returncode != 0 and not file.blamed):
            said = "hang" if done is None else done.stderr.decode(errors="replace")
            file.ended = f"{'' if done is None else f'status {done.returncode} '}{said.strip()[:600]}"

    def run_plain(self, file: File) -> None:
        program = self.results / "plain" / file.name
        if not program.is_file():
            compiler = "gcc" if file.path.suffix == ".c" else "g++"
            # What the program calls of OpenACC's runtime library GCC's has, for a host.
            call([os.environ.get("CXX", compiler).replace("g++", compiler), "-w", SEED, f"-I{self.tests}", "-include", "openacc.h",
                  file.path, "-o", program, "-lgomp", "-lm"], self.limit)  # fmt: skip
        file.ignored = self.run([program])[0] if program.is_file() else "not built"

    # --- what comes of it ---

    def tell(self) -> None:
        by_tag = collections.defaultdict(list)
        for file in self.files:
            for tag in file.tags:
                by_tag[tag].append(file)
        print("| tag | files | parsed | translated | tried | built | passed | with pragmas ignored | mutants killed: "
              + " | ".join(MUTANTS) + " |")  # fmt: skip
        print("|---|" + "---:|" * (7 + len(MUTANTS)))
        for tag, files in sorted(by_tag.items(), key=lambda item: (-len(item[1]), item[0])):
            if len(files) > 2:
                print(self.row(f"`{tag}`", files))
        print(self.row("all files, once each", self.files))
        self.tell_list("crash or hang of the translator", [file for file in self.files if file.state in ("crash", "hang")])
        self.tell_list("not built", [file for file in self.files if file.tried and not file.built])
        for how in ("wrong", "error", "hang"):
            self.tell_list(f"translated, built, and then: {how}", [file for file in self.files if file.strict == how])
        if self.verify:
            verified = [file for file in self.files if file.verified]
            print(f"\nverified: {len(verified)} files that pass, {sum(file.verified[0] for file in verified)} constructs, "
                  f"{sum(file.verified[1] for file in verified)} executions")  # fmt: skip
            for what, words in (("blamed", "blamed"), ("stale", "stale"), ("ended", "ends otherwise while it is verified")):
                for file in self.files:
                    if told := getattr(file, what):
                        print(f"  {words}: {file.path.name}: {told}")
        self.tell_list("not parsed", [file for file in self.files if file.state == "not parsed"])
        self.tell_list("refused", [file for file in self.files if file.state == "refused"])
        causes = collections.Counter(cause for file in self.files for cause in {re.sub(r"'[^']*'|\d+", "_", one) for one in file.causes})
        print("\nRefusals by cause, in files:")
        for cause, count in causes.most_common(60):
            print(f"{count:5} {cause}")

    @staticmethod
    def row(name: str, files: list[File]) -> str:
        passed = [file for file in files if file.strict == "passed"]
        numbers = [len(files), sum(file.state in ("refused", "translated") for file in files),
                   sum(file.state == "translated" for file in files), sum(file.tried for file in files),
                   sum(file.built for file in files), len(passed),
                   sum(file.ignored == "passed" for file in files)]  # fmt: skip
        cells = [str(number) for number in numbers]
        for mutant in MUTANTS:
            mutated = [file.killed[mutant] for file in passed if mutant in file.killed]
            cells.append(f"{sum(mutated)} of {len(mutated)}")
        return f"| {name} | " + " | ".join(cells) + " |"

    def tell_list(self, what: str, files: list[File]) -> None:
        print(f"\n{what}: {len(files)}")
        for file in files:
            told = " (something was assumed)" if file.assumptions else ""
            print(f"  {file.path.name}{told}: {self.reason(file)}")

    @staticmethod
    def reason(file: File) -> str:
        if file.state == "refused":
            return "; ".join(dict.fromkeys(file.causes))
        line = next((one for one in file.message.splitlines() if "error:" in one), file.message.partition("\n")[0])
        # Not where the suite lies, and no addresses: those of another run are others.
        return re.sub(r"0x[0-9a-f]+", "0x…", re.sub(r"/\S*/", "", line))

    def keep(self) -> None:
        kept = [{**asdict(file), "path": file.path.name} for file in self.files]
        (self.results / "results.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")


FORTRAN_PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(validation LANGUAGES CXX Fortran)
find_package(Kokkos REQUIRED)
set(CMAKE_CXX_STANDARD 20)
include_directories("@root@/src" "@build@/src" "@build@/src/gangway/fortran/modules" "@tests@")
link_libraries(@libraries@ Kokkos::kokkos)
add_compile_options($<$<COMPILE_LANGUAGE:Fortran>:-ffree-line-length-none> -w)
set(sources @sources@)
file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
add_library(headers OBJECT ${CMAKE_BINARY_DIR}/empty.cpp)
target_precompile_headers(headers PRIVATE <gangway/gangway.hpp> <gangway/fortran_kernels.hpp>)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  cmake_path(GET source PARENT_PATH folder)
  file(GLOB kernels ${folder}/*_kernels.cpp)
  cmake_path(GET folder FILENAME kind)
  add_executable(${kind}-${name} ${source} ${kernels})
  set_target_properties(${kind}-${name} PROPERTIES LINKER_LANGUAGE CXX Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/modules/${kind}-${name})
  if(kernels)
    target_precompile_headers(${kind}-${name} REUSE_FROM headers)
  endif()
endforeach()
"""


# What is made wrong in a translation: nothing is copied back, kernels do nothing, results of reductions are dropped.
FORTRAN_MUTANTS = {
    "copy-out": (".F90", ((r"%copyout\(", "%create("), (r"%copy\(", "%copyin("), (r"gangway_exit_data_copyout", "gangway_exit_data_delete"),
                          (r"gangway_update_self", "gangway_update_device"))),
    "kernel": ("_kernels.cpp", ((r"(KOKKOS_LAMBDA\([^)]*\) \{\n)", r"\1        return;\n"),)),
    "reduction": ("_kernels.cpp", ((r"(gangway::reduction::\w+\()(\*\w+)\)", r"\1*new auto(\2))"),)),
}  # fmt: skip


class FortranValidation:
    """The suite's Fortran files, each by itself, through `gangway port`."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.tests = (options.suite / "Tests").resolve()
        self.results = options.results.resolve()
        self.names = sorted(path.stem for path in self.tests.glob("*.F90") if re.search(options.only, path.name))
        self.reports: dict[str, dict] = {}
        self.errors: dict[str, str] = {}

    def translate(self, name: str) -> None:
        folder = self.results / name / "port"
        shutil.rmtree(folder.parent, ignore_errors=True)
        done = call([self.options.build.resolve() / "bin" / "gangway-port", self.tests / f"{name}.F90", "--output", folder, "--json", "-"],
                    self.options.limit, text=True)  # fmt: skip
        if done is not None and done.stdout:
            self.reports[name] = json.loads(done.stdout)
        else:
            self.errors[name] = ((done.stderr if done else "").splitlines() or ["without a word"])[0]

    def is_whole(self, name: str) -> bool:
        (file, *_) = self.reports[name]["files"]
        return all(one["outcome"] != "refused" for one in file["directives"] + file["remarks"])

    def sources(self, whole: list[str]) -> list[Path]:
        """The translations, and their originals, of which the compiler ignores the directives."""
        made = [self.results / name / "port" / f"{name}.F90" for name in whole]
        for name in self.names:
            plain = self.results / name / "plain" / f"{name}.F90"
            plain.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.tests / f"{name}.F90", plain)
            made.append(plain)
        return made

    def mutants(self, name: str) -> list[Path]:
        made = []
        for mutant, (ending, changes) in FORTRAN_MUTANTS.items():
            texts = {path.name: path.read_text(encoding="utf-8") for path in (self.results / name / "port").iterdir()}
            file = f"{name}{ending}"
            before = texts.get(file, "")
            after = before
            for pattern, becomes in changes:
                after = re.sub(pattern, becomes, after)
            if after == before:
                continue
            folder = self.results / name / mutant
            folder.mkdir(exist_ok=True)
            for one, text in (texts | {file: after}).items():
                (folder / one).write_text(text, encoding="utf-8")
            made.append(folder / f"{name}.F90")
        return made

    def build(self, sources: list[Path]) -> None:
        build = self.options.build.resolve()
        libraries = [next(path for end in ("so", "a") for path in (build / folder).glob(f"lib{name}.{end}"))
                     for folder, name in (("src/gangway/fortran", "gangway_fortran"), ("src/gangway", "gangway"))]  # fmt: skip
        text = FORTRAN_PROJECT.replace("@root@", str(ROOT)).replace("@build@", str(build)).replace("@tests@", str(self.tests))
        text = text.replace("@libraries@", " ".join(f'"{one}"' for one in libraries))
        project = self.results / "project"
        project.mkdir(parents=True, exist_ok=True)
        text = text.replace("@sources@", "\n  ".join(map(str, sources)))
        (project / "CMakeLists.txt").write_text(text, encoding="utf-8")
        for command in (["cmake", "-G", "Ninja", "-S", project, "-B", project / "build", "-DCMAKE_CXX_COMPILER=g++-16",
                         "-DCMAKE_Fortran_COMPILER=gfortran-16"],
                        ["ninja", "-C", project / "build", "-k0", f"-j{self.options.jobs}"]):  # fmt: skip
            with (self.results / "build.txt").open("a", encoding="utf-8") as log:
                subprocess.run([str(part) for part in command], stdout=log, stderr=subprocess.STDOUT, check=False)

    def passes(self, program: str) -> str:
        path = self.results / "project" / "build" / program
        if not path.exists():
            return "not built"
        done = call([path], self.options.limit, text=True, errors="replace", env=os.environ | {"GANGWAY_MEMORY": "strict", "OMP_NUM_THREADS": "2",
                    "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"})  # fmt: skip
        if done is None:
            return "no end"
        if done.returncode == 0:
            return "passed"
        said = next((line for line in done.stderr.splitlines() if "gangway" in line.lower()), "")
        return said[:160] if said else f"wrong, status {done.returncode}"

    def work(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(self.translate, self.names))
            self.tell_reports()
            if self.options.translate_only:
                return
            whole = [name for name in self.names if name in self.reports and self.is_whole(name)]
            self.build(self.sources(whole))
            port = dict(zip(whole, pool.map(lambda name: self.passes(f"port-{name}"), whole)))
            plain = dict(zip(self.names, pool.map(lambda name: self.passes(f"plain-{name}"), self.names)))
        built = sum(one != "not built" for one in port.values())
        print(f"translated whole {len(whole)}, built {built}, passed {sum(one == 'passed' for one in port.values())}")
        print(f"without directives passed {sum(one == 'passed' for one in plain.values())}")
        for name, said in port.items():
            if said != "passed":
                print(f"  {name}: {said}; without directives: {plain[name]}")
        passed = [name for name in whole if port[name] == "passed"]
        mutants = [path for name in passed for path in self.mutants(name)]
        self.build(mutants)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            ends = list(pool.map(lambda path: self.passes(f"{path.parent.name}-{path.stem}"), mutants))
        for mutant in FORTRAN_MUTANTS:
            mine = [end for path, end in zip(mutants, ends) if path.parent.name == mutant and end != "not built"]
            print(f"mutants {mutant}: {sum(end != 'passed' for end in mine)} of {len(mine)} killed")
        kept = {name: {"port": port.get(name, "not whole"), "plain": plain[name]} for name in self.names}
        (self.results / "results.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")

    def tell_reports(self) -> None:
        counts: collections.Counter = collections.Counter()
        reasons: collections.Counter = collections.Counter()
        for report in self.reports.values():
            counts.update(report["counts"])
            for one in report["files"][0]["directives"]:
                if one["outcome"] == "refused":
                    reasons[f"{one['code']} {one['refusal']}"] += 1
            for one in report["files"][0]["remarks"]:
                if one["outcome"] == "refused":
                    reasons[f"{one['code']} {one['what']}"] += 1
        outcomes = ", ".join(f"{counts[outcome]} {outcome}" for outcome in ("translated", "assumed", "refused"))
        print(f"{len(self.names)} files, {len(self.reports)} parsed\n{sum(counts.values())} directives: {outcomes}")
        for reason, times in reasons.most_common():
            print(f"  {times} {reason}")
        print(f"not parsed: {len(self.errors)}")
        for error in self.errors.values():
            print(f"  {error}")
        sys.stdout.flush()


def call_peer(program: Path, source: Path, limit: int) -> Path | None:
    """Returns what Intel's tool writes beside the source; nothing where it ends without a translation."""
    done = call([sys.executable, program, "-async=ignore", "-force-backup", source], limit, cwd=source.parent)
    made = source.with_name(f"{source.name}.translated")
    return made if done is not None and done.returncode == 0 and made.is_file() else None


class PeerValidation:
    """The suite's C and C++ files, each by itself, through Intel's tool and GCC's OpenMP."""

    STATES = ("not translated", "not built", "hang", "error", "wrong", "passed")  # in the order of what comes first

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.tests = (options.suite / "Tests").resolve()
        self.results = options.results.resolve()
        self.peer = options.peer.resolve()
        self.paths = sorted(path for path in self.tests.glob("*") if path.suffix in (".c", ".cpp") and re.search(options.only, path.name))
        self.warned: collections.Counter = collections.Counter()

    def look_at(self, path: Path) -> tuple[str, str]:
        """Returns how far the file comes, and what the compiler or the program says."""
        folder = self.results / "peer" / path.name.replace(".", "_")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        copied = Path(shutil.copy(path, folder))
        made = call_peer(self.peer, copied, self.options.limit)
        if made is None:
            return "not translated", ""
        report = copied.with_name(f"{copied.name}.report")
        text = report.read_text(encoding="utf-8", errors="replace") if report.is_file() else ""
        self.warned.update(set(re.findall(r"^ +\d+\. (.*)", text, re.M)))
        made = made.rename(folder / f"translated{path.suffix}")
        program = folder / "program"
        compiler = "gcc-16" if path.suffix == ".c" else "g++-16"
        done = call([compiler, "-w", "-fopenmp", "-foffload=disable", SEED, f"-I{self.tests}", "-include", "openacc.h", made, "-o", program,
                     "-lm"], self.options.limit)  # fmt: skip
        if done is None or done.returncode != 0:
            said = "" if done is None else done.stderr.decode(errors="replace")
            return "not built", next((line for line in said.splitlines() if "error:" in line), said[:200]).partition("error: ")[2]
        done = call([program], self.options.limit, cwd=folder, env={**os.environ, **ENVIRONMENT, "OMP_TARGET_OFFLOAD": "disabled"})
        if done is None:
            return "hang", ""
        said = done.stderr.decode(errors="replace").strip()[:300]
        if done.returncode == 0:
            return "passed", ""
        return "error" if done.returncode < 0 or said else "wrong", said or f"status {done.returncode}"

    def work(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            ends = dict(zip(self.paths, pool.map(self.look_at, self.paths)))
        print("| tag | files | translated | built | passed |\n|---|---:|---:|---:|---:|")
        by_tag = collections.defaultdict(list)
        for path in self.paths:
            for tag in tags_of(path):
                by_tag[tag].append(path)
        for tag, paths in sorted(by_tag.items(), key=lambda item: (-len(item[1]), item[0])):
            print(self.row(f"`{tag}`", [ends[path][0] for path in paths]))
        print(self.row("all files, once each", [state for state, _ in ends.values()]))
        for state in self.STATES[:-1]:
            print(f"\n{state}: {sum(end == state for end, _ in ends.values())}")
            for path, (end, said) in ends.items():
                if end == state:
                    print(f"  {path.name}: {said.splitlines()[0] if said else ''}".rstrip(": "))
        print("\nWarnings of its reports, in files:")
        for warning, count in self.warned.most_common():
            print(f"{count:5} {warning}")
        kept = {path.name: end for path, (end, _) in ends.items()}
        (self.results / "results-of-peer.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")

    def row(self, name: str, states: list[str]) -> str:
        counts = [len(states), *(sum(self.STATES.index(state) >= least for state in states) for least in (1, 2, 5))]
        return f"| {name} | " + " | ".join(map(str, counts)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, help="the suite's folder, which has Tests in it")
    parser.add_argument("results", type=Path, help="where everything is kept that is made of it")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "openmp", help="the built tree (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="how many at a time (%(default)s)")
    parser.add_argument("--limit", type=int, default=30, help="seconds for each file and run (%(default)s)")
    parser.add_argument("--together", type=int, default=12, help="how many tests share a program (%(default)s)")
    parser.add_argument("--only", default="", metavar="PATTERN", help="files whose names match")
    parser.add_argument("--one-language", action="store_true",
                        help="build of a test that is there in C and in C++ one, in turn")  # fmt: skip
    parser.add_argument("--verify", action="store_true", help="also hold each construct against its original")
    parser.add_argument("--fortran", action="store_true", help="the Fortran files, and nothing else")
    parser.add_argument("--peer", type=Path, metavar="PROGRAM", help="Intel's tool in the translator's place")
    parser.add_argument("--translate-only", action="store_true", help="build and run nothing")
    options = parser.parse_args()
    if ROOT in (options.results.resolve(), *options.results.resolve().parents):
        sys.exit(f"{options.results}: give a folder outside of {ROOT}, for what is made of the suite stays out of it")
    if options.peer is not None:
        PeerValidation(options).work()
        return
    if options.fortran:
        FortranValidation(options).work()
        return
    validation = Validation(options)
    validation.each(validation.translate, validation.files)
    if not options.translate_only:
        whole = [file for file in validation.files if file.state == "translated" and file.path in validation.sample]
        validation.build_programs(whole)
        validation.each(validation.run_port, whole)
        validation.keep()
        validation.each(validation.run_plain, validation.files)
    validation.keep()
    validation.tell()


if __name__ == "__main__":
    main()
