#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gangway port on public collections of OpenACC programs, none of which is kept here.

    ./run shell --no-build tests/port/public_programs.py RESULTS [--from FOLDER] [--only PATTERN] [--peer PROGRAM]

public_programs.json lists them: the repository and its commit, which files make a program, the flags, and what of the output is a
time. RESULTS is a folder outside of this project, which keeps what was found of other collections. With --from, FOLDER/OWNER+NAME is a checkout of github.com/OWNER/NAME; without it, git
clones them. A built tree is needed (gangway-port, libgangway.a, port_program).

Each program is translated with the flags that it is compiled with. Where nothing is refused, the translation is built and run in strict
memory. It has to print the numbers that the source prints as plain C or C++, and with GCC's OpenACC where GCC takes it. Figures that are
times are left out. Numbers may differ by so much of themselves, for sums are in another order. A program that ends early, prints another
number or prints nothing at all is not equal. One that is equal with one thread only, or only where both memories are one, is counted as
equal in part: a person has to look whether its source calls iterations independent that are not, or leaves out a copy. --peer is Intel's Application Migration Tool (src/intel-application-migration-tool-for-
openacc-to-openmp), whose translation is built with GCC's OpenMP and held to the same numbers.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from random_programs import ROOT, Bench
from validation import call_peer

SOURCES = (".c", ".cc", ".cpp", ".cxx")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass
class Program:
    """One, and what became of it."""

    name: str
    sources: list[str]
    flags: list[str]
    folder: str = ""  # where it runs
    ignore: str = ""
    arguments: list[str] = field(default_factory=list)
    tolerance: float = 1e-5
    drop: str = ""
    parsed: int = 0  # of its files with directives
    files: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    causes: list[str] = field(default_factory=list)
    state: str = ""  # not parsed, crash, hang, refused, translated, no program, no oracle, not built, ended, wrong, in part, equal
    message: str = ""
    peer: str = ""


def call(command: list[object], limit: int, folder: Path, **environment: str) -> subprocess.CompletedProcess | None:
    """Nothing if it had not ended in time."""
    try:
        return subprocess.run([str(part) for part in command], capture_output=True, timeout=limit, check=False, cwd=folder,
                              env={**os.environ, **environment}, text=True, errors="replace")  # fmt: skip
    except subprocess.TimeoutExpired:
        return None


def has_directive(text: str) -> bool:
    return re.search(r"^[ \t]*#[ \t]*pragma[ \t]+acc\b", text, re.M) is not None


def is_equal(expected: str, printed: str, ignore: str, tolerance: float, drop: str = "") -> bool:
    """The same words, and numbers that differ by no more than so much of themselves, without lines to ignore and words to drop."""

    def parts(text: str) -> list[str]:
        lines = [line for line in text.splitlines() if not ignore or not re.search(ignore, line)]
        if drop:
            lines = [re.sub(drop, "", line) for line in lines]
        return re.findall(rf"{NUMBER.pattern}|[A-Za-z_]+", "\n".join(lines))

    one, other = parts(expected), parts(printed)
    if len(one) != len(other) or not one:
        return False
    for left, right in zip(one, other):
        if left == right:
            continue
        if not NUMBER.fullmatch(left) or not NUMBER.fullmatch(right):
            return False
        a, b = float(left), float(right)
        if abs(a - b) > tolerance * max(abs(a), abs(b), 1e-9):
            return False
    return True


