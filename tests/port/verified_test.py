#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Translations with --verify: right ones are not blamed, and one that is made wrong is.

    tests/port/verified_test.py --build build/openmp

The features are translated with --verify, and the test that runs their translations is built with these. It has to
pass as it does without, with GANGWAY_VERIFY=1 too, and no construct may differ from its original. Then some kernels
are made wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def command_of(build: Path, source: str) -> list[str]:
    """How the build compiles the source."""
    printed = subprocess.run(["ninja", "-C", build, "-t", "commands", "port_test"], capture_output=True, text=True, check=True)
    return shlex.split(next(line for line in printed.stdout.splitlines() if line.endswith(source)))


def link_of(build: Path) -> list[str]:
    printed = subprocess.run(["ninja", "-C", build, "-t", "commands", "port_test"], capture_output=True, text=True, check=True)
    return shlex.split(printed.stdout.splitlines()[-1].removeprefix(": && ").removesuffix(" && :"))


def compile_to(build: Path, made: Path, source: Path, *flags: str) -> None:
    """Compiles the source as the build compiles the translator's tests."""
    command = command_of(build, "run_test.cpp")
    command[command.index("-o") + 1] = str(made)
    command[-1] = str(source)
    del command[command.index("-MD")], command[command.index("-MT") : command.index("-MT") + 2]
    del command[command.index("-MF") : command.index("-MF") + 2]
    subprocess.run([*command, "-w", "-O1", *flags], cwd=build, check=True)


def link_to(build: Path, program: Path, made: Path, *flags: str) -> None:
    link = link_of(build)
    link[link.index("-o") + 1] = str(program)
    link = [str(made) if word.endswith("run_test.cpp.o") else word for word in link if not word.startswith("-Wl,--dep")]
    subprocess.run([*link, *flags], cwd=build, check=True)


class Bench:
    def __init__(self, build: Path, folder: Path) -> None:
        self.build, self.folder = build, folder
        self.reports = {}
        (folder / "features").mkdir()
        for header in (HERE / "features").glob("*.h"):
            (folder / "features" / header.name).write_bytes(header.read_bytes())
        for source in sorted(path for path in (HERE / "features").iterdir() if path.suffix in (".cpp", ".c")):
            done = subprocess.run(
                [build / "bin" / "gangway-port", source, "--verify", "--output", folder / "out", "--json", "-"],
                capture_output=True, check=False)  # fmt: skip
            self.reports[source.name] = json.loads(done.stdout)
            (folder / "out" / source.with_suffix(".cpp").name).rename(folder / "features" / f"{source.name}.expected")
        (folder / "run_test.cpp").write_bytes((HERE / "run_test.cpp").read_bytes())

    def make(self) -> Path:
        """The test's program, of the translations as they are now."""
        made, program = self.folder / "run_test.o", self.folder / "run"
        compile_to(self.build, made, self.folder / "run_test.cpp", f"-I{HERE}")
        link_to(self.build, program, made)
        return program

    def run(self, program: Path, verify: str) -> tuple[int, str, list[dict]]:
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        environment = {**os.environ, "GANGWAY_VERIFY": verify and f"{verify},report={report}"}
        shared = [] if not verify else ["--gtest_filter=-*shared*"]
        done = subprocess.run([program, "--gtest_brief=1", *shared], capture_output=True, text=True, env=environment, check=False)
        return done.returncode, done.stdout + done.stderr, json.loads(report.read_text())["constructs"] if report.exists() else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="a build of this project by Ninja")
    options = parser.parse_args()
    failed = []

    def check(is_right: bool, message: str) -> None:
        if not is_right:
            failed.append(message)
            print(f"FAILED: {message}", flush=True)

    with tempfile.TemporaryDirectory(prefix="gangway-verified-") as name:
        bench = Bench(options.build.resolve(), Path(name))
        for file, report in bench.reports.items():
            said = [note["text"] for one in report["files"] for remark in one["directives"]
                    for note in remark.get("notes", ()) if note["code"] == "GW1021"]  # fmt: skip
            flaws = [remark for one in report["files"] for remark in one["remarks"] if remark["code"] in ("GW1015", "GW1016")]
            check(not flaws, f"{file}: with --verify it is no C++: {flaws}")
            text = (bench.folder / "features" / f"{file}.expected").read_text()
            # By itself a source whose kernels call another's functions is refused.
            check("gangway::verify(" in text or bool(said) or "across" in file, f"{file}: nothing is verified")
        program = bench.make()
        status, text, _ = bench.run(program, "")
        check(status == 0 and "gangway verify" not in text, f"without GANGWAY_VERIFY: {text}")
        status, text, constructs = bench.run(program, "1")
        check(status == 0, f"with GANGWAY_VERIFY=1: {text}")
        compared = [one for one in constructs if one["compared"] > 0]
        check(len(compared) > 100, f"only {len(compared)} constructs are compared")
        for one in constructs:
            check(one["wrong"] + one["unstable"] + one["stale"] == 0, f"{one['file']}:{one['line']}: {one['first']}")

        # Faults in the kernels of all files at once: each is named, and no construct besides.
        wanted = set()
        for file in ("arrays.cpp", "data.cpp", "loops.cpp", "teams.cpp", "traps.cpp"):
            place = bench.folder / "features" / f"{file}.expected"
            text = place.read_text()
            found = list(re.finditer(r'gangway::verify\(\s*"([^"]+)",.*?\},\s*\[&\] \{\n(.*?\n) *\}[,)]', text, re.S))
            for match in found[::3]:
                kernel = match.group(2)
                wrong = re.sub(r"(_view\([^;=]*\)) [-+*]?= ", r"\1 = 100 + ", kernel, count=1)
                if wrong != kernel and text.count(kernel) == 1:
                    text = text.replace(kernel, wrong)
                    wanted.add(match.group(1))
            place.write_text(text)
        check(len(wanted) >= 10, f"only {len(wanted)} faults were planted")
        status, text, constructs = bench.run(bench.make(), "trust-original")
        check(status == 1, "a program with faults ended well")
        found = {one["construct"] for one in constructs if one["wrong"] + one["unstable"] > 0}
        check(found == wanted, f"found but not planted {found - wanted}; planted but not found {wanted - found}: {text}")
        print(f"{len(compared)} constructs were compared; {len(found)} of {len(wanted)} planted faults were found")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
