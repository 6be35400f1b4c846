# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What CMake decides while it configures: which sources of a study are built, and what counts as a device.

    CMAKE=cmake KOKKOS_DIR=…/lib/cmake/Kokkos python3 tests/build_system/build_system_test.py
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = os.environ.get("CMAKE", "cmake")
KOKKOS_DIR = os.environ.get("KOKKOS_DIR", "")
GENERATOR = os.environ.get("GENERATOR", "Ninja")

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

    def cmake(self, source: Path, *arguments: str) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [CMAKE, "-G", GENERATOR, "-S", source, "-B", self.folder / "build", *arguments],
            capture_output=True, text=True, check=False, timeout=300,
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
            f'gangway_study_sources({self.study} "{yardsticks}" sources)\n'
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
        self.assertEqual(self.built(), ["vadd.cpp", "kokkos.cpp"])
        self.assertEqual(
            self.built("std;openmp"), ["vadd.cpp", "kokkos.cpp", "yardstick_openmp.cpp"]
        )

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


if __name__ == "__main__":
    unittest.main()
