#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port on random programs, in the manner of Csmith.

    ./run shell --no-build tests/port/random_programs.py --seed 1 --programs 20       so many, from that seed on
    ./run shell --no-build tests/port/random_programs.py --seconds 900 --keep FOLDER  as many as there is time for
    ./run shell --no-build tests/port/random_programs.py --seed 7 --show              only print the program of a seed

A program is one source, C or C++, of functions that print checksums of all that they have computed. It has no undefined
behaviour, and means the same whether somebody reads its directives or nobody does: numbers stay small enough that no sum
rounds or overflows, each iteration writes elements of its own, and updates and waits stand wherever one of the two
memories is behind. So what the source prints, compiled without OpenACC, is what its translation has to print, in shared,
separate and strict memory, with one thread and with four.

A function with a directive that is refused is left out of the program, and its reasons are counted. A program whose
translation does not compile, ends early or prints something else is reduced, by leaving out whatever it goes wrong
without, and what is left is printed.
"""

from __future__ import annotations

import argparse
import collections
import copy
import dataclasses
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEMORIES = ("shared", "separate", "strict")
THREADS = ("1", "4")
BOUND = 1 << 20  # of what an expression comes to
HELD = 96  # of what an element holds


# --- what a program is made of ---------------------------------------------------------------


@dataclass
class Array:
    """One of a function's, with a length that is known here."""

    name: str  # as code names it: `a`, `g->u`
    element: str
    extents: list[int]
    form: str  # local, heap, global, rows, member, table
    total: bool = False  # sums are collected in it: it holds more than other arrays do
    declared: bool = False  # by the directive `declare`, for the whole program

    @property
    def is_real(self) -> bool:
        return self.element in ("float", "double")

    @property
    def size(self) -> int:
        return self.extents[0] * (self.extents[1] if len(self.extents) > 1 else 1)

    @property
    def is_pointer(self) -> bool:
        return self.form in ("heap", "rows", "member", "table")

    def section(self, rng: random.Random) -> str:
        """Of the whole array, in a clause."""
        parts = "".join(f"[0:{extent}]" for extent in self.extents)
        if self.form in ("local", "global") and rng.random() < 0.5:
            return self.name
        return self.name + parts


@dataclass
class Statement:
    """Lines of a function's, or of a kernel's. Whatever stands in `body` is left out by the reducer one by one."""

    head: str
    body: list[Statement] = field(default_factory=list)
    tail: str = ""
    needed: bool = False  # others depend on it in a way that no compiler sees

    def lines(self) -> Iterator[str]:
        if self.head:
            yield from self.head.split("\n")
        for one in self.body:
            yield from one.lines()
        if self.tail:
            yield from self.tail.split("\n")


@dataclass
class Operation:
    """What a function does, one after the other: a construct, a loop on the host, a region."""

    statements: list[Statement] = field(default_factory=list)
    construct: str = ""  # of a compute construct the directive without clauses of data
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    clauses: list[str] = field(default_factory=list)  # that may be left out
    own: dict[str, str] = field(default_factory=dict)  # a data clause for each array that nothing holds
    queue: str = ""
    region: list[Operation] = field(default_factory=list)
    holds: dict[str, str] = field(default_factory=dict)  # of a region: a clause for each array
    dynamic: bool = False  # a region of `enter data` and `exit data`
    update: str = ""  # an update that nobody needs: self or device
    wait: bool = False
    seed: int = 0  # of how it is written
    needs_wait: bool = False  # something that it computes is read by the host at once
    on_host: bool = False  # its clause `if` says so
    defaults: bool = False  # it may say that all is present

    @property
    def is_host(self) -> bool:
        return not self.construct and not self.region and not self.update and not self.wait


@dataclass
class Function:
    name: str
    head: list[str]
    arrays: dict[str, Array]
    operations: list[Operation]
    tail: list[str]
    outside: list[str]  # what stands before it
    opens: str
    closes: str = "}"
    call: str = ""

    def copy(self) -> Function:
        return copy.deepcopy(self)


@dataclass
class Program:
    seed: int
    is_c: bool
    queues: bool
    functions: list[Function]

    def of(self, functions: list[Function]) -> Program:
        """Returns a program of the same kind with these functions."""
        return dataclasses.replace(self, functions=functions)

    def text(self) -> str:
        lines = [PRELUDE.replace("@seed@", str(self.seed))]
        for function in self.functions:
            lines += function.outside
            lines.append(function.opens)
            lines += function.head
            lines += Writer(function).lines()
            lines += function.tail
            lines.append(function.closes)
        lines.append("int main(void) {")
        lines += [f"  {function.call}" for function in self.functions]
        lines += ["  return 0;", "}", ""]
        return "\n".join(lines)


PRELUDE = """\
/* Random program @seed@. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long hash_of = 0;
static void add(double value) { hash_of = hash_of * 1099511628211UL + (unsigned long)(long)(value * 16); }
static void tell(const char* name) {
  printf("%s %lx\\n", name, hash_of);
  fflush(stdout);
  hash_of = 14695981039346656037UL;
}
#pragma acc routine seq
static int mixed(int x, int y) { return (x * 7 + y * 3) % 51; }
#pragma acc routine seq
static double halved(double x) { return floor(x) * 0.5; }
#pragma acc routine seq
static int largest(const int* from, int count) {
  int found = from[0];
  for (int at = 1; at < count; ++at)
    if (from[at] > found) found = from[at];
  return found;
}
#pragma acc routine seq
static void put(int* where, int value) { *where = value % 90; }
#pragma acc routine vector
static void fill_row(int* row, int count, int start) {
#pragma acc loop vector
  for (int at = 0; at < count; ++at) row[at] = (start + at * 3) % 50;
}
#pragma acc routine worker
static void fill_rows(int* rows, int count, int width, int start) {
#pragma acc loop worker
  for (int by = 0; by < count; ++by) {
#pragma acc loop vector
    for (int at = 0; at < width; ++at) rows[by * width + at] = (start + by * 7 + at) % 50;
  }
}
#pragma acc routine gang
static void spread(int* values, int count, int start) {
#pragma acc loop gang vector
  for (int at = 0; at < count; ++at) values[at] = (values[at] + start + at) % 50;
}
#define TWICE(x) ((x) + (x))
#define LIMIT 12
#define AT(from, index) from[(index)]
static const int table_of[5] = {3, 1, 4, 1, 5};
static int level_of = 6;"""


class Writer:
    """Writes a function's operations with the updates and waits that make both memories one."""

    def __init__(self, function: Function) -> None:
        self.arrays = function.arrays
        self.held: collections.Counter[str] = collections.Counter()
        self.host_behind: set[str] = set()
        self.device_behind: set[str] = set()
        self.pending = ""  # the queue with work on it
        self.operations = function.operations
        for name, array in function.arrays.items():
            if array.declared:
                self.held[name] = 1
                self.device_behind.add(name)

    def lines(self) -> list[str]:
        lines = [line for operation in self.operations for line in self.write(operation)]
        declared = {name for name, array in self.arrays.items() if array.declared}
        return [*lines, *self.settle(), *self.refresh(declared, to_host=True, rng=random.Random(1))]

    def settle(self) -> list[str]:
        if not self.pending:
            return []
        waits = [f"#pragma acc wait({self.pending})" if self.pending != "none" else "#pragma acc wait"]
        self.pending = ""
        return waits

    def refresh(self, names: set[str], to_host: bool, rng: random.Random) -> list[str]:
        behind = self.host_behind if to_host else self.device_behind
        late = sorted(name for name in names if name in behind and self.held[name])
        behind -= set(late)
        if not late:
            return []
        waits = self.settle()
        where = rng.choice(("self", "host")) if to_host else "device"
        if len(late) > 1 and rng.random() < 0.5:
            sections = ", ".join(self.arrays[name].section(rng) for name in late)
            return [*waits, f"#pragma acc update {where}({sections})"]
        return [*waits, *(f"#pragma acc update {where}({self.arrays[name].section(rng)})" for name in late)]

    def write(self, operation: Operation) -> Iterator[str]:
        rng = random.Random(operation.seed)
        if operation.region:
            yield from self.write_region(operation, rng)
        elif operation.update:
            yield from self.write_update(operation, rng)
        elif operation.wait:
            yield from ["#pragma acc wait"]
            self.pending = ""
        elif operation.is_host:
            yield from self.settle()
            yield from self.refresh(operation.reads | operation.writes, to_host=True, rng=rng)
            for statement in operation.statements:
                yield from statement.lines()
            self.device_behind |= {name for name in operation.writes if self.held[name]}
        else:
            yield from self.write_compute(operation, rng)

    def write_update(self, operation: Operation, rng: random.Random) -> Iterator[str]:
        names = sorted(name for name in operation.reads if self.held[name])
        for name in names:
            array = self.arrays[name]
            if name not in self.host_behind | self.device_behind and array.extents[0] > 3:
                yield from self.settle()
                low = rng.randrange(array.extents[0] - 2)
                rest = "".join(f"[0:{extent}]" for extent in array.extents[1:])
                yield f"#pragma acc update {operation.update}({name}[{low}:{rng.randrange(1, array.extents[0] - low)}]{rest})"
                return
        behind = self.device_behind if operation.update == "self" else self.host_behind
        for name in names:
            if name not in behind:
                yield from self.settle()
                yield f"#pragma acc update {operation.update}({self.arrays[name].section(rng)})"
                (self.host_behind if operation.update == "self" else self.device_behind).discard(name)

    def write_compute(self, operation: Operation, rng: random.Random) -> Iterator[str]:
        touched = operation.reads | operation.writes
        queue = operation.queue if not operation.on_host else ""
        by_clause = not operation.on_host and rng.random() < 0.3  # the kernel waits, not the host
        if self.pending and self.pending != queue and not by_clause:
            yield from self.settle()
        yield from self.refresh(touched, to_host=operation.on_host, rng=rng)
        clauses = list(operation.clauses)
        if self.pending and self.pending != queue:
            clauses.append(f"wait({self.pending})" if self.pending != "none" else "wait")
            self.pending = ""
        for name in sorted(touched):
            array = self.arrays[name]
            if self.held[name]:
                if array.form == "table":
                    if rng.random() < 0.5:
                        clauses.append(f"present({array.section(rng)})")
                    continue
                choice = rng.random()
                if choice < 0.4 and not array.declared:
                    clauses.append(f"present({array.section(rng)})")
                elif choice < 0.55 and not array.declared:
                    clauses.append(f"copy({array.section(rng)})")
                elif choice < 0.6 and name not in operation.writes and not array.declared:
                    clauses.append(f"copyin({array.section(rng)})")
            elif name in operation.own and operation.own[name]:
                clauses.append(operation.own[name])
        if queue:
            clauses.append("async" if queue == "none" else f"async({queue})")
            self.pending = queue
        if operation.defaults and all(self.held[name] and not self.arrays[name].declared for name in touched):
            clauses.append("default(present)")
        rng.shuffle(clauses)
        between = " \\\n    " if rng.random() < 0.15 else (", " if rng.random() < 0.1 else " ")
        yield f"#pragma acc {operation.construct} " + between.join(clauses)
        if rng.random() < 0.1:
            yield rng.choice(("/* A comment { of a loop's. */", "// for (;;) {"))
        for statement in operation.statements:
            yield from statement.lines()
        behind = self.device_behind if operation.on_host else self.host_behind
        behind |= {name for name in operation.writes if self.held[name]}
        if operation.needs_wait:
            yield from self.settle()

    def write_region(self, operation: Operation, rng: random.Random) -> Iterator[str]:
        fresh = {name for name in operation.holds if not self.held[name]}
        yield from self.settle()
        sections = {name: self.arrays[name].section(rng) for name in sorted(operation.holds)}
        if operation.dynamic:
            enters = [f"{'create' if clause in ('create', 'copyout') else 'copyin'}({sections[name]})"
                      for name, clause in sorted(operation.holds.items())]  # fmt: skip
            if rng.random() < 0.4:
                yield from (f"#pragma acc enter data {one}" for one in enters)
            else:
                yield "#pragma acc enter data " + " ".join(enters)
        else:
            given = [f"{clause}({sections[name]})" for name, clause in sorted(operation.holds.items())]
            rng.shuffle(given)
            yield "#pragma acc data " + " ".join([*given, *operation.clauses])
            yield "{"
        for name in operation.holds:
            self.held[name] += 1
        self.device_behind |= {name for name in fresh if operation.holds[name] in ("create", "copyout")}
        self.device_behind -= {name for name in fresh if operation.holds[name] in ("copy", "copyin")}
        for inner in operation.region:
            yield from self.write(inner)
        yield from self.settle()
        back = {name for name in fresh if operation.holds[name] in ("copy", "copyout")}
        yield from self.refresh(back, to_host=False, rng=rng)
        yield from self.refresh(fresh - back, to_host=True, rng=rng)
        if operation.dynamic:
            leaves = [f"{'copyout' if clause in ('copy', 'copyout') else 'delete'}({sections[name]})"
                      for name, clause in sorted(operation.holds.items())]  # fmt: skip
            yield "#pragma acc exit data " + " ".join(leaves)
        else:
            yield "}"
        for name in operation.holds:
            self.held[name] -= 1
        self.host_behind -= fresh
        self.device_behind -= fresh


