# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gangway command from end to end: what it prints, writes and returns.

CTest runs each class on its own, side by side; every test has a folder of its own. By hand:

    GANGWAY=build/openmp/bin/gangway python3 tests/command/command_test.py [CLASS]
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

GANGWAY = Path(os.environ.get("GANGWAY", "build/openmp/bin/gangway")).resolve()
FAKES = GANGWAY.parent / "fake"  # OpenACC libraries that only pretend
REAL = GANGWAY.parent / "libgangway_openacc.so"
SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "results.schema.json"
SKIPPED = 77  # CTest's SKIP_RETURN_CODE

ENVIRONMENT = {
    **os.environ,
    "OMP_PROC_BIND": "false",  # tests share the processors
    "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "2"),
}
for name in ("GANGWAY_OPENACC_LIBRARY", "GANGWAY_REPORT"):
    ENVIRONMENT.pop(name, None)

SMALL = ("--set", "matrix=grid7", "--set", "n=8")
DEFAULT = ("--variant", "default")  # the only one that the pretended libraries have
ALONE = ("--openacc-library", "none")
ONE = ("--openacc-library", REAL)


class CommandTest(unittest.TestCase):
    """Each test has an empty folder, in which the command runs."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-command-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def gangway(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [str(GANGWAY), *map(str, arguments)],
            capture_output=True,
            cwd=self.folder,
            env={**ENVIRONMENT, **environment},
            encoding="utf-8",
            errors="surrogateescape",
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )

    def right(self, *arguments: object) -> str:
        """Runs, must succeed without a word on standard error; what was printed."""
        done = self.gangway(*arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def refused(self, *arguments: object, words: tuple = ()) -> str:
        """Runs, must exit with 2 and say why on standard error, and leave nothing behind."""
        before = sorted(self.folder.iterdir())
        done = self.gangway(*arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertNotIn("terminate", done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return done.stderr

    def file(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def results(self, name: str = "a.json") -> dict:
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


class Help(CommandTest):
    def test_help_names_the_commands(self) -> None:
        text = self.right("--help")
        for word in ("list", "info", "run", "compare", "sweep", "tune", "Exit status"):
            self.assertIn(word, text)

    def test_each_command_has_help(self) -> None:
        for command, word in {
            "list": "--json",
            "info": "--openacc-library",
            "run": "--set",
            "compare": "--quick",
            "sweep": "--workers",
            "tune": "--items",
        }.items():
            with self.subTest(command):
                self.assertIn(word, self.right(command, "--help"))

    def test_version(self) -> None:
        self.assertRegex(self.right("--version"), r"^gangway \d+\.\d+\.\d+ .+\n$")

    def test_without_a_command(self) -> None:
        self.refused(words=("a command is needed: list, info, run,", "gangway --help"))

    def test_of_kokkos(self) -> None:
        self.assertIn("--kokkos-num-threads", self.right("info", *ALONE, "--kokkos-help"))

    def test_unknown_command(self) -> None:
        self.refused("compete", words=("compete",))

    def test_unknown_option(self) -> None:
        self.refused("list", "--yaml", words=("--yaml",))


class Listing(CommandTest):
    def test_names_studies_variants_and_keys(self) -> None:
        text = self.right("list")
        for word in ("spmv: ", "vector-1024", "beyond", "--set matrix=guide"):
            self.assertIn(word, text)

    def test_json(self) -> None:
        studies = {study["id"]: study for study in json.loads(self.right("list", "--json"))}
        self.assertEqual(list(studies), sorted(studies))
        spmv = studies["spmv"]
        self.assertEqual(spmv["stages"][:2], ["default", "vector-32"])
        self.assertIn("auto", spmv["beyond"])
        self.assertIs(spmv["sweep"], True)
        self.assertEqual(
            spmv["keys"][0], {"name": "matrix", "default": "guide", "help": spmv["keys"][0]["help"]}
        )
        for study in studies.values():
            self.assertTrue(study["title"] and study["source"] and study["stages"], study["id"])


class Info(CommandTest):
    def test_without_openacc(self) -> None:
        facts = json.loads(self.right("info", "--json", *ALONE))
        self.assertEqual(facts["openacc"], "none")
        for name in ("date", "gangway", "kokkos", "kokkos flags", "processor", "host threads"):
            self.assertTrue(facts[name], name)

    def test_with_an_openacc_library(self) -> None:
        facts = json.loads(self.right("info", "--json", "--openacc-library", FAKES / "host.so"))
        self.assertEqual(facts["openacc compiler"], "Pretend 1.0")
        self.assertEqual(facts["openacc libraries"], "pretend")
        self.assertIn("openacc compiler   Pretend 1.0", self.right(
            "info", "--openacc-library", FAKES / "host.so"))

    def test_devices_memory_and_backends_of_both_models(self) -> None:
        arguments = ("info", "--openacc-library", FAKES / "host.so")
        facts = json.loads(self.right(*arguments, "--json"))
        text = self.right(*arguments)
        for name in ("kokkos backends", "kokkos devices", "host memory", "kokkos compiler",
                     "openacc compiler", "openacc library", "openacc devices", "openacc transfers",
                     "openacc runtime", "openacc launches"):
            with self.subTest(name):
                self.assertTrue(facts[name])
                self.assertRegex(text, rf"(?m)^  {name} +\S")
        self.assertTrue(facts["kokkos"].endswith(facts["kokkos backends"].split(",")[0]))
        total, free = re.fullmatch(r"([\d.]+) GB, ([\d.]+) GB free", facts["host memory"]).groups()
        self.assertGreaterEqual(float(total), float(free))
        self.assertEqual(facts["openacc library"], str(FAKES / "host.so"))

    def test_says_whether_transfers_are_counted(self) -> None:
        facts = json.loads(
            self.right("info", "--json", "--openacc-library", FAKES / "silent_gpu.so")
        )
        self.assertEqual(facts["openacc transfers"], "not reported by its runtime")
        self.assertEqual(facts["openacc memory"], "0.0 GB, 0.0 GB free")

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_the_builds_own_openacc_side(self) -> None:
        facts = json.loads(self.right("info", "--json"))
        self.assertTrue(facts["openacc devices"])
        if facts["openacc device"].startswith("host"):
            self.assertEqual(facts["openacc transfers"], "none on the host")

    def test_the_library_of_the_environment(self) -> None:
        done = self.gangway("info", "--json", GANGWAY_OPENACC_LIBRARY=str(FAKES / "host.so"))
        self.assertEqual(json.loads(done.stdout)["openacc compiler"], "Pretend 1.0")

    def test_options_of_kokkos(self) -> None:
        facts = json.loads(self.right("info", "--json", "--kokkos-num-threads=1", *ALONE))
        self.assertTrue(facts["host threads"].startswith("1,"), facts["host threads"])


class BadUsage(CommandTest):
    def test_unknown_study(self) -> None:
        for command in ("run", "compare", "sweep", "tune"):
            with self.subTest(command):
                self.refused(command, "spvm", words=("no study 'spvm'", "there are: ", "spmv"))

    def test_run_and_sweep_need_one_study(self) -> None:
        for command in ("run", "sweep"):
            self.refused(command, words=("study",))

    def test_unknown_model_or_scope(self) -> None:
        self.refused("run", "spmv", "--model", "cuda", words=("--model", "cuda", "kokkos"))
        self.refused("run", "spmv", "--scope", "all", words=("--scope", "all", "whole"))

    def test_unknown_variant(self) -> None:
        for command in ("run", "compare", "sweep"):
            with self.subTest(command):
                self.refused(
                    command, "spmv", "--variant", "vector-33", *ALONE,
                    words=("spmv has no variant 'vector-33'", "vector-32", "auto"),
                )  # fmt: skip
        self.refused("compare", "--variant", "vector-33", *ALONE, words=("variant 'vector-33'",))

    def test_variants_that_cannot_run(self) -> None:
        for arguments in (
            ("--model", "openacc", *ALONE),
            ("--model", "kokkos", "--variant", "kokkos-kernels"),
            ("--model", "yardstick", "--scope", "whole"),
        ):
            with self.subTest(arguments):
                if "kokkos-kernels" in arguments and "kokkos-kernels" not in self.right("list"):
                    continue
                self.refused("run", "spmv", *SMALL, *arguments, words=("nothing to run", "--model"))

    def test_unknown_key(self) -> None:
        self.refused("run", "spmv", "--set", "size=3", words=("no key 'size'", "it has: matrix, n"))

    def test_set_without_equals(self) -> None:
        for text in ("n", "=3"):
            self.refused("run", "spmv", "--set", text, words=(f"--set {text}: write key=value",))

    def test_a_key_given_twice(self) -> None:
        for command in ("run", "compare", "sweep", "tune"):
            self.refused(
                command, "spmv", "--set", "n=3", "--set", "n=4",
                words=("--set n=4: the key was given before, as n=3",),
            )  # fmt: skip

    def test_set_needs_one_study(self) -> None:
        self.refused("compare", "spmv", "spmv", "--set", "n=3", words=("--set needs one study",))

    def test_sizes(self) -> None:
        for value, word in {
            "0": "out of range",
            "-7": "out of range",
            "many": "is not a whole number",
            "2.5": "is not a whole number",
            "1e30": "out of range",
            "99999999999999999999": "out of range",
            "nan": "is not a whole number",
        }.items():
            with self.subTest(value):
                self.refused("run", "spmv", "--set", f"n={value}", words=(f"spmv: n={value}", word))
        self.refused("sweep", "spmv", "--set", "n=0", *ALONE, words=("n=0", "from 1 to"))

    def test_keys_without_effect(self) -> None:
        for key, whose in {
            "mean=nan": "dense-rows or power-law",
            "mean=4": "dense-rows or power-law",
            "exponent=3": "power-law",
            "unknowns=2": "elements",
            "dense=1": "dense-rows",
        }.items():
            name = key.split("=")[0]
            self.refused(
                "run", "spmv", "--set", "matrix=guide", "--set", key, *ALONE,
                words=(f"spmv: {name} is for matrix={whose}, not for guide",),
            )  # fmt: skip

    def test_sizes_beyond_memory(self) -> None:
        self.refused(
            "run", "spmv", "--set", "matrix=power-law", "--set", "n=2e9", "--set", "mean=1e5", *ALONE,
            words=("this size needs", "GB of memory", "are free here", "smaller"),
        )  # fmt: skip

    def test_rounds(self) -> None:
        for value in ("0", "-1", "some", "1e9"):
            self.refused("run", "spmv", "--rounds", value, words=("--rounds",))

    def test_numbers_are_finite_and_decimal(self) -> None:
        for value in ("0x10", "010", "1_0", "nan"):
            words = (f"'{value}' is not a finite number in decimal",)
            for command in ("run", "compare", "sweep", "tune"):
                self.refused(command, "spmv", "--rounds", value, words=("--rounds: ", *words))
            for command in ("sweep", "tune"):
                for option in ("--workers", "--vector", "--items"):
                    self.refused(
                        command, "spmv", option, f"4,{value}", words=(f"{option}: ", *words)
                    )
        self.refused("run", "spmv", "--set", "n=0x10", words=("n=0x10 is not a whole number",))

    def test_quick_and_full_exclude_each_other(self) -> None:
        self.refused("compare", "spmv", "--quick", "--full", words=("--quick",))

    def test_sweeps(self) -> None:
        for arguments, word in {
            ("--workers", "0"): "from 1 up",
            ("--vector", "-4"): "from 1 up",
            ("--items", "0"): "from 1 up",
            ("--workers", "four"): "--workers",
            ("--workers", "64,128", "--vector", "32"): "at most 1024 threads",
            ("--workers", "2147483647,2", "--vector", "2147483647"): "at most 1024 threads",
        }.items():
            with self.subTest(arguments):
                self.refused("sweep", "spmv", *SMALL, *ALONE, *arguments, words=(word,))

    def test_options_of_kokkos(self) -> None:
        for option in ("--kokkos-num-threads=few", "--kokkos-num-threads=0", "--kokkos-num-threads=",
                       "--kokkos-device-id=-1"):  # fmt: skip
            self.refused("info", option, *ALONE, words=(f"gangway: {option}: ", "a whole number"))


    def test_settings_of_kokkos_and_openacc(self) -> None:
        for name, junk in (("KOKKOS_NUM_THREADS", "few"), ("KOKKOS_DEVICE_ID", "-1"),
                           ("KOKKOS_PRINT_CONFIGURATION", "perhaps")):  # fmt: skip
            done = self.gangway("info", *ALONE, **{name: junk})
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"gangway: {name}={junk}: ", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        if REAL.exists():
            done = self.gangway("info", ACC_DEVICE_NUM="9")
            self.assertEqual(done.returncode, 2)
            self.assertIn("ACC_DEVICE_NUM=9: OpenACC has ", done.stderr)


class Binding(CommandTest):
    """Threads are bound to cores, unless somebody else decides."""

    def threads(self, **environment: str) -> str:
        kept = {k: v for k, v in ENVIRONMENT.items() if k not in ("OMP_PROC_BIND", "OMP_PLACES")}
        if "OMP_NUM_THREADS" not in environment:
            kept.pop("OMP_NUM_THREADS")
        done = subprocess.run(
            [GANGWAY, "info", "--json", *ALONE],
            capture_output=True,
            env={**kept, **environment},
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""), "Kokkos has nothing to say")
        return json.loads(done.stdout)["host threads"]

    def test_is_the_programs_own(self) -> None:
        if "OpenMP" not in json.loads(self.right("info", "--json", *ALONE))["kokkos backends"]:
            self.skipTest("this Kokkos has no threads of OpenMP's")
        said = "OMP_PROC_BIND=spread, OMP_PLACES=cores, set by the program"
        self.assertIn(said, self.threads())

    def test_is_the_users(self) -> None:
        said = self.threads(OMP_PROC_BIND="close", OMP_PLACES="threads")
        self.assertTrue(said.endswith("OMP_PROC_BIND=close, OMP_PLACES=threads"), said)

    def test_leaves_threads_alone_that_do_not_fill_the_machine(self) -> None:
        if len(os.sched_getaffinity(0)) < 2:
            self.skipTest("one processor is always filled")
        said = self.threads(OMP_NUM_THREADS="1")
        self.assertNotIn("spread", said)


class BadOutput(CommandTest):
    def test_is_refused_before_anything_is_run(self) -> None:
        taken = self.file("taken", "mine")
        for option, itself, why in (("--json", ".", "it is a directory"), ("--csv", "taken", "it is not a directory")):
            for path, words in {
                "none/a.json": ("there is no directory none",),
                "taken/a.json": ("there is no directory taken",),
                itself: (why,),
                "/proc/a.json": ("cannot write /proc/a.json",),
            }.items():
                with self.subTest(f"{option} {path}"):
                    self.refused("run", "spmv", option, path, words=("cannot write", *words))
        self.assertEqual(taken.read_text(), "mine")

    def test_names_that_are_empty(self) -> None:
        for option in ("--json", "--csv", "--report", "--openacc-library"):
            words = (f"{option}: the name is empty",)
            self.refused("run", "spmv", *SMALL, option, "", words=words)

    def test_json_and_csv_in_one_place(self) -> None:
        (self.folder / "link").symlink_to("a")
        (self.folder / "there").mkdir()
        for json_file, csv_directory in (("a", "a"), ("./a", self.folder / "a"), ("link", "a"), ("there/environment.json", "there")):
            self.refused(
                "run", "spmv", *SMALL, *ALONE, "--json", json_file, "--csv", csv_directory,
                words=("the CSV would replace the JSON",),
            )  # fmt: skip
        self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1, "--json", "/dev/null", "--csv", "there")

    def test_files_of_the_report(self) -> None:
        (self.folder / "r").mkdir()
        for option, name in (("--csv", "results.json"), ("--json", "index.html")):
            self.refused(
                "run", "spmv", *SMALL, *ALONE, "--report", "r", option, f"r/{name}",
                words=(f"{option} r/{name}: the report's {name} would replace it",),
            )  # fmt: skip

    def test_a_limit_on_the_size_of_files(self) -> None:
        done = subprocess.run(
            # More than the shared memory that LLVM's OpenMP asks for, less than the results.
            ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh", GANGWAY, "run", "spmv", *SMALL, *ALONE,
             "--rounds", "1", "--json", "a.json"],
            capture_output=True, cwd=self.folder, env=ENVIRONMENT, text=True, timeout=300, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("gangway: cannot write a.json: File too large", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_disk(self) -> None:
        done = self.gangway("run", "spmv", *SMALL, *ALONE, "--rounds", 1, "--json", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write /dev/full: No space left", done.stderr)

    def test_a_full_standard_output(self) -> None:
        for arguments in (("list",), ("run", "spmv", *SMALL, *ALONE, "--rounds", "1")):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run(
                    [GANGWAY, *arguments],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    env=ENVIRONMENT,
                    text=True,
                    timeout=300,
                    check=False,
                )
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotIn("terminate", done.stderr)
            self.assertIn("gangway: ", done.stderr)

    def test_standard_streams_that_are_closed_or_full(self) -> None:
        for redirection, status in ((">&-", 2), ("2>&-", 0), (">&- 2>&-", 2), ("2> /dev/full", 0),
                                    ("> /dev/full 2> /dev/full", 2), ("<&-", 0)):  # fmt: skip
            for arguments, failed in (("list", 0), ("nonsense", 2)):
                done = subprocess.run(
                    ["sh", "-c", f'"$0" {arguments} {redirection}', str(GANGWAY)],
                    capture_output=True,
                    env=ENVIRONMENT,
                    timeout=300,
                    check=False,
                )
                self.assertEqual(done.returncode, max(status, failed), (redirection, arguments))


class NoRoom(CommandTest):
    """A device, played by a host, that refuses memory as where cudaMalloc fails."""

    def setUp(self) -> None:
        super().setUp()
        if b"libasan.so" in GANGWAY.read_bytes():
            self.skipTest("AddressSanitizer wants to be the first library of a program")
        if b"libcudart" in GANGWAY.read_bytes() or b"libamdhip64" in GANGWAY.read_bytes():
            self.skipTest("what is refused is a host's memory")

    def no_room(self, least: int, *arguments: object) -> str:
        done = self.gangway(*arguments, *ALONE, "--json", "a.json", LD_PRELOAD=str(FAKES / "refused_memory.so"),
                            REFUSED_BYTES=str(least))  # fmt: skip
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        return done.stderr

    def test_of_an_array(self) -> None:
        said = self.no_room(800000, "run", "vadd", "--set", "n=100000", "--separate-memory", "--rounds", 1)
        self.assertRegex(said, r"^gangway: .*copyin\(a\): 800000 bytes at \S+ find no room on the device "
                               r"\(Kokkos ERROR: .*failed to allocate .*\)\n$")  # fmt: skip

    def test_where_kokkos_cannot_even_end(self) -> None:
        """As on a GPU whose memory is gone to the last byte: the reason is said before Kokkos ends the program."""
        done = self.gangway("run", "vadd", "--set", "n=100000", "--separate-memory", "--rounds", 1, *ALONE,
                            "--json", "a.json", LD_PRELOAD=str(FAKES / "refused_memory.so"), REFUSED_BYTES="800000",
                            KOKKOS_TOOLS_LIBS=str(FAKES / "lost_in_kernel.so"), LOST_AT="end")  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"^gangway: .*copyin\(a\): 800000 bytes at \S+ find no room on the device .*\n"
                                      r"gangway: the program was aborted while it was at work on ")  # fmt: skip
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_of_a_problem(self) -> None:
        said = self.no_room(1000000, "run", "transfer", "--quick", "--rounds", 1)
        self.assertRegex(said, r'^gangway: Kokkos ERROR: .* failed to allocate .*"transfer/pinned".* '
                               r"\(at work on the problem of transfer \d+\)\n$")  # fmt: skip


class OpenAccSide(CommandTest):
    def test_a_missing_library_is_said_and_costs_the_exit_status(self) -> None:
        done = self.gangway(
            "run", "spmv", *SMALL, "--rounds", 1, "--openacc-library", "gone.so", "--json", "a.json"
        )
        self.assertEqual(done.returncode, 2)
        for word in ("gone.so", "No such file", "going on with Kokkos alone", "will be 2", "none"):
            self.assertIn(word, done.stderr)
        self.assertIn("vector-1024", done.stdout)
        models = {m["model"] for m in self.results()["cases"][0]["measurements"]}
        self.assertIn("kokkos", models)
        self.assertNotIn("openacc", models)

    def test_what_is_no_such_library_is_said_too(self) -> None:
        text = self.file("text.so", "not a library")
        for path, word in {
            text: "text.so",
            FAKES / "unrelated.so": "no function gangway_openacc_abi",
            FAKES / "other_abi.so": "version 999",
        }.items():
            done = self.gangway("run", "spmv", *SMALL, "--rounds", 1, "--openacc-library", path)
            self.assertEqual(done.returncode, 2)
            self.assertIn(word, done.stderr)
            self.assertIn("going on with Kokkos alone", done.stderr)

    def test_one_that_lacks_stages_is_refused(self) -> None:
        library = FAKES / "host.so"
        lacks = f"OpenACC library {library} (Pretend 1.0) lacks "
        of_spmv = (f"spmv: {lacks}vector-32, ", "there is no function gangway_spmv_vector_32, ",
                   "Write it in the study's OpenACC source")  # fmt: skip
        for command, words in ((("run", "spmv"), of_spmv), (("compare", "spmv"), of_spmv),
                               (("sweep", "spmv"), of_spmv), (("compare",), (lacks,))):  # fmt: skip
            with self.subTest(command):
                said = self.refused(*command, "--openacc-library", library, words=words)
                self.assertEqual(said.count("\n"), 1)

    def test_a_device_that_is_lost(self) -> None:
        for library, how in (("lost_device.so", "a library ended the program"), ("aborting.so", "the program was aborted")):
            with self.subTest(library):
                said = self.refused("run", "spmv", *SMALL, *DEFAULT, "--rounds", 3, "--openacc-library", FAKES / library,
                                    "--json", "a.json", "--csv", "a",
                                    words=("libgomp: cuStreamSynchronize error: unspecified launch failure\n",
                                           f"gangway: {how} while it was at work on openacc default of spmv;",
                                           "no file was left half-written\n"))  # fmt: skip
                self.assertEqual(said.count("gangway: "), 1)

    def test_without_one_on_purpose(self) -> None:
        self.assertIn("vector-1024", self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1))

    def test_only_openacc_needs_one(self) -> None:
        self.refused(
            "run", "spmv", "--model", "openacc", "--openacc-library", "gone.so", words=("gone.so",)
        )

        self.refused(
            "run", "spmv", "--model", "kokkos,openacc", "--openacc-library", "gone.so",
            words=("gone.so",),
        )  # fmt: skip

    def test_kokkos_alone_needs_none(self) -> None:
        self.right("run", "spmv", *SMALL, "--model", "kokkos", "--rounds", 1,
                   "--openacc-library", "gone.so")  # fmt: skip

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_the_builds_own(self) -> None:
        self.right("run", "spmv", *SMALL, "--rounds", 1, "--json", "a.json")
        ran = {m["variant"] for m in self.results()["cases"][0]["measurements"]
               if m["model"] == "openacc"}  # fmt: skip
        studies = {study["id"]: study for study in json.loads(self.right("list", "--json"))}
        self.assertLessEqual(set(studies["spmv"]["stages"]), ran)
        self.assertNotIn("Kokkos::", self.right("run", "spmv", *SMALL, "--model", "openacc",
                                                "--rounds", 1))  # fmt: skip


class New(CommandTest):
    """gangway new: what it writes; tests/own_study builds it."""

    def test_a_project_with_a_study(self) -> None:
        said = self.right("new", "heat_3d")
        self.assertEqual(
            sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*")),
            ["heat_3d", "heat_3d/CMakeLists.txt", "heat_3d/heat_3d.cpp"],
        )
        source = (self.folder / "heat_3d" / "heat_3d.cpp").read_text(encoding="utf-8")
        self.assertLessEqual(len(source.splitlines()), 60)
        self.assertIn("void gangway_heat_3d_kernel(", source)
        for word in ("heat_3d/heat_3d.cpp", "cmake -S heat_3d", "referee compare heat_3d"):
            self.assertIn(word, said)
        self.assertNotIn("NAME", source + (self.folder / "heat_3d" / "CMakeLists.txt").read_text(encoding="utf-8"))

    def test_elsewhere(self) -> None:
        (self.folder / "kernels").mkdir()
        self.right("new", "one", "--directory", "kernels")
        self.assertTrue((self.folder / "kernels" / "one" / "one.cpp").exists())

    def test_in_the_sources_a_study_is_no_project(self) -> None:
        studies = self.folder / "src" / "studies"
        studies.mkdir(parents=True)
        (studies.parent / "harness").mkdir()
        (studies.parent / "harness" / "one_kernel.hpp").touch()
        self.right("new", "one", "--directory", studies)
        self.assertEqual(sorted(path.name for path in (studies / "one").iterdir()), ["README.md", "one.cpp"])

    def test_names_that_are_taken_or_none(self) -> None:
        self.refused("new", "spmv", words=("there is a study 'spmv' already",))
        for name in ("", "2d", "heat-3d", "a b", "a/b", "..", "_a", "größe", "a" * 65, "a;b", "a\nb"):
            with self.subTest(name):
                self.refused("new", name, words=("no name for a study", "an identifier"))
        self.refused("new", words=("name",))

    def test_places_that_are_taken_or_none(self) -> None:
        (self.folder / "one").mkdir()
        self.refused("new", "one", words=("one is there already", "nothing was written"))
        (self.folder / "two").write_text("a file", encoding="utf-8")
        self.refused("new", "two", words=("two is there already",))
        (self.folder / "three").symlink_to("nowhere")
        self.refused("new", "three", words=("three is there already",))
        self.refused("new", "four", "--directory", "nowhere", words=("--directory nowhere", "no such directory"))
        self.refused("new", "four", "--directory", "two", words=("--directory two",))
        self.refused("new", "four", "--directory", "", words=("--directory", "the name is empty"))


class SeveralOpenAccSides(CommandTest):
    """--openacc-library given more than once."""

    TWO = ("--openacc-library", f"one={FAKES / 'host.so'}", "--openacc-library",
           f"other={FAKES / 'gpu.so'}")  # fmt: skip

    def test_each_is_a_model_of_its_own(self) -> None:
        done = self.gangway("run", "spmv", *SMALL, *DEFAULT, "--rounds", 1, *self.TWO, "--json", "a.json",
                            "--csv", "a")  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (1, ""), "their spmv is wrong")
        for word in ("openacc[one] default FAILED", "openacc[other] default FAILED"):
            self.assertIn(word, done.stdout)
        results = self.results()
        measured = [m for m in results["cases"][0]["measurements"] if m["model"] == "openacc"]
        self.assertEqual([m["library"] for m in measured], ["one", "other"])
        facts = results["provenance"]
        self.assertEqual(facts["openacc libraries"], "one, other")
        self.assertEqual(facts["openacc[other] device"], "nvidia Abacus")
        with open(self.folder / "a" / "measurements.csv", encoding="utf-8", newline="") as file:
            rows = [row["library"] for row in csv.DictReader(file) if row["model"] == "openacc"]
        self.assertEqual(rows, ["one", "other"])

    def test_what_cannot_be_meant(self) -> None:
        host = FAKES / "host.so"
        for given, word in {
            (f"a={host}", f"a={host}"): "the label 'a' was given before",
            (host, "none"): "give it alone",
            ("a=",): "no file after the label",
            (f"a b={host}",): "'a b' is no label",
        }.items():
            options = [part for name in given for part in ("--openacc-library", name)]
            self.refused("run", "spmv", *SMALL, *options, words=(word,))

    def test_the_ones_that_are_there_go_on(self) -> None:
        done = self.gangway("info", "--json", "--openacc-library", f"here={FAKES / 'host.so'}",
                            "--openacc-library", "gone.so")  # fmt: skip
        self.assertEqual(done.returncode, 2)
        self.assertIn("gone.so", done.stderr)
        self.assertIn("going on with Kokkos and OpenACC of here alone", done.stderr)
        self.assertEqual(json.loads(done.stdout)["openacc libraries"], "here")

    def test_runtimes_that_clash_are_compared_in_processes_of_their_own(self) -> None:
        if b"libasan.so" in GANGWAY.read_bytes():
            self.skipTest("AddressSanitizer lets no library look in itself first, and one with a runtime is refused")
        clashing = ("--openacc-library", f"one={FAKES / 'host.so'}", "--openacc-library",
                    f"other={FAKES / 'lonely.so'}")  # fmt: skip
        given = (*SMALL, *DEFAULT, "--rounds", 1, *clashing)
        done = self.gangway("compare", "spmv", *given, "--json", "a.json", "--csv=a", "--report=none")
        self.assertEqual(done.returncode, 1, "their spmv is wrong")
        self.assertIn("need not live together in one process", done.stderr)
        for label in ("one", "other"):
            self.assertIn(f"OpenACC of {label}, compared with Kokkos in a process of its own", done.stdout)
            self.assertIn("default FAILED", done.stdout)
            results = json.loads((self.folder / f"a.{label}.json").read_text(encoding="utf-8"))
            self.assertEqual(results["provenance"]["openacc libraries"], label)
            (case,) = results["cases"]
            self.assertEqual({m["model"] for m in case["measurements"]} - {"yardstick"}, {"kokkos", "openacc"})
            self.assertTrue((self.folder / f"a.{label}" / "ratios.csv").exists())
        self.assertFalse((self.folder / "a.json").exists())
        # Each has the threads that this process would have had, though OpenMP has bound it to one core.
        unbound = {name: value for name, value in ENVIRONMENT.items() if not name.startswith("OMP_")}

        def ran(*arguments: object) -> str:
            return subprocess.run([GANGWAY, *map(str, arguments)], capture_output=True, cwd=self.folder, env=unbound,
                                  text=True, timeout=300, check=False).stdout  # fmt: skip

        ran("compare", "spmv", *given, "--json", "a.json")
        threads = json.loads(ran("info", "--json", *ALONE))["host threads"]
        self.assertEqual(self.results("a.one.json")["provenance"]["host threads"], threads)
        done = self.gangway("run", "spmv", *given)
        self.assertEqual(done.returncode, 1, "a run is of one process, with what that one can load")
        self.assertIn("compare them in two runs", done.stderr)

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_two_real_ones_compared(self) -> None:
        again = self.file("again.so", REAL.read_bytes())
        text = self.right("compare", "vadd", "--set", "n=1000", "--rounds", 6, "--variant",
                          "kernels", "--openacc-library", REAL, "--openacc-library",
                          f"again={again}", "--json", "a.json")  # fmt: skip
        results = self.results()
        first, second = results["provenance"]["openacc libraries"].split(", ")
        self.assertEqual(second, "again")
        (case,) = results["cases"]
        twins = [c for c in case["comparisons"] if c["kind"] == "twins"]
        self.assertEqual([(c["other"], c["library"]) for c in twins],
                         [(f"openacc[{name}]:kernels", name) for name in (first, second)])  # fmt: skip
        self.assertEqual(set(results["summary"]["libraries"]), {first, second})
        for word in (f"{first} is ", "port[again] ", "tuned[again] ", "again is "):
            self.assertIn(word, text)


class Run(CommandTest):
    def test_one_study_on_one_problem(self) -> None:
        text = self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 3, "--json", "a.json",
                          "--csv", "a")  # fmt: skip
        self.assertIn("spmv · as set · scope kernel", text)
        self.assertIn("512 rows", text)
        self.assertNotIn("ceilings", text)
        self.assertRegex(text, r"peak memory \d+ MB\n$")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"a.json", "a"})
        results = self.results()
        (case,) = results["cases"]
        self.assertEqual(case["settings"]["n"], "8")
        timed = [m for m in case["measurements"] if "skipped" not in m]
        self.assertTrue(timed)
        for measurement in timed:
            self.assertTrue(measurement["check"]["passed"])
            self.assertEqual(measurement["check"]["runs"], 4)
            self.assertEqual(len(measurement["seconds"]), 3)
        rows = list(csv.DictReader(io.StringIO((self.folder / "a" / "measurements.csv").read_text("utf-8"))))
        self.assertEqual(
            [(row["model"], row["variant"]) for row in rows],
            [(m["model"], m["variant"]) for m in case["measurements"]],
        )
        for row, measurement in zip(rows, case["measurements"]):
            if "time" in measurement:
                self.assertAlmostEqual(
                    float(row["median"]) / measurement["time"]["median"], 1, 4
                )

    def test_the_first_case_is_run_by_its_name(self) -> None:
        self.right("run", "spmv", "--quick", "--variant", "auto", *ALONE, "--rounds", 1,
                   "--json", "a.json")  # fmt: skip
        (case,) = self.results()["cases"]
        self.assertEqual(case["case"], "guide")

    def test_chosen_variants_model_and_scope(self) -> None:
        self.right("run", "spmv", *SMALL, "--variant", "auto", "--variant", "workers-2", *ALONE,
                   "--scope", "whole", "--rounds", 2, "--json", "a.json")  # fmt: skip
        (case,) = self.results()["cases"]
        self.assertEqual(case["scope"], "whole")
        self.assertEqual([m["variant"] for m in case["measurements"]], ["workers-2", "auto"])
        for models, expected in (
            (("--model", "yardstick"), {"yardstick"}),
            (("--model", "kokkos,yardstick"), {"kokkos", "yardstick"}),
            (("--model", "yardstick", "--model", "kokkos"), {"kokkos", "yardstick"}),
        ):
            with self.subTest(models):
                self.right("run", *models, "spmv", *SMALL, "--rounds", 2, "--json", "a.json")
                (case,) = self.results()["cases"]
                self.assertEqual({m["model"] for m in case["measurements"]}, expected)

    def test_outputs_are_replaced_whole(self) -> None:
        self.file("a.json", "x" * 1_000_000)
        self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1, "--variant", "auto",
                   "--json", "a.json")  # fmt: skip
        self.assertEqual(self.results()["schema"], "gangway-results/1")

    def test_output_into_a_pipe(self) -> None:
        text = self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1, "--variant", "auto",
                          "--json", "/dev/stdout")  # fmt: skip
        self.assertIn('"schema": "gangway-results/1"', text)

    def test_names_that_are_not_utf8(self) -> None:
        name = "caf\udce9.mtx"  # one byte, é in Latin 1
        matrix = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 3\n"
        (self.folder / name).write_text(matrix, encoding="ascii")
        done = self.gangway("run", "spmv", "--set", f"matrix={name}", *ALONE, "--rounds", 1,
                            "--json", "a.json")  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.results()["cases"][0]["settings"]["matrix"], "caf\ufffd.mtx")


class InShort(CommandTest):
    """The lines at the end of a comparison."""

    COUNTS = (
        r"below 1 in (\d+) of (\d+), above 1 in (\d+), no difference shown in (\d+)"
        r"(?:, the machine too busy to tell in (\d+))?"
    )

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_counts_what_the_comparisons_say(self) -> None:
        text = self.right("compare", "spmv", *SMALL, "--rounds", 7, *ONE, "--json", "a.json")
        end = text[text.index("\nin short: "):]
        results = self.results()
        (case,) = results["cases"]
        (study,) = [s for s in json.loads(self.right("list", "--json")) if s["id"] == "spmv"]
        stages = {f"kokkos:{stage}" for stage in study["stages"]}
        for name, kind in {"port": "twins", "tuned": "best"}.items():
            verdicts = [c["verdict"] for c in case["comparisons"]
                        if c["kind"] == kind and (kind == "best" or c["own"] in stages)]  # fmt: skip
            said = re.search(rf"(?m)^  {name} +{self.COUNTS}; ", end)
            self.assertTrue(said, end)
            counted = [verdicts.count("slower"), len(verdicts), verdicts.count("faster"),
                       verdicts.count("no difference"), verdicts.count("machine busy")]  # fmt: skip
            self.assertEqual([int(count or 0) for count in said.groups()], counted)
            tally = results["summary"][name]
            self.assertEqual((tally["below"], tally["above"], tally["no_difference"]),
                             (counted[0], counted[2], counted[3]))  # fmt: skip
        self.assertIn(results["provenance"]["openacc compiler"], end)
        self.assertNotIn("lowest", end, "of one study the tables say it")
        self.assertGreater(case["wall_seconds"], sum(case["measurements"][0]["seconds"]))

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_of_several_studies_names_the_lowest_and_the_highest(self) -> None:
        text = self.right("compare", "pi", "primes", "--quick", "--rounds", 1, *ONE)
        end = text[text.index("\nin short: "):]
        self.assertRegex(end, r", \d+ cases of 2 studies\n")
        self.assertRegex(end, r"\n +lowest  \S+ \[\S+, \S+\]  (pi|primes) \S+: openacc:\S+ over kokk")
        self.assertRegex(end, r"\n +highest \S+ \[")
        self.assertRegex(end, r"too few rounds to tell in \d+; the same stage")
        self.assertLessEqual(end.strip().count("\n") + 1, 10)

    def test_without_openacc(self) -> None:
        text = self.right("compare", "spmv", *SMALL, *ALONE, "--rounds", 1)
        self.assertRegex(text, r"(?m)^  OpenACC +was not measured$")
        self.assertNotIn("below 1 in 0 of 0", text)

    def test_says_how_to_have_a_report(self) -> None:
        text = self.right("compare", "spmv", *SMALL, *ALONE, "--rounds", 1)
        self.assertTrue(text.endswith("report: --report DIR makes a page of this\n"), text[-200:])
        text = self.right("compare", "spmv", *SMALL, *ALONE, "--rounds", 1, "--report", "none")
        self.assertNotIn("report", text)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_says_beforehand_how_long_several_cases_take(self) -> None:
        several = self.right("compare", "spmv", "--quick", *ALONE, "--rounds", 1, "--variant", "auto")
        self.assertRegex(several, r"^\d+ cases with \d+ variants in all: (about|less than) .*minute")
        one = self.right("compare", "spmv", *SMALL, *ALONE, "--rounds", 1)
        self.assertNotIn("variants in all", one)

    def test_of_all_studies_a_line_a_case(self) -> None:
        given = (*ALONE, "--rounds", 1, "--model", "kokkos", "--variant", "auto", "--report", "none")
        text = self.right("compare", *given)
        cases = [line for line in text.splitlines() if re.match(r"\w+ .* (µs|ms|s) auto  +-$", line)]
        self.assertIn(f"{len(cases)} cases with ", text.splitlines()[0])
        self.assertLessEqual(len(text.splitlines()) - len(cases), 18)
        self.assertNotIn("scope kernel", text)
        self.assertIn("scope kernel", self.right("compare", *given, "--verbose"))

    def test_not_of_a_single_run(self) -> None:
        self.assertNotIn("in short", self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1))


class Transfers(CommandTest):
    """What moves between host and device, both models side by side."""

    CASE = ("--set", "n=10", "--rounds", "1", "--json", "a.json", "--csv", "a")
    # of `transfer` with 10 x 10 floats: in, out, bytes in, bytes out
    BLOCKS = (2, 1, 800, 400)
    COUNTS = {"contiguous": BLOCKS, "rows": (20, 10, 800, 400), "pinned": BLOCKS, "packed": BLOCKS}

    def moved(self, model: str) -> dict:
        (case,) = self.results()["cases"]
        self.assertEqual(case["scope"], "whole", "the natural one of the study")
        moved = {m["variant"]: m["transfers"] for m in case["measurements"] if m["model"] == model}
        with open(self.folder / "a" / "measurements.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                if row["model"] == model and moved[row["variant"]] is not None:
                    for name, value in moved[row["variant"]].items():
                        self.assertEqual(row[name], str(value))
        return {v: m and tuple(m.values()) for v, m in moved.items()}

    def test_of_a_device_with_its_own_memory(self) -> None:
        text = self.right("compare", "transfer", *self.CASE, *ALONE, "--separate-memory")
        self.assertIn("transfers of one run", text)
        self.assertRegex(text, r"(?m)^  rows +20 +800 B +10 +400 B$")
        self.assertRegex(text, r"(?m)^  contiguous +2 +800 B +1 +400 B$")
        self.assertNotIn("nothing is moved", text)
        moved = self.moved("kokkos")
        self.assertEqual({v: moved[v] for v in self.COUNTS}, self.COUNTS)
        self.assertIn("separate", self.results()["provenance"]["memory"])

    def test_hoisting_the_region(self) -> None:
        self.right("compare", "hoist", *self.CASE, *ALONE, "--separate-memory")
        moved = self.moved("kokkos")
        self.assertEqual(moved["region-per-call"], (10, 5, 4000, 2000))
        self.assertEqual(moved["region-around"], (2, 5, 800, 2000))

    @unittest.skipUnless(REAL.exists(), "built without the OpenACC side")
    def test_of_both_models(self) -> None:
        text = self.right("compare", "transfer", *self.CASE, *ONE)
        provenance = self.results()["provenance"]
        counts = self.COUNTS
        if provenance["memory"] == "shared with the host":
            self.assertIn("host and device memory are the same here, so nothing is moved", text)
            counts = dict.fromkeys(self.COUNTS, (0, 0, 0, 0))
        moved = self.moved("kokkos")
        self.assertEqual({v: moved[v] for v in counts}, counts)
        moved = self.moved("openacc")
        if provenance["openacc device"].startswith("host"):
            counts = dict.fromkeys(self.COUNTS, (0, 0, 0, 0))
        if None in moved.values():  # a runtime that does not report them
            self.assertIn("does not report its transfers", text)
        else:
            self.assertEqual(moved, counts)

    def test_not_in_scope_kernel(self) -> None:
        text = self.right("run", "spmv", *SMALL, *ALONE, "--rounds", 1)
        self.assertNotIn("transfers of one run", text)


class Tune(CommandTest):
    QUICK = ("--set", "n=5000", "--rounds", "6", "--workers", "1,4", "--vector", "8,32,256",
             "--items", "1,64")  # fmt: skip

    def test_prints_the_shapes_and_a_verdict(self) -> None:
        text = self.right("tune", "vadd", *self.QUICK)
        self.assertIn("vadd · as set n=5000 · ", text)
        self.assertIn("(its own)", text)
        self.assertRegex(text, "is faster than its own shape|it keeps its own")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_bad_usage(self) -> None:
        self.refused("tune", "transfer", words=("transfer has no levels to sweep", "spmv"))
        self.refused("tune", "spmv", "vadd", "--set", "n=3", words=("--set needs one study",))
        self.refused("tune", "vadd", "--set", "n=-1", words=("n=-1",))
        self.refused("tune", "vadd", "--workers", "0", words=("from 1 up",))
        self.refused("tune", "vadd", "vadd", words=("vadd is named more than once",))
        self.refused("tune", "vadd", "--rounds", "5", words=("--rounds 5", "from 6 up"))


class Progress(CommandTest):
    ARGUMENTS = ("run", "spmv", *SMALL, *ALONE, "--rounds", "3")

    def test_none_in_a_pipe(self) -> None:
        done = self.gangway(*self.ARGUMENTS)
        self.assertEqual(done.stderr, "")
        self.assertNotIn("\r", done.stdout)

    def on_a_terminal(self, *arguments: str) -> bytes:
        """What a run that succeeds shows there on standard error."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a root without /dev/pts
            self.skipTest(str(error))
        with subprocess.Popen(
            [GANGWAY, *arguments], stdout=subprocess.DEVNULL, stderr=theirs, env=ENVIRONMENT
        ) as process:
            os.close(theirs)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:  # the other end is closed
                    break
                if not part:
                    break
                shown += part
            self.assertEqual(process.wait(300), 0)
        os.close(ours)
        self.assertNotIn(b"\n", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])
        return shown

    def test_one_line_on_a_terminal_that_is_gone_at_the_end(self) -> None:
        self.assertIn(b"round 3 of 3: kokkos auto", self.on_a_terminal(*self.ARGUMENTS))

    def test_a_comparison_of_several_cases_says_how_much_is_left(self) -> None:
        shown = self.on_a_terminal("compare", "pi", "primes", "--quick", *ALONE, "--rounds", "2")
        self.assertRegex(
            shown.decode(),
            r"case 1 of \d+, (about|less than) [^\r]*minutes? left · round 2 of 2: kokkos ",
        )
        last = max(map(int, re.findall(rb"case (\d+) of", shown)))
        self.assertIn(f"case {last} of {last}, ", shown.decode())


