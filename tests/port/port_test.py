# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port: what it writes, reports, refuses and returns.

    PORT=build/openmp/bin/gangway-port python3 tests/port/port_test.py
    PORT=build/openmp/bin/gangway-port python3 tests/port/port_test.py --update

Beside each source of features/ lie what it becomes (.expected) and what is said of it (.report). They and docs/port-codes are
written by the second command, and read by a person before they are committed.
"""

from __future__ import annotations

import html.parser
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "port"
PORT = Path(os.environ.get("PORT", ROOT / "build" / "openmp" / "bin" / "gangway-port")).resolve()
GANGWAY = PORT.parent / "gangway"

sys.path.insert(0, str(ROOT / "tests" / "report"))
from browser import Browser, find_browser

import public_programs
TRANSLATED, REFUSED, ASSUMED = 0, 2, 3

FEATURES = sorted(path for path in (HERE / "features").iterdir() if path.suffix in (".cpp", ".c"))


def port(*arguments: object, folder: Path = HERE) -> subprocess.CompletedProcess:
    command = [str(part) for part in (PORT, *arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=600, check=False)


def pages_of_codes() -> dict[Path, str]:
    """The pages of docs/port-codes, one for each subject, with the lines that come from the tables of messages."""
    pages = {}
    for part in re.split(r"\n(?=# )", port("--codes").stdout.decode()):
        name = re.sub(r"[^a-z]+", "-", part.split("\n")[0][2:].lower())
        pages[ROOT / "docs" / "port-codes" / f"{name}.md"] = part.rstrip("\n") + "\n"
    return pages


def update() -> None:
    for path, text in pages_of_codes().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for source in FEATURES:
        for path, content in translate(source).items():
            path.write_bytes(content)


def translate(source: Path) -> dict[Path, bytes]:
    """What should lie beside the source, by its place."""
    with tempfile.TemporaryDirectory(prefix="gangway-port-") as folder:
        options = re.findall(r"^// options: (.*)$", source.read_text(encoding="utf-8"), re.M)
        others = [source.with_name(name).relative_to(HERE) for name in re.findall(r"^// with: (.*)$", source.read_text(encoding="utf-8"), re.M)]
        done = port(source.relative_to(HERE), *others, "--output", folder, *options)
        if done.stderr:
            raise AssertionError(done.stderr.decode())
        written = Path(folder) / source.with_suffix(".cpp").name
        report = re.sub(rb"written to \S+/", b"written to ", done.stdout)
        report += b"exit status %d\n" % done.returncode
        return {source.with_suffix(source.suffix + ".expected"): written.read_bytes(),
                source.with_suffix(source.suffix + ".report"): report}  # fmt: skip


class PortTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-port-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def write(self, name: str, text: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def report(self, *arguments: object, status: int) -> dict:
        done = port(*arguments, "--json", "-", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (status, b""), done.stdout.decode())
        report = json.loads(done.stdout)
        for file in report["files"]:  # that no source has `main` goes without saying here
            file["remarks"] = [one for one in file["remarks"] if one["code"] != "GW1013"]
        return report

    def refuses(self, *arguments: object, message: str) -> None:
        done = port(*arguments, folder=self.folder)
        self.assertEqual(done.returncode, REFUSED, done.stdout.decode())
        self.assertIn(message, done.stderr.decode())
        self.assertEqual(done.stdout, b"")


class Features(PortTest):
    def test_each_becomes_what_lies_beside_it(self) -> None:
        self.assertGreater(len(FEATURES), 7)
        for source in FEATURES:
            for path, content in translate(source).items():
                with self.subTest(path.name):
                    self.assertEqual(path.read_text(encoding="utf-8"), content.decode(), "see the head of port_test.py")

    def test_no_pragma_is_left_where_all_is_translated(self) -> None:
        for source in FEATURES:
            expected = source.with_suffix(source.suffix + ".expected").read_text(encoding="utf-8")
            self.assertNotIn("#pragma acc", expected, source.name)


class Refusals(PortTest):
    SOURCE = HERE / "refused.cpp"

    SOURCES = sorted(path for path in HERE.glob("refused*") if path.suffix in (".cpp", ".c"))

    def test_each_says_why_and_what_to_do(self) -> None:
        self.assertGreaterEqual(len(self.SOURCES), 4)
        for source in self.SOURCES:
            lines = source.read_text(encoding="utf-8").split("\n")
            report = self.report(source, "--check", status=REFUSED)
            directives = {one["line"]: one for one in report["files"][0]["directives"]}
            expected = {number + 1: line.split("// refused: ")[1]
                        for number, line in enumerate(lines, 1) if "// refused: " in line}  # fmt: skip
            for line, part in expected.items():
                with self.subTest(part):
                    self.assertEqual(directives[line]["outcome"], "refused")
                    self.assertIn(part, directives[line]["refusal"])
                    self.assertTrue(directives[line]["by_hand"])
            others = {line for line, one in directives.items() if one["outcome"] == "refused"} - set(expected)
            self.assertEqual(others, set(), source.name)

    def test_what_is_refused_stays_below_a_remark(self) -> None:
        done = port(self.SOURCE, "--output", self.folder)
        self.assertEqual((done.returncode, done.stderr), (REFUSED, b""))
        written = (self.folder / "refused.cpp").read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(written):
            above = number - 1
            while written[above].startswith("// By hand"):
                above -= 1
            if line.startswith("#pragma acc") and not written[above].startswith("// gangway port: not translated: "):
                # A part of a construct: the remark stands above that.
                self.assertRegex(line, r"loop|atomic")
        refused = [line for line in self.SOURCE.read_text(encoding="utf-8").split("\n") if line.startswith("#pragma")]
        # Some are translated: data regions around loops that are not.
        left = [line for line in written if line.startswith("#pragma")]
        data = [line for line in refused if re.search(r"acc data copy\((sum|w|x\[\w+ : n\])\)$|copyin\(held\)$", line)]
        self.assertEqual(len(data), 5)
        self.assertEqual(left, [line for line in refused if line not in data])

    def test_a_region_around_what_is_refused_is_no_plain_translation(self) -> None:
        text = self.SOURCE.read_text(encoding="utf-8").split("\n")
        report = self.report(self.SOURCE, "--check", status=REFUSED)
        line = text.index("#pragma acc data copy(sum)") + 1
        (region,) = (one for one in report["files"][0]["directives"] if one["line"] == line)
        self.assertEqual(region["outcome"], "assumed")
        self.assertIn(f"'parallel loop' in line {line + 3} stays", region["assumptions"][0]["text"])

    def test_a_bound_that_a_region_holds_is_assumed_to_be_the_host_s(self) -> None:
        text = Files.SOURCE.replace("#pragma acc", "#pragma acc data copyin(n)\n#pragma acc")
        report = self.report(self.write("a.cpp", text), "--check", status=ASSUMED)
        self.assertIn("'n' bounds the loop in line 4", report["files"][0]["directives"][1]["assumptions"][0]["text"])


class Files(PortTest):
    SOURCE = "void f(int n, double* x) {\n#pragma acc parallel loop copy(x[0 : n])\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n"

    def test_nothing_is_written_without_being_told(self) -> None:
        source = self.write("a.cpp", self.SOURCE)
        self.refuses(source, message="give one of --check, --output DIR and --in-place")
        self.refuses(source, "--check", "--in-place", message="give one of --check, --output DIR and --in-place")
        self.report(source, "--check", status=TRANSLATED)
        self.assertEqual(source.read_text(), self.SOURCE)
        self.assertEqual(list(self.folder.iterdir()), [source])

    def test_in_place(self) -> None:
        source = self.write("a.cpp", self.SOURCE)
        self.report(source, "--in-place", status=TRANSLATED)
        self.assertIn("Kokkos::parallel_for", source.read_text())
        self.refuses(self.write("b.c", self.SOURCE), "--in-place", message="what comes out is C++")

    def test_output_is_never_overwritten(self) -> None:
        source = self.write("a.cpp", self.SOURCE)
        self.report(source, "--output", "out", status=TRANSLATED)
        before = (self.folder / "out" / "a.cpp").read_text()
        self.refuses(source, "--output", "out", message="exists, and is not overwritten")
        self.assertEqual((self.folder / "out" / "a.cpp").read_text(), before)

    def test_all_or_nothing(self) -> None:
        source = self.write("a.cpp", self.SOURCE)
        broken = self.write("broken.cpp", self.SOURCE.replace("x[i] = 1;", "x[i] = ;"))
        done = port(source, broken, "--output", "out", folder=self.folder)
        self.assertEqual((done.returncode, done.stdout), (REFUSED, b""))
        self.assertIn("expected expression", done.stderr.decode())
        self.assertIn("broken.cpp: Clang does not take it", done.stderr.decode())
        self.assertFalse((self.folder / "out").exists())

    def test_two_of_one_name(self) -> None:
        (self.folder / "other").mkdir()
        one, two = self.write("a.cpp", self.SOURCE), self.write("other/a.c", self.SOURCE)
        self.refuses(one, two, "--output", "out", message="two of the sources would be written there")

    def test_names_that_are_no_sources(self) -> None:
        self.refuses("missing.cpp", "--check", message="missing.cpp: there is no such file")
        self.refuses(".", "--check", message="none of the 0 sources there asks for OpenACC")
        self.refuses("--check", message="a source is needed")

    def test_a_folder(self) -> None:
        (self.folder / "src" / "deep").mkdir(parents=True)
        (self.folder / "src" / ".hidden").mkdir()
        for name, text in (("a.cpp", self.SOURCE), ("deep/b.c", self.SOURCE), ("plain.cpp", "int x;\n"),
                           (".hidden/c.cpp", self.SOURCE), ("deep/d.h", "#pragma acc routine seq\n"), ("notes.txt", "acc"),
                           ("api.hpp", "#include <openacc.h>\n"),
                           ("calls.cpp", '#include "api.hpp"\nvoid end() {\n  acc_shutdown(acc_device_default);\n}\n')):
            self.write(f"src/{name}", text)
        done = port("src", "--output", "src/out", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (REFUSED, b""))
        self.assertIn(b"deep/d.h: refused: the directives in this header are not translated", done.stdout)
        self.assertTrue(done.stdout.endswith(b"1 source is without OpenACC\n"), done.stdout)
        written = {str(path.relative_to(self.folder / "src" / "out")) for path in (self.folder / "src" / "out").rglob("*.*")}
        self.assertEqual(written, {"a.cpp", "calls.cpp", "deep/b.cpp"})
        (self.folder / "src" / "deep" / "d.h").unlink()
        self.report("src", "--output", "src/out/again", status=ASSUMED)  # of what was written nothing is read again

    def test_a_list_of_commands(self) -> None:
        text = self.SOURCE.replace("double*", "Number*")
        for name in ("src/a.cpp", "src/deep/b.cpp", "src/plain.cpp"):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, "int x;\n" if "plain" in name else '#include "number.hpp"\n' + text)
        self.write("src/number.hpp", "typedef NUMBER Number;\n")
        (self.folder / "build").mkdir()
        command = "g++ -fopenacc -foffload=nvptx-none -O3 -Wall -I../src '-DNUMBER=unsigned int' -c {0} -o x.o"
        entries = [{"directory": str(self.folder / "build"), "file": f"../src/{name}", "command": command.format(f"../src/{name}")}
                   for name in ("a.cpp", "deep/b.cpp", "plain.cpp")]  # fmt: skip
        commands = self.write("build/compile_commands.json", json.dumps(entries))
        report = self.report("--commands", "build", "--output", "out", status=TRANSLATED)
        self.assertEqual(report["counts"]["translated"], 2)
        self.assertTrue((self.folder / "out" / "deep" / "b.cpp").is_file())
        self.report("src/a.cpp", "--commands", commands, "--check", status=TRANSLATED)
        self.refuses(self.write("other.cpp", text), "--commands", commands, "--check", message="--commands does not list it")
        self.refuses("--commands", "src", "--check", message="it is no compile_commands.json")
        self.write("build/compile_commands.json", "[{]")
        self.refuses("--commands", "build", "--check", message="it is no compile_commands.json")
        self.refuses("--commands", "/dev/zero", "--check", message="--commands /dev/zero: it is no plain file")
        with open(self.write("build/large.json", "[]"), "r+b") as file:
            file.truncate((256 << 20) + 1)
        self.refuses("--commands", "build/large.json", "--check", message="it has 268435457 bytes, and 268435456 are the most")

    def test_flags_of_the_compiler(self) -> None:
        source = self.write("a.cpp", self.SOURCE.replace("double*", "Number*"))
        done = port(source, "--check", folder=self.folder)
        self.assertEqual(done.returncode, REFUSED)
        self.assertIn("unknown type name 'Number'", done.stderr.decode())
        done = port(source, "--check", "--json", "-", "--", "-DNumber=float", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, b""))


class Across(PortTest):
    """Kernels that call functions of another source. tests/port/features/across* are built and run."""

    CALLS = ("double other(double x);\nvoid f(int n, double* x) {\n#pragma acc parallel loop copy(x[0 : n])\n"
             "  for (int i = 0; i < n; ++i)\n    x[i] = other(x[i]);\n}\n")  # fmt: skip

    def refusal(self, *sources: Path) -> str:
        directives = self.report(*sources, "--check", status=REFUSED)["files"][0]["directives"]
        (refused,) = [one["refusal"] for one in directives if one["outcome"] == "refused"]
        return refused

    def test_a_function_of_another_source_is_marked_there_and_here(self) -> None:
        one, two = self.write("a.cpp", self.CALLS), self.write("b.cpp", "double other(double x) {\n  return x;\n}\n")
        self.report(one, two, "--output", "out", status=ASSUMED)
        self.assertIn("KOKKOS_FUNCTION double other(double x);", (self.folder / "out" / "a.cpp").read_text())
        self.assertIn("KOKKOS_FUNCTION double other(double x) {", (self.folder / "out" / "b.cpp").read_text())
        self.assertIn("#include <Kokkos_Core.hpp>", (self.folder / "out" / "b.cpp").read_text())
        self.report(two, one, "--check", status=ASSUMED)  # in whichever order
        self.report(two, "--output", "alone", status=TRANSLATED)  # nobody calls it
        self.assertEqual((self.folder / "alone" / "b.cpp").read_text(), two.read_text())

    def test_a_source_that_is_not_given_is_not_guessed(self) -> None:
        one = self.write("a.cpp", self.CALLS)
        self.assertIn("'other', which is defined in another file", self.refusal(one))
        overloaded = self.write("b.cpp", "double other(float x) {\n  return x;\n}\nstatic double other(double x) {\n  return x;\n}\n")
        self.assertIn("'other', which is defined in another file", self.refusal(one, overloaded))
        two, three = (self.write(name, "double other(double x) {\n  return x;\n}\n") for name in ("c.cpp", "d.cpp"))
        self.assertIn("'other', which is defined in another file", self.refusal(one, two, three))

    def test_a_function_that_no_kernel_can_call_is_refused_where_it_is_called(self) -> None:
        one = self.write("a.cpp", self.CALLS)
        for body in ("double held;\ndouble other(double x) {\n  return x + held;\n}\n",
                     "#include <cstdlib>\ndouble other(double x) {\n  std::abort();\n  return x;\n}\n"):  # fmt: skip
            self.assertRegex(self.refusal(one, self.write("b.cpp", body)), r"(held|abort)'.*\(in .*/b\.cpp\)$")

    def test_a_function_that_begins_its_source(self) -> None:
        text = "double begins(double x) {\n  return x;\n}\n" + self.CALLS.replace("double other(double x);\n", "").replace("other", "begins")
        self.report(self.write("a.cpp", text), "--output", "out", status=TRANSLATED)
        self.assertRegex((self.folder / "out" / "a.cpp").read_text(), r"(?s)^#include.*KOKKOS_FUNCTION double begins")

    def test_functions_that_call_each_other_across_sources(self) -> None:
        one = self.write("a.cpp", self.CALLS + "double back(double x) {\n  return x > 1 ? other(x / 2) : x;\n}\n")
        two = self.write("b.cpp", "double back(double x);\ndouble other(double x) {\n  return back(x - 1);\n}\n")
        self.report(one, two, "--output", "out", status=ASSUMED)
        for name in ("a.cpp", "b.cpp"):
            self.assertEqual((self.folder / "out" / name).read_text().count("KOKKOS_FUNCTION double"), 2, name)

    def test_kokkos_begins_in_a_main_without_directives(self) -> None:
        one, main = self.write("a.cpp", Files.SOURCE), self.write("main.cpp", "int main() {\n  return 0;\n}\n")
        self.report(one, main, "--output", "out", status=TRANSLATED)
        self.assertIn("Kokkos::ScopeGuard", (self.folder / "out" / "main.cpp").read_text())
        self.report(main, "--output", "alone", status=TRANSLATED)
        self.assertEqual((self.folder / "alone" / "main.cpp").read_text(), main.read_text())

    def test_a_routine_of_gangs_stays_in_its_source(self) -> None:
        one = self.write("a.cpp", "void rows(int n, double* x);\nvoid f(int n, double* x) {\n#pragma acc parallel copy(x[0 : n])\n  rows(n, x);\n}\n")
        two = self.write("b.cpp", "#pragma acc routine gang\nvoid rows(int n, double* x) {\n#pragma acc loop gang vector\n"
                         "  for (int i = 0; i < n; ++i)\n    x[i] = i;\n}\n")  # fmt: skip
        self.assertIn("'rows' is a routine gang of another file", self.refusal(one, two))

    def test_a_header_of_routines_is_dealt_with(self) -> None:
        (self.folder / "src").mkdir()
        self.write("src/other.h", "#pragma acc routine seq\ndouble other(double x);\n")
        self.write("src/a.cpp", '#include "other.h"\n' + self.CALLS)
        self.write("src/b.cpp", '#include "other.h"\ndouble other(double x) {\n#pragma acc loop seq\n'
                   "  for (int i = 0; i < 2; ++i)\n    x += i;\n  return x;\n}\n")  # fmt: skip
        report = self.report("src", "--check", status=ASSUMED)
        self.assertEqual([Path(file["file"]).name for file in report["files"]], ["a.cpp", "b.cpp"])
        notes = [part["code"] for one in report["files"][0]["directives"] for part in one["assumptions"]]
        self.assertEqual(sorted(notes), ["GW5013", "GW5020"])
        self.write("src/other.h", "#pragma acc routine seq\ndouble other(double x);\n#pragma acc routine seq\ndouble nobody(double x);\n")
        report = self.report("src", "--check", status=REFUSED)
        self.assertIn("GW1004", [one["code"] for file in report["files"] for one in file["remarks"]])


class Texts(PortTest):
    def test_without_directives_nothing_changes(self) -> None:
        text = "int main() {\n\treturn   0;  \n}\n"
        source = self.write("a.cpp", text)
        report = self.report(source, "--output", "out", status=TRANSLATED)
        self.assertEqual(report["counts"], {"translated": 0, "assumed": 0, "refused": 0})
        self.assertEqual((self.folder / "out" / "a.cpp").read_text(), text)

    def test_ends_of_lines_of_windows(self) -> None:
        source = self.write("a.cpp", Files.SOURCE.replace("\n", "\r\n"))
        self.report(source, "--output", "out", status=TRANSLATED)
        lines = (self.folder / "out" / "a.cpp").read_bytes().split(b"\n")
        self.assertGreater(len(lines), 9)
        self.assertTrue(all(line.endswith(b"\r") for line in lines[:-1]), lines)

    def test_tabs_and_continued_lines(self) -> None:
        text = "void f(int n, double* x) {\n\t#\tpragma acc parallel loop \\\n\t\tcopy(x[0:n])\n\tfor (int i = 0; i < n; ++i)\n\t\tx[i] = 1;\n}\n"
        report = self.report(self.write("a.cpp", text), "--output", "out", status=TRANSLATED)
        self.assertEqual(report["files"][0]["directives"][0]["directive"], "acc parallel loop copy(x[0:n])")
        self.assertNotIn("pragma", (self.folder / "out" / "a.cpp").read_text())

    def test_a_directive_that_nobody_compiles_is_told(self) -> None:
        text = "#ifdef NEVER\n" + Files.SOURCE + "#endif\n"
        report = self.report(self.write("a.cpp", text), "--output", "out", status=REFUSED)
        (remark,) = report["files"][0]["remarks"]
        self.assertEqual((remark["line"], remark["outcome"]), (3, "refused"))
        self.assertIn("was not compiled", remark["what"])
        self.assertEqual((self.folder / "out" / "a.cpp").read_text(), text)

    def test_a_routine_that_each_declaration_is(self) -> None:
        self.write("a.h", "#pragma acc routine seq\ndouble twice(double x);\n")
        text = "#pragma acc routine seq\ndouble twice(double x);\n#pragma acc routine seq\ndouble twice(double x) {\n  return 2 * x;\n}\n"
        report = self.report(self.write("a.cpp", '#include "a.h"\n' + text), "--output", "out", status=ASSUMED)
        self.assertEqual([one["line"] for one in report["files"][0]["directives"]], [2, 4])
        self.assertEqual([one["code"] for one in report["files"][0]["remarks"]], ["GW5013"])
        self.assertNotIn("#pragma", (self.folder / "out" / "a.cpp").read_text())

    def test_a_directive_of_a_macro_that_is_more_is_refused(self) -> None:
        body = "    x[i] = 1;\n}\n"
        for name, lines in {
            "a loop beside it": '#define LOOP(i) _Pragma("acc parallel loop copy(x[0:n])") for (int i = 0; i < n; ++i)\nvoid f(int n, double* x) {\n  LOOP(i)\n',
            "another pragma beside it": '#define LOOP _Pragma("acc parallel loop copy(x[0:n])") _Pragma("GCC ivdep")\nvoid f(int n, double* x) {\n  LOOP\n  for (int i = 0; i < n; ++i)\n',
            "code beside it": '#define LOOP _Pragma("acc parallel loop copy(x[0:n])")\nvoid f(int n, double* x) {\n  LOOP for (int i = 0; i < n; ++i)\n',
        }.items():
            with self.subTest(name):
                report = self.report(self.write("a.cpp", lines + body), "--output", "out", status=REFUSED)
                self.assertIn("comes from a macro", report["files"][0]["directives"][0]["refusal"])
                written = self.folder / "out" / "a.cpp"
                self.assertIn("  LOOP", written.read_text())
                written.unlink()

    def test_a_macro_stays_where_its_directive_is_refused(self) -> None:
        text = '#define LOOP _Pragma("acc parallel loop copy(x)")\nvoid f(int n, double* x) {\n  LOOP\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n'
        report = self.report(self.write("a.cpp", text), "--output", "out", status=REFUSED)
        self.assertIn("no length", report["files"][0]["directives"][0]["refusal"])
        self.assertIn("  LOOP\n  for", (self.folder / "out" / "a.cpp").read_text())

    def test_a_directive_in_a_header_is_told(self) -> None:
        self.write("a.hpp", "#pragma acc routine seq\ninline double f(double x) {\n  return x;\n}\n")
        report = self.report(self.write("a.cpp", '#include "a.hpp"\n'), "--check", status=REFUSED)
        self.assertIn("a.hpp:1 is not translated: it stands in a header", report["files"][0]["remarks"][0]["what"])

    def test_a_branch_that_only_includes_openacc_goes(self) -> None:
        rest = "#include <math.h>\nvoid f(int n, double* x) {\n#pragma acc parallel loop copy(x[0:n])\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n"
        for branch in ("#ifdef _OPENACC\n#include <openacc.h> /* runtime */\n#endif\n",
                       "#if defined(_OPENACC) && _OPENACC >= 201306\n\n# include \"openacc.h\"\n// nothing else\n#endif // _OPENACC\n",
                       "#ifndef _OPENACC\n#else\n#include <openacc.h>\n#endif\n",
                       "#if _OPENACC\n#if _OPENACC > 201000\n#include <openacc.h>\n#endif\n#endif\n",
                       "#if defined(_OPENACC)\n#include <openacc.h>\n#elif defined(_OPENMP)\n#endif\n"):  # fmt: skip
            with self.subTest(branch):
                report = self.report(self.write("a.cpp", branch + rest), "--output", "out", status=TRANSLATED)
                self.assertEqual(report["files"][0]["remarks"], [])
                written = self.folder / "out" / "a.cpp"
                self.assertNotIn("_OPENACC", written.read_text())
                written.unlink()

    def test_a_branch_for_openacc_is_told_where_another_one_has_more(self) -> None:
        rest = "void f(int n, double* x) {\n#pragma acc parallel loop copy(x[0:n])\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n"
        for branch in ("#if defined(_OPENACC)\n#include <openacc.h>\n#elif defined(_OPENMP)\n#include <stdio.h>\n#endif\n",
                       "#ifndef _OPENACC\n#define acc_init(device)\n#else\n#include <openacc.h>\n#endif\n"):  # fmt: skip
            with self.subTest(branch):
                report = self.report(self.write("a.cpp", branch + rest), "--check", status=ASSUMED)
                self.assertEqual([one["code"] for one in report["files"][0]["remarks"]], ["GW1005"])

    def test_a_branch_for_openacc_is_told(self) -> None:
        text = "#ifdef _OPENACC\nint device = 1;\n#endif\n"
        report = self.report(self.write("a.cpp", text), "--check", status=ASSUMED)
        self.assertIn("_OPENACC", report["files"][0]["remarks"][0]["what"])

    def test_a_routine_of_the_runtime_library_is_told(self) -> None:
        text = "#include <openacc.h>\nvoid f() {\n  acc_get_property_string(0, acc_device_nvidia, acc_property_name);\n}\n"
        report = self.report(self.write("a.cpp", text), "--output", "out", status=REFUSED)
        self.assertIn("'acc_get_property_string' stays as it is", report["files"][0]["remarks"][0]["what"])
        self.assertEqual((self.folder / "out" / "a.cpp").read_text(), text)

    def effort(self, source: Path) -> tuple[dict[str, int], float, float]:
        """Counts of directives, seconds of the processor's and MiB."""
        with open(self.folder / "report.json", "wb") as report:
            child = subprocess.Popen([PORT, source, "--output", self.folder / "out", "--json", "-"], stdout=report)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, TRANSLATED)
        counts = json.loads((self.folder / "report.json").read_bytes())["counts"]
        return counts, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    def test_a_large_kernel(self) -> None:
        """The time goes with the kernel's size: what is eight times as large would take 40 times as long if it went with the
        square. Lines of it stay as they are in between, or all are changed."""
        for between in ("", "    const   int kept{0} = {0};\n"):
            seconds = []
            for size in (1000, 8000):
                body = "".join(("    x[i] = x[i] * 1.5 + {0};\n" + between).format(number) for number in range(size))
                text = Files.SOURCE.replace("    x[i] = 1;\n", body).replace("++i)", "++i) {")
                seconds.append(self.effort(self.write(f"a{size}{len(between)}.cpp", text + "}\n"))[1])
            print(f"1000 statements: {seconds[0]:.2f} s, 8000: {seconds[1]:.2f} s", file=sys.stderr)
            self.assertLess(seconds[1], 15 * seconds[0])

    def test_a_long_file(self) -> None:
        """Ten thousand directives: seconds of the processor's, for the machine may be busy, and memory."""
        function = ("const char* const text{0} = R\"(\n}}\n)\";\nvoid f{0}(int n, double* x, double* y) {{\n#pragma acc data copy(x[0 : n]) copyin(y[0 : n])\n  {{\n"
                    "#pragma acc parallel loop\n    for (int i = 0; i < n; ++i)\n      x[i] += y[i];\n"
                    "#pragma acc update self(x[0 : n])\n#pragma acc parallel loop\n    for (int i = 0; i < n; ++i) {{\n"
                    "#pragma acc atomic update\n      x[0] += y[i];\n    }}\n  }}\n}}\n")  # fmt: skip
        source = self.write("a.cpp", "".join(function.format(f"{number:04}") for number in range(2000)))
        counts, seconds, megabytes = self.effort(source)
        print(f"10000 directives: {seconds:.1f} s, {megabytes:.0f} MiB", file=sys.stderr)
        self.assertEqual(counts, {"translated": 10000, "assumed": 0, "refused": 0})
        written = (self.folder / "out" / "a.cpp").read_text()
        self.assertNotIn("#pragma", written)
        # All functions are laid out alike.
        parts = {re.sub(r"(f|text)\d{4}", r"\1", part) for part in written.split("const char* const ")[1:]}
        self.assertEqual(len(parts), 1, parts)
        self.assertIn(" = R\"(\n}\n)\";\n", written)
        if not os.environ.get("GANGWAY_SANITIZED"):
            self.assertLess(seconds, 30)
            self.assertLess(megabytes, 1500)

    def test_templates_and_lambdas(self) -> None:
        """Directives in them are directives like others; those of an instance are the template's."""
        text = ("template <class T, int N>\nvoid twice(int n, T* x) {\n#pragma acc parallel loop copy(x[0 : n])\n"
                "  for (int i = 0; i < n; ++i)\n    x[i] *= N;\n}\ntemplate void twice<float, 2>(int, float*);\n"
                "template void twice<double, 3>(int, double*);\nvoid f(int n, double* x) {\n  const auto once = [=] {\n"
                "#pragma acc parallel loop copy(x[0 : n])\n    for (int i = 0; i < n; ++i)\n      x[i] += 1;\n  };\n"
                "  once();\n}\n")  # fmt: skip
        report = self.report(self.write("a.cpp", text), "--output", "out", status=TRANSLATED)
        self.assertEqual([one["line"] for one in report["files"][0]["directives"]], [3, 11])
        written = (self.folder / "out" / "a.cpp").read_text()
        self.assertNotIn("#pragma", written)
        self.assertEqual(written.count("Kokkos::parallel_for"), 2)
        self.assertIn("x_view(i) *= N;", written)


    def test_what_is_no_cpp_is_never_called_translated(self) -> None:
        """Each line is told, and the directive is refused; a header, too. Where all of it is C++, nothing is said."""
        text = "enum Kind { plain };\nenum Kind keep(int n) {\n  return n;\n}\n" + Files.SOURCE.replace("= 1", "= ((enum Kind){0}, i)")
        text = text.replace("{0}", "{n}")
        report = self.report(self.write("a.c", text), "--check", status=REFUSED)
        (file,) = report["files"]
        self.assertEqual(report["counts"], {"translated": 0, "assumed": 0, "refused": 1})
        self.assertIn("what comes of line 8 is no C++", file["directives"][0]["refusal"])
        told = {one["line"] for one in file["remarks"] if "is no C++" in one["what"]}
        self.assertLessEqual({3, 8}, told)
        self.write("b.h", "static int of(int this) {\n  return this;\n}\n")
        report = self.report(self.write("b.c", '#include "b.h"\n' + Files.SOURCE), "--check", status=REFUSED)
        self.assertTrue(any("b.h:1, which is included, is no C++" in one["what"] for one in report["files"][0]["remarks"]))
        self.report(self.write("c.c", Files.SOURCE), "--check", status=ASSUMED)
        # Where no directive is to blame, none is called translated all the same.
        text = "int first[3] = {[2] = 1};\n" + Files.SOURCE
        report = self.report(self.write("d.c", text), "--check", status=REFUSED)
        self.assertEqual(report["counts"], {"translated": 0, "assumed": 1, "refused": 0})
        self.assertIn("the file compiles once the lines are mended", report["files"][0]["directives"][0]["assumptions"][-1]["text"])

    def test_names_that_are_keywords_of_cpp(self) -> None:
        text = ("typedef enum { false, true } boolean;\nstatic double total(const double* new, int or, boolean class) {\n  double s = 0;\n"
                "#pragma acc parallel loop reduction(+ : s) copyin(new[0:or]) private(class)\n"
                "  for (int i = 0; i < or; ++i) {\n    class = true;\n    s += class ? new[i] : 0;\n  }\n  return s;\n}\n")  # fmt: skip
        report = self.report(self.write("a.c", text), "--output", "out", status=ASSUMED)
        self.assertEqual(report["counts"]["translated"], 1)
        self.assertEqual({one["what"].split("'")[1] for one in report["files"][0]["remarks"] if one["code"] == "GW1020"},
                         {"false", "true", "new", "or", "class"})  # fmt: skip
        written = (self.folder / "out" / "a.cpp").read_text()
        self.assertIn("data.copyin(new_, or_)", written)
        # `bool` of a header stays, and so does all where a header of the program has such a name.
        text = text.replace("typedef enum { false, true } boolean;", "#include <stdbool.h>").replace("boolean", "bool")
        self.report(self.write("b.c", text), "--output", "out", status=ASSUMED)
        self.assertIn("class_ = true", (self.folder / "out" / "b.cpp").read_text())
        self.write("c.h", "extern double new[4];\n")
        report = self.report(self.write("c.c", '#include "c.h"\n' + Files.SOURCE.replace("= 1", "= new[0]")), "--check", status=REFUSED)
        self.assertIn("GW1016", {one["code"] for one in report["files"][0]["remarks"]})

    def test_a_macro_without_arguments_is_told(self) -> None:
        """The text would not compile. One with arguments is kept away by brackets, and all come behind Kokkos' headers."""
        text = "#include <cstddef>\n" + Files.SOURCE
        self.report(self.write("a.cpp", "#define other 4\n" + text), "--output", "out", status=TRANSLATED)
        self.assertTrue((self.folder / "out" / "a.cpp").read_text().startswith("#include <Kokkos_Core.hpp>"))
        for name in ("range", "gangway", "parallel_for"):
            report = self.report(self.write("a.cpp", f"#define {name} 4\n" + text), "--check", status=REFUSED)
            (remark,) = (one for one in report["files"][0]["remarks"] if "the macro" in one["what"])
            self.assertEqual((remark["line"], remark["outcome"]), (1, "refused"))
            self.assertIn(f"the macro '{name}' takes a name that the translation writes", remark["what"])
        self.report(self.write("b.cpp", "#define range(a) a\n" + text), "--output", "out", status=TRANSLATED)
        self.assertIn("(gangway::range)(0, n)", (self.folder / "out" / "b.cpp").read_text())

    def test_directives_beside_are_taken_out(self) -> None:
        text = Files.SOURCE.replace("#pragma acc", "#pragma omp parallel for\n#pragma acc")
        report = self.report(self.write("a.cpp", text), "--output", "out", status=TRANSLATED)
        (remark,) = report["files"][0]["remarks"]
        self.assertIn("'#pragma omp parallel for' is removed, because it applies to code of the device", remark["what"])
        self.assertNotIn("pragma", (self.folder / "out" / "a.cpp").read_text())
        # Not those of what stays, nor of other loops.
        text += "void g(int n, double* x) {\n#pragma omp simd\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n"
        self.report(self.write("b.cpp", text.replace("copy(x", "copy(x[0 : 1], x")), "--output", "out", status=REFUSED)
        self.assertEqual((self.folder / "out" / "b.cpp").read_text().count("#pragma omp"), 2)

    def test_instances_of_class_templates(self) -> None:
        """A directive in a class template is one, however often the class is made; an own version of it has its own."""
        loop = "{{\n#pragma acc parallel loop copy(x[0 : n])\n  for (int i = 0; i < n; ++i)\n    x[i] {};\n}}\n"
        text = ("template <class T> struct Each {\n  void twice(int n, T* x) {\n#pragma acc data copy(x[0 : n])\n  "
                + loop.format("*= 2") + "  }\n  void later(int n, T* x);\n  template <class U> void add(int n, T* x, U y) "
                + loop.format("+= y") + "  struct Inner { static void go(int n, T* x) " + loop.format("-= 1") + "  };\n"
                "  friend void undo(Each&, int n, T* x) " + loop.format("/= 2") + "};\n"
                "template <class T> void Each<T>::later(int n, T* x) " + loop.format("+= 1")
                + "template <> struct Each<char> {\n  void twice(int n, char* x) " + loop.format("= 'c'") + "};\n"
                "template <> void Each<int>::later(int n, int* x) " + loop.format("= 5") +
                "template struct Each<float>;\ntemplate struct Each<double>;\ntemplate void Each<long>::later(int, long*);\n"
                "extern template struct Each<short>;\ntemplate struct Each<short>;\n"
                "template void Each<double>::add<int>(int, double*, int);\n")  # fmt: skip
        report = self.report(self.write("a.cpp", text), "--output", "out", status=TRANSLATED)
        lines = [one["line"] for one in report["files"][0]["directives"]]
        self.assertEqual(lines, [number for number, line in enumerate(text.split("\n"), 1) if line.startswith("#pragma")])
        written = (self.folder / "out" / "a.cpp").read_text()
        self.assertEqual(written.count("gangway::Data "), len(lines) - 1)
        self.assertEqual(written.count("Kokkos::parallel_for"), len(lines) - 1)


