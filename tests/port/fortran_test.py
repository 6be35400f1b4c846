# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port of Fortran: what it reads, reports, refuses and returns.

    PORT=build/openmp/bin/gangway-port python3 tests/port/fortran_test.py
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PORT = Path(os.environ.get("PORT", ROOT / "build" / "openmp" / "bin" / "gangway-port")).resolve()
PAGE = ROOT / "docs" / "port" / "fortran.md"
TRANSLATED, REFUSED, ASSUMED = 0, 2, 3


class FortranTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="gangway-port-")
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name).resolve()

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def port(self, *arguments: object, **environment: object) -> subprocess.CompletedProcess:
        command = [str(part) for part in (PORT, *arguments)]
        variables = os.environ | {name: str(value) for name, value in environment.items()}
        return subprocess.run(command, cwd=self.folder, env=variables, capture_output=True, text=True, timeout=600, check=False)

    def report(self, *arguments: object, status: int) -> dict:
        done = self.port(*arguments, "--check", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return json.loads(done.stdout)

    def directives(self, text: str, status: int, name: str = "a.F90") -> list[dict]:
        self.write(name, text)
        (file,) = self.report(name, status=status)["files"]
        return file["directives"]

    def refuses(self, *arguments: object, message: str) -> None:
        done = self.port(*arguments)
        self.assertEqual((done.returncode, done.stdout), (REFUSED, ""))
        self.assertIn(message, done.stderr)

    def in_loop(self, body: str, declarations: str = "", clauses: str = "") -> str:
        return f"""subroutine s(x, n)
  use openacc, only: acc_on_device
  integer, intent(in) :: n
  real, intent(inout) :: x(n)
  integer :: i
  real :: t
{declarations}
  !$acc parallel loop copy(x) {clauses}
  do i = 1, n
{body}
  end do
end subroutine
"""


class FortranPlaces(FortranTest):
    """Each directive and each clause once, with its line and column."""

    SOURCE = """\
module everything
  use openacc
  implicit none
  real :: kept(10)
  !$acc declare create(kept)
contains
  subroutine all(x, y, n, q)
    integer, intent(in) :: n, q
    real, intent(inout) :: x(n), y(n)
    integer :: i, j, k
    real :: s, t, u(3)
    !$acc init
    !$acc set device_num(0)
    !$acc enter data copyin(x) create(y) async(q) wait(q)
    !$acc data present(x) copy(y) copyout(u) if(n > 0)
    !$acc parallel loop gang worker vector num_gangs(4) num_workers(2) vector_length(32) private(t, u) reduction(max:s)
    do i = 1, n
      t = x(i)
      s = max(s, t)
    end do
    !$acc parallel default(present) firstprivate(t) async
    !$acc loop gang
    do i = 1, n
      !$acc loop seq
      do j = 1, 3
        x(i) = x(i) + t
      end do
    end do
    !$acc end parallel
    !$acc kernels
    !$acc loop independent
    do i = 1, n
      x(i) = 1
    end do
    !$acc end kernels
    !$acc serial
    x(1) = 2
    !$acc end serial
    !$acc kernels loop collapse(2) auto
    do j = 1, n
      do i = 1, 3
        x(j) = x(j) + 1
      end do
    end do
    !$acc serial loop tile(2, 2)
    do j = 1, n
      do i = 1, 3
        x(j) = x(j) + i
      end do
    end do
    !$acc parallel loop
    do i = 1, n
      !$acc cache(x)
      !$acc atomic update
      x(1) = x(1) + 1
      !$acc atomic read
      k = n
      !$acc atomic write
      x(2) = 1
      !$acc atomic capture
      t = x(3)
      x(3) = x(3) + 1
      !$acc end atomic
    end do
    !$acc update self(x) if_present
    !$acc update device(x) host(y)
    !$acc end data
    !$acc host_data use_device(x)
    !$acc end host_data
    !$acc exit data copyout(x) delete(y) finalize
    !$acc wait(q)
    !$acc shutdown
  end subroutine
  real function twice(v)
    !$acc routine seq nohost
    real, value :: v
    twice = 2 * v
  end function
end module
"""

    def test_every_construct_and_clause(self) -> None:
        lines = self.SOURCE.split("\n")
        seen = self.directives(self.SOURCE, REFUSED)
        expected = [
            (number, line.index("!$acc") + 1) for number, line in enumerate(lines, 1) if "!$acc" in line and "!$acc end" not in line
        ]
        self.assertEqual([(one["line"], one["column"]) for one in seen], expected)
        for one in seen:
            with self.subTest(one["directive"]):
                self.assertEqual(one["directive"], lines[one["line"] - 1].strip()[2:])
                self.assertTrue(one["directive"].startswith(f"acc {one['construct'].split()[0]}"))
                self.assertTrue(one.get("becomes") or one["code"])
                for clause in one.get("clauses", ()):
                    at = lines[clause["line"] - 1][clause["column"] - 1 :]
                    self.assertTrue(at.replace("host(", "self(").startswith(clause["clause"]), (at, clause))
        constructs = {one["construct"] for one in seen}
        self.assertEqual(len(constructs), 23, constructs)
        clauses = {clause["clause"] for one in seen for clause in one.get("clauses", ())}
        self.assertEqual(clauses, set(
            "copy copyin copyout create present delete device self use_device if_present reduction private firstprivate collapse tile gang "
            "worker vector seq auto independent num_gangs num_workers vector_length default if async wait finalize nohost device_num".split()))  # fmt: skip
        assumed = {one["construct"] for one in seen if one["outcome"] == "assumed"}
        self.assertEqual(assumed, {"set"})
        refused = [(one["construct"], one["code"]) for one in seen if one["outcome"] == "refused"]
        self.assertEqual(refused, [("declare", "GW2019")])

    def test_continued_lines(self) -> None:
        text = "subroutine s(x, n)\n  integer :: n, i\n  real :: x(n)\n  !$acc parallel loop &\n  !$acc&  copy(x) &\n  !$acc   num_gangs(2)\n  do i = 1, n\n    x(i) = 1\n  end do\nend\n"
        (one,) = self.directives(text, TRANSLATED)
        self.assertEqual((one["line"], one["column"], one["directive"]), (4, 3, "acc parallel loop copy(x) num_gangs(2)"))
        self.assertEqual([(c["clause"], c["line"], c["column"]) for c in one["clauses"]], [("copy", 5, 11), ("num_gangs", 6, 11)])

    def test_fixed_form(self) -> None:
        text = "      subroutine s(x, n)\n      integer n, i\n      real x(n)\nC$ACC PARALLEL LOOP COPY(X)\n!$acc& num_gangs(2)\n      do 10 i = 1, n\n   10 x(i) = 1\n      end\n"
        (one,) = self.directives(text, TRANSLATED, "a.F")
        self.assertEqual((one["line"], one["column"], one["construct"]), (4, 1, "parallel loop"))
        self.assertEqual([(c["clause"], c["line"]) for c in one["clauses"]], [("copy", 4), ("num_gangs", 5)])
        self.write("b.f90", text)
        self.refuses("b.f90", "--check", message="b.f90:5:")
        self.assertEqual(self.port("b.f90", "--check", "--", "-ffixed-form").returncode, TRANSLATED)

    def test_long_lines_of_fixed_form(self) -> None:
        text = "      subroutine s(x)\n      real x(10)\n" + "      x(1) = 1".ljust(74) + "+ 1\n      x(1) = 1" + " " * 60 + ")\n!$acc update self(x)\n      end\n"
        self.write("a.F", text)
        self.assertEqual(self.port("a.F", "--check").returncode, TRANSLATED)
        self.refuses("a.F", "--check", "--", "-ffixed-line-length-132", message="a.F:4:")

    def test_the_preprocessor_s_branches(self) -> None:
        text = "subroutine s(x)\n  real :: x(SIZE)\n#ifdef _OPENACC\n  !$acc update self(x)\n#endif\n#ifdef OTHER\n  !$acc update device(x)\n#endif\nend\n"
        self.write("a.F90", text)
        self.refuses("a.F90", "--check", message="a.F90:2:")
        for flags, lines in ((("-DSIZE=3",), [4]), (("-D", "SIZE=3", "-DOTHER"), [4, 7])):
            done = self.port("a.F90", "--check", "--json", "-", "--", *flags)
            (file,) = json.loads(done.stdout)["files"]
            self.assertEqual([one["line"] for one in file["directives"]], lines)

    def test_directives_in_an_included_file(self) -> None:
        self.write("part.inc", "!$acc update self(x)\n")
        self.write("a.F90", "subroutine s(x)\n  real :: x(3)\n  include 'part.inc'\nend\n")
        (file,) = self.report("a.F90", status=REFUSED)["files"]
        self.assertEqual(file["directives"], [])
        self.assertEqual([one["code"] for one in file["remarks"]], ["GW1003"])
        self.assertIn("part.inc:1", file["remarks"][0]["what"])


class FortranDecisions(FortranTest):
    def code(self, text: str, status: int = REFUSED) -> str:
        for one in self.directives(text, status):
            if one["outcome"] == "refused":
                self.assertTrue(one["by_hand"], one)
                return f"{one['code']} {one['refusal']}"
        return ""

    def test_what_kernels_cannot_have(self) -> None:
        for body, declarations, refusal in (
            ("    print *, x(i)", "", "GW5016 'print' (line 9) in a kernel"),
            ("    write (*, *) x(i)", "", "GW5016 'write' (line 9) in a kernel"),
            ("    if (x(i) < 0) stop 1", "", "GW5016 'stop' (line 9) in a kernel"),
            ("    allocate (w(n))", "  real, allocatable :: w(:)", "GW5016 'allocate' (line 9) in a kernel"),
            ("    p => q", "  real, pointer :: p, q", "GW5016 'a pointer assignment' (line 9) in a kernel"),
            ("    if (c == 'a') x(i) = 1", "  character :: c", "GW5017 'c', a character string, in a kernel"),
            ("    x(i) = w[1]", "  real, save :: w[*]", "GW5017 'w', of another image, in a kernel"),
            ("    call random_number(t)", "", "GW5003 it calls 'random_number', of which Kokkos has no device function that is known here"),
            ("    if (acc_on_device(4)) x(i) = 1", "", "GW5003 it calls 'acc_on_device', of which Kokkos has no device function that is known here"),
            ("    call elsewhere(x(i))", "  external elsewhere", "GW5004 it calls 'elsewhere', which is defined in another file"),
            ("    x(i) = c(i)%u", "  type cell\n    real :: u\n  end type\n  type(cell) :: c(10)",
             "GW5017 'c', an array of a derived type whose elements' components are named, in a kernel"),
        ):  # fmt: skip
            with self.subTest(body):
                said = self.code(self.in_loop(body, declarations))
                self.assertEqual(re.sub(r"line \d+", "line 9", said), refusal)

    def test_polymorphism_and_assumed_rank(self) -> None:
        text = """module m
  type t
    real :: a(10)
  end type
contains
  subroutine s(o, r)
    class(t), intent(inout) :: o
    real, intent(inout) :: r(..)
    integer :: i
    {}
    do i = 1, 10
      {}
    end do
  end subroutine
end module
"""
        self.assertEqual(self.code(text.format("!$acc parallel loop", "o%a(i) = 1")), "GW5017 'o', polymorphic, in a kernel")
        self.assertEqual(self.code(text.format("!$acc update self(o)", "")), "GW2005 'o' is polymorphic")
        self.assertEqual(self.code(text.format("!$acc update self(r)", "")), "GW2005 'r' is of assumed rank")

    def test_sections(self) -> None:
        text = "subroutine s(u, v, w, n)\n  integer :: n\n  real :: u(10, 20), v(:, :), w(*)\n  !$acc update self({})\nend\n"
        for section, code in (("u", ""), ("u(:, 3)", ""), ("u(2:5, 3)", ""), ("u(1:10, 2:4)", ""), ("v", ""), ("w(1:n)", ""), ("v(:, 3)", ""),
                              ("u(3, :)", "GW2028"), ("u(1:10:2, 1)", "GW2028"), ("w", "GW2006")):  # fmt: skip
            with self.subTest(section):
                self.assertEqual(self.code(text.format(section), REFUSED if code else TRANSLATED)[:6], code)
        for section in ("v(1:n, 1:3)", "u(2:5, 1:3)"):
            (one,) = self.directives(text.format(section), ASSUMED)
            self.assertEqual([a["code"] for a in one["assumptions"]], ["GW2029"])

    def test_scalars(self) -> None:
        for body, clauses, status, code in (
            ("    t = x(i)\n    x(i) = t", "", TRANSLATED, ""),
            ("    if (i > 1) t = 2\n    x(i) = t", "", REFUSED, "GW3024"),
            ("    if (i > 1) t = 2\n    x(i) = t", "private(t)", TRANSLATED, ""),
            ("    if (i > 1) then\n      t = 2\n    else\n      t = 3\n    end if\n    x(i) = t", "", TRANSLATED, ""),
            ("    t = t + x(i)", "", ASSUMED, "GW3023"),
            ("    t = max(x(i), t)", "", ASSUMED, "GW3023"),
            ("    t = t + x(i)\n    x(i) = t", "", REFUSED, "GW3024"),
            ("    t = t + x(i)", "reduction(+:t)", TRANSLATED, ""),
            ("    t = 0\n    t = t + x(i)\n    x(i) = t", "", TRANSLATED, ""),
        ):
            with self.subTest(body + clauses):
                (one,) = self.directives(self.in_loop(body, clauses=clauses), status)
                self.assertEqual(one.get("code") or (one["assumptions"] or [{"code": ""}])[0]["code"], code)

    def test_what_the_host_reads_before_kernels(self) -> None:
        """It is no matter, unless the program comes back to it."""
        source = ("subroutine s(a, k)\n  integer :: a(9), i, k, now\n10 continue\n  now = 1\n  if (k > 0) print *, now\n  {}!$acc kernels copy(a)\n"
                  "  !$acc loop independent\n  do i = 1, 9\n    now = a(i)\n    a(i) = now*2\n  end do\n  !$acc end kernels\n  k = k + 1\n  {}\n20 continue\nend\n")  # fmt: skip
        told = self.directives(source.format("", "k = 4"), TRANSLATED)[0]
        self.assertEqual((told["outcome"], told["notes"][0]["code"]), ("translated", "GW3022"))
        for jump in ("if (k < 3) go to 10", "if (k - 3) 10, 20, 20 ! back", "read (5, *, &\n    end=10) k", "call other(k, *10)", "print *, now", "k = now"):
            self.assertEqual(self.directives(source.format("", jump), REFUSED)[0]["code"], "GW3024", jump)
        loop = source.format("", "k = 4").replace("10 continue", "do k = 1, 3").replace("20 continue", "end do").replace("k = k + 1", "").replace("k = 4", "")
        self.assertEqual(self.directives(loop, REFUSED)[0]["code"], "GW3024")

    def test_kernels_without_independent(self) -> None:
        text = "subroutine s(x, y, n)\n  integer :: n, i\n  real :: x(n), y(n)\n  !$acc kernels\n  do i = 2, n\n    {}\n  end do\n  !$acc end kernels\nend\n"
        for statement, codes in (("x(i) = y(i - 1)", []), ("x(i) = x(i - 1)", ["GW4012"]), ("x(n - i + 1) = y(i)", ["GW4012"])):
            with self.subTest(statement):
                (one,) = self.directives(text.format(statement), TRANSLATED)
                self.assertEqual([note["code"] for note in one["notes"]], codes)

    def test_branches_of_kernels(self) -> None:
        """The host takes them if it knows their conditions. Otherwise one thread does, and the report says so."""
        text = ("subroutine s(x, w, n)\n  integer :: n, i, j, w, t\n  real :: x(n, n), u\n  !$acc kernels copy(x)\n{}  if ({}) then\n    !$acc loop independent\n    do j = 1, n\n"
                "      !$acc loop independent private(u)\n      do i = 1, n\n        u = x(i, j)\n        x(i, j) = u + {}\n      end do\n    end do\n  end if\n  !$acc end kernels\nend\n")  # fmt: skip
        for before, condition, value, codes in (("", "w > 1", "1", []), ("", "size(x, 1) > w .and. n > 3", "1", []), ("", "x(1, 1) > 0", "1", ["GW4012"]),
                                                ("  t = w\n", "t > 1", "1", ["GW4012"]), ("", "w > 1", "i; w = i", ["GW4012"])):  # fmt: skip
            with self.subTest(condition, value=value):
                told = self.directives(text.format(before, condition, value), TRANSLATED)[0]
                self.assertEqual([note["code"] for note in told["notes"]], codes)
                self.write("a.F90", text.format(before, condition, value))
                with tempfile.TemporaryDirectory() as made:
                    self.port("a.F90", "--output", made)
                    kernels = (Path(made) / "a_kernels.cpp").read_text(encoding="utf-8")
                self.assertEqual("tile<2>" in kernels, not codes)
                self.assertEqual("range(0, 1)" in kernels, bool(codes))

    def test_nests(self) -> None:
        text = "subroutine s(x, n)\n  integer :: n, i, j\n  real :: x(n, n)\n  !$acc parallel loop collapse(2)\n  do j = 1, n\n    do i = {}, n\n      x(i, j) = 1\n    end do\n  end do\nend\n"
        self.assertEqual(self.code(text.format("1"), TRANSLATED), "")
        self.write("a.F90", text.format("j"))
        done = self.port("a.F90", "--check")  # Flang or Gangway refuses it
        self.assertEqual(done.returncode, REFUSED)
        self.assertRegex(done.stdout + done.stderr, "bounds depend on 'j'|a.F90:")

    def test_clauses_that_are_refused(self) -> None:
        for clauses, refusal in (("deviceptr(p)", "deviceptr"), ("self(n > 1)", "self()"), ("no_create(p)", "no_create"),
                                 ("attach(q)", "attach")):  # fmt: skip
            with self.subTest(clauses):
                text = self.in_loop("    x(i) = 1", "  real :: p(10)\n  real, pointer :: q(:)", clauses)
                self.assertEqual(self.code(text), f"GW2001 the clause '{refusal}'")
        self.assertEqual(self.code(self.in_loop("    x(i) = 1", "  real :: w(n)", "private(w)"))[:6], "GW3018")
        self.assertEqual(self.code(self.in_loop("    x(i) = 1", "  real :: w(n)", "copyout(zero: w)")), "GW2002 the modifier 'zero' of 'copyout'")
        self.assertEqual(self.code(self.in_loop("    x(i) = 1", "  real :: w(10)", "reduction(+:w)"))[:6], "GW3026")
        self.assertEqual(self.code("subroutine s\n  !$acc init device_type(host)\nend\n"), "GW2010 'device_type(host)'")
        (one,) = self.directives(self.in_loop("    x(i) = 1", "", "device_type(nvidia) num_gangs(3)"), ASSUMED)
        self.assertEqual([a["code"] for a in one["assumptions"]], ["GW2012"])

    def test_firstprivate(self) -> None:
        for declaration, body, code in (
            ("integer :: w(-1:2, 32)", "    w(0, 1) = w(0, 1) + i\n    x(i) = w(0, 1)", ""),
            ("logical :: w(3)", "    if (w(2)) x(i) = 1", ""),
            ("real :: w", "    w = w + x(i)\n    x(i) = w", ""),
            ("integer :: w(129)", "    x(i) = w(3)", "GW3017"),
            ("integer, allocatable :: w(:)", "    x(i) = w(3)", "GW3018"),
            ("integer, pointer :: w(:)", "    x(i) = w(3)", "GW3018"),
        ):
            with self.subTest(declaration=declaration):
                (one,) = self.directives(self.in_loop(body, "  " + declaration, "firstprivate(w)"), REFUSED if code else TRANSLATED)
                self.assertEqual(one.get("code", ""), code)
        text = "subroutine s(x)\n  real :: x(10)\n  integer :: i, w{}\n  !$acc data copyin(w)\n  !$acc parallel loop firstprivate(w)\n  do i = 1, 10\n    x(i) = {}\n  end do\n  !$acc end data\nend\n"
        self.assertEqual(self.directives(text.format("", "w"), REFUSED)[1]["code"], "GW5017")
        self.assertEqual(self.directives(text.format("(3)", "w(2)"), TRANSLATED)[1]["outcome"], "translated")

    def test_declare_in_modules(self) -> None:
        text = """\
module m
{declarations}
  !$acc declare {clauses}
contains
  subroutine s(n)
    integer, intent(in) :: n
    {statement}
  end subroutine
  subroutine set(x)
    real, allocatable, intent(inout) :: x(:)
  end subroutine
end module
program p
  use m
  call s(3)
end program
"""
        array = "  real, allocatable :: a(:)"
        for declarations, clauses, statement, code in (
            ("  real :: a(10)", "create(a)", "a = n", ""),
            ("  real :: a(10)", "link(a)", "a = n", ""),
            ("  real :: a(10)", "device_resident(a)", "", ""),
            ("  complex :: a(10)\n  logical :: b", "create(a) copyin(b)", "", ""),
            (array, "create(a)", "allocate (a(n))\n    a = 0", ""),
            (array, "create(a)", "allocate (a(n))\n    a = a + 1", "GW2020"),
            (array, "create(a)", "allocate (a(n))\n    a(:) = a + 1", ""),
            (array, "create(a)", "call set(a)", "GW2020"),
            (array, "create(a)", "block\n      call set(a)\n    end block", "GW2020"),
            (array, "create(a)", "block\n      a = [1.0, 2.0]\n    end block", "GW2020"),
            (array + "\n  real, allocatable :: b(:)", "create(a)", "call move_alloc(b, a)", "GW2020"),
            (array, "create(a)", "if (n > 1) goto 1\n1   allocate (a(n))", "GW2020"),
            ("  real, allocatable :: a", "create(a)", "", "GW2020"),
            ("  real, pointer :: a(:)", "create(a)", "", "GW2020"),
            ("  real :: a", "link(a)", "", "GW2020"),
            ("  real :: a(10)\n  common /c/ a", "create(a)", "", "GW2020"),
            ("  type t\n    real :: x\n  end type\n  type(t) :: a", "create(a)", "", "GW2020"),
        ):  # fmt: skip
            with self.subTest(clauses=clauses, statement=statement):
                source = text.format(declarations=declarations, clauses=clauses, statement=statement)
                (one,) = self.directives(source, REFUSED if code else TRANSLATED)
                self.assertEqual(one.get("code", ""), code)
        # of a procedure
        (one,) = self.directives("subroutine s\n  real :: a(10)\n  !$acc declare create(a)\n  a = 1\nend\n", REFUSED)
        self.assertEqual(one["code"], "GW2001")

    def test_what_is_in_a_refused_construct_is_refused(self) -> None:
        text = "subroutine s(x)\n  real :: x(10)\n  integer :: i\n  !$acc parallel\n  !$acc loop\n  do i = 1, 10\n    print *, x(i)\n  end do\n  !$acc end parallel\nend\n"
        outer, inner = self.directives(text, REFUSED)
        self.assertEqual((outer["code"], inner["code"]), ("GW5016", "GW1008"))

    def test_calls(self) -> None:
        functions = "module functions\ncontains\n  real function f(v)\n    real, intent(in) :: v\n    {}\n    f = v\n  end function\nend module\n"
        caller = "subroutine s(x)\n  use functions\n  real :: x(10)\n  integer :: i\n  !$acc parallel loop\n  do i = 1, 10\n    x(i) = f(x(i))\n  end do\nend\n"
        self.write("caller.F90", caller)
        self.write("functions.F90", functions.format(""))
        (one,) = self.report("caller.F90", "functions.F90", status=TRANSLATED)["files"][0]["directives"]
        self.assertEqual(one["outcome"], "translated")
        self.write("alone.F90", caller.replace("  use functions\n", "  real, external :: f\n"))
        (one,) = self.report("alone.F90", status=REFUSED)["files"][0]["directives"]
        self.assertEqual(one["code"], "GW5004")
        self.write("functions.F90", functions.format("print *, v"))
        (one,) = self.report("caller.F90", "functions.F90", status=REFUSED)["files"][0]["directives"]
        self.assertEqual((one["code"], one["refusal"]), ("GW5005", "'f' has 'print' (line 5) in a kernel"))

    def test_the_runtime_library(self) -> None:
        self.write("a.F90", "subroutine s(x)\n  use openacc\n  real :: x(10)\n  call acc_copyin(x)\n  if (acc_is_present(x)) call acc_wait(1)\n"
                            "  call acc_set_default_async(3)\n  call acc_attach(x)\nend\n")  # fmt: skip
        (file,) = self.report("a.F90", status=REFUSED)["files"]
        self.assertEqual([(one["line"], one["code"]) for one in file["remarks"]],
                         [(0, "GW1013"), (4, "GW6002"), (5, "GW6002"), (5, "GW6002"), (6, "GW6001"), (7, "GW6001")])  # fmt: skip
        self.write("a.F", "      subroutine s\n      include 'openacc_lib.h'\n      if (acc_get_num_devices(acc_device_host) > 0) return\n      end\n")
        (file,) = self.report("a.F", status=TRANSLATED)["files"]
        self.assertEqual([one["code"] for one in file["remarks"]], ["GW1013", "GW6002"])
        inner = "subroutine s(n)\n  use openacc\n  integer :: n\n  n = acc_get_device_num(acc_get_device_type()){}\nend\n"
        for more, status, codes in (("", TRANSLATED, ["GW1013", "GW6002"]), (" + acc_get_device_type()", REFUSED, ["GW1013", "GW6002", "GW6001"])):
            self.write("inner.F90", inner.format(more))  # the type goes with the call around it
            (file,) = self.report("inner.F90", status=status)["files"]
            self.assertEqual([one["code"] for one in file["remarks"]], codes)
        self.write("b.F90", "subroutine s(x)\n  use openacc\n  real :: x(10)\n  call acc_copyin(x(2), 5*4)\n  call acc_attach(x)\nend\n")
        (file,) = json.loads(self.port("b.F90", "--output", "out", "--json", "-").stdout)["files"]
        self.assertEqual([(one["line"], one["code"]) for one in file["remarks"]], [(0, "GW1013"), (4, "GW6002"), (5, "GW6001")])
        text = (self.folder / "out/b.F90").read_text()
        self.assertIn("  use openacc\n", text)
        self.assertIn("call gangway_enter_data_copyin(x(2:2+( 5*4)/(storage_size(x)/8)-1))\n  call acc_attach(x)\n", text)

    def test_branches_that_ask_for_openacc(self) -> None:
        text = "subroutine s(x)\n#ifdef _OPENACC\n  use openacc\n#endif\n  real :: x(9)\n#if defined(_OPENACC) && 1\n  !$acc update self(x)\n#else\n  x = 1\n#endif\nend\n"
        self.write("a.F90", text)
        (file,) = self.report("a.F90", status=ASSUMED)["files"]
        self.assertEqual([(one["line"], one["code"]) for one in file["remarks"]], [(0, "GW1013"), (6, "GW1005")])


class FortranSources(FortranTest):
    """Several sources and their modules."""

    def program(self) -> None:
        self.write("src/a_main.F90", "program p\n  use middle\n  !$acc update self(u)\nend program\n")
        self.write("src/b_middle.F90", "module middle\n  use last\ncontains\n  subroutine s\n    !$acc update device(u)\n  end subroutine\nend module\n")
        self.write("src/deep/c_last.f90", "module last\n  real, allocatable :: u(:)\nend module\n")

    def test_modules_in_the_wrong_order(self) -> None:
        self.program()
        files = ["src/a_main.F90", "src/b_middle.F90", "src/deep/c_last.f90"]
        for order in (files, files[::-1]):
            report = self.report(*order, status=TRANSLATED)
            self.assertEqual([file["file"] for file in report["files"]], order)
            self.assertEqual(report["counts"]["translated"], 2)

    def test_a_folder(self) -> None:
        self.program()
        done = self.port("src", "--check")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""))
        self.assertIn("2 directives: 2 translated, 0 assumed, 0 refused\n1 source is without OpenACC\n", done.stdout)
        self.assertNotIn("c_last", done.stdout)

    def test_a_submodule(self) -> None:
        self.write("a.f90", "submodule (m) n\ncontains\n  module procedure s\n    !$acc update self(x)\n  end procedure\nend submodule\n")
        self.write("b.f90", "module m\n  interface\n    module subroutine s(x)\n      real, intent(inout) :: x(:)\n    end subroutine\n  end interface\nend module\n")
        self.assertEqual(self.report("a.f90", "b.f90", status=TRANSLATED)["counts"]["translated"], 1)

    def test_a_list_of_commands(self) -> None:
        self.program()
        self.write("src/a_main.F90", "program p\n  use middle\n  !$acc update self(u(1:SIZE))\nend program\n")
        listed = []
        for name, command in (("src/a_main.F90", "gfortran '-DSIZE=3' -O2 -c"), ("src/b_middle.F90", "gfortran -c"), ("src/deep/c_last.f90", "gfortran -c")):
            listed.append({"directory": str(self.folder), "file": name, "command": f"{command} {name}"})
        self.write("build/compile_commands.json", json.dumps(listed))
        for options in (("--commands", "build"), ("src/a_main.F90", "src/b_middle.F90", "--commands", "build/compile_commands.json")):
            self.assertEqual(self.report(*options, status=TRANSLATED)["counts"]["translated"], 2)
        report = self.report("src/a_main.F90", "--commands", "build", status=TRANSLATED)  # modules by the list
        self.assertEqual([Path(file["file"]).name for file in report["files"]], ["a_main.F90"])
        listed[0] = {"directory": str(self.folder), "file": "src/a_main.F90", "arguments": ["gfortran", "-D", "SIZE=3", "src/a_main.F90"]}
        self.write("build/compile_commands.json", json.dumps(listed))
        self.assertEqual(self.report("--commands", "build", status=TRANSLATED)["counts"]["translated"], 2)
        self.write("build/compile_commands.json", "[{]")
        self.refuses("--fortran", "--commands", "build", "--check", message="it is no compile_commands.json")
        self.write("other.F90", "end\n")
        self.write("build/compile_commands.json", json.dumps(listed))
        self.refuses("other.F90", "--commands", "build", "--check", message="other.F90: --commands does not list it")

    def test_a_missing_module(self) -> None:
        self.program()
        self.refuses("src/a_main.F90", "--check", message="src/a_main.F90:2:7: module 'middle' is in no source that is given. Name its source")
        self.refuses("src/b_middle.F90", "--check", message="src/b_middle.F90:2:7: module 'last' is in no source")

    def test_modules_in_a_circle(self) -> None:
        self.write("a.F90", "module a\n  use b\nend module\n")
        self.write("b.F90", "module b\n  use a\nend module\n")
        self.refuses("a.F90", "b.F90", "--check", message="its modules use each other in a circle")

    def test_a_module_openacc_of_the_program_s_own(self) -> None:
        self.write("a.F90", "subroutine s\n  use openacc, only: mine\n  !$acc wait\nend\n")
        self.write("b.F90", "module openacc\n  integer :: mine\nend module\n")
        self.assertEqual(self.report("a.F90", "b.F90", status=TRANSLATED)["counts"]["translated"], 1)
        self.refuses("a.F90", "--check", message="'mine'")

    def test_beside_c(self) -> None:
        self.program()
        self.write("src/x.c", "void f(int n, double *x) {\n#pragma acc parallel loop copy(x[0:n])\n  for (int i = 0; i < n; ++i)\n    x[i] = 1;\n}\n")
        self.refuses("src/x.c", "src/a_main.F90", "--check", message="src/a_main.F90 is Fortran, and src/x.c is not: give each language a command of its own")
        done = self.port("src", "--check")
        self.assertIn("1 directive: 1 translated", done.stdout)
        self.assertIn("2 Fortran sources are left out: --fortran reads them\n", done.stdout)
        done = self.port("src", "--fortran", "--check")
        self.assertIn("2 directives: 2 translated", done.stdout)