class FailedCheck(CommandTest):
    """The pretended library's spmv is wrong."""

    def test_exit_status_1_and_no_time(self) -> None:
        done = self.gangway("run", "spmv", *SMALL, *DEFAULT, "--rounds", 3, "--openacc-library",
                            FAKES / "host.so", "--json", "a.json", "--csv", "a")  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"default +\S+ \S+ +FAILED")
        self.assertIn("openacc default FAILED its check: element ", done.stdout)
        (case,) = self.results()["cases"]
        (failed,) = [m for m in case["measurements"] if m["model"] == "openacc"]
        self.assertFalse(failed["check"]["passed"])
        self.assertNotIn("seconds", failed)
        self.assertEqual([c for c in case["comparisons"] if "openacc" in c["other"]], [])
        (row,) = [row for row in csv.DictReader(io.StringIO((self.folder / "a" / "measurements.csv").read_text()))
                  if row["model"] == "openacc"]  # fmt: skip
        self.assertRegex(row["outcome"], "^failed: element ")
        self.assertEqual(row["rounds"], "")

    def test_alone(self) -> None:
        done = self.gangway("run", "spmv", *SMALL, *DEFAULT, "--model", "openacc", "--rounds", 1,
                            "--openacc-library", FAKES / "host.so")  # fmt: skip
        self.assertEqual(done.returncode, 1)

    def test_of_a_sweep(self) -> None:
        done = self.gangway("sweep", "spmv", *SMALL, *DEFAULT, "--quick", "--rounds", 1, "--model", "openacc",
                            "--openacc-library", FAKES / "host.so")  # fmt: skip
        self.assertEqual(done.returncode, 1)