class Collection:
    def __init__(self, entry: dict, options: argparse.Namespace, bench: Bench) -> None:
        self.entry, self.options, self.bench = entry, options, bench
        self.name = entry["name"]
        self.place = options.results / self.name
        shutil.rmtree(self.place, ignore_errors=True)
        self.tree = self.place / "sources"
        repository = entry["repository"].replace("/", "+")
        if options.source is not None:
            shutil.copytree(options.source / repository, self.tree, symlinks=True)
        else:
            subprocess.run(["git", "clone", "--quiet", f"https://github.com/{entry['repository']}", self.tree], check=True)
            subprocess.run(["git", "-C", self.tree, "checkout", "--quiet", entry["commit"]], check=True)
        self.programs = [program for rule in entry["programs"] for program in self.programs_of(rule)
                         if re.search(options.program, program.name)]  # fmt: skip

    def programs_of(self, rule: dict) -> list[Program]:
        made = []
        for command in rule.get("prepare", ()):
            subprocess.run(command, shell=True, check=True, cwd=self.tree, capture_output=True)
        groups: list[tuple[str, list[Path]]] = []
        if "each" in rule:
            groups = [(str(path.relative_to(self.tree)), [path]) for path in sorted(self.tree.glob(rule["each"]))]
        elif "folders" in rule:
            for folder in sorted(path for path in self.tree.glob(rule["folders"]) if path.is_dir()):
                groups.append((str(folder.relative_to(self.tree)), sorted(path for path in folder.iterdir() if path.suffix in SOURCES)))
        else:
            groups = [(rule["name"], [path for pattern in rule["files"] for path in sorted(self.tree.glob(pattern))])]
        for name, paths in groups:
            paths = [path for path in paths if not re.search(rule.get("except", "$^"), str(path.relative_to(self.tree)))]
            if not any(has_directive(path.read_text(encoding="utf-8", errors="replace")) for path in paths):
                continue
            paths += [self.tree / other for other in rule.get("with", ())]
            flags = [flag.replace("@", str(self.tree)) for flag in rule.get("flags", ())]
            made.append(Program(name, [str(path) for path in paths], flags, str(paths[0].parent), rule.get("ignore", ""),
                                [str(one).replace("@", str(self.tree)) for one in rule.get("arguments", ())], rule.get("tolerance", 1e-5), rule.get("drop", "")))  # fmt: skip
        return made

    # --- one program ---

    def look_at(self, program: Program) -> None:
        texts = {path: Path(path).read_text(encoding="utf-8", errors="replace") for path in program.sources}
        with_directives = [path for path, text in texts.items() if has_directive(text)]
        program.files = len(with_directives)
        place = self.place / "made" / re.sub(r"\W+", "_", program.name)
        place.mkdir(parents=True)
        report = self.translate(program, program.sources, place)
        program.parsed = len(with_directives)
        if report is None and program.state == "not parsed":
            program.parsed = 0
            for path in with_directives:
                if (one := self.translate(program, [path], place, check=True)) is not None:
                    program.parsed += 1
                    self.count(program, one)
            program.state = "not parsed"
            return
        if report is None:
            return
        self.count(program, report)
        if not any(re.search(r"\bmain\s*\(", text) for text in texts.values()):
            program.state = "no program"
            return
        if self.options.translate_only:
            program.state = "refused" if program.causes else "translated"
            return
        expected = self.oracles(program, place)
        program.peer = self.peer(program, place, expected) if self.options.peer and expected else ""
        if program.causes:
            program.state = "refused"
        elif not expected:
            program.state = "no oracle"
        else:
            self.run_translation(program, place, expected)

    def translate(self, program: Program, sources: list[str], place: Path, check: bool = False) -> dict | None:
        report = place / "report.json"
        report.unlink(missing_ok=True)
        where = ["--check"] if check else ["--output", place / "ported"]
        done = call([self.bench.port, *sources, *where, "--json", report, "--", *program.flags], self.options.limit, Path(program.folder))
        if done is None or not report.is_file():
            program.state = "hang" if done is None else "not parsed" if "Clang does not take it" in done.stderr else "crash"
            program.message = "" if done is None else done.stderr.strip()[:400]
            return None
        return json.loads(report.read_text(encoding="utf-8"))

    @staticmethod
    def count(program: Program, report: dict) -> None:
        for file in report["files"]:
            for one in file["directives"]:
                program.outcomes[one["outcome"]] = program.outcomes.get(one["outcome"], 0) + 1
                if one["outcome"] == "refused" and not one["refusal"].startswith("it is part of"):
                    program.causes.append(f"{one['code']} {one['construct']}: {one['refusal']}")
            # What stands in a comment, or in a branch that is not compiled, keeps nobody from building the rest.
            program.causes += [f"{one['code']} {one['what']}" for one in file["remarks"]
                               if one["outcome"] == "refused" and one["code"] not in ("GW1002", "GW1004")]  # fmt: skip

    def build(self, program: Program, sources: list[str], binary: Path, *flags: str) -> str:
        """What speaks against it."""
        objects = []
        for number, path in enumerate(sources):
            compiler = self.bench.compiler if not path.endswith(".c") else self.bench.compiler.replace("g++", "gcc")
            objects.append(f"{binary}.{number}.o")
            standard = [] if any(flag.startswith("-std") for flag in program.flags) else ["-std=gnu17" if path.endswith(".c") else "-std=c++20"]
            done = call([compiler, "-w", "-O1", *standard, *program.flags, *flags, "-c", path, "-o", objects[-1]], self.options.limit, Path(program.folder))
            if done is None or done.returncode != 0:
                return "too slow" if done is None else "; ".join(re.findall(r"error: (.*)", done.stderr)[:3]) or done.stderr[:200]
        threads = [flag for flag in program.flags if flag == "-fopenmp"]
        done = call([self.bench.compiler, *objects, *flags, *threads, "-o", binary, "-lm"], self.options.limit, Path(program.folder))
        return "too slow" if done is None else "" if done.returncode == 0 else done.stderr[:300]

    def run(self, program: Program, binary: Path, **environment: str) -> str | None:
        """What it prints; nothing if it does not end well."""
        environment = {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive", **environment}
        done = call([binary, *program.arguments], self.options.limit, Path(program.folder), **environment)
        if done is None or done.returncode != 0:
            program.message = "it had not ended in time" if done is None else f"status {done.returncode}: {done.stderr.strip()[-300:]}"
            return None
        return done.stdout + re.sub(r"(?s)Kokkos::OpenMP::initialize WARNING.*?testing set OMP_PROC_BIND=false\n", "", done.stderr)

    def oracles(self, program: Program, place: Path) -> list[str]:
        """What the source prints without OpenACC, and with GCC's."""
        said = []
        for kind, flags in (("plain", []), ("openacc", ["-fopenacc", "-foffload=disable"])):
            if self.build(program, program.sources, place / kind, *flags) == "" and (printed := self.run(program, place / kind)):
                said.append(printed)
        # Who prints nothing that can be held to it twice is no oracle.
        return [one for one in said if is_equal(one, one, program.ignore, program.tolerance, program.drop)]

    def run_translation(self, program: Program, place: Path, expected: list[str]) -> None:
        objects = []
        includes = [f"-I{folder}" for folder in sorted({str(Path(path).parent) for path in program.sources})]
        for path in sorted((place / "ported").rglob("*")):
            if path.suffix not in SOURCES:
                continue
            objects.append(f"{path}.o")
            flags = [flag for flag in program.flags if not flag.startswith("-std=")]
            done = call([self.bench.compiler, *self.bench.flags, "-include", self.bench.folder / "all.hpp", *includes, *flags, "-c", path, "-o", objects[-1]], self.options.limit, place)
            if done is None or done.returncode != 0:
                program.state = "not built" if done is not None else "hang"
                program.message = "compiling had not ended in time" if done is None else "; ".join(re.findall(r"error: (.*)", done.stderr)[:3])
                return
        done = call([self.bench.compiler, *objects, "-o", place / "ported" / "program", *self.bench.libraries, "-lm"], self.options.limit, place)
        if done is None or done.returncode != 0:
            program.state, program.message = "not built", "linking had not ended in time" if done is None else done.stderr[-300:]
            return
        printed = self.run(program, place / "ported" / "program", GANGWAY_MEMORY="strict")

        def agrees(printed: str | None) -> bool:
            return printed is not None and any(is_equal(one, printed, program.ignore, program.tolerance, program.drop) for one in expected)

        ended = program.message if printed is None else ""
        program.state = "equal" if agrees(printed) else "ended" if printed is None else "wrong"
        if program.state != "equal":
            # A source may call iterations independent that are not, or copy out what it reads.
            for memory in ("strict", "shared"):
                if agrees(self.run(program, place / "ported" / "program", GANGWAY_MEMORY=memory, OMP_NUM_THREADS="1")):
                    program.state, program.message = "in part", f"equal with one thread in {memory} memory"
                    break
            else:
                program.message = ended
            (place / "expected.txt").write_text(expected[0], encoding="utf-8")
            (place / "printed.txt").write_text(printed or ended, encoding="utf-8")

    def peer(self, program: Program, place: Path, expected: list[str]) -> str:
        """How far Intel's tool takes it: each file with directives is translated, headers beside the sources as well."""
        folder = place / "peer"
        folder.mkdir()
        folders = sorted({Path(path).parent for path in program.sources})
        headers = [path for one in folders for path in sorted(one.glob("*.h*")) if path.suffix in (".h", ".hpp")]
        for path in [*map(Path, program.sources), *headers]:
            copied = folder / path.name
            text = path.read_text(encoding="utf-8", errors="replace")
            if has_directive(text):
                shutil.copy(path, copied)
                made = call_peer(self.options.peer, copied, self.options.limit)
                if made is None:
                    return "not translated"
                text = made.read_text(encoding="utf-8", errors="replace")
            elif path in headers:
                continue
            copied.write_text(text, encoding="utf-8")
        sources = [str(folder / Path(path).name) for path in program.sources]
        if self.build(program, sources, folder / "program", "-fopenmp", "-foffload=disable", "-include", "openacc.h", *(f"-I{one}" for one in folders)):
            return "not built"
        printed = self.run(program, folder / "program", OMP_TARGET_OFFLOAD="disabled")
        program.message = ""
        if printed is None:
            return "ended"
        return "equal" if any(is_equal(one, printed, program.ignore, program.tolerance, program.drop) for one in expected) else "wrong"


def table(entries: list[dict], results: dict[str, list[dict]], peer: bool) -> list[str]:
    heads = ["collection", "files", "parsed", "directives", "translated", "assumed", "refused", "programs", "tried", "equal", "in part", "not equal", "not built"]
    if peer:
        heads += ["peer: tried", "peer: translated", "peer: built", "peer: equal"]
    rows = []
    for entry in entries:
        programs = results[entry["name"]]
        outcomes = [sum(program["outcomes"].get(kind, 0) for program in programs) for kind in ("translated", "assumed", "refused")]
        states = collections.Counter(program["state"] for program in programs)
        runnable = sum(program["state"] not in ("no program", "no oracle", "translated") for program in programs)
        tried = sum(states[state] for state in ("equal", "in part", "wrong", "ended", "not built"))
        cells = [sum(program["files"] for program in programs), sum(program["parsed"] for program in programs), sum(outcomes), *outcomes,
                 runnable, tried, states["equal"], states["in part"], states["wrong"] + states["ended"], states["not built"]]  # fmt: skip
        if peer:
            ends = [program["peer"] for program in programs if program["peer"]]
            cells += [len(ends), sum(end != "not translated" for end in ends),
                      sum(end in ("ended", "wrong", "equal") for end in ends), ends.count("equal")]  # fmt: skip
        if tried == 0:  # nothing was built
            cells[6:] = [""] * len(cells[6:])
        rows.append((f"[{entry['name']}](https://github.com/{entry['repository']}/tree/{entry['commit'][:7]})", cells))
    rows.append(("all", [sum(cells[at] or 0 for _, cells in rows) for at in range(len(heads) - 1)]))
    return [f"| {' | '.join(heads)} |", "|---|" + "---:|" * (len(heads) - 1),
            *(f"| {name} | {' | '.join(str(cell) for cell in cells)} |" for name, cells in rows)]  # fmt: skip


def report(entries: list[dict], results: dict[str, list[dict]], peer: bool) -> Iterator[str]:
    """The table, then what is not equal, and why something was refused."""
    entries = [entry for entry in entries if entry["name"] in results]
    yield from table(entries, results, peer)
    yield ""
    for entry in entries:
        for program in results[entry["name"]]:
            if program["state"] not in ("equal", "no program", "refused", "translated"):
                message = re.sub(r".*/sources/", "", program["message"].splitlines()[0] if program["message"] else "")
                yield f"{entry['name']}: {program['name']}: {program['state']} {message[:120]}".rstrip()
    yield ""
    causes = collections.Counter(re.sub(r"'[^']*'|\d+(?= )|\(line \d+\)|\S*/\S*", "_", cause.split(" ", 1)[1])
                                 for entry in entries for program in results[entry["name"]] for cause in program["causes"])  # fmt: skip
    for cause, count in causes.most_common():
        yield f"{count:4} {cause}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="a folder outside of this project")
    parser.add_argument("--list", type=Path, default=Path(__file__).with_suffix(".json"), help="of the collections (%(default)s)")
    parser.add_argument("--from", dest="source", type=Path, help="a folder with checkouts, OWNER+NAME; git clones otherwise")
    parser.add_argument("--only", default="", help="collections whose name matches")
    parser.add_argument("--program", default="", help="programs whose name matches")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "openmp", help="the built tree (%(default)s)")
    parser.add_argument("--port", type=Path, help="another translator than the tree's")
    parser.add_argument("--translate-only", action="store_true", help="build and run nothing")
    parser.add_argument("--peer", type=Path, help="Intel's tool, to be held to the same numbers")
    parser.add_argument("--limit", type=int, default=120, help="seconds for each command (%(default)s)")
    options = parser.parse_args()
    options.results = options.results.resolve()
    if ROOT in (options.results, *options.results.parents):
        sys.exit(f"{options.results}: give a folder outside of {ROOT}, for what is made of others' programs stays out of it")
    options.results.mkdir(parents=True, exist_ok=True)
    if options.source is not None:
        options.source = options.source.resolve()
    if options.peer is not None:
        options.peer = options.peer.resolve()
    bench = Bench(options.build.resolve(), options.results, options.limit, options.port and options.port.resolve())
    kept = options.results / "results.json"  # of collections that are not looked at now
    results = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    entries = json.loads(options.list.read_text(encoding="utf-8"))
    for entry in entries:
        if not re.search(options.only, entry["name"]):
            continue
        collection = Collection(entry, options, bench)
        for program in collection.programs:
            collection.look_at(program)
            print(f"{collection.name}: {program.name}: {program.state}{f', the peer: {program.peer}' if program.peer else ''}"
                  f" {program.message[:200]}", file=sys.stderr, flush=True)  # fmt: skip
        # Programs that are not looked at now keep what was found of them.
        found = {program.name: asdict(program) for program in collection.programs}
        before = [program for program in results.get(entry["name"], []) if program["name"] not in found and options.program]
        results[entry["name"]] = [*before, *found.values()]
        kept.write_text(json.dumps(results, indent=1), encoding="utf-8")
    if not any(results.values()):
        sys.exit("no program matches")
    print("\n".join(report(entries, results, options.peer is not None)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