class Outline(html.parser.HTMLParser):
    """A page's elements, closed as they were opened; its text; and the cells of its rows."""

    EMPTY = ("meta", "link")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.ids, self.links = set(), [], []
        self.rows: list[list[str]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()
        if self._open:
            raise AssertionError(f"not closed: {self._open}")

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        named = dict(attributes)
        self.ids += [named["id"]] if "id" in named else []
        self.links += [named["href"]] if tag == "a" else []
        if tag not in self.EMPTY:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if self._open.pop() != tag:
            raise AssertionError(f"</{tag}> closes another element")

    def handle_data(self, data: str) -> None:
        if "style" in self._open:
            return
        self.text += data
        if "td" in self._open or "th" in self._open:
            self.rows[-1][-1] += data


class Page(PortTest):
    """--html: the report as a page."""

    TAGS = set("html head meta title link style body header h1 p code nav ul li a main section h2 div table thead tbody tr th "
               "td pre strong small dl dt dd".split())  # fmt: skip

    def outline(self, page: bytes) -> Outline:
        text = page.decode()
        self.assertFalse([letter for letter in text if letter < " " and letter not in "\n\t"])
        outline = Outline(text)
        self.assertEqual(outline.tags - self.TAGS, set())
        self.assertEqual(len(outline.ids), len(set(outline.ids)), "a name twice")
        self.assertEqual({link.removeprefix("#") for link in outline.links} - set(outline.ids), set())
        return outline

    def test_it_has_what_the_json_has(self) -> None:
        for source in (*FEATURES, Refusals.SOURCE):
            with self.subTest(source.name):
                page = self.folder / "page.html"
                done = port(source, "--check", "--json", "-", "--html", page)
                self.assertEqual(done.stderr, b"")
                report = json.loads(done.stdout)
                (file,) = report["files"]
                outline = self.outline(page.read_bytes())
                counts = [str(report["counts"][name]) for name in ("translated", "assumed", "refused")]
                self.assertEqual(outline.rows[1], [str(source), *counts, str(len(file["remarks"]))])
                rows = [row for row in outline.rows if re.match(r"\d+:\d+$", row[0])]
                file["remarks"] = [one for one in file["remarks"] if one["line"]]
                self.assertEqual(len(rows), len(file["directives"]) + len(file["remarks"]))
                lines = source.read_text(encoding="utf-8").split("\n")
                keywords = [one["what"].split("'")[1] for one in file["remarks"] if one["code"] == "GW1020"]

                def renamed(line: str) -> str:
                    name = rf"(?<=[( ])({'|'.join(keywords)})\b(?! ?\()"
                    return re.sub(name, r"\1_", line) if keywords and "new" in line else line

                for row, one in zip(rows, file["directives"]):
                    self.assertEqual(row[0], f"{one['line']}:{one['column']}")
                    self.assertEqual(row[1].split("\n")[0], renamed(lines[one["line"] - 1]))
                    self.assertEqual(row[1].count("\\\n"), row[1].count("\n"), "goes on behind a backslash only")
                    self.assertEqual(row[2], one["outcome"])
                    said = [one.get(key, "") for key in ("refusal", "by_hand", "becomes")]
                    for part in (*said, *(told[key] for told in (*one.get("assumptions", ()), *one.get("notes", ()))
                                          for key in ("code", "text"))):  # fmt: skip
                        self.assertIn(part.replace("`", ""), row[3])
                    self.assertEqual(f".md#{one['row']}" in row[3], bool(one["row"]))
                for row, one in zip(rows[len(file["directives"]) :], file["remarks"]):
                    self.assertEqual((row[1].split("\n")[0], row[2]), (lines[one["line"] - 1], one["outcome"]))
                    self.assertIn(one["what"].replace("`", ""), row[3])
                    self.assertIn(one["by_hand"].replace("`", ""), row[3])

    def test_what_is_left_to_do_comes_first(self) -> None:
        page = port(*Refusals.SOURCES, "--check", "--html", "-").stdout
        outline = self.outline(page)
        refused = int(re.search(r"(\d+) directives are refused", outline.text)[1])
        listed = [link for link in outline.links if re.match(r"#f\d+-\d+-\d+-\d+$", link)]
        self.assertGreater(refused, 50)
        self.assertIn(f"and {refused - 50} more, in the tables below", outline.text)
        self.assertGreaterEqual(len(listed), 50)
        source = self.write("a.cpp", Files.SOURCE)
        self.assertIn("All directives are translated.", self.outline(port(source, "--check", "--html", "-").stdout).text)
        source = self.write("a.cpp", "int x;\n")
        self.assertIn("There are no directives.", self.outline(port(source, "--check", "--html", "-").stdout).text)

    MARKUP = "<script>alert(1)</script>&amp;\"'`<!--</pre></style>"

    def awkward(self) -> Path:
        """Markup in a file's name, in a directive and in what is told of it; a tab, and what is no text."""
        line = f"\t#pragma acc parallel loop copy(x[0:n]) if(n<2 && n>'<') // {self.MARKUP}".encode() + b" \xff\x1b[31m\xc2\x9b \xc3\xa9"
        text = (Files.SOURCE.replace("#pragma acc parallel loop copy(x[0 : n])", "LINE") + "void g(int n, int* x) {\n#pragma acc "
                "parallel loop copy(x[0:n]) copyin(x[(1<2):n])\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n"
                f"#ifdef _OPENACC // {self.MARKUP}\nint there;\n#endif\n")  # fmt: skip
        return self.write("<b>&'\"`<.cpp", text.encode().replace(b"LINE", line))

    def test_nothing_that_is_read_becomes_markup(self) -> None:
        source = self.awkward()
        done = port(source, "--output", "<i>", "--html", "page.html", folder=self.folder)
        self.assertEqual((done.returncode, done.stderr), (REFUSED, b""))
        outline = self.outline((self.folder / "page.html").read_bytes())
        self.assertEqual({"script", "b", "i"} & outline.tags, set())
        self.assertIn(f"Written to <i>/{source.name}.", outline.text)
        rows = [row for row in outline.rows if re.match(r"\d+:\d+$", row[0])]
        self.assertEqual(rows[0][1], f"\t#pragma acc parallel loop copy(x[0:n]) if(n<2 && n>'<') // {self.MARKUP} ??[31m? \u00e9")
        self.assertIn("'x[(1<2):n]' is named a second time", rows[1][3])
        self.assertEqual(rows[2][1], f"#ifdef _OPENACC // {self.MARKUP}")

    def test_lines_that_end_as_windows_s_and_go_on(self) -> None:
        text = Files.SOURCE.replace("loop copy", "loop \\\n  copy").replace("\n", "\r\n")
        outline = self.outline(port(self.write("a.cpp", text), "--check", "--html", "-").stdout)
        self.assertEqual(outline.rows[3][1], "#pragma acc parallel loop \\\n  copy(x[0 : n])")

    def test_a_header_s_directives(self) -> None:
        self.write("a.cpp", Files.SOURCE)
        self.write("b.h", "#pragma acc routine seq\n")
        outline = self.outline(port(".", "--check", "--html", "-", folder=self.folder).stdout)
        self.assertIn("the directives in this header are not translated", outline.text)
        self.assertEqual(outline.rows[3], ["all", "1", "0", "0", "2"])

    def test_it_is_written_whole_or_not_at_all(self) -> None:
        source = self.write("a.cpp", Files.SOURCE)
        broken = self.write("broken.cpp", Files.SOURCE.replace("x[i] = 1;", "x[i] = ;"))
        for option in ("--html", "--json", "--sarif"):
            with self.subTest(option):
                place = self.write("report", "before")
                done = port(source, broken, "--check", option, place, folder=self.folder)
                self.assertEqual((done.returncode, place.read_text()), (REFUSED, "before"))
                self.refuses(source, "--output", "out", option, "missing/report", message="there is no directory missing")
                self.refuses(source, "--output", "out", option, ".", message="it is a directory; name a file")
                self.refuses(source, "--output", "out", option, "", message="the name is empty")
                self.assertFalse((self.folder / "out").exists())
                done = port(source, "--check", option, "/dev/full", folder=self.folder)
                self.assertEqual(done.returncode, REFUSED)
                self.assertIn("cannot write /dev/full: No space left on device", done.stderr.decode())
                # An earlier report makes way, as it was told; nothing else of it stays.
                self.assertEqual(port(source, "--check", option, place, folder=self.folder).returncode, TRANSLATED)
                self.assertIn(place.read_text()[0], "<{")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.cpp", "broken.cpp", "report"])

    def test_it_replaces_nothing_else(self) -> None:
        source = self.write("a.cpp", Files.SOURCE)
        self.refuses(source, "--check", "--html", "r", "--json", "./r", message="--json and --html are both r; name two files")
        self.refuses(source, "--check", "--sarif", "-", "--html", "-", message="cannot both be on standard output")
        self.refuses(source, "--check", "--html", "-", "--json", "-", message="cannot both be on standard output")
        (self.folder / "out").mkdir()
        for option in ("--html", "--json", "--sarif"):
            self.refuses(source, "--check", option, "./a.cpp", message="./a.cpp is a source, and no place for a report")
            self.refuses(source, "--output", "out", option, "out/a.cpp", message="out/a.cpp is where a translation goes")
        self.assertEqual(source.read_text(), Files.SOURCE)
        self.assertEqual(list((self.folder / "out").iterdir()), [])

    @unittest.skipIf(find_browser() is None, "there is no Chromium here (GANGWAY_BROWSER names one)")
    def test_in_a_browser(self) -> None:
        page = self.folder / "page.html"
        probe = (ROOT / "tests" / "report" / "probe.js").read_text(encoding="utf-8")
        done = port(self.awkward(), *FEATURES, Refusals.SOURCE, "--check", "--html", page)
        self.assertEqual(done.stderr, b"")
        with Browser(find_browser()) as browser:
            browser.show(1280)
            browser.open(page)
            self.assertEqual(browser.evaluate("document.scripts.length + document.images.length"), 0)
            for width in (320, 1280):
                for scheme in ("light", "dark"):
                    with self.subTest(width=width, scheme=scheme):
                        browser.show(width, 800, scheme)
                        seen = browser.evaluate(probe)
                        self.assertEqual(seen["width"], width, "the page is wider than the screen")
                        self.assertEqual((seen["beyond"], seen["faintWords"], seen["broken"]), ([], [], 0))
                        self.assertEqual(set(seen["levels"]), {1, 2})
            self.assertEqual((browser.problems, browser.requests), ([], [page.as_uri()]))


class Codes(PortTest):
    """Each message has a code, which keeps its meaning, and a page."""

    PAGES = ROOT / "docs" / "port-codes"
    # What concerns a whole file, and the parts of a refused construct, beside what an example shows.
    ALWAYS = {"GW1008", "GW1013", "GW1018"}
    # Codes whose examples have others beside theirs: their causes, or what always comes with them.
    TOGETHER = {"GW1008": {"GW5003"}, "GW1014": {"GW1015"}, "GW1015": {"GW1017"}, "GW1016": {"GW1017"}, "GW1017": {"GW1015"}, "GW2026": {"GW5003"}, "GW2027": {"GW5003"},
                "GW4026": {"GW4025"}, "GW4027": {"GW4025"}, "GW5007": {"GW5008"}, "GW5020": {"GW5021"}, "GW5021": {"GW5020"}}  # fmt: skip
    # What Clang refuses first, and another version of it may not.
    WITHOUT_EXAMPLE = {"GW4001", "GW4021"}

    @staticmethod
    def pages() -> dict[str, str]:
        """The text of each code, from what is printed of all."""
        printed = port("--codes").stdout.decode()
        return dict(re.findall(r"^## (GW\d{4})\n\n(.*?)(?=\n#+ |\Z)", printed, re.M | re.S))

    def test_a_code_keeps_its_meaning(self) -> None:
        listed = (HERE / "codes.txt").read_text(encoding="utf-8").splitlines()
        printed = [f"{code} {page.splitlines()[0].replace('**', '')}" for code, page in self.pages().items()]
        self.assertEqual(listed, printed, "a code never gets another meaning; a new one is added to tests/port/codes.txt")
        self.assertEqual(len(printed), len({line.split()[0] for line in printed}))

    def test_the_documentation_has_the_pages(self) -> None:
        for path, text in pages_of_codes().items():
            self.assertEqual(path.read_text(encoding="utf-8"), text, "see the head of port_test.py")
            self.assertLess(len(text.encode()), 16384, path.name)
        self.assertEqual(set(self.PAGES.iterdir()), set(pages_of_codes()))

    def test_each_is_explained(self) -> None:
        for code, page in self.pages().items():
            with self.subTest(code):
                done = port("--explain", code.lower())
                self.assertEqual((done.returncode, done.stderr), (TRANSLATED, b""))
                said = done.stdout.decode()
                self.assertTrue(said.startswith(code))
                prose = re.sub(r"```.*?```", "", said, flags=re.S)
                self.assertGreater(len(prose.split()), 20, "what it means, and why")
                self.assertIn(page[page.rindex("```cpp") :].split("\n[In")[0] if "```cpp" in page else "", said)
        self.refuses("--explain", "GW17", message="there is no such code")

    def codes_of(self, *arguments: object) -> set[str]:
        (report,) = [json.loads(port(*arguments, "--check", "--json", "-", folder=self.folder).stdout)]
        found = set()
        for file in report["files"]:
            for one in (*file["directives"], *file["remarks"]):
                found |= {one.get("code")} | {part["code"] for key in ("assumptions", "notes") for part in one.get(key, ())}
        return found - {None}

    def test_each_example_gives_its_code(self) -> None:
        without = set()
        for code, page in self.pages().items():
            with self.subTest(code):
                files = re.findall(r"^```(c|cpp|fortran)(?: (\S+))?\n(.*?)^```$", page, re.M | re.S)
                if not files:
                    without.add(code)
                    continue
                for old in self.folder.iterdir():
                    old.unlink()
                if files[0][0] == "fortran" and not PORT.with_name("gangway-port-fortran").exists():
                    continue
                names = [self.write(name or f"example.{kind.replace('fortran', 'F90')}", text) for kind, name, text in files]
                flags = ["--verify"] if code == "GW1021" else []
                said = self.codes_of(*flags, *(["."] if code == "GW1004" else [name for name in names if name.suffix in (".c", ".cpp", ".F90")]))
                self.assertIn(code, said)
                self.assertEqual(said - {code} - self.ALWAYS, self.TOGETHER.get(code, set()))
        self.assertEqual(without, self.WITHOUT_EXAMPLE)

    def test_originals_that_would_compute_something_else_are_left_out(self) -> None:
        head = "void f(int n, double *a, unsigned long *at) {\n  double s = 0;\n#pragma acc parallel loop "
        for why, construct in (
            ("", "copy(a[0:n])\n  for (int i = 0; i < n; ++i)\n    a[i] += 1;"),
            ("", "copy(a[0:n])\n  for (int i = 0; i < n; ++i) {\n#pragma acc atomic update\n    a[0] = a[0] - i;\n  }"),
            ("what its atomic leaves follows the order of the iterations",
             "copy(a[0:n])\n  for (int i = 0; i < n; ++i) {\n#pragma acc atomic update\n    a[0] = i - a[0];\n  }"),
            ("", "copyin(a[0:n]) reduction(+:s)\n  for (int i = 0; i < n; ++i) {\n    double t = 0;\n    t += a[i];\n    s += t;\n  }"),
            ("each iteration sets 's' anew, and its reduction depends on how threads share the iterations",
             "copyin(a[0:n]) reduction(+:s)\n  for (int i = 0; i < n; ++i) {\n    s = 0;\n    s += a[i];\n  }"),
            ("", "copy(at[0:n])\n  for (int i = 0; i < n; ++i)\n    at[i] = (unsigned long)(double)at[i];"),
            ("'at[i]' is taken for an address, which may be the device's",
             "copyin(at[0:n])\n  for (int i = 0; i < n; ++i)\n    *((double *)at[i]) -= 5;"),
        ):  # fmt: skip
            for name in ("a.c", "a.cpp"):
                with self.subTest(construct, name=name):
                    source = self.write(name, f"{head}{construct}\n  a[0] += s;\n}}\n")
                    (report,) = [json.loads(port(source, "--verify", "--check", "--json", "-", folder=self.folder).stdout)]
                    (file,) = report["files"]
                    said = [note["text"] for one in file["directives"] for note in one.get("notes", ()) if note["code"] == "GW1021"]
                    self.assertEqual(said, [f"the construct is not verified, because {why}"] if why else [])

    def test_a_note_that_repeats_is_said_once(self) -> None:
        text = Files.SOURCE.replace("loop copy", "loop async(1) copy")
        text += text.replace("f(", "g(")
        said = port(self.write("a.cpp", text), "--check").stdout.decode()
        self.assertEqual(said.count("'async' is dropped"), 1)
        self.assertIn("[GW2013], 2 times in this file", said)

    def test_a_source_without_main_is_told_of_the_guard(self) -> None:
        one = self.write("a.cpp", Files.SOURCE)
        self.assertIn("const Kokkos::ScopeGuard kokkos;", port(one, "--check").stdout.decode())
        self.assertIn("GW1013", self.codes_of(one))
        self.assertNotIn("GW1013", self.codes_of(one, self.write("main.cpp", "int main() {}\n")))

    def test_older_c_is_named(self) -> None:
        old = self.write("old.c", "main(argc, argv)\nint argc;\nchar **argv;\n{\n  return 0;\n}\n")
        self.refuses(old, "--check", message="It is C of 1989: ")
        self.assertEqual(port(old, "--check", "--", "-std=gnu89").returncode, TRANSLATED)


class Sarif(PortTest):
    """--sarif: the report in the Static Analysis Results Interchange Format, version 2.1.0."""

    def test_its_structure(self) -> None:
        text = Files.SOURCE.replace("copy(x[0 : n])", "copy(x) async(1)")
        done = port(self.write("a b.cpp", text), "--check", "--sarif", "-", folder=self.folder)
        self.assertEqual(done.stderr, b"")
        told = json.loads(port(self.folder / "a b.cpp", "--check", "--json", "-").stdout)["files"][0]
        log = json.loads(done.stdout)
        self.assertEqual((set(log), log["version"]), ({"$schema", "version", "runs"}, "2.1.0"))
        self.assertTrue(log["$schema"].endswith("sarif-2.1.0.json"))
        (run,) = log["runs"]
        rules = run["tool"]["driver"]["rules"]
        self.assertEqual(run["tool"]["driver"]["name"], "gangway port")
        self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
        for rule in rules:
            self.assertRegex(rule["id"], r"^GW\d{4}$")
            self.assertTrue(rule["shortDescription"]["text"] and rule["help"]["text"])
            self.assertIn(rule["defaultConfiguration"]["level"], ("none", "note", "warning", "error"))
        for result in run["results"]:
            self.assertEqual(set(result), {"ruleId", "ruleIndex", "level", "message", "locations"})
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertEqual(rules[result["ruleIndex"]]["defaultConfiguration"]["level"], result["level"])
            self.assertTrue(result["message"]["text"])
            (location,) = result["locations"]
            self.assertEqual(location["physicalLocation"]["artifactLocation"]["uri"], f"file://{self.folder}/a%20b.cpp")
            self.assertGreater(location["physicalLocation"].get("region", {"startLine": 1})["startLine"], 0)
        (refusal,) = (one for one in run["results"] if one["level"] == "error")
        self.assertIn(told["directives"][0]["refusal"], refusal["message"]["text"])
        self.assertEqual(refusal["locations"][0]["physicalLocation"]["region"]["startLine"], 2)

    def test_it_has_what_the_json_has(self) -> None:
        for source in (*FEATURES, *Refusals.SOURCES):
            with self.subTest(source.name):
                done = port(source, "--check", "--json", "-", "--sarif", self.folder / "a.sarif")
                self.assertEqual(done.stderr, b"")
                (file,) = json.loads(done.stdout)["files"]
                (run,) = json.loads((self.folder / "a.sarif").read_text(encoding="utf-8"))["runs"]
                said = [(one["line"], part["code"]) for one in file["directives"]
                        for part in ([one] if "code" in one else one["assumptions"] + one["notes"])]  # fmt: skip
                said += [(one["line"], one["code"]) for one in file["remarks"]]
                self.assertEqual(said, [(one["locations"][0]["physicalLocation"].get("region", {"startLine": 0})["startLine"], one["ruleId"])
                                        for one in run["results"]])  # fmt: skip


class Command(PortTest):
    """gangway port runs the program beside it."""

    def run_gangway(self, program: Path, *arguments: object) -> subprocess.CompletedProcess:
        command = [str(part) for part in (program, "port", *arguments)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600, check=False)

    def test_arguments_and_status_are_passed_on(self) -> None:
        source = self.write("a.cpp", Files.SOURCE.replace("double*", "Number*"))
        done = self.run_gangway(GANGWAY, source, "--check", "--", "-DNumber=float")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""))
        self.assertTrue(done.stdout.endswith("1 directive: 1 translated, 0 assumed, 0 refused\n"))

    def test_without_the_translator_it_says_so(self) -> None:
        alone = self.folder / "gangway"
        shutil.copy(GANGWAY, alone)
        done = self.run_gangway(alone, "--check")
        self.assertEqual((done.returncode, done.stdout), (REFUSED, ""))
        self.assertIn("port: there is no", done.stderr)