class FortranBadInput(FortranTest):
    def test_one_way(self) -> None:
        self.write("a.F90", "subroutine s\n  !$acc wait\nend\n")
        self.refuses("a.F90", message="give one of --check, --output DIR and --in-place")
        self.refuses("a.F90", "--check", "--verify", message="--verify is for C and C++")
        self.refuses("a.F90", "--check", "--queues", message="--queues is for C and C++")

    def test_what_flang_does_not_take(self) -> None:
        for text, message in (
            ("subroutine s\n  x = = 1\nend\n", "a.F90:2:"),
            ("subroutine s\n  implicit none\n  x = 1\nend\n", "a.F90:3:3: error: No explicit type declared for 'x'"),
            ("subroutine s\n  !$acc parallel loop copyinn(x)\n  do i = 1, 3\n  end do\nend\n", "a.F90:2:"),
            ("subroutine s(x)\n  real :: x(3)\n  !$acc update if(.true.)\nend\n", "a.F90:3:"),
            ("this is no program", "a.F90:1:"),
            ("#include \"missing.h\"\nend\n", "missing.h"),
        ):
            with self.subTest(text):
                self.write("a.F90", text)
                self.refuses("a.F90", "--check", message=message)
                self.refuses("a.F90", "--check", message="a.F90: Flang does not take it")

    def test_each_bad_source_is_told(self) -> None:
        self.write("a.F90", "subroutine s\n  x = = 1\nend\n")
        self.write("b.F90", "subroutine t\n  y = = 1\nend\n")
        self.refuses("a.F90", "b.F90", "--check", message="b.F90:2:")
        self.refuses("a.F90", "b.F90", "--check", message="a.F90:2:")

    def test_what_is_no_source(self) -> None:
        self.write("a.txt", "end\n")
        self.refuses("missing.F90", "--check", message="missing.F90: there is no such file")
        self.refuses("a.txt", "--fortran", "--check", message="a.txt: its name has none of Fortran's endings")
        self.write("a.F90", "end\n")
        self.refuses("a.F90", "--check", "--", "-fwhatever", message="-fwhatever: of flags for Fortran")
        self.refuses(".", "--check", message="none of the 1 sources there asks for OpenACC")
        done = self.port("a.F90", "--check")
        self.assertEqual((done.returncode, done.stdout), (TRANSLATED, "0 directives: 0 translated, 0 assumed, 0 refused\n"))

    def test_reports_spare_sources(self) -> None:
        source = self.write("a.F90", "end\n")
        self.refuses("a.F90", "--check", "--json", "./a.F90", message="./a.F90 is a source, and no place for a report")
        self.assertEqual(source.read_text(), "end\n")

    def test_nothing_is_left_of_module_files(self) -> None:
        self.write("a.F90", "module a\n  real :: x\nend module\n")
        with tempfile.TemporaryDirectory() as own:
            self.assertEqual(self.port("a.F90", "--check", TMPDIR=own).returncode, TRANSLATED)
            self.assertEqual(os.listdir(own), [])
        self.assertEqual([path.name for path in self.folder.iterdir()], ["a.F90"])


