# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CMake decides while it configures: which sources of a study are built, what counts as a device, and what an
OpenACC compiler is given.

    CMAKE=cmake KOKKOS_DIR=…/lib/cmake/Kokkos python3 tests/build_system/build_system_test.py
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("CMAKE", "cmake")
KOKKOS_DIR = os.environ.get("KOKKOS_DIR", "")
GENERATOR = os.environ.get("GENERATOR", "Ninja")
GCC = shutil.which("g++-16") or shutil.which("g++") or ""
DECOMPOSE = "--param=openacc-kernels=decompose"

# A project in no language, so that configuring it takes no compiler: calls FUNCTION(ARGUMENT…) of FILE.
PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(configured LANGUAGES NONE)
{setting}
include({root}/cmake/{file})
{call}
"""


class ConfigureTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-configure-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def cmake(self, source: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [CMAKE, "-G", GENERATOR, "-S", source, "-B", self.folder / "build", *arguments],
            capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **environment},
        )  # fmt: skip
        # CMake breaks the lines of a message where it likes.
        done.stderr = " ".join(done.stderr.split())
        return done

    def configure(self, file: str, call: str, setting: str = "") -> subprocess.CompletedProcess:
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        text = PROJECT.format(root=ROOT, file=file, call=call, setting=setting)
        (project / "CMakeLists.txt").write_text(text, encoding="utf-8")
        return self.cmake(project)


class Studies(ConfigureTest):
    """gangway_study_sources on a study that is made up."""

    def setUp(self) -> None:
        super().setUp()
        self.study = self.folder / "vadd"
        self.study.mkdir()
        for name in ("README.md", "vadd.hpp", "vadd.cpp", "kokkos.cpp", "openacc.cpp", "test.cpp"):
            (self.study / name).touch()

    def sources(self, yardsticks: str = "") -> subprocess.CompletedProcess:
        return self.configure(
            "study_sources.cmake",
            f'gangway_study_sources({self.study} "{yardsticks}" sources DOCUMENTED)\n'
            'message(STATUS "sources: ${sources}")',
        )

    def built(self, yardsticks: str = "") -> list[str]:
        done = self.sources(yardsticks)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (line,) = [line for line in done.stdout.splitlines() if line.startswith("-- sources: ")]
        paths = [Path(path) for path in line.removeprefix("-- sources: ").split(";")]
        self.assertEqual({path.parent for path in paths}, {self.study})
        return [path.name for path in paths]

    def refused(self, *words: str) -> None:
        done = self.sources()
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_what_is_built(self) -> None:
        self.assertEqual(self.built(), ["vadd.cpp", "kokkos.cpp"])
        self.assertEqual(self.built("std;openmp"), ["vadd.cpp", "kokkos.cpp"])
        (self.study / "yardstick_openmp.cpp").touch()
        (self.study / "yardstick_cuda.cpp").touch()
        (self.study / "packs.hpp").touch()
        (self.study / "openacc_private.cpp").touch()
        self.assertEqual(self.built(), ["vadd.cpp", "kokkos.cpp"])
        self.assertEqual(
            self.built("std;openmp"), ["vadd.cpp", "kokkos.cpp", "yardstick_openmp.cpp"]
        )

    def test_a_single_file_for_both_models(self) -> None:
        (self.study / "kokkos.cpp").unlink()
        (self.study / "openacc.cpp").unlink()
        self.assertEqual(self.built(), ["vadd.cpp"])

    def test_a_name_that_no_rule_knows(self) -> None:
        for name in ("yardstick_openmpi.cpp", "yardstick.cpp", "tests.cpp", "yardstick_std.cc",
                     "yardstick_cuda.cu"):  # fmt: skip
            with self.subTest(name):
                file = self.study / name
                file.touch()
                self.refused(f"{file} would be compiled by nothing", "yardstick_openmp.cpp", ".hpp")
                file.unlink()

    def test_a_study_that_lacks_a_file(self) -> None:
        for name in ("README.md", "vadd.cpp", "kokkos.cpp", "openacc.cpp"):
            with self.subTest(name):
                file = self.study / name
                file.rename(self.folder / name)
                self.refused(f"The study vadd has no {name}", str(file))
                (self.folder / name).rename(file)

    def test_a_file_that_was_misnamed(self) -> None:
        (self.study / "kokkos.cpp").rename(self.study / "kokos.cpp")
        self.refused("The study vadd has no kokkos.cpp")


class Program(ConfigureTest):
    """What gangway_add_studies refuses."""

    def refused(self, arguments: str, *words: str) -> None:
        done = self.configure("studies.cmake", f"gangway_add_studies({arguments})")
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_what_cannot_be_meant(self) -> None:
        self.refused("FOLDERS one", "a target and at least one folder are needed")
        self.refused("TARGET referee", "a target and at least one folder are needed")
        self.refused("TARGET referee FOLDERS one two/ a/one", "two of the folders are called one", "project/a/one")


class Device(ConfigureTest):
    """GANGWAY_DEVICE, from what a Kokkos says of itself."""

    def device(self, *backends: str) -> subprocess.CompletedProcess:
        setting = "\n".join(f"set(Kokkos_ENABLE_{backend} ON)" for backend in backends)
        call = 'message(STATUS "device: ${GANGWAY_DEVICE}")'
        return self.configure("device.cmake", call, setting)

    def test_is_what_kokkos_has(self) -> None:
        for backends, device in (
            ((), "none"),
            (("SERIAL", "OPENMP"), "none"),
            (("THREADS",), "none"),
            (("SERIAL", "CUDA"), "cuda"),
            (("HIP", "OPENMP"), "hip"),
            (("SYCL", "SERIAL"), "sycl"),
        ):
            with self.subTest(backends):
                done = self.device(*backends)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn(f"-- device: {device}\n", done.stdout)

    def test_an_unknown_device_is_no_host(self) -> None:
        for backend in ("OPENMPTARGET", "OPENACC"):
            done = self.device("SERIAL", backend)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"by its backend {backend}, which Gangway does not know", done.stderr)

    def test_one_that_is_wanted(self) -> None:
        presets = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))["configurePresets"]
        for name in ("cuda", "hip"):
            (preset,) = [one for one in presets if one["name"] == name]
            self.assertEqual(preset["cacheVariables"]["GANGWAY_WANTED_DEVICE"], name)
            shutil.rmtree(self.folder / "build", ignore_errors=True)
            setting = f"set(GANGWAY_WANTED_DEVICE {name})\nset(Kokkos_DIR /opt/kokkos)\nset(Kokkos_ENABLE_OPENMP ON)"
            done = self.configure("device.cmake", "", setting)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"The Kokkos in /opt/kokkos is not built for {name}; name one that is", done.stderr)
            done = self.configure("device.cmake", "", f"{setting}\nset(Kokkos_ENABLE_{name.upper()} ON)")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_nothing_else_asks_kokkos(self) -> None:
        files = [*ROOT.glob("CMakeLists.txt"), *ROOT.glob("cmake/*.cmake")]
        for folder in ("src", "apps", "bench", "tests", "tools"):
            files += [*(ROOT / folder).rglob("CMakeLists.txt"), *(ROOT / folder).rglob("*.cmake")]
        self.assertGreater(len(files), 15)
        for file in files:
            if file != ROOT / "cmake" / "device.cmake":
                asked = r"Kokkos_ENABLE_(CUDA|HIP|SYCL)"
                self.assertNotRegex(file.read_text(encoding="utf-8"), asked, str(file))


@unittest.skipUnless(KOKKOS_DIR, "KOKKOS_DIR names no Kokkos")
class FakedDevice(ConfigureTest):
    """The whole project, configured with a Kokkos of the host that says it had another backend."""

    def compiled(self, backend: str) -> list[dict]:
        """What would be compiled, as compile_commands.json has it."""
        fake = self.folder / "kokkos"
        fake.mkdir()
        version = Path(KOKKOS_DIR) / "KokkosConfigVersion.cmake"
        (fake / version.name).write_text(version.read_text(encoding="utf-8"), encoding="utf-8")
        (fake / "KokkosConfig.cmake").write_text(
            f'include("{KOKKOS_DIR}/KokkosConfig.cmake")\nset(Kokkos_ENABLE_{backend} ON)\n',
            encoding="utf-8",
        )
        options = ("OPENACC", "TESTS", "BENCHMARKS", "INSTALL")
        done = self.cmake(
            ROOT, f"-DKokkos_DIR={fake}", "-DGANGWAY_NATIVE=ON", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            *(f"-DGANGWAY_{option}=OFF" for option in options),
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        database = self.folder / "build" / "compile_commands.json"
        return json.loads(database.read_text(encoding="utf-8"))

    def taken_for_a_device(self, backend: str) -> None:
        commands = self.compiled(backend)
        names = {Path(command["file"]).name for command in commands}
        self.assertIn("kokkos.cpp", names)
        for yardstick in ("std", "openmp", "blas", "cuda"):
            self.assertNotIn(f"yardstick_{yardstick}.cpp", names)
        for command in commands:
            self.assertNotIn("-march=native", command["command"])

    def test_hip(self) -> None:
        self.taken_for_a_device("HIP")

    def test_sycl(self) -> None:
        self.taken_for_a_device("SYCL")

    def test_a_host(self) -> None:
        """As it is without a device: what the tests above look for can be there."""
        names = {Path(command["file"]).name for command in self.compiled("SERIAL")}
        self.assertIn("yardstick_std.cpp", names)


class OpenAccSide:
    """The OpenACC side configured by itself, with a compiler that is not quite one."""

    def side(self, compiler: Path, *options: str, **environment: str) -> subprocess.CompletedProcess:
        # What stands in for a compiler is nothing for ccache.
        environment["CMAKE_CXX_COMPILER_LAUNCHER"] = ""
        return self.cmake(
            ROOT / "src" / "openacc", f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
            *options, **environment,
        )  # fmt: skip

    def compiled(self) -> dict[tuple[str, str], list[str]]:
        """What would be compiled: the arguments, by target and by study (or file)."""
        database = json.loads((self.folder / "build" / "compile_commands.json").read_text(encoding="utf-8"))
        found = {}
        for entry in database:
            target = entry["output"].partition("CMakeFiles/")[2].partition(".dir/")[0]
            file = Path(entry["file"])
            name = file.parent.name if file.name == "openacc.cpp" else file.name
            found[target, name] = shlex.split(entry["command"])
        return found

    def told(self, library: str) -> list[str]:
        """Compiler and flags, as the library would tell them."""
        text = (self.folder / "build" / f"{library}_told.cpp").read_text(encoding="utf-8")
        return re.findall(r'return "(.*)";', text)


@unittest.skipUnless(GCC, "no g++ to stand behind it")
class Nvcxx(OpenAccSide, ConfigureTest):
    """What nvc++ would be given, by a stand-in that takes only what is documented for nvc++."""

    NVCXX = Path(__file__).resolve().parent / "nvc++"

    def build(self, target: str, *options: str, unknown: str = "") -> None:
        environment = {"STAND_IN_CXX": GCC, "STAND_IN_UNKNOWN": unknown}
        options = (f"-DGANGWAY_OPENACC_TARGET={target}", "-DGANGWAY_OPENACC_NATIVE=ON", *options)
        done = self.side(self.NVCXX, *options, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("The CXX compiler identification is NVHPC", done.stdout)
        done = subprocess.run(
            [CMAKE, "--build", self.folder / "build", "--target", "gangway_openacc"],
            capture_output=True, text=True, check=False, timeout=300, env={**os.environ, **environment},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for arguments in self.compiled().values():
            self.assertFalse([one for one in arguments if re.match(r"-f(openacc|offload)|-m|--param|-Wall", one)])

    def library(self) -> ctypes.CDLL:
        loaded = ctypes.CDLL(str(self.folder / "build" / "libgangway_openacc.so"))
        for name in ("gangway_openacc_compiler", "gangway_openacc_flags"):
            getattr(loaded, name).restype = ctypes.c_char_p
        return loaded

    def test_gpu(self) -> None:
        self.build("gpu")
        library = self.library()
        self.assertEqual(library.gangway_openacc_compiler(), b"NVHPC 26.1.0")
        self.assertEqual(
            library.gangway_openacc_flags(),
            b"-fast -O3 -DNDEBUG -tp=native -Minfo=accel -acc=gpu -gpu=ccnative,nordc,mem:separate",
        )
        studies = {name for _, name in self.compiled()}
        self.assertTrue({"runtime.cpp", "vadd", "transpose"} <= studies)
        # What has a library of its own is found by the handle of the one that links it.
        self.assertTrue((self.folder / "build" / "libgangway_openacc_private_transpose.so").exists())
        for name in ("gangway_transpose_naive", "gangway_transpose_cached"):
            self.assertTrue(hasattr(library, name), name)
        self.assertFalse((self.folder / "build" / "libgangway_openacc_decompose.so").exists())

    def test_multicore(self) -> None:
        self.build("multicore", "-DGANGWAY_OPENACC_STUDIES=vadd;nested")
        told = b"-fast -O3 -DNDEBUG -tp=native -Minfo=accel -acc=multicore"
        self.assertEqual(self.library().gangway_openacc_flags(), told)
        studies = [name for target, name in self.compiled() if target == "gangway_openacc_in_both"]
        self.assertEqual(sorted(studies), ["nested", "runtime.cpp", "vadd"])

    def test_host_by_an_older_sdk(self) -> None:
        self.build("host", "-DGANGWAY_OPENACC_STUDIES=transpose", unknown="native")
        told = b"-fast -O3 -DNDEBUG -Minfo=accel -acc=host"
        self.assertEqual(self.library().gangway_openacc_flags(), told)

    def test_a_gpu_by_an_older_sdk(self) -> None:
        options = ("-DGANGWAY_OPENACC_GPU_ARCH=cc80", "-DGANGWAY_OPENACC_STUDIES=saxpy")
        self.build("gpu", *options, unknown="mem:separate")
        told = b"-fast -O3 -DNDEBUG -tp=native -Minfo=accel -acc=gpu -gpu=cc80,nordc"
        self.assertEqual(self.library().gangway_openacc_flags(), told)

    def test_what_nvcxx_does_not_know(self) -> None:
        done = self.side(self.NVCXX, "-DCMAKE_CXX_FLAGS=-funroll-loops", STAND_IN_CXX=GCC)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nvc++-Error-Unknown switch: -funroll-loops", done.stderr)
        for option, words in (
            ("-fopenacc", "Unknown switch: -fopenacc"),
            ("-march=native", "Unknown switch: -march=native"),
            ("-acc=cpu", "Switch -acc with unknown keyword cpu"),
            ("-gpu=ccnative,mem:seperate", "Switch -gpu with unknown keyword mem:seperate"),
            ("-tp=natif", "Switch -tp with unknown keyword natif"),
        ):
            done = subprocess.run([self.NVCXX, option, "-c", "x.cpp"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (1, f"nvc++-Error-{words}\n"))


class OpenAccCompiler(ConfigureTest):
    """Which compiler is taken for the OpenACC side, and what is said before anything is built if it will not do."""

    def compiler(self, setting: str) -> subprocess.CompletedProcess:
        return self.configure("openacc.cmake", "", f"set(GANGWAY_DEVICE none)\n{setting}")

    def stand_in(self, offloads: bool, told: str = "gcc version 14.2.0 (made up)") -> Path:
        compiler = self.folder / "g++-14"
        other = "exit 0" if offloads else "echo could not find mkoffload >&2; exit 1"
        compiler.write_text(f'#!/bin/sh\ncase $1 in -v) echo "{told}" >&2 ;; *) {other} ;; esac\n', encoding="utf-8")
        compiler.chmod(0o755)
        return compiler

    def refused(self, setting: str, *words: str) -> None:
        done = self.compiler(setting)
        self.assertNotEqual(done.returncode, 0)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_one_that_is_not_there(self) -> None:
        for name in ("g++-none", "/nowhere/g++"):
            self.refused(f"set(GANGWAY_OPENACC_COMPILER {name})",
                         f"GANGWAY_OPENACC_COMPILER={name}: there is no such program", "-DGANGWAY_OPENACC=OFF")  # fmt: skip

    def test_one_that_is_there(self) -> None:
        compiler = self.stand_in(offloads=False)
        done = self.compiler(f"set(GANGWAY_OPENACC_COMPILER {compiler})")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"-- OpenACC for host: {compiler}\n", done.stdout)

    def test_none_is_named_or_found(self) -> None:
        self.refused('set(CMAKE_FIND_ROOT_PATH /nowhere)\nset(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)',
                     "No compiler with OpenACC was found")  # fmt: skip

    def test_a_gcc_that_writes_for_no_gpu(self) -> None:
        setting = f"set(GANGWAY_OPENACC_TARGET gpu)\nset(GANGWAY_OPENACC_COMPILER {self.stand_in(offloads=False)})"
        self.refused(setting, "does not compile OpenACC for NVIDIA GPUs: could not find mkoffload",
                     "gcc-14-offload-nvptx", "-DGANGWAY_OPENACC=OFF")  # fmt: skip

    def test_what_writes_for_a_gpu(self) -> None:
        for compiler in (self.stand_in(offloads=False, told="nvc++ 26.1-0"), self.stand_in(offloads=True)):
            done = self.compiler(f"set(GANGWAY_OPENACC_TARGET gpu)\nset(GANGWAY_OPENACC_COMPILER {compiler})")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"-- OpenACC for gpu: {compiler}\n", done.stdout)


@unittest.skipUnless(GCC, "no g++")
class Fortran(ConfigureTest):
    """Whether module gangway is built."""

    def have(self, setting: str, **environment: str) -> str:
        project = self.folder / "project"
        project.mkdir(exist_ok=True)
        text = PROJECT.format(root=ROOT, file="fortran.cmake", setting=setting, call='message(STATUS "have: ${GANGWAY_HAVE_FORTRAN}")')
        (project / "CMakeLists.txt").write_text(text, encoding="utf-8")
        done = self.cmake(project, "--fresh", **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_there_is_no_compiler(self) -> None:
        told = self.have("set(GANGWAY_FORTRAN ON)", FC="/nowhere/fortran")
        self.assertIn("-- No Fortran compiler (FC, CMAKE_Fortran_COMPILER): module gangway is left out", told)
        self.assertIn("-- have: FALSE", told)

    def test_it_is_not_wanted(self) -> None:
        told = self.have("set(GANGWAY_FORTRAN OFF)")
        self.assertIn("-- have: FALSE", told)
        self.assertNotIn("Fortran compiler", told)

    @unittest.skipUnless(shutil.which("gfortran-16"), "there is no gfortran-16")
    def test_the_one_of_the_cxx_compilers_version(self) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "FC"}
        with unittest.mock.patch.dict(os.environ, environment, clear=True):
            told = self.have("set(GANGWAY_FORTRAN ON)\nset(CMAKE_CXX_COMPILER /usr/bin/g++-16)")
        self.assertIn("-- have: TRUE", told)
        self.assertIn("The Fortran compiler identification is GNU 16", told)


class Decompose(OpenAccSide, ConfigureTest):
    """GCC's two modes for `kernels`: which sources are compiled twice, and which cannot be in the second mode."""

    def side_with(self, gcc: str, *options: str) -> None:
        """Configures with what a shell script in front of g++ makes of its arguments."""
        compiler = self.folder / "g++"
        compiler.write_text(f'#!/bin/sh\n{gcc}\nexec {GCC} "$@"\n', encoding="utf-8")
        compiler.chmod(0o755)
        done = self.side(compiler, "-DGANGWAY_OPENACC_STUDIES=vadd;nested;saxpy", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def modes(self) -> dict[str, list[tuple[str, bool]]]:
        """For each study in which targets it is compiled, and whether in the mode."""
        found: dict[str, list[tuple[str, bool]]] = {}
        for (target, name), arguments in sorted(self.compiled().items()):
            found.setdefault(name, []).append((target, DECOMPOSE in arguments))
        return found

    COMMON = [("gangway_openacc_in_both", False)]
    BOTH = [("gangway_openacc", False), ("gangway_openacc_decompose", True)]

    def test_what_has_kernels_is_compiled_twice(self) -> None:
        self.side_with("")
        modes = self.modes()
        self.assertEqual((modes["vadd"], modes["nested"]), (self.BOTH, self.BOTH))
        self.assertEqual((modes["saxpy"], modes["runtime.cpp"]), (self.COMMON, self.COMMON))
        compiler, flags = self.told("gangway_openacc")
        self.assertTrue(compiler.startswith("GCC "), compiler)
        self.assertEqual(flags, "-O3 -DNDEBUG -Wall -Wextra -fopenacc -foffload=disable")
        self.assertEqual(self.told("gangway_openacc_decompose"), [compiler, f"{flags} {DECOMPOSE}"])

    def test_what_meets_an_internal_error(self) -> None:
        self.side_with(
            f'case "$*" in *{DECOMPOSE}*studies/nested/openacc.cpp*) '
            'echo "internal compiler error: in made_up, at nowhere.cc:1" >&2; exit 1 ;; esac'
        )
        modes = self.modes()
        self.assertEqual((modes["vadd"], modes["nested"]), (self.BOTH, self.COMMON))
        self.assertEqual(
            self.told("gangway_openacc_decompose")[1],
            self.told("gangway_openacc")[1] + f" {DECOMPOSE} (internal compiler error, hence without it: nested)",
        )

    def test_not_known_or_not_wanted(self) -> None:
        unknown = f'case "$*" in *{DECOMPOSE}*) echo "unrecognized command-line option" >&2; exit 1 ;; esac'
        for gcc, wanted in ((unknown, "ON"), ("", "OFF")):
            with self.subTest(wanted):
                shutil.rmtree(self.folder / "build", ignore_errors=True)
                self.side_with(gcc, f"-DGANGWAY_OPENACC_DECOMPOSE={wanted}")
                self.assertEqual(self.modes()["vadd"], self.COMMON)
                self.assertFalse((self.folder / "build" / "gangway_openacc_decompose_told.cpp").exists())


if __name__ == "__main__":
    unittest.main()
