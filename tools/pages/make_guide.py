#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the snippets that the tests compile and run into the porting guide and the worked examples' pages.

    make_guide.py FOLDER     writes the pages below FOLDER, under their places in docs
    make_guide.py --check    writes nothing, and only looks for errors

A snippet is in a source between two comments `// [name]`, in Fortran `! [name]`. A page calls for it by a line of its own:

    @pair NAME       the snippet in OpenACC, then in Kokkos
    @openacc NAME    one of them
    @kokkos NAME
    @fortran NAME    the snippet in fortran.F90, and its kernels
    @ported NAME     what becomes of it, in Fortran
    @diff NAME       what differs between the two, the OpenACC one being before
    @tags FILE       the table of FILE.txt beside the snippets, with its counts

Errors (exit status 2): a snippet that does not exist, exists twice, or is never shown; a construct
without a row in one of the guide's tables; a tag without one of the states, or twice; a link to a
file or a heading that is not there.
"""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
MODELS = {"openacc": "OpenACC", "kokkos": "Kokkos"}
# What the guide must have a row for, as it is written in the table's first column.
CONSTRUCTS = """
kernels parallel serial loop independent gang worker vector seq num_gangs num_workers vector_length collapse
tile private reduction routine atomic cache device_type async wait copy copyin copyout create present
default attach detach declare deviceptr data host_data use_device update if restrict _OPENACC acc_get_num_devices -Minfo NVCOMPILER_ACC_TIME
NVCOMPILER_ACC_NOTIFY
""".split()


STATES = ("mapped", "no equivalent", "open")  # of the tags of a suite of tests


class GuideError(Exception):
    """What is wrong, where, and what would be right."""


@dataclass(frozen=True)
class Book:
    pages: list[Path]  # with calls for snippets
    sources: dict[str, list[Path]]  # of each model; the pages show every snippet of theirs
    constructs: bool  # whether it is the guide, with a row for each construct


def books(docs: Path) -> list[Book]:
    def sources(folder: str, pattern: str) -> list[Path]:
        return sorted((docs / folder).glob(pattern))

    return [
        Book(
            sources("guide", "*.md") or [docs / "guide" / "index.md"],
            {model: sources("guide/snippets", f"{model}_*.cpp") for model in MODELS},
            True,
        ),
        Book(
            [docs / "worked-example" / "README.md"],
            {
                "openacc": sources("worked-example/before", "*.cpp"),
                "kokkos": sources("worked-example/after", "*.cpp"),
            },
            False,
        ),
        Book(
            [docs / "second-example" / "README.md"],
            {
                "openacc": sources("second-example/before", "*.[ch]"),
                "kokkos": sources("second-example/after", "*.?pp"),
            },
            False,
        ),
    ]


def read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise GuideError(f"cannot read {file}: {error.strerror}") from error


def unindented(lines: list[str]) -> str:
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines).strip("\n")


def snippets_of(file: Path) -> dict[str, str]:
    """The snippets of a source by name. Errors: marks that do not pair."""
    found: dict[str, str] = {}
    name, first = None, 0
    lines = read(file).splitlines()
    for number, line in enumerate(lines, start=1):
        mark = re.fullmatch(r"\s*(?://|!) \[([a-z_]+)\]", line)
        if mark is None:
            continue
        if name is None:
            name, first = mark[1], number
            if name in found:
                raise GuideError(f"{file}:{number}: there is a snippet [{name}] already")
        elif name == mark[1]:
            found[name] = unindented(lines[first : number - 1])
            if not found[name]:
                raise GuideError(f"{file}:{number}: the snippet [{name}] is empty")
            name = None
        else:
            raise GuideError(f"{file}:{number}: [{mark[1]}] begins before [{name}] has ended")
    if name is not None:
        raise GuideError(f"{file}:{first}: [{name}] never ends; // [{name}] again ends it")
    return found


def snippets_of_all(files: list[Path]) -> dict[str, str]:
    all_found: dict[str, str] = {}
    for file in files:
        for name, code in snippets_of(file).items():
            if name in all_found:
                raise GuideError(f"{file}: there is a snippet [{name}] in another source already")
            all_found[name] = code
    return all_found


def tag_table(file: Path) -> str:
    """The table of lines `TAG, TAG | state | text`, below a line that counts. Errors: GuideError."""
    rows: list[str] = []
    counts = dict.fromkeys(STATES, 0)
    seen: set[str] = set()
    for number, line in enumerate(read(file).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        tags, state, text = ([part.strip() for part in line.split("|")] + ["", ""])[:3]
        names = [tag.strip() for tag in tags.split(",")]
        if state not in STATES or not text:
            raise GuideError(
                f"{file}:{number}: TAG | STATE | TEXT is wanted, with a state of {', '.join(STATES)}"
            )
        if state == "mapped" and not re.search(r"\]\([\w-]+\.md", text):
            raise GuideError(f"{file}:{number}: {tags} is mapped, to which row? a link says it")
        if twice := seen.intersection(names):
            raise GuideError(f"{file}:{number}: {', '.join(twice)} stands there already")
        seen.update(names)
        counts[state] += 1
        rows.append(f"| {', '.join(f'`{name}`' for name in names)} | {state} | {text} |")
    counted = ", ".join(f"{count} {state}" for state, count in counts.items())
    return "\n".join([f"{len(rows)} tags: {counted}.", "", "| tag | | |", "|---|---|---|", *rows])


class Fortran:
    """The snippets of Fortran, and what `gangway port` writes for them (tests/port/fortran/translation_test.py)."""

    def __init__(self, folder: Path) -> None:
        self.source = snippets_of(folder / "fortran.F90")
        self.ported = snippets_of(folder / "fortran_ported.txt")
        self.kernels = read(folder / "fortran_kernels.txt")
        self.shown: set[str] = set()

    def code(self, how: str, name: str, place: str) -> str:
        if name not in self.source:
            raise GuideError(f"{place}: there is no snippet [{name}] in fortran.F90")
        if how == "ported":
            return f"```fortran\n{self.ported[name]}\n```"
        self.shown.add(name)
        functions = []
        for called in re.findall(r"call (\w+_line\d+)\(", self.ported[name]):
            function = re.search(rf'^extern "C" void {called}\(.*?^}}$', self.kernels, re.M | re.S)
            if function is None:
                raise GuideError(f"{place}: {called} is not in fortran_kernels.txt")
            for used in dict.fromkeys(re.findall(r"\w+_routine(?=\()", function[0])):
                routine = re.search(rf"^KOKKOS_FUNCTION \w+ {used}\(.*?^}}$", self.kernels, re.M | re.S)
                functions += [routine[0]] if routine else []
            functions.append(function[0])
        kernels = "\n\n".join(functions)
        return f"```fortran\n! OpenACC\n{self.source[name]}\n```\n\n```cpp\n// Kokkos\n{kernels}\n```"


def made(book: Book) -> dict[Path, str]:
    """The texts of a book's pages with their snippets. Errors: GuideError."""
    snippets = {model: snippets_of_all(files) for model, files in book.sources.items()}
    shown: dict[str, set[str]] = {model: set() for model in MODELS}

    def snippet(model: str, name: str, place: str) -> str:
        if name not in snippets[model]:
            raise GuideError(
                f"{place}: there is no {MODELS[model]} snippet [{name}]; "
                f"sources: {', '.join(file.name for file in book.sources[model]) or 'none'}"
            )
        shown[model].add(name)
        return snippets[model][name]

    def code(model: str, name: str, place: str) -> str:
        return f"```cpp\n// {MODELS[model]}\n{snippet(model, name, place)}\n```"

    def difference(name: str, place: str) -> str:
        before, after = (snippet(model, name, place).splitlines() for model in MODELS)
        lines = list(difflib.unified_diff(before, after, n=len(before), lineterm=""))[3:]
        if not lines:
            raise GuideError(f"{place}: [{name}] is the same in both")
        return "\n".join(["```diff", *lines, "```"])

    place_of_fortran = book.pages[0].parent / "snippets"
    fortran = Fortran(place_of_fortran) if (place_of_fortran / "fortran.F90").exists() else None

    def page(file: Path) -> str:
        lines = []
        for number, line in enumerate(read(file).splitlines(), start=1):
            call = re.fullmatch(r"@(\w+) (\w+)\s*", line)
            place = f"{file}:{number}"
            if call is None:
                lines.append(line)
            elif call[1] == "pair":
                lines.append("\n\n".join(code(model, call[2], place) for model in MODELS))
            elif call[1] in MODELS:
                lines.append(code(call[1], call[2], place))
            elif call[1] == "diff":
                lines.append(difference(call[2], place))
            elif call[1] in ("fortran", "ported") and fortran is not None:
                lines.append(fortran.code(call[1], call[2], place))
            elif call[1] == "tags":
                lines.append(tag_table(file.parent / "snippets" / f"{call[2]}.txt"))
            else:
                known = "@pair, @openacc, @kokkos, @fortran, @ported, @diff and @tags are known"
                raise GuideError(f"{place}: @{call[1]}; {known}")
        return "\n".join(lines) + "\n"

    texts = {file: page(file) for file in book.pages}
    if fortran is not None and (never := sorted(fortran.source.keys() - fortran.shown)):
        raise GuideError(f"{book.pages[0].parent} never shows the snippets {', '.join(never)} of fortran.F90")
    for model, names in snippets.items():
        if never := sorted(names.keys() - shown[model]):
            raise GuideError(
                f"{book.pages[0].parent} never shows the {MODELS[model]} snippets {', '.join(never)}"
            )
    return texts


