# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway-check-cuda: what it gives nvcc and makes of the answer. A stand-in for nvcc refuses a source in which REFUSED
stands and warns of WARNED, so this runs without CUDA; `tests/planted cuda-own` asks the real one.

    python3 tests/check_cuda/check_cuda_test.py
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / "tools" / "check-cuda" / "gangway-check-cuda"

NVCC = f"""\
#!{sys.executable}
import pathlib, sys
arguments = sys.argv[1:]
source = arguments[arguments.index("-c") + 1]
with open({{log!r}}, "a") as log:
    log.write("\\0".join(arguments) + "\\n")
text = pathlib.Path(source).read_text()
if "WARNED" in text:
    print(source + "(1): warning #177-D: variable was declared but never referenced")
if "REFUSED" in text:
    print(source + "(1): error: identifier is undefined in device code")
    sys.exit(2)
"""


class CheckCuda(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway check cuda ")  # blanks are allowed in paths
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()
        self.log = self.folder / "log"
        programs = self.folder / "programs"
        programs.mkdir()
        self.write("programs/nvcc", NVCC.format(log=str(self.log))).chmod(0o755)
        self.write("programs/g++", "#!/bin/sh\n").chmod(0o755)
        self.kokkos = self.folder / "kokkos"
        self.write("kokkos/include/kokkos/Kokkos_Core.hpp", "")
        self.write("kokkos/include/kokkos/KokkosCore_config.h", "#define KOKKOS_ENABLE_OPENMP\n")
        self.environment = {name: value for name, value in os.environ.items() if name != "Kokkos_ROOT"}
        self.environment["PATH"] = f"{programs}:/usr/bin:/bin"

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def check(self, *arguments: object, kokkos: bool = True, command: Path = COMMAND) -> subprocess.CompletedProcess:
        of_kokkos = ["--kokkos", self.kokkos] if kokkos else []
        return subprocess.run(
            [str(part) for part in ("bash", command, *of_kokkos, *arguments)],
            capture_output=True, text=True, timeout=60, env=self.environment, cwd=self.folder,
        )  # fmt: skip

    def calls(self) -> list[list[str]]:
        return [line.split("\0") for line in self.log.read_text(encoding="utf-8").splitlines()]

    def test_options_reach_nvcc(self) -> None:
        self.write("port.cpp", "")
        done = self.check("-I", "a b", "-Iother", "-D", "N=3", "-DREAL=double", "-U", "X", "-isystem", "sys",
                          "-include", "first.hpp", "--architecture", "sm_80", "port.cpp")  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 sources looked at, 0 failed", done.stdout)
        (call,) = self.calls()
        given = " ".join(call)
        for words in ("-I a b -Iother -D N=3 -DREAL=double -U X -isystem sys -include first.hpp", "-arch=sm_80",
                      "-x cu -c port.cpp", f"-isystem {self.kokkos}/include/kokkos"):  # fmt: skip
            self.assertIn(words, given)
        # Gangway's own headers, and the overlay before Kokkos'.
        self.assertIn(f"-I{ROOT / 'src'}", call)
        overlay = call.index(f"-I{ROOT / 'tools' / 'check-cuda' / 'overlay'}")
        self.assertLess(overlay, call.index(f"{self.kokkos}/include/kokkos"))

    def test_a_failure_that_was_mended_is_forgotten(self) -> None:
        for folder in ("", ".hidden/"):
            with self.subTest(folder):
                good = self.write(f"{folder}good.cpp", "")
                port = self.write(f"{folder}port.cpp", "REFUSED")
                done = self.check(good, port, "-j", "1")
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{port} FAILED\n{port}(1): error: identifier is undefined", done.stdout)
                self.assertIn("2 sources looked at, 1 failed", done.stdout)
                port.write_text("", encoding="utf-8")
                self.assertEqual(self.check(good, port).returncode, 0)
                self.assertEqual(self.check(good).returncode, 0)

    def test_a_warning_is_shown(self) -> None:
        port = self.write("port.cpp", "WARNED")
        done = self.check(port)
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{port}(1): warning #177-D", done.stdout)

    def test_a_kokkos_with_cuda_is_taken_as_it_is(self) -> None:
        self.write("kokkos/include/kokkos/KokkosCore_config.h", "#define KOKKOS_ENABLE_CUDA\n")
        self.write("port.cpp", "")
        self.assertEqual(self.check("port.cpp").returncode, 0)
        self.assertNotIn("overlay", " ".join(self.calls()[0]))

    def test_kokkos_root(self) -> None:
        self.write("port.cpp", "")
        self.environment["Kokkos_ROOT"] = str(self.kokkos)
        self.assertEqual(self.check("port.cpp", kokkos=False).returncode, 0)

    def test_installed(self) -> None:
        """In bin, with what it needs in share and the Kokkos of the build noted there."""
        for name in ("functions", "overlay/KokkosCore_config.h"):
            text = (COMMAND.parent / name).read_text(encoding="utf-8")
            self.write(f"prefix/share/gangway/check-cuda/{name}", text)
        self.write("prefix/share/gangway/check-cuda/kokkos", f"{self.kokkos}\n")
        self.write("prefix/include/gangway/gangway.hpp", "")
        installed = self.write("prefix/bin/gangway-check-cuda", COMMAND.read_text(encoding="utf-8"))
        self.write("port.cpp", "")
        done = self.check("port.cpp", kokkos=False, command=installed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        (call,) = self.calls()
        self.assertIn(f"-I{self.folder}/prefix/include", call)
        self.assertIn(f"-I{self.folder}/prefix/share/gangway/check-cuda/overlay", call)

    def test_help_says_what_it_cannot_see(self) -> None:
        done = self.check("--help", kokkos=False)
        self.assertEqual(done.returncode, 0)
        page = " ".join((ROOT / "docs" / "check-cuda.md").read_text(encoding="utf-8").split())
        _, _, unseen = done.stdout.partition("It cannot see")
        points = [line.removeprefix("  - ") for line in unseen.splitlines() if line.startswith("  - ")]
        self.assertGreater(len(points), 5)
        for point in points:
            self.assertIn(point, page)  # the page says the same

    def test_bad_usage(self) -> None:
        port = self.write("port.cpp", "")
        for arguments, said in (
            ((), "no source is named"),
            (("missing.cpp",), "no source missing.cpp"),
            ((self.folder,), f"no source {self.folder}"),
            (("--frobnicate", port), "unknown option --frobnicate"),
            ((port, "-I"), "-I needs a value"),
            ((port, "-j", "0"), "-j 0 is no number"),
            ((port, "--kokkos", "/nowhere"), "no Kokkos_Core.hpp in /nowhere"),
        ):
            with self.subTest(arguments):
                done = self.check(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(said, done.stderr)
        done = self.check(port, kokkos=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("which Kokkos?", done.stderr)
        self.assertFalse(self.log.exists())


class ByRun(unittest.TestCase):
    def test_own_sources_are_passed_on(self) -> None:
        """`./run check-cuda` hands options, and sources outside of the project, to it."""
        for arguments, said in ((["--help"], "usage: gangway-check-cuda"), (["-Q"], "unknown option -Q")):
            done = subprocess.run(
                [ROOT / "run", "check-cuda", *arguments], capture_output=True, text=True, timeout=60,
                env={**os.environ, "GANGWAY_TOOL_ROOT": "/"}, check=False,
            )  # fmt: skip
            self.assertIn(said, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
