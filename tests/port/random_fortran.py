#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port on random programs in Fortran.

    ./run shell --no-build tests/port/random_fortran.py --seed 1 --programs 20       so many, from that seed on
    ./run shell --no-build tests/port/random_fortran.py --seed 7 --show              only print the program of a seed

The programs, their oracle and the reducer are those of random_programs.py: a source prints without its directives what
its translation has to print, in shared, separate and strict memory, with one thread and with four. Here functions are
subroutines, and arrays have lower bounds, up to three dimensions, and the forms that Fortran has.
"""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import random_programs as base
from random_programs import BOUND, HELD, Finding, Function, Operation, Statement

KINDS = {"i4": "integer", "i8": "integer(8)", "i2": "integer(2)", "r8": "real(8)", "r4": "real(4)", "l": "logical"}

PRELUDE = """\
! Random program @seed@.
module random_program
  implicit none
  integer(8) :: hash_of = 0
@outside@
contains
  subroutine add(value)
    real(8), intent(in) :: value
    hash_of = modulo(hash_of * 1000003_8 + int(value * 16, 8), 1000000000039_8)
  end subroutine
  subroutine tell(name)
    character(*), intent(in) :: name
    print '(a,1x,z0)', name, hash_of
    hash_of = 17
  end subroutine
  integer function mixed(x, y)
    !$acc routine seq
    integer, intent(in) :: x, y
    mixed = mod(x * 7 + y * 3, 51)
  end function
  real(8) function halved(x) result(half)
    !$acc routine seq
    real(8), value :: x
    x = aint(x)
    half = x * 0.5d0
  end function
  subroutine put(where_to, what)
    !$acc routine seq
    integer, intent(inout) :: where_to
    integer, intent(in) :: what
    integer :: k
    do k = 1, 3
      if (k == 2) exit
      where_to = mod(what, 90 + k)
    end do
  end subroutine
  integer function picked(part) result(sum)
    !$acc routine seq
    integer, intent(in) :: part(0:)
    integer :: n
    sum = size(part)
    do n = 0, ubound(part, 1)
      sum = modulo(sum * 5 + part(n), 97)
    end do
  end function
  integer function weighed(part, count) result(sum)
    !$acc routine seq
    integer, intent(in) :: count, part(2:count + 1)
    integer :: n
    sum = 0
    do n = count + 1, 2, -1
      sum = modulo(sum * 3 + part(n), 89)
    end do
  end function
  pure elemental integer function wrapped(x) result(now)
    !$acc routine seq
    integer, intent(in) :: x
    if (x > 40) then
      now = 40 - mod(x, 7)
      return
    end if
    now = modulo(x, 41)
  end function