class Studies(PortTest):
    """The project's own OpenACC. A higher figure is entered here and in docs/port/limits.md; a lower one is a step back."""

    def test_so_many_are_translated_whole(self) -> None:
        sources = sorted((ROOT / "src" / "studies").glob("*/openacc.cpp"))
        self.assertGreater(len(sources), 20)
        whole = 0
        for source in sources:
            done = port(source, "--check", "--json", "-", "--", f"-I{ROOT / 'src'}", folder=self.folder)
            self.assertEqual(done.stderr, b"")
            whole += json.loads(done.stdout)["counts"]["refused"] == 0
        self.assertEqual(f"{whole} of {len(sources)}", "28 of 28")


class Guide(PortTest):
    """The guide's OpenACC snippets through it are the guide's Kokkos, but for names and what ported.txt lists with its reason.
    """

    FOLDER = ROOT / "docs" / "guide" / "snippets"
    # What both may spell in their own way: scopes, `const`, labels, inline, the type of an index, and Kokkos' range or the library's.
    SPELT = ((r"//[^\n]*", ""), (r'fence\("[^"]*"\)', "fence()"), (r'"[^"]*"', '"label"'), (r"\b(gangway|guide|std)::", ""),
             (r"\bconst\b", ""), (r"\brange\(", "Range("), (r"\bKOKKOS_INLINE_FUNCTION\b", "KOKKOS_FUNCTION"), (r"\bKokkos::(?=min|max)", ""),
             (r"\bint\b(?=[^(){}]*\) *\{)", "long"))  # fmt: skip
    KEPT = {"Kokkos", "KOKKOS_LAMBDA", "Data", "data", "Range", "for", "if", "else", "return", "double", "long", "int", "void", "auto",
            "bool", "parallel_for", "parallel_reduce", "copy", "copyin", "copyout", "create", "present", "fence", "tile"}  # fmt: skip

    def canonical(self, code: str) -> list[str]:
        """Its words, names by the order of their coming, without braces."""
        for pattern, by in self.SPELT:
            code = re.sub(pattern, by, code)
        names: dict[str, str] = {}
        code = re.sub(rf"\b({'|'.join({'data', *re.findall(r'Data (\w+);', code)})})\b", "data", code)
        words = [word for word in re.findall(r"\w+|::|[^\w\s]", code) if word not in "{}"]
        return [word if not re.match(r"[A-Za-z_]", word) or word in self.KEPT else names.setdefault(word, f"name{len(names)}")
                for word in words]  # fmt: skip

    @staticmethod
    def snippets(path: Path) -> dict[str, str]:
        return dict(re.findall(r"^ *// \[(\w+)\]\n(.*?)^ *// \[\1\]$", path.read_text(encoding="utf-8"), re.M | re.S))

    def test_differences_are_explained(self) -> None:
        differs, refused, seen = set(), set(), set()
        for source in sorted(self.FOLDER.glob("openacc_*.cpp")):
            if source.stem == "openacc_mpi":
                continue  # a program of its own
            done = port(source, "--output", self.folder, "--json", "-", "--", f"-I{self.FOLDER}")
            self.assertEqual(done.stderr, b"")
            (told,) = json.loads(done.stdout)["files"]
            lines = source.read_text(encoding="utf-8").split("\n")
            for one in told["directives"] + told["remarks"]:
                if one["outcome"] == "refused":
                    marks = re.findall(r"// \[(\w+)\]", "\n".join(lines[: one["line"]]))
                    refused.add(marks[-1])
            kokkos = self.snippets(self.FOLDER / source.name.replace("openacc", "kokkos"))
            for name, code in self.snippets(self.folder / source.name).items():
                seen.add(name)
                if self.canonical(code) != self.canonical(kokkos.get(name, "")):
                    differs.add(name)
        self.assertGreater(len(seen), 45)
        listed = [line.split(" | ") for line in (self.FOLDER / "ported.txt").read_text(encoding="utf-8").splitlines()
                  if not line.startswith("#")]  # fmt: skip
        self.assertTrue(all(len(line) == 3 and len(line[2]) > 15 for line in listed), listed)
        listed = [(name, kind, why) for names, kind, why in listed for name in names.split(", ")]
        self.assertEqual({name for name, kind, _ in listed if kind == "refused"}, refused)
        self.assertEqual({name for name, kind, _ in listed if kind == "differs"}, differs - refused)
        self.assertEqual(len(listed), len({name for name, _, _ in listed}))


