#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts committed results into the pages that speak of them, so that their numbers cannot drift.

    make_pages.py            rewrites what is between marks, and draws the README's picture
    make_pages.py --check    changes nothing; exit status 1 if a page or the picture is out of date
    make_pages.py --studies FOLDER
                             writes the pages for the site there: one per study and one per device

Pages are README.md, docs/results.md, docs/findings.md and every study's note, if there is a mark in
them. Their text is written by hand; what a mark asks for is made. bench/results/current.json says which
DEVICE/SET `gpu` and `host` (or any other name) stand for: a new set of results is shown by naming it there.

A table stands between two lines:

    <!-- results: KIND ... -->
    <!-- results end -->

Where the library `port` took part, the OpenACC sources by `gangway port`, it is the control: it has a
column of its own. KIND is one of
    study                  the main case of the note's own study, in `gpu` and `host`
    summary SET            the main case of every study
    ports SET              counts and medians of the ports
    picture SET
    lessons SET            what a change is worth in either model; the mark goes on with lines
                           LESSON | STUDY/CASE | BEFORE | AFTER [| REMARK]
    stages SET             single stages, with lines WHAT | STUDY/CASE | VARIANT [| REMARK]

A value in a sentence stands in <!--= SET ... --><!--/-->:
    <!--= gpu spmv/guide kokkos:auto --><!--/-->
    <!--= gpu spmv/guide share kokkos:auto --><!--/-->
    <!--= gpu spmv/guide copy kokkos:auto --><!--/-->      of a copy's speed
    <!--= gpu spmv/guide kokkos:vector-128 / kokkos:vector-32 --><!--/-->   how many times as long
    <!--= gpu count twins slower --><!--/-->   twins (stages), beyond, best, yardstick; all, faster, slower,
                                               even, flagged; then a library's LABEL, where there are several
    <!--= gpu median twins unflagged gcc --><!--/-->   a median of those ratios; `unflagged` may be left out
    <!--= gpu tuning wider --><!--/-->   cases whose best of both differs more than the port: all, wider; port,
                                         best: the medians
    <!--= gpu device --><!--/-->
A variant * is the best of its model; a case with a space in it is put in quotes. Of several OpenACC
libraries openacc:VARIANT is the first, openacc[LABEL]:VARIANT the one of that label.

What a sentence says can be held to the results:
    <!--: gpu spmv/guide openacc:workers-4 < kokkos:workers-4 -->      the first is faster
    <!--: gpu order/* kokkos:stride-1 < 0.3 kokkos:strided -->         ... than 0.3 times the second
    <!--: gpu vadd/large kokkos:range ~ yardstick:cuda -->             no difference is shown

A time, a ratio, a rate or a share that is typed is refused, for nobody would notice when it is no
longer so. It may stay where its sentence says what it is: "in another run, not kept", "published", or
a "goal".

Exit status: 0 done or up to date; 1 out of date, a number typed, or a sentence that does not hold; 2 bad
usage or input.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
from pathlib import Path

import pictures
import sets
import studies
import tables
from make_report import write_whole
from results import ResultsError
from tables import Results

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(<!-- results: (.*?)\s-->)\n(.*?)<!-- results end -->", flags=re.DOTALL)
VALUE = re.compile(r"<!--= (.*?) ?-->(.*?)<!--/-->", flags=re.DOTALL)
CLAIM = re.compile(r"<!--: (.*?) -->")
ANY_MARK = ("<!-- results", "<!--=", "<!--:")

# What looks measured: a number with a unit, a factor, a ratio with its interval, a quotient.
NUMBER = r"\d[\d.,]*"
TYPED = re.compile(
    rf"{NUMBER}\s?(?:ns|µs|us|ms|s|[kMGT]B/s|[GT]FLOP/s|%)(?![\w/])"
    rf"|{NUMBER} times\b"
    rf"|{NUMBER} \[{NUMBER}"
    r"|(?<![\d.])\d+\.\d\d+(?!\.?\d)"
)
SAID = re.compile(r"not kept|published|\bgoal\b")
NO_MEASUREMENT = re.compile(
    r"95 % interval|\[95 %\]|(?:CMake|GoogleTest|nlohmann-json) \d+\.\d+"  # the last are versions
)
SENTENCE = re.compile(r"(?<=[.;:])\s+|\n(?=[-*|#])|\n\s*\n")


def pages(root: Path) -> dict[Path, str]:
    """The text of every page that shows results."""
    files = [root / "README.md", root / "docs" / "results.md", root / "docs" / "findings.md"]
    files += sorted(root.glob("src/studies/*/README.md"))
    try:
        texts = {file: file.read_text(encoding="utf-8") for file in files if file.exists()}
    except OSError as error:
        raise ResultsError(f"cannot read {error.filename}: {error.strerror}") from error
    return {file: text for file, text in texts.items() if any(mark in text for mark in ANY_MARK)}