class Signals(CommandTest):
    def interrupted(self, number: signal.Signals) -> None:
        with subprocess.Popen(
            [GANGWAY, "run", "spmv", "--set", "matrix=grid7", "--set", "n=40", *ALONE, *DEFAULT, "--rounds",
             "100000", "--json", "a.json", "--csv", "a"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder, env=ENVIRONMENT,
            text=True,
        ) as process:  # fmt: skip
            try:
                self.assertTrue(process.stdout.readline())  # it is under way
                time.sleep(2)  # beyond the warm-up
                process.send_signal(number)
                _, said = process.communicate(timeout=120)
            finally:
                process.kill()
        self.assertEqual(process.returncode, 128 + number)
        self.assertEqual(said, "gangway: interrupted; of 1 cases 1 were measured, the last perhaps in part\n")
        (case,) = self.results()["cases"]
        rounds = [len(m["seconds"]) for m in case["measurements"] if "seconds" in m]
        self.assertTrue(0 < max(rounds) < 100000, rounds)
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"a.json", "a"})

    def test_interrupt(self) -> None:
        self.interrupted(signal.SIGINT)

    def test_terminate(self) -> None:
        self.interrupted(signal.SIGTERM)

    def test_old_results_stay(self) -> None:
        old = self.file("a.json", "old")
        process = subprocess.Popen(
            [GANGWAY, "run", "spmv", *SMALL, *ALONE, "--rounds", "100000", "--json", old],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT,
        )  # fmt: skip
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        select.select([process.stdout], [], [], 120)
        process.terminate()
        self.assertEqual(process.wait(120), 143)
        self.assertEqual(old.read_text(), "old")


