#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translations of Fortran: they print what their sources print as plain Fortran, in every bit.

    tests/port/fortran/translation_test.py     (BUILD, PORT and FORTRAN are set by CMake)
    tests/port/fortran/translation_test.py --update     writes the guide's texts (PORT is set)

Each program here is translated, built with a Kokkos of this machine, and run in shared, separate and strict memory with
one thread and two. Then the translation is made wrong in a few places, and has to print something else or stop.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
SNIPPETS = ROOT / "docs" / "guide" / "snippets"
MEMORIES = ("shared", "separate", "strict")

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(translations LANGUAGES CXX Fortran)
find_package(Kokkos REQUIRED)
set(CMAKE_CXX_STANDARD 20)
include_directories("@root@/src" "@build@/src" "@build@/src/gangway/fortran/modules")
link_libraries("@build@/src/gangway/fortran/@fortran@" "@build@/src/gangway/@gangway@" Kokkos::kokkos)
add_compile_options(-ffp-contract=off $<$<COMPILE_LANGUAGE:CXX>:-O1> $<$<COMPILE_LANGUAGE:Fortran>:-O2>
  $<$<COMPILE_LANGUAGE:Fortran>:-ffree-line-length-none> $<$<COMPILE_LANGUAGE:Fortran>:-ffixed-line-length-none>)
foreach(name @names@)
  file(GLOB sources ${name}_part.F90 ${name}_part_kernels.cpp ${name}.F90 ${name}.F ${name}_kernels.cpp)
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX
    Fortran_MODULE_DIRECTORY ${CMAKE_BINARY_DIR}/modules_${name})
endforeach()
"""

# What is made wrong: the source, a file's ending, the text and what it becomes.
MUTANTS = (
    ("nests", "_kernels.cpp", r"trips<int>\(-1, ", "trips<int>(0, "),
    ("nests", "_kernels.cpp", r"reduction::max\(\*", "reduction::min(*"),
    ("nests", "_kernels.cpp", r"gangway::range\(1, ", "gangway::range(2, "),
    ("regions", ".F90", r"call (region_line\d+)%copyin\(a", r"call \1%create(a"),
    ("regions", ".F90", r"call (region_line\d+)%copyout\(b", r"call \1%create(b"),
    ("arrays", "_kernels.cpp", r"(at\d+) = 1; (at\d+) <= 4", r"\1 = 2; \2 <= 4"),
    ("regions", ".F90", r"call gangway_update_device\(f%u", "! call gangway_update_device(f%u"),
    ("regions", ".F90", r"call gangway_enter_data_copyin\(f%u", "call gangway_enter_data_create(f%u"),
    ("arguments", "_kernels.cpp", r"\(a_given, \{0, 1\}", "(a_given, {1, 1}"),
    ("complexes", "_kernels.cpp", r"gangway::fortran::conjg\(", "("),
    ("concurrent", "_kernels.cpp", r"reduction::bit_and\(", "reduction::bit_or("),
    ("declares", ".F90", r"call enter_declare_declares_part_m\(", "! call enter("),
    ("declares", ".F90", r"call gangway_enter_data_create\(weights", "continue ! call enter("),
    ("declares", ".F90", r"call gangway_enter_data_copyin\(buffer", "call gangway_enter_data_create(buffer"),
    ("declares", "_kernels.cpp", r"value_on_device\(to\)", "value_on_device(from)"),
)  # fmt: skip


def source_of(name: str) -> Path:
    if name == "fixed":
        return HERE / "fixed.F"
    return (SNIPPETS if name == "fortran" else HERE) / f"{name}.F90"


def guide_texts() -> dict[Path, str]:
    """What `gangway port` writes for the guide's snippets, by the file that keeps it."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ["PORT"], SNIPPETS / "fortran.F90", "--output", folder], check=True, capture_output=True)
        return {SNIPPETS / f"fortran_{what}.txt": (Path(folder) / name).read_text(encoding="utf-8")
                for what, name in (("ported", "fortran.F90"), ("kernels", "fortran_kernels.cpp"))}  # fmt: skip


def run(program: Path, memory: str = "shared", threads: int = 2) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"GANGWAY_MEMORY": memory, "OMP_NUM_THREADS": str(threads),
                                "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}  # fmt: skip
    return subprocess.run([program], capture_output=True, text=True, check=False, timeout=120, env=environment)