class PublicPrograms(unittest.TestCase):
    """What public_programs.py takes for equal, and its list."""

    def test_only_the_same_words_and_numbers_are_equal(self) -> None:
        expected = "sum 1.000001 of 3\nTime 0.25 s\n"
        for printed, equal in (("sum 1.000002 of 3\nTime 7 s\n", True), ("sum 1.0002 of 3\n", False), ("sum 1.000001 of 4\n", False),
                               ("sum -1.000001 of 3\n", False), ("sum nan of 3\n", False), ("mean 1.000001 of 3\n", False),
                               ("sum 1.000001 of\n", False), ("sum 1.000001 of 3 3\n", False), ("", False)):  # fmt: skip
            with self.subTest(printed):
                self.assertEqual(public_programs.is_equal(expected, printed, "^Time", 1e-5), equal)
        self.assertFalse(public_programs.is_equal("", "", "", 1e-5), "who prints nothing says nothing")
        self.assertTrue(public_programs.is_equal("copy 0.25\n", "copy 7.5\n", "", 1e-5, r"\d+\.\d+"), "words are left of it")
        self.assertFalse(public_programs.is_equal("copy 0.25\n", "copied 0.25\n", "", 1e-5, r"\d+\.\d+"))

    def test_each_collection_is_named_with_its_commit(self) -> None:
        listed = json.loads((HERE / "public_programs.json").read_text(encoding="utf-8"))
        self.assertEqual(len({one["name"] for one in listed}), len(listed))
        for one in listed:
            self.assertRegex(one["commit"], r"^[0-9a-f]{40}$")
            self.assertRegex(one["repository"], r"^[\w.-]+/[\w.-]+$")


