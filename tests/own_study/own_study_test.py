# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Studies of one's own: projects that know nothing of Gangway's sources, built against an installed Gangway, and the
programs that come of it.

    INSTALLED=build/openmp/consumer/installed PLACE=build/openmp/consumer \
        python3 tests/own_study/own_study_test.py [CLASS]
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = Path(os.environ.get("INSTALLED", "build/openmp/consumer/installed")).resolve()
PLACE = Path(os.environ.get("PLACE", "build/openmp/consumer")).resolve()
CMAKE = os.environ.get("CMAKE", "cmake")
GIVEN_ON = ("CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS", "CMAKE_CXX_COMPILER_LAUNCHER", "GANGWAY_OPENACC_COMPILER",
            "GANGWAY_OPENACC_TARGET")  # fmt: skip
OPENACC = os.environ.get("OPENACC", "ON") == "ON"


class OwnStudy(unittest.TestCase):
    def run_it(self, *command: object, status: int = 0) -> str:
        """What it printed; of one that is to fail, what it said."""
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, check=False, timeout=500, cwd=self.folder
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr if status else done.stdout

    def empty_folder(self, name: str) -> None:
        self.folder = PLACE / name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def build(self, project: Path) -> Path:
        """The program, whose folder also holds its OpenACC side."""
        (package,) = INSTALLED.glob("lib*/**/cmake/gangway")
        options = [f"-D{name}={os.environ[name]}" for name in GIVEN_ON if os.environ.get(name)]
        self.run_it(CMAKE, "-G", os.environ.get("GENERATOR", "Ninja"), "-S", project, "-B", "build",
                    f"-Dgangway_DIR={package}", f"-DGANGWAY_OPENACC={'ON' if OPENACC else 'OFF'}", *options)  # fmt: skip
        self.run_it(CMAKE, "--build", "build")
        return self.folder / "build" / "referee"

    def compared(self, program: Path, *arguments: object) -> dict:
        """The results; every variant was right."""
        none = () if OPENACC else ("--openacc-library", "none")
        self.run_it(program, "compare", *arguments, *none, "--json", "results.json")
        return json.loads((self.folder / "results.json").read_text(encoding="utf-8"))

    def passed(self, results: dict, study: str) -> set[tuple[str, str]]:
        return {
            (one["model"], one["variant"])
            for case in results["cases"] if case["study"] == study
            for one in case["measurements"] if one["check"]["passed"]
        }  # fmt: skip

    @property
    def models(self) -> list[str]:
        return ["kokkos", "openacc"] if OPENACC else ["kokkos"]


class Portable(OwnStudy):
    """The package runs on processors other than the one it was built on, and holds every header that it includes."""

    @unittest.skipUnless(platform.machine() == "x86_64", "knows the instructions of x86-64")
    def test_libraries_are_for_any_processor(self) -> None:
        self.empty_folder("own_portable")
        libraries = [path for path in INSTALLED.glob("lib*/**/*gangway*") if path.suffix in (".a", ".so")]
        libraries = [path for path in libraries if "openacc" not in path.name]  # a benchmark, compiled for this processor
        self.assertGreater(len(libraries), 5)
        for library in libraries:
            wide = re.search(r"^.*\sv[a-z0-9]+ .*%[xyz]mm.*$", self.run_it("objdump", "-d", library), re.MULTILINE)
            self.assertIsNone(wide, f"{library}: {wide and wide[0]}")

    def test_headers_include_what_is_installed(self) -> None:
        self.empty_folder("own_headers")
        project = self.folder / "project"
        project.mkdir()
        folders = (INSTALLED / "include", INSTALLED / "include" / "gangway-referee")
        names = [str(path.relative_to(folder)) for folder in folders for path in sorted(folder.glob("[!-]*/*.hpp"))
                 if "gangway-referee" not in path.relative_to(folder).parts]  # fmt: skip
        self.assertGreater(len(names), 40)
        (project / "all.cpp").write_text("".join(f'#include "{name}"\n' for name in names) + "int main() {}\n")
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(all LANGUAGES CXX)\n"
            "find_package(gangway REQUIRED COMPONENTS referee)\nadd_executable(referee all.cpp)\n"
            "target_link_libraries(referee PRIVATE gangway::referee)\n"
        )
        self.build(project)


class Module(OwnStudy):
    """`module load gangway` finds the command, and CMake the package."""

    def test_load_and_unload(self) -> None:
        lmod = Path("/usr/share/lmod/lmod/init/bash")
        if not lmod.exists():
            self.skipTest("no lmod here")
        self.empty_folder("own_module")
        # Moved, as an installation that is unpacked elsewhere is.
        shutil.copytree(INSTALLED, self.folder / "moved")
        said = self.run_it("bash", "-c", f"""
            source {lmod}
            module use {self.folder}/moved/share/modulefiles
            module load gangway
            command -v gangway
            gangway --version
            printf '%s\\n' "$CMAKE_PREFIX_PATH"
            module unload gangway
            printf '%s\\n' "$PATH:$CMAKE_PREFIX_PATH" """).splitlines()
        program, version, prefix, paths = said
        self.assertEqual(Path(program).resolve(), (self.folder / "moved/bin/gangway").resolve())
        self.assertRegex(version, r"^gangway \d+\.\d+\.\d+")
        self.assertEqual(Path(prefix.split(":")[0]).resolve(), (self.folder / "moved").resolve())
        self.assertNotIn(str(self.folder), paths)