class Translations(unittest.TestCase):
    """The programs of this folder."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.place = Path(cls.folder.name)
        cls.names = sorted(path.stem for path in HERE.glob("*.F90") if not path.stem.startswith("refused") and "_part" not in path.stem)
        cls.names += ["fixed", "fortran"]
        cls.mutants = {}
        for name in cls.names:
            done = subprocess.run([os.environ["PORT"], source_of(name), *HERE.glob(f"{name}_part.F90"), "--output", cls.place],
                                  capture_output=True, text=True, check=False)  # fmt: skip
            if done.returncode not in (0, 3):
                raise AssertionError(done.stdout + done.stderr)
        for number, (name, end, wrong, becomes) in enumerate(MUTANTS):
            mutant = f"mutant{number}"
            for part in cls.place.glob(f"{name}_part*"):
                (cls.place / part.name.replace(name, mutant, 1)).write_bytes(part.read_bytes())
            for one in (".F90", "_kernels.cpp"):
                text = (cls.place / f"{name}{one}").read_text(encoding="utf-8")
                if one == end:
                    text, count = re.subn(wrong, becomes, text, count=1)
                    if count == 0:
                        raise AssertionError(f"{name}: no {wrong}")
                (cls.place / f"{mutant}{one}").write_text(text, encoding="utf-8")
            cls.mutants[mutant] = name
        build = Path(os.environ["BUILD"])
        project = PROJECT.replace("@root@", str(ROOT)).replace("@build@", str(build))
        for word, folder in (("gangway", "src/gangway"), ("fortran", "src/gangway/fortran")):
            library = "libgangway" + ("_fortran" if word == "fortran" else "")
            found = [path.name for end in ("a", "so") for path in (build / folder).glob(f"{library}.{end}")]
            project = project.replace(f"@{word}@", found[0])
        project = project.replace("@names@", " ".join([*cls.names, *cls.mutants]))
        (cls.place / "CMakeLists.txt").write_text(project, encoding="utf-8")
        for command in (["cmake", "-S", cls.place, "-B", cls.place / "build", "-G", "Ninja",
                         f"-DCMAKE_CXX_COMPILER={os.environ['CXX']}", f"-DCMAKE_Fortran_COMPILER={os.environ['FORTRAN']}"],
                        ["cmake", "--build", cls.place / "build", "--", "-k0"]):  # fmt: skip
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)
        for name in cls.names:
            (cls.place / f"modules_{name}").mkdir()
            subprocess.run(
                [os.environ["FORTRAN"], "-O2", "-ffp-contract=off", "-w", "-ffree-line-length-none", "-J",
                 cls.place / f"modules_{name}", *HERE.glob(f"{name}_part.F90"), source_of(name), "-o", cls.place / f"{name}.plain"], check=True)  # fmt: skip

    @classmethod
    def tearDownClass(cls) -> None:
        cls.folder.cleanup()

    def plain(self, name: str) -> str:
        done = run(self.place / f"{name}.plain")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_they_print_what_their_sources_print(self) -> None:
        for name in self.names:
            wanted = self.plain(name)
            for memory in MEMORIES:
                for threads in (1, 2):
                    with self.subTest(name=name, memory=memory, threads=threads):
                        done = run(self.place / "build" / name, memory, threads)
                        self.assertEqual(done.returncode, 0, done.stderr)
                        self.assertEqual(done.stdout, wanted)

    def test_wrong_ones_are_found(self) -> None:
        for mutant, name in self.mutants.items():
            with self.subTest(mutant=MUTANTS[int(mutant.removeprefix("mutant"))]):
                done = run(self.place / "build" / mutant, "strict")
                self.assertTrue(done.returncode != 0 or done.stdout != self.plain(name))

    def test_lines_of_the_host_stay(self) -> None:
        for name in self.names:
            host = (self.place / source_of(name).name).read_text(encoding="utf-8").splitlines()
            source = source_of(name).read_text(encoding="utf-8").splitlines()
            outside = [line for line in source if line.lstrip().startswith(("subroutine", "print", "end sub", "contains"))]
            self.assertEqual([line for line in outside if line not in host], [])


class Refused(unittest.TestCase):
    """What is not translated is said, with its line, and stays."""

    def test_each_is_said(self) -> None:
        source = HERE / "refused.F90"
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([os.environ["PORT"], source, "--output", folder], capture_output=True, text=True, check=False)
            host = (Path(folder) / "refused.F90").read_text(encoding="utf-8")
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        told = {int(line): code for line, code in re.findall(r":(\d+):\d+: [^:]*: refused: .*\[(GW\d+)\]$", done.stdout, re.M)
                if code != "GW1008"}  # a part of one
        lines = source.read_text(encoding="utf-8").splitlines()
        wanted = {}
        for number, line in enumerate(lines, 1):
            if found := re.search(r"! (GW\d+)$", line):
                wanted[number + 1] = found.group(1)
        self.assertEqual(told, wanted)
        for line in lines:
            if line.lstrip().startswith("!$acc parallel"):
                self.assertIn(line, host)


class Guide(unittest.TestCase):
    """The guide shows what the translator writes."""

    def test_its_texts(self) -> None:
        for file, text in guide_texts().items():
            self.assertEqual(file.read_text(encoding="utf-8"), text, f"{file}: --update writes it anew")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for place, made in guide_texts().items():
            place.write_text(made, encoding="utf-8")
        sys.exit(0)
    unittest.main(argv=sys.argv)