def anchor(heading: str) -> str:
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def text_without_code(text: str) -> str:
    return re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)


def headings(text: str) -> set[str]:
    return {anchor(h) for h in re.findall(r"^#+ (.*)$", text_without_code(text), re.MULTILINE)}


def check_links(page: Path, texts: dict[Path, str]) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text_without_code(texts[page])):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, heading = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        if not file.exists():
            raise GuideError(f"{page}: the link {target} leads nowhere")
        if heading and heading not in headings(texts.get(file) or read(file)):
            raise GuideError(f"{page}: {file.name} has no heading #{heading}")


def check_constructs(book: Book, texts: dict[Path, str]) -> None:
    """Every construct is in the first column of some table."""
    first_column = "\n".join(
        line.split("|")[1]
        for text in texts.values()
        for line in text.splitlines()
        if line.startswith("| ")
    )
    rows = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]*)`", first_column))))
    if missing := [name for name in CONSTRUCTS if name not in rows]:
        raise GuideError(f"{book.pages[0].parent}: no row for {', '.join(missing)}")


def all_texts(docs: Path) -> dict[Path, str]:
    """All pages that show snippets, with their texts. Errors: GuideError."""
    texts: dict[Path, str] = {}
    for book in books(docs):
        texts |= (own := made(book))
        if book.constructs:
            check_constructs(book, own)
    for page in texts:
        check_links(page, texts)
    return texts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="FOLDER", help="default: its own")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="only look for errors")
    what.add_argument("folder", type=Path, nargs="?", help="where the pages go")
    arguments = parser.parse_args()
    docs = arguments.docs.resolve()
    try:
        texts = all_texts(docs)
        for file, text in texts.items() if not arguments.check else ():
            place = arguments.folder / file.relative_to(docs)
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
            except OSError as error:
                raise GuideError(f"cannot write {place}: {error.strerror}") from error
    except GuideError as error:
        print(f"make_guide: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