class MatrixMarketFiles(CommandTest):
    BANNER = "%%MatrixMarket matrix coordinate real general\n"

    def run_on(self, path: object) -> tuple:
        return ("run", "spmv", "--set", f"matrix={path}", *ALONE, "--rounds", 1)

    def test_good_files(self) -> None:
        text = self.BANNER + "% a comment\n3 3 4\n1 1 1\n2 3 4\n3 3 2\n2 3 -1\n"
        plain = self.file("plain.mtx", text)
        packed = self.file("packed.mtx.gz", gzip.compress(text.encode()))
        for path in (plain, packed, "plain.mtx"):
            self.assertIn("3 rows, 3 columns, 3 non-zeros", self.right(*self.run_on(path)))

    def test_bad_files(self) -> None:
        for text, line in {
            "%%MatrixMarkt matrix coordinate real general\n1 1 1\n1 1 1\n": 1,
            "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n": 1,
            self.BANNER: 1,
            self.BANNER + "2 2\n": 2,
            self.BANNER + "-2 2 1\n1 1 1\n": 2,
            self.BANNER + "2 2 -1\n": 2,
            self.BANNER + "99999999999999999999 2 1\n1 1 1\n": 2,
            self.BANNER + "2 2 3\n1 1 1\n2 2 2\n": 4,
            self.BANNER + "2 2 1\n1 1 1\n2 2 2\n": 4,
            self.BANNER + "% comment\n2 2 2\n1 1 1\n3 1 1\n": 5,
            self.BANNER + "2 2 1\n0 1 1\n": 3,
            self.BANNER + "2 2 1\n1 1 nan\n": 3,
            self.BANNER + "2 2 1\n1 1 x\n": 3,
            self.BANNER + "2 2 1\n1 1\n": 3,
        }.items():
            path = self.file("bad.mtx", text)
            with self.subTest(text):
                self.refused(*self.run_on(path), words=(f"gangway: {path}:{line}: ",))

    def test_what_is_no_file(self) -> None:
        self.refused(*self.run_on("gone.mtx"), words=("gone.mtx",))
        self.refused(*self.run_on(self.file("empty.mtx", "")), words=("empty.mtx: is empty",))
        self.refused(*self.run_on(self.folder), words=(str(self.folder),))
        truncated = gzip.compress((self.BANNER + "2 2 1\n1 1 1\n" * 1000).encode())[:-20]
        self.refused(*self.run_on(self.file("cut.mtx.gz", truncated)), words=("cut.mtx.gz",))

    def test_memory_is_asked_for_what_a_file_declares(self) -> None:
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if free > 80e9:
            self.skipTest("this machine could hold it")
        path = self.file("large.mtx", self.BANNER + "2147483647 2147483647 1\n1 1 1\n")
        self.refused(*self.run_on(path), words=("spmv: this size needs 68.7 GB of memory",))

    def test_a_file_has_its_own_size(self) -> None:
        path = self.file("a.mtx", self.BANNER + "1 1 1\n1 1 1\n")
        self.refused(*self.run_on(path), "--set", "n=4", words=("n is for generated matrices",))
        self.refused("run", "cg_ranks", "--set", f"matrix={path}", "--set", "n=4", *ALONE,
                     words=("cg_ranks: n is for generated matrices",))  # fmt: skip
        self.refused(*self.run_on(path), "--set", "mean=4", words=("mean is for matrix=dense-rows or power-law",))