class FortranOutput(FortranTest):
    """Files that are written, and those that are spared."""

    LOOP = "subroutine s(x)\n  real, intent(inout) :: x(9)\n  integer :: i\n  !$acc parallel loop copy(x)\n  do i = 1, 9\n    {}\n  end do\nend\n"

    def files(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())

    def test_a_folder_of_output(self) -> None:
        self.write("src/a.F90", self.LOOP.format("x(i) = i"))
        self.write("src/deep/b.f90", "subroutine t(x)\n  real :: x(9)\n  !$acc update self(x)\nend\n")
        done = self.port("src", "--output", "out", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""), done.stdout)
        self.assertEqual(self.files(), ["out/a.F90", "out/a_kernels.cpp", "out/deep/b.F90", "src/a.F90", "src/deep/b.f90"])
        first, second = json.loads(done.stdout)["files"]
        self.assertEqual((first["output"], first["kernels"]), ("out/a.F90", "out/a_kernels.cpp"))
        self.assertEqual((second["output"], "kernels" in second), ("out/deep/b.F90", False))
        self.assertIn("call a_line4(x)", (self.folder / "out/a.F90").read_text())
        self.assertIn('extern "C" void a_line4(', (self.folder / "out/a_kernels.cpp").read_text())
        self.refuses("src", "--output", "out", message="out/a.F90 exists, and is not overwritten; remove it, or give another --output")
        (self.folder / "out/a.F90").unlink()
        self.refuses("src", "--output", "out", message="out/a_kernels.cpp exists, and is not overwritten")

    def test_what_is_said_is_what_is_written(self) -> None:
        self.write("a.F90", self.LOOP.format("print *, x(i)") + self.LOOP.format("x(i) = 2*x(i)").replace("subroutine s", "subroutine t"))
        done = self.port("a.F90", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (REFUSED, ""))
        self.assertTrue(done.stdout.endswith("a.F90: written to out/a.F90 and out/a_kernels.cpp\n2 directives: 1 translated, 0 assumed, 1 refused\n"), done.stdout)
        checked = self.port("a.F90", "--check").stdout
        self.assertEqual(checked, done.stdout.replace("a.F90: written to out/a.F90 and out/a_kernels.cpp\n", ""))
        self.assertIn("  ! gangway port: not translated: 'print' (line 6) in a kernel [GW5016]\n  ! By hand: take it out of the kernel\n"
                      "  !$acc parallel loop copy(x)\n", (self.folder / "out/a.F90").read_text())  # fmt: skip

    def test_a_procedure_of_another_source(self) -> None:
        """The kernel gets a function; what stands in the way in it is told where it is called."""
        part = "module m\n  integer :: k = 3\ncontains\n  subroutine set(x)\n    !$acc routine seq\n    real, intent(out) :: x\n    x = {}\n  end subroutine\nend module\n"
        self.write("a.F90", self.LOOP.format("call set(x(i))").replace("(x)\n", "(x)\n  use m, only: set\n", 1))
        self.write("m.F90", part.format("2"))
        done = self.port("a.F90", "m.F90", "--output", "one")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""), done.stdout)
        self.assertIn("KOKKOS_FUNCTION void set_routine(float& x) {\n  x = 2.0F;\n", (self.folder / "one/a_kernels.cpp").read_text())
        self.write("m.F90", part.format("k"))
        done = self.port("a.F90", "m.F90", "--output", "two")
        self.assertEqual(done.returncode, REFUSED)
        self.assertRegex(done.stdout, r"a.F90:5:3: parallel loop: refused: 'set', of another source: 'set' uses 'k', .*\(line 7\)")

    def test_kokkos_begins_after_mpi(self) -> None:
        main = "program p\n  implicit none\n  real :: x(9)\n  call begin()\n  call s(x)\nend program\n"
        begin = "subroutine begin()\n  integer :: code\n  {}\nend subroutine\n"
        call = "call gangway_initialize(GANGWAY_HERE)\n"
        self.write("loop.F90", self.LOOP.format("x(i) = i"))
        self.write("main.F90", main)
        self.write("begin.F90", begin.format("call MPI_Init_thread(0, code, &\n    code)\n  code = 1"))
        done = self.port("main.F90", "begin.F90", "loop.F90", "--output", "one")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""), done.stdout)
        self.assertNotIn(call, (self.folder / "one/main.F90").read_text())
        self.assertIn("call gangway_finalize(GANGWAY_HERE)\nend program", (self.folder / "one/main.F90").read_text().replace("  call", "call"))
        self.assertIn(f"    code)\n  {call}  code = 1\n", (self.folder / "one/begin.F90").read_text())
        for place, number in (("if (code > 0) call mpi_init(code)", 3), ("call mpi_init(code)\n  call mpi_init(code)", 4)):
            self.write("begin.F90", begin.format(place))
            folder = f"other{number}"
            done = self.port("main.F90", "begin.F90", "loop.F90", "--output", folder)
            self.assertRegex(done.stdout, rf"begin.F90:{number}:1: assumed: Kokkos begins first in 'main'.* \[GW1012\]")
            self.assertIn(call, (self.folder / folder / "main.F90").read_text())
            self.assertNotIn(call, (self.folder / folder / "begin.F90").read_text())
        self.write("begin.F90", begin.format("call mpi_init(code)"))
        done = self.port("begin.F90", "loop.F90", "--output", "none")  # whoever calls it begins Kokkos
        self.assertEqual(done.returncode, TRANSLATED, done.stdout)
        self.assertNotIn(call, (self.folder / "none/begin.F90").read_text())

    def test_in_place(self) -> None:
        plain = self.write("b.F90", "subroutine t\nend\n")
        source = self.write("a.F90", self.LOOP.format("x(i) = i"))
        done = self.port("a.F90", "b.F90", "--in-place")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""), done.stdout)
        self.assertEqual((plain.read_text(), self.files()), ("subroutine t\nend\n", ["a.F90", "a_kernels.cpp", "b.F90"]))
        self.assertIn("call a_line4(x)", source.read_text())
        source.write_text(self.LOOP.format("x(i) = i"))
        self.refuses("a.F90", "--in-place", message="a_kernels.cpp exists, and is not overwritten; remove it, or give --output DIR")
        self.write("c.f90", self.LOOP.format("x(i) = i"))
        self.refuses("c.f90", "--in-place", message="c.f90: what comes out is preprocessed, so its name has to end in .F90")

    def test_nothing_is_written_if_one_is_no_good(self) -> None:
        self.write("a.F90", self.LOOP.format("x(i) = i"))
        self.write("b.F90", "subroutine t\n  x = = 1\nend\n")
        before = self.files()
        for options in (("--output", "out"), ("--in-place",)):
            self.refuses("a.F90", "b.F90", *options, message="b.F90: Flang does not take it")
            self.refuses("a.F90", "missing.F90", *options, message="missing.F90: there is no such file")
        self.refuses("a.F90", "--output", "out", "--json", "out/a.F90", message="out/a.F90 is where a translation goes")
        self.write("deep/a.F", "      end\n")
        self.refuses("a.F90", "deep/a.F", "--output", "out", message="out/a_kernels.cpp: two of the sources would be written there")
        (self.folder / "deep/a.F").unlink()
        self.assertEqual(self.files(), before)
        self.write("out", "")
        self.refuses("a.F90", "--output", "out", message="--output out:")

    def test_a_main_program(self) -> None:
        self.write("a.F90", "integer :: i\n!$acc wait\ni = 1\nend\n")
        self.write("b.F90", "program p\n  use openacc\n  implicit none\n  call acc_wait_all()\n  stop\nend program\n")
        done = self.port("a.F90", "b.F90", "--output", "out")
        self.assertEqual((done.returncode, done.stderr), (TRANSLATED, ""), done.stdout)
        self.assertEqual((self.folder / "out/a.F90").read_text(), """\
#include <gangway/fortran/here.inc>
program gangway_main
  use gangway
integer :: i
call gangway_initialize(GANGWAY_HERE)
call gangway_wait()
i = 1
call gangway_finalize(GANGWAY_HERE)
end
""")
        self.assertEqual((self.folder / "out/b.F90").read_text(), """\
#include <gangway/fortran/here.inc>
program p
  use gangway
  ! use openacc
  implicit none
  call gangway_initialize(GANGWAY_HERE)
  call gangway_wait()
  call gangway_finalize(GANGWAY_HERE)
  stop
end program
""")

    def test_a_component_of_an_element_in_a_clause(self) -> None:
        self.write("a.F90", "subroutine s(c)\n  type cell\n    real, allocatable :: u(:)\n  end type\n  type(cell), intent(inout) :: c(2)\n"
                            "  !$acc enter data copyin(c(2)%u)\n  !$acc data copy(c(1)%u)\n  !$acc end data\nend\n")  # fmt: skip
        self.assertEqual(self.port("a.F90", "--output", "out").returncode, TRANSLATED)
        text = (self.folder / "out/a.F90").read_text()
        self.assertIn('call gangway_enter_data_copyin(c(2)%u, "c(2)%u", GANGWAY_HERE)\n', text)
        self.assertIn('%copy(c(1)%u, "c(1)%u", GANGWAY_HERE)\n', text)

    def test_a_name_of_the_translation_s(self) -> None:
        self.write("a.F90", self.LOOP.format("x(i) = i").replace("integer :: i", "integer :: i, gangway"))
        (one,) = self.report("a.F90", status=REFUSED)["files"][0]["directives"]
        self.assertEqual(one["code"], "GW1014")


