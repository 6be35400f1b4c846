#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the documentation site of the pages in the tree.

    make_site.py FOLDER            the site in FOLDER/html, by Doxygen and Sphinx; warnings are errors
    make_site.py --stage FOLDER    only what Sphinx reads, in FOLDER/source

The pages are those of docs, the studies' notes, and a few from elsewhere (PLACES). Links between them keep working under their
names on the site. A linked file that is no page becomes one if it is text, and is copied otherwise. The pages `start` and
`quick-start` are sections of the README; `api/` has a page for each header of the library, and `results/` those that
make_pages.py writes of the committed results.

Errors (exit status 1 or 2): a page that has a broken link, is in no navigation, or that Sphinx warns of; a public name of the
library without a comment; a link in the site that leads nowhere.
"""

from __future__ import annotations

import argparse
import copy
import html.parser
import os
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path
from xml.etree import ElementTree

import make_guide

ROOT = Path(__file__).resolve().parents[2]
# Pages from outside of docs, and their names on the site.
PLACES = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
# Pages of the site that are sections of the README.
SECTIONS = {
    "start.md": ("Is it for you?", ("One loop", "Is it for you?")),
    "quick-start.md": ("Quick start", ("Quick start", "The parts", "Status")),
}
README_PAGES = {make_guide.anchor(title): name for name, (title, _) in SECTIONS.items()}
LANGUAGES = {".F90": "fortran", ".cpp": "cpp", ".hpp": "cpp", ".h": "c", ".c": "c", ".py": "python", ".cmake": "cmake"}
DESCRIPTIONS = ("briefdescription", "detaileddescription")  # of Doxygen
LARGEST_LISTING = 50_000  # bytes; a larger file is copied as it is


class SiteError(Exception):
    """What is wrong, and where."""


def site_pages(root: Path) -> dict[Path, str]:
    """The name on the site of each page in the tree."""
    pages = {root / place: name for place, name in PLACES.items()}
    for file in sorted((root / "docs").rglob("*.md")):
        name = file.relative_to(root / "docs").as_posix()
        pages[file] = re.sub(r"README\.md$", "index.md", name)
    for kind in ("src/studies", "apps"):
        for file in sorted((root / kind).glob("*/README.md")):
            pages[file] = f"{Path(kind).name}/{file.parent.name}.md"
    return pages


def sections_of(text: str) -> dict[str, str]:
    """The parts below headings of the second level."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Stage:
    """The folder that Sphinx reads."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root = root
        self.folder = folder
        self.pages = site_pages(root)
        self.listed: dict[Path, str] = {}

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def name_of(self, target: Path) -> str:
        """The name on the site of a file or folder that a page links to; makes its page if it has none."""
        if target == self.root / "README.md":
            return "index.md"
        if target in self.pages:
            return self.pages[target]
        if target not in self.listed:
            self.listed[target] = self.listing(target)
        return self.listed[target]

    def listing(self, target: Path) -> str:
        place = target.relative_to(self.root).as_posix()
        title = f"---\norphan: true\nnosearch: true\n---\n\n# {place}\n\n"
        if target.is_dir():
            name = f"files/{place}/index.md"
            self.listed[target] = name  # before its files, which may link back
            files = sorted(file for file in target.iterdir() if file.is_file() and not file.name.startswith("."))
            rows = [f"- [{file.name}]({self.relative(name, self.name_of(file))})" for file in files]
            self.write(name, title + "\n".join(rows) + "\n")
            return name
        text = None
        if target.stat().st_size <= LARGEST_LISTING and (target.suffix in LANGUAGES or target.suffix in (".txt", "")):
            try:
                text = target.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                pass
        if text is None:
            copy = self.folder / "files" / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(target, copy)
            return f"files/{place}"
        fence = "`" * (3 + max(map(len, re.findall(r"`{3,}", text)), default=0))
        name = f"files/{place}.md"
        self.write(name, f"{title}{fence}{LANGUAGES.get(target.suffix, '')}\n{text.rstrip()}\n{fence}\n")
        return name

    @staticmethod
    def relative(page: str, name: str) -> str:
        return os.path.relpath(name, os.path.dirname(page) or ".")

    def relinked(self, file: Path, page: str, text: str) -> str:
        """The text of a page in the tree, with its links as the site has them. Errors: SiteError."""

        def resolved(target: str) -> Path:
            found = Path(os.path.normpath(file.parent / urllib.parse.unquote(target)))
            if not found.exists():
                raise SiteError(f"{file}: the link {target} leads nowhere")
            return found

        def link(match: re.Match[str]) -> str:
            target, _, heading = match[1].partition("#")
            if not target or re.match(r"[a-z]+:", target):
                return match[0]
            found = resolved(target)
            if found == self.root / "README.md" and heading in README_PAGES:
                return f"]({self.relative(page, README_PAGES[heading])})"
            return f"]({self.relative(page, self.name_of(found))}{'#' + heading if heading else ''})"

        def picture(match: re.Match[str]) -> str:
            if re.match(r"[a-z]+:", match[2]):
                return match[0]
            source = resolved(match[2])
            copy = self.folder / "_raw" / "pictures" / source.relative_to(self.root)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
            return match[1] + self.relative(page, f"pictures/{source.relative_to(self.root).as_posix()}") + '"'

        parts = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"\]\(([^)\s]+)\)", link, parts[i])
            parts[i] = re.sub(r'(<(?:img|source)\b[^>]*?\bsrc(?:set)?=")([^"]+)"', picture, parts[i])
        return "".join(parts)

    def fill(self) -> None:
        """Errors: SiteError, GuideError."""
        (self.folder / "_raw").mkdir(parents=True)
        texts = make_guide.all_texts(self.root / "docs")
        for file, name in self.pages.items():
            text = texts[file] if file in texts else file.read_text(encoding="utf-8")
            self.write(name, self.relinked(file, name, text))
        readme = self.root / "README.md"
        sections = sections_of(readme.read_text(encoding="utf-8"))
        for name, (title, wanted) in SECTIONS.items():
            if missing := [section for section in wanted if section not in sections]:
                raise SiteError(f"{readme} has no section {', '.join(missing)}")
            parts = [(f"## {section}\n" if section != title else "") + sections[section] for section in wanted]
            parts.sort(key=lambda part: part.startswith("## "))  # the page's own section is first
            self.write(name, f"# {title}\n" + self.relinked(readme, name, "".join(parts)))
        studies = [f"/studies/{file.parent.name}" for file in self.pages if file.parent.parent.name == "studies"]
        with (self.folder / "studies.md").open("a", encoding="utf-8") as index:
            print("\n```{toctree}\n:hidden:\n", *studies, "```", sep="\n", file=index)
        self.results()
        self.api()

    def results(self) -> None:
        """A page of numbers for each study and device, linked from the study's note. Errors: SiteError."""
        place = self.folder / "results"
        make = [sys.executable, "-B", Path(__file__).parent / "make_pages.py", "--root", self.root, "--studies", place]
        done = subprocess.run(make, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SiteError(done.stderr.strip())
        names = sorted(file.stem for file in place.glob("*.md"))
        with (self.folder / "results.md").open("a", encoding="utf-8") as page:
            print("\n[All results](results/index.md), a page per study and device.", file=page)
            print("\n```{toctree}\n:hidden:\n", *(f"results/{name}" for name in names), "```", sep="\n", file=page)
        for name in names:
            note = self.folder / "studies" / f"{name}.md"
            if note.exists():
                with note.open("a", encoding="utf-8") as page:
                    print(f"\n[All results of this study](../results/{name}.md)", file=page)

    def api(self) -> None:
        headers = sorted((self.root / "src" / "gangway").glob("*.hpp"))
        rows = []
        for header in headers:
            text = introduction(header.read_text(encoding="utf-8"))
            sentence = re.split(r"(?<=[.:]) ", " ".join(text.split()))[0].rstrip(":").replace("|", "\\|")
            rows.append(f"| [`gangway/{header.name}`]({header.stem}.md) | {sentence} |")
            self.write(
                f"api/{header.stem}.md",
                f"# gangway/{header.name}\n\n{text}\n\n```{{doxygenfile}} {header.name}\n:project: gangway\n```\n",
            )
        entries = "\n".join(header.stem for header in headers)
        self.write(
            "api/index.md",
            "# The library's interface\n\nAll public names of the library, by header. `#include <gangway/gangway.hpp>` includes "
            "what ports use most.\n\n| header | |\n|---|---|\n" + "\n".join(rows)
            + f"\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n",
        )


def introduction(header: str) -> str:
    """The comment on a header as a whole: on the namespace, or on no declaration."""
    comment = re.search(r"^((?:///.*\n)+)(?://.*\n)*(?=\n|#|namespace gangway\b)", header, re.MULTILINE)
    return re.sub(r"^/// ?", "", comment[1], flags=re.MULTILINE).rstrip() if comment else ""


def is_special(member: ElementTree.Element) -> bool:
    """Whether it is a constructor, a destructor or an assignment, which say themselves what they do."""
    definition = re.sub(r"<.*?>", "", member.find("definition").text or "")
    name = re.sub(r"^~", "", member.find("name").text)
    return name in re.split(r"\W+", definition)[:-1] or name == "operator="


def described(api: Path, root: Path) -> list[str]:
    """Gives members the description of the one before where no blank line parts them, as one comment in a header stands
    for a group. Returns the public names that have none; constructors and the like may go without."""
    without = []
    for file in sorted((api / "xml").glob("*.xml")):
        tree = ElementTree.parse(file)
        if any(each.get("prot") == "private" for each in tree.iter("compounddef")):
            continue
        for namespace in tree.findall("compounddef[@kind='namespace']"):
            for part in DESCRIPTIONS:  # those of all headers; each page begins with its own
                namespace.find(part).clear()
        members = [m for m in tree.iter("memberdef") if m.get("prot") == "public" and m.find("location") is not None]
        members.sort(key=lambda m: (m.find("location").get("file"), int(m.find("location").get("line"))))
        before = None
        for member in members:
            place = member.find("location")
            lines = (root / "src" / place.get("file")).read_text(encoding="utf-8").splitlines()
            line, end = int(place.get("line")), max(int(place.get("bodyend", -1)), int(place.get("line")))
            if any("".join(member.find(part).itertext()).strip() for part in DESCRIPTIONS):
                before = member, place.get("file"), end
            elif before and before[1] == place.get("file") and all(text.strip() for text in lines[before[2] : line]):
                for part in DESCRIPTIONS:
                    member.find(part).extend(copy.deepcopy(list(before[0].find(part))))
                before = before[0], before[1], end
            elif is_special(member):
                before = before and (*before[:2], end)
            else:
                without.append(f"src/{place.get('file')}:{line}: {member.find('definition').text}")
        tree.write(file, encoding="utf-8", xml_declaration=True)
    return sorted(set(without))


class Links(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for key, value in attributes:
            if value and key in ("href", "src"):
                self.targets.append(value)
            elif value and key in ("id", "name"):
                self.anchors.add(value)


def broken_links(site: Path) -> list[str]:
    """The links between files of the site that lead nowhere."""
    parsed: dict[Path, Links] = {}
    for file in sorted(site.rglob("*.html")):
        parsed[file] = Links()
        parsed[file].feed(file.read_text(encoding="utf-8"))
    broken = []
    for file, links in parsed.items():
        for target in links.targets:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = Path(os.path.normpath(file.parent / urllib.parse.unquote(parts.path))) if parts.path else file
            if place.is_dir():
                place /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not place.exists() or (anchor and place in parsed and anchor not in parsed[place].anchors):
                broken.append(f"{file.relative_to(site)}: {target}")
    return broken


def build(root: Path, folder: Path) -> int:
    """Runs Doxygen and Sphinx over the staged source."""
    api = folder / "api"
    shutil.rmtree(api, ignore_errors=True)
    api.mkdir()
    settings = (root / "docs" / "Doxyfile").read_text(encoding="utf-8") + (
        f"INPUT = {root}/src/gangway\nOUTPUT_DIRECTORY = {api}\nSTRIP_FROM_PATH = {root}/src\n"
    )
    status = subprocess.run(["doxygen", "-"], input=settings, text=True, check=False).returncode
    if status:
        print("make_site: Doxygen has warnings", file=sys.stderr)
        return 1
    without = described(api, root)
    if without:
        print(*(f"make_site: {one} has no comment" for one in without), sep="\n", file=sys.stderr)
        return 1
    environment = os.environ | {
        "GANGWAY_ROOT": str(root),
        "GANGWAY_API": str(api / "xml"),
        "GANGWAY_RAW": str(folder / "source" / "_raw"),
    }
    sphinx = ["sphinx-build", "-b", "html", "-W", "--keep-going", "-q", "-c", root / "docs",
              "-d", folder / "doctrees", folder / "source", folder / "html"]  # fmt: skip
    for old in ("html", "doctrees"):  # from nothing: merging old declarations takes gigabytes
        shutil.rmtree(folder / old, ignore_errors=True)
    if subprocess.run(sphinx, env=environment, check=False).returncode:
        return 1
    broken = broken_links(folder / "html")
    for one in broken:
        print(f"make_site: leads nowhere: {one}", file=sys.stderr)
    if not broken:
        print(folder / "html" / "index.html")
    return 1 if broken else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, metavar="FOLDER", help="the tree; default: its own")
    parser.add_argument("--stage", action="store_true", help="only write what Sphinx reads")
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    root, folder = arguments.root.resolve(), arguments.folder.resolve()
    try:
        shutil.rmtree(folder / "source", ignore_errors=True)
        Stage(root, folder / "source").fill()
    except (SiteError, make_guide.GuideError, OSError) as error:
        print(f"make_site: {error}", file=sys.stderr)
        return 2
    return 0 if arguments.stage else build(root, folder)


if __name__ == "__main__":
    sys.exit(main())