"""


@dataclass
class Array(base.Array):
    """Of Fortran, with a lower bound for each dimension."""

    lower: list[int] = field(default_factory=list)

    @property
    def is_real(self) -> bool:
        return self.element in ("r8", "r4")

    @property
    def size(self) -> int:
        size = 1
        for extent in self.extents:
            size *= extent
        return size

    def section(self, rng: random.Random) -> str:
        choice = rng.random()
        if choice < 0.7:
            return self.name
        if choice < 0.8:
            return f"{self.name}({', '.join(':' for _ in self.extents)})"
        parts = [f"{low}:{low + extent - 1}" for low, extent in zip(self.lower, self.extents)]
        return f"{self.name}({', '.join(parts)})"

    def shape(self) -> str:
        return ", ".join(f"{low}:{low + extent - 1}" if low != 1 else str(extent) for low, extent in zip(self.lower, self.extents))


class Writer(base.Writer):
    """Writes the directives as Fortran has them."""

    def lines(self) -> list[str]:
        made = []
        for line in super().lines():
            if line == "{":
                continue
            if line == "}":
                line = "!$acc end data"
            elif line.startswith("#pragma acc "):
                line = "!$acc " + line[12:].replace(" \\\n    ", " &\n!$acc & ")
            elif line.startswith(("/*", "//")):
                line = "! A comment: do i = 1, n"
            made.append(line)
        return made

    def write_update(self, operation: Operation, rng: random.Random) -> base.Iterator[str]:
        """Of a contiguous part: of the last dimension some."""
        names = sorted(name for name in operation.reads if self.held[name])
        for name in names:
            array = self.arrays[name]
            if name not in self.host_behind | self.device_behind and array.extents[-1] > 3:
                yield from self.settle()
                low = array.lower[-1] + rng.randrange(array.extents[-1] - 2)
                high = rng.randrange(low, array.lower[-1] + array.extents[-1])
                part = f"{low}:{high}" if rng.random() < 0.7 or high > low else str(low)
                yield f"#pragma acc update {operation.update}({name}({':, ' * (len(array.extents) - 1)}{part}))"
                return
        behind = self.device_behind if operation.update == "self" else self.host_behind
        for name in names:
            if name not in behind:
                yield from self.settle()
                yield f"#pragma acc update {operation.update}({self.arrays[name].section(rng)})"
                (self.host_behind if operation.update == "self" else self.device_behind).discard(name)


@dataclass
class Program(base.Program):
    def text(self) -> str:
        outside = "\n".join("  " + line for function in self.functions for line in function.outside)
        lines = [PRELUDE.replace("@seed@", str(self.seed)).replace("@outside@", outside)]
        for function in self.functions:
            lines += [function.opens, *function.head, *Writer(function).lines(), *function.tail, function.closes]
        lines += ["end module", "program main", "use random_program", "implicit none"]
        lines += [function.call for function in self.functions]
        lines += ["end program", ""]
        return "\n".join(lines)


@dataclass
class Loop:
    name: str
    kind: str
    low: int
    high: int  # the last value, or below low
    step: int = 1

    @property
    def extent(self) -> int:
        return max(self.high - self.low + 1, 1)

    @property
    def from_zero(self) -> str:
        plain = self.name if self.kind == "i4" else f"int({self.name})"
        return plain if self.low == 0 else f"({plain} {'-' if self.low > 0 else '+'} {abs(self.low)})"


class Maker:
    """Makes a subroutine."""

    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng = rng
        self.name = f"f{number}"
        self.arrays: dict[str, Array] = {}
        self.declared: list[str] = []
        self.fills: list[str] = []
        self.tail: list[str] = []
        self.outside: list[str] = []
        self.dummies: list[tuple[str, str]] = []  # arrays of the caller, and how it declares them
        self.scalars: dict[str, str] = {}
        self.numbers: dict[str, int] = {}
        self.locals: list[tuple[str, str]] = []
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.loops: list[Loop] = []
        self.at: dict[str, str] = {}
        self.fresh = 0

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def new(self, stem: str, kind: str = "") -> str:
        self.fresh += 1
        name = f"{stem}{self.fresh}"
        if kind:
            self.declared.append(f"{KINDS[kind]} :: {name}")
        return name

    # --- expressions: a text of kind integer or real(8), and what it comes to at most ---

    def index_of(self, array: Array) -> str:
        parts = []
        for low, extent in zip(array.lower, array.extents):
            if self.loops and self.chance(0.8):
                loop = self.rng.choice(self.loops)
                inner = f"{loop.from_zero} * {self.rng.choice((1, 2, 3))} + {self.rng.randrange(9)}"
                parts.append(f"{self.rng.choice(('mod', 'modulo'))}({inner}, {extent}) + ({low})")
            else:
                parts.append(str(low + self.rng.randrange(extent)))
        return ", ".join(parts)

    def as_real(self, text: str, kind: str) -> str:
        return text if kind == "r8" else f"real({text}, 8)"

    def as_integer(self, text: str, kind: str) -> str:
        return text if kind == "i4" else f"int({text})"

    def load(self, real: bool) -> tuple[str, int]:
        fit = [array for array in self.arrays.values()
               if (real or not array.is_real) and (array.name in self.at or array.name not in self.writes) and not array.total]  # fmt: skip
        if not fit:
            return ("7.5d0" if real else str(self.rng.randrange(1, 9))), 9
        array = self.rng.choice(fit)
        self.reads.add(array.name)
        if array.name in self.at and (array.name in self.writes or self.chance(0.5)):
            place = self.at[array.name]
        else:
            place = self.index_of(array)
        text = f"{array.name}({place})"
        if array.name not in self.writes and not real and array.element == "i4" and array.extents[0] < 40 and self.chance(0.15):
            rest = "".join(f", {self.rng.randrange(low, low + extent)}" for low, extent in zip(array.lower[1:], array.extents[1:]))
            if self.chance(0.4):
                return f"weighed({array.name}(:{rest}), {array.extents[0]})", HELD
            return f"mod({self.rng.choice(('sum', 'maxval', 'minval') if self.chance(0.2) else ('sum', 'picked'))}({array.name}(:{rest})), 95)", HELD
        return (self.as_real(text, array.element) if real else self.as_integer(text, array.element)), HELD

    def leaf(self, real: bool) -> tuple[str, int]:
        choice = self.rng.random()
        if choice < 0.4:
            return self.load(real)
        if choice < 0.6 and self.loops:
            loop = self.rng.choice(self.loops)
            return (f"real({loop.name}, 8)" if real else self.as_integer(loop.name, loop.kind)), 64
        pool = [(name, kind) for name, kind in [*self.locals, *self.scalars.items()] if real or kind not in ("r8", "r4")]
        pool = [(name, kind) for name, kind in pool if kind != "l"]
        if choice < 0.85 and pool:
            name, kind = self.rng.choice(pool)
            return (self.as_real(name, kind) if real else self.as_integer(name, kind)), HELD
        if choice < 0.9 and self.numbers and not real:
            return self.rng.choice(sorted(self.numbers)), 64
        number = self.rng.randrange(-9, 30)
        text = f"{number}.5d0" if real and self.chance(0.5) else f"{number}.0d0" if real else str(number)
        return (text if number >= 0 else f"({text})"), 31

    def expression(self, depth: int, real: bool = False) -> tuple[str, int]:
        if depth <= 0 or self.chance(0.15):
            return self.leaf(real)
        one, most = self.expression(depth - 1, real)
        other, also = self.expression(depth - 1, real)
        choice = self.rng.randrange(13)
        if choice < 3:
            return self.bounded(f"({one} {self.rng.choice('+-')} {other})", most + also, real)
        if choice == 3 and most * also < BOUND:
            return f"{one} * {other}", most * also
        if choice == 4:
            return f"merge({one}, {other}, {self.condition(0)})", max(most, also)
        if choice == 5:
            return f"{self.rng.choice(('max', 'min'))}({one}, {other})", max(most, also)
        if choice == 6:
            return f"sign({one}, {other})", most
        if choice == 7:
            return f"abs({one})", most
        if choice == 8:
            return f"dim({one}, {other})", most + also
        if real:
            return self.rng.choice((f"aint({one})", f"halved({one})", f"anint({one})", f"real(floor({one}), 8)", f"real(nint({one}), 8)", f"real(ceiling({one}), 8)")), most + 1
        if choice == 9:
            return f"{self.rng.choice(('mod', 'modulo'))}({one}, {self.rng.choice((2, 3, 5, 7, -4))})", 7
        if choice == 10:
            return f"{self.rng.choice(('iand', 'ior', 'ieor'))}({one}, {self.rng.choice((7, 15, 63))})", max(most, 63) * 2
        if choice == 11:
            return self.rng.choice((f"mixed({one}, {other})", f"wrapped({one})")) if most + also < BOUND >> 4 else f"mod({one}, 33)", 51
        if most < 200 and self.chance(0.3):
            return f"({one})**2", most * most
        return f"({one}) / {self.rng.randrange(2, 7)}", most

    def bounded(self, text: str, most: int, real: bool = False) -> tuple[str, int]:
        if most < BOUND:
            return text, most
        return f"mod({text}, {'101.0d0' if real else '101'})", 101

    def small(self, depth: int = 1, bound: int = 97, real: bool = False) -> str:
        """An integer, or half of one, that an element holds."""
        text, _ = self.expression(depth, real)
        return f"mod(int({text}), {bound}) * 0.5d0" if real else f"mod({text}, {bound})"

    def condition(self, depth: int) -> str:
        logical = [name for name, kind in self.locals if kind == "l"]
        if logical and self.chance(0.4):
            return self.rng.choice(("", ".not. ")) + self.rng.choice(logical)
        text = f"{self.expression(depth)[0]} {self.rng.choice(('<', '>', '<=', '>=', '==', '/='))} {self.leaf(False)[0]}"
        if depth and self.chance(0.25):
            return f"({text}) {self.rng.choice(('.and.', '.or.', '.eqv.', '.neqv.'))} ({self.condition(depth - 1)})"
        return text

    def stored(self, array: Array) -> str:
        text = self.small(2, real=array.is_real)
        return {"i8": f"int({text}, 8)", "i2": f"int({text}, 2)", "r4": f"real({text}, 4)"}.get(array.element, text) if self.chance(0.5) else text

    # --- statements of a kernel ---

    def store(self, name: str) -> Statement:
        array = self.arrays[name]
        place = f"{name}({self.at[name]})"
        if array.total:
            self.reads.add(name)
            return Statement(f"{place} = {place} + {self.small(1, 99, array.is_real)}")
        if array.element == "i4" and self.chance(0.08):
            return Statement(f"call put({place}, {self.bounded(*self.expression(1))[0]})")
        return Statement(f"{place} = {self.stored(array)}")

    def local(self) -> Statement:
        kind = self.rng.choice(("i4", "i4", "i8", "r8", "l"))
        name = self.new("t", kind)
        if kind == "l":
            made = Statement(f"{name} = {self.condition(1)}")
        else:
            made = Statement(f"{name} = {self.small(2, real=kind == 'r8')}")
        self.locals.append((name, kind))
        return made

    def statements(self, count: int, reduce: list[tuple[str, str, str]] | None = None) -> list[Statement]:
        made: list[Statement] = []
        before = len(self.locals)
        for _ in range(count):
            choice = self.rng.random()
            if choice < 0.3:
                made.append(self.local())
            elif choice < 0.6 and self.at:
                made.append(self.store(self.rng.choice(sorted(self.at))))
            elif choice < 0.72:
                made.append(self.branch(reduce))
            elif choice < 0.84:
                made.append(self.inner_loop())
            elif choice < 0.87:
                made.append(self.select(reduce))
            elif choice < 0.9:
                made.append(self.small_array())
            elif reduce:
                made.append(self.reduce_into(self.rng.choice(reduce)))
        del self.locals[before:]
        return made

    def branch(self, reduce: list[tuple[str, str, str]] | None) -> Statement:
        parts = [Statement(f"if ({self.condition(1)}) then", self.statements(self.rng.randrange(1, 3), reduce))]
        if self.chance(0.2):
            parts.append(Statement(f"else if ({self.condition(0)}) then", self.statements(1, reduce)))
        if self.chance(0.3):
            parts.append(Statement("else", self.statements(1, reduce)))
        for part in parts:
            part.needed = True
        return Statement("", parts, "end if")

    def select(self, reduce: list[tuple[str, str, str]] | None) -> Statement:
        parts = [Statement(f"select case (modulo({self.expression(1)[0]}, 5))", needed=True)]
        for which in self.rng.choice((("0", "1, 3"), (":1", "3:"), ("2:3", "default"))):
            parts.append(Statement("case default" if which == "default" else f"case ({which})", self.statements(1, reduce)))
        return Statement("", parts, "end select")

    def small_array(self) -> Statement:
        length, low = self.rng.randrange(2, 5), self.rng.choice((0, 1))
        name = self.new("y")
        self.declared.append(f"integer :: {name}({low}:{low + length - 1})")
        self.private.append(name)
        local = self.new("t", "i4")
        index = f"modulo({self.expression(1)[0]}, {length}) + {low}"
        fill = self.rng.choice((f"{name} = {self.small()}", f"{name}(:) = {self.small()}"))
        made = Statement(f"{fill}\n{name}({low}) = {self.small()}\n{local} = {name}({index})")
        if self.chance(0.3):
            made.head += f"\ndo while ({local} > 7)\n{local} = {local} - 7\nend do"
        self.locals.append((local, "i4"))
        return made

    def inner_loop(self) -> Statement:
        name, total = self.new("k", "i4"), self.new("s", "i4")
        high = self.rng.randrange(0, 6)
        directive = self.rng.choice(("", "", "!$acc loop seq\n"))
        label = self.new("walk") if self.chance(0.3) and not directive else ""
        self.loops.append(Loop(name, "i4", 0, max(high, 1)))
        body = [Statement(f"{total} = mod({total} + {self.small()}, 97)")]
        if self.chance(0.2):
            body.insert(0, Statement(f"if ({self.condition(0)}) {self.rng.choice(('cycle', 'exit') if not directive else ('cycle',))}{' ' + label if label and self.chance(0.5) else ''}"))
        if self.chance(0.2):
            deep = self.new("m", "i4")
            body.append(Statement(f"do {deep} = {self.rng.choice(('3, 1, -1', '1, 3', f'{name}, 4', '1, 9, 4'))}\n{total} = mod({total} * 3 + {deep}, 89)\nend do"))
        self.loops.pop()
        head = f"{directive}{label + ': ' if label else ''}do {name} = {self.rng.choice((f'0, {high}', f'{high}, 0, -1', f'0, {high}, 2'))}"
        statements = [Statement(head, body, f"end do{' ' + label if label else ''}")]
        self.locals.append((total, "i4"))
        if self.at:
            statements.append(self.store(self.rng.choice(sorted(self.at))))
        self.locals.pop()
        return Statement(f"{total} = {self.rng.randrange(5)}", statements)

    def reduce_into(self, reduction: tuple[str, str, str]) -> Statement:
        operation, name, kind = reduction
        text = self.small(1, 97, kind == "r8")
        if kind == "i8":
            text = f"int({text}, 8)"
        if operation == "+":
            return Statement(self.rng.choice((f"{name} = {name} + {text}", f"{name} = {text} + {name}", f"{name} = {name} - {text}")))
        if operation == "*":
            return Statement(f"{name} = {name} * merge({'2' if kind == 'i8' and self.chance(0) else '-1'}{'_8' if kind == 'i8' else '.0d0' if kind == 'r8' else ''}, "
                             f"1{'_8' if kind == 'i8' else '.0d0' if kind == 'r8' else ''}, {self.condition(0)})")  # fmt: skip
        if operation in ("max", "min"):
            if self.chance(0.3):
                return Statement(f"if ({text} {'>' if operation == 'max' else '<'} {name}) {name} = {text}")
            return Statement(f"{name} = {operation}({name}, {text})")
        if operation in (".and.", ".or."):
            return Statement(f"{name} = {name} {operation} ({self.condition(0)})")
        return Statement(f"{name} = {operation}({name}, {text})")

    # --- loops ---

    def number(self, value: int, kind: str = "i4") -> str:
        if self.chance(0.5) or not self.numbers or kind != "i4":
            return str(value)
        name = self.rng.choice(sorted(self.numbers))
        difference = value - self.numbers[name]
        return name if difference == 0 else f"{name} {'+' if difference > 0 else '-'} {abs(difference)}"

    def head_of(self, loop: Loop) -> str:
        first, last = (loop.low, loop.high) if loop.step > 0 else (loop.high, loop.low)
        step = "" if loop.step == 1 else f", {loop.step}"
        if loop.step > 0 and loop.high < loop.low and self.chance(0.5):
            last -= 3  # no trips at all
        return f"do {loop.name} = {self.number(first, loop.kind)}, {self.number(last, loop.kind)}{step}"

    def loop_over(self, extent: int) -> Loop:
        kind = self.rng.choice(("i4", "i4", "i4", "i8"))
        low = self.rng.choice((1, 1, 1, 0, 2, -3))
        loop = Loop(self.new(self.rng.choice("ijkl"), kind), kind, low, low + extent - 1)
        if self.chance(0.2):
            loop.high -= self.rng.randrange(4)
        if self.chance(0.2):
            loop.step = self.rng.choice((2, 3))
        elif self.chance(0.2) and loop.high >= loop.low:
            loop.step = -1
        return loop

    @staticmethod
    def shifted(loop: Loop, low: int) -> str:
        return loop.name if low == loop.low else f"{loop.name} {'+' if low > loop.low else '-'} {abs(low - loop.low)}"

    def space(self, depth: int) -> list[Loop]:
        """Loops in each other, and where each of their iterations finds elements of its own: sets `at`."""
        self.at = {}
        same = [array for array in self.arrays.values() if len(array.extents) == depth]
        flat = [array for array in self.arrays.values() if len(array.extents) == 1]
        if same and (depth == 1 or self.chance(0.7)):
            main = self.rng.choice(same)
            loops = [self.loop_over(extent) for extent in reversed(main.extents)]
            for array in same:
                if all(a >= b for a, b in zip(array.extents, main.extents)) and (array is main or self.chance(0.4)):
                    self.at[array.name] = ", ".join(self.shifted(loop, low) for loop, low in zip(reversed(loops), array.lower))
            return loops
        main = self.rng.choice(flat)
        left, loops = main.size, []
        for _ in range(depth):
            extent = self.rng.randrange(1, max(2, min(left, 9)))
            loops.append(self.loop_over(extent))
            left //= extent
        linear = loops[0].from_zero
        for loop in loops[1:]:
            linear = f"({linear} * {loop.extent if loop.step > 0 or True else 0} + {loop.from_zero})"
        self.at[main.name] = f"{linear} + ({main.lower[0]})"
        return loops

    # --- operations ---

    def begin(self) -> None:
        self.reads, self.writes, self.locals, self.loops, self.at, self.private = set(), set(), [], [], {}, []

    def pick_reductions(self) -> tuple[list[tuple[str, str, str]], list[str]]:
        made, clauses = [], []
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            operation = self.rng.choice(("+", "+", "*", "max", "min", "iand", "ior", "ieor", ".and.", ".or."))
            kind = self.rng.choice(("i4", "i8", "r8") if operation in ("+", "*", "max", "min") else ("i4", "i8"))
            if operation in (".and.", ".or."):
                kind = "l"
            name = self.new("r", kind)
            self.fills.append(f"{name} = {self.rng.choice(('.true.', '.false.') if kind == 'l' else ('0', '1', '7'))}")
            self.tail.append(f"call add({f'merge(1d0, 2d0, {name})' if kind == 'l' else self.as_real(name, kind)})")
            made.append((operation, name, kind))
            clauses.append(f"reduction({operation}:{name})")
        return made, clauses

    def close(self, operation: Operation) -> Operation:
        operation.reads, operation.writes = set(self.reads), set(self.writes)
        operation.seed = self.rng.randrange(1 << 30)
        operation.defaults = self.chance(0.1)
        if self.private:
            operation.clauses.append(f"private({', '.join(self.private)})")
        if operation.construct and not operation.needs_wait and self.chance(0.2):
            operation.queue = self.rng.choice(("none", "1", "2"))
        for name in sorted(operation.reads | operation.writes):
            clause = "copy" if name in operation.writes or self.chance(0.3) else "copyin"
            operation.own[name] = "" if self.chance(0.3) else f"{clause}({self.arrays[name].section(self.rng)})"
        return operation

    def nest(self) -> Operation:
        self.begin()
        depth = self.rng.choice((1, 1, 1, 2, 2, 3))
        loops = self.space(depth)
        self.loops = list(loops)
        self.writes = set(self.at)
        reductions, reducing = self.pick_reductions()
        model = self.rng.choice(("parallel", "parallel", "parallel", "kernels", "serial"))
        body = []
        clauses = list(reducing)
        if model == "parallel" and self.chance(0.15):
            name = self.new("h", "i4")
            self.fills.append(f"{name} = 11")
            clauses.append(f"firstprivate({name})")
            local = self.new("t", "i4")
            body.append(Statement(f"{local} = {name} + {self.rng.randrange(9)}"))
            self.locals.append((local, "i4"))
        body += self.statements(self.rng.randrange(1, 5), reductions)
        body.append(self.store(self.rng.choice(sorted(self.at))))
        body += [self.reduce_into(reduction) for reduction in reductions]
        if self.chance(0.25) and (atomic := self.atomic()):
            body.append(atomic)
        clauses += self.rng.choice(([], ["gang"], ["gang", "vector"], ["vector_length(32)"])) if model == "parallel" else []
        if model == "kernels":
            clauses.append("independent")
        mode = self.rng.choice(("collapse", "tile", "each", "plain")) if depth > 1 and model != "serial" else "plain"
        if mode == "collapse":
            clauses.append(f"collapse({self.rng.randrange(2, depth + 1)})")
        elif mode == "tile":
            clauses.append(f"tile({', '.join(self.rng.choice(('2', '8', '*')) for _ in range(depth))})")
        inner = body
        for position, loop in reversed(list(enumerate(loops))):
            directive = ""
            if position and mode == "each":
                directive = f"!$acc loop {self.rng.choice(('vector', '', 'seq')) if position == depth - 1 else ''} {' '.join(reducing)}\n"
                if "vector" in directive and "vector" in clauses:
                    clauses.remove("vector")
            inner = [Statement(directive + self.head_of(loop), inner, "end do")]
        operation = Operation(inner, construct=f"{model} loop", clauses=clauses, needs_wait=bool(reductions))
        if self.chance(0.1) and self.numbers:
            number, least = self.rng.choice(sorted(self.numbers)), self.rng.randrange(60)
            clauses.append(f"if({number} > {least})")
            operation.on_host = self.numbers[number] <= least
        return self.close(operation)

    def atomic(self) -> Statement | None:
        totals = [array for array in self.arrays.values() if array.total and array.name not in self.at]
        if not totals:
            return None
        array = self.rng.choice(totals)
        self.writes.add(array.name)
        self.reads.add(array.name)
        place = f"{array.name}({self.index_of(array)})"
        text = self.small(1, 97, array.is_real)
        form = self.rng.randrange(4)
        if form == 0 and not array.is_real:
            local = self.new("t", array.element)
            return Statement(f"!$acc atomic capture\n{place} = {place} + {text}\n{local} = {place}\n!$acc end atomic")
        word = self.rng.choice(("", " update"))
        value = (f"{place} + {text}", f"{text} + {place}", f"{place} - {text}", f"max({place}, {place})")[form] if form < 3 else f"{place} + 1"
        return Statement(f"!$acc atomic{word}\n{place} = {value}")

    def rows(self) -> Operation:
        """Gangs with lanes in them, and statements between those; columns of an array as sections."""
        two = [array for array in self.arrays.values() if len(array.extents) == 2 and not array.total]
        if not two:
            return self.nest()
        self.begin()
        array = self.rng.choice(two)
        outer, inner = self.loop_over(array.extents[1]), self.loop_over(array.extents[0])
        self.loops = [outer]
        self.writes = {array.name}
        body = [self.local()]
        column = self.shifted(outer, array.lower[1])
        if self.chance(0.5):
            body.append(Statement(self.rng.choice((
                f"{array.name}(:, {column}) = {self.stored(array)}",
                f"where ({array.name}(:, {column}) > 5) {array.name}(:, {column}) = 4",
                f"where ({array.name}(:, {column}) > 5)\n{array.name}(:, {column}) = {array.name}(:, {column}) - 5\nelsewhere\n{array.name}(:, {column}) = 2\nend where",
                f"{array.name}({array.lower[0]}:{array.lower[0] + 1}, {column}) = {array.name}({array.lower[0]}:{array.lower[0] + 1}, {column}) / 2 + 1"))))  # fmt: skip
            self.reads.add(array.name)
        self.loops.append(inner)
        self.at = {array.name: f"{self.shifted(inner, array.lower[0])}, {column}"}
        total = self.new("s", "i4")
        body.append(Statement(f"{total} = {self.rng.randrange(5)}", needed=True))
        inside = [*self.statements(self.rng.randrange(0, 3)), self.store(array.name), Statement(f"{total} = {total} + {self.small()}")]
        body.append(Statement(f"!$acc loop vector reduction(+:{total})\n{self.head_of(inner)}", inside, "end do"))
        self.loops.pop()
        self.locals.append((total, "i4"))
        self.at = {array.name: f"{array.lower[0] + self.rng.randrange(array.extents[0])}, {column}"}
        body.append(self.store(array.name))
        self.reads.add(array.name)
        return self.close(Operation([Statement(self.head_of(outer), body, "end do")], construct="parallel loop gang"))

    def kernels(self) -> Operation:
        """Loops that nobody promises anything of, and assignments of arrays and sections between them."""
        self.begin()
        body: list[Statement] = []
        touched: set[str] = set()
        for _ in range(self.rng.randrange(1, 4)):
            if self.chance(0.5):
                array = self.rng.choice(sorted(self.arrays.values(), key=lambda one: one.name))
                self.loops, self.at, self.writes = [], {}, {array.name}
                value = self.stored(array)
                like = [one for one in self.arrays.values() if one.extents == array.extents and one.element == array.element and one is not array]
                every = ", ".join(":" for _ in array.extents)
                front = ", ".join(":" for _ in array.extents[1:])
                front += ", " if front else ""
                first, last = array.lower[-1], array.lower[-1] + array.extents[-1] - 1
                forms = [f"{array.name} = {value}", f"{array.name}({every}) = {array.name}({every}) / 2 + 3", f"{array.name}({front}{first}:{last}:2) = {value}",
                         f"{array.name}({front}{last}) = {array.name}({front}{first})", f"where ({array.name} > 9) {array.name} = 9"]  # fmt: skip
                if like:
                    forms += [f"{array.name} = abs({like[0].name}) + 1", f"{array.name}({every}) = merge({like[0].name}({every}), {array.name}({every}), {like[0].name}({every}) > 3)"]
                    self.reads.add(like[0].name)
                self.reads.add(array.name)
                body.append(Statement(self.rng.choice(forms)))
            else:
                loops = self.space(self.rng.choice((1, 1, 2)))
                self.loops, self.writes = list(loops), set(self.at)
                inside = [*self.statements(self.rng.randrange(0, 3)), self.store(self.rng.choice(sorted(self.at)))]
                for loop in reversed(loops):
                    inside = [Statement(self.head_of(loop), inside, "end do")]
                body += inside
            touched |= self.writes
        self.writes = touched
        if self.private:  # a clause that `kernels` has not
            return self.nest()
        return self.close(Operation([Statement("", body, "!$acc end kernels")], construct="kernels", needs_wait=True))

    def serial(self) -> Operation:
        self.begin()
        array = self.rng.choice(sorted(self.arrays.values(), key=lambda one: one.name))
        name = self.new("z", "i4")
        self.fills.append(f"{name} = 3")
        self.tail.append(f"call add({self.as_real(name, 'i4')})")
        self.writes = {array.name}
        self.at = {array.name: self.index_of(array)}
        body = [*self.statements(2), self.store(array.name), Statement(f"{name} = {self.small()}")]
        return self.close(Operation([Statement("", body, "!$acc end serial")], construct="serial", clauses=[f"copy({name})"], needs_wait=True))

    def host(self) -> Operation:
        self.begin()
        array = self.rng.choice(sorted(self.arrays.values(), key=lambda one: one.name))
        self.writes = {array.name}
        loop = Loop(self.new("i", "i4"), "i4", array.lower[0], array.lower[0] + array.extents[0] - 1)
        self.loops = [loop]
        self.at = {array.name: ", ".join([loop.name, *(str(low) for low in array.lower[1:])])}
        return self.close(Operation([Statement(self.head_of(loop), [self.store(array.name)], "end do")]))

    def region(self, depth: int) -> Operation:
        inner = [self.operation(depth - 1) for _ in range(self.rng.randrange(1, 5))]
        chosen = self.rng.sample(sorted(self.arrays), self.rng.randrange(1, len(self.arrays) + 1))
        operation = Operation(region=inner, seed=self.rng.randrange(1 << 30), dynamic=self.chance(0.35))
        operation.holds = {name: self.rng.choice(("copy", "copy", "copyin", "copyout", "create")) for name in chosen}
        return operation

    def operation(self, depth: int) -> Operation:
        choice = self.rng.random()
        if depth > 0 and choice < 0.3:
            return self.region(depth)
        if choice < 0.65:
            return self.nest()
        if choice < 0.75:
            return self.rows()
        if choice < 0.85:
            return self.kernels()
        if choice < 0.88:
            return self.serial()
        if choice < 0.94:
            return self.host()
        if choice < 0.97:
            return Operation(update=self.rng.choice(("self", "device")), seed=self.rng.randrange(1 << 30), reads={self.rng.choice(sorted(self.arrays))})
        return Operation(wait=True)

    # --- the subroutine ---

    def add_array(self, name: str) -> None:
        rng = self.rng
        rank = rng.choice((1, 1, 2, 2, 3))
        extents = [rng.randrange(4, 60)] if rank == 1 else [rng.randrange(2, 9) for _ in range(rank)]
        form = rng.choice(("local", "heap", "global", "member", "assumed", "explicit", "pointer"))
        element = rng.choice(("i4", "i4", "i4", "i8", "i2", "r8", "r8", "r4"))
        total = rank == 1 and self.chance(0.25)
        if total:
            element = rng.choice(("i4", "i8", "r8"))
        array = Array(name, element, extents, form, total, lower=[rng.choice((1, 1, 0, -2, 5)) for _ in range(rank)])
        kind, colons = KINDS[element], ", ".join(":" for _ in range(rank))
        if form == "local":
            self.declared.append(f"{kind} :: {name}({array.shape()})")
        elif form == "global":
            array.name = name = f"{self.name}_{name}"
            if self.chance(0.5):
                self.outside.append(f"{kind} :: {name}({array.shape()})")
            else:
                self.outside.append(f"{kind}, allocatable :: {name}({colons})")
                self.fills.append(f"allocate({name}({array.shape()}))")
                self.tail.append(f"deallocate({name})")
        elif form == "heap":
            self.declared.append(f"{kind}, allocatable :: {name}({colons})")
            self.fills.append(f"allocate({name}({array.shape()}))")
        elif form == "pointer":
            self.declared.append(f"{kind}, pointer :: {name}({colons})")
            self.fills.append(f"allocate({name}({array.shape()}))")
            self.tail.append(f"deallocate({name})")
        elif form == "member":
            holder = self.new("g")
            self.outside.append(f"type {self.name}_{holder}\n    integer :: count\n    {kind}, allocatable :: {name}({colons})\n  end type")
            self.declared.append(f"type({self.name}_{holder}) :: {holder}")
            array.name = f"{holder}%{name}"
            self.fills.append(f"allocate({array.name}({array.shape()}))")
        else:
            shape = array.shape() if form == "explicit" else ", ".join(f"{low}:" if low != 1 else ":" for low in array.lower)
            self.declared.append(f"{kind}, intent(inout) :: {name}({shape})")
            self.dummies.append((name, f"{kind} :: {name}({', '.join(map(str, extents))})"))
        values = f"mod([(at, at = 1, {array.size})] * 13 + {rng.randrange(50)}, 90) {'* 0.5d0' if array.is_real else ''}"
        self.fills.append(f"{array.name} = reshape({self.cast(element, values)}, [{', '.join(map(str, extents))}])")
        at = ", ".join(f"a{d}" for d in range(1, rank + 1))
        heads = [f"do a{d} = {low}, {low + extent - 1}" for d, (low, extent) in reversed(list(enumerate(zip(array.lower, extents), 1)))]
        out = "\n".join([*heads, f"call add({self.as_real(f'{array.name}({at})', element)})", *(["end do"] * rank)])
        position = len(self.tail) - (1 if self.tail and self.tail[-1].startswith("deallocate") else 0)
        self.tail.insert(position, out)
        self.arrays[array.name] = array

    @staticmethod
    def cast(element: str, text: str) -> str:
        return {"i4": text, "i8": f"int({text}, 8)", "i2": f"int({text}, 2)", "r8": text, "r4": f"real({text}, 4)"}[element]

    def make(self) -> Function:
        self.private: list[str] = []
        for name in self.rng.sample(("a", "b", "u", "v", "values", "double", "view", "range", "data", "team"), self.rng.randrange(2, 6)):
            self.add_array(name)
        if not any(len(array.extents) == 1 for array in self.arrays.values()):
            self.declared.append("integer :: extra(40)")
            self.fills.append("extra = 3")
            self.tail.append("do a1 = 1, 40\ncall add(real(extra(a1), 8))\nend do")
            self.arrays["extra"] = Array("extra", "i4", [40], "local", lower=[1])
        for name in self.rng.sample(("n", "m", "half", "count"), self.rng.randrange(1, 4)):
            self.numbers[name] = self.rng.randrange(1, 64)
            self.declared.append(f"integer :: {name}")
            self.fills.append(f"{name} = {self.numbers[name]}")
        for name in self.rng.sample(("scale", "shift", "weight"), self.rng.randrange(0, 3)):
            kind = self.rng.choice(("i4", "r8", "i8", "r4"))
            self.scalars[name] = kind
            self.declared.append(f"{KINDS[kind]} :: {name}")
            self.fills.append(f"{name} = {self.rng.randrange(1, 9)}")
        operations = [self.operation(2) for _ in range(self.rng.randrange(2, 5))]
        self.tail.append(f'call tell("{self.name}")')
        work, names = f"{self.name}_work", ", ".join(name for name, _ in self.dummies)
        opens = [f"subroutine {self.name}()", *(text for _, text in self.dummies), f"call {work}({names})", "end subroutine", f"subroutine {work}({names})"]
        head = [*self.declared, "integer :: at, a1, a2, a3", *self.fills]
        return Function(self.name, head, self.arrays, operations, self.tail, self.outside, "\n".join(opens), "end subroutine", f"call {self.name}()")


def make_program(seed: int, functions: int) -> Program:
    rng = random.Random(seed)
    return Program(seed, False, False, [Maker(random.Random(rng.randrange(1 << 40)), number).make() for number in range(functions)])


class Bench(base.Bench):
    """Builds a program of two languages."""

    def __init__(self, build: Path, folder: Path, limit: int, port: Path | None = None) -> None:
        super().__init__(build, folder, limit, port)
        self.fortran = self.compiler.replace("g++", "gfortran")
        self.plain = [self.fortran, "-w", "-O0", "-ffree-line-length-none", "-J", folder]
        self.modules = build / "src" / "gangway" / "fortran"
        library = next(path for end in ("a", "so") for path in self.modules.glob(f"libgangway_fortran.{end}"))
        self.libraries = [str(library), *self.libraries, "-lgfortran", "-lm"]
        self.flags += ["-I", str(self.modules / "binding")]

    def prepare_headers(self) -> None:
        self.flags += ["-I", str(base.ROOT / "src")]
        header = self.folder / "all.hpp"
        binding = self.compiler  # the header of gfortran's descriptors is in its own folder
        where = subprocess.run([binding.replace("g++", "gfortran"), "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
        self.flags += ["-I", where]
        header.write_text("#include <Kokkos_Core.hpp>\n#include <gangway/gangway.hpp>\n#include <gangway/fortran_kernels.hpp>\n"
                          + base.ERASED, encoding="utf-8")  # fmt: skip
        subprocess.run([self.compiler, *self.flags, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    def write(self, program: base.Program) -> Path:
        source = self.folder / "program.F90"
        source.write_text(program.text(), encoding="utf-8")
        return source

    def expected(self, program: base.Program, source: Path) -> dict[str, str] | None:
        said = []
        for start, fill in (("zero", "0"), ("snan", "85")):  # what nobody set is read by nobody
            oracle = source.with_suffix(".plain")
            built = self.call([*self.plain, "-fcheck=bounds,do,mem", f"-finit-real={start}", f"-finit-integer={fill}", source, "-o", oracle])
            if built is None or built.returncode != 0:
                return None
            done = self.call([oracle], MALLOC_PERTURB_=fill)
            if done is None or done.returncode != 0:
                return None
            said.append(self.printed(done.stdout))
        return said[0] if said[0] == said[1] else None

    def call_port(self, program: base.Program, source: Path) -> tuple[Path, dict] | Finding:
        made = super().call_port(program, source)
        return made if isinstance(made, Finding) else (made[0].with_name("program_kernels.cpp"), made[1])

    def build(self, ported: Path, binary: Path) -> subprocess.CompletedProcess[str] | None:
        host, kernels = ported.with_name("host.o"), ported.with_name("kernels.o")
        modules = self.folder / "modules"
        modules.mkdir(exist_ok=True)
        commands = [[*self.plain[:-1], modules, "-I", base.ROOT / "src", "-I", self.modules / "modules", "-c", ported.with_name("program.F90"), "-o", host]]
        objects = [host]
        if ported.is_file():
            commands.append([self.compiler, *self.flags, "-include", self.folder / "all.hpp", "-c", ported, "-o", kernels])
            objects.append(kernels)
        commands.append([self.compiler, *self.flags, *objects, "-o", binary, *self.libraries])
        for command in commands:
            done = self.call(command)
            if done is None or done.returncode != 0:
                break
        return done

    @staticmethod
    def functions_at(message: str, ported: Path) -> set[str]:
        return set()


if __name__ == "__main__":
    sys.exit(base.main(Bench, make_program))