class Documentation(PortTest):
    PAGES = ROOT / "docs" / "port"

    def test_the_page_has_the_rules(self) -> None:
        done = port("--rules")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, b""))
        page = (self.PAGES / "rules.md").read_text(encoding="utf-8")
        self.assertIn(done.stdout.decode(), page, "docs/port/rules.md: paste what gangway port --rules prints")

    def test_the_figures_are_those_of_the_file(self) -> None:
        page = (self.PAGES / "validation.md").read_text(encoding="utf-8")
        (name,) = re.findall(r"\]\(\.\./\.\./(bench/results/[^)]*validation\.txt)\)", page)
        printed = (ROOT / name).read_text(encoding="utf-8").splitlines()
        table = [line for line in printed if line.startswith("|")]
        shown = [line for line in table if not (cells := line.split("|"))[2].strip().isdigit() or int(cells[2]) >= 30]
        self.assertGreater(len(shown), 10)
        self.assertIn("\n".join(shown), page)

    def test_the_figures_of_the_peer_are_those_of_its_file(self) -> None:
        page = (self.PAGES / "validation.md").read_text(encoding="utf-8")
        (name,) = re.findall(r"\]\(\.\./\.\./(bench/results/[^)]*peer\.txt)\)", page)
        rows = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if re.match(r"\| [`a]", line)]
        shown = [row for row in rows if int(row.split("|")[2]) >= 30]
        self.assertGreater(len(shown), 10)
        for row in shown:
            self.assertIn(f"\n{row.removesuffix(' |')} | ", page)

    def test_the_figures_of_public_collections_are_those_of_the_file(self) -> None:
        page = (self.PAGES / "programs.md").read_text(encoding="utf-8")
        (name,) = re.findall(r"\]\(\.\./\.\./(bench/results/[^)]*public\.txt)\)", page)
        printed = [line for line in (ROOT / name).read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        self.assertGreater(len(printed), 8)
        self.assertIn("\n".join(printed), page)

    def test_the_readme_shows_what_is_written(self) -> None:
        source, said, written = re.findall(r"^```(?:cpp)?\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)[:3]
        file = self.write("axpy.cpp", source)
        self.assertEqual(port(file.name, "--check", folder=self.folder).stdout.decode(), said)
        port(file, "--output", self.folder / "ported")
        self.assertEqual((self.folder / "ported" / "axpy.cpp").read_text(encoding="utf-8"), written)

    def test_the_rows_are_headings_of_the_guide(self) -> None:
        anchors = set()
        for page in (ROOT / "docs" / "guide").glob("*.md"):
            for heading in re.findall(r"^##+ (.*)$", page.read_text(encoding="utf-8"), re.M):
                anchors.add(f"{page.name}#{re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-')}")
        printed = port("--rules").stdout.decode() + port("--codes").stdout.decode()
        named = re.findall(r"\]\(\.\./guide/(.*?)\)", printed)
        self.assertGreater(len(named), 150)
        self.assertEqual(set(named) - anchors, set())

    def test_only_some_rooms_know_a_compiler(self) -> None:
        fortran = ROOT / "src" / "port" / "fortran"
        flang = {fortran / name for name in ("read", "directives", "kernels", "tree")}
        for source in (ROOT / "src" / "port").rglob("*pp"):
            if source.with_suffix("") in flang or source.match("fortran/translation/read*"):
                continue
            if source.stem not in ("check", "commands", "format", "parse") and source.parent.name != "parse":
                self.assertNotRegex(source.read_text(encoding="utf-8"), r"clang::|[<\"]clang/|[<\"]flang/|llvm", source)


if __name__ == "__main__":
    if "--update" in sys.argv:
        update()
    else:
        unittest.main()
