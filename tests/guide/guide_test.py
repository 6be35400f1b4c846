# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guide shows the sources that are tested; what would break it is found."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "pages" / "make_guide.py"


def tool(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-B", TOOL, *map(str, arguments)],
        capture_output=True, text=True, timeout=60,
    )


class Guide(unittest.TestCase):
    def test_has_no_errors(self):
        done = tool("--check")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_shows_both_models(self):
        """The pages are written whole, with their snippets in place of the calls."""
        with tempfile.TemporaryDirectory() as folder:
            done = tool(folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = {file: file.read_text(encoding="utf-8") for file in Path(folder).rglob("*.md")}
            page = pages[Path(folder) / "guide" / "loops.md"]
        self.assertGreater(len(pages), 12)
        self.assertEqual([file for file, text in pages.items() if re.search("^@", text, re.MULTILINE)], [])
        self.assertIn("\n```cpp\n// OpenACC\nvoid parallel_loop(", page)
        self.assertIn("out(i) = a * in(i);", page)

    def test_a_port_can_leave_the_library(self):
        """The plain snippets have no word of Gangway's."""
        for name in ("kokkos_plain.cpp", "snippets.hpp"):
            code = re.sub(r"//.*", "", (ROOT / "docs" / "guide" / "snippets" / name).read_text(encoding="utf-8"))
            self.assertEqual(re.findall("gangway(?!_guide_openacc)", code), [], name)

    def test_every_snippet_is_run(self):
        """Each snippet's name is called in the test of the snippets."""
        test = (ROOT / "tests" / "guide" / "snippets_test.cpp").read_text(encoding="utf-8")
        for source in sorted((ROOT / "docs" / "guide" / "snippets").glob("*_*.cpp")):
            if source.stem.endswith("_mpi"):
                continue  # a program, all of which mpi_test.py runs
            for name in re.findall(r"// \[(\w+)\]", source.read_text(encoding="utf-8")):
                self.assertRegex(test, rf"\.{name}\b|::{name}\(|, {name}\)", source.name)


class Mistakes(unittest.TestCase):
    """On a copy of docs, in a copy of the tree that its links lead into."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.docs = Path(folder.name) / "docs"
        shutil.copytree(ROOT / "docs", self.docs)
        for name in ("src", "README.md"):
            (Path(folder.name) / name).symlink_to(ROOT / name)
        self.text = self.docs / "guide" / "loops.md"
        self.index = self.docs / "guide" / "index.md"
        self.snippets = self.docs / "guide" / "snippets"
        self.source = self.snippets / "kokkos_loops.cpp"

    def tool(self, *arguments: object):
        return tool("--docs", self.docs, *arguments)

    def replace(self, file: Path, old: str, new: str, count: int = 1) -> None:
        text = file.read_text(encoding="utf-8")
        self.assertIn(old, text)
        file.write_text(text.replace(old, new, count), encoding="utf-8")

    def refused(self, *said: str) -> None:
        """Nothing is written then."""
        place = self.docs.parent / "made"
        for arguments in ([place], ["--check"]):
            done = self.tool(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            for words in said:
                self.assertIn(words, done.stderr)
        self.assertFalse(place.exists())

    def test_a_folder_that_cannot_be_written(self):
        done = self.tool(self.text / "made")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write", done.stderr)

    def test_a_snippet_that_is_gone(self):
        self.replace(self.source, "// [seq]", "", 2)
        self.refused("there is no Kokkos snippet [seq]", "loops.md:")

    def test_a_snippet_that_is_never_shown(self):
        self.replace(self.text, "@pair seq\n", "")
        self.refused("never shows the OpenACC snippets seq")

    def test_a_snippet_without_its_twin(self):
        self.replace(self.text, "@pair seq\n", "@openacc seq\n")
        self.refused("never shows the Kokkos snippets seq")

    def test_marks_that_do_not_pair(self):
        self.replace(self.source, "// [seq]", "")
        self.refused("kokkos_loops.cpp:")

    def test_a_snippet_of_the_same_name(self):
        other = self.snippets / "kokkos_more.cpp"
        other.write_text("// [seq]\nint x;\n// [seq]\n", encoding="utf-8")
        self.refused("there is a snippet [seq] in another source already")

    def test_an_empty_snippet(self):
        self.replace(self.text, "@pair seq\n", "@pair seq\n@kokkos more\n")
        other = self.snippets / "kokkos_more.cpp"
        other.write_text("// [more]\n\n// [more]\n", encoding="utf-8")
        self.refused("the snippet [more] is empty")

    def test_snippets_of_fortran(self):
        page = self.docs / "guide" / "fortran.md"
        self.replace(page, "@fortran members", "")
        self.refused("never shows the snippets members of fortran.F90")
        self.replace(page, "@fortran sections", "@fortran members\n\n@fortran section")
        self.refused("there is no snippet [section] in fortran.F90")
        self.replace(page, "@fortran section\n", "@fortran sections\n")
        self.replace(self.snippets / "fortran_kernels.txt", "fortran_line", "another_line")
        self.refused("_line16 is not in fortran_kernels.txt")

    def test_an_unknown_call(self):
        self.replace(self.text, "@pair seq\n", "@both seq\n")
        self.refused("@both", "@pair, @openacc, @kokkos, @fortran, @ported, @diff and @tags are known")

    def test_a_difference_that_is_none(self):
        """A part of the second example that is the same before and after, or that one of them lacks."""
        before = self.docs / "second-example" / "before" / "halo.c"
        after = self.docs / "second-example" / "after" / "halo.cpp"
        part = before.read_text(encoding="utf-8").split("// [exchange]")[1]
        text = after.read_text(encoding="utf-8").split("// [exchange]")
        after.write_text(f"{text[0]}// [exchange]{part}// [exchange]{text[2]}", encoding="utf-8")
        self.refused("[exchange] is the same in both")
        after.write_text(text[0], encoding="utf-8")
        self.refused("there is no Kokkos snippet [exchange]")

    def test_a_construct_without_a_row(self):
        self.replace(self.index, "| [`independent`]", "| [it]")
        self.refused("no row for independent")

    def test_tags(self):
        """Each row of the table names a row of the guide; what would make the count wrong is found."""
        tags = self.snippets / "vv_tags.txt"
        text = tags.read_text(encoding="utf-8")
        line = "tile | mapped | [tile](loops.md#tile)\n"
        self.assertIn(line, text)
        for wrong, said in (
            ("tile | mapped | tiles\n", "to which row?"),
            ("tile | maped | [tile](loops.md#tile)\n", "with a state of mapped, no equivalent, open"),
            ("tile | open |\n", "TAG | STATE | TEXT is wanted"),
            (line + "other, tile | open | ?\n", "tile stands there already"),
            ("tile | mapped | [tile](loops.md#tiles)\n", "no heading #tiles"),
        ):
            tags.write_text(text.replace(line, wrong), encoding="utf-8")
            self.refused(said)
        tags.write_text(text.replace(line, ""), encoding="utf-8")
        self.assertEqual(self.tool("--check").returncode, 0)

    def test_a_link_that_leads_nowhere(self):
        self.replace(self.index, "studies/spmv/README.md", "studies/spvm/README.md")
        self.refused("spvm/README.md leads nowhere")

    def test_a_heading_that_is_not_there(self):
        self.replace(self.index, "(loops.md#seq)", "(loops.md#sequential)")
        self.refused("no heading #sequential")

    def test_a_folder_without_the_text(self):
        self.text.unlink()
        self.refused("never shows")
        shutil.rmtree(self.docs / "guide")
        self.refused("cannot read", "index.md")


if __name__ == "__main__":
    unittest.main()