class FortranReports(FortranTest):
    def test_the_text(self) -> None:
        self.write("a.F90", self.in_loop("    t = t + x(i)"))
        done = self.port("a.F90", "--check")
        self.assertEqual((done.returncode, done.stderr), (ASSUMED, ""))
        self.assertIn("a.F90:8:3: parallel loop: assumed\n    becomes `call a_line8(…)`, and its kernel in `a_kernels.cpp`", done.stdout)
        self.assertIn("\n    8:23: copy becomes `data%copy`\n", done.stdout)
        self.assertIn("\na.F90: note: no 'main' is among the sources", done.stdout)
        self.assertTrue(done.stdout.endswith("\n1 directive: 0 translated, 1 assumed, 0 refused\n"))

    def test_the_other_forms(self) -> None:
        self.write("a.F90", self.in_loop("    print *, x(i)"))
        sarif = json.loads(self.port("a.F90", "--check", "--sarif", "-").stdout)
        results = sarif["runs"][0]["results"]
        self.assertEqual([(one["ruleId"], one["level"]) for one in results], [("GW5016", "error"), ("GW1013", "note")])
        self.assertEqual(results[0]["locations"][0]["physicalLocation"]["region"], {"startLine": 8})
        self.assertEqual(sarif["version"], "2.1.0")
        page = self.port("a.F90", "--check", "--html", "-").stdout
        self.assertIn("1 directive by <code>gangway port</code>: 0 translated, 0 assumed, 1 refused.", page)
        self.assertIn("!$acc parallel loop copy(x)", page)
        files = self.port("a.F90", "--check", "--json", "a.json", "--sarif", "a.sarif", "--html", "a.html")
        self.assertEqual(files.returncode, REFUSED)
        self.assertEqual(json.loads((self.folder / "a.json").read_text())["schema"], 2)

    def test_a_code_is_explained(self) -> None:
        done = self.port("--fortran", "--explain", "gw2028")
        self.assertEqual((done.returncode, done.stdout.split("\n")[0]), (TRANSLATED, "GW2028 (refused): '…' is not contiguous"))

    def test_the_page_has_the_rules(self) -> None:
        rules = self.port("--fortran", "--rules").stdout
        self.assertGreater(rules.count("\n| `"), 100)
        self.assertIn(rules, PAGE.read_text(encoding="utf-8"), "docs/port/fortran.md has what `gangway port --fortran --rules` prints")


if __name__ == "__main__":
    unittest.main()