class Current:
    """The results that pages show. Folders are read when they are asked for."""

    def __init__(self, root: Path):
        self.place = root / "bench" / "results"
        self.file = self.place / "current.json"
        try:
            self.folders = json.loads(self.file.read_text(encoding="utf-8"))
        except OSError as error:
            raise ResultsError(f"cannot read {self.file}: {error.strerror}") from error
        except ValueError as error:
            raise ResultsError(f"{self.file} is not JSON: {error}") from error
        named = isinstance(self.folders, dict) and all(
            isinstance(folder, str) for folder in self.folders.values()
        )
        if not named or not self.folders:
            raise ResultsError(f'{self.file} should be {{"gpu": "FOLDER/SET", "host": "FOLDER/SET"}}')
        self._read: dict[str, Results] = {}
        self._sets: dict[Path, dict[str, sets.Set]] = {}

    def __getitem__(self, name: str) -> Results:
        if name not in self.folders:
            raise ResultsError(f"{self.file} names no '{name}'; {', '.join(self.folders)}")
        named = self.folders[name]
        if named not in self._read:
            place, _, wanted = named.partition("/")
            folder = self.place / place
            if not folder.is_dir():
                raise ResultsError(f"{self.file}: there is no folder {folder}")
            if folder not in self._sets:
                self._sets[folder] = {each.name: each for each in sets.read(folder)}
            if wanted not in self._sets[folder]:
                there = ", ".join(self._sets[folder])
                raise ResultsError(f"{self.file}: {folder} has no set '{wanted}'; it has {there}")
            self._read[named] = Results(folder, wanted, self._sets[folder][wanted].runs)
        return self._read[named]


# --- what marks ask for -----------------------------------------------------------------------


def link(page: Path, place: Path) -> str:
    return Path(os.path.relpath(place, page.parent)).as_posix()


IN_NOTES = ("gpu", "host")  # other sets are shown where a mark names them


def study_block(current: Current, page: Path) -> list[str]:
    """A row per device."""
    lines: list[str] = []
    for name in (name for name in IN_NOTES if name in current.folders):
        made = tables.study_results(current[name], page.parent.name)
        same_columns = lines[:2] == made[:2]
        lines += made[2:] if same_columns else ["", *made] if lines and made else made
    if not lines:
        return ["Not among the committed results."]
    more = link(page, current.place.parents[1] / "docs" / "results.md")
    return [*lines, "", f"The study's page has every size and variant ([how to make it]({more}#a-page-per-study))."]


def picture(results: Results, page: Path) -> list[str]:
    file = link(page, results.folder / pictures.NAME)
    return [
        f'<img src="{file}" width="560" alt="Time of {results.whose_openacc} over Kokkos time in '
        f'every study on {results.device}; docs/results.md has the numbers">',
    ]


def block(current: Current, page: Path, call: str) -> str:
    """What stands between the marks."""
    first, *more = call.split("\n")
    given = [line for line in more if line.strip()]
    kind, *arguments = shlex.split(first)
    if kind == "study" and not arguments:
        return "\n".join(["", *study_block(current, page), ""])
    if kind not in KINDS or len(arguments) != 1:
        raise ResultsError(f"'{first}' is no table; see the head of tools/pages/make_pages.py")
    return "\n".join(["", *KINDS[kind](page, current[arguments[0]], given), ""])


KINDS = {
    "summary": lambda _, results, lines: tables.all_studies(results),
    "ports": lambda _, results, lines: tables.lead(results)[:-1],
    "picture": lambda page, results, lines: picture(results, page),
    "lessons": lambda _, results, lines: tables.lessons(results, lines),
    "stages": lambda _, results, lines: tables.stage_against(results, lines),
}