def strict(schema: object) -> object:
    """The schema, and nothing that it does not name: so that what is written is described."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: strict(part) for name, part in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        made.setdefault("unevaluatedProperties", False)
    return made


class Results(CommandTest):
    """Real results against their schema, docs/results.schema.json."""

    def setUp(self) -> None:
        super().setUp()
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        text = SCHEMA.read_text(encoding="utf-8")
        self.schema = json.loads(text)
        self.validator = jsonschema.Draft202012Validator
        self.validator.check_schema(self.schema)
        # `case` is part of `sweep`, so it cannot be closed by itself.
        closed = strict(self.schema)
        closed["properties"]["sweeps"]["items"]["unevaluatedProperties"] = False
        del closed["$defs"]["case"]["unevaluatedProperties"]
        closed["properties"]["cases"]["items"]["unevaluatedProperties"] = False
        self.closed = closed
        self.assertIn("unevaluatedProperties", closed)

    def errors(self, document: dict, schema: dict | None = None) -> list[str]:
        found = self.validator(schema or self.schema).iter_errors(document)
        return [f"{error.json_path}: {error.message}" for error in found]

    def assert_described(self, document: dict) -> None:
        self.assertEqual(self.errors(document), [])
        self.assertEqual(self.errors(document, self.closed), [])

    def openacc(self) -> tuple:
        return () if REAL.exists() else ALONE

    def test_of_compare(self) -> None:
        text = self.right("compare", "spmv", "--quick", *SMALL, "--rounds", 7, *self.openacc(),
                          "--json", "a.json")  # fmt: skip
        self.assertIn("ceilings\n", text)
        results = self.results()
        self.assert_described(results)
        self.assertGreater(results["ceilings"]["triad_bytes_per_second"], 0)
        self.assertGreater(results["peak_memory_bytes"], 1e6)
        self.assertNotIn("sweeps", results)
        (case,) = results["cases"]
        kinds = {c["kind"] for c in case["comparisons"]}
        if REAL.exists():
            self.assertLessEqual({"twins", "best"}, kinds)
        self.spoil(results)

    def spoil(self, results: dict) -> None:
        """The schema sees what is wrong."""
        def spoilt(change) -> None:
            document = json.loads(json.dumps(results))
            change(document, document["cases"][0]["measurements"][0])
            self.assertNotEqual(self.errors(document), [])

        spoilt(lambda d, m: d.update(schema="gangway-results/2"))
        spoilt(lambda d, m: d.pop("ceilings"))
        spoilt(lambda d, m: d["ceilings"].pop("copy_bytes_per_second"))
        spoilt(lambda d, m: d.pop("peak_memory_bytes"))
        spoilt(lambda d, m: m.update(model="cuda"))
        spoilt(lambda d, m: m.update(skipped="and yet it ran"))
        spoilt(lambda d, m: m["check"].update(passed=False))
        spoilt(lambda d, m: m.pop("share"))
        spoilt(lambda d, m: m["seconds"].append(-1))
        spoilt(lambda d, m: m["shapes"][0].pop("gangs"))
        spoilt(lambda d, m: m["transfers"].pop("to_host"))
        spoilt(lambda d, m: m.pop("transfers"))
        unknown = json.loads(json.dumps(results))
        unknown["cases"][0]["measurements"][0]["colour"] = "red"
        self.assertEqual(self.errors(unknown), [], "readers pass over what they do not know")
        self.assertNotEqual(self.errors(unknown, self.closed), [], "but we describe what we write")

    def test_of_sweep(self) -> None:
        text = self.right("sweep", "spmv", "--quick", *SMALL, "--rounds", 2, *self.openacc(),
                          "--workers", "4", "--vector", "8,32,512", "--items", "1,2", "--json",
                          "a.json", "--csv", "a")  # fmt: skip
        self.assertEqual(text.count("<- best"), 1)
        results = self.results()
        self.assert_described(results)
        (sweep,) = results["sweeps"]
        points = [(p["workers"], p["vector"], p["items_per_worker"]) for p in sweep["points"]]
        self.assertEqual(points, [(4, v, i) for v in (8, 32, 512) for i in (1, 2)])
        skipped = [p["vector"] for p in sweep["points"] if "skipped" in p["measurement"]]
        self.assertEqual(skipped, [512, 512])

    def test_of_a_failed_check_and_of_the_whole_scope(self) -> None:
        self.gangway("run", "spmv", *SMALL, *DEFAULT, "--rounds", 1, "--scope", "whole", "--openacc-library",
                     FAKES / "host.so", "--json", "a.json")  # fmt: skip
        results = self.results()
        self.assert_described(results)
        checks = {m["check"]["passed"] for m in results["cases"][0]["measurements"] if "check" in m}
        self.assertEqual(checks, {True, False})


if __name__ == "__main__":
    program = unittest.main(exit=False)
    result = program.result
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun and len(result.skipped) == result.testsRun:
        print("skipped:", result.skipped[0][1])
        sys.exit(SKIPPED)