class Template(OwnStudy):
    """What `gangway new` writes compiles, runs and passes as it is."""

    def test_from_template_to_verdict(self) -> None:
        self.empty_folder("own_template")
        self.run_it(INSTALLED / "bin" / "gangway", "new", "first")
        program = self.build(self.folder / "first")
        self.assertRegex(self.run_it(program, "list"), r"^first: y = a x \+ y.*\n  stages: +kernel\n  --set n=1e6 ")
        results = self.compared(program, "--quick", "--rounds", 3)
        self.assertEqual(self.passed(results, "first"), {(model, "kernel") for model in self.models})
        self.assertEqual(results["cases"][0]["case"], "n=1e6")
        self.assertIn("first has no levels", self.run_it(program, "sweep", "first", status=2))
        self.assertIn("'first' already", self.run_it(program, "new", "first", status=2))
        self.assertIn("no key 'm'", self.run_it(program, "run", "first", "--set", "m=1", status=2))

        # A mistake in one of the two is seen: the last element is left out.
        source = self.folder / "first" / "first.cpp"
        text = source.read_text(encoding="utf-8")
        source.write_text(text.replace("range(0, n)", "range(0, n - 1)"), encoding="utf-8")
        self.run_it(CMAKE, "--build", "build")
        none = () if OPENACC else ("--openacc-library", "none")
        done = subprocess.run([program, "run", "first", "--set", "n=1000", *none], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("kokkos kernel FAILED its check: y: element 999: 9 instead of 108", done.stdout)


class Example(OwnStudy):
    """The study of docs/your-own-study.md: two stages, and levels to sweep and tune."""

    def test_the_whole_command(self) -> None:
        self.empty_folder("own_example")
        program = self.build(ROOT / "docs" / "your-own-study")
        arguments = ("--quick", "--rounds", 3)
        results = self.compared(program, *arguments)
        wanted = {(model, stage) for model in self.models for stage in ("collapse", "levels")}
        self.assertEqual(self.passed(results, "smooth"), wanted)
        facts = results["provenance"]
        self.assertIn("-O3", facts["kokkos flags"])
        if OPENACC:
            self.assertIn("referee_openacc", facts.get("openacc library", "referee_openacc"))
        small = ("--set", "rows=50", "--set", "columns=40", "--workers", 4, "--vector", 8, "--items", "1,2")
        self.run_it(program, "sweep", "smooth", "--rounds", 1, *small)
        self.assertIn("smooth", self.run_it(program, "tune", "smooth", *small))
        self.assertIn("no study 'vadd'; there are: smooth", self.run_it(program, "run", "vadd", status=2))
        if shutil.which("python3") and not subprocess.run(
            ["python3", "-c", "import matplotlib, jinja2"], check=False, capture_output=True
        ).returncode:
            self.compared(program, *arguments, "--report", "report")
            self.assertIn("smooth", (self.folder / "report" / "index.html").read_text(encoding="utf-8"))


class SecondExample(OwnStudy):
    """docs/second-example: a step of the program before and after its port, from their own sources."""

    def test_before_against_after(self) -> None:
        self.empty_folder("own_second_example")
        program = self.build(ROOT / "docs" / "second-example" / "study")
        wanted = {(model, "advance") for model in self.models}
        results = self.compared(program, "--quick", "--rounds", 6)
        self.assertEqual(self.passed(results, "waves_step"), wanted)
        (case,) = results["cases"]
        if OPENACC:
            self.assertIn("twins", {one["kind"] for one in case["comparisons"]})
        for nx, ny in ((1, 20), (20, 1), (33, 47)):
            sizes = ("--set", f"nx={nx}", "--set", f"ny={ny}", "--rounds", 1)
            self.assertEqual(self.passed(self.compared(program, "waves_step", *sizes), "waves_step"), wanted)


class Wrong(OwnStudy):
    """Studies that must be refused before anything is measured, each with a message and exit status 2."""

    def test_each_is_refused(self) -> None:
        self.empty_folder("own_wrong")
        program = self.build(ROOT / "tests" / "own_study" / "wrong")
        none = () if OPENACC else ("--openacc-library", "none")
        reasons = {
            "no_array": "no_array: no array is compared; name those that the kernels write as out<TYPE>",
            "twice": "twice: x and y are the same memory, at least in part; name an array once",
            "lenient": "lenient: its check passes before any kernel has run (as ever)",
        }
        if OPENACC:
            reasons["lacking"] = "lacks kernel: there is no function gangway_lacking_kernel in it. Write it in"
        for study, reason in reasons.items():
            for command in ("run", "compare"):
                with self.subTest(f"{command} {study}"):
                    said = self.run_it(program, command, study, *none, status=2)
                    self.assertIn(reason, said)
                    self.assertNotIn("terminate", said)
        if OPENACC:  # what it lacks need not be there if nobody asks for it
            self.run_it(program, "run", "lacking", "--openacc-library", "none")
            self.assertIn("lacking: OpenACC library", self.run_it(program, "compare", status=2))


if __name__ == "__main__":
    unittest.main()