def made(current: Current, page: Path, text: str, wrong: list[str]) -> str:
    """The page's text with what its marks ask for; what cannot be made is added to `wrong`."""

    def attempt(make, found: re.Match) -> str:
        try:
            return make(found)
        except (ResultsError, ValueError) as error:
            line = text.count("\n", 0, found.start()) + 1
            wrong.append(f"{page}:{line}: {error}")
            return found[0]

    def table(found: re.Match) -> str:
        return f"{found[1]}\n{block(current, page, found[2])}\n<!-- results end -->"

    def value(found: re.Match) -> str:
        name, *words = shlex.split(found[1])
        return f"<!--= {found[1]} -->{tables.value(current[name], words)}<!--/-->"

    paired = [
        (BLOCK, "<!-- results: ", "<!-- results end -->"),
        (VALUE, "<!--= ", "<!--/-->"),
    ]
    for marks, begin, end in paired:
        count = len(marks.findall(text))
        if not count == text.count(begin) == text.count(end):
            wrong.append(f"{page}: '{begin}… -->' and '{end}' are not in pairs")
            return text
    new = BLOCK.sub(lambda found: attempt(table, found), text)
    return VALUE.sub(lambda found: attempt(value, found), new)


def refuted(current: Current, page: Path, text: str, wrong: list[str]) -> list[str]:
    """What the page says and the results do not."""
    found = []
    for claim in CLAIM.finditer(text):
        line = text.count("\n", 0, claim.start()) + 1
        try:
            name, *words = shlex.split(claim[1])
            if not tables.holds(current[name], words):
                found.append(f"{page}:{line}: the results do not say {claim[1]}")
        except (ResultsError, ValueError) as error:
            wrong.append(f"{page}:{line}: {error}")
    return found


def typed(text: str) -> list[str]:
    """The sentences with a measured number that no mark made and no word explains."""
    for made_or_code in (BLOCK, VALUE, CLAIM, r"(?ms)^```.*?^```", r"`[^`\n]*`", r"\]\([^)]*\)", NO_MEASUREMENT):
        text = re.sub(made_or_code, " ", text)
    return [
        " ".join(sentence.split())
        for sentence in SENTENCE.split(text)
        if sentence and TYPED.search(sentence) and not SAID.search(sentence)
    ]


def write_studies(root: Path, folder: Path) -> int:
    try:
        for name, text in studies.pages(root).items():
            write_whole(folder / name, text)
    except ResultsError as error:
        print(f"make_pages: {error}", file=sys.stderr)
        return 2
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="of the project")
    parser.add_argument("--check", action="store_true", help="only see whether all is up to date")
    parser.add_argument("--studies", type=Path, metavar="FOLDER", help="write the pages for the site there")
    arguments = parser.parse_args()
    if arguments.studies:
        return write_studies(arguments.root, arguments.studies)
    wrong: list[str] = []  # what cannot be made; then nothing is written
    stale: list[str] = []
    new_texts: dict[Path, str] = {}
    shown: set[str] = set()
    try:
        current = Current(arguments.root)
        for page, text in pages(arguments.root).items():
            new = made(current, page, text, wrong)
            shown |= set(re.findall(r"<!-- results: picture (\S+) -->", text))
            stale += [f"{page}: a measured number is typed: {s}" for s in typed(new)]
            stale += refuted(current, page, new, wrong)
            if new != text:
                new_texts[page] = new
        old = [current[name] for name in sorted(shown & set(current.folders))]
        old = [each for each in old if not pictures.is_current(each)]
        if arguments.check:
            late = [*new_texts, *(results.folder / pictures.NAME for results in old)]
            stale += [f"{file} is out of date; tools/pages/make_pages.py makes it" for file in late]
        elif not wrong:
            for page, text in new_texts.items():
                write_whole(page, text)
            for each in old:
                pictures.draw(each)
    except ResultsError as error:
        wrong.append(str(error))
    for line in wrong + stale:
        print(f"make_pages: {line}", file=sys.stderr)
    return 2 if wrong else 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