# --- how one is made -------------------------------------------------------------------------


@dataclass
class Loop:
    name: str
    kind: str
    low: int
    high: int
    step: int = 1
    outer: bool = False  # declared outside of the loop

    @property
    def from_zero(self) -> str:
        """The index, counted from 0."""
        plain = self.name if self.kind == "int" else f"(int){self.name}"
        return plain if self.low >= 0 else f"({plain} + {-self.low})"

    @property
    def extent(self) -> int:
        return max(self.high - min(self.low, 0), 1)


class Maker:
    """Makes a function."""

    NAMES = ("a", "b", "c", "u", "v", "data", "gang", "element", "a_view", "range", "values", "x", "iteration", "team", "worker", "teams")
    INTEGERS = ("int", "int", "unsigned", "long", "short", "unsigned char", "long long", "unsigned long")
    REALS = ("double", "double", "float")

    def __init__(self, rng: random.Random, number: int, is_c: bool, queues: bool) -> None:
        self.rng = rng
        self.is_c = is_c
        self.queues = queues
        self.name = f"f{number}"
        self.arrays: dict[str, Array] = {}
        self.head: list[str] = []
        self.tail: list[str] = []
        self.outside: list[str] = []
        self.scalars: dict[str, str] = {}  # the host's, by type
        self.numbers: dict[str, int] = {}  # the host's that never change
        self.locals: list[tuple[str, bool]] = []  # of a kernel, and whether they are real
        self.reads: set[str] = set()
        self.writes: set[str] = set()
        self.loops: list[Loop] = []
        self.at: dict[str, str] = {}  # the element of each array that an iteration has for itself
        self.fresh = 0

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def new(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    # --- expressions: a text, and what it comes to at most ---

    def index_of(self, array: Array) -> str:
        """A subscript for each dimension, anywhere in the array."""
        parts = []
        for extent in array.extents:
            if self.loops and self.chance(0.8):
                loop = self.rng.choice(self.loops)
                offset = self.rng.randrange(9)
                parts.append(f"[({loop.from_zero} * {self.rng.choice((1, 1, 2, 3))} + {offset}) % {extent}]")
            else:
                parts.append(f"[{self.rng.randrange(extent)}]")
        return "".join(parts)

    def load(self, real: bool) -> tuple[str, int]:
        candidates = [array for array in self.arrays.values()
                      if (real or not array.is_real) and (array.name in self.at or array.name not in self.writes) and not array.total]  # fmt: skip
        if not candidates:
            return str(self.rng.randrange(1, 9)), 9
        array = self.rng.choice(candidates)
        self.reads.add(array.name)
        place = self.at[array.name] if array.name in self.at and (array.name in self.writes or self.chance(0.5)) else self.index_of(array)
        text = array.name + place
        flat = len(array.extents) == 1 and array.form != "member"
        if flat and self.chance(0.04):
            text = f"AT({array.name}, {place[1:-1]})"
        elif flat and self.chance(0.03):
            text = f"*({array.name} + ({place[1:-1]}))"
        elif flat and array.element == "int" and array.name not in self.writes and array.size > 3 and self.chance(0.1):
            text = f"largest({array.name} + {self.rng.randrange(array.size - 2)}, 2)"
        elif array.form in ("local", "global") and self.chance(0.03):
            return f"(int)(sizeof({array.name}) / sizeof({array.name}{'[0]' * len(array.extents)}))", 400
        return (text if array.element in ("int", "double", "short", "unsigned char") or real else f"(int){text}"), HELD

    def leaf(self, real: bool) -> tuple[str, int]:
        choice = self.rng.random()
        if choice < 0.4:
            return self.load(real)
        if choice < 0.6 and self.loops:
            loop = self.rng.choice(self.loops)
            return ("(int)" if loop.kind != "int" else "") + loop.name, 64
        if choice < 0.7:
            if locals_ := [name for name, is_real in self.locals if real or not is_real]:
                return self.rng.choice(locals_), HELD
        if choice < 0.85:
            if scalars := [name for name, kind in self.scalars.items() if (real or kind not in ("double", "float"))]:
                name = self.rng.choice(scalars)
                return (name if real or self.scalars[name] in ("int", "bool") else f"(int){name}"), HELD
        if choice < 0.9:
            return self.rng.choice(("LIMIT", "TWICE(2)", *self.numbers)), 64
        if choice < 0.93:
            return f"table_of[{self.rng.randrange(5)}]", 5
        if choice < 0.95:
            return "level_of", 6
        number = self.rng.randrange(-9, 30)
        text = f"{number}.5" if real and self.chance(0.5) else str(number)
        return (text if number >= 0 else f"({text})"), 31

    def expression(self, depth: int, real: bool) -> tuple[str, int]:
        if depth <= 0 or self.chance(0.15):
            return self.leaf(real)
        one, most = self.expression(depth - 1, real)
        other, also = self.expression(depth - 1, real)
        choice = self.rng.randrange(12)
        if choice < 4:
            return self.bounded(f"({one} {self.rng.choice('+-')} {other})", most + also, real)
        if choice == 4 and most * also < BOUND:
            return f"{one} * {other}", most * also
        if choice == 5:
            relation = self.rng.choice(("<", ">", "<=", "!=", "=="))
            return self.bounded(f"({self.condition(1)} ? {one} : {other})", max(most, also), real) if self.chance(0.7) \
                else (f"({one} {relation} {other})", 1)  # fmt: skip
        if choice == 6 and not real:
            return f"mixed({one}, {other})" if most + also < BOUND >> 4 else f"({one}) % 33", 51
        if choice == 7 and real:
            function = self.rng.choice(("fmax", "fmin"))
            return f"{function}({one}, {other})", max(most, also)
        if choice == 8 and real:
            return self.rng.choice((f"fabs({one})", f"floor({one})", f"halved({one})")), most + 1
        if choice == 9 and not real:
            return f"({one}) / {self.rng.randrange(2, 7)}" if self.chance(0.5) else f"(({one}) & {self.rng.choice((7, 15, 63))})", max(most, 63)
        if choice == 10 and not real:
            return f"-({one})", most
        return one, most

    def bounded(self, text: str, most: int, real: bool) -> tuple[str, int]:
        if most < BOUND:
            return text, most
        return (f"(int)({text}) % 101" if real else f"{text} % 101"), 101

    def condition(self, depth: int) -> str:
        one, _ = self.expression(depth, False)
        other, _ = self.leaf(False)
        text = f"{one} {self.rng.choice(('<', '>', '<=', '>=', '==', '!='))} {other}"
        if depth and self.chance(0.25):
            return f"({text}) {self.rng.choice(('&&', '||'))} ({self.condition(depth - 1)})"
        return text

    def stored(self, array: Array, depth: int = 2) -> str:
        """What fits an element."""
        if array.is_real:
            text, _ = self.expression(depth, True)
            return f"(int)({text}) % 97 * 0.5" + ("f" if array.element == "float" else "")
        text, _ = self.expression(depth, False)
        return f"({text}) & 63" if "unsigned" in array.element else f"({text}) % 97"

    # --- what stands in a kernel ---

    def store(self, name: str) -> Statement:
        array = self.arrays[name]
        place = name + self.at[name]
        if array.total:
            self.reads.add(name)
            text, most = self.expression(2, array.is_real)
            return Statement(f"{place} += {text if most < 2000 else '1'};")
        if array.element == "int" and array.form != "member" and self.chance(0.06):
            return Statement(f"put(&{place}, {self.bounded(*self.expression(1, False), False)[0]});")
        if self.chance(0.15) and "unsigned" in array.element:
            self.reads.add(name)
            return Statement(f"{place} {self.rng.choice('^|&')}= ({self.expression(1, False)[0]}) & 63;")
        if not self.is_c and self.chance(0.1):
            element = self.new("e")
            reference = self.rng.choice((f"auto& {element}", f"{array.element}& {element}"))
            return Statement(f"{{\n{reference} = {place};\n{element} = {self.stored(array)};\n}}")
        return Statement(f"{place} = {self.stored(array)};")

    def declare_local(self) -> Statement:
        real = self.chance(0.3)
        name = self.new("t")
        kind = "double" if real else "int"
        text = f"(int)({self.expression(2, True)[0]}) % 90 * 0.5" if real else f"({self.expression(2, False)[0]}) % 97"
        self.locals.append((name, real))
        if not self.is_c and self.chance(0.2):
            kind = "auto"
            text = f"{'double' if real else 'int'}({text})"
        return Statement(f"{'const ' if self.chance(0.3) else ''}{kind} {name} = {text};")

    def statements(self, count: int, reduce: list[tuple[str, str, str]] | None = None) -> list[Statement]:
        made: list[Statement] = []
        before = len(self.locals)
        for _ in range(count):
            choice = self.rng.random()
            if choice < 0.3:
                made.append(self.declare_local())
            elif choice < 0.6 and self.at:
                made.append(self.store(self.rng.choice(sorted(self.at))))
            elif choice < 0.72:
                condition = self.condition(1)
                made.append(Statement(f"if ({condition}) {{", self.statements(self.rng.randrange(1, 3), reduce), "}"))
                if self.chance(0.3):
                    made[-1].tail = "} else {"
                    made.append(Statement("", self.statements(1, reduce), "}"))
                    made[-2:] = [Statement("", made[-2:])]
            elif choice < 0.82:
                made.append(self.inner_loop(reduce))
            elif choice < 0.84:
                made.append(self.choice(reduce))
            elif choice < 0.87:
                made.append(self.local_array())
            elif reduce:
                made.append(self.reduce_into(self.rng.choice(reduce)))
        del self.locals[before:]
        return made

    def choice(self, reduce: list[tuple[str, str, str]] | None) -> Statement:
        text, _ = self.expression(1, False)
        body = []
        for number in self.rng.sample(range(4), 2):
            body.append(Statement(f"case {number}:", self.statements(1, reduce), self.rng.choice(("break;", "break;", ""))))
            body[-1].head += " {"
            body[-1].tail = "} " + body[-1].tail
        body.append(Statement("default:", [], "break;"))
        return Statement(f"switch (({text}) & 3) {{", body, "}")

    def local_array(self) -> Statement:
        name, length, local = self.new("y"), self.rng.randrange(2, 5), self.new("t")
        values = ", ".join(f"(int)(({self.expression(1, False)[0]}) % 40)" for _ in range(length))
        index = self.expression(1, False)[0]
        self.locals.append((local, False))  # which its own first value does not name
        return Statement(f"const int {name}[{length}] = {{{values}}};\n"
                         f"int {local} = {name}[({index}) & 1];\ndo {{\n{local} -= 7;\n}} while ({local} > 7);")  # fmt: skip

    def inner_loop(self, reduce: list[tuple[str, str, str]] | None) -> Statement:
        """A loop that a thread does in order: sums a local, or more."""
        name = self.new("k")
        high = self.rng.randrange(1, 6)
        directive = self.rng.choice(("", "", "#pragma acc loop seq\n"))
        loop = Loop(name, "int", 0, high)
        self.loops.append(loop)
        total = self.new("s")
        text, most = self.expression(2, False)
        step = Statement(f"{total} = ({total} + {text if most < BOUND >> 1 else '1'}) % 97;")
        if self.chance(0.2) and reduce:
            body = [step, self.reduce_into(self.rng.choice(reduce))]
        else:
            body = [step]
        if self.chance(0.15):
            body.insert(0, Statement(f"if ({self.condition(0)}) continue;"))
        self.loops.pop()
        form = self.rng.randrange(3)
        if form == 0 and not directive and not any("continue" in one.head for one in body):
            inner = Statement(f"int {name} = 0;\nwhile ({name} < {high}) {{", [*body, Statement(f"++{name};", needed=True)], "}")
        else:
            inner = Statement(f"{directive}for (int {name} = 0; {name} < {high}; ++{name}) {{", body, "}")
        statements = [inner]
        self.locals.append((total, False))
        if self.at:
            statements.append(self.store(self.rng.choice(sorted(self.at))))
        self.locals.pop()
        return Statement(f"{{\nint {total} = 0;", statements, "}")

    def reduce_into(self, reduction: tuple[str, str, str]) -> Statement:
        operation, name, kind = reduction
        real = kind in ("double", "float")
        text, most = self.expression(1, real)
        if most > 3000:
            text = f"({'(int)' if real else ''}({text})) % 97"
        if operation == "+":
            return Statement(self.rng.choice((f"{name} += {text};", f"{name} = {name} + ({text});")))
        if operation == "*":
            return Statement(f"{name} *= ({self.condition(0)}) ? {'2' if kind == 'unsigned' else '-1'} : 1;")
        if operation in ("max", "min"):
            sign = ">" if operation == "max" else "<"
            if kind == "double" and self.chance(0.4):
                return Statement(f"{name} = f{operation}({name}, {text});")
            return Statement(self.rng.choice((f"if ({text} {sign} {name}) {name} = {text};",
                                              f"{name} = {name} {sign} ({text}) ? {name} : ({text});")))  # fmt: skip
        if operation in ("&&", "||"):
            return Statement(f"{name} = {name} {operation} ({self.condition(0)});")
        return Statement(f"{name} {operation}= ({self.expression(1, False)[0]}) & 63;")

    # --- loops ---

    def number(self, value: int) -> str:
        """A bound that comes to the value."""
        if self.chance(0.5) or not self.numbers:
            return str(value)
        name = self.rng.choice(sorted(self.numbers))
        difference = value - self.numbers[name]
        if difference == 0:
            return name
        return f"{name} {'+' if difference > 0 else '-'} {abs(difference)}"

    def head_of(self, loop: Loop) -> str:
        name, low, high = loop.name, loop.low, loop.high
        declared = name if loop.outer else f"{loop.kind} {name}"
        if loop.step < 0:
            last = self.rng.choice((f"{name} >= {self.number(low)}", f"{name} > {self.number(low - 1)}"))
            return f"for ({declared} = {self.number(high - 1)}; {last}; {self.rng.choice((f'--{name}', f'{name}--'))}) {{"
        ends = [f"{name} < {self.number(high)}", f"{name} <= {self.number(high - 1)}", f"{self.number(high)} > {name}"]
        if loop.kind.startswith("unsigned"):
            ends = [f"{name} < {high}u"]
        elif loop.step == 1 and low <= high:
            ends.append(f"{name} != {self.number(high)}")
        steps = (f"++{name}", f"{name}++", f"{name} += 1") if loop.step == 1 else (f"{name} += {loop.step}",)
        start = f"{low}u" if loop.kind.startswith("unsigned") else self.number(low)
        return f"for ({declared} = {start}; {self.rng.choice(ends)}; {self.rng.choice(steps)}) {{"

    def around(self, head: str, body: list[Statement]) -> Statement:
        """Without braces now and then, where one statement is in it."""
        if len(body) == 1 and self.chance(0.4) and not body[0].head.startswith(("const", "int ", "double ")) and \
                (body[0].head.startswith(("for", "if", "#pragma acc loop")) or (not body[0].body and "\n" not in body[0].head)):  # fmt: skip
            body[0].needed = True
            return Statement(head.removesuffix(" {"), body)
        comment = self.rng.choice(("", "", "", "  // in it", " /* in it */"))
        return Statement(head + comment, body, "}")

    def loop_over(self, extent: int, outer: bool = True) -> Loop:
        """Indices in [0, extent), all or some of them, or moved."""
        kind = self.rng.choice(("int", "int", "int", "long", "unsigned", "short") if extent < 64 else ("int", "long"))
        name = self.new(self.rng.choice("ijkl"))
        loop = Loop(name, kind, 0, extent)
        if self.chance(0.3):
            loop.low = self.rng.randrange(min(extent, 4))
        if self.chance(0.2):
            loop.high = max(loop.high - self.rng.randrange(4), 0)
        if self.chance(0.2):
            loop.step = self.rng.choice((2, 3, 5))
        elif self.chance(0.2) and not kind.startswith("unsigned"):
            loop.step = -1
        if self.chance(0.1) and not kind.startswith("unsigned"):
            loop.low, loop.high = loop.low - 3, loop.high - 3
            loop.low, loop.high = min(loop.low, -1), max(loop.high, 0)
            loop.high = min(loop.high, extent + loop.low)
        if outer and self.chance(0.15):
            loop.outer = True
        return loop

    def space(self, depth: int) -> tuple[list[Loop], str]:
        """Loops in each other, and where each of their iterations finds an element of its own: sets `at`."""
        self.at = {}
        arrays = [array for array in self.arrays.values() if array.size >= 4]
        two = [array for array in arrays if len(array.extents) == 2]
        if depth == 2 and two and self.chance(0.5):
            main = self.rng.choice(two)
            rows, columns = main.extents
            turned = self.chance(0.2)
            loops = [self.loop_over(columns if turned else rows), self.loop_over(rows if turned else columns)]
            one, other = (loop.from_zero for loop in (reversed(loops) if turned else loops))
            linear = f"({one} * {columns} + {other})"
            for array in two:
                if array.extents[0] >= rows and array.extents[1] >= columns and (array is main or self.chance(0.4)):
                    self.at[array.name] = f"[{one}][{other}]"
            size = main.size
        else:
            flat = [array for array in arrays if len(array.extents) == 1]
            main = self.rng.choice(flat)
            size = main.size
            extents = []
            left = size
            for _ in range(depth - 1):
                extents.append(self.rng.randrange(1, max(2, min(left, 9))))
                left //= extents[-1]
            extents.append(max(left, 1))
            self.rng.shuffle(extents)
            loops = [self.loop_over(extent) for extent in extents]
            linear = loops[0].from_zero
            for loop, extent in zip(loops[1:], extents[1:]):
                linear = f"({linear} * {extent} + {loop.from_zero})"
            self.at[main.name] = f"[{linear}]"
        for array in self.arrays.values():
            if array.name not in self.at and len(array.extents) == 1 and array.size >= size and self.chance(0.3):
                self.at[array.name] = f"[{linear}]" if self.chance(0.7) else f"[{array.size - 1} - {linear}]"
        return loops, linear

    # --- operations ---

    def begin(self) -> None:
        self.reads, self.writes, self.locals, self.loops, self.at = set(), set(), [], [], {}

    def pick_reductions(self) -> tuple[list[tuple[str, str, str]], list[str]]:
        """What a kernel reduces, of the host's scalars, and the clauses for it."""
        made, clauses = [], []
        for _ in range(self.rng.choice((0, 0, 1, 1, 2))):
            operation = self.rng.choice(("+", "+", "*", "max", "min", "&", "|", "^", "&&", "||"))
            real = operation in ("+", "*", "max", "min") and self.chance(0.4)
            kind = self.rng.choice(("double", "float") if real else ("int", "unsigned", "long"))
            if operation == "*":
                kind = self.rng.choice(("unsigned", "int", "double"))
            elif operation in ("&&", "||"):
                kind = "int" if self.is_c else self.rng.choice(("int", "bool"))
            elif operation in ("max", "min") and kind == "unsigned":
                kind = "int"
            name = self.new("r")
            start = {"bool": "true", "unsigned": "5"}.get(kind, self.rng.choice(("0", "1", "1" if operation in ("&&", "||") else "7")))
            self.head.append(f"{kind} {name} = {start};")
            self.tail.append(f"add({name});")
            made.append((operation, name, kind))
            clauses.append(f"reduction({operation}:{name})")
        return made, clauses

    def shape_clauses(self, levels: tuple[str, ...]) -> list[str]:
        clauses = []
        for clause, numbers in (("num_gangs", (1, 3, 8)), ("num_workers", (1, 2, 4)), ("vector_length", (1, 8, 32, 64))):
            if clause in levels and self.chance(0.15):
                clauses.append(f"{clause}({self.rng.choice(numbers)})")
        return clauses

    def own_clauses(self, operation: Operation, linear_only: bool = False) -> None:
        for name in sorted(operation.reads | operation.writes):
            array = self.arrays[name]
            if not array.is_pointer and self.chance(0.3):
                operation.own[name] = ""
                continue
            clause = "copy" if name in operation.writes or self.chance(0.3) else "copyin"
            clause = ("pcopy" if clause == "copy" else "pcopyin") if self.chance(0.05) else clause
            operation.own[name] = f"{clause}({array.section(self.rng)})"

    def private_parts(self, first: bool) -> tuple[list[Statement], list[str]]:
        """Scalars and arrays of the host's that each iteration has for itself."""
        statements, clauses = [], []
        if self.chance(0.25):
            name = self.new("p")
            kind = self.rng.choice(("int", "double"))
            self.head.append(f"{kind} {name} = 3;")
            text, _ = self.expression(1, False)
            statements.append(Statement(f"{name} = ({text}) % 50;", needed=True))
            self.locals.append((name, kind == "double"))
            if self.chance(0.7):
                clauses.append(f"private({name})")
            self.tail.append(f"(void){name};")
        if self.chance(0.15):
            name = self.new("w")
            length = self.rng.randrange(2, 7)
            self.head.append(f"int {name}[{length}] = {{0}};")
            text, most = self.expression(1, False)
            counter = self.new("q")
            statements.append(Statement(f"for (int {counter} = 0; {counter} < {length}; ++{counter})\n"
                                        f"{name}[{counter}] = (({text if most < BOUND else '1'}) + {counter}) % 60;", needed=True))  # fmt: skip
            clauses.append(f"private({name})")
            self.tail.append(f"(void){name};")
            local = self.new("t")
            statements.append(Statement(self.rng.choice((f"const int {local} = {name}[{length - 1}] - {name}[0];",
                                                         f"const int {local} = largest({name}, {length});"))))  # fmt: skip
            self.locals.append((local, False))
        if first and self.chance(0.1):
            name = self.new("h")
            self.head.append(f"int {name} = 11;")
            clauses.append(f"firstprivate({name})")
            local = self.new("t")
            statements.append(Statement(f"{name} += {(more := self.rng.randrange(9))};\nconst int {local} = {name};\n{name} -= {more};"))
            self.locals.append((local, False))
            self.tail.append(f"(void){name};")
        if first and self.chance(0.07):
            name = self.new("h")
            self.head.append(f"int {name}[3] = {{4, 5, 6}};")
            clauses.append(f"firstprivate({name})")
            local = self.new("t")
            statements.append(Statement(f"{name}[1] += {(more := self.rng.randrange(9))};\nconst int {local} = {name}[1] * {name}[2];\n{name}[1] -= {more};"))
            self.locals.append((local, False))
            self.tail.append(f"(void){name};")
        return statements, clauses

    def atomic(self) -> Statement | None:
        totals = [array for array in self.arrays.values() if array.total]
        if not totals or not self.loops:
            return None
        array = self.rng.choice(totals)
        if array.name in self.at:
            return None
        self.writes.add(array.name)
        self.reads.add(array.name)
        place = f"{array.name}{self.index_of(array)}"
        text, most = self.expression(1, array.is_real)
        if most > 2000:
            text = f"(int)({text}) % 97"
        form = self.rng.randrange(5)
        update = self.rng.choice(("", " update"))
        if form == 0:
            return Statement(f"#pragma acc atomic{update}\n{place} += {text};")
        if form == 1:
            return Statement(f"#pragma acc atomic{update}\n{place} = {place} {self.rng.choice('+-')} ({text});")
        if form == 2:
            return Statement(f"#pragma acc atomic{update}\n{self.rng.choice((f'{place}++', f'--{place}'))};")
        if form == 3:
            return Statement(f"#pragma acc atomic{update}\n{place} -= {text};")
        local = self.new("t")
        step = self.rng.choice((f"{local} = {place}++;", f"{local} = {place} += 2;", f"{{ {local} = {place}; {place} += 1; }}"))
        return Statement(f"{{\n{array.element} {local} = 0;\n#pragma acc atomic capture\n{step}\n(void){local};\n}}")

    def close(self, operation: Operation) -> Operation:
        operation.reads = set(self.reads)
        operation.writes = set(self.writes)
        operation.seed = self.rng.randrange(1 << 30)
        operation.defaults = self.chance(0.1) and not any("table_of" in line for one in operation.statements for line in one.lines())
        if operation.construct and self.chance(0.15):
            scalars = [name for name in (*self.scalars, *self.numbers) if not any(re.search(rf"\b{name}\b", one) for one in operation.clauses)]
            heads = "\n".join(line for statement in operation.statements for line in statement.lines() if "for (" in line)
            scalars = [name for name in scalars if not re.search(rf"\b{name}\b", heads)]
            if scalars:
                operation.clauses.append(f"{self.rng.choice(('copyin', 'firstprivate', 'copyin') if 'kernels' not in operation.construct else ('copyin',))}({self.rng.choice(scalars)})")
        if operation.construct and not operation.needs_wait and self.chance(0.2):
            operation.queue = self.rng.choice(("none", "1", "2"))
        self.own_clauses(operation)
        return operation

    def declare_outer(self, loops: list[Loop]) -> None:
        for loop in loops:
            if loop.outer:
                self.head.append(f"{loop.kind} {loop.name} = 0;")
                self.tail.append(f"(void){loop.name};")

    def nest(self) -> Operation:
        """Loops in each other that nothing stands between."""
        self.begin()
        depth = self.rng.choice((1, 1, 1, 2, 2, 3))
        loops, _ = self.space(depth)
        self.declare_outer(loops)
        self.loops = list(loops)
        self.writes = set(self.at)
        reductions, reducing = self.pick_reductions()
        model = self.rng.choice(("parallel", "parallel", "parallel", "kernels", "serial"))
        private, clauses = self.private_parts(first=model != "kernels")
        body = [*private, *self.statements(self.rng.randrange(1, 5), reductions)]
        before = len(self.locals)
        body.append(self.store(self.rng.choice(sorted(self.at))))
        for reduction in reductions:
            body.append(self.reduce_into(reduction))
        if self.chance(0.2) and (atomic := self.atomic()) is not None:
            body.append(atomic)
        del self.locals[before:]
        levels = {1: ("", "gang", "vector", "gang vector", "gang worker vector", "worker", "independent", ""),
                  2: ("", "gang", "gang vector")}.get(depth, ("",))  # fmt: skip
        level = self.rng.choice(levels) if model != "serial" else ""
        mode = self.rng.choice(("collapse", "tile", "each", "plain")) if depth > 1 else "plain"
        together = ""
        if mode == "collapse" and model != "serial":
            together = f"collapse({self.rng.randrange(2, depth + 1)})"
        elif mode == "tile" and model == "parallel":
            together = "tile(" + ", ".join(self.rng.choice(("2", "3", "8", "*")) for _ in range(depth)) + ")"
        elif depth == 1 and model == "parallel" and self.chance(0.05):
            together = f"tile({self.rng.choice(('4', '32', '*'))})"
        if together and level not in ("", "gang"):
            level = ""
        if model == "kernels" and "independent" not in level:
            level = f"independent {level}".strip()
        inner = body
        own_levels = self.rng.choice((("vector",), ("worker",), ("",), ("seq",)) if depth == 2 else
                                     (("worker", "vector"), ("seq", "vector"), ("vector", "seq"), ("", "")))  # fmt: skip
        for position, loop in reversed(list(enumerate(loops))):
            directive = ""
            if position and mode == "each" and model != "serial":
                directive = "#pragma acc loop " + own_levels[position - 1]
                if reductions and "seq" not in directive:
                    directive += " " + " ".join(reducing)
                directive += "\n"
            inner = [self.around(directive + self.head_of(loop), inner)]
        if mode == "each" and model != "serial" and level not in ("", "gang", "independent", "independent gang"):
            level = "gang"
        operation = Operation(inner)
        operation.needs_wait = bool(reductions)
        shape = self.shape_clauses(("num_gangs", "num_workers", "vector_length")) if model == "parallel" else []
        condition = []
        if self.chance(0.06) and self.numbers:
            number, least = self.rng.choice(sorted(self.numbers)), self.rng.randrange(60)
            condition = [f"if({number} > {least})"]
            operation.on_host = self.numbers[number] <= least
        split = self.chance(0.25) and model != "serial"
        loop_clauses = [one for one in (level, together) if one]
        if split:
            directive = " ".join(["#pragma acc loop", *loop_clauses, *reducing, *clauses])
            operation.statements = [Statement(f"{{\n{directive}" if self.chance(0.6) else directive, inner)]
            if operation.statements[0].head.startswith("{"):
                operation.statements[0].tail = "}"
            operation.construct = model
            operation.clauses = [*shape, *condition]
            if any("firstprivate" in one for one in clauses):  # which a loop has not
                operation.construct = f"{model} loop"
                operation.statements = inner
                operation.clauses = [*loop_clauses, *reducing, *clauses, *shape, *condition]
        else:
            operation.construct = f"{model} loop"
            operation.clauses = [*loop_clauses, *reducing, *clauses, *shape, *condition]
        return self.close(operation)

    def levels(self) -> Operation:
        """Gangs with workers and lanes in them, and statements between those."""
        self.begin()
        flat = [array for array in self.arrays.values() if len(array.extents) == 1 and array.size >= 6 and not array.total]
        two = [array for array in self.arrays.values() if len(array.extents) == 2 and not array.total]
        if not flat:
            return self.nest()
        rows = self.rng.randrange(2, 7)
        outer = self.loop_over(rows, outer=False)
        columns = min(array.size for array in self.arrays.values() if not array.total) // rows
        if two and self.chance(0.4):
            columns = min(array.extents[1] for array in two)
            if min(array.extents[0] for array in two) < rows:
                two = []
        else:
            two = []
        if columns < 2:
            return self.nest()
        inner_extent = self.rng.randrange(2, columns + 1)
        workers = self.chance(0.3)
        level = "gang worker" if self.chance(0.2) else "gang"
        self.loops = [outer]
        targets = [array for array in flat if array.size >= rows * columns] + two
        if not targets:
            return self.nest()
        written = self.rng.sample(targets, min(len(targets), self.rng.randrange(1, 3)))
        per_gang = [array for array in flat if array.size >= rows and array not in written]
        per_gang = self.rng.sample(per_gang, min(len(per_gang), 1)) if self.chance(0.5) else []
        self.writes = {array.name for array in [*written, *per_gang]}
        body: list[Statement] = []
        reductions, reducing = self.pick_reductions()
        for _ in range(self.rng.randrange(0, 3)):
            body.append(self.declare_local())
        own = self.new("w")
        length = inner_extent if self.chance(0.25) else 0
        clauses = []
        if length:
            self.head.append(f"int {own}[{length}] = {{0}};")
            self.tail.append(f"(void){own};")
            clauses.append(f"private({own})")
        phases = self.rng.randrange(1, 4)
        for phase in range(phases):
            loop = self.loop_over(inner_extent, outer=False)
            if phase == 0 and length:
                loop = Loop(loop.name, "int", 0, inner_extent)
            self.loops.append(loop)
            self.at = {}
            for array in written:
                place = f"[{outer.from_zero} * {columns} + {loop.from_zero}]"
                self.at[array.name] = place if len(array.extents) == 1 else f"[{outer.from_zero}][{loop.from_zero}]"
            inside = self.statements(self.rng.randrange(0, 3))
            before = len(self.locals)
            extra: list[str] = []
            if length and phase == 0:
                inside.append(Statement(f"{own}[{loop.name}] = ({self.expression(1, False)[0]}) % 70;", needed=True))
            elif length:
                local = self.new("t")
                inside.insert(0, Statement(f"const int {local} = {own}[({loop.from_zero} + 1) % {length}];"))
                self.locals.append((local, False))
            inside.append(self.store(self.rng.choice(sorted(self.at))))
            total = ""
            if self.chance(0.4):
                total = self.new("s")
                body.append(Statement(f"int {total} = {self.rng.randrange(5)};"))
                text, most = self.expression(1, False)
                inside.append(Statement(f"{total} += {text if most < BOUND >> 5 else '1'};"))
                extra = [f"reduction(+:{total})"]
            if reductions and self.chance(0.6):
                inside.append(self.reduce_into(reductions[0]))
                extra += [reducing[0]]
            del self.locals[before:]
            self.loops.pop()
            kind = "vector" if level == "gang worker" else self.rng.choice(("vector", "vector", "worker", "worker vector"))
            directive = " ".join([f"#pragma acc loop {kind}", *extra])
            if workers and level == "gang" and kind == "worker" and not extra:
                deep = self.new("m")
                text, most = self.expression(1, False)
                sum_ = self.new("s")
                inside.insert(0, Statement(f"int {sum_} = 0;\n#pragma acc loop vector reduction(+:{sum_})\nfor (int {deep} = 0; {deep} < 5; ++{deep})\n"
                                           f"{sum_} += {deep} + ({text if most < 2000 else '1'});", needed=True))  # fmt: skip
                self.locals.append((sum_, False))
                inside.append(self.store_at(written[0], outer, loop, columns))
                self.locals.pop()
            body.append(Statement(f"{directive}\n{self.head_of(loop)}", inside, "}"))
            if total:
                local = self.new("t")
                body.append(Statement(f"const int {local} = {total} % 80;"))
                self.locals.append((local, False))
            self.at = {array.name: f"[{outer.from_zero}]" for array in per_gang}
            if per_gang and self.chance(0.7):
                body.append(self.store(per_gang[0].name))
            elif self.chance(0.3):
                body.append(self.declare_local())
        for reduction in reductions[1:]:
            body.append(self.reduce_into(reduction))
        for array in [*written, *per_gang]:
            if array.name in self.writes:
                self.reads.add(array.name)
        operation = Operation([Statement(self.head_of(outer), body, "}")])
        operation.construct = f"parallel loop {level}"
        operation.clauses = [*reducing, *clauses, *self.shape_clauses(("num_workers", "vector_length"))]
        operation.needs_wait = bool(reductions)
        return self.close(operation)

    def store_at(self, array: Array, outer: Loop, loop: Loop, columns: int) -> Statement:
        self.at[array.name] = f"[{outer.from_zero} * {columns} + {loop.from_zero}]" if len(array.extents) == 1 \
            else f"[{outer.from_zero}][{loop.from_zero}]"  # fmt: skip
        return self.store(array.name)

    def kernels(self) -> Operation:
        """Loops in `kernels` that nobody promises anything of, and scalars beside and in them."""
        self.begin()
        body: list[Statement] = []
        scalars = []
        for _ in range(self.rng.randrange(0, 3)):
            name = self.new("z")
            kind = self.rng.choice(("int", "double", "long"))
            self.head.append(f"{kind} {name} = {self.rng.randrange(20)};")
            self.tail.append(f"add({name});")
            scalars.append((name, kind))
        touched: set[str] = set()
        reads: set[str] = set()
        for _ in range(self.rng.randrange(1, 4)):
            loops, _ = self.space(self.rng.choice((1, 1, 2)))
            loops = [loop for loop in loops if not self.forget_outer(loop)] or loops
            self.loops = list(loops)
            self.writes = set(self.at)
            inside = self.statements(self.rng.randrange(0, 3))
            inside.append(self.store(self.rng.choice(sorted(self.at))))
            if scalars and self.chance(0.7):
                name, kind = self.rng.choice(scalars)
                form = self.rng.randrange(4)
                text, _ = self.expression(1, False)
                if form == 0:
                    inside.append(Statement(f"{name} = ({text}) % 90;"))
                elif form == 1:
                    inside.append(Statement(f"if ({self.condition(0)}) {name} = ({text}) % 90;"))
                elif form == 2:
                    inside.append(Statement(f"{name} = ({'(int)' if kind == 'double' else ''}{name} + ({text}) % 90) % 90;"))
                else:
                    inside.insert(0, Statement(f"{name} = ({text}) % 90;", needed=True))
                    inside.append(Statement(f"{sorted(self.at)[0]}{self.at[sorted(self.at)[0]]} = (int){name} & 31;"))
            for loop in reversed(loops):
                inside = [Statement(self.head_of(loop), inside, "}")]
            body += inside
            touched |= self.writes
            reads |= self.reads
            self.loops = []
        operation = Operation([Statement("{", body, "}")])
        operation.construct = "kernels"
        self.writes, self.reads = touched, reads
        self.at = {}
        operation.needs_wait = True
        if scalars and self.chance(0.3):
            operation.clauses.append(f"copy({scalars[0][0]})")
        return self.close(operation)

    @staticmethod
    def forget_outer(loop: Loop) -> bool:
        loop.outer = False
        return False

    def parallel(self) -> Operation:
        """Several loops in one `parallel`, with constants beside them."""
        self.begin()
        body: list[Statement] = []
        written: set[str] = set()
        reads: set[str] = set()
        constants: list[str] = []
        for _ in range(self.rng.randrange(1, 4)):
            loops, _ = self.space(1)
            loops[0].outer = False
            self.at = {name: place for name, place in self.at.items() if name not in written | reads}
            if not self.at:
                continue
            self.loops = list(loops)
            self.writes = written | set(self.at)
            self.locals = [(name, False) for name in constants]
            inside = self.statements(self.rng.randrange(0, 3))
            inside.append(self.store(self.rng.choice(sorted(self.at))))
            level = self.rng.choice(("", "gang", "gang vector"))
            body.append(Statement(f"#pragma acc loop {level}\n{self.head_of(loops[0])}", inside, "}"))
            written |= set(self.at)
            reads |= self.reads
            self.loops, self.at = [], {}
        if not body:
            return self.nest()
        operation = Operation([Statement("{", body, "}")])
        operation.construct = "parallel"
        self.writes, self.reads = written, reads
        operation.clauses = self.shape_clauses(("vector_length",))
        return self.close(operation)

    def serial(self) -> Operation:
        """One thread does what changes scalars that the host asks for behind it."""
        self.begin()
        name, kind = self.new("z"), self.rng.choice(("int", "double", "long"))
        self.head.append(f"{kind} {name} = {self.rng.randrange(20)};")
        self.tail.append(f"add({name});")
        flat = [array for array in self.arrays.values() if len(array.extents) == 1]
        array = self.rng.choice(flat)
        self.writes = {array.name}
        self.at = {array.name: f"[{self.rng.randrange(array.size)}]"}
        body = [*self.statements(2), self.store(array.name), Statement(f"{name} = ({self.expression(1, False)[0]}) % 90;")]
        operation = Operation([Statement("{", body, "}")])
        operation.construct = "serial"
        operation.clauses = [f"copy({name})"]
        operation.needs_wait = True
        return self.close(operation)

    def routine(self) -> Operation:
        """A routine with loops of its own shares out the elements of an array."""
        self.begin()
        free = [array for array in self.arrays.values() if array.element == "int" and len(array.extents) == 1 and array.size >= 8 and not array.total]
        if not free:
            return self.nest()
        array = self.rng.choice(free)
        level = self.rng.choice(("vector", "worker", "gang"))
        self.writes = {array.name}
        if level == "gang":
            numbers = [*self.numbers, str(self.rng.randrange(30))]
            operation = Operation([Statement("{", [Statement(f"spread({array.name}, {array.size}, {self.rng.choice(numbers)});")], "}")])
            operation.construct = "parallel"
            self.reads = {array.name}
            return self.close(operation)
        rows = self.rng.randrange(2, 5)
        loop = self.loop_over(rows, outer=False)
        width = array.size // rows
        self.loops = [loop]
        text, most = self.expression(1, False)
        start = f"({text if most < BOUND else '1'}) % 40 + 40"
        from_ = f"{array.name} + {loop.from_zero} * {width}"
        call = f"fill_row({from_}, {width}, {start});" if level == "vector" else \
            f"fill_rows({from_}, 2, {width // 2}, {start});"  # fmt: skip
        operation = Operation([Statement(self.head_of(loop), [Statement(call)], "}")])
        operation.construct = "parallel loop gang"
        self.reads.add(array.name)  # of which some elements stay as they were
        return self.close(operation)

    def block(self) -> Operation:
        """Loops over some rows and columns of an array, of which nothing else comes to the device."""
        self.begin()
        free = [array for array in self.arrays.values()
                if len(array.extents) == 2 and min(array.extents) > 3 and not array.declared and array.form != "table"]  # fmt: skip
        if not free:
            return self.part()
        array = self.rng.choice(free)
        places = []
        for extent in array.extents:
            low = self.rng.randrange(0, extent - 2)
            places.append((low, self.rng.randrange(1, extent - low + 1)))
        if self.chance(0.5):
            places[1] = (0, array.extents[1])
        loops = [Loop(self.new("i"), "int", low, low + length) for low, length in places]
        self.loops = loops
        self.writes = self.reads = {array.name}
        self.at = {array.name: "".join(f"[{loop.name}]" for loop in loops)}
        kept = self.arrays
        self.arrays = {array.name: array}
        inner = [*self.statements(2), self.store(array.name)]
        self.arrays = kept
        for loop in reversed(loops):
            inner = [Statement(self.head_of(loop), inner, "}")]
        operation = Operation(inner)
        operation.construct = self.rng.choice(("parallel loop", "parallel loop collapse(2)", "kernels loop independent"))
        operation = self.close(operation)
        section = "".join(f"[{self.number(low)}:{self.number(length)}]" for low, length in places)
        operation.own[array.name] = f"copy({array.name}{section})"
        operation.reads = operation.writes = {array.name}
        return operation

    def part(self) -> Operation:
        """A loop over a part of an array, of which nothing else comes to the device."""
        self.begin()
        free = [array for array in self.arrays.values()
                if len(array.extents) == 1 and array.size > 6 and not array.declared and not array.total and array.form != "table"]  # fmt: skip
        if not free:
            return self.nest()
        array = self.rng.choice(free)
        low = self.rng.randrange(1, array.size - 4)
        length = self.rng.randrange(2, array.size - low + 1)
        loop = Loop(self.new("i"), "int", low, low + length)
        self.loops = [loop]
        self.writes = {array.name}
        self.reads = {array.name}
        self.at = {array.name: f"[{loop.name}]"}
        kept = self.arrays
        self.arrays = {array.name: array}
        statement = Statement(self.head_of(loop), [*self.statements(2), self.store(array.name)], "}")
        self.arrays = kept
        operation = Operation([statement])
        operation.construct = "parallel loop"
        operation = self.close(operation)
        operation.own[array.name] = f"copy({array.name}[{self.number(low)}:{self.number(length)}])"
        operation.reads = operation.writes = {array.name}
        return operation

    def host(self) -> Operation:
        """The host reads and writes."""
        self.begin()
        array = self.rng.choice(sorted(self.arrays.values(), key=lambda one: one.name))
        name = self.new("i")
        self.writes.add(array.name)
        loop = Loop(name, "int", 0, array.extents[0])
        self.loops = [loop]
        self.at = {array.name: f"[{name}]" + ("[0]" if len(array.extents) > 1 else "")}
        statement = Statement(self.head_of(loop), [self.store(array.name)], "}")
        operation = self.close(Operation([statement]))
        operation.queue = ""
        return operation

    def region(self, depth: int) -> Operation:
        inner = [self.operation(depth - 1) for _ in range(self.rng.randrange(1, 5))]
        names = sorted(name for name, array in self.arrays.items() if not array.declared)
        if not names:
            return self.nest()
        chosen = self.rng.sample(names, self.rng.randrange(1, len(names) + 1))
        operation = Operation(region=inner, seed=self.rng.randrange(1 << 30))
        operation.dynamic = self.chance(0.35)
        for name in chosen:
            if self.arrays[name].form == "table":
                if operation.dynamic:
                    continue
                operation.holds[name] = self.rng.choice(("copy", "copy", "copyin"))
            else:
                operation.holds[name] = self.rng.choice(("copy", "copy", "copyin", "copyout", "create"))
        # Rows come with their pointers by a clause that says both lengths; nothing is updated behind their back.
        for name, array in self.arrays.items():
            if array.form == "table" and name in operation.holds:
                operation.holds[name] = "copy"
                if any(self.touches_on_host(one, name) for one in inner):
                    del operation.holds[name]
        if not operation.holds:
            return self.nest()
        return operation

    def touches_on_host(self, operation: Operation, name: str) -> bool:
        if operation.region:
            return any(self.touches_on_host(one, name) for one in operation.region)
        return bool(operation.update) or (operation.is_host and name in operation.reads | operation.writes)

    def operation(self, depth: int) -> Operation:
        choice = self.rng.random()
        if depth > 0 and choice < 0.3:
            return self.region(depth)
        if choice < 0.6:
            return self.nest()
        if choice < 0.75:
            return self.levels()
        if choice < 0.8:
            return self.kernels()
        if choice < 0.84:
            return self.parallel()
        if choice < 0.85:
            return self.serial()
        if choice < 0.88 and depth == 2:
            return self.part() if self.chance(0.5) else self.block()
        if choice < 0.9:
            return self.routine()
        if choice < 0.94:
            return self.host()
        if choice < 0.97:
            names = [name for name, array in sorted(self.arrays.items()) if array.form != "table"]
            return Operation(update=self.rng.choice(("self", "device")), seed=self.rng.randrange(1 << 30),
                             reads=set(self.rng.sample(names, 1)))  # fmt: skip
        return Operation(wait=True)

    # --- the function ---

    def add_array(self, name: str) -> None:
        rng = self.rng
        real = self.chance(0.35)
        element = rng.choice(self.REALS if real else self.INTEGERS)
        form = rng.choice(("local", "heap", "heap", "global", "rows", "member", "table"))
        if form in ("rows", "table") or (form in ("local", "global") and self.chance(0.4)):
            extents = [rng.randrange(2, 12), rng.randrange(2, 14)]
        else:
            extents = [rng.choice((rng.randrange(4, 12), rng.randrange(20, 60), rng.randrange(100, 300)))]
        if form == "table":
            element = rng.choice(("double", "int"))
        total = len(extents) == 1 and form in ("local", "heap", "global") and self.chance(0.25)
        if total:
            element = rng.choice(("int", "long", "double", "unsigned"))
        array = Array(name, element, extents, form, total)
        dimensions = "".join(f"[{extent}]" for extent in extents)
        fill = [f"for (int at = 0; at < {extents[0]}; ++at)"]
        place = "[at]"
        if len(extents) > 1:
            fill.append(f"for (int by = 0; by < {extents[1]}; ++by)")
            place = "[at][by]"
        seed = rng.randrange(50)
        start = f"(at * 13 + {'by * 5 + ' if len(extents) > 1 else ''}{seed}) % {60 if 'unsigned' in element else 90}"
        cast = (lambda type_: f"({type_})") if not self.is_c or self.chance(0.5) else (lambda type_: "")
        freed = ""
        if form == "local":
            self.head.append(f"{element} {name}{dimensions};")
        elif form == "global":
            array.name = name = f"{self.name}_{name}"
            array.declared = self.chance(0.25)
            self.outside.append(f"static {element} {name}{dimensions};")
            if array.declared:
                self.outside.append(f"#pragma acc declare create({name})")
        elif form == "heap":
            self.head.append(f"{element}* {name} = {cast(f'{element}*')}malloc({extents[0]} * sizeof({element}));")
            freed = f"free({name});"
        elif form == "rows":
            self.head.append(f"{element} (*{name})[{extents[1]}] = {cast(f'{element} (*)[{extents[1]}]')}"
                             f"malloc({extents[0]} * sizeof(*{name}));")  # fmt: skip
            freed = f"free({name});"
        elif form == "member":
            holder = self.new("g")
            kind = f"struct {self.name}_{holder}"
            self.outside.append(f"{kind} {{ int count; {element}* {name}; }};")
            by_pointer = self.chance(0.5)
            self.head.append(f"{kind} {holder}_all;")
            self.head.append(f"{kind}* {holder} = &{holder}_all;" if by_pointer else "")
            array.name = f"{holder}->{name}" if by_pointer else f"{holder}_all.{name}"
            self.head.append(f"{array.name} = {cast(f'{element}*')}malloc({extents[0]} * sizeof({element}));")
            freed = f"free({array.name});"
        else:
            self.head.append(f"{element}** {name} = {cast(f'{element}**')}malloc({extents[0]} * sizeof({element}*));")
            self.head.append(f"for (int at = 0; at < {extents[0]}; ++at)\n{name}[at] = {cast(f'{element}*')}malloc({extents[1]} * sizeof({element}));")
            freed = f"for (int at = 0; at < {extents[0]}; ++at)\nfree({name}[at]);\nfree({name});"
        self.head.append("\n".join(fill) + f"\n{array.name}{place} = {start};")
        self.tail.append("\n".join(fill) + f"\nadd((double){array.name}{place});")
        if freed:
            self.tail.append(freed)
        self.arrays[array.name] = array

    def make(self) -> Function:
        names = self.rng.sample(self.NAMES, self.rng.randrange(2, 6))
        for name in names:
            self.add_array(name)
        if not any(len(array.extents) == 1 and array.size >= 8 for array in self.arrays.values()):
            self.head.append("int extra[40];\nfor (int at = 0; at < 40; ++at)\nextra[at] = at;")
            self.tail.append("for (int at = 0; at < 40; ++at)\nadd(extra[at]);")
            self.arrays["extra"] = Array("extra", "int", [40], "local")
        for name in self.rng.sample(("n", "m", "half", "count"), self.rng.randrange(1, 4)):
            self.numbers[name] = self.rng.randrange(1, 64)
            constant = "const " if self.chance(0.2) else ""
            self.head.append(f"{constant}{self.rng.choice(('int', 'int', 'long')) if name != 'n' else 'int'} {name} = {self.numbers[name]};")
            self.tail.append(f"(void){name};")
        for name in self.rng.sample(("scale", "shift", "weight", "label"), self.rng.randrange(0, 4)):
            kind = self.rng.choice(("int", "double", "long", "float", *(("bool",) if not self.is_c else ())))
            self.scalars[name] = kind
            self.head.append(f"{kind} {name} = {'true' if kind == 'bool' else self.rng.randrange(1, 9)};")
            self.tail.append(f"(void){name};")
        operations = [self.operation(2) for _ in range(self.rng.randrange(2, 5))]
        self.tail.append(f'tell("{self.name}");')
        function = Function(self.name, self.head, self.arrays, operations, self.tail, self.outside,
                            f"static void {self.name}(void) {{", call=f"{self.name}();")  # fmt: skip
        if not self.is_c and self.chance(0.15):
            function.opens = f"template <int W>\nstatic void {self.name}() {{"
            function.call = f"{self.name}<3>();"
        elif not self.is_c and self.chance(0.1):
            function.opens = f"namespace {self.name}_space {{\nvoid {self.name}() {{"
            function.closes = "}\n}"
            function.call = f"{self.name}_space::{self.name}();"
        return function


def make_program(seed: int, functions: int) -> Program:
    rng = random.Random(seed)
    is_c = rng.random() < 0.4
    queues = rng.random() < 0.4
    made = [Maker(random.Random(rng.randrange(1 << 40)), number, is_c, queues).make() for number in range(functions)]
    return Program(seed, is_c, queues, made)


# --- how one is tried ------------------------------------------------------------------------


@dataclass
class Finding:
    what: str  # wrong, not built, ended, crash, hang
    where: str  # memory and threads
    functions: set[str]
    message: str = ""


# Kernels of one signature share a type, so that the compiler instantiates Kokkos' and Gangway's templates once for all of
# them. A kernel lives until its call ends, and on a host the call ends after the kernel.
ERASED = """
namespace erased {
template <class... Given>
struct Kernel {
  const void* kernel;
  void (*call)(const void*, Given...);
  void operator()(Given... given) const { call(kernel, static_cast<Given>(given)...); }
};
template <class Of, class... Given>
void call(const void* kernel, Given... given) {
  (*static_cast<const Of*>(kernel))(static_cast<Given>(given)...);
}
template <class Of, class... Given>
Kernel<Given...> of(const Of& kernel, void (Of::*)(Given...) const) {
  return {&kernel, &call<Of, Given...>};
}
struct Maker {};
template <class Of>
auto operator%(Maker, const Of& kernel) {
  return of(kernel, &Of::operator());
}
} // namespace erased
#undef KOKKOS_LAMBDA
#define KOKKOS_LAMBDA erased::Maker() % [=]
"""


class Bench:
    """Translates, builds, runs and compares, in a folder of its own."""

    def __init__(self, build: Path, folder: Path, limit: int, port: Path | None = None) -> None:
        self.folder = folder
        self.limit = limit
        self.port = port or build / "bin" / "gangway-port"
        commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "tests/port/port_program"], capture_output=True,
                                  text=True, check=True, cwd=ROOT).stdout.splitlines()  # fmt: skip
        compile_line = shlex.split(next(line for line in commands if "port/program.cpp" in line))
        link_line = shlex.split(next(line for line in reversed(commands) if "port_program" in line).split("&&")[-2 if "&&" in commands[-1] else 0])
        words = [word for word in compile_line if "ccache" not in word]
        self.compiler = words[0]
        kept: list[str] = []
        for position, word in enumerate(words):
            if word == "-isystem":
                kept += [word, words[position + 1]]
            elif re.match(r"-I|-D|-std|-fopenmp|-fsanitize", word):
                kept.append(word)
        self.flags = [*kept, "-w", "-O0"]
        libraries = [word for word in link_line if word.endswith((".a", ".so")) or re.search(r"\.so\.", word) or word.startswith("-l")]
        self.libraries = [str(build / word) if not word.startswith(("/", "-")) else word for word in libraries]
        self.counts: collections.Counter[str] = collections.Counter()
        self.refusals: collections.Counter[str] = collections.Counter()
        self.translated: tuple[str, bool, tuple[Path, dict] | Finding] | None = None  # what was translated last, and what came of it
        self.prepare_headers()

    def prepare_headers(self) -> None:
        header = self.folder / "all.hpp"
        header.write_text("#include <Kokkos_Core.hpp>\n#include <gangway/gangway.hpp>\n"
                          "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n" + ERASED, encoding="utf-8")  # fmt: skip
        subprocess.run([self.compiler, *self.flags, "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)

    def call(self, command: list[object], **more: str) -> subprocess.CompletedProcess[str] | None:
        try:
            return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=self.limit, check=False,
                                  cwd=self.folder, env={**os.environ, **more}, errors="replace")  # fmt: skip
        except subprocess.TimeoutExpired:
            return None

    def expected(self, program: Program, source: Path) -> dict[str, str] | None:
        """What each function prints without OpenACC; nothing where the source does not compile."""
        compiler = self.compiler.replace("g++", "gcc") if program.is_c else self.compiler
        oracle = source.with_suffix(".plain")
        said = []
        for start, fill in (("zero", "0"), ("pattern", "85")):  # what nobody set is read by nobody
            built = self.call([compiler, "-w", "-O0", f"-ftrivial-auto-var-init={start}", *([] if program.is_c else ["-std=c++20"]),
                               source, "-o", oracle, "-lm"])  # fmt: skip
            if built is None or built.returncode != 0:
                return None
            done = self.call([oracle], MALLOC_PERTURB_=fill)
            if done is None or done.returncode != 0:
                return None
            said.append(self.printed(done.stdout))
        return said[0] if said[0] == said[1] else None

    @staticmethod
    def printed(text: str) -> dict[str, str]:
        return dict(line.split(" ", 1) for line in text.splitlines() if " " in line)

    def translate(self, program: Program, source: Path) -> tuple[Path, dict] | Finding:
        text = source.read_text(encoding="utf-8")
        if self.translated is None or self.translated[:2] != (text, program.queues):
            self.translated = (text, program.queues, self.call_port(program, source))
        return self.translated[2]

    def call_port(self, program: Program, source: Path) -> tuple[Path, dict] | Finding:
        report = source.with_suffix(".json")
        ported = self.folder / "ported"
        for old in (report, *ported.glob("*")):
            old.unlink(missing_ok=True)
        options = ["--queues"] if program.queues else []
        done = self.call([self.port, source, "--output", ported, "--json", report, *options])
        if done is None or not report.is_file():
            return Finding("hang" if done is None else "crash", "translator", set(), "" if done is None else done.stderr[:500])
        return ported / "program.cpp", json.loads(report.read_text(encoding="utf-8"))["files"][0]

    def without_refused(self, program: Program) -> Program:
        """The program without functions in which a directive is refused."""
        while program.functions:
            source = self.write(program)
            outcome = self.translate(program, source)
            if isinstance(outcome, Finding):
                return program
            lines = source.read_text(encoding="utf-8").split("\n")
            starts = [(number, function.name) for number, line in enumerate(lines, 1) for function in program.functions
                      if re.match(rf"(static void|void|subroutine) {function.name}\(", line)]  # fmt: skip
            refused = set()
            for one in [*outcome[1]["directives"], *outcome[1]["remarks"]]:
                if one["outcome"] != "refused":
                    continue
                told = one.get("refusal", one.get("what", ""))
                names = [name for number, name in starts if number <= one["line"]]
                # What stands before a function, its `declare`, is its own.
                at = re.search(r"(f\d+)_", lines[one["line"] - 1]) if one["line"] else None
                refused.add(at[1] if at and not lines[one["line"] - 1].startswith(" ") and "declare" in lines[one["line"] - 1] else (names or [""])[-1])
                if not told.startswith("it is part of"):
                    self.refusals[re.sub(r"'[^']*'|\d+", "_", told)] += 1
                    self.counts["directives refused"] += 1
            if not refused:
                break
            kept = [function for function in program.functions if function.name not in refused]
            self.counts["functions refused"] += len(program.functions) - len(kept)
            if len(kept) == len(program.functions):
                break
            program = program.of(kept)
        return program

    def write(self, program: Program) -> Path:
        source = self.folder / ("program.c" if program.is_c else "program.cpp")
        source.write_text(program.text(), encoding="utf-8")
        return source

    def check(self, program: Program, count: bool = False, only: str = "") -> Finding | None:
        source = self.write(program)
        expected = self.expected(program, source)
        if expected is None:
            return Finding("oracle", "", set())
        outcome = self.translate(program, source)
        if isinstance(outcome, Finding):
            return outcome
        ported, report = outcome
        if any(one["outcome"] == "refused" for one in [*report["directives"], *report["remarks"]]):
            return Finding("refused", "", set(), "; ".join(one.get("refusal", "") for one in report["directives"] if one["outcome"] == "refused"))
        if count:
            self.counts["directives"] += len(report["directives"])
            self.counts["kernels"] += ported.read_text(encoding="utf-8").count("KOKKOS_LAMBDA(")
            self.counts["functions"] += len(program.functions)
            self.counts["programs"] += 1
        binary = self.folder / "ported" / "program"
        built = self.build(ported, binary)
        if built is None or built.returncode != 0:
            message = "" if built is None else "\n".join(line for line in built.stderr.splitlines() if "rror:" in line)
            return Finding("not built", "compiler", self.functions_at(message, ported), message[:600])
        for memory in MEMORIES:
            for threads in THREADS:
                where = f"{memory}, {threads}"
                if only and where != only:
                    continue
                done = self.call([binary], GANGWAY_MEMORY=memory, OMP_NUM_THREADS=threads, OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive")
                if done is None:
                    return Finding("hang", where, set())
                printed = self.printed(done.stdout)
                if done.returncode != 0:
                    names = [function.name for function in program.functions]
                    return Finding("ended", where, {next((name for name in names if name not in printed), names[-1])}, done.stderr[:400])
                wrong = {name for name in expected if printed.get(name) != expected[name]}
                if wrong:
                    return Finding("wrong", where, wrong)
        return None

    def build(self, ported: Path, binary: Path) -> subprocess.CompletedProcess[str] | None:
        return self.call([self.compiler, *self.flags, "-include", self.folder / "all.hpp", ported, "-o", binary, *self.libraries])

    @staticmethod
    def functions_at(message: str, ported: Path) -> set[str]:
        found = set()
        lines = ported.read_text(encoding="utf-8").split("\n")
        for number in re.findall(r"program\.cpp:(\d+):\d+: (?:fatal )?error", message):
            for line in reversed(lines[: int(number)]):
                if at := re.search(r"\bvoid (f\d+)\(", line):
                    found.add(at[1])
                    break
        return found


# --- how one is reduced ----------------------------------------------------------------------


COMMON = set("at by for int unsigned long short char float double bool struct const malloc sizeof add free tell true void".split())


def smaller(function: Function) -> Iterator[Function]:
    """The function without one of its parts, large ones first."""

    def lists(operations: list[Operation], path: tuple) -> Iterator[tuple]:
        yield path
        for number, operation in enumerate(operations):
            if operation.region:
                yield from lists(operation.region, (*path, number))

    def operations_at(of: Function, path: tuple) -> list[Operation]:
        found = of.operations
        for number in path:
            found = found[number].region
        return found

    for half in (slice(None, len(function.operations) // 2), slice(len(function.operations) // 2, None)):
        less = function.copy()
        del less.operations[half]
        yield less
    for path in lists(function.operations, ()):
        for number in range(len(operations_at(function, path))):
            less = function.copy()
            del operations_at(less, path)[number]
            yield less
            if operations_at(function, path)[number].region:
                less = function.copy()
                there = operations_at(less, path)
                there[number : number + 1] = there[number].region
                yield less
    for path in lists(function.operations, ()):
        for number, operation in enumerate(operations_at(function, path)):
            for name in operation.holds:
                less = function.copy()
                del operations_at(less, path)[number].holds[name]
                if operations_at(less, path)[number].holds:
                    yield less
            for clause in range(len(operation.clauses)):
                if not re.match(r"reduction|private|collapse|independent|(gang|worker|vector)", operation.clauses[clause]):
                    less = function.copy()
                    del operations_at(less, path)[number].clauses[clause]
                    yield less
            if operation.queue:
                less = function.copy()
                operations_at(less, path)[number].queue = ""
                yield less
            for steps in statement_paths(operation.statements, ()):
                less = function.copy()
                found = operations_at(less, path)[number].statements
                for step in steps[:-1]:
                    found = found[step].body
                if not found[steps[-1]].needed:
                    del found[steps[-1]]
                    yield less
    # What nothing names any more goes with all that makes it.
    for name in sorted({word for line in function.head for word in re.findall(r"[a-z]\w*", line)} - COMMON):
        less = function.copy()
        for part in ("head", "tail", "outside"):
            setattr(less, part, [line for line in getattr(less, part) if not re.search(rf"\b{name}\b", line) or "tell(" in line])
        less.arrays = {key: array for key, array in less.arrays.items() if not re.search(rf"\b{name}\b", key)}
        used = {key for path in lists(less.operations, ()) for one in operations_at(less, path)
                for key in (one.reads | one.writes | set(one.holds))}  # fmt: skip
        if used <= set(less.arrays) and len(less.head) < len(function.head):
            yield less


def statement_paths(statements: list[Statement], path: tuple) -> Iterator[tuple]:
    for number, statement in enumerate(statements):
        if path:  # not what a directive stands on
            yield (*path, number)
        yield from statement_paths(statement.body, (*path, number))


def reduce(program: Program, is_bad: Callable[[Program], bool], seconds: float) -> Program:
    """The smallest program, of those that come of it by leaving out parts, that is bad in the same way."""
    end = time.monotonic() + seconds
    for function in list(program.functions):  # one function, if one is enough
        alone = program.of([function])
        if is_bad(alone):
            program = alone
            break
    again, start = True, 0
    while again and time.monotonic() < end:
        again = start > 0
        position = -1
        for number, function in enumerate(program.functions):
            for less in smaller(function):
                position += 1
                changed = program.of([*program.functions[:number], less, *program.functions[number + 1 :]])
                if position >= start and time.monotonic() < end and is_bad(changed):
                    break
            else:
                continue
            program, again, start = changed, True, position
            break
        else:
            start = 0
    return program


def explore(bench: Bench, options: argparse.Namespace, make: Callable[[int, int], Program]) -> int:
    end = time.monotonic() + options.seconds if options.seconds else None
    findings = 0
    seed = options.seed
    while (end is None and seed < options.seed + options.programs) or (end is not None and time.monotonic() < end):
        program = bench.without_refused(make(seed, options.functions))
        finding = bench.check(program, count=True) if program.functions else None
        while finding is not None:
            findings += 1
            print(f"seed {seed}: {finding.what} ({finding.where}) in {', '.join(sorted(finding.functions)) or '?'}\n{finding.message}", flush=True)
            if finding.what == "oracle":
                break
            bad = [function for function in program.functions if function.name in finding.functions] or program.functions
            first = program.of(bad)

            def is_bad(tried: Program, like: Finding = finding) -> bool:
                found = bench.check(tried, only=like.where if like.what in ("wrong", "ended") else "")
                return found is not None and found.what == like.what

            if not is_bad(first):
                first = program
            least = reduce(first, is_bad, options.reduce) if options.reduce else first
            text = laid_out(bench, least)
            print(text, flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"seed_{seed}_{findings}{bench.write(least).suffix}").write_text(text, encoding="utf-8")
            rest = [function for function in program.functions if function.name not in finding.functions]
            if not finding.functions or not rest:
                break
            program = program.of(rest)  # the others are tried, too
            finding = bench.check(program)
        seed += 1
        if options.seconds and seed % 10 == options.seed % 10:
            print(f"up to seed {seed - 1}: {findings} findings, " + ", ".join(f"{count} {what}" for what, count in sorted(bench.counts.items())), flush=True)
    for what, count in sorted(bench.counts.items()):
        print(f"{count:7} {what}")
    for what, count in bench.refusals.most_common():
        print(f"{count:7} refused: {what}")
    print(f"{findings:7} findings")
    return 1 if findings else 0


def laid_out(bench: Bench, program: Program) -> str:
    if bench.write(program).suffix == ".F90":
        return program.text()
    done = subprocess.run(["clang-format-22", "--style=LLVM"], input=program.text(), capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else program.text()


def main(kind: type[Bench] = Bench, make: Callable[[int, int], Program] = make_program) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of the first program (%(default)s)")
    parser.add_argument("--programs", type=int, default=1, help="how many (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0, help="as many as there is time for")
    parser.add_argument("--functions", type=int, default=100, help="in a program (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "openmp", help="the built tree (%(default)s)")
    parser.add_argument("--port", type=Path, help="another translator than the tree's")
    parser.add_argument("--limit", type=int, default=600, help="seconds for each command (%(default)s)")
    parser.add_argument("--reduce", type=float, default=120, help="seconds for reducing a program; 0: it stays as it is (%(default)s)")
    parser.add_argument("--keep", type=Path, help="a folder for what went wrong")
    parser.add_argument("--show", action="store_true", help="only print the program")
    options = parser.parse_args()
    if options.show:
        print(make(options.seed, options.functions).text())
        return 0
    with tempfile.TemporaryDirectory(prefix="gangway-random-") as folder:
        return explore(kind(options.build.resolve(), Path(folder), options.limit, options.port), options, make)


if __name__ == "__main__":
    sys.exit(main())
